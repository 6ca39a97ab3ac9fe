r"""What a network is called; the setting of a document that derives its map; what is said of its variance."""

from mpmath import mp
from sympy import Symbol, latex, simplify, sqrt

from asympt.architectures.registry import PLAIN, SCALED, record_of
from asympt.errors import AsymptError, UnsupportedError
from asympt.evidence.law_terms import opaque_in
from asympt.expansions.typesetting import constant, parameter, tex
from asympt.meanfield.activations import Activation
from asympt.numbers import to_mpf
from asympt.writing.escape import escape, fill
from asympt.writing.notation import number_rows, running

NOUNS = {
    "relu": "ReLU", "leaky_relu": "leaky ReLU", "abs": "absolute-value", "elu": "ELU", "selu": "SELU", "gelu": "GELU",
    "silu": "SiLU", "relu6": "ReLU6", "relu_like": "ReLU-like",
}  # fmt: skip
PHASES = {"ordered": " in the ordered phase", "chaotic": " in the chaotic phase",
          "edge of chaos": " on the Edge of Chaos"}  # fmt: skip

_HEAD = r"""
\section{Statement}
\paragraph{Setting.}
Let @phi. Consider
the @kind network@which in the NTK parametrisation \cite{JGH},
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x@bias_of_first, \qquad
  y^{l} = @branch, \qquad l=2,3,\dots
\]
with @parameters; all weights and biases are independent and standard normal, and every width is infinite.@variance
"""
_BRANCH = r"\frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1})"
MEANT = r"""
For two inputs $x,x'$ let $\Sigma^l(x,x')$ be the covariance of the preactivations of layer~$l$, $q$ (or $q_l$, where it
depends on the layer) their variance, $c^l$ their correlation, and $K^l(x,x')$ the neural tangent kernel after $l$
layers, $K^1=\Sigma^1$. Layers are counted from~$1$.
"""


def noun(net) -> str:
    return NOUNS.get(net.activation.name, escape(net.activation.name))


def network_name(net) -> str:
    """'a tanh network in the ordered phase', by the architecture's own parameters."""
    own, words = {parameter.name for parameter in record_of(net).parameters}, [noun(net)]
    words += ["multilayer perceptron"] if in_variances(net) else ["residual", "network"] if _dense(net).skip else [
        "network"]  # fmt: skip
    kind = " ".join(["convolutional", *words] if "positions" in own else words)
    which = ""
    if "kappa" in own:
        which = f" with branches scaled by ${running(tex(Symbol('l', positive=True) ** (-net.kappa / 2)))}$"
    if "sigma_v" in own:
        which = " of two-matrix blocks"
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}{which}{_phase(net)}"


def in_variances(net) -> bool:
    """Whether it is told in the letters of PDLT, whose networks take variances C_W and C_b, not deviations."""
    taken = record_of(net).sigma_w
    return taken is not None and taken.power == 2


def _dense(net):
    """The statement of a layer at one position."""
    return net.statement if net.statement.is_dense else net.statement.dense


def _has_phase(net) -> bool:
    """Whether the phase is a property of the network: every layer is of the same kind, without a skip connection."""
    return not in_variances(net) and not _dense(net).skip


def _phase(net) -> str:
    """In which phase, where that is a property of the network."""
    try:
        return PHASES.get(net.phase, "") if _has_phase(net) else ""
    except UnsupportedError:
        return ""


def tells_map(net, law: str) -> bool:
    """Whether a document about this law derives the correlation map, and tells the published claims about the law.

    That is so for ReLU-like networks without biases, plain, residual or scaled with kappa = 1, and for any activation
    on the Edge of Chaos.
    """
    known = record_of(net).documents
    if law not in ("ntk", "correlation") or known is None:
        return False
    if known == SCALED:
        return net.statement.is_scale_free and net.kappa == 1 and not net.statement.parameters
    if net.statement.layer.is_scale_free:
        return True
    return known == PLAIN and not net.statement.parameters and net.phase == "edge of chaos"


def tells_moments(net, law: str) -> bool:
    """Whether a document about this law says what the coefficients of the map are: at c = 1 in the ordered phase."""
    if law not in ("ntk", "correlation") or record_of(net).documents != PLAIN or net.statement.parameters:
        return False
    return not net.statement.layer.is_scale_free and net.phase == "ordered"


def setting(net, law: str, digits: int = 30) -> str:
    """Activation, layers, parameters, variance and constants, where the map is told; `digits` of what is found."""
    return defined(net, digits) + _scales(net, law)


