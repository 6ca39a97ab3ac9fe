"""Weights that fall with the layer: the flow time of the branch's map, and the NTK along it.

c <- c + w_l (g(c) - c) is gamma <- gamma - w_l h(gamma) with h = gamma - (1 - g), h' = 1 - g', and w_l = a/(l + s), or
alpha/(l^kappa + alpha) (`scaled`).  The flow time T' = -1/h is that of `recursions.coordinates.flow_time`; the NTK
follows k <- (1 - w_l h') k + w_l o, so dk/dT = -h' k + o and

    k = P + D h,      P = -h int o dx/h^2,

integrated term by term, without the power with which h starts: that normalises D.  A ReLU-like phi has o = f and
h = c t^3 (1 + t^2/20 + ...), t = sqrt(gamma): T = 2/(c t) + ... is odd and has no logarithm, P = 1/(2 c t) + ..., a
quarter of T, contains h log t.  Blocks of `Adding` have no formula for R_d: their law is one of K^L/q_L.  chi <= 1
(else `Leaving`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import ceil, inf

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, acos, asin, exp, log, sqrt

from asympt.architectures.composed.form import Form, FormAtOne, FormInside
from asympt.architectures.composed.layer_steps import LayerSteps, written_psi
from asympt.architectures.law_parts import read_start
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.closed.arccosine import half_angle, lune
from asympt.gaussian.price import value_level
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, LinearSolution
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.flow_time.continuation import Continuation, Interval, Point
from asympt.recursions.coordinates.flow_time.coordinate import (
    FlowFormulas,
    FlowTime,
    Followed,
    clock_to_constant,
    decay,
    driven_expansion,
    kernel_at_depth,
    over_norm,
)
from asympt.recursions.coordinates.flow_time.drift import Drift, flow_time, grid_of, solve_in_time, tail, value
from asympt.recursions.coordinates.flow_time.step_sizes import DrivenDynamics, slopes_along
from asympt.recursions.law import Law
from asympt.recursions.protocol import FollowedLayers, Step, T
from asympt.symbols import Reserved

GAP = Reserved("gamma", positive=True)
ONE = Integer(1)
SINE, AHEAD = 2 * sqrt(2) / 3, 16  # sin theta - theta cos theta = SINE t^3 + ...; how many coefficients at once
KNOWN, NUMBERED = 8, (60, 240)  # exact coefficients of h, and those of P and h in numbers: at first, at most
CARRIED = 60, 16  # powers of t in the exact P and h of a law, for checks on its orbits; fewer of named numbers
QUOTIENT, GROWN = r"\frac{K^{L}(x,x')}{K^{L}(x,x)}", r"\frac{K^{L}(x,x')}{q_{L}}"


@lru_cache(maxsize=64)
def drift_of(form: Form) -> Drift:
    """h of a branch."""
    root, order, lead, ratio = _of_angle(form) if form.angle is not None else _of_series(form)
    lost = None if form.formulas is None else form.formulas.lost
    formula = GAP if lost is None else GAP - lost.subs({c: 1 - GAP for c in lost.free_symbols - form.parameters})
    return Drift(root, order, lead, ratio, partial(_drift, form), _in_gap(formula, GAP), GAP, known=True)


def _of_angle(form: Form) -> tuple:
    """(root, order, lead, ratio) of rho (sin theta - theta cos theta)."""
    return 2, 3, SINE * form.angle.asymmetry, lambda count: list(_angle_ratio(-(-count // AHEAD) * AHEAD)[:count])


@lru_cache(maxsize=16)
def _angle_ratio(count: int) -> tuple[Rational, ...]:
    """The same for every ReLU-like phi."""
    known = {int(m.order): c for m, c in value_level(1 / SINE, count + 3).terms}
    return tuple(known.get(k + 3, Integer(0)) for k in range(count))


def _of_series(form: Form) -> tuple:
    series = FormAtOne(form, KNOWN)
    order = series.root if not form.is_critical else next(
        k for k in range(series.root + 1, series.root + KNOWN) if series.lost(k) != 0
    )  # fmt: skip
    unit = 1 if not form.is_critical else 0

    def head(k: int) -> Expr:
        return unit * (k == series.root) - series.lost(k)

    lead = head(order)
    return series.root, order, lead, lambda count: [head(order + k) / lead if k else ONE for k in range(count)]


def _in_gap(formula: Expr, gap: Expr) -> Expr:
    """Without the differences by which a small gap would lose its digits."""
    return formula.xreplace({acos(1 - gap): 2 * asin(sqrt(gap / 2)), 1 - (1 - gap) ** 2: gap * (2 - gap)})


def _drift(form: Form, gap):
    """h; of one ReLU-like phi in every layer without the slope, which costs as much again."""
    if form.angle is not None:
        return to_mpf(form.angle.asymmetry) * lune(half_angle(gap))
    return gap - form.numbers(gap).lost


@dataclass(frozen=True, eq=False)
class OwnDynamics(DrivenDynamics):
    """gamma through layers with weights of their own; `drift` and `steps` are what these are to first order."""

    form: Form = field(kw_only=True)

    def logarithm(self, x, v) -> tuple:
        total = mpf(0)
        for form, weight in self.steps.weights(self.form, v):
            move = weight * drift_of(form)(x) / x
            total, x = total + mp.log1p(-move), x * (1 - move)
        return total, x

    def iterate(self, start: Expr, layer: int):
        return by_layers(self.form, self.steps, start, layer)[0]


@dataclass(frozen=True)
class GapFlow(FlowTime):
    """The flow time of gamma; a start of 0 stays there."""

    form: Form

    def crossing(self, start: Expr, route: Route) -> Followed:
        if start == 0:
            raise InputError("correlation = 1 stays at 1 in every layer, so it has no connection constant")
        return super().crossing(start, route)

    def crossing_before(self, start: Expr, depth: int, route: Route) -> Followed | None:
        """The orbit from the matching layer on; None where nothing moves."""
        return None if start == 0 else super().crossing_before(start, depth, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: Followed | None) -> tuple:
        return self.at_rest(depth, route) if start == 0 else super().to_layer(start, depth, route, crossing)

    def at_rest(self, depth: int, route: Route) -> tuple:
        """The state from the start 0."""
        return (mpf(0),)

    @property
    def formulas(self) -> FlowFormulas | None:
        """The recursion in formulas; None where an activation has no closed form, or several branches take turns."""
        return formulas_of(self.form, self.dynamics)


# `FlowTime` follows the smooth curve x(v) on which the orbit lies.  The pairs (x_l, k_l) lie on a curve too, whose
# derivative at a point follows from the next few layers,
#
#     dk/dv = log(1 + Delta) k = Delta k - Delta^2 k/2 + ... = A(v) k + B(v),
#
# A from k = 1 without forcing, B from k = 0: a linear differential equation in u = log x, solved at Chebyshev nodes by
# iterating the integral equation.  For kappa = 1 single layers change k by O(1/l) beside P and D h, so D is read at
# l = 10^(digits + 6), where the series of P and h at t = 0 converge fast.  Otherwise they hide it.


LOST = 6  # digits that D has less than k
SWEEPS = 400
FINEST = 4  # how many times the nodes of an interval, at most


@dataclass(frozen=True)
class KernelFlow(GapFlow):
    """The flow time of gamma, with k carried along: states are (gamma, k).

    diagonal: s_0 of K^L(x, x)/q_L = clock(L) + s_0 + small.
    """

    diagonal: Expr | None = field(default=None, compare=False, kw_only=True)

    latest = 100_000
    constants_named = "two readings of the constants"

    @property
    def formulas(self) -> FlowFormulas | None:
        """The same with o and k of the start, for chi = 1."""
        found = formulas_of(self.form, self.dynamics, kernel=True)
        if found is None or not self.form.is_critical:
            return None
        steps = self.dynamics.steps
        before, first = steps.begun(self.form)
        rate = self.form.same[1] * steps.weight
        return replace(found, start=lambda x: 1 - x, norm=(rate, before - rate * written_psi(first + steps.shift)))

    def at_rest(self, depth: int, route: Route) -> tuple:
        return mpf(0), self.dynamics.steps.diagonal_at(self.form, depth, route.digits)

    def iterate(self, start: Expr, layer: int) -> tuple:
        return by_layers(self.form, self.dynamics.steps, start, layer)

    def layer(self, state: tuple, v) -> tuple:
        """One layer of (x, k from 1 without forcing, k from 0), and what log x and the two k move by."""
        x, free, forced = state
        moves = [mpf(0)] * 3
        for form, weight in self.dynamics.steps.weights(self.form, v):
            flow = form.numbers(x)
            down = weight * drift_of(form)(x) / x
            changes = weight * (flow.slope - 1) * free, weight * (flow.own + (flow.slope - 1) * forced)
            moves = [total + one for total, one in zip(moves, (mp.log1p(-down), *changes), strict=True)]
            x, free, forced = x * (1 - down), free + changes[0], forced + changes[1]
        return (x, free, forced), tuple(moves)

    def solution(self, order: int) -> LinearSolution:
        """P and h up to t^order."""
        return solution_of(self.form, order)

    def continuation(self, start: Expr, digits: int, layer: int) -> "KernelContinuation":
        return KernelContinuation(self, start, digits, layer)

    def constants_of(self, crossing: Followed, second: bool) -> tuple:
        """(C, D), or C alone by the flow of gamma."""
        if not second:
            return GapFlow(self.dynamics, self.form).crossing(crossing.start, crossing.route).constants(False)
        self._require_second()
        far = self.dynamics.steps.clock(mpf(10) ** (crossing.route.digits + LOST))
        point, kernel = crossing.asked(lambda continuation: (continuation.extend(far), continuation.kernel), more=LOST)
        particular, homogeneous = solution_near(self.form, self.dynamics.drift.uniformiser(point.x))
        return self.lead(point), (kernel - particular) / homogeneous

    def _require_second(self) -> None:
        """An error where D is not read off: only for kappa = 1 are the layers' corrections soon negligible."""
        kappa = self.dynamics.steps.exponent
        if kappa != 1:
            raise UnsupportedError(
                f"kappa = {kappa}: the corrections to the flow by single layers, O(l^(-kappa)), hide the part D h of "
                "the NTK for kappa <= 3/4 and uncover it too slowly above that to read D off; its number is given for "
                "kappa = 1 only"
            )
        if not self.form.is_critical:
            raise UnsupportedError("off the Edge of Chaos the part D h of this NTK is hidden by the layers' own O(1/l)")


