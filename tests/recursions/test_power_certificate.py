"""Theorems about laws of steps like l^-kappa, kappa < 1, held against the recursions themselves.

Expected: x and k iterated in mpmath as this file writes them down, layer by layer; beyond that the numbers of
`evaluate` and of the constants, which two routes of mpmath agree upon and which know no balls.
"""

import random
from decimal import Decimal

import pytest
from flint import arb
from mpmath import mp, mpf
from sympy import Rational, exp, log, sin, sqrt

import asympt as asy
from asympt.architectures.scaled.sums import MixingSteps
from asympt.balls.arithmetic import working
from asympt.balls.flows.power_law import PowerClock, sum_constant
from asympt.errors import UnsupportedError
from asympt.recursions.coordinates.flow_time.series import time_at
from asympt.recursions.non_autonomous import DrivenRecursion
from tests.recursions.falling_steps import CHANGES, Falling, L, X, deviations, orbit, planted, relu_pair

LAYERS, FAR = 2000, 10**12
DEEP = FAR, 30, 0.5
THIRD, HALF = Rational(1, 3), Rational(1, 2)

# h, step, start, terms: m = 1 and 2, log l and none, a root of x, terms down to 1/l of the first; that their bounds
# hold is seen in `test_flow_certificate`
RECURSIONS = {
    "x^2": Falling(X**2, L**-HALF, "1/2", 2, *DEEP),
    "x^2 (1 + x)": Falling(X**2 * (1 + X), 2 * L**-THIRD, "1/5", 2, *DEEP),
    "sin(x)^2": Falling(sin(X) ** 2, Rational(2, 3) * L ** Rational(-3, 4), "1/20", 4, *DEEP),
    "x^(3/2) (1 + x/3)": Falling(X ** Rational(3, 2) * (1 + X / 3), L**-HALF, "1/10", 2, *DEEP),
    "x^3 exp(x)": Falling(X**3 * exp(X), L ** Rational(-2, 3), "2/5", 2, *DEEP),
    "x log(1 + x)": Falling(X * log(1 + X), HALF * L ** Rational(-1, 4), "2/5", 1, *DEEP),
}  # fmt: skip


NETWORKS = {  # the network, the weight of the kink, delta_l by hand
    "1/2": (asy.ScaledResNet("relu", sigma_w=sqrt(2), kappa=HALF), 1, lambda n: 1 / (mp.sqrt(n) + 1)),
    "2/3": (asy.ScaledResNet("relu", sigma_w=sqrt(5), kappa=Rational(2, 3)), 1,
            lambda n: mpf("2.5") / (mp.cbrt(n) ** 2 + mpf("2.5"))),
    "1/3": (asy.ScaledResNet("leaky_relu", sigma_w=1, slope=Rational(1, 5), kappa=THIRD), mpf(16) / 26,
            lambda n: mpf("0.52") / (mp.cbrt(n) + mpf("0.52"))),
    "3/4": (asy.ScaledResNet("relu", sigma_w=1, kappa=Rational(3, 4)), 1,
            lambda n: mpf("0.5") / (mp.root(n, 4) ** 3 + mpf("0.5"))),
}  # fmt: skip


@pytest.mark.parametrize(("name", "which", "terms", "starts"), [
    ("1/2", "correlation", 2, ("-1/2", "1/2")), ("1/2", "ntk", 3, "1/10"), ("2/3", "ntk", 2, "1/10"),
    ("1/3", "correlation", 2, "1/10"), ("3/4", "correlation", 4, "1/10"), ("3/4", "ntk", 1, ("-1", "9/10")),
])  # fmt: skip
def test_networks(name, which, terms, starts):
    net, weight, steps = NETWORKS[name]
    law = getattr(net, f"{which}_law")(terms=terms)
    found, start = law.certificate(correlation=starts), {"correlation": Rational(1, 10)}
    assert found.valid_from == 2
    with mp.workdps(30):
        pairs = relu_pair(weight, steps, mpf(1) / 10, LAYERS)
        values = {depth: pair[which == "ntk"] for depth, pair in pairs.items()}
        values[FAR] = law.evaluate(depth=FAR, digits=20, **start)
        constants = {"C": law.connection_constant(digits=12, **start)}
        low, high = found.connection_constant
        assert low <= constants["C"] <= high
        seen = max(deviations(found, values, constants).values())
        assert seen <= mpf(str(found.constant))
        assert isinstance(starts, tuple) or found.constant < 3 * Decimal(str(seen))


SHAPES = {  # h in SymPy and by hand
    "x^2 (1 + c x)": (lambda c: X**2 * (1 + c * X), lambda c: lambda x: x**2 * (1 + c * x)),
    "x^3 (1 + c x)": (lambda c: X**3 * (1 + c * X), lambda c: lambda x: x**3 * (1 + c * x)),
    "sin(x)^2 (1 + c x)": (lambda c: sin(X) ** 2 * (1 + c * X), lambda c: lambda x: mp.sin(x) ** 2 * (1 + c * x)),
    "x sqrt(x) (1 + c x)": (lambda c: X ** Rational(3, 2) * (1 + c * X), lambda c: lambda x: x**1.5 * (1 + c * x)),
    "x^2 exp(c x)": (lambda c: X**2 * exp(c * X), lambda c: lambda x: x**2 * mp.exp(c * x)),
}  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_drawn_recursions(seed):
    """B holds at layers that were not looked at and at depths that nobody iterates to, whatever h, kappa and start."""
    draw = random.Random(seed)
    shape, c = draw.choice(list(SHAPES)), Rational(draw.randint(-4, 4), 5)
    a, kappa = Rational(draw.randint(1, 6), 3), Rational(*draw.choice([(1, 2), (1, 3), (2, 3), (3, 4), (2, 5), (1, 5)]))
    start, terms = Rational(draw.randint(1, 8), 20), draw.randint(1, 3)
    drawn = DrivenRecursion(SHAPES[shape][0](c), X, a * L**-kappa, L, first=1)
    law = drawn.law(terms=terms)
    try:
        found = law.certificate(start=start)
    except UnsupportedError as refused:
        assert "fewer terms" in str(refused) or "order" in str(refused), refused
        return
    with mp.workdps(30):
        size = lambda n: mpf(a.p) / a.q * n ** (-mpf(kappa.p) / kappa.q)  # noqa: E731
        own = SHAPES[shape][1](mpf(c.p) / c.q)
        values = orbit(own, size, mpf(start.p) / start.q, 1500)
        values |= {depth: drawn.evaluate(depth=depth, start=start, digits=25) for depth in (10**6, 10**15)}
        constant = drawn.connection_constant(start=start, digits=10)
        low, high = found.connection_constant
        assert low <= constant <= high
        assert max(deviations(found, values, {"C": constant}).values()) <= mpf(str(found.constant))


