"""Laws of the ordered and the chaotic phase and of the Edge of Chaos, against iterations written out by hand."""

import mpmath
import pytest
from mpmath import mp, mpf
from sympy import Rational, pi, simplify, sqrt

from asympt import FeedForward, Network
from asympt.errors import InputError, UnsupportedError
from asympt.numbers import to_mpf
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


# ---- the chaotic phase: an odd map, and a jump ---------------------------------------------------


def test_an_odd_map_has_only_odd_exponentials(refused):
    law = FeedForward("erf", sigma_w=2, sigma_b=0).correlation_law(terms=3)
    assert [monomial.order for monomial, _ in law.expansion.terms] == [0, 1, 3]
    assert law.limit == 1
    refused(lambda: law.evaluate(10, correlation=1), "stays at 1 in the chaotic phase", InputError)


def test_a_jump_has_no_ntk(refused):
    net = FeedForward("step", sigma_w=1, sigma_b=1)
    assert net.phase == "chaotic"
    refused(net.ntk_law, "there is no NTK; take a continuous activation", UnsupportedError)
    for phi in ("step", "sign(x - 1/2)"):  # V(q) = 3/2 and 2, whatever q is; the law had V' = -4e-123 as its multiplier
        with pytest.raises(UnsupportedError, match="from layer 2 on, whatever it was in layer 1"):
            FeedForward(phi, sigma_w=1, sigma_b=1).variance_law()


def test_a_tiny_multiplier_is_not_0():
    """phi = sin(40 x), sigma_w = 1: q f = sigma_b^2 + exp(-1600 q) sinh(1600 q c), q = 0.54, so f'(c*) ~ 3e-345."""
    law = FeedForward("sin(40*x)", sigma_w=1, sigma_b="1/5").correlation_law(terms=2)
    with mp.workdps(30):
        q, c = mpf("0.54"), mpf("0.04") / mpf("0.54")  # c* up to exp(-800)
        assert abs(to_mpf(law.koenigs.multiplier) / (1600 * mp.exp(-1600 * q) * mp.cosh(1600 * q * c)) - 1) < 1e-25
    with pytest.raises(InputError, match=r"lands on the fixed point .* as far as .* bits tell"):
        law.evaluate(3, correlation="1/10", digits=10)


# ---- the Edge of Chaos of smooth and of kinked activations: coefficients by hand --------------------


def number(expression, digits=30):
    return mpmath.mpf(expression.evalf(digits)._mpf_)


def test_the_laws_of_erf(known):
    net = FeedForward.on_edge_of_chaos("erf", sigma_b="1/5")
    correlation, ntk = net.correlation_law(), net.ntk_law()
    with mp.workdps(45):
        q = known("activations.erf_eoc_q")
        assert abs(number(net.variance) - q) < 1e-29
        # f' = sqrt(1+4q) ((1+2q)^2 - 4q^2c^2)^(-1/2): f''(1) = 4q^2/(1+4q), f'''(1) = f''(1) + 3 f''(1)^2
        second = 4 * q**2 / (1 + 4 * q)
        third = second + 3 * second**2
        assert abs(number(correlation.expansion.coefficient(1)) - 2 / second) < 1e-26
        assert ntk.expansion.coefficient(0) == Rational(1, 3)
        assert abs(number(ntk.expansion.coefficient(1, 1)) - (3 - 2 * third / second**2) / 9) < 1e-26
        for law, name in ((correlation, "activations.erf_eoc_gap_1000"), (ntk, "activations.erf_eoc_ntk_1000")):
            assert abs(law.evaluate(1000, correlation="1/10", digits=25) / known(name) - 1) < mpmath.mpf(10) ** -25
    assert net.ntk_diagonal_law().evaluate(10**6) == 10**6


def test_elu_has_a_term_in_one_over_the_root_of_the_depth():
    net = FeedForward.on_edge_of_chaos("elu", sigma_b="1/5")
    ntk = net.ntk_law(terms=2)
    assert ntk.limit == Rational(1, 3)
    assert [monomial.order for monomial, _ in ntk.expansion.terms] == [0, Rational(1, 2)]
    with mp.workdps(30):
        # e_5 = -(1/15) sqrt(2)/pi sigma_w^2 phi''-jump^2 q: from f''' = ... + jump^2 q^2 sigma_w^2/q/(2 pi sqrt(1-c^2))
        q, weight = number(net.variance), number(net.layer.weight_variance)
        fifth = -8 * weight * q / (15 * 2 * mp.pi * mp.sqrt(2))
        fourth = number(net.correlation_map.expansion(5).coefficient(4))
        coefficient = number(ntk.expansion.coefficient(Rational(1, 2)))
        assert abs(coefficient - fifth / (5 * fourth**1.5)) < 1e-15
