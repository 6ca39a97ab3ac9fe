"""The Edge of Chaos of smooth and of kinked activations: coefficients by hand, and orbits written out by hand."""

import mpmath
from mpmath import mp
from sympy import Rational

from asympt import FeedForward


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
