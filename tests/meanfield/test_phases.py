"""Phases and the Edge of Chaos."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, sqrt

from asympt import FeedForward, activation, edge_of_chaos
from asympt.meanfield.edge import phase_of
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf


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


def layer(name, sigma_w, sigma_b):
    return Layer(activation(name), Rational(sigma_w) ** 2, Rational(sigma_b) ** 2)


@pytest.mark.parametrize(
    ("name", "sigma_w", "sigma_b", "phase"),
    [
        ("tanh", "1/2", 0, "ordered"),
        ("tanh", 1, 0, "edge of chaos"),
        ("tanh", "1.3", "1/5", "ordered"),  # the Edge of Chaos is at sigma_w = 1.30414584...
        ("tanh", "1.305", "1/5", "chaotic"),
        ("elu", "1.3", "1/5", "chaotic"),
        ("step", 1, "1/5", "chaotic"),  # f'(1) is infinite
    ],
)
def test_phases(name, sigma_w, sigma_b, phase):
    assert phase_of(layer(name, sigma_w, sigma_b)) == phase


def test_a_solved_point_is_on_the_edge():
    point = edge_of_chaos("erf", sigma_b="1/5", digits=15)
    weight = point.exact_sigma_w**2
    assert phase_of(Layer(activation("erf"), weight, Rational(1, 25))) == "edge of chaos"  # chi = 1 to 30 digits
    given = Layer(activation("erf"), weight, Rational(1, 25), variance=point.exact_q, critical=True)
    assert phase_of(given) == "edge of chaos" and given.chi == 1


@pytest.mark.parametrize(
    ("name", "sigma_w", "chi"),
    # HDR Section 6.2 prints (0.2, 1.298) for tanh and (0.2, 1.225) for ELU: both are in the ordered phase
    [("tanh", "1.298", 0.996610548987), ("elu", "1.225", 0.997478633896)],
)
def test_the_printed_points_are_ordered(name, sigma_w, chi):
    given = layer(name, sigma_w, "1/5")
    found = to_mpf(given.chi)
    assert phase_of(given) == "ordered" and abs(found - chi) < 1e-11
    phi, slope = {"tanh": (mp.tanh, lambda x: mp.sech(x) ** 2), "elu": (elu, lambda x: mp.exp(min(x, 0)))}[name]
    weight, q = mp.mpf(sigma_w) ** 2, to_mpf(given.fixed_variance)
    panels = mp.linspace(-9, 9, 19)
    for function, target in ((phi, (q - mp.mpf(1) / 25) / weight), (slope, found / weight)):
        mean = mp.quad(lambda z, g=function: g(mp.sqrt(q) * z) ** 2 * mp.npdf(z), panels)
        assert abs(mean - target) < 1e-11


def elu(x):
    return x if x > 0 else mp.expm1(x)


A = Symbol("a", real=True)
REFUSALS = {
    "bias on the edge": (lambda: edge_of_chaos("relu", sigma_b="1/5"), "has no Edge of Chaos with sigma_b = 1/5"),
    "network with bias": (lambda: FeedForward.on_edge_of_chaos("relu", sigma_b=1), "has no Edge of Chaos"),
    "negative bias": (lambda: edge_of_chaos("relu", sigma_b=-1), "sigma_b = -1 is negative"),
    "nan bias": (lambda: edge_of_chaos("relu", sigma_b=float("nan")), "sigma_b = nan is not a finite number"),
    "unknown": (lambda: edge_of_chaos("rleu"), "unknown activation 'rleu'"),
    "digits": (lambda: edge_of_chaos("relu", digits=-50), "digits = -50 is not a whole number from 1"),
    "growing variance": (lambda: FeedForward("relu", sigma_b=1).phase, "chi = 1 with sigma_b = 1: the variance grows"),
    "no variance": (lambda: phase_of(layer("elu", 2, 1)), "grows without bound"),
    "symbols": (lambda: FeedForward("leaky_relu", slope=A, sigma_w=1).phase, "contains symbols; give numbers"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_gets_one_sentence(name, refused):
    refused(*REFUSALS[name])
