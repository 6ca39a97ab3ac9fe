"""Random networks for TBG, slopes against their bounds and training that moves the NTK; fits of points on a circle.

Fits by the NTK of a ReLU network are not in the Hilbert space of the Gaussian kernel: what is compared is the norm on a
grid of 40 points of the circle (`training.smoothness`).  The slides give neither the points nor the targets.
"""

from functools import lru_cache

import numpy as np
from sympy import Rational, sqrt

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import BlockResNet
from asympt.depth import gram
from asympt.depth.finite import empirical_kernels
from asympt.depth.finite.composition import Tally
from asympt.depth.finite.descent import descend, held
from asympt.evidence.check import Check, Verification, monotone
from asympt.training.flow import Update
from asympt.training.flow import descend as flow
from asympt.training.smoothness import SIZE, circle_grid, equally_spaced, ntk_fit, product_targets

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


# ---- fits, and networks of finite width beside the infinite one ----

ALPHAS = (Rational(1), Rational(1, 2), Rational(1, 5))
DEPTHS = (3, 6, 11, 21)
FEW, GRID, STEPS_TAKEN, SEED = 2, 20, 60, 3  # blocks, points, steps
NARROW, WIDE, SHARES = 32, 256, (0.5, 1.0)  # learning rates as shares of 2/(lambda_min + lambda_max)
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
        wide = _distance(WIDE, share)
        name = f"largest |f_t - infinite width| over $max |y|$, $n = {WIDE}$, $t = {STEPS_TAKEN}$, "
        name += f"rate {share:g} of the largest"
        narrow = _distance(NARROW, share)
        checks.append(Check.measured(name, wide, CLOSE, f"{narrow:.3g} at n = {NARROW}"))
        name = f"the same over that at $n = {NARROW}$, rate {share:g}"
        checks.append(Check.measured(name, wide / narrow, 0.6, digits=4))
    return Verification("kernel and predictions of a wide residual network agree with infinite width", tuple(checks))


@lru_cache(maxsize=1)
def _infinite() -> np.ndarray:
    """Theta on the grid of the circle, ReLU, alpha = sigma_v = sigma_w = 1."""
    return gram(BlockResNet("relu"), circle_grid(GRID), depth=FEW + 1)[1]


def _kernel() -> Check:
    """The mean NTK of random networks at infinite width, in standard errors."""
    points = circle_grid(GRID)[:4]
    network = BlockResNet("relu").finite()
    found = empirical_kernels(network, points, FEW + 1, widths=WIDTHS, most_seeds=64, seed=SEED)
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
    layers = network.draw(np.random.default_rng(SEED), points, FEW + 1, width, RUNS, held)

    def outputs(at: np.ndarray) -> np.ndarray:
        return network.forward(layers, at, RUNS)[-1]

    start = outputs(points)[:, 0, :, 0]
    for _ in range(STEPS_TAKEN):
        descend(network, layers, outputs(points[train]), targets[None], np.full(RUNS, rate))
    steps = [Update(rate)] * STEPS_TAKEN
    expected = [flow(square, targets, steps, start=f[train], cross=kernel[:, train], test_start=f)[-1]
                for f in start]  # fmt: skip
    away = np.abs(outputs(points)[:, 0, :, 0] - expected).max(axis=1)
    return float(away.mean() / np.abs(targets).max())
