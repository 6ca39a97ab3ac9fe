"""The figures: `data` says what is drawn, this file how.

A figure is a Matplotlib `Figure` of its own, outside pyplot, so drawing one changes nothing global.
"""

import re
import textwrap
from collections.abc import Sequence

import numpy as np
from sympy import Expr, fraction

from asympt.architectures.composed.compiling import CONSTANT
from asympt.architectures.composed.laws import EDGE
from asympt.architectures.registry import COMPOSED, FLOW_TIME, LAYERS, record_of, records
from asympt.blocks import LAYER
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Monomial
from asympt.expansions.printing import latex_expr
from asympt.plots.constants import is_scale_free
from asympt.plots.data import STARTS, Curve, LawData, Progress, correlation_data, ntk_data
from asympt.plots.exponential import exponential_data
from asympt.plots.scaled import scaled_data, scaled_figure
from asympt.plots.style import COLOURS, DASHES, GREY, MARKERS, STYLE, in_one_font, styled

FLOOR = 1e-14
CHARACTERS = 15  # of a headline, in an inch
FLAT = {"color": GREY, "linestyle": (0, (4, 2.5)), "linewidth": 0.9}


@styled
def ntk_figure(
    net,
    correlations: Sequence = STARTS,
    depth: int | None = None,
    terms: int = 4,
    width: float = 5.0,
    progress: Progress | None = None,
):
    """The distance of the average NTK from its limit, times L^p, against log L: with p = 1 the slope is that of log L.

    Points: the layer recursion (filled) and, beyond layer 10^5, the law's certified evaluation (open).  Lines: the
    first `terms` terms of the law.  Dashed: what Theta(1/L) would mean, from the value at layer 10 on.
    p is the order of the law's first decaying term: 1, or 1/2 where phi'' jumps.  In the ordered and the chaotic phase:
    the distance of K^L/q from its limit on a logarithmic scale; for a `ScaledResNet` K^L(x,x')/K^L(x,x) over log L.
    `width` is in inches: 3.4 fits a column.
    """
    if _time_of(net) == FLOW_TIME:
        return scaled_figure(scaled_data(net, "ntk", correlations, depth, terms, progress), width)
    if net.phase != "edge of chaos" and not is_scale_free(net):  # else one law for every chi
        return _distances(exponential_data(net, "ntk", correlations, depth, terms, progress), width)
    data = ntk_data(net, correlations, depth, terms, progress)
    figure, (axes,) = _canvas(width, [1.2 + 0.3 * width])
    for index, curve in enumerate(data.curves):
        _draw_points(axes, curve, index)
        _draw_law(axes, curve, first=10, color=COLOURS[index % len(COLOURS)])
    _draw_flat(axes, data)
    _mark_slope(axes, data)
    _frame_values(axes, data)
    axes.set_xlabel("depth $L$ (log scale)")
    power = depth_power("L", data.curves[0].order)
    axes.set_ylabel(rf"${power}\,\left({kernel_name(net)}-{latex_expr(data.law.limit)}\right)$")
    mark_stability(figure, data.law)
    return _finish(figure, [*_start_handles(data), *_source_handles(data), *_line_handles(data)], columns=3)


@styled
def correlation_figure(
    net,
    correlation=STARTS[0],
    depth: int | None = None,
    terms: int = 4,
    width: float = 5.0,
    progress: Progress | None = None,
):
    """l^p (1 - c^l) and the law's partial sums: how the log term closes the gap to the limit.

    Above: the values and the sums of 1, 2, ... terms; below: the relative error of those sums.  In the ordered and the
    chaotic phase: the distance from the limit on a logarithmic scale; for a `ScaledResNet` over log l.
    """
    if _time_of(net) == FLOW_TIME:
        return scaled_figure(scaled_data(net, "correlation", [correlation], depth, terms, progress), width)
    if net.phase != "edge of chaos" and not is_scale_free(net):  # else one law for every chi
        return _distances(exponential_data(net, "correlation", [correlation], depth, terms, progress), width)
    data = correlation_data(net, [correlation], depth, terms, progress)
    figure, (above, below) = _canvas(width, [0.9 + 0.25 * width] * 2)
    curve = data.curves[0]
    _draw_points(above, curve, None)
    counts = range(1, len(curve.expansion.terms) + 1)
    for count in counts:
        _draw_law(above, curve, first=10, terms=count, **_sum_look(count))
        below.plot(*_relative_errors(curve, count), **_sum_look(count), marker=".", markersize=3)
    _frame_partial_sums(above, below, data)
    mark_stability(figure, data.law)
    handles = [*_source_handles(data, GREY), *(_sum_handle(data, count) for count in counts)]
    return _finish(figure, handles, columns=3 if width >= 4.5 else 2)


