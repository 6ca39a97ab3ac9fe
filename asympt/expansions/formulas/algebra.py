"""Truncated series in rational powers of y -> 0+ over one exact field, every decision (zero? sign?) proved.

Sums are known below the smaller end, products relatively as far as the shorter factor.  log(y) may occur in
coefficients, as the symbol `LOG`.  A constant that is not in the field raises `Missing`, and the computation starts
again in a larger one; a question that cannot be answered is a `Refusal`, the end of a sentence that the caller starts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, repeat
from math import ceil, gcd, inf, prod
from operator import mul

from sympy import QQ, Add, Dummy, Expr, Pow, Rational, nan, oo, trigsimp, zoo
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.fields import FracElement
from sympy.polys.polyerrors import CoercionFailed

from asympt.expansions.fields.decisions import is_zero, sign
from asympt.expansions.fields.field import Field, inverse
from asympt.expansions.series import power, product

LOG = Dummy("log_y", real=True)


class Missing(Exception):
    """These constants do not live in the field yet."""

    def __init__(self, *constants: Expr):
        self.constants = constants


class Short(Exception):
    """A leading term is not known: every term that is known cancelled."""


class Refusal(Exception):
    """Why there is no power series, as the end of a sentence."""


@dataclass(frozen=True)
class Laurent:
    """sum_k values[k] y^(order + k step), known below y^end; step 0 means exactly this one term, or exactly zero."""

    order: Fraction
    step: Fraction
    values: Sequence

    @property
    def end(self):
        """The first power that is not known; infinity for an exact term."""
        return self.order + len(self.values) * self.step if self.step else inf

    @property
    def width(self):
        """How much is known, relative to the first term."""
        return self.end - self.order if self.step else inf

    @property
    def is_exact_zero(self) -> bool:
        """Whether it is 0 and not merely O(y^end)."""
        return not self.step and not self.values

    def spread(self, step: Fraction, count: int, zero, start: Fraction | None = None) -> list:
        """`count` coefficients of y^start, y^(start + step), ...; its own powers must be among these."""
        result = [zero] * count
        begin = 0 if start is None else int((self.order - start) / step)
        stride = int(self.step / step) or 1
        for index, value in zip(range(begin, count, stride), self.values, strict=False):
            result[index] = value
        return result


ZERO = Laurent(Fraction(0), Fraction(0), ())


def common(*fractions: Fraction) -> Fraction:
    """The largest fraction of which all of these are multiples (0 is a multiple of everything).

    >>> common(Fraction(1, 2), Fraction(0), Fraction(2, 3))
    Fraction(1, 6)
    """
    result = Fraction(0)
    for f in fractions:
        top = gcd(result.numerator * f.denominator, f.numerator * result.denominator)
        result = Fraction(top, result.denominator * f.denominator)
    return result


def fraction_free(kernel: Callable, *serieses: list, product: bool = False) -> list:
    """kernel(*serieses), a list of coefficients, by way of polynomials, whose sums need no gcd, where that is possible.

    Operations on power series commute with t -> D t: D^k times the coefficient of t^k is to be a polynomial
    (1 - t/a + t^2/a^2 has D = a); the denominator of the constant term stays in front.

    >>> from sympy import QQ, Symbol
    >>> from asympt.expansions.series import power
    >>> a = QQ.frac_field(Symbol("a")).gens[0]
    >>> [c.as_expr() for c in fraction_free(lambda series: power(series, -1, 3), [a / a, 1 / a])]
    [1, -1/a, a**(-2)]
    """
    if not all(series and isinstance(series[0], FracElement) for series in serieses):
        return kernel(*serieses)
    field, heads = serieses[0][0].field, [series[0].denom for series in serieses]
    if not product and not all(head.is_one for head in heads):
        return kernel(*serieses)
    scale = field.ring.one
    for series, head in zip(serieses, heads, strict=True):
        scale = _enlarged(scale, series, head)
    cleared = [
        [c.numer * multiple.exquo(c.denom) for c, multiple in zip(series, _powers(head, scale), strict=False)]
        for series, head in zip(serieses, heads, strict=True)
    ]
    multiples = _powers(prod(heads, start=field.ring.one), scale)
    return [field.new(value, multiple) for value, multiple in zip(kernel(*cleared), multiples, strict=False)]


def _powers(head, scale) -> Iterator:
    """head, head D, head D^2, ..."""
    return accumulate(repeat(scale), mul, initial=head)


def _enlarged(scale, series: Sequence[FracElement], head):
    """A multiple D of `scale` such that head D^k times the k-th coefficient is a polynomial."""
    multiple = head
    for k, value in enumerate(series[1:], start=1):
        multiple = multiple * scale
        while value and multiple % value.denom:
            scale = scale * value.denom.exquo(value.denom.gcd(multiple))
            multiple = head * scale**k
    return scale


def is_real_number(constant: Expr) -> bool:
    """Whether a number is real, by its assumptions or else by its digits: SymPy does not know it of Ci(-1)."""
    known = constant.is_extended_real
    if known is not None:
        return bool(known)
    value = constant.evalf(20, chop=True)
    return not (value.is_finite and value.is_extended_real is False)


class Coefficients:
    """A field and what is known about its constants; `vanishing` are constants known to be zero.

    >>> from sympy import Rational
    >>> print(Coefficients(Field.of([])).number(Rational(1, 2)))
    1/2
    """

    def __init__(self, field: Field, vanishing: Sequence[Expr] = ()):
        self.field, self.vanishing = field, vanishing
        self.zero, self.one = field.domain.zero, field.domain.one
        self._logarithmic = any(symbol.has(LOG) for symbol in getattr(field.domain, "symbols", ()))

    def number(self, constant: Expr):
        """A constant as an element of the field; `Missing` when it is not in there, `Refusal` when it is not real."""
        if constant.has(oo, -oo, zoo, nan) or (constant.is_number and not is_real_number(constant)):
            raise Refusal(f"the constant {constant} is not a finite real number")
        element = self.numbers([constant])[0]
        for part in constant.atoms(Pow):
            if part.exp.is_negative and part.exp.is_Integer and self.is_zero(self.numbers([part.base])[0]):
                raise Refusal("it divides by zero")
        return element

    def numbers(self, constants: Sequence[Expr]) -> list:
        """Finite real constants as elements; all of them are `Missing` together."""
        try:
            return self.field.enter(constants)
        except CoercionFailed:
            raise Missing(*constants) from None
        except ZeroDivisionError:  # of SymPy's fields, where a constant divides by what is 0 there
            raise Refusal("it divides by zero") from None

    def is_zero(self, element) -> bool:
        """Whether an element is zero, proved."""
        return is_zero(self.field, element, self.vanishing)

    def inverse(self, element):
        """1/element; the field is enlarged if it is only a ring."""
        self._refuse_log(element, "divided by")
        try:
            return inverse(self.field.domain, element)
        except CoercionFailed:
            raise Missing(1 / self.field.leave(element)) from None

    def positive(self, element, what: str) -> Expr:
        """An element as an expression, refused when it is known to be negative; `what` is done with it."""
        self._refuse_log(element, f"put under {what}")
        if sign(self.field, element) == -1:
            raise Refusal(f"it is {what} of something negative, which is not real")
        return _in_short(self.field.leave(element))

    def sign_of(self, element) -> int:
        """+1 or -1."""
        self._refuse_log(element, "asked for its sign")
        found = sign(self.field, element)
        if found is None:
            shown = self.field.leave(element)
            told = all(symbol.is_positive for symbol in shown.free_symbols)
            remedy = "give numbers for its symbols" if told else "declare its symbols positive"
            raise Refusal(f"the sign of {shown} is not known; {remedy}")
        return found

    def _refuse_log(self, element, what: str) -> None:
        if self._logarithmic and self.field.leave(element).has(LOG):
            raise Refusal(f"something that grows like a logarithm is {what}")


@lru_cache(maxsize=1024)
def _in_short(constant: Expr) -> Expr:
    """1 - sin(1)^2 as cos(1)^2, whose root is no new constant."""
    return trigsimp(constant) if isinstance(constant, Add) and constant.has(TrigonometricFunction) else constant


class Algebra(Coefficients):
    """Arithmetic with `Laurent`s over one field, to one width; `vanishing`: constants that are known to be zero.

    >>> ring = Algebra(Field.of([]), width=Fraction(3))
    >>> y = ring.monomial(1)
    >>> found = ring.power(ring.add(ring.constant(Rational(1)), y), Fraction(-1))
    >>> found.order, [int(value) for value in found.values]
    (Fraction(0, 1), [1, -1, 1])
    """

    def __init__(self, field: Field, width: Fraction, vanishing: Sequence[Expr] = ()):
        super().__init__(field, vanishing)
        self.width = width

    def constant(self, constant: Expr) -> Laurent:
        """A constant as an exact series."""
        return self.term(self.number(constant))

    def term(self, element, order: Fraction = Fraction(0)) -> Laurent:
        """element * y^order, exactly."""
        return ZERO if self.is_zero(element) else Laurent(order, Fraction(0), [element])

    def monomial(self, order) -> Laurent:
        """y^order, exactly."""
        return Laurent(Fraction(order), Fraction(0), [self.one])

    def lead(self, f: Laurent):
        """The leading coefficient; `Short` when it is not known."""
        if f.is_exact_zero:
            raise Refusal("it is exactly zero where its size matters")
        if not f.values:
            raise Short
        return f.values[0]

    def sign(self, f: Laurent) -> int:
        """The sign for small y: 0 for exact zero."""
        if f.is_exact_zero:
            return 0
        return self.sign_of(self.lead(f))

    def unit(self, f: Laurent) -> list:
        """The values divided by the leading one."""
        lead = self.lead(f)
        return [self.one, *(f.values if lead == self.one else self.scaled(f, self.inverse(lead)).values)[1:]]

    def add(self, f: Laurent, g: Laurent) -> Laurent:
        if f.is_exact_zero or g.is_exact_zero:
            return g if f.is_exact_zero else f
        order, step = min(f.order, g.order), common(f.step, g.step, f.order - g.order)
        if not step:
            return self.term(f.values[0] + g.values[0], order)
        count = ceil((min(f.end, g.end, order + self.width) - order) / step)
        one, two = (h.spread(step, count, self.zero, order) for h in (f, g))
        return self.stripped(Laurent(order, step, [a + b for a, b in zip(one, two, strict=True)]))

    def stripped(self, f: Laurent) -> Laurent:
        """Without leading zeros."""
        first = 0
        while first < len(f.values) and self.is_zero(f.values[first]):
            first += 1
        return Laurent(f.order + first * f.step, f.step, f.values[first:]) if first else f

    def scaled(self, f: Laurent, element) -> Laurent:
        """element * f for an element that is not zero."""
        return f if element == self.one else Laurent(f.order, f.step, [element * value for value in f.values])

    def negative(self, f: Laurent) -> Laurent:
        return Laurent(f.order, f.step, [-value for value in f.values])

    def multiply(self, f: Laurent, g: Laurent) -> Laurent:
        if f.is_exact_zero or g.is_exact_zero:
            return ZERO
        for one, two in ((f, g), (g, f)):
            if not one.step:
                return self.scaled(Laurent(one.order + two.order, two.step, two.values), one.values[0])
        step = common(f.step, g.step)
        count = ceil(min(f.width, g.width, self.width) / step)
        if not count:
            return Laurent(f.order + g.order, step, [])
        one, two = (h.spread(step, count, self.zero) for h in (f, g))
        values = fraction_free(lambda a, b: product(a, b, count), one, two, product=True)
        return Laurent(f.order + g.order, step, values)

    def power(self, f: Laurent, exponent: Fraction) -> Laurent:
        """f^exponent for any rational exponent."""
        if f.is_exact_zero and exponent > 0:
            return ZERO
        if f.is_exact_zero:
            raise Refusal("it divides by exactly zero")
        if exponent == 2:
            return self.multiply(f, f)
        lead = self._lead_power(f, exponent)
        if not f.step:
            return Laurent(f.order * exponent, f.step, [lead])
        rational = QQ(exponent.numerator, exponent.denominator)
        values = fraction_free(lambda a: power(a, rational, len(a)), self.unit(f))
        return self.scaled(Laurent(f.order * exponent, f.step, values), lead)

    def general_power(self, f: Laurent, exponent: Expr) -> Laurent:
        """f^exponent for any constant exponent, f tending to a positive number."""
        head = self.positive(self.lead(f), f"the power {exponent}") ** exponent
        if f.order:
            raise Refusal(f"the exponent {exponent} is not a rational number")
        if not f.step:
            return self.constant(head)
        unit, weight = self.unit(f), [self.number(exponent)]
        values = fraction_free(lambda a, e: power(a, e[0], len(a)), unit, weight)
        return self.scaled(Laurent(f.order, f.step, values), self.number(head))

    def _lead_power(self, f: Laurent, exponent: Fraction):
        lead = self.lead(f)
        if lead == self.one:
            return lead
        if exponent.denominator == 1:
            return lead**exponent.numerator if exponent >= 0 else self.inverse(lead) ** -exponent.numerator
        root = self.positive(lead, f"the power {exponent}")
        return self.number(root ** Rational(exponent.numerator, exponent.denominator))

    def derivative(self, f: Laurent) -> Laurent:
        """y f', with the same powers as f but for the constant term."""
        values = [self._fraction(f.order + k * f.step) * value for k, value in enumerate(f.values)]
        if not f.step:
            return self.term(values[0], f.order) if values else ZERO
        first = next((k for k, value in enumerate(values) if value), len(values))
        return Laurent(f.order + first * f.step, f.step, values[first:])

    def integral(self, f: Laurent) -> Laurent:
        """The integral of f/y from 0, where f tends to 0."""
        if f.is_exact_zero:
            return ZERO
        if f.order <= 0:
            self.lead(f)
            raise Refusal("its slope is not integrable there")
        weights = (self._fraction(1 / (f.order + k * f.step)) for k in range(len(f.values)))
        return Laurent(f.order, f.step, [w * value for w, value in zip(weights, f.values, strict=True)])

    def _fraction(self, fraction: Fraction):
        return self.field.domain.convert_from(QQ(fraction.numerator, fraction.denominator), QQ)


