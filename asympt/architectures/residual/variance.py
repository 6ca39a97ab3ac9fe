r"""The variance of residual networks whose phi has a straight line on each side, or a limit: q'/q in t = q^(-1/2).

Rule.  phi(x) = a+- x + b+- + r(x) (`tails`).  With h the two lines and J_k the integral of (phi^2 - h^2) x^(2k)

    q' = g q + B sqrt(q) + c_0 + (sigma_w^2/sqrt(2 pi)) sum_k (-1/2)^k J_k/(k! q^(k + 1/2)),

g = 1 + alpha, B = sigma_w^2 sqrt(2/pi) (a+ b+ - a- b-), c_0 = sigma_b^2 + sigma_w^2 (b+^2 + b-^2)/2.

    a+ != a-      g > 1         q_l = C g^l + E sqrt(C) g^(l/2) - (c_0 + B E/2)/alpha + O(g^(-l/2)),
                                E = -B/(g - sqrt(g)); the J_k are beyond these three terms
    a+ = a- = 0   g = 1, B = 0  a parabolic recursion at q = oo:
                                q_l = v l + 2 sigma_w^2 J_0 sqrt(l)/sqrt(2 pi v) + ..., v = c_0, with every constant

Where the branch of layer l falls like l^(-kappa), leading orders: for a+ = a- = 0 the same two terms in the sum of the
l^(-kappa); for a+ != a- log q_l is that of the ReLU-like limit but for its constant (`scaled.law`).

Tiny case.  ReLU with biases has b+- = 0: q_l = C g^l - sigma_b^2/alpha, exact; phi = sign(x): q_l = q_1 + v (l - 1).

Known limits.  phi - h falls faster than any power; numbers for every symbol.  C = lim q_l/g^l by iteration, certified
at two precisions and two layers.  The J_k come from a quadrature, which to hundreds of digits, as the measurement of an
order in `evidence` wants them, takes minutes.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import factorial

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, Symbol, oo, pi, sqrt

from asympt.architectures.exact_law import exact_law
from asympt.architectures.named_constants import Coefficient
from asympt.architectures.parsing import read_variance
from asympt.architectures.relu_like import LAYER
from asympt.architectures.residual.tails import (
    ORBIT,
    VarianceByLayers,
    clock_scale,
    limit_statement,
    require_fast,
    rest_of,
    step_of,
    tails,
)
from asympt.architectures.scaled.law import sum_with_terms
from asympt.architectures.scaled.sums import LayerSum
from asympt.architectures.variance_law import VarianceFixedPoint
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field
from asympt.expansions.scale import Exponential
from asympt.expansions.series import power
from asympt.meanfield.statement import Statement
from asympt.numbers import symbol_names, to_mpf
from asympt.precise.dense import settled_variance
from asympt.precise.far import MOST_MOMENTS, moments_of, nodes_of
from asympt.recursions.agreement import Route
from asympt.recursions.autonomous import derived, fewest
from asympt.recursions.coordinates.abel_inversion import CONNECTION, depth_law
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate, Dynamics, Known, Step

EXACT = 14  # coefficients of q/q' in named J_k; later ones are constants of their own
STEP, MANY = 10, 100  # digits


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l."""
    kind = tails(statement.layer.activation).kind
    if statement.decay != 0:
        return _falling_growing(statement, terms) if kind == "growing" else _falling_bounded(statement, terms)
    return _growing_law(statement, terms) if kind == "growing" else _bounded_law(statement, terms)


def added_variance(statement: Statement) -> Expr:
    """v, what a layer adds to the variance in the limit."""
    up, down = tails(statement.layer.activation).offsets
    return statement.layer.bias_variance + statement.layer.weight_variance * (up**2 + down**2) / 2


# ---- branches that fall with the layer: leading orders ----------------------------------------------------


