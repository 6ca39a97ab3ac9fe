"""Claims of the literature as records that can be checked."""

from asympt.claims.catalogue import all_claims, find, for_law
from asympt.claims.claim import Claim
from asympt.claims.paper import read_paper
from asympt.spelling import publish

__all__ = ["Claim", "all_claims", "find", "for_law", "read_paper"]

publish(globals())
