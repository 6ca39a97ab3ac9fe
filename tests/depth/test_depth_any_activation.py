"""`pairs` and `gram` for activations that are not ReLU-like, against the networks' definition in mpmath."""

import warnings

import mpmath
import numpy as np
import pytest
from sympy import Symbol

import asympt as asy
from asympt.depth import gram, pairs
from asympt.errors import UnsupportedError
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from tests.depth.layers import CLOSED, critical, dense, off
from tests.depth.recursions import assert_close, by_layers, direct_gram
from tests.on_demand import OnDemand

RANDOM = np.random.default_rng(11)


def naive(layer: Layer, gap, depth: int, variances, digits=40):
    """`by_layers` with Williams' kernels, from the settled variance where none is given."""
    maps = CLOSED[layer.activation.name]
    with mpmath.workdps(digits):
        given = [settled_variance(layer, maps[0]) if v is None else v for v in variances]
    return by_layers(layer, maps, gap, depth, given, digits)


def settled_variance(layer: Layer, value):
    """q = sigma_b^2 + sigma_w^2 E[phi^2] by iteration at mpmath's precision."""
    weight, bias = to_mpf(layer.weight_variance), to_mpf(layer.bias_variance)
    return mpmath.findroot(lambda q: bias + weight * value(q, q, 1) - q, float(to_mpf(layer.fixed_variance)))


LAYERS = OnDemand({
    "edge": lambda: critical("erf"),
    "edge, sin": lambda: critical("sin", "1/10"),
    "ordered": lambda: dense("erf", 1, "1/5"),
    "chaotic": lambda: dense("erf", 3, "1/5"),
    "less chaotic": lambda: dense("erf", 2, "1/5"),
    "chaotic, odd": lambda: dense("erf", 2, 0),
})  # fmt: skip


@pytest.mark.parametrize("phase", LAYERS)
@pytest.mark.parametrize("depth", [2, 30, 300])
def test_every_phase(phase, depth):
    """chaotic, odd: gap 2 - 1e-12 opens like the gap 1e-12, which only the symmetry c -> -c sees."""
    layer, starts = LAYERS[phase], [1e-15, 1e-12, 1e-8, 1e-4, 0.03, 0.4, 1.0, 1.3, 1.9, 2 - 1e-12, 2.0]
    ends, kernels = pairs(layer, starts, depth)
    for start, gap, kernel in zip(starts, ends, kernels, strict=True):
        true_gap, true_kernel = naive(layer, start, depth, (None, None), digits=150 if phase == "ordered" else 60)
        assert off(gap, true_gap) < 1e-13, start
        assert abs(kernel - true_kernel) < 1e-13 * abs(true_kernel) + 1e-13, start


@pytest.mark.parametrize("variances", [(1.0, 1.0), (0.2, 3.0), (5.0, 0.01)])
@pytest.mark.parametrize("phase", ["edge", "chaotic"])
def test_variances_that_move(phase, variances):
    layer, starts = LAYERS[phase], [1e-10, 0.4, 1.0, 1.9]
    for depth in (2, 5, 120):
        ends, kernels = pairs(layer, starts, depth, variance=variances)
        for start, gap, kernel in zip(starts, ends, kernels, strict=True):
            true_gap, true_kernel = naive(layer, start, depth, variances)
            assert off(gap, true_gap) < 1e-10
            assert abs(kernel - true_kernel) < 1e-10 * abs(true_kernel) + 1e-13


def test_shapes_workers_and_progress():
    layer, seen = LAYERS["edge"], []
    gap = RANDOM.uniform(0, 2, (3, 2000))
    alone = pairs(layer, gap, 20, progress=lambda done, total: seen.append((done, total)))
    for one, two in zip(alone, pairs(layer, gap, 20, workers=2), strict=True):
        assert one.shape == gap.shape
        np.testing.assert_array_equal(one, two)
    assert seen[-1] == (6000 * 19, 6000 * 19)


