"""The Price expansion in numbers: the coefficients of F in t as mpmath numbers, for evaluation close to c = 1.

Problem.  1 - c = 10^-30 needs the expansion to some dozens of digits and orders, not its formulas.

Rule.  The sums of `expansion` over the same rational numbers (`weights`), with psi(x) = phi(sqrt(q) x): moments from
`moments`, one-sided derivatives from `jets` at the breakpoints.

Tiny case.  exp at q = 1: F = exp(1 + c) = e^2 (1 - t^2 + t^4/2 - ...).

Known limits.  Those of `expansion` and `moments`.
"""

from math import factorial

from mpmath import mp

from asympt.errors import NoValueError
from asympt.gaussian.closed.moment_numbers import moments_at
from asympt.gaussian.jets import jet
from asympt.gaussian.moments import GUARD, variance_of
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.price.weights import weights
from asympt.numbers import to_mpf


def price_numbers(phi: PiecewiseSmooth, q, order: int, digits: int = 30) -> list:
    """[F_0, ..., F_order]: E[phi(sqrt q U) phi(sqrt q V)] = sum F_k t^k, t = sqrt(1 - c), to `digits` digits each.

    `q` > 0 is an mpmath number or an exact one.  Raises what `moments.square_moment` raises.

    >>> from sympy import Symbol, exp
    >>> x = Symbol("x", real=True)
    >>> [mp.nstr(c / mp.e**2, 5) for c in price_numbers(PiecewiseSmooth.of(exp(x), x), 1, 4, 20)]
    ['1.0', '0.0', '-1.0', '0.0', '0.5']
    """
    moments = moments_at(phi, order // 2 + 1, q, digits)
    with mp.workdps(digits + GUARD):
        variance = variance_of(q, digits)
        found = [mp.zero] * (order + 1)
        for n, value in enumerate(moments):
            found[2 * n] = (-variance) ** n * value / factorial(n)
        for index in range(len(phi.breaks)):
            for power, value in _breakpoint_part(phi, index, mp.sqrt(variance), order).items():
                found[power] += value
    return found


def _breakpoint_part(phi: PiecewiseSmooth, index: int, root, order: int) -> dict:
    """What one breakpoint adds to each power of t."""
    point = to_mpf(phi.breaks[index]) / root
    left, right = (_side(phi, index, direction, root, order + 1) for direction in (-1, 1))
    jumps = [_difference(b, a) for a, b in zip(left, right, strict=True)]
    partners = ([a + b for a, b in zip(left, right, strict=True)], jumps)
    bell = mp.exp(-(point**2) / 2)
    fronts = (bell / mp.sqrt(2 * mp.pi), bell / (mp.pi * mp.sqrt(2)))
    powers = [point**i for i in range(order + 2)]
    found: dict = {}
    for level, jump in enumerate(jumps):
        if not jump or 2 * level + 1 > order:
            continue
        for power, entries in weights(order, level, not point).items():
            values = [mp.mpf(w.numerator) / w.denominator * powers[i] for _, _, i, w in entries]
            total = mp.fdot(values, [partners[power % 2][other] for _, other, _, _ in entries])
            found[power] = found.get(power, mp.zero) + fronts[power % 2] * jump * total
    return found


def _side(phi: PiecewiseSmooth, index: int, direction: int, root, count: int) -> list:
    """Derivatives of psi at a breakpoint from one side; exactly where the formula itself is undefined there."""
    piece, point = phi.pieces[index + (direction > 0)], phi.breaks[index]
    try:
        taylor = jet(piece, phi.symbol)(to_mpf(point), count)
        derivatives = [factorial(n) * c for n, c in enumerate(taylor)]
    except NoValueError:
        derivatives = [to_mpf(value) for value in phi.taylor(index, direction, count)]
    return [value * root**n for n, value in enumerate(derivatives)]


def _difference(one, two):
    """one - two, 0 when only rounding is left."""
    rest = one - two
    return rest if abs(rest) > mp.mpf(10) ** (-mp.dps + GUARD // 2) * (abs(one) + abs(two)) else mp.zero