@pytest.mark.parametrize("change", CHANGES)
def test_wrong_terms_of_networks_are_refused(change):
    laws = [NETWORKS["1/2"][0].ntk_law(terms=3), NETWORKS["1/3"][0].correlation_law(terms=4)]
    for law in laws:
        for wrong in planted(law, CHANGES[change]):
            with pytest.raises(UnsupportedError, match=r"coefficient|printed|differ"):
                wrong.certificate(correlation="1/10")


@pytest.mark.parametrize(("weight", "kappa"), [("3/2", "1/2"), (1, "1/3"), ("5/2", "3/4"), (3, "2/5"), (1, "9/10")])
def test_clock_and_its_constant(weight, kappa):
    """Against mpmath's integral, and the sum of 10^5 steps by Euler and Maclaurin from there."""
    weight, kappa = Rational(weight), Rational(kappa)
    with mp.workdps(30), working(120, 40):
        a, power = mpf(weight.p) / weight.q, mpf(kappa.p) / kappa.q
        clock = PowerClock(arb(weight.p) / weight.q, arb(weight.p) / weight.q, kappa)
        size = lambda v: a / (v**power + a)  # noqa: E731
        between = mp.quad(size, [10, 100, 1000])
        found = clock.at(arb(1000).log()) - clock.at(arb(10).log())
        assert abs(mpf(found.mid().str(30, radius=False)) - between) < mpf(10) ** -12
        other = MixingSteps(weight, kappa).clock(mpf(50))
        assert abs(mpf(clock.at(arb(50).log()).str(25, radius=False)) - other) < 1e-20
        n = 4000
        summed = mp.fsum(size(mpf(j)) for j in range(2, n + 1)) - MixingSteps(weight, kappa).clock(mpf(n))
        rest = size(mpf(n)) / 2 + mp.diff(size, mpf(n)) / 12
        constant = sum_constant(weight, weight, kappa, 1, 160)
        assert abs(mpf(constant.mid().str(30, radius=False)) - (summed - rest)) < mpf(10) ** -13
        left = clock.left(n)
        assert left.lower() <= arb(str(rest)) <= left.upper()


def test_single_layers_stay_within_their_bounds():
    """(T - clock - C) sqrt(l) lies in its ball and |k - P| sqrt(l) <= K on an orbit that mpmath iterates."""
    law = NETWORKS["1/2"][0].ntk_law(terms=2)
    found, steps = law.certificate(correlation="1/10"), MixingSteps(Rational(1), HALF)
    figures, n = found.proof.figures["drift"], found.proof.layer
    with mp.workdps(25):
        c = law.connection_constant(digits=18, correlation=Rational(1, 10))
        gap, kernel = mpf(9) / 10, mpf(1) / 10
        for layer in range(2, 4 * n):
            th, w = 2 * mp.asin(mp.sqrt(gap / 2)), 1 / (mp.sqrt(layer) + 1)
            drift = (mp.sin(th) - th * mp.cos(th)) / mp.pi
            kernel, gap = (1 - th / mp.pi * w) * kernel + w * (1 - gap + drift), gap - w * drift
            if layer in (n, 2 * n, 4 * n - 1):
                moved = time_at(law.dynamics.drift, gap) - steps.clock(mpf(layer)) - c
                assert abs(moved) * mp.sqrt(layer) <= mpf(figures["E"])
                t = mp.sqrt(gap)
                particular, _ = law.coordinate._at(t)
                assert abs(kernel - particular) * mp.sqrt(layer) <= mpf(figures["K"])


def test_terms_below_the_layers_own_are_refused():
    with pytest.raises(UnsupportedError, match="down to 1/l times the leading one"):
        RECURSIONS["x^2"].recursion.law(terms=6).certificate(start="1/2")


def test_a_law_with_its_second_constant_is_refused():
    law = asy.ScaledResNet("relu", sigma_w=sqrt(2), kappa=Rational(9, 10)).ntk_law(terms=7)
    with pytest.raises(UnsupportedError, match="D is not enclosed"):
        law.certificate(correlation="1/10")


def test_record_has_the_recursion():
    record = NETWORKS["1/2"][0].ntk_law(terms=2).certificate(correlation="1/10").to_json()
    assert record["map"]["steps"] == {"weight": "1", "shift": "1", "exponent": "1/2", "others": {}}
    assert record["quantity"]["norm"] == ["1", "1"] and record["linear"]["start"] == "1 - x"
    assert "s_0" in record["parameters"] and record["second_constant"] is None
    assert [step["name"] for step in record["steps"]][-3:] == ["tail", "boxes", "first layers"]
