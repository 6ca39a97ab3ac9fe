r"""The laws of every network whose branch is ReLU-like without bias, derived once for all slopes and all architectures.

The normal form with weight w (delta, `branch_share`) and o(c) = own - own_lost (1 - g(c)) is

    c -> f(c) = (1 - w) c + w g(c),      k -> f'(c) k + w o(c),

and f is the map of a ReLU-like phi again: its kink weight is w times that of g.  Everything is derived for the symbolic
alpha = alpha_(-1) = 3/(sqrt(2) rho), the leading Abel coefficient (A, P and H in the unit tau = t/alpha, in which every
coefficient is a polynomial in alpha), the NTK also for symbolic w and own_lost; a network substitutes its own numbers.

ReLU, w = 1: alpha = 3 pi/sqrt(2), 1 - c^l = (9 pi^2/2)(l + (3/2) log l + ...)^(-2), K^L/(q L) = 1/4 + (3/8) log(L)/L.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial

from mpmath import mp
from sympy import Expr, Integer, Symbol, asin, cancel, pi, sqrt

from asympt.architectures.law_parts import read_start
from asympt.expansions import Expansion, Scale
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap, ReluLikeMap
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel import AbelFunction, Character, LinearSolution
from asympt.recursions.coordinates.abel_inversion import depth_law, linear_value, power_of
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics, LinearPart, T
from asympt.symbols import Reserved, named

ONE = Integer(1)

FREE, FREE_SHARE = Reserved("alpha", positive=True), Reserved("delta", positive=True)  # of the family of laws
FREE_LOST = Reserved("w", positive=True)  # and own_lost, where it is not `own`
LAYER, DEPTH = Reserved("l", positive=True), Reserved("L", positive=True)
DERIVED_ORDERS = 20
INTERPOLATION_RADIUS = Integer(1)  # t = 1 is c = 0; the map's nearest singularity is c = -1, t = sqrt(2)
PLAIN = r"\frac{K^{L}(x,x')}{q\,L}"
GROWING = r"\frac{K^{L}(x,x')}{q_{L}\,L}"  # where the variance grows with depth


@dataclass(frozen=True)
class OneKink:
    """lost <- (1 - w) lost + w (1 - g), own = w (own - own_lost (1 - g)), g the map of a ReLU-like phi.

    `start`: (a, b) of k^1 = a - b gap, where that is not (own, own_lost); `step`: the layer in numbers.
    """

    branch: ReluLikeMap
    branch_share: Expr = ONE
    own: Expr = ONE
    own_lost: Expr = ONE
    start: tuple[Expr, Expr] | None = None
    step: Callable | None = field(default=None, compare=False)

    @classmethod
    def of(cls, form, start: tuple[Expr, Expr] | None = None) -> "OneKink | None":
        """What a composed form with g'(1) = 1 is; None for another one."""
        linked = form.linked
        if linked is None or not linked.phi.is_scale_free or not form.is_critical or linked.phi.phi.is_linear:
            return None
        constant, factor, direct = linked.own
        w, phi = linked.weight, linked.phi.phi
        if cancel(direct + factor * (1 - w)) != 0:
            return None
        branch = ReluLikeMap(phi.kink_weight, phi.linear_weight)
        return cls(branch, w.factor(), cancel(constant / w), -factor, start, form.step)

    def first(self, gap, number: Callable = lambda value: value):
        """k^1 as a function of the gap 1 - c^1, exact; with `number` = to_mpf at an mpmath number."""
        whole, lost = map(number, self.start or (self.own, self.own_lost))
        return whole - lost * gap


def correlation_law(form: OneKink, terms: int, layer=None) -> Law:
    """The law of 1 - c^l."""
    alpha = alpha_of(form)
    return Law(
        r"1-c^{l}", _expansion(None, terms).subs({FREE: alpha}), read_start, "correlation",
        coordinate=Abel(dynamics_of(form, False), abel_for(alpha)), layer=layer,
        family=Family(form, terms),
    )  # fmt: skip


