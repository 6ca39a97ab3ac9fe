"""The derivation for a residual network, as far as it differs from `steps`: the mixed map and the kernel's forcing."""

from sympy import Symbol

from asympt.gaussian.closed import arccosine
from asympt.gaussian.price import relu_like as ladder
from asympt.writing import steps
from asympt.writing.formulas import (
    Piece,
    constant,
    display,
    displays,
    expansion_pieces,
    inline,
    slashed_monomial,
    sum_pieces,
    tex,
)
from asympt.writing.residual_material import ResidualMaterial
from asympt.writing.template import fill

_MAP = r"""
\section{Derivation}
\subsection{The correlation map}\label{sec:map}
Let $U,V$ be standard normal with correlation $c$. In units of the variance of its input a branch takes $c$ to
$f(c)=\mathbb E[\phi(U)\phi(V)]/\mathbb E[\phi(U)^2]$. By Price's theorem and $\phi''=(a_+-a_-)\,\delta_0$, with
$\delta_0$ the Dirac measure at~$0$,
@branch
the arc-cosine kernel of Cho and Saul \cite{ChoSaul}. The weights of a branch are new and have mean zero, so branch and
input are uncorrelated and their covariances add,
$\Sigma^{l}=\Sigma^{l-1}+\sigma_w^2\,\mathbb E[\phi\phi]$. At $x=x'$ this is $q_l=(1+g)\,q_{l-1}$, and
divided by $q_l$
\begin{equation}
  c^{l}=f_\delta(c^{l-1}), \qquad f_\delta(c)=(1-\delta)\,c+\delta\,f(c)
  = c+\rho\,\delta\,\bigl(\sqrt{1-c^2}-c\arccos c\bigr) .
  \label{eq:mixed}
\end{equation}
This is the map of a fully connected ReLU-like network whose asymmetry is $\rho\,\delta$ instead of $\rho$: the residual
connection only slows the flow down. In particular $f_\delta(1)=f_\delta'(1)=1$ for every $\sigma_w$: there is no other
phase.
"""


def correlation_map(m: ResidualMaterial) -> str:
    """f, and the map of a whole layer."""
    rho, c = Symbol("rho"), arccosine.C
    integral = inline(sum_pieces(arccosine.angle_integral()))
    value = [Piece("+", tex(c)), Piece("+", rf"\rho\,\bigl({integral}\bigr)")]
    slope = sum_pieces(arccosine.closed_slope(rho))[::-1]
    return fill(_MAP, branch=displays([("f'(c)", slope), ("f(c)", value)], "eq:map", end=","))


_EXPANSION = r"""
\subsection{Expansion at \texorpdfstring{$c=1$}{c = 1}}
At $c=1$ the map is not analytic in $c$, but in the \emph{uniformiser} $t=\sqrt{1-c}$ it is, for $|t|<\sqrt2$, since
\[
  \arccos(1-t^2)=\sqrt2\int_0^t\frac{ds}{\sqrt{1-s^2/2}} = @angle .
\]
With $\rho\,\delta=@rho$,
@expansions
"""


def expansion_in_t(m: ResidualMaterial) -> str:
    """f_delta' and f_delta as Puiseux series in 1 - c."""
    angle = inline(expansion_pieces(ladder.kink_term(5)))
    rows = [
        (r"f_\delta'(c)", expansion_pieces(m.map.slope_expansion(5))),
        (r"f_\delta(c)", expansion_pieces(m.map.expansion(7))),
    ]
    return fill(_EXPANSION, angle=angle, rho=constant(m.map.asymmetry), expansions=displays(rows, "eq:expansion"))


