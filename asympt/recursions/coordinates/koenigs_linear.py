"""Linear recursions along a hyperbolic flow: a' = lambda(t) a + b(t) while t' = mu t (1 + e(t)).

With lambda_0 = lambda(0), h = 1 + h_1 t + ... that solves h(t') lambda_0 = lambda(t) h(t) (`koenigs`, pivots mu^k - 1)
and a power series P (pivots mu^k - lambda_0), a_n = P(t_n) + D lambda_0^n h(t_n).  If lambda_0 = mu^k (resonance), H(t)
= U(t)^k h(t) and P = p(t) + r H(t) log|U|/log|mu|: a factor n; p has no term t^k, which normalises D.  lambda_0 = 0 is
refused; a symbolic lambda_0 that is not a power of mu is taken as generic.
Superattracting points, where mu is 0, follow at the end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil

import mpmath
from mpmath import mp
from sympy import Abs, Expr, Integer, Rational, S, Symbol, log, oo, sign, simplify

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.formulas.algebra import exponential
from asympt.expansions.scale import Exponential
from asympt.expansions.series import dot, logarithm, power, product
from asympt.numbers import to_mpf
from asympt.parsing import as_sympy
from asympt.recursions.agreement import EXTRA, GUARD, Route, inverted, radius_of_convergent, summed, two_routes
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, LinearSolution
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.koenigs import (
    ExactFlow,
    GeometricFlow,
    KoenigsFunction,
    composed,
    condition_of,
    distance,
    enough,
    in_t,
    inverse_powers,
    is_negative,
    ratio_in_t,
    solve_along,
    solve_koenigs,
    without_remainder_if_exact,
    written,
)
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.orbits import Disc, Geometric, MatchingLayer, SeriesCoordinate, within
from asympt.recursions.protocol import Dynamics, Step, limit_of

DIGITS = 60
SAME = Rational(1, 10**40)
MOST_POWER = 100


def solve_linear(
    flow: GeometricFlow, koenigs: Sequence, slope: Sequence, source: Sequence, free: int | None = None
) -> tuple:
    """(p, r, h) over any field; `free` is k when lambda_0 = mu^k."""
    zero = flow.one * 0
    h = solve_along(flow, [c / slope[0] for c in slope], [], free=0, seed=flow.one)[0]
    if free is None:
        return solve_along(flow, slope, source)[0], zero, h
    free_part = _free_part(koenigs, h, free, flow)
    p, resonance = solve_along(flow, slope, source, free=free, seed=zero, free_part=free_part)
    return p, resonance, h


def _free_part(koenigs: Sequence, h: Sequence, k: int, flow: GeometricFlow) -> list:
    """H = U^k h."""
    size = flow.size - k
    return [flow.one * 0] * k + product(power(koenigs, flow.one * k, size), h, size)


# ---- resonance ------------------------------------------------------------------------------------


def resonance(slope: Expr, chi: Expr, root: int) -> tuple[int, int] | None:
    """(k, s) when lambda_0 = s mu^k with s = 1 or -1 and k whole, None when |lambda_0| is no such power.

    >>> resonance(Rational(1, 8), Rational(1, 4), 2), resonance(Rational(-1), Rational(1, 4), 2)
    ((3, 1), (0, -1))
    >>> resonance(Rational(1, 3), Rational(1, 4), 2)
    """
    slope, chi = as_sympy(slope), as_sympy(chi)
    if slope.is_zero or simplify(slope) == 0:
        raise UnsupportedError(
            "lambda is 0 at the fixed point, so the part of the solution that remembers its start decays faster than "
            "any exponential; such a law is not derived"
        )
    mu, values = chi ** Rational(1, root), _generic(slope.free_symbols | chi.free_symbols)
    there, rate = (e.subs(values).evalf(DIGITS) for e in (slope, mu))
    over, under = (log(Abs(e.subs(values))).evalf(DIGITS) for e in (slope, mu))  # of exact numbers: both may be near 1
    exponent = over / under
    k = int(mpmath.nint(mpmath.mpf(exponent)))
    if abs(exponent - k) > SAME:
        return None
    sign = 1 if there * rate**k > 0 else -1
    if abs(k) > MOST_POWER:
        raise UnsupportedError(
            f"lambda at the fixed point, {slope}, has the size of ({mu})^({k}), and only powers up to {MOST_POWER} are "
            "solved; take a lambda closer to 1 in size"
        )
    difference = simplify(slope - sign * mu**k)
    if difference.is_zero is not None:
        return (k, sign) if difference.is_zero else None
    raise UnsupportedError(
        f"lambda at the fixed point, {slope}, agrees with {'-' if sign < 0 else ''}({mu})^({k}) to 40 digits, but "
        "whether they are equal cannot be decided; write both with the same constants"
    )


def _generic(symbols) -> dict:
    return {s: Rational(1009 + 211 * i, 2003 + 97 * i) for i, s in enumerate(sorted(symbols, key=str))}


# ---- exact ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ExactLinear:
    """p, r and h over an exact field, with the flow; `power` is (k, s) as `resonance` has it."""

    exact: ExactFlow
    slope: Expr
    power: tuple[int, int] | None
    p: list
    r: object
    h: list
    free_part: list = field(default_factory=list)

    @classmethod
    def of(cls, dynamics: Dynamics, orders: int) -> "ExactLinear":
        """From the exact series of a recursion with a linear part."""
        linear, free = dynamics.linear, free_index(dynamics)
        orders += free or 0
        slope, source = (in_t(dynamics, part(orders + 1)) for part in (linear.multiplier, linear.forcing))
        exact = ExactFlow.of(ratio_in_t(dynamics, orders), dynamics.root, [*slope, *source])
        lead, slope, source = as_sympy(slope[0]), exact.field.enter(slope), exact.field.enter(source)
        p, r, h = solve_linear(exact.flow, exact.koenigs, slope, source, free)
        free_part = _free_part(exact.koenigs, h, free, exact.flow) if free is not None else []
        return cls(exact, lead, resonant_power(dynamics), p, r, h, free_part)

    @property
    def resonant(self) -> bool:
        """Whether H is a power series in t."""
        return bool(self.free_part)

    def law(self, depth: Symbol) -> Expansion:
        """a_n to all the orders known: p + (D + r n + r log|C|/log|chi|) H, or P + D lambda_0^n h."""
        exact, r = self.exact, self.exact.leave(self.r)
        whole = Rational(exact.flow.size, exact.root)
        if self.resonant:
            constant = CONNECTION if exact.root > 1 else Abs(CONNECTION)  # where half powers occur, C is positive
            second = SECOND + r * log(constant) / log_size(exact.chi)
            scale, rest = Exponential(depth, base=exact.chi), Monomial(whole, 1 if r != 0 else 0)
            free = [(self.free_part, Integer(0), 0, second), (self.free_part, Integer(0), 1, r)]
        else:
            scale, order, sign = _scale_of(self, depth)
            rest, free = max(Monomial(whole), Monomial(order + whole)), [(self.h, order, 0, SECOND * sign)]
        terms, rows = {}, inverse_powers(exact.flow)
        for values, order, logs, factor in [(self.p, Integer(0), 0, Integer(1)), *free]:
            for n, element in composed(rows, dict(enumerate(values))).items():
                if element and (value := exact.leave(element) * factor) != 0:
                    share = Rational(n, exact.root)
                    monomial = Monomial(share + order, logs)
                    terms[monomial] = terms.get(monomial, Integer(0)) + value * CONNECTION**share
        return written(scale, terms, Formal(rest))


def linear_expansion(dynamics: Dynamics, terms: int, depth: Symbol) -> tuple[ExactLinear, Expansion]:
    """The solution, and the law of a_n with `terms` terms and the next one as its remainder."""

    def attempt(orders: int):
        solved = ExactLinear.of(dynamics, orders)
        return solved, solved.law(depth)

    return enough(attempt, terms, terms + dynamics.root + 2)


def _scale_of(solved: ExactLinear, depth: Symbol) -> tuple[Exponential, Expr, Expr]:
    """(scale, o, s): lambda_0^n = s z^o, a power of chi^n but for its sign, or one of an order of its own."""
    chi, root = solved.exact.chi, solved.exact.root
    if solved.power is not None:
        k, sign = solved.power
        return Exponential(depth, base=chi), Rational(k, root), Integer(sign) ** depth
    if solved.slope.free_symbols | chi.free_symbols:
        raise UnsupportedError(
            f"the sizes of ({solved.slope})^n and ({chi})^n cannot be compared for symbols; give numbers"
        )
    scale = Exponential(depth, base=chi, second=solved.slope)
    return scale, scale.weight, Integer(1)


def log_size(chi: Expr) -> Expr:
    if chi.is_number:
        return log(-chi if is_negative(chi) else chi)
    return log(chi) if chi.is_positive else log(Abs(chi))


def hyperbolic_solution(solved: ExactLinear) -> LinearSolution:
    """P and H, or h, exactly."""
    homogeneous = _expansion(solved.exact, solved.free_part or solved.h)
    return LinearSolution(
        _particular(solved), homogeneous, solved.exact.root, multiplier=solved.slope, runs_alone=solved.resonant
    )


def _expansion(exact: ExactFlow, values: Sequence) -> Expansion:
    terms = {Monomial(k): exact.leave(value) for k, value in enumerate(values) if value}
    return written(AT_FIXED_POINT, terms, Formal(Monomial(len(values))))


def _particular(solved: ExactLinear) -> Expansion:
    """p + r H (log t + log(U/t))/log|mu|, r the weight of n H(t_n) in a_n."""
    exact, r = solved.exact, solved.exact.leave(solved.r)
    if r == 0:
        return _expansion(exact, solved.p)
    size, log_mu = exact.flow.size - 1, log_size(exact.chi) / exact.root
    mixed = product(solved.free_part, logarithm(exact.koenigs, size), size)
    terms = {
        Monomial(k): exact.leave(p) + exact.leave(m) * r / log_mu
        for k, (p, m) in enumerate(zip(solved.p[:size], mixed, strict=True))
    }
    for k, value in enumerate(solved.free_part[:size]):
        terms[Monomial(k, 1)] = exact.leave(value) * r / log_mu
    return written(AT_FIXED_POINT, terms, Formal(Monomial(size, 1)))


# ---- in numbers ----------------------------------------------------------------------------------


SPARE = 5  # digits
DEEP = 40  # digits by which the layers beyond the radius bring an orbit closer at most
SLOW = mpmath.mpf(1) / 10  # |log mu| below which the series is made longer


@dataclass(frozen=True, eq=False)
class NumericKoenigs:
    """U/t, and with a linear part p, r and h, as truncated series in t (see `SeriesCoordinate`).

    free: k when lambda_0 = mu^k and so H = U^k h;  the weight at layer l is (a_l - p(t_l))/h(t_l).
    """

    dynamics: Dynamics
    koenigs: Sequence
    accuracy_radius: object
    free: int | None = None
    particular_series: Sequence = ()
    resonance: object = 0
    homogeneous_series: Sequence = ()

    forgets = False

    def enter(self, y):
        """t = y^(1/root)."""
        return self.dynamics.uniformiser(y)

    def leave(self, t):
        """y = t^root."""
        return t**self.dynamics.root

    def position(self, t):
        return t * summed(self.koenigs, t)

    def derivative(self, t):
        return summed([(k + 1) * u for k, u in enumerate(self.koenigs)], t)

    def solve(self, target):
        """t with U(t) = target, from t = target."""
        return inverted(self.position, self.derivative, target, target, "U")

    def advance(self, position, steps: int):
        """mu^steps U."""
        return position * grown(mu, self.dynamics, steps)

    def particular(self, t):
        return summed(self.particular_series, t)

    def homogeneous(self, t):
        return summed(self.homogeneous_series, t)

    def weight_after(self, weight, position, steps: int):
        """lambda_0^steps (weight + r U^k steps)."""
        if self.free is not None:
            weight = weight + self.resonance * position**self.free * steps
        return grown(slope, self.dynamics, steps) * weight

    def constants(self, layer: int, position, weight) -> tuple:
        """C = U^root/chi^l, and D: weight/lambda_0^l, or with P = p + r H log|U|/log|mu| what is left over U^k."""
        constant = position**self.dynamics.root / grown(mu, self.dynamics, layer * self.dynamics.root)
        if self.dynamics.linear is None:
            return constant, None
        if self.free is None:
            return constant, weight / grown(slope, self.dynamics, layer)
        passed = -mp.log(abs(position)) / speed(self.dynamics)
        return constant, weight / position**self.free - self.resonance * passed

    # ---- the way to the matching layer

    def edge(self, start, route) -> tuple:
        """Up to which |t| a route iterates, and how many layers more: few where one brings many digits."""
        if not route.later:
            return self.accuracy_radius, 0
        edge = min(self.accuracy_radius, abs(self.enter(abs(start)))) / route.deeper
        return edge, max(1, min(route.later, int(DEEP * mp.log(10) / (self.dynamics.root * speed(self.dynamics)))))

    def layers_between(self, t, edge, route):
        """About how many layers lead from |t| to the edge, from within the circle of convergence."""
        return mp.log(min(abs(t), self.circle(edge, route)) / edge) / speed(self.dynamics)

    def circle(self, edge, route):
        """The radius of convergence, if `edge` is where a route crosses."""
        return edge * mpmath.mpf(10) ** (mpmath.mpf(route.digits) / route.last)

    def digits_lost(self, edge, later: int) -> int:
        """Digits that a distance at the matching layer loses when the map is evaluated as G(x* + y) - x*."""
        chi = abs(to_mpf(multiplier(self.dynamics)))
        below = -self.dynamics.root * mp.log10(edge) - (later + 1) * mp.log10(chi) - mp.log10(1 - chi)
        return int(max(0, below)) + SPARE


@dataclass(frozen=True)
class Koenigs(SeriesCoordinate):
    """The Koenigs coordinate of a hyperbolic recursion, at any precision (see `Coordinate`)."""

    dynamics: Dynamics
    koenigs: KoenigsFunction | None = field(default=None, compare=False)

    kind = "hyperbolic"
    remedy = "one may be 0; otherwise ask for fewer digits"
    orbit = Geometric()

    @lru_cache(maxsize=64)  # noqa: B019 - few, and they live as long as the process
    def numeric(self, last: int, digits: int) -> NumericKoenigs:
        """The series up to t^last at `digits` decimal digits."""
        dynamics = self.dynamics
        free = free_index(dynamics) if dynamics.linear is not None else None
        size = last + (free or 0)
        with mp.workdps(digits + GUARD):
            ratio = [to_mpf(c) for c in ratio_in_t(dynamics, size)]
            unit = power([c / ratio[0] for c in ratio], mpmath.mpf(1) / dynamics.root, size)
            flow = GeometricFlow.of(unit, mu(dynamics))
            koenigs = solve_koenigs(flow)
            if dynamics.linear is None:
                radius = radius_of_convergent(koenigs, digits)
                return NumericKoenigs(dynamics, koenigs, within(dynamics, last, digits, radius))
            multipliers = [to_mpf(c) for c in in_t(dynamics, dynamics.linear.multiplier(size + 1))]
            source = [to_mpf(c) for c in in_t(dynamics, dynamics.linear.forcing(size + 1))]
            p, r, h = solve_linear(flow, koenigs, multipliers, source, free)
            radius = min(radius_of_convergent(series, digits) for series in (koenigs, p, h))
            return NumericKoenigs(dynamics, koenigs, within(dynamics, last, digits, radius), free, p, r, h)

    def flow(self, depth: Symbol, law: Expansion) -> Expansion:
        """y_l in powers of C chi^l, no further than S is known."""
        root, known = self.dynamics.root, int(self.koenigs.expansion.remainder.monomial.order)
        needed = ceil(law.remainder.monomial.order + 1) * root
        return distance(ExactFlow.of(ratio_in_t(self.dynamics, min(needed, known - root)), root), depth)

    def series_length(self, digits: int) -> int:
        """How many orders to use: more for a slow map, whose steps are many.

        Solving costs the cube of the length, once; iterating to the matching layer costs 1/|log mu| for every start.
        """
        with mp.workdps(20):
            slowness = mp.log10(SLOW / speed(self.dynamics))
        return int((mpmath.mpf(3) / 5 * digits + 8) * (1 + min(mpmath.mpf(1), max(mpmath.mpf(0), slowness))))

    @property
    def condition(self) -> Expr:
        """What the parameters must fulfil for the law to hold (0 < |chi| < 1); true when there is nothing to assume."""
        return condition_of(multiplier(self.dynamics), self.dynamics.root)

    def parameters(self, linear) -> set:
        """The symbols in the map, where it is a formula, and else those in the series."""
        found = self.dynamics.parameters | multiplier(self.dynamics).free_symbols
        known = [] if self.dynamics.formula is not None else [self.koenigs.expansion]
        known += [linear.particular, linear.homogeneous] if linear else []
        return found.union(*(c.free_symbols for expansion in known for _, c in expansion.terms))

    def limit(self, expansion: Expansion, name: str) -> Expr:
        """The limit; an error when the leading term changes sign for ever."""
        monomial, coefficient = expansion.leading
        if monomial.order > 0:
            return Integer(0)
        if _alternates(expansion.scale, monomial, coefficient):
            raise UnsupportedError(f"{name} changes sign for ever and has no limit")
        return coefficient if monomial.order == 0 and not monomial.logs else sign(coefficient) * oo

    def crossing_before(self, start: Expr, depth: int, route: Route) -> MatchingLayer | None:
        """The matching layer; None for a start at rest, where only a moves."""
        return None if self._rests(start) else super().crossing_before(start, depth, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: MatchingLayer | None) -> tuple:
        """The state at a layer that is not beyond the matching layer, or from a start at rest."""
        if self._rests(start):
            with mp.workdps(route.digits + GUARD):
                a = self.dynamics.linear.start(mpmath.mpf(0))
                return mpmath.mpf(0), at_rest(self.dynamics, a, depth - self.dynamics.first)
        return super().to_layer(start, depth, route, crossing)

    def _rests(self, start: Expr) -> bool:
        return start == 0 and self.dynamics.linear is not None


def _alternates(scale: Scale, monomial: Monomial, coefficient: Expr) -> bool:
    n = scale.depth
    if coefficient.has(n):
        return True
    first, second = (scale.to_sympy(monomial).subs(n, step) for step in (1, 2))
    return bool((first * second).is_negative)


def at_rest(dynamics: Dynamics, a, steps: int):
    """a so many steps on at x = 0: lambda and b are constant, so a - b/(1 - lambda) is multiplied by lambda."""
    push = to_mpf(dynamics.linear.forcing(1)[0])
    if dynamics.linear.multiplier(1)[0] == 1:
        return a + steps * push
    fixed = push / (1 - slope(dynamics))
    return fixed + grown(slope, dynamics, steps) * (a - fixed)


@lru_cache(maxsize=256)
def multiplier(dynamics: Dynamics) -> Expr:
    """chi, exact."""
    return ratio_in_t(dynamics, 1)[0]


@lru_cache(maxsize=256)
def resonant_power(dynamics: Dynamics) -> tuple[int, int] | None:
    """(k, s) of lambda_0 = s mu^k, as `resonance` has it."""
    return resonance(dynamics.linear.multiplier(1)[0], multiplier(dynamics), dynamics.root)


def free_index(dynamics: Dynamics) -> int | None:
    """k when lambda_0 = mu^k, k >= 0."""
    found = resonant_power(dynamics)
    return found[0] if found and found[0] >= 0 and found[1] > 0 else None


def mu(dynamics: Dynamics):
    """mu = chi^(1/root) at mpmath's precision."""
    return dynamics.uniformiser(to_mpf(multiplier(dynamics)))


