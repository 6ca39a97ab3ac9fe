"""A parabolic map near its fixed point: what algebra knows exactly, the series in balls, the circle.

Problem.  x' = F, x = t^root, is given as a formula in t.  The theorem needs v = F/t^root = u^root, t' = t u(t), as a
power series and on circles, with the structural facts v_0 = 1 and v_1 = ... = v_(m-1) = 0, which no ball can give.

Rule.  The facts come with the map; every ball must contain what is claimed of it.  On a circle, Re v > 0 proves that
log u = log(v)/root is analytic in the disc.  Everything else is made of log u: u^k - 1 = expm1(k log u) has no branch
and no cancellation.

Tiny case.  sin: root 1, m = 2, v = sin(t)/t, a = 1/6.

Known limits.  That the formula in t is the original map after x = t^root, t > 0, is algebra done by whoever made it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from flint import acb, arb, arb_series
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, working
from asympt.balls.expression import Germ, Program, half_circle, program_of
from asympt.errors import PrecisionError

SLACK = 6  # coefficients that quotients inside a formula may use up


@dataclass(frozen=True, eq=False)
class ParabolicMap:
    """x' = F(t), x = t^root, with F = t^root (1 - root a t^m + ...), a > 0.

    formula: F, a SymPy expression in `symbol` and in parameters;
    root, order: exact: x = t^root, and m is the first power at which u = (F/t^root)^(1/root) is not 1;
    parameters: a function of the precision in bits that gives balls for the parameters.
    """

    formula: Expr
    symbol: Symbol
    root: int
    order: int
    parameters: object = None
    _germs: dict = field(default_factory=dict, repr=False)

    @cached_property
    def program(self) -> Program:
        """The formula as a program."""
        return program_of(self.formula, self.symbol)

    def known(self, bits: int) -> Mapping[Symbol, arb]:
        """Balls for the parameters."""
        return self.parameters(bits) if self.parameters is not None else {}

    def germ(self, bits: int, length: int) -> Germ:
        """The series of the formula."""
        if (bits, length) not in self._germs:
            with working(bits, length + SLACK):
                self._germs[bits, length] = self.program.germ(length + SLACK, self.known(bits))
        return self._germs[bits, length]

    def log_u(self, bits: int, length: int) -> arb_series:
        """log u to `length` coefficients, beginning with -a t^m."""
        found = self.germ(bits, length + self.root).coefficients(length + self.root)
        exact = {k: 0 for k in range(self.root)} | {self.root: 1}
        exact |= {self.root + k: 0 for k in range(1, self.order)}
        for k, value in exact.items():
            if not found[k].contains(value):
                raise Refused(
                    f"the coefficient of {self.symbol}^{k} in {self.formula} is {found[k].str(8)} and not {value}, so "
                    "the fixed point is not parabolic of this order"
                )
            found[k] = arb(value)
        with working(bits, length):
            logarithm = arb_series(found[self.root :], prec=length).log() / self.root
        if not logarithm[self.order] < 0:
            raise Refused("the map is not seen to fall towards its fixed point, so there is no law")
        return logarithm

    def log_u_on(self, radius: arb, bits: int, length: int, arcs: int) -> list[tuple[acb, acb]]:
        """(t, log u) on the arcs of the circle, with the proof that log u is analytic in the disc."""
        germ = self.germ(bits, length + self.root)
        with working(bits, length + SLACK):
            circle = half_circle(radius, arcs)
            values = [value / t**self.root for t, value in zip(circle, germ.on(circle), strict=True)]
            if not all(value.real > 0 for value in values):
                raise Refused(f"{self.formula} over {self.symbol}^{self.root} may have a zero in the disc")
            return [(t, value.log() / self.root) for t, value in zip(circle, values, strict=True)]

    # ---- on the real line ---------------------------------------------------------------------------

    def step(self, t: arb, parameters: Mapping[Symbol, arb]) -> arb:
        """t' for every t in the ball: the mean value form, and the value on the whole ball."""
        image = enclosed(self.program, t, parameters)
        return self.rooted(image)

    def rooted(self, x: arb) -> arb:
        """t = x^(1/root) of x > 0."""
        if not x > 0:
            raise PrecisionError("an orbit in balls has reached 0 or has lost all digits; more bits are needed")
        return x if self.root == 1 else x.root(self.root)


def enclosed(program: Program, point: arb, parameters: Mapping[Symbol, arb]) -> arb:
    """f on a ball: f(mid) + f'(ball) (ball - mid), cut with f(ball)."""
    whole = program.value(point, parameters)
    if point.rad().is_zero():
        return whole
    middle = point.mid()
    mean = program.value(middle, parameters) + program.slope(point, parameters) * (point - middle)
    if not mean.is_finite():
        return whole
    return mean.intersection(whole) if whole.is_finite() else mean
