"""Remainders, typed: what is known about the terms that an expansion leaves out.

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
        return widened(self, self.monomial * factor)


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
    """Of the size of the monomial as far as numbers show.

    `constant`, if it was measured: the largest |rest|/monomial seen, at depths from `valid_from` on; no bound.
    """

    constant: Expr | None = None
    valid_from: Expr | None = None


def widened(rest: Remainder | None, monomial: Monomial) -> Remainder:
    """The remainder O(monomial) that swallows `rest` and known terms: heuristic if `rest` is, else formal."""
    return Heuristic(monomial) if isinstance(rest, Heuristic) else Formal(monomial)


def largest(*remainders: Remainder | None) -> Remainder | None:
    """The remainder of a sum: the largest size, the weakest type; None when all are exact.

    A heuristic remainder of smaller size counts: that it is smaller is itself only seen in numbers.
    """
    known = [r for r in remainders if r is not None]
    if len(known) < 2:
        return known[0] if known else None
    top = max(r.monomial for r in known)
    return Heuristic(top) if any(isinstance(r, Heuristic) for r in known) else Formal(top)
