"""The claim as printed beside the corrected one, and the line of the printed proof where they part."""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Rational, Symbol, simplify

from asympt.architectures.relu_like import LAYER
from asympt.expansions import Expansion, Formal, Monomial
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import uniformiser_at_depth
from asympt.writing.formulas import Piece, constant, display, expansion_pieces, inline, sum_pieces
from asympt.writing.material import Material
from asympt.writing.names import noun
from asympt.writing.template import fill

S, KAPPA = Symbol("s"), Symbol("kappa")


def printed_step() -> Expansion:
    """gamma_(l+1)^(-1/2) as printed, in t = gamma_l^(1/2): 1/t + s/2 + (kappa/2) t^2 + O(t^4)."""
    terms = {(-1, 0): 1, (0, 0): S / 2, (2, 0): KAPPA / 2}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(4)))


def true_step(order: int = 3) -> Expansion:
    """(gamma - s gamma^(3/2) - kappa gamma^(5/2) + O(gamma^(7/2)))^(-1/2), expanded up to t^(order - 1)."""
    terms = {(2, 0): 1, (3, 0): -S, (5, 0): -KAPPA}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(order + 3))).power(Rational(-1, 2))


def missing_term() -> tuple[Monomial, Expr]:
    """The first term of the true step that the printed one lacks: (3/8) s^2 t."""
    return (true_step() - printed_step()).leading


@dataclass(frozen=True)
class Slope:
    """f'(c^l) along the orbit, and what Appendix Lemmas 5 and 6 say about it."""

    material: Material

    @cached_property
    def expansion(self) -> Expansion:
        """f'(c^l) as a log-power series in l."""
        m = self.material
        along = m.map.slope_expansion(4).compose(uniformiser_at_depth(m.abel, LAYER, 3).readable())
        return m.shifted(along.up_to(Monomial(2)))

    @property
    def decay(self) -> Expr:
        """The lemmas' alpha: minus the coefficient of 1/l."""
        return -self.expansion.coefficient(1)

    @property
    def log_weight(self) -> Expr:
        """The coefficient of log(l)/l^2, the kappa of Appendix Lemma 6."""
        return self.expansion.coefficients.get(Monomial(2, 1), Integer(0))

    @property
    def implied(self) -> Expr:
        """The coefficient of log(L)/L in K/(qL) that a_l = lambda_l a_(l-1) + 1 has then: kappa/(alpha (1 + alpha))."""
        return self.log_weight / (self.decay * (1 + self.decay))


_CLAIM = r"""
\section{The published statement}\label{sec:claim}
@what Beside each other:
\[
\mbox{\renewcommand{\arraystretch}{2.1}\begin{tabular}{@@{}lll@@{}}
\toprule
& as printed in \cite{HDR} & derived here \\
\midrule
@rows
\bottomrule
\end{tabular}}
\]
Here $g=\Theta(h)$ means $Ah\le g\le Bh$ with constants $A,B>0$, as in \cite{HDR}. @pointwise
"""

_FAULT = r"""
\paragraph{Where the printed proof goes wrong.}
The proof writes $\gamma_l=1-c^l$ and
$\gamma_{l+1}=\gamma_l-s\gamma_l^{3/2}-\kappa\gamma_l^{5/2}+O(\gamma_l^{7/2})$, where~(\ref{eq:expansion}) gives
@values. It then states
\[
  \gamma_{l+1}^{-1/2}=@printed . \qquad\text{(as printed)}
\]
But $(1-x)^{-1/2}=1+\frac12x+\frac38x^2+\cdots$, and the square of $x=s\gamma_l^{1/2}+\cdots$ counts:
\[
  \gamma_{l+1}^{-1/2}=@true .
\]
The term $@missing$ is missing. As $\gamma_l^{1/2}\sim\alpha/l$, it is a harmonic series: summed over the layers
it gives $@summed\,\log l$, which is the iterative residue, since $@check$. So $c^l$ has a term of order
$\log(l)/l^3$, which @printed_rate does not allow.
"""

_CONSEQUENCE = r"""
It is inherited by
@slope
whereas the proof continues with $f'(c^l)=1-\frac3l+\Theta(l^{-2})$ and applies Appendix Lemma~5, whose hypothesis
$\lambda_l=1-\frac{\alpha}{l}+\Theta(l^{-2})$ does not hold. The paper's own Appendix Lemma~6, for
$\lambda_l=1-\frac{\alpha}{l}+\kappa\frac{\log l}{l^2}+\cdots$, is the one that applies, with $\alpha=@decay$ and
$\kappa=@weight$, and gives the order $\log(L)/L$; the coefficient that this recursion implies,
$\kappa/(\alpha(1+\alpha))=@implied$, @agreement.
"""

_WHAT_NTK = r"""
Theorem~1, item~1, of \cite{HDR} is about ReLU-like activations on the Edge of Chaos: the average kernel $K^L/L$ reaches
its limit at the rate $\Theta(L^{-1})$. Its proof passes through a law of $c^l$ and one of $f'(c^l)$.
"""

