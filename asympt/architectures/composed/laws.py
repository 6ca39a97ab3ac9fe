"""The laws of a composed network, from its normal form (g, o, w_l) alone.

    w_l             g'(1)                    1 - c^l             K/q_l                          module
    constant        1                        l^(-2) or l^(-1)    L/4 or L/3 of the diagonal     here
    constant        < 1, > 1 (or dropout)    chi^l, 1 - c*       constant                       `recursions.autonomous`
    a/(l + s)       1                        in 1/log l          1/4 or 1/3 of the diagonal     `flow`
    a/(l + s)       < 1                      l^(-a (1 - chi))    constant                       `flow`
    1/(l log l)     1, < 1                   with log l for l    K/q_L grows like log log L     `flow`
    falling         > 1 (or dropout)         1 - c*, l^(-p)      constant, l^(-p) log l         `flow`
    falling with the depth of the network    a limit that depends on c^1: no law, numbers       `limit`

Without falling weights, from the fixed point that attracts; g' is chi as well, hence the resonance L chi^L:

    chi = g'(1)                                           1 - c^l                K/q
    1     at c = 1, Abel's function    phi smooth         2/(g''(1) l)           L/3
                                       phi'' jumps (ELU)  the same, with t^5     with a correction in 1/sqrt(l)
                                       phi' jumps         4/(e_3 l)^2            L/4
    < 1   at c = 1, Koenigs' function                     C chi^l                1/(1 - chi) + (r C L + ...) chi^L
    > 1   at c* < 1, Koenigs' function                    1 - c* + C chi*^l      c*/(1 - chi*) + r C L chi*^L + ...

The diagonal, R_d <- R_d + w_l (o(1) + (chi - 1) R_d), is known at every depth.
"""
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from math import ceil, sqrt

from mpmath import mp, mpf
from sympy import Expr, Integer, S, Symbol, bernoulli, cancel, exp, loggamma, oo, zeta

from asympt.architectures import relu_like
from asympt.architectures.composed import flow
from asympt.architectures.composed.compiling import CONSTANT, DEPTHWISE, NormalFormOfBlock
from asympt.architectures.composed.form import (
    ComposedMap,
    Form,
    FormAtOne,
    FormInside,
    FormSeries,
    activated,
    named_chi,
)
from asympt.architectures.composed.layer_steps import AddedSteps, FirstWhole, InTurn, LayerSteps
from asympt.architectures.law_parts import Coefficient, Identity, exact_law, read_start, read_variance, start_about
from asympt.architectures.relu_like import DEPTH, GROWING, LAYER, PLAIN, OneKink
from asympt.blocks.nodes import DEPTH as ASKED_DEPTH
from asympt.blocks.nodes import LAYER as PRODUCED
from asympt.compiling import as_function
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.gaussian.closed.bivariate import BivariateNormal
from asympt.gaussian.closed.kernels import Q1, Q2, C, closed_form
from asympt.numbers import to_mpf
from asympt.precise.dense import StepAbout
from asympt.recursions.agreement import Route
from asympt.recursions.autonomous import derived, fewest, hyperbolic_law, hyperbolic_linear_law
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction, LinearSolution
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND, depth_law, linear_value, power_of
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.coordinates.flow_time.step_sizes import Steps
from asympt.recursions.fixed_point import FixedPoint, numeric
from asympt.recursions.law import Law, no_start
from asympt.recursions.protocol import Dynamics, FollowedLayers, LinearPart, Step, T

EDGE, ORDERED, CHAOTIC = "edge of chaos", "ordered", "chaotic"
SETTLED, ONE_INPUT = r"\frac{K^{L}(x,x')}{q}", r"\frac{K^{L}(x,x)}{q}"
GROWN_INPUT = r"\frac{K^{L}(x,x)}{q_{L}}"  # where the variance grows with depth
NUMBERED = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use
KNOWN = {EDGE: 5, ORDERED: 4}  # powers of gamma read off exactly, and more for more terms
ENDLESS = "add up to no finite time at infinite depth in ever smaller steps"
COMPARED, NEARER = (100, 800), 0.95  # depths; what falls like L^(-1/40) is 0.95 of itself there


