"""Any depth at one price: iterate a little, cross to the Abel coordinate, jump, and come back.

Problem.  x_L for L = 10^100, to 100 digits, with a certificate.

Rule.  Iterate the original recursion from x until tau is so small that the truncated Abel series is accurate
(the hand-over, layer n).  There read off the connection constants

    C = A(tau_n) - n,        D = (a_n - P(tau_n)) / H(tau_n),

solve A(tau) = L + C by Newton's method, and evaluate x = (scale tau)^root or a = P(tau) + D H(tau).
Everything is done twice, at two precisions, with two lengths of the series and two hand-over depths; the
number is returned only if both agree to the digits asked, otherwise the work is repeated with more of
everything and finally refused (`PrecisionError`).

Tiny case.  ReLU, 30 digits: 30 coefficients, hand-over at layer 60 or so; 10^3 and 10^100 cost the same.

Known limits.  The number of layers before the hand-over grows like 1/rho for a nearly linear activation; long ways
go by leaps (`leaps`), and where that is impossible more than `MOST_STEPS` layers are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError, PrecisionError
from asympt.expansions.series import power
from asympt.numbers import to_mpf
from asympt.recursions.dynamics import Dynamics
from asympt.recursions.leaps import tower
from asympt.recursions.linear import homogeneous_series, solve_linear
from asympt.recursions.parabolic import multiplicity, solve_abel

MOST_STEPS = 300_000
LONG_WAY = 20_000
MOST_LEAPT = 2**40
SLOWEST = mpmath.mpf(6) / 5
SHALLOW = 32  # this many layers are iterated outright, whether or not the expansion is within reach
LARGEST = 1_000_000  # an orbit this many times its start away is taken to escape
GUARD = 12
DEEPER = mpmath.mpf(3) / 2


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A, P and H as truncated series in tau with mpmath coefficients, and the largest tau to use them at."""

    multiplicity: int
    abel: tuple
    residue: object
    reach: object
    particular: tuple = ()
    resonance: object = 0
    homogeneous: tuple = ()

    def position(self, tau):
        """A(tau)."""
        return _laurent(self.abel, tau, -self.multiplicity) + self.residue * mp.log(tau)

    def speed(self, tau):
        """A'(tau)."""
        m = self.multiplicity
        return _laurent([k * a for k, a in enumerate(self.abel, start=-m)], tau, -m - 1) + self.residue / tau

    def wave(self, tau):
        """H(tau)."""
        return _laurent(self.homogeneous[1], tau, self.homogeneous[0])

    def value(self, tau):
        """P(tau)."""
        return _laurent(self.particular, tau, -self.multiplicity) + self.resonance * self.wave(tau) * mp.log(tau)

    def solve(self, target):
        """tau with A(tau) = target, by Newton's method from the leading term."""
        tau = (self.abel[0] / target) ** (mpmath.mpf(1) / self.multiplicity)
        for _ in range(100):
            change = (self.position(tau) - target) / self.speed(tau)
            tau -= change
            if abs(change) <= abs(tau) * mp.eps * 8:
                return tau
        raise PrecisionError(f"Newton's method did not settle on A(t) = {mpmath.nstr(target, 5)}; ask for fewer digits")


def _laurent(coefficients: Sequence, x, start: int):
    """sum_k coefficients[k] x^(start + k) by Horner's rule."""
    total = coefficients[-1] * 0
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total * x**start


@lru_cache(maxsize=256)
def order_of(dynamics: Dynamics) -> int:
    """m: how many powers of tau below the first one that moves."""
    for count in (4, 8, 16):
        ratio = dynamics.ratio(count)
        if any(c != 0 for c in ratio[1:]):
            break
    return multiplicity([0, *ratio[1:]])


@lru_cache(maxsize=64)
def coordinate(dynamics: Dynamics, last: int, digits: int) -> Coordinate:
    """The series up to tau^last at `digits` decimal digits."""
    with mp.workdps(digits + GUARD):
        m = order_of(dynamics)
        last = m * last  # the series of A is one in tau^m times a few powers: m times as many coefficients
        size = last + 2 * m + 1
        ratio = [to_mpf(c) for c in dynamics.ratio(size)]
        growth = [ratio[0] * 0, *power(ratio, mpmath.mpf(1) / dynamics.root, size)[1:]]
        alpha, residue = solve_abel(growth, m, last)
        abel = tuple(alpha.get(k, mpmath.mpf(0)) for k in range(-m, last + 1))
        if dynamics.linear is None:
            return Coordinate(m, abel, residue, _reach(abel, -m, digits))
        return _with_linear(dynamics, growth, (alpha, residue, abel), m, last, digits)


