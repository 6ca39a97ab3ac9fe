"""Presets' backward passes by hand: the stream of a network of blocks, and a convolution."""

import numpy as np

import asympt as asy
from asympt.depth.finite.kernels import Drawn

X = np.random.default_rng(0).normal(size=(2, 3))
WIDTH, DEPTH, OUTPUTS = 5, 3, 2


def test_gradients_are_those_of_the_stream():
    """d f/d U = delta^(1) x^T/sqrt(d), so the share of U is the product of the gradients times x.x'/d."""
    network = asy.BlockResNet("tanh", alpha="7/10", sigma_v="4/5", sigma_w="13/10").finite()
    layers = network.draw(np.random.default_rng(3), X, DEPTH, WIDTH, 1, Drawn.new)
    network.forward(layers, X)
    found = network.tangents(layers, len(X), OUTPUTS)
    np.testing.assert_allclose(found["weights"][0, 0], found["gradients"][0, 0] * (X @ X.T) / 3, rtol=1e-12)
    readouts = layers[-1][0].matrix.entries[0, :OUTPUTS].astype(float)
    expected = np.full((2, 2), 1.69 / WIDTH * (readouts**2).sum() / OUTPUTS)
    np.testing.assert_allclose(found["gradients"][0, -1], expected, rtol=1e-6)
    assert found["gradients"].shape == (1, DEPTH, 2, 2) and found["weights"].shape == (1, 2 * DEPTH, 2, 2)


def test_a_convolution_by_hand():
    """Layer 1 of one channel and one filter: z_(i, alpha) = sigma_w/sqrt(3) sum_beta w_(i, beta) x_(alpha + beta)."""
    network, signal = asy.ConvNet("relu", 4, 1, sigma_w=2).finite(), np.array([[[1.0, 2.0, 4.0, 8.0]]])
    layers = network.draw(np.random.default_rng(0), signal, 1, 1, 1, Drawn.new)
    layers[0][0].matrix.entries = np.array([[[1.0, 10.0, 100.0]]])
    by_hand = 2 / np.sqrt(3) * np.array([218.0, 421.0, 842.0, 184.0])
    np.testing.assert_allclose(network.forward(layers, signal)[0][0, 0, 0], by_hand, rtol=1e-14)
