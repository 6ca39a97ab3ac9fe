"""The number systems in which a composition is evaluated: numbers, series at c = 1, series at c* < 1, formulas.

A system has `one`, `number(exact)`, and `kernel(phi, lost)`, the kernel of an activation and its derivative at a
signal.  Series in t = sqrt(1 - c) are lists of coefficients: with lost = m t^2 s(t), s_0 = 1, a kernel
sum e_k lost^(k/2) is sum e_k m^(k/2) t^k s^(k/2), and s^(1/2) is one power of a series.  About c* a kernel is its
Taylor series at the signal's own place, by Horner's rule.  A series at c = 1 needs a signal that is 1 there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import truediv

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational

from asympt.architectures.composed.stages import Nonlinearity, PairFlow
from asympt.errors import UnsupportedError
from asympt.expansions.fields.field import Field
from asympt.expansions.series import power, product
from asympt.gaussian.closed.kernels import Q1, Q2, C, closed_form
from asympt.gaussian.price import default_moment
from asympt.meanfield.correlation import ReluLikeMap
from asympt.numbers import to_mpf

ZERO, ONE = Integer(0), Integer(1)
BEHIND_DROPOUT = (
    "an activation behind a dropout reads two inputs that differ even where they are equal, so its map has no "
    "expansion at c = 1; the law is one at c* < 1"
)


class MpNumbers:
    """mpmath numbers at mpmath's precision."""

    one = mpf(1)

    @staticmethod
    def number(value: Expr):
        """A constant."""
        return to_mpf(value)

    @staticmethod
    def kernel(phi: Nonlinearity, lost) -> tuple:
        """1 - E[phi phi]/M and its derivative."""
        return phi.gap(lost), phi.slope(lost)

    @staticmethod
    def radial(phi: Nonlinearity, lost):
        """E[x phi' x' phi']/M."""
        return phi.radial_value(lost)

    quotient = staticmethod(truediv)


class NoFormula(Exception):
    """An activation whose kernel has no closed form."""


@dataclass(frozen=True)
class Formulas:
    """SymPy expressions in c; an activation is shown `seen`(lost)."""

    seen: Callable[[Expr], Expr] = lambda lost: lost
    one = Integer(1)

    @staticmethod
    def number(value: Expr) -> Expr:
        """A constant."""
        return value

    def kernel(self, phi: Nonlinearity, lost: Expr) -> tuple:
        """1 - E[phi phi]/M and its derivative in lost."""
        x = self.seen(lost)
        c = 1 - x
        if phi.is_scale_free:
            f = ReluLikeMap(phi.phi.kink_weight, phi.phi.linear_weight)
            value, slope = (part.subs(f.variable, c) for part in (f.closed_form, f.closed_slope))
            return (1 - value, slope) if x == lost else (1 - value.subs(1 - c**2, x * (2 - x)), slope)
        form = closed_form(phi.phi.piecewise)
        if form is None:
            raise NoFormula
        value, slope = (part.subs({Q1: phi.q, Q2: phi.q}) for part in (form.value, form.slope))
        return 1 - value.subs(C, c) / phi.square, (slope * phi.q).subs(C, c) / phi.square

    def radial(self, phi: Nonlinearity, lost: Expr) -> Expr:
        """E[x phi' x' phi']/M."""
        form = closed_form(phi.phi.piecewise.radial)
        if form is None:
            raise NoFormula
        return form.value.subs({Q1: phi.q, Q2: phi.q}).subs(C, 1 - self.seen(lost)) / phi.square

    quotient = staticmethod(truediv)


@dataclass(frozen=True)
class Truncated:
    """A power series cut after len(coefficients) terms, over mpmath numbers or a SymPy domain."""

    coefficients: tuple

    def _zipped(self, other: "Truncated", combine) -> "Truncated":
        return Truncated(tuple(combine(a, b) for a, b in zip(self.coefficients, other.coefficients, strict=True)))

    def __add__(self, other: "Truncated") -> "Truncated":
        return self._zipped(other, lambda a, b: a + b)

    def __sub__(self, other: "Truncated") -> "Truncated":
        return self._zipped(other, lambda a, b: a - b)

    def __mul__(self, other) -> "Truncated":
        if not isinstance(other, Truncated):
            return Truncated(tuple(c * other for c in self.coefficients))
        return Truncated(tuple(product(list(self.coefficients), list(other.coefficients), len(self.coefficients))))


class SeriesSystem:
    """Series of `count` terms; a subclass says what numbers and kernels are."""

    def __init__(self, count: int):
        self.count = count

    def constant(self, value) -> Truncated:
        """A constant as a series."""
        return Truncated((value, *[value * 0] * (self.count - 1)))

    @cached_property
    def one(self) -> Truncated:
        """1."""
        return self.constant(self.number(Integer(1)))

    def number(self, value: Expr):
        """A constant."""
        return to_mpf(value)

    def quotient(self, one: Truncated, other: Truncated) -> Truncated:
        """one/other, for a series that does not vanish at the fixed point."""
        lead = other.coefficients[0]
        inverse = power([c / lead for c in other.coefficients], self.number(Integer(-1)), self.count)
        return one * Truncated(tuple(c / lead for c in inverse))

    def _variable(self, place: int, first) -> PairFlow:
        """first + (the variable)^place, with slope 1 and no own NTK."""
        start = [self.number(Integer(0))] * self.count
        start[0] = first
        start[place] = self.number(Integer(1))
        return PairFlow.begun(self, Truncated(tuple(start)))


