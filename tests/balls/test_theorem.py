"""Laws as theorems: the constants that a derivation on paper with another program gave, and what a theorem must refuse.

The expected bounds are those of a separate computation in balls of 200 bits (its own code, N and circles); the true
suprema come from iterating the recursions in mpmath.
"""

from random import Random

import pytest
from flint import arb
from mpmath import mp
from sympy import Integer, Rational, Symbol, asin, lambdify, pi, sin, sqrt, symbols

import asympt as asy
from asympt.balls.disc import ParabolicMap
from asympt.balls.laws import FormalLaw
from asympt.balls.printed import PrintedTerm
from asympt.balls.theorem import Prover
from asympt.recursions.protocol import T

RELU = T**2 - (T * sqrt(2 - T**2) - 2 * (1 - T**2) * asin(sqrt(2) * T / 2)) / pi
C, D = symbols("C D", real=True)


def of_relu(terms, remainder, **more) -> FormalLaw:
    return FormalLaw(ParabolicMap(RELU, T, 2, 1, within=True), 1, terms, remainder, (C, D), 2, **more)


LEADING = [PrintedTerm(9 * pi**2 / 2, Integer(2), 0), PrintedTerm(-27 * pi**2 / 2, Integer(3), 1)]


def test_constant_of_relu():
    proof = Prover(of_relu(LEADING, PrintedTerm(1, Integer(3), 0)), Rational(9, 10), Rational(9, 10), terms=40).prove()
    with mp.workdps(60):
        known = arb("6.4795130535538641440180721922552713732360741179724")  # mpmath, two precisions
        assert proof.connection.overlaps(known + arb(0, 1e-48))
        assert proof.connection.rad() < 1e-48


def test_weaker_law_is_proved():
    proof = Prover(of_relu(LEADING[:1], PrintedTerm(1, Integer(3), 1)), Rational(9, 10), Rational(9, 10)).prove()
    assert float(proof.constant) > 27 * float(mp.pi) ** 2 / 2


X = Symbol("x")


@pytest.mark.parametrize(("map_", "clock", "ends"), [
    (X - X**2, lambda x: 1 / x + mp.log(x), ("1/10", "9/10")),
    (sin(X), lambda x: 3 / x**2 + 6 * mp.log(x) / 5, ("1/2", "3/2")),
])  # fmt: skip
@pytest.mark.parametrize("terms", [3, 4, 6])
def test_bound_of_an_interval_holds_at_its_ends_and_between(map_, clock, ends, terms):
    """Starts are followed in mpmath; C is the clock of a late layer, less the layer."""
    theorem = asy.Recursion(map_, X).law(terms=terms).certificate(start=ends)
    n, c = theorem.law.depth_variable, theorem.law.constant_symbols["C"]
    law, unit = lambdify((n, c), theorem.law.expansion.without_remainder().to_sympy()), lambdify(n, theorem.monomial)
    step, worst = lambdify(X, map_, "mpmath"), 0.0
    low, high = map(Rational, ends)
    for share in (0, 1, *(Random(terms).random() for _ in range(2))):
        orbit = [mp.mpf(low.p) / low.q + share * mp.mpf((high - low).p) / (high - low).q]
        for _ in range(20_000):
            orbit.append(step(orbit[-1]))
        late = float(clock(orbit[-1]) - 20_000)
        worst = max(worst, *(abs(float(orbit[k]) - law(k, late)) / unit(k) for k in range(2, 300)))
    assert 0.85 * float(theorem.constant) < worst <= float(theorem.constant) * (1 + 1e-3)
