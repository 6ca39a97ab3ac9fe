"""The figures of laws of networks: `data` says what is drawn, this file how; laws in log L with what they show.

A law in log L is drawn over fifty decades of depth: 1/4 + O(1/log L) looks like a constant of its own over every depth
that can be iterated.  Lines are the law's terms with its constants put in, drawn where they are `NEAR` the axes.
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature

import numpy as np
from mpmath import mp
from sympy import Expr, fraction, log

from asympt.architectures.composed.compiling import CONSTANT
from asympt.architectures.composed.laws import EDGE
from asympt.architectures.registry import COMPOSED, FLOW_TIME, LAYERS, record_of, records
from asympt.blocks import LAYER
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Monomial
from asympt.expansions.printing import latex_expr
from asympt.numbers import check_depth, to_mpf
from asympt.plots.data import (
    STARTS,
    Curve,
    LawData,
    Points,
    Progress,
    constants_in,
    depths_to,
    is_critical,
    iterated,
    law_data,
    nets_of,
    starts_of,
    warning_of,
)
from asympt.plots.style import DASHES, GREY, LIMIT, STYLE, canvas, colour, entry, in_one_font, marker, styled
from asympt.recursions.law import Law

ITERATED, DEEP, FIRST, LEAST = 10**4, 10**50, 10**5, 100
SURE = 30  # digits of a value next to its limit
DIGITS = 8
NEAR = 0.35  # of the height of the axes


@dataclass(frozen=True)
class ScaledCurve(Curve):
    """The points of one start, and the law with its constants put in, times (chi log L)^order."""

    chi: float

    def law(self, depths: np.ndarray, terms: int | None = None) -> np.ndarray:
        """(chi log L)^order times the law's terms."""
        logs = np.log(depths)
        total = sum(float(c) * logs ** -float(m.order) for m, c in self.expansion.terms[:terms])
        return total * (self.chi * logs) ** self.order


def scaled_data(
    net, kind: str = "ntk", correlations: Sequence = STARTS, depth: int | None = None, terms: int = 4,
    progress: Progress | None = None,
) -> LawData:  # fmt: skip
    """The ratio K^L(x,x')/K^L(x,x) ('ntk') or (g log l)^p (1 - c^l) ('correlation') for every c^1 in `correlations`.

    `net` is a `ScaledResNet` with kappa = 1, or composed of blocks whose weights fall like g/l; depths are
    powers of ten up to `depth`, 10^50 when left out, and below 10^5 10, 20, 50, ... up to it.
    Raises `UnsupportedError` for another kappa, `InputError` for a depth below 20.

    >>> from asympt.architectures.resnet import ScaledResNet
    >>> points = scaled_data(ScaledResNet("relu"), "correlation", ["1/10"], depth=10**5, terms=1).curves[0].points
    >>> len(points.values), bool(points.iterated[0])
    (5, True)
    """
    if getattr(net, "kappa", 1) != 1:
        raise UnsupportedError(f"kappa = {net.kappa}: this figure shows laws in log L; take kappa = 1")
    last = DEEP if depth is None else check_depth(depth)
    law = net.ntk_law(terms) if kind == "ntk" else net.correlation_law(terms)
    starts, chi = starts_of(correlations), float(law.coordinate.dynamics.steps.weight)
    decades = np.unique([*range(1, 6), *np.linspace(5, len(str(last)) - 1, 14).round()])  # about 18
    power = 0 if kind == "ntk" else int(law.expansion.leading[0].order)
    every = [10 ** int(k) for k in decades] if last >= FIRST else depths_to(last)[3:]
    curves, depths, near = [], np.array(every, dtype=float), [layer for layer in every if layer <= ITERATED]

    def observe(layer: int, gap, kernel):
        return gap[:-1] if law.linear is None else kernel[:-1] / kernel[-1]

    found = iterated(net, [*starts, 1], near, observe, None)  # the last one: gap 0
    for index, start in enumerate(starts):
        if progress is not None:
            progress("values of the law", index, len(starts))
        far = [float(law.evaluate(layer, digits=DIGITS, correlation=start)) for layer in every[len(near) :]]
        values = np.array([*found[index], *far]) * (chi * np.log(depths)) ** power
        expansion = law.expansion.subs(constants_in(law, start, DIGITS))
        curves.append(ScaledCurve(start, Points(depths, values, depths <= ITERATED), expansion, power, chi))
    return LawData(law, tuple(curves))


