"""E over the plane of products of phi' at U and V, in float64, for a function with breakpoints anywhere, c in [0, 1).

U = a x + b y and V = a x - b y with x, y independent, a^2 = (1 + c)/2 and b^2 = (1 - c)/2.  Panels in x end where U or
V meets a place where phi bends, (x_j - b y)/a and (x_j + b y)/a; panels in y where two such cross, y = (x_j - x_k)/2b:
the Gauss-Legendre rule converges geometrically at every c.  A shortfall is a sum of squares,

    (phi'(sqrt(q) U) - phi'(sqrt(q) V))^2/2 = q t^2 y^2 (mean of phi'' over [V, U])^2,     t^2 = 1 - c,

where no breakpoint lies between U and V; where one does, the difference itself is taken on a strip of width t only.
Negative c are reflected by the caller (V to -V).
"""

from bisect import bisect, insort
from collections.abc import Callable

import numpy as np

from asympt.depth.psi import NODES, WIDEST, FloatPsi, legendre, line, panels
from asympt.errors import UnsupportedError

FEWER = 14  # of a fixed rule
STEEPEST, UNLIKE = 2.0**40, 2.0**28  # sqrt(q), and ratio of two of them, beyond which the plane's rule fails
SETTLED = 1e-15  # a panel in y whose halves change the integral by less is not halved again
HALVINGS = 12
MEAN_NODES = 8


# ---- integrals over the plane ---------------------------------------------------------------------------


