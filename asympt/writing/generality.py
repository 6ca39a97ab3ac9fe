"""The laws for every ReLU-like activation, when the document's own formulas are written for one."""

from sympy import Integer, log

from asympt.architectures.relu_like import ALPHA, abel_for, ntk_solution_for, universal_expansion
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.writing.formulas import constant, display, expansion_pieces
from asympt.writing.material import B, E, Material
from asympt.writing.template import fill

_SECTION = r"""
\section{Other slopes}
The derivation uses the activation only through $\rho$. For every ReLU-like activation, with
$\alpha=3/(\sqrt2\,\rho)$ and $B=C-@beta\log\alpha$,
@laws
The coefficients displayed above are these at $\alpha=@alpha$.
"""


def generality(m: Material) -> str:
    """Both laws in alpha; nothing when the document is written in alpha anyway."""
    if m.in_alpha:
        return ""
    laws = [display(m.correlation.quantity, expansion_pieces(_universal(False, m.terms)))]
    if m.is_ntk:
        laws.append("and\n" + display(m.law.quantity, expansion_pieces(_universal(True, m.terms))))
    beta = constant(abel_for(ALPHA).residue)
    return fill(_SECTION, beta=beta, laws="\n".join(laws), alpha=constant(m.alpha).replace(r"\frac", r"\tfrac"))


def _universal(ntk: bool, terms: int):
    """The law in alpha, B and E."""
    homogeneous, particular = ntk_solution_for(ALPHA).homogeneous, ntk_solution_for(ALPHA).particular
    power, first = homogeneous.leading
    omega = particular.coefficient(power.order, 1) / first
    shift = {C: B + abel_for(ALPHA).residue * log(ALPHA), D: E - (omega if ntk else Integer(0)) * log(ALPHA)}
    return universal_expansion(ntk, terms).subs(shift)
