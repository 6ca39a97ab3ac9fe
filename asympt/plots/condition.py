"""XPS's figure redrawn: condition numbers of the NNGP kernel and of the NTK over depth, in the three phases.

Problem.  The condition number of a kernel says how long gradient descent takes.  XPS show that depth sends that of the
NTK to infinity in the ordered phase and to 1 in the chaotic one.  What do both kernels do, and what on the Edge of
Chaos?

Rule.  n inputs with equal correlations c^1 and the variance at its fixed point; both condition numbers at depths up to
`depth` (`training.condition_numbers`), one panel for each kernel, both axes logarithmic.  Dashed: the limit of
the NTK's on the Edge of Chaos, from its law.

A headline says what becomes of inputs with another variance where q does not attract them.

Known limits.  Equal correlations; XPS do not give their inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Rational

from asympt.architectures import FeedForward
from asympt.errors import InputError
from asympt.numbers import check_depth
from asympt.plots.data import Progress, warning_of
from asympt.plots.drawing import mark_stability
from asympt.plots.style import COLOURS, GREY, MARKERS, in_one_font, styled
from asympt.training.condition_law import condition_law
from asympt.training.spectrum import condition_numbers

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

    Raises `InputError` for no networks or a depth that is no range to plot over.
    >>> data = condition_data([FeedForward("relu")], inputs=2, depth=100)
    >>> round(float(data.ntk[0, -1]), 3), round(data.limits[0], 3)          # (n + 3)/3 in the limit
    (1.77, 1.667)
    """
    nets, depth = tuple(nets), check_depth(depth)
    if not nets:
        raise InputError("nets is empty; give at least one network")
    if not SHALLOWEST <= depth <= DEEPEST:
        raise InputError(f"depth = {depth} is no range to plot over; take one from {SHALLOWEST} to {DEEPEST}")
    depths = np.unique(np.geomspace(1, depth, POINTS).round().astype(int))
    found = []
    for index, net in enumerate(nets):
        if progress is not None:
            progress("condition numbers", index, len(nets))
        found.append(condition_numbers(net, depths, gap=1 - float(correlation), inputs=inputs))
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
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not 2 <= width <= 20:
        raise InputError(f"width = {width} inches is no width for a figure; take one from 2 to 20, a column is 3.4")
    figure = Figure(figsize=(width, 0.45 * width + 0.5), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2, sharex=True)
    for axes, values, kernel in zip(panels, (data.nngp, data.ntk), (r"\Sigma", "K"), strict=True):
        _draw(axes, data, values)
        axes.set_xlabel("depth $L$")
        axes.set_title(f"condition number of ${kernel}^L$", fontsize="medium")
    for limit in data.limits:
        if limit is not None:
            panels[1].axhline(limit, color=GREY, linestyle=(0, (4, 2.5)), linewidth=0.9, zorder=1)
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


def _label(net) -> str:
    return rf"{net.phase}, $\sigma_w={float(net.sigma_w):.4g}${warning_of(net)}"


def _look(index: int) -> dict:
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], "linewidth": 1.0}


def _handles(data: ConditionData) -> list:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], **_look(index), markersize=3, label=_label(net))
        for index, net in enumerate(data.nets)
    ]
    if any(limit is not None for limit in data.limits):
        dashed = Line2D([], [], color=GREY, linestyle=(0, (4, 2.5)), linewidth=0.9, label="limit on the Edge of Chaos")
        handles.append(dashed)
    return handles
