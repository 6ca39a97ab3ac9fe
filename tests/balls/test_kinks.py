"""Correlation maps of activations with breakpoints: values, series and theorems.

Independent routes: the correlation map of `asympt.meanfield` in mpmath (closed forms with the bivariate normal
distribution, and quadrature) and its iteration; the coefficients e_k of the Price expansion in mpmath.
"""

from dataclasses import replace
from functools import cache

import pytest
from flint import arb
from sympy import Integer, Piecewise, Rational, Symbol, exp, sin

import asympt as asy
from asympt.balls.arithmetic import Refused, working
from asympt.balls.breaks import FormulaPiece
from asympt.balls.kinks import KinkedMap, e_
from asympt.balls.laws import FormalLaw
from asympt.balls.models import span_of
from asympt.balls.moments import SIGMA_W
from asympt.balls.printed import PrintedTerm
from asympt.balls.theorem import Prover
from asympt.meanfield.enclosed import kernel_map

X = Symbol("x", real=True)
C, D = Symbol("C", real=True), Symbol("D", real=True)
BIAS, START, HALF = Rational(1, 5), Rational(1, 10), Rational(1, 2)
BITS = 128


UNEVEN = asy.Activation(Piecewise((2 * X - HALF, Rational(1, 3) < X), (X / 2, X > -2), (-1, True)), X, name="uneven")
SOFTSHRINK = asy.Activation(Piecewise((X + HALF, X < -HALF), (X - HALF, X > HALF), (0, True)), X, name="softshrink")


@cache
def network(name: str) -> asy.FeedForward:
    if name.endswith("ordered"):
        phi = {"uneven": UNEVEN, "softshrink": SOFTSHRINK}.get(name.split(",")[0], name.split(",")[0])
        return asy.FeedForward(phi, sigma_w=HALF if phi is UNEVEN else 1, sigma_b=1)
    return asy.FeedForward.on_edge_of_chaos(name, sigma_b=BIAS)


@cache
def map_of(name: str) -> KinkedMap:
    return kernel_map(network(name).layer)


def law(terms=None, remainder=None, map_=None) -> FormalLaw:
    e4, e5 = e_(4), e_(5)
    known = [PrintedTerm(1 / e4, Integer(1), 0), PrintedTerm(-2 * e5 / e4 ** Rational(5, 2), Rational(3, 2), 0)]
    rest = remainder or PrintedTerm(1, Integer(2), 1)
    return FormalLaw(map_ or map_of("elu"), 1, terms or known, rest, (C, D), exponent=2)


def planted(k: int, factor) -> list[PrintedTerm]:
    terms = list(law().terms)
    terms[k] = replace(terms[k], coefficient=terms[k].coefficient * factor)
    return terms


def off_edge(edge):
    """sigma_w 1/10^6 off the Edge of Chaos whose parameters these are."""

    def off(bits):
        with working(bits):
            return dict(edge(bits)) | {SIGMA_W: edge(bits)[SIGMA_W] * (1 + arb(10) ** -6)}

    return off


WRONG_SIDE = [FormulaPiece({1: Integer(2)}, {}, None, Integer(0)), FormulaPiece({1: Integer(1)}, {}, Integer(0), None)]
PLANTED = {
    "leading term 1% off": lambda: law(planted(0, Rational(99, 100))),
    "e_5 of the wrong sign": lambda: law(planted(1, -1)),
    "e_5 forgotten": lambda: law(planted(0, 1)[:1]),
    "remainder one step too small": lambda: law(remainder=PrintedTerm(1, Integer(2), 0)),
    "wrong order": lambda: law(map_=replace(map_of("elu"), order=1, _found={})),
    "off the Edge of Chaos": lambda: law(
        map_=replace(map_of("elu"), parameters=off_edge(map_of("elu").parameters), _found={})),
    "another side": lambda: law(map_=replace(map_of("elu"), pieces=WRONG_SIDE, _found={})),
}  # fmt: skip


@pytest.mark.parametrize("wrong", PLANTED.values(), ids=PLANTED)
def test_planted_errors_are_refused(wrong):
    with pytest.raises(ValueError, match=r".{20}"):
        Prover(wrong(), 1 - START, 1 - START).prove(layers=(250,))


def test_sides_that_are_no_polynomials_with_exponentials_are_refused():
    assert FormulaPiece.of(2 * (exp(X) - 1) + X**2, X, None, 0) == FormulaPiece({0: -2, 2: 1}, {Integer(1): 2}, None, 0)
    for formula in (sin(X), X * exp(X), 1 / (1 - X)):
        with pytest.raises(Refused, match="neither a power nor an exponential"):
            FormulaPiece.of(formula, X, None, 0)


def test_kink_elsewhere_in_the_chaotic_phase_and_for_the_ntk():
    chaotic = asy.FeedForward("hard_tanh", sigma_w=3, sigma_b=HALF).correlation_law(terms=2)
    assert 0 < chaotic.certificate(correlation=START).constant < 0.01
    ntk = network("hard_tanh").ntk_law(terms=2).certificate(correlation=START)
    assert 0 < ntk.constant < 10


@pytest.mark.parametrize(("one", "two"), [("0.2141", "0.2149"), ("0.46", "0.4600001")])
def test_what_is_kept_belongs_to_one_interval(one, two):
    """The ball of [0, T] prints as [+/- 0.215] for both: the remainder is that of the T that was asked for."""
    spans = [span_of(arb(reach)) for reach in (one, two)]
    kept, made = map_of("elu"), [map_of("elu") for _ in spans]
    with working(BITS):
        for span, alone in zip(spans, made, strict=True):
            found, expected = kept.level(0, BITS, 8, span), replace(alone, _found={}).level(0, BITS, 8, span)
            assert found.rest.mid() == expected.rest.mid() and found.rest.rad() == expected.rest.rad()
