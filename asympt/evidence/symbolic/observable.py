"""The law of a function of x_l: the coordinate inverted once more, by other means, and the function expanded along it.

Problem.  The law of f(x_l) does not show x_l, so it cannot be put into the recursion.  Is it what A (or S) implies?

Rule.  Write t = a u^v s, s = 1 + ...; u = l^(-1/q), w = log l, or u = chi^(n/q).  Then A(t) = l + C and S(t) = C chi^n
read

    s^(-m) = 1 + u^q (C - sum_(k > -m) alpha_k t^k - rho log t)        a = alpha_(-m)^(1/m)
    s^(-root) = 1 + sum_(k > root) s_k t^(k - root)                    a = C^(1/root)

and are solved in the ring of `ring` by iteration: every round fixes at least one more power of u.  SymPy's series of
f(x* + s y) in t, put along this t, must agree with the printed law in every term above its remainder.

Tiny case.  A = 1/t, f = x^2:  s = 1/(1 + C u), f = u^2 s^2 = 1/l^2 - 2 C/l^3 + ...

Known limits.  A and S are taken as printed; `functional` and `constancy` measure them.  f must have a series in a root
of t.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Rational, ceiling, expand, ilcm, log

from asympt.evidence.check import Check
from asympt.evidence.reading import changes_sides, rest_of
from asympt.evidence.symbolic.ring import DepthRing, U, W
from asympt.evidence.symbolic.series import T, laurent
from asympt.evidence.symbolic.zero import Contradiction, Left, left_check, zero_by

NAME = "{} inverted once more, and the function expanded along it, gives the printed law"
DETAIL = "symbolic: coefficient by coefficient, the constants' own terms included"


def observable_check(law) -> Check:
    """The printed law of f(x_l) against f along the inverse; for an orbit that changes sides on both of them."""
    if law.koenigs is not None:
        return left_check(NAME.format("S"), DETAIL, lambda: _left(law, law.expansion, 1, KoenigsInverse.of(law)))

    def find() -> Left:
        left = _left(law, law.expansion, 1, AbelInverse.of(law, 1))
        return left + _left(law, law.odd, -1, AbelInverse.of(law, -1)) if changes_sides(law) else left

    return left_check(NAME.format("A"), DETAIL, find)


@dataclass(frozen=True)
class Function:
    """f = sum_j coefficients[j] tau^(first + j), tau = |t|^(1/share)."""

    share: int
    first: int
    coefficients: list

    @classmethod
    def of(cls, law, side: int, last: int) -> "Function":
        """f along the orbit as a series in |t|, up to |t|^last."""
        view, distance = law.view, side * T**law.dynamics.root
        place = view.place
        x = place.sign / distance if place.at_infinity else place.point + place.sign * distance
        return cls(*laurent(view.expression.subs(view.symbol, x), last))


def _left(law, expansion, side: int, inverse) -> Left:
    """Terms of f - E that exceed the remainder of the printed E, with t of the given sign."""
    rest = rest_of(expansion)
    function = Function.of(law, side, int(ceiling(rest.order * inverse.period)))
    q = int(ilcm(inverse.period * function.share, rest.order.q, *[m.order.q for m, _ in expansion.terms]))
    step = q // (inverse.period * function.share)
    bias = int(max([0, -function.first * step, *(-m.order * q for m, _ in expansion.terms)]))
    allowed = int(rest.order * q)
    printed = sum((c * U ** (m.order * q + bias) * W**m.logs for m, c in expansion.terms), Integer(0))
    unit, count = inverse.size ** Rational(1, function.share), len(function.coefficients)
    along = [expand(c * unit ** (function.first + j), log=False) for j, c in enumerate(function.coefficients)]
    ring = DepthRing([printed, *along, *inverse.constants()], allowed + bias + 1)
    shape = inverse.shape(ring, ring.elements[1 + count :], q)
    wave = ring.times(ring.u**step, ring.root(shape, Rational(1, function.share)))
    lead = ring.root(shape, Rational(function.first, function.share))
    total = ring.times(ring.horner(ring.elements[1 : 1 + count], wave), lead)
    difference = ring.times(total, ring.u ** (bias + function.first * step)) - ring.elements[0]
    return ring.left(difference, allowed, rest.logs, bias)


# ---- the two inverses: t = size u^(q/period) s ------------------------------------------------------


@dataclass(frozen=True)
class AbelInverse:
    """A = lead |t|^(-m) + sum of (power, logs, coefficient)."""

    period: int
    lead: Expr
    terms: tuple
    constant: Expr

    @classmethod
    def of(cls, law, side: int) -> "AbelInverse":
        """Read A off the law; on the side -1 the odd powers of t change their signs."""
        terms = tuple((int(m.order), m.logs, c * Integer(side) ** int(m.order)) for m, c in law.abel.expansion.terms)
        power, logs, lead = terms[0]
        if power >= 0 or logs or lead.is_negative:
            raise Contradiction(lead * U**power, f"A = {law.abel.expansion} does not grow like a power of 1/t")
        return cls(-power, lead, terms[1:], law.constant_symbols["C"])

    @property
    def size(self) -> Expr:
        """a = alpha^(1/m)."""
        return self.lead ** Rational(1, self.period)

    def constants(self) -> list[Expr]:
        """What the ring must hold: C, log a - log(l)/m, and the coefficients in units of a."""
        values = [expand(c * self.size**k, log=False) for k, _, c in self.terms]
        return [self.constant, log(self.size) - W / self.period, *values]

    def shape(self, ring: DepthRing, elements: list, q: int):
        """s, by iteration from 1."""
        constant, logarithm, *values = elements
        shape, speed = ring.ring.one, q // self.period
        for _ in range(ring.precision + 1):
            inner = logarithm + ring.log(shape)
            total = ring.times(constant, ring.u**q)
            for (power, logs, _), value in zip(self.terms, values, strict=True):
                if q + power * speed < ring.precision:
                    term = ring.times(ring.times(value, ring.root(shape, power)), ring.u ** (q + power * speed))
                    total = total - (ring.times(term, inner) if logs else term)
            shape = ring.root(1 + total, Rational(-1, self.period))
        return shape


@dataclass(frozen=True)
class KoenigsInverse:
    """S = t^root (1 + sum of coefficients[j] t^j)."""

    period: int
    coefficients: tuple
    constant: Expr

    @classmethod
    def of(cls, law) -> "KoenigsInverse":
        """Read S off the law, which must be in powers of S's multiplier."""
        if zero_by(law.expansion.scale.base - law.koenigs.multiplier) is None:
            raise Contradiction(law.koenigs.multiplier, f"the law is in powers of {law.expansion.scale.base}")
        root, koenigs = law.dynamics.root, law.koenigs.expansion
        row = {int(m.order): c for m, c in koenigs.terms}
        if min(row) != root or zero_by(row[root] - 1) is None:
            raise Contradiction(koenigs.leading[1], f"S = {koenigs} does not start with y")
        coefficients = tuple(row.get(k, Integer(0)) for k in range(root + 1, int(rest_of(koenigs).order)))
        return cls(root, coefficients, law.constant_symbols["C"])

    @property
    def size(self) -> Expr:
        """C^(1/root)."""
        return self.constant ** Rational(1, self.period)

    def constants(self) -> list[Expr]:
        """The coefficients in units of a."""
        return [expand(c * self.size**k) for k, c in enumerate(self.coefficients, start=1)]

    def shape(self, ring: DepthRing, elements: list, q: int):
        """s, by iteration from 1."""
        shape = ring.ring.one
        for _ in range(ring.precision + 1):
            wave = ring.times(ring.u ** (q // self.period), shape)
            shape = ring.root(ring.horner([ring.ring.one, *elements], wave), Rational(-1, self.period))
        return shape
