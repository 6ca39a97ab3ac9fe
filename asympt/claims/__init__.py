"""Claims of the literature as records that can be checked."""

from asympt.claims.catalogue import all_claims, find, for_law
from asympt.claims.claim import Claim

__all__ = ["Claim", "all_claims", "find", "for_law"]
