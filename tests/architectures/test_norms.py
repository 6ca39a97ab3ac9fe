"""Inputs of any norms: published numbers, the original layers by kernels of the tests' own, what is refused."""

import pytest
from mpmath import mp, mpf
from sympy import Rational

import asympt as asy
from asympt.architectures import norms
from asympt.architectures.norms import VarianceRest, floor_of
from asympt.gaussian.kernel import kernel_of
from asympt.numbers import exact, to_mpf
from asympt.precise.blocks import pairs_along
from asympt.precise.dense import _Pair, series_pair
from asympt.recursions.unsettled import Arrival, entered
from tests.depth.layers import CLOSED

APART = ("1", "1/4")
#  phi, sigma_b, c^1, variances, depth, 1 - c^L, K^L/sqrt(q_L q'_L)
NUMBERS = [
    ("erf", "1/5", "1/10", APART, 1000, "0.0066661268194223", "329.27902388408"),
    ("erf", "1/5", 1, APART, 1000, "0.0052545227937533", "414.17166791001"),
    ("erf", "1/5", "-1/2", ("3", "1/10"), 1000, "0.0066966664454473", "327.77405969997"),
    ("erf", "1/5", "1/10", ("2", "2"), 10000, "0.00066113268208687", "3326.3823075383"),
    ("sin", "1/5", "1/10", APART, 1000, "0.0083693851132125", "330.30767414633"),
]


@pytest.mark.parametrize(("phi", "bias", "c", "variances", "depth", "gap", "kernel"), NUMBERS)
def test_numbers_of_direct_iteration(phi, bias, c, variances, depth, gap, kernel):
    net, start = asy.FeedForward.on_edge_of_chaos(phi, sigma_b=bias), {"correlation": c, "variances": variances}
    assert abs(net.correlation_law(2).evaluate(depth, digits=16, **start) / mpf(gap) - 1) < 2e-14
    assert abs(net.ntk_law(2).evaluate(depth, digits=16, **start) * depth / mpf(kernel) - 1) < 2e-14


def layers(net, c, variances, depth: int):
    """(1 - c, K) at a layer, by kernels that share nothing with the library."""
    value, slope = CLOSED[net.activation.name]
    weight, bias = to_mpf(net.layer.weight_variance), to_mpf(net.layer.bias_variance)
    q, p = variances
    k = c * mp.sqrt(q * p)
    for _ in range(depth - 1):
        steeper = weight * slope(q, p, c)
        q, p, s = (bias + weight * v for v in (value(q, q, mpf(1)), value(p, p, mpf(1)), value(q, p, c)))
        c, k = s / mp.sqrt(q * p), steeper * k + s
    return 1 - c, k


STARTS = [  # phi, sigma_w (None: the edge), depth, (c^1, q^1, q'^1), ...
    ("erf", None, 900, ("1/8", "3", "1/2"), ("1/8", "2", "2"), ("-1", "1", "2"), ("1", "1/7", "1/7")),
    ("erf", None, 40, ("9/10", "10", "1/100"), ("1", "1/2", "1/3")),
    ("erf", "2", 200, ("1/8", "3", "1/2"), ("1", "3", "1/2"), ("-1/3", "1/1000", "5"), ("0", "1", "1")),
    ("erf", "9/10", 200, ("1/8", "3", "1/2"), ("1/8", "2", "2"), ("1", "3", "1/2"), ("-9/10", "1/5", "1/6")),
    ("sin", None, 900, ("99/100", "3", "1/2"), ("1", "1/2", "1/3"), ("1", "1/7", "1/7"), ("-1/3", "1/1000", "5")),
    ("sin", None, 40, ("-1", "1", "2"), ("1/2", "50", "20")),
]


