"""asympt.depth.pairs against the recursion itself, iterated by mpmath in c with enough digits to lose some."""

import numpy as np
import pytest

from asympt.depth import pairs
from tests.depth.layers import off, relu
from tests.depth.recursions import by_layers, relu_like

SLOPES = [(1, 0), (1, "1/100"), (1, "1/10"), (1, "9/10"), (1, -1), (1, "-999/1000"), (1, "-1/2"), (3, 3)]
GAPS = [1e-30, 1e-15, 1e-8, 0.3, 1.0, 1.5, 1.9999, 2.0]


def naive(slopes, gap, depth, weight=2, bias=0, variances=(1, 1), digits=60):
    """From q, q', the covariance and K, as the networks' definition has them."""
    return by_layers(relu(weight, bias, *slopes), relu_like(*slopes), gap, depth, variances, digits)


@pytest.mark.parametrize("slopes", SLOPES)
@pytest.mark.parametrize("depth", [1, 2, 3, 200])
def test_every_digit_for_all_gaps(slopes, depth):
    gaps, kernels = pairs(relu(2, 0, *slopes), GAPS, depth)
    for start, gap, kernel in zip(GAPS, gaps, kernels, strict=True):
        true_gap, true_kernel = naive(slopes, start, depth, digits=80)
        assert off(gap, true_gap) < 2e-15
        assert abs(kernel - true_kernel) < 1e-15 * depth + 5e-15 * abs(true_kernel)


def test_the_published_value():
    """Relu, c^1 = 0.1, L = 1000: 25 digits from a plain mpmath iteration of HDR Lemma 2."""
    gap, kernel = pairs(relu(), 0.9, 1000)
    assert gap == pytest.approx(4.3194119237689952412286668216e-5, rel=1e-14, abs=0)
    assert kernel / 1000 == pytest.approx(0.25335464615235600885653594506, rel=1e-14, abs=0)


@pytest.mark.parametrize("slopes", [(1, 0), (1, "1/10"), (1, -1), (1, "-1/2"), (2, 2)])
@pytest.mark.parametrize("weight", ["2", "1", "199/100", "5/2", "1/100"])
@pytest.mark.parametrize("depth", [2, 3, 30])
def test_with_a_bias(slopes, weight, depth):
    for start, variances in [(1e-15, (1.0, 1.0)), (1e-10, (2.0, 1.5)), (0.0, (1.0, 1.0 + 1e-12)), (1.0, (0.3, 7.0)),
                             (1.7, (0.2, 0.2)), (2.0, (1.0, 3.0))]:  # fmt: skip
        gap, kernel = pairs(relu(weight, "1/10", *slopes), start, depth, variance=variances)
        true_gap, true_kernel = naive(slopes, start, depth, weight, "1/10", variances, digits=250)
        assert off(gap, true_gap) < 5e-15
        assert abs(kernel - true_kernel) < 3e-16 * depth + 3e-15 * abs(true_kernel)


def test_the_variance_rests_at_its_fixed_point():
    """chi = 1/2, sigma_b^2 = 3: q = 6, so that giving 6 changes nothing."""
    layer = relu(1, 3)
    for given_, default in zip(pairs(layer, [0.3, 1.2], 40, variance=6), pairs(layer, [0.3, 1.2], 40), strict=True):
        np.testing.assert_array_equal(given_, default)


def test_identical_inputs_stay_identical():
    """c = 1 is fixed and K^L/q_L = L (K' = f'(1) K + 1)."""
    gap, kernel = pairs(relu(), 0.0, 12345)
    assert (gap, kernel) == (0.0, 12345.0)


@pytest.mark.parametrize("slope", ["999/1000", "-999/1000", "-1/1000"])
def test_tiny_and_large_gaps_in_one_block(slope):
    """With slopes 1 and 0.999 a gap of 1.9 stays above 1 for a million layers; 1e-15 next to it keeps its digits."""
    gaps, kernels = pairs(relu(2, 0, 1, slope), [1e-15, 1.9], 1500)
    for start, gap, kernel in zip([1e-15, 1.9], gaps, kernels, strict=True):
        true_gap, true_kernel = naive((1, slope), start, 1500)
        assert off(gap, true_gap) < 2e-15
        assert off(kernel, true_kernel) < 1e-13
