"""The Edge of Chaos: numbers from elsewhere, both equations put to the test, all solutions, and existence."""

import mpmath
import pytest
from mpmath import mp
from sympy import Abs, Heaviside, Integer, Rational, Symbol, atan, cos, exp, log, sin, sqrt, tanh

from asympt import Activation, FeedForward, activation, edge_of_chaos
from asympt.errors import UnsupportedError
from asympt.meanfield.edge import critical_points, edge_exists
from asympt.meanfield.variance import VarianceMap

X = Symbol("x", real=True)
BIAS = {"tanh": "1/5", "elu": "1/5", "erf": "1/5"}


@pytest.mark.parametrize("name", BIAS)
def test_points_to_thirty_digits(name, known, agrees):
    point = edge_of_chaos(name, sigma_b=BIAS[name])
    assert agrees(point.q, known(f"edge_of_chaos.{name}_q"), 30)
    assert agrees(point.sigma_w, known(f"edge_of_chaos.{name}_sigma_w"), 30)
    assert point.exact_sigma_b == Rational(1, 5) and point.variance.stability == "stable"


def test_exact_numbers_know_more_digits(known, agrees):
    point = edge_of_chaos("erf", sigma_b="1/5", digits=12)
    with mp.workdps(45):
        for value, name in ((point.exact_q, "q"), (point.exact_sigma_w, "sigma_w")):
            assert agrees(mpmath.mpf(value.evalf(42)._mpf_), known(f"edge_of_chaos.erf_{name}"), 38)
    assert str(point.exact_q) == "q = 0.465762935782896" and point.exact_sigma_w._latex_text == r"\sigma_w"
    again = edge_of_chaos("erf", sigma_b="1/5", digits=20)
    other = edge_of_chaos("erf", sigma_b="3/10", digits=12)
    assert again.exact_q == point.exact_q and other.exact_q != point.exact_q


@pytest.mark.parametrize(("name", "digits"), [("tanh", 20), ("gelu", 20), ("hard_tanh", 20)])
def test_the_point_satisfies_both_equations(name, digits):
    point = edge_of_chaos(name, sigma_b="1/10", digits=digits)
    v = VarianceMap(activation(name), point.exact_sigma_w**2, point.exact_sigma_b**2)
    with mp.workdps(digits + 5):
        assert abs(v(point.q, digits) / point.q - 1) < mp.mpf(10) ** (3 - digits)
        assert abs(v.chi(point.q, digits) - 1) < mp.mpf(10) ** (3 - digits)


def test_from_sigma_w_back_to_sigma_b():
    for name in ("erf", "elu"):
        there = edge_of_chaos(name, sigma_b="1/5", digits=20)
        back = edge_of_chaos(name, sigma_w=mpmath.mpf(there.sigma_w), digits=15)
        assert abs(back.sigma_b - mp.mpf(1) / 5) < 1e-12 and abs(back.q - there.q) < 1e-12


def test_formulas_of_the_exponential():
    # M_0 = M_1 = e^(2q): q = 1 + sigma_b^2, sigma_w = e^(-q), and V' = 2 > 1 everywhere: the variance is repelled
    point = edge_of_chaos("exp", sigma_b="1/2")
    with mp.workdps(30):
        assert abs(point.q - mp.mpf(5) / 4) < mp.mpf(10) ** -29
        assert abs(point.sigma_w - mp.exp(mp.mpf(-5) / 4)) < mp.mpf(10) ** -30
    assert point.variance.stability == "unstable" and abs(point.variance.slope - 2) < 1e-12


def test_formula_of_a_quadratic():
    # phi = x^2 + 1: M_0 = 3q^2 + 2q + 1, M_1 = 4q, so q^2 - 2q - 1 = 0 at sigma_b = 0 and q = 1 + sqrt 2
    point = edge_of_chaos(Activation(X**2 + 1, X, "parabola"))
    with mp.workdps(30):
        assert abs(point.q - 1 - mp.sqrt(2)) < mp.mpf(10) ** -28


@pytest.mark.parametrize(
    ("name", "options", "sigma_w"),
    # sigma_b = 0 and phi(0) = 0: sigma_w = 1/|phi'(0)|; for a kink at 0 the mean of the two squared slopes counts
    [
        ("tanh", {}, 1),
        ("silu", {}, 2),
        ("sin", {}, 1),
        ("elu", {"alpha": "1/2"}, sqrt(Rational(8, 5))),
        ("erf", {}, mpmath.sqrt(mpmath.pi) / 2),
    ],
)
def test_the_class_of_vanishing_variance(name, options, sigma_w):
    point = edge_of_chaos(activation(name, **options))
    assert point.q == 0 and point.exact_q == 0 and point.exact_sigma_b == 0
    assert abs(float(point.exact_sigma_w) - float(sigma_w)) < 1e-15
    assert point.variance.stability == "marginal"
    assert edge_of_chaos(activation(name, **options), sigma_w=point.exact_sigma_w).q == 0


def test_marginal_variances_at_zero():
    assert edge_of_chaos("tanh").variance.attracts  # V(q) = q - 2q^2 + ...
    assert not edge_of_chaos("gelu").variance.attracts  # phi''(0) != 0: V(q) > q


def test_all_solutions_for_a_given_sigma_w():
    # silu: sigma_w = M_1^(-1/2) falls below sqrt 2 and comes back to it
    points = critical_points("silu", sigma_w="1.41", digits=10)
    assert len(points) == 2 and points[0].q < points[1].q
    for point in points:
        assert abs(VarianceMap(activation("silu"), Rational("1.41") ** 2, 0).chi(point.q, 12) - 1) < 1e-9


