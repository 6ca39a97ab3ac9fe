"""The flow time of a drift, and what one layer adds to it beyond its step size.

Problem.  Along dx/dy = -h(x) the flow time is y = T(x).  A layer x' = x - delta h(x) advances it not quite by delta.

Rule.  T' = -1/h, integrated term by term without a constant, which is the normalisation of T:

    T = T_(-m) t^(-m) + ... + r log t + ...,     x = t^root,  h = c t^k (1 + ...),  m = k - root.

By Taylor's formula  T(x') - T(x) = sum_(n>=1) delta^n D_n/n!  with D_n = (-h)^n d^n T/dx^n, so

    D_1 = 1,    D_(n+1) = n h' D_n - h D_n'.

Tiny case.  h = x^2: T = 1/x, D_2 = 2x, D_3 = 6x^2, and indeed 1/(x - delta x^2) = 1/x + delta + delta^2 x + ...

Known limits.  Formal series; D_n starts with t^(m(n - 1)).
"""

from collections.abc import Sequence

from sympy import Expr, Integer, Rational, factorial

from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.fields.field import Field
from asympt.expansions.series import power, product
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.flow_time.drift import Drift


def inverse_series(drift: Drift, count: int) -> list[Expr]:
    """The first `count` coefficients of c t^k/h."""
    field = Field.of(drift.ratio(count))
    return [field.leave(c) for c in power(field.enter(drift.ratio(count)), field.enter([Integer(-1)])[0], count)]


def flow_time(drift: Drift, order: int) -> Expansion:
    """T(t) up to, not including, t^order.

    >>> from sympy import Symbol, sin
    >>> x = Symbol("x", positive=True)
    >>> print(flow_time(Drift.read(sin(x) ** 2 * (1 + x), x), 2))
    1/t + log(t) - 4*t/3 + O(t^2)
    """
    terms = {}
    for k, coefficient in enumerate(inverse_series(drift, order + drift.excess), start=-drift.excess):
        weight = -drift.root * coefficient / drift.lead
        terms[(k, 0) if k else (0, 1)] = weight / k if k else weight
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(order)))


def layer_terms(drift: Drift, orders: Sequence[int]) -> list[Expansion]:
    """D_1/1!, D_2/2!, ..., the n-th up to, not including, t^orders[n-1].

    >>> from sympy import Symbol
    >>> x = Symbol("x", positive=True)
    >>> [str(d) for d in layer_terms(Drift.read(x**2, x), [3, 3, 3])]
    ['1 + O(t^3)', 't + O(t^3)', 't^2 + O(t^3)']
    """
    count = max(orders)
    field = Field.of(drift.ratio(count))
    ratio = field.enter(drift.ratio(count))
    slope = [g * (drift.order + k) for k, g in enumerate(ratio)]  # h' = (c/root) t^m slope
    series, result = [ratio[0]] + [ratio[0] * 0] * (count - 1), []
    for n, order in enumerate(orders, start=1):
        result.append(_layer_term(drift, n, [field.leave(c) for c in series], order))
        start = drift.excess * (n - 1)  # D_n = (c/root)^(n-1) t^start series
        moved = product(ratio, [c * (start + k) for k, c in enumerate(series)], count)
        series = [n * a - b for a, b in zip(product(slope, series, count), moved, strict=True)]
    return result


def _layer_term(drift: Drift, n: int, series: Sequence[Expr], order: int) -> Expansion:
    weight, start = (drift.lead / drift.root) ** (n - 1) / factorial(n), drift.excess * (n - 1)
    terms = {(Rational(start + k), 0): weight * c for k, c in enumerate(series)}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(order)))
