"""The phase diagram of an activation: the Edge of Chaos in the plane of sigma_b and sigma_w, and the depth scale.

The edge is a curve with the variance as parameter.  In the plane q is the smallest stable fixed point, and xi is -1/log
chi (ordered) or -1/log f'(c*) (chaotic), f from `TERMS` Hermite coefficients.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from sympy import Expr

from asympt.arrays import finite_array, whole
from asympt.depth.moving import hermite_rows
from asympt.errors import InputError, UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.edge import offset
from asympt.meanfield.roots import NOISE, square_means, zeros
from asympt.numbers import positive
from asympt.plots.style import COLOURS, GREY, canvas, entry, in_one_font, styled

CELLS, VARIANCES, TERMS, STEPS, PLACES = 161, 600, 80, 60, 200
CURVE = np.geomspace(1e-8, 1e6, 6000)
REACH, POINTS = 11.0, 4001
BIASES = 1.0


@dataclass(frozen=True)
class PhaseData:
    """What the diagram shows.

    `curves`: arrays (sigma_b, sigma_w, q, V'(q)), one for each branch of the Edge of Chaos.  `depth_scale` and `chi`
    on the grid `weights` x `biases` (rows are sigma_w); NaN where the variance grows without bound.
    """

    name: str
    curves: tuple[np.ndarray, ...]
    biases: np.ndarray
    weights: np.ndarray
    chi: np.ndarray
    depth_scale: np.ndarray


def phase_data(phi: str | Expr | Activation, sigma_b_max=BIASES, sigma_w_range=None, cells: int = CELLS) -> PhaseData:
    """The diagram for sigma_b in [0, sigma_b_max] and sigma_w in `sigma_w_range` (default: around the Edge of Chaos).

    >>> data = phase_data("relu", cells=21)
    >>> bool(np.all(data.chi[data.weights < 1.4] < 1))
    True
    """
    phi = activation(phi)
    if phi.jumps(0):
        raise UnsupportedError(
            f"activation {phi.name!r} jumps, so f'(1) is infinite for every sigma_w; take a continuous activation"
        )
    most = float(positive(sigma_b_max, "sigma_b_max", "the largest sigma_b of the diagram"))
    curves = edge_curves(phi)
    low, high = _window(curves, most) if sigma_w_range is None else _ends(sigma_w_range)
    cells = whole(cells, "cells", "the number of columns, 3 or more", least=3)
    if not 0 <= low < high:
        raise InputError(f"the range of sigma_w from {low:g} to {high:g} is empty; give a smaller and a larger number")
    biases, weights = np.linspace(0, most, cells), np.linspace(low, high, cells)
    chi, scale = _plane(phi, biases, np.maximum(weights, 1e-6))
    return PhaseData(phi.name, tuple(curves), biases, weights, chi, scale)


def _ends(given) -> tuple[float, float]:
    ends = finite_array(given, "sigma_w_range")
    if ends.shape != (2,):
        raise InputError(f"sigma_w_range = {given!r} is not a range; give its two ends, such as (1, 2)")
    return float(ends[0]), float(ends[1])


def edge_curves(phi: Activation) -> list[np.ndarray]:
    """The branches of the Edge of Chaos: arrays with the rows sigma_b, sigma_w, q, V'(q); one point if ReLU-like."""
    if phi.is_relu_like:
        return [np.array([[0.0], [float(phi.second_moment) ** -0.5], [np.nan], [1.0]])]
    piecewise = phi.piecewise
    crossings = zeros(lambda q: offset(piecewise, q))
    q = np.sort(np.concatenate([CURVE, crossings]))
    share = np.where(np.isin(q, crossings), 0, offset(piecewise, q))
    q, share = (values[(share == 0) | (np.abs(share) > NOISE)] for values in (q, share))  # signs that rounding decides
    square = share * q
    slopes, moments = square_means(piecewise, 1)(q), square_means(piecewise, 0)(q)
    with np.errstate(divide="ignore", invalid="ignore"):
        gradient = np.gradient(moments, q) / slopes
    inside = np.isfinite(square) & (square >= 0)
    ends = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(int), [0]])))
    spans = [slice(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return [np.array([np.sqrt(square[k]), slopes[k] ** -0.5, q[k], gradient[k]]) for k in spans]


def _window(curves: list[np.ndarray], most: float) -> tuple[float, float]:
    """sigma_w around the part of the curves that is in sight."""
    seen = np.concatenate([curve[1][curve[0] <= most] for curve in curves]) if curves else np.empty(0)
    if not seen.size:
        return 0.0, 2.0
    low, high = float(seen.min()), float(seen.max())
    room = max(0.6 * (high - low), 0.25 * low)
    return max(0.0, low - room), high + room


def _plane(phi: Activation, biases: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if phi.is_relu_like:
        chi = np.tile(weights[:, None] ** 2 * float(phi.second_moment), biases.size)
        chi[(chi > 1) & (biases > 0)] = np.nan
        multiplier = np.where(chi < 1, chi, np.nan)
    else:
        variances = _variances(phi.piecewise, biases, weights)
        chi = weights[:, None] ** 2 * _interpolated(variances, lambda q: square_means(phi.piecewise, 1)(q))
        multiplier = np.where(chi < 1, chi, _chaotic_slopes(phi.piecewise, variances, biases, weights, chi))
    with np.errstate(divide="ignore", invalid="ignore"):
        return chi, -1 / np.log(multiplier)


def _interpolated(variances: np.ndarray, function) -> np.ndarray:
    result, known = np.full(variances.shape, np.nan), np.isfinite(variances)
    if known.any():
        places = _places(variances[known])
        result[known] = CubicSpline(np.log(places), function(places))(np.log(variances[known])).T
    return result


def _places(variances: np.ndarray) -> np.ndarray:
    return np.geomspace(variances.min() * 0.99, variances.max() * 1.01, PLACES)


def _variances(phi: PiecewiseSmooth, biases: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The smallest stable fixed point for each sigma_w (rows) and sigma_b: where q - V(q) turns positive."""
    q = np.geomspace(1e-6, 1e4, VARIANCES)
    zeroth = square_means(phi, 0)(q)
    q, zeroth = q[np.isfinite(zeroth)], zeroth[np.isfinite(zeroth)]
    return np.array([_settled(np.log(q), q, q - weight**2 * zeroth, biases**2) for weight in weights])


def _settled(logs: np.ndarray, q: np.ndarray, excess: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """One row: the first sign change of excess - sigma_b^2, sharpened by two secant-like steps on a cubic spline."""
    sign = excess[None, :] - squares[:, None]
    turns = (sign[:, :-1] < 0) & (sign[:, 1:] >= 0)
    index, rows = np.argmax(turns, axis=1), np.arange(squares.size)
    before, after = sign[rows, index], sign[rows, index + 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.clip(-before / (after - before), 0, 1)
    place, spline = logs[index] + share * (logs[index + 1] - logs[index]), CubicSpline(logs, excess)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(3):
            step = (spline(place) - squares) / spline(place, 1)
            place = np.clip(place - step, logs[index], logs[index + 1])
    return np.where(sign[:, 0] >= 0, q[0], np.where(turns.any(axis=1), np.exp(place), np.nan))


def _chaotic_slopes(phi: PiecewiseSmooth, variances, biases, weights, chi) -> np.ndarray:
    """f'(c*) where chi > 1: Newton's method from c = 0 on f(c) - c, convex and decreasing there."""
    chaotic, result = chi > 1, np.full(chi.shape, np.nan)
    if not chaotic.any():
        return result
    q, places = variances[chaotic], _places(variances[chaotic])
    weight = np.broadcast_to(weights[:, None] ** 2, chi.shape)[chaotic] / q
    squares = weight * CubicSpline(np.log(places), _hermite_squares(phi, places))(np.log(q)).T
    squares[0] += np.broadcast_to(biases[None, :] ** 2, chi.shape)[chaotic] / q
    rest, power = _tail(squares, chi[chaotic])
    c = np.zeros_like(q)
    for _ in range(STEPS):
        value, slope = rest * c**power, rest * power * c ** (power - 1)
        for k in range(TERMS - 1, -1, -1):
            value, slope = value + squares[k] * c**k, slope + (k * squares[k] * c ** (k - 1) if k else 0)
        c = np.clip(c - (value - c) / np.minimum(slope - 1, -1e-9), 0, 1)
    result[chaotic] = np.clip(slope, 1e-12, 1 - 1e-9)
    return result


def _tail(squares: np.ndarray, chi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is cut off as one term rest c^power, so that f(1) = 1 and f'(1) = chi."""
    orders = np.arange(TERMS)[:, None]
    rest, slope = 1 - squares.sum(axis=0), chi - (orders * squares).sum(axis=0)
    rest = np.maximum(rest, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return rest, np.where(rest > 1e-7, np.maximum(slope / rest, TERMS), TERMS)


def _hermite_squares(phi: PiecewiseSmooth, places: np.ndarray) -> np.ndarray:
    """a_k(q)^2 for each q (rows) and k < TERMS, by the trapezoidal rule."""
    z = np.linspace(-REACH, REACH, POINTS)
    values = phi.vectorised(np.sqrt(places)[:, None] * z) * np.exp(-z * z / 2) * (z[1] - z[0]) / np.sqrt(2 * np.pi)
    return np.array([values @ row for row in hermite_rows(z, np.ones_like(z), TERMS)]).T ** 2


LEVELS = (1, 2, 5, 10, 20)
TINT = {"ordered": COLOURS[0], "chaotic": COLOURS[1]}
SHORTEST, LONGEST = 0.5, 100.0
UNSTABLE = (0, (2, 1))


@styled
def phase_figure(
    phi: str | Expr | Activation, sigma_b_max=BIASES, sigma_w_range=None, width: float = 5.0,
    data: PhaseData | None = None,
):  # fmt: skip
    """The phase diagram of an activation: the Edge of Chaos, both phases, contours of the correlation depth scale xi.

    Colours pale towards the Edge of Chaos, where xi is infinite.  A marker shows the point that HDR print for tanh, ELU
    and ReLU.  `width` is in inches.
    """
    data = phase_data(phi, sigma_b_max, sigma_w_range) if data is None else data
    figure, (axes,) = canvas(width, 0.8 * width)
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
        for number in axes.clabel(lines, fmt="%d", fontsize=7, inline_spacing=2):
            number.set_clip_on(False)


def _draw_edge(axes, data: PhaseData) -> None:
    """The critical curve (a point for ReLU-like activations)."""
    for curve in data.curves:
        alone = curve.shape[1] == 1
        if not alone:
            for unstable, style in ((False, "-"), (True, UNSTABLE)):
                part = np.where((curve[3] > 1) == unstable, curve[1], np.nan)
                axes.plot(curve[0], part, linestyle=style, color="black", linewidth=1.6, zorder=3)
        else:
            axes.plot(curve[0], curve[1], "o", color="black", zorder=3, clip_on=False)
            axes.axhline(curve[1][0], color="black", linewidth=0.8, linestyle=(0, (4, 2.5)), zorder=2)


def _name_phases(axes, data: PhaseData) -> None:
    """The name of each region, where there is most room around it."""
    from scipy.ndimage import distance_transform_edt

    regions = {**_phases(data), "variance grows without bound": np.isnan(data.chi)}
    for name, mask in regions.items():
        if mask.mean() < 0.03:
            continue
        room = distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1]  # from the border of the region
        row, column = np.unravel_index(np.argmax(room), room.shape)
        look = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1.5}
        axes.text(
            data.biases[column], data.weights[row], name.replace(" without", "\nwithout"), ha="center", va="center",
            zorder=5, bbox=look,
        )  # fmt: skip


def _handles(data: PhaseData) -> list:
    handles = []
    if data.curves:
        alone = data.curves[0].shape[1] == 1
        dot = {"marker": "o", "linestyle": "none"} if alone else {}
        handles.append(entry("Edge of Chaos", color="black", linewidth=1.6, **dot))
        if alone:
            handles.append(entry(r"$\chi=1$", color="black", linewidth=0.8, linestyle=(0, (4, 2.5))))
        elif any((curve[3] > 1)[curve[0] <= data.biases[-1]].any() for curve in data.curves):
            handles.append(entry("the same, unstable variance", color="black", linewidth=1.6, linestyle=UNSTABLE))
    handles.append(entry(r"depth scale $\xi$ in layers", color=GREY, linewidth=0.6))
    return handles