@dataclass(frozen=True)
class ComposedLaws:
    """The laws that follow from a normal form; `ratio`: K^1/Sigma^1."""

    normal: NormalFormOfBlock
    ratio: Expr = S.One

    @property
    def form(self) -> Form:
        """The map that decides: of the whole layer where it is the same in every layer, else of the branch."""
        return self.normal.branch if self.normal.total is None else self.normal.total

    @cached_property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': g'(1) below, at or above 1; dropout moves c away from 1."""
        self._require_moving()
        if not self.form.keeps_one:
            return CHAOTIC
        if self.form.is_critical:
            return EDGE
        if self.form.parameters:
            raise UnsupportedError(
                f"the phase depends on the sign of {self.form.chi} - 1; give numbers for its parameters"
            )
        with mp.workdps(30):
            excess = to_mpf(self.form.chi) - 1
        if abs(excess) < mpf(10) ** -25:
            return EDGE
        return ORDERED if excess < 0 else CHAOTIC

    @property
    def correlation_map(self) -> ComposedMap:
        """The map of the whole layer where there is one, else g."""
        return ComposedMap(self.form)

    # ---- the laws -------------------------------------------------------------------------------

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        if self.normal.kind != CONSTANT:
            law = flow.leaving_correlation_law if self._leaves() else flow.correlation_law
            return law(self._falling(), self.steps, terms)
        if self.phase == EDGE and self.kink is not None:
            return relu_like.correlation_law(self.kink, terms)
        if self.phase == EDGE:
            return critical_correlation(self._at_one(False, terms), self.form.key, terms)
        fixed, reader = self._seen_from()
        law = hyperbolic_law(self._dynamics(False, terms), fixed, terms, reader, LAYER)
        return replace(law, quantity=GapFixedPoint.quantity, name="correlation")

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L(x, x'), in the units that `quantity` names."""
        self._require_ntk()
        if self.normal.kind != CONSTANT:
            law = flow.leaving_ntk_law if self._leaves() else flow.ntk_law
            return law(self._falling(), self.steps, terms)
        quantity = PLAIN if self._is_settled else GROWING
        if self.phase == EDGE and self.kink is not None:
            return relu_like.ntk_law(self.kink, terms, None, quantity)
        if self.phase == EDGE:
            return replace(critical_ntk(self._at_one(True, terms), self.form.key, terms), quantity=quantity)
        fixed, reader = self._seen_from()
        unit = SETTLED if self._is_settled else flow.GROWN
        return hyperbolic_linear_law(self._dynamics(True, terms), terms, reader, DEPTH, unit, "ntk", fixed=fixed)

    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L, from K^1 = Sigma^1."""
        self._require_ntk()
        if self.normal.kind != CONSTANT:
            return diagonal_law(self.normal.branch, self.steps)
        chi, own = self.form.same
        chi = Integer(1) if self.form.is_critical and self.form.keeps_one else chi
        base = chi if chi == 1 else named_chi(self.form)  # that of the NTK law: the two are subtracted
        quantity = ONE_INPUT if self._is_settled else GROWN_INPUT
        return exact_law(quantity, _geometric(chi, base, own, self.ratio), no_start, "ntk diagonal", layer=None)

    def variance_law(self, terms: int) -> Law:
        """The law of q^l: exact where the variance grows or falls like a power or a geometric sequence."""
        variance = self.normal.variance
        if variance is None or variance.has(ASKED_DEPTH):
            raise UnsupportedError("the variance of this network has no law here; ask for numbers at a depth")
        growth = (variance.subs(PRODUCED, 2) / variance.subs(PRODUCED, 1)).simplify()
        if PRODUCED not in variance.free_symbols or growth == 1:
            raise UnsupportedError(
                f"the variance is {variance.subs(PRODUCED, 1)} in every layer; there is no law of its approach"
            )
        step = (variance.subs(PRODUCED, 2) - variance.subs(PRODUCED, 1)).simplify()
        if variance.is_polynomial(PRODUCED):
            return affine_law(S.One, step, True)
        if variance.has(PRODUCED) and variance.func.__name__ == "Product":
            raise UnsupportedError("the variance is a product over the layers without a law here; ask for numbers")
        return affine_law(growth, S.Zero, bool(growth > 1))

    # ---- where the weights fall -------------------------------------------------------------------

    @cached_property
    def steps(self) -> LayerSteps:
        """w_l as step sizes a/(l + s); `UnsupportedError` for others."""
        self._require_law()
        self._require_sequence()
        if self.normal.adding is not None:
            return self.normal.adding.steps
        found = Steps.read(self.normal.weight, PRODUCED)
        if self.normal.sequence:
            return InTurn.of(found, self.normal.sequence)
        kind = LayerSteps if self.normal.first_weight is None else FirstWhole
        return kind(found.weight, found.exponent, found.shift)

    def _require_law(self) -> None:
        if self.normal.kind == DEPTHWISE:
            if pace(self.normal.weight) == oo:
                raise UnsupportedError(
                    f"the weights w = {self.normal.weight} depend on the depth of the network and {ENDLESS}: there is "
                    "no law in the layer; ask for depth_law(correlation=...) or numbers (pair)"
                )
            raise UnsupportedError(
                f"the weights w = {self.normal.weight} add up to a finite time at infinite depth, so the network "
                "tends to the flow of a differential equation and 1 - c^L to a number that depends on c^1: there is "
                "no law in the layer; ask for depth_law(correlation=...) or limit(correlation=...)"
            )

    def _falling(self) -> Form:
        """The branch; `UnsupportedError` for weights that are not treated."""
        if not self.steps.harmonic:
            raise UnsupportedError(
                f"the weights {self.normal.weight} are not of the form a/(l + s); take a branch scaled by 1/sqrt(LAYER)"
            )
        return self.form

    def _leaves(self) -> bool:
        self._require_law()
        self._require_sequence()
        return self.phase == CHAOTIC

    def _require_sequence(self) -> None:
        """Of several branches in turn c = 1 must be a fixed point with g'(1) = 1 of each."""
        forms = [form for form, _ in self.normal.sequence]
        if not all(form.keeps_one and form.is_critical for form in forms):
            chis = ", ".join(str(form.chi) for form in forms)
            raise UnsupportedError(
                f"several pre-norm branches in turn with g'(1) = {chis}: a law is derived where all of these are 1 and "
                "there is no dropout; take such branches, or ask for numbers"
            )

    # ---- where they do not ------------------------------------------------------------------------

    @property
    def _is_settled(self) -> bool:
        return self.normal.variance is not None and PRODUCED not in self.normal.variance.free_symbols

    @cached_property
    def kink(self) -> OneKink | None:
        """What a layer with one ReLU-like phi and chi = 1 is; None for another one."""
        return OneKink.of(self.form, (self.ratio, self.ratio))

    def _at_one(self, with_ntk: bool, terms: int) -> Dynamics:
        known = self.form.root * (KNOWN[EDGE] + ceil(sqrt(2 * terms)))
        return _about_one(self.form, with_ntk, known, self.ratio)

    def _dynamics(self, with_ntk: bool, terms: int) -> Dynamics:
        if self.phase == CHAOTIC:
            return _about_inside(self.form, with_ntk, self.ratio)
        return _about_one(self.form, with_ntk, terms + KNOWN[ORDERED] + self.form.root, self.ratio)

    def _seen_from(self) -> tuple:
        if self.phase != CHAOTIC:
            return None, read_start
        gap = _series_inside(self.form).fixed_gap
        return GapFixedPoint(gap), start_about(gap)

    def _require_ntk(self) -> None:
        for bent in activated(self.form.stages):
            bent.phi.phi.require_ntk()

    def _require_moving(self) -> None:
        if all(bent.phi.phi.is_linear for bent in activated(self.form.stages)):
            raise UnsupportedError(
                "no activation of the block is nonlinear, so the correlation has no depth law; add one"
            )


