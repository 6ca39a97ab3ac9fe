"""Sides, infinity, fractional powers, fixed points that are found, observables, and the flip."""

import mpmath
import pytest
from mpmath import mp
from sympy import E, Rational, Symbol, acos, cos, exp, lambdify, log, oo, simplify, sin, sqrt, tan

from asympt import Recursion
from asympt.errors import UnsupportedError

X = Symbol("x")
HALF = Rational(1, 2)


def orbit(expression, start, steps: int, dps: int = 50):
    """x_0, ..., x_steps by plain iteration."""
    function = lambdify(X, expression, "mpmath")
    with mp.workdps(dps):
        values = [mpmath.mpf(start.p) / start.q if isinstance(start, Rational) else mpmath.mpf(start)]
        for _ in range(steps):
            values.append(function(values[-1]))
    return values


CASES = {
    "from below": ((sin(X), {"side": "below"}), Rational(-1)),
    "repelling above, attracting below": ((X + X**2, {"side": "below"}), -HALF),
    "exp - 1 from below": ((exp(X) - 1, {"side": "below"}), Rational(-1)),
    "not at zero": ((X - (X - 1) ** 2, {"fixed_point": 1}), Rational(3, 2)),
    "not at zero, from below": ((X + (X - 1) ** 2, {"fixed_point": 1, "side": "below"}), HALF),
    "at an irrational point": ((X - (X - sqrt(2)) ** 2, {"fixed_point": sqrt(2)}), Rational(2)),
    "at e": ((E * log(X), {"fixed_point": E}), Rational(3)),
    "square root": ((X - X ** Rational(3, 2) / 2, {}), HALF),
    "mixed powers": ((X - X**2 / 2 - X ** Rational(5, 2) / 3, {}), HALF),
    "cube roots": ((X - X ** Rational(4, 3) / 3, {}), HALF),
    "slower": ((X - X ** Rational(7, 2), {}), HALF),
    "x + 1/x": ((X + 1 / X, {}), Rational(1)),
    "x + sqrt(x)": ((X + sqrt(X), {}), Rational(1)),
    "x + 1/sqrt(x)": ((X + 1 / sqrt(X), {}), Rational(1)),
    "x + 1 + 1/x": ((X + 1 + 1 / X, {"fixed_point": oo}), Rational(1)),
    "minus infinity": ((X + 1 / X, {"fixed_point": -oo}), Rational(-1)),
    "infinity, said": ((X + 1 / X**2, {"fixed_point": "oo"}), Rational(1)),
    "flip": ((-sin(X), {}), Rational(1)),
    "flip, not odd": ((-X + X**2, {}), Rational(1, 4)),
    "flip from below": ((-X + X**2, {"side": "below"}), Rational(-1, 4)),
    "flip, not at zero": ((1 - sin(X - 1), {"fixed_point": 1}), Rational(2)),
}


@pytest.mark.parametrize("name", CASES)
def test_evaluation_equals_plain_iteration(name, agrees):
    (expression, options), start = CASES[name]
    law = Recursion(expression, X, **options).law(terms=2)
    values = orbit(expression, start, 2000)
    for depth in (1, 2, 33, 500, 1999, 2000):
        assert agrees(law.evaluate(depth=depth, start=start, digits=30), values[depth], 30)


@pytest.mark.parametrize("name", [*CASES][::4])
def test_the_printed_law_approaches_the_truth_with_its_remainder(name, rescaled):
    (expression, options), start = CASES[name]
    law = Recursion(expression, X, **options).law(terms=4)
    known = {Symbol("C", real=True): law.connection_constant(start=start, digits=70)}
    depths = (10**4, 10**9, 10**18)
    figures = rescaled(law.expansion, lambda n: law.evaluate(depth=n, start=start, digits=80), depths, known)
    assert abs(figures[2]) <= 2 * max(abs(figures[0]), 10)


@pytest.mark.parametrize(
    ("expression", "point", "kind"),
    [
        (X / 2 + 1, 2, "hyperbolic"),
        (1 + 1 / X, (1 + sqrt(5)) / 2, "hyperbolic"),
        (sqrt(X + 1), (1 + sqrt(5)) / 2, "hyperbolic"),
        (X / 2 + 1 / X, None, None),  # Newton's iteration for sqrt(2): two of them
        (X + 1 / X, oo, "parabolic"),
        (3 * sin(X), 0, "repelling"),
        (X**2 - Rational(3, 4), -HALF, "flip"),
        (X + sqrt(X), oo, "parabolic"),
    ],
)
def test_fixed_points_are_found(expression, point, kind):
    if point is None:
        with pytest.raises(ValueError, match=r"fixed points: x = -sqrt\(2\), x = sqrt\(2\)"):
            Recursion(expression, X)
        return
    found = Recursion(expression, X)
    assert simplify(found.fixed_point - point) == 0 if point != oo else found.fixed_point == oo
    assert found.kind == kind


