"""The layers of any network of the library as `pairs` and `gram` ask for them, whatever the network is."""

from typing import Protocol

import numpy as np

from asympt.depth.activations import SmoothStack
from asympt.depth.composed.stack import ComposedStack
from asympt.depth.inputs import Inputs, Variances
from asympt.depth.relu_like import ReluLikeStack
from asympt.depth.squaring.whole import GapFunction
from asympt.depth.stack import statement_of
from asympt.depth.workers import Progress


class Stack(Protocol):
    """Layers 1, ..., `depth`; `is_scale_free`: c and K/q move the same way at every variance."""

    depth: int
    is_scale_free: bool
    in_processes: bool
    together: bool

    def inputs(self, rows: np.ndarray, name: str = "X") -> Inputs:
        """One set of inputs in layer 1."""

    def function(self, variances: np.ndarray | None, twice: bool = True) -> GapFunction | None:
        """The layers as a function of the gap alone, if they are one; `variances` of layer 1, None: the network's.

        `twice`: gap 0 is one input twice, not two that are equal.
        """

    def of_every_pair(self, gap: np.ndarray, variances: Variances, report: Progress, workers: int = 1,
                      twice: bool = False, rest: np.ndarray | None = None) -> tuple:  # fmt: skip
        """(1 - c^L, K^L/sqrt(q_L q_L')) of flat gaps of pairs with variances of their own; `rest` is 2 - gap."""

    def diagonal(self, inputs: Inputs, shift: int) -> tuple[np.ndarray, np.ndarray]:
        """(q_L, K^L(x, x)) of inputs given in units of 2^shift."""


def stack_of(net, depth: int) -> Stack:
    """The layers of a network, a Statement or a Layer, with numbers in it; `InputError` for anything else."""
    composed = ComposedStack.of(net, depth)
    if composed is not None:
        return composed
    statement = statement_of(net, depth)
    return (ReluLikeStack if statement.activation.is_relu_like else SmoothStack)(statement, depth)