class KernelContinuation(Continuation):
    """One orbit (x, k) from layer `layer` on, to `digits` digits; extended as far as it is needed."""

    def __init__(self, flow: KernelFlow, start, digits: int, layer: int):
        super().__init__(flow.dynamics, start, digits, layer)
        self.flow, self.series = flow, []
        self.kernel = flow.iterate(start, layer)[1]

    def state_at(self, layer: int) -> tuple:
        index, clock = self.interval_of(layer)
        interval = self.intervals[index]
        tau = interval.tau_at(clock)
        return interval.parametrisation.x_at(tau), value(self.series[index], tau)

    def extend(self, clock) -> Point:
        """Go on until the clock shows at least `clock`; the last point, where `kernel` is k."""
        point = super().extend(clock)
        for interval in self.intervals[len(self.series):]:
            self.series.append(self._solve(interval))
            self.kernel = value(self.series[-1], mpf(1))
        return point

    def _solve(self, interval: Interval) -> list:
        count = 3 * self.digits // 5 + 12
        for times in range(1, FINEST + 1):
            found = self._with_nodes(interval, count * times)
            if found is not None:
                return found
        raise PrecisionError(f"the NTK is not resolved between two layers near {mp.nstr(interval.end.v, 5)}; ask for "
                             "fewer digits")

    def _with_nodes(self, interval: Interval, count: int) -> list | None:
        """The same with so many nodes, None when they are too few."""
        grid, goal = grid_of(count), mpf(10) ** -self.digits
        slopes, sources = [], []
        for tau in grid.nodes:
            x, v = interval.parametrisation.x_at(tau), self.dynamics.steps.at(value(interval.clock, tau))
            rate, slope, source = self.rates(x, v, goal / 100)
            slopes.append(slope / rate * interval.parametrisation.derivative(tau))
            sources.append(source / rate * interval.parametrisation.derivative(tau))
        values = [self.kernel] * count
        for _ in range(SWEEPS):
            derivative = grid.series([a * k + b for a, k, b in zip(slopes, values, sources, strict=True)])
            series = grid.primitive(derivative)
            series[0] += self.kernel
            before, values = values, grid.values(series)
            size = max(map(abs, values))
            if max(abs(one - two) for one, two in zip(before, values, strict=True)) <= goal * size / 100:
                return series if tail(derivative) <= goal * size else None
        return None

    def rates(self, x, v, tolerance) -> tuple:
        """(du/dv, A, B) at the point (x, v)."""
        sizes = lambda totals: (totals[0], totals[0], totals[2])  # noqa: E731 - A is of the size of du/dv, or smaller
        return tuple(slopes_along(self.flow.layer, (x, mpf(1), mpf(0)), v, tolerance, sizes))


