"""The first section of a document about any law: what it is about, the law, its constants, its remainder."""

import re

from mpmath import mp
from sympy import EulerGamma, Expr, Integer, Lambda, Symbol, expand_log, latex, log, simplify, true
from sympy.polys.rootoftools import ComplexRootOf

from asympt.evidence import Verification
from asympt.expansions.printing import width
from asympt.expansions.typesetting import LINE, Piece, break_lines, columns, constant, display, inline, parameter, tex
from asympt.numbers import to_mpf
from asympt.recursions import C, D
from asympt.recursions.proofs.accounts import decimal_latex, told_between
from asympt.writing.account import Account
from asympt.writing.escape import escape, fill
from asympt.writing.notation import EULER, depth_tex, digit_lines, number_rows, running
from asympt.writing.texts.quantities import second_order
from asympt.writing.verdicts import said

ALPHA = Symbol("alpha", positive=True)
SHORT = 50  # characters of a weight in the text
ENCLOSED = 15  # digits of the ends between which a constant is proved to lie

_THEOREM = r"""
\begin{theorem}\label{thm:law}
@approach@lead
@beside@law@equivalent@constant@diagonal
\end{theorem}
@second@numbers@letters@verdict
"""
_EQUIVALENT = r"""
Equivalently, for $s=@s$,
@law
"""
_ABEL_CONSTANT = r"""
Here $C=\lim_{n\to\infty}\bigl(A_N(t_n)-n\bigr)$ for every $N\ge0$, where $t=@t$ and $A_N$ is the Abel
function~(\ref{eq:A}), which has no constant term, truncated after $t^N$.
"""
_KOENIGS_CONSTANT = r"""
Here $C=\lim_{n\to\infty}@base^{-n}y_n$ with $y=@y$.
"""
_NUMBERS = r"""
\noindent For @start, to $@digits$ digits,
@rows@side
"""
_LETTERS = r"""
\noindent Here@meant
@letters
"""
_CONSTANTS = r"""
\begin{center}
\begin{tabular}{@@{}ll@@{}}
\toprule
constant & value \\
\midrule
@rows
\bottomrule
\end{tabular}
\end{center}
"""
_MEANT = {
    r"f\d+": " $f_n=f^{(n)}(1)$ are derivatives of the correlation map",
    r"[eo]_\d+": " $e_k$ is the coefficient of $(1-c)^{k/2}$ in the correlation map",
}
_BRANCHES = r"""
for even~$@depth$
@even
and for odd~$@depth$
@odd
"""
_REMAINDER = r"""
\paragraph{The remainder.}
The expansion is \emph{formal}: $O(\cdot)$ names the first term left out, and the expansion solves the
recursion up to smaller terms. @series@why The constant hidden in $O$ depends on the start@uniform.
@quoted@best.
@theorem"""
_UNPROVED = r", and no explicit constant is claimed: that is why the law is at best \emph{checked}, not \emph{proved}"
_PROVED = r"""
\paragraph{With an explicit constant.}
The following is proved in ball arithmetic, for the start and all the depths named, without such an argument. The proof
is that of \texttt{law.\allowbreak certificate(\allowbreak @start)}.
@bounds"""
_BOUND = r"""
If $S$ is the sum of the terms printed in~(\ref{@label}), then
\[ \begin{gathered} @bound \\ @scope@constants . \end{gathered} \]
"""
_WHY = {
    "abel": r"""
For a fixed start the law is also true, by the classical argument for Fatou coordinates \cite{Milnor} (see also
\cite[Chapter~8]{deBruijn}): the truncation $A_N$ of $A$ after $t^N$ satisfies
$A_N(@image)-A_N(t)-@advance=O(t^{N+@next})$, and $t_{@depth}=O(@depth^{@rate})$ along the orbit; so
$A_N(t_{@depth})-@depth$ converges by telescoping, and its distance from the limit~$C$ is $O(@depth^{@gain})$.
""",
    "koenigs": r"""
For a fixed start it is also true, by Koenigs' theorem \cite{Koenigs,MilnorKoenigs}: where the map is analytic in
$@variable$, $S$ and its inverse converge near the fixed point, so that at all large depths the expansion is even a
convergent series.
""",
    "slow": r"""
On the slow manifold, which is analytic where there is no resonance, the expansion is true by Koenigs' theorem
\cite{Koenigs,MilnorKoenigs}; away from it the faster directions add terms that are at most of the size named.
""",
    "time": r"""
For a fixed start it is also true: the flow time and the clock differ by a convergent sum
(Section~\ref{sec:coordinate}).@logs
""",
    "depth": r"""
For a fixed start it is also true: the time of Section~\ref{sec:law}, cut off after $h^N$, grows by $h+O(h^{N+2})$ in a
layer, and the errors of all layers add up.
""",
    "": "",
}
_IN_LOGS = r"""
 Their difference from $C$ falls like a power of $1/@depth$, faster than every power of $1/\log @depth$; so the
form~(\ref{eq:inverse}) in the clock is the useful one at any realistic depth: the leading term alone, at the clock
without $C$, has a relative error of about $@order\,|C|$ over the clock.
"""
_UNCHECKED = "The checks of the law were left out on request, so that it has no verdict."
_EXACT = r"""
\paragraph{No remainder.}
The law holds exactly at every depth.
"""


