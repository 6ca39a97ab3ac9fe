"""The equations of the coordinate, of P and H, and the map's own coefficients, on the original map in numbers.

If A is known up to O(t^N) and the map moves t by a part of the size of t^m, then with one step of the original map

    A(t') - A(t) - 1 = O(t^(N+m)),        S(t') - chi S(t) = O(t^N),
    P(t') - lambda P(t) - b = O(t^(N+m)),  H(t') - lambda H(t) = O(t^(N+m))   (m = 0 along an exponential law),

and the order is measured (`order`): a wrong coefficient of t^k leaves c t^(k+m) behind, whatever its size.  Where
orbits change sides, A(t'') - A(t) - 2 = O(t^(N+m)), but A(t') - A(t) - 1 = O(t^N), on both sides.  The coefficients
that a network's law states for y'/y, lambda and b are subtracted from the layer itself, which must leave O(t^N).

Tiny case.  A = 1/t + log t + t/2 for t' = t - t^2:  A(t') - A(t) - 1 = -t^3/3 + ..., and N + m = 2 + 1.
"""

from collections.abc import Callable
from functools import partial

from mpmath import mp, mpf

from asympt.evidence import law_terms
from asympt.evidence.check import APART, SPARE, Check, is_short, order_check, shortfall
from asympt.evidence.law_terms import CoordinateTerms, has_homogeneous, number, rest_of, terms_of, uniformiser, value
from asympt.evidence.orbits.constancy import accurate_below, radius

ROUGH = 10  # digits to which the series is accurate where the order is measured, before the point is moved closer
CLOSER = mpf(10) ** -4
NEARBY, COSTLY = mpf(10) ** -8, mpf(10) ** -2  # of the radius in which the series converges
COUNT = {1: 6, 2: 8}  # coefficients of a map that are compared, by the root
TENTH = mpf(1) / 10  # how far apart the points lie where digits are dear
VISIBLE, FEW_SPARE = 34, 16  # decimal orders that t^N may fall below 1 at the second point; digits beyond that
FARTHEST, NEAREST = -3, -9  # decimal powers of the first point
LONG = 10  # for a series of so many terms the points lie ten times further out, which saves digits
FEWER = 3  # coefficients where an evaluation of the map takes seconds


def functional_checks(law, nearby: bool = False) -> list[Check]:
    """The equation of A or S, on each side that orbits visit; for a linear law those of P and H.

    `nearby`: measured in units of the series' radius, at points less far apart, and not so close at a c* inside
    (0, 1), where every digit of a coefficient takes a quadrature: for a network.
    """
    def check(name: str, expansion, equation: Callable, gain: int = 0, side: int = 1) -> Check:
        return _check(name, law, expansion, equation, gain, side, nearby)

    if law.koenigs is not None:
        checks = [check("$S(x') = chi S(x)$", law.koenigs.expansion, _koenigs)]
    elif law_terms.changes_sides(law):  # after two steps the terms left out nearly cancel as on one side
        checks = [
            check("$A(x') - A(x) = 1$ from the side of $x_0$", law.abel.expansion, _abel),
            check("$A(x') - A(x) = 1$ from the other side", law.abel.expansion, _abel, side=-1),
            check("$A(x'') - A(x) = 2$", law.abel.expansion, partial(_abel, steps=2), law.abel.multiplicity),
        ]
    else:
        checks = [check("$A(x') - A(x) = 1$", law.abel.expansion, _abel, law.abel.multiplicity)]
    if law.linear is not None:
        gain = _gain(law)
        checks.append(check("$P(x') = lambda(x) P(x) + b(x)$", law.linear.particular, particular_left, gain))
    if law.linear is not None and getattr(law.linear, "logarithm", None) is not None:
        name = "$log H(x') = log lambda(x) + log H(x)$"
        checks.append(check(name, law.linear.logarithm, _logarithm, law.abel.multiplicity))
    elif has_homogeneous(law):
        checks.append(check("$H(x') = lambda(x) H(x)$", law.linear.homogeneous, homogeneous_left, gain))
    return checks


def _gain(law):
    """The power of t by which a step changes what P leaves out: m, or less if lambda differs from 1 earlier."""
    if law.koenigs is not None:
        return 0
    for lower in range(law.abel.multiplicity):
        if is_short(shortfall(lambda t: _slope(law, t) - 1, lower + 1, CLOSER**2)):
            return lower
    return law.abel.multiplicity


def _check(name: str, law, expansion, equation, gain: int, side: int, nearby: bool) -> Check:
    order = rest_of(expansion).order + gain
    with mp.workdps(30):
        if nearby:
            costly = law.fixed is not None and law.fixed.point != 0
            point, apart, spare = min(1, radius(expansion)) * (COSTLY if costly else NEARBY), TENTH, SPARE // 2
        else:
            point, apart, spare = side * accurate_below(law, ROUGH) * CLOSER, APART, SPARE
        growth = max(0, -min((int(p) for p, _, _ in terms_of(expansion)), default=0))
        growth, logs = growth + law.dynamics.root, rest_of(expansion).logs
    missing = shortfall(lambda t: equation(law, t), order, point, growth, apart, logs, spare)
    detail = f"steps of the original map in mpmath; it should vanish like t^({order}), every coefficient counts"
    return order_check(name, missing, detail)


