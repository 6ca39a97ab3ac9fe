"""PDLT's MLP of the scale-invariant class: angles, robustness and prediction variance."""

import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, log, pi

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.mlp import MLP
from asympt.errors import InputError, UnsupportedError

CASES = {
    "relu": MLP("relu", weight_rate=1, bias_rate=1),  # A_2 = 1/2: w = 1/3
    "relu_bias": MLP("relu", weight_rate=0, bias_rate=1),
    "slopes": MLP("relu_like", right=1, left=Rational(-1, 2), weight_rate=Rational(4, 5), bias_rate=1),  # A_2 = 5/8
}


@pytest.mark.parametrize("name", CASES)
def test_angles_at_layer_1000_against_a_plain_iteration(name, known, agrees):
    mlp = CASES[name]
    assert mlp.weight_share() == {"relu": Rational(1, 3), "relu_bias": 0, "slopes": Rational(1, 3)}[name]
    psi = mlp.angle_law(2).evaluate(depth=1000, correlation=Rational(1, 10), digits=30)
    zeta = mlp.zeta_law(terms=2).evaluate(depth=1000, correlation=Rational(1, 10), digits=30)
    assert agrees(psi, known(f"mlp.{name}_angle_1000"), 30)
    assert agrees(zeta, known(f"mlp.{name}_zeta_1000"), 30)


def test_weights_alone_are_the_ntk_of_hdr():
    mlp, net = MLP("relu", weight_rate=2, bias_rate=0), FeedForward("relu")
    assert mlp.zeta_law(5).expansion.terms == net.ntk_law(5).expansion.terms
    one, two = (law.evaluate(500, correlation="1/3", digits=25) for law in (mlp.ntk_law(), net.ntk_law()))
    assert abs(one - two) < mpf(10) ** -24


@pytest.mark.parametrize("name", CASES)
def test_a_quarter_and_its_correction_do_not_depend_on_anything(name):
    law = CASES[name].zeta_law(terms=2, variance=7)
    assert law.to_sympy() == Rational(1, 4) + 3 * log(Symbol("L", positive=True)) / (8 * Symbol("L", positive=True))
    assert CASES[name].robustness_law(terms=1).limit == -Rational(3, 4)
    assert CASES[name].prediction_variance_law(terms=1, variance=7).limit == Rational(63, 16)


def test_the_angle_of_relu():
    law = MLP("relu").angle_law(terms=2)
    assert law.expansion.coefficient(1) == 3 * pi
    assert law.expansion.coefficient(2, 1) == -9 * pi / 2
    gap, psi = MLP("relu").correlation_law().evaluate(10**6, gap="1/2"), law.evaluate(10**6, gap="1/2", digits=25)
    with mp.workdps(40):
        assert abs(2 * mp.sin(psi / 2) ** 2 / gap - 1) < mpf(10) ** -23


def test_prediction_variance_is_the_formula_of_its_parts():
    mlp, start = CASES["relu"], {"correlation": Rational(1, 10), "digits": 25}
    zeta, gap = (law.evaluate(300, **start) for law in (mlp.zeta_law(), mlp.correlation_law()))
    expected = 1 - 2 * zeta * (1 - gap) + zeta**2
    assert abs(mlp.prediction_variance_law().evaluate(300, **start) - expected) < mpf(10) ** -14
    assert mlp.robustness_law().evaluate(300, **start) == pytest.approx(float(zeta - 1), rel=1e-14)


def test_linear_networks_keep_zeta():
    mlp = MLP("linear", weight_rate=1, bias_rate=2)
    for depth in (1, 2, 10**9):
        assert mlp.zeta_law().evaluate(depth, correlation=Rational(1, 10)) == pytest.approx(1 - 0.9 / 3)
    with pytest.raises(UnsupportedError, match="linear"):
        mlp.angle_law()


def test_the_diagonal_grows_by_the_rates():
    b, w = Symbol("b", positive=True), Symbol("w", positive=True)
    law = MLP("relu", weight_rate=w, bias_rate=b).ntk_diagonal_law(variance=6)
    assert (law.to_sympy() - (b + 3 * w) * law.depth_variable).expand() == 0
    assert MLP("relu", weight_rate=w, bias_rate=b, schedule="equivalence").ntk_diagonal_law(6).to_sympy() == b + 3 * w


def test_bad_input():
    with pytest.raises(InputError, match="variance = 0"):
        MLP("relu").zeta_law(variance=0)
    with pytest.raises(UnsupportedError, match="not critical"):
        MLP("relu", weight_variance=1).angle_law()
