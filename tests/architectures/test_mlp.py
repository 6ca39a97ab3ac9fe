"""PDLT's MLP of the class K* = 0: its laws against two inputs followed by hand, at any depth, and what it refuses."""

from math import cosh, exp, sinh

import pytest
from sympy import Integer, Rational, Symbol, cos, sin, symbols

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.mlp import MLP
from asympt.architectures.mlp_components import DELTA
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation

X = Symbol("x", real=True)
MIXED = Activation(sin(X) + (1 - cos(X)) / 2, X, name="mixed")
NAMES = {"sin": "sin", "mixed": MIXED}
BIAS, WEIGHT = symbols("lambda_b lambda_W", positive=True)


def net(name, schedule="constant"):
    return MLP(NAMES.get(name, name), weight_rate=3, bias_rate=2, schedule=schedule)


def law_of(mlp, kind, component, terms=2):
    return (mlp.kernel_law if kind == "kernel" else mlp.ntk_component_law)(component, terms)


TWO_INPUTS = [("mixed", "constant", "kernel", 20), ("mixed", "constant", "ntk", 20), ("sin", "equivalence", "ntk", 15),
              ("mixed", "equivalence", "ntk", 18)]  # fmt: skip


@pytest.mark.parametrize(("name", "schedule", "kind", "digits"), TWO_INPUTS)
@pytest.mark.parametrize("component", ["00", "1", "2"])
def test_components_at_layer_1000_are_those_of_two_inputs(name, schedule, kind, digits, component, known, agrees):
    value = law_of(net(name, schedule), kind, component).evaluate(depth=1000, variance=1, digits=digits)
    assert agrees(value, known(f"mlp.{name}_{schedule}_{kind}_{component}_1000"), digits)


def closed_sine(depth):
    """(ddK_[2], Theta_00, ddTheta_[2]) of sin by the closed means (1 - e^(-2u))/2 and (1 + e^(-2u))/2, in floats."""
    u, k, t, s = 1.0, 1.0, 5.0, 3.0
    for _ in range(depth - 1):
        image, slope = exp(-u) * sinh(u), exp(-u) * cosh(u)
        s = slope * s + (3 * slope + image * t) * k
        u, k, t = image, slope * k, 2 + 3 * image + slope * t
    return k, t, s


def test_a_million_layers_of_sine():
    depth, mlp = 10**6, net("sin")
    found = closed_sine(depth)
    laws = (mlp.kernel_law("2"), mlp.ntk_component_law("00"), mlp.ntk_component_law("2"))
    for value, law in zip(found, laws, strict=True):
        assert float(law.evaluate(depth=depth, variance=1, digits=14)) == pytest.approx(value, rel=1e-9)
    assert found[2] / (found[0] * depth) == pytest.approx(3 + 2 / 2, rel=1e-4)  # not lambda_W = 3 (PDLT 10.80)


@pytest.mark.parametrize(("name", "slope"), [("tanh", 2), ("sin", 1), ("erf", 2), ("arctan", 2)])
def test_constant_rates_of_an_odd_activation(name, slope):
    mlp = MLP(name, weight_rate=WEIGHT, bias_rate=BIAS)
    weights = WEIGHT / mlp.layer_data.weight_variance
    assert mlp.kernel_law("00").expansion.coefficient(1) == Rational(1, slope)
    assert mlp.ntk_component_law("00").expansion.coefficient(-1) == BIAS / 2  # PDLT 10.79
    second = mlp.ntk_component_law("2").expansion.coefficient(0)
    assert (second - DELTA**2 * (weights + slope * BIAS / 2)).expand() == 0  # PDLT 10.80 and the term it lacks


def test_equivalence_principle_keeps_robustness_for_odd_activations_only():
    odd = MLP("tanh", weight_rate=WEIGHT, bias_rate=BIAS, schedule="equivalence").robustness_law(1)
    assert odd.limit.subs({DELTA: 1, WEIGHT: 2, BIAS: 3}) == -1
    other = MLP(MIXED, weight_rate=WEIGHT, bias_rate=BIAS, schedule="equivalence").robustness_law(1)
    assert -other.expansion.leading[0].order == Rational(1, 13)  # 1 - p_perp


def test_kernel_of_the_midpoint_is_the_law_of_the_variance():
    law, other = MLP("tanh").kernel_law("00"), FeedForward("tanh", sigma_w=1).variance_law()
    assert law.expansion.terms == other.expansion.terms


def test_depth_one_is_layer_one():
    mlp = net("mixed", "equivalence")
    assert mlp.ntk_component_law("00").evaluate(1, variance=Rational(1, 2)) == Rational(7, 2)
    assert mlp.ntk_component_law("2").evaluate(1, variance=1) == 3
    assert mlp.kernel_law("1").evaluate(1, variance=1) == 1


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: MLP("gelu"), UnsupportedError, "a_1 = 6/pi"),
        (lambda: MLP("softplus"), UnsupportedError, r"phi\(0\) = log\(2\)"),
        (lambda: MLP("elu"), UnsupportedError, "breakpoints"),
        (lambda: MLP("tanh", weight_rate=-1), InputError, "weight_rate = -1"),
        (lambda: MLP("tanh", weight_rate=0, bias_rate=0), InputError, "train nothing"),
        (lambda: MLP("tanh", weight_variance=0), InputError, "weight_variance = 0"),
        (lambda: MLP("tanh", bias_variance=-1), InputError, "bias_variance = -1"),
        (lambda: MLP("tanh", schedule="other"), InputError, "schedule = 'other'"),
        (lambda: MLP("tanh", weight_variance=2, schedule="equivalence"), UnsupportedError, "not critical"),
        (lambda: MLP("tanh", bias_variance=1).kernel_law(), UnsupportedError, "C_b = 1"),
        (lambda: MLP("tanh").kernel_law("3"), InputError, "component = '3'"),
        (lambda: MLP("tanh").zeta_law(), UnsupportedError, "class 'K\\* = 0'"),
        (lambda: MLP("relu").kernel_law(), UnsupportedError, "class 'scale-invariant'"),
        (lambda: MLP("tanh").kernel_law().evaluate(10, variance=0), InputError, "variance = 0"),
        (lambda: MLP("sin", bias_rate=BIAS).ntk_component_law().evaluate(9, variance=1), UnsupportedError, "lambda_b"),
        (lambda: MLP("sin").kernel_law("2").evaluate(0, variance=1), InputError, "depth = 0"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_a_power_that_is_not_rational_is_refused():
    phi = Activation(sin(X) + (1 - cos(X)) / Integer(2) ** Rational(3, 4), X)
    with pytest.raises(UnsupportedError, match="not rational"):
        MLP(phi).kernel_law("2")
