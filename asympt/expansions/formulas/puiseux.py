"""The exact series of a formula in powers of y^(1/r), y -> 0+, r the smallest for what the walk meets.

Walk through the formula from its leaves with truncated series over one exact field (`walk`, `laurent`), at first with
few terms over the rational numbers, and again whenever

    a constant is missing      sqrt(2 + y) needs sqrt(2): the field is enlarged by it        (`Missing`)
    everything known cancels   sin(y) - y at first: the working length is doubled            (`Short`)
    too few terms are left     1 - cos(y) lost two: the working length grows by what is lost

Known limits.  Powers only: logarithms of y and exponentials such as exp(-1/y) are refused.  Symbols stand for generic
numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

import mpmath
from mpmath import mp
from sympy import EX, Expr, Integer, Pow, Rational, Symbol

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.fields.field import Field
from asympt.expansions.fields.numerics import generic_evaluator, generic_values, number
from asympt.expansions.formulas.algebra import Algebra
from asympt.expansions.formulas.laurent import LOG, Laurent, Missing, Short
from asympt.expansions.formulas.walk import Walk, Y
from asympt.numbers import exact_coefficients
from asympt.parsing import as_sympy

FIRST, LONGEST = 6, 96  # working lengths: terms of the first walk, and powers of y where cancellation is given up


@dataclass(frozen=True)
class Series:
    """t^valuation (c_0 + c_1 t + ...), t = y^(1/root), c_0 != 0: `elements` are c_0, c_1, ... in `field`.

    An element is 0 exactly if the coefficient is; apart from that a number may have several forms in the field (see
    `Field.of`, quick).

    >>> from sympy import sqrt
    >>> s = puiseux(sqrt(Y + Y**2), Y, 3)
    >>> s.root, s.valuation, s.exponent, s.coefficients
    (2, 1, 1/2, (1, 0, 1/2))
    """

    root: int
    valuation: int
    elements: tuple
    field: Field

    @property
    def exponent(self) -> Rational:
        """The leading power of y."""
        return Rational(self.valuation, self.root)

    @cached_property
    def coefficients(self) -> tuple[Expr, ...]:
        """c_0, c_1, ... as SymPy expressions."""
        return tuple(self.field.leave(element) for element in self.elements)


def puiseux(expression: Expr, symbol: Symbol, count: int, inner: Expr = Y, vanishing: Sequence[Expr] = ()) -> Series:
    """The first `count` coefficients of the expression at symbol = inner, `inner` being a formula in y -> 0+.

    Parameters: `inner`: `p + Y` for p from above, `p - Y` from below, `1/Y` for infinity; `vanishing`: constants that
    are 0 although no simplification shows it, such as G(xi) - xi for a fixed point xi known by its digits.
    Raises `UnsupportedError`, with the reason, when there is no such series.

    >>> from sympy import cos, sin
    >>> x = Symbol("x")
    >>> puiseux(sin(x) - x, x, 3).coefficients
    (-1/6, 0, 1/120)
    >>> puiseux(x + 1 / x, x, 3, inner=1 / Y).exponent
    -1
    """
    if count < 1:
        raise InputError(f"count = {count} coefficients cannot be computed; ask for 1 or more")
    return _FormulaAtPoint(expression, symbol, inner, vanishing, min(count, FIRST)).series(count)


def order_at_zero(expression: Expr, symbol: Symbol) -> Rational:
    """The leading power of the symbol at 0+, exactly.

    >>> from sympy import cos, sqrt
    >>> x = Symbol("x")
    >>> order_at_zero((1 - cos(x)) / sqrt(x), x)
    3/2
    """
    order = _FormulaAtPoint(expression, symbol, Y).head().order
    return Rational(order.numerator, order.denominator)


def _root(found: Laurent) -> int:
    return lcm(found.order.denominator, found.step.denominator)


class _FormulaAtPoint:
    """One formula, with the field and the working length that the walks so far have found necessary."""

    def __init__(self, expression, symbol: Symbol, inner: Expr, vanishing: Sequence[Expr] = (), first: int = 1):
        self.expression = exact_coefficients(as_sympy(expression))
        self.symbol, self.inner, self.vanishing = symbol, as_sympy(inner), vanishing
        self.constants: list[Expr] = list(vanishing)
        self.field = Field.of(self.constants, quick=True)
        roots = (int(power.exp.q) for power in self.expression.atoms(Pow) if power.exp.is_Rational)
        self.width = Fraction(first, lcm(*roots))

    def head(self) -> Laurent:
        """The series with at least its leading term."""
        while True:
            try:
                found = self._walk()
                if found.is_exact_zero:
                    raise UnsupportedError(f"{self.expression} is zero, so it has no leading power")
                if found.values:
                    return found
                raise Short
            except Missing as missing:
                self._enlarge(missing.constants)
            except Short:
                self._lengthen()

    def series(self, count: int) -> Series:
        """The series with `count` coefficients."""
        found = self.head()
        root = _root(found)
        while found.width < Fraction(count, root):
            lost = self.width - found.width
            self.width = Fraction(count, root) + lost
            found = self.head()
        return self._presented(found, root, count)

    def _presented(self, found: Laurent, root: int, count: int) -> Series:
        ring = self._ring()
        grid = found.spread(Fraction(1, root), count, ring.zero)
        elements = [ring.zero if ring.is_zero(element) else element for element in grid]
        if any(constant.has(LOG) for constant in self.constants):
            return self._without_log(Series(root, int(found.order * root), tuple(elements), self.field))
        return Series(root, int(found.order * root), tuple(elements), self.field)

    def _without_log(self, found: Series) -> Series:
        """Logarithms may have cancelled; then the field need not know them."""
        if any(c.has(LOG) for c in found.coefficients):
            variable = self.symbol if self.inner == Y else Y
            raise UnsupportedError(
                f"{self.expression} has no power series {self._where()}: its expansion contains log({variable})"
            )
        field = Field.of(found.coefficients)
        return replace(found, elements=tuple(field.enter(found.coefficients)), field=field)

    def _ring(self) -> Algebra:
        return Algebra(self.field, self.width, self.vanishing)

    def _walk(self) -> Laurent:
        ring = self._ring()
        leaf = Walk(ring, Y, ring.monomial(1), self._where())(self.inner)
        return Walk(ring, self.symbol, leaf, self._where())(self.expression)

    def _enlarge(self, constants: Sequence[Expr]) -> None:
        known = len(self.constants)
        self.constants.extend(constant for constant in constants if constant not in self.constants)
        self.field = Field.of(self.constants, quick=True)
        if self.field.domain is EX or len(self.constants) == known:
            shown = ", ".join(map(str, constants))
            raise UnsupportedError(
                f"{shown} in {self.expression} cannot be calculated with exactly; use exact numbers"
            ) from None

    def _lengthen(self) -> None:
        self.width, before = min(2 * self.width, Fraction(LONGEST)), self.width
        if before >= LONGEST:
            raise UnsupportedError(
                f"{self.expression}, or a part of it whose size matters, vanishes to every order looked at "
                f"{self._where()}; simplify it first"
            ) from None

    def _where(self) -> str:
        return f"as {self.symbol} -> 0+" if self.inner == Y else f"at {self.symbol} = {self.inner} as {Y} -> 0+"


NEAREST, NEAR, DIGITS = 3, 20, 600  # t is 10^-3 to 10^-20 of the radius of convergence, as 600 digits allow
SPARE = 40  # digits beyond those of the residual


def check_against(expression: Expr, symbol: Symbol, series, inner: Expr = Y) -> None:
    """`UnsupportedError` unless the `Series` and the expression at symbol = inner differ as little as they should.

    With n coefficients, |f - series| relative to the first term is c t^n (1 + ...), t = y^(1/r): at two small t, ten
    times apart, it must fall by 10^n, half an order being left for the dots.  A wrong coefficient k < n leaves 10^k.

    >>> from sympy import sin
    >>> from asympt.expansions.formulas.puiseux import puiseux
    >>> x = Symbol("x")
    >>> found = puiseux(sin(x), x, 5)
    >>> check_against(sin(x), x, found)
    >>> check_against(sin(x) + x**4, x, found)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    asympt.errors.UnsupportedError: the series found for x**4 + sin(x) does not agree with it numerically; ...
    """
    formula = exact_coefficients(as_sympy(expression))
    close = max(NEAREST, min(NEAR, DIGITS // len(series.elements)))
    if not any(_agree(formula, symbol, series, inner, attempt * close) for attempt in (1, 3)):
        raise UnsupportedError(
            f"the series found for {expression} does not agree with it numerically; write the map in another form"
        )


def _agree(formula: Expr, symbol: Symbol, series, inner: Expr, close: int) -> bool:
    count = len(series.elements)
    with mp.workdps((close + 1) * count + SPARE):
        evaluate = generic_evaluator(series.field.domain)
        values = [evaluate(element) for element in series.elements]
        far = Integer(10) ** (_radius(values) - close)
        residuals = [_residual(formula, symbol, series, inner, values, t) for t in (far, far / 10)]
        rounding = mpmath.mpf(10) ** (SPARE // 2 - mp.dps)
        return residuals[1] <= residuals[0] * mpmath.mpf(10) ** (mpmath.mpf(1) / 2 - count) + rounding


def _radius(values: list) -> int:
    """The radius of convergence as the coefficients show it, as a power of ten."""
    first = mpmath.mag(values[0])  # in powers of two
    roots = [(first - mpmath.mag(value)) / k for k, value in enumerate(values) if k and value]
    return int(min(roots) * 0.3) if roots else 0


def _residual(formula: Expr, symbol: Symbol, series, inner: Expr, values: list, t: Rational):
    """|f - series|/|c_0 t^v| at an exact t; infinite when f has no value there."""
    parameters = generic_values((formula.free_symbols | inner.free_symbols) - {symbol, Y})
    place = inner.subs(Y, t**series.root).subs(parameters)
    value = number(formula, {**parameters, symbol: place})
    point = mpmath.mpf(int(t.p)) / int(t.q)
    return abs(value / point**series.valuation - mpmath.polyval(values[::-1], point)) / abs(values[0])
