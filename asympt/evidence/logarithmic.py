"""Checks of the law A(x_n) = n + C of a map with a leading logarithm: A and the law, as printed, and an evaluation.

With A known but for O(u^(1-k)), up to logarithms, A(x') - A(x) - 1 vanishes like u^(-k) does.
"""

from collections.abc import Callable, Iterator

from mpmath import mp, mpf

from asympt.evidence.check import Check, Effort, Work
from asympt.evidence.exponential import iterated
from asympt.evidence.law_terms import function_of
from asympt.evidence.orbits.constancy import Start, from_first
from asympt.evidence.orbits.plain import kept, monomial_at
from asympt.evidence.order import growth_check, order_check, shortfall
from asympt.numbers import to_mpf

POINT, APART, SPARE = mpf(10) ** -40, mpf(10) ** -10, 40  # of y; so far out logarithms hardly change an order
LAYERS = (2**8, 2**10, 2**12)
DIGITS = 30


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The equation of A, the printed law along an orbit, and an evaluation."""
    yield "functional equation", lambda: [_functional(law)]
    yield "printed law along an orbit", lambda: from_first(law, effort.start, lambda s: [_printed(law, s)])
    yield "the original recursion", lambda: from_first(law, effort.start, lambda s: [iterated(law, s, effort.digits)])


def _abel(law) -> Callable:
    """A at a distance y."""
    (symbol,) = law.implicit.free_symbols
    function = function_of(law.implicit, symbol)
    return lambda y: function(law.fixed.numeric(y))


def _functional(law) -> Check:
    abel, power = _abel(law), to_mpf(law.coordinate.map.power)
    order = power * to_mpf(law.left.remainder.monomial.order + 1)
    left = shortfall(lambda y: abel(law.dynamics.step((y,))[0]) - abel(y) - 1, order, POINT, power, APART, 0, SPARE)
    return order_check("$A(x') - A(x) = 1$ for the printed $A$", left, f"to the order {order} in y, logarithms apart")


def _printed(law, start: Start) -> Check:
    abel, constant = _abel(law), law.constants_from(start.value, DIGITS).value[0]
    with mp.workdps(DIGITS + SPARE):
        orbit = kept(law.dynamics.step, (to_mpf(start.value),), LAYERS, 0)
        left = [abel(y) - layer - constant for layer, (y,) in orbit.items()]
        sizes = [abs(monomial_at(law.left.scale, law.left.remainder.monomial, layer)) for layer in orbit]
    where = f"layers {', '.join(map(str, LAYERS))} of the original map, {start.label}"
    return growth_check("$A(x_n) - n - C$", left, sizes, where)
