"""Random matrices and networks for TBG's bounds on slopes, with an explicit backward pass.

The printed bounds, and those with every factor, stand in `claims.stated` as objects.
"""

import numpy as np

NEURONS, BLOCKS, NETWORKS, LARGE, DRAWS = 64, 4, 20, 10, 2000
TITLE = f"largest $|df/dx|$ of {NETWORKS} random ReLU networks, $n = d = {NEURONS}$, $L = {BLOCKS}$"
TAILS = ("5/4", "3/2", "2", "3")


def inside(rows: int = 48, columns: int = 24) -> dict[str, float]:
    """For every t the share of random matrices with all singular values within t of sqrt(m) -+ sqrt(n)."""
    random = np.random.default_rng(0)
    found = np.linalg.svd(random.standard_normal((DRAWS, rows, columns)), compute_uv=False)
    low, high, shares = np.sqrt(rows) - np.sqrt(columns), np.sqrt(rows) + np.sqrt(columns), {}
    for name, tail in zip(TAILS, (1.25, 1.5, 2.0, 3.0), strict=True):
        shares[name] = float(((found[:, -1] >= low - tail) & (found[:, 0] <= high + tail)).mean())
    return shares


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
