"""Theorems for inputs of any norms: published numbers, what they must hold, planted errors that are refused."""

from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace

import pytest
from flint import arb
from mpmath import mp, mpf

import asympt as asy
from asympt.architectures.norms import floor_of
from asympt.balls.arithmetic import Refused, working
from asympt.balls.kernel import KernelMap
from asympt.balls.transient import HermitePair, NodeSquares, PairLayer, SettledTheorem, SettlingOrbit
from asympt.evidence.verify import constant_check, inputs_check
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.enclosed import pair_layer
from asympt.numbers import to_mpf
from asympt.recursions.proofs.formal import entered

APART = ("1", "1/4")
START = {"correlation": "1/10", "variances": APART}


@lru_cache
def law_of(phi, bias="1/5"):
    return asy.FeedForward.on_edge_of_chaos(phi, sigma_b=bias).correlation_law(terms=2)


def assert_bounded(certificate, start: dict, depths: tuple, power: int):
    law = certificate.law
    for depth in depths:
        deviation = abs(law.evaluate(depth, digits=15, **start) - to_mpf(law.subs(**{str(law.depth_variable): depth})))
        assert deviation <= mpf(str(certificate.constant)) / depth**power


@pytest.fixture
def fresh():
    """Nothing of a planted error is kept."""
    yield
    for kept in (PairLayer.rest, PairLayer.expected):
        kept.cache_clear()
    law_of.cache_clear()


def test_a_theorem_and_its_constant():
    certificate = law_of("erf").certificate(**START)
    low, high = certificate.connection(40)
    with mp.workdps(40):
        assert abs(low - mpf("5.9381625117641647894828048258")) < mpf(10) ** -27 and high - low < mpf(10) ** -24
    assert "c^1 = 1/10 at q^1 = 1, q'^1 = 1/4" in certificate.statement
    assert r"q^{1} = 1,\ q'^{1} = \frac{1}{4}" in certificate.latex()
    assert certificate.trust == "library" and certificate.recheck()
    (step,) = (step for step in certificate.steps if step.name == "transient")
    assert set(step.figures) == {"n0", "Y", "b", "L_1", "L_2", "eta_0", "theta"}
    assert float(step.figures["b"]) == pytest.approx(0.5177, abs=1e-3) and float(step.figures["theta"]) < 1
    assert certificate.to_json()["start"]["variances"] == ["1", "1/4"]
    with pytest.raises(Refused, match="kernel does not cover starts"):
        certificate.to_proof()


@pytest.mark.parametrize(("phi", "c", "variances", "gap"), [
    ("erf", "1/10", APART, "0.0066661268194223"), ("erf", 1, APART, "0.0052545227937533"),
    ("erf", "-1/2", ("3", "1/10"), "0.0066966664454473"), ("sin", "1/10", APART, "0.0083693851132125"),
])  # fmt: skip
def test_enclosed_numbers(phi, c, variances, gap):
    low, high = law_of(phi).enclose(1000, correlation=c, variances=variances, digits=20)
    assert 0 <= high - low < 1e-21 and abs(low / mpf(gap) - 1) < 2e-14


@pytest.mark.parametrize(("phi", "c", "variances", "kernel"), [
    ("erf", 1, APART, "0.41417166791001"), ("sin", "1/10", APART, "0.33030767414633"),
])  # fmt: skip
def test_the_kernel(phi, c, variances, kernel):
    law, start = asy.FeedForward.on_edge_of_chaos(phi, sigma_b="1/5").ntk_law(terms=2), {"variances": variances}
    start["correlation"] = c
    certificate = law.certificate(**start)
    low, high = law.enclose(1000, digits=20, **start)
    assert 0 <= high - low < 1e-20 and abs(low / mpf(kernel) - 1) < 2e-14
    assert all(abs(end / law.second_constant(digits=15, **start) - 1) < 1e-13 for end in certificate.second_constant)
    settling, kernel = (step for step in certificate.steps if step.name in ("transient", "settling kernel"))
    assert float(settling.figures["theta"]) < float(kernel.figures["theta_H"]) < 1 and float(kernel.figures["L_3"]) > 1
    assert_bounded(certificate, start, (2, 3, 40, 2000), 1)


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_what_is_left_of_the_variances(monkeypatch, fresh, share):
    """C and D from layers in which the variances are still on their way, against many more digits."""
    law = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="2/7").ntk_law(terms=2)
    connection, second = (arb(mp.nstr(value, 40)) for value in law._start(START).constants(law, 40, second=True))
    monkeypatch.setattr("asympt.balls.transient.SHARE", share)
    start = law._start(START)
    prover = entered(law, start, law.asked).prover(start.distance, start.distance, 250)
    orbit = prover.orbit
    with working(250):
        for layer in (60, 250):
            found = orbit.theorem(prover.theorem, layer).constant(orbit.t(layer).low, layer)
            weight = orbit.theorem(prover.linear, layer).weight(orbit.t(layer).low, orbit.a(layer).low)
            assert found.contains(connection) and (weight / prover._unit).contains(second)


