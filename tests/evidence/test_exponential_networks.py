"""Laws of networks off the Edge of Chaos: right ones are never refuted, whatever number of terms, planted errors are.

The right laws are right by another route as well: `asympt.depth` and random networks agree with them in `verify`.
"""

from dataclasses import replace
from functools import cache
from unittest.mock import patch

import pytest
from mpmath import mp, mpf
from sympy import Add, Max, Mul, Rational, Symbol, pi

import asympt as asy
from asympt.evidence.check import order_check, shortfall
from asympt.evidence.law_terms import function_of
from asympt.evidence.network import CORRELATIONS, transient_checks
from asympt.evidence.orbits import constancy, equations
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.orbits.equations import functional_checks
from tests.evidence.planting import DROPPED, ONE_PERCENT, changed, refuted

HALF, FIFTH = Rational(1, 2), Rational(1, 5)
x = Symbol("x", real=True)
RECTIFIED_SQUARE = asy.Activation(Max(x, 0) ** 2, x, name="max(x,0)^2")
NETWORKS = {
    "relu": ("relu", {"sigma_w": 1, "sigma_b": 1}),
    "relu, nearly critical": ("relu", {"sigma_w": Rational(13, 10), "sigma_b": HALF}),
    "relu, fast": ("relu", {"sigma_w": Rational(1, 3), "sigma_b": 1}),
    "relu, faster": ("relu", {"sigma_w": Rational(1, 100), "sigma_b": 1}),
    "relu, next to critical": ("relu", {"sigma_w": Rational(7, 5), "sigma_b": Rational(1, 10)}),
    "leaky": ("leaky_relu", {"slope": FIFTH, "sigma_w": 1, "sigma_b": 1}),
    "abs": ("abs", {"sigma_w": HALF, "sigma_b": 1}),
    "square": (RECTIFIED_SQUARE, {"sigma_w": FIFTH, "sigma_b": HALF}),
    "erf": ("erf", {"sigma_w": HALF, "sigma_b": 1}),
    "hard_tanh": ("hard_tanh", {"sigma_w": 1, "sigma_b": HALF}),
    "elu": ("elu", {"sigma_w": 1, "sigma_b": FIFTH}),
    "erf, chaotic": ("erf", {"sigma_w": 2, "sigma_b": FIFTH}),
    "relu, critical": ("relu", {}),
    "leaky, critical": ("leaky_relu", {"slope": FIFTH}),
}
LEAN = [("relu", 1), ("relu", 4), ("relu, fast", 2), ("leaky", 6), ("abs", 1)]


@cache
def law_of(name, terms):
    activation, options = NETWORKS[name]
    return asy.FeedForward(activation, **options).ntk_law(terms=terms)


def orbit(law, digits=30):
    """The constancy checks from c^1 = 1/10."""
    label, gap = CORRELATIONS[0]
    centre = 0 if law.fixed is None else law.fixed.point
    return constancy_checks(law, gap - centre, label, digits)


@pytest.mark.parametrize(("name", "terms"), LEAN[1:4])
def test_c_and_d_of_right_laws_do_not_move(name, terms):
    law = law_of(name, terms)
    for check in [*orbit(law), *functional_checks(law, nearby=True)]:
        assert check.verdict == "checked", check


@pytest.mark.parametrize("digits", [10, 80])
def test_to_other_digits(digits):
    assert [check.verdict for check in orbit(law_of("relu", 2), digits)] == ["checked", "checked"]


def test_rounding_is_no_evidence_against_a_law(monkeypatch):
    """With far too few digits to begin with, more are taken; without more to take, nothing is decided."""
    law = law_of("relu", 2)
    monkeypatch.setattr(constancy, "_cancelled", lambda law, edge: -20)
    assert [check.verdict for check in orbit(law)] == ["checked", "checked"]
    monkeypatch.setattr(constancy, "RAISED", (0,))
    assert [check.verdict for check in orbit(law)] == ["checked", "unknown"]


