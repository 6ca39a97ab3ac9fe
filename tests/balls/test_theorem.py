"""Laws as theorems: the constants that a derivation on paper with another program gave, and what a theorem must refuse.

The expected bounds are those of a separate computation in balls of 200 bits (its own code, N and circles); the true
suprema come from iterating the recursions in mpmath.
"""

import mpmath
import pytest
from flint import arb
from mpmath import mp
from sympy import Integer, Max, Rational, asin, pi, sin, sqrt, symbols

from asympt.balls.arithmetic import Refused
from asympt.balls.disc import ParabolicMap
from asympt.balls.laws import FormalLaw
from asympt.balls.orbit import LinearAlong
from asympt.balls.printed import PrintedTerm
from asympt.balls.theorem import Prover
from asympt.recursions.protocol import T

RELU = T**2 - (T * sqrt(2 - T**2) - 2 * (1 - T**2) * asin(sqrt(2) * T / 2)) / pi
SLOPE = 1 - 2 * asin(sqrt(2) * T / 2) / pi
C, D = symbols("C D", real=True)
HALF = Rational(1, 2)


def of_relu(terms, remainder, **more) -> FormalLaw:
    return FormalLaw(ParabolicMap(RELU, T, 2, 1, within=True), 1, terms, remainder, (C, D), 2, **more)


def of_sine(terms, remainder) -> FormalLaw:
    return FormalLaw(ParabolicMap(sin(T), T, 1, 2), 0, terms, remainder, (C, D), 1)


def of_map(formula) -> FormalLaw:
    """1/n for a map t - t^2 + ..."""
    one = [PrintedTerm(Integer(1), Integer(1), 0)]
    return FormalLaw(ParabolicMap(formula, T, 1, 1), 0, one, PrintedTerm(1, Integer(2), 1), (C, D), 1)


LEADING = [PrintedTerm(9 * pi**2 / 2, Integer(2), 0), PrintedTerm(-27 * pi**2 / 2, Integer(3), 1)]
NTK = [PrintedTerm(Rational(1, 4), Integer(0), 0), PrintedTerm(Rational(3, 8), Integer(1), 1)]
ALONG = {"along": LinearAlong(SLOPE, 1 - RELU, lambda x: 1 - x, T, within=True), "power": 3, "average": True}
SINE = [PrintedTerm(sqrt(3), HALF, 0), PrintedTerm(-3 * sqrt(3) / 10, 3 * HALF, 1)]
ROWS = {  # law, start, the bound found elsewhere, the true supremum
    "relu": (of_relu(LEADING, PrintedTerm(1, Integer(3), 0)), "9/10", "9/10", 339.22, 322.83),
    "relu, all starts": (of_relu(LEADING, PrintedTerm(1, Integer(3), 0)), "1/10", "2", 1442.9, 1390.9),
    "relu ntk": (of_relu(NTK, PrintedTerm(1, Integer(1), 0), **ALONG), "9/10", "9/10", 0.79904, 0.78357),
    "relu ntk, all starts": (of_relu(NTK, PrintedTerm(1, Integer(1), 0), **ALONG), "1/10", "2", 3.8080, 3.7902),
    "sine": (of_sine(SINE, PrintedTerm(1, 3 * HALF, 0)), "1", "1", 2.1368, 2.1048),
    "sine, all starts": (of_sine(SINE, PrintedTerm(1, 3 * HALF, 0)), "1/2", "3/2", 9.1966, 9.05),
}


@pytest.mark.parametrize("name", ROWS)
def test_bound_is_near_the_truth(name):
    law, low, high, elsewhere, truth = ROWS[name]
    proof = Prover(law, Rational(low), Rational(high)).prove()
    assert truth <= float(proof.constant) <= 1.05 * elsewhere


def test_constant_of_relu():
    proof = Prover(of_relu(LEADING, PrintedTerm(1, Integer(3), 0)), Rational(9, 10), Rational(9, 10), terms=40).prove()
    with mp.workdps(60):
        known = arb("6.4795130535538641440180721922552713732360741179724")  # mpmath, two precisions
        assert proof.connection.overlaps(known + arb(0, 1e-48))
        assert proof.connection.rad() < 1e-48


def test_bound_holds_along_the_orbit():
    """The original recursion in mpmath, at layers that the proof has looked at and at layers that it has not."""
    law, *_ = ROWS["relu"]
    constant = Prover(law, Rational(9, 10), Rational(9, 10)).prove().constant
    with mp.workdps(40):
        gap, worst = mpmath.mpf(9) / 10, 0
        for layer in range(2, 20001):
            c = 1 - gap
            gap = gap - (mp.sqrt(1 - c * c) - c * mp.acos(c)) / mp.pi
            if layer < 300 or layer % 500 == 0:
                printed = 9 * mp.pi**2 / 2 * (mpmath.mpf(layer) ** -2 - 3 * mp.log(layer) / mpmath.mpf(layer) ** 3)
                worst = max(worst, abs(gap - printed) * layer**3)
        assert 0.9 * float(constant) < worst <= float(constant)


def refused(law, low="9/10", high=None, terms=None) -> str:
    with pytest.raises((Refused, ValueError)) as error:
        Prover(law, Rational(low), Rational(high or low), terms=terms).prove()
    return str(error.value)


PLANTED = {
    "coefficient 1% off": [LEADING[0], PrintedTerm(LEADING[1].coefficient * Rational(101, 100), Integer(3), 1)],
    "leading term 1% off": [PrintedTerm(LEADING[0].coefficient * Rational(99, 100), Integer(2), 0), LEADING[1]],
    "logarithm omitted": [LEADING[0]],
    "a term that there is not": [*LEADING[:1], PrintedTerm(Integer(1), Rational(5, 2), 0), LEADING[1]],
    "a term below the remainder": [*LEADING, PrintedTerm(Integer(1), Integer(4), 0)],
}


@pytest.mark.parametrize("terms", PLANTED.values(), ids=PLANTED)
def test_planted_errors_are_refused(terms):
    assert refused(of_relu(terms, PrintedTerm(1, Integer(3), 0)))


def test_remainder_one_step_too_small_is_refused():
    assert "coefficient" in refused(of_relu(LEADING, PrintedTerm(1, Integer(4), 2)))


def test_weaker_law_is_proved():
    proof = Prover(of_relu(LEADING[:1], PrintedTerm(1, Integer(3), 1)), Rational(9, 10), Rational(9, 10)).prove()
    assert float(proof.constant) > 27 * float(mp.pi) ** 2 / 2


def test_wrong_power_of_the_homogeneous_solution_is_refused():
    assert "t^2" in refused(of_relu(NTK, PrintedTerm(1, Integer(1), 0), **ALONG | {"power": 2}))


MAPS = {
    "a maximum": Max(T - T**2, T / 2),
    "repelling": T + T**2,
    "another multiplier": T * (1 - Rational(1, 10**30)) - T**2,
}


@pytest.mark.parametrize("formula", MAPS.values(), ids=MAPS)
def test_maps_without_the_hypotheses_are_refused(formula):
    law = of_map(formula)
    assert refused(law, "1/10")
