"""Weights that fall with the layer: the flow time of a composed network, and its NTK along it.

c <- c + w_l (g(c) - c), w_l = a/(l + s), is gamma <- gamma - w_l h(gamma) with h = gamma - (1 - g), h' = 1 - g'.  The
flow time T' = -1/h is that of `recursions.coordinates.flow_time`; the NTK follows dk/dT = -h' k + o, so

    k = P + D h,      P = -h int o dx/h^2,

integrated term by term, without the power with which h starts.  ReLU: P = 1/(2 c t) + ..., a quarter of T = 2/(c t).
Blocks of `Adding` have no formula for R_d: their law is one of K^L/q_L.  chi <= 1 (else `leaving`).
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, acos, asin, exp, log, sqrt

from asympt.architectures.composed.diagonal import diagonal_at, settled_part, written_psi
from asympt.architectures.composed.form import Form, FormAtOne
from asympt.architectures.composed.layer_steps import LayerSteps
from asympt.architectures.law_parts import OfBlocks, read_start
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.scaled.flow import GapFlow, KernelFlow, solution_along
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.coordinates.flow_time.coordinate import FlowFormulas
from asympt.recursions.coordinates.flow_time.drift import Drift
from asympt.recursions.coordinates.flow_time.inversion import decay, driven_expansion, kernel_at_depth, over_norm
from asympt.recursions.coordinates.flow_time.orbit import DrivenDynamics
from asympt.recursions.coordinates.flow_time.series import flow_time, solve_in_time
from asympt.recursions.law import Law
from asympt.recursions.protocol import T
from asympt.symbols import Reserved

GAP = Reserved("gamma", positive=True)
ONE = Integer(1)
KNOWN, NUMBERED = 8, 60  # exact coefficients of h, and those of P and h in numbers
QUOTIENT, GROWN = r"\frac{K^{L}(x,x')}{K^{L}(x,x)}", r"\frac{K^{L}(x,x')}{q_{L}}"


@lru_cache(maxsize=64)
def drift_of(form: Form) -> Drift:
    """h of a branch."""
    series = FormAtOne(form, KNOWN)
    order = series.root if not form.is_critical else next(
        k for k in range(series.root + 1, series.root + KNOWN) if series.lost(k) != 0
    )  # fmt: skip
    unit = 1 if not form.is_critical else 0

    def head(k: int) -> Expr:
        return unit * (k == series.root) - series.lost(k)

    lead = head(order)

    def ratio(count: int) -> list[Expr]:
        return [head(order + k) / lead if k else Integer(1) for k in range(count)]

    formula = GAP if form.formulas is None else GAP - form.formulas.lost.subs({c: 1 - GAP for c in _variable(form)})
    formula = formula.xreplace({acos(1 - GAP): 2 * asin(sqrt(GAP / 2)), 1 - (1 - GAP) ** 2: GAP * (2 - GAP)})
    return Drift(series.root, order, lead, ratio, partial(_drift, form), formula, GAP, known=True)


def _variable(form: Form) -> set:
    return form.formulas.lost.free_symbols - form.parameters


def _drift(form: Form, gap):
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
class ComposedFlow(OfBlocks, GapFlow):
    """The flow time of gamma of a composed network."""

    form: Form

    kind = "driven"

    @property
    def formulas(self) -> FlowFormulas | None:
        """The recursion in formulas; None where an activation has no closed form, or several branches take turns."""
        return formulas_of(self.form, self.dynamics)


@dataclass(frozen=True)
class ComposedKernelFlow(OfBlocks, KernelFlow):
    """The flow time of gamma, with R carried along."""

    form: Form = field(kw_only=True)

    kind = "driven"

    @property
    def formulas(self) -> FlowFormulas | None:
        found = formulas_of(self.form, self.dynamics, kernel=True)
        if found is None or not self.form.is_critical:
            return None
        steps = self.dynamics.steps
        before, first = steps.begun(self.form)
        rate = self.form.same[1] * steps.weight
        return replace(found, start=lambda x: 1 - x, norm=(rate, before - rate * written_psi(first + steps.shift)))

    def at_rest(self, depth: int, route: Route) -> tuple:
        return mpf(0), diagonal_at(self.form, self.dynamics.steps, depth, route.digits)

    def iterate(self, start: Expr, layer: int) -> tuple:
        return by_layers(self.form, self.dynamics.steps, start, layer)

    def layer(self, state: tuple, v) -> tuple:
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
        return solution_of(self.form, order)

    def _at(self, t) -> tuple:
        return solution_near(self.form, t)

    def _require_second(self) -> None:
        if not self.form.is_critical:
            raise UnsupportedError("off the Edge of Chaos the part D h of this NTK is hidden by the layers' own O(1/l)")


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
    count = order - drift.root + drift.order + 1
    series = FormAtOne(form, max(KNOWN, count + drift.order))
    shape, own = drift.ratio(count), series.own(count)
    ring = Field.of([*shape, *own, drift.lead, 1 / drift.lead], divides=True)
    entered = ring.enter(shape), ring.enter(own), ring.enter([drift.lead])[0]
    pure, resonance = solve_in_time(*entered, drift.root, drift.order)
    left = {k: ring.leave(c) for k, c in pure.items() if k < order}
    return solution_along(drift.lead, shape, drift.root, drift.order, left, ring.leave(resonance), order)


@lru_cache(maxsize=32)
def _numbered(form: Form, digits: int) -> tuple:
    with mp.workdps(digits):
        drift, series = drift_of(form), FormAtOne(form, KNOWN)
        shape, own = ([to_mpf(c) for c in found] for found in (drift.ratio(NUMBERED), series.own(NUMBERED)))
        return solve_in_time(shape, own, to_mpf(drift.lead), drift.root, drift.order), shape


def solution_near(form: Form, t) -> tuple:
    """P and h at mpmath's precision, by their series at t = 0."""
    (pure, resonance), shape = _numbered(form, mp.dps)
    drift = drift_of(form)
    total = mp.fsum(c * t**k for k, c in pure.items())
    unit = t**drift.order * mp.fsum(c * t**k for k, c in enumerate(shape))
    return total + resonance * unit * mp.log(t), to_mpf(drift.lead) * unit


