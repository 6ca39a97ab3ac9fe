"""Residual networks whose variance moves the map: how an activation behaves far from 0 decides what they do.

With phi(x) = a x + b + o(1) on either side, as its variance grows,

    a+ != a-                       'growing'    q_l ~ (1+alpha)^l, phi acts like the ReLU-like function of its slopes
    a+ = a- = 0, b+ or b- != 0     'bounded'    q_l ~ l, phi acts like the step function of its limits
    a+ = a- != 0                   'line'       the correlation stops moving
    anything else                  'other'

a and b are SymPy's limits, held against phi in numbers.  `is_fast`: phi - a x - b falls faster than any power, seen at
distances up to `FURTHEST`.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, Symbol, Tuple, asin, limit, log, oo, pi, simplify, sqrt

from asympt.architectures import relu_like, scaled
from asympt.architectures.composed import flow
from asympt.architectures.composed.compiling import normal_form
from asympt.architectures.composed.laws import affine_law
from asympt.architectures.law_parts import Coefficient, PositiveCoefficient, read_start, read_variance
from asympt.architectures.relu_like import DEPTH, LAYER, OneKink
from asympt.architectures.scaled import FallingBranch, LayerSum
from asympt.blocks import primitives
from asympt.blocks.nodes import LAYER as BLOCK_LAYER
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.layer import First, Statement
from asympt.numbers import exact, symbol_names, to_mpf
from asympt.precise.dense import MOST_LAYERS, MovingStep, followed, settled
from asympt.precise.far import Rest, Split, nodes_of
from asympt.recursions.agreement import EXTRA, Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.abel_numeric import Abel, NumericAbel, numeric_abel
from asympt.recursions.law import Law
from asympt.recursions.orbits import MatchingLayer
from asympt.recursions.protocol import MOVES, Coordinate, Dynamics, FollowedLayers, Known, Step
from asympt.symbols import Reserved

FURTHEST = 4000
SMALL = 30  # decimal powers
DIGITS = 60


@dataclass(frozen=True)
class Tails:
    """phi = slope x + offset + o(1): (right, left) pairs, None where there is no limit; the rest as above."""

    slopes: tuple[Expr, Expr] | None
    offsets: tuple[Expr, Expr] | None
    kind: str
    is_fast: bool


@lru_cache(maxsize=64)
def tails(phi: Activation) -> Tails:
    """The tails of phi; `UnsupportedError` with symbols in it.

    >>> from asympt.meanfield.activations import activation
    >>> tails(activation("elu"))
    Tails(slopes=(1, 0), offsets=(0, -1), kind='growing', is_fast=True)
    >>> tails(activation("arctan")).kind, tails(activation("monomial")).kind
    ('bounded', 'other')
    """
    symbols = phi.expression.free_symbols - {phi.symbol}
    if symbols:
        raise UnsupportedError(
            f"activation {phi.name!r} contains the symbols {symbol_names(symbols)}; give numbers, because its "
            "behaviour far from 0 decides"
        )
    function = phi.piecewise
    found = [_side(piece, phi.symbol, end) for piece, end in ((function.pieces[-1], oo), (function.pieces[0], -oo))]
    if None in found or not all(_confirmed(phi, *pair, sign) for pair, sign in zip(found, (1, -1), strict=True)):
        return Tails(None, None, "other", False)
    slopes, offsets = (tuple(values) for values in zip(*found, strict=True))
    fast = all(_falls(phi, *pair, sign) for pair, sign in zip(found, (1, -1), strict=True))
    return Tails(slopes, offsets, _kind(slopes, offsets), fast)


def _side(piece: Expr, x, end) -> tuple[Expr, Expr] | None:
    """(a, b) at one end, None where SymPy finds no finite limits."""
    slope = limit(piece / x, x, end)
    if not slope.is_finite or not slope.is_number:
        return None
    offset = limit(piece - slope * x, x, end)
    return (slope, offset) if offset.is_finite and offset.is_number else None


def _rest(phi: Activation, slope: Expr, offset: Expr, x):
    return abs(phi.numeric(x) - to_mpf(slope) * x - to_mpf(offset))


def _confirmed(phi: Activation, slope: Expr, offset: Expr, sign: int) -> bool:
    """Whether phi - a x - b falls by half over every four-fold distance up to 10^12."""
    with mp.workdps(DIGITS):
        noise = mpf(10) ** (20 - DIGITS)
        rests = [_rest(phi, slope, offset, sign * mpf(10) ** 4 * mpf(4) ** k) for k in range(14)]
        return all(b <= a / 2 + noise for a, b in pairwise(rests))


def _falls(phi: Activation, slope: Expr, offset: Expr, sign: int) -> bool:
    """Whether phi - a x - b is gone at `FURTHEST`; a power of x would be there still."""
    with mp.workdps(DIGITS):
        return bool(_rest(phi, slope, offset, sign * mpf(FURTHEST)) < mpf(10) ** -SMALL)


def is_inverse(phi: Activation) -> bool:
    """Whether phi approaches its lines at least as fast as 1/x, seen from 10^4 to 10^12.

    >>> from asympt.meanfield.activations import activation
    >>> is_inverse(activation("arctan"))
    True
    """
    found = tails(phi)
    sides = list(zip(found.slopes, found.offsets, (1, -1), strict=True))
    with mp.workdps(DIGITS):
        sizes = [[x * _rest(phi, a, b, sign * x) for a, b, sign in sides] for x in (mpf(10) ** 4, mpf(10) ** 12)]
        return all(late <= 2 * early for early, late in zip(*sizes, strict=True))


def _kind(slopes: tuple[Expr, Expr], offsets: tuple[Expr, Expr]) -> str:
    if simplify(slopes[0] - slopes[1]) != 0:
        return "growing"
    if slopes[0] != 0:
        return "line"
    return "other" if offsets == (Integer(0), Integer(0)) else "bounded"


def added_variance(statement: Statement) -> Expr:
    """v, what a layer adds to the variance in the limit."""
    up, down = tails(statement.layer.activation).offsets
    return statement.layer.bias_variance + statement.layer.weight_variance * (up**2 + down**2) / 2


@lru_cache(maxsize=64)
def limit_statement(statement: Statement) -> Statement:
    """The ReLU-like network without bias that the layers approach.

    >>> from asympt.architectures import ResNet
    >>> s = limit_statement(ResNet("elu", sigma_b=1).statement)
    >>> s.layer.activation.slopes, s.branch_share
    ((1, 0), 1/3)
    """
    right, left = tails(statement.layer.activation).slopes
    phi = activation("relu_like", right=right, left=left)
    first = statement.first
    layer = replace(statement.layer, activation=phi, bias_variance=first.bias * 0)
    return replace(
        statement, layer=layer, bias_rate=first.bias * 0,
        first=First(first.weight, first.bias * 0, first.weight_rate, first.bias * 0),
    )


@lru_cache(maxsize=64)
def limit_form(statement: Statement):
    """The normal form of the ReLU-like network without bias that the layers approach, as a composition."""
    right, left = tails(statement.layer.activation).slopes
    phi, scale = primitives.activation("relu_like", right=right, left=left), BLOCK_LAYER ** (-statement.decay / 2)
    weight, ratio = statement.layer.weight_variance, statement.learning_ratio
    drawn = primitives.dense(sqrt(weight), weight_rate=None if ratio == 1 else weight * ratio)
    found = normal_form(primitives.residual(phi, drawn, scale=scale), None)
    return OneKink.of(found.total) if found.total is not None else FallingBranch.of(found)


def require_fast(statement: Statement) -> None:
    """`UnsupportedError` where phi approaches its lines like a power."""
    if not tails(statement.layer.activation).is_fast:
        raise UnsupportedError(
            f"activation {statement.layer.activation.name!r} approaches its straight lines only like a power of x, so "
            "numbers at a depth would need more of its behaviour at infinity; the law's formula holds"
        )


@lru_cache(maxsize=64)
def step_of(statement: Statement) -> MovingStep:
    """One layer of the network itself."""
    return MovingStep(statement, Split(rest_of(statement.layer.activation)))


def rest_of(phi: Activation) -> Rest:
    """What phi has beside its lines."""
    found = tails(phi)
    return Rest(phi.piecewise, found.slopes, found.offsets)


def read_pair(correlation=None, gap=None, variance=None) -> Expr:
    """(1 - c^1, q^1), exact; both inputs have the variance q^1."""
    start = read_start(correlation, gap)
    if start == 0:
        raise InputError("correlation = 1 means one input twice, which has no law here; give c^1 < 1")
    return Tuple(start, read_variance(variance))


# ---- laws whose numbers are those of the layers, and the clock by which variances grow -----------------
#
# y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), 0 <= kappa <= 1: where the branch comes to add the same v to the
# variance, q_l ~ v sum l^(-kappa), which is l^(1 - kappa)/(1 - kappa) or, for kappa = 1, log l.  What a law of q
# says of l holds of this clock.


ORBIT = 5  # digits of the orbit beyond its route


class ByLayers(FollowedLayers):
    """No numbers but those of the layers: a start is (gap, variance), and C and D have no formula.

    A subclass says whose layers these are, `network`, and whether the NTK goes along, `with_ntk`.
    """

    most_layers = MOST_LAYERS
    evidence, unproved = "growing", MOVES
    network: Statement
    with_ntk: bool = True
    formulas = None  # of the network's own recursion: the limit's are another one's, of which a proof would say nothing

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two precisions."""
        return Coordinate.routes(self, digits, depth)

    def to_layer(self, start: tuple, depth: int, route: Route, crossing: None) -> tuple:
        """(gap, kernel), or (gap,), at a layer."""
        state = followed(step_of(self.network), *start, route.digits + ORBIT, depth)
        return (state.gap, state.kernel)[: 1 + self.with_ntk]


