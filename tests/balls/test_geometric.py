"""Hyperbolic theorems: linear recursions along the orbit, planted errors, and bounds along plain mpmath iterations."""

import time

import pytest
import sympy
from mpmath import mp
from sympy import Integer, Rational, Symbol, log, sin, symbols

from asympt.balls.arithmetic import Refused
from asympt.balls.koenigs import HyperbolicMap
from asympt.balls.laws import GeometricLaw
from asympt.balls.orbit import LinearAlong
from asympt.balls.printed import PrintedTerm
from asympt.balls.theorem import GeometricProver
from asympt.recursions import Recursion
from asympt.recursions.protocol import T

X = Symbol("x")
C, D = symbols("C D", real=True)
HALF, ONE = Rational(1, 2), Integer(1)
SECOND, THIRD = (Integer(2), 0), (Integer(3), 0)  # remainders
MOEBIUS = T / (2 - T)  # U = t/(1 - t), t_l = z/(1 + z), z = C/2^l
def test_an_interval_of_starts_costs_little_more_than_its_worst_start():
    law = Recursion(X / 2 - X**2 / 3, X).linear_law(HALF - 2 * X / 3, 1 + X, 1, terms=3)
    singles = [law.certificate(start=start).constant for start in (Rational(1, 4), HALF, Rational(3, 4))]
    whole = law.certificate(start=("1/4", "3/4"))
    assert max(singles) <= whole.constant <= 2 * max(singles)


def printed(terms: dict) -> list[PrintedTerm]:
    """{(k, s): coefficient of mu^(k l) l^s}."""
    return [PrintedTerm(coefficient, *place) for place, coefficient in terms.items()]


def moebius(terms=None, beyond=THIRD, **more) -> GeometricLaw:
    terms = terms or {(Integer(1), 0): C, (Integer(2), 0): -(C**2)}
    return GeometricLaw(HyperbolicMap(MOEBIUS, T, 1), 0, printed(terms), PrintedTerm(ONE, *beyond), (C, D), **more)


def harmonic(terms=None, power=0, multiplier=ONE, beyond=SECOND) -> GeometricLaw:
    """a' = a + t along t/(2 - t): P = c_1 t + ..., D for what remains."""
    terms = terms or {(Integer(0), 0): D, (Integer(1), 0): -2 * C}
    along = LinearAlong(multiplier, T, lambda x: 0 * x, T)
    return moebius(terms, beyond, along=along, power=power)


def test_the_laws_that_errors_are_planted_in():
    """t_l = z - z^2 + z^3 - ..., so B is C^3; a_l = D - 2 z + O(z^2), C = 1 from 1/2."""
    assert 0.9 < float(GeometricProver(moebius(), HALF, HALF).prove().constant) < 1.02
    assert float(GeometricProver(harmonic(), HALF, HALF).prove().constant) < 2


PLANTED = {
    "1% off": moebius({(Integer(1), 0): C * Rational(101, 100), (Integer(2), 0): -(C**2)}),
    "second term 1% off": moebius({(Integer(1), 0): C, (Integer(2), 0): -(C**2) * Rational(99, 100)}),
    "a term with n": moebius({(Integer(1), 0): C, (Integer(1), 1): C, (Integer(2), 0): -(C**2)}),
    "remainder one step too small": moebius(beyond=(Integer(4), 0)),
    "a term below the remainder": moebius(beyond=(Integer(2), 0)),
    "wrong limit": harmonic({(Integer(0), 0): D + Rational(1, 1000), (Integer(1), 0): -2 * C}),
    "wrong resonance": harmonic(power=1),
    "resonance unseen": harmonic(power=None),
    "D missing": harmonic({(Integer(1), 0): -2 * C}),
    "a multiplier that is not 1": harmonic(multiplier=Rational(101, 100)),
    "no disc": GeometricLaw(
        HyperbolicMap(2 * T, T, 1), 0, printed({(Integer(1), 0): C}), PrintedTerm(ONE, Integer(2), 0), (C, D)
    ),
    "a zero of lambda at the fixed point": harmonic(multiplier=T, power=None),
    "lambda with a pole": harmonic(multiplier=1 / T),
}  # fmt: skip


@pytest.mark.parametrize("law", PLANTED.values(), ids=PLANTED)
def test_planted_errors_are_refused(law):
    with pytest.raises(ValueError, match=r".{20}"):
        GeometricProver(law, HALF, HALF).prove()


def test_starts_outside_the_basin_are_refused():
    with pytest.raises(ValueError, match=r"basin|limit|lost|finite"):
        GeometricProver(moebius(), Rational(1), Rational(1)).prove()


def test_a_multiplier_that_is_minus_a_power_is_refused_in_words():
    law = Recursion(X / 2 - X**2 / 4, X).linear_law(-HALF, log(1 + X), 1, terms=2)
    with pytest.raises(Refused, match="minus a power"):
        law.certificate(start=HALF)


@pytest.mark.parametrize("multiplier", [Rational(99, 100), Rational(999, 1000)])
def test_bound_holds_where_the_multiplier_is_near_one(multiplier):
    """Against plain iteration: the arcs of a circle are too wide to see that the disc is mapped into itself."""
    law = Recursion(multiplier * sin(X), X).law(terms=2)
    certificate, c = law.certificate(start=1), law.connection_constant(start=1, digits=60)
    symbols_ = law.depth_variable, law.constant_symbols["C"]
    formula = [sympy.lambdify(symbols_, f, "mpmath") for f in (law.to_sympy(), certificate.monomial)]
    with mp.workdps(70):
        x, chi = mp.mpf(1), mp.mpf(multiplier.p) / multiplier.q
        for n in range(1, 1200):
            x = chi * mp.sin(x)
            if n >= certificate.valid_from and n % 37 == 2:
                law_here, size = (f(mp.mpf(n), c) for f in formula)
                assert abs(x - law_here) <= mp.mpf(str(certificate.constant)) * abs(size)


def test_multiplier_too_near_one_is_refused_in_a_sentence():
    for formula in (sin(X) * (1 - Rational(1, 10**6)), X * (1 - X) * (1 - Rational(1, 10**8))):
        with pytest.raises(Refused, match=r"the multiplier differs from 1 by 1.00e-[68].*start closer"):
            Recursion(formula, X).law(terms=2).certificate(start=HALF)


def test_an_interval_beyond_the_basin_is_refused_at_once():
    """x^2 + x/6 has a second fixed point at 5/6, which is repelling: from there on orbits grow like 10^(2^n)."""
    law = Recursion(Symbol("x") ** 2 + Symbol("x") / 6, Symbol("x"), 0).law(terms=2)
    begun = time.process_time()
    with pytest.raises(Refused, match="well inside"):
        law.certificate(start=("999/1000", "199801/200000"))
    assert time.process_time() - begun < 10
