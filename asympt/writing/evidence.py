"""The numbers of a document about any law: values beside the law, the checks."""

import re
from dataclasses import dataclass, field

from mpmath import mp
from sympy import Expr, Integer

from asympt.errors import AsymptError
from asympt.evidence import Verification
from asympt.evidence.law_terms import number
from asympt.expansions import Expansion, Monomial
from asympt.expansions.typesetting import tex
from asympt.numbers import to_mpf
from asympt.recursions import C, D
from asympt.writing.account import CARRIED, Account
from asympt.writing.escape import escape, fill
from asympt.writing.network_numbers import constancy, logarithm
from asympt.writing.notation import depth_tex, running, shown
from asympt.writing.verdicts import check_table

SLOW_DEPTHS = (10**2, 10**3, 10**4, 10**6, 10**12)
LOG_DEPTHS = (10**3, 10**6, 10**12, 10**100)  # of a law in the logarithm of the depth
FAST_DEPTHS = (5, 10, 20, 40, 80)
ITERATED_DEPTHS = (10, 100, 1000)  # of a law whose numbers are iterated layer by layer
DIGITS, GUARD = 15, 15
SPARE = 2  # digits of a difference that are not shown
FAR = 22  # digits of values where every layer is a Gaussian integral
LEFT = 5  # digits of what is left out: blank where they are not certain
HOW = {True: "iterated", False: "evaluated"}

_CHECKS = r"""
Table~\ref{tab:checks} lists what was checked, by routes that the derivation did not use. A check is \emph{proved}
when it is an identity between exact expressions: then the formula solves the recursion term by term, for every
start@also. It is \emph{checked} when numbers were compared: that shows agreement for the start and the depths named,
to the digits given, and not more. It is \emph{unknown} when it could not be done, and \emph{refuted} when it
failed.@remainder

\begin{table}[!ht]
\centering
\small
@checks
\caption{What speaks for the law.}
\label{tab:checks}
\end{table}
"""
_ALSO = r"; or a theorem shown in ball arithmetic, for the start and all the depths that it names"
_BOUNDED = r" The theorem bounds the remainder@of; a law that has one and whose other checks pass is \emph{proved}."
_VALUES = r"""
Table~\ref{tab:values} puts certified values beside the sum of the terms of the law@left.

\begin{table}[!ht]
\centering
\small
\begin{tabular}{@@{}@columns@@{}}
\toprule
@head \\
\midrule
@rows \\
\bottomrule
\end{tabular}
\caption{Values and law@from.}
\label{tab:values}
\end{table}
"""
_FIGURE = r"""
\begin{figure}[!ht]
\centering
\includegraphics[width=@width]{@name}
\caption{@caption}
\label{fig:law}
\end{figure}
"""
_LEFT = (
    "; the last column is what the law leaves out, in units of its remainder, as far as the digits show it: if a term "
    "were missing or wrong it would grow without bound"
)
_MISSING = "Values are not tabulated: @reason.\n"


def evidence(a: Account, found: Verification, figure: str = "", beside: Verification | None = None) -> str:
    """Figure, values, checks; `beside`: those of the law of the correlation beside the law."""
    parts = ["\\section{Evidence}\\label{sec:evidence}", figure, values(a)]
    steps = a.subject.step == "step"
    both = {"The law": found}
    if beside is not None:
        both = {"The law of the correlation": beside, "The law of the kernel": found}
    checks = check_table(both, lambda name: _said(a, name) if steps else name)
    theorem = any(verified.theorem is not None for verified in both.values())
    return "\n".join([*parts, fill(_CHECKS, checks=checks, also=_ALSO if theorem else "", remainder=_bounded(a, both))])


