"""The scaled ResNet: its laws against plain iterations and integrals, its limits, and what it refuses."""

import pytest
from mpmath import mp, mpf
from sympy import EulerGamma, Rational, Symbol, gamma, limit, oo, pi, simplify, sqrt

from asympt.architectures.resnet import ScaledResNet
from asympt.errors import InputError, UnsupportedError
from asympt.numbers import to_mpf

NETS = {
    "relu": (ScaledResNet("relu", sigma_w=sqrt(2)), Rational(1, 10)),
    "relu_negative": (ScaledResNet("relu", sigma_w=sqrt(2)), Rational(-1, 2)),
    "leaky": (ScaledResNet("leaky_relu", slope="1/10"), Rational(1, 10)),
    "half": (ScaledResNet("relu", sigma_w=sqrt(2), kappa="1/2"), Rational(1, 10)),
    "three_quarters": (ScaledResNet("relu", sigma_w=sqrt(6), kappa="3/4"), Rational(1, 10)),
}
DIGITS = 20  # at layer 5000 the evaluation follows the flow, beyond its own 1,536 iterated layers


@pytest.mark.parametrize("name", ["relu_negative", "leaky", "half", "three_quarters"])
def test_laws_at_layer_5000_against_a_plain_iteration(name, known, agrees):
    net, start = NETS[name]
    layer = 5000
    gap = net.correlation_law(2).evaluate(depth=layer, correlation=start, digits=DIGITS)
    ratio = net.ntk_law(2).evaluate(depth=layer, correlation=start, digits=DIGITS)
    diagonal = net.ntk_diagonal_law().evaluate(depth=layer, digits=30)
    assert agrees(gap, known(f"scaled.{name}_gap_{layer}"), DIGITS)
    assert agrees(ratio, known(f"scaled.{name}_ratio_{layer}"), DIGITS)
    assert agrees(diagonal, known(f"scaled.{name}_diagonal_{layer}"), 30)


def test_equal_and_opposite_inputs(refused):
    net = ScaledResNet("relu")
    assert net.correlation_law().evaluate(depth=10**20, correlation=1) == 0
    assert net.ntk_law().evaluate(depth=10**20, correlation=1) == 1
    assert 0 < net.correlation_law().evaluate(depth=10**20, correlation=-1, digits=10) < 1
    for ask in (net.correlation_law().connection_constant, net.ntk_law().second_constant):
        with pytest.raises(InputError, match="stays at 1"):
            ask(correlation=1)


def test_appendix_lemma_8_with_its_constants():
    """kappa = 16/(s^2 sigma_w^4) and zeta = 72 pi^2 C/sigma_w^6; no log log l."""
    sigma = Symbol("sigma_w", positive=True)
    law = ScaledResNet("relu", sigma_w=sigma).correlation_law(terms=6)
    s = 2 * sqrt(2) / (3 * pi)
    assert simplify(law.expansion.coefficient(2) - 16 / (s**2 * sigma**4)) == 0
    c = Symbol("C", real=True)
    assert simplify(law.expansion.coefficient(3) + 72 * pi**2 * c / sigma**6) == 0
    assert all(monomial.logs == 0 for monomial, _ in law.expansion.terms)


def test_the_limit_is_a_quarter_and_the_log_log_term_is_universal():
    """1/4 for every slope; log(log L)/log(L)^4 comes with r h log t, r = -9 (4/175)/rho^2 in theta."""
    for phi in ("relu", "abs"):
        assert ScaledResNet(phi).ntk_law(1).limit == Rational(1, 4)
    law = ScaledResNet("relu", sigma_w=sqrt(2)).ntk_law(terms=5)
    assert law.expansion.coefficient(4, 1) == 324 * pi**4 / 175
    assert all(monomial.logs == 0 for monomial, _ in law.expansion.terms[:4])


def test_exact_sums():
    """sigma_w^2 = 6: q^l = q^1 (l+1)(l+2)(l+3)/24; sigma_w^2 = 1: l^(1/2)/Gamma(5/2)."""
    assert str(ScaledResNet("relu", sigma_w=sqrt(6)).variance_law(terms=6)) == "C*l^3 + 6*C*l^2 + 11*C*l + 6*C"
    law = ScaledResNet("relu").variance_law()
    value = law.evaluate(depth=10**30, variance=1, digits=25)
    with mp.workdps(30):
        assert abs(value * mp.gamma(mpf(5) / 2) / mp.sqrt(mpf(10) ** 30) - 1) < mpf(10) ** -24
    assert law.connection_constant(variance=2) == pytest.approx(float(2 / gamma(Rational(5, 2))))


