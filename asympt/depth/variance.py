"""The variances of layers that are all the same: q_l is an affine function of q_1.

Iterated L times, q' = b + g q repeats the rounding of g L times, and where g > 1 it overflows.  `Line` gives q_l =
g^(l-1) q_1 + b (g^(l-1) - 1)/(g - 1) for every layer through expm1((l-1) log g), divided by g^(l-1) when g > 1.
"""

from math import exp, expm1

import numpy as np


def single(variances: np.ndarray) -> float | None:
    """The variance that all have, or None."""
    return float(variances.flat[0]) if variances.size and np.ptp(variances) == 0 else None


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

    @property
    def shared(self) -> "Variances | None":
        """One value for each where all pairs have the same two, else None."""
        parts = self.first, self.second, self.difference
        return None if None in map(single, parts) else Variances(*(part[:1] for part in parts))

    def __getitem__(self, part) -> "Variances":
        """The variances of a slice of the pairs."""
        shared = self.first.size == 1
        return self if shared else Variances(self.first[part], self.second[part], self.difference[part])


def mixed_gap(gap: np.ndarray, bias: float, kept, apart, after) -> np.ndarray:
    """(e + chi r gap)/R: one layer's 1 - c' from 1 - f = gap, in the names of `loops.blocks`."""
    found = bias * apart
    found /= after + (bias + kept)
    found += kept * gap
    found /= after
    return found