def test_one_pair_in_a_block_does_not_touch_another():
    """Pairs beyond gap 3/2 take another branch: the result of a pair does not depend on its neighbours."""
    starts = np.array([1e-12, 1.3, 1.9, 2.0, 0.7])
    together = pairs(LAYERS["chaotic"], starts, 9)
    for i, start in enumerate(starts):
        for many, one in zip(together, pairs(LAYERS["chaotic"], start, 9), strict=True):
            assert many[i] == pytest.approx(one, rel=1e-14)


def true_gram(layer: Layer, inputs, depth: int):
    """Sigma and K from closed forms, or from mpmath's kernels."""
    phi = layer.activation.piecewise
    maps = CLOSED.get(layer.activation.name) or (kernel_of(phi).value, kernel_of(phi.derivative(1)).value)
    return direct_gram(layer, maps, inputs, depth, 25)


GRAMS = OnDemand({
    "erf": lambda: dense("erf", "3/2", "1/10"),
    "sin": lambda: critical("sin"),
    "elu": lambda: dense("elu", "6/5", "1/5"),
    "hard_tanh": lambda: dense("hard_tanh", "13/10", "1/10"),
})  # fmt: skip


@pytest.mark.parametrize("name", GRAMS)
@pytest.mark.parametrize("depth", [2, 5])
def test_gram_of_unequal_norms(name, depth):
    assert_gram(GRAMS[name], depth)


def assert_gram(layer, depth, random=RANDOM):
    inputs = random.normal(size=(4, 3)) * np.array([1, 0.2, 4, 1])[:, None]
    inputs[3] = -0.9 * inputs[0]
    sigma, kernel = gram(layer, inputs, depth=depth)
    true_sigma, true_kernel = true_gram(layer, inputs, depth)
    assert_close(sigma, true_sigma, 1e-12)
    for i, j in np.ndindex(4, 4):
        scale = mpmath.sqrt(true_sigma[i][i] * true_sigma[j][j])
        assert abs(kernel[i, j] - true_kernel[i][j]) < 1e-12 * scale * depth
    np.testing.assert_array_equal(sigma, sigma.T)
    np.testing.assert_array_equal(kernel, kernel.T)


def test_an_input_of_zeros():
    """Without bias an odd activation keeps it at zero; with one it does not."""
    inputs = np.array([[0.0, 0.0], [1.0, 2.0]])
    sigma, kernel = gram(LAYERS["chaotic, odd"], inputs, depth=6)
    np.testing.assert_array_equal(sigma[0], 0.0)
    np.testing.assert_array_equal(kernel[0], 0.0)
    sigma, _ = gram(LAYERS["edge"], inputs, depth=6)
    assert np.all(sigma > 0)


def test_nobody_asks_for_the_fixed_point_where_variances_are_given(monkeypatch):
    """It may take half a minute to find (phi with poles near the real line)."""
    from asympt.depth.composed import layers

    def asked(layer):
        raise AssertionError("the fixed point was asked for")

    monkeypatch.setattr(layers, "fixed_variance", asked)
    layer, inputs = dense("erf", "3/2", "1/5"), [[1.0, 2.0], [3.0, -1.0]]
    pairs(layer, [0.4], 3, variance=([1.0], [1.3]))
    pairs(layer, [0.4], 3, variance=1.0)
    gram(layer, inputs, depth=[1, 3, 100])
    with pytest.raises(AssertionError, match="asked for"):
        pairs(layer, [0.4], 3)


def test_a_variance_beyond_the_floats_is_said_in_one_sentence_without_a_warning():
    x = Symbol("x")
    net = asy.ResNet(asy.Activation(x**2, x, name="square"), sigma_w=1)  # q' = q + 3 q^2/2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnsupportedError, match="exceeds the float64 range"):
            asy.depth.pairs(net, np.array([0.5]), 40, variance=1.0)
