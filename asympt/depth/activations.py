"""Layers of a phi that is not ReLU-like: `moving` or `norms` until all variances are q to 1e-13, then one look-up.

In the look-up k follows k' = f' k + constant + rate f; the diagonal follows K' = chi K + q in closed form.  Where the
variance has no stable fixed point above 0 (skip connections) no layer is looked up.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import ClassVar

import numpy as np

from asympt.depth.gaps import Inputs, Variances, require_held, single
from asympt.depth.moving import Added, Moving, Pairs, has_settled, settle
from asympt.depth.norms import Tiles, move_pairs
from asympt.depth.psi import parity_of
from asympt.depth.squaring import Run, Tabulated, by_nodes, many_layers
from asympt.depth.stack import DenseStack, precise
from asympt.depth.tables import iterated, tables
from asympt.depth.workers import Progress
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.layer import Layer


@lru_cache(maxsize=64)
def fixed_variance(layer: Layer) -> float | None:
    """The fixed point q of the layer's variance, found once; None when there is none."""
    try:
        return float(precise(layer.fixed_variance))
    except UnsupportedError:
        return None


def moving_of(layer: Layer) -> Moving:
    """phi, sigma_w^2 and sigma_b^2 in float64: a layer of a plain network."""
    return Moving(
        layer.activation.piecewise, float(precise(layer.weight_variance)), float(precise(layer.bias_variance))
    )


@dataclass(frozen=True)
class SmoothStack(DenseStack):
    """The layers of a network of one activation a layer that is not ReLU-like."""

    together = True
    is_scale_free: ClassVar[bool] = False

    def moving(self, layer: int) -> Moving:
        """Layer l + 1 = 2, 3, ..."""
        plain = self.plain
        if self.statement.is_plain:
            return plain
        branch = self.branch[layer - 1]
        added = Added(self.skip, self.weight_rate[layer - 1], self.bias_rate[layer - 1])
        return Moving(plain.phi, branch * plain.weight, branch * plain.bias, added)

    @cached_property
    def plain(self) -> Moving:
        return moving_of(self.statement.layer)

    def settled_variance(self) -> float | None:
        """The fixed point q > 0 of the variance; None where it never settles (skip connections) or tends to 0."""
        statement = self.statement
        if statement.skip or statement.branch != 1:
            return None
        return fixed_variance(statement.layer) or None

    @cached_property
    def is_odd(self) -> bool:
        return not any(self.bias_rate) and self.first_rates[1] == 0 and has_odd_map(self.statement.layer)

    @property
    def required_fixed_point(self) -> float:
        fixed = self.settled_variance()
        if fixed is None:
            raise InputError(
                f"variance = None, but the variance of a network of activation {self.statement.activation.name!r} "
                "with these standard deviations has no stable fixed point above 0; give variance, the q^1 of the first "
                "layer"
            )
        return fixed

    def function(self, variances: np.ndarray | None, twice: bool = True) -> Run | None:
        variance = self.required_fixed_point if variances is None else single(variances)
        return None if variance is None else partial(by_nodes, OneVariance(self, variance))

    def of_every_pair(self, gap: np.ndarray, variances: Variances, report: Progress, workers: int = 1,
                      twice: bool = False, rest: np.ndarray | None = None) -> tuple:  # fmt: skip
        values, places = np.unique(np.stack([variances.first, variances.second]), return_inverse=True)
        return self.walked(_paired(self, gap, values, places.reshape(2, -1), rest), values, report.add)[0]

    def walked(self, pairs: Pairs, values: np.ndarray, tick: Callable[[int], None]) -> tuple[tuple, int]:
        """((gap_L, k_L), the layer from which on variances are settled) of pairs of inputs with these variances."""
        _, _, reached = settle(self.moving, pairs, values, None, self.depth, self.settled_variance, tick, move_pairs)
        return finish(self, pairs, reached), reached

    def diagonal(self, inputs: Inputs, shift: int = 0) -> tuple[np.ndarray, np.ndarray]:
        ratio, rest = self.first_rates
        none, first = np.empty(0, dtype=int), inputs.variance
        q, kernels, reached = settle(
            self.moving, Pairs(none, none, np.empty(0), np.empty(0)), first, ratio * first + rest, self.depth,
            self.settled_variance, lambda done: None,
        )  # fmt: skip
        settled = kernels
        if reached < self.depth:
            kernels = _diagonal(self, kernels, q, reached)
        require_held(
            first, q, kernels, self.depth, inputs.what, low=reached,
            is_finite=lambda layer: np.isfinite(_diagonal(replace(self, depth=layer), settled, q, reached)).all(),
        )  # fmt: skip
        return q, kernels


