"""The first section of a document about the Edge of Chaos: the network, the theorem, and what its remainders mean."""

from mpmath import mp
from sympy import Expr, expand_log, log, sqrt

from asympt.numbers import to_mpf
from asympt.writing.digits import number_rows
from asympt.writing.edge_material import E, EdgeMaterial, in_letters
from asympt.writing.escape import escape
from asympt.writing.formulas import constant, display, tex
from asympt.writing.networks import NOUNS, activation_text
from asympt.writing.notation import running
from asympt.writing.template import fill
from asympt.writing.verdicts import NAMES, Verdicts

_STABILITY = {kind: rf"\emph{{{kind}}} under the variance map $V$, the right-hand side of the first equation:"
              for kind in ("stable", "unstable", "marginal")}  # fmt: skip

_SETTING = r"""
\section{Statement}
\paragraph{Setting.}
Let @phi. Consider the fully connected network of infinite width, in the NTK parametrisation \cite{JGH},
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x+\sigma_b\,b^1, \qquad
  y^{l} = \frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1})+\sigma_b\,b^l, \qquad l=2,3,\dots,
\]
with independent $W^l_{ij},b^l_i\sim\mathcal N(0,1)$, on the Edge of Chaos of \cite{HDR}: the variance $q$ of a
preactivation is a fixed point of the layer, and correlated inputs neither separate nor merge to first order,
\begin{equation}
  q=\sigma_b^2+\sigma_w^2\,\mathbb E\bigl[\phi(\sqrt q\,Z)^2\bigr], \qquad
  \sigma_w^2\,\mathbb E\bigl[\phi'(\sqrt q\,Z)^2\bigr]=1, \qquad Z\sim\mathcal N(0,1).
  \label{eq:edge}
\end{equation}
For $\sigma_b=@bias$ these two equations have the solution
@numbers
All inputs are taken at this variance.@stability
For two inputs $x,x'$ let $\Sigma^l(x,x')$ be the covariance of the
preactivations of layer~$l$ and $c^l=\Sigma^l(x,x')/q$ their correlation@kernel. Layers are counted from~$1$.
"""
_KERNEL = r"""; let $K^l(x,x')$ be the neural tangent kernel after $l$ layers, $K^1=\Sigma^1$"""

_THEOREM = r"""
\begin{theorem}\label{thm:law}
Let $-1<c^1<1$@alone. There @are such that, with @shifts,
@correlation@ntk
\end{theorem}
\noindent Here @letters (Section~\ref{sec:map}).@second
"""
_NTK = r"""
and
@law
On the diagonal $K^L(x,x)=q\,L$ exactly, for every $L\ge1$.
"""

_REMAINDER = r"""
\paragraph{What the remainders mean.}
The expansions are \emph{formal}: $O(\cdot)$ names the first term left out, and substituting the expansion into the
recursion leaves nothing larger. @series For a fixed start the laws are also true as asymptotic statements: the
truncation $A_N$ of the Abel function of Section~\ref{sec:abel} satisfies $A_N(t')-A_N(t)-1=O(t^{N+@next})$, and
$t_l=O(l^{@rate})$ along the orbit; by telescoping $A_N(t_l)-l$ converges, and its distance from the limit~$C$ is
$O(l^{@gain})$. This is the classical argument for Fatou coordinates \cite{Milnor}; see also
\cite[Chapter~8]{deBruijn}. It is quoted, not part of what was checked by machine. The constant hidden in $O$ depends
on~$c^1$ and is not uniform as $c^1\to1$, and no explicit constant is claimed.
"""
_SMOOTH = r"""
For a smooth activation the expansion of the map at $c=1$ is itself in general only asymptotic: it is Taylor's, with a
remainder that is bounded at every order, but it need not converge.
"""
_KINKED = r"""
The expansion of the map at $c=1$ is in general only asymptotic as well, with a remainder of the order of the first term
left out; it need not converge.
"""


def noun(m: EdgeMaterial) -> str:
    """What the network is called: tanh, ELU."""
    return NOUNS.get(m.phi.name, escape(m.phi.name))


def title(m: EdgeMaterial) -> str:
    """The title of the document."""
    subject = "neural tangent kernel of" if m.is_ntk else "correlation of two inputs in"
    article = "an" if noun(m)[0] in "aeiouAEIOU" else "a"
    where = "" if m.stability.attracts else f", at a variance that is {m.stability.kind}"
    return f"The depth law of the {subject} {article} {noun(m)} network on the Edge of Chaos{where}"


