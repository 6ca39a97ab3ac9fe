"""Random networks for TBG: slopes against their bounds, and training that moves the NTK."""

from functools import lru_cache

import numpy as np

from asympt.architectures.feedforward import FeedForward
from asympt.depth.finite.composition import Tally
from asympt.depth.finite.descent import descend, held

POINTS = np.random.default_rng(99).standard_normal((4, 3))
WIDTHS, STEPS, RUNS = (64, 128, 256), 200, 4
NEURONS, BLOCKS, NETWORKS, LARGE, DRAWS = 64, 4, 20, 10, 2000
TITLE = f"largest $|df/dx|$ of {NETWORKS} random ReLU networks, $n = d = {NEURONS}$, $L = {BLOCKS}$"
TAILS = {"5/4": 1.25, "3/2": 1.5, "2": 2.0, "3": 3.0}


def inside(rows: int, columns: int = 24) -> dict[str, float]:
    """For every t the share of random matrices with all singular values within t of sqrt(m) -+ sqrt(n)."""
    random = np.random.default_rng(0)
    found = np.linalg.svd(random.standard_normal((DRAWS, rows, columns)), compute_uv=False)
    low, high = np.sqrt(rows) - np.sqrt(columns), np.sqrt(rows) + np.sqrt(columns)
    return {name: float(((found[:, -1] >= low - tail) & (found[:, 0] <= high + tail)).mean())
            for name, tail in TAILS.items()}  # fmt: skip


def middle() -> float:
    """|V| |W|/n of two Gaussian matrices."""
    random = np.random.default_rng(2)
    norms = [np.linalg.norm(random.standard_normal((NEURONS, NEURONS)), 2) for _ in range(2)]
    return float(norms[0] * norms[1] / NEURONS)


def steepest(net, depth: int = BLOCKS + 1) -> float:
    """The largest |df/dx| of random networks of width and input dimension 64: four blocks (hidden layers)."""
    random, network = np.random.default_rng(1), net.finite()
    x = random.standard_normal((1, NEURONS))
    layers = network.draw(random, x, depth, NEURONS, NETWORKS, held)
    network.forward(layers, x, NETWORKS)
    *_, after = network.backward(layers, 1, 1, Tally(), NETWORKS)
    slopes = layers[0][0].backward(after, Tally())
    return float(np.linalg.norm(slopes.reshape(NETWORKS, -1), axis=1).max())


@lru_cache(maxsize=4)
def trained(width: int) -> dict[str, np.ndarray]:
    """Of every network: the distance travelled, the largest change of the NTK, K = max |J|, R_0 and lambda_min.

    One hidden layer; a step -eta J^T e has the square length eta^2 e^T J J^T e, and J J^T is the NTK.
    """
    network, targets = FeedForward("tanh", sigma_w=1).finite(), np.array([[1.0, -1.0, 0.5, 0.0]])
    layers, kernels, errors = network.draw(np.random.default_rng(width), POINTS, 2, width, RUNS, held), [], []
    for _ in range(STEPS + 1):
        last = network.forward(layers, POINTS, RUNS)[-1]
        kernels.append(network.tangents(layers, len(POINTS), 1, RUNS)["ntk"])
        errors.append(last[:, 0, :, 0] - targets)
        modes = np.linalg.eigvalsh(kernels[0])
        rate = 1 / (modes[:, 0] + modes[:, -1])
        descend(network, layers, last, targets, rate)
    lengths = rate * np.sqrt(np.einsum("tri,trij,trj->tr", errors[:-1], kernels[:-1], errors[:-1]))
    return {
        "travel": lengths.sum(axis=0), "kernel": np.linalg.norm(kernels - kernels[0], axis=(2, 3)).max(axis=0),
        "K": np.sqrt(np.trace(kernels, axis1=2, axis2=3).max(axis=0)), "R_0": np.linalg.norm(errors[0], axis=1),
        "lambda_min": modes[:, 0],
    }  # fmt: skip


def _jacobian(theta: np.ndarray, points: np.ndarray) -> np.ndarray:
    """df/d theta, one row per point."""
    inputs = points / np.sqrt(points.shape[1])
    hidden = np.tanh(inputs @ theta[:, :-1].T)
    inner = ((1 - hidden**2) * theta[:, -1])[:, :, None] * inputs[:, None, :]
    return np.concatenate([inner, hidden[:, :, None]], axis=2).reshape(len(points), -1) / np.sqrt(len(theta))


@lru_cache(maxsize=4)
def jacobian_around(width: int) -> dict[str, float]:
    """J at weights within 1 of random ones: columns, largest |J| and difference quotient; |J| with v times 100."""
    random = np.random.default_rng(width)
    start, near = random.standard_normal((width, 4)), []
    for _ in range(20):
        step = random.standard_normal(start.shape)
        near.append(start + random.uniform() * step / np.linalg.norm(step))
    jacobians = [_jacobian(theta, POINTS) for theta in near]
    quotients = [np.linalg.norm(jacobians[k] - jacobians[0]) / np.linalg.norm(near[k] - near[0]) for k in range(1, 20)]
    far = np.linalg.norm(_jacobian(start * np.array([1, 1, 1, 100]), POINTS))
    found = {"columns": jacobians[0].shape[1], "near": max(map(np.linalg.norm, jacobians)), "far": far}
    return {name: float(value) for name, value in {**found, "quotient": max(quotients)}.items()}