# ---- exp, sin, cos, tan, LambertW of a series u (u_0 = 0), by their differential equations -------
#
#     exp            D b = b D u                                  D = t d/dt,  k b_k = sum_j j u_j b_(k-j)
#     sin, cos       D s = c D u,  D c = -s D u                   sinh, cosh: with + for -
#     tan and like   D b = (slope + square b^2) D u               tan 1, 1;  tanh 1, -1;  cot -1, -1
#     LambertW       b exp(b) = a:  b = a e,  D e = -e D b        two linear equations for b_k and e_k


def exponential(u: Sequence, n: int) -> list:
    """exp(u).

    >>> from fractions import Fraction
    >>> exponential([Fraction(0), Fraction(1)], 4) == [1, 1, Fraction(1, 2), Fraction(1, 6)]
    True
    """
    terms, zero = slopes(u), u[0]
    values = [1 + zero]
    for k in range(1, n):
        values.append(convolved(terms, values, k, zero) / k)
    return values[:n]


def odd_and_even(u: Sequence, n: int, square: int) -> tuple[list, list]:
    """(sin(u), cos(u)) for square = -1, (sinh(u), cosh(u)) for square = 1.

    >>> from fractions import Fraction
    >>> [float(c) for c in odd_and_even([Fraction(0), Fraction(1)], 4, 1)[1]]
    [1.0, 0.0, 0.5, 0.0]
    """
    terms, zero = slopes(u), u[0]
    odd, even = [zero], [1 + zero]
    for k in range(1, n):
        slope = convolved(terms, odd, k, zero)
        odd.append(convolved(terms, even, k, zero) / k)
        even.append((slope if square > 0 else -slope) / k)
    return odd[:n], even[:n]


