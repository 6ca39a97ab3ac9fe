"""The last step of the derivation for a parabolic map: from the Abel function to the law.

A(t_n) = n + C becomes an equation for s = alpha t^(-m), which is inserted into itself; t_n and the quantity of the law
follow from s_n.
"""

from sympy import Rational, Symbol, simplify

from asympt.expansions import Expansion, Monomial, Scale
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.writing.formulas import Piece, display, tex
from asympt.writing.recursion_formulas import marked, running
from asympt.writing.recursion_material import RecursionMaterial
from asympt.writing.recursion_statement import law_pieces, two_branches
from asympt.writing.recursion_steps import SHOWN, abel_function, shown_pieces, the_map
from asympt.writing.template import fill

_INVERSION = r"""
\section{Inversion}\label{sec:inversion}
Put $s=\alpha\,t^{-@m}$, $\alpha=@alpha$. @reads
@balance
@own from $s_n\approx n$, gives~(\ref{@inserted}). @back
"""


def inversion(m: RecursionMaterial) -> str:
    """s_n, t_n and the quantity of the law."""
    own = "Inserting this into itself again and again, starting"
    if not m.is_s:
        own = rf"As $s_n={running(m.in_s.quantity)}$, inserting this into itself again and again, starting"
    return fill(
        _INVERSION,
        m=m.m,
        alpha=running(m.notation.constant(m.alpha)),
        reads=_reads(m),
        balance=_balance(m),
        inserted="eq:law" if m.is_s else "eq:s",
        own=own,
        back="" if m.is_s else _back(m),
    )


def _back(m: RecursionMaterial) -> str:
    """From s_n to the quantity."""
    root = r"\alpha/s_n" if m.m == 1 else rf"(\alpha/s_n)^{{1/{m.m}}}"
    side = r"\varepsilon_n\," if m.flip else ""
    text = f"Then $t_n={side}{root}$"
    if m.in_t is not None:
        text += ", that is\n" + display("t_n", law_pieces(m, m.in_t), "eq:t") + "\n"
        return text + _quantity(m)
    return text + f", and ${_outer(m)}$ is {_laws(m)}."


def _laws(m: RecursionMaterial) -> str:
    """References to the law, to both of its branches where there are two."""
    return r"(\ref{eq:law}) and~(\ref{eq:odd})" if two_branches(m) else r"(\ref{eq:law})"


def _outer(m: RecursionMaterial) -> str:
    t_n = Symbol("t_n", positive=True)
    return "x_n=" + running(tex(m.outer(t_n**m.root)))


def _reads(m: RecursionMaterial) -> str:
    text = r"Then~(\ref{eq:constant}) reads"
    if not m.shifted:
        return text
    log = r"\log|t|" if m.flip else r"\log t"
    share = "" if m.m == 1 else rf"\tfrac1{{{m.m}}}"
    b = rf"B=C-\tfrac{{\beta}}{{{m.m}}}\log\alpha" if m.m > 1 else r"B=C-\beta\log\alpha"
    return rf"As ${log}={share}(\log\alpha-\log s)$, equation~(\ref{{eq:constant}}) reads, with ${b}$,"


def _balance(m: RecursionMaterial) -> str:
    """s = n + B + (beta/m) log s - ..."""
    s, terms = Scale.at_infinity(Symbol("s_n", positive=True)), {}
    for monomial, c in m.law.abel.expansion.terms[1 : SHOWN + 1]:
        order = Rational(monomial.order) / m.m
        terms[Monomial(order, monomial.logs)] = m.beta / m.m if monomial.logs else -c * m.alpha**order
    expansion = Expansion.build(s, terms)
    pieces = m.notation.pieces(expansion)[: SHOWN - 1]
    if m.flip:
        turns = [monomial.order * m.m % 2 for monomial, _ in expansion.terms]
        pieces = [marked([p], r"\varepsilon_n")[0] if odd else p for p, odd in zip(pieces, turns, strict=False)]
    constant = Piece("+", "B" if m.shifted else "C")
    return display("s_n", [Piece("+", "n"), constant, *pieces, Piece("+", r"\cdots")])


def _quantity(m: RecursionMaterial) -> str:
    """From t_n to the law."""
    if m.observed:
        view = observed(m, AT_FIXED_POINT)
        name = tex(m.law.view.expression.subs(m.law.view.symbol, Symbol("x")))
        shown = display(name, shown_pieces(m, view, 2, SHOWN))
        return f"The quantity asked for is\n{shown}\nwhich at $t=t_n$ gives {_laws(m)}."
    return rf"and ${_outer(m)}$ is {_laws(m)}."


def observed(m: RecursionMaterial, scale: Scale) -> Expansion:
    """The function that is looked at as a series in t (or y), without a remainder when it is the whole function."""
    view, variable = m.law.view, scale.variable
    series = view.expansion(Expansion.variable(scale) ** m.root)
    function = view.expression.subs(view.symbol, m.place.outer(variable**m.root))
    if len(series.terms) <= SHOWN and simplify(function - series.to_sympy()) == 0:
        return series.without_remainder()
    return series


def derivation(m: RecursionMaterial) -> str:
    """Every step from the map to the law."""
    return "\n".join([the_map(m), abel_function(m), inversion(m)])
