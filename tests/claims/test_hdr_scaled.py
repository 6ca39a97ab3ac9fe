"""HDR Proposition 3 and Appendix Lemma 8: the verdicts, which are computed, and their corrected statements."""

import pytest

from asympt import claims
from asympt.claims.hdr.scaled.claims import CLAIMS

VERDICTS = {
    "HDR.AL8": "refuted",  # zeta has the sign of C, negative for sigma_w^2 = 40
    "HDR.AL8.map": "checked",
    "HDR.P3.prod": "refuted",  # the product starts at k = 2, and has the constant 1/Gamma(2 + sigma_w^2/2)
    "HDR.P3.rec": "refuted",  # the additive term lacks the branch's 1/l
    "HDR.P3.alpha": "refuted",  # L^(sigma_w^2/2) log L
    "HDR.P3.rate": "checked",
    "HDR.P3.lambda": "refuted",  # lambda_l has no -1/l, b_l is of the size 1/l
    "HDR.P3.fp": "checked",
    "HDR.P3.limit": "refuted",  # a quarter of the diagonal
}
QUICK = ("HDR.AL8.map", "HDR.P3.prod", "HDR.P3.rec", "HDR.P3.alpha")


@pytest.mark.parametrize(
    "claim", [c if c.id in QUICK else pytest.param(c, marks=pytest.mark.slow) for c in CLAIMS], ids=lambda c: c.id
)
def test_verdict(claim):
    found = claims.find(claim.id).check()
    assert found.verdict == VERDICTS[claim.id], found.report()
    if found.verdict == "refuted":
        assert found.corrected.verdict in ("proved", "checked"), found.report()


def test_every_claim_is_decided_once():
    assert [claim.id for claim in CLAIMS] == list(VERDICTS)
