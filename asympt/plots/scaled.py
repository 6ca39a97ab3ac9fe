"""A law in log L: the kernels of a scaled residual network over fifty decades of depth.

Problem.  1/4 + O(1/log L) looks like a constant of its own over every depth that can be iterated.  Where is it going?

Rule.  The quantity over log10 L.  Up to layer `ITERATED` the points come from the layer recursion in float64, beyond it
from `law.evaluate`; lines are the law's terms with its constants put in, drawn where they are within `NEAR` of the
axes. For 1 - c^l the quantity is (g log l)^2 (1 - c^l), whose limit the law knows too.

Tiny case.  ReLU, sigma_w^2 = 2, c^1 = 1/10: the ratio is 0.29632 at L = 10^4 and 0.25655 at 10^100.

Known limits.  kappa = 1: for other kappa the law is one in powers of L.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr, Float

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_depth
from asympt.plots.constants import pairs_at
from asympt.plots.data import STARTS, Progress, starts_of
from asympt.plots.style import COLOURS, GREY, MARKERS, in_one_font, styled
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.law import Law

ITERATED, DEEP, FIRST = 10**4, 10**50, 10**5
DIGITS = 8
NEAR = 0.35  # of the height of the axes


@dataclass(frozen=True)
class ScaledCurve:
    """One start: log10 of the depths, values, where they were iterated, and the law with its constants."""

    correlation: Expr
    logs: np.ndarray
    values: np.ndarray
    iterated: np.ndarray
    expansion: Expansion

    def law(self, logs: np.ndarray, power: int, chi: float) -> np.ndarray:
        """(chi log L)^power times the law's terms at these log10 L."""
        depth = logs * np.log(10)
        return sum(float(c) * depth ** -float(m.order) for m, c in self.expansion.terms) * (chi * depth) ** power


@dataclass(frozen=True)
class ScaledData:
    """The law, one curve for each start, and what they are multiplied by: (chi log L)^power."""

    law: Law
    curves: tuple[ScaledCurve, ...]
    power: int
    chi: float


def scaled_data(
    net, kind: str = "ntk", correlations: Sequence = STARTS, depth: int | None = None, terms: int = 4,
    progress: Progress | None = None,
) -> ScaledData:  # fmt: skip
    """The ratio K^L(x,x')/K^L(x,x) ('ntk') or (g log l)^p (1 - c^l) ('correlation') for every c^1 in `correlations`.

    `net` is a `ScaledResNet` with kappa = 1, or composed of blocks whose weights fall like g/l; depths are
    powers of ten up to `depth`, 10^50 when left out.
    Raises `UnsupportedError` for another kappa, `InputError` for a depth below 10^5.

    >>> from asympt.architectures.resnet import ScaledResNet
    >>> curve = scaled_data(ScaledResNet("relu"), "correlation", ["1/10"], depth=10**5, terms=1).curves[0]
    >>> len(curve.values), bool(curve.iterated[0])
    (5, True)
    """
    if getattr(net, "kappa", 1) != 1:
        raise UnsupportedError(f"kappa = {net.kappa}: this figure shows laws in log L; take kappa = 1")
    last = DEEP if depth is None else check_depth(depth)
    if last < FIRST:
        raise InputError(f"depth = {last} is no range to plot a law in log L over; take at least {FIRST}")
    law = net.ntk_law(terms) if kind == "ntk" else net.correlation_law(terms)
    starts, logs = starts_of(correlations), _decades(last)
    chi = float(law.coordinate.dynamics.steps.weight)
    power = 0 if kind == "ntk" else int(law.expansion.leading[0].order)
    curves, iterated = [], _iterated(net, law, starts, logs)
    for index, start in enumerate(starts):
        if progress is not None:
            progress("values of the law", index, len(starts))
        far = [float(law.evaluate(10 ** int(k), digits=DIGITS, correlation=start)) for k in logs[len(iterated) :]]
        values = np.array([*iterated[:, index], *far]) * (chi * logs * np.log(10)) ** power
        expansion = law.expansion.subs(_constants(law, start))
        curves.append(ScaledCurve(start, logs, values, 10.0**logs <= ITERATED, expansion))
    return ScaledData(law, tuple(curves), power, chi)


