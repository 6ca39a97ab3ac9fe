r"""What a network is called, and the recursion of its layers as LaTeX, read off its statement and its parameters."""

from mpmath import mp
from sympy import Expr, Symbol, latex, simplify, sqrt

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
Let @phi. Consider @network
with @parameters; all weights and biases are independent and @drawn, and every width is infinite.@variance
"""
_LAYERS = r"""
the @kind network@which in the NTK parametrisation \cite{@cited},
\[
  @{first}y^{l}@at = @branch, \qquad l=2,3,\dots
\]
"""
_DENSE = r"\frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1})"
_BLOCK = r"\alpha\,\frac{\sigma_v}{\sqrt n}\,V^{l}\phi\Bigl(\frac{\sigma_w}{\sqrt n}\,W^{l}y^{l-1}\Bigr)"
_FILTER = (
    r"\frac{\sigma_w}{\sqrt{n(2k+1)}}\sum_{j}\sum_{b=-k}^{k}W^{l}_{i,j,b}\,"
    "\n  " r"\phi\bigl(y^{l-1}_{j,\alpha+b}\bigr)"
)
_PERCEPTRON = r"""
the multilayer perceptron of \cite{PDLT}, each of its weights of variance $C_W/n$ and its biases of variance $C_b$,
\[
  z^{(l)}_i = b^{(l)}_i+\sum_j W^{(l)}_{ij}\,\phi\bigl(z^{(l-1)}_j\bigr), \qquad l=2,3,\dots,
\]
trained with the learning rates $\lambda_b$ and $\lambda_W/n$
"""
_OTHER = r"""
a network of the kind ``@name'', one layer of which moves the correlation of two inputs by
$c\mapsto c+w\,(g(c)-c)$ with the map $g$ of its branch and a weight $w$
"""
_LETTERS = {"positions": "M", "reach": "k", "alpha": r"\alpha", "sigma_v": r"\sigma_v", "kappa": r"\kappa",
            "weight_rate": r"\lambda_W", "bias_rate": r"\lambda_b"}  # fmt: skip
_MEANT = r"""
For two inputs $x,x'$ let $\Sigma^l(x,x')$ be the covariance of the preactivations of layer~$l$, $q$ (or $q_l$, where it
depends on the layer) their variance, $c^l$ their correlation, and $K^l(x,x')$ the neural tangent kernel after $l$
layers, $K^1=\Sigma^1$. Layers are counted from~$1$.
"""


def noun(net) -> str:
    """ReLU, tanh, ..."""
    return NOUNS.get(net.activation.name, escape(net.activation.name))


def network_name(net) -> str:
    """'a tanh network in the ordered phase'."""
    own, which = _own(net), ""
    if "kappa" in own:
        which = f" with branches scaled by ${running(tex(Symbol('l', positive=True) ** (-net.kappa / 2)))}$"
    if "sigma_v" in own:
        which = " of two-matrix blocks"
    words = [noun(net), *(["residual"] if _dense(net).skip else []), "network"]
    words = [noun(net), "multilayer perceptron"] if in_variances(net) else words
    kind = " ".join(["convolutional", *words] if "positions" in own else words)
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    return f"{article} {kind}{which}{_phase(net)}"


def _own(net) -> set[str]:
    """The names of the architecture's own parameters."""
    return {parameter.name for parameter in record_of(net).parameters}


def _layers(net) -> str:
    """The recursion of the layers in letters, read off the statement of one and the architecture's own parameters."""
    own, one = _own(net), _dense(net)
    if in_variances(net):
        return fill(_PERCEPTRON)
    if not own <= _LETTERS.keys():
        return fill(_OTHER, name=escape(record_of(net).name))
    biased = record_of(net).sigma_b is not None and ("kappa" not in own or one.layer.bias_variance != 0)
    bias, circle = r"+\sigma_b\,b^{}" if biased else "", "positions" in own
    if circle:
        which, first, image = " on a circle of $M$ positions", "", _FILTER + bias.format("l_i")
    elif "sigma_v" in own:
        which, first, image = " of blocks with two matrices, without biases,", r"\frac{1}{\sqrt d}\,Ux", _BLOCK
    else:
        which = r" of \cite{HDR}" if one.skip else ""
        first, image = r"\frac{\sigma_w}{\sqrt d}\,W^1x" + bias.format(1), _DENSE + bias.format("l")
    if "kappa" in own:
        which += " whose branches are scaled down with depth,"
        image = r"l^{-\kappa/2}\," + (rf"\Bigl({image}\Bigr)" if biased else image)
    at = r"_{i,\alpha}" if circle else ""
    return fill(
        _LAYERS, kind=" ".join(["convolutional"] * circle + ["residual"] * one.skip) or "fully connected", which=which,
        cited="JGH,HDR" if circle else "JGH", first=first and rf"y^1 = {first}, \qquad" + "\n  ", at=at,
        branch=rf"y^{{l-1}}{at}+{image}" if one.skip else image,
    )  # fmt: skip


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
    """Whether a document about this law derives the correlation map, and says what HDR printed about the law.

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


def setting(net, law: str = "", digits: int = 30) -> str:
    """Activation, layers, parameters, the variance at which the law holds; `digits` of what is found for it."""
    told = tells_map(net, law)
    variance = _variance(net, digits) if told else stability_text(net)
    head = fill(
        _HEAD, phi=activation_text(net.activation), network=_layers(net).strip(), parameters=_parameters(net),
        drawn="normal" if in_variances(net) else "standard normal", variance=variance,
    )  # fmt: skip
    return head + ("" if in_variances(net) else fill(_MEANT)) + (_scales(net, law) if told else "")


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
$q=q_L=\Sigma^L(x,x)^{1/2}\,\Sigma^L(x',x')^{1/2}=\chi^{L-1}q_1$ knows it: measured in $q_L$ all that follows is the
same for every $\sigma_w$.
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


def stability_text(net) -> str:
    """What becomes of inputs at other variances."""
    try:
        found = net.stability
    except UnsupportedError:
        return ""
    if found is None:
        return ""
    return f"{_fixed(net)} The variance is \\emph{{{found.kind}}}:{found.latex().partition(':')[2]}."


_FIXED = r"""
 The variance $q$ of a preactivation is a fixed point of the layer, and $\chi$ is the slope of the correlation map at
$c=1$: with $Z\sim\mathcal N(0,1)$,
\[
  q=\sigma_b^2+\sigma_w^2\,\mathbb E\bigl[\phi(\sqrt q\,Z)^2\bigr]=@q, \qquad
  \chi=\sigma_w^2\,\mathbb E\bigl[\phi'(\sqrt q\,Z)^2\bigr]=@chi .
\]
"""


def _fixed(net) -> str:
    """The equations of q and chi with their values, where there is such a q."""
    if not _has_phase(net) or net.statement.parameters:
        return ""
    try:
        layer = _dense(net).layer
        return " " + fill(_FIXED, q=_value(layer.fixed_variance), chi=_value(layer.chi)).strip() + "\n"
    except AsymptError:
        return ""


def _parameters(net) -> str:
    """sigma_w, sigma_b and the architecture's own ones."""
    record = record_of(net)
    said = []
    if in_variances(net):
        said += [("C_W", net.statement.layer.weight_variance), ("C_b", net.statement.layer.bias_variance)]
    else:
        said += [(r"\sigma_w", _known(net, "sigma_w"))]
        said += [(r"\sigma_b", sqrt(net.statement.layer.bias_variance))] if record.sigma_b else []
    for own in record.parameters:
        value = getattr(net, own.name, None)
        if isinstance(value, Expr | int):
            said.append((_LETTERS.get(own.name, rf"\mathrm{{{escape(own.name)}}}"), value))
    return ", ".join(f"${name}={_value(value)}$" for name, value in said if value is not None)


def _known(net, name: str):
    try:
        return getattr(net, name)
    except UnsupportedError:
        return sqrt(net.statement.layer.weight_variance)


def _value(value) -> str:
    """A parameter, by ten digits when it is known by its digits only."""
    if isinstance(value, int):
        return str(value)
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
