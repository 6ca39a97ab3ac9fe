"""Networks whose variance moves the map in every layer: residual ones, where it grows, critical ones, where it falls.

Where it grows, the lines of phi far from 0 (`tails`) decide the laws.  A start goes through the layers themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from mpmath import mp
from sympy import Expr, Integer, Rational, Symbol, asin, log, pi, simplify, sqrt

from asympt.architectures import relu_like, scaled
from asympt.architectures.composed import flow
from asympt.architectures.composed.compiling import normal_form
from asympt.architectures.composed.laws import affine_law
from asympt.architectures.law_parts import PositiveCoefficient, read_start, read_variance
from asympt.architectures.norms import MOST_LAYERS, GrowingRest, PairStart, VanishingRest, VarianceRest
from asympt.architectures.relu_like import DEPTH, LAYER, OneKink
from asympt.architectures.scaled import FallingBranch, LayerSum
from asympt.architectures.tails import added_variance, has_formula_far_out, is_inverse, limit_statement, tails
from asympt.blocks import primitives
from asympt.blocks.nodes import LAYER as BLOCK_LAYER
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.layer import Statement
from asympt.numbers import symbol_names, to_mpf
from asympt.precise.dense import DenseStep
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.law import Law
from asympt.recursions.protocol import MOVES, FollowedLayers, Step
from asympt.recursions.unsettled import Arrival
from asympt.symbols import Reserved

# ---- starts and layers ----------------------------------------------------------------------------------

FEW = 12  # layers, where the variance grows exponentially and each of them is a quadrature in the plane
SPARE = 5  # digits


@dataclass(frozen=True)
class MovingRest(VanishingRest):
    """A variance that moves the correlation in every layer; `linear`: K/q is asked."""

    named = "the variance moves the correlation in every layer"

    def arrived(self, state: tuple) -> Arrival:
        layer, _, _, gap, kernel = state
        seen = kernel if self.linear else gap
        return Arrival(layer, seen, seen, kernel)


@dataclass(frozen=True)
class MovingStart(PairStart):
    """Exact gap and variance of layer 1 of `network`, the same for both inputs."""

    network: Statement = field(kw_only=True)

    why = unproved = MOVES

    def entering(self, law, asked, variances: tuple = ()):
        """There is no theorem: `UnsupportedError`."""
        raise UnsupportedError(self.unproved)

    def follow(self, law, digits: int, last: int | None, least: int = 1) -> Arrival:
        phi = self.network.activation
        if law.coordinate.has_constants and (last is None or last > FEW) and not has_formula_far_out(phi):
            raise UnsupportedError(
                f"E[phi phi] of {phi.name!r} has no closed form at large variances, so layers are followed to layer "
                f"{FEW} at most and C is not computed; take asympt.depth.pairs at other depths"
            )
        return super().follow(law, digits, last, least)

    def _rest(self, law) -> VarianceRest:
        """Until phi acts like its lines, where the law's recursion is theirs and the same in every layer."""
        if law.coordinate.has_constants:
            return GrowingRest.of_lines(self.network, law.linear is not None)
        return MovingRest(self.network, 1.0, 1.0, Integer(0), law.name == "ntk")


def read_pair(network: Statement, correlation=None, gap=None, variance=None) -> MovingStart:
    """(1 - c^1, q^1), exact; both inputs have the variance q^1."""
    start, q = read_start(correlation, gap), read_variance(variance)
    if start == 0:
        raise InputError("correlation = 1 means one input twice, which has no law here; give c^1 < 1")
    return MovingStart(start, q, q, network.layer, network=network)


@dataclass(frozen=True)
class LayerByLayer(FollowedLayers):
    """No coordinate at all: the network is followed layer by layer."""

    network: Statement

    most_layers = MOST_LAYERS
    evidence, unproved = "growing", MOVES

    def parameters(self, linear) -> set:
        return self.network.parameters


