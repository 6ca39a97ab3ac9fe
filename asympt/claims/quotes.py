r"""A quote as one formula, whose words are \text{...}, and as text with formulas between dollar signs."""

import re

_MARK = re.compile(r"\\(?:text\{|[A-Za-z]+|.)|[{}]")
_SPACE = re.compile(r"^(?:\\[ ,;:!]|\s)+|(?:\\[ ,;:!]|\s)+$")  # at the ends of a formula
_SPECIAL = {"\\": r"\backslash ", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}"}


def as_formula(text: str) -> str:
    r"""A quote that is typed as text, its formulas between dollar signs, as one formula.

    >>> as_formula("for all $l$ it is 5% of $q$")
    '\\text{for all }l\\text{ it is 5\\% of }q'
    """
    parts = text.split("$")
    words = (re.sub(r"[\\&%#_{}]", lambda found: _SPECIAL[found[0]], part) for part in parts[::2])
    shown = [rf"\text{{{word}}}" if word else "" for word in words]
    return "".join(a + b for a, b in zip(shown, [*parts[1::2], ""], strict=False))


def as_text(formula: str) -> str:
    r"""The same with its words outside of the formulas, which stand between dollar signs.

    >>> as_text(r"\text{for all }l,\quad q_l=\frac{q}{2}\text{ is kept}")
    'for all $l$, $q_l=\\frac{q}{2}$ is kept'
    """
    pieces, start, depth, words = [], 0, 0, None
    for found in _MARK.finditer(formula):
        mark = found[0]
        if mark == r"\text{" and depth == 0 and words is None:
            pieces.append((False, formula[start : found.start()]))
            words = start = found.end()
        depth += (mark in ("{", r"\text{")) - (mark == "}")
        if mark == "}" and depth == 0 and words is not None:
            pieces.append((True, formula[start : found.start()]))
            words, start = None, found.end()
    pieces.append((False, formula[start:]))
    return "".join(piece if words else _between_dollars(piece) for words, piece in pieces).strip()


def _between_dollars(formula: str) -> str:
    """A formula; where space parts it, several."""
    parts = re.split(r"([,;]?\\q?quad(?![a-z]) ?)", formula)
    bare = (_SPACE.sub("", part) for part in parts[::2])
    shown = [f"${part}$" if part else "" for part in bare]
    between = [part[0] + " " if part[0] in ",;" else " " for part in parts[1::2]]
    return "".join(a + b for a, b in zip(shown, [*between, ""], strict=True))