def _of_other(name: str) -> property:
    """What another law has by this name."""
    return property(lambda self: getattr(self.of, name))


@dataclass(frozen=True)
class OfAnother(ByLayers):
    """The coordinate of another law, `of`, whose numbers are those of the layers of `network`."""

    network: Statement
    of: Law = field(compare=False)

    @property
    def with_ntk(self) -> bool:
        return self.of.name == "ntk"

    @property
    def says_limit_and_power(self) -> bool:
        return self.of.coordinate.says_limit_and_power

    dynamics, abel, time = map(_of_other, ("dynamics", "abel", "time"))

    def steps(self, law) -> tuple[Step, ...]:
        return self.of.coordinate.steps(law)


@dataclass(frozen=True)
class VarianceByLayers(ByLayers):
    """q of the layers, or its logarithm."""

    network: Statement
    is_logarithm: bool = False

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        q = followed(step_of(self.network), None, start, route.digits + ORBIT, depth).variance
        with mp.workdps(route.digits + ORBIT):
            return (mp.log(q) if self.is_logarithm else q,)


def clock_of(statement: Statement, depth: Symbol) -> Expr:
    """What grows like the sum of the branches' l^(-kappa): l^(1 - kappa), or log l."""
    kappa = statement.decay
    return log(depth) if kappa == 1 else depth ** (1 - kappa)


