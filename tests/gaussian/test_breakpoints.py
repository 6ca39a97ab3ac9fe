"""Breakpoints read from expressions, each checked by hand; removable ones; what cannot be read."""

import pytest
from sympy import (
    Abs,
    Eq,
    Function,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    acos,
    acosh,
    arg,
    asin,
    atan,
    cos,
    cosh,
    exp,
    floor,
    frac,
    log,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)

from asympt.errors import InputError, UnsupportedError
from asympt.gaussian.piecewise import bends, holes, read

X = Symbol("x", real=True)
HALF = Rational(1, 2)
GOLDEN = [HALF - sqrt(5) / 2, HALF + sqrt(5) / 2]

READ = {
    "shifted": (Max(X - HALF, 0), (HALF,), (0, X - HALF)),
    "nested": (Max(Abs(X) - 1, 0), (-1, 1), (-X - 1, 0, X - 1)),
    "clipped": (Max(-1, Min(1, X)), (-1, 1), (-1, X, 1)),
    "irrational": (Max(X**2 - X - 1, 0), tuple(GOLDEN), (X**2 - X - 1, 0, X**2 - X - 1)),
    "transcendental": (Max(exp(X) - 2, 0), (log(2),), (0, exp(X) - 2)),
    "jumps": (X * sign(X) + Heaviside(X - 1), (0, 1), (-X, X, X + 1)),
    "piecewise": (Piecewise((X, X > 0), (-(X**2), X > -1), (exp(-X), True)), (-1, 0), (exp(-X), -(X**2), X)),
    "softsign": (X / (1 + Abs(X)), (0,), (X / (1 - X), X / (1 + X))),
    "hidden square": (sqrt(X**2 - 2 * X + 1), (1,), (1 - X, X - 1)),
    "hidden jump": (atan(1 / X), (0,), (atan(1 / X), atan(1 / X))),
    "hidden in a condition": (sqrt((Abs(X) - 1) ** 2), (-1, 0, 1), (-X - 1, X + 1, 1 - X, X - 1)),
    "hidden jumps": (atan(1 / (Abs(X) - 1)), (-1, 0, 1), None),
    "not solvable": (Max(X, tanh(X)), (0,), (tanh(X), X)),
    "touching": (Max(X, exp(X) - 1), (), (exp(X) - 1,)),
    "nothing happens": (Max(X, 0) + Min(X, 0), (), (X,)),
    "a point filled": (Piecewise((1, Eq(X, 0)), (sin(X) / X, True)), (), (sin(X) / X,)),
    "divides by zero": ((exp(X) - 1) / X, (), ((exp(X) - 1) / X,)),
    "written differently": (Piecewise((log(1 + exp(X)), X < 0), (X + log(1 + exp(-X)), True)), (), None),
    "thirteenth derivative": (X**13 * sign(X), (0,), (-(X**13), X**13)),
    "twentieth derivative": (X**20 * sign(X), (0,), (-(X**20), X**20)),
    "flat": (Piecewise((exp(-1 / X), X > 0), (0, True)), (0,), (0, exp(-1 / X))),
    "an angle that turns": (acos((1 - X**2) / (1 + X**2)), (0,), None),
    "a sine that turns": (asin(2 * X / (1 + X**2)), (-1, 1), None),
    "a branch point": (acosh(cosh(X)), (0,), None),
    "angles that do not turn": (asin(tanh(X)) + asin(sin(X) / 2), (), None),
    "smooth quotients": (X / sqrt(1 + X**2) + 1 / (2 + sin(X)), (), None),
}


@pytest.mark.parametrize("name", READ)
def test_by_hand(name):
    expression, breaks, pieces = READ[name]
    _, found, formulas = read(expression, X)
    assert found == breaks
    assert pieces is None or all((a - b).simplify() == 0 for a, b in zip(formulas, pieces, strict=True))


def test_the_symbol_is_taken_as_real():
    z = Symbol("z")
    symbol, breaks, pieces = read(sqrt(z**2), z)
    assert symbol.is_real and breaks == (0,) and pieces == (-symbol, symbol)


def test_parameters_stay_in_the_formulas():
    a = Symbol("a", real=True)
    assert read(Piecewise((X, X > 0), (a * (exp(X) - 1), True)), X)[1:] == ((0,), (a * (exp(X) - 1), X))


def test_holes():
    assert holes(sin(X) / X + 1 / (X**2 - 2), X) == [-sqrt(2), 0, sqrt(2)]
    assert holes(X / (1 + exp(-X)), X) == [] and holes(1 / cos(0 * X + 1), X) == []


def test_a_pole_inside_a_function_is_no_bend():
    assert bends(atan(1 / X), X) == ((0, 1.0),)


F, A = Function("f"), Symbol("a")
REFUSALS = {
    "no last branch": (Piecewise((X, X > 0)), InputError, "has no value at x = -2"),
    "a letter decides": (Max(X, A * X), UnsupportedError, "the branch at x = -2 depends on a through a*x"),
    "endless": (Abs(sin(X)), UnsupportedError, "could not be found exactly"),
    "poles": (tan(X), UnsupportedError, "zeros of cos(x), could not be found exactly"),
    "triangles": (asin(sin(X)), UnsupportedError, "could not be found exactly"),
    "teeth": (frac(X), UnsupportedError, "frac(x) is not a known function"),
    "an argument": (arg(X), UnsupportedError, "arg(x) is not a known function"),
    "irrational": (Max(X, 2 * tanh(X)), UnsupportedError, "could not be found exactly"),
    "steps": (floor(X), UnsupportedError, "floor(x) is not a known function with finitely many breakpoints"),
    "unknown": (F(X), UnsupportedError, "f(x) is not a known function"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_cannot_be_read(name, refused):
    expression, kind, message = REFUSALS[name]
    refused(lambda: read(expression, X), message, kind)
