"""All layers of one block of pairs of a ReLU-like network whose biases are drawn or learn, whatever its architecture.

With the coefficients of `stack`, b = beta_l sigma_b^2, g = growth_l, r = sqrt(q q'), R = r of the next layer,
m = (sqrt q - sqrt q')^2 = (q - q')^2/(q + q' + 2r) and f_delta = (1 - delta_l) c + delta_l f,

    q -> g q + b,     e = b g m/(R + b + g r),     R = b + g r + e   (exactly),
    1 - c' = (e + g r (1 - f_delta))/R,     k' = (g r/R) f_delta' k + (lambda_b + source_l g r f)/R:

sums of positive terms minus a small part.  Variances are in units of the growth so far, which may leave the float64
range.  Pairs do not interact: a block that fits the cache runs through all its layers before the next one starts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from asympt.depth.constants import LayerConstants
from asympt.depth.inputs import Variances
from asympt.depth.loops.mixed import mixed_step
from asympt.depth.loops.step import lowered
from asympt.depth.stack import DenseStack

SMALLEST, LARGEST, PARTS = 2048, 16384, 8
VANISHED = 1e-290  # with a bias gaps fall geometrically: below this a block's gaps are 0, before arithmetic slows down


def cut(pairs: int) -> Iterator[slice]:
    """Slices of nearly equal length that cover range(pairs), 2,048 to 16,384 pairs long where possible.

    >>> [part.stop for part in cut(5000)]
    [1667, 3334, 5000]
    """
    size = min(LARGEST, max(SMALLEST, -(-pairs // PARTS)))
    parts = -(-pairs // size)
    edges = [-(-pairs * part // max(parts, 1)) for part in range(parts + 1)]
    return (slice(start, stop) for start, stop in pairwise(edges))


class Mixture:
    """A layer's bias: `kept` = chi r, `apart` = chi m and `after` = R as in the head of this file."""

    def __init__(self, bias, kept, apart, after):
        extra = bias * apart / (after + (bias + kept))
        self.source = 0.5 * (extra / after)
        self.lost = (bias + extra) / after
        self.share = kept / after
        self.mild = np.max(self.lost, initial=0.0) <= 0.5  # then 1 - lost is better than the rounded share

    def apply(self, base, drop, source, carry) -> tuple[np.ndarray, np.ndarray]:
        """(chi r/R)(base - drop) + source, and the carry of `lowered`."""
        remaining = base - drop
        if self.mild:
            return lowered(base, drop + (self.lost * remaining - source), carry)
        return self.share * remaining + source, np.zeros_like(base)


@dataclass(frozen=True)
class BiasedBlock:
    """Pairs to iterate: coefficients, the constants of phi, 1 - c and the variances of layer 1, 1 + c if known."""

    stack: DenseStack
    constants: LayerConstants
    gap: np.ndarray
    variances: Variances
    rest: np.ndarray | None = None

    @property
    def depth(self) -> int:
        """L."""
        return self.stack.depth

    def run(self, tick: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c^L, K^L/sqrt(q_L q_L')); `tick(layers)` is called as layers are done."""
        stack, here = self.stack, PairVariances.of(self.variances)
        w, k = 0.5 * self.gap, stack.first_kernel(self.gap, here.mean)
        carry, owed, rest = np.zeros_like(w), np.zeros_like(w), None if self.rest is None else 0.5 * self.rest
        for index, (following, bias, gain) in enumerate(self._variances()):
            step, image = mixed_step(w, k, self.constants, stack.branch_share[index], rest)
            mixture = Mixture(bias, gain * here.mean, gain * here.apart, following.mean)
            learned = stack.source[index] * gain * here.mean * (1.0 - 2.0 * image)
            learned = (learned + stack.bias_rate[index] * following.unit) / following.mean
            w, carry = mixture.apply(step.base, step.drop, mixture.source, carry)
            k, owed = mixture.apply(step.kernel, step.turn, learned, owed)
            if w.max() < VANISHED:
                w, carry = np.zeros_like(w), np.zeros_like(w)
            here, rest = following, None
            tick(1)
        return 2.0 * w, k

    def _variances(self) -> Iterator[tuple["PairVariances", float, float]]:
        """(variances, bias, growth) of layers 2, ..., L, in their units: in closed form where layers are all alike."""
        stack, here = self.stack, PairVariances.of(self.variances)
        if not stack.is_uniform:
            for growth, bias in zip(stack.growth, stack.bias, strict=True):
                here, scaled, gain = here.next(growth, bias)
                yield here, scaled, gain
            return
        line = stack.line
        for layer in range(2, self.depth + 1):
            slope, intercept, bias = line.at(layer)
            yield here.moved(slope, intercept, line.unit(layer)), bias, line.gain


@dataclass(frozen=True)
class PairVariances:
    """The variances of every pair in one layer, times `unit`: `mean` = sqrt(q q'), `apart` = (sqrt q - sqrt q')^2."""

    first: np.ndarray
    second: np.ndarray
    difference: np.ndarray
    unit: float

    @classmethod
    def of(cls, variances: Variances) -> "PairVariances":
        """Layer 1."""
        return cls(variances.first, variances.second, variances.difference, 1.0)

    @property
    def mean(self) -> np.ndarray:
        """sqrt(q q')."""
        return np.sqrt(self.first) * np.sqrt(self.second)

    @property
    def apart(self) -> np.ndarray:
        """(sqrt q - sqrt q')^2 without cancellation."""
        return self.difference**2 / (self.first + self.second + 2 * self.mean)

    def moved(self, slope: float, intercept: float, unit: float) -> "PairVariances":
        """A later layer, from the first."""
        return PairVariances(
            slope * self.first + intercept, slope * self.second + intercept, slope * self.difference, unit
        )

    def next(self, growth: float, bias: float) -> tuple["PairVariances", float, float]:
        """The next layer, and in its unit the bias and the growth."""
        unit, gain = self.unit / max(1.0, growth), min(1.0, growth)
        bias = bias * unit
        grown = PairVariances(gain * self.first + bias, gain * self.second + bias, gain * self.difference, unit)
        return grown, bias, gain