@pytest.mark.parametrize("kappa", ["1/3", "1/2", "2/3", "1", "3/2", "2"])
def test_sums_over_the_layers_for_every_kappa(kappa):
    net, depth = ScaledResNet("relu", sigma_w=2, kappa=kappa), 700
    with mp.workdps(30):
        power = mpf(Rational(kappa).p) / Rational(kappa).q
        shares = [2 / (mpf(k) ** power + 2) for k in range(2, depth + 1)]
        growth = mp.fprod(1 + 2 / mpf(k) ** power for k in range(2, depth + 1))
        diagonal = net.ntk_diagonal_law().evaluate(depth=depth, digits=25)
        assert abs(diagonal / (1 + mp.fsum(shares)) - 1) < mpf(10) ** -25
        if kappa == "1":
            stated = net.variance_law().evaluate(depth=depth, variance=1, digits=25)
            assert abs(stated / growth - 1) < mpf(10) ** -25
        else:
            stated = net.variance_law().evaluate(depth=depth, digits=25)
            assert abs(stated / mp.log(growth) - 1) < mpf(10) ** -25


def test_the_correlation_for_slower_branches():
    """1 - c^l ~ 9 pi^2 (1-kappa)^2/(2 alpha^2 l^(2 - 2 kappa)), with a logarithm for kappa = 1/2."""
    layer, k = Symbol("l", positive=True), Symbol("kappa", positive=True)
    for kappa in (Rational(1, 2), Rational(2, 3), Rational(9, 10)):
        law = ScaledResNet("relu", sigma_w=2, kappa=kappa).correlation_law(terms=1)
        stated = 9 * pi**2 * (1 - k) ** 2 / (8 * layer ** (2 - 2 * k))
        assert limit(law.to_sympy() / stated.subs(k, kappa), layer, oo) == 1
    assert any(m.logs for m, _ in ScaledResNet("relu", kappa="1/2").correlation_law(3).expansion.terms)


@pytest.mark.parametrize(("arguments", "reason"), [
    ({"sigma_w": 0}, "sigma_w = 0 is not positive"), ({"sigma_w": -1}, "not positive"), ({"sigma_b": -1}, "negative"),
    ({"kappa": 0}, "take ResNet"), ({"kappa": "-1/2"}, "not a positive number"),
    ({"kappa": float("nan")}, "not a finite number"), ({"phi": "no such thing"}, "no such thing"),
])  # fmt: skip
def test_bad_values(arguments, reason):
    with pytest.raises(InputError, match=reason):
        ScaledResNet(**{"phi": "relu", **arguments})


@pytest.mark.parametrize(("net", "reason"), [
    (ScaledResNet("sin"), "neither straight lines nor limits"),
    (ScaledResNet("relu", kappa="3/2"), "depends on c\\^1"), (ScaledResNet("linear"), "linear"),
    (ScaledResNet("relu", kappa=sqrt(2) / 2), "not a fraction"),
])  # fmt: skip
def test_networks_without_a_law(net, reason):
    for ask in (net.correlation_law, net.ntk_law):
        with pytest.raises(UnsupportedError, match=reason):
            ask()


def test_questions_without_an_answer(refused):
    net = ScaledResNet("relu", kappa="1/2")
    refused(lambda: net.correlation_law().evaluate(depth=0, correlation="1/10"), "less than 1", InputError)
    refused(lambda: net.ntk_law().second_constant(correlation="1/10"), "kappa = 1 only", UnsupportedError)
    refused(lambda: net.correlation_law().second_constant(correlation="1/10"), "NTK law", UnsupportedError)
    symbolic = ScaledResNet("relu", sigma_w=Symbol("sigma_w", positive=True))
    refused(lambda: symbolic.correlation_law().evaluate(10, correlation="1/10"), "sigma_w", UnsupportedError)
    refused(symbolic.variance_law, "give sigma_w", UnsupportedError)


def test_s_0():
    """1 - alpha psi(2 + alpha) for kappa = 1; for kappa = 1/2 against the sum of 30,000 layers and its next term."""
    assert ScaledResNet("relu", sigma_w=sqrt(2)).ntk_law().coordinate.diagonal == EulerGamma - Rational(1, 2)
    shift = ScaledResNet("relu", sigma_w=sqrt(2), kappa="1/2").ntk_law().coordinate.diagonal
    depth = 30_000
    with mp.workdps(20):
        total = 1 + mp.fsum(1 / (mp.sqrt(k) + 1) for k in range(2, depth + 1))
        left = total - (2 * mp.sqrt(depth) - mp.log(depth) - 3 / (2 * mp.sqrt(depth)))
        assert abs(left - to_mpf(shift)) < 1 / mpf(depth)
