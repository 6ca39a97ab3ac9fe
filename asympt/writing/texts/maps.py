"""What one layer or step does: y' at the fixed point, other forms of a map (drifts, averages), the uniformiser."""

from sympy import Add, Expr, Rational, Symbol, degree

from asympt.evidence.law_terms import opaque_in
from asympt.expansions import Expansion
from asympt.expansions.typesetting import LINE, Piece, constant, display, inline, sum_pieces, tex
from asympt.expansions.width import width
from asympt.recursions.protocol import Step, T
from asympt.writing.account import Account, with_letters
from asympt.writing.escape import fill
from asympt.writing.notation import map_pieces, running
from asympt.writing.texts.words import alpha, in_base, plain, power_of_t, spread

_RATIO = r"""
\section{The map at its fixed point}\label{sec:map}
@where One @step takes~$y$ to
@image
@approach
"""

_ROOT = r"where $t=y^{1/@root}$ is the uniformiser in which the map is a power series"

_APPROACHES = {
    "abel": r"The factor of $y$ is $1$: the fixed point is approached like a power of~$@depth$.",
    "koenigs": r"The factor of $y$ is $\chi@chi$, and orbits approach the fixed point geometrically.",
}

_TURNS = r"""
The factor of $y$ is $-1$: orbits jump from one side of the fixed point to the other. So two steps at a time are
considered: $y''$ is $y$ after two steps.
"""


def ratio(a: Account, step: Step) -> str:
    """y' as a closed form where there is a short one, and in t."""
    closed, ends = _closed(a, step)
    shown = [] if ends else [plain(a, piece) for piece in a.pieces(step["image"], 3, 5)]
    uniform = " " + fill(_ROOT, root=a.root).strip() if a.root > 1 and not ends else ""
    base = tex(a.notation.base)
    value = running(_value(a, step["multiplier"]))
    chi = "" if value == base or (a.notation.base.is_Symbol and base != r"\chi") else f"={value}"
    approach = _APPROACHES["abel" if a.form == "abel" else "koenigs"]
    text = _TURNS if a.turns else fill(approach, chi=chi, depth=a.at_depth)
    left = rf"y'={inline(closed)}" if closed and not ends else "y'"
    found = fill(
        _RATIO, where=a.subject.variable, step=a.subject.step,
        image=display(left, shown or closed, "eq:map", end="," if uniform else "."),
        approach=uniform.strip() + (". " if uniform else "") + text.strip(),
    )  # fmt: skip
    return in_base(a, found)


def _value(a: Account, multiplier: Expr) -> str:
    r"""chi in numbers and letters."""
    return a.base_value.partition("=")[2] or a.notation.constant(multiplier)


def _closed(a: Account, step: Step) -> tuple[list[Piece], bool]:
    """y' as a closed form in y where that is short, and whether it is a finite sum of powers, which needs no series."""
    if "formula" not in step:
        return [], False
    y = Symbol("y", positive=True)
    image = a.notation(step["formula"].subs(T, y ** Rational(1, a.root)))
    image = image.expand() if a.root > 1 else spread(image, y)
    pieces = map_pieces(image, y, ascending=True)
    ends = all(not term.as_coeff_exponent(y)[0].has(y) for term in Add.make_args(image))
    return (pieces, ends) if ends or width(inline(pieces)) <= LINE / 2 else ([], False)


_GROWTH = r"""
\section{@steps in the uniformiser}\label{sec:uniformiser}
With $y=@power$ @one $@image=@closed@lead t\,\bigl(1+@e(t)\bigr)$,
@growth
@meaning
"""

_MEANING = r"""
Here $m=@m$ is the leading exponent@stride: $@e(t)=@{e}_{@m}@first+\cdots$ with $@{e}_{@m}=@value<0$. Then
$(@image)^{-@m}=t^{-@m}+@added+\cdots$, so that $t^{-@m}$ grows by about $@plain$ @often, and $@size\sim@leading$ with
$\alpha@alpha$. The next terms follow from the coordinate in which @exact.
"""


