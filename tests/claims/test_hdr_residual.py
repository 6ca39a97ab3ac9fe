"""Verdicts on HDR Theorem 2 and Appendix Lemma 7 for dense residual networks."""

import pytest

from asympt import claims
from asympt.claims.hdr import residual

EXPECTED = {
    "HDR.AL7.var": "proved",
    "HDR.AL7.map": "checked",
    "HDR.AL7.s": "refuted",
    "HDR.AL7": "refuted",
    "HDR.T2.explode": "proved",
    "HDR.T2.diag": "refuted",
    "HDR.T2.offdiag": "refuted",
    "HDR.T2.rate": "refuted",
    "HDR.T2.fp": "refuted",
    "HDR.F1c": "checked",
}
SLOW = ("HDR.AL7", "HDR.T2.offdiag", "HDR.T2.rate", "HDR.T2.fp", "HDR.F1c")


def test_every_record_is_expected_here():
    assert {claim.id for claim in residual.CLAIMS} == set(EXPECTED)


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim, id=claim.id, marks=pytest.mark.slow if claim.id in SLOW else ())
        for claim in residual.CLAIMS
    ],
)
def test_verdict(claim):
    result = claims.find(claim.id).check(digits=20, depth=10**4)
    assert result.verdict == EXPECTED[claim.id], result.report()
    if result.verdict == "refuted":
        assert result.corrected.verdict in ("proved", "checked"), result.report()
