"""Every claim on record, by id, and those that speak about a given law.

Rule.  A claim is one table of a file in `records`, one file a source, headed by its id and its place:

    quote, summary      word for word, as one LaTeX formula; one plain sentence
    scope               of which networks it speaks (`scopes`), and the laws that it is listed with
    slip, false, ...    the severity of a refuted claim (`note.SEVERITIES`), and the reason; the rest of its `note`

What decides it stands beside it by its id: its formulas (`stated.ledger`), and code where it needs some (`deciders`).
"""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from asympt.architectures.registry import network_of
from asympt.claims import scopes
from asympt.claims.claim import Claim
from asympt.claims.deciders import DECISIONS
from asympt.claims.note import note_from
from asympt.claims.stated.ledger import FORMULAS
from asympt.errors import InputError
from asympt.recursions import Law
from asympt.spelling import meant, near

SOURCES = ("hdr", "pdlt", "xps", "jgh", "tbg", "compositions")


def _recorded() -> Iterator[Claim]:
    """The claims in the files, in their order."""
    for source in SOURCES:
        page = files("asympt.claims").joinpath("records", f"{source}.toml")
        for name, headed in tomllib.loads(page.read_text("utf-8")).items():
            ((place, table),) = headed.items()
            scope, *laws = table.get("scope", ["RECURSIONS"])
            made = (DECISIONS.get(name), getattr(scopes, scope).of(*laws), None, note_from(table), FORMULAS.get(name))
            yield Claim(name, place, table["quote"], table["summary"], *made)


CLAIMS = tuple(_recorded())


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
