"""Kernels of compositions with convolutions: against the one-dimensional engine, a plain loop, and random networks.

The plain loop holds Sigma and K of all pairs of positions as they are, ReLU by its arc-cosine formulas (Cho and Saul
2009), and averages by padding and cutting arrays: no gap, no filter as a list of places.
"""

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import norm

from asympt import depth
from asympt.architectures.composition import Network
from asympt.architectures.convolution import ConvResNet
from asympt.blocks import average_pool, flatten
from asympt.depth.convolution import conv_gram, conv_pairs
from asympt.depth.finite import empirical_kernels
from asympt.errors import InputError, UnsupportedError
from asympt.precise.dense import ConvState, ConvStep

MODE = {"circular": "wrap", "zero": "constant"}


def inputs(*shape):
    return np.random.default_rng(3).normal(size=shape)


def averaged(values, padding):
    """The mean over a filter of three positions in each of the directions of (N, *grid, N, *grid)."""
    directions = values.ndim // 2 - 1
    for at in range(1, 1 + directions):
        pads = [(1, 1) if axis in (at, at + directions + 1) else (0, 0) for axis in range(values.ndim)]
        wide, size, total = np.pad(values, pads, MODE[padding]), values.shape[at], 0
        for step in range(3):
            cut = [slice(step, step + size) if pad == (1, 1) else slice(None) for pad in pads]
            total = total + wide[tuple(cut)]
        values = total / 3
    return values


def by_loop(X, depth, padding, weight, bias):
    """Sigma and K of residual(layer_norm, relu, conv(1, grid, weight, bias)) behind conv(1, grid, 1, 1/2)."""
    size = X[:, 0].size
    sigma = 1 / 4 + averaged(np.tensordot(X, X, ((1,), (1,))) / X.shape[1], padding)
    kernel, shape = sigma, sigma.shape
    for _ in range(depth - 1):
        q = np.sqrt(np.diag(sigma.reshape(size, size)))
        root = np.outer(q, q).reshape(shape)
        angle = np.arccos(np.clip(sigma / root, -1, 1))
        image = (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
        learnt = kernel / root * (np.pi - angle) / (2 * np.pi)
        added = bias**2 + weight**2 * averaged(image, padding)
        sigma, kernel = sigma + added, kernel + added + weight**2 * averaged(learnt, padding)
    return sigma, kernel


@pytest.mark.parametrize("padding", MODE)
@pytest.mark.parametrize("grid", [(4,), (3, 4)], ids=str)
def test_pre_norm_blocks_against_a_plain_loop(grid, padding):
    given = f"1, {grid if len(grid) > 1 else grid[0]}"
    net = Network(f"residual(layer_norm, relu, conv({given}, 3/2, 1/3, padding='{padding}'))",
                  first=f"conv({given}, 1, 1/2, padding='{padding}')")  # fmt: skip
    X = inputs(2, 3, *grid)
    found, size = conv_gram(net, X, 5), 2 * int(np.prod(grid))
    for kernel, expected in zip(found, by_loop(X, 5, padding, 3 / 2, 1 / 3), strict=True):
        np.testing.assert_allclose(kernel.swapaxes(1, 2).reshape(size, size), expected.reshape(size, size), 2e-8)


@pytest.mark.parametrize("sigma_b", [0, 0.3])
@pytest.mark.parametrize("first", ["conv(1, 4, 1)", "conv(1, 4, 2)", "conv(0, 4, 3, 1/2)"])
def test_circles_of_positions_without_skip_connections(first, sigma_b):
    """The same loop without norm and skip connection; layer 1 is that of the network."""
    X, size = inputs(2, 3, 4), 8
    net = Network(f"serial(relu, conv(1, 4, 3/2, {sigma_b}))", first=first)
    sigma, kernel = (values.swapaxes(1, 2).reshape(size, size) for values in conv_gram(net, X, 1))
    for _ in range(4):
        root = np.sqrt(np.outer(np.diag(sigma), np.diag(sigma)))
        angle = np.arccos(np.clip(sigma / root, -1, 1))
        image, slope = root * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi), (1 - angle / np.pi) / 2
        parts = (averaged(part.reshape(2, 4, 2, 4), "circular").reshape(size, size) for part in (image, slope * kernel))
        added, learnt = (9 / 4 * part for part in parts)
        sigma, kernel = sigma_b**2 + added, sigma_b**2 + added + learnt
    for found, expected in zip(conv_gram(net, X, 5), (sigma, kernel), strict=True):
        np.testing.assert_allclose(found.swapaxes(1, 2).reshape(size, size), expected, 3e-8)


