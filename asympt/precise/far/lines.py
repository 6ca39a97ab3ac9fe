"""Two straight lines, h(x) = a+ x + b+ for x > 0 and a- x + b- for x < 0: their Gaussian moments in closed form.

Rule.  h = p x + d |x| + beta + sigma sign(x) with p, d = (a+ +- a-)/2 and beta, sigma = (b+ +- b-)/2.  At variance q
and correlation c = cos(theta), with f the correlation map of p x + d |x|,

    E[hh] = q (p^2 + d^2) f(c) + 2 sqrt(2q/pi) (p sigma c + d beta) + beta^2 + sigma^2 (2/pi) arcsin(c).

What is lost at the gap gamma = 1 - c cancels nothing.  The slope (1/q) d/dc E[hh] contains what the jump 2 sigma of h
at 0 adds; in phi = h + r the jump of r takes it away again.

Tiny case.  sign(x): E[hh] = (2/pi) arcsin(c).
"""

from dataclasses import dataclass
from functools import cached_property

from mpmath import mp
from sympy import Expr

from asympt.gaussian.closed.arccosine import gap_map, gap_slope, half_angle
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class Lines:
    """h = p x + d |x| + beta + sigma sign(x) at mpmath's precision."""

    p: object
    d: object
    beta: object
    sigma: object

    @classmethod
    def of(cls, slopes: tuple[Expr, Expr], offsets: tuple[Expr, Expr]) -> "Lines":
        """From (a+, a-) and (b+, b-)."""
        right, left, up, down = (to_mpf(value) for value in (*slopes, *offsets))
        return cls((right + left) / 2, (right - left) / 2, (up + down) / 2, (up - down) / 2)

    def on(self, side: int) -> tuple:
        """Slope and offset of h where x has this sign."""
        return self.p + self.d * side, self.beta + self.sigma * side

    def __call__(self, x):
        slope, offset = self.on(mp.sign(x))
        return slope * x + offset

    @cached_property
    def _square(self) -> tuple:
        """What q, sqrt(q) and 1 are multiplied by in `square`."""
        mean = mp.sqrt(2 / mp.pi) * (self.p * self.sigma + self.d * self.beta)
        return self.p**2 + self.d**2, 2 * mean, self.beta**2 + self.sigma**2

    def square(self, q):
        """E[h(sqrt(q) Z)^2]."""
        whole, root, rest = self._square
        return q * whole + mp.sqrt(q) * root + rest

    def lost(self, q, gap):
        """E[h(sqrt(q) Z)^2] - E[h h] at the gap."""
        kinked = q * gap_map(gap, self.d**2, self.p**2)
        mixed = 2 * mp.sqrt(2 * q / mp.pi) * self.p * self.sigma * gap
        return kinked + mixed + self.sigma**2 * 2 / mp.pi * half_angle(gap)

    def slope(self, q, gap):
        """(1/q) d/dc E[h h], without the infinite part of a jump at the gaps 0 and 2."""
        spread, kinked = mp.sqrt(gap * (2 - gap)), gap_slope(gap, self.d**2, self.p**2)
        step = self.sigma**2 * 2 / (mp.pi * q * spread) if self.sigma and spread else mp.zero
        return kinked + 2 * mp.sqrt(2 / (mp.pi * q)) * self.p * self.sigma + step
