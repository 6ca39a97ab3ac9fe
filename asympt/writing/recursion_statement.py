"""The first section: the recursion, the theorem, the numbers for the start, and what the remainder means."""

from mpmath import mp
from sympy import Expr, Rational, Symbol, expand_log, latex, log, simplify, true

from asympt.evidence import Verification
from asympt.expansions import Formal
from asympt.recursions import Law
from asympt.recursions.protocol import T
from asympt.writing.formulas import Piece, display, tex
from asympt.writing.recursion_formulas import map_pieces, marked, running, tidy
from asympt.writing.recursion_material import RecursionMaterial
from asympt.writing.recursion_numbers import depth_tex, named_constants, number_rows
from asympt.writing.template import fill

X = Symbol("x")

# ---- the recursion --------------------------------------------------------------------------------

_SETTING = r"""
\section{Statement}
Consider the recursion $x_{n+1}=G(x_n)$ with
@map
@fixed
"""

_FINITE = r"The map has the fixed point $x^*=@point$@named with derivative $G'(x^*)=@multiplier$@kind"
_INFINITE = r"""
Infinity is a fixed point: in $y=@inner$ one step is $y'=@image$, and $y=0$ is fixed with derivative $@multiplier$@kind
"""
_KINDS = {
    "parabolic": ". It is \\emph{parabolic}: orbits approach it like a power of~$n$.",
    "flip": r": orbits jump from one side of it to the other, and since $(G\circ G)'(x^*)=1$ they approach it like a "
    "power of~$n$.",
    "hyperbolic": ". It is \\emph{hyperbolic}: orbits approach it geometrically.",
}


def setting(m: RecursionMaterial) -> str:
    """The map and its fixed point."""
    shown = display("G(x)", map_pieces(m.recursion.expression.subs(m.x, X), X, m.ascending), end=_conditions(m))
    return fill(_SETTING, map=shown, fixed=_fixed(m))


def _conditions(m: RecursionMaterial) -> str:
    """', a > 0.' after the map."""
    names = sorted(m.recursion.expression.free_symbols - {m.x}, key=str)
    positive = [s for s in names if s.is_positive]
    condition = getattr(m.law, "condition", true)
    if condition != true and len(positive) == 1 and condition == (positive[0] < 1):
        return rf", \qquad 0 < {tex(positive[0])} < 1."
    said = [", ".join(map(tex, positive)) + " > 0"] if positive else []
    said += [latex(condition).replace(r"\wedge", r",\;")] if condition != true else []
    return "".join(rf", \qquad {c}" for c in said) + "."


def _fixed(m: RecursionMaterial) -> str:
    kind = _KINDS["flip" if m.flip else "hyperbolic" if m.hyperbolic else "parabolic"]
    chi = m.write(m.multiplier)
    if m.hyperbolic and m.notation.base.name == "chi":
        chi = _chi(m)
    if m.place.at_infinity:
        y = Symbol("y", positive=True)
        image = y * simplify(m.law.dynamics.formula / T**m.root).subs(T, y ** Rational(1, m.root))
        inner, image = running(tex(m.inner(X))), running(tex(tidy(image)))
        return fill(_INFINITE, inner=inner, image=image, multiplier=chi, kind=kind)
    point = running(m.write(m.recursion.fixed_point))
    return fill(_FINITE, point=point, named=named_constants(m), multiplier=chi, kind=kind)


def _chi(m: RecursionMaterial) -> str:
    r"""\chi and its value."""
    value = tex(letters_only(m, m.multiplier))
    if m.multiplier.is_Rational or m.multiplier.free_symbols:
        return rf"\chi={value}"
    return rf"\chi={value}\approx{mp.nstr(_number(m.multiplier), 10)}"


def letters_only(m: RecursionMaterial, expression: Expr) -> Expr:
    """The expression with the named constants only, chi written out."""
    for old, new in m.notation.replacements[: len(m.named)]:
        expression = expression.subs(old, new)
    return expression


def _number(value: Expr):
    from asympt.numbers import to_mpf

    with mp.workdps(20):
        return to_mpf(value)


# ---- the theorem ----------------------------------------------------------------------------------

_THEOREM = r"""
\begin{theorem}\label{thm:law}
Let $x_0$ be such that @approach. There is a number $C=C(x_0)$ such that@where, as $n\to\infty$,
@law@equivalent
@constant
\end{theorem}
"""

