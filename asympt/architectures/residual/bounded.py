r"""The laws of residual networks with a bounded phi that has limits b+ and b- at infinity: tanh, erf, sigmoid.

The variance grows, so phi acts more and more like a step.  v = sigma_b^2 + sigma_w^2 (b+^2 + b-^2)/2 is what a layer
adds to it in the end.  With a = sigma_w^2 (b+ - b-)^2/(4 v) one layer moves the correlation by
c' = c + (g(c) - c)/l + O(l^(-3/2)), g(c) = 1 - a + (2 a/pi) arcsin(c).  g'(1) is infinite, so 1 repels, and

    c^l = c* + D l^(-p) + ...,    p = 1 - g'(c*),    1 - cos(theta) = 2 a theta/pi,  c* = cos(theta),
    K^L(x, x')/q_L -> r c*/p;     for c* = 0 (a = 1), K^L/q_L = (2 r D/pi) log(L)/L^p + O(L^(-p)).

Where branches fall like l^(-kappa), 0 < kappa <= 1, their sum stands for l (`clock_scale`).  The diagonal grows like
exp(const sqrt(q_L)), since E[phi'(sqrt(q) Z)^2] falls only like q^(-1/2).  Leading orders; D(c^1, q^1) has no formula,
and numbers come from the layers.  phi - h, h the step, falls faster than any power, or like 1/x.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp
from sympy import Expr, Integer, Rational, asin, pi, simplify, sqrt

from asympt.architectures.law_parts import Coefficient, PositiveCoefficient, exact_law, read_variance
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.residual.tails import (
    ByLayers,
    VarianceByLayers,
    added_variance,
    clock_of,
    clock_scale,
    is_inverse,
    read_pair,
    rest_of,
    tails,
)
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.meanfield.layer import Statement
from asympt.numbers import symbol_names, to_mpf
from asympt.precise.far import nodes_of
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.law import Law
from asympt.recursions.protocol import Step
from asympt.symbols import Reserved

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


def correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l: the limit, the power and its remainder, however many terms are asked."""
    limit, decay, (scale, unit) = fixed_correlation(statement), exponent(statement), clock_scale(statement, LAYER)
    known = {(0, 0): 1 - limit, (decay * unit, 0): -SECOND}
    kept = dict(list(known.items())[:terms])
    rest = _rest_order(statement, unit) if terms > 1 else Monomial(decay * unit)
    expansion = Expansion.build(scale, kept, Formal(rest))
    coordinate = LayerByLayer(statement, with_ntk=False)
    return Law("1-c^{l}", expansion, read_pair, "correlation", coordinate=coordinate, layer=statement)


def ntk_law(statement: Statement, terms: int) -> Law:
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


def variance_law(statement: Statement, terms: int) -> Law:
    """v tau + 2 sigma_w^2 J_0 sqrt(tau)/sqrt(2 pi v), J_0 = int (phi^2 - h^2), or the first; exact where phi is h.

    tau = l, l^(1-kappa)/(1-kappa) or log l.
    """
    v, kappa, (scale, unit) = added_variance(statement), statement.decay, clock_scale(statement, LAYER)
    is_fast = tails(statement.activation).is_fast
    if kappa == 0 and is_fast and _is_step(statement):
        expansion = Expansion.build(scale, {(-1, 0): v, (0, 0): CONNECTION})
        return exact_law("q^{l}", expansion, read_variance, "variance", constant=lambda q: q - v, layer=statement)
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
