"""Taylor models: a function on [0, r] as a sum of c_k t^k, k <= D, where c_D is a ball that holds all that follows."""

from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from operator import mul

from flint import arb, arb_poly, fmpq

from asympt.kernel.formulas import PowerSeries, convolved, evaluate, show
from asympt.kernel.numbers import Names, ScalarRing, ball, hull, is_zero, need, product

HALVINGS = 12


class SeriesAlgebra(ScalarRing):
    """What Taylor models and the polynomials of `tail` share: they have +, *, `times` a number, and `one`."""

    def __neg__(self):
        return self.times(fmpq(-1))

    def composed(self, coefficients: list, rest: arb):
        """The sum of a_j f^j, j < len(coefficients), and rest f^len(coefficients)."""
        found = self.one().times(rest)
        for a in reversed(coefficients):
            found = found * self + self.one().times(a)
        return found


@dataclass(frozen=True)
class OneLess:
    """1 - z, where all values of z lie between two numbers < 1."""

    z: SeriesAlgebra
    values: tuple[arb, arb]

    def power(self, p: fmpq, last: int):
        """(1 - z)^p, by products or by Taylor's polynomial of this order in z and Lagrange's remainder."""
        if p.q == 1 and 0 <= p <= last:
            return reduce(mul, [self.z.one() - self.z] * int(p), self.z.one())
        found = [fmpq(1)]
        for j in range(last + 1):
            found.append(-found[-1] * (p - j) / (j + 1))
        return self.z.composed(found[:-1], found[-1] * self._between(p - last - 1))

    def log(self, last: int):
        """log(1 - z) likewise."""
        found = [fmpq(0), *(fmpq(-1, j) for j in range(1, last + 1))]
        return self.z.composed(found, fmpq(-1, last + 1) * self._between(fmpq(-last - 1)))

    def _between(self, p: fmpq) -> arb:
        """(1 - z)^p for all values of z."""
        return hull(*((1 - z) ** arb(p) for z in self.values))


class TaylorModel(SeriesAlgebra):
    """For every t in [0, r]: f(t) = the sum of c_k t^k for some value of every ball among the c_k (of c_D: one for t).

    >>> from flint import arb, fmpq
    >>> square = TaylorModel([fmpq(0), fmpq(1), arb(0)], fmpq(1)) * TaylorModel([fmpq(0), fmpq(1), arb(0)], fmpq(1))
    >>> square.c[:2], square.over(arb("0.5"))
    ([0, 0], 0.250000000000000)
    """

    def __init__(self, coefficients, r: fmpq):
        self.c, self.r = list(coefficients), r

    @classmethod
    def of(cls, terms: list, r: fmpq) -> "TaylorModel":
        """The sum of c t^k over pairs (k, c)."""
        found = [fmpq(0)] * (max(k for k, _ in terms) + 1)
        for k, c in terms:
            found[k] = found[k] + c
        return cls(found, r)

    def one(self) -> "TaylorModel":
        return TaylorModel([fmpq(1)] + [fmpq(0)] * (len(self.c) - 1), self.r)

    def __add__(self, other: "TaylorModel") -> "TaylorModel":
        return TaylorModel((a + b for a, b in zip(self.c, other.c, strict=True)), self.r)

    def times(self, number) -> "TaylorModel":
        return TaylorModel((product(number, a) for a in self.c), self.r)

    def __mul__(self, other: "TaylorModel") -> "TaylorModel":
        last = len(self.c) - 1
        return TaylorModel((convolved(self.c, other.c, k) for k in range(2 * last + 1)), self.r).cut(last)

    def shifted(self, by: int, what: str) -> "TaylorModel":
        """f/t^by, the coefficients below being exactly 0."""
        need(all(is_zero(a) for a in self.c[:by]), f"{what}: the coefficients below t^{by} are not exactly 0")
        return TaylorModel(self.c[by:], self.r)

    def raised(self, by: int) -> "TaylorModel":
        """t^by f, to the same degree."""
        return TaylorModel([fmpq(0)] * by + self.c, self.r).cut(len(self.c) - 1)

    def cut(self, degree: int) -> "TaylorModel":
        """The same function, all above this degree in its last coefficient."""
        top = self.c[degree]
        for k in range(degree + 1, len(self.c)):
            top = top + product(self.c[k], hull(0, self.r ** (k - degree)))
        return TaylorModel([*self.c[:degree], top], self.r)

    @cached_property
    def over(self) -> arb_poly:
        """Called with a ball: a ball that holds the function on it."""
        return arb_poly([ball(a) for a in self.c])

    def require_positive(self, what: str, strict: bool = True) -> None:
        """f > 0, or f >= 0, on [0, r], by bisection."""
        todo = [(fmpq(0), self.r, 0)]
        while todo:
            low, high, halved = todo.pop()
            found = self.over(hull(low, high))
            if bool(found > 0 if strict else found >= 0):
                continue
            need(bool(found.is_finite()) and halved < HALVINGS and not bool(found < 0), f"{what} on [{low}, {high}]")
            middle = (low + high) / 2
            todo += [(low, middle, halved + 1), (middle, high, halved + 1)]

    def require_above(self, defect: "TaylorModel", what: str) -> None:
        """|defect| <= f on [0, r]."""
        for sign in (1, -1):
            (self + defect.times(fmpq(sign))).require_positive(f"{what}, sign {sign}", strict=False)

    def largest(self, pieces: int = 64) -> arb:
        """An upper bound on [0, r]."""
        ends = [self.r * k / pieces for k in range(pieces + 1)]
        found = reduce(arb.max, (self.over(hull(*pair)).upper() for pair in pairwise(ends)))
        need(bool(found.is_finite()), "a bound is not finite")
        return found


class FormulaSource:
    """A map that is a formula in t: `model` near the fixed point, `at` and `slope` on orbits."""

    def __init__(self, node):
        self.node = node

    def model(self, exact: int, degree: int, r: fmpq, names: Names) -> TaylorModel:
        return taylor(self.node, exact, degree, r, names)

    def at(self, t: arb) -> arb:
        return evaluate(self.node, t, None)

    def slope(self, t: arb) -> arb:
        """Of a ball, in which every node's domain is checked."""
        return ball(series(self.node, t, 2, None)[1])

    def increases(self, low: arb, high: arb) -> bool:
        return bool(self.slope(hull(low, high)) >= 0)

    def show(self, starts: list, first: int) -> str:
        return f"G(t) = {show(self.node)}"


def taylor(node, exact: int, degree: int, r: fmpq, names: Names) -> TaylorModel:
    """The formula on [0, r]: so many exact coefficients, then balls, Lagrange's remainder as the last."""
    known = series(node, fmpq(0), exact, names).c
    balls = series(node, arb(0), degree, None).c
    last = series(node, hull(0, r), degree + 1, None)[degree]
    need(all(bool(ball(a).is_finite()) for a in [*known, *balls, last]), "a Taylor coefficient is not finite")
    return TaylorModel([*known, *balls[exact:], ball(last)], r)


def series(node, at, count: int, names: Names | None) -> PowerSeries:
    """The Taylor coefficients at a scalar."""
    one, zero = (fmpq(1), fmpq(0)) if names else (arb(1), fmpq(0))
    found = evaluate(node, PowerSeries([at, one, *[zero] * count][:count]), names)
    found = found if isinstance(found, PowerSeries) else PowerSeries([found] + [fmpq(0)] * (count - 1))
    need(len(found) == count, "the series came out shorter than asked")
    return found