def growth(a: Account, step: Step) -> str:
    """e(t), and what its leading term means; nothing where t is y and no more than the series of y' is needed."""
    if a.form == "koenigs" and a.root == 1:
        return ""
    power = "t" if a.root == 1 else f"t^{{{a.root}}}"
    lead = "" if a.form == "abel" else r"\mu\," if a.root > 1 else r"\chi\,"
    one = "two steps are" if a.turns else f"one {a.subject.step} is"
    text = fill(
        _GROWTH, steps="Two steps" if a.turns else f"One {a.subject.step}", power=power, one=one,
        image="t''" if a.turns else "t'", closed=_twice(a, step) if a.turns else "", lead=lead,
        e=a.growth_letter, growth=display(f"{a.growth_letter}(t)", a.pieces(_growth(step), 3, 4), "eq:growth"),
        meaning=_meaning(a, step["growth"]) if a.form == "abel" else "",
    )  # fmt: skip
    text += rf"where $\mu=\chi^{{1/{a.root}}}$." + "\n" if lead.startswith(r"\mu") else ""
    return in_base(a, text)


def _twice(a: Account, step: Step) -> str:
    """t'' as a closed form, where that is short."""
    shown = inline(map_pieces(spread(a.notation(step["formula"]), T), T, ascending=True))
    return f"{shown}=" if width(shown) <= LINE / 2 else ""


def _growth(step: Step) -> Expansion:
    """e(t), without a remainder where the map is a polynomial."""
    known = step["growth"]
    ends = "formula" in step and step["formula"].is_polynomial(T)
    return known.without_remainder() if ends and degree(step["formula"], T) <= known.remainder.monomial.order else known


def _meaning(a: Account, known: Expansion) -> str:
    """How fast t^(-m) grows."""
    _, first = known.leading
    value, added = (running(a.notation.constant(c)) for c in (first, -a.m * first))
    every = a.coordinate["system"].stride
    return fill(
        _MEANING, m=a.m, stride=rf", and only powers of $t^{{{every}}}$ occur" if every > 1 else "",
        first=power_of_t(a.m), value=value, image="t''" if a.turns else "t'", plain=added,
        added=f"({added})" if added.startswith("-") else added, alpha=alpha(a) and f"={alpha(a)}", e=a.growth_letter,
        often="in two steps" if a.turns else f"a {a.subject.step}",
        size=f"|t_{a.at_depth}|" if a.turns else f"t_{a.at_depth}",
        leading=rf"\alpha/{a.at_depth}" if a.m == 1 else rf"(\alpha/{a.at_depth})^{{1/{a.m}}}",
        exact="two steps are exactly two" if a.turns else f"every {a.subject.step} is exactly one",
    ).strip()  # fmt: skip


# ---- maps that are no multiple of y at their fixed point: of large or solved quantities, drifts, averages -----

_GROWN = r"""
\section{The map}\label{sec:map}
For large $q$ one layer takes the variance to
@image
so that it grows like $@growth$; inserting the law into this determines its other terms.
"""


def grown(a: Account, step: Step) -> str:
    """q' in q."""
    growth = tex((1 / a.notation.base) ** a.law.depth_variable)
    return fill(_GROWN, image=display("q'", a.all_pieces(step["grown"]), "eq:map", end=","), growth=growth)


_DRIFTS = r"""
\section{The drift}\label{sec:map}
@where Layer~$@depth$ takes $y$ to $y-\delta_{@depth}\,h(y)$ with the step size $\delta_{@depth}=@step$ and@uniform
@drift
"""


def drift(a: Account, step: Step) -> str:
    """h and the step size."""
    root = int(step["root"])
    uniform = rf", in $t=y^{{1/{root}}}$," if root > 1 else r", with $t=y$,"
    shown = display("h", a.pieces(step["drift"], 2, 4), "eq:drift")
    return fill(
        _DRIFTS, where=a.subject.variable, depth=a.at_depth, step=running(tex(step["step"])), uniform=uniform,
        drift=shown,
    )  # fmt: skip


_AFFINE = r"""
\section{Derivation}\label{sec:map}
In every layer the quantity $X$ of the law obeys
\[ X'=@right . \]
@solution
"""

_SOLVED = r"""
This is solved for every layer: the law is an identity and has no remainder.
"""