def defined(net, digits: int = 30) -> str:
    """The same without the constants: what the network is and what the letters mean."""
    skip, scaled = net.statement.skip, record_of(net).documents == SCALED
    bias = "" if scaled else r"+\sigma_b\,b^{}"
    image = (r"l^{-\kappa/2}\," if scaled else "") + _BRANCH + bias.format("l")
    known = [(r"\sigma_w", net.sigma_w), (r"\sigma_b", sqrt(net.statement.layer.bias_variance))]
    known += [(r"\kappa", net.kappa)] if scaled else []
    which = r" of \cite{HDR}" if skip else ""
    which += " whose branches are scaled down with depth," if scaled else ""
    head = fill(
        _HEAD, phi=activation_text(net.activation), kind="residual" if skip else "fully connected", which=which,
        bias_of_first=bias.format(1), branch="y^{l-1}+" * skip + image,
        parameters=", ".join(f"${name}={_value(value)}$" for name, value in known), variance=_variance(net, digits),
    )  # fmt: skip
    return head + fill(MEANT)


# ---- the variance, and the numbers through which activation and weights enter -----------------------------

_EDGE = r"""
 The network is on the Edge of Chaos of \cite{HDR}: the variance $q$ of a preactivation is a fixed point of the layer,
and correlated inputs neither separate nor merge to first order,
\begin{equation}
  q=\sigma_b^2+\sigma_w^2\,\mathbb E\bigl[\phi(\sqrt q\,Z)^2\bigr], \qquad
  \sigma_w^2\,\mathbb E\bigl[\phi'(\sqrt q\,Z)^2\bigr]=1, \qquad Z\sim\mathcal N(0,1).
  \label{eq:edge}
\end{equation}
For $\sigma_b=@bias$ these two equations have the solution
@numbers
All inputs are taken at this variance. It is \emph{@kind} under the variance map $V$, the right-hand side of the first
equation:@stability
"""
_CRITICAL = r"""
 As $\sigma_w^2=2/(a_+^2+a_-^2)=@weight$, this is the Edge of Chaos:
$q=\Sigma^l(x,x)^{1/2}\,\Sigma^l(x',x')^{1/2}=\sigma_w^2\|x\|\|x'\|/d$ does not depend on~$l$.
"""
_OFF = r"""
 As $\sigma_w^2=@weight$, $\chi=\sigma_w^2(a_+^2+a_-^2)/2=@chi$. This is not the Edge of Chaos, but only the scale
$q=q_L=\Sigma^L(x,x)^{1/2}\,\Sigma^L(x',x')^{1/2}=\chi^{L-1}q_1$ depends on it: in units of $q_L$ everything below is
the same for every $\sigma_w$.
"""
_GROWING = r"""
 The first layer is not residual. A branch adds $g$ times the variance of its input, and $\delta$ is its share of the
sum,
\[
  g = \frac{\sigma_w^2\,(a_+^2+a_-^2)}2 = @growth, \qquad \delta = \frac g{1+g} = @share .
\]
So the variance grows like $q_l=(1+g)^{l-1}q_1$, where $q_l=\Sigma^l(x,x)^{1/2}\,\Sigma^l(x',x')^{1/2}$ and
$q_1=\sigma_w^2\|x\|\|x'\|/d$.
"""
_SCALES = r"""
\paragraph{Constants.}
The activation enters through one number, its asymmetry $\rho$,@too
\[
  \rho = \frac{(a_+-a_-)^2}{\pi\,(a_+^2+a_-^2)} = @rho@alpha .
\]
The start $c^1$, which is the correlation of the inputs themselves, enters through connection constants, normalised
in @where.
"""
_ALPHA = r"""
, \qquad\text{or}\qquad
  \alpha = \frac{3}{\sqrt2\,\rho@share} = @alpha
"""
_FADING = r"""
 The first layer is not residual. Branch $l$ adds $g/l$ times the variance of its input, so $\delta_l$ is its share of
the sum,
\[
  g = \frac{\sigma_w^2\,(a_+^2+a_-^2)}2 = @growth, \quad \delta_l = \frac{g/l}{1+g/l} = \frac g{l+g}, \quad
  q_l = q_1\prod_{k=2}^l\Bigl(1+\frac gk\Bigr) = q_1\,\frac{\Gamma(l+1+g)}{\Gamma(2+g)\,\Gamma(l+1)}
\]
with $q_l=\Sigma^l(x,x)^{1/2}\,\Sigma^l(x',x')^{1/2}$ and $q_1=\sigma_w^2\|x\|\|x'\|/d$.
"""


_WHERE = {
    "ntk": r"Sections~\ref{sec:coordinate} and~\ref{sec:linear}", "correlation": r"Section~\ref{sec:coordinate}",
}  # fmt: skip