def statement(m: EdgeMaterial, verdicts: Verdicts) -> str:
    """Setting, theorem, verdict, remainders."""
    return "\n".join([_setting(m), _theorem(m), _verdict(verdicts), _remainder(m)])


# ---- the network ----------------------------------------------------------------------------------


def _setting(m: EdgeMaterial) -> str:
    rows = [("q", to_mpf_at(m.q, m.digits)), (r"\sigma_w", to_mpf_at(sqrt(m.layer.weight_variance), m.digits))]
    return fill(
        _SETTING,
        phi=activation_text(m.phi),
        bias=running(constant(sqrt(m.layer.bias_variance))),
        numbers=number_rows(rows, m.digits),
        kernel=_KERNEL if m.is_ntk else "",
        stability=_stability(m),
    )


def _stability(m: EdgeMaterial) -> str:
    """What becomes of inputs at other variances."""
    return f" It is {_STABILITY[m.stability.kind]}{m.stability.latex().partition(':')[2]}."


def to_mpf_at(value: Expr, digits: int):
    """The number to so many digits."""
    with mp.workdps(digits + 10):
        return to_mpf(value)


# ---- the theorem ----------------------------------------------------------------------------------


def _theorem(m: EdgeMaterial) -> str:
    are = "are $C=C(c^1)$ and $D=D(c^1)$" if m.is_ntk else "is $C=C(c^1)$"
    correlation = display(m.correlation.quantity, m.notation.pieces(m.correlation.expansion), "eq:correlation")
    ntk = ""
    if m.is_ntk:
        ntk = fill(_NTK, law=display(m.law.quantity, m.notation.pieces(m.law.expansion), "eq:ntk"))
    alone = "" if m.stability.attracts else ", and $q^1=q$ for both inputs"
    return fill(
        _THEOREM, alone=alone, are=are, shifts=_shifts(m), correlation=correlation, ntk=ntk, letters=_letters(m),
        second=_second(m),
    )


def _shifts(m: EdgeMaterial) -> str:
    """What B and E stand for."""
    formulas = [rf"$B=C{_minus_log(m, m.beta)}$"]
    if m.resonates and any(m.notation(c).has(E) for _, c in m.law.expansion.terms):
        share = r"\omega" if m.m == 1 else rf"\tfrac{{\omega}}{{{m.m}}}"
        formulas.append(rf"$E=D+{share}\log\alpha$")
    return " and ".join(formulas)


def _minus_log(m: EdgeMaterial, beta: Expr) -> str:
    """- (beta/m) log(alpha), with the value of alpha."""
    share = r"\beta" if m.m == 1 else rf"\tfrac{{\beta}}{{{m.m}}}"
    logarithm = expand_log(log(in_letters(m.alpha)), force=True)
    number, rest = logarithm.as_coeff_Mul()
    if number == -1 and isinstance(rest, log):
        return rf"+{share}\,{tex(rest)}"
    return rf"-{share}\log({running(m.notation.constant(m.alpha))})"


def _letters(m: EdgeMaterial) -> str:
    """What the constants are."""
    residue = rf"$\beta={running(m.notation.constant(m.beta))}$"
    if m.root == 1:
        return rf"$f_n=f^{{(n)}}(1)$ are derivatives of the correlation map and {residue}"
    return rf"$e_k$ is the coefficient of $(1-c)^{{k/2}}$ in the correlation map and {residue}"


def _second(m: EdgeMaterial) -> str:
    """From which order on D counts."""
    if not m.is_ntk:
        return ""
    order = (m.resonant_power + m.m) / m.m
    shown = str(int(order)) if order == int(order) else f"{m.resonant_power + m.m}/{m.m}"
    where = r"(Section~\ref{sec:linear})"
    return rf" The constant $D$ enters the law of the kernel at the order $L^{{-{shown}}}$ {where}."


# ---- verdict and remainder ------------------------------------------------------------------------


def _verdict(verdicts: Verdicts) -> str:
    """What the verification says, in its own words."""
    found = [rf"the law of the {NAMES.get(name, name)} is \emph{{{v.verdict}}}" for name, v in verdicts.laws.items()]
    return "\\noindent Verdict of the checks in Section~\\ref{sec:evidence}: " + ", ".join(found) + ".\n"


def _remainder(m: EdgeMaterial) -> str:
    rate, gain = ("-1", "-N-1") if m.m == 1 else (f"-1/{m.m}", f"-(N+1)/{m.m}")
    series = (_SMOOTH if m.phi.is_smooth else _KINKED).strip()
    return fill(_REMAINDER, series=series, next=m.m + 1, rate=rate, gain=gain)
