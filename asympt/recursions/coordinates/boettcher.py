"""The Boettcher function of a superattracting recursion: the coordinate in which one step is a power.

y' = c y^k (1 + ...), k = 2, 3, ...: find phi = b y (1 + ...), b = |c|^(1/(k-1)), with phi(y') = +-phi(y)^k.  With y =
t^r and t' = g t^k (1 + e(t)), phi = b (t exp V(t))^r,

    k V(t) = log(1 + e(t)) + V(t'),

which is triangular: V(t') starts where t^k does.  So phi(y_n) = C^(k^n), C = phi(y_0); at infinity C is 1/phi(y_0), so
that |C| > 1 and x_n grows like C^(k^n).  For odd k and c < 0 orbits change sides: phi(y_n) = (-1)^n C^(k^n).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Abs, Expr, Integer, Rational, S, Symbol, log, oo

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.pivots import PivotField
from asympt.expansions.series import dot, logarithm, power, product
from asympt.numbers import to_mpf
from asympt.recursions.agreement import GUARD, Route, inverted, radius_of_convergent, summed, two_routes
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.coordinates.koenigs import enough, is_negative, without_remainder_if_exact, written
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.orbits.following import LARGEST, Watch, initial, layers_to
from asympt.recursions.orbits.matching import Disc
from asympt.recursions.protocol import Coordinate, Dynamics, Step, limit_of

LAST = 6  # order of V in numbers: orbits come so fast that more would not pay
MOST_STEPS = 5000  # on the way to the series
MOST_EXPONENT = 4000  # digits of the exponent of x_n


@dataclass(frozen=True)
class Tower(Scale):
    """The monomial (p, j) is Z^p k^(n j), with Z = C^(k^n) near 0 and Z = C^(-k^n) at infinity; `power` is k.

    `alternating`: Z changes its sign at every step.

    >>> n, C = Symbol("n", positive=True), Symbol("C", real=True)
    >>> Tower(n, power=Integer(3), constant=C).to_sympy(Monomial(2))
    C**(2*3**n)
    """

    power: Expr = S.One
    constant: Expr = CONNECTION
    alternating: bool = False

    @property
    def log_unit(self) -> Expr:
        """log Z = +-k^n log |C|."""
        return log(Abs(self.constant))

    def to_sympy(self, monomial: Monomial) -> Expr:
        n, order = self.variable, self.sign * monomial.order
        sign = Integer(-1) ** n if self.alternating and order % 2 else Integer(1)
        return sign * self.constant ** (order * self.power**n) * self.power ** (n * monomial.logs)

    def renamed(self, names: Mapping) -> "Tower":
        return replace(super().renamed(names), constant=self.constant.xreplace(names))


# ---- exact ----------------------------------------------------------------------------------------


def solve_boettcher(unit: Sequence, lead, k: int) -> list:
    """V_0 = 0, V_1, ... from the coefficients 1, e_1, ... and g = `lead`, over any field.

    >>> from fractions import Fraction as Q
    >>> [str(v) for v in solve_boettcher([Q(1), Q(0), Q(1), Q(0), Q(0)], Q(1), 2)]  # y' = y^2 + y^4
    ['0', '0', '1/2', '0', '0']
    """
    size, rows, row, scale = len(unit), [], unit[:1], unit[0]
    while len(rows) <= size // k:  # rows[j]: the coefficients of (t'/t^k)^j
        rows.append([scale * c for c in row])
        row, scale = product(row, unit, size), scale * lead
    solved = logarithm(unit, size)
    for m in range(1, size):
        inner = [j for j in range(1, m // k + 1) if m - k * j < len(rows[j])]
        moved = dot([solved[j] for j in inner], [rows[j][m - k * j] for j in inner], unit[0] * 0)
        solved[m] = (solved[m] + moved) / k
    return solved


def exponential(series: Sequence, factor: int, n: int) -> list:
    """The first n coefficients of exp(factor V), V_0 = 0."""
    zero = series[0] * 0
    result, weighted = [zero + 1], [j * factor * c for j, c in enumerate(series)]
    for m in range(1, n):
        result.append(dot(weighted[1 : m + 1], result[::-1], zero) / m)
    return result


def inverse_power(series: Sequence, p: int) -> dict[int, object]:
    """{m: [z^m] t^p} where t exp V(t) = z, by Lagrange's formula.

    >>> from fractions import Fraction as Q
    >>> inverse_power([Q(0), Q(1), Q(0)], 1)  # t exp(t) = z
    {1: Fraction(1, 1), 2: Fraction(-1, 1), 3: Fraction(3, 2)}
    """
    return {
        m: p * exponential(series, -m, m - p + 1)[m - p] / m if m else -p * series[-p]
        for m in range(p, p + len(series))
    }


@dataclass(frozen=True, eq=False)
class BoettcherFlow:
    """The exact V of a recursion y' = c y^k (1 + ...): `lead` is c, `power` k, `root` r."""

    series: Sequence
    field: PivotField
    lead: Expr
    power: int
    root: int

    @classmethod
    def of(cls, dynamics: Dynamics, k: int, orders: int) -> "BoettcherFlow":
        ratio, root = dynamics.ratio(orders), dynamics.root
        step = ratio[0] ** Rational(1, root)
        found = PivotField(ratio, [step])
        entered, (share, lead) = found.enter(ratio), found.enter([Rational(1, root), step])
        unit = power([c / entered[0] for c in entered], share, orders)
        return cls(solve_boettcher(unit, lead, k), found, ratio[0], k, root)

    @property
    def scale(self) -> Expr:
        """b."""
        return Abs(self.lead) ** Rational(1, self.power - 1)

    @property
    def function(self) -> Expansion:
        """phi, in t."""
        values = exponential(self.series, self.root, len(self.series))
        terms = {Monomial(self.root + k): self.field.leave(c) * self.scale for k, c in enumerate(values) if c}
        return written(AT_FIXED_POINT, terms, Formal(Monomial(self.root + len(values))))

    def law(self, depth: Symbol, observable: FixedPoint | Observable) -> Expansion:
        """What `observable` sees of y_n, to all the orders known."""
        fixed = observable if observable.reads_x else observable.fixed
        if not observable.reads_x:
            return observable.expansion(self._power(depth, self.root, fixed.at_infinity))
        seen = self._power(depth, -self.root if fixed.at_infinity else self.root, fixed.at_infinity) * fixed.sign
        return seen if fixed.at_infinity else seen + fixed.point

    def _power(self, depth: Symbol, p: int, growing: bool) -> Expansion:
        """t^p; z^m is (Z/b)^(m/r)."""
        scale = Tower(depth, oo if growing else S.Zero, power=Integer(self.power), alternating=is_negative(self.lead))
        terms = {}
        for m, c in inverse_power(self.series, p).items():
            if c:
                share = Rational(m, self.root)
                terms[Monomial(share)] = self.field.leave(c) * self.scale**-share
        return written(scale, terms, Formal(Monomial(Rational(p + len(self.series), self.root))))


