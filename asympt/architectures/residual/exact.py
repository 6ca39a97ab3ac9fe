r"""The laws of residual networks that are identities: the variance of a ReLU-like phi, and its NTK for one input.

Rule.  With alpha = sigma_w^2 (a+^2 + a-^2)/2, delta = alpha/(1 + alpha), r = lambda_W/sigma_w^2,

    q_l = q_1 (1 + alpha)^(l-1)                              no bias (HDR, proof of Appendix Lemma 7)
    q_l = -sigma_b^2/alpha + C (1 + alpha)^l                 with bias
    K^L(x, x)/q_L = r (1 + delta (L - 1))                    no bias: k' = k + r delta, k^1 = r

Tiny case.  ReLU, sigma_w^2 = 2: K^L(x, x)/q_L = (L + 1)/2 and q_L = 2^(L-1) q_1, so K^L(x, x)/(L 2^(L-1) q_1) -> 1/2.

Known limits.  Any other phi has laws with a remainder only (`growing`, `bounded`).
"""

from sympy import Expr

from asympt.architectures.exact_law import ExactLaw, no_start
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.starts import read_variance
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.statement import Statement
from asympt.precise.residual import learning_ratio
from asympt.recursions.coordinates.abel_inversion import CONNECTION

VARIANCE = "q^{l}"


def diagonal_law(statement: Statement) -> ExactLaw:
    """The law of K^L(x, x)/q_L, a ReLU-like phi without bias."""
    share, ratio = statement.branch_share.factor(), learning_ratio(statement)
    terms = {(-1, 0): ratio * share, (0, 0): (ratio * (1 - share)).factor()}
    expansion = Expansion.build(Scale.at_infinity(DEPTH), terms)
    return ExactLaw(r"\frac{K^{L}(x,x)}{q_{L}}", expansion, no_start, "ntk diagonal", layer=statement)


def variance_law(statement: Statement) -> ExactLaw:
    """The law of q^l, a ReLU-like phi with or without bias."""
    growth, bias = statement.growth.factor(), statement.layer.bias_variance
    offset = -bias / (growth - 1)
    terms = ((Monomial(-1), CONNECTION), (Monomial(0), offset))
    kept = tuple(term for term in terms if term[1] != 0)
    expansion = Expansion(Exponential(LAYER, base=1 / growth), kept)

    def constant(start: Expr) -> Expr:
        return (start - offset) / growth

    return ExactLaw(VARIANCE, expansion, read_variance, "variance", constant=constant, layer=statement)
