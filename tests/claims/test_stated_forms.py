"""Forms of statements with definitions, means and matrices: what they prove, and that near misses are refuted."""

import pickle
from dataclasses import replace

import pytest
from sympy import Derivative, Function, MatrixSymbol, Rational, Symbol, pi, symbols

from asympt.claims.stated.equalities import Equality, Expectation, Letter, Truncation
from asympt.claims.stated.laws import LeadingTerm, StatedNetwork
from asympt.claims.stated.matrices import MatrixEquality

N, M = (Symbol(name, integer=True, positive=True) for name in "NM")
A, B, R = MatrixSymbol("A", N, N), MatrixSymbol("B", N, N), MatrixSymbol("R", M, N)
X, Y = symbols("x y")


@pytest.mark.parametrize(
    ("left", "right", "symmetric", "verdict"),
    [
        (A.T, A, (A,), "proved"), (A.T, A, (), "refuted"), ((A * B).T, A * B, (A, B), "refuted"),
        ((A * B).I, B.I * A.I, (), "proved"), ((A + B).I * A + (A + B).I * B, (A + B).I * (A + B), (), "proved"),
        ((A + R.T * R).I, A.I, (), "refuted"), (R * A.I * R.T, (R * A.I * R.T).T, (A,), "proved"),
    ],
)  # fmt: skip
def test_matrices_of_any_size(left, right, symmetric, verdict):
    assert MatrixEquality(left, right, symmetric).verify().verdict == verdict


def test_an_inverse_that_does_not_exist_refutes():
    """R^T R of a 1 x 2 matrix R has rank 1; of a 2 x 1 matrix its inverse exists."""
    square = MatrixSymbol("S", N, N)
    stated = MatrixEquality(R.T * R * square.I * R.T, R.T, where=((square, R.T * R),), sizes=((2, 1), (1, 2)))
    assert stated.checks()[0].figure == "what is inverted is singular" and stated.verify().verdict == "refuted"
    assert replace(stated, sizes=((2, 1),)).verify().verdict == "proved"


def test_moments_by_isserlis():
    """E x^4 = 3 s^2, E x^2 y^2 = s t + 2 c^2, E x^3 y = 3 s c, odd ones 0: the textbook's."""
    s, t, c = symbols("s t c")
    for inside, value in ((X**4, 3 * s**2), (X**2 * Y**2, s * t + 2 * c**2), (X**3 * Y, 3 * s * c), (X**2 * Y, 0)):
        assert (Expectation(inside, [X, Y], [[s, c], [c, t]]).doit() - value).expand() == 0


def test_a_free_function_is_any_function():
    f, a = Function("f"), Symbol("a")
    slope = Equality(Derivative(f(a * X), X), a * Derivative(f(X), X), ((a, 1 + 0 * X),))
    assert slope.verify().verdict == "proved"
    assert Equality(f(X + Y), f(X) + f(Y)).verify().verdict == "refuted"
    assert Truncation(f(X), f(0) + X * Derivative(f(Y), Y).subs(Y, 0), X, 2).verify().verdict == "proved"
    assert Truncation(f(X), f(0), X, 2).verify().verdict == "refuted"


def test_the_order_of_an_expansion():
    rest = Truncation(1 / (1 - X), 1 + X, X, 3)
    assert rest.verify().verdict == "refuted" and rest.checks()[0].figure == "x**2"


def test_a_first_term_names_its_power_and_its_constant():
    """psi = 3 pi/l for ReLU: rho = 1/pi in psi' = psi - rho psi^2/3."""
    network, depth = StatedNetwork("mlp", "relu"), Symbol("l", positive=True)
    terms = (3 * pi / depth, 3 * pi / depth**2, 3 / depth)
    verdicts = [LeadingTerm(network, "angle", term).verify().verdict for term in terms]
    assert verdicts == ["checked", "refuted", "refuted"]
    assert LeadingTerm(network, "zeta", Rational(1, 3)).corrected().term == Rational(1, 4)


def test_letters_with_a_spelling_go_through_pickle():
    letter = Letter("dT", r"\delta\Theta", positive=True)
    assert pickle.loads(pickle.dumps(letter)) == letter and letter.is_positive and letter != Symbol("dT", positive=True)
