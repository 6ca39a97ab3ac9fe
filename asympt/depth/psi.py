"""phi(sqrt(q) x) in float64 on panels on which it is a polynomial to rounding, and Gaussian integrals of products.

`joints` are ends of panels of the argument of phi on which phi, phi' and phi'' are polynomials of degree 15 to
`SMOOTH`, breakpoints among them: the octaves 2^(k-1) <= |x| < 2^k are halved until that holds (tanh: 0, 1, 2, 4, ...).
q only says how many octaves count and where they are.  What happens between all points of a panel (a bump of width
10^-4) is not seen; the integral of phi'^2 is held against the certified chi (`tables`).
"""

from bisect import bisect, insort
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev
from sympy import factor

from asympt.errors import UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth

NODES = 16  # of the Gauss-Legendre rule on one panel
WIDEST = 2.0  # of a panel, for the normal density's sake
FARTHEST = 38.0  # standard deviations; exp(-x^2/2) ends in float64 there
NEGLIGIBLE = 1e-19
SMOOTH = 1e-8  # last Chebyshev coefficients on a panel: what 16 nodes integrate has the square of that as error
ORDERS = (0, 1, 2)
FINEST = 2.0**-44  # of an octave: no panel is halved any more
MOST_JOINTS = 4000
SAMPLES, LOWEST = 64, 40  # of an octave, for the size of phi; octaves below 1


@lru_cache(maxsize=8)
def legendre(count: int = NODES) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [-1, 1]."""
    return np.polynomial.legendre.leggauss(count)


def panels(edges: np.ndarray, count: int = NODES) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of consecutive panels along the last axis of `edges`, increasing.

    >>> x, w = panels(np.array([0.0, 1.0, 3.0]))
    >>> print(np.sum(w * x**3).round(12))
    20.25
    """
    node, weight = legendre(count)
    middle, half = (edges[..., 1:] + edges[..., :-1]) / 2, np.diff(edges) / 2
    shape = (*edges.shape[:-1], -1)
    return (middle[..., None] + half[..., None] * node).reshape(shape), (half[..., None] * weight).reshape(shape)


@lru_cache(maxsize=256)
def numpy_derivative(phi: PiecewiseSmooth, order: int) -> Callable:
    """The derivative of phi between its breakpoints as a NumPy function; one fraction where it is a sum of some."""
    if order == 0:
        return phi.vectorised
    found = phi.derivative(order)
    x = phi.symbol  # x/(1 - x)^2 + 1/(1 - x) loses digits for large x, 1/(1 - x)^2 does not
    pieces = (factor(p) if p.is_rational_function(x) and not p.is_polynomial(x) else p for p in found.pieces)
    return replace(found, pieces=tuple(pieces)).vectorised


class FloatPsi:
    """psi(x) = phi(sqrt(q) x): derivatives of phi (without deltas) as NumPy functions of x; `sign` = -1 reflects x."""

    def __init__(self, phi: PiecewiseSmooth, variance: float, sign: int = 1):
        self.phi, self.variance, self.sign = phi, float(variance), sign
        self.factor = sign * float(np.sqrt(variance))
        self.breaks = np.sort(np.array([float(point) for point in phi.breaks]) / self.factor)

    def __call__(self, x: np.ndarray, order: int = 0) -> np.ndarray:
        """phi^(order)(sign sqrt(q) x)."""
        return numpy_derivative(self.phi, order)(self.factor * x)

    def reflected(self) -> "FloatPsi":
        """The same at -x (values of the derivatives of phi, without the sign of the chain rule)."""
        return FloatPsi(self.phi, self.variance, -self.sign)

    @cached_property
    def reach(self) -> float:
        """Standard deviations beyond which phi, phi' and phi'' squared times the normal density are negligible."""
        x, found = np.linspace(-FARTHEST, FARTHEST, 609), 8.5
        for order in range(3):
            with np.errstate(all="ignore"):
                weight = np.exp(-(x**2) / 2) * (1.0 + self(x, order) ** 2)
            weight = np.where(np.isfinite(weight), weight, 0.0)
            found = max(found, np.abs(x[weight > NEGLIGIBLE * weight.max()]).max())
        if found > FARTHEST - 1:
            raise UnsupportedError(
                f"the activation {self.phi.pieces[-1]} grows so fast that its Gaussian moments at q = "
                f"{self.variance:.6g} exceed float64; give smaller standard deviations"
            )
        return float(found)

    @cached_property
    def marks(self) -> np.ndarray:
        """The places of the joints of phi, as far as they count."""
        octave = max(0, int(np.ceil(np.log2(max(self.reach * abs(self.factor), 1.0)))))
        places = np.sort(joints(self.phi, octave) / self.factor)
        return places[np.abs(places) < self.reach]

    @cached_property
    def edges(self) -> np.ndarray:
        """Ends of panels in [-reach, reach] where phi' and phi'' are polynomials to rounding; with breakpoints."""
        ends = np.concatenate([[-self.reach], self.marks, [self.reach]])
        parts = [np.linspace(low, high, int(np.ceil((high - low) / WIDEST)) + 1) for low, high in pairwise(ends)]
        return np.unique(np.concatenate(parts))

    @cached_property
    def narrowest(self) -> float:
        return float(np.diff(self.edges).min())

    @cached_property
    def steepness(self) -> float:
        """sqrt(q) for a phi that bends at scale 1, more where it bends within less than that."""
        shortest = np.diff(self.marks).min(initial=np.inf) * abs(self.factor)
        return abs(self.factor) / min(1.0, shortest)