def boettcher_expansion(
    dynamics: Dynamics, k: int, observable: FixedPoint | Observable, terms: int, depth: Symbol
) -> tuple[BoettcherFlow, Expansion]:
    """The flow, and the law with `terms` terms (fewer when there are no more) and the next one as its remainder."""

    def attempt(orders: int):
        flow = BoettcherFlow.of(dynamics, k, orders)
        return flow, flow.law(depth, observable)

    flow, law = enough(attempt, terms, terms + dynamics.root + 1)
    if observable.reads_x:
        sign = -1 if is_negative(flow.lead) else 1
        law = without_remainder_if_exact(dynamics, dynamics.root, lambda z: sign * z**k, observable, law)
    return flow, law


# ---- in numbers ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NumericBoettcher:
    """V as a truncated series, good for |t| <= `radius`; `scale` is b."""

    series: Sequence
    scale: object
    radius: object

    def unit(self, t):
        """U = t exp V(t)."""
        return t * mp.exp(summed(self.series, t))

    def derivative(self, t):
        slope = summed([k * v for k, v in enumerate(self.series)], t)
        return mp.exp(summed(self.series, t)) * (1 + slope)

    def solve(self, target):
        """t with U(t) = target."""
        return inverted(self.unit, self.derivative, target, target, "U")


@dataclass(frozen=True, eq=False)
class Reached:
    """The layer where an orbit crosses into the coordinate: the sign of phi there, and log |phi|."""

    coordinate: "Boettcher"
    numeric: NumericBoettcher
    digits: int
    layer: int
    sign: int
    size: object

    lost = 0

    def state(self, depth: int) -> tuple:
        """(y,) at a later layer."""
        own, steps = self.coordinate, depth - self.layer
        with mp.workdps(self.digits + GUARD):
            size = own.power**steps * self.size - mp.log(self.numeric.scale)
            turned = -1 if own.alternating and steps % 2 else 1
            root = own.dynamics.root  # 1 where the sign is -1
            t = self.numeric.solve(self.sign * turned * mp.exp(size / root))
            return (t**root,)

    def constants(self, second: bool) -> tuple:
        """(C, None)."""
        own = self.coordinate
        with mp.workdps(self.digits + GUARD):
            size = self.size / mp.mpf(own.power) ** self.layer
            turned = -1 if own.alternating and self.layer % 2 else 1
            return self.sign * turned * mp.exp(-size if own.growing else size), None


