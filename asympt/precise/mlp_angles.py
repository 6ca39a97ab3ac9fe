"""One layer of PDLT's MLP of the scale-invariant class in mpmath: the angle of the kernel and that of the NTK.

Problem.  PDLT 10.88-10.89 at criticality, with gamma = 1 - cos psi and k = Theta_{+-}/(lambda_b + lambda_W A_2 K_d):

    gamma -> gamma - rho (sin psi - psi cos psi),      k -> (1 - rho psi) k + 1 - w gamma',

where w = lambda_W A_2 K_d/(lambda_b + lambda_W A_2 K_d) is the weights' share of what a layer adds to the diagonal.
Then Theta_{++} is l in the same unit, and cos zeta = k/l.

Tiny case.  w = 1: k is K/q of HDR Lemma 2.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class ShareStep:
    """(gamma, k) -> (gamma', k')."""

    fold: Expr
    unfolded: Expr
    share: Expr

    def __call__(self, state: tuple) -> tuple:
        gap, kernel = state
        weights = to_mpf(self.fold), to_mpf(self.unfolded)
        following = gap_map(gap, *weights)
        return following, gap_slope(gap, *weights) * kernel + 1 - to_mpf(self.share) * following

    def start(self, gap):
        """k in layer 1: (lambda_b + lambda_W x.x'/d)/(lambda_b + lambda_W x.x/d)."""
        return 1 - to_mpf(self.share) * gap
