"""The Abel coordinate in numbers: A, P and H as truncated series with mpmath coefficients.

Problem.  `evaluation` crosses from the original recursion into the coordinate A and back, at any precision.

Rule.  The triangular systems of `abel` and `linear` are solved once more, over mpmath numbers and in the natural
unit tau, to as many orders as the digits need.  The series are asymptotic: at fixed length they are accurate up to
some tau, the `reach`, estimated from the sizes of their last terms (whoever uses it compares two of them).

Tiny case.  ReLU, 38 digits: 30 orders, reach about 1/45.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.expansions.series import power
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel import Powers, multiplicity, solve_abel, stride
from asympt.recursions.discs import discs, within
from asympt.recursions.linear import homogeneous_series, solve_linear
from asympt.recursions.protocol import Dynamics
from asympt.recursions.transport import homogeneous_by_multiplier, solve_forgetting

GUARD = 12  # digits carried beyond those that a result must have
AHEAD = 10  # exact coefficients fetched beyond those asked for, so that the second, longer route finds them there
SLOWEST = mpmath.mpf(6) / 5
LONG, TOO_LONG = 10_000, 300_000  # layers before a hand-over that are many, and that are never iterated
LENGTHS = (1, 2, 4)  # by how much the series is made longer to have fewer of them


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
        value = _laurent(self.particular, tau, -self.multiplicity)
        return value + self.resonance * self.wave(tau) * mp.log(tau) if self.resonance else value

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


def leading(source: Callable[[int], Sequence[Expr]], count: int) -> list:
    """The first `count` coefficients of an exact series as mpmath numbers."""
    known = _asked(source)
    if len(known) < count:
        known[:] = source(count + AHEAD)
    return [to_mpf(c) for c in known[:count]]


@lru_cache(maxsize=256)
def _asked(source: Callable) -> list:
    """The longest list of exact coefficients that a source has been asked for, to be filled."""
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
def coordinate(dynamics: Dynamics, last: int, digits: int) -> Coordinate:
    """The series up to tau^last at `digits` decimal digits."""
    with mp.workdps(digits + GUARD):
        m = order_of(dynamics)
        last = m * last  # the series of A is one in tau^m times a few powers: m times as many coefficients
        growth = _growth(dynamics, last + 2 * m + 1)
        if dynamics.linear:
            return _with_linear(dynamics, growth, m, last, digits)
        alpha, residue = solve_abel(growth, m, last)
        abel = _filled(alpha, m, last)
        return Coordinate(m, abel, residue, _within(dynamics, last, digits, _reach(abel, -m, digits)))


def _growth(dynamics: Dynamics, count: int) -> list:
    """e_0, ..., e_(count-1)."""
    ratio = leading(dynamics.ratio, count)
    if dynamics.root > 1:
        ratio = power(ratio, mpmath.mpf(1) / dynamics.root, count)
    return [mpmath.mpf(0), *ratio[1:]]


def _with_linear(dynamics: Dynamics, growth: list, m: int, last: int, digits: int) -> Coordinate:
    multiplier = leading(dynamics.linear.multiplier, last + 2 * m + 1)
    forcing = leading(dynamics.linear.forcing, last + m + 1)
    powers = Powers(growth, m, last, stride(growth, multiplier, forcing))
    alpha, residue = solve_abel(growth, m, last, powers)
    homogeneous, solution, resonance = _along(
        dynamics, growth, multiplier, forcing, (alpha, residue), m, last, powers
    )
    abel, particular = _filled(alpha, m, last), _filled(solution, m, last)
    everything = [(abel, -m), (particular, -m)]
    everything += [(homogeneous[1], homogeneous[0])] if homogeneous else []
    reach = min(_reach(coefficients, start, digits) for coefficients, start in everything)
    reach = _within(dynamics, last, digits, reach)
    return Coordinate(m, abel, residue, reach, particular, resonance, homogeneous)


def _along(dynamics: Dynamics, growth, multiplier, forcing, abel: tuple, m: int, last: int, powers: Powers) -> tuple:
    """H as (first power, coefficients), P's coefficients by power, and the resonance."""
    character = dynamics.linear.character
    if character is None:
        homogeneous = homogeneous_series(*abel, m, dynamics.root, last)
        return homogeneous, *solve_linear(growth, multiplier, forcing, homogeneous, m, last, powers)
    if character.exponent is None:
        return (), solve_forgetting(multiplier, forcing, character.first, m, last, powers), mpmath.mpf(0)
    exponent = to_mpf(character.exponent)
    values = homogeneous_by_multiplier(growth, multiplier, exponent, m, last, powers)
    start = int(character.exponent) if character.exponent.is_Integer else None
    solved = solve_linear(growth, multiplier, forcing, (start, values), m, last, powers)
    return (exponent if start is None else start, tuple(values)), *solved


def _reach(coefficients: Sequence, start: int, digits: int):
    """The largest tau at which the last terms of a series are below 10^-digits, less a third for safety."""
    count = len(coefficients)
    powers = [(start + k, c) for k, c in enumerate(coefficients) if c and start + k > 0 and 2 * k >= count][-6:]
    if not powers:  # the series is a finite sum: any tau will do
        return mpmath.mpf(1)
    bound = min((mpmath.mpf(10) ** -digits / abs(c)) ** (mpmath.mpf(1) / k) for k, c in powers)
    return bound * 2 / 3


def _within(dynamics: Dynamics, last: int, digits: int, reach):
    """The reach, in tau, cut down to where the series of the map are the map."""
    scale = to_mpf(dynamics.scale)
    return within(dynamics, last, digits, reach * scale) / scale


def series_length(dynamics: Dynamics, digits: int) -> int:
    """How many orders to use: more digits need more, and so does a slow map (scale 10^k), whose layers are many.

    Solving costs the cube of the length, once; iterating to the hand-over costs scale/tau, for every start.  Measured
    from 30 to 200 digits, this is within a third of the best length for a first start.  Where coefficients are costly,
    fewer of them and more layers are better.
    """
    if dynamics.costly:
        return int(mpmath.mpf(3) / 10 * digits + 6)
    with mp.workdps(15):
        slowness = max(mpmath.mpf(0), mp.log10(to_mpf(dynamics.scale) / 30))
    return _lengthened(dynamics, int((mpmath.mpf(9) / 20 * digits + 14) * (1 + min(slowness, SLOWEST))), digits)


def _lengthened(dynamics: Dynamics, length: int, digits: int) -> int:
    """More orders where a feature of the map keeps the hand-over far away: they give the digits nearer to it."""
    if not discs(dynamics):
        return length
    m = order_of(dynamics)
    with mp.workdps(digits):
        first = abs(to_mpf(dynamics.ratio(m + 1)[m])) * m / dynamics.root  # A = 1/(first t^m) + ...
        near, far = ((1 / (layers * first)) ** (mpmath.mpf(1) / m) for layers in (LONG, TOO_LONG))
        for factor in LENGTHS:
            reach = within(dynamics, m * length * factor, digits, near)
            if reach == near:
                break
    return length * factor if reach >= far else length
