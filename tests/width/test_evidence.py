"""`verify` of laws of order 1/n, and planted errors: in a law, in the layers, in both."""

from dataclasses import replace

import pytest
from sympy import Rational

from asympt import FeedForward, Network, ResNet, UnsupportedError, verify
from asympt.evidence import width
from asympt.width import inputs, moments, residual, tensors

RELU, FADING = FeedForward("relu"), FeedForward("sin", sigma_w=1)
ORDERED = FeedForward("relu", sigma_w=1, sigma_b=1)
ALIKE, CENTRED = ResNet("relu"), Network("residual(layer_norm, relu, dense(sqrt(2)))")
LAWS = [
    RELU.fluctuation_law("gap"), RELU.width_correction_law("gap"), RELU.fluctuation_law("ntk-diagonal"),
    RELU.width_correction_law("kernel-diagonal"), FADING.fluctuation_law("gap"), ORDERED.fluctuation_law("ntk"),
    FeedForward.on_edge_of_chaos("sin", sigma_b="3/10").fluctuation_law("kernel"), ALIKE.width_correction_law("norm"),
    ALIKE.fluctuation_law(), CENTRED.fluctuation_law("norm"), CENTRED.width_correction_law(),
]  # fmt: skip


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Networks enough for errors of a tenth."""
    monkeypatch.setattr(width, "NETWORKS", 400)


def times(law, factor):
    (monomial, coefficient), *rest = law.expansion.terms
    return replace(law, expansion=replace(law.expansion, terms=((monomial, factor * coefficient), *rest)))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.plain} = {law}")
def test_a_law_is_checked_by_the_layers_and_by_networks(law):
    found = verify(law)
    assert found.verdict == "checked" and len(found.checks) == (3 if law.layer else 2), found.report()


def test_the_start_that_is_given_is_followed(refused):
    found = verify(RELU.fluctuation_law("gap"), correlation="1/2", variances=(1, 2))
    assert found.verdict == "checked" and "correlation = 1/2" in found.checks[0].detail
    assert len(found.checks) == 3  # a dense layer, iterated plainly, says nothing of order 1/n
    refused(lambda: LAWS[0].certificate(correlation="1/2"), "laws of order 1/n are known", UnsupportedError)


@pytest.mark.parametrize("law", [law for law in LAWS if law.expansion.terms], ids=lambda law: f"{law.plain} = {law}")
def test_a_coefficient_off_by_three_percent_fails(law):
    found = verify(times(law, Rational(103, 100)))
    assert found.verdict == "unknown" and found.checks[0].passed is False, found.report()


@pytest.fixture
def planted(monkeypatch):
    """A change of the moments of a layer, in the recursions or (`shared`) in the constants too; no layer is kept."""
    after, layer_of = tensors.after, moments._layer

    def plant(shared=False, **changes):
        def changed(layer):
            return layer._replace(**{name: change(getattr(layer, name)) for name, change in changes.items()})

        if shared:
            monkeypatch.setattr(moments, "_layer", lambda *given: changed(layer_of(*given)))
        else:
            monkeypatch.setattr(tensors, "after", lambda state, layer, bias: after(state, changed(layer), bias))
        forget()

    def forget():
        for kept in (inputs._orbit, width._drawn, moments.one_input):
            kept.cache_clear()

    yield plant
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize(("law", "changes"), [
    (RELU.fluctuation_law("gap"), {"noise": lambda S: 2 * S}),
    (RELU.fluctuation_law("kernel-diagonal"), {"noise": lambda S: 2 * S}),
    (RELU.fluctuation_law("ntk-diagonal"), {"mixed": lambda P: 0 * P, "noise": lambda S: 0 * S}),
], ids=("gap", "kernel", "ntk"))  # fmt: skip
def test_another_recursion_of_the_layers_is_seen_by_both(planted, law, changes):
    planted(**changes)
    found = verify(law)
    assert [check.passed for check in found.checks] == [False, True, False], found.report()
    assert found.verdict == "refuted"


def test_another_noise_of_residual_branches_is_seen_by_both(monkeypatch):
    covariance = residual.ReluLikeBranch.covariance
    monkeypatch.setattr(residual.ReluLikeBranch, "covariance", lambda *given: [2 * x for x in covariance(*given)])
    monkeypatch.setattr(residual, "_followed", residual.FollowedBranch)
    width._drawn.cache_clear()
    found = verify(ALIKE.fluctuation_law("norm"))
    width._drawn.cache_clear()
    assert [check.passed for check in found.checks[:2]] == [False, False] and found.verdict == "refuted", found.report()


def test_a_cross_term_that_is_dropped_is_seen_by_the_layers(planted):
    planted(mixed=lambda P: 0 * P)
    for law in (RELU.fluctuation_law("ntk-diagonal"), RELU.fluctuation_law("ntk"), ORDERED.fluctuation_law("ntk")):
        assert verify(law).checks[0].passed is False


@pytest.mark.parametrize("net", [
    FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5"), FeedForward("erf", sigma_w=1, sigma_b="1/2"),
    FeedForward("gelu", sigma_w="sqrt(3/2)", sigma_b="1/5"), FeedForward("leaky_relu", slope="1/2"),
], ids=lambda net: net.activation.name)  # fmt: skip
def test_other_activations(planted, net):
    def passed(law):
        return width.layers_check(law, width.usual_start(law), 4 * width.DEPTH).passed

    gap, kernel, ntk = (net.fluctuation_law(of) for of in ("gap", "kernel-diagonal", "ntk-diagonal"))
    assert passed(gap) and not passed(times(gap, Rational(11, 10)))
    for changes, law in (({"noise": lambda S: 11 * S / 10}, kernel), ({"mixed": lambda P: 0 * P}, ntk)):
        assert passed(law)
        planted(**changes)
        assert not passed(law)
        planted()
        assert width.neurons_check(law, width.usual_start(law)).passed
        planted(shared=True, **changes)
        assert not width.neurons_check(law, width.usual_start(law)).passed
        planted(shared=True)
