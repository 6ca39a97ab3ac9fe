"""The sections with numbers: how the constant is computed, values beside the law, the checks."""

import re
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr

from asympt.errors import AsymptError
from asympt.evidence import Verification
from asympt.numbers import to_mpf
from asympt.plots.recursion import OrbitPoint, RecursionData
from asympt.recursions.place import numeric
from asympt.writing.escape import escape
from asympt.writing.evidence_table import shown
from asympt.writing.formulas import tex
from asympt.writing.recursion_formulas import running
from asympt.writing.recursion_material import RecursionMaterial
from asympt.writing.recursion_numbers import depth_tex
from asympt.writing.template import fill
from asympt.writing.verdicts import check_table

TABLE = (100, 1000, 10**4, 10**5, 10**6, 10**7, 10**8)

# ---- the constant ---------------------------------------------------------------------------------

_CONSTANT = r"""
\section{The constant}\label{sec:constant}
@how
@routes
"""

_HOW_ABEL = r"""
The series of $A$ is asymptotic: truncated after $t^N$ it gives $A$ to any number of digits where $t$ is small enough.
So the map itself is iterated from $x_0$, in multiple precision and without any expansion, up to a hand-over
step~$h$, and there $C=A_N(t_h)-h$ is read off; at any depth $n>h$ the equation $A_N(t_n)=n+C$ is then solved by
Newton's method, at a cost that does not depend on~$n$.
"""

_HOW_KOENIGS = r"""
The series of $S$ converges near the fixed point. The map itself is iterated from $x_0$, in multiple precision and
without any expansion, up to a hand-over step~$h$ that lies well inside, and there $C=@base^{-h}S_N(y_h)$ is read off
from $S$ truncated after the power~$N$; at any depth $n>h$ the equation $S_N(y_n)=C\,@base^n$ is then solved by Newton's
method, at a cost that does not depend on~$n$.
"""

_TWICE = r"""
Everything is done twice, at two precisions, with two truncations and two hand-overs, and only digits on which both
agree are given:
\[
\mbox{\begin{tabular}{@@{}rrrr@@{}}
\toprule
digits carried & $N$ & $h$ & @variable \\
\midrule
@rows
\bottomrule
\end{tabular}}
\]
"""


def constant_section(m: RecursionMaterial) -> str:
    """How C is computed and, for a start, by which two routes it was."""
    how = fill(_HOW_KOENIGS, base=tex(m.notation.base)) if m.hyperbolic else _HOW_ABEL.strip()
    return fill(_CONSTANT, how=how.strip(), routes=_routes(m))


@dataclass(frozen=True)
class Computation:
    """One of the two computations: digits carried, power at which the series ends, hand-over step, distance there."""

    digits: int
    last: int
    step: int
    size: object


def _routes(m: RecursionMaterial) -> str:
    crossings = [] if m.start is None else _crossings(m)
    if not crossings:
        return ""
    rows = " \\\\\n".join(f"{c.digits} & {c.last} & {c.step} & ${shown(c.size, 3)}$" for c in crossings) + r" \\"
    return fill(_TWICE, rows=rows, variable="$|y_h|$" if m.hyperbolic else "$|t_h|$")


def _crossings(m: RecursionMaterial) -> list[Computation]:
    """The routes of the engine for these digits; none when the orbit does not need them."""
    coordinate = m.law.coordinate
    try:
        start = m.law.reader(start=m.start)
        ways = coordinate.routes(m.digits + 10)
        found = [(route, coordinate.crossing(start, route)) for route in ways]
    except AsymptError:
        return []
    if any(crossing is None for _, crossing in found):
        return []
    steps = [m.advance * c.layer for _, c in found]
    last = [r.last if m.hyperbolic else m.m * r.last for r, _ in found]
    return [Computation(r.digits, n, h, _size(m, h)) for (r, _), n, h in zip(found, last, steps, strict=True)]


def _size(m: RecursionMaterial, step: int):
    """|t| or |y| at a step."""
    with mp.workdps(m.digits + 40):
        move, x = numeric(m.recursion.expression, m.x), to_mpf(m.start)
        for _ in range(step):
            x = move(x)
        y = abs(m.place.distance(x))
        return y if m.hyperbolic else mp.root(y, m.root)


# ---- values ---------------------------------------------------------------------------------------

_VALUES = r"""
The following table puts values beside the law with this constant. @left
\[
\mbox{\small
@table}
\]
"""
_LEFT_OUT = r"""
The last column is what the law leaves out, in units of its remainder: if a term were missing or wrong it would grow
without bound.
"""
_EXACT = "Here the law is exact."
_TABULAR = r"""
\begin{tabular}{@@{}@columns@@{}}
\toprule
@head \\
\midrule
@body \\
\bottomrule
\end{tabular}
"""

_FIGURE = r"""
\begin{figure}[!ht]
\centering
\includegraphics[width=\textwidth]{@name}
\caption{@caption Filled marks: the map iterated; open marks: certified evaluation at depths nobody iterates to.}
\label{fig:law}
\end{figure}
"""


def values(m: RecursionMaterial, data: RecursionData) -> str:
    """The table of values."""
    left = _EXACT if data.law.expansion.remainder is None else _LEFT_OUT.strip()
    return fill(_VALUES, table=_value_table(m, data), left=left)


