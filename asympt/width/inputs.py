"""One input or two in layer 1 of a dense network, and its quantities of order 1/n at any depth."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

import numpy as np
from mpmath import mp
from sympy import Expr, Integer, sqrt

from asympt.arrays import entries
from asympt.deadline import check_time
from asympt.depth.parsing import depths_of
from asympt.errors import AsymptError, InputError, PrecisionError, UnsupportedError
from asympt.gaussian.moments import check_growth
from asympt.meanfield.edge import is_odd
from asympt.meanfield.layer import Layer
from asympt.numbers import check_depth, check_digits, refuse_symbols, to_mpf
from asympt.spelling import named
from asympt.width.rules import FloatNumbers, MpmathNumbers, Rules
from asympt.width.tensors import Tensors, chain

QUANTITIES = ("gap", "correlation", "kernel", "kernel-diagonal", "ntk", "ntk-diagonal")
FLOAT, GUARD = 15, 15  # digits up to which float64 is taken; digits more that mpmath carries beyond those requested
KEPT = 16


@dataclass(frozen=True)
class StartingPair:
    """Two inputs with the gap 1 - c^1 and their variances in layer 1, exact; `gap` 0: one input.

    >>> from asympt import FeedForward
    >>> pair = StartingPair(FeedForward("relu").layer, Integer(1), (Integer(1), Integer(1)))
    >>> round(pair.variance("kernel-diagonal", 5), 12)  # (3 m_4/m_2^2 - 1)(L - 1) = 5 (L - 1)
    20.0
    """

    layer: Layer
    gap: Expr
    variances: tuple[Expr, Expr]

    def __post_init__(self):
        refuse_symbols(self.layer.parameters, "the network contains")

    def variance(self, of: str, depth: int, digits: int = FLOAT):
        """n Var of a quantity at a depth, to leading order."""
        return self._read("variance", of, depth, digits, 2)

    def shift(self, of: str, depth: int, digits: int = FLOAT):
        """n (E - limit) of a quantity at a depth, to leading order."""
        return self._read("shift", of, depth, digits, 1)

    def limit(self, of: str, depth: int, digits: int = FLOAT):
        """The quantity at infinite width."""
        return self._read("limit", of, depth, digits, 1)

    def share(self, what: str, of: str, depth: int, digits: int = FLOAT):
        """n Var/limit^2 ('variance') or n (E/limit - 1); `UnsupportedError` where the limit is 0 at every depth."""
        if self.gap == 1 and of in ("kernel", "ntk") and not self.layer.bias_variance and is_odd(self.layer.activation):
            raise UnsupportedError(f"correlation = 0 stays 0 for an odd phi without bias, and so does the {of}: "
                                   "nothing is relative to it; give another, or use net.fluctuation")  # fmt: skip
        limit = self.limit(of, depth, digits)
        found = self.variance(of, depth, digits) / limit if what == "variance" else self.shift(of, depth, digits)
        return found / limit

    def _read(self, what: str, of: str, depth: int, digits: int, power: int):
        of, depth, digits = named(of, QUANTITIES, "of"), check_depth(depth, followed=True), check_digits(digits)
        if self.gap == 0 and of in ("gap", "correlation"):
            raise InputError("correlation = 1: equal inputs stay equal at any width; give c^1 < 1")
        diagonal = of.endswith("diagonal")
        alone = self.gap == 0 or diagonal
        first, other = (self.variances[0],) * 2 if diagonal else self.variances
        if not diagonal and self.gap == 2:
            raise UnsupportedError("correlation = -1: U = -V has no density to differentiate; give c^1 in (-1, 1]")
        if alone and first != other:
            raise UnsupportedError(
                "correlation = 1 with two variances: V = a U has no density to differentiate; give c^1 < 1"
            )
        layer, start, unit = self.layer, (first, other), Integer(1)
        if layer.is_scale_free:  # G_ab is sqrt(q q') chi^(l - 1) times that of inputs of variance 1 with chi = 1
            unit = unit if of in ("gap", "correlation") else sqrt(first * other) * layer.chi ** (depth - 1)
            layer = replace(layer, weight_variance=1 / layer.activation.second_moment, critical=None)
            start = (Integer(1), Integer(1))
        state = _orbit(layer, None if alone else self.gap, start, 0 if digits <= FLOAT else digits).at(depth)
        if of in ("gap", "correlation") and state.merged:
            raise PrecisionError(f"at depth {depth} the gap is below 1e-140; ask for its law or for fewer layers")
        with mp.workdps(digits + GUARD):
            unit = to_mpf(unit) ** power
            found = getattr(state, what)(of) * (float(unit) if digits <= FLOAT else unit)
        if not isfinite(found):
            raise PrecisionError(f"at depth {depth} the {of} is beyond float64; give a smaller depth or variances")
        return float(found) if digits <= FLOAT else found


class KeptLayers:
    """The layers of one start, kept as far as they were asked for; `digits` 0: float64."""

    def __init__(self, layer: Layer, gap: Expr | None, variances: tuple, digits: int):
        phi, self.digits = layer.activation.piecewise, digits
        self.found: list[Tensors] = []
        with mp.workdps(max(digits, FLOAT) + GUARD):
            check_growth(phi.square().square(), max(map(to_mpf, variances)))
            numbers = MpmathNumbers() if digits else FloatNumbers()
            rules, scales = Rules(phi, numbers), (layer.weight_variance, layer.bias_variance)
            self.layers = chain(rules, *map(numbers.number, scales), rules.array(coordinates(gap, variances)))

    def at(self, depth: int) -> Tensors:
        """Layer `depth`."""
        with mp.workdps(max(self.digits, FLOAT) + GUARD), np.errstate(all="ignore"):
            while len(self.found) < depth:
                check_time()
                try:
                    self.found.append(next(self.layers))
                except AsymptError:  # they end with it
                    _orbit.cache_clear()
                    raise
        return self.found[depth - 1]


_orbit = lru_cache(maxsize=KEPT)(KeptLayers)


def coordinates(gap: Expr | None, variances: tuple) -> list:
    """(q,), or (p, d, Delta), of layer 1."""
    one, other = map(to_mpf, variances)
    if gap is None:
        return [one]
    apart = (one - other) ** 2 / (mp.sqrt(one) + mp.sqrt(other)) ** 2
    return [(one + other) / 2, (one - other) / 2, apart / 2 + to_mpf(gap) * mp.sqrt(one * other)]


class Band(NamedTuple):
    """`mean` over networks and `deviation` of one network from it, arrays of the shape of the gaps."""

    mean: object
    deviation: object


@dataclass(frozen=True)
class AtWidth:
    """A network whose layers have `width` neurons; `inputs` gives a `StartingPair`, `laws` one of a quantity."""

    inputs: Callable = field(repr=False)
    width: int
    laws: Callable = field(repr=False)

    def pairs(self, gap, depth: int | list[int], of: str = "gap", variances=None, resummed: bool = False) -> Band:
        """Mean and deviation of a quantity for inputs with these gaps 1 - c^1 in layer 1; `of` as for `fluctuation`.

        A list of depths gives them all: arrays of shape (depths, ...).

        To first order in 1/width; `resummed`: at leading order for a fixed depth/width, as `law.resummed` is.
        Raises `InputError` for a width below the depth, where first order in depth/width says nothing, and
        `UnsupportedError` where nothing is known beyond it.
        """
        if np.ndim(depth):
            bands = [self.pairs(gap, each, of, variances, resummed) for each in depths_of(depth)]
            return Band(*map(np.array, zip(*bands, strict=True)))
        depth = check_depth(depth)
        further = [self.laws(of, what, 1).resummed(self.width, depth) for what in ("mean", "variance") if resummed]
        if self.width < depth and not resummed:
            raise InputError(
                f"width = {self.width} is smaller than depth = {depth}: the expansion is one in depth/width; give a "
                "wider network, draw some with net.finite(), or take resummed=True where it is known"
            )
        gaps = entries(gap, "gap")
        found = np.empty((2, *gaps.shape))
        for at, value in np.ndenumerate(gaps):
            seen = self.inputs(of, gap=value, variances=variances)
            limit = seen.limit(of, depth)
            if resummed:
                moved, square = limit * further[0], limit**2 * further[1]
            else:
                moved, square = (part(of, depth) / self.width for part in (seen.shift, seen.variance))
            found[:, *at] = limit + moved, square**0.5
        return Band(*(found.tolist() if gaps.ndim == 0 else found))
