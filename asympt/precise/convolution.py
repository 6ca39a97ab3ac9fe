"""One layer of a convolutional network in mpmath: the original recursion along one offset, at any precision.

Rule.  HDR Proposition 1 (and Lemma 4 with skip connections) for the pairs (alpha, alpha + d), d fixed.  With A the mean
over the filter, q and q' the variances of the two inputs at their positions, R = sqrt(q q'), delta the share of the
branch (1 without a skip connection), and q settled or phi without a scale, in units in which a layer keeps the mean of
q,

    q     -> Q = B q,      q' -> Q' = B q',      B = (1 - delta) + delta A
    gamma -> [sqrt(Q Q') - B R + (1 - delta) R gamma + delta A(R (1 - f))]/sqrt(Q Q')
    k     -> [(1 - delta) R k + delta A(R (f' k + f))]/sqrt(Q Q')

The first difference is what unequal variances take from the correlation; it is computed with twice the digits.  Where
all variances are equal it vanishes and R drops out; where the variance moves the map: `MovingConvStep`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from mpmath import mp

from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import ConvStatement
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep


class ConvState(NamedTuple):
    """Layer, gaps and K/sqrt(q q') at the M positions of one offset, variances of both inputs or None."""

    layer: int
    gap: tuple
    kernel: tuple
    first: tuple | None = None
    second: tuple | None = None


@dataclass(frozen=True)
class ConvStep:
    """ConvState -> the ConvState of the next layer, at mpmath's precision.

    >>> from asympt import ConvNet
    >>> step = ConvStep(ConvNet("relu", positions=3, reach=1).statement)
    >>> print([mp.nstr(gap, 6) for gap in step(ConvState(1, (mp.one, mp.zero, mp.zero), (0, 1, 1))).gap])
    ['0.22723', '0.22723', '0.22723']
    """

    statement: ConvStatement

    def __call__(self, state: ConvState) -> ConvState:
        images = [self.map.gap(gap) if gap else gap for gap in state.gap]
        slopes = [self.map.gap_slope(gap) if gap else self._steepest for gap in state.gap]
        learned = [slope * k + 1 - image for slope, k, image in zip(slopes, state.kernel, images, strict=True)]
        if state.first is None:
            gap, kernel = self._mixed(state.gap, images), self._mixed(state.kernel, learned)
            return ConvState(state.layer + 1, gap, kernel)
        return self._with_variances(state, images, learned)

    def _with_variances(self, state: ConvState, images: Sequence, learned: Sequence) -> ConvState:
        first, second = self._mixed(state.first, state.first), self._mixed(state.second, state.second)
        root = [mp.sqrt(a * b) for a, b in zip(state.first, state.second, strict=True)]
        with mp.workdps(2 * mp.dps + 20):
            fine = [mp.sqrt(a * b) for a, b in zip(state.first, state.second, strict=True)]
            wide = [self._mixed(v, v) for v in (state.first, state.second)]
            norm = [mp.sqrt(a * b) for a, b in zip(*wide, strict=True)]
            apart = [a - b for a, b in zip(norm, self._mixed(fine, fine), strict=True)]
        turned = self._mixed(_times(root, state.gap), _times(root, images))
        gap = tuple((a + b) / n for a, b, n in zip(apart, turned, norm, strict=True))
        kernel = self._mixed(_times(root, state.kernel), _times(root, learned))
        return ConvState(state.layer + 1, gap, tuple(k / n for k, n in zip(kernel, norm, strict=True)), first, second)

    def _mixed(self, kept: Sequence, branch: Sequence) -> tuple:
        """(skip kept + beta A branch)/(skip + beta)."""
        mean = filtered(branch, self.statement.reach)
        if not self.statement.dense.skip:
            return tuple(mean)
        branch_share = to_mpf(self.statement.dense.branch_share)
        return tuple((1 - branch_share) * old + branch_share * new for old, new in zip(kept, mean, strict=True))

    @cached_property
    def map(self) -> CorrelationMap:
        self.statement.require_equal_layers()
        return CorrelationMap.of(self.statement.dense.layer)

    @property
    def _steepest(self):
        return to_mpf(self.map.multiplier)


def filtered(values: Sequence, reach: int) -> list:
    """The mean over alpha - reach, ..., alpha + reach on a circle, every sum written out."""
    size, width = len(values), 2 * reach + 1
    return [mp.fsum(values[(place + b) % size] for b in range(-reach, reach + 1)) / width for place in range(size)]


def _times(one: Sequence, two: Sequence) -> list:
    return [a * b for a, b in zip(one, two, strict=True)]


class MovingConvState(NamedTuple):
    """Layer, variances of both inputs, covariances and K at the M positions of one offset."""

    layer: int
    first: tuple
    second: tuple
    together: tuple
    kernel: tuple


@dataclass(frozen=True)
class MovingConvStep:
    """MovingConvState -> that of the next layer, any phi: `DenseStep` without the skip connection at every position.

    >>> from asympt import ConvResNet
    >>> ones = (mp.one,) * 3
    >>> step = MovingConvStep(ConvResNet("relu", 3, 1, sigma_w="sqrt(2)").statement)
    >>> print([mp.nstr(s, 6) for s in step(MovingConvState(1, ones, ones, (0, 1, 1), (0, 1, 1))).together])
    ['0.77277', '1.77277', '1.77277']
    """

    statement: ConvStatement

    def __call__(self, state: MovingConvState) -> MovingConvState:
        skip, branch = int(self.statement.dense.skip), DenseStep(replace(self.statement.dense, skip=False))
        pairs = list(zip(*state[1:], strict=True))
        images = {pair: _branch(branch, state.layer, *pair) for pair in dict.fromkeys(pairs)}
        columns = [images[pair] for pair in pairs]
        means = [filtered(column, self.statement.reach) for column in zip(*columns, strict=True)]
        moved = [tuple(skip * old + new for old, new in zip(*both, strict=True))
                 for both in zip(state[1:], means, strict=True)]  # fmt: skip
        return MovingConvState(state.layer + 1, *moved)


def _branch(step: DenseStep, layer: int, q, other, together, kernel) -> tuple:
    """(q, q', s, K) behind the branch at one pair of positions."""
    root = mp.sqrt(q * other)
    _, one, two, gap, ratio = step((layer, q, other, 1 - together / root, kernel / root))
    after = mp.sqrt(one * two)
    return one, two, after * (1 - gap), after * ratio
