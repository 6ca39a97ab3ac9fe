"""What may be an activation: real, finite, with a finite slope on both sides of every point, and of moderate growth.

Problem.  sqrt(x) is not real, 1/x is not finite, the slope of sqrt(|x|) at 0 has no second moment, and E[exp(x^2)^2]
diverges.  Say so at once, in one sentence.

Rule.  The pieces are evaluated at points of their intervals; at breakpoints and where a piece divides by zero, phi and
phi' are found exactly.  E[phi(sqrt(q) Z)^2] is finite for every q if log|phi(x)| = o(x^2): refused is what has
log|phi|/x^2 not falling between two of the points 10, 30, 100, ..., 10^9 although |phi| is large there.

Tiny case.  exp(x^2/4): log|phi|/x^2 is 1/4 at 10 and at 30, refused, although its moments exist for q < 2.

Known limits.  Values at finitely many points: a function that is complex between them passes.  A parameter stands for a
generic positive number.
"""

from functools import lru_cache
from itertools import pairwise

import mpmath
from mpmath import mp
from sympy import Expr, Rational, Symbol, limit

from asympt.errors import InputError, NoValueError, UnsupportedError
from asympt.gaussian.breakpoints import holes
from asympt.gaussian.onesided import derivatives
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.stable import in_mpmath
from asympt.numbers import to_mpf
from asympt.parsing import as_sympy

DIGITS, LARGE, FALLING = 30, 20, 0.95  # exp(20): large enough for its growth to be judged
NEAR = [Rational(n, 8) for n in (1, 3, 4, 7, 8, 11, 16, 24, 35, 40, 57, 80, 111, 160, 400)]
OUTWARDS = [10, 30, 100, 300, 10**3, 3 * 10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9]
_REMEDY = "give a function that is real and finite on the whole real line"


@lru_cache(maxsize=512)
def admit(phi: PiecewiseSmooth, name: str) -> None:
    """Raises `InputError` when phi is not real, not finite, zero everywhere, or grows too fast.

    Raises `UnsupportedError` when phi' is infinite somewhere.

    >>> from sympy import exp
    >>> x = Symbol("x", real=True)
    >>> admit(PiecewiseSmooth.of(exp(x), x), "mine")
    >>> admit(PiecewiseSmooth.of(1 / x, x), "mine")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: activation 'mine' is not finite at x = 0; give a function that is ...
    """
    phi = _with_numbers(phi)
    values = [value for index in range(len(phi.pieces)) for value in _values(phi, index, name)]
    if all(abs(value) < mpmath.mpf(10) ** -25 for value in values):
        raise InputError(f"activation {name!r} is zero everywhere; give it a non-zero slope")
    for point, side, piece in _ends(phi):
        _check_slope(piece, phi.symbol, point, side, name)
    for sign, piece in ((-1, phi.pieces[0]), (1, phi.pieces[-1])):
        _check_growth(piece, phi, sign, name)


def _with_numbers(phi: PiecewiseSmooth) -> PiecewiseSmooth:
    free = set().union(*(piece.free_symbols for piece in phi.pieces)) - {phi.symbol}
    numbers = {symbol: Rational(4 * n + 5, 9) for n, symbol in enumerate(sorted(free, key=str))}
    return PiecewiseSmooth(phi.symbol, phi.breaks, tuple(piece.subs(numbers) for piece in phi.pieces)) if free else phi


def _values(phi: PiecewiseSmooth, index: int, name: str) -> list:
    """Values of one piece inside its interval, all real and finite."""
    piece, found = phi.pieces[index], []
    compiled = in_mpmath(piece, phi.symbol, {})
    with mp.workdps(DIGITS):
        for point in _points(phi, index):
            try:
                value = compiled(to_mpf(point))
            except NoValueError:
                value = mp.inf
            if not mpmath.isfinite(value):
                raise InputError(f"activation {name!r} is not finite at {phi.symbol} = {point}; {_REMEDY}")
            if abs(mpmath.im(value)) > mp.eps * abs(value):
                shown = mpmath.nstr(value, 4)
                raise InputError(f"activation {name!r} is not real: at {phi.symbol} = {point} it is {shown}; {_REMEDY}")
            found.append(mpmath.re(value))
    return found


def _points(phi: PiecewiseSmooth, index: int) -> list[Expr]:
    left = phi.breaks[index - 1] if index > 0 else None
    right = phi.breaks[index] if index < len(phi.breaks) else None
    if left is not None and right is not None:
        inside = [left + (right - left) * share / 50 for share in NEAR]
    elif left is not None or right is not None:
        inside = [left + step for step in NEAR] if right is None else [right - step for step in NEAR]
    else:
        inside = [0, *NEAR, *(-step for step in NEAR)]
    skipped = set(holes(phi.pieces[index], phi.symbol))
    return [point for point in map(as_sympy, inside) if point not in skipped]


def _ends(phi: PiecewiseSmooth) -> list[tuple[Expr, int, Expr]]:
    """(point, side, piece) at every breakpoint and wherever a piece divides by zero."""
    found = []
    for index, point in enumerate(phi.breaks):
        found += [(point, -1, phi.pieces[index]), (point, 1, phi.pieces[index + 1])]
    limits = [None, *phi.breaks, None]
    for piece, (left, right) in zip(phi.pieces, pairwise(limits), strict=True):
        inner = [p for p in holes(piece, phi.symbol) if (left is None or p > left) and (right is None or p < right)]
        found += [(point, side, piece) for point in inner for side in (-1, 1)]
    return found


def _check_slope(piece: Expr, symbol: Symbol, point: Expr, side: int, name: str) -> None:
    if not _finite(piece, symbol, point, side):
        raise InputError(f"activation {name!r} is not finite at {symbol} = {point}; {_REMEDY}")
    if not _finite(piece.diff(symbol), symbol, point, side):
        raise UnsupportedError(
            f"activation {name!r} has an infinite slope at {symbol} = {point}; use one whose derivatives are finite on "
            "both sides of every breakpoint"
        )


def _finite(formula: Expr, symbol: Symbol, point: Expr, side: int) -> bool:
    """Whether a formula has a finite limit; SymPy is asked where there is no power series, as for x log x."""
    try:
        derivatives(formula, symbol, point, side, 1)
    except UnsupportedError:
        return bool(limit(formula, symbol, point, "+" if side > 0 else "-").is_finite)
    return True


def _check_growth(piece: Expr, phi: PiecewiseSmooth, sign: int, name: str) -> None:
    if piece.is_polynomial(phi.symbol):
        return
    compiled, before = in_mpmath(piece, phi.symbol, {}), mp.inf
    beyond = max((abs(int(point)) + 1 for point in phi.breaks), default=0)
    with mp.workdps(DIGITS):
        for distance in OUTWARDS:
            x = sign * mp.mpf(distance + beyond)
            size = abs(compiled(x))
            rate = mp.log(size) / x**2 if size > 0 else -mp.inf
            if rate * x**2 > LARGE and rate > FALLING * before > 0:
                raise InputError(
                    f"activation {name!r} grows so fast, like exp({mpmath.nstr(rate, 3)} x^2) at {phi.symbol} = "
                    f"{sign * distance}, that E[phi(sqrt(q) Z)^2] diverges for large variances q; give one with "
                    "log|phi| = o(x^2)"
                )
            before = rate