def statement(a: Account, found: Verification, beside: Verification | None = None) -> str:
    """Setting, theorem, numbers, letters, verdict, remainder; `beside`: of the law of the correlation beside it."""
    verdict = said(found)
    if beside is not None:
        verdict = rf"the law of the correlation is {said(beside)}, the law of the kernel is {verdict}"
    verdict = rf"Verdict of the checks in Appendix~\ref{{sec:evidence}}: {verdict}." if found.checks else _UNCHECKED
    theorem = fill(
        _THEOREM, approach=a.subject.approach, lead=_lead(a), beside=_beside(a), law=_law(a), equivalent=_equivalent(a),
        constant=_constant(a), diagonal=_diagonal(a), second=_second(a), numbers=_numbers(a), letters=_letters(a),
        verdict=rf"\noindent {verdict}",
    )  # fmt: skip
    return "\n".join([a.subject.setting, theorem, _remainder(a, found, beside)])


def _beside(a: Account) -> str:
    """The law of the correlation, where that of the kernel runs along it."""
    if not a.is_ntk:
        return ""
    law = a.told_correlation
    return display(law.quantity, a.notation.pieces(law.expansion), "eq:correlation", end=",") + "\nand\n"


def _diagonal(a: Account) -> str:
    """The kernel of one input, where it is known at every depth."""
    law = a.diagonal if a.is_ntk else None
    if law is None or law.expansion.remainder is not None:
        return ""
    shown = inline(a.notation.pieces(law.expansion))
    if a.net.statement.skip and simplify(law.steps[0]["affine"] - a.net.statement.branch_share) == 0:
        shown = rf"1+\delta\,({a.at_depth}-1)"
    return f"\nFor one input ${running(law.quantity)}={shown}$ exactly, for every depth."


def _second(a: Account) -> str:
    """From which order on D counts, where the law does not show it."""
    if not a.is_ntk or a.has(D):
        return ""
    return rf"\noindent {second_order(a)}" + "\n\n"


def _lead(a: Account) -> str:
    """Which constants there are, and under which conditions."""
    names = [name for name, symbol in (("C", C), ("D", D)) if a.has(symbol)]
    there = " and ".join(f"${name}$" for name in names)
    depends = " of the start" if names else ""
    first = f"There {'are constants' if len(names) > 1 else 'is a constant'} {there}{depends} such that" if names else (
        "Then" if a.law.kind == "depthwise" else "Whatever the start is")  # fmt: skip
    condition = a.law.coordinate.condition
    shown = "" if condition == true or a.subject.approach else rf"For ${latex(condition)}$: "
    end = "" if names else ","
    if a.law.expansion.remainder is not None:
        end = rf", as ${a.at_depth}\to\infty$,"
    return f"{shown}{first}{_where(a)}{end}"


def _where(a: Account) -> str:
    """', with B = C - (beta/m) log(alpha)' and the other abbreviations; nothing where B is C."""
    said = []
    if a.notation.shift != 0 and a.has(C):
        said.append(rf"$B=C{_minus(a, -a.beta / a.m, _share(a, 'beta'))}$")
    if a.notation.second != 0 and a.has(D):
        said.append(rf"$E=D{_minus(a, a.omega / a.m, _share(a, 'omega'))}$")
    if a.turns:
        said.append(rf"$\varepsilon_{{{a.at_depth}}}=(-1)^{{{a.at_depth}}}$")
    return f", with {' and '.join(said)}" if said else ""


def _share(a: Account, letter: str) -> str:
    return rf"\{letter}" if a.m == 1 else rf"\tfrac{{\{letter}}}{{{a.m}}}"


def _is_long(a: Account, weight: Expr) -> bool:
    """Whether a weight of log(alpha) is better called by its letter."""
    return len(a.notation.constant(weight)) > SHORT


def _minus(a: Account, weight: Expr, letter: str) -> str:
    """weight log(alpha) with its sign; `letter`: of a long weight, which is that of the weight of C or minus it."""
    alpha = ALPHA if a.net and a.net.statement.layer.is_scale_free else a.notation(a.alpha)  # which the setting gives
    number, rest = expand_log(log(alpha), force=True).as_coeff_Mul()
    if not isinstance(rest, log):
        number, rest = Integer(1), log(alpha)
    if _is_long(a, weight * number):
        turned = number == -1
        sign = "+" if (letter.find("beta") < 0) != turned else "-"
        return rf"{sign}{letter}\,{tex(rest if turned else log(alpha))}"
    factor = running(a.notation.constant(weight * number))
    sign, factor = ("-", factor[1:].strip()) if factor.startswith("-") else ("+", factor)
    return sign + (tex(rest) if factor == "1" else rf"{factor}\,{tex(rest)}")


