"""The numbers of a document about any law: its constants for a start, values beside the law, the checks."""

from mpmath import mp

from asympt.errors import AsymptError
from asympt.evidence import Verification
from asympt.evidence.reading import number
from asympt.expansions import Expansion, Monomial
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.writing.account import Account
from asympt.writing.escape import escape
from asympt.writing.evidence_table import power_of_ten, shown
from asympt.writing.figure import environment
from asympt.writing.formulas import tex
from asympt.writing.recursion_formulas import running
from asympt.writing.recursion_numbers import number_rows
from asympt.writing.template import fill
from asympt.writing.verdicts import check_table

SLOW_DEPTHS = (10**2, 10**3, 10**4, 10**6, 10**12)
FAST_DEPTHS = (5, 10, 20, 40, 80)
ITERATED_DEPTHS = (10, 100, 1000)  # of a law whose numbers are iterated layer by layer
DIGITS, GUARD = 15, 15
CARRIED, LEFT = 30, 4  # digits of values and constants, and of what is left out: blank where they are not certain

_CHECKS = r"""
Table~\ref{tab:checks} lists what was checked, by routes that the derivation did not use. A check is \emph{proved} when
it is a symbolic identity, \emph{checked} when it compares numbers, \emph{unknown} when it could not be done,
\emph{refuted} when it failed. No check bounds the remainder.

\begin{table}[!ht]
\centering
\small
@checks
\caption{What speaks for the law.}
\label{tab:checks}
\end{table}
"""
_VALUES = r"""
@constants
Table~\ref{tab:values} puts certified values beside the sum of the terms of the law@left.

\begin{table}[!ht]
\centering
\small
\begin{tabular}{@@{}rll@last@@{}}
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
_CONSTANTS = r"""
For @start the constants are, to $@digits$~digits,
@rows
They come from the recursion itself, by two routes at two precisions that agree.
"""
_LEFT = (
    "; the last column is what the law leaves out, in units of its remainder, as far as the digits show it: if a term "
    "were missing it would grow"
)
_MISSING = "Values are not tabulated: @reason.\n"


def evidence(a: Account, found: Verification, figure: str = "") -> str:
    """Values and checks."""
    parts = ["\\section{Evidence}\\label{sec:evidence}", figure, values(a)]
    return "\n".join([*parts, fill(_CHECKS, checks=check_table({"The law": found}))])


def inclusion(name: str) -> str:
    """The figure environment."""
    return environment(name, r"Points: the layer recursion (filled) and certified evaluation (open); lines: "
                             r"the law~(\ref{eq:law}).")  # fmt: skip


def values(a: Account) -> str:
    """The tables, or why there are none."""
    if a.law.parameters:
        names = ", ".join(f"${tex(symbol)}$" for symbol in sorted(a.law.parameters, key=str))
        return fill(_MISSING, reason=f"the law contains the symbols {names}; give numbers for them to see some")
    if a.start is None:
        return fill(_MISSING, reason="no start was given")
    try:
        return _values(a)
    except AsymptError as problem:
        return fill(_MISSING, reason=escape(str(problem)))


def _values(a: Account) -> str:
    known = _constants(a)
    rest = a.law.expansion.remainder
    summed = set(known) >= {name for name, symbol in (("C", C), ("D", D)) if a.has(symbol)} and _numeric(a)
    heads = [f"${a.at_depth}$", f"${running(a.law.quantity)}$", "law" if summed else ""]
    last = summed and rest is not None
    rows = [" & ".join(_row(a, depth, known, summed, last)) for depth in _depths(a)]
    return fill(
        _VALUES, constants=_shown_constants(a, known), left=_LEFT if last else "", last="r" if last else "",
        head=" & ".join([*heads, *(["left out"] if last else [])]), rows=" \\\\\n".join(rows), **{"from": _from(a)},
    )  # fmt: skip


def _constants(a: Account) -> dict:
    """C and D, as far as they are in the law and have numbers."""
    known = {}
    for name, symbol, ask in (("C", C, a.law.connection_constant), ("D", D, a.law.second_constant)):
        if a.has(symbol):
            try:
                known[name] = ask(CARRIED, **a.start)
            except AsymptError:
                continue
    return known


def _numeric(a: Account) -> bool:
    """Whether the law's coefficients are numbers but for C and D."""
    own = set(a.law.constant_symbols.values()) | {a.depth}
    return all(c.free_symbols <= own for branch in a.law.branches.values() for _, c in branch.terms)


def _shown_constants(a: Account, known: dict) -> str:
    if not known:
        return ""
    digits = min(a.digits, DIGITS)
    return fill(_CONSTANTS, start=_start(a), digits=digits, rows=number_rows(list(known.items()), digits))


_STARTS = {"correlation": "c^1", "variance": "q^1", "start": "x_0", "position": r"\alpha"}


def _start(a: Account) -> str:
    """'$c^1=1/10$'."""
    said = []
    for name, given in a.start.items():
        values = given if isinstance(given, tuple) else (given,)
        said.append(f"${_STARTS[name]}={','.join(running(tex(v)) for v in values)}$")
    return " and ".join(said)


def _from(a: Account) -> str:
    return f" for {_start(a)}" if a.start else ""


def _depths(a: Account) -> tuple[int, ...]:
    if a.law.kind == "leading":
        return ITERATED_DEPTHS
    return FAST_DEPTHS if hasattr(a.law.expansion.scale, "base") else SLOW_DEPTHS


def _row(a: Account, depth: int, known: dict, summed: bool, last: bool) -> list[str]:
    exact = a.law.evaluate(depth, digits=CARRIED, **a.start)
    cells = [f"${power_of_ten(depth) if depth >= 100 else depth}$", f"${shown(exact, DIGITS)}$"]
    with mp.workdps(CARRIED + GUARD):
        law = _sum(a, depth, known) if summed else None
        cells.append(f"${shown(law, DIGITS)}$" if summed else "")
        if last:
            rest = exact - law
            certain = abs(rest) > abs(exact) * mp.mpf(10) ** (LEFT + 1 - CARRIED)
            cells.append(f"${shown(rest / _size(a, depth), LEFT)}$" if certain else "")
    return cells


def _sum(a: Account, depth: int, known: dict):
    """The printed terms with these constants."""
    branch, constants = a.law.branch(depth), {**known, str(a.depth): mp.mpf(depth)}
    return mp.fsum(number(c, constants) * _monomial(a, branch, m, depth) for m, c in branch.terms)


def _size(a: Account, depth: int):
    """The remainder's monomial."""
    branch = a.law.branch(depth)
    return _monomial(a, branch, branch.remainder.monomial, depth)


def _monomial(a: Account, branch: Expansion, monomial: Monomial, depth: int):
    """A monomial of the depth in numbers."""
    return number(branch.scale.to_sympy(monomial), {str(a.depth): mp.mpf(depth)})
