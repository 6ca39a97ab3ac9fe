"""The Abel coordinate in numbers: against the exact series and the map itself, and two routes that can disagree."""

from dataclasses import replace

import mpmath
import pytest
from mpmath import mp
from sympy import Integer, Rational, Symbol, sin

from asympt import FeedForward, Recursion
from asympt.errors import PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_numeric import Abel, NumericAbel
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