def formulas_of(form: Form, dynamics: DrivenDynamics, kernel: bool = False) -> FlowFormulas | None:
    """h, h' and o in the gap, h and o in t."""
    from asympt.balls.programs import Vanishing  # ball arithmetic: only for certificates

    steps, drift = dynamics.steps, dynamics.drift
    x = drift.symbol
    flow, root = form.formulas_from(x), drift.root
    if flow is None or steps.others is None:
        return None
    seen = form.formulas_from(T**root, lambda lost: lost if lost == T**root else Vanishing(lost, root))
    plain = (x - flow.lost, 1 - flow.slope, flow.own if kernel else None)
    return FlowFormulas(x, plain, T**root - seen.lost, seen.own if kernel else None, dict(steps.others))


def dynamics_of(form: Form, steps: LayerSteps) -> DrivenDynamics:
    """gamma <- gamma - w_l h(gamma), from layer 1 on."""
    if steps.has_own_weights:
        return OwnDynamics(drift_of(form), steps, 1, form=form)
    return DrivenDynamics(drift_of(form), steps, 1)


def correlation_law(form: Form, steps: LayerSteps, terms: int, network) -> Law:
    """The law of 1 - c^l."""
    dynamics = dynamics_of(form, steps)
    drift = dynamics.drift
    if drift.excess or (decay(drift, steps).is_Rational and steps.is_summed):
        expansion = driven_expansion(drift, steps, steps.variable(LAYER), terms)
    else:
        expansion = _leading(drift, steps)
    coordinate = ComposedFlow(dynamics, form, time=flow_time(drift, terms + 1), network=network)
    return Law(r"1-c^{l}", expansion, read_start, "correlation", coordinate=coordinate)


def _leading(drift: Drift, steps: LayerSteps) -> Expansion:
    """exp(-h'(0) C) l^(-p), for a p that is not a fraction, or a clock that approaches a logarithm slowly."""
    p = drift.lead * steps.weight
    following = min(p + steps.settles, p * (1 + Rational(1, drift.root)), key=lambda value: float(to_mpf(value)))
    return Expansion.build(steps.scale(LAYER), {(p, 0): exp(-drift.lead * CONNECTION)}, Formal(Monomial(following)))


def ntk_law(form: Form, steps: LayerSteps, terms: int, network) -> Law:
    """The law of K^L(x, x')/K^L(x, x) on the Edge of Chaos; of K^L/q_L below it, and where R_d has no formula."""
    dynamics, summed = dynamics_of(form, steps), steps.is_summed
    if not form.is_critical:
        return _ordered_ntk(form, dynamics, network)
    order, expand = terms + 2, _quotient if summed else _kernel
    expansion = expand(form, dynamics, order)
    while len(expansion.terms) <= terms:
        order += 1
        expansion = expand(form, dynamics, order)
    coordinate = ComposedKernelFlow(
        dynamics, None, form=form, time=flow_time(dynamics.drift, order),
        diagonal=settled_part(form, steps) if summed else None, network=network,
    )  # fmt: skip
    return Law(
        QUOTIENT if summed else GROWN, expansion.truncate(terms), read_start, "ntk", coordinate=coordinate,
        linear=solution_of(form, order), norm=partial(diagonal_at, form, steps) if summed else None,
    )  # fmt: skip


def _clock(steps: LayerSteps) -> Expansion:
    return Expansion.variable(Scale.at_infinity(log(steps.variable(DEPTH)))) * steps.weight


def _kernel(form: Form, dynamics: DrivenDynamics, order: int) -> Expansion:
    return kernel_at_depth(dynamics.drift, solution_of(form, order), _clock(dynamics.steps), order)


def _quotient(form: Form, dynamics: DrivenDynamics, order: int) -> Expansion:
    below = _clock(dynamics.steps) * form.same[1] + settled_part(form, dynamics.steps)
    return over_norm(_kernel(form, dynamics, order), below)


def _ordered_ntk(form: Form, dynamics: DrivenDynamics, network) -> Law:
    """K^L/q_L -> o(1)/(1 - chi)."""
    drift, steps = dynamics.drift, dynamics.steps
    p = drift.lead * steps.weight
    half = p / drift.root if drift.root == 2 else p
    single = steps.single and float(to_mpf(half)) > 1  # layers' own O(1/L) comes first
    rest = Monomial(1) if single else Monomial(half, 0 if drift.root == 2 else 1)
    expansion = Expansion.build(steps.scale(DEPTH), {(0, 0): form.own / drift.lead}, Formal(rest))
    coordinate = ComposedKernelFlow(dynamics, None, form=form, time=flow_time(drift, 3), network=network)
    return Law(GROWN, expansion, read_start, "ntk", coordinate=coordinate)
