"""Decisions on TBG's fits of ten points on a circle: does a smaller alpha make them smoother?

Fits by the NTK of a ReLU network are not in the Hilbert space of the Gaussian kernel: what is compared is the norm on a
grid of 40 points of the circle, as in `training.smoothness`.  The slides give neither the points nor the targets.
"""

from functools import lru_cache

import numpy as np
from sympy import Rational, sqrt

from asympt.architectures import FeedForward
from asympt.architectures.block_resnet import BlockResNet
from asympt.claims.forms import at_most, monotone
from asympt.evidence.check import Check, Verification
from asympt.training.smoothness import SIZE, equally_spaced, ntk_fit, product_targets

ALPHAS = (Rational(1), Rational(1, 2), Rational(1, 5))
DEPTHS = (3, 6, 11, 21)


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
            *_shallow_limit(),
            monotone("$mu$ of one fit on grids of 20, 40, 80 points", grids, "decreasing",
                     "the fit is not in H: mu compares fits on the same grid only"),
        ),
    )  # fmt: skip


def _shallow_limit() -> list[Check]:
    """The largest distance between the fits of a deep residual network and of one hidden layer, at two alpha."""
    points, size = np.array([0, 3, 6, 11, 15, 19, 24, 28, 33, 37]), SIZE
    values = product_targets(points, size)
    shallow = ntk_fit(_net(None), points, values, 2, size).values
    found = []
    for depth in (6, 21):
        far, near = (
            float(np.abs(ntk_fit(_net(alpha), points, values, depth, size).values - shallow).max())
            for alpha in (Rational(1, 10), Rational(1, 1000))
        )
        name = f"largest distance from the fit of one hidden layer at $alpha = 1/1000$ over 1/10, $L = {depth}$"
        found.append(at_most(name, near / far, 0.05, f"{near:.2g} at alpha = 1/1000"))
    return found
