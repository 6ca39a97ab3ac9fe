"""Decisions on TBG: fits of ten points on a circle, and networks of finite width beside the infinite one.

Fits by the NTK of a ReLU network are not in the Hilbert space of the Gaussian kernel: what is compared is the norm on a
grid of 40 points of the circle (`training.smoothness`).  The slides give neither the points nor the targets.
"""

from functools import lru_cache

import numpy as np
from sympy import Rational, sqrt

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import BlockResNet
from asympt.claims.forms import at_most, monotone
from asympt.depth import gram
from asympt.depth.finite import empirical_kernels
from asympt.evidence.check import Check, Verification
from asympt.training.flow import Update, descend
from asympt.training.smoothness import SIZE, circle_grid, equally_spaced, ntk_fit, product_targets

ALPHAS = (Rational(1), Rational(1, 2), Rational(1, 5))
DEPTHS = (3, 6, 11, 21)
BLOCKS, GRID, STEPS, SEED = 2, 20, 60, 3
WIDTHS, SHARES = (64, 512), (0.5, 1.0)  # learning rates as shares of 2/(lambda_min + lambda_max)
ERRORS, CLOSE = 4.0, 0.15


@lru_cache(maxsize=64)
def mu(target: str, depth: int, alpha: Rational | None, size: int = SIZE) -> float:
    """mu of the NTK fit of ten equally spaced points; alpha None: the MLP."""
    points = equally_spaced(size=size)
    angles = 2 * np.pi * points / size
    values = {"x_1 x_2": product_targets(points, size), "cos of 3 times the angle": np.cos(3 * angles)}[target]
    return ntk_fit(_net(alpha), points, values, depth, size).smoothness()


def _net(alpha: Rational | None):
    return FeedForward("relu", sigma_w=sqrt(2), sigma_b=0) if alpha is None else BlockResNet("relu", alpha=alpha)


def _rises(target: str, depth: int, beside: str = "") -> Check:
    """Whether mu increases from the MLP over alpha = 1, 1/2, 1/5."""
    found = [mu(target, depth, alpha) for alpha in (None, *ALPHAS)]
    name = f"$mu$ over the MLP's: MLP, $alpha = 1$, 1/2, 1/5; $y = {target}$, $L = {depth}$"
    ratios = [value / found[0] for value in found]
    return monotone(name, ratios, "increasing", f"grid of 40, Gaussian kernel of width 1/2; {beside}")


def fits() -> Verification:
    """TBG.fig2: for data as in the paper; what other targets, deeper networks and finer grids do is said beside it."""
    smooth, rough = "x_1 x_2", "cos of 3 times the angle"
    grids = [mu(smooth, 6, Rational(1), size) for size in (20, 40, 80)]
    other = [mu(rough, 3, alpha) for alpha in (None, *ALPHAS)]
    ratios = ", ".join(f"{value / other[0]:.3g}" for value in other)
    return Verification(
        "fits become smoother (larger mu) as alpha decreases, for ten points of a circle and y = x_1 x_2",
        (
            *(_rises(smooth, depth, f"for y = {rough}, L = 3, instead {ratios}") for depth in DEPTHS),
            monotone("$mu$ of one fit on grids of 20, 40, 80 points", grids, "decreasing",
                     "the fit is not in H: mu compares fits on the same grid only"),
        ),
    )  # fmt: skip


def finite_against_infinite() -> Verification:
    """TBG.fig1."""
    checks = [_kernel()]
    for share in SHARES:
        wide = _distance(WIDTHS[1], share)
        name = f"largest |f_t - infinite width| over $max |y|$, $n = {WIDTHS[1]}$, $t = {STEPS}$, "
        name += f"rate {share:g} of the largest"
        narrow = _distance(WIDTHS[0], share)
        checks.append(at_most(name, wide, CLOSE, f"{narrow:.3g} at n = {WIDTHS[0]}"))
        checks.append(at_most(f"the same over that at $n = {WIDTHS[0]}$, rate {share:g}", wide / narrow, 0.6, digits=4))
    return Verification("kernel and predictions of a wide residual network agree with infinite width", tuple(checks))


