"""The derivation for a hyperbolic map: from the map to the law.

    the_map             y' = chi y + g_2 y^2 + ..., or t' = mu t + ... when there are fractional powers
    koenigs_function    the triangular system and its solution
    inversion           y_n = S^(-1)(C chi^n), and the quantity itself
"""

from sympy import Expr, Rational, Symbol, cancel, degree

from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.protocol import T
from asympt.writing.formulas import Piece, align, break_lines, columns, display, sum_pieces, tex, times
from asympt.writing.recursion_formulas import running
from asympt.writing.recursion_inversion import observed
from asympt.writing.recursion_material import RecursionMaterial
from asympt.writing.recursion_steps import SHOWN, shown_pieces
from asympt.writing.template import fill

ROWS = 3
Y = Scale.at_zero(Symbol("y", positive=True))
Z = Scale.at_zero(Symbol("z", positive=True))
PACE = Symbol("chi")

# ---- the map --------------------------------------------------------------------------------------

_MAP = r"""
\section{The map at the fixed point}\label{sec:map}
Put $y=@inner$, that is $x=@outer$. One step is
@image
"""

_FRACTIONAL = r"""
As this is a series in $t=y^{1/@root}$, we work with $t$ and with $\mu=\chi^{1/@root}$: one step is
@image
"""


def the_map(m: RecursionMaterial) -> str:
    """y' as a series."""
    x, y = Symbol("x"), Y.variable
    inner, outer = (running(tex(e)) for e in (m.inner(x), m.outer(y)))
    if inner == "x":
        text = "\\section{The map at the fixed point}\\label{sec:map}\nWrite $y$ for $x$. One step is\n@image\n"
    else:
        text = _MAP
    image = display("y'", shown_pieces(m, _in_y(m), 2, SHOWN), "eq:map", end=".")
    made = fill(text, inner=inner, outer=outer, image=image)
    if m.root == 1:
        return made
    inside = display("t'", shown_pieces(m, in_t(m), 2, SHOWN), "eq:tmap", end=".")
    return made + fill(_FRACTIONAL, root=m.root, image=inside)


def _ratio(m: RecursionMaterial, count: int = 6) -> Expansion:
    """y'/y in t."""
    ratio = m.law.dynamics.ratio(count)
    return Expansion.build(AT_FIXED_POINT, {(k, 0): c for k, c in enumerate(ratio)}, Formal(Monomial(count)))


def _in_y(m: RecursionMaterial) -> Expansion:
    """y' in y, exact when it is a polynomial."""
    share, ratio, image = Rational(1, m.root), _ratio(m), cancel(m.law.dynamics.formula)
    if image.is_polynomial(T):
        terms = [(Monomial(k * share), image.expand().coeff(T, k)) for k in range(1, 1 + degree(image, T))]
        return Expansion(Y, tuple(term for term in terms if term[1] != 0))
    terms = [(Monomial(1 + k.order * share), c) for k, c in ratio.terms]
    return Expansion(Y, tuple(terms), Formal(Monomial(1 + ratio.remainder.monomial.order * share)))


def in_t(m: RecursionMaterial) -> Expansion:
    """t' = t (y'/y)^(1/r)."""
    unit = _ratio(m).power(Rational(1, m.root))
    terms = tuple((Monomial(k.order + 1), c) for k, c in unit.terms)
    return Expansion(AT_FIXED_POINT, terms, Formal(Monomial(unit.remainder.monomial.order + 1)))


# ---- the Koenigs function --------------------------------------------------------------------------

_KOENIGS = r"""
\section{The Koenigs function}\label{sec:koenigs}
We look for the coordinate in which one step is a multiplication,
\begin{equation}
  @name(@variable')=@pace\,@name(@variable), \qquad @name(@variable)=@variable+\sum_{k\ge2}@{coefficient}_k@variable^k ,
  \label{eq:koenigs}
\end{equation}
where the coefficient $1$ of $@variable$ is a normalisation. With
$@variable'=@pace\,@variable+g_2@variable^2+g_3@variable^3+\cdots$ the coefficients of
$@variable^2,@variable^3,\dots$ in $@name(@variable')-@pace\,@name(@variable)$ are
@rows
and so on. The new unknown $@{coefficient}_k$ comes with the factor $@pace^k-@pace$, which is not zero for $k\ge2$: the
system is triangular and there is no resonance, hence no logarithm. Here
@numbers
and with them
@solution@power
Along an orbit $S(y_{n+1})=\chi\,S(y_n)$, so
\begin{equation}
  S(y_n)=C\,\chi^n, \qquad C=S(y_0)=\lim_{n\to\infty}\chi^{-n}y_n .
  \label{eq:constant}
\end{equation}
The last equality holds for every start whose orbit tends to the fixed point, and defines $S(y_0)$ where the series does
not converge.
"""


