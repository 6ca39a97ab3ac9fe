"""The Price expansion of straight lines with one kink at 0: Price's theorem integrated from the level that vanishes.

G_n(c) = E[psi_reg^(n)(U) psi_reg^(n)(V)] has dG_n/dc = G_(n+1) + B_n.  For slopes a+ and a- only the jump of psi' is
not zero, J = a+ - a-: G_2 = 0, B_0 = 0, B_1 = J^2/(2 pi sqrt(1 - c^2)), G_1(1) = G_0(1) = (a+^2 + a-^2)/2.  With c = 1
- t^2 each level is one term-by-term integration of the binomial series: exact, to any order.
"""

from sympy import Expr, Rational, binomial, sqrt

from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.symbols import Reserved

UNIFORMISER = Reserved("t", positive=True)
SCALE = Scale.at_zero(UNIFORMISER)


def inverse_root(count: int) -> list[Rational]:
    """Coefficients of t^0, t^2, t^4, ... in (1 - t^2/2)^(-1/2): binomial(2k, k)/8^k.

    >>> inverse_root(3)
    [1, 1/4, 3/32]
    """
    return [Rational(binomial(2 * k, k), 8**k) for k in range(count)]


def kink_term(order: int) -> Expansion:
    """-int B_1 dc / (J^2/(2 pi)) = sqrt(2) int_0^t (1 - s^2/2)^(-1/2) ds, up to t^order: the angle arccos(c).

    >>> print(kink_term(4))
    sqrt(2)*t + sqrt(2)*t^3/12 + O(t^5)
    """
    odd = [(2 * k + 1, c) for k, c in enumerate(inverse_root(order // 2 + 2))]
    terms = {(power, 0): sqrt(2) * c / power for power, c in odd if power <= order}
    following = next(power for power, _ in odd if power > order)
    return Expansion.build(SCALE, terms, Formal(Monomial(following)))


def integrate_down(level: Expansion) -> Expansion:
    """-int_1^c level dc = int_0^t level 2s ds for an expansion in powers of t."""
    terms = {(m.order + 2, 0): 2 * c / (m.order + 2) for m, c in level.terms}
    rest = level.remainder and Formal(Monomial(level.remainder.monomial.order + 2))
    return Expansion.build(SCALE, terms, rest)


def along_correlation(level: Expansion) -> Expansion:
    """d level/dc = -(1/(2t)) d level/dt for an expansion in powers of t: what `integrate_down` undoes."""
    terms = {(m.order - 2, 0): -m.order * c / 2 for m, c in level.terms if m.order}
    return Expansion.build(SCALE, terms, Formal(Monomial(level.remainder.monomial.order - 2)))


def slope_level(asymmetry: Expr, order: int) -> Expansion:
    """G_1/G_1(1) = f'(c) at criticality: 1 - rho * (the kink's term), up to t^order.

    `asymmetry` is rho = J^2/(2 pi G_1(1)) = (a+ - a-)^2/(pi (a+^2 + a-^2)).
    """
    return 1 - kink_term(order) * asymmetry


def value_level(asymmetry: Expr, order: int) -> Expansion:
    """G_0/G_0(1) = f(c), up to t^order.

    >>> from sympy import pi
    >>> print(value_level(1/pi, 5))
    1 - t^2 + 2*sqrt(2)*t^3/(3*pi) + sqrt(2)*t^5/(30*pi) + O(t^7)
    """
    return 1 - integrate_down(slope_level(asymmetry, max(order - 2, 0)))
