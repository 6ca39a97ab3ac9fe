"""From a law in log l to a theorem: for all l >= l_0 and all starts, |quantity - law| <= B log(l)^-p loglog(l)^b.

With Lambda = log l, T/a = Lambda + C/a + e/a (`theorem`), which `inversion` inverts with Lambda in the place of the
layer: the tail from Lambda_1 on, at l = 10^10 or later.  The layers l_0, ..., n are enclosed one by one; between them
and Lambda_1 the deviation, a function of Lambda, C and D, is bounded in mean value form on boxes, of which the one with
the largest bound is halved until that is what a point of it shows (`Deviation.largest`), or `BOXES` times.
"""

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import attrgetter

from flint import arb, arb_poly
from sympy import Expr

from asympt.balls.arithmetic import (
    Disproved,
    Refused,
    best_proved,
    between,
    decimal_above,
    decimal_below,
    largest,
    magnitude,
    working,
)
from asympt.balls.expression import number
from asympt.balls.flows.theorem import FlowTheorem
from asympt.balls.inversion import Beyond, Bidisc, LogPart, Root, Tail, XSeries, best_tail, total
from asympt.balls.orbit import FlowOrbit, hull
from asympt.balls.printed import LawProver, PrintedLaw, PrintedTerm, Proof, cut
from asympt.balls.theorem import WEIGHTS
from asympt.deadline import check_time


@dataclass(frozen=True)
class Errors:
    """What single layers add, from layer n on.

    |T - a log l - C| <= E/l,  |k - P - D h| <= K/l,  |s - s_0 - b log l| <= S/l.
    """

    time: arb
    kernel: arb
    norm: arb

    def at(self, depth: arb) -> "Errors":
        """E/l, K/l and S/l at log l = depth, and deeper."""
        small = (-depth.lower()).exp()
        return Errors(*((size * small).upper() for size in (self.time, self.kernel, self.norm)))


class FlowTail(Tail):
    """The tail from Lambda on; moved: E/a;  own: G, where the quantity itself has an error G/l."""

    def __init__(self, theorem: FlowTheorem, root, parts, printed: Beyond, constant: arb, moved: arb, own: arb,
                 depth: arb):
        super().__init__(theorem, root, parts, printed, constant)
        self.moved, self.own, self.small = moved, own, moved * (-depth).exp()

    def error(self, t: arb) -> arb:
        """That of A_N(t) = Lambda + C/a."""
        return self.theorem.truncation(t) + self.small

    def bound(self, layer: arb, t: arb, bidisc: Bidisc, own: tuple[arb, int] | None = None) -> dict[str, arb]:
        """With B5, what single layers add, for all Lambda >= `layer`."""
        found = super().bound(layer, t, bidisc, own)
        return found | {"B5": self._single_layers(layer, t, bidisc)}

    def _single_layers(self, depth: arb, t: arb, bidisc: Bidisc) -> arb:
        """Multiples of e^-Lambda over X^a0 log(Lambda)^b0."""
        m, a0, logs = self.m, self.printed.weight, depth.log()
        x, most = (1 / depth).root(m), max([part.logs for part in self.parts])
        if not depth >= arb(a0) / m + arb(max(0, most - self.printed.logs)) / logs:
            raise Refused("what single layers add cannot be shown to fall against the remainder; begin deeper")
        room = bidisc.y - (self.env(logs) + self.error(t)) * x**m
        sup = sum((part.sup(bidisc) * self._over(logs, part.logs) for part in self.parts), arb(0))
        size = sup / room * self.moved * x**m + self.own * self._over(logs, 0)
        return (size * (-depth).exp() / x**a0).upper()


BOXES = 2000
SPREAD = 0.02  # by how much of what a point shows a box's bound may exceed it
SPARE = 40  # bits that T = y may lose
WIDE = 1e-6  # the relative radius of y from which T = y is solved at both ends


class PrintedTerms:
    """Terms of a prover's law as functions of Lambda at one C and D (balls), with their derivatives."""

    def __init__(self, prover, terms: Sequence[PrintedTerm], c: arb, d: arb | None):
        law = self.law = prover.law
        self.terms = [(prover.number(term.coefficient, c, d), term.order, term.logs) for term in terms]
        self.rest = law.remainder

    def at(self, depth: arb) -> arb:
        return sum((value * self.law.monomial(depth, order, logs) for value, order, logs in self.terms), arb(0))

    def slope(self, depth: arb) -> arb:
        return sum((value * self.law.monomial_slope(depth, order, logs) for value, order, logs in self.terms), arb(0))

    def unit(self, depth: arb) -> arb:
        """The remainder's monomial."""
        return self.law.monomial(depth, self.rest.order, self.rest.logs)


