"""Remainders, typed: what is known about the terms that an expansion leaves out.

    Formal      O(monomial) of the formal solution: the next coefficient, no claim on a constant
    Bounded     |rest| <= constant * monomial for every variable beyond `valid_from`
    Heuristic   seen in numbers only

A weaker type never becomes a stronger one: arithmetic keeps a remainder or turns it into `Formal` at best.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.expansions.scale import Monomial


@dataclass(frozen=True)
class Remainder:
    """The size of what is left out, as a monomial of the expansion's scale."""

    monomial: Monomial

    def times(self, factor: Monomial) -> "Remainder":
        """The remainder of a product with something of size `factor`; a constant is not carried along."""
        kind = Heuristic if isinstance(self, Heuristic) else Formal
        return kind(self.monomial * factor)


@dataclass(frozen=True)
class Formal(Remainder):
    """O(monomial) in the sense of formal expansions."""


@dataclass(frozen=True)
class Bounded(Remainder):
    """At most `constant` times the monomial from `valid_from` on."""

    constant: Expr
    valid_from: Expr


@dataclass(frozen=True)
class Heuristic(Remainder):
    """Of the size of the monomial as far as numbers show."""


def largest(*remainders: Remainder | None) -> Remainder | None:
    """The remainder of a sum: the largest one; at equal size the weaker type; None when all are exact."""
    known = [r for r in remainders if r is not None]
    if not known:
        return None
    top = max(r.monomial for r in known)
    ties = [r for r in known if r.monomial == top]
    if any(isinstance(r, Heuristic) for r in ties):
        return Heuristic(top)
    return ties[0] if len(known) == 1 else Formal(top)
