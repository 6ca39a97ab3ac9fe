"""From a law in log l to a theorem: for all l >= l_0 and all starts, |quantity - law| <= B log(l)^-p loglog(l)^b.

Problem.  A law prints some terms of x_l, or of k_l/s_l, s_l = b psi(l + 1 + beta) + const, in powers of 1/log l.  Its
series begins to converge where log l exceeds |C|: at l = 10^10 or later, where nobody iterates.

Rule.  With Lambda = log l the flow time says T/a = Lambda + C/a + e/a (`flow`), which `inversion` inverts with Lambda
in the place of the layer: the tail from Lambda_1 on.  The errors of the layers' own steps are O(1/l), over the monomial
at most const e^-Lambda Lambda^p, which falls.  The layers l_0, ..., n are enclosed one by one, and between them and
Lambda_1 the deviation is a function of Lambda, C and D, all real,

    x = T^-1(a Lambda + C + e),   or   (P + D h + K)/(b Lambda + s_0 + small),

on a box.  dx/dT = -h and dk/dT = o - h' k give its mean value form; the box with the largest bound is halved until that
is what a point of it shows (`_largest`).

Tiny case.  h = x^2, a = beta = 1, x_0 = 1/2: |x_l - 1/log l| <= B/log(l)^2.

Known limits.  As in `theorem`: printed coefficients are compared in balls here, and as algebra by whoever prints them.
"""

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from itertools import pairwise

from flint import arb, arb_poly
from sympy import Expr, Rational, Symbol

from asympt.balls.arithmetic import (
    Disproved,
    Refused,
    between,
    decimal_above,
    decimal_below,
    exact_rational,
    first_proved,
    largest,
    magnitude,
    working,
)
from asympt.balls.expression import number
from asympt.balls.flow import DriftMap, FlowTheorem
from asympt.balls.flow_orbit import FlowOrbit
from asympt.balls.inversion import Beyond, Bidisc, LogPart, Root, Tail, XSeries, best_tail, total
from asympt.balls.theorem import WEIGHTS, PrintedTerm
from asympt.deadline import check_time
from asympt.errors import InputError, PrecisionError

BITS, COUNT = 160, 96
RADII = tuple(4 * 0.85**k for k in range(40))
CANDIDATES = 4
FINER = (1, 16)  # times as many arcs, where formulas cancel
LAYERS = (1000, 4000, 16000)
OF_INTERVALS = (32, 250, 1000)  # the same for an interval of starts, of which many pieces are followed
DEPTHS = tuple(6 * 1.25**k for k in range(60))  # Lambda_1
PIECES = 64
PATIENT = 250  # a layer from which on pieces are followed only where nothing is proved before
ENOUGH, NEARLY = 1.05, 1.25  # how much the tail, and what is between, may exceed what else decides
BOXES = 2000
SPREAD = 0.02  # by how much of what a point shows a box's bound may exceed it
TINY = 2.0**-70
WIDE = 1e-6  # the relative radius of y from which T = y is solved at both ends
FROM_LOGS = 16  # the depth from which log log l exceeds 1


@dataclass(frozen=True, eq=False)
class FlowLaw:
    """x_l, or k_l/s_l where there is a `norm` (b, s'): s_l = b psi(l + 1 + shift) + s'.

    terms, remainder: coefficient log(l)^-order loglog(l)^logs, in the `constants` (C, D);
    start: k of the start as a function of x.
    """

    map_: DriftMap
    first: int
    terms: Sequence[PrintedTerm]
    remainder: PrintedTerm
    constants: tuple[Symbol, Symbol]
    start: object = None
    norm: tuple[Expr, Expr] | None = None

    @property
    def has_constants(self) -> bool:
        """Whether C or D is among the printed terms."""
        return any(term.coefficient.free_symbols & set(self.constants) for term in self.terms)

    @property
    def start_weight(self) -> int:
        """The power of X = log(l)^(-1/m) that weights are counted from."""
        return self.map_.root if self.norm is None else 0

    def weight(self, term: PrintedTerm) -> int:
        """a of X^a, from `start_weight` on."""
        weight = term.order * self.map_.excess - self.start_weight
        if not weight.is_Integer or weight < 0:
            raise Refused(f"the term log(l)^-({term.order}) is not one of this law's powers")
        return int(weight)


