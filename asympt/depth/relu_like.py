"""A network of one ReLU-like activation a layer: which way its pairs take through the layers, and its diagonals.

    layers                                              way
    all alike, no scale                                 one table, by squaring              `squaring`
    all alike once the variances have settled           the loop until then, then one table, 1 - c' = chi (1 - f),
                                                        k' = chi f' k + (lambda_b + lambda_W m_2 q* f)/q*
    different, but for all pairs the same               the loop on the nodes of a table    `squaring`
    different for every pair (variances of their own)   the loop, in blocks                 `biased`

On the diagonal q' = growth_l q + beta_l sigma_b^2, K' = growth_l K + lambda_b + lambda_W m_2 q and K^1 = u q^1 + v give
q_L = A q_1 + B, K^L(x, x) = F A q_1 + D; in plain networks F = L and A = chi^(L-1).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from math import ceil, inf, log

import mpmath
import numpy as np

from asympt.depth.gaps import Inputs, Variances, require_held, single
from asympt.depth.squaring import HomogeneousLayer, MapStart, Repeated, Run, by_nodes, many_layers
from asympt.depth.stack import (
    DIGITS,
    LONG,
    SLOW,
    VANISHED,
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
from asympt.depth.workers import Progress, run, ticking
from asympt.errors import InputError, UnsupportedError

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
        k, carry, owed = stack.first_kernel(gap, None), np.zeros_like(w), np.zeros_like(w)
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


SMALLEST, LARGEST, PARTS = 2048, 16384, 8


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
    """A layer's bias: `kept` = chi r, `apart` = chi m and `after` = R as in `biased`."""

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


def biased(stack: DenseStack, gap: np.ndarray, variances: Variances, rest, tick: Tick) -> tuple:
    """(1 - c^L, K^L/sqrt(q_L q_L')) of pairs with variances of their own: sums of positive terms minus a small part.

    With the coefficients of `stack`, b = beta_l sigma_b^2, g = growth_l, r = sqrt(q q'), R = r of the next layer,
    m = (sqrt q - sqrt q')^2 = (q - q')^2/(q + q' + 2r) and f_delta = (1 - delta_l) c + delta_l f,

        q -> g q + b,     e = b g m/(R + b + g r),     R = b + g r + e   (exactly),
        1 - c' = (e + g r (1 - f_delta))/R,     k' = (g r/R) f_delta' k + (lambda_b + source_l g r f)/R.
    """
    w, k = 0.5 * gap, stack.first_kernel(gap, variances.mean)
    carry, owed, rest = np.zeros_like(w), np.zeros_like(w), None if rest is None else 0.5 * rest
    for index, (following, bias, gain) in enumerate(_later(stack, variances)):
        step, image = mixed_step(w, k, stack.numbers, stack.branch_share[index], rest)
        mixture = Mixture(bias, gain * variances.mean, gain * variances.apart, following.mean)
        learned = stack.source[index] * gain * variances.mean * (1.0 - 2.0 * image)
        learned = (learned + stack.bias_rate[index] * following.unit) / following.mean
        w, carry = mixture.apply(step.base, step.drop, mixture.source, carry)
        k, owed = mixture.apply(step.kernel, step.turn, learned, owed)
        if w.max() < VANISHED:
            w, carry = np.zeros_like(w), np.zeros_like(w)
        variances, rest = following, None
        tick(1)
    return 2.0 * w, k


def _later(stack: DenseStack, variances: Variances) -> Iterator[tuple[Variances, float, float]]:
    """(variances, bias, growth) of layers 2, ..., L, in their units: in closed form where layers are all alike."""
    if not stack.is_uniform:
        for growth, bias in zip(stack.growth, stack.bias, strict=True):
            variances, scaled, gain = variances.next(growth, bias)
            yield variances, scaled, gain
        return
    line = stack.line
    for layer in range(2, stack.depth + 1):
        slope, intercept, bias = line.at(layer)
        yield variances.moved(slope, intercept, line.unit(layer)), bias, line.gain


SETTLED = 1e-16


@dataclass(frozen=True)
class ReluLikeStack(DenseStack):
    """The layers of such a network."""

    in_processes = True

    @property
    def is_scale_free(self) -> bool:
        return not self.has_scale

    def inputs(self, rows: np.ndarray, name: str = "X") -> Inputs:
        """One set of inputs; an error where K depends on what is not said."""
        found = super().inputs(rows, name)
        if self.has_scale and self.statement.layer.bias_variance == 0 and (found.variance == 0).any():
            raise UnsupportedError(
                f"{found.name} has a row of zeros, whose variance stays 0 while biases learn: its NTK depends on the "
                "slope of phi at 0; leave the row out, or take sigma_b > 0"
            )
        return found

    def function(self, variances: np.ndarray | None, twice: bool = True) -> Run | None:
        if self.has_scale:
            variance = self.required_fixed_point if variances is None else single(variances)
            return None if variance is None else partial(by_nodes, TiedRun(self, variance))
        if not self.is_uniform:
            return partial(by_nodes, FreeRun(self))
        share, source = (float(precise(value)) for value in (self.statement.branch_share, self.statement.source))
        layer = HomogeneousLayer(self.numbers, share=share, rate=source)
        return Repeated(layer, self.depth - 1, MapStart(self.first_rates[0], 0.0))

    def of_every_pair(self, gap: np.ndarray, variances: Variances, report: Progress, workers: int = 1,
                      twice: bool = False, rest: np.ndarray | None = None) -> tuple:  # fmt: skip
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

    @cached_property
    def settled_variance(self) -> float | None:
        """q* of equal layers with a bias and chi < 1, else None."""
        statement, numbers = self.statement, self.numbers
        settles = not statement.skip and statement.branch == 1 and numbers.bias > 0 and numbers.chi_excess < 0
        return float(precise(statement.layer.bias_variance / (1 - statement.layer.chi))) if settles else None

    @property
    def required_fixed_point(self) -> float:
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

    def diagonal(self, inputs: Inputs, shift: int) -> tuple[np.ndarray, np.ndarray]:
        variance, ntk = _at(self, inputs.variance, shift)
        require_held(
            inputs.variance, variance, ntk, self.depth, inputs.what, remedy=f", or divide {inputs.name} by a common "
            "factor", is_finite=lambda layer: np.isfinite(_at(replace(self, depth=layer), inputs.variance.max(),
                                                              shift)).all(),
        )  # fmt: skip
        return variance, ntk


@dataclass(frozen=True)
class TiedRun:
    """The loop of pairs whose inputs all have the variance q."""

    stack: ReluLikeStack
    variance: float

    def __call__(self, gap: np.ndarray, tick: Tick, rest=None) -> tuple[np.ndarray, np.ndarray]:
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
        return self.stack.depth

    def run(self, tick: Tick) -> tuple[np.ndarray, np.ndarray]:
        reached, layer = self.depth, self.stack.settled_layer
        if layer is not None:
            reached = self._settled_at(self.stack.settled_variance)
        gap, kernel = biased(replace(self.stack, depth=reached), self.gap, self.variances, self.rest, tick)
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
