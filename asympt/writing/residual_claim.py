"""Theorem 2 and Appendix Lemma 7 as printed beside what is derived here, and the two places where they part."""

from sympy import Integer, log

from asympt.architectures.relu_like import (
    ALPHA,
    BRANCH_SHARE,
    DEPTH,
    abel_for,
    ntk_solution_for,
    universal_expansion,
)
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.writing.claim import Slope, comparison, derived, faulty_step, row
from asympt.writing.formulas import constant, display, expansion_pieces
from asympt.writing.material import B, E
from asympt.writing.names import noun
from asympt.writing.residual_material import ResidualMaterial
from asympt.writing.template import fill

_WHAT_NTK = r"""
\cite[Theorem~2]{HDR} is about this network with ReLU: with $\alpha_L=L\,(1+\frac{\sigma_w^2}2)^{L-1}$
as normaliser the kernel has a limit, which it reaches at the rate $\Theta(L^{-1})$. Its proof passes through
Appendix Lemma~7 on $c^l$. In the notation used here $\alpha_L=L\,q_L/q_1$.
"""

_WHAT_CORRELATION = r"""
\cite[Appendix Lemma~7]{HDR} is about the correlation in this network with ReLU.
"""

_FOR = "The right-hand column is for the {} network with $\\sigma_w^2={}$, $q_1=\\sigma_w^2\\|x\\|\\|x'\\|/d$."

_FORCING = r"""
\paragraph{What a branch adds.}
The proof of Theorem~2 divides the recursion of Lemma~3 by $(1+g)^{l-1}$ and takes $b_l=q_1+O(l^{-2})$ for what is
added, as if $\Sigma^l$ were the covariance of $y^l$. But a layer adds what its branch has learned, and the branch has
only the share $\delta$ of the covariance: $b_l=\delta q_1+O(l^{-2})$. So the limit on the diagonal is $\delta q_1$, not
$q_1=\sigma_w^2\|x\|^2/d$, and off the diagonal it is $\delta q_1/4$. Only for $\sigma_w\to\infty$ the printed
constant is right.
"""

_GENERAL = r"""
\section{Other slopes and other \texorpdfstring{$\sigma_w$}{sigma w}}
The derivation uses activation and weights only through $\alpha=3/(\sqrt2\,\rho\,\delta)$ and $\delta$. For every
ReLU-like activation and every $\sigma_w$, with $B=C-@beta\log\alpha$,
@laws
The coefficients displayed above are these at $\alpha=@alpha$ and $\delta=@share$.
"""


def claim(m: ResidualMaterial) -> str:
    """The comparison, and the faults."""
    pointwise = _FOR.format(noun(m), constant(m.net.statement.layer.weight_variance))
    beside = comparison((_WHAT_NTK if m.is_ntk else _WHAT_CORRELATION).strip(), _rows(m), pointwise)
    return beside + (_FORCING.strip() + "\n\n" if m.is_ntk else "") + faulty_step(m, r"$\zeta\,l^{-3}+o(l^{-3})$")


def _rows(m: ResidualMaterial) -> list[str]:
    printed = r"1-\frac{9\pi^2(1+\sigma_w^2/2)^2}{2(\sigma_w^2/2)^2\,l^2}+\frac{\zeta}{l^3}+o(l^{-3})"
    rows = [row("c^l", printed, derived(1 - m.law_as_written(m.correlation), 3), True)]
    if m.is_ntk:
        slope = derived(Slope(m).expansion, 3)
        rows.append(row(r"\frac{1+\dot\Sigma^l}{1+g}", r"1-\frac3l+\frac\kappa{l^2}+O(l^{-3})", slope, True))
        printed = r"\frac{\sigma_w^2\|x\|^2}d+\Theta(L^{-1})"
        diagonal = rf"\Bigl({constant(m.branch_share)}+{constant((1 - m.branch_share) / DEPTH)}\Bigr)\,q_1"
        rows.append(row(r"\frac{K^L(x,x)}{\alpha_L}", printed, diagonal))
        printed, average = r"\lim+\Theta(L^{-1})", derived(m.law_as_written(m.law), 2)
        rows.append(row(r"\frac{K^L(x,x')}{\alpha_L}", printed, rf"\Bigl({average}\Bigr)\,q_1"))
    return rows


def generality(m: ResidualMaterial) -> str:
    """Both laws in alpha and delta."""
    laws = [display(m.correlation.quantity, expansion_pieces(_shifted(m.law_in_alpha(False, m.terms), Integer(0))))]
    if m.is_ntk:
        solution = ntk_solution_for(ALPHA, BRANCH_SHARE)
        power, first = solution.homogeneous.leading
        omega = solution.particular.coefficient(power.order, 1) / first
        law = _shifted(universal_expansion(True, m.terms, BRANCH_SHARE), omega)
        laws.append("and\n" + display(m.law.quantity, expansion_pieces(law)))
    beta, (alpha, share) = constant(abel_for(ALPHA).residue), (constant(v) for v in (m.alpha, m.branch_share))
    return fill(_GENERAL, beta=beta, laws="\n".join(laws), alpha=alpha, share=share)


def _shifted(expansion, omega):
    """B and E for C and D."""
    residue = abel_for(ALPHA).residue
    return expansion.subs({C: B + residue * log(ALPHA), D: E - omega * log(ALPHA)})
