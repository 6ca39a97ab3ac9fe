"""A report of checked claims as Markdown, HTML, LaTeX or PDF: for each the quote, how it is read, the verdict and why,
the numbers that show it, what is true, and how to reproduce it.

The records are those of `asympt claims check --format json`.  Before them stand the rule by which statements are read,
a table of verdicts by source and severity, and where the report comes from.

Known limits.  A report shows the checks that made the verdict and those of the corrected statement; the JSON records
have all.
"""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from asympt import paths
from asympt.claims.note import SEVERITIES
from asympt.claims.quotes import as_text
from asympt.version import __version__
from asympt.writing import ledger_page as pages
from asympt.writing.compile import compile_pdf, require_tex
from asympt.writing.escape import escape, typeset
from asympt.writing.paper import paper, today

VERDICTS = ("proved", "checked", "unknown", "refuted")
ENDINGS = (".md", ".html", ".tex", ".pdf")
LONGEST = 100  # characters of a figure
TITLE = "Claims of the literature, checked"
COMMAND = "asympt claims check"
RULE = (
    "A statement is read as printed, with the definitions of its own source and over all that its quantifiers name; "
    "nothing is repaired in silence. A refutation is a judgement of a printed line, never of its authors: most are "
    "slips or want a hypothesis. 'Proved' is exact and for the whole scope of the statement; 'checked' is numbers, or "
    "exact on a part of the scope, and says on how much; 'unknown' was not decided."
)
SOURCES = {
    "HDR": "Hayou, Doucet, Rousseau 2020", "PDLT": "Roberts, Yaida, Hanin 2022, chapter 10",
    "XPS": "Slides on Xiao, Pennington, Schoenholz", "JGH": "Slides on Jacot, Gabriel, Hongler",
    "TBG": "Slides on Tirer, Bruna, Giryes",
}  # fmt: skip


@dataclass(frozen=True)
class Origin:
    """Where a report comes from."""

    version: str = __version__
    date: str = ""
    command: str = COMMAND

    @property
    def line(self) -> str:
        """As a sentence."""
        when = f", {self.date}" if self.date else ""
        return f"asympt {self.version}{when}; made by: {self.command}"


def write_report(records: Sequence[dict], path, command: str = COMMAND) -> Path:
    """Write the records to `path`, whose ending says how: .md, .html, .tex or .pdf; `command`: what made them.

    HTML of several sources is an index with one page beside it for each, NAME-SOURCE.html.  Raises `InputError` for
    another ending or a missing folder, `UnsupportedError` for a PDF without TeX.
    """
    path = check_path(path)
    ending, origin = path.suffix.lower(), Origin(date=today().strftime("%d %B %Y"), command=command)
    if ending == ".pdf":
        compile_pdf(as_latex(records, origin), {}, path)
    elif ending == ".html":
        for name, text in html_pages(records, path.name, origin).items():
            path.with_name(name).write_text(text, encoding="utf-8")
    else:
        make = {".md": as_markdown, ".tex": as_latex}[ending]
        path.write_text(make(records, origin), encoding="utf-8")
    return path


def check_path(path) -> Path:
    """An error, before any work is done, when the report cannot be written there."""
    path = paths.check_path(path, ENDINGS)
    if path.suffix.lower() == ".pdf":
        require_tex()
    return path


def summary(records: Sequence[dict]) -> str:
    """How many claims have which verdict, and how serious the refutations are.

    >>> summary([{"verdict": "proved"}, {"verdict": "refuted", "severity": "slip"}])
    '2 claims: 1 proved, 0 checked, 0 unknown, 1 refuted (1 slip)'
    """
    found = [record["verdict"] for record in records]
    counted = ", ".join(f"{found.count(name)} {name}" for name in VERDICTS)
    grave = [record.get("severity") for record in records if record["verdict"] == "refuted"]
    kinds = ", ".join(f"{grave.count(name)} {name}" for name in reversed(SEVERITIES) if name in grave)
    return f"{len(found)} claim{'' if len(found) == 1 else 's'}: {counted}{f' ({kinds})' if kinds else ''}"


def shown_by(record: dict) -> list[dict]:
    """The checks that made the verdict what it is; all of them when everything passed."""
    return [check for check in record["checks"] if check["verdict"] == record["verdict"]] or record["checks"]


