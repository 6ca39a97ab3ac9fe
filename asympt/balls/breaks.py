"""Activations with breakpoints: their pieces in balls, and what the deltas add to the correlation map of `balls.kinks`.

    S_(j+1) = 2 sum_b J_j(b) rho(b) E[g_(j+1)(V) | U = b] + sum_(b, b') J_j(b) J_j(b') rho(b, b'),

rho the density of U, and of (U, V), as Taylor models in t; a side with a pole by parts down to Dawson's integral and
the exponential integral (docs/bounds.md).  Rational pieces meet at 0 only; breakpoints so near to each other that their
distance may be 0 are refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise, product
from math import comb, factorial, perm, prod
from typing import ClassVar

import flint
import sympy
from flint import arb
from sympy import Expr, Integer, Symbol

from asympt.balls.arithmetic import Refused, exact_rational, require_finite, working
from asympt.balls.expression import number
from asympt.balls.models import Model


@dataclass(frozen=True)
class FormulaPiece:
    """sum c_m x^m + sum c_a exp(a x) for low < x < high; None for an end at infinity."""

    powers: Mapping[int, Expr]
    rates: Mapping[Expr, Expr]
    low: Expr | None
    high: Expr | None
    has_factorials: ClassVar[bool] = False  # whether its derivatives grow like factorials

    @classmethod
    def of(cls, formula: Expr, x: Symbol, low: Expr | None, high: Expr | None) -> "FormulaPiece":
        """Read from a formula; `Refused` for another kind of function."""
        powers, rates = {}, {}
        for term in sympy.Add.make_args(sympy.expand(formula)):
            c, rest = term.as_independent(x)
            if rest.is_polynomial(x):
                m = int(sympy.degree(rest, x)) if rest.has(x) else 0
                powers[m] = powers.get(m, 0) + c  # 1 + sqrt(2) is two terms
            elif isinstance(rest, sympy.exp) and (rest.args[0] / x).is_Rational:
                rates[rest.args[0] / x] = rates.get(rest.args[0] / x, 0) + c
            else:
                raise Refused(f"{term} beside a breakpoint is neither a power nor an exponential with a rational rate")
        return cls(powers, rates, low, high)

    @property
    def sign(self) -> int:
        """On which side of 0 it lies, if it begins or ends there."""
        return 1 if self.low == 0 else -1

    def vanishes(self, j: int) -> bool:
        """Whether g_j = 0."""
        return not self.rates and all(m < j for m in self.powers)

    def at(self, j: int, x: arb) -> arb:
        powers = (number(c) * perm(m, j) * x ** (m - j) for m, c in self.powers.items() if m >= j)
        rates = (number(c) * exact_rational(a) ** j * (exact_rational(a) * x).exp() for a, c in self.rates.items())
        return sum((*powers, *rates), arb(0))

    def means(self, count: int, q: arb) -> list[arb]:
        """E[g_j(sqrt(q) Z)] over the piece for j < count."""
        return [arb(0) if self.vanishes(j) else self._mean(j, q) for j in range(count)]

    def _mean(self, j: int, q: arb) -> arb:
        root, total = q.sqrt(), arb(0)
        ends = [None if end is None else number(end) / root for end in (self.low, self.high)]
        moments = _moments_between(*ends, max((m - j for m in self.powers), default=0))
        for m, c in self.powers.items():
            if m >= j:
                total += number(c) * perm(m, j) * root ** (m - j) * moments[m - j]
        for a, c in self.rates.items():
            rate = exact_rational(a)
            shifted = [None if end is None else end - rate * root for end in ends]
            total += number(c) * rate**j * (rate**2 * q / 2).exp() * _moments_between(*shifted, 0)[0]
        return total

    def rest(self, j: int, count: int, spread: arb) -> arb:
        """B with E|g_j(sZ) - its Taylor polynomial below s^count| <= B s^count over this side, for s <= spread."""
        if any(m >= j + count for m in self.powers):
            raise Refused("more powers of t are needed than the activation's own")
        total = arb(0)
        for a, c in self.rates.items():
            rate = exact_rational(a)
            grows = (rate * self.sign).max(arb(0)) * spread  # |exp(a x)| <= exp(grows |Z|)
            moment = half_moment(count)
            if not grows.is_zero():  # E[|Z|^k exp(grows |Z|)], by Cauchy and Schwarz
                moment = (2 * half_moment(2 * count)).sqrt() * (2 * (2 * grows**2).exp()).sqrt()
            total += abs(number(c) * rate ** (j + count)) * moment / arb(count + 1).gamma()
        return total.upper()


def _moments_between(low: arb | None, high: arb | None, last: int) -> list[arb]:
    """E[Z^k; low < Z < high] for k <= last, by parts."""
    root = arb(2).sqrt()
    above = [default if end is None else (end / root).erfc() / 2 for end, default in ((low, arb(1)), (high, arb(0)))]
    ends = [(end, (-end * end / 2).exp() / (2 * arb.pi()).sqrt(), sign)
            for end, sign in ((low, 1), (high, -1)) if end is not None]  # fmt: skip
    found = [above[0] - above[1]]
    for k in range(1, last + 1):
        before = (k - 1) * found[k - 2] if k > 1 else arb(0)
        found.append(before + sum((sign * end ** (k - 1) * density for end, density, sign in ends), arb(0)))
    return found


def half_moment(k: int) -> arb:
    """E[Z^k; Z > 0]."""
    return arb(2) ** (arb(k) / 2) * (arb(k + 1) / 2).gamma() / (2 * arb.pi().sqrt())


MOST_BITS = 60_000


@dataclass(frozen=True)
class PolePiece:
    """sum c_m u^m for u = |x| + s, on the side `sign` x > 0; `terms` is {m: c_m}, `shift` is s."""

    terms: Mapping[int, Expr]
    shift: Expr
    sign: int
    has_factorials: ClassVar[bool] = True

    @classmethod
    def of(cls, formula: Expr, x: Symbol, low: Expr | None, high: Expr | None) -> "PolePiece":
        """Read from a formula, which may have no pole at all; `Refused` for another kind of function."""
        sign, distance = (1 if low == 0 else -1), Symbol("X", positive=True)
        above, below = sympy.fraction(sympy.together(formula.subs(x, sign * distance)))
        if {low, high} != {None, Integer(0)} or not (above.is_polynomial(distance) and below.is_polynomial(distance)):
            raise Refused(f"{formula} is not one side of 0 of a function that is rational on both")
        poles = sympy.roots(sympy.Poly(below, distance)) if below.has(distance) else {Integer(-1): 0}
        [(root, power)] = poles.items() if len(poles) == 1 else [(Integer(0), 0)]
        if not (root.is_Rational and root < 0):
            raise Refused(f"{formula} has more than one pole, or one that is not a rational number beyond 0")
        row = sympy.Poly(above.subs(distance, distance + root), distance).all_coeffs()[::-1]
        leading = sympy.Poly(below, distance).LC()
        terms = {m - power: c / leading for m, c in enumerate(row) if c != 0} or {0: Integer(0)}
        if max(terms) > 1:
            raise Refused(f"{formula} grows faster than a straight line")
        return cls(terms, -root, sign)

    @property
    def low(self) -> Expr | None:
        return Integer(0) if self.sign > 0 else None

    @property
    def high(self) -> Expr | None:
        return None if self.sign > 0 else Integer(0)

    def vanishes(self, j: int) -> bool:
        """Whether g_j = 0: with a pole, never."""
        return False

    def derived(self, j: int) -> dict[int, arb]:
        """g_j by powers of u."""
        return {m - j: self.sign**j * _falling(m, j) * number(c) for m, c in self.terms.items() if _falling(m, j)}

    def at(self, j: int, x: arb) -> arb:
        if x.is_zero():  # exactly, so that what does not jump is seen not to
            return number(sum(self.sign**j * _falling(m, j) * c * self.shift ** (m - j) for m, c in self.terms.items()))
        u = self.sign * x + number(self.shift)
        return sum((c * u**m for m, c in self.derived(j).items()), arb(0))

    def means(self, count: int, q: arb) -> list[arb]:
        """E[g_j(sqrt(q) Z)] over the side for j < count."""
        moments = half_means(self.shift, q, min(self.terms) - count)
        return [sum((c * moments[m] for m, c in self.derived(j).items()), arb(0)) for j in range(count)]

    def square(self, j: int, k: int, q: arb) -> arb:
        """E[g_j g_k] over the side."""
        return self._product(self.derived(j), self.derived(k), q)

    def rate(self, j: int, q: arb) -> arb:
        """d/dq E[g_j^2] = E[x g_j g_(j+1)]/q over the side."""
        s, inner = number(self.shift), self.derived(j)
        outward = {m: self.sign * c for m, c in self.derived(j + 1).items()}  # x d/dx = X d/dX
        raised = {m + 1: c for m, c in outward.items()}
        return (self._product(inner, raised, q) - s * self._product(inner, outward, q)) / q

    def _product(self, one: Mapping[int, arb], two: Mapping[int, arb], q: arb) -> arb:
        if not (one and two):
            return arb(0)
        moments = half_means(self.shift, q, min(one) + min(two))
        return sum((a * b * moments[m + n] for m, a in one.items() for n, b in two.items()), arb(0))

    def rest(self, j: int, count: int, spread: arb) -> arb:
        """B with E|g_j(sZ) - its Taylor polynomial below s^count| <= B s^count over this side."""
        return (self.largest(j + count) * half_moment(count) / arb(count + 1).gamma()).upper()

    def largest(self, j: int) -> arb:
        """A bound of |g_j| on the side, j > 0: no power of u grows."""
        s = number(self.shift)
        return sum((abs(c) * s**m for m, c in self.derived(j).items()), arb(0)).upper()

    def spare(self, count: int, q: arb) -> int:
        """Bits that a sum over its derivatives to `count` loses: they are as large as j! (sqrt(q)/s)^j."""
        ratio = max(0, int(float((q.sqrt() / number(self.shift)).log()) * count))
        return factorial(count).bit_length() + 2 * ratio


def _falling(m: int, j: int) -> int:
    """m (m - 1) ... (m - j + 1), for any integer m."""
    return prod(range(m, m - j, -1))


def half_means(shift: Expr, q: arb, lowest: int) -> Mapping[int, arb]:
    """I_m for `lowest` <= m <= 2, to about the precision of the block, for every q in the ball."""
    bits = flint.ctx.prec
    middle, radius = q.mid(), q.rad()
    known = _at_middle(shift, middle.man_exp(), min(lowest, -1) // 64 * 64, bits)
    s, density = number(shift), 1 / (2 * arb.pi() * q).sqrt()
    slack = radius * density / 2
    wide = {m: value + arb(0, (slack * -m * s ** (m - 1)).upper()) for m, value in known.items()}
    first = s / 2 + q * density
    return wide | {0: arb(0.5), 1: first, 2: q * (arb(0.5) + s * density) + s * first}


@lru_cache(maxsize=64)
def _at_middle(shift: Expr, q: tuple, lowest: int, bits: int) -> dict[int, arb]:
    """I_m for lowest <= m < 0 and an exact q, with `bits` bits each."""
    precision = 2 * bits
    while precision <= MOST_BITS + 2 * bits:
        with working(precision):
            found = dict(zip(range(-1, lowest - 1, -1), _downward(number(shift), arb(q), -lowest), strict=True))
        if all(value.rel_accuracy_bits() >= bits for value in found.values()):
            with working(bits):
                return {m: +value for m, value in found.items()}
        precision *= 2
    raise Refused(f"the Gaussian means of 1/(|x| + {shift}) lose more than {MOST_BITS} bits at this variance")


def _downward(s: arb, q: arb, count: int) -> Sequence[arb]:
    """I_(-1), ..., I_(-count)."""
    z, density = s / (2 * q).sqrt(), 1 / (2 * arb.pi() * q).sqrt()
    found = [arb(0.5), (-z * z).exp() * (arb.pi() * z.erfi() - (z * z).ei()) * density / 2]
    for n in range(1, count):  # I_(-n-1) from I_(-n+1) and I_(-n)
        found.append(((s * found[n] - found[n - 1]) / q + s**-n * density) / n)
    return [require_finite(value, "a Gaussian mean beside a pole") for value in found[1:]]


@dataclass(frozen=True)
class PoleMoments:
    """E[g_j^2] and its derivative in q of an activation whose sides are `PolePiece`s."""

    pieces: Sequence[PolePiece]
    q: arb

    def square(self, j: int, k: int) -> arb:
        return sum((piece.square(j, k, self.q) for piece in self.pieces), arb(0))

    def rate(self, j: int) -> arb:
        """d/dq E[g_j^2]."""
        return sum((piece.rate(j, self.q) for piece in self.pieces), arb(0))


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
        return (self.t * self.t * -1 + 1) * self.b

    @cached_property
    def spread(self) -> Model:
        return self.t * (self.t * self.t * arb(-0.5) + 1) * self.w * (2 * self.q).sqrt()

    def _cut(self, rate: arb) -> Model:
        return self.t * self.w * (self.b / (2 * self.q).sqrt()) + self.spread * -rate

    def _density(self, rate: arb) -> Model:
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
            inner = (self.centre ** (n - i) * self.spread**i * moments[i] * comb(n, i) for i in range(n + 1))
            total = sum(inner, self.t * 0) * (number(c) * perm(n + j, j)) + total
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
                square = sum((comb(n, i) * b ** (n - i) * root**i * _absolute(i) for i in range(n + 1)), arb(0))
                total += abs(number(c)) * perm(m, j) * square.sqrt()
        for a, c in piece.rates.items():
            rate = abs(exact_rational(a))
            total += abs(number(c)) * rate**j * (rate * b + rate**2 * self.q).exp()
        return total


def _absolute(k: int) -> arb:
    """E|Z|^k."""
    return 2 * half_moment(k)


Pieces = Sequence[FormulaPiece | PolePiece]


def breaks_of(pieces: Pieces) -> tuple[Expr, ...]:
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
        return self.powers[0].span

    def between(self, j: int) -> Model:
        """S_(j+1)."""
        jumps, total = jumps_of(self.pieces, j), self.density * 0
        for (m, (one, here)), (n, (two, there)) in product(jumps.items(), repeat=2):
            total = total + self._density(m, n, one, two) * (here * there)
        if not all(piece.vanishes(j + 1) for piece in self.pieces):
            for place, (b, jump) in jumps.items():
                twice = 2 * (-b * b / (2 * self.q)).exp() / (2 * arb.pi() * self.q).sqrt()  # 2 rho(b)
                total = total + self._mean(place, j + 1) * (jump * twice)
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
