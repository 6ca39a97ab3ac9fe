"""Laws in the depth L of networks whose steps know L: c <- c + h(L) (g(c) - c), R <- (1 + h (g' - 1)) R + sum beta b.

    h(L)                              1 - c^L, K^L                                        c^1
    v/L + ...                         k_0 + k_1/L + ..., of the flow of length v          any, k_0 by quadratures
    v L^(-p) + ..., p > 1             1 - c^1 + k_1 L^(1 - p) + ..., formulas             stays
    v L^(-p) + ..., 0 < p < 1         c = 1 is approached, as by a flow of length v L^(1 - p), with logarithms
    a/(l + B L^p), 0 < p < 1          the same, of length a log(L^(1 - p)/B): pre-norm, scaled by L^(-p/2)

Branches scaled by L^(-gamma) have h = v/(L^(2 gamma) + v); in a leaky ReLU of slope alpha(L) the linear part is the
skip connection, h = (1 - alpha)^2/(1 + alpha^2) and g that of ReLU.  The first two are series in L^(-1/d) by the flow
time of one step (`flow_time.small_steps`); the third is T_0(x_N) + h T_1(x_N) = N h + T_0(x_0) + h T_1(x_0) + O(h^2),
T_1 = log(g - c)/2, with the flow time T_0 of the coordinate for weights that fall, which has no constant at c = 1.
There, for R with rho = beta/h, b = o and P = F int o dx/F^2, which has no constant either (`flow.solution_of`),

    R_N (1 + h F'/2)/F = rho (P/F - h o/(2 F)) + D + O(h^2),      D: the same at x_0, so that R_0 is right.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, lcm

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, Symbol, cancel, expand_log, factorial, log, simplify, symbols

from asympt.architectures.composed.arithmetics import About
from asympt.architectures.composed.flow import GROWN, by_layers, drift_of, solution_near, solution_of
from asympt.architectures.composed.form import Form, FormAtOne
from asympt.architectures.composed.moving import DepthWeights, ExtrapolatedSteps, UnfoldingSteps
from asympt.architectures.composed.stages import ONE, Bent, Kept, Nonlinearity, through
from asympt.architectures.law_parts import Coefficient, is_simple, read_start
from asympt.architectures.relu_like import DEPTH, GROWING
from asympt.balls.arithmetic import Refused
from asympt.blocks.nodes import LAYER
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.meanfield.activations import activation
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.flow_time import small_steps
from asympt.recursions.coordinates.flow_time.drift import KNOWN, Drift, flow_time, time_at
from asympt.recursions.fixed_point import numeric
from asympt.recursions.law import Law
from asympt.recursions.proofs.formal import constants_in, enclosures
from asympt.recursions.proofs.small_steps import DepthLaw, SmallSteps
from asympt.recursions.protocol import FollowedLayers

CORRELATION, NTK = "correlation", "ntk"
GAP_AT_DEPTH = "1-c^{L}"
MOST_COEFFICIENTS = 40  # of a series in L^(-1/d)
SEEN, NOTHING = 30, 20  # digits by which a coefficient that vanishes is told, and of which so many are 0
ROUNDS, FOLLOWED, MOST_POWERS = 4, 20_000, 16  # of Newton's method; layers; powers of h
X = Symbol("x", positive=True)


@dataclass(frozen=True)
class OwnStart:
    """The start of a law that was derived for it: given again it must be the same."""

    gap: Expr

    @property
    def known(self) -> dict:
        return {"gap": self.gap}

    def __call__(self, correlation=None, gap=None) -> Expr:
        if (correlation, gap) != (None, None) and read_start(correlation, gap) != self.gap:
            raise InputError(
                f"this law was derived for c^1 = {1 - self.gap}; give that, or derive another one by depth_law(...)"
            )
        return self.gap


@dataclass(frozen=True)
class DepthSteps:
    """x <- x + h(L) F(x), x = 1 - c, F = (1 - g) - x, and what is added to R: every beta(L) times its b(x).

    `form`: g; `rates`: the betas, h for the own NTK b of g.  Where the activation itself knows L, g is that of ReLU and
    there are two, for b = 1 - x and b = -F.  `gap`: 1 - c^1; `grown`: R grows like L.
    """

    form: Form
    step: Expr
    rates: tuple[Expr, ...]
    gap: Expr
    grown: bool = False

    flows = goes_far = True

    @property
    def shaped(self) -> bool:
        """Whether the activation itself knows L."""
        return len(self.rates) > 1

    def expansion(self, of: str, terms: int) -> Expansion:
        """So many terms of 1 - c^L or of R_L."""
        return _series_law(self, of, terms) if self.power >= 1 else _long_flow(self, of, terms)

    # ---- F and b, near a number or as formulas -----------------------------------------------------------

    def jets(self, x, count: int) -> tuple[list, list[list]]:
        """So many Taylor coefficients of F and of every b."""
        system = About(max(count, 2))
        with mp.extradps(max(0, -mp.mag(x)) // 3):  # next to 0, where F is as small as x^2, digits cancel
            flow = through(self.form.stages, system, system.start(x))
            return self._parted(list(flow.lost.coefficients), list(flow.own.coefficients), x, count)

    def formulas(self, x: Expr, count: int) -> tuple[list, list[list]]:
        """The same as expressions: a branch that may be scaled is homogeneous, of ReLU-like activations."""
        flow = self.form.formulas_from(X)
        found = ([(part.diff(X, k) if k else part).subs(X, x) / factorial(k) for k in range(max(count, 2))]
                 for part in (flow.lost, flow.own))  # fmt: skip
        return self._parted(*found, x, count)

    def _parted(self, lost: list, own: list, x, count: int) -> tuple[list, list[list]]:
        drift = [lost[0] - x, lost[1] - 1, *lost[2:]][:count]
        if not self.shaped:
            return drift, [own[:count]]
        return drift, [[a + b for a, b in zip(own, drift, strict=False)], [-c for c in drift]]

    def advance(self, x, beyond, h, order: int):
        """sum_(j < order) h^j (T_j(beyond) - T_j(x))."""
        times = lambda at: [tau[0] for tau in small_steps.slopes_of_time(self.jets(at, order)[0], order)]  # noqa: E731
        return mp.polyval(small_steps.integrals(times, x, beyond)[::-1], h)

    # ---- layer by layer ------------------------------------------------------------------------------

    def at(self, depth) -> list:
        """h and the betas of one depth, at mpmath's precision."""
        return [numeric(value, DEPTH)(mpf(depth)) for value in (self.step, *self.rates)]

    def lengths(self, depth) -> list:
        """The sum of all steps, h, and the betas over h."""
        step, *rates = self.at(depth)
        return [(depth - 1) * step, step, *(rate / step for rate in rates)]

    def followed(self, depth: int) -> tuple:
        """(1 - c^L, R_L) at mpmath's precision."""
        step, *rates = self.at(depth)
        x = to_mpf(self.gap)
        kernel = 1 - x
        for _ in range(depth - 1):
            flow = self.form.numbers(x)
            drift = flow.lost - x
            own = (flow.own + drift, -drift) if self.shaped else (flow.own,)
            kernel += step * (flow.slope - 1) * kernel + mp.fdot(rates, own)
            x += step * drift
        return x, kernel

    def flowed(self, depth: int, order: int) -> tuple:
        """The same of T_h(x_L) - T_h(x_1) = (L - 1) h up to h^order, at depths that nobody iterates."""
        start, (time, step, *rates) = to_mpf(self.gap), self.lengths(depth)
        order = order if step else 1
        end = small_steps.near(self.jets, start, time)
        missing = time - self.advance(start, end, step, order)
        for _ in range(ROUNDS):  # Newton's method: what is still missing is known without the long way from the start
            times = small_steps.slopes_of_time(self.jets(end, order)[0], order)
            nearer = end + missing / mp.polyval([tau[0] for tau in times][::-1], step)
            missing, end = missing - self.advance(end, nearer, step, order), nearer
        ends, shares = small_steps.ends_between(self.jets, start, end, order, 1), [(0, [rate]) for rate in rates]
        return end, small_steps.linear(ends, [step], [mpf(0)], [1 - start], shares)[0]

    def far(self, depth: int, spare: int) -> tuple:
        """The same to mpmath's precision, with `spare` powers of h more; `PrecisionError` where they take minutes."""
        power = mp.dps / -mp.log10(abs(step := self.lengths(depth)[1]))
        if power > MOST_POWERS:
            raise PrecisionError(
                f"depth = {depth}: steps h = {mp.nstr(step, 3)} are too large for so many digits by the flow; ask for "
                f"fewer digits, or for at most {FOLLOWED} layers"
            )
        return self.flowed(depth, spare + int(power))

    # ---- power series in u = L^(-1/d) ----------------------------------------------------------------

    @property
    def power(self) -> Rational:
        """p, h = v L^(-p) (1 + ...)."""
        return _at_infinity(self.step, 1).exponent

    @property
    def root(self) -> int:
        """d."""
        return lcm(*(_at_infinity(value, MOST_COEFFICIENTS).root for value in (self.step, *self.rates)))

    def times(self, count: int) -> tuple[list, list]:
        """h and N h = (L - 1) h in u, exact."""
        shift, found = self._in_root(self.step, count + self.root)
        step = ([Integer(0)] * shift + found)[: count + self.root]
        return step[:count], [later - c for later, c in zip(step[self.root :], step, strict=False)]

    def shares(self, count: int) -> list[tuple[int, list]]:
        """Every beta/h in u, and what R is divided by."""
        unit = DEPTH if self.grown else Integer(1)
        return [self._in_root(simplify(rate / self.step / unit), count) for rate in self.rates]

    def _in_root(self, value: Expr, count: int) -> tuple[int, list]:
        series = _at_infinity(value, count)
        stride = self.root // series.root
        found = [Integer(0)] * (stride * len(series.coefficients))
        found[::stride] = series.coefficients
        return series.valuation * stride, [*found, *[Integer(0)] * count][:count]

    def coefficients(self, of: str, count: int) -> list:
        """Those of 1 - c^L or R_L in u, at mpmath's precision."""
        return list(_coefficients(self, of, count, mp.prec))

    def exact(self, of: str, count: int) -> list[Expr]:
        """As many of them as have a formula: in k_0, where the flow has a length."""
        (step, time), moves = self.times(count), self.power == 1
        count = 0 if moves and of == NTK else min(count, 2 * self.orders_apart) if moves else count
        order = self.orders(count)
        if not count:
            return []
        end = RealConstant("k_0", lambda: self.coefficients(of, 1)[0], self.key(of, 0), "k_{0}") if moves else self.gap
        letters = [symbols(f"{name}:{count + order}", positive=True) for name in ("f", "g", "o")[: 1 + len(self.rates)]]
        drift, *forced = map(list, letters)
        (times, *own), passed = small_steps.slopes_of(drift, forced, order), [Integer(0)] * order
        if moves:
            passed[:2] = [time[0], Symbol("T_1")][:order]
        begun, gained = [tau[0] for tau in times], [[Integer(0)] * order] * len(own)
        ends = small_steps.FlowEnds(end, times, own, passed, gained, begun)
        found = [cancel(c) for c in self._series(of, ends, step[:count], time[:count])]
        known = self.formulas(end, count + order)
        values = dict(zip(drift, known[0], strict=True))
        for names, formulas in zip(forced, known[1], strict=True):
            values |= dict(zip(names, formulas, strict=True))
        values[Symbol("T_1")] = log(known[0][0] / self.formulas(self.gap, 1)[0][0]) / 2
        return [c.xreplace(values) if moves else simplify(c.xreplace(values)) for c in found]

    # ---- where the flow is long ----------------------------------------------------------------------

    def seen(self, value: Expr) -> Expansion:
        """As far as terms of order h^2 are seen."""
        series = _at_infinity(value, int((2 * self.power + 2) * self.root))
        known = {Monomial(Rational(series.valuation + k, series.root)): c for k, c in enumerate(series.coefficients)}
        rest = Monomial(Rational(series.valuation + len(series.coefficients), series.root))
        return Expansion.build(Scale.at_infinity(DEPTH), known, Formal(rest))

    def along(self) -> tuple[Expansion, Expansion, Expansion]:
        """h, the sum of all steps, and O(h^2), up to which the law is known."""
        step, rest = self.seen(self.step), Formal(Monomial(2 * self.power))
        return step, self.seen(self.step * (DEPTH - 1)), Expansion.build(step.scale, {}, rest)

    @property
    def as_formulas(self) -> SmallSteps:
        """The same for proofs; `Refused` where a branch has no closed form."""
        u, flow = Symbol("u", positive=True), self.form.formulas_from(X)
        if flow is None:
            raise Refused("a branch has no kernel in closed form, so the law has no certificate yet")
        step, drift = self.step.subs(DEPTH, u**-self.root), flow.lost - X
        rate, time = cancel(step / u**self.root), cancel((u**-self.root - 1) * step)
        return SmallSteps(drift, X, rate, time, u, self.root, enclosures(constants_in(drift)))

    @property
    def orders_apart(self) -> int:
        """h is a multiple of u to this power."""
        return int(self.power * self.root)

    def orders(self, count: int) -> int:
        """How many T_j so many coefficients see."""
        return (count - 1) // self.orders_apart + 1

    def _series(self, of: str, ends: small_steps.FlowEnds, step: list, time: list) -> list:
        away = small_steps.distance(ends, step, time)
        if of == CORRELATION:
            return [ends.end, *away[1:]]
        unit = [(shift, [_like(c, ends.end) for c in rate]) for shift, rate in self.shares(len(step))]
        first = [step[0] * 0] * (self.root if self.grown else 0) + [1 - _like(self.gap, ends.end)]
        return small_steps.linear(ends, step, away, first, unit)

    def key(self, of: str, index: int) -> tuple:
        """What determines a coefficient."""
        return "depth law", of, index, self.form.key, self.step, self.gap, str(self.grown)


