"""A quantity in all layers n >= N, where t_n is known by its clock, in powers of X and L.

    parabolic   X = n^(-1/m), L = log n        hyperbolic   X = C chi^n, no L

F(t_n) = X^p + C up to E(t_n), without C in the second case, so that

    c_p t^p = X^p + C - rho log t - sum of the other c_k t^k +- E = X^p (1 + d)

where d is known in powers of X and L from a rough ball on, which this line makes better each time; and so is then every
sum of q_k t^k.  Its terms larger than the remainder B X^i L^j must be exactly those printed, the others are at most a
number times X^i L^j from N on, as X^i L^j falls where m j <= i log N.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

from flint import arb, fmpq

from asympt.kernel.clock import Clock
from asympt.kernel.numbers import Names, ScalarRing, ball, hull, is_zero, need, power, product, root, value
from asympt.kernel.series import OneLess

MOST_PRODUCTS = 5_000
ROUNDS = 1  # in which d becomes better, once it has all its terms


class TailTerms(ScalarRing):
    """{(i, j): scalar}: the sum of scalars times X^i L^j; products of two with the same end are cut there."""

    def __init__(self, c: dict, end: "Place | None" = None):
        self.c, self.end = c, end

    def __add__(self, other) -> "TailTerms":
        more = other.c if isinstance(other, TailTerms) else {(0, 0): other}
        found = {place: self.c.get(place, fmpq(0)) + c for place, c in more.items()}
        return TailTerms(self.c | found, self.end)

    def __mul__(self, other) -> "TailTerms":
        if not isinstance(other, TailTerms):
            return TailTerms({place: product(other, c) for place, c in self.c.items()}, self.end)
        found: dict = {}
        need(len(self.c) * len(other.c) <= MOST_PRODUCTS, "too many terms in X and L")
        for (i, j), x in self.c.items():
            for (k, h), y in other.c.items():
                found[i + k, j + h] = found.get((i + k, j + h), fmpq(0)) + product(x, y)
        return self.end.cut(found) if self.end is other.end is not None else TailTerms(found)

    def raised(self, i: int) -> "TailTerms":
        """X^i times it."""
        return TailTerms({(k + i, j): c for (k, j), c in self.c.items()})


@dataclass(frozen=True)
class Place:
    """X^i L^j in the layers n >= N; hyperbolic: m = 0."""

    m: int
    N: int
    C: arb
    chi: arb
    i: int = 0
    j: int = 0

    def powers(self, n: int) -> Callable:
        """(i, j) -> X^i L^j at layer n."""
        x, log = (1 / root(arb(n), self.m, None), arb(n).log()) if self.m else (self.C * self.chi**n, arb(1))
        return lambda i, j: x**i * log**j

    def falls(self, i: int, j: int) -> bool:
        """Whether X^i L^j falls from N on."""
        return bool(self.m * j <= i * arb(self.N).log())

    def over(self, terms: dict) -> arb:
        """Their sum over it, in all these layers; what is larger must be exactly 0."""
        total, powers = arb(0), self.powers(self.N)
        for at, c in terms.items():
            i, j = at[0] - self.i, at[1] - self.j
            if i < 0 or (i == 0 and j > 0):
                need(is_zero(c), f"the coefficient of the order {at} is not exactly that of the law")
            else:
                need(self.falls(i, j), "a power of log n still grows at N")
                total += ball(c) * (hull(0, powers(i, j)) if (i, j) != (0, 0) else arb(1))
        return total

    def cut(self, terms: dict) -> TailTerms:
        """The same, what has a smaller power of X beside what has this one, with as many logarithms as it needs."""
        found = TailTerms({at: c for at, c in terms.items() if at[0] <= self.i}, self)
        for (i, j), c in terms.items():
            if i > self.i:
                logs = next(h for h in count(self.j) if self.falls(i - self.i, j - h))
                found += TailTerms({(self.i, logs): replace(self, j=logs).over({(i, j): c})})
        return found


@dataclass(frozen=True)
class StatedLaw:
    """What is printed: terms, remainder B at a place."""

    terms: TailTerms
    bound: arb
    place: Place

    def nearby(self) -> Callable:
        """(quantity, n) -> whether it is as close to the law as that says; by the balls that the letters have now."""
        terms, place = [(at, ball(c)) for at, c in self.terms.c.items()], (self.place.i, self.place.j)

        def is_near(quantity: arb, n: int) -> bool:
            powers = self.place.powers(n)
            law = sum((c * powers(*at) for at, c in terms), arb(0))
            return bool(abs(quantity - law) <= self.bound * powers(*place))

        return is_near

    def require_from(self, clock: Clock, t: arb, C, quantity, names: Names) -> None:
        """Shows the law from N on, where t_n <= t, of the sum of q t^k, (k, q) in `sums`, or of its average over n."""
        more = quantity.averaged * self.place.m
        orders = self.place.i - more - min(k for k, _ in quantity.sums)
        powers = powers_of(clock, t, C, replace(self.place, i=orders), names)
        left = sum((powers(k, q) for k, q in quantity.sums), TailTerms({})).raised(more) - self.terms
        need(bool(abs(self.place.over(left.c)) <= self.bound), "the law beyond N")


def powers_of(clock: Clock, t: arb, C, end: Place, names: Names) -> Callable:
    """(k, q) -> q t_n^k for all n >= N, where t_n <= t, up to `end` over the first power of X."""
    p, lead, m = clock.p, clock.coefficients[clock.p], end.m
    scale, log_lead = root(lead, m or 1, names), value("log", lead, names)
    others = [(k, -c) for k, c in clock.coefficients.items() if k > p] + [(clock.k, hull(-1, 1) * clock.K)]
    need(end.i <= clock.k - p, "the clock's error is larger than the remainder")
    gap = min([k - p for k, _ in others] + [m] * clock.step)  # d begins with X^gap
    order = max(0, end.i // gap) + 1  # and its next power, which makes the bound a sharper one

    def times(u: OneLess, k: int, q) -> TailTerms:
        return TailTerms({(k, 0): product(q, power(scale, k))}) * u.power(fmpq(k, p))

    u = _one_more(TailTerms({(0, 0): _roughly(clock, C, t, end.N)}, end), order)
    for known in [*range(1, order), *[order] * ROUNDS]:
        d = sum((times(u, k, c) for k, c in others), TailTerms({(0, 0): C * clock.step}))
        if not is_zero(clock.rho):
            d -= (TailTerms({(0, 1): fmpq(-1), (0, 0): log_lead}) - u.log()) * (clock.rho * fmpq(1, m))
        u = _one_more(replace(end, i=known * gap).cut(d.raised(-p).c), order)
    return lambda k, q: times(u, k, q)


def _one_more(d: TailTerms, order: int) -> OneLess:
    """1 + d."""
    z = replace(d.end, i=0, j=0).over((-d).c).union(arb(0))
    need(bool(z < 1), "t^p is not shown to be like X^p")
    return OneLess(-d, (arb(z.lower()), arb(z.upper())), order)


def _roughly(clock: Clock, C, t: arb, N: int) -> arb:
    """d in all layers n >= N, by t^p alone: t^m |log t| grows up to t."""
    p = clock.p
    over_power = sum((ball(c) * hull(0, t ** (k - p)) for k, c in clock.coefficients.items() if k > p),
                     ball(clock.coefficients[p]) + hull(-1, 1) * clock.K * t ** (clock.k - p))  # F/t^p without C
    if not is_zero(clock.rho):
        need(bool(p * t.log() >= 1), "the orbit has not come below e^(-1/m)")
        over_power += ball(clock.rho) * hull(0, t**-p * t.log())
    return (1 + hull(0, ball(C) * clock.step / N)) * ball(clock.coefficients[p]) / over_power - 1
