"""The laws of every ReLU-like network, derived once: one parameter carries both slopes.

Problem.  Derive 1 - c^l and K^L(x, x')/(q L) exactly for symbolic slopes, fast.

Rule.  Only the asymmetry rho of the slopes enters f.  So both laws are derived once for the symbolic parameter
alpha = alpha_(-1) = 3/(sqrt(2) rho), the leading Abel coefficient (A, P and H in the unit tau = t/alpha, in which
every coefficient is a polynomial in alpha); a network substitutes its own alpha.

Tiny case (ReLU).  alpha = 3 pi/sqrt(2), iterative residue 3/2:
1 - c^l = (9 pi^2/2)(l + (3/2) log l + ...)^(-2),   K^L/(q L) = 1/4 + (3/8) log(L)/L + ...

Known limits.  Two different slopes (rho > 0) and no bias.
"""

from functools import lru_cache

from sympy import Expr, Integer, Symbol, ceiling, pi, sqrt

from asympt.architectures.starts import read_start
from asympt.expansions import Expansion, Scale
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.relu_like_map import ReluLikeMap
from asympt.precise import GapStep, KernelStep
from asympt.recursions.coordinates.abel import AbelFunction
from asympt.recursions.coordinates.abel_inversion import depth_law, linear_value, power_of
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.law import Law
from asympt.recursions.parabolic_law import ParabolicLaw
from asympt.recursions.protocol import Dynamics, LinearPart, T
from asympt.symbols import Reserved

ALPHA = Symbol("alpha", positive=True)  # the parameter of the family of laws
FREE = Reserved("alpha", positive=True)  # the same in the derivation that serves every slope
LAYER, DEPTH = Reserved("l", positive=True), Reserved("L", positive=True)
DERIVED_ORDERS = 20
CALM = Integer(1)  # t = 1 is c = 0; the map's nearest singularity is c = -1, t = sqrt(2)


# ---- the laws of one network --------------------------------------------------------------------


def correlation_law(fold: Expr, unfolded: Expr, terms: int, layer=None) -> Law:
    """The law of 1 - c^l for an activation with the given kappa and 1 - kappa."""
    alpha = leading_abel(fold)
    return ParabolicLaw(
        r"1-c^{l}", _expansion(False, terms).subs({FREE: alpha}), read_start, "correlation",
        abel=abel_for(alpha), dynamics=correlation_dynamics(fold, unfolded), layer=layer,
        universal_source=lambda: correlation_law(*UNIVERSAL, terms),
    )


def ntk_law(fold: Expr, unfolded: Expr, terms: int, layer=None) -> Law:
    """The law of K^L(x, x')/(q L) for an activation with the given kappa and 1 - kappa."""
    alpha = leading_abel(fold)
    expansion = _expansion(True, terms).subs({FREE: alpha})
    return ParabolicLaw(
        r"\frac{K^{L}(x,x')}{q\,L}", expansion, read_start, "ntk",
        abel=abel_for(alpha), dynamics=ntk_dynamics(fold, unfolded), layer=layer,
        linear=ntk_solution_for(alpha), average=True,
        flow_source=lambda: _flow(expansion, alpha), universal_source=lambda: ntk_law(*UNIVERSAL, terms),
    )


