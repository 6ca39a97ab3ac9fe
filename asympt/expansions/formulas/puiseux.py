"""The exact series of a formula in powers of y^(1/r), y -> 0+, r the smallest for what the walk meets.

Walk through the formula from its leaves with truncated series over one exact field (`walk`, `laurent`), at first with
few terms over the rational numbers, and again when a constant is missing (`Missing`: the field is enlarged), everything
known cancels (`Short`: the working length is doubled) or too few terms are left.  Logarithms of y and exponentials such
as exp(-1/y) are refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import lcm

import mpmath
import sympy
from mpmath import mp
from sympy import EX, Add, Expr, Function, Integer, Mul, Piecewise, Pow, Rational, Symbol
from sympy.logic.boolalg import ITE, And, Boolean, Not, Or, false, true

from asympt.deadline import check_time
from asympt.errors import InputError, UnsupportedError
from asympt.expansions.fields.decisions import generic_evaluator, generic_values, number
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas import elementary
from asympt.expansions.formulas.algebra import LOG, ZERO, Algebra, Laurent, Missing, Refusal, Short
from asympt.expansions.formulas.elementary import INVERSE, exp, log, taylor
from asympt.numbers import exact_coefficients
from asympt.parsing import as_sympy
from asympt.symbols import Reserved


def absolute(ring: Algebra, a: Laurent) -> Laurent:
    return ring.negative(a) if ring.sign(a) < 0 else a


def sign(ring: Algebra, a: Laurent) -> Laurent:
    """The sign of a for small y."""
    return ring.constant(Integer(ring.sign(a)))


def step(ring: Algebra, a: Laurent, at_zero: Laurent) -> Laurent:
    """Heaviside's function; `at_zero` is its value at 0, where a is exactly that."""
    found = ring.sign(a)
    return at_zero if found == 0 else ring.constant(Rational(found + 1, 2))


def extreme(ring: Algebra, *arguments: Laurent, order: int) -> Laurent:
    """The largest (order 1) or the smallest (-1) for small y."""
    best = arguments[0]
    for candidate in arguments[1:]:
        if ring.sign(ring.add(candidate, ring.negative(best))) == order:
            best = candidate
    return best


def sinc(ring: Algebra, a: Laurent) -> Laurent:
    return ring.multiply(elementary.sin(ring, a), ring.power(a, INVERSE))


_ELEMENTARY = (
    "exp", "log", "sin", "cos", "sinh", "cosh", "tan", "cot", "tanh", "coth", "asin", "acos", "atan", "asinh", "acosh",
    "atanh", "erf", "erfc", "erfi", "gamma",
)  # fmt: skip
_QUOTIENTS = {"sec": elementary.cos, "csc": elementary.sin, "sech": elementary.cosh, "csch": elementary.sinh}
_OF_INVERSES = {
    "acot": elementary.atan, "acoth": elementary.atanh, "asec": elementary.acos,
    "acsc": elementary.asin, "asech": elementary.acosh, "acsch": elementary.asinh,
}  # fmt: skip

RULES: dict[type, Callable] = {
    **{getattr(sympy, name): getattr(elementary, name) for name in _ELEMENTARY},
    **{getattr(sympy, name): lambda ring, a, rule=rule: ring.power(rule(ring, a), INVERSE)
       for name, rule in _QUOTIENTS.items()},
    **{getattr(sympy, name): lambda ring, a, rule=rule: rule(ring, ring.power(a, INVERSE))
       for name, rule in _OF_INVERSES.items()},
    **{getattr(sympy, name): rule for name, rule in elementary.INTEGRALS.items()},
    sympy.LambertW: elementary.lambert,
    sympy.Abs: absolute,
    sympy.sign: sign,
    sympy.Heaviside: step,
    sympy.Max: partial(extreme, order=1),
    sympy.Min: partial(extreme, order=-1),
    sympy.sinc: sinc,
}


Y = Reserved("y", positive=True)


