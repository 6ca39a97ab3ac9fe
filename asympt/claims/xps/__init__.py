"""Claims of the slides on Xiao, Pennington and Schoenholz: the NTK in the two phases, and training there."""

from asympt.claims.xps import phases_claims, training_claims

CLAIMS = (*phases_claims.CLAIMS, *training_claims.CLAIMS)
