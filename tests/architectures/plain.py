"""Layers written out by hand, for comparison: nothing of the toolkit is called."""

import math
from functools import lru_cache

from mpmath import mp
from sympy import Rational


def relu_gap(gap):
    """1 - f and f' of ReLU, HDR's formula in c."""
    c = 1 - gap
    theta = mp.acos(c)
    return 1 - (c + (mp.sin(theta) - c * theta) / mp.pi), 1 - theta / mp.pi


class Erf:
    """erf: V(q) = sigma_b^2 + sigma_w^2 (2/pi) asin(2q/(1+2q)), f' = (4 sigma_w^2/pi) ((1+2q)^2 - 4q^2c^2)^(-1/2)."""

    def __init__(self, sigma_w2, sigma_b2, guess=0.5):
        self.weight, self.bias = mp.mpf(sigma_w2), mp.mpf(sigma_b2)
        self.q = mp.findroot(lambda q: self.variance(q) - q, guess)

    def variance(self, q):
        """V(q)."""
        return self.bias + self.weight * 2 / mp.pi * mp.asin(2 * q / (1 + 2 * q))

    def layer(self, gap):
        """1 - f(1 - gap) and f'."""
        q, c = self.q, 1 - gap
        image = (self.bias + self.weight * 2 / mp.pi * mp.asin(2 * q * c / (1 + 2 * q))) / q
        return 1 - image, 4 * self.weight / mp.pi / mp.sqrt((1 + 2 * q) ** 2 - 4 * q * q * c * c)


def orbit(layer, gap, depths):
    """{depth: (1 - c, K/q)} from c^1 = 1 - gap, k^1 = c^1."""
    found, kernel = {}, 1 - gap
    for depth in range(1, max(depths) + 1):
        if depth in depths:
            found[depth] = gap, kernel
        following, slope = layer(gap)
        gap, kernel = following, slope * kernel + 1 - following
    return found


def rational(q):
    """A fraction or its text as an mpmath number."""
    q = Rational(q)
    return mp.mpf(int(q.p)) / int(q.q)


@lru_cache(maxsize=256)
def leaky_orbit(slope: str, start: str, depths: tuple, digits: int = 90, gap: bool = False) -> dict:
    """{L: (1 - c^L, K^L/(qL))}: c -> f(c) = cos t + rho (sin t - t cos t), K -> f'(c) K + f(c), on c itself."""
    with mp.workdps(digits):
        rho = (1 - rational(slope)) ** 2 / (mp.pi * (1 + rational(slope) ** 2))
        c = 1 - mp.mpf(start) if gap else rational(start)
        kernel, found = c, {}
        for layer in range(1, max(depths) + 1):
            if layer in depths:
                found[layer] = 1 - c, kernel / layer
            angle = mp.acos(c)
            c = mp.cos(angle) + rho * (mp.sin(angle) - angle * mp.cos(angle))
            c = min(c, mp.mpf(1))  # at c = 1 rounding could step over it
            kernel = (1 - rho * angle) * kernel + c
        return found


def residual_erf_orbit(bias: float, correlation: float, depths: tuple, kappa: float = 0.0) -> dict:
    """{l: (c, K/q)} of erf with branches l^(-kappa/2), sigma_w = q^1 = 1, by Williams' arcsine kernel in float64."""
    q, s, kernel, found = 1.0, correlation, correlation, {}
    for layer in range(1, max(depths) + 1):
        if layer in depths:
            found[layer] = s / q, kernel / q
        share, width = (layer + 1) ** -kappa, 1 + 2 * q
        value = 2 / math.pi * math.asin(2 * s / width)
        kernel *= 1 + share * 4 / math.pi / math.sqrt(width * width - 4 * s * s)
        kernel += share * (bias + value)
        s += share * (bias + value)
        q += share * (bias + 2 / math.pi * math.asin(2 * q / width))
    return found