@pytest.mark.parametrize(("phi", "sigma_w", "depth", "start"), [(*row[:3], one) for row in STARTS for one in row[3:]])
def test_plain_iteration_in_every_phase(phi, sigma_w, depth, start):
    """Twenty starts against the layers themselves, to 40 digits."""
    net = asy.FeedForward(phi, sigma_w=sigma_w, sigma_b="1/5")
    correlation, ntk = net.correlation_law(2), net.ntk_law(2)
    with mp.workdps(130):
        c, *variances = (to_mpf(exact(value)) for value in start)
        gap, kernel = layers(net, c, variances, depth)
        kernel /= to_mpf(net.variance) * (depth if ntk.average else 1)
    for law, expected in ((correlation, gap), (ntk, kernel)):
        found = law.evaluate(depth, correlation=start[0], variances=start[1:], digits=40)
        with mp.workdps(50):
            assert abs(found - expected) <= mpf(10) ** -39 * abs(expected)


def test_where_different_norms_lead():
    """B^2 = .934 > chi = .900: 1 - c^l ~ kappa (S - S')^2/(B^2 - chi) B^(2(l-1)) from every c^1."""
    net = asy.FeedForward("gelu", sigma_w=asy.FeedForward("gelu", sigma_b="19/50").sigma_w, sigma_b="19/50")
    law, pair = net.correlation_law(1), ("1", "2")
    for c, expected in (("1/10", "5.4526849224591e-13"), (1, "5.4526849224343e-13")):
        assert abs(law.evaluate(500, correlation=c, variances=pair, digits=15) / mpf(expected) - 1) < 2e-14
    one, two = (net.variance_law(1).connection_constant(variance=q, digits=20) for q in pair)
    with mp.workdps(25):
        slope = net.layer.variance_map.slope(net.variance, 25)
        apart = (one - two) * slope  # S = C B, in l - 1 steps
        leader = floor_of(net.layer, 25) * apart**2 / (slope**2 - to_mpf(net.layer.chi)) * slope**2000
    assert abs(law.evaluate(1001, correlation="1/10", variances=pair, digits=20) / leader - 1) < mpf(10) ** -11
    with pytest.raises(asy.UnsupportedError, match=r"approach like B\^\(2l\)"):
        law.connection_constant(correlation="1/10", variances=pair)


#  phi, sigma_b, sigma_w (None: the edge), c^1, variances, depth, attractor, its phase
ELSEWHERE = [
    ("gelu", "1/5", None, "1/10", ("3/10", "1/2"), 40, "0.151893759911868", "ordered"),
    ("gelu", "1/5", None, "1/10", ("1", "2"), 100, "inf", "edge of chaos"),
    ("gelu", "2/5", None, "1/2", ("10", "30"), 20, "19.1087191767445", "chaotic"),
    ("relu", "1", "2", "-1/2", ("1", "3"), 80, "inf", "edge of chaos"),
]


@pytest.mark.parametrize(("phi", "bias", "sigma_w", "c", "variances", "depth", "q", "phase"), ELSEWHERE)
def test_inputs_that_leave_have_the_laws_of_where_they_go(phi, bias, sigma_w, c, variances, depth, q, phase):
    net = asy.FeedForward(phi, sigma_w=sigma_w, sigma_b=bias)
    found, start = net.settles(variances), {"correlation": c, "variances": variances, "digits": 20}
    assert found.phase == phase and mp.nstr(to_mpf(found.attractor), 9) == mp.nstr(mpf(q), 9)
    with mp.workdps(40):
        first, second = (to_mpf(exact(v)) for v in variances)
        block = net.composition.block
        gap, kernel, _ = pairs_along([block], 1 - to_mpf(exact(c)), first, [depth], second)[0]
        if q != "inf":  # K/q there
            ends = [pairs_along([block], mpf(1) / 2, v, [depth])[0][2] for v in (first, second)]
            kernel *= mp.sqrt(ends[0] * ends[1]) / to_mpf(found.attractor)
    ntk = found.network.ntk_law(1)
    with mp.workdps(30):
        kernel /= depth if ntk.average else 1
        assert abs(found.network.correlation_law(1).evaluate(depth, **start) / gap - 1) < mpf(10) ** -19
        assert abs(ntk.evaluate(depth, **start) / kernel - 1) < mpf(10) ** -19


