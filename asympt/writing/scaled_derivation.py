"""The derivation for a scaled residual network, one function a step.

    drift        the map, and gamma_l = gamma_(l-1) - delta_l h(gamma_(l-1))
    flow_time    T with T' = -1/h, and what one layer adds to it
    inversion    1 - c^l in lambda = g log l + C
    kernel       K/q along the flow: P, h, D
    ratio        K^L(x,x')/K^L(x,x)
"""

from sympy import Symbol

from asympt.gaussian.closed import arccosine
from asympt.writing.formulas import Piece, constant, display, displays, expansion_pieces, inline, sum_pieces, tex
from asympt.writing.scaled_material import ScaledMaterial, with_euler
from asympt.writing.template import fill

_DRIFT = r"""
\section{Derivation}
\subsection{One layer}\label{sec:map}
Let $U,V$ be standard normal with correlation $c$. In units of the variance of its input a branch takes $c$ to
$f(c)=\mathbb E[\phi(U)\phi(V)]/\mathbb E[\phi(U)^2]$, and by Price's theorem
@branch
the arc-cosine kernel of Cho and Saul \cite{ChoSaul}. The weights of a branch are new and have mean zero, so branch and
input are uncorrelated and their covariances add,
$\Sigma^{l}=\Sigma^{l-1}+\frac{\sigma_w^2}l\,\mathbb E[\phi\phi]$. Divided by $q_l=(1+g/l)\,q_{l-1}$ this is
$c^l=(1-\delta_l)\,c^{l-1}+\delta_lf(c^{l-1})$, or, in $\gamma=1-c$,
\begin{equation}
  \gamma_l=\gamma_{l-1}-\delta_l\,h(\gamma_{l-1}), \qquad h(\gamma)=f(1-\gamma)-1+\gamma .
  \label{eq:step}
\end{equation}
In $t=\sqrt\gamma$
@drift
an odd series that converges for $|t|<\sqrt2$, since $h$ is the integral of $h'=\rho\arccos(1-t^2)$.
"""


def drift(m: ScaledMaterial) -> str:
    """f and h."""
    rho, c = Symbol("rho"), arccosine.C
    integral = inline(sum_pieces(arccosine.angle_integral()))
    value = [Piece("+", tex(c)), Piece("+", rf"\rho\,\bigl({integral}\bigr)")]
    slope = sum_pieces(arccosine.closed_slope(rho))[::-1]
    branch = displays([("f'(c)", slope), ("f(c)", value)], "eq:map", end=",")
    return fill(_DRIFT, branch=branch, drift=display("h", expansion_pieces(m.drift), "eq:h", end=","))


_TIME = r"""
\subsection{The flow time}\label{sec:time}
Let $T$ be the function with $dT/d\gamma=-1/h$, without a constant term at $t=0$. Then $dT=-2t\,dt/h$, and because $h$
is odd in $t$ there is no term $dt/t$ and so no logarithm:
@time
By Taylor's formula, with $T'=-1/h$ and $T''=h'/h^2$, a layer adds to it
\[
  T(\gamma-\delta_lh)-T(\gamma)=\delta_l+\tfrac12\,\delta_l^2\,h'(\gamma)+O\bigl(\delta_l^3\bigr) .
\]
The $\delta_l^2$ are summable, and what remains of their sum beyond layer $l$ is $O(1/l)$, while
$\sum_{k=2}^l\delta_k=g\,\bigl(\psi(l+1+g)-\psi(2+g)\bigr)=g\log l+\mathrm{const}+O(1/l)$. Hence
\begin{equation}
  T(\gamma_l)=g\log l+C+O(1/l)
  \label{eq:C}
\end{equation}
with $C$ the connection constant of the start.
"""


def flow_time(m: ScaledMaterial) -> str:
    """T, and the constant C."""
    return fill(_TIME, time=display("T", expansion_pieces(m.law.time, 4), "eq:T"))


_INVERSION = r"""
\subsection{Inversion}
The series~(\ref{eq:T}) is $@leading$ times an even series in $t$. Solved for $t$ and squared it
gives~(\ref{eq:compact}), and with $\lambda=g\log l+C$ expanded in $1/\log l$ the law~(\ref{eq:correlation}). No
$\log\log l$ occurs, because $T$ has no logarithm: in contrast to the network whose branches are not scaled, where the
discreteness of the layers puts one into the Abel function.
"""


def inversion(m: ScaledMaterial) -> str:
    """1 - c^l."""
    monomial, coefficient = m.law.time.leading
    return fill(_INVERSION, leading=rf"({constant(coefficient)})\,t^{{{monomial.order}}}")


_KERNEL = r"""
\subsection{The kernel along the flow}\label{sec:linear}
A gradient reaches layer $l-1$ through the residual connection and through the branch, and the branch's own weights,
which carry the same factor $1/\sqrt l$, learn:
\[
  K^{l}=\Bigl(1+\frac{\sigma_w^2}l\,\mathbb E[\phi'\phi']\Bigr)K^{l-1}+\frac{\sigma_w^2}l\,\mathbb E[\phi\phi] .
\]
In units of $q_l$, $k_l=K^l(x,x')/q_l$,
\begin{equation}
  k_l=\bigl(1-\delta_l\,h'(\gamma_{l-1})\bigr)\,k_{l-1}+\delta_l\,f(c^{l-1}), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_l=k_{l-1}+\delta_l$, which is~(\ref{eq:diagonal}). For two inputs it is, up to $O(\delta_l^2)$,
the linear differential equation $dk/dT=-h'k+f$ along the flow, with $f=1-\gamma+h$. Its homogeneous solution is $h$,
and $k/h$ solves $d(k/h)/d\gamma=-(1-\gamma+h)/h^2$. Integrated term by term and without the power $t^3$ with which $h$
starts,
@particular
(the residue of $2t(1-t^2)/h^2$ puts $h\log t$ into it), and
\begin{equation}
  k_l=P(t_l)+D\,h(t_l)+O(1/l)
  \label{eq:D}
\end{equation}
with a second constant $D$.
"""


def kernel(m: ScaledMaterial) -> str:
    """P and D."""
    return fill(_KERNEL, particular=display("P", expansion_pieces(m.law.linear.particular, 5), "eq:P", end=""))


_RATIO = r"""
\subsection{The ratio}
To leading order $P=@start\,t^{-1}=\frac14T$: a quarter of the flow time, and so of~(\ref{eq:diagonal}). Dividing
$P(t_L)+D\,h(t_L)$ by $g\log L+s_0$, $s_0=@shift$, the constant of~(\ref{eq:diagonal}), gives~(\ref{eq:ntk}):
@leading
The limit $\frac14$ is the same for every ReLU-like activation and every $\sigma_w$; it is approached like $1/\log L$,
with the coefficient $(C-s_0)/(4g)$.
"""


def ratio(m: ScaledMaterial) -> str:
    """The limit and the first decaying term."""
    return fill(
        _RATIO,
        start=constant(m.law.linear.particular.leading[1]),
        shift=constant(with_euler(m.law.coordinate.diagonal)),
        leading=display(rf"{m.law.quantity}-\frac14", expansion_pieces(m.ratio - m.law.limit, 1)),
    )


def derivation(m: ScaledMaterial) -> str:
    """Every step that the document's law needs."""
    steps = [drift, flow_time, inversion, *([kernel, ratio] if m.is_ntk else [])]
    return "\n".join(step(m) for step in steps)