def _falling_bounded(statement: Statement, terms: int) -> Law:
    """v tau + 2 sigma_w^2 J_0 sqrt(tau)/sqrt(2 pi v), tau = log l or l^(1-kappa)/(1-kappa); or the first."""
    v, kappa, (scale, unit) = added_variance(statement), statement.decay, clock_scale(statement, LAYER)
    whole = 1 if kappa == 1 else 1 / (1 - kappa)
    known, rest = {(-unit, 0): v * whole}, Monomial(-unit / 2, 1)
    if terms > 1 and tails(statement.layer.activation).is_fast:
        second = 2 * statement.layer.weight_variance * _moment(statement, 0) * sqrt(whole) / sqrt(2 * pi * v)
        known, rest = known | {(-unit / 2, 0): second}, Monomial(0, 1)
    elif tails(statement.layer.activation).is_fast:
        rest = Monomial(-unit / 2)
    coordinate = VarianceByLayers(statement)
    expansion = Expansion.build(scale, known, Formal(rest))
    return Law("q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


def _falling_growing(statement: Statement, terms: int) -> Law:
    """log q_l = sum of log(1 + alpha l^(-kappa)) + C, up to O(l^(-alpha/2)) where q_l is a power of l."""
    alpha, kappa = limit_statement(statement).layer.chi, statement.decay
    expansion = sum_with_terms(LayerSum(alpha, kappa, True), LAYER, terms, lambda found: found + CONNECTION)
    if kappa == 1:
        expansion = expansion.up_to(Monomial(min(Integer(1), alpha / 2)))
    coordinate = VarianceByLayers(statement, is_logarithm=True)
    return Law(r"\log q^{l}", expansion, read_variance, "variance", coordinate=coordinate, layer=statement)


# ---- g > 1: three terms ---------------------------------------------------------------------------------


def _growing_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, three terms at most."""
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

    kind = "growing"

    def parameters(self, linear) -> set:
        """The symbols of the network."""
        return self.statement.parameters

    def steps(self, law) -> tuple[Step, ...]:
        """q' in q."""
        growth, mixed, constant = coefficients(self.statement)
        known = {(-1, 0): growth, (-Rational(1, 2), 0): mixed, (0, 0): constant}
        image = Expansion.build(Scale.at_infinity(Symbol("q", positive=True)), known, Formal(Monomial(Rational(1, 2))))
        return (Step("map", {"grown": image, "multiplier": growth}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        """q at a layer."""
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
        """(layer, q) at `last`, or where q grows by 1 + alpha to the digits asked."""
        require_fast(self.statement)
        with mp.workdps(route.digits + ORBIT):
            return settled_variance(step_of(self.statement), start, route.digits, last)


# ---- g = 1: every term ----------------------------------------------------------------------------------


def _bounded_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, bounded phi, with every constant; exact for a phi that is a step."""
    if statement.parameters:
        raise UnsupportedError(
            f"the network contains the symbols {symbol_names(statement.parameters)}; give numbers for the law of q^l"
        )
    _require_fast(statement)
    with mp.workdps(STEP):
        is_step = not nodes_of(rest_of(statement.layer.activation), STEP)
    if is_step:
        v = added_variance(statement)
        expansion = Expansion.build(Scale.at_infinity(LAYER), {(-1, 0): v, (0, 0): CONNECTION})
        return exact_law("q^{l}", expansion, read_variance, "variance", constant=lambda q: q - v, layer=statement)
    dynamics, fixed = _dynamics(statement), VarianceFixedPoint(oo)

    def law_of(abel, linear: None) -> Expansion:
        return depth_law(abel, LAYER, terms, lambda t, order: fixed.expansion(t.power(2)))

    abel, _, expansion = derived(dynamics, fewest(dynamics), law_of)
    return Law(
        "q^{l}", expansion, _read_inverse, "variance", coordinate=Abel(dynamics, abel), fixed=fixed, observable=fixed
    )


def _read_inverse(variance=None) -> Expr:
    """1/q^1."""
    return 1 / read_variance(variance)


@dataclass(frozen=True)
class InverseVarianceStep:
    """(y,) -> (y',), y = 1/q, by the layer as it stands."""

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        return (1 / step_of(self.statement).variance(1 / state[0], 2),)  # all layers from the second on are alike


@lru_cache(maxsize=64)
def _dynamics(statement: Statement) -> Dynamics:
    return Dynamics(
        lambda count: _ratio(statement, count), InverseVarianceStep(statement), root=2, first=1, costly=True
    )


def _ratio(statement: Statement, count: int) -> list[Expr]:
    """q/q' in t = q^(-1/2): exact in the J_k at first, then constants known by their digits."""
    few = min(count, EXACT)
    growth = [Integer(1), Integer(0), added_variance(statement)] + [Integer(0)] * few
    unit = statement.layer.weight_variance / sqrt(2 * pi)
    for k in range((few - 3 + 1) // 2):
        growth[2 * k + 3] = unit * Rational(-1, 2) ** k / factorial(k) * _moment(statement, k)
    field = Field.of(growth[:few])
    exact = [field.leave(c) for c in power(field.enter(growth[:few]), -1, few)]
    return exact + [_late(statement, n) for n in range(few, count)]


@lru_cache(maxsize=256)
def _moment(statement: Statement, k: int) -> Expr:
    """J_k."""
    key = ("J", k, statement.layer.activation.piecewise)
    return Coefficient(f"J_{k}", lambda: _moments(statement, mp.dps, EXACT)[k], key=key, latex=f"J_{{{k}}}")


@lru_cache(maxsize=512)
def _late(statement: Statement, n: int) -> Expr:
    """Coefficient n of q/q'."""
    key = ("r", n, statement)
    return Coefficient(f"r_{n}", lambda: _numbers(statement, mp.dps, n), key=key, latex=f"r_{{{n}}}")


def _moments(statement: Statement, digits: int, last: int = MOST_MOMENTS) -> list:
    """J_k = int (2 r h + r^2) x^(2k), 2k <= last, at mpmath's precision."""
    step = STEP if digits < MANY else MANY  # whoever asks for slightly different digits gets the same list
    rest = rest_of(statement.layer.activation)
    _, crossed, squared = moments_of(rest, step * -(-(digits + STEP) // step), last)
    return [2 * one + other for one, other in zip(crossed[::2], squared[::2], strict=True)]


@lru_cache(maxsize=64)
def _series(statement: Statement, digits: int) -> list:
    with mp.workdps(digits):
        found, unit = _moments(statement, digits), to_mpf(statement.layer.weight_variance) / mp.sqrt(2 * mp.pi)
        growth = [mp.one, mp.zero, to_mpf(added_variance(statement))] + [mp.zero] * (2 * len(found))
        for k, moment in enumerate(found):
            growth[2 * k + 3] = unit * mpf(-1) ** k / (2**k * factorial(k)) * moment
        return power(growth, -1, 2 * len(found))


def _numbers(statement: Statement, digits: int, n: int):
    return +_series(statement, STEP * -(-digits // STEP))[n]


def _require_fast(statement: Statement) -> None:
    phi = statement.layer.activation
    if not tails(phi).is_fast:
        v = added_variance(statement)
        raise UnsupportedError(
            f"activation {phi.name!r} comes to its limits like a power of x, so q^l = {v}*l + O(sqrt(l) log(l)) has "
            "logarithms that no parabolic law has; take one such as tanh or erf"
        )
