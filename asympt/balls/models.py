"""Real Taylor models: functions on (0, T] of which a Taylor polynomial and its remainder are known.

A model is t^v (sum_(k<n) c_k t^k + J t^n) for every t in (0, T], the c_k and J balls: J holds the remainder over t^n
for each such t.  Sums and products keep n: what has a higher power is moved into J, its sum over [0, T].  For z without
constant term, z = t w, exp and log are Taylor's formula with Lagrange's remainder, xi between 0 and z,

    exp(z) = sum_(j<n) z^j/j! + exp(xi) w^n t^n/n!,    log(1 + z) = sum_(0<j<n) -(-z)^j/j - (-w)^n (1 + xi)^-n t^n/n.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flint import acb, arb, arb_poly

from asympt.balls.arithmetic import Refused, largest, magnitude, majorant, require_finite, smallest


@dataclass(frozen=True, eq=False)
class Model:
    """t^order (sum of `length` known coefficients times powers + rest t^length), 0 < t <= T.

    span: a ball that holds [0, T].

    >>> span = arb(0.25, 0.25)
    >>> found = Model.of([1, -1, 0, 0], arb(0), span).log()
    >>> [str(c) for c in found.coefficients(0, 2)], bool(found.rest.contains(-0.25))
    (['0', '-1.00000000000000'], True)
    """

    order: int
    poly: arb_poly
    rest: arb
    length: int
    span: arb

    @classmethod
    def of(cls, coefficients: Sequence, rest: arb, span: arb) -> "Model":
        return cls(0, arb_poly(list(coefficients)), rest, len(coefficients), span)

    @classmethod
    def identity(cls, length: int, span: arb) -> "Model":
        return cls(1, arb_poly([1]), arb(0), length, span)

    @property
    def real(self) -> arb:
        """Its values on [0, T], with the interface of an analytic function's values on a circle."""
        return self.span**self.order * self._range()

    def _range(self) -> arb:
        return self.poly(self.span) + self.rest * self.span**self.length

    def coefficients(self, start: int, count: int) -> list[arb]:
        """Those of t^start, t^(start+1), ..."""
        known = self.poly.coeffs()
        places = range(start - self.order, start - self.order + count)
        if count and places[-1] >= self.length:
            raise Refused("a Taylor model is too short for the coefficients needed")
        return [known[k] if 0 <= k < len(known) else arb(0) for k in places]

    def beyond(self, power: int) -> arb:
        """The range over [0, T] of what is left from t^power on, over t^power."""
        place = power - self.order
        if place > self.length:
            raise Refused("a Taylor model is too short for the remainder needed")
        if place < 0:
            return self.span**-place * self._range()
        return arb_poly(self.poly.coeffs()[place:])(self.span) + self.rest * self.span ** (self.length - place)

    def _made(self, order: int, poly: arb_poly, rest: arb) -> "Model":
        """With what exceeds the length moved into the rest."""
        n = self.length
        if len(poly) > n:
            known = poly.coeffs()
            poly, rest = arb_poly(known[:n]), rest + arb_poly(known[n:])(self.span)
        return Model(order, poly, require_finite(rest, "the remainder of a Taylor model"), n, self.span)

    def _lifted(self, other) -> "Model":
        return other if isinstance(other, Model) else Model(0, arb_poly([other]), arb(0), self.length, self.span)

    def _lowered(self, order: int) -> "Model":
        """The same with a smaller order."""
        by = self.order - order
        if not by:
            return self
        return self._made(order, arb_poly([0] * by + self.poly.coeffs()), self.rest * self.span**by)

    def __add__(self, other) -> "Model":
        other = self._lifted(other)
        order = min(self.order, other.order)
        one, two = self._lowered(order), other._lowered(order)
        return self._made(order, one.poly + two.poly, one.rest + two.rest)

    def __mul__(self, other) -> "Model":
        if not isinstance(other, Model):
            return Model(self.order, self.poly * other, self.rest * other, self.length, self.span)
        here, there = self.poly(self.span), other.poly(self.span)
        rest = here * other.rest + there * self.rest + self.rest * other.rest * self.span**self.length
        return self._made(self.order + other.order, self.poly * other.poly, rest)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Model":
        return self * -1

    def __sub__(self, other) -> "Model":
        return self + other * -1

    def __pow__(self, exponent: int) -> "Model":
        if len(self.poly) == 1 and self.poly[0] == 1 and self.rest.is_zero():
            return Model(self.order * exponent, self.poly, self.rest, self.length, self.span)
        if exponent < 0:
            raise ValueError("a Taylor model has no negative power; take exp(k log)")
        result = Model(0, arb_poly([1]), arb(0), self.length, self.span)
        for _ in range(exponent):
            result = result * self
        return result

    def integrated(self) -> "Model":
        """The integral from 0 to t, of what has no negative powers."""
        terms = [c / (self.order + k + 1) for k, c in enumerate(self.poly.coeffs())]
        rest = self.rest / (self.order + self.length + 1)
        return Model(self.order + 1, arb_poly(terms), rest, self.length, self.span)

    def _split(self) -> tuple[arb, "Model", arb]:
        """(constant c, z, range of z/t) of c + z."""
        if self.order < 0:
            raise ValueError("a function of a Taylor model with negative powers")
        plain = self._lowered(0)
        z = self._made(0, plain.poly - plain.poly[0], plain.rest)
        return plain.poly[0], z, z.beyond(1)

    def _composed(self, z: "Model", coefficient: Callable[[int], arb]) -> "Model":
        """sum_(j<n) coefficient(j) z^j, by Horner."""
        result = self._lifted(coefficient(self.length - 1))
        for j in range(self.length - 2, -1, -1):
            result = result * z + coefficient(j)
        return result

    def exp(self) -> "Model":
        constant, z, slope = self._split()
        n, factorial = self.length, arb(self.length + 1).gamma()
        found = self._composed(z, lambda j: 1 / arb(j + 1).gamma())
        between = z._range().union(arb(0)).exp()
        found = Model(0, found.poly, found.rest + between * slope**n / factorial, n, self.span)
        return found if constant.is_zero() else found * constant.exp()

    def expm1(self) -> "Model":
        """exp of it, less 1; without constant term where it has none."""
        return self.exp() - 1

    def log(self) -> "Model":
        """The logarithm, where it is positive."""
        constant, z, slope = self._split()
        if not constant > 0:
            raise Refused("the logarithm of a Taylor model that may be 0 at the fixed point")
        if constant != 1:
            z, slope = z * (1 / constant), slope / constant
        inner, n = (1 + z._range()).union(arb(1)), self.length
        if not inner > 0:
            raise Refused("the interval is too long for the Taylor model of a logarithm")
        found = self._composed(z, lambda j: arb(-1) ** (j + 1) / j if j else arb(0))
        rest = found.rest - (-slope / inner) ** n / n
        found = Model(0, found.poly, rest, n, self.span)
        return found if constant == 1 else found + constant.log()


