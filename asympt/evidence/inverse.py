"""The printed expansion put into the Abel function: A must give back l + C, symbolically.

Problem.  `substitution` shows that an expansion solves the recursion, but shifting the free constant's own
coefficient only re-labels C.  Is the expansion the inverse of this A, with this C?

Rule.  Along t = a u^speed (1 + ...), read off the printed expansion of x_l, compute in the ring of `ring`

    A(t) - l - C = O(l^(1 - d) log^J)              y_l known up to O(l^(-d) log^J) of itself

Every larger coefficient must vanish exactly.  On the other side of an orbit that changes sides t is negative, and
log t stands for log|t|.

Known limits.  A itself is taken as printed; `functional` and `constancy` measure it on the original recursion.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Rational

from asympt.evidence.check import Check
from asympt.evidence.profile import Profile
from asympt.evidence.ring import DepthRing
from asympt.evidence.substitution import scaled, sides
from asympt.evidence.zero import Contradiction, Left, left_check

DETAIL = "symbolic: exact zero coefficients, the constants' own terms included"
POSITION = "put into the Abel function, the expansion of the flow gives l + C"


def inverse_check(law, flow=None) -> Check:
    """A(expansion) = l + C, for the printed law, or for the flow y_l that a linear law runs along."""
    expansion, view = (law.expansion, law.view) if flow is None else (flow, None)
    return left_check(POSITION, DETAIL, lambda: _left(law, Profile.of(expansion, view, law.abel.multiplicity)))


def alternating_inverse(law) -> Check:
    """A(expansion) = l + C with the same C for even and for odd l."""

    def find() -> Left:
        even, odd = sides(law)
        return _left(law, even) + _left(law, odd)

    return left_check("put into the Abel function, the expansions of both sides give l + C", DETAIL, find)


def chart(root: int, profile: Profile, precision: int, bias: int, expansions: list, extra: list[Expr]) -> tuple:
    """The ring, u^bias times each expansion in t along the flow, and the extra expressions as elements.

    An expansion may start with any power of t that is a whole power of u; u^precision is the last to be right.
    """
    size, speed = profile.size(root), profile.speed(root)
    rows = [Row.of(expansion, (precision + bias) // speed + 1) for expansion in expansions]
    flat = [c for row in rows for part in row.parts for c in scaled(part, size, row.start)]
    ring = DepthRing([profile.shape(), profile.log_of_uniformiser(root), *flat, *extra], precision + bias)
    shape, logarithm, *rest = ring.elements
    share = Rational(profile.power, root)
    wave = ring.times(ring.u**speed, ring.root(shape, share))
    logarithm = logarithm + ring.log(shape) * share
    values = []
    for row in rows:
        plain, with_log = (ring.horner(rest[k * row.count : (k + 1) * row.count], wave) for k in (0, 1))
        rest = rest[2 * row.count :]
        lead = ring.times(ring.root(shape, row.start * share), ring.u ** _whole(bias + row.start * speed))
        values.append(ring.times(plain + ring.times(with_log, logarithm), lead))
    return ring, values, rest


def _whole(power) -> int:
    """A power of u, which must be one."""
    if power < 0 or power != int(power):
        raise Contradiction(power, f"u^({power}) occurs where only whole powers of u can")
    return int(power)


@dataclass(frozen=True)
class Row:
    """t^start times two power series in t, without log t and with it."""

    start: Rational
    parts: tuple[list[Expr], list[Expr]]

    @classmethod
    def of(cls, expansion, count: int) -> "Row":
        """The first `count` coefficients of both."""
        start = min((m.order for m, _ in expansion.terms), default=Integer(0))
        known = {(m.order - start, m.logs): c for m, c in expansion.terms}
        return cls(start, tuple([known.get((k, logs), Integer(0)) for k in range(count)] for logs in (0, 1)))

    @property
    def count(self) -> int:
        """How many coefficients."""
        return len(self.parts[0])


def _left(law, profile: Profile) -> Left:
    """Terms of A(t) - l - C above the remainder."""
    allowed = profile.orders(profile.reach - 1)
    bias = max(profile.q, law.abel.multiplicity * profile.speed(law.dynamics.root))
    ring, (position,), (constant,) = chart(
        law.dynamics.root, profile, allowed + 1, bias, [law.abel.expansion], [law.constant_symbols["C"]]
    )
    target = ring.u ** (bias - profile.q) + ring.times(ring.u**bias, constant)
    return ring.left(position - target, allowed, profile.logs, bias) + Left((), profile.exact)
