r"""The laws of every residual network with a ReLU-like phi and no bias, derived once.

Problem.  HDR Theorem 2 and Appendix Lemma 7: 1 - c^l and K^L(x, x') of y^l = y^(l-1) + F(y^(l-1)), exactly, for
symbolic slopes and symbolic sigma_w.

Rule.  With alpha = sigma_w^2 (a+^2 + a-^2)/2 and delta = alpha/(1 + alpha) the variance is q_l = (1+alpha)^(l-1) q_1,
and in units of q_l

    c -> f_delta(c) = (1 - delta) c + delta f(c),      k -> f_delta'(c) k + r delta f(c),    k^1 = r c^1,

r = 1, or 2 where a branch has two trained matrices.  f_delta is the map of a ReLU-like phi again, with
fold delta kappa, so flow, A and the law of 1 - c^l are those of `relu_like`.  The forcing is another one,
delta f(c) = f_delta(c) - (1 - delta) c, so P is solved anew: once, for symbolic alpha_(-1) and symbolic delta.

Tiny case (ReLU, sigma_w^2 = 1).  alpha = 1/2, delta = 1/3, alpha_(-1) = 9 pi/sqrt(2):
1 - c^l = (81 pi^2/2)(l + (3/2) log l + ...)^(-2),   K^L/(q_L L) = 1/12 + log(L)/(8 L) + ...

Known limits.  Two different slopes, no bias, the same branch in every layer.
"""

from functools import lru_cache

from sympy import Expr, Rational, Symbol, ceiling, sqrt

from asympt.architectures import relu_like
from asympt.architectures.relu_like import ALPHA, CALM, DEPTH, FREE, leading_abel, ratio_of, scaled
from asympt.architectures.starts import read_start
from asympt.expansions import Expansion, Scale
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.relu_like_map import ReluLikeMap
from asympt.meanfield.statement import Statement
from asympt.precise.residual import ResidualGapStep, ResidualKernelStep, learning_ratio
from asympt.recursions.coordinates.abel import AbelFunction
from asympt.recursions.coordinates.abel_inversion import depth_law, linear_value
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.parabolic_law import ParabolicLaw
from asympt.recursions.protocol import Dynamics, LinearPart, T
from asympt.symbols import Reserved, named

BRANCH_SHARE = Symbol("delta", positive=True)
FREE_BRANCH_SHARE = Reserved("delta", positive=True)  # the same in the derivation that serves every network
QUANTITY = r"\frac{K^{L}(x,x')}{q_{L}\,L}"


# ---- the laws of one network --------------------------------------------------------------------


def correlation_law(statement: Statement, terms: int) -> ParabolicLaw:
    """The law of 1 - c^l."""
    alpha = leading_abel(mixed_map(statement).fold)
    return ParabolicLaw(
        r"1-c^{l}", relu_like._expansion(False, terms).subs({FREE: alpha}), read_start, "correlation",
        abel=relu_like.abel_for(alpha), dynamics=correlation_dynamics(statement), layer=statement,
        universal_source=lambda: relu_like.correlation_law(*relu_like.UNIVERSAL, terms),
    )


def ntk_law(statement: Statement, terms: int) -> ParabolicLaw:
    """The law of K^L(x, x')/(q_L L)."""
    share, ratio = statement.branch_share.factor(), learning_ratio(statement)
    alpha, dynamics = leading_abel(mixed_map(statement).fold), ntk_dynamics(statement)
    return _ntk_law(alpha, share, ratio, dynamics, terms, statement)


def _ntk_law(alpha: Expr, share: Expr, ratio: Expr, dynamics: Dynamics, terms: int, statement=None) -> ParabolicLaw:
    values = {FREE: alpha, FREE_BRANCH_SHARE: share}
    expansion = _expansion(ratio, terms).subs(values)
    return ParabolicLaw(
        QUANTITY, expansion, read_start, "ntk", abel=relu_like.abel_for(alpha), dynamics=dynamics, layer=statement,
        linear=_solved(ratio).subs(values), average=True, flow_source=lambda: _flow(expansion, alpha),
        universal_source=lambda: _family(share, ratio, terms),
    )


def _family(share: Expr, ratio: Expr, terms: int) -> ParabolicLaw:
    """The same law for a free alpha_(-1) at this delta; nothing of it can be iterated."""
    alpha = named([FREE], share.free_symbols | ratio.free_symbols)[FREE]
    mixed, branch = _universal_maps(share, alpha)
    dynamics = _dynamics(mixed, alpha, None, linear_part(mixed, branch, share, ratio, alpha))
    return _ntk_law(alpha, share, ratio, dynamics, terms)


