"""A law on the scale of chi^n put back into the recursion and into the Koenigs function, symbolically.

Problem.  A law sum_k c_k mu^(k n) n^j, mu = chi^(1/root), is to solve x' = G(x), with the right C in the right place.

Rule.  With z = mu^n a step is z -> mu z, n -> n + 1.  The distance y = c_r z^r g(z) is read off the printed terms
(`profile`, with z for u), t = y^(1/root), and in the ring of `ring`

    y at mu z - G(y) = O(z^K)        S(t) - C z^root = O(z^K)          y known up to O(z^K)

exactly; S determines C, which the first identity cannot see.  The series of G comes from SymPy and is accepted only
after a numeric test.

Tiny case.  y' = y/(2 - y), E = C z - C^2 z^2 + O(z^3), z = 2^(-n):  both sides are C z/2 - C^2 z^2/4 + O(z^3).

Known limits.  S is taken as printed; `functional` and `constancy` measure it on the original map.
"""

from sympy import Expr, Integer, Rational, S

from asympt.evidence.check import Check
from asympt.evidence.profile import Profile
from asympt.evidence.reading import rest_of
from asympt.evidence.ring import GeometricRing
from asympt.evidence.stated import map_ratio
from asympt.evidence.substitution import DETAIL, NAME, scaled
from asympt.evidence.zero import Contradiction, Left, left_check, zero_by

INVERSE = "put into the Koenigs function, the expansion of the flow gives C chi^n"
EXACT = "symbolic: exact zero coefficients, the constants' own terms included"


def geometric_checks(law) -> list[Check]:
    """The expansion solves the recursion and inverts S."""
    printed = law.expansion, law.view
    return [left_check(NAME, DETAIL, lambda: _left(law, *printed)), inverse_check(law, *printed)]


def flow_check(law) -> Check:
    """The same substitution for the flow y_n that a linear law runs along."""
    name = "the flow y_n put into the map, no term above its remainder is left"
    return left_check(name, DETAIL, lambda: _left(law, law.flow, None))


def inverse_check(law, flow, view=None) -> Check:
    """S along the printed law, or along the flow, is C chi^n."""
    return left_check(INVERSE, EXACT, lambda: _inverse_left(law, flow, view))


def geometric_profile(law, flow, view) -> Profile:
    """The distance in powers of z; the base of the printed scale must be the multiplier of S."""
    base, multiplier = flow.scale.base, law.koenigs.multiplier
    if zero_by(base - multiplier) is None:
        raise Contradiction(base, f"the law is in powers of {base}, S has {multiplier}")
    return Profile.of(flow, view, law.dynamics.root)


# ---- one recursion ------------------------------------------------------------------------------


def geometric_chart(law, profile: Profile, precision: int, extra: list[Expr], second: Expr = S.One) -> tuple:
    """The ring, t/a and the shape along the flow, and the extra expressions as elements."""
    mu = law.koenigs.multiplier ** Rational(1, law.dynamics.root)
    ring = GeometricRing([profile.shape(), *extra], precision, mu, second)
    shape, *rest = ring.elements
    wave = ring.times(ring.u, ring.root(shape, Rational(profile.power, law.dynamics.root)))
    return ring, wave, shape, rest


def _left(law, flow, view) -> Left:
    """Terms of y(n + 1) - G(y(n)), in units of y, that exceed the remainder."""
    profile, root = geometric_profile(law, flow, view), law.dynamics.root
    allowed = profile.orders(profile.reach)
    known, exact = map_ratio(law, allowed + 1)
    pace = law.koenigs.multiplier**profile.order
    extra = [pace, *scaled(known, profile.size(root))]
    ring, wave, shape, (pace, *step) = geometric_chart(law, profile, allowed + 1, extra)
    body = ring.root(shape, profile.power)
    moved = ring.times(pace, ring.next_layer(body))
    left = ring.left(moved - ring.times(body, ring.horner(step, wave)), allowed, profile.logs)
    return left + Left((), profile.exact and exact)


def _inverse_left(law, flow, view) -> Left:
    """Terms of S(t)/z^root - C that exceed the remainder."""
    profile, root, koenigs = geometric_profile(law, flow, view), law.dynamics.root, law.koenigs.expansion
    allowed = profile.orders(profile.reach)
    known = _row(koenigs, 0, root, allowed + 1)
    extra = [law.constant_symbols["C"], *scaled(known, profile.size(root), root)]
    ring, wave, shape, (constant, *values) = geometric_chart(law, profile, allowed + 1, extra)
    total = ring.times(ring.root(shape, profile.power), ring.horner(values, wave))
    return ring.left(total - constant, allowed, profile.logs) + Left((), profile.exact)


def _row(expansion, logs: int, start: int, count: int) -> list[Expr]:
    """Coefficients of t^start, t^(start+1), ... with so many logs; they must be known that far."""
    if start + count > rest_of(expansion).order + 1:
        raise ArithmeticError(f"{expansion} is not known as far as the law that it should give")
    known = {int(m.order): c for m, c in expansion.terms if m.logs == logs}
    return [known.get(k, Integer(0)) for k in range(start, start + count)]
