"""Verdicts on the slides about the NTK off the Edge of Chaos."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Rational

from asympt import claims
from asympt.architectures import FeedForward
from asympt.claims.xps import phases
from asympt.claims.xps.claims import PHASES

EXPECTED = {
    "XPS.f1": "checked",
    "XPS.phases": "checked",
    "XPS.2b": "checked",
    "XPS.chaos.paa": "refuted",
    "XPS.chaos.paa-asym": "refuted",
    "XPS.chaos.pab": "checked",
    "XPS.chaos.nngp": "proved",
    "XPS.chaos.ntk": "checked",
    "XPS.ord.paa": "refuted",
    "XPS.eps": "checked",
    "XPS.delta": "refuted",
}
FAST = ("XPS.chaos.paa", "XPS.chaos.nngp", "XPS.ord.paa")


def test_every_record_is_expected_here():
    assert {claim.id for claim in PHASES} == set(EXPECTED)


@pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in EXPECTED])
def test_verdict(name):
    result = claims.find(name).check(digits=25, depth=10**4)
    assert result.verdict == EXPECTED[name], result.report()
    if result.verdict == "refuted":
        assert result.corrected.verdict in ("proved", "checked"), result.report()


@pytest.mark.slow
def test_the_coefficient_of_l_without_the_toolkit():
    """delta^(20) of erf's closed form: f(c) = (b + w (2/pi) arcsin(2 q c/(1 + 2 q)))/q in float64."""
    net = FeedForward("erf", sigma_w=2, sigma_b=Rational(1, 5))
    q, weight, bias = float(net.variance.evalf(17)), 4.0, 0.04
    ratio = 2 * q / (1 + 2 * q)

    def f(c):
        return (bias + weight * 2 / np.pi * np.arcsin(ratio * c)) / q

    def slope(c):
        return weight * 2 / np.pi * ratio / q / np.sqrt(1 - (ratio * c) ** 2)

    centre = 0.5
    for _ in range(2000):
        centre = f(centre)
    second = slope(centre) * ratio**2 * centre / (1 - (ratio * centre) ** 2)
    fixed = centre / (1 - slope(centre))
    c, kernel, start = centre + 1e-6, fixed, 1e-6
    for _ in range(20):
        kernel = slope(c) * kernel + f(c)
        c = f(c)
    expected = 20 * (1 + second * fixed / slope(centre)) * slope(centre) ** 20
    assert (kernel - fixed) / start == pytest.approx(expected, rel=1e-4)
    assert float(phases.followed(net, phases.SMALL, 20)[1]) == pytest.approx(expected, rel=1e-4)


# ---- planted changes --------------------------------------------------------------------------------


def test_a_sum_with_one_term_less_is_refuted():
    printed = claims.find("XPS.chaos.paa").formulas()[0]
    right = printed.corrected()
    shorter = replace(right, value=right.value.subs(right.layer, right.layer - 1))
    assert right.verify().verdict == "checked" and shorter.verify().verdict == "refuted"


@pytest.mark.slow
def test_one_percent_in_the_second_derivative_is_seen(monkeypatch):
    genuine = phases.second_derivative
    monkeypatch.setattr(phases, "second_derivative", lambda net: 1.01 * genuine(net))
    (printed,) = claims.find("XPS.delta").formulas()
    assert printed.corrected().verify().verdict == "refuted"
