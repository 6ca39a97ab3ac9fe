"""The first section of the document about a scaled residual network: what is assumed, what is true."""

from asympt.writing.formulas import constant, display, expansion_pieces, parameter
from asympt.writing.networks import noun
from asympt.writing.scaled_material import ScaledMaterial
from asympt.writing.template import fill
from asympt.writing.verdicts import NAMES, Verdicts

KERNEL = r""", and $K^l(x,x')$ the neural tangent kernel after $l$ layers, $K^1=\Sigma^1$"""

_SETTING = r"""
\section{Statement}
\paragraph{Setting.}
Let $\phi(x)=a_+x$ for $x>0$ and $\phi(x)=a_-x$ for $x\le 0$, with @slopes. Consider the residual network of infinite
width, in the NTK parametrisation \cite{JGH} and without biases, whose branches are scaled down with depth,
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x, \qquad
  y^{l} = y^{l-1}+\frac1{\sqrt l}\,\frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1}), \qquad
  W^l_{ij}\sim\mathcal N(0,1) \text{ independent}, \qquad l=2,3,\dots
\]
with $\sigma_w^2=@weight$; the first layer is not residual. For two inputs $x,x'\neq 0$ let $\Sigma^l(x,x')$ be the
covariance of $y^l$ and $c^l$ its correlation@kernel.
Layers are counted from $1$, so $c^1$ is the correlation of the inputs themselves.
"""

_SCALES = r"""
\paragraph{Constants.}
Branch $l$ adds $g/l$ times the variance of its input, so $\delta_l$ is its share of the sum,
\[
  g = \frac{\sigma_w^2\,(a_+^2+a_-^2)}2 = @gain, \qquad \delta_l = \frac{g/l}{1+g/l} = \frac g{l+g}, \qquad
  q_l = q_1\prod_{k=2}^l\Bigl(1+\frac gk\Bigr) = q_1\,\frac{\Gamma(l+1+g)}{\Gamma(2+g)\,\Gamma(l+1)}
\]
with $q_l=\Sigma^l(x,x)^{1/2}\,\Sigma^l(x',x')^{1/2}$ and $q_1=\sigma_w^2\|x\|\|x'\|/d$. The activation enters through
its asymmetry
\[
  \rho = \frac{(a_+-a_-)^2}{\pi\,(a_+^2+a_-^2)} = @rho .
\]
The start $c^1$ enters through the connection constant@constants.
"""

_THEOREM = r"""
\begin{theorem}\label{thm:law}
Let $-1<c^1<1$. There @are such that, with $\lambda=g\log l+C$,
@correlation
and with $\lambda$ expanded in $\log l$
@expanded@ntk
\end{theorem}
"""

_NTK = r"""
For one input, exactly and for every $L\ge1$,
\begin{equation}
  \frac{K^L(x,x)}{q_L} = 1+\sum_{k=2}^L\delta_k = 1+g\,\bigl(\psi(L+1+g)-\psi(2+g)\bigr) \sim g\log L,
  \label{eq:diagonal}
\end{equation}
$\psi=\Gamma'/\Gamma$, $\psi(1)=-\gamma_E$, so the kernel grows like $q_1\,g\,L^{g}\log L/\Gamma(2+g)$; and for two
@law
"""

_REMAINDER = r"""
\noindent Verdict of the checks in Section~\ref{sec:evidence}: @verdicts.

\paragraph{What the remainders mean.}
The expansions are \emph{formal}: $O(\cdot)$ names the first term left out. For a fixed start they are also true: the
flow time of Section~\ref{sec:time} satisfies $T(\gamma_l)-g\log l\to C$ with a difference $O(1/l)$, which is smaller
than every power of $1/\log l$, and $T$ is a convergent series in $t=\sqrt{1-c}$ times $1/t$. The constant hidden in $O$
depends on $c^1$ and is not uniform as $c^1\to1$, where $C\to\infty$. As the expansion is one in $1/\log l$, it is the
form in $\lambda$ that is useful at any depth one can think of: @compare.
"""


def title(m: ScaledMaterial) -> str:
    """The title of the document."""
    subject = "neural tangent kernel of" if m.is_ntk else "correlation of two inputs in"
    return rf"The depth law of the {subject} a {noun(m.net)} residual network with branches scaled by $1/\sqrt l$"


def statement(m: ScaledMaterial, verdicts: Verdicts) -> str:
    """Setting, constants, theorem, remainders."""
    return "\n".join([_setting(m), _constants(m), _theorem(m), _remainder(m, verdicts)])


def _setting(m: ScaledMaterial) -> str:
    weight = parameter(m.net.statement.layer.weight_variance)
    return fill(_SETTING, slopes=_slopes(m), weight=weight, kernel=KERNEL if m.is_ntk else "")


def _constants(m: ScaledMaterial) -> str:
    second = " $C$ and, in the kernel, through a second one, $D$" if m.is_ntk else "~$C$"
    where = r"; both are defined in Section~\ref{sec:time} and~\ref{sec:linear}" if m.is_ntk else ""
    return fill(_SCALES, gain=parameter(m.gain), rho=parameter(m.rho), constants=second + where)


def _theorem(m: ScaledMaterial) -> str:
    are = "are $C=C(c^1)$ and $D=D(c^1)$" if m.is_ntk else "is $C=C(c^1)$"
    compact = display("1-c^{l}", expansion_pieces(m.compact), "eq:compact", end="+O(1/l),")
    expanded = display("1-c^{l}", expansion_pieces(m.correlation.expansion), "eq:correlation")
    ntk = fill(_NTK, law=display(m.law.quantity, expansion_pieces(m.ratio), "eq:ntk")) if m.is_ntk else ""
    return fill(_THEOREM, are=are, correlation=compact, expanded=expanded, ntk=ntk)


def _remainder(m: ScaledMaterial, verdicts: Verdicts) -> str:
    found = [rf"the law of the {NAMES.get(name, name)} is \emph{{{v.verdict}}}" for name, v in verdicts.laws.items()]
    first = constant(m.correlation.expansion.terms[0][1])
    compare = rf"the relative error of the leading term alone, $({first})/\log^2l$, is about $2\,|C|/(g\log l)$"
    return fill(_REMAINDER, verdicts=", ".join(found), compare=compare)


def _slopes(m: ScaledMaterial) -> str:
    """The two slopes as formulas."""
    right, left = m.net.activation.slopes
    return rf"$a_+ = {parameter(right)}$ and $a_- = {parameter(left)}$"
