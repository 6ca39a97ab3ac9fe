"""The report as a LaTeX document: a table of verdicts, what is false first, then every claim in its source's order."""

import re
from collections.abc import Sequence

from asympt.expansions.printing import width
from asympt.writing import ledger
from asympt.writing.escape import escape, math, mixed
from asympt.writing.paper import paper

_TOKEN = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\s+|.", re.DOTALL)
_RELATIONS = re.compile(
    r"[=<>]|\\(le|leq|ge|geq|ne|neq|approx|sim|simeq|equiv|to|propto|in|mapsto|asymp|Rightarrow|Leftrightarrow|"
    r"rightarrow|iff|implies|cong|colon)"
)
_SIGNS = {"+", "-", r"\pm", r"\mp", r"\cdot", r"\times", r"\otimes"}
WIDEST = 35.0  # em; of a line of a document
_WORDS = re.compile(r"\\text\{([^{}$]{30,})\}")
_ENDS = re.compile(r"[\w)\]}']|\\[|}]")  # behind which a factor may end


def pieces(latex: str, most: float) -> list[str]:
    r"""The formula, or pieces of it of at most this width in em where it is longer and can be cut.

    >>> pieces(r"a=\left(b+\frac{c}{d}\right)e f", most=3)
    ['a', '=\\bigl(b', '+\\frac{c}{d}\\bigr)e', 'f']
    """
    if width(latex) <= most:
        return [latex]
    found, line = [], ""
    worded = _WORDS.sub(lambda found: " ".join(rf"\text{{{word} }}" for word in found[1].split()), latex)  # each alone
    for piece in _smallest(_unsized(_flat(worded))):
        if line.strip() and width(line + piece) > most:
            found.append(line.strip())
            line = ""
        line += piece
    return [*found, line.strip()] if line.strip() else found


def _flat(latex: str) -> str:
    """Fractions outside of braces that no line holds with a slash."""
    made, position = "", 0
    for found in re.finditer(r"\\[td]?frac(?=\{)", latex):
        if found.start() < position or latex.count("{", 0, found.start()) != latex.count("}", 0, found.start()):
            continue
        middle = _closed(latex, found.end())
        end = _closed(latex, middle) if latex[middle : middle + 1] == "{" else middle
        if end > middle and width(latex[found.start() : end]) > WIDEST:
            top, bottom = latex[found.end() + 1 : middle - 1], latex[middle + 1 : end - 1]
            made += latex[position : found.start()] + rf"\left({_flat(top)}\right)/\left({_flat(bottom)}\right)"
            position = end
    return made + latex[position:]


def _closed(latex: str, start: int) -> int:
    """Where the group that begins at `start` has ended."""
    depth, end = 0, start
    while end < len(latex):
        depth += {"{": 1, "}": -1}.get(latex[end], 0) if latex[end - 1] != "\\" else 0
        end += 1
        if not depth:
            break
    return end


def _unsized(latex: str) -> str:
    r"""Brackets by \left and \right outside of braces and environments with a fixed size."""
    tokens, depth, made, size = _TOKEN.findall(latex), 0, [], {r"\left": r"\bigl", r"\right": r"\bigr"}
    for token in tokens:
        depth += {"{": 1, "}": -1, r"\begin": 1, r"\end": -1}.get(token, 0)
        made.append(size.get(token, token) if depth == 0 else token)
    text = "".join(made)
    return latex if r"\begin" in latex else re.sub(r"\\big[lr]\s*\.", " ", text)


def _smallest(latex: str) -> list[str]:
    """All pieces: what must stay together."""
    found, depth, before = [""], 0, ""
    for token in _TOKEN.findall(latex):
        inside = depth > 0 or before in ("^", "_") or before.startswith((r"\big", r"\left", r"\right"))
        depth += {"{": 1, "}": -1, r"\begin": 1, r"\end": -1, r"\left": 1, r"\right": -1}.get(token, 0)
        factor = token.isspace() and _ENDS.fullmatch(before) is not None
        if not inside and (_RELATIONS.fullmatch(token) or (token in _SIGNS and _ENDS.fullmatch(before)) or factor):
            found.append("")
        found[-1] += token
        if not inside and depth == 0 and (token == "," or token in (r"\quad", r"\qquad")):
            found.append("")
        before = token if not token.isspace() else before
    return [piece for piece in found if piece]


FITTED = r"""\sloppy\emergencystretch=3em
\newcommand\fitted[1]{\sbox0{#1}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}"""
TITLE = "Claims of the literature, checked"


def document(records: Sequence[dict], origin: str) -> str:
    """The LaTeX of the report; `origin`: the line that says what made it."""
    said = f"{escape(ledger.summary(records))}. {escape(ledger.RULE)}"
    head = [f"\\noindent {said}\n", _table(records),
            f"\\noindent{{\\small\\texttt{{{escape(origin)}}}}}\n", _findings(records),
            "\\tableofcontents\n"]  # fmt: skip
    body = []
    for source, group in ledger.by_source(records).items():
        body.append(f"\\section{{{escape(ledger.name_of(source))}}}\n")
        again = "\\par\\noindent{\\small\\texttt{%s}}\n"
        body += [told_claim(record) + again % escape(ledger.reproduce(record)) for record in group]
    return paper(TITLE, [FITTED, *head, *body])


def _table(records: Sequence[dict]) -> str:
    rows = [[escape(str(cell or "")) for cell in row] for row in (ledger.HEAD, *ledger.table(records))]
    lines = [r"\raggedright{}" + " & ".join(row) + r" \\" for row in rows]  # a row with [ first would be a length
    body = "\n".join([lines[0], r"\midrule", *lines[1:]])
    columns = r"p{0.27\textwidth}" + "r" * (len(ledger.HEAD) - 1)
    inner = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    return f"\\begin{{center}}\\footnotesize\\setlength\\tabcolsep{{3pt}}\n{inner}\n\\end{{center}}\n"


def _findings(records: Sequence[dict]) -> str:
    found = ledger.findings(records)
    items = "\n".join(rf"\item{{}} {mixed(ledger.title(r))} ({escape(r['source'])}; {escape(r['id'])})" for r in found)
    return f"\\section*{{False as printed}}\n\\begin{{itemize}}\n{items}\n\\end{{itemize}}\n" if found else ""


def told_claim(record: dict) -> str:
    """All that is told of a claim."""
    title, source = mixed(ledger.title(record)), escape(record["source"])
    lines = [rf"\subsection*{{{escape(record['id'])}: {escape(ledger.verdict_line(record))}}}",
             rf"\noindent {title} ({source}): {ledger.in_words(record)}."]  # fmt: skip
    return "\n".join([*lines, *(_part(*part) for part in ledger.parts(record))]) + "\n"


def _part(kind: str, name: str, told) -> str:
    head = rf"\par\noindent\emph{{{escape(name)}:}}"
    if kind == "checks":
        items = "\n".join(rf"\item{{}} {_line(*ledger.evidence(check))}" for check in told)
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
    if all(width(part) <= WIDEST for part in parts):
        return made
    return r"\allowbreak ".join(part if width(part) <= WIDEST else rf"\fitted{{{part}}}" for part in parts)
