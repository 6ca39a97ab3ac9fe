"""The section of numerical evidence."""

from asympt.errors import PrecisionError
from asympt.writing import evidence_table as table
from asympt.writing.formulas import constant, tex
from asympt.writing.material import START, Material
from asympt.writing.template import fill
from asympt.writing.verdicts import Verdicts, law_table

_VALUES = r"""
For $c^1=@start$ the constants are, to $@shown$ digits,
\[
\begin{aligned}
@constants
\end{aligned}
\]
Table~\ref{tab:values} puts the values beside the law. Up to depth~$@iterated$ the layer recursion itself is iterated
with @digits digits; deeper values come from evaluating $A^{-1}$, certified by two computations at two precisions and
two layers at which the orbit enters the coordinate. The column ``law'' is the sum of the @terms terms
of~(\ref{@equation}) with these constants. With
@rest
the last two columns show the logarithm: $@ratio$ tends to its coefficient $@limit$, though only as fast as
$1/\log @depth$, and what is left after subtracting it@level.

\begin{table}[!ht]
\centering
\footnotesize
\setlength{\tabcolsep}{4.5pt}
@values
\caption{Values and law for $c^1=@start$.}
\label{tab:values}
\end{table}

Table~\ref{tab:constancy} shows that $C@second constant along the orbit: @pronoun read off at layer $l$ from the Abel
function@solution truncated at $t^{@order}$, and compared with the @known above.

\begin{table}[!ht]
\centering
\small
@constancy
\caption{The connection constant@plural along the iterated orbit, $c^1=@start$.}
\label{tab:constancy}
\end{table}
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

_MISSING = "Values are not tabulated: @reason.\n"


def evidence(m: Material, verdicts: Verdicts, figure: str) -> str:
    """Tables, figure, verdicts."""
    parts = ["\\section{Numerical evidence}\\label{sec:evidence}", figure, values(m)]
    return "\n".join([*parts, checked(verdicts)])


def checked(verdicts: Verdicts) -> str:
    """The table of checks, with what its words mean."""
    return fill(_VERDICTS, checks=law_table(verdicts))


def values(m: Material) -> str:
    """The tables of values, or the reason why there are none."""
    if m.symbolic:
        shown = ", ".join(f"${tex(symbol)}$" for symbol in sorted(m.alpha.free_symbols, key=str))
        return fill(_MISSING, reason=f"the slopes contain the symbols {shown}; give them numbers to see some")
    numbers = table.Numbers(m)
    try:
        return _values(m, numbers)
    except PrecisionError as problem:
        return fill(_MISSING, reason=problem)


def _values(m: Material, n: table.Numbers) -> str:
    names = [("C", n.first_constant), ("B", table.shifted_constant(n))]
    if m.is_ntk:
        names.insert(1, ("D", n.second_constant))
    constants = [rf"{name} &= {table.grouped(value, m.digits)}" for name, value in names]
    depth = str(m.law.depth_variable)
    order = (m.law.linear.particular if m.is_ntk else m.law.abel.expansion).terms[-1][0].order
    return fill(
        _VALUES,
        start=constant(START).replace(r"\frac", r"\tfrac"),
        constants=", \\\\\n".join(constants) + ".",
        iterated=table.power_of_ten(table.ITERATED[-1]),
        shown=m.digits,
        digits=m.digits + table.GUARD,
        terms=m.terms,
        equation="eq:ntk" if m.is_ntk else "eq:correlation",
        limit=constant(table.ratio_limit(m)),
        rest=table.rest_definition(m),
        ratio=rf"{depth}\,r_{depth}/\log {depth}",
        depth=depth,
        level=table.level_sentence(n),
        values=table.value_table(n),
        pronoun="they are" if m.is_ntk else "it is",
        known="values" if m.is_ntk else "value",
        second="$ and $D$ are" if m.is_ntk else "$ is",
        solution=" and from $P$ and $H$" if m.is_ntk else "",
        order=order,
        constancy=table.constancy_table(n),
        plural="s" if m.is_ntk else "",
    )