def ntk_law(form: OneKink, terms: int, layer=None, quantity: str = PLAIN, name: str = "ntk") -> Law:
    """The law of K^L(x, x')/(q_L L)."""
    (free, values), alpha = _freed(form), alpha_of(form)
    expansion = _expansion(free, terms).subs(values)
    return Law(
        quantity, expansion, read_start, name, coordinate=Abel(dynamics_of(form, True), abel_for(alpha)), layer=layer,
        linear=_solved_for(form), average=True, family=Family(form, terms, quantity),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Family:
    """The laws of all forms with a free alpha_(-1), and a free w unless w is 1; nothing of them can be iterated."""

    form: OneKink
    terms: int
    quantity: str = ""  # of an NTK

    @cached_property
    def values(self) -> dict[Symbol, Expr]:
        """What the free parameters are in the form."""
        form = self.form
        taken = (form.branch_share, form.own, form.own_lost)
        names = named([FREE, FREE_SHARE], set().union(*(part.free_symbols for part in taken)))
        share = {} if form.branch_share == 1 else {names[FREE_SHARE]: form.branch_share}
        return {names[FREE]: alpha_of(form)} | share

    @cached_property
    def law(self) -> Law:
        """That of free parameters."""
        alpha, *share = self.values
        form = _with_alpha(replace(self.form, branch_share=share[0] if share else ONE), alpha)
        return ntk_law(form, self.terms, None, self.quantity) if self.quantity else correlation_law(form, self.terms)


def _with_alpha(form: OneKink, alpha: Expr) -> OneKink:
    return replace(form, branch=ReluLikeMap.with_asymmetry(3 / (sqrt(2) * alpha) / form.branch_share))


@lru_cache(maxsize=256)
def map_of(form: OneKink) -> ReluLikeMap:
    """f = c + w (g - c): the map of a ReLU-like phi with kink weight w kappa."""
    if form.branch_share == 1:
        return form.branch
    kink = (form.branch_share * form.branch.kink_weight).factor()
    return ReluLikeMap(kink, (1 - kink).factor())


def alpha_of(form: OneKink) -> Expr:
    """alpha_(-1) = 3/(sqrt(2) rho) of the whole layer, rho = 2 kappa/pi."""
    return 3 * pi / (2 * sqrt(2) * map_of(form).kink_weight)


@lru_cache(maxsize=256)
def dynamics_of(form: OneKink, with_ntk: bool) -> Dynamics:
    """gamma -> 1 - f(1 - gamma) for the network's own slopes, with the NTK's linear recursion along it."""
    f, scale = map_of(form), alpha_of(form)
    return Dynamics(
        _ratio(f, scale), form.step, root=2, scale=scale, first=1, formula=f.gap_in_uniformiser(T),
        interpolation_radius=INTERPOLATION_RADIUS, linear=_linear_part(form, scale) if with_ntk else None,
    )  # fmt: skip


def _ratio(f: CorrelationMap, scale: Expr):
    """count -> coefficients of gamma'/gamma = (1 - f)/t^2 in tau."""
    return lambda count: _scaled(1 - f.expansion(count + 3), count, scale, shift=2)


def _linear_part(form: OneKink, scale: Expr) -> LinearPart:
    f, g, w = map_of(form), form.branch, form.branch_share

    def own(lost):
        return w * (form.own - form.own_lost * lost)

    def forcing(count: int) -> list[Expr]:
        lost = _scaled(1 - g.expansion(count + 3), count, scale)
        return [own(lost[0]).expand(), *((-w * form.own_lost * c).expand() for c in lost[1:])]

    return LinearPart(
        multiplier=lambda count: _scaled(f.slope_expansion(count + 3), count, scale),
        forcing=forcing, start=partial(form.first, number=to_mpf),
        formulas=(f.slope_in_uniformiser(T), own(g.gap_in_uniformiser(T))), exact_start=form.first,
    )  # fmt: skip


def _scaled(expansion, count: int, scale: Expr, shift: int = 0) -> list[Expr]:
    known = {int(m.order) - shift: c for m, c in expansion.terms}
    return [(known.get(k, Integer(0)) * scale**k).expand() for k in range(count)]


# ---- the derivation, once for every slope, every w and every own NTK --------------------------------


def _freed(form: OneKink) -> tuple[OneKink, dict]:
    """The form in the derivation's symbols, and what they stand for in this one; 1 stays 1, which is derived faster."""
    values = {FREE: alpha_of(form), FREE_SHARE: form.branch_share}
    if form.own_lost != form.own:
        values[FREE_LOST] = form.own_lost
    branch_share = ONE if form.branch_share == 1 else FREE_SHARE
    lost = form.own if form.own_lost == form.own else FREE_LOST
    free = replace(form, branch_share=branch_share, own_lost=lost, start=None, step=None)
    return _with_alpha(free, FREE), values


@lru_cache(maxsize=1)
def _solved_abel() -> AbelFunction:
    """A in t, solved in tau = t/alpha, where every coefficient is a polynomial in alpha."""
    form = _with_alpha(OneKink(ReluLikeMap(ONE, ONE)), FREE)
    return AbelFunction.solve(_growth(form), root=2).rescale(FREE)


@lru_cache(maxsize=8)
def _solved(free: OneKink) -> LinearSolution:
    growth = _growth(free)
    linear = _linear_part(free, FREE)
    solved = LinearSolution.solve(growth, linear.multiplier(len(growth)), linear.forcing(len(growth)), root=2)
    return solved.rescale(FREE)


@lru_cache(maxsize=64)
def _solved_for(form: OneKink) -> LinearSolution:
    """P and H of a network's form, the same for any number of printed terms."""
    free, values = _freed(form)
    return _solved(free).subs(values)


def _growth(free: OneKink) -> list[Expr]:
    return Dynamics(_ratio(map_of(free), FREE), None, root=2).growth(DERIVED_ORDERS + 3)


@lru_cache(maxsize=64)
def _expansion(free: OneKink | None, terms: int) -> Expansion:
    abel = _solved_abel()
    if free is None:
        return depth_law(abel, LAYER, terms, power_of(2))
    linear = _solved(free)
    value = linear_value(linear.particular, linear.homogeneous, abel.multiplicity)
    return depth_law(abel, DEPTH, terms, value) / Expansion.variable(Scale.at_infinity(DEPTH))


@lru_cache(maxsize=64)
def abel_for(alpha: Expr) -> AbelFunction:
    """A(t) for one value of alpha."""
    return _solved_abel().subs({FREE: alpha})


# ---- the variance of the correlation over networks of finite width ----------------------------------
#
# n Var[c^l] to leading order is v with v^1 = 0 and v' = f'(c)^2 v + s(c): s(c) = Var[phi_a phi_b - f (phi_a^2 +
# phi_b^2)/2]/m_2^2 is what the mean over n neurons of one layer adds, and means of phi_a^i phi_b^j, i + j <= 4, are
# sums over the four quarters of the plane, in theta = arccos c.  ReLU: s = 2 theta^4 - 56 theta^5/(15 pi) + ...


@dataclass(frozen=True)
class NoiseAbel(Abel):
    """That of n Var[c^l]; `layer` is one whose moments know nothing of these closed forms."""

    layer: Layer | None = field(default=None, kw_only=True)
    evidence = "width"


def noise_law(phi: Activation, terms: int) -> Law:
    """The law of n Var[c^L] of a ReLU-like phi without bias, whose slopes are numbers."""
    slopes, form = phi.slopes, OneKink(CorrelationMap.of(phi))
    dynamics, abel, scale, f = dynamics_of(form, False), abel_for(alpha_of(form)), alpha_of(form), map_of(form)
    multiplier, forcing = _noise_series(slopes, f)
    growth, sine, theta = dynamics.growth(DERIVED_ORDERS), T * sqrt(2 - T**2), 2 * asin(T / sqrt(2))
    linear = LinearPart(
        *(partial(_scaled, series, scale=scale) for series in (multiplier, forcing)), start=lambda gap: 0 * gap,
        formulas=(f.slope_in_uniformiser(T) ** 2, noise_of(slopes, theta, sine, 1 - T**2)),
        character=Character.of(growth, _scaled(multiplier, 4, scale)), exact_start=lambda gap: Integer(0),
    )  # fmt: skip
    series = linear.multiplier(len(growth)), linear.forcing(len(growth))
    solved = LinearSolution.solve(growth, *series, root=2, character=linear.character).rescale(scale)
    value = linear_value(solved.particular, solved.homogeneous, abel.multiplicity)
    dynamics = replace(dynamics, linear=linear, step=_noisy_step(slopes, f))
    coordinate = NoiseAbel(dynamics, abel, layer=Layer(phi, 1 / phi.second_moment, Integer(0)))
    return Law(
        r"n\operatorname{Var}[c^{L}]", depth_law(abel, DEPTH, terms, value), read_start, "variance correlation",
        coordinate=coordinate, linear=solved, text="n Var[c^L]",
    )  # fmt: skip


def noise_of(slopes: Sequence, theta, sine, c, turn=pi):
    """s at c = cos(theta), of numbers, formulas or expansions; `turn` is pi."""
    a, b = slopes
    square, twice, even, odd, rest = a * a + b * b, 2 * a * b, a**4 + b**4, a * b * (a * a + b * b), turn - theta
    cross, double = twice**2 / 2, c * c
    f = (sine * (square - twice) + c * (square * rest + twice * theta)) / (turn * square)
    pairs = 3 * sine * c * (even - cross) + (1 + 2 * double) * (even * rest + cross * theta)
    skew = 3 * c * (even * rest + odd * theta) + sine * (2 + double) * (even - odd)
    return (2 * pairs - 4 * f * skew + f * f * (3 * even * turn + pairs)) / (turn * square**2)


def _noise_series(slopes: Sequence, f: ReluLikeMap) -> tuple[Expansion, Expansion]:
    """f'^2 and s in t, from the map of |x|, whose slope is 1 - 2 theta/pi."""
    order, distance = DERIVED_ORDERS + 3, ReluLikeMap(ONE, Integer(0))
    theta = (1 - distance.slope_expansion(order)) * (pi / 2)
    c = 1 - Expansion.variable(theta.scale) ** 2
    sine = distance.expansion(order) * (pi / 2) - (pi / 2 - theta) * c
    return f.slope_expansion(order) ** 2, noise_of(slopes, theta, sine, c)


def _noisy_step(slopes: Sequence, f: ReluLikeMap) -> Callable:
    def step(state: tuple) -> tuple:
        gap, value = state
        with mp.workprec(mp.prec - 2 * min(0, mp.mag(gap)) + 16):  # terms of order 1 leave s = O(gap^2)
            theta, sine = 2 * mp.asin(mp.sqrt(gap / 2)), mp.sqrt(gap * (2 - gap))
            noise = noise_of(list(map(to_mpf, slopes)), theta, sine, 1 - gap, mp.pi)
        return f.gap(gap), f.gap_slope(gap) ** 2 * value + noise

    return step
