"""Figures of laws of order 1/n: fluctuations over the depth, bands around 1 - c^l, and how deep a width lets one go.

Points are the layers themselves, lines the laws where there is one, bars random networks with one standard error.
"""

from contextlib import suppress

import numpy as np

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.typesetting import remainder
from asympt.numbers import check_depth, exact
from asympt.plots.data import STARTS
from asympt.plots.drawing import finish
from asympt.plots.style import LIMIT, canvas, colour, entry, marker, styled
from asympt.width.inputs import AtWidth, StartingPair
from asympt.width.laws import LETTERS, MEAN, VARIANCE, WidthLaw, check_width, read_share
from asympt.width.sampling import sampled

DOTS, GRID, ITERATED, FURTHER = 16, 60, 100, 5  # points of lines, of the map; last layers: of a law, times `depth`
MAP = {"one network": "solid", "mean": "dotted"}  # lines of the map
AXES = {VARIANCE: r"n\,\mathrm{Var}[X]/(X)^2", MEAN: r"n\,(\mathrm{E}[X]/(X)-1)"}
SHOWN = ("gap", "ntk-diagonal", "ntk")


@styled
def fluctuation_figure(law: WidthLaw, depth: int | None = None, width: float = 5.0, **start):
    """A law of order 1/n and the layers themselves; the start as for `law.evaluate`, c^1 = 1/10 for two inputs."""
    if law.of in ("gap", "kernel", "ntk") and not {"correlation", "gap"} & set(start):
        start["correlation"] = STARTS[0]
    figure, (axes,) = canvas(width, 0.65 * width)
    depths = _depths(check_depth(ITERATED if depth is None else depth))
    _draw_law(axes, law, depths, [law.evaluate(layer, **start) for layer in depths], 0)
    axes.set_ylabel(f"${AXES[law.what].replace('X', LETTERS[law.of][0])}$")
    rest = "" if law.expansion.remainder is None else f", up to ${remainder(law.expansion)}$".replace(r"\!\left", "")
    line = entry("law" + rest.replace(r"\right", ""), color=colour(0))
    handles = [entry("layers", color=colour(0), marker=marker(0), linestyle="none"), line]
    return finish(figure, handles[: len(axes.lines)], columns=2)


@styled
def width_figure(
    net, neurons: int = 256, depth: int = 20, correlation=STARTS[0], within="10%", networks: int | None = None,
    width: float = 7.5, **start,
):  # fmt: skip
    """What a network of `neurons` a layer is beside its laws of infinite width, for two inputs of correlation c^1.

    Left, n Var/limit^2 with law and, for `networks` random networks, bars.  Middle, 1 - c^l: its limit, the mean over
    networks, and one deviation of one network.  Right, by what share one network is off at depth L and width n; lines
    where one network, and the mean over networks, are off by `within`.  `start` and errors as for `net.fluctuation`.
    """
    depth, neurons, share = check_depth(depth), check_width(neurons), float(read_share(within))
    if not hasattr(net, "at_width"):
        raise InputError(f"net = {net!r} is not a fully connected network; give one, such as FeedForward('relu')")
    correlation = exact(correlation, "correlation")
    seen = {of: net.inputs(of, correlation, **start) for of in SHOWN if net.activation.has_ntk or of == "gap"}
    figure, (left, middle, right) = canvas(width, 0.42 * width, columns=3)
    for index, (of, pair) in enumerate(seen.items()):
        law, depths = None, _depths(max(2, depth), 2)
        with suppress(UnsupportedError):
            law = net.fluctuation_law(of)
        _draw_law(left, law, depths, [pair.share(VARIANCE, of, layer) for layer in depths], index)
    left.set_ylabel(r"$n\,\mathrm{Var}/\mathrm{limit}^2$")
    if networks is not None:
        _draw_sampled(left, net, seen, depth, neurons, networks)
    _draw_bands(middle, net.at_width(neurons), correlation, depth, start)
    lines = _draw_map(figure, right, seen["gap"], depth, neurons, share)
    handles = [entry(f"${LETTERS[of][0]}$", color=colour(k), marker=marker(k), linestyle="none")
               for k, of in enumerate(seen)]  # fmt: skip
    handles += [entry("law", color="black"), entry("limit", **LIMIT), entry("mean over networks", color=colour(0))]
    handles += [entry(f"{who} off by {100 * share:.3g}%", color=colour(3), linestyle=MAP[who]) for who in lines]
    return finish(figure, handles, columns=3)


