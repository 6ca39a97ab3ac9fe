"""The inverse of an Abel function as a power series, and any function of t along it, over any ring.

Problem.  Solve alpha t^(-m) + sum_(k>-m) alpha_k t^k + rho log t = l + C for t at large l.

Rule.  Put s = (alpha/l)^(1/m) and w = (t/s)^(-m).  With b_j = alpha_(j-m)/alpha, r = rho/alpha and

    X = (C - rho log s)/alpha,

in which every logarithm of l has its place, the equation divided by alpha l is a recurrence:

    w = 1 + s^m (X + (r/m) log w) - sum_(j>=1) b_j s^j w^(1 - j/m)            (`inverse`)
    t^o log(t)^i = s^o w^(-o/m) (log s - (log w)/m)^i                         (`composed`)

The coefficient of s^n on the right contains w_0, ..., w_(n-1) only; w_n is a polynomial in X of degree n/m at most.

Tiny case.  A = 1/t + log t (m = alpha = r = 1): w = 1 + s X + s^2 X + ..., X = C - log s = C + log l, s = 1/l.

Price.  n^3/6 products for n coefficients and every b_j different from zero, n^2 for a power of t.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil

from sympy import Rational

from asympt.expansions.series import dot, logarithm, power, product


def inverse(lower: Sequence, residue, shift, m: int, count: int, exact=Fraction) -> list:
    """w_0, ..., w_(count-1) from b_0 = 1, b_1, ... (missing ones are 0), r and X; `exact(p, q)`: p/q in the ring.

    >>> from sympy import Symbol, expand
    >>> [expand(c) for c in inverse([1], 1, Symbol("X"), m=1, count=4, exact=Rational)]
    [1, X, X, -X**2/2 + X]
    """
    one, zero, share = lower[0], lower[0] * 0, exact(1, m)
    w, log = [one], [zero]
    powers = {j: (b, 1 - j * share, [one]) for j, b in enumerate(lower[:count]) if j and b}
    for n in range(1, count):
        value = zero + shift if n == m else zero
        if n > m and residue:
            value = value + residue * log[n - m] * share
        for j, (b, _, known) in powers.items():
            if j <= n and known[n - j]:
                value = value - b * known[n - j]
        w.append(value)
        log.append(_next_of_logarithm(w, log))
        for j, (_, exponent, known) in powers.items():
            if n + j < count:
                known.append(_next_of_power(w, exponent, known))
    return w


def _next_of_power(a: Sequence, exponent, b: Sequence):
    """The coefficient of a^exponent that follows b_0, ..., b_(k-1) (a_0 = 1): Miller's rule, see `series`."""
    k = len(b)
    weighted = [a[i] * ((exponent + 1) * i - k) for i in range(1, k + 1)]
    return dot(weighted, b[::-1], a[0] * 0) / k


def _next_of_logarithm(a: Sequence, b: Sequence):
    """The coefficient of log a that follows b_0, ..., b_(k-1) (a_0 = 1)."""
    k = len(b)
    weighted = [b[i] * i for i in range(1, k)]
    return a[k] - dot(weighted, a[1:k][::-1], a[0] * 0) / k


def composed(terms: Mapping, w: Sequence, m: int, log_unit, exact=Fraction) -> dict:
    """{q: the coefficient of s^q} of the sum of f t^o log(t)^i, `terms` being {(o, i): f}; `log_unit` is log s.

    As many coefficients as w has, from the smallest o on; q - o is a whole number for one of the o.

    >>> composed({(-1, 0): Fraction(2)}, [Fraction(1), Fraction(5)], m=1, log_unit=0)
    {-1: Fraction(2, 1), 0: Fraction(10, 1)}
    """
    first, share, found = min(order for order, _ in terms), exact(1, m), {}
    log = [log_unit + 0 * w[0], *(c * -share for c in logarithm(w, len(w))[1:])]
    for (order, logs), factor in terms.items():
        reach = ceil(len(w) - (order - first))
        exponent = Rational(-order) / m
        series = power(w, exact(int(exponent.p), int(exponent.q)), reach)
        for _ in range(logs):
            series = product(series, log, reach)
        for k, value in enumerate(series):
            found[order + k] = found.get(order + k, 0 * w[0]) + factor * value
    return dict(sorted(found.items()))