def _distances(data: LawData, width: float):
    """Off the Edge of Chaos: |value - limit| of every start (points) and the law (lines) on a logarithmic scale."""
    figure, (axes,) = _canvas(width, [1.2 + 0.3 * width])
    axes.set_xscale("linear")
    axes.set_yscale("log")
    for index, curve in enumerate(data.curves):
        _draw_points(axes, curve, index)
        depths = curve.points.depths
        grid = np.linspace(depths[0], depths[-1], 400)
        axes.plot(grid, curve.law(grid), color=COLOURS[index % len(COLOURS)], zorder=2)
    values = np.concatenate([curve.points.values for curve in data.curves])
    axes.set_ylim(values.min() / 3, values.max() * 3)
    variable, limit = data.law.depth_variable, float(data.law.limit)
    value = "1-c^l" if data.law.linear is None else "K^L/q"
    axes.set_ylabel(f"${value}$" if limit == 0 else rf"$\left|{value}-{limit:.5g}\right|$")
    axes.set_xlabel(f"layer ${variable}$")
    mark_stability(figure, data.law)
    handles = [*_start_handles(data), _handle("recursion", **_dot("black")), _line_handles(data)[0]]
    return _finish(figure, handles, columns=3)


def _time_of(net) -> str:
    """Over which time the laws of a network are drawn; an error for an architecture whose laws have no figure."""
    record = record_of(net)
    if record is None or record.figures is None:
        drawn = ", ".join(known.class_name for known in records() if known.figures is not None)
        raise UnsupportedError(f"no figure is drawn of a law of {type(net).__name__}; take {drawn}")
    return _time_of_blocks(net) if record is COMPOSED else record.figures


def _time_of_blocks(net) -> str:
    """The flow time on the Edge of Chaos where the weights of the blocks fall with the layer."""
    if net.normal_form.kind == CONSTANT:
        return LAYERS
    if net.phase == EDGE:
        return FLOW_TIME
    raise UnsupportedError(
        f"no figure is drawn of the laws of {net!r}: its weights {net.weight} fall with the layer and g'(1) is not 1; "
        "take a sigma_w with g'(1) = 1, or evaluate the law"
    )


def kernel_name(net) -> str:
    """LaTeX of the average kernel: with q_L where the variance moves with depth."""
    moves = LAYER in net.normal_form.variance.free_symbols if net.statement is None else net.statement.skip
    return r"K^L/(q_L\,L)" if moves else r"K^L/(q\,L)"


def depth_power(variable: str, order: float) -> str:
    r"""LaTeX of a power of the depth.

    >>> depth_power("L", 1), depth_power("L", 0.5), depth_power("l", 2.0)
    ('L', '\\sqrt{L}', 'l^{2}')
    """
    if order in (0.5, 1):
        return variable if order == 1 else rf"\sqrt{{{variable}}}"
    return f"{variable}^{{{order:g}}}"


# ---- pieces ---------------------------------------------------------------------------------------


def _canvas(width: float, heights: Sequence[float]):
    """An empty figure with panels of the given heights (inches) over a common logarithmic depth axis."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not 2 <= width <= 20:
        raise InputError(f"width = {width} inches is no width for a figure; take one from 2 to 20, a column is 3.4")
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False)[:, 0]
    for axes in panels:
        axes.set_xscale("log")
    return figure, panels


def _finish(figure, handles: list, columns: int):
    """Room and a legend under the axes, and one font."""
    rows = -(-len(handles) // columns)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + 0.18 * rows + 0.1)
    figure.legend(
        handles=handles, loc="outside lower center", ncols=columns, handlelength=2, columnspacing=1.2, borderpad=0
    )
    return in_one_font(figure)


def mark_stability(figure, *laws) -> None:
    """A headline when inputs with another q^1 have other curves: what is drawn starts at q^1 = q.

    `laws`: laws or networks; each that is said something of is named by its sigma_w when there are several.
    """
    columns, lines = int(figure.get_size_inches()[0] * CHARACTERS), []
    for law in laws:
        if law.stability is not None and not law.stability.attracts:
            said = re.sub(r"\$[^$]*\$", lambda formula: formula[0].replace(" ", ""), law.stability.latex())  # unbroken
            which = rf"$\sigma_w={float(law.sigma_w):.4g}$ " if len(laws) > 1 else ""
            lines.append(textwrap.fill(which + said, columns, break_long_words=False))
    if lines:
        figure.suptitle("\n".join(lines), fontsize=8)


def _draw_points(axes, curve: Curve, index: int | None) -> None:
    """Filled where the recursion was iterated, open where the law was evaluated."""
    colour = GREY if index is None else COLOURS[index % len(COLOURS)]
    marker = MARKERS[(index or 0) % len(MARKERS)]
    for mask, face in ((curve.points.iterated, colour), (~curve.points.iterated, "white")):
        axes.plot(
            curve.points.depths[mask], curve.points.values[mask], marker, color=colour, markerfacecolor=face, zorder=3
        )


def _draw_law(axes, curve: Curve, first: float, terms: int | None = None, **look) -> None:
    """The law from depth `first` on, where it begins to mean something."""
    grid = np.geomspace(first, curve.points.depths[-1], 400)
    axes.plot(grid, curve.law(grid, terms), zorder=2, **look)


def _draw_flat(axes, data: LawData) -> None:
    """What a rate of exactly 1/L looks like: L times the distance stays where it was."""
    for curve in data.curves:
        level = float(np.interp(np.log(10), np.log(curve.points.depths), curve.points.values))
        grid = np.geomspace(10, curve.points.depths[-1], 100 if curve.order != 1 else 2)
        axes.plot(grid, level * (grid / 10) ** (curve.order - 1), **FLAT, zorder=1)


def _frame_values(axes, data: LawData) -> None:
    """The values set the frame: at small depth a law may be far from them."""
    values = np.concatenate([curve.points.values for curve in data.curves])
    span = float(np.ptp(values)) or 1.0
    axes.set_ylim(float(values.min()) - 0.06 * span, float(values.max()) + 0.06 * span)


def _mark_slope(axes, data: LawData) -> None:
    """A note with the law's own coefficient of log(L)/L."""
    slope = data.law.expansion.coefficients.get(Monomial(1, 1))
    if slope is not None and data.curves[0].order == 1:
        decade = float(slope) * np.log(10)
        value = f"${_inline(slope)}$" if slope.is_Rational else f"{float(slope):.4f}"
        axes.set_title(f"slope {value} in $\\log L$: {decade:+.3f} a decade", loc="left", fontsize=9)