@dataclass(frozen=True)
class OneVariance:
    """All layers of pairs whose inputs have the variance q, as a function of the gap."""

    stack: SmoothStack
    variance: float

    def __call__(self, gap: np.ndarray, tick: Callable[[float], None], rest=None) -> tuple[np.ndarray, np.ndarray]:
        q, share = np.array([self.variance]), 1 / max(1, gap.size)
        pairs = _paired(self.stack, gap, q, np.zeros((2, gap.size), dtype=int), rest)
        found, reached = self.stack.walked(pairs, q, lambda done: tick(share * done))
        tick(self.stack.depth - reached)
        return found


def _paired(stack: SmoothStack, gap: np.ndarray, values: np.ndarray, places: np.ndarray, rest=None) -> Pairs:
    mean = np.sqrt(values[places[0]]) * np.sqrt(values[places[1]])
    return Pairs(places[0], places[1], gap.copy(), stack.first_kernel(gap, mean), rest)


def finish(stack: SmoothStack, pairs: Pairs, reached: int) -> tuple[np.ndarray, np.ndarray]:
    """(gap_L, k_L) from layer `reached` on, at the fixed point of the variance."""
    layers = stack.depth - reached
    if layers == 0:
        return pairs.gap, pairs.kernel
    curves = tables(stack.statement.layer)
    if stack.is_uniform:
        layer = Tabulated(curves, *settled_rates(stack), is_odd=has_odd_map(stack.statement.layer))
        return many_layers(layer, layers, pairs.gap, pairs.kernel, pairs.rest)
    return iterated(curves, pairs.gap, pairs.kernel, *forcing_of(stack, reached))


def settled_rates(stack: SmoothStack) -> tuple[float, float]:
    """(constant, rate) of k' = f' k + constant + rate f: (0, 1) in a plain network."""
    if stack.statement.is_plain:
        return 0.0, 1.0
    constants, slopes = forcing_of(replace(stack, depth=2), 1)
    return float(constants[0]), float(slopes[0])


def has_odd_map(layer: Layer) -> bool:
    """Whether f(-c) = -f(c): an odd phi without bias."""
    return layer.bias_variance == 0 and parity_of(layer.activation.piecewise.vectorised) == -1


def forcing_of(stack: SmoothStack, reached: int) -> tuple[np.ndarray, np.ndarray]:
    """What the layers after `reached` add to k is the first plus the second times f, two arrays.

    (lambda_b + lambda_W E[phi phi])/q with E[phi phi] = (q f - sigma_b^2)/sigma_w^2.
    """
    layer = stack.statement.layer
    q, weight, bias = (float(precise(v)) for v in (layer.fixed_variance, layer.weight_variance, layer.bias_variance))
    slope = stack.weight_rate[reached - 1 :] / weight
    return stack.bias_rate[reached - 1 :] / q - slope * (bias / q), slope


def in_order(stacks: tuple[SmoothStack, ...]) -> list[int]:
    """The order in which `moved_together` comes to the depths; the arrays of the last one may be its memory."""
    return sorted(range(len(stacks)), key=lambda at: stacks[at].depth)


def moved_together(stacks: tuple[SmoothStack, ...], work: Tiles, report: Progress) -> Iterator[tuple]:
    """(which depth, rows, columns, gap_L, k_L) for inputs with variances of their own.

    All tiles move through one layer after the other, for all depths at once where these share their layers.
    """
    alike, order = all(stack.statement == stacks[0].statement for stack in stacks), in_order(stacks)
    for group in [order] if alike else [[at] for at in order]:
        q, layer, states = work.variances, 1, work.first(stacks[group[0]])
        for at in group:
            stack = stacks[at]
            if layer == 1 < stack.depth:
                other = stack.moving(1).variances(q)[0]
            while layer < stack.depth and not has_settled(q, other, stack.settled_variance):
                q, other = work.moved(stack.moving(layer), layer + 1, q, states, report), q
                layer += 1
            for rows, columns, gap, kernel in states:
                yield at, rows, columns, *finish(stack, Pairs(None, None, gap.flatten(), kernel.flatten()), layer)


def _diagonal(stack: SmoothStack, kernels: np.ndarray, q: np.ndarray, reached: int) -> np.ndarray:
    """K' = chi K + q in the layers after `reached`, chi = 1 + excess; with rates of their own, layer by layer."""
    excess, layers = tables(stack.statement.layer).excess, stack.depth - reached
    with np.errstate(over="ignore"):
        if stack.is_uniform:
            source = sum(settled_rates(stack)) * q
            if excess == 0:
                return kernels + layers * source
            return kernels + np.expm1(layers * np.log1p(excess)) * (kernels + source / excess)
        for constant, slope in zip(*forcing_of(stack, reached), strict=True):
            kernels = kernels + (excess * kernels + (constant + slope) * q)
        return kernels
