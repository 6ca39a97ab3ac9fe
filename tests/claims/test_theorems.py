"""Decisions by theorem: what is true is confirmed on the interval, every perturbed constant and rate is not."""

import pytest

import asympt as asy
from asympt.claims.theorems import beyond, by_theorem, certified, of_network
from asympt.evidence.check import Check, verdict_of

RELU = asy.FeedForward("relu")
DECIDED = [
    ("limit", "1/4", "checked"), ("limit", "1/3", "refuted"), ("limit", "2501/10000", "refuted"),
    ("Theta", "log(L)/L", "checked"), ("Theta", "1/L", "refuted"), ("Theta", "log(L)^2/L", "refuted"),
    ("Theta", "log(L)/L^2", "refuted"), ("Theta", "1/sqrt(L)", "refuted"), ("Theta", "sqrt(log(L))/L", "refuted"),
    ("Theta", "-log(L)/L", "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "stated", "verdict"), DECIDED)
def test_limits_and_rates_of_relu(relation, stated, verdict):
    (check,) = by_theorem("the NTK", certified(RELU, "ntk", 2), relation, stated)
    assert check.verdict == verdict and "all c^1 in [-1, 9/10]" in check.detail


def test_what_comes_after_the_leading_term_of_the_correlation():
    """The law is 1 - c^l = (9 pi^2/2)(1 - 3 log(l)/l)/l^2 + O(l^-3)."""
    certificate = certified(RELU, "correlation", 2)
    stated = {"1/l^3": "refuted", "log(l)/l^3": "checked", "log(l)^2/l^3": "refuted"}
    for size, verdict in stated.items():
        assert by_theorem("$1 - c^l$", certificate, "Theta", size)[0].verdict == verdict


def test_a_check_that_decides_makes_proved_of_checked():
    rows = {kind: Check("a", 0, 1, passed, strength, decides=decides) for kind, passed, strength, decides in (
        ("numbers", True, "checked", False), ("decides", True, "proved", True), ("fails", False, "checked", False),
        ("undone", None, "checked", False), ("for some starts", True, "checked", True))}  # fmt: skip
    verdicts = {
        ("numbers", "decides"): "proved", ("numbers", "for some starts"): "checked",
        ("decides", "fails"): "unknown", ("decides", "undone"): "unknown",
    }  # fmt: skip
    for names, verdict in verdicts.items():
        assert verdict_of([rows[name] for name in names]) == verdict


def test_residual_networks_at_every_fixed_start():
    """1/12 + log(L)/(8 L), HDR Theorem 2 with sigma_w = 1 as corrected."""
    net = asy.ResNet("relu", sigma_w=1)
    certificate = certified(net, "ntk", 2)
    further = beyond(net, certificate)
    for relation, stated, verdict in (("limit", "1/12", "proved"), ("Theta", "log(L)/L", "proved"),
                                      ("limit", "1/4", "refuted"), ("Theta", "1/L", "refuted")):  # fmt: skip
        assert by_theorem("a law", certificate, relation, stated, further=further)[0].verdict == verdict
    assert not beyond(asy.ResNet("relu", sigma_b=1), certificate)


def test_inputs_of_other_norms_have_a_theorem_of_their_own():
    net = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5")
    for stated, verdict in (("1/3", "checked"), ("1/4", "refuted")):
        settled, other = of_network(net, "ntk", "the NTK", "limit", stated)
        assert settled.verdict == other.verdict == verdict
        assert "at q^1 = q:" in settled.detail and "at q^1 = 1, q'^1 = 1/4:" in other.detail


def test_where_the_second_derivative_jumps_there_is_a_theorem():
    """ELU's law is 1/3 + (...) L^(-1/2) + O(log(L)/L); near c = -1 it takes minutes, so c^1 >= 0."""
    net = asy.FeedForward.on_edge_of_chaos("elu", sigma_b="1/5")
    for relation, stated, verdict in (("limit", "1/3", "checked"), ("Theta", "1/sqrt(L)", "checked"),
                                      ("Theta", "log(L)/L", "refuted")):  # fmt: skip
        (row,) = by_theorem("the NTK", certified(net, "ntk", 2), relation, stated)
        assert row.verdict == verdict and "all c^1 in [0, 9/10]" in row.detail and "by the kernel" in row.detail


@pytest.mark.parametrize(("law", "relation", "stated", "verdict"), [
    ("ntk", "limit", "1/4", "proved"), ("ntk", "limit", "2501/10000", "refuted"),
    ("ntk", "Theta", "log(L)/L", "proved"), ("ntk", "Theta", "1/L", "refuted"),
    ("correlation", "Theta", "log(l)/l^3", "proved"), ("correlation", "Theta", "1/l^3", "refuted"),
])  # fmt: skip
def test_every_fixed_start(law, relation, stated, verdict):
    certificate = certified(RELU, law, 2)
    (check,) = by_theorem("a law", certificate, relation, stated, further=beyond(RELU, certificate))
    assert check.verdict == verdict and "every fixed c^1 in [-1, 1)" in check.detail


def test_other_starts_need_the_image_of_zero_and_a_shift_within_the_remainder():
    """f(0) = 1/pi of ReLU lies beyond 3/10; tanh's inputs have a norm too; no certificate, no word."""
    assert beyond(RELU, certified(RELU, "correlation", 2, ("-1", "2/5")))
    assert not beyond(RELU, certified(RELU, "correlation", 2, ("-1", "3/10")))
    assert not beyond(asy.FeedForward("erf", sigma_b="1/5"), certified(RELU, "ntk", 2)) and not beyond(RELU, None)


def test_a_term_with_the_constant_of_the_start_is_not_shifted():
    """The third term of 1 - c^l has C, which becomes C + k."""
    assert not beyond(RELU, certified(RELU, "correlation", 3))


def test_an_upper_bound_refutes_no_smaller_size():
    """One printed term bounds from above alone."""
    (check,) = by_theorem("the NTK", certified(RELU, "ntk", 1), "O", "log(L)/L")
    assert check.verdict == "checked" and "at most" in check.figure
    assert by_theorem("the NTK", certified(RELU, "ntk", 1), "O", "1/L") == ()
    assert by_theorem("the NTK", certified(RELU, "ntk", 1), "Theta", "log(L)/L") == ()


def test_without_a_certificate_there_is_no_row():
    assert by_theorem("a law", certified(asy.ScaledResNet("relu"), "correlation", 2), "limit", "0") == ()
