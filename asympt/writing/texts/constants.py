"""How the constants of a start are computed, and by which two routes they were."""

from mpmath import mp

from asympt.errors import AsymptError
from asympt.expansions.typesetting import tex
from asympt.writing.account import Account
from asympt.writing.digits import shown
from asympt.writing.escape import fill

_CONSTANT = r"""
\section{The @constants}\label{sec:constant}
@how
@routes
"""
_ABEL = r"""
The series of $A$ is asymptotic: truncated after $t^N$ it gives $A$ to any number of digits where $t$ is small enough.
So @itself is iterated from @start, in multiple precision and without any expansion, up to a matching @step~$h$, and
there $C=A_N(t_h)-h$ is read off@second; at any depth $@depth>h$ the equation $A_N(t_@depth)=@depth+C$ is then solved by
Newton's method, at a cost that does not depend on~$@depth$.
"""
_KOENIGS = r"""
The series of $S$ converges near the fixed point. @Itself is iterated from @start, in multiple precision and without any
expansion, up to a matching @step~$h$ that lies well inside, and there $C=@base^{-h}S_N(y_h)$ is read off from $S$
truncated after the power~$N$@second; at any depth $@depth>h$ the equation $S_N(y_@depth)=C\,@base^@depth$ is then
solved by Newton's method, at a cost that does not depend on~$@depth$.
"""
_TWICE = r"""
Everything is done twice, at two precisions, with two truncations and two choices of $h$, and only digits on which both
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
_MAP, _LAYERS = ("the map itself", "$x_0$"), ("the layer recursion itself", "the first layer")


def constant_section(a: Account) -> str:
    """How C (and D) is computed and, for a start, by which two routes it was."""
    texts = {"abel": _ABEL, "koenigs": _KOENIGS}
    if a.form not in texts:
        return ""
    itself, start = _MAP if a.subject.step == "step" else _LAYERS
    second = ", and with it $D$ from the linear recursion iterated as far" if a.find("linear") else ""
    how = fill(
        texts[a.form], itself=itself, Itself=itself[0].upper() + itself[1:], start=start, step=a.subject.step,
        depth=a.at_depth, second=second, base=tex(a.notation.base),
    )  # fmt: skip
    return fill(_CONSTANT, constants="constants" if second else "constant", how=how.strip(), routes=_routes(a))


def _routes(a: Account) -> str:
    rows = [] if a.start is None or a.law.parameters else _crossings(a)
    if not rows:
        return ""
    lines = " \\\\\n".join(f"{digits} & {last} & {step} & ${shown(size, 3)}$" for digits, last, step, size in rows)
    return fill(_TWICE, rows=lines + r" \\", variable="$|y_h|$" if a.form == "koenigs" else "$|t_h|$")


def _crossings(a: Account) -> list[tuple]:
    """(digits carried, N, h, |t_h| or |y_h|) of the two routes; none when the orbit does not need them."""
    try:
        found = a.law.crossings(a.carried, **a.start)
    except AsymptError:
        return []
    if not all(hasattr(crossing, "distance") for _, crossing in found):  # at rest, or followed in another way
        return []
    steps = 1 if a.form == "koenigs" else int(a.coordinate["advance"])
    powers = 1 if a.form == "koenigs" else a.m
    return [(r.digits, powers * r.last, steps * c.layer, _size(a, c)) for r, c in found]


def _size(a: Account, crossing):
    """|t| or |y| where the orbit crosses."""
    with mp.workdps(crossing.digits):
        return crossing.distance if a.form == "koenigs" else mp.root(crossing.distance, a.root)
