"""Forms of statements with definitions, means and matrices: what they prove, and that near misses are refuted."""

import pickle
from dataclasses import replace

import pytest
from sympy import Derivative, Function, MatrixSymbol, Rational, Symbol, pi, symbols

from asympt.claims.claim import together
from asympt.claims.paper import claims_in
from asympt.claims.stated.comparisons import Datum, Measured
from asympt.claims.stated.equalities import Equality, Expectation, Letter, Truncation
from asympt.claims.stated.laws import LeadingTerm, StatedNetwork
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import ALGEBRA
from asympt.errors import AsymptError
from asympt.evidence.check import Check, Verification

N, M = (Symbol(name, integer=True, positive=True) for name in "NM")
A, B, R = MatrixSymbol("A", N, N), MatrixSymbol("B", N, N), MatrixSymbol("R", M, N)
X, Y = symbols("x y")


@pytest.mark.parametrize(
    ("left", "right", "symmetric", "verdict"),
    [
        (A.T, A, (A,), "proved"), (A.T, A, (), "refuted"), ((A * B).T, A * B, (A, B), "refuted"),
        ((A * B).I, B.I * A.I, (), "proved"), ((A + B).I * A + (A + B).I * B, (A + B).I * (A + B), (), "proved"),
        ((A + R.T * R).I, A.I, (), "refuted"), (X**2 * A, X * A, (), "refuted"),  # X = 1 is not tried
        (R * A.I * R.T, (R * A.I * R.T).T, (A,), "proved"),
    ],
)  # fmt: skip
def test_matrices_of_any_size(left, right, symmetric, verdict):
    assert MatrixEquality(left, right, symmetric).verify().verdict == verdict


def test_an_inverse_that_does_not_exist_refutes():
    """R^T R of a 1 x 2 matrix R has rank 1; of a 2 x 1 matrix its inverse exists."""
    square = MatrixSymbol("S", N, N)
    stated = MatrixEquality(R.T * R * square.I * R.T, R.T, where=((square, R.T * R),), sizes=((2, 1), (1, 2)))
    assert stated.checks()[0].figure == "the inverted matrix is singular" and stated.verify().verdict == "refuted"
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


NETWORK, DEPTH = StatedNetwork("mlp", "relu"), Symbol("l", positive=True)
LYING = {  # by the route that is made to lie
    "words": (MatrixEquality, "_numbers", MatrixEquality((A + B) * A, A * A + B * A)),
    "first power": (Truncation, "_first", Truncation(1 / (1 - X), 1 + X, X, 2)),
    "first term": (LeadingTerm, "first", LeadingTerm(NETWORK, "angle", 3 * pi / DEPTH)),
    "measured": (Measured, "rows", Measured("m", X, lambda: (Datum("a row", {X: Rational(1, 3)}, 1.0),))),
}


@pytest.mark.parametrize("name", LYING)
def test_one_route_that_lies_refutes_nothing(name, monkeypatch):
    """The statement is true (or nobody knows another formula), and the first route says it is not."""
    form, method, statement = LYING[name]
    lies = {
        "words": lambda self, rest: Check("a lie", 1, 0, False, route=ALGEBRA),
        "first power": lambda self, rest: (X, 1),
        "first term": property(lambda self: 5 / DEPTH),
    }
    if name in lies:
        monkeypatch.setattr(form, method, lies[name])
    found = statement.verify()
    assert found.verdict == "unknown" and "only one route" in found.report()


def test_a_measurement_refutes_beside_the_formula_put_right():
    """Measured: 1/3. Without the right formula nothing is refuted; with a wrong one that fails as well neither."""
    rows = lambda: (Datum("a row", {X: Rational(1, 3)}, 1 / 3),)  # noqa: E731
    wrong, right = Measured("m", 2 * X, rows), Measured("m", 2 * X, rows, true=X)
    assert [stated.verify().verdict for stated in (wrong, right, replace(right, true=3 * X))] == [
        "unknown", "refuted", "unknown",
    ]  # fmt: skip
    found = right.verify()
    assert found.corrected.verdict == "checked" and len({check.route for check in found.checks}) == 2


def test_two_routes_of_every_form():
    """Each of these is wrong, and is told so twice."""
    f = Function("f")
    wrong = (
        MatrixEquality(A * B, B * A), Truncation(1 / (1 - X), 1 + 2 * X, X, 2), Truncation(f(X), f(0), X, 2),
        Equality(f(X + Y), f(X) + f(Y)), LeadingTerm(NETWORK, "angle", 3 / DEPTH),
    )  # fmt: skip
    for statement in wrong:
        found = statement.verify()
        assert found.verdict == "refuted" and len({c.route for c in found.checks if c.passed is False} - {""}) > 1


ORBIT = "map = '1 + 1/x', start = '1', law = 'xi - C*(-1)^n*xi^(-2*n)', constant = '0.854101966249684...'"


@pytest.mark.parametrize(("old", "new", "verdict"), [
    ("", "", "proved"), ("84...", "85...", "refuted"), ("-2*n", "-3*n", "come to these"), ("xi -", "xi +", "refuted"),
    ("xi -", "xi/2 -", "refuted"), ("1/x", "n/x", "symbol 'n' in map"), ("map", "maps", "'maps' has no meaning"),
    ("'1',", "'1', first = -1,", "first = -1 is not"), ("xi -", "1.6 -", "write fractions"),
    (ORBIT, "map = 'sin(x)', law = 'sqrt(3/n)*(1 + 1/log(n))'", "refuted"),  # ended in SymPy's ValueError
    (ORBIT, "map = 'x/(1 + x)', start = '1', law = '1/n - 1/n^2 + 1/n^3'", "checked"),  # x_n = 1/(n + 1): C as a number
    (ORBIT, "map = 'x/(1 + x)', start = '1', law = '1/n - 1/n^2 - 1/n^3'", "refuted"),
    (ORBIT, "map = 'x/2', start = '3', law = '3/2^n'", "checked"),
    (ORBIT, "map = 'x/2', start = '3', first = 1, law = '3/2^n'", "refuted"),
    (ORBIT, "map = 'x^2 - 2*x + 2', start = '3', law = '1'", "unknown"),  # which solves the map; x_n = 1 + 2^(2^n)
    (ORBIT, "map = 'x^2 - 2*x + 2', start = '3', law = '1 - C^(2^n)'", "refuted"),
])  # fmt: skip
def test_an_orbit_in_a_file_and_planted_errors(old, new, verdict):
    text = ORBIT.replace(old, new, 1).replace(", ", "\n").replace(" = ", "=")
    try:
        (claim,) = claims_in(f"title = 'T'\n[[claim]]\nid = 'O'\nform = 'orbit'\n{text}", "t.toml")
        found = claim.check().verdict
    except AsymptError as error:
        found = str(error)
    assert verdict in found


def test_what_alone_proves_one_formula_does_not_prove_two():
    proof = Check("theorem", 1, 1, True, "proved", decides=True)
    one, two = Verification("1", (proof, Check("n", 0, 1, True))), Verification("2", (Check("n", 0, 1, True),))
    joint = one, together(one, one), together(one, two), together(two, one)
    assert [found.verdict for found in joint] == ["proved", "proved", "checked", "checked"]
