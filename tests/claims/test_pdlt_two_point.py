"""Verdicts on PDLT's formulas for two nearby training points."""

import pytest

from asympt import claims
from asympt.claims.pdlt import two_point
from asympt.claims.pdlt.two_point.numbers import numbers

EXPECTED = {
    "PDLT.10.104": "checked",
    "PDLT.10.110": "proved",
    "PDLT.10.111": "proved",
    "PDLT.10.113": "refuted",
    "PDLT.10.114": "refuted",
    "PDLT.10.115": "refuted",
    "PDLT.10.116": "refuted",
    "PDLT.10.117": "checked",
    "PDLT.fn40": "checked",
}
RECORDS = {claim.id: claim for claim in two_point.CLAIMS}


def test_every_record_is_expected_here():
    assert set(RECORDS) == set(EXPECTED) and len(RECORDS) == len(two_point.CLAIMS)


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict(name):
    result = claims.find(name).check()
    assert result.verdict == EXPECTED[name], result.report()
    if result.verdict == "refuted":
        assert result.corrected.verdict in ("proved", "checked"), result.report()


@pytest.mark.parametrize("equal_norms", [True, False])
def test_the_right_formula_is_nearer_by_an_order(equal_norms):
    found = numbers(0.05, equal_norms)
    assert abs(found["right"]) < 0.05 * abs(found["printed"])
    assert found["variance"] < 1e-5 and abs(found["curvature"]) < 1e-2
