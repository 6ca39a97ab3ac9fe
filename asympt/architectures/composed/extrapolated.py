"""Laws in the depth of residual networks whose variance moves the maps: y <- y + h(L) F(y), y = (q, s, K).

h = v/L + ... is a series in 1/L, so these are Euler's steps of a flow, and q_L, s_L, K_L are series in 1/L too (Gragg
1965; F is smooth for -1 < c < 1): Richardson's extrapolation, the polynomial through networks of n, ..., 2 n layers.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpf
from sympy import Expr, Integer

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

MORE, FURTHER = 6, 4  # networks beyond the digits, and of the second extrapolation
SHALLOW, STILL = 30, 1e-12  # layers of one of them, and what 1 - c moves by at least


@dataclass(frozen=True)
class ExtrapolatedSteps:
    """The layers of such a network, followed by the rules of its primitives; `gap`: 1 - c^1."""

    network: object
    variance: Expr
    gap: Expr

    flows, grown, power = False, False, Integer(1)

    @classmethod
    def of(cls, network, gap: Expr) -> "ExtrapolatedSteps | None":
        """Those of a network without a normal form: closed kernels, in residual parts with scale^2 = v/L + ..."""
        parts = nodes.parts_of(network.block)
        if len(network.blocks) > 1 or nodes.within(parts) & {nodes.LAYER, DEPTH} or not all(map(_is_step, parts)):
            return None
        if any(closed_form(phi.piecewise) is None for node in nodes.every_node(parts) for phi in node.activations):
            return None  # hundreds of layers to twice the digits: minutes where each of them is a quadrature
        try:
            return network.normal_form and None
        except UnsupportedError:
            return cls(network, network.variance, gap)

    def followed(self, depth: int) -> tuple:
        """(1 - c^L, K^L/q_L) at mpmath's precision."""
        blocks, ends = self.network.at_depth(depth).blocks, OuterLayers(self.network.first, self.network.readout)
        return pairs_along(blocks, to_mpf(self.gap), self.variance, [depth], ends=ends)[0][:2]

    def expansion(self, of: str, terms: int) -> Expansion:
        """So many terms of 1 - c^L or of K^L/q_L."""
        if abs(self.followed(SHALLOW)[0] - to_mpf(self.gap)) < STILL:
            raise InputError(f"correlation = {1 - self.gap} is a fixed point of the map and stays; give another one")
        place, letter = (0, "k") if of == "correlation" else (1, "r")
        found = {Monomial(j): RealConstant(f"{letter}_{j}", lambda j=j: self.coefficient(place, j, mp.dps),
                                           ("extrapolated", self, place, j), f"{letter}_{{{j}}}")
                 for j in range(terms)}  # fmt: skip
        return Expansion.build(Scale.at_infinity(DEPTH), found, Formal(Monomial(terms)))

    def coefficient(self, place: int, index: int, digits: int):
        """That of 1/L^index, on whose digits two extrapolations agree."""
        count = -(-(digits // 2 + index + MORE) // FURTHER) * FURTHER  # the same networks for several coefficients
        return agreed(lambda more: [found[place][index] for found in _coefficients(self, count + more)],
                      digits, extras=(0, digits))  # fmt: skip


def _is_step(part: nodes.Node) -> bool:
    if not isinstance(part, nodes.ResidualNode) or part.skip != 1 or part.scale.free_symbols != {DEPTH}:
        return False
    series = puiseux(part.scale**2, DEPTH, 3, inner=1 / Y)
    return series.root == series.valuation == 1


@lru_cache(maxsize=64)
def _coefficients(steps: ExtrapolatedSteps, count: int) -> list:
    """Of both laws, from `count` layers on and from `FURTHER` more on, which share most networks."""
    further = count + FURTHER
    with mp.workdps(3 * further):
        seen = {depth: steps.followed(depth) for depth in range(count, 2 * further + 1)}
        return [_extrapolated(seen, first) for first in (count, further)]


def _extrapolated(seen: dict, count: int) -> list:
    """The polynomials in 1/L through the networks of `count` to 2 `count` layers, for both laws."""
    depths = range(count, 2 * count + 1)
    rows = mp.matrix([[mpf(depth) ** -k for k in range(count + 1)] for depth in depths])
    return [mp.lu_solve(rows, mp.matrix(found)) for found in zip(*(seen[depth] for depth in depths), strict=True)]