def test_uniform_in_the_start():
    law = law_of("erf")
    certificate = law.certificate(correlation=("-1", "9/10"), variances=APART)
    low, high = certificate.connection_constant
    for c in ("-1", "-1/3", "9/10"):
        start = {"correlation": c, "variances": APART}
        assert low <= law.connection_constant(digits=15, **start) <= high
        assert_bounded(certificate, start, (2, 30, 5000), 2)
    settled = asy.FeedForward("relu").ntk_law(terms=2)  # variances that stay as they are start nothing of their own
    apart, alike = (settled.certificate(correlation="1/10", **more) for more in ({"variances": APART}, {}))
    assert str(apart) == str(alike)
    with pytest.raises(asy.InputError, match="one input twice"):
        law.certificate(correlation=("0", "1"), variances=("1", "1"))
    with pytest.raises(asy.InputError, match="one input twice"):
        law.effective_correlation(correlation=1, variances=("1", "1"))


def test_an_activation_without_closed_form():
    low, high = law_of("elu").certificate(**START).connection_constant
    assert abs(low - mpf("21.206418104112")) < 1e-12 and high - low < 1e-10


def test_expectations_of_two_variances():
    """Hermite sums as differences from the settled map, and squares moved from one variance, against quadrature."""
    layer, map_ = law_of("tanh").layer.layer, law_of("tanh").asked.map_
    pair, bits = pair_layer(layer, map_), 128
    assert isinstance(map_, KernelMap) and isinstance(pair.squares, NodeSquares)
    with working(bits):
        q = pair.numbers(map_, bits)[0]
        for one, two in ((q * arb("1.003"), q * arb("0.998")), (q * arb("1.2"), q * arb("1.002"))):
            home = pair._side(map_, q, bits)
            sides = [pair._side(map_, value, bits, home) for value in (one, two)]
            found = HermitePair.of(map_, pair.numbers(map_, bits), *sides, home)
            with mp.workdps(25):
                ends = [mpf(value.mid().str(30, radius=False)) for value in (one, two)]
                expected = mp.nstr(kernel_of(layer.activation.piecewise).value(*ends, mpf(3) / 4), 24)
            assert abs(found.value(arb(0.75)) - arb(expected)) < arb("1e-20")
            wide = found.value(arb(0.5, 0.5)), found.slope(arb(0.5, 0.5))  # c = 1 is in it
            assert wide[0].contains(found.value(arb(0.25))) and wide[1].contains(found.slope(arb(0.25)).mid())
            square = pair.squares(0, one)
            assert square[0].overlaps(pair.squares._by_nodes(0, one)[0]) and square[0].rad() < 1e-25
            assert square[1].overlaps(pair.squares._by_nodes(0, one)[1])


@pytest.mark.parametrize("bias", ["3/10", "1"])
def test_bounds_near_a_large_variance(bias):
    """b, L_1, L_2 of tanh, whose derivatives are had for balls that hold q, against quadrature at q."""
    law, bits = law_of("tanh", bias), 128
    layer, map_ = law.layer.layer, law.asked.map_
    with working(bits), mp.workdps(20):
        q, weight, _ = (mpf(x.mid().str(30, radius=False)) for x in pair_layer(layer, map_).numbers(map_, bits))

        def mean(f):
            return mp.quad(lambda z: f(z, mp.tanh(mp.sqrt(q) * z)) * mp.npdf(z), mp.linspace(-12, 12, 9))

        slope = weight * mean(lambda z, t: t**2 * (z**2 - 1)) / (2 * q)
        m1, turned = mean(lambda z, t: (1 - t**2) ** 2), mean(lambda z, t: (z * (1 - t**2)) ** 2)
        bent = mp.sqrt(mean(lambda z, t: (2 * t * (1 - t**2) * z) ** 2) * m1 / q) / 2
        expected = slope, 2 * weight * (bent + m1 * abs(1 - slope) / (2 * q)), weight * turned / (2 * q**2)
        found = pair_layer(layer, map_).bounds(map_, arb("1e-30"), bits)
        assert all(abs(y / arb(mp.nstr(x, 18)) - 1) < 1e-5 for x, y in zip(expected, found, strict=False))


