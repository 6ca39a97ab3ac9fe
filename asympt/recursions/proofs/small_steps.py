"""The theorem for networks that know their depth: x <- x + h F(x), L - 1 times, h = u^d r(u), u = L^(-1/d).

Rule.  For T = T_0 + h T_1 + ... + h^(m-1) T_(m-1) of `flow_time.small_steps`, by Taylor's formula with Lagrange's rest,

    T(x + h F) - T(x) - h = h^(m+1) sum_(j<m) F^(m+1-j)/(m+1-j)! tau_j^(m-j)(xi_j),      xi_j between x and x + h F,

the coefficients of h, ..., h^m being those of the recursion for tau_j.  With M the largest such sum on an interval I
from x_1 to an e beyond k_0, G(u, y) = T(y) - T(x_1) - (L - 1) h and P = k_0 + k_1 u + ...: |G(u, x_L)| <= E = M (L - 1)
h^(m+1), as long as the orbit stays in I, and then |x_L - P| <= (|G(u, P)| + E)/min |G_y|.  It stays: T rises along it,
and where e is farther from P than that, T(e) is larger than any T(x_n), n <= L, can be.  G(u, P) = phi_n u^n, phi_n the
n-th Taylor coefficient at some point of [0, u], since those of k_0, ..., k_(n-1) make the others vanish at 0.

Tiny case.  ReLU, branches scaled by L^(-1/2), c^1 = 0: |1 - c^L - (k_0 + k_1/L)| <= 0.158/L^2 for all L >= 10.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import attrgetter

from flint import arb, arb_poly
from mpmath import mp
from sympy import Expr, S, Symbol

from asympt.balls.arithmetic import Disproved, Refused, best_proved, decimal_above, largest, magnitude, of_mpf, working
from asympt.balls.expression import number, program_of
from asympt.balls.inversion import total
from asympt.balls.printed import LawProver, PrintedLaw, Proof
from asympt.errors import PrecisionError
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time import small_steps

BITS, DIGITS = 192, 40
DEGREE = 24  # of Taylor's polynomials in a quadrature
PANELS, PIECES, PARTS = 24, 64, 8  # of the way from x_1 to k_0: of a quadrature, of a bound; of [0, u]
NARROW, FURTHER = 64, 6  # of a ball of F, middle over radius; how much longer the series is by which others are had
LAYERS = (16, 64, 128)  # candidates for L_1
ENOUGH = 1.03  # how much what is beyond L_1 may exceed the layers before it


@dataclass(frozen=True, eq=False)
class SmallSteps:
    """F in `symbol`, and r and (L - 1) h in `variable`, u = L^(-1/root)."""

    formula: Expr
    symbol: Symbol
    rate: Expr
    time: Expr
    variable: Symbol
    root: int
    parameters: Callable[[int], Mapping] | None = None

    def known(self, bits: int) -> Mapping:
        """Balls for the numbers that F knows by a name."""
        return {} if self.parameters is None else self.parameters(bits)


class DepthProver(LawProver):
    """Of a law in the depth, to L^(-count/root); its own theorem, with the first m = `last` of the T_j."""

    radius = None

    def __init__(self, law: "DepthLaw", low: Expr, high: Expr, bits: int = BITS, *_):
        super().__init__(law, low, high, bits)
        self.map, root = law.map_, law.map_.root
        self.count = int(law.remainder.order * root)
        self.last = self.count // root + 1
        if [(term.order * root, term.logs) for term in law.terms] != [(k, 0) for k in range(self.count)]:
            raise Refused("the law is proved only where every power of L before its remainder is printed")
        with mp.workdps(DIGITS), self.working:
            self.seen = [arb(of_mpf(to_mpf(term.coefficient)), arb(10) ** (4 - DIGITS)) for term in law.terms]
            self.begun = number(low, self.map.known(bits))
            self.sign = 1 if self.drift(self.begun, 1)[0] > 0 else -1  # where the orbit goes; of 0, T does not rise

    def drift(self, point: arb, count: int) -> list[arb]:
        """Taylor coefficients of F; where the ball is wide for them, next to c = 1, by those at its middle."""
        program, known = program_of(self.map.formula, self.map.symbol), self.map.known(self.bits)
        found, order = program.taylor(point, count, known), count + FURTHER
        if magnitude(found[0].rad()) * NARROW < abs(found[0].mid()):
            return found
        middle, rest = point.mid(), program.taylor(point, order + 1, known)[order]
        model = arb_poly([*program.taylor(middle, order, known), rest])  # with Lagrange's rest
        return [*model(arb_poly([point - middle, 1])).coeffs(), *[arb(0)] * count][:count]

    def slopes(self, point: arb, count: int) -> list[list[arb]]:
        """Those of tau_0, ..., tau_(m-1), so many of each at least."""
        return small_steps.slopes_of_time(self.drift(point, count + self.last - 1), self.last)

    def in_u(self, u: arb, count: int) -> tuple[list[arb], ...]:
        """Those of h, (L - 1) h and r in u."""
        rate, time, variable = self.map.rate, self.map.time, self.map.variable
        formulas = rate * variable**self.map.root, time, rate
        step, time, rate = (program_of(formula, variable).taylor(u, count) for formula in formulas)
        if step[0] < 1 and rate[0] > 0:
            return step, time, rate
        raise Refused("h cannot be shown to lie between 0 and 1, as in every network; take a larger valid_from")

    @cached_property
    def end(self) -> tuple[arb, list[arb]]:
        """k_0 and T_j(k_0) - T_j(x_1): where T_0 less the time changes its sign, near the printed k_0."""
        near = self.seen[0].mid()
        panels = pairwise(_grid(self.begun, near, PANELS))
        passed = [sum(parts, arb(0)) for parts in zip(*(self._integrals(*panel) for panel in panels), strict=True)]
        missing = passed[0] - self.in_u(arb(0), 1)[1][0]
        wide = near + arb(0, 2 * magnitude(missing * self.drift(near, 1)[0]))
        drift, slopes = self.drift(wide, 1)[0], self.slopes(wide, 1)
        if not (drift * self.sign > 0 and magnitude(missing) * magnitude(drift) <= wide.rad()):
            raise Refused("k_0 is not enclosed by a change of sign of T_0 less the time; start elsewhere")
        end = near - missing * drift
        return end, [p + tau[0] * (end - near) for p, tau in zip(passed, slopes, strict=True)]

    def _integrals(self, low: arb, high: arb) -> list[arb]:
        """Those of the tau_j, by Taylor's formula about the middle."""
        box, found = low.union(high), []
        middle, size = box.mid(), magnitude(high - low)
        for known, over in zip(self.slopes(middle, DEGREE), self.slopes(box, DEGREE + 1), strict=True):
            poly = arb_poly([0, *(c / k for k, c in enumerate(known[:DEGREE], start=1))])
            rest = magnitude(over[DEGREE]) * magnitude(box - middle) ** DEGREE * size
            found.append(poly(high - middle) - poly(low - middle) + arb(0, rest.upper()))
        return found

    @cached_property
    def coefficients(self) -> list[arb]:
        """k_0, ..., k_(n-1)."""
        with self.working:
            (end, passed), (step, time, _) = self.end, self.in_u(arb(0), self.count)
            ends = small_steps.FlowEnds(end, self.slopes(end, self.count), [], passed, [], [])
            return [end, *small_steps.distance(ends, step, time)[1:]]

    @property
    def working(self):
        """Balls as precise, and series as long, as the proof has them."""
        return working(self.bits, DEGREE + self.last + FURTHER + 2)

    def _missed(self, u: arb) -> arb:
        """|phi_n| on a ball of u."""
        (end, passed), (step, time, _) = self.end, self.in_u(u, self.count + 1)
        law = arb_poly(self.coefficients)(arb_poly([u, 1])).coeffs()
        place, *away = [*law, *[arb(0)] * (self.count + 1 - len(law))]
        on_the_way = self.slopes(place.union(end), 1)
        starts = [p + tau[0] * (place - end) for p, tau in zip(passed, on_the_way, strict=True)]
        times = small_steps.primitives(self.slopes(place, self.count + 1), starts)
        return magnitude(small_steps.along(times, step, [arb(0), *away])[self.count] - time[self.count])

    def _rise(self, slopes: list[list[arb]], step: arb) -> arb:
        """A number below |G_y|, on the ball of these slopes."""
        rise = sum((tau[0] * step**j for j, tau in enumerate(slopes)), arb(0)) * self.sign
        if rise > 0:
            return rise.lower()
        raise Refused("the flow time cannot be shown to rise along the orbit; start elsewhere, or raise valid_from")

    def _swept(self, last: arb, step: arb) -> tuple[arb, arb]:
        """From x_1 to `last` and one step beyond: M, and a number below |G_y|."""
        defects, rises, m = [], [], self.last
        for low, high in pairwise(_grid(self.begun, last, PIECES)):
            box = low.union(high)
            reach = box.union(box + step * self.drift(box, 1)[0])
            slopes, drift = self.slopes(reach, m + 1), self.drift(reach, 1)[0]
            parts = (drift ** (m + 1 - j) / (m + 1 - j) * tau[m - j] for j, tau in enumerate(slopes))
            defects.append(magnitude(sum(parts, arb(0))))
            rises.append(-self._rise(slopes, step))
        return largest(defects), -largest(rises)

    def prove(self, valid_from: int = 2, layers: Sequence[int] = ()) -> Proof:
        """The theorem, with L_1 one of the layers (of `LAYERS`); `Refused` where a step cannot be proved."""
        with self.working:
            for term, seen, true in zip(self.law.terms, self.seen, self.coefficients, strict=True):
                if not seen.overlaps(true):
                    raise Disproved(f"{term.coefficient} is {true.str(12)} and not the printed {seen.str(12)}")
                if not isinstance(term.coefficient, RealConstant):
                    raise Refused(f"{term.coefficient} is a formula that is not shown to be the coefficient")
            deep = sorted({max(valid_from, layer) for layer in layers or LAYERS})
            attempts = (partial(self._at, layer, valid_from) for layer in deep)
            enough = lambda proof: total(proof.bounds) <= proof.small * ENOUGH  # noqa: E731
            try:
                return best_proved(attempts, attrgetter("constant"), enough)
            except PrecisionError:
                raise Refused(f"h is too large for these bounds up to L = {deep[-1]}; raise valid_from") from None

    def _at(self, layer: int, valid_from: int) -> Proof:
        root, n, most, (end, _) = self.map.root, self.count, 1 / arb(layer).root(self.map.root), self.end
        u = arb(0).union(most)
        (step,), (time,), (rate,) = self.in_u(u, 1)
        law = arb_poly(self.coefficients)
        place, missed = law(u), largest(self._missed(most * arb(k).union(k + 1) / PARTS) for k in range(PARTS))
        speed = magnitude(self.drift(self.begun, 1)[0]) + magnitude(self.drift(end, 1)[0])
        last = (end + 2 * self.sign * (magnitude(place - end) + missed * most**n * speed)).mid()
        defect, rise = self._swept(last, step)
        rest = defect * magnitude(time) * magnitude(rate) ** self.last * most ** (root * self.last - n)
        room = ((missed + rest) / rise * most**n).upper()
        if not ((last - place) * self.sign > room and (place - self.begun) * self.sign > 0):
            raise Refused(f"from layer {layer} on the orbit cannot be shown to stay in the interval that is swept")
        rise = self._rise(self.slopes(place + arb(0, room), 1), step)
        bounds, small = {"phi_n": missed / rise, "E": rest / rise}, self._first_layers(valid_from, layer)
        figures = {"sweep": {"e": str(decimal_above(last, 12)), "M": str(decimal_above(defect, 6))}}
        constant = decimal_above(total(bounds).max(small), 6)
        return Proof(constant, valid_from, layer, None, None, bounds, small, self, None, figures=figures)

    def _first_layers(self, first: int, beyond: int) -> arb:
        """The largest deviation over the monomial in networks of first, ..., beyond - 1 layers."""
        found, law = [arb(0)], arb_poly(self.coefficients)
        for depth in range(first, beyond):
            u, x = 1 / arb(depth).root(self.map.root), self.begun
            (step,), _, _ = self.in_u(u, 1)
            for _ in range(depth - 1):
                x += step * self.drift(x, 1)[0]
            found.append(magnitude(x - law(u)) / u**self.count)
        return largest(found)


def _grid(low: arb, high: arb, parts: int) -> list[arb]:
    """Points from one to the other, the nearer to each other the nearer c is to 1 or -1."""
    x, last = float(low), float(high)
    if not 0 < last < 2:
        raise Refused("the orbit cannot be shown to stay away from c = 1 and c = -1; take a larger valid_from")
    sign, points = (1 if last > x else -1), [low]
    while (last - (x := x + sign * min(x, 2 - x) / parts)) * sign > 0:
        points.append(arb(x))
    return [*points, high]


@dataclass(frozen=True, eq=False)
class DepthLaw(PrintedLaw):
    """1 - c^L in powers of u, from one start."""

    map_: SmallSteps
    proved_by = DepthProver
    offset, sign, exponent, unit = S.Zero, 1, 1, S.One

    @property
    def numbers(self):
        """There are none: `Refused`."""
        raise Refused("numbers of this law come from the layers, followed by two routes; its certificate is a theorem")
