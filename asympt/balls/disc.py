"""A map near its fixed point: what algebra knows exactly, the series in balls, the circle.

x' = F, x = t^root, is a formula in t: v = F/t^root = u^root, t' = t u(t), with v_0 = 1 and v_1 = ... = v_(m-1) = 0
exactly, which no ball can give: these facts come with the map, and every ball must contain what is claimed of it.  On a
circle Re v > 0 proves that log u = log(v)/root is analytic in the disc; all else is made of log u.  A theorem asks a
map for its series and for a `region` that bounds functions of t: here the `BallDisc`, else an interval (`models`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flint import acb, acb_poly, arb, arb_series
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, largest, magnitude, majorant, smallest, working
from asympt.balls.expression import Germ, Program, half_circle, named, program_of
from asympt.errors import PrecisionError

SLACK = 6  # coefficients that quotients inside a formula may use up
MORE = 24  # coefficients of a defect beyond the first
ARCS = 192
PROBES = (8, 16)
THIN = 1e-6  # radius over middle of a ball on which f(ball) tells nothing beyond the mean value form


class LocalBallMap:
    """x' = F(t), x = t^root, with F = t^root (1 - root a t^m + ...), a > 0: what a theorem asks of it.

    root, order: exact: x = t^root, and m is the first power at which u = (F/t^root)^(1/root) is not 1;
    program: F with `value` and `slope` on balls;  more: how many coefficients of a defect are known beyond the first.
    """

    symbol: Symbol
    root: int
    order: int
    more: int

    def known(self, bits: int) -> Mapping[Symbol, arb]:
        raise NotImplementedError

    def series(self, program, bits: int, count: int) -> list[arb]:
        """The Taylor coefficients of a function of t at 0."""
        raise NotImplementedError

    def region(self, radius: arb, bits: int, length: int):
        """Where functions of t are bounded; `Refused` where the map is not known that far."""
        raise NotImplementedError

    def probes(self, radius: arb, first: int, bits: int) -> Iterator[tuple[int, arb, arb]]:
        """(bits, t, log u) at places where a bound M t^first that is wrong fails."""
        raise NotImplementedError

    def log_u(self, bits: int, length: int) -> arb_series:
        """log u to `length` coefficients, beginning with -a t^m."""
        found = self.series(self.program, bits, length + self.root)
        exact = {k: 0 for k in range(self.root)} | {self.root: 1}
        exact |= {self.root + k: 0 for k in range(1, self.order)}
        for k, value in exact.items():
            if not found[k].contains(value):
                raise Refused(
                    f"the coefficient of {self.symbol}^{k} in {named(self)} is {found[k].str(8)} and not {value}, so "
                    "the fixed point is not parabolic of this order"
                )
            found[k] = arb(value)
        with working(bits, length):
            logarithm = arb_series(found[self.root :], prec=length).log() / self.root
        if not logarithm[self.order] < 0:
            raise Refused("the map cannot be shown to fall towards its fixed point, so there is no law")
        return logarithm

    def exact_image(self, x: Expr, parameters: Mapping[Symbol, arb]) -> arb:
        """x' of an exact x."""
        raise NotImplementedError

    def rooted(self, x: arb) -> arb:
        """t = x^(1/root) of x > 0."""
        return rooted(x, self.root)

    def sharp(self, bits: int) -> "LocalBallMap":
        """The same map, good for so many bits along an orbit."""
        return self

    def is_one_sided(self, along, bits: int, count: int) -> bool:
        """Whether its series, or those of what runs along it, are the functions for t > 0 only."""
        return False

    def require_reach(self, bits: int) -> None:
        """`Refused` where its values are not had to so many bits all the way to the fixed point."""

    def require_nearer(self, before: arb, after: arb) -> None:
        """Orbits fall; before, after: upper ends of t."""
        if not after < before:
            raise Refused("the orbit cannot be shown to fall at every layer: it may start outside the basin")


def rooted(x: arb, root: int) -> arb:
    """x^(1/root) of x > 0."""
    if not x > 0:
        raise PrecisionError(
            "the orbit cannot be shown to stay on its side of the fixed point: it may land there, a start may lie "
            "outside the basin or on its boundary, or the digits have run out; take starts well inside the basin"
        )
    return x if root == 1 else x.root(root)


@dataclass(frozen=True, eq=False)
class FormulaMap:
    """x' = F(t), x = t^root, F(0) = 0: `formula` F in `symbol` and in parameters, which have no fixed precision.

    parameters: a function of the precision in bits that gives balls for the parameters; None when there are none;
    within: whether it is known that orbits stay where the formula is real;
    arcs: how many cover the upper half of the circle.
    """

    formula: Expr
    symbol: Symbol
    root: int
    parameters: object = field(default=None, kw_only=True)
    within: bool = field(default=False, kw_only=True)
    arcs: int = field(default=ARCS, kw_only=True)
    _germs: dict = field(default_factory=dict, repr=False, kw_only=True)

    @cached_property
    def program(self) -> Program:
        return program_of(self.formula, self.symbol, self.within)

    def known(self, bits: int) -> Mapping[Symbol, arb]:
        return self.parameters(bits) if self.parameters is not None else {}

    def __str__(self) -> str:
        return str(self.formula)

    def germ(self, program: Program, bits: int, length: int) -> Germ:
        """The series of a formula in t."""
        key = program, bits, length
        if key not in self._germs:
            with working(bits, length + SLACK):
                self._germs[key] = program.germ(length + SLACK, self.known(bits))
        return self._germs[key]

    def series(self, program: Program, bits: int, count: int) -> list[arb]:
        return self.germ(program, bits, count).coefficients(count)

    def region(self, radius: arb, bits: int, length: int) -> "BallDisc":
        return BallDisc(self, radius, bits, length, self.arcs)

    def on(self, program: Program, circle: Sequence[acb], bits: int, length: int) -> list[acb]:
        """A formula in t on a circle, with the proof that it is analytic in the disc."""
        return self.germ(program, bits, length + self.root).on(circle)

    def exact_image(self, x: Expr, parameters: Mapping[Symbol, arb]) -> arb:
        """Where a formula has a branch point at the start, algebra knows its value and balls do not."""
        t = self.symbol
        image = self.formula.subs(t, x ** (t**0 / self.root))
        return Program(image, t).value(arb(0), parameters)


