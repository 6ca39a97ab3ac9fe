"""A law with an error in it gets no certificate, and a bound that is made smaller does not pass a second proof.

Errors of printed terms are seen by exact algebra, those of the map, of h and of the region by the proof in balls.
"""

from dataclasses import replace
from decimal import Decimal
from functools import cache

import pytest
from flint import arb
from sympy import Integer, Rational, Symbol, cos, exp, log, oo, sin, tanh

import asympt as asy
from asympt.expansions import Expansion
from asympt.recursions import Recursion

X = Symbol("x", positive=True)
HALF, CORRELATION = Rational(1, 2), {"correlation": "1/10"}
LAWS = {  # the law and a start
    "sin": (lambda: Recursion(sin(X), X).law(terms=3), {"start": 1}),
    "log(1+x)": (lambda: Recursion(log(1 + X), X).law(terms=3), {"start": 2}),
    "x - x^2": (lambda: Recursion(X - X**2, X).law(terms=3), {"start": HALF}),
    "x - x^(3/2)": (lambda: Recursion(X - X ** (3 * HALF), X).law(terms=2), {"start": HALF / 2}),
    "tanh": (lambda: Recursion(tanh(X), X).law(terms=2), {"start": 1}),
    "x + 1/x": (lambda: Recursion(X + 1 / X, X, oo).law(terms=2), {"start": 2}),
    "x exp(-x)": (lambda: Recursion(X * exp(-X), X).law(terms=2), {"start": 1}),
    "harmonic": (lambda: Recursion(X / (1 + X), X).linear_law(1, X, 0, terms=3), {"start": 1}),
    "relu": (lambda: asy.FeedForward("relu").correlation_law(terms=3), CORRELATION),
    "relu ntk": (lambda: asy.FeedForward("relu").ntk_law(terms=2), CORRELATION),
    "residual ntk": (lambda: asy.ResNet("relu").ntk_law(terms=2), CORRELATION),
    "leaky ntk": (lambda: asy.FeedForward("leaky_relu", slope=Rational(1, 10)).ntk_law(terms=2), CORRELATION),
    "x/2 - x^2/3": (lambda: Recursion(X / 2 - X**2 / 3, X).law(terms=3), {"start": 1}),
    "-x/2 + x^2/3": (lambda: Recursion(-X / 2 + X**2 / 3, X).law(terms=2), {"start": HALF}),
    "cos": (lambda: Recursion(cos(X), X, None).law(terms=2), {"start": 1}),
}  # fmt: skip


@cache
def law_of(name: str):
    return LAWS[name][0]()


def rebuilt(law, coefficients: dict, remainder=None):
    return replace(law, expansion=Expansion.build(law.expansion.scale, coefficients, remainder or law.remainder))


FACTORS = {
    "1% more": Rational(101, 100), "1e-90 more": 1 + Rational(1, 10**90), "the other sign": Integer(-1),
    "missing": Integer(0),
}  # fmt: skip
COUNTS = {
    "sin": 3, "log(1+x)": 3, "x - x^2": 3, "x - x^(3/2)": 2, "tanh": 2, "x + 1/x": 2, "x exp(-x)": 2, "harmonic": 3,
    "relu": 3, "relu ntk": 2, "residual ntk": 2, "leaky ntk": 2, "x/2 - x^2/3": 3, "-x/2 + x^2/3": 2, "cos": 2,
}  # fmt: skip
TERMS = [(name, place, factor) for name, count in COUNTS.items() for place in range(count) for factor in FACTORS]


@pytest.mark.parametrize(("name", "place", "factor"), TERMS)
def test_terms_must_be_those_of_the_series(name, place, factor):
    """Also a logarithm that is dropped, a residue that is 0, the wrong sign; 10^-90 is below every ball."""
    law = law_of(name)
    coefficients = dict(law.expansion.coefficients)
    monomial = sorted(coefficients, reverse=True)[place]
    coefficients[monomial] = coefficients[monomial] * FACTORS[factor]
    with pytest.raises(ValueError):
        rebuilt(law, coefficients).certificate(**LAWS[name][1])


@pytest.mark.parametrize("name", COUNTS)
def test_a_remainder_one_step_too_small_is_refused(name):
    """The law with one term less, and the remainder of the whole law."""
    law = law_of(name)
    kept = dict(law.expansion.coefficients)
    kept.pop(min(kept))
    with pytest.raises(ValueError):
        rebuilt(law, kept).certificate(**LAWS[name][1])


SHARP = ("sin", "x - x^2", "x exp(-x)", "relu", "relu ntk", "x/2 - x^2/3", "cos")


@cache
def certificate_of(name: str):
    return law_of(name).certificate(**LAWS[name][1])


@pytest.mark.parametrize("name", SHARP)
def test_a_bound_made_smaller_does_not_pass_a_second_proof(name):
    certificate = certificate_of(name)
    smaller = certificate.constant * Decimal("0.99")
    assert not replace(certificate, proof=replace(certificate.proof, constant=smaller)).recheck()
    assert certificate.recheck()


@pytest.mark.parametrize("name", [name for name in SHARP if name != "relu ntk"])
def test_a_wrong_constant_does_not_pass_a_second_proof(name):
    certificate = certificate_of(name)
    wrong = certificate.proof.connection * arb("1.01")
    assert not replace(certificate, proof=replace(certificate.proof, connection=wrong)).recheck()


def prove(asked, start, **choices):
    return asked.prover(start, start, **choices).prove()


RADII = [(name, radius) for name in SHARP for radius in ("50", "400")]


@pytest.mark.parametrize(("name", "radius"), RADII)
def test_a_disc_that_is_too_large_is_refused(name, radius):
    certificate = certificate_of(name)
    with pytest.raises(ValueError):
        prove(certificate.asked, certificate.distances[0], radius=arb(radius))


MAPS = {
    "multiplier 1e-30 less": lambda f, t: f * (1 - Rational(1, 10**30)),
    "multiplier 1e-30 more": lambda f, t: f * (1 + Rational(1, 10**30)),
    "the other sign": lambda f, t: -f,
    "second coefficient": lambda f, t: f + t**2 / 100,
}


@pytest.mark.parametrize("change", MAPS)
@pytest.mark.parametrize("name", ["sin", "x - x^2", "x exp(-x)"])
def test_another_map_is_refused(name, change):
    certificate = certificate_of(name)
    asked, t = certificate.asked, certificate.asked.map_.symbol
    other = replace(asked.map_, formula=MAPS[change](asked.map_.formula, t), _germs={})
    with pytest.raises(ValueError):
        prove(replace(asked, map_=other), certificate.distances[0])


@pytest.mark.parametrize("name", ["relu ntk", "residual ntk", "leaky ntk", "harmonic"])
@pytest.mark.parametrize("step", [-1, 1])
def test_a_wrong_power_of_the_homogeneous_solution_is_refused(name, step):
    """h of the linear recursion, where the resonance is."""
    law, start = law_of(name), law_of(name)._start(LAWS[name][1])
    with pytest.raises(ValueError):
        prove(replace(law.asked, power=law.asked.power + step), start)
