"""Maps that are no multiple of y at their fixed point: of large or solved quantities, drifts, averages."""

from sympy import Expr, Symbol

from asympt.recursions.protocol import Step
from asympt.writing.account import Account, with_letters
from asympt.writing.formulas import constant, display, sum_pieces, tex
from asympt.writing.notation import running
from asympt.writing.template import fill

_GROWN = r"""
\section{The map}\label{sec:map}
For large $q$ one layer takes the variance to
@image
so that it grows like $\chi^{-l}$; inserting the law into this determines its other terms.
"""


def grown(a: Account, step: Step) -> str:
    """q' in q."""
    return fill(_GROWN, image=display("q'", a.all_pieces(step["grown"]), "eq:map", end=","))


_DRIFT = r"""
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
        _DRIFT, where=a.subject.variable, depth=a.at_depth, step=running(tex(step["step"])), uniform=uniform,
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
As the variance grows, the activation acts more and more like the step of its two limits, and layer~$l$ moves the
correlation by $(g(c)-c)/l$ to leading order, with
@drift
Here $g'(1)=\infty$, so that $c=1$ repels, and $c$ tends to the zero $c_*=@fixed$ of this drift, where its slope
is $-p$, $p=@exponent$: the distance from~$c_*$ falls like $l^{-p}$. Only leading orders are derived.
"""


def leading(a: Account, step: Step) -> str:
    """The drift of the correlation and its zero."""
    c = next(iter(step["drift"].free_symbols))
    shown = display("g(c)-c", sum_pieces(step["drift"].subs(c, Symbol("c"))))
    fixed, power = (_with_digits(step[name]) for name in ("fixed", "exponent"))
    return fill(_LEADING, drift=shown, fixed=fixed, exponent=power)


def _with_digits(value: Expr) -> str:
    return running(constant(value)) if not hasattr(value, "evaluator") else rf"{value.evalf(15)}\ldots"
