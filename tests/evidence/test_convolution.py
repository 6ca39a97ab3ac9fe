"""The checks of convolutional laws: what is right passes, every planted error is refuted."""

from dataclasses import replace

import pytest
from sympy import Rational

from asympt.architectures.convolution import ConvNet, ConvResNet, conv_law, spectrum
from asympt.architectures.feedforward import FeedForward
from asympt.depth.convolution import conv_pairs
from asympt.errors import PrecisionError
from asympt.evidence import convolution as checks
from asympt.evidence.check import Effort
from tests.evidence.planting import changed, refuted

RELU = ConvNet("relu", positions=4, reach=1)
NETS = {
    "relu": RELU,
    "residual": ConvResNet("relu", positions=3, reach=1),
    "ordered": ConvNet("relu", positions=5, reach=2, sigma_w=1, sigma_b=1),
    "sixteen": ConvNet("relu", positions=16, reach=2),
    "erf": ConvNet("erf", positions=4, reach=1, sigma_b="1/5"),
    "chaotic": ConvNet("erf", positions=3, reach=1, sigma_w=2, sigma_b="1/5"),
}
DEPTH = 2000


def done(works):
    return [check for _, work in works for check in work()]


def verdicts(found):
    return {check.verdict for check in found}


def law_of(net, which):
    return net.correlation_law() if which == "correlation" else net.ntk_law()


@pytest.mark.parametrize(("name", "which"), [
    ("relu", "ntk"), ("residual", "ntk"), *((name, "correlation") for name in ("ordered", "sixteen", "erf", "chaotic")),
])  # fmt: skip
def test_what_is_right_passes(name, which):
    law = law_of(NETS[name], which)
    found = [*checks.symbolic_checks(law), *done(checks.numeric_checks(law, Effort(25, DEPTH)))]
    assert verdicts(found) == {"proved", "checked"}, [check for check in found if not check.passed]


@pytest.mark.parametrize("which", ["correlation", "ntk"])
@pytest.mark.parametrize("factor", [0, Rational(101, 100)])
def test_a_wrong_coefficient_of_the_printed_law(which, factor):
    law = law_of(RELU, which)
    for index in range(len(law.expansion.terms)):
        wrong = replace(law, expansion=changed(law.expansion, index, factor))
        assert refuted(checks.symbolic_checks(wrong)), index


def test_the_law_of_another_network():
    """The mean of a leaky network is not that of ReLU, and a mean that shrinks is not one on the Edge of Chaos."""
    for other in (FeedForward("leaky_relu", slope="1/2"), FeedForward("relu", sigma_w=1, sigma_b=1)):
        law = conv_law(other.correlation_law(), RELU.spectrum, RELU.statement, RELU.correlation_law().reader)
        assert refuted(checks.constancy_checks(law, 20))


def test_a_wrong_residue():
    """The Abel function without its log: A(t_l) - l drifts."""
    law = RELU.correlation_law()
    abel = law.dense.abel
    without = replace(abel.expansion, terms=tuple(t for t in abel.expansion.terms if not t[0].logs))
    wrong = law.changed(abel=replace(abel, expansion=without))
    assert refuted(checks.constancy_checks(wrong, 20))


@pytest.mark.parametrize("wrong", [spectrum(4, 0), spectrum(5, 1), spectrum(8, 1)])
def test_wrong_eigenvalues(wrong):
    law = replace(RELU.correlation_law(), spectrum=wrong)
    assert not checks.eigenvalue_check(law).passed


def test_wrong_rate_of_a_mode():
    """The eigenvalues of the plain layer are not those of the residual one."""
    net = NETS["residual"]
    law = replace(net.correlation_law(), spectrum=spectrum(3, 1))
    assert not checks.eigenvalue_check(law).passed
    law = replace(RELU.correlation_law(), spectrum=replace(RELU.spectrum, keep=Rational(2)))
    assert refuted(checks.fading_checks(law))


def test_a_mean_that_the_recursion_does_not_obey_is_never_certified():
    """Two matching layers at different layers disagree where the dense law is not that of the statement."""
    leaky = FeedForward("leaky_relu", slope="1/2").correlation_law()
    law = conv_law(leaky, RELU.spectrum, RELU.statement, RELU.correlation_law().reader)
    with pytest.raises(PrecisionError, match="does not lead from layer"):
        checks.depth_checks(law, DEPTH)


def test_float64_numbers_of_another_network(monkeypatch):
    """The engine run with another filter: the law's numbers are not its."""
    other = ConvNet("relu", positions=4, reach=0).statement
    monkeypatch.setattr(checks, "conv_pairs", lambda _, *given, **more: conv_pairs(other, *given, **more))
    assert refuted(checks.depth_checks(RELU.correlation_law(), 200))
