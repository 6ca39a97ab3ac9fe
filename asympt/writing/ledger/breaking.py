r"""Long formulas in pieces between which a line may end.

Problem.  TeX ends no line inside \left( \right) nor between two factors, a browser none inside a formula: a long one
runs off the page.

Rule.  Outside of braces a line may end before a sign or a relation, behind a comma, and between two factors.  Brackets
of a long formula that stand there get a fixed size, so that the formula may be cut between them.

Tiny case.

>>> pieces(r"a=\left(b+\frac{c}{d}\right)e f", most=3)
['a', '=\\bigl(b', '+\\frac{c}{d}\\bigr)e', 'f']

A fraction wider than a line is written with a slash, and text is cut between its words.

Known limits.  A root or a matrix is never cut.
"""

import re

from asympt.expansions.width import width

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
    """The formula, or pieces of it of at most this width in em where it is longer and can be cut."""
    if width(latex) <= most:
        return [latex]
    found, line = [], ""
    for piece in _smallest(_unsized(_flat(_WORDS.sub(_cut, latex)))):
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


def _cut(found: re.Match) -> str:
    """Words in a formula, each for itself."""
    return " ".join(rf"\text{{{word} }}" for word in found[1].split())


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
