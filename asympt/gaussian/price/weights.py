"""The rational numbers in the Price expansion: how much of each product of jumps arrives at each power of t.

Problem.  With psi(x) = phi(sqrt(q) x), breakpoints x_j, J_n the jump and S_n the sum of the two one-sided values of
psi^(n) at x_j, expand  F(c) = E[psi(U) psi(V)]  in t = sqrt(1 - c), with numbers that do not depend on psi.

Rule.  Price's theorem, with regular derivatives and the deltas written out, for G_n = E[psi^(n)(U) psi^(n)(V)]:

    dG_n/dc = G_(n+1) + sum_j 2 J_n p(x_j) E[psi^(n+1)(V) | U = x_j]
                      + sum_j J_n^2 exp(-x_j^2/(1 + c))/(2 pi sqrt(1 - c^2))

Given U = x, V = x + w, w = s (Z - z), s = t sqrt(2 - t^2), z = t x/sqrt(2 - t^2).  On the right of x the k-th
derivative A_k counts s^k I_k(z), I_k = int_z^oo (y - z)^k p(y) dy/k!, on the left with -s and -z.  As
I_k' = -I_(k-1) and I_k(0) = 2^(-k/2-1)/Gamma(k/2 + 1) for all whole k (Abramowitz & Stegun 7.2.7), both sides are

    (1/2) sum_(k,i) (-1)^i t^(k+i) x^i/i! (1 - t^2/2)^((k-i)/2)/Gamma((k-i)/2 + 1) (jump of A_k, k - i odd; sum, even).

In the last line exp(-x^2/(2 - t^2)) (1 - t^2/2)^(-1/2) = exp(-x^2/2) sum_s L_s^(-1/2)(x^2/2) (t^2/2)^s, L_s Laguerre's
polynomials.  From the level n down to F, n + 1 integrals -int_0^t . 2t dt take t^m to
(-1)^(n+1) t^(m+2n+2) Gamma(m/2 + 1)/Gamma(m/2 + n + 2).  So, beside sum_n (-t^2)^n E[psi^(n)(Z)^2]/n!, F contains

    exp(-x^2/2)/(pi sqrt 2)   sum W J_n J_N x^i t^P  for odd P,
    exp(-x^2/2)/sqrt(2 pi)    sum W J_n S_N x^i t^P  for even P,      W rational, n <= N, n + N - i even or odd

Tiny case.  One kink at 0, J_1 = J: W = 2/3 for P = 3, so sqrt(2) J^2/(3 pi) t^3: ReLU's coefficient at G_1(1) = 1/2.

Known limits.  Products of jumps at two different breakpoints are of size exp(-const/t^2), beyond all powers: dropped.
"""

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from math import factorial

Entry = tuple  # n, N, i, W


@lru_cache(maxsize=256)
def weights(order: int, level: int, centred: bool) -> dict[int, tuple[Entry, ...]]:
    """{P: entries (n, N, i, W)} of the level n = `level` for all powers P <= order; `centred` leaves only i = 0.

    >>> weights(3, 1, True)
    {3: ((1, 1, 0, Fraction(2, 3)),)}
    """
    table = defaultdict(list)
    _two_deltas(table, order, level, centred)
    _one_delta(table, order, level, centred)
    return {power: tuple(entries) for power, entries in table.items()}


def _two_deltas(table: dict, order: int, n: int, centred: bool) -> None:
    for s in range((order - 2 * n + 1) // 2):
        power = 2 * s + 1 + 2 * n
        front = Fraction(1, 2 ** (s + 1)) * _descent(2 * s - 1, n)
        for i in range(1 if centred else s + 1):
            laguerre = Fraction((-1) ** i, factorial(i)) * _binomial(s - Fraction(1, 2), s - i)
            table[power].append((n, n, 2 * i, front * laguerre / 2**i))


def _one_delta(table: dict, order: int, n: int, centred: bool) -> None:
    room = order - 2 * n - 2  # the largest k + i + 2r
    for k in range(room + 1):
        for i in range(1 if centred else room - k + 1):
            front = Fraction((-1) ** i, factorial(i)) * _one_over_gamma(k - i)
            if not front:
                continue
            for r in range((room - k - i) // 2 + 1):
                power = k + i + 2 * r
                series = _binomial(Fraction(k - i, 2), r) * Fraction(-1, 2) ** r
                if series:
                    table[power + 2 * n + 2].append((n, n + 1 + k, i, front * series * _descent(power, n)))


def _descent(m: int, n: int) -> Fraction:
    """From t^m on level n to t^(m+2n+2) of F."""
    result = Fraction(1)
    for r in range(1, n + 2):
        result *= Fraction(-2, m + 2 * r)
    return result


def _one_over_gamma(j: int) -> Fraction:
    """1/Gamma(j/2 + 1), for odd j times sqrt(pi).

    >>> [str(_one_over_gamma(j)) for j in (-3, -2, -1, 0, 1, 2)]
    ['-1/2', '0', '1', '1', '2', '1']
    """
    start = 0 if j % 2 == 0 else -1
    result = Fraction(1)
    for step in range(start + 2, j + 1, 2):
        result /= Fraction(step, 2)
    for step in range(start, j, -2):
        result *= Fraction(step, 2)
    return result


def _binomial(top: Fraction, k: int) -> Fraction:
    result = Fraction(1)
    for i in range(k):
        result = result * (top - i) / (i + 1)
    return result