def _variance(net, digits: int) -> str:
    """The variance at which the law holds, and what becomes of it."""
    layer = net.statement.layer
    if record_of(net).documents == SCALED:
        return " " + fill(_FADING, growth=parameter(layer.chi)).strip()
    if net.statement.skip:
        growth, share = net.statement.branch_growth, net.statement.branch_share
        return " " + fill(_GROWING, growth=parameter(growth), share=parameter(share)).strip()
    if layer.is_scale_free:
        weight, chi = parameter(layer.weight_variance), parameter(simplify(layer.chi))
        return " " + fill(_CRITICAL if layer.is_critical else _OFF, weight=weight, chi=chi).strip()
    with mp.workdps(digits + 10):
        rows = [("q", to_mpf(layer.fixed_variance)), (r"\sigma_w", to_mpf(sqrt(layer.weight_variance)))]
    return " " + fill(
        _EDGE, bias=running(constant(sqrt(layer.bias_variance))), numbers=number_rows(rows, digits),
        kind=layer.stability.kind, stability=f"{layer.stability.latex().partition(':')[2]}.",
    ).strip()  # fmt: skip


def _scales(net, law: str) -> str:
    """rho and, where it is the unit of t, alpha."""
    if not net.statement.layer.is_scale_free:
        return ""
    rho, skip = parameter(net.activation.asymmetry), net.statement.skip
    if record_of(net).documents == SCALED:
        return fill(_SCALES, too="", rho=rho, alpha="", where=_WHERE[law])
    alpha = fill(_ALPHA, share=r"\,\delta" if skip else "", alpha=parameter(net.correlation_law(1).dynamics.scale))
    too = r" and the weights through $\delta$:" if skip else ""
    return fill(_SCALES, too=too, rho=rho, alpha=alpha.rstrip(), where=_WHERE[law])


def variance_text(net) -> str:
    """What becomes of inputs at other variances, and the equations of q and chi where there is such a q."""
    try:
        found = net.stability
    except UnsupportedError:
        return ""
    if found is None:
        return ""
    return f"{_fixed(net)} The variance is \\emph{{{found.kind}}}:{found.latex().partition(':')[2]}."


_FIXED = r"""
With @deviations the variance $q$ of a preactivation is a fixed point of the layer, and $\chi$ is the slope of the
correlation map at $c=1$: with $Z\sim\mathcal N(0,1)$,
\[
  q=\sigma_b^2+\sigma_w^2\,\mathbb E\bigl[\phi(\sqrt q\,Z)^2\bigr]=@q, \qquad
  \chi=\sigma_w^2\,\mathbb E\bigl[\phi'(\sqrt q\,Z)^2\bigr]=@chi .
\]
"""


def _fixed(net) -> str:
    if not _has_phase(net) or net.statement.parameters:
        return ""
    try:
        layer = _dense(net).layer
        return fill(_FIXED, deviations=deviations_text(net), q=_value(layer.fixed_variance), chi=_value(layer.chi))
    except AsymptError:
        return ""


def deviations_text(net) -> str:
    layer = _dense(net).layer
    return rf"$\sigma_w={_value(net.sigma_w)}$ and $\sigma_b={_value(sqrt(layer.bias_variance))}$"


def _value(value) -> str:
    """A number, by ten digits when it is known by its digits only."""
    if value.is_number and opaque_in(value):
        return rf"{latex(value.evalf(10))}\ldots"
    return running(parameter(value))


def activation_text(phi: Activation) -> str:
    """$phi(x) = tanh x$, or its pieces as a displayed formula."""
    if phi.is_relu_like:
        right, left = (parameter(slope) for slope in phi.slopes)
        return rf"$\phi(x)=a_+x$ for $x>0$ and $\phi(x)=a_-x$ for $x\le0$, with $a_+={right}$ and $a_-={left}$"
    x, piecewise = Symbol("x"), phi.piecewise
    pieces = [tex(piece.subs(piecewise.symbol, x)) for piece in piecewise.pieces]
    if not piecewise.breaks:
        return rf"$\phi(x)={pieces[0]}$"
    rows = [rf"{pieces[0]} & x\le {tex(piecewise.breaks[0])}"]
    between = zip(pieces[1:-1], piecewise.breaks, piecewise.breaks[1:], strict=False)
    rows += [rf"{piece} & {tex(low)}<x\le {tex(high)}" for piece, low, high in between]
    rows.append(rf"{pieces[-1]} & x>{tex(piecewise.breaks[-1])}")
    return r"\[ \phi(x)=\begin{cases}" + r" \\ ".join(rows) + r"\end{cases} \]" + "\nbe the activation"