def affine_law(growth: Expr, added: Expr, grows: bool, layer=None) -> Law:
    """The law of q' = growth q + added: q* + growth^(l-1) (q^1 - q*), or q^1 + (l - 1) added for a growth of 1."""
    if growth == 1:
        expansion = Expansion.build(Scale.at_infinity(LAYER), {(-1, 0): added, (0, 0): CONNECTION})
        return exact_law("q^{l}", expansion, read_variance, "variance", layer, lambda q: q - added)
    fixed = -added / (growth - 1) if grows else added / (1 - growth)
    moving, resting = (Monomial(-1 if grows else 1), CONNECTION), (Monomial(0), fixed)
    terms = tuple(term for term in ((moving, resting) if grows else (resting, moving)) if term[1] != 0)
    expansion = Expansion(Exponential(LAYER, base=1 / growth if grows else growth), terms)
    return exact_law("q^{l}", expansion, read_variance, "variance", layer, lambda q: (q - fixed) / growth)


def _geometric(chi: Expr, base: Expr, own: Expr, first: Expr) -> Expansion:
    """R of R' = chi R + own, R^1 = first."""
    if chi == 1:
        return Expansion.build(Scale.at_infinity(DEPTH), {(-1, 0): own, (0, 0): (first - own).factor()})
    below = bool(chi < 1)
    apart, sign, order = (1 - base, 1, 1) if below else (base - 1, -1, -1)
    limit = sign * own / apart
    rest = (sign * own * -base / (apart * base) if first == own else (first - limit) / base)
    found = [(Monomial(0), limit), (Monomial(order), rest)][::order]
    return Expansion(Exponential(DEPTH, base=base**order), tuple(part for part in found if part[1] != 0))


