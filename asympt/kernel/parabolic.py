"""A parabolic recursion near its fixed point, and an approximate Abel function that turns a layer into a step of one.

The map is x' = G(t), t = x^(1/root), G = t^root (1 - z), z = a t^m + .., a > 0; on t it is g(t) = t (1 - z)^(1/root).
A(t) = sum alpha_k t^k + rho log t, alpha_(-m) > 0.  What is shown on (0, r], once for all layers:

    range    0 < z < 1, so that 0 < g(t) < t;  0 <= g' <= 1, so that orbits keep their order and their errors
    defect   |A(g t) - A(t) - 1| <= E(t) - E(g t), E = K t^k
    slope    A' + E' < 0, so that A, A + E and A - E decrease

Hence |A(t_n) - n - C| <= E(t_n) for one number C and every layer n with t_n <= r: the differences telescope.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from flint import arb, fmpq

from asympt.kernel.models import OneLess, TaylorModel
from asympt.kernel.numbers import Names, ball, is_zero, need


@dataclass(frozen=True)
class Map(OneLess):
    """G on [0, r]; z = 1 - G/t^root and its bounds; `source`: a `FormulaSource` or a `NetworkLayer`, for orbits."""

    source: object
    root: int
    m: int
    z: TaylorModel
    range: tuple[arb, arb]

    @classmethod
    def near(cls, source, root: int, m: int, r: fmpq, exact: int, degree: int, names: Names) -> "Map":
        """z with so many exact coefficients, to this degree; shows `range`."""
        u = source.model(root + exact, root + degree, r, names).shifted(root, "the map over t^root")
        need(is_zero(u.c[0] - 1), "the multiplier is not exactly 1")
        z = u.one() - u
        z.shifted(m, "the map").require_positive("the map falls (z/t^m > 0)")
        most = z.largest()
        need(bool(most < 1), "the map stays positive (z < 1)")
        found = cls(source, root, m, z, (arb(0), most))
        found.rate.require_positive("the map increases (G' > 0)")
        rest = found.power(fmpq(root - 1, root), degree // m) - found.rate
        rest.shifted(m, "the slope").require_positive("the map contracts (g' < 1)")
        return found

    @cached_property
    def rate(self) -> TaylorModel:
        """G'/(root t^(root - 1)), which is f' of a layer."""
        u = self.z.one() - self.z
        return TaylorModel((c * fmpq(self.root + i, self.root) for i, c in enumerate(u.c)), u.r)

    def composed(self, coefficients: list, rest: arb) -> TaylorModel:
        return self.z.composed(coefficients, rest)

    def step(self, t: arb) -> arb:
        """A ball for the next layer's t."""
        need(bool(t > 0), "the orbit is not shown to stay on its side")
        middle = arb(t.mid())
        x = self.source.at(middle) + self.source.slope(t) * (t - middle)
        need(bool(x > 0), "the orbit left the side of the fixed point on which it started")
        return x if self.root == 1 else x.root(self.root)


@dataclass(frozen=True)
class AbelBound:
    """A(t) = sum of coefficients[k] t^k + rho log t with the error E = K t^k."""

    map_: Map
    coefficients: Mapping[int, object]
    rho: object
    K: fmpq
    k: int

    def require(self, last: int) -> None:
        """Shows `defect`, with Taylor polynomials of the order `last` in z, and `slope`."""
        falls, defect = self.sides(last)
        falls.times(self.K).require_above(defect, "|A(g) - A - 1| <= E - E(g)")
        m = self.map_.m
        slope = [(k + m, -k * a) for k, a in [*self.coefficients.items(), (self.k, self.K)]]  # times t^(m + 1)
        TaylorModel.of([(m, -self.rho), *slope], self.map_.z.r).require_positive("A + E decreases")

    def sides(self, last: int) -> tuple[TaylorModel, TaylorModel]:
        """(E - E(g))/K and A(g) - A - 1, both over t^(k + m)."""
        need((last + 1) * self.map_.m >= self.k + 2 * self.map_.m, "too few orders in z")
        map_, order = self.map_, self.k + self.map_.m
        one, degree = map_.z.one(), len(map_.z.c) - 1 - map_.m
        total = map_.log(last).times(self.rho / fmpq(map_.root)) - one
        total = total.cut(degree)
        for k, a in self.coefficients.items():
            part = (map_.power(fmpq(k, map_.root), last) - one).times(a)
            part = part.shifted(-k, "A") if k < 0 else part.raised(k)
            total = total + part.cut(degree)
        defect = total.shifted(order, "the defect")
        falls = (one - map_.power(fmpq(self.k, map_.root), last)).shifted(map_.m, "E")
        return falls.cut(len(defect.c) - 1), defect

    def value(self, t: arb) -> arb:
        """A(t) - what a ball holds; t must lie in (0, r]."""
        need(bool(t > 0) and bool(t <= arb(self.map_.z.r)), "the orbit is not in the range")
        return sum((ball(a) * t**k for k, a in self.coefficients.items()), ball(self.rho) * t.log())

    def error(self, t: arb) -> arb:
        """E(t)."""
        return arb(self.K) * t**self.k


def orbit(map_: Map, ends: list, count: int):
    """(lower, upper) of t in so many layers: one orbit of a point, two of an interval on which the map increases."""
    ends = list(ends)
    for layer in range(count):
        yield ends
        if layer + 1 == count:
            return
        if len(ends) == 2 and not bool(ends[1] <= arb(map_.z.r)):
            need(map_.source.increases(*ends), "the map is not shown to increase on the starts")
        ends = [map_.step(end) for end in ends]
