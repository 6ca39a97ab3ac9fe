"""Networks composed of primitives: their laws against the rules of the primitives, iterated layer by layer.

Expected numbers: `Network.pair`, the plain recursion of (q, q', s, K) in mpmath (`precise.blocks`), which forms no map
of correlations; the values at depth 1000 were printed by an independent program (plain mpmath iteration, 30 digits).
"""

import time

import pytest
from mpmath import mp, mpf, nstr
from sympy import Rational, Symbol, asin, cancel, pi, sqrt

import asympt as asy
from asympt import blocks as b
from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.numbers import to_mpf
from tests.architectures.test_contract import unit_of

PRE_NORM = "residual(layer_norm, relu, dense(sqrt(2)))"
POST_NORM = "serial(residual(relu, dense(sqrt(2))), layer_norm)"
TWO_LAYERS = "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"
CONNECTED = "dense_connection(1, relu, dense(sqrt(2)))"
TABLE = [  # c^1 = 1/10, q = 1, K = 1/10, 999 blocks: 1 - c and K/q
    (PRE_NORM, ".232504720155807957149676894719", "2.21430306998029079135927021407"),
    (POST_NORM, "1.70677010216467153696966079341e-4", "127.41977572286414766032569769"),
    (TWO_LAYERS, "1.09489907117678385486145479264e-5", "503.374163447522083517193583912"),
    (CONNECTED, ".19422889135335144170696043979", "2.59150435714387219086101679109"),
]


@pytest.mark.parametrize(("text", "gap", "kernel"), TABLE)
def test_the_laws_give_every_digit_of_the_table_at_depth_1000(text, gap, kernel):
    net = asy.Network(text)
    with mp.workdps(40):
        assert nstr(net.correlation_law().evaluate(depth=1000, correlation="1/10"), 30) == nstr(mpf(gap), 30)
        law = net.ntk_law()
        found = law.evaluate(depth=1000, correlation="1/10") * unit_of(net, law, 1000)
        assert abs(found / mpf(kernel) - 1) < mpf(10) ** -29


@pytest.mark.parametrize(("text", "phase"), [
    (PRE_NORM, "edge of chaos"),
    ("serial(layer_norm, erf, dense(1, 1))", "ordered"),
    ("serial(layer_norm, erf, dense(3, 1/10))", "chaotic"),
    ("serial(layer_norm, gated(dense(1), serial(dense(1), relu)), dense(2))", "chaotic"),
])  # fmt: skip
def test_phases(text, phase):
    assert asy.Network(text).phase == phase


def test_pre_norm_relu_in_log_time():
    net = asy.Network(PRE_NORM)
    assert str(net.correlation_law(terms=1)) == "9*pi^2/(2*log(l)^2) + O(1/log(l)^3)"
    assert str(net.variance_law()) == "l + C"
    assert net.ntk_law(terms=1).limit == Rational(1, 4)
    harmonic = sum(Rational(1, k) for k in range(1, 13))  # K(x, x) = q_L H_L
    assert abs(net.ntk_diagonal_law().evaluate(depth=12, digits=30) - mpf(harmonic.p) / harmonic.q) < 1e-14


def test_a_log_time_ntk_is_reached_by_jumping_at_any_depth():
    """Expected number at 2000 by the float64 iteration of all layers."""
    net = asy.Network(PRE_NORM)
    law = net.ntk_law(terms=2)

    def found(depth: int):
        return law.evaluate(depth=depth, correlation="1/10", digits=12)

    _, kernels = asy.depth.pairs(net, gap=[0.9, 0], depth=2000)
    assert abs(found(2000) / (kernels[0] / kernels[1]) - 1) < 1e-12
    assert 0 < found(10**100) - 0.25 < found(10**12) - 0.25 < 0.04
    assert abs(net.ntk_diagonal_law().evaluate(depth=10**12, digits=15) - mp.harmonic(10**12)) < 1e-12


def test_where_falling_weights_lead_is_said():
    """Expected numbers: c* = g(c*) of erf's closed form by bisection in float64, and 1 - g'(c*) by a difference."""
    net = asy.Network("residual(layer_norm, erf, dense(4, 1))")
    q = 16 * 2 / pi * asin(Rational(2, 3)) + 1
    low, high = 0.0, 0.9

    def image(c):
        return float((1 + 32 / pi * asin(2 * c / 3)) / q)

    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if image(middle) > middle else (low, middle)
    slope = (image(low + 1e-6) - image(low - 1e-6)) / 2e-6
    (_, limit), (power, _) = net.correlation_law(2).expansion.terms
    assert abs(float(limit.evalf(12)) - (1 - low)) < 1e-9 and abs(float(power.order.evalf(12)) - (1 - slope)) < 1e-7


