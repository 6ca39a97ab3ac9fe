"""Theorems about laws of falling steps l^-kappa, kappa <= 1, held against the recursions themselves.

Expected: x and k iterated in mpmath as this file writes them down, layer by layer; beyond that the numbers of
`evaluate` and of the constants, which two routes of mpmath agree upon and which know no balls.
"""

import random
from dataclasses import replace
from decimal import Decimal

import pytest
from mpmath import mp, mpf
from sympy import Rational, cos, exp, lambdify, log, sin, sqrt

import asympt as asy
from asympt.errors import InputError, UnsupportedError
from asympt.recursions.non_autonomous import DrivenRecursion
from tests.recursions.falling_steps import CHANGES, Falling, L, X, deviations, orbit, planted, relu_pair

LAYERS, FAR = 600, 10**12
DEEP = FAR, 30, 0.5
THIRD, HALF = Rational(1, 3), Rational(1, 2)

RECURSIONS = {  # h, step, start, terms: with and without log log l, m = 1, 2 and a root of x, terms down to 1/l
    "x^2": Falling(X**2, 1 / (L + 1), "1/2", 2),
    "x^2 (1 + x)": Falling(X**2 * (1 + X), 2 / (L + 1), "1/2", 3),
    "sin(x)^2": Falling(sin(X) ** 2, Rational(2, 3) / L, "1/20", 2),
    "x^(3/2) (1 + x/3)": Falling(X ** Rational(3, 2) * (1 + X / 3), 1 / L, "1/10", 2),
    "x^3 exp(x)": Falling(X**3 * exp(X), 2 / (L + 3), "2/5", 2),
    "x log(1 + x)": Falling(X * log(1 + X), Rational(7, 2) / L, "2/5", 1),
    "x^2 cos(x)": Falling(X**2 * cos(X), Rational(3, 2) / (L + 2), "1/4", 1),
    "x^2, kappa < 1": Falling(X**2, L**-HALF, "1/2", 2, *DEEP),
    "x^2 (1 + x), kappa < 1": Falling(X**2 * (1 + X), 2 * L**-THIRD, "1/5", 2, *DEEP),
    "sin(x)^2, kappa < 1": Falling(sin(X) ** 2, Rational(2, 3) * L ** Rational(-3, 4), "1/20", 4, *DEEP),
    "x^(3/2) (1 + x/3), kappa < 1": Falling(X ** Rational(3, 2) * (1 + X / 3), L**-HALF, "1/10", 2, *DEEP),
    "x^3 exp(x), kappa < 1": Falling(X**3 * exp(X), L ** Rational(-2, 3), "2/5", 2, *DEEP),
    "x log(1 + x), kappa < 1": Falling(X * log(1 + X), HALF * L ** Rational(-1, 4), "2/5", 1, *DEEP),
}  # fmt: skip


def followed(asked: Falling) -> dict:
    drift, size = lambdify(X, asked.drift, "mpmath"), lambdify(L, asked.step, "mpmath")
    return orbit(drift, size, asked.number, 2000) | {asked.far: asked.value(asked.far, asked.digits)}


@pytest.mark.parametrize("name", RECURSIONS)
def test_bound_holds_and_is_no_guess(name):
    """The largest deviation that is seen is below B, and B is not much more."""
    asked, found = RECURSIONS[name], RECURSIONS[name].certificate
    with mp.workdps(40):
        c = asked.constant(12)
        low, high = found.connection_constant
        assert low <= c <= high and high - low < asked.wide
        seen = max(deviations(found, followed(asked), {"C": c}).values())
        assert seen <= mpf(str(found.constant)) < 2 * seen


PRE = asy.Network("residual(layer_norm, relu, dense(sqrt(2)))")
NETWORKS = {  # the network, the weight of the kink, w_l by hand
    "scaled": (asy.ScaledResNet("relu", sigma_w=sqrt(2)), 1, lambda n: 1 / mpf(n + 1)),
    "scaled, wide": (asy.ScaledResNet("relu", sigma_w=sqrt(5)), 1, lambda n: mpf(5) / 2 / (n + mpf(5) / 2)),
    "leaky": (asy.ScaledResNet("leaky_relu", sigma_w=1, slope=Rational(1, 5)), mpf(16) / 26,
              lambda n: mpf(13) / 25 / (n + mpf(13) / 25)),
    "pre-norm": (PRE, 1, lambda n: 1 / mpf(n)),
    "1/2": (asy.ScaledResNet("relu", sigma_w=sqrt(2), kappa=HALF), 1, lambda n: 1 / (mp.sqrt(n) + 1)),
    "2/3": (asy.ScaledResNet("relu", sigma_w=sqrt(5), kappa=Rational(2, 3)), 1,
            lambda n: mpf("2.5") / (mp.cbrt(n) ** 2 + mpf("2.5"))),
    "1/3": (asy.ScaledResNet("leaky_relu", sigma_w=1, slope=Rational(1, 5), kappa=THIRD), mpf(16) / 26,
            lambda n: mpf("0.52") / (mp.cbrt(n) + mpf("0.52"))),
    "3/4": (asy.ScaledResNet("relu", sigma_w=1, kappa=Rational(3, 4)), 1,
            lambda n: mpf("0.5") / (mp.root(n, 4) ** 3 + mpf("0.5"))),
}  # fmt: skip
ALL = ("-1/2", "1/2")


