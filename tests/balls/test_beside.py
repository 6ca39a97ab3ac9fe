"""Curved pieces that meet elsewhere than at 0 (hard swish): means beside a breakpoint, maps, theorems.

Independent routes: quadrature in mpmath for the means, the correlation map of `asympt.meanfield` in mpmath (closed
forms, quadrature) and its iteration.
"""

from functools import cache

import pytest
from flint import arb
from mpmath import mp
from sympy import Add, Integer, Piecewise, Rational, Symbol, diff, exp, lambdify, sqrt

import asympt as asy
from asympt.balls.arithmetic import Refused, of_mpf, working
from asympt.balls.breaks import Deltas, FormulaPiece
from asympt.balls.models import span_of
from asympt.writing.proof import proof_document

X = Symbol("x", real=True)
BITS = 128
START = Rational(1, 10)
SWISH = [(Integer(0), None, Integer(-3)), (X * (X + 3) / 6, Integer(-3), Integer(3)), (X, Integer(3), None)]
MIXED = [
    (exp(X) - 1, None, Integer(1)), (X + X**2 / 5 - 2, Integer(1), Integer(2)),
    (3 * exp(-X / 2) + X**3, Integer(2), None),
]  # fmt: skip
CAP = 1 + sqrt(2)
ACTIVATIONS = {
    "swish": Piecewise((0, X < -3), (X * (X + 3) / 6, X < 3), (X, True)),
    "quadratic": Piecewise((0, X < -1), ((X + 1) ** 2 / 4, X < 1), (1, True)),
    "exponential": Piecewise((X / 2, X < 1), (1 - exp(1 - X) / 2, True)),
    "cap": Piecewise((X, CAP > X), (CAP, True)),
}


@cache
def network(name: str) -> asy.FeedForward:
    if name == "swish, edge":
        return asy.FeedForward.on_edge_of_chaos(asy.Activation(ACTIVATIONS["swish"], X, name="swish"), sigma_b=1)
    return asy.FeedForward(asy.Activation(ACTIVATIONS[name], X, name=name), sigma_w=1, sigma_b=1)


def mean_by_quadrature(formulas, place: int, j: int, q, t):
    """E[g_j(V) | U = b] in mpmath, V normal with mean (1 - t^2) b and variance q (1 - (1 - t^2)^2)."""
    b, c = mp.mpf(formulas[place][2]), 1 - t * t
    spread, total = mp.sqrt(q * (1 - c * c)), mp.mpf(0)
    for formula, low, high in formulas:
        ends = [default if end is None else (mp.mpf(end) - c * b) / spread
                for end, default in ((low, -mp.inf), (high, mp.inf))]  # fmt: skip
        points = [max(ends[0], mp.mpf(-40)), *(z for z in range(-38, 40, 2) if ends[0] < z < ends[1])]
        points.append(min(ends[1], mp.mpf(40)))
        if points[-1] > points[0]:
            g = lambdify(X, diff(formula, X, j), "mpmath")
            total += mp.quad(lambda z, g=g, m=c * b: g(m + spread * z) * mp.npdf(z), points)
    return total


@pytest.mark.parametrize("formulas", [SWISH, MIXED], ids=["swish", "mixed"])
@pytest.mark.parametrize("reach", ["0.125", "0.5"])
def test_means_beside_a_breakpoint_are_those_of_the_quadrature(formulas, reach):
    pieces = [FormulaPiece.of(*(Add(formula), X, low, high)) for formula, low, high in formulas]
    with mp.workdps(30), working(BITS):
        deltas = Deltas.of(pieces, arb("0.7"), 24, span_of(arb(reach)))
        for place in range(len(pieces) - 1):
            for j in (1, 2, 3):
                model = deltas._mean(place, j)
                for t in (mp.mpf(reach), mp.mpf(reach) / 3):
                    ball = of_mpf(t)
                    found = model.poly(ball) * ball**model.order + model.rest * ball ** (model.order + model.length)
                    expected = mean_by_quadrature(formulas, place, j, mp.mpf("0.7"), t)
                    assert found.overlaps(of_mpf(expected) + arb(0, 1e-18))
                    assert reach != "0.125" or found.rad() < 1e-3


def test_breakpoints_too_near_for_the_interval_are_refused():
    pieces = [FormulaPiece.of(*piece) for piece in (
        (X**2, X, None, Integer(5)), (10 * X - 25, X, Integer(5), Rational(51, 10)),
        (X**2 - Rational(1, 100) - X / 5, X, Rational(51, 10), None))]  # fmt: skip
    with working(BITS), pytest.raises(Refused, match="too near to each other"):
        Deltas.of(pieces, arb(1), 8, span_of(arb("0.5"))).between(1)


def test_the_document_says_how_the_mean_beside_a_breakpoint_is_bounded():
    certificate = network("quadratic").correlation_law(terms=1).certificate(correlation=START)
    document = str(proof_document(certificate))
    assert r"\exp(-d^2/(8 q t^2))" in document and "either side of $b = 0$" not in document


def test_a_constant_of_several_terms_is_their_sum():
    """1 + sqrt(2) beside a breakpoint: its second term took the place of the first in the map, and what was printed
    as proved was wrong (1.14353 at depth 2)."""
    assert FormulaPiece.of(CAP, X, CAP, None).powers == {0: CAP}
    assert FormulaPiece.of((CAP * X + exp(X) * CAP).expand(), X, None, CAP).rates == {Integer(1): CAP}
    law, f = network("cap").correlation_law(terms=1), network("cap").correlation_map
    with mp.workdps(20):
        gap = mp.mpf(3) / 2
        for depth in (2, 3):
            gap = f.gap(gap)
            assert abs(law.evaluated(depth, correlation="-1/2", digits=15).value - gap) < 1e-13