@dataclass(frozen=True)
class VarianceByLayers(LayerByLayer):
    """q of the layers, or its logarithm."""

    is_logarithm: bool = False

    unproved = FollowedLayers.unproved

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        step = DenseStep(self.network)
        with mp.workdps(route.digits + SPARE):
            q = to_mpf(start)
            for layer in range(2, depth + 1):
                q = step.variance(layer, q)
            return (mp.log(q) if self.is_logarithm else q,)


def _variance_law(statement: Statement, expansion: Expansion, is_logarithm: bool = False) -> Law:
    coordinate, quantity = VarianceByLayers(statement, is_logarithm), r"\log q^{l}" if is_logarithm else "q^{l}"
    return Law(quantity, expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


# ---- the clock by which variances grow -----------------------------------------------------------------
#
# y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), 0 <= kappa <= 1: where the branch comes to add the same v to the
# variance, q_l ~ v sum l^(-kappa), which is l^(1 - kappa)/(1 - kappa) or, for kappa = 1, log l.  What a law of q
# says of l holds of this clock.


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
# computed: numbers are agreed upon by two matching layers and two precisions.  Of q_l the leading term is printed.


@lru_cache(maxsize=64)
def limit_form(statement: Statement):
    """The normal form of the ReLU-like network without bias that the layers approach, as a composition."""
    right, left = tails(statement.layer.activation).slopes
    phi, scale = primitives.activation("relu_like", right=right, left=left), BLOCK_LAYER ** (-statement.decay / 2)
    weight, ratio = statement.layer.weight_variance, statement.learning_ratio
    drawn = primitives.dense(sqrt(weight), weight_rate=None if ratio == 1 else weight * ratio)
    found = normal_form(primitives.residual(phi, drawn, scale=scale), None)
    return OneKink.of(found.total) if found.total is not None else FallingBranch.of(found)


@dataclass(frozen=True)
class Growing(Abel):
    """Abel's coordinate of the limit, entered by orbits of another network, `network`."""

    network: Statement = field(kw_only=True)

    kind = evidence = "growing"
    unproved = MOVES
    cancels = False

    def parameters(self, linear) -> set:
        return self.network.parameters


@dataclass(frozen=True)
class OfAnother(LayerByLayer):
    """The coordinate of another law, `of`, whose numbers are those of the layers of `network`."""

    of: Law = field(compare=False)
    formulas = None  # of the network's own recursion: the limit's are another one's, of which a proof would say nothing

    dynamics, abel, time = (
        property(lambda self, name=name: getattr(self.of, name)) for name in ("dynamics", "abel", "time")
    )

    @property
    def says_limit_and_power(self) -> bool:
        return self.of.coordinate.says_limit_and_power

    def steps(self, law) -> tuple[Step, ...]:
        return self.of.coordinate.steps(law)


def growing_correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l; the start is correlation=c^1 (or gap) and variance=q^1."""
    return _growing_law(statement, terms, flow.correlation_law, relu_like.correlation_law)


def growing_ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x')/(q_L L), of K^L/q_L where branches fall; q_L is the variance of both inputs in layer L."""
    repeated = partial(relu_like.ntk_law, quantity=relu_like.GROWING)
    return _growing_law(statement, terms, flow.kernel_law, repeated)


def _growing_law(statement: Statement, terms: int, falling: Callable, repeated: Callable) -> Law:
    """The law of the limit, whose branches fall or are alike, its numbers from the network's own layers."""
    limit = limit_form(statement)
    if statement.decay != 0:
        law = falling(limit.form, limit.steps, terms)
        coordinate = OfAnother(statement, law)
    else:
        law = repeated(limit, terms)
        coordinate = Growing(law.dynamics, law.abel, network=statement)
    return replace(law, coordinate=coordinate, reader=partial(read_pair, statement), layer=statement, family=None)


def growing_variance_law(statement: Statement, terms: int) -> Law:
    """The leading term of q^l; where branches fall, the law of log q^l, up to O(l^(-alpha/2)) if q_l is a power of l.

    log q_l = sum of log(1 + alpha l^(-kappa)) + C.
    """
    limit, kappa = limit_statement(statement), statement.decay
    if kappa == 0:
        scale, rest = Exponential(LAYER, base=1 / limit.growth), Formal(Monomial(-Rational(1, 2)))
        return _variance_law(statement, Expansion(scale, ((Monomial(-1), CONNECTION),), rest))
    alpha = limit.layer.chi
    expansion = scaled.sum_with_terms(LayerSum(alpha, kappa, True), LAYER, terms, lambda found: found + CONNECTION)
    if kappa == 1:
        expansion = expansion.up_to(Monomial(min(Integer(1), alpha / 2)))
    return _variance_law(statement, expansion, True)


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
class LimitAndPower(LayerByLayer):
    """The layers, of a law that says where they lead and how fast."""

    says_limit_and_power = True

    def steps(self, law) -> tuple[Step, ...]:
        """c' = c + (g(c) - c) dq/q to leading order, and where it leads."""
        share, c = step_share(self.network), Reserved("c", real=True)
        drift = 1 - share + 2 * share / pi * asin(c) - c
        depth, kappa = law.depth_variable, self.network.decay
        clock = log(depth) if kappa == 1 else depth ** (1 - kappa)
        found = {"fixed": fixed_correlation(self.network), "drift": drift, "exponent": exponent(self.network)}
        return (Step("map", {**found, "clock": clock}),)


def bounded_correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l: the limit, the power and its remainder, however many terms are asked."""
    limit, decay, (scale, unit) = fixed_correlation(statement), exponent(statement), clock_scale(statement, LAYER)
    known = {(0, 0): 1 - limit, (decay * unit, 0): -SECOND}
    kept = dict(list(known.items())[:terms])
    rest = _rest_order(statement, unit) if terms > 1 else Monomial(decay * unit)
    return _bounded_law(statement, "1-c^{l}", Expansion.build(scale, kept, Formal(rest)), "correlation")


def bounded_ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x')/q_L to leading order."""
    limit, decay, ratio = fixed_correlation(statement), exponent(statement), statement.learning_ratio
    scale, unit = clock_scale(statement, DEPTH)
    if limit == 0:
        known, rest = {(decay * unit, 1): 2 * ratio * unit * SECOND / pi}, Monomial(decay * unit)
    else:
        known, rest = {(0, 0): ratio * limit / decay}, Monomial(decay * unit, 1)
    return _bounded_law(statement, r"\frac{K^{L}(x,x')}{q_{L}}", Expansion.build(scale, known, Formal(rest)), "ntk")


def _bounded_law(statement: Statement, quantity: str, expansion: Expansion, name: str) -> Law:
    coordinate, reader = LimitAndPower(statement), partial(read_pair, statement)
    return Law(quantity, expansion, reader, name, coordinate=coordinate, layer=statement)


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
    """v tau, tau = l, l^(1-kappa)/(1-kappa) or log l; exact where phi is its step."""
    v, kappa, (scale, unit) = added_variance(statement), statement.decay, clock_scale(statement, LAYER)
    function, (up, down) = statement.activation.piecewise, tails(statement.activation).offsets
    if kappa == 0 and tuple(function.breaks) == (0,) and tuple(function.pieces) == (down, up):
        return affine_law(Integer(1), v, True, statement)
    rest = Formal(Monomial(-unit / 2, 0 if tails(statement.activation).is_fast else 1))
    return _variance_law(statement, Expansion.build(scale, {(-unit, 0): v if kappa == 1 else v / (1 - kappa)}, rest))


# ---- critical networks without bias, PDLT's class K* = 0: the variance falls like 1/l -----------------
#
# sigma_b = 0 and sigma_w phi'(0) = 1: V(q) = q - A q^2 + ... and c' = c + O(q), so q and c are both neutral.
# With phi(x)/phi'(0) = x + a x^2 + b x^3 + ..., A = -(3 a^2 + 6 b) > 0 and q ~ 1/(A l),
#
#     c' - c = a^2 q (1 - c) (1 - 2c) - 3 b^2 c ((q - q')^2 + 2 q q' (1 - c^2)) + ...
#     a = 0:   c^l = C + C (1 - C^2)/(6 l) + ...,       K^L -> C/A:                     the kernel keeps the angles
#     a != 0:  c^l = 1/2 + C l^(-eta) + ..., eta = a^2/A (for eta < 1),   K^L -> 1/(2 A (1 + eta)).
#
# phi = sin: a = 0, A = 1, and K^L tends to the limit C of the correlation, which the start decides.  C has no formula;
# numbers are those of the layers.


HALF = Rational(1, 2)


@dataclass(frozen=True)
class BothNeutral(FollowedLayers):
    """The layers themselves."""

    most_layers = MOST_LAYERS
    unproved = "the variance and the correlation of this network are both neutral, for which there is no theorem yet"


def vanishing_correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l, two terms at most; a start is the correlation and the two variances."""
    exponent = rates_of(statement)[1]
    known, rest = [(Monomial(0), HALF)], Monomial(1, 1)
    if exponent == 0:
        second = -CONNECTION * (1 - CONNECTION**2) / 6
        known, rest = [(Monomial(0), 1 - CONNECTION), (Monomial(1), second)], Monomial(2, 1)
    elif exponent < 1:
        known, rest = [(Monomial(0), HALF), (Monomial(exponent), -CONNECTION)], Monomial(min(2 * exponent, Integer(1)))
    rest = known[terms][0] if terms < len(known) else rest
    return _vanishing_law(statement, "1-c^{l}", LAYER, known[:terms], rest, "correlation")


def vanishing_ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x') itself, its limit: K' = (1 - (1 + eta)/L) K + c/(A L) + ..."""
    rate, exponent = rates_of(statement)
    limit = CONNECTION / rate if exponent == 0 else 1 / (2 * rate * (1 + exponent))
    rest = Monomial(exponent) if 0 < exponent < 1 else Monomial(1, 1)
    return _vanishing_law(statement, "K^{L}(x,x')", DEPTH, [(Monomial(0), limit)], rest, "ntk")


def rates_of(statement: Statement) -> tuple[Expr, Expr]:
    """(A, eta) of a critical phi.

    >>> from asympt import FeedForward
    >>> rates_of(FeedForward("sin(x) + 1 - cos(x)", sigma_w=1).statement)
    (1/4, 1)
    """
    phi = statement.activation
    found = phi.small_variance
    if found is None or not found[0] < 0:
        raise UnsupportedError(
            f"with sigma_b = 0 the Taylor series of {phi.name!r} at 0 to third order does not say that its variance "
            "tends to 0, nor how fast; take sigma_b > 0, or ask for variance_law()"
        )
    return -found[0], (found[1] - found[0]) / -found[0]


def _vanishing_law(statement: Statement, quantity: str, depth: Symbol, terms: list, rest: Monomial, name: str) -> Law:
    expansion = Expansion.build(Scale.at_infinity(depth), dict(terms), Formal(rest))
    return Law(quantity, expansion, read_start, name, coordinate=BothNeutral(), layer=statement)


LAWS = {
    "growing": {"correlation_law": growing_correlation_law, "ntk_law": growing_ntk_law,
                "variance_law": growing_variance_law},
    "bounded": {"correlation_law": bounded_correlation_law, "ntk_law": bounded_ntk_law,
                "variance_law": bounded_variance_law},
    "vanishing": {"correlation_law": vanishing_correlation_law, "ntk_law": vanishing_ntk_law},
}  # fmt: skip
