"""The law of a parabolic recursion, and of a linear recursion along it (the NTK)."""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_depth, check_digits
from asympt.recursions import evaluation, steps
from asympt.recursions.coordinates.abel import AbelFunction, multiplicity
from asympt.recursions.coordinates.abel_inversion import TooFewOrders, depth_law
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.law import Law
from asympt.recursions.place import Observable, Place
from asympt.recursions.protocol import Dynamics, Step
from asympt.recursions.truncated import GUARD

ORDERS = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use

@dataclass(frozen=True, kw_only=True)
class ParabolicLaw(Law):
    """x_l -> x* like a power of l, A(t_l) = l + C.

    abel:     the Abel function A, with alpha_0 = 0;
    dynamics: the original recursion in the distance y from the fixed point;
    place:    the fixed point and the side (None when the recursion is in y from the start);
    view:     how the quantity is read off y, None when it is y itself (or a);
    linear:   the solution P + D H of the linear recursion, or None;
    average:  the quantity is a_l / l instead of a_l;
    flow_source: for a linear law, a function that derives `flow`;
    universal_source: a function that gives the same law for a free parameter alpha = alpha_(-m);
    formulas_source: a function that gives A, and P and H, as far as their coefficients are formulas, where the law's
    own go on with constants known by their digits.
    """

    abel: AbelFunction
    dynamics: Dynamics
    place: Place | None = None
    view: Place | Observable | None = None
    linear: LinearSolution | None = None
    average: bool = False
    flow_source: Callable[[], Expansion] | None = None
    universal_source: "Callable[[], Law] | None" = None
    formulas_source: Callable[[], tuple[AbelFunction, LinearSolution | None]] | None = None
    layer: object = None

    kind = "parabolic"

    @property
    def parameters(self) -> set:
        """The free symbols of the law other than its constants C and D: the parameters of the map."""
        found = self.dynamics.parameters
        return found if self.place is None else found | self.place.point.free_symbols

    @property
    def coordinate(self) -> Abel:
        """The coordinate in numbers."""
        return Abel(self.dynamics)

    @property
    def formulas(self) -> tuple[AbelFunction, LinearSolution | None]:
        """A, and P and H, as far as their coefficients are formulas."""
        return self.formulas_source() if self.formulas_source else (self.abel, self.linear)

    def _steps(self) -> tuple[Step, ...]:
        return steps.parabolic(self)

    def universal(self) -> "Law | None":
        """The same law with alpha = alpha_(-m) as a free symbol, if it comes from such a family."""
        return self.universal_source() if self.universal_source else None

    def deviation(self, depth: int, digits: int = 30, **start):
        """The distance y_l from the fixed point (1/|x_l| at infinity) to `digits` significant digits of its own."""
        given, depth, digits = self._start(start), check_depth(depth), check_digits(digits)
        return evaluation.certified(self.coordinate, given, depth, digits, evaluation.first)

    def _value(self, start: Expr, depth: int, digits: int):
        if self.place is not None:
            self.coordinate.require_basin(start, digits)
        if self.view is not None:
            return self.view.value(lambda more: evaluation.certified(self.coordinate, start, depth, more), digits)
        value = evaluation.certified(self.coordinate, start, depth, digits)
        if not self.average:
            return value
        with mp.workdps(digits + GUARD):
            return value / depth

    def _constants(self, start: Expr, digits: int, second: bool = False) -> tuple:
        return evaluation.constants(self.coordinate, start, digits, second)


# ---- the law of a plain recursion ------------------------------------------------------------------------------


def parabolic_law(
    dynamics: Dynamics, place: Place, terms: int, reader: Callable, depth: Symbol, view: Observable | None = None
) -> ParabolicLaw:
    """The law of x_n, or of what `view` sees of it, with `terms` terms.

    Raises `UnsupportedError` when the fixed point repels from this side.
    """
    require_attracting(dynamics, place)
    view = view or place
    abel, expansion = inverted(dynamics, view, terms, depth)
    return ParabolicLaw(
        view.quantity, expansion, reader, "recursion", abel=abel, dynamics=dynamics, place=place, view=view
    )


def inverted(
    dynamics: Dynamics, view: Place | Observable, terms: int, depth: Symbol, adjust: Callable = lambda abel: abel
) -> tuple[AbelFunction, Expansion]:
    """A, to as many orders as the law needs (more when they are cheap), and the quantity with C = A(y_0).

    `adjust` changes A before it is inverted (see `flip`).
    """

    def observe(t: Expansion, order: int) -> Expansion:
        return view.expansion(t.power(dynamics.root))

    m = order_of(dynamics)
    orders = terms + 2 if dynamics.parameters else max(ORDERS, terms + 2)
    while True:
        abel = adjust(AbelFunction.solve(dynamics.growth((orders + 2) * m + 1), dynamics.root))
        try:
            return abel, depth_law(abel, depth, terms, observe)
        except TooFewOrders:
            orders = orders + 2 + orders // 2


def is_attracting(dynamics: Dynamics) -> bool | None:
    """Whether the parabolic fixed point attracts from this side; None when the parameters do not tell."""
    growth = dynamics.growth(order_of(dynamics) + 1)
    return growth[multiplicity(growth)].is_negative


def require_attracting(dynamics: Dynamics, place: Place) -> None:
    """An error, with the reason, unless the fixed point attracts from this side."""
    if not require_decided(dynamics, place):
        other = "" if place.at_infinity else f"; try side='{'below' if place.sign > 0 else 'above'}'"
        raise UnsupportedError(f"{place.describe()} repels orbits, so there is no law there{other}")


def require_decided(dynamics: Dynamics, place: Place) -> bool:
    """Whether the fixed point attracts from this side; an error when the parameters do not tell."""
    attracting = is_attracting(dynamics)
    if attracting is None:
        m = order_of(dynamics)
        raise UnsupportedError(
            f"whether {place.describe()} attracts depends on the sign of {dynamics.growth(m + 1)[m]}; declare the "
            "parameters positive, as in Symbol('a', positive=True)"
        )
    return attracting