Box = tuple[arb, arb, arb]  # Lambda, C, D


class Deviation:
    """quantity - law over the monomial on boxes of (Lambda, C, D), beyond layer n.

    `prover`: a `FlowProver` with the law, its constants' numbers and the theorem; `errors`: what single layers add.
    """

    def __init__(self, prover, errors):
        self.prover, self.errors, self.theorem = prover, errors, prover.theorem
        self.kernel = prover.law.norm is not None
        self._slopes = {
            name: [PrintedTerm(term.coefficient.diff(name), term.order, term.logs)
                   for term in prover.law.terms if term.coefficient.has(name)]
            for name in prover.law.constants
        }  # fmt: skip

    def largest(self, depths: tuple[arb, arb], c: arb, d: arb | None, goal: arb) -> arb:
        """The largest value for depths[0] <= Lambda <= depths[1]; one below the goal is not made exact."""
        low, high = depths
        if not high > low:
            return arb(0)
        d = arb(0) if d is None else d
        ends = [low * ((high / low) ** (arb(k) / 16)) for k in range(17)]
        queue, found, shown, tie = [], arb(0), goal, itertools.count()
        boxes = [(between(a, b), c, d) for a, b in pairwise(ends)]
        while boxes or queue:
            if not boxes:
                *_, box, sizes = heapq.heappop(queue)
                boxes = list(_halves(box, sizes))
            box = boxes.pop()
            bound, point, sizes = self._bounds(box)
            shown = shown.max(point)
            if sum(sizes) > float(shown) * SPREAD and bound > shown * (1 + SPREAD) and next(tie) < BOXES:
                heapq.heappush(queue, (-float(bound), next(tie), box, sizes))
            else:
                found = found.max(bound)
        return found

    def _bounds(self, box: Box) -> tuple[arb, arb, list[float]]:
        """A bound on the box, what its middle shows, and how much each side of the box adds to the bound."""
        check_time()
        depth, c, d = box
        middle = tuple(side.mid() for side in box)
        t = self.solved(self.theorem.a * depth + c + arb(0, self.errors.at(depth).time))
        terms = partial(PrintedTerms, self.prover)
        printed, at_middle = (terms(self.prover.law.terms, *at) for at in ((c, d), middle[1:]))
        here = self._quantity(self.solved(self.theorem.a * middle[0] + middle[1]), middle[0], middle[2])
        slopes, rest = self._slopes_of(t, depth, d)
        slopes[0] -= printed.slope(depth)
        for k, name in enumerate(self.prover.law.constants, 1):
            slopes[k] -= terms(self._slopes[name], c, d).at(depth)
        deviation = here - at_middle.at(middle[0])
        moves = [slope * (side - mid) for slope, side, mid in zip(slopes, box, middle, strict=True)]
        unit = printed.unit(depth).abs_lower()
        value = (magnitude(deviation + sum(moves, arb(0))) + rest) / unit
        point = deviation.abs_lower() / printed.unit(middle[0]).abs_upper()
        return value.upper(), point.lower(), [float(magnitude(move) / unit) for move in moves]

    def _quantity(self, t: arb, depth: arb, d: arb) -> arb:
        """x, or (P + D h)/(b Lambda + s_0)."""
        if not self.kernel:
            return t**self.theorem.root
        return (self.theorem.particular_at(t) + d * self.theorem.drift(t)) / self._norm(depth)

    def _norm(self, depth: arb) -> arb:
        """s_l but for what single layers add, at log l = depth."""
        rate, rest = self.prover.norm
        return rate * depth + rest

    def _slopes_of(self, t: arb, depth: arb, d: arb) -> tuple[list[arb], arb]:
        """The derivatives of the quantity to (Lambda, C, D), and what its own errors are at most."""
        theorem, errors, a = self.theorem, self.errors.at(depth), self.theorem.a
        drift = theorem.drift(t)
        if not self.kernel:
            return [-a * drift, -drift, arb(0)], magnitude(drift) * errors.time
        norm = self._norm(depth)
        least = (norm - errors.norm).lower()
        if not least > 0:
            raise Refused("the norm cannot be shown to be positive; begin at a deeper layer")
        kernel = theorem.particular_at(t) + d * drift
        moved = (theorem.own.at(t) - theorem.slope(t) * kernel) / norm
        own = (errors.kernel + magnitude(kernel / norm) * errors.norm) / least
        slopes = [a * moved - self.prover.norm[0] * kernel / norm**2, moved, drift / norm]
        return slopes, magnitude(moved) * errors.time + own

    def solved(self, y: arb) -> arb:
        """A ball that holds every t with T(t) in the ball y: T falls."""
        theorem = self.theorem
        if y.rad() > abs(y) * WIDE:
            return between(self.solved(y.upper()), self.solved(y.lower()))
        t = self._approximate(y.mid())
        slope = theorem.root * t ** (theorem.root - 1) / theorem.drift(t)
        known = y.rad() + 2 * theorem.time(t).rad()  # T itself is known so well: its series ends somewhere
        width = (known / slope * arb(1.01) + t * self._fine).upper()
        for _ in range(30):
            low, high = (t - width).lower(), (t + width).upper()
            if low > 0 and high < theorem.radius and theorem.time(low) > y and theorem.time(high) < y:
                return between(low, high)
            width = width * arb(1.3) if high < theorem.radius else width
            if not low > 0:
                break
        raise Refused("the flow time cannot be shown to be inverted there: the orbit is not yet near enough to 0")

    @property
    def _fine(self) -> arb:
        """How near to a root T = y is solved, over t."""
        return arb(2) ** (SPARE - self.theorem.bits)

    def _approximate(self, y: arb) -> arb:
        """A midpoint near the root of T = y, by Newton's method in a bracket; nothing is proved of it."""
        theorem = self.theorem
        high = (theorem.radius * arb(0.999)).mid()
        low = (high / 2).mid()
        while not theorem.time(low) > y and low > theorem.radius * self._fine:
            low, high = (low / 4).mid(), low
        t = ((theorem.time_terms.known[0] / y.max(arb(1))).root(theorem.m)).mid()  # T's first term alone
        t = t if low < t and t < high else low
        for _ in range(80):
            gap = theorem.time(t) - y
            low, high = (t, high) if gap > 0 else (low, t)
            following = (t + gap * theorem.drift(t) / (theorem.root * t ** (theorem.root - 1))).mid()
            if not (low < following and following < high):
                following = ((low + high) / 2).mid()
            done, t = abs(following - t) < t * self._fine, following
            if done:
                break
        return t


