"""Checks of laws beyond powers of the depth: what grows like exp(c n^beta) along an orbit, and leading logarithms.

The first is held against exp(log H) at some t, n = A(t) - C for a small C: what it leaves out must not outgrow its
remainder.  Of A(x_n) = n + C both are held against the map as printed: with A known but for O(u^(1-k)), up to
logarithms, A(x') - A(x) - 1 vanishes like u^(-k) does.
"""

from collections.abc import Callable, Iterator

from mpmath import mp, mpf

from asympt.evidence.check import Check, Effort, Work
from asympt.evidence.law_terms import function_of, terms_of, value
from asympt.evidence.orbits.constancy import Start, begin, from_first
from asympt.evidence.orbits.equations import functional_checks
from asympt.evidence.orbits.plain import kept, monomial_at, printed_at
from asympt.evidence.order import growth_check, order_check, shortfall
from asympt.numbers import to_mpf

FAR = (20, 30, 40)  # decimal powers of the depths at which a law that grows is read
POINT, APART = mpf(10) ** -40, mpf(10) ** -10  # of y; so far out logarithms hardly change an order
LAYERS, LAYER = (2**8, 2**10, 2**12), 300  # of the printed law, and of an evaluation
MANY, DIGITS, SPARE = 200, 30, 40


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The equations, the printed law, and the recursion from one start."""
    if law.linear is None:
        yield "functional equation", lambda: [_functional(law)]
        yield "printed law along an orbit", lambda: from_first(law, effort.start, lambda s: [_along(law, s)])
    else:
        yield "functional equation", lambda: functional_checks(law)
        yield "printed law", lambda: [_far_out(law)]
    yield "the original recursion", lambda: from_first(law, effort.start, lambda s: [_iterated(law, s, effort.digits)])


def _far_out(law) -> Check:
    left, sizes = [], []
    with mp.workdps(MANY):
        abel, logarithm = terms_of(law.abel.expansion), terms_of(law.linear.logarithm)
        for power in FAR:
            layer = mpf(10) ** power
            t = (to_mpf(law.abel.expansion.leading[1]) / layer) ** (mpf(1) / law.abel.multiplicity)
            total, unit = printed_at(law.expansion, layer, {"C": value(abel, t) - layer, "D": mpf(1)})
            left.append(mp.exp(value(logarithm, t)) - total)
            sizes.append(unit)
    where = f"n = {', '.join(f'10^{power}' for power in FAR)}, D = 1"
    return growth_check("$D H(t_n)$ minus the printed law", left, sizes, where)


def _abel(law) -> Callable:
    """The printed A at a distance y."""
    (symbol,) = law.implicit.free_symbols
    function = function_of(law.implicit, symbol)
    return lambda y: function(law.fixed.numeric(y))


def _functional(law) -> Check:
    abel, power = _abel(law), to_mpf(law.coordinate.map.power)
    order = power * to_mpf(law.left.remainder.monomial.order + 1)
    left = shortfall(lambda y: abel(law.dynamics.step((y,))[0]) - abel(y) - 1, order, POINT, power, APART, 0, SPARE)
    return order_check("$A(x') - A(x) = 1$ for the printed $A$", left, f"to the order {order} in y, logarithms apart")


def _along(law, start: Start) -> Check:
    abel, constant = _abel(law), law.constants_from(start.value, DIGITS).value[0]
    with mp.workdps(DIGITS + SPARE):
        orbit = kept(law.dynamics.step, (to_mpf(start.value),), LAYERS, 0)
        left = [abel(y) - layer - constant for layer, (y,) in orbit.items()]
        sizes = [abs(monomial_at(law.left.scale, law.left.remainder.monomial, layer)) for layer in orbit]
    where = f"layers {', '.join(map(str, LAYERS))} of the original map, {start.label}"
    return growth_check("$A(x_n) - n - C$", left, sizes, where)


def _iterated(law, start: Start, digits: int) -> Check:
    with mp.workdps(digits + SPARE):
        state = kept(law.dynamics.step, begin(law, start.value), (LAYER,), 0)[LAYER]
        found = law.evaluated_from(start.value, law.dynamics.first + LAYER, digits).value
        seen = law.coordinate.read(state) if law.observable is None else law.observable.numeric(state[0])
        apart = abs(found / seen - 1)
    name = f"evaluate agrees with {LAYER} steps of the original recursion from ${start.label}$"
    return Check.measured(name, apart, mpf(10) ** -digits)