@styled
def scaled_figure(data: LawData, width: float = 5.0):
    """The values (filled: iterated, open: evaluated), the law, and its limit; `width` in inches."""
    figure, (axes,) = _canvas(width, [0.9 + 0.45 * width])
    curve, scale = data.curves[0], data.curves[0].chi ** data.curves[0].order
    limit = float(data.law.expansion.leading[1]) * scale
    seen = np.append(np.concatenate([curve.points.values for curve in data.curves]), limit)
    height = 1.16 * (seen.max() - seen.min())
    low, high, drawn = seen.min() - 0.07 * height, seen.max() + 0.07 * height, []
    for index, each in enumerate(data.curves):
        _draw_points(axes, each, index)
        grid = np.geomspace(10, each.points.depths[-1], 800)
        line = each.law(grid)
        inside = (line > low - NEAR * height) & (line < high + NEAR * height)
        first = np.argmax(inside) if inside.all() else len(inside) - np.argmin(inside[::-1])
        drawn += axes.plot(grid[first:], line[first:], color=colour(index), zorder=2)
    axes.axhline(limit, **LIMIT, zorder=1)
    axes.set_ylim(low, high)
    axes.set_xlabel("depth (log scale)")
    power = "" if curve.order == 1 else f"^{{{curve.order}}}"
    clock = rf"\log{power} l" if curve.chi == 1 else rf"(g\,\log l){power}"
    axes.set_ylabel(rf"${clock}\,(1-c^l)$" if curve.order else r"$K^L(x,x')/K^L(x,x)$")
    shown = [entry("law", color="black")] if any(len(line.get_xdata()) > 2 for line in drawn) else []
    handles = [*_start_handles(data), *_source_handles(data), *shown, entry("limit", **LIMIT)]
    return finish(figure, handles, columns=3)


FLOOR = 1e-14
CHARACTERS = 15  # of a headline, in an inch


@styled
def ntk_figure(
    net, correlations: Sequence = STARTS, depth: int | None = None, terms: int = 4, width: float = 5.0, progress:
    Progress | None = None,
):
    """The distance of the average NTK from its limit, times L^p, against log L: with p = 1 the slope is that of log L.

    Points: the layer recursion (filled) and, beyond layer 10^5, the law's evaluation (open).  Lines: the
    first `terms` terms of the law.  Dashed: what Theta(1/L) would mean, from the value at layer 10 on.
    p is the order of the law's first decaying term: 1, or 1/2 where phi'' jumps.  In the ordered and the chaotic phase:
    the distance of K^L/q from its limit on a logarithmic scale; for a `ScaledResNet` K^L(x,x')/K^L(x,x) over log L.
    `width` is in inches: 3.4 fits a column.
    """
    if _time_of(net) == FLOW_TIME:
        return scaled_figure(scaled_data(net, "ntk", correlations, depth, terms, progress), width)
    data = law_data(net, "ntk", correlations, depth, terms, progress)
    if not is_critical(net):
        return _distances(data, width)
    figure, (axes,) = _canvas(width, [1.2 + 0.3 * width])
    for index, curve in enumerate(data.curves):
        _draw_points(axes, curve, index)
        _draw_law(axes, curve, first=10, color=colour(index))
    _draw_flat(axes, data)
    _mark_slope(axes, data)
    _frame_values(axes, data)
    axes.set_xlabel("depth $L$ (log scale)")
    power = depth_power("L", data.curves[0].order)
    axes.set_ylabel(rf"${power}\,\left({kernel_name(net)}-{latex_expr(data.law.limit)}\right)$")
    mark_stability(figure, data.law)
    return finish(figure, [*_start_handles(data), *_source_handles(data), *_line_handles(data)], columns=3)


