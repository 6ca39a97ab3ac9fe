"""Activations: ReLU-like ones and their slopes, any other SymPy expression, and what is refused."""

import time

import pytest
from sympy import (
    Abs,
    Heaviside,
    I,
    Integer,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    cos,
    cosh,
    exp,
    gamma,
    log,
    oo,
    pi,
    sign,
    simplify,
    sin,
    sqrt,
    symbols,
    tanh,
)  # fmt: skip

from asympt import Activation, activation, catalogue
from asympt.errors import InputError, UnsupportedError

X = Symbol("x", real=True)
TENTH = Rational(1, 10)


def test_the_relu_like_ones_of_the_catalogue():
    names = ("relu", "leaky_relu", "abs", "relu_like", "linear")
    assert [activation(name).slopes for name in names] == [(1, 0), (1, Rational(1, 100)), (1, -1), (1, 0), (1, 1)]
    assert tuple(name for name in catalogue() if activation(name).is_relu_like) == names


@pytest.mark.parametrize("slope", [TENTH, "1/10", 0.1, "0.1"])
def test_options_are_read_exactly(slope):
    assert activation("leaky_relu", slope=slope).slopes == (1, TENTH)
    assert activation("relu_like", right=2, left=slope).slopes == (2, TENTH)


def test_symbolic_slopes():
    a, b = symbols("a b", real=True)
    phi = activation("relu_like", right=a, left=b)
    assert phi.slopes == (a, b)
    assert simplify(phi.asymmetry - (a - b) ** 2 / (pi * (a**2 + b**2))) == 0
    assert simplify(phi.second_moment - (a**2 + b**2) / 2) == 0


@pytest.mark.parametrize(("expression", "slopes"), [
    (Max(X, 0), (1, 0)), (Max(X, X / 10), (1, TENTH)), (Max(X, 0.1 * X), (1, TENTH)), (Min(X, 0), (0, 1)),
    (Abs(X), (1, -1)), (sqrt(X**2), (1, -1)), (X * Heaviside(X), (1, 0)), (X * sign(X) + 2 * X, (3, 1)),
    (Piecewise((3 * X, X > 0), (-X / 2, True)), (3, Rational(-1, 2))), (Piecewise((0, X < 0), (X, True)), (1, 0)),
    (sqrt(2) * Max(X, 0), (sqrt(2), 0)), (log(exp(X)) / 2, (Rational(1, 2), Rational(1, 2))),
])  # fmt: skip
def test_any_expression_that_is_relu_like(expression, slopes):
    assert Activation(expression, X).slopes == slopes


@pytest.mark.parametrize("symbol", [Symbol("x"), Symbol("u", real=True)])
def test_symbols_of_any_assumption(symbol):
    assert Activation(Max(symbol, 0), symbol).slopes == (1, 0)


def test_moments_by_hand():
    # ReLU: E[phi^2] = 1/2, kappa = 1/2, rho = 1/pi; |x|: 1, 1, 2/pi; slope 1/10: 101/200, 81/202
    assert (activation("relu").second_moment, activation("relu").kink_weight) == (Rational(1, 2), Rational(1, 2))
    assert activation("relu").asymmetry == 1 / pi
    modulus = activation("abs")
    assert (modulus.kink_weight, modulus.linear_weight, modulus.asymmetry) == (1, 0, 2 / pi)
    leaky = activation("leaky_relu", slope=TENTH)
    expected = tuple(map(Rational, ("101/200", "81/202", "121/202")))
    assert (leaky.second_moment, leaky.kink_weight, leaky.linear_weight) == expected


def test_linear_activations_are_known_as_such():
    assert activation("leaky_relu", slope=1).is_linear and activation("relu_like", right=3, left=3).is_linear
    assert not activation("leaky_relu", slope="999999999/1000000000").is_linear


def test_an_activation_passes_through():
    phi = Activation(Max(X, 0), X, name="mine")
    assert activation(phi) is phi


def test_activations_are_values():
    assert activation("relu") == activation("relu") and hash(activation("abs")) == hash(activation("abs"))
    with pytest.raises(AttributeError):
        activation("relu").name = "other"


@pytest.mark.parametrize("expression", [
    tanh(X), X**2, sin(X), Max(X - 1, 0), Max(X, 0) + 1, exp(X), Max(X, 0) ** 2, Min(Max(X, 0), 6), Integer(3),
])  # fmt: skip
def test_what_is_not_relu_like_has_no_slopes(expression):
    phi = Activation(expression, X, name="mine")
    for attribute in ("slopes", "second_moment", "kink_weight", "linear_weight", "asymmetry"):
        with pytest.raises(UnsupportedError, match=r"activation 'mine' is not ReLU-like .* so it has no slopes; use"):
            getattr(phi, attribute)


