"""The law put back into the recursion: what is left must be the stated remainder, symbolically.

Problem.  A law is a truncated expansion of x_l, a sum of c l^(-p) log(l)^j.  Does it solve x' = G(x) formally?

Rule.  Put u = l^(-1/q), w = log l, and read the distance y = c_0 l^(-p_0) g(u, w), g(0) = 1, off the printed terms
(`profile`).  Both y at l + 1 and y' = G(y) are power series in u with polynomial coefficients in w and in the
constants, so their difference is computed exactly.  If y is known up to O(l^(-d) log^J) of itself and the recursion
contracts like 1 - kappa/l, the difference is O(l^(-d-1) log^J) of y: every larger coefficient must vanish.  An orbit
that changes sides has a law for even and one for odd l, and each is put into the map to give the other.

This module shares no code with the derivation: G's series comes from SymPy's `series` on the closed form (and is
accepted only after a numeric test; where there is no closed form, see `stated`), the arithmetic from ring_series.

Known limits.  It cannot see a wrong coefficient in front of a free constant's own term (l^-3 for 1 - c^l): shifting
it only re-labels C.  `inverse` looks at those.
"""

from sympy import Expr, Rational, ilcm

from asympt.evidence.check import Check
from asympt.evidence.profile import Profile
from asympt.evidence.ring import DepthRing, spread
from asympt.evidence.stated import map_ratio
from asympt.evidence.zero import Left, left_check

NAME = "substituted into the recursion, no term above the stated remainder is left"
DETAIL = "symbolic: exact zero coefficients; blind only to a relabelled connection constant"


def substitution_check(law) -> Check:
    """The residual of the law in its own recursion: no term larger than the stated remainder may survive."""

    def find() -> Left:
        profile = Profile.of(law.expansion, law.view, law.abel.multiplicity)
        return _left(law, profile, profile, profile.orders(profile.reach + 1))

    return left_check(NAME, DETAIL, find)


def alternating_check(law) -> Check:
    """The same for an orbit that changes sides: even l into odd, odd into even.

    What the two laws leave out does not nearly cancel here, as it does between l and l + 1 of one law: the difference
    is as large as the remainder itself.
    """

    def find() -> Left:
        even, odd = sides(law)
        return _left(law, even, odd, even.orders(even.reach)) + _left(law, odd, even, odd.orders(odd.reach))

    return left_check("each side put into the recursion gives the other, up to the stated remainder", DETAIL, find)


def sides(law) -> tuple[Profile, Profile]:
    """The distances for even and for odd l, the second negative, with the same u."""
    m = law.abel.multiplicity
    q = int(ilcm(m, Profile.of(law.expansion, law.view, m).q, Profile.of(law.odd, law.view, m, side=-1).q))
    return Profile.of(law.expansion, law.view, q), Profile.of(law.odd, law.view, q, side=-1)


# ---- one recursion ------------------------------------------------------------------------------


def _left(law, here: Profile, after: Profile, allowed: int) -> Left:
    """Terms of y(l + 1) - G(y(l)) larger than u^allowed log^J of y, largest first; `after` is the distance at l + 1."""
    extra = [after.lead / here.lead, after.shape()]
    ring, wave, exact, (step, shape, leads, following) = along_flow(law, here, allowed + 1, extra)
    following = ring.next_layer(ring.root(following, after.power), here.q)
    moved = ring.times(following, ring.shift_factor(here.q, -after.order))
    kept = ring.times(ring.root(shape, here.power), ring.horner(step, wave))
    return ring.left(ring.times(leads, moved) - kept, allowed, here.logs) + Left((), here.exact and exact)


def along_flow(law, profile: Profile, precision: int, extra: list[Expr]) -> tuple:
    """The ring, t/a along the flow, and (series of y'/y, shape, *extra) as elements; third, whether x* is exact."""
    root = law.dynamics.root
    speed = profile.speed(root)
    count = precision // speed + 1
    known, exact = map_ratio(law, count)
    ring = DepthRing([profile.shape(), *scaled(known, profile.size(root)), *extra], precision)
    shape, step, rest = ring.elements[0], ring.elements[1 : count + 1], ring.elements[count + 1 :]
    wave = ring.times(ring.u**speed, ring.root(shape, Rational(profile.power, root)))
    return ring, wave, exact, (step, shape, *rest)


def scaled(coefficients: list[Expr], size: Expr, start=0) -> list[Expr]:
    """Coefficients of t^start, t^(start+1), ... times the powers of `size`."""
    return [spread(c * size ** (start + k)) for k, c in enumerate(coefficients)]