# ---- what every format says -----------------------------------------------------------------------


def source_of(record: dict) -> str:
    """The short name of a claim's source: the beginning of its id, or of its source."""
    first = record["id"].partition(".")[0]
    return first if first in SOURCES else record["source"].partition(",")[0]


def by_source(records: Sequence[dict]) -> dict[str, list[dict]]:
    """The records of each source, in the order of the records."""
    found: dict[str, list[dict]] = {}
    for name, group in groupby(records, source_of):
        found.setdefault(name, []).extend(group)
    return found


HEAD = ("source", "claims", "proved", "checked", "unknown", *(f"{name}" for name in reversed(SEVERITIES)))


def table(records: Sequence[dict]) -> list[list]:
    """A row for each source and one for all: name, claims, verdicts, and the refuted by severity."""
    rows = [[SOURCES.get(name, name), *_numbers(group)] for name, group in by_source(records).items()]
    return [*rows, ["all", *_numbers(records)]] if len(rows) > 1 else rows


def _numbers(records: Sequence[dict]) -> list[int]:
    found = [record["verdict"] for record in records]
    grave = [record.get("severity") for record in records if record["verdict"] == "refuted"]
    return [len(found), *(found.count(v) for v in VERDICTS[:3]), *(grave.count(s) for s in reversed(SEVERITIES))]


def verdict_line(record: dict) -> str:
    """The verdict with its severity."""
    severity = record.get("severity")
    return f"{record['verdict']} ({severity})" if severity else record["verdict"]


def asked(check: dict) -> str:
    """What a figure was held against, in words.

    >>> asked({"bound": "> 0"}), asked({"bound": 1e-9}), asked({"bound": 0}), asked({"bound": "-"})
    ('asked: > 0', 'asked: at most 1e-09', 'asked: 0', '')
    """
    bound = check["bound"]
    if bound in (None, "-"):
        return ""
    return f"asked: at most {bound}" if isinstance(bound, float) else f"asked: {bound}"


def figure(check: dict) -> str:
    """A figure without the tail of a long formula, and what was asked of it."""
    text, wanted = _short(check["figure"]), asked(check)
    return f"{text} ({wanted})" if wanted else text


def _short(value) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def reproduce(record: dict) -> str:
    """The command for one claim, with the time it took."""
    seconds = record.get("seconds")
    return f"{COMMAND} {record['id']}" + (f"   ({seconds:.1f} s of processor time)" if seconds is not None else "")


def _why(record: dict) -> str:
    """The reason of a verdict: that of the note, or what the checks amount to."""
    if record.get("why"):
        return record["why"]
    count = len(record["checks"])
    checks = "its check" if count == 1 else f"all {count} checks"
    return {
        "proved": f"Exact: {checks} passed.", "checked": f"Numbers agree: {checks} passed.",
        "unknown": "Not decided: " + "; ".join(_short(check["figure"]) for check in shown_by(record)) + ".",
    }.get(record["verdict"], "")  # fmt: skip


TOLD = (("read as", "reading"), ("decided on", "on"))
INSTEAD = (("holds if", "hypotheses"), ("letters", "where"))


# ---- HTML ---------------------------------------------------------------------------------------


def as_html(records: Sequence[dict], origin: Origin | None = None) -> str:
    """The report as one HTML page."""
    return pages.page(TITLE, _head_html(records, origin or Origin()) + _contents(records) + _sections(records))


def html_pages(records: Sequence[dict], name: str, origin: Origin | None = None) -> dict[str, str]:
    """The pages of a report by their file names: one, or an index and one for every source."""
    groups = by_source(records)
    if len(groups) < 2:
        return {name: as_html(records, origin)}
    stem, files = name.removesuffix(".html"), {}
    for source in groups:
        files[source] = f"{stem}-{''.join(c for c in source if c.isalnum())}.html"
    links = "".join(f"<h2><a href=\"{file}\">{html.escape(SOURCES.get(source, source))}</a></h2>"
                    + _contents(groups[source], file) for source, file in files.items())  # fmt: skip
    found = {name: pages.page(TITLE, _head_html(records, origin or Origin()) + links)}
    for source, file in files.items():
        back = f'<p><a href="{name}">{html.escape(TITLE)}</a></p>'
        body = back + _contents(groups[source]) + _sections(groups[source])
        found[file] = pages.page(SOURCES.get(source, source), body)
    return found


