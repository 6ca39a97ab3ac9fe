"""Reading layered recursions: formulas in the layer l become expansions, expansions become series over a field.

Problem.  A user writes 1 - alpha/l + kappa*log(l)/l^2; the elimination wants {order: polynomial in log l}.

Rule.  Expand; every summand must be c l^p log(l)^j, p rational, j = 0, 1, 2, ...  Orders are counted in units of
1/grid, grid the common denominator of all exponents.

Tiny case.  1 - c/sqrt(l): grid 2, {0: [1], 1: [-c]}.
"""

from collections import defaultdict
from collections.abc import Iterable
from math import lcm

from sympy import Add, Expr, Integer, Mul, Symbol, expand, log, nan, oo, zoo

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.numbers import as_expression

LAYER = Symbol("l", positive=True)


def read(given, name: str, variable: Symbol = LAYER) -> Expansion:
    """An expansion in `variable` from an expansion, a number or a SymPy expression.

    >>> print(read(1 - 2 / LAYER + log(LAYER) / LAYER**2, "lambda_l"))
    1 - 2/l + log(l)/l^2
    """
    if isinstance(given, Expansion):
        if given.scale != Scale.at_infinity(variable):
            raise InputError(f"{name} is an expansion in {given.scale.variable}; give one in {variable} at infinity")
        return given
    expression = as_expression(given, name, variable)
    if expression.is_finite is False or expression.has(oo, -oo, zoo, nan):
        raise InputError(f"{name} = {given} is not finite; give a formula like 1 - 2/{variable}")
    return _from_expression(expression, name, variable)


def _from_expression(expression: Expr, name: str, variable: Symbol) -> Expansion:
    coefficients: dict[Monomial, Expr] = defaultdict(lambda: Integer(0))
    expanded = expand(expression)
    for term in Add.make_args(expanded) if expanded != 0 else ():
        coefficient, rest = term.as_independent(variable, as_Add=False)
        coefficients[_monomial(rest, name, variable)] += coefficient
    return Expansion.build(Scale.at_infinity(variable), coefficients)


def _monomial(product: Expr, name: str, variable: Symbol) -> Monomial:
    """l^p log(l)^j as a monomial."""
    order, logs = Integer(0), 0
    for factor in Mul.make_args(product):
        base, exponent = factor.as_base_exp()
        if base == variable and exponent.is_Rational:
            order -= exponent
        elif base == log(variable) and exponent.is_Integer and exponent > 0:
            logs += int(exponent)
        elif factor != 1:
            raise UnsupportedError(
                f"{name} contains {factor}, which is not of the form {variable}^p log({variable})^j with rational p "
                "and j = 0, 1, 2, ...; expand it in such terms first"
            )
    return Monomial(order, logs)


def grid_of(expansions: Iterable[Expansion]) -> int:
    """The common denominator of all orders."""
    return lcm(1, *(int(m.order.q) for e in expansions for m, _ in e.terms))


def series_of(expansion: Expansion, grid: int, field) -> dict[int, list]:
    """{order in units of 1/grid: [coefficients of 1, log l, ...]} over the field."""
    zero = field.enter(Integer(0))
    series: dict[int, list] = {}
    for monomial, coefficient in expansion.terms:
        polynomial = series.setdefault(int(monomial.order * grid), [])
        polynomial += [zero] * (monomial.logs + 1 - len(polynomial))
        polynomial[monomial.logs] = field.enter(coefficient)
    return series


def terms_of(series: dict[int, list], grid: int) -> list[tuple[Monomial, object]]:
    """(monomial, element), largest first, zeros left out."""
    return [
        (Monomial(Integer(k) / grid, j), polynomial[j])
        for k, polynomial in sorted(series.items())
        for j in reversed(range(len(polynomial)))
        if polynomial[j]
    ]