def _shift_letters(a: Account) -> list[str]:
    """'beta = ...' where B is said with that letter."""
    if a.notation.shift == 0 or not a.has(C) or not _is_long(a, a.beta / a.m):
        return []
    shown = rf"\beta={running(a.notation.constant(a.beta))}"
    return [shown if len(break_lines([Piece("+", shown)])) == 1 else rf"\beta\approx{a.beta.evalf(10)}"]


def _law(a: Account) -> str:
    branches = list(a.told.branches.values())
    if len(branches) > 1 and branches[0] != branches[1]:
        even, odd = (display(a.law.quantity, a.notation.pieces(branch), label)
                     for branch, label in zip(branches, ("eq:law", "eq:odd"), strict=True))  # fmt: skip
        return fill(_BRANCHES, depth=a.at_depth, even=even, odd=odd)
    end = "." if a.law.expansion.remainder is not None else r" \qquad\text{exactly}."
    return display(a.law.quantity, a.notation.pieces(a.told.expansion), "eq:law", end=end)


def _equivalent(a: Account) -> str:
    """The law of s = alpha t^(-m), in which the constant is normalised by the law itself."""
    if not a.tells_s:
        return ""
    s = a.alpha * a.subject.uniformiser ** (-a.m)
    law = display(f"s_{{{a.at_depth}}}", a.sided(a.find("inversion"), "s"), "eq:s")
    return "\n" + fill(_EQUIVALENT, s=running(tex(a.notation(s))), law=law).rstrip()


def _constant(a: Account) -> str:
    """What C is, where t (or y) is a formula in x."""
    if a.subject.uniformiser is None or a.find("linear"):
        return ""
    if a.form == "koenigs":
        return "\n" + fill(_KOENIGS_CONSTANT, base=tex(a.notation.base), y=a.subject.distance).rstrip()
    return "\n" + fill(_ABEL_CONSTANT, t=running(tex(a.subject.uniformiser))).rstrip()


def _numbers(a: Account) -> str:
    """The constants of the start, and the quantity at the requested depth."""
    rows = list(a.known.items())
    with mp.workdps(a.carried + 10):
        if "C" in a.known and a.notation.shift != 0:
            rows.append(("B", a.known["C"] - to_mpf(a.exact(a.beta / a.m * log(a.alpha)))))
        if "D" in a.known and a.has(D) and a.notation.second != 0:
            rows.append(("E", a.known["D"] + to_mpf(a.exact(a.omega / a.m * log(a.alpha)))))
    if a.depth_asked is not None:
        value = a.law.evaluate(a.depth_asked, digits=a.digits, **a.start)
        rows.append(((a.law.observable or a.law.coordinate.seen).quantity_at(depth_tex(a.depth_asked)), value))
    if not rows:
        return ""
    side = "\n" + a.subject.side.rstrip() if a.subject.side else ""
    shown = number_rows(rows, a.certified)
    return fill(_NUMBERS, start=a.start_shown, digits=a.certified, rows=shown, side=side) + "\n"


def _letters(a: Account) -> str:
    said = [*([a.base_value] if a.base_value else []), *_shift_letters(a)]
    names = [getattr(constant, "name", "") for constant in a.constants]
    meant = next((said for known, said in _MEANT.items() if any(re.fullmatch(known, name) for name in names)), "")
    meant = a.subject.letters if a.subject.letters and meant else meant
    constants = _constants(a)
    meant += rf" (Section~\ref{{sec:map}}){':' if len(constants) > 1 else ','}" if meant else ""
    if a.net is None:  # else the setting has them
        said += [rf"{tex(symbol)}={parameter(value)}" for symbol, value in a.meant.items()]
    if len(constants) == 1:
        letter, digits, what = constants[0]
        said.append(f"{letter} = {digits}{what}")
    rows = "\n".join(rf"${letter}$ & ${digits}{what}$ \\" for letter, digits, what in constants)
    parts = [fill(_CONSTANTS, rows=rows).strip()] if len(constants) > 1 else []
    parts += [columns(said)] if said else []
    return fill(_LETTERS, meant=meant, letters="\n".join(parts)) if parts else ""


