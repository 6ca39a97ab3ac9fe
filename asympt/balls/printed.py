"""What all laws have that are to be proved: a recursion, and an expansion as it is printed.

Problem.  Abel's function, Koenigs' and the flow time prove different kinds of laws.  Who asks for a theorem, a value or
the constants need not know of which kind a law is.

Rule.  A `PrintedLaw` has the map, the layer of the start, the terms, the remainder and what C and D are called; it
gives its orbits in balls, what proves it (`prover`) and its numbers (`numbers`).

Tiny case.  t/(1+t): the term 1/l, the remainder 1/l^2.

Known limits.  The kinds themselves: `laws`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

from sympy import Expr, Rational, Symbol

from asympt.balls.orbit import BallOrbit, OrbitInBalls


@dataclass(frozen=True)
class PrintedTerm:
    """coefficient * l^-order log(l)^logs; the coefficient is an expression in C, D and parameters."""

    coefficient: Expr
    order: Rational
    logs: int


@dataclass(frozen=True, eq=False)
class PrintedLaw:
    """What is to be proved.

    map_, first: the recursion and the layer of the start;
    terms, remainder: the expansion as printed, with the constants called `constants` there;
    along: for a_l instead of the orbit, the linear recursion.

    A kind of laws says by which classes its orbits, proofs and numbers are made.
    """

    map_: object
    first: int
    terms: Sequence[PrintedTerm]
    remainder: PrintedTerm
    constants: tuple[Symbol, Symbol]
    along: object = field(default=None, kw_only=True)

    one_sided = True  # it is about orbits on one side of the fixed point
    orbits: ClassVar[type] = BallOrbit
    proved_by: ClassVar[type]
    numbers_of: ClassVar[type]

    @property
    def has_constants(self) -> bool:
        """Whether C or D is among the printed terms."""
        return any(term.coefficient.free_symbols & set(self.constants) for term in self.terms)

    def orbit(self, low: Expr, high: Expr, bits: int) -> OrbitInBalls:
        """Those of the starts between two numbers."""
        return self.orbits(self.map_, low, high, self.first, bits, self.along)

    def sharp(self, bits: int) -> "PrintedLaw":
        """The law of the same map with numbers good for so many bits; a kernel goes along that map too."""
        map_ = self.map_.sharp(bits)
        if map_ is self.map_:
            return self
        return replace(self, map_=map_, along=None if self.along is None else map_.tangents)

    def prover(self, low: Expr, high: Expr, *choices, **named):
        """What proves it for the starts between two numbers; `choices`: bits, terms, radius."""
        return self.proved_by(self, low, high, *choices, **named)

    @property
    def numbers(self):
        """What gives values and constants of one start."""
        return self.numbers_of(self)


@lru_cache(maxsize=64)
def sharp(law: PrintedLaw, bits: int) -> PrintedLaw:
    """`law.sharp(bits)`, made once."""
    return law.sharp(bits)


@lru_cache(maxsize=32)
def one_orbit(law: PrintedLaw, start: Expr, bits: int) -> OrbitInBalls:
    """That of one start."""
    return sharp(law, bits).orbit(start, start, bits)
