"""Formulas from the command line: what is read, exactly, and what is refused without being evaluated."""

import pytest
from sympy import E, Max, Rational, Symbol, erf, exp, log, pi, sin, sqrt, tanh

from asympt.errors import InputError
from asympt.parsing import FUNCTIONS, X, read_formula

x = Symbol("x", real=True)

READ = {
    "sin(x)": sin(x),
    " x - x^2 ": x - x**2,
    "x**2/3 - -x": x**2 / 3 + x,
    "ln(1 + x)": log(1 + x),
    "x*exp(-x)": x * exp(-x),
    "0.1*x": x / 10,
    "0.12345678901234567890123*x": Rational("0.12345678901234567890123") * x,
    "x^(1/2)": sqrt(x),
    "pi*tanh(x)/E": pi * tanh(x) / E,
    "1e-3*erf(x)": erf(x) / 1000,
    "x\u00b2 \u2212 2\u00b7\\pi\u00d7x\u00b9\u00b2": x**2 - 2 * pi * x**12,
    "1/(1 + e^{-x})": 1 / (1 + exp(-x)),
    "x*sigmoid(2*x) + relu(x)": x / (1 + exp(-2 * x)) + Max(0, x),
}

REFUSED = [
    "", " ", "sin", "sin()", "sin(x", "sin(x, x)", "sin(x=x)", "y", "2x", "x; x", "x = 1", "x == x", "x and x", "not x",
    "x.real", "x.__class__", "().__class__", "__import__('os').system('true')", "open('f')", "eval('x')", "lambda: x",
    "[x]", "x[0]", "{x: 1}", "'x'", "b'x'", "f'{x}'", "True", "None", "...", "1j*x", "0x10*x", "x // 2", "x % 2",
    "x @ x", "~x", "x if x else x", "(x := 1)", "*x", "[i for i in x]", "await x", "x\nx", "x\x00", "9^9^9",
    "((9^99)^99)^99", "1e999", "x/0", "0/0", "sqrt(-1)", "1/(x-x)", "9" * 80, "x" * 400, "(" * 290, "gamma(x)",
    "x\u00b23", "sigmoid(1000^50)", "relu()", "relu(x, x)", "9^99^99*x", "2\u03c0",
    "x*sqrt(-4)^2", "x + exp(log(-2))", "x*abs(sqrt(-4))", "-sqrt(-x^2 - 1)^2", "log(-2) - log(-3) + x",
]  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_formulas_are_read_exactly(text):
    assert read_formula(text, X) == READ[text]


@pytest.mark.parametrize("text", [
    "x + sqrt(x - 1/3) - sqrt(x - 1/3)", "x*exp(log(1 - 4*x))/(1 - 4*x)", "x + 0/(x - 1/3)", "x^2/x", "sqrt(x)^2",
    "sin(asin(x))", "0*log(x)", "x^(1/3)*x^(2/3)",
])  # fmt: skip
def test_the_domain_is_that_of_what_is_written(text):
    with pytest.raises(InputError, match="cancels, but not where it has no real value"):
        read_formula(text, X)


@pytest.mark.parametrize("text", [
    "1/(2*x)", "1/(x*(x + 1))", "sqrt(4*x)", "sqrt(x^2*(1 + x))", "sqrt(x*(1 - x))", "-asin(-x)", "(x/(1 + x))^(1/2)",
    "log(exp(x))", "(1 + x^2)/(1 + x^2)", "x*x^(-1/2)", "x/(1 + exp(-x))", "acos(-x)",
])  # fmt: skip
def test_what_keeps_its_domain_is_read(text):
    read_formula(text, X)


@pytest.mark.parametrize(("text", "remedy"), [
    ("2x", r"products need \*"), ("x tanh(x)", "products need"), ("tanh x", "functions brackets"), ("0,5*x", "a point"),
])  # fmt: skip
def test_a_slip_gets_its_remedy(text, remedy):
    with pytest.raises(InputError, match=remedy):
        read_formula(text, X)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_known(name):
    arguments = "x, 1/2" if name in ("max", "min") else "x"
    assert read_formula(f"{name}({arguments})", X).free_symbols == {x}


def test_max_and_min_need_two_arguments():
    with pytest.raises(InputError, match="max takes two arguments"):
        read_formula("max(x)", X)


@pytest.mark.parametrize("text", REFUSED)
def test_anything_else_is_refused(text):
    with pytest.raises(InputError) as refusal:
        read_formula(text, X)
    assert "\n" not in " ".join(str(refusal.value).split())
