"""Theorems about laws of falling steps a/(l + b), held against the recursions themselves.

Expected: x and k iterated in mpmath as this file writes them down, layer by layer; beyond that the numbers of
`evaluate` and of the constants, which two routes of mpmath agree upon and which know no balls.
"""

from dataclasses import replace
from decimal import Decimal

import pytest
from mpmath import mp, mpf
from sympy import Rational, cos, exp, lambdify, log, sin, sqrt

import asympt as asy
from asympt.errors import InputError, UnsupportedError
from asympt.recursions.non_autonomous import DrivenRecursion
from tests.recursions.falling_steps import CHANGES, Falling, L, X, deviations, orbit, planted, relu_pair

LAYERS, FAR, FARTHEST = 600, 10**12, 10**40

RECURSIONS = {  # h, step, start, terms: with and without log log l, m = 1, 2 and a root of x
    "x^2": Falling(X**2, 1 / (L + 1), "1/2", 2),
    "x^2 (1 + x)": Falling(X**2 * (1 + X), 2 / (L + 1), "1/2", 3),
    "sin(x)^2": Falling(sin(X) ** 2, Rational(2, 3) / L, "1/20", 2),
    "x^(3/2) (1 + x/3)": Falling(X ** Rational(3, 2) * (1 + X / 3), 1 / L, "1/10", 2),
    "x^3 exp(x)": Falling(X**3 * exp(X), 2 / (L + 3), "2/5", 2),
    "x log(1 + x)": Falling(X * log(1 + X), Rational(7, 2) / L, "2/5", 1),
    "x^2 cos(x)": Falling(X**2 * cos(X), Rational(3, 2) / (L + 2), "1/4", 1),
}  # fmt: skip


def followed(asked: Falling) -> dict:
    drift, size = lambdify(X, asked.drift, "mpmath"), lambdify(L, asked.step, "mpmath")
    return orbit(drift, size, asked.number, 2000) | {FARTHEST: asked.value(FARTHEST, 12)}


@pytest.mark.parametrize("name", RECURSIONS)
def test_bound_holds_and_is_no_guess(name):
    """The largest deviation that is seen is below B, and B is not much more."""
    asked, found = RECURSIONS[name], RECURSIONS[name].certificate
    with mp.workdps(40):
        c = asked.constant(12)
        low, high = found.connection_constant
        assert low <= c <= high and high - low < 0.01
        seen = max(deviations(found, followed(asked), {"C": c}).values())
        assert seen <= mpf(str(found.constant)) < 2 * seen


PRE = asy.Network("residual(layer_norm, relu, dense(sqrt(2)))")
NETWORKS = {  # the network, the weight of the kink, w_l by hand
    "scaled": (asy.ScaledResNet("relu", sigma_w=sqrt(2)), 1, lambda n: 1 / mpf(n + 1)),
    "scaled, wide": (asy.ScaledResNet("relu", sigma_w=sqrt(5)), 1, lambda n: mpf(5) / 2 / (n + mpf(5) / 2)),
    "leaky": (asy.ScaledResNet("leaky_relu", sigma_w=1, slope=Rational(1, 5)), mpf(16) / 26,
              lambda n: mpf(13) / 25 / (n + mpf(13) / 25)),
    "pre-norm": (PRE, 1, lambda n: 1 / mpf(n)),
}  # fmt: skip
ALL = ("-1/2", "1/2")


@pytest.mark.parametrize(("name", "which", "terms", "starts"), [
    ("scaled", "ntk", 2, "1/10"), ("scaled", "correlation", 2, ALL),
    ("leaky", "ntk", 2, "1/10"), ("pre-norm", "correlation", 2, "1/10"), ("pre-norm", "ntk", 2, ALL),
])  # fmt: skip
def test_networks(name, which, terms, starts):
    net, weight, steps = NETWORKS[name]
    law = getattr(net, f"{which}_law")(terms=terms)
    found, start = law.certificate(correlation=starts), {"correlation": Rational(1, 10)}
    with mp.workdps(30):
        pairs = relu_pair(weight, steps, mpf(1) / 10, LAYERS)
        values = {depth: pair[which == "ntk"] for depth, pair in pairs.items()}
        values[FAR] = law.evaluate(depth=FAR, digits=10, **start)
        constants = {"C": law.connection_constant(digits=12, **start)}
        low, high = found.connection_constant
        assert low <= constants["C"] <= high
        if found.second_constant is not None:
            constants["D"] = law.second_constant(digits=10, **start)
            low, high = found.second_constant
            assert low <= constants["D"] <= high
        seen = max(deviations(found, values, constants).values())
        assert seen <= mpf(str(found.constant))
        assert isinstance(starts, tuple) or found.constant < 3 * Decimal(str(seen))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["x^2 (1 + x)", "x^(3/2) (1 + x/3)"])
def test_wrong_terms_are_refused(name, change):
    asked = RECURSIONS[name]
    for law in planted(asked.law, CHANGES[change]):
        with pytest.raises(UnsupportedError, match=r"coefficient|printed|differ"):
            law.certificate(start=asked.start)


@pytest.mark.parametrize("change", CHANGES)
def test_wrong_terms_of_a_kernel_are_refused(change):
    for law in planted(PRE.ntk_law(terms=2), CHANGES[change]):
        with pytest.raises(UnsupportedError, match=r"coefficient|printed"):
            law.certificate(correlation="1/10")


def test_a_smaller_bound_does_not_pass_a_second_proof():
    found = RECURSIONS["x^2"].certificate
    smaller = replace(found, proof=replace(found.proof, constant=found.constant * Decimal("0.9")))
    assert found.recheck() and not smaller.recheck()


@pytest.mark.parametrize(("law", "said"), [
    (lambda: DrivenRecursion(X + X**2, X, 1 / (2 * L), L, first=1).law(terms=1), r"fall .* and h like x\^\(1\)"),
    (lambda: DrivenRecursion(X**2, X, 1 / sqrt(L), L, first=1).law(terms=2), r"fall like l\^\(-1/2\) .*two routes"),
    (lambda: asy.ScaledResNet("relu", kappa="2/3").ntk_law(terms=2), r"fall like l\^\(-2/3\) .*verify checks the law"),
    (lambda: asy.ScaledResNet("tanh", sigma_w=1).correlation_law(terms=1), "keeps changing"),
    (lambda: asy.ScaledResNet("relu", sigma_w=1, sigma_b=1).correlation_law(terms=1), "no certificate yet"),
    (lambda: asy.Network("residual(layer_norm, relu, dense(1, 1))").correlation_law(terms=1), "falls faster than x"),
])  # fmt: skip
def test_others_are_refused_with_the_reason(law, said):
    with pytest.raises(UnsupportedError, match=said):
        _ = law().asked


def test_starts_are_read_as_elsewhere():
    law = NETWORKS["scaled"][0].correlation_law(terms=1)
    for given, said in ((("1/2", "1/4"), "wrong order"), (("1/2", "1"), "touches"), (2, "outside")):
        with pytest.raises(InputError, match=said):
            law.certificate(correlation=given)


def test_record_has_the_recursion():
    record = PRE.ntk_law(terms=2).certificate(correlation="1/10").to_json()
    assert record["map"]["steps"] == {"weight": "1", "shift": "0", "others": {}}
    assert record["quantity"]["norm"] == ["1", "EulerGamma"] and record["linear"]["start"] == "1 - x"
    assert [step["name"] for step in record["steps"]][-3:] == ["tail", "boxes", "first layers"]
