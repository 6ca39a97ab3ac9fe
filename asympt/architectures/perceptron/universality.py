"""The universality class of an activation, computed from the activation (PDLT chapters 5 and 10).

Problem.  Which laws of depth an MLP obeys at criticality is decided by phi near 0, not by phi's name.

Rule.  With sigma_k = phi^(k)(0), and at C_W = 1/sigma_1^2, C_b = 0, the Gaussian expansion of phi at 0 gives

    C_W <phi phi>_K = K + a_1 K^2 + ...          a_1 = sigma_3/sigma_1 + (3/4) (sigma_2/sigma_1)^2
    C_W <phi' phi'>_K = 1 + b_1 K + ...          b_1 = sigma_3/sigma_1 + (sigma_2/sigma_1)^2,    p_perp = b_1/a_1

    scale-invariant   phi has one slope on each side of 0: C_W = 1/A_2, K constant
    K* = 0            phi(0) = 0, sigma_1 != 0, a_1 < 0: C_W = 1/sigma_1^2, K -> 0 like 1/((-a_1) l)

Tiny case.  tanh: sigma_1 = 1, sigma_2 = 0, sigma_3 = -2: a_1 = b_1 = -2, p_perp = 1.

Known limits.  Everything else is refused with its reason: among others a_1 > 0 (GELU, SiLU), where K* = 0 repels, and
phi with breakpoints, whose second derivative has parts that the expansion at 0 does not see.
"""

from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, Integer, Symbol, factorial, factorial2, simplify

from asympt.errors import UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.meanfield.activations import Activation

SCALE_INVARIANT, VANISHING = "scale-invariant", "K* = 0"
SIGMA = tuple(Symbol(f"sigma_{k}", real=True) for k in range(4))  # phi(0), phi'(0), phi''(0), phi'''(0)


@dataclass(frozen=True)
class Universality:
    """One class: `name`, the critical `weight_variance` C_W (C_b is 0), and for K* = 0 the constants a_1 and b_1.

    >>> from asympt.meanfield.activations import activation
    >>> universality_of(activation("tanh"))
    Universality(name='K* = 0', weight_variance=1, a1=-2, b1=-2)
    >>> universality_of(activation("relu")).weight_variance
    2
    """

    name: str
    weight_variance: Expr
    a1: Expr | None = None
    b1: Expr | None = None

    @property
    def exponent(self) -> Expr | None:
        """p_perp = b_1/a_1 (PDLT 5.99), None for a scale-invariant activation."""
        return None if self.a1 is None else simplify(self.b1 / self.a1)


@lru_cache(maxsize=64)
def universality_of(phi: Activation) -> Universality:
    """The class of phi; `UnsupportedError` with the reason where there is no critical point of either class."""
    if phi.is_relu_like:
        return Universality(SCALE_INVARIANT, 1 / phi.second_moment)
    if phi.piecewise.breaks:
        raise UnsupportedError(
            f"activation {phi.name!r} has breakpoints and is not ReLU-like, so it is in neither class of PDLT; take a "
            "smooth one with phi(0) = 0, or a ReLU-like one"
        )
    value, slope, *_ = sigma = derivatives_at_zero(phi, 4)
    if value != 0 or slope == 0:
        raise UnsupportedError(
            f"activation {phi.name!r} has phi(0) = {value} and phi'(0) = {slope}; the class K* = 0 needs phi(0) = 0 "
            "and phi'(0) != 0, so take another activation (or subtract phi(0))"
        )
    a1, b1 = (simplify(e.subs(dict(zip(SIGMA, sigma, strict=True)))) for e in expansion_coefficients())
    if not a1 < 0:
        how = "K* = 0 repels" if a1 > 0 else "the next order decides whether K* = 0 attracts"
        raise UnsupportedError(
            f"activation {phi.name!r} has a_1 = {a1}, so {how}; the class K* = 0 needs a_1 < 0 as for tanh or sin "
            "(FeedForward.on_edge_of_chaos finds other critical points)"
        )
    return Universality(VANISHING, 1 / slope**2, a1, b1)


@lru_cache(maxsize=1)
def expansion_coefficients() -> tuple[Expr, Expr]:
    """(a_1, b_1) in sigma_1, sigma_2, sigma_3, from the Gaussian moments of phi's Taylor series at sigma_0 = 0.

    >>> expansion_coefficients()[1]
    sigma_3/sigma_1 + sigma_2**2/sigma_1**2
    """
    taylor = [s / factorial(k) for k, s in enumerate(SIGMA)]
    taylor[0] = Integer(0)
    slopes = [(k + 1) * c for k, c in enumerate(taylor[1:])]
    (_, _, second), (_, first) = moment_series(taylor, taylor, 3), moment_series(slopes, slopes, 2)
    return (second / SIGMA[1] ** 2).expand(), (first / SIGMA[1] ** 2).expand()


def moment_series(one: list, two: list, count: int) -> list[Expr]:
    """E[f(sqrt(K) Z) g(sqrt(K) Z)] = sum_k (2k-1)!! K^k sum_(i+j=2k) f_i g_j: the first `count` coefficients in K.

    >>> moment_series([0, 1], [0, 1], 2)
    [0, 1]
    """
    result = []
    for k in range(count):
        pairs = ((i, 2 * k - i) for i in range(2 * k + 1))
        total = sum((one[i] * two[j] for i, j in pairs if i < len(one) and j < len(two)), Integer(0))
        result.append(total * (factorial2(2 * k - 1) if k else 1))
    return result


def derivatives_at_zero(phi: Activation, count: int) -> list[Expr]:
    """phi(0), phi'(0), ...: `count` of them, exact."""
    return [simplify(c * factorial(k)) for k, c in enumerate(taylor_at_zero(phi, count))]


@lru_cache(maxsize=64)
def taylor_at_zero(phi: Activation, count: int) -> tuple[Expr, ...]:
    """The first `count` Taylor coefficients of phi at 0, exact."""
    series = puiseux(phi.piecewise.pieces[0].subs(phi.piecewise.symbol, Y), Y, count)
    if series.root != 1 or series.valuation < 0:
        raise UnsupportedError(f"activation {phi.name!r} is no power series at 0; take one that is analytic there")
    plain = [Integer(0)] * series.valuation + list(series.coefficients)
    return tuple((plain + [Integer(0)] * count)[:count])