@lru_cache(maxsize=64)
def _about_one(form: Form, with_ntk: bool, known: int, ratio: Expr) -> Dynamics:
    series = FormAtOne(form, known)
    linear = _linear_part(series, ratio) if with_ntk else None
    return Dynamics(
        series.ratio, form.step, root=series.root, first=1, linear=linear, costly=form.is_costly,
        closed=lambda: _closed(form, series.root),
    )  # fmt: skip


def _closed(form: Form, root: int) -> tuple:
    """(x', lambda, b) as closed forms in t, x = t^root, for a proof."""
    from asympt.balls.expression import Vanishing  # ball arithmetic: only for certificates

    if form.layer is not None:
        return _closed_layer(form.layer, root)
    flow = form.formulas_from(T**root, lambda lost: lost if lost == T**root else Vanishing(lost, root))
    if flow is None:
        raise UnsupportedError("an activation of the block has no closed form, so its map has no certificate yet")
    return flow.lost, flow.slope, flow.own, None


def _closed_layer(layer, root: int):
    """(1 - f, lambda, b) of an activation and one dense, balls for their numbers, its `KernelMap`; or that alone."""
    from asympt.meanfield.enclosed import kernel_map, parameter_balls  # ball arithmetic: only for certificates

    kernel = None if layer.is_scale_free else closed_form(layer.activation.piecewise)
    if kernel is None or kernel.value.has(BivariateNormal):
        return kernel_map(layer)
    q, weight = layer.fixed_variance, layer.weight_variance
    place = {Q1: q, Q2: q, C: 1 - T**root}
    value, slope = (part.subs(place) for part in (kernel.value, kernel.slope))
    image = (layer.bias_variance + weight * value) / q
    return 1 - image, weight * slope, image, parameter_balls(layer), partial(kernel_map, layer)


