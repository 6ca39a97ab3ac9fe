"""One-sided derivatives of a formula at the end of its interval, exact and many at once.

They are the coefficients of the exact series at p + y, y -> 0+ (right), or p - y (left), which `expansions.puiseux`
finds by truncated arithmetic: phi^(n) = (+-1)^n n! c_n.  A formula that it does not know, such as a Bessel function, is
differentiated until it does.  A derivative that is infinite on its side, as that of sqrt(x) at 0, is refused, and so
are essential singularities, as that of exp(-1/x).
"""

from collections.abc import Sequence
from functools import lru_cache

from sympy import Expr, Integer, Poly, Symbol, factorial, simplify
from sympy.polys.polyerrors import PolynomialError

from asympt.errors import UnsupportedError
from asympt.expansions.fields.decisions import is_zero
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas.puiseux import Series, Y, puiseux


@lru_cache(maxsize=4096)
def derivatives(piece: Expr, symbol: Symbol, point: Expr, side: int, count: int) -> tuple[Expr, ...]:
    """phi, phi', ..., phi^(count-1) at `point` from the left (side -1) or the right (+1).

    Raises `UnsupportedError` when one of them is infinite there.

    >>> from sympy import exp
    >>> x = Symbol("x", real=True)
    >>> derivatives(exp(x) - 1, x, Integer(0), -1, 4), derivatives(x / (1 + x), x, Integer(0), 1, 4)
    ((0, 1, 1, 1), (0, 1, -2, 6))
    """
    if piece.is_polynomial(symbol):
        return _of_polynomial(piece, symbol, point, count)
    try:
        series = puiseux(piece, symbol, count, inner=point + side * Y)
    except UnsupportedError:
        return _by_differentiation(piece, symbol, point, side, count)
    return _of_series(series, piece, symbol, point, side, count)


def plain(value: Expr) -> Expr:
    """A number, or a formula in parameters, in a form in which 0 is 0.

    >>> from sympy import sqrt
    >>> plain(sqrt(8) - 2 * sqrt(2)), plain((sqrt(2) + 1) * (sqrt(2) - 1))
    (0, 1)
    """
    if value.is_Rational or value.is_Symbol:
        return value
    field = Field.of([value], quick=True)
    element = field.enter([value])[0]
    return Integer(0) if is_zero(field, element) else field.leave(element)


def _of_polynomial(piece: Expr, symbol: Symbol, point: Expr, count: int) -> tuple[Expr, ...]:
    """By Horner's shift: exact, whatever the coefficients and the point are."""
    try:
        coefficients = Poly(piece, symbol).all_coeffs()
    except PolynomialError:
        coefficients = [piece]
    shifted = []
    while coefficients and len(shifted) < count:
        for i in range(1, len(coefficients)):
            coefficients[i] += point * coefficients[i - 1]
        shifted.append(coefficients.pop())
    found = [plain(factorial(n) * c) for n, c in enumerate(shifted)]
    return tuple(found + [Integer(0)] * (count - len(found)))


def _of_series(series: Series, piece, symbol, point, side, count: int) -> tuple[Expr, ...]:
    found = [Integer(0)] * count
    for place, coefficient in enumerate(series.coefficients):
        power = Integer(series.valuation + place) / series.root
        if coefficient == 0 or power > count - 1:
            continue
        if not power.is_Integer or power < 0:
            raise _infinite(piece, symbol, point, side)
        found[int(power)] = Integer(side) ** int(power) * factorial(power) * coefficient
    return tuple(found)


def _by_differentiation(piece: Expr, symbol: Symbol, point: Expr, side: int, count: int) -> tuple[Expr, ...]:
    """For functions whose series the exact arithmetic does not know."""
    value = piece.subs(symbol, point)
    if not value.is_finite:
        raise _infinite(piece, symbol, point, side)
    value = value if value.is_Rational else simplify(value)
    if count == 1:
        return (value,)
    return (value, *derivatives(piece.diff(symbol), symbol, point, side, count - 1))


def _infinite(piece: Expr, symbol: Symbol, point: Expr, side: int) -> UnsupportedError:
    where = "right" if side > 0 else "left"
    return UnsupportedError(
        f"{piece} has no power series at {symbol} = {point} from the {where}, as its value or a derivative is not "
        "finite there; use an activation whose derivatives are finite on both sides of every breakpoint"
    )


def same(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    return all(plain(a - b) == 0 for a, b in zip(left, right, strict=True))
