"""Claims of the slides on Xiao, Pennington and Schoenholz: the NTK in the two phases, and training there."""

from asympt.claims.xps.claims import CLAIMS

__all__ = ["CLAIMS"]
