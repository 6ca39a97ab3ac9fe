"""The flow behind a scaled residual network with a ReLU-like phi: its drift h, and the NTK along it.

gamma' = gamma - delta h(gamma), h = gamma - (1 - f(1 - gamma)), and k' = (1 - delta h') k + delta f in units of the
variance.  In the flow time T, dT = -dgamma/h, dk/dT = -h' k + f; with t = sqrt(gamma)

    k = P + D h,      P = h T - h int (1 - t^2) 2t dt/h^2,      h = c t^3 (1 + t^2/20 + ...),  c = 2 sqrt(2) rho/3.

h is odd in t, so T = 2/(c t) + ... is odd and has no logarithm; (1 - t^2) t/h^2 has a residue: P = 1/(2 c t) + ...
contains h log t.  P carries no pure t^3, the power with which h starts: that normalises D.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sympy import Expr, Integer, Rational, S, simplify, sqrt

from asympt.blocks.nodes import LAYER
from asympt.expansions import Expansion, Formal, Monomial
from asympt.gaussian.closed.arccosine import half_angle, lune
from asympt.gaussian.price.relu_like import value_level
from asympt.meanfield.correlation import ReluLikeMap
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.coordinates.flow_time.drift import Drift
from asympt.recursions.coordinates.flow_time.series import solve_in_time
from asympt.symbols import Reserved

GAP = Reserved("gamma", positive=True)
ROOT, ORDER = 2, 3  # t = gamma^(1/2), h = c t^3 (1 + ...)
AHEAD = 16


@lru_cache(maxsize=64)
def drift_of(kink_weight: Expr, linear_weight: Expr) -> Drift:
    """h for an activation with the given kappa and 1 - kappa.

    >>> h = drift_of(Rational(1, 2), Rational(1, 2))
    >>> h.power, h.ratio(5)
    (3/2, [1, 0, 1/20, 0, 9/1120])
    """
    f = ReluLikeMap(kink_weight, linear_weight)
    formula = GAP - f.gap_in_uniformiser(sqrt(GAP))
    lead = lead_of(f.asymmetry)
    return Drift(ROOT, ORDER, lead, ratio, lambda gap: _drift(f.asymmetry, gap), formula, GAP, known=True)


def lead_of(asymmetry: Expr) -> Expr:
    """c."""
    return 2 * sqrt(2) * asymmetry / 3


def asymmetry_of(drift: Drift) -> Expr:
    """rho, from c."""
    return 3 * drift.lead / (2 * sqrt(2))


def _drift(asymmetry: Expr, gap):
    """h = rho (sin theta - theta cos theta), to full relative accuracy."""
    return to_mpf(asymmetry) * lune(half_angle(gap))


def drift_slope(asymmetry: Expr, gap):
    """h'(gamma) = rho theta."""
    return to_mpf(asymmetry) * half_angle(gap)


def ratio(count: int) -> list[Rational]:
    """The first `count` coefficients of h/(c t^3) in t: the same for every ReLU-like phi."""
    return list(_ratio(-(-count // AHEAD) * AHEAD)[:count])


@lru_cache(maxsize=16)
def _ratio(count: int) -> tuple[Rational, ...]:
    known = {int(m.order): c for m, c in value_level(1 / lead_of(Integer(1)), count + ORDER).terms}
    return tuple(known.get(k + ORDER, Integer(0)) for k in range(count))


# ---- the NTK along the flow ---------------------------------------------------------------------


def ntk_solution(lead: Expr, order: int) -> LinearSolution:
    """P and H = h up to, not including, t^order, for h = lead t^3 (1 + ...).

    >>> print(ntk_solution(Integer(1), 4).particular)
    1/(2*t) - 43*t/40 + 2*t^2 - 32*t^3*log(t)/175 + O(t^4*log(t))
    """
    time, rest, resonance = _particular(order)
    terms = {(k, 0): time.get(k, 0) + rest.get(k, 0) / lead for k in range(ROOT - ORDER, order)}
    shape = ratio(max(1, order - ORDER))
    terms |= {(ORDER + k, 1): resonance * c / lead for k, c in enumerate(shape) if ORDER + k < order}
    homogeneous = {(ORDER + k, 0): lead * c for k, c in enumerate(shape)}
    left = Formal(Monomial(order, 1 if order >= ORDER else 0))
    particular = Expansion.build(AT_FIXED_POINT, terms, left)
    return LinearSolution(particular, Expansion.build(AT_FIXED_POINT, homogeneous, Formal(Monomial(order))), ROOT)


@lru_cache(maxsize=32)
def _particular(order: int) -> tuple:
    """h T, the rest of P, and the factor of t^3 (1 + ...) log t in it, for c = 1: f = (1 - t^2) + h."""
    shape = [Fraction(int(c.p), int(c.q)) for c in ratio(order + ORDER + 3)]
    zero, one = Fraction(0), Fraction(1)
    time, _ = solve_in_time(shape, [zero] * ORDER + shape, one, ROOT, ORDER)
    rest, resonance = solve_in_time(shape, [one, zero, -one] + [zero] * len(shape), one, ROOT, ORDER)
    exact = ({k: Rational(c.numerator, c.denominator) for k, c in part.items()} for part in (time, rest))
    return *exact, Rational(resonance.numerator, resonance.denominator)


# ---- a branch that falls like l^(-kappa) ---------------------------------------------------------------
#
# c <- c + w_l (g(c) - c) with g the map of a ReLU-like phi without bias and w_l = alpha/(l^kappa + alpha).


@dataclass(frozen=True)
class FallingBranch:
    """alpha, kappa, the weights of |x| and x in phi; `bias`: what a bias adds to the variance, for its law only."""

    alpha: Expr
    kappa: Expr
    kink_weight: Expr
    linear_weight: Expr
    bias: Expr = S.Zero

    @classmethod
    def of(cls, normal) -> "FallingBranch | None":
        """From a composition's normal form; None for another one."""
        linked = normal.branch.linked
        if linked is None or linked.weight != 1 or not linked.phi.is_scale_free or normal.total is not None:
            return None
        alpha, falls = simplify(1 / (1 / normal.weight - 1)).as_independent(LAYER)
        base, exponent = falls.as_base_exp()
        if base != LAYER or linked.own != (1, -1, 0):
            return None
        return cls(alpha, -exponent, linked.phi.phi.kink_weight, linked.phi.phi.linear_weight)
