"""One layer of any dense architecture in mpmath: its statement as it stands, for two inputs of any variances.

Rule.  The state of layer l is (l, q, q', gamma, k), gamma = 1 - c and k = K/r, r = sqrt(q q').  With V the variance map
of the layer, R = sqrt(V V') and D = E[(phi(sqrt(q) U) - phi(sqrt(q') W))^2]/2 at correlation c of U and W,

    gamma' = {skip [(sqrt q - sqrt q')^2/2 + r gamma] + beta_l sigma_w^2 D - (sqrt V - sqrt V')^2/2}/R,
    k'     = {(skip + beta_l sigma_w^2 P) r k + lambda_b + lambda_W E[phi phi]}/R,      P = E[phi' phi'].

For q = q' only D is left of the braces, which the kernel gives to full relative accuracy (`Kernel.gap`); ReLU-like phi
reduce every pair of variances to that case.  Otherwise gamma' is a difference, taken with as many more digits as it
is small.  phi is continuous; for q != q' without a closed form P is the kernel of phi' at 1 - gamma.
"""

from dataclasses import dataclass

from mpmath import mp, mpf

from asympt.errors import UnsupportedError
from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.gaussian.closed.moments import moments_at
from asympt.gaussian.kernel import Kernel, kernel_of
from asympt.meanfield.statement import Statement, at_layer
from asympt.numbers import to_mpf

GUARD = 10
MOST_ROUNDS = 3
DIGITS_PER_BIT = 0.302


@dataclass(frozen=True)
class DenseStep:
    """(l, q, q', gamma, k) -> the same in layer l + 1.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> step = DenseStep(Statement.residual(Layer(activation("relu"), Integer(1), Integer(0))))
    >>> layer, q, other, gap, kernel = step((1, mpf(1), mpf(1), mpf(1), mpf(0)))
    >>> print(layer, q, mp.nstr(gap, 12), mp.nstr(kernel, 12))
    2 1.5 0.893896704605 0.106103295395
    """

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, more = _LayerNumbers(self.statement, state[0] + 1), GUARD
        for _ in range(MOST_ROUNDS):
            with mp.workdps(mp.dps + more):
                found = layer.moved(*state[1:])
                lost = max(0, -mp.mag(found[2])) if found[2] and state[1] != state[2] else 0
            if DIGITS_PER_BIT * lost + GUARD <= more:
                break
            more = GUARD + int(DIGITS_PER_BIT * lost) + 1
        return layer.layer, *(+value for value in found)


def iterated(statement: Statement, gap, depth: int, kernel=None) -> tuple:
    """(gamma, k) at layer `depth` of a network without a scale, from layer 1, where k^1 = c^1 unless it is given."""
    step, state = DenseStep(statement), (1, mpf(1), mpf(1), gap, 1 - gap if kernel is None else kernel)
    while state[0] < depth:
        state = step(state)
    return state[3:]


def first_state(statement: Statement, products: tuple) -> tuple:
    """The state of layer 1 from x.x/d, x.x'/d, x'.x'/d, mpmath numbers; gamma keeps the digits that they leave it.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> relu = Layer(activation("relu"), Integer(2), Integer(0))
    >>> print(*first_state(Statement.plain(relu), (mpf(1), mpf("0.5"), mpf(1))))
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


@dataclass(frozen=True)
class _LayerNumbers:
    """The coefficients of one layer."""

    statement: Statement
    layer: int

    def _number(self, name: str):
        return at_layer(getattr(self.statement, name), self.layer)

    def moved(self, q, other, gap, kernel) -> tuple:
        """(V(q), V(q'), gamma', k')."""
        s, skip, branch = self.statement, int(self.statement.skip), self._number("branch")
        weight, bias = branch * to_mpf(s.layer.weight_variance), branch * to_mpf(s.layer.bias_variance)
        pair = _pair(s, q, other)
        after = [skip * v + bias + weight * pair.square(v) for v in (q, other)]
        root, mean = _mean(*after), _mean(q, other)
        drop, product = pair.drop_and_product(gap)
        spread = skip * (_apart(q, other) / 2 + mean * gap) + weight * drop - _apart(*after) / 2
        learned = self._number("bias_rate") + self._number("weight_rate") * product
        slope = skip + weight * pair.slope(gap)
        return *after, spread / root, (slope * mean * kernel + learned) / root


def _apart(q, other):
    """(sqrt q - sqrt q')^2 without cancellation."""
    return mpf(0) if q == other else (q - other) ** 2 / (mp.sqrt(q) + mp.sqrt(other)) ** 2


def _mean(q, other):
    """sqrt(q q')."""
    return q if q == other else mp.sqrt(q * other)


def _pair(statement: Statement, q, other) -> "_Pair | _ScaleFree":
    layer = statement.layer
    if not layer.activation.is_relu_like:
        return _Pair(kernel_of(layer.activation.piecewise), q, other)
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

    def square(self, q):
        return q * self.unit

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

    def square(self, q):
        return moments_at(self.kernel.phi, 1, q, mp.dps)[0]

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi])."""
        if self.q == self.other:
            drop = self.kernel.gap(self.q, gap)
            return drop, self.square(self.q) - drop
        product = self.kernel.value(self.q, self.other, 1 - gap)
        return (self.square(self.q) + self.square(self.other)) / 2 - product, product

    def slope(self, gap):
        if self.kernel.closed is not None and 0 < gap < 2:
            return self.kernel.closed.evaluate_slope(self.q, self.other, 1 - gap)
        if self.q == self.other and gap:
            return self.kernel.slope(self.q, gap)
        if self.q == self.other:
            return moments_at(self.kernel.phi, 2, self.q, mp.dps)[1]
        return kernel_of(self.kernel.phi.derivative()).value(self.q, self.other, 1 - gap)