def tangent(u: Sequence, start, n: int, slope: int, square: int) -> list:
    """The solution of D b = (slope + square b^2) D u with b_0 = start.

    >>> from fractions import Fraction
    >>> [str(c) for c in tangent([Fraction(0), Fraction(1)], Fraction(0), 6, 1, 1)]
    ['0', '1', '0', '1/3', '0', '2/15']
    """
    terms, zero = slopes(u), u[0]
    values, right = [start], [slope + square * start * start]
    for k in range(1, n):
        values.append(convolved(terms, right, k, zero) / k)
        pairs = sum((values[i] * values[k - i] for i in range(1, k) if values[i]), zero)
        right.append(square * (2 * start * values[k] + pairs))
    return values[:n]


def lambert(a: Sequence, start, decay, slowing, n: int) -> list:
    """LambertW(a), with start = W(a_0), decay = exp(-W(a_0)) and slowing = 1/(1 + W(a_0)).

    >>> from fractions import Fraction
    >>> [str(c) for c in lambert([Fraction(0), Fraction(1)], Fraction(0), Fraction(1), Fraction(1), 4)]
    ['0', '1', '-1', '3/2']
    """
    zero, plain = a[0] * 0, [(j, value) for j, value in enumerate(a) if value and j]
    values, decays = [start], [decay]
    for k in range(1, n):
        rest = sum((i * values[i] * decays[k - i] for i in range(1, k) if values[i]), zero) / k
        values.append((convolved(plain, decays, k, zero) - a[0] * rest) * slowing)
        decays.append(-values[k] * decay - rest)
    return values[:n]


def slopes(u: Sequence) -> list[tuple]:
    """The terms (j, j u_j) of D u that are not zero."""
    return [(j, j * value) for j, value in enumerate(u) if value]


def convolved(terms: Sequence, series: Sequence, k: int, zero):
    """The k-th coefficient of the product of a sparse series and one known up to k - 1 or k.

    >>> convolved([(1, 5)], [7, 8], 1, 0)
    35
    """
    total = zero
    for j, weight in terms:
        if j > k:
            break
        if series[k - j]:
            total = total + weight * series[k - j]
    return total
