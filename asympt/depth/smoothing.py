"""E[phi'(sqrt(q) U) phi'(sqrt(q) V)] of a smooth phi, steep or not, at any c: the normal density smooths phi', once.

For c = rho^2 >= 0, t^2 = 1 - c, U = rho z + t Y and V = rho z + t Y' with independent normal z, Y, Y', and
psi(x) = phi'(sqrt(q) x), given z,

    g(z) = E psi(rho z + t Y),    E[psi(U) psi(V)] = E[g^2],    E[psi^2] - E[psi(U) psi(V)] = E[Var psi(rho z + t Y)],

for c < 0 E[g(z) g(-z)] with rho^2 = -c.  Panels in z grow by at most 2 away from where psi bends, those in Y end where
it does; for small t psi(x) - psi(rho z) = (x - rho z) times the mean of psi' between.  Tiny case: psi = x, Var = t^2.
"""

import numpy as np

from asympt.depth.psi import FloatPsi, legendre, line

GRID = np.linspace(-8.75, 8.75, 11)  # ends of panels in Y
GROWTH = 2.001  # of panels in z
THIN = 0.3  # of t: g has no use for shorter panels in z
MEAN_NODES = 8
CLOSE = 1 / 16  # of the shortest panel: below that t is small


class Smoothed:
    """phi' of psi, or another derivative, smoothed; `second` is the mean of its square."""

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
        """Nodes and weights of z, and rho."""
        rho, far = np.sqrt(abs(c)), self.psi.reach
        ends = thinned(self.edges[np.abs(self.edges) < far * rho], THIN * np.sqrt(1.0 - abs(c))) / max(rho, 1e-300)
        folded = self.is_even or c < 0  # what is integrated is even in z, and bends where g(z) or g(-z) does
        ends = np.concatenate([ends, -ends] if folded else [ends])
        ends = np.unique(np.concatenate([ends, np.linspace(-far, far, 11)]))
        ends = ends[ends >= 0] if folded else ends
        node, weight = legendre()
        half = np.diff(ends)[:, None] / 2
        z = (ends[:-1, None] + half + half * node).ravel()
        w = (half * weight).ravel() * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        return z, (2 if folded else 1) * w, rho

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
