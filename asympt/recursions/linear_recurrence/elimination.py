"""Greedy elimination for a_l = lambda_l a_(l-1) + b_l in the scale l^(-p) log(l)^j, over any field.

Problem.  Find the formal solutions P = sum_p l^(-p) P_p(w), P_p polynomials in w = log l, order by order, and H.

Rule.  A series is {k: polynomial in w}, k counting orders in units of 1/grid, largest terms (smallest k) first.  With
mu = 1 - lambda and a_(l-1) = a_l + moved,

    residual = b - mu a + lambda moved,     moved of l^s q(w):  l^s sum_m l^(-m) sum_i e_(i,m) q^(i)(w),  m >= 1,

e_(i,m) the coefficient of x^m in (1-x)^s log(1-x)^i / i!.  The largest part of T[l^s q] = mu l^s q - lambda moved is

    mu_r l^(s-r) q                       mu = mu_r l^(-r) + smaller, r < 1        pivot mu_r
    l^(s-1) ((alpha + s) q + q')         mu = alpha/l + smaller                   pivot alpha + s

so the largest part of the residual gives the next q, from the highest power of w down.  At alpha + s = 0 (resonance)
q' is what is left: every power of w is integrated, and one more log enters; the constant of integration, which is a
multiple of H, is 0.  H itself: log(H/lambda_0^l) is the solution for lambda = 1 and b = log(lambda_l/lambda_0), so

    H = lambda_0^l exp(E) g,    E the parts of that sum that do not tend to 0 (the growth),  g = exp(the others).

Tiny case.  lambda = 1 - 1/l, b = 1/l^2 (alpha = 1): residual l^(-2) wants s = -1, the pivot is 0, a = log(l)/l + ...

Known limits.  mu must not start with a log.  A coefficient that vanishes only for special parameters is not seen here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from sympy import EX, QQ, Expr, Mul
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.fields import decisions
from asympt.expansions.fields.field import Field
from asympt.numbers import to_mpf
from asympt.parsing import as_sympy

Series = Mapping[int, Sequence]
FACTORED = 60  # polynomials with more terms are printed expanded: factoring them is slow and does not help a reader


# ---- coefficients -----------------------------------------------------------------------------------


class ExactField(Field):
    """Exact coefficients, with parameters and constants.

    >>> from sympy import Symbol
    >>> field = ExactField.of([Symbol("a") + 1])
    >>> print(field.leave(field.number(Symbol("a")) / field.number(Symbol("a") + 1)))
    a/(a + 1)
    """

    @classmethod
    def of(cls, expressions: Iterable[Expr], divides: bool = True) -> "ExactField":
        """The smallest field that holds every expression; without `divides` a ring may do, which needs no gcd."""
        field = super().of(map(_real, expressions), quick=True, divides=divides)
        if field.domain is EX:
            raise UnsupportedError("the coefficients generate too large a field; write them with fewer constants")
        return field

    def number(self, expression) -> object:
        """A SymPy expression as an element."""
        return self.enter([expression])[0]

    def rational(self, number: Fraction) -> object:
        """A rational number, for sums and products with elements."""
        rational = QQ(number.numerator, number.denominator)
        return rational if self.domain.is_Composite else self.domain.convert(rational, QQ)

    def scale(self, element, rational) -> object:
        """An element times a rational number; in a fraction field without looking for common factors."""
        if isinstance(element, FracElement):
            return element.raw_new(element.numer * rational, element.denom)
        return element * rational

    def leave(self, element) -> Expr:
        """An element as a SymPy expression, in factors when they are short."""
        if isinstance(element, FracElement):
            return _factored(element.numer) / _factored(element.denom)
        return _factored(element) if isinstance(element, PolyElement) else super().leave(element)

    def is_zero(self, element) -> bool:
        """Whether an element is zero; `UnsupportedError` when numbers say yes and no proof is at hand."""
        return decisions.is_zero(self, element)


class NumberField:
    """The same interface over mpmath numbers at the current precision; nothing but an exact 0 counts as zero."""

    def number(self, expression):
        """A SymPy number as an mpmath number."""
        return to_mpf(as_sympy(expression))

    def rational(self, number: Fraction):
        """A rational number as an mpmath number."""
        return mpmath.mpf(number.numerator) / number.denominator

    def scale(self, element, rational):
        """An element times a rational number."""
        return element * rational

    def is_zero(self, element) -> bool:
        """Whether the number is exactly 0."""
        return not element


def _real(expression: Expr) -> Expr:
    expression = as_sympy(expression)
    if expression.is_real is False or (expression.is_number and not expression.is_finite):
        raise InputError(f"the coefficient {expression} is not a finite real number; give real coefficients")
    return expression


def _factored(polynomial: PolyElement) -> Expr:
    if len(polynomial) > FACTORED:
        return polynomial.as_expr()
    content, factors = polynomial.factor_list()
    ring = polynomial.ring
    return Mul(ring.domain.to_sympy(content), *(factor.as_expr() ** power for factor, power in factors))


# ---- the elimination --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pivot:
    """mu starts with value * l^(-order/grid); `critical` when that is l^(-1) or smaller and s joins the pivot.

    `resonant`: the order at which alpha + s is exactly 0, or None.
    """

    order: int
    value: object
    critical: bool
    resonant: int | None = None


class Shift:
    """l^s q(log l) at l - 1, without the term itself: the coefficient polynomials of l^(s-1), l^(s-2), ..."""

    def __init__(self, field, power: Fraction, polynomial: Sequence):
        self.field, self.power, self.m = field, power, 0
        self.derivatives = list(_derivatives(polynomial))
        self.column = [field.rational(Fraction(int(i == 0))) for i in range(len(polynomial))]

    def advance(self) -> list:
        """The next m: m e_(i,m) = (m - 1 - s) e_(i,m-1) - e_(i-1,m-1)."""
        self.m += 1
        factor = self.field.rational((self.m - 1 - self.power) / self.m)
        share = self.field.rational(Fraction(1, self.m))
        lower = [self.column[0] * 0, *self.column[:-1]]
        self.column = [factor * e - share * below for e, below in zip(self.column, lower, strict=True)]
        pairs = zip(self.column, self.derivatives, strict=True)
        return sum_of(*([self.field.scale(c, e) for c in derivative] for e, derivative in pairs if e))


class Elimination:
    """The solution so far, and the step to the next order.

    `solved`: {order: polynomial in log l};  `divisors`: {order: pivot divided by};  `resonances`: the orders at which
    a log was added.
    """

    def __init__(self, field, grid: int, multiplier: Series, forcing: Series, pivot: Pivot):
        self.field, self.grid, self.pivot = field, grid, pivot
        self.multiplier, self.forcing = multiplier, forcing
        self.defect = {k: [-c for c in q] for k, q in multiplier.items() if k > pivot.order}
        self.order = min(forcing) - pivot.order
        self.solved: dict[int, list] = {}
        self.divisors: dict[int, object] = {}
        self.resonances: list[int] = []
        self._moved: dict[int, list] = {}
        self._shifts: dict[int, list[Shift]] = defaultdict(list)

    def advance(self) -> list:
        """Solve the next order; its polynomial in log l, [] when there is none."""
        here, below = self.order, self.order + self.pivot.order
        shifts = self._shifts[below % self.grid]
        self._moved[below] = sum_of(*(shift.advance() for shift in shifts))
        solution = self._invert(here, clean(self.field, self._residual(below)))
        if solution:
            self.solved[here] = solution
            shift = Shift(self.field, Fraction(-here, self.grid), solution)
            self._shifts[here % self.grid].append(shift)
            if self.pivot.order == self.grid:  # the first part moved lies at this very order
                self._moved[below] = sum_of(self._moved[below], shift.advance())
        self.order += 1
        return solution

    def _residual(self, order: int) -> list:
        """The coefficient of l^(-order) in b - mu a + lambda moved, from what is solved."""
        parts = [list(self.forcing.get(order, ()))]
        for k, q in self.defect.items():
            if order - k in self.solved:
                parts.append([-c for c in times(q, self.solved[order - k])])
        for k, q in self.multiplier.items():
            if self._moved.get(order - k):
                parts.append(times(q, self._moved[order - k]))
        return sum_of(*parts)

    def _invert(self, order: int, residual: list) -> list:
        if not residual:
            return []
        if order == self.pivot.resonant:
            self.resonances.append(order)
            shares = (self.field.rational(Fraction(1, j + 1)) for j in range(len(residual)))
            return [residual[0] * 0, *map(self.field.scale, residual, shares)]
        pivot = self.pivot.value
        if self.pivot.critical:
            pivot = pivot - self.field.rational(Fraction(order, self.grid))
        self.divisors[order] = pivot
        if not self.pivot.critical:
            return [c / pivot for c in residual]
        return solve_with_derivative(pivot, residual)


def homogeneous_parts(field, grid: int, multiplier: Series, cut: int) -> tuple[Series, Series]:
    """(E, g) of H from lambda/lambda_0, g up to, not including, the order cut - grid."""
    one = multiplier[0][0]
    forcing = {k: q for k, q in logarithm(field, grid, multiplier, cut).items() if any(q)}
    if not forcing:
        return {}, {0: [one]}
    pivot = Pivot(grid, field.rational(Fraction(0)), True, resonant=0)
    sums = Elimination(field, grid, {0: [one]}, forcing, pivot)
    while sums.order < cut - grid:
        sums.advance()
    small = {k: q for k, q in sums.solved.items() if k > 0}
    g = exponential(field, grid, small, cut - grid)
    return {k: q for k, q in sums.solved.items() if k <= 0}, {k: c for k, q in g.items() if (c := clean(field, q))}


# ---- polynomials in log l, and series of them -------------------------------------------------------


def solve_with_derivative(pivot, right: Sequence) -> list:
    """q with pivot q + q' = right, from the highest power down.

    >>> solve_with_derivative(Fraction(2), [Fraction(1), Fraction(4)])
    [Fraction(-1, 2), Fraction(2, 1)]
    """
    solution = list(right)
    above = right[0] * 0
    for j in reversed(range(len(right))):
        solution[j] = (right[j] - above) / pivot
        above = solution[j] * j
    return solution


def _derivatives(polynomial: Sequence) -> Iterator[list]:
    while polynomial:
        yield list(polynomial)
        polynomial = [j * c for j, c in enumerate(polynomial)][1:]


def clean(field, polynomial: list) -> list:
    """Without zeros at the end, and with true zeros for coefficients that are zero."""
    kept = [c * 0 if field.is_zero(c) else c for c in polynomial]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def sum_of(*polynomials: Sequence) -> list:
    """The sum of polynomials of any lengths."""
    total: list = []
    for polynomial in polynomials:
        for j, c in enumerate(polynomial[: len(total)]):
            if c:
                total[j] = total[j] + c if total[j] else c
        total += polynomial[len(total) :]
    return total


def times(one: Sequence, two: Sequence) -> list:
    """The product of two polynomials."""
    if not one or not two:
        return []
    total = [one[0] * two[0] * 0] * (len(one) + len(two) - 1)
    for i, c in enumerate(one):
        for j, d in enumerate(two):
            if c and d:
                total[i + j] = total[i + j] + c * d if total[i + j] else c * d
    return total


def logarithm(field, grid: int, series: Series, cut: int) -> dict[int, list]:
    """log of a series that tends to 1, orders below `cut`: l d/dl of the series is it times l d/dl of this."""
    slopes, result = {}, {}
    for k in range(1, cut):
        known = _slope(field, grid, k, series[k]) if k in series else []
        parts = (times(q, slopes[k - n]) for n, q in series.items() if n and k - n in slopes)
        right = sum_of(known, *([-c for c in part] for part in parts))
        if any(right):
            slopes[k], result[k] = right, solve_with_derivative(field.rational(Fraction(-k, grid)), right)
    return result


def exponential(field, grid: int, series: Series, cut: int) -> dict[int, list]:
    """exp of a series that tends to 0, orders below `cut`: l d/dl of it is the series' own times it."""
    result = {0: [field.rational(Fraction(1))]}
    slopes = {k: _slope(field, grid, k, q) for k, q in series.items()}
    for k in range(1, cut):
        right = sum_of(*(times(p, result[k - n]) for n, p in slopes.items() if k - n in result))
        if any(right):
            result[k] = solve_with_derivative(field.rational(Fraction(-k, grid)), right)
    return result


def _slope(field, grid: int, order: int, polynomial: Sequence) -> list:
    """l d/dl of l^(-order/grid) q(log l), divided by the power of l."""
    derivative = [j * c for j, c in enumerate(polynomial)][1:]
    factor = field.rational(Fraction(-order, grid))
    return sum_of([field.scale(c, factor) for c in polynomial], derivative)