def by_layers(form: Form, steps: LayerSteps, start: Expr, layer: int) -> tuple:
    """(gap, K/q) in a layer, one layer after the other."""
    gap = to_mpf(start)
    kernel = 1 - gap
    for index in range(2, layer + 1):
        for part, weight in steps.of_layer(form, index):
            flow = part.numbers(gap)
            gap, kernel = gap + weight * (flow.lost - gap), kernel + weight * (flow.own + (flow.slope - 1) * kernel)
    return gap, kernel


@lru_cache(maxsize=64)
def solution_of(form: Form, order: int) -> LinearSolution:
    """P and h up to, not including, t^order.

    >>> from asympt.architectures.composed.stages import ONE, compiled
    >>> from asympt.blocks import read_block
    >>> form = Form(compiled(read_block("serial(relu, dense(sqrt(2)))"), ONE).stages, ("relu",))
    >>> print(solution_of(form, 2).particular)
    3*sqrt(2)*pi/(8*t) - 129*sqrt(2)*pi*t/160 + O(t^2)
    """
    drift = drift_of(form)
    shape = drift.ratio(order - drift.root + drift.order + 1)
    particular: dict = {}
    resonance = Integer(0)
    for own, weight in _sources(form, drift, len(shape), max(KNOWN, len(shape) + drift.order)):
        pure, log_part = _solved(tuple(shape), tuple(own), drift.root, drift.order)
        for k, c in pure.items():
            particular[k] = particular.get(k, 0) + c * weight
        resonance += log_part * weight
    first, lead = drift.order, drift.lead
    kept = [(first + k, c) for k, c in enumerate(shape) if first + k < order]
    terms = {(k, 0): c for k, c in particular.items() if k < order} | {(k, 1): resonance * c for k, c in kept}
    homogeneous = {(k, 0): lead * c for k, c in kept} or {(first, 0): lead}
    rests = Formal(Monomial(order, 1 if order >= first else 0)), Formal(Monomial(max(order, first + 1)))
    found = (Expansion.build(AT_FIXED_POINT, *both) for both in zip((terms, homogeneous), rests, strict=True))
    return LinearSolution(*found, drift.root)


