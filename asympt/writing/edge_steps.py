"""The derivation on the Edge of Chaos: the Abel function, its inversion, the linear recursion of the kernel."""

from sympy import Expr, Rational, Symbol, log

from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, stride
from asympt.writing.edge_map import correlation_map, number_of, shown_pieces
from asympt.writing.edge_material import GROWTH, EdgeMaterial
from asympt.writing.formulas import Piece, break_lines, columns, constant, display, slashed_monomial, slashes
from asympt.writing.notation import running
from asympt.writing.template import fill
from asympt.writing.texts.systems import (
    StepRow,
    abel_rows,
    ansatz,
    equation_rows,
    power_of_t,
    residue_pieces,
    solved_residue,
)

LETTER = "g"  # of the coefficients of t'/t - 1; e is taken by those of the map
LONGEST = 4  # lines of a formula that is written out

# ---- A --------------------------------------------------------------------------------------------

_ABEL = r"""
\section{The Abel function}\label{sec:abel}
Let $t'$ be the uniformiser of the next layer, $t'=@step$. Then $t'=t\,(1+g(t))$ with
@growth
We look for the coordinate in which one layer is a step of length one,
\begin{equation}
  A(t')=A(t)+1, \qquad A(t)=@ansatz , \qquad \alpha_0=0,
  \label{eq:abel}
\end{equation}
where $\alpha_0=0$ is a normalisation. With $g(t)=@series$ the coefficients of $@powers$ in $A(t(1+g))-A(t)-1$ are
@rows
and so on. The coefficient of $t^{k+@m}$ is $k\,g_{@m}\,\alpha_k$ plus terms in the unknowns before: the system is
triangular. At $k=0$ the factor vanishes, and the logarithm, whose share is $g_{@m}\beta$, takes the place
of~$\alpha_0$: $\beta@residue$ is the \emph{iterative residue} of the map \cite{Milnor}. Here
@numbers
and with them
@abel
By construction $A(t_{l+1})=A(t_l)+1$ along an orbit, so
\begin{equation}
  A(t_l)=l+C ,
  \label{eq:constant}
\end{equation}
where the connection constant $C$ of the start is $\lim_{l\to\infty}(A_N(t_l)-l)$ for any truncation $A_N$ after $t^N$,
$N\ge0$: the series is asymptotic.
"""


def step_of(m: EdgeMaterial) -> int:
    """g: e is a series in t^g."""
    return stride(m.growth)


def solved_values(m: EdgeMaterial, rows: list[StepRow], letter: str = "e") -> str:
    """The e_k and the unknowns of the rows, in numbers."""
    names = {s.name for row in rows[:-1] for s in row.expression.free_symbols}
    used = sorted(int(name[3:-1]) for name in names if not name.startswith("\\alpha") and "_" in name)
    said = [rf"{letter}_{{{k}}} = {m.notation.constant(m.growth[k])}" for k in used]
    said += [rf"\alpha_{{{k}}} = {m.notation.constant(m.law.abel[k])}" for k in range(-m.m, 0, step_of(m))]
    return columns([*said, rf"\beta = {m.notation.constant(m.beta)}"], end=" ,")


def abel_function(m: EdgeMaterial) -> str:
    """t'/t, the system, its solution and C."""
    step = step_of(m)
    rows = abel_rows(m.m, step, letter=LETTER)
    solved = solved_residue(rows)
    return fill(
        _ABEL,
        step="1-f(1-t)" if m.root == 1 else r"\sqrt{1-f(1-t^2)}",
        growth=display("g(t)", shown_pieces(m, growth_expansion(m), 3, GROWTH), "eq:growth"),
        ansatz=ansatz(m.m, step, False),
        series="+".join(rf"g_{{{k}}}{power_of_t(k)}" for k in (m.m, m.m + step)) + r"+\cdots",
        powers=",".join(power_of_t(row.power) if row.power else "1" for row in rows[:3]) + r",\dots",
        rows=equation_rows(rows),
        m=m.m,
        residue="" if solved is None else "=" + slashes(residue_pieces(solved)),
        numbers=_values(m, rows),
        abel=display("A(t)", shown_pieces(m, m.abel, 4, 5), "eq:A"),
    )


