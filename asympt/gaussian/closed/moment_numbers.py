"""M_0(q), M_1(q), ... as numbers: by formula at two precisions where there is one, and by quadrature elsewhere."""

from collections.abc import Callable
from functools import lru_cache

from mpmath import mp

from asympt.compiling import as_function
from asympt.gaussian.closed.moments import exact_square_moment
from asympt.gaussian.moments import square_moments, variance_of
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.symbols import Reserved

Q = Reserved("q", positive=True)
GUARDS, FINER = (15, 45, 135, 405), 10


def moments_at(phi: PiecewiseSmooth, count: int, q, digits: int = 30) -> list:
    """[M_0(q), ..., M_(count-1)(q)] to `digits` digits; errors as `moments.square_moments`.

    >>> from sympy import Symbol, erf
    >>> x = Symbol("x", real=True)
    >>> mp.nstr(moments_at(PiecewiseSmooth.of(erf(x), x), 1, 1, 20)[0], 15)
    '0.46455905439754'
    """
    if not has_formulas(phi, count):
        return square_moments(phi, count, q, digits)
    values = [_agreed(_formula(phi, n), q, digits) for n in range(count)]
    return square_moments(phi, count, q, digits) if None in values else values


def has_formulas(phi: PiecewiseSmooth, count: int) -> bool:
    """Whether M_0, ..., M_(count-1) all have formulas."""
    return all(_formula(phi, n) is not None for n in range(count))


@lru_cache(maxsize=1024)
def _formula(phi: PiecewiseSmooth, n: int) -> Callable | None:
    formula = exact_square_moment(phi, n, Q)
    return None if formula is None else as_function(Q, formula, "mpmath")


def _agreed(function: Callable, q, digits: int):
    """The value on which two precisions agree, None when none do."""
    for guard in GUARDS:
        variance = variance_of(q, digits + guard + FINER)
        one, two = (_at(function, variance, digits + guard + more) for more in (0, FINER))
        with mp.workdps(digits + 5):
            if abs(one - two) <= abs(two) * mp.mpf(10) ** -(digits + 2):
                return +two
    return None


def _at(function: Callable, q, digits: int):
    with mp.workdps(digits):
        return mp.re(function(q))
