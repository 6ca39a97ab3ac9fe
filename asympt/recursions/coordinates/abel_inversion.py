"""From the Abel function to the law: invert A(t_l) = l + C as a log-power series in the depth l; C stays symbolic.

With A = alpha t^(-m) + sum_(k>-m) alpha_k t^k + rho log t put s = (alpha/l)^(1/m), w = (t/s)^(-m), b_j =
alpha_(j-m)/alpha, r = rho/alpha and X = (C - rho log s)/alpha, in which every logarithm of l has its place:

    w = 1 + s^m (X + (r/m) log w) - sum_(j>=1) b_j s^j w^(1 - j/m)            (`inverse`)
    t^o log(t)^i = s^o w^(-o/m) (log s - (log w)/m)^i                         (`composed`)

The coefficient of s^n on the right contains w_0, ..., w_(n-1) only; that of log(l)^j is a j-th derivative at X without
log l.  The recurrences commute with s -> d s, and d is chosen such that they run over polynomials (`InversionRing`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil

from sympy import EX, QQ, Dummy, Expr, Rational, Symbol
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.expansion import expanded
from asympt.expansions.fields.field import Field
from asympt.expansions.scale import Remainder, widened
from asympt.expansions.series import dot, logarithm, power, product
from asympt.parsing import as_sympy
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction
from asympt.symbols import Reserved

CONNECTION, SECOND = Reserved("C", real=True), Reserved("D", real=True)  # in a derivation; `Law` gives them their names
C, D = CONNECTION.public(), SECOND.public()  # as laws have them, unless a parameter is called so
FRUITLESS = 4  # powers of the depth that are tried beyond one for each requested term

Observe = Callable[[Expansion, int], Expansion]


class TooFewOrders(UnsupportedError):
    """The Abel function is not known to enough orders for the requested terms; more of them will do."""


def depth_law(abel: AbelFunction, depth: Symbol, terms: int, observe: Observe) -> Expansion:
    """`observe(t, order)` at t = t_l as an expansion with exactly `terms` terms and the next one as its remainder.

    `observe` is given t as an expansion in t itself, with what is known of it when A is known to O(t^order).
    A law that ends, as 1/x_n = n + C does for x/(1+x), has fewer terms.
    """
    known = int(abel.expansion.remainder.monomial.order)
    most = abel.multiplicity * (terms + FRUITLESS)
    order = min(known, most)
    law = at_depth(abel, observe(uniformiser(abel, order), order), depth, terms + 1)
    if len(law.terms) <= terms and known < most:
        raise TooFewOrders(f"{terms} terms need more of the Abel function than its {known} orders; derive it further")
    return law.truncate(terms)


def power_of(root: int) -> Observe:
    """The observable x = t^root."""
    return lambda t, order: t.power(root)


def linear_value(particular: Expansion, homogeneous: Expansion | None, m: int) -> Observe:
    """The observable P(t) + D H(t), as far as the orders of t support it (A known to t^order: t to t^(order+m+1))."""

    def observe(t: Expansion, order: int) -> Expansion:
        value = particular.up_to(Monomial(order)).compose(t)
        if homogeneous is None:
            return value
        rest = Monomial(homogeneous.leading[0].order + m + order)
        return value + homogeneous.up_to(rest).compose(t) * SECOND

    return observe


def uniformiser(abel: AbelFunction, order: int) -> Expansion:
    """t = t, up to what the terms of A from t^order on change in t_l."""
    rest = widened(abel.expansion.remainder, Monomial(order + abel.multiplicity + 1))
    return Expansion.build(AT_FIXED_POINT, {(1, 0): 1}, rest)


def at_depth(abel: AbelFunction, quantity: Expansion, depth: Symbol, terms: int | None = None) -> Expansion:
    """`quantity`, an expansion in t, at t = t_l: its first `terms` terms, or all that its remainder leaves."""
    if not quantity.terms:
        return Expansion.build(Scale.at_infinity(depth), {}, _rest(abel, quantity))
    whole = int((quantity.remainder.monomial.order - quantity.leading[0].order) // 1) + 1
    orders = whole if terms is None else min(whole, _first_guess(abel, terms))
    while True:
        law = Inversion(abel, quantity, orders).law(depth, terms)
        if orders == whole or len(law.terms) == terms:
            return law
        orders = min(whole, orders + abel.multiplicity)


def _first_guess(abel: AbelFunction, terms: int) -> int:
    """So many powers of s have that many terms, if none is zero: the k-th has log(l)^j for j <= k/m."""
    found = orders = 0
    while found < terms:
        found, orders = found + (1 + orders // abel.multiplicity if abel.residue else 1), orders + 1
    return orders


def _rest(abel: AbelFunction, quantity: Expansion) -> Remainder:
    """The remainder of `quantity` in the depth."""
    rest = quantity.remainder.monomial
    return widened(quantity.remainder, Monomial(rest.order / abel.multiplicity, rest.logs))


class Inversion:
    """`quantity` at t_l to so many powers of s.

    `found`: {q: the coefficient of s^q}, polynomials in X and log s;  `unit`: u, that is s at l = 1.
    """

    def __init__(self, abel: AbelFunction, quantity: Expansion, orders: int):
        self.m, self.lead, self.rest = abel.multiplicity, abel.expansion.leading[1], _rest(abel, quantity)
        self.first, known = quantity.leading[0].order, abel.expansion.coefficients
        lower = [(j, known.get(Monomial(j - self.m), 0) / self.lead) for j in range(1, orders)]
        speeds = [(self.m, abel.residue / self.lead), (self.m, 1 / self.lead)]
        terms = {(n.order, n.logs): c for n, c in quantity.terms if n.order < self.first + orders}
        self.ring = InversionRing([*lower, *speeds], [(self._place(order), c) for (order, _), c in terms.items()])
        *lower, self.residue, self.inverse_lead = self.ring.moving
        w = inverse([self.ring.one, *lower], self.residue, self.ring.x, self.m, orders, QQ)
        observed = dict(zip(terms, self.ring.observed, strict=True))
        self.found = composed(observed, w, self.m, self.ring.log_unit, QQ)
        self.unit = expanded((1 / self.lead) ** Rational(-1, self.m))
        self.values = {X: CONNECTION, LOG_UNIT: Expansion.constant(AT_FIXED_POINT, self.unit).log().coefficient(0)}

    def _place(self, order: Rational) -> int:
        return int(order // 1 - self.first // 1)

    def law(self, depth: Symbol, terms: int | None) -> Expansion:
        """The first `terms` terms, or all."""
        visible = ((monomial, part) for monomial, part in self._descending() if monomial > self.rest.monomial)
        constants = ((monomial, self._constant(monomial.order * self.m, part)) for monomial, part in visible)
        kept = islice(((monomial, constant) for monomial, constant in constants if constant != 0), terms)
        return Expansion.build(Scale.at_infinity(depth), dict(kept), self.rest)

    def _descending(self) -> Iterator[tuple[Monomial, PolyElement]]:
        """The monomials l^(-q/m) log(l)^j, largest first, with their coefficients."""
        for order, element in self.found.items():
            taylor = [element]
            while moved := self._by_log(taylor[-1]):
                taylor.append(moved / len(taylor))
            for logs, part in reversed(list(enumerate(taylor))):
                if part:
                    yield Monomial(Rational(order) / self.m, logs), part

    def _by_log(self, element: PolyElement) -> PolyElement:
        """The derivative by log l: that of log s is -1/m, that of X is rho/(alpha m)."""
        ring, share = self.ring, QQ(1, self.m)
        return (self.residue * element.diff(ring.x) - element.diff(ring.log_unit)) * share

    def _constant(self, order: Rational, part: PolyElement) -> Expr:
        """A coefficient of s^order without log l, as that of l^(-order/m): s^m = alpha/l, X = (C - rho log u)/alpha."""
        ring, whole = self.ring, int(order // self.m)
        above = replaced(part, ring.x, self.inverse_lead * ring.x - self.residue * ring.log_unit)
        above, below = above * self.inverse_lead ** max(0, -whole), self.inverse_lead ** max(0, whole)
        constant = ring.leave(above, below, self._place(order) - self.m * whole, self.values)
        return expanded(constant * self.unit ** (order - self.m * whole))


def replaced(element: PolyElement, generator: PolyElement, value: PolyElement) -> PolyElement:
    """The polynomial with `value` for the generator, by Horner's rule."""
    ring, place = element.ring, element.ring.gens.index(generator)
    result, parts = ring.zero, {}
    for powers, coefficient in element.terms():
        rest = (*powers[:place], 0, *powers[place + 1 :])
        parts.setdefault(powers[place], {})[rest] = coefficient
    for degree in range(max(parts, default=0), -1, -1):
        result = result * value + ring.from_dict(parts.get(degree, {}))
    return result