def clock_scale(statement: Statement, depth: Symbol) -> tuple[Scale, Expr]:
    """The scale of a law and the power of its variable that grows like the clock."""
    kappa = statement.decay
    return (Scale.at_infinity(log(depth)), Integer(1)) if kappa == 1 else (Scale.at_infinity(depth), 1 - kappa)


# ---- phi with a straight line on each side, and biases -----------------------------------------------
#
# phi(x) = a+- x + b+- + r(x) with r falling fast (`tails`).  With alpha = sigma_w^2 (a+^2 + a-^2)/2 the variance is
# q_l = C (1+alpha)^l (1 + O((1+alpha)^(-l/2))), and at fixed c the layer is that of the ReLU-like phi with the slopes
# a+, a- and no bias, up to a part of relative size q_l^(-1/2).  With its Abel function A
#
#     A(t_(l+1)) - A(t_l) - 1 = O(l q_l^(-1/2))
#
# is summable, so 1 - c^l and K^L/(q_L L) have the ReLU-like laws with these slopes, every term; only C and D depend on
# phi and q^1.  Where branches fall the flow time T of the limit and the clock of its steps stand for A and l; T - clock
# settles like l^(-alpha/2), so C and D are not read off, and numbers come from the layers.  The constant in O(.) is not
# computed: numbers are agreed upon by two matching layers and two precisions.


