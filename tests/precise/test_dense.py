"""DenseStep against the recursion of covariances written out by hand, and its gap against the same with more digits."""

import pytest
from mpmath import mp, mpf
from sympy import Integer, Rational

from asympt.errors import UnsupportedError
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import LAYER, Layer, Statement
from asympt.precise.dense import DenseStep, _Pair, first_state
from tests import statements
from tests.depth.layers import dense
from tests.depth.recursions import MAPS, iterate, normalised

RELU = Layer(activation("relu"), Integer(1), Integer(0))
ERF = dense("erf", 1, "1/5")
STATEMENTS = {
    "relu": statements.residual(RELU),
    "relu, bias": statements.scaled_residual(Layer(activation("relu"), Integer(2), Rational(1, 3)), Integer(1)),
    "block": statements.block_residual(RELU, Integer(3)),
    "mlp": statements.with_rates(Layer(activation("relu"), Integer(2), Rational(1, 4)), 1 / LAYER, Integer(2)),
    "erf": statements.residual(ERF),
    "erf, mlp": statements.with_rates(ERF, Rational(1, 2) + 1 / LAYER, 1 / LAYER),
    "sin": statements.block_residual(dense("sin", "1/2", 0), Integer(1)),
}


def test_slopes_where_the_closed_form_cancels():
    """E[phi' phi'] of ELU at q = 2118, a difference of terms of 10^1487, is that of ReLU up to O(1/sqrt(q))."""
    kernel, q = kernel_of(activation("elu").piecewise), mpf(2118)
    with mp.workdps(25):
        equal, unequal = (_Pair(kernel, q, q * (1 + shift)).slope(mpf(1) / 2) for shift in (0, mpf(10) ** -22))
        assert abs(unequal - equal) < mpf(10) ** -20
        assert 0 < equal - mpf(1) / 3 < 1 / mp.sqrt(q)  # 1/4 + asin(1/2)/(2 pi)


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("products", [("1", "1/3", "1"), ("1", "-1/2", "3"), ("1/2", "1/2", "1/2")])
def test_five_layers(name, products):
    statement = STATEMENTS[name]
    with mp.workdps(40):
        exact = [mpf(Rational(p).p) / Rational(p).q for p in products]
        state, step = first_state(statement, exact), DenseStep(statement)
        for layer, true in enumerate(iterate(statement, exact, 6, MAPS[statement.activation.name], 70), 1):
            gap, kernel = normalised(true, 70)
            assert state[0] == layer
            assert abs(state[1] / true[0] - 1) < mpf(10) ** -37 and abs(state[2] / true[1] - 1) < mpf(10) ** -37
            assert abs(state[3] - gap) < mpf(10) ** -36 and abs(state[4] - kernel) < mpf(10) ** -36 * (1 + kernel)
            state = step(state)


@pytest.mark.parametrize("name", ["relu", "erf", "sin", "erf, mlp"])
def test_a_small_gap_keeps_its_digits(name):
    statement = STATEMENTS[name]
    with mp.workdps(30):
        start = (1, mpf(1), mpf(1), mpf(10) ** -28, mpf(1))
        gap = DenseStep(statement)(start)[3]
    with mp.workdps(90):
        more = DenseStep(statement)((1, mpf(1), mpf(1), mpf(10) ** -28, mpf(1)))[3]
        assert 0 < gap < mpf(10) ** -26 and abs(gap / more - 1) < mpf(10) ** -28


def test_a_small_gap_at_different_variances():
    """ReLU has no scale: the gap stays small, with all digits."""
    with mp.workdps(30):
        one, two = (DenseStep(STATEMENTS["relu"])((1, mpf(1), q, mpf(10) ** -25, mpf(1))) for q in (mpf(1), mpf(7)))
        assert abs(one[3] / two[3] - 1) < mpf(10) ** -28 and abs(one[4] / two[4] - 1) < mpf(10) ** -28


def test_without_a_closed_form():
    """tanh by its series, tanh' by its own, against the plane's quadrature in float64."""
    from asympt.depth import pairs

    statement = statements.residual(dense("tanh", 1, "1/5"))
    with mp.workdps(15):
        state = DenseStep(statement)((1, mpf(1), mpf("1.5"), mpf("0.25"), mpf("0.75")))
    first = statement.first
    assert first.weight == first.weight_rate  # K^1 = Sigma^1 = 0.75 sqrt(q q')
    gap, kernel = pairs(statement, 0.25, 2, variance=(1.0, 1.5))
    assert abs(gap / state[3] - 1) < 1e-13 and abs(kernel / state[4] - 1) < 1e-13


def test_an_input_of_zeros_is_refused():
    with pytest.raises(UnsupportedError, match="zeros"):
        first_state(STATEMENTS["relu"], (0, 0, 1))


def test_opposite_inputs_of_a_kinked_phi():
    """E[phi'(U) phi'(-U)] = a+ a-, E[phi phi] = -a+ a-, E[phi^2] = (a+^2 + a-^2)/2: by hand."""
    leaky = Statement.plain(Layer(activation("leaky_relu", slope=Rational(1, 2)), Integer(1), Integer(0)))
    _, q, _, gap, kernel = DenseStep(leaky)((1, mpf(1), mpf(1), mpf(2), mpf(-1)))
    assert abs(q - mpf(5) / 8) < 1e-14 and abs(gap - (1 + mpf(1) / 2 / q)) < 1e-14
    assert abs(kernel - (-mpf(1) / 2 - mpf(1) / 2) / q) < 1e-14


def test_a_large_variance_against_the_first_terms_of_what_elu_has_beside_its_lines():
    """r = e^x for x < 0, so int r h n_q = -int e^x/sqrt(2 pi q) + O(q^(-3/2)), int r^2 n_q half as much."""
    with mp.workdps(30):
        q = mpf(10) ** 12
        found = DenseStep(statements.residual(Layer(activation("elu"), Integer(1), Integer(0)))).variance(2, q)
        plain = 3 * q / 2 + mpf(1) / 2 - 1.5 / mp.sqrt(2 * mp.pi * q)  # h = max(x, 0) - [x < 0]
        assert abs(found - plain) < 10 * q ** mpf("-1.5")
