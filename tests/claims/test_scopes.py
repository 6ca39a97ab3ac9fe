"""Which claims speak about which law: those on ReLU, on class S, on a kink in phi'' must not be mixed up."""

import pytest

import asympt as asy
from asympt import claims
from asympt.claims import scopes

PART_TWO = {"HDR.T1.2-diag", "HDR.T1.2-limit", "HDR.T1.2-taylor", "HDR.T1.2-sign", "HDR.T1.2-fp", "HDR.T1.sup"}
SMOOTH = {"HDR.T1.2-rate-smooth", "HDR.T1.2-inv", "HDR.T1.2-lambda"}
KINKED = {"HDR.T1.2-rate-elu", "HDR.T1.2-fk"}
RELU = {"HDR.T1.1-diag", "HDR.T1.1-limit", "HDR.T1.1-rate", "HDR.T1.sup", "HDR.T1.1-inv", "HDR.T1.1-c", "HDR.T1.1-fp"}


def about(net):
    return {claim.id for claim in claims.for_law(net.ntk_law(2))}


def test_relu():
    assert about(asy.FeedForward("relu")) == RELU
    assert about(asy.FeedForward("leaky_relu")) == RELU - {"HDR.T1.1-c"}


@pytest.mark.parametrize(("name", "own"), [("tanh", SMOOTH), ("elu", KINKED)])
def test_class_s(name, own):
    assert about(scopes.on_edge(name)) == PART_TWO | own


def test_off_the_edge_of_chaos_theorem_1_is_silent():
    assert about(asy.FeedForward("relu", sigma_w=1, sigma_b=1)) == set()


def test_a_kink_in_phi_prime_is_not_class_s():
    assert not scopes.is_class_s(asy.FeedForward.on_edge_of_chaos("hard_tanh", sigma_b="1/5"))


def test_a_claim_is_bound_to_the_network_of_the_law():
    net = scopes.on_edge("tanh")
    assert {claim.net for claim in claims.for_law(net.correlation_law(1))} == {net}


@pytest.mark.parametrize(("net", "own"), [
    (asy.ResNet("relu", sigma_w=3), {"HDR.AL7", "HDR.T2.diag", "HDR.T2.rate"}),
    (asy.ScaledResNet("relu", sigma_w=2), {"HDR.AL8", "HDR.P3.alpha", "HDR.P3.limit"}),
    (asy.ConvNet("relu", positions=5, reach=1), {"HDR.AL3.2", "HDR.T1.cnn-diag"}),
])  # fmt: skip
def test_every_architecture_has_its_own_claims(net, own):
    found = claims.for_law(net.ntk_law(1))
    assert own <= {claim.id for claim in found} and not {claim.id for claim in found} & RELU
    assert {claim.net for claim in found} == {net}


def test_claims_on_relu_are_silent_about_other_residual_networks():
    assert claims.for_law(asy.ResNet("leaky_relu").ntk_law(1)) == ()
    assert claims.for_law(asy.BlockResNet("relu").ntk_law(1)) == ()
