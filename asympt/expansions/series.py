"""Truncated power series over any field, exact or of mpmath numbers: the arithmetic under the solvers.

    power        b = a^s, a_0 = 1:   k b_k = sum_(i=1..k) ((s + 1) i - k) a_i b_(k-i)        (J. C. P. Miller)
    logarithm    b = log a, a_0 = 1: k b_k = k a_k - sum_(i=1..k-1) a_i (k - i) b_(k-i)
"""

from collections.abc import Sequence

import mpmath


def product(a: Sequence, b: Sequence, n: int) -> list:
    """The first n coefficients of a*b.

    >>> product([1, 1], [1, -1], 3)
    [1, 0, -1]
    """
    a, zero, result = trimmed(a), a[0] * b[0] * 0, []
    last, backwards = len(b) - 1, b[::-1]
    for k in range(n):
        first, start = max(0, k - last), max(0, last - k)
        count = max(0, min(k, len(a) - 1) + 1 - first)
        result.append(dot(a[first : first + count], backwards[start : start + count], zero))
    return result


def dot(a: Sequence, b: Sequence, zero):
    """The sum of a_i b_i: for mpmath numbers rounded once, at the end; for others by their own + and *.

    Elements that add up faster all at once than one by one have `summed_products` for it.

    >>> dot([1, 2], [3, 4], 0)
    11
    """
    if isinstance(zero, mpmath.mpf):
        return mpmath.fdot(a, b)
    if hasattr(zero, "summed_products"):
        return zero.summed_products(a, b)
    total = zero
    for one, two in zip(a, b, strict=True):
        if one and two:
            total = total + one * two
    return total


def trimmed(a: Sequence) -> Sequence:
    """A series without the zeros at its end (a polynomial is short)."""
    end = len(a)
    while end > 1 and not a[end - 1]:
        end -= 1
    return a[:end]


def power(a: Sequence, exponent, n: int) -> list:
    """The first n coefficients of a^exponent for a_0 = 1; the exponent is a number of the field.

    >>> from fractions import Fraction
    >>> power([Fraction(1), Fraction(1)], Fraction(1, 2), 3)
    [Fraction(1, 1), Fraction(1, 2), Fraction(-1, 8)]
    """
    a, zero, result = trimmed(a), a[0] * 0, [a[0]]
    weighted = [i * c for i, c in enumerate(a)]
    for k in range(1, n):
        end = min(k, len(a) - 1)
        stretch = result[k - end : k][::-1]  # b_(k-1), b_(k-2), ...
        rising, falling = dot(weighted[1 : end + 1], stretch, zero), dot(a[1 : end + 1], stretch, zero)
        result.append(((exponent + 1) * rising - k * falling) / k)
    return result


def logarithm(a: Sequence, n: int) -> list:
    """The first n coefficients of log a for a_0 = 1.

    >>> from fractions import Fraction
    >>> logarithm([Fraction(1), Fraction(1)], 3)
    [Fraction(0, 1), Fraction(1, 1), Fraction(-1, 2)]
    """
    a, zero, weighted = trimmed(a), a[0] * 0, [a[0] * 0]  # weighted: i b_i
    for k in range(1, n):
        end = min(k, len(a))
        stretch = weighted[k - end + 1 : k][::-1]
        weighted.append((k * a[k] if k < len(a) else zero) - dot(a[1:end], stretch, zero))
    return [zero, *(c / i for i, c in enumerate(weighted[1:], start=1))]
