"""The forms that decisions take: each puts what came out beside what must.  Exact figures prove, numbers check.

>>> inequality("1/3 - 1/4", Rational(1, 12), "> 0").verdict, inequality("0.1 + 0.2", 0.1 + 0.2, "<= 0.3").verdict
('proved', 'refuted')
"""

from itertools import pairwise
from operator import ge, gt, le, lt, ne

import mpmath
from sympy import Expr, Float, Rational

from asympt.evidence.check import Check, rounded

ALGEBRA, MEASURED = "algebra", "measurement"  # routes
RELATIONS = {">": gt, ">=": ge, "<": lt, "<=": le, "!=": ne}
SIGNS = {">": "positive", ">=": "nonnegative", "<": "negative", "<=": "nonpositive", "!=": "nonzero"}


def monotone(name: str, values, direction: str, detail: str = "") -> Check:
    """Each of these numbers is larger ('increasing') or smaller ('decreasing') than the one before."""
    before = {"increasing": lt, "decreasing": gt}[direction]
    shown = ", ".join(f"{float(value):.3g}" for value in values)
    passed = all(bool(before(one, two)) for one, two in pairwise(values))
    return Check(name, shown, direction, passed, "checked", detail)


def inequality(name: str, value, bound: str, detail: str = "", digits: int = 6) -> Check:
    """A figure against a bound such as '> 0' or '>= 0.5': an exact one by its sign, a number as it is."""
    relation, text = bound.split()
    if isinstance(value, Expr) and not value.has(Float):
        passed = bool(getattr(value - Rational(text), f"is_{SIGNS[relation]}"))
        return Check(name, str(value), bound, passed, "proved", detail)
    passed = bool(RELATIONS[relation](value, float(text)))
    return Check(name, rounded(value, digits), bound, passed, "checked", detail)


def agreement(name: str, found, expected, tolerance: float, detail: str = "") -> Check:
    """|found/expected - 1| against a tolerance (|found| where 0 is expected); the two numbers are shown."""
    found, expected = mpmath.mpf(found), mpmath.mpf(expected)
    shown = f"{mpmath.nstr(found, 10)} against {mpmath.nstr(expected, 10)}"
    off = abs(found / expected - 1) if expected else abs(found)
    return Check.measured(name, float(off), tolerance, f"{shown}; {detail}" if detail else shown)


def undecided(name: str, reason: str, bound: str = "-", detail: str = "") -> Check:
    """Nothing could be compared."""
    return Check(name, reason, bound, None, "checked", detail)
