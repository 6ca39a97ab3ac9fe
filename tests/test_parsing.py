"""Formulas from the command line: what is read, exactly, and what is refused without being evaluated."""

import pytest
from sympy import E, Rational, Symbol, erf, exp, log, pi, sin, sqrt, tanh

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
}

REFUSED = [
    "", " ", "sin", "sin()", "sin(x", "sin(x, x)", "sin(x=x)", "y", "2x", "x; x", "x = 1", "x == x", "x and x", "not x",
    "x.real", "x.__class__", "().__class__", "__import__('os').system('true')", "open('f')", "eval('x')", "lambda: x",
    "[x]", "x[0]", "{x}", "'x'", "b'x'", "f'{x}'", "True", "None", "...", "1j*x", "0x10*x", "x // 2", "x % 2", "x @ x",
    "~x", "x if x else x", "(x := 1)", "*x", "[i for i in x]", "await x", "x\nx", "x\x00", "9^9^9", "9^99^99*x",
    "((9^99)^99)^99", "1e999", "x/0", "0/0", "sqrt(-1)", "1/(x-x)", "9" * 80, "x" * 400, "(" * 290, "gamma(x)",
]  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_formulas_are_read_exactly(text):
    assert read_formula(text, X) == READ[text]


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
