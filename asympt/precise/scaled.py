"""One layer of a scaled residual network with a ReLU-like phi in mpmath: the original recursion, at any precision.

Problem.  y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), layer by layer, to any number of digits.

Rule.  Read off the statement: with the branch's gain alpha_l and its share delta_l = alpha_l/(1 + alpha_l),

    gamma -> (1 - delta_l) gamma + delta_l (1 - f(1 - gamma)),
    k     -> (1 - delta_l + delta_l f'(c)) k + delta_l f(c),          k = K/sqrt(q q').

It knows no series and no law, so iterating it is evidence for both.

Tiny case.  delta_l = 1 is a plain layer.
"""

from dataclasses import dataclass
from functools import cached_property

from mpmath import mpf
from sympy import lambdify

from asympt.gaussian.arccosine import gap_map, gap_slope
from asympt.meanfield.statement import LAYER, Statement
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class ScaledStep:
    """(layer, gamma, k) of layer l -> the same of layer l + 1; without k if the state has none.

    >>> from mpmath import nstr
    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> step = ScaledStep(Statement.scaled_residual(Layer(activation("relu"), Integer(2), Integer(0)), Integer(1)))
    >>> [nstr(number, 8) for number in step((1, mpf(9) / 10, mpf(1) / 10))]
    ['2', '0.81003241', '0.20769706']
    """

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, gap, *kernel = state
        layer, share = layer + 1, self.share(layer + 1)
        weights = to_mpf(self.statement.layer.fold), to_mpf(self.statement.layer.unfolded)
        image = gap_map(gap, *weights)
        following = gap - share * (gap - image)
        if not kernel:
            return layer, following
        return layer, following, (1 - share + share * gap_slope(gap, *weights)) * kernel[0] + share * (1 - image)

    def share(self, layer: int):
        """delta_l."""
        gain = to_mpf(self.statement.layer.gain) * self._branch(mpf(layer))
        return gain / (1 + gain)

    @cached_property
    def _branch(self):
        exponent = self.statement.branch.as_base_exp()[1]
        if exponent.is_Rational:  # a float of the exponent would cost all digits but 16
            return lambda layer: layer ** (mpf(int(exponent.p)) / int(exponent.q))
        return lambdify(LAYER, self.statement.branch, "mpmath")

    def iterate(self, gap, depth: int, kernel=None) -> tuple:
        """(gamma, k) at layer `depth` from layer 1, k^1 = c^1 unless given; `gap` is an mpmath number."""
        state = (1, gap, 1 - gap if kernel is None else kernel)
        while state[0] < depth:
            state = self(state)
        return state[1:]
