"""Orbits in balls are kept from one question to the next, and a question may be refused or interrupted half way."""

import pytest
from flint import arb
from sympy import Integer, LambertW, Rational, Symbol, acos, asin, atan, log, sin, sqrt

import asympt.balls.orbit
from asympt.balls.arithmetic import Refused, working
from asympt.balls.disc import ParabolicMap
from asympt.balls.expression import Program
from asympt.balls.flows.theorem import DriftMap
from asympt.balls.orbit import BallInterval, BallOrbit, FlowOrbit, LinearAlong, image

T, BITS, START = Symbol("t", positive=True), 64, Rational(1, 3)


def mapped() -> BallOrbit:
    """t' = t - t^2, a' = (1 - t) a + t, a = t^2 at first."""
    along = LinearAlong(1 - T, T, lambda x: x**2, T)
    return BallOrbit(ParabolicMap(T - T**2, T, 1, 1), START, START, 0, BITS, along)


def driven() -> FlowOrbit:
    """x_l = x - x^2/l with its derivative."""
    map_ = DriftMap(T**2, None, (T**2, 2 * T, Integer(1)), T, T, 1, 2, Integer(1), Integer(0))
    return FlowOrbit(map_, START, START, 1, BITS, lambda x: x**2)


@pytest.mark.parametrize("begun", [mapped, driven])
@pytest.mark.parametrize("place", range(1, 8))
def test_an_interrupted_orbit_goes_on_where_it_was(begun, place, monkeypatch):
    """Ctrl-C between a_(l+1) and t_(l+1): layer l + 1 of a was entered twice, and all later ones were wrong."""
    orbit, left = begun(), [place]

    def interrupted(function):
        def called(*given):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            return function(*given)

        return called

    for name in ("enclosed", "_after"):
        monkeypatch.setattr(asympt.balls.orbit, name, interrupted(getattr(asympt.balls.orbit, name)))
    with pytest.raises(KeyboardInterrupt):
        orbit.t(9)
    found, expected = ((each.t(9), each.a(9)) for each in (orbit, begun()))
    assert all(a.low.overlaps(b.low) for a, b in zip(found, expected, strict=True))


def test_an_orbit_that_was_refused_is_refused_again():
    orbit = BallOrbit(ParabolicMap(T - T**2 + 5 * T**3, T, 1, 1), Integer(1), Integer(1), 0, BITS)
    for _ in range(2):
        with pytest.raises(Refused, match="cannot be shown to fall"):
            orbit.t(1)


@pytest.mark.parametrize(("formula", "low", "high", "least", "most"), [
    (T * (1 - T), "0.1", "0.9", "0.09", "0.25"),  # a top inside: T/4 at 1/2, and 0.09 at both ends
    (sin(3 * T), "0.1", "0.9", "0.29552020666133957511", "1"),  # the top is at pi/6
    (sqrt(1 - T**2) + T * acos(-T), "-1", "0.5", "0", "1.9132229549810362"),  # pi f(c) of ReLU, that branches at -1
    (T**3, "-0.5", "0.5", "-0.125", "0.125"),  # a slope that is 0 inside
])  # fmt: skip
def test_the_image_of_an_interval(formula, low, high, least, most):
    """Where the sign of the slope is not seen, parts are enclosed as a whole: little is lost."""
    with working(BITS):
        found = image(Program(formula, T, within=True), BallInterval(arb(low), arb(high)), {})
        least, most = arb(least), arb(most)
        assert found.low <= least + arb("1e-15") and found.high >= most - arb("1e-15")
        assert found.low > least - abs(least) / 500 - arb("0.002") and found.high < most + abs(most) / 500


@pytest.mark.parametrize("formula", [
    sqrt(1 - T), asin(T), log(1 - T), (1 - T) ** Rational(1, 3), LambertW(-T / 2), T + 0 * sin(T) + sqrt(1 - T) ** 3,
    1 / sqrt(1 - T), atan(log(1 - T)),
])  # fmt: skip
def test_no_slope_is_seen_where_the_function_is_not_real(formula):
    with working(BITS):
        for low, high in (("0.5", "1.5"), ("1.25", "1.5"), ("2", "2")):
            assert not Program(formula, T).slope(arb(low).union(arb(high))).is_finite()
