"""Statements that a measurement decides: name = formula (to a relative tolerance), or <, <=, >, >=, in every row."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from mpmath import mp
from sympy import Expr, Symbol, latex

from asympt.claims.forms import agreement, inequality
from asympt.claims.stated.statement import DIGITS, MEASURED, SIGNS, StatedFormula, in_balls
from asympt.evidence.check import Check
from asympt.numbers import exact, to_mpf


@dataclass(frozen=True)
class Datum:
    """One measurement: what it is, the numbers of the letters, what came out for the left side, and by which route."""

    title: str
    letters: dict[Symbol, object]
    value: object
    route: str = MEASURED


@dataclass(frozen=True)
class Measured(StatedFormula):
    """`name` `sign` right in every row; `text`, the name without LaTeX; `true`, the right side put right.

    `together`: what several rows are called in one check, which shows the worst of them.
    """

    name: str
    right: Expr
    rows: Callable[[], tuple[Datum, ...]]
    sign: str = "="
    tolerance: float = 1e-9
    text: str = "the measured value"
    together: str = ""
    true: Expr | None = None

    @property
    def latex(self) -> str:
        return rf"{self.name}{SIGNS[self.sign][1] if self.sign != '=' else '='} {latex(self.right)}"

    @property
    def plain(self) -> str:
        return f"{self.text} {self.sign} {self.right}"

    def checks(self) -> tuple[Check, ...]:
        rows = self.rows()
        if self.together:
            worst = max(rows, key=self._off)
            rows = (replace(worst, title=f"{self.together}, worst of {len(rows)}: {worst.title}"),)
        return tuple(map(self._check, rows))

    def _told(self, row: Datum):
        with mp.workdps(DIGITS):
            return to_mpf(self.right.subs({letter: exact(value) for letter, value in row.letters.items()}))

    def _off(self, row: Datum) -> float:
        """How bad a row is: its relative deviation, or how near it comes to the bound."""
        told = self._told(row)
        if self.sign == "=":
            return float(abs(row.value / told - 1) if told else abs(row.value))
        return float((row.value - told) * (1 if self.sign.startswith("<") else -1) / abs(told or 1))

    def _check(self, row: Datum) -> Check:
        told = self._told(row)
        if self.sign == "=":
            found = agreement(row.title, row.value, told, self.tolerance)
        else:
            found = inequality(row.title, float(row.value), f"{self.sign} {float(told):.10g}")
        return replace(found, route=row.route)

    def beside(self, right: "Measured") -> tuple[Check, ...]:
        """The first row at which the two right sides differ, in balls: what is measured is the other one."""
        if not self.sign == right.sign == "=":
            return ()
        gaps = ((right.right - self.right).subs({s: exact(v) for s, v in row.letters.items()}) for row in self.rows())
        return in_balls("the corrected right side, which the measurement confirms, minus the printed one", gaps)
