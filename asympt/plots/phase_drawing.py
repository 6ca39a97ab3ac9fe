"""How a phase diagram is drawn: `phase` says what is in it."""

import numpy as np

from asympt.errors import InputError
from asympt.meanfield.activations import Activation
from asympt.plots.phase import BIASES, PhaseData, phase_data
from asympt.plots.style import COLOURS, GREY, in_one_font, styled

LEVELS = (1, 2, 5, 10, 20)
TINT = {"ordered": COLOURS[0], "chaotic": COLOURS[1]}
SHORTEST, LONGEST = 0.5, 100.0
UNSTABLE = (0, (2, 1))


@styled
def phase_figure(
    phi: Activation, sigma_b_max=BIASES, sigma_w_range=None, width: float = 5.0, data: PhaseData | None = None
):
    """The phase diagram of an activation: the Edge of Chaos, both phases, contours of the correlation depth scale xi.

    Colours pale towards the Edge of Chaos, where xi is infinite.  A marker shows the point that HDR print for tanh, ELU
    and ReLU.  `width` is in inches.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not 2 <= width <= 20:
        raise InputError(f"width = {width} inches is no width for a figure; take one from 2 to 20, a column is 3.4")
    data = phase_data(phi, sigma_b_max, sigma_w_range) if data is None else data
    figure = Figure(figsize=(width, 0.8 * width), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    _draw_background(axes, data)
    _draw_contours(axes, data)
    _draw_edge(axes, data)
    _name_phases(axes, data)
    axes.set_xlim(data.biases[0], data.biases[-1])
    axes.set_ylim(data.weights[0], data.weights[-1])
    axes.set_xlabel(r"standard deviation of the biases $\sigma_b$")
    axes.set_ylabel(r"standard deviation of the weights $\sigma_w$")
    figure.legend(handles=_handles(data), loc="outside lower center", ncols=2 if width < 4.5 else 3, handlelength=1.8)
    return in_one_font(figure)


def _draw_background(axes, data: PhaseData) -> None:
    """Each phase in its colour, the paler the longer the depth scale; white hatched where there is no variance."""
    from matplotlib.colors import to_rgb

    strength = 1 - np.log(np.clip(data.depth_scale, SHORTEST, LONGEST) / SHORTEST) / np.log(LONGEST / SHORTEST)
    image = np.ones((*data.chi.shape, 3))
    for name, mask in _phases(data).items():
        colour = np.array(to_rgb(TINT[name]))
        weight = (0.08 + 0.5 * strength)[mask][:, None]
        image[mask] = 1 - weight * (1 - colour)
    half_b, half_w = np.diff(data.biases[:2])[0] / 2, np.diff(data.weights[:2])[0] / 2
    extent = (-half_b, data.biases[-1] + half_b, data.weights[0] - half_w, data.weights[-1] + half_w)
    axes.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="bilinear", zorder=0)
    unbounded = np.isnan(data.chi).astype(float)
    if unbounded.any():
        filled = axes.contourf(
            data.biases, data.weights, unbounded, levels=[0.5, 1.5], colors=["#f6f6f6"], hatches=["///"], zorder=0.5
        )
        filled.set(edgecolor="#cccccc", linewidth=0)


def _phases(data: PhaseData) -> dict[str, np.ndarray]:
    with np.errstate(invalid="ignore"):
        return {"ordered": data.chi < 1, "chaotic": data.chi >= 1}


def _draw_contours(axes, data: PhaseData) -> None:
    """Contours of xi in each phase, each with its number: closer to the Edge of Chaos there is no room for one."""
    for mask in _phases(data).values():
        shown = np.ma.masked_where(~mask | ~np.isfinite(data.depth_scale), data.depth_scale)
        if shown.count() < 4 or shown.min() == shown.max():
            continue
        lines = axes.contour(data.biases, data.weights, shown, levels=LEVELS, colors=GREY, linewidths=0.5, zorder=1)
        axes.clabel(lines, fmt="%d", fontsize=7, inline_spacing=2)


def _draw_edge(axes, data: PhaseData) -> None:
    """The critical curve (a point for ReLU-like activations) and HDR's printed point."""
    for curve in data.curves:
        alone = curve.shape[1] == 1
        if not alone:
            for unstable, style in ((False, "-"), (True, UNSTABLE)):
                part = np.where((curve[3] > 1) == unstable, curve[1], np.nan)
                axes.plot(curve[0], part, linestyle=style, color="black", linewidth=1.6, zorder=3)
        else:
            axes.plot(curve[0], curve[1], "o", color="black", zorder=3, clip_on=False)
            axes.axhline(curve[1][0], color="black", linewidth=0.8, linestyle=(0, (4, 2.5)), zorder=2)
    if data.printed is not None:
        axes.plot(
            *data.printed, "D", color=COLOURS[4], markeredgecolor="black", markersize=6, zorder=4, clip_on=False,
            markeredgewidth=0.7,
        )  # fmt: skip


def _name_phases(axes, data: PhaseData) -> None:
    """The name of each region, where there is most room around it."""
    regions = {**_phases(data), "variance grows without bound": np.isnan(data.chi)}
    for name, mask in regions.items():
        if mask.mean() < 0.03:
            continue
        row, column = _roomiest(mask)
        look = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1.5}
        axes.text(
            data.biases[column], data.weights[row], name.replace(" without", "\nwithout"), ha="center", va="center",
            zorder=5, bbox=look,
        )  # fmt: skip


def _roomiest(mask: np.ndarray) -> tuple[int, int]:
    """The cell furthest from the border of a region."""
    from scipy.ndimage import distance_transform_edt

    padded = np.pad(mask, 1)
    return tuple(int(k) - 1 for k in np.unravel_index(np.argmax(distance_transform_edt(padded)), padded.shape))


def _handles(data: PhaseData) -> list:
    from matplotlib.lines import Line2D

    handles = []
    if data.curves:
        alone = data.curves[0].shape[1] == 1
        handles.append(Line2D([], [], color="black", linewidth=1.6, label="Edge of Chaos", **(
            {"marker": "o", "linestyle": "none"} if alone else {}
        )))  # fmt: skip
        if alone:
            handles.append(Line2D([], [], color="black", linewidth=0.8, linestyle=(0, (4, 2.5)), label=r"$\chi=1$"))
        elif any((curve[3] > 1)[curve[0] <= data.biases[-1]].any() for curve in data.curves):
            handles.append(
                Line2D([], [], color="black", linewidth=1.6, linestyle=UNSTABLE, label="the same, unstable variance")
            )
    if data.printed is not None:
        b, w = data.printed
        handles.append(Line2D(
            [], [], color=COLOURS[4], marker="D", linestyle="none", markeredgecolor="black", markersize=5.5,
            label=f"printed in HDR: $({b:g},\\,{w:.4g})$",
        ))  # fmt: skip
    handles.append(Line2D([], [], color=GREY, linewidth=0.6, label=r"depth scale $\xi$ in layers"))
    return handles
