"""The correlation map of a smooth activation without closed form: series, Taylor models and values at any gap.

With f_k = f^(k)(1) = sigma_w^2 q^(k-1) E[phi^(k)(sqrt(q) Z)^2] and the Hermite weights p_k >= 0,

    f^(d)(1 - gamma) = sum_(k<n) (-1)^k f_(d+k) gamma^k/k! + theta (-1)^n f_(d+n) gamma^n/n!,   theta in [0, 1],
    f^(d)(c) = sum_(d<=k<K) p_k k!/(k-d)! c^(k-d) + theta (f_d - sum_(k<K) p_k k!/(k-d)!) c^(K-d)

(docs/bounds.md); a value is the cut of the two balls.  Exact by definition: f(1) = 1, and f_1 = 1 on the Edge of Chaos.
In the chaotic phase the fixed point is a c* < 1, by interval Newton.
"""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from math import exp, perm

import flint
from flint import acb, arb, arb_poly
from sympy import Expr, Symbol, factorial

from asympt.balls.arithmetic import Refused, whole_power, working
from asympt.balls.disc import ARCS, BallDisc, LocalBallMap
from asympt.balls.expression import program_of
from asympt.balls.models import Model, Segment, span_of
from asympt.balls.moments import SIGMA_B, SIGMA_W, BallMoments, Parameters, Q, zero_near
from asympt.balls.orbit import LinearAlong

GAMMA, C_STAR = Symbol("gamma", positive=True), Symbol("c_star", real=True)
MORE = 6  # coefficients of a defect beyond the first: the later ones grow like factorials
DERIVATIVES = 28  # f_k to this order at the least, a multiple of 4
FEW = 3  # the same about c* < 1, where the derivatives come from the Hermite sum
NAMED = 13  # f_1, ..., f_12 about c* < 1, which a law may print
TERMS, TERMS_AT_ONE = 24, 10
HERMITE = 160  # K, and twice as many where these leave more than
LEFT = 1e-15
PROBES = (0, 1, 2)
BLOCK = 128  # bits


def f_(k: int) -> Symbol:
    """The symbol of f^(k)(1) in printed coefficients."""
    return Symbol(f"f_{k}", positive=True)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Of one precision: f_0, f_1, ... and p_0, ..., p_(K-1)."""

    f: list[arb]
    p: list[arb]
    _cuts: dict = field(default_factory=dict, repr=False)
    _tables: dict = field(default_factory=dict, repr=False)
    _polynomials: dict = field(default_factory=dict, repr=False)

    @property
    def left(self) -> arb:
        """What the Hermite sum leaves of f(1) = 1."""
        return self._cut(0)[1]

    def derivative(self, d: int, gamma: arb) -> arb:
        """f^(d)(1 - gamma) of every gamma in the ball that lies in [0, 2]; rounding alone leads out of it."""
        if not 0 <= gamma <= 2:
            gamma = gamma.intersection(arb(1, 1.001)).max(arb(0)).min(arb(2))
        if d + 2 >= len(self.f):  # Taylor's formula needs a derivative more at the least
            return self.far(d, gamma)
        known, rest = self.near(d, gamma)
        near = known + rest
        if float(rest.abs_upper()) < self.least(d, gamma):
            return near
        far = self.far(d, gamma)
        if not near.overlaps(far):
            raise Refused("the Taylor polynomial of the correlation map contradicts its Hermite sum")
        return near.intersection(far)

    def near(self, d: int, gamma: arb) -> tuple[arb, arb]:
        """By Taylor's formula, cut where its terms begin to grow: the polynomial and the rest."""
        ratios, polynomials = self._taylor(d)
        n = 1 + min(bisect(ratios, 1 / max(1e-300, float(gamma.abs_upper()))), len(ratios) - 1)
        known, last = polynomials[n]
        return known(gamma), last * whole_power(gamma, n)

    def least(self, d: int, gamma: arb) -> float:
        """About what the Hermite sum leaves open, at the least: whether it is worth asking."""
        left = self._cut(d)[1] if d < len(self.f) else self.left * perm(len(self.p), d)
        return float(left) / 4 * exp(-1.2 * len(self.p) * float(gamma.abs_upper()))

    def _taylor(self, d: int) -> tuple[list[float], list[tuple[arb_poly, arb]]]:
        """The ratios of successive terms at gamma = 1, and for every n the polynomial and theta f_(d+n)/n!."""
        if d not in self._tables:
            row = [(-1) ** k * f / arb(k + 1).gamma() for k, f in enumerate(self.f[d:])]
            ratios = [float(abs(b / a)) if a != 0 else 0.0 for a, b in pairwise(row)]
            cuts = [(arb_poly(row[:n]), row[n] * arb(0.5, 0.5)) for n in range(len(row))]
            self._tables[d] = list(accumulate(ratios[1:], max)), cuts
        return self._tables[d]

    def far(self, d: int, gamma: arb) -> arb:
        """By the Hermite sum and the weight that it leaves out."""
        return self.at_correlation(d, 1 - gamma)

    def at_correlation(self, d: int, c: arb | acb) -> arb | acb:
        """f^(d)(c), |c| <= 1, by the Hermite sum and what it leaves out; c may be complex."""
        known, count = self._polynomial(d), len(self.p)
        if isinstance(c, acb):
            width = arb(0, (self._weight_beyond(d, c.abs_upper()) * c.abs_upper() ** (count - d)).upper())
            return known(c) + acb(width, width)
        theta = arb(0.5, 0.5) if c >= 0 else arb(0, 1)
        return known(c) + theta * self._weight_beyond(d, c.abs_upper()) * whole_power(c, count - d)

    def _weight_beyond(self, d: int, size: arb) -> arb:
        """W with sum_(k >= K) p_k k!/(k-d)! |c|^(k-d) <= W |c|^(K-d) for |c| <= size."""
        if d < len(self.f):
            return self._cut(d)[1]
        count = len(self.p)
        if not (count + 1) * size < count + 1 - d:  # so that k!/(k-d)! |c|^(k-d) falls from K on
            raise Refused(f"the derivative {d} of the correlation map is not bounded as far as |c| = {size.str(6)}")
        return self.left * perm(count, d)

    def _polynomial(self, d: int) -> arb_poly:
        if d not in self._polynomials:
            self._polynomials[d] = arb_poly([p * perm(k, d) for k, p in enumerate(self.p)][d:])
        return self._polynomials[d]

    def _cut(self, d: int) -> tuple[arb_poly, arb]:
        """The polynomial of f^(d) and the weight beyond it."""
        if d not in self._cuts:
            known = self._polynomial(d)
            self._cuts[d] = known, (self.f[d] - known(arb(1))).upper().max(arb(0))
        return self._cuts[d]


