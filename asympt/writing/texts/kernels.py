r"""The linear recursion of a neural tangent kernel along the correlation, and the law of its average.

Rule.  Where the factor of the recursion is the slope of the correlation map, H is the speed of the flow, H = dy/dA, and
P is solved with a resonance where H starts; all of it is in the law's linear step.

Tiny case.  ReLU: e_1 times k - 3 is the factor of p_k, so that p_3 is free and D counts from L^(-4) on.
"""

from sympy import log

from asympt.expansions.typesetting import Piece, break_lines, display, slashed_monomial
from asympt.recursions.protocol import Step
from asympt.writing.account import Account
from asympt.writing.digits import digits_of
from asympt.writing.escape import fill
from asympt.writing.notation import running

LONGEST = 4  # lines of a formula that is written out

_PLAIN = r"""
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
"""
_RESIDUAL = r"""
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
"""
_SOLVED = r"""
\section{The linear recursion of the kernel}\label{sec:linear}
@recursion

\paragraph{Homogeneous solution.} With $\gamma=1-c=@gap$, let $\gamma'=G(\gamma)$ be one layer, so that
$G'(\gamma)=@f'(c)$. Differentiating $A(G)=A+1$ shows that $H=d\gamma/dA$ satisfies $H(G)=@f'(c)\,H$. Thus
@homogeneous

\paragraph{Particular solution.} Insert $P=\sum_{k\ge-@m}p_kt^k$ into $P(t')=@f'(c)\,P(t)+@b$@forcing
As $@f'(c)=1+@multiple\,@{e}_{@m}@power+\cdots$, the unknown $p_k$ first appears at $t^{k+@m}$, with the factor
$(k-@multiple)\,@{e}_{@m}$. At $k=-@m$ this gives $p_{-@m}=@start$. At $k=@multiple$, where $H$ starts, the factor
vanishes: a resonance. The coefficient $p_{@multiple}$ stays free, which is the freedom to add a multiple of $H$, and
is set to $0$; the equation is met by a term $\omega H\log t$@omega
Altogether
@particular

\paragraph{Second constant.} The difference of two solutions of~(\ref{eq:kernel}) is a multiple of $H$. Hence
\begin{equation}
  k_l=P(t_l)+D\,H(t_l)
  \label{eq:second}
\end{equation}
with a second connection constant $D$, the same for all~$l$. The series are asymptotic, not convergent; in numbers $C$
and $D$ are read off at a later layer, where $t_l$ is small.
"""


def kernel(a: Account, step: Step) -> str:
    """The recursion, H, P, the resonance and D."""
    skip = a.net.statement.skip
    forcing = "."
    if skip:
        forcing = ", where\n" + display(r"\delta f(c)", a.pieces(step["forcing"], 2, 3), end=".").rstrip()
    return fill(
        _SOLVED, recursion=(_RESIDUAL if skip else _PLAIN).strip(), gap="t" if a.root == 1 else f"t^{a.root}",
        f=r"f_\delta" if skip else "f", b=r"\delta f(c)" if skip else "f(c)", forcing=forcing, m=a.m,
        homogeneous=display("H(t)", a.pieces(step["homogeneous"], 3, 4), "eq:H"), multiple=resonant_power(a),
        e=a.growth_letter, power="t" if a.m == 1 else f"t^{{{a.m}}}", omega=weight(a).rstrip(),
        start=running(a.notation.constant(step["particular"].coefficient(-a.m))),
        particular=display("P(t)", a.pieces(step["particular"], 5, 6), "eq:P"),
    )  # fmt: skip


def resonant_power(a: Account) -> int:
    """The power of t at which H starts and the resonance sits."""
    return int(a.find("linear", "particular")["homogeneous"].leading[0].order)


def weight(a: Account) -> str:
    """' with omega = ...', by its digits where the formula fills half a page."""
    pieces = a.constant_pieces(a.omega)
    if a.told.parameters or len(break_lines(pieces, taken=4)) <= LONGEST:
        seen = [] if a.told.parameters or not a.constants else [Piece("", rf"\approx {digits_of(a.omega)}")]
        return " with\n" + display(r"\omega", [*pieces, *seen])
    return rf" with a weight $\omega\approx{digits_of(a.omega)}$, a formula that fills half a page."


_AVERAGE = r"""
\section{The law of the average kernel}\label{sec:law}
Inserting $t_@depth$ into $P(t_@depth)+D\,H(t_@depth)$ and dividing by $@depth$ gives~(\ref{eq:law}). To leading order
$P$ is $p_{-@m}/\alpha=@limit$ times $A$, and $A(t_@depth)=@depth+C$: this is the limit, @same. @why
@leading
so that the distance from the limit is of the order $@rate$@instead.
"""
_LOG = r"But $A$ contains $\beta\log t_@depth$ and $P$ no such term, so a logarithm survives the division by $@depth$:"
_NO_LOG = "The first term beyond it is"
_SAME = {
    "relu": "the same for every ReLU-like activation",
    "skip": r"a quarter of that on the diagonal, $\delta$, for every ReLU-like activation and every $\sigma_w$",
    "edge": "the same for every activation whose map starts like this one",
}


def average(a: Account, step: Step) -> str:
    """The limit and the first decaying term of the law in the `step`."""
    limit = a.told.limit
    rest = step["law"] - limit
    pure_log = len(rest.terms) > 2 and rest.terms[0][0].logs
    shown = rest if len(rest.terms) <= 1 else rest.truncate(2 if pure_log else 1)
    has_log = a.told.rate.has(log)
    where = "edge" if not a.net.statement.layer.is_scale_free else "skip" if a.net.statement.skip else "relu"
    return fill(
        _AVERAGE, depth=a.at_depth, m=a.m, limit=running(a.notation.constant(limit)), same=_SAME[where],
        why=fill(_LOG if has_log else _NO_LOG, depth=a.at_depth).strip(),
        leading=display(rf"{a.law.quantity}-{a.notation.constant(limit)}", a.notation.pieces(shown), end=","),
        rate=slashed_monomial(a.told.rate), instead=f" and not $1/{a.at_depth}$" if a.told.rate != 1 / a.depth else "",
    )  # fmt: skip


def second_order(a: Account) -> str:
    """From which order on D counts, for a law that does not show it."""
    step = a.find("linear", "particular")
    if step is None or "homogeneous" not in step:
        return ""
    order, whole = resonant_power(a) + (a.m if a.law.average else 0), a.m
    shown = str(order // whole) if order % whole == 0 else f"{order}/{whole}"
    return (
        rf"A second constant $D$ enters the law of the kernel at the order ${a.at_depth}^{{-{shown}}}$ "
        r"(Section~\ref{sec:linear})."
    )