def solution_checks(law) -> list[Check]:
    """P and H of a parabolic law in one layer, where no orbit reads them and an evaluation of the map is dear."""
    checks = [_solution("P(t') = lambda P(t) + b", law, law.linear.particular, particular_left)]
    if has_homogeneous(law):
        checks.append(_solution("H(t') = lambda H(t)", law, law.linear.homogeneous, homogeneous_left))
    return checks


def _solution(name: str, law, expansion, left: Callable) -> Check:
    rest, lowest = rest_of(expansion), max(0, -int(expansion.leading[0].order))
    order = int(rest.order + law.abel.multiplicity)
    exponent = _exponent(order + lowest, int(order > LONG))
    missing = shortfall(lambda t: left(law, t), order, mpf(10) ** exponent, lowest, TENTH, rest.logs, FEW_SPARE)
    detail = f"one original layer at t = 10^{exponent} and 10^{exponent - 1}; it should vanish like t^{order}"
    return order_check(name, missing, detail)


def _exponent(order: int, further: int = 0) -> int:
    """The decimal power of a point at which t^order can still be seen."""
    return max(NEAREST, min(FARTHEST + further, 1 - VISIBLE // order))


def map_checks(law) -> list[Check]:
    """One check for the map, and for a linear law one each for lambda and b."""
    dynamics = law.dynamics
    checks = [_coefficients("map", "y'/y", law, dynamics.ratio, lambda law, t: _layer(law, t, 0)[0])]
    if dynamics.linear is not None:
        checks.append(_coefficients("slope", "lambda", law, dynamics.linear.multiplier, _slope))
        checks.append(_coefficients("forcing", "b", law, dynamics.linear.forcing, lambda law, t: _layer(law, t, 0)[1]))
    return checks


def _coefficients(what: str, symbol: str, law, series: Callable, function: Callable) -> Check:
    root = law.dynamics.root
    count = FEWER * root if law_terms.is_slow(law) else COUNT[root]
    exponent, stated = _exponent(count), series(count)
    missing = shortfall(
        lambda t: function(law, t) - sum(number(c) * t**k for k, c in enumerate(stated)),
        count, mpf(10) ** exponent, 0, TENTH, 0, FEW_SPARE,
    )  # fmt: skip
    where = " and ".join(f"10^{root * power}" for power in (exponent, exponent - 1))
    detail = f"{symbol} of the original layer at the distances {where}; should differ like t^{count}, t = y^(1/{root})"
    return order_check(f"the {what}'s first {count} coefficients against the {what} in mpmath", missing, detail)


def _layer(law, t, kernel) -> tuple:
    """(y'/y, a') from y = t^root and a."""
    y = t**law.dynamics.root
    after = law.dynamics.step((y, mpf(kernel)))
    return after[0] / y, *after[1:]


def _slope(law, t):
    """lambda, from two steps of the original linear recursion."""
    return _layer(law, t, 1)[1] - _layer(law, t, 0)[1]


def _moved(law, t, *rest) -> tuple:
    state = law.dynamics.step((t**law.dynamics.root, *rest))
    return uniformiser(law, state), *state[1:]


def _abel(law, t, steps: int = 1):
    terms, after = CoordinateTerms.of(law).position, t
    for _ in range(steps):
        after = _moved(law, after, *_idle(law))[0]
    return value(terms, after) - value(terms, t) - steps


def _koenigs(law, t):
    coordinate = CoordinateTerms.of(law)
    following = _moved(law, t, *_idle(law))[0]
    return value(coordinate.position, following) - coordinate.chi * value(coordinate.position, t)


def _logarithm(law, t):
    terms = terms_of(law.linear.logarithm)
    return value(terms, _moved(law, t, mpf(0))[0]) - value(terms, t) - mp.log(_slope(law, t))


def _idle(law) -> tuple:
    return (mpf(0),) if law.linear is not None else ()


def particular_left(law, t):
    """P(t') - lambda P(t) - b, by one step of the original recursion."""
    terms = CoordinateTerms.of(law).particular
    following, image = _moved(law, t, value(terms, t))
    return value(terms, following) - image


def homogeneous_left(law, t):
    """H(t') - lambda H(t), by two."""
    coordinate = CoordinateTerms.of(law)
    terms = coordinate.homogeneous
    following, forced = _moved(law, t, mpf(0))
    _, image = _moved(law, t, value(terms, t))
    return coordinate.growth * value(terms, following) - (image - forced)
