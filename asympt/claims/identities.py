"""Symbolic identities as checks: what must vanish, and what is left of it."""

from sympy import Expr, Matrix, simplify, together

from asympt.evidence.check import Check


def vanishes(name: str, rest, detail: str = "") -> Check:
    """A symbolic identity: the rest (an expression, a matrix or several) is 0."""
    entries = [entry for part in (rest if isinstance(rest, list | tuple) else [rest]) for entry in _entries(part)]
    left = [entry for entry in (simplify(together(e)) for e in entries) if entry != 0]
    return Check(name, str(left[0]) if left else 0, 0, not left, "proved", detail)


def _entries(part) -> list[Expr]:
    return list(part) if isinstance(part, Matrix) else [part]