@lru_cache(maxsize=64)
def _series_inside(form: Form) -> FormInside:
    return FormInside(form)


@lru_cache(maxsize=64)
def _about_inside(form: Form, with_ntk: bool, ratio: Expr) -> Dynamics:
    series = _series_inside(form)
    linear = _linear_part(series, ratio) if with_ntk else None

    def closed():
        from asympt.meanfield.enclosed import kernel_map  # ball arithmetic: only for certificates

        return kernel_map(form.layer, series.fixed_gap)

    step = StepAbout(form.step, series.fixed_gap)
    return Dynamics(series.ratio, step, first=1, linear=linear, closed=form.layer and closed)


def _linear_part(series: FormSeries, ratio: Expr) -> LinearPart:
    """The NTK along the distance y from the fixed point, from k^1 = ratio c^1 on."""
    def start(y, number: Callable = lambda value: value):
        return number(ratio) * (1 - (number(series.fixed_gap) + y))

    return LinearPart(series.slope, series.own, start=partial(start, number=to_mpf), exact_start=start)


_PLACE = Symbol("x", positive=True)


@lru_cache(maxsize=64)
def pace(weight: Expr) -> Expr:
    """lim L w_(x L) for L -> oo as a function of x, whose integral from 0 to 1 is a time; oo where there is no flow.

    That is so where the integral is infinite, and where the weights of L layers do not come nearer to it as L grows:
    then some layers keep a weight of their own, or a share of the layers that falls with L takes all of the time.
    """
    found = cancel(weight.subs(PRODUCED, _PLACE * ASKED_DEPTH) * ASKED_DEPTH).limit(ASKED_DEPTH, oo)
    if found.is_infinite or (_PLACE * found).limit(_PLACE, 0) != 0:
        return oo
    return found if weight.free_symbols - {PRODUCED, ASKED_DEPTH} or _comes_near(weight, total_time(found)) else oo


def _comes_near(weight: Expr, time) -> bool:
    with mp.workdps(15):
        step = as_function((PRODUCED, ASKED_DEPTH), weight.rewrite(zeta))  # mpmath has no harmonic(n, m)
        sums = [mp.fsum(step(mpf(layer), depth) for layer in range(2, depth + 1)) for depth in COMPARED]
        left = [abs(found - time) for found in sums]
    return bool(left[1] <= NEARER * left[0])


def total_time(rate: Expr):
    """What the weights of L layers add up to for L -> oo, from their `pace`."""
    if _PLACE not in rate.free_symbols:
        return to_mpf(rate)
    return mp.quad(numeric(rate.subs(_PLACE, _PLACE**4) * 4 * _PLACE**3, _PLACE), [0, 1])  # as smooth as can be at 0


# ---- c = 1 on the Edge of Chaos: as many orders as the terms need ---------------------------------------
#
# Law and A are derived with as many named coefficients as the terms need.  What a check to 30 digits needs beyond that
# are the later coefficients of A as numbers: they are constants alpha_k, known by their digits.


class GapFixedPoint(FixedPoint):
    """The gap 1 - c* as the fixed point, read as 1 - c^l."""

    quantity, shapes = "1-c^{l}", ("1-c^{{{}}}", "1-c^{}")


def critical_correlation(dynamics: Dynamics, key: tuple, terms: int) -> Law:
    """The law of 1 - c^l at a parabolic c = 1 of a recursion that `key` determines."""
    abel, _, expansion = derived(
        dynamics, fewest(dynamics), lambda abel, _: depth_law(abel, LAYER, terms, power_of(abel.root))
    )
    return Law(
        GapFixedPoint.quantity, expansion, read_start, "correlation",
        coordinate=Abel(dynamics, numbered(abel, dynamics, key), abel),
    )  # fmt: skip


