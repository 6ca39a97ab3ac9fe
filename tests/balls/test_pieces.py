"""Activations in pieces (kinks, curves that meet, poles): means beside a breakpoint, maps, series, theorems.

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
from asympt.meanfield.enclosed import kernel_map
from tests.balls.test_kinks import network as kinked
from tests.balls.test_poles import network as rational

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
def beside(name: str) -> asy.FeedForward:
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


def test_a_constant_of_several_terms_is_their_sum():
    """1 + sqrt(2) beside a breakpoint: its second term took the place of the first in the map, and what was printed
    as proved was wrong (1.14353 at depth 2)."""
    assert FormulaPiece.of(CAP, X, CAP, None).powers == {0: CAP}
    assert FormulaPiece.of((CAP * X + exp(X) * CAP).expand(), X, None, CAP).rates == {Integer(1): CAP}
    law, f = beside("cap").correlation_law(terms=1), beside("cap").correlation_map
    with mp.workdps(20):
        gap = mp.mpf(3) / 2
        for depth in (2, 3):
            gap = f.gap(gap)
            assert abs(law.evaluated(depth, correlation="-1/2", digits=15).value - gap) < 1e-13


MAPS = {  # the network, the interval of a series and its length, the layers that are iterated
    **{name: (kinked, "0.2", 28, 40 if "ordered" not in name else 12) for name in (
        "hard_tanh", "relu6", "elu", "hard_tanh, ordered", "uneven, ordered")},
    "softshrink, ordered": (kinked, "0.0625", 28, 12),
    **{name: (beside, "0.0625", 20, 11) for name in ("swish", "swish, edge", "quadratic", "exponential", "cap")},
    "edge": (rational, "0.125", 16, 11), "ordered": (rational, "0.125", 16, 11),
    "one-sided": (rational, "0.03", 16, 3), "chaotic": (rational, "0.03", 16, 11),
}  # fmt: skip
maps = pytest.mark.parametrize("name", MAPS)


def network(name: str):
    return MAPS[name][0](name)


@maps
def test_values_are_those_of_the_map_in_mpmath(name):
    f, map_ = network(name).correlation_map, kernel_map(network(name).layer)
    for t in ("0.01", "0.12", "0.8"):
        with mp.workdps(25), working(BITS):
            found = map_.program.value(arb(t))
            assert found.rad() < 1e-6 and found.overlaps(of_mpf(f.gap(mp.mpf(t) ** 2)) + arb(0, 1e-17))


@maps
def test_levels_and_hermite_sums_agree_within_their_remainders(name):
    """Two routes to f and f' that share only the balls of q and sigma_w."""
    _, reach, terms, _ = MAPS[name]
    map_ = kernel_map(network(name).layer)
    with working(BITS):
        t = arb(reach) * arb("0.95")
        for d in (0, 1):
            near, far = map_.level(d, BITS, terms, span_of(arb(reach))).at(t), map_.numbers(BITS).far(d, t**2)
            assert near.rad() < 1e-4 and far.rad() < 1e-2 and near.overlaps(far)


@maps
def test_bound_holds_along_the_layers(name):
    """C is somewhere in its interval."""
    law, f = network(name).correlation_law(terms=2), network(name).correlation_map
    certificate = law.certificate(correlation=START)
    formula, symbol = law.expansion.without_remainder().to_sympy(), law.constant_symbols["C"]
    with mp.workdps(25):
        gap = 1 - mp.mpf(START.p) / START.q
        for depth in range(1, MAPS[name][3] + 1):
            if depth >= certificate.valid_from:
                at = [formula.subs({symbol: c, law.depth_variable: depth}) for c in certificate.connection_constant]
                low, high = sorted(mp.mpf(value.evalf(20)) for value in at)
                size = mp.mpf(abs(certificate.monomial.subs(law.depth_variable, depth).evalf(20)))
                most = mp.mpf(str(certificate.constant)) * size * (1 + mp.mpf(10) ** -8)
                assert low - most <= gap <= high + most
                assert high - low < most or depth > 2
            gap = f.gap(gap)
