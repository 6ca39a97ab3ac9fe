"""The Koenigs coordinate in numbers: U, P and h as truncated convergent series with mpmath coefficients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Abs, Expr, Integer, oo, sign

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.series import power
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.koenigs import (
    GeometricFlow,
    KoenigsFunction,
    condition_of,
    in_t,
    ratio_in_t,
    solve_koenigs,
)
from asympt.recursions.coordinates.koenigs_linear import resonance, solve_linear
from asympt.recursions.orbits.discs import within
from asympt.recursions.orbits.following import Geometric
from asympt.recursions.orbits.matching import MatchingLayer, SeriesCoordinate
from asympt.recursions.protocol import Dynamics
from asympt.recursions.truncated import GUARD, inverted, radius_of_convergent, summed

SPARE = 5  # digits
DEEP = 40  # digits by which the layers beyond the radius bring an orbit closer at most
SLOW = mpmath.mpf(1) / 10  # |log mu| below which the series is made longer


@dataclass(frozen=True, eq=False)
class NumericKoenigs:
    """U/t, and with a linear part p, r and h, as truncated series in t (see `NumericCoordinate`).

    free: k when lambda_0 = mu^k and so H = U^k h;  the weight at layer l is (a_l - p(t_l))/h(t_l).
    """

    dynamics: Dynamics
    koenigs: Sequence
    accuracy_radius: object
    free: int | None = None
    particular_series: Sequence = ()
    resonance: object = 0
    homogeneous_series: Sequence = ()

    forgets = False

    def enter(self, y):
        """t = y^(1/root)."""
        return self.dynamics.uniformiser(y)

    def leave(self, t):
        """y = t^root."""
        return t**self.dynamics.root

    def position(self, t):
        """U(t)."""
        return t * summed(self.koenigs, t)

    def derivative(self, t):
        """U'(t)."""
        return summed([(k + 1) * u for k, u in enumerate(self.koenigs)], t)

    def solve(self, target):
        """t with U(t) = target, from t = target."""
        return inverted(self.position, self.derivative, target, target, "U")

    def advance(self, position, steps: int):
        """mu^steps U."""
        return position * grown(mu, self.dynamics, steps)

    def particular(self, t):
        """p(t)."""
        return summed(self.particular_series, t)

    def homogeneous(self, t):
        """h(t)."""
        return summed(self.homogeneous_series, t)

    def weight_after(self, weight, position, steps: int):
        """lambda_0^steps (weight + r U^k steps)."""
        if self.free is not None:
            weight = weight + self.resonance * position**self.free * steps
        return grown(slope, self.dynamics, steps) * weight

    def constants(self, layer: int, position, weight) -> tuple:
        """C = U^root/chi^l, and D: weight/lambda_0^l, or with P = p + r H log|U|/log|mu| what is left over U^k."""
        constant = position**self.dynamics.root / grown(mu, self.dynamics, layer * self.dynamics.root)
        if self.dynamics.linear is None:
            return constant, None
        if self.free is None:
            return constant, weight / grown(slope, self.dynamics, layer)
        passed = -mp.log(abs(position)) / speed(self.dynamics)
        return constant, weight / position**self.free - self.resonance * passed

    # ---- the way to the matching layer

    def edge(self, start, route) -> tuple:
        """Up to which |t| a route iterates, and how many layers more: few where one brings many digits."""
        if not route.later:
            return self.accuracy_radius, 0
        edge = min(self.accuracy_radius, abs(self.enter(abs(start)))) / route.deeper
        return edge, max(1, min(route.later, int(DEEP * mp.log(10) / (self.dynamics.root * speed(self.dynamics)))))

    def layers_between(self, t, edge, route):
        """About how many layers lead from |t| to the edge, from within the circle of convergence."""
        return mp.log(min(abs(t), self.circle(edge, route)) / edge) / speed(self.dynamics)

    def circle(self, edge, route):
        """The radius of convergence, if `edge` is where a route crosses."""
        return edge * mpmath.mpf(10) ** (mpmath.mpf(route.digits) / route.last)

    def digits_lost(self, edge, later: int) -> int:
        """Digits that a distance at the matching layer loses when the map is evaluated as G(x* + y) - x*."""
        chi = abs(to_mpf(multiplier(self.dynamics)))
        below = -self.dynamics.root * mp.log10(edge) - (later + 1) * mp.log10(chi) - mp.log10(1 - chi)
        return int(max(0, below)) + SPARE


