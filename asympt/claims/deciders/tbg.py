"""Decisions on TBG: fits of ten points on a circle, and networks of finite width beside the infinite one.

Fits by the NTK of a ReLU network are not in the Hilbert space of the Gaussian kernel: what is compared is the norm on a
grid of 40 points of the circle (`training.smoothness`).  The slides give neither the points nor the targets.
"""

from functools import lru_cache

import numpy as np
from sympy import Rational, sqrt

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import BlockResNet
from asympt.claims.forms import monotone
from asympt.depth import gram
from asympt.depth.finite import empirical_kernels
from asympt.depth.finite.descent import descend as train_finite
from asympt.depth.finite.descent import held
from asympt.evidence.check import Check, Verification
from asympt.training.flow import Update, descend
from asympt.training.smoothness import SIZE, circle_grid, equally_spaced, ntk_fit, product_targets

ALPHAS = (Rational(1), Rational(1, 2), Rational(1, 5))
DEPTHS = (3, 6, 11, 21)
BLOCKS, GRID, STEPS, SEED = 2, 20, 60, 3
WIDTHS, SHARES, RUNS = (32, 256), (0.5, 1.0), 4  # learning rates as shares of 2/(lambda_min + lambda_max)
ERRORS, CLOSE = 4.0, 0.2


@lru_cache(maxsize=64)
def mu(target: str, depth: int, alpha: Rational | None, size: int = SIZE) -> float:
    """mu of the NTK fit of ten equally spaced points; alpha None: the MLP."""
    points = equally_spaced(size=size)
    angles = 2 * np.pi * points / size
    values = {"x_1 x_2": product_targets(points, size), "cos of 3 times the angle": np.cos(3 * angles)}[target]
    plain = FeedForward("relu", sigma_w=sqrt(2), sigma_b=0)
    net = plain if alpha is None else BlockResNet("relu", alpha=alpha)
    return ntk_fit(net, points, values, depth, size).smoothness()


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
        checks.append(Check.measured(name, wide, CLOSE, f"{narrow:.3g} at n = {WIDTHS[0]}"))
        name = f"the same over that at $n = {WIDTHS[0]}$, rate {share:g}"
        checks.append(Check.measured(name, wide / narrow, 0.6, digits=4))
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
    return Check.measured("largest distance of the NTK from its mean over networks, in standard errors",
                   away.max(), ERRORS, "four points, widths 64, 128, 256")  # fmt: skip


def _distance(width: int, share: float) -> float:
    """Between trained networks and the infinite width, on the grid, over the largest target; the mean of four."""
    train = equally_spaced(5, GRID)
    targets, points = product_targets(train, GRID), circle_grid(GRID)
    kernel = _infinite()
    square = kernel[np.ix_(train, train)]
    modes = np.linalg.eigvalsh(square)
    rate = share * 2 / (modes[0] + modes[-1])
    network = BlockResNet("relu").finite()
    layers = network.draw(np.random.default_rng(SEED), points, BLOCKS + 1, width, RUNS, held)

    def outputs(at: np.ndarray) -> np.ndarray:
        return network.forward(layers, at, RUNS)[-1]

    start = outputs(points)[:, 0, :, 0]
    for _ in range(STEPS):
        train_finite(network, layers, outputs(points[train]), targets[None], np.full(RUNS, rate))
    steps = [Update(rate)] * STEPS
    expected = [descend(square, targets, steps, start=f[train], cross=kernel[:, train], test_start=f)[-1]
                for f in start]  # fmt: skip
    away = np.abs(outputs(points)[:, 0, :, 0] - expected).max(axis=1)
    return float(away.mean() / np.abs(targets).max())
