"""Linear recursions whose coefficients are given as functions of the layer: a_l = lambda_l a_(l-1) + b_l.

Problem.  lambda_l = 1 - alpha/l + c_2/l^2 + ..., b_l = q + b_1/l + ... (HDR Appendix Lemma 5).  Expand a_l.

Rule.  Put a_l = x_0 l + x_1 + x_2/l + ....  With (l-1)^s = l^s (1 - s/l + ...), the coefficient of l^(-n) in
a_l - lambda_l a_(l-1) - b_l is (1 + alpha - n) x_n plus known terms, so each x_n follows from the earlier ones.
The homogeneous solution starts with l^(-alpha): at n = 1 + alpha it and, in general, a log enter.

Tiny case.  lambda = 1 - alpha/l + c/l^2, b = q:  x_0 = q/(1 + alpha),  x_1 = x_0 (alpha + c)/alpha.

Known limits.  Only the terms before the resonance n = 1 + alpha; symbolic alpha is taken as not an integer.
"""

from collections.abc import Sequence

from sympy import Expr, Integer, Symbol, binomial, simplify, sympify

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale

LAYER = Symbol("l", positive=True)


def layered_solution(multiplier: Sequence[Expr], forcing: Sequence[Expr], terms: int) -> Expansion:
    """a_l with `terms` terms, from the coefficients of 1, 1/l, 1/l^2, ... in lambda_l and b_l (lambda_l = 1 + ...).

    Raises `UnsupportedError` when a term is resonant.

    >>> alpha, c, q = Symbol("alpha"), Symbol("c"), Symbol("q")
    >>> print(layered_solution([1, -alpha, c], [q], terms=2).coefficient(0).factor())
    q*(alpha + c)/(alpha*(alpha + 1))
    """
    multiplier, forcing = list(map(sympify, multiplier)), list(map(sympify, forcing))
    if multiplier[0] != 1:
        raise UnsupportedError(f"lambda_l tends to {multiplier[0]}; only multipliers that tend to 1 are solved here")
    solved: list[Expr] = []
    for n in range(terms):
        pivot = simplify(1 - multiplier[1] - n)
        if pivot == 0:
            raise UnsupportedError(f"the term l^({1 - n}) is resonant (1 + alpha = {n}); ask for at most {n} terms")
        solved.append(simplify((_at(forcing, n) - _known(multiplier, solved, n)) / pivot))
    coefficients = {(n - 1, 0): value for n, value in enumerate(solved)}
    return Expansion.build(Scale.at_infinity(LAYER), coefficients, Formal(Monomial(terms - 1)))


def _at(series: Sequence[Expr], k: int) -> Expr:
    return series[k] if k < len(series) else Integer(0)


def _known(multiplier: Sequence[Expr], solved: Sequence[Expr], n: int) -> Expr:
    """Coefficient of l^(-n) in sum_(k<n) x_k (l^(1-k) - lambda_l (l-1)^(1-k))."""
    total = Integer(0)
    for k, x in enumerate(solved):
        shifted = sum((_at(multiplier, i) * _binomial(1 - k, n + 1 - k - i) for i in range(n + 2 - k)), Integer(0))
        total -= x * shifted
    return total


def _binomial(power: int, j: int) -> Expr:
    """The coefficient of l^(power - j) in (l - 1)^power."""
    return binomial(power, j) * (-1) ** j
