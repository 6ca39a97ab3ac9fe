"""Phases and the Edge of Chaos."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, sqrt

from asympt import FeedForward, activation, edge_of_chaos
from asympt.errors import AsymptError


@pytest.mark.parametrize(
    ("name", "options", "sigma_w"),
    # chi = sigma_w^2 (a^2 + b^2)/2 = 1; ReLU: sigma_w^2 = 2 (HDR App. B.1, He et al. 2015)
    [("relu", {}, sqrt(2)), ("abs", {}, 1), ("leaky_relu", {"slope": "1/10"}, sqrt(Rational(200, 101)))],
)
def test_the_edge_of_chaos(name, options, sigma_w, agrees):
    point = edge_of_chaos(activation(name, **options), digits=50)
    assert point.exact_sigma_w == sigma_w and point.sigma_b == 0 and point.q is None
    with mp.workdps(80):
        assert agrees(point.sigma_w, mpmath.mpf(str(sqrt(point.exact_sigma_w**2).evalf(70))), 50)
    assert FeedForward.on_edge_of_chaos(name, **options).phase == "edge of chaos"


@pytest.mark.parametrize(
    ("sigma_w", "sigma_b", "phase"),
    [
        (1, 0, "ordered"),
        (1, 3, "ordered"),
        ("1.414", 0, "ordered"),
        (sqrt(2), 0, "edge of chaos"),
        ("sqrt(2)", 0, "edge of chaos"),
        (2**0.5, 0, "edge of chaos"),  # a float within rounding of sqrt 2 lies on it
        (mpmath.mpf(2**0.5), 0, "chaotic"),  # a computed number is its binary value: 2^0.5 is rounded up
        ("1.415", 0, "chaotic"),
        (2, 1, "chaotic"),
    ],
)
def test_phases_of_relu(sigma_w, sigma_b, phase):
    net = FeedForward("relu", sigma_w=sigma_w, sigma_b=sigma_b)
    assert net.phase == phase


def test_the_default_is_the_edge_of_chaos():
    assert FeedForward("relu").layer.weight_variance == 2
    assert FeedForward("relu").phase == "edge of chaos"


def test_symbolic_slopes_on_the_edge_of_chaos():
    a, b = Symbol("a", real=True), Symbol("b", real=True)
    assert FeedForward("relu_like", right=a, left=b).phase == "edge of chaos"


A = Symbol("a", real=True)
REFUSALS = {
    "bias on the edge": (lambda: edge_of_chaos("relu", sigma_b="1/5"), "has no Edge of Chaos with sigma_b = 1/5"),
    "network with bias": (lambda: FeedForward.on_edge_of_chaos("relu", sigma_b=1), "has no Edge of Chaos"),
    "negative bias": (lambda: edge_of_chaos("relu", sigma_b=-1), "sigma_b = -1 is negative"),
    "nan bias": (lambda: edge_of_chaos("relu", sigma_b=float("nan")), "sigma_b = nan is not a finite number"),
    "unknown": (lambda: edge_of_chaos("rleu"), "unknown activation 'rleu'"),
    "digits": (lambda: edge_of_chaos("relu", digits=-50), "digits = -50 cannot be certified"),
    "growing variance": (lambda: FeedForward("relu", sigma_b=1).phase, "chi = 1 with sigma_b = 1: the variance grows"),
    "symbols": (lambda: FeedForward("leaky_relu", slope=A, sigma_w=1).phase, "contains symbols; give numbers"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_gets_one_sentence(name):
    action, message = REFUSALS[name]
    with pytest.raises(AsymptError) as caught:
        action()
    assert message in str(caught.value) and "\n" not in str(caught.value)
