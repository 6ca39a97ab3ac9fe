"""Limits, sizes and printed numbers: what is said of the value of one expression.

A limit is taken by SymPy and compared with numbers at two places near the point; a size, Theta(s), is a limit of the
ratio that is neither 0 nor infinite; a printed number holds where the true one rounds to all its decimals.

>>> from sympy import Integer, log
>>> x = Symbol("x", positive=True)
>>> Limit(log(x) / x, x, oo, Integer(0)).verify().verdict, Size(x**2 + x, x, x**2).verify().verdict
('proved', 'proved')
>>> Agreement(log(2), "0.69").verify().verdict, Agreement(log(2), "0.70").verify().corrected.subject
('checked', 'log(2) = 0.69...')
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import mpmath
from mpmath import mp
from sympy import Expr, Integer, PoleError, Rational, Symbol, latex, oo, simplify
from sympy import limit as sympy_limit

from asympt.claims.stated.letters import StatedValue, compared, enclosed_apart
from asympt.claims.stated.statement import ALGEBRA, DIGITS, NUMBERS, SIMPLIFYING, StatedFormula
from asympt.deadline import limited
from asympt.errors import NoValueError, OverrunError
from asympt.evidence.check import Check
from asympt.numbers import to_mpf
from asympt.recursions.fixed_point import numeric


def _near(formula: Expr, variable: Symbol, to: Expr, powers: tuple[int, int]) -> list:
    """Values ever nearer to `to`, at places that are rounded, because exact powers of 10^18 have no end."""
    start, ten = (to, Rational(1, 10)) if to.is_finite else (Integer(0), Integer(10))
    function = numeric(formula, variable)
    with mp.workdps(10 * DIGITS):  # differences of large terms cancel
        return [function(to_mpf(start + ten**k)) for k in powers]


@dataclass(frozen=True)
class Limit(StatedFormula):
    """expression -> value as the variable tends to `to`, from the right where it is finite; `name`: it in LaTeX."""

    printed_side: ClassVar[str] = "value"
    expression: Expr
    variable: Symbol
    to: Expr
    value: Expr
    name: str = ""

    @property
    def latex(self) -> str:
        arrow = rf"{latex(self.variable)}\to {latex(self.to)}" + ("^+" if self.to.is_finite else "")
        return rf"\lim_{{{arrow}}}{self.name or latex(self.expression)}={latex(self.value)}"

    @property
    def plain(self) -> str:
        return f"{self.name or self.expression} -> {self.value} as {self.variable} -> {self.to}"

    def checks(self) -> tuple[Check, ...]:
        with mp.workdps(3 * DIGITS):
            near, far = map(self._real, _near(self.expression, self.variable, self.to, (12, 18)))
            size = max(abs(to_mpf(self.value)), mpmath.mpf(1))
            before, off = (abs(value - to_mpf(self.value)) / size for value in (near, far))
            moved = abs(near - far) / size
            bound = min(before, 100 * moved) + mpmath.mpf(10) ** (12 - DIGITS)  # it comes closer, and fast enough
        detail = f"{mpmath.nstr(near, 12)} and then {mpmath.nstr(far, 12)}; the two differ by {mpmath.nstr(moved, 2)}"
        name = "distance of the expression from the stated limit near the point"
        numbers = replace(Check.measured(name, off, bound, detail), route=NUMBERS)  # which alone refutes nothing
        found = self._exactly()
        if found is None:
            return (numbers,)
        same = simplify(found - self.value) == 0
        rest = str(simplify(found - self.value))
        exact = Check("limit by algebra minus the stated limit", rest, 0, same, "proved", route=ALGEBRA)
        return (exact, replace(numbers, strength="proved"))

    def _real(self, value):
        """A value without the rounding error that makes it complex."""
        if abs(mp.im(value)) > abs(value) * mpmath.mpf(10) ** -DIGITS:
            raise NoValueError(f"{self.expression} is not real next to {self.variable} = {self.to}; give a real one")
        return mp.re(value)

    def _exactly(self) -> Expr | None:
        try:
            with limited("the limit of the expression", SIMPLIFYING):
                found = sympy_limit(self.expression, self.variable, self.to, "+")
        except (OverrunError, NotImplementedError, PoleError, ValueError):  # the last ones are SymPy's
            return None
        return found if found.is_finite and not found.has(self.variable) else None

    def corrected(self) -> "Limit | None":
        found = self._exactly()
        return None if found is None else replace(self, value=simplify(found))


@dataclass(frozen=True)
class Size(StatedFormula):
    """expression = Theta(size) as the variable tends to `to`: their ratio has a limit that is neither 0 nor infinite.

    `name`: the expression in LaTeX.
    """

    expression: Expr
    variable: Symbol
    size: Expr
    to: Expr = oo
    name: str = ""

    @property
    def latex(self) -> str:
        return rf"{self.name or latex(self.expression)}=\Theta\left({latex(self.size)}\right)"

    @property
    def plain(self) -> str:
        return f"{self.name or self.expression} = Theta({self.size}) as {self.variable} -> {self.to}"

    def checks(self) -> tuple[Check, ...]:
        with limited("the limit of a ratio", SIMPLIFYING):
            found = sympy_limit(simplify(self.expression / self.size), self.variable, self.to, "+")
        same = found.is_finite is True and found.is_zero is False
        exact = Check("limit of the expression over the stated size", str(found), "finite, not 0", same, "proved")
        return (exact,) if same else (replace(exact, route=ALGEBRA), self._numbers())

    def _numbers(self) -> Check:
        """The ratio at two places, one much nearer to `to`: what algebra refutes moves here by more than a factor."""
        ratio = self.expression / self.size
        letters = sorted(ratio.free_symbols - {self.variable}, key=str)
        point = {letter: Rational(7 * k + 9, 8) for k, letter in enumerate(letters)}
        near, far = map(abs, _near(ratio.subs(point), self.variable, self.to, (6, 18)))
        settles = bool(near and far and mpmath.mpf(1) / 2 <= far / near <= 2)
        shown = f"{mpmath.nstr(near, 8)}, then {mpmath.nstr(far, 8)}"
        name, bound = "the ratio, in numbers, at two points", "not 0, within a factor of 2"
        return Check(name, shown, bound, settles, route=NUMBERS)


@dataclass(frozen=True)
class Agreement(StatedFormula):
    """A number that is printed with so many decimals; it agrees when it rounds to them."""

    expression: Expr
    printed: str
    name: str = ""

    @property
    def latex(self) -> str:
        return rf"{self.name or latex(self.expression)}\approx {self.printed}"

    @property
    def plain(self) -> str:
        return f"{self.name or self.expression} = {self.printed}..."

    @property
    def decimals(self) -> int:
        return len(self.printed.partition(".")[2])

    def checks(self) -> tuple[Check, ...]:
        half = Rational(1, 2 * 10**self.decimals)
        stated = StatedValue(Rational(self.printed), half, self.printed)
        numbers = compared("the number, rounded to the printed decimals", self.expression, stated)
        if numbers.passed is not False:
            return (numbers,)
        return (numbers, *(enclosed_apart(self.expression, stated) or self._again(half)))

    def _again(self, half) -> tuple[Check, ...]:
        """The same at twice the digits: an integral or a root that balls do not know is then found by other nodes."""
        with mp.workdps(2 * DIGITS):
            off = abs(to_mpf(self.expression) - mpmath.mpf(self.printed))
            half = to_mpf(half)
        name = "the same at twice the digits, by other nodes"
        return (replace(Check.measured(name, off, half), route="other nodes"),)

    def corrected(self) -> "Agreement":
        with mp.workdps(DIGITS):
            units = int(mp.nint(to_mpf(self.expression) * mp.mpf(10) ** self.decimals))
        digits = str(abs(units)).zfill(self.decimals + 1)
        cut = len(digits) - self.decimals
        parts = [digits[:cut], digits[cut:]] if self.decimals else [digits]
        return replace(self, printed="-" * (units < 0) + ".".join(parts))
