"""The functional equation of the coordinate, on the original map, to the order that the coordinate is stated to.

Problem.  `constancy` sees a coefficient of A only as far as it matters to the digits asked.  Are they all right?

Rule.  If A is known up to O(t^N) and the map moves t by a part of the size of t^m, then, with one step of the original
map in mpmath,

    A(t') - A(t) - 1 = O(t^(N+m)),        S(t') - chi S(t) = O(t^N),
    P(t') - lambda P(t) - b = O(t^(N+m)),  H(t') - lambda H(t) = O(t^(N+m))   (m = 0 along an exponential law),

and the order to which the left-hand side vanishes is measured (`order`).  A wrong coefficient of t^k, the residue
included, leaves c t^(k+m) behind, whatever its size.  Where orbits change sides, what A leaves out nearly cancels after
two steps only: A(t'') - A(t) - 2 = O(t^(N+m)), but A(t') - A(t) - 1 = O(t^N), on both sides.

Tiny case.  A = 1/t + log t + t/2 for t' = t - t^2:  A(t') - A(t) - 1 = -t^3/3 + ..., and N + m = 2 + 1.

What it cannot show: anything about where a given orbit goes.
"""

from functools import partial

from mpmath import mp, mpf

from asympt.evidence.check import Check
from asympt.evidence.orbits.accuracy import accurate_below, radius
from asympt.evidence.order import APART, SPARE, is_short, order_check, shortfall
from asympt.evidence.reading import changes_sides, coordinate_of, has_wave, rest_of, terms_of, uniformiser, value

ROUGH = 10  # digits to which the series is accurate where the order is measured, before the point is moved closer
CLOSER = mpf(10) ** -4
NEARBY, COSTLY = mpf(10) ** -8, mpf(10) ** -2  # of the radius in which the series converges


def functional_checks(law, nearby: bool = False) -> list[Check]:
    """The equation of A or S, on each side that orbits visit; for a linear law those of P and H.

    `nearby`: measured in units of the series' radius, at points less far apart, and not so close at a c* inside
    (0, 1), where every digit of a coefficient takes a quadrature: for a network.
    """
    check = partial(_check, nearby=nearby)
    if law.koenigs is not None:
        checks = [check("S(x') = chi S(x)", law, law.koenigs.expansion, _koenigs)]
    elif changes_sides(law):
        checks = _alternating(law)
    else:
        checks = [check("A(x') - A(x) = 1", law, law.abel.expansion, _abel, law.abel.multiplicity)]
    if law.linear is not None:
        gain = _gain(law)
        checks.append(check("P(x') = lambda(x) P(x) + b(x)", law, law.linear.particular, particular_left, gain))
    if has_wave(law):
        checks.append(check("H(x') = lambda(x) H(x)", law, law.linear.homogeneous, homogeneous_left, gain))
    return checks


def _gain(law):
    """The power of t by which a step changes what P leaves out: m, or less if lambda differs from 1 earlier."""
    if law.koenigs is not None:
        return 0
    for lower in range(law.abel.multiplicity):
        if is_short(shortfall(lambda t: _multiplier(law, t) - 1, lower + 1, CLOSER**2)):
            return lower
    return law.abel.multiplicity


def _multiplier(law, t):
    """lambda, from two steps of the original linear recursion."""
    y = t**law.dynamics.root
    return law.dynamics.step((y, mpf(1)))[1] - law.dynamics.step((y, mpf(0)))[1]


def _alternating(law) -> list[Check]:
    """One step on each side, and two steps, after which the terms left out nearly cancel as on one side."""
    known = law.abel.expansion
    return [
        _check("A(x') - A(x) = 1 from the side of x_0", law, known, _abel),
        _check("A(x') - A(x) = 1 from the other side", law, known, _abel, side=-1),
        _check("A(x'') - A(x) = 2", law, known, _abel_twice, law.abel.multiplicity),
    ]


def _check(name: str, law, expansion, equation, gain: int = 0, side: int = 1, nearby: bool = False) -> Check:
    order = rest_of(expansion).order + gain
    with mp.workdps(30):
        if nearby:
            costly = law.place is not None and law.place.point != 0
            point, apart, spare = min(1, radius(expansion)) * (COSTLY if costly else NEARBY), mpf(1) / 10, SPARE // 2
        else:
            point, apart, spare = side * accurate_below(law, ROUGH) * CLOSER, APART, SPARE
        growth = max(0, -min((int(p) for p, _, _ in terms_of(expansion)), default=0))
        growth, logs = growth + law.dynamics.root, rest_of(expansion).logs
    missing = shortfall(lambda t: equation(law, t), order, point, growth, apart, logs, spare)
    detail = f"steps of the original map in mpmath; it is to vanish like t^({order}), every coefficient counts"
    return order_check(name, missing, detail)


def _moved(law, t, *rest) -> tuple:
    """(t', ...) after one step of the original map."""
    state = law.dynamics.step((t**law.dynamics.root, *rest))
    return uniformiser(law, state), *state[1:]


def _abel(law, t):
    terms = coordinate_of(law).abel
    return value(terms, _moved(law, t, *_idle(law))[0]) - value(terms, t) - 1


def _abel_twice(law, t):
    terms = coordinate_of(law).abel
    return value(terms, _moved(law, _moved(law, t)[0])[0]) - value(terms, t) - 2


def _koenigs(law, t):
    coordinate = coordinate_of(law)
    following = _moved(law, t, *_idle(law))[0]
    return value(coordinate.koenigs, following) - coordinate.multiplier * value(coordinate.koenigs, t)


def _idle(law) -> tuple:
    """A second component for a map that has one."""
    return (mpf(0),) if law.linear is not None else ()


def particular_left(law, t):
    """P(t') - lambda P(t) - b, by one step of the original recursion."""
    terms = coordinate_of(law).particular
    following, image = _moved(law, t, value(terms, t))
    return value(terms, following) - image


def homogeneous_left(law, t):
    """H(t') - lambda H(t), by two."""
    coordinate = coordinate_of(law)
    terms = coordinate.homogeneous
    following, forced = _moved(law, t, mpf(0))
    _, image = _moved(law, t, value(terms, t))
    return getattr(coordinate, "growth", 1) * value(terms, following) - (image - forced)
