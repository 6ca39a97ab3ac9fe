"""A report of checked claims as Markdown, HTML, LaTeX or PDF: for each the quote, how it is read, the verdict and why,
the numbers that show it, what is true, and how to reproduce it.

The records are those of `asympt claims check --format json`.  Before them stand the rule by which statements are read,
a table of verdicts by source and severity, what is false as printed, and where the report comes from; the claims are in
the order of their sources.  What is said is in `ledger.words`, how it looks in `ledger.pages` and `ledger.latex`.

Known limits.  A report shows the checks that made the verdict and those of the corrected statement; the JSON records
have all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from asympt import saving
from asympt.version import __version__
from asympt.writing.ledger import latex, pages, words
from asympt.writing.paper import compile_pdf, require_tex, today

ENDINGS = (".md", ".html", ".tex", ".pdf")


@dataclass(frozen=True)
class Origin:
    """Where a report comes from."""

    version: str = __version__
    date: str = ""
    command: str = words.COMMAND

    @property
    def line(self) -> str:
        """As a sentence."""
        when = f", {self.date}" if self.date else ""
        return f"asympt {self.version}{when}; made by: {self.command}"


def write_report(records: Sequence[dict], path, command: str = words.COMMAND) -> Path:
    """Write the records to `path`, whose ending says how: .md, .html, .tex or .pdf; `command`: what made them.

    HTML of several sources is an index with one page beside it for each, NAME-SOURCE.html.  Raises `InputError` for
    another ending or a missing folder, `UnsupportedError` for a PDF without TeX.
    """
    path = check_path(path)
    ending, origin = path.suffix.lower(), Origin(date=today().strftime("%d %B %Y"), command=command).line
    if ending == ".pdf":
        compile_pdf(latex.document(records, origin), {}, path)
    elif ending == ".html":
        for name, text in pages.site(records, path.name, origin).items():
            path.with_name(name).write_text(text, encoding="utf-8")
    else:
        make = {".md": as_markdown, ".tex": latex.document}[ending]
        path.write_text(make(records, origin), encoding="utf-8")
    return path


def check_path(path) -> Path:
    """An error, before any work is done, when the report cannot be written there."""
    path = saving.check_path(path, ENDINGS)
    if path.suffix.lower() == ".pdf":
        require_tex()
    return path


# ---- Markdown -----------------------------------------------------------------------------------


def as_markdown(records: Sequence[dict], origin: str) -> str:
    """The report in Markdown."""
    head = [f"# {latex.TITLE}", words.summary(records) + ".", words.RULE, _table(records), f"`{origin}`"]
    found = [f"- {words.title(record)} ({record['id']})" for record in words.findings(records)]
    head += ["## False as printed", "\n".join(found)] if found else []
    groups = words.by_source(records)
    return (
        "\n\n".join([*head, *(part for group in groups.values() for record in group for part in _claim(record))]) + "\n"
    )


def _table(records: Sequence[dict]) -> str:
    rows = [words.HEAD, ["---", *["---:"] * (len(words.HEAD) - 1)], *words.table(records)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def _claim(record: dict) -> list[str]:
    lines = [f"## {record['id']}: {words.verdict_line(record)}",
             f"{words.title(record)} ({record['source']}): {words.in_words(record)}."]  # fmt: skip
    for kind, name, told in words.parts(record):
        if kind == "checks":
            said = [" ".join(filter(None, (f"{line}.", detail))) for line, detail in map(words.evidence, told)]
            lines.append(f"*{name}:*\n\n" + "\n".join(f"- {line}" for line in said))
        else:
            lines.append(f"*{name}:* {told if kind == 'text' else '; '.join(told)}")
    return [*lines, f"`{words.reproduce(record)}`"]
