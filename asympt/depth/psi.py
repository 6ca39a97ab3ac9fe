"""phi(sqrt(q) x) in float64, and panels on which it is a polynomial to rounding, at whatever scale it bends.

`joints` are ends of panels of the argument of phi on which phi, phi' and phi'' are polynomials of degree 15 to
`SMOOTH`, breakpoints among them: the octaves 2^(k-1) <= |x| < 2^k are halved until that holds (tanh: 0, 1, 2, 4, ...).
q only says how many octaves count and where they are.  What happens between all points of a panel (a bump of width
10^-4) is not seen; the integral of phi'^2 is held against the certified chi (`tables`).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev
from sympy import Expr, Symbol, factor

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
    return replace(found, pieces=tuple(map(partial(_one_fraction, symbol=phi.symbol), found.pieces))).vectorised


def _one_fraction(piece: Expr, symbol: Symbol) -> Expr:
    """x/(1 - x)^2 + 1/(1 - x) loses digits for large x, 1/(1 - x)^2 does not."""
    return factor(piece) if piece.is_rational_function(symbol) and not piece.is_polynomial(symbol) else piece


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
        """The length of the shortest panel."""
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


@lru_cache(maxsize=512)
def joints(phi: PiecewiseSmooth, octave: int) -> np.ndarray:
    """Ends of panels of the argument of phi in [-2^octave, 2^octave], between which it is smooth, increasing.

    >>> from asympt.meanfield.activations import activation
    >>> joints(activation("relu").piecewise, 2).tolist()
    [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0]
    """
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
    """The largest |phi^(order)| up to these distances from 0, by a look at `SAMPLES` places of an octave."""
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
