"""What a document about a residual network needs: the material of `material` for the mixed map and its own kernel law.

Rule.  With g = sigma_w^2 (a+^2 + a-^2)/2 and delta = g/(1 + g) the map of a layer is that of a ReLU-like activation
with asymmetry rho delta, so everything about the flow is as in `material`.  The kernel's forcing is delta f(c): P and
the law of the kernel come from the derivation with symbolic alpha_(-1) and delta, the network's own delta put in.
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.architectures.relu_like import ALPHA, leading_abel, ntk_solution_for, universal_expansion
from asympt.expansions import Expansion
from asympt.meanfield.correlation import CorrelationMap
from asympt.recursions import LinearSolution
from asympt.writing.material import Material


@dataclass(frozen=True)
class ResidualMaterial(Material):
    """Material about one law of a `ResNet` with a ReLU-like activation and no bias."""

    average = "K^L(x,x')/(q_LL)"
    map_name = r"f_\delta"

    @property
    def gain(self) -> Expr:
        """g, what a branch adds to the variance, in units of it."""
        return self.net.statement.branch_growth

    @property
    def branch_share(self) -> Expr:
        """delta, the share of the branch."""
        return self.net.statement.branch_share

    @property
    def _own_alpha(self) -> Expr:
        return leading_abel(self.net.correlation_map.fold)

    def solution_in_alpha(self) -> LinearSolution:
        """P and H for a symbolic alpha and this delta."""
        return ntk_solution_for(ALPHA, self.branch_share)

    def law_in_alpha(self, ntk: bool, terms: int) -> Expansion:
        """A law for a symbolic alpha and this delta."""
        if not ntk:
            return universal_expansion(False, terms)
        return universal_expansion(True, terms, self.branch_share)

    def forcing(self, order: int) -> Expansion:
        """delta f(c) up to t^order, f the map of the branch."""
        branch = CorrelationMap.with_asymmetry(self.map.asymmetry / self.branch_share)
        return branch.expansion(order) * self.branch_share