@dataclass(frozen=True)
class HarmonicSteps(DepthSteps):
    """Steps h = size/(l + shift), shift = B L^p + ..., 0 < p < 1: what single layers add is a power of L smaller.

    So the law of the flow alone holds to all orders in 1/log(L).
    """

    size: Expr = ONE
    shift: Expr = ONE
    goes_far = False

    @classmethod
    def of(cls, form: Form, weight: Expr, gap: Expr) -> "HarmonicSteps | None":
        """Those with the weights w(l, L); None where these are of another kind."""
        inverse = cancel(1 / weight)
        rate = cancel(inverse.diff(LAYER))
        shift = cancel(inverse / rate - LAYER) if rate else rate
        if rate.free_symbols or shift.free_symbols != {DEPTH} or not -1 < _at_infinity(shift, 1).exponent < 0:
            return None
        return cls(form, weight, (weight,), gap, size=1 / rate, shift=shift)

    @property
    def power(self) -> Rational:
        """p."""
        return -_at_infinity(self.shift, 1).exponent

    def seen(self, value: Expr) -> Expansion:
        """A number, on the scale of log(L)."""
        return Expansion.constant(Scale.at_infinity(log(DEPTH)), value)

    def along(self) -> tuple[Expansion, Expansion, Expansion]:
        """No h; the sum is size (psi(L + 1 + shift) - psi(2 + shift))."""
        nothing, lead = self.seen(Integer(0)), _at_infinity(self.shift, 1).coefficients[0]
        return nothing, (Expansion.variable(nothing.scale) * (1 - self.power) - log(lead)) * self.size, nothing

    def lengths(self, depth) -> list:
        size, shift = to_mpf(self.size), numeric(self.shift, DEPTH)(mpf(depth))
        return [size * (mp.digamma(depth + 1 + shift) - mp.digamma(2 + shift)), mpf(0), mpf(1)]

    def followed(self, depth: int) -> tuple:
        return by_layers(self.form, DepthWeights(self.form, self.step).at(depth), self.gap, depth)


