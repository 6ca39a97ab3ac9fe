"""Every claim on record, by id, and those that speak about a given law."""

from sympy import sqrt

from asympt.claims import hdr, hdr_off_edge, hdr_part_two, xps_claims
from asympt.claims.claim import Claim
from asympt.errors import InputError
from asympt.networks import FeedForward

CLAIMS = (*hdr.CLAIMS, *hdr_part_two.CLAIMS, *hdr_off_edge.CLAIMS, *xps_claims.CLAIMS)


def all_claims() -> tuple[Claim, ...]:
    """Every claim on record, in the order of its source."""
    return CLAIMS


def find(identifier: str) -> Claim:
    """The claim with this id; `InputError` when there is none."""
    for claim in CLAIMS:
        if claim.id == identifier:
            return claim
    raise InputError(f"no claim has the id {identifier!r}; known are {', '.join(c.id for c in CLAIMS)}")


def for_law(law) -> tuple[Claim, ...]:
    """The claims that a law decides, bound to its network: each only where its scope holds."""
    if law.layer is None:
        return ()
    listed = [claim for claim in CLAIMS if law.name in claim.scope.laws]
    net = _network(law.layer) if listed else None
    return tuple(claim.bind(net) for claim in listed if net is not None and claim.scope.holds(net))


def _network(layer) -> FeedForward | None:
    """The network of a law's layer; None when it cannot be found again from its standard deviations."""
    phi = layer.activation
    if layer.is_scale_free:
        return FeedForward(phi)
    bias = sqrt(layer.bias_variance)
    if not layer.critical:
        return FeedForward(phi, sigma_w=sqrt(layer.weight_variance), sigma_b=bias)
    net = FeedForward.on_edge_of_chaos(phi, sigma_b=bias)
    return net if net.layer == layer else None
