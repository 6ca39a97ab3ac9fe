"""A composed network of one depth, as `pairs` and `gram` ask for it: by the gap alone, pair by pair, on the diagonal.

With one variance, or none that matters, it is a function of the gap (`run`); else pairs keep variances of their own
until these have become one: behind a norm at the end of a block from layer 2 on, under pre-LN never.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from asympt.blocks import nodes
from asympt.depth.composed.layers import ALIKE as ALIKE_PAIRS
from asympt.depth.composed.layers import Layers
from asympt.depth.composed.network import BlockNetwork, blocks_of, number, variance_of
from asympt.depth.composed.run import PATIENCE, AtLayer, ComposedRun
from asympt.depth.gaps import require_visible
from asympt.depth.inputs import ALIKE, Inputs, Variances, single
from asympt.depth.norms.tiles import Paired
from asympt.depth.parsing import require_walkable
from asympt.depth.squaring.whole import OnNodes
from asympt.depth.workers import Progress, ticking
from asympt.errors import UnsupportedError

Array = np.ndarray
CHUNK = 2**14  # pairs that go through the layers together


@dataclass(frozen=True)
class ComposedStack:
    """The layers of a network of blocks up to `depth`; `asked`: the network as it was given."""

    net: BlockNetwork
    depth: int
    asked: object = field(compare=False)
    in_processes: ClassVar[bool] = False
    together: ClassVar[bool] = False

    @classmethod
    def of(cls, net, depth: int) -> "ComposedStack | None":
        """None for a network that is not composed."""
        found = blocks_of(net)
        return None if found is None else cls(found, depth, net)

    @cached_property
    def is_scale_free(self) -> bool:
        """Whether c and K/q move the same way at every variance."""
        kinds = nodes.LayerNormNode | nodes.RMSNormNode | nodes.GatedNode
        return (
            all(phi.is_relu_like for phi in self.net.activations)
            and not any(isinstance(node, kinds) or getattr(node, "sigma_b", 0) != 0 for node in self.net.all_nodes)
            and self.net.first.sigma_b == 0
        )

    @property
    def has_norm(self) -> bool:
        """Whether an input of zeros would be divided by its deviation."""
        return any(node.is_norm for node in self.net.all_nodes)

    # ---- layer 1 ------------------------------------------------------------------------------------

    def inputs(self, rows: Array, name: str = "X") -> Inputs:
        """One set of inputs."""
        first = self.net.first
        found = Inputs.through(number(first.sigma_b**2), number(first.sigma_w**2), rows, name, "give smaller inputs")
        silent = np.flatnonzero(found.variance == 0)
        if silent.size and self.has_norm:
            raise UnsupportedError(
                f"{found.what} {int(silent[0])} has variance 0 in layer 1, and a norm divides by its deviation; leave "
                "it out, or take sigma_b > 0 in layer 1"
            )
        return found

    # ---- pairs --------------------------------------------------------------------------------------

    def function(self, variances: Array | None, twice: bool = True) -> OnNodes | None:
        """The layers as a function of the gap alone, if they are one; `variances` of layer 1, None: the network's.

        `twice`: gap 0 is one input twice, not two that are equal.
        """
        if self.is_scale_free:
            q = 1.0
        elif variances is None:
            q = variance_of(self.asked)
        elif (q := single(variances)) is None:
            return None
        return OnNodes(ComposedRun(self.net, self.depth, q, twice))

    def of_every_pair(self, gap: Array, variances: Variances, report: Progress, workers: int = 1, twice: bool = False,
                      rest: Array | None = None) -> tuple:  # fmt: skip
        """(gap_L, K^L/sqrt(q_L q'_L)) of flat gaps of two inputs of these variances; `twice` as in `function`."""
        first, second = variances.first, variances.second
        ends, kernels = np.empty_like(gap), np.empty_like(gap)
        same = (gap == 0) & (first == second) & (twice and self.net.drops)
        for alike in (False, True):
            chosen = np.flatnonzero(same == alike)
            for start in range(0, chosen.size, CHUNK):
                part = chosen[start : start + CHUNK]
                q, places = np.unique(np.stack([first[part], second[part]]), return_inverse=True)
                pairs = Paired(*places.reshape(2, -1))
                ends[part], kernels[part], _ = self._walked(
                    gap[part], q, pairs, alike, report, None if rest is None else rest[part]
                )
        return ends, kernels

    def _walked(self, gap: Array, q: Array, pairs: Paired, same: bool, report: Progress, rest=None) -> tuple:
        """(gap_L, k_L, q_L), layer by layer until the variances are one."""
        at = AtLayer.begun(gap, q, pairs, rest)
        while at.layer < self.depth:
            if len(at.groups) == 1 and np.ptp(at.groups[0].q) <= ALIKE * at.groups[0].q.max():
                alike = AtLayer(at.layer, ALIKE_PAIRS, (replace(at.groups[0], q=at.groups[0].q[:1]),))
                tick = ticking(report, gap.size)
                return ComposedRun(self.net, self.depth, float(alike.groups[0].q[0])).onward(alike, tick, same)
            if at.layer == PATIENCE:
                require_walkable(self.depth, "inputs have variances of their own")
            at = at.step(self.net, Layers(self.depth, pairs, same))
            report.add(gap.size)
        return at.last

    # ---- the diagonal -------------------------------------------------------------------------------

    def diagonal(self, inputs: Inputs, shift: int) -> tuple[Array, Array]:
        """(q_L, K^L(x, x)) of inputs given in units of 2^shift."""
        q, gap, alone = inputs.variance, np.zeros(len(inputs)), np.arange(len(inputs))
        silent = Progress(False, 0)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.is_scale_free:
                _, kernel, growth = self._walked(gap[:1], np.ones(1), Paired(alone[:1], alone[:1]), True, silent)
                after = np.ldexp(q * growth, 2 * shift)
            else:
                _, kernel, after = self._walked(gap, q, Paired(alone, alone), True, silent)
            ntk = after * kernel
        if not (np.isfinite(after).all() and np.isfinite(ntk).all()):
            raise UnsupportedError(
                f"the NTK of layer {self.depth} exceeds the float64 range; use asympt.depth.pairs, which returns "
                "values normalised by the variance, or give a smaller depth"
            )
        require_visible(q, np.broadcast_to(after, q.shape), self.depth, inputs.what)
        return np.broadcast_to(after, q.shape), np.broadcast_to(ntk, q.shape)
