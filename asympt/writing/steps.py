"""The derivation, one function a step: from the correlation map to the law.

    correlation_map    Price's theorem, f in closed form
    expansion_in_t     f and f' in t = sqrt(1 - c)
    growth             t' = t (1 + e(t))
    abel_function      the triangular system, its solution, the iterative residue
    inversion          t_l and 1 - c^l
    linear_recursion   the kernel along the flow: H, P, the resonance, D
    average_kernel     K^L/(qL)
"""

from sympy import Rational, Symbol, log

from asympt.architectures.relu_like import LAYER
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.gaussian.closed import arccosine
from asympt.gaussian.price import relu_like as ladder
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import uniformiser_at_depth
from asympt.writing.formulas import (
    Piece,
    constant,
    display,
    displays,
    expansion_pieces,
    inline,
    slashed_monomial,
    slashes,
    sum_pieces,
    tex,
    times,
)
from asympt.writing.material import Material
from asympt.writing.template import fill

E1, E2, E3 = (Symbol(f"e_{k}") for k in (1, 2, 3))
UNKNOWNS = {-1: Symbol(r"\alpha_{-1}"), 0: Symbol("beta"), 1: Symbol("alpha_1")}
T_L = Scale.at_zero(Symbol("t_l", positive=True))

# ---- 1 ------------------------------------------------------------------------------------------

_MAP = r"""
\section{Derivation}
\subsection{The correlation map}\label{sec:map}
Let $U,V$ be standard normal with correlation $c$. In units of $q$ one layer takes $c$ to
$f(c)=\mathbb E[\phi(U)\phi(V)]/\mathbb E[\phi(U)^2]$. Price's theorem differentiates Gaussian expectations under the
integral, $\frac{d}{dc}\mathbb E[g(U)h(V)]=\mathbb E[g'(U)h'(V)]$, and $\phi''=(a_+-a_-)\,\delta$. Hence
\begin{align*}
  \frac{d}{dc}\,\mathbb E[\phi(U)\phi(V)] &= \mathbb E[\phi'(U)\phi'(V)], \\
  \frac{d}{dc}\,\mathbb E[\phi'(U)\phi'(V)] &= (a_+-a_-)^2\,\mathbb E[\delta(U)\delta(V)]
  = \frac{(a_+-a_-)^2}{2\pi\sqrt{1-c^2}} .
\end{align*}
At $c=1$ both $\mathbb E[\phi(U)^2]$ and $\mathbb E[\phi'(U)^2]$ equal $(a_+^2+a_-^2)/2$. Integrating down from $c=1$,
twice,
@closed
the arc-cosine kernel of Cho and Saul \cite{ChoSaul}. In particular $f(1)=f'(1)=1$.
"""


def correlation_map(m: Material) -> str:
    """f and f' in closed form, for the symbol rho."""
    rho, c = Symbol("rho"), arccosine.C
    integral = inline(sum_pieces(arccosine.angle_integral()))
    value = [Piece("+", tex(c)), Piece("+", rf"\rho\,\bigl({integral}\bigr)")]
    slope = sum_pieces(arccosine.closed_slope(rho))[::-1]
    return fill(_MAP, closed=displays([("f'(c)", slope), ("f(c)", value)], "eq:map", end=","))


# ---- 2 ------------------------------------------------------------------------------------------

_EXPANSION = r"""
\subsection{Expansion at \texorpdfstring{$c=1$}{c = 1}}
At $c=1$ the map is not analytic in $c$, but in the \emph{uniformiser} $t=\sqrt{1-c}$ it is, for $|t|<\sqrt2$, since
\[
  \arccos(1-t^2)=\sqrt2\int_0^t\frac{ds}{\sqrt{1-s^2/2}} = @angle .
\]
With $\rho=@rho$@alpha,
@expansions
"""


def expansion_in_t(m: Material) -> str:
    """f' and f as Puiseux series in 1 - c."""
    angle = inline(expansion_pieces(ladder.kink_term(5)))
    rows = [("f'(c)", expansion_pieces(m.map.slope_expansion(5))), ("f(c)", expansion_pieces(m.map.expansion(7)))]
    rho = constant(m.map.asymmetry)
    return fill(_EXPANSION, angle=angle, rho=rho, alpha="", expansions=displays(rows, "eq:expansion"))


# ---- 3 ------------------------------------------------------------------------------------------

_GROWTH = r"""
\subsection{One layer in the uniformiser}
Let $t'=\sqrt{1-@map(1-t^2)}$ be the uniformiser of the next layer. Then $t'=t\,(1+e(t))$ with
@growth
"""


def growth_of(m: Material, order: int) -> Expansion:
    """e(t) up to t^order, from the expansion of f."""
    ratio = (1 - m.map.expansion(order + 2)).up_to(Monomial(order + 3))
    shifted = {(monomial.order - 2, 0): c for monomial, c in ratio.terms}
    return Expansion.build(ratio.scale, shifted, Formal(Monomial(order + 1))).power(Rational(1, 2)) - 1