def test_variances_that_grow_have_constants_of_their_own(refused):
    net = asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="1/5").settles(("1", "2")).network
    law, start = net.ntk_law(3), {"correlation": "1/10", "variances": ("1", "2")}
    number = law.evaluate(1000, digits=14, **start) * 1000
    assert abs(number / mpf("249.65598826916") - 1) < 1e-13
    assert abs(net.correlation_law(1).evaluate(1000, digits=14, **start) / mpf("4.4482565508149e-5") - 1) < 1e-13
    printed = law.subs(C=str(law.connection_constant(digits=15, **start)), L=10**6)
    assert abs(law.evaluate(10**6, digits=15, **start) - to_mpf(printed)) < 1e-10
    assert abs(law.limit - mpf(law.evaluate(10**9, digits=15, **start))) < 1e-8
    settled = asy.FeedForward("relu").ntk_law(3)
    assert law.connection_constant(correlation="1/10") == settled.connection_constant(correlation="1/10")
    refused(lambda: law.effective_correlation(**start), "for no correlation in", asy.UnsupportedError)
    with pytest.raises(asy.InputError, match="does not settle at the q = inf"):
        law.evaluate(10, correlation="1/10", variances=("1/10", "1/5"))


def test_the_half_stable_point():
    """theta = 64.985: 1 - c^l ~ (1 + theta)/(beta l), 118.53/l, and K^L/(q L) -> 1/(3 + theta) for inputs above."""
    net = asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="0.415839380958642915")
    found = net.settles(("4", "5"))
    assert found.network is None
    assert all(part in found.text for part in ("= 64.984845:", "= 118.5337 ", "= 0.014709161,"))
    assert net.settles(("1", "2")).phase == "ordered"
    assert "alone has these laws; a larger q^1 returns to q, with other laws" in str(net.stability)
    with pytest.raises(asy.UnsupportedError, match="tends to the half-stable q"):
        net.ntk_law(1).evaluate(100, correlation="1/10", variances=("4", "5"))


@pytest.mark.parametrize(("phi", "gap_law", "kernel_law"), [
    ("sin(x)", "1 - C + (C*(C^2 - 1)/6)/l + O(log(l)/l^2)", "C + O(log(L)/L)"),
    ("sin(x) + 1 - cos(x)", "1/2 + O(log(l)/l)", "1 + O(log(L)/L)"),
])  # fmt: skip
def test_variance_and_correlation_both_neutral(phi, gap_law, kernel_law, refused):
    """At L = 5000 from (2, 1/2): c^L = .71893073075372 of the first from .9, K^L = .99764624315509 of the second."""
    net, start = asy.FeedForward(phi, sigma_w=1), {"correlation": "1/10", "variances": ("2", "1/2"), "digits": 14}
    laws = {"correlation": net.correlation_law(), "ntk": net.ntk_law()}
    assert [str(law) for law in laws.values()] == [gap_law, kernel_law]
    refused(lambda: laws["ntk"].evaluate(10**6, **start), "both neutral here", asy.UnsupportedError)
    refused(lambda: laws["ntk"].evaluate(10, correlation="1/10"), "fall to 0", asy.InputError)


def test_both_neutral_by_the_rules_of_the_primitives():
    """c^l = C + C (1 - C^2)/(6 l) of sin, C from one depth, seen at another; K by the referee."""
    net = asy.FeedForward("sin", sigma_w=1)
    start = {"correlation": "1/10", "variances": ("1", "1/5"), "digits": 20}
    with mp.workdps(40):
        found = pairs_along([net.composition.block], mpf("0.9"), mpf(1), [60, 120], mpf("0.2"))
        other = pairs_along([net.composition.block], mpf(1) / 2, mpf("0.2"), [120])[0][2]
        c = [1 - gap for gap, *_ in found]
        step = c[0] * (1 - c[0] ** 2) / 6 / 120
        assert abs((c[0] - c[1]) / step - 1) < 0.1
        kernel = found[1][1] * mp.sqrt(found[1][2] * other)
        assert abs(net.correlation_law().evaluate(120, **start) / found[1][0] - 1) < mpf(10) ** -19
        assert abs(net.ntk_law().evaluate(120, **start) / kernel - 1) < mpf(10) ** -19


