"""The flow time T of a drift, T' = -1/h, as a series and in numbers, and what one layer adds beyond its step size.

Integrated term by term without a constant.  By Taylor's formula T(x') - T(x) = sum_(n>=1) delta^n D_n/n! with D_n =
(-h)^n d^n T/dx^n, so D_1 = 1 and D_(n+1) = n h' D_n - h D_n'.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Rational, factorial

from asympt.deadline import check_time
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.fields.field import Field
from asympt.expansions.series import power, product
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, solve_rows
from asympt.recursions.coordinates.flow_time.drift import KNOWN, Drift


class Grid:
    """N Chebyshev nodes tau_j = cos((2j + 1) pi/(2N)) at mpmath's present precision; f = sum_k c_k T_k on [-1, 1].

    c_k = (2/N) sum_j f(tau_j) T_k(tau_j), half of it for k = 0; the primitive that is 0 at -1 has the coefficients
    (c_(k-1) - c_(k+1))/(2k), c_0 counting twice.

    >>> import mpmath
    >>> grid = grid_of(8)
    >>> series = grid.primitive(grid.series([mpmath.exp(tau) for tau in grid.nodes]))
    >>> mpmath.nstr(value(series, mpmath.mpf(1)), 6), mpmath.nstr(mpmath.e - 1 / mpmath.e, 6)
    ('2.3504', '2.3504')
    """

    def __init__(self, count: int):
        quarter = [mp.cos(mp.pi * i / (2 * count)) for i in range(4 * count)]
        self.count = count
        self.nodes = [quarter[2 * j + 1] for j in range(count)]
        self._rows = [[quarter[k * (2 * j + 1) % (4 * count)] for j in range(count)] for k in range(count)]
        self._columns = [list(column) for column in zip(*self._rows, strict=True)]

    def series(self, values: Sequence) -> list:
        """c_0, ..., c_(N-1) from the values at the nodes."""
        coefficients = [mp.fdot(row, values) * 2 / self.count for row in self._rows]
        coefficients[0] /= 2
        return coefficients

    def primitive(self, series: Sequence) -> list:
        """The integral from -1, to the same number of coefficients."""
        padded = [2 * series[0], *series[1:], series[0] * 0]
        result = [series[0] * 0] + [(padded[k - 1] - padded[k + 1]) / (2 * k) for k in range(1, self.count)]
        result[0] = -sum((-1) ** k * c for k, c in enumerate(result))
        return result

    def values(self, series: Sequence) -> list:
        """The sum of the series at every node."""
        return [mp.fdot(column, series) for column in self._columns]


@lru_cache(maxsize=32)
def _grid(count: int, precision: int) -> Grid:
    return Grid(count)


def grid_of(count: int) -> Grid:
    """The grid of `count` nodes at mpmath's present precision."""
    return _grid(count, mp.prec)


def value(series: Sequence, tau):
    """sum_k c_k T_k(tau), by Clenshaw's rule."""
    one, two = tau * 0, tau * 0
    for coefficient in reversed(series[1:]):
        one, two = 2 * tau * one - two + coefficient, one
    return tau * one - two + series[0]


def tail(series: Sequence):
    """The size of the last coefficients."""
    return max(abs(c) for c in series[-3:])


WIDTH, NARROWEST = 2.0, 0.001  # of an interval in log x


def inverse_series(drift: Drift, count: int) -> list[Expr]:
    """The first `count` coefficients of c t^k/h."""
    field = Field.of(drift.ratio(count))
    return [field.leave(c) for c in power(field.enter(drift.ratio(count)), field.enter([Integer(-1)])[0], count)]


def flow_time(drift: Drift, order: int) -> Expansion:
    """T(t) up to, not including, t^order."""
    terms = {}
    for k, coefficient in enumerate(inverse_series(drift, order + drift.excess), start=-drift.excess):
        weight = -drift.root * coefficient / drift.lead
        terms[(k, 0) if k else (0, 1)] = weight / k if k else weight
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(order)))