_LINEAR = r"""
\subsection{The linear recursion of the kernel}\label{sec:linear}
A gradient reaches layer $l-1$ through the residual connection and through the branch, and the branch's own weights
learn: $K^{l}=(1+\dot\Sigma^{l})\,K^{l-1}+\sigma_w^2\,\mathbb E[\phi\phi]$ with
$\dot\Sigma^{l}=\sigma_w^2\,\mathbb E[\phi'\phi']$ (\cite[Lemma~3]{HDR}, where $\Sigma^l$ in the recursion is the
covariance of the branch). In units of $q_l$, $k_l=K^l(x,x')/q_l$, where
$\sigma_w^2\,\mathbb E[\phi\phi]=g\,q_{l-1}f$ and $q_l=(1+g)\,q_{l-1}$,
\begin{equation}
  k_{l}=f_\delta'(c^{l-1})\,k_{l-1}+\delta\,f(c^{l-1}), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_{l}=k_{l-1}+\delta$, $k_1=1$, so $k_l=1+\delta\,(l-1)$ exactly.

\paragraph{Homogeneous solution.} Let $\gamma=1-c=t^2$, and let $\gamma'=G(\gamma)$ be one layer, so that
$G'(\gamma)=f_\delta'(c)$. Differentiating $A(G)=A+1$ shows that $H=d\gamma/dA=2t/(dA/dt)$ satisfies
$H(G)=f_\delta'(c)\,H$. Thus
@homogeneous

\paragraph{Particular solution.} Insert $P=\sum_{k\ge-1}p_kt^k$ into $P(t')=f_\delta'(c)\,P(t)+\delta f(c)$, where
@forcing
With $f_\delta'(c)=1+\lambda_1t+\cdots$ the unknown $p_k$ first appears at $t^{k+1}$, with the factor
$k\,e_1-\lambda_1$. Here $\lambda_1=@multiple\,e_1$, so that the factor is $(k-@multiple)\,e_1$. At $k=-1$ this gives
$p_{-1}=@start$. At $k=@power$, where $H$ starts, it vanishes: a resonance. The coefficient $p_{@power}$ stays free,
which is the freedom to add a multiple of $H$, and is set to $0$; the equation is met by a term $\omega H\log t$ with
@omega
Altogether
@particular
"""


def linear_recursion(m: ResidualMaterial) -> str:
    """H, the forcing, P, the resonance and D."""
    slope = m.map.slope_expansion(4).coefficient(1)
    multiple = constant((slope / steps.growth_of(m, 2).coefficient(1)).simplify())
    forcing = m.forcing(3)
    return fill(
        _LINEAR + steps.SECOND,
        homogeneous=display("H(t)", expansion_pieces(m.linear.homogeneous, 4), "eq:H"),
        forcing=display(r"\delta f(c)", expansion_pieces(forcing), end="."),
        multiple=multiple,
        power=m.resonant_power,
        start=constant(m.linear.particular.coefficient(-1)),
        omega=display(r"\omega", [Piece("+", constant(m.omega))]),
        particular=display("P(t)", expansion_pieces(m.linear.particular, 6), "eq:P"),
    )


_AVERAGE = r"""
\subsection{The law of the average kernel}
Inserting~(\ref{eq:t}) into $P(t_L)+D\,H(t_L)$ and dividing by $L$ gives~(\ref{eq:ntk}). To leading order
$P$ is @limit times $A$, and $A(t_L)=L+C$: this is the limit, a quarter of that on the diagonal, $\delta$, for every
ReLU-like activation and every $\sigma_w$. But $A$ contains $\beta\log t_L$ and $P$ no such term, so a logarithm
survives the division by $L$:
@leading
so that the distance from the limit is of the order $@rate$ and not $1/L$.
"""


def average_kernel(m: ResidualMaterial) -> str:
    """The limit and the first decaying term."""
    expansion, limit = m.law_as_written(m.law), constant(m.law.limit)
    leading = display(f"{m.law.quantity}-{limit}", expansion_pieces(expansion - m.law.limit, 2), end=",")
    rate = slashed_monomial(m.law.rate)
    return fill(_AVERAGE, limit=f"${limit}$".replace(r"\frac", r"\tfrac"), leading=leading, rate=rate)


def derivation(m: ResidualMaterial) -> str:
    """Every step that the document's law needs."""
    parts = [correlation_map, expansion_in_t, steps.growth, steps.abel_function, steps.inversion]
    parts += [linear_recursion, average_kernel] if m.is_ntk else []
    return "\n".join(step(m) for step in parts)
