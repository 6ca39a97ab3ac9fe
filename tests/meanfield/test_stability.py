"""What becomes of a variance beside q: V'(q) by differentiated quadrature, and orbits of V iterated plainly."""

import json
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from mpmath import mp
from scipy.special import erf, ndtr
from sympy import Max, Rational, Symbol, exp, symbols
from typer.testing import CliRunner

import asympt
from asympt import MLP, Activation, ConvNet, FeedForward, ResNet, ScaledResNet
from asympt.cli.app import app

X = Symbol("x", real=True)
SQUARE = Activation(Max(X, 0) ** 2, X, "square")
Z = np.linspace(-12, 12, 2001)  # the trapezoidal rule in plain NumPy
WEIGHT = np.exp(-(Z**2) / 2) / np.sqrt(2 * np.pi) * (Z[1] - Z[0])


@dataclass(frozen=True)
class Case:
    """An activation with its formula in mpmath and NumPy, sigma_b, sigma_w (None: the Edge of Chaos)."""

    phi: object
    number: object
    array: object
    bias: Rational
    weight: Rational | None
    slope: float | None = None  # where it is known by hand or from the literature of this test


def _gelu(x):
    return x * mpmath.ncdf(x)


def _gelu_array(x):
    return x * ndtr(x)


def _silu(x):
    return x / (1 + mpmath.exp(-x))


CASES = {
    "gelu": Case("gelu", _gelu, _gelu_array, Rational(1, 5), None, 1.095),
    # V = 1/100 + (3/2) sigma_w^2 q^2 and chi = 2 sigma_w^2 q = 1: q = 1/25, sigma_w^2 = 25/2, V' = 3 sigma_w^2 q = 3/2
    "square": Case(SQUARE, lambda x: max(x, 0) ** 2, lambda x: np.maximum(x, 0) ** 2, Rational(1, 10), None, 1.5),
    "square, ordered": Case(SQUARE, lambda x: max(x, 0) ** 2, lambda x: np.maximum(x, 0) ** 2, Rational(1, 10), 2),
    "gelu, ordered": Case("gelu", _gelu, _gelu_array, Rational(1, 5), Rational(3, 2)),
    "silu": Case("silu", _silu, lambda x: x / (1 + np.exp(-x)), Rational(1, 10), None),
    "exp": Case(Activation(exp(X), X, "exp"), mpmath.exp, np.exp, Rational(1, 2), None, 2),
    "tanh": Case("tanh", mpmath.tanh, np.tanh, Rational(1, 5), None),
    "erf, chaotic": Case("erf", mpmath.erf, erf, Rational(1, 5), 2),
    "bump": Case(Activation(exp(-(X**2)), X, "bump"), lambda x: mpmath.exp(-x * x), lambda x: np.exp(-x * x),
                 Rational(1, 5), 3),
}  # fmt: skip


def network(name):
    case = CASES[name]
    return FeedForward(case.phi, sigma_w=case.weight, sigma_b=case.bias)


@pytest.mark.parametrize("name", CASES)
def test_the_slope_is_that_of_the_quadrature(name):
    net, case = network(name), CASES[name]
    with mp.workdps(20):
        q, weight = mpmath.mpf(net.variance.evalf(18)), mpmath.mpf(net.layer.weight_variance.evalf(18))

        def moment(variance):
            deviation = mpmath.sqrt(variance)
            return mpmath.quad(lambda z: case.number(deviation * z) ** 2 * mpmath.npdf(z), [-12, -4, 0, 4, 12])

        step = q / 1000  # a central difference of fourth order: relative error about 10^-11
        values = [moment(q + k * step) for k in (-2, -1, 1, 2)]
        found = weight * (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step)
    assert abs(net.stability.slope - found) < 1e-9
    assert case.slope is None or abs(net.stability.slope - case.slope) < 1e-4
    assert net.stability.kind == ("stable" if abs(found) < 1 else "unstable")


@pytest.mark.parametrize("name", CASES)
def test_an_orbit_of_the_variance_goes_where_it_says(name):
    net, case = network(name), CASES[name]
    q, weight, bias = (float(value) for value in (net.variance, net.layer.weight_variance, case.bias**2))
    for side, start in ((net.stability.above, q * (1 + 1e-3)), (net.stability.below, q * (1 - 1e-3))):
        at = start
        for _ in range(1000):
            if at > 1e3 * q:
                break
            with np.errstate(over="ignore"):
                at = bias + weight * float(case.array(np.sqrt(at) * Z) ** 2 @ WEIGHT)
        if side.fate == "grows":
            assert at > 1e3 * q
        else:
            assert at == pytest.approx(float(side.limit), rel=1e-6)
            assert side.fate == ("returns" if at == pytest.approx(q, rel=1e-6) else "moves")


