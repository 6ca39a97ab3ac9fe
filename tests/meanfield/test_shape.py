"""Slopes of leaky ReLU fitted to a correlation.

ResNet101 with shortcuts of weight 3/5, C(0) = 3/4: 0.6291800290 (to 10^-8) in the tests of the repository that the
authors of arXiv:2110.01765 published; the other slopes are checked by iterating the kernel of Cho and Saul with them.
"""

import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, lambdify

from asympt import InputError, UnsupportedError, shape, verify
from asympt.blocks import DEPTH
from asympt.numbers import to_mpf

PLAIN, FIRST, LAST = {0: "9/25", 3: "16/25"}, (1, {1: "9/25", 3: "16/25"}), (1, {1: 1})


def test_the_published_slope():
    blocks = [part for count in (2, 3, 22, 2) for part in (FIRST, (count, PLAIN))]
    assert abs(shape("leaky_relu", [*blocks, LAST], 0, "3/4") - mpf("0.6291800290")) < 1e-8


@pytest.mark.parametrize(("depth", "start", "target"), [(20, 0, "9/10"), (100, "-1/2", "99/100"), (3, "1/10", "1/5")])
def test_the_correlation_after_all_layers(depth, start, target):
    with mp.workdps(50):
        slope = shape("leaky_relu", depth, start, target, digits=40)
        c = to_mpf(Rational(start))
        for _ in range(depth):
            both = mp.sqrt(1 - c**2) - c * mp.acos(c)
            c += (1 - slope) ** 2 / (1 + slope**2) * both / mp.pi
        assert abs(c - to_mpf(Rational(target))) < mpf(10) ** -37


def test_the_law_at_large_depths():
    """pi h = pi (T_0/L + T_0 T_1/L^2 + ...) by two known numbers, and what slopes by the layers tell of the rest."""
    law, longer = (shape("leaky_relu", DEPTH, 0, "9/10", terms=terms) for terms in (5, 6))
    step, second = mpf("4.50993813540846304804"), mpf("-7.909754452512726399368")
    _, first, _, third, _, fifth = (to_mpf(c) for _, c in longer.expansion.terms)
    assert mp.almosteq(first, -mp.sqrt(2 * mp.pi * step), 1e-14)
    assert mp.almosteq(third, first * (second / step / 2 + 3 * mp.pi * step / 4), 1e-14)
    printed = lambdify(law.depth_variable, law.to_sympy().evalf(30), "mpmath")
    near, further, far = ((shape("leaky_relu", n**2) - printed(n**2)) * n**5 for n in (12, 24, 48))
    assert mp.almosteq((8 * far - 6 * further + near) / 3, fifth, 0.02)
    assert verify(law).verdict == "checked"
    with pytest.raises(InputError, match="'gap'; this law takes no start"):
        law.evaluate(depth=50, gap=1)


@pytest.mark.parametrize(("given", "error", "words"), [
    (("leaky_relu", DEPTH, -1), UnsupportedError, "not smooth there"),
    (("leaky_relu", 3), InputError, "slopes from 1 to 0 give 0.0 to 0.60482572"),
    (("leaky_relu", 50, "1-1/10**46", "1-1/10**47"), InputError, "cannot be reached from start = 0.9{46}: slopes"),
    (("tanh", 3), UnsupportedError, "no scales or shifts"),
    (("leaky_relu", 3, "9/10", 0), InputError, "-1 <= start < target < 1"),
    (("leaky_relu", 0), InputError, "depth = 0"), (("leaky_relu", 10**6), InputError, "more than 100000 layers"),
    (("leaky_relu", [(1, {0: 2})]), InputError, "add up to 1"),
    (("leaky_relu", [(1, {"1": 1})]), InputError, "by numbers of layers"),
    (("leaky_relu", [(1, {0.5: 1})]), InputError, "by numbers of layers"),
    (("leaky_relu", [(1, {0: Symbol("a"), 1: 1 - Symbol("a")})]), InputError, "weights of 0 or more"),
    (("leaky_relu", [3]), InputError, "give a number of layers, or pairs"),
])  # fmt: skip
def test_refusals(given, error, words):
    with pytest.raises(error, match=words):
        shape(*given)