def _at_infinity(value: Expr, count: int):
    return puiseux(value, DEPTH, count, inner=1 / Y)


def _like(value: Expr, other):
    return value if isinstance(other, Expr) else to_mpf(value)


@lru_cache(maxsize=32)
def _coefficients(steps: DepthSteps, of: str, count: int, precision: int) -> tuple:
    with mp.workprec(precision + 20):
        step, time = ([to_mpf(c) for c in found] for found in steps.times(count))
        start = to_mpf(steps.gap)
        end = small_steps.flow_to(steps.jets, start, time[0]) if time[0] else start
        ends = small_steps.ends_between(steps.jets, start, end, steps.orders(count), count)
        return tuple(steps._series(of, ends, step, time))


# ---- from a network ------------------------------------------------------------------------------------


def steps_of(network, gap: Expr) -> DepthSteps:
    """The steps of a network whose scales, weights or activations hold `DEPTH`; `UnsupportedError` for another one."""
    if len(network.blocks) > 1 or network.readout is not None or network.mixes_tokens:
        raise UnsupportedError("a law in the depth is derived for one block, without readout and without tokens")
    normal, form = network.normal_form, network.normal_form.branch
    inside = DEPTH in form.parameters
    if DEPTH not in normal.weight.free_symbols and not inside:
        raise UnsupportedError(
            f"the layers c <- c + w (g(c) - c), w = {normal.weight}, do not depend on the depth of the network "
            "(asympt.blocks.DEPTH); ask for correlation_law() or ntk_law()"
        )
    found = None if normal.sequence or inside or normal.total else HarmonicSteps.of(form, normal.weight, gap)
    if found is None and (LAYER in normal.weight.free_symbols or normal.sequence):
        raise UnsupportedError(
            f"the weights w = {normal.weight} change from layer to layer as well, or several branches take turns: "
            "there is a law in the depth for scale^2 = v/L + ... and a phi with a closed kernel; ask for numbers (pair)"
        )
    bent, rates = 1, (normal.weight,)
    if inside:
        bent, form = _split(form, network.block)
        rates = normal.weight, simplify(normal.weight * bent)
    found = found or DepthSteps(form, simplify(normal.weight * bent), rates, gap, grown=normal.total is not None)
    _require_moving(found)
    return found


