r"""Critical networks without bias, PDLT's class K* = 0: the variance falls like 1/l and moves the correlation with it.

Problem.  sigma_b = 0 and sigma_w phi'(0) = 1: V(q) = q - A q^2 + ... and c' = c + O(q), so q and c are both neutral.

Rule.  With phi(x)/phi'(0) = x + a x^2 + b x^3 + ..., A = -(3 a^2 + 6 b) > 0 and q ~ 1/(A l),

    c' - c = a^2 q (1 - c) (1 - 2c) - 3 b^2 c ((q - q')^2 + 2 q q' (1 - c^2)) + ...
    a = 0:   c^l = C + C (1 - C^2)/(6 l) + ...,       K^L -> C/A:                     the kernel keeps the angles
    a != 0:  c^l = 1/2 + C l^(-eta) + ..., eta = a^2/A (for eta < 1),   K^L -> 1/(2 A (1 + eta)).

Tiny case.  phi = sin: a = 0, A = 1, and K^L tends to the limit C of the correlation, which the start decides.

Known limits.  C has no formula; numbers are those of the layers, at most `norms.MOST_LAYERS`.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Rational, Symbol

from asympt.architectures.law_parts import read_start
from asympt.architectures.norms import MOST_LAYERS
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.meanfield.layer import Statement
from asympt.recursions.coordinates.abel_inversion import CONNECTION as C
from asympt.recursions.law import Law
from asympt.recursions.protocol import FollowedLayers

HALF = Rational(1, 2)


@dataclass(frozen=True)
class BothNeutral(FollowedLayers):
    """The layers themselves."""

    most_layers = MOST_LAYERS
    unproved = "the variance and the correlation of this network are both neutral, for which there is no theorem yet"


def correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l, two terms at most; a start is the correlation and the two variances."""
    exponent = numbers(statement)[1]
    known, rest = [(Monomial(0), HALF)], Monomial(1, 1)
    if exponent == 0:
        known, rest = [(Monomial(0), 1 - C), (Monomial(1), -C * (1 - C**2) / 6)], Monomial(2, 1)
    elif exponent < 1:
        known, rest = [(Monomial(0), HALF), (Monomial(exponent), -C)], Monomial(min(2 * exponent, Integer(1)))
    rest = known[terms][0] if terms < len(known) else rest
    return _law(statement, "1-c^{l}", LAYER, known[:terms], rest, "correlation")


def ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x') itself, its limit: K' = (1 - (1 + eta)/L) K + c/(A L) + ..."""
    rate, exponent = numbers(statement)
    limit = C / rate if exponent == 0 else 1 / (2 * rate * (1 + exponent))
    rest = Monomial(exponent) if 0 < exponent < 1 else Monomial(1, 1)
    return _law(statement, "K^{L}(x,x')", DEPTH, [(Monomial(0), limit)], rest, "ntk")


def numbers(statement: Statement) -> tuple[Expr, Expr]:
    """(A, eta) of a critical phi.

    >>> from asympt import FeedForward
    >>> numbers(FeedForward("sin(x) + 1 - cos(x)", sigma_w=1).statement)
    (1/4, 1)
    """
    phi = statement.activation
    found = phi.small_variance
    if found is None or not found[0] < 0:
        raise UnsupportedError(
            f"with sigma_b = 0 the variance of {phi.name!r} tends to 0, and the Taylor series of phi at 0 to "
            "third order does not say how fast; take sigma_b > 0, or ask for variance_law()"
        )
    return -found[0], (found[1] - found[0]) / -found[0]


def _law(statement: Statement, quantity: str, depth: Symbol, terms: list, rest: Monomial, name: str) -> Law:
    expansion = Expansion.build(Scale.at_infinity(depth), dict(terms), Formal(rest))
    return Law(quantity, expansion, read_start, name, coordinate=BothNeutral(), layer=statement)
