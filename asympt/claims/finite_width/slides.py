"""Decision on a layer in the slides about Jacot et al. (JGH) by its networks; recursions stand in `claims.stated`."""

from asympt.claims.finite_width.runs import PRODUCT, X
from asympt.claims.forms import inequality
from asympt.depth.finite import Dense, empirical_kernels
from asympt.evidence.check import Verification


def base_case() -> Verification:
    """JGH.base: the gradients of a linear layer in a network."""
    found = empirical_kernels(Dense("relu", sigma_w=1), X, 1, width=16, most_seeds=4)
    numeric = inequality(
        "NTK of random networks with $L = 1$ minus $x.x'/d_0$", abs(found.ntk - PRODUCT).max(), "<= 1e-6"
    )
    return Verification("Theta^(1)_kk'(x,x') = x.x'/d_0 1_kk' = Sigma^(1) 1_kk' at beta = 0", (numeric,))