def inverse(lower: Sequence, residue, shift, m: int, count: int, exact=Fraction) -> list:
    """w_0, ..., w_(count-1) from b_0 = 1, b_1, ... (missing ones are 0), r and X; `exact(p, q)`: p/q in the ring.

    >>> from sympy import Symbol, expand
    >>> [expand(c) for c in inverse([1], 1, Symbol("X"), m=1, count=4, exact=Rational)]
    [1, X, X, -X**2/2 + X]
    """
    one, zero, share = lower[0], lower[0] * 0, exact(1, m)
    w, log = [one], [zero]
    powers = {j: (b, 1 - j * share, [one]) for j, b in enumerate(lower[:count]) if j and b}
    for n in range(1, count):
        value = zero + shift if n == m else zero
        if n > m and residue:
            value = value + residue * log[n - m] * share
        for j, (b, _, known) in powers.items():
            if j <= n and known[n - j]:
                value = value - b * known[n - j]
        w.append(value)
        log.append(_next_of_logarithm(w, log))
        for j, (_, exponent, known) in powers.items():
            if n + j < count:
                known.append(_next_of_power(w, exponent, known))
    return w


def _next_of_power(a: Sequence, exponent, b: Sequence):
    """The coefficient of a^exponent that follows b_0, ..., b_(k-1) (a_0 = 1): Miller's rule, see `series`."""
    k = len(b)
    weighted = [a[i] * ((exponent + 1) * i - k) for i in range(1, k + 1)]
    return dot(weighted, b[::-1], a[0] * 0) / k