def _relative_errors(curve: Curve, terms: int):
    """(depths, |sum of `terms` terms / value - 1|) from depth 10 on, as far as float64 can tell."""
    depths, values = curve.points.depths, curve.points.values
    errors = np.abs(curve.law(depths, terms) / values - 1)
    told = (depths >= 10) & (errors > FLOOR)
    return depths[told], errors[told]


def _frame_partial_sums(above, below, data: LawData) -> None:
    """Axes of the two panels: the sums may shoot off at small depth, the values set the frame."""
    from matplotlib.ticker import NullLocator

    values = data.curves[0].points.values
    top = float(data.law.expansion.terms[0][1])
    above.set_ylim(min(0.0, float(values.min())), 1.15 * max(top, float(values.max())))
    above.set_xlim(left=8)
    above.set_ylabel(rf"${depth_power('l', data.curves[0].order)}\,(1-c^l)$")
    below.set_ylabel("relative error")
    below.set_xlabel("layer $l$")
    below.set_yscale("log")
    below.yaxis.set_minor_locator(NullLocator())


def _sum_look(count: int) -> dict:
    return {"color": COLOURS[(count - 1) % len(COLOURS)], "linestyle": DASHES[(count - 1) % len(DASHES)]}


# ---- legend ---------------------------------------------------------------------------------------


def _handle(label: str, **look):
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **look)


def _start_handles(data: LawData) -> list:
    """One entry per start c^1: its colour and marker."""
    return [
        _handle(
            f"$c^1={_inline(curve.correlation)}$",
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            markersize=STYLE["lines.markersize"],
            linestyle="none",
        )
        for index, curve in enumerate(data.curves)
    ]


def _source_handles(data: LawData, colour: str = "black") -> list:
    """What filled and open points are; open ones only when there are any."""
    look = _dot(colour)
    handles = [_handle("recursion", **look)]
    if not data.curves[0].points.iterated.all():
        handles.append(_handle("evaluated", markerfacecolor="white", **look))
    return handles


def _dot(colour: str) -> dict:
    return {"color": colour, "marker": "o", "markersize": STYLE["lines.markersize"], "linestyle": "none"}


def _line_handles(data: LawData) -> list:
    terms = len(data.law.expansion.terms)
    return [_handle(f"law, {terms} terms", color="black"), _handle(r"if $\Theta(1/L)$ held", **FLAT)]


def _sum_handle(data: LawData, count: int):
    """The sum of `count` terms, named by the monomial of its last term."""
    scale, (monomial, _) = data.law.expansion.scale, data.law.expansion.terms[count - 1]
    plural = "" if count == 1 else "s"
    return _handle(f"{count} term{plural}, to ${monomial_label(str(scale.variable), monomial)}$", **_sum_look(count))


def monomial_label(variable: str, monomial: Monomial) -> str:
    r"""A monomial at infinity on one line.

    >>> monomial_label("l", Monomial(4, 2))
    '\\log^{2} l/l^{4}'
    """
    power = "" if monomial.logs <= 1 else f"^{{{monomial.logs}}}"
    top = rf"\log{power} {variable}" if monomial.logs else "1"
    if monomial.order == 0:
        return top
    return f"{top}/{variable}" + ("" if monomial.order == 1 else f"^{{{monomial.order}}}")


def _inline(value: Expr) -> str:
    """A number on one line: 1/2 instead of a tall fraction."""
    numerator, denominator = fraction(value)
    top = latex_expr(numerator)
    return top if denominator == 1 else f"{top}/{latex_expr(denominator)}"