@styled
def correlation_figure(
    net, correlation=STARTS[0], depth: int | None = None, terms: int = 4, width: float = 5.0, progress: Progress | None
    = None,
):
    """l^p (1 - c^l) and the law's partial sums: how the log term closes the gap to the limit.

    Above: the values and the sums of 1, 2, ... terms; below: the relative error of those sums.  In the ordered and the
    chaotic phase: the distance from the limit on a logarithmic scale; for a `ScaledResNet` over log l.
    """
    if _time_of(net) == FLOW_TIME:
        return scaled_figure(scaled_data(net, "correlation", [correlation], depth, terms, progress), width)
    data = law_data(net, "correlation", [correlation], depth, terms, progress)
    if not is_critical(net):
        return _distances(data, width)
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
    return finish(figure, handles, columns=3 if width >= 4.5 else 2)


def _distances(data: LawData, width: float):
    """Off the Edge of Chaos: |value - limit| of every start (points) and the law (lines) on a logarithmic scale."""
    figure, (axes,) = _canvas(width, [1.2 + 0.3 * width])
    axes.set_xscale("linear")
    axes.set_yscale("log")
    for index, curve in enumerate(data.curves):
        _draw_points(axes, curve, index)
        depths = curve.points.depths
        grid = np.linspace(depths[0], depths[-1], 400)
        axes.plot(grid, np.abs(curve.law(grid)), color=colour(index), zorder=2)
    values = np.concatenate([curve.points.values for curve in data.curves])
    axes.set_ylim(values.min() / 3, values.max() * 3)
    variable, limit = data.law.depth_variable, float(data.law.limit)
    value = "1-c^l" if data.law.linear is None else "K^L/q"
    axes.set_ylabel(f"${value}$" if limit == 0 else rf"$\left|{value}-{limit:.5g}\right|$")
    axes.set_xlabel(f"layer ${variable}$")
    mark_stability(figure, data.law)
    handles = [*_start_handles(data), entry("recursion", **_dot("black")), _line_handles(data)[0]]
    return finish(figure, handles, columns=3)


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
    figure, panels = canvas(width, sum(heights), len(heights), sharex=True)
    for axes in panels:
        axes.set_xscale("log")
    return figure, panels


def finish(figure, handles: list, columns: int):
    """The legend below, with room for it."""
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
    own, shape = GREY if index is None else colour(index), marker(index or 0)
    for mask, face in ((curve.points.iterated, own), (~curve.points.iterated, "white")):
        depths, values = curve.points.depths[mask], curve.points.values[mask]
        axes.plot(depths, values, shape, color=own, markerfacecolor=face, zorder=3)


def _draw_law(axes, curve: Curve, first: float, terms: int | None = None, **look) -> None:
    """The law from depth `first` on, where it begins to mean something."""
    grid = np.geomspace(first, curve.points.depths[-1], 400)
    axes.plot(grid, curve.law(grid, terms), zorder=2, **look)


def _draw_flat(axes, data: LawData) -> None:
    """What a rate of exactly 1/L looks like: L times the distance stays where it was."""
    for curve in data.curves:
        level = float(np.interp(np.log(10), np.log(curve.points.depths), curve.points.values))
        grid = np.geomspace(10, curve.points.depths[-1], 100 if curve.order != 1 else 2)
        axes.plot(grid, level * (grid / 10) ** (curve.order - 1), **LIMIT, zorder=1)


