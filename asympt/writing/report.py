"""A report of checked claims as Markdown, HTML, LaTeX or PDF, from the records of `asympt claims check --format json`.

HTML has formulas as MathML; several sources are an index and one page beside it for each.
"""

import html
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from asympt import saving
from asympt.claims.note import SEVERITIES
from asympt.version import __version__
from asympt.writing import ledger, ledger_latex
from asympt.writing.ledger_latex import TITLE, pieces
from asympt.writing.paper import check_path, compile_pdf, today

WIDE = 12.0  # em; what stays together on a telephone
OLD_ATTRIBUTE = ' xmlns="http://www.w3.org/1998/Math/MathML"'  # which browsers have given up
_SIZED = re.compile(r"\\[bB]igg?[lrm]?\s*(?=\\)")  # the converter prints the source of what follows a size
_INFIX = re.compile(r"^(<math[^>]*><mrow>)<mo>(?=&#x0002B;|&#x02212;)")  # a sign between two pieces
_FUNCTION = re.compile(
    r"(<m[io]>(?:log|exp|sin|cos|arcsin|arccos|sup|inf|lim|max|min|det|dim|ker)</m[io]>)(?=<m[a-z]+>(?!\W))"
)
_STYLE = """<style>
:root { color-scheme: light dark; --line: #ccc; --soft: #f4f2ee; --good: #006040; --bad: #a03000; --open: #775c00; }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --soft: #24262b; --good: #6fd3a8; --bad: #ff9d76; --open: #e2c25c; }
  body { background: #17181c; color: #e4e2dd; } a { color: #9db9ff; }
}
body { font-family: Georgia, serif; line-height: 1.5; margin: 2em auto; max-width: 54em; padding: 0 1em;
  overflow-wrap: break-word; }
math { font-size: 1.08em; } code { font-size: .85em; overflow-wrap: anywhere; }
table { border-collapse: collapse; } td, th { border-top: 1px solid var(--line); padding: .25em .8em .25em 0; }
th { text-align: left; } td.n, th.n { text-align: right; }
section { border-top: 1px solid var(--line); padding: .4em 0 1em; } h3 { margin: .6em 0 .2em; }
.formula { background: var(--soft); padding: .4em .8em; overflow-x: auto; margin: .3em 0; }
.proved, .checked { color: var(--good); } .refuted { color: var(--bad); } .unknown { color: var(--open); }
.place, .detail { font-size: .9em; } .detail { opacity: .8; }
.name { font-style: italic; } ul { margin: .2em 0; padding-left: 1.3em; } ul.claims { list-style: none; padding: 0; }
ul.claims li { border-top: 1px solid var(--line); padding: .3em 0; }
figure { margin: 1em 0; } .bar { display: flex; height: 1.3em; margin-bottom: .5em; }
.bar span, .key i { background: var(--c); color: #fff; font: .8em/1.65em sans-serif;
  text-align: center; overflow: hidden; }
.key i { display: inline-block; width: 1em; height: 1em; } .key span { margin-right: 1em; white-space: nowrap; }
.k-proved { --c: #00704c; } .k-checked { --c: #4f9f84; } .k-unknown { --c: #8a8a8a; } .k-convention { --c: #c9a227; }
.k-slip { --c: #d08a2e; } .k-imprecise { --c: #c2602a; } .k-false { --c: #962d1c; }
@media (max-width: 44em) {
  body { margin: 1em auto; padding: 0 .7em; } h1 { font-size: 1.5em; } table { font-size: .82em; }
  th.n { writing-mode: vertical-rl; transform: rotate(180deg); padding: .3em 0; } td, th { padding-right: .4em; }
}
</style>"""


def page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n{_STYLE}\n</head>\n<body>\n<h1>{html.escape(title)}</h1>\n{body}\n"
        "</body>\n</html>\n"
    )


@lru_cache(maxsize=4096)
def mathml(latex: str) -> str:
    """A formula, a long one in pieces between which a line may end; its source where the converter does not know it."""
    from latex2mathml.converter import convert

    if not latex:
        return ""
    try:
        made = (convert(_SIZED.sub("", part)).replace(OLD_ATTRIBUTE, "") for part in pieces(latex, WIDE))
        first, *rest = (_FUNCTION.sub(r'\1<mspace width="0.17em"/>', part) for part in made)
        return " ".join([first, *(_INFIX.sub(r'\1<mo form="infix">', part) for part in rest)])
    except Exception:  # the converter raises exceptions of many kinds
        return f"<code>{html.escape(latex)}</code>"


