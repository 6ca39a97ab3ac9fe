"""Verdicts on HDR Section 3, Appendix A (Lemma 1, Appendix Lemma 1) and Appendix C.

Counterexamples by hand: K = diag(1, 0), f_0 - Y = (1, 0) for Lemma 1; theta^2/2 from 10^6 and theta from 0 for Appendix
Lemma 1; d/dt of the printed (34) at t = 0 has -(eta/2S) Gamma where (33) has +."""

import numpy as np
import pytest
from sympy import Integer

from asympt import claims
from asympt.claims.hdr.training import descent, flow, sgd
from asympt.claims.hdr.training.claims import CLAIMS
from asympt.training.exact import ExactKernel
from asympt.training.sgd import StochasticFlow

EXPECTED = {
    "HDR.eq3": "checked",
    "HDR.eq8": "proved",
    "HDR.eq9": "proved",
    "HDR.L1.iff": "refuted",
    "HDR.L1.lower": "refuted",
    "HDR.AL1": "refuted",
    "HDR.AL1.step": "refuted",
    "HDR.S3.const": "checked",
    "HDR.S5.sde": "checked",
    "HDR.S5.ito": "checked",
    "HDR.S5.M": "refuted",
    "HDR.S5.34": "refuted",
    "HDR.S5.35": "refuted",
}
CORRECTED = {
    "HDR.L1.iff": "checked",
    "HDR.L1.lower": "proved",
    "HDR.AL1": "checked",
    "HDR.AL1.step": "checked",
    "HDR.S5.M": "proved",
    "HDR.S5.34": "checked",
    "HDR.S5.35": "proved",
}
SLOW = ("HDR.eq8", "HDR.S5.34")
BY_ID = {claim.id: claims.find(claim.id) for claim in CLAIMS}


def test_every_record_is_expected_here():
    assert set(BY_ID) == set(EXPECTED)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in EXPECTED])
def test_verdict(name):
    result = BY_ID[name].check()
    assert result.verdict == EXPECTED[name], result.report()
    assert (result.corrected.verdict if result.corrected else None) == CORRECTED.get(name), result.report()


def test_every_printed_term_of_the_test_point_solution_is_wrong():
    assert [stated.verify().verdict for stated in BY_ID["HDR.S5.35"].formulas()] == ["refuted"] * 3


def test_the_bound_of_the_discretisation_without_the_toolkit():
    """L = -theta^2/2: |e^t - (1 + eta)^(t/eta)| <= (eta T/2) e^T at T = 2, by hand."""
    for rate in (0.1, 0.01):
        steps = np.arange(round(2 / rate) + 1)
        distance = np.abs(np.exp(rate * steps) - (1 + rate) ** steps).max()
        assert descent.quadratic(1.0, -1).distance(rate) == pytest.approx(distance, rel=1e-6)
        assert distance <= rate * np.exp(2)


# ---- planted changes ------------------------------------------------------------------------------------


def test_a_wrong_sign_at_a_test_point_is_refuted():
    checks = flow.checks_at_test_point(ExactKernel.three(), Integer(-1))
    assert [check.verdict for check in checks] == ["refuted", "proved"]


def test_a_wrong_decay_is_refuted(monkeypatch):
    genuine = ExactKernel.decay
    monkeypatch.setattr(ExactKernel, "decay", lambda self, *time: 2 * genuine(self, *time))
    assert flow.flow_at_test_point().verdict == "refuted"


def test_a_bound_that_is_too_small_is_refuted(monkeypatch):
    genuine = descent.DescentProblem.bound
    monkeypatch.setattr(descent.DescentProblem, "bound", lambda self, rate: genuine(self, rate) / 2)
    assert descent.discretisation().corrected.verdict == "refuted"


@pytest.mark.slow
def test_a_mean_that_is_off_is_refuted_by_the_paths(monkeypatch):
    genuine = StochasticFlow.mean
    monkeypatch.setattr(StochasticFlow, "mean", lambda self, times: genuine(self, times) + 0.1)
    assert sgd.solution().corrected.verdict == "refuted"
