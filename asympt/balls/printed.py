"""What all laws have that are to be proved: a recursion, an expansion as it is printed, and one kind of `Proof`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from flint import arb
from sympy import Expr, Rational, Symbol

from asympt.balls.arithmetic import Disproved, Refused
from asympt.balls.expression import number
from asympt.balls.orbit import BallOrbit, OrbitInBalls
from asympt.errors import InputError

SPREAD = Decimal("1e-5")


@dataclass(frozen=True)
class Proof:
    """What was found: |quantity - law| <= constant monomial for all l >= valid_from, and the figures of every step.

    layer: l_1, to which orbits are followed;  connection, second: C and D over the starts;
    bounds, small: of what is not printed beyond l_1, and of the layers before, over the monomial;
    theorem, linear: of the coordinate, and of what runs along it where that is another;
    inverse: where the coordinate was inverted;  figures: of the steps that leave no object behind;
    depth, between: of falling steps, the log l from which the bounds hold, and the largest deviation from l_1 to there.
    """

    constant: Decimal
    valid_from: int
    layer: int
    connection: arb
    second: arb | None
    bounds: Mapping[str, arb]
    small: arb
    theorem: object
    inverse: object
    linear: object = None
    figures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    depth: arb | None = None
    between: arb | None = None


def cut(low: Expr, high: Expr, count: int, power: int = 1) -> list[tuple[Expr, Expr]]:
    """An interval of starts in so many pieces, with exact ends, finer towards the lower one if power > 1."""
    return list(pairwise(low + (high - low) * Rational(k, count) ** power for k in range(count + 1)))


class LawProver:
    """One law over an interval of starts x_first in [low, high], exact numbers.

    weight, root: of the remainder, and the root of the coordinate's leading term, where the law is a series in that;
    monomial: how one of its monomials is written.
    """

    weight: int
    root: object
    monomial = "log(l)^{logs} l^-({order})"

    def __init__(self, law: "PrintedLaw", low: Expr, high: Expr, bits: int):
        if (low - high).is_positive:
            raise InputError(f"the starts from {low} to {high} are in the wrong order; give the smaller one first")
        self.law, self.low, self.high, self.bits = law, low, high, bits

    def _orbit(self, low: Expr, high: Expr) -> OrbitInBalls:
        return self.law.orbit(low, high, self.bits)

    def number(self, expression: Expr, connection: arb | None = None, second: arb | None = None) -> arb:
        values = (arb(0) if value is None else value for value in (connection, second))
        known = dict(self.law.map_.known(self.bits)) | dict(zip(self.law.constants, values, strict=True))
        return number(expression, known)

    def require_printed(self, tail, printed: Mapping[tuple[int, int], arb], factor: arb) -> None:
        """Every term larger than the remainder is that of the series (`inversion.Tail`), and all of these are printed.

        printed: {(weight, logs): coefficient};  factor: what the quantity is times the series.
        """
        law, last = self.law, (self.weight, -self.law.remainder.logs)
        if any((weight, -logs) >= last for weight, logs in printed):
            raise Refused("a printed term is not larger than the remainder")
        for weight in range(self.weight + 1):
            for logs in {*range(len(tail.sums[weight].coeffs())), *(k for at, k in printed if at == weight)}:
                true, there = tail.coefficient(weight, logs) * factor, printed.get((weight, logs), arb(0))
                if (weight, -logs) < last and not true.overlaps(there):
                    name = self.monomial.format(logs=logs, order=Rational(weight + law.start_weight, self.root.m))
                    raise Disproved(f"the coefficient of {name} is {true.str(10)} and not the printed {there.str(10)}")


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

    Each kind of law names the classes of its orbits, proofs and numbers.
    """

    map_: object
    first: int
    terms: Sequence[PrintedTerm]
    remainder: PrintedTerm
    constants: tuple[Symbol, Symbol]
    along: object = field(default=None, kw_only=True)

    one_sided = True  # it is about orbits on one side of the fixed point
    spread = SPREAD  # by how much the constants of two proofs may differ, relatively
    orbits: ClassVar[type] = BallOrbit
    proved_by: ClassVar[type]
    numbers_of: ClassVar[type]

    @property
    def settles_first(self) -> bool:
        """Whether its orbits have more than one number, of which all but one settle before the map holds."""
        return not isinstance(self.orbits, type)

    @property
    def has_constants(self) -> bool:
        """Whether C or D is among the printed terms."""
        return any(term.coefficient.free_symbols & set(self.constants) for term in self.terms)

    def orbit(self, low: Expr, high: Expr, bits: int) -> OrbitInBalls:
        return self.orbits(self.map_, low, high, self.first, bits, self.along)

    def sharp(self, bits: int) -> "PrintedLaw":
        """The law of the same map with numbers good for so many bits; a kernel goes along that map too."""
        map_ = _sharp(self.map_, bits)
        if map_ is self.map_:
            return self
        along = None if self.along is None else replace(map_.tangents, start=self.along.start)
        return replace(self, map_=map_, along=along)

    def prover(self, low: Expr, high: Expr, *choices, **named):
        """What proves it for the starts between two numbers; `choices`: bits, terms, radius."""
        return self.proved_by(self, low, high, *choices, **named)

    @property
    def numbers(self):
        """What gives values and constants of one start."""
        return self.numbers_of(self)


@lru_cache(maxsize=16)  # what a map has computed serves all of its laws
def _sharp(map_, bits: int):
    return map_.sharp(bits)


@lru_cache(maxsize=32)
def one_orbit(law: PrintedLaw, start: Expr, bits: int) -> OrbitInBalls:
    return law.sharp(bits).orbit(start, start, bits)
