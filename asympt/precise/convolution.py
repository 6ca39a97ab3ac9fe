"""One layer of a convolutional network in mpmath: the original recursion along one offset, at any precision.

Rule.  HDR Proposition 1 (and Lemma 4 with skip connections) for the pairs (alpha, alpha + d), d fixed.  With A the mean
over the filter, q and q' the variances of the two inputs at their positions, R = sqrt(q q'), and v, v', gamma_v, k_v,
R_v = sqrt(v v') what the branch makes of them at each position (`DenseStep`),

    q     -> Q = skip q + A v,      q' -> Q' = skip q' + A v'
    gamma -> [sqrt(Q Q') - (skip R + A R_v) + skip R gamma + A(R_v gamma_v)]/sqrt(Q Q')
    k     -> [skip R k + A(R_v k_v)]/sqrt(Q Q')

The first difference is what unequal variances take from the correlation; it is computed with twice the digits.  Where
all variances are equal and q is settled or phi without a scale it vanishes and R drops out:

    gamma -> (1 - delta) gamma + delta A(1 - f),      k -> (1 - delta) k + delta A(f' k + f)

with delta the share of the branch, 1 without a skip connection.
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
        if state.first is not None:
            return self._with_variances(state)
        images = [self.map.gap(gap) if gap else gap for gap in state.gap]
        slopes = [self.map.gap_slope(gap) if gap else self._steepest for gap in state.gap]
        learned = [slope * k + 1 - image for slope, k, image in zip(slopes, state.kernel, images, strict=True)]
        return ConvState(state.layer + 1, self._mixed(state.gap, images), self._mixed(state.kernel, learned))

    def _with_variances(self, state: ConvState) -> ConvState:
        """Any phi: the layer of the branch alone at every position, its means added to what is skipped."""
        dense = self.statement.dense
        branch, pairs = DenseStep(replace(dense, skip=False)), list(zip(*state[3:], *state[1:3], strict=True))
        images = {pair: branch((state.layer, *pair))[1:] for pair in dict.fromkeys(pairs)}
        *both, gap, kernel = zip(*(images[pair] for pair in pairs), strict=True)

        def added(kept: Sequence, new: Sequence) -> list:
            mean = filtered(new, self.statement.reach)
            return [int(dense.skip) * old + value for old, value in zip(kept, mean, strict=True)]

        with mp.workdps(2 * mp.dps + 20):
            following = [added(*v) for v in zip(state[3:], both, strict=True)]
            old, new, norm = (_roots(*v) for v in (state[3:], both, following))
            apart = [a - b for a, b in zip(norm, added(old, new), strict=True)]
        turned = added(_times(old, state.gap), _times(new, gap))
        gap = tuple((a + b) / n for a, b, n in zip(apart, turned, norm, strict=True))
        learned = added(_times(old, state.kernel), _times(new, kernel))
        kernel = tuple(k / n for k, n in zip(learned, norm, strict=True))
        return ConvState(state.layer + 1, gap, kernel, *(tuple(+q for q in v) for v in following))

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


def _roots(one: Sequence, two: Sequence) -> list:
    return [mp.sqrt(a * b) for a, b in zip(one, two, strict=True)]
