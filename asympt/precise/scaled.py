"""One layer of a scaled residual network with a ReLU-like phi in mpmath: the original recursion, at any precision.

Problem.  y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), layer by layer, to any number of digits.

Rule.  The statement knows the share delta_l of the branch and what f(c) adds to K, its source s_l:

    gamma -> (1 - delta_l) gamma + delta_l (1 - f(1 - gamma)),
    k     -> (1 - delta_l + delta_l f'(c)) k + s_l f(c),          k = K/sqrt(q q').

It knows no series and no law, so iterating it is evidence for both.

Tiny case.  A plain layer: delta_l = s_l = 1.

Known limits.  phi ReLU-like and no biases: otherwise gamma and k move with the variance (`precise.dense`).
"""

from dataclasses import dataclass

from asympt.errors import UnsupportedError
from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.meanfield.statement import Statement, at_layer
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class ScaledStep:
    """(layer, gamma, k) of layer l -> the same of layer l + 1; without k if the state has none.

    >>> from mpmath import mpf, nstr
    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> step = ScaledStep(Statement.scaled_residual(Layer(activation("relu"), Integer(2), Integer(0)), Integer(1)))
    >>> [nstr(number, 8) for number in step((1, mpf(9) / 10, mpf(1) / 10))]
    ['2', '0.81003241', '0.20769706']
    """

    statement: Statement

    def __post_init__(self) -> None:
        if not self.statement.is_scale_free or self.statement.bias_rate != 0:
            raise UnsupportedError(
                f"activation {self.statement.activation.name!r} with these biases moves with the variance; this "
                "recursion is that of a ReLU-like phi without biases, take asympt.precise.dense"
            )

    def __call__(self, state: tuple) -> tuple:
        layer, gap, *kernel = state
        layer, share = layer + 1, self.branch_share(layer + 1)
        weights = to_mpf(self.statement.layer.fold), to_mpf(self.statement.layer.unfolded)
        image = gap_map(gap, *weights)
        following = gap - share * (gap - image)
        if not kernel:
            return layer, following
        slope = 1 - share + share * gap_slope(gap, *weights)
        return layer, following, slope * kernel[0] + at_layer(self.statement.source, layer) * (1 - image)

    def branch_share(self, layer: int):
        """delta_l."""
        return at_layer(self.statement.branch_share, layer)

    def iterate(self, gap, depth: int, kernel=None) -> tuple:
        """(gamma, k) at layer `depth` from layer 1, k^1 = c^1 unless given; `gap` is an mpmath number."""
        state = (1, gap, 1 - gap if kernel is None else kernel)
        while state[0] < depth:
            state = self(state)
        return state[1:]