def growth(m: Material) -> str:
    """e(t)."""
    return fill(_GROWTH, map=m.map_name, growth=display("e(t)", expansion_pieces(growth_of(m, 4)), "eq:growth"))


# ---- 4 ------------------------------------------------------------------------------------------

_ABEL = r"""
\subsection{The Abel equation}\label{sec:abel}
We look for the coordinate in which one layer is a step of length one,
\begin{equation}
  A(t')=A(t)+1, \qquad A(t)=\frac{\alpha_{-1}}{t}+\beta\log t+\sum_{k\ge1}\alpha_kt^k, \qquad \alpha_0=0,
  \label{eq:abel}
\end{equation}
where $\alpha_0=0$ is a normalisation. With $e(t)=e_1t+e_2t^2+\cdots$ the coefficients of $t^0,t^1,t^2,\dots$ in
$A(t(1+e))-A(t)-1$ are
@rows
and so on: the coefficient of $t^{k+1}$ is $k\,e_1\alpha_k$ plus terms in the unknowns before. The system is triangular.
At $k=0$ the factor $k\,e_1$ vanishes, and the logarithm, which contributes $e_1\beta$, takes its place:
$\beta=@solved$ is the \emph{iterative residue} of the map \cite{Milnor}. Here
@numbers
and with them
@abel
By construction $A(t_{l+1})=A(t_l)+1$ along an orbit, so
\begin{equation}
  A(t_l)=l+C, \qquad C=A(t_1)-1 ,
  \label{eq:constant}
\end{equation}
with $C$ the connection constant of the start.
"""


def abel_rows() -> list[tuple[int, Expansion]]:
    """The coefficients of t^0, t^1, t^2 in A(t(1+e)) - A(t) - 1, for symbolic e_k and alpha_k."""
    scale = AT_FIXED_POINT
    factor = Expansion.build(scale, {(0, 0): 1, (1, 0): E1, (2, 0): E2, (3, 0): E3}, Formal(Monomial(4)))
    residual = factor.log() * UNKNOWNS[0] - 1
    for k in (-1, 1):
        residual = residual + (factor.power(k) - 1) * Expansion.build(scale, {(k, 0): UNKNOWNS[k]})
    return [(k, residual.coefficient(k)) for k in range(3)]


def solved_residue():
    """beta in terms of e_1 and e_2, from the first two rows."""
    (_, first), (_, second), _ = abel_rows()
    leading = -first.subs(UNKNOWNS[-1], 0) / first.coeff(UNKNOWNS[-1])
    rest = second.subs(UNKNOWNS[-1], leading).expand()
    return (-rest.subs(UNKNOWNS[0], 0) / rest.coeff(UNKNOWNS[0])).expand()


def abel_function(m: Material) -> str:
    """The system, its solution and the constant C."""
    e = growth_of(m, 4)
    rows = "\\begin{align*}\n" + ", \\\\\n".join(_abel_row(k, row) for k, row in abel_rows()) + ",\n\\end{align*}"
    values = [rf"e_{k} = {constant(e.coefficient(k))}" for k in (1, 2)]
    found = [rf"\alpha_{{-1}} = {constant(m.abel[-1])}", rf"\beta = {constant(m.beta)}"]
    numbers = "\\[\n  " + ", \\qquad ".join([*values, *found]) + " ,\n\\]"
    solution = display("A(t)", expansion_pieces(m.abel.expansion, 6), "eq:A")
    return fill(_ABEL, rows=rows, solved=slashes(sum_pieces(solved_residue())[::-1]), numbers=numbers, abel=solution)


def _abel_row(power: int, row) -> str:
    """The equation of t^power, sorted by unknowns, the new one first."""
    parts = [times(row.coeff(unknown), tex(unknown)) for unknown in reversed(UNKNOWNS.values()) if row.has(unknown)]
    free = sum_pieces(row.subs(dict.fromkeys(UNKNOWNS.values(), 0)))
    return rf"t^{power}:\quad 0 &= {inline([*parts, *(p for p in free if p.body != '0')])}"


# ---- 5 ------------------------------------------------------------------------------------------

_INVERSION = r"""
\subsection{Inversion}\label{sec:inversion}
Equation~(\ref{eq:constant}) reads
@balance
or, as $C=B+\beta\log\alpha$, $\alpha/t_l-\beta\log(\alpha/t_l)+\cdots=l+B$. By iteration, starting from
$t_l\approx\alpha/l$,
@uniformiser
Its square is the law~(\ref{eq:correlation}) of the correlation.
"""


def inversion(m: Material) -> str:
    """t_l as a log-power series."""
    first = Expansion(T_L, m.abel.expansion.terms[:3])
    balance = "\\[\n  " + inline(expansion_pieces(first)) + r" + \cdots = l+C ," + "\n\\]"
    shown = m.shifted(uniformiser_at_depth(m.abel, LAYER, 4).readable())
    return fill(_INVERSION, balance=balance, uniformiser=display("t_l", expansion_pieces(shown, 6), "eq:t"))


