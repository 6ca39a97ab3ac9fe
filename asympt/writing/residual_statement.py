"""The first section of the document about a residual network: what is assumed, and what is true."""

from asympt.writing.formulas import display, expansion_pieces, parameter
from asympt.writing.names import noun, slopes
from asympt.writing.residual_material import ResidualMaterial
from asympt.writing.statement import KERNEL, THEOREM, after_theorem, shifts
from asympt.writing.template import fill
from asympt.writing.verdicts import Verdicts

_SETTING = r"""
\section{Statement}
\paragraph{Setting.}
Let $\phi(x)=a_+x$ for $x>0$ and $\phi(x)=a_-x$ for $x\le 0$, with @slopes. Consider the residual network of infinite
width, in the NTK parametrisation \cite{JGH} and without biases,
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x, \qquad y^{l} = y^{l-1}+\frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1}), \qquad
  W^l_{ij}\sim\mathcal N(0,1) \text{ independent}, \qquad l=2,3,\dots
\]
with $\sigma_w^2=@weight$; the first layer is not residual. For two inputs $x,x'\neq 0$ let $\Sigma^l(x,x')$ be the
covariance of $y^l$ and $c^l$ its correlation@kernel.
Layers are counted from $1$, so $c^1$ is the correlation of the inputs themselves.
"""

_SCALES = r"""
\paragraph{Constants.}
A branch adds $g$ times the variance of its input, and $\delta$ is its share of the sum,
\[
  g = \frac{\sigma_w^2\,(a_+^2+a_-^2)}2 = @gain, \qquad \delta = \frac g{1+g} = @share .
\]
So the variance grows like $q_l=(1+g)^{l-1}q_1$, where $q_l=\Sigma^l(x,x)^{1/2}\,\Sigma^l(x',x')^{1/2}$ and
$q_1=\sigma_w^2\|x\|\|x'\|/d$. The activation enters through its asymmetry $\rho$, and through
\[
  \rho = \frac{(a_+-a_-)^2}{\pi\,(a_+^2+a_-^2)} = @rho, \qquad \alpha = \frac{3}{\sqrt2\,\rho\,\delta} = @alpha .
\]
The start $c^1$ enters through the connection constant@constants.
"""

_NTK = r"""
and
@law
For one input $K^L(x,x)=q_L\,\bigl(1+\delta\,(L-1)\bigr)$ exactly, for every $L\ge1$.
"""


def title(m: ResidualMaterial) -> str:
    """The title of the document."""
    subject = "neural tangent kernel of" if m.is_ntk else "correlation of two inputs in"
    article = "an" if noun(m)[0] in "aeiou" else "a"
    return f"The depth law of the {subject} {article} {noun(m)} residual network"


def statement(m: ResidualMaterial, verdicts: Verdicts) -> str:
    """Setting, constants, theorem, remainders."""
    return "\n".join([_setting(m), _constants(m), _theorem(m) + after_theorem(m, verdicts)])


def _setting(m: ResidualMaterial) -> str:
    weight = parameter(m.net.statement.layer.weight_variance)
    return fill(_SETTING, slopes=slopes(m), weight=weight, kernel=KERNEL if m.is_ntk else "")


def _constants(m: ResidualMaterial) -> str:
    second = " $C$ and, in the kernel, through a second one, $D$" if m.is_ntk else "~$C$"
    normalised = "; both are normalised in Section~\\ref{sec:abel} and~\\ref{sec:linear}" if m.is_ntk else ""
    return fill(
        _SCALES, rho=parameter(m.rho), alpha=parameter(m.alpha), gain=parameter(m.gain),
        share=parameter(m.branch_share), constants=second + normalised,
    )


def _theorem(m: ResidualMaterial) -> str:
    are = "are $C=C(c^1)$ and $D=D(c^1)$" if m.is_ntk else "is $C=C(c^1)$"
    correlation = display(m.correlation.quantity, expansion_pieces(m.law_as_written(m.correlation)), "eq:correlation")
    ntk = ""
    if m.is_ntk:
        ntk = fill(_NTK, law=display(m.law.quantity, expansion_pieces(m.law_as_written(m.law)), "eq:ntk"))
    return fill(THEOREM, are=are, shifts=shifts(m), correlation=correlation, ntk=ntk)