def prose(text: str) -> str:
    """A text with LaTeX between dollar signs."""
    parts = text.split("$") if text.count("$") % 2 == 0 else [text]
    return "".join(mathml(part) if k % 2 else html.escape(part) for k, part in enumerate(parts))


def counts(head: Sequence[str], rows: Sequence[Sequence]) -> str:
    """A table whose first column is text and the others are numbers; 0 is left empty."""
    top = "".join(f"<th{' class=n' if k else ''}>{html.escape(name)}</th>" for k, name in enumerate(head))
    cells = [[f"<td>{html.escape(name)}</td>", *(f"<td class=n>{n or ''}</td>" for n in row)] for name, *row in rows]
    return f"<table>\n<tr>{top}</tr>\n" + "\n".join(f"<tr>{''.join(row)}</tr>" for row in cells) + "\n</table>"


def site(records: Sequence[dict], name: str, origin: str) -> dict[str, str]:
    """The pages of a report by their file names: one, or an index and one for every source."""
    groups = ledger.by_source(records)
    if len(groups) < 2:
        body = _head(records) + _claims(records) + "".join(_section(r) for group in groups.values() for r in group)
        return {name: page(TITLE, body + _made(origin))}
    stem = name.removesuffix(".html")
    files = {source: f"{stem}-{''.join(c for c in source if c.isalnum())}.html" for source in groups}
    index = [_head(records), _findings(records, files)]
    for source, file in files.items():
        said = f"<p>{html.escape(ledger.summary(groups[source]))}.</p>\n{_claims(groups[source], file)}"
        index.append(f'<h2><a href="{file}">{html.escape(ledger.name_of(source))}</a></h2>\n{said}')
    found = {name: page(TITLE, "".join(index) + _made(origin))}
    for source, file in files.items():
        back = f'<p><a href="{name}">{html.escape(TITLE)}</a></p>'
        body = back + _claims(groups[source]) + "\n".join(map(_section, groups[source]))
        found[file] = page(ledger.name_of(source), body)
    return found


def _made(origin: str) -> str:
    return f'<p class="detail"><code>{html.escape(origin)}</code></p>\n'


def _head(records: Sequence[dict]) -> str:
    severities = "".join(f"<li><b>{name}</b>: {html.escape(text)}</li>" for name, text in SEVERITIES.items())
    return (
        f"<p>{html.escape(ledger.summary(records))}.</p>\n{_bars(records)}"
        f"<details><summary>How statements are read, and all counts</summary>\n<p>{html.escape(ledger.RULE)}</p>\n"
        f"<ul>{severities}</ul>\n{counts(ledger.HEAD, ledger.table(records))}</details>\n"
    )


def _bars(records: Sequence[dict]) -> str:
    """The figure: for every source a bar of its verdicts, as long as it has claims."""
    lines, groups = [], ledger.by_source(records)
    longest = max(map(len, groups.values()))
    for source, group in groups.items():
        total, *found = ledger.numbers(group)
        shares = [(kind, count) for kind, count in zip(ledger.HEAD[2:], found, strict=True) if count]
        bar = "".join(f'<span class="k-{kind}" style="width:{100 * count / longest:.2f}%" title="{count} {kind}">'
                      f"{count}</span>" for kind, count in shares)  # fmt: skip
        lines.append(f'<div>{html.escape(ledger.name_of(source))}: {total}</div><div class="bar">{bar}</div>')
    named = "".join(f'<span><i class="k-{kind}"></i> {kind}</span> ' for kind in ledger.HEAD[2:])
    told = "Refuted statements are counted by the correction they need."
    return f'<figure>{"".join(lines)}<figcaption class="key">{named}<br>{told}</figcaption></figure>\n'


def _findings(records: Sequence[dict], files: dict[str, str]) -> str:
    """What is false as printed, with what is true instead, before all the rest."""
    lines = []
    for record in ledger.findings(records):
        link = f"{files[ledger.source_of(record)]}#{html.escape(record['id'])}"
        true = _prose(ledger.statement(record.get("correction", "")))
        instead = f'<div class="formula">true instead: {true}</div>' if true else ""
        lines.append(f'<li><a href="{link}">{prose(ledger.title(record))}</a> '
                     f'<span class="place">({html.escape(record["source"])})</span>{instead}</li>')  # fmt: skip
    return f"<h2>Key findings: false as printed</h2>\n<ul>{''.join(lines)}</ul>\n" if lines else ""