def _with_linear(dynamics: Dynamics, growth, solved, m: int, last: int, digits: int) -> Coordinate:
    alpha, residue, abel = solved
    multiplier = [to_mpf(c) for c in dynamics.linear.multiplier(last + 2 * m + 1)]
    forcing = [to_mpf(c) for c in dynamics.linear.forcing(last + m + 1)]
    homogeneous = homogeneous_series(alpha, residue, m, dynamics.root, last)
    solution, resonance = solve_linear(growth, multiplier, forcing, homogeneous, m, last)
    particular = tuple(solution.get(k, mpmath.mpf(0)) for k in range(-m, last + 1))
    everything = ((abel, -m), (particular, -m), (homogeneous[1], homogeneous[0]))
    reach = min(_reach(coefficients, start, digits) for coefficients, start in everything)
    return Coordinate(m, abel, residue, reach, particular, resonance, homogeneous)


def _reach(coefficients: Sequence, start: int, digits: int):
    """The largest tau at which the last terms of a series are below 10^-digits, less a third for safety."""
    powers = [(k, c) for k, c in enumerate(coefficients, start=start) if c and k > 0][-6:]
    if not powers:  # the series is a finite sum: any tau will do
        return mpmath.mpf(1)
    bound = min((mpmath.mpf(10) ** -digits / abs(c)) ** (mpmath.mpf(1) / k) for k, c in powers)
    return bound * 2 / 3


@dataclass(frozen=True)
class HandOver:
    """Layer n where the orbit crosses into the coordinate, with C and D (normalised in tau)."""

    layer: int
    constant: object
    second: object = 0


@lru_cache(maxsize=4096)
def hand_over(dynamics: Dynamics, start: Expr, last: int, digits: int, deeper) -> HandOver | None:
    """Iterate from `start` to the hand-over; None when the orbit reaches the fixed point exactly."""
    chart = coordinate(dynamics, last, digits)
    with mp.workdps(digits + GUARD):
        scale = to_mpf(dynamics.scale)
        edge = (scale * chart.reach / deeper) ** dynamics.root
        state, layer = initial(dynamics, start), dynamics.first
        way = _way(chart, (state[0] ** (mpmath.mpf(1) / dynamics.root)) / scale, deeper)
        if way > LONG_WAY:
            state, layer = _leap_down(dynamics, state, edge, way)
        ceiling, leapt = LARGEST * (1 + state[0]), layer
        while state[0] > edge:
            state, layer = dynamics.step(state), layer + 1
            _require_orbit(state[0], ceiling, layer - leapt)
        if state[0] == 0:
            return None
        tau = state[0] ** (mpmath.mpf(1) / dynamics.root) / scale
        second = (state[1] - chart.value(tau)) / chart.wave(tau) if dynamics.linear else 0
        return HandOver(layer, chart.position(tau) - layer, second)


def initial(dynamics: Dynamics, start: Expr) -> tuple:
    """The first state, from the exact starting value of x."""
    x = to_mpf(start)
    return (x, dynamics.linear.start(x)) if dynamics.linear else (x,)


def _way(chart: Coordinate, tau, deeper) -> int:
    """About how many layers lie before the hand-over, by the leading term of A."""
    m = chart.multiplicity
    return int(chart.abel[0] * ((deeper / chart.reach) ** m - (1 / tau**m if tau else 0)))


def _leap_down(dynamics: Dynamics, state: tuple, edge, way: int) -> tuple[tuple, int]:
    """Close to the hand-over in few leaps; a refusal where the map cannot be composed or is too slow all the same."""
    if dynamics.calm is None or way > MOST_LEAPT:
        if way > MOST_STEPS:
            raise _too_slow(way)
        return state, dynamics.first
    state, layer = _into_calm(dynamics, state, dynamics.first, None)
    state, leapt = tower(dynamics, mp.dps).descend(state, edge, 2 * way)
    return state, layer + leapt


def _into_calm(dynamics: Dynamics, state: tuple, layer: int, depth: int | None) -> tuple[tuple, int]:
    """Layer by layer until leaps are allowed, or to `depth`."""
    end = to_mpf(dynamics.calm) ** dynamics.root
    _refuse_long_way_to_calm(dynamics, state[0], end)
    while state[0] > end and layer != depth:
        state, layer = dynamics.step(state), layer + 1
    return state, layer


def _refuse_long_way_to_calm(dynamics: Dynamics, x, end) -> None:
    """What lies beyond the calm part is short unless the map is extremely slow: about scale (1/calm - 1/t) layers."""
    root = mpmath.mpf(1) / dynamics.root
    way = to_mpf(dynamics.scale) * (end**-root - x**-root)
    if way > MOST_STEPS:
        raise _too_slow(int(way))


def _require_orbit(x, ceiling, layer: int) -> None:
    """The orbit must stay on its side of the fixed point, and come near it some day."""
    if x.imag or not 0 <= x.real <= ceiling:
        raise InputError(
            f"the orbit does not approach the fixed point from above (distance {mpmath.nstr(x, 5)} at step {layer}); "
            "start closer to the fixed point"
        )
    if layer > MOST_STEPS:
        raise PrecisionError(
            f"after {layer} layers the orbit is still too far from the fixed point for the expansion to be accurate; "
            "ask for fewer digits, or start closer to the fixed point"
        )


