"""Correlation maps without closed form: their numbers and values, and theorems about them.

Independent routes: the layers of `asympt.precise` in mpmath, `asympt.depth` in float64, the connection constants that
the laws themselves compute, and mpmath's elementary functions for Taylor models.
"""

from functools import cache

import mpmath
import numpy as np
import pytest
from flint import arb
from mpmath import mp
from sympy import Integer, Rational, exp, log, symbols, tanh

import asympt as asy
from asympt.balls.arithmetic import Refused, of_mpf, working
from asympt.balls.disc import ParabolicMap
from asympt.balls.kernel import KernelMap, f_
from asympt.balls.laws import FormalLaw
from asympt.balls.models import Model, span_of
from asympt.balls.moments import SIGMA_W, Parameters, Q
from asympt.balls.orbit import LinearAlong
from asympt.balls.printed import PrintedTerm
from asympt.balls.theorem import Prover
from asympt.gaussian.price.expansion import price_numbers
from asympt.numbers import to_mpf
from asympt.recursions.protocol import T

x = symbols("x")
C, D = symbols("C D", real=True)
PHI = {"tanh": tanh(x), "sigmoid": 1 / (1 + exp(-x)), "silu": x / (1 + exp(-x)), "mish": x * tanh(log(1 + exp(x)))}
BIAS, START = Rational(1, 5), Rational(9, 10)  # sigma_b, and the gap of c^1 = 1/10
F2, F3 = f_(2), f_(3)
SECOND = PrintedTerm(-2 / F2 + 4 * F3 / (3 * F2**3), Integer(2), 1)
CORRELATION = [PrintedTerm(2 / F2, Integer(1), 0), SECOND]
THIRD = PrintedTerm((-2 * C + (2 - 4 * F3 / (3 * F2**2)) * log(2 / F2)) / F2, Integer(2), 0)
NTK = [PrintedTerm(Rational(1, 3), Integer(0), 0), PrintedTerm((3 - 2 * F3 / F2**2) / 9, Integer(1), 1)]


@cache
def network(name: str) -> asy.FeedForward:
    return asy.FeedForward.on_edge_of_chaos(name, sigma_b=BIAS)


@cache
def map_of(name: str) -> KernelMap:
    near = mp.nstr(asy.edge_of_chaos(name, sigma_b=BIAS).q, 14)
    return KernelMap(PHI[name], x, Parameters(PHI[name], x, BIAS, near))


def correlation(name: str, third: bool = False, terms=None, remainder=None) -> FormalLaw:
    printed = terms or CORRELATION + [THIRD] * third
    rest = remainder or (PrintedTerm(1, Integer(3), 2) if third else PrintedTerm(1, Integer(2), 0))
    return FormalLaw(map_of(name), 1, printed, rest, (C, D))


def ntk(name: str, terms=None, power: int = 2) -> FormalLaw:
    rest = PrintedTerm(1, Integer(1), 0)
    return FormalLaw(
        map_of(name), 1, terms or NTK, rest, (C, D), along=map_of(name).tangents, power=power, average=True
    )


