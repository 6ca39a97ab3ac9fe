"""Truncated power series over any field: the arithmetic under the Abel and linear solvers.

Problem.  The same triangular systems are solved over exact fields (for formulas) and over mpmath numbers
(for evaluation at 100 digits), so the arithmetic asks of a coefficient only +, -, * and division.

Rule.  A series a_0 + a_1 t + ... is a list; `n` is how many coefficients to return.

    product      c_k = sum_i a_i b_(k-i)
    power        b = a^s, a_0 = 1:   k b_k = sum_(i=1..k) (s i - (k - i)) a_i b_(k-i)        (J. C. P. Miller)
    logarithm    b = log a, a_0 = 1: k b_k = k a_k - sum_(i=1..k-1) i b_i a_(k-i)

The last two follow from a b' = s a' b and from a b' = a'.  Known limit: quadratic time in n.
"""

from collections.abc import Sequence

from sympy import EX, QQ, Expr, sympify
from sympy.polys.polyerrors import CoercionFailed


def product(a: Sequence, b: Sequence, n: int) -> list:
    """The first n coefficients of a*b.

    >>> product([1, 1], [1, -1], 3)
    [1, 0, -1]
    """
    zero, result = a[0] * b[0] * 0, []
    for k in range(n):
        total = zero
        for i in range(max(0, k - len(b) + 1), min(k, len(a) - 1) + 1):
            if a[i] and b[k - i]:
                total = total + a[i] * b[k - i]
        result.append(total)
    return result


def power(a: Sequence, exponent, n: int) -> list:
    """The first n coefficients of a^exponent for a_0 = 1; the exponent is a number of the field.

    >>> from fractions import Fraction
    >>> power([Fraction(1), Fraction(1)], Fraction(1, 2), 3)
    [Fraction(1, 1), Fraction(1, 2), Fraction(-1, 8)]
    """
    zero, result = a[0] * 0, [a[0]]
    for k in range(1, n):
        total = zero
        for i in range(1, min(k, len(a) - 1) + 1):
            if a[i]:
                total = total + (exponent * i - (k - i)) * a[i] * result[k - i]
        result.append(total / k)
    return result


def logarithm(a: Sequence, n: int) -> list:
    """The first n coefficients of log a for a_0 = 1.

    >>> from fractions import Fraction
    >>> logarithm([Fraction(1), Fraction(1)], 3)
    [Fraction(0, 1), Fraction(1, 1), Fraction(-1, 2)]
    """
    zero, result = a[0] * 0, [a[0] * 0]
    for k in range(1, n):
        total = a[k] * k if k < len(a) else zero
        for i in range(max(1, k - len(a) + 1), k):
            if a[k - i]:
                total = total - i * result[i] * a[k - i]
        result.append(total / k)
    return result


class Field:
    """The exact coefficient ring of a computation, and the way there and back.

    Rational numbers give QQ; polynomials in symbols QQ[symbols], where every division of the solvers is by a
    rational number and no gcd is ever taken; rational functions QQ(symbols).  Any other constant (pi, sqrt(2))
    falls back to SymPy's expression domain EX, correct but slow: give such a constant a symbol of its own and
    substitute it afterwards.
    """

    def __init__(self, domain):
        self.domain = domain

    @classmethod
    def of(cls, coefficients: Sequence[Expr]) -> "Field":
        """The smallest of these rings that holds every coefficient.

        >>> from sympy import Symbol
        >>> Field.of([Symbol("a") ** 2]).domain, Field.of([1 / Symbol("a")]).domain
        (QQ[a], QQ(a))
        """
        symbols = sorted(set().union(*(sympify(c).free_symbols for c in coefficients)), key=str)
        candidates = (QQ[symbols], QQ.frac_field(*symbols)) if symbols else (QQ,)
        for domain in candidates:
            if _holds(domain, coefficients):
                return cls(domain)
        return cls(EX)

    def enter(self, series: Sequence[Expr]) -> list:
        """SymPy expressions as elements of the ring."""
        return [self.domain.from_sympy(sympify(c)) for c in series]

    def leave(self, element) -> Expr:
        """An element of the ring as a SymPy expression."""
        return self.domain.to_sympy(self.domain.convert(element))


def _holds(domain, coefficients: Sequence[Expr]) -> bool:
    try:
        for coefficient in coefficients:
            domain.from_sympy(sympify(coefficient))
    except (CoercionFailed, ValueError):
        return False
    return True