@lru_cache(maxsize=64)
def _solved(shape: tuple, own: tuple, root: int, order: int) -> tuple[dict, Expr]:
    """P for h = t^order (1 + ...), exactly, and the factor of h log t in it."""
    ring = Field.of([*shape, *own])
    pure, resonance = solve_in_time(ring.enter(shape), ring.enter(own), ring.enter([ONE])[0], root, order)
    return {k: ring.leave(c) for k, c in pure.items()}, ring.leave(resonance)


def _sources(form: Form, drift: Drift, count: int, known: int) -> list[tuple]:
    """o as a sum of series; with each what its part of P is multiplied by, for that of h = t^k (1 + ...).

    Where o is linear in h, the two parts lie in the field of h/c alone: with the numbers in o and c it is a large one.
    """
    if form.own_by_lost is None:
        return [(FormAtOne(form, known).own(count), 1 / drift.lead)]
    constant, factor, direct = form.own_by_lost
    plain = [Integer(0)] * max(count, drift.root + 1)
    plain[0], plain[drift.root] = constant, factor + direct
    return [(plain[:count], 1 / drift.lead), (([Integer(0)] * drift.order + drift.ratio(count))[:count], -factor)]


@lru_cache(maxsize=32)
def _numbered(form: Form, count: int, digits: int) -> tuple:
    with mp.workdps(digits):
        drift = drift_of(form)
        shape, own = list(map(to_mpf, drift.ratio(count))), [mpf(0)] * count
        for part, weight in _sources(form, drift, count, KNOWN):
            own = [total + to_mpf(c) * to_mpf(weight) for total, c in zip(own, part, strict=True)]
        return solve_in_time(shape, own, mpf(1), drift.root, drift.order), shape


