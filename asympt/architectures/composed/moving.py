"""Laws in the depth L of networks whose variance knows L: of one layer on the Edge of Chaos, of residual parts.

Of a ReLU-like layer whose sigma_w and sigma_b unfold the Edge of Chaos the terms have formulas (`UnfoldingSteps`); of
residual networks whose variance moves the maps or their weights they are extrapolated (`ExtrapolatedSteps`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, lcm

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, cancel, exp, simplify, sqrt

from asympt.architectures import relu_like
from asympt.architectures.composed.compiling import NormalFormOfBlock
from asympt.architectures.composed.flow import by_layers
from asympt.architectures.composed.form import Form
from asympt.architectures.composed.stages import ONE, Bent, Kept, Nonlinearity
from asympt.architectures.relu_like import DEPTH, OneKink
from asympt.blocks import nodes
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.closed.kernels import closed_form
from asympt.numbers import to_mpf
from asympt.precise.blocks import OuterLayers, pairs_along
from asympt.recursions.agreement import GUARD, agreed
from asympt.recursions.fixed_point import numeric

# ---- mu = 1 + m/L, sigma_b^2 = b/L ------------------------------------------------------------------
#
# With mu = sigma_w^2 E[phi(Z)^2] the variance is q' = mu q + sigma_b^2, and for x = 1 - c, g the map at L = oo,
#
#     x' = (1 - g(1 - x))/lambda^2,  1/lambda^2 = mu q/q',  P_l = product of lambda up to l, P_l^2 = q_l/(q_1 mu^(l-1)).
#
# These steps are no small ones: with the Abel function A(t) = alpha/t + r log t + ..., t = sqrt(x), of the map at
# L = oo and X = A(t_l), one of them is X' = lambda (X + 1) + (lambda - 1) r log(X/alpha) - r log lambda + ..., linear
# but for logarithms.  With p^2(s) = 1 + (b/q_1) int_0^s exp(-m v) dv, P^2 = p^2 + delta/L + ... at l - 1 = s L,
# W(s) = int_0^s dv/p and Y = p(1) W(1),
#
#     1 - c^L = (alpha/(Y L))^2 (1 - 2 (r p(1) log L + E)/(Y L) + O(log(L)^2/L^2)),
#
#     E = p(1) (X_1 + 1/2 + r int_0^1 p'/p^2 (log(p W/alpha) - 1) ds - 1/2 int_0^1 delta/p^3 ds) - 3/2
#         + r log(Y/alpha) + W(1) (delta(1)/(2 p(1)) - p'(1)).

KNOWN = (Monomial(2), Monomial(3, 1), Monomial(3), Monomial(4, 2))  # of log(L)^j/L^p, and of what is left


@dataclass(frozen=True)
class UnfoldingSteps:
    """A layer of one ReLU-like activation: `growth` is mu, `bias` sigma_b^2, `first` q_1; `gap`: 1 - c^1."""

    form: Form
    growth: Expr
    bias: Expr
    first: Expr
    gap: Expr

    flows, goes_far, grown, power = False, False, False, Integer(1)

    @classmethod
    def of(cls, network, gap: Expr) -> "UnfoldingSteps | None":
        """Those of a network, if its block is such a layer with a bias and its variances hold DEPTH."""
        match nodes.parts_of(network.block):
            case (nodes.ActivationNode(phi=phi), nodes.DenseNode(sigma_w=weight, sigma_b=bias)):
                moving = (weight.free_symbols | bias.free_symbols) - phi.expression.free_symbols
                if phi.is_relu_like and DEPTH in moving:
                    form = Form((Bent(Nonlinearity(phi, ONE)), Kept(ONE)), ("layer", phi))
                    first = network.given_variance or ONE
                    return cls(form, simplify(weight**2 * phi.second_moment), bias**2, first, gap)
        return None

    def followed(self, depth: int) -> tuple:
        """(1 - c^L,) at mpmath's precision."""
        growth, bias = (numeric(value, DEPTH)(mpf(depth)) for value in (self.growth, self.bias))
        x, q = to_mpf(self.gap), to_mpf(self.first)
        for _ in range(depth - 1):
            kept = growth * q
            q = kept + bias
            x = kept / q * self.form.numbers(x).lost
        return (x,)

    # ---- the law ---------------------------------------------------------------------------------

    @cached_property
    def rates(self) -> tuple[list, list]:
        """(m_1, m_2) and (b_1, b_2) of mu - 1 and sigma_b^2 in 1/L."""
        growth = simplify(self.growth - 1)
        return self._in_depth(growth, "sigma_w^2 E[phi(Z)^2] - 1"), self._in_depth(self.bias, "sigma_b^2")

    def _in_depth(self, value: Expr, name: str) -> list:
        if value == 0:
            return [Integer(0)] * 2
        series = puiseux(value, DEPTH, 3, inner=1 / Y)
        if series.root != 1 or series.valuation < 1:
            raise UnsupportedError(
                f"{name} = {value} is not a power series in 1/L without a constant term, so there is no law in L here; "
                "take variances such as sigma_w^2 = 2 + a/L and sigma_b^2 = b/L, or ask for numbers (pair)"
            )
        return [*[Integer(0)] * (series.valuation - 1), *series.coefficients][:2]

    def expansion(self, of: str, terms: int) -> Expansion:
        """At most three terms of 1 - c^L."""
        if of != "correlation":
            raise UnsupportedError("where variances hold DEPTH there is a law of the correlation alone; ask for pair")
        if OneKink.of(self.form) is None:
            raise UnsupportedError("the map of a linear network is the identity, which has no such law; ask for pair")
        last = [RealConstant(f"k_{k}", lambda k=k: _numbers(self, mp.dps)[k], ("unfolding", self, k), f"k_{{{k}}}")
                for k in range(3)]  # fmt: skip
        last[0] = last[0] if self.length is None else (self.alpha / self.length) ** 2
        found = dict(zip(KNOWN[:terms], last, strict=False))
        return Expansion.build(Scale.at_infinity(DEPTH), found, Formal(KNOWN[len(found)]))

    @property
    def alpha(self) -> Expr:
        """That of A(t) = alpha/t + ..."""
        return relu_like.alpha_of(OneKink.of(self.form))

    @property
    def length(self) -> Expr | None:
        """Y, where sigma_w^2 does not unfold, or q stays q_1."""
        m, b = (simplify(values[0] / unit) for values, unit in zip(self.rates, (ONE, self.first), strict=True))
        if b == 0:
            return ONE
        if m == 0:
            return simplify(2 * sqrt(1 + b) * (sqrt(1 + b) - 1) / b)
        return simplify(2 * (1 - exp(-m / 2)) / m) if simplify(b + m) == 0 else None


