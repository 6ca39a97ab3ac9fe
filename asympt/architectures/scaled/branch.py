"""A branch that falls like l^(-kappa): what the laws along its flow time ask of a composition.

Rule.  c <- c + w_l (g(c) - c) with g the map of a ReLU-like phi without bias and w_l = alpha/(l^kappa + alpha).

Tiny case.  residual(relu, dense(sqrt(2)), scale=1/sqrt(LAYER)): alpha = kappa = 1.

Known limits.  One activation in the branch.
"""

from dataclasses import dataclass

from sympy import Expr, S, simplify

from asympt.blocks.nodes import LAYER


@dataclass(frozen=True)
class FallingBranch:
    """alpha, kappa, the weights of |x| and x in phi; `bias`: what a bias adds to the variance, for its law only."""

    alpha: Expr
    kappa: Expr
    kink_weight: Expr
    linear_weight: Expr
    bias: Expr = S.Zero

    @classmethod
    def of(cls, normal) -> "FallingBranch | None":
        """From a composition's normal form; None for another one."""
        linked = normal.branch.linked
        if linked is None or linked.weight != 1 or not linked.phi.is_scale_free or normal.total is not None:
            return None
        alpha, falls = simplify(1 / (1 / normal.weight - 1)).as_independent(LAYER)
        base, exponent = falls.as_base_exp()
        if base != LAYER or linked.own != (1, -1, 0):
            return None
        return cls(alpha, -exponent, linked.phi.phi.kink_weight, linked.phi.phi.linear_weight)
