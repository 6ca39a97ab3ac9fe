r"""What a law is about: a network, a map, or a recursion whose steps depend on the layer.

Rule.  Near a fixed point x* a document writes y for the distance from it and t = y^(1/r) for the uniformiser, in
formulas that a reader expects: x* as a letter where the number is long, the map in rising powers at 0 and in falling
ones elsewhere.

Tiny case.  sin x: "Consider the recursion x_{n+1} = G(x_n) with G(x) = sin x", y = x, t = x, x_n -> 0 with x_n > 0.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Rational, Symbol, latex, simplify, true

from asympt.architectures.registry import COMPOSED, record_of
from asympt.expansions.typesetting import displays, inline, sum_pieces, tex
from asympt.expansions.width import width
from asympt.recursions import Law, Recursion
from asympt.recursions.protocol import T
from asympt.writing.account import Account, Subject
from asympt.writing.compositions import COEFFICIENTS, composition_name, composition_setting
from asympt.writing.escape import fill
from asympt.writing.networks import in_variances, network_name, setting, tells_map
from asympt.writing.notation import map_pieces, running, tidy

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
Infinity is a fixed point: in $y=@inner$ one step is $y'=@image$, and $y=0$ is fixed with derivative $@multiplier$@kind
"""
_KINDS = {
    "parabolic": ". It is \\emph{parabolic}: orbits approach it like a power of~$n$.",
    "flip": r": orbits jump from one side of it to the other, and since $(G\circ G)'(x^*)=1$ they approach it like a "
    "power of~$n$.",
    "hyperbolic": ". It is \\emph{hyperbolic}: orbits approach it geometrically.",
}
_SIDE = r"""
\noindent Of this orbit the even steps are those with $x_n @relation$, as in the theorem.
"""


def map_subject(recursion: Recursion, law: Law) -> Subject:
    """The law of an orbit of a map, of a function of its points, or of a linear recursion along it."""
    told = MapText(recursion, law)
    if law.linear is not None:
        return Subject(
            told.title, told.setting, told.variable, step="step", approach=f"Let $x_0$ be such that {told.approach}. "
        )
    return Subject(
        told.title, told.setting, told.variable, step="step", approach=f"Let $x_0$ be such that {told.approach}. ",
        distance=running(tex(told.inner(X))), uniformiser=told.uniformiser(X), side=told.side,
    )  # fmt: skip


@dataclass(frozen=True)
class MapText:
    """One law of one recursion in words."""

    recursion: Recursion
    law: Law

    @property
    def fixed(self):
        """The fixed point and the side."""
        return self.law.fixed

    @cached_property
    def account(self) -> Account:
        """How constants are written."""
        return Account(self.law, Subject("", "", ""))

    @property
    def image(self) -> list:
        """G(x)."""
        return map_pieces(self.recursion.expression.subs(self.recursion.symbol, X), X, self.recursion.fixed_point == 0)

    @property
    def title(self) -> str:
        """The title of the document."""
        x_n = Symbol("x_n")
        shown = self.recursion.expression.subs(self.recursion.symbol, x_n)
        image = inline(map_pieces(shown, x_n, self.recursion.fixed_point == 0))
        law = "The law of a linear recursion along" if self.law.linear is not None else "The law of"
        what = "a map" if self.law.linear is not None else "a plain recursion"
        return f"{law} $x_{{n+1}}={image}$" if width(image) <= SHORT else f"{law} {what}"

    # ---- the map and its fixed point ------------------------------------------------------------------

    @property
    def setting(self) -> str:
        """The map, the fixed point, of what kind it is."""
        rows, template = [("G(x)", self.image)], _SETTING
        if self.law.linear is not None:
            template = _LINEAR_SETTING
            for name, formula in zip((r"\lambda(x)", "b(x)"), self.law.dynamics.linear.formulas, strict=True):
                rows.append((name, sum_pieces(simplify(formula.subs(T, self.uniformiser(X))))))
        return fill(template, map=displays(rows, end=self._conditions()), fixed=self._fixed())

    def _conditions(self) -> str:
        """', a > 0.' after the map."""
        condition = self.law.condition
        names = sorted(self.recursion.expression.free_symbols - {self.recursion.symbol}, key=str)
        positive = [s for s in names if s.is_positive]
        if condition != true and len(positive) == 1 and condition == (positive[0] < 1):
            return rf", \qquad 0 < {tex(positive[0])} < 1."
        said = [", ".join(map(tex, positive)) + " > 0"] if positive else []
        said += [latex(condition).replace(r"\wedge", r",\;")] if condition != true else []
        return "".join(rf", \qquad {c}" for c in said) + "."

    def _fixed(self) -> str:
        kind, chi = _KINDS[self.law.kind], self._multiplier()
        if not self.fixed.at_infinity:
            point = running(self.account.written(self.recursion.fixed_point))
            return fill(_FINITE, point=point, multiplier=chi, kind=kind)
        y, root = Symbol("y", positive=True), self.law.dynamics.root
        image = y * simplify(self.law.dynamics.formula / T**root).subs(T, y ** Rational(1, root))
        inner, image = running(tex(self.inner(X))), running(tex(tidy(image)))
        return fill(_INFINITE, inner=inner, image=image, multiplier=chi, kind=kind)

    def _multiplier(self) -> str:
        r"""G'(x*), with \chi for it where the law is one in powers of \chi."""
        return self.account.base_value or self.account.written(self.recursion.multiplier)

    # ---- the coordinate -------------------------------------------------------------------------------

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

    # ---- how orbits come in ---------------------------------------------------------------------------

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


