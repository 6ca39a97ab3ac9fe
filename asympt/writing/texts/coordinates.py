"""The coordinate in which one layer or step has a known length, the constant that it defines, and the way back to t."""

import re
from collections.abc import Sequence

from sympy import Integer, Rational, expand

from asympt.expansions import Monomial
from asympt.expansions.typesetting import Piece, align, break_lines, columns, display, slashes, sum_pieces, tex, times
from asympt.recursions.protocol import Step
from asympt.writing.account import Account, alpha, in_base, is_t, laws, plain, power_of_t
from asympt.writing.escape import fill
from asympt.writing.notation import marked

_ABEL = r"""
\section{The Abel function}\label{sec:coordinate}
We look for the coordinate in which @one,
\begin{equation}
  A(@image)=A(t)+@advance, \qquad A(t)=@ansatz , \qquad \alpha_0=0,
  \label{eq:abel}
\end{equation}
where $\alpha_0=0$ is a normalisation. With $@e(t)=@series$ the coefficients of $@powers$ in
$A(t(1+@e))-A(t)-@advance$ are
@rows
and so on. The coefficient of $t^{k+@m}$ is $k\,@{e}_{@m}\,\alpha_k$ plus terms in the unknowns before: the system is
triangular. At $k=0$ the factor $k\,@{e}_{@m}$ vanishes, and without a logarithm the equation would be a condition on
the map; the logarithm, whose share is $@{e}_{@m}\beta$, takes the place of $\alpha_0$ and satisfies it. Its weight
$\beta@residue$ is the \emph{iterative residue} of the map \cite{Milnor}.@none Here
@numbers
and with them
@abel
@consequence, so
\begin{equation}
  A(t_{@depth})=@depth+C@parities ,
  \label{eq:constant}
\end{equation}
where the connection constant $C$ of the start is $\lim(A_N(t_{@depth})-@depth)$ for any truncation $A_N$ after $t^N$,
$N\ge0$: the series is asymptotic, not convergent.
"""

_NO_LOG = " For this map it is zero: no logarithm is needed."

_ALONG = r"By construction $A(t_{@depth+1})=A(t_{@depth})+1$ along an orbit"

_ALONG_BOTH = r"""
The same series serves on both sides of the fixed point, $t<0$ included. The map commutes with its second iterate, so
that $A(t')-A(t)$ is a constant, the same on both sides; twice that constant is $2$. Hence $A(t')=A(t)+1$ along an orbit
"""


def abel(a: Account, step: Step) -> str:
    system, advance, e = step["system"], int(step["advance"]), a.growth_letter
    g, rows, solved = system.stride, system.rows, system.residue
    pieces = a.pieces(step["abel"], 4, 6)
    if a.turns:  # t may be negative
        pieces = [Piece(p.sign, p.body.replace(r"\log t", r"\log|t|"), p.more) for p in pieces]
    residue = sorted(sum_pieces(solved), key=lambda piece: piece.sign == "-") if solved is not None else []
    along = (_ALONG_BOTH if a.turns else fill(_ALONG, depth=a.at_depth)).strip()
    return fill(
        _ABEL, image="t''" if a.turns else "t'", advance=advance, ansatz=ansatz(a.m, g, a.turns),
        one="two steps are exactly two" if a.turns else f"one {a.subject.step} is a step of length one",
        e=e, series="+".join(rf"{e}_{{{k}}}{power_of_t(k)}" for k in (a.m, a.m + g)) + r"+\cdots",
        powers=",".join(power_of_t(row.power) if row.power else "1" for row in rows[:3]) + r",\dots",
        rows=_in_letter(equation_rows(rows), e), m=a.m,
        residue="" if solved is None else "=" + _in_letter(slashes(residue), e),
        none=_NO_LOG if a.beta == 0 else "", numbers=_solved_values(a, rows, g),
        abel=display("A(t)", pieces, "eq:A"), depth=a.at_depth,
        consequence=along, parities=rf"\qquad\text{{for even and odd }} {a.at_depth}" if a.turns else "",
    )  # fmt: skip


