"""Laws in the depth of a ReLU-like network whose variances unfold the Edge of Chaos: mu = 1 + m/L, sigma_b^2 = b/L.

With mu = sigma_w^2 E[phi(Z)^2] the variance is q' = mu q + sigma_b^2, and for x = 1 - c, g the map at L = oo,

    x' = (1 - g(1 - x))/lambda^2,   1/lambda^2 = mu q/q',   P_l = product of lambda up to l, P_l^2 = q_l/(q_1 mu^(l-1)).

These steps are no small ones: with the Abel function A(t) = alpha/t + r log t + ..., t = sqrt(x), of the map at L = oo
and X = A(t_l), one of them is X' = lambda (X + 1) + (lambda - 1) r log(X/alpha) - r log lambda + ..., linear but for
logarithms.  With p^2(s) = 1 + (b/q_1) int_0^s exp(-m v) dv, P^2 = p^2 + delta/L + ... at l - 1 = s L, W(s) = int_0^s
dv/p and Y = p(1) W(1),

    1 - c^L = (alpha/(Y L))^2 (1 - 2 (r p(1) log L + E)/(Y L) + O(log(L)^2/L^2)),

    E = p(1) (X_1 + 1/2 + r int_0^1 p'/p^2 (log(p W/alpha) - 1) ds - 1/2 int_0^1 delta/p^3 ds) - 3/2
        + r log(Y/alpha) + W(1) (delta(1)/(2 p(1)) - p'(1)).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from mpmath import mp, mpf
from sympy import Expr, Integer, exp, simplify, sqrt

from asympt.architectures import relu_like
from asympt.architectures.composed.form import Form
from asympt.architectures.composed.stages import ONE, Bent, Kept, Nonlinearity
from asympt.architectures.relu_like import DEPTH, OneKink
from asympt.blocks import nodes
from asympt.blocks.nodes import parts_of
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.agreement import GUARD
from asympt.recursions.fixed_point import numeric

KNOWN = (Monomial(2), Monomial(3, 1), Monomial(3), Monomial(4, 2))  # of log(L)^j/L^p, and of what is left


@dataclass(frozen=True)
class UnfoldingSteps:
    """A layer of one ReLU-like activation: `growth` is mu, `bias` sigma_b^2, `first` q_1; `gap`: 1 - c^1."""

    form: Form
    growth: Expr
    bias: Expr
    first: Expr
    gap: Expr

    flows, grown, power = False, False, Integer(1)

    @classmethod
    def of(cls, network, gap: Expr) -> "UnfoldingSteps | None":
        """Those of a network, if its block is such a layer with a bias and its variances hold DEPTH."""
        match parts_of(network.block):
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
        self._require()
        last = [RealConstant(f"k_{k}", lambda k=k: _numbers(self, mp.dps)[k], ("unfolding", self, k), f"k_{{{k}}}")
                for k in range(3)]  # fmt: skip
        last[0] = last[0] if self.length is None else (self.alpha / self.length) ** 2
        found = dict(zip(KNOWN[:terms], last, strict=False))
        return Expansion.build(Scale.at_infinity(DEPTH), found, Formal(KNOWN[len(found)]))

    def _require(self) -> None:
        if OneKink.of(self.form) is None:
            raise UnsupportedError("the map of a linear network is the identity, which has no such law; ask for pair")
        _ = self.rates

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