MODELS = {
    "exp": (lambda m: m.exp(), mpmath.exp), "log": (lambda m: (m + 1).log(), mpmath.log1p),
    "expm1": (lambda m: (m * -3).expm1(), lambda t: mpmath.expm1(-3 * t)),
    "product": (lambda m: m.exp() * (m * m + 2).log() * m**3, lambda t: mpmath.exp(t) * mpmath.log(t * t + 2) * t**3),
    "quotient by a power": (lambda m: m**-2 * (m * m).expm1(), lambda t: mpmath.expm1(t * t) / t**2),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("length", [2, 5, 9])
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


@pytest.mark.parametrize("name", ["tanh", "silu"])
def test_derivatives_at_one(name):
    """f = sum e_k (1 - c)^(k/2), by the Price expansion in mpmath."""
    with mp.workdps(25):
        layer = network(name).layer
        q, weight = (to_mpf(value) for value in (layer.fixed_variance, layer.weight_variance))
        moments = price_numbers(layer.activation.piecewise, layer.fixed_variance, 10, 30)
        known = map_of(name).known(128)
        with working(128):
            for k in (2, 3, 5):
                value = of_mpf((-1) ** k * mp.factorial(k) * weight * moments[2 * k] / q)
                assert abs(known[f_(k)] / value - 1) < 1e-20


@pytest.mark.parametrize("name", ["tanh", "silu"])
def test_values_and_slopes(name):
    """The correlation map in mpmath, and its difference quotients."""
    f, program = network(name).correlation_map, map_of(name).program
    for c in ("-1", "-0.4", "0.8", "0.99"):
        with mp.workdps(30), working(128):
            c = mp.mpf(c)
            assert abs(program.value(of_mpf(1 - c)) - of_mpf(1 - f(c, digits=22))) < 1e-18
            if abs(c) < 0.999:
                h = mp.mpf("1e-6")
                quotient = (f(c + h, digits=25) - f(c - h, digits=25)) / (2 * h)
                assert abs(program.slope(of_mpf(1 - c)) - of_mpf(quotient)) < 1e-9


def test_values_over_an_interval_hold_those_of_its_points():
    program, wide = map_of("silu").program, arb(1.2, 0.3)
    with working(128):
        values = [program.value(arb(p)) for p in (0.91, 1.0, 1.1, 1.3, 1.49)]
        assert all(program.value(wide).overlaps(value) for value in values)
        assert program.value(wide).rad() < 2


def deviations(name: str, law, terms, remainder: int, second_logs: int = 0, of_kernel: bool = False):
    """|quantity - law| over the remainder's monomial along the float64 orbit."""
    known = {s: float(v.mid()) for s, v in map_of(name).known(128).items()}
    numbers = [(float(t.coefficient.subs(law).subs(known)), int(t.order), t.logs) for t in terms]
    for depth in (2, 3, 4, 6, 10, 30, 100, 300, 1000, 3000):
        gap, kernel = asy.depth.pairs(network(name), gap=np.array([float(START)]), depth=depth)
        printed = sum(c * depth**-order * np.log(depth) ** logs for c, order, logs in numbers)
        quantity = float(kernel[0]) / depth if of_kernel else float(gap[0])
        yield abs(quantity - printed) * depth**remainder / np.log(depth) ** second_logs


@pytest.mark.parametrize("name", PHI)
def test_bounds_hold_along_the_orbit(name):
    proof = Prover(correlation(name), START, START).prove()
    worst = max(deviations(name, {}, CORRELATION, 2))
    assert worst < float(proof.constant) < 1.3 * max(worst, float(proof.bounds["B0"].upper()))
    third = Prover(correlation(name, third=True), START, START).prove()
    of_c = {C: float(third.connection.mid())}
    assert max(deviations(name, of_c, [*CORRELATION, THIRD], 3, 2)) < float(third.constant) * (1 + 1e-6)
    tangents = Prover(ntk(name), START, START).prove()
    assert max(deviations(name, {}, NTK, 1, of_kernel=True)) < float(tangents.constant) * (1 + 1e-9)


@cache
def exponential() -> KernelMap:
    """phi = exp, sigma_b = 0, q = 1: f(c) = exp(c - 1)."""
    return KernelMap(exp(x), x, Parameters(exp(x), x, Integer(0), "1"))


def test_exponential_activation_has_derivatives_one():
    """E[exp(Z)^2] = e^2 and sigma_w^2 = e^-2; p_k = 1/(e k!)."""
    numbers = exponential().numbers(192)
    assert all(abs(f - 1) < 1e-50 for f in numbers.f)
    with working(192):
        assert all(abs(p * arb(k + 1).gamma() * arb(1).exp() - 1) < 1e-30 for k, p in enumerate(numbers.p[:10]))


@pytest.mark.parametrize("start", ["1/10", "9/10", "2"])
def test_models_and_circles_prove_the_same(start):
    """gamma' = 1 - exp(-gamma) as the map of phi = exp and as a formula that is analytic in a disc."""
    of_models, of_disc = exponential(), ParabolicMap(1 - exp(-T), T, 1, 1)
    tangent = LinearAlong(exp(-T), exp(-T), lambda gap: 1 - gap, T)
    for printed, rest, more in (
        (CORRELATION, PrintedTerm(1, Integer(2), 0), ({}, {})),
        (NTK, PrintedTerm(1, Integer(1), 0), ({"along": of_models.tangents}, {"along": tangent})),
    ):
        terms = [PrintedTerm(t.coefficient.subs({F2: 1, F3: 1}), t.order, t.logs) for t in printed]
        same = {"power": 2, "average": True} if printed is NTK else {}
        both = zip((of_models, of_disc), more, strict=True)
        laws = (FormalLaw(map_, 1, terms, rest, (C, D), **same, **along) for map_, along in both)
        one, two = (Prover(law, Rational(start), Rational(start)).prove() for law in laws)
        assert one.connection.overlaps(two.connection)
        assert one.connection.rad() < 1e-20
        assert one.second is None or one.second.overlaps(two.second)
        assert abs(float(one.constant) / float(two.constant) - 1) < 0.05


def changed(place: int, factor) -> list[PrintedTerm]:
    terms = list(CORRELATION)
    terms[place] = PrintedTerm(terms[place].coefficient * factor, terms[place].order, terms[place].logs)
    return terms


MIRRORED = [*CORRELATION, PrintedTerm(THIRD.coefficient.subs(C, -C), Integer(2), 0)]
PLANTED = {
    "leading term 1% off": lambda: correlation("tanh", terms=changed(0, Rational(99, 100))),
    "second term 1% off": lambda: correlation("tanh", terms=changed(1, Rational(101, 100))),
    "logarithm omitted": lambda: correlation("tanh", terms=CORRELATION[:1]),
    "remainder one step too small": lambda: correlation("tanh", remainder=PrintedTerm(1, Integer(3), 2)),
    "C of the wrong sign": lambda: correlation("tanh", terms=MIRRORED, remainder=PrintedTerm(1, Integer(3), 2)),
    "wrong h": lambda: ntk("tanh", power=3),
    "limit of the NTK": lambda: ntk("tanh", terms=[PrintedTerm(Rational(1, 4), Integer(0), 0), NTK[1]]),
    "logarithm of the NTK": lambda: ntk("tanh", terms=[NTK[0], PrintedTerm(Rational(3, 8), Integer(1), 1)]),
}  # fmt: skip


@pytest.mark.parametrize("law", PLANTED.values(), ids=PLANTED)
def test_planted_errors_are_refused(law):
    with pytest.raises(ValueError):
        Prover(law(), START, START).prove()


def test_parameters_of_another_point_are_refused():
    """sigma_w 1/10^6 off the Edge of Chaos, or q of another sigma_b."""
    edge = map_of("tanh").parameters

    def off(bits):
        found = dict(edge(bits))
        with working(bits):
            return found | {SIGMA_W: found[SIGMA_W] * (1 + arb(10) ** -6)}

    def other(bits):
        return dict(edge(bits)) | {Q: edge(bits)[Q] + arb("1e-12")}

    for wrong in (off, other):
        with pytest.raises(Refused, match="Edge of Chaos"):
            KernelMap(tanh(x), x, wrong).numbers(128)


def test_a_derivative_that_is_wrong_is_refused():
    """f_5 1% off: the Taylor polynomial contradicts the Hermite sum."""
    map_ = KernelMap(tanh(x), x, map_of("tanh").parameters)
    numbers = map_.numbers(256)
    numbers.f[5] *= arb("1.01")
    with pytest.raises(Refused):
        Prover(FormalLaw(map_, 1, CORRELATION, PrintedTerm(1, Integer(2), 0), (C, D)), START, START).prove()


@pytest.mark.parametrize(("low", "high"), [("0", "1"), ("1", "1/2"), ("1/2", "3")])
def test_bad_starts_are_refused(low, high):
    with pytest.raises(ValueError):
        Prover(correlation("silu"), Rational(low), Rational(high)).prove()
