"""Every claim on record, by id, and those that speak about a given law."""

from dataclasses import replace

from asympt.claims import experiments, finite_width, hdr, jgh, pdlt, tbg, xps
from asympt.claims.claim import Claim
from asympt.claims.networks import network_of
from asympt.claims.note import Note, notes
from asympt.claims.routes import joined
from asympt.claims.stated.ledger import FORMULAS
from asympt.errors import InputError
from asympt.recursions import Law
from asympt.spelling import meant, near

SOURCES = (hdr, pdlt, xps, jgh, tbg, finite_width, experiments)
CLAIMS = tuple(
    replace(claim, note=notes().get(claim.id, Note()), formulas=FORMULAS.get(claim.id))
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
