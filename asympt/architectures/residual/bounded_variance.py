r"""The variance of residual networks with a bounded phi that has limits b+ and b- at infinity: a parabolic law.

Rule.  v = sigma_b^2 + sigma_w^2 (b+^2 + b-^2)/2 is what a layer adds in the end, and with J_k the integral of
(phi^2 - h^2) x^(2k), h the step of the two limits,

    q' = q + v + (sigma_w^2/sqrt(2 pi)) sum_k (-1/2)^k J_k/(k! q^(k + 1/2)),

a parabolic recursion at q = oo: q_l = v l + 2 sigma_w^2 J_0 sqrt(l)/sqrt(2 pi v) + ..., with every constant.

Tiny case.  phi = sign(x): q_l = q_1 + v (l - 1).

Known limits.  phi - h falls faster than any power; numbers for every symbol.  The J_k come from a quadrature, which to
hundreds of digits, as the measurement of an order in `evidence` wants them, takes minutes.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import factorial

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, oo, pi, sqrt

from asympt.architectures.exact_law import exact_law
from asympt.architectures.named_constants import Coefficient
from asympt.architectures.relu_like import LAYER
from asympt.architectures.residual.limit import step_of
from asympt.architectures.residual.tails import tails
from asympt.architectures.starts import read_variance
from asympt.architectures.variance_law import VariancePlace
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Scale
from asympt.expansions.series import Field, power
from asympt.meanfield.statement import Statement
from asympt.numbers import symbol_names, to_mpf
from asympt.precise.far.nodes import MOST_MOMENTS, Rest, moments_of, nodes_of
from asympt.recursions.coordinates.abel import AbelFunction
from asympt.recursions.coordinates.abel_inversion import CONNECTION, TooFewOrders, depth_law
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics

EXACT = 14  # coefficients of q/q' in named J_k; later ones are constants of their own
STEP, MANY = 10, 100  # digits


def added_variance(statement: Statement) -> Expr:
    """v, what a layer adds to the variance in the limit."""
    up, down = tails(statement.layer.activation).offsets
    return statement.layer.bias_variance + statement.layer.weight_variance * (up**2 + down**2) / 2


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, with every constant; exact for a phi that is a step."""
    if statement.parameters:
        raise UnsupportedError(
            f"the network contains the symbols {symbol_names(statement.parameters)}; give numbers for the law of q^l"
        )
    _require_fast(statement)
    with mp.workdps(STEP):
        is_step = not nodes_of(_rest(statement), STEP)
    if is_step:
        v = added_variance(statement)
        expansion = Expansion.build(Scale.at_infinity(LAYER), {(-1, 0): v, (0, 0): CONNECTION})
        return exact_law("q^{l}", expansion, read_variance, "variance", constant=lambda q: q - v, layer=statement)
    dynamics, place = _dynamics(statement), VariancePlace(oo)
    abel, expansion = _derived(dynamics, place, terms)
    return Law(
        "q^{l}", expansion, _read_inverse, "variance", coordinate=Abel(dynamics, abel), place=place, view=place
    )


def _read_inverse(variance=None) -> Expr:
    """1/q^1."""
    return 1 / read_variance(variance)


def _derived(dynamics: Dynamics, place: VariancePlace, terms: int) -> tuple[AbelFunction, Expansion]:
    """A and the law, from as few coefficients as the terms need."""
    size = 7
    while True:
        abel = AbelFunction.solve(dynamics.growth(size), dynamics.root)
        try:
            return abel, depth_law(abel, LAYER, terms, lambda t, order: place.expansion(t.power(2)))
        except TooFewOrders:
            size += 2


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
    key = f"J_{k} of {statement.layer.activation.expression}"
    return Coefficient(f"J_{k}", lambda: _moments(statement, mp.dps, EXACT)[k], key=key, latex=f"J_{{{k}}}")


@lru_cache(maxsize=512)
def _late(statement: Statement, n: int) -> Expr:
    """Coefficient n of q/q'."""
    key = f"r_{n} of {statement}"
    return Coefficient(f"r_{n}", lambda: _numbers(statement, mp.dps, n), key=key, latex=f"r_{{{n}}}")


def _rest(statement: Statement) -> Rest:
    found = tails(statement.layer.activation)
    return Rest(statement.layer.activation.piecewise, found.slopes, found.offsets)


def _moments(statement: Statement, digits: int, last: int = MOST_MOMENTS) -> list:
    """J_k = int (2 r h + r^2) x^(2k), 2k <= last, at mpmath's precision."""
    step = STEP if digits < MANY else MANY  # whoever asks for slightly different digits gets the same list
    _, crossed, squared = moments_of(_rest(statement), step * -(-(digits + STEP) // step), last)
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
