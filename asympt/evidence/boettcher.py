"""Checks of the law at a superattracting point: phi and the law put into the map, C by a sum, the law at some layers.

The sum knows no series of phi: with y' = c y^k (1 + e(y)),

    log|C| = log|b y_0| + sum_(j>=0) k^(-j-1) log(1 + e(y_j)),

over k^i where the start is y_i; its tail after m layers is at most 2E|y_m| k^(-m)/(k - 1) where |e| <= E|y| <= 1/2.
"""

from collections.abc import Iterator
from itertools import pairwise

from mpmath import mp, mpf

from asympt.errors import PrecisionError
from asympt.evidence.check import Check, Effort, Work, growth_check, order_check, shortfall
from asympt.evidence.orbits.constancy import Start, from_first
from asympt.numbers import to_mpf

LAYERS = 3  # of the printed law, from where its remainder is small
SMALL, POINT = mpf(10) ** -2, mpf(10) ** -4
SPARE = 150  # digits, of which 100 tell that nothing is left (`NOTHING`)
MOST = 400  # layers until the sum is complete
EXACT = 20  # order to which a law without a remainder is looked at


def _functional(law) -> Check:
    """phi(y') against phi(y)^k."""
    phi, root, k = law.coordinate.boettcher.function, law.dynamics.root, law.coordinate.power
    order = phi.remainder.monomial.order + (k - 1) * root

    def left(t):
        image = law.dynamics.step((t**root,))[0]
        sign = -1 if law.coordinate.alternating else 1
        return _summed(phi, sign * abs(image) ** (mpf(1) / root)) - sign * _summed(phi, t) ** k

    return order_check("$\\varphi(y') = \\varphi(y)^k$", shortfall(left, order, POINT), f"to the order {order} in t")


def _put_back(law) -> Check:
    """y(Z^k) against g(y(Z)), Z a new variable."""
    k, rest, sign = law.coordinate.power, law.remainder, -1 if law.coordinate.alternating else 1
    order = k + EXACT if rest is None else rest.monomial.order + k - 1 + (2 if law.coordinate.growing else 0)

    def left(z):
        y, after = (law.fixed.distance(_summed(law.expansion, at)) for at in (z, sign * z**k))
        return after - law.dynamics.step((y,))[0]

    name = "the printed law put back into the map"
    return order_check(name, shortfall(left, order, POINT), f"to the order {order} in Z")


def _summed(expansion, z):
    """The known terms at a small variable."""
    return sum((to_mpf(c) * z ** to_mpf(m.order) for m, c in expansion.terms), mpf(0))


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The equations of phi and of the law, C by the sum, and the printed law, from one start."""
    yield "functional equation", lambda: [_functional(law), *([_put_back(law)] if law.observable.reads_x else [])]
    yield "C by its sum", lambda: from_first(law, effort.start, lambda s: [_sum_check(law, s, effort.digits)], _comes)
    if law.observable.reads_x:
        yield "printed law along an orbit", lambda: from_first(law, effort.start, lambda s: [_printed(law, s)], _comes)


def _comes(law, value) -> bool:
    """Whether the map brings the distance down at once, and keeps its side where it has to."""
    y = to_mpf(value)
    after = law.dynamics.step((y,))[0]
    return abs(after) < abs(y) / 2 and (law.coordinate.alternating or after > 0)


def _orbit(law, start: Start, digits: int) -> Iterator:
    """y_0, y_1, ... by the original map."""
    y = to_mpf(start.value)
    for _ in range(MOST):
        yield y
        with mp.workdps(digits):
            y = law.dynamics.step((y,))[0]
    raise PrecisionError(f"the orbit has not come in after {MOST} steps; give start=...")


def _sum_check(law, start: Start, digits: int) -> Check:
    own, k, close = law.coordinate, law.coordinate.power, digits * law.dynamics.root
    precise = close * (k + 1) + SPARE
    known = law.constants_from(start.value, digits).value[0]
    with mp.workdps(precise):
        lead = to_mpf(law.dynamics.ratio(1)[0])
        total = mp.log(abs(to_mpf(start.value))) + mp.log(abs(lead)) / (k - 1)
        for j, (y, after) in enumerate(pairwise(_orbit(law, start, precise)), start=1):
            total += mp.log(after / (lead * y**k)) / mpf(k) ** j
            if abs(after) < mpf(10) ** -close:
                break
        total /= mpf(k) ** law.dynamics.first
        found = mp.exp(-total if own.growing else total)
        name, detail = f"$C$ is the sum of its logarithms from ${start.label}$", f"{j} steps of the original map"
        return Check.measured(name, abs(found / abs(known) - 1), mpf(10) ** (2 - digits), detail)


def _printed(law, start: Start) -> Check:
    """From where the distance is small; C is as precise as the remainder of the last layer deserves."""
    own, order = law.coordinate, EXACT if law.remainder is None else to_mpf(law.remainder.monomial.order)
    precise = int(order + 2) * 2 * own.power**LAYERS + SPARE
    left, sizes, layers = [], [], []
    with mp.workdps(precise):
        constant = own.crossing(start.value, own.routes(precise)[1]).constants(False)[0]
        for layer, y in enumerate(_orbit(law, start, precise), start=law.dynamics.first):
            if layer and abs(y) < SMALL:
                z = constant ** (law.expansion.scale.sign * own.power**layer)
                z = z * (-1) ** layer if own.alternating else z
                left.append(law.fixed.numeric(y) - _summed(law.expansion, z))
                sizes.append(abs(z) ** order)
                layers.append(str(layer))
            if len(layers) == LAYERS:
                break
    where = f"layers {', '.join(layers)} of the original map, {start.label}"
    return growth_check("the quantity minus the printed law", left, sizes, where)