def over_plane(integrand: Callable, b: float, one: FloatPsi, two: FloatPsi, half: bool = False) -> float:
    """E[integrand(U, V, y)] with 1 - c = 2 b^2; only y > 0, counted twice, when `half`."""
    far = max(one.reach, two.reach)
    crossings = (one.breaks[:, None] - two.breaks).ravel() / (2 * b)
    ends = np.concatenate([np.linspace(-far, far, 2 * int(np.ceil(far / WIDEST)) + 1), crossings])
    ends = np.unique(ends[(ends >= (0.0 if half else -far)) & (ends <= far)])

    def strips(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        node, weight = legendre()
        y = ((low + high)[:, None] + (high - low)[:, None] * node).ravel() / 2
        rows = _along(integrand, y, b, one, two, far) * np.exp(-y * y / 2) / (2 * np.pi)
        return rows.reshape(-1, NODES) @ weight * (high - low) / 2

    return (2.0 if half else 1.0) * _halved(strips, ends[:-1], ends[1:])


def _halved(strips: Callable, low: np.ndarray, high: np.ndarray) -> float:
    """The sum of panels, each halved until that changes nothing."""
    whole, done = strips(low, high), 0.0
    size = np.abs(whole).sum()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = np.stack([low, middle], axis=1), np.stack([middle, high], axis=1)
        parts = strips(low.ravel(), high.ravel()).reshape(-1, 2)
        open_ = np.abs(parts.sum(axis=1) - whole) > SETTLED * size
        done += parts[~open_].sum()
        low, high, whole = low[open_].ravel(), high[open_].ravel(), parts[open_].ravel()
        if not open_.any():
            break
    return float(done + whole.sum())


def _along(integrand: Callable, y: np.ndarray, b: float, one: FloatPsi, two: FloatPsi, far: float) -> np.ndarray:
    """int integrand exp(-x^2/2) dx on the line of every y."""
    a = np.sqrt(1.0 - b * b)
    cuts = [(one.edges - b * y[:, None]) / a, (two.edges + b * y[:, None]) / a]
    border = np.full((len(y), 1), far)
    ends = np.concatenate([-border, *(np.clip(c, -far, far) for c in cuts), border], axis=1)
    x, weight = panels(np.sort(ends, axis=1))
    keep = weight > 0
    shift = np.broadcast_to(b * y[:, None], x.shape)[keep]
    values = np.zeros_like(x)
    line = a * x[keep]
    values[keep] = integrand(line + shift, line - shift, shift / b) * weight[keep] * np.exp(-(x[keep] ** 2) / 2)
    return values.sum(axis=1)


def require_resolvable(one: FloatPsi, two: FloatPsi) -> None:
    """An error where phi(sqrt(q) x) is so steep that its nodes in x are too many, or too close for float64.

    >>> from asympt.meanfield.activations import activation
    >>> require_resolvable(*[FloatPsi(activation("tanh").piecewise, 1e6)] * 2)
    """
    low, high = sorted((abs(one.factor), abs(two.factor)))
    if high > STEEPEST or high > UNLIKE * max(low, 1.0):
        raise UnsupportedError(
            f"the variances {low**2:.3g} and {high**2:.3g} of two inputs are too large, or too far apart, for the "
            f"quadrature of phi = {one.phi.pieces[0]} in float64, which takes them to {STEEPEST**2:.0e} and "
            f"to the ratio {UNLIKE**2:.0e}; divide X, or its largest rows, by a factor that makes them smaller"
        )


def points_along(b: float, one: FloatPsi, two: FloatPsi) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(U, V, weights) of one fixed rule for many integrands: fewer nodes than `over_plane`, nothing is halved."""
    a, far = np.sqrt(1.0 - b * b), max(one.reach, two.reach)
    crossings = meetings(one, two) / (2 * b)
    base = np.linspace(-far, far, int(np.ceil(2 * far / WIDEST)) + 1)
    y, wy = panels(np.unique(np.concatenate([base, crossings[np.abs(crossings) < far]])), FEWER)
    cuts = [np.broadcast_to(base, (len(y), len(base)))]
    cuts += [np.clip((one.marks - b * y[:, None]) / a, -far, far), np.clip((two.marks + b * y[:, None]) / a, -far, far)]
    x, wx = panels(np.sort(np.concatenate(cuts, axis=1), axis=1), FEWER)
    weight = wx * wy[:, None] * np.exp(-(x * x + y[:, None] ** 2) / 2) / (2 * np.pi)
    area = max(1.0, one.steepness) * max(1.0, two.steepness)  # derivatives of both live on 1/area of the plane
    keep, shift = weight > 1e-22 / area, b * y[:, None]
    return (a * x + shift)[keep], (a * x - shift)[keep], weight[keep]


def meetings(one: FloatPsi, two: FloatPsi) -> np.ndarray:
    """U - V where places at which the two functions bend meet: each with no other nearer than half its panels.

    Where a narrow panel of one meets a wide one of the other, the product bends as slowly as the wide one does.
    """
    places, widths = zip(*((psi.marks, _beside(psi.marks)) for psi in (one, two)), strict=True)
    apart = (places[0][:, None] - places[1]).ravel()
    scale = np.maximum(widths[0][:, None], widths[1]).ravel()
    breaks, kept = (one.breaks[:, None] - two.breaks).ravel(), [0.0]
    for place, width in zip(*(values[np.argsort(scale, kind="stable")].tolist() for values in (apart, scale)),
                            strict=True):  # fmt: skip
        at = bisect(kept, place)
        if all(abs(other - place) >= width / 2 for other in kept[max(0, at - 1) : at + 1]):
            insort(kept, place)
    return np.unique(np.concatenate([kept, breaks]))


def _beside(marks: np.ndarray) -> np.ndarray:
    """The shorter of the two panels that meet at each mark."""
    lengths = np.diff(marks, prepend=-np.inf, append=np.inf)
    return np.minimum(lengths[:-1], lengths[1:])


def product(one: FloatPsi, two: FloatPsi, b: float, order: int = 1) -> float:
    """E[phi^(order)(sqrt(q) U) phi^(order)(sqrt(q') V)] at 1 - c = 2 b^2, c >= 0."""
    if b == 0.0:
        x, w = line(one, two)
        return float(np.sum(w * one(x, order) * two(x, order)))
    return over_plane(lambda u, v, y: one(u, order) * two(v, order), b, one, two)


# ---- how far a product falls short of its value at c = 1 ------------------------------------------------


def shortfall(psi: FloatPsi, t: float, power: int) -> float:
    """(M_1 - E[phi'(sqrt(q) U) phi'(sqrt(q) V)])/t^power at c = 1 - t^2, M_1 the value at c = 1."""
    b, separate = t / np.sqrt(2), len(psi.breaks) > 0
    distance = np.diff(psi.breaks).min() if len(psi.breaks) > 1 else np.inf
    by_strips = separate and b * psi.reach < min(0.5 * distance, 0.25 * psi.narrowest)
    weight, factor = psi.variance * t ** (2 - power), 1 / (2 * t**power)

    def integrand(u, v, y):
        near, value = np.abs(u - v) < 0.5 * psi.narrowest, np.zeros_like(u)
        apart = np.searchsorted(psi.breaks, u) != np.searchsorted(psi.breaks, v)
        close = near & ~apart
        value[close] = weight * (y[close] * _mean(psi, u[close], v[close])) ** 2
        rest = ~near if by_strips else ~close
        value[rest] = factor * (psi(u[rest], 1) - psi(v[rest], 1)) ** 2
        return value

    total = over_plane(integrand, b, psi, psi, half=True)
    return total + factor * _strips(psi, b) if by_strips else total


def _mean(psi: FloatPsi, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The mean of phi'' over [v, u], on which it is smooth."""
    node, weight = legendre(MEAN_NODES)
    middle, half = (u + v) / 2, (u - v) / 2
    return sum(w / 2 * psi(middle + z * half, 2) for z, w in zip(node, weight, strict=True))


def _strips(psi: FloatPsi, b: float) -> float:
    """E[(phi'(sqrt(q) U) - phi'(sqrt(q) V))^2] where a breakpoint lies between U and V, b so small that it is one only.

    U = x_j + b y (1 + z) and V = x_j - b y (1 - z), -1 < z < 1: the width of the strip keeps all its digits.
    """
    a, total = np.sqrt(1 - b * b), 0.0
    y, wy = panels(np.linspace(0.0, psi.reach, int(np.ceil(psi.reach / WIDEST)) + 1))
    z, wz = legendre()
    shift = b * y[:, None]
    for point in psi.breaks:
        x = (point + shift * z) / a
        density = np.exp(-(x * x + y[:, None] ** 2) / 2) / (2 * np.pi)
        difference = psi(point + shift * (1 + z), 1) - psi(point - shift * (1 - z), 1)
        total += 2 * np.sum(wy[:, None] * wz * shift / a * density * difference**2)
    return float(total)
