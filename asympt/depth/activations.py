"""`pairs` and `gram` for activations that are not ReLU-like.

Problem.  The variances of the inputs move before they settle, and most layers come after that.
Rule.     Layers in which some variance is still away from the fixed point q go through `moving`; from the first one in
          which all of them equal q to 1e-13 all others are one look-up (`squaring`), and the diagonal follows
          K' = chi K + q in closed form.  Where all inputs have one variance, its layers run on the nodes of a table.
Example.  tanh, sigma_b = 1/5 on the Edge of Chaos: variances within 10% of q have settled after about 60 layers.
Limits.   Where the variance has no stable fixed point above 0 (skip connections) all layers go through `moving`, or
          through `norms` where there are many pairs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from asympt.depth.constants import precise
from asympt.depth.gaps import require_visible
from asympt.depth.inputs import Inputs
from asympt.depth.loops.general import Forcing, GeneralBlock
from asympt.depth.moving import Added, Moving, Pairs, has_settled, settle
from asympt.depth.norms import Tiles, move_pairs
from asympt.depth.squaring import Tabulated, many_layers
from asympt.depth.stack import DenseStack
from asympt.depth.tables import tables
from asympt.depth.workers import Progress
from asympt.errors import UnsupportedError
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


def layers_of(stack: DenseStack) -> Callable[[int], Moving]:
    """l -> layer l + 1 of any architecture, l = 1, 2, ..."""
    plain = moving_of(stack.statement.layer)
    if stack.statement.is_plain:
        return lambda layer: plain

    def moving(layer: int) -> Moving:
        branch = stack.branch[layer - 1]
        added = Added(stack.skip, stack.weight_rate[layer - 1], stack.bias_rate[layer - 1])
        return Moving(plain.phi, branch * plain.weight, branch * plain.bias, added)

    return moving


def settled_variance(stack: DenseStack) -> float | None:
    """The fixed point q > 0 of the variance; None where it never settles (skip connections) or tends to 0."""
    statement = stack.statement
    if statement.skip or statement.branch != 1:
        return None
    return fixed_variance(statement.layer) or None


def general_pairs(stack: DenseStack, gap: np.ndarray, first: np.ndarray, second: np.ndarray, report: Progress) -> tuple:
    """(gap_L, K^L/sqrt(q_L q'_L)), flat, of pairs with the variances `first` and `second`."""
    values, places = np.unique(np.stack([first, second]), return_inverse=True)
    pairs, fixed = _paired(stack, gap, values, places.reshape(2, -1)), partial(settled_variance, stack)
    _, _, reached = settle(layers_of(stack), pairs, values, None, stack.depth, fixed, report.add, move_pairs)
    return finish(stack, pairs, reached)


@dataclass(frozen=True)
class OneVariance:
    """All layers of pairs whose inputs have the variance q, as a function of the gap."""

    stack: DenseStack
    variance: float

    def __call__(self, gap: np.ndarray, tick: Callable[[float], None], rest=None) -> tuple[np.ndarray, np.ndarray]:
        """(gap_L, k_L)."""
        stack, q = self.stack, np.array([self.variance])
        pairs = _paired(stack, gap, q, np.zeros((2, gap.size), dtype=int), rest)
        fixed = partial(settled_variance, stack)
        share = 1 / max(1, gap.size)
        _, _, reached = settle(
            layers_of(stack), pairs, q, None, stack.depth, fixed, lambda done: tick(share * done), move_pairs
        )
        found = finish(stack, pairs, reached)
        tick(stack.depth - reached)
        return found


def _paired(stack: DenseStack, gap: np.ndarray, values: np.ndarray, places: np.ndarray, rest=None) -> Pairs:
    """The pairs of layer 1."""
    mean = np.sqrt(values[places[0]]) * np.sqrt(values[places[1]])
    return Pairs(places[0], places[1], gap.copy(), stack.first_kernel(gap, mean), rest)


def finish(stack: DenseStack, pairs: Pairs, reached: int) -> tuple[np.ndarray, np.ndarray]:
    """(gap_L, k_L) from layer `reached` on, at the fixed point of the variance."""
    layers = stack.depth - reached
    if layers == 0:
        return pairs.gap, pairs.kernel
    curves = tables(stack.statement.layer)
    if stack.is_uniform:
        layer = Tabulated(curves, *settled_rates(stack), is_odd=has_odd_map(stack.statement.layer))
        return many_layers(layer, layers, pairs.gap, pairs.kernel, pairs.rest)
    return GeneralBlock(curves, layers + 1, pairs.gap, pairs.kernel, forcing_of(stack, reached)).run(lambda done: None)


def settled_rates(stack: DenseStack) -> tuple[float, float]:
    """(constant, rate) of k' = f' k + constant + rate f: (0, 1) in a plain network."""
    if stack.statement.is_plain:
        return 0.0, 1.0
    forcing = forcing_of(replace(stack, depth=2), 1)
    return float(forcing.constant[0]), float(forcing.slope[0])


def has_odd_map(layer: Layer) -> bool:
    """Whether f(-c) = -f(c): an odd phi without bias."""
    x, phi = np.linspace(0.01, 9.0, 99), layer.activation.piecewise.vectorised
    return layer.bias_variance == 0 and bool(np.allclose(phi(x), -phi(-x), rtol=1e-14, atol=0.0))


def forcing_of(stack: DenseStack, reached: int) -> Forcing:
    """(lambda_b + lambda_W E[phi phi])/q in the layers after `reached`, E[phi phi] = (q f - sigma_b^2)/sigma_w^2."""
    layer = stack.statement.layer
    q, weight, bias = (float(precise(v)) for v in (layer.fixed_variance, layer.weight_variance, layer.bias_variance))
    slope = stack.weight_rate[reached - 1 :] / weight
    return Forcing(stack.bias_rate[reached - 1 :] / q - slope * (bias / q), slope)


def general_diagonal(stack: DenseStack, inputs: Inputs, shift: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(q_L, K^L(x, x)) of inputs."""
    ratio, rest = stack.first_rates
    none, first = np.empty(0, dtype=int), inputs.variance
    q, kernels, reached = settle(
        layers_of(stack), Pairs(none, none, np.empty(0), np.empty(0)), first, ratio * first + rest, stack.depth,
        partial(settled_variance, stack), lambda done: None,
    )  # fmt: skip
    settled = kernels
    if reached < stack.depth:
        kernels = _diagonal(stack, kernels, q, reached)
    if not (np.isfinite(kernels).all() and np.isfinite(q).all()):
        raise UnsupportedError(
            f"the NTK of layer {stack.depth} exceeds the float64 range, from layer "
            f"{_first_overflow(stack, settled, q, reached)} on; "
            "use asympt.depth.pairs, which returns values normalised by the variance"
        )
    require_visible(first, q, stack.depth, inputs.what)
    return q, kernels


def _first_overflow(stack: DenseStack, kernels: np.ndarray, q: np.ndarray, reached: int) -> int:
    """The first layer whose NTK is beyond the float64 range, by bisection; `reached` at the earliest."""
    low, high = reached, stack.depth
    while high - low > 1:
        middle = (low + high) // 2
        finite = np.isfinite(_diagonal(replace(stack, depth=middle), kernels, q, reached)).all()
        low, high = (middle, high) if finite else (low, middle)
    return high


def in_order(stacks: tuple[DenseStack, ...]) -> list[int]:
    """The order in which `moved_together` comes to the depths; the arrays of the last one may be its memory."""
    return sorted(range(len(stacks)), key=lambda at: stacks[at].depth)


def moved_together(stacks: tuple[DenseStack, ...], work: Tiles, report: Progress) -> Iterator[tuple]:
    """(which depth, rows, columns, gap_L, k_L) for inputs with variances of their own.

    All tiles move through one layer after the other, for all depths at once where these share their layers.
    """
    alike, order = all(stack.statement == stacks[0].statement for stack in stacks), in_order(stacks)
    for group in [order] if alike else [[at] for at in order]:
        q, layer, states = work.variances, 1, work.first(stacks[group[0]])
        for at in group:
            stack = stacks[at]
            fixed, moving = partial(settled_variance, stack), layers_of(stack)
            if layer == 1 < stack.depth:
                other = moving(1).variances(q)[0]
            while layer < stack.depth and not has_settled(q, other, fixed):
                q, other = work.moved(moving(layer), layer + 1, q, states, report), q
                layer += 1
            for rows, columns, gap, kernel in states:
                yield at, rows, columns, *finish(stack, Pairs(None, None, gap.flatten(), kernel.flatten()), layer)


def _diagonal(stack: DenseStack, kernels: np.ndarray, q: np.ndarray, reached: int) -> np.ndarray:
    """K' = chi K + q in the layers after `reached`, chi = 1 + excess; with rates of their own, layer by layer."""
    excess, layers = tables(stack.statement.layer).excess, stack.depth - reached
    with np.errstate(over="ignore"):
        if stack.is_uniform:
            source = sum(settled_rates(stack)) * q
            if excess == 0:
                return kernels + layers * source
            return kernels + np.expm1(layers * np.log1p(excess)) * (kernels + source / excess)
        forcing = forcing_of(stack, reached)
        for constant, slope in zip(forcing.constant, forcing.slope, strict=True):
            kernels = kernels + (excess * kernels + (constant + slope) * q)
        return kernels
