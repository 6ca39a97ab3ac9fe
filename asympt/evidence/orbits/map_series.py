"""The coefficients that a network's law states for its map, against the map itself in numbers.

Problem.  The symbolic checks show that a law solves the recursion y' = y (r_0 + r_1 t + ...), t = y^(1/root), with the
coefficients that the ladder of Gaussian moments gave.  Are they those of the correlation map?

Rule.  Evaluate the original layer in mpmath, by its kernel (closed form, Hermite series or quadrature, no ladder), at
two small distances, t and t/10.  What is left,

    y'/y - sum_(k<N) r_k t^k,     lambda - sum_(k<N) lambda_k t^k,     b - sum_(k<N) b_k t^k,

must vanish like t^N: the exponent measured between the two must not fall short of N.  A wrong coefficient of t^k leaves
c t^k behind, so that the exponent is k.  lambda and b are read off one layer with k = 1 and one with k = 0.

Tiny case.  f = (c + c^3)/2 at c* = 0: y'/y - 1/2 = y^2/2.

What it cannot show: coefficients from t^N on; they enter A as numbers, and `constancy` sees them.
"""

from collections.abc import Callable
from functools import partial

from mpmath import mpf

from asympt.evidence.check import Check
from asympt.evidence.orbits.functional import homogeneous_left, particular_left
from asympt.evidence.order import order_check, shortfall
from asympt.evidence.reading import has_wave, is_slow, number, rest_of

COUNT = {1: 6, 2: 8}  # coefficients that are compared, by the root
APART = mpf(1) / 10
VISIBLE, SPARE = 34, 16  # decimal orders that t^N may fall below 1 at the second point; digits beyond that
FARTHEST, NEAREST = -3, -9  # decimal powers of the first point
LONG = 10  # for a series of so many terms the points lie ten times further out, which saves digits
FEWER = 3  # coefficients where an evaluation of the map takes seconds


def map_checks(law) -> list[Check]:
    """One check for the map, and for a linear law one each for lambda and b."""
    dynamics = law.dynamics
    checks = [_check("map", "y'/y", law, dynamics.ratio, _moved)]
    if dynamics.linear is not None:
        checks.append(_check("slope", "lambda", law, dynamics.linear.multiplier, _slope))
        checks.append(_check("forcing", "b", law, dynamics.linear.forcing, lambda step, y: step((y, mpf(0)))[1]))
    return checks


def solution_checks(law) -> list[Check]:
    """P and H of a parabolic law in one layer, where no orbit reads them: their equations to the order stated."""
    checks = [_solution("P(t') = lambda P(t) + b", law, law.linear.particular, particular_left)]
    if has_wave(law):
        checks.append(_solution("H(t') = lambda H(t)", law, law.linear.homogeneous, homogeneous_left))
    return checks


def _solution(name: str, law, expansion, left: Callable) -> Check:
    """One of the equations of `functional`, at points that spare digits where an evaluation of the map is dear."""
    rest, lowest = rest_of(expansion), max(0, -int(expansion.leading[0].order))
    order = int(rest.order + law.abel.multiplicity)
    exponent = max(NEAREST, min(FARTHEST + int(order > LONG), 1 - VISIBLE // (order + lowest)))
    missing = shortfall(partial(left, law), order, mpf(10) ** exponent, lowest, APART, rest.logs, SPARE)
    detail = f"one original layer at t = 10^{exponent} and 10^{exponent - 1}; it is to vanish like t^{order}"
    return order_check(name, missing, detail)


def _moved(step: Callable, y):
    return step((y, mpf(0)))[0] / y


def _slope(step: Callable, y):
    return step((y, mpf(1)))[1] - step((y, mpf(0)))[1]


def _check(what: str, symbol: str, law, series: Callable, function: Callable) -> Check:
    root = law.dynamics.root
    count = FEWER * root if is_slow(law) else COUNT[root]
    exponent = max(NEAREST, min(FARTHEST, 1 - VISIBLE // count))
    stated = series(count)
    missing = shortfall(lambda t: _left(law, function, stated, t), count, mpf(10) ** exponent, 0, APART, 0, SPARE)
    where = " and ".join(f"10^{root * power}" for power in (exponent, exponent - 1))
    detail = f"{symbol} of the original layer at the distances {where}; is to differ like t^{count}, t = y^(1/{root})"
    return order_check(f"the {what}'s first {count} coefficients against the {what} in mpmath", missing, detail)


def _left(law, function: Callable, stated: list, t):
    series = sum(number(c) * t**k for k, c in enumerate(stated))
    return function(law.dynamics.step, t**law.dynamics.root) - series
