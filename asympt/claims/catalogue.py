"""Every claim on record, by id, and those that speak about a given law.

Rule.  A claim that several modules decide, each by a route of its own, is one record: the statement is that of the
first; checks, and those of the corrected statement, are put one after the other.

Tiny case.  HDR Proposition 1: the algebra of the averaging, and random networks.
"""

from collections.abc import Iterable
from dataclasses import replace

from asympt.architectures.registry import network_of
from asympt.claims import compositions, experiments, finite_width, hdr, jgh, pdlt, slips, steps, tbg, xps
from asympt.claims.claim import Claim, ClaimInSetting, Setting, together
from asympt.claims.note import Note, notes
from asympt.claims.stated.ledger import FORMULAS
from asympt.errors import InputError
from asympt.evidence.check import Verification
from asympt.recursions import Law
from asympt.spelling import meant, near

SOURCES = (hdr, pdlt, xps, jgh, tbg, finite_width, steps, slips, experiments, compositions)


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


CLAIMS = tuple(
    replace(claim, note=notes().get(claim.id, Note()), formulas=FORMULAS.get(claim.id, claim.formulas))
    for claim in joined(claim for source in SOURCES for claim in source.CLAIMS)
)


def all_claims() -> tuple[Claim, ...]:
    """Every claim on record, in the order of its source."""
    return CLAIMS


def find(identifier: str) -> Claim:
    """The claim with this id; `InputError` when there is none."""
    known = {claim.id: claim for claim in CLAIMS}
    name = meant(identifier, known)
    if name is None:
        said = f"no claim has the id {identifier!r}{near(identifier, known)}"
        raise InputError(f"{said}; asympt.claims.all_claims() lists them, as does the command")
    return known[name]


def for_law(law) -> tuple[Claim, ...]:
    """The claims that a law decides, bound to its network: each only where its scope holds."""
    if not isinstance(law, Law):
        raise InputError(f"law = {law!r} is no law; give one such as net.ntk_law()")
    if law.layer is None:
        return ()
    listed = [claim for claim in CLAIMS if law.name in claim.scope.laws]
    net = network_of(law.layer) if listed else None
    return tuple(claim.bind(net) for claim in listed if net is not None and claim.scope.holds(net))
