"""A series against the formula it came from, in numbers: no series is used without such a check.

With n coefficients, |f - series| relative to the first term is c t^n (1 + ...), t = y^(1/r): at two small t, ten times
apart, it must fall by 10^n, half an order being left for the dots.  A wrong coefficient k < n leaves a fall by 10^k.
"""

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Rational, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions.fields.numerics import generic_evaluator, generic_values, number
from asympt.expansions.formulas.walk import Y
from asympt.numbers import exact_coefficients
from asympt.parsing import as_sympy

NEAREST, NEAR, DIGITS = 3, 20, 600  # t is 10^-3 to 10^-20 of the radius of convergence, as 600 digits allow
SPARE = 40  # digits beyond those of the residual


def check_against(expression: Expr, symbol: Symbol, series, inner: Expr = Y) -> None:
    """`UnsupportedError` unless the `Series` and the expression at symbol = inner differ as little as they should.

    >>> from sympy import sin
    >>> from asympt.expansions.formulas.puiseux import puiseux
    >>> x = Symbol("x")
    >>> found = puiseux(sin(x), x, 5)
    >>> check_against(sin(x), x, found)
    >>> check_against(sin(x) + x**4, x, found)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    asympt.errors.UnsupportedError: the series found for x**4 + sin(x) does not agree with it numerically; ...
    """
    formula = exact_coefficients(as_sympy(expression))
    close = max(NEAREST, min(NEAR, DIGITS // len(series.elements)))
    if not any(_agree(formula, symbol, series, inner, attempt * close) for attempt in (1, 3)):
        raise UnsupportedError(
            f"the series found for {expression} does not agree with it numerically; write the map in another form"
        )


def _agree(formula: Expr, symbol: Symbol, series, inner: Expr, close: int) -> bool:
    count = len(series.elements)
    with mp.workdps((close + 1) * count + SPARE):
        evaluate = generic_evaluator(series.field.domain)
        values = [evaluate(element) for element in series.elements]
        far = Integer(10) ** (_radius(values) - close)
        residuals = [_residual(formula, symbol, series, inner, values, t) for t in (far, far / 10)]
        rounding = mpmath.mpf(10) ** (SPARE // 2 - mp.dps)
        return residuals[1] <= residuals[0] * mpmath.mpf(10) ** (mpmath.mpf(1) / 2 - count) + rounding


def _radius(values: list) -> int:
    """The radius of convergence as the coefficients show it, as a power of ten."""
    first = mpmath.mag(values[0])  # in powers of two
    roots = [(first - mpmath.mag(value)) / k for k, value in enumerate(values) if k and value]
    return int(min(roots) * 0.3) if roots else 0


def _residual(formula: Expr, symbol: Symbol, series, inner: Expr, values: list, t: Rational):
    """|f - series|/|c_0 t^v| at an exact t; infinite when f has no value there."""
    parameters = generic_values((formula.free_symbols | inner.free_symbols) - {symbol, Y})
    place = inner.subs(Y, t**series.root).subs(parameters)
    value = number(formula, {**parameters, symbol: place})
    point = mpmath.mpf(int(t.p)) / int(t.q)
    return abs(value / point**series.valuation - mpmath.polyval(values[::-1], point)) / abs(values[0])
