"""Proposition 3 and Appendix Lemma 8 as printed beside what is derived here, and where the printed proof goes wrong."""

from sympy import Symbol

from asympt.expansions import Expansion, Monomial, Scale
from asympt.writing.claim import comparison, derived, row
from asympt.writing.formulas import constant
from asympt.writing.networks import noun
from asympt.writing.scaled_material import ScaledMaterial

_WHAT_NTK = r"""
\cite[Proposition~3]{HDR} is about this network with ReLU: the normaliser of the kernel becomes $L^{1+\sigma_w^2/2}$,
and the rate $\Theta(1/\log L)$. Its proof passes through Appendix Lemma~8 on $c^l$.
"""

_WHAT_CORRELATION = r"""
\cite[Appendix Lemma~8]{HDR} is about the correlation in this network with ReLU.
"""

_FOR = r"The right-hand column is for the {} network with $\sigma_w^2={}$."

_FAULT = r"""
\paragraph{Where the printed proof goes wrong.}
The proof of Proposition~3 writes $K^l(x,x)=K^{l-1}(x,x)\,(1+\frac{\sigma_w^2}{2l})+\Sigma^l(x,x)$, without the factor
$\frac1l$ that the weights of branch $l$ carry, and with the covariance of $y^l$ where that of the branch belongs. Then
every layer adds its whole variance and $K^l/q_l$ grows like $l$. In the network it grows by the share $\delta_l\sim
g/l$ of a branch, so like $g\log l$. The same factor decides about two inputs: with the printed forcing
$a_l=\lambda_la_{l-1}+b_l$, $\lambda_l=1-\frac1l-\cdots$, has the same limit for one input and for two, and the matrix
of normalised kernels would tend to a singular one. With the network's own forcing it tends to
$\frac34I+\frac14\mathbf 1\mathbf 1^{\mathsf T}$ in units of the diagonal, as without scaling. Of the printed statements
the order $\log(l)^{-2}$ of $1-c^l$ and its constant survive, and the rate $1/\log L$.
"""


def claim(m: ScaledMaterial) -> str:
    """The comparison, and the fault."""
    pointwise = _FOR.format(noun(m.net), constant(m.net.statement.layer.weight_variance))
    beside = comparison((_WHAT_NTK if m.is_ntk else _WHAT_CORRELATION).strip(), _rows(m), pointwise)
    return beside + (_FAULT.strip() + "\n" if m.is_ntk else "")


def slope_along(m: ScaledMaterial) -> Expansion:
    """f'(c^l) in 1/log l."""
    depth = m.correlation.expansion.scale
    clock = Expansion.variable(depth) * m.gain + Symbol("C", real=True)
    t = m.law.time.revert(Scale.at_infinity(Symbol("lambda", positive=True))).compose(clock)
    return m.net.correlation_map.slope_expansion(5).compose(t).up_to(Monomial(3))


def _rows(m: ScaledMaterial) -> list[str]:
    printed = r"1-\frac{18\pi^2}{\sigma_w^4\log(l)^2}+\frac{\zeta}{\log(l)^3}+o(\log(l)^{-3}),\ \zeta>0"
    rows = [row("c^l", printed, derived(1 - m.correlation.expansion, 3), True)]
    if not m.is_ntk:
        return rows
    slope = r"1-\frac{6}{\sigma_w^2\log l}+\frac{\zeta'}{\log(l)^2}+\cdots"
    rows.append(row("f'(c^l)", slope, derived(slope_along(m), 3), True))
    g = constant(m.gain)
    power = "L" if m.gain == 1 else f"L^{{{g}}}"
    rows.append(row("K^L(x,x)", r"\Theta\bigl(L^{1+\sigma_w^2/2}\bigr)", rf"\Theta\bigl({power}\log L\bigr)", True))
    rows.append(row(m.law.quantity, r"1+\Theta(1/\log L)", derived(m.ratio, 2), True))
    return rows

