"""A law of t_n^e in all layers n >= N: a comparison of polynomials in X and L.

    parabolic   X = n^(-1/m), L = log n        hyperbolic   X = C chi^n, no L

so that |F(t_n) - X^p - C| <= E(t_n), without C in the second case.  The law is S = sum of c X^i L^j, its remainder
B X^i0 L^j0; S -+ B X^i0 L^j0 = c_p^(-e/p) X^e (1 - W) is t^e at the comparison points t.  There, X^-p (F(t) -+ E(t) -
X^p - C) is a polynomial P in X and L up to Taylor's remainders in W.  Each of its terms is larger than T = X^(i0 - e)
L^j0, and then its coefficient must be exactly 0, or at most a number times T from N on, as X^i L^j decreases where
m j <= i log N.  F + E and F - E are monotone, so the signs of P suffice.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb, fmpq

from asympt.kernel.clock import Clock
from asympt.kernel.numbers import Names, ScalarRing, ball, hull, is_zero, need, power, product, root, value
from asympt.kernel.series import OneLess

MOST_PRODUCTS = 5_000


class TailTerms(ScalarRing):
    """{(i, j): scalar}: the sum of scalars times X^i L^j."""

    def __init__(self, c: dict):
        self.c = c

    def __add__(self, other) -> "TailTerms":
        more = other.c if isinstance(other, TailTerms) else {(0, 0): other}
        return TailTerms(self.c | {place: self.c.get(place, fmpq(0)) + c for place, c in more.items()})

    def __mul__(self, other) -> "TailTerms":
        if not isinstance(other, TailTerms):
            return TailTerms({place: product(other, c) for place, c in self.c.items()})
        found: dict = {}
        need(len(self.c) * len(other.c) <= MOST_PRODUCTS, "too many terms in X and L")
        for (i, j), x in self.c.items():
            for (k, h), y in other.c.items():
                found[i + k, j + h] = found.get((i + k, j + h), fmpq(0)) + product(x, y)
        return TailTerms(found)

    def raised(self, i: int) -> "TailTerms":
        """X^i times it."""
        return TailTerms({(k + i, j): c for (k, j), c in self.c.items()})


@dataclass(frozen=True)
class LayerPowers:
    """X and L in the layers n >= N; hyperbolic: m = 0."""

    m: int
    N: int
    C: arb | None = None
    chi: arb | None = None

    def at(self, n: int) -> tuple[arb, arb]:
        return (1 / root(arb(n), self.m, None), arb(n).log()) if self.m else (self.C * self.chi**n, arb(1))

    def largest(self, i: int, j: int) -> arb:
        """X^i L^j at N, from which on it falls."""
        x, log = self.at(self.N)
        need(bool(self.m * j <= i * log), "a power of log n still grows at N")
        return x.upper() ** i * log**j


def cut(terms: TailTerms, i: int, layers: LayerPowers) -> TailTerms:
    """The same, all that is smaller than X^i in one term with X^i."""
    large = TailTerms({at: c for at, c in terms.c.items() if at[0] <= i})
    small = TailTerms({at: c for at, c in terms.c.items() if at[0] > i})
    return large + TailTerms({(i, 0): over(small, (i, 0), layers)})


def over(terms: TailTerms, place: tuple[int, int], layers) -> arb:
    """The sum over X^i L^j, (i, j) = place, in all layers from N on; what is larger must be exactly 0."""
    total = arb(0)
    for at, c in terms.c.items():
        i, j = at[0] - place[0], at[1] - place[1]
        if i < 0 or (i == 0 and j > 0):
            need(is_zero(c), f"the coefficient of the order {at} is not exactly that of the law")
        else:
            total += ball(c) * (hull(0, layers.largest(i, j)) if (i, j) != (0, 0) else arb(1))
    return total


@dataclass(frozen=True)
class StatedLaw:
    """What is printed of t_n^e: terms {(i, j): c}, remainder B at (i0, j0)."""

    e: int
    terms: TailTerms
    bound: object
    place: tuple[int, int]

    def nearby(self, layers: LayerPowers) -> Callable:
        """Whether a quantity is as close to the law as it says, at layer n; by the balls that the letters have now."""
        terms, bound = [(*at, ball(c)) for at, c in self.terms.c.items()], ball(self.bound)

        def is_near(quantity: arb, n: int) -> bool:
            x, log = layers.at(n)
            law = sum((c * x**i * log**j for i, j, c in terms), arb(0))
            return bool(abs(quantity - law) <= bound * x ** self.place[0] * log ** self.place[1])

        return is_near

    def require_from(self, layers, clock: Clock, C, names: Names) -> None:
        """Shows the law from N on, with Taylor's polynomials of the order J in W."""
        for sign in (1, -1):
            below = sign if (self.e > 0) == (clock.p < 0) else -sign  # whether F is below X^p + C at the point
            beyond = self._beyond(layers, clock, C, names, sign, below)
            need(bool(below * beyond < 0), f"the law beyond N, sign {sign}")

    def _beyond(self, layers, clock: Clock, C, names: Names, sign: int, below: int) -> arb:
        """P/T in all layers from N on, at the comparison point with this sign of B."""
        p, e, lead, m = clock.p, self.e, clock.coefficients[clock.p], max(-clock.p, 1)
        scale = root(lead, m, names)
        point = self.terms + TailTerms({self.place: fmpq(sign) * self.bound})
        w = 1 - (point * power(scale, -e)).raised(-e)
        need(is_zero(w.c.pop((0, 0))) and all(i > 0 for i, _ in w.c), "the leading term is not that of the clock")
        most = sum((abs(ball(c)) * layers.largest(*at) for at, c in w.c.items()), arb(0)).upper()
        need(bool(most < 1), "a comparison point is not positive")
        widest = ((1 + most) ** arb(fmpq(1, e))).max((1 - most) ** arb(fmpq(1, e)))
        reach = ball(scale) * layers.largest(1, 0) * widest
        need(bool(reach <= arb(clock.map_.u.z.r)), "a comparison point leaves the range")
        u, found = OneLess(w, (-most, most)), fmpq(-1)
        for k, c in [*clock.coefficients.items(), (clock.k, below * clock.K)]:
            found += (u.power(fmpq(k, e), clock.J) * (c * power(scale, k) if k > p else fmpq(1))).raised(k - p)
        middle = product(clock.rho, value("log", lead, names)) / fmpq(m) - C * clock.step
        found += TailTerms({(-p, 0): middle, (-p, 1): -clock.rho / fmpq(m)})
        found += (u.log(clock.J) * (clock.rho / fmpq(e))).raised(-p)
        return over(found, (self.place[0] - e, self.place[1]), layers)
