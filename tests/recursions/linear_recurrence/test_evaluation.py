"""Layered recursions in numbers: sums and products with known values, plain iteration, and the certificate."""

from dataclasses import replace

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, lambdify, log, pi, sqrt

from asympt import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.linear_recurrence import solution as layered_coordinate
from asympt.recursions.linear_recurrence.solution import LAYER as l
from asympt.recursions.linear_recurrence.solution import layered_solution

HALF = Rational(1, 2)


def plain(multiplier, forcing, start_layer, start_value, depth, digits=60):
    """The recursion itself, by SymPy's own translation of the formulas: no code of the toolkit."""
    step = lambdify(l, [multiplier, forcing], "mpmath")
    with mp.workdps(digits):
        a = mpmath.mpf(start_value)
        for layer in range(start_layer + 1, depth + 1):
            factor, source = step(mpmath.mpf(layer))
            a = factor * a + source
        return a


# ---- constants of mathematics -----------------------------------------------------------------------
# lambda = 1, a_0 = 0: a_l is a sum of b_k, and D its constant term; the names are those of mpmath's functions.

SUMS = {
    "Euler's constant": (1 / l, lambda: +mp.euler),
    "Stieltjes' first constant": (log(l) / l, lambda: mp.stieltjes(1)),
    "Stirling's constant": (log(l), lambda: mp.log(2 * mp.pi) / 2),
    "zeta(3/2)": (l ** Rational(-3, 2), lambda: mp.zeta(mpmath.mpf(3) / 2)),
    "zeta(1/2)": (1 / sqrt(l), lambda: mp.zeta(mpmath.mpf(1) / 2)),
    "-zeta'(2)": (log(l) / l**2, lambda: -mp.zeta(2, derivative=1)),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_have_their_known_constants(name, agrees):
    forcing, constant = SUMS[name]
    found = layered_solution(1, forcing, 2).second_constant(start_layer=0, start_value=0, digits=40)
    with mp.workdps(60):
        assert agrees(found, constant(), 40)


@pytest.mark.parametrize("exponent", [3, 20, 100])
def test_harmonic_numbers_and_factorials(exponent, agrees):
    depth = 10**exponent
    harmonic = layered_solution(1, 1 / l).evaluate(depth, start_layer=0, start_value=0, digits=50)
    factorial = layered_solution(1, log(l)).evaluate(depth, start_layer=0, start_value=0, digits=50)
    with mp.workdps(120 + exponent):
        assert agrees(harmonic, mp.psi(0, mpmath.mpf(depth) + 1) + mp.euler, 50)
        assert agrees(factorial, mp.loggamma(mpmath.mpf(depth) + 1), 50)


@pytest.mark.parametrize("alpha", [Rational(5, 2), Rational(-1, 3), pi])
def test_products_are_gamma_functions(alpha, agrees):
    """prod_(k=5)^L (1 - alpha/k) = Gamma(L+1-alpha) Gamma(5) / (Gamma(L+1) Gamma(5-alpha))."""
    depth = 10**30
    value = layered_solution(1 - alpha / l, 0).evaluate(depth, start_layer=4, start_value=1, digits=30)
    with mp.workdps(110):
        a, L = mpmath.mpf(alpha.evalf(100)._mpf_), mpmath.mpf(depth)
        logs = mp.loggamma(L + 1 - a) + mp.loggamma(5) - mp.loggamma(L + 1) - mp.loggamma(5 - a)
        assert agrees(value, mp.exp(logs), 30)


# ---- plain iteration --------------------------------------------------------------------------------

CASES = [
    (1 - 2 / l + Rational(3, 2) / l**2, 1, 1, 1),
    (1 - 3 / l + 2 * log(l) / l**2, 1 + 1 / l, 1, 1),
    (1 - 1 / l + 2 / l**2, 1, 1, 1),  # resonant at l^(-1)
    (1 + 2 / l, l, 1, 1),
    (1 - HALF / l + l ** Rational(-3, 2), 1, 3, -2),
    (HALF + 1 / l, log(l), 1, 1),
    (1 - 1 / sqrt(l), 1, 1, 2),
    (1 + HALF / sqrt(l), 1, 1, 2),
    (-1 + 1 / l, 1 / l**2, 1, 1),
    (Rational(3, 2) - 1 / l, 1, 1, 0),
    (2 / l, 1, 0, 5),
    (1 - 7 / l + pi / l**2, sqrt(2) / l, 1, 4),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_evaluation_beyond_the_matching_layer_agrees_with_iteration(case, agrees):
    multiplier, forcing, start_layer, start_value = case
    solution = layered_solution(multiplier, forcing, 1)
    coordinate, start = solution.coordinate, layered_coordinate.FirstLayer.read(start_layer, start_value)
    depth = 2 * max(coordinate.crossing_before(start, 10**9, route).layer for route in coordinate.routes(18, 10**9))
    value = solution.evaluate(depth, start_layer, start_value, digits=10)
    assert agrees(value, plain(multiplier, forcing, start_layer, start_value, depth, 40), 10)


@pytest.mark.parametrize("case", CASES[:4], ids=str)
def test_digits_and_depths_do_not_matter(case, agrees):
    multiplier, forcing, start_layer, start_value = case
    solution = layered_solution(multiplier, forcing, 1)
    values = [solution.evaluate(10**40, start_layer, start_value, digits=digits) for digits in (12, 45)]
    assert agrees(values[0], values[1], 12)
    assert solution.evaluate(2, start_layer, start_value, 15) == pytest.approx(
        float(plain(multiplier, forcing, start_layer, start_value, 2))
    )


def test_a_multiplier_that_vanishes_forgets_its_start(agrees):
    """lambda_7 = 0: whatever came before, a_7 = b_7."""
    solution = layered_solution(1 - 7 / l, 1 + 1 / l, 1)
    one, two = (solution.evaluate(10**20, 1, start, digits=30) for start in (1, 10**6))
    assert agrees(one, two, 30)
    after = solution.evaluate(10**20, 7, Rational(8, 7), digits=30)
    assert agrees(one, after, 30)


def test_a_start_on_the_particular_solution_has_no_free_part(agrees):
    """b_l = l^2 - lambda_l (l-1)^2 makes l^2 a solution; H ~ l^3 would swamp it if D were only nearly 0."""
    multiplier = 1 + 3 / l
    solution = layered_solution(multiplier, l**2 - ((l - 1) ** 2 * multiplier).expand(), 3)
    assert str(solution.particular) == "l^2"
    assert solution.second_constant(1, 1, digits=30) == 0
    assert agrees(solution.evaluate(10**50, 1, 1, digits=30), 10**100, 30)
    assert solution.evaluate(10**50, 1, 2, digits=30) > mpmath.mpf(10) ** 148


def test_a_homogeneous_recursion_from_zero_stays_zero():
    assert layered_solution(1 - 1 / l, 0).evaluate(10**30, 1, 0, digits=30) == 0


def test_growth_beyond_every_power(agrees):
    """a_l = 2^l - 1 with more digits than the exponent of the depth leaves in doubles."""
    value = layered_solution(2, 1).evaluate(10**12, 1, 1, digits=40)
    with mp.workdps(60):
        assert agrees(value, mp.exp(mp.log(2) * 10**12), 40)


def test_second_constant_where_the_free_part_falls_fast(agrees):
    """alpha = 12: H is 10^-40 of P at the matching layer; D does not depend on the start layer along one orbit."""
    solution = layered_solution(1 - 12 / l + 1 / l**2, 1)
    value = plain(1 - 12 / l + 1 / l**2, 1, 30, 1, 60, 120)
    one = solution.second_constant(30, 1, digits=20)
    two = solution.second_constant(60, value, digits=20)
    assert agrees(one, two, 20)


# ---- refusals ---------------------------------------------------------------------------------------


def evaluated(multiplier, forcing, *start, **more):
    return lambda: layered_solution(multiplier, forcing, 2).evaluate(*start, **more)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (evaluated(1 - Symbol("alpha") / l, 1, 10**9, 1, 1), UnsupportedError, "symbols alpha"),
        (evaluated(1, 1, 10**9, 1, Symbol("x")), InputError, "start_value"),
        (evaluated(1, 1, 10**9, 1, float("nan")), InputError, "finite"),
        (evaluated(1, 1, 10**9, -1, 1), InputError, "less than 1"),
        (evaluated(1, 1, 3, 5, 1), InputError, "before start_layer"),
        (evaluated(1, 1, 3, 1, 1, 500), InputError, "digits"),
        (evaluated(1 - 10**6 / l, 1, 10**20, 1, 1), PrecisionError, "layers would have to be iterated"),
        (evaluated(1 / l, 0, 10**9, 1, 1), UnsupportedError, "faster than every exponential"),
        (
            evaluated(1, Expansion.build(Scale.at_infinity(l), {(0, 0): 1}, Formal(Monomial(1))), 10**9, 1, 1),
            UnsupportedError,
            "not known exactly",
        ),
        (evaluated(-1 + 1 / l, 1 / l, 160, 1, 1), PrecisionError, "may be 0"),  # a_2, a_4, ... are 0 exactly
        (lambda: layered_solution(HALF, 1).second_constant(1, 1), UnsupportedError, "cannot be read off"),
        (lambda: layered_solution(1 - 1 / l, 1 + 1 / l**2).second_constant(1, 0, 500), InputError, "digits"),
    ],
)
def test_refusals_are_one_sentence(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_routes_that_disagree_are_refused(monkeypatch):
    """A wrong coefficient of the series in numbers moves the two matching layers apart: no number comes out."""
    honest = layered_coordinate.numeric_solution

    def spoiled(*arguments):
        known = honest(*arguments)
        wrong = dict(known.particular.series)
        order = sorted(wrong)[2]
        wrong[order] = [c * (1 + mpmath.mpf(10) ** -6) for c in wrong[order]]
        return replace(known, particular=replace(known.particular, series=wrong))

    monkeypatch.setattr(layered_coordinate, "numeric_solution", spoiled)
    monkeypatch.setattr(layered_coordinate.LinearRecurrence, "extras", (0, 25))
    layered_coordinate.matched_layer.cache_clear()
    try:
        with pytest.raises(PrecisionError, match="do not agree"):
            layered_solution(1 + HALF / l, 1 + 1 / l + 1 / l**2, 1).evaluate(10**6, 1, 1, digits=20)
    finally:
        layered_coordinate.matched_layer.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("case", [CASES[1], CASES[6]], ids=str)
def test_a_hundred_digits_at_depth_10_to_the_100(case, agrees):
    multiplier, forcing, start_layer, start_value = case
    solution = layered_solution(multiplier, forcing, 1)
    values = [solution.evaluate(10**100, start_layer, start_value, digits=digits) for digits in (80, 120)]
    assert agrees(values[0], values[1], 80)
