"""The backward passes against central differences of the forward passes: tiny networks, every weight, float64."""

import numpy as np
import pytest

from asympt.depth.finite import Block, Convolution, Dense, Residual, ResidualConvolution, ScaledResidual
from asympt.depth.finite.matrices import Drawn

RANDOM = np.random.default_rng(0)
X, SIGNALS = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(2, 2, 4))
STEP, WIDTH, DEPTH, OUTPUTS = 1e-5, 5, 3, 2
SCALES = {"sigma_w": "13/10", "sigma_b": "2/5"}
NETWORKS = [
    Dense("tanh", **SCALES),
    Dense("relu", **SCALES, weight_rates=lambda layer: 1 + layer, bias_rates=0.7),
    Dense("tanh", sigma_w=1, bias_rates=2),
    Residual("tanh", **SCALES),
    ScaledResidual("relu", **SCALES, kappa=1),
    Convolution("tanh", **SCALES),
    ResidualConvolution("relu", **SCALES, reach=1),
]


def in_float64(matrix: Drawn) -> Drawn:
    return Drawn(matrix.entries.astype(float))


def jacobian(output, parameters: np.ndarray) -> np.ndarray:
    """d output/d parameters, one row per output: `parameters` is changed in place."""
    rows = []
    for index in np.ndindex(parameters.shape):
        kept = parameters[index]
        values = []
        for sign in (1, -1):
            parameters[index] = kept + sign * STEP
            values.append(output())
        parameters[index] = kept
        rows.append((values[0] - values[1]) / (2 * STEP))
    return np.array(rows).reshape(parameters.size, -1).T


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: type(network).__name__)
def test_every_layer(network):
    inputs = SIGNALS if isinstance(network, Convolution) else X
    drawn = network.draw(np.random.default_rng(1), inputs, DEPTH, WIDTH, 1, Drawn)
    weights = [(in_float64(matrix), biases) for matrix, biases in drawn]
    passed = network.forward(weights, inputs)
    shares = network.shares(passed, OUTPUTS)
    pixels = passed.preactivations[0][0, 0].size

    def output():
        return network.forward(weights, inputs).preactivations[-1][0, :OUTPUTS].ravel()

    for layer, (matrix, biases) in enumerate(weights, 1):
        for name, parameters, factor in (
            ("weights", matrix.entries, network.weight_rate(layer) / network.sigma_w**2),
            ("biases", biases, network.bias_rate(layer)),
        ):
            gradient = jacobian(output, parameters)
            expected = factor * (gradient @ gradient.T).reshape(OUTPUTS, pixels, OUTPUTS, pixels)
            found = shares[name][0, layer - 1]
            np.testing.assert_allclose(found, np.swapaxes(expected, 1, 2), rtol=1e-6, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("name", ["tanh", "relu"])
def test_every_group_of_a_block(name):
    network = Block(name, alpha="7/10", sigma_v="4/5", sigma_w="13/10")
    drawn = network.draw(np.random.default_rng(2), X, DEPTH, WIDTH, 1, Drawn)
    weights = {key: in_float64(m) if key == "U" else [in_float64(w) for w in m] for key, m in drawn.items()}
    shares = network.shares(weights, X, *network.forward(weights, X), OUTPUTS)

    def output():
        return network.forward(weights, X)[1][-1][0, :OUTPUTS].ravel()

    def expected(matrix):
        gradient = jacobian(output, matrix.entries).reshape(OUTPUTS, len(X), -1)
        return np.einsum("iap,ibp->ab", gradient, gradient) / OUTPUTS

    groups = [("U", 0, weights["U"]), ("readout", 0, weights["W"][-1])]
    groups += [(key, at, weights[key][at]) for key in ("V", "W") for at in range(DEPTH - 1)]
    for key, at, matrix in groups:
        np.testing.assert_allclose(shares[key][0, at], expected(matrix), rtol=1e-6, atol=1e-9, err_msg=f"{key}{at}")


def test_delta_is_the_gradient_of_the_stream():
    """delta^(0) from U: d f/d U = delta^(0) x^T/sqrt(d), so its share is delta^(0).delta^(0)' x.x'/d."""
    network = Block("tanh", alpha="7/10", sigma_v="4/5", sigma_w="13/10")
    weights = network.draw(np.random.default_rng(3), X, DEPTH, WIDTH, 1, Drawn)
    shares = network.shares(weights, X, *network.forward(weights, X), OUTPUTS)
    np.testing.assert_allclose(shares["U"][0, 0], shares["delta"][0, 0] * (X @ X.T) / 3, rtol=1e-12)
    readouts = weights["W"][-1].entries[0, :OUTPUTS].astype(float)
    np.testing.assert_allclose(
        shares["delta"][0, -1], np.full((2, 2), 1.69 / WIDTH * (readouts**2).sum() / OUTPUTS), rtol=1e-6
    )


def test_a_convolution_by_hand():
    """Layer 1 of one channel and one filter: z_(i, alpha) = sigma_w/sqrt(3) sum_beta w_(i, beta) x_(alpha + beta)."""
    network, signal = Convolution("relu", sigma_w=2, sigma_b=0), np.array([[[1.0, 2.0, 4.0, 8.0]]])
    matrix = Drawn(np.array([[[1.0, 10.0, 100.0]]]))
    passed = network.forward([(matrix, np.zeros((1, 1)))], signal)
    by_hand = 2 / np.sqrt(3) * np.array([218.0, 421.0, 842.0, 184.0])
    np.testing.assert_allclose(passed.preactivations[0][0, 0, 0], by_hand, rtol=1e-14)