@dataclass(frozen=True, eq=False)
class ParabolicMap(FormulaMap, LocalBallMap):
    """A parabolic map that is a formula, analytic in a disc.

    order: exact: m is the first power at which u = (F/t^root)^(1/root) is not 1.
    """

    order: int

    more = MORE  # cheap here

    def probes(self, radius: arb, first: int, bits: int) -> Iterator[tuple[int, arb, arb]]:
        """Near 0, where t^first is far below what a wrong coefficient leaves."""
        for k in PROBES:
            more = bits + (first + 4) * (k + 6)
            with working(more):
                t = radius * arb(2) ** -k
                yield more, t, (self.program.value(t, self.known(more)) / t**self.root).log() / self.root


def cauchy(known: Sequence[arb], bound: arb, t: arb, radius: arb) -> arb:
    """What lies beyond the `known` coefficients, over |s| <= t, of a function that `bound` bounds on |s| = radius."""
    share = (t / radius).upper()
    return bound * share ** len(known) / (1 - share)


class BallDisc:
    """|t| <= radius: functions of t are proved analytic there, and bounded by their values on the circle.

    points, steps: (t, log u) and (t, u) on arcs that cover the upper half of the circle.
    """

    analytic = True  # so that bounds of parts may be added up with Cauchy's estimates

    def __init__(self, map_: FormulaMap, radius: arb, bits: int, length: int, arcs: int = ARCS):
        self.map, self.radius, self.bits, self.length = map_, radius, bits, length
        with working(bits, length + SLACK):
            self.circle = half_circle(radius, arcs)
            values = self.values(map_.program)
            self._ratios = [value / t**map_.root for t, value in zip(self.circle, values, strict=True)]

    @cached_property
    def points(self) -> list[tuple]:
        """(t, log u), with the proof that u has no zero."""
        map_ = self.map
        with working(self.bits, self.length + SLACK):
            if not all(value.real > 0 for value in self._ratios):
                raise Refused(f"{named(map_)} over {map_.symbol}^{map_.root} may have a zero in the disc")
            return [(t, value.log() / map_.root) for t, value in zip(self.circle, self._ratios, strict=True)]

    @property
    def steps(self) -> list[tuple]:
        """(t, u)."""
        if self.map.root == 1:
            return list(zip(self.circle, self._ratios, strict=True))
        return [(t, w.exp()) for t, w in self.points]

    def __str__(self) -> str:
        return f"the disc |t| < {self.radius.str(6, radius=False)}"

    def sup(self, values: Sequence[acb]) -> arb:
        """sup |f| over the disc."""
        return largest(map(magnitude, values), "a function on the circle")

    def least(self, values: Sequence[acb]) -> arb:
        """inf |f| over the disc, for an f without zeros there."""
        return smallest((value.abs_lower() for value in values), "a function on the circle")

    def lifted(self, terms: Sequence[arb], error: arb) -> list[acb]:
        """A function within error |t|^(len(terms)) of a polynomial."""
        width = arb(0, (error * self.radius ** len(terms)).upper())
        return [acb_poly(list(terms))(t) + acb(width, width) for t in self.circle]

    def values(self, program: Program) -> list[acb]:
        """A function of t on the arcs, with the proof that it is analytic in the disc."""
        return self.map.on(program, self.circle, self.bits, self.length)

    def bound(self, values: Sequence[acb], power: int, known: int) -> arb:
        """sup |f|/|t|^power over the disc, for an f that starts at t^power."""
        return largest(map(magnitude, values), "a function on the circle") / self.radius**power

    def tail(self, known: Sequence[arb], bound: arb, t: arb) -> arb:
        """What lies beyond the `known` coefficients of f/t^power on (0, t], by Cauchy's estimate."""
        return cauchy(known, bound, t, self.radius)

    def over(self, known: Sequence[arb], bound: arb, t: arb) -> arb:
        """A bound of |f(s)|/s^power over 0 < s <= t."""
        summed = majorant(enumerate(known), t) + self.tail(known, bound, t)
        return summed.upper().min(bound.upper())


def enclosed(program: Program, point: arb, parameters: Mapping[Symbol, arb], slope: arb | None = None) -> arb:
    """f on a ball: f(mid) + f'(ball) (ball - mid), cut with f(ball) where the ball is wide.

    `slope`: f' on a set that holds the ball, where that is known; enough for a ball that is not wide.
    """
    if point.rad().is_zero():
        return program.value(point, parameters)
    middle = point.mid()
    is_thin = point.rad() < THIN * abs(middle)
    if slope is None or not is_thin:
        slope = program.slope(point, parameters)
    mean = program.value(middle, parameters) + slope * (point - middle)
    if mean.is_finite() and is_thin:
        return mean
    whole = program.value(point, parameters)
    if not mean.is_finite():
        return whole
    return mean.intersection(whole) if whole.is_finite() else mean
