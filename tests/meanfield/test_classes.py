"""Classes: what HDR and PDLT say of their own examples, and small-variance coefficients against quadrature."""

import pytest
from mpmath import mp
from sympy import Abs, Max, Piecewise, Rational, Symbol, exp, pi, sin, symbols, tanh

from asympt import Activation, activation
from asympt.errors import UnsupportedError
from asympt.numbers import to_mpf

X = Symbol("x", real=True)
HALF = Rational(1, 2)

# name: first order that jumps, in S (as computed), twice differentiable, universality class
TABLE = {
    "linear": (None, True, True, "scale-invariant"),
    "relu": (1, False, False, "scale-invariant"),
    "leaky_relu": (1, False, False, "scale-invariant"),
    "abs": (1, False, False, "scale-invariant"),
    "step": (0, False, False, None),
    "tanh": (None, True, True, "K*=0"),
    "sin": (None, True, True, "K*=0"),
    "erf": (None, True, True, "K*=0"),
    "arctan": (None, True, True, "K*=0"),
    "silu": (None, True, True, None),  # PDLT 5.3.4: no attracting K* = 0 for SWISH and GELU, a_1 > 0
    "gelu": (None, True, True, None),
    "mish": (None, True, True, None),
    "sigmoid": (None, False, True, None),  # PDLT 5.3.1: phi(0) != 0
    "softplus": (None, False, True, None),
    "elu": (2, True, False, None),  # HDR lists ELU in S, but phi'' does not exist at 0
    "selu": (1, False, False, None),
    "softsign": (2, True, False, None),
    "hard_tanh": (1, False, False, None),
    "relu6": (1, False, False, None),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_table(name):
    phi = activation(name)
    assert (phi.singular_order, phi.in_class_s, phi.is_twice_differentiable, phi.universality) == TABLE[name]
    assert phi.is_smooth is (phi.singular_order is None) and phi.has_ntk is (phi.singular_order != 0)
    assert phi.is_relu_like is (phi.universality == "scale-invariant")


@pytest.mark.parametrize("name", ["tanh", "sin", "erf", "gelu", "silu", "mish", "arctan"])
def test_small_variance_coefficients_against_quadrature(name):
    phi = activation(name)
    first, second = map(to_mpf, phi.small_variance)
    with mp.workdps(40):
        slope = to_mpf(phi.piecewise.derivative().pieces[0].subs(phi.piecewise.symbol, 0)) ** 2
        q = mp.mpf(10) ** -8
        moments = [
            mp.quad(lambda z, f=f: f(mp.sqrt(q) * z) ** 2 * mp.npdf(z), [-14, -7, 0, 7, 14]) / slope
            for f in (phi.numeric, phi.piecewise.derivative().numeric)
        ]
        assert abs((moments[0] - q) / q**2 - first) < 1e-6 and abs((moments[1] - 1) / q - second) < 1e-6


def test_small_variance_by_hand():
    assert activation("tanh").small_variance == (-2, -2) and activation("sin").small_variance == (-1, -1)
    assert activation("gelu").small_variance == (6 / pi, 8 / pi)  # s = (1/2, 2/sqrt(2 pi), 0)
    assert activation("silu").small_variance == (Rational(3, 4), 1)  # s = (1/2, 1/2, 0)
    assert activation("elu").small_variance is None and activation("cos").small_variance is None


@pytest.mark.parametrize(
    ("expression", "order", "in_s", "universality"),
    [
        (X * Abs(X), 2, True, None),
        (tanh(X) + Max(X - 1, 0) ** 4, 4, True, "K*=0"),
        (Piecewise((sin(X), X > 0), (X, True)), 3, True, None),
        (Max(X - HALF, 0), 1, False, None),
        (Max(X - 1, 0) ** 3 + 1, 3, False, None),
        (X**13 * Abs(X), 14, True, None),
        (X + 1, None, False, None),
        (tanh(X) + X**3 / 3, None, True, None),  # a_1 = 0
        (tanh(X) + X**2, None, True, None),  # a_1 = -2 + 3
        (X - X**3, None, True, "K*=0"),
        (Piecewise((exp(X) - 1 - X**2 / 2, X < 0), (X, True)), 3, True, None),
    ],
)
def test_activations_that_are_not_in_the_catalogue(expression, order, in_s, universality):
    phi = Activation(expression, X)
    assert (phi.singular_order, phi.in_class_s, phi.universality) == (order, in_s, universality)


def test_straight_lines():
    assert activation("linear").is_linear and activation("linear").klass == "linear"
    constant, affine = Activation(Rational(3) + 0 * X, X), Activation(2 * X - 1, X)
    assert constant.is_constant and constant.is_linear and not constant.is_relu_like and constant.klass == "constant"
    assert affine.is_linear and not affine.is_constant and affine.klass == "affine"
    assert Activation(sin(X) ** 2 * X + X * (1 - sin(X) ** 2), X).slopes == (1, 1)
    assert not Activation(Max(X, 0) + 1, X).is_relu_like


def test_words():
    assert activation("tanh").klass == "smooth, in class S of HDR, K*=0 universality class of PDLT"
    assert activation("relu6").klass == "piecewise smooth (phi' jumps at 0, 6), not in class S of HDR"
    assert activation("relu").klass.startswith("ReLU-like")
    assert "phi^(4) jumps at 1" in Activation(tanh(X) + Max(X - 1, 0) ** 4, X).klass


def test_the_step_has_no_ntk_and_says_why():
    assert not activation("step").has_ntk and "jumps at x = 0" in activation("step").ntk_obstacle
    assert activation("relu").ntk_obstacle is None


def test_a_parameter_can_leave_the_class_open():
    a = symbols("a", real=True)
    with pytest.raises(UnsupportedError, match="depends on the sign of a_1"):
        _ = Activation(X + a * X**3, X).universality
