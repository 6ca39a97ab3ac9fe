"""Errors planted in expansions, and whether a check sees them."""

from dataclasses import replace

from sympy import Rational

ONE_PERCENT, DROPPED = Rational(101, 100), 0


def changed(expansion, index, factor):
    """The expansion with one coefficient multiplied by `factor` (0 drops the term)."""
    terms = list(expansion.terms)
    monomial, coefficient = terms[index]
    terms[index] = (monomial, coefficient * factor)
    return replace(expansion, terms=tuple(term for term in terms if term[1] != 0))


def refuted(checks) -> bool:
    return any(check.verdict == "refuted" for check in checks)
