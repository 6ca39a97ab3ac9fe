"""Driven recursions in numbers: plain iteration, exact solutions, and one property that no method gets by luck."""

import mpmath
import pytest
from mpmath import mp
from sympy import Abs, Integer, Rational, sin, sqrt, symbols

from asympt.errors import AsymptError, InputError, PrecisionError, UnsupportedError
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.flow_time.continuation import working_digits
from asympt.recursions.coordinates.flow_time.coordinate import FlowTime, Followed, _continuation
from asympt.recursions.coordinates.flow_time.step_sizes import DrivenDynamics
from asympt.recursions.non_autonomous import DrivenRecursion
from tests.recursions.falling_steps import orbit

X, LAYER, ALPHA = symbols("x l alpha", positive=True)
HALF = Rational(1, 2)


@pytest.mark.parametrize("alpha, beta", [(HALF, Integer(0)), (Rational(1, 3), Rational(1, 3)), (sqrt(2), Integer(2))])
def test_a_linear_drift_is_a_quotient_of_gammas(alpha, beta, agrees):
    # x_l = x_0 prod (1 - alpha/(j + beta)) = x_0 Gamma(l + 1 + beta - alpha)/Gamma(l + 1 + beta) * const
    recursion = DrivenRecursion(X, X, alpha / (LAYER + beta), LAYER)
    for depth in (700, 10**12):
        with mp.workdps(60):
            a, b = (mpmath.mpf(str(c.evalf(60))) for c in (alpha, beta))
            exact = 2 * mp.gammaprod([depth + 1 + b - a, b + 1], [depth + 1 + b, b + 1 - a])
        assert agrees(recursion.evaluate(depth, start=2, digits=14), exact, 14)
    with mp.workdps(60):
        constant = -mp.log(2 * mp.gammaprod([b + 1], [b + 1 - a]))
    assert agrees(recursion.connection_constant(start=2, digits=14), constant, 14)


def test_the_constant_is_what_the_flow_time_says():
    # T(x_l) - log l - C = O(1/l): at l = 10^20 nothing of it is left in 14 digits
    recursion = DrivenRecursion(sin(X) ** 2, X, 1 / (LAYER + 1), LAYER)
    x = recursion.evaluate(10**20, start=HALF, digits=17)
    with mp.workdps(30):
        difference = mp.cot(x) - 20 * mp.log(10) - recursion.connection_constant(HALF, digits=17)
        assert abs(difference) < mpmath.mpf(10) ** -14


def test_a_planted_error_is_not_certified(monkeypatch):
    # the two routes hand over at different layers, so an error in what a layer does beyond its step shows
    defect = DrivenDynamics.defect
    monkeypatch.setattr(DrivenDynamics, "defect", lambda *given: defect(*given) * mpmath.mpf("1.1"))
    recursion = DrivenRecursion(X**2, X, 1 / (LAYER + 1), LAYER)
    with pytest.raises(PrecisionError, match="do not agree"):
        recursion.evaluate(10**6, start=HALF, digits=8)


def test_a_tiny_start_stays_where_it_is(agrees):
    value = DrivenRecursion(X**2, X, 1 / (LAYER + 1), LAYER).evaluate(10**50, start="1e-60", digits=15)
    with mp.workdps(50):
        assert agrees(value, mpmath.mpf(10) ** -60, 15)


def test_depths_beyond_any_float():
    # x = 1/(log l + C + O(1/l)) with C of the order of 1
    value = DrivenRecursion(X**2, X, 1 / (LAYER + 1), LAYER).evaluate(10**10000, start=HALF, digits=8)
    assert abs(1 / value - 10000 * mp.log(10)) < 3


def test_faster_than_every_power(agrees):
    # x_l = prod (1 - 1/(2 sqrt j)), its logarithm summed term by term
    value = DrivenRecursion(X, X, 1 / (2 * sqrt(LAYER)), LAYER).evaluate(20_000, start=1, digits=12)
    with mp.workdps(30):
        total = mpmath.fsum(mp.log1p(-1 / (2 * mp.sqrt(j))) for j in range(1, 20_001))
        assert agrees(value, mp.exp(total), 12)


SQUARE = (X**2, 1 / (LAYER + 1))
BAD = [
    (*SQUARE, dict(depth=10, start=0), InputError, "fixed point itself"),
    (*SQUARE, dict(depth=10, start=-1), InputError, "negative"),
    (*SQUARE, dict(depth=10, start=ALPHA), InputError, "give a number"),
    (*SQUARE, dict(depth=10, start=None), InputError, "no starting value"),
    (*SQUARE, dict(depth=10, start="nan"), InputError, "not a finite number"),
    (*SQUARE, dict(depth=10, start=2), InputError, "past the fixed point"),
    (*SQUARE, dict(depth=10**30, start=3), InputError, "past the fixed point"),
    (*SQUARE, dict(depth=0, start=1), InputError, "less than 1"),
    (*SQUARE, dict(depth=10, start=1, digits=300), InputError, "digits = 300"),
    (X**2, ALPHA / LAYER, dict(depth=10, start=1), UnsupportedError, "give numbers"),
    (X, 1 / LAYER, dict(depth=10**9, start=1), InputError, "past the fixed point"),
    (sin(X) ** 2, 1 / (LAYER + 1), dict(depth=10, start=4), InputError, "vanishes near x = 3.14159"),
    (X**2 * (1 - X), 1 / (LAYER + 1), dict(depth=10, start=2), InputError, "not a positive number"),
    (X**2 * sqrt(2 - X), 1 / (LAYER + 1), dict(depth=10, start=3), InputError, "not a positive number"),
    (X**2 * (X - 1) ** 2, 1 / (LAYER + 1), dict(depth=10**9, start="1.3"), InputError, "x = 1"),
    (
        X**2 * (1 + Abs(X - Rational(1, 20))),
        1 / (LAYER + 1),
        dict(depth=10**19, start=HALF, digits=9),
        UnsupportedError,
        "not smooth",
    ),
]


@pytest.mark.parametrize("h, step, given, kind, words", BAD)
def test_refusals(h, step, given, kind, words):
    with pytest.raises(kind, match=words) as caught:
        DrivenRecursion(h, X, step, LAYER).evaluate(**given)
    assert isinstance(caught.value, AsymptError) and "\n" not in str(caught.value)


def test_layers_before_the_start():
    recursion = DrivenRecursion(SQUARE[0], X, SQUARE[1], LAYER, first=5)
    with pytest.raises(InputError, match="before the layer"):
        recursion.evaluate(3, start=1)
    assert recursion.evaluate(5, start=1) == 1


def test_no_constant_without_a_power_law():
    with pytest.raises(UnsupportedError, match="no connection constant"):
        DrivenRecursion(X, X, 1 / (2 * sqrt(LAYER)), LAYER).connection_constant(start=1)


def test_a_continuation_at_few_digits_is_not_kept_for_more(agrees):
    """20 digits and 6 more ask for the same accuracy as 26, but calculate with less: against plain iteration."""
    coordinate = FlowTime(DrivenRecursion(X**2, X, 1 / (LAYER + 1), LAYER).dynamics)
    few, many = (Followed(coordinate, HALF, Route(10, digits)) for digits in (20, 26))
    before = _continuation.cache_info().misses
    with mp.workdps(working_digits(20)):
        few.asked(lambda continuation: continuation.state_at(2000), more=6)
    with mp.workdps(40):
        reference = orbit(lambda x: x**2, lambda layer: 1 / (layer + 1), "0.5", 2001, first=0)[2000]
    assert agrees(many.state(2000)[0], reference, 26)
    assert _continuation.cache_info().misses == before + 2