@dataclass(frozen=True)
class Boettcher(Coordinate):
    """The Boettcher coordinate of a superattracting recursion y' = c y^k (1 + ...), k = `power` (see `Coordinate`).

    growing: at infinity, where C is 1/phi;  alternating: c < 0 and k odd, so that orbits change sides.
    """

    dynamics: Dynamics
    power: int
    growing: bool = False
    alternating: bool = False
    boettcher: BoettcherFlow | None = field(default=None, compare=False)

    kind = "superattracting"
    evidence = "boettcher"
    unproved = "there is no theorem yet about orbits that reach a fixed point faster than exponentially"

    def steps(self, law) -> tuple[Step, ...]:
        found = {"boettcher": self.boettcher.function, "power": Integer(self.power)}
        return (Step("coordinate", found),)

    def limit(self, expansion: Expansion, name: str) -> Expr:
        """The limit; an error when the leading term changes sign for ever."""
        order = expansion.leading[0].order
        if self.alternating and order < 0 and order % 2:
            raise UnsupportedError(f"{name} changes sign for ever and has no limit")
        return limit_of(expansion)

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways; a relative error of x_n is k^n times that of log C."""
        lost = 0 if depth is None else int((depth - self.dynamics.first) * mp.log10(self.power)) + 1
        if lost > MOST_EXPONENT:
            raise PrecisionError(
                f"the exponent of the number at depth = {depth} has about {lost} digits itself, more than "
                f"{MOST_EXPONENT}; ask for a smaller depth, or take C^({self.power}^n) from connection_constant"
            )
        return two_routes(LAST, digits + max(0, lost))

    def crossing(self, start: Expr, route: Route) -> Reached:
        """Where the orbit comes so near that V has its digits."""
        return reached(self, start, route)

    def crossing_before(self, start: Expr, depth: int, route: Route) -> Reached:
        return reached(self, start, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: Reached) -> tuple:
        """The state at a layer before the crossing, by the original recursion."""
        with mp.workdps(self.carried(route)):
            state = initial(self.dynamics, start)
            for _ in layers_to(self.dynamics, depth):
                state = self.dynamics.step(state)
            return state

    def numeric(self, last: int, digits: int) -> NumericBoettcher:
        """The series up to t^last at `digits` decimal digits."""
        return numeric_boettcher(self.dynamics, self.power, last, digits)

    def carried(self, route: Route) -> int:
        """Digits with which the original recursion is iterated: a step from y costs those of y^(k-1)."""
        edge = self.numeric(route.last, route.digits).radius
        return route.digits + 2 * GUARD + int(-self.power * self.dynamics.root * mp.log10(edge))


@lru_cache(maxsize=256)
def reached(coordinate: Boettcher, start: Expr, route: Route) -> Reached:
    """Iterate from `start` until the series has its digits; from above where k is even."""
    dynamics, numeric = coordinate.dynamics, coordinate.numeric(route.last, route.digits)
    edge, odd = numeric.radius**dynamics.root / route.deeper, coordinate.power % 2
    with mp.workdps(coordinate.carried(route)):
        state, layer = initial(dynamics, start), dynamics.first
        watch = Watch(LARGEST * (1 + abs(state[0])), 0, MOST_STEPS)
        while not 0 < (abs(state[0]) if odd else state[0]) <= edge:
            state, layer = watch.step(dynamics, state), layer + 1
        sign = -1 if state[0] < 0 else 1
        if sign < 0 and dynamics.is_one_sided:
            raise InputError("the orbit of this start comes in from the other side, where the map is another function")
        unit = numeric.unit(sign * dynamics.uniformiser(abs(state[0])))
        size = mp.log(numeric.scale) + dynamics.root * mp.log(abs(unit))
        return Reached(coordinate, numeric, route.digits, layer, sign, size)


@lru_cache(maxsize=64)
def numeric_boettcher(dynamics: Dynamics, k: int, last: int, digits: int) -> NumericBoettcher:
    """V up to t^last, and where it has its digits: cut down to where the map is seen to be analytic."""
    with mp.workdps(digits + GUARD):
        exact, root = dynamics.ratio(last + 1), dynamics.root
        ratio = [to_mpf(c) for c in exact]
        unit = power([c / ratio[0] for c in ratio], mpmath.mpf(1) / root, last + 1)
        lead = ratio[0] if root == 1 else mp.root(ratio[0], root)
        series = solve_boettcher(unit, lead, k)
        radius = radius_of_convergent(series, digits)
        for formula in (dynamics.formula, dynamics.beyond):
            if formula is not None:
                radius = Disc(formula, root * k, exact[0]).accuracy_radius(last + 1, digits, radius)
        return NumericBoettcher(series, mp.root(abs(ratio[0]), k - 1), radius)
