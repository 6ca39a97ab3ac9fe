"""Laws in the depth of residual networks whose variance moves the maps or their weights: y <- y + h(L) F(y).

h = v L^(-p) + ..., p >= 1, is a series in u = L^(-1/d), so these are Euler's steps of a flow in y = (q, s, K), and q_L,
s_L, K_L are series in u too (Gragg 1965; F is smooth for -1 < c < 1): Richardson's extrapolation, the polynomial in u
through networks of n, ..., 2 n layers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, lcm

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, cancel

from asympt.architectures.composed.compiling import NormalFormOfBlock
from asympt.architectures.composed.flow import by_layers
from asympt.architectures.composed.form import Form
from asympt.architectures.relu_like import DEPTH
from asympt.blocks import nodes
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.closed.kernels import closed_form
from asympt.numbers import to_mpf
from asympt.precise.blocks import OuterLayers, pairs_along
from asympt.recursions.agreement import agreed
from asympt.recursions.fixed_point import numeric

MORE, FURTHER = 6, 4  # networks beyond the digits, and of the second extrapolation
SHALLOW, STILL = 30, 1e-12  # layers of one of them, and what 1 - c moves by at least
FINEST, SLOW = 3, 4  # d at most: as many times as many networks; a v with which networks of any depth do


@dataclass(frozen=True)
class ExtrapolatedSteps:
    """The layers of such a network, by g and its weights, or by the rules of its parts.

    `gap`: 1 - c^1; `weights`: g and w_l where there are any; `first`: (p - 1) d, the power of u by which c moves;
    `root`: d; `stride`: layers from one network to the next, v/SLOW of them.
    """

    network: object
    variance: Expr
    gap: Expr
    weights: "DepthWeights | None"
    first: int
    root: int
    stride: int

    flows, grown, power = False, False, Integer(1)

    @classmethod
    def of(cls, network, gap: Expr) -> "ExtrapolatedSteps | None":
        """Those of a network without weights w(L): closed kernels, in residual parts with scale^2 = v L^(-p) + ...

        A skip connection may know L as well, if it tends to 1 as fast.
        """
        parts = nodes.parts_of(network.block)
        steps = [step for part in parts if not part.is_norm for step in _steps_of(part)]
        if len(network.blocks) > 1 or nodes.within(parts) & {nodes.LAYER, DEPTH} or None in steps or not steps:
            return None
        if any(closed_form(phi.piecewise) is None for node in nodes.every_node(parts) for phi in node.activations):
            return None  # hundreds of layers to twice the digits: minutes where each of them is a quadrature
        root = lcm(*(step.root for step in steps))
        first = int(min(Rational(step.valuation, step.root) for step in steps) * root) - root
        normal = _normal_form(network)
        alike = normal is not None and not normal.sequence
        if alike and nodes.LAYER not in normal.weight.free_symbols:
            return None
        if root > FINEST or not 0 <= first <= 1 + (root == 1):  # beyond it powers of u are missing
            return None
        plain = alike and network.readout is None and network.first.is_trained_as_drawn
        weights = DepthWeights(normal.branch, normal.weight) if plain else None
        stride = max(1, ceil(sum(abs(to_mpf(step.coefficients[0])) for step in steps) / SLOW))
        return cls(network, network.variance, gap, weights, first, root, stride)

    def followed(self, depth: int) -> tuple:
        """(1 - c^L, K^L/q_L) at mpmath's precision."""
        net = self.network
        if self.weights is not None:
            return by_layers(self.weights.form, self.weights.at(depth), self.gap, depth)
        ends = OuterLayers(net.first, net.readout)
        return pairs_along(net.at_depth(depth).blocks, to_mpf(self.gap), self.variance, [depth], ends=ends)[0][:2]

    def expansion(self, of: str, terms: int) -> Expansion:
        """So many terms of 1 - c^L or of K^L/q_L."""
        if abs(self.followed(SHALLOW)[0] - to_mpf(self.gap)) < STILL:
            raise InputError(f"correlation = {1 - self.gap} is a fixed point of the map and stays; give another one")
        place, letter = (0, "k") if of == "correlation" else (1, "r")
        there = [0, *range(self.first or 1, self.first + terms + 1)][: terms + 1]
        known = {j: RealConstant(f"{letter}_{j}", lambda j=j: self.coefficient(place, j, mp.dps),
                                 ("extrapolated", self, place, j), f"{letter}_{{{j}}}") for j in there}  # fmt: skip
        if self.first:
            known[0] = abs(place - self.gap)
        *found, beyond = (Monomial(Rational(j, self.root)) for j in there)
        law = dict(zip(found, known.values(), strict=False))
        return Expansion.build(Scale.at_infinity(DEPTH), law, Formal(beyond))

    def coefficient(self, place: int, index: int, digits: int):
        """That of u^index, on whose digits two extrapolations agree."""
        count = self.root * (digits // 2 + MORE) + index
        count = -(-count // FURTHER) * FURTHER  # the same networks for several coefficients
        return agreed(lambda more: [found[place][index] for found in _coefficients(self, count + more)],
                      digits, extras=(0, digits))  # fmt: skip


@dataclass(frozen=True)
class DepthWeights:
    """The branch of a network and its weights w_l, in LAYER and DEPTH."""

    form: Form
    weight: Expr

    def at(self, depth: int) -> "DepthWeights":
        """Those of the network with so many layers."""
        return DepthWeights(self.form, self.weight.subs(DEPTH, depth))

    @cached_property
    def _sizes(self) -> Callable:
        return numeric(self.weight, nodes.LAYER)

    def of_layer(self, form: Form, layer: int) -> list[tuple]:
        """(form, w) in the block that produces a layer."""
        return [(form, self._sizes(mpf(layer)))]


def _normal_form(network) -> NormalFormOfBlock | None:
    try:
        return network.normal_form
    except UnsupportedError:
        return None


def _steps_of(part: nodes.Node) -> list:
    """scale^2 and what differs from 1 in skip^2 as series in 1/L, of a residual part; [None] of another one."""
    if not isinstance(part, nodes.ResidualNode) or (part.scale + part.skip).free_symbols != {DEPTH}:
        return [None]
    moved = (value for value in (part.scale**2, cancel(part.skip**2 - 1)) if value != 0)
    return [puiseux(value, DEPTH, 3, inner=1 / Y) for value in moved]


@lru_cache(maxsize=64)
def _coefficients(steps: ExtrapolatedSteps, count: int) -> list:
    """Of both laws, from `count` layers on and from `FURTHER` more on, which share most networks."""
    further, apart = count + FURTHER, steps.stride
    with mp.workdps(3 * further):
        seen = {n * apart: steps.followed(n * apart) for n in range(count, 2 * further + 1)}
        return [_extrapolated(seen, first, steps) for first in (count, further)]


def _extrapolated(seen: dict, count: int, steps: ExtrapolatedSteps) -> list:
    """The polynomials in u through the networks of `count` to 2 `count` strides, for both laws."""
    depths = [n * steps.stride for n in range(count, 2 * count + 1)]
    rows = mp.matrix([[mp.root(depth, steps.root) ** -k for k in range(count + 1)] for depth in depths])
    return [mp.lu_solve(rows, mp.matrix(found)) for found in zip(*(seen[depth] for depth in depths), strict=True)]
