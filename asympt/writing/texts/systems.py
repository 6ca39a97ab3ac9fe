"""The triangular systems for the coefficients of Abel's and of Koenigs' function, with symbols for all coefficients.

Rule.  A is put into A(t(1 + e)) = A(t) + 1, S into S(chi y + g_2 y^2 + ...) = chi S(y), by expansions whose
coefficients are symbols: what stands before a power of t is the equation for one unknown.

Tiny case.  m = 1: the coefficient of t^0 is -alpha_(-1) e_1 - 1.
"""

from dataclasses import dataclass

from sympy import Expr, Symbol, solve

from asympt.expansions import Expansion, Formal, Monomial
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.writing.formulas import Piece, align, break_lines, sum_pieces, tex, times

BETA = Symbol("beta")
KOENIGS_ROWS = 3
PACE = Symbol("chi")

# ---- Abel's equation ----------------------------------------------------------------------------------


def power_of_t(k: int) -> str:
    """t^k."""
    return "t" if k == 1 else f"t^{{{k}}}"


def alpha_symbol(k: int) -> Symbol:
    """alpha_k."""
    return Symbol(rf"\alpha_{{{k}}}")


def growth_symbol(k: int, letter: str = "e") -> Symbol:
    """e_k."""
    return Symbol(rf"{letter}_{{{k}}}")


@dataclass(frozen=True)
class StepRow:
    """The coefficient of t^power in A(t(1+e)) - A(t) - advance, which determines `unknown`."""

    power: int
    unknown: Symbol
    expression: Expr


def abel_rows(m: int, step: int, advance: int = 1, letter: str = "e") -> list[StepRow]:
    """The equations for alpha_(-m), ..., beta, alpha_step, with symbols for all coefficients; `letter` of those of e.

    >>> [str(row.expression) for row in abel_rows(1, 1)][:2]
    ['-\\\\alpha_{-1}*e_{1} - 1', '\\\\alpha_{-1}*e_{1}**2 - \\\\alpha_{-1}*e_{2} + beta*e_{1}']
    """
    last = 2 * m + step
    growth = {(k, 0): growth_symbol(k, letter) for k in range(m, last + 1, step)}
    factor = Expansion.build(AT_FIXED_POINT, {(0, 0): 1, **growth}, Formal(Monomial(last + 1)))
    residual = factor.log() * BETA - advance
    unknowns = {k: alpha_symbol(k) if k else BETA for k in range(-m, step + 1, step)}
    for k in unknowns:
        if k:
            residual = residual + (factor.power(k) - 1) * Expansion.build(AT_FIXED_POINT, {(k, 0): unknowns[k]})
    return [StepRow(k + m, unknown, residual.coefficient(k + m)) for k, unknown in unknowns.items()]


def solved_residue(rows: list[StepRow]) -> Expr | None:
    """beta in terms of the e_k, when alpha_(-m) alone comes before it."""
    if rows[1].unknown != BETA:
        return None
    leading = solve(rows[0].expression, rows[0].unknown)[0]
    return solve(rows[1].expression.subs(rows[0].unknown, leading), BETA)[0].expand()


def residue_pieces(solved: Expr) -> list[Piece]:
    """The positive summand first."""
    return sorted(sum_pieces(solved), key=lambda piece: piece.sign == "-")


def ansatz(m: int, step: int, flip: bool) -> str:
    first = [_power_term(k) for k in range(-m, 0, step)]
    if len(first) > 3:
        first = [first[0], r"\cdots", first[-1]]
    log = r"\log|t|" if flip else r"\log t"
    rest = r"\sum_{k\ge1}\alpha_kt^k" if step == 1 else rf"\sum_{{k\ge1}}\alpha_{{{step}k}}t^{{{step}k}}"
    return "+".join([*first, rf"\beta{log}", rest])


def _power_term(k: int) -> str:
    return rf"\frac{{\alpha_{{{k}}}}}{{t^{{{-k}}}}}" if k < -1 else r"\frac{\alpha_{-1}}{t}"


def equation_rows(rows: list[StepRow]) -> str:
    """The equations, sorted by unknowns, the new one first; the middle of a long system is left out."""
    kept = rows if len(rows) <= 4 else [*rows[:2], None, *rows[-2:]]
    lines = []
    for row in kept:
        lines += [r"&\;\;\vdots"] if row is None else _row_lines(row)
    return align(lines, "", ",", set())


def _row_lines(row: StepRow) -> list[str]:
    unknowns = sorted((s for s in row.expression.free_symbols if s == BETA or s.name.startswith("\\alpha")), key=_age)
    expression = row.expression.expand()
    pieces = [times(expression.coeff(u), tex(u)) for u in unknowns]
    free = expression.subs(dict.fromkeys(unknowns, 0))
    pieces += [p for p in sum_pieces(free) if p.body != "0"]
    first, *others = break_lines(pieces, taken=6)
    return [rf"t^{{{row.power}}}:\quad 0 &= {first}", *(rf"&\quad {other}" for other in others)]


def _age(unknown: Symbol) -> int:
    """Newest first: alpha_k by falling k, beta at 0."""
    return 0 if unknown == BETA else -int(unknown.name[8:-1])


# ---- Koenigs' equation ----------------------------------------------------------------------------------


def koenigs_rows(coefficient: str) -> list[tuple[int, Expr]]:
    """The coefficients of y^2, y^3, ... in S(y') - chi S(y), for symbolic chi, g_k and s_k.

    >>> koenigs_rows("s")[0]
    (2, chi**2*s_2 - chi*s_2 + g_2)
    """
    last = KOENIGS_ROWS + 1
    step = {(1, 0): PACE, **{(k, 0): Symbol(f"g_{k}") for k in range(2, last + 1)}}
    image = Expansion.build(AT_FIXED_POINT, step, Formal(Monomial(last + 1)))
    unknowns = {1: 1, **{k: Symbol(f"{coefficient}_{k}") for k in range(2, last + 1)}}
    total = sum((image.power(k) * s for k, s in unknowns.items()), Expansion.build(AT_FIXED_POINT, {}, image.remainder))
    return [(k, (total.coefficient(k) - PACE * unknowns[k]).expand()) for k in range(2, last + 1)]


def koenigs_lines(variable: str, letter: str = "s") -> str:
    """The equations for the coefficients of the series in this variable."""
    lines = []
    for power, expression in koenigs_rows(letter):
        unknowns = [Symbol(f"{letter}_{k}") for k in range(power, 1, -1)]
        pieces = [times(expression.coeff(u), tex(u)) for u in unknowns]
        pieces += sum_pieces(expression.subs(dict.fromkeys(unknowns, 0)))
        first, *others = break_lines(pieces, taken=6)
        lines += [rf"{variable}^{power}:\quad 0 &= {first}", *(rf"&\quad {other}" for other in others)]
    return align(lines, "", ",", set())
