"""Laws as theorems: the constants that a derivation on paper with another program gave, and what a theorem must refuse.

The expected bounds are those of a separate computation in balls of 200 bits (its own code, N and circles); the true
suprema come from iterating the recursions in mpmath.
"""

from flint import arb
from mpmath import mp
from sympy import Integer, Rational, asin, pi, sqrt, symbols

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
