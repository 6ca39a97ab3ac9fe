"""The numbers of a Coq file: nothing here is trusted, `coqc` checks each of them.

g(t) = t (1 - t^m v(t, theta)) with the exact Taylor coefficients of g up to t^(degree - 1) and theta in [tlo, thi] for
the derivative of order `degree`; the defect of A over t^(k+m) is a polynomial P in t, theta and phi, phi in
[0, 1/((J+1) (1 - y0))] for the remainder of log(1 - t^m v).
"""

from fractions import Fraction
from math import ceil, factorial, floor

from mpmath import mp, mpf, workdps
from sympy import Expr, Poly, Rational, Symbol, expand, pi

from asympt.compiling import as_function
from asympt.errors import UnsupportedError
from asympt.recursions.proofs.coq.formulas import Formula, X
from asympt.recursions.proofs.nodes import BY_NAME

T, TH, PH = (Symbol(name) for name in ("t", "th", "ph"))
GRID, DIGITS = 64, 40
NUMBERS, SLACK = ("start", "alpha", "rho", "K"), mpf(10) ** -6
FULL = 0.97  # how much of the room the samples of a defect may fill


class TaylorData:
    """The map with its derivatives to an order, and what follows from them on (0, r]."""

    def __init__(self, formula: Formula, m: int, r: Rational, degree: int):
        self.formula, self.degree, self.r = formula, degree, r
        self.derivatives = formula.derivatives(degree)
        self.at_zero = [formula.at_zero(value) for value in self.derivatives[:-1]]
        self.theta = self._range()
        rest = sum(c / factorial(j) * T ** (j - m - 1) for j, c in enumerate(self.at_zero) if j > m)
        unknown = TH * T ** (degree - m - 1) / factorial(degree) if any(self.theta) else 0
        self.v = -rest - unknown
        self.y0 = self._largest(m)

    def _range(self) -> tuple[Fraction, Fraction]:
        top = function(self.formula, self.derivatives[-1])
        values = [top(float(self.r) * i / GRID) for i in range(GRID + 1)]
        pad = (max(values) - min(values)) / 50
        return rounded(min(values) - pad, floor), rounded(max(values) + pad, ceil)

    def _largest(self, m: int) -> Fraction:
        y = as_function((T, TH), T**m * self.v)
        most = max(y(mpf(i) * float(self.r) / GRID, float(th)) for i in range(GRID + 1) for th in self.theta)
        if most >= 0.99:
            raise UnsupportedError(f"no Coq proof on (0, {self.r}]: g(t)/t falls to {float(1 - most):.3g} there")
        return rounded(most + mpf("1e-3"), ceil, 1000)


def function(formula: Formula, value: Expr):
    """A rational function of x and the atoms as a function of x."""
    for atom in reversed(formula.atoms.values()):
        value = value.subs(atom.symbol, BY_NAME[atom.function](atom.argument))
    return as_function(X, value.subs(Symbol("PI"), pi))


def rounded(x, direction, parts: int | None = None) -> Fraction:
    """x rounded by `floor` or `ceil` to a multiple of 1/parts; without it, to four digits."""
    if parts is None:
        parts = 10 ** max(0, 4 - ceil(mp.log10(abs(x)))) if x else 1
    return Fraction(int(direction(x * parts)), parts)


def defect(v: Expr, p: dict, J: int) -> Expr:
    """P: the numerator of the defect over t^(k+m), a polynomial in t, theta, phi (Coq's `defect_is`)."""
    m, k, alpha, rho = p["m"], p["k"], Rational(p["alpha"]), Rational(p["rho"])
    y = T**m * v
    logs = -sum(y**j / Rational(j) for j in range(1, J + 1)) - PH * y ** (J + 1)
    top = Poly(alpha * v * sum((1 - y) ** i for i in range(m)) + (rho * logs - 1) * (1 - y) ** m, T)
    if any(power < k + m for (power,) in top.monoms()):
        raise UnsupportedError("the proof object's alpha or rho is not that of its map")
    return sum(expand(c) * T ** (power - k - m) for (power,), c in top.terms())


def fits(P: Expr, taylor: TaylorData, p: dict, phi: Fraction) -> bool:
    """Whether |P| stays below the room that K leaves, at samples."""
    y = T ** p["m"] * taylor.v
    room = Rational(p["K"]) * taylor.v * sum((1 - y) ** i for i in range(p["k"])) * (1 - y) ** p["m"]
    both = as_function((T, TH, PH), (P, room))
    corners = [(float(th), ph) for th in taylor.theta for ph in (0.0, float(phi))]
    pairs = (both(float(taylor.r) * i / GRID, *corner) for i in range(GRID + 1) for corner in corners)
    return all(abs(value) <= FULL * most for value, most in pairs)


def constant_at(formula: Formula, p: dict) -> tuple[Fraction, Fraction]:
    """Bounds of A(x_N) - N -+ K x_N^k."""
    step = function(formula, formula.value)
    with workdps(DIGITS):
        x, alpha, rho, K = (mpf(f.numerator) / f.denominator for f in map(Fraction, (p[n] for n in NUMBERS)))
        for _ in range(p["N"]):
            x = step(x)
        middle, error = alpha / x ** p["m"] + rho * mp.log(x) - p["N"], K * x ** p["k"]
        return rounded(middle - error - SLACK, floor, 10**6), rounded(middle + error + SLACK, ceil, 10**6)