def critical_ntk(dynamics: Dynamics, key: tuple, terms: int) -> Law:
    """The law of K^L/(q L) at a parabolic c = 1."""

    def law_of(abel: AbelFunction, linear: LinearSolution) -> Expansion:
        value = linear_value(linear.particular, linear.homogeneous, abel.multiplicity)
        return depth_law(abel, DEPTH, terms, value) / Expansion.variable(Scale.at_infinity(DEPTH))

    abel, linear, expansion = derived(dynamics, fewest(dynamics), law_of)
    return Law(
        PLAIN, expansion, read_start, "ntk", coordinate=Abel(dynamics, numbered(abel, dynamics, key), abel),
        linear=numbered_linear(linear, dynamics, key), average=True,
    )  # fmt: skip


# ---- A as far as a check needs it ---------------------------------------------------------------------


def numbered(abel: AbelFunction, dynamics: Dynamics, key: tuple) -> AbelFunction:
    """A with the coefficients alpha_k that were not derived, up to t^(NUMBERED m - 1), as constants known by digits."""
    known, last = int(abel.expansion.remainder.monomial.order), abel.multiplicity * NUMBERED - 1
    terms, rest = abel.expansion.coefficients, Formal(Monomial(max(known, last + 1)))
    later = {Monomial(k): _alpha(dynamics, k, key) for k in range(known, last + 1)}
    return AbelFunction(Expansion.build(AT_FIXED_POINT, {**terms, **later}, rest), abel.root)


def _alpha(dynamics: Dynamics, k: int, key: tuple) -> Expr:
    """alpha_k, by the same triangular system in numbers."""
    def digits():
        numeric = Abel(_plain(dynamics)).numeric(NUMBERED, mp.dps)
        return numeric.abel[k + numeric.multiplicity]

    return Coefficient(f"alpha_{k}", digits, ("alpha", k, key), rf"\alpha_{{{k}}}")


def numbered_linear(linear: LinearSolution, dynamics: Dynamics, key: tuple) -> LinearSolution:
    """P and H with the coefficients p_k and h_k that were not derived, as far as those of A."""
    m = order_of(dynamics)
    last, start = m * NUMBERED - 1, int(linear.homogeneous.leading[0].order)

    def constant(name: str, k: int, read: Callable, log: str = "") -> Expr:
        label, text = f"{name}_{k}{log}", rf"{name}_{{{k}}}{log}"
        return Coefficient(label, lambda: read(Abel(dynamics).numeric(NUMBERED, mp.dps)), (label, key), text)

    def longer(expansion: Expansion, later: dict, logs: int) -> Expansion:
        known = expansion.remainder.monomial.order
        terms = {monomial: c for monomial, c in later.items() if monomial.order >= known}
        return Expansion.build(AT_FIXED_POINT, {**expansion.coefficients, **terms}, Formal(Monomial(last + 1, logs)))

    homogeneous, particular = {}, {}
    for k in range(1 - m, last + 1):
        particular[Monomial(k)] = constant("p", k, lambda numeric, k=k: numeric.particular_series[k + m])
        if k >= start:
            homogeneous[Monomial(k)] = constant("h", k, lambda numeric, k=k: numeric.homogeneous_series[1][k - start])
            particular[Monomial(k, 1)] = constant(
                "p", k, lambda numeric, k=k: numeric.resonance * numeric.homogeneous_series[1][k - start], "'"
            )
    del particular[Monomial(start)]  # P has no pure power where H starts: that normalises D
    found = longer(linear.particular, particular, 1), longer(linear.homogeneous, homogeneous, 0)
    return LinearSolution(*found, linear.root)


@lru_cache(maxsize=256)
def _plain(dynamics: Dynamics) -> Dynamics:
    return replace(dynamics, linear=None)


