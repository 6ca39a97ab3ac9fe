"""Verdicts on the slides about Jacot, Gabriel and Hongler: training under a frozen kernel."""

import pytest

from asympt import claims
from asympt.claims.jgh import training
from asympt.claims.jgh.claims import CLAIMS
from asympt.training.exact import ExactKernel

EXPECTED = {
    "JGH.flow": ("checked", None),
    "JGH.P": ("refuted", "checked"),
    "JGH.ode-sol": ("checked", None),
    "JGH.train": ("proved", None),
    "JGH.test": ("proved", None),
    "JGH.test-III": ("refuted", "proved"),
    "JGH.final": ("checked", None),
}
BY_ID = {claim.id: claims.find(claim.id) for claim in CLAIMS}


def test_every_record_is_expected_here():
    assert set(BY_ID) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict(name):
    result = BY_ID[name].check()
    corrected = result.corrected.verdict if result.corrected else None
    assert (result.verdict, corrected) == EXPECTED[name], result.report()


def test_the_parameters_of_a_small_network_by_hand():
    """Widths 3, 5, 2, 1: W 5 x 3, 2 x 5 and 1 x 2, b 5, 2 and 1: 15 + 10 + 2 + 8 = 35."""
    (printed,) = BY_ID["JGH.P"].formulas()
    assert [row.value for row in printed.rows()] == [35, 4 * 8 + 8 * 8 + 8 + 17]


def test_a_wrong_inverse_is_refuted(monkeypatch):
    monkeypatch.setattr(ExactKernel, "inverse", property(lambda self: self.function(lambda value: 2 / value)))
    assert training.at_test_point().verdict == "refuted"
