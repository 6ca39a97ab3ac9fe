"""A claim that several modules decide, each by a route of its own: one record with the checks of all.

Rule.  The statement is that of the first; checks, and those of the corrected statement, are put one after the other.

Tiny case.  HDR Proposition 1: the algebra of the averaging, and random networks.
"""

from collections.abc import Iterable

from asympt.claims.claim import Claim, ClaimInSetting, Setting, together
from asympt.evidence.check import Verification


def joined(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims in their order, those with the same id as one."""
    found: dict[str, Claim] = {}
    for claim in claims:
        known = found.get(claim.id)
        found[claim.id] = claim if known is None else _both(known, claim)
    return tuple(found.values())


def _both(first: Claim, second: Claim) -> Claim:
    """The record of the first, decided by both in the same setting."""

    def decide(setting: Setting) -> Verification:
        return together(first.decided(setting), second.decided(setting))

    return ClaimInSetting(first.id, first.source, first.statement, first.summary, decide, first.scope)