def test_constants_and_the_effective_correlation():
    law = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5").ntk_law(terms=3)
    start = {"correlation": "1/10", "variances": APART}
    c = law.connection_constant(digits=25, **start)
    with mp.workdps(30):
        assert abs(c - mpf("5.9381625117641647894828048258")) < mpf(10) ** -23
    there = law.effective_correlation(digits=20, **start)
    assert abs(law.connection_constant(correlation=there, digits=18) - c) < mpf(10) ** -15
    assert abs(law.effective_correlation(correlation="1/10") - mpf("0.1")) < 1e-15
    expected = law.subs(C=str(c), D=str(law.second_constant(digits=20, **start)), L=10**9)
    with mp.workdps(30):
        assert abs(law.evaluate(depth=10**9, digits=20, **start) - to_mpf(expected)) < mpf(10) ** -15
    many = law.evaluate(depth=[10, 10**6], correlation=["1/10", "1/2"], variances=APART, digits=10)[1]
    assert many == law.evaluate(depth=10**6, correlation="1/2", variances=APART, digits=10)


@pytest.mark.parametrize(("q", "offset"), [(1, ".242587125145963"), (2, ".483403770179"), (".1", "-.5014872595")])
def test_one_input_that_settles(q, offset):
    """K^L(x, x) = q L + D + ..., D = 0 for q^1 = q alone: Theta(1/L) on the diagonal holds for every other input."""
    net = asy.FeedForward("erf", sigma_b="1/5")
    found = net.ntk_law(2).evaluate(10**4, correlation=1, variances=(q, q), digits=20)
    with mp.workdps(25):
        assert abs((found - 1) * 10**4 * to_mpf(net.variance) - mpf(offset)) < 2e-10


def test_an_effective_correlation_is_that_of_a_network():
    chaotic = asy.FeedForward("erf", sigma_w=2, sigma_b="1/5").correlation_law(1)  # starts are read from 1 - c* on
    assert abs(chaotic.effective_correlation(correlation="1/10") - mpf("0.1")) < 1e-15
    for net in (asy.ResNet("relu"), asy.ConvNet("relu", positions=3, reach=1)):
        with pytest.raises(asy.UnsupportedError, match="does not cover inputs with variances of their own"):
            net.correlation_law(1).effective_correlation(correlation="1/10")


def test_norms_do_not_matter_without_a_scale():
    value, start = asy.FeedForward("relu").ntk_law(2).evaluate, {"depth": 50, "correlation": "1/3"}
    assert value(**start, variances=("1", "9")) == value(**start)


@pytest.mark.parametrize(("variances", "message"), [
    (("1", "2", "3"), "are not two numbers"), ("1", "are not two numbers"), (("1", "0"), "is not positive"),
    (("1", "-2"), "is not positive"), (("1", "nan"), "not a finite number"), (3, "are not two numbers"),
])  # fmt: skip
def test_variances_that_are_none(variances, message):
    law = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5").correlation_law(1)
    with pytest.raises(asy.InputError, match=message):
        law.evaluate(100, correlation="1/10", variances=variances)


def test_what_has_no_theorem_yet():
    start = {"correlation": "1/10", "variances": APART}
    law = asy.FeedForward("erf", sigma_w=1, sigma_b="1/5").ntk_law(1)
    for proving, given, message in (
        (law.enclose, {"depth": 9}, "are on the Edge of Chaos"),
        (law.certificate, {}, "are on the Edge of Chaos"),
        (law.deviation, {"depth": 9}, "no theorem yet about a start that settles first"),
    ):
        with pytest.raises(asy.UnsupportedError, match=message):
            proving(**given, **start)
    with pytest.raises(asy.InputError, match="stays at 1 in the chaotic phase"):
        asy.FeedForward("erf", sigma_w=2, sigma_b="1/5").ntk_law(1).evaluate(9, correlation=1, variances=(1, 1))


