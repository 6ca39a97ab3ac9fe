"""A law of t_n^e in powers of X = n^(-1/m) and L = log n, for all n >= N: a comparison of polynomials in X and L.

The law is S = sum of c X^i L^j, its remainder B X^i0 L^j0; S -+ B X^i0 L^j0 = alpha^(e/m) X^e (1 - W) is t^e at the
comparison points t.  There, X^m (A(t) -+ E(t) - n - C) is a polynomial P in X and L up to Taylor's remainders in W.
Each of its terms is larger than T = X^(i0 - e) L^j0, and then its coefficient must be exactly 0, or at most a number
times T from N on, as X^i L^j decreases where m j <= i log N.  A + E and A - E decrease, so the signs of P suffice.
"""

from dataclasses import dataclass

from flint import arb, fmpq

from asympt.kernel.formulas import value as value_of
from asympt.kernel.models import OneLess
from asympt.kernel.numbers import Names, ball, hull, is_zero, need, power, product, root
from asympt.kernel.parabolic import AbelBound

MOST_PRODUCTS = 5_000
Terms = dict  # {(i, j): scalar}: the sum of scalars times X^i L^j


def plus(a: Terms, b: Terms) -> Terms:
    return a | {place: a.get(place, fmpq(0)) + c for place, c in b.items()}


def times(a: Terms, b: Terms) -> Terms:
    found: Terms = {}
    need(len(a) * len(b) <= MOST_PRODUCTS, "too many terms in X and L")
    for (i, j), x in a.items():
        for (k, h), y in b.items():
            found[i + k, j + h] = found.get((i + k, j + h), fmpq(0)) + product(x, y)
    return found


def scaled(a: Terms, c, i: int = 0) -> Terms:
    """c X^i a."""
    return {(k + i, j): product(c, x) for (k, j), x in a.items()}


def largest(i: int, j: int, m: int, N: int) -> arb:
    """X^i L^j at N, from which on it falls."""
    need(bool(m * j <= i * arb(N).log()), "a power of log n still grows at N")
    return arb(N) ** arb(fmpq(-i, m)) * arb(N).log() ** j


def over(terms: Terms, place: tuple[int, int], m: int, N: int) -> arb:
    """The sum over X^i L^j, (i, j) = place, for all n >= N; what is larger must be exactly 0."""
    total = arb(0)
    for at, c in terms.items():
        i, j = at[0] - place[0], at[1] - place[1]
        if i < 0 or (i == 0 and j > 0):
            need(is_zero(c), f"the coefficient of the order {at} is not exactly that of the law")
        else:
            total += ball(c) * (hull(0, largest(i, j, m, N)) if (i, j) != (0, 0) else arb(1))
    return total


@dataclass(frozen=True)
class StatedLaw:
    """What is printed of t_n^e: terms {(i, j): c}, remainder B at (i0, j0)."""

    e: int
    terms: Terms
    bound: fmpq
    place: tuple[int, int]

    def holds(self, value: arb, n: int, m: int) -> bool:
        """Whether the quantity is as close to the law as it says, at layer n."""
        x, log = arb(1) / root(arb(n), m, None), arb(n).log()
        law = sum((ball(c) * x**i * log**j for (i, j), c in self.terms.items()), arb(0))
        return bool(abs(value - law) <= arb(self.bound) * x ** self.place[0] * log ** self.place[1])

    def require_from(self, N: int, abel: AbelBound, names: Names, last: int) -> None:
        """Shows the law for all n >= N, with Taylor's polynomials of the order `last` in W."""
        need((last + 1) * abel.map_.m > self.place[0] - self.e, "too few orders in W")
        for sign in (1, -1):
            point = _TestPoint(self, N, abel, names, sign)
            need(bool(point.side * point.beyond(last) < 0), f"the law beyond N, sign {sign}")


class _TestPoint(OneLess):
    """The comparison point S + sign B X^i0 L^j0."""

    def __init__(self, law: StatedLaw, N: int, abel: AbelBound, names: Names, sign: int):
        self.law, self.abel, self.names, self.m = law, abel, names, abel.map_.m
        self.N = N
        self.scale = root(abel.coefficients[-self.m], self.m, names)
        self.side = sign if law.e > 0 else -sign  # whether t_n is below the point
        whole = plus(law.terms, {law.place: fmpq(sign) * law.bound})
        ratio = scaled(whole, -power(self.scale, -law.e), -law.e)
        self.w = plus({(0, 0): fmpq(1)}, ratio)
        need(is_zero(self.w.pop((0, 0))) and all(i > 0 for i, _ in self.w), "the leading term is not that of A")
        most = sum((abs(ball(c)) * largest(*place, self.m, N) for place, c in self.w.items()), arb(0)).upper()
        need(bool(most < 1), "a comparison point is not positive")
        self.range, p = (-most, most), arb(fmpq(self.m, law.e))
        widest = ((1 + most) ** p).max((1 - most) ** p)
        lead = ball(abel.coefficients[-self.m])
        need(bool(lead * widest <= N * arb(abel.map_.z.r) ** self.m), "a comparison point leaves the range")

    def composed(self, coefficients: list, rest: arb) -> Terms:
        found: Terms = {(0, 0): rest}
        for a in reversed(coefficients):
            found = plus(times(found, self.w), {(0, 0): a})
        return found

    def beyond(self, last: int) -> arb:
        """P/T for all n >= N."""
        abel, m, e = self.abel, self.m, self.law.e
        alpha, found = abel.coefficients[-m], {(0, 0): fmpq(-1)}
        for k, a in [*abel.coefficients.items(), (abel.k, fmpq(self.side) * abel.K)]:
            part = self.power(fmpq(k, e), last)
            found = plus(found, scaled(part, a * power(self.scale, k) if k > -m else fmpq(1), k + m))
        middle = product(abel.rho, value_of("log", alpha, self.names)) / fmpq(m) - self.names.known["C",]
        found = plus(found, {(m, 0): middle, (m, 1): -abel.rho / fmpq(m)})
        found = plus(found, scaled(self.log(last), abel.rho / fmpq(e), m))
        return over(found, (self.law.place[0] - e, self.law.place[1]), m, self.N)
