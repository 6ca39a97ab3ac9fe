"""Expansions: the language of every result."""

from asympt.expansions.expansion import Expansion
from asympt.expansions.scale import Bounded, Formal, Heuristic, Monomial, Remainder, Scale

__all__ = ["Bounded", "Expansion", "Formal", "Heuristic", "Monomial", "Remainder", "Scale"]
__dir__ = __all__.copy
