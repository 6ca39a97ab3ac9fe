"""Polynomials for the step of the gap and for the slope of the correlation map.

Problem.  With w = (1 - c)/2 and s = sqrt(w), so that theta = 2 asin(s), one layer needs

    F(theta) = sin theta - theta cos theta = s^3 phi_F(w),      theta = s phi_theta(w)

to full relative accuracy; the formula for F loses two thirds of the digits of a small angle.

Rule.  From dF/ds = 8 s asin(s) and asin(s) = sum b_n s^(2n+1), b_n = binomial(2n, n)/(4^n (2n+1)),

    phi_F(w) = sum 8 b_n/(2n+3) w^n,      phi_theta(w) = sum 2 b_n w^n,      0 <= w <= 1/2.

On [0, W] insert w^n = W^n 2^(1-2n) sum'_k binomial(2n, n-k) T*_k(w/W), the shifted Chebyshev polynomials (the
prime halves k = 0).  Every coefficient a_k of T*_k is positive and T*_k <= T*_k(1) = 1, so cutting the
series after degree d costs exactly sum_{k>d} a_k at w = W and never more before: d is the lowest degree for which
that is below 2^-53 of the function's smallest value, phi(0).  Over the layers in which the gap falls from W,
the steps add up to the order of the gap itself, so the gap is moved by the same relative 1e-16, at any depth.

Everything is exact in integers, in units of 2^-BITS, until a coefficient is rounded once.

Example.  W = 2^-1: degree 18 (the Taylor series would need 44); W = 2^-10: degree 4; W = 2^-24: degree 1.
A block of pairs whose largest w is at most W may use the polynomials of W, so deep layers are cheap.

Limits.  w above 1/2 is reflected to 1 - w by the step (theta to pi - theta), never evaluated here.
"""

from functools import cache
from math import comb, frexp

BITS = 160
TOLERANCE = 53  # bits
FIRST, LAST = 1, 60  # levels: W = 2^-level; the polynomials of level 60 serve everything below


def level(w: float) -> int:
    """The largest level with w <= 2^-level, for 0 <= w <= 1/2.

    >>> level(0.5), level(0.3), level(1e-300)
    (1, 1, 60)
    """
    mantissa, exponent = frexp(w)
    fits = (mantissa == 0.5) - exponent
    return LAST if w == 0 else max(FIRST, min(LAST, fits))


@cache
def bend(at: int) -> tuple[float, ...]:
    """Coefficients of phi_F on [0, 2^-at], highest power first, at least two of them."""
    return _economised(lambda n: (8, 2 * n + 3), at)


@cache
def angle(at: int) -> tuple[float, ...]:
    """Coefficients of phi_theta on [0, 2^-at], highest power first, at least two of them."""
    return _economised(lambda n: (2, 1), at)


def _economised(weight, at: int) -> tuple[float, ...]:
    """sum weight(n) b_n w^n on [0, 2^-at], cut in Chebyshev polynomials and written in powers of w."""
    taylor = []
    for n in range(8 + 64 // at):  # what is dropped is below 2^-64
        over, under = weight(n)
        taylor.append((over * comb(2 * n, n) << BITS) // (under * (2 * n + 1) << 2 * n))
    chebyshev = _chebyshev_coefficients(taylor, at)
    powers = _in_powers(chebyshev[: _enough(chebyshev, taylor[0] >> TOLERANCE)])
    return tuple((p << at * n) / (1 << BITS) for n, p in reversed(list(enumerate(powers))))


def _chebyshev_coefficients(taylor: list[int], at: int) -> list[int]:
    """a_k = sum_n taylor_n 2^(1-2n-at n) binomial(2n, n-k), halved for k = 0."""
    found = [0] * len(taylor)
    for n, coefficient in enumerate(taylor):
        part = 2 * coefficient * comb(2 * n, n)
        for k in range(n + 1):
            found[k] += part >> (2 + at) * n
            part = part * (n - k) // (n + k + 1)
    return [found[0] // 2, *found[1:]]


def _enough(coefficients: list[int], tolerance: int) -> int:
    """The fewest leading coefficients (two or more) that leave a tail of at most `tolerance`."""
    kept, tail = len(coefficients), 0
    while kept > 2 and tail + coefficients[kept - 1] <= tolerance:
        kept -= 1
        tail += coefficients[kept]
    return kept


def _in_powers(coefficients: list[int]) -> list[int]:
    """sum a_k T*_k(x) in powers of x, lowest first, by T*_{k+1} = 2(2x - 1) T*_k - T*_{k-1}."""
    powers = [0] * len(coefficients)
    previous, current = [-1, 2], [1]  # T*_{-1} = T*_1 starts the recurrence at k = 0
    for a in coefficients:
        for n, t in enumerate(current):
            powers[n] += a * t
        shifted = [4 * t for t in [0, *current]]
        following = [s - 2 * t - p for s, t, p in zip(shifted, [*current, 0], [*previous, 0, 0], strict=False)]
        previous, current = current, following
    return powers