_ABEL_CONSTANT = r"""
Here $C=\lim_{n\to\infty}\bigl(A_N(t_n)-n\bigr)$ for every $N\ge0$, where $t=@t$ and $A_N$ is the Abel
function~(\ref{eq:A}), which has no constant term, truncated after $t^N$.
"""

_KOENIGS_CONSTANT = r"""
Here $C=\lim_{n\to\infty}@base^{-n}y_n$ with $y=@y$.
"""


def theorem(m: RecursionMaterial) -> str:
    """The law, and with it the definition of its constant."""
    law = _law(m)
    if m.hyperbolic:
        said = fill(_KOENIGS_CONSTANT, base=_power_base(m), y=running(tex(m.inner(X))))
    else:
        said = fill(_ABEL_CONSTANT, t=running(tex(m.uniformiser(X))))
    parts = {"approach": _approach(m), "where": _where(m), "equivalent": _equivalent(m), "constant": said.strip()}
    return fill(_THEOREM, law=law, **parts)


_BRANCHES = r"""
for even~$n$
@even
and for odd~$n$
@odd
"""


def _law(m: RecursionMaterial) -> str:
    """The law, both of its branches where even and odd steps differ."""
    if not two_branches(m):
        return display(m.law.quantity, law_pieces(m, m.law), "eq:law", end=_end(m, m.law))
    even, odd = (m.notation.pieces(branch) for branch in m.law.branches.values())
    last = display(m.law.quantity, odd, "eq:odd", end=_end(m, m.law))
    return fill(_BRANCHES, even=display(m.law.quantity, even, "eq:law", end=","), odd=last)


def two_branches(m: RecursionMaterial) -> bool:
    """Whether even and odd steps have expansions of their own."""
    return m.flip and not m.law.coincide


def _approach(m: RecursionMaterial) -> str:
    if m.flip:
        return _approach_by_turns(m)
    if m.place.at_infinity:
        return r"$x_n\to" + ("+" if m.place.sign > 0 else "-") + r"\infty$"
    point = running(tex(m.point))
    if m.hyperbolic and m.root == 1:
        return rf"$x_n\to {point}$ and $x_n\ne {point}$ for all~$n$"
    relation = ">" if m.place.sign > 0 else "<"
    return rf"$x_n\to {point}$ with $x_n {relation} {point}$ for all large~$n$"


def _approach_by_turns(m: RecursionMaterial) -> str:
    """An orbit that changes sides, and the side of its even steps."""
    infinite = m.place.at_infinity
    point = "0" if infinite else running(tex(m.point))
    to = r"$|x_n|\to\infty$" if infinite else rf"$x_n\to {point}$, $x_n\ne {point}$ for all~$n$,"
    here, there = (">", "<") if m.place.sign > 0 else ("<", ">")
    return (
        rf"{to} and $x_n {here} {point}$ for all large even~$n$ (if $x_n {there} {point}$ there, even and odd change "
        "places in what follows)"
    )


def _where(m: RecursionMaterial) -> str:
    """The abbreviations that the law uses."""
    said = []
    if m.shifted:
        said.append(rf"$B=C{_shift(m)}$")
    if m.flip:
        said.append(r"$\varepsilon_n=(-1)^n$")
    return f", with {' and '.join(said)}" if said else ""


def _shift(m: RecursionMaterial) -> str:
    """- (beta/m) log(alpha) with its sign, for running text."""
    logarithm = expand_log(log(m.alpha), force=True) if m.alpha.is_number else log(m.alpha)
    number, rest = logarithm.as_coeff_Mul()
    weight = -m.beta / m.m * number
    if not isinstance(rest, log):
        weight, rest = -m.beta / m.m, log(m.alpha)
    factor = running(m.notation.constant(weight))
    sign, factor = ("-", factor[1:]) if factor.startswith("-") else ("+", factor)
    return sign + (tex(rest) if factor == "1" else rf"{factor}\,{tex(rest)}")


def _equivalent(m: RecursionMaterial) -> str:
    if m.hyperbolic or m.is_s:
        return ""
    return "Equivalently,\n" + display(m.in_s.quantity, law_pieces(m, m.in_s), "eq:s")


def _end(m: RecursionMaterial, law: Law) -> str:
    return " \\qquad\\text{exactly}." if law.expansion.remainder is None else "."


