"""The Price expansion of any piecewise smooth activation: E[phi(sqrt q U) phi(sqrt q V)] in t = sqrt(1 - c), exactly.

Problem.  Expand F(c) at c = 1 to any order, for breakpoints anywhere and jumps of phi or any of its derivatives.

Rule.  Price's theorem integrated, with its rational numbers in `weights`:

    F = sum_n (-q t^2)^n M_n/n!  +  sum over breakpoints b, with E = exp(-b^2/(2q)) and e = (n + N - i)/2,
        E/(pi sqrt 2)       sum W J_n J_N b^i q^e t^P                    odd P
        E sqrt(q/(2 pi))    sum W J_n S_N b^i q^(e - 1/2) t^P            even P

J and S are jumps and sums of the one-sided derivatives of phi, M_n the moments of its regular derivatives.  The slope
(1/q) dF/dc is the derivative, d/dc = -(1/2t) d/dt; where phi jumps it starts with 1/t.

Tiny case (ELU, alpha = 1).  J_0 = J_1 = 0, J_2 = -1: the first odd power is t^5, W = -4/15.

The derivatives on the two sides are exact (`onesided`): a difference that is 0 must be seen to be 0.

Known limits.  Products of two different breakpoints, of size exp(-const/t^2), are beyond all powers.  For
smooth phi the series is in general only asymptotic.  One kink at 0 between straight lines is `relu_like`.
"""

from collections import defaultdict
from collections.abc import Callable
from math import factorial

from sympy import Add, Expr, Integer, Rational, exp, pi, sqrt

from asympt.errors import InputError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.expansion import expanded
from asympt.gaussian.closed.moments import exact_square_moment
from asympt.gaussian.closed.named import named_moment
from asympt.gaussian.growth import check_growth
from asympt.gaussian.moments import variance_of
from asympt.gaussian.onesided import plain
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.price.relu_like import SCALE
from asympt.gaussian.price.weights import weights

FEW = 15  # digits of q that decide whether the moments exist
Coefficients = dict[int, Expr]  # power of t -> coefficient


def price_expansion(phi: PiecewiseSmooth, q: Expr, order: int, moment: Callable | None = None) -> Expansion:
    """F(c) = E[phi(sqrt q U) phi(sqrt q V)] in powers of t = sqrt(1 - c) up to t^order (HDR Appendix B, generalised).

    Parameters: `q` > 0, a number or a positive symbol; `moment`: n -> M_n(q), by default its formula where there is
    one and the constant M_n elsewhere.  Raises `InputError` for a q or an order out of range and when the moments
    diverge, `UnsupportedError` when phi is not smooth up to its breakpoints or M_n has no formula in a symbol q.

    >>> from sympy import Max, Symbol
    >>> x, q = Symbol("x", real=True), Symbol("q", positive=True)
    >>> print(price_expansion(PiecewiseSmooth.of(Max(x, 0), x), q, 5))
    q/2 - q*t^2/2 + sqrt(2)*q*t^3/(3*pi) + sqrt(2)*q*t^5/(60*pi) + O(t^6)
    """
    _check(phi, q, order)
    moment = moment or (lambda n: default_moment(phi, n, q))
    found = _smooth_part(q, order, moment)
    for index, point in enumerate(phi.breaks):
        for power, value in _breakpoint_part(phi, index, point, q, order).items():
            found[power] += value
    following = order + 1 if phi.breaks else order + 2 - order % 2  # smooth functions have even powers only
    terms = {(power, 0): value for power, value in found.items()}
    return Expansion.build(SCALE, terms, Formal(Monomial(Integer(following))))


def default_moment(phi: PiecewiseSmooth, n: int, q: Expr) -> Expr:
    """M_n(q) by its formula, or as the constant M_n."""
    known = exact_square_moment(phi, n, q)
    return named_moment(phi, n, q) if known is None else known


def _check(phi: PiecewiseSmooth, q: Expr, order: int) -> None:
    if not q.is_positive:
        raise InputError(f"q = {q} is not known to be positive; give a positive number or a symbol declared positive")
    if order < 0:
        raise InputError(f"order = {order} is negative; ask for the expansion up to t^0 or higher")
    if not q.free_symbols and not any(piece.free_symbols - {phi.symbol} for piece in phi.pieces):
        check_growth(phi.square(), variance_of(q, FEW))


def _smooth_part(q: Expr, order: int, moment: Callable) -> defaultdict:
    """sum_n (-q t^2)^n M_n/n!."""
    found: defaultdict = defaultdict(lambda: Integer(0))
    for n in range(order // 2 + 1):
        found[2 * n] = Rational((-1) ** n, factorial(n)) * q**n * moment(n)
    return found


def _breakpoint_part(phi: PiecewiseSmooth, index: int, point: Expr, q: Expr, order: int) -> Coefficients:
    """What one breakpoint adds to each power of t."""
    jumps, sums = jumps_and_sums(phi, index, order + 1)
    bell = exp(-(point**2) / (2 * q))
    fronts = {1: bell / (pi * sqrt(2)), 0: bell * sqrt(q) / sqrt(2 * pi)}
    found: defaultdict = defaultdict(list)
    for level, jump in enumerate(jumps):
        if jump == 0 or 2 * level + 1 > order:
            continue
        for power, entries in weights(order, level, point == 0).items():
            partners = jumps if power % 2 else sums
            found[power] += [
                Rational(w.numerator, w.denominator) * jump * partners[other] * point**i * q ** ((n + other - i) // 2)
                for n, other, i, w in entries
                if partners[other] != 0
            ]
    return {power: fronts[power % 2] * Add(*values) for power, values in found.items() if values}


# ---- breakpoints -------------------------------------------------------------------------------------


def jumps_and_sums(phi: PiecewiseSmooth, index: int, count: int) -> tuple[list[Expr], list[Expr]]:
    """(J_0, J_1, ...), (S_0, S_1, ...) at breaks[index]: right minus left, and right plus left derivatives.

    Raises `UnsupportedError` when a derivative is infinite on its side.

    >>> from sympy import Abs, Symbol
    >>> jumps_and_sums(PiecewiseSmooth.of(Abs(Symbol("x")), Symbol("x")), 0, 2)
    ([0, 2], [0, 0])
    """
    pairs = list(zip(phi.taylor(index, -1, count), phi.taylor(index, 1, count), strict=True))
    return [plain(right - left) for left, right in pairs], [expanded(right + left) for left, right in pairs]
