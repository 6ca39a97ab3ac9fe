"""The flow time as a coordinate in numbers: x_L at any depth, and the connection constant.

C is the constant term of T(x_l) - clock(l + beta):

    kappa = 1:  the two differ by O(1/l), so go to l = 10^digits;
    kappa < 1:  y = clock + C + c_1(C) v^(-p_1) + ... is known formally (`inversion`): go to where its remainder is
                negligible and solve for C.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from math import ceil, log10

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Rational, Symbol, bernoulli, factorial, ff, log, simplify

from asympt.compiling import as_function
from asympt.errors import PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import exponential
from asympt.numbers import to_mpf
from asympt.recursions.agreement import DEEPER, Route
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, LinearSolution
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.flow_time.continuation import Continuation, Point, working_digits
from asympt.recursions.coordinates.flow_time.drift import (
    Drift,
    flow_time,
    inverse_series,
    layer_terms,
    smooth_up_to,
    time_at,
)
from asympt.recursions.coordinates.flow_time.step_sizes import DrivenDynamics, Steps, TooEarly
from asympt.recursions.orbits import require_after_start
from asympt.recursions.protocol import Coordinate, T
from asympt.symbols import Reserved

# ---- from the flow time to the law of a driven recursion -----------------------------------------
#
# kappa = 1, p > 1:  T(x_l) = a log l + C + O(1/l): invert T on the scale of log l.  Otherwise, with v = l + beta,
#
#     y(v) = T(x) = C + S[sum_(n>=1) delta(v+1)^n D_n(x(v))/n!],     S[e](v+1) - S[e](v) = e(v),
#
# S by Euler and Maclaurin, no constant.  Start from y = clock + C and repeat: x = T^(-1)(y), then y from x; each round
# gains a factor 1/v.  For p = 1 T^(-1) is an exponential; with kappa < 1 it decays like exp(-c l^(1 - kappa)): refused.


_V = Reserved("v", positive=True)
_Y = Reserved("Y", positive=True)
AT_DEPTH = Scale.at_infinity(_V)
MOST_ROUNDS = 60


def driven_expansion(drift: Drift, steps: Steps, depth: Symbol, terms: int) -> Expansion:
    """x_l with exactly `terms` terms and the next one as its remainder."""
    for law in _refined(drift, steps, depth):
        if len(law.terms) > terms:
            return law.truncate(terms)
    raise UnsupportedError(f"{terms} terms of the law were not reached; ask for fewer")


def _refined(drift: Drift, steps: Steps, depth: Symbol) -> Iterator[Expansion]:
    """The law with more and more terms."""
    if steps.harmonic and drift.excess:
        yield from (logarithmic(drift, steps, depth, order) for order in range(1, MOST_ROUNDS))
        return
    _require_powers(drift, steps)
    shift = Expansion.variable(Scale.at_infinity(depth)) + steps.shift
    for k in range(1, MOST_ROUNDS):
        x = uniformiser(drift, steps, time_at_depth(drift, steps, k * _unit(drift, steps))).power(drift.root)
        yield x.compose(shift)


def logarithmic(drift: Drift, steps: Steps, depth: Symbol, order: int) -> Expansion:
    """kappa = 1, p > 1: x_l on the scale of log l, from T up to t^(order - 1)."""
    time = Expansion.variable(Scale.at_infinity(log(depth))) * steps.weight + CONNECTION
    return flow_time(drift, order).revert(Scale.at_infinity(_Y)).compose(time).power(drift.root)


def kernel_at_depth(drift: Drift, solution: LinearSolution, clock: Expansion, order: int) -> Expansion:
    """P + D h of the solution at large depth, from T, P and h up to t^order; clock: that of the steps, in the depth."""
    t = flow_time(drift, order).revert(Scale.at_infinity(_Y)).compose(clock + CONNECTION)
    return solution.particular.compose(t) + solution.homogeneous.compose(t) * SECOND


def over_norm(kernel: Expansion, norm: Expansion) -> Expansion:
    """A kernel over what it is measured in, which grows like the clock."""
    return kernel * norm.power(-1, Monomial(kernel.remainder.monomial.order - 2 * norm.leading[0].order))


def time_at_depth(drift: Drift, steps: Steps, precision: Rational) -> Expansion:
    """y(v) = T(x), up to O(v^(-precision))."""
    cut = Monomial(precision)
    known = Monomial(min(precision, steps.exponent))
    time = clock_at_depth(steps, known.order) + CONNECTION + Expansion.build(AT_DEPTH, {}, Formal(known))
    if precision <= steps.exponent:
        return time
    gains = _layer_gains(drift, steps, precision)
    while True:
        t = uniformiser(drift, steps, time)
        growth = sum((step * gain.compose(t) for step, gain in gains), Expansion.build(AT_DEPTH, {}))
        following = (antidifference(growth) + CONNECTION).up_to(cut)
        if following == time:
            return time
        time = following


def uniformiser(drift: Drift, steps: Steps, time: Expansion) -> Expansion:
    """t(v) from y(v), with as many orders of T as the remainder of y is worth."""
    order = max(1, ceil(time.remainder.monomial.order / decay(drift, steps)))
    if drift.excess:
        return flow_time(drift, order).revert(Scale.at_infinity(_Y)).compose(time)
    rate = -drift.lead / drift.root  # p = 1: exp(rate T) is t(1 + ...), and a power of v at the depth
    return exponential(flow_time(drift, order) * rate).revert(Scale.at_zero(_Y)).compose(exponential(time * rate))


def _layer_gains(drift: Drift, steps: Steps, precision) -> list[tuple[Expansion, Expansion]]:
    """Pairs delta(v+1)^n, D_n/n!, that count in y at v^(-precision); D_n is of the size v^(-m decay (n-1))."""
    kappa, fall, last = steps.exponent, decay(drift, steps), precision + 1
    most = next(n for n in count(1) if kappa * n + drift.excess * fall * (n - 1) >= last)
    orders = [max(1, ceil((last - kappa * n) / fall)) for n in range(1, most)]
    following, pairs = Expansion.variable(AT_DEPTH) + 1, []
    for n, gain in enumerate(layer_terms(drift, orders), start=1):
        step = _size(steps, following, n, last)
        pairs.append((step, gain if n > 1 else Expansion.constant(AT_FIXED_POINT, 1)))
    return pairs


def _size(steps: Steps, following: Expansion, n: int, last) -> Expansion:
    """delta(v + 1)^n up to O(v^(-last))."""
    (lead, weight), *later = steps.powers(last)
    if not later:
        return following.power(-lead * n, Monomial(last)) * weight**n
    whole = sum((following.power(-p, Monomial(last)) * c for p, c in later),
                following.power(-lead, Monomial(last)) * weight)
    return whole.power(n).up_to(Monomial(last))


def decay(drift: Drift, steps: Steps) -> Expr:
    """t falls like v^(-decay), where it falls like a power."""
    if drift.excess:
        return (1 - steps.exponent) / drift.excess
    return drift.lead * steps.weight / drift.root


def _unit(drift: Drift, steps: Steps) -> Expr:
    return min(decay(drift, steps), Integer(1))


def clock_at_depth(steps: Steps, precision=0) -> Expansion:
    """The clock of the step sizes, with which y starts, up to O(v^(-precision))."""
    known = Expansion.build(AT_DEPTH, {(p, 0): c for p, c in steps.powers(precision + 1)})
    return integral(known.without_remainder())


def clock_to_constant(steps: Steps, depth: Symbol) -> Expansion:
    """The clock in the depth, up to what tends to 0."""
    if steps.harmonic:
        return Expansion.variable(Scale.at_infinity(log(depth))) * steps.weight
    kappa = steps.exponent
    known = clock_at_depth(steps, kappa) + Expansion.build(AT_DEPTH, {}, Formal(Monomial(kappa)))
    return known.compose(Expansion.variable(Scale.at_infinity(depth)))


def _require_powers(drift: Drift, steps: Steps) -> None:
    if drift.excess:
        return
    if not steps.harmonic:
        raise UnsupportedError(
            f"h starts with a multiple of x and the steps are of the size l^(-{steps.exponent}), so x decays faster "
            "than every power of l; such a law is not derived, but evaluate gives its numbers"
        )
    if not decay(drift, steps).is_Rational:
        raise UnsupportedError(
            f"x_l decays like l^(-{decay(drift, steps) * drift.root}); the terms of the law can be ordered only when "
            "this power is a fraction"
        )


def antidifference(growth: Expansion) -> Expansion:
    """S with S(v+1) - S(v) = growth(v) and no constant term of its own.

    >>> print(antidifference(Expansion.build(AT_DEPTH, {(1, 0): 1}, Formal(Monomial(4)))))
    log(v) - 1/(2*v) - 1/(12*v^2) + O(1/v^3)
    """
    total, derivative = integral(growth) - growth * Rational(1, 2), differentiated(growth)
    for k in count(2, 2):
        if not derivative.up_to(total.remainder.monomial).terms:
            return total
        total = total + derivative * (bernoulli(k) / factorial(k))
        derivative = differentiated(differentiated(derivative))


def differentiated(expansion: Expansion) -> Expansion:
    """d/dv, term by term."""
    terms: dict = {}
    for monomial, c in expansion.terms:
        p, j = monomial.order, monomial.logs
        for key, weight in (((p + 1, j), -p), ((p + 1, j - 1), j)):
            if weight:
                terms[key] = terms.get(key, 0) + weight * c
    rest = expansion.remainder.monomial
    return Expansion.build(AT_DEPTH, terms, Formal(Monomial(rest.order + 1, rest.logs)))


def integral(expansion: Expansion) -> Expansion:
    """The integral over v, term by term, without a constant."""
    terms: dict = {}
    for monomial, c in expansion.terms:
        for key, weight in _integral(monomial.order, monomial.logs):
            terms[key] = terms.get(key, 0) + weight * c
    rest = expansion.remainder
    left = rest and Formal(Monomial(rest.monomial.order - 1, rest.monomial.logs))
    return Expansion.build(AT_DEPTH, terms, left)


def _integral(p: Expr, j: int) -> list:
    """Integral of v^(-p) log(v)^j as pairs (key, weight)."""
    if p == 1:
        return [((Integer(0), j + 1), Rational(1, j + 1))]
    return [((p - 1, j - i), (-1) ** i * ff(j, i) / (1 - p) ** (i + 1)) for i in range(j + 1)]


FEWEST = 300  # layers before the matching layer
APART = 7  # digits of the second route beyond those of the first
SLACK, ROUNDING = 1.2, mpmath.mpf(10) ** -9
MOST_DIGITS = 600
TERMS = 4  # powers of t beyond the first correction, v^(-kappa), in the formal flow time from which C is solved
FAST = Rational(3, 4)  # for kappa from here on the correction itself is negligible soon enough


@dataclass(frozen=True)
class FlowFormulas:
    """What a proof asks of a recursion with falling steps, as formulas.

    plain: h, h' and, for a linear recursion k' = (1 - delta h') k + delta o along it, o, in `variable`;
    drift, source: h and o in the uniformiser T;  sizes: {layer: step size} where it is another one;
    start: k of the start as a function of x;  norm: (b, s'), k is divided by b psi(l + 1 + shift) + s'.
    """

    variable: Symbol
    plain: tuple
    drift: Expr
    source: Expr | None = None
    sizes: Mapping[int, Expr] = field(default_factory=dict)
    start: Callable | None = None
    norm: tuple[Expr, Expr] | None = None


@dataclass(frozen=True)
class FlowTime(Coordinate):
    """The flow time of a recursion whose step sizes depend on the layer (see `Coordinate`)."""

    dynamics: DrivenDynamics
    time: Expansion | None = field(default=None, compare=False, kw_only=True)

    kind = "driven"
    latest = 300_000  # layer that is a matching layer
    spare = (5, 5)
    extras = (0, 15, 50)
    cancels = True
    constants_named = "two readings of C"

    @property
    def formulas(self) -> FlowFormulas | None:
        """The recursion in formulas; None where h has none."""
        drift = self.dynamics.drift
        x, h = drift.symbol, drift.formula
        return FlowFormulas(x, (h, simplify(h.diff(x)), None), h.subs(x, T**drift.root))

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways to `digits` digits."""
        lost = self._lost_to_constant(digits) if depth is None else _lost_at(self.dynamics, depth)
        return [Route(0, digits + lost), Route(0, digits + lost + APART, DEEPER)]

    def crossing(self, start: Expr, route: Route) -> "Followed":
        """The orbit from the matching layer on, all the way to where the constants are read."""
        self.dynamics.drift.require_smooth_down(start)
        self._require_smooth_in_time(start)
        return Followed(self, start, route)

    def crossing_before(self, start: Expr, depth: int, route: Route) -> "Followed":
        """The orbit from the matching layer on, as far as `depth`."""
        require_after_start(self.dynamics, depth)
        self.dynamics.drift.require_smooth_down(start)
        if depth > self.latest:
            self._require_smooth_in_time(start)
        return Followed(self, start, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: "Followed | None") -> tuple:
        """The state at a layer, by the original recursion."""
        with mp.workdps(working_digits(route.digits)):
            return self.iterate(start, depth)

    def _lost_to_constant(self, digits: int) -> int:
        """T and the clock, whose difference is C, both grow like v^(1 - kappa)."""
        order, _ = _rest_of_time(self.dynamics)
        return ceil(digits / (1 - float(1 - self.dynamics.steps.exponent) / order)) - digits

    def _require_smooth_in_time(self, start: Expr) -> None:
        """A refusal when h is not smooth up to a point that layer `latest` does not reach."""
        edge, drift = smooth_up_to(self.dynamics.drift, start), self.dynamics.drift
        with mp.workdps(15):
            if edge >= to_mpf(start) * (1 - ROUNDING):
                return
            excess = to_mpf(drift.power) - 1
            needed = edge**-excess / excess if excess and edge else mp.log(to_mpf(start) / edge) if edge else mpmath.inf
            if needed > SLACK * to_mpf(drift.lead) * self.dynamics.steps.clock(self.dynamics.shifted(self.latest)):
                raise UnsupportedError(
                    f"h = {drift.formula} is not smooth, as far as can be seen, beyond {drift.symbol} = "
                    f"{mpmath.nstr(edge, 3)}, and more than {self.latest} layers would have to be iterated to come "
                    "down there; give a smaller depth"
                )

    # ---- what may be carried along: a subclass adds it to the state

    def iterate(self, start: Expr, layer: int) -> tuple:
        """(x,) at a layer, by the original recursion."""
        return (self.dynamics.iterate(start, layer),)

    def continuation(self, start: Expr, digits: int, layer: int) -> Continuation:
        """The curve of the orbit from a layer on."""
        return Continuation(self.dynamics, start, digits, layer)

    def constants_of(self, crossing: "Followed", second: bool) -> tuple:
        """(C, None): T(x) - clock(v) far out, less what it still differs from C there."""
        order, rest = _rest_of_time(self.dynamics)
        far = self.dynamics.steps.clock(mpmath.mpf(10) ** (crossing.route.digits / mpmath.mpf(order)))
        point = crossing.asked(lambda continuation: continuation.extend(far))
        return _solved(self.lead(point), rest, point.v), None

    def lead(self, point: Point):
        """T(x) - clock(v)."""
        return time_at(self.dynamics.drift, point.x) - self.dynamics.steps.clock(point.v)


@dataclass(frozen=True)
class Followed:
    """An orbit beyond the matching layer, which moves out while the differences there are not small enough."""

    coordinate: FlowTime
    start: Expr
    route: Route

    lost = 0

    @property
    def layer(self) -> int:
        """The first matching layer to be tried."""
        near = max(FEWEST, min(self.route.digits**2, self.coordinate.latest / 4))
        return self.coordinate.dynamics.first + int(near * self.route.deeper)

    def state(self, depth: int) -> tuple:
        """The state at a later layer."""
        with mp.workdps(working_digits(self.route.digits)):
            return self.asked(lambda continuation: continuation.state_at(depth), depth)

    def constants(self, second: bool) -> tuple:
        """(C, D) as the law has them."""
        with mp.workdps(working_digits(self.route.digits)):
            return self.coordinate.constants_of(self, second)

    def asked(self, ask: Callable, depth: int | None = None, more: int = 0):
        """What `ask` finds on the continuation, at `more` digits more; the state at a depth iterated to after all."""
        layer, reason, digits = self.layer, TooEarly.reason, self.route.digits + more
        while layer <= self.coordinate.latest:
            if depth is not None and depth <= layer:
                return self.coordinate.iterate(self.start, depth)
            try:
                return ask(_continuation(self.coordinate, self.start, digits, layer, mp.prec))
            except TooEarly as early:
                layer, reason = layer * 3, early.reason
        raise PrecisionError(
            f"after {self.coordinate.latest} layers {reason} for {digits} digits; ask for fewer digits or a smaller "
            "depth"
        )


@lru_cache(maxsize=64)
def _continuation(coordinate: FlowTime, start: Expr, digits: int, layer: int, precision: int) -> Continuation:
    """One for every precision it is followed with: `more` digits may make the digits of two routes the same."""
    return coordinate.continuation(start, digits, layer)


def _lost_at(dynamics: DrivenDynamics, depth: int) -> int:
    """Digits that x = exp(-c y) needs more in y than it has itself, where y is large: p = 1 and kappa < 1."""
    if dynamics.drift.excess or dynamics.steps.harmonic:
        return 0
    lost = ceil(float(1 - dynamics.steps.exponent) * log10(depth))
    if lost > MOST_DIGITS:
        raise PrecisionError(f"x at this depth needs {lost} more digits than requested; give a smaller depth")
    return lost


@lru_cache(maxsize=64)
def _rest_of_time(dynamics: DrivenDynamics) -> tuple[float, list]:
    """(p, terms): T(x) - clock - C is the sum of terms (order, logs, coefficient as a function of C) up to v^(-p)."""
    if not dynamics.drift.excess and not dynamics.steps.harmonic:
        raise UnsupportedError(
            f"h starts with a multiple of x and the steps are of the size l^(-{dynamics.steps.exponent}), so x decays "
            "faster than every power of l and there is no connection constant of this kind"
        )
    drift, steps = dynamics.drift, dynamics.steps
    if steps.exponent >= FAST:
        return float(steps.exponent), []
    logarithm = inverse_series(drift, drift.excess + 1)[-1] != 0
    terms = TERMS // 2 if logarithm else TERMS  # with logs in it a formal series costs much more
    order = max(steps.exponent + terms * decay(drift, steps), 2 * (1 - steps.exponent))
    rest = time_at_depth(drift, steps, order) - clock_at_depth(steps, order) - CONNECTION
    return float(order), [(m.order, m.logs, as_function(CONNECTION, c, "mpmath")) for m, c in rest.terms]


def _solved(difference, rest: list, v):
    """C with C + rest(C, v) = difference."""
    found = difference
    for _ in range(200):
        sizes = [c(found) * mp.log(v) ** logs * v ** -(mpmath.mpf(int(p.p)) / int(p.q)) for p, logs, c in rest]
        previous, found = found, difference - mpmath.fsum(sizes)
        if abs(found - previous) <= abs(found) * mp.eps * 8:
            return found
    raise PrecisionError("the connection constant did not settle; ask for fewer digits")
