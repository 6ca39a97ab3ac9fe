"""The Abel coordinate in numbers: A, P and H as truncated asymptotic series of mpmath numbers, in the unit tau."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Symbol

from asympt.errors import PrecisionError
from asympt.expansions import Expansion
from asympt.expansions.series import power
from asympt.numbers import to_mpf
from asympt.recursions.agreement import GUARD, inverted, radius_of_divergent, summed
from asympt.recursions.coordinates.abel import AbelFunction, Powers, multiplicity, solutions, solve_abel, stride
from asympt.recursions.coordinates.abel_inversion import depth_law, power_of
from asympt.recursions.orbits import Creeping, SeriesCoordinate, discs, within
from asympt.recursions.protocol import Dynamics

AHEAD = 10  # exact coefficients fetched beyond those requested, so that the second, longer route finds them there
SLOWEST = mpmath.mpf(6) / 5
LONG, TOO_LONG = 10_000, 300_000  # layers before a matching layer that are many, and that are never iterated
LENGTHS = (1, 2, 4)  # by how much the series is made longer to have fewer of them


@dataclass(frozen=True, eq=False)
class NumericAbel:
    """A, P and H as truncated series in tau with mpmath coefficients (see `SeriesCoordinate`).

    particular_series: P without `resonance` times H log tau;  homogeneous_series: (first power, coefficients);
    front_series: the negative powers of log H where it grows faster than every power.
    """

    dynamics: Dynamics
    multiplicity: int
    abel: tuple
    residue: object
    accuracy_radius: object
    particular_series: tuple = ()
    resonance: object = 0
    homogeneous_series: tuple = ()
    front_series: tuple = ()

    @property
    def forgets(self) -> bool:
        return not self.homogeneous_series

    def enter(self, x):
        """tau = x^(1/root)/scale."""
        return self.dynamics.uniformiser(x) / to_mpf(self.dynamics.scale)

    def leave(self, tau):
        """x = (scale tau)^root."""
        return (to_mpf(self.dynamics.scale) * tau) ** self.dynamics.root

    def position(self, tau):
        return summed(self.abel, tau, -self.multiplicity) + self.residue * mp.log(tau)

    def derivative(self, tau):
        m = self.multiplicity
        return summed([k * a for k, a in enumerate(self.abel, start=-m)], tau, -m - 1) + self.residue / tau

    def solve(self, target):
        """tau with A(tau) = target, from the leading term."""
        guess = (self.abel[0] / target) ** (mpmath.mpf(1) / self.multiplicity)
        return inverted(self.position, self.derivative, target, guess, "A")

    def advance(self, position, steps: int):
        return position + steps

    def particular(self, tau):
        value = summed(self.particular_series, tau, -self.multiplicity)
        return value + self.resonance * self.homogeneous(tau) * mp.log(tau) if self.resonance else value

    def homogeneous(self, tau):
        if self.forgets:
            return 0
        front = mp.exp(summed(self.front_series, tau, -self.multiplicity)) if self.front_series else 1
        return front * summed(self.homogeneous_series[1], tau, self.homogeneous_series[0])

    def weight_after(self, weight, position, steps: int):
        """D, at every layer the same."""
        return weight

    def constants(self, layer: int, position, weight) -> tuple:
        """(C, D) in the normalisation of t: alpha_0 = 0, P has no pure power where H starts."""
        scale = to_mpf(self.dynamics.scale)
        constant = position - layer + self.residue * mp.log(scale)
        if self.dynamics.linear is None or self.forgets:
            return constant, None
        return constant, (weight - self.resonance * mp.log(scale)) / scale**self.dynamics.root

    # ---- the way to the matching layer

    def edge(self, start, route) -> tuple:
        """Up to which tau a route iterates, and how many layers more.

        Its edge lies beyond the accuracy radius as far as `deeper` times as many layers lead (A starts with tau^(-m)).
        """
        return self.accuracy_radius / mpmath.mpf(route.deeper) ** (mpmath.mpf(1) / self.multiplicity), route.later

    def layers_between(self, tau, edge, route) -> int:
        """About how many layers lead from tau to the edge, by the leading term of A."""
        m = self.multiplicity
        return int(self.abel[0] * (1 / edge**m - (1 / tau**m if tau else 0)))


@dataclass(frozen=True)
class Abel(SeriesCoordinate):
    """The Abel coordinate of a parabolic recursion, at any precision (see `Coordinate`)."""

    dynamics: Dynamics
    abel: AbelFunction | None = field(default=None, compare=False)
    formulas: AbelFunction | None = field(default=None, compare=False)  # A, where `abel` goes on with known digits

    kind = "parabolic"
    remedy = "ask for fewer digits"
    orbit = Creeping()

    def numeric(self, last: int, digits: int) -> NumericAbel:
        """The series up to tau^(m last) at `digits` decimal digits."""
        return numeric_abel(self.dynamics, last, digits)

    def flow(self, depth: Symbol, law: Expansion) -> Expansion:
        """y_l, by inverting A."""
        return depth_law(self.abel, depth, len(law.terms) + 2, power_of(self.dynamics.root))

    def series_length(self, digits: int) -> int:
        """How many orders to use: more digits need more, and so does a slow map (scale 10^k), whose layers are many.

        Solving costs the cube of the length, once; iterating to the matching layer costs scale/tau, for every start.
        Measured from 30 to 200 digits, this is within a third of the best length for a first start.  Where coefficients
        are costly, fewer of them and more layers are better.
        """
        if self.dynamics.costly:
            return int(mpmath.mpf(3) / 10 * digits + 6)
        with mp.workdps(15):
            slowness = max(mpmath.mpf(0), mp.log10(to_mpf(self.dynamics.scale) / 30))
        length = int((mpmath.mpf(9) / 20 * digits + 14) * (1 + min(slowness, SLOWEST)))
        return _lengthened(self.dynamics, length, digits)

    def require_basin(self, start: Expr, digits: int) -> None:
        """An error, with the reason, when the orbit of `start` does not converge to the fixed point."""
        try:
            self.crossing(start, self.routes(digits + self.spare[0])[0])
        except PrecisionError:
            return  # too slow for the expansion: the evaluation decides what can still be computed


class GrowingAbel(Abel):
    """The same, where what runs along it grows faster than every power of the depth."""

    kind = "growing"
    evidence = "beyond_powers"
    unproved = "there is no theorem yet about a linear recursion that grows faster than every power of the depth"
    undrawn = "it grows faster than every power of the depth; take law.latex() and law.evaluate"


def leading(source: Callable[[int], Sequence[Expr]], count: int) -> list:
    """The first `count` coefficients of an exact series as mpmath numbers."""
    known = _asked(source)
    if len(known) < count:
        known[:] = source(count + AHEAD)
    return [to_mpf(c) for c in reversed(known[:count])][::-1]  # the last ones first: their digits come with all before


@lru_cache(maxsize=256)
def _asked(source: Callable) -> list:
    """The longest list of exact coefficients that was requested from a source, to be filled."""
    return []


def _filled(coefficients: dict, m: int, last: int) -> tuple:
    """Coefficients by power as a tuple from t^(-m) to t^last."""
    return tuple(coefficients.get(k, mpmath.mpf(0)) for k in range(-m, last + 1))


@lru_cache(maxsize=256)
def order_of(dynamics: Dynamics) -> int:
    """m: how many powers of tau below the first one that moves."""
    for count in (4, 8, 16):
        ratio = dynamics.ratio(count)
        if any(c != 0 for c in ratio[1:]):
            break
    return multiplicity([0, *ratio[1:]])


@lru_cache(maxsize=64)
def numeric_abel(dynamics: Dynamics, last: int, digits: int) -> NumericAbel:
    """The series up to tau^last at `digits` decimal digits."""
    with mp.workdps(digits + GUARD):
        m = order_of(dynamics)
        last = m * last  # the series of A is one in tau^m times a few powers: m times as many coefficients
        growth = _growth(dynamics, last + 2 * m + 1)
        if dynamics.linear:
            return _with_linear(dynamics, growth, m, last, digits)
        alpha, residue = solve_abel(growth, m, last)
        abel = _filled(alpha, m, last)
        radius = _within(dynamics, last, digits, radius_of_divergent(abel, -m, digits))
        return NumericAbel(dynamics, m, abel, residue, radius)


def _growth(dynamics: Dynamics, count: int) -> list:
    """e_0, ..., e_(count-1)."""
    ratio = leading(dynamics.ratio, count)
    if dynamics.root > 1:
        ratio = power(ratio, mpmath.mpf(1) / dynamics.root, count)
    return [mpmath.mpf(0), *ratio[1:]]


def _with_linear(dynamics: Dynamics, growth: list, m: int, last: int, digits: int) -> NumericAbel:
    linear, homogeneous = dynamics.linear, ()  # H as (first power, coefficients)
    multiplier, forcing = leading(linear.multiplier, last + 2 * m + 1), leading(linear.forcing, last + m + 1)
    powers = Powers(growth, m, last, stride(growth, multiplier, forcing))
    alpha, residue = solve_abel(growth, m, last, powers)
    found, solution, resonance, logs = solutions(
        growth, multiplier, forcing, linear.character, dynamics.root, m, last, powers, (alpha, residue)
    )
    if found:
        start, values = found
        homogeneous = (int(start) if start == int(start) else start if logs else to_mpf(start), tuple(values))
    front = _filled(logs[0], m, -1) if logs else ()
    abel, particular = _filled(alpha, m, last), _filled(solution, m, last)
    everything = [(abel, -m), (particular, -m)]
    everything += [(homogeneous[1], homogeneous[0])] if homogeneous else []
    radius = min(radius_of_divergent(coefficients, start, digits) for coefficients, start in everything)
    radius = _within(dynamics, last, digits, radius)
    return NumericAbel(dynamics, m, abel, residue, radius, particular, resonance, homogeneous, front)


def _within(dynamics: Dynamics, last: int, digits: int, radius):
    """The radius, in tau, cut down to where the series of the map are the map."""
    scale = to_mpf(dynamics.scale)
    return within(dynamics, last, digits, radius * scale) / scale


def _lengthened(dynamics: Dynamics, length: int, digits: int) -> int:
    """More orders where a feature of the map keeps the matching layer far away: they give the digits nearer to it."""
    if not discs(dynamics):
        return length
    m = order_of(dynamics)
    with mp.workdps(digits):
        first = abs(to_mpf(dynamics.ratio(m + 1)[m])) * m / dynamics.root  # A = 1/(first t^m) + ...
        near, far = ((1 / (layers * first)) ** (mpmath.mpf(1) / m) for layers in (LONG, TOO_LONG))
        for factor in LENGTHS:
            radius = within(dynamics, m * length * factor, digits, near)
            if radius == near:
                break
    return length * factor if radius >= far else length
