"""Layers written out by hand in mpmath, for comparison: nothing of the toolkit is called."""

from mpmath import mp


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