def ansatz(m: int, stride: int, flip: bool) -> str:
    first = [rf"\frac{{\alpha_{{{k}}}}}{{{power_of_t(-k)}}}" for k in range(-m, 0, stride)]
    if len(first) > 3:
        first = [first[0], r"\cdots", first[-1]]
    log = r"\log|t|" if flip else r"\log t"
    rest = r"\sum_{k\ge1}\alpha_kt^k" if stride == 1 else rf"\sum_{{k\ge1}}\alpha_{{{stride}k}}t^{{{stride}k}}"
    return "+".join([*first, rf"\beta{log}", rest])


def _in_letter(shown: str, e: str) -> str:
    """With the letter that the coefficients of e have."""
    return re.sub(r"(?<![A-Za-z\\])e_", f"{e}_", shown)


def equation_rows(rows: Sequence, variable: str = "t") -> str:
    """The equations, sorted by unknowns, the new one first; the middle of a long system is left out."""
    kept = rows if len(rows) <= 4 else [*rows[:2], None, *rows[-2:]]
    lines = []
    for row in kept:
        lines += [r"&\;\;\vdots"] if row is None else _row_lines(row, variable)
    return align(lines, "", ",", set())


def _row_lines(row, variable: str) -> list[str]:
    pieces = [times(row.expression.coeff(unknown), tex(unknown)) for unknown in row.unknowns]
    free = row.expression.subs(dict.fromkeys(row.unknowns, 0))
    pieces += [piece for piece in sum_pieces(free) if piece.body != "0"]
    first, *others = break_lines(pieces, taken=6)
    return [rf"{variable}^{{{row.power}}}:\quad 0 &= {first}", *(rf"&\quad {other}" for other in others)]


def _solved_values(a: Account, rows: Sequence, g: int) -> str:
    """The coefficients of e in the rows and the first unknowns, those that fit on a line."""
    known = a.find("uniformiser")["growth"]
    names = {s.name for row in rows[:-1] for s in row.expression.free_symbols}
    used = sorted(int(name[3:-1]) for name in names if name.startswith("e_"))
    values = [(rf"{a.growth_letter}_{{{k}}}", known.coefficients.get(Monomial(k), 0 * a.alpha)) for k in used]
    values += [(rf"\alpha_{{{k}}}", a.abel.coefficients.get(Monomial(k), 0 * a.alpha)) for k in range(-a.m, 0, g)]
    said = [f"{name} = {a.notation.constant(value)}" for name, value in [*values, (r"\beta", a.beta)]]
    return columns(said, end=" ,")


_KOENIGS = r"""
\section{The Koenigs function}\label{sec:coordinate}
We look for the coordinate in which one @step is a multiplication,
\begin{equation}
  @name(@variable')=@multiplier\,@name(@variable), \qquad @name(@variable)=@variable+\sum_{k\ge2}s_k@variable^k ,
  \label{eq:koenigs}
\end{equation}
where the coefficient $1$ of $@variable$ is a normalisation. With
$@variable'=@multiplier\,@variable+g_2@variable^2+g_3@variable^3+\cdots$ the coefficients of
$@variable^2,@variable^3,\dots$ in $@name(@variable')-@multiplier\,@name(@variable)$ are
@rows
and so on. The new unknown $s_k$ has the factor $@multiplier^k-@multiplier$, which is not zero for $k\ge2$: the
system is triangular and there is no resonance, hence no logarithm. Here
@numbers
and with them
@solution@power
Along an orbit $S(y_{@depth+1})=\chi\,S(y_{@depth})$, so
\begin{equation}
  S(y_{@depth})=C\,\chi^{@depth}, \qquad C=\lim_{@depth\to\infty}\chi^{-@depth}y_{@depth} .
  \label{eq:constant}
\end{equation}
By Koenigs' theorem \cite{Koenigs,MilnorKoenigs} the limit exists for every start whose orbit tends to the fixed point,
and $S$ is analytic where the map is; the limit defines $S$ where the series does not converge.
"""