def _claims(records: Sequence[dict], file: str = "") -> str:
    """The titles, with places and verdicts in words."""
    lines = "\n".join(
        f'<li><a href="{file}#{html.escape(r["id"])}">{prose(ledger.title(r))}</a> '
        f'<span class="place">({html.escape(r["source"])})</span>: '
        f'<span class="{r["verdict"]}">{html.escape(ledger.in_words(r))}</span></li>'
        for r in records
    )
    return f'<ul class="claims">{lines}</ul>\n'


def _section(record: dict) -> str:
    return (
        f'<section id="{html.escape(record["id"])}">\n<h3>{html.escape(record["id"])}: '
        f'<span class="{record["verdict"]}">{html.escape(ledger.verdict_line(record))}</span></h3>\n'
        f"<p>{prose(ledger.title(record))} "
        f'<span class="place">({html.escape(record["source"])})</span>: {html.escape(ledger.in_words(record))}.</p>\n'
        f"{''.join(_part(*part) for part in ledger.parts(record))}"
        f'<p class="detail"><code>{html.escape(ledger.reproduce(record))}</code></p>\n</section>'
    )


def _part(kind: str, name: str, told) -> str:
    head = f'<span class="name">{html.escape(name)}:</span>'
    if kind == "checks":
        return f"<div>{head}</div>\n<ul>{''.join(_evidence(*ledger.evidence(check)) for check in told)}</ul>\n"
    if kind == "formula":
        return f'<div>{head}</div>\n<div class="formula">{_prose(told)}</div>\n'
    return f"<p>{head} {prose(told)}</p>\n"


def _prose(lines: Sequence[str]) -> str:
    return "<br>".join(map(prose, lines))


def _evidence(said: str, detail: str) -> str:
    return f"<li>{prose(said)}." + (f' <span class="detail">{prose(detail)}</span>' if detail else "") + "</li>"


ENDINGS = (".md", ".html", ".tex", ".pdf")


def write_report(records: Sequence[dict], path, command: str = ledger.COMMAND) -> Path:
    """Write the records to `path`, whose ending says how: .md, .html, .tex or .pdf; `command`: what made them.

    HTML of several sources is an index with one page beside it for each, NAME-SOURCE.html.  Raises `InputError` for
    another ending or a missing folder, `UnsupportedError` for a PDF without TeX.
    """
    path = check_path(path, ENDINGS)
    ending, origin = path.suffix.lower(), f"asympt {__version__}, {today():%d %B %Y}; made by: {command}"
    if ending == ".pdf":
        compile_pdf(ledger_latex.document(records, origin), {}, path)
    elif ending == ".html":
        pages = site(records, path.name, origin)
        saving.write({path.with_name(name): text.encode() for name, text in pages.items()})
    else:
        make = {".md": as_markdown, ".tex": ledger_latex.document}[ending]
        saving.write({path: make(records, origin).encode()})
    return path


def as_markdown(records: Sequence[dict], origin: str) -> str:
    """The report in Markdown."""
    head = [f"# {ledger_latex.TITLE}", ledger.summary(records) + ".", ledger.RULE, _table(records), f"`{origin}`"]
    found = [f"- {ledger.title(record)} ({record['id']})" for record in ledger.findings(records)]
    head += ["## False as printed", "\n".join(found)] if found else []
    groups = ledger.by_source(records)
    return (
        "\n\n".join([*head, *(part for group in groups.values() for record in group for part in _claim(record))]) + "\n"
    )


def _table(records: Sequence[dict]) -> str:
    rows = [ledger.HEAD, ["---", *["---:"] * (len(ledger.HEAD) - 1)], *ledger.table(records)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def _claim(record: dict) -> list[str]:
    lines = [f"## {record['id']}: {ledger.verdict_line(record)}",
             f"{ledger.title(record)} ({record['source']}): {ledger.in_words(record)}."]  # fmt: skip
    for kind, name, told in ledger.parts(record):
        if kind == "checks":
            said = [" ".join(filter(None, (f"{line}.", detail))) for line, detail in map(ledger.evidence, told)]
            lines.append(f"*{name}:*\n\n" + "\n".join(f"- {line}" for line in said))
        else:
            lines.append(f"*{name}:* {told if kind == 'text' else '; '.join(told)}")
    return [*lines, f"`{ledger.reproduce(record)}`"]