def _split(form: Form, block) -> tuple[Expr, Form]:
    """(r, g) of c + r (g - c), g that of ReLU, for a layer of one ReLU-like activation and a dense."""
    if form.single is None or not form.single[0].is_scale_free or form.single[1] != 1:
        raise UnsupportedError(
            f"{block!r}: DEPTH inside an activation has a law where the branch is one ReLU-like activation, such as "
            "leaky_relu(slope=1-1/sqrt(DEPTH)), and one dense without a bias; put it into a scale, or ask for numbers "
            "(pair)"
        )
    relu = Form((Bent(Nonlinearity(activation("relu"), Integer(1))), Kept(Integer(1))), ("g of ReLU",))
    return simplify(2 * form.single[0].phi.kink_weight), relu


def _require_moving(steps: DepthSteps) -> None:
    if not steps.power > 0:
        raise UnsupportedError(
            f"the steps h = {steps.step} do not tend to 0 as the depth grows, so there is no flow; take a scale that "
            "falls with DEPTH"
        )
    with mp.workdps(SEEN):
        if abs(steps.jets(to_mpf(steps.gap), 1)[0][0]) < mpf(10) ** -NOTHING:
            raise InputError(f"correlation = {1 - steps.gap} is a fixed point of the map and stays; give another one")


