"""Interpolants of TBG redrawn: what MLPs and residual networks of several alpha draw through points on a circle.

Problem.  TBG draw NTK fits of ten points on a circle for an MLP and for residual networks, and see smoother fits for
smaller alpha.  What do the curves look like, and what does mu say?

Rule.  One panel per depth, over the angle: the fits, the Gaussian kernel's fit, the training points; mu of each curve
in the legend of its panel, so that what the eye sees and what mu says stand side by side.

Known limits.  The slides do not give the ten points and their targets; here they are y = x_1 x_2 at equally spaced
points unless others are given.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Rational, sqrt

from asympt.architectures import FeedForward
from asympt.architectures.block_resnet import BlockResNet
from asympt.errors import InputError
from asympt.expansions.printing import latex_expr
from asympt.numbers import exact
from asympt.plots.style import COLOURS, GREY, in_one_font, styled
from asympt.training.smoothness_fits import (
    SIZE,
    WIDTH,
    CircleFit,
    equally_spaced,
    gaussian_fit,
    ntk_fit,
    product_targets,
)

ALPHAS = (Rational(1), Rational(1, 2), Rational(1, 5))
DEPTHS = (3, 6, 11)
PER_POINT = 6  # points drawn for each point of the grid on which mu is measured


@dataclass(frozen=True)
class Interpolant:
    """One fit: `label` in LaTeX, the fit on the drawing grid, and mu, of the same fit on the grid of `size`."""

    label: str
    fit: CircleFit
    mu: float


@dataclass(frozen=True)
class InterpolantData:
    """What is drawn: per depth a tuple of curves, MLP first; the Gaussian fit; points and targets."""

    depths: tuple[int, ...]
    panels: tuple[tuple[Interpolant, ...], ...]
    gaussian: Interpolant
    angles: np.ndarray
    targets: np.ndarray

    def grid(self) -> np.ndarray:
        """The angles at which the fits are drawn, the circle closed."""
        return np.linspace(0, 2 * np.pi, self.gaussian.fit.values.size + 1)


def interpolant_data(
    alphas: Sequence = ALPHAS,
    depths: Sequence[int] = DEPTHS,
    training=None,
    targets=None,
    phi: str = "relu",
    size: int = SIZE,
    width=WIDTH,
) -> InterpolantData:
    """Fits by the NTK of an MLP (sigma_w^2 = 2, no biases) and of `BlockResNet` (sigma_v = sigma_w = 1).

    Parameters
    ----------
    alphas, depths : of the residual networks, and layers L (L - 1 blocks or hidden layers).
    training, targets : indices on a grid of `size` points of the circle and y; ten equally spaced points, y = x_1 x_2.
    phi : the activation.  width : that of the Gaussian kernel in mu.

    Raises
    ------
    InputError : no alpha or depth, bad indices, an NTK that is singular on the points.

    >>> data = interpolant_data(alphas=[1], depths=[3])
    >>> [curve.label for curve in data.panels[0]]
    ['MLP', '$\\\\alpha=1$']
    """
    alphas, depths = [exact(a, "alpha") for a in alphas], tuple(depths)
    if not alphas or not depths:
        raise InputError("there is nothing to draw without an alpha and a depth; give one of each")
    training = equally_spaced(size=size) if training is None else training
    targets = product_targets(training, size) if targets is None else targets
    nets = [("MLP", FeedForward(phi, sigma_w=sqrt(2), sigma_b=0))]
    nets += [(rf"$\alpha={latex_expr(alpha)}$", BlockResNet(phi, alpha=alpha)) for alpha in alphas]
    fine, places = PER_POINT * size, np.asarray(training) * PER_POINT
    panels = []
    for depth in depths:
        fits = [(name, ntk_fit(net, places, targets, depth, fine)) for name, net in nets]
        panels.append(tuple(_curve(name, fitted, width) for name, fitted in fits))
    gaussian = _curve("Gaussian", gaussian_fit(places, targets, width, fine), width)
    angles = 2 * np.pi * np.asarray(training) / size
    return InterpolantData(depths, tuple(panels), gaussian, angles, np.asarray(targets))


def _curve(label: str, fine: CircleFit, width) -> Interpolant:
    """A fit on the drawing grid, with mu on the coarse one."""
    coarse = CircleFit(fine.values[::PER_POINT], fine.training // PER_POINT)
    return Interpolant(label, fine, coarse.smoothness(width))


@styled
def interpolant_figure(data: InterpolantData | None = None, width: float = 5.0, **options):
    """The fits of `interpolant_data(**options)`, one panel per depth, mu beside every name.

    Raises `InputError` for a width below 2 or above 20 inches, and what `interpolant_data` raises.

    >>> len(interpolant_figure(interpolant_data(alphas=[1], depths=[3])).axes)
    1
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not 2 <= width <= 20:
        raise InputError(f"width = {width} inches is no width for a figure; take one from 2 to 20, a column is 3.4")
    data = interpolant_data(**options) if data is None else data
    figure = Figure(figsize=(width, 0.4 + 0.32 * width * len(data.depths)), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(data.depths), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for axes, depth, curves in zip(panels, data.depths, data.panels, strict=True):
        _draw(axes, data, depth, curves)
    panels[-1].set_xlabel("angle on the circle")
    panels[-1].set_xticks(np.pi * np.arange(5) / 2, ["0", r"$\pi/2$", r"$\pi$", r"$3\pi/2$", r"$2\pi$"])
    panels[-1].set_xlim(0, 2 * np.pi)
    return in_one_font(figure)


def _draw(axes, data: InterpolantData, depth: int, curves: Sequence[Interpolant]) -> None:
    """One depth."""
    grid = data.grid()
    looks = [{"color": "black"}, *({"color": colour} for colour in COLOURS)]
    for index, curve in enumerate(curves):
        axes.plot(grid, _closed(curve), label=_entry(curve), zorder=2 + index, **looks[index % len(looks)])
    axes.plot(grid, _closed(data.gaussian), color=GREY, linestyle=(0, (4, 2)), label="Gaussian kernel", zorder=1)
    axes.plot(data.angles, data.targets, "o", color="black", markersize=4, zorder=9, clip_on=False)
    axes.set_ylabel("$f$")
    axes.set_title(f"$L={depth}$", fontsize=9, loc="left")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.6)


def _closed(curve: Interpolant) -> np.ndarray:
    """The values once round the circle, the first repeated at the end."""
    return np.append(curve.fit.values, curve.fit.values[0])


def _entry(curve: Interpolant) -> str:
    power = int(np.floor(np.log10(curve.mu)))
    digits = f"{curve.mu:.2g}" if power >= -2 else rf"{curve.mu / 10.0**power:.1f}\times10^{{{power}}}"
    return f"{curve.label}, $\\mu={digits}$"
