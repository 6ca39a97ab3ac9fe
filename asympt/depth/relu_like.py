"""A network of one ReLU-like activation a layer: which way its pairs take through the layers, and its diagonals.

    layers                                              way
    all alike, no scale                                 one table, by squaring              `squaring`
    all alike once the variances have settled           the loop until then, then one table, 1 - c' = chi (1 - f),
                                                        k' = chi f' k + (lambda_b + lambda_W m_2 q* f)/q*
    different, but for all pairs the same               the loop on the nodes of a table    `squaring.whole`
    different for every pair (variances of their own)   the loop, in blocks                 `biased`

On the diagonal q' = growth_l q + beta_l sigma_b^2, K' = growth_l K + lambda_b + lambda_W m_2 q and K^1 = u q^1 + v give
q_L = A q_1 + B, K^L(x, x) = F A q_1 + D; in plain networks F = L, n = L - 1, A = chi^n and
B = sigma_b^2 (A - 1)/(chi - 1),

    D = sigma_b^2 sum_{m=0}^{L-2} (m+1) chi^m = sigma_b^2 (1 - (n+1) chi^n + n chi^(n+1))/(1 - chi)^2.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf, log

import mpmath
import numpy as np

from asympt.depth.constants import DIGITS, LayerConstants, constants, precise
from asympt.depth.gaps import require_visible
from asympt.depth.inputs import Inputs, Variances, single
from asympt.depth.loops.biased import BiasedBlock, cut
from asympt.depth.loops.mixed import MixedBlock
from asympt.depth.squaring import HomogeneousLayer, MapStart, Repeated, many_layers
from asympt.depth.squaring.whole import GapFunction, OnNodes
from asympt.depth.stack import DenseStack
from asympt.depth.workers import Progress, run, ticking
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.layer import Layer

SETTLED = 1e-16
Tick = Callable[[int], None]


@dataclass(frozen=True)
class ReluLikeStack(DenseStack):
    """The layers of such a network."""

    in_processes = True

    @property
    def is_scale_free(self) -> bool:
        """Whether c and K/q move the same way at every variance."""
        return not self.has_scale

    @cached_property
    def numbers(self) -> LayerConstants:
        """The constants of a layer."""
        return constants(self.statement.layer)

    def inputs(self, rows: np.ndarray, name: str = "X") -> Inputs:
        """One set of inputs; an error where K depends on what is not said."""
        found = super().inputs(rows, name)
        if self.has_scale and self.statement.layer.bias_variance == 0 and (found.variance == 0).any():
            raise UnsupportedError(
                f"{found.name} has a row of zeros, whose variance stays 0 while biases learn: its NTK depends on the "
                "slope of phi at 0; leave the row out, or take sigma_b > 0"
            )
        return found

    # ---- pairs --------------------------------------------------------------------------------------

    def function(self, variances: np.ndarray | None, twice: bool = True) -> GapFunction | None:
        """The layers as a function of the gap alone, if they are one; `variances` of layer 1, None: the fixed point."""
        if self.has_scale:
            variance = self.required_fixed_point if variances is None else single(variances)
            return None if variance is None else OnNodes(TiedRun(self, variance))
        if not self.is_uniform:
            return OnNodes(FreeRun(self))
        share, source = (float(precise(value)) for value in (self.statement.branch_share, self.statement.source))
        layer = HomogeneousLayer(self.numbers, share=share, rate=source)
        return Repeated(layer, self.depth - 1, MapStart(self.first_rates[0], 0.0))

    def of_every_pair(self, gap: np.ndarray, variances: Variances, report: Progress, workers: int = 1,
                      twice: bool = False, rest: np.ndarray | None = None) -> tuple:  # fmt: skip
        """(1 - c^L, K^L/sqrt(q_L q_L')) of flat gaps with variances of every pair: blocks that fit the cache."""
        if (shared := variances.shared) is not None:
            return TiedBlock(self, gap, shared, rest).run(ticking(report, gap.size))
        ends, kernels = np.empty(gap.size), np.empty(gap.size)

        def keep(part, end, kernel):
            ends[part], kernels[part] = end, kernel

        parts = list(cut(gap.size))
        rest = 2.0 - gap if rest is None else rest
        blocks = ((part, TiedBlock(self, gap[part], variances[part], rest[part])) for part in parts)
        run(blocks, max(1, min(workers, len(parts))), report, keep)
        return ends, kernels

    # ---- the fixed point of the variance ------------------------------------------------------------

    @cached_property
    def settled_variance(self) -> float | None:
        """q* of equal layers with a bias and chi < 1, else None."""
        statement, numbers = self.statement, self.numbers
        settles = not statement.skip and statement.branch == 1 and numbers.bias > 0 and numbers.chi_excess < 0
        return float(precise(statement.layer.bias_variance / (1 - statement.layer.chi))) if settles else None

    @property
    def required_fixed_point(self) -> float:
        """q*; an error where there is none."""
        layer, found = self.statement.layer, self.settled_variance
        if found is not None:
            return found
        if self.statement.skip or layer.bias_variance == 0 or self.statement.branch != 1:
            raise InputError(
                "variance = None, but the network's variance has no fixed point and its kernel depends on it; give "
                "variance, the q^1 of the first layer"
            )
        raise InputError(
            f"variance = None with sigma_b^2 = {layer.bias_variance} and chi = {layer.chi}, where the variance has no "
            "fixed point; give variance, the q^1 of the first layer"
        )

    @property
    def settled_layer(self) -> HomogeneousLayer | None:
        """The layer that all are at q*; None where variances never settle, or layers differ even there."""
        statement, numbers, fixed = self.statement, self.numbers, self.settled_variance
        if fixed is None or not self.is_uniform:
            return None
        constant = float(precise(statement.bias_rate)) / fixed
        rate = float(precise(statement.weight_rate * statement.activation.second_moment))
        return HomogeneousLayer(numbers, chi_excess=numbers.chi_excess, constant=constant, rate=rate)

    # ---- the diagonal -------------------------------------------------------------------------------

    def diagonal(self, inputs: Inputs, shift: int) -> tuple[np.ndarray, np.ndarray]:
        """(q_L, K^L(x, x)) of inputs given in units of 2^shift."""
        variance, ntk = _at(self, inputs.variance, shift)
        if not (np.isfinite(variance).all() and np.isfinite(ntk).all()):
            first = _first_overflow(self, inputs.variance.max(), shift)
            raise UnsupportedError(
                f"the NTK of layer {self.depth} exceeds the float64 range, from layer {first} on; "
                "use asympt.depth.pairs, which returns values normalised by the variance, or divide "
                f"{inputs.name} by a common factor"
            )
        require_visible(inputs.variance, variance, self.depth, inputs.what)
        return variance, ntk


@dataclass(frozen=True)
class FreeRun:
    """The loop of layers that differ, as a function of the gap."""

    stack: ReluLikeStack

    def __call__(self, gap: np.ndarray, tick: Tick, rest=None) -> tuple[np.ndarray, np.ndarray]:
        """(gap_L, k_L)."""
        return MixedBlock(self.stack, self.stack.numbers, gap, rest).run(tick)


@dataclass(frozen=True)
class TiedRun:
    """The loop of pairs whose inputs all have the variance q."""

    stack: ReluLikeStack
    variance: float

    def __call__(self, gap: np.ndarray, tick: Tick, rest=None) -> tuple[np.ndarray, np.ndarray]:
        """(gap_L, k_L)."""
        q = np.array([self.variance])
        return TiedBlock(self.stack, gap, Variances(q, q, 0.0 * q), rest).run(tick)


@dataclass(frozen=True)
class TiedBlock:
    """Pairs with variances of their own: the loop until these have settled, if they do, then one table."""

    stack: ReluLikeStack
    gap: np.ndarray
    variances: Variances
    rest: np.ndarray | None = None

    @property
    def depth(self) -> int:
        """L."""
        return self.stack.depth

    def run(self, tick: Tick) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c^L, K^L/sqrt(q_L q_L')); `tick(layers)` is called as layers are done."""
        reached, layer = self.depth, self.stack.settled_layer
        if layer is not None:
            reached = self._settled_at(self.stack.settled_variance)
        block = BiasedBlock(replace(self.stack, depth=reached), self.stack.numbers, self.gap, self.variances, self.rest)
        gap, kernel = block.run(tick)
        if reached == self.depth:
            return gap, kernel
        found = many_layers(layer, self.depth - reached, gap, kernel)
        tick(self.depth - reached)
        return found

    def _settled_at(self, fixed: float) -> int:
        """The first layer in which all variances are q*, at most L."""
        away = max(np.abs(q / fixed - 1).max(initial=0.0) for q in (self.variances.first, self.variances.second))
        if away <= SETTLED:
            return 1
        return min(self.depth, 1 + ceil(log(SETTLED / away) / self.stack.numbers.log_chi))


# ---- the diagonals ----------------------------------------------------------------------------------------------


def _at(stack: ReluLikeStack, first: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """(q_L, K^L(x, x)), infinite where they leave the float64 range."""
    try:
        slope, intercept, factor, kernel = diagonal_map(stack)
    except OverflowError:
        slope = intercept = factor = kernel = inf
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.ldexp(slope * first + intercept, 2 * shift)
        return variance, np.ldexp(factor * (slope * first) + kernel, 2 * shift)


def _first_overflow(stack: ReluLikeStack, largest: float, shift: int) -> int:
    """The first layer whose NTK is beyond the float64 range, by bisection."""
    low, high = 0, stack.depth
    while high - low > 1:
        middle = (low + high) // 2
        values = _at(replace(stack, depth=middle), np.array([largest]), shift)
        low, high = (middle, high) if np.isfinite(values).all() else (low, middle)
    return high


def diagonal_map(stack: ReluLikeStack) -> tuple[float, float, float, float]:
    """(A, B, F, D), infinite where they exceed the float64 range."""
    if stack.statement.is_plain:
        slope, intercept, kernel = plain_diagonal(stack.statement.layer, stack.depth)
        return slope, intercept, stack.depth, kernel
    return _by_power(stack) if stack.is_uniform else _by_layers(stack)


def _by_power(stack: ReluLikeStack) -> tuple:
    """The layer as a matrix on (1, q, K), to the power L - 1."""
    s = stack.statement
    with mpmath.workdps(DIGITS):
        exact = (s.growth, s.branch * s.layer.bias_variance, s.weight_rate * s.activation.second_moment)
        growth, bias, weight = map(precise, exact)
        layer = mpmath.matrix([[1, 0, 0], [bias, growth, 0], [precise(s.bias_rate), weight, growth]])
        total = _power(layer, stack.depth - 1)
        ratio = precise(s.first.weight_rate / s.first.weight)
        rest = precise(s.first.bias_rate) - ratio * precise(s.first.bias)
        slope, intercept = total[1, 1], total[1, 0]
        return tuple(
            float(value) for value in (slope, intercept, ratio + total[2, 1] / slope, total[2, 0] + total[2, 2] * rest)
        )


def _power(matrix: mpmath.matrix, count: int) -> mpmath.matrix:
    """By squaring; only products, so that nothing is inverted."""
    total = mpmath.eye(3)
    while count:
        if count % 2:
            total = total * matrix
        matrix, count = matrix * matrix, count // 2
    return total


def _by_layers(stack: ReluLikeStack) -> tuple:
    ratio, rest = stack.first_rates
    factor = ratio + float(np.sum(stack.source.astype(np.longdouble)))  # K/q of an input whose variance only grows
    growth, bias, bias_rate, weight = (
        values.tolist() for values in (stack.growth, stack.bias, stack.bias_rate, stack.source * stack.growth)
    )
    slope, intercept, kernel = 1.0, 0.0, rest
    for g, b, r, w in zip(growth, bias, bias_rate, weight, strict=True):
        kernel = g * kernel + r + w * intercept
        slope, intercept = g * slope, g * intercept + b
    return slope, intercept, factor, kernel


def plain_diagonal(layer: Layer, depth: int) -> tuple[float, float, float]:
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
