"""The components of the neural tangent kernel of the class K* = 0, solved in u = K_00.

The five linear recursions of `precise.mlp` along u' = V(u), over exact numbers or mpmath ones.  With w = lambda_W/C_W,
M = C_W <s'' s''>, N = M + C_W <s' s'''>,

    ddK_[2]     = D_2 H,                      H = u^p (1 + ...)          H' = chi_perp H
    dK_[1]      = D_1 G,                      G = u^2 (1 + ...)          G' = chi_par G
    Theta_00    = lambda_b T_b + w T_W + D H                             forcing tau_b, V tau_W
    ddTheta_[2] = D_2 (lambda_b S_b + w S_W + D S_D + E H)               forcing M T H, for W also chi_perp tau_W H
    dTheta_[1]  = D_1 (lambda_b R_b + w R_W + D R_D + F H)               forcing N T G, for W also chi_par tau_W G

where the learning rates are lambda tau(l): tau = 1, or, with l + 1 = A(u) + 1 - C, A the Abel function of u,

    tau_b = l^(-p) L^(p-1),      tau_W = l^(1-p) L^(p-1)                 (PDLT 10.74)

(constant factors a^(-p), a = 1/(-a_1), and L^(p-1) are kept apart).  With E = log(1 + e), u' = u (1 + e),

    T[u^s log^j u] = u^s ( ((1+e)^s - lambda) log^j u + sum_(i>=1) binom(j,i) (1+e)^s E^i log^(j-i) u ),

starts with (s e_1 - lambda_1) u^(s+1) log^j u, or at s = h = lambda_1/e_1 with j e_1 u^(s+1) log^(j-1) u.  T w = b is
solved term by term, smallest power and highest log first (`Flow`); at s = h a log enters, and w carries no pure u^h.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

from sympy import Expr, Rational

from asympt.expansions.series import logarithm, power, product

SOURCES = ("b", "W", "D")


# ---- series -----------------------------------------------------------------------------------------


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


@dataclass(frozen=True)
class MomentSeries:
    """V/u, chi_perp, chi_par, M and N as coefficients in u, elements of one field."""

    ratio: Sequence
    perpendicular: Sequence
    parallel: Sequence
    curved: Sequence
    mixed: Sequence


class Basis:
    """T, S, R, H and G for one flow; `layer`: l + 1 divided by a/u as a series in u and log u, None for constant rates.

    `number`: a fraction as an element of the field; `exponent`: p_perp; `scale`: a.
    """

    def __init__(self, moments: MomentSeries, exponent: Rational, scale, number, layer: LogSeries | None = None):
        zero = moments.ratio[0] * 0
        self.flow, self.moments, self.scale = Flow([zero, *moments.ratio[1:]], number), moments, scale
        self.exponent, self.layer = Fraction(int(exponent.p), int(exponent.q)), layer
        self.one = zero + number(Fraction(1))

    # ---- homogeneous solutions ------------------------------------------------------------------

    @cached_property
    def perpendicular(self) -> LogSeries:
        """H."""
        return self.flow.homogeneous(self.moments.perpendicular, self.exponent)

    @cached_property
    def parallel(self) -> LogSeries:
        """G."""
        return self.flow.homogeneous(self.moments.parallel, Fraction(2))

    # ---- learning rates -------------------------------------------------------------------------

    @cached_property
    def rates(self) -> dict:
        """tau_b and tau_W as series, without a^(-p) and L^(p-1)."""
        if self.layer is None:
            constant = LogSeries.plain([self.one, *[self.one * 0] * (self.flow.size - 1)])
            return {"b": constant, "W": constant}
        powers = [binomial_power(self.layer, s, self.flow.number) for s in (-self.exponent, 1 - self.exponent)]
        shifts = [LogSeries({(0, 0): self.one}, s, self.flow.size) for s in (self.exponent, self.exponent - 1)]
        bias, weight = (power * shift for power, shift in zip(powers, shifts, strict=True))
        return {"b": bias, "W": weight.scaled(self.scale)}

    # ---- components -----------------------------------------------------------------------------

    @cached_property
    def ntk(self) -> dict:
        """T_b, T_W and H (under D)."""
        image = LogSeries.plain(self.moments.ratio, 1)
        forcing = {"b": self.rates["b"], "W": image * self.rates["W"]}
        solved = {key: self._solved(source) for key, source in forcing.items()}
        return solved | {"D": self.perpendicular}

    @cached_property
    def second(self) -> dict:
        """S_b, S_W, S_D."""
        return self._driven(self.moments.curved, self.moments.perpendicular, self.perpendicular)

    @cached_property
    def first(self) -> dict:
        """R_b, R_W, R_D."""
        return self._driven(self.moments.mixed, self.moments.parallel, self.parallel)

    def _driven(self, coupling: Sequence, slope: Sequence, kernel: LogSeries) -> dict:
        """What Theta_00 (by `coupling`) and the weights (by `slope`) bring through a component of the kernel."""
        carried = LogSeries.plain(coupling) * kernel
        forcing = {key: carried * self.ntk[key] for key in SOURCES}
        forcing["W"] = forcing["W"] + LogSeries.plain(slope) * kernel * self.rates["W"]
        return {key: self._solved(source) for key, source in forcing.items()}

    def _solved(self, forcing: LogSeries) -> LogSeries:
        return self.flow.solve(self.moments.perpendicular, forcing, self.exponent)


def binomial_power(base: LogSeries, exponent: Fraction, number) -> LogSeries:
    """(1 + x)^exponent for a series 1 + x with x of the order u log u."""
    one = base.terms[0, 0]
    small = LogSeries({key: c for key, c in base.terms.items() if key[0] > 0}, base.start, base.size)
    total = power = LogSeries({(0, 0): one}, base.start, base.size)
    weight, k = Fraction(1), 0
    while small.terms and power.first + small.first < base.size:
        weight, k = weight * (exponent - k) / (k + 1), k + 1
        if not weight:
            break
        power = power * small
        power = LogSeries({key: c for key, c in power.terms.items() if key[0] < base.size}, base.start, base.size)
        total = total + power.scaled(number(weight))
    return total


def layer_series(abel: dict, residue, constant, one) -> LogSeries:
    """(A(u) + 1 - C) u/a = 1 + (u/a) (rho log u + 1 - C + alpha_1 u + ...), from alpha_k by k, rho and C."""
    lead, last = abel[-1], max(abel)
    terms = {(0, 0): one, (1, 0): (one - constant) / lead, (1, 1): residue / lead}
    terms |= {(k + 1, 0): c / lead for k, c in abel.items() if k > 0}
    return LogSeries({key: c for key, c in terms.items() if c}, Fraction(0), last + 2)


def expressions(series: LogSeries, leave) -> dict[tuple, Expr]:
    """{(power, logs): SymPy number}."""
    start = Rational(series.start.numerator, series.start.denominator)
    return {(start + k, j): leave(c) for (k, j), c in series.terms.items()}
