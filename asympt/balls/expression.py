"""A formula as one program for balls, for power series at 0 and for circles, with a proof that it is analytic.

A node is kept as t^v h(t), v an exact integer.  It is analytic near the closed disc (but for a pole at 0 where v < 0)
when its operands are and, on the circle alone,

    1/g, g^p, log g    Re (h/h(0)) > 0, h = g/t^v: Re h is harmonic, so it has no zero inside; p v must be an integer
    asin g             Re (1 - g^2) > 0;  atan g: Re (1 + g^2) > 0;  LambertW(g): Re (1 + e g) > 0
    gamma g, log gamma Re g > 0;          exp, sin, cos, erf, ...: entire;          Abs, Max, ...: refused

A zero of order j at the origin is known only where j leading coefficients are exact zeros; what algebra knows beyond is
for the caller to say, by `Vanishing`.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate

import flint
import sympy
from flint import acb, arb
from sympy import Expr, Symbol

from asympt.balls.arithmetic import coefficients, exact_rational
from asympt.balls.programs import (
    CONSTANTS,
    Domain,
    Instruction,
    Jets,
    LaurentBall,
    LaurentSeries,
    Listing,
    RealBalls,
    Rim,
)
from asympt.parsing import as_sympy

_NOTHING = sympy.Dummy("nothing")
_BALLS = RealBalls()


class Program:
    """A formula in one variable and in parameters that are given as balls.

    within: it is known that the variable stays where the formula is real (`RealBalls`).

    >>> t = Symbol("t")
    >>> program = Program(sympy.sin(t) / t, t)
    >>> program.value(arb(1)).overlaps(arb(1).sin())
    True
    """

    def __init__(self, formula: Expr, symbol: Symbol, within: bool = False):
        self.formula, self.symbol, self.within = as_sympy(formula), symbol, within
        self.instructions = Listing(self.formula, symbol).found
        self._known: dict[int, list] = {}

    def __repr__(self) -> str:
        return f"Program({self.formula}, {self.symbol})"

    @property
    def parameters(self) -> set[Symbol]:
        return self.formula.free_symbols - {self.symbol}

    def run(self, domain: "Domain", parameters: Mapping[Symbol, arb]) -> list:
        """The values of all nodes, in the order of the instructions; constants are balls."""
        values = self._numbers(flint.ctx.prec).copy()
        for place, instruction in self._left:
            run = _BALLS if instruction.constant else domain
            values[place] = run.node(instruction, [values[k] for k in instruction.parts], parameters, place)
        return values

    @cached_property
    def _left(self) -> list[tuple[int, Instruction]]:
        """The nodes that are not numbers, with their places."""
        numbers, left = set(), []
        for place, instruction in enumerate(self.instructions):
            if instruction.kind == "number" or (instruction.parts and numbers.issuperset(instruction.parts)):
                numbers.add(place)
            else:
                left.append((place, instruction))
        return left

    def _numbers(self, bits: int) -> list:
        """The values of the nodes that are numbers, None for the others; of the precision that is set, `bits`."""
        if bits not in self._known:
            left, values = {place for place, _ in self._left}, []
            for place, instruction in enumerate(self.instructions):
                if place in left:
                    values.append(None)
                elif instruction.kind == "number":
                    values.append(_number(instruction.node, bits))
                else:
                    values.append(_BALLS.node(instruction, [values[k] for k in instruction.parts], {}, place))
            self._known[bits] = values
        return self._known[bits]

    def value(self, point: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """The function at a ball of real numbers; `Outside` where it cannot be shown to be real on all of the ball."""
        return self._last(RealBalls(point, self.within), parameters)

    def slope(self, point: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """Its derivative there; not finite where it cannot be bounded, or the function cannot be shown to be real."""
        last = self._last(Jets(point), parameters)
        if isinstance(last, arb):
            return arb(0)
        value, slope = coefficients(last, 2) if last.prec >= 2 else (arb.nan(), arb.nan())
        return slope if value.is_finite() else arb.nan()

    def derivatives(self, point: arb, count: int, parameters: Mapping[Symbol, arb] | None = None) -> list[arb]:
        """The function and its derivatives below the order `count`; power series must be that long (`working`)."""
        factorials = accumulate(range(1, count), lambda a, b: a * b, initial=1)
        return [c * factor for c, factor in zip(self.taylor(point, count, parameters), factorials, strict=True)]

    def taylor(self, point: arb, count: int, parameters: Mapping[Symbol, arb] | None = None) -> list[arb]:
        """Its Taylor coefficients there, likewise."""
        if count == 1:
            return [self.value(point, parameters)]
        last = self._last(Jets(point, count), parameters)
        return [last] + [arb(0)] * (count - 1) if isinstance(last, arb) else coefficients(last, count)

    def _last(self, domain: "Domain", parameters: Mapping[Symbol, arb] | None):
        return self.run(domain, parameters or {})[-1]

    def germ(self, length: int, parameters: Mapping[Symbol, arb] | None = None) -> "Germ":
        """Its power series at 0."""
        return Germ(self, length, parameters or {})


@lru_cache(maxsize=4096)
def _number(node: Expr, bits: int) -> arb:
    """A ball about a number; of the precision that is set, `bits`."""
    if node in CONSTANTS:
        return CONSTANTS[node]()
    return exact_rational(sympy.Rational(node) if node.is_Float else node)


class Germ:
    """A program's power series at 0, node by node: what its values on a circle are checked against."""

    def __init__(self, program: Program, length: int, parameters: Mapping[Symbol, arb]):
        self.program, self.parameters, domain = program, parameters, LaurentSeries(length)
        self.nodes = program.run(domain, parameters)
        self.last = domain.lifted(self.nodes[-1])

    def coefficients(self, count: int) -> list[arb]:
        """The Taylor coefficients of the formula; an error where fewer are known."""
        return coefficients(self.last.plain(self.program.formula), count, f"the series of {self.program.formula}")

    @property
    def is_one_sided(self) -> bool:
        """Whether it is the function for t > 0 only: the root of t^2 h is t sqrt(h) there and -t sqrt(h) beyond 0."""
        powers = (i for i in self.program.instructions if i.kind == "power" and not i.exponent.is_Integer)
        return any(isinstance(base := self.nodes[i.parts[0]], LaurentBall) and base.order != 0 for i in powers)

    def on(self, arcs: Sequence[acb]) -> list[acb]:
        """Its values on arcs that cover a circle about 0 (or its upper half), proved analytic in the disc.

        Raises `Refused`, with the node's name, where that cannot be seen.
        """
        last = self.program.run(Rim(arcs, self.nodes), self.parameters)[-1]
        return last if isinstance(last, list) else [acb(last)] * len(arcs)


def half_circle(radius: arb, count: int) -> list[acb]:
    """`count` balls that cover the upper half of |t| = radius.

    A function that is real on the real line has conjugate values on the lower half.
    """
    arcs = []
    for k in range(count):
        angle = (arb(k) / count).union(arb(k + 1) / count)
        arcs.append(acb(angle.cos_pi(), angle.sin_pi()) * radius)
    return arcs


def number(expression: Expr, parameters: Mapping[Symbol, arb] | None = None) -> arb:
    """A ball for an expression without a variable."""
    return program_of(as_sympy(expression), _NOTHING).value(arb(0), parameters)


@lru_cache(maxsize=256)
def program_of(formula: Expr, symbol: Symbol, within: bool = False) -> Program:
    """The program of a formula, made once."""
    return Program(formula, symbol, within)
