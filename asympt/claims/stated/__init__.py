"""Statements written once: from one object the formula that a reader sees and the check that decides it."""

from asympt.claims.stated.laws import LawCoefficient, LawLimit, Rate, StatedNetwork
from asympt.claims.stated.paper import read_paper
from asympt.claims.stated.statement import Agreement, Equality, Evolution, Inequality, Limit, Sequence, StatedFormula

__all__ = [
    "Agreement",
    "Equality",
    "Evolution",
    "Inequality",
    "LawCoefficient",
    "LawLimit",
    "Limit",
    "Rate",
    "Sequence",
    "StatedFormula",
    "StatedNetwork",
    "read_paper",
]  # fmt: skip
