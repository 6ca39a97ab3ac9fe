"""Claims of the slides on Jacot, Gabriel and Hongler: training under the NTK."""

from asympt.claims.jgh.claims import CLAIMS

__all__ = ["CLAIMS"]