# ---- the NTK of one input: R_d = K^L(x, x)/q_L ---------------------------------------------------
#
# R_d <- R_d + w_l (o(1) - (1 - chi) R_d), w_l = a/(l + s), so that
#
#     chi = 1:    R_d = 1 + o(1) a (psi(L + 1 + s) - psi(2 + s)),
#     otherwise   R_d = r + (1 - r) Gamma(L+1+s-p) Gamma(2+s)/(Gamma(L+1+s) Gamma(2+s-p)),
#                 r = o(1)/(1 - chi),  p = a (1 - chi).
#
# With `FirstWhole` R_d of layer 2 stands for the 1, and 3 for the 2; weights of `Adding` are followed layer by layer.

TERMS = 4


class OneInput:
    """R_d of one input: `form` and `steps_of`."""

    def steps(self, law) -> tuple[Step, ...]:
        """R_d in layer l from that of layer l - 1."""
        forcing, multiplier = self.steps_of.affine(self.form, law.depth_variable)
        return (Step("map", {"affine": forcing, "multiplier": multiplier}),)


@dataclass(frozen=True)
class AddedDiagonal(OneInput, FollowedLayers):
    """R_d of one input, layer by layer, where the weights have no sum that is known."""

    form: Form
    steps_of: AddedSteps

    most_layers = 200_000

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits + 10):
            chi, own = map(to_mpf, self.form.same)
            total = mpf(1)
            for layer in range(2, depth + 1):
                total += self.steps_of.at_layer(layer) * (own + (chi - 1) * total)
            return (total,)


def _added_diagonal(form: Form, steps: AddedSteps) -> Expansion:
    """o(1) clock + O(1) where chi = 1; o(1)/(1 - chi), or a power of the clock's variable with a constant D."""
    (chi, own), scale = form.same, steps.scale(DEPTH)
    if form.is_critical or chi == 1:
        return Expansion.build(scale, {(0, 1): own * steps.weight}, Formal(Monomial(0)))
    p, limit = steps.weight * (1 - chi), own / (1 - chi)
    if float(to_mpf(p)) > 0:
        return Expansion.build(scale, {(0, 0): limit}, Formal(Monomial(p)))
    return Expansion.build(scale, {(p, 0): SECOND}, Formal(max(Monomial(p + steps.settles), Monomial(0))))


def diagonal_law(form: Form, steps: LayerSteps) -> Law:
    """The law of K^L(x, x)/q_L."""
    if steps.is_summed:
        expansion = _summed_diagonal(form, steps)
        coordinate = ComposedDiagonal(steps.diagonal(form, DEPTH), DEPTH, form=form, steps_of=steps)
    else:
        expansion, coordinate = _added_diagonal(form, steps), AddedDiagonal(form, steps)
    return Law(GROWN_INPUT, expansion, no_start, "ntk diagonal", coordinate=coordinate)


def _summed_diagonal(form: Form, steps: LayerSteps) -> Expansion:
    (chi, own), a, s = form.same, steps.weight, steps.shift
    scale = Scale.at_infinity(DEPTH)
    if form.is_critical or chi == 1:
        terms = {(0, 1): own * a, (0, 0): steps.settled(form)}
        for n in range(1, TERMS):
            terms[(n, 0)] = sum(b * (-1) ** (n + 1) * bernoulli(n, s + d) / n for b, d in steps.sums(form))
        return Expansion.build(scale, terms, Formal(Monomial(TERMS)))
    limit, p = own / (1 - chi), a * (1 - chi)
    before, first = steps.begun(form)
    moving = (before - limit) * exp(loggamma(first + s) - loggamma(first + s - p))
    return Expansion.build(scale, {(0, 0): limit, (p, 0): moving}, Formal(Monomial(p + 1)))


@dataclass(frozen=True)
class ComposedDiagonal(OneInput, Identity):
    """R_d of one input at every depth."""

    form: Form = field(kw_only=True)
    steps_of: LayerSteps = field(kw_only=True)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        return (mpf(1),) if depth == 1 else super().to_layer(start, depth, route, crossing)