def line(*functions: FloatPsi) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of a normal variable for products of the functions."""
    x, w = panels(np.unique(np.concatenate([psi.edges for psi in functions])))
    return x, w * np.exp(-(x * x) / 2) / np.sqrt(2 * np.pi)


# ---- where phi bends --------------------------------------------------------------------------------------------


DEEPEST = 100  # octaves


@lru_cache(maxsize=512)
def joints(phi: PiecewiseSmooth, octave: int) -> np.ndarray:
    """Ends of panels of the argument of phi in [-2^octave, 2^octave], between which it is smooth, increasing.

    >>> from asympt.meanfield.activations import activation
    >>> joints(activation("relu").piecewise, 2).tolist()
    [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0]
    """
    if octave > DEEPEST:  # a call within a call for every octave would be more than Python nests
        joints(phi, octave - DEEPEST)
    far, inside = 2.0**octave, joints(phi, octave - 1) if octave else np.zeros(1)
    near = far / 2 if octave else 0.0
    breaks = np.array([float(point) for point in phi.breaks])
    found = [inside]
    for low, high in ((-far, -near), (near, far)):
        ends = np.unique(np.concatenate([[low, high], breaks[(breaks > low) & (breaks < high)]]))
        found.append(_halved(phi, ends[:-1], ends[1:], FINEST * far))
    result = np.unique(np.concatenate(found))
    if len(result) > MOST_JOINTS:
        raise UnsupportedError(
            f"phi = {phi.pieces[0]} bends more than {MOST_JOINTS} times between -{far:.3g} and {far:.3g}, more than "
            "float64 tables hold; give smaller standard deviations"
        )
    return result


def _halved(phi: PiecewiseSmooth, low: np.ndarray, high: np.ndarray, finest: float) -> np.ndarray:
    """Ends of panels, each halved until phi is smooth on it."""
    done = [low, high]
    while low.size and low.size <= MOST_JOINTS:
        open_ = ~_are_smooth(phi, low, high) & (high - low > finest)
        middle = (low + high)[open_] / 2
        done.append(middle)
        low, high = np.concatenate([low[open_], middle]), np.concatenate([middle, high[open_]])
    return np.concatenate(done)


def _are_smooth(phi: PiecewiseSmooth, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Which panels carry phi, phi' and phi'' as polynomials; one on which they overflow is out of reach anyway."""
    nodes = chebyshev.chebpts1(NODES)
    last = 2 / NODES * chebyshev.chebvander(nodes, NODES - 1)[:, -2:]
    x, smooth = (low + high)[:, None] / 2 + (high - low)[:, None] / 2 * nodes, np.ones(len(low), dtype=bool)
    far = np.maximum(np.abs(low), np.abs(high))
    for order in ORDERS:
        with np.errstate(all="ignore"):
            values = numpy_derivative(phi, order)(x)
            tails, own = np.abs(values @ last).max(axis=1), np.abs(values).max(axis=1)
            smooth &= ~(tails > SMOOTH * np.fmax(own, _size(phi, order, far)))
    return smooth


