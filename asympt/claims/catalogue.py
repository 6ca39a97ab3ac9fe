"""Every claim on record, by id, and those that speak about a given law."""

from sympy import Rational

from asympt.claims.claim import Claim
from asympt.claims.hdr import CLAIMS
from asympt.errors import InputError
from asympt.networks import FeedForward

ABOUT = {
    "correlation": ("HDR.T1.1-inv", "HDR.T1.1-c", "HDR.T1.1-fp"),
    "ntk": ("HDR.T1.1-diag", "HDR.T1.1-limit", "HDR.T1.1-rate", "HDR.T1.sup"),
}


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
    """The claims that a law decides, bound to the law's activation (those about ReLU alone only for ReLU)."""
    if law.layer is None:
        return ()
    names = ABOUT[law.name] if law.name == "correlation" else ABOUT["ntk"] + ABOUT["correlation"]
    net = FeedForward(law.layer.activation)
    relu = law.layer.fold == Rational(1, 2)
    return tuple(find(name).bind(net) for name in names if relu or not find(name).relu_only)
