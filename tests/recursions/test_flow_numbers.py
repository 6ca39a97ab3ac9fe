"""Numbers of laws of falling steps that are proved, held against routes that know no balls.

Expected: x and k iterated in mpmath as this file and `falling_steps` write them down; in deep
layers and for the constants the two routes of mpmath.
"""

from functools import cache

import pytest
from flint import arb, arb_poly
from mpmath import mp, mpf
from sympy import Rational, exp, sin, symbols

from asympt.balls.arithmetic import midpoint, working
from asympt.balls.flows.numbers import CurveProof, OrbitCurve, Window, _curve
from asympt.errors import PrecisionError
from asympt.recursions.non_autonomous import DrivenRecursion
from tests.recursions.falling_steps import orbit, relu_pair
from tests.recursions.test_flow_certificate import NETWORKS

X, L = symbols("x l", positive=True)
DEPTHS = (2, 17, 100, 700)

RECURSIONS = {  # h, step, first layer, start; h and step by hand
    "x^2": (X**2, 1 / (L + 1), 0, "1/2", lambda x: x**2, lambda n: 1 / (n + 1)),
    "sin(x)^2": (sin(X) ** 2, 2 / L, 1, "2/5", lambda x: mp.sin(x) ** 2, lambda n: 2 / n),
    "x^(3/2) (1 + x/3)": (X ** Rational(3, 2) * (1 + X / 3), 1 / (L + 2), 1, "1/10",
                          lambda x: x * mp.sqrt(x) * (1 + x / 3), lambda n: 1 / (n + 2)),
    "x^3 exp(x)": (X**3 * exp(X), 3 / L, 1, "2/5", lambda x: x**3 * mp.exp(x), lambda n: 3 / n),
}  # fmt: skip


@cache
def law_of(name: str):
    h, step, first, *_ = RECURSIONS[name]
    return DrivenRecursion(h, X, step, L, first=first).law(terms=2)


def by_hand(name: str, depth: int):
    *_, first, start, drift, size = RECURSIONS[name]
    return orbit(drift, size, mpf(Rational(start).p) / Rational(start).q, depth + 1, first)[depth]


@pytest.mark.parametrize("name", RECURSIONS)
def test_layers_that_are_iterated_to(name):
    for depth in DEPTHS:
        found = law_of(name).evaluated(depth, start=RECURSIONS[name][3], digits=25)
        low, high = law_of(name).enclose(depth, start=RECURSIONS[name][3], digits=25)
        with mp.workdps(45):
            expected = by_hand(name, depth)
            assert found.trust == "library" and abs(found.value / expected - 1) < mpf(10) ** -25
            assert low <= expected <= high < low * (1 + mpf(10) ** -25)


FAR = 12_000


@pytest.mark.parametrize("name", RECURSIONS)
def test_the_curve_is_near_the_orbit(name):
    """20 digits in layers far beyond the first of the curve, by plain iteration."""
    start = RECURSIONS[name][3]
    with mp.workdps(35):
        for depth in (1001, FAR):
            found, expected = law_of(name).evaluated(depth, start=start, digits=20), by_hand(name, depth)
            assert found.trust == "library" and abs(found.value / expected - 1) < mpf(10) ** -20


@pytest.mark.parametrize(("name", "start"), [("scaled, wide", "-1"), ("pre-norm", "1/10")])
def test_deep_layers_of_networks(name, start):
    """Plain iteration to 3000, two routes at 10^12."""
    net, weight, steps = NETWORKS[name]
    with mp.workdps(30):
        pairs = relu_pair(weight, steps, mpf(Rational(start).p) / Rational(start).q, 3001)
        for law, expected in zip((net.correlation_law(terms=1), net.ntk_law(terms=1)), pairs[3000], strict=True):
            found = law.evaluated(3000, correlation=start, digits=20)
            assert found.trust == "library" and abs(found.value / expected - 1) < mpf(10) ** -20
            deep = law.evaluated(10**12, correlation=start, digits=12)
            routes = law._value(law._start({"correlation": start}), 10**12, 14)
            assert deep.trust == "library" and abs(deep.value / routes - 1) < mpf(10) ** -12


@pytest.mark.parametrize("name", ["scaled", "pre-norm"])
def test_constants_of_a_network(name):
    law = NETWORKS[name][0].ntk_law(terms=2)
    found = law.evaluated_constants(15, second=True, correlation="1/10")
    routes = law._constants(law._start({"correlation": "1/10"}), 17, second=True)
    assert found.trust == "library"
    assert all(abs(a / b - 1) < mpf(10) ** -14 for a, b in zip(found.value, routes, strict=True))


@cache
def begun(digits: int = 12):
    """A curve for h = x^2, delta_l = 1/(l + 1) from layer 1000 on."""
    return _curve(law_of("x^2").asked, Rational(1, 2), digits)


def rebuilt(curve, change, digits: int):
    """The proof of the first piece with another polynomial in the place of t."""
    piece = curve.pieces[0]
    with working(curve.bits(piece.last), curve.length):
        window = Window(curve.theorem, piece.centre, curve.length)
        start = curve.layer, curve.state[0].mid(), None, curve.near
        return CurveProof(window, start, piece.last, piece.t + arb_poly(change), None, digits).piece()


@pytest.mark.parametrize("change", [["1e-9"], [0, "1e-9"], [0, 0, "1e-8"], ["-1e-7", 0, "1e-9"]])
def test_a_wrong_curve_is_noticed(change):
    """It is refused for the digits it has not, and the bound for the digits it has holds and is no guess."""
    curve, change = begun(), [arb(c) for c in change]
    with pytest.raises(PrecisionError, match="not near enough"):
        rebuilt(curve, change, 12)
    piece, seen = rebuilt(curve, change, 3), mpf(0)
    with mp.workdps(30):
        x = by_hand("x^2", 1000)
        for layer in range(1001, piece.last + 1):
            x -= x**2 / (layer + 1)
            with working(100):
                curved = midpoint(piece.t(arb(layer).log() - piece.centre))
            seen = max(seen, abs(curved - x))
            assert abs(curved - x) <= midpoint(piece.near.x)
        assert abs(curved - x) <= midpoint(piece.end.x)
    assert midpoint(piece.near.x) < 30 * seen


def test_a_wrong_start_does_not_enclose_the_orbit():
    """A planted error of 1e-11 in the state from which the curve begins is seen at layer 5000."""
    curve = begun()
    with working(200), mp.workdps(30):
        wrong = OrbitCurve(curve.theorem, 1000, (curve.state[0] + arb("1e-11"), None), 12)
        expected = by_hand("x^2", 5000)
        right, wrong = (made.piece(5000).at(5000, 1)[0] for made in (curve, wrong))
        assert abs(midpoint(right) - expected) <= midpoint(right.rad()) < abs(midpoint(wrong) - expected)
