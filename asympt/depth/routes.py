"""Which way the pairs of a ReLU-like network take through its layers.

    layers                                              way
    all alike, no scale                                 one table, by squaring              `squaring`
    all alike once the variances have settled           the loop until then, then one table
    different, but for all pairs the same               the loop on the nodes of a table    `squaring.whole`
    different for every pair (variances of their own)   the loop, in blocks                 `biased`

Problem.  A loop over layers costs their number times that of the pairs; what is common to all pairs need not.

Rule.  Without a scale c and K/q move the same way whatever the variances are.  With a bias, chi < 1 and equal layers
q_l - q* shrinks like chi^l; from the layer in which it is below 1e-16 q* on, layers are equal:

    1 - c' = chi (1 - f),        k' = chi f' k + (lambda_b + lambda_W m_2 q* f)/q*.

Tiny case.  ReLU, sigma_w^2 = 1, sigma_b^2 = 1/2: q* = 1; from q = 2 variances have settled after 53 layers.

Known limits.  A variance that grows (chi >= 1 with a bias) never settles.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, log
from typing import Protocol

import numpy as np

from asympt.depth.constants import constants, precise
from asympt.depth.loops.biased import BiasedBlock
from asympt.depth.loops.blocks import cut
from asympt.depth.loops.mixed import MixedBlock
from asympt.depth.squaring import HomogeneousLayer, MapStart, Repeated, WholeMap, many_layers
from asympt.depth.squaring.whole import OnNodes
from asympt.depth.stack import DenseStack
from asympt.depth.variance import Variances
from asympt.depth.workers import Progress, run

SETTLED = 1e-16
Tick = Callable[[int], None]


class GapFunction(Protocol):
    """All layers as a function of the gap alone."""

    def __call__(self, gap: np.ndarray, tick: Tick, rest: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c^L, K^L/q_L) of flat gaps; `rest` is 2 - gap where more of it is known."""

    def table(self, least: float, closest: float) -> WholeMap:
        """What is looked up for gaps from `least` to 2 - `closest`."""

    def is_tabulated(self, gap):
        """Which gaps are looked up, in arrays of any library."""


def of_the_gap(stack: DenseStack, variance: float | None) -> GapFunction:
    """The layers for pairs whose inputs all have this variance; None where variances do not matter."""
    if stack.has_scale:
        return OnNodes(TiedRun(stack, variance))
    if not stack.is_uniform:
        return OnNodes(FreeRun(stack))
    statement = stack.statement
    share, source = (float(precise(value)) for value in (statement.branch_share, statement.source))
    layer = HomogeneousLayer(constants(statement.layer), share=share, rate=source)
    return Repeated(layer, stack.depth - 1, MapStart(stack.first_rates[0], 0.0))


def in_blocks(stack: DenseStack, gap: np.ndarray, variances: Variances, workers: int, report: Progress,
              rest: np.ndarray | None = None) -> tuple:  # fmt: skip
    """(1 - c^L, K^L/sqrt(q_L q_L')) of flat gaps with variances of every pair: blocks that fit the cache."""
    ends, kernels = np.empty(gap.size), np.empty(gap.size)

    def keep(part, end, kernel):
        ends[part], kernels[part] = end, kernel

    parts = list(cut(gap.size))
    rest = 2.0 - gap if rest is None else rest
    blocks = ((part, TiedBlock(stack, gap[part], variances[part], rest[part])) for part in parts)
    run(blocks, max(1, min(workers, len(parts))), report, keep)
    return ends, kernels


@dataclass(frozen=True)
class FreeRun:
    """The loop of layers that differ, as a function of the gap."""

    stack: DenseStack

    def __call__(self, gap: np.ndarray, tick: Tick, rest=None) -> tuple[np.ndarray, np.ndarray]:
        """(gap_L, k_L)."""
        return MixedBlock(self.stack, constants(self.stack.statement.layer), gap, rest).run(tick)


@dataclass(frozen=True)
class TiedRun:
    """The loop of pairs whose inputs all have the variance q."""

    stack: DenseStack
    variance: float

    def __call__(self, gap: np.ndarray, tick: Tick, rest=None) -> tuple[np.ndarray, np.ndarray]:
        """(gap_L, k_L)."""
        q = np.array([self.variance])
        return TiedBlock(self.stack, gap, Variances(q, q, 0.0 * q), rest).run(tick)


@dataclass(frozen=True)
class TiedBlock:
    """Pairs with variances of their own: the loop until these have settled, if they do, then one table."""

    stack: DenseStack
    gap: np.ndarray
    variances: Variances
    rest: np.ndarray | None = None

    @property
    def depth(self) -> int:
        """L."""
        return self.stack.depth

    def run(self, tick: Tick) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c^L, K^L/sqrt(q_L q_L')); `tick(layers)` is called as layers are done."""
        stack, numbers = self.stack, constants(self.stack.statement.layer)
        reached = self._settled_at()
        block = BiasedBlock(replace(stack, depth=reached), numbers, self.gap, self.variances, self.rest)
        gap, kernel = block.run(tick)
        if reached == self.depth:
            return gap, kernel
        found = many_layers(settled_layer(stack), self.depth - reached, gap, kernel)
        tick(self.depth - reached)
        return found

    def _settled_at(self) -> int:
        """The first layer in which all variances are q*, at most L."""
        fixed = settled_variance(self.stack)
        if fixed is None:
            return self.depth
        away = max(np.abs(q / fixed - 1).max(initial=0.0) for q in (self.variances.first, self.variances.second))
        if away <= SETTLED:
            return 1
        rate = constants(self.stack.statement.layer).log_chi
        return min(self.depth, 1 + ceil(log(SETTLED / away) / rate))


def settled_variance(stack: DenseStack) -> float | None:
    """q* of equal layers with a bias and chi < 1, else None."""
    statement, numbers = stack.statement, constants(stack.statement.layer)
    if statement.skip or statement.branch != 1 or not stack.is_uniform:
        return None
    if numbers.bias == 0 or numbers.chi_excess >= 0:
        return None
    return float(precise(statement.layer.bias_variance / (1 - statement.layer.chi)))


def settled_layer(stack: DenseStack) -> HomogeneousLayer:
    """A layer at q*."""
    statement, numbers, fixed = stack.statement, constants(stack.statement.layer), settled_variance(stack)
    constant = float(precise(statement.bias_rate)) / fixed
    rate = float(precise(statement.weight_rate * statement.activation.second_moment))
    return HomogeneousLayer(numbers, chi_excess=numbers.chi_excess, constant=constant, rate=rate)