def koenigs(a: Account, step: Step) -> str:
    simple, growth = a.root == 1, a.find("uniformiser")["growth"]
    chi, shown = a.find("map")["multiplier"] ** Rational(1, a.root), [row.power for row in step["system"].rows[:-1]]
    values = [growth.coefficients.get(Monomial(k - 1), Integer(0)) * chi for k in shown]  # g_2, g_3 of the image
    images = columns([rf"g_{k} = {a.notation.constant(expand(g))}" for k, g in enumerate(values, start=2)], end=" ,")
    variable, multiplier, name = ("y", r"\chi", "S") if simple else ("t", r"\mu", "U")
    pieces = [plain(a, piece) for piece in a.pieces(step["koenigs"], 4, 5)]
    text = fill(
        _KOENIGS, step=a.subject.step, variable=variable, name=name, multiplier=multiplier, depth=a.at_depth,
        rows=equation_rows(step["system"].rows, variable).replace(r"\chi", multiplier), numbers=images,
        solution=display(f"S({variable})" if simple else "S", pieces, "eq:S"),
        power="" if simple else "\n" + rf"where $S=U^{{{a.root}}}$.",
    )  # fmt: skip
    return in_base(a, text)


_SUMMABLE = r"""
The squares of the step sizes are summable; their sum beyond layer $@depth$ is $O(@depth^{@rest})$.
"""
_TIME = r"""
\section{The flow time}\label{sec:coordinate}
Let $T$ be the function with $dT/dy=-1/h$, integrated term by term and without a constant term:
@time
@log@second
The step sizes add up to the clock
@clock
and so $T(y_{@depth})$ is the clock plus a connection constant~$C$ of the start, plus small terms.
"""
_NO_LOG_IN_TIME = r"As $h$ is odd in $t$, there is no term $dt/t$ in $-2t\,dt/h$, and so no logarithm in~$T$. "
_SECOND = r"""
By Taylor's formula, with $T'=-1/h$ and $T''=h'/h^2$, a layer adds to it
\[
  T(y-\delta_{@depth}h)-T(y)=\delta_{@depth}+\tfrac12\,\delta_{@depth}^2\,h'(y)+O\bigl(\delta_{@depth}^3\bigr) .
\]
"""


def time(a: Account, step: Step) -> str:
    clock = step["clock"]
    shown = display(rf"\sum^{{{a.at_depth}}}\delta", a.pieces(clock, 2, 4), "eq:clock", end=",")
    h = a.find("map", "drift")["drift"]
    odd = a.root == 2 and all(monomial.order % 2 for monomial, _ in h.terms)
    second, order = fill(_SECOND, depth=a.at_depth), clock.leading[0].order
    if order > Rational(-1, 2):
        second += fill(_SUMMABLE, depth=a.at_depth, rest=tex(-1 - 2 * order))
    return fill(
        _TIME, depth=a.at_depth, log=_NO_LOG_IN_TIME if odd else "", second=second.strip(),
        time=display("T", a.pieces(step["time"], 3, 6), "eq:T"), clock=shown,
    )  # fmt: skip


_DEPTH = r"""
\section{Inversion}\label{sec:inversion}
Put $s=\alpha\,t^{-@m}$@alpha. @reads
@balance
The derivative of the right-hand side with respect to $s$ is $O(@gain)$; so for large $@depth$ it maps
$|s-@depth|\le @depth/2$ into itself and contracts there: it has one solution $s_{@depth}$ there, and each time that it
is inserted into itself, starting from $s=@depth$, the error becomes smaller by a factor $O(@gain)$. This gives@s
and with it @t@square
"""
_HALVES = " The odd powers of $t$ in $A$, which come from the jump, give half-integer powers of~$@depth$."


