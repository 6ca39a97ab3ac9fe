"""The flow of a scaled residual network in numbers, from the original layer: h, h', f, the flow time and the clock.

Problem.  The checks of a law must not use the derivation's series of h, its flow time or its sums.

Rule.  h = gamma - (1 - f(1 - gamma)) and h' = 1 - f' from the layer's correlation map.  With t = sqrt(gamma) and
h = c t^3 (1 + O(t^2)), the flow time without a constant term is

    T = 2/(c t) + int_0^t (2/(c s^2) - 2 s/h(s^2)) ds,

by Gauss's quadrature.  The clock is what is left of sum_k delta_k, delta = alpha/(l^kappa + alpha), without its
constant:  alpha log l for kappa = 1, else the sum of -(-alpha)^n l^(1 - n kappa)/(1 - n kappa) with 1 - n kappa >= -1.

Tiny case.  h = 2 t^3: T = 1/t.
"""

from dataclasses import dataclass
from functools import cached_property

from mpmath import mp, mpf
from sympy import Expr

from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import LAYER, Statement
from asympt.numbers import to_mpf

LOST = 2  # digits of the integrand lost per digit of s, which Gauss's nodes keep above 1/1000
NEWTON = 200


@dataclass(frozen=True)
class ScaledFlow:
    """One network's flow, read off its statement."""

    statement: Statement

    @cached_property
    def _map(self) -> CorrelationMap:
        return CorrelationMap.of(self.statement.layer)

    @property
    def kappa(self) -> Expr:
        """The branch has the variance l^(-kappa)."""
        return -(LAYER * self.statement.branch.diff(LAYER) / self.statement.branch).simplify()

    @property
    def alpha(self):
        """The variance that a branch adds, in units of l^(-kappa)."""
        return to_mpf(self.statement.layer.chi)

    @property
    def lead(self):
        """c: f = 1 - t^2 + (2 sqrt(2)/3) rho t^3 + ..."""
        return 2 * mp.sqrt(2) * to_mpf(self.statement.layer.activation.asymmetry) / 3

    def drift(self, gap):
        """h, with the digits that the difference costs."""
        with mp.workprec(mp.prec + max(0, -mp.mag(gap)) // 2 + 10):
            found = gap - self._map.gap(gap)
        return +found

    def pull(self, gap):
        """h'."""
        with mp.workprec(mp.prec + max(0, -mp.mag(gap)) // 2 + 10):
            found = 1 - self._map.gap_slope(gap)
        return +found

    def drop(self, gap):
        """1 - f."""
        return self._map.gap(gap)

    def branch_share(self, layer):
        """delta at a real layer."""
        gain = self.alpha / layer ** to_mpf(self.kappa)
        return gain / (1 + gain)

    def time(self, gap):
        """T."""
        t = mp.sqrt(gap)

        def rest(s):
            with mp.workprec(mp.prec + LOST * max(0, -mp.mag(s)) + 20):
                return 2 / (self.lead * s**2) - 2 * s / self.drift(s**2)

        return 2 / (self.lead * t) + mp.quad(rest, [0, t / 2, t], method="gauss-legendre")

    def gap_at(self, time):
        """gamma where the flow time is `time`, by Newton's method with T' = -1/h."""
        gap = (2 / (self.lead * time)) ** 2
        for _ in range(NEWTON):
            change = (self.time(gap) - time) * self.drift(gap)
            gap += change
            if abs(change) <= abs(gap) * mp.eps * 1000:
                return gap
        raise ArithmeticError(f"no gap was found at the flow time {mp.nstr(time, 8)}")

    def clock(self, layer, logarithm=None):
        """The sum of the steps without its constant, up to O(l^(-kappa)); `logarithm` may stand for log l."""
        kappa, alpha = self.kappa, self.alpha
        logarithm = mp.log(layer) if logarithm is None else logarithm
        if kappa == 1:
            return alpha * logarithm
        total, n = mpf(0), 0
        while (n + 1) * kappa <= 2:
            n += 1
            rest = to_mpf(1 - n * kappa)
            total -= (-alpha) ** n * (layer**rest / rest if rest else logarithm)
        return total
