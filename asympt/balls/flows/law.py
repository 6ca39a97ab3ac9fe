"""From a law in log l to a theorem: for all l >= l_0 and all starts, |quantity - law| <= B log(l)^-p loglog(l)^b.

Rule.  With Lambda = log l, T/a = Lambda + C/a + e/a (`theorem`), which `inversion` inverts with Lambda in the place of
the layer: the tail from Lambda_1 on, where log l exceeds |C|, at l = 10^10 or later.  The errors of the layers' own
steps are O(1/l), over the monomial at most const e^-Lambda Lambda^p, which falls.  The layers l_0, ..., n are enclosed
one by one, and between them and Lambda_1 the deviation is bounded on boxes of (Lambda, C, D) (`boxes`).

Tiny case.  h = x^2, a = beta = 1, x_0 = 1/2: |x_l - 1/log l| <= B/log(l)^2.
"""

from collections.abc import Sequence
from functools import cached_property, partial
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
from asympt.balls.flows.boxes import Deviation, PrintedTerms
from asympt.balls.flows.orbit import FlowOrbit
from asympt.balls.flows.tail import Errors, FlowTail
from asympt.balls.inversion import Beyond, Bidisc, LogPart, Root, Tail, XSeries, best_tail, total
from asympt.balls.orbit import hull
from asympt.balls.printed import LawProver, PrintedLaw, Proof
from asympt.balls.theorem import WEIGHTS

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

    from_logs, enough, monomial = FROM_LOGS, ENOUGH, "loglog(l)^{logs} log(l)^-({order})"

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
            self.root = self._root()
            self.lead = self.theorem.shape.known[0]

    def _root(self) -> Root:
        return Root(self.theorem.series, self.weight + WEIGHTS)

    def _orbit(self, low: Expr, high: Expr) -> FlowOrbit:
        return self.law.orbit(low, high, self.bits)

    # ---- constants ----------------------------------------------------------------------------------------

    def constants(self, orbit: FlowOrbit, layer: int) -> tuple[arb, arb | None, arb]:
        """(C, D, a bound of |u|) of the starts of an orbit, from one layer."""
        self.theorem.inside(orbit.t(layer).upper)
        return self.connection(orbit, layer), *((None, arb(0)) if self.law.norm is None else self.second(orbit, layer))

    def connection(self, orbit: FlowOrbit, layer: int) -> arb:
        """C."""
        t, theorem = orbit.t(layer), self.theorem
        if t.is_thin:
            return theorem.constant(layer, t.low)
        error = theorem.drifted(layer, t.upper)
        return between(*(theorem.constant(layer, end) for end in (t.high, t.low))) + arb(0, error)

    def second(self, orbit: FlowOrbit, layer: int) -> tuple[arb, arb]:
        """(D, a bound of |u|)."""
        return self.theorem.weight(layer, orbit.t(layer).ball, orbit.x(layer).low, orbit.a(layer).ball)

    def errors(self, layer: int, largest_u: arb) -> Errors:
        """From a layer on."""
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
            valid_from = max(valid_from, self.from_logs)
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
            found = []
            for bounds, bidisc, depth in self.tails(start, small, c, d, errors):
                middle = Deviation(self, errors).largest((start, depth), c, d, small.max(total(bounds)))
                found.append((decimal_above(total(bounds).max(small).max(middle), 6), bounds, bidisc, depth, middle))
            constant, bounds, bidisc, depth, middle = min(found, key=lambda one: one[0])
            figures = self._figures(t, layer, errors)
        found = constant, valid_from, layer, c, d, bounds, small, self.theorem, bidisc
        return Proof(*found, figures=figures, depth=depth, between=middle)

    @property
    def depends_on_start(self) -> bool:
        """Whether the first layers want the starts in small parts."""
        return self.law.has_constants

    @cached_property
    def _pieces(self) -> list[FlowOrbit]:
        """The orbits of parts of the interval of starts, for a law whose terms depend on the start."""
        if self.low == self.high or not self.depends_on_start:
            return [self.orbit]
        return [self._orbit(low, high) for low, high in self.pieces(PIECES, 2)]

    def _figures(self, t, layer: int, errors: Errors) -> dict[str, dict[str, str]]:
        ends = (decimal_below(t.low, 12), decimal_above(t.high, 12))
        drifted = {"E": str(decimal_above(errors.time + abs(errors.centre), 6))}
        if self.law.norm is not None:
            drifted |= {"K": str(decimal_above(errors.kernel, 6)), "S": str(decimal_above(errors.norm, 6))}
        return {"orbit": {"n": str(layer), "t_n": f"[{ends[0]}, {ends[1]}]"}, "drift": drifted}

    # ---- the tail -------------------------------------------------------------------------------------------

    def tails(self, start: arb, small: arb, c: arb, d: arb | None, errors: Errors) -> list[tuple]:
        """(bounds, bidisc, Lambda_1), of which the best is taken."""
        return [self.best_tail(self.depths(start), small, c, d, errors)]

    def best_tail(self, depths: Sequence[arb], small: arb, c: arb, d: arb | None, errors: Errors) -> tuple:
        """That of the first depth at which the tail no longer decides, or the best."""
        return best_proved(
            (lambda depth=depth: (*self._tail(depth, c, d, errors), depth) for depth in depths),
            lambda found: total(found[0]),
            lambda found: total(found[0]) <= small.max(found[0]["B0"]) * arb(self.enough),
            fatal=(Disproved,), nothing="the law does not begin to hold at any depth that is tried",
        )  # fmt: skip

    def depths(self, start: arb) -> list[arb]:
        """Candidates for Lambda_1."""
        return [arb(value) for value in DEPTHS if arb(value) > start]

    def _tail(self, depth: arb, c: arb, d: arb | None, errors: Errors) -> tuple[dict, Bidisc]:
        theorem, law, a = self.theorem, self.law, self.theorem.a
        t = Deviation(self, errors).solved(a * depth + c + arb(0, (errors.time * (-depth).exp()).upper()))
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
        printed = {(self.law.weight(term), term.logs): self.number(term.coefficient, c, d) for term in self.law.terms}
        self.require_printed(tail, printed, self._factor())

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
        return orbit.a(layer).ball / (b * (layer + 1 + self.theorem.shift).digamma() + rest)

    def norm_at(self, depth: arb) -> arb:
        """s_l but for what single layers add, at log l = depth."""
        return self.norm_rate * self.theorem.clock(depth) + self.norm[1]

    @property
    def norm_rate(self) -> arb:
        """What s_l is times the clock."""
        return self.norm[0] / self.theorem.a

    @cached_property
    def norm(self) -> tuple[arb, arb]:
        """b and s_0: s_l = b psi(l + 1 + beta) + s_0 = b log l + s_0 + O(1/l)."""
        return self.given_norm

    @cached_property
    def given_norm(self) -> tuple[arb, arb]:
        """The two numbers of the law's norm."""
        known = self.law.map_.known(self.bits)
        return tuple(number(part, known) for part in self.law.norm)


def _x(depth: arb, m: int) -> arb:
    """X = Lambda^(-1/m)."""
    return 1 / depth if m == 1 else (1 / depth).root(m)
