"""The classes an activation belongs to, decided from its breakpoints and exact one-sided derivatives.

Class S (HDR Definition 1): phi(0) = 0, phi twice differentiable, phi'' = sum of 1_{A_i} g_i with smooth g_i.  Read
literally it excludes ELU with any alpha: phi'' does not exist at 0, where it jumps from alpha to 0 (and phi' from
alpha to 1 unless alpha = 1), although HDR lists ELU.  Decided here is: phi(0) = 0, phi in C^1, and phi'' piecewise
smooth; `jumps(phi, 2)` says where phi'' fails to exist.

K* = 0 (PDLT 5.3.3, eqs. 5.86 and 5.90): phi(0) = 0, s_n = phi^(n)(0) up to n = 3, s_1 != 0.  With sigma_b = 0 and
sigma_w^2 = 1/s_1^2 the moments E[x^2] = q, E[x^4] = 3 q^2 of x ~ N(0, q) give

    q' = sigma_w^2 E[(s_1 x + s_2 x^2/2 + s_3 x^3/6 + ...)^2] = q + a_1 q^2 + ...,   a_1 = s_3/s_1 + (3/4)(s_2/s_1)^2,

so the critical fixed point q = 0 attracts if and only if a_1 < 0 (for a_1 = 0 higher orders decide; not in the class).
"""

from sympy import Expr, Rational

from asympt.errors import UnsupportedError
from asympt.gaussian.onesided import derivatives, plain
from asympt.gaussian.piecewise import PiecewiseSmooth

HIGHEST = 25
SCALE_INVARIANT, ZERO_VARIANCE = "scale-invariant", "K*=0"


def jumps(phi: PiecewiseSmooth, order: int) -> dict[Expr, Expr]:
    """The breakpoints at which phi^(order) jumps, with the jumps (right minus left).

    >>> from sympy import Abs, Symbol
    >>> x = Symbol("x", real=True)
    >>> jumps(PiecewiseSmooth.of(Abs(x - 1), x), 1)
    {1: 2}
    """
    found = zip(phi.breaks, phi.jumps(order), strict=True)
    return {point: jump for point, jump in found if jump != 0}


def singular_order(phi: PiecewiseSmooth) -> int | None:
    """The order of the first derivative of phi that jumps somewhere, or None.

    >>> from sympy import Abs, Symbol
    >>> x = Symbol("x", real=True)
    >>> singular_order(PiecewiseSmooth.of(x * Abs(x), x))
    2
    """
    if not phi.breaks:
        return None
    return next((order for order in range(HIGHEST + 1) if jumps(phi, order)), None)


def slopes(phi: PiecewiseSmooth) -> tuple[Expr, Expr] | None:
    """(a+, a-) when phi is ReLU-like, else None.

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> slopes(PiecewiseSmooth.of(Max(x, x / 10), x)), slopes(PiecewiseSmooth.of(x + 1, x))
    ((1, 1/10), None)
    """
    if phi.breaks not in {(), (0,)}:
        return None
    found = [_slope_through_zero(piece, phi) for piece in phi.pieces]
    return None if None in found else (found[-1], found[0])


def _slope_through_zero(piece: Expr, phi: PiecewiseSmooth) -> Expr | None:
    line = _as_line(piece, phi)
    return line[0] if line is not None and line[1] == 0 else None


def _as_line(piece: Expr, phi: PiecewiseSmooth) -> tuple[Expr, Expr] | None:
    """(slope, value at 0) of a piece that is a straight line."""
    slope = piece.diff(phi.symbol)
    if slope.has(phi.symbol) and _vanishes(slope.diff(phi.symbol), phi):
        slope = slope.simplify()
    if slope.has(phi.symbol):
        return None
    return slope, plain(piece.subs(phi.symbol, 2) - 2 * slope)


def _vanishes(formula: Expr, phi: PiecewiseSmooth) -> bool:
    """Whether a formula is 0 at three points; simplification then shows whether it is 0 everywhere."""
    points = [Rational(3, 7), Rational(5, 3), Rational(11, 4)]
    numbers = {symbol: Rational(4, 9) for symbol in formula.free_symbols - {phi.symbol}}
    return all(abs(formula.subs(numbers | {phi.symbol: p}).evalf(30)) < Rational(1, 10**20) for p in points)


def is_affine(phi: PiecewiseSmooth) -> bool:
    """Whether phi is one straight line a x + b, constants included."""
    return not phi.breaks and _as_line(phi.pieces[0], phi) is not None


