"""Statements written once: from one object the formula that a reader sees and the check that decides it."""

from asympt.claims.stated.equalities import Equality, Evolution, Expectation, Sequence, Truncation
from asympt.claims.stated.inequalities import Inequality
from asympt.claims.stated.laws import LawCoefficient, LawLimit, Rate, StatedNetwork
from asympt.claims.stated.leading import LeadingTerm
from asympt.claims.stated.limits import Agreement, Limit, Size
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import Mistaken, StatedFormula

__all__ = [
    "Agreement",
    "Equality",
    "Evolution",
    "Expectation",
    "Inequality",
    "LawCoefficient",
    "LawLimit",
    "LeadingTerm",
    "Limit",
    "MatrixEquality",
    "Mistaken",
    "Rate",
    "Sequence",
    "Size",
    "StatedFormula",
    "StatedNetwork",
    "Truncation",
]  # fmt: skip
