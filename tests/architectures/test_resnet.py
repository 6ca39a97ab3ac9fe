"""The dense ReLU ResNet: its laws against plain iterations, its limits, and what it refuses."""

import math

import mpmath
import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, simplify, sqrt

from asympt.architectures.resnet import ResNet
from asympt.errors import InputError, UnsupportedError
from asympt.evidence.verify import symbolic_checks


def test_symbolic_slopes_and_width(refused):
    a, w = Symbol("a", positive=True), Symbol("w", positive=True)
    net = ResNet("leaky_relu", sigma_w=w, slope=a)
    law, gain = net.ntk_law(2), w**2 * (1 + a**2) / 2
    assert simplify(law.limit - gain / (1 + gain) / 4) == 0
    assert law.parameters == {a, w}
    special = law.expansion.subs({a: 0, w: 1})
    assert str(special) == str(ResNet("relu").ntk_law(2))
    assert {check.verdict for check in symbolic_checks(law)} == {"proved"}
    refused(lambda: law.evaluate(depth=10, correlation="1/10"), "symbols a, w", UnsupportedError)


def test_the_exact_laws():
    net = ResNet("relu", sigma_w=sqrt(2))
    assert net.ntk_diagonal_law().evaluate(depth=7) == 4
    assert net.variance_law().evaluate(depth=5, variance=3) == 48
    assert ResNet("relu", sigma_w=sqrt(2), sigma_b=1).variance_law().evaluate(depth=3, variance=1) == 7
    assert ResNet("relu", sigma_w=sqrt(6)).normalised_limits() == (Rational(3, 4), Rational(3, 16))
    assert net.phase == "edge of chaos"
    assert net.correlation_map(0, digits=15) == pytest.approx(1 / (2 * math.pi), rel=1e-14)


def test_at_the_ends_of_the_interval():
    law = ResNet("relu").ntk_law(2)
    assert law.evaluate(depth=10, gap=0, digits=20) * 10 == pytest.approx(4, rel=1e-15)
    assert mpmath.nstr(ResNet("abs").correlation_law(2).evaluate(depth=2, gap=2, digits=20), 10) == "1.0"  # f(-1) = 1


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"sigma_w": 0}, InputError, "sigma_w = 0 is not positive"), ({"sigma_w": "nonsense"}, InputError, "sigma_w"),
    ({"sigma_b": -1}, InputError, "sigma_b = -1 is negative"),
    ({"phi": "linear"}, UnsupportedError, "is linear .both slopes are 1"),
    ({"phi": "no_such"}, InputError, "unknown activation"),
])  # fmt: skip
def test_bad_input(options, error, words):
    with pytest.raises(error, match=words):
        ResNet(**{"phi": "relu", **options}).ntk_law()


def test_terms_and_starts_are_checked(refused):
    refused(lambda: ResNet("relu").correlation_law(0), "terms = 0", InputError)
    refused(lambda: ResNet("relu").correlation_law().evaluate(depth=3, correlation=2), "correlation", InputError)


def test_a_tiny_gap_keeps_its_digits():
    """1 - c^2 = gap (1 - (1/3) (2 sqrt(2)/(3 pi)) gap^(1/2) + ...), the branch with a third of the variance."""
    after = ResNet("relu").correlation_law(2).evaluate(depth=2, gap="1e-60", digits=80)
    with mp.workdps(90):
        lost = (1 - after * mpf(10) ** 60) * mpf(10) ** 30
        assert abs(lost * 9 * mp.pi / (2 * mp.sqrt(2)) - 1) < mpf(10) ** -45