def koenigs_rows(coefficient: str) -> list[tuple[int, Expr]]:
    """The coefficients of y^2, y^3, ... in S(y') - chi S(y), for symbolic chi, g_k and s_k.

    >>> koenigs_rows("s")[0]
    (2, chi**2*s_2 - chi*s_2 + g_2)
    """
    last = ROWS + 1
    step = {(1, 0): PACE, **{(k, 0): Symbol(f"g_{k}") for k in range(2, last + 1)}}
    image = Expansion.build(AT_FIXED_POINT, step, Formal(Monomial(last + 1)))
    unknowns = {1: 1, **{k: Symbol(f"{coefficient}_{k}") for k in range(2, last + 1)}}
    total = sum((image.power(k) * s for k, s in unknowns.items()), Expansion.build(AT_FIXED_POINT, {}, image.remainder))
    return [(k, (total.coefficient(k) - PACE * unknowns[k]).expand()) for k in range(2, last + 1)]


def koenigs_function(m: RecursionMaterial) -> str:
    """The system, its solution and the constant."""
    simple = m.root == 1
    pace, variable, name, letter = (r"\chi", "y", "S", "s") if simple else (r"\mu", "t", "U", "u")
    shown = m.law.koenigs.expansion
    if simple:
        shown = Expansion(Y, shown.terms, shown.remainder)
    text = fill(
        _KOENIGS,
        name=name,
        variable=variable,
        pace=pace,
        coefficient=letter,
        rows=_rows(letter, variable).replace(r"\chi", pace),
        numbers=_values(m, simple),
        solution=display("S(y)" if simple else "S", shown_pieces(m, shown), "eq:S"),
        power="" if simple else "\n" + rf"where $S=U^{{{m.root}}}$, so that $S(y')=\chi\,S(y)$.",
    )
    return text if m.notation.base.name == "chi" else _with_base(text, m)


def _with_base(text: str, m: RecursionMaterial) -> str:
    """chi written as the parameter that it is."""
    return text.replace(r"\chi", tex(m.notation.base))


def _rows(letter: str, variable: str) -> str:
    lines = []
    for power, expression in koenigs_rows(letter):
        unknowns = [Symbol(f"{letter}_{k}") for k in range(power, 1, -1)]
        pieces = [times(expression.coeff(u), tex(u)) for u in unknowns]
        pieces += sum_pieces(expression.subs(dict.fromkeys(unknowns, 0)))
        first, *others = break_lines(pieces, taken=6)
        lines += [rf"{variable}^{power}:\quad 0 &= {first}", *(rf"&\quad {other}" for other in others)]
    return align(lines, "", ",", set())


def _values(m: RecursionMaterial, simple: bool) -> str:
    steps = (_in_y(m) if simple else in_t(m)).coefficients
    said = [rf"g_{k} = {m.notation.constant(steps.get(Monomial(k), 0 * PACE))}" for k in range(2, ROWS + 1)]
    return columns(said, end=" ,")


# ---- inversion ------------------------------------------------------------------------------------

_INVERSION = r"""
\section{Inversion}\label{sec:inversion}
By~(\ref{eq:constant}), $y_n=S^{-1}(C\,@base^n)$. @inverse
@quantity
"""


def inversion(m: RecursionMaterial) -> str:
    """y_n and the quantity of the law."""
    inverse = ""
    if m.root == 1:
        known = m.law.koenigs.expansion.truncate(SHOWN).revert(Z)
        inverse = "Reverting the series,\n" + display("S^{-1}(z)", shown_pieces(m, known, 3, SHOWN), "eq:inverse")
    return fill(_INVERSION, base=tex(m.notation.base), inverse=inverse, quantity=_quantity(m))


def _quantity(m: RecursionMaterial) -> str:
    if m.observed:
        view = observed(m, Y)
        name = tex(m.notation(m.law.view.expression.subs(m.law.view.symbol, Symbol("x"))))
        shown = display(name, shown_pieces(m, view, 2, SHOWN))
        return f"The quantity asked for is\n{shown}\nwhich at $y=y_n$ gives~(\\ref{{eq:law}})."
    outer = running(tex(m.outer(Y.variable)))
    return rf"As $x={outer}$, this gives~(\ref{{eq:law}})." + _decimals(m)


def _decimals(m: RecursionMaterial) -> str:
    """The law once more with its coefficients as decimals, when constants without a closed form are in them."""
    if not m.named or m.symbolic:
        return ""
    from mpmath import mp

    from asympt.numbers import to_mpf
    from asympt.recursions.coordinates.abel_inversion import C

    pieces = []
    for monomial, coefficient in m.law.expansion.terms:
        with mp.workdps(30):
            number = to_mpf(coefficient.subs(C, 1))
        shown = mp.nstr(abs(number), 10)
        power = m.notation.constant(C**monomial.order) if monomial.order else ""
        base = tex(m.notation.base ** (monomial.order * m.law.depth_variable)) if monomial.order else ""
        body = f"{power}\\,{base}" if shown == "1.0" else f"{shown}\\,{power}\\,{base}"
        pieces.append(Piece("+" if number > 0 else "-", body.removesuffix("\\,\\,")))
    return " In decimals,\n" + display(m.law.quantity, [*pieces, Piece("+", r"\cdots")])


def derivation(m: RecursionMaterial) -> str:
    """Every step from the map to the law."""
    return "\n".join([the_map(m), koenigs_function(m), inversion(m)])
