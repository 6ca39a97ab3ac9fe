"""The ordered phase: ReLU with a bias (half-integer powers) and erf, against iterations written out by hand."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, pi, simplify, sqrt

from asympt import FeedForward
from asympt.architectures.fixed_point_laws import correlation_law, diagonal_law, ntk_law
from asympt.meanfield.normal_form import NormalForm
from tests.architectures.plain import Erf, orbit, relu_gap

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


@pytest.mark.parametrize("depth", [5, 40, 300])
def test_relu_with_a_bias_at_25_digits(depth):
    with mp.workdps(150):
        gap, kernel = orbit(relu_layer, mpmath.mpf(9) / 10, (depth,))[depth]
        for law, truth in ((RELU.correlation_law(), gap), (RELU.ntk_law(), kernel)):
            assert abs(law.evaluate(depth, correlation="1/10", digits=25) / truth - 1) < mpmath.mpf(10) ** -25


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


def test_the_diagonal_is_a_geometric_sum():
    value, truth = RELU.ntk_diagonal_law().evaluate(30), mpmath.mpf(0)
    for _ in range(30):
        truth = truth / 2 + 1
    assert value == truth


@pytest.mark.slow
def test_erf_at_25_digits():
    net = FeedForward("erf", sigma_w=1, sigma_b="1/2")
    assert net.phase == "ordered"
    with mp.workdps(120):
        truth = orbit(Erf(1, mpmath.mpf(1) / 4).layer, mpmath.mpf(9) / 10, (200,))[200]
        for law, value in zip((net.correlation_law(), net.ntk_law()), truth, strict=True):
            assert abs(law.evaluate(200, correlation="1/10", digits=25) / value - 1) < mpmath.mpf(10) ** -25


@pytest.mark.parametrize("depth", [10**6, 10**12, 10**100])
def test_the_diagonal_is_evaluated_at_any_depth_at_one_price(depth):
    """K^L(x, x)/q tends to 1/(1 - chi) like chi^L, chi = (1 + 1/100)/2 for slopes 1 and 1/10 and sigma_w = 1."""
    law = FeedForward("leaky_relu", slope="1/10", sigma_w=1, sigma_b="1/2").ntk_diagonal_law()
    with mpmath.workdps(40):
        chi = mpmath.mpf(101) / 200
        assert abs(law.evaluate(depth=depth, digits=30) - 1 / (1 - chi)) < mpmath.mpf(10) ** -29


# ---- a branch of any weight ---------------------------------------------------------------------------


def branch_of(net, share) -> tuple:
    """What the laws are derived from, for c + w (f - c) with two trained matrices; no architecture is so."""
    return NormalForm(net.correlation_map, share, Rational(2), Rational(2)), net.statement


def test_any_weight_of_an_ordered_branch():
    """c' = c + (f - c)/3, k' = k + (2 f + (f' - 1) k)/3, k^1 = 2 c^1, against that written out by hand."""
    given = (*branch_of(RELU, Rational(1, 3)), "ordered", 3)
    ntk, correlation = ntk_law(*given), correlation_law(*given)
    with mp.workdps(100):
        gap, kernel = mpmath.mpf(9) / 10, mpmath.mpf(2) / 10
        for _ in range(59):
            image, slope = relu_layer(gap)
            gap, kernel = gap + (image - gap) / 3, kernel + (2 * (1 - image) + (slope - 1) * kernel) / 3
        for law, truth in ((correlation, gap), (ntk, kernel)):
            assert abs(law.evaluate(60, correlation="1/10", digits=20) / truth - 1) < mpmath.mpf(10) ** -20
    assert ntk.limit == 4  # o(1)/(1 - chi), whatever the weight


def test_any_weight_of_one_input():
    """K/q of one input by its own recursion, k' = k + w (o + (chi - 1) k): ordered, critical, chaotic."""
    for chi, share in ((Rational(1, 2), Rational(1, 3)), (Rational(1), Rational(1, 3)), (Rational(3), Rational(1))):
        form, layer = branch_of(RELU, share)
        law, kernel = diagonal_law(form, layer, chi), Rational(2)
        for _ in range(6):
            kernel += share * (2 + (chi - 1) * kernel)
        assert law.to_sympy().subs(law.depth_variable, 7) == kernel


def test_any_weight_on_the_edge_of_chaos():
    """In flow time T = w l the leading law of erf is 2/(f''(1) T), whatever w is."""
    net, share = FeedForward("erf", sigma_b=Rational(1, 5)), Rational(1, 3)
    form, layer = branch_of(net, share)
    found = correlation_law(form, layer, "edge of chaos", 1).expansion.leading
    plain = net.correlation_law(1).expansion.leading
    assert found[0] == plain[0] and simplify(found[1] * share / plain[1]) == 1