def _size(phi: PiecewiseSmooth, order: int, far: np.ndarray) -> np.ndarray:
    octaves = np.ceil(np.log2(far)).astype(int)
    return _sizes(phi, order, int(octaves.max(initial=0)))[np.maximum(octaves + LOWEST, 0)]


@lru_cache(maxsize=512)
def _sizes(phi: PiecewiseSmooth, order: int, octave: int) -> np.ndarray:
    """The largest values up to 2^-LOWEST, ..., 2^octave, each of the octave below."""
    x = 2.0 ** (np.arange(-LOWEST, octave + 1)[:, None] - 1 - np.linspace(0, 1, SAMPLES))
    with np.errstate(all="ignore"):
        values = [np.abs(numpy_derivative(phi, order)(side * x)) for side in (-1, 1)]
    largest = np.fmax.reduce([np.where(np.isfinite(v), v, 0.0).max(axis=1) for v in values])
    return np.maximum.accumulate(largest)


def parity_of(function: Callable[[np.ndarray], np.ndarray]) -> int:
    """s = 1 where f(-x) = f(x), -1 where it is -f(x), else 0, as far as values tell."""
    x = np.linspace(0.01, 9.0, 99)
    here, there = function(x), function(-x)
    return next((s for s in (1, -1) if np.allclose(there, s * here, rtol=1e-14, atol=0)), 0)


# ---- over the plane --------------------------------------------------------------------------------------------------

FEWER = 14  # of a fixed rule
STEEPEST, UNLIKE = 2.0**40, 2.0**28  # sqrt(q), and ratio of two of them, beyond which the plane's rule fails
SETTLED = 1e-15  # a panel in y whose halves change the integral by less is not halved again
HALVINGS = 12
MEAN_NODES = 8


