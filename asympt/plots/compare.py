"""HDR Figure 1 redrawn: how far the NTK is from its limit, several networks in one picture.

Problem.  HDR plot the distance for ReLU and ELU on the Edge of Chaos (a), in the ordered phase (b) and for residual
networks with several sigma_w (c), and read rates off: "approximately of order 1/L", "exponential".  Which law do the
points follow?

Rule.  (a), (c) |K^L/(q_L L) - limit| on logarithmic axes; (b) |K^L/q - limit| on a logarithmic axis over L.  Points:
the layer recursion.  Lines: the law, from layer 10 on in (a) and (c).

Known limits.  HDR do not say from which inputs and, in (b), at which sigma_w they measured; here c^1 and sigma are
given by whoever draws.
"""

from collections.abc import Sequence

import numpy as np

from asympt.errors import InputError
from asympt.expansions.printing import latex_expr
from asympt.plots.constants import is_scale_free
from asympt.plots.data import STARTS, ntk_data, warning_of
from asympt.plots.drawing import FLAT, _canvas, _dot, _finish, _handle, kernel_name
from asympt.plots.exponential import exponential_data
from asympt.plots.style import COLOURS, MARKERS, STYLE, styled


@styled
def compare_figure(nets: Sequence, correlation=STARTS[1], depth: int | None = None, terms: int = 4, width: float = 5.0):
    """The NTK's distance from its limit for several networks, all on the Edge of Chaos or all off it.

    Raises `InputError` when both kinds are mixed or none is given.

    >>> from asympt import FeedForward
    >>> compare_figure([FeedForward("relu"), FeedForward("abs")], depth=100).axes[0].get_xscale()
    'log'
    """
    nets = list(nets)
    kinds = {net.phase == "edge of chaos" or is_scale_free(net) for net in nets}
    if len(kinds) != 1:
        raise InputError(
            f"{len(nets)} networks on {len(kinds)} kinds of scale cannot share axes; give networks that are all on the "
            "Edge of Chaos or all off it"
        )
    critical = kinds.pop()
    figure, (axes,) = _canvas(width, [1.2 + 0.35 * width])
    axes.set_xscale("log" if critical else "linear")
    axes.set_yscale("log")
    drawn = [_draw(axes, net, index, correlation, depth, terms, critical) for index, net in enumerate(nets)]
    seen = np.concatenate(drawn)
    axes.set_ylim(seen.min() / 2, seen.max() * 2)
    axes.set_xlabel("depth $L$")
    shown = kernel_name(nets[0]) if critical else "K^L/q"
    axes.set_ylabel(rf"$\left|{shown}-\mathrm{{limit}}\right|$")
    handles = [_entry(name, index) for index, name in enumerate(names_of(nets))]
    handles += [_handle("recursion", **_dot("black")), _handle("law", color="black")]
    if critical:
        last = 1000 if depth is None else depth
        axes.plot([10, last], [seen.max(), seen.max() * 10 / last], **FLAT, zorder=1)
        handles.append(_handle("$1/L$", **FLAT))
    return _finish(figure, handles, columns=3)


def _draw(axes, net, index: int, correlation, depth: int | None, terms: int, critical: bool) -> np.ndarray:
    """Points and law of one network; the distances from layer 10 on in (a), all in (b)."""
    if critical:
        data = ntk_data(net, [correlation], 1000 if depth is None else depth, terms)
    else:
        data = exponential_data(net, "ntk", [correlation], depth, terms)
    curve = data.curves[0]
    depths = curve.points.depths
    shown = depths >= (10 if critical else 1)
    colour = COLOURS[index % len(COLOURS)]
    distances = np.abs(curve.points.values) * depths**-curve.order
    axes.plot(depths[shown], distances[shown], MARKERS[index % len(MARKERS)], color=colour, zorder=3)
    grid = np.geomspace(depths[shown][0], depths[-1], 300)
    axes.plot(grid, np.abs(curve.law(grid)) * grid**-curve.order, color=colour, zorder=2)
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


def _entry(name: str, index: int):
    """One line of the legend."""
    look = {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], "linestyle": "none"}
    return _handle(name, markersize=STYLE["lines.markersize"], **look)
