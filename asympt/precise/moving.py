"""One layer of any dense network for two inputs of one variance that moves, and orbits of such layers, in mpmath.

Rule.  The state (layer, q, gamma, k = K/q) moves by the layer of `meanfield.statement` as it stands,

    q' = skip q + beta (sigma_b^2 + sigma_w^2 E[phi^2]),
    gamma' q' = skip gamma q + beta sigma_w^2 (E[phi^2] - E[phi phi]),
    k' q' = (skip + beta sigma_w^2 E[phi' phi']) k q + lambda_b + lambda_W E[phi phi],

with moments of phi from its kernel (`KernelMoments`), or, where q grows to 10^80 and beyond, from its straight lines
and the rest (`far`).  With phi(x) ~ a+ x and a- x on either side and biases the layer is that of a ReLU-like phi but
for a part of relative size q_l^(-1/2): below the digits once q_l > l^2 10^(2 digits) times the square of the largest
number in phi's lines and biases, with a skip connection and the same beta in every layer.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from mpmath import mp, mpf
from sympy import Expr

from asympt.errors import PrecisionError, UnsupportedError
from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER, Statement, at_layer
from asympt.numbers import to_mpf

MOST_LAYERS = 20_000


@dataclass(frozen=True)
class Branch:
    """E[phi phi] at equal inputs (`square`), what it loses at the gap (`lost`), and E[phi' phi'] (`slope`)."""

    square: object
    lost: object
    slope: object

    @property
    def value(self):
        """E[phi phi] at the gap."""
        return self.square - self.lost


class Moments(Protocol):
    """Where a layer's moments come from."""

    def at(self, q, gap) -> Branch:
        """The moments at variance q and correlation 1 - gap."""

    def square(self, q):
        """E[phi(sqrt(q) Z)^2] alone."""


@dataclass(frozen=True)
class KernelMoments:
    """The moments of a layer's phi from its kernel, at mpmath's precision."""

    layer: Layer

    def at(self, q, gap) -> Branch:
        """The moments at variance q and correlation 1 - gap."""
        layer = self.layer
        if layer.activation.is_relu_like:
            unit = to_mpf(layer.activation.second_moment)
            weights = to_mpf(layer.kink_weight), to_mpf(layer.linear_weight)
            return Branch(unit * q, unit * q * gap_map(gap, *weights), unit * gap_slope(gap, *weights))
        kernel = kernel_of(layer.activation.piecewise)
        return Branch(kernel.value(q, q, 1), kernel.gap(q, gap), kernel.slope(q, gap))

    def square(self, q):
        return kernel_of(self.layer.activation.piecewise).value(q, q, 1)


@dataclass(frozen=True)
class MovingState:
    """Layer, variance of both inputs, gap and K/q."""

    layer: int
    variance: object
    gap: object
    kernel: object


@dataclass(frozen=True)
class MovingStep:
    """One layer; `is_settled` asks `moments` to know phi's lines (`far.Split`)."""

    statement: Statement
    moments: Moments

    def first(self, gap, variance) -> MovingState:
        """Layer 1: K = r_b + r_w x.x'/d with x.x'/d = (s - b)/w."""
        first = self.statement.first
        overlap = (variance * (1 - gap) - to_mpf(first.bias)) / to_mpf(first.weight)
        kernel = to_mpf(first.bias_rate) + to_mpf(first.weight_rate) * overlap
        return MovingState(1, variance, gap, kernel / variance)

    def __call__(self, state: MovingState) -> MovingState:
        return self.after(state, self.moments.at(state.variance, state.gap))

    def after(self, state: MovingState, moments: Branch) -> MovingState:
        """The next layer, the moments of this one being known."""
        statement, layer, q = self.statement, state.layer + 1, state.variance
        skip, weight, bias = layer_weights(statement, layer)
        following = skip * q + bias + weight * moments.square
        gap = (skip * q * state.gap + weight * moments.lost) / following
        learnt = at_layer(statement.bias_rate, layer) + at_layer(statement.weight_rate, layer) * moments.value
        kernel = ((skip + weight * moments.slope) * state.kernel * q + learnt) / following
        return MovingState(layer, following, gap, kernel)

    def variance(self, q, layer: int):
        """The variance of layer `layer` from that of the layer before."""
        skip, weight, bias = layer_weights(self.statement, layer)
        return skip * q + bias + weight * self.moments.square(q)

    def is_settled(self, variance, index: int, digits: int) -> bool:
        """Whether what is left of phi beside its lines is below the digits, in this and all later layers together."""
        _require_growth(self.statement)
        layer = self.statement.layer
        sizes = [abs(to_mpf(value)) for value in (*self.moments.rest.offsets, layer.bias_variance)]
        size = 1 + max(sizes)
        return variance > (size * index) ** 2 * mpf(10) ** (2 * digits)