def _value_table(m: RecursionMaterial, data: RecursionData) -> str:
    tends, exact = data.limit != 0, data.law.expansion.remainder is None
    quantity, limit = running(m.law.quantity), _minus(m, m.law.limit) if tends else ""
    heads = ["$n$", "how", f"${quantity}{limit}$", "law" + (f" ${limit}$" if tends else ""), "left out"]
    with mp.workdps(data.digits):
        rows = [_value_row(data, point) for point in _rows(m, data)]
    lines = [" & ".join(row[:4] if exact else row) for row in (heads, *rows)]
    head, body = lines[0], " \\\\\n".join(lines[1:])
    return fill(_TABULAR, columns="rlll" if exact else "rlllr", head=head, body=body).strip()


def _minus(m: RecursionMaterial, limit: Expr) -> str:
    """The limit subtracted: -1, +1/2, -(a - b)."""
    written = m.notation(limit) if m.observed else m.point
    if written.is_Add:
        return f"-({running(tex(written))})"
    return f"+{running(tex(-written))}" if written.as_coeff_Mul()[0].is_negative else f"-{running(tex(written))}"


def _rows(m: RecursionMaterial, data: RecursionData) -> list[OrbitPoint]:
    """Few of the points."""
    if not m.hyperbolic:
        wanted = {n + k for n in TABLE for k in ((0, 1) if m.flip and n in (TABLE[0], TABLE[-1]) else (0,))}
        return [p for p in data.points if p.steps in wanted]
    count = len(data.points)
    return [p for index, p in enumerate(data.points) if index % max(1, count // 8) == 0 and p.steps > 1]


def _value_row(data: RecursionData, point: OrbitPoint) -> list[str]:
    value, law = point.value - data.limit, data.sum(point) - data.limit
    how = "iterated" if point.iterated else "evaluated"
    exact = data.law.remainder is None
    left = "0" if exact else shown((value - law) / data.remainder(point), 5)
    cells = [depth_tex(point.steps), how, shown(value, 15), shown(law, 15), left]
    return [c if c == how else f"${c}$" for c in cells]


def inclusion(m: RecursionMaterial, data: RecursionData, name: str) -> str:
    """The figure environment."""
    return fill(_FIGURE, name=name, caption=_caption(m, data.climbs))


def _caption(m: RecursionMaterial, climbs: bool) -> str:
    if m.hyperbolic:
        left = rf"Left: ${tex(m.notation.base)}^{{-n}}y_n$ tends to $C$ (dashed)."
    else:
        left = r"Left: $s_n=\alpha t_n^{-@m}$ without the growing terms of its expansion tends to a constant (dashed)"
        left = left.replace("@m", str(m.m)) + ("; $s_n-n$ climbs with the logarithm." if climbs else ".")
    return left + (
        r" Right: relative error of the first terms of~(\ref{eq:law}); the lines are the size of the first term "
        "left out."
    )


def labels(m: RecursionMaterial) -> dict[str, str]:
    """What the figure calls its curves."""
    quantity = running(m.law.quantity).replace(r"\tfrac", r"\frac")
    error = f"relative error of ${quantity}$"
    if m.hyperbolic:
        return {"drift": rf"${tex(m.notation.base)}^{{-n}}\,y_n$", "error": error}
    return {"climb": r"$s_n-n$", "drift": r"$s_n-n-\cdots$", "error": error}


# ---- checks ---------------------------------------------------------------------------------------

_CHECKS = r"""
Last, what was checked, by routes that the derivation did not use. A check is \emph{proved} when it is an identity
between exact expressions: then the formula solves the recursion term by term, for every start. It is \emph{checked}
when numbers were compared: that shows agreement for the start and the depths named, to the digits given, and not more.
It is \emph{unknown} when it could not be done, and \emph{refuted} when it failed. No check bounds the remainder.
\[
\mbox{\small
@checks}
\]
"""

_NO_NUMBERS = "Values are not tabulated: @reason.\n"


def evidence(
    m: RecursionMaterial, found: Verification, data: RecursionData | None, figure: str, trouble: str = ""
) -> str:
    """Figure, values, checks; `trouble` says why there are no values although there is a start."""
    parts = ["\\section{Evidence}\\label{sec:evidence}"]
    parts += [_why_none(m, trouble)] if data is None else [figure, values(m, data)]
    base = str(m.notation.base)

    def said(name: str) -> str:
        """The check in the letters of this document."""
        return in_steps(name).replace("chi", base)

    return "\n".join([*parts, fill(_CHECKS, checks=check_table({"The law": found}, said, True))])


def _why_none(m: RecursionMaterial, trouble: str) -> str:
    if trouble:
        return fill(_NO_NUMBERS, reason=escape(trouble))
    if m.law.parameters:
        names = ", ".join(f"${tex(symbol)}$" for symbol in sorted(m.law.parameters, key=str))
        plural = "s" if len(m.law.parameters) > 1 else ""
        reason = f"the map contains the parameter{plural} {names}; give a number for each to see some"
        return fill(_NO_NUMBERS, reason=reason)
    return fill(_NO_NUMBERS, reason="no start $x_0$ was given")


def in_steps(name: str) -> str:
    """The name of a check with n for the index and steps for layers, as a recursion has them.

    >>> in_steps("C = A(t_l) - l is constant up to layer 10^4")
    'C = A(t_n) - n is constant up to step 10^4'
    """
    return re.sub(r"\blayer", "step", re.sub(r"(?<=[_^])l\b|\bl\b", "n", name))
