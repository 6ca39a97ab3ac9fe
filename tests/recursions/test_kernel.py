"""The proof kernel: what it accepts is true of orbits iterated here in mpmath, and planted errors are refused."""

import json
from functools import cache

import pytest
from sympy import Rational, Symbol, sin, tanh

import asympt as asy
from asympt import kernel
from asympt.recursions import Recursion
from tests.cli.command import run

X = Symbol("x", positive=True)
RELU = asy.FeedForward("relu")
THEOREMS = {
    "parabolic, two terms": lambda: Recursion(X - X**2, X).law(terms=2).certificate(start="1/2"),
    "C printed": lambda: Recursion(sin(X), X).law(terms=5).certificate(start=1),
    "an interval": lambda: Recursion(tanh(X), X).law(terms=2).certificate(start=("1/2", "1")),
    "linear": lambda: RELU.ntk_law(terms=2).certificate(correlation="1/10"),
    "relu": lambda: RELU.correlation_law(terms=2).certificate(correlation="1/10"),
}


@cache
def proof_text(name: str) -> str:
    return json.dumps(THEOREMS[name]().to_proof())


def proof(name: str) -> dict:
    return json.loads(proof_text(name))


@pytest.mark.parametrize("name", THEOREMS)
def test_theorems_are_checked(name):
    assert "for all n >= 2" in kernel.check(proof(name))


def test_relu_is_checked_with_equal_coefficients():
    """The printed 9 pi^2/2 and -27 pi^2/2 are equal to those of the map, not only close to them."""
    found = proof("relu")
    assert "(9/2)*pi^2" in kernel.check(found)
    found["terms"][1][0] = ["mul", ["q", str(Rational(-27, 2) + Rational(1, 10**60))], ["pow", ["pi"], 2]]
    with pytest.raises(kernel.NotShown, match="not exactly"):
        kernel.check(found)


def test_check_on_the_command_line(tmp_path):
    path = tmp_path / "proof.json"
    for text, code, said in (
        (proof_text("relu"), 0, "proved: x_1 = 9/10"),
        (proof_text("relu").replace('"rho": "3/2"', '"rho": "4/3"'), 1, "refused: the defect"),
        ("[", 2, "no JSON"),
    ):
        path.write_text(text)
        found = run("check", str(path))
        assert found.exit_code == code and said in found.output
