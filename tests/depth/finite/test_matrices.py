"""Matrices that are revealed only in the directions asked for are Gaussian matrices."""

import numpy as np
import pytest

import asympt as asy
from asympt.depth.finite import empirical_kernels
from asympt.depth.finite.kernels import Revealed

X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8]])


def test_products_belong_to_one_matrix():
    random = np.random.default_rng(0)
    w = Revealed(random, 3, 6, 5)
    right, left = random.normal(size=(3, 5, 2)), random.normal(size=(3, 6, 3))
    seen, back = w.times(right), w.transposed(left)
    again = w.times(np.concatenate([right, right @ np.ones((2, 2))], axis=2))  # columns that depend on one another
    whole = w.times(np.broadcast_to(np.eye(5), (3, 5, 5)))
    np.testing.assert_allclose(whole @ right, seen, atol=1e-12)
    np.testing.assert_allclose(np.swapaxes(whole, 1, 2) @ left, back, atol=1e-12)
    np.testing.assert_allclose(again[:, :, :2], seen, atol=1e-12)


def test_entries_are_independent_and_normal_whatever_was_asked():
    """Questions that depend on earlier answers, as those of a backward pass do: 4.5 standard errors, 20000 matrices."""
    count, random = 20_000, np.random.default_rng(1)
    w = Revealed(random, count, 4, 3)
    seen = w.times(np.ones((count, 3, 1)))
    back = w.transposed(np.maximum(seen, 0) + 0.1)
    w.times(np.tanh(back))
    entries = w.times(np.broadcast_to(np.eye(3), (count, 3, 3))).reshape(count, 12)
    error = 1 / np.sqrt(count)
    assert np.abs(entries.mean(axis=0)).max() < 4.5 * error
    assert np.abs(entries.T @ entries / count - np.eye(12)).max() < 4.5 * np.sqrt(2) * error
    assert np.abs((entries**4).mean(axis=0) - 3).max() < 4.5 * np.sqrt(96) * error


@pytest.mark.parametrize("network, inputs", [
    (asy.FeedForward("relu", sigma_w=1.3, sigma_b=0.4), X), (asy.BlockResNet("erf", sigma_w=1.3), X),
    (asy.Network("residual(layer_norm, relu, dense(1))"), X),
    (asy.ConvNet("relu", 3, 1, sigma_w=1.3, sigma_b=0.4), np.random.default_rng(0).normal(size=(1, 2, 3))),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_both_kinds_give_the_same_kernels(network, inputs):
    """Mean and scatter over 1000 networks of width 48, where the bias in 1/n shows: it is the same bias."""
    network = network.finite()
    one, two = (
        empirical_kernels(network, inputs, 3, width=48, most_seeds=1000, outputs=2, explicit=explicit, seed=seed)
        for explicit, seed in ((True, 1), (False, 2))
    )
    for name in ("nngp", "ntk"):
        a, b = one.quantities[name], two.quantities[name]
        apart = np.abs(a.mean - b.mean) / np.hypot(a.error, b.error)
        assert apart.max() < 3.5
        np.testing.assert_allclose(a.error, b.error, rtol=0.2)
