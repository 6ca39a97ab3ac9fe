"""The law of a parabolic recursion, and of a linear recursion along it (the NTK)."""

from collections.abc import Callable

from sympy import Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.recursions.coordinates.abel import AbelFunction, multiplicity
from asympt.recursions.coordinates.abel_inversion import TooFewOrders, depth_law
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics

ORDERS = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use


def parabolic_law(
    dynamics: Dynamics, place: FixedPoint, terms: int, reader: Callable, depth: Symbol, view: Observable | None = None
) -> Law:
    """The law of x_n, or of what `view` sees of it, with `terms` terms.

    Raises `UnsupportedError` when the fixed point repels from this side.
    """
    require_attracting(dynamics, place)
    view = view or place
    abel, expansion = inverted(dynamics, view, terms, depth)
    coordinate = Abel(dynamics, abel)
    return Law(view.quantity, expansion, reader, "recursion", coordinate=coordinate, place=place, view=view)


def inverted(
    dynamics: Dynamics, view: FixedPoint | Observable, terms: int, depth: Symbol, adjust: Callable = lambda abel: abel
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
    first = growth[multiplicity(growth)]
    if first.is_negative is None and first.is_number:
        return bool(first.evalf(30) < 0)  # SymPy knows no sign of Ci(1)
    return first.is_negative


def require_attracting(dynamics: Dynamics, place: FixedPoint) -> None:
    """An error, with the reason, unless the fixed point attracts from this side."""
    if not require_decided(dynamics, place):
        other = "" if place.at_infinity else f"; try side='{'below' if place.sign > 0 else 'above'}'"
        raise UnsupportedError(f"{place.describe()} repels orbits, so there is no law there{other}")


def require_decided(dynamics: Dynamics, place: FixedPoint) -> bool:
    """Whether the fixed point attracts from this side; an error when the parameters do not tell."""
    attracting = is_attracting(dynamics)
    if attracting is None:
        m = order_of(dynamics)
        raise UnsupportedError(
            f"whether {place.describe()} attracts depends on the sign of {dynamics.growth(m + 1)[m]}; declare the "
            "parameters positive, as in Symbol('a', positive=True)"
        )
    return attracting
