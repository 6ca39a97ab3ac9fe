"""Gaussian moments as formulas in q, each compared with its digits before anybody sees it.

Problem.  E[g(sqrt(q) Z)] and M_n(q) = E[phi^(n)(sqrt(q) Z)^2] as formulas, for ELU, erf, GELU, sin, hard tanh, ...

Rule.  Read every piece as a sum of x^k exp(a x + b x^2) erf(...) (`exact_terms`), differentiate and square there, and
apply the integral rules (`integrals`) between the breakpoints.  A formula that differs from the quadrature of
`moments` at q, or at a sample where q is a symbol, is an error of this program.

Tiny case.  phi = max(x, 0): M_0 = q/2, M_1 = 1/2, M_2 = 0.

Known limits.  None, not a formula, for tanh, sigmoid, softplus, softsign and what else the rules do not reach.
"""

from functools import lru_cache
from itertools import pairwise

from mpmath import mp
from sympy import Add, Expr, I, Rational, Symbol, expand

from asympt.gaussian.closed.exact_terms import NoRule, Terms, derivative, product, read
from asympt.gaussian.closed.integrals import IntervalMeans
from asympt.gaussian.moments import moment, square_moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import to_mpf

CHECKED = 30
SAMPLE = Rational(1, 7)  # small, so that the means exist where they exist for any q worth asking


def exact_moment(g: PiecewiseSmooth, q: Expr) -> Expr | None:
    """E[g(sqrt(q) Z)] as a formula in q (a number or a positive symbol), or None when the rules do not reach.

    >>> from sympy import Abs, Symbol
    >>> x, q = Symbol("x", real=True), Symbol("q", positive=True)
    >>> exact_moment(PiecewiseSmooth.of(Abs(x), x), q)
    sqrt(2)*sqrt(q)/sqrt(pi)
    """
    try:
        formula = _over_pieces(g, tuple(read(piece, g.symbol) for piece in g.pieces), q)
    except NoRule:
        return None
    return _checked(formula, q, g, lambda g, sample: moment(g, sample, CHECKED))


@lru_cache(maxsize=1024)
def exact_square_moment(phi: PiecewiseSmooth, n: int, q: Expr) -> Expr | None:
    """M_n(q) = E[phi^(n)(sqrt(q) Z)^2], regular part, as a formula in q, or None when the rules do not reach.

    >>> from sympy import Symbol, erf
    >>> x, q = Symbol("x", real=True), Symbol("q", positive=True)
    >>> exact_square_moment(PiecewiseSmooth.of(erf(x), x), 0, q)
    2*asin(2*q/(2*q + 1))/pi
    """
    try:
        formula = _over_pieces(phi, tuple(product(terms, terms) for terms in _derivatives(phi, n)), q)
    except NoRule:
        return None
    return _checked(formula, q, phi, lambda phi, sample: square_moment(phi, n, sample, CHECKED))


@lru_cache(maxsize=1024)
def _derivatives(phi: PiecewiseSmooth, n: int) -> tuple[Terms, ...]:
    """The n-th derivative of every piece."""
    if n == 0:
        return tuple(read(piece, phi.symbol) for piece in phi.pieces)
    return tuple(map(derivative, _derivatives(phi, n - 1)))


def _over_pieces(g: PiecewiseSmooth, pieces: tuple[Terms, ...], q: Expr) -> Expr:
    ends = pairwise((None, *g.breaks, None))
    total = Add(*(IntervalMeans(q, *end).found(terms) for end, terms in zip(ends, pieces, strict=True)))
    if total.has(I):
        total = expand(total)
        if total.has(I):
            raise NoRule
    return total


def _checked(formula: Expr, q: Expr, function: PiecewiseSmooth, by_quadrature) -> Expr:
    """The formula, if its digits at one point are those of the quadrature."""
    symbols = sorted(formula.free_symbols | q.free_symbols | _parameters(function), key=str)
    sample = {symbol: SAMPLE / (1 + k) for k, symbol in enumerate(symbols)}
    numbers = PiecewiseSmooth(
        function.symbol,
        tuple(point.subs(sample) for point in function.breaks),
        tuple(piece.subs(sample) for piece in function.pieces),
    )
    with mp.workdps(CHECKED + 10):
        value, truth = to_mpf(formula.subs(sample)), by_quadrature(numbers, q.subs(sample))
        if abs(value - truth) > abs(truth) * mp.mpf(10) ** (1 - CHECKED):
            raise ArithmeticError(f"the formula {formula} gives {value}, quadrature {truth}")
    return formula


def _parameters(function: PiecewiseSmooth) -> set[Symbol]:
    found = set().union(*(part.free_symbols for part in (*function.pieces, *function.breaks)))
    return found - {function.symbol}
