"""The laws of y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), phi ReLU-like (HDR Proposition 3 and Appendix Lemma 8).

T(1 - c^l) = clock(l) + C + small (`flow_time`), k = K/q = P(t) + D h(t) (`composed.flow`); one input is a sum
over the layers (`sums`), known exactly:

    K^L(x, x)/q_L = 1 + sum_(k=2)^L delta_k          kappa = 1: 1 + alpha (psi(L+1+alpha) - psi(2+alpha))
    q^l/q^1 = prod_(k=2)^l (1 + alpha k^(-kappa))    kappa = 1: Gamma(l+1+alpha)/(Gamma(l+1) Gamma(2+alpha))

    kappa = 1        clock = alpha log l; what is small is O(1/l), beyond all powers of 1/log l
    0 < kappa < 1    clock = alpha l^(1-kappa)/(1-kappa) - ...; what is small in T, k and s is O(l^(-kappa))
    kappa > 1        the branches add up to a finite clock, so 1 - c^l tends to a positive number that depends on c^1
"""

from dataclasses import dataclass
from itertools import count
from math import prod

from mpmath import mp, mpf
from sympy import Expr, Integer, Poly, Rational, S, Symbol, gamma, latex, log, simplify

from asympt.architectures.composed.form import Form
from asympt.architectures.law_parts import Coefficient, read_variance
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.scaled.sums import LayerSum, Shares, diagonal_constant, mixing_steps
from asympt.blocks.nodes import LAYER as PRODUCED
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.expansion import exponential
from asympt.numbers import symbol_names, to_mpf
from asympt.recursions.agreement import DEEPER, Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.law import Law, no_start
from asympt.recursions.protocol import Coordinate, Known, Step

MOST_ROUNDS = 40
APART, GUARD = 7, 12  # digits of the second route beyond those of the first, and beyond those of each


@dataclass(frozen=True)
class FallingBranch:
    """The branch's map, alpha and kappa; `bias`: what a bias adds to the variance, for its law only."""

    form: Form
    alpha: Expr
    kappa: Expr
    bias: Expr = S.Zero

    @classmethod
    def of(cls, normal) -> "FallingBranch | None":
        """From a composition's normal form with one ReLU-like phi; None for another one."""
        linked = normal.branch.linked
        if linked is None or linked.weight != 1 or not linked.phi.is_scale_free or normal.total is not None:
            return None
        alpha, falls = simplify(1 / (1 / normal.weight - 1)).as_independent(PRODUCED)
        base, exponent = falls.as_base_exp()
        return cls(normal.branch, alpha, -exponent) if base == PRODUCED and linked.own == (1, -1, 0) else None

    @property
    def steps(self) -> Shares:
        """The shares w_l."""
        return mixing_steps(self.alpha, self.kappa)