def growing_correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l; the start is correlation=c^1 (or gap) and variance=q^1."""
    limit = limit_form(statement)
    if statement.decay != 0:
        return _along(statement, flow.correlation_law(limit.form, limit.steps, terms))
    return _along(statement, relu_like.correlation_law(limit, terms))


def growing_ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x')/(q_L L), of K^L/q_L where branches fall; q_L is the variance of both inputs in layer L."""
    limit = limit_form(statement)
    if statement.decay != 0:
        return _along(statement, flow.kernel_law(limit.form, limit.steps, terms))
    return _along(statement, relu_like.ntk_law(limit, terms, None, relu_like.GROWING))


def _along(statement: Statement, law: Law) -> Law:
    """The law of the limit, its numbers from the network's own layers."""
    falls = statement.decay != 0
    coordinate = OfAnother(statement, law) if falls else Growing(law.dynamics, law.abel, statement=statement)
    return replace(law, coordinate=coordinate, reader=read_pair, layer=statement, family=None)


@dataclass(frozen=True)
class Growing(Abel):
    """Abel's coordinate of the limit (`dynamics`, `abel`), entered from the orbit of another network, `statement`.

    Constants and states are those of the coordinate, (gap,) or (gap, kernel); a start is (gap, variance).
    """

    statement: Statement = field(kw_only=True)

    kind = evidence = "growing"
    unproved = MOVES
    extras = EXTRA
    cancels = False

    def parameters(self, linear) -> set:
        return self.statement.parameters

    def crossing(self, start: tuple, route: Route) -> MatchingLayer:
        """Where the series is accurate, by the limit's own recursion beyond the layer where phi acts like its lines."""
        beyond, gap = _beyond(self, start, route)
        return beyond.crossing(gap, route)

    def crossing_before(self, start: tuple, depth: int, route: Route) -> MatchingLayer | None:
        """The same; None for a depth that the network itself is followed to."""
        require_fast(self.statement)
        return None if self.followed(start, route, depth).layer == depth else self.crossing(start, route)

    def to_layer(self, start: tuple, depth: int, route: Route, crossing: MatchingLayer | None) -> tuple:
        if crossing is None:
            return self.moving(self.followed(start, route, depth))
        beyond, gap = _beyond(self, start, route)
        return beyond.to_layer(gap, depth, route, crossing)

    def followed(self, start: tuple, route: Route, last: int | None = None):
        """The network's own orbit, to layer `last` or until phi acts like its lines."""
        with mp.workdps(route.digits + ORBIT):
            return settled(step_of(self.statement), *start, route.digits, last)

    def moving(self, state) -> tuple:
        """(gap,) or (gap, kernel)."""
        return (state.gap,) if self.dynamics.linear is None else (state.gap, state.kernel)


@dataclass(frozen=True)
class AbelOfLimit(Abel):
    """Abel's coordinate from a later layer on, by the series of the recursion `limit`."""

    limit: Dynamics = field(kw_only=True)

    def numeric(self, last: int, digits: int) -> NumericAbel:
        return numeric_abel(self.limit, last, digits)


@lru_cache(maxsize=256)
def _beyond(coordinate: Growing, start: tuple, route: Route) -> tuple[AbelOfLimit, Expr]:
    """The limit from the layer on where phi acts like its lines, and the gap there."""
    require_fast(coordinate.statement)
    state, limit = coordinate.followed(start, route), coordinate.dynamics
    linear = limit.linear and replace(limit.linear, start=lambda gap: state.kernel)
    with mp.workdps(route.digits + ORBIT):
        return AbelOfLimit(replace(limit, first=state.layer, linear=linear), limit=limit), exact(state.gap)