def test_long_coefficients_have_names_and_numbers():
    law = asy.Network("serial(layer_norm, gelu, dense(1, 1))").correlation_law(terms=1)
    assert str(law) == "chi^l*C + O(chi^(2*l))"
    assert "chi  0.3198456318" in str(law.summary()) and "sqrt(3)" in str(law.summary())


def test_pre_norm_erf_is_critical_at_its_own_bias_with_beta_two_fifths():
    bias = sqrt(4 / (pi * sqrt(5)) - 2 * asin(Rational(2, 3)) / pi)  # sigma_b^2 = E erf'(Z)^2 - E erf(Z)^2
    assert nstr(mpf((bias**2).evalf(30)), 12) == "0.104850980336"
    net = asy.Network(b.residual(b.layer_norm(), b.activation("erf"), b.dense(1, bias)))
    assert net.phase == "edge of chaos" and net.block_map.multiplier == 1
    assert net.block_map.expansion(4).coefficient(4) == Rational(2, 5)
    assert net.ntk_law(terms=1).limit == Rational(1, 3)
    plain = asy.Network(b.serial(b.layer_norm(), b.activation("erf"), b.dense(1, bias)))
    assert str(plain.correlation_law(terms=1)) == "5/(2*l) + O(log(l)/l^2)"


def test_a_relu_gate_after_a_norm_is_critical_only_at_one_half():
    w, s = Symbol("w", positive=True), Symbol("s", positive=True)

    def chi(weight, bias):
        gate = b.gated(b.dense(sqrt(weight), sqrt(bias)), b.serial(b.dense(sqrt(weight), sqrt(bias)),
                                                                   b.activation("relu")))
        return asy.Network(b.serial(b.layer_norm(), gate, b.dense(1)))

    assert cancel(chi(w, s).block_map.multiplier - 2 * w / (w + s)) == 0  # so 1 where sigma_w^2 = sigma_b^2 ...
    net = chi(Rational(1, 2), Rational(1, 2))
    assert str(net.correlation_law(terms=1)) == "36*pi^2/l^2 + O(log(l)/l^3)"


def test_the_normal_form_prints():
    net = asy.Network(PRE_NORM, variance=3)
    assert net.weight == cancel(1 / (b.LAYER + 2)) and net.variance == 3
    assert "w = 1/(l + 2)" in str(net.normal_form) and r"\frac{1}{l + 2}" in net.normal_form.latex()
    beta = Symbol("beta", positive=True)
    post = asy.Network(b.serial(b.residual(b.activation("relu"), b.dense(beta)), b.layer_norm()))
    assert cancel(post.weight - beta**2 / (2 + beta**2)) == 0


def test_a_branch_scaled_by_the_depth_has_a_limit_and_no_law(refused):
    net = asy.Network("residual(relu, dense(sqrt(2)), scale=1/sqrt(DEPTH))")
    refused(net.correlation_law, "differential equation", UnsupportedError)
    gap, kernel = net.limit(correlation="1/10")
    assert nstr(gap, 12) == "0.681950096442" and nstr(kernel, 12) == "0.424115397539"
    near = net.pair(300, correlation="1/10", digits=10)
    assert abs(near[0] - gap) < 2e-3 and abs(near[1] - kernel) < 5e-3


@pytest.mark.parametrize(("make", "reason"), [
    (lambda: asy.Network(), "either one block"),
    (lambda: asy.Network(PRE_NORM, period=[PRE_NORM]), "either one block"),
    (lambda: asy.Network(PRE_NORM, variance=0), "not positive"),
    (lambda: asy.Network(3), "is not a block"),
    (lambda: asy.Network(PRE_NORM, first="relu"), "is not a dense"),
    (lambda: asy.Network("serial(dense, relu)", period=None, first="dense").block.signal, None),
    (lambda: asy.Network("relu"), "put a dense between"),
    (lambda: asy.Network("serial(residual(relu, dense), layer_norm(affine=True))"), "affine=False"),
])  # fmt: skip
def test_what_makes_no_network_is_refused(make, reason):
    if reason is None:
        make()
        return
    with pytest.raises(InputError, match=reason):
        make()


@pytest.mark.parametrize("text", [
    "residual(layer_norm, relu, dense(1), scale=1/LAYER)",
    "serial(residual(layer_norm, relu, dense(1)), residual(layer_norm, relu, dense(1, 1)))",
    "serial(relu, conv(1, 8), relu, conv(1, 8))",
    "serial(dense(1), dense(1))",
    "dense_connection(1, relu, dense(1))",
    "dense_connection(1/2, relu, dense(1))",
    "residual(rms_norm, abs, dense(1/2), skip=2)",
    "residual(dense(1), erf, dense(1))",
    "serial(tanh, dense(1), tanh, dense(1))",
])  # fmt: skip
def test_where_there_is_no_law_the_reason_is_given(text):
    with pytest.raises(UnsupportedError) as caught:
        asy.Network(text).correlation_law()
    assert "\n" not in str(caught.value) and len(str(caught.value)) > 40


