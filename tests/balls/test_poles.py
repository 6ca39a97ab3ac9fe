"""Activations that are rational on both sides of 0: means, derivatives in q, maps, theorems in every phase.

Independent routes: quadrature in mpmath for the means and for their derivatives, the correlation map of
`asympt.meanfield` (quadrature in the plane) and its iteration.
"""

from contextlib import nullcontext
from functools import cache

import pytest
from flint import arb
from mpmath import mp
from sympy import Integer, Piecewise, Rational, Symbol, exp, sqrt

import asympt as asy
from asympt.balls.arithmetic import Refused, of_mpf, working
from asympt.balls.breaks import PolePiece, half_means
from asympt.balls.expression import number
from asympt.balls.kinks import e_
from asympt.balls.laws import FormalLaw
from asympt.balls.printed import PrintedTerm
from asympt.balls.theorem import Prover
from asympt.meanfield.enclosed import kernel_map

X = Symbol("x", real=True)
BITS = 128
START = Rational(1, 10)
RIGHT = PolePiece.of((2 * X + 1) / (X + Rational(1, 3)) ** 2 + X / 5, X, Integer(0), None)
ONE_SIDED = asy.Activation(Piecewise((X / 2, X < 0), (X / (2 * (1 + 3 * X) ** 2), True)), X, name="one-sided")


@cache
def network(name: str) -> asy.FeedForward:
    if name == "edge":
        return asy.FeedForward.on_edge_of_chaos("softsign", sigma_b=Rational(1, 5))
    phi = ONE_SIDED if name == "one-sided" else "softsign"
    weight, bias = (3, Rational(1, 5)) if name == "chaotic" else (1, 1)
    return asy.FeedForward(phi, sigma_w=weight, sigma_b=bias)


@pytest.mark.parametrize("q", ["1/50", "1", "9"])
def test_means_are_those_of_the_quadrature(q):
    with mp.workdps(40), working(BITS):
        root = mp.sqrt(mp.mpf(Rational(q).p) / Rational(q).q)
        found = half_means(Rational(1, 2), number(Rational(q)), -70)
        for m in (-70, -9, -2, -1, 0, 1, 2):
            quadrature = mp.quad(lambda z, m=m: (root * z + 0.5) ** m * mp.npdf(z), [0, 0.01, 0.1, 1, 4, 16])
            assert found[m].rel_accuracy_bits() > BITS // 2
            assert abs(found[m] / of_mpf(quadrature) - 1) < 1e-25


def test_a_wide_ball_of_the_variance_holds_the_means_of_all_in_it():
    with working(BITS):
        wide = half_means(Rational(1), arb("1", "1e-3"), -40)
        for q in ("0.9991", "1", "1.0009"):
            exact = half_means(Rational(1), arb(q), -40)
            assert all(wide[m].contains(exact[m].mid()) for m in exact)
        assert 0 < wide[-40].rad() < abs(wide[-40].mid())


def test_derivatives_are_bounded_by_their_bound():
    with working(BITS):
        for j in (1, 2, 7):
            most = RIGHT.largest(j) * (1 + arb(2) ** -90)
            assert all(abs(RIGHT.at(j, arb(x))) <= most for x in ("0", "0.01", "1", "50"))


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (exp(X), "rational on both"), (1 / (X**2 + 3 * X + 2), "more than one pole"),
        (1 / (X - 1), "not a rational number"), (1 / (X + sqrt(2)), "not a rational number"),
        (X**3 / (X + 1), "faster than a straight line"),
    ],
)  # fmt: skip
def test_other_functions_are_refused(formula, message):
    with pytest.raises(Refused, match=message):
        PolePiece.of(formula, X, Integer(0), None)


def test_the_kernel_of_training_is_proved():
    certificate = network("edge").ntk_law(terms=1).certificate(correlation=START)
    assert 0 < certificate.constant < 10 and certificate.recheck()


def test_numbers_are_proved_to_few_digits_and_refused_beyond():
    law = network("edge").correlation_law()
    low, high = law.enclose(depth=10**6, correlation=START, digits=10)
    assert low < mp.mpf("2.0008246932743e-6") < high and high - low < 1e-16
    assert law.evaluated(depth=3, correlation=START).trust == "library"
    with pytest.raises(asy.errors.UnsupportedError, match="about 12 digits; ask for fewer"):
        law.enclose(depth=10**6, correlation=START, digits=30)


def test_a_side_may_be_zero():
    law = asy.FeedForward.on_edge_of_chaos("max(x, 0)/(1 + max(x, 0))", sigma_b=Rational(1, 5)).correlation_law(terms=2)
    low, high = law.enclose(12, correlation="3/10", digits=12)  # 0.031677: midpoint sums at 2000^2 points
    assert low <= law.evaluate(depth=12, correlation="3/10", digits=12) <= high and abs(high - 0.031677) < 1e-5


def test_a_planted_coefficient_is_refuted():
    e4, e5, second = e_(4), e_(5), Rational(3, 2)
    constants, map_ = (Symbol("C", real=True), Symbol("D", real=True)), kernel_map(network("edge").layer)
    for factor, is_true in ((1, True), (Rational(101, 100), False)):
        terms = [PrintedTerm(1 / e4, Integer(1), 0), PrintedTerm(-2 * factor * e5 / e4 ** Rational(5, 2), second, 0)]
        law = FormalLaw(map_, 1, terms, PrintedTerm(1, Integer(2), 1), constants, exponent=2)
        with nullcontext() if is_true else pytest.raises(ValueError, match=r".{20}"):
            Prover(law, 1 - START, 1 - START).prove(layers=(4000,))
