"""Verdicts on HDR Appendix B.1, Proposition 2, Appendix Lemma 4, Section 6.2 and Figure 1.

Points of the Edge of Chaos at sigma_b = 0.2: tanh sigma_w = 1.30414584005651, ELU sigma_w = 1.22925112413720 (both
equations solved with mpmath's quad and findroot, apart from the toolkit)."""

import numpy as np
import pytest
from sympy import Rational, exp

from asympt import claims
from asympt.architectures import FeedForward
from asympt.claims.hdr import off_edge
from asympt.claims.hdr.off_edge import edge, phases
from asympt.claims.stated.hdr import maps

EXPECTED = {
    "HDR.B1.varconv": "refuted",
    "HDR.B1.ordered": "refuted",
    "HDR.B1.chaotic": "refuted",
    "HDR.B1.fgen": "checked",
    "HDR.B1.slope": "checked",
    "HDR.B1.convex": "refuted",
    "HDR.B1.deriv": "refuted",
    "HDR.S4.corrrates": "checked",
    "HDR.P2": "refuted",
    "HDR.P2.proof": "refuted",
    "HDR.P2.const": "checked",
    "HDR.P2.sigdot": "refuted",
    "HDR.AL4": "refuted",
    "HDR.S6.2-eoc-relu": "proved",
    "HDR.S6.2-eoc-elu": "refuted",
    "HDR.S6.2-eoc-tanh": "refuted",
    "HDR.S6.2-noeoc": "refuted",
    "HDR.F1a": "refuted",
    "HDR.F1b": "checked",
}
FAST = ("HDR.P2.sigdot", "HDR.AL4", "HDR.S6.2-eoc-relu", "HDR.F1b")


def test_every_record_is_expected_here():
    assert {claim.id for claim in off_edge.CLAIMS} == set(EXPECTED)


@pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in EXPECTED])
def test_verdict(name):
    result = claims.find(name).check(digits=25, depth=20_000)
    assert result.verdict == EXPECTED[name], result.report()
    if result.verdict == "refuted":
        assert result.corrected.verdict in ("proved", "checked"), result.report()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "weight", "scale"), [("tanh", "1.30414584005651", "294.53"), ("elu", "1.22925112413721", "396.11")]
)
def test_the_printed_points(name, weight, scale):
    result = claims.find(f"HDR.S6.2-eoc-{name}").check()
    assert f"sigma_w = {weight}" in result.corrected.subject
    assert f"{scale} layers" in result.checks[1].detail


def test_the_finite_network_of_the_derivative_kernel():
    """K^2 of relu, sigma_w^2 = 2: sigma_w^2 q E[phi'^2] + sigma_w^2 E[phi^2] = 2 q, exactly."""
    mean, error = phases.empirical_ntk(FeedForward("relu"), 1.0, width=2048, seeds=32)
    assert abs(mean - 2) < 4 * error < 0.1


def test_the_lemma_by_iteration():
    """a_0 = 2, alpha = 1/2, k = 1, beta = 1: three steps by hand."""
    values = [2.0]
    for layer in range(3):
        values.append(values[-1] / 2 + np.exp(-layer))
    numbers = {phases.START: 2, phases.ALPHA: Rational(1, 2), phases.SIZE: 1, phases.BETA: 1}
    found = [float(phases.solution_of_lemma().subs(numbers).subs(phases.STEP, n)) for n in range(1, 4)]
    assert found == pytest.approx(values[1:], rel=1e-14)


def test_what_a_chaotic_pair_must_not_be():
    """sin, no bias, q = 2: f(c) = sinh(2c)/sinh(2) keeps c = -1, and draws |c| < 1 to 0 with the factor f'(0).

    phi = z^2 - 1, no bias, has f(c) = c^2: c* = 0 and f'(0) = 0, so that c^l = c^(2^(l-1)) is no power of a rate.
    """
    c = -1.0
    for _ in range(50):
        c = np.sinh(2 * c) / np.sinh(2)
    assert c == -1
    c, k = -0.5, -0.5
    for _ in range(60):
        c, k, last = np.sinh(2 * c) / np.sinh(2), 2 * np.cosh(2 * c) / np.sinh(2) * k + np.sinh(2 * c) / np.sinh(2), c
    assert c / last == pytest.approx(2 / np.sinh(2), rel=1e-6) and abs(k) < 1e-9
    assert 0.5 ** 2**6 < 1e-9 * 0.5 ** 2**5  # no rate keeps up with the sixth step of c^2


def test_relu_without_bias_has_no_positive_limit():
    """sigma_w^2 = 1: K^L(x, x) = L 2^(1-L) q, so lambda = 0 in the ordered phase."""
    variance = kernel = 1.0
    for layer in range(2, 60):
        variance, kernel = variance / 2, kernel / 2 + variance / 2
        assert kernel == pytest.approx(layer * 2.0 ** (1 - layer), rel=1e-12)
    assert "\\lambda" in claims.find("HDR.P2").formula


# ---- planted changes --------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_right_point_would_pass():
    assert edge.printed_point("tanh", "1.304").verdict == "checked"


def test_a_solution_of_the_lemma_with_the_bound_of_the_proof_is_refuted(monkeypatch):
    genuine = phases.solution_of_lemma()
    planted = genuine.subs(phases.SIZE, phases.SIZE * exp(-1))
    monkeypatch.setattr(phases, "solution_of_lemma", lambda: planted)
    assert phases.lemma().corrected.verdict == "refuted"


@pytest.mark.slow
def test_a_wrong_multiplier_is_refuted(monkeypatch):
    genuine = phases.number
    monkeypatch.setattr(phases, "number", lambda value: genuine(value) * (1 + 1e-6))
    assert phases.constant().verdict == "refuted"


def test_a_finite_network_told_a_wrong_variance_is_refuted(monkeypatch):
    genuine = phases.empirical_ntk
    monkeypatch.setattr(phases, "empirical_ntk", lambda net, variance, **given: genuine(net, 1.2, **given))
    assert phases.derivative_kernel().corrected.verdict == "refuted"


def test_an_even_activation_instead_of_tanh_is_convex(monkeypatch):
    monkeypatch.setattr(maps, "SINE_ON_EDGE", maps.X**2)
    assert [stated.verify().verdict for stated in maps.MAPS["HDR.B1.convex"]()] == ["proved"]
