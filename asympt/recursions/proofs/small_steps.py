"""The theorem for networks that know their depth: x <- x + h F(x), L - 1 times, h = u^d r(u), u = L^(-1/d).

Rule.  For T = T_0 + h T_1 + ... + h^(m-1) T_(m-1) of `flow_time.small_steps`, by Taylor's formula with Lagrange's rest,

    T(x + h F) - T(x) - h = h^(m+1) sum_(j<m) F^(m+1-j)/(m+1-j)! tau_j^(m-j)(xi_j),      xi_j between x and x + h F,

the coefficients of h, ..., h^m being those of the recursion for tau_j.  With M the largest such sum on an interval I
from x_1 to an e beyond k_0, G(u, y) = T(y) - T(x_1) - (L - 1) h and P = k_0 + k_1 u + ...: |G(u, x_L)| <= E = M (L - 1)
h^(m+1), as long as the orbit stays in I, and then |x_L - P| <= (|G(u, P)| + E)/min |G_y|.  It stays: T rises along it,
and where e is farther from P than that, T(e) is larger than any T(x_n), n <= L, can be.  G(u, P) = phi_n u^n, phi_n the
n-th Taylor coefficient at some point of [0, u], since those of k_0, ..., k_(n-1) make the others vanish at 0.

Tiny case.  ReLU, branches scaled by L^(-1/2), c^1 = 0: |1 - c^L - (k_0 + k_1/L)| <= 0.1551/L^2 for all L >= 10.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import attrgetter

from flint import arb, arb_poly, arb_series
from mpmath import mp
from sympy import Expr, Symbol

from asympt.balls.arithmetic import (
    Disproved,
    Refused,
    between,
    best_proved,
    coefficients,
    decimal_above,
    largest,
    magnitude,
    of_mpf,
    require_finite,
    smallest,
    working,
)
from asympt.balls.expression import number, program_of
from asympt.balls.inversion import total
from asympt.balls.printed import LawProver, PrintedLaw, Proof
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time import small_steps

BITS, DIGITS = 192, 40
DEGREE = 24  # of Taylor's polynomials in a quadrature
PANELS, PIECES = 24, 64  # of the way from x_1 to k_0: of a quadrature, of a bound
LAYERS, PARTS = (16, 64, 256), 8  # candidates for L_1; of [0, u] there
ENOUGH = 1.03  # how much what is beyond L_1 may exceed the layers before it


@dataclass(frozen=True, eq=False)
class SmallSteps:
    """F in `symbol`, and r and (L - 1) h in `variable` u = L^(-1/root); their first Taylor coefficients: `rates`."""

    formula: Expr
    symbol: Symbol
    rate: Expr
    time: Expr
    variable: Symbol
    root: int
    series: Callable[[int], tuple[list[Expr], list[Expr]]]  # of h and (L - 1) h in u, exact
    parameters: Callable[[int], Mapping] | None = None

    def known(self, bits: int) -> Mapping:
        """Balls for the numbers that F knows by a name."""
        return {} if self.parameters is None else self.parameters(bits)

    def __str__(self) -> str:
        return f"{self.symbol} + h ({self.formula})"


@dataclass(frozen=True, eq=False)
class FlowToDepth:
    """k_0, ..., k_(count-1) and T_j(k_0) - T_j(x_1), in balls, and the bounds near them.

    begun: x_1;  near: k_0 as it is printed;  the precision is the one that is set (`working`).
    """

    map_: SmallSteps
    begun: arb
    near: arb
    count: int
    bits: int
    radius = None

    @property
    def last(self) -> int:
        """m, the number of T_j: one beyond those that the printed coefficients see."""
        return self.count // self.map_.root + 1

    def drift(self, point: arb, count: int) -> list[arb]:
        """Taylor coefficients of F."""
        return program_of(self.map_.formula, self.map_.symbol).taylor(point, count, self.map_.known(self.bits))

    def slopes(self, point: arb, count: int) -> list[list[arb]]:
        """Those of tau_0, ..., tau_(m-1), so many of each at least."""
        return small_steps.slopes_of_time(self.drift(point, count + self.last - 1), self.last)

    def in_u(self, u: arb, count: int) -> tuple[list[arb], list[arb], arb]:
        """Taylor coefficients of h and (L - 1) h in u, and r itself."""
        rate, time, variable = self.map_.rate, self.map_.time, self.map_.variable
        step = program_of(rate * variable**self.map_.root, variable).taylor(u, count)
        return step, program_of(time, variable).taylor(u, count), program_of(rate, variable).value(u)

    @cached_property
    def sign(self) -> int:
        """Where the orbit goes."""
        drift = self.drift(self.begun, 1)[0]
        if drift > 0 or drift < 0:
            return 1 if drift > 0 else -1
        raise Refused("the start cannot be told from a fixed point")

    @cached_property
    def end(self) -> tuple[arb, list[arb]]:
        """k_0 and T_j(k_0) - T_j(x_1)."""
        panels = pairwise(_grid(self.begun, self.near, PANELS))
        passed = [sum(parts, arb(0)) for parts in zip(*(self._integrals(*panel) for panel in panels), strict=True)]
        missing = passed[0] - number(self.map_.series(1)[1][0])
        wide = self.near + arb(0, 2 * magnitude(missing * self.drift(self.near, 1)[0]))
        drift, slopes = self.drift(wide, 1)[0], self.slopes(wide, 1)
        if not (drift * self.sign > 0 and magnitude(missing) * magnitude(drift) <= wide.rad()):
            raise Refused("k_0 is not enclosed by a change of sign of T_0 less the time; start elsewhere")
        end = self.near - missing * drift
        return end, [p + tau[0] * (end - self.near) for p, tau in zip(passed, slopes, strict=True)]

    def _integrals(self, low: arb, high: arb) -> list[arb]:
        """Those of the tau_j, by Taylor's formula about the middle."""
        box, found = low.union(high), []
        middle, size = box.mid(), magnitude(high - low)
        away = magnitude(box - middle)
        for known, over in zip(self.slopes(middle, DEGREE), self.slopes(box, DEGREE + 1), strict=True):
            poly = arb_poly([0, *(c / k for k, c in enumerate(known[:DEGREE], start=1))])
            rest = magnitude(over[DEGREE]) * away**DEGREE * size
            found.append(poly(high - middle) - poly(low - middle) + arb(0, rest.upper()))
        return found

    @cached_property
    def coefficients(self) -> list[arb]:
        """k_0, ..., k_(count-1)."""
        end, passed = self.end
        step, time = ([number(c) for c in series] for series in self.map_.series(self.count))
        ends = small_steps.FlowEnds(end, self.slopes(end, self.count), [], passed, [], [])
        return [end, *small_steps.distance(ends, step, time)[1:]]

    def printed(self, u: arb) -> arb:
        """P(u)."""
        return arb_poly(self.coefficients)(u)

    def missed(self, u: arb) -> arb:
        """phi_n, over a ball of u."""
        count, (end, passed), law = self.count + 1, self.end, arb_series([0], prec=self.count + 1)
        for c in reversed(self.coefficients):
            law = law * arb_series([u, 1], prec=count) + c
        place, *away = coefficients(law, count)
        slopes, (step, time, _) = self.slopes(place, count), self.in_u(u, count)
        on_the_way = self.slopes(place.union(end), 1)
        starts = [p + tau[0] * (place - end) for p, tau in zip(passed, on_the_way, strict=True)]
        times = small_steps.along(small_steps.primitives(slopes, starts), step, [arb(0), *away])
        return times[self.count] - time[self.count]

    def slope(self, point: arb, step: arb) -> arb:
        """A number below |G_y| on a ball, where T rises along the orbit."""
        return self._rise(self.slopes(point, 1), step)

    def _rise(self, slopes: list[list[arb]], step: arb) -> arb:
        rise = sum((tau[0] * step**j for j, tau in enumerate(slopes)), arb(0)) * self.sign
        if not require_finite(rise, "the slope of the flow time") > 0:
            raise Refused("the flow time cannot be shown to rise along the orbit; the first layer may be too early")
        return rise.lower()

    def swept(self, last: arb, step: arb) -> tuple[arb, arb]:
        """From x_1 to `last` and one step beyond: M, and a number below |G_y|."""
        defects, rises = [], []
        for low, high in pairwise(_grid(self.begun, last, PIECES)):
            box = low.union(high)
            reach = box.union(box + step * self.drift(box, 1)[0])
            slopes, drift, m = self.slopes(reach, self.last + 1), self.drift(reach, 1)[0], self.last
            parts = (drift ** (m + 1 - j) / (m + 1 - j) * tau[m - j] for j, tau in enumerate(slopes))
            defects.append(magnitude(sum(parts, arb(0))))
            rises.append(self._rise(slopes, step))
        return largest(defects), smallest(rises)