def depth(a: Account, step: Step) -> str:
    """s and t at large depth, as far as the theorem does not have them."""
    root = rf"\alpha/s_{{{a.at_depth}}}" if a.m == 1 else rf"(\alpha/s_{{{a.at_depth}}})^{{1/{a.m}}}"
    side = rf"\varepsilon_{{{a.at_depth}}}\," if a.turns else ""
    halves = fill(_HALVES, depth=a.at_depth) if a.root == 2 and a.m % 2 == 0 else ""
    what = "This" if a.root == 1 else "Its square"
    square = f"\n{what} is the law~(\\ref{{eq:correlation}}) of the correlation. {halves}".rstrip()
    t = rf"t_{{{a.at_depth}}}={side}{root}"
    s = "\n" + display(f"s_{{{a.at_depth}}}", a.sided(step, "s", 4, 6), end=",")
    known = is_t(a.find("quantity"))
    return fill(
        _DEPTH, m=a.m, gain=tex(a.depth ** Rational(-1, a.m)),
        alpha=rf" with $\alpha={alpha(a)}$" if alpha(a) else "", depth=a.at_depth, reads=_reads(a),
        balance=_balance(a, step), s=r"~(\ref{eq:s})," if a.tells_s else s,
        t=f"${t}$, which is {laws(a)}." if known
        else f"${t}$, that is\n" + display(f"t_{{{a.at_depth}}}", a.sided(step, "t", 4, 5), "eq:t"),
        square=square if a.is_ntk else "",  # what the orbit is in the correlation
    )  # fmt: skip


def _reads(a: Account) -> str:
    """The equation of the constant in s."""
    if a.notation.shift == 0:
        return r"Then~(\ref{eq:constant}) reads"
    log, share = (r"\log|t|" if a.turns else r"\log t"), "" if a.m == 1 else rf"\tfrac1{{{a.m}}}"
    weight = r"\beta" if a.m == 1 else rf"\tfrac{{\beta}}{{{a.m}}}"
    return (
        rf"As ${log}={share}(\log\alpha-\log s)$, equation~(\ref{{eq:constant}}) reads, with "
        rf"$B=C-{weight}\log\alpha$,"
    )


def _balance(a: Account, step: Step) -> str:
    """s = l + B + (beta/m) log s - ..."""
    balance = step["balance"]
    pieces = a.notation.pieces(balance)
    if a.turns:
        odd = [monomial.order * a.m % 2 for monomial, _ in balance.terms]
        mark = rf"\varepsilon_{{{a.at_depth}}}"
        pieces = [marked([p], mark)[0] if turned else p for p, turned in zip(pieces, odd, strict=False)]
    first = Piece("+", "C" if a.notation.shift == 0 else "B")
    return display("s", [Piece("+", a.at_depth), first, *pieces, Piece("+", r"\cdots")])


_INVERSE = r"""
\section{Inversion}\label{sec:inversion}
By~(\ref{eq:constant}) $@{variable}_{@depth}=@name^{-1}(z)$ with $z=@argument$, and reverting the series
@inverse
"""


def inverse(a: Account, step: Step) -> str:
    simple = a.root == 1
    text = fill(
        _INVERSE, depth=a.at_depth, argument=rf"C\chi^{{{a.at_depth}}}" if simple
        else rf"(C\chi^{{{a.at_depth}}})^{{1/{a.root}}}", variable="y" if simple else "t", name="S" if simple else "U",
        inverse=display("S^{-1}(z)" if simple else "U^{-1}(z)", a.pieces(step["inverse"], 4, 5), "eq:inverse"),
    )  # fmt: skip
    return in_base(a, text)


_REVERSED = r"""
\section{Inversion}\label{sec:inversion}
Reverting the series of $T$, with $Y$ for its value,
@reversed
where $Y$ is the clock plus $C$, plus small terms.@law
"""
_NO_LOGS = r"""
No logarithm of the clock occurs, because $T$ has none@contrast.
"""
_CONTRAST = r"""
: in contrast to the network whose branches are not scaled, where the discreteness of the layers puts one into the Abel
function
"""


def reversed_(a: Account, step: Step) -> str:
    law = " Expanded in the depth it is the law~(\\ref{eq:correlation}) of the correlation." if a.is_ntk else ""
    if not any(monomial.logs for monomial, _ in a.coordinate["time"].terms):
        law += " " + fill(_NO_LOGS, contrast=_CONTRAST.strip() if a.net else "").strip()
    return fill(_REVERSED, law=law, reversed=display("y", a.pieces(step["reversed"], 3, 5), "eq:inverse", end=","))
