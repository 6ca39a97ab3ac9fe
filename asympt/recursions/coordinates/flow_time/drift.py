"""The drift h of a driven recursion x_l = x_(l-1) - delta_l h(x_(l-1)): exact at 0, and in numbers anywhere.

h(x) = c t^k (1 + g_1 t + ...), x = t^root, starts with x^p, p = k/root >= 1, c > 0.  Very close to 0 the series is
summed; elsewhere the formula is evaluated with (p + 1) log(1/x) more digits, which is what differences can cost.  A
narrow bump between Chebyshev nodes would not be noticed, so x^p/h is evaluated on circles of the size of x (`circle`)
that overlap: where it is analytic and nearly constant on each (`smooth_up_to`), nothing is narrower; no proof.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Rational, Symbol, factorial, simplify

from asympt.deadline import check_time
from asympt.errors import InputError, NoValueError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.circle import NotAnalytic, circle_values
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas.puiseux import Series, check_against, puiseux
from asympt.expansions.series import power, product
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, solve_rows
from asympt.recursions.fixed_point import numeric
from asympt.recursions.orbits import LOWEST, Disc
from asympt.recursions.protocol import T

KNOWN = 24  # exact coefficients for use in numbers
SPARE = 20  # bits
GRID, FINENESS = 160, 8  # points that look for zeros of h on the way down, and how many of them per factor 2
DIP, VANISHING = 0.9, 1e-9  # a dip of h/x^p is looked into; that small, it is a zero
TAME = 8  # x^p/h may grow by this factor from the middle of a disc to its rim
PARTS = (2, 4, 8)  # a disc around c has the radius c/2, or c/4, or c/8
ROOM = 120  # bits for the values on a circle


@dataclass(frozen=True, eq=False)
class Drift:
    """h, seen from 0.

    root, order, lead: h = lead t^order (1 + ...), x = t^root;
    ratio:    count -> the first `count` coefficients of h/(lead t^order) in t, exact;
    function: x -> h(x) in mpmath, the formula as it stands;
    formula:  h as a closed form in `symbol`;
    known:    whether h is known to be smooth on the whole way down, so that no check is needed.
    """

    root: int
    order: int
    lead: Expr
    ratio: Callable[[int], Sequence[Expr]]
    function: Callable
    formula: Expr
    symbol: Symbol
    known: bool = False

    @classmethod
    def read(cls, formula: Expr, symbol: Symbol) -> "Drift":
        """From a SymPy expression; refuses what does not push x down to 0."""
        head = _series(formula, symbol, KNOWN)
        lead = head.coefficients[0]
        if lead.is_positive is not True:
            sign = "is not positive" if lead.is_number else "is not known to be positive: declare its symbols positive"
            raise InputError(f"h({symbol}) = {formula} starts with the coefficient {lead}, which {sign}; x would grow")
        if head.exponent < 1:
            raise UnsupportedError(
                f"h({symbol}) = {formula} starts with the power {head.exponent} of {symbol}, so x reaches 0 in "
                "finitely many layers; the power must be 1 or more"
            )
        known = [_ratio(head)]

        def ratio(count: int) -> list[Expr]:
            if count > len(known[0]):
                known[0] = _ratio(_series(formula, symbol, 2 * count))
            return known[0][:count]

        return cls(head.root, head.valuation, lead, ratio, numeric(formula, symbol), formula, symbol)

    @property
    def power(self) -> Rational:
        """p: h starts with x^p."""
        return Rational(self.order, self.root)

    @property
    def excess(self) -> int:
        """m = order - root: the flow time starts with t^(-m), or with log t when m = 0."""
        return self.order - self.root

    @property
    def parameters(self) -> set:
        """The symbols in h other than its variable."""
        return self.formula.free_symbols - {self.symbol}

    def uniformiser(self, x):
        """t = x^(1/root) of an mpmath number."""
        return x ** (mpmath.mpf(1) / self.root)

    @cached_property
    def disc(self) -> Disc:
        """h in t = x^(1/root), on discs around 0."""
        return Disc(self.formula.subs(self.symbol, T**self.root), self.order, self.lead)

    def __call__(self, x):
        """h(x) at mpmath's precision; an `InputError` where it is not a positive number."""
        if x < self.near:
            t = self.uniformiser(x)
            return mpmath.polyval(self._numbers[1], t) * t**self.order
        with mp.workprec(mp.prec + SPARE + max(0, -mp.mag(x)) * (self.order + self.root) // self.root):
            value = self._value(x)
        if isinstance(value, mpmath.mpc) or not (value > 0 and mpmath.isfinite(value)):
            raise InputError(
                f"h = {self.formula} is {mpmath.nstr(value, 5)} at {self.symbol} = {mpmath.nstr(x, 8)}, not a positive "
                "number, so the orbit does not go down to 0; start closer to 0"
            )
        return +value

    @property
    def near(self):
        """Up to this x the exact coefficients give h to mpmath's precision."""
        return self._numbers[0]

    @property
    def _numbers(self) -> tuple:
        return _near_zero(self, mp.prec)

    @lru_cache(maxsize=1024)  # noqa: B019 - drifts are few and live as long as the process
    def require_smooth_down(self, start: Expr) -> None:
        """An `InputError` when h is not positive, or touches 0, somewhere between 0 and the start."""
        with mp.workdps(15):
            top = to_mpf(start)
            xs = [top * mpmath.mpf(2) ** (-mpmath.mpf(j) / FINENESS) for j in range(GRID)]
            sizes = [self._relative(x) for x in xs]
            for j in range(1, GRID - 1):
                if sizes[j] < DIP * min(sizes[j - 1], sizes[j + 1]):
                    place, least = self._minimum(xs[j + 1], xs[j - 1])
                    if least < VANISHING * sizes[j + 1]:
                        raise InputError(
                            f"h = {self.formula} vanishes near {self.symbol} = {mpmath.nstr(place, 6)}, between 0 and "
                            f"the start {mpmath.nstr(top, 6)}; start below that"
                        )

    def _relative(self, x):
        return self(x) / x ** to_mpf(self.power)

    def _minimum(self, low, high) -> tuple:
        """Where h/x^p is least between two points, and how small it is there, by thirds."""
        for _ in range(80):
            third = (high - low) / 3
            if self._relative(low + third) < self._relative(high - third):
                high -= third
            else:
                low += third
        return low, self._relative(low)

    def _value(self, x):
        try:
            return self.function(x)
        except NoValueError as error:
            raise InputError(
                f"h = {self.formula} has no value at {self.symbol} = {mpmath.nstr(x, 8)} ({error}); start closer to 0"
            ) from None


@lru_cache(maxsize=64)
def _near_zero(drift: Drift, precision: int) -> tuple:
    """(the largest x for the series, its coefficients with the highest power first).

    The last known coefficients, and a 1 for what is not known, tell how large t may be.
    """
    lead = to_mpf(drift.lead)
    numbers = [to_mpf(c) for c in drift.ratio(KNOWN)]
    sizes = [(k, max(abs(c), 1 if k == KNOWN - 1 else 0)) for k, c in enumerate(numbers)][-4:]
    rounding = mpmath.ldexp(1, -precision)
    bound = min((rounding / size) ** (mpmath.mpf(1) / k) for k, size in sizes if size)
    if not drift.known:
        bound = drift.disc.accuracy_radius(KNOWN, precision * 3 // 10, bound)
    while not numbers[-1]:
        numbers.pop()
    return (bound / 2) ** drift.root, [lead * c for c in reversed(numbers)]


def _series(formula: Expr, symbol: Symbol, count: int) -> Series:
    """The exact series of h, checked against h in numbers."""
    found = puiseux(formula, symbol, count)
    check_against(formula, symbol, found)
    return found


def _ratio(series: Series) -> list[Expr]:
    return [simplify(c / series.coefficients[0]) for c in series.coefficients]


@lru_cache(maxsize=256)
def smooth_up_to(drift: Drift, start: Expr):
    """The largest x found, `start` at most, such that h is seen to be smooth on (0, x]; 0 when there is none.

    >>> from sympy import Abs, Integer, Rational
    >>> x = Symbol("x", positive=True)
    >>> smooth_up_to(Drift.read(x**2 / (1 + x), x), Integer(1))
    mpf('1.0')
    >>> smooth_up_to(Drift.read(x**2 * (1 + Abs(x - Rational(1, 100))), x), Integer(1)) < 0.01
    True
    """
    with mp.workprec(ROOM):
        last = to_mpf(start)
        if drift.known:
            return last
        place = _radius(drift) ** drift.root / 2**drift.root
        while 0 < place < last:
            part = _part(drift, place)
            if not part:
                break
            place *= 1 + mpmath.mpf(1) / (2 * part)
        return min(place, last)


def _part(drift: Drift, x) -> int:
    """The first part of x for which the disc around it is a tame one; 0 when there is none."""
    inverse = drift.symbol ** drift.power / drift.formula
    for part in PARTS:
        if _is_tame(inverse, drift.symbol, x / part, x, 1 / to_mpf(drift.lead)):
            return part
    return 0


@lru_cache(maxsize=256)
def _radius(drift: Drift):
    """The radius in t of the largest tame disc around 0, a power of two; 0 when there is none."""
    inverse = T**drift.order / drift.formula.subs(drift.symbol, T**drift.root)
    for k in range(4, LOWEST, -1):
        with mp.workprec(ROOM + 3 * (drift.order + 2) * max(0, -k)):
            radius = mpmath.ldexp(1, k)
            if _is_tame(inverse, T, radius, 0, 1 / to_mpf(drift.lead)):
                return radius
    return mpmath.mpf(0)


def _is_tame(inverse: Expr, symbol: Symbol, radius, centre, first) -> bool:
    try:
        values = circle_values(inverse, symbol, radius, centre)
    except NotAnalytic:
        return False
    middle = abs(mp.fsum(values[:-1]) / (len(values) - 1)) if centre else abs(first)
    return max(map(abs, values)) <= TAME * middle


# ---- the flow time T, T' = -1/h, and what one layer adds beyond its step size --------------------
#
# T is integrated term by term without a constant; T(x') - T(x) = sum_(n>=1) delta^n D_n/n!, D_n = (-h)^n d^n T/dx^n, so
# D_1 = 1 and D_(n+1) = n h' D_n - h D_n'.


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