def _constants(a: Account) -> list[tuple[str, str, str]]:
    """(letter, digits, '= formula' or 'with equation') of every number in the law that is known by its digits."""
    found = []
    with mp.workdps(a.digits + 10):
        if any(c.has(EulerGamma) for _, c in a.told.expansion.terms):
            found.append((tex(EULER), digit_lines(+mp.euler, min(a.digits, 20))[0], r"\text{ \ (Euler's constant)}"))
        for known, symbol in a.constants.items():
            found.append((tex(symbol), digit_lines(to_mpf(known), min(a.digits, 20))[0], _solved(known, symbol)))
    return found


def _solved(known: Expr, symbol: Symbol) -> str:
    """', where ... = 0' or ' = ...': the equation that a number solves, or its formula, as far as they are short."""
    solved = known.poly.as_expr() if isinstance(known, ComplexRootOf) else getattr(known, "equation", None)
    if solved is None:
        exact = getattr(known, "exact", None)
        return "" if exact is None or width(constant(exact)) > LINE / 3 else f" = {constant(exact)}"
    left = solved(symbol) if isinstance(solved, Lambda) else solved.subs(known.poly.gen, symbol)
    return rf"\text{{ \ with \ }}{tex(left)}=0" if width(tex(left)) < LINE / 2 else ""


def _remainder(a: Account, found: Verification, beside: Verification | None) -> str:
    if a.law.expansion.remainder is None:
        return fill(_EXACT)
    flows = getattr(getattr(a.law.coordinate, "steps_of_depth", None), "flows", False)
    why = _WHY["slow" if a.form == "koenigs" and a.law.coordinate.seen else "depth" if flows else a.form]
    if a.form == "abel":
        two = a.coordinate["advance"] == 2
        why = fill(
            why, image="t''" if two else "t'", advance=a.coordinate["advance"], next=a.m + 1, depth=a.at_depth,
            rate=f"-1/{a.m}" if a.m > 1 else "-1", gain=f"-(N+1)/{a.m}" if a.m > 1 else "-N-1",
        )  # fmt: skip
    if a.form == "koenigs":
        why = fill(why, variable="y" if a.root == 1 else "t")
    if a.form == "time":
        why = fill(why, logs=_in_logs(a))
    uniform = " and is not uniform as $c^1\\to1$" if a.net else ""
    quoted = "This argument is quoted and was not checked by machine" if why else "No argument for it is given here"
    best = _UNPROVED if found.theorem is None else ""
    theorem = _theorems(a, {"eq:law": found} if beside is None else {"eq:correlation": beside, "eq:law": found})
    told = {"series": _series(a), "why": why.strip(), "uniform": uniform, "quoted": quoted, "best": best}
    return fill(_REMAINDER, **told, theorem=theorem)


def _theorems(a: Account, found: dict[str, Verification]) -> str:
    """What is proved of the laws, by their labels: B, from which depth on, and where C is."""
    proved = {label: verified.theorem for label, verified in found.items() if verified.theorem is not None}
    bounds = [
        fill(_BOUND, label=label, bound=certificate.inequality_latex("S"), scope=running(certificate.scope_latex),
             constants=_enclosed(a, certificate))
        for label, certificate in proved.items()
    ]  # fmt: skip
    name, start, _ = next(iter(proved.values())).start if proved else ("", "", "")
    return fill(_PROVED, bounds="".join(bounds), start=f'{escape(name)}="{start}"') if bounds else ""


def _enclosed(a: Account, certificate) -> str:
    """Between which ends C and D of the start are proved to lie, as far as the document speaks of them."""
    balls = (("C", C, certificate.proof.connection), ("D", D, certificate.proof.second))
    known = [(name, *map(decimal_latex, told_between(ball, ENCLOSED)))
             for name, symbol, ball in balls if ball is not None and a.has(symbol)]  # fmt: skip
    shown = ",\\quad ".join(rf"{name} \in [{low}, {high}]" for name, low, high in known)
    return rf" \\ \text{{with }} {shown}" if shown else ""


def _in_logs(a: Account) -> str:
    """What an expansion in 1/log of the depth is good for."""
    step = a.find("inversion", "reversed")
    if step is None or a.law.expansion.scale.variable.is_Symbol:
        return ""
    return " " + fill(_IN_LOGS, depth=a.at_depth, order=step["reversed"].leading[0].order).strip()


_CONVERGES = "The map is analytic in~$t$ at $t=0$. "
_SMOOTH = (
    "For a smooth activation the expansion of the map at $c=1$ is itself in general only asymptotic: it is Taylor's, "
    "with a remainder that is bounded at every order, but it need not converge. "
)
_KINKED = (
    "The expansion of the map at $c=1$ is in general only asymptotic as well, with a remainder of the order of the "
    "first term left out; it need not converge. "
)


def _series(a: Account) -> str:
    """Whether the series of the correlation map converges."""
    if a.net is None:
        return ""
    if a.net.statement.layer.is_scale_free:
        return _CONVERGES
    return _SMOOTH if a.net.activation.is_smooth else _KINKED
