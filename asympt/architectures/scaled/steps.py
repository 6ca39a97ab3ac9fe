"""The shares of the branches of a scaled residual network, delta_l = alpha/(l^kappa + alpha), as steps with a clock.

Problem.  c_l = (1 - delta_l) c_(l-1) + delta_l f(c_(l-1)) is a driven recursion; its clock is the integral of delta.

Rule.  kappa = 1: delta_l = alpha/(l + alpha), which `Steps` knows.  For kappa = p/q < 1, with v = u^q,

    delta = alpha v^(-kappa) - alpha^2 v^(-2 kappa) + ...
    clock = int alpha q u^(q-1)/(u^p + alpha) du = sum of powers of u + sum over u_0^p = -alpha of c log(u - u_0),

without a constant term at infinity.  Where alpha v^(-kappa) is small the series of powers (with a logarithm when
kappa = 1/j) is faster than the logarithms.

Tiny case.  kappa = 1/2: clock = 2 alpha (sqrt(v) - alpha log(sqrt(v) + alpha)).

Known limits.  kappa is a fraction with a numerator up to `MOST_ROOTS`.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpc, mpf
from sympy import Expr, Symbol

from asympt.errors import PrecisionError, UnsupportedError
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time.step_sizes import Steps

MOST_ROOTS = 60
NEAR = 0.25  # the largest alpha v^(-kappa) for the series of powers


def mixing_steps(alpha: Expr, kappa: Expr) -> Steps:
    """delta_l for l >= 2; `kappa` a fraction with 0 < kappa <= 1.

    >>> from sympy import Integer
    >>> mixing_steps(Integer(1), Integer(1))
    Steps(weight=1, exponent=1, shift=1)
    """
    if kappa == 1:
        return Steps(alpha, kappa, alpha)
    if not (kappa.is_Rational and kappa.p <= MOST_ROOTS):
        raise UnsupportedError(
            f"kappa = {kappa} is not a fraction with a numerator up to {MOST_ROOTS}; take a fraction near it"
        )
    return MixingSteps(alpha, kappa)


@dataclass(frozen=True)
class MixingSteps(Steps):
    """delta = weight/(v^exponent + weight), v = l, 0 < exponent < 1.

    >>> from mpmath import nstr
    >>> from sympy import Integer, Rational
    >>> steps = MixingSteps(Integer(3), Rational(1, 2))
    >>> nstr(steps.clock(mpf(4)), 12), nstr(6 * (2 - 3 * mp.log(5)), 12)
    ('-16.9698824238', '-16.9698824238')
    """

    def powers(self, last) -> list[tuple[Expr, Expr]]:
        """delta = alpha v^(-kappa) - alpha^2 v^(-2 kappa) + ..., up to v^(-last)."""
        count = max(1, int(last // self.exponent))
        return [(self.exponent * n, -((-self.weight) ** n)) for n in range(1, count + 1)]

    def formula(self, layer: Symbol) -> Expr:
        """delta_l."""
        return self.weight / (layer**self.exponent + self.weight)

    def size(self, v):
        """delta at v."""
        weight = to_mpf(self.weight)
        return weight / (v ** to_mpf(self.exponent) + weight)

    def clock(self, v):
        """The integral of delta, without a constant term at infinity."""
        ratio = -to_mpf(self.weight) * v ** -to_mpf(self.exponent)
        return self._by_powers(v, ratio) if -ratio < NEAR else self._by_roots(v)

    def at(self, time):
        """v at which the clock shows `time`, by Newton's method (the clock is concave: from below it is monotone)."""
        v = max(super().at(time), mpf(1)) if time > 0 else mpf(1)
        for _ in range(500):
            change = (time - self.clock(v)) / self.size(v)
            v = max(v + change, v / 4)
            if abs(change) <= abs(v) * mp.eps * 64:
                return v
        raise PrecisionError(f"the layer at which the steps add up to {mp.nstr(time, 8)} was not found; ask for fewer "
                             "digits")

    def _by_powers(self, v, ratio):
        """v sum_n -ratio^n/(1 - n kappa), with log v for n kappa = 1."""
        p, q = int(self.exponent.p), int(self.exponent.q)
        total, power, n = mpf(0), mpf(1), 0
        while True:
            n, power = n + 1, power * ratio
            rest = q - n * p
            term = power * q / rest if rest else power * mp.log(v)
            total -= term
            if abs(power) * q <= mp.eps * abs(total) and n * p > q:
                return total * v

    def _by_roots(self, v):
        """Powers of u = v^(1/q) and the logarithms of u - u_0."""
        p, q, weight = int(self.exponent.p), int(self.exponent.q), to_mpf(self.weight)
        u = v ** (mpf(1) / q)
        total, factor, rest = mpf(0), weight * q, q - 1
        while rest >= p:  # u^rest = u^(rest - p) (u^p + alpha) - alpha u^(rest - p)
            total += factor * u ** (rest - p + 1) / (rest - p + 1)
            factor, rest = -factor * weight, rest - p
        logs = mp.fsum(residue * mp.log(u - root) for root, residue in _roots(weight, p, rest, mp.prec))
        return total + factor * mp.re(logs)


@lru_cache(maxsize=128)
def _roots(weight, p: int, rest: int, precision: int) -> list:
    """u_0 and the residue u_0^(rest + 1 - p)/p of u^rest/(u^p + weight)."""
    radius = weight ** (mpf(1) / p)
    if p == 1:
        return [(-radius, mpf(1))]
    roots = [radius * mp.expjpi(mpf(2 * j + 1) / p) for j in range(p)]
    return [(root, mpc(root) ** (rest + 1 - p) / p) for root in roots]


def is_summable(kappa: Expr) -> bool:
    """Whether the shares add up to a finite number.

    >>> from sympy import Integer, Rational
    >>> is_summable(Rational(3, 2)), is_summable(Integer(1))
    (True, False)
    """
    return bool(kappa > 1)
