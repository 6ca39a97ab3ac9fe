"""Statements written once: from one object the formula that a reader sees and the check that decides it."""

from asympt.claims.stated.laws import Coefficient, LawLimit, Network, Rate
from asympt.claims.stated.paper import read_paper
from asympt.claims.stated.statement import Agreement, Identity, Inequality, Limit, Statement

__all__ = [
    "Agreement", "Coefficient", "Identity", "Inequality", "LawLimit", "Limit", "Network", "Rate", "Statement",
    "read_paper",
]  # fmt: skip
