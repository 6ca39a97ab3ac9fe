"""Proposition 3 and Appendix Lemma 8 as printed beside what is derived here, and where the printed proof goes wrong."""

from sympy import Rational

from asympt.expansions import Expansion
from asympt.writing.account import Account
from asympt.writing.formulas import constant, inline
from asympt.writing.networks import noun

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


def words(a: Account) -> tuple[str, str, str]:
    """What was published, for which network the derived column is, and what is wrong in the proof."""
    pointwise = _FOR.format(noun(a.net), constant(a.net.statement.layer.weight_variance))
    return (_WHAT_NTK if a.is_ntk else _WHAT_CORRELATION).strip(), pointwise, _FAULT.strip() if a.is_ntk else ""


def rows(a: Account) -> list[tuple[str, str, str]]:
    """(quantity, as printed, as derived) of the single statements."""
    law = a.correlation if a.is_ntk else a.law
    printed = r"1-\frac{18\pi^2}{\sigma_w^4\log(l)^2}+\frac{\zeta}{\log(l)^3}+o(\log(l)^{-3}),\ \zeta>0"
    found = [("c^l", printed, _derived(a, 1 - law.expansion, 3))]
    if not a.is_ntk:
        return found
    slope = r"1-\frac{6}{\sigma_w^2\log l}+\frac{\zeta'}{\log(l)^2}+\cdots"
    found.append(("f'(c^l)", slope, _derived(a, slope_along(a), 3)))
    gain = a.net.statement.layer.chi
    power = "L" if gain == 1 else f"L^{{{constant(gain)}}}"
    found.append(("K^L(x,x)", r"\Theta\bigl(L^{1+\sigma_w^2/2}\bigr)", rf"\Theta\bigl({power}\log L\bigr)"))
    found.append((a.law.quantity, r"1+\Theta(1/\log L)", _derived(a, a.law.expansion, 2)))
    return found


def slope_along(a: Account) -> Expansion:
    """f'(c^l) = 1 - h'(y_l) in 1/log l, along the law of the correlation."""
    return 1 - a.find("map")["slope"].compose(a.correlation.expansion.power(Rational(1, a.root)))


def _derived(a: Account, expansion: Expansion, count: int) -> str:
    return inline(a.notation.pieces(expansion, count))
