"""The closed form behind every ReLU-like activation: the arc-cosine kernel of one kink.

With c = cos(theta):  f' = 1 - rho theta,  f = cos(theta) + rho S(theta), S(theta) = sin(theta) - theta cos(theta),
which without cancellation is (theta^3/3) 0F1(; 5/2; -theta^2/4).  Splitting phi into its odd and its even part (weights
1 - kappa and kappa = pi rho/2) gives, to full relative accuracy in the gap gamma = 1 - c of [0, 2],

    1 - f = (1 - kappa) gamma + kappa (1 - f_abs),    1 - f_abs = gamma_r - (2/pi) S(theta_r) >= 0.36 gamma_r,
    gamma_r = min(gamma, 2 - gamma),  theta_r = 2 asin(sqrt(gamma_r/2)) <= pi/2.
"""

from functools import lru_cache

from flint import arb, ctx
from mpmath import mp
from sympy import Expr, Symbol, acos, integrate, simplify

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.symbols import Reserved

GUARD, FEW = 10, 32  # bits: of the result, and of an angle below 1
C = Reserved("c", real=True)


@lru_cache(maxsize=1)
def angle_integral() -> Expr:
    """int_c^1 arccos(s) ds = sqrt(1 - c^2) - c arccos(c), found by SymPy and checked by differentiation."""
    s = Symbol("s", real=True)
    primitive = integrate(acos(s), s)
    if simplify(primitive.diff(s) - acos(s)) != 0:
        raise AssertionError("the primitive of arccos does not differentiate back")
    return simplify(primitive.subs(s, 1) - primitive.subs(s, C))


def closed_form(asymmetry: Expr, variable: Symbol = C) -> Expr:
    """f(c) = 1 - int_c^1 (1 - rho arccos(s)) ds as a SymPy expression.

    >>> from sympy import pi
    >>> closed_form(1/pi).subs(C, 0)
    1/pi
    """
    return variable + asymmetry * angle_integral().subs(C, variable)


def closed_slope(asymmetry: Expr, variable: Symbol = C) -> Expr:
    """f'(c) = 1 - rho arccos(c)."""
    return 1 - asymmetry * acos(variable)


def half_angle(gap):
    """theta = arccos(1 - gap) for an mpmath gap in [0, 2], accurate for small gaps."""
    with working(mp.prec + GUARD):
        return midpoint(_angle(of_mpf(gap)))


def lune(theta):
    """S(theta) = sin(theta) - theta cos(theta) in mpmath, to full relative accuracy."""
    with working(mp.prec + GUARD):
        return midpoint(_lune(of_mpf(theta)))


def gap_map(gap, kink_weight, linear_weight):
    """1 - f(1 - gap) at mpmath's current precision; `kink_weight` is kappa, `linear_weight` 1 - kappa."""
    with working(mp.prec + GUARD):
        reflected = of_mpf(min(gap, 2 - gap))
        even = midpoint(reflected - 2 * _lune(_angle(reflected)) / arb.pi())
    return linear_weight * gap + kink_weight * even


def gap_slope(gap, kink_weight, linear_weight):
    """f'(1 - gap) at mpmath's current precision."""
    with working(mp.prec + GUARD):
        even = midpoint(1 - 2 * _angle(of_mpf(min(gap, 2 - gap))) / arb.pi())
    return linear_weight + kink_weight * (even if gap <= 1 else -even)


def _angle(gap: arb) -> arb:
    return 2 * (gap / 2).sqrt().asin()


def _lune(theta: arb) -> arb:
    """By sine and cosine with the digits that their difference loses, or by the series where these are many."""
    if theta < arb((1, -FEW)):
        return theta**3 / 3 * (-(theta * theta) / 4).hypgeom_0f1(arb(5) / 2)
    with working(ctx.prec + 2 * FEW):
        sine, cosine = theta.mid().sin_cos()
        return sine - theta.mid() * cosine
