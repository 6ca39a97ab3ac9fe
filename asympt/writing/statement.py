"""The first section: what is assumed, what is true, and what the remainders mean."""


from asympt.expansions import Formal
from asympt.recursions import Law
from asympt.writing.formulas import constant, display, expansion_pieces, parameter
from asympt.writing.material import LOG_ALPHA, E, Material
from asympt.writing.names import slopes, variance
from asympt.writing.template import fill
from asympt.writing.verdicts import NAMES, Verdicts

_SETTING = r"""
\section{Statement}
\paragraph{Setting.}
Let $\phi(x)=a_+x$ for $x>0$ and $\phi(x)=a_-x$ for $x\le 0$, with @slopes. Consider the fully connected network
of infinite width, in the NTK parametrisation \cite{JGH} and without biases ($\sigma_b=0$),
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x, \qquad y^{l} = \frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1}), \qquad
  W^l_{ij}\sim\mathcal N(0,1) \text{ independent}, \qquad l=2,3,\dots
\]
with @variance. For two inputs $x,x'\neq 0$ let $\Sigma^l(x,x')$ be the covariance of the preactivations of layer~$l$,
$c^l=\Sigma^l(x,x')/q$ their correlation@kernel.
Layers are counted from $1$, so $c^1$ is the correlation of the inputs themselves.
"""

KERNEL = r""", and $K^l(x,x')$ the neural tangent kernel after $l$ layers, $K^1=\Sigma^1$"""

_SCALES = r"""
\paragraph{Constants.}
The activation enters through one number, its asymmetry
\[
  \rho = \frac{(a_+-a_-)^2}{\pi\,(a_+^2+a_-^2)} = @rho, \qquad\text{or}\qquad \alpha = \frac{3}{\sqrt2\,\rho} = @alpha .
\]
The start $c^1$ enters through the connection constant@constants.
"""

THEOREM = r"""
\begin{theorem}\label{thm:law}
Let $-1<c^1<1$. There @are such that, with @shifts,
@correlation@ntk
\end{theorem}
"""

_NTK = r"""
and
@law
On the diagonal $K^L(x,x)=q\,L$ exactly, for every $L\ge1$.
"""

_REMAINDER = r"""
\paragraph{What the remainders mean.}
The expansions above are \emph{@kind}: @meaning.
For a fixed start they are also true. The map is analytic in $t=\sqrt{1-c}$ at $t=0$, so a truncation $A_N$ of the
Abel function of Section~\ref{sec:abel} at the power $t^N$ satisfies $A_N(t')-A_N(t)-1=O(t^{N+2})$, and along an orbit
$t_l=O(1/l)$; by telescoping $A_N(t_l)-l$ converges, and its distance from the limit~$C$ is $O(l^{-N-1})$.
This is the classical argument for Fatou coordinates \cite{Milnor}; see also \cite[Chapter~8]{deBruijn}.
The constant hidden in $O$ depends on $c^1$ and is not uniform as $c^1\to1$.
"""


def statement(m: Material, verdicts: Verdicts) -> str:
    """Setting, constants, theorem, remainders."""
    return "\n".join([_setting(m), _constants(m), _theorem(m) + after_theorem(m, verdicts)])


def after_theorem(m: Material, verdicts: Verdicts) -> str:
    """Where D enters, what the checks say, and what the remainders mean."""
    return "\n".join([_second_constant(m), _verdict(verdicts), _remainder(m.law)])


def _setting(m: Material) -> str:
    return fill(_SETTING, slopes=slopes(m), variance=variance(m), kernel=KERNEL if m.is_ntk else "")


def _constants(m: Material) -> str:
    second = " $C$ and, in the kernel, through a second one, $D$" if m.is_ntk else "~$C$"
    normalised = "; both are normalised in Section~\\ref{sec:abel} and~\\ref{sec:linear}" if m.is_ntk else ""
    return fill(_SCALES, rho=parameter(m.rho), alpha=parameter(m.alpha), constants=second + normalised)


def _theorem(m: Material) -> str:
    are = "are $C=C(c^1)$ and $D=D(c^1)$" if m.is_ntk else "is $C=C(c^1)$"
    correlation = display(m.correlation.quantity, expansion_pieces(m.law_as_written(m.correlation)), "eq:correlation")
    ntk = ""
    if m.is_ntk:
        ntk = fill(_NTK, law=display(m.law.quantity, expansion_pieces(m.law_as_written(m.law)), "eq:ntk"))
    return fill(THEOREM, are=are, shifts=shifts(m), correlation=correlation, ntk=ntk)


def shifts(m: Material) -> str:
    """What B, E and Lambda stand for, as far as the laws shown use them."""
    shown = [m.law_as_written(law) for law in {m.name: m.law, "correlation": m.correlation}.values()]
    used = set().union(*(c.free_symbols for expansion in shown for _, c in expansion.terms))
    beta = constant(m.beta).replace(r"\frac", r"\tfrac")
    formulas = [rf"$B = C - {beta}\log\alpha$"]
    if E in used:
        formulas.append(r"$E = D + \omega\log\alpha$")
    if LOG_ALPHA in used:
        formulas.append(r"$\Lambda = \log\alpha$")
    return " and ".join(formulas)


def _second_constant(m: Material) -> str:
    """From which order on D counts."""
    if not m.is_ntk:
        return ""
    depth = m.law.depth_variable
    return (
        rf"\noindent The constant $D$ enters the law of the kernel at the order ${depth}^{{-{m.resonant_power + 1}}}$ "
        "(Section~\\ref{sec:linear}).\n"
    )


def _verdict(verdicts: Verdicts) -> str:
    """What the verification says, in its own words."""
    found = [rf"the law of the {NAMES.get(name, name)} is \emph{{{v.verdict}}}" for name, v in verdicts.laws.items()]
    return "\\noindent Verdict of the checks in Section~\\ref{sec:evidence}: " + ", ".join(found) + ".\n"


def _remainder(law: Law) -> str:
    formal = isinstance(law.remainder, Formal)
    kind = "formal" if formal else type(law.remainder).__name__.lower()
    meaning = (
        "$O(\\cdot)$ names the first term left out, and substituting the expansion into the recursion leaves nothing "
        "larger"
        if formal
        else "the remainder is as stated"
    )
    return fill(_REMAINDER, kind=kind, meaning=meaning)


