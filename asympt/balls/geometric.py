"""From a printed hyperbolic law to a theorem: for all l >= l_0 and all starts, |quantity - law| <= B n^s |mu|^(K l).

From the first layer l_1 on at which `koenigs` can be inverted, the quantity is a sum of

    f_k z^k,   (E + r l) g_k z^k,   or lambda^l E g_k z^k,      z = mu^l c, k <= N,      and an error e |z|^(N+1);

what is not printed of it, over the remainder's monomial, falls with l from l_1 on, which is checked.  The layers l_0,
..., l_1 are enclosed one by one, l_1 goes deeper while what is beyond it decides, and an interval of starts is cut into
pieces until B does not get smaller.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from operator import attrgetter

from flint import arb, arb_poly
from sympy import Abs, Expr, Integer, S, Symbol

from asympt.balls.arithmetic import (
    Disproved,
    Refused,
    best_proved,
    between,
    decimal_above,
    first_proved,
    magnitude,
    short,
    working,
)
from asympt.balls.expression import number
from asympt.balls.inversion import total
from asympt.balls.koenigs import KoenigsInverse, KoenigsTheorem, steps_of
from asympt.balls.orbit import LANDS, BallInterval, BallOrbit, hull
from asympt.balls.printed import LawProver, PrintedLaw, Proof
from asympt.deadline import check_time
from asympt.errors import PrecisionError

BITS, TERMS = 256, 24
RADII = tuple(short(4 * 0.8**k) for k in range(60))
CANDIDATES = 5  # regions compared
DEEPEST = 20000
GLANCE = 64  # layers before an estimate is made of how many are needed
LATER = 40  # layers that are tried for l_1
STRIDE = 0.25  # between two of them, in units of 1/|log mu|
ENOUGH = 1.02
PIECES = (8, 32, 128, 512)
GAIN = Decimal("0.95")  # how much smaller B must get for more pieces
_SIZE = Symbol("size_of_C", positive=True)

Place = tuple[Expr, int]  # (k, s) of mu^(k l) l^s


@dataclass(frozen=True)
class _PowerSum:
    """A part of the quantity: sum_k terms[k] mu^((start + k) l) l^logs, and error |mu|^((start + N + 1) l) l^logs."""

    terms: Sequence[arb]
    error: arb
    start: Expr = S.Zero
    logs: int = 0

    @classmethod
    def of(cls, seen: tuple[list[arb], arb], c: arb, factor: arb | int = 1, start: Expr = S.Zero, logs: int = 0):
        """From polynomials in z = mu^l c (`KoenigsInverse.seen`)."""
        terms, error = seen
        grown = [factor * c**k for k in range(len(terms) + 1)]
        values = [value * power for value, power in zip(terms, grown, strict=False)]
        return cls(values, magnitude(grown[-1]) * error, start, logs)

    @property
    def places(self) -> Iterator[tuple[Place, arb]]:
        return (((self.start + k, self.logs), value) for k, value in enumerate(self.terms))


def require_fast(mu: arb) -> None:
    """Refuses a multiplier so near to 1 that an orbit takes longer than can be followed."""
    with working(4 * BITS):
        slow = 1 - abs(mu)
        if slow * DEEPEST < 1:
            known = slow.rel_accuracy_bits() >= 10
            size = slow.str(3, radius=False) if known else f"less than {decimal_above(magnitude(slow), 1):.0e}"
            raise Refused(
                f"the multiplier differs from 1 by {size}, so the law begins to hold after more than {DEEPEST} "
                "layers, which are not followed; start closer to the fixed point"
            )


class GeometricProver(LawProver):
    """Of a hyperbolic law."""

    def __init__(
        self, law: PrintedLaw, low: Expr, high: Expr, bits: int = BITS, terms: int | None = None,
        radius: arb | None = None,
    ):
        super().__init__(law, low, high, bits)
        least = int(law.beyond[0]) + (law.power or 0) + 6
        self.last = max(terms or getattr(law.map_, "terms", TERMS), least)
        self.theorem = self._theorem(RADII if radius is None else (radius,))
        self._larger: dict[Place, bool] = {}

    def _theorem(self, radii: Sequence) -> KoenigsTheorem:
        """The one with the smallest error at a moderate t, of a few regions."""
        try:
            found = first_proved((partial(self._on, arb(radius)) for radius in radii), CANDIDATES)
        except (Refused, PrecisionError):
            require_fast(steps_of(self.law.map_, self.bits, 2)[0])
            raise
        with working(self.bits):
            t = found[-1].radius / 16
            return min(found, key=lambda theorem: theorem.koenigs(t).error)

    def _on(self, radius: arb) -> KoenigsTheorem:
        law = self.law
        theorem = KoenigsTheorem(law.map_, self.last, radius, self.bits, law.along, law.power)
        with working(self.bits):
            theorem.koenigs(radius / 16)
        return theorem

    def prove(self, valid_from: int = 2, layers: Sequence[int] = ()) -> Proof:
        """The theorem; `Refused` where a step cannot be proved."""
        if self.low == self.high:
            return self._one(self._orbit(self.low, self.high), valid_from)
        before: list[Decimal] = []

        def enough(proof: Proof) -> bool:
            gained = not before or proof.constant <= GAIN * min(before)
            before.append(proof.constant)
            return not gained

        attempts = (partial(self._all, count, valid_from) for count in PIECES)
        return best_proved(attempts, attrgetter("constant"), enough)

    def _all(self, count: int, valid_from: int) -> Proof:
        """Over the interval in so many pieces, with exact ends."""
        found = [self._one(self._orbit(*pair), valid_from) for pair in self.pieces(count, 1)]
        worst = max(found, key=lambda proof: proof.constant)
        both = ([getattr(proof, name) for proof in found] for name in ("connection", "second"))
        hulls = [None if values[0] is None else hull(values).ball for values in both]
        return replace(worst, connection=hulls[0], second=hulls[1])

    def _one(self, orbit: BallOrbit, valid_from: int) -> Proof:
        """The best over the layers l_1 from the first possible one on."""

        def enough(found: tuple) -> bool:
            proof, floor = found
            return not total(proof.bounds) > proof.small.max(floor) * ENOUGH

        with working(self.bits, self.last + 1):
            start = self._entrance(orbit)
            if orbit.t(start).is_thin and orbit.t(start).ball.contains(0):  # c^1 = -1 where phi is even
                raise Refused(LANDS)
            stride = max(1, round(STRIDE / -float(abs(self.theorem.mu).log())))
            layers = range(start, start + LATER * stride, stride)
            attempts = (partial(self._at, orbit, layer, start, valid_from) for layer in layers)
            return best_proved(attempts, lambda found: found[0].constant, enough)[0]

    def _entrance(self, orbit: BallOrbit) -> int:
        first, low, step = self.law.first, self.law.first - 1, 1
        while not self._is_inside(orbit, low + step):
            low, step = low + step, 2 * step
            if low - first > DEEPEST:
                raise Refused(
                    "the orbit does not converge to the fixed point: it may have another limit; take starts well "
                    "inside the basin"
                )
            if low - first > GLANCE:
                require_fast(self.theorem.mu)
        later = range(low + 1, low + step)
        return low + 1 + bisect_left(later, True, key=lambda layer: self._is_inside(orbit, layer))

    def _is_inside(self, orbit: BallOrbit, layer: int) -> bool:
        check_time()
        state = orbit.t(layer)  # what it refuses is refused for every later layer too
        try:
            self._inverse(state)
        except Refused:
            return False
        return True

    def _inverse(self, state: BallInterval) -> KoenigsInverse:
        if self.theorem.one_sided and not state.ball > 0:
            raise Refused("an orbit may come in on the other side of the fixed point, where the map has another series")
        return KoenigsInverse(self.theorem, magnitude(state.ball), magnitude(self._z(state)))

    def _z(self, state: BallInterval) -> arb:
        """U over an interval on which U_N is monotone (`KoenigsInverse`)."""
        known = self.theorem.koenigs(magnitude(state.ball))
        if state.is_thin:
            return known.at(state.low)
        error = arb(0, (known.error * magnitude(state.ball) ** len(known.terms)).upper())
        return between(*(known.at(end) + error for end in (state.low, state.high)))

    def _at(self, orbit: BallOrbit, layer: int, start: int, valid_from: int) -> tuple[Proof, arb]:
        """The proof with this l_1, and what no l_1 can bring B below."""
        law, theorem, state = self.law, self.theorem, orbit.t(layer)
        inverse, c = self._inverse(state), self._z(state) / theorem.mu**layer
        sums, second = self._sums(orbit, layer, start, inverse, c)
        connection = c**law.map_.root
        printed = {(term.order, term.logs): self._number(term.coefficient, connection, second) for term in law.terms}
        rest = self._unprinted(sums, printed)
        bounds = self._bounds(rest, sums, layer)
        small = self._first_layers(orbit, valid_from, layer, printed)
        constant = decimal_above(total(bounds).max(small), 6)
        proof = Proof(constant, valid_from, layer, connection, second, bounds, small, theorem, inverse)
        return proof, magnitude(rest.get(law.beyond, arb(0)))

    def _sums(
        self, orbit: BallOrbit, layer: int, start: int, inverse: KoenigsInverse, c: arb
    ) -> tuple[list[_PowerSum], arb | None]:
        """The quantity as polynomials in mu^l, and D."""
        law, theorem = self.law, self.theorem
        if law.along is None:
            return [_PowerSum.of(inverse.seen("x"), c, arb(law.sign))], None
        weight, p, h = self._weight(orbit, layer, start), theorem.particular(inverse.t), theorem.h(inverse.t)
        whole, free = _PowerSum.of(inverse.seen("P", p.error), c), inverse.seen("h", h.error)
        if law.power is None:
            return [whole, _PowerSum.of(free, c, weight, law.weight)], weight
        second = weight - theorem.resonance * abs(c).log() / abs(theorem.mu).log()
        both = [_PowerSum.of(free, c, weight * c**law.power, Integer(law.power))]
        if not theorem.resonance.is_zero():
            both.append(_PowerSum.of(free, c, theorem.resonance * c**law.power, Integer(law.power), logs=1))
        return [whole, *both], second

    def _weight(self, orbit: BallOrbit, layer: int, start: int) -> arb:
        """E, from the layer or from the first possible one: errors of the orbit weigh more the deeper it is."""
        here = self._weight_at(orbit, layer)
        try:
            early = self._weight_at(orbit, start)
        except Refused:  # P and h are bounded nearer to the fixed point than U
            return here
        return early if early.rad() < here.rad() else here

    def _weight_at(self, orbit: BallOrbit, layer: int) -> arb:
        theorem, law, t = self.theorem, self.law, orbit.t(layer)
        top = magnitude(t.ball)
        moved = orbit.a(layer).ball - theorem.particular(top).at(t.ball)
        h = theorem.h(top).at(t.ball)
        if law.power is None:
            return moved / (h * theorem.slope**layer)
        return moved / (h * self._z(t) ** law.power) - theorem.resonance * layer

    def _unprinted(self, sums: Sequence[_PowerSum], printed: Mapping[Place, arb]) -> dict[Place, arb]:
        """{place: coefficient} from the remainder on; `Refused` for a wrong print."""
        true: dict[Place, arb] = {}
        for place, value in (pair for part in sums for pair in part.places):
            true[place] = true.get(place, arb(0)) + value
        for place in {*printed, *filter(self._is_larger, true)}:
            if not self._is_larger(place):
                raise Refused("a printed term is not larger than the remainder")
            here, there = true.get(place, arb(0)), printed.get(place, arb(0))
            if not here.overlaps(there):
                raise Disproved(
                    f"the coefficient of power {place[0]} is {here.str(10)} and not the printed {there.str(10)}"
                )
        return {place: value for place, value in true.items() if not self._is_larger(place)}

    def _is_larger(self, place: Place) -> bool:
        """Whether a term is larger than the remainder."""
        if place not in self._larger:
            rest = self.law.beyond
            self._larger[place] = bool(place[0] < rest[0]) or (place[0] == rest[0] and place[1] > rest[1])
        return self._larger[place]

    def _unit(self, place: Place, layer: int) -> arb:
        """mu^(k l) l^s, or with k = weight + j lambda(0)^l mu^(j l)."""
        theorem, (k, logs) = self.theorem, place
        if k.is_Integer:
            return theorem.mu ** (int(k) * layer) * arb(layer) ** logs
        j = k - self.law.weight
        if not j.is_Integer:
            raise Refused(f"the term of the power {k} is not one of this law's powers")
        return theorem.slope**layer * theorem.mu ** (int(j) * layer)

    def _bounds(self, rest: Mapping[Place, arb], sums: Sequence[_PowerSum], layer: int) -> dict[str, arb]:
        """What is not printed over the remainder's monomial, for all l >= layer."""
        unit = abs(self._unit(self.law.beyond, layer))

        def over(terms: Iterable[tuple[Place, arb]]) -> arb:
            found = arb(0)
            for place, value in terms:
                self._require_falling(place, layer)
                found += magnitude(value) * abs(self._unit(place, layer)) / unit
            return found.upper()

        beyond = self.theorem.last + 1
        errors = (((part.start + beyond, part.logs), part.error) for part in sums)
        return {"known": over(rest.items()), "rest": over(errors)}

    def _require_falling(self, place: Place, layer: int) -> None:
        """l^s |mu|^(k l) over the remainder falls from the layer on: s - b <= (k - K) |log mu| l."""
        logs, more = place[1] - self.law.beyond[1], place[0] - self.law.beyond[0]
        if logs > 0 and not (number(more) * -abs(self.theorem.mu).log() * layer >= logs):
            raise Refused("a term beyond the remainder cannot be shown to fall against it; begin at a deeper layer")

    def _number(self, expression, connection: arb, second: arb | None) -> arb:
        c, d = self.law.constants
        known = dict(self.law.map_.known(self.bits)) | {c: connection, _SIZE: abs(connection)}
        if second is not None:
            known[d] = second
        if self.law.multiplier is not None:
            known[self.law.multiplier] = self.theorem.mu**self.law.map_.root
        return number(expression.subs(Abs(c), _SIZE) if isinstance(expression, Expr) else expression, known)

    def value(self, depth: int, digits: int) -> arb:
        """The quantity of one start without its offset, from a layer where U is known to the digits."""
        orbit, theorem, law = self._orbit(self.low, self.high), self.theorem, self.law
        with working(self.bits, self.last + 1):
            layer = self._accurate(orbit, digits)
            if layer >= depth:
                return self.law.moving(orbit, depth)[0]
            inverse, z = self._inverse(orbit.t(layer)), self._z(orbit.t(layer)) * theorem.mu ** (depth - layer)
            t = arb_poly(theorem.reversion)(z) + arb(0, (inverse.error * magnitude(z) ** inverse.count).upper())
            if law.along is None:
                return law.sign * t**law.map_.root
            weight, h = self._weight_at(orbit, layer), theorem.h(inverse.t).at(t)
            if law.power is None:
                return theorem.particular(inverse.t).at(t) + weight * theorem.slope**depth * h
            return theorem.particular(inverse.t).at(t) + (weight + theorem.resonance * depth) * h * z**law.power

    def connection(self, digits: int) -> arb:
        """C of one start, from such a layer."""
        orbit = self._orbit(self.low, self.high)
        with working(self.bits, self.last + 1):
            layer = self._accurate(orbit, digits)
            return (self._z(orbit.t(layer)) / self.theorem.mu**layer) ** self.law.map_.root

    def _accurate(self, orbit: BallOrbit, digits: int) -> int:
        """The first layer whose errors are below the digits."""
        layer, theorem = self._entrance(orbit), self.theorem
        goal = arb(10) ** -digits
        while layer - self.law.first < DEEPEST:
            check_time()
            t = magnitude(orbit.t(layer).ball)
            known = [theorem.koenigs(t)] + ([theorem.h(t), theorem.particular(t)] if self.law.along else [])
            if all(k.error * t**self.last < goal for k in known):
                return layer
            layer += 1
        raise PrecisionError(f"the orbit takes more than {DEEPEST} layers to where {digits} digits are proved")

    def _first_layers(self, orbit: BallOrbit, first: int, last: int, printed: Mapping[Place, arb]) -> arb:
        worst, law = arb(0), self.law
        for layer in range(max(first, law.first), last + 1):
            law_here = sum((c * self._unit(place, layer) for place, c in printed.items()), arb(0))
            unit = abs(self._unit(law.beyond, layer))
            for end in law.moving(orbit, layer):
                worst = worst.max((magnitude(end - law_here) / unit).upper())
        return worst
