"""A residual network whose variance grows like (1+alpha)^l, followed in mpmath until phi acts like its straight lines.

Problem.  phi(x) ~ a+ x and a- x on either side, biases allowed: the layer is that of a ReLU-like phi but for a part of
relative size q_l^(-1/2), which dies out exponentially.  From where on is it below the precision?

Rule.  The state (layer, q, gamma, k = K/q) moves by the layer of `meanfield.statement` as it stands,

    q' = skip q + beta (sigma_b^2 + sigma_w^2 E[phi^2]),
    gamma' q' = skip gamma q + beta sigma_w^2 (E[phi^2] - E[phi phi]),
    k' q' = (skip + beta sigma_w^2 E[phi' phi']) k q + lambda_b + lambda_W E[phi phi],

until q_l > l^2 10^(2 digits) times the square of the largest number in phi's lines and biases.

Tiny case.  ReLU with sigma_w^2 = 2, sigma_b^2 = 1: q' = 2 q + 1.

Known limits.  About 2 digits log(10)/log(1+alpha) layers, at most `MOST_LAYERS`.  One layer takes any beta_l; from
where on only lines count is asked of a skip connection with the same beta in every layer, whose variance grows so.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpf
from sympy import Expr

from asympt.errors import PrecisionError, UnsupportedError
from asympt.meanfield.statement import LAYER, Statement, at_layer
from asympt.numbers import to_mpf
from asympt.precise.residual_groups import layer_weights
from asympt.precise.residual_split import Split

MOST_LAYERS = 20_000


@dataclass(frozen=True)
class GrowingState:
    """Layer, variance of both inputs, gap and K/q."""

    layer: int
    variance: object
    gap: object
    kernel: object


@dataclass(frozen=True)
class GrowingStep:
    """One layer; `split` is phi with its tails."""

    statement: Statement
    split: Split

    def first(self, gap, variance) -> GrowingState:
        """Layer 1: K = r_b + r_w x.x'/d with x.x'/d = (s - b)/w."""
        first = self.statement.first
        overlap = (variance * (1 - gap) - to_mpf(first.bias)) / to_mpf(first.weight)
        kernel = to_mpf(first.bias_rate) + to_mpf(first.weight_rate) * overlap
        return GrowingState(1, variance, gap, kernel / variance)

    def __call__(self, state: GrowingState) -> GrowingState:
        statement, layer = self.statement, state.layer + 1
        skip, weight, bias = layer_weights(statement, layer)
        q, moments = state.variance, self.split.at(state.variance, state.gap)
        following = skip * q + bias + weight * moments.square
        gap = (skip * q * state.gap + weight * moments.lost) / following
        learnt = at_layer(statement.bias_rate, layer) + at_layer(statement.weight_rate, layer) * moments.value
        kernel = ((skip + weight * moments.slope) * state.kernel * q + learnt) / following
        return GrowingState(layer, following, gap, kernel)

    def variance(self, q, layer: int):
        """The variance of layer `layer` from that of the layer before."""
        skip, weight, bias = layer_weights(self.statement, layer)
        return skip * q + bias + weight * self.split.square(q)

    def is_settled(self, variance, index: int, digits: int) -> bool:
        """Whether what is left of phi beside its lines is below the digits, in this and all later layers together."""
        _require_growth(self.statement)
        layer = self.statement.layer
        sizes = [abs(to_mpf(value)) for value in (*self.split.offsets, layer.bias_variance)]
        size = 1 + max(sizes)
        return variance > (size * index) ** 2 * mpf(10) ** (2 * digits)


@lru_cache(maxsize=1024)
def settled(step: GrowingStep, gap: Expr, variance: Expr, digits: int, last: int | None = None) -> GrowingState:
    """The state at layer `last`, or the first from which the lines alone count, at mpmath's current precision."""
    state = step.first(to_mpf(gap), to_mpf(variance))
    while state.layer != last and not step.is_settled(state.variance, state.layer, digits):
        _refuse_slow(state.layer, state.variance)
        state = step(state)
    return state


@lru_cache(maxsize=1024)
def settled_variance(step: GrowingStep, variance: Expr, digits: int, last: int | None = None) -> tuple:
    """(layer, q) at layer `last`, or the first from which the lines alone count."""
    layer, q = 1, to_mpf(variance)
    while layer != last and not step.is_settled(q, layer, digits):
        _refuse_slow(layer, q)
        layer, q = layer + 1, step.variance(q, layer + 1)
    return layer, q


def _require_growth(statement: Statement) -> None:
    """The sum over all later layers is that of a geometric series."""
    if not statement.skip or LAYER in statement.branch.free_symbols:
        raise UnsupportedError(
            f"the branch weighs {statement.branch} in layer l (skip connection: {statement.skip}), so the variance "
            "does not grow geometrically; give a residual network with the same branch in every layer"
        )


def _refuse_slow(layer: int, variance) -> None:
    if layer >= MOST_LAYERS:
        raise PrecisionError(
            f"after {MOST_LAYERS} layers the variance is {mp.nstr(variance, 5)}, and phi still differs from its "
            "straight lines to the digits asked; ask for fewer digits or take a larger sigma_w"
        )
