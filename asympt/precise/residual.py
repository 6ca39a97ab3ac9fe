"""One layer of a residual network without a scale in mpmath: the original recursion, in the gap, at any precision.

Rule.  A ReLU-like phi without bias turns the layer of `meanfield.statement` into, in units of the variance q_l,

    gamma -> (1 - delta) gamma + delta (1 - f(1 - gamma)),
    k     -> (1 - delta + delta f'(c)) k + s f(c),        k = K/q_l,

f the correlation map of phi, delta the share of the branch and s its source (`Statement.source`).  Skip connection
and branch are added here as the network adds them; that the sum is again a ReLU-like map is a result of the
derivation, and not used.

Tiny case.  ReLU with sigma_w^2 = 1: delta = 1/3, so orthogonal inputs go to c = 1/(3 pi).
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class ResidualGapStep:
    """(gamma,) -> (gamma',) for `statement`, a scale-free residual network with the same branch in every layer.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> step = ResidualGapStep(Statement.residual(Layer(activation("relu"), Integer(1), Integer(0))))
    >>> print(1 - step((1,))[0])
    0.106103295394597
    """

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, share = self.statement.layer, to_mpf(self.statement.branch_share)
        gap = state[0]
        return ((1 - share) * gap + share * gap_map(gap, to_mpf(layer.fold), to_mpf(layer.unfolded)),)


@dataclass(frozen=True)
class ResidualKernelStep:
    """(gamma, k) -> (gamma', k'), k = K/q_l."""

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, share, source = self.statement.layer, *map(to_mpf, (self.statement.branch_share, self.statement.source))
        weights = to_mpf(layer.fold), to_mpf(layer.unfolded)
        gap, kernel = state
        branch = gap_map(gap, *weights)
        multiplier = (1 - share) + share * gap_slope(gap, *weights)
        return (1 - share) * gap + share * branch, multiplier * kernel + source * (1 - branch)


def learning_ratio(statement: Statement) -> Expr:
    """r = lambda_W/(beta sigma_w^2): 1 for a network trained as drawn, 2 for a branch of two trained matrices."""
    return statement.weight_rate / (statement.branch * statement.layer.weight_variance)
