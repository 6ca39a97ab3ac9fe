"""One ring for the symbolic checks: power series in u = l^(-1/q) with coefficients in w = log l and constants.

Problem.  A depth expansion c_0 l^(-p_0) (1 + sum c l^(-p) log(l)^j) has to be shifted by one layer, raised to powers
and put into other series, exactly, by code that the derivation does not use.

Rule.  SymPy's ring_series over QQ[u, w, constants]: every constant (pi, sqrt(2), C, log(...)) that the coefficients
bring along is a generator of its own; relations between constants (sqrt(2)^2 = 2) are used when the coefficients are
read back.

Tiny case.  l -> l + 1 is u -> u (1 + u)^(-1), w -> w + log(1 + u) for q = 1.
"""

from dataclasses import dataclass

from sympy import QQ, Expr, Integer, Poly, Rational, Symbol, expand, ilcm, log
from sympy.polys.ring_series import rs_log, rs_mul, rs_pow, rs_subs, rs_trunc
from sympy.polys.rings import sring

U, W = Symbol("u", positive=True), Symbol("w", real=True)


def is_zero(coefficient: Expr) -> bool:
    """Exact zero test: a clearly non-zero value at one point decides against, SymPy's simplification decides for."""
    coefficient = expand(coefficient, log=False)
    if coefficient == 0:
        return True
    point = {symbol: Rational(31 + 7 * k, 17) for k, symbol in enumerate(sorted(coefficient.free_symbols, key=str))}
    if abs(coefficient.subs(point).evalf(40)) > Rational(1, 10**25):
        return False
    return coefficient.simplify() == 0


class DepthRing:
    """The polynomial ring of one check: u, w and whatever constants the expressions bring along."""

    def __init__(self, expressions: list[Expr], precision: int):
        self.precision = precision
        self.ring, self.elements = sring([U, W, *[expand(e, log=False) for e in expressions]], domain=QQ)
        self.u, self.w = self.elements[0], self.elements[1]
        self.elements = list(self.elements[2:])

    def shift_factor(self, q: int, exponent):
        """(1 + u^q)^exponent."""
        return rs_pow(1 + self.u**q, exponent, self.u, self.precision)

    def next_layer(self, element, q: int):
        """The element at l + 1: u -> u (1 + u^q)^(-1/q), w -> w + log(1 + u^q)."""
        new_u = rs_mul(self.u, self.shift_factor(q, Rational(-1, q)), self.u, self.precision)
        new_w = self.w + rs_log(1 + self.u**q, self.u, self.precision)
        return rs_subs(element, {self.u: new_u, self.w: new_w}, self.u, self.precision)

    def times(self, a, b):
        """Truncated product."""
        return rs_mul(a, b, self.u, self.precision)

    def root(self, element, exponent):
        """element^exponent for an element with constant term 1."""
        return rs_pow(element, exponent, self.u, self.precision)

    def terms(self, element) -> list[tuple[int, int, Expr]]:
        """(power of u, power of w, coefficient), after SymPy has simplified the coefficients; zeros dropped."""
        polynomial = Poly(expand(rs_trunc(element, self.u, self.precision).as_expr(), log=False), U, W)
        return [(i, j, c) for (i, j), c in polynomial.terms() if not is_zero(c)]

    def horner(self, coefficients: list, point):
        """sum_k coefficients[k] point^k."""
        total = self.ring.zero
        for coefficient in reversed(coefficients):
            total = self.times(total, point) + coefficient
        return total

    def log(self, element):
        """log of an element with constant term 1."""
        return rs_log(element, self.u, self.precision)


@dataclass(frozen=True)
class Profile:
    """An expansion in the depth as c_0 l^(-order) (1 + sum of entries), entries (power of u, logs, coefficient/c_0)."""

    q: int
    order: Rational
    lead: Expr
    entries: tuple

    @classmethod
    def of(cls, expansion) -> "Profile":
        """Read the printed coefficients of an expansion."""
        terms = [(m.order, m.logs, c) for m, c in expansion.terms]
        order, _, lead = terms[0]
        q = int(ilcm(*[(p - order).q for p, _, _ in terms], order.q, 1))
        entries = tuple(((p - order) * q, j, expand(c / lead, log=False)) for p, j, c in terms)
        return cls(q, order, lead, entries)

    def shape(self) -> Expr:
        """1 + ... as an expression in u and w."""
        return sum((c * U**i * W**j for i, j, c in self.entries), Integer(0))

    def size(self, root: int) -> Expr:
        """a in t = x^(1/root) = a u^speed (1 + ...)^(1/root)."""
        return self.lead ** Rational(1, root)

    def speed(self, root: int) -> int:
        """The power of u that t starts with."""
        return int(self.order * self.q / root)

    def log_of_uniformiser(self, root: int) -> Expr:
        """log t without the log of the shape: log a - (order/root) log l."""
        return log(self.size(root)) - self.order / root * W


def scaled(coefficients: list[Expr], size: Expr, start: int = 0) -> list[Expr]:
    """Coefficients of t^start, t^(start+1), ... times the powers of `size`."""
    return [expand(c * size**k, log=False) for k, c in enumerate(coefficients, start=start)]


def above(terms: list, allowed: int, logs: int) -> list[Expr]:
    """Terms larger than u^allowed w^logs, as readable expressions, largest first."""
    larger = [(i, j, c) for i, j, c in terms if (i, -j) < (allowed, -logs)]
    return [c * U**i * W**j for i, j, c in sorted(larger, key=lambda term: (term[0], -term[1]))]
