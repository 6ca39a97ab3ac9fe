"""From a printed law to a theorem: for all l >= l_0 and all starts of an interval, |quantity - law| <= B monomial.

Rule.  Prove the coordinate (`abel`, `linear`), iterate the ends of the interval to a layer l_1 (`orbit`), read C (and
D) off there, bound everything beyond l_1 by the tail (`inversion`), and enclose each of l_0, ..., l_1 itself.  B is the
larger of both, rounded up; l_1 goes deeper while the tail decides.

Tiny case.  ReLU, c^1 = 1/10: |1 - c^l - (9 pi^2/2)(l^-2 - 3 log l/l^3)| <= B l^-3 for all l >= 2; its limit is 322.83.

Known limits.  That a printed coefficient is that of the series is shown by exact algebra elsewhere; here it must
lie in the ball.  Of a law with C an interval of starts is cut into pieces (`NearPiece` says what is shown of one).
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from math import ceil
from operator import attrgetter

from flint import arb, arb_poly
from sympy import Abs, Expr, Integer, Poly, Rational, S, Symbol

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import (
    PASSING,
    Disproved,
    Refused,
    best_proved,
    between,
    decimal_above,
    decimal_below,
    first_proved,
    largest,
    magnitude,
    short,
    whole_power,
    working,
)
from asympt.balls.disc import LocalBallMap
from asympt.balls.expression import number
from asympt.balls.inversion import Beyond, LogPart, Root, Tail, best_tail, total
from asympt.balls.koenigs import KoenigsInverse, KoenigsTheorem, steps_of
from asympt.balls.linear import LinearTheorem
from asympt.balls.orbit import LANDS, BallInterval, BallOrbit, LinearAlong, hull
from asympt.balls.printed import LawProver, PrintedLaw, PrintedTerm, Proof, cut
from asympt.deadline import check_time
from asympt.errors import PrecisionError

BITS = 256
TERMS = 12  # N, at the least
WEIGHTS = 8  # weights beyond the remainder that are bounded term by term
LAYERS = (250, 1000, 2000, 4000, 8000)
GLANCES = (16, 64, 250)  # layers at which a rough C is read off
COARSE, FINER, PIECES = 8, 4, 64  # of an interval of starts: at first, of the worst piece, and in the end
FINE = arb(2) ** -20  # the error of A_N from which on it is used for pieces
GAIN = 0.95  # how much smaller B must get for more pieces
NEARLY = 1.02  # how much B may exceed what one start, or what comes later, shows
LOOSE, ENOUGH = 1.1, 1.03  # how much the tail may exceed what the first layers, or its own limit, need
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
        self._followed: dict[tuple[Expr, Expr], BallOrbit] = {}
        self._printed: dict[int, PrintedAt] = {}
        self.weight = law.weight(law.remainder)
        self.last = terms or max(TERMS, self.weight + law.map_.order + 2, law.power + 4)
        radii = RADII if radius is None else (radius,)
        self.theorem, self.linear = best_theorem(law.map_, law.along, law.power, self.last, bits, radii, CANDIDATES)
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
        """D: for one start from the best layer, for an interval in parts, each from the earliest possible layer."""
        if orbit.t(layer).is_thin:
            return self._sharpest(
                layer, orbit,
                lambda early: orbit.theorem(self.linear, early).weight(orbit.t(early).low, orbit.a(early).low),
            )
        if (orbit.low, orbit.high) == (self.low, self.high):
            return hull([self._second(self._from(ends), layer) for ends in cut(self.low, self.high, COARSE, 2)]).ball
        parts = map(self._from, cut(orbit.low, orbit.high, 1 if orbit.is_wide else FINER))
        return hull([self._earliest(part, layer) for part in parts]).ball

    def _earliest(self, orbit: BallOrbit, layer: int) -> arb:
        """D from the first layers, since what is not known of a start weighs more and more."""
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
        found = best_proved(attempts, attrgetter("constant"), self._enough, (Refused,))
        if not self._in_pieces:
            return found
        with working(self.bits):
            small = self._over_pieces(valid_from, found.layer, total(found.bounds).max(found.small * NEARLY))
            return replace(found, constant=decimal_above(total(found.bounds).max(small), 6), small=small)

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
            spare = LOOSE if self._in_pieces else ENOUGH
            return bool(total(proof.bounds) <= proof.small.max(proof.bounds["B0"]) * spare)

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
            small = self._shown(valid_from, layer, c, d)
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

    # ---- the first layers ------------------------------------------------------------------------------------

    def printed_at(self, layer: int) -> "PrintedAt":
        """The law in a layer, the same for all pieces of the starts."""
        if layer not in self._printed:
            log_l, found = arb(layer).log(), {}
            for place, value, order, logs in self._terms:
                found[place] = found.get(place, arb(0)) + value * power(layer, -order) * log_l**logs
            rest = self.law.remainder
            self._printed[layer] = PrintedAt(found, power(layer, -rest.order) * log_l**rest.logs)
        return self._printed[layer]

    @cached_property
    def _terms(self) -> list[tuple]:
        """((i, j), value, order, logs) of all value C^i D^j l^-order log(l)^logs that are printed, less the offset."""
        found = [((0, 0), -self.number(self.law.offset), Rational(0), 0)]
        for term in self.law.terms:
            for (i, j), value in Poly(term.coefficient, *self.law.constants).terms():
                found.append(((i, j), self.number(value) / self._unit**j, term.order, term.logs))
        return found

    @property
    def _in_pieces(self) -> bool:
        """Whether the law has a constant of the start, and there is more than one start."""
        return self.law.has_constants and self.low != self.high

    def _shown(self, first: int, last: int, c: arb, d: arb | None) -> arb:
        """The largest deviation over the monomial, layer by layer; of the first and the last start for a law with C."""
        if self._in_pieces:
            return largest(self._piece((end, end), first, last)[0] for end in (self.low, self.high))
        return self._deviation(self.orbit, first, last, c, d)[0]

    def _over_pieces(self, first: int, last: int, goal: arb) -> arb:
        """The same of all starts, no sharper than the goal.

        Of a piece in which that is exceeded, parts are followed up to the last layer where it is.
        """
        pieces = {ends: self._over(ends, first, last, goal) for ends in cut(self.low, self.high, COARSE, 2)}
        beyond = arb(0)  # of the layers in which parts are not followed
        while len(pieces) < PIECES and (worst := max(pieces, key=pieces.get)) and pieces[worst][0] > goal:
            size, late = pieces.pop(worst)
            parts = {ends: self._over(ends, first, late, goal) for ends in cut(*worst, FINER)}
            pieces, beyond = pieces | parts, goal
            if size.is_finite() and max(parts.values())[0] > GAIN * size:
                break
        worst = max(pieces, key=pieces.get)
        found, late = pieces[worst]
        return beyond.max(found if found.is_finite() else self._piece(worst, first, late)[0])  # which says why not

    def _over(self, ends: tuple[Expr, Expr], first: int, last: int, goal: arb) -> tuple[arb, int]:
        """The same for a piece of the interval; infinite where it is refused, as it may not be in parts."""
        try:
            return self._piece(ends, first, last, goal)
        except PASSING:
            return arb.pos_inf(), last

    def _piece(self, ends: tuple[Expr, Expr], first: int, last: int, goal: arb | int = 0) -> tuple[arb, int]:
        orbit = self._from(ends)
        return self._deviation(orbit, first, last, *self.constants(orbit, last), goal)

    def _from(self, ends: tuple[Expr, Expr]) -> BallOrbit:
        found = self._followed[ends] = self._followed.get(ends) or self._orbit(*ends)
        return found

    def _deviation(
        self, orbit: BallOrbit, first: int, last: int, c: arb, d: arb | None, goal: arb | int = 0
    ) -> tuple[arb, int]:
        """The largest one for the starts of an orbit with these C and D, and the last layer in which it exceeds `goal`.

        Only what exceeds the goal is made sharp.
        """
        near = None if orbit.t(orbit.first).is_thin or not self._in_pieces else self._near(orbit, last, d)
        worst, late, goal = arb(0), near.layer if near else last, arb(goal)
        for layer in range(max(first, orbit.first), last + 1):
            printed = self.printed_at(layer)
            law = printed.value(c, d)
            size = largest(magnitude(end - law) for end in self.law.moving(orbit, layer)) / printed.unit
            if near is not None and layer >= near.layer and not size <= goal:
                size = size.min(near.deviation(layer) / printed.unit)
            worst, late = worst.max(size.upper()), late if size <= goal else max(late, layer)
        return worst, late

    def _near(self, orbit: BallOrbit, last: int, d: arb | None) -> "NearPiece | None":
        """The piece from the first layer on, of a few, in which the formal solutions are good."""
        layer, step = orbit.settled, 1
        while layer <= last:
            try:
                found = NearPiece(self, orbit, layer, d)
            except PASSING:
                found = None
            if found is not None and found.error(layer) < FINE:
                return found
            layer, step = layer + step, 2 * step
        return None


@dataclass(frozen=True)
class PrintedAt:
    """The law, less the offset, in one layer: values of C^i D^j, and the remainder's monomial there."""

    terms: Mapping[tuple[int, int], arb]
    unit: arb

    def value(self, c: arb, d: arb | None) -> arb:
        return self._sum(self.terms.items(), c, d)

    def slopes(self, c: arb, d: arb | None) -> tuple[arb, arb]:
        """The derivatives in C and in D."""
        rows = [((i - 1, j), i * v) for (i, j), v in self.terms.items() if i], [
            ((i, j - 1), j * v) for (i, j), v in self.terms.items() if j]
        return tuple(self._sum(row, c, d) for row in rows)

    @staticmethod
    def _sum(terms: Iterable, c: arb, d: arb | None) -> arb:
        return sum((v * whole_power(c, i) * (whole_power(d, j) if j else 1) for (i, j), v in terms), arb(0))


