"""Any number of layers at the price of one, against mpmath: the map iterated plainly, and the laws at great depth.

Two independent routes: up to a few thousand layers the recursion of HDR Lemma 2 in gaps, with closed forms (arccosine
kernel; Williams 1997 for erf) and 60 to 150 digits; at 10^12 layers and above the asymptotic law (`law.evaluate`).
"""

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from sympy import Rational, sqrt

import asympt as asy
from asympt.depth import gram, pairs
from asympt.meanfield.activations import activation
from asympt.meanfield.edge import edge_of_chaos
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER
from tests import statements
from tests.depth.layers import critical, dense, one_by_one
from tests.depth.recursions import CLOSED, iterate, normalised, relu_like
from tests.on_demand import OnDemand

GAPS = [1e-15, 1e-12, 1e-8, 1e-4, 0.03, 0.4, 1.0, 1.3, 1.9, 2 - 1e-12, 2.0]


def relu(weight=2, bias=0, right=1, left=0) -> Layer:
    return Layer(activation("relu_like", right=right, left=left), Rational(weight), Rational(bias))


def off(computed, true) -> float:
    return float(abs(mpf(float(computed)) / true - 1)) if true else abs(float(computed))


def true_relu_like(right, left, gap, layers, excess=0, digits=60):
    """(1 - c, K/q) at the fixed point q of the variance: 1 - c' = chi (1 - f), k' = chi f' k + c'."""
    with mpmath.workdps(digits):
        right, left, chi = mpf(right), mpf(left), 1 + mpf(excess)
        kappa = (right - left) ** 2 / (2 * (right**2 + left**2))
        gap = mpf(gap)
        k = 1 - gap
        for _ in range(layers):
            t = mpmath.acos(1 - gap) if gap > 1e-3 else 2 * mpmath.asin(mpmath.sqrt(gap / 2))
            image = gap - 2 * kappa / mpmath.pi * (mpmath.sin(t) - t * mpmath.cos(t))
            slope = 1 - 2 * kappa * t / mpmath.pi
            gap = chi * image
            k = chi * slope * k + 1 - gap
        return gap, k


@pytest.mark.parametrize(("right", "left"), [(1, 0), (1, 0.125), (1, -1), (1, -0.5)])
@pytest.mark.parametrize("depth", [2, 3, 30, 1000])
def test_relu_like_on_the_edge(right, left, depth):
    gaps, kernels = pairs(relu(2, 0, right, Rational(left)), GAPS, depth)
    for start, gap, kernel in zip(GAPS, gaps, kernels, strict=True):
        true_gap, true_kernel = true_relu_like(right, left, start, depth - 1)
        assert off(gap, true_gap) < 1e-14 and abs(kernel - true_kernel) < 1e-14 * abs(true_kernel) + 1e-16


@pytest.mark.parametrize(("weight", "bias"), [("3/2", "1/10"), ("1", "1/5")])
@pytest.mark.parametrize("depth", [2, 30, 300])
def test_relu_with_a_bias_in_the_ordered_phase(weight, bias, depth):
    gaps, kernels = pairs(relu(weight, bias), GAPS, depth)
    for start, gap, kernel in zip(GAPS, gaps, kernels, strict=True):
        excess = mpf(Rational(weight).p) / Rational(weight).q / 2 - 1
        true_gap, true_kernel = true_relu_like(1, 0, start, depth - 1, excess)
        assert off(gap, true_gap) < 1e-13 and abs(kernel - true_kernel) < 1e-14 * abs(true_kernel) + 1e-15


def true_erf(layer: Layer, gap, depth: int, digits: int):
    """At the fixed point q: HDR Lemma 2 with Williams' kernel."""
    from tests.depth.test_depth_any_activation import naive

    return naive(layer, gap, depth, (None, None), digits)


PHASES = OnDemand({
    "edge": lambda: critical("erf"),
    "ordered": lambda: dense("erf", 1, "1/5"),
    "chaotic": lambda: dense("erf", 2, "1/5"),
    "chaotic, odd": lambda: dense("erf", 2, 0),
})  # fmt: skip


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("depth", [2, 30, 300])
def test_erf_in_every_phase(phase, depth):
    """chaotic, odd: gap 2 - 1e-12 opens like the gap 1e-12, which only the symmetry c -> -c sees."""
    gaps, kernels = pairs(PHASES[phase], GAPS, depth)
    for start, gap, kernel in zip(GAPS, gaps, kernels, strict=True):
        true_gap, true_kernel = true_erf(PHASES[phase], start, depth, 150 if phase == "ordered" else 60)
        assert off(gap, true_gap) < 1e-13, start
        assert abs(kernel - true_kernel) < 1e-13 * abs(true_kernel) + 1e-13, start


