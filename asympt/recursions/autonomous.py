"""The laws of recursions that are the same in every layer, and of linear recursions along them.

How many coefficients a law needs is found by asking for more until its terms are there.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count

from sympy import Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.recursions.coordinates.abel import AbelFunction, multiplicity
from asympt.recursions.coordinates.abel_inversion import TooFewOrders, depth_law, linear_value, power_of
from asympt.recursions.coordinates.abel_linear import Character, LinearSolution, abel_and_linear
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.coordinates.koenigs import ExactFlow, KoenigsFunction, condition_of
from asympt.recursions.coordinates.koenigs_inversion import depth_expansion, distance
from asympt.recursions.coordinates.koenigs_linear import HyperbolicSolution, linear_expansion
from asympt.recursions.coordinates.koenigs_numeric import Koenigs, multiplier
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law import STEPS, Law
from asympt.recursions.protocol import Dynamics

ORDERS = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use

# ---- as many coefficients as the law needs --------------------------------------------------------------


def derived(dynamics: Dynamics, sizes: Iterable[int], law_of: Callable) -> tuple:
    """(A, P and H, law_of(A, P and H)) from the first of these numbers of coefficients that gives all the terms."""
    for size in sizes:
        found = abel_and_linear(dynamics, size)
        try:
            return *found, law_of(*found)
        except TooFewOrders:
            continue


def fewest(dynamics: Dynamics) -> Iterable[int]:
    """One order of A more every time: where a coefficient takes long."""
    m = order_of(dynamics)
    return count(3 * m + 1, m)


def generous(dynamics: Dynamics, terms: int) -> Iterable[int]:
    """As many orders as a check can use; with parameters, which make them dear, as many as the law has terms."""
    m, orders = order_of(dynamics), terms + 2 if dynamics.parameters else max(ORDERS, terms + 2)
    while True:
        yield (orders + 2) * m + 1
        orders = orders + 2 + orders // 2


# ---- parabolic ------------------------------------------------------------------------------------------


def parabolic_law(
    dynamics: Dynamics, fixed: FixedPoint, terms: int, reader: Callable, depth: Symbol,
    observable: Observable | None = None,
) -> Law:
    """The law of x_n, or of what `observable` sees of it, with `terms` terms.

    Raises `UnsupportedError` when the fixed point repels from this side.
    """
    require_attracting(dynamics, fixed)
    observable = observable or fixed
    abel, expansion = inverted(dynamics, observable, terms, depth)
    coordinate = Abel(dynamics, abel)
    return Law(
        observable.quantity, expansion, reader, "recursion", coordinate=coordinate, fixed=fixed, observable=observable
    )


def inverted(
    dynamics: Dynamics, observable: FixedPoint | Observable, terms: int, depth: Symbol,
    adjust: Callable = lambda abel: abel,
) -> tuple[AbelFunction, Expansion]:
    """A, to as many orders as the law needs (more when they are cheap), and the quantity with C = A(y_0).

    `adjust` changes A before it is inverted (see `flip`).
    """

    def observe(t: Expansion, order: int) -> Expansion:
        return observable.expansion(t.power(dynamics.root))

    def law_of(abel: AbelFunction, linear: None) -> Expansion:
        return depth_law(adjust(abel), depth, terms, observe)

    abel, _, law = derived(dynamics, generous(dynamics, terms), law_of)
    return adjust(abel), law


def parabolic_linear_law(dynamics: Dynamics, fixed: FixedPoint, terms: int, reader: Callable, depth: Symbol) -> Law:
    """The law of a_n along a parabolic map that attracts."""
    m, linear = order_of(dynamics), dynamics.linear
    character = Character.of(dynamics.growth(2 * m + 2), linear.multiplier(m + 1))
    dynamics = replace(dynamics, linear=replace(linear, character=character))

    def law_of(abel: AbelFunction, solution: LinearSolution) -> Expansion:
        return depth_law(abel, depth, terms, linear_value(solution.particular, solution.homogeneous, m))

    abel, solution, expansion = derived(dynamics, generous(dynamics, terms), law_of)
    return Law(
        "a_{n}", expansion, reader, "linear", coordinate=Abel(dynamics, abel), fixed=fixed, linear=solution,
        flow_source=lambda: depth_law(abel, depth, terms + 2, power_of(dynamics.root)),
    )  # fmt: skip


def is_attracting(dynamics: Dynamics) -> bool | None:
    """Whether the parabolic fixed point attracts from this side; None when the parameters do not tell."""
    growth = dynamics.growth(order_of(dynamics) + 1)
    first = growth[multiplicity(growth)]
    if first.is_negative is None and first.is_number:
        return bool(first.evalf(30) < 0)  # SymPy knows no sign of Ci(1)
    return first.is_negative


def require_attracting(dynamics: Dynamics, fixed: FixedPoint) -> None:
    """An error, with the reason, unless the fixed point attracts from this side."""
    if not require_decided(dynamics, fixed):
        other = "" if fixed.at_infinity else f"; try side='{'below' if fixed.sign > 0 else 'above'}'"
        raise UnsupportedError(f"{fixed.describe()} repels orbits, so there is no law there{other}")


def require_decided(dynamics: Dynamics, fixed: FixedPoint) -> bool:
    """Whether the fixed point attracts from this side; an error when the parameters do not tell."""
    attracting = is_attracting(dynamics)
    if attracting is None:
        m = order_of(dynamics)
        raise UnsupportedError(
            f"whether {fixed.describe()} attracts depends on the sign of {dynamics.growth(m + 1)[m]}; declare the "
            "parameters positive, as in Symbol('a', positive=True)"
        )
    return attracting


# ---- hyperbolic -----------------------------------------------------------------------------------------


def hyperbolic_law(
    dynamics: Dynamics, fixed: FixedPoint | None, terms: int, reader: Callable, variable: Symbol = STEPS,
    observable: FixedPoint | Observable | None = None,
) -> Law:
    """The law of x_n, or of what `observable` sees of it, with `terms` terms (fewer when there are no more).

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
    observable = observable or fixed
    exact, expansion = depth_expansion(dynamics, observable, terms, variable)
    coordinate = Koenigs(dynamics, KoenigsFunction.from_flow(exact))
    quantity = observable.quantity if observable else "y_{n}"
    return Law(quantity, expansion, reader, "recursion", coordinate=coordinate, fixed=fixed, observable=observable)


def hyperbolic_linear_law(
    dynamics: Dynamics, terms: int, reader: Callable, variable: Symbol = STEPS, quantity: str = "a_{n}",
    name: str = "linear", fixed: FixedPoint | None = None,
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
        quantity, expansion, reader, name, coordinate=Koenigs(dynamics, KoenigsFunction.from_flow(exact)), fixed=fixed,
        linear=HyperbolicSolution.of(solved), flow_source=lambda: distance(exact, variable),
    )  # fmt: skip