def over_plane(integrand: Callable, b: float, one: FloatPsi, two: FloatPsi, half: bool = False) -> float:
    """E[integrand(U, V, y)] with 1 - c = 2 b^2, 0 <= c < 1; only y > 0, counted twice, when `half`.

    U = a x + b y, V = a x - b y with x, y independent, a^2 = (1 + c)/2.  Panels in x end where U or V meets a place x_j
    at which phi bends, (x_j -+ b y)/a, in y where two of them cross, y = (x_j - x_k)/(2b): Gauss's rule converges
    geometrically at every c.
    """
    far = max(one.reach, two.reach)
    crossings = (one.breaks[:, None] - two.breaks).ravel() / (2 * b)
    ends = np.concatenate([np.linspace(-far, far, 2 * int(np.ceil(far / WIDEST)) + 1), crossings])
    ends = np.unique(ends[(ends >= (0.0 if half else -far)) & (ends <= far)])

    def strips(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        node, weight = legendre()
        y = ((low + high)[:, None] + (high - low)[:, None] * node).ravel() / 2
        rows = _along(integrand, y, b, one, two, far) * np.exp(-y * y / 2) / (2 * np.pi)
        return rows.reshape(-1, NODES) @ weight * (high - low) / 2

    return (2.0 if half else 1.0) * _refined(strips, ends[:-1], ends[1:])


def _refined(strips: Callable, low: np.ndarray, high: np.ndarray) -> float:
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

    Where a narrow panel of one meets a wide one of the other, the product bends as slowly as the wide one does; where
    it meets a breakpoint of the other, as fast as the narrow one.
    """
    places, widths = zip(*((psi.marks, _beside(psi)) for psi in (one, two)), strict=True)
    apart = (places[0][:, None] - places[1]).ravel()
    scale = np.maximum(widths[0][:, None], widths[1]).ravel()
    breaks, kept = (one.breaks[:, None] - two.breaks).ravel(), [0.0]
    for place, width in zip(*(values[np.argsort(scale, kind="stable")].tolist() for values in (apart, scale)),
                            strict=True):  # fmt: skip
        at = bisect(kept, place)
        if all(abs(other - place) >= width / 2 for other in kept[max(0, at - 1) : at + 1]):
            insort(kept, place)
    return np.unique(np.concatenate([kept, breaks]))


def _beside(psi: FloatPsi) -> np.ndarray:
    """The shorter of the two panels that meet at each mark; 0 at a breakpoint."""
    lengths = np.diff(psi.marks, prepend=-np.inf, append=np.inf)
    return np.where(np.isin(psi.marks, psi.breaks), 0.0, np.minimum(lengths[:-1], lengths[1:]))


def product(one: FloatPsi, two: FloatPsi, b: float, order: int = 1) -> float:
    """E[phi^(order)(sqrt(q) U) phi^(order)(sqrt(q') V)] at 1 - c = 2 b^2, c >= 0."""
    if b == 0.0:
        x, w = line(one, two)
        return float(np.sum(w * one(x, order) * two(x, order)))
    return over_plane(lambda u, v, y: one(u, order) * two(v, order), b, one, two)


# ---- how far a product falls short of its value at c = 1 ------------------------------------------------


def shortfall(psi: FloatPsi, t: float, power: int) -> float:
    """(M_1 - E[phi'(sqrt(q) U) phi'(sqrt(q) V)])/t^power at c = 1 - t^2, M_1 the value at c = 1: a sum of squares.

    (phi'(sqrt(q) U) - phi'(sqrt(q) V))^2/2 = q t^2 y^2 (mean of phi'' over [V, U])^2 where no breakpoint lies between;
    where one does, on a strip of width t, the difference itself is taken.
    """
    b, separate = t / np.sqrt(2), len(psi.breaks) > 0
    distance = np.diff(psi.breaks).min() if len(psi.breaks) > 1 else np.inf
    by_strips = separate and b * psi.reach < min(0.5 * distance, 0.25 * psi.narrowest)
    weight, factor = psi.variance * t ** (2 - power), 1 / (2 * t**power)

    def integrand(u, v, y):
        near, value = np.abs(u - v) < 0.5 * psi.narrowest, np.zeros_like(u)
        apart = np.searchsorted(psi.breaks, u) != np.searchsorted(psi.breaks, v)
        close = near & ~apart
        value[close] = weight * (y[close] * _mean_slope(psi, v[close], (u - v)[close], 2)) ** 2
        rest = ~near if by_strips else ~close
        value[rest] = factor * (psi(u[rest], 1) - psi(v[rest], 1)) ** 2
        return value

    total = over_plane(integrand, b, psi, psi, half=True)
    return total + factor * _strips(psi, b) if by_strips else total


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


# ---- a smooth phi, smoothed by the normal density --------------------------------------------------------------------

GRID = np.linspace(-8.75, 8.75, 11)  # ends of panels in Y
GROWTH = 2.001  # of panels in z
THIN = 0.3  # of t: g has no use for shorter panels in z
CLOSE = 1 / 16  # of the shortest panel: below that t is small


class Smoothed:
    """phi' of psi, or another derivative, smoothed by the normal density; `second` is the mean of its square.

    For c = rho^2 >= 0, t^2 = 1 - c, U = rho z + t Y, V = rho z + t Y' with independent normal z, Y, Y', given z,

        g(z) = E psi(rho z + t Y),   E[psi(U) psi(V)] = E[g^2],   E[psi^2] - E[psi(U) psi(V)] = E[Var psi(rho z + t Y)],

    and E[g(z) g(-z)] for c = -rho^2.  Panels in z grow by at most 2 away from where psi bends; those in Y end there.
    """

    def __init__(self, psi: FloatPsi, order: int = 1):
        self.psi, self.order = psi, order
        x, w = line(psi)
        self.second = float(np.sum(w * psi(x, order) ** 2))
        self.edges = graded(psi.edges)
        self.is_even = bool(np.allclose(psi(x, order), psi(-x, order), rtol=1e-14, atol=0.0))

    def product(self, c: float, t: float) -> float:
        """E[phi' phi'] at the correlation c, with t^2 = 1 - |c|."""
        z, w, rho = self._outer(c)
        mean = self._moments(rho, t, z)[0]
        other = mean if c >= 0 or self.is_even else self._moments(rho, t, -z)[0]
        return float(np.sum(w * mean * other))

    def shortfall(self, t: float) -> float:
        """(E[phi'^2] - E[phi' phi'])/t^2 at c = 1 - t^2."""
        c = 1.0 - t * t
        if c < 0:
            return (self.second - self.product(c, np.sqrt(1.0 + c))) / (t * t)
        z, w, rho = self._outer(c)
        return float(np.sum(w * self._moments(rho, t, z)[1]))

    def _outer(self, c: float) -> tuple[np.ndarray, np.ndarray, float]:
        rho, far = np.sqrt(abs(c)), self.psi.reach
        ends = thinned(self.edges[np.abs(self.edges) < far * rho], THIN * np.sqrt(1.0 - abs(c))) / max(rho, 1e-300)
        folded = self.is_even or c < 0  # what is integrated is even in z, and bends where g(z) or g(-z) does
        ends = np.concatenate([ends, -ends] if folded else [ends])
        ends = np.unique(np.concatenate([ends, np.linspace(-far, far, 11)]))
        ends = ends[ends >= 0] if folded else ends
        z, w = panels(ends)
        return z, (2 if folded else 1) * w * np.exp(-z * z / 2) / np.sqrt(2 * np.pi), rho

    def _moments(self, rho: float, t: float, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """g and Var/t^2 at every z."""
        psi, centre, weight = self.psi, rho * z, legendre()[1]
        rows, y, x, half = self._panels(centre, t)
        w = half * weight * np.exp(-y * y / 2) / np.sqrt(2 * np.pi)
        starts, here = np.searchsorted(rows, np.arange(len(z))), centre[rows][:, None]

        def mean(values: np.ndarray) -> np.ndarray:
            return np.add.reduceat(np.sum(w * values, axis=1), starts)

        if t < CLOSE * psi.narrowest:
            apart = abs(psi.factor) * y * _mean_slope(psi, here, t * y, self.order + 1)
            lift = mean(apart)
            return psi(centre, self.order) + t * lift, mean(apart**2) - lift**2
        values = psi(x, self.order)
        smooth = mean(values)
        return smooth, mean((values - smooth[rows][:, None]) ** 2) / (t * t)

    def _panels(self, centre: np.ndarray, t: float) -> tuple[np.ndarray, ...]:
        """(which z, Y, rho z + t Y, half of the panel) of nodes, a row for each panel.

        What lies between two places where psi bends is measured from them: rounded, rho z is far from them.
        """
        node, marks = legendre()[0], self.psi.marks
        places = (marks - centre[:, None]) / t
        inside = (places > GRID[0]) & (places < GRID[-1])
        grid = np.broadcast_to(GRID, (len(centre), len(GRID)))
        y = np.concatenate([grid, np.where(inside, places, GRID[-1])], axis=1)
        order = np.argsort(y, axis=1)
        is_mark = np.take_along_axis(np.concatenate([grid > np.inf, inside], axis=1), order, axis=1)
        x = np.concatenate([centre[:, None] + t * grid, np.broadcast_to(marks, places.shape)], axis=1)
        x, y = (np.take_along_axis(values, order, axis=1) for values in (x, y))
        both = is_mark[:, 1:] & is_mark[:, :-1]
        width = np.where(both, np.diff(x, axis=1) / t, np.diff(y, axis=1))
        rows, at = np.nonzero(width * (y[:, :-1] < GRID[-1]) > 0)
        half = width[rows, at][:, None] / 2
        above, below = half + half * node, half - half * node
        from_low = is_mark[rows, at] | ~is_mark[rows, at + 1]
        near = np.where(from_low[:, None], x[rows, at][:, None] + t * above, x[rows, at + 1][:, None] - t * below)
        return rows, y[rows, at][:, None] + above, near, half


def _mean_slope(psi: FloatPsi, x: np.ndarray, shift: np.ndarray, order: int) -> np.ndarray:
    """The mean of a derivative between x and x + shift."""
    node, weight = legendre(MEAN_NODES)
    return sum(w / 2 * psi(x + (1 + s) / 2 * shift, order) for s, w in zip(node, weight, strict=True))


def graded(edges: np.ndarray) -> np.ndarray:
    """Panels cut until no panel is more than twice as long as its neighbours.

    >>> graded(np.array([0.0, 1.0, 9.0])).tolist()
    [0.0, 1.0, 3.0, 5.0, 9.0]
    """
    while True:
        length = np.diff(edges)
        beside = np.minimum(np.append(np.inf, length[:-1]), np.append(length[1:], np.inf))
        wide = length > GROWTH * beside
        if not wide.any():
            return edges
        edges = np.sort(np.concatenate([edges, (edges[:-1] + edges[1:])[wide] / 2]))


def thinned(edges: np.ndarray, least: float) -> np.ndarray:
    """Without those closer than this to the one before.

    >>> thinned(np.array([0.0, 1.0, 1.5, 3.0]), 1.0).tolist()
    [0.0, 1.0, 3.0]
    """
    kept = []
    for place in edges.tolist():
        if not kept or place - kept[-1] >= least:
            kept.append(place)
    return np.array(kept)
