"""Hyperbolic theorems: linear recursions along the orbit, planted errors, and bounds along plain mpmath iterations."""

from functools import cache

import mpmath
import pytest
from mpmath import mp
from sympy import Integer, Rational, Symbol, exp, log, sin, symbols

from asympt.balls.arithmetic import Refused
from asympt.balls.geometric import GeometricLaw, GeometricProver
from asympt.balls.koenigs import HyperbolicMap
from asympt.balls.orbit import LinearAlong
from asympt.recursions import Recursion
from asympt.recursions.protocol import T

X = Symbol("x")
C, D = symbols("C D", real=True)
HALF, ONE = Rational(1, 2), Integer(1)
SECOND, THIRD = (Integer(2), 0), (Integer(3), 0)  # remainders
MOEBIUS = T / (2 - T)  # U = t/(1 - t), t_l = z/(1 + z), z = C/2^l
CASES = {  # G, lambda, b, a_0, terms; in mpmath: G, lambda, b
    "resonant": (X / 2 - X**2 / 3, HALF - 2 * X / 3, 1 + X, 1, 3,
                 lambda x: x / 2 - x * x / 3, lambda x: mp.mpf(1) / 2 - 2 * x / 3, lambda x: 1 + x),
    "sums": (sin(X) / 2, 1, X, 0, 3, lambda x: mp.sin(x) / 2, lambda x: 1, lambda x: x),
    "another base": (X / 3 - X**2 / 9, HALF + X / 5, X, 1, 3,
                     lambda x: x / 3 - x * x / 9, lambda x: mp.mpf(1) / 2 + x / 5, lambda x: x),
    "square": (X / 2 - X**2 / 4, Rational(1, 4), X**2, 1, 3,
               lambda x: x / 2 - x * x / 4, lambda x: mp.mpf(1) / 4, lambda x: x * x),
    "growing": (X / 2 - X**2 / 4, 2 - X, exp(X), 1, 3,
                lambda x: x / 2 - x * x / 4, lambda x: 2 - x, mp.exp),
    "negative": (-X / 2 + X**2 / 5, -HALF + X, 1 - X, 1, 3,
                 lambda x: -x / 2 + x * x / 5, lambda x: -mp.mpf(1) / 2 + x, lambda x: 1 - x),
}  # fmt: skip


@cache
def law_of(name: str):
    map_, multiplier, forcing, start, terms, *_ = CASES[name]
    return Recursion(map_, X).linear_law(multiplier, forcing, start, terms=terms)


def orbit(name: str, start, last: int):
    """(n, a_n), iterated here."""
    *_, a, _, step, slope, source = CASES[name]
    x, a = mp.mpf(start), mp.mpf(a)
    for n in range(1, last + 1):
        x, a = step(x), slope(x) * a + source(x)
        yield n, a


@pytest.mark.parametrize("name", CASES)
def test_bound_holds_along_a_linear_recursion(name):
    law, start = law_of(name), HALF
    certificate = law.certificate(start=start)
    c, d, n = law.constant_symbols["C"], law.constant_symbols["D"], law.depth_variable
    with mp.workdps(50):
        constants = {c: law.connection_constant(start=start, digits=40), d: law.second_constant(start=start, digits=40)}
        for (low, high), value in zip(
            (certificate.connection_constant, certificate.second_constant), constants.values(), strict=True
        ):
            assert low <= value <= high
        printed, monomial, worst = law.to_sympy().subs(constants), abs(certificate.monomial), 0
        for depth, a in orbit(name, start, 14):  # deeper, the constants have too few digits
            if depth >= certificate.valid_from:
                here, size = (mp.mpf(e.subs(n, depth).evalf(50)._mpf_) for e in (printed, monomial))
                worst = max(worst, abs(a - here) / size)
    assert worst <= float(certificate.constant) <= 1.5 * worst


@pytest.mark.parametrize("name", ["resonant", "another base", "negative"])
def test_values_are_enclosed(name):
    with mp.workdps(60):
        for depth, a in orbit(name, HALF, 30):
            if depth in (3, 12, 30):
                low, high = law_of(name).enclose(depth, start=HALF, digits=30)
                assert low <= a <= high
    low, high = law_of(name).enclose(10**9, start=HALF, digits=30)
    assert high - low <= abs(high) * mpmath.mpf(10) ** -29


def test_an_interval_of_starts_costs_little_more_than_its_worst_start():
    law = law_of("resonant")
    singles = [law.certificate(start=start).constant for start in (Rational(1, 4), HALF, Rational(3, 4))]
    whole = law.certificate(start=("1/4", "3/4"))
    assert max(singles) <= whole.constant <= 2 * max(singles)


# ---- planted errors -----------------------------------------------------------------------------------


def moebius(terms=None, beyond=THIRD, **more) -> GeometricLaw:
    terms = terms or {(Integer(1), 0): C, (Integer(2), 0): -(C**2)}
    return GeometricLaw(HyperbolicMap(MOEBIUS, T, 1), 0, terms, beyond, (C, D), **more)


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
    "no disc": GeometricLaw(HyperbolicMap(2 * T, T, 1), 0, {(Integer(1), 0): C}, (Integer(2), 0), (C, D)),
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