@lru_cache(maxsize=32)
def _numbers(steps: UnfoldingSteps, digits: int) -> list:
    """The three coefficients to so many digits."""
    law = relu_like.correlation_law(OneKink.of(steps.form), 2)
    begun = 1 + law.connection_constant(gap=steps.gap, digits=digits)
    with mp.workdps(digits + GUARD):
        alpha, r = (to_mpf(law.abel.expansion.coefficients[key]) for key in (Monomial(-1), Monomial(0, 1)))
        curve = _VariancePath(*(list(map(to_mpf, values)) for values in steps.rates), to_mpf(steps.first))
        return curve.coefficients(alpha, r, begun)


@dataclass(frozen=True)
class _VariancePath:
    """p, W and delta in numbers."""

    growth: list
    bias: list
    first: object

    def square(self, s):
        """p^2."""
        return 1 + self.bias[0] / self.first * self._integral(s)

    def _integral(self, s):
        m = self.growth[0]
        return -mp.expm1(-m * s) / m if m else s

    def delta(self, s):
        """P^2 = p^2 + delta/L: Euler and Maclaurin's half terms, and L log(mu) = m + (m_2 - m^2/2)/L."""
        (m, second), (b, next_b), falls = self.growth, self.bias, mp.exp(-self.growth[0] * s)
        moment = (self._integral(s) - s * falls) / m if m else s**2 / 2
        return (next_b * self._integral(s) + b * ((falls - 1) / 2 - (second - m**2 / 2) * moment)) / self.first

    def slope(self, s):
        """p'."""
        return self.bias[0] * mp.exp(-self.growth[0] * s) / self.first / (2 * mp.sqrt(self.square(s)))

    def way(self, s):
        """W = 2 V artanh(z V)/(z V), z^2 = m (m + b/q_1), as dp^2 = -m (p^2 - 1 - b/(m q_1)) ds."""
        m, passed = self.growth[0], self._integral(s)
        v = passed / (mp.sqrt(self.square(s)) + 1 - m * passed)
        return 2 * v * mp.hyp2f1(0.5, 1, 1.5, m * (m + self.bias[0] / self.first) * v**2)

    def coefficients(self, alpha, r, begun) -> list:
        """Those of 1/L^2, log(L)/L^3 and 1/L^3; the logarithm at s = 0 goes by parts, with 1 - 1/p."""
        end, whole = mp.sqrt(self.square(1)), self.way(1)
        length, own = end * whole, mp.log(end * whole / alpha)

        def along(s):
            p, slope = mp.sqrt(self.square(s)), self.slope(s)
            lost = r * ((1 - 1 / p) * (slope / p + 1 / (p * self.way(s))) + slope / p**2)
            return lost + self.delta(s) / (2 * p**3)

        inner = begun + mpf(1) / 2 + r * (1 - 1 / end) * own - mp.quad(along, [0, mpf(1) / 4, 1])
        constant = end * inner - mpf(3) / 2 + r * own + whole * (self.delta(1) / (2 * end) - self.slope(1))
        first = (alpha / length) ** 2
        return [first, -2 * first * r * end / length, -2 * first * constant / length]


