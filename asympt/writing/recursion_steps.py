"""The derivation for a parabolic map, or for the second iterate of a flip: from the map to its Abel function.

    the_map          the uniformiser t, t' = t (1 + e(t))
    abel_function    the triangular system, its solution, the iterative residue
"""

from dataclasses import dataclass

from sympy import Expr, Rational, Symbol, cancel, simplify, solve

from asympt.expansions import Expansion, Formal, Monomial
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, stride
from asympt.recursions.protocol import T
from asympt.writing.formulas import (
    LINE,
    Piece,
    align,
    break_lines,
    columns,
    display,
    inline,
    slashes,
    sum_pieces,
    tex,
    times,
)
from asympt.writing.recursion_formulas import map_pieces, running, tidy
from asympt.writing.recursion_material import RecursionMaterial
from asympt.writing.template import fill
from asympt.writing.width import width

SHOWN = 4  # terms of a series; lines of a solution
BETA = Symbol("beta")

# ---- the map --------------------------------------------------------------------------------------

_MAP = r"""
\section{@title}\label{sec:map}
@uniformiser
@step
with
@growth
Here $m=@m$ is the leading exponent@stride: $e(t)=e_{@m}@t^m+\cdots$ with $e_{@m}=@lead<0$. Then
$(@image)^{-@m}=t^{-@m}+@gain+\cdots$, so that @meaning
"""

_ONE_STEP = r"""
$t^{-@m}$ grows by about $@plain$ a step, and $t_n\sim@first$ with $\alpha=@alpha$. The next terms follow from the
coordinate in which every step is exactly one.
"""
_TWO_STEPS = r"""
$t^{-@m}$ grows by about $@plain$ in two steps, and $|t_n|\sim@first$ with $\alpha=@alpha$. The next terms follow from
the coordinate in which two steps are exactly two.
"""


_TWO_AT_A_TIME = " As $G'(x^*)=-1$, two steps at a time are considered: $t''$ is $t$ after two steps,"


def the_map(m: RecursionMaterial) -> str:
    """t' = t (1 + e(t))."""
    gain, image = _inline(m, -m.m * m.growth[m.m]), "t''" if m.flip else "t'"
    first = r"\alpha/n" if m.m == 1 else rf"(\alpha/n)^{{1/{m.m}}}"
    meaning = fill(
        _TWO_STEPS if m.flip else _ONE_STEP, m=m.m, plain=gain, first=first, alpha=_inline(m, m.alpha)
    )
    return fill(
        _MAP.replace("@t^m", power_of_t(m.m)),
        title="The second iterate" if m.flip else "The map at the fixed point",
        uniformiser=_uniformiser(m),
        step=_step(m, image),
        growth=display("e(t)", shown_pieces(m, growth_expansion(m), 2), "eq:growth"),
        m=m.m,
        stride=_stride(m),
        image=image,
        lead=_inline(m, m.growth[m.m]),
        gain=_bracketed(gain),
        meaning=meaning.strip(),
    )


def power_of_t(k: int) -> str:
    return "t" if k == 1 else f"t^{{{k}}}"


def _inline(m: RecursionMaterial, value: Expr) -> str:
    return running(m.notation.constant(value))


def _bracketed(shown: str) -> str:
    return f"({shown})" if shown.startswith("-") else shown


def _uniformiser(m: RecursionMaterial) -> str:
    """Which variable is used."""
    x = Symbol("x")
    inner, whole = m.uniformiser(x), tex(m.outer(T**m.root))
    side = r"$t\to0$" if m.flip else r"$t\downarrow0$"
    if inner == x:
        said = rf"Write $t$ for $x$; along the orbit {side}."
    else:
        said = rf"Put $t={running(tex(inner))}$, that is $x={running(whole)}$; along the orbit {side}."
    return said + (_TWO_AT_A_TIME if m.flip else " One step is")


def _step(m: RecursionMaterial, image: str) -> str:
    """t' as a formula, if it is short, and as t (1 + e)."""
    closed = _closed_step(m)
    shown = inline(map_pieces(m.notation(closed), T, ascending=True))
    if width(shown) > LINE / 2:
        return rf"\[ {image}=t\,\bigl(1+e(t)\bigr) \]"
    return rf"\[ {image}={shown}=t\,\bigl(1+e(t)\bigr) \]"


def _closed_step(m: RecursionMaterial) -> Expr:
    if m.root == 1:
        whole = cancel(m.dynamics.formula)
        return whole.expand() if whole.is_polynomial(T) else tidy(m.dynamics.formula)
    ratio = simplify(m.dynamics.formula / T**m.root)
    return T * ratio ** Rational(1, m.root)


def _stride(m: RecursionMaterial) -> str:
    step = step_of(m)
    return "" if step == 1 else rf", and only powers of $t^{{{step}}}$ occur"


def step_of(m: RecursionMaterial) -> int:
    """g: e is a series in t^g."""
    return stride(m.growth)


