"""From the Koenigs function to the law: y_n = S^(-1)(chi^n C) as an expansion in powers of z = chi^n.

The inverse F of U solves F(mu z) = mu F(z) (1 + e(F(z))): f_k (mu^k - mu) is mu times the coefficient of z^k in
sum_(j>1) e_(j-1) F^j, for which f_1, ..., f_(k-1) suffice.  A map whose F is a polynomial (y' = y/2) has fewer terms
than may be asked for, and no remainder when substitution shows that they are all.
"""

from collections.abc import Callable, Mapping, Sequence

from sympy import Expr, Rational, S, Symbol, simplify

from asympt.deadline import check_time
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.scale import Exponential
from asympt.expansions.series import dot, power
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.coordinates.koenigs import ExactFlow, GeometricFlow, ratio_in_t, written
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.protocol import Dynamics, T
from asympt.symbols import Reserved

MOST_ORDERS = 64
MOST_EXACT = 3  # terms of a law that is tried as an exact solution
_Z = Reserved("z", positive=True)


def inverse_powers(flow: GeometricFlow) -> list[list]:
    """rows[j][k] = [z^k] F(z)^j for j, k = 0, ..., N.

    >>> from fractions import Fraction as Q
    >>> flow = GeometricFlow.of([Q(1), Q(1, 2), Q(1, 4)], Q(1, 2))  # y/(2 - y): F = z/(1 + z)
    >>> [str(f) for f in inverse_powers(flow)[1]]
    ['0', '1', '-1', '1']
    """
    zero, size, unit = flow.one * 0, flow.size, flow.powers[1]
    rows = [[zero] * size for _ in range(size)]
    rows[0][0] = rows[1][1] = flow.one
    power_of_mu = flow.mu
    for k in range(2, size):
        check_time()
        power_of_mu = power_of_mu * flow.mu
        for j in range(2, k + 1):
            rows[j][k] = dot(rows[1][1 : k - j + 2], rows[j - 1][k - 1 : j - 2 : -1], zero)
        known = dot(unit[1:k], [row[k] for row in rows[2 : k + 1]], zero)
        rows[1][k] = flow.mu * known / (power_of_mu - flow.mu)
    return rows


def composed(rows: Sequence[Sequence], series: Mapping[int, object]) -> dict[int, object]:
    """{k: [z^k] f(F(z))} from f = {j: coefficient of t^j}, as far as F is known; j < 0 only alone."""
    first, size = min(series), len(rows)
    if len(series) == 1 and first == 1:
        return {k: series[first] * c for k, c in enumerate(rows[1]) if k}
    if len(series) == 1:
        unit = power(rows[1][1:], rows[0][0] * first, size - 1)
        return {k: series[first] * c for k, c in enumerate(unit, start=first)}
    weights = list(series.values())
    return {k: dot(weights, [rows[j][k] for j in series], rows[0][0] * 0) for k in range(size)}


def in_powers_of_c(exact: ExactFlow, series: Mapping[int, object]) -> dict[Monomial, Expr]:
    """A series in z as the terms of an expansion on the scale of chi^n."""
    terms = {}
    for k, element in series.items():
        check_time()
        if element:
            share = Rational(k, exact.root)
            terms[Monomial(share)] = exact.leave(element) * CONNECTION**share
    return terms


def distance(exact: ExactFlow, depth: Symbol) -> Expansion:
    """y_n to all the orders that the flow knows."""
    return _expansion(exact, depth, {exact.root: exact.flow.one})


def observed(exact: ExactFlow, depth: Symbol, observable: FixedPoint | Observable | None) -> Expansion:
    """What `observable` sees of y_n (y_n itself without one) to all the orders that the flow knows."""
    if observable is None:
        return distance(exact, depth)
    if not observable.reads_x:
        return observable.expansion(distance(exact, depth))
    power_of_t, constant = (-exact.root, 0) if observable.at_infinity else (exact.root, observable.point)
    return _expansion(exact, depth, {power_of_t: exact.flow.one * observable.sign}, constant)


def _expansion(exact: ExactFlow, depth: Symbol, series: Mapping, constant: Expr = S.Zero) -> Expansion:
    values = composed(inverse_powers(exact.flow), series)
    terms = in_powers_of_c(exact, values)
    if constant != 0:
        terms[Monomial(0)] = constant
    rest = Formal(Monomial(Rational(max(values) + 1, exact.root)))
    return written(Exponential(depth, base=exact.chi), terms, rest)


def depth_expansion(
    dynamics: Dynamics, observable: FixedPoint | Observable | None, terms: int, depth: Symbol
) -> tuple[ExactFlow, Expansion]:
    """The flow, and the law with `terms` terms and the next one as its remainder."""

    def attempt(orders: int):
        exact = ExactFlow.of(ratio_in_t(dynamics, orders), dynamics.root)
        return exact, observed(exact, depth, observable)

    exact, law = enough(attempt, terms, terms + dynamics.root)
    if observable is None or observable.reads_x:
        law = _without_remainder_if_exact(dynamics, exact, observable, law)
    return exact, law


def enough(attempt: Callable, terms: int, orders: int) -> tuple:
    """Take more orders until there are more than `terms` terms; fewer when there are no more within `MOST_ORDERS`.

    The work grows like a high power of the orders, so one or two missing terms cost few orders more; where every other
    term is missing, twice as many as are missing are right.
    """
    while True:
        solved, law = attempt(orders)
        missing = terms + 1 - len(law.terms)
        if missing <= 0 or orders >= max(MOST_ORDERS, 2 * terms):
            return solved, law.truncate(terms)
        orders = min(orders + 2 * missing, max(MOST_ORDERS, 2 * terms))


def _without_remainder_if_exact(
    dynamics: Dynamics, exact: ExactFlow, observable: FixedPoint | None, law: Expansion
) -> Expansion:
    """A finite sum x(z) with x(chi z) = G(x(z)) is the orbit itself."""
    if len(law.terms) > MOST_EXACT or law.remainder.monomial.order < MOST_ORDERS / 2:
        return law
    if dynamics.formula is None or dynamics.beyond is not None:
        return law

    def away(z):
        x = sum(c.subs(CONNECTION, 1) * z**m.order for m, c in law.terms)
        return x if observable is None else observable.inner(x)

    image = dynamics.formula.subs(T, away(_Z) ** Rational(1, exact.root))
    return law.without_remainder() if simplify(image - away(exact.chi * _Z)) == 0 else law
