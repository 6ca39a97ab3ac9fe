"""Laws of residual networks: right ones are confirmed, one planted error is refuted by the check meant for it."""

from dataclasses import replace

import pytest
from sympy import Rational, sqrt

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import BlockResNet, ResNet
from asympt.evidence import exact, referee
from asympt.evidence.network import depth_checks, layer_check
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.verify import symbolic_checks
from tests.evidence.planting import ONE_PERCENT, changed, refuted

RESNET = ResNet("relu", sigma_w=1)
BLOCK = BlockResNet("leaky_relu", alpha=Rational(1, 2), slope=Rational(1, 10))
NETWORKS = {"resnet": RESNET, "block": BLOCK}
DEPTH = 20_000


def test_float64_at_depth_alone_sees_a_dropped_logarithm():
    law = RESNET.correlation_law()
    index = next(i for i, (m, _) in enumerate(law.abel.expansion.terms) if m.logs)
    planted = law.changed(abel=replace(law.abel, expansion=changed(law.abel.expansion, index, 0)))
    assert refuted(depth_checks(planted, 5000)) and not refuted(depth_checks(law, 5000))


def ffnn_forcing():
    """The NTK law of a recursion k' = f_delta'(c) k + f_delta(c): the whole covariance drives the NTK, not the branch.

    f_delta is the map of a ReLU-like phi, of slopes 1 and (3 - sqrt(5))/2, so that law is the one of its plain network.
    """
    plain = FeedForward("leaky_relu", slope=(3 - sqrt(5)) / 2).ntk_law(4)
    return replace(plain, quantity=RESNET.ntk_law(1).quantity, layer=RESNET.statement)


def test_the_forcing_of_a_plain_network():
    """Consistent in itself, so the symbolic checks pass; the statement and the float64 engine refute it."""
    planted = ffnn_forcing()
    assert not refuted(symbolic_checks(planted))
    assert refuted([layer_check(planted)])
    assert refuted(depth_checks(planted, DEPTH))


def test_the_law_with_the_right_recursion_and_the_wrong_solution():
    law, planted = RESNET.ntk_law(), ffnn_forcing()
    mixed = replace(law, linear=planted.linear, expansion=planted.expansion)
    assert not refuted([layer_check(mixed)])
    assert refuted(symbolic_checks(mixed))
    assert refuted(constancy_checks(mixed, Rational(9, 10), "c^1 = 1/10", 12, guards=(15,)))


@pytest.mark.parametrize("other", [BlockResNet("relu"), ResNet("relu", sigma_w=Rational(101, 100))])
def test_the_law_of_another_network(other):
    """A block learns twice as fast; and sigma_w off by 1%."""
    planted = replace(other.ntk_law(), layer=RESNET.statement)
    assert refuted([layer_check(planted)])
    assert refuted(depth_checks(planted, 5000))


def test_another_start_of_the_ntk():
    """K^1 = 2 Sigma^1 in a network with K^1 = Sigma^1."""
    law = RESNET.ntk_law()
    linear = replace(law.dynamics.linear, start=lambda gap: 2 * (1 - gap))
    assert refuted([layer_check(law.changed(dynamics=replace(law.dynamics, linear=linear)))])
    assert not refuted([layer_check(law)])


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("kind", ["ntk_diagonal", "variance"])
def test_a_wrong_identity(name, kind):
    law = getattr(NETWORKS[name], f"{kind}_law")()
    for index in range(len(law.expansion.terms)):
        if kind == "variance" and index == 0:
            continue  # C is any number
        assert refuted(exact.symbolic_checks(replace(law, expansion=changed(law.expansion, index, ONE_PERCENT)))), index
    assert not refuted([*exact.symbolic_checks(law), *exact.original_layer(law, 1000)])


def test_a_wrong_growth_of_the_variance():
    law = ResNet("relu", sigma_w=1, sigma_b=Rational(1, 3)).variance_law()
    assert not refuted([*exact.symbolic_checks(law), *exact.original_layer(law, 1000)])
    for index in range(len(law.expansion.terms)):
        if index:
            assert refuted(exact.symbolic_checks(replace(law, expansion=changed(law.expansion, index, ONE_PERCENT))))
    scale = replace(law.expansion.scale, base=law.expansion.scale.base * ONE_PERCENT)
    assert refuted(exact.symbolic_checks(replace(law, expansion=replace(law.expansion, scale=scale))))


def test_random_networks_have_the_skip_connection(monkeypatch):
    """The correlations of random networks with and without it, against the statement."""
    law, drawn = RESNET.correlation_law(), referee.covariances
    assert not refuted(referee.random_checks(law))
    plain = FeedForward("relu", sigma_w=1).statement
    monkeypatch.setattr(referee, "covariances", lambda _, *rest: drawn(plain, *rest))
    assert refuted(referee.random_checks(law))