# With h the two lines, J_k the integral of (phi^2 - h^2) x^(2k) and B = sigma_w^2 sqrt(2/pi) (a+ b+ - a- b-)
#
#     q' = g q + B sqrt(q) + c_0 + (sigma_w^2/sqrt(2 pi)) sum_k (-1/2)^k J_k/(k! q^(k + 1/2)),
#     q_l = C g^l + E sqrt(C) g^(l/2) - (c_0 + B E/2)/alpha + O(g^(-l/2)),       E = -B/(g - sqrt(g)),
#
# g = 1 + alpha and c_0 what the offsets and biases add: the J_k are beyond these three terms.  Where branches fall
# log q_l is that of the ReLU-like limit but for its constant (`scaled`).


def growing_variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, three terms at most; of log q^l where branches fall."""
    return _growing_law(statement, terms) if statement.decay == 0 else _falling_growing(statement, terms)


def _growing_law(statement: Statement, terms: int) -> Law:
    growth, mixed, constant = coefficients(statement)
    half = -mixed / (growth - sqrt(growth))
    rest = -(constant + mixed * half / 2) / (growth - 1)
    wanted = ((-1, CONNECTION), (Rational(-1, 2), half * sqrt(CONNECTION)), (0, rest))
    kept = tuple((Monomial(k), c) for k, c in wanted if c != 0)[:terms]
    dropped = [Monomial(k) for k, c in wanted if c != 0][terms:]
    rest = Formal(dropped[0] if dropped else Monomial(Rational(1, 2)))
    expansion = Expansion(Exponential(LAYER, base=1 / growth), kept, rest)
    coordinate = GrowingVariance(statement)
    return Law("q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


def _falling_growing(statement: Statement, terms: int) -> Law:
    """log q_l = sum of log(1 + alpha l^(-kappa)) + C, up to O(l^(-alpha/2)) where q_l is a power of l."""
    alpha, kappa = limit_statement(statement).layer.chi, statement.decay
    expansion = scaled.sum_with_terms(LayerSum(alpha, kappa, True), LAYER, terms, lambda found: found + CONNECTION)
    if kappa == 1:
        expansion = expansion.up_to(Monomial(min(Integer(1), alpha / 2)))
    coordinate = VarianceByLayers(statement, is_logarithm=True)
    return Law(r"\log q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


def coefficients(statement: Statement) -> tuple[Expr, Expr, Expr]:
    """(g, B, c_0) of q' = g q + B sqrt(q) + c_0 + ..."""
    found = tails(statement.layer.activation)
    (right, left), (up, down) = found.slopes, found.offsets
    mixed = statement.layer.weight_variance * sqrt(2 / pi) * (right * up - left * down)
    return limit_statement(statement).growth, mixed, added_variance(statement)