def _bounded(a: Account, both: dict[str, Verification]) -> str:
    """Which theorem bounds the remainder, and why there is none where there is none."""
    if a.law.expansion.remainder is None:
        return ""
    of = {heading: "" if len(both) == 1 else f" of the law{heading.removeprefix('The law')}" for heading in both}
    proved = [heading for heading, verified in both.items() if verified.theorem is not None]
    if len(proved) == len(both):
        return _BOUNDED.replace("@of", "")
    parts = [
        _BOUNDED.replace("@of", of[heading]) if heading in proved
        else f" No check bounds the remainder{of[heading]}{_because(verified.unproved)}."
        for heading, verified in both.items()
    ]  # fmt: skip
    return "".join(parts)


def _because(reason: str) -> str:
    return f"; why there is no theorem: {escape(reason)}" if reason else ""


def environment(name: str, said: str, width: str = r"0.82\textwidth") -> str:
    """The figure environment of the document's law."""
    return fill(_FIGURE, name=name, caption=said, width=width)


def _said(a: Account, name: str) -> str:
    """The name of a check in the letters of this document."""
    return in_steps(name).replace("chi", str(a.notation.base))


def in_steps(name: str) -> str:
    """The name of a check with n for the index and steps for layers, as a recursion has them.

    >>> in_steps("C = A(t_l) - l is constant up to layer 10^4")
    'C = A(t_n) - n is constant up to step 10^4'
    """
    return re.sub(r"\blayer", "step", re.sub(r"(?<=[_^])l\b|\bl\b", "n", name))


def values(a: Account) -> str:
    """The tables, or why there are none."""
    if a.law.parameters:
        names = ", ".join(f"${tex(symbol)}$" for symbol in sorted(a.law.parameters, key=str))
        plural = "s" if len(a.law.parameters) > 1 else ""
        reason = f"the law contains the parameter{plural} {names}; give a number for each to see some"
        return fill(_MISSING, reason=reason)
    if a.start is None:
        return fill(_MISSING, reason="no start was given")
    try:
        return "\n".join(part for part in (_values(a), logarithm(a), constancy(a)) if part)
    except AsymptError as problem:
        return fill(_MISSING, reason=escape(str(problem)))


@dataclass(frozen=True)
class Values:
    """Numbers beside the law: (depth, whether iterated, value) to so many digits, and the constants.

    `more`: to how many digits the values at some depths are known.
    """

    points: tuple
    digits: int
    known: dict
    more: dict = field(default_factory=dict)

    def at(self, depth: int) -> int:
        """To how many digits the value at a depth is known."""
        return self.more.get(depth, self.digits)


def _values(a: Account) -> str:
    found, rest = _found(a), a.law.expansion.remainder
    summed = set(found.known) >= {name for name, symbol in (("C", C), ("D", D)) if a.has(symbol)} and _numeric(a)
    limit, how = _limit(a), any(iterated for _, iterated, _ in found.points)
    less = _less(a, limit)
    heads = [f"${a.at_depth}$", *(["how"] if how else []), f"${running(a.law.quantity)}{less}$"]
    heads += [f"law{less and f' ${less}$'}"] if summed else []
    heads += ["left out"] if summed and rest is not None else []
    with mp.workdps(max([found.digits, *found.more.values()]) + GUARD):
        rows = [_row(a, point, found, limit, heads) for point in found.points]
    lines = " \\\\\n".join(" & ".join(row) for row in rows if row)
    return fill(
        _VALUES, left=_LEFT if "left out" in heads else "", head=" & ".join(heads), rows=lines,
        columns="r" + "l" * (len(heads) - 1 - ("left out" in heads)) + "r" * ("left out" in heads),
        **{"from": f" for {a.start_shown}"},
    )  # fmt: skip


