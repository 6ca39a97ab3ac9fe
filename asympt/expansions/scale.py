"""Ordered scales: which monomials an expansion may use, and which of two is the larger.

    powers of t at 0         t^p (log t)^j                    (maps, Abel and Koenigs functions)
    log-powers at infinity   l^(-p) (log l)^j                 (parabolic laws; with log l for l: driven ones)
    exponentials             chi^(p n) n^j, 0 < |chi| < 1     (hyperbolic laws)

One rule orders all three: a monomial with the smaller `order` p is larger; at equal order the one with more logs is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import total_ordering
from typing import ClassVar

from sympy import Expr, Rational, S, Symbol, log, oo

from asympt.errors import InputError
from asympt.expansions.opaque import RealConstant
from asympt.parsing import as_sympy

LONG = 20  # orders beyond which a power of a number is left as one

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
        order = as_sympy(self.order)
        if not order.is_number:
            raise InputError(f"a monomial of the order {order}: the order is a number, such as 1 or Rational(3, 2)")
        object.__setattr__(self, "order", order)

    def __lt__(self, other: "Monomial") -> bool:
        return bool((self.order, -self.logs) > (other.order, -other.logs))  # SymPy compares into its own booleans

    def __mul__(self, other: "Monomial") -> "Monomial":
        return Monomial(self.order + other.order, self.logs + other.logs)


@dataclass(frozen=True)
class Scale:
    """The monomials in one variable near one limit point.

    `variable` is a positive symbol, or the logarithm of one; `limit` is 0 or oo.
    """

    variable: Expr
    limit: Expr = S.Zero

    base: ClassVar[Expr | None] = None  # of exponentials
    front: ClassVar[Expr] = S.One
    second: ClassVar[Expr | None] = None

    @classmethod
    def at_zero(cls, variable: Symbol) -> "Scale":
        """Powers (and logs) of a variable that tends to 0 from above."""
        return cls(variable, S.Zero)

    @classmethod
    def at_infinity(cls, variable: Expr) -> "Scale":
        """Inverse powers and logs of a variable that tends to infinity."""
        return cls(variable, oo)

    @property
    def depth(self) -> Symbol:
        """The symbol that runs: the variable itself, or what it is the logarithm of."""
        return next(iter(self.variable.free_symbols))

    @property
    def log_unit(self) -> Expr:
        """log of the small or large variable in units of the monomial (0, 1)."""
        return S.One

    def infinity(self, leading: tuple) -> Expr:
        """The limit of a leading term that grows: plus or minus infinity by the sign of its coefficient."""
        return oo if leading[1].is_negative is not True else -oo

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

    def renamed(self, names: Mapping) -> "Scale":
        """The scale with other symbols."""
        return replace(self, variable=self.variable.xreplace(names))


@dataclass(frozen=True)
class Fronted(Scale):
    """Powers and logs times one factor in front, which grows faster than every power.

    >>> n = Symbol("n", positive=True)
    >>> Fronted(n, oo, front=2**n).to_sympy(Monomial(1))
    2**n/n
    """

    front: Expr = S.One

    def to_sympy(self, monomial: Monomial) -> Expr:
        return self.front * super().to_sympy(monomial)

    def renamed(self, names: Mapping) -> "Fronted":
        return replace(super().renamed(names), front=self.front.xreplace(names))


@dataclass(frozen=True)
class Exponential(Scale):
    """Exponentials in the depth: the monomial (p, j) is base^(p n) n^j; `second` is the base of order `Weight`.

    >>> Exponential(Symbol("n", positive=True), base=Rational(1, 2)).to_sympy(Monomial(2, 1))
    n/4**n
    """

    base: Expr = S.Half
    second: Expr | None = None

    @property
    def log_unit(self) -> Expr:
        """log z = n log(base)."""
        return log(self.base)

    @property
    def weight(self) -> Expr:
        """The order of second^n."""
        return Weight(self.second, self.base)

    def to_sympy(self, monomial: Monomial) -> Expr:
        order, times = monomial.order, S.Zero
        if self.second is not None:
            times = order.coeff(self.weight)
            order = order - times * self.weight
        n = self.variable
        product = n**monomial.logs
        for base, power in ((self.base, order), (self.second, times)):
            if power != 0:  # (3/4)^(65 n) and not the power of a fraction of 40 digits
                product *= base ** (power * n) if power.is_Integer and power > LONG else (base**power) ** n
        return product

    def renamed(self, names: Mapping) -> "Exponential":
        second = self.second and self.second.xreplace(names)
        return replace(super().renamed(names), base=self.base.xreplace(names), second=second)


def Weight(second: Expr, base: Expr) -> Expr:
    """log|second|/log|base| as one opaque real number: second^n = base^(weight n) in size."""
    return RealConstant("w", lambda: log(abs(second)) / log(abs(base)), key=("log/log", second, base))


@dataclass(frozen=True)
class Remainder:
    """The size of what is left out, as a monomial of the expansion's scale."""

    monomial: Monomial

    def times(self, factor: Monomial) -> "Remainder":
        """The remainder of a product with something of size `factor`; a constant is not carried along."""
        return widened(self, self.monomial * factor)


@dataclass(frozen=True)
class Formal(Remainder):
    """O(monomial) in the sense of formal expansions."""


@dataclass(frozen=True)
class Bounded(Remainder):
    """At most `constant` times the monomial from `valid_from` on."""

    constant: Expr
    valid_from: Expr


@dataclass(frozen=True)
class Heuristic(Remainder):
    """Of the size of the monomial as far as numbers show.

    `constant`, if it was measured: the largest |rest|/monomial seen, at depths from `valid_from` on; no bound.
    """

    constant: Expr | None = None
    valid_from: Expr | None = None


def widened(rest: Remainder | None, monomial: Monomial) -> Remainder:
    """The remainder O(monomial) that swallows `rest` and known terms: heuristic if `rest` is, else formal."""
    return Heuristic(monomial) if isinstance(rest, Heuristic) else Formal(monomial)


def largest(*remainders: Remainder | None) -> Remainder | None:
    """The remainder of a sum: the largest size, the weakest type; None when all are exact.

    A heuristic remainder of smaller size counts: that it is smaller is itself only seen in numbers.
    """
    known = [r for r in remainders if r is not None]
    if len(known) < 2:
        return known[0] if known else None
    top = max(r.monomial for r in known)
    return Heuristic(top) if any(isinstance(r, Heuristic) for r in known) else Formal(top)
