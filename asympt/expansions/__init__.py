"""Expansions: the language of every result."""

from asympt.expansions.expansion import Expansion
from asympt.expansions.scale import Bounded, Formal, Heuristic, Monomial, Remainder, Scale

__all__ = ["Bounded", "Expansion", "Formal", "Heuristic", "Monomial", "Remainder", "Scale"]


def __dir__() -> list[str]:
    return sorted(__all__)