def test_softplus_has_none():
    answer = edge_exists("softplus")
    # s -> -(log 2)^2/(1/2)^2 for q -> 0, and s = -sqrt(2q/pi) + ... for q -> oo (M_1 = 1/2 - (2 pi q)^(-1/2) + ...):
    # from q = 10^31 on s/q is less than float64 tells from 0
    assert not answer.exists and abs(answer.figure) < 1e-15
    assert answer.ends[0] == pytest.approx(0, abs=1e-3) and answer.ends[1] == pytest.approx(0.5, abs=1e-3)
    for q in (0.001, 1, 20):  # by quadrature that shares nothing with the scan
        assert offset_by_quadrature(lambda x: mp.log1p(mp.exp(x)), lambda x: 1 / (1 + mp.exp(-x)), mp.mpf(q)) < 0


def offset_by_quadrature(phi, slope, q):
    def mean(g):
        panels = mp.linspace(-9, 9, 37)
        return mp.quad(lambda z: g(mp.sqrt(q) * z) ** 2 * mp.npdf(z), panels)

    return q - mean(phi) / mean(slope)


def test_sigmoid_has_one_against_hdr(known, agrees):
    # HDR Section 6.2 says it has none; q - M_0/M_1 changes sign at q = 45.62..., and the variance is stable there
    point = edge_of_chaos("sigmoid", sigma_b=0)
    assert agrees(point.q, known("edge_of_chaos.sigmoid_q"), 30)
    assert agrees(point.sigma_w, known("edge_of_chaos.sigmoid_sigma_w"), 30)
    assert point.variance.stability == "stable"


@pytest.mark.parametrize("name", ["tanh", "elu", "gelu", "relu"])
def test_the_others_have_one(name):
    assert edge_exists(name).exists


REFUSALS = {
    "softplus": (lambda: edge_of_chaos("softplus", sigma_b="1/5"), "'softplus' has no Edge of Chaos: sigma_b^2"),
    "both": (lambda: edge_of_chaos("tanh", sigma_b=1, sigma_w=1), "both sigma_b and sigma_w are given"),
    "negative bias": (lambda: edge_of_chaos("tanh", sigma_b=-1), "sigma_b = -1 is negative"),
    "no weight": (lambda: edge_of_chaos("tanh", sigma_w=0), "sigma_w = 0 is not positive"),
    "weight out of range": (lambda: edge_of_chaos("tanh", sigma_w="1/2"), "on it sigma_w lies between 1"),
    "relu elsewhere": (lambda: edge_of_chaos("relu", sigma_w=1), "its only point is sigma_w = sqrt(2)"),
    "jump": (lambda: edge_of_chaos("step"), "jumps, so f'(1) is infinite"),
    "constant": (lambda: edge_of_chaos(Activation(Integer(2), X, "two"), sigma_b=1), "'two'"),
    "line": (lambda: edge_of_chaos(Activation(X + 1, X, "line")), "'line' has no Edge of Chaos"),
    "diverges": (lambda: edge_of_chaos(Activation(exp(X**4), X, "wild"), sigma_b=1), "diverg"),
    "symbol": (lambda: edge_of_chaos("tanh", sigma_b=Symbol("b")), "contains symbols"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_gets_one_sentence(name, refused):
    refused(*REFUSALS[name])


H = Heaviside
JUMPING = [tanh(X) + H(X - 1), H(X), X * H(X - 1), exp(X) * H(X), 2 * X + H(X + 2) * sin(X)]
SEAMLESS = [(X - 1) * H(X - 1), tanh(X) * H(X), X + X**2 * H(X), tanh(X), 1 / (1 + exp(-X)), log(1 + exp(X)), sin(X),
            cos(X), exp(-(X**2)), X**3, X / (1 + X**2), X * exp(-(X**2)), X + sin(X), Abs(X - 1), atan(X)]  # fmt: skip
BIASES = (0, Rational(1, 10), 1, 3)


FEW, CATALOGUE = (0, Rational(1, 10)), ("gelu", "sigmoid", "softplus", "selu", "step")
AGREEING = [*((formula, FEW) for formula in [*JUMPING[:2], SEAMLESS[0]]),
            *((phi, BIASES) for phi in [*[*JUMPING, *SEAMLESS][::3], *CATALOGUE])]  # fmt: skip


@pytest.mark.parametrize(("phi", "biases"), AGREEING)
def test_existence_and_points_agree(phi, biases):
    """One answer: points exist for a sigma_b only if some Edge exists, and every refusal of an absent one quotes it."""
    known = activation(phi) if isinstance(phi, str) else Activation(phi, X, "phi")
    answer = edge_exists(known)
    assert biases is BIASES or answer.exists == (phi not in JUMPING)
    for bias in biases:
        try:
            points = critical_points(known, sigma_b=bias, digits=10, most=1)
        except UnsupportedError as reason:
            assert answer.exists or str(reason) == answer.explanation
            with pytest.raises(UnsupportedError, match="Edge of Chaos"):
                FeedForward(known, sigma_b=bias)
        else:
            assert answer.exists or points[0].q == 0  # `edge_exists` is about q > 0
            assert abs(edge_of_chaos(known, sigma_b=bias, digits=10).q - points[0].q) <= 1e-9 * points[0].q


def test_a_marginal_point_attracts_from_the_edge_as_from_the_map():
    # max(x - 1, 0): phi phi'' = 0, so V' = sigma_w^2 (E phi'^2 + E[phi phi'']) = chi = 1; V is convex, so above q V > q
    found = edge_of_chaos(Activation((X - 1) * H(X - 1), X, "phi"), sigma_b=Rational(1, 10), digits=12).variance
    assert found.stability == "marginal" and abs(found.slope - 1) < 1e-12 and not found.attracts
