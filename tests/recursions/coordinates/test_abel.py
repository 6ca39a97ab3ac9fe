"""The Abel coordinate in numbers: against the exact series and the map itself, and two routes that can disagree."""

from dataclasses import replace

import mpmath
import pytest
from mpmath import mp
from sympy import Integer, Rational, Symbol, sin

from asympt import FeedForward, Recursion
from asympt.errors import PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.agreement import LATER
from asympt.recursions.coordinates.abel_numeric import Abel, NumericAbel, leading, order_of
from asympt.recursions.orbits.matching import matching_layer
from tests.on_demand import OnDemand

X = Symbol("x", positive=True)
LAWS = OnDemand({
    "logistic, m = 1": lambda: (Recursion(X * (1 - X), X).law(), Rational(1, 2)),
    "sine, m = 2, even": lambda: (Recursion(sin(X), X).law(), Integer(1)),
    "quartic, m = 2": lambda: (Recursion(X - 2 * X**3 + X**4, X).law(), Rational(1, 2)),
    "relu gap": lambda: (FeedForward("relu").correlation_law(), Rational(9, 10)),
    "relu ntk": lambda: (FeedForward("relu").ntk_law(), Rational(9, 10)),
    "leaky ntk": lambda: (FeedForward("leaky_relu", slope="1/3").ntk_law(), Rational(9, 10)),
})  # fmt: skip


@pytest.fixture(params=LAWS)
def case(request):
    return LAWS[request.param]


def numeric_of(dynamics, digits: int) -> NumericAbel:
    """The series as the evaluation takes them for so many digits."""
    coordinate = Abel(dynamics)
    return coordinate.numeric(coordinate.series_length(digits), digits)


def test_the_coefficients_are_the_exact_ones(case):
    law = case[0]
    numeric = law.coordinate.numeric(20, 40)
    with mp.workdps(45):
        scale = to_mpf(law.dynamics.scale)
        for k, value in enumerate(numeric.abel[: 2 * numeric.multiplicity + 4], start=-numeric.multiplicity):
            exact = to_mpf(law.abel[k]) * scale**k  # t = scale tau
            assert abs(value - exact) <= abs(exact) * mpmath.mpf(10) ** -38
        assert abs(numeric.residue - to_mpf(law.abel.residue)) < mpmath.mpf(10) ** -38


@pytest.mark.parametrize("digits", [30, 100])
def test_one_step_is_one_within_reach(case, digits):
    dynamics = case[0].dynamics
    numeric = numeric_of(dynamics, digits)
    with mp.workdps(2 * digits):  # the step of a network loses digits near 0
        scale = to_mpf(dynamics.scale)
        for tau in (numeric.accuracy_radius, numeric.accuracy_radius / 2):
            x = (scale * tau) ** dynamics.root
            state = dynamics.step((x, mpmath.mpf(1)) if dynamics.linear else (x,))
            following = dynamics.uniformiser(state[0]) / scale
            assert abs(numeric.position(following) - numeric.position(tau) - 1) < mpmath.mpf(10) ** -digits


@pytest.mark.parametrize("name", ["relu ntk", "leaky ntk"])
def test_the_linear_part_obeys_its_recursion_within_reach(name):
    dynamics = LAWS[name][0].dynamics
    numeric = numeric_of(dynamics, 40)
    with mp.workdps(80):
        scale, tau = to_mpf(dynamics.scale), numeric.accuracy_radius
        x = (scale * tau) ** dynamics.root
        for second in (0, 5):
            state = dynamics.step((x, numeric.particular(tau) + second * numeric.homogeneous(tau)))
            following = dynamics.uniformiser(state[0]) / scale
            expected = numeric.particular(following) + second * numeric.homogeneous(following)
            assert abs(state[1] - expected) < mpmath.mpf(10) ** -40


def test_derivative_is_the_slope_of_position_and_solve_its_inverse(case):
    dynamics = case[0].dynamics
    numeric = numeric_of(dynamics, 40)
    with mp.workdps(40):
        tau = numeric.accuracy_radius / 3
        assert abs(mp.diff(numeric.position, tau) / numeric.derivative(tau) - 1) < mpmath.mpf(10) ** -15
        assert abs(numeric.solve(numeric.position(tau)) / tau - 1) < mpmath.mpf(10) ** -36


@pytest.mark.parametrize(("name", "m"), [("logistic, m = 1", 1), ("sine, m = 2, even", 2), ("relu gap", 1)])
def test_the_order_of_the_map(name, m):
    assert order_of(LAWS[name][0].dynamics) == m


def test_both_routes_are_served_by_one_request_for_exact_coefficients():
    asked = []

    def source(count):
        asked.append(count)
        return [Rational(1, k + 1) for k in range(count)]

    shorter, longer = leading(source, 40), leading(source, 45)
    assert len(asked) == 1 and longer[:40] == shorter and len(longer) == 45
    with mp.workdps(50):
        assert leading(source, 3)[2] == mpmath.mpf(1) / 3  # at the precision of the moment


def test_the_second_route_differs_in_length_precision_and_matching_layer(case):
    law, start = case
    one, two = law.coordinate.routes(40)
    assert two.last > one.last and two.digits > one.digits
    for begin in (start, Rational(1, 10**30)):
        first, second = (matching_layer(law.coordinate, begin, route).layer for route in (one, two))
        assert second >= first + LATER


def test_from_within_reach_the_original_map_is_iterated_all_the_same():
    law = LAWS["logistic, m = 1"][0]
    one, two = (matching_layer(law.coordinate, Rational(1, 10**6), route) for route in law.coordinate.routes(30))
    assert (one.layer, two.layer) == (0, LATER)


@pytest.fixture
def no_memory():
    """Matching layers are forgotten before and after."""
    matching_layer.cache_clear()
    yield
    matching_layer.cache_clear()


@pytest.mark.parametrize("which", ["a coefficient", "the residue", "the leading coefficient"])
def test_a_wrong_series_makes_the_routes_disagree(monkeypatch, no_memory, which):
    # the same error in both series, so that only the matching layer can tell
    law = LAWS["relu gap"][0]
    slip = 1 + mpmath.mpf(10) ** -15

    honest = Abel.numeric

    def wrong(*arguments):
        numeric, m = honest(*arguments), 1
        if which == "the residue":
            return replace(numeric, residue=numeric.residue * slip)
        index = 0 if which == "the leading coefficient" else m + 1
        return replace(numeric, abel=(*numeric.abel[:index], numeric.abel[index] * slip, *numeric.abel[index + 1 :]))

    right = law.connection_constant(correlation="1/10", digits=20)
    matching_layer.cache_clear()
    monkeypatch.setattr(Abel, "numeric", wrong)
    with pytest.raises(PrecisionError, match="do not agree to 20 digits"):
        law._constants(law._start({"correlation": "1/10"}), 20, False)
    found = law.evaluated_constants(20, correlation="1/10")  # the theorem has its constant from balls alone
    assert found.trust == "proved" and found.value[0] == right


@pytest.mark.parametrize("digits", [50])
def test_fewer_digits_are_the_first_of_more(case, digits):
    law, start = case
    start = {"gap": start} if law.name != "recursion" else {"start": start}
    more = law.connection_constant(**start, digits=digits + 30)
    with mp.workdps(digits + 10):
        assert abs(law.connection_constant(**start, digits=digits) / more - 1) < mpmath.mpf(10) ** -digits
