"""From the Abel function to the law: invert A(t_l) = l + C as a log-power series in the depth l.

Problem.  A(t) = alpha t^(-m) + ... + rho log t + ... = l + C.  Find t, and any function of t, for large l.

Rule.  Revert A as an expansion (t = (alpha/Y)^(1/m) (1 + ...), iterated, log t = -(1/m) log Y + ...), then put
Y = l + C.  How many orders of A are needed for n terms is found by asking for one more until n + 1 terms
stand clear of the remainder: the (n+1)-st is the remainder that the law states.

Tiny case.  A = 1/t + log t:  1/t = l + C - log t = l + log l + C + ..., so t = 1/l - log(l)/l^2 - C/l^2 + ...

Known limits.  The scale is l^(-a) (log l)^b; C stays symbolic.
"""

from collections.abc import Callable

from sympy import Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.recursions.parabolic import AbelFunction

C = Symbol("C", real=True)
D = Symbol("D", real=True)
_Y = Symbol("Y", positive=True)


def uniformiser_at_depth(abel: AbelFunction, depth: Symbol, order: int) -> Expansion:
    """t_l, from the terms of A up to t^(order - 1)."""
    cut = abel.expansion.up_to(Monomial(order))
    reverted = cut.revert(Scale.at_infinity(_Y))
    shifted = Expansion.variable(Scale.at_infinity(depth)) + C
    return reverted.compose(shifted)


def depth_law(
    abel: AbelFunction, depth: Symbol, terms: int, observe: Callable[[Expansion, int], Expansion]
) -> Expansion:
    """`observe(t_l, order)` as an expansion with exactly `terms` terms and the next one as its remainder."""
    known = int(abel.expansion.remainder.monomial.order)
    for order in range(1, known + 1):
        law = observe(uniformiser_at_depth(abel, depth, order), order)
        if len(law.terms) > terms:
            return law.truncate(terms)
    raise UnsupportedError(f"{terms} terms need more of the Abel function than its {known} orders; derive it further")


def power_of(root: int) -> Callable[[Expansion, int], Expansion]:
    """The observable x = t^root."""
    return lambda t, order: t.power(root)


def linear_average(particular: Expansion, homogeneous: Expansion, m: int) -> Callable[[Expansion, int], Expansion]:
    """The observable a/l, a = P(t) + D H(t), from the terms of P and H that the orders of t support."""

    def observe(t: Expansion, order: int) -> Expansion:
        rest = Monomial(order)
        solution = particular.up_to(rest).compose(t)
        if any(monomial > rest for monomial, _ in homogeneous.terms):
            solution = solution + homogeneous.up_to(rest).compose(t) * D
        return solution * Expansion.variable(t.scale) ** -1

    return observe

