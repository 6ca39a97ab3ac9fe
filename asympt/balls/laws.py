"""The kinds of laws that are proved, as data: what each has beyond `PrintedLaw`, and what proves it.

    kind            coordinate              terms                           theorem, numbers
    FormalLaw       Abel's function         l^-order log(l)^logs            `theorem`, `numbers`
    GeometricLaw    Koenigs' function       mu^(order l) l^logs             `theorem`, `numbers`
    FlowLaw         flow time               log(l)^-order loglog(l)^logs    `flows.law`, `flows.numbers`
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial

from flint import arb
from sympy import Expr, Rational, S

from asympt.balls.arithmetic import Refused, exact_rational, first_proved, short, working
from asympt.balls.disc import LocalBallMap
from asympt.balls.expression import number
from asympt.balls.flows.law import SPREAD, FlowProver
from asympt.balls.flows.numbers import FlowNumbers
from asympt.balls.flows.theorem import DriftMap, FlowTheorem
from asympt.balls.numbers import GeometricNumbers, ParabolicNumbers
from asympt.balls.orbit import BallOrbit, FlowOrbit, LinearAlong
from asympt.balls.printed import PrintedLaw, PrintedTerm
from asympt.balls.theorem import GeometricProver, Place, Prover

RADII = tuple(short(4 * 0.85**k) for k in range(40))  # of the disc of a drift
CANDIDATES = 4
FINER = (1, 16)  # times as many arcs, where formulas cancel


@dataclass(frozen=True, eq=False)
class _OfMap(PrintedLaw):
    """The quantity is offset + sign t_l^e, or a_l, which is scale along.start(x) in the first layer."""

    map_: LocalBallMap
    along: LinearAlong | None = field(default=None, kw_only=True)
    offset: Expr = field(default=S.Zero, kw_only=True)
    sign: int = field(default=1, kw_only=True)
    scale: Expr = field(default=S.One, kw_only=True)

    def begun(self, x: Expr) -> Expr:
        """a of the first layer."""
        return self.scale * self.along.start(x)

    def seen(self, t: arb | None, a: arb | None, layer: int) -> arb:
        """The quantity, without its offset, where the orbit is at t, or its linear recursion at a."""
        if self.along is None:
            return self.sign * t**self.exponent
        return a / layer if self.average else a

    def moving(self, orbit: BallOrbit, layer: int) -> list[arb]:
        """The ends of its range in a layer that is iterated to."""
        if self.along is None:
            return [self.seen(end, None, layer) for end in orbit.t(layer).ends]
        return [self.seen(None, end, layer) for end in orbit.a(layer).ends]


@dataclass(frozen=True, eq=False)
class FormalLaw(_OfMap):
    """A parabolic law, in powers of l and log l.

    exponent: e, the quantity being offset + sign t_l^e;  power: h of a linear recursion;  average: the quantity is
    a_l/l;  unit: H = unit t^h + ..., which is how the D of the terms is measured;  orbits: what makes its orbits.
    """

    orbits: Callable[..., BallOrbit] = field(default=BallOrbit, kw_only=True)

    exponent: int = 1
    power: int = 0
    average: bool = False
    unit: Expr = S.One

    proved_by, numbers_of = Prover, ParabolicNumbers

    @property
    def start_weight(self) -> int:
        """The power of X that the weights are counted from."""
        if self.along is None:
            return self.exponent
        return 0 if self.average else -self.map_.order

    def weight(self, term: PrintedTerm) -> int:
        """a of X^a, from `start_weight` on."""
        weight = term.order * self.map_.order - self.start_weight
        if not weight.is_Integer or weight < 0:
            raise Refused(f"the term l^-({term.order}) is not one of this law's powers")
        return int(weight)


@dataclass(frozen=True, eq=False)
class GeometricLaw(_OfMap):
    """A hyperbolic law: the term of the order k is in mu^(k l), and C is the limit of t_l^root/chi^l.

    multiplier: what chi is called, where the terms have it by a name;
    power: j where lambda(0) = mu^j exactly;  weight: log|lambda(0)|/log|mu| as the orders of the terms have it.
    """

    multiplier: Expr | None = None
    power: int | None = None
    weight: Expr | None = None

    proved_by, numbers_of = GeometricProver, GeometricNumbers
    average, unit = False, S.One

    @property
    def exponent(self) -> int:
        """e: the quantity is offset + sign t_l^e."""
        return self.map_.root

    @property
    def one_sided(self) -> bool:
        """Whether it is about orbits on one side of the fixed point: it is in a root of the distance."""
        return self.map_.root > 1

    @property
    def beyond(self) -> Place:
        """(K, b), the remainder's."""
        return self.remainder.order, self.remainder.logs


@dataclass(frozen=True, eq=False)
class FlowLaw(PrintedLaw):
    """x_l, or k_l/s_l where there is a `norm` (b, s'): s_l = b psi(l + 1 + shift) + s'.

    A term is coefficient log(l)^-order loglog(l)^logs.
    along: k of the start as a function of x.
    """

    map_: DriftMap
    norm: tuple[Expr, Expr] | None = None

    orbits, proved_by, numbers_of = FlowOrbit, FlowProver, FlowNumbers
    spread = 2 * Decimal(str(SPREAD))  # of two searches on boxes

    def sharp(self, bits: int) -> "FlowLaw":
        """Its formulas are good for any number of bits."""
        return self

    def theorem(self, count: int, bits: int, radii: Sequence = RADII) -> FlowTheorem:
        """In the disc with the smallest error at a moderate t, of a few."""

        def on(times: int) -> list[FlowTheorem]:
            map_ = replace(self.map_, arcs=self.map_.arcs * times)
            return first_proved((partial(FlowTheorem, map_, count, arb(radius), bits) for radius in radii), CANDIDATES)

        (found,) = first_proved((partial(on, times) for times in FINER), 1)
        with working(bits):
            t = found[-1].radius / 2
            return min(found, key=lambda theorem: float(theorem.time_terms.rest(t).log()))

    @property
    def start_weight(self) -> int:
        """The power of X = log(l)^(-1/m) that weights are counted from."""
        return self.map_.root if self.norm is None else 0

    def norm_in_layer(self, layer: int, known: Mapping) -> arb:
        """s_l."""
        rate, rest = (number(part, known) for part in self.norm)
        return rate * (layer + 1 + number(self.map_.shift, known)).digamma() + rest

    def weight(self, term: PrintedTerm) -> int:
        """a of X^a, from `start_weight` on."""
        weight = term.order * self.map_.excess - self.start_weight
        if not weight.is_Integer or weight < 0:
            raise Refused(f"the term of order {term.order} is not one of this law's powers")
        return int(weight)

    def monomial(self, depth: arb, order: Rational, logs: int) -> arb:
        """Lambda^-order log(Lambda)^logs."""
        power = depth ** -int(order) if order.is_Integer else depth ** -exact_rational(order)
        return power * depth.log() ** logs if logs else power

    def monomial_slope(self, depth: arb, order: Rational, logs: int) -> arb:
        """Its derivative to Lambda."""
        found = self.monomial(depth, order + 1, logs) * -exact_rational(order)
        return found + logs * self.monomial(depth, order + 1, logs - 1) if logs else found
