"""What one layer or step does: y' at the fixed point, other forms of a map, the uniformiser."""

from sympy import Add, Expr, Rational, Symbol, degree

from asympt.expansions import Expansion
from asympt.recursions.protocol import Step, T
from asympt.writing.account import Account
from asympt.writing.formulas import LINE, Piece, display, inline, tex
from asympt.writing.notation import map_pieces, running
from asympt.writing.template import fill
from asympt.writing.texts.words import alpha, in_base, plain, power_of_t, spread
from asympt.writing.width import width

_RATIO = r"""
\section{The map at its fixed point}\label{sec:map}
@where One @step takes~$y$ to
@image
@pace
"""

_ROOT = r"where $t=y^{1/@root}$ is the uniformiser in which the map is a power series"

_PACES = {
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
    text = _TURNS if a.turns else fill(_PACES[a.form if a.form == "abel" else "koenigs"], chi=chi, depth=a.at_depth)
    left = rf"y'={inline(closed)}" if closed and not ends else "y'"
    found = fill(
        _RATIO, where=a.subject.variable, step=a.subject.step,
        image=display(left, shown or closed, "eq:map", end="," if uniform else "."),
        pace=uniform.strip() + (". " if uniform else "") + text.strip(),
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
$(@image)^{-@m}=t^{-@m}+@gain+\cdots$, so that $t^{-@m}$ grows by about $@plain$ @often, and $@size\sim@leading$ with
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
    value, gain = (running(a.notation.constant(c)) for c in (first, -a.m * first))
    every = a.coordinate["system"].stride
    return fill(
        _MEANING, m=a.m, stride=rf", and only powers of $t^{{{every}}}$ occur" if every > 1 else "",
        first=power_of_t(a.m), value=value, image="t''" if a.turns else "t'", plain=gain,
        gain=f"({gain})" if gain.startswith("-") else gain, alpha=alpha(a) and f"={alpha(a)}", e=a.growth_letter,
        often="in two steps" if a.turns else f"a {a.subject.step}",
        size=f"|t_{a.at_depth}|" if a.turns else f"t_{a.at_depth}",
        leading=rf"\alpha/{a.at_depth}" if a.m == 1 else rf"(\alpha/{a.at_depth})^{{1/{a.m}}}",
        exact="two steps are exactly two" if a.turns else f"every {a.subject.step} is exactly one",
    ).strip()  # fmt: skip