def powers_of(log_u: Model | acb, exponents: Iterable[int]) -> dict[int, Model | acb]:
    """u^k - 1; of models a product each: u^(k+1) - 1 = (u^k - 1) + (u - 1) u^k."""
    if isinstance(log_u, acb):
        return {k: (log_u * k).expm1() for k in exponents}
    found = {0: log_u * 0}
    for sign in (1, -1):
        step = (log_u * sign).expm1()
        for k in range(sign, sign * (max((sign * k for k in exponents), default=0) + 1), sign):
            found[k] = found[k - sign] * (step + 1) + step
    return found


class Segment:
    """(0, T], where the functions of t are Taylor models.

    points, steps: (t, log u) and (t, u), one pair of models.
    """

    def __init__(self, reach: arb, log_u: Model, values: Callable[[object], Model]):
        self.radius = reach
        self.points = [(Model.identity(log_u.length, log_u.span), log_u)]
        self._value = values

    def __str__(self) -> str:
        return f"the interval 0 < t < {self.radius.str(6, radius=False)}"

    analytic = False

    @property
    def steps(self) -> list[tuple[Model, Model]]:
        """(t, u)."""
        return [(t, log_u.exp()) for t, log_u in self.points]

    def sup(self, values: Sequence[Model]) -> arb:
        """sup |f| over the interval."""
        return largest((magnitude(value.real) for value in values), "a model")

    def least(self, values: Sequence[Model]) -> arb:
        """inf |f| over the interval."""
        return smallest((value.real.abs_lower() for value in values), "a model")

    def lifted(self, terms: Sequence[arb], error: arb) -> list[Model]:
        """A function within error t^(len(terms)) of a polynomial."""
        return [Model.of(terms, arb(0, error.upper()), self.points[0][0].span)]

    def values(self, program) -> list[Model]:
        """A function of t, as a list of one model."""
        return [self._value(program)]

    def bound(self, values: Sequence[Model], power: int, known: int) -> arb:
        """sup |f/t^power - its first `known` coefficients|/t^known over (0, T], for an f that starts at t^power."""
        (model,) = values
        below = range(min(model.order, power), power)
        for k, c in zip(below, model.coefficients(below.start, len(below)), strict=True):
            if not c.contains(0):
                raise Refused(f"a defect has a term t^{k}, so the formal solution is not one of this map")
        return magnitude(model.beyond(power + known))

    def tail(self, known: Sequence[arb], bound: arb, t: arb) -> arb:
        """What lies beyond the `known` coefficients of f/t^power on (0, t]."""
        return bound * t ** len(known)

    def over(self, known: Sequence[arb], bound: arb, t: arb) -> arb:
        """A bound of |f(s)|/s^power over 0 < s <= t."""
        return (majorant(enumerate(known), t) + self.tail(known, bound, t)).upper()


def span_of(reach: arb) -> arb:
    return arb(0).union(reach)