def _frame_values(axes, data: LawData) -> None:
    """The values set the frame: at small depth a law may be far from them."""
    values = np.concatenate([curve.points.values for curve in data.curves])
    span = float(np.ptp(values)) or 1.0
    axes.set_ylim(float(values.min()) - 0.06 * span, float(values.max()) + 0.06 * span)


def _mark_slope(axes, data: LawData) -> None:
    """A note with the law's own coefficient of log(L)/L, and how much that is for ten times the depth."""
    slope = data.law.expansion.coefficients.get(Monomial(1, 1))
    if slope is not None and data.curves[0].order == 1:
        decade = float(slope) * np.log(10)
        value = f"${_inline(slope) if slope.is_Rational else format(float(slope), '.4f')}$"
        axes.set_title(f"slope {value} in $\\log L$ (${decade:+.3f}$ for ten times the depth)", loc="left", fontsize=9)


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
    return {"color": colour(count - 1), "linestyle": DASHES[(count - 1) % len(DASHES)]}


# ---- legend ---------------------------------------------------------------------------------------


def _start_handles(data: LawData) -> list:
    return [
        entry(f"$c^1={_inline(curve.correlation)}$", **_dot(colour(index), marker(index)))
        for index, curve in enumerate(data.curves)
    ]


def _source_handles(data: LawData, chosen: str = "black") -> list:
    """What filled and open points are; open ones only when there are any."""
    look = _dot(chosen)
    handles = [entry("recursion", **look)]
    if not data.curves[0].points.iterated.all():
        handles.append(entry("evaluated", markerfacecolor="white", **look))
    return handles


def _dot(chosen: str, shape: str = "o") -> dict:
    return {"color": chosen, "marker": shape, "markersize": STYLE["lines.markersize"], "linestyle": "none"}


def _line_handles(data: LawData) -> list:
    terms = len(data.law.expansion.terms)
    return [entry(f"law, {terms} terms", color="black"), entry(r"if $\Theta(1/L)$ held", **LIMIT)]


def _sum_handle(data: LawData, count: int):
    """The sum of `count` terms, named by the monomial of its last term."""
    scale, (monomial, _) = data.law.expansion.scale, data.law.expansion.terms[count - 1]
    plural = "" if count == 1 else "s"
    return entry(f"{count} term{plural}, to ${monomial_label(str(scale.variable), monomial)}$", **_sum_look(count))


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


# ---- any law of one start --------------------------------------------------------------------------


@styled
def law_figure(law: Law, depth: int | None = None, width: float = 5.0, **start):
    """The quantity of a law, evaluated (points), and its formula (line): distances from the limit where it is finite.

    Arguments as in `Law.plot`.
    """
    if not start and "correlation" in signature(law.reader).parameters:
        start = law._known_start or {"correlation": STARTS[0]}
    law.coordinate.require_drawn("plot")
    law._start(start)  # one start, by a name that the law knows
    limit = law.limit
    centre = float(limit) if limit.is_finite and limit.is_number else 0.0
    depths, grid = _ladder(law, depth)
    formula = law.to_numpy()
    figure, (axes,) = _canvas(width, [1.2 + 0.3 * width])
    with mp.workdps(SURE):
        exact = law.evaluate(depth=depths, digits=SURE, **start) - (to_mpf(limit) if centre else 0)
    axes.plot(depths, np.abs(exact).astype(float), "o", color=colour(0))
    axes.plot(grid, np.abs(formula(grid, **start) - centre), color=colour(1))
    axes.set_xscale("linear" if law.koenigs is not None else "log")
    axes.set_yscale("log")
    axes.set_xlabel(f"${law.depth_variable}$")
    axes.set_ylabel(f"${law.quantity}$" if not centre else rf"$\left|{law.quantity}-{float(limit):.5g}\right|$")
    terms = len(law.expansion.terms)
    handles = [entry("evaluated", **_dot(colour(0))), entry(f"law, {terms} term{'s' * (terms != 1)}", color=colour(1))]
    return finish(figure, handles, columns=2)