@dataclass(frozen=True)
class FlowProof:
    """What was found; depth: Lambda_1, from which on the tail holds; between: the largest deviation from n to there."""

    constant: Decimal
    valid_from: int
    layer: int
    depth: arb
    connection: arb
    second: arb | None
    bounds: Mapping[str, arb]
    small: arb
    between: arb
    theorem: FlowTheorem
    bidisc: Bidisc
    figures: Mapping[str, object] = field(default_factory=dict)

    spread = 2 * Decimal(str(SPREAD))  # by how much two searches on boxes may differ


@dataclass(frozen=True)
class Errors:
    """What single layers add, from layer n on.

    |T - a log l - C| <= E/l,  |k - P - D h| <= K/l,  |s - s_0 - b log l| <= S/l.
    """

    time: arb
    kernel: arb
    norm: arb


@dataclass(frozen=True)
class _Seen:
    """A `FlowTheorem` as `Tail` wants it: with all errors in T/a."""

    theorem: FlowTheorem
    small: arb

    def __getattr__(self, name: str):
        return getattr(self.theorem, name)

    def error(self, t: arb) -> arb:
        """Of A_N(t) = Lambda + C/a."""
        return self.theorem.truncation(t) + self.small


class FlowTail(Tail):
    """The tail from Lambda on; moved: E/a;  own: G, where the quantity itself has an error G/l."""

    def __init__(self, theorem: FlowTheorem, root, parts, printed: Beyond, constant: arb, moved: arb, own: arb,
                 depth: arb):
        super().__init__(_Seen(theorem, moved * (-depth).exp()), root, parts, printed, constant)
        self.moved, self.own = moved, own

    def bound(self, layer: arb, t: arb, bidisc: Bidisc, own: tuple[arb, int] | None = None) -> dict[str, arb]:
        """With B5, what single layers add, for all Lambda >= `layer`."""
        found = super().bound(layer, t, bidisc, own)
        return found | {"B5": self._single_layers(layer, t, bidisc)}

    def _single_layers(self, depth: arb, t: arb, bidisc: Bidisc) -> arb:
        """Multiples of e^-Lambda over X^a0 log(Lambda)^b0."""
        m, a0, logs = self.m, self.printed.weight, depth.log()
        x, most = (1 / depth).root(m) if m > 1 else 1 / depth, max([part.logs for part in self.parts])
        if not depth >= arb(a0) / m + arb(max(0, most - self.printed.logs)) / logs:
            raise Refused("what single layers add is not seen to fall against the remainder; begin deeper")
        room = bidisc.y - (self.env(logs) + self.theorem.error(t)) * x**m
        sup = sum((part.sup(bidisc) * self._over(logs, part.logs) for part in self.parts), arb(0))
        size = sup / room * self.moved * x**m + self.own * self._over(logs, 0)
        return (size * (-depth).exp() / x**a0).upper()