# ---- 6 ------------------------------------------------------------------------------------------

_LINEAR = r"""
\subsection{The linear recursion of the kernel}\label{sec:linear}
The kernel obeys $K^{l+1}(x,x')=\dot\Sigma^{l+1}(x,x')\,K^{l}(x,x')+\Sigma^{l+1}(x,x')$ with
$\dot\Sigma^{l+1}=\sigma_w^2\,\mathbb E[\phi'(U)\phi'(V)]$ (\cite[Theorem~1]{JGH}, \cite[Lemma~2]{HDR}). In units of
$q$, $k_l=K^l(x,x')/q$,
\begin{equation}
  k_{l+1}=f'(c^l)\,k_l+f(c^l), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_{l+1}=k_l+1$, $k_1=1$, so $k_l=l$: the diagonal is exactly $q\,L$.

\paragraph{Homogeneous solution.} With $\gamma=1-c=t^2$, let $\gamma'=G(\gamma)$ be one layer, so that
$G'(\gamma)=f'(c)$. Differentiating $A(G)=A+1$ shows that $H=d\gamma/dA=2t/(dA/dt)$ satisfies $H(G)=f'(c)\,H$. Thus
@homogeneous

\paragraph{Particular solution.} Insert $P=\sum_{k\ge-1}p_kt^k$ into $P(t')=f'(c)\,P(t)+f(c)$. With
$f'(c)=1+\lambda_1t+\cdots$ the unknown $p_k$ first appears at $t^{k+1}$, with the factor $k\,e_1-\lambda_1$. Here
$\lambda_1=@multiple\,e_1$, so that the factor is $(k-@multiple)\,e_1$.@first
At $k=@power$, where $H$ starts, it vanishes: a resonance. The coefficient $p_{@power}$ stays free, which is the freedom
to add a multiple of $H$, and is set to $0$; the equation is met by a term $\omega H\log t$ with
@omega
Altogether
@particular
"""

SECOND = r"""
\paragraph{Second constant.} The difference of two solutions of~(\ref{eq:kernel}) is a multiple of $H$. Hence
\begin{equation}
  k_l=P(t_l)+D\,H(t_l), \qquad D=\frac{k_1-P(t_1)}{H(t_1)}
  \label{eq:D}
\end{equation}
with $D$ the same for all $l$. The series are asymptotic, not convergent; in
numbers $C$ and $D$ are read off at a later layer, where $t_l$ is small.
"""


def linear_recursion(m: Material) -> str:
    """H, P, the resonance and D."""
    slope = m.map.slope_expansion(4).coefficient(1)
    multiple = constant((slope / growth_of(m, 2).coefficient(1)).simplify())
    start = constant(m.linear.particular.coefficient(-1))
    return fill(
        _LINEAR + SECOND,
        homogeneous=display("H(t)", expansion_pieces(m.linear.homogeneous, 4), "eq:H"),
        multiple=multiple,
        power=m.resonant_power,
        first=rf" At $k=-1$ this gives $p_{{-1}}={start}$.",
        omega=display(r"\omega", [Piece("+", constant(m.omega))]),
        particular=display("P(t)", expansion_pieces(m.linear.particular, 6), "eq:P"),
    )


# ---- 7 ------------------------------------------------------------------------------------------

_AVERAGE = r"""
\subsection{The law of the average kernel}
Inserting~(\ref{eq:t}) into $P(t_L)+D\,H(t_L)$ and dividing by $L$ gives~(\ref{eq:ntk}). To leading order
$P$ is @limit times $A$, and $A(t_L)=L+C$: this is the limit, the same for every ReLU-like activation. But $A$ contains
$\beta\log t_L$ and $P$ no such term, so a logarithm survives the division by $L$:
@leading
so that the distance from the limit is of the order $@rate$@instead.
"""


def average_kernel(m: Material) -> str:
    """The limit and the first decaying term."""
    expansion, limit = m.law_as_written(m.law), constant(m.law.limit)
    instead = " and not $1/L$" if m.law.rate.has(log) else ""
    leading = display(f"{m.law.quantity}-{limit}", expansion_pieces(expansion - m.law.limit, 2), end=",")
    rate = slashed_monomial(m.law.rate)
    return fill(_AVERAGE, limit=f"${_inline_fraction(limit)}$", leading=leading, rate=rate, instead=instead)


def _inline_fraction(shown: str) -> str:
    return shown.replace(r"\frac", r"\tfrac")


def derivation(m: Material) -> str:
    """Every step that the document's law needs."""
    steps = [correlation_map, expansion_in_t, growth, abel_function, inversion]
    steps += [linear_recursion, average_kernel] if m.is_ntk else []
    return "\n".join(step(m) for step in steps)


