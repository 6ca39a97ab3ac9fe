"""Sums of x^k exp(a x + b x^2) erf(c x + d) ...: a class closed under products and derivatives.

Problem.  Closed Gaussian moments need a normal form of the integrand, and of its derivatives of any order.

Rule.  A formula is a dictionary {(k, a, b, ((c, d), ...)): coefficient}, read from the tree: products multiply term
by term, sin and cos are exponentials, erfc = 1 - erf.  Derivatives follow from

    x^k -> k x^(k-1)      exp(a x + b x^2) -> (a + 2 b x) exp(...)      erf(c x + d) -> (2c/sqrt pi) exp(-(c x + d)^2)

Tiny case.  exp(x) - 1: {(0, 1, 0, ()): 1, (0, 0, 0, ()): -1}.

Known limits.  tanh, 1/(1 + x), log and other functions are not of this kind: `NoRule`.
"""

from collections.abc import Iterable

import sympy
from sympy import Add, Expr, I, Integer, Mul, Pow, Symbol, expand, pi, sqrt

Key = tuple  # k, a, b, errors
Terms = dict[Key, Expr]
ONE: Key = (0, Integer(0), Integer(0), ())


class NoRule(Exception):
    """The formula is not of this kind, or no rule integrates it; nothing a user sees."""


def read(formula: Expr, x: Symbol) -> Terms:
    """The terms of a formula; raises `NoRule`.

    >>> x = Symbol("x")
    >>> read(x * (sympy.exp(x) - 1), x)
    {(1, 0, 0, ()): -1, (1, 1, 0, ()): 1}
    """
    if x not in formula.free_symbols:
        return {ONE: formula}
    if formula == x:
        return {(1, *ONE[1:]): Integer(1)}
    if isinstance(formula, Add):
        return merged(item for part in formula.args for item in read(part, x).items())
    if isinstance(formula, Mul):
        result: Terms = {ONE: Integer(1)}
        for part in formula.args:
            result = product(result, read(part, x))
        return result
    return _read_function(formula, x)


def _read_function(formula: Expr, x: Symbol) -> Terms:
    base, exponent = formula.as_base_exp()
    if isinstance(formula, Pow) and exponent.is_Integer and exponent > 0:
        return product(read(base ** (exponent - 1), x), read(base, x))
    if exponent.has(x) and not base.has(x):
        return _exponential(exponent * sympy.log(base), x)
    if len(formula.args) != 1:
        raise NoRule
    return _read_named(formula.func, formula.args[0], x)


def _read_named(name: type, u: Expr, x: Symbol) -> Terms:
    if name in (sympy.erf, sympy.erfc):
        error = {(0, Integer(0), Integer(0), (_linear(u, x),)): Integer(1)}
        return error if name is sympy.erf else merged([(ONE, Integer(1)), *scaled(error, Integer(-1)).items()])
    unit = {sympy.sin: I, sympy.cos: I, sympy.sinh: Integer(1), sympy.cosh: Integer(1)}.get(name)
    if unit is None:
        raise NoRule
    odd = name in (sympy.sin, sympy.sinh)
    up, down = _exponential(unit * u, x), _exponential(-unit * u, x)
    half = 1 / (2 * unit) if odd else Integer(1) / 2
    return merged([*scaled(up, half).items(), *scaled(down, -half if odd else half).items()])


def _exponential(u: Expr, x: Symbol) -> Terms:
    a0, a1, a2 = _polynomial(u, x, 2)
    return {(0, a1, a2, ()): sympy.exp(a0)}


def _linear(u: Expr, x: Symbol) -> tuple[Expr, Expr]:
    d, c = _polynomial(u, x, 1)
    return c, d


def _polynomial(u: Expr, x: Symbol, degree: int) -> list[Expr]:
    """The coefficients of a polynomial of at most this degree, lowest first."""
    u = expand(u)
    if not u.is_polynomial(x) or sympy.degree(u, x) > degree:
        raise NoRule
    return [u.coeff(x, k) for k in range(degree + 1)]


# ---- arithmetic -------------------------------------------------------------------------------------


def merged(items: Iterable[tuple[Key, Expr]]) -> Terms:
    """Terms of the same kind added; zeros dropped."""
    found: dict[Key, list] = {}
    for key, coefficient in items:
        found.setdefault(key, []).append(coefficient)
    sums = {key: expand(Add(*coefficients)) for key, coefficients in found.items()}
    return {key: coefficient for key, coefficient in sums.items() if coefficient != 0}


def scaled(terms: Terms, factor: Expr) -> Terms:
    """The terms times a constant."""
    return {key: factor * coefficient for key, coefficient in terms.items()}


def product(one: Terms, two: Terms) -> Terms:
    """The product, term by term."""
    return merged(
        ((k1 + k2, a1 + a2, b1 + b2, tuple(sorted(e1 + e2, key=str))), f * g)
        for (k1, a1, b1, e1), f in one.items()
        for (k2, a2, b2, e2), g in two.items()
    )


def derivative(terms: Terms) -> Terms:
    """The derivative with respect to x."""
    return merged(item for key, f in terms.items() for item in _derivative_of(key, f))


def _derivative_of(key: Key, f: Expr) -> list[tuple[Key, Expr]]:
    k, a, b, errors = key
    found = [((k, a, b, errors), a * f), ((k + 1, a, b, errors), 2 * b * f)]
    if k:
        found.append(((k - 1, a, b, errors), k * f))
    for position in range(len(errors)):
        factor, exponents, rest = without_error(key, position)
        found.append(((k, *exponents, rest), factor * f))
    return found


def without_error(key: Key, position: int) -> tuple[Expr, tuple[Expr, Expr], tuple]:
    """One erf(c x + d) differentiated: the constant factor, the new (a, b), the other error functions."""
    _, a, b, errors = key
    c, d = errors[position]
    factor = 2 * c / sqrt(pi) * sympy.exp(-(d**2))
    return factor, (a - 2 * c * d, b - c**2), errors[:position] + errors[position + 1 :]
