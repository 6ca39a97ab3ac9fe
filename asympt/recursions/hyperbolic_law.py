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
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, Integer, Symbol, oo, sign

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_depth, check_digits
from asympt.recursions import evaluation, steps
from asympt.recursions.coordinates.koenigs import ExactFlow, KoenigsFunction, condition_of
from asympt.recursions.coordinates.koenigs_inversion import depth_expansion, distance
from asympt.recursions.coordinates.koenigs_linear import HyperbolicSolution, linear_expansion
from asympt.recursions.coordinates.koenigs_numeric import Koenigs, multiplier
from asympt.recursions.law import STEPS, Law
from asympt.recursions.place import Observable, Place
from asympt.recursions.protocol import Dynamics, Step
from asympt.recursions.truncated import GUARD


@dataclass(frozen=True, kw_only=True)
class HyperbolicLaw(Law):
    """x_n -> x* like chi^n, S(y_n) = chi^n C.

    koenigs:  the Koenigs function S in the distance y, S = y + ...;
    dynamics: the original recursion in y;
    place:    the fixed point and the side (None when the recursion is in y from the start);
    view:     how the quantity is read off y, None when it is y itself (or a);
    linear:   the solution P + D H of the linear recursion, or None;
    flow_source: for a linear law, a function that derives `flow`.
    """

    koenigs: KoenigsFunction
    dynamics: Dynamics
    place: Place | None = None
    view: Place | Observable | None = None
    linear: HyperbolicSolution | None = None
    flow_source: Callable[[], Expansion] | None = None
    layer: object = None

    kind = "hyperbolic"

    @property
    def coordinate(self) -> Koenigs:
        """The coordinate in numbers."""
        return Koenigs(self.dynamics)

    @property
    def condition(self) -> Expr:
        """What the parameters must fulfil for the law to hold (0 < |chi| < 1); true when there is nothing to assume."""
        return condition_of(self.koenigs.multiplier, self.dynamics.root)

    @property
    def parameters(self) -> set:
        """The free symbols of the law other than its constants C and D: the parameters of the map."""
        found = set(self.dynamics.parameters) | self.koenigs.multiplier.free_symbols
        known = [] if self.dynamics.formula is not None else [self.koenigs.expansion]
        known = [*known, *((self.linear.particular, self.linear.homogeneous) if self.linear else ())]
        for expansion in known:
            found = found.union(*(c.free_symbols for _, c in expansion.terms))
        if self.place is not None:
            found |= self.place.point.free_symbols
        return found

    @property
    def limit(self) -> Expr:
        """The limit at infinite depth; infinite, with the sign of the leading coefficient, when the quantity grows.

        Raises `UnsupportedError` when the leading term changes sign for ever.
        """
        monomial, coefficient = self.expansion.leading
        if monomial.order > 0:
            return Integer(0)
        if self._alternates(monomial, coefficient):
            raise UnsupportedError(f"{self.plain} changes sign for ever and has no limit")
        return coefficient if monomial.order == 0 and not monomial.logs else sign(coefficient) * oo

    def _steps(self) -> tuple[Step, ...]:
        return steps.hyperbolic(self)

    def _alternates(self, monomial, coefficient: Expr) -> bool:
        n = self.depth_variable
        if coefficient.has(n):
            return True
        first, second = (self.expansion.scale.to_sympy(monomial).subs(n, step) for step in (1, 2))
        return bool((first * second).is_negative)

    def deviation(self, depth: int, digits: int = 30, **start):
        """The distance |y_n| from the fixed point (1/|x_n| at infinity) to `digits` significant digits of its own."""
        given, depth, digits = self._start(start), check_depth(depth), check_digits(digits)
        y = evaluation.certified(self.coordinate, given, depth, digits, evaluation.first)
        with mp.workdps(digits + GUARD):
            return abs(y)

    def _value(self, start: Expr, depth: int, digits: int):
        if self.view is None:
            return evaluation.certified(self.coordinate, start, depth, digits)
        return self.view.value(lambda more: evaluation.certified(self.coordinate, start, depth, more), digits)

    def _constants(self, start: Expr, digits: int, second: bool = False) -> tuple:
        return evaluation.constants(self.coordinate, start, digits, second)


def hyperbolic_law(
    dynamics: Dynamics, place: Place | None, terms: int, reader: Callable, variable: Symbol = STEPS,
    view: Place | Observable | None = None,
) -> HyperbolicLaw:
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
    return HyperbolicLaw(
        view.quantity if view else "y_{n}", expansion, reader, "recursion",
        koenigs=KoenigsFunction.from_flow(exact), dynamics=dynamics, place=place, view=view,
    )


def hyperbolic_linear_law(
    dynamics: Dynamics, terms: int, reader: Callable, variable: Symbol = STEPS, quantity: str = "a_{n}",
    name: str = "linear", place: Place | None = None,
) -> HyperbolicLaw:
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
    return HyperbolicLaw(
        quantity, expansion, reader, name, koenigs=KoenigsFunction.from_flow(exact), dynamics=dynamics, place=place,
        linear=HyperbolicSolution.of(solved), flow_source=lambda: distance(exact, variable),
    )