def _ladder(law: Law, depth: int | None) -> tuple[list[int], np.ndarray]:
    """The depths of the points, and those of the line."""
    if law.koenigs is None:
        depths = depths_to(ITERATED if depth is None else depth)
        return depths, np.geomspace(2, depths[-1], 400).round()
    length = -1 / float(log(abs(law.koenigs.multiplier)))
    last = max(LEAST, int(12 * length)) if depth is None else check_depth(depth)
    return sorted({int(at) for at in np.linspace(1, last, 24)}), np.unique(np.linspace(1, last, 400).round())


# ---- HDR Figure 1 redrawn: how far the NTK is from its limit, several networks in one picture --------------------


@styled
def compare_figure(nets: Sequence, correlation=STARTS[1], depth: int | None = None, terms: int = 4, width: float = 5.0):
    """The NTK's distance from its limit for several networks, all on the Edge of Chaos or all off it.

    Raises `InputError` when both kinds are mixed or none is given.

    >>> from asympt import FeedForward
    >>> compare_figure([FeedForward("relu"), FeedForward("abs")], depth=100).axes[0].get_xscale()
    'log'
    """
    nets = nets_of(nets)
    kinds = set(map(is_critical, nets))
    if len(kinds) != 1:
        raise InputError(
            f"{len(nets)} networks on {len(kinds)} kinds of scale cannot share axes; give networks that are all on the "
            "Edge of Chaos or all off it"
        )
    critical = kinds.pop()
    figure, (axes,) = _canvas(width, [1.2 + 0.35 * width])
    axes.set_xscale("log" if critical else "linear")
    axes.set_yscale("log")
    drawn = [_draw_distances(axes, net, index, correlation, depth, terms, critical) for index, net in enumerate(nets)]
    seen = np.concatenate(drawn)
    axes.set_ylim(seen.min() / 2, seen.max() * 2)
    axes.set_xlabel("depth $L$")
    shown = kernel_name(nets[0]) if critical else "K^L/q"
    axes.set_ylabel(rf"$\left|{shown}-\mathrm{{limit}}\right|$")
    handles = [entry(name, **_dot(colour(index), marker(index))) for index, name in enumerate(names_of(nets))]
    handles += [entry("recursion", **_dot("black")), entry("law", color="black")]
    if critical:
        last = 1000 if depth is None else depth
        axes.plot([10, last], [seen.max(), seen.max() * 10 / last], **LIMIT, zorder=1)
        handles.append(entry("$1/L$", **LIMIT))
    return finish(figure, handles, columns=3)


def _draw_distances(axes, net, index: int, correlation, depth: int | None, terms: int, critical: bool) -> np.ndarray:
    """Points and law of one network; the distances from layer 10 on in (a), all in (b)."""
    curve = law_data(net, "ntk", [correlation], 1000 if critical and depth is None else depth, terms).curves[0]
    depths = curve.points.depths
    shown = depths >= (10 if critical else 1)
    own = colour(index)
    distances = np.abs(curve.points.values) * depths**-curve.order
    axes.plot(depths[shown], distances[shown], marker(index), color=own, zorder=3)
    grid = np.geomspace(depths[shown][0], depths[-1], 300)
    axes.plot(grid, np.abs(curve.law(grid)) * grid**-curve.order, color=own, zorder=2)
    return distances[shown]


def names_of(nets: Sequence) -> list[str]:
    """A legend's names: the activation, or sigma_w where networks differ in nothing else.

    >>> from asympt import FeedForward
    >>> names_of([FeedForward("relu"), FeedForward("abs")])
    ['relu', 'abs']
    """
    names = [net.activation.name for net in nets]
    if len(set(names)) != len(names):
        names = [rf"{name}, $\sigma_w={latex_expr(net.sigma_w)}$" for name, net in zip(names, nets, strict=True)]
    return [name + warning_of(net) for name, net in zip(names, nets, strict=True)]
