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

from mpmath import mp, mpf, nstr

from asympt.evidence.check import Check
from asympt.evidence.order import TOLERANCE, is_short
from asympt.evidence.reading import has_wave, is_slow, number, rest_of, terms_of, value

COUNT = {1: 6, 2: 8}  # coefficients that are compared, by the root
APART = 10
VISIBLE, SPARE = 34, 8  # decimal orders that t^N may fall below 1 at the second point; digits beyond that
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
    m, parts = law.abel.multiplicity, [("P(t') = lambda P(t) + b", law.linear.particular, 1)]
    if has_wave(law):
        parts.append(("H(t') = lambda H(t)", law.linear.homogeneous, 0))
    return [_solution(name, law, expansion, forced, rest_of(expansion).order + m) for name, expansion, forced in parts]


def _solution(name: str, law, expansion, forced: int, order) -> Check:
    root, lowest = law.dynamics.root, max(0, -int(expansion.leading[0].order))
    exponent = max(NEAREST, min(FARTHEST + int(int(order) > LONG), 1 - VISIBLE // (int(order) + lowest)))
    digits = max(VISIBLE, (1 - exponent) * (int(order) + lowest)) + SPARE  # t^order is seen at both points
    with mp.workdps(digits + SPARE):
        terms, left = terms_of(expansion), []
        for t in (mpf(10) ** exponent, mpf(10) ** exponent / APART):
            y, before = t**root, value(terms, t)
            after, image = law.dynamics.step((y, before))
            source = 0 if forced else law.dynamics.step((y, mpf(0)))[1]
            left.append(abs(value(terms, after ** (1 / mpf(root))) - image + source))
        missing = mpf(0) if left[1] < mpf(10) ** -digits else _shortfall(left, order)
    detail = f"one original layer at t = 10^{exponent} and 10^{exponent - 1}; it is to vanish like t^{order}"
    title = f"{name}: shortfall of the order"
    return Check(title, nstr(missing, 3), nstr(TOLERANCE, 3), not is_short(missing), "checked", detail)


def _moved(step: Callable, y):
    return step((y, mpf(0)))[0] / y


def _slope(step: Callable, y):
    return step((y, mpf(1)))[1] - step((y, mpf(0)))[1]


def _check(what: str, symbol: str, law, series: Callable, function: Callable) -> Check:
    root = law.dynamics.root
    count = FEWER * root if is_slow(law) else COUNT[root]
    exponent = max(NEAREST, min(FARTHEST, 1 - VISIBLE // count))
    stated = series(count)
    with mp.workdps(VISIBLE + SPARE + count):
        points = [mpf(10) ** exponent, mpf(10) ** exponent / APART]
        known = [number(c) for c in stated]
        left = [abs(_left(law, function, known, t)) for t in points]
        noise = mpf(10) ** -(VISIBLE + SPARE)
        missing = mpf(0) if left[1] < noise else _shortfall(left, count)
    name = f"the {what}'s first {count} coefficients against the {what} in mpmath: shortfall of the order"
    where = " and ".join(nstr(t**root, 3) for t in points)
    detail = f"{symbol} of the original layer at the distances {where}; is to differ like t^{count}, t = y^(1/{root})"
    return Check(name, nstr(missing, 3), nstr(TOLERANCE, 3), not is_short(missing), "checked", detail)


def _left(law, function: Callable, known: list, t):
    return function(law.dynamics.step, t**law.dynamics.root) - sum(c * t**k for k, c in enumerate(known))


def _shortfall(left: list, count: int):
    measured = mp.log(left[0] / left[1]) / mp.log(APART)
    return max(mpf(0), count - measured)