@pytest.mark.parametrize(
    ("name", "deviations"),
    [pytest.param("tanh", ("3/2", "1/2")), ("elu", None), ("gelu", ("1", "1/5"))],
)
def test_tables_of_any_activation(name, deviations):
    """Against the layers one after the other with compensated sums (their tables are held against mpmath elsewhere)."""
    layer = critical(name) if deviations is None else dense(name, *deviations)
    for depth in (7, 300):
        wanted = one_by_one(layer, GAPS, 1 - np.array(GAPS), depth - 1)
        gap, kernel = pairs(layer, GAPS, depth)
        np.testing.assert_allclose(gap, wanted[0], rtol=1e-13, atol=0)
        np.testing.assert_allclose(kernel, wanted[1], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("factor", ["1000001/1000000", "999999/1000000"])
def test_beside_the_edge_of_chaos(factor):
    """c* is 5e-6 away from 1: gaps fall far below where they began, then stop (against the loop, layer by layer)."""
    point = edge_of_chaos("erf", sigma_b="1/5")
    weight = Rational(str(point.exact_sigma_w.evalf(30))) * Rational(factor)
    layer = Layer(activation("erf"), weight**2, Rational(1, 25))
    wanted = one_by_one(layer, GAPS, 1 - np.array(GAPS), 2999)
    gap, kernel = pairs(layer, GAPS, 3000)
    np.testing.assert_allclose(gap, wanted[0], rtol=1e-13, atol=0)
    np.testing.assert_allclose(kernel, wanted[1], rtol=1e-13, atol=0)


def test_equal_and_opposite_inputs_at_any_depth():
    """chi > 1 and an odd map: K^L/q of equal inputs grows like chi^L, until it is infinite; the gap stays 0, or 2."""
    for depth, finite in ((10, True), (10**12, False), (10**30, False)):
        gap, kernel = pairs(PHASES["chaotic, odd"], [0.0, 2.0, 0.5], depth)
        assert gap[0] == 0.0 and gap[1] == 2.0 and kernel[0] == -kernel[1] and np.isfinite(kernel[0]) == finite
        assert np.isfinite(kernel[2]) and 0.5 <= gap[2] <= 1.0000001
    for depth in (2, 10**12):  # |x| does not see signs
        assert pairs(relu(2, 0, 1, -1), [0.0, 2.0], depth)[1].tolist() == pytest.approx([depth, depth], rel=1e-14)


LAWS = {
    "relu": (asy.FeedForward("relu", sigma_w=sqrt(2), sigma_b=0), relu()),
    "resnet": (asy.ResNet("relu", sigma_w=1, sigma_b=0), statements.residual(relu(1))),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("depth", [10**12, 10**30])
def test_the_laws_at_great_depth(name, depth):
    law, net = LAWS[name]
    gaps, kernels = pairs(net, [0.9, 1.9, 1e-3], depth)
    for start, gap, kernel in zip([0.9, 1.9, 1e-3], gaps, kernels, strict=True):
        c = 1 - mpf(start)
        assert off(gap, law.correlation_law(terms=4).evaluate(depth=depth, correlation=c, digits=25)) < 1e-13
        k = law.ntk_law(terms=4).evaluate(depth=depth, correlation=c, digits=25)
        assert off(kernel / depth, k) < 1e-13 or off(kernel, k) < 1e-13


def test_layers_that_differ_run_on_nodes():
    """20,000 pairs of a scaled residual network: the loop sees nodes; a few of them against mpmath."""
    random = np.random.default_rng(2)
    starts = np.concatenate([random.uniform(0, 2, 19_990), GAPS[:4], GAPS[-5:], [0.0]])
    statement = statements.scaled_residual(relu(2), Rational(1))
    together, alone = pairs(statement, starts, 60), pairs(statement, starts[-12:], 60)
    for many, few in zip(together, alone, strict=True):
        np.testing.assert_allclose(many[-12:], few, rtol=4e-15)
    with mpmath.workdps(50):
        products = [mpf(1) / 2, (1 - mpf(starts[0])) / 2, mpf(1) / 2]
        gap, kernel = normalised(iterate(statement, products, 60, relu_like(1, 0), 50)[-1], 50)
    assert off(together[0][0], gap) < 1e-14 and off(together[1][0], kernel) < 1e-14


def test_equal_norms_of_a_smooth_residual_network_run_on_nodes():
    """erf with a skip connection never settles; on a sphere all pairs share their maps."""
    random, statement = np.random.default_rng(4), statements.residual(dense("erf", 1, "1/5"))
    starts = random.uniform(0, 2, 12_000)
    gaps, kernels = pairs(statement, starts, 12, variance=1.0)
    with mpmath.workdps(40):
        bias = mpf(1) / 25
        products = [1 - bias, 1 - mpf(starts[0]) - bias, 1 - bias]
        gap, kernel = normalised(iterate(statement, products, 12, CLOSED["erf"], 40)[-1], 40)
    assert off(gaps[0], gap) < 1e-12 and off(kernels[0], kernel) < 1e-12


def test_rates_that_learn_differently_are_squared_too():
    statement = statements.with_rates(relu(2), Rational(3), Rational(0))
    gap, kernel = pairs(statement, [0.5], 10**9)
    plain = pairs(relu(2), [0.5], 10**9)
    assert gap == plain[0] and kernel == pytest.approx(1.5 * plain[1], rel=1e-13)
    falling = statements.with_rates(relu(2), 1 / LAYER, Rational(0))
    assert pairs(falling, [0.5], 50)[0] == pytest.approx(pairs(relu(2), [0.5], 50)[0], rel=1e-14)


def test_a_second_call_finds_its_tables():
    from asympt.depth.squaring.whole import whole_map

    net, inputs = relu(2), np.random.default_rng(1).normal(size=(5, 3))
    gram(net, inputs, depth=12345)
    before = whole_map.cache_info()
    gram(asy.FeedForward("relu", sigma_w=sqrt(2), sigma_b=0), inputs, depth=12345)
    after = whole_map.cache_info()
    assert after.misses == before.misses and after.hits > before.hits
    assert after.maxsize < 100
