"""The Boettcher function of a superattracting recursion: the coordinate in which one step is a power.

y' = c y^k (1 + ...), k = 2, 3, ...: find phi = b y (1 + ...), b = |c|^(1/(k-1)), with phi(y') = +-phi(y)^k.  With y =
t^r and t' = g t^k (1 + e(t)), phi = b U(t)^r, U = t exp V(t),

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
from asympt.expansions.formulas.algebra import exponential
from asympt.expansions.series import dot, logarithm, power, product
from asympt.numbers import to_mpf
from asympt.recursions.agreement import EXTRA, GUARD, Route, inverted, radius_of_convergent, two_routes
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.coordinates.koenigs import (
    ExactFlow,
    enough,
    is_negative,
    ratio_in_t,
    without_remainder_if_exact,
    written,
)
from asympt.recursions.coordinates.koenigs_linear import NumericKoenigs
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.orbits import Disc, Geometric, MatchingLayer, SeriesCoordinate
from asympt.recursions.protocol import Dynamics, Step, limit_of

LAST = 6  # order of V in numbers: orbits come so fast that more would not pay
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


@dataclass(frozen=True, eq=False)
class BoettcherFlow:
    """The exact V of a recursion y' = c y^k (1 + ...) along its flow; `power` is k."""

    series: Sequence
    exact: ExactFlow
    power: int

    @classmethod
    def of(cls, dynamics: Dynamics, k: int, orders: int) -> "BoettcherFlow":
        exact = ExactFlow.of(ratio_in_t(dynamics, orders), dynamics.root)
        return cls(solve_boettcher(exact.flow.powers[1], exact.flow.mu, k), exact, k)

    @property
    def scale(self) -> Expr:
        """b."""
        return Abs(self.exact.chi) ** Rational(1, self.power - 1)

    @property
    def function(self) -> Expansion:
        """phi, in t."""
        root, count = self.exact.root, len(self.series)
        values = exponential([root * c for c in self.series], count)
        terms = {Monomial(root + k): self.exact.leave(c) * self.scale for k, c in enumerate(values) if c}
        return written(AT_FIXED_POINT, terms, Formal(Monomial(root + count)))

    def law(self, depth: Symbol, observable: FixedPoint | Observable) -> Expansion:
        """What `observable` sees of y_n, to all the orders known."""
        if not observable.reads_x:
            return observable.expansion(self._power(depth, observable.fixed))
        return self._power(depth, observable, observable.sign, -1 if observable.at_infinity else 1, observable.point)

    def _power(self, depth: Symbol, fixed: FixedPoint, sign: int = 1, exponent: int = 1, point=S.Zero) -> Expansion:
        """sign y^exponent (+ point), in Z; with U(t) = z, Lagrange: m [z^m] t^p = p [t^(m - p)] exp(-m V)."""
        exact, count, growing = self.exact, len(self.series), fixed.at_infinity
        scale = Tower(depth, oo if growing else S.Zero, power=Integer(self.power), alternating=is_negative(exact.chi))
        p, terms = exponent * exact.root, {Monomial(0): point} if point.is_finite and point != 0 else {}
        for m in range(p, p + count):
            k = m - p
            c = exponential([-m * c for c in self.series], k + 1)[k] * p / m if m else -p * self.series[k]
            if c:
                share = Rational(m, exact.root)
                terms[Monomial(share)] = exact.leave(c * sign) * self.scale**-share
        return written(scale, terms, Formal(Monomial(Rational(p + count, exact.root))))


def boettcher_expansion(
    dynamics: Dynamics, k: int, observable: FixedPoint | Observable, terms: int, depth: Symbol
) -> tuple[BoettcherFlow, Expansion]:
    """The flow, and the law with `terms` terms (fewer when there are no more) and the next one as its remainder."""

    def attempt(orders: int):
        flow = BoettcherFlow.of(dynamics, k, orders)
        return flow, flow.law(depth, observable)

    flow, law = enough(attempt, terms, terms + dynamics.root + 1)
    if observable.reads_x:
        sign = -1 if is_negative(flow.exact.chi) else 1
        law = without_remainder_if_exact(dynamics, dynamics.root, lambda z: sign * z**k, observable, law)
    return flow, law


# ---- in numbers ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NumericBoettcher(NumericKoenigs):
    """exp V as a truncated series: U and its inverse are read like those of Koenigs; `scale` is b."""

    coordinate: "Boettcher | None" = None
    scale: object = 1

    def enter(self, y):
        """t; where k is even, only from above: elsewhere the orbit goes on."""
        if y < 0 and self.coordinate.power % 2 == 0:
            return mp.inf
        if y < 0 and self.dynamics.is_one_sided:
            raise InputError("the orbit of this start comes in from the other side, where another map holds")
        return super().enter(y)

    def position(self, t):
        """phi."""
        return self.scale * super().position(t) ** self.dynamics.root

    def solve(self, target):
        """t with phi(t) = target."""
        z = self.dynamics.uniformiser(target / self.scale)
        return inverted(super().position, self.derivative, z, z, "U")

    def advance(self, position, steps: int):
        """phi so many steps later."""
        return self.turned(steps) * position ** (self.coordinate.power**steps)

    def turned(self, steps: int) -> int:
        return -1 if self.coordinate.alternating and steps % 2 else 1

    def constants(self, layer: int, position, weight) -> tuple:
        """(C, None)."""
        size = abs(position) ** (mpmath.mpf(1) / self.coordinate.power**layer)
        constant = mp.sign(position) * self.turned(layer) * size
        return 1 / constant if self.coordinate.growing else constant, None

    # ---- the way to the matching layer: every step is worth many

    def edge(self, start, route) -> tuple:
        return self.accuracy_radius / route.deeper, 0

    def layers_between(self, t, edge, route) -> int:
        return 0

    def digits_lost(self, edge, later: int) -> int:
        """A step from y costs the digits of y^(k-1)."""
        return int(-self.coordinate.power * self.dynamics.root * mp.log10(edge)) + GUARD


@dataclass(frozen=True)
class Boettcher(SeriesCoordinate):
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
    undrawn = "it moves like C^(k^n), which leaves every scale after a few steps; take law.latex() and law.evaluate"
    orbit = Geometric()
    extras, cancels, plain_depth = EXTRA, False, 0

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

    def crossing_before(self, start: Expr, depth: int, route: Route) -> MatchingLayer:
        return self.crossing(start, route)

    @lru_cache(maxsize=64)  # noqa: B019 - few, and they live as long as the process
    def numeric(self, last: int, digits: int) -> NumericBoettcher:
        """exp V up to t^last, and where it has its digits: cut down to where the map is seen to be analytic."""
        dynamics, root = self.dynamics, self.dynamics.root
        with mp.workdps(digits + GUARD):
            exact = dynamics.ratio(last + 1)
            ratio = [to_mpf(c) for c in exact]
            unit = power([c / ratio[0] for c in ratio], mpmath.mpf(1) / root, last + 1)
            series = exponential(solve_boettcher(unit, dynamics.uniformiser(ratio[0]), self.power), last + 1)
            radius = radius_of_convergent(series, digits)
            for formula in (dynamics.formula, dynamics.beyond):
                if formula is not None:
                    radius = Disc(formula, root * self.power, exact[0]).accuracy_radius(last + 1, digits, radius)
            scale = mp.root(abs(ratio[0]), self.power - 1)
            return NumericBoettcher(dynamics, series, radius, coordinate=self, scale=scale)