_SUMMED = r"""
Here $@depth$ is the layer that is entered. The sum (or the product) over the layers is known as a function of the
depth, whose expansion is the law.
"""


def affine(a: Account, step: Step) -> str:
    """X' = lambda X + b."""
    factor, added = step["multiplier"], step["affine"]
    first = "X" if factor == 1 else rf"{_bracketed(tex(with_letters(factor)), factor)}\,X"
    shown = tex(with_letters(added))
    right = first if added == 0 else f"{first}{shown if shown.startswith('-') else '+' + shown}"
    text = _SUMMED if a.law.expansion.remainder is not None or factor.has(a.depth) or added.has(a.depth) else _SOLVED
    return fill(_AFFINE, right=right, solution=fill(text, depth=a.at_depth).strip())


def _bracketed(shown: str, value: Expr) -> str:
    return rf"\Bigl({shown}\Bigr)" if value.is_Add else shown


_AVERAGING = r"""
\section{Positions become alike}\label{sec:positions}
Along one offset $\alpha'-\alpha$ the correlations at the $M$ positions are first mapped like those of a fully
connected network and then averaged over the filter \cite[Appendix Lemma~2]{HDR}. The average keeps the mean over the
positions; the Fourier modes in which positions differ are multiplied by eigenvalues, the largest of which in size is
$\lambda_2=@second$@number. So the differences fade like $\lambda_2^l$, faster than any power of the depth, and to
all orders of the law the mean moves as in the fully connected (or residual) network of the same activation, from an
effective start that the constants contain.
"""


def averaging(a: Account, step: Step) -> str:
    """The modes and the mean."""
    second = step["averaging"]
    number = "" if second.is_Rational else rf"\approx{second.evalf(6)}"
    return fill(_AVERAGING, second=running(tex(second)), number=f"${number}$" if number else "")


_LEADING = r"""
\section{Derivation}\label{sec:map}
As the variance grows, which it does like $\tau=@clock$, the activation acts more and more like the step of its two
limits, and while $\log\tau$ grows by $\varepsilon$ the correlation moves by $\varepsilon\,(g(c)-c)$ to leading order,
with
@drift
Here $g'(1)=\infty$, so that $c=1$ repels, and $c$ tends to the zero $c_*=@fixed$ of this drift, where its slope
is $-p$, $p=@exponent$: the distance from~$c_*$ falls like $\tau^{-p}$. Only leading orders are derived.
"""


def leading(a: Account, step: Step) -> str:
    """The drift of the correlation and its zero."""
    c = next(iter(step["drift"].free_symbols))
    shown = display("g(c)-c", sum_pieces(step["drift"].subs(c, Symbol("c"))))
    fixed, power = (_with_digits(step[name]) for name in ("fixed", "exponent"))
    return fill(_LEADING, drift=shown, fixed=fixed, exponent=power, clock=running(tex(step["clock"])))


_LEAVING = r"""
\section{Derivation}\label{sec:map}
The branch pushes the correlation away from $c=1$, and its weights fall: their sum grows like $@factor\log\tau$,
$\tau=@clock$. So $c$ follows $\mathrm dc/\mathrm dT=g(c)-c$, $T=@factor\log\tau$, to the zero $c_*=@fixed$ of this
drift, where its slope is $g'(c_*)-1$: the distance from~$c_*$ falls like $\tau^{-p}$, $p=@factor(1-g'(c_*))=@exponent$.
With $\mathrm dK/\mathrm dT=o-(1-g')K$ the kernel follows. Only leading orders are derived.
"""


def leaving(a: Account, step: Step) -> str:
    """Where the correlation goes from c = 1, and how fast."""
    shown = {name: _with_digits(step[name]) for name in ("leaving", "exponent", "factor")}
    factor = "" if step["factor"] == 1 else shown["factor"] + r"\,"
    clock = running(tex(step["clock"]))
    return fill(_LEAVING, fixed=shown["leaving"], exponent=shown["exponent"], factor=factor, clock=clock)


def _with_digits(value: Expr) -> str:
    return running(constant(value)) if not opaque_in(value) else rf"{value.evalf(15)}\ldots"
