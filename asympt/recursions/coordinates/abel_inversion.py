"""From the Abel function to the law: invert A(t_l) = l + C as a log-power series in the depth l.

Problem.  A(t) = alpha t^(-m) + ... + rho log t + ... = l + C.  Find t, and any function of t, for large l.

Rule.  Any function of t is first expanded at t = 0, then along the inverse of A as a power series in
s = (alpha/l)^(1/m) (`inversion_series`), over a ring of polynomials.  Its coefficients contain
log l only by way of

    X = (C - rho log s)/alpha,    log s = log(alpha)/m - log(l)/m,

so the coefficient of log(l)^j is a j-th derivative at X without log l.  How many powers of s are needed for n terms is
found by asking for more until n + 1 terms are there: the (n+1)-st is the remainder that the law states.

Tiny case.  A = 1/t + log t:  1/t = l + C - log t = l + log l + C + ..., so t = 1/l - log(l)/l^2 - C/l^2 + ...

Known limits.  The scale is l^(-a) (log l)^b; C stays symbolic.
"""

from collections.abc import Callable, Iterator
from itertools import islice

from sympy import QQ, Expr, Rational, Symbol
from sympy.polys.rings import PolyElement

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.expansion import expanded
from asympt.expansions.remainder import Remainder, widened
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction
from asympt.recursions.coordinates.inversion_series import LOG_UNIT, InversionRing, X, composed, inverse
from asympt.symbols import Reserved

CONNECTION, SECOND = Reserved("C", real=True), Reserved("D", real=True)  # in a derivation; `Law` gives them their names
C, D = CONNECTION.public(), SECOND.public()  # as laws have them, unless a parameter is called so
FRUITLESS = 4  # powers of the depth looked at beyond one for each term asked

Observe = Callable[[Expansion, int], Expansion]


class TooFewOrders(UnsupportedError):
    """The Abel function is not known to enough orders for the terms asked; more of them will do."""


# ---- what is asked for ----------------------------------------------------------------------------------------------


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


# ---- how it is found ------------------------------------------------------------------------------------------------


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