def growth_expansion(m: RecursionMaterial) -> Expansion:
    """e(t), exact when it is a polynomial."""
    exact = cancel(m.dynamics.formula / T - 1) if m.root == 1 else None
    if exact is not None and exact.is_polynomial(T):
        terms = {(k, 0): exact.coeff(T, k) for k in range(1, len(m.growth)) if exact.coeff(T, k) != 0}
        return Expansion(AT_FIXED_POINT, tuple((Monomial(*k), c) for k, c in terms.items()))
    terms = [(Monomial(k), c) for k, c in enumerate(m.growth) if c != 0]
    return Expansion(AT_FIXED_POINT, tuple(terms), Formal(Monomial(len(m.growth)))).truncate(SHOWN)


def shown_pieces(m: RecursionMaterial, expansion: Expansion, lines: int = SHOWN, count: int = 6) -> list[Piece]:
    """As many terms (at most `count`, at least two) as fit on so many lines."""
    for terms in range(min(count, len(expansion.terms)), 2, -1):
        pieces = m.notation.pieces(expansion, terms)
        if len(break_lines(pieces, taken=6)) <= lines:
            return pieces
    return m.notation.pieces(expansion, 2)


# ---- the Abel function ----------------------------------------------------------------------------

_ABEL = r"""
\section{The Abel function}\label{sec:abel}
We look for a function $A$ with
\begin{equation}
  A(@image)=A(t)+@advance, \qquad A(t)=@ansatz , \qquad \alpha_0=0,
  \label{eq:abel}
\end{equation}
where $\alpha_0=0$ is a normalisation. With $e(t)=@series$ the coefficients of $@powers$ in
$A(t(1+e))-A(t)-@advance$ are
@rows
and so on. The coefficient of $t^{k+@m}$ is $k\,e_{@m}\,\alpha_k$ plus terms in the unknowns before: the system is
triangular. At $k=0$ the factor $k\,e_{@m}$ vanishes, and without a logarithm the equation would be a condition on the
map; the logarithm, whose share is $e_{@m}\beta$, takes the place of $\alpha_0$ and meets it.@residue Here
@numbers
and with them
@abel
@consequence
"""

_RESIDUE = r" Its weight $\beta@solved$ is the \emph{iterative residue} of the map \cite{Milnor}."
_NO_LOG = " For this map it happens to be zero: no logarithm is needed."

_CONSEQUENCE = r"""
By construction $A(t_{n+1})=A(t_n)+1$ along an orbit, so
\begin{equation}
  A(t_n)=n+C ,
  \label{eq:constant}
\end{equation}
where the connection constant $C$ of the start is $A(t_0)$ in the sense of Theorem~\ref{thm:law}: the series is
asymptotic, not convergent.
"""

_CONSEQUENCE_FLIP = r"""
The same series serves on both sides of the fixed point, $t<0$ included. The map commutes with its second iterate, so
that $A(t')-A(t)$ is a constant, the same on both sides; twice that constant is $2$. Hence $A(t')=A(t)+1$, and along an
orbit
\begin{equation}
  A(t_n)=n+C \qquad\text{for even and odd } n,
  \label{eq:constant}
\end{equation}
where the connection constant $C$ of the start is $A(t_0)$ in the sense of Theorem~\ref{thm:law}: the series is
asymptotic, not convergent.
"""


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


def abel_function(m: RecursionMaterial) -> str:
    """The system, its solution and the constant C."""
    step = step_of(m)
    rows = abel_rows(m.m, step, m.advance)
    solved = solved_residue(rows)
    residue = "" if solved is None else "=" + slashes(residue_pieces(solved))
    return fill(
        _ABEL,
        image="t''" if m.flip else "t'",
        advance=m.advance,
        ansatz=ansatz(m.m, step, m.flip),
        series="+".join(rf"e_{{{k}}}{power_of_t(k)}" for k in (m.m, m.m + step)) + r"+\cdots",
        powers=",".join(f"t^{{{row.power}}}" for row in rows[:3]) + r",\dots",
        rows=equation_rows(rows),
        m=m.m,
        residue=_RESIDUE.replace("@solved", residue) + (_NO_LOG if m.beta == 0 else ""),
        numbers=solved_values(m, rows),
        abel=display("A(t)", signed_log(m, shown_pieces(m, m.law.abel.expansion)), "eq:A"),
        consequence=(_CONSEQUENCE_FLIP if m.flip else _CONSEQUENCE).strip(),
    )


def residue_pieces(solved: Expr) -> list[Piece]:
    """The positive summand first."""
    return sorted(sum_pieces(solved), key=lambda piece: piece.sign == "-")


def signed_log(m: RecursionMaterial, pieces: list[Piece]) -> list[Piece]:
    """log|t| for log t where t may be negative."""
    if not m.flip:
        return pieces
    return [Piece(p.sign, p.body.replace(r"\log t", r"\log|t|"), p.more) for p in pieces]


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


def solved_values(m: RecursionMaterial, rows: list[StepRow], letter: str = "e") -> str:
    """The e_k and the unknowns of the rows, in numbers."""
    names = {s.name for row in rows[:-1] for s in row.expression.free_symbols}
    used = sorted(int(name[3:-1]) for name in names if not name.startswith("\\alpha") and "_" in name)
    said = [rf"{letter}_{{{k}}} = {m.notation.constant(m.growth[k])}" for k in used]
    said += [rf"\alpha_{{{k}}} = {m.notation.constant(m.law.abel[k])}" for k in range(-m.m, 0, step_of(m))]
    return columns([*said, rf"\beta = {m.notation.constant(m.beta)}"], end=" ,")
