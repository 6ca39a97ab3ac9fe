"""Laws of condition numbers against the numbers of `spectrum`, which iterate the layers."""

import mpmath
import numpy as np
import pytest
from sympy import Rational, Symbol, log, simplify

from asympt import BlockResNet, ConvNet, FeedForward, Network, ResNet, ScaledResNet
from asympt.errors import InputError, UnsupportedError
from asympt.training.spectrum import condition_law, condition_numbers

N = Symbol("n", positive=True)
ORDERED_RELU = FeedForward("relu", sigma_w=1, sigma_b=1)
ORDERED_ERF = FeedForward("erf", sigma_w=1, sigma_b=Rational(1, 5))
GAP = "7/10"


def numbers(net, kernel: str, depths: list[int], count: int = 3) -> np.ndarray:
    return condition_numbers(net, depths, gap=0.7, inputs=count)[kernel == "ntk"]


NETWORKS = [
    FeedForward("relu"), FeedForward("leaky_relu", slope="1/10"), ORDERED_RELU, ORDERED_ERF,
    FeedForward("erf", sigma_w=2, sigma_b=Rational(1, 5)), ResNet("relu"), BlockResNet("relu"), ScaledResNet("relu"),
    Network("residual(layer_norm, relu, dense(sqrt(2)))"),
]  # fmt: skip


@pytest.mark.parametrize("kernel", ["nngp", "ntk"])
@pytest.mark.parametrize("net", NETWORKS, ids=repr)
def test_the_law_evaluates_to_the_iterated_numbers(net, kernel):
    is_erf = "erf" in repr(net)
    law, depths = condition_law(net, 3, kernel, terms=2), [30] if is_erf else [5, 60, 200]
    found = [float(law.evaluate(depth, digits=14, gap=GAP)) for depth in depths]
    np.testing.assert_allclose(found, numbers(net, kernel, depths), rtol=1e-10)


def leading_with_its_constant(law):
    """The leading term; C is a number."""
    constant = law.law.connection_constant(gap=GAP, digits=20)
    symbol = next(s for s in law.leading.free_symbols if str(s) == "C")
    return law.leading.subs(symbol, Rational(str(mpmath.nstr(constant, 18))))


def test_relu_on_the_edge_of_chaos():
    """From K^L/(qL) = 1/4 + (3/8) log(L)/L: kappa = (n+3)/3 + (n/(1 - 1/4)^2)(3/8) log(L)/L = ... + (2n/3) log(L)/L."""
    law = condition_law(FeedForward("relu"), N, terms=2)
    variable = law.law.depth_variable
    expected = (N + 3) / 3 + 2 * N / 3 * log(variable) / variable
    assert simplify(law.expansion.to_sympy() - expected) == 0
    assert str(law).endswith("+ O(1/L)")


def test_a_kink_makes_the_ordered_ntk_grow_like_the_root():
    """ReLU, sigma_w = sigma_b = 1: kappa ~ 2^(L/2), while the NNGP's grows like 2^L."""
    ratios = numbers(ORDERED_RELU, "ntk", [100, 120])
    assert ratios[1] / ratios[0] == pytest.approx(2**10, rel=1e-10)
    law = condition_law(ORDERED_RELU, 3)
    leading = leading_with_its_constant(law).subs(law.law.depth_variable, 120)
    assert float(leading.evalf(20)) == pytest.approx(ratios[1], rel=1e-9)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: condition_law(FeedForward("relu"), 1), InputError, "inputs = 1"),
    (lambda: condition_law(FeedForward("relu"), 2.5), InputError, "inputs = 2.5"),
    (lambda: condition_law(FeedForward("relu"), 2, "gram"), InputError, "kernel = 'gram'"),
    (lambda: condition_law("relu", 2), UnsupportedError, "not a dense network"),
    (lambda: condition_law(ConvNet("relu", 8, 1), 2), UnsupportedError, "not a dense network"),
    (lambda: condition_law(FeedForward("relu"), N).evaluate(10, gap="1/2"), InputError, "inputs = n is a symbol"),
])  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_without_biases_the_chaotic_ntk_has_no_leading_constant():
    with pytest.raises(UnsupportedError, match=r"c\* = 0"):
        condition_law(FeedForward("erf", sigma_w=3), 2)
