"""The numbers of the document about a scaled residual network."""

from mpmath import mp

from asympt.writing.evidence_table import grouped, power_of_ten, shown
from asympt.writing.figure import environment
from asympt.writing.formulas import constant
from asympt.writing.scaled_material import EVALUATED, GUARD, ITERATED, SHOWN, START, ScaledMaterial
from asympt.writing.template import fill
from asympt.writing.verdicts import Verdicts, law_table

_VALUES = r"""
\section{Numerical evidence}\label{sec:evidence}
@figure
For $c^1=@start$ the constants are, to $@digits$ digits,
\[
\begin{aligned}
@constants
\end{aligned}
\]
Table~\ref{tab:values} puts the values beside the law. Up to depth~$@iterated$ the layer recursion itself is iterated,
with
@working digits; deeper values come from following the orbit along a smooth curve, certified by two computations at two
precisions and two layers of hand-over. The column ``law'' is the sum of the @terms terms of~(\ref{@equation}).

\begin{table}[!ht]
\centering
\small
@values
\caption{Values and law for $c^1=@start$.}
\label{tab:values}
\end{table}

Table~\ref{tab:constancy} shows that $T(\gamma_l)-g\log l$ tends to $C$ like $1/l$ along the iterated orbit.

\begin{table}[!ht]
\centering
\small
@constancy
\caption{The connection constant along the iterated orbit, $c^1=@start$.}
\label{tab:constancy}
\end{table}

@checks
"""

_VERDICTS = r"""
Table~\ref{tab:checks} lists what was checked: the laws substituted into the recursion, symbolically, and against the
recursion iterated in high and in double precision.
A check is \emph{proved} when it is a symbolic identity, \emph{checked} when it compares numbers, \emph{unknown} when it
could not be done, \emph{refuted} when it failed.

\begin{table}[!ht]
\centering
\small
@checks
\caption{What speaks for the laws.}
\label{tab:checks}
\end{table}
"""


def plotted(m: ScaledMaterial):
    """A Matplotlib figure of the law."""
    from asympt import plots

    if m.is_ntk:
        return plots.ntk_figure(m.net, terms=m.terms)
    return plots.correlation_figure(m.net, correlation=START, terms=m.terms)


def _inclusion(m: ScaledMaterial, name: str) -> str:
    shown = "$K^L(x,x')/K^L(x,x)$ for three starts~$c^1$" if m.is_ntk else r"$(g\log l)^2\,(1-c^l)$"
    caption = (
        f"{shown} over the logarithm of the depth. Filled marks: the layer recursion in double precision; open marks: "
        "certified evaluation; lines: the law; dashed: its limit."
    )
    return environment(name, caption)


def evidence(m: ScaledMaterial, verdicts: Verdicts, figure_name: str) -> str:
    """Figure, constants, tables, verdicts."""
    names = [rf"{name} &= {grouped(value, m.digits)}" for name, value in m.constants.items()]
    return fill(
        _VALUES,
        figure=_inclusion(m, figure_name),
        start=constant(START).replace(r"\frac", r"\tfrac"),
        digits=m.digits,
        constants=", \\\\\n".join(names) + ".",
        iterated=power_of_ten(ITERATED[-1]),
        working=m.digits + GUARD,
        terms=m.terms,
        equation="eq:ntk" if m.is_ntk else "eq:correlation",
        values=_table(m),
        constancy=_constancy(m),
        checks=fill(_VERDICTS, checks=law_table(verdicts)).strip(),
    )


def _table(m: ScaledMaterial) -> str:
    quantity = "K^L(x,x')/K^L(x,x)" if m.is_ntk else "1-c^l"
    head = rf"depth & how & ${quantity}$ & law & relative error of the law \\"
    rows = []
    for depth in (*ITERATED, *EVALUATED):
        value, total = m.observed(depth), m.sum_at(depth)
        how = "iterated" if depth in ITERATED else "evaluated"
        with mp.workdps(30):
            error = shown(total / value - 1, 3)
        rows.append(f"${power_of_ten(depth)}$ & {how} & ${shown(value, SHOWN)}$ & ${shown(total, 8)}$ & ${error}$")
    return _tabular("rlllr", head, rows)


def _constancy(m: ScaledMaterial) -> str:
    head = r"$l$ & $T(\gamma_l)-g\log l-C$ & the same times $l$ \\"
    rows = []
    for depth in ITERATED:
        rest = m.constancy(depth)
        rows.append(f"${power_of_ten(depth)}$ & ${shown(rest, 5)}$ & ${shown(rest * depth, 5)}$")
    return _tabular("rll", head, rows)


def _tabular(columns: str, head: str, rows: list[str]) -> str:
    body = " \\\\\n".join(rows)
    top = f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule\n{head}\n\\midrule\n"
    return f"{top}{body} \\\\\n\\bottomrule\n\\end{{tabular}}"