def test_the_interval_from_which_the_variance_comes_to_q():
    # the other root of 1/100 + 6 q^2 = q: what starts above it is lost, though q is stable
    low, high = network("square, ordered").stability.interval
    assert low == 0 and high == pytest.approx((1 + np.sqrt(1 - 0.24)) / 12, rel=1e-9)
    assert not network("square, ordered").stability.attracts_all and network("tanh").stability.attracts_all


def test_no_variance_is_singled_out_without_bias_and_scale():
    a = symbols("a", positive=True)
    assert FeedForward("relu").stability.slope == 1
    for net in (FeedForward("relu"), FeedForward("relu", sigma_w=1), FeedForward("leaky_relu", slope=a), MLP("relu")):
        assert net.stability.kind == "neutral" and net.stability.attracts_all
        assert "alone" not in str(net.stability)


def test_a_marginal_zero():
    assert FeedForward("tanh").stability.above.fate == "returns"  # V = q - 2 q^2 + ...
    assert MLP("tanh").stability.kind == "marginal" and MLP("tanh").stability.attracts_all
    # sinh: V = (e^(2q) - 1)/2 = q + q^2 + ...: 0 repels, and nothing stops the variance
    found = FeedForward(Activation((exp(X) - exp(-X)) / 2, X, "sinh")).stability
    assert (found.kind, found.above.fate, found.below) == ("marginal", "grows", None)


def test_every_architecture_answers():
    bias = Rational(1, 10)
    assert ConvNet(SQUARE, positions=8, reach=1, sigma_b=bias).stability == FeedForward(SQUARE, sigma_b=bias).stability
    assert ResNet("relu", sigma_w=1).stability is None and ScaledResNet("relu", sigma_w=1).stability is None


def test_laws_and_verifications_carry_it():
    law = network("square").correlation_law(terms=1)
    assert law.stability == network("square").stability
    report = asympt.verify(law, digits=10, depth=100).report()
    assert "unstable: V'(q) = 1.5 > 1, so q^1 = q alone" in report.splitlines()[1]
    assert "variance  " not in asympt.verify(FeedForward("relu").correlation_law(), digits=10, depth=100).report()


def test_the_command_line_says_it_everywhere():
    def output(command, *more):
        arguments = [command, "max(x,0)^2", "--sigma-b", "0.1", "--law", "correlation", "--terms", "1", *more]
        return CliRunner().invoke(app, arguments).stdout

    said = "q^1 = q alone has these laws; a larger q^1 grows without bound, a smaller one tends to 0.013333333"
    for found in (output("derive"), output("verify", "--depth", "100", "--digits", "10")):
        opening = " ".join(found.split("\n\n")[0].split())  # wrapped to the width of the terminal
        assert "edge of chaos, unstable variance" in opening and said in opening
    assert r"\text{(unstable: $V'(q) = 1.5 > 1$" in output("derive", "--format", "latex")
    record = json.loads(output("derive", "--format", "json"))["network"]["stability"]
    assert (record["kind"], record["slope"], record["attracts"]) == ("unstable", "1.5", False)
    assert record["above"] == {"fate": "grows", "limit": "inf"} and record["below"]["limit"] == "0.0133333333333"


def test_the_edge_of_chaos_says_it():
    """V(q) = 1/100 + (75/4) q^2 (module header of `stability`) at its upper fixed point 1/25."""
    arguments = ["eoc", "max(x,0)^2", "--sigma-b", "0.1"]
    said = "unstable: V'(q) = 1.5 > 1, so q^1 = q alone has these laws; a larger q^1 grows without bound"
    assert said in " ".join(CliRunner().invoke(app, arguments).stdout.split())
    record = json.loads(CliRunner().invoke(app, [*arguments, "--format", "json"]).stdout)
    assert record["stability"]["kind"] == record["variance"] == "unstable" and said in record["stability"]["text"]
    assert asympt.edge_of_chaos("relu").stability.kind == "neutral"
    assert asympt.edge_of_chaos("tanh").stability == FeedForward("tanh").stability