def speed(dynamics: Dynamics):
    """-log|mu| at mpmath's precision, however near to 1 mu is."""
    return -mp.log1p(to_mpf(Abs(multiplier(dynamics)) - 1)) / dynamics.root


def slope(dynamics: Dynamics):
    """lambda_0 at mpmath's precision."""
    return to_mpf(dynamics.linear.multiplier(1)[0])


def grown(base: Callable, dynamics: Dynamics, steps: int):
    """base(dynamics)^steps to mpmath's precision, however large `steps` is."""
    with mp.workdps(mp.dps + len(str(abs(steps))) + SPARE):
        value = base(dynamics) ** steps
    return +value


# ---- superattracting points: the Boettcher function, the coordinate in which one step is a power --------
#
# y' = c y^k (1 + ...), k = 2, 3, ...: find phi = b y (1 + ...), b = |c|^(1/(k-1)), with phi(y') = +-phi(y)^k.  With y =
# t^r and t' = g t^k (1 + e(t)), phi = b U(t)^r, U = t exp V(t),
#
#     k V(t) = log(1 + e(t)) + V(t'),
#
# which is triangular: V(t') starts where t^k does.  So phi(y_n) = C^(k^n), C = phi(y_0); at infinity C is 1/phi(y_0),
# so that |C| > 1 and x_n grows like C^(k^n).  For odd k and c < 0 orbits change sides: phi(y_n) = (-1)^n C^(k^n).


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
        """The activation phi."""
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
