"""The laws of the fully connected network: hand formulas, HDR Theorem 1, truncation, symbolic slopes."""

import pytest
from sympy import Rational, Symbol, expand, log, pi, simplify, sqrt, symbols

from asympt import FeedForward, ResNet

DEPTH = Symbol("L", positive=True)
C = Symbol("C", real=True)
RELU = FeedForward("relu")


def same(one, two) -> bool:
    return simplify(expand(one - two, force=True)) == 0


@pytest.mark.parametrize(("right", "left"), [(1, 0), (1, "1/10"), (1, -1), (2, "-3/7"), (0, -4)])
def test_every_relu_like_network_has_the_same_ntk_law_up_to_alpha(right, left):
    a, b = Rational(right), Rational(left)
    alpha = 3 * pi * (a**2 + b**2) / (sqrt(2) * (a - b) ** 2)
    net = FeedForward("relu_like", right=right, left=left)
    law, correlation = net.ntk_law(terms=3).expansion, net.correlation_law(terms=3).expansion
    assert (law.coefficient(0), law.coefficient(1, 1)) == (Rational(1, 4), Rational(3, 8))
    assert same(law.coefficient(1), (2 * C - 3 * log(alpha) - 1) / 8)
    assert same(correlation.coefficient(2), alpha**2)
    assert same(correlation.coefficient(3, 1), -3 * alpha**2)


def test_the_quantities_say_what_they_are():
    assert RELU.correlation_law().quantity == "1-c^{l}"
    assert RELU.ntk_law().quantity == r"\frac{K^{L}(x,x')}{q\,L}"


def test_the_family_of_a_residual_law_has_two_letters_and_its_member_back():
    """delta/4 + (3/8) delta log(L)/L (HDR Theorem 2 with the branch's share), and the law itself at the values."""
    a, b = symbols("a b", positive=True)
    law = ResNet("leaky_relu", sigma_w=a, slope=b).ntk_law(terms=2)
    family, values = law.family.law, law.family.values
    alpha, delta = values
    assert family.parameters == {alpha, delta} and same(values[delta], a**2 * (1 + b**2) / (
        2 + a**2 * (1 + b**2)))  # fmt: skip
    assert same(family.to_sympy(), delta / 4 + 3 * delta * log(DEPTH) / (8 * DEPTH))
    assert same(family.to_sympy().subs(values), law.to_sympy())