def growth_expansion(m: EdgeMaterial) -> Expansion:
    """g(t)."""
    terms = [(Monomial(k), c) for k, c in enumerate(m.growth) if k and c != 0]
    return Expansion(AT_FIXED_POINT, tuple(terms), Formal(Monomial(len(m.growth))))


def _values(m: EdgeMaterial, rows: list[StepRow]) -> str:
    """The g_k and the unknowns of the rows in the letters of the document."""
    return solved_values(m, rows, LETTER)


# ---- inversion --------------------------------------------------------------------------------------

_INVERSION = r"""
\section{Inversion}\label{sec:inversion}
Put $s=\alpha\,@power$ with $\alpha=@alpha$. As $\log t=@share(\log\alpha-\log s)$, equation~(\ref{eq:constant}) reads,
with $B=C-@shift\log\alpha$,
@balance
Inserting this into itself again and again, starting from $s_l\approx l$, and going back to
$1-c^l=@back$ gives~(\ref{eq:correlation}).@half
"""
_HALF = r"""
 The odd powers of $t$ in $A$, which come from the jump, give half-integer powers of~$l$.
"""


def inversion(m: EdgeMaterial) -> str:
    """s_l and 1 - c^l."""
    exponent = Rational(m.root, m.m)
    back = r"\alpha/s_l" if exponent == 1 else rf"(\alpha/s_l)^{{{exponent}}}"
    odd = m.root == 2 and m.m % 2 == 0
    return fill(
        _INVERSION,
        power=f"t^{{-{m.m}}}",
        alpha=running(m.notation.constant(m.alpha)),
        share="" if m.m == 1 else rf"\tfrac1{{{m.m}}}",
        shift=r"\beta" if m.m == 1 else rf"\tfrac{{\beta}}{{{m.m}}}",
        balance=_balance(m),
        back="t_l^2=" + back if m.root == 2 else "t_l=" + back,
        half=" " + _HALF.strip() if odd else "",
    )


def _balance(m: EdgeMaterial) -> str:
    """s = l + B + (beta/m) log s - ..."""
    s, terms = Scale.at_infinity(Symbol("s_l", positive=True)), {}
    for monomial, c in m.abel.terms[1:4]:
        order = Rational(monomial.order) / m.m
        terms[Monomial(order, monomial.logs)] = m.beta / m.m if monomial.logs else -c * m.alpha**order
    pieces = [*m.notation.pieces(Expansion.build(s, terms))]
    return display("s_l", [Piece("+", "l"), Piece("+", "B"), *pieces, Piece("+", r"\cdots")])


# ---- the kernel -------------------------------------------------------------------------------------

