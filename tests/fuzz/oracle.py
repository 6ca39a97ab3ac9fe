"""Plain iteration in mpmath of what the user wrote: no series, no coordinate, no matching layer.

The only thing shared with the package is SymPy's `lambdify`.
"""

from collections.abc import Callable

import mpmath
from mpmath import mp
from sympy import Expr, Symbol, lambdify

DIGITS = 15  # what the package is asked for in most cases
SPARE = 60


def function(expression: Expr, *symbols: Symbol) -> Callable:
    """The formula as an mpmath function that follows the precision."""
    return lambdify(list(symbols), expression, "mpmath")


def number(value: Expr):
    """An exact SymPy number at mpmath's precision."""
    return mpmath.mpf(value.evalf(mp.dps + 5)._mpf_) if value != 0 else mpmath.mpf(0)


def orbit(expression: Expr, symbol: Symbol, start: Expr, steps: int, digits: int = DIGITS + SPARE) -> list:
    """x_0, ..., x_steps, with more digits until they agree: a transient may lose four of them at every step."""
    image = function(expression, symbol)
    coarse = _iterated(image, start, steps, digits)
    for more in (digits + SPARE, 3 * digits, 9 * digits):
        fine = _iterated(image, start, steps, more)
        with mp.workdps(more):
            if abs(fine[-1] - coarse[-1]) <= abs(fine[-1]) * mpmath.mpf(10) ** (SPARE // 2 - digits):
                return fine
        coarse = fine
    return fine


def _iterated(image: Callable, start: Expr, steps: int, digits: int) -> list:
    with mp.workdps(digits):
        values = [number(start)]
        for _ in range(steps):
            values.append(mpmath.mpmathify(image(values[-1])))
        return values


def sums(expression: Expr, symbol: Symbol, start: Expr, steps: int, linear: tuple, digits: int = DIGITS + SPARE):
    """a_steps of a_(n+1) = multiplier(x_n) a_n + forcing(x_n), a_0 = initial(x_0), along the orbit."""
    multiplier, forcing, initial = (function(e, symbol) for e in linear)
    xs = orbit(expression, symbol, start, steps, digits)
    with mp.workdps(digits):
        value = initial(xs[0])
        for x in xs[:-1]:
            value = multiplier(x) * value + forcing(x)
        return mpmath.mpmathify(value)


def require_equal(value, reference, digits: int, what: str) -> None:
    """Equal to `digits` significant digits, but for a unit of the last."""
    with mp.workdps(digits + 30):
        off = abs(value - reference)
        allowed = abs(reference) * mpmath.mpf(10) ** (1 - digits)
        shown = f"{mpmath.nstr(value, digits)} instead of {mpmath.nstr(reference, digits)}"
        assert off <= allowed, f"{what}: {shown}"
