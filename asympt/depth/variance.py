"""The variances of all layers in closed form: q_l is an affine function of q_1.

Problem.  Iterated L times, q' = sigma_b^2 + chi q repeats the rounding of chi L times, and the diagonal of the
kernel is what users compare first.  For chi > 1 it overflows although every normalised quantity stays finite.

Rule.  q_l = A_l q_1 + B_l and K^L(x, x) = L A_L q_1 + D_L with

    A_l = chi^(l-1),      B_l = sigma_b^2 (A_l - 1)/(chi - 1),
    D_L = sigma_b^2 sum_{m=0}^{L-2} (m+1) chi^m = sigma_b^2 (1 - (n+1) chi^n + n chi^(n+1))/(1 - chi)^2,  n = L - 1.

`diagonal` evaluates these with mpmath, at a precision that outlasts the cancellation near chi = 1.
`Line` gives q_l for every layer in float64 through expm1((l-1) log chi), divided by A_l when chi > 1.

Example.  chi = 1, sigma_b^2 = b: q_L = q_1 + (L-1) b, K^L = L q_1 + b L (L-1)/2.
"""

from math import exp, expm1

import mpmath
import numpy as np

from asympt.depth.constants import DIGITS, precise
from asympt.meanfield.layer import Layer


def diagonal(layer: Layer, depth: int) -> tuple[float, float, float]:
    """(A_L, B_L, D_L): q_L = A q_1 + B and K^L(x, x) = L A q_1 + D, each rounded once; infinite beyond float64."""
    values = _critical_diagonal(layer, depth) if layer.is_critical else _geometric_diagonal(layer, depth)
    return tuple(float(value) for value in values)


def _critical_diagonal(layer: Layer, depth: int) -> tuple:
    with mpmath.workdps(DIGITS):
        bias, steps = precise(layer.bias_variance), depth - 1
        return mpmath.mpf(1), steps * bias, steps * depth * bias / 2


def _geometric_diagonal(layer: Layer, depth: int) -> tuple:
    n, lost = depth - 1, -mpmath.log10(abs(precise(layer.chi - 1)))
    with mpmath.workdps(DIGITS + max(0, 2 * int(lost))):
        chi, bias = precise(layer.chi, mpmath.mp.dps), precise(layer.bias_variance, mpmath.mp.dps)
        power = chi**n
        total = bias * (1 - power) / (1 - chi)
        return power, total, bias * (1 - (n + 1) * power + n * power * chi) / (1 - chi) ** 2


class Line:
    """q_l/S_l = at(l)[0] q_1 + at(l)[1] and at(l)[2] = bias/S_l, with the scale S_l = max(1, growth^(l-1)).

    q' = growth q + bias; the excess of growth over 1 and its logarithm have digits of their own.
    """

    def __init__(self, bias: float, growth: float, excess: float, log: float):
        self.bias, self.excess, self.log = bias, excess, log
        self.gain = min(1.0, growth)  # growth S_l/S_(l+1)

    def at(self, layer: int) -> tuple[float, float, float]:
        """(slope, intercept, bias) of layer `layer` in units of its scale."""
        if self.excess == 0:
            return 1.0, self.bias * (layer - 1), self.bias
        exponent = -abs((layer - 1) * self.log)  # of the power of chi that stays finite
        total = self.bias * -expm1(exponent) / abs(self.excess)
        return (1.0, total, self.bias * exp(exponent)) if self.log > 0 else (exp(exponent), total, self.bias)

    def unit(self, layer: int) -> float:
        """1/S_l."""
        return exp(-max(0.0, (layer - 1) * self.log))


class Variances:
    """The variances q, q' of every pair, layer by layer (arrays of one value when all pairs share it).

    `difference` is q_1 - q'_1, given apart because it may be far smaller than either.
    """

    def __init__(self, first: np.ndarray, second: np.ndarray, difference: np.ndarray):
        self.first, self.second, self.difference = first, second, difference

    def __getitem__(self, part) -> "Variances":
        """The variances of a slice of the pairs."""
        shared = self.first.size == 1
        return self if shared else Variances(self.first[part], self.second[part], self.difference[part])
