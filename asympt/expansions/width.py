"""How wide a piece of LaTeX mathematics will be: an estimate in em over Computer Modern, good enough to break lines."""

import re

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|[0-9]|\S")
_COMMANDS = {
    r"\log": 1.4, r"\arccos": 3.0, r"\sqrt": 0.9, r"\quad": 1.0, r"\,": 0.2, r"\;": 0.3, r"\!": -0.2,
    r"\left": 0.0, r"\right": 0.0, r"\bigl": 0.1, r"\bigr": 0.1, r"\Bigl": 0.2, r"\Bigr": 0.2, r"\cdots": 1.2,
    r"\cdot": 0.8, r"\limits": 0.0, r"\int": 0.8, r"\sum": 1.1,
}  # fmt: skip
_SIGNS = {"+": 1.25, "-": 1.25, "=": 1.35, "(": 0.4, ")": 0.4, "[": 0.3, "]": 0.3, ",": 0.45, "'": 0.3, "&": 0.0}


def width(latex: str) -> float:
    r"""The estimated width in em.

    >>> width(r"\frac{12}{7}") < width("12 + 7")
    True
    """
    tokens = _TOKEN.findall(latex)
    total, position = 0.0, 0
    while position < len(tokens):
        size, position = _next(tokens, position)
        total += size
    return total


def _next(tokens: list[str], position: int) -> tuple[float, int]:
    """The width of the item that starts at `position`, and where the next one starts."""
    token = tokens[position]
    if token == "{":
        return _group(tokens, position)
    if token in ("^", "_"):
        size, following = _next(tokens, position + 1)
        return 0.7 * size, following
    if token in (r"\frac", r"\tfrac", r"\dfrac"):
        top, middle = _next(tokens, position + 1)
        bottom, following = _next(tokens, middle)
        return max(top, bottom) + 0.25, following
    return _single(token), position + 1


def _group(tokens: list[str], position: int) -> tuple[float, int]:
    total, position = 0.0, position + 1
    while position < len(tokens) and tokens[position] != "}":
        size, position = _next(tokens, position)
        total += size
    return total, position + 1


def _single(token: str) -> float:
    if token in _SIGNS:
        return _SIGNS[token]
    if token.startswith("\\"):
        return _COMMANDS.get(token, 0.65)
    return 0.5 if token.isdigit() else 0.62
