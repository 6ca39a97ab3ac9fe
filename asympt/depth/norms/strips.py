"""What kinks add to E[phi'(sqrt(q) U) phi'(sqrt(q') V)] where c is near 1: closed forms in d = p - p', p = x_i/sqrt(q).

Problem.  phi' jumps at x_i, hence phi'(sqrt(q) U) at U = p and phi'(sqrt(q') V) at V = p'.  With c near 1 and q near q'
the two lines nearly meet, and E is no smooth function of c, q, q'.

Rule.  U = x + w, V = x - w with independent normal x, w of variances 1 - b^2 and b^2 = (1-c)/2.  Given w, the mean
over x is smooth until the lines cross, at e = 2w - d = 0; from then on what has been continued smoothly lacks

    -T(e),     T = int_0^e D_i(s) D_j(s - e) gamma(X - e/2 + s) ds,      X = (p + p')/2,

D_i(s) = jump of phi' continued to x_i + sqrt(q) s, gamma the density of x.  With Taylor's series of D and of

    gamma(X + y) = sum_(n,t) (-b^2/2)^n/n! (-y)^t/t! He_(2n+t)(X) phi(X)

T = sum k_mn b^(2n) e^m, and with e = 2bY - d, Y normal, all that is left are the moments of half a normal variable,

    W_m = E[e^m 1(e > 0)]:   W_0 = Phi(-z), W_1 = 2b phi(z) - d W_0, W_m = -d W_(m-1) + (m-1) (2b)^2 W_(m-2),

z = d/2b.  Where the smooth continuation starts from the other side W_0 is less by 1, and by 1/2 for one that takes the
mean of both (i = j: symmetric in q and q').  Since dW_(m+2)/db = 4b (m+2)(m+1) W_m, what the gap needs is as simple:

    J_mn = int_0^b 4s s^(2n) W_m ds = [b^(2n) W_(m+2) - (n/2) J_(m+2, n-1)]/((m+2)(m+1)), up to its value at b = 0.

Tiny case.  Hard tanh, i = j: D = 1, k_10 = phi(X): at d = 0 its part of E is phi(p) 2b phi(0) less than at c = 1.

Known limits.  Orders m + 2n <= ORDER; what is beyond is smooth enough for `near`.
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import comb, factorial

import numpy as np
from numpy.polynomial import hermite_e
from scipy.special import ndtr

from asympt.gaussian.piecewise import PiecewiseSmooth

ORDER = 10


@lru_cache(maxsize=64)
def jumps(phi: PiecewiseSmooth) -> tuple[np.ndarray, np.ndarray]:
    """(x_i, jumps of phi', phi'', ... there), the latter of shape (breakpoints, ORDER)."""
    found = [
        [float(right - left) for right, left in zip(*(phi.taylor(i, side, ORDER + 1) for side in (1, -1)), strict=True)]
        for i in range(len(phi.breaks))
    ]
    return np.array([float(point) for point in phi.breaks]), np.array(found).reshape(-1, ORDER + 1)[:, 1:]


@dataclass(frozen=True)
class KinkCrossing:
    """One pair of breakpoints: x_i and x_j, the jumps at them, how much less W_0 is, and how many pairs are like it."""

    here: float
    there: float
    first: np.ndarray
    second: np.ndarray
    less: float
    times: int = 1

    def distance(self, q, other):
        """d; also without cancellation where x_i = x_j."""
        one, two = np.sqrt(q), np.sqrt(other)
        if self.here == self.there:
            return self.here * (other - q) / (one * two * (one + two))
        return self.here / one - self.there / two

    def orders(self) -> list[tuple[int, int]]:
        """The (m, n) that are not 0."""
        steps = [k + 1 for k in range(ORDER) for side in (self.first, self.second) if side[k]]
        least = min((k for k in range(ORDER) if self.first[k]), default=ORDER)
        least += min((k for k in range(ORDER) if self.second[k]), default=ORDER)
        even = all(not side[1:].any() for side in (self.first, self.second))
        return [
            (m, n) for m in range(least + 1, ORDER + 1) for n in range((ORDER - m) // 2 + 1)
            if steps and not (even and m % 2 == 0)
        ]  # fmt: skip

    def coefficients(self, q: np.ndarray, other: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
        """k_mn for arrays of variances."""
        one, two = np.sqrt(q), np.sqrt(other)
        middle = (self.here / one + self.there / two) / 2
        density = np.exp(-(middle**2) / 2) / np.sqrt(2 * np.pi)
        he = [density * hermite_e.hermeval(middle, [0] * n + [1]) for n in range(ORDER + 1)]
        found = {}
        for m, n in self.orders():
            total = np.zeros(np.broadcast(one, two).shape)
            for k in range(m):
                for j in range(m - k):
                    t = m - 1 - k - j
                    share = self.first[k] * self.second[j] * _weight(k, j, t)
                    if share:
                        total = total + share * one**k * two**j * he[2 * n + t]
            found[m, n] = self.times * (-0.5) ** n / factorial(n) * total
        return found


@cache
def _weight(k: int, j: int, t: int) -> float:
    """int_0^1 s^k (s-1)^j (1/2-s)^t ds/(k! j! t!): the power e^(k+j+t+1) of T, -y = e (1/2 - s)."""
    total = 0.0
    for a in range(j + 1):
        for b in range(t + 1):
            total += comb(j, a) * (-1) ** (j - a) * comb(t, b) * 0.5 ** (t - b) * (-1) ** b / (k + a + b + 1)
    return total / (factorial(k) * factorial(j) * factorial(t))


def integrated(coefficients: dict[tuple[int, int], np.ndarray]) -> dict[tuple[int, int], np.ndarray]:
    """The coefficients of int_0^b 4s (sum k_mn s^(2n) W_m) ds, up to its value at b = 0."""
    found = {}
    for (m, n), value in coefficients.items():
        while True:
            value = value / ((m + 2) * (m + 1))
            found[m + 2, n] = found.get((m + 2, n), 0.0) + value
            if n == 0:
                break
            value, m, n = -n / 2 * value, m + 2, n - 1
    return found


def crossings(phi: PiecewiseSmooth, ranges: tuple, reflected: bool, farthest: float) -> list[KinkCrossing]:
    """The pairs of breakpoints whose lines come within `farthest` for some variances of the two ranges of log2 q.

    Two at 0 meet for all variances alike and are left out.
    """
    points, heights = jumps(phi)
    there, second = points, heights
    if reflected:
        there, second = -points, -heights * (-1.0) ** np.arange(ORDER)
    centre = [2.0 ** (-sum(ends) / 4) for ends in ranges]
    found = []
    for i, here in enumerate(points):
        for j, place in enumerate(there):
            ends = [here * 2.0 ** (-one / 2) - place * 2.0 ** (-two / 2) for one in ranges[0] for two in ranges[1]]
            closest = 0.0 if min(ends) <= 0 <= max(ends) else min(map(abs, ends))
            d = here * centre[0] - place * centre[1]
            if closest < farthest and (here or place):
                less = 0.0 if d > 1e-12 else 1.0 if d < -1e-12 else 0.5
                found.append(KinkCrossing(here, place, heights[i], second[j], less))
    return found


def folded(phi: PiecewiseSmooth, found: list[KinkCrossing]) -> list[KinkCrossing]:
    """Half of them, twice each, for an odd or even phi: the mean over w is that over -w."""
    return [replace(c, times=2) for c in found if (c.here, c.there) > (0.0, 0.0)] if parity(phi) else found


@lru_cache(maxsize=64)
def parity(phi: PiecewiseSmooth) -> int:
    """s = 1 where phi'(-x) = phi'(x), -1 where it is -phi'(x) (phi odd or even, up to a constant), else 0.

    The mean C(w) of `near` is then even in w, and near c = -1 it is s times that near c = 1.
    """
    x = np.linspace(0.01, 9.0, 99)
    there, here = (phi.derivative(1).vectorised(side * x) for side in (-1, 1))
    return next((s for s in (1, -1) if np.allclose(there, s * here, rtol=1e-14, atol=0)), 0)


def moments(b: np.ndarray, d: np.ndarray, less: float, highest: int) -> list[np.ndarray]:
    """W_0, W_1, ..., W_highest."""
    width = 2.0 * b
    with np.errstate(divide="ignore", invalid="ignore"):
        z = d / width
    z[np.isnan(z)] = 0.0
    found = [ndtr(-z) - less, width * (np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))]
    found[1] = found[1] - d * found[0]
    width *= width
    for m in range(2, highest + 1):
        step = ((m - 1) * width) * found[m - 2]
        step -= d * found[m - 1]
        found.append(step)
    return found