def test_what_the_series_leave_out_is_no_evidence_against_a_law(monkeypatch):
    """Read too early, D falls as the stated remainder allows; so it is read again closer."""
    law = law_of("relu", 1)
    honest = constancy.accurate_below
    monkeypatch.setattr(constancy, "accurate_below", lambda law, digits: 200 * honest(law, digits))
    assert [check.verdict for check in orbit(law)] == ["checked", "checked"]
    monkeypatch.setattr(constancy, "CLOSEST", 1)
    assert orbit(law)[1].verdict == "unknown"


def test_a_sum_of_thousands_of_terms_is_evaluated():
    """Coefficients of long laws; Python's compiler stops at sums nested so deep.  Expected: a geometric sum."""
    total = Mul(x, Add(*(pi * k * x**k for k in range(1, 2000)), evaluate=False), evaluate=False)
    with mp.workdps(20):
        half = mpf(1) / 2
        expected = half * mp.pi * 2  # sum of k/2^k
        assert abs(function_of(total, x)(half) - expected) < mpf(10) ** -17


def test_an_exponent_is_measured_where_it_has_settled():
    """Large coefficients behind the remainder: 0.72 short at a hundredth of the radius, and next to nothing closer."""
    law = law_of("relu, nearly critical", 7)
    for far in (mpf(1) / 100, mpf(10) ** -8):
        with patch.object(equations, "NEARBY", far):
            assert [check.verdict for check in functional_checks(law, nearby=True)] == ["checked"] * 3


def test_an_exponent_that_never_settles_decides_nothing():
    missing = shortfall(lambda t: t**3 * (10**6 if int(mp.nint(mp.log10(t))) % 8 == 2 else 1), 3, mpf(1) / 100)
    assert missing is None
    assert order_check("f = 0", missing, "").verdict == "unknown"


def test_a_small_error_shows_close_to_0():
    """One part in a million in the last coefficient of P."""
    law = law_of("relu", 2)
    particular = law.linear.particular
    wrong = changed(particular, len(particular.terms) - 1, 1 + Rational(1, 10**6))
    assert refuted(functional_checks(replace(law, linear=replace(law.linear, particular=wrong)), nearby=True))


@pytest.mark.parametrize("terms", [1, 2])
def test_rounding_in_float64_is_no_evidence_against_a_law(terms):
    """chi = 1/50: ten layers after the first the distance from the limit is smaller than float64 can show."""
    [check] = transient_checks(law_of("square", terms), depth=20_000)
    assert check.verdict == "checked", check


PLANTED = [("relu", 2), ("square", 2), ("erf", 1)]


@pytest.mark.parametrize(("name", "terms"), PLANTED)
def test_the_orbit_alone_sees_errors_of_low_order(name, terms):
    """1% in the first coefficients of S and P, in the resonance, and in the multiplier."""
    law = law_of(name, terms)
    particular, koenigs = law.linear.particular, law.koenigs
    resonant = next(k for k, (m, _) in enumerate(particular.terms) if m.logs)
    for index, factor in [(0, ONE_PERCENT), (1, ONE_PERCENT), (resonant, ONE_PERCENT), (resonant, DROPPED)]:
        planted = replace(law, linear=replace(law.linear, particular=changed(particular, index, factor)))
        assert refuted(orbit(planted, 20)), index
    for wrong in (
        replace(koenigs, expansion=changed(koenigs.expansion, 1, ONE_PERCENT)),
        replace(koenigs, multiplier=koenigs.multiplier * ONE_PERCENT),
    ):
        assert refuted(orbit(law.changed(koenigs=wrong), 20))


NEAR_ONE = [("erf", Rational(13, 10), Rational(1, 10)), ("sin", Rational(6, 5), Rational(1, 10))]


@pytest.mark.parametrize(("phi", "sigma_w", "sigma_b"), NEAR_ONE)
@pytest.mark.parametrize("terms", [2])
def test_rounding_is_seen_as_such(phi, sigma_w, sigma_b, terms):
    """Right laws about c* < 1 are not refuted by float64, however slowly they approach."""
    [check] = transient_checks(asy.FeedForward(phi, sigma_w=sigma_w, sigma_b=sigma_b).correlation_law(terms), 10**6)
    assert check.verdict == "checked"
    assert check.figure < 0.7 * check.bound