# ---- other laws ------------------------------------------------------------------------------------


def network_subject(net, law: Law, digits: int = 30) -> Subject:
    """A law of a network."""
    name = NAMES.get(law.name, rf"component ${law.quantity}$")
    if record_of(net) is COMPOSED:
        title = f"The depth law of the {name} {'in' if law.name == 'correlation' else 'of'} {composition_name(net)}"
        return Subject(title, composition_setting(net), _distance(law), ("JGH",), letters=COEFFICIENTS)
    cited = ("HDR", "JGH", *(("PDLT",) if in_variances(net) else ()))
    title = f"The depth law of the {name} {'in' if law.name == 'correlation' else 'of'} {network_name(net)}"
    if not tells_map(net, law.name):
        return Subject(title, setting(net), _distance(law), cited)
    scale_free = net.statement.layer.is_scale_free
    attracts = scale_free or net.stability.attracts
    return Subject(
        title if attracts else f"{title}, at a variance that is {net.stability.kind}", setting(net, law.name, digits),
        _distance(law), (*cited, *(("ChoSaul",) if scale_free else ())),
        approach=f"Let $-1<c^1<1${'' if attracts else ', and $q^1=q$ for both inputs'}. ",
    )  # fmt: skip


def _distance(law: Law) -> str:
    """What y is."""
    if law.of_variance:
        if law.fixed is None:
            return "Let $y=q^l$ be the variance."
        point = law.fixed.point
        return "Let $y_l=1/q^l$." if not point.is_finite else f"Let $y_l=q^l{'' if point == 0 else '-q'}$."
    if law.name.startswith(("kernel ", "ntk ")) and law.name != "ntk diagonal":
        return r"Let $y=K_{00}^{(l)}$, the variance."
    fixed = getattr(getattr(law, "dense", law), "fixed", None)
    return _GAP if fixed is None or fixed.point == 0 else _INSIDE


def driven_subject(recursion, law: Law) -> Subject:
    """A law of a recursion whose steps depend on the layer."""
    h, layer = tex(recursion.h.subs(recursion.symbol, Symbol("x"))), tex(law.depth_variable)
    step = tex(recursion.step.subs(recursion.layer, law.depth_variable))
    shown = rf"\[ x_{{{layer}}}=x_{{{layer}-1}}-\delta_{{{layer}}}\,h(x_{{{layer}-1}}), \qquad h(x)={h}, "
    shown += rf"\qquad \delta_{{{layer}}}={step}, \]"
    setting_ = "\\section{Statement}\nConsider the recursion\n" + shown
    return Subject("The law of a recursion whose steps depend on the layer", setting_, "Let $y=x$.")
