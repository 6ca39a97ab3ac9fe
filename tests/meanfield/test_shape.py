"""Slopes of leaky ReLU fitted to a correlation.

ResNet101 with shortcuts of weight 3/5, C(0) = 3/4: 0.6291800290 (to 10^-8) in the tests of the repository that the
authors of arXiv:2110.01765 published; the other slopes are checked by iterating the kernel of Cho and Saul with them.
"""

import pytest
from mpmath import mp, mpf
from sympy import Poly, Rational, Symbol, pi, sqrt

from asympt import InputError, UnsupportedError, shape, verify
from asympt.blocks import DEPTH
from asympt.meanfield import activation
from asympt.numbers import to_mpf

PLAIN, FIRST, LAST = {0: "9/25", 3: "16/25"}, (1, {1: "9/25", 3: "16/25"}), (1, {1: 1})
REST = (None,) * 4
RESNET101 = [*(part for count in (2, 3, 22, 2) for part in (FIRST, (count, PLAIN))), LAST]


@pytest.mark.parametrize(("name", "depth", "slope", "local"), [
    ("tanh", RESNET101, "6/5", "1.00277096585"), ("softplus", 1, "13/10", "1.3"), ("elu", 50, "3/2", "1.0081422716"),
    ("hard_tanh", 1, 2, "2"),
])  # fmt: skip
def test_kernel_shapes(name, depth, slope, local):
    """Q(1) = Q'(1) = 1, C(0) = 0 and C'(1) by quadrature of mpmath; the first slope is known from another program."""
    alpha, beta, gamma, delta, found = shape(name, depth, slope=slope, digits=15)
    phi = activation(name).piecewise
    ends = sorted([-14, *((to_mpf(x) - beta) / alpha for x in phi.breaks), 0, 14])

    def mean(f):
        return mp.quad(lambda z: f(z, gamma * (phi.numeric(beta + alpha * z) + delta)) * mp.npdf(z), ends)

    steep = (gamma * alpha) ** 2 * mean(lambda z, _: phi.derivative().numeric(beta + alpha * z) ** 2)
    assert abs(found - mpf(local)) < 1e-10 and abs(steep - found) < 1e-11
    for of in (lambda z, y: y**2, lambda z, y: (z * z - 1) * y**2 / 2, lambda z, y: 1 + y):  # Q(1), Q'(1), 1 + C(0)
        assert abs(mean(of) - 1) < 1e-11


@pytest.mark.parametrize(("depth", "target", "known"), [
    (RESNET101, "3/4", "0.6291800290"), (20, "9/10", "0.18138027749038434"), (50, "9/10", "0.43052294850240269"),
])  # fmt: skip
def test_slopes_known_from_other_programs(depth, target, known):
    assert abs(shape("leaky_relu", depth, 0, target) - mpf(known)) < (1e-8 if depth == RESNET101 else 1e-15)


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
    """pi h = (1 - alpha)^2/(1 + alpha^2) solved for alpha, h = a_1/L + a_2/L^2 + a_3/L^3 + ... by known numbers."""
    law, root = shape("leaky_relu", DEPTH, 0, "9/10", terms=6), Symbol("r", positive=True)
    steps = map(Rational, ("4.50993813540846304804", "-7.909754452512726399368", "6.728329737735391681745"))
    rest = 1 - pi * sum(a * root ** (2 * k) for k, a in enumerate(steps, 1))
    slope = ((1 - sqrt(1 - rest**2)) / rest).series(root, 0, 6).removeO()
    coefficients = reversed(Poly(slope, root).all_coeffs())
    for (monomial, coefficient), known in zip(law.expansion.terms, coefficients, strict=True):
        assert abs(coefficient.evalf(25) - known.evalf(25)) < 1e-15 and monomial.logs == 0
    assert verify(law).verdict == "checked"
    with pytest.raises(InputError, match="'gap'; this law takes no start"):
        law.evaluate(depth=50, gap=1)


@pytest.mark.parametrize(("given", "error", "words"), [
    (("leaky_relu", DEPTH, -1), UnsupportedError, "not smooth there"),
    (("leaky_relu", 3), InputError, "slopes from 1 to 0 give 0.0 to 0.60482572"),
    (("leaky_relu", 50, "1-1/10**46", "1-1/10**47"), InputError, "cannot be reached from start = 0.9{46}: slopes"),
    (("tanh", 3), UnsupportedError, "by the slope of leaky ReLU alone"),
    (("tanh", 3, *REST, 1), InputError, "slope = 1 is not above 1"),
    (("relu", 3, *REST, 2), UnsupportedError, "the same shape at every input scale"),
    (("step", 3, *REST, 2), UnsupportedError, "jumps, so C'.1. is infinite"),
    (("softplus", 1, *REST, 2), UnsupportedError, "no scales and shifts of 'softplus' were found"),
    (("tanh", [(3, {0: 1})], *REST, 2), InputError, "has layers beside its shortcut"),
    (("leaky_relu", 3, "9/10", 0), InputError, "-1 <= start < target < 1"),
    (("leaky_relu", 0), InputError, "depth = 0"), (("leaky_relu", 10**6), InputError, "more than 100000 layers"),
    (("leaky_relu", [(1, {0: 2})]), InputError, "add up to 1"),
    *((("leaky_relu", [(1, {k: 1})]), InputError, "by numbers of layers") for k in ("1", 0.5)),
    (("leaky_relu", [(1, {0: Symbol("a"), 1: 1 - Symbol("a")})]), InputError, "weights of 0 or more"),
    (("leaky_relu", [3]), InputError, "give a number of layers, or pairs"),
    (("tanh", 3, "1/2", *REST[1:], 2), InputError, "start = 1/2 is of the slope of leaky ReLU, fitted where slope is"),
    *((("leaky_relu", 3, *REST[1:], *terms), InputError, "terms = 2 is of the law at") for terms in ((2,), (2, 2))),
    (("leaky_relu", DEPTH, 0, "1/9", 20), InputError, "digits = 20 is of the slope at a number of layers; leave"),
    ((activation("leaky_relu", slope="1/5"), 3), UnsupportedError, "fitted by the slope of leaky ReLU alone"),
])  # fmt: skip
def test_refusals(given, error, words):
    with pytest.raises(error, match=words):
        shape(*given)
