"""From a printed law to a theorem: for all l >= l_0 and all starts of an interval, |quantity - law| <= B monomial.

Rule.  Prove the coordinate (`abel`, `linear`), iterate the ends of the interval to a layer l_1 (`orbit`), read C (and
D) off there, bound everything beyond l_1 by the tail (`inversion`), and enclose each of l_0, ..., l_1 itself.  B is the
larger of both, rounded up; l_1 goes deeper while the tail decides.

Tiny case.  ReLU, c^1 = 1/10: |1 - c^l - (9 pi^2/2)(l^-2 - 3 log l/l^3)| <= B l^-3 for all l >= 2; its limit is 322.83.

Known limits.  That a printed coefficient is that of the series is shown by exact algebra elsewhere; here it must
lie in the ball.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from math import ceil
from operator import attrgetter

from flint import arb
from sympy import Expr, Rational

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import (
    Refused,
    best_proved,
    between,
    decimal_above,
    decimal_below,
    first_proved,
    largest,
    magnitude,
    short,
    working,
)
from asympt.balls.disc import LocalBallMap
from asympt.balls.expression import number
from asympt.balls.inversion import Beyond, LogPart, Root, Tail, best_tail, total
from asympt.balls.linear import LinearTheorem
from asympt.balls.orbit import BallInterval, BallOrbit, LinearAlong
from asympt.balls.printed import LawProver, PrintedLaw, PrintedTerm, Proof
from asympt.errors import PrecisionError

BITS = 256
TERMS = 12  # N, at the least
WEIGHTS = 8  # weights beyond the remainder that are bounded term by term
LAYERS = (250, 1000, 2000, 4000, 8000)
GLANCES = (16, 64, 250)  # layers at which a rough C is read off
PIECES = 64  # of an interval of starts, for a law with C
ENOUGH = 1.03  # how much the tail may exceed what the first layers, or its own limit, need
RADII = tuple(short(4 * 0.85**k) for k in range(60))
CANDIDATES = 5  # circles compared, from the largest that can be proved


@lru_cache(maxsize=32)  # no word of starts or of what is printed: one theorem for all of them
def best_theorem(
    map_: LocalBallMap, along: LinearAlong | None, power: int, last: int, bits: int, radii: tuple, candidates: int = 1
) -> tuple[AbelTheorem, LinearTheorem | None]:
    """On the best of the first regions on which it can be proved: the one with the smallest error at a moderate t."""

    def on(radius) -> tuple[AbelTheorem, LinearTheorem | None]:
        theorem = AbelTheorem(map_, last, arb(radius), bits)
        with working(bits):
            theorem.rate(arb(radius) / 16)
            return theorem, LinearTheorem(theorem, along, power) if along else None

    found = first_proved((partial(on, radius) for radius in radii), candidates)
    with working(bits):
        t = found[-1][0].radius / 16
        return min(found, key=lambda pair: _size(pair[0].error(t)))


def _size(error: arb) -> float:
    return float(error.log()) if error > 0 else float("-inf")


@lru_cache(maxsize=16)  # laws of one map from the same starts (one more term, another remainder) follow one orbit
def _orbit(orbits: Callable[..., BallOrbit], *given) -> BallOrbit:
    return orbits(*given)


class Prover(LawProver):
    """Of a parabolic law."""

    def __init__(
        self, law: PrintedLaw, low: Expr, high: Expr, bits: int = BITS, terms: int | None = None,
        radius: arb | None = None,
    ):
        super().__init__(law, low, high, bits)
        self.orbit = _orbit(law.orbits, law.map_, low, high, law.first, bits, law.along)
        self.weight = law.weight(law.remainder)
        self.last = terms or max(TERMS, self.weight + law.map_.order + 2, law.power + 4)
        radii = RADII if radius is None else (radius,)
        self.theorem, self.linear = best_theorem(
            law.map_, law.along, law.power, self.last, bits, radii, CANDIDATES
        )
        self.theorem.refute()
        with working(bits):
            self.root = Root(self.theorem.series, self.weight + WEIGHTS)

    def constants(self, orbit: BallOrbit, layer: int) -> tuple[arb, arb | None]:
        """(C, D) of the starts of an orbit, from one layer."""
        t = orbit.t(layer)
        if t.is_thin:
            c = self._sharpest(
                layer, orbit, lambda early: orbit.theorem(self.theorem, early).constant(orbit.t(early).low, early)
            )
        else:
            self.theorem.require_falling(t.upper)
            error = arb(0, orbit.theorem(self.theorem, layer).error(t.upper))
            ends = [self.theorem.series.at(end) + error - layer for end in (t.high, t.low)]
            c = between(*ends)
        return c, None if self.linear is None else self._second(orbit, layer)

    def _sharpest(self, layer: int, orbit: BallOrbit, enclose: Callable[[int], arb]) -> arb:
        """A constant from the layer, or from half as deep, ...: the errors of the orbit weigh more the deeper it is."""
        best = enclose(layer)
        while (layer := layer // 2) > orbit.first:
            try:
                found = enclose(layer)
            except (Refused, PrecisionError):
                break
            if not found.is_finite() or not found.rad() < best.rad():
                break
            best = found
        return best

    def _second(self, orbit: BallOrbit, layer: int) -> arb:
        """D: for one start from the best layer, from the earliest possible one for an interval."""
        if orbit.t(layer).is_thin:
            return self._sharpest(
                layer, orbit,
                lambda early: orbit.theorem(self.linear, early).weight(orbit.t(early).low, orbit.a(early).low),
            )
        best = None
        for early in range(orbit.first, layer + 1):
            try:
                d = orbit.theorem(self.linear, early).weight(orbit.t(early).ball, orbit.a(early).ball)
            except Refused:
                continue
            if d.is_finite() and (best is None or d.rad() < best.rad()):
                best = d
            elif best is not None:
                break
        if best is None:
            raise Refused("the second constant cannot be enclosed for all starts of the interval")
        return best

    def prove(self, valid_from: int = 2, layers: Sequence[int] = ()) -> Proof:
        """The theorem, with l_1 one of the layers (of `LAYERS`); `Refused` where a step cannot be proved."""
        layers = layers or LAYERS
        least = self._least_layer(layers[-1])
        attempts = (partial(self._at, layer, valid_from) for layer in layers if layer >= least)
        return best_proved(attempts, attrgetter("constant"), self._enough, (Refused,))

    def _least_layer(self, most: int) -> int:
        """Before it |Y| is too large on every bidisc, since |C| is; `Refused` where it lies beyond `most` layers."""
        with working(self.bits):
            speed = self.theorem.series.residue / self.law.map_.order
            shifts = [(c - speed * self.root.lead.log()).abs_lower() for c in self._first_constants()]
            if not shifts:
                return 0
            shift = largest(shifts)
            room = largest((bidisc.y for bidisc in self.root.bidiscs), "the bidisc") if self.root.bidiscs else arb(1)
            least = ceil(float(shift / room))
            if least <= most:
                return least
            raise Refused(
                f"|C| reaches about {shift.str(3, radius=False)}, so the law begins to hold near layer {least:.3g}, "
                f"and at most {most} layers are followed; start neither so close to the fixed point nor to the edge of "
                "its basin"
            )

    def _first_constants(self) -> list[arb]:
        """C of both ends from the first of a few layers in which they are near enough; none where no layer is."""
        for layer in (self.law.first, *GLANCES):
            try:
                t = self.orbit.t(layer)
                return [self.orbit.theorem(self.theorem, layer).constant(end, layer) for end in (t.low, t.high)]
            except (Refused, PrecisionError):
                continue
        return []

    def _enough(self, proof: Proof) -> bool:
        with working(self.bits):
            return bool(total(proof.bounds) <= proof.small.max(proof.bounds["B0"]) * ENOUGH)

    def _at(self, layer: int, valid_from: int) -> Proof:
        t = self.orbit.t(layer)
        with working(self.bits):
            theorem = self.orbit.theorem(self.theorem, layer)
            c, d = self.constants(self.orbit, layer)
            tail = Tail(theorem, self.root, self._parts(d), Beyond(self.weight, self.law.remainder.logs), c)
            self._require_printed(tail, c, d)
            linear = None if self.linear is None else self.orbit.theorem(self.linear, layer)
            own = None if linear is None else linear.error_factor(t.upper, d)
            bounds, bidisc = best_tail(tail, layer, t.upper, self._factor(), own)
            small = self._first_layers(valid_from, layer, c, d)
            constant = decimal_above(total(bounds).max(small), 6)
            d = None if d is None else d / self._unit
            figures = self._figures(theorem, t, layer) | ({} if linear is None else linear.figures)
        return Proof(constant, valid_from, layer, c, d, bounds, small, theorem, bidisc, self.linear, figures)

    def _figures(self, theorem: AbelTheorem, t: BallInterval, layer: int) -> dict[str, dict[str, str]]:
        """What is worth telling of the steps that leave no object behind."""
        rate, error = decimal_below(theorem.rate(t.upper), 6), decimal_above(theorem.error(t.upper), 6)
        ends = (decimal_below(t.low, 12), decimal_above(t.high, 12))
        orbit = {"l_1": str(layer), "t_(l_1)": f"[{ends[0]}, {ends[1]}]"}
        return {"rate": {"a'": str(rate), "E(t_(l_1))": str(error)}, "orbit": orbit} | theorem.figures

    def _factor(self) -> arb:
        """What |quantity| is times a function of (X, Y)."""
        return self.root.unit**self.law.exponent if self.linear is None else arb(1)

    def _parts(self, d: arb | None) -> list[LogPart]:
        if self.linear is not None:
            return self.linear.solution.parts(self.root, d)
        e = self.law.exponent
        return [LogPart(0, self.root.power(e), lambda bidisc: (1 + bidisc.r if e > 0 else 1 - bidisc.r) ** e)]

    def _require_printed(self, tail: Tail, c: arb, d: arb | None) -> None:
        printed = {(self.law.weight(term), term.logs): self._coefficient(term, c, d) for term in self._moving()}
        sign = self.law.sign if self.law.along is None else 1
        self.require_printed(tail, printed, self._factor() * sign)

    def _moving(self) -> list[PrintedTerm]:
        """The terms without the offset, which is a term of order 0 of its own."""
        law = self.law
        if law.offset == 0:
            return list(law.terms)
        rest = [term for term in law.terms if (term.order, term.logs) != (0, 0)]
        head = [term for term in law.terms if (term.order, term.logs) == (0, 0)]
        left = (head[0].coefficient if head else Rational(0)) - law.offset
        if self.number(left).contains(0):
            return rest
        raise Refused(f"the limit of the orbit is {law.offset}, not what is printed")

    @cached_property
    def _unit(self) -> arb:
        return number(self.law.unit, self.law.map_.known(self.bits))

    def _coefficient(self, term: PrintedTerm, c: arb, d: arb | None) -> arb:
        return self.number(term.coefficient, c, None if d is None else d / self._unit)

    def _first_layers(self, first: int, last: int, c: arb, d: arb | None) -> arb:
        """The largest deviation over the monomial, layer by layer."""
        if not self.law.has_constants or self.low == self.high:
            return self._deviation(self.orbit, first, last, c, d)
        return largest(self._piece(low, high, first, last) for low, high in self.pieces(PIECES, 2))

    def _piece(self, low: Expr, high: Expr, first: int, last: int) -> arb:
        orbit = self.law.orbit(low, high, self.bits)
        orbit.t(last)
        return self._deviation(orbit, first, last, *self.constants(orbit, last))

    def _deviation(self, orbit: BallOrbit, first: int, last: int, c: arb, d: arb | None) -> arb:
        terms = [(self._coefficient(term, c, d), term.order, term.logs) for term in self.law.terms]
        rest = self.law.remainder
        offset = self.number(self.law.offset)
        worst = arb(0)
        for layer in range(max(first, orbit.first), last + 1):
            log_l = arb(layer).log()
            law = sum((value * power(layer, -order) * log_l**logs for value, order, logs in terms), arb(0))
            unit = power(layer, -rest.order) * log_l**rest.logs
            for end in self.law.moving(orbit, layer):
                worst = worst.max((magnitude(offset + end - law) / unit).upper())
        return worst


def power(layer: int, exponent: Rational) -> arb:
    base, exponent = arb(layer), Rational(exponent)
    if exponent.q == 1:
        return base ** int(exponent.p)
    return base.root(int(exponent.q)) ** int(exponent.p)
