"""The first section of a document about any law: what it is about, the law, its constants, its remainder."""

from mpmath import mp
from sympy import latex, true

from asympt.evidence import Verification
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.writing.account import Account, letter
from asympt.writing.formulas import columns, display, parameter, tex
from asympt.writing.law_steps import shift_letters, shift_words
from asympt.writing.recursion_numbers import digit_lines
from asympt.writing.template import fill

_THEOREM = r"""
\begin{theorem}\label{thm:law}
@lead
@law
\end{theorem}
@letters@verdict
"""
_LETTERS = r"""
\noindent Here
@letters
"""
_BRANCHES = r"""
for even~$@depth$
@even
and for odd~$@depth$
@odd
"""
_REMAINDER = r"""
\paragraph{What the remainder means.}
The expansion is \emph{formal}: $O(\cdot)$ names the first term left out, and substituting the expansion into the
recursion leaves nothing larger. @why The constant hidden in $O$ depends on the start. This argument is quoted, not part
of what was checked by machine, and no explicit constant is claimed.
"""
_WHY = {
    "abel": r"For a fixed start it is also true, by the classical argument for Fatou coordinates \cite{Milnor} (see "
    r"also \cite[Chapter~8]{deBruijn}).",
    "koenigs": r"For a fixed start it is also true, by Koenigs' theorem \cite{Koenigs,MilnorKoenigs}.",
    "time": "For a fixed start it is also true: the flow time and the clock differ by a convergent sum.",
    "": "",
}
_EXACT = r"""
\paragraph{No remainder.}
The law holds exactly at every depth.
"""


def statement(a: Account, found: Verification) -> str:
    """Setting, theorem, letters, verdict, remainder."""
    verdict = rf"\noindent Verdict of the checks in Section~\ref{{sec:evidence}}: \emph{{{found.verdict}}}."
    theorem = fill(_THEOREM, lead=_lead(a), law=_law(a), letters=_letters(a), verdict=verdict)
    return "\n".join([a.subject.setting, theorem, _remainder(a)])


def _lead(a: Account) -> str:
    """Which constants there are, and under which conditions."""
    names = [name for name, symbol in (("C", C), ("D", D)) if a.has(symbol)]
    there = " and ".join(f"${name}$" for name in names)
    depends = " of the start" if names else ""
    first = f"There {'are constants' if len(names) > 1 else 'is a constant'} {there}{depends} such that" if names else (
        "Whatever the start is")  # fmt: skip
    condition = getattr(a.law, "condition", true)
    shown = "" if condition == true else rf"For ${latex(condition)}$: "
    end = "" if names else ","
    if a.law.expansion.remainder is not None:
        end = rf", as ${a.at_depth}\to\infty$,"
    return f"{shown}{first}{shift_words(a)}{end}"


def _law(a: Account) -> str:
    branches = list(a.told.branches.values())
    if len(branches) > 1 and branches[0] != branches[1]:
        even, odd = (display(a.law.quantity, a.all_pieces(branch), label)
                     for branch, label in zip(branches, ("eq:law", "eq:odd"), strict=True))  # fmt: skip
        return fill(_BRANCHES, depth=a.at_depth, even=even, odd=odd)
    return display(a.law.quantity, a.all_pieces(a.told.expansion), "eq:law")


def _letters(a: Account) -> str:
    """The values of the letters in the law."""
    said = [*([a.base_value] if a.base_value else []), *shift_letters(a)]
    said += [rf"{tex(symbol)}={parameter(value)}" for symbol, value in a.told.stands_for.items()]
    with mp.workdps(a.digits + 10):
        for known in a.constants:
            said.append(rf"{tex(letter(known))} = {digit_lines(to_mpf(known), min(a.digits, 20))[0]}")
    return fill(_LETTERS, letters=columns(said)) if said else ""


def _remainder(a: Account) -> str:
    if a.law.expansion.remainder is None:
        return fill(_EXACT)
    return fill(_REMAINDER, why=_WHY[a.form])
