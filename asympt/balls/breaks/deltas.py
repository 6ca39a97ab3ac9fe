"""What the deltas at an activation's breakpoints add to its correlation map: S_(j+1) of `balls.kinks`, as models.

    S_(j+1) = 2 sum_b J_j(b) rho(b) E[g_(j+1)(V) | U = b] + sum_(b, b') J_j(b) J_j(b') rho(b, b'),

rho the density of U, and of (U, V).  At b = b' it is exp(-b^2/(q (2 - t^2)))/(2 pi q t sqrt(2 - t^2)); at b != b' it is
flat, at most exp(-A/(4 q t^2))/(2 pi q t sqrt(2 - T^2)) with A = (b - b')^2 + min(0, 2 T^2 b b'), so that it has no
powers of t and a known remainder.  The mean beside b = 0 alone is a power series in s = sqrt(q (1 - c^2)) with the
Taylor polynomials of g_(j+1) on both sides, and Taylor's remainder bounds what is left; `beside` has it for polynomials
and exponentials beside any breakpoint.

Tiny case.  phi = max(x, 0): J_1(0) = 1 and g_2 = 0, so S_2 = 1/(2 pi q t sqrt(2 - t^2)).

Known limits.  Rational pieces meet at 0 only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

from flint import arb
from sympy import Expr

from asympt.balls.arithmetic import Refused
from asympt.balls.breaks.beside import BesideBreak, flat
from asympt.balls.breaks.pieces import FormulaPiece, half_moment
from asympt.balls.breaks.poles import PolePiece
from asympt.balls.expression import number
from asympt.balls.models import Model

Pieces = Sequence[FormulaPiece | PolePiece]


def breaks_of(pieces: Pieces) -> tuple[Expr, ...]:
    """The breakpoints."""
    return tuple(piece.high for piece in pieces[:-1])


def jumps_of(pieces: Pieces, j: int) -> dict[int, tuple[arb, arb]]:
    """{number of the breakpoint: (b, J_j(b))} where g_j jumps; phi itself is continuous."""
    if j == 0:
        return {}
    places = [number(b) for b in breaks_of(pieces)]
    found = [(b, right.at(j, b) - left.at(j, b))
             for b, (left, right) in zip(places, pairwise(pieces), strict=True)]  # fmt: skip
    return {place: (b, jump) for place, (b, jump) in enumerate(found) if not jump.is_zero()}


@dataclass(frozen=True, eq=False)
class Deltas:
    """What the breakpoints add: powers of s, log(1 - t^2/2), w and w/(2 pi q t sqrt(2)), as models."""

    pieces: Pieces
    q: arb
    count: int
    powers: Sequence[Model]
    log: Model
    w: Model
    density: Model
    reach: arb
    _densities: dict = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, pieces: Pieces, q: arb, count: int, span: arb) -> "Deltas":
        """On [0, T], to t^count."""
        t = Model.identity(count, span)
        log = (t * t * arb(-0.5) + 1).log()
        s, w = t * (log * arb(0.5)).exp() * (2 * q).sqrt(), (log * arb(-0.5)).exp()
        powers = [Model.of([arb(1)] + [arb(0)] * (count - 1), arb(0), span)]
        for _ in range(1, count):
            powers.append(powers[-1] * s)
        density = Model(-1, w.poly, w.rest, count, span) * (1 / (2 * arb.pi() * q * arb(2).sqrt()))
        return cls(pieces, q, count, powers, log, w, density, (span.upper() * (2 * q).sqrt()).upper())

    @property
    def span(self) -> arb:
        """[0, T]."""
        return self.powers[0].span

    def between(self, j: int) -> Model:
        """S_(j+1)."""
        jumps, total = jumps_of(self.pieces, j), self.density * 0
        for (m, (one, here)), (n, (two, there)) in product(jumps.items(), repeat=2):
            total = total + self._density(m, n, one, two) * (here * there)
        if not all(piece.vanishes(j + 1) for piece in self.pieces):
            for place, (b, jump) in jumps.items():
                total = total + self._mean(place, j + 1) * (jump * self._twice(b))
        return total

    def _density(self, m: int, n: int, one: arb, two: arb) -> Model:
        """rho(b, b') of the breakpoints with these numbers, computed once for all j."""
        if (m, n) not in self._densities:
            self._densities[m, n] = self._pair(one, two, m == n)
        return self._densities[m, n]

    def _pair(self, one: arb, two: arb, same: bool) -> Model:
        if same:
            return self.density * ((self.log * -1).exp() * (-one * one / (2 * self.q))).exp()
        top = self.span.upper()
        apart = (one - two) ** 2 + (2 * top**2 * one * two).min(arb(0))
        if not (apart > 0 and top**2 < 2):
            raise Refused("the breakpoints are too near to each other for an interval of this length")
        return flat(1 / (2 * arb.pi() * self.q * (2 - top**2).sqrt()), apart / (4 * self.q), 1, self.powers[0])

    def _twice(self, b: arb) -> arb:
        """2 rho(b)."""
        return 2 * (-b * b / (2 * self.q)).exp() / (2 * arb.pi() * self.q).sqrt()

    def _mean(self, place: int, j: int) -> Model:
        """E[g_j(V) | U = b] for the breakpoint with this number."""
        breaks = breaks_of(self.pieces)
        if breaks == (0,):
            return self._mean_at_zero(j)
        pieces, balls = self.pieces, [number(b) for b in breaks]
        others = [(balls[k], pieces[k]) for k in range(place)]
        others += [(balls[k - 1], pieces[k]) for k in range(place + 2, len(pieces))]
        beside = BesideBreak(balls[place], self.q, Model.identity(self.count, self.span), self.w)
        return beside.mean(j, (pieces[place], pieces[place + 1]), others)

    def _mean_at_zero(self, j: int) -> Model:
        """E[g_j(s Z)]."""
        left, right = self.pieces
        rest = sum((side.rest(j, self.count, self.reach) for side in self.pieces), arb(0))
        rest = rest * (2 * self.q) ** (arb(self.count) / 2)  # s <= sqrt(2 q) t
        total, nought = Model.of([arb(0)] * self.count, arb(0, rest.upper()), self.span), arb(0)
        for i, power in enumerate(self.powers):
            both = right.at(j + i, nought) + (-1) ** i * left.at(j + i, nought)
            total = total + power * (both * half_moment(i) / arb(i + 1).gamma())
        return total