def test_a_start_outside_is_refused():
    law = asy.Network(PRE_NORM).correlation_law(terms=1)
    with pytest.raises(AsymptError):
        law.evaluate(depth=10, correlation=2)
    assert law.evaluate(depth=10, correlation=1) == 0


def test_a_normal_form_is_typeset_as_the_documents_are():
    found = asy.Network(PRE_NORM).normal_form.latex()
    assert found.endswith(r"T_{L} = H_{L} - 1") and r"c \arccos c" in found and "operatorname" not in found


def test_a_variance_that_settles_is_found_by_closed_forms_where_there_are():
    """ReLU and erf in turn took over a minute of quadratures; q* of 40 digits solves V(q) = q written out."""
    began = time.process_time()
    found = asy.Network("serial(relu, dense(1, 1/2), erf, dense(1, 0))").variance
    with mp.workdps(40):
        q = to_mpf(found)
        inner = mp.mpf(1) / 4 + q / 2
        assert abs(2 / mp.pi * mp.asin(2 * inner / (1 + 2 * inner)) - q) < mp.mpf(10) ** -35
    assert time.process_time() - began < 5


def mean_square(phi, q):
    """E phi(sqrt(q) Z)^2 by mpmath's quadrature."""
    return mp.quad(lambda z: phi(mp.sqrt(q) * z) ** 2 * mp.npdf(z), [-12, 0, 2, 12])


@pytest.mark.parametrize(("text", "phi", "weight"), [
    ("residual(exp, dense(1))", mp.exp, 1),  # exp(2 q): beyond every float in a few layers
    ("residual(tanh, dense(1/1000000))", mp.tanh, mp.mpf(10) ** -12),  # creeps on, by less than float64 iteration sees
], ids=["exp", "tanh"])
def test_a_variance_that_grows_without_bound_settles_nowhere(text, phi, weight):
    net = asy.Network(text)
    with pytest.raises(UnsupportedError, match="settles at no positive number"):
        _ = net.normal_form.variance
    with mp.workdps(20):
        second = 1 + weight * mean_square(phi, mp.one)
        assert mp.almosteq(net.pair(2, correlation="1/10", digits=15)[2], second, 1e-14)


def test_a_variance_that_settles_slowly_is_not_said_to_grow():
    with pytest.raises(UnsupportedError, match="has not settled after"):
        _ = asy.Network("serial(tanh, dense(1, 1/100000))").normal_form.variance


@pytest.mark.parametrize("scale", ["DEPTH^(-1/4)", "DEPTH^(1/4)", "1+1/DEPTH", "sqrt(DEPTH)/LAYER"])
def test_a_time_without_end_is_said_by_law_and_limit_alike(scale, refused):
    """DEPTH^(-1/4): w = 1/(sqrt(L) + l - 1), so sum w = log L/2 + ...; sqrt(DEPTH)/LAYER: the first do not fall."""
    net = asy.Network(f"residual(layer_norm, relu, dense(sqrt(2)), scale={scale})")
    for ask in (net.correlation_law, lambda: net.limit(correlation="1/10")):
        refused(ask, "add up to no finite time", UnsupportedError)


@pytest.mark.parametrize("ask", [
    lambda slope: asy.FeedForward("leaky_relu", slope=slope),
    lambda slope: asy.ResNet("leaky_relu", slope=slope),
    lambda slope: asy.MLP("leaky_relu", slope=slope),
    lambda slope: asy.Network(b.serial(b.activation("leaky_relu", slope=slope), b.dense(1))).ntk_law(),
    lambda slope: asy.Network(b.serial(b.activation("relu"), b.dense(1, slope))).correlation_law(),
])  # fmt: skip
@pytest.mark.parametrize("depth", [b.DEPTH, b.LAYER])
def test_a_depth_inside_the_layers_is_no_fixed_parameter(ask, depth, refused):
    """A Network took it for one and gave 9 pi^2 (2 L - 2 sqrt(L) + 1)^2/(2 l^2), 178 for 0.859 at l = L."""
    refused(lambda: ask(1 - 1 / sqrt(depth)), "laws in the layer take as fixed", UnsupportedError)


def test_a_gap_far_below_the_digits_is_followed():
    """1 - c^l of a linear layer behind a norm is 9/10 of 1 - c^1 over 10^(l - 1): no digit of it is seen at first."""
    gap = asy.Network("serial(layer_norm, dense(1, 3))").pair(60, correlation="1/10", digits=12)[0]
    assert abs(gap * 10 ** mpf(59) / mpf("0.9") - 1) < mpf(10) ** -12