def test_verify_with_inputs():
    """The original layers by the rules of their primitives, one input in the direction of the other too."""
    net = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5")
    for law, c in ((net.correlation_law(2), "1/10"), (net.correlation_law(2), 1), (net.ntk_law(2), "1/10")):
        assert inputs_check(law, {"correlation": c, "variances": APART}).passed
    found = asy.verify(net.correlation_law(1), digits=10, depth=300, **START)
    assert found.verdict == "proved" and "q'^1 = 1/4" in found.scope
    assert sum("plain iteration" in c.name or "theorem's C" in c.name for c in found.checks) == 2
    with pytest.raises(asy.InputError, match="is not given as `variances`"):
        asy.verify(asy.ResNet("relu").correlation_law(1), variances=APART)


# ---- planted errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wrong", "message"), [
    (lambda b, one, two, three: (b / 2, one, two, three), "a layer contradicts it"),
    (lambda b, one, two, three: (b, one / 100, two, three), "to the gap contradict layer"),
    (lambda b, one, two, three: (b, one, two, three / 1000), "to the kernel contradict layer"),
])  # fmt: skip
def test_bounds_that_are_too_small(monkeypatch, fresh, wrong, message):
    bounds = PairLayer.bounds
    monkeypatch.setattr(PairLayer, "bounds", lambda self, *given: wrong(*bounds(self, *given)))
    PairLayer.rest.cache_clear()
    with pytest.raises(Refused, match=message):
        asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/3").ntk_law(terms=2).certificate(**START)


def test_a_floor_that_is_left_out(monkeypatch, fresh):
    law, own = law_of("erf", "1/4"), SettlingOrbit._own
    floor = arb(mp.nstr(floor_of(law.layer.layer, 20), 20))

    def without(self, t, a, layer):
        (found, _), (one, two) = own(self, t, a, layer), self.rest.variances[layer - self.first]
        return type(found).thin(found.low - floor * (one - two) ** 2), None

    monkeypatch.setattr(SettlingOrbit, "_own", without)
    assert not constant_check(law.certificate(**START), START).passed


def test_a_start_in_the_wrong_layer(monkeypatch):
    law = law_of("erf", "2/5")
    assert constant_check(law.certificate(**START), START).passed
    start = law._start(START)
    late = entered(law, start, replace(law.asked, first=2)).prover(start.distance, start.distance).prove()
    certificate = replace(law.certificate(**START), proof=late)
    assert not constant_check(certificate, START).passed


def test_what_is_refused():
    law = law_of("erf")
    with pytest.raises(asy.InputError, match="does not settle at the q"):
        law_of("gelu").certificate(correlation="1/10", variances=("1", "2"))
    theorem, asked, distance = law.certificate(**START).proof.theorem, law.asked, law._start(START).distance
    orbit, far = asked.orbit(distance, distance, 256), replace(theorem.rest, y=arb(100), layer=300)
    with pytest.raises(Refused, match="the variances have not settled enough in layer 300"):
        SettledTheorem(theorem, SimpleNamespace(t=orbit.t, layer=PairLayer, rest=far), 300)
    with pytest.raises(Refused, match="has a kink away from 0"):
        law_of("hardtanh").certificate(**START)


def test_norms_in_intervals():
    """Every pair of norms, also those in between: C and the bound, by plain iteration of the layers."""
    law, norms = law_of("erf"), (("4/5", "6/5"), ("1/4", "3/10"))
    certificate = law.certificate(correlation="1/10", variances=norms)
    low, high = certificate.connection_constant
    assert "q^1 in [4/5, 6/5], q'^1 in [1/4, 3/10]" in certificate.statement and certificate.given_variances == norms
    for variances in (("4/5", "1/4"), ("6/5", "3/10"), ("1", "2/7")):
        start = {"correlation": "1/10", "variances": variances}
        assert low <= law.connection_constant(digits=12, **start) <= high
        assert_bounded(certificate, start, (2, 10, 300), 2)
    with pytest.raises(asy.InputError, match="is not a number"):
        law.evaluate(10, correlation="1/10", variances=norms)
    with pytest.raises(Refused, match="intervals of norms are only for"):
        law_of("elu").certificate(correlation="1/10", variances=norms)
