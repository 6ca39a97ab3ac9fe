"""One layer of any dense architecture in mpmath: its statement as it stands, for two inputs of any variances.

Rule.  The state of layer l is (l, q, q', gamma, k), gamma = 1 - c and k = K/r, r = sqrt(q q').  With V the variance map
of the layer, R = sqrt(V V') and D = E[(phi(sqrt(q) U) - phi(sqrt(q') W))^2]/2 at correlation c of U and W,

    gamma' = {skip [(sqrt q - sqrt q')^2/2 + r gamma] + beta_l sigma_w^2 D - (sqrt V - sqrt V')^2/2}/R,
    k'     = {(skip + beta_l sigma_w^2 P) r k + lambda_b + lambda_W E[phi phi]}/R,      P = E[phi' phi'].

For q = q' only D is left of the braces, which the kernel gives to full relative accuracy (`Kernel.gap`); ReLU-like phi
reduce every pair of variances to that case.  Otherwise gamma' is a difference, taken with as many more digits as it
is small.  phi is continuous; for q != q' without a closed form P is the kernel of phi' at 1 - gamma.

One variance that moves, q = q': the moments of phi come from its kernel (`orbit`), or, where q grows to 10^80
and beyond, from its straight lines and the rest (`far`).  With phi(x) ~ a+ x and a- x on either side and biases the
layer is that of a ReLU-like phi but for a part of relative size q_l^(-1/2): below the digits once q_l > l^2 10^(2
digits) times the square of the largest number in phi's lines and biases, with a skip connection and the same beta in
every layer.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from mpmath import mp, mpf
from sympy import Expr

from asympt.errors import PrecisionError, UnsupportedError
from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.gaussian.closed.moments import moments_at
from asympt.gaussian.kernel import Kernel, kernel_of
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import Statement, at_layer
from asympt.numbers import to_mpf
from asympt.precise.near import SeriesPair, series_pair

GUARD = 10
MOST_ROUNDS = 3
DIGITS_PER_BIT = 0.302


@dataclass(frozen=True)
class DenseStep:
    """(l, q, q', gamma, k) -> the same in layer l + 1; k = None is not followed, which saves E[phi' phi'].

    >>> from asympt import ResNet
    >>> step = DenseStep(ResNet("relu").statement)
    >>> layer, q, other, gap, kernel = step((1, mpf(1), mpf(1), mpf(1), mpf(0)))
    >>> print(layer, q, mp.nstr(gap, 12), mp.nstr(kernel, 12))
    2 1.5 0.893896704605 0.106103295395
    """

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, more = state[0] + 1, _guard(*state[1:4]) + 1
        for _ in range(MOST_ROUNDS):
            with mp.workdps(mp.dps + more):
                found = self._moved(layer, *state[1:])
            if (needed := _guard(*state[1:3], found[2])) <= more:
                break
            more = needed
        return layer, *(None if value is None else +value for value in found)

    def _moved(self, layer: int, q, other, gap, kernel) -> tuple:
        """(V(q), V(q'), gamma', k')."""
        pair = _pair(self.statement.layer, q, other, gap)
        drop, product = pair.drop_and_product(gap)
        slope = None if kernel is None else pair.slope(gap)
        return self.after(layer, (q, other), pair.squares, drop, product, slope, gap, kernel)

    def after(self, layer: int, variances, squares, drop, product, slope, gap, kernel) -> tuple:
        """The same from the expectations E[phi^2], D, E[phi phi] and E[phi' phi']."""
        statement, skip = self.statement, int(self.statement.skip)
        weight = at_layer(statement.branch, layer) * to_mpf(statement.layer.weight_variance)
        after = [self.variance_after(layer, *pair) for pair in zip(variances, squares, strict=True)]
        root, mean = _mean(*after), _mean(*variances)
        spread = skip * (_apart(*variances) / 2 + mean * gap) + weight * drop - _apart(*after) / 2
        if kernel is None:
            return *after, spread / root, None
        learned = at_layer(statement.bias_rate, layer) + at_layer(statement.weight_rate, layer) * product
        return *after, spread / root, ((skip + weight * slope) * mean * kernel + learned) / root

    def variance_after(self, layer: int, q, square):
        """V(q) from E[phi^2]."""
        statement, own = self.statement, self.statement.layer
        added = to_mpf(own.bias_variance) + to_mpf(own.weight_variance) * square
        return int(statement.skip) * q + at_layer(statement.branch, layer) * added


def _guard(q, other, gap) -> int:
    """Digits beyond those of the result: where variances differ, a small gap is a difference."""
    lost = max(0, -mp.mag(gap)) if gap and q != other else 0
    return GUARD + int(DIGITS_PER_BIT * lost) + 1


def iterated(statement: Statement, gap, depth: int) -> tuple:
    """(gamma, k) at layer `depth` of a network without a scale, from layer 1, where k^1 = c^1."""
    step, state = DenseStep(statement), (1, mpf(1), mpf(1), gap, 1 - gap)
    while state[0] < depth:
        state = step(state)
    return state[3:]


def first_state(statement: Statement, products: tuple) -> tuple:
    """The state of layer 1 from x.x/d, x.x'/d, x'.x'/d, mpmath numbers; gamma keeps the digits that they leave it.

    >>> from asympt import FeedForward
    >>> print(*first_state(FeedForward("relu").statement, (mpf(1), mpf("0.5"), mpf(1))))
    1 2.0 2.0 0.5 0.5
    """
    first = statement.first
    bias, weight, bias_rate, rate = map(to_mpf, (first.bias, first.weight, first.bias_rate, first.weight_rate))
    alone, together, other = map(mp.convert, products)
    q, p = bias + weight * alone, bias + weight * other
    if not (q > 0 and p > 0):
        raise UnsupportedError("an input of zeros without bias has no correlation; leave it out, or take sigma_b > 0")
    root, apart = mp.sqrt(q * p), (q - p) ** 2 / (mp.sqrt(q) + mp.sqrt(p)) ** 2
    gap = (weight * (alone + other - 2 * together) - apart) / (2 * root)
    return 1, q, p, gap, (bias_rate + rate * together) / root


def _apart(q, other):
    """(sqrt q - sqrt q')^2 without cancellation."""
    return mpf(0) if q == other else (q - other) ** 2 / (mp.sqrt(q) + mp.sqrt(other)) ** 2


def _mean(q, other):
    return q if q == other else mp.sqrt(q * other)


def _pair(layer: Layer, q, other, gap) -> "_Pair | _ScaleFree | SeriesPair":
    if not layer.activation.is_relu_like:
        kernel = kernel_of(layer.activation.piecewise)
        centre = None if layer.variance is None else to_mpf(layer.variance)
        found = series_pair(kernel.phi, centre, q, other, gap) if kernel.closed is None else None
        return found or _Pair(kernel, q, other)
    numbers = layer.activation.second_moment, layer.kink_weight, layer.linear_weight
    return _ScaleFree(*map(to_mpf, numbers), q, other)


@dataclass(frozen=True)
class _ScaleFree:
    """Expectations of a ReLU-like phi: E[phi^2] at q = 1, the weights of |x| and x, the variances."""

    unit: mpf
    kink: mpf
    line: mpf
    q: mpf
    other: mpf

    @property
    def squares(self) -> tuple:
        """E[phi^2] at q and at q'."""
        return self.q * self.unit, self.other * self.unit

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi]): phi is homogeneous, so D = m_2 (sqrt q - sqrt q')^2/2 + r (m_2 - F)."""
        root, drop = _mean(self.q, self.other), self.unit * gap_map(gap, self.kink, self.line)
        return self.unit * _apart(self.q, self.other) / 2 + root * drop, root * (self.unit - drop)

    def slope(self, gap):
        return self.unit * gap_slope(gap, self.kink, self.line)


@dataclass(frozen=True)
class _Pair:
    """Expectations of any phi at two variances."""

    kernel: Kernel
    q: mpf
    other: mpf

    @cached_property
    def squares(self) -> tuple:
        """E[phi^2] at q and at q'."""
        first = moments_at(self.kernel.phi, 1, self.q, mp.dps)[0]
        return first, first if self.q == self.other else moments_at(self.kernel.phi, 1, self.other, mp.dps)[0]

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi])."""
        if self.q == self.other:
            drop = self.kernel.gap(self.q, gap)
            return drop, self.squares[0] - drop
        product = self.kernel.value(self.q, self.other, 1 - gap)
        return sum(self.squares) / 2 - product, product

    def slope(self, gap):
        if self.q == self.other and gap:
            return self.kernel.slope(self.q, gap)
        if self.q == self.other:
            return moments_at(self.kernel.phi, 2, self.q, mp.dps)[1]
        return kernel_of(self.kernel.phi.derivative()).value(self.q, self.other, 1 - gap)


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


class MovingState(NamedTuple):
    """Layer, variance of both inputs, gap and K/q; gap None where the variance alone is followed."""

    layer: int
    variance: object
    gap: object
    kernel: object


@dataclass(frozen=True)
class MovingStep(DenseStep):
    """One layer for two inputs of one variance; `moments`: `far.Split`, which has them far away and knows phi's lines.
    """

    moments: object

    def first(self, gap, variance) -> MovingState:
        """Layer 1: K = r_b + r_w x.x'/d with x.x'/d = (s - b)/w."""
        if gap is None:
            return MovingState(1, variance, None, None)
        first = self.statement.first
        overlap = (variance * (1 - gap) - to_mpf(first.bias)) / to_mpf(first.weight)
        kernel = to_mpf(first.bias_rate) + to_mpf(first.weight_rate) * overlap
        return MovingState(1, variance, gap, kernel / variance)

    def __call__(self, state: MovingState) -> MovingState:
        if state.gap is None:
            return state._replace(layer=state.layer + 1, variance=self.variance(state.variance, state.layer + 1))
        return _following(self, state, self.moments.at(state.variance, state.gap))

    def variance(self, q, layer: int):
        """The variance of layer `layer` from that of the layer before."""
        return self.variance_after(layer, q, self.moments.square(q))

    def is_settled(self, variance, index: int, digits: int) -> bool:
        """Whether what is left of phi beside its lines is below the digits, in this and all later layers together.

        With a skip connection and the same branch in every layer: the sum over them is that of a geometric series.
        """
        layer = self.statement.layer
        sizes = [abs(to_mpf(value)) for value in (*self.moments.rest.offsets, layer.bias_variance)]
        size = 1 + max(sizes)
        return variance > (size * index) ** 2 * mpf(10) ** (2 * digits)


def _following(step: DenseStep, state: MovingState, moments: Branch) -> MovingState:
    """The next layer, the moments of this one being known."""
    layer, both, squares = state.layer + 1, (state.variance,) * 2, (moments.square,) * 2
    known = moments.lost, moments.value, moments.slope
    following, _, gap, kernel = step.after(layer, both, squares, *known, state.gap, state.kernel)
    return MovingState(layer, following, gap, kernel)


def orbit(statement: Statement, depth: int, gap, variance) -> list[tuple]:
    """[(q, gap, Branch)] of the layers 1, ..., depth, at mpmath's precision, the moments from the kernel of phi.

    >>> from asympt import BlockResNet
    >>> [mp.nstr(q, 5) for q, _, _ in orbit(BlockResNet("relu").statement, 3, mp.one, mp.one)]
    ['1.0', '1.5', '2.25']
    """
    found, step, state = [], DenseStep(statement), MovingState(1, variance, gap, mp.zero)
    for _ in range(depth):
        pair = _pair(statement.layer, state.variance, state.variance, state.gap)
        branch = Branch(pair.squares[0], pair.drop_and_product(state.gap)[0], pair.slope(state.gap))
        found.append((state.variance, state.gap, branch))
        state = _following(step, state, branch)
    return found


def settled(step: MovingStep, gap: Expr | None, variance: Expr, digits: int, last: int | None = None) -> MovingState:
    """The state at layer `last`, or the first from which the lines alone count, at mpmath's current precision."""
    return _walked(step, gap, variance, digits, last, mp.prec)


def followed(step: MovingStep, gap: Expr | None, variance: Expr, digits: int, last: int) -> MovingState:
    """The state at layer `last`, layer by layer, with so many digits."""
    with mp.workdps(digits):
        return _walked(step, gap, variance, None, last, mp.prec)


@lru_cache(maxsize=1024)
def _walked(step: MovingStep, gap, variance: Expr, digits: int | None, last: int | None, precision: int):
    """The state at `last`, or where the lines alone count to the digits; the precision now is part of the key."""
    state = step.first(None if gap is None else to_mpf(gap), to_mpf(variance))
    while state.layer != last and (digits is None or not step.is_settled(state.variance, state.layer, digits)):
        if state.layer >= MOST_LAYERS:
            raise PrecisionError(
                f"after {MOST_LAYERS} layers the variance is {mp.nstr(state.variance, 5)}, and phi still differs from "
                "its straight lines to the requested digits; ask for fewer digits or take a larger sigma_w"
            )
        state = step(state)
    return state
