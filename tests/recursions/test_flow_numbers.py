"""Numbers of laws of falling steps that are proved, held against routes that know no balls.

Expected: x and k iterated in mpmath as this file and `test_flow_certificate` write them down.
"""

from functools import cache

import pytest
from mpmath import mp, mpf
from sympy import Rational, exp, sin, symbols

from asympt.balls.arithmetic import midpoint, working
from asympt.recursions.non_autonomous import DrivenRecursion
from tests.recursions.test_flow_certificate import NETWORKS, relu_pair
from tests.recursions.test_power_certificate import NETWORKS as POWERS

X, L = symbols("x l", positive=True)
DEPTHS = (2, 17, 100, 700)

RECURSIONS = {  # h, step, first layer, start; h and step by hand
    "x^2": (X**2, 1 / (L + 1), 0, "1/2", lambda x: x**2, lambda n: 1 / (n + 1)),
    "sin(x)^2": (sin(X) ** 2, 2 / L, 1, "2/5", lambda x: mp.sin(x) ** 2, lambda n: 2 / n),
    "x^(3/2) (1 + x/3)": (X ** Rational(3, 2) * (1 + X / 3), 1 / (L + 2), 1, "1/10",
                          lambda x: x * mp.sqrt(x) * (1 + x / 3), lambda n: 1 / (n + 2)),
    "x^3 exp(x)": (X**3 * exp(X), L ** Rational(-2, 3), 1, "2/5", lambda x: x**3 * mp.exp(x), lambda n: mp.cbrt(n)**-2),
    "x^2, kappa = 1/2": (X**2, L ** Rational(-1, 2), 1, "1/2", lambda x: x**2, lambda n: 1 / mp.sqrt(n)),
}  # fmt: skip


@cache
def law_of(name: str):
    h, step, first, *_ = RECURSIONS[name]
    return DrivenRecursion(h, X, step, L, first=first).law(terms=2)


def by_hand(name: str, depth: int):
    *_, first, start, drift, size = RECURSIONS[name]
    x = mpf(Rational(start).p) / Rational(start).q
    for layer in range(first + 1, depth + 1):
        x -= size(mpf(layer)) * drift(x)
    return x


@pytest.mark.parametrize("name", RECURSIONS)
def test_layers_that_are_iterated_to(name):
    for depth in DEPTHS:
        found = law_of(name).evaluated(depth, start=RECURSIONS[name][3], digits=25)
        low, high = law_of(name).enclose(depth, start=RECURSIONS[name][3], digits=25)
        with mp.workdps(45):
            expected = by_hand(name, depth)
            assert found.trust == "proved" and abs(found.value / expected - 1) < mpf(10) ** -25
            assert low <= expected <= high < low * (1 + mpf(10) ** -25)


@pytest.mark.parametrize(("table", "name"), [(NETWORKS, "scaled, wide"), (NETWORKS, "pre-norm"), (POWERS, "1/2")])
@pytest.mark.parametrize("start", ["1/10", "-1"])
def test_layers_of_networks_that_are_iterated_to(table, name, start):
    """The correlation and the NTK over that of one input with itself; -1 is where h' has no bound."""
    net, weight, steps = table[name]
    laws = net.correlation_law(terms=1), net.ntk_law(terms=1)
    with mp.workdps(35):
        pairs = relu_pair(weight, steps, mpf(Rational(start).p) / Rational(start).q, 151)
        for depth in (2, 30, 150):
            for law, expected in zip(laws, pairs[depth], strict=True):
                found = law.evaluated(depth, correlation=start, digits=20)
                assert found.trust == "proved" and abs(found.value / expected - 1) < mpf(10) ** -20


def test_many_steps_are_summed_as_few_are():
    """The norm beyond the layers whose steps are added one by one, to what mpmath adds up."""
    asked = POWERS["2/3"][0].ntk_law(terms=1).asked
    with mp.workdps(40), working(160, 40):
        for depth in (1999, 2500):
            expected = 1 + mp.fsum(POWERS["2/3"][2](mpf(j)) for j in range(2, depth + 1))
            assert abs(midpoint(asked.norm_in_layer(depth, asked.map_.known(160))) - expected) < mpf(10) ** -35
