"""Series in u with fractional powers and logarithms, and linear recursions along u' = u (1 + e(u)) in them.

Problem.  The components of PDLT's neural tangent kernel are linear recursions along the flow of the variance, one
driven by the next, and learning rates that are powers of the layer bring log u into them.

Rule.  Write T w = w(u') - lambda(u) w(u).  With E = log(1 + e),

    T[u^s log^j u] = u^s ( ((1+e)^s - lambda) log^j u + sum_(i>=1) binom(j,i) (1+e)^s E^i log^(j-i) u ),

which starts with (s e_1 - lambda_1) u^(s+1) log^j u, or at s = h = lambda_1/e_1 with j e_1 u^(s+1) log^(j-1) u.  So
T w = b is solved term by term, smallest power and highest log first; at s = h a log enters (resonance), and w carries
no pure u^h: that normalises it.

Tiny case.  u' = u - u^2, lambda = 1, b = u: h = 0, w = -log u + ...

Known limits.  lambda = 1 + lambda_1 u + ... with rational h; coefficients are elements of one field, exact or mpmath.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from asympt.expansions.series import logarithm, power, product


@dataclass(frozen=True)
class LogSeries:
    """u^start sum c u^k log(u)^j, known for k < `size`; `terms`: {(k, j): c}."""

    terms: dict
    start: Fraction
    size: int

    @classmethod
    def plain(cls, coefficients: Sequence, start=0) -> "LogSeries":
        """A power series u^start (c_0 + c_1 u + ...)."""
        terms = {(k, 0): c for k, c in enumerate(coefficients) if c}
        return cls(terms, Fraction(start), len(coefficients))

    @property
    def first(self) -> int:
        """The smallest k (the size, when nothing is known to differ from 0)."""
        return min((k for k, _ in self.terms), default=self.size)

    @property
    def limit(self) -> Fraction:
        """The first power of u that is not known."""
        return self.start + self.size

    def moved(self, start: Fraction) -> "LogSeries":
        """The same about another start, a whole number away."""
        shift = self.start - start
        if shift.denominator != 1:
            raise ValueError(f"powers u^{self.start} and u^{start} do not differ by a whole number")
        shift = int(shift)
        return LogSeries({(k + shift, j): c for (k, j), c in self.terms.items()}, start, self.size + shift)

    def __add__(self, other: "LogSeries") -> "LogSeries":
        other = other.moved(self.start)
        size, total = min(self.size, other.size), dict(self.terms)
        for key, c in other.terms.items():
            total[key] = total[key] + c if key in total else c
        return LogSeries({key: c for key, c in total.items() if c and key[0] < size}, self.start, size)

    def __mul__(self, other: "LogSeries") -> "LogSeries":
        size, total = min(self.size + other.first, other.size + self.first), {}
        for (k, i), a in self.terms.items():
            for (n, j), b in other.terms.items():
                if k + n < size:
                    key = (k + n, i + j)
                    total[key] = total[key] + a * b if key in total else a * b
        return LogSeries({key: c for key, c in total.items() if c}, self.start + other.start, size)

    def scaled(self, factor) -> "LogSeries":
        """The same times a constant."""
        return LogSeries({key: c * factor for key, c in self.terms.items()}, self.start, self.size)


class Flow:
    """u' = u (1 + e): powers of 1 + e and of log(1 + e), to as many orders as e is known.

    `growth`: e_0 = 0, e_1, ...; `number`: a fraction as an element of the coefficients' field.
    """

    def __init__(self, growth: Sequence, number: Callable):
        self.size, self.number = len(growth), number
        self.factor = [growth[0] * 0 + number(Fraction(1)), *growth[1:]]
        self._powers, self._logs, self._rows = {}, [[self.factor[0], *[growth[0] * 0] * (self.size - 1)]], {}

    @property
    def first_growth(self):
        """e_1."""
        return self.factor[1]

    def raised(self, exponent: Fraction) -> list:
        """(1 + e)^exponent."""
        if exponent not in self._powers:
            self._powers[exponent] = power(self.factor, self.number(exponent), self.size)
        return self._powers[exponent]

    def log(self, times: int) -> list:
        """log(1 + e)^times."""
        while len(self._logs) <= times:
            self._logs.append(product(self._logs[-1], logarithm(self.factor, self.size), self.size))
        return self._logs[times]

    def _row(self, s: Fraction, i: int) -> list:
        """(1 + e)^s log(1 + e)^i."""
        if (s, i) not in self._rows:
            self._rows[s, i] = product(self.raised(s), self.log(i), self.size) if i else self.raised(s)
        return self._rows[s, i]

    def image(self, s: Fraction, j: int, multiplier: Sequence) -> dict:
        """T[u^s log^j u]/u^s as {(k, logs): coefficient}."""
        found = {}
        for i in range(j + 1):
            row, times = self._row(s, i), comb(j, i)
            if not i:
                row = [a - b for a, b in zip(row, multiplier, strict=False)]
            for k, c in enumerate(row):
                if c:
                    found[k, j - i] = c * times
        return found

    def solve(self, multiplier: Sequence, forcing: LogSeries, exponent: Fraction) -> LogSeries:
        """w with w(u') - lambda(u) w(u) = b(u) and no pure u^exponent; `multiplier`: lambda_0 = 1, lambda_1, ..."""
        size, start = min(forcing.size, forcing.first + self.size - 1), forcing.start - 1
        left = {key: c for key, c in forcing.terms.items() if key[0] < size}
        solution = {}
        while left:
            k, logs = key = min(left, key=lambda item: (item[0], -item[1]))
            value, s = left.pop(key), start + k
            place, pivot = (k, logs), self.number(s - exponent) * self.first_growth
            if s == exponent:
                place, pivot = (k, logs + 1), self.first_growth * (logs + 1)
            amount = value / pivot
            solution[place] = solution[place] + amount if place in solution else amount
            met = (key, place)  # the term itself, and at s = h the higher log, whose coefficient is 0 but for rounding
            for (n, j), c in self.image(s, place[1], multiplier).items():
                target = (k + n - 1, j)
                if target[0] < size and target not in met:
                    rest = left.pop(target, value * 0) - amount * c
                    if rest:
                        left[target] = rest
        return LogSeries(solution, start, size)

    def homogeneous(self, multiplier: Sequence, exponent: Fraction) -> LogSeries:
        """H = u^exponent (1 + ...) with H(u') = lambda(u) H(u)."""
        one = self.factor[0]
        rest = {key: -c for key, c in self.image(exponent, 0, multiplier).items() if key[0] > 1}
        lower = self.solve(multiplier, LogSeries(rest, exponent, self.size), exponent)
        return lower + LogSeries({(0, 0): one}, exponent, self.size - 1)