def solution_near(form: Form, t) -> tuple:
    """P and h, from as many terms as t, of a series that converges up to gamma = 2, needs."""
    count, most = NUMBERED
    while (t / mp.sqrt(2)) ** count > mp.eps * t**4:
        if count == most:
            raise PrecisionError(
                f"where D is read, t = {mp.nstr(t, 3)} is too large for the series of P; ask for other digits or "
                "take a larger sigma_w"
            )
        count *= 2
    (pure, resonance), shape = _numbered(form, count, mp.dps)
    drift = drift_of(form)
    total = mp.fsum(c * t**k for k, c in pure.items())
    unit = t**drift.order * mp.fsum(c * t**k for k, c in enumerate(shape))
    return total + resonance * unit * mp.log(t), to_mpf(drift.lead) * unit


def formulas_of(form: Form, dynamics: DrivenDynamics, kernel: bool = False) -> FlowFormulas | None:
    """h, h' and o in the gap, h and o in t."""
    from asympt.balls.expression import Vanishing  # ball arithmetic: only for certificates

    steps, drift = dynamics.steps, dynamics.drift
    x = drift.symbol
    flow, root = form.formulas_from(x), drift.root
    if flow is None or steps.others is None:
        return None
    seen = form.formulas_from(T**root, lambda lost: lost if lost == T**root else Vanishing(lost, root))
    plain = [_in_gap(part, x) for part in (x - flow.lost, 1 - flow.slope, flow.own)]
    near = [_in_gap(part, T**root) for part in (T**root - seen.lost, seen.own)]
    if not kernel:
        plain[2] = near[1] = None
    return FlowFormulas(x, tuple(plain), *near, dict(steps.others))


def dynamics_of(form: Form, steps: LayerSteps) -> DrivenDynamics:
    """gamma <- gamma - w_l h(gamma), from layer 1 on."""
    if steps.has_own_weights:
        return OwnDynamics(drift_of(form), steps, 1, form=form)
    return DrivenDynamics(drift_of(form), steps, 1)


