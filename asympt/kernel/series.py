"""Power series, and Taylor models, which are functions on [0, r]."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

from flint import arb, arb_poly, fmpq

from asympt.kernel import numbers
from asympt.kernel.numbers import ScalarRing, ball, hull, inverse, is_zero, need, or_nan, product, value

HALVINGS, PIECES = 20, 64
OWN_SLOPES = {  # the coefficient of t^k in f'(s), from those of f(s) so far
    "exp": lambda f, k: f[k],
    "tanh": lambda f, k: fmpq(k == 0) - convolved(f, f, k),
}
SLOPES = {  # f'(s) of each other function f
    "log": lambda s, *_: 1 / s,
    "sin": lambda s, names, _: s.apply("cos", names),
    "cos": lambda s, names, _: -s.apply("sin", names),
    "atan": lambda s, *_: 1 / (1 + s * s),
    "asin": lambda s, names, _: 1 / (1 - s * s).apply("root", names),
    "erf": lambda s, names, _: (-s * s).apply("exp", names) * (2 / value("root", value("pi", fmpq(0), names), names)),
    "root": lambda s, names, n: 1 / (s.apply("root", names, n) ** (n - 1) * fmpq(n)),
}


class PowerSeries(ScalarRing):
    """s_0 + s_1 t + .. + s_D t^D + O(t^(D + 1)), whose coefficients are scalars.

    With r it is a Taylor model: for every t in [0, r] a function has the value of the sum without O, for some number in
    every ball among the coefficients (in s_D: one for this t, so that s_D has all that follows).

    >>> from flint import arb, fmpq
    >>> square = PowerSeries([fmpq(0), fmpq(1), arb(0)], fmpq(1)) * PowerSeries([fmpq(0), fmpq(1), arb(0)], fmpq(1))
    >>> square.c[:2], square.over(arb("0.5"))
    ([0, 0], 0.250000000000000)
    """

    def __init__(self, coefficients, r: fmpq | None = None):
        self.c, self.r = list(map(numbers.limited, coefficients)), r

    def _like(self, other) -> "PowerSeries":
        return other if isinstance(other, PowerSeries) else PowerSeries([other, *[fmpq(0)] * (len(self.c) - 1)], self.r)

    def __add__(self, other):
        return PowerSeries((a + b for a, b in zip(self.c, self._like(other).c, strict=True)), self.r)

    def __mul__(self, other):
        if not isinstance(other, PowerSeries):
            return PowerSeries((product(other, a) for a in self.c), self.r)
        last = len(self.c) - 1
        kept = range(last + 1 if self.r is None else 2 * last + 1)
        return PowerSeries((convolved(self.c, other.c, k) for k in kept), self.r).cut(last)

    def __truediv__(self, other):
        o, found = self._like(other).c, []
        need(self.r is None, "no division of Taylor models")
        first = inverse(o[0])
        for k, a in enumerate(self.c):
            found.append(product(a - convolved(found, o[1:], k - 1), first))
        return PowerSeries(found)

    def __rtruediv__(self, other):
        return self._like(other) / self

    def shifted(self, by: int, what: str) -> "PowerSeries":
        """f/t^by, the coefficients below being exactly 0."""
        need(all(is_zero(a) for a in self.c[:by]), f"{what}: the coefficients below t^{by} are not exactly 0")
        return PowerSeries(self.c[by:], self.r)

    def raised(self, by: int, degree: int | None = None) -> "PowerSeries":
        """t^by f to this degree, or to the same; where by < 0, the coefficients below t^-by are exactly 0."""
        found = self.shifted(-by, "a power of t") if by < 0 else PowerSeries([fmpq(0)] * by + self.c, self.r)
        return found.cut(len(self.c) - 1 if degree is None else degree)

    def cut(self, degree: int) -> "PowerSeries":
        """The same function, all above this degree in its last coefficient."""
        top = self.c[degree]
        for k, a in enumerate(self.c[degree + 1 :], 1):
            top = top + product(a, hull(0, self.r**k))
        return PowerSeries([*self.c[:degree], top], self.r)

    @cached_property
    def over(self) -> arb_poly:
        """Called with a ball: a ball that holds the function on it."""
        return arb_poly([ball(a) for a in self.c])

    def require_positive(self, what: str) -> None:
        """f > 0 on [0, r], by bisection."""

        def positive(part: arb) -> None:
            need(bool(self.over(part) > 0), f"{what} between {part.lower().str(6)} and {part.upper().str(6)}")

        numbers.everywhere(positive, arb(0), arb(self.r), HALVINGS)

    def largest(self, by=1) -> arb:
        """An upper bound of |f|/by on [0, r], where by > 0."""
        places = [hull(*pair) for pair in pairwise(self.r * k / PIECES for k in range(PIECES + 1))]
        above, below = self.over, self._like(by).over
        found = [abs(above(t)) / below(t) for t in places]
        need(all(bool(size.is_finite()) for size in found), "a bound is not finite")  # NaN would be lost in `max`
        return max(size.upper() for size in found)

    def apply(self, name: str, names, n: int = 2) -> "PowerSeries":
        """f(s) by f(s)' = s' f'(s)."""
        first = value(name, self.c[0], names, n)
        if len(self.c) == 1:
            return PowerSeries([first])
        inner, found, slope = [k * a for k, a in enumerate(self.c[1:], 1)], [first], []
        if name in OWN_SLOPES:
            for k in range(1, len(self.c)):
                slope.append(OWN_SLOPES[name](found, k - 1))
                found.append(convolved(inner, slope, k - 1) / k)
            return PowerSeries(found)
        slope = PowerSeries(inner) * SLOPES[name](PowerSeries(self.c[:-1]), names, n)
        return PowerSeries([first, *(a / k for k, a in enumerate(slope.c, 1))])


