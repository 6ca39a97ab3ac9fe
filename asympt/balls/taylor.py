"""Power series with all their coefficients: some known as balls, the others bounded as Cauchy bounds them.

Problem.  1/h, the flow time and what else is made of a drift h are analytic in a disc: their power series converge, and
a value is wanted with all that the sum leaves out.

Rule.  A series is c_0, ..., c_J and (S, R) with |c_j| <= S R^-j for every j > J; so what is left out over |t| <= s is
at most S (s/R)^(J+1)/(1 - s/R).  Multiplied by weights w_j that grow by no more than a factor q >= 1 from j = J + 1 on,
|w_j| <= |w_(J+1)| q^(j-J-1), the coefficients obey the same with R/q.  A product is bounded on a smaller circle by the
product of the bounds there.

Tiny case.  1/(1 - t) with J = 1: (1, 1; 1, 1); at t = 1/2 between 1.5 and 2.

Known limits.  The weights' growth is given by their first two values beyond J: the caller's weights are polynomials
with nonnegative coefficients in j + const > 0, or fall in size.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import arb, arb_poly

from asympt.balls.arithmetic import Refused, majorant

INNER = 0.9  # the circle of a product, over the smaller of both


@dataclass(frozen=True, eq=False)
class Taylor:
    """sum c_j t^j: `known` are c_0, ..., c_J, and |c_j| <= size radius^-j beyond.

    >>> one = Taylor([arb(1), arb(1)], arb(1), arb(1))
    >>> bool(one.at(arb(0.5)).contains(2)), bool(one.weighted(lambda j: j + 1).at(arb(0.25)).contains(arb(16) / 9))
    (True, True)
    >>> bool((one * one).at(arb(0.25)).contains(arb(16) / 9))
    True
    """

    known: Sequence[arb]
    size: arb
    radius: arb

    @property
    def count(self) -> int:
        """J + 1."""
        return len(self.known)

    @cached_property
    def _poly(self) -> arb_poly:
        return arb_poly(list(self.known))

    def rest(self, t: arb) -> arb:
        """A bound of what the known coefficients leave out up to |t|."""
        share = abs(t).upper() / self.radius
        if not share < 1:
            raise Refused(f"t = {t.str(6, radius=False)} lies outside the disc of a power series")
        return (self.size * share**self.count / (1 - share)).upper()

    def at(self, t: arb) -> arb:
        """Its value at every t of a ball."""
        return self._poly(t) + arb(0, self.rest(t))

    def sup(self, t: arb) -> arb:
        """A bound of the modulus up to |t|."""
        return (majorant(enumerate(self.known), abs(t).upper()) + self.rest(t)).upper()

    def cut(self, start: int, t: arb) -> arb:
        """A bound of |sum_(j >= start) c_j s^j|/s^start up to t; start <= J + 1."""
        here = majorant(((j - start, c) for j, c in enumerate(self.known) if j >= start), t)
        return (here + self.rest(t) / t**start).upper()

    def weighted(self, weight: Callable[[int], arb]) -> "Taylor":
        """sum w_j c_j t^j (see the module for the weights)."""
        first, second = (abs(arb(weight(self.count + k))) for k in (0, 1))
        growth = (second / first).max(arb(1)) if first > 0 else arb(1)
        size = (self.size * first / growth**self.count).upper()
        return Taylor([c * weight(j) for j, c in enumerate(self.known)], size, (self.radius / growth).lower())

    def scaled(self, factor: arb) -> "Taylor":
        """factor times it."""
        return Taylor([c * factor for c in self.known], (self.size * abs(factor)).upper(), self.radius)

    def plus(self, other: "Taylor") -> "Taylor":
        """The sum."""
        known = [a + b for a, b in zip(self.known, other.known, strict=True)]
        radius = self.radius.min(other.radius)
        return Taylor(known, self.size + other.size, radius)

    def shifted(self, by: int) -> "Taylor":
        """t^by times it, to as many coefficients."""
        lost = [abs(c) * self.radius**j for j, c in enumerate(self.known) if j + by >= self.count]
        size = sum(lost, arb(self.size)) * self.radius**by
        return Taylor([*[arb(0)] * by, *self.known][: self.count], size.upper(), self.radius)

    def __mul__(self, other: "Taylor") -> "Taylor":
        radius = (self.radius.min(other.radius) * INNER).lower()
        known = (self._poly * other._poly).coeffs()[: self.count]
        known += [arb(0)] * (self.count - len(known))
        return Taylor(known, (self.sup(radius) * other.sup(radius)).upper(), radius)
