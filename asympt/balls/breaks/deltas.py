"""What the deltas at an activation's breakpoints add to its correlation map: S_(j+1) of `balls.kinks`, as models.

    S_(j+1) = 2 sum_b J_j(b) rho(b) E[g_(j+1)(V) | U = b] + sum_(b, b') J_j(b) J_j(b') rho(b, b'),

rho the density of U, and of (U, V).  At b = b' it is exp(-b^2/(q (2 - t^2)))/(2 pi q t sqrt(2 - t^2)); at b != b' it is
flat, at most exp(-A/(4 q t^2))/(2 pi q t sqrt(2 - T^2)) with A = (b - b')^2 + min(0, 2 T^2 b b').  The mean beside b =
0 alone is a power series in s = sqrt(q (1 - c^2)) with Taylor's remainder.  Beside any breakpoint g is a sum of powers
and exponentials exp(a x): V given U = b is c b + s Z, and the breakpoint cuts Z at z = b t w/sqrt(2 q), w = (1 -
t^2/2)^(-1/2), s = sqrt(2 q) t/w, so all comes from two functions of the cut, n the density of Z:

    E[exp(a V); Z < z] = exp(a c b + a^2 s^2/2) Phi(z - a s),
    E[Z^k; Z < z]      = T_k = (k - 1) T_(k-2) - z^(k-1) n(z),     T_0 = Phi(z),  T_1 = -n(z),
    Phi(z - a s)       = 1/2 + int_0^t n(z - a s) (z - a s)',      z' = b w^3/sqrt(2 q),  s' = sqrt(2 q) (1 - t^2) w.

Other breakpoints b' are d = |b' - b| - |b| t^2 away at the least (|b' - b| where b t^2 leads away from them): there g
is not what it is next to b, by an h with a mean of at most (E[h^2]/2)^(1/2) exp(-d^2/(8 q t^2)), flat at t = 0 again.

Known limits.  Rational pieces meet at 0 only; breakpoints so near to each other that d may be 0 are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, product

from flint import arb
from sympy import Expr

from asympt.balls.arithmetic import Refused, exact_rational
from asympt.balls.breaks.pieces import FormulaPiece, falling, half_moment
from asympt.balls.breaks.poles import PolePiece
from asympt.balls.expression import number
from asympt.balls.models import Model

# ---- beside a break -------------------------------------------------------------------------------


def flat(size: arb, a: arb, power: int, model: Model) -> Model:
    """A model, like the one given, of a function that is at most size t^-power exp(-a/t^2)."""
    count, top = model.length, model.span.upper()
    t = (2 * a / (count + power)).sqrt().min(top)  # where t^-(count + power) exp(-a/t^2) is largest on (0, T]
    worst = size * (-a / t**2).exp() / t ** (count + power)
    return Model.of([arb(0)] * count, arb(0, worst.upper()), model.span)


@dataclass(frozen=True, eq=False)
class BesideBreak:
    """One breakpoint.  q: the variance;  t, w: models of t and (1 - t^2/2)^(-1/2)."""

    b: arb
    q: arb
    t: Model
    w: Model

    def mean(self, j: int, meeting: tuple, others: Sequence[tuple[arb, FormulaPiece]]) -> Model:
        """E[g_j(V) | U = b].

        meeting: the two pieces that meet in b;  others: the pieces beyond, each with its end that is nearer to b.
        """
        left, right = meeting
        total = self._part(left, j, True) + self._part(right, j, False)
        for end, piece in others:
            total = total + self._beyond(end, j, piece, left if end < self.b else right)
        return total

    @cached_property
    def centre(self) -> Model:
        """c b."""
        return (self.t * self.t * -1 + 1) * self.b

    @cached_property
    def spread(self) -> Model:
        """s."""
        return self.t * (self.t * self.t * arb(-0.5) + 1) * self.w * (2 * self.q).sqrt()

    def _cut(self, rate: arb) -> Model:
        """z - a s."""
        return self.t * self.w * (self.b / (2 * self.q).sqrt()) + self.spread * -rate

    def _density(self, rate: arb) -> Model:
        """n(z - a s)."""
        cut = self._cut(rate)
        return (cut * cut * arb(-0.5)).exp() * (1 / (2 * arb.pi()).sqrt())

    def _below(self, rate: arb) -> Model:
        """Phi(z - a s)."""
        moves = self.w * self.w * self.w * (self.b / (2 * self.q).sqrt())
        moves = moves + (self.t * self.t * -1 + 1) * self.w * (-rate * (2 * self.q).sqrt())
        return (self._density(rate) * moves).integrated() + arb(0.5)

    def _moments(self, last: int) -> list[Model]:
        """E[Z^k; Z < z] for k <= last."""
        z, density = self._cut(arb(0)), self._density(arb(0))
        found = [self._below(arb(0)), -density]
        for k in range(2, last + 1):
            found.append(found[k - 2] * (k - 1) + z ** (k - 1) * density * -1)
        return found[: last + 1]

    def _part(self, piece: FormulaPiece, j: int, below: bool) -> Model:
        """E[g_j(V); V < b] or E[g_j(V); V > b] of a function that has one formula."""
        total, powers = self.t * 0, {m - j: c for m, c in piece.powers.items() if m >= j}
        moments = self._moments(max(powers, default=0))
        if not below:
            moments = [moment * -1 + _absolute(k) * (k % 2 == 0) for k, moment in enumerate(moments)]
        for n, c in powers.items():
            inner = (self.centre ** (n - i) * self.spread**i * moments[i] * _choose(n, i) for i in range(n + 1))
            total = sum(inner, self.t * 0) * (number(c) * falling(n + j, j)) + total
        for a, c in piece.rates.items():
            rate = exact_rational(a)
            grown = (self.centre * rate + self.spread * self.spread * (rate**2 / 2)).exp()
            share = self._below(rate) if below else self._below(rate) * -1 + 1
            total = total + grown * share * (number(c) * rate**j)
        return total

    def _beyond(self, end: arb, j: int, piece: FormulaPiece, near: FormulaPiece) -> Model:
        """What the piece beyond the breakpoint `end` adds, where `near` is taken: flat."""
        if piece.vanishes(j) and near.vanishes(j):
            return self.t * 0
        towards = self.b if end < self.b else -self.b
        distance = abs(self.b - end) - towards.max(arb(0)) * self.t.span.upper() ** 2
        if not distance > 0:
            raise Refused("the breakpoints are too near to each other for an interval of this length")
        size = sum((self._norm(one, j) for one in (piece, near)), arb(0)) / arb(2).sqrt()
        return flat(size, distance**2 / (8 * self.q), 0, self.t)

    def _norm(self, piece: FormulaPiece, j: int) -> arb:
        """A bound of E[g_j(V)^2]^(1/2), by |V| <= |b| + sqrt(q) |Z|."""
        total, root, b = arb(0), self.q.sqrt(), abs(self.b)
        for m, c in piece.powers.items():
            if m >= j:
                n = 2 * (m - j)
                square = sum((_choose(n, i) * b ** (n - i) * root**i * _absolute(i) for i in range(n + 1)), arb(0))
                total += abs(number(c)) * falling(m, j) * square.sqrt()
        for a, c in piece.rates.items():
            rate = abs(exact_rational(a))
            total += abs(number(c)) * rate**j * (rate * b + rate**2 * self.q).exp()
        return total


def _absolute(k: int) -> arb:
    """E|Z|^k."""
    return 2 * half_moment(k)


def _choose(n: int, k: int) -> arb:
    return falling(n, k) / arb(k + 1).gamma()


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