def _power_base(m: RecursionMaterial) -> str:
    return tex(m.notation.base)


def law_pieces(m: RecursionMaterial, law: Law) -> list[Piece]:
    r"""The terms of a law; for a flip with \varepsilon_n where the two sides differ in sign."""
    expansion = m.notation.expansion(law.expansion)
    odd = m.notation.expansion(law.odd).coefficients if law.kind == "flip" else {}
    pieces = []
    for monomial, c in expansion.terms:
        term = m.notation.term(expansion.scale, monomial, c)
        pieces += marked(term, r"\varepsilon_n") if odd.get(monomial) == -c else term
    return pieces + m.notation.pieces(law.expansion)[len(pieces) :]


# ---- numbers --------------------------------------------------------------------------------------

_NUMBERS = r"""
\noindent For $x_0=@start$, to $@digits$ digits,
@rows@side
"""

_SIDE = r"""
\noindent Of this orbit the even steps are those with $x_n @relation$, as in the theorem.
"""


def numbers(m: RecursionMaterial) -> str:
    """The constants, and the number at the depth that was asked for."""
    if m.start is None:
        return ""
    rows = [("C", m.constant)]
    if m.shifted:
        rows.append(("B", m.shifted_constant))
    if m.depth is not None:
        quantity = m.law.quantity.replace("x_{n}", rf"x_{{{depth_tex(m.depth)}}}")
        rows.append((quantity, m.law.evaluate(m.depth, digits=m.digits, start=m.start)))
    return fill(_NUMBERS, start=running(tex(m.start)), digits=m.digits, rows=number_rows(rows, m.digits), side=_side(m))


def _side(m: RecursionMaterial) -> str:
    """On which side the even steps of the start come in, where the branches depend on it."""
    if not two_branches(m):
        return ""
    point = "0" if m.place.at_infinity else running(tex(m.point))
    return "\n" + fill(_SIDE, relation=f"{'>' if m.place.sign > 0 else '<'} {point}").rstrip()


# ---- remainders -----------------------------------------------------------------------------------

_VERDICT = "\\noindent Verdict of the checks in Section~\\ref{sec:evidence}: \\emph{@verdict}.\n"

_REMAINDER = r"""
\paragraph{What the remainder means.}
The expansion is \emph{formal}: $O(\cdot)$ names the first term left out, and substituting the expansion into the
recursion leaves nothing larger. For a fixed start it is also true, @why
The constant hidden in $O$ depends on~$x_0$. This argument is quoted, not part of what was checked by machine, and no
explicit constant is claimed: that is why the law is at best \emph{checked}, not \emph{proved}.
"""

_WHY_ABEL = r"""
by the classical argument for Fatou coordinates \cite{Milnor} (see also \cite[Chapter~8]{deBruijn}): the truncation
$A_N$ satisfies $A_N(@image)-A_N(t)-@advance=O(t^{N+@next})$, and $t_n=O(n^{@rate})$ along the orbit; so $A_N(t_n)-n$
converges by telescoping, and its distance from the limit~$C$ is $O(n^{@gain})$.
"""

_WHY_KOENIGS = r"""
by Koenigs' theorem \cite{Koenigs,MilnorKoenigs}: $S$ and its inverse converge near the fixed point, so that for all
large~$n$ the expansion is even a convergent series.
"""


def remainder(m: RecursionMaterial) -> str:
    """What O means here, and why it is true."""
    if m.law.expansion.remainder is None or not isinstance(m.law.remainder, Formal):
        return ""
    return fill(_REMAINDER, why=_WHY_KOENIGS.strip() if m.hyperbolic else _why_abel(m))


def _why_abel(m: RecursionMaterial) -> str:
    image, gain = "t''" if m.flip else "t'", f"-(N+1)/{m.m}" if m.m > 1 else "-N-1"
    rate = _power(-1, m.m)
    return fill(_WHY_ABEL, image=image, advance=m.advance, next=m.m + 1, rate=rate, gain=gain).strip()


def _power(top: int, bottom: int) -> str:
    return f"{top}/{bottom}" if bottom > 1 else str(top)


def statement(m: RecursionMaterial, found: Verification) -> str:
    """Recursion, theorem, numbers, verdict, remainder."""
    verdict = fill(_VERDICT, verdict=found.verdict)
    return "\n".join([setting(m), theorem(m), numbers(m), verdict, remainder(m)])