def _flow(expansion, alpha: Expr):
    """1 - c^L in the depth variable of the NTK law, to as many orders as a check of that law needs."""
    order = int(ceiling(expansion.remainder.monomial.order)) + 1
    return universal_flow(order * (order + 1) // 2).subs({FREE: alpha})


def leading_abel(fold: Expr) -> Expr:
    """alpha_(-1) = 3/(sqrt(2) rho), rho = 2 kappa/pi."""
    return 3 * pi / (2 * sqrt(2) * fold)


UNIVERSAL = (3 * pi / (2 * sqrt(2) * ALPHA), 1 - 3 * pi / (2 * sqrt(2) * ALPHA))  # kappa, 1 - kappa for symbolic alpha


# ---- the derivation, once for every slope ---------------------------------------------------------


def _universal_map() -> CorrelationMap:
    return CorrelationMap.with_asymmetry(3 / (sqrt(2) * FREE))


def scaled(expansion, count: int, scale: Expr, shift: int = 0) -> list[Expr]:
    """The first `count` coefficients of expansion / t^shift in tau = t/scale."""
    known = {int(m.order) - shift: c for m, c in expansion.terms}
    return [(known.get(k, Integer(0)) * scale**k).expand() for k in range(count)]


def ratio_of(f: CorrelationMap, scale: Expr):
    """count -> coefficients of gamma'/gamma = (1 - f)/t^2 in tau."""
    return lambda count: scaled(1 - f.expansion(count + 3), count, scale, shift=2)


def linear_part(f: CorrelationMap, scale: Expr) -> LinearPart:
    """lambda = f'(c), b = f(c), k^1 = c^1 (HDR Lemma 2 in units of q)."""
    return LinearPart(
        multiplier=lambda count: scaled(f.slope_expansion(count + 3), count, scale),
        forcing=lambda count: scaled(f.expansion(count + 3), count, scale),
        start=lambda gap: 1 - gap,
        formulas=(f.slope_in_uniformiser(T), 1 - f.gap_in_uniformiser(T)),
    )


@lru_cache(maxsize=256)
def correlation_dynamics(fold: Expr, unfolded: Expr) -> Dynamics:
    """gamma -> 1 - f(1 - gamma) for the network's own slopes."""
    f, scale = ReluLikeMap(fold, unfolded), leading_abel(fold)
    return Dynamics(
        ratio_of(f, scale), GapStep(fold, unfolded), root=2, scale=scale, first=1,
        formula=f.gap_in_uniformiser(T), calm=CALM,
    )


@lru_cache(maxsize=256)
def ntk_dynamics(fold: Expr, unfolded: Expr) -> Dynamics:
    """The same flow with the NTK's linear recursion along it."""
    f, scale = ReluLikeMap(fold, unfolded), leading_abel(fold)
    return Dynamics(
        ratio_of(f, scale), KernelStep(fold, unfolded), root=2, scale=scale, first=1,
        linear=linear_part(f, scale), formula=f.gap_in_uniformiser(T), calm=CALM,
    )


@lru_cache(maxsize=1)
def _solved() -> tuple[AbelFunction, LinearSolution]:
    """A, P and H in t, solved in tau = t/alpha, where every coefficient is a polynomial in alpha."""
    f, size = _universal_map(), DERIVED_ORDERS + 3
    growth = Dynamics(ratio_of(f, FREE), None, root=2).growth(size)
    linear = linear_part(f, FREE)
    solution = LinearSolution.solve(growth, linear.multiplier(size), linear.forcing(size), root=2)
    return AbelFunction.solve(growth, root=2).rescale(FREE), solution.rescale(FREE)


@lru_cache(maxsize=64)
def abel_for(alpha: Expr) -> AbelFunction:
    """A(t) for one value of alpha."""
    return _solved()[0].subs({FREE: alpha})


@lru_cache(maxsize=64)
def ntk_solution_for(alpha: Expr) -> LinearSolution:
    """P(t) and H(t) for one value of alpha."""
    return _solved()[1].subs({FREE: alpha})


@lru_cache(maxsize=64)
def universal_expansion(ntk: bool, terms: int):
    """The law for symbolic alpha, C (and D), with `terms` terms."""
    return _expansion(ntk, terms).readable()


@lru_cache(maxsize=64)
def _expansion(ntk: bool, terms: int):
    """The same in the derivation's symbols."""
    abel, linear = _solved()
    if not ntk:
        return depth_law(abel, LAYER, terms, power_of(2))
    value = linear_value(linear.particular, linear.homogeneous, abel.multiplicity)
    return depth_law(abel, DEPTH, terms, value) / Expansion.variable(Scale.at_infinity(DEPTH))


@lru_cache(maxsize=16)
def universal_flow(terms: int):
    """1 - c^L for FREE alpha, in L; in the derivation's symbols."""
    return depth_law(_solved()[0], DEPTH, terms, power_of(2))
