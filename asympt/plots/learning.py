"""Figures of training: condition numbers over depth in the three phases (XPS), and fits on a circle (TBG).

Neither says all of what was drawn.  XPS do not give their inputs: here they have equal correlations and the variance at
its fixed point.  TBG give neither the ten points nor their targets: here y = x_1 x_2 at equally spaced points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Rational, sqrt

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import BlockResNet
from asympt.arrays import real
from asympt.errors import InputError
from asympt.expansions.printing import latex_expr
from asympt.numbers import check_depth, exact
from asympt.plots.data import Progress, nets_of, warning_of
from asympt.plots.drawing import mark_stability
from asympt.plots.style import COLOURS, GREY, LIMIT, canvas, colour, entry, in_one_font, marker, styled
from asympt.training.smoothness import SIZE, WIDTH, CircleFit, equally_spaced, gaussian_fit, ntk_fit, product_targets
from asympt.training.spectrum import condition_law, condition_numbers

AROUND = (Rational(4, 5), Rational(1), Rational(3, 2))  # sigma_w in units of that of the Edge of Chaos
BIAS, START = Rational(1, 5), Rational(1, 2)
SHALLOWEST, DEEPEST = 2, 10**4
POINTS = 24
HIGHEST = 1e6  # what is larger leaves the picture, so that the other phases can be told apart


@dataclass(frozen=True)
class ConditionData:
    """What is drawn: for every network both condition numbers at the depths, and the limit of the NTK's (or None)."""

    nets: tuple[FeedForward, ...]
    inputs: int
    depths: np.ndarray
    nngp: np.ndarray
    ntk: np.ndarray
    limits: tuple[float | None, ...]


def around_the_edge(phi, sigma_b=BIAS) -> tuple[FeedForward, ...]:
    """Networks in the ordered phase, on the Edge of Chaos and in the chaotic phase, with the same sigma_b.

    Only one for a ReLU-like phi without bias, whose kernels have the same condition numbers for every sigma_w.

    >>> [net.phase for net in around_the_edge("erf")]
    ['ordered', 'edge of chaos', 'chaotic']
    """
    edge = FeedForward.on_edge_of_chaos(phi, sigma_b=sigma_b)
    if edge.layer.is_scale_free:
        return (edge,)
    nets = [edge if share == 1 else FeedForward(phi, edge.sigma_w * share, sigma_b) for share in AROUND]
    return tuple(nets)


def condition_data(
    nets: Sequence, inputs: int = 10, correlation=START, depth: int = 100, progress: Progress | None = None
) -> ConditionData:
    """Condition numbers of `inputs` inputs with equal correlations c^1 at depths up to `depth`.

    Raises `InputError` for no networks or a depth that is not a range to plot over.
    >>> data = condition_data([FeedForward("relu")], inputs=2, depth=100)
    >>> round(float(data.ntk[0, -1]), 3), round(data.limits[0], 3)          # (n + 3)/3 in the limit
    (1.77, 1.667)
    """
    nets, depth, gap = nets_of(nets), check_depth(depth), 1 - real(exact(correlation, "correlation"), "correlation")
    if not SHALLOWEST <= depth <= DEEPEST:
        raise InputError(f"depth = {depth} is not a range to plot over; take one from {SHALLOWEST} to {DEEPEST}")
    depths = np.unique(np.geomspace(1, depth, POINTS).round().astype(int))
    found = []
    for index, net in enumerate(nets):
        if progress is not None:
            progress("condition numbers", index, len(nets))
        found.append(condition_numbers(net, depths, gap=gap, inputs=inputs))
    nngp, ntk = (np.array(part) for part in zip(*found, strict=True))
    return ConditionData(nets, inputs, depths, nngp, ntk, tuple(_limit(net, inputs) for net in nets))


def _limit(net: FeedForward, inputs: int) -> float | None:
    """What the NTK's condition number tends to on the Edge of Chaos."""
    if net.phase != "edge of chaos" and not net.layer.is_scale_free:
        return None
    return float(condition_law(net, inputs, terms=2).leading)


@styled
def condition_figure(data: ConditionData, width: float = 6.0):
    """Both condition numbers over depth; `width` in inches.

    >>> len(condition_figure(condition_data([FeedForward("relu")], depth=50)).axes)
    2
    """
    figure, panels = canvas(width, 0.45 * width + 0.5, columns=2, sharex=True)
    for axes, values, kernel in zip(panels, (data.nngp, data.ntk), (r"\Sigma", "K"), strict=True):
        _draw(axes, data, values)
        axes.set_xlabel("depth $L$")
        axes.set_title(f"condition number of ${kernel}^L$", fontsize="medium")
    for limit in data.limits:
        if limit is not None:
            panels[1].axhline(limit, **LIMIT, zorder=1)
    mark_stability(figure, *data.nets)
    figure.legend(handles=_handles(data), loc="outside lower center", ncols=3 if width >= 4.5 else 2)
    return in_one_font(figure)


def _draw(axes, data: ConditionData, values: np.ndarray) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for index, row in enumerate(values):
        seen = np.isfinite(row)
        axes.plot(data.depths[seen], row[seen], **_look(index), markersize=3)
    axes.set_ylim(0.9, min(HIGHEST, 2 * values[np.isfinite(values)].max()))


def _look(index: int) -> dict:
    return {"color": colour(index), "marker": marker(index), "linewidth": 1.0}


def _handles(data: ConditionData) -> list:
    handles = [entry(rf"{net.phase}, $\sigma_w={float(net.sigma_w):.4g}${warning_of(net)}", **_look(k), markersize=3)
               for k, net in enumerate(data.nets)]  # fmt: skip
    dashed = any(limit is not None for limit in data.limits)
    return [*handles, entry("limit on the Edge of Chaos", **LIMIT)] if dashed else handles


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
    alphas: Sequence = ALPHAS, depths: Sequence[int] = DEPTHS, training=None, targets=None, phi: str = "relu", size: int
    = SIZE, width=WIDTH,
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
    data = interpolant_data(**options) if data is None else data
    rows = len(data.depths)
    figure, panels = canvas(width, 0.4 + 0.32 * width * rows, rows, sharex=True, sharey=True)
    for axes, depth, curves in zip(panels, data.depths, data.panels, strict=True):
        _draw_fits(axes, data, depth, curves)
    panels[-1].set_xlabel("angle on the circle")
    panels[-1].set_xticks(np.pi * np.arange(5) / 2, ["0", r"$\pi/2$", r"$\pi$", r"$3\pi/2$", r"$2\pi$"])
    panels[-1].set_xlim(0, 2 * np.pi)
    return in_one_font(figure)


def _draw_fits(axes, data: InterpolantData, depth: int, curves: Sequence[Interpolant]) -> None:
    grid = data.grid()
    looks = [{"color": shade} for shade in ("black", *COLOURS)]
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