def _halves(box: Box, sizes: Sequence[float]) -> Iterator[Box]:
    """The box cut across the side that matters most."""
    k = max(range(3), key=lambda j: sizes[j])
    middle = box[k].mid()
    for side in (between(box[k].lower(), middle), between(middle, box[k].upper())):
        yield tuple(side if j == k else other for j, other in enumerate(box))


BITS, COUNT = 160, 96
LAYERS = (1000, 4000, 16000)
OF_INTERVALS = (32, 250, 1000)  # the same for an interval of starts, of which many pieces are followed
DEPTHS = tuple(6 * 1.25**k for k in range(60))  # Lambda_1
PIECES = 64
PATIENT = 250  # a layer from which on pieces are followed only where nothing is proved before
ENOUGH, NEARLY = 1.05, 1.25  # how much the tail, and what is between, may exceed what else decides
FROM_LOGS = 16  # the depth from which log log l exceeds 1


class FlowProver(LawProver):
    """Of a law of falling steps."""

    monomial = "loglog(l)^{logs} log(l)^-({order})"

    def __init__(
        self, law: PrintedLaw, low: Expr, high: Expr, bits: int = BITS, terms: int | None = None,
        radius: arb | None = None,
    ):
        super().__init__(law, low, high, bits)
        self.weight = law.weight(law.remainder)
        count = COUNT if terms is None else terms + law.map_.excess + 1
        self.theorem = law.theorem(count, bits, *(() if radius is None else ((radius,),)))
        self.orbit = self._orbit(low, high)
        with working(bits, COUNT):
            self.root = Root(self.theorem.series, self.weight + WEIGHTS)
            self.lead = self.theorem.shape.known[0]

    # ---- constants ----------------------------------------------------------------------------------------

    def constants(self, orbit: FlowOrbit, layer: int) -> tuple[arb, arb | None, arb]:
        """(C, D, a bound of |u|) of the starts of an orbit, from one layer."""
        t, theorem = orbit.t(layer), self.theorem
        theorem.inside(t.upper)
        c = theorem.constant(layer, t.low)
        if not t.is_thin:
            c = between(theorem.constant(layer, t.high), c) + arb(0, theorem.drifted(layer, t.upper))
        if self.law.norm is None:
            return c, None, arb(0)
        return c, *theorem.weight(layer, t.ball, orbit.x(layer).low, orbit.a(layer).ball)

    def errors(self, layer: int, largest_u: arb) -> Errors:
        theorem, t = self.theorem, self.orbit.t(layer).upper
        time = theorem.error(layer, t)
        if self.law.norm is None:
            return Errors(time, arb(0), arb(0))
        kernel = theorem.kernel_error(layer, t, largest_u)
        return Errors(time, kernel, (abs(self.norm[0]) * theorem.clock_error(layer)).upper())

    # ---- the bound ------------------------------------------------------------------------------------------

    def prove(self, valid_from: int = 2, layers: Sequence[int] = ()) -> Proof:
        """The theorem, with n one of the layers; `Refused` where a step cannot be proved."""
        if self.law.remainder.logs:
            valid_from = max(valid_from, FROM_LOGS)
        layers = layers or (LAYERS if self.low == self.high else OF_INTERVALS)
        attempts = (partial(self._at, layer, valid_from) for layer in layers)
        return best_proved(attempts, attrgetter("constant"), self._enough)

    def _enough(self, proof: Proof) -> bool:
        """Whether a deeper layer n would not help: what it bounds is not what decides."""
        if len(self._pieces) > 1 and proof.layer >= PATIENT:
            return True
        with working(self.bits):
            return bool(proof.between <= proof.small.max(total(proof.bounds)) * arb(NEARLY))

    def _at(self, layer: int, valid_from: int) -> Proof:
        with working(self.bits, COUNT):
            pieces = [(orbit, *self.constants(orbit, layer)) for orbit in self._pieces]
            c = hull([piece[1] for piece in pieces]).ball
            d = None if pieces[0][2] is None else hull([piece[2] for piece in pieces]).ball
            t = self.orbit.t(layer)
            errors = self.errors(layer, largest(piece[3] for piece in pieces))
            small = largest(self._deviation(orbit, valid_from, layer, *own) for orbit, *own, _ in pieces)
            start = arb(max(layer, valid_from)).log()
            bounds, bidisc, depth = self._best_tail(start, small, c, d, errors)
            middle = Deviation(self, errors).largest((start, depth), c, d, small.max(total(bounds)))
            constant = decimal_above(total(bounds).max(small).max(middle), 6)
            figures = self._figures(t, layer, errors)
        found = constant, valid_from, layer, c, d, bounds, small, self.theorem, bidisc
        return Proof(*found, figures=figures, depth=depth, between=middle)

    @cached_property
    def _pieces(self) -> list[FlowOrbit]:
        """The orbits of parts of the interval of starts, for a law whose terms depend on the start."""
        if self.low == self.high or not self.law.has_constants:
            return [self.orbit]
        return [self._orbit(low, high) for low, high in cut(self.low, self.high, PIECES, 2)]

    def _figures(self, t, layer: int, errors: Errors) -> dict[str, dict[str, str]]:
        ends = (decimal_below(t.low, 12), decimal_above(t.high, 12))
        drifted = {"E": str(decimal_above(errors.time, 6))}
        if self.law.norm is not None:
            drifted |= {"K": str(decimal_above(errors.kernel, 6)), "S": str(decimal_above(errors.norm, 6))}
        return {"orbit": {"n": str(layer), "t_n": f"[{ends[0]}, {ends[1]}]"}, "drift": drifted}

    # ---- the tail -------------------------------------------------------------------------------------------

    def _best_tail(self, start: arb, small: arb, c: arb, d: arb | None, errors: Errors) -> tuple:
        """(bounds, bidisc, Lambda_1) of the first depth at which the tail no longer decides, or the best."""
        depths = (depth for depth in map(arb, DEPTHS) if depth > start)
        return best_proved(
            (lambda depth=depth: (*self._tail(depth, c, d, errors), depth) for depth in depths),
            lambda found: total(found[0]),
            lambda found: total(found[0]) <= small.max(found[0]["B0"]) * arb(ENOUGH),
            fatal=(Disproved,), nothing="the law does not begin to hold at any depth that is tried",
        )  # fmt: skip

    def _tail(self, depth: arb, c: arb, d: arb | None, errors: Errors) -> tuple[dict, Bidisc]:
        theorem, law, a = self.theorem, self.law, self.theorem.a
        t = Deviation(self, errors).solved(a * depth + c + arb(0, errors.at(depth).time))
        factor, own, cut_off = self.root.unit**law.map_.root, arb(0), None
        if law.norm is not None:
            factor, own = arb(1), self._own_error(depth, t, c, d, errors)
            size, power = theorem.solution_error(t, d * self.lead)  # what P + D h has beyond t^N
            cut_off = size / self._least_norm((1 / depth).root(self.root.m)), power
        remainder = Beyond(self.weight, law.remainder.logs)
        tail = FlowTail(theorem, self.root, self._parts(d), remainder, c / a, errors.time / a, own, depth)
        printed = {(law.weight(term), term.logs): self.number(term.coefficient, c, d) for term in law.terms}
        self.require_printed(tail, printed, factor)
        return best_tail(tail, depth, t.upper(), factor, cut_off)

    def _least_norm(self, x: arb) -> arb:
        """A lower bound of |b + s_0 X^m| for |X| <= x."""
        b, s = self.norm
        low = (b - abs(s) * x**self.root.m).lower()
        if not low > 0:
            raise Refused("the norm cannot be shown to be positive at this depth")
        return low

    def _own_error(self, depth: arb, t: arb, c: arb, d: arb, errors: Errors) -> arb:
        """G: k/s is within G/l of (P + D h)/(b Lambda + s_0), from Lambda on."""
        theorem, m, (b, s) = self.theorem, self.root.m, self.norm
        t, small = theorem.inside(t), errors.norm * (-depth).exp()
        least, clock = b * depth + s - small, theorem.a * depth + abs(c) + errors.time * (-depth).exp()
        if not (least > 0 and b > 0 and t < 1):
            raise Refused("the norm cannot be shown to be positive at this depth")
        waves = abs(theorem.resonance) * t ** (theorem.k - 1) + abs(d) * t**theorem.k  # t |log t| < 1
        size = theorem.particular.sup(t) * theorem.inverse_over_time(t) * clock + waves * theorem.shape.sup(t)
        size = size / depth / self._least_norm((1 / depth).root(m))
        return ((errors.kernel + size * errors.norm) / least).upper()

    def _parts(self, d: arb | None) -> list[LogPart]:
        law, root = self.law, self.root
        if law.norm is None:
            e = law.map_.root
            return [LogPart(0, root.power(e), lambda bidisc: (1 + bidisc.r) ** e)]
        (b, s), m = self.norm, root.m
        inverse = XSeries([arb_poly([(-s) ** (n // m) / b ** (n // m + 1)] if n % m == 0 else [])
                           for n in range(root.length)])  # fmt: skip
        return [LogPart(part.logs, part.series * inverse, partial(self._normed, part))
                for part in self.theorem.solution.parts(root, d * self.lead)]  # fmt: skip

    def _normed(self, part: LogPart, bidisc: Bidisc) -> arb:
        return part.sup(bidisc) / self._least_norm(bidisc.x)

    # ---- the first layers -----------------------------------------------------------------------------------

    def _deviation(self, orbit: FlowOrbit, first: int, last: int, c: arb, d: arb | None) -> arb:
        """The largest deviation over the monomial, layer by layer."""
        printed, worst = PrintedTerms(self, self.law.terms, c, d), arb(0)
        for layer in range(max(first, orbit.first), last + 1):
            depth = arb(layer).log()
            value = orbit.x(layer).ball
            if self.law.norm is not None:
                b, rest = self.norm
                value = orbit.a(layer).ball / (b * (layer + 1 + self.theorem.shift).digamma() + rest)
            worst = worst.max((magnitude(value - printed.at(depth)) / printed.unit(depth).abs_lower()).upper())
        return worst

    @cached_property
    def norm(self) -> tuple[arb, arb]:
        """b and s_0: s_l = b psi(l + 1 + beta) + s_0 = b log l + s_0 + O(1/l)."""
        known = self.law.map_.known(self.bits)
        return tuple(number(part, known) for part in self.law.norm)