def _head_html(records: Sequence[dict], origin: Origin) -> str:
    severities = "".join(f"<li><b>{name}</b>: {html.escape(text)}</li>" for name, text in SEVERITIES.items())
    return (
        f"<p>{html.escape(summary(records))}.</p>\n<p>{html.escape(RULE)}</p>\n<ul>{severities}</ul>\n"
        f"{pages.counts(HEAD, [[html.escape(row[0]), *row[1:]] for row in table(records)])}\n"
        f'<p class="detail"><code>{html.escape(origin.line)}</code></p>\n'
    )


def _contents(records: Sequence[dict], file: str = "") -> str:
    links = " ".join(
        f'<a class="{r["verdict"]}" href="{file}#{html.escape(r["id"])}">{html.escape(r["id"])}</a>' for r in records
    )
    return f"<nav>{links}</nav>\n"


def _sections(records: Sequence[dict]) -> str:
    return "\n".join(map(_section, records))


def _section(record: dict) -> str:
    told = [(name, pages.prose(record[key])) for name, key in TOLD if record.get(key)]
    told += [("why", pages.prose(_why(record))), ("shown by", _checks_html(shown_by(record)))]
    return (
        f'<section id="{html.escape(record["id"])}">\n<h3>{html.escape(record["id"])}: '
        f'<span class="{record["verdict"]}">{html.escape(verdict_line(record))}</span></h3>\n'
        f'<p class="place">{html.escape(record["source"])}: {html.escape(record["summary"])}</p>\n'
        f'<div class="formula">{pages.mathml(record["statement"], True)}</div>\n'
        f"{_checked_formula(record)}"
        f"{pages.details(told)}\n{_instead_html(record)}"
        f'<p class="detail"><code>{html.escape(reproduce(record))}</code></p>\n</section>'
    )


def _checked_formula(record: dict) -> str:
    """The printed formula as the checks read it, made of the objects that are checked."""
    if not record.get("formula"):
        return ""
    parts = ", &#8195;".join(pages.mathml(part) for part in record["formula"].split(r",\quad "))
    return f'<p class="detail">as the checks read it: {parts}</p>\n'


def _instead_html(record: dict) -> str:
    """The corrected statement, typeset, with its hypotheses, its letters and what shows it."""
    corrected = record.get("corrected")
    if corrected is None:
        return ""
    shown = pages.mathml(record["correction"], True) if record.get("correction") else html.escape(corrected["subject"])
    told = [(name, pages.prose(record[key])) for name, key in INSTEAD if record.get(key)]
    told += [("shown by", _checks_html(corrected["checks"]))]
    return (
        f'<p>True instead (<span class="{corrected["verdict"]}">{corrected["verdict"]}</span>):</p>\n'
        f'<div class="formula">{shown}</div>\n{pages.details(told)}\n'
    )


def _checks_html(checks: Sequence[dict]) -> str:
    lines = []
    for check in checks:
        detail = f' <span class="detail">{html.escape(check["detail"])}</span>' if check.get("detail") else ""
        name = pages.plain_prose(check.get("marked", check["name"].replace("$", "")))
        lines.append(f"<li>{name}: {html.escape(figure(check))}.{detail}</li>")
    return f"<ul>{''.join(lines)}</ul>"


# ---- Markdown -----------------------------------------------------------------------------------


def as_markdown(records: Sequence[dict], origin: Origin | None = None) -> str:
    """The report in Markdown."""
    parts = [f"# {TITLE}", summary(records) + ".", RULE, _table_markdown(records), f"`{(origin or Origin()).line}`"]
    return "\n\n".join([*parts, *(part for record in records for part in _markdown(record))]) + "\n"


