"""The ordered phase: ReLU with a bias (half-integer powers) and erf, against iterations written out by hand."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, pi, simplify, sqrt

from asympt import FeedForward, Network
from tests.architectures.plain import orbit, relu_gap

RELU = FeedForward("relu", sigma_w=1, sigma_b=1)  # chi = 1/2, q = 2, f = 1/2 + f_relu/2


def relu_layer(gap):
    image, slope = relu_gap(gap)
    return image / 2, slope / 2


def test_the_first_half_integer_power_by_hand():
    # y' = y/2 - a y^(3/2), a = sqrt(2)/(3 pi); S = y + s y^(3/2): s (2^(-3/2) - 1/2) = a, and y_l = S^(-1)(C/2^l)
    law = RELU.correlation_law(terms=2).expansion
    a = sqrt(2) / (3 * pi)
    s = a / (2 ** Rational(-3, 2) - Rational(1, 2))
    (_, one), (monomial, two) = law.terms
    assert monomial.order == Rational(3, 2)
    assert simplify(two / one ** Rational(3, 2) + s) == 0


def test_the_printed_ntk_law_of_relu_with_a_bias():
    law = RELU.ntk_law(terms=4)
    constants = {"C": law.connection_constant(correlation="1/10"), "D": law.second_constant(correlation="1/10")}
    figures = []
    with mp.workdps(60):
        for depth, (_, kernel) in orbit(relu_layer, mpmath.mpf(9) / 10, (40, 60, 80)).items():
            values = {symbol: constants[str(symbol)] for symbol in law.to_sympy().free_symbols - {law.depth_variable}}
            printed = mpmath.mpf(law.to_sympy().subs({**values, law.depth_variable: depth}).evalf(50)._mpf_)
            rest = law.expansion.scale.to_sympy(law.remainder.monomial).subs(law.depth_variable, depth).evalf(20)
            figures.append(abs(kernel - printed) / mpmath.mpf(rest._mpf_))
    assert max(figures) < 1.5 * min(figures)


@pytest.mark.parametrize("depth", [10**6, 10**12, 10**100])
def test_the_diagonal_is_evaluated_at_any_depth_at_one_price(depth):
    """K^L(x, x)/q tends to 1/(1 - chi) like chi^L, chi = (1 + 1/100)/2 for slopes 1 and 1/10 and sigma_w = 1."""
    law = FeedForward("leaky_relu", slope="1/10", sigma_w=1, sigma_b="1/2").ntk_diagonal_law()
    with mpmath.workdps(40):
        chi = mpmath.mpf(101) / 200
        assert abs(law.evaluate(depth=depth, digits=30) - 1 / (1 - chi)) < mpmath.mpf(10) ** -29


def test_any_weight_on_the_edge_of_chaos():
    """1 - c^l = 9 pi^2/(2 T^2) + ... in flow time T = w l; w = 1/3 for relu, dense(1) behind a skip connection."""
    found = Network("serial(residual(relu, dense(1)), layer_norm)").correlation_law(1).expansion.leading
    plain = FeedForward("relu").correlation_law(1).expansion.leading
    assert found[0] == plain[0] and simplify(found[1] / plain[1]) == 9