def _decades(last: int) -> np.ndarray:
    """log10 of the depths: about 18 powers of ten up to `last`."""
    most = len(str(last)) - 1
    return np.unique(np.concatenate([np.arange(1, 6), np.linspace(5, most, 14).round()]))


def _iterated(net, law: Law, starts: Sequence[Expr], logs: np.ndarray) -> np.ndarray:
    """The quantity at the depths that are iterated, a column for each start."""
    rows, inputs = [], np.array([*(float(1 - start) for start in starts), 0.0])
    for decade in logs[10.0**logs <= ITERATED]:
        gaps, kernels = pairs_at(net, inputs, 10 ** int(decade))
        rows.append(gaps[:-1] if law.linear is None else kernels[:-1] / kernels[-1])
    return np.array(rows)


def _constants(law: Law, start: Expr) -> dict:
    """C and, where the law contains it, D."""
    values = {C: Float(law.connection_constant(DIGITS, correlation=start), DIGITS)}
    if any(c.has(D) for _, c in law.expansion.terms):
        values[D] = Float(law.second_constant(DIGITS, correlation=start), DIGITS)
    return values


@styled
def scaled_figure(data: ScaledData, width: float = 5.0):
    """The values (filled: iterated, open: evaluated), the law, and its limit; `width` in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not 2 <= width <= 20:
        raise InputError(f"width = {width} inches is no width for a figure; take one from 2 to 20, a column is 3.4")
    figure = Figure(figsize=(width, 1.2 + 0.45 * width), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    low, high = _frame(data)
    for index, curve in enumerate(data.curves):
        _draw(axes, data, curve, index, (low, high))
    axes.axhline(_limit(data), color=GREY, linestyle=(0, (4, 2.5)), linewidth=0.9, zorder=1)
    axes.set_ylim(low, high)
    axes.set_xlabel(r"$\log_{10}$ of the depth")
    axes.set_ylabel(r"$K^L(x,x')/K^L(x,x)$" if data.power == 0 else _scaled_gap(data))
    figure.legend(handles=_handles(data), loc="outside lower center", ncols=3)
    return in_one_font(figure)


def _scaled_gap(data: ScaledData) -> str:
    """(g log l)^p (1 - c^l), without g where it is 1."""
    clock = r"\log l" if data.chi == 1 else r"(g\,\log l)"
    power = "" if data.power == 1 else f"^{{{data.power}}}"
    if data.chi == 1 and power:
        return rf"$\log^{{{data.power}}} l\,(1-c^l)$"
    return rf"${clock}{power}\,(1-c^l)$"


def _limit(data: ScaledData) -> float:
    """The leading coefficient of what is drawn."""
    return float(data.law.expansion.leading[1]) * data.chi**data.power


def _frame(data: ScaledData) -> tuple[float, float]:
    seen = np.append(np.concatenate([curve.values for curve in data.curves]), _limit(data))
    margin = 0.08 * (seen.max() - seen.min())
    return seen.min() - margin, seen.max() + margin


def _draw(axes, data: ScaledData, curve: ScaledCurve, index: int, frame: tuple[float, float]) -> None:
    colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
    for chosen, face in ((curve.iterated, colour), (~curve.iterated, "white")):
        axes.plot(curve.logs[chosen], curve.values[chosen], marker, color=colour, markerfacecolor=face, zorder=3)
    grid = np.linspace(1, curve.logs[-1], 800)
    line, height = curve.law(grid, data.power, data.chi), frame[1] - frame[0]
    inside = (line > frame[0] - NEAR * height) & (line < frame[1] + NEAR * height)
    first = np.argmax(inside) if inside.all() else len(inside) - np.argmin(inside[::-1])
    axes.plot(grid[first:], line[first:], color=colour, zorder=2)


def _handles(data: ScaledData) -> list:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)], linestyle="none",
               label=f"$c^1={curve.correlation}$")
        for k, curve in enumerate(data.curves)
    ]  # fmt: skip
    for name, face in (("iterated", "black"), ("evaluated", "white")):
        handles.append(Line2D([], [], color="black", marker="o", markerfacecolor=face, linestyle="none", label=name))
    handles.append(Line2D([], [], color="black", label="law"))
    return [*handles, Line2D([], [], color=GREY, linestyle=(0, (4, 2.5)), linewidth=0.9, label="limit")]
