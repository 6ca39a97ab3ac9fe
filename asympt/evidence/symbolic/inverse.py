"""The law of a function of x_l: the coordinate inverted once more, by other means, and the function expanded along it.

Write t = a u^v s, s = 1 + ...; u = l^(-1/q), w = log l, or u = chi^(n/q).  Then A(t) = l + C and T(t) = clock(l) + C,
both N(t) = X with X = x l^e (1 + surplus), and S(t) = C chi^n read

    s^(-m) = 1 + surplus - (sum_(k > -m) nu_k t^k + rho log t)/(x l^e)        a = (nu_(-m)/x)^(1/m)

(for S: m = -root, x = C, chi^n in the place of l^e), solved by iteration: every round fixes at least one more power of
u.

Tiny case.  A = 1/t, f = x^2:  s = 1/(1 + C u), f = u^2 s^2 = 1/l^2 - 2 C/l^3 + ...
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from sympy import Expr, Integer, Rational, ceiling, expand, ilcm, log

from asympt.evidence.check import Check
from asympt.evidence.law_terms import changes_sides, rest_of
from asympt.evidence.symbolic.defect import EXACT
from asympt.evidence.symbolic.series import FlowTimeShift, T, laurent
from asympt.evidence.symbolic.zero import Contradiction, DepthRing, Left, U, W, left_check, zero_by

NAME = "${}$ inverted again, with the function expanded along it, gives the law"
DETAIL = "symbolic: coefficient by coefficient, the constants' own terms included"


def observable_check(law) -> Check:
    """The printed law of f(x_l) against f along the inverse; for an orbit that changes sides on both of them."""
    if law.koenigs is not None:
        return left_check(NAME.format("S"), DETAIL, lambda: _observed(law, law.expansion, 1, koenigs_inverse(law)))

    def find() -> Left:
        left = _observed(law, law.expansion, 1, abel_inverse(law, 1))
        return left + _observed(law, law.odd, -1, abel_inverse(law, -1)) if changes_sides(law) else left

    return left_check(NAME.format("A"), DETAIL, find)


def _observed(law, expansion, side: int, inverse) -> Left:
    """Terms of f - E that exceed the remainder, with t of the given sign."""
    return along_inverse(expansion, Function.observed(law, side, rest_of(expansion).order / inverse.rate), inverse)


@dataclass(frozen=True)
class Function:
    """f = sum_j (plain[j] + with_log[j] log t) tau^(first + j), tau = |t|^(1/root)."""

    root: int
    first: int
    plain: list
    with_log: list

    @classmethod
    def observed(cls, law, side: int, last) -> "Function":
        """f along the orbit as a series in |t|, up to |t|^last."""
        observable, distance = law.observable, side * T**law.dynamics.root
        fixed = observable.fixed
        x = fixed.sign / distance if fixed.at_infinity else fixed.point + fixed.sign * distance
        root, first, known = laurent(observable.expression.subs(observable.symbol, x), int(ceiling(last)))
        return cls(root, first, known, [])

    @classmethod
    def of(cls, terms: dict, last: int) -> "Function":
        """From {(power of t, logs): coefficient}, up to t^last."""
        first = min(power for power, _ in terms)
        rows = ([terms.get((k, j), Integer(0)) for k in range(first, last + 1)] for j in (0, 1))
        return cls(1, first, *rows)


def along_inverse(expansion, function: Function, inverse, divisor: tuple = ()) -> Left:
    """Terms of f/X - E that exceed the remainder of the printed E.

    `divisor`: what X is divided by x l^e, less 1, as (order, logs, coefficient); nothing for f itself.
    """
    rest, lost = rest_of(expansion), inverse.order if divisor else Integer(0)
    rate, orders = inverse.rate / function.root, [rest.order, *(m.order for m, _ in expansion.terms)]
    q = int(ilcm(rate.q, inverse.order.q, *(k.q for k in orders), *(k.q for k, _, _ in (*divisor, *inverse.surplus))))
    step, drop, allowed = int(rate * q), int(lost * q), int(rest.order * q)
    bias = max(0, -function.first * step, *(int(-m.order * q) for m, _ in expansion.terms))
    precision = allowed + bias + 1
    size, unit = precision // step + 1, inverse.size ** Rational(1, function.root)
    rows = [[expand(c * unit ** (function.first + j), log=False) for j, c in enumerate(row[:size])]
            for row in (function.plain, function.with_log)]  # fmt: skip
    printed = in_powers(((m.order, m.logs, c) for m, c in expansion.terms), q, bias)
    extra = [printed, in_powers(divisor, q), inverse.lead if divisor else Integer(1), *chain(*rows)]
    ring = DepthRing([*extra, *inverse.constants(q)], precision, q)
    known, (plain, with_log) = ring.elements[len(extra) :], map(len, rows)
    shape, logarithm = inverse.shape(ring, known)
    t = ring.times(ring.u**step, ring.root(shape, Rational(1, function.root)))
    total = ring.horner(ring.elements[3 : 3 + plain], t)
    total = total + ring.times(ring.horner(ring.elements[3 + plain : 3 + plain + with_log], t), logarithm)
    total = ring.times(total, ring.root(shape, Rational(function.first, function.root)))
    total = ring.times(total, ring.root(1 + ring.elements[1], -1)) if divisor else total
    total = ring.times(total, ring.u ** (bias + function.first * step + drop))
    return ring.left(total - ring.times(ring.elements[0], ring.elements[2]), allowed, rest.logs, bias)


def in_powers(terms: Iterable[tuple], q: int, bias: int = 0) -> Expr:
    """u^bias times the sum of c l^(-order) log(l)^j in u = l^(-1/q) and w."""
    return sum((c * U ** (order * q + bias) * W**j for order, j, c in terms), Integer(0))


def quotient_check(law) -> Check:
    """(P + D h)/(clock + s_0), or P + D h where a law has no s_0, along the inverse of the flow time, T = clock + C."""
    return left_check(NAME.format("T"), EXACT, lambda: _quotient_left(law, FlowTimeShift.of(law)))


def _quotient_left(law, flow: FlowTimeShift) -> Left:
    """Terms of (P + D h)/(clock + s_0) - E above the remainder."""
    (order, _, lead), *later = flow.clock()
    last = int(ceiling((rest_of(law.expansion).order - 2 * order) * flow.excess / -order)) + 1
    (power, _), nu = (time := flow.time(last)).terms[0]
    after = [(k - order, j, c / lead) for k, j, c in later]
    surplus, divisor = (
        () if end is None else (*after, (-order, 0, end / lead))
        for end in (law.constant_symbols["C"], law.coordinate.diagonal)
    )
    known = tuple((m.order, m.logs, c) for m, c in time.terms[1:])
    found: dict = {}
    for expansion, weight in ((law.linear.particular, 1), (law.linear.homogeneous, law.constant_symbols["D"])):
        for m, c in expansion.terms:
            key = int(m.order), m.logs
            found[key] = found.get(key, Integer(0)) + weight * c
    inverse = Inverse(-power, nu, known, lead, -order, surplus)
    return along_inverse(law.expansion, Function.of(found, last), inverse, divisor)


@dataclass(frozen=True)
class Inverse:
    """t with nu t^(-m) + sum of (power, logs, coefficient) = lead l^order (1 + surplus)."""

    period: int
    nu: Expr
    terms: tuple
    lead: Expr
    order: Rational
    surplus: tuple

    @property
    def size(self) -> Expr:
        """a = (nu/lead)^(1/m)."""
        size = self.nu / self.lead if self.period > 0 else self.lead / self.nu  # C^(1/root) for S
        return size ** Rational(1, abs(self.period))

    @property
    def rate(self) -> Rational:
        """The power of 1/l with which t falls."""
        return self.order / self.period

    def constants(self, q: int) -> list[Expr]:
        """What the ring must hold: the surplus, log a - rate log l, and the coefficients in units of a."""
        values = [expand(c * self.size**k / self.lead, log=False) for k, _, c in self.terms]
        return [in_powers(self.surplus, q), log(self.size) - W * self.rate, *values]

    def shape(self, ring: DepthRing, elements: list) -> tuple:
        """(s, log t), s by iteration from 1."""
        surplus, logarithm, *values = elements
        shape, valuation, lost = ring.ring.one, int(self.rate * ring.q), int(self.order * ring.q)
        for _ in range(ring.precision + 1):
            inner, total = logarithm + ring.log(shape), surplus
            for (power, logs, _), value in zip(self.terms, values, strict=True):
                if lost + power * valuation < ring.precision:
                    term = ring.times(ring.times(value, ring.root(shape, power)), ring.u ** (lost + power * valuation))
                    total = total - (ring.times(term, inner) if logs else term)
            before, shape = shape, ring.root(1 + total, Rational(-1, self.period))
            if shape == before:
                break
        return shape, logarithm + ring.log(shape)


def abel_inverse(law, side: int) -> Inverse:
    """A(t) = l + C; on the side -1 the odd powers of t change their signs."""
    terms = tuple((int(m.order), m.logs, c * Integer(side) ** int(m.order)) for m, c in law.abel.expansion.terms)
    power, logs, lead = terms[0]
    if power >= 0 or logs or lead.is_negative:
        raise Contradiction(lead * U**power, f"A = {law.abel.expansion} does not grow like a power of 1/t")
    surplus = ((Integer(1), 0, law.constant_symbols["C"]),)
    return Inverse(-power, lead, terms[1:], Integer(1), Integer(1), surplus)


def koenigs_inverse(law) -> Inverse:
    """S(t) = C chi^n, as t^root + ... = C u^(-order), of a law in powers of S's multiplier."""
    if zero_by(law.expansion.scale.base - law.koenigs.multiplier) is None:
        raise Contradiction(law.koenigs.multiplier, f"the law is in powers of {law.expansion.scale.base}")
    root, koenigs = law.dynamics.root, law.koenigs.expansion
    row = {int(m.order): c for m, c in koenigs.terms}
    if min(row) != root or zero_by(row.pop(root) - 1) is None:
        raise Contradiction(koenigs.leading[1], f"S = {koenigs} does not start with y")
    terms = tuple((k, 0, c) for k, c in row.items())
    return Inverse(-root, Integer(1), terms, law.constant_symbols["C"], Integer(-1), ())