def _depths(last: int, first: int = 1) -> list[int]:
    return np.unique(np.linspace(first, last, DOTS).round().astype(int)).tolist()


def _draw_law(axes, law: WidthLaw | None, depths: list[int], values: list[float], index: int) -> None:
    """Points, and the line where the law says more than O(1) and is a number."""
    axes.plot(depths, values, marker(index), color=colour(index), zorder=3)
    axes.xaxis.get_major_locator().set_params(integer=True)
    terms = law.expansion.terms if law is not None else ()
    if terms and not any(coefficient.free_symbols for _, coefficient in terms):
        grid = np.linspace(depths[0], depths[-1], 200)
        line = law.to_numpy()(grid)
        axes.plot(grid[line > 0], line[line > 0], color=colour(index), zorder=2)
    axes.set_xlabel("layer $L$")


def _draw_sampled(axes, net, seen: dict[str, StartingPair], depth: int, neurons: int, networks: int) -> None:
    """Bars at the last layer and halfway."""
    for layer in {max(2, depth // 2), depth}:
        for row in sampled(net.finite(), seen["gap"], layer, neurons, networks):
            if row.what == VARIANCE and row.of in seen:
                pair, look = seen[row.of], {"color": colour(SHOWN.index(row.of)), "capsize": 2}
                square = pair.limit(row.of, row.layer) ** 2
                value = pair.share(VARIANCE, row.of, row.layer) + (row.sampled - row.first_order) / square
                axes.errorbar(row.layer, value, row.error / square, **look)


def _draw_bands(axes, wide: AtWidth, correlation, depth: int, start: dict) -> None:
    depths = _depths(depth)
    limits = [wide.inputs("gap", correlation, **start).limit("gap", layer) for layer in depths]
    mean, deviation = np.array([wide.pairs(1 - correlation, layer, **start) for layer in depths]).T
    axes.fill_between(depths, np.maximum(mean - deviation, 0), mean + deviation, color=colour(0), alpha=0.2, lw=0)
    axes.plot(depths, mean, color=colour(0))
    axes.plot(depths, limits, **LIMIT)
    axes.set(ylim=(0, None), xlabel="layer $L$", ylabel=f"$1-c^L$, one standard deviation at $n={wide.width}$")


def _draw_map(figure, axes, pair: StartingPair, depth: int, neurons: int, share: float) -> list[str]:
    """The deviation of one network over the plane; the lines drawn where it, or the shift of the mean, is the share."""
    from matplotlib.ticker import NullFormatter

    layers = np.unique(np.geomspace(2, FURTHER * depth, GRID).round().astype(int))
    widths = np.geomspace(10, 1e3 * max(neurons, depth), GRID)
    variance, shift = (np.array([pair.share(what, "gap", int(at)) for at in layers]) for what in (VARIANCE, MEAN))
    deviation, moved = np.sqrt(variance / widths[:, None]), np.abs(shift) / widths[:, None]
    most = np.clip(np.maximum(deviation, moved), 1e-3, 1)
    shown = axes.pcolormesh(layers, widths, most, norm="log", cmap="cividis", shading="gouraud")
    drawn = {who: off for who, off in zip(MAP, (deviation, moved), strict=True) if off.min() < share < off.max()}
    for who, off in drawn.items():
        axes.contour(layers, widths, off, [share], colors=colour(3), linestyles=[MAP[who]])
    axes.plot(depth, neurons, "o", color="white", markeredgecolor="black")
    axes.set(xscale="log", yscale="log", xlabel="layer $L$", ylabel="width $n$")
    axes.xaxis.set_minor_formatter(NullFormatter())
    figure.colorbar(shown, ax=axes).set_label("off by, as a share of $1-c^L$")
    return list(drawn)