@dataclass(frozen=True, eq=False)
class MapFunction:
    """offset + sign f^(derivative_order)(c) of a correlation map, at the precision of the calling block."""

    map: LocalBallMap
    derivative_order: int
    sign: int
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.offset} + {self.sign} f^({self.derivative_order})(c)"

    def slope(self, t: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        return self.derivative.value(t)


@dataclass(frozen=True, eq=False)
class KernelFunction(MapFunction):
    """Of the distance y = gamma - (1 - c*) from the fixed point; less the fixed gap where it is the map."""

    is_map: bool = False

    def value(self, y: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """The function of every distance in the ball."""
        bits, gap = flint.ctx.prec, self.map.fixed_gap(flint.ctx.prec)
        found = self.offset + self.sign * self.map.numbers(bits).derivative(self.derivative_order, gap + y)
        return found - gap if self.is_map else found

    def on(self, points: Sequence[acb], bits: int) -> list[acb]:
        """Its values at complex distances from a fixed point inside (-1, 1)."""
        numbers, gap = self.map.numbers(bits), self.map.fixed_gap(bits)
        less = self.offset - gap if self.is_map else arb(self.offset)
        return [less + self.sign * numbers.at_correlation(self.derivative_order, 1 - gap - y) for y in points]

    @property
    def derivative(self) -> "KernelFunction":
        return KernelFunction(self.map, self.derivative_order + 1, -self.sign)

    def coefficients(self, bits: int, count: int) -> list[arb]:
        """Those of 1, y, y^2, ..."""
        f = self.map.derivatives(bits, self.derivative_order + count)[self.derivative_order :]
        row = [(-1) ** k * self.sign * value / arb(k + 1).gamma() for k, value in enumerate(f)]
        row[0] += self.offset
        return [row[0] - self.map.fixed_gap(bits), *row[1:]] if self.is_map else row

    def model(self, bits: int, length: int, span: arb) -> Model:
        """On [0, T], by Taylor's formula."""
        row = self.coefficients(bits, length + 1)
        return Model.of(row[:length], row[length] * arb(0.5, 0.5), span)


class CorrelationBallMap(LocalBallMap):
    """gamma -> 1 - f(1 - gamma), gamma = t^root, of an activation phi: what holds with breakpoints and without."""

    def __str__(self) -> str:
        return f"the correlation map of {self.phi}"

    @staticmethod
    def _weights(given: Mapping[Symbol, arb], means: Sequence[arb]) -> list[arb]:
        """p_k, from E[phi He_k]/sqrt(k!)."""
        found = [given[SIGMA_W] ** 2 / given[Q] * whole_power(mean, 2) for mean in means]
        found[0] += given[SIGMA_B] ** 2 / given[Q]
        return found

    def region(self, radius: arb, bits: int, length: int) -> "Segment | BallDisc":
        """(0, radius]."""
        with working(bits, length):
            span, root = span_of(radius), self.root
            image = self.program.model(bits, length + root, span)
            ratio = Model(0, arb_poly(image.poly.coeffs()[root:]), image.rest, length, span)
            return Segment(radius, ratio.log() * (arb(1) / root), lambda program: program.model(bits, length, span))

    def require_nearer(self, before: arb, after: arb) -> None:
        """On the Edge of Chaos; elsewhere orbits may come from anywhere in the basin."""
        if self.critical:
            super().require_nearer(before, after)

    def probes(self, radius: arb, first: int, bits: int) -> Iterator[tuple[int, arb, arb]]:
        """On the interval, by the Hermite sum, which the models know nothing of."""
        with working(bits):
            for k in PROBES:
                t = radius * arb(2) ** -k * (1 - arb(2) ** -20)
                gamma = t**self.root
                yield bits, t, ((1 - self.numbers(bits).far(0, gamma)) / gamma).log() / self.root


@dataclass(frozen=True, eq=False)
class KernelMap(CorrelationBallMap):
    """gamma' = 1 - f(1 - gamma) about a fixed point of f: y' as a function of y = gamma - (1 - c*).

    phi, variable: the activation;  parameters: a function of the precision that gives balls for q, sigma_w and
    sigma_b (`Parameters`);  critical: f'(1) = 1, the Edge of Chaos;  near: digits of 1 - c* where the fixed point is a
    c* < 1, "1" for c* = 0, which is exact;  names: what else f_1, f_2, ... at the fixed point and the parameters are
    called, as {name: `f_`(k), C_STAR, Q or SIGMA_W};  weights: a map whose Hermite sum is taken, where phi is not
    smooth (`kinks`): about c* < 1 f is analytic all the same.
    """

    phi: Expr
    variable: Symbol
    parameters: Parameters
    hermite: int = HERMITE
    least: int = DERIVATIVES
    root: int = 1
    order: int = 1
    symbol: Symbol = GAMMA
    more: int = MORE
    names: Mapping = field(default_factory=dict)
    critical: bool = True
    near: str | None = None
    weights: LocalBallMap | None = None
    arcs: int = ARCS
    _numbers: dict = field(default_factory=dict, repr=False)
    _gaps: dict = field(default_factory=dict, repr=False)

    def numbers(self, bits: int, order: int = 0) -> Numbers:
        """f_k for k <= order at the least, and the p_k, to so many bits."""
        order = FEW if self.inside else max(self.least, -(-order // 4) * 4)
        known = self._numbers.get(bits)
        if known is None or (len(known.f) <= order and self.weights is None):
            finer = self._finer(bits, order)
            known = self._computed(bits, order) if finer is None else Numbers(finer.f, finer.p)
            self._numbers[bits] = known
        return known

    def _finer(self, bits: int, order: int) -> Numbers | None:
        """Those of more bits, which precisions near each other share; what is made of them is made for each."""
        if bits % BLOCK:
            return self.numbers(bits + -bits % BLOCK, order)
        return next((found for more, found in self._numbers.items() if more > bits and len(found.f) > order), None)

    def _computed(self, bits: int, order: int) -> Numbers:
        if self.weights is not None:
            return self.weights.numbers(bits)
        given = self.parameters(bits)
        with working(bits):
            q, weight, bias = given[Q], given[SIGMA_W] ** 2, given[SIGMA_B] ** 2
            moments = BallMoments(self.phi, self.variable, q, bits, order)
            f = [weight * q ** (k - 1) * moments.square(k, k) for k in range(order + 1)]
            f[0] += bias / q
            for k in (0, 1) if self.critical else (0,):
                if not f[k].contains(1):
                    place = "on the Edge of Chaos" if self.critical else "at a fixed point of the variance"
                    raise Refused(f"{self} has f^({k})(1) = {f[k].str(10)} and not 1: it is not {place}")
                f[k] = arb(1)
            found = Numbers(f, self._weights(given, moments.hermite(self.hermite)))
            if float(found.left) > LEFT:
                found = Numbers(f, self._weights(given, moments.hermite(2 * self.hermite)))
        return found

    @property
    def inside(self) -> bool:
        """Whether the fixed point is a c* < 1."""
        return self.near is not None

    @property
    def terms(self) -> int:
        """How far the series of a hyperbolic theorem goes: at c = 1 its coefficients grow like factorials."""
        return TERMS if self.inside else TERMS_AT_ONE

    def fixed_gap(self, bits: int) -> arb:
        """1 - c*."""
        if self.near is None or self.near == "1":
            return arb(self.near or 0)
        if bits not in self._gaps:
            self._gaps[bits] = zero_near(self._residual, self.near, bits)
        return self._gaps[bits]

    def _residual(self, gamma: arb, bits: int) -> tuple[arb, arb]:
        """gamma - (1 - f(1 - gamma)) and its derivative."""
        numbers = self.numbers(bits)
        return gamma - 1 + numbers.far(0, gamma), 1 - numbers.far(1, gamma)

    def hermite_means(self, q: arb, count: int) -> list[arb]:
        """E[phi He_k]/sqrt(k!), k < count, at any variance."""
        return BallMoments(self.phi, self.variable, q, flint.ctx.prec).hermite(count)

    def derivatives(self, bits: int, count: int) -> list[arb]:
        """f, f', ... at the fixed point, `count` of them."""
        if not self.inside:
            return self.numbers(bits, count - 1).f[:count]
        numbers, c = self.numbers(bits), 1 - self.fixed_gap(bits)
        return [numbers.at_correlation(k, c) for k in range(count)]

    def known(self, bits: int) -> Mapping[Symbol, arb]:
        """f_1, f_2, ... at the fixed point, c*, q, sigma_w and sigma_b."""
        with working(bits):
            derivatives = self.derivatives(bits, NAMED) if self.inside else self.numbers(bits).f
            found = {f_(k): value for k, value in enumerate(derivatives) if k} | dict(self.parameters(bits))
            found[C_STAR] = 1 - self.fixed_gap(bits)
        return found | {name: found[symbol] for name, symbol in self.names.items()}

    def sharp(self, bits: int) -> "KernelMap":
        """With more of the Hermite sum and more derivatives at c = 1, between which an orbit loses digits."""
        weights = None if self.weights is None else self.weights.sharp(bits)
        least, hermite = max(self.least, bits // 18 * 4), max(self.hermite, 2 * bits)
        return replace(self, least=least, hermite=hermite, weights=weights, _numbers={}, _gaps={})

    @property
    def program(self) -> KernelFunction:
        """y'."""
        return KernelFunction(self, 0, -1, 1, is_map=True)

    @cached_property
    def tangents(self) -> LinearAlong:
        """The NTK over q: K' = f'(c) K + f(c), K^1 = c^1."""
        start = (lambda y: C_STAR - y) if self.inside else (lambda y: 1 - y)
        return LinearAlong(KernelFunction(self, 1, 1), KernelFunction(self, 0, 1), start, GAMMA)

    def series(self, program: KernelFunction, bits: int, count: int) -> list[arb]:
        """Its Taylor coefficients at gamma = 0."""
        with working(bits):
            return program.coefficients(bits, count)

    def region(self, radius: arb, bits: int, length: int) -> "Segment | BallDisc":
        """(0, radius] at c = 1; about c* < 1 the disc, in which |c| < 1."""
        if self.inside:
            with working(bits):
                c = 1 - self.fixed_gap(bits)
                if not (abs(c) + radius) * (1 + arb(2) ** -4) < 1:
                    raise Refused("the disc about c* reaches too near to c = 1")
            return BallDisc(self, radius, bits, length, self.arcs)
        return super().region(radius, bits, length)

    def on(self, program: KernelFunction, circle: Sequence[acb], bits: int, length: int) -> list[acb]:
        return program.on(circle, bits)

    def rooted(self, x: arb) -> arb:
        """t; of any sign about c* < 1."""
        return x if self.inside else super().rooted(x)

    def called(self, ratio: Sequence[Expr]) -> dict:
        """What its derivatives are called: x'/x = f_1 - f_2 x/2 + f_3 x^2/6 - ..."""
        return {(-1) ** (k - 1) * factorial(k) * c: f_(k) for k, c in enumerate(ratio, 1)}

    def exact_image(self, x: Expr, parameters: Mapping[Symbol, arb]) -> arb:
        """gamma' of an exact gap."""
        return self.program.value(program_of(x, GAMMA).value(arb(0), parameters))
