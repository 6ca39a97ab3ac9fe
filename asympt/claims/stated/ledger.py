"""Printed formulas of the ledger as objects: what is shown beside the quote and what is checked are made of them.

Rule.  A function for each claim, called when it is asked for, as some need a law or a point of the Edge of Chaos.  A
printed remainder that leaves out a term is the coefficient 0 of that term.

Known limits.  Not every claim of the ledger: those whose statement is one of the forms and is decided fast.  Letters
of a printed formula that are free (L, sigma_w, alpha and beta) have numbers here, which the formula itself shows.
"""

from collections.abc import Callable

from sympy import Integer, Rational, Symbol, asin, diff, pi, sqrt

from asympt.claims.stated.algebra import ALGEBRA
from asympt.claims.stated.laws import LawCoefficient, LawLimit, Rate, StatedNetwork, law_of, numbers_of
from asympt.claims.stated.statement import Agreement, Equality, Inequality, Limit, StatedFormula

RELU = StatedNetwork("feedforward", "relu")
RESIDUAL = StatedNetwork("resnet", "relu", (("sigma_w", "1"),))
NAMES = ("t", "alpha", "chi", "q", "C_phi", "sigma_w")
T, ALPHA, CHI, Q, C_PHI, SIGMA = (Symbol(name, positive=True) for name in NAMES)
S, KAPPA = 2 * sqrt(2) / (3 * pi), sqrt(2) / (30 * pi)  # of ReLU's correlation map
ZERO, ONE = Integer(0), Integer(1)


def _size(network: StatedNetwork, law: str, power: int) -> Rate:
    """Theta(depth^power)."""
    return Rate(network, law, law_of(network, law).depth_variable ** power)


def _curve(activation: str, printed: str) -> tuple[StatedFormula, ...]:
    """sigma_w of the Edge of Chaos at sigma_b = 1/5."""
    numbers = numbers_of(StatedNetwork("feedforward", activation, (("sigma_b", "1/5"),)))
    return (Agreement(numbers[Symbol("sigma_w", positive=True)], printed, r"\sigma_w"),)


def _geometric() -> tuple[StatedFormula, ...]:
    """p_aa^(l+1) at l = 5: the sum with l + 2 terms and the closed form."""
    total = sum(CHI**i for i in range(7))
    return (Equality(Q * (CHI**6 - 1) / (CHI - 1), Q * total, (CHI, Q)),)


def _near_one() -> tuple[StatedFormula, ...]:
    c = 1 - T
    form = (c * asin(c) + sqrt(2 * T - T**2)) / pi + c / 2
    return (Limit((form - 1 + T) / T ** Rational(3, 2), T, ZERO, S),)


def _slope_near_one() -> tuple[StatedFormula, ...]:
    return (Limit((asin(1 - T) / pi + Rational(1, 2) - 1) / sqrt(T), T, ZERO, -sqrt(2) / pi),)


def _inverse_root() -> tuple[StatedFormula, ...]:
    """gamma_(l+1)^(-1/2) with gamma = t^2: the coefficient of t, 0 as printed."""
    after = T**2 - S * T**3 - KAPPA * T**5
    return (Limit((1 / sqrt(after) - 1 / T - S / 2) / T, T, ZERO, ZERO),)


def _inverse() -> tuple[StatedFormula, ...]:
    """1/lambda_(l+1) for alpha = 1, beta = -1/3: the coefficient of lambda, beta as printed."""
    beta = Rational(-1, 3)
    return (Limit((1 / (T - T**2 - beta * T**3) - 1 / T - 1) / T, T, ZERO, beta),)


def _ratio() -> tuple[StatedFormula, ...]:
    """At L = 5."""
    depth = 5
    bounds = (1 + 9 * ALPHA * C_PHI) ** depth / (C_PHI * (3 * C_PHI) ** (depth - 1))
    return (Equality(bounds, (1 + 9 * ALPHA) ** depth / 3 ** (depth - 1), (ALPHA, C_PHI)),)


def _alpha_at_any_depth() -> tuple[StatedFormula, ...]:
    depth = Symbol("L", real=True)
    largest = (3 ** (1 - 1 / depth) - 1) / 9
    return (Inequality(Rational(1, 10), "<=", largest, depth, ONE, Integer(60)),)


def _decreasing() -> tuple[StatedFormula, ...]:
    """B_res over its first factors at C_phi = 1, L = 4."""
    alpha = Symbol("alpha", real=True)
    return (Inequality(diff((1 + 9 * alpha) ** 4, alpha), "<", ZERO, alpha, ZERO, ONE),)


def _residual_coefficient() -> tuple[StatedFormula, ...]:
    """The coefficient of (1-c)^(3/2) in the map of a ReLU ResNet, for every sigma_w."""
    alpha = SIGMA**2 / 2
    return (Equality(alpha / (1 + alpha) * S, S / (1 + alpha), (SIGMA,)),)


FORMULAS: dict[str, Callable[[], tuple[StatedFormula, ...]]] = {
    "HDR.B1.relu-exp": _near_one,
    "HDR.T1.fprime": _slope_near_one,
    "HDR.T1.1-inv": _inverse_root,
    "HDR.T1.1-limit": lambda: (LawLimit(RELU, "ntk", Rational(1, 4)),),
    "HDR.T1.1-rate": lambda: (_size(RELU, "ntk", -1),),
    "HDR.T1.1-c": lambda: (
        LawCoefficient(RELU, "correlation", "1/l^2", 9 * pi**2 / 2),
        LawCoefficient(RELU, "correlation", "log(l)/l^3", ZERO),
    ),
    "HDR.S4.corrrates": lambda: (_size(RELU, "correlation", -2),),
    "HDR.T1.2-inv": _inverse,
    "HDR.S6.2-eoc-tanh": lambda: _curve("tanh", "1.298"),
    "HDR.S6.2-eoc-elu": lambda: _curve("elu", "1.225"),
    "HDR.AL7.s": _residual_coefficient,
    "HDR.AL7": lambda: (
        LawCoefficient(RESIDUAL, "correlation", "1/l^2", 81 * pi**2 / 2),
        LawCoefficient(RESIDUAL, "correlation", "log(l)/l^3", ZERO),
    ),
    "HDR.T2.rate": lambda: (_size(RESIDUAL, "ntk", -1),),
    "XPS.chaos.paa": _geometric,
    "XPS.ord.paa": _geometric,
    "TBG.ratio": _ratio,
    "TBG.alpha-bound": _alpha_at_any_depth,
    "TBG.Bres.mono": _decreasing,
    **ALGEBRA,
}