_LINEAR = r"""
\section{The linear recursion of the kernel}\label{sec:linear}
The kernel obeys
\[
  K^{l+1}(x,x')=\dot\Sigma^{l+1}(x,x')\,K^{l}(x,x')+\Sigma^{l+1}(x,x'), \qquad
  \dot\Sigma^{l+1}=\sigma_w^2\,\mathbb E[\phi'(\sqrt q\,U)\,\phi'(\sqrt q\,V)]
\]
(\cite[Theorem~1]{JGH}, \cite[Lemma~2]{HDR}). In units of $q$, $k_l=K^l(x,x')/q$,
\begin{equation}
  k_{l+1}=f'(c^l)\,k_l+f(c^l), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_{l+1}=k_l+1$, $k_1=1$, so $k_l=l$: the diagonal is exactly $q\,L$.

\paragraph{Homogeneous solution.} With $\gamma=1-c=@gap$, let $\gamma'=G(\gamma)$ be one layer, so that
$G'(\gamma)=f'(c)$. Differentiating $A(G)=A+1$ shows that $H=d\gamma/dA$ satisfies $H(G)=f'(c)\,H$. Thus
@homogeneous

\paragraph{Particular solution.} Insert $P=\sum_{k\ge-@m}p_kt^k$ into $P(t')=f'(c)\,P(t)+f(c)$. As
$f'(c)=1+@multiple\,g_{@m}@power+\cdots$, the unknown $p_k$ first appears at $t^{k+@m}$, with the factor
$(k-@multiple)\,g_{@m}$. At $k=-@m$ this gives $p_{-@m}=@start$. At $k=@multiple$, where $H$ starts, the factor
vanishes: a resonance. The coefficient $p_{@multiple}$ stays free, which is the freedom to add a multiple of $H$, and
is set to $0$; the equation is met by a term $\omega H\log t$@omega
Altogether
@particular
and, with a second connection constant $D$,
\begin{equation}
  k_l=P(t_l)+D\,H(t_l) .
  \label{eq:second}
\end{equation}

\section{The law of the average kernel}
Inserting $t_l$ into $P(t_L)+D\,H(t_L)$ and dividing by $L$ gives~(\ref{eq:ntk}). To leading order $P$ is
$p_{-@m}/\alpha=@limit$ times $A$, and $A(t_L)=L+C$: this is the limit, the same for every activation whose map
starts like this one. The first term beyond it is
@leading
"""
_CLASS_S = r"""
\section{The published statements}\label{sec:claim}
Theorem~1, part~2, of \cite{HDR} states, for its class $\mathcal S$, to which this $\phi$ is counted, the rate
$\Theta(\log(L)/L)$. For a fixed start @agreement
"""
_AGREES = r"the order is that of the law derived here, with the coefficient $@number$ of $\log(L)/L$."
_DIFFERS = r"""
the law derived here has the rate $@rate$, with the coefficient $@number$: it is slower, and the printed rate does not
hold.
"""


def linear_recursion(m: EdgeMaterial) -> str:
    """H, P, the resonance, D, and the law."""
    expansion = m.law.expansion - m.law.limit
    first = Expansion(expansion.scale, expansion.terms[:1], Formal(expansion.terms[1][0]))
    return fill(
        _LINEAR,
        gap="t" if m.root == 1 else "t^2",
        homogeneous=display("H(t)", shown_pieces(m, m.linear["homogeneous"], 3, 3), "eq:H"),
        m=m.m,
        multiple=m.resonant_power,
        power=power_of_t(m.m),
        start=running(m.notation.constant(m.linear["particular"].coefficient(-m.m))),
        omega=_omega(m),
        particular=display("P(t)", shown_pieces(m, m.linear["particular"], 5, 4), "eq:P"),
        limit=running(constant(m.law.limit)),
        leading=display(rf"{m.law.quantity}-{constant(m.law.limit)}", m.notation.pieces(first), end="."),
    )


def _omega(m: EdgeMaterial) -> str:
    """with omega = ..., written out unless it is very long."""
    value, written = number_of(m.omega), Expansion.build(AT_FIXED_POINT, {(0, 0): m.omega})
    pieces = m.notation.pieces(written)
    if len(break_lines(pieces, taken=4)) > LONGEST:
        return rf" with a weight $\omega\approx{value}$, a rational function of the $e_k$ that fills half a page."
    return " with\n" + display(r"\omega", [*pieces, Piece("", rf"\approx {value}")])


def published(m: EdgeMaterial) -> str:
    """The printed rate beside the law's own, for the networks of which it speaks."""
    if not (m.is_ntk and m.phi.in_class_s):
        return ""
    expansion = m.law.expansion - m.law.limit
    depth, value = m.law.depth_variable, number_of(expansion.terms[0][1])
    if m.law.rate == log(depth) / depth:
        agreement = fill(_AGREES, number=value)
    else:
        agreement = fill(_DIFFERS, number=value, rate=slashed_rate(m.law.rate))
    return fill(_CLASS_S, agreement=agreement.strip())


def slashed_rate(rate: Expr) -> str:
    r"""A rate for running text: 1/\sqrt{L}."""
    return slashed_monomial(rate)


def derivation(m: EdgeMaterial) -> str:
    """Every step that the document's law needs."""
    steps = [correlation_map, abel_function, inversion, *([linear_recursion] if m.is_ntk else [])]
    return "\n".join(step(m) for step in steps)
