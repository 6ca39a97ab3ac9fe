"""What one input shows of a scaled residual network: K^L(x, x)/q_L and the variance q^l.

Rule.  Both are sums over the layers (`sums`), known exactly:

    K^L(x, x)/q_L = 1 + sum_(k=2)^L delta_k          kappa = 1: 1 + alpha (psi(L+1+alpha) - psi(2+alpha))
    q^l/q^1 = prod_(k=2)^l (1 + alpha k^(-kappa))    kappa = 1: Gamma(l+1+alpha)/(Gamma(l+1) Gamma(2+alpha))

For kappa = 1 the variance grows like l^alpha (a polynomial in l for a whole alpha), otherwise its logarithm has a law
in powers of l.

Tiny case.  alpha = kappa = 1: q^l = q^1 (l + 1)/2.

Known limits.  For kappa = 1, alpha must be a number: powers of l cannot be ordered otherwise.
"""

from dataclasses import dataclass
from itertools import count
from math import prod

from mpmath import mp, mpf
from sympy import Expr, Integer, Poly, Rational, Symbol, gamma, log

from asympt.architectures.exact_law import no_start
from asympt.architectures.named_constants import Coefficient
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.scaled.coordinate import sum_of_shares
from asympt.architectures.scaled.law import diagonal_constant
from asympt.architectures.scaled.steps import mixing_steps
from asympt.architectures.scaled.sums import LayerSum
from asympt.architectures.starts import read_variance
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.meanfield.statement import Statement
from asympt.numbers import symbol_names, to_mpf
from asympt.recursions.agreement import DEEPER, Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate, Known, Step

MOST_ROUNDS = 40
APART, GUARD = 7, 12  # digits of the second route beyond those of the first, and beyond those of each


@dataclass(frozen=True)
class SumOverLayers(Coordinate):
    """What one input shows at every depth: `total`, a sum over the layers (or its exponential with `grows`).

    `formula`: the quantity for every depth as a SymPy expression (with C = q^1/Gamma(2 + alpha) where it grows), or
    None when kappa is not 1.
    """

    total: LayerSum
    formula: Expr | None = None

    kind = "scaled"

    @property
    def grows(self) -> bool:
        """Whether this is q^l itself."""
        return self.total.logarithmic and self.total.kappa == 1

    def parameters(self, linear) -> set:
        """The symbols in the step size."""
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
            forcing, factor = Integer(0), 1 + decay
        elif not self.total.logarithmic:
            forcing = mixing_steps(self.total.alpha, self.total.kappa).formula(layer)
        return (Step("map", {"affine": forcing, "multiplier": factor}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        """The quantity at a depth."""
        with mp.workdps(route.digits + GUARD):
            total = self.total.at(depth, route.digits, route.deeper) if depth > 1 else mpf(0)
            if self.grows:
                return (to_mpf(start) * mp.exp(total),)
            return (total if self.total.logarithmic else 1 + total,)

    def crossing(self, start: Expr, route: Route) -> Known:
        """C = q^1/Gamma(2 + alpha)."""
        if not self.grows:
            raise UnsupportedError("this law holds for every start and has no connection constant")
        with mp.workdps(route.digits + GUARD):
            return Known(to_mpf(start) / mp.gamma(2 + to_mpf(self.total.alpha)))


def diagonal_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x)/q_L."""
    total = sum_of_shares(statement)
    expansion = _with_terms(total, DEPTH, terms, lambda e: e + diagonal_constant(total.alpha, total.kappa))
    formula = None if total.formula(DEPTH) is None else 1 + total.formula(DEPTH)
    coordinate = SumOverLayers(total, formula)
    return Law(
        r"\frac{K^{L}(x,x)}{q_{L}}", expansion, no_start, "ntk diagonal", coordinate=coordinate, layer=statement
    )


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l for kappa = 1, of log(q^l/q^1) otherwise."""
    alpha, kappa = statement.layer.chi, statement.decay
    total = LayerSum(alpha, kappa, True)
    if kappa != 1:
        shift = Coefficient("s_1", lambda: total.certified_constant(mp.dps),
                            f"s_1 of alpha = {alpha}, kappa = {kappa}", "s_1")
        expansion = _with_terms(total, LAYER, terms, lambda e: e + shift)
        coordinate = SumOverLayers(total)
        return Law(r"\log(q^{l}/q^{1})", expansion, no_start, "variance", coordinate=coordinate, layer=statement)
    if alpha.free_symbols:
        names = symbol_names(alpha.free_symbols)
        raise UnsupportedError(
            f"the variance grows like l^({alpha}), and its terms can be ordered only for numbers; give {names} a value"
        )
    if alpha.is_Integer:
        whole = Poly(CONNECTION * prod(LAYER + j for j in range(1, int(alpha) + 1)), LAYER)
        exact = {(-power, 0): c for (power,), c in whole.terms()}
        expansion = Expansion.build(Scale.at_infinity(LAYER), exact).truncate(terms)
    else:
        expansion = _with_terms(total, LAYER, terms, lambda e: _exponential(e, alpha))
    formula = CONNECTION * gamma(LAYER + 1 + alpha) / gamma(LAYER + 1)
    coordinate = SumOverLayers(total, formula)
    return Law(r"q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


def _with_terms(total: LayerSum, depth: Symbol, terms: int, change) -> Expansion:
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
    total = term = Expansion.constant(small.scale, 1)
    for k in count(1):
        term = (term * rest * Rational(1, k)).up_to(rest.remainder.monomial)
        total = total + term
        if not term.terms:
            return total * Expansion.build(small.scale, {Monomial(-alpha): CONNECTION * Integer(1)})