def _too_slow(layers: int) -> PrecisionError:
    return PrecisionError(
        f"about {layers} layers would have to be iterated before the expansion is accurate, more than {MOST_STEPS}; "
        "ask for fewer digits, or take an activation further from linear"
    )


def value_at(dynamics: Dynamics, start: Expr, depth: int, last: int, digits: int, deeper):
    """x or a at index `depth`, by one route: one precision, one length of the series, one hand-over."""
    crossing = None if depth - dynamics.first <= SHALLOW else hand_over(dynamics, start, last, digits, deeper)
    with mp.workdps(digits + GUARD):
        if crossing is None or depth <= crossing.layer:
            far = crossing is not None and dynamics.calm is not None and depth - dynamics.first > LONG_WAY
            return _leap_to(dynamics, start, depth) if far else _iterate(dynamics, start, depth)
        chart = coordinate(dynamics, last, digits)
        tau = chart.solve(mpmath.mpf(depth) + crossing.constant)
        if dynamics.linear:
            return chart.value(tau) + crossing.second * chart.wave(tau)
        return (to_mpf(dynamics.scale) * tau) ** dynamics.root


def _iterate(dynamics: Dynamics, start: Expr, depth: int):
    """Layer by layer; at the fixed point itself a grows by the constant forcing there."""
    state = initial(dynamics, start)
    ceiling = LARGEST * (1 + state[0])
    for layer in range(dynamics.first, depth):
        if state[0] == 0:
            return _at_fixed_point(dynamics, state, depth - layer)
        state = dynamics.step(state)
        _require_orbit(state[0], ceiling, layer + 1)
    return state[-1]


def _leap_to(dynamics: Dynamics, start: Expr, depth: int):
    """x or a at a depth before the hand-over that is too far to go layer by layer."""
    state, layer = _into_calm(dynamics, initial(dynamics, start), dynamics.first, depth)
    return tower(dynamics, mp.dps).advance(state, depth - layer)[-1]


def _at_fixed_point(dynamics: Dynamics, state: tuple, layers: int):
    """lambda = 1 on the Edge of Chaos, so a grows by b(0) a layer; x stays 0."""
    if dynamics.linear is None:
        return state[0]
    return state[1] + layers * to_mpf(dynamics.linear.forcing(1)[0])


def certified(dynamics: Dynamics, start: Expr, depth: int, digits: int):
    """x or a at index `depth` to `digits` significant digits, agreed upon by two independent routes."""
    for extra in (0, 25, 75):
        wanted = digits + 8 + extra
        last = series_length(dynamics, wanted)
        one = value_at(dynamics, start, depth, last, wanted, 1)
        two = value_at(dynamics, start, depth, last + 5, wanted + 10, DEEPER)
        if agree(one, two, digits):
            return two
    raise PrecisionError(
        f"two evaluations at depth {depth} do not agree to {digits} digits; ask for fewer digits or report the case"
    )


def series_length(dynamics: Dynamics, digits: int) -> int:
    """How many orders to use: more digits need more, and so does a slow map (scale 10^k), whose layers are many.

    Solving costs the cube of the length, once; iterating to the hand-over costs scale/tau, for every start.
    """
    with mp.workdps(15):
        slowness = max(mpmath.mpf(0), mp.log10(to_mpf(dynamics.scale) / 30))
    return int((mpmath.mpf(3) / 5 * digits + 8) * (1 + min(slowness, SLOWEST)))


def agree(one, two, digits: int) -> bool:
    """Whether two numbers agree to `digits` significant digits (half a unit of the last one)."""
    with mp.workdps(digits + GUARD):
        return abs(one - two) <= abs(two) * mpmath.mpf(10) ** -digits / 2


def constants(dynamics: Dynamics, start: Expr, digits: int) -> tuple:
    """(C, D) in the normalisation of t: alpha_0 = 0, P has no pure power where H starts; D is None without a P."""
    wanted = digits + 10
    last = series_length(dynamics, wanted)
    routes = [(last, wanted, 1), (last + 5, wanted + 10, DEEPER)]
    pairs = [_constants(dynamics, start, *route) for route in routes]
    for one, two in zip(*pairs, strict=True):
        if two is not None and not agree(one, two, digits):
            raise PrecisionError(f"the connection constants do not agree to {digits} digits; ask for fewer digits")
    return pairs[1]


def _constants(dynamics: Dynamics, start: Expr, last: int, digits: int, deeper) -> tuple:
    crossing = hand_over(dynamics, start, last, digits, deeper)
    if crossing is None:
        raise PrecisionError("the orbit reaches the fixed point exactly, so it has no connection constant")
    chart = coordinate(dynamics, last, digits)
    with mp.workdps(digits + GUARD):
        scale = to_mpf(dynamics.scale)
        constant = crossing.constant + chart.residue * mp.log(scale)
        if dynamics.linear is None:
            return constant, None
        return constant, (crossing.second - chart.resonance * mp.log(scale)) / scale**dynamics.root
