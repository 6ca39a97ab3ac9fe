"""Random networks for TBG: slopes against their bounds, and training that moves the NTK by explicit backward passes."""

from functools import lru_cache

import numpy as np

WIDTHS, STEPS, RUNS = (64, 256, 1024), 200, 4
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


def steepest(blocks: bool, sigma_w: float, sigma_v: float = 1.0, alpha: float = 1.0) -> float:
    """The largest |df/dx| of random ReLU networks of width and input dimension 64 and four blocks (hidden layers)."""
    random, size = np.random.default_rng(1), NEURONS
    found = []
    for _ in range(NETWORKS):
        x = random.standard_normal(size)
        first, readout = random.standard_normal((size, size)), random.standard_normal(size)
        scale = sigma_w / np.sqrt(size)
        state, jacobian = (first @ x / np.sqrt(size), first / np.sqrt(size))
        if not blocks:
            state, jacobian = sigma_w * state, sigma_w * jacobian
        for layer in range(BLOCKS):
            inner, outer = random.standard_normal((2, size, size))
            if blocks:
                g = scale * inner @ state
                factor = alpha * sigma_v / np.sqrt(size)
                jacobian = jacobian + factor * outer @ ((g > 0)[:, None] * (scale * inner @ jacobian))
                state = state + factor * outer @ np.maximum(g, 0)
            else:
                state, jacobian = np.maximum(state, 0), (state > 0)[:, None] * jacobian
                if layer < BLOCKS - 1:
                    state, jacobian = scale * inner @ state, scale * inner @ jacobian
        found.append(np.linalg.norm(scale * readout @ jacobian))
    return float(max(found))


@lru_cache(maxsize=16)
def trained(width: int, seed: int) -> dict[str, float]:
    """Of one network: the distance travelled, the largest change of the NTK, K, R_0 and lambda_min."""
    random, inputs = np.random.default_rng(seed), 3
    points = np.random.default_rng(99).standard_normal((4, inputs))
    targets = np.array([1.0, -1.0, 0.5, 0.0])
    theta = random.standard_normal((width, inputs + 1))  # W beside v
    first = _jacobian(theta, points)
    kernel = first @ first.T
    modes = np.linalg.eigvalsh(kernel)
    rate, travel, furthest, largest = 1 / (modes[0] + modes[-1]), 0.0, 0.0, np.linalg.norm(first)
    error = _output(theta, points) - targets
    scale = np.linalg.norm(error)
    for _ in range(STEPS):
        jacobian = _jacobian(theta, points)
        step = -rate * jacobian.T @ error
        theta = theta + step.reshape(theta.shape)
        error = _output(theta, points) - targets
        travel += np.linalg.norm(step)
        furthest = max(furthest, np.linalg.norm(jacobian @ jacobian.T - kernel))
        largest = max(largest, np.linalg.norm(jacobian))
    found = {"travel": travel, "kernel": furthest, "K": largest, "R_0": scale, "lambda_min": modes[0]}
    return {name: float(value) for name, value in found.items()}


def _output(theta: np.ndarray, points: np.ndarray) -> np.ndarray:
    hidden = np.tanh(points @ theta[:, :-1].T / np.sqrt(points.shape[1]))
    return hidden @ theta[:, -1] / np.sqrt(len(theta))


def _jacobian(theta: np.ndarray, points: np.ndarray) -> np.ndarray:
    """df/d theta, one row per point."""
    inputs = points / np.sqrt(points.shape[1])
    hidden = np.tanh(inputs @ theta[:, :-1].T)
    inner = ((1 - hidden**2) * theta[:, -1])[:, :, None] * inputs[:, None, :]
    return np.concatenate([inner, hidden[:, :, None]], axis=2).reshape(len(points), -1) / np.sqrt(len(theta))


@lru_cache(maxsize=4)
def jacobian_around(width: int) -> dict[str, float]:
    """J at weights within 1 of random ones: columns, largest |J| and difference quotient; |J| with v times 100."""
    random, points = np.random.default_rng(width), np.random.default_rng(99).standard_normal((4, 3))
    start, near = random.standard_normal((width, 4)), []
    for _ in range(20):
        step = random.standard_normal(start.shape)
        near.append(start + random.uniform() * step / np.linalg.norm(step))
    jacobians = [_jacobian(theta, points) for theta in near]
    quotients = [np.linalg.norm(jacobians[k] - jacobians[0]) / np.linalg.norm(near[k] - near[0]) for k in range(1, 20)]
    far = np.linalg.norm(_jacobian(start * np.array([1, 1, 1, 100]), points))
    found = {"columns": jacobians[0].shape[1], "near": max(map(np.linalg.norm, jacobians)), "far": far}
    return {name: float(value) for name, value in {**found, "quotient": max(quotients)}.items()}