@lru_cache(maxsize=1)
def _infinite() -> np.ndarray:
    """Theta on the grid of the circle, ReLU, alpha = sigma_v = sigma_w = 1."""
    return gram(BlockResNet("relu"), circle_grid(GRID), depth=BLOCKS + 1)[1]


def _kernel() -> Check:
    """The mean NTK of random networks at infinite width, in standard errors."""
    points = circle_grid(GRID)[:4]
    network = BlockResNet("relu").finite()
    found = empirical_kernels(network, points, BLOCKS + 1, widths=(64, 128, 256), most_seeds=64, seed=SEED)
    expected = _infinite()[:4, :4]
    away = np.abs(found.ntk - expected) / found.ntk_error
    return at_most("largest distance of the NTK from its mean over networks, in standard errors",
                   away.max(), ERRORS, "four points, widths 64, 128, 256")  # fmt: skip


@lru_cache(maxsize=8)
def _distance(width: int, share: float) -> float:
    """Between the trained network and the infinite width, on the grid, over the largest target."""
    train = equally_spaced(5, GRID)
    targets, points = product_targets(train, GRID), circle_grid(GRID)
    kernel = _infinite()
    square = kernel[np.ix_(train, train)]
    modes = np.linalg.eigvalsh(square)
    rate = share * 2 / (modes[0] + modes[-1])
    network = _ResidualNetwork(width)
    start = network.outputs(points)
    for _ in range(STEPS):
        network.step(points[train], targets, rate)
    steps = [Update(rate)] * STEPS
    expected = descend(square, targets, steps, start=start[train], cross=kernel[:, train], test_start=start)[-1]
    return float(np.abs(network.outputs(points) - expected).max() / np.abs(targets).max())


class _ResidualNetwork:
    """x^(0) = U x/sqrt(d), x^(l) = x^(l-1) + V^(l) relu(W^(l) x^(l-1)/sqrt(n))/sqrt(n), f = w.x^(L)/sqrt(n)."""

    def __init__(self, width: int):
        random = np.random.default_rng(SEED)
        self.first = random.standard_normal((width, 2))
        self.inner, self.outer = random.standard_normal((2, BLOCKS, width, width))
        self.readout, self.root = random.standard_normal(width), np.sqrt(width)

    def forward(self, points: np.ndarray) -> tuple[list, list]:
        """The states x^(0), ..., x^(L) and preactivations, one column a point."""
        states, before = [self.first @ points.T / np.sqrt(2)], []
        for inner, outer in zip(self.inner, self.outer, strict=True):
            before.append(inner @ states[-1] / self.root)
            states.append(states[-1] + outer @ np.maximum(before[-1], 0) / self.root)
        return states, before

    def outputs(self, points: np.ndarray) -> np.ndarray:
        return self.readout @ self.forward(points)[0][-1] / self.root

    def step(self, points: np.ndarray, targets: np.ndarray, rate: float) -> None:
        """One step of gradient descent on (1/2) sum |f - y|^2."""
        states, before = self.forward(points)
        error = self.readout @ states[-1] / self.root - targets
        back, moves = np.outer(self.readout, error) / self.root, []
        for layer in range(BLOCKS - 1, -1, -1):
            through = (before[layer] > 0) * (self.outer[layer].T @ back) / self.root
            active = np.maximum(before[layer], 0)
            moves.append((layer, back @ active.T / self.root, through @ states[layer].T / self.root))
            back = back + self.inner[layer].T @ through / self.root
        for layer, outer, inner in moves:
            self.outer[layer] -= rate * outer
            self.inner[layer] -= rate * inner
        self.readout -= rate * states[-1] @ error / self.root
        self.first -= rate * back @ points / np.sqrt(2)
