"""The Koenigs coordinate in numbers: U, P and h as truncated series with mpmath coefficients.

Problem.  `hyperbolic_evaluation` crosses from the original recursion into the coordinate U and back, at any precision.

Rule.  The triangular systems of `koenigs` and `hyperbolic_linear` are solved once more, over mpmath numbers.  These
series converge, with a radius R that depends on how far the fixed point attracts without obstacles; it is estimated by
the largest |c_k|^(1/k) among the later half of the coefficients.  After N orders the error is about (t/R)^N, so the
`reach` is R 10^(-digits/N), less a third.  Whoever uses it compares two charts.

Tiny case.  y' = y/(2 - y): U = y/(1 - y), R = 1, and 32 orders give 40 digits from t = 1/27 on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.expansions.series import power
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_numeric import GUARD
from asympt.recursions.coordinates.koenigs import Flow, in_t, ratio_in_t, solve_koenigs
from asympt.recursions.discs import within
from asympt.recursions.hyperbolic_linear import resonance, solve_linear
from asympt.recursions.protocol import Dynamics

FULL = mpmath.mpf(2) / 3
SLOW = mpmath.mpf(1) / 10  # |log mu| below which the series is made longer


@dataclass(frozen=True, eq=False)
class Chart:
    """U/t, and with a linear part p, r and h; the largest |t| to use them at, and k when H = U^k h."""

    koenigs: Sequence
    reach: object
    free: int | None = None
    particular: Sequence = ()
    resonance: object = 0
    homogeneous: Sequence = ()

    def position(self, t):
        """U(t)."""
        return t * _polynomial(self.koenigs, t)

    def value(self, t):
        """p(t)."""
        return _polynomial(self.particular, t)

    def wave(self, t):
        """h(t)."""
        return _polynomial(self.homogeneous, t)

    def solve(self, target):
        """t with U(t) = target, by Newton's method from t = target."""
        slope, t = [(k + 1) * u for k, u in enumerate(self.koenigs)], target
        for _ in range(60):
            change = (self.position(t) - target) / _polynomial(slope, t)
            t -= change
            if abs(change) <= abs(t) * mp.eps * 8:
                return t
        raise PrecisionError(f"Newton's method did not settle on U(t) = {mpmath.nstr(target, 5)}; ask for fewer digits")


def _polynomial(coefficients: Sequence, t):
    """sum_k coefficients[k] t^k by Horner's rule."""
    total = mpmath.mpf(0)
    for coefficient in reversed(coefficients):
        total = total * t + coefficient
    return total


@lru_cache(maxsize=256)
def multiplier(dynamics: Dynamics) -> Expr:
    """chi, exact."""
    return ratio_in_t(dynamics, 1)[0]


@lru_cache(maxsize=256)
def free_index(dynamics: Dynamics) -> int | None:
    """k when lambda_0 = mu^k, k >= 0."""
    found = resonance(dynamics.linear.multiplier(1)[0], multiplier(dynamics), dynamics.root)
    return found[0] if found and found[0] >= 0 and found[1] > 0 else None


def pace(dynamics: Dynamics):
    """mu at mpmath's precision."""
    chi = to_mpf(multiplier(dynamics))
    return chi if dynamics.root == 1 else mp.root(chi, dynamics.root)


@lru_cache(maxsize=64)
def chart(dynamics: Dynamics, last: int, digits: int) -> Chart:
    """The series up to t^last at `digits` decimal digits."""
    free = free_index(dynamics) if dynamics.linear is not None else None
    size = last + (free or 0)
    with mp.workdps(digits + GUARD):
        ratio = [to_mpf(c) for c in ratio_in_t(dynamics, size)]
        unit = power([c / ratio[0] for c in ratio], mpmath.mpf(1) / dynamics.root, size)
        flow = Flow.of(unit, pace(dynamics))
        koenigs = solve_koenigs(flow)
        if dynamics.linear is None:
            return Chart(koenigs, within(dynamics, last, digits, _reach((koenigs,), digits)))
        slope = [to_mpf(c) for c in in_t(dynamics, dynamics.linear.multiplier(size + 1))]
        source = [to_mpf(c) for c in in_t(dynamics, dynamics.linear.forcing(size + 1))]
        p, r, h = solve_linear(flow, koenigs, slope, source, free)
        reach = within(dynamics, last, digits, _reach((koenigs, p, h), digits))
        return Chart(koenigs, reach, free, p, r, h)


def _reach(everything: Sequence[Sequence], digits: int):
    """The largest |t| at which every series is good to so many digits."""
    return min(_radius(series) * mpmath.mpf(10) ** (-mpmath.mpf(digits) / len(series)) for series in everything) * FULL


def _radius(series: Sequence):
    """1 over the largest |c_k|^(1/k) of the later half; 1 for a series that stops before."""
    late = [(k, c) for k, c in enumerate(series) if c and 2 * k > len(series)]
    return 1 / max((abs(c) ** (mpmath.mpf(1) / k) for k, c in late), default=mpmath.mpf(1))


def series_length(dynamics: Dynamics, digits: int) -> int:
    """How many orders to use: more for a slow map, whose steps are many.

    Solving costs the cube of the length, once; iterating to the hand-over costs 1/|log mu| for every start.
    """
    with mp.workdps(20):
        slowness = mp.log10(SLOW / abs(mp.log(abs(pace(dynamics)))))
    return int((mpmath.mpf(3) / 5 * digits + 8) * (1 + min(mpmath.mpf(1), max(mpmath.mpf(0), slowness))))
