r"""What a network is called, and the recursion of its layers as LaTeX, for every architecture.

Rule.  One text an architecture, by its name in the registry; one that is not here is described by its parameters and by
the normal form of its layer, so that a new architecture has documents at once.
"""

from sympy import Expr, Symbol, latex, sqrt

from asympt.architectures.registry import record_of
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.writing.escape import escape
from asympt.writing.formulas import constant, parameter, tex
from asympt.writing.notation import running
from asympt.writing.template import fill

NOUNS = {
    "relu": "ReLU", "leaky_relu": "leaky ReLU", "abs": "absolute-value", "elu": "ELU", "selu": "SELU", "gelu": "GELU",
    "silu": "SiLU", "relu6": "ReLU6",
}  # fmt: skip
KINDS = {
    "feedforward": "@noun network", "resnet": "@noun residual network", "convnet": "convolutional @noun network",
    "scaled-resnet": r"@noun residual network with branches scaled by $l^{-\kappa/2}$",
    "block-resnet": "@noun residual network of two-matrix blocks",
    "conv-resnet": "convolutional @noun residual network", "mlp": "@noun multilayer perceptron",
}  # fmt: skip
HAVE_PHASES = ("feedforward", "convnet")
PHASES = {"ordered": " in the ordered phase", "chaotic": " in the chaotic phase",
          "edge of chaos": " on the Edge of Chaos"}  # fmt: skip

_HEAD = r"""
\section{Statement}
\paragraph{Setting.}
Let @phi. Consider @network
with @parameters; all weights and biases are independent and @drawn, and every width is infinite.@variance
"""
_LAYERS = {
    "feedforward": r"""
the fully connected network in the NTK parametrisation \cite{JGH},
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x+\sigma_b\,b^1, \qquad
  y^{l} = \frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1})+\sigma_b\,b^l, \qquad l=2,3,\dots
\]
""",
    "resnet": r"""
the residual network of \cite{HDR} in the NTK parametrisation \cite{JGH},
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x+\sigma_b\,b^1, \qquad
  y^{l} = y^{l-1}+\frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1})+\sigma_b\,b^l, \qquad l=2,3,\dots
\]
""",
    "scaled-resnet": r"""
the residual network of \cite{HDR} whose branches are scaled down with depth, in the NTK parametrisation \cite{JGH},
\[
  y^1 = \frac{\sigma_w}{\sqrt d}\,W^1x, \qquad
  y^{l} = y^{l-1}+l^{-\kappa/2}\,\frac{\sigma_w}{\sqrt n}\,W^{l}\phi(y^{l-1}), \qquad l=2,3,\dots
\]
""",
    "block-resnet": r"""
the residual network of blocks with two matrices, without biases, in the NTK parametrisation \cite{JGH},
\[
  y^{l} = y^{l-1}+\alpha\,\frac{\sigma_v}{\sqrt n}\,V^{l}\phi\Bigl(\frac{\sigma_w}{\sqrt n}\,W^{l}y^{l-1}\Bigr),
  \qquad l=2,3,\dots
\]
""",
    "convnet": r"""
the convolutional network on a circle of $M$ positions in the NTK parametrisation \cite{JGH,HDR},
\[
  y^{l}_{i,\alpha} = \frac{\sigma_w}{\sqrt{n(2k+1)}}\sum_{j}\sum_{b=-k}^{k}W^{l}_{i,j,b}\,
  \phi\bigl(y^{l-1}_{j,\alpha+b}\bigr)+\sigma_b\,b^l_i, \qquad l=2,3,\dots
\]
""",
    "conv-resnet": r"""
the convolutional residual network on a circle of $M$ positions in the NTK parametrisation \cite{JGH,HDR},
\[
  y^{l}_{i,\alpha} = y^{l-1}_{i,\alpha}+\frac{\sigma_w}{\sqrt{n(2k+1)}}\sum_{j}\sum_{b=-k}^{k}W^{l}_{i,j,b}\,
  \phi\bigl(y^{l-1}_{j,\alpha+b}\bigr)+\sigma_b\,b^l_i, \qquad l=2,3,\dots
\]
""",
    "mlp": r"""
the multilayer perceptron of \cite{PDLT}, each of its weights of variance $C_W/n$ and its biases of variance $C_b$,
\[
  z^{(l)}_i = b^{(l)}_i+\sum_j W^{(l)}_{ij}\,\phi\bigl(z^{(l-1)}_j\bigr), \qquad l=2,3,\dots,
\]
trained with the learning rates $\lambda_b$ and $\lambda_W/n$
""",
}
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
    record = record_of(net)
    kind = KINDS.get(record.name if record else "", "@noun network").replace("@noun", noun(net))
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    return f"{article} {kind}{_phase(net)}"


def _phase(net) -> str:
    """In which phase, where that is a property of the network."""
    try:
        return PHASES.get(net.phase, "") if record_of(net).name in HAVE_PHASES else ""
    except (AttributeError, UnsupportedError):
        return ""


def setting(net) -> str:
    """Activation, layers, parameters, and the variance at which the laws hold."""
    record = record_of(net)
    layers = _LAYERS.get(record.name, fill(_OTHER, name=escape(record.name)))
    drawn = "normal" if record.name == "mlp" else "standard normal"
    head = fill(
        _HEAD, phi=activation_text(net.activation), network=layers.strip(), parameters=_parameters(net), drawn=drawn,
        variance=stability_text(net),
    )  # fmt: skip
    return head + (fill(_MEANT) if record.name != "mlp" else "")


def stability_text(net) -> str:
    """What becomes of inputs at other variances."""
    try:
        found = net.stability
    except (AttributeError, UnsupportedError):
        return ""
    if found is None:
        return ""
    return rf" The variance is \emph{{{found.kind}}}:{found.latex().partition(':')[2]}."


def _parameters(net) -> str:
    """sigma_w, sigma_b and the architecture's own ones."""
    record = record_of(net)
    said = []
    if record.name == "mlp":
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
    except (AttributeError, UnsupportedError):
        return sqrt(net.statement.layer.weight_variance)


def _value(value) -> str:
    """A parameter, by ten digits when it is known by its digits only."""
    if isinstance(value, int):
        return str(value)
    if value.is_number and any(hasattr(a, "evaluator") for a in value.atoms()):
        return rf"{latex(value.evalf(10))}\ldots"
    return running(parameter(value) if value.free_symbols else constant(value))


def activation_text(phi: Activation) -> str:
    """$phi(x) = tanh x$, or its pieces as a displayed formula."""
    x, piecewise = Symbol("x"), phi.piecewise
    pieces = [tex(piece.subs(piecewise.symbol, x)) for piece in piecewise.pieces]
    if not piecewise.breaks:
        return rf"$\phi(x)={pieces[0]}$"
    rows = [rf"{pieces[0]} & x\le {tex(piecewise.breaks[0])}"]
    between = zip(pieces[1:-1], piecewise.breaks, piecewise.breaks[1:], strict=False)
    rows += [rf"{piece} & {tex(low)}<x\le {tex(high)}" for piece, low, high in between]
    rows.append(rf"{pieces[-1]} & x>{tex(piecewise.breaks[-1])}")
    return r"\[ \phi(x)=\begin{cases}" + r" \\ ".join(rows) + r"\end{cases} \]" + "\nbe the activation"