def _flow(expansion: Expansion, alpha: Expr) -> Expansion:
    """1 - c^L in the depth variable of the NTK law, to as many orders as a check of that law needs."""
    order = int(ceiling(expansion.remainder.monomial.order)) + 1
    return relu_like.universal_flow(order * (order + 1) // 2).subs({FREE: alpha})


# ---- the recursion of one network -----------------------------------------------------------------


@lru_cache(maxsize=256)
def mixed_map(statement: Statement) -> ReluLikeMap:
    """f_delta: the map of a ReLU-like phi with fold delta kappa."""
    fold = (statement.branch_share * statement.layer.fold).factor()
    return ReluLikeMap(fold, (1 - fold).factor())


@lru_cache(maxsize=256)
def correlation_dynamics(statement: Statement) -> Dynamics:
    """gamma -> 1 - f_delta(1 - gamma)."""
    f = mixed_map(statement)
    return _dynamics(f, leading_abel(f.fold), ResidualGapStep(statement), None)


@lru_cache(maxsize=256)
def ntk_dynamics(statement: Statement) -> Dynamics:
    """The same flow with the NTK's linear recursion along it."""
    f, branch = mixed_map(statement), CorrelationMap.of(statement.layer)
    scale = leading_abel(f.fold)
    linear = linear_part(f, branch, statement.branch_share, learning_ratio(statement), scale)
    return _dynamics(f, scale, ResidualKernelStep(statement), linear)


def _dynamics(f: CorrelationMap, scale: Expr, step, linear: LinearPart | None) -> Dynamics:
    formula = f.gap_in_uniformiser(T)
    return Dynamics(
        ratio_of(f, scale), step, root=2, scale=scale, first=1, linear=linear, formula=formula, calm=CALM
    )


def linear_part(mixed: CorrelationMap, branch: CorrelationMap, share: Expr, ratio: Expr, scale: Expr) -> LinearPart:
    """lambda = f_delta'(c), b = r delta f(c), k^1 = r c^1; the forcing is read off the branch's own map."""
    return LinearPart(
        multiplier=lambda count: scaled(mixed.slope_expansion(count + 3), count, scale),
        forcing=lambda count: [(ratio * share * c).expand() for c in scaled(branch.expansion(count + 3), count, scale)],
        start=lambda gap: int(ratio) * (1 - gap),
        formulas=(mixed.slope_in_uniformiser(T), ratio * share * (1 - branch.gap_in_uniformiser(T))),
    )


# ---- the derivation, once for every slope and every sigma_w ----------------------------------------------


def _universal_maps(share: Expr, alpha: Expr) -> tuple[CorrelationMap, CorrelationMap]:
    """(f_delta, f) with the asymmetries 3/(sqrt(2) alpha_(-1)) and 1/delta times that."""
    asymmetry = 3 / (sqrt(2) * alpha)
    return CorrelationMap.with_asymmetry(asymmetry), CorrelationMap.with_asymmetry(asymmetry / share)


@lru_cache(maxsize=4)
def solved(ratio: Expr) -> LinearSolution:
    """P and H in t for symbolic alpha_(-1) and delta."""
    return _solved(ratio).subs({FREE: ALPHA, FREE_BRANCH_SHARE: BRANCH_SHARE})


@lru_cache(maxsize=4)
def _solved(ratio: Expr) -> LinearSolution:
    """The same in the derivation's symbols, solved in tau = t/alpha_(-1)."""
    (mixed, branch), size = _universal_maps(FREE_BRANCH_SHARE, FREE), relu_like.DERIVED_ORDERS + 3
    growth = Dynamics(ratio_of(mixed, FREE), None, root=2).growth(size)
    linear = linear_part(mixed, branch, FREE_BRANCH_SHARE, ratio, FREE)
    return LinearSolution.solve(growth, linear.multiplier(size), linear.forcing(size), root=2).rescale(FREE)


@lru_cache(maxsize=64)
def universal_expansion(ratio: Expr, terms: int) -> Expansion:
    """The law of K^L/(q_L L) for symbolic alpha_(-1), delta, C and D."""
    return _expansion(ratio, terms).readable()


@lru_cache(maxsize=64)
def _expansion(ratio: Expr, terms: int) -> Expansion:
    """The same in the derivation's symbols."""
    abel: AbelFunction = relu_like.abel_for(FREE)
    linear = _solved(ratio)
    value = linear_value(linear.particular, linear.homogeneous, abel.multiplicity)
    return depth_law(abel, DEPTH, terms, value) / Expansion.variable(Scale.at_infinity(DEPTH))


# ---- laws that are identities ------------------------------------------------------------------------


def limit_over_normaliser(statement: Statement) -> tuple[Expr, Expr]:
    """lim K^L/(q_1 L (1+alpha)^(L-1)) for x = x' and for x != x': HDR's normaliser alpha_L is L (1+alpha)^(L-1).

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> limit_over_normaliser(Statement.residual(Layer(activation("relu"), Integer(2), Integer(0))))
    (1/2, 1/8)
    """
    whole = learning_ratio(statement) * statement.branch_share
    return whole, whole * Rational(1, 4)