def correlation_law(form: Form, steps: LayerSteps, terms: int) -> Law:
    """The law of 1 - c^l."""
    dynamics = dynamics_of(form, steps)
    drift = dynamics.drift
    if drift.excess or (decay(drift, steps).is_Rational and steps.is_summed):
        expansion = driven_expansion(drift, steps, steps.variable(LAYER), terms)
    else:
        expansion = _leading(drift, steps)
    coordinate = GapFlow(dynamics, form, time=flow_time(drift, terms + 1))
    return Law(r"1-c^{l}", expansion, read_start, "correlation", coordinate=coordinate)


def _leading(drift: Drift, steps: LayerSteps) -> Expansion:
    """exp(-h'(0) C) l^(-p), for a p that is not a fraction, or a clock that approaches a logarithm slowly."""
    p = drift.lead * steps.weight
    following = min(p + steps.settles, p * (1 + Rational(1, drift.root)), key=lambda value: float(to_mpf(value)))
    return Expansion.build(steps.scale(LAYER), {(p, 0): exp(-drift.lead * CONNECTION)}, Formal(Monomial(following)))


def ntk_law(form: Form, steps: LayerSteps, terms: int) -> Law:
    """The law of K^L(x, x')/K^L(x, x) on the Edge of Chaos; of K^L/q_L below it, and where R_d has no formula."""
    if not (form.is_critical and steps.is_summed):
        return kernel_law(form, steps, terms)
    settled, diagonal_at = steps.settled(form), partial(steps.diagonal_at, form)
    norm = _clock(steps) * form.same[1] + settled
    law = _kernel_law(form, steps, terms, lambda kernel: over_norm(kernel, norm), diagonal=settled)
    return replace(law, quantity=QUOTIENT, norm=diagonal_at)


def kernel_law(form: Form, steps: LayerSteps, terms: int) -> Law:
    """The law of K^L(x, x')/q_L."""
    if not form.is_critical:
        return _ordered_ntk(form, dynamics_of(form, steps))
    return _kernel_law(form, steps, terms, lambda kernel: kernel)


def _kernel_law(form: Form, steps: LayerSteps, terms: int, seen: Callable, diagonal: Expr | None = None) -> Law:
    """With as many terms; fewer where the O(l^(-kappa)) of single layers, to which P is known to `full`, is first."""
    dynamics, kappa = dynamics_of(form, steps), steps.exponent
    full = inf if kappa == 1 else ceil(kappa / (1 - kappa)) + 2
    order = min(full, terms + 2)
    expansion = seen(_kernel(form, dynamics, order))
    while len(expansion.terms) <= terms and order != full:
        order += 1
        expansion = seen(_kernel(form, dynamics, order))
    coordinate = KernelFlow(dynamics, form, time=flow_time(dynamics.drift, order), diagonal=diagonal)
    if form.own_by_lost is not None:
        named = any(c.has(RealConstant) for c in dynamics.drift.ratio(CARRIED[1]))
        order = max(order, CARRIED[named])
    linear = solution_of(form, order)
    return Law(GROWN, expansion.truncate(terms), read_start, "ntk", coordinate=coordinate, linear=linear)


def _clock(steps: LayerSteps) -> Expansion:
    if steps.harmonic:
        return Expansion.variable(Scale.at_infinity(log(steps.variable(DEPTH)))) * steps.weight
    return clock_to_constant(steps, DEPTH)


def _kernel(form: Form, dynamics: DrivenDynamics, order: int) -> Expansion:
    kernel = kernel_at_depth(dynamics.drift, solution_of(form, order), _clock(dynamics.steps), order)
    kappa = dynamics.steps.exponent
    if kappa == 1:
        return kernel
    return kernel + Expansion.build(kernel.scale, {}, Formal(Monomial(kappa, 1 if 4 * kappa == 3 else 0)))  # as h falls