def test_any_piecewise_smooth_expression():
    phi = Activation(Max(Abs(X) - 1, 0) + 0.5 * tanh(X), X, name="mine")
    assert phi.breakpoints == (-1, 1) and phi.jumps(1) == {-1: 1, 1: 1} and phi.jumps(0) == {}
    assert phi.expression.has(Rational(1, 2)) and phi.vectorised(2.0) == pytest.approx(1.4820137900379085)


def test_making_one_is_fast():
    begin = time.process_time()
    for slope in range(1, 6):
        Activation(tanh(X / slope) + Max(X - slope, 0), X, name=f"mine {slope}")
    assert time.process_time() - begin < 5  # about 0.1 s


INADMISSIBLE = {
    "sqrt": (sqrt(X), "is not real: at x = -1/8"),
    "log": (log(X), "is not real: at x = -1/8"),
    "imaginary": (I * X, "is not real: at x = 1/8"),
    "circle": (sqrt(1 - X**2), "is not real: at x = -9/8"),
    "pole": (1 / X, "is not finite at x = 0; give a function that is real and finite on the whole real line"),
    "poles": (1 / (X**2 - 2), "is not finite at x = -sqrt(2)"),
    "log |x|": (log(Abs(X)), "is not finite at x = 0"),
    "gamma": (gamma(X), "is not finite at x = 0"),
    "infinite": (oo * X, "is not finite"),
    "zero": (sin(X) ** 2 + cos(X) ** 2 - 1, "is zero everywhere"),
    "infinite slope": (sqrt(Abs(X)), "has an infinite slope at x = 0"),
    "x log |x|": (X * log(Abs(X)), "has an infinite slope at x = 0"),
    "square in the exponent": (
        exp(X**2),
        "grows so fast, like exp(1.0 x^2) at x = -30, that E[phi(sqrt(q) Z)^2] diverges",
    ),
    "quarter of it": (exp(X**2 / 4), "give one with log|phi| = o(x^2)"),
    "to the right only": (Piecewise((exp(X**2), X > 2), (X, True)), "at x = 30"),
    "tiny": (exp(X**2 / 10**12), "diverges for large variances q"),
    "double exponential": (exp(exp(X / 100)), "diverges for large variances q"),
}


@pytest.mark.parametrize("name", INADMISSIBLE)
def test_what_cannot_be_an_activation(name):
    expression, message = INADMISSIBLE[name]
    with pytest.raises((InputError, UnsupportedError)) as caught:
        Activation(expression, X, name="mine")
    assert message in str(caught.value) and "'mine'" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("expression", [
    exp(X), cosh(X) ** 3, X**40, exp(-(X**2)), exp(50 * X) * cos(9 * X), 1 / (1 + X**2), sin(X) / X,
    (X - 1) ** 50 / 10**30,
])  # fmt: skip
def test_moderate_growth_and_removable_points_are_admitted(expression):
    assert Activation(expression, X).is_smooth


REFUSALS = {
    "unknown": (
        lambda: activation("rleu"),
        "unknown activation 'rleu' (did you mean relu or relu6?); known are relu, leaky_relu, abs, relu_like, linear",
    ),
    "a list": (lambda: activation(["relu"]), "unknown activation ['relu']"),
    "a number": (lambda: activation(3), "unknown activation 3"),
    "no such option": (lambda: activation("relu", slope=1), "'relu' has no option 'slope'; its options are: none"),
    "misspelt option": (lambda: activation("leaky_relu", slop=1), "no option 'slop'; its options are: slope"),
    "nan": (lambda: activation("leaky_relu", slope=float("nan")), "slope = nan is not a finite number"),
    "text": (lambda: activation("leaky_relu", slope="steep"), "slope = 'steep' is not a number"),
    "zero": (lambda: activation("relu_like", right=0, left=0), "is zero everywhere; give it a non-zero slope"),
    "zero expression": (lambda: Activation(Integer(0), X), "is zero everywhere"),
    "options for nothing": (lambda: activation(activation("relu"), slope=2), "options slope go with a name"),
    "a name": (lambda: Activation("relu"), "is not a SymPy expression in a symbol"),
    "no symbol": (lambda: Activation(Max(X, 0), 1), "is not a SymPy expression in a symbol"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_gets_one_sentence(name, refused):
    refused(*REFUSALS[name], InputError)
