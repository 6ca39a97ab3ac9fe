"""A report of checked claims as Markdown, HTML, LaTeX or PDF: each as printed, its verdict, what shows it, what is
true.

The records are those of `asympt claims check --format json`.  HTML shows formulas as their LaTeX source, so that the
page needs nothing from anywhere; Markdown and LaTeX set them.
"""

import html
from collections.abc import Callable, Sequence
from pathlib import Path

from asympt import paths
from asympt.writing.compile import compile_pdf, require_tex
from asympt.writing.escape import escape
from asympt.writing.paper import paper

VERDICTS = ("proved", "checked", "unknown", "refuted")
ENDINGS = (".md", ".html", ".tex", ".pdf")
LONGEST = 100  # characters of a figure
TITLE = "Claims of the literature, checked"


def write_report(records: Sequence[dict], path) -> Path:
    """Write the records to `path`, whose ending says how: .md, .html, .tex or .pdf.

    Raises `InputError` for another ending or a missing folder, `UnsupportedError` for a PDF without TeX.
    """
    path = check_path(path)
    ending = path.suffix.lower()
    if ending == ".pdf":
        compile_pdf(as_latex(records), {}, path)
    else:
        make = {".md": as_markdown, ".html": as_html, ".tex": as_latex}[ending]
        path.write_text(make(records), encoding="utf-8")
    return path


def check_path(path) -> Path:
    """An error, before any work is done, when the report cannot be written there."""
    path = paths.check_path(path, ENDINGS)
    if path.suffix.lower() == ".pdf":
        require_tex()
    return path


def summary(records: Sequence[dict]) -> str:
    """How many claims have which verdict.

    >>> summary([{"verdict": "proved"}, {"verdict": "unknown"}])
    '2 claims: 1 proved, 0 checked, 1 unknown, 0 refuted'
    """
    found = [record["verdict"] for record in records]
    counted = ", ".join(f"{found.count(name)} {name}" for name in VERDICTS)
    return f"{len(found)} claim{'' if len(found) == 1 else 's'}: {counted}"


def shown_by(record: dict) -> list[dict]:
    """The checks that made the verdict what it is; all of them when everything passed."""
    return [check for check in record["checks"] if check["verdict"] == record["verdict"]] or record["checks"]


# ---- formats ------------------------------------------------------------------------------------


def as_markdown(records: Sequence[dict]) -> str:
    """The report in Markdown."""
    parts = [f"# {TITLE}", summary(records)]
    for record in records:
        lines = [f"## {record['id']}: {record['verdict']}", f"{record['source']}. {record['summary']}"]
        lines += [f"As printed: ${record['statement']}$", _listed(shown_by(record), lambda text: text, "- {}")]
        corrected = record.get("corrected")
        if corrected is not None:
            lines += [f"**{corrected['verdict']} instead:** {corrected['subject']}",
                      _listed(corrected["checks"], lambda text: text, "- {}")]  # fmt: skip
        parts += lines
    return "\n\n".join(parts) + "\n"


def as_html(records: Sequence[dict]) -> str:
    """The report as one HTML page."""
    rows = "\n".join(_html_row(record) for record in records)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{TITLE}</title>\n{_STYLE}\n'
        f"</head>\n<body>\n<h1>{TITLE}</h1>\n<p>{summary(records)}</p>\n<table>\n"
        "<tr><th>claim</th><th>as printed</th><th>verdict</th><th>shown by</th><th>true instead</th></tr>\n"
        f"{rows}\n</table>\n</body>\n</html>\n"
    )


_STYLE = (
    "<style>\nbody { font-family: serif; margin: 2em auto; max-width: 75em; }\ntable { border-collapse: collapse; }\n"
    "td, th { border-top: 1px solid #ccc; padding: .5em; text-align: left; vertical-align: top; }\n"
    "td.refuted { color: #b03000; }\ntd.proved, td.checked { color: #006040; }\ntd.unknown { color: #806000; }\n"
    "</style>"
)


def _html_row(record: dict) -> str:
    corrected = record.get("corrected")
    instead = "" if corrected is None else f"{html.escape(corrected['subject'])} ({corrected['verdict']})"
    checks = _listed(shown_by(record), html.escape, "<li>{}</li>")
    cells = [
        f"<td><b>{html.escape(record['id'])}</b><br>{html.escape(record['source'])}</td>",
        f"<td>{html.escape(record['summary'])}<br><code>{html.escape(record['statement'])}</code></td>",
        f'<td class="{record["verdict"]}">{record["verdict"]}</td>',
        f"<td><ul>{checks}</ul></td>",
        f"<td>{instead}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def as_latex(records: Sequence[dict]) -> str:
    """The report as a LaTeX document."""
    sections = [f"\\noindent {escape(summary(records))}.\n"]
    for record in records:
        lines = [
            rf"\paragraph{{{escape(record['id'])}: {record['verdict']}.}} {escape(record['source'])}. "
            rf"{escape(record['summary'])}. As printed:",
            rf"${record['statement']}$",  # inline, so that TeX may break a long one
            _itemised(shown_by(record)),
        ]
        corrected = record.get("corrected")
        if corrected is not None:
            lines += [rf"\noindent \emph{{{corrected['verdict']} instead:}} {escape(corrected['subject'])}.",
                      _itemised(corrected["checks"])]  # fmt: skip
        sections.append("\n".join(lines) + "\n")
    return paper(TITLE, sections)


def _itemised(checks: Sequence[dict]) -> str:
    items = _listed(checks, escape, r"\item {}")
    return f"\\begin{{itemize}}\\raggedright\n{items}\n\\end{{itemize}}"


def _short(figure) -> str:
    """A figure without the tail of a long formula; the JSON record has all of it."""
    text = str(figure)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _listed(checks: Sequence[dict], said: Callable[[str], str], frame: str) -> str:
    """One line for each check: its name, figure and bound."""
    lines = []
    for check in checks:
        bound = "" if check["bound"] in (None, "-") else f" (bound {check['bound']})"
        lines.append(frame.format(said(f"{check['name']}: {_short(check['figure'])}{bound}")))
    return "\n".join(lines)
