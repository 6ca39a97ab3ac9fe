"""What a printed law says about the distance from the fixed point: y = s c_0 l^(-p_0) g, or its inverse for x = s/y.

y is known up to a relative error O(l^(-(P - p_0)) log^J) when the printed remainder is O(l^(-P) log^J); with
u = l^(-1/q), q the common denominator, g is a polynomial in u and w = log l.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Rational, ilcm, log, sign

from asympt.evidence.law_terms import rest_of
from asympt.evidence.symbolic.ring import U, W, spread
from asympt.evidence.symbolic.zero import Bare, Contradiction, sample, zero_by


@dataclass(frozen=True)
class PrintedProfile:
    """y = lead l^(-order) shape^power up to O(l^(-remainder) log^logs) of itself.

    entries: (power of u, logs, coefficient) of the shape, the 1 included; exact: the limit is x* without recourse to
    digits.
    """

    q: int
    order: Rational
    lead: Expr
    entries: tuple
    power: int
    remainder: Rational
    logs: int
    exact: bool = True

    @classmethod
    def of(cls, expansion, observable=None, multiplicity: int = 1, side: int = 1) -> "PrintedProfile":
        """Read the printed coefficients; `side` is the sign that y must have."""
        inverted, orientation, terms, exact = _of_distance(expansion, observable)
        order, logs, lead = terms[0]
        power = -1 if inverted else 1
        y_lead = orientation / lead if inverted else orientation * lead
        _require(order * power > 0 and not logs and _sign(y_lead) == side, expansion, terms[0])
        remainder, rest_logs = _remainder(expansion, terms)
        q = int(ilcm(multiplicity, order.q, remainder.q, *[(p - order).q for p, _, _ in terms]))
        entries = tuple(((p - order) * q, j, spread(c / lead)) for p, j, c in terms)
        return cls(q, order * power, y_lead, entries, power, remainder, rest_logs, exact)

    def shape(self) -> Expr:
        """1 + ... as an expression in u and w."""
        return sum((c * U**i * W**j for i, j, c in self.entries), Integer(0))

    def size(self, root: int) -> Expr:
        """a in t = y^(1/root) = a u^valuation (1 + ...)^(power/root)."""
        return self.lead ** Rational(1, root)

    def valuation(self, root: int) -> int:
        """The power of u that t starts with."""
        valuation = self.order * self.q / root
        if not valuation.is_Integer:
            lead = self.lead * U ** (self.order * self.q)
            raise Contradiction(lead, f"t does not go like a power of l^(-1/{self.q})")
        return int(valuation)

    def log_of_uniformiser(self, root: int) -> Expr:
        """log|t| without the log of the shape: log|a| - (order/root) log l."""
        return log(abs(self.size(root))) - self.order / root * W

    def orders(self, relative) -> int:
        """A power of 1/l in powers of u."""
        return int(relative * self.q)


def _of_distance(expansion, observable) -> tuple:
    """(whether y is the inverse, orientation, terms without the limit, whether the limit was decided exactly)."""
    terms = [(m.order, m.logs, c) for m, c in expansion.terms]
    if observable is None:
        return False, 1, _some(terms), True
    if observable.at_infinity:
        return True, observable.sign, _some(terms), True
    here = dict(((p, j), c) for p, j, c in terms).get((0, 0), Integer(0))
    verdict = zero_by(here - observable.point)
    if verdict is None:
        raise Contradiction(here - observable.point, f"the limit is {here}, not the fixed point {observable.point}")
    return False, observable.sign, _some([term for term in terms if term[:2] != (0, 0)]), verdict == "proved"


def _some(terms: list) -> list:
    if not terms:
        raise Bare("the law has no term beyond its limit")
    return terms


def _sign(lead: Expr) -> int:
    value = lead.subs(sample(lead.free_symbols)).evalf(15)
    if not value.is_extended_real:
        raise Contradiction(lead, f"{lead} is not seen to be real")
    return int(sign(value))


def _require(condition: bool, expansion, term: tuple) -> None:
    if not condition:
        p, j, c = term
        shown = c * U**p * W**j
        raise Contradiction(shown, f"{expansion} does not approach the fixed point like a power from the right side")


def _remainder(expansion, terms: list) -> tuple:
    """The remainder relative to the leading term."""
    rest = rest_of(expansion)
    return rest.order - terms[0][0], rest.logs