@pytest.mark.parametrize(("name", "which", "terms", "starts"), [
    ("scaled", "ntk", 2, "1/10"), ("scaled", "correlation", 2, ALL),
    ("leaky", "ntk", 2, "1/10"), ("pre-norm", "correlation", 2, "1/10"), ("pre-norm", "ntk", 2, ALL),
    ("1/2", "correlation", 2, ALL), ("1/2", "ntk", 3, "1/10"), ("2/3", "ntk", 2, "1/10"),
    ("1/3", "correlation", 2, "1/10"), ("3/4", "correlation", 4, "1/10"),
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


SHAPES = {  # h in SymPy and by hand
    "x^2 (1 + c x)": (lambda c: X**2 * (1 + c * X), lambda c: lambda x: x**2 * (1 + c * x)),
    "x^3 (1 + c x)": (lambda c: X**3 * (1 + c * X), lambda c: lambda x: x**3 * (1 + c * x)),
    "sin(x)^2 (1 + c x)": (lambda c: sin(X) ** 2 * (1 + c * X), lambda c: lambda x: mp.sin(x) ** 2 * (1 + c * x)),
    "x sqrt(x) (1 + c x)": (lambda c: X ** Rational(3, 2) * (1 + c * X), lambda c: lambda x: x**1.5 * (1 + c * x)),
    "x^2 exp(c x)": (lambda c: X**2 * exp(c * X), lambda c: lambda x: x**2 * mp.exp(c * x)),
}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
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
@pytest.mark.parametrize("name", ["x^2 (1 + x)", "x^(3/2) (1 + x/3)", "x^2 (1 + x), kappa < 1", "sin(x)^2, kappa < 1"])
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


@pytest.mark.parametrize("name", ["x^2", "x^2, kappa < 1"])
def test_a_smaller_bound_does_not_pass_a_second_proof(name):
    found = RECURSIONS[name].certificate
    smaller = replace(found, proof=replace(found.proof, constant=found.constant * Decimal("0.9")))
    assert found.recheck() and not smaller.recheck()


@pytest.mark.parametrize(("law", "said"), [
    (lambda: DrivenRecursion(X + X**2, X, 1 / (2 * L), L, first=1).law(terms=1), "falls faster than x"),
    (lambda: asy.ScaledResNet("tanh", sigma_w=1).correlation_law(terms=1), "keeps changing"),
    (lambda: asy.ScaledResNet("relu", sigma_w=1, sigma_b=1).correlation_law(terms=1), "no certificate yet"),
    (lambda: asy.Network("residual(layer_norm, relu, dense(1, 1))").correlation_law(terms=1), "falls faster than x"),
])  # fmt: skip
def test_others_are_refused_with_the_reason(law, said):
    with pytest.raises(UnsupportedError, match=said):
        _ = law().asked


def test_starts_are_read_as_elsewhere():
    law = NETWORKS["scaled"][0].correlation_law(terms=1)
    for given, said in ((("1/2", "1/4"), "upside down"), (("1/2", "1"), "touches"), (2, "outside")):
        with pytest.raises(InputError, match=said):
            law.certificate(correlation=given)


def test_record_has_the_recursion():
    record = PRE.ntk_law(terms=2).certificate(correlation="1/10").to_json()
    assert record["map"]["steps"] == {"weight": "1", "shift": "0", "exponent": "1", "others": {}}
    assert record["quantity"]["norm"] == ["1", "EulerGamma"] and record["linear"]["start"] == "1 - x"
    assert [step["name"] for step in record["steps"]][-3:] == ["tail", "boxes", "first layers"]


def test_terms_below_the_layers_own_are_refused():
    with pytest.raises(UnsupportedError, match="down to 1/l times the leading one"):
        RECURSIONS["x^2, kappa < 1"].recursion.law(terms=6).certificate(start="1/2")


def test_a_law_with_its_second_constant_is_refused():
    law = asy.ScaledResNet("relu", sigma_w=sqrt(2), kappa=Rational(9, 10)).ntk_law(terms=7)
    with pytest.raises(UnsupportedError, match="D is not enclosed"):
        law.certificate(correlation="1/10")
