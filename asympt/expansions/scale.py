"""Ordered scales: which monomials an expansion may use, and which of two is the larger.

Two scales serve every law so far:

    powers of t at 0         t^p (log t)^j,      p rational        (maps, Abel functions)
    log-powers at infinity   l^(-p) (log l)^j,   p rational        (laws of depth)

One rule orders both: a monomial with the smaller `order` p is larger; at equal order the one with
more logs is larger, because log t and log l grow without bound.  So at infinity

    l^-2  >  log(l)^2 l^-3  >  log(l) l^-3  >  l^-3  >  ...
"""

from dataclasses import dataclass
from functools import total_ordering

from sympy import Expr, Rational, S, Symbol, log, oo


@total_ordering
@dataclass(frozen=True)
class Monomial:
    """t^order log(t)^logs at 0, or l^(-order) log(l)^logs at infinity; ``a < b`` means a is negligible before b.

    >>> Monomial(Rational(3), 0) < Monomial(Rational(3), 1) < Monomial(Rational(2), 0)
    True
    """

    order: Rational
    logs: int = 0

    def __post_init__(self):
        object.__setattr__(self, "order", Rational(self.order))

    def __lt__(self, other: "Monomial") -> bool:
        return bool((self.order, -self.logs) > (other.order, -other.logs))  # SymPy compares into its own booleans

    def __mul__(self, other: "Monomial") -> "Monomial":
        return Monomial(self.order + other.order, self.logs + other.logs)


@dataclass(frozen=True)
class Scale:
    """The monomials in one variable near one limit point.

    `variable` is a positive symbol; `limit` is 0 or oo.
    """

    variable: Symbol
    limit: Expr = S.Zero

    @classmethod
    def at_zero(cls, variable: Symbol) -> "Scale":
        """Powers (and logs) of a variable that tends to 0 from above."""
        return cls(variable, S.Zero)

    @classmethod
    def at_infinity(cls, variable: Symbol) -> "Scale":
        """Inverse powers and logs of a variable that tends to infinity."""
        return cls(variable, oo)

    @property
    def sign(self) -> int:
        """+1 when a monomial of order p is variable^p, -1 when it is variable^(-p)."""
        return 1 if self.limit == 0 else -1

    def to_sympy(self, monomial: Monomial) -> Expr:
        """The monomial as a SymPy expression.

        >>> Scale.at_infinity(Symbol("l", positive=True)).to_sympy(Monomial(3, 1))
        log(l)/l**3
        """
        return self.variable ** (self.sign * monomial.order) * log(self.variable) ** monomial.logs