class NearPiece:
    """A piece of the starts from a layer on in which all its t are known by the formal solutions.

    For every start, |A_N(t_l) - l - C| <= E and |a_l - P_N - D H_N| <= K, so that the deviation is, up to K and
    E |d law/dC|, an explicit function of t_l and D,

        G(t, D) = q(t, D) - law(A_N(t) - l, D),      q = t^e, or P_N + D H_N (over l),

    on the interval of the t_l: value and law move together.  By the mean value theorem |G| is at most what it is at the
    ends, t at D's middle, where its slope in t has one sign, else by the slope times half of the interval more; and
    |q_D - law_D| times the radius of D more.  C as a ball of its own adds its width times |law_C| in every layer, which
    over the monomial grows with l.
    """

    def __init__(self, prover: Prover, orbit: BallOrbit, layer: int, d: arb | None):
        self.prover, self.orbit, self.layer, self.d = prover, orbit, layer, d
        theorem, top = orbit.theorem(prover.theorem, layer), orbit.t(layer).upper
        theorem.require_falling(top)
        self.factor, self.power = theorem.error_factor(top), theorem.first - theorem.order
        self.own = None if prover.linear is None else orbit.theorem(prover.linear, layer).error_factor(top, d)

    def error(self, layer: int) -> arb:
        """E in a later layer."""
        return (self.factor * self.orbit.t(layer).upper**self.power).upper()

    def deviation(self, layer: int) -> arb:
        """A bound of it for all starts of the piece."""
        law, series, printed = self.prover.law, self.prover.theorem.series, self.prover.printed_at(layer)
        t, m, d = self.orbit.t(layer), self.prover.theorem.order, None if self.d is None else self.d.mid()
        e, clocks = self.error(layer), [series.at(end) - layer for end in t.ends]
        found = largest(magnitude(self._quantity(end, d, layer) - printed.value(c, d))
                        for end, c in zip(t.ends, clocks, strict=True))  # fmt: skip
        c = between(*clocks) + arb(0, e)
        by_c, by_d = printed.slopes(c, self.d)
        found += abs(by_c) * e
        slope = self._slope(t.ball, d, layer) * t.ball**m - printed.slopes(c, d)[0] * series.slope(t.ball)
        if not (slope >= 0 or slope <= 0):
            found += abs(slope) / t.ball ** (m + 1) * (t.high - t.low) / 2
        if d is not None:
            size, power = self.own
            by_d -= law.seen(None, self.prover.linear.solution.homogeneous(t.ball), layer)
            found += abs(by_d) * self.d.rad() + abs(law.seen(None, size * t.upper**power, layer))
        return magnitude(found)

    def _quantity(self, t: arb, d: arb | None, layer: int) -> arb:
        if d is None:
            return self.prover.law.seen(t, None, layer)
        solution = self.prover.linear.solution
        return self.prover.law.seen(None, solution.at(t) + d * solution.homogeneous(t), layer)

    def _slope(self, t: arb, d: arb | None, layer: int) -> arb:
        """t dq/dt."""
        if d is None:
            return self.prover.law.exponent * self.prover.law.seen(t, None, layer)
        return self.prover.law.seen(None, self.prover.linear.solution.slope(t, d), layer)