# ---- y <- y + h(L) F(y) -----------------------------------------------------------------------------
#
# h = v L^(-p) + ..., p >= 1, is a series in u = L^(-1/d), so these are Euler's steps of a flow in y = (q, s, K), and
# q_L, s_L, K_L are series in u too (Gragg 1965; F is smooth for -1 < c < 1): Richardson's extrapolation, the polynomial
# in u through networks of n, ..., 2 n layers.

MORE, FURTHER = 6, 4  # networks beyond the digits, and of the second extrapolation
SHALLOW, STILL = 30, 1e-12  # layers of one of them, and what 1 - c moves by at least
FINEST, SLOW = 3, 4  # d at most: as many times as many networks; a v with which networks of any depth do
NEAREST = 0.01  # 1 + c^1 for which the networks are made deeper


@dataclass(frozen=True)
class ExtrapolatedSteps:
    """The layers of such a network, by g and its weights, or by the rules of its parts.

    `gap`: 1 - c^1; `weights`: g and w_l where there are any; `first`: (p - 1) d, the power of u by which c moves;
    `root`: d; `stride`: layers from one network to the next, v/SLOW of them, and more next to c = -1.
    """

    network: object
    variance: Expr
    gap: Expr
    weights: "DepthWeights | None"
    first: int
    root: int
    stride: int

    flows, goes_far, grown, power = False, False, False, Integer(1)

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
        smooth = min(1, max(NEAREST, to_mpf(2 - gap)))  # how far F is smooth
        stride = max(1, ceil(sum(abs(to_mpf(step.coefficients[0])) for step in steps) / smooth / SLOW))
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
            known[0] = 1 - self.gap if place else self.gap  # c and R stay
        *found, beyond = (Monomial(Rational(j, self.root)) for j in there)
        law = dict(zip(found, known.values(), strict=False))
        return Expansion.build(Scale.at_infinity(DEPTH), law, Formal(beyond))

    def coefficient(self, place: int, index: int, digits: int):
        """That of u^index, on whose digits two extrapolations agree."""
        count = self.root * (digits // 2 + MORE) + index
        count = -(-count // FURTHER) * FURTHER  # the same networks for several coefficients
        return agreed(lambda more: [found[place][index] for found in _coefficients(self, count + more)],
                      digits, "two extrapolations", "ask for numbers (pair)",
                      (0, digits))  # fmt: skip


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
    """The polynomials in u through the networks of `count` to 2 `count` strides, for both laws; u is 1 at the first."""
    strides, unit = range(count, 2 * count + 1), mp.root(count * steps.stride, steps.root)
    rows = mp.matrix([[mp.root(mpf(count) / n, steps.root) ** k for k in range(count + 1)] for n in strides])
    values = zip(*(seen[n * steps.stride] for n in strides), strict=True)
    return [[c * unit**k for k, c in enumerate(mp.lu_solve(rows, mp.matrix(found)))] for found in values]