def solve_in_time(shape: Sequence, own: Sequence, lead, root: int, order: int) -> tuple[dict, object]:
    """({k: p_k}, r) of dk/dT = -h' k + o over any field: k = sum p_k t^k + r t^order g log t + D h, p_order = 0.

    h = lead t^order g; `shape` and `own` are as many coefficients of g and o.  In t the equation is the rows below.

    >>> from fractions import Fraction as Q
    >>> solved, r = solve_in_time([Q(1), Q(0), Q(0), Q(0)], [Q(1), Q(0), Q(1), Q(2)], Q(1), root=1, order=2)  # h = t^2
    >>> {k: str(p) for k, p in solved.items() if p}, str(r)
    ({-1: '1/3', 1: '1'}, '-2')
    """
    m, zero, factor = order - root, shape[0] * 0, (shape[0] * 0 - root) / lead
    last = len(shape) - 1 - m
    rows = {
        k: [zero] * m + [(k - order - j) * g for j, g in enumerate(shape[: last + 1 - k])] for k in range(-m, last + 1)
    }
    if order in rows:
        rows[order] = [zero] * m + product(shape, shape, last + 1 - order)
    solved = solve_rows(rows, [factor * c for c in own], m, 1)
    return solved, solved.pop(order, zero)


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
        start, weight = drift.excess * (n - 1), (drift.lead / drift.root) ** (n - 1) / factorial(n)
        terms = {(Rational(start + k), 0): weight * field.leave(c) for k, c in enumerate(series)}
        result.append(Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(order))))  # D_n = (c/root)^(n-1) t^start s
        moved = product(ratio, [c * (start + k) for k, c in enumerate(series)], count)
        series = [n * a - b for a, b in zip(product(slope, series, count), moved, strict=True)]
    return result


def time_at(drift: Drift, x):
    """T(x) at mpmath's precision (relative to T where that is large)."""

    def refused(place):
        return UnsupportedError(
            f"h = {drift.formula} is not smooth near {drift.symbol} = {mpmath.nstr(place, 8)}, so its flow time cannot "
            "be computed; start below that"
        )

    with mp.workdps(mp.dps + mp.dps * drift.excess // KNOWN + 10):  # T is that large where the series is used
        near = min(x, drift.near)
        return _by_series(drift, near) + between(lambda at: [-1 / drift(at)], near, x, NARROWEST, refused)[0]


def _by_series(drift: Drift, x):
    """T from its known coefficients."""
    m, t = drift.excess, drift.uniformiser(x)
    total = mpmath.mpf(0)
    for k, c in enumerate(power([to_mpf(c) for c in drift.ratio(KNOWN)], -1, KNOWN), start=-m):
        total += c * (t**k / k if k else mp.log(t)) if c else 0
    return -total * drift.root / to_mpf(drift.lead)


def between(slopes: Callable, low, high, narrowest: float, refused: Callable) -> list:
    """The integrals of several functions, by Chebyshev series in log x on parts where their last coefficients vanish.

    Raises refused(x) where these are narrower than `narrowest`.
    """
    grid, parts = grid_of(3 * mp.dps // 5 + 12), []
    place, end = mp.log(low), mp.log(high)
    width = WIDTH * mp.sign(end - place)
    while place != end:
        check_time()
        width = width if abs(width) < abs(end - place) else end - place
        points = [mp.exp(place + width * (node + 1) / 2) for node in grid.nodes]
        rows = zip(*([slope * x * width / 2 for slope in slopes(x)] for x in points), strict=True)
        found = [grid.series(row) for row in rows]
        if all(tail(series) <= mp.eps * 10**4 * (1 + abs(series[0])) for series in found):
            parts.append([value(grid.primitive(series), mpmath.mpf(1)) for series in found])
            place, width = (end, width) if width == end - place else (place + width, 2 * width)
        elif abs(width) < 2 * narrowest:
            raise refused(mp.exp(place))
        else:
            width /= 2
    return [mp.fsum(several) for several in zip(*parts, strict=True)] or [mpmath.mpf(0)]