_WHAT_CORRELATION = r"""
The proof of Theorem~1, item~1, of \cite{HDR} uses a law of the correlation.
"""

_POINTWISE = r"""
The supremum over all $x\ne x'$ is read for a fixed start: as $c^1\to1$ the kernel at any fixed depth tends to its
diagonal value, so that no rate holds uniformly. The right-hand column is for @network.
"""


def claim(m: Material) -> str:
    """The section: the comparison, the faulty line, what follows from it."""
    pointwise = _POINTWISE if m.is_ntk else "The right-hand column is for @network."
    what = (_WHAT_NTK if m.is_ntk else _WHAT_CORRELATION).strip()
    beside = comparison(what, _rows(m), fill(pointwise, network=f"the {noun(m)} network").strip())
    return beside + faulty_step(m, r"$\Theta(l^{-3})$") + (_consequence(m) if m.is_ntk else "")


def comparison(what: str, rows: list[str], pointwise: str) -> str:
    """The table of printed and derived statements."""
    return fill(_CLAIM, what=what, rows=" \\\\\n".join(rows) + r" \\", pointwise=pointwise) + "\n"


def _rows(m: Material) -> list[str]:
    correlation = derived(1 - m.law_as_written(m.correlation), 3)
    rows = [row("c^l", r"1-\frac{9\pi^2}{2l^2}+\Theta(l^{-3})", correlation, True)]
    if m.is_ntk:
        limit = constant(m.law.limit)
        rows.append(row("f'(c^l)", r"1-\frac3l+\Theta(l^{-2})", derived(Slope(m).expansion, 3), True))
        average = derived(m.law_as_written(m.law) - m.law.limit, 1)
        rows.append(row(rf"\frac{{K^L(x,x')}}{{qL}}-{limit}", r"\Theta(L^{-1})", average))
        rows.append(row(r"\frac{K^L(x,x)}{qL}-1", r"\Theta(L^{-1})", "0"))
    return rows


def derived(expansion: Expansion, count: int) -> str:
    return inline(expansion_pieces(expansion, count))


def row(quantity: str, printed: str, derived: str, relu_only: bool = False) -> str:
    cells = [rf"$\displaystyle {cell}$" for cell in (quantity, printed, derived)]
    return " & ".join([cells[0], cells[1] + (" (ReLU)" if relu_only else ""), cells[2]])


def faulty_step(m: Material, printed_rate: str) -> str:
    """The line of the printed proof that loses a term, and what the loss means for c^l."""
    monomial, coefficient = missing_term()
    expansion = m.map.expansion(7)
    s, kappa = expansion.coefficient(3), expansion.coefficient(5)
    summed = coefficient.subs(S, s) * m.shown_alpha
    ratio = simplify(summed / (s / 2))
    agrees = "=" if simplify(ratio - m.beta) == 0 else r"\ne"
    return fill(
        _FAULT,
        values=rf"$s={constant(s)}$ and $\kappa={constant(kappa)}$",
        printed=_in_gamma(printed_step()),
        true=_in_gamma(true_step()),
        missing=inline([_gamma_term(coefficient, monomial)]),
        summed=constant(summed),
        check=rf"{constant(summed)} = \frac{{s}}{{2}}\cdot{constant(ratio)} {agrees} \frac{{s}}{{2}}\,\beta",
        printed_rate=printed_rate,
    )


def _in_gamma(expansion: Expansion) -> str:
    """An expansion in t = gamma^(1/2), written in gamma."""
    pieces = [_gamma_term(c, monomial) for monomial, c in expansion.terms]
    size = _gamma_power(expansion.remainder.monomial)
    return inline([*pieces, Piece("+", rf"O\bigl({size}\bigr)")])


def _gamma_term(coefficient: Expr, monomial: Monomial) -> Piece:
    power = _gamma_power(monomial)
    shown = inline(sum_pieces(coefficient))
    if len(coefficient.as_ordered_terms()) > 1:
        shown = rf"\bigl({shown}\bigr)"
    return Piece("+", power if coefficient == 1 else f"{shown}\\,{power}".removesuffix("\\,"))


def _gamma_power(monomial: Monomial) -> str:
    half = monomial.order / 2
    if half == 0:
        return ""
    exponent = f"{half.p}/{half.q}" if half.q != 1 else str(half.p)
    return r"\gamma_l" if half == 1 else rf"\gamma_l^{{{exponent}}}"


def _consequence(m: Material) -> str:
    slope = Slope(m)
    if slope.log_weight == 0:
        return ""
    own = m.law.expansion.coefficients.get(Monomial(1, 1), Integer(0))
    agrees = simplify(own - slope.implied) == 0
    return fill(
        _CONSEQUENCE,
        slope=display("f'(c^l)", expansion_pieces(slope.expansion, 3), end=","),
        decay=constant(slope.decay),
        weight=constant(slope.log_weight),
        implied=constant(slope.implied),
        agreement=r"is that of~(\ref{eq:ntk})" if agrees else r"is not that of~(\ref{eq:ntk})",
    )
