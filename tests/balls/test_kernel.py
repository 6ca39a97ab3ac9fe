"""Correlation maps without closed form: Taylor models, and theorems about laws on the Edge of Chaos.

Independent routes: mpmath's elementary functions for the models, `asympt.depth` in float64 for the theorems.
"""

from functools import cache

import mpmath
import numpy as np
import pytest
from flint import arb
from mpmath import mp
from sympy import Integer, Rational, Symbol, exp, tanh

import asympt as asy
from asympt.balls.arithmetic import Refused, of_mpf, working
from asympt.balls.kernel import KernelMap
from asympt.balls.models import Model, span_of
from asympt.balls.moments import Parameters, Q
from tests.balls.test_kinks import off_edge
from tests.recursions.falling_steps import CHANGES, deviations, planted

X, BIAS, START = Symbol("x"), Rational(1, 5), {"correlation": Rational(1, 10)}


@cache
def law_of(name: str, which: str):
    return getattr(asy.FeedForward.on_edge_of_chaos(name, sigma_b=BIAS), f"{which}_law")(terms=2)


@cache
def orbit(name: str) -> dict:
    """{depth: (1 - c, K/q)} in float64."""
    net, gap = asy.FeedForward.on_edge_of_chaos(name, sigma_b=BIAS), np.array([0.9])
    pairs = {depth: asy.depth.pairs(net, gap=gap, depth=depth) for depth in (2, 3, 4, 6, 10, 30, 100, 300, 1000, 3000)}
    return {depth: (float(gap[0]), float(kernel[0])) for depth, (gap, kernel) in pairs.items()}


MODELS = {
    "exp": (lambda m: m.exp(), mpmath.exp), "log": (lambda m: (m + 1).log(), mpmath.log1p),
    "expm1": (lambda m: (m * -3).expm1(), lambda t: mpmath.expm1(-3 * t)),
    "product": (lambda m: m.exp() * (m * m + 2).log() * m**3, lambda t: mpmath.exp(t) * mpmath.log(t * t + 2) * t**3),
    "quotient by a power": (lambda m: m**-2 * (m * m).expm1(), lambda t: mpmath.expm1(t * t) / t**2),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("length", [2, 9])
def test_models_hold_the_function(name, length):
    made, function = MODELS[name]
    with working(100):
        model = made(Model.identity(length, span_of(arb(0.4))))
        for t in ("0.4", "0.3", "0.1", "0.01", "1e-6"):
            with mp.workdps(30):
                value = of_mpf(function(mp.mpf(t)))
            point = arb(t)
            powers = (c * point ** (model.order + k) for k, c in enumerate(model.poly.coeffs()))
            found = sum(powers, model.rest * point ** (model.order + length))
            assert abs(found - value).lower() < 1e-25


@pytest.mark.parametrize("which", ["correlation", "ntk"])
@pytest.mark.parametrize("name", ["tanh", "sigmoid", "silu", "mish"])
def test_bounds_hold_along_the_orbit(name, which):
    law = law_of(name, which)
    found = law.certificate(**START)
    values = {n: kernel / (n if law.average else 1) if which == "ntk" else gap
              for n, (gap, kernel) in orbit(name).items()}  # fmt: skip
    worst = max(deviations(found, values, {}).values())
    assert worst <= float(found.constant) * (1 + 1e-9)
    assert which == "ntk" or float(found.constant) < 3 * worst


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("which", ["correlation", "ntk"])
def test_planted_errors_are_refused(which, change):
    for wrong in planted(law_of("tanh", which), CHANGES[change]):
        with pytest.raises(ValueError):
            wrong.certificate(**START)


def test_exponential_activation_has_derivatives_one():
    """phi = exp, sigma_b = 0, q = 1: f(c) = exp(c - 1); E[exp(Z)^2] = e^2 and sigma_w^2 = e^-2; p_k = 1/(e k!)."""
    numbers = KernelMap(exp(X), X, Parameters(exp(X), X, Integer(0), "1")).numbers(192)
    assert all(abs(f - 1) < 1e-50 for f in numbers.f)
    with working(192):
        assert numbers.derivative(0, arb(2) + arb(2) ** -20).overlaps(arb(-2).exp())  # c = -1, but for rounding
        assert all(abs(p * arb(k + 1).gamma() * arb(1).exp() - 1) < 1e-30 for k, p in enumerate(numbers.p[:10]))


def test_parameters_of_another_point_are_refused():
    """sigma_w 1/10^6 off the Edge of Chaos, or q of another sigma_b."""
    edge = Parameters(tanh(X), X, BIAS, mp.nstr(asy.edge_of_chaos("tanh", sigma_b=BIAS).q, 14))

    def other(bits):
        return dict(edge(bits)) | {Q: edge(bits)[Q] + arb("1e-12")}

    for wrong in (off_edge(edge), other):
        with pytest.raises(Refused, match="Edge of Chaos"):
            KernelMap(tanh(X), X, wrong).numbers(128)