def test_a_variance_that_grows():
    """A smooth phi with skip connections: its blocks, and not its statement."""
    net, q = ConvResNet("tanh", positions=3, reach=1, sigma_w=1.2, sigma_b=0.3), np.array([1.0, 2.0, 3.0])
    gap, kernel = conv_pairs(net, [0.5, 0.1, 1.2], 4, variance=q)
    with mp.workdps(25):
        gaps, variances = tuple(map(mpf, (0.5, 0.1, 1.2))), tuple(map(mpf, q))
        state = ConvState(1, gaps, tuple(1 - gap for gap in gaps), variances, variances)
        for _ in range(3):
            state = ConvStep(net.statement)(state)
    np.testing.assert_allclose(gap, np.array(state.gap, float), 1e-12)
    np.testing.assert_allclose(kernel, np.array(state.kernel, float), 1e-12)
    with pytest.raises(UnsupportedError, match="variance of 'tanh' grows"):
        conv_gram(net.statement, inputs(2, 3, 3), 3)


@pytest.mark.parametrize("readout", [average_pool(), flatten()], ids=str)
def test_readouts(readout):
    X = inputs(2, 3, 5)
    whole = conv_gram(Network("serial(relu, conv(1, 5, sqrt(2)))"), X, 6)
    for kernel, positions in zip(conv_gram(Network("serial(relu, conv(1, 5, sqrt(2)))", readout=readout), X, 6), whole,
                                 strict=True):  # fmt: skip
        pairs = [positions[..., a, b] for a in range(5) for b in range(5) if readout == average_pool() or a == b]
        np.testing.assert_allclose(kernel, np.mean(pairs, axis=0), rtol=1e-13)


RANDOM = {
    "a torus, pooled": ("residual(layer_norm, relu, conv(1, (3, 3), 1.3))", average_pool(), (2, 2, 3, 3)),
    "gates": ("serial(gated(conv(1, 4), serial(conv(0, 4, 1, 0.5), sigmoid)), conv(1, 4, 2))", flatten(), (2, 2, 4)),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_networks(name):
    block, readout, shape = RANDOM[name]
    net, X = Network(block, readout=readout), inputs(*shape)
    found = empirical_kernels(net.finite(), X, 4, widths=(64, 128), most_seeds=100, outputs=4, seed=2)
    for kernel, seen, error in zip(conv_gram(net, X, 4), (found.nngp, found.ntk), (found.nngp_error, found.ntk_error),
                                   strict=True):  # fmt: skip
        flat = kernel if readout else kernel.swapaxes(1, 2).reshape(seen.shape)
        entries = np.triu_indices(len(flat))
        deviations = np.abs(seen - flat)[entries] / error[entries]
        assert deviations.max() < norm.isf(norm.sf(3) / deviations.size)


def test_inputs_that_do_not_fit():
    net = Network("residual(layer_norm, relu, conv(1, (3, 4)))")
    with pytest.raises(InputError, match=r"shape \(N, channels, 3, 4\)"):
        conv_gram(net, np.ones((2, 3, 12)), 3)
    with pytest.raises(UnsupportedError, match="variance 0"):
        conv_gram(net, np.zeros((1, 3, 3, 4)), 3)
    with pytest.raises(InputError, match="too deep"):
        conv_gram(net, np.ones((1, 3, 3, 4)), 10**12)
    with pytest.raises(InputError, match="positions"):
        conv_gram(Network("serial(relu, conv(1, 4), relu, conv(1, 5))"), np.ones((1, 3, 4)), 3)


@pytest.mark.parametrize("readout", [None, "flatten"])
def test_what_has_no_pairs_of_positions_says_so(readout):
    net = Network("residual(layer_norm, relu, conv(1, 4))", readout=readout)
    for ask in (lambda: net.pair(3, gap="1/2"), lambda: depth.pairs(net, gap=[0.5], depth=3),
                lambda: depth.gram(net, np.ones((2, 3)), depth=3)):  # fmt: skip
        with pytest.raises(UnsupportedError, match="conv_gram"):
            ask()