@dataclass(frozen=True)
class FollowedDepth(FollowedLayers):
    """A network of every depth, layer by layer, beyond `FOLLOWED` by the flow; the start is the law's own."""

    steps_of_depth: DepthSteps | UnfoldingSteps | ExtrapolatedSteps
    of: str
    network: object = field(compare=False)

    kind, evidence = "depthwise", "depthwise"
    most_layers = property(lambda self: inf if self.steps_of_depth.goes_far else FOLLOWED)
    unproved = (
        "theorems about networks that know their depth are for the gap of two inputs, where small steps of equal size "
        "move the correlation alone; this law has none yet"
    )

    def asked(self, terms, remainder, names) -> DepthLaw:
        """What is to be proved."""
        steps = self.steps_of_depth
        if self.of == NTK or not isinstance(steps, DepthSteps) or steps.power != 1:
            raise Refused(self.unproved)
        return DepthLaw(steps.as_formulas, 1, terms, remainder, names)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        """The last layer of the network with so many."""
        self.network.at_depth(depth).pair(2, gap=start)  # an error where it has a scale that is no real number
        steps = self.steps_of_depth
        with mp.workdps(route.digits):
            found = steps.followed(depth) if depth <= FOLLOWED else steps.far(depth, 1 + bool(route.later))
            return found[: 1 + (self.of == NTK)]


