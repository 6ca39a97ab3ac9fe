"""The law of the variance: PDLT's K* = 0 class, ReLU-like networks, a fixed point q* > 0."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, log

from asympt import FeedForward
from asympt.errors import InputError, UnsupportedError

C = Symbol("C", real=True)
LAYER = Symbol("l", positive=True)
TANH = FeedForward("tanh", sigma_w=1)


def test_tanh_by_hand():
    # tanh^2 = x^2 - (2/3) x^4 + (17/45) x^6, E Z^4 = 3, E Z^6 = 15: V = q - 2 q^2 + (17/3) q^3, so with e = -2, 17/3:
    # A = 1/(2q) + rho log q, rho = 1 - (17/3)/4 = -5/12, and q_l = 1/(2l) - rho log(l)/(2 l^2) + ...
    law = TANH.variance_law(terms=2)
    assert law.abel.residue == Rational(-5, 12)
    assert law.to_sympy() == 1 / (2 * LAYER) + Rational(5, 24) * log(LAYER) / LAYER**2


def test_sin_by_its_closed_form():
    # V = (1 - exp(-2q))/2 = q - q^2 + (2/3) q^3 - ...: the same flow as for the iterated map, so C settles
    law = FeedForward("sin", sigma_w=1).variance_law(terms=3)
    assert law.expansion.coefficient(1) == 1
    with mp.workdps(40):
        q = mpmath.mpf(1)
        for _ in range(299):
            q = -mp.expm1(-2 * q) / 2
        assert abs(law.evaluate(300, variance=1, digits=15) / q - 1) < 1e-15


def test_a_kink_at_zero_gives_half_integer_powers():
    # elu: x for x > 0, x - x^2/2 + ... of the left side: V has -(1/2) E|Z|^3 q^(3/2)
    law = FeedForward("elu", sigma_w=1).variance_law(terms=1)
    assert str(law) == "2*pi/l^2 + O(log(l)/l^3)"


def test_relu_like_variances_are_solved(refused):
    law = FeedForward("relu", sigma_w=1, sigma_b=1).variance_law()
    q = mpmath.mpf(1) / 3
    for _ in range(11):
        q = 1 + q / 2
    assert abs(law.evaluate(12, variance="1/3") - q) < 1e-15
    growing = FeedForward("relu", sigma_b=1).variance_law()
    assert (str(growing), growing.evaluate(12, variance=3)) == ("l + C", 14)
    refused(lambda: FeedForward("relu").variance_law(), "keeps the variance of every input", UnsupportedError)
    with pytest.raises(UnsupportedError, match=r"s\^2/2 of the variance map contains symbols"):
        FeedForward("relu", sigma_w=Symbol("s", positive=True)).variance_law()


@pytest.mark.parametrize("law", ["correlation_law", "ntk_law"])
def test_where_the_variance_vanishes_it_decides_where_correlations_go(law, refused):
    refused(lambda: getattr(TANH, law)().evaluate(10, correlation="1/10"), "give the variances", InputError)


@pytest.mark.parametrize(("given", "message"), [({}, "pass variance=q"), ({"variance": 0}, "is not positive")])
def test_bad_starts(given, message):
    with pytest.raises(InputError, match=message):
        TANH.variance_law().evaluate(10, **given)


def test_the_quantity_keeps_its_name_as_text():
    law = FeedForward("tanh", sigma_w=1).variance_law(2)
    assert law.plain == "q^l" and law.quantity == "q^{l}"
    assert law.observable is None or law.observable.quantity_at("n") == "q^{n}"