def _found(a: Account) -> Values:
    """The values in the figure, or those of the law at a few depths."""
    if a.plot and a.plot.points:
        return Values(a.plot.points, a.plot.digits, a.known if a.net else {"C": a.plot.constant})
    digits = max(a.carried, FAR) if a.is_costly else CARRIED
    values, more, limit = {}, {}, _limit(a)
    for depth in _depths(a):
        values[depth] = a.law.evaluate(depth, digits=digits, **a.start)
        while not a.is_costly and (lost := _lost(values[depth], limit, more.get(depth, digits))) > (
            more.get(depth, digits) - DIGITS - SPARE
        ):
            more[depth] = digits + lost
            values[depth] = a.law.evaluate(depth, digits=more[depth], **a.start)
    return Values(tuple((depth, False, value) for depth, value in values.items()), digits, a.known, more)


def _lost(value, limit: Expr, digits: int) -> int:
    """Leading digits that a value shares with its limit."""
    with mp.workdps(digits + GUARD):
        distance = abs(value - to_mpf(limit))
        return max(0, int(mp.ceil(mp.log10(abs(value) / distance)))) if distance and value else 0


def _limit(a: Account):
    """The limit of the quantity, from which the values are told where they come close to it; else 0."""
    near = a.law.expansion.scale.base is not None or a.subject.uniformiser is not None
    tends = near and a.law.expansion.terms and a.law.expansion.leading[0] == Monomial(0)
    return a.law.expansion.leading[1] if tends else Integer(0)


def _less(a: Account, limit: Expr) -> str:
    """The limit subtracted: -1, +1/2, -(a - b); nothing for 0."""
    written = a.notation(limit)
    if written == 0:
        return ""
    if written.is_Add:
        return f"-({running(tex(written))})"
    return f"+{running(tex(-written))}" if written.as_coeff_Mul()[0].is_negative else f"-{running(tex(written))}"


def _numeric(a: Account) -> bool:
    """Whether the law's coefficients are numbers but for C and D."""
    own = set(a.law.constant_symbols.values()) | {a.depth}
    return all(c.free_symbols <= own for branch in a.law.branches.values() for _, c in branch.terms)


def _depths(a: Account) -> tuple[int, ...]:
    """Where a law is evaluated."""
    if a.law.kind == "leading":
        return ITERATED_DEPTHS
    if a.form == "time" and not a.law.expansion.scale.variable.is_Symbol:
        return LOG_DEPTHS
    return FAST_DEPTHS if a.law.expansion.scale.base is not None else SLOW_DEPTHS


def _row(a: Account, point: tuple, found: Values, limit: Expr, heads: list[str]) -> list[str]:
    """The cells; none where the distance from the limit has no digits."""
    depth, iterated, exact = point
    digits = found.at(depth)
    told, distance = min(DIGITS, digits - SPARE - _lost(exact, limit, digits)), exact - to_mpf(limit)
    if told < LEFT:
        return []
    cells = [f"${depth_tex(depth)}$", *([HOW[iterated]] if "how" in heads else []), f"${shown(distance, told)}$"]
    if len(cells) == len(heads):
        return cells
    law = _sum(a, depth, found.known, limit)
    cells.append(f"${shown(law, told)}$")
    if "left out" in heads:
        rest = distance - law
        certain = abs(rest) > abs(exact) * mp.mpf(10) ** (LEFT + 1 - digits)
        cells.append(f"${shown(rest / _size(a, depth), LEFT)}$" if certain else "")
    return cells


def _sum(a: Account, depth: int, known: dict, limit: Expr):
    """The printed terms with these constants, without the limit where that is subtracted."""
    branch, constants = a.law.branch(depth), {**known, str(a.depth): mp.mpf(depth)}
    terms = branch.terms[1:] if limit != 0 else branch.terms
    return mp.fsum(number(c, constants) * _monomial(a, branch, m, depth) for m, c in terms)


def _size(a: Account, depth: int):
    """The remainder's monomial."""
    branch = a.law.branch(depth)
    return _monomial(a, branch, branch.remainder.monomial, depth)


def _monomial(a: Account, branch: Expansion, monomial: Monomial, depth: int):
    """A monomial of the depth in numbers."""
    return number(branch.scale.to_sympy(monomial), {str(a.depth): mp.mpf(depth)})
