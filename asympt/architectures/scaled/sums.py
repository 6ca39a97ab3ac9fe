"""Sums over the layers of a scaled residual network: the NTK of one input and the growth of the variance.

Problem.  K^L(x, x)/q_L = 1 + sum_(k=2)^L delta_k and log(q_L/q_1) = sum_(k=2)^L log(1 + alpha k^(-kappa)), exactly;
give their numbers at L = 10^100 and their expansions for large L.

Rule.  kappa = 1: digamma and Gamma functions,

    1 + alpha (psi(L+1+alpha) - psi(2+alpha)),      log Gamma(L+1+alpha) - log Gamma(L+1) - log Gamma(2+alpha).

Otherwise Euler and Maclaurin: with G' = g and no constant term in G at infinity,

    sum_(k=2)^L g(k) = G(L) + s + g(L)/2 + g'(L)/12 - g'''(L)/720 + ...,

where the constant s is what the sum up to a moderate layer leaves.  G is the clock of `steps`, or
v log(1 + alpha v^(-kappa)) + kappa clock(v).

Tiny case.  alpha = kappa = 1: K^L(x, x)/q_L = 1 + 1/3 + 1/4 + ... + 1/(L+1) and q_L/q_1 = (L+1)/2.

Known limits.  kappa a fraction (see `steps`).
"""

from dataclasses import dataclass
from math import ceil

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, loggamma, polygamma

from asympt.architectures.scaled.steps import MixingSteps
from asympt.errors import PrecisionError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.series import logarithm, power
from asympt.numbers import to_mpf
from asympt.recursions.agreement import DEEPER, agreed
from asympt.recursions.coordinates.flow_time.inversion import AT_DEPTH, antidifference

FEWEST = 60
SPARE, APART = 5, 7  # digits of the first route beyond those asked, and of the second beyond the first


@dataclass(frozen=True)
class LayerSum:
    """sum_(k=2)^L g(k), g = delta_k (`logarithmic` False) or log(1 + alpha k^(-kappa)).

    >>> from mpmath import nstr
    >>> nstr(LayerSum(Integer(1), Integer(1), False).at(4, 12), 12), nstr(mpf(1) / 3 + mpf(1) / 4 + mpf(1) / 5, 12)
    ('0.783333333333', '0.783333333333')
    """

    alpha: Expr
    kappa: Expr
    logarithmic: bool

    # ---- formulas -------------------------------------------------------------------------------

    def formula(self, depth: Expr) -> Expr | None:
        """The sum as a function of the depth, for kappa = 1."""
        if self.kappa != 1:
            return None
        alpha = self.alpha
        if self.logarithmic:
            return loggamma(depth + 1 + alpha) - loggamma(depth + 1) - loggamma(2 + alpha)
        return alpha * (polygamma(0, depth + 1 + alpha) - polygamma(0, 2 + alpha))

    def constant_formula(self) -> Expr | None:
        """s, for kappa = 1."""
        if self.kappa != 1:
            return None
        return -loggamma(2 + self.alpha) if self.logarithmic else -self.alpha * polygamma(0, 2 + self.alpha)

    def expansion(self, order: Rational) -> Expansion:
        """The sum for large v = L without its constant s, up to O(v^(-order))."""
        last = order + 1
        count = max(1, int(last // self.kappa) + 1)
        weights = {n * self.kappa: self._weight(n) for n in range(1, count + 1)}
        rest = Formal(Monomial((count + 1) * self.kappa))
        shifted = Expansion.build(AT_DEPTH, {(p, 0): c for p, c in weights.items()}, rest)
        growth = shifted.compose(Expansion.variable(AT_DEPTH) + 1)
        return antidifference(growth).up_to(Monomial(order))

    def _weight(self, n: int) -> Expr:
        """The coefficient of v^(-n kappa) in g."""
        return -((-self.alpha) ** n) / (n if self.logarithmic else 1)

    # ---- numbers --------------------------------------------------------------------------------

    def at(self, depth: int, digits: int, deeper=1):
        """The sum up to layer `depth`."""
        with mp.workdps(digits + 15):
            turn = self._turn(digits, deeper)
            if depth <= turn:
                return mp.fsum(self._size(mpf(k)) for k in range(2, depth + 1))
            return self._smooth(mpf(depth)) + self.constant(digits, deeper)

    def constant(self, digits: int, deeper=1):
        """s."""
        with mp.workdps(digits + 15):
            turn = self._turn(digits, deeper)
            return mp.fsum(self._size(mpf(k)) for k in range(2, turn + 1)) - self._smooth(mpf(turn))

    def certified(self, depth: int, digits: int):
        """The sum up to layer `depth`, agreed upon by two routes."""
        if depth == 1:
            return mpf(0)
        return agreed(lambda extra: [self.at(depth, *route) for route in _routes(digits + extra)], digits)

    def certified_constant(self, digits: int):
        """s, agreed upon by two routes."""
        return agreed(lambda extra: [self.constant(*route) for route in _routes(digits + extra)], digits)

    def _turn(self, digits: int, deeper) -> int:
        """The layer from which Euler and Maclaurin's series is used."""
        return int(max(FEWEST, 2 * digits) * deeper)

    def _size(self, v):
        ratio = to_mpf(self.alpha) * v ** -to_mpf(self.kappa)
        return mp.log1p(ratio) if self.logarithmic else ratio / (1 + ratio)

    def _smooth(self, v):
        """G + g/2 + g'/12 - ... at v."""
        jet = self._jet(v)
        total = self._integral(v) + jet[0] / 2
        for n in range(1, len(jet) // 2):
            term = mp.bernoulli(2 * n) / (2 * n) * jet[2 * n - 1] / v ** (2 * n - 1)
            total += term
            if abs(term) <= mp.eps:
                return total
        raise PrecisionError("the sum over the layers was not reached to the digits asked; ask for fewer")

    def _integral(self, v):
        steps = MixingSteps(self.alpha, self.kappa) if self.kappa != 1 else None
        alpha = to_mpf(self.alpha)
        clock = steps.clock(v) if steps else alpha * mp.log(v + alpha)
        if not self.logarithmic:
            return clock
        whole = v * mp.log1p(alpha * v ** -to_mpf(self.kappa)) + to_mpf(self.kappa) * clock
        return whole - to_mpf(self._left_over())

    def _left_over(self) -> Expr:
        """The constant in v log(1 + alpha v^(-kappa)) at infinity: there is one when 1/kappa is a whole number."""
        times = 1 / self.kappa
        return self._weight(int(times)) if times.is_Integer else Integer(0)

    def _jet(self, v) -> list:
        """The Taylor coefficients of g(v (1 + z)) in z."""
        count = 2 * ceil(mp.dps / 3) + 12  # the terms fall like (m/(4 pi e digits))^m
        ratio, kappa = to_mpf(self.alpha) * v ** -to_mpf(self.kappa), to_mpf(self.kappa)
        fall = [mpf(1)]
        for k in range(1, count):
            fall.append(fall[-1] * (-kappa - k + 1) / k)
        base = 1 + ratio
        shape = [mpf(1)] + [ratio * c / base for c in fall[1:]]
        if self.logarithmic:
            return [mp.log(base), *logarithm(shape, len(shape))[1:]]
        inverse = power(shape, mpf(-1), len(shape))
        return [ratio / base] + [-c / base for c in inverse[1:]]


def _routes(digits: int) -> tuple:
    """(digits, how much further single layers are added up) of two routes."""
    return (digits + SPARE, 1), (digits + SPARE + APART, DEEPER)
