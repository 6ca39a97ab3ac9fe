"""Checks of laws beyond powers of the depth: what grows like exp(c n^beta) along an orbit, and leading logarithms.

Both are held against exp(log H), or x itself, at some t, n = A(t) - 1: what the printed sum leaves out must not outgrow
its remainder; log log n shows far out only.  Of A(x_n) = n + C both are held against the map as printed: with A known
but for O(u^(1-k)), up to logarithms, A(x') - A(x) - 1 vanishes like u^(-k) does.
"""

from collections.abc import Callable, Iterator

from mpmath import mp, mpf

from asympt.evidence.check import Check, Effort, Work, growth_check, order_check, shortfall
from asympt.evidence.law_terms import function_of, kept, monomial_at, rest_check, terms_of, value
from asympt.evidence.orbits.constancy import Start, begin, from_first
from asympt.evidence.orbits.equations import functional_checks
from asympt.numbers import to_mpf

FAR, FARTHER = (20, 200, 1000), (10**4, 10**6, 10**8)  # decimal powers of the distance at which a law is read
POINT, APART = mpf(10) ** -40, mpf(10) ** -10  # of y; so far out logarithms hardly change an order
ONE = {"C": mpf(1), "D": mpf(1)}
LAYERS, LAYER = (2**8, 2**10, 2**12), 300  # of the printed law, and of an evaluation
MANY, DIGITS, SPARE = 4000, 30, 40


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The equations, the printed law, and the recursion from one start."""
    if law.linear is None:
        yield "functional equation", lambda: [_functional(law)]
        yield "printed law", lambda: [_in_the_depth(law)]
        yield "printed law along an orbit", lambda: from_first(law, effort.start, lambda s: [_along(law, s)])
    else:
        yield "functional equation", lambda: functional_checks(law)
        yield "printed law", lambda: [_far_out(law)]
    yield "the original recursion", lambda: from_first(law, effort.start, lambda s: [_iterated(law, s, effort.digits)])


def _far_out(law) -> Check:
    with mp.workdps(MANY):
        abel, logarithm = terms_of(law.abel.expansion), terms_of(law.linear.logarithm)
        points = (mpf(10) ** -(mpf(power) / law.abel.multiplicity) for power in FAR)
        seen = {value(abel, t) - 1: mp.exp(value(logarithm, t)) for t in points}
        return rest_check("$D H(t_n)$ minus the printed law", law.expansion, seen, ONE, f"n from 10^{FAR[0]} on")


def _in_the_depth(law) -> Check:
    """The printed law of x_n, but for the limit that it starts with."""
    abel, fixed = _abel(law), law.fixed
    known = law.expansion - (0 if fixed.at_infinity else fixed.point)
    with mp.workdps(DIGITS):
        points = (mpf(10) ** -power for power in FARTHER)
        seen = {abel(y) - 1: fixed.sign / y if fixed.at_infinity else fixed.sign * y for y in points}
        return rest_check("$x_n$ minus the printed law", known, seen, ONE, f"from the distance 10^-{FARTHER[0]} on")


def _abel(law) -> Callable:
    """The printed A at a distance y."""
    (symbol,) = law.implicit.free_symbols
    return function_of(law.implicit.subs(symbol, law.fixed.outer(symbol)), symbol)


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