def test_a_fixed_point_known_by_its_digits():
    # the Dottie number, OEIS A003957: 0.739085133215160641655312087673873404013411758900757464965680...
    found = Recursion(cos(X), X)
    assert str(found.fixed_point.evalf(50)).startswith("0.7390851332151606416553120876738734040134117589007"[:48])
    assert found.kind == "hyperbolic" and abs(found.multiplier.evalf(20) + sin(found.fixed_point).evalf(20)) < 1e-19


def test_a_repelling_point_names_the_attracting_ones():
    with pytest.raises(UnsupportedError, match="attracting: fixed_point=2/3"):
        Recursion(3 * X * (1 - X), X).law()


def test_the_square_of_x_plus_one_over_x():
    # b -> b + 1/b: b^2 = 2n + log(n)/2 + c + o(1) (OEIS A233770)
    n, c = Symbol("n", positive=True), Symbol("C", real=True)
    law = Recursion(X + 1 / X, X).law(terms=3, observable=X**2)
    assert (law.to_sympy() - 2 * n - log(n) / 2 - 2 * c - log(2) / 2).expand() == 0
    assert law.limit == oo and law.rate == n and law.plain == "x_n^2"


def test_b_plus_its_root_by_its_own_variable():
    # OEIS A332396: b(n) = n^2/4 + u n + u^2 - u/2 + ..., u = c - log(n)/4, with the index n = k + 1
    n = Symbol("n", positive=True)
    law = Recursion(X + sqrt(X), X).law(terms=2)
    assert (law.to_sympy() - n**2 / 4 + n * log(n) / 4).expand() == 0


def test_the_reciprocal_of_the_logistic_orbit_as_it_is_printed():
    # Finch: 1/x_n = n + log(n) + C + o(1)
    n, c = Symbol("n", positive=True), Symbol("C", real=True)
    law = Recursion(X * (1 - X), X).law(terms=3, observable=1 / X)
    assert (law.to_sympy() - n - log(n) - c).expand() == 0


def test_a_law_that_ends():
    # x/(1+x): 1/x_n = n + C and nothing more
    n, c = Symbol("n", positive=True), Symbol("C", real=True)
    law = Recursion(X / (1 + X), X).law(terms=5, observable=1 / X)
    assert (law.to_sympy() - n - c).expand() == 0


@pytest.mark.parametrize("observable", [X**2, 1 / X, 1 - cos(X), exp(X), tan(X) - X])
def test_the_value_of_an_observable(observable, agrees):
    law = Recursion(sin(X), X).law(terms=2, observable=observable)
    last = orbit(sin(X), Rational(1), 1000, dps=80)[-1]
    with mp.workdps(80):
        expected = lambdify(X, observable, "mpmath")(last)
    assert agrees(law.evaluate(depth=1000, start=1, digits=30), expected, 30)


def test_the_flip_has_one_constant_for_both_sides(agrees):
    law = Recursion(-X + X**2, X).law(terms=3)
    first = law.connection_constant(start=Rational(1, 4), digits=30)
    other = Recursion(-X + X**2, X, side="below").law().connection_constant(start=Rational(-3, 16), digits=30)
    with mp.workdps(40):
        assert agrees(other, first + 1, 29)  # x_1 = -3/16 is one step further


def test_the_flip_of_the_sine_is_the_sine_with_alternating_sign():
    flip, plain = Recursion(-sin(X), X).law(terms=4), Recursion(sin(X), X).law(terms=4)
    assert (flip.branches[0].to_sympy() - plain.to_sympy()).expand() == 0
    assert (flip.branches[1].to_sympy() + plain.to_sympy()).expand() == 0


@pytest.mark.parametrize(("start", "depth"), [(HALF, 7), (HALF, 1000), (Rational(4, 5), 1), (Rational(4, 5), 1001)])
def test_a_flip_takes_starts_on_both_sides(start, depth, agrees):
    law = Recursion(3 * X * (1 - X), X, fixed_point=Rational(2, 3)).law()
    assert agrees(law.evaluate(depth=depth, start=start, digits=25), orbit(3 * X * (1 - X), start, depth)[-1], 25)
    following = 3 * start * (1 - start)
    with mp.workdps(40):
        assert agrees(law.connection_constant(start=following), law.connection_constant(start=start) + 1, 28)


def test_a_flip_with_fractional_powers_is_refused():
    with pytest.raises(UnsupportedError, match="not real on the other side"):
        Recursion(-X + X ** Rational(3, 2), X).law()


def test_inverse_cosine_is_repelled():
    assert Recursion(acos(X), X, Recursion(cos(X), X).fixed_point).kind == "repelling"
