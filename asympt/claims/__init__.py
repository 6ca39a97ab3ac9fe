"""Claims of the literature as records that can be checked."""

from asympt.claims.catalogue import all_claims, find, for_law
from asympt.claims.claim import Claim, ClaimInSetting

__all__ = ["Claim", "ClaimInSetting", "all_claims", "find", "for_law"]
