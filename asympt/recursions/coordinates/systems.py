"""The triangular systems for the coefficients of Abel's and of Koenigs' function, with symbols for all coefficients.

Problem.  A reader wants to see which equation gives which coefficient, for a map of any coefficients.

Rule.  A is put into A(t(1 + e)) = A(t) + 1, S into S(chi y + g_2 y^2 + ...) = chi S(y), by expansions whose
coefficients are symbols: what stands before a power of t is the equation for one unknown.

Tiny case.  m = 1: the coefficient of t^0 is -alpha_(-1) e_1 - 1.

Known limits.  The first equations only; the solvers (`abel`, `koenigs`) work with the coefficients themselves.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Symbol, solve

from asympt.expansions import Expansion, Formal, Monomial
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, stride

BETA, MULTIPLIER = Symbol("beta"), Symbol("chi")
KOENIGS_ROWS = 3


@dataclass(frozen=True)
class Equation:
    """The coefficient of t^power in the equation, which determines the newest of its `unknowns`, and these in order."""

    power: int
    unknowns: tuple[Symbol, ...]
    expression: Expr


# ---- Abel's equation ----------------------------------------------------------------------------------


def alpha_symbol(k: int) -> Symbol:
    """alpha_k, as LaTeX has it."""
    return Symbol(rf"\alpha_{{{k}}}")


def growth_symbol(k: int, letter: str = "e") -> Symbol:
    """e_k."""
    return Symbol(f"{letter}_{{{k}}}")


@dataclass(frozen=True)
class AbelSystem:
    """The equations for alpha_(-m), ..., beta, alpha_stride, e a series in t^stride from e_m t^m on.

    >>> [str(row.expression) for row in AbelSystem(1, 1).rows][:2]
    ['-\\\\alpha_{-1}*e_{1} - 1', '\\\\alpha_{-1}*e_{1}**2 - \\\\alpha_{-1}*e_{2} + beta*e_{1}']
    """

    multiplicity: int
    stride: int
    advance: int = 1

    @classmethod
    def of(cls, growth: Expansion, advance: int = 1) -> "AbelSystem":
        """The system of a map, from its e."""
        known, m = growth.coefficients, int(growth.leading[0].order)
        every = stride([known.get(Monomial(k), 0) for k in range(1 + int(growth.terms[-1][0].order))])
        return cls(m, every, advance)

    @cached_property
    def rows(self) -> tuple[Equation, ...]:
        """The equations."""
        m, g = self.multiplicity, self.stride
        last = 2 * m + g
        growth = {(k, 0): growth_symbol(k) for k in range(m, last + 1, g)}
        factor = Expansion.build(AT_FIXED_POINT, {(0, 0): 1, **growth}, Formal(Monomial(last + 1)))
        defect = factor.log() * BETA - self.advance
        unknowns = {k: alpha_symbol(k) if k else BETA for k in range(-m, g + 1, g)}
        for k in unknowns:
            if k:
                defect = defect + (factor.power(k) - 1) * Expansion.build(AT_FIXED_POINT, {(k, 0): unknowns[k]})
        return tuple(self._row(k, unknowns, defect.coefficient(k + m)) for k in unknowns)

    def _row(self, k: int, unknowns: dict[int, Symbol], expression: Expr) -> Equation:
        seen = [unknowns[j] for j in sorted(unknowns, reverse=True) if j <= k and expression.has(unknowns[j])]
        return Equation(k + self.multiplicity, tuple(seen), expression.expand())

    @cached_property
    def residue(self) -> Expr | None:
        """beta in terms of the e_k, when alpha_(-m) alone comes before it.

        >>> AbelSystem(1, 1).residue
        1 - e_{2}/e_{1}**2
        """
        first, second = self.rows[:2]
        if second.unknowns[0] != BETA:
            return None
        leading = solve(first.expression, first.unknowns[0])[0]
        return solve(second.expression.subs(first.unknowns[0], leading), BETA)[0].expand()


# ---- Koenigs' equation ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class KoenigsSystem:
    """The coefficients of y^2, y^3, ... in S(y') - chi S(y), for symbolic chi, g_k and s_k.

    >>> KoenigsSystem().rows[0].expression
    chi**2*s_2 - chi*s_2 + g_2
    """

    @cached_property
    def rows(self) -> tuple[Equation, ...]:
        """The equations."""
        last = KOENIGS_ROWS + 1
        step = {(1, 0): MULTIPLIER, **{(k, 0): Symbol(f"g_{k}") for k in range(2, last + 1)}}
        image = Expansion.build(AT_FIXED_POINT, step, Formal(Monomial(last + 1)))
        unknowns = {1: 1, **{k: Symbol(f"s_{k}") for k in range(2, last + 1)}}
        total = sum(
            (image.power(k) * s for k, s in unknowns.items()), Expansion.build(AT_FIXED_POINT, {}, image.remainder)
        )
        return tuple(
            Equation(k, tuple(unknowns[j] for j in range(k, 1, -1)),
                (total.coefficient(k) - MULTIPLIER * unknowns[k]).expand())
            for k in range(2, last + 1)
        )  # fmt: skip
