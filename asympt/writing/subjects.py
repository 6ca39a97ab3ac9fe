r"""What a law is about: a network, a composition of blocks, a map, or a recursion whose steps depend on the layer."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from sympy import Expr, Matrix, Product, Rational, Symbol, harmonic, latex, simplify, true

from asympt.architectures.composed.compiling import CONSTANT
from asympt.architectures.registry import COMPOSED, record_of
from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, Node, parts_of
from asympt.errors import AsymptError, UnsupportedError
from asympt.evidence.law_terms import opaque_in
from asympt.expansions.printing import width
from asympt.expansions.typesetting import LINE, Piece, break_lines, displays, expansion_pieces, inline, sum_pieces, tex
from asympt.recursions import Law, Recursion
from asympt.recursions.non_autonomous import DrivenRecursion
from asympt.recursions.protocol import T
from asympt.recursions.system import System
from asympt.writing.account import Account, Subject, with_letters
from asympt.writing.escape import escape, fill
from asympt.writing.networks import (
    MEANT,
    PHASES,
    activation_text,
    defined,
    deviations_text,
    in_variances,
    network_name,
    setting,
    tells_map,
    variance_text,
)
from asympt.writing.notation import map_pieces, running, tidy

COEFFICIENTS = r" $e_k$ and $o_k$ are coefficients of the map's gap $1-c\mapsto1-g(c)$ and of $o(c)$ at the fixed point"
LETTERS = 70  # characters of the parts of a network in a title
LINES = 3  # of a formula of the normal form
FEW = 4  # orders of a slow manifold

_BLOCKS = r"""
\section{Statement}
\paragraph{Setting.}
Consider the network, in the NTK parametrisation \cite{JGH},
\[
  y^1 = @first, \qquad y^{l} = @apply, \qquad l=2,3,\dots,
\]
@typed
@turn Every $W$ is a matrix of its own; all weights and biases are independent, standard normal and trained, and every
width is infinite. For two inputs $x,x'$ let
$s_j$ be the covariance of the signal $z_j$, $q_j$ and $q_j'$ its variances, and $K_j$ its neural
tangent kernel. From $z_0=y^{l-1}$ @whole makes
\[
\mbox{\small\renewcommand{\arraystretch}{1.35}\begin{tabular}{@@{}lll@@{}}
\toprule
signal & covariance & kernel \\
\midrule
@rows \\
\bottomrule
\end{tabular}}
\]
@words
@form
"""
_TYPED = r"""
whose @blocks
\begin{quote}\raggedright
@block
\end{quote}
"""
_FORM = r"""
\paragraph{Normal form.}
Let $q_l$ be the variance of $y^l$, the same for both inputs, $c^l$ the correlation and $R_l=K^l(x,x')/q_l$, with
@begin. Together the rows make
@recursion
with the map $g$ of @branch, $g(1)=1@dropped$, the contribution $o$ of its own weights to the kernel, and a
weight $w_{l}$:
@objects
@variance @phase
"""
_NO_FORM = r"""
\paragraph{Normal form.}
Let $q_l$ be the variance of $y^l$, the same for both inputs, $c^l$ the correlation and $R_l=K^l(x,x')/q_l$. There is no
map $g$ that takes $c^{l-1}$ to $c^l$ in every layer: the effect of the rows on the correlation depends on the variance.
"""
_EXPECTATION = r"""Under the expectations $(u,u')$ is centred Gaussian with the covariances of the signal that $@phi$
reads@where. """
_GAIN = r"""The gain and the bias behind a norm are trained as well: the bias adds $1$ to the kernel and the gain $uu'$,
the product of the neuron's own two values, which stands under the expectation of what comes next. """
_MEANS = r"""Here $m=\mathbb E\,\phi(u)$, and $v=q-m^2$ is the variance over the neurons. """
_MASKS = r"""Dropout draws a mask for every input; it divides the variance of one input by the probability with which a
neuron is kept, and leaves the covariance of two. """
_FILTER = r"""Positions lie on a circle: covariances and kernels are those along one offset, $W*z$ has a matrix for each
position of the filter, and $\langle\cdot\rangle$ is the mean over these. """
_GROUPS = r"""Groups side by side are kept apart; the next dense sums over the neurons of all of them. """


_HARMONIC = r", \qquad H_n=1+\tfrac12+\cdots+\tfrac1n."


def figure_title(net) -> str:
    """The network as the heading of a figure: its name with its standard deviations, or what it is composed of."""
    composed = record_of(net) is COMPOSED
    name = _by_parts(net) if composed else f"{network_name(net)}, {deviations_text(net)}"
    return name[0].upper() + name[1:].replace("tfrac", "frac").replace(r"\_", "_")  # as Matplotlib knows them


def composition_setting(net, form: str | None = None) -> str:
    """The parts with their rules, and the normal form, or what is said in its place."""
    told = _Told(tuple(dict.fromkeys(_activations(net.block))))
    told.follow(net.block, "0", last="y^{l}")
    period, behind = len(net.blocks) > 1, ""
    if net.readout is not None:
        behind = rf"; every layer is read behind \texttt{{{escape(repr(net.readout))}}}"
    turn = rf"Here $y^l$ is layer $1+{len(net.blocks)}(l-1)$: one turn of all blocks counts as one." if period else ""
    blocks = " and ".join(rf"\texttt{{{escape(repr(block))}}}" for block in net.blocks)
    typed = fill(_TYPED, blocks="blocks are, in turn," if period else "block $B$ is", block=blocks + behind)
    return fill(
        _BLOCKS, first=_dense(net.first, "x", "d", "^1"), apply=r"B(y^{l-1})",
        typed=(typed if form is None else f"with the block $B$ that the table has{behind}.").strip(), turn=turn,
        whole="one turn" if period else "a block $B$",
        rows=" \\\\\n".join(" & ".join(f"${cell}$" for cell in row) for row in told.rows),
        words=_words(told), form=(_normal_form(net) if form is None else form).strip(),
    )  # fmt: skip


@dataclass
class _Told:
    """Rows (signal, covariance, kernel) for the parts of a block, in the order of computation."""

    activations: tuple
    rows: list = field(default_factory=list)
    count: int = 0
    kinds: set = field(default_factory=set)

    def follow(self, node: Node, given: str, last: str = "") -> str:
        """The rows of a node that reads signal `given`; the index of what comes out, called `last` in the end."""
        parts = parts_of(node)
        for index, part in enumerate(parts):
            is_last = bool(last) and index == len(parts) - 1
            previous = parts[index - 1] if index else None
            given = self._part(part, given, previous, last if is_last else "")
        return given

    def _part(self, part: Node, given: str, previous: Node | None, last: str) -> str:
        inside = ()
        match part:
            case nodes.ResidualNode(branch=branch) | nodes.DenseConnectionNode(branch=branch):
                inside = (self.follow(branch, given),)
            case nodes.GatedNode(one=one, two=two):
                inside = (self.follow(one, given), self.follow(two, given))
        self.count += 1
        own = str(self.count)
        signal, covariance, kernel = self._rule(part, given, inside, own, previous)
        name = last or f"z_{{{own}}}"
        self.rows.append((f"{name}={signal}", f"s_{{{own}}}={covariance}", f"K_{{{own}}}={kernel}"))
        return own

    def _rule(self, part: Node, i: str, inside: tuple, own: str, previous: Node | None) -> tuple[str, str, str]:
        """What the part makes of z_i, s_i and K_i; `inside`: the signals that its branches end with."""
        z, s, k = f"z_{{{i}}}", f"s_{{{i}}}", f"K_{{{i}}}"
        self.kinds.add(type(part))
        match part:
            case nodes.DenseNode(sigma_w=weight, sigma_b=bias) | nodes.ConvNode(sigma_w=weight, sigma_b=bias):
                factor, added = _factor(weight**2), "" if bias == 0 else f"{tex(bias**2)}+"
                learnt = f"s_{{{own}}}"
                s, k = (rf"\langle {one}\rangle" if part.is_convolution else one for one in (s, k))
                if not part.is_trained_as_drawn:
                    rate, bias_rate = part.rates
                    learnt = "+".join([*([tex(bias_rate)] if bias_rate != 0 else []), f"{_factor(rate)}{s}"])
                return _dense(part, z), f"{added}{factor}{s}", f"{learnt}+{factor}{k}"
            case nodes.ActivationNode(phi=phi):
                name = self.letter(phi)
                return f"{name}({z})", rf"\mathbb E\,{name}(u){name}(u')", rf"{k}\,\mathbb E\,{name}'(u){name}'(u')"
            case nodes.LayerNormNode(affine=affine):
                behind = previous is not None and bool(previous.activations)
                return self._normed(r"\mathrm{LN}", z, s, k, affine, behind, i)
            case nodes.RMSNormNode(affine=affine):
                return self._normed(r"\mathrm{RMS}", z, s, k, affine, False, i)
            case nodes.DropoutNode(keep=keep):
                return rf"\mathrm{{Drop}}_{{{tex(keep)}}}({z})", s, k
            case nodes.ScaleNode(factor=factor):
                return f"{_factor(factor)}{z}", f"{_factor(factor**2)}{s}", f"{_factor(factor**2)}{k}"
            case nodes.ResidualNode(skip=skip, scale=scale):
                a, b, (j,) = skip, scale, inside
                return tuple(
                    f"{_factor(first)}{letter}_{{{i}}}+{_factor(second)}{letter}_{{{j}}}"
                    for letter, first, second in (("z", a, b), ("s", a**2, b**2), ("K", a**2, b**2))
                )
            case nodes.GatedNode():
                j, m = inside
                return (rf"z_{{{j}}}\odot z_{{{m}}}", f"s_{{{j}}}s_{{{m}}}", f"K_{{{j}}}s_{{{m}}}+s_{{{j}}}K_{{{m}}}")
            case nodes.DenseConnectionNode():
                (j,) = inside
                return f"({z},z_{{{j}}})", f"({s},s_{{{j}}})", f"({k},K_{{{j}}})"
        raise NotImplementedError(part)

    def _normed(self, name: str, z: str, s: str, k: str, affine: bool, centred: bool, i: str) -> tuple[str, str, str]:
        """A norm; one behind an activation takes the mean away."""
        below = rf"\sqrt{{v_{{{i}}}v_{{{i}}}'}}" if centred else rf"\sqrt{{q_{{{i}}}q_{{{i}}}'}}"
        above = f"({s}-m_{{{i}}}m_{{{i}}}')" if centred else s
        self.kinds |= ({"gain"} if affine else set()) | ({"centred"} if centred else set())
        return f"{name}({z})", f"{above}/{below}", f"{k}/{below}" + ("+1+uu'" if affine else "")

    def letter(self, phi) -> str:
        r"""\phi, or \phi_1, \phi_2 where there are several."""
        if len(self.activations) == 1:
            return r"\phi"
        return rf"\phi_{{{self.activations.index(phi) + 1}}}"


def _dense(node: nodes.DenseNode | nodes.ConvNode, given: str, fan: str = "n", layer: str = "") -> str:
    """sigma_w/sqrt(n) W z + sigma_b b, or W * z for a convolution."""
    bias = "" if node.sigma_b == 0 else rf"+{_factor(node.sigma_b)}b{layer}"
    if node.is_convolution:
        fan, given = f"{{{prod(2 * reach + 1 for reach in node.reach)}{fan}}}", f"*{given}"
    return rf"\tfrac{{{tex(node.sigma_w)}}}{{\sqrt {fan}}}W{layer}{given}{bias}"


def _factor(value: Expr) -> str:
    """A factor in front of a letter; nothing for 1, a sum in brackets."""
    shown = _seen(value).replace(r"\frac", r"\tfrac")
    return "" if value == 1 else rf"({shown})\," if value.is_Add else rf"{shown}\,"


def _seen(value: Expr) -> str:
    return tex(with_letters(value))


def _activations(node: Node):
    for part in parts_of(node):
        yield from part.activations
        for inner in part.parts:
            yield from _activations(inner)


def _words(told: _Told) -> str:
    """What the letters of the table mean."""
    said = []
    if told.activations:
        phi = r"\phi" if len(told.activations) == 1 else r"\phi_j"
        said.append(fill(_EXPECTATION, phi=phi, where="").strip())
        for activation in told.activations:
            shown = activation_text(activation).replace(r"\phi", told.letter(activation))
            said.append(f"Here {shown}." if not shown.rstrip().endswith("activation") else f"Let {shown}.")
    texts = {"gain": _GAIN, "centred": _MEANS, nodes.DropoutNode: _MASKS, nodes.DenseConnectionNode: _GROUPS,
             nodes.ConvNode: _FILTER}  # fmt: skip
    return " ".join([*said, *(text.strip() for kind, text in texts.items() if kind in told.kinds)])


def _normal_form(net) -> str:
    """c and R by one recursion; g, o, w, T, and the variance; where layers have no map in common, that."""
    try:
        normal = net.normal_form
    except UnsupportedError:
        return _NO_FORM
    recursion = displays([
        ("c^{l}", [Piece("+", "c^{l-1}"), Piece("+", r"w_{l}\,\bigl(g(c^{l-1})-c^{l-1}\bigr)")]),
        ("R_{l}", [Piece("+", "R_{l-1}"), Piece("+", r"w_{l}\,\bigl(o(c^{l-1})+(g'(c^{l-1})-1)\,R_{l-1}\bigr)")]),
    ], end=",")  # fmt: skip
    whole = normal.total is not None and normal.weight == 1
    begin = "$R_1=c^1$" if net.first.is_trained_as_drawn else "$R_1$ that of layer 1"
    return fill(
        _FORM, recursion=recursion, branch="the whole block" if whole else "the branch",
        begin=begin, dropped="" if normal.branch.keeps_one else r"\text{ without dropout}",
        objects=displays(_objects(normal), end=_HARMONIC if normal.time.has(harmonic) else "."),
        variance=_variance(net), phase=_phase(net),
    )  # fmt: skip


def _objects(normal) -> list[tuple[str, list[Piece]]]:
    """g, o, their values at c = 1, w_l and T_L, as far as they are short."""
    rows = []
    for name, formula in (("g(c)", normal.block_map.closed_form), ("o(c)", normal.own)):
        if formula is not None and _is_short(name, formula):
            rows.append((name, sum_pieces(formula)))
    rows += [("g'(1)", [Piece("+", _value(normal.branch.chi))]), ("o(1)", [Piece("+", _value(normal.branch.own))])]
    rows.append(("w_{l}", [Piece("+", _seen(normal.weight))]))
    rows.append((r"T_{L}=\sum_{l=2}^{L}w_{l}", [Piece("+", _seen(normal.time))]))
    return rows


def _is_short(name: str, formula: Expr) -> bool:
    lines = break_lines(sum_pieces(formula), taken=width(name) + 1.4)
    return len(lines) <= LINES and all(width(line) <= LINE for line in lines)


def _value(value: Expr) -> str:
    """A value, by digits where it has no formula or a long one."""
    shown = tex(with_letters(value))
    if value.is_number and (opaque_in(value) or width(shown) > LINE / 2):
        return rf"{value.evalf(15)}\ldots"
    return shown


def _variance(net) -> str:
    variance, first = net.normal_form.variance, net.normal_form.first_variance
    if variance is None:
        return "The variance is that of a recursion of its own."
    if variance == first:
        return rf"The variance is $q_l={_value(variance)}$ in every layer."
    variance = variance.xreplace({p: p.doit() for p in variance.atoms(Product) if not p.function.has(*p.variables)})
    shown = latex(variance) if variance.has(Product) else tex(with_letters(variance))
    return rf"The variance is $q_l={shown}$."


def _phase(net) -> str:
    """In which phase, and that w is constant or falls."""
    try:
        phase = PHASES.get(net.phase, "")
    except AsymptError:
        return ""
    normal, falls = net.normal_form, " The weights fall with the layer, so the clock of the law is $T_L$."
    if normal.weight.has(DEPTH):
        falls = " The weights fall with the depth $L$ of the network."
    return f"The network is{phase}.{'' if normal.kind == CONSTANT else falls}"


NAMES = {
    "ntk": "neural tangent kernel", "correlation": "correlation of two inputs", "variance": "variance",
    "ntk diagonal": "neural tangent kernel of one input", "angle": "angle between two inputs",
    "zeta": "neural tangent kernel", "robustness": "robustness", "prediction variance": "variance of the prediction",
}  # fmt: skip
_GAP = r"Let $y_l=1-c^l$, which is $0$ at the fixed point $c=1$."
_INSIDE = r"Let $y_l=(1-c^l)-(1-c^*)$, the distance from the fixed point $c^*<1$ of the correlation."
X = Symbol("x")
SHORT = 16.0  # em of a formula that may stand in a title

_SETTING = r"""
\section{Statement}
Consider the recursion $x_{n+1}=G(x_n)$ with
@map
@fixed
"""
_LINEAR_SETTING = r"""
\section{Statement}
Consider the linear recursion $a_{n+1}=\lambda(x_n)\,a_n+b(x_n)$ along $x_{n+1}=G(x_n)$ with
@map
@fixed
"""
_FINITE = r"The map has the fixed point $x^*=@point$ with derivative $G'(x^*)=@multiplier$@kind"
_INFINITE = r"""
Infinity is a fixed point: in $y=@inner$ one step is $y'=@image$, and $y=0$ is fixed, with derivative $@multiplier$@kind
"""
_KINDS = {
    "parabolic": ". It is \\emph{parabolic}: orbits approach it like a power of~$n$.",
    "flip": r": orbits alternate between its sides, and since $(G\circ G)'(x^*)=1$ they approach it like a "
    "power of~$n$.",
    "hyperbolic": ". It is \\emph{hyperbolic}: orbits approach it geometrically.",
}
_SIDE = r"""
\noindent Of this orbit the even steps are those with $x_n @relation$, as in the theorem.
"""


def map_subject(recursion: Recursion, law: Law) -> Subject:
    """The law of an orbit of a map, of a function of its points, or of a linear recursion along it."""
    told = MapText(recursion, law)
    seen = {} if law.linear is not None else {
        "distance": running(tex(told.inner(X))), "uniformiser": told.uniformiser(X), "side": told.side}  # fmt: skip
    approach = f"Let $x_0$ be such that {told.approach}. "
    return Subject(told.title, told.setting, told.variable, step="step", approach=approach, **seen)


@dataclass(frozen=True)
class MapText:
    """One law of one recursion in words."""

    recursion: Recursion
    law: Law

    @property
    def fixed(self):
        return self.law.fixed

    @cached_property
    def account(self) -> Account:
        return Account(self.law, Subject("", "", ""))

    def image(self, x: Symbol) -> list:
        """G(x)."""
        return map_pieces(self.recursion.expression.subs(self.recursion.symbol, x), x, self.recursion.fixed_point == 0)

    @property
    def title(self) -> str:
        image, law, what = inline(self.image(Symbol("x_n"))), "The law of", "a plain recursion"
        if self.law.linear is not None:
            law, what = "The law of a linear recursion along", "a map"
        return f"{law} $x_{{n+1}}={image}$" if width(image) <= SHORT else f"{law} {what}"

    @property
    def setting(self) -> str:
        rows, template = [("G(x)", self.image(X))], _SETTING
        if self.law.linear is not None:
            template = _LINEAR_SETTING
            for name, formula in zip((r"\lambda(x)", "b(x)"), self.law.dynamics.linear.formulas, strict=True):
                rows.append((name, sum_pieces(simplify(formula.subs(T, self.uniformiser(X))))))
        return fill(template, map=displays(rows, end=self._conditions()), fixed=self._fixed())

    def _conditions(self) -> str:
        """', a > 0.' after the map."""
        condition = self.law.coordinate.condition
        names = sorted(self.recursion.expression.free_symbols - {self.recursion.symbol}, key=str)
        positive = [s for s in names if s.is_positive]
        if condition != true and len(positive) == 1 and condition == (positive[0] < 1):
            return rf", \qquad 0 < {tex(positive[0])} < 1."
        said = [", ".join(map(tex, positive)) + " > 0"] if positive else []
        said += [latex(condition).replace(r"\wedge", r",\;")] if condition != true else []
        return "".join(rf", \qquad {c}" for c in said) + "."

    def _fixed(self) -> str:
        kind = _KINDS[self.law.kind]
        chi = self.account.base_value or self.account.written(self.recursion.multiplier)  # chi = ..., where it has chi
        if not self.fixed.at_infinity:
            point = running(self.account.written(self.recursion.fixed_point))
            return fill(_FINITE, point=point, multiplier=chi, kind=kind)
        y, root = Symbol("y", positive=True), self.law.dynamics.root
        image = y * simplify(self.law.dynamics.formula / T**root).subs(T, y ** Rational(1, root))
        inner, image = running(tex(self.inner(X))), running(tex(tidy(image)))
        return fill(_INFINITE, inner=inner, image=image, multiplier=chi, kind=kind)

    @property
    def point(self) -> Expr:
        """The fixed point in formulas: the symbol x* for a number that is a sum."""
        written = self.account.notation(self.recursion.fixed_point)
        return Symbol("x^{*}", real=True) if written.is_Add else written

    def inner(self, x: Expr) -> Expr:
        """The distance y of x."""
        return self.fixed.inner(x) if self.fixed.at_infinity else self.fixed.sign * (x - self.point)

    def outer(self, y: Expr) -> Expr:
        """x at the distance y."""
        return self.fixed.outer(y) if self.fixed.at_infinity else self.point + self.fixed.sign * y

    def uniformiser(self, x: Expr) -> Expr:
        """t = y^(1/r) as a function of x."""
        share = Rational(1, self.law.dynamics.root)
        return (self.fixed.sign * x) ** -share if self.fixed.at_infinity else self.inner(x) ** share

    @property
    def variable(self) -> str:
        """'Write y for x.'"""
        inner, outer = (running(tex(e)) for e in (self.inner(X), self.outer(Symbol("y", positive=True))))
        return "Write $y$ for $x$." if inner == "x" else f"Put $y={inner}$, that is $x={outer}$."

    @property
    def approach(self) -> str:
        """What is asked of a start."""
        point = "0" if self.fixed.at_infinity else running(tex(self.point))
        if self.law.kind == "flip":
            return self._by_turns(point)
        if self.fixed.at_infinity:
            return r"$x_n\to" + ("+" if self.fixed.sign > 0 else "-") + r"\infty$"
        if self.law.kind == "hyperbolic" and self.law.dynamics.root == 1:
            return rf"$x_n\to {point}$ and $x_n\ne {point}$ for all~$n$"
        relation = ">" if self.fixed.sign > 0 else "<"
        return rf"$x_n\to {point}$ with $x_n {relation} {point}$ for all large~$n$"

    def _by_turns(self, point: str) -> str:
        """An orbit that changes sides, and the side of its even steps."""
        to = r"$|x_n|\to\infty$" if self.fixed.at_infinity else rf"$x_n\to {point}$, $x_n\ne {point}$ for all~$n$,"
        here, there = (">", "<") if self.fixed.sign > 0 else ("<", ">")
        return (
            rf"{to} and $x_n {here} {point}$ for all large even~$n$ (if $x_n {there} {point}$ there, even and odd "
            "change places in what follows)"
        )

    @property
    def side(self) -> str:
        """On which side the even steps of a start come in, where the branches depend on it."""
        if self.law.kind != "flip" or self.law.coincide:
            return ""
        point = "0" if self.fixed.at_infinity else running(tex(self.point))
        return fill(_SIDE, relation=f"{'>' if self.fixed.sign > 0 else '<'} {point}")


def _by_parts(net) -> str:
    """'a residual network with layer norm and relu': what a composition is made of, without its numbers."""
    parts = list(nodes.every_node(net.blocks))
    kind = "residual network" if any(isinstance(part, nodes.ResidualNode) for part in parts) else "composed network"
    named = [part.name.replace("_", " ") for part in parts if part.is_norm]
    named += [phi.name for part in parts for phi in part.activations]
    *rest, last = map(escape, dict.fromkeys(named) or [""])
    told = f" with {', '.join(rest)}{' and ' * bool(rest)}{last}" if last else ""
    return f"a {kind}{told}" if len(told) <= LETTERS else f"a {kind}"


def network_subject(net, law: Law, digits: int = 30) -> Subject:
    name, composed = NAMES.get(law.name, rf"component ${law.quantity}$"), record_of(net) is COMPOSED
    called = _by_parts(net) if composed else network_name(net)
    title = f"The depth law of the {name} {'in' if law.name == 'correlation' else 'of'} {called}"
    if composed:
        begun = f"Let $c^1={tex(1 - law.reader.gap)}$. " if law.kind == "depthwise" else ""
        return Subject(title, composition_setting(net), _distance(law), approach=begun, letters=COEFFICIENTS)
    if not tells_map(net, law.name):
        meant = ("" if in_variances(net) else MEANT) + variance_text(net)
        return Subject(title, composition_setting(net.composition, meant), _distance(law))
    scale_free = net.statement.layer.is_scale_free
    attracts = scale_free or net.stability.attracts
    return Subject(
        title if attracts else f"{title}, at a variance that is {net.stability.kind}", setting(net, law.name, digits),
        _distance(law),
        approach=f"Let $-1<c^1<1${'' if attracts else ', and $q^1=q$ for both inputs'}. ",
    )  # fmt: skip


def definition(about, law: Law) -> str:
    """The setting of a theorem about a law of a network or of a recursion, for a document that derives nothing."""
    match about:
        case Recursion():
            return map_subject(about, law).setting
        case DrivenRecursion():
            return driven_subject(about, law).setting
    return defined(about) if tells_map(about, law.name) else network_subject(about, law).setting


def _distance(law: Law) -> str:
    if law.of_variance:
        if law.fixed is None:
            return "Let $y=q^l$ be the variance."
        point = law.fixed.point
        return "Let $y_l=1/q^l$." if not point.is_finite else f"Let $y_l=q^l{'' if point == 0 else '-q'}$."
    if law.name.startswith(("kernel ", "ntk ")) and law.name != "ntk diagonal":
        return r"Let $y=K_{00}^{(l)}$, the variance."
    fixed = getattr(getattr(law, "dense", law), "fixed", None)
    return _GAP if fixed is None or fixed.point == 0 else _INSIDE


_SYSTEM = r"""
\section{Statement}
Consider the system
@maps
near its fixed point $@point$, where the Jacobian has the eigenvalues $@multipliers$. In the coordinates
@frame
the Jacobian is block-diagonal, the slowest direction being that of~$@slow$. The @name manifold $@fast=h(@slow)$ is the
formal series in which $h(g(@slow))$ is the image of $h(@slow)$, where $@slow'=g(@slow)$ is one step along it: with the
pivots $\mu^k-B$, $\mu=@mu$ the slowest eigenvalue and $B$ the block of the others,
@series
Orbits approach it like $b^n$, $b=@rate$, but for powers of~$n$. What follows is the law of the recursion
$@slow'=g(@slow)$@ends.
"""


def system_subject(system: System, law: Law) -> Subject:
    """The law of a system, with the reduction to one recursion."""
    neutral, (mu, *others) = system.is_neutral, [value for value, times in system.multipliers for _ in range(times)]
    names, point = ",".join(f"{latex(x)}_n" for x in system.symbols), ",".join(map(latex, system.fixed_point))
    coordinates = system.frame[1] * (Matrix(system.symbols) - Matrix(system.fixed_point))
    slow, fast = [letter for letter in "uwprvk" if letter not in map(str, system.symbols)][:2]
    indices = [""] if len(others) == 1 else [f"_{k}" for k in range(1, len(others) + 1)]
    series = system.manifold.shown(FEW, Symbol(slow, positive=True))
    setting_ = fill(
        _SYSTEM, point=f"({point})", multipliers=",".join(map(latex, (mu, *others))), mu=latex(mu),
        maps=_rows([f"{latex(x)}'" for x in system.symbols], map(sum_pieces, system.maps)),
        ends="" if neutral else ", up to the terms that start with $b^n$ and depend on the other directions",
        frame=_rows([slow, *(f"{fast}{k}" for k in indices)], (sum_pieces(row.expand()) for row in coordinates)),
        name="centre" if neutral else "slow", rate=latex(abs(others[0])), slow=slow, fast=fast,
        series=_rows([*(f"h{k}({slow})" for k in indices), f"g({slow})"], map(expansion_pieces, series)),
    )  # fmt: skip
    side = f" with ${slow}_n>0$ for all large~$n$" if neutral else r", not along the faster directions alone"
    return Subject(
        "The law of a system of recursions", setting_, f"Henceforth $y={slow}$, no coordinate of the system.",
        approach=rf"Let the start be such that $({names})\to({point})${side}. ", distance=slow,
        uniformiser=Symbol(slow), step="step",
    )  # fmt: skip


def _rows(names: Iterable[str], pieces: Iterable[list[Piece]]) -> str:
    return displays(list(zip(names, pieces, strict=True)), end="")


def driven_subject(recursion, law: Law) -> Subject:
    """A law of a recursion whose steps depend on the layer."""
    h, layer = tex(recursion.h.subs(recursion.symbol, Symbol("x"))), tex(law.depth_variable)
    step = tex(recursion.step.subs(recursion.layer, law.depth_variable))
    shown = rf"\[ x_{{{layer}}}=x_{{{layer}-1}}-\delta_{{{layer}}}\,h(x_{{{layer}-1}}), \qquad h(x)={h}, "
    shown += rf"\qquad \delta_{{{layer}}}={step}, \]"
    setting_ = "\\section{Statement}\nConsider the recursion\n" + shown
    return Subject("The law of a recursion whose steps depend on the layer", setting_, "Let $y=x$.")
