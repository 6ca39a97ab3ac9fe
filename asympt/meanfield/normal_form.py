"""The normal form of a layer: what moves correlation and NTK, whatever the architecture is called.

Problem.  Plain, residual, two-matrix residual networks and those with learning rates of their own have the same laws up
to three things; whoever derives or iterates should need to know no more than these.

Rule.  With the branch map g (g(1) = 1), its own NTK o (what the branch's own parameters add, in units of the variance)
and the weight w of the branch, correlation and k = K/q move by

    c  ->  c + w (g(c) - c),      k  ->  k + w (o(c) + (g'(c) - 1) k),      o(c) = own - own_lost (1 - g(c)),

and layer 1, which has no branch, holds k^1 = own - own_lost (1 - c^1).

    architecture            w              own   own_lost
    FeedForward             1              1     1
    ResNet, ReLU-like       a/(1 + a)      1     1             a = sigma_w^2 (a+^2 + a-^2)/2
    BlockResNet, ReLU-like  a/(1 + a)      2     2             two trained matrices
    MLP, ReLU-like          1              1     the weights' share of what a layer adds to the diagonal

Tiny case.  ReLU with sigma_w^2 = 1 and a skip connection: w = 1/3, so c = 0 goes to 1/(3 pi).

Known limits.  The same layer at every depth; o is affine in g, as for every dense branch of one activation.
"""

from dataclasses import dataclass

from sympy import Expr, Integer

from asympt.meanfield.correlation import CorrelationMap

ONE = Integer(1)


@dataclass(frozen=True)
class NormalForm:
    """(g, o, w): `branch` is g, `branch_share` w.

    >>> from asympt.meanfield.relu_like_map import ReluLikeMap
    >>> NormalForm(ReluLikeMap(ONE / 2, ONE / 2), ONE / 3).chi
    1
    """

    branch: CorrelationMap
    branch_share: Expr = ONE
    own: Expr = ONE
    own_lost: Expr = ONE

    @property
    def chi(self) -> Expr:
        """The slope at c = 1 of the map of the whole layer."""
        return 1 + self.branch_share * (self.branch.multiplier - 1)

    def first(self, gap):
        """k^1 as a function of the gap 1 - c^1, for expressions and for numbers where own and own_lost are numbers."""
        return self.own - self.own_lost * gap
