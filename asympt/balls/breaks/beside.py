"""The mean of an activation's derivative beside a breakpoint b, E[g(V) | U = b], as a Taylor model in t.

Problem.  U and V are normal of variance q and correlation c = 1 - t^2, so V given U = b is c b + s Z with
s^2 = q (1 - c^2), and the breakpoint of g next to it cuts the normal distribution of Z at b (1 - c)/s, which moves.

Rule.  With w = (1 - t^2/2)^(-1/2) the cut is z = b t w/sqrt(2 q), and s = sqrt(2 q) t/w.  Where g is a sum of powers
and exponentials exp(a x), everything comes from two functions of the cut, tilted by a:

    E[exp(a V); Z < z] = exp(a c b + a^2 s^2/2) Phi(z - a s),
    E[Z^k; Z < z]      = T_k = (k - 1) T_(k-2) - z^(k-1) n(z),     T_0 = Phi(z),  T_1 = -n(z),
    Phi(z - a s)       = 1/2 + int_0^t n(z - a s) (z - a s)',      z' = b w^3/sqrt(2 q),  s' = sqrt(2 q) (1 - t^2) w.

Other breakpoints b' are d = |b' - b| - |b| t^2 away at the least (|b' - b| where b t^2 leads away from them): there g
is not what it is next to b, by an h with a mean of at most

    |E[h(V); |s Z| > d]| <= (E[h^2] P(|s Z| > d))^(1/2) <= (E[h^2]/2)^(1/2) exp(-d^2/(8 q t^2)),

flat at t = 0: it has no powers of t and a known remainder.

Tiny case.  g = 1 to the left of b and 0 to its right: Phi(z) = 1/2 + b t/(2 sqrt(pi q)) + ....

Known limits.  Polynomials and exponentials; breakpoints so near to each other that d may be 0 are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import arb

from asympt.balls.arithmetic import Refused, exact_rational
from asympt.balls.breaks.pieces import FormulaPiece, falling, half_moment
from asympt.balls.expression import number
from asympt.balls.models import Model


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
