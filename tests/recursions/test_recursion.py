"""Recursions given by a formula: published constants, exact solutions, plain iteration, and refusals."""

import mpmath
import pytest
from mpmath import mp
from sympy import (
    Abs,
    I,
    Rational,
    Symbol,
    asin,
    atan2,
    conjugate,
    cos,
    exp,
    im,
    lambdify,
    log,
    pi,
    re,
    sin,
    sqrt,
    symbols,
)  # fmt: skip

from asympt import Recursion
from asympt.errors import AsymptError, InputError, PrecisionError, UnsupportedError
from asympt.recursions.fixed_points import _refined

X, x = Symbol("x", positive=True), Symbol("x")


def test_python_floats_in_the_map_are_the_decimals_they_print():
    assert Recursion(X - 0.1 * X**2, X).expression == X - X**2 / 10


def test_the_sine_law_as_printed():
    # de Bruijn, Asymptotic Methods in Analysis, section 8.6, with C = C_abel - (3/5) log 3:
    # sqrt(3/n) (1 - 3 log n/(10 n) - C/(2n) + ...)
    n, c = Symbol("n", positive=True), Symbol("C", real=True)
    law = Recursion(sin(X), X).law(terms=3)
    printed = sqrt(3 / n) * (1 - 3 * log(n) / (10 * n) - (c - Rational(3, 5) * log(3)) / (2 * n))
    assert abs((law.to_sympy() - printed).subs({n: 7, c: Rational(2, 3)}).evalf(30)) < 1e-28
    assert law.rate == 1 / sqrt(n) and law.limit == 0


@pytest.mark.parametrize(
    "expression",
    [
        X + X**2 * log(X) ** 2, X / 2 + X**2 * log(X), X * log(X), sqrt(X) * log(X),
        X + X**2 * log(1 + log(X) ** 2), X - 2 * X**2 * log(X) / (1 - log(X)) + X**2,
    ],
)  # fmt: skip
@pytest.mark.parametrize("symbol", [X, Symbol("x")])
def test_a_logarithm_at_the_limit_0_is_the_reason_and_not_what_repels_elsewhere(expression, symbol):
    """Every one of these tends to 0 with x, by hand."""
    with pytest.raises(UnsupportedError, match=r"fixes 0 as a limit, but .* no law of this kind there.*log"):
        Recursion(expression.xreplace({X: symbol}), symbol)


def test_where_the_map_has_no_limit_0_other_fixed_points_are_the_reason():
    for expression in (X + 2 + log(X) ** 2, 3 * X + log(X)):  # oo and -oo at 0
        with pytest.raises(InputError, match="has no attracting fixed point from above"):
            Recursion(expression, X)


@pytest.mark.parametrize(("expression", "kind"), [
    (sin(X), "parabolic"), (-X + X**2, "flip"), (X / 2, "hyperbolic"), (-X / 2, "hyperbolic"),
    (3 * X - X**2, "repelling"), (-3 * X - X**2, "repelling"), (X**2, "superattracting"),
    (X ** Rational(3, 2), "superattracting"), (X / 2 + sqrt(2) * X**2 / 3, "hyperbolic"), (exp(X) - 1, "parabolic"),
    (pi * X / 3, "repelling"), (X - X ** Rational(3, 2), "parabolic"),
])  # fmt: skip
def test_kinds(expression, kind):
    assert Recursion(expression, X).kind == kind


