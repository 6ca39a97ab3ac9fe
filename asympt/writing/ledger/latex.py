"""The report as a LaTeX document: a table of verdicts, what is false first, then every claim in its source's order.

Rule.  Whatever text a record brings, TeX can set it: text is escaped, a formula that TeX would not set is shown as its
source (`escape.math`), a long formula is cut between lines (`breaking`), and what no line holds is scaled to one.
"""

from collections.abc import Sequence

from asympt.expansions.width import width
from asympt.writing.escape import escape, math, mixed
from asympt.writing.ledger import words
from asympt.writing.ledger.breaking import WIDEST, pieces
from asympt.writing.paper import paper

_FITTED = r"""\sloppy\emergencystretch=3em
\newcommand\fitted[1]{\sbox0{#1}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}"""
TITLE = "Claims of the literature, checked"


def document(records: Sequence[dict], origin: str) -> str:
    """The LaTeX of the report; `origin`: the line that says what made it."""
    said = f"{escape(words.summary(records))}. {escape(words.RULE)}"
    head = [f"\\noindent {said}\n", _table(records),
            f"\\noindent{{\\small\\texttt{{{escape(origin)}}}}}\n", _findings(records),
            "\\tableofcontents\n"]  # fmt: skip
    body = []
    for source, group in words.by_source(records).items():
        body.append(f"\\section{{{escape(words.name_of(source))}}}\n")
        body += [_claim(record) for record in group]
    return paper(TITLE, [_FITTED, *head, *body])


def _table(records: Sequence[dict]) -> str:
    rows = [[escape(str(cell or "")) for cell in row] for row in (words.HEAD, *words.table(records))]
    lines = [
        r"\raggedright{}" + " & ".join(row) + r" \\" for row in rows
    ]  # a row that begins with [ would be read as a length
    body = "\n".join([lines[0], r"\midrule", *lines[1:]])
    columns = r"p{0.27\textwidth}" + "r" * (len(words.HEAD) - 1)
    inner = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    return f"\\begin{{center}}\\footnotesize\\setlength\\tabcolsep{{3pt}}\n{inner}\n\\end{{center}}\n"


def _findings(records: Sequence[dict]) -> str:
    found = words.findings(records)
    items = "\n".join(rf"\item{{}} {_title(r)} ({escape(r['source'])}; {escape(r['id'])})" for r in found)
    return f"\\section*{{False as printed}}\n\\begin{{itemize}}\n{items}\n\\end{{itemize}}\n" if found else ""


def _title(record: dict) -> str:
    return mixed(words.title(record))


def _claim(record: dict) -> str:
    lines = [rf"\subsection*{{{escape(record['id'])}: {escape(words.verdict_line(record))}}}",
             rf"\noindent {_title(record)} ({escape(record['source'])}): {words.in_words(record)}."]  # fmt: skip
    lines += [_part(*part) for part in words.parts(record)]
    return "\n".join([*lines, rf"\par\noindent{{\small\texttt{{{escape(words.reproduce(record))}}}}}"]) + "\n"


def _part(kind: str, name: str, told) -> str:
    head = rf"\par\noindent\emph{{{escape(name)}:}}"
    if kind == "checks":
        items = "\n".join(rf"\item{{}} {_line(*words.evidence(check))}" for check in told)
        return f"{head}\n\\begin{{itemize}}\\raggedright\n{items}\n\\end{{itemize}}"
    said = _prose(told) if kind == "text" else "; ".join(map(_prose, told))
    return rf"{{\raggedright {head} {said}\par}}"


def _line(said: str, detail: str) -> str:
    return f"{_prose(said)}." + (rf" {{\small {_prose(detail)}.}}" if detail else "")


def _prose(text: str) -> str:
    """A text with LaTeX between dollar signs, its long formulas cut."""
    return mixed(text, cut=_cut)


def _cut(latex: str) -> str:
    r"""A formula that may be cut where \allowbreak stands; what no line holds is scaled to one."""
    made = math(latex)
    if not made.startswith("$"):
        return made
    parts = [math(part) for part in pieces(latex, WIDEST / 4)]
    if len(parts) > 1 and all(part.startswith("$") for part in parts):
        made = "$" + r"\allowbreak ".join(part[1:-1] for part in parts) + "$"
    fits = all(width(part) <= WIDEST for part in parts)
    return (
        made
        if fits
        else r"\allowbreak ".join(part if width(part) <= WIDEST else rf"\fitted{{{part}}}" for part in parts)
    )