def _next_of_logarithm(a: Sequence, b: Sequence):
    """The coefficient of log a that follows b_0, ..., b_(k-1) (a_0 = 1)."""
    k = len(b)
    weighted = [b[i] * i for i in range(1, k)]
    return a[k] - dot(weighted, a[1:k][::-1], a[0] * 0) / k


def composed(terms: Mapping, w: Sequence, m: int, log_unit, exact=Fraction) -> dict:
    """{q: the coefficient of s^q} of the sum of f t^o log(t)^i, `terms` being {(o, i): f}; `log_unit` is log s.

    As many coefficients as w has, from the smallest o on; q - o is a whole number for one of the o.

    >>> composed({(-1, 0): Fraction(2)}, [Fraction(1), Fraction(5)], m=1, log_unit=0)
    {-1: Fraction(2, 1), 0: Fraction(10, 1)}
    """
    first, share, found = min(order for order, _ in terms), exact(1, m), {}
    log = [log_unit + 0 * w[0], *(c * -share for c in logarithm(w, len(w))[1:])]
    for (order, logs), factor in terms.items():
        reach = ceil(len(w) - (order - first))
        exponent = Rational(-order) / m
        series = power(w, exact(int(exponent.p), int(exponent.q)), reach)
        for _ in range(logs):
            series = product(series, log, reach)
        for k, value in enumerate(series):
            found[order + k] = found.get(order + k, 0 * w[0]) + factor * value
    return dict(sorted(found.items()))


X, LOG_UNIT = Dummy("X"), Dummy("log_unit")


class InversionRing:
    """Polynomials in `x`, `log_unit` and whatever the given constants need.

    `moving`, `observed`: given as pairs (k, constant), where d^k times the constant is to be a polynomial (k > 0; for
    `observed`, k = 0 or more, with a common denominator in front); kept as these polynomials.

    >>> from sympy import Symbol
    >>> a = Symbol("a")
    >>> ring = InversionRing(moving=[(1, 1 / a), (2, 1 / a**3)], observed=[(0, 1 / a)])
    >>> ring.moving, ring.observed, ring.leave(ring.moving[1] * ring.observed[0], ring.one, 2, {})
    ([a, a], [1], a**(-4))
    """

    def __init__(self, moving: Iterable[tuple[int, Expr]], observed: Iterable[tuple[int, Expr]]):
        moving, observed = ([(k, as_sympy(c)) for k, c in pairs] for pairs in (moving, observed))
        self._named, field = _field_of([c for _, c in moving + observed])
        self.x, self.log_unit = (_parts(generator)[0] for generator in field.enter([X, LOG_UNIT]))
        moving, observed = (
            [(k, *_parts(*field.enter([c.xreplace(self._named)]))) for k, c in pairs] for pairs in (moving, observed)
        )
        self.one = self.x.ring.one
        self._front = _multiple(self.one, [below for k, _, below in observed if not k])
        self._scale = _scale(self.one, moving, self._front, observed)
        self.moving = [above * (self._scale**k).exquo(below) for k, above, below in moving]
        self.observed = [above * (self._front * self._scale**k).exquo(below) for k, above, below in observed]

    def leave(self, above: PolyElement, below: PolyElement, power: int, values: Mapping[Expr, Expr]) -> Expr:
        """above/below/d^power, without the denominator in front, expanded, with `values` put in for generators."""
        above, below = above * self._scale ** max(0, -power), self._front * below * self._scale ** max(0, power)
        if len(below) > 1:
            above, below = above.cancel(below)
        known = {dummy: constant for constant, dummy in self._named.items()} | values
        symbols = [known.get(symbol, symbol) for symbol in self.one.ring.symbols]
        return expanded(above.quo_ground(below.LC).as_expr(*symbols) / below.monic().as_expr(*symbols))


def _field_of(constants: list[Expr]) -> tuple[dict[Expr, Dummy], Field]:
    """The field of the constants, X and LOG_UNIT; names for the constants where there is none but for names."""
    field = Field.of([X, LOG_UNIT, *constants])
    if field.domain is not EX:
        return {}, field
    named = {c: Dummy("constant") for c in constants if not c.is_Rational}
    return named, Field.of([X, LOG_UNIT, *named.values()])


def _parts(element) -> tuple[PolyElement, PolyElement]:
    if isinstance(element, FracElement):
        return element.numer, element.denom
    return element, element.ring.one


def _multiple(multiple: PolyElement, parts: Iterable[PolyElement]) -> PolyElement:
    for part in parts:
        multiple = multiple * part.exquo(part.gcd(multiple))
    return multiple


def _scale(one: PolyElement, moving: Iterable, front: PolyElement, observed: Iterable) -> PolyElement:
    """d: some polynomial of which high enough powers are multiples of all the denominators."""
    scale = one
    for head, pairs in ((one, moving), (front, observed)):
        for k, _, below in pairs:
            while (multiple := head * scale**k) % below:
                scale = scale * below.exquo(below.gcd(multiple))
    return scale