def is_constant(phi: PiecewiseSmooth) -> bool:
    """Whether phi is a constant."""
    line = None if phi.breaks else _as_line(phi.pieces[0], phi)
    return line is not None and line[0] == 0


def at_zero(phi: PiecewiseSmooth, count: int) -> tuple[Expr, ...] | None:
    """phi(0), phi'(0), ..., phi^(count-1)(0), or None when one of them does not exist."""
    if 0 in phi.breaks:
        index = phi.breaks.index(0)
        return None if any(phi.jump(index, n) != 0 for n in range(count)) else tuple(phi.taylor(index, 1, count))
    piece = phi.pieces[sum(bool(point < 0) for point in phi.breaks)]
    return derivatives(piece, phi.symbol, phi.symbol * 0, 1, count)


def is_in_class_s(phi: PiecewiseSmooth) -> bool:
    """Class S of HDR, in the sense above: phi(0) = 0, phi in C^1, phi'' piecewise smooth."""
    value = at_zero(phi, 1)
    return value is not None and value[0] == 0 and not jumps(phi, 0) and not jumps(phi, 1) and _second(phi)


def _second(phi: PiecewiseSmooth) -> bool:
    """phi'' has finite one-sided limits at every breakpoint; otherwise `jumps` raises."""
    jumps(phi, 2)
    return True


def small_variance(phi: PiecewiseSmooth) -> tuple[Expr, Expr] | None:
    """(a_1, b_1) of PDLT (5.86), (5.88) at sigma_b = 0, sigma_w^2 = 1/phi'(0)^2; None unless phi(0) = 0 != phi'(0).

    q' = q + a_1 q^2 + ... is the variance map and chi = 1 + b_1 q + ..., b_1 = s_3/s_1 + (s_2/s_1)^2, the slope of the
    correlation map at 1.  None, too, when one of the first three derivatives does not exist at 0.

    >>> from sympy import Symbol, tanh
    >>> x = Symbol("x", real=True)
    >>> small_variance(PiecewiseSmooth.of(tanh(x), x))
    (-2, -2)
    """
    taylor = at_zero(phi, 4)
    if taylor is None or taylor[0] != 0 or taylor[1] == 0:
        return None
    second, third = taylor[2] / taylor[1], taylor[3] / taylor[1]
    return plain(third + Rational(3, 4) * second**2), plain(third + second**2)


def universality(phi: PiecewiseSmooth) -> str | None:
    """'scale-invariant', 'K*=0' or None: the universality class of PDLT chapter 5.

    Raises `UnsupportedError` when it depends on the value of a parameter.

    >>> from sympy import Symbol, sin
    >>> x = Symbol("x", real=True)
    >>> universality(PiecewiseSmooth.of(sin(x), x))
    'K*=0'
    """
    if slopes(phi) is not None:
        return SCALE_INVARIANT
    coefficients = small_variance(phi)
    if coefficients is None:
        return None
    attracting = coefficients[0].is_negative
    if attracting is None:
        raise UnsupportedError(
            f"the universality class depends on the sign of a_1 = {coefficients[0]}; give numbers for the parameters"
        )
    return ZERO_VARIANCE if attracting else None


def phrase(phi: PiecewiseSmooth) -> str:
    """The class in words.

    >>> from sympy import Symbol, tanh
    >>> x = Symbol("x", real=True)
    >>> phrase(PiecewiseSmooth.of(tanh(x), x))
    'smooth, in class S of HDR, K*=0 universality class of PDLT'
    """
    if is_constant(phi):
        return "constant"
    if is_affine(phi):
        return "linear" if slopes(phi) is not None else "affine"
    if slopes(phi) is not None:
        return "ReLU-like: positively homogeneous, scale-invariant universality class of PDLT"
    parts = [_smoothness(phi), "in class S of HDR" if is_in_class_s(phi) else "not in class S of HDR"]
    if small_variance(phi) is not None and universality(phi) is not None:
        parts.append("K*=0 universality class of PDLT")
    return ", ".join(parts)


def _smoothness(phi: PiecewiseSmooth) -> str:
    order = singular_order(phi)
    if order is None:
        return "smooth"
    where = ", ".join(str(point) for point in jumps(phi, order))
    name = "phi" + "'" * order if order < 4 else f"phi^({order})"
    return f"piecewise smooth ({name} jumps at {where})"