class Walk:
    """expression -> its series, `symbol` having the series `leaf`; `where` completes the sentence of a refusal.

    >>> import sympy
    >>> from asympt.expansions.fields.field import Field
    >>> x, ring = Symbol("x"), Algebra(Field.of([]), width=Fraction(3))
    >>> found = Walk(ring, x, ring.monomial(1), "as x -> 0+")(x**2 * sympy.exp(x))
    >>> found.order, [float(value) for value in found.values]
    (Fraction(2, 1), [1.0, 1.0, 0.5])
    """

    def __init__(self, ring: Algebra, symbol: Symbol, leaf: Laurent, where: str):
        self.ring, self.symbol, self.where = ring, symbol, where
        self.known: dict[Expr, Laurent] = {symbol: leaf}

    def __call__(self, expression: Expr) -> Laurent:
        check_time()
        if expression not in self.known:
            try:
                self.known[expression] = self._node(expression)
            except Refusal as reason:
                sentence = f"{expression} has no power series {self.where}: {reason}"
                raise UnsupportedError(sentence.replace(str(LOG), f"log({Y})")) from None
        return self.known[expression]

    def _node(self, expression: Expr) -> Laurent:
        if self.symbol not in expression.free_symbols:
            return self.ring.constant(expression)
        if isinstance(expression, Add):
            return self._combined(self.ring.add, ZERO, expression.args)
        if isinstance(expression, Mul):
            return self._combined(self.ring.multiply, self.ring.monomial(0), expression.args)
        if isinstance(expression, Pow):
            return self._power(*expression.args)
        if isinstance(expression, Piecewise):
            return self._piece(expression)
        if expression.func in RULES:
            return RULES[expression.func](self.ring, *map(self, expression.args))
        if isinstance(expression, Function):
            return self._by_taylor(expression)
        raise Refusal(f"{type(expression).__name__} is not a function that can be expanded")

    def _combined(self, operation: Callable, start: Laurent, parts: tuple) -> Laurent:
        result = start
        for part in parts:
            result = operation(result, self(part))
        return result

    def _power(self, base: Expr, exponent: Expr) -> Laurent:
        if exponent.is_Rational:
            return self.ring.power(self(base), Fraction(int(exponent.p), int(exponent.q)))
        if self.symbol not in exponent.free_symbols:
            return self.ring.general_power(self(base), exponent)
        return exp(self.ring, self.ring.multiply(self(exponent), log(self.ring, self(base))))

    def _by_taylor(self, expression: Function) -> Laurent:
        places = [k for k, part in enumerate(expression.args) if self.symbol in part.free_symbols]
        if len(places) > 1:
            raise Refusal(f"two arguments of {expression.func.__name__} depend on {self.symbol}")
        before, after = expression.args[: places[0]], expression.args[places[0] + 1 :]
        return taylor(self.ring, lambda z: expression.func(*before, z, *after), self(expression.args[places[0]]))

    def _piece(self, expression: Piecewise) -> Laurent:
        for value, condition in expression.args:
            if self._holds(condition):
                return self(value)
        raise Refusal("none of its cases applies")

    def _holds(self, condition: Boolean) -> bool:
        found = holds(condition, lambda difference: self.ring.sign(self(difference)))
        if found is None:
            raise Refusal(f"the condition {condition} cannot be decided")
        return found


def holds(condition: Boolean, sign_of: Callable[[Expr], int]) -> bool | None:
    """Whether a condition is true, `sign_of` telling the signs of differences; None where that does not decide it."""
    if condition in (true, false):
        return bool(condition)
    if condition.is_Relational:
        return bool(condition.func(Integer(sign_of(condition.lhs - condition.rhs)), 0))
    if not isinstance(condition, And | Or | Not | ITE):
        return None
    parts = [holds(part, sign_of) for part in condition.args]
    return None if None in parts else bool(condition.func(*parts))


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
        root = lcm(found.order.denominator, found.step.denominator)
        while found.width < Fraction(count, root):
            lost = self.width - found.width
            self.width = Fraction(count, root) + lost
            found = self.head()
        return self._presented(found, root, count)

    def _presented(self, found: Laurent, root: int, count: int) -> Series:
        ring = self._ring()
        grid = found.spread(Fraction(1, root), count, ring.zero)
        elements = [ring.zero if ring.is_zero(element) else element for element in grid]
        series = Series(root, int(found.order * root), tuple(elements), self.field)
        return self._without_log(series) if any(constant.has(LOG) for constant in self.constants) else series

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
                f"{self.expression}, or a part of it whose size matters, vanishes to every order examined "
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