@dataclass(frozen=True)
class SumOverLayers(Coordinate):
    """What one input shows at every depth: `total`, a sum over the layers (or its exponential with `grows`).

    `formula`: the quantity for every depth as a SymPy expression (with C = q^1/Gamma(2 + alpha) where it grows), or
    None when kappa is not 1.  `shift`: sigma_b^2/alpha, with which it is q + shift that grows.
    """

    total: LayerSum
    formula: Expr | None = None
    shift: Expr = S.Zero

    kind, evidence = "scaled", "exact"

    @property
    def grows(self) -> bool:
        """Whether this is q^l itself."""
        return self.total.logarithmic and self.total.kappa == 1

    def parameters(self, linear) -> set:
        return self.total.alpha.free_symbols

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways; exp loses what its argument has before the point."""
        digits += len(str(depth)) if self.grows else 0
        return [Route(0, digits), Route(0, digits + APART, DEEPER)]

    def steps(self, law) -> tuple[Step, ...]:
        """From layer l - 1 to l: q' = (1 + alpha l^(-kappa)) q, its logarithm, or a sum of delta_l."""
        layer, decay = law.depth_variable, self.total.alpha * law.depth_variable**-self.total.kappa
        forcing, factor = log(1 + decay), Integer(1)
        if self.grows:
            forcing, factor = decay * self.shift, 1 + decay
        elif not self.total.logarithmic:
            forcing = mixing_steps(self.total.alpha, self.total.kappa).formula(layer)
        return (Step("map", {"affine": forcing, "multiplier": factor}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits + GUARD):
            total = self.total.at(depth, route.digits, route.deeper) if depth > 1 else mpf(0)
            if self.grows:
                shift = to_mpf(self.shift)
                return ((to_mpf(start) + shift) * mp.exp(total) - shift,)
            return (total if self.total.logarithmic else 1 + total,)

    def crossing(self, start: Expr, route: Route) -> Known:
        """C = (q^1 + shift)/Gamma(2 + alpha)."""
        if not self.grows:
            raise UnsupportedError("this law holds for every start and has no connection constant")
        with mp.workdps(route.digits + GUARD):
            return Known((to_mpf(start) + to_mpf(self.shift)) / mp.gamma(2 + to_mpf(self.total.alpha)))


def diagonal_law(branch: FallingBranch, terms: int) -> Law:
    """The law of K^L(x, x)/q_L."""
    total = LayerSum(branch.alpha, branch.kappa, False)
    expansion = sum_with_terms(total, DEPTH, terms, lambda e: e + diagonal_constant(total.alpha, total.kappa))
    formula = None if total.formula(DEPTH) is None else 1 + total.formula(DEPTH)
    coordinate = SumOverLayers(total, formula)
    return Law(r"\frac{K^{L}(x,x)}{q_{L}}", expansion, no_start, "ntk diagonal", coordinate=coordinate)


def variance_law(branch: FallingBranch, terms: int) -> Law:
    """The law of q^l for kappa = 1, of log(q^l/q^1) otherwise; with biases it is q + sigma_b^2/alpha that grows."""
    alpha, kappa, bias = branch.alpha, branch.kappa, branch.bias / branch.alpha
    total = LayerSum(alpha, kappa, True)
    if kappa != 1:
        shift = Coefficient("s_1", lambda: total.certified_constant(mp.dps), ("s_1", alpha, kappa), "s_1")
        expansion = sum_with_terms(total, LAYER, terms, lambda e: e + shift)
        coordinate, plus = SumOverLayers(total, shift=bias), f"+{latex(bias)}" if bias else ""
        quantity = rf"\log((q^{{l}}{plus})/(q^{{1}}{plus}))" if bias else r"\log(q^{l}/q^{1})"
        return Law(quantity, expansion, no_start, "variance", coordinate=coordinate)
    if alpha.free_symbols:
        names = symbol_names(alpha.free_symbols)
        raise UnsupportedError(
            f"the variance grows like l^({alpha}), and its terms can be ordered only for numbers; give {names} a value"
        )
    if alpha.is_Integer:
        whole = Poly(CONNECTION * prod(LAYER + j for j in range(1, int(alpha) + 1)), LAYER)
        exact = {(-power, 0): c - (bias if power == 0 else 0) for (power,), c in whole.terms()}
        expansion = Expansion.build(Scale.at_infinity(LAYER), exact).truncate(terms)
    else:
        expansion = sum_with_terms(total, LAYER, terms, lambda e: _exponential(e, alpha) - bias)
    formula = CONNECTION * gamma(LAYER + 1 + alpha) / gamma(LAYER + 1) - bias
    coordinate = SumOverLayers(total, formula, bias)
    return Law(r"q^{l}", expansion, read_variance, "variance", coordinate=coordinate)


def sum_with_terms(total: LayerSum, depth: Symbol, terms: int, change) -> Expansion:
    """change(the sum) with as many terms; fewer when it ends."""
    variable = Expansion.variable(Scale.at_infinity(depth))
    unit = min(total.kappa, Rational(1))
    for k in count(1):
        found = change(total.expansion(k * unit))
        if len(found.terms) > terms or k == MOST_ROUNDS:
            return found.compose(variable).truncate(terms)


def _exponential(small: Expansion, alpha: Expr) -> Expansion:
    """C l^alpha exp(the rest), for a sum alpha log l + the rest."""
    rest = small - Expansion.build(small.scale, {(0, 1): alpha})
    return exponential(rest) * Expansion.build(small.scale, {Monomial(-alpha): CONNECTION})