@dataclass(frozen=True)
class GrowingVariance(Coordinate):
    """q^l/(1 + alpha)^l, which tends to C (see `Coordinate`); two precisions read it at two layers."""

    statement: Statement

    kind = evidence = "growing"

    def parameters(self, linear) -> set:
        return self.statement.parameters

    def steps(self, law) -> tuple[Step, ...]:
        """q' in q."""
        growth, mixed, constant = coefficients(self.statement)
        known = {(-1, 0): growth, (-Rational(1, 2), 0): mixed, (0, 0): constant}
        image = Expansion.build(Scale.at_infinity(Symbol("q", positive=True)), known, Formal(Monomial(Rational(1, 2))))
        return (Step("map", {"grown": image, "multiplier": growth}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        layer, q = self._followed(start, route, depth)
        with mp.workdps(route.digits + ORBIT):
            return (q * self._growth() ** (depth - layer),)

    def crossing(self, start: Expr, route: Route) -> Known:
        """C."""
        layer, q = self._followed(start, route, None)
        with mp.workdps(route.digits + ORBIT):
            return Known(q / self._growth() ** layer)

    def _growth(self):
        return to_mpf(limit_statement(self.statement).growth)

    def _followed(self, start: Expr, route: Route, last: int | None) -> tuple:
        require_fast(self.statement)
        with mp.workdps(route.digits + ORBIT):
            return settled(step_of(self.statement), None, start, route.digits, last)[:2]


# ---- bounded phi with limits b+ and b- at infinity: tanh, erf, sigmoid -------------------------------
#
# The variance grows, so phi acts more and more like a step.  v = sigma_b^2 + sigma_w^2 (b+^2 + b-^2)/2 is what a layer
# adds to it in the end.  With a = sigma_w^2 (b+ - b-)^2/(4 v) one layer moves the correlation by
# c' = c + (g(c) - c)/l + O(l^(-3/2)), g(c) = 1 - a + (2 a/pi) arcsin(c).  g'(1) is infinite, so 1 repels, and
#
#     c^l = c* + D l^(-p) + ...,    p = 1 - g'(c*),    1 - cos(theta) = 2 a theta/pi,  c* = cos(theta),
#     K^L(x, x')/q_L -> r c*/p;     for c* = 0 (a = 1), K^L/q_L = (2 r D/pi) log(L)/L^p + O(L^(-p)).
#
# Where branches fall like l^(-kappa), 0 < kappa <= 1, their sum stands for l (`clock_scale`).  The diagonal grows like
# exp(const sqrt(q_L)), since E[phi'(sqrt(q) Z)^2] falls only like q^(-1/2).  Leading orders; D(c^1, q^1) has no
# formula, and numbers come from the layers.  phi - h, h the step, falls faster than any power, or like 1/x.


STEP = 10  # digits


@dataclass(frozen=True)
class LayerByLayer(ByLayers):
    """No coordinate at all: the network is followed layer by layer."""

    network: Statement
    with_ntk: bool = True

    says_limit_and_power = True

    @property
    def dynamics(self):
        """There is none: `UnsupportedError`."""
        raise UnsupportedError(
            "a law of leading order has no recursion of its own to be put into; evaluate it, or iterate the layer"
        )

    def steps(self, law) -> tuple[Step, ...]:
        """c' = c + (g(c) - c) dq/q to leading order, and where it leads."""
        share, c = step_share(self.network), Reserved("c", real=True)
        drift = 1 - share + 2 * share / pi * asin(c) - c
        found = {"fixed": fixed_correlation(self.network), "drift": drift, "exponent": exponent(self.network)}
        return (Step("map", {**found, "clock": clock_of(self.network, law.depth_variable)}),)


def bounded_correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l: the limit, the power and its remainder, however many terms are asked."""
    limit, decay, (scale, unit) = fixed_correlation(statement), exponent(statement), clock_scale(statement, LAYER)
    known = {(0, 0): 1 - limit, (decay * unit, 0): -SECOND}
    kept = dict(list(known.items())[:terms])
    rest = _rest_order(statement, unit) if terms > 1 else Monomial(decay * unit)
    expansion = Expansion.build(scale, kept, Formal(rest))
    coordinate = LayerByLayer(statement, with_ntk=False)
    return Law("1-c^{l}", expansion, read_pair, "correlation", coordinate=coordinate, layer=statement)


def bounded_ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x')/q_L to leading order."""
    limit, decay, ratio = fixed_correlation(statement), exponent(statement), statement.learning_ratio
    scale, unit = clock_scale(statement, DEPTH)
    if limit == 0:
        known, rest = {(decay * unit, 1): 2 * ratio * unit * SECOND / pi}, Monomial(decay * unit)
    else:
        known, rest = {(0, 0): ratio * limit / decay}, Monomial(decay * unit, 1)
    expansion = Expansion.build(scale, known, Formal(rest))
    coordinate, quantity = LayerByLayer(statement), r"\frac{K^{L}(x,x')}{q_{L}}"
    return Law(quantity, expansion, read_pair, "ntk", coordinate=coordinate, layer=statement)


def _rest_order(statement: Statement, unit: Expr) -> Monomial:
    """q^(-1/2) from E[phi phi] at c*, or that times q^(-p) where it vanishes; a log where phi - h falls like 1/x."""
    logs = 0 if tails(statement.layer.activation).is_fast else 1
    half = Rational(1, 2)
    return Monomial(unit * (half + (exponent(statement) if fixed_correlation(statement) == 0 else 0)), logs)


def step_share(statement: Statement) -> Expr:
    """a = sigma_w^2 (b+ - b-)^2/(4 v), between 0 and 1."""
    phi = statement.layer.activation
    up, down = tails(phi).offsets
    if statement.parameters:
        raise UnsupportedError(
            f"the network contains the symbols {symbol_names(statement.parameters)}; give numbers, because the "
            "exponent of a bounded activation is the root of an equation in them"
        )
    if simplify(up - down) == 0:
        raise UnsupportedError(
            f"activation {phi.name!r} has the same limit {up} on both sides, so its step carries no correlation; take "
            "one with two limits"
        )
    if not tails(phi).is_fast and not is_inverse(phi):
        raise UnsupportedError(
            f"activation {phi.name!r} approaches its limits more slowly than 1/x, so the order of the law of the "
            "correlation is not known; take one such as tanh or arctan"
        )
    return simplify(statement.layer.weight_variance * (up - down) ** 2 / (4 * added_variance(statement)))


@lru_cache(maxsize=64)
def fixed_correlation(statement: Statement) -> Expr:
    """c*: 0 for a = 1, else a constant known by its digits."""
    share = step_share(statement)
    if share == 1:
        return Integer(0)
    return PositiveCoefficient("c_*", lambda: mp.cos(_angle(share)), key=("c* of the step", share), latex="c_{*}")


@lru_cache(maxsize=64)
def exponent(statement: Statement) -> Expr:
    """p = 1 - g'(c*)."""
    share = step_share(statement)
    if share == 1:
        return 1 - 2 / pi

    def digits():
        return 1 - 2 * to_mpf(share) / (mp.pi * mp.sin(_angle(share)))

    return PositiveCoefficient("p", digits, key=("p of the step", share), latex="p")


def _angle(share: Expr):
    """theta in (0, pi/2) with 1 - cos(theta) = 2 a theta/pi."""
    with mp.workdps(mp.dps + STEP):
        rate = 2 * to_mpf(share) / mp.pi
        found = mp.findroot(lambda x: 2 * mp.sin(x / 2) ** 2 / x - rate, (rate, mp.pi / 2), solver="anderson")
    return +found


def bounded_variance_law(statement: Statement, terms: int) -> Law:
    """v tau + 2 sigma_w^2 J_0 sqrt(tau)/sqrt(2 pi v), J_0 = int (phi^2 - h^2), or the first; exact where phi is h.

    tau = l, l^(1-kappa)/(1-kappa) or log l.
    """
    v, kappa, (scale, unit) = added_variance(statement), statement.decay, clock_scale(statement, LAYER)
    is_fast = tails(statement.activation).is_fast
    if kappa == 0 and is_fast and _is_step(statement):
        return affine_law(Integer(1), v, True, statement)
    whole = 1 if kappa == 1 else 1 / (1 - kappa)
    known, rest = {(-unit, 0): v * whole}, Monomial(-unit / 2, 0 if is_fast else 1)
    if terms > 1 and is_fast:
        second = 2 * statement.layer.weight_variance * _excess(statement) * sqrt(whole) / sqrt(2 * pi * v)
        known, rest = known | {(-unit / 2, 0): second}, Monomial(0, 1)
    expansion = Expansion.build(scale, known, Formal(rest))
    coordinate = VarianceByLayers(statement)
    return Law("q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


def _is_step(statement: Statement) -> bool:
    with mp.workdps(STEP):
        return not nodes_of(rest_of(statement.activation), STEP)


def _excess(statement: Statement) -> Expr:
    rest = rest_of(statement.activation)

    def digits():
        return nodes_of(rest, mp.dps + STEP).excess()

    return Coefficient("J_0", digits, key=("J", 0, statement.activation.piecewise), latex="J_{0}")


LAWS = {
    "growing": {"correlation_law": growing_correlation_law, "ntk_law": growing_ntk_law,
                "variance_law": growing_variance_law},
    "bounded": {"correlation_law": bounded_correlation_law, "ntk_law": bounded_ntk_law,
                "variance_law": bounded_variance_law},
}  # fmt: skip