def depth_law(network, of: str, gap: Expr, terms: int) -> Law:
    """The law of 1 - c^L or of K^L in the depth."""
    if of not in (CORRELATION, NTK):
        raise InputError(f"of = {of!r} is unknown; give 'correlation' or 'ntk'")
    if not -1 < 1 - gap < 1:
        raise InputError(f"correlation = {1 - gap} has no law in the depth; give -1 < correlation < 1")
    network.require_numbers()
    steps = UnfoldingSteps.of(network, gap) or ExtrapolatedSteps.of(network, gap) or steps_of(network, gap)
    kernel = GROWING if steps.grown else GROWN
    return Law(
        GAP_AT_DEPTH if of == CORRELATION else kernel, steps.expansion(of, terms), OwnStart(gap), of,
        coordinate=FollowedDepth(steps, of, network), average=of == NTK and steps.grown,
    )  # fmt: skip


def _series_law(steps: DepthSteps, of: str, terms: int) -> Expansion:
    """As many terms as are wanted, and the power of the next one."""
    count = terms + 2
    with mp.workdps(SEEN):
        while True:
            numbers = steps.coefficients(of, count)
            there = [k for k, c in enumerate(numbers) if abs(c) > mpf(10) ** -NOTHING]
            if len(there) > terms:
                break
            if count > MOST_COEFFICIENTS:
                raise UnsupportedError(f"terms = {terms} are too many for steps h = {steps.step}; ask for fewer")
            count += count // 2
    exact = steps.exact(of, there[terms - 1] + 1)
    found = {Monomial(Rational(k, steps.root)): _named(steps, of, k, count, exact) for k in there[:terms]}
    return Expansion.build(Scale.at_infinity(DEPTH), found, Formal(Monomial(Rational(there[terms], steps.root))))


def _named(steps: DepthSteps, of: str, index: int, count: int, exact: list[Expr]) -> Expr:
    letter = "k" if of == CORRELATION else "r"
    formula = exact[index] if index < len(exact) else None
    if formula is not None and is_simple(formula):
        return formula
    return RealConstant(
        f"{letter}_{index}", lambda: steps.coefficients(of, count)[index], steps.key(of, index),
        f"{letter}_{{{index}}}", exact=formula if index else None,
    )  # fmt: skip


# ---- where the flow is long: c = 1 is approached -------------------------------------------------------


def _long_flow(steps: DepthSteps, of: str, terms: int) -> Expansion:
    """From T_0 + h T_1 = N h + T_0(x_0) + h T_1(x_0) + O(h^2)."""
    form = steps.form
    if not (form.keeps_one and form.is_critical):
        raise UnsupportedError(
            f"the steps h = {steps.step} add up to infinity and g'(1) is not 1, so c approaches its limit like an "
            "exponential of their sum, without a law here; ask for numbers (pair)"
        )
    drift = drift_of(form)
    begun = Coefficient("T_0", lambda: time_at(drift, to_mpf(steps.gap)), ("T_0", form.key, steps.gap), "T_{0}")
    step, clock, unknown = steps.along()
    passed, rest = clock + begun + step * _second_time(steps) + unknown, unknown.remainder
    most = int(rest.monomial.order * drift.excess / (1 - steps.power)) if rest else terms + drift.excess
    for order in range(2, most + 3):
        root = _inverted(drift, step, passed, order)
        found = root**drift.root if of == CORRELATION else _kernel_along(steps, step, unknown, begun, root, order)
        if len(found.terms) > terms:
            return found.truncate(terms)
    if len(found.terms) == terms:
        return found
    raise UnsupportedError(
        f"terms = {terms}: for steps h = {steps.step} the law is derived up to h^2, with {len(found.terms)} terms; ask "
        "for no more"
    )


