"""An activation between two breakpoints, a polynomial plus exponentials: values, means and remainders in balls."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import sympy
from flint import arb
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, exact_rational
from asympt.balls.expression import number


@dataclass(frozen=True)
class FormulaPiece:
    """sum c_m x^m + sum c_a exp(a x) for low < x < high; None for an end at infinity."""

    powers: Mapping[int, Expr]
    rates: Mapping[Expr, Expr]
    low: Expr | None
    high: Expr | None
    has_factorials: ClassVar[bool] = False  # whether its derivatives grow like factorials

    @classmethod
    def of(cls, formula: Expr, x: Symbol, low: Expr | None, high: Expr | None) -> "FormulaPiece":
        """Read from a formula; `Refused` for another kind of function."""
        powers, rates = {}, {}
        for term in sympy.Add.make_args(sympy.expand(formula)):
            c, rest = term.as_independent(x)
            if rest.is_polynomial(x):
                m = int(sympy.degree(rest, x)) if rest.has(x) else 0
                powers[m] = powers.get(m, 0) + c  # 1 + sqrt(2) is two terms
            elif isinstance(rest, sympy.exp) and (rest.args[0] / x).is_Rational:
                rates[rest.args[0] / x] = rates.get(rest.args[0] / x, 0) + c
            else:
                raise Refused(f"{term} beside a breakpoint is neither a power nor an exponential with a rational rate")
        return cls(powers, rates, low, high)

    @property
    def sign(self) -> int:
        """On which side of 0 it lies, if it begins or ends there."""
        return 1 if self.low == 0 else -1

    def vanishes(self, j: int) -> bool:
        """Whether g_j = 0."""
        return not self.rates and all(m < j for m in self.powers)

    def at(self, j: int, x: arb) -> arb:
        """g_j(x)."""
        powers = (number(c) * falling(m, j) * x ** (m - j) for m, c in self.powers.items() if m >= j)
        rates = (number(c) * exact_rational(a) ** j * (exact_rational(a) * x).exp() for a, c in self.rates.items())
        return sum((*powers, *rates), arb(0))

    def means(self, count: int, q: arb) -> list[arb]:
        """E[g_j(sqrt(q) Z)] over the piece for j < count."""
        return [arb(0) if self.vanishes(j) else self._mean(j, q) for j in range(count)]

    def _mean(self, j: int, q: arb) -> arb:
        root, total = q.sqrt(), arb(0)
        ends = [None if end is None else number(end) / root for end in (self.low, self.high)]
        moments = _moments_between(*ends, max((m - j for m in self.powers), default=0))
        for m, c in self.powers.items():
            if m >= j:
                total += number(c) * falling(m, j) * root ** (m - j) * moments[m - j]
        for a, c in self.rates.items():
            rate = exact_rational(a)
            shifted = [None if end is None else end - rate * root for end in ends]
            total += number(c) * rate**j * (rate**2 * q / 2).exp() * _moments_between(*shifted, 0)[0]
        return total

    def rest(self, j: int, count: int, spread: arb) -> arb:
        """B with E|g_j(sZ) - its Taylor polynomial below s^count| <= B s^count over this side, for s <= spread."""
        if any(m >= j + count for m in self.powers):
            raise Refused("more powers of t are needed than the activation's own")
        total = arb(0)
        for a, c in self.rates.items():
            rate = exact_rational(a)
            grows = (rate * self.sign).max(arb(0)) * spread  # |exp(a x)| <= exp(grows |Z|)
            moment = half_moment(count) if grows.is_zero() else _grown_moment(count, grows)
            total += abs(number(c) * rate ** (j + count)) * moment / arb(count + 1).gamma()
        return total.upper()


def falling(m: int, j: int) -> arb:
    """m!/(m-j)!."""
    return arb(m + 1).gamma() / arb(m - j + 1).gamma()


def _moments_between(low: arb | None, high: arb | None, last: int) -> list[arb]:
    """E[Z^k; low < Z < high] for k <= last, by parts."""
    root = arb(2).sqrt()
    above = [default if end is None else (end / root).erfc() / 2 for end, default in ((low, arb(1)), (high, arb(0)))]
    ends = [(end, (-end * end / 2).exp() / (2 * arb.pi()).sqrt(), sign)
            for end, sign in ((low, 1), (high, -1)) if end is not None]  # fmt: skip
    found = [above[0] - above[1]]
    for k in range(1, last + 1):
        before = (k - 1) * found[k - 2] if k > 1 else arb(0)
        found.append(before + sum((sign * end ** (k - 1) * density for end, density, sign in ends), arb(0)))
    return found


def half_moment(k: int) -> arb:
    """E[Z^k; Z > 0]."""
    return arb(2) ** (arb(k) / 2) * (arb(k + 1) / 2).gamma() / (2 * arb.pi().sqrt())


def _grown_moment(k: int, rate: arb) -> arb:
    """A bound of E[|Z|^k exp(rate |Z|)], by Cauchy and Schwarz."""
    return (2 * half_moment(2 * k)).sqrt() * (2 * (2 * rate**2).exp()).sqrt()