def _table_markdown(records: Sequence[dict]) -> str:
    rows = [HEAD, ["---", *["---:"] * (len(HEAD) - 1)], *table(records)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def _markdown(record: dict) -> list[str]:
    lines = [f"## {record['id']}: {verdict_line(record)}", f"{record['source']}. {record['summary']}",
             f"As printed: {as_text(record['statement'])}"]  # fmt: skip
    if record.get("formula"):
        lines.append(f"As the checks read it: ${record['formula']}$")
    told = [*((name, record[key]) for name, key in TOLD if record.get(key)), ("why", _why(record))]
    lines += [f"*{name}:* {text}" for name, text in told if text]
    lines.append(_listed(shown_by(record), lambda text: text, "- {}"))
    corrected = record.get("corrected")
    if corrected is not None:
        shown = f"${record['correction']}$" if record.get("correction") else corrected["subject"]
        lines.append(f"**True instead ({corrected['verdict']}):** {shown}")
        lines += [f"*{name}:* {record[key]}" for name, key in INSTEAD if record.get(key)]
        lines.append(_listed(corrected["checks"], lambda text: text, "- {}"))
    return [*lines, f"`{reproduce(record)}`"]


# ---- LaTeX --------------------------------------------------------------------------------------


def as_latex(records: Sequence[dict], origin: Origin | None = None) -> str:
    """The report as a LaTeX document."""
    head = [f"\\noindent {escape(summary(records))}. {escape(RULE)}\n", _table_latex(records),
            f"\\noindent\\texttt{{{escape((origin or Origin()).line)}}}\n\\tableofcontents\n"]  # fmt: skip
    body = []
    for source, group in by_source(records).items():
        body.append(f"\\section{{{escape(SOURCES.get(source, source))}}}\n")
        body += [_latex(record) for record in group]
    return paper(TITLE, [*head, *body])


def _table_latex(records: Sequence[dict]) -> str:
    rows = [HEAD, *table(records)]
    lines = [" & ".join(escape(str(cell)) for cell in row) + r" \\" for row in rows]
    body = "\n".join([lines[0], r"\midrule", *lines[1:]])
    columns = "l" + "r" * (len(HEAD) - 1)
    inner = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    return f"\\begin{{center}}\\small\n{inner}\n\\end{{center}}\n"


def _latex(record: dict) -> str:
    told = [*((name, record[key]) for name, key in TOLD if record.get(key)), ("why", _why(record))]
    lines = [
        rf"\paragraph{{{escape(record['id'])}: {verdict_line(record)}.}} {escape(record['source'])}. "
        rf"{escape(record['summary'])}. As printed:",
        as_text(record["statement"]),  # inline, so that TeX may break a long one
        *([rf"\par\noindent\emph{{as the checks read it:}} ${record['formula']}$"] if record.get("formula") else []),
        *(rf"\par\noindent\emph{{{name}:}} {_mixed(text)}" for name, text in told if text),
        _itemised(shown_by(record)),
    ]
    corrected = record.get("corrected")
    if corrected is not None:
        shown = f"${record['correction']}$" if record.get("correction") else escape(corrected["subject"])
        lines.append(rf"\noindent \emph{{True instead ({corrected['verdict']}):}} {shown}")
        lines += [rf"\par\noindent\emph{{{name}:}} {_mixed(record[key])}" for name, key in INSTEAD if record.get(key)]
        lines.append(_itemised(corrected["checks"]))
    return "\n".join([*lines, rf"\noindent{{\small\texttt{{{escape(reproduce(record))}}}}}"]) + "\n"


def _mixed(text: str) -> str:
    """A text with LaTeX between dollar signs."""
    return "".join(f"${part}$" if k % 2 else escape(part) for k, part in enumerate(text.split("$")))


def _itemised(checks: Sequence[dict]) -> str:
    if not checks:
        return ""
    items = "\n".join(rf"\item {typeset(c.get('marked', c['name']))}: {escape(figure(c))}" for c in checks)
    return f"\\begin{{itemize}}\\raggedright\n{items}\n\\end{{itemize}}"


def _listed(checks: Sequence[dict], said: Callable[[str], str], frame: str) -> str:
    """One line for each check: its name, its figure, what was asked of it and in which setting."""
    lines = []
    for check in checks:
        detail = f"; {check['detail']}" if check.get("detail") else ""
        lines.append(frame.format(said(f"{check['name']}: {figure(check)}{detail}")))
    return "\n".join(lines)
