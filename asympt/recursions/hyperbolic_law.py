"""The law of a hyperbolic recursion, and of a linear recursion along it.

Problem.  y' = chi y (1 + ...), 0 < |chi| < 1; how does x_n, or a_n with a' = lambda(y) a + b(y), reach its limit?

Rule.  S(y_n) = chi^n C with the Koenigs function S = y + ... (`koenigs`), inverted in powers of chi^n
(`koenigs_inversion`); a_n = P + D H (`koenigs_linear`).  Numbers at any depth: `evaluation`.

    C = S(y_0) chi^(-first), y = s (x - x*) the distance on the side s (y = s/x at infinity), first the index of y_0
    D = (a_n - P(t_n))/H(t_n) when lambda_0 = mu^k, k >= 0;  else (a_n - P(t_n))/(lambda_0^n h(t_n))

Tiny case.  x/2 (1 - x):  x_n = C/2^n + 2 C^2/4^n + ...

Known limits.  0 < |chi| < 1 at the fixed point; where the map has powers y^(k/root), root > 1, chi > 0 and y > 0.
"""

from collections.abc import Callable

from sympy import Symbol

from asympt.recursions.coordinates.koenigs import ExactFlow, KoenigsFunction, condition_of
from asympt.recursions.coordinates.koenigs_inversion import depth_expansion, distance
from asympt.recursions.coordinates.koenigs_linear import HyperbolicSolution, linear_expansion
from asympt.recursions.coordinates.koenigs_numeric import Koenigs, multiplier
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law import STEPS, Law
from asympt.recursions.protocol import Dynamics


def hyperbolic_law(
    dynamics: Dynamics, place: FixedPoint | None, terms: int, reader: Callable, variable: Symbol = STEPS,
    view: FixedPoint | Observable | None = None,
) -> Law:
    """The law of x_n, or of what `view` sees of it, with `terms` terms (fewer when there are no more).

    Raises `UnsupportedError` when the fixed point does not attract exponentially.

    >>> from sympy import Rational
    >>> half = Rational(1, 2)
    >>> ratio = lambda count: [half, -half, *[0] * count][:count]
    >>> dynamics = Dynamics(ratio, lambda state: (state[0] * (1 - state[0]) / 2,))
    >>> law = hyperbolic_law(dynamics, None, terms=3, reader=lambda start: start)
    >>> print(law)
    C/2^n + 2*C^2/4^n + 16*C^3/(3*8^n) + O(1/16^n)
    """
    condition_of(multiplier(dynamics), dynamics.root)
    view = view or place
    exact, expansion = depth_expansion(dynamics, view, terms, variable)
    coordinate, quantity = Koenigs(dynamics, KoenigsFunction.from_flow(exact)), view.quantity if view else "y_{n}"
    return Law(quantity, expansion, reader, "recursion", coordinate=coordinate, place=place, view=view)


def hyperbolic_linear_law(
    dynamics: Dynamics, terms: int, reader: Callable, variable: Symbol = STEPS, quantity: str = "a_{n}",
    name: str = "linear", place: FixedPoint | None = None,
) -> Law:
    """The law of a_n, a' = lambda(y) a + b(y) along y' = chi y (1 + ...), with `terms` terms.

    >>> from sympy import Rational
    >>> from asympt.recursions.protocol import LinearPart
    >>> half, fill = Rational(1, 2), lambda *known: lambda count: [*known, *[0] * count][:count]
    >>> linear = LinearPart(fill(half, -1), fill(1), start=lambda y: 1)
    >>> along = Dynamics(fill(half, -half), None, linear=linear)  # lambda = G'
    >>> print(hyperbolic_linear_law(along, terms=2, reader=None))
    2 - 4*C*n/2^n + O(1/2^n)
    """
    condition_of(multiplier(dynamics), dynamics.root)
    solved, expansion = linear_expansion(dynamics, terms, variable)
    exact: ExactFlow = solved.exact
    return Law(
        quantity, expansion, reader, name, coordinate=Koenigs(dynamics, KoenigsFunction.from_flow(exact)), place=place,
        linear=HyperbolicSolution.of(solved), flow_source=lambda: distance(exact, variable),
    )  # fmt: skip
