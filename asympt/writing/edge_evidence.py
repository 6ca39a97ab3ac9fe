"""Evidence for a law on the Edge of Chaos: its constants, values beside the law, the checks.

Values come from two sources that know nothing of the printed terms: the layer recursion in float64, to depth 10^5, and
the law's own certified evaluation (the original recursion in multiple precision up to a hand-over, then A^(-1)), at
any depth.
"""

from mpmath import mp
from sympy import Float

from asympt.depth import pairs
from asympt.errors import PrecisionError
from asympt.evidence.reading import rest_of, terms_of, value
from asympt.numbers import to_mpf
from asympt.writing.digits import number_rows
from asympt.writing.edge_material import START, EdgeMaterial
from asympt.writing.escape import escape
from asympt.writing.evidence_table import power_of_ten, shown
from asympt.writing.figure import environment
from asympt.writing.formulas import constant
from asympt.writing.notation import running
from asympt.writing.template import fill
from asympt.writing.verdicts import Verdicts, law_table

ITERATED = (10**2, 10**3, 10**4, 10**5)
EVALUATED = (10**5, 10**6, 10**9, 10**12)  # beyond the hand-over, up to which the recursion runs in any case
FLOAT_DIGITS = 10  # shown of a float64 value, fewer than any machine gets right
GUARD = 15

_VALUES = r"""
For $c^1=@start$ the constants are, to $@digits$~digits,
@constants
They come from the layer recursion itself, iterated in multiple precision up to a layer where the truncated series of
$A$@linear is accurate, by two routes at two precisions that agree.

Table~\ref{tab:values} puts values beside the law. The column ``iterated'' is the layer recursion in double precision;
``evaluated'' is certified: the recursion in multiple precision to the hand-over, then $A^{-1}$. The column ``law'' is
the sum of the @terms terms of~(\ref{@equation}) with these constants, and the last one is what the law leaves out, in
units of its remainder: if a term were missing or wrong it would grow without bound.

\begin{table}[!ht]
\centering
\footnotesize
@table
\caption{Values of $@quantity$ and law for $c^1=@start$.}
\label{tab:values}
\end{table}
"""

_CHECKS = r"""
Table~\ref{tab:checks} lists what was checked, by routes that the derivation did not use. A check is \emph{proved} when
it is a symbolic identity, \emph{checked} when it compares numbers, \emph{unknown} when it could not be done,
\emph{refuted} when it failed.

\begin{table}[!ht]
\centering
\small
@checks
\caption{What speaks for the laws.}
\label{tab:checks}
\end{table}
"""
_MISSING = "Values are not tabulated: @reason.\n"

def evidence(m: EdgeMaterial, verdicts: Verdicts, figure_name: str) -> str:
    """Figure, table of values, verdicts."""
    figure = environment(figure_name, _caption(m))
    heading = "\\section{Numerical evidence}\\label{sec:evidence}"
    return "\n".join([heading, figure, values(m), fill(_CHECKS, checks=law_table(verdicts))])


def _caption(m: EdgeMaterial) -> str:
    equation = r"\ref{eq:ntk}" if m.is_ntk else r"\ref{eq:correlation}"
    return (
        rf"Above: the layer recursion in double precision from $c^1={running(constant(START))}$ (points), scaled by "
        rf"the order of its first decaying term, and the partial sums of the law~({equation}). Below: the relative "
        f"error of these sums.{_alone(m)}"
    )


def _alone(m: EdgeMaterial) -> str:
    """What the figure does not show."""
    if m.stability.attracts:
        return ""
    return f" Both inputs start at the variance~$q$, which is {m.stability.kind}: others have other curves."


def values(m: EdgeMaterial) -> str:
    """Constants and the table, or the reason why there are none."""
    try:
        return _values(m)
    except PrecisionError as problem:
        return fill(_MISSING, reason=escape(str(problem)))


def _values(m: EdgeMaterial) -> str:
    rows = [(name, number) for name, number in m.values.items()]
    rows.append(("B", shifted_constant(m)))
    quantity = "K^L(x,x')/(qL)" if m.is_ntk else "1-c^l"
    return fill(
        _VALUES,
        start=running(constant(START)),
        digits=m.certified,
        constants=number_rows(rows, m.certified),
        linear=", $P$ and $H$" if m.is_ntk else "",
        terms=len(m.law.expansion.terms),
        equation="eq:ntk" if m.is_ntk else "eq:correlation",
        quantity=quantity,
        table=_table(m, quantity),
    )


def shifted_constant(m: EdgeMaterial):
    """B = C - (beta/m) log(alpha)."""
    with mp.workdps(m.digits + GUARD):
        return m.values["C"] - to_mpf(m.beta) / m.m * mp.log(to_mpf(m.alpha))


def _table(m: EdgeMaterial, quantity: str) -> str:
    heads = [f"${m.law.depth_variable}$", f"${quantity}$ iterated", "evaluated", "law", "left out"]
    with mp.workdps(m.digits + GUARD):
        body = " \\\\\n".join(_row(m, depth) for depth in sorted({*ITERATED, *EVALUATED}))
    top = "\\begin{tabular}{@{}rlllr@{}}\n\\toprule\n" + " & ".join(heads) + " \\\\\n\\midrule\n"
    return top + body + " \\\\\n\\bottomrule\n\\end{tabular}"


def _row(m: EdgeMaterial, depth: int) -> str:
    iterated = _iterated(m, depth) if depth in ITERATED else None
    exact = m.evaluate(depth) if depth in EVALUATED else None
    law = value(terms_of(m.law.expansion, m.values), mp.mpf(depth))
    rest = rest_of(m.law.expansion)
    size = mp.mpf(depth) ** -to_mpf(rest.order) * mp.log(depth) ** rest.logs
    left = ((iterated if exact is None else exact) - law) / size
    seen = [(iterated, FLOAT_DIGITS), (exact, m.certified), (law, m.certified)]
    cells = ["" if number is None else f"${shown(number, digits)}$" for number, digits in seen]
    return " & ".join([f"${power_of_ten(depth)}$", *cells, f"${shown(left, 4)}$"])


def _iterated(m: EdgeMaterial, depth: int):
    """The quantity by the layer recursion in float64."""
    gap, kernel = pairs(m.layer, float(1 - START), depth)
    return mp.mpf(float(kernel)) / depth if m.is_ntk else mp.mpf(float(gap))


def plotted(m: EdgeMaterial):
    """The Matplotlib figure of the law."""
    from asympt.plots.edge import edge_figure

    return edge_figure(m.law, START, {name: Float(number, 30) for name, number in m.values.items()})
