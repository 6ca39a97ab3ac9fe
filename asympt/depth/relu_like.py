"""A network of one ReLU-like activation a layer: which way its pairs take through the layers, and its diagonals.

    layers                                              way
    all alike, no scale                                 one table, by squaring              `squaring`
    different, but for all pairs the same               the loop on the nodes of a table    `FreeRun`
    with biases, drawn or learning                      the composed layers                 `composed`

On the diagonal q' = growth_l q + beta_l sigma_b^2, K' = growth_l K + lambda_b + lambda_W m_2 q and K^1 = u q^1 + v give
q_L = A q_1 + B, K^L(x, x) = F A q_1 + D; in plain networks F = L and A = chi^(L-1).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf

import mpmath
import numpy as np

from asympt.depth.composed.layers import blocks_of_statement
from asympt.depth.composed.run import ComposedStack
from asympt.depth.gaps import Inputs, Variances, require_held
from asympt.depth.squaring import HomogeneousLayer, MapStart, Repeated, Run, by_nodes
from asympt.depth.stack import (
    DIGITS,
    LONG,
    SLOW,
    DenseStack,
    LayerChange,
    LayerConstants,
    any_step,
    horner,
    level,
    lower_into,
    lowered,
    polynomials,
    precise,
)
from asympt.depth.workers import Progress

Tick = Callable[[int], None]
STRETCH = 2048  # layers between two looks at the largest gap, at most
FAINT = 2.0**-10  # shares below which the increments of E hardly change from the beginning


@dataclass(frozen=True)
class FreeRun:
    """Layers without a scale that differ, as a function of the gap.

    With kink weight kappa, share delta_l and source of `stack`, the state w = (1 - c)/2, k = K/q moves as

        w' = w - delta_l (w - w_f),     k' = (1 - delta_l (1 - f')) k + source_l (1 - 2 w_f),     w_f = (1 - f)/2,

    the map of a phi with kink weight delta_l kappa, taken by `any_step` while some w exceeds 1/2.  After that, with
    b = bend, T s = slope of `step` for kappa itself, and the deficit E = (K_l - k)/2 from the diagonal
    K_l = K_(l-1) + source_l, all terms are positive:

        w_f = w - b,     w' = w - delta_l b,     E' = E + delta_l s T (K_(l-1)/2 - E) + source_l w_f.
    """

    stack: DenseStack

    def __call__(self, gap: np.ndarray, tick: Tick, rest=None) -> tuple[np.ndarray, np.ndarray]:
        stack, w = self.stack, 0.5 * gap
        k, carry, owed = stack.first_rates[0] * (1.0 - gap), np.zeros_like(w), np.zeros_like(w)
        done, rest = 0, None if rest is None else 0.5 * rest
        while done < stack.depth - 1 and w.max() > 0.5:
            step, image = mixed_step(w, k, stack.numbers, stack.branch_share[done], rest)
            w, carry = lowered(step.base, step.drop, carry)
            k, owed = lowered(step.kernel, step.turn - stack.source[done] * (1.0 - 2.0 * image), owed)
            done, rest = done + 1, None
            tick(1)
        if done == stack.depth - 1:
            return 2.0 * w, k
        diagonal = diagonals(stack)
        descent = MixedDescent(w, carry, 0.5 * (diagonal[done] - k))
        descent.descend(stack, diagonal, done, tick)
        return 2.0 * descent.w, diagonal[-1] - 2.0 * descent.deficit


def diagonals(stack: DenseStack) -> np.ndarray:
    """K^l(x, x)/q_l in layers 1, ..., L."""
    start, source = np.longdouble(stack.first_rates[0]), stack.source.astype(np.longdouble)
    sums = source * np.arange(1, stack.depth) if stack.is_uniform else np.cumsum(source)
    return np.concatenate([[start], start + sums]).astype(float)


def mixed_step(w, k, constants: LayerConstants, share: float, rest=None) -> tuple[LayerChange, np.ndarray]:
    """(one layer as `any_step` has it, w_f) for any w in [0, 1]."""
    kink_weight, linear_weight = share * constants.kink_weight, (1.0 - share) + share * constants.linear_weight
    step = any_step(w, k, replace(constants, kink_weight=kink_weight, linear_weight=linear_weight), rest)
    return step, w - ((w - step.base) + step.drop) / share


class MixedDescent:
    """Layers with w <= 1/2: `w` and `deficit` E; all arrays are its own."""

    def __init__(self, w: np.ndarray, carry: np.ndarray, deficit: np.ndarray):
        self.w, self.deficit = w, deficit
        self._carry, self._owed = carry, np.zeros_like(w)
        self._root, self._bent, self._turned, self._spare = (np.empty_like(w) for _ in range(4))

    def descend(self, stack: DenseStack, diagonal: np.ndarray, done: int, tick: Tick) -> None:
        """The layers that remain, in stretches: the gaps only fall, so the polynomials of a stretch serve all of it."""
        at, curves = None, None
        while done < stack.depth - 1:
            here = level(self.w.max())
            if here != at:
                at, curves = here, polynomials(stack.numbers, here)
            part = slice(done, min(done + 1 + (done + 1) // 8, done + STRETCH, stack.depth - 1))
            self.advance(done + 1, stack.branch_share[part], stack.source[part], 0.5 * diagonal[part], *curves)
            tick(part.stop - done)
            done = part.stop

    def is_slow(self, bending: tuple, share: float) -> bool:
        """True when some gap moves so little per layer that its rounding errors all fall on the same side."""
        smallest = np.min(self.w, where=self.w > 0, initial=1.0)
        return share * np.sqrt(smallest) * bending[-1] < SLOW

    def advance(self, layer: int, shares, sources, halves, bending: tuple, slope: tuple) -> None:
        """One step from layer `layer` for every entry of `shares`; the loop in which all the time is spent."""
        w, deficit, carry, owed = self.w, self.deficit, self._carry, self._owed
        root, bent, turned, spare = self._root, self._bent, self._turned, self._spare
        multiply, subtract, sqrt = np.multiply, np.subtract, np.sqrt
        slow, long = self.is_slow(bending, shares.min()), layer >= LONG or shares.min() < FAINT
        if not slow:
            carry.fill(0.0)  # what an earlier, larger w carried would be an error in a smaller one
        numbers = (map(np.array, part.tolist()) for part in (shares, sources, halves))
        for share, source, half in zip(*numbers, strict=True):
            sqrt(w, root)
            horner(bending, w, bent)
            horner(slope, w, turned)
            multiply(bent, root, bent)
            multiply(bent, w, bent)
            multiply(turned, root, turned)
            multiply(turned, share, turned)
            subtract(deficit, half, root)  # -(k/2)
            multiply(turned, root, turned)
            subtract(w, bent, root)
            multiply(root, source, root)
            subtract(turned, root, turned)
            multiply(bent, share, bent)
            if slow:
                w, spare = lower_into(w, bent, carry, spare)
            else:
                subtract(w, bent, w)
            if long:
                deficit, spare = lower_into(deficit, turned, owed, spare)
            else:
                subtract(deficit, turned, deficit)
        self.w, self.deficit, self._spare = w, deficit, spare


@dataclass(frozen=True)
class ReluLikeStack(DenseStack):
    """The layers of such a network; where biases give it a scale, they go through the composed layers."""

    @property
    def is_scale_free(self) -> bool:
        return not self.has_scale

    @cached_property
    def walked(self) -> ComposedStack:
        return ComposedStack(blocks_of_statement(self.statement), self.depth, self.statement)

    def inputs(self, rows: np.ndarray, name: str = "X") -> Inputs:
        return self.walked.inputs(rows, name) if self.has_scale else super().inputs(rows, name)

    def function(self, variances: np.ndarray | None, twice: bool = True) -> Run | None:
        if self.has_scale:
            return self.walked.function(variances, twice)
        if not self.is_uniform:
            return partial(by_nodes, FreeRun(self))
        share, source = (float(precise(value)) for value in (self.statement.branch_share, self.statement.source))
        layer = HomogeneousLayer(self.numbers, share=share, rate=source)
        return Repeated(layer, self.depth - 1, MapStart(self.first_rates[0], 0.0))

    def of_every_pair(self, gap: np.ndarray, variances: Variances, report: Progress, workers: int = 1,
                      twice: bool = False, rest: np.ndarray | None = None) -> tuple:  # fmt: skip
        return self.walked.of_every_pair(gap, variances, report, workers, twice, rest)

    def diagonal(self, inputs: Inputs, shift: int) -> tuple[np.ndarray, np.ndarray]:
        variance, ntk = _at(self, inputs.variance, shift)
        require_held(
            inputs.variance, variance, ntk, self.depth, inputs.what, remedy=f", or divide {inputs.name} by a common "
            "factor", is_finite=lambda layer: np.isfinite(_at(replace(self, depth=layer), inputs.variance.max(),
                                                              shift)).all(),
        )  # fmt: skip
        return variance, ntk


def _at(stack: ReluLikeStack, first: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    try:  # A, B, F and D
        slope, intercept, factor, kernel = _by_power(stack) if stack.is_uniform else _by_layers(stack)
    except OverflowError:
        slope = intercept = factor = kernel = inf
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.ldexp(slope * first + intercept, 2 * shift)
        return variance, np.ldexp(factor * (slope * first) + kernel, 2 * shift)


def _by_power(stack: ReluLikeStack) -> tuple:
    """Equal layers, composed by squaring: only sums of positive terms."""
    s, total = stack.statement, (1, 0, 0, 0)
    ratio, steps = s.first.weight_rate / s.first.weight, stack.depth - 1
    layer = s.growth, s.branch * s.layer.bias_variance, s.weight_rate * s.activation.second_moment, s.bias_rate
    with mpmath.workdps(DIGITS + len(str(steps))):
        *layer, ratio, rest = (
            precise(v, mpmath.mp.dps) for v in (*layer, ratio, s.first.bias_rate - ratio * s.first.bias)
        )
        for digit in bin(steps)[2:]:
            total = _after(total, total)
            total = _after(total, layer) if digit == "1" else total
        slope, intercept, learnt, kernel = total
        return tuple(map(float, (slope, intercept, ratio + learnt / slope, kernel + slope * rest)))


def _after(one: tuple, two: tuple) -> tuple:
    """`two` after `one`, (a, b, c, d) for q' = a q + b and K' = a K + c q + d."""
    (a, b, c, d), (slope, intercept, learnt, kernel) = one, two
    return slope * a, slope * b + intercept, slope * c + learnt * a, slope * d + learnt * b + kernel


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
