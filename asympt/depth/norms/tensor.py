"""E[phi phi] of any smooth phi for two variances, for a tile of pairs: a few matrix products of small rank.

Problem.  The Hermite series costs hundreds of passes over every pair where correlations are near 1.

Rule.  With b_k the Hermite coefficients of phi' (`cells`), B_k = b_k b_k', r = sqrt(q q'), g = 1 - c, x = c^2, the odd
part of phi (even k) and the even part (odd k) add up to

    dE/dc = r [P_0(x) + c P_1(x)],                   P_0 = sum B_k x^(k/2),   P_1 = sum B_k x^((k-1)/2),
    E_1 - E = r [g Q + c (1 - x) N_0(x) + (1 - x) N_1(x)],      Q = sum_(k even) B_k/(k+1),
    N = sum_m x^m sum_(j > m) B_k/(k+1),             j = k/2 or (k+1)/2.

P and N are analytic in (s, log q, log q'), s = sqrt(1 - x): there the singularities beyond c = 1 are far away.  At
Chebyshev points of the three ranges (s from that of the largest |c| of all pairs to 1) they come from the series; every
Chebyshev coefficient in s is a function of (q, q') of small rank, so that a tile is one small matrix product for each
and Clenshaw's recurrence over them.

Tiny case.  phi = x^2/2: b_1 = sqrt(q), P_1 = r, N_1 = r/2: E_1 - E = r^2 (1 - c^2)/2.

Known limits.  Some 24 degrees for tanh at q = 1, 36 at q = 10 where some |c| is 1, half of that at |c| < 1/2.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from asympt.depth.cells import cells
from asympt.depth.norms.closed import Fall
from asympt.depth.norms.pairing import Paired, Tile
from asympt.depth.norms.spread import basis, sampled, transform
from asympt.gaussian.piecewise import PiecewiseSmooth

DEGREES = 48
NARROWEST = 0.9  # the range of s begins there at the latest
FINE = 4e-15  # of the largest value: rounding of the series
ABSENT = 1e-13  # Hermite coefficients of a part that phi does not have, of the largest


class Products(NamedTuple):
    """A function of (s, q, q'): for every degree in s rows (N, rank) and columns (rank, N)."""

    parts: list[tuple[np.ndarray, np.ndarray]]

    def at(self, where: Tile | Paired, place: np.ndarray) -> np.ndarray:
        """At the pairs of inputs `where`, place = s brought to [-1, 1]."""
        before, here = np.zeros_like(place), np.zeros_like(place)
        double, spare = 2.0 * place, np.empty_like(place)
        for left, right in self.parts[:0:-1]:
            np.multiply(double, here, out=spare)
            spare -= before
            if left.shape[1]:
                spare += where.product(left, right)
            before, here, spare = here, spare, before
        here *= place
        here -= before
        here += where.product(*self.parts[0])
        return here


class Part(NamedTuple):
    """The odd or the even part of phi."""

    slope: Products
    rest: Products
    whole: Products | None


@dataclass(frozen=True)
class Tensor:
    """The odd part and the even part of phi, None where phi has none, for all inputs of a layer, s >= `least`."""

    least: float
    odd: Part | None
    even: Part | None

    @classmethod
    def of(cls, phi: PiecewiseSmooth, q: np.ndarray, most: float = 1.0) -> "Tensor":
        """From the series at a few variances, for |c| <= `most`."""
        least = min(NARROWEST, np.sqrt((1.0 - most) * (1.0 + most)))
        b, low, high = sampled(lambda points: cells(phi)(points)[:, 3:], q)
        features = basis(q, low, high, len(b)) @ transform(len(b))
        return cls(least, *(_part(b, parity, features, least) for parity in (0, 1)))

    def fall(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> Fall:
        """(E_1 - E, dE/dc)/r at pairs of inputs."""
        far = rest * gap  # 1 - x
        place = np.sqrt(far)
        place -= self.least
        place *= 2.0 / (1.0 - self.least)
        place -= 1.0
        c = 1.0 - gap
        drop, slope = np.zeros_like(gap), np.zeros_like(gap)
        if self.odd is not None:
            drop += self.odd.rest.at(where, place)
            drop *= c
            slope += self.odd.slope.at(where, place)
        if self.even is not None:
            drop += self.even.rest.at(where, place)
            slope += c * self.even.slope.at(where, place)
        drop *= far
        if self.odd is not None:
            drop += gap * self.odd.whole.at(where, place)
        return Fall(drop, slope)


def _part(b: np.ndarray, parity: int, features: np.ndarray, low: float) -> Part | None:
    """P, N and Q of one part from the coefficients at the variances of the points."""
    some, count = b[:, parity::2], len(b)
    if np.abs(some).max() <= ABSENT * np.abs(b).max():
        return None
    kept = np.flatnonzero(np.abs(some).max(axis=0) > 1e-18 * np.abs(some).max())[-1] + 1
    some = some[:, :kept]
    products = (some[:, None, :] * some[None, :, :]).reshape(count * count, -1)
    shares = products / (2 * np.arange(kept) + 1 + parity)
    tails = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
    later = tails if parity else np.concatenate([tails[:, 1:], np.zeros((len(tails), 1))], axis=1)
    s = low + (1 - low) * (1 + chebyshev.chebpts1(DEGREES)) / 2
    powers = ((1 - s) * (1 + s))[:, None] ** np.arange(kept)
    least = FINE * count * np.abs(b).max() ** 2
    slope, rest = (factored(powers @ values.T, (features, features), least) for values in (products, later))
    whole = None
    if not parity:
        whole = factored(np.repeat(tails[None, :, 0], DEGREES, axis=0), (features, features), least)
    return Part(slope, rest, whole)


def factored(values: np.ndarray, features: tuple[np.ndarray, np.ndarray], least: float) -> Products:
    """From values (points, q, q') degree by degree, what is above `least`; `features` lead from points to inputs."""
    one, two = features
    coefficients = (transform(len(values)) @ values.reshape(len(values), -1)).reshape(-1, one.shape[1], two.shape[1])
    left, weights, right = np.linalg.svd(coefficients, full_matrices=False)
    ranks = np.sum(weights > least, axis=1)
    degrees = max(2, 1 + int(np.flatnonzero(ranks)[-1])) if ranks.any() else 2
    return Products([
        (one @ (left[n][:, : ranks[n]] * weights[n][: ranks[n]]), right[n][: ranks[n]] @ two.T) for n in range(degrees)
    ])  # fmt: skip