def test_where_variances_settle(refused):
    gelu = asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="1/5")
    ordered = gelu.settles(("3/10", "1/2"))
    assert ordered.phase == "ordered" and abs(to_mpf(ordered.attractor) - mpf("0.151893759911868")) < 1e-12
    assert "escapes to infinity" in str(gelu.settles(("1", "2")))
    assert "part" in str(gelu.settles(("1/2", "2"))) and "separatrix" in str(gelu.settles((gelu.variance,)))
    with pytest.raises(asy.InputError, match="does not settle at the q"):
        gelu.correlation_law(1).evaluate(10, correlation="1/10", variances=("1", "2"))
    assert asy.FeedForward("erf", sigma_b="1/5").settles("1").phase == "edge of chaos"
    far = asy.FeedForward.on_edge_of_chaos("sin", sigma_b="1/5").settles("1000000")  # V(q) <= 1/25 + sigma_w^2
    assert str(far).startswith("tends to q = 0.5097")
    leaving = asy.FeedForward.on_edge_of_chaos("x*exp(-x^2)*(1 + 2*x^2)", sigma_b=0)  # V(q) > q next to q = 0
    assert leaving.settles("1").phase == "chaotic"  # at q = 0.41394987, by iteration
    refused(leaving.ntk_law, "does not say that its variance tends to 0", asy.UnsupportedError)


def test_a_rest_that_has_not_settled_is_refused(monkeypatch):
    """Planted: the scalar recursion is taken from layer 8 on, where the variances still differ."""
    monkeypatch.setattr(norms.VarianceRest, "is_settled", lambda self, digits, before, state: state[0] >= digits // 3)
    norms._followed.cache_clear()
    law = asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5").ntk_law(1)
    with pytest.raises(asy.PrecisionError, match="does not lead from layer"):
        law.evaluate(1000, correlation="1/10", variances=APART, digits=20)
    norms._followed.cache_clear()


@pytest.mark.parametrize("phi", ["erf", "elu"])
def test_an_orbit_brings_its_own_kernel_into_the_proof(phi):
    """K_n of a layer n is not Sigma_n: a proof that took c^n for it was wrong and called proved."""
    law = asy.FeedForward.on_edge_of_chaos(phi, sigma_b="1/5").ntk_law(2)
    along = entered(law, Arrival(50, mpf("0.125"), mpf("0.125"), mpf("21.5")))
    proved = along.evaluated_from(Rational(1, 8), 3000, 12)
    assert proved.trust == "library"
    with mp.workdps(20):
        state = (mpf(1) / 8, mpf("21.5"))
        for _ in range(2950):
            state = law.dynamics.step(state)
    assert abs(proved.value * 3000 / state[1] - 1) < mpf(10) ** -11


@pytest.mark.parametrize("factors", [("1.012", ".994"), ("1.012", "1.012"), ("2", ".994")])
def test_expectations_by_hermite_coefficients(factors):
    """One table, moved to two variances near its own, or a table at each, against quadrature at both."""
    net = asy.FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5")
    phi = net.activation.piecewise
    with mp.workdps(20):
        q, gap = to_mpf(net.variance), mpf("0.4")
        pair = [q * mpf(factor) for factor in factors]
        found, expected = (
            (*p.drop_and_product(gap), p.slope(gap), *p.squares)
            for p in (series_pair(phi, q, *pair, gap), _Pair(kernel_of(phi), *pair))
        )
        assert all(abs(a / b - 1) < mpf(10) ** -17 for a, b in zip(found, expected, strict=True))


def test_the_rest_names_what_leads():
    law = asy.FeedForward("erf", sigma_w="2", sigma_b="1/5").correlation_law(1)
    rest = VarianceRest.of(law, law.layer.layer)
    assert rest.is_chaotic and rest.brought == abs(rest.slope) < 1