@dataclass(frozen=True)
class Koenigs(SeriesCoordinate):
    """The Koenigs coordinate of a hyperbolic recursion, at any precision (see `Coordinate`).

    >>> from sympy import Symbol
    >>> from asympt.recursions.recursion import Recursion
    >>> x = Symbol("x")
    >>> moebius = Koenigs(Recursion(x / (2 - x), x).dynamics).numeric(20, 15)
    >>> [mpmath.nstr(c, 6) for c in moebius.koenigs[:3]], mpmath.nstr(moebius.advance(mpmath.mpf(8), 3))
    (['1.0', '1.0', '1.0'], '1.0')
    """

    dynamics: Dynamics
    koenigs: KoenigsFunction | None = field(default=None, compare=False)

    kind = "hyperbolic"
    remedy = "one may be 0; otherwise ask for fewer digits"
    orbit = Geometric()

    def numeric(self, last: int, digits: int) -> NumericKoenigs:
        """The series up to t^last at `digits` decimal digits."""
        return numeric_koenigs(self.dynamics, last, digits)

    def series_length(self, digits: int) -> int:
        """How many orders to use: more for a slow map, whose steps are many.

        Solving costs the cube of the length, once; iterating to the matching layer costs 1/|log mu| for every start.
        """
        with mp.workdps(20):
            slowness = mp.log10(SLOW / speed(self.dynamics))
        return int((mpmath.mpf(3) / 5 * digits + 8) * (1 + min(mpmath.mpf(1), max(mpmath.mpf(0), slowness))))

    @property
    def condition(self) -> Expr:
        """What the parameters must fulfil for the law to hold (0 < |chi| < 1); true when there is nothing to assume."""
        return condition_of(multiplier(self.dynamics), self.dynamics.root)

    def parameters(self, linear) -> set:
        """The symbols in the map, where it is a formula, and else those in the series."""
        found = self.dynamics.parameters | multiplier(self.dynamics).free_symbols
        known = [] if self.dynamics.formula is not None else [self.koenigs.expansion]
        known += [linear.particular, linear.homogeneous] if linear else []
        return found.union(*(c.free_symbols for expansion in known for _, c in expansion.terms))

    def limit(self, expansion: Expansion, name: str) -> Expr:
        """The limit; an error when the leading term changes sign for ever."""
        monomial, coefficient = expansion.leading
        if monomial.order > 0:
            return Integer(0)
        if _alternates(expansion.scale, monomial, coefficient):
            raise UnsupportedError(f"{name} changes sign for ever and has no limit")
        return coefficient if monomial.order == 0 and not monomial.logs else sign(coefficient) * oo

    def crossing_before(self, start: Expr, depth: int, route: Route) -> MatchingLayer | None:
        """The matching layer; None for a start at rest, where only a moves."""
        return None if self._rests(start) else super().crossing_before(start, depth, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: MatchingLayer | None) -> tuple:
        """The state at a layer that is not beyond the matching layer, or from a start at rest."""
        if self._rests(start):
            return mpmath.mpf(0), at_rest(self.dynamics, depth, route.digits)
        return super().to_layer(start, depth, route, crossing)

    def _rests(self, start: Expr) -> bool:
        return start == 0 and self.dynamics.linear is not None


def _alternates(scale: Scale, monomial: Monomial, coefficient: Expr) -> bool:
    n = scale.depth
    if coefficient.has(n):
        return True
    first, second = (scale.to_sympy(monomial).subs(n, step) for step in (1, 2))
    return bool((first * second).is_negative)


def at_rest(dynamics: Dynamics, depth: int, digits: int):
    """a at index `depth` when x_0 = 0: lambda and b are constant, so a - b/(1 - lambda) is multiplied by lambda."""
    steps, linear = depth - dynamics.first, dynamics.linear
    with mp.workdps(digits + GUARD):
        a, push = linear.start(mpmath.mpf(0)), to_mpf(linear.forcing(1)[0])
        if linear.multiplier(1)[0] == 1:
            return a + steps * push
        fixed = push / (1 - slope(dynamics))
        return fixed + grown(slope, dynamics, steps) * (a - fixed)


@lru_cache(maxsize=256)
def multiplier(dynamics: Dynamics) -> Expr:
    """chi, exact."""
    return ratio_in_t(dynamics, 1)[0]


@lru_cache(maxsize=256)
def free_index(dynamics: Dynamics) -> int | None:
    """k when lambda_0 = mu^k, k >= 0."""
    found = resonance(dynamics.linear.multiplier(1)[0], multiplier(dynamics), dynamics.root)
    return found[0] if found and found[0] >= 0 and found[1] > 0 else None


def mu(dynamics: Dynamics):
    """mu = chi^(1/root) at mpmath's precision."""
    return dynamics.uniformiser(to_mpf(multiplier(dynamics)))


def speed(dynamics: Dynamics):
    """-log|mu| at mpmath's precision, however near to 1 mu is."""
    return -mp.log1p(to_mpf(Abs(multiplier(dynamics)) - 1)) / dynamics.root


def slope(dynamics: Dynamics):
    """lambda_0 at mpmath's precision."""
    return to_mpf(dynamics.linear.multiplier(1)[0])


def grown(base: Callable, dynamics: Dynamics, steps: int):
    """base(dynamics)^steps to mpmath's precision, however large `steps` is."""
    with mp.workdps(mp.dps + len(str(abs(steps))) + SPARE):
        value = base(dynamics) ** steps
    return +value


@lru_cache(maxsize=64)
def numeric_koenigs(dynamics: Dynamics, last: int, digits: int) -> NumericKoenigs:
    """The series up to t^last at `digits` decimal digits."""
    free = free_index(dynamics) if dynamics.linear is not None else None
    size = last + (free or 0)
    with mp.workdps(digits + GUARD):
        ratio = [to_mpf(c) for c in ratio_in_t(dynamics, size)]
        unit = power([c / ratio[0] for c in ratio], mpmath.mpf(1) / dynamics.root, size)
        flow = GeometricFlow.of(unit, mu(dynamics))
        koenigs = solve_koenigs(flow)
        if dynamics.linear is None:
            radius = radius_of_convergent(koenigs, digits)
            return NumericKoenigs(dynamics, koenigs, within(dynamics, last, digits, radius))
        multipliers = [to_mpf(c) for c in in_t(dynamics, dynamics.linear.multiplier(size + 1))]
        source = [to_mpf(c) for c in in_t(dynamics, dynamics.linear.forcing(size + 1))]
        p, r, h = solve_linear(flow, koenigs, multipliers, source, free)
        radius = min(radius_of_convergent(series, digits) for series in (koenigs, p, h))
        return NumericKoenigs(dynamics, koenigs, within(dynamics, last, digits, radius), free, p, r, h)