def _second_time(steps: DepthSteps) -> Expr:
    """T_1(x_0)."""
    drift = -steps.formulas(steps.gap, 1)[0][0]
    return _begun("T_1", "T_{1}", expand_log(log(drift), force=True) / 2, is_simple(drift))


def _begun(name: str, latex: str, value: Expr, simple: bool | None = None) -> Expr:
    """What is known of the start by a formula, which is shown where it is simple."""
    if is_simple(value) if simple is None else simple:
        return value
    return Coefficient(name, lambda: to_mpf(value), (name, value), latex, value)


def _inverted(drift: Drift, step: Expansion, passed: Expansion, order: int) -> Expansion:
    """t with T_0(t) + h T_1(t) = `passed`, T_0 up to t^order: every round fixes another order."""
    inverse = flow_time(drift, order).revert(Scale.at_infinity(X))
    shape = {Monomial(drift.order + k): drift.lead * c for k, c in enumerate(drift.ratio(order + drift.excess))}
    moving = Expansion.build(AT_FIXED_POINT, shape, Formal(Monomial(drift.order + order + drift.excess)))
    root, last = inverse.compose(passed), None
    while root != last:
        last, root = root, inverse.compose(passed - step * moving.compose(root).log() / 2)
    return root


def _kernel_along(
    steps: DepthSteps, step: Expansion, unknown: Expansion, begun: Expr, root: Expansion, order: int
) -> Expansion:
    """R_N up to rho h^2; where the activation knows L, b = (1 - x) = o + F and -F share the part rho' F, Q_0 = T_0."""
    form, drift, start = steps.form, drift_of(steps.form), 1 - steps.gap
    unit = DEPTH if steps.grown else Integer(1)
    rho, *other = (steps.seen(simplify(rate / steps.step / unit)) for rate in steps.rates)
    series = lambda first, found: Expansion.build(  # noqa: E731
        AT_FIXED_POINT, {Monomial(first + k): c for k, c in enumerate(found)}, Formal(Monomial(first + len(found)))
    ).compose(root)
    count = order + drift.order
    shape = [-drift.lead * c for c in drift.ratio(count)]
    moving, slope = series(drift.order, shape), [c * (drift.order + k) / drift.root for k, c in enumerate(shape)]
    own = series(0, FormAtOne(form, count).own(count))
    (moved, tilt), first = steps.formulas(steps.gap, 2)[0], form.formulas_from(X).own.subs(X, steps.gap)
    past = Coefficient("Q_0", lambda: _own_at(steps), ("Q_0", form.key, steps.gap), "Q_{0}")
    constant = -rho * (step * _begun("Q_1", "Q_{1}", -first / (2 * moved)) + past)
    if start:
        slopes = _begun("dT_0", "T_{0}'", 1 / moved), _begun("dT_1", "T_{1}'", tilt / (2 * moved))
        constant = constant + start * slopes[0] + step * (start * slopes[1])
    if other:
        gone = flow_time(drift, order).compose(root) - begun
        constant = constant + (rho - other[0]) * gone
    particular = solution_of(form, order).particular.compose(root)
    found = rho * (particular - step * own / 2) + moving * constant
    return found / (1 + step * series(drift.excess, slope) / 2) + rho * unknown


def _own_at(steps: DepthSteps):
    """int o dx/F^2 at the start, without a constant at x = 0."""
    form, drift, x = steps.form, drift_of(steps.form), to_mpf(steps.gap)
    with mp.workdps(mp.dps + mp.dps * (drift.excess + drift.order) // KNOWN + 10):  # so large is it at `near`
        near = min(x, drift.near)
        particular, moved = solution_near(form, drift.uniformiser(near))
        (gained,) = small_steps.integrals(lambda at: [form.numbers(at).own / drift(at) ** 2], near, x)
        return gained - particular / moved