def _ordered_ntk(form: Form, dynamics: DrivenDynamics) -> Law:
    """K^L/q_L -> o(1)/(1 - chi)."""
    drift, steps = dynamics.drift, dynamics.steps
    p = drift.lead * steps.weight
    half = p / drift.root if drift.root == 2 else p
    single = steps.single and float(to_mpf(half)) > 1  # layers' own O(1/L) comes first
    rest = Monomial(1) if single else Monomial(half, 0 if drift.root == 2 else 1)
    expansion = Expansion.build(steps.scale(DEPTH), {(0, 0): form.own / drift.lead}, Formal(rest))
    coordinate = KernelFlow(dynamics, form, time=flow_time(drift, 3))
    return Law(GROWN, expansion, read_start, "ntk", coordinate=coordinate)


# ---- branches that push c away from 1 (g'(1) > 1, or a dropout), with weights that fall ----------------
#
# dc/dT = g(c) - c has the zero c* < 1, where its slope is -(1 - chi*), chi* = g'(c*), and T = a log x + constant,
# x = l for w_l = a/(l + s), log l for 1/(l log l).  So
#
#     c^l = c* + D x^(-p) + O(x^(-2p)),   p = a (1 - chi*),       K^L/q_L = o(c*)/(1 - chi*) + O(x^(-p) log x),
#
# and where o(c*) = 0 (c* = 0 and no biases): K^L/q_L = a o'(c*) D x^(-p) log x + O(x^(-p)), as dK/dT = o - (1 - g') K.
# Where single layers matter more, O(x^(-p-1)), that is the remainder.  D has no formula; numbers come from the layers.


MOST_LAYERS = 20_000


@dataclass(frozen=True)
class Leaving(FollowedLayers):
    """The layers of a composed network, one by one; a start is the gap.

    `series`: g and o about c*; `weights`: w_l.
    """

    form: Form
    weights: LayerSteps
    with_ntk: bool

    most_layers = MOST_LAYERS
    says_limit_and_power = True
    unproved = "there is no theorem yet about steps that fall while c leaves 1 for a limit c* < 1"

    @property
    def series(self) -> FormInside:
        """g and o about c*."""
        return FormInside(self.form)

    @property
    def power(self) -> Expr:
        """p."""
        return self.weights.weight * (1 - self.series.slope(1)[0])

    def steps(self, law) -> tuple[Step, ...]:
        """The drift g - c and its zero, with the slope there and the clock."""
        clock = self.weights.variable(law.depth_variable)
        found = {"leaving": 1 - self.series.fixed_gap, "exponent": self.power, "clock": clock}
        return (Step("map", {**found, "factor": self.weights.weight}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits + 5):
            return by_layers(self.form, self.weights, start, depth)[: 1 + self.with_ntk]


def leaving_correlation_law(form: Form, steps: LayerSteps, terms: int) -> Law:
    """The law of 1 - c^l: the limit, the power and its remainder, however many terms are asked."""
    coordinate = Leaving(form, steps, False)
    p = coordinate.power
    known = {(0, 0): coordinate.series.fixed_gap, (p, 0): -SECOND}
    later = min(2 * p, p + steps.settles, key=lambda value: float(to_mpf(value)))
    rest = Monomial(later) if terms > 1 else Monomial(p)
    expansion = Expansion.build(steps.scale(LAYER), dict(list(known.items())[:terms]), Formal(rest))
    return Law("1-c^{l}", expansion, read_start, "correlation", coordinate=coordinate)


def leaving_ntk_law(form: Form, steps: LayerSteps, terms: int) -> Law:
    """The law of K^L(x, x')/q_L to leading order."""
    coordinate = Leaving(form, steps, True)
    p, (own, slope) = coordinate.power, coordinate.series.own(2)
    if own == 0:
        known, rest = {(p, 1): -steps.weight * slope * SECOND}, Monomial(p)
    else:
        single = steps.single and float(to_mpf(p)) > 1
        known = {(0, 0): own / (1 - coordinate.series.slope(1)[0])}
        rest = Monomial(1) if single else Monomial(p, 1)
    expansion = Expansion.build(steps.scale(DEPTH), known, Formal(rest))
    return Law(GROWN, expansion, read_start, "ntk", coordinate=coordinate)
