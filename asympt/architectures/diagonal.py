"""The NTK of one input, K^L(x, x)/q at the fixed point of the variance: a geometric sum, exact at every depth.

Rule.  At c = 1 the recursion k' = f'(c) k + f(c) is k' = chi k + 1, k^1 = 1:

    edge of chaos   L
    ordered         (1 - chi^L)/(1 - chi)
    chaotic         (chi^L - 1)/(chi - 1)

Tiny case.  ReLU on the Edge of Chaos: K^L(x, x) = q L (HDR Lemma 2 with f'(1) = 1).

Known limits.  phi continuous, since f'(1) is infinite otherwise.
"""

from sympy import Expr, Integer

from asympt.architectures.exact_law import ExactLaw, no_start
from asympt.architectures.named_constants import named
from asympt.architectures.relu_like import DEPTH
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.layer import Layer


def diagonal_law(layer: Layer, chi: Expr) -> ExactLaw:
    """The law of K^L(x, x)/q, chi = f'(1) (1 on the Edge of Chaos)."""
    return ExactLaw(r"\frac{K^{L}(x,x)}{q}", _expansion(chi), no_start, "ntk diagonal", layer=layer)


def _expansion(chi: Expr) -> Expansion:
    if chi == 1:
        return Expansion.build(Scale.at_infinity(DEPTH), {(-1, 0): Integer(1)})
    if chi < 1:
        return Expansion(
            Exponential(DEPTH, base=chi), ((Monomial(0), 1 / (1 - chi)), (Monomial(1), -1 / (1 - chi)))
        )
    return Expansion(
        Exponential(DEPTH, base=1 / chi), ((Monomial(-1), 1 / (chi - 1)), (Monomial(0), -1 / (chi - 1)))
    )


def named_multiplier(layer: Layer, key: str) -> Expr:
    """chi, under its name when it is no simple number."""
    return named("chi", r"\chi", f"f'(1) of {key}", layer.gain)
