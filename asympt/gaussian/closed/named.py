"""Gaussian moments as constants with a name: E[tanh''(sqrt(q) Z)^2] has no closed form, yet it is a coefficient."""

from mpmath import mp
from sympy import Expr, Integer, degree

from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.closed.moment_numbers import moments_at
from asympt.gaussian.piecewise import PiecewiseSmooth


class Moment(RealConstant):
    """E[phi^(n)^2] of a derivative that is not 0: positive, and no digits are computed to see that."""

    is_positive = True


def named_moment(phi: PiecewiseSmooth, n: int, q: Expr, exact: Expr | None = None) -> Expr:
    """M_n(q) = E[phi^(n)(sqrt(q) Z)^2] as a constant called M_n; `exact` is kept beside it as its formula.

    0 where the n-th derivative vanishes.  Raises `UnsupportedError` for a q that is not a number.

    >>> from sympy import Rational, Symbol, tanh
    >>> x = Symbol("x", real=True)
    >>> constant = named_moment(PiecewiseSmooth.of(tanh(x), x), 1, Rational(1))
    >>> constant, constant.evalf(15)
    (M_1, 0.464402902448268)
    """
    if all(piece.is_polynomial(phi.symbol) and degree(piece, phi.symbol) < n for piece in phi.pieces):
        return Integer(0)  # a constant known by digits could not say so
    if q.free_symbols:
        raise UnsupportedError(f"the moment M_{n} of {phi.pieces} has no formula in q = {q}; give q as a number")
    key = ("M", n, phi, q)
    return Moment(f"M_{n}", lambda: moments_at(phi, n + 1, q, mp.dps)[n], key, f"M_{{{n}}}", exact)