class FlowProver:
    """One law over the starts between two exact numbers x_first."""

    def __init__(
        self, law: FlowLaw, low: Expr, high: Expr, bits: int = BITS, terms: int | None = None,
        radius: arb | None = None,
    ):
        self.law, self.low, self.high, self.bits = law, low, high, bits
        if (low - high).is_positive:
            raise InputError(f"the interval of starts from {low} to {high} is upside down; give the smaller end first")
        self.weight = law.weight(law.remainder)
        count = COUNT if terms is None else terms + law.map_.excess + 1
        self.theorem = self._theorem(count, RADII if radius is None else (radius,))
        self.orbit = self._orbit(low, high)
        with working(bits, COUNT):
            self.root = Root(self.theorem.series, self.weight + WEIGHTS)
            self.lead = self.theorem.shape.known[0]

    def _theorem(self, count: int, radii: Sequence) -> FlowTheorem:
        """In the disc with the smallest error at a moderate t, of a few."""
        found, reason = [], None
        for times in FINER:
            map_ = replace(self.law.map_, arcs=self.law.map_.arcs * times)
            try:
                attempts = (partial(FlowTheorem, map_, count, arb(radius), self.bits) for radius in radii)
                found = first_proved(attempts, CANDIDATES)
                break
            except (Refused, PrecisionError) as refused:
                reason = reason or refused
        if not found:
            raise reason
        with working(self.bits):
            t = found[-1].radius / 2
            return min(found, key=lambda theorem: float(theorem.time_terms.rest(t).log()))

    def _orbit(self, low: Expr, high: Expr) -> FlowOrbit:
        return FlowOrbit(self.law.map_, low, high, self.law.first, self.bits, self.law.start)

    # ---- constants ----------------------------------------------------------------------------------------

    def constants(self, orbit: FlowOrbit, layer: int) -> tuple[arb, arb | None, arb]:
        """(C, D, a bound of |u|) of the starts of an orbit, from one layer."""
        t, theorem = orbit.t(layer), self.theorem
        theorem.inside(t.upper)
        if t.is_thin:
            c = theorem.constant(layer, t.low)
        else:
            error = theorem.drifted(layer, t.upper)
            c = between(*(theorem.constant(layer, end) for end in (t.high, t.low))) + arb(0, error)
        if self.law.norm is None:
            return c, None, arb(0)
        return c, *theorem.weight(layer, t.ball, orbit.x(layer).low, orbit.k(layer).ball)

    def errors(self, layer: int, t: arb, largest_u: arb) -> Errors:
        """From a layer on."""
        theorem = self.theorem
        time = theorem.error(layer, t)
        if self.law.norm is None:
            return Errors(time, arb(0), arb(0))
        kernel = theorem.kernel_error(layer, t, largest_u)
        return Errors(time, kernel, (abs(self.norm[0]) * theorem.clock_error(layer)).upper())

    # ---- the bound ------------------------------------------------------------------------------------------

    def prove(self, valid_from: int = 2, layers: Sequence[int] = ()) -> FlowProof:
        """The theorem, with n one of the layers; `Refused` where a step cannot be proved."""
        if self.law.remainder.logs:
            valid_from = max(valid_from, FROM_LOGS)
        best, reason = None, None
        for layer in layers or (LAYERS if self.low == self.high else OF_INTERVALS):
            check_time()
            try:
                proof = self._at(layer, valid_from)
            except (Refused, PrecisionError) as refused:
                reason = refused
                continue
            if best is None or proof.constant < best.constant:
                best = proof
            if self._enough(proof) or (len(self._pieces) > 1 and layer >= PATIENT):
                break
        if best is None:
            raise reason
        return best

    def _enough(self, proof: FlowProof) -> bool:
        """Whether a deeper layer n would not help: what it bounds is not what decides."""
        with working(self.bits):
            return bool(proof.between <= proof.small.max(total(proof.bounds)) * arb(NEARLY))

    def _at(self, layer: int, valid_from: int) -> FlowProof:
        with working(self.bits, COUNT):
            pieces = [(orbit, *self.constants(orbit, layer)) for orbit in self._pieces]
            c, d = (between_all([piece[k] for piece in pieces]) for k in (1, 2))
            t = self.orbit.t(layer)
            errors = self.errors(layer, t.upper, largest(piece[3] for piece in pieces))
            small = largest(self._deviation(orbit, valid_from, layer, *own) for orbit, *own, _ in pieces)
            start = arb(max(layer, valid_from)).log()
            bounds, bidisc, depth = self._best_tail(start, small, c, d, errors)
            middle = _Deviation(self, errors).largest((start, depth), c, d, small.max(total(bounds)))
            constant = decimal_above(total(bounds).max(small).max(middle), 6)
            figures = self._figures(t, layer, errors)
        return FlowProof(constant, valid_from, layer, depth, c, d, bounds, small, middle, self.theorem, bidisc, figures)

    @cached_property
    def _pieces(self) -> list[FlowOrbit]:
        """The orbits of parts of the interval of starts, for a law whose terms depend on the start."""
        if self.low == self.high or not self.law.has_constants:
            return [self.orbit]
        ends = [self.low + (self.high - self.low) * Rational(k, PIECES) ** 2 for k in range(PIECES + 1)]
        return [self._orbit(low, high) for low, high in pairwise(ends)]

    def _figures(self, t, layer: int, errors: Errors) -> dict[str, dict[str, str]]:
        ends = (decimal_below(t.low, 12), decimal_above(t.high, 12))
        drifted = {"E": str(decimal_above(errors.time, 6))}
        if self.law.norm is not None:
            drifted |= {"K": str(decimal_above(errors.kernel, 6)), "S": str(decimal_above(errors.norm, 6))}
        return {"orbit": {"n": str(layer), "t_n": f"[{ends[0]}, {ends[1]}]"}, "drift": drifted}

    # ---- the tail -------------------------------------------------------------------------------------------

    def _best_tail(self, start: arb, small: arb, c: arb, d: arb | None, errors: Errors) -> tuple:
        """(bounds, bidisc, Lambda_1): the first depth at which the tail no longer decides, or the best."""
        best, reason = None, Refused("the law does not begin to hold at any depth that is tried")
        for depth in (arb(value) for value in DEPTHS):
            if not depth > start:
                continue
            try:
                bounds, bidisc = self._tail(depth, c, d, errors)
            except (Refused, PrecisionError) as refused:
                if isinstance(refused, Disproved):
                    raise
                reason = refused
                continue
            if best is None or total(bounds) < total(best[0]):
                best = bounds, bidisc, depth
            if total(bounds) <= small.max(bounds["B0"]) * arb(ENOUGH):
                break
        if best is None:
            raise reason
        return best

    def _tail(self, depth: arb, c: arb, d: arb | None, errors: Errors) -> tuple[dict, Bidisc]:
        theorem, law, a = self.theorem, self.law, self.theorem.a
        t = _Deviation(self, errors).solved(a * depth + c + arb(0, (errors.time * (-depth).exp()).upper()))
        parts, own = self._parts(d), arb(0)
        if law.norm is not None:
            own = self._own_error(depth, t, c, d, errors)
        printed = Beyond(self.weight, law.remainder.logs)
        tail = FlowTail(theorem, self.root, parts, printed, c / a, errors.time / a, own, depth)
        self._require_printed(tail, c, d)
        return best_tail(tail, depth, t.upper(), self._factor(), self._truncated(depth, t, d))

    def _factor(self) -> arb:
        return self.root.unit**self.law.map_.root if self.law.norm is None else arb(1)

    def _least_norm(self, x: arb) -> arb:
        """A lower bound of |b + s_0 X^m| for |X| <= x."""
        b, s = self.norm
        low = (b - abs(s) * x**self.root.m).lower()
        if not low > 0:
            raise Refused("the norm is not seen to be positive at this depth")
        return low

    def _truncated(self, depth: arb, t: arb, d: arb | None) -> tuple[arb, int] | None:
        """What P + D h has beyond t^N."""
        if self.law.norm is None:
            return None
        size, power = self.theorem.solution_error(t, d * self.lead)
        return size / self._least_norm(_x(depth, self.root.m)), power

    def _own_error(self, depth: arb, t: arb, c: arb, d: arb, errors: Errors) -> arb:
        """G: k/s is within G/l of (P + D h)/(b Lambda + s_0), from Lambda on."""
        theorem, m, (b, s) = self.theorem, self.root.m, self.norm
        t, small = theorem.inside(t), errors.norm * (-depth).exp()
        least, clock = b * depth + s - small, theorem.a * depth + abs(c) + errors.time * (-depth).exp()
        if not (least > 0 and b > 0 and t < 1):
            raise Refused("the norm is not seen to be positive at this depth")
        waves = abs(theorem.resonance) * t ** (theorem.k - 1) + abs(d) * t**theorem.k  # t |log t| < 1
        size = theorem.particular.sup(t) * theorem.inverse_over_time(t) * clock + waves * theorem.shape.sup(t)
        size = size / depth / self._least_norm(_x(depth, m))
        return ((errors.kernel + size * errors.norm) / least).upper()

    def _parts(self, d: arb | None) -> list[LogPart]:
        law, root = self.law, self.root
        if law.norm is None:
            e = law.map_.root
            return [LogPart(0, root.power(e), lambda bidisc: (1 + bidisc.r) ** e)]
        inverse = self._inverse_norm()
        return [LogPart(part.logs, part.series * inverse, partial(self._normed, part))
                for part in self.theorem.solution.parts(root, d * self.lead)]  # fmt: skip

    def _normed(self, part: LogPart, bidisc: Bidisc) -> arb:
        return part.sup(bidisc) / self._least_norm(bidisc.x)

    def _inverse_norm(self) -> XSeries:
        """1/(b + s_0 X^m)."""
        (b, s), m = self.norm, self.root.m
        return XSeries([arb_poly([(-s) ** (n // m) / b ** (n // m + 1)]) if n % m == 0 else arb_poly([])
                        for n in range(self.root.length)])  # fmt: skip

    # ---- what is printed ------------------------------------------------------------------------------------

    def _require_printed(self, tail: Tail, c: arb, d: arb | None) -> None:
        """Every term larger than the remainder is the series', and every term of the series is printed."""
        law, factor, last = self.law, self._factor(), (self.weight, -self.law.remainder.logs)
        printed = {(law.weight(term), term.logs): self.number(term.coefficient, c, d) for term in law.terms}
        if any((weight, -logs) >= last for weight, logs in printed):
            raise Refused("a printed term is not larger than the remainder")
        for weight in range(self.weight + 1):
            row = tail.sums[weight].coeffs()
            wanted = {logs for at, logs in printed if at == weight} | set(range(len(row)))
            for logs in wanted:
                true = tail.coefficient(weight, logs) * factor
                if (weight, -logs) < last and not true.overlaps(printed.get((weight, logs), arb(0))):
                    order = Rational(weight + law.start_weight, self.root.m)
                    raise Disproved(
                        f"the coefficient of loglog(l)^{logs} log(l)^-({order}) is {true.str(10)} and not the printed "
                        f"{printed.get((weight, logs), arb(0)).str(10)}"
                    )

    def number(self, expression: Expr, c: arb, d: arb | None) -> arb:
        """A coefficient at C and D."""
        values = zip(self.law.constants, (c, arb(0) if d is None else d), strict=True)
        return number(expression, dict(self.law.map_.known(self.bits)) | dict(values))

    # ---- the first layers -----------------------------------------------------------------------------------

    def _deviation(self, orbit: FlowOrbit, first: int, last: int, c: arb, d: arb | None) -> arb:
        """The largest deviation over the monomial, layer by layer."""
        printed, worst = PrintedTerms(self, c, d), arb(0)
        for layer in range(max(first, orbit.first), last + 1):
            depth = arb(layer).log()
            value = orbit.x(layer).ball if self.law.norm is None else self._normed_kernel(orbit, layer)
            worst = worst.max((magnitude(value - printed.at(depth)) / printed.unit(depth).abs_lower()).upper())
        return worst

    def _normed_kernel(self, orbit: FlowOrbit, layer: int) -> arb:
        b, rest = self.norm
        return orbit.k(layer).ball / (b * (layer + 1 + self.theorem.shift).digamma() + rest)

    @cached_property
    def norm(self) -> tuple[arb, arb]:
        """b and s_0: s_l = b psi(l + 1 + beta) + s_0 = b log l + s_0 + O(1/l)."""
        known = self.law.map_.known(self.bits)
        return tuple(number(part, known) for part in self.law.norm)


def between_all(values: Sequence[arb | None]) -> arb | None:
    """A ball that holds them all; None of None."""
    found = values[0]
    for value in values[1:]:
        found = None if value is None else found.union(value)
    return found


def _x(depth: arb, m: int) -> arb:
    """X = Lambda^(-1/m)."""
    return 1 / depth if m == 1 else (1 / depth).root(m)


class PrintedTerms:
    """The printed terms as functions of Lambda at one C and D (balls), with their derivatives."""

    def __init__(self, prover: FlowProver, c: arb, d: arb | None):
        law = prover.law
        self.terms = [(prover.number(term.coefficient, c, d), term.order, term.logs) for term in law.terms]
        self.rest = law.remainder

    def at(self, depth: arb) -> arb:
        """Their sum."""
        return sum((value * _monomial(depth, order, logs) for value, order, logs in self.terms), arb(0))

    def slope(self, depth: arb) -> arb:
        """The derivative with respect to Lambda."""
        return sum((value * _monomial_slope(depth, order, logs) for value, order, logs in self.terms), arb(0))

    def unit(self, depth: arb) -> arb:
        """The remainder's monomial."""
        return _monomial(depth, self.rest.order, self.rest.logs)


def _monomial(depth: arb, order: Rational, logs: int) -> arb:
    """Lambda^-order log(Lambda)^logs."""
    power = depth ** -int(order) if order.is_Integer else depth ** -exact_rational(order)
    return power * depth.log() ** logs if logs else power


def _monomial_slope(depth: arb, order: Rational, logs: int) -> arb:
    found = _monomial(depth, order + 1, logs) * -exact_rational(order)
    return found + logs * _monomial(depth, order + 1, logs - 1) if logs else found


Box = tuple[arb, arb, arb]  # Lambda, C, D


class _Deviation:
    """quantity - law over the monomial on boxes of (Lambda, C, D), beyond layer n."""

    def __init__(self, prover: FlowProver, errors: Errors):
        self.prover, self.errors, self.theorem = prover, errors, prover.theorem
        self.kernel = prover.law.norm is not None
        self._slopes = {
            name: [PrintedTerm(term.coefficient.diff(name), term.order, term.logs) for term in prover.law.terms]
            for name in prover.law.constants
        }

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
        small = (-depth.lower()).exp()
        y = self.theorem.a * depth + c + arb(0, (self.errors.time * small).upper())
        t = self.solved(y)
        printed, at_middle = PrintedTerms(self.prover, c, d), PrintedTerms(self.prover, middle[1], middle[2])
        here = self._quantity(self.solved(self.theorem.a * middle[0] + middle[1]), middle[0], middle[2])
        slopes, rest = self._slopes_of(t, depth, d)
        slopes[0] -= printed.slope(depth)
        for k, name in enumerate(self.prover.law.constants, 1):
            slopes[k] -= self._sum(self._slopes[name], c, d, depth)
        deviation = here - at_middle.at(middle[0])
        moves = [slope * (side - mid) for slope, side, mid in zip(slopes, box, middle, strict=True)]
        unit = printed.unit(depth).abs_lower()
        value = (magnitude(deviation + sum(moves, arb(0))) + rest * small) / unit
        point = deviation.abs_lower() / printed.unit(middle[0]).abs_upper()
        return value.upper(), point.lower(), [float(magnitude(move) / unit) for move in moves]

    def _sum(self, terms: Sequence[PrintedTerm], c: arb, d: arb, depth: arb) -> arb:
        return sum((self.prover.number(term.coefficient, c, d) * _monomial(depth, term.order, term.logs)
                    for term in terms if term.coefficient != 0), arb(0))  # fmt: skip

    def _quantity(self, t: arb, depth: arb, d: arb) -> arb:
        """x, or (P + D h)/(b Lambda + s_0)."""
        if not self.kernel:
            return t**self.theorem.root
        b, s = self.prover.norm
        return (self.theorem.particular_at(t) + d * self.theorem.drift(t)) / (b * depth + s)

    def _slopes_of(self, t: arb, depth: arb, d: arb) -> tuple[list[arb], arb]:
        """The derivatives of the quantity to (Lambda, C, D), and what its own errors are at most, times l."""
        theorem, errors = self.theorem, self.errors
        drift = theorem.drift(t)
        if not self.kernel:
            return [-theorem.a * drift, -drift, arb(0)], magnitude(drift) * errors.time
        b, s = self.prover.norm
        norm = b * depth + s
        least = (norm - errors.norm * (-depth.lower()).exp()).lower()
        if not least > 0:
            raise Refused("the norm is not seen to be positive; begin at a deeper layer")
        kernel = theorem.particular_at(t) + d * drift
        moved = (theorem.own.at(t) - theorem.slope(t) * kernel) / norm
        own = (errors.kernel + magnitude(kernel / norm) * errors.norm) / least
        slopes = [theorem.a * moved - b * kernel / norm**2, moved, drift / norm]
        return slopes, magnitude(moved) * errors.time + own

    def solved(self, y: arb) -> arb:
        """A ball that holds every t with T(t) in the ball y: T falls."""
        theorem = self.theorem
        if y.rad() > abs(y) * WIDE:
            return between(self.solved(y.upper()), self.solved(y.lower()))
        t = self._approximate(y.mid())
        slope = theorem.root * t ** (theorem.root - 1) / theorem.drift(t)
        width = (y.rad() / slope * arb(1.01) + t * arb(2) ** -60).upper()
        for _ in range(30):
            low, high = (t - width).lower(), (t + width).upper()
            if low > 0 and high < theorem.radius and theorem.time(low) > y and theorem.time(high) < y:
                return between(low, high)
            width = width * arb(1.3) if high < theorem.radius else width
            if not low > 0:
                break
        raise Refused("the flow time is not seen to be inverted there: the orbit has not come near enough to 0")

    def _approximate(self, y: arb) -> arb:
        """A midpoint near the root of T = y, by Newton's method in a bracket; nothing is proved of it."""
        theorem = self.theorem
        high = (theorem.radius * arb(0.999)).mid()
        low = t = (high / 2).mid()
        while not theorem.time(low) > y and low > theorem.radius * TINY:
            low, high = (low / 4).mid(), low
        for _ in range(80):
            gap = theorem.time(t) - y
            low, high = (t, high) if gap > 0 else (low, t)
            following = (t + gap * theorem.drift(t) / (theorem.root * t ** (theorem.root - 1))).mid()
            if not (low < following and following < high):
                following = ((low + high) / 2).mid()
            done, t = abs(following - t) < t * TINY, following
            if done:
                break
        return t


def _halves(box: Box, sizes: Sequence[float]) -> Iterator[Box]:
    """The box cut across the side that matters most."""
    k = max(range(3), key=lambda j: sizes[j])
    middle = box[k].mid()
    for side in (between(box[k].lower(), middle), between(middle, box[k].upper())):
        yield tuple(side if j == k else other for j, other in enumerate(box))