def layer_weights(statement: Statement, layer: int) -> tuple:
    """(skip, beta_l sigma_w^2, beta_l sigma_b^2) of layer l, at mpmath's precision.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> s = Statement.scaled_residual(Layer(activation("relu"), Integer(2), Integer(1)), Integer(1))
    >>> layer_weights(s, 4)
    (1, mpf('0.5'), mpf('0.25'))
    """
    branch, own = at_layer(statement.branch, layer), statement.layer
    return int(statement.skip), branch * to_mpf(own.weight_variance), branch * to_mpf(own.bias_variance)


def orbit(statement: Statement, depth: int, gap, variance) -> list[tuple]:
    """[(q, gap, Branch)] of the layers 1, ..., depth, at mpmath's precision.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> s = Statement.block_residual(Layer(activation("relu"), Integer(1), Integer(0)), Integer(1))
    >>> [mp.nstr(q, 5) for q, _, _ in orbit(s, 3, mp.one, mp.one)]
    ['1.0', '1.5', '2.25']
    """
    step, found = MovingStep(statement, KernelMoments(statement.layer)), []
    state = MovingState(1, variance, gap, mp.zero)
    for _ in range(depth):
        branch = step.moments.at(state.variance, state.gap)
        found.append((state.variance, state.gap, branch))
        state = step.after(state, branch)
    return found


def settled(step: MovingStep, gap: Expr, variance: Expr, digits: int, last: int | None = None) -> MovingState:
    """The state at layer `last`, or the first from which the lines alone count, at mpmath's current precision."""
    return _settled(step, gap, variance, digits, last, mp.prec)


@lru_cache(maxsize=1024)
def _settled(step: MovingStep, gap: Expr, variance: Expr, digits: int, last: int | None, precision: int) -> MovingState:
    """The same; the current precision is part of the key."""
    state = step.first(to_mpf(gap), to_mpf(variance))
    while state.layer != last and not step.is_settled(state.variance, state.layer, digits):
        _refuse_slow(state.layer, state.variance)
        state = step(state)
    return state


def settled_variance(step: MovingStep, variance: Expr, digits: int, last: int | None = None) -> tuple:
    """(layer, q) at layer `last`, or the first from which the lines alone count, at mpmath's current precision."""
    return _settled_variance(step, variance, digits, last, mp.prec)


@lru_cache(maxsize=1024)
def _settled_variance(step: MovingStep, variance: Expr, digits: int, last: int | None, precision: int) -> tuple:
    """The same; the current precision is part of the key."""
    layer, q = 1, to_mpf(variance)
    while layer != last and not step.is_settled(q, layer, digits):
        _refuse_slow(layer, q)
        layer, q = layer + 1, step.variance(q, layer + 1)
    return layer, q


@lru_cache(maxsize=1024)
def followed(step: MovingStep, gap: Expr, variance: Expr, digits: int, last: int) -> MovingState:
    """The state at layer `last`, layer by layer, with so many digits."""
    _require_few(last)
    with mp.workdps(digits):
        state = step.first(to_mpf(gap), to_mpf(variance))
        while state.layer < last:
            state = step(state)
    return state


@lru_cache(maxsize=1024)
def followed_variance(step: MovingStep, variance: Expr, digits: int, last: int):
    """q at layer `last`, layer by layer, with so many digits."""
    _require_few(last)
    with mp.workdps(digits):
        q = to_mpf(variance)
        for layer in range(2, last + 1):
            q = step.variance(q, layer)
    return q


def _require_few(last: int) -> None:
    if last > MOST_LAYERS:
        raise PrecisionError(
            f"depth = {last}: no map serves every layer here, so they are followed one by one, {MOST_LAYERS} of them "
            "at most; ask for a smaller depth, or for depth.pairs"
        )


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