def power(layer: int, exponent: Rational) -> arb:
    base, exponent = arb(layer), Rational(exponent)
    if exponent.q == 1:
        return base ** int(exponent.p)
    return base.root(int(exponent.q)) ** int(exponent.p)


# ---- from a hyperbolic law to a theorem: for all l >= l_0 and all starts, |quantity - law| <= B n^s |mu|^(K l)
#
# From the first layer l_1 on at which `koenigs` can be inverted, the quantity is a sum of
#
#     f_k z^k,   (E + r l) g_k z^k,   or lambda^l E g_k z^k,      z = mu^l c, k <= N,      and an error e |z|^(N+1);
#
# what is not printed of it, over the remainder's monomial, falls with l from l_1 on, which is checked.  The layers
# l_0, ..., l_1 are enclosed one by one, l_1 goes deeper while what is beyond it decides, and an interval of starts is
# cut into pieces until B does not get smaller.

ORDERS = 24  # N, at the least, for maps that do not say it
REGIONS = tuple(short(4 * 0.8**k) for k in range(60))
DEEPEST = 20000
GLANCE = 64  # layers before an estimate is made of how many are needed
LATER = 40  # layers that are tried for l_1
STRIDE = 0.25  # between two of them, in units of 1/|log mu|
CUTS = (8, 32, 128, 512)
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
        self.last = max(terms or getattr(law.map_, "terms", ORDERS), least)
        self.theorem = self._theorem(REGIONS if radius is None else (radius,))
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
            gained = not before or proof.constant <= Decimal(GAIN) * min(before)
            before.append(proof.constant)
            return not gained

        attempts = (partial(self._all, count, valid_from) for count in CUTS)
        return best_proved(attempts, attrgetter("constant"), enough)

    def _all(self, count: int, valid_from: int) -> Proof:
        """Over the interval in so many pieces, with exact ends."""
        found = [self._one(self._orbit(*pair), valid_from) for pair in cut(self.low, self.high, count)]
        worst = max(found, key=lambda proof: proof.constant)
        both = ([getattr(proof, name) for proof in found] for name in ("connection", "second"))
        hulls = [None if values[0] is None else hull(values).ball for values in both]
        return replace(worst, connection=hulls[0], second=hulls[1])

    def _one(self, orbit: BallOrbit, valid_from: int) -> Proof:
        """The best over the layers l_1 from the first possible one on."""

        def enough(found: tuple) -> bool:
            proof, floor = found
            return not total(proof.bounds) > proof.small.max(floor) * NEARLY

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