A, B, REAL = Symbol("a", real=True), Symbol("b", positive=True), Symbol("x")
LOGISTIC = Recursion(X * (1 - X), X).law()
REFUSALS = {
    "not fixed": (lambda: Recursion(X / 2, X, fixed_point=1), "x = 1 is not a fixed point: it is mapped to 1/2"),
    "singular": (lambda: Recursion(X + 1 / X, X, 0), "is not a fixed point"),
    "not even nearly": (lambda: Recursion(cos(REAL), REAL, "0.7391"), "give one that is, or leave it out"),
    "no fixed point": (lambda: Recursion(X + exp(X), X), "has no attracting fixed point from above: no"),
    "only repelling points": (lambda: Recursion(2 * cos(REAL), REAL), "fixed_point=... if there is one"),
    "side": (lambda: Recursion(sin(X), X, side="left"), "side = 'left' is unknown"),
    "nan fixed point": (lambda: Recursion(X / 2, X, fixed_point=float("nan")), "fixed_point = nan is not a finite"),
    "parameter": (lambda: Recursion(X - A * X**2, X).law(), "declare the parameters positive"),
    "parameter in the start": (lambda: LOGISTIC.evaluate(depth=5, start=A), "start = a contains a; give a number"),
    "parameters": (
        lambda: Recursion(X - B * X**2, X).law().evaluate(depth=5, start=1),
        "the law contains the symbols b",
    ),
    "parametric fixed points": (lambda: Recursion(REAL / 2 + A, REAL), "depend on a; give fixed_point"),
    "superattracting": (lambda: Recursion(X ** Rational(3, 2), X).law(), "like C^((3/2)^n), whose expansion"),
    "too deep": (lambda: Recursion(X**2, X).law().evaluate(10**5, start="1/2"), "exponent of the number at depth"),
    "not drawn in": (lambda: Recursion(X**2, X).law().evaluate(5, start=2), "the orbit goes away from the"),
    "two sides": (lambda: Recursion(-REAL * Abs(REAL), REAL).law(), "is not one power series on both sides"),
    "flipping": (lambda: Recursion(-X, X).law(), "nothing moves with depth"),
    "identity": (lambda: Recursion(X, X).law(), "nothing moves with depth"),
    "repelling": (
        lambda: Recursion(X + X**2, X).law(),
        "x = 0 from above repels orbits, so there is no law there; try side='below'",
    ),
    "multiplier 3": (lambda: Recursion(3 * X * (1 - X), X).law(), "is repelling for x -> 3*x*(1 - x) (G' = 3)"),
    "the other fixed point": (lambda: Recursion(3 * X - X**2 * 2, X).law(), "orbits leave it; attracting"),
    "both sides repel": (lambda: Recursion(X + X**3, X).law(), "from below as from above"),
    "constant": (lambda: Recursion(5, X), "the map x -> 5 is constant"),
    "neutral": (lambda: Recursion(2 / REAL, REAL), "x = sqrt(2) is neutral"),
    "no power series": (lambda: Recursion(X + X**2 * log(X) ** 2, X).law(), "log"),
    "beyond all orders": (lambda: Recursion(X - exp(-1 / X), X, 0).law(), "exp"),
    "infinite slope": (lambda: Recursion(sqrt(X), X, 0).law(), "is repelling"),
    "observable": (lambda: Recursion(sin(X), X).law(observable=A), "is not a function of x"),
    "no terms": (lambda: Recursion(sin(X), X).law(terms=0), "terms = 0 is not a whole number from 1 to 20"),
    "half a term": (lambda: Recursion(sin(X), X).law(terms=1.5), "terms = 1.5 is not a whole number"),
    "no start": (lambda: LOGISTIC.evaluate(depth=5), "no starting value was given"),
    "text start": (lambda: LOGISTIC.evaluate(depth=5, start="foo"), "start = 'foo' is not a number"),
    "below": (lambda: LOGISTIC.evaluate(depth=5, start=-1), "the orbit escapes"),
    "just below": (lambda: LOGISTIC.evaluate(depth=5, start="-1e-50"), "moves too little to be seen (distance -1.0"),
    "the fixed point": (lambda: LOGISTIC.evaluate(depth=5, start=0), "start = 0 is the fixed point itself"),
    "nan start": (lambda: LOGISTIC.evaluate(depth=5, start=float("nan")), "start = nan is not a finite number"),
    "wrong argument": (lambda: LOGISTIC.evaluate(depth=5, correlation=0), "unknown argument 'correlation'"),
    "jumps below": (lambda: LOGISTIC.evaluate(depth=50, start=2), "the orbit escapes"),
    "escapes at once": (lambda: LOGISTIC.evaluate(depth=1, start=2), "the orbit escapes"),
    "sine below": (
        lambda: Recursion(sin(X), X).law().evaluate(depth=9, start=4),
        "from the other side, not from this one",
    ),
    "escapes": (
        lambda: Recursion(X - X**2 + X**3, X).law().evaluate(depth=9, start=2),
        "the orbit escapes",
    ),
    "no second constant": (lambda: LOGISTIC.second_constant(start=1), "only the law of a linear recursion"),
    "complex": (lambda: Recursion(asin(X) - X**2, X).law().evaluate(depth=9, start=3), "is not real at x = 3.0"),
    "pole": (lambda: Recursion(X / (1 + X), X).law().evaluate(depth=9, start=-1), "has no value at x = -1.0"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_are_one_sentence(name):
    action, message = REFUSALS[name]
    with pytest.raises(AsymptError) as caught:
        action()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value) and isinstance(caught.value, InputError | UnsupportedError | PrecisionError)


def test_symbols_of_any_assumption_will_do():
    plain, real = symbols("x"), symbols("x", real=True)
    assert Recursion(sin(plain), plain).law().expansion == Recursion(sin(real), real).law().expansion


@pytest.mark.parametrize("expression", [
    x / 2 + re(sqrt(1 - x)) * x**2 / 4, x / 2 + im(sqrt(x - 1)) * x**2 / 4, x / 2 + conjugate(x) ** 2 / 8,
    x / 2 + re(exp(I * x)) * x**2 / 4, x / 2 + atan2(x, 2) * x / 4,
])  # fmt: skip
def test_real_parts_and_angles_in_a_map(expression):
    """x_10 by iteration in mpmath."""
    move = lambdify(x, expression, "mpmath")
    with mp.workdps(30):
        moved = mpmath.mpf(1) / 10
        for _ in range(10):
            moved = mpmath.re(move(moved))
        assert abs(Recursion(expression, x).law(1).evaluate(depth=10, start=Rational(1, 10)) / moved - 1) < 1e-13


CONSTANTS = [  # map, start, C: orbits iterated far and A of the first terms, in another program
    (X * (1 - X) ** 2, "1/2", "1.531613675966550441"), (X * (1 - X) ** 2, "1/3", "1.054811860447395258"),
    (X - X**2 + X**3 / 3, 1, "1.354567323982625483"), (X * (1 - X) / 2, "1/2", "0.196453426377889794"),
    (X + X**-2, 1, "1.012214519549131341"), (X + X**-3, 1, "1.989862411752729642"),
    (X / (1 + X * log(1 + X)), 1, "0.861347833883644290"), (X**2 + 1, 1, "1.502836801049756499"),
]  # fmt: skip


@pytest.mark.parametrize(("map_", "start", "expected"), CONSTANTS)
def test_constants_of_starts(map_, start, expected, agrees):
    with mp.workdps(30):
        assert agrees(Recursion(map_, X).law(2).connection_constant(start=start, digits=20), mpmath.mpf(expected), 17)


@pytest.mark.parametrize(("exponent", "said"), [(15, "1.00e-15"), (30, "1.00e-30"), (90, "less than")])
@pytest.mark.parametrize("linear", [False, True])
def test_a_multiplier_next_to_one(exponent, said, linear):
    """1 - |mu| = 10^-exponent is named with its digits, and no constant divides by log 1 = 0."""
    recursion = Recursion((1 - Rational(1, 10**exponent)) * X - X**2, X)
    law = recursion.linear_law(1 - X, X, 0, terms=1) if linear else recursion.law(1)
    with pytest.raises(AsymptError, match=f"differs from 1 by {said}"):
        law.certificate(start=Rational(1, 10))
    assert law.coordinate.series_length(15) == 34  # twice 3/5 of the digits and 8: as long as for any slow map


def test_a_root_is_known_by_its_bracket():
    """Two brackets are two constants, however many digits of their roots agree."""
    excess = lambda z: mpmath.cos(z) - z  # noqa: E731
    roots = [_refined(cos(X), X, excess, mpmath.mpf(low), mpmath.mpf(1)) for low in ("0.7", "0.7", "0.71")]
    assert roots[0] == roots[1] != roots[2]