def rounded(x) -> fmpq:
    """A rational number near a scalar."""
    near = arb((ball(x) * 10**6).mid())
    need(bool(near.is_finite()), "a coefficient is not finite")
    return fmpq(near.floor().unique_fmpz(), 10**6)


def convolved(a: list, b: list, k: int):
    """The sum of a_i b_(k-i); exactly 0 where there is none."""
    total = fmpq(0)
    for i in range(max(0, k - len(b) + 1), min(k, len(a) - 1) + 1):
        total = total + product(a[i], b[k - i])
    return total


def never_negative(f: Callable, low: arb, high: arb) -> bool:
    """Whether f >= 0 is shown between two numbers, by bisection."""
    shown = or_nan(numbers.everywhere, lambda part: need(bool(f(part) >= 0), "f >= 0"), low, high, HALVINGS)
    return shown is None


def composed(f, coefficients: list, rest: arb):
    """The sum of a_j f^j, j < len(coefficients), and rest f^len(coefficients)."""
    found = rest
    for a in reversed(coefficients):
        found = found * f + a
    return found


@dataclass(frozen=True)
class OneLess:
    """1 - z, where all values of z lie between two numbers < 1; last: the order of Taylor's polynomials in z."""

    z: ScalarRing
    values: tuple[arb, arb]
    last: int

    def power(self, p: fmpq):
        """(1 - z)^p, by products or by Taylor's polynomial and Lagrange's remainder."""
        if p.q == 1 and 0 <= p <= self.last:
            return prod([1 - self.z] * int(p), start=fmpq(1))
        found = [fmpq(1)]
        for j in range(self.last + 1):
            found.append(-found[-1] * (p - j) / (j + 1))
        return composed(self.z, found[:-1], found[-1] * self._between(p - self.last - 1))

    def log(self):
        """log(1 - z) likewise."""
        found = [fmpq(0), *(fmpq(-1, j) for j in range(1, self.last + 2))]
        return composed(self.z, found[:-1], found[-1] * self._between(fmpq(-self.last - 1)))

    def _between(self, p: fmpq) -> arb:
        """(1 - z)^p for all values of z."""
        return hull(*((1 - z) ** arb(p) for z in self.values))
