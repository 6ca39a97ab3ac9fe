r"""A network whose branches are scaled down with depth: its drift, its kernel along the flow time, the ratio.

Rule.  Branch l moves the correlation by a share delta_l ~ g/l, so the flow time is the coordinate; up to what is
summable the kernel solves a linear differential equation along the flow, of which P and H are in the law's linear step.

Tiny case.  ReLU, sigma_w^2 = 2: h = 2 sqrt(2)/(3 pi) t^3 + ..., and K(x,x')/K(x,x) tends to 1/4 like 1/log L.
"""

from sympy import Expr

from asympt.expansions.typesetting import display
from asympt.recursions.protocol import Step
from asympt.writing.account import Account
from asympt.writing.escape import fill
from asympt.writing.texts.correlation_map import arc_cosine

_DRIFT = r"""
\section{The drift}\label{sec:map}
Let $U,V$ be standard normal with correlation $c$. In units of the variance of its input a branch takes $c$ to
$f(c)=\mathbb E[\phi(U)\phi(V)]/\mathbb E[\phi(U)^2]$, and by Price's theorem
@branch
the arc-cosine kernel of Cho and Saul \cite{ChoSaul}. The weights of a branch are new and have mean zero, so branch and
input are uncorrelated and their covariances add,
$\Sigma^{l}=\Sigma^{l-1}+\frac{\sigma_w^2}l\,\mathbb E[\phi\phi]$. Divided by $q_l=(1+g/l)\,q_{l-1}$ this is
$c^l=(1-\delta_l)\,c^{l-1}+\delta_lf(c^{l-1})$, or, in $y=1-c$,
\begin{equation}
  y_l=y_{l-1}-\delta_l\,h(y_{l-1}), \qquad h(y)=f(1-y)-1+y .
  \label{eq:step}
\end{equation}
In $t=\sqrt y$
@drift
an odd series that converges for $|t|<\sqrt2$, since $h$ is the integral of $h'=\rho\arccos(1-t^2)$.
"""


def drift(a: Account, step: Step) -> str:
    """f and h."""
    shown = display("h", a.pieces(step["drift"], 2, 4), "eq:drift", end=",")
    return fill(_DRIFT, branch=arc_cosine("eq:map"), drift=shown)


_KERNEL = r"""
\section{The kernel along the flow}\label{sec:linear}
A gradient reaches layer $l-1$ through the residual connection and through the branch, and the branch's own weights,
which carry the same factor $1/\sqrt l$, learn:
\[
  K^{l}=\Bigl(1+\frac{\sigma_w^2}l\,\mathbb E[\phi'\phi']\Bigr)K^{l-1}+\frac{\sigma_w^2}l\,\mathbb E[\phi\phi] .
\]
In units of $q_l$, $k_l=K^l(x,x')/q_l$,
\begin{equation}
  k_l=\bigl(1-\delta_l\,h'(y_{l-1})\bigr)\,k_{l-1}+\delta_l\,f(c^{l-1}), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_l=k_{l-1}+\delta_l$, so that exactly, for every $L\ge1$,
\begin{equation}
  \frac{K^L(x,x)}{q_L} = 1+\sum_{k=2}^L\delta_k = 1+g\,\bigl(\psi(L+1+g)-\psi(2+g)\bigr) \sim g\log L,
  \label{eq:diagonal}
\end{equation}
$\psi=\Gamma'/\Gamma$, $\psi(1)=-\gamma_E$, and the kernel grows like $q_1\,g\,L^{g}\log L/\Gamma(2+g)$. For two inputs
it is, up to $O(\delta_l^2)$, the linear differential equation $dk/dT=-h'k+f$ along the flow, with $f=1-y+h$. Its
homogeneous solution is $h$, and $k/h$ solves $d(k/h)/dy=-(1-y+h)/h^2$. Integrated term by term and without the power
$t^3$ with which $h$ starts,
@particular
(the residue of $2t(1-t^2)/h^2$ puts $h\log t$ into it), and
\begin{equation}
  k_l=P(t_l)+D\,h(t_l)+O(1/l)
  \label{eq:second}
\end{equation}
with a second constant $D$.
"""


def kernel(a: Account, step: Step) -> str:
    """The recursion, P and D."""
    return fill(_KERNEL, particular=display("P", a.pieces(step["particular"], 3, 5), "eq:P", end=""))


_RATIO = r"""
\section{The ratio}\label{sec:law}
To leading order $P=@start\,t^{-1}=\frac14T$: a quarter of the flow time, and so of~(\ref{eq:diagonal}). Dividing
$P(t_L)+D\,h(t_L)$ by $g\log L+s_0$, $s_0=@shift$, the constant of~(\ref{eq:diagonal}), gives~(\ref{eq:law}):
@leading
The limit $\frac14$ is the same for every ReLU-like activation and every $\sigma_w$; it is approached like $1/\log L$,
with the coefficient $(C-s_0)/(4g)$.
"""


def ratio(a: Account, step: Step) -> str:
    """The limit and the first decaying term."""
    rest = step["law"] - a.law.limit
    return fill(
        _RATIO, start=_small(a, a.find("linear")["particular"].leading[1]),
        shift=_small(a, a.diagonal.expansion.coefficient(0)),
        leading=display(rf"{a.law.quantity}-\frac14", a.notation.pieces(rest, 1)),
    )  # fmt: skip


def _small(a: Account, value: Expr) -> str:
    """A constant for running text."""
    return a.notation.constant(value).replace(r"\frac", r"\tfrac")


def second_order(a: Account) -> str:
    """From which order on D counts in the ratio: that of H in the clock, and one more for the division by it."""
    flow, homogeneous = a.find("inversion")["reversed"], a.find("linear")["homogeneous"]
    order = homogeneous.leading[0].order * flow.leading[0].order / a.root + 1
    return (
        rf"A second constant $D$ enters the law of the kernel at the order $\log({a.at_depth})^{{-{order}}}$ "
        r"(Section~\ref{sec:linear})."
    )