class AtOne(SeriesSystem):
    """Series in t = sqrt(1 - c), coefficients as mpmath numbers."""

    def start(self) -> PairFlow:
        """lost = t^2."""
        return self._variable(2, self.number(Integer(0)))

    def kernel(self, phi: Nonlinearity, lost: Truncated) -> tuple:
        """The kernel and its derivative."""
        if not any(lost.coefficients):  # tokens that were made equal
            return lost, lost
        coefficients = self._series(phi, False)
        zero = coefficients[0] * 0
        slopes = [c * self.number(Rational(k, 2)) for k, c in enumerate(coefficients)][2:]
        slopes += [zero, zero]
        steps = 1 if phi.has_odd_powers else 2
        powers = self._powers(lost, steps)
        return self._summed(coefficients, powers, steps), self._summed(slopes, powers, steps)

    def radial(self, phi: Nonlinearity, lost: Truncated) -> Truncated:
        """E[x phi' x' phi']/M."""
        steps = 1 if phi.has_odd_powers else 2
        return self._summed(self._series(phi, True), self._powers(lost, steps), steps)

    def _series(self, phi: Nonlinearity, radial: bool) -> list:
        return (phi.radial_series if radial else phi.series)(self.count - 1)

    def _powers(self, lost: Truncated, steps: int) -> list:
        """lost^(k/2) for k = 0, steps, 2 steps, ..."""
        series, lead = lost.coefficients, lost.coefficients[2]
        if series[0] or series[1] or not lead:
            raise UnsupportedError(BEHIND_DROPOUT)
        shape = [c / lead for c in series[2:]] + [lead * 0] * 2
        unit = power(shape, self.number(Rational(1, 2)), self.count) if steps == 1 else shape
        factor = self._root(lead) if steps == 1 else lead
        base = [lead * 0] * steps + [factor * c for c in unit[: self.count - steps]]
        found = [[self.one.coefficients[0]] + [lead * 0] * (self.count - 1)]
        while len(found) * steps < self.count:
            found.append(product(found[-1], base, self.count))
        return found

    def _root(self, lead):
        return mp.sqrt(lead)

    def _summed(self, coefficients: list, powers: list, steps: int) -> Truncated:
        total = [coefficients[0] * 0] * self.count
        for part, series in zip(coefficients[::steps], powers, strict=False):
            if part:
                total = [a + part * b for a, b in zip(total, series, strict=True)]
        return Truncated(tuple(total))


class ExactAtOne(AtOne):
    """The same with exact coefficients, in a field that holds all of them."""

    def __init__(self, count: int, field: Field, roots: list[tuple[Expr, Expr]]):
        super().__init__(count)
        self.field = field
        self._roots = [(self.number(lead), self.number(root)) for lead, root in roots]

    def number(self, value: Expr):
        return self.field.enter([value])[0]

    def leave(self, series: Truncated) -> list[Expr]:
        """The coefficients as expressions."""
        return [self.field.leave(c) for c in series.coefficients]

    def _series(self, phi: Nonlinearity, radial: bool) -> list:
        return self.field.enter((phi.exact_radial if radial else phi.exact_series)(self.count - 1))

    def _root(self, lead):
        for known, root in self._roots:
            if known == lead:
                return root
        raise NoFormula


class About(SeriesSystem):
    """Taylor series in y = (1 - c) - (1 - c*), coefficients as mpmath numbers."""

    def start(self, centre) -> PairFlow:
        """lost = centre + y."""
        return self._variable(1, centre)

    def kernel(self, phi: Nonlinearity, lost: Truncated) -> tuple:
        """The kernel and its derivative."""
        if not any(lost.coefficients):
            return lost, lost
        values = phi.taylor(lost.coefficients[0], self.count + 1)
        slopes = [k * c for k, c in enumerate(values)][1:]
        return self._composed(values[: self.count], lost), self._composed(slopes, lost)

    def radial(self, phi: Nonlinearity, lost: Truncated) -> Truncated:
        """E[x phi' x' phi']/M."""
        return self._composed(phi.taylor(lost.coefficients[0], self.count, radial=True), lost)

    def _composed(self, values: list, lost: Truncated) -> Truncated:
        moved = [mpf(0), *lost.coefficients[1:]]
        total = [values[-1], *[mpf(0)] * (self.count - 1)]
        for value in reversed(values[:-1]):
            total = product(total, moved, self.count)
            total[0] += value
        return Truncated(tuple(total))


class FirstOrder(SeriesSystem):
    """lost to first order in 1 - c, slope and own at c = 1, exact; `met`: what every activation reads."""

    one = Truncated((ONE, ZERO))

    def __init__(self):
        super().__init__(2)
        self.met: list[tuple[Nonlinearity, Expr]] = []

    def start(self) -> PairFlow:
        """lost = 1 - c."""
        return PairFlow.begun(self, Truncated((ZERO, ONE)))

    def number(self, value: Expr) -> Expr:
        return value

    def kernel(self, phi: Nonlinearity, lost: Truncated) -> tuple:
        """The kernel and its derivative."""
        value, lead = lost.coefficients
        if value != 0:
            raise UnsupportedError(BEHIND_DROPOUT)
        if lead != 0:
            self.met.append((phi, lead))
        return Truncated((ZERO, phi.slope_at_one * lead)), self.constant(phi.slope_at_one)

    def radial(self, phi: Nonlinearity, lost: Truncated) -> Truncated:
        """E[x^2 phi'^2]/M."""
        return self.constant(default_moment(phi.phi.piecewise.radial, 0, phi.q) / phi.square)