def _grid(low: arb, high: arb, parts: int) -> list[arb]:
    """Points from one to the other, the nearer to each other the nearer c is to 1 or -1."""
    x, last = float(low), float(high)
    if not 0 < last < 2:
        raise Refused("the way of the orbit cannot be told from a way to c = 1 or -1")
    sign, points = (1 if last > x else -1), [low]
    while (last - (x := x + sign * min(x, 2 - x) / parts)) * sign > 0:
        points.append(arb(x))
    return [*points, high]


class DepthProver(LawProver):
    """Of a law in the depth."""

    def __init__(self, law: "DepthLaw", low: Expr, high: Expr, bits: int = BITS, *_):
        super().__init__(law, low, high, bits)
        root = law.map_.root
        self.count = int(law.remainder.order * root)
        if [(term.order * root, term.logs) for term in law.terms] != [(k, 0) for k in range(self.count)]:
            raise Refused("the law is proved where every power of L that comes before its remainder is printed")
        with working(bits), mp.workdps(DIGITS):
            self.seen = [arb(of_mpf(to_mpf(term.coefficient)), arb(10) ** (4 - DIGITS)) for term in law.terms]
            self.flow = FlowToDepth(law.map_, number(low, law.map_.known(bits)), self.seen[0].mid(), self.count, bits)

    def prove(self, valid_from: int = 2, layers: Sequence[int] = ()) -> Proof:
        """The theorem, with L_1 one of the layers (of `LAYERS`); `Refused` where a step cannot be proved."""
        with working(self.bits, DEGREE + self.flow.last + 2):
            self._require_these()
            deep = sorted({max(valid_from, layer) for layer in layers or LAYERS})
            attempts = (partial(self._at, layer, valid_from) for layer in deep)
            enough = lambda proof: total(proof.bounds) <= proof.small * ENOUGH  # noqa: E731
            return best_proved(attempts, attrgetter("constant"), enough, fatal=(Disproved,))

    def _require_these(self) -> None:
        for term, seen, true in zip(self.law.terms, self.seen, self.flow.coefficients, strict=True):
            if not seen.overlaps(true):
                raise Disproved(f"{term.coefficient} is {true.str(12)} and not the printed {seen.str(12)}")
            if not isinstance(term.coefficient, RealConstant):
                raise Refused(f"{term.coefficient} is a formula of which digits alone are known to be right")

    def _at(self, layer: int, valid_from: int) -> Proof:
        flow, root, n = self.flow, self.law.map_.root, self.count
        most = 1 / arb(layer).root(root)
        u, (end, _) = between(0, most), flow.end
        (step,), (time,), rate = flow.in_u(u, 1)
        self._require_small(step, rate)
        parts = [flow.missed(most * between(k, k + 1) / PARTS) for k in range(PARTS)]
        place, missed = flow.printed(u), largest(magnitude(part) for part in parts)
        speed = magnitude(flow.drift(flow.begun, 1)[0]) + magnitude(flow.drift(end, 1)[0])
        last = (end + 2 * flow.sign * (magnitude(place - end) + missed * most**n * speed)).mid()
        defect, rise = flow.swept(last, step)
        rest = defect * magnitude(time) * magnitude(rate) ** flow.last * most ** (root * flow.last - n)
        room = ((missed + rest) / rise * most**n).upper()
        if not ((last - place) * flow.sign > room and (place - flow.begun) * flow.sign > 0):
            raise Refused(f"from layer {layer} on the orbit cannot be shown to stay in the interval that is swept")
        rise = flow.slope(place + arb(0, room), step)
        bounds = {"phi_n": missed / rise, "E": rest / rise}
        small = self._first_layers(valid_from, layer)
        constant = decimal_above(total(bounds).max(small), 6)
        figures = {"sweep": {"e": str(decimal_above(last, 12)), "M": str(decimal_above(defect, 6))}}
        return Proof(constant, valid_from, layer, None, None, bounds, small, flow, None, figures=figures)

    def _require_small(self, step: arb, rate: arb) -> None:
        """h as a part of the layer's variance: otherwise there is no such network."""
        if not (rate > 0 and step < 1):
            raise Refused("h cannot be shown to lie between 0 and 1, as in every network; take a larger valid_from")

    def _first_layers(self, first: int, beyond: int) -> arb:
        """The largest deviation over the monomial in networks of first, ..., beyond - 1 layers."""
        worst = arb(0)
        for depth in range(first, beyond):
            u, x = 1 / arb(depth).root(self.law.map_.root), self.flow.begun
            (step,), _, rate = self.flow.in_u(u, 1)
            self._require_small(step, rate)
            for _ in range(depth - 1):
                x += step * self.flow.drift(x, 1)[0]
            worst = worst.max((magnitude(x - self.flow.printed(u)) / u**self.count).upper())
        return worst


@dataclass(frozen=True, eq=False)
class DepthLaw(PrintedLaw):
    """1 - c^L in powers of u, from one start."""

    map_: SmallSteps
    proved_by = DepthProver

    @property
    def numbers(self):
        """There are none: `Refused`."""
        raise Refused("numbers of this law come from the layers, followed by two routes; its certificate is a theorem")
