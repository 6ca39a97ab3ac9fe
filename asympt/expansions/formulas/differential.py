"""exp, sin, cos, tan, LambertW of a power series u (u_0 = 0) over any field, by their differential equations.

    exp            D b = b D u                                  D = t d/dt,  k b_k = sum_j j u_j b_(k-j)
    sin, cos       D s = c D u,  D c = -s D u                   sinh, cosh: with + for -
    tan and like   D b = (slope + square b^2) D u               tan 1, 1;  tanh 1, -1;  cot -1, -1
    LambertW       b exp(b) = a:  b = a e,  D e = -e D b        two linear equations for b_k and e_k
"""

from collections.abc import Sequence


def exponential(u: Sequence, n: int) -> list:
    """exp(u).

    >>> from fractions import Fraction
    >>> exponential([Fraction(0), Fraction(1)], 4) == [1, 1, Fraction(1, 2), Fraction(1, 6)]
    True
    """
    terms, zero = slopes(u), u[0]
    values = [1 + zero]
    for k in range(1, n):
        values.append(convolved(terms, values, k, zero) / k)
    return values[:n]


def odd_and_even(u: Sequence, n: int, square: int) -> tuple[list, list]:
    """(sin(u), cos(u)) for square = -1, (sinh(u), cosh(u)) for square = 1.

    >>> from fractions import Fraction
    >>> [float(c) for c in odd_and_even([Fraction(0), Fraction(1)], 4, 1)[1]]
    [1.0, 0.0, 0.5, 0.0]
    """
    terms, zero = slopes(u), u[0]
    odd, even = [zero], [1 + zero]
    for k in range(1, n):
        slope = convolved(terms, odd, k, zero)
        odd.append(convolved(terms, even, k, zero) / k)
        even.append((slope if square > 0 else -slope) / k)
    return odd[:n], even[:n]


def tangent(u: Sequence, start, n: int, slope: int, square: int) -> list:
    """The solution of D b = (slope + square b^2) D u with b_0 = start.

    >>> from fractions import Fraction
    >>> [str(c) for c in tangent([Fraction(0), Fraction(1)], Fraction(0), 6, 1, 1)]
    ['0', '1', '0', '1/3', '0', '2/15']
    """
    terms, zero = slopes(u), u[0]
    values, right = [start], [slope + square * start * start]
    for k in range(1, n):
        values.append(convolved(terms, right, k, zero) / k)
        pairs = sum((values[i] * values[k - i] for i in range(1, k) if values[i]), zero)
        right.append(square * (2 * start * values[k] + pairs))
    return values[:n]


def lambert(a: Sequence, start, decay, slowing, n: int) -> list:
    """LambertW(a), with start = W(a_0), decay = exp(-W(a_0)) and slowing = 1/(1 + W(a_0)).

    >>> from fractions import Fraction
    >>> [str(c) for c in lambert([Fraction(0), Fraction(1)], Fraction(0), Fraction(1), Fraction(1), 4)]
    ['0', '1', '-1', '3/2']
    """
    zero, plain = a[0] * 0, [(j, value) for j, value in enumerate(a) if value and j]
    values, decays = [start], [decay]
    for k in range(1, n):
        rest = sum((i * values[i] * decays[k - i] for i in range(1, k) if values[i]), zero) / k
        values.append((convolved(plain, decays, k, zero) - a[0] * rest) * slowing)
        decays.append(-values[k] * decay - rest)
    return values[:n]


def slopes(u: Sequence) -> list[tuple]:
    """The terms (j, j u_j) of D u that are not zero."""
    return [(j, j * value) for j, value in enumerate(u) if value]


def convolved(terms: Sequence, series: Sequence, k: int, zero):
    """The k-th coefficient of the product of a sparse series and one known up to k - 1 or k.

    >>> convolved([(1, 5)], [7, 8], 1, 0)
    35
    """
    total = zero
    for j, weight in terms:
        if j > k:
            break
        if series[k - j]:
            total = total + weight * series[k - j]
    return total
