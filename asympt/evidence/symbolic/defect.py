"""The law put back: into its recursion, into its coordinate, and a linear one held against P + D H, symbolically.

Read the distance y = c_0 u^p g(u, w), g(0) = 1, off the printed terms (`shape`).  One layer is a substitution:

    powers of l      u = l^(-1/q),  w = log l                   u -> u (1 + u^q)^(-1/q),  w -> w + log(1 + u^q)
    exponentials     u = mu^n,  w = n,  v = second^n            u -> mu u,  w -> w + 1,  v -> second v

mu = chi^(1/root).  With t = y^(1/root), y(l + 1) - G(y), N(t) - clock - C (or S(t) - C chi^n), a(l + 1) - lambda(t) a -
b(t) and P(t) + D H(t) - a must hold no term larger than the printed remainder allows, every coefficient exactly.  Where
y is known up to O(l^(-d) log^J) of itself, the first is O(l^(-d-1) log^J) of y, the second O(l^(-d) log^J) of the
clock, for a flow time T no less than O(l^(-kappa)); what a leaves out is multiplied by 1 - lambda + O(1/l).  G's series
is SymPy's.

Tiny case.  y' = y/(2 - y), E = C z - C^2 z^2 + O(z^3), z = 2^(-n):  both sides are C z/2 - C^2 z^2/4 + O(z^3).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, permutations
from math import ceil

from sympy import Expr, Integer, Rational, S, ceiling, expand, ilcm, log, sign

from asympt.errors import UnsupportedError
from asympt.evidence.check import Check
from asympt.evidence.law_terms import changes_sides, rest_of
from asympt.evidence.symbolic import zero
from asympt.evidence.symbolic.series import FlowTimeShift, T, linear_series, map_ratio
from asympt.evidence.symbolic.zero import Contradiction, Left, Ring, U, V, W, left_check, sample, spread, zero_by
from asympt.numbers import to_mpf

NAME = "the law solves the recursion up to the stated remainder"
DETAIL = "symbolic: exact zero coefficients; cannot detect a relabelled connection constant"
EXACT = "symbolic: exact zero coefficients, the constants' own terms included"
TIME = "the flow time of the expansion is the sum of the step sizes + $C$"
CLOSE = 1e-9  # orders closer than this are equal


# ---- the printed terms -------------------------------------------------------------------------------


@dataclass(frozen=True)
class PrintedProfile:
    """y = lead l^(-order) shape^power up to O(l^(-remainder) log^logs) of itself.

    entries: (power of u, logs, coefficient) of the shape, the 1 included; exact: the limit is x* without recourse to
    digits.
    """

    q: int
    order: Rational
    lead: Expr
    entries: tuple
    power: int
    remainder: Rational
    logs: int
    exact: bool = True

    @classmethod
    def of(cls, expansion, observable=None, multiplicity: int = 1, side: int = 1) -> "PrintedProfile":
        """Read the printed coefficients; `side` is the sign that y must have."""
        inverted, orientation, terms, exact = _of_distance(expansion, observable)
        order, logs, lead = terms[0]
        power = -1 if inverted else 1
        y_lead = orientation / lead if inverted else orientation * lead
        if not (order * power > 0 and not logs and _sign(y_lead) == side):
            reason = f"{expansion} does not approach the fixed point like a power from the right side"
            raise Contradiction(lead * U**order * W**logs, reason)
        rest = rest_of(expansion)
        remainder = rest.order - order
        q = int(ilcm(multiplicity, order.q, remainder.q, *[(p - order).q for p, _, _ in terms]))
        entries = tuple(((p - order) * q, j, spread(c / lead)) for p, j, c in terms)
        return cls(q, order * power, y_lead, entries, power, remainder, rest.logs, exact)

    def shape(self) -> Expr:
        """1 + ... as an expression in u and w."""
        return sum((c * U**i * W**j for i, j, c in self.entries), Integer(0))

    def size(self, root: int) -> Expr:
        """a in t = y^(1/root) = a u^valuation (1 + ...)^(power/root)."""
        return self.lead ** Rational(1, root)

    def valuation(self, root: int) -> int:
        """The power of u that t starts with."""
        valuation = self.order * self.q / root
        if not valuation.is_Integer:
            lead = self.lead * U ** (self.order * self.q)
            raise Contradiction(lead, f"t does not go like a power of l^(-1/{self.q})")
        return int(valuation)

    def orders(self, relative) -> int:
        """A power of 1/l in powers of u."""
        return int(relative * self.q)


def _of_distance(expansion, observable) -> tuple:
    """(whether y is the inverse, orientation, terms without the limit, whether the limit was decided exactly)."""
    terms = [(m.order, m.logs, c) for m, c in expansion.terms]
    if observable is None:
        return False, 1, _some(terms), True
    if observable.at_infinity:
        return True, observable.sign, _some(terms), True
    here = dict(((p, j), c) for p, j, c in terms).get((0, 0), Integer(0))
    verdict = zero_by(here - observable.point)
    if verdict is None:
        raise Contradiction(here - observable.point, f"the limit is {here}, not the fixed point {observable.point}")
    return False, observable.sign, _some([term for term in terms if term[:2] != (0, 0)]), verdict == "proved"


def _some(terms: list) -> list:
    if not terms:
        raise zero.Bare("the law has no term beyond its limit")
    return terms


def _sign(lead: Expr) -> int:
    value = lead.subs(sample(lead.free_symbols)).evalf(15)
    if not value.is_extended_real:
        raise Contradiction(lead, f"{lead} cannot be shown to be real")
    return int(sign(value))


# ---- the checks ---------------------------------------------------------------------------------------


def recursion_checks(law) -> list[Check]:
    """The printed law solves the recursion and inverts its coordinate; side by side where orbits change sides."""
    if changes_sides(law):
        return [
            left_check("the map takes each branch to the other, up to the stated remainder", DETAIL, lambda: sum(
                (_recursion_left(law, a, b, a.orders(a.remainder)) for a, b in permutations(_sides(law))), Left(()))),
            left_check("the Abel function of both branches is $l + C$", EXACT,
                       lambda: sum((_coordinate_left(law, side) for side in _sides(law)), Left(()))),
        ]  # fmt: skip
    return [substitution_check(law, NAME), inverse_check(law)]


def linear_checks(law) -> list[Check]:
    """The flow inverts its coordinate; the printed law solves the linear recursion along it and is P + D H."""
    solution = "P + D H" if law.linear.homogeneous is not None else "P"
    name = "the flow $y_n$ solves the recursion up to its remainder"
    return [
        *([substitution_check(law, name, law.flow)] if law.koenigs is not None else []),
        left_check(NAME, DETAIL, lambda: _linear_left(law)),
        inverse_check(law, law.flow),
        left_check(f"${solution}$ along the flow has the stated expansion", EXACT, lambda: _solution_left(law)),
    ]


def substitution_check(law, name: str = NAME, flow=None) -> Check:
    """The residual of the law, or of a flow y_l, in its own recursion."""

    def find() -> Left:
        profile = profile_of(law, flow)
        gained = 0 if law.koenigs is not None else 1
        return _recursion_left(law, profile, profile, profile.orders(profile.remainder + gained))

    return left_check(name, DETAIL, find)


def inverse_check(law, flow=None) -> Check:
    """The coordinate along the printed law, or along the flow y_l that a linear law runs along."""
    name = "the Abel function of the expansion is $l + C$"
    if law.koenigs is not None:
        name = "the Koenigs function of the expansion is $C chi^n$"
    return left_check(name if law.time is None else TIME, EXACT, lambda: _coordinate_left(law, profile_of(law, flow)))


def flow_time_check(law) -> Check:
    """The coefficients of the T that the law carries, against those of the integral of -1/h."""

    def find() -> Left:
        rest = rest_of(law.time)
        stated = {(m.order, m.logs): c for m, c in law.time.terms}
        found = FlowTimeShift.of(law).time(int(rest.order) - 1).terms
        known = {(m.order, m.logs): c for m, c in found if m.order < rest.order}
        differences = ((key, stated.get(key, 0) - known.get(key, Integer(0))) for key in sorted({*stated, *known}))
        return Left.of([(T ** key[0], difference) for key, difference in differences])

    return left_check("$T' = -1/h$, every stated coefficient", EXACT, find)


# ---- the scale of a law -----------------------------------------------------------------------------


def root_of(law) -> int:
    """r of y = t^r."""
    return law.dynamics.root if law.time is None else law.dynamics.drift.root


def profile_of(law, flow=None, divisor: int = 1) -> PrintedProfile:
    """The distance as printed, by the law or by a flow; u^divisor is a whole power of l^(-1/m)."""
    expansion, observable = (law.expansion, law.observable) if flow is None else (flow, None)
    if law.time is not None:
        return PrintedProfile.of(expansion, None, FlowTimeShift.of(law).whole)
    if law.koenigs is None:
        return PrintedProfile.of(expansion, observable, int(ilcm(law.abel.multiplicity, divisor)))
    base, multiplier = expansion.scale.base, law.koenigs.multiplier
    if zero_by(base - multiplier) is None:
        raise Contradiction(base, f"the law is in powers of {base}, S has {multiplier}")
    return PrintedProfile.of(expansion, observable, law.dynamics.root)


def ring_of(
    law, profile: PrintedProfile, expressions: list[Expr], precision: int, bias=0, second: Expr = S.One
) -> Ring:
    """The ring in which a layer of this law is a substitution; u^bias times what is moved is an element."""
    if law.koenigs is None:
        return zero.DepthRing(expressions, precision, profile.q, bias)
    chi = law.koenigs.multiplier
    mu, factor = chi ** Rational(1, profile.q), chi ** Rational(-bias, profile.q)
    return zero.GeometricRing(expressions, precision, mu, second, factor)


def log_of_uniformiser(law, profile: PrintedProfile) -> Expr:
    """log|t| without the log of the shape: log|a| - (order/root) log l."""
    root = root_of(law)
    if law.koenigs is None:
        return log(abs(profile.size(root))) - profile.order / root * W
    lead = profile.lead if root > 1 else abs(profile.lead)  # with roots y is positive
    return (log(lead) + log(abs(law.koenigs.multiplier)) * W) / root


def uniformiser_in(ring: Ring, profile: PrintedProfile, shape, root: int):
    """t/a along the flow."""
    return ring.times(ring.u ** profile.valuation(root), ring.root(shape, Rational(profile.power, root)))


def scaled(coefficients: list[Expr], size: Expr, start=0) -> list[Expr]:
    """Coefficients of t^start, t^(start+1), ... times the powers of `size`."""
    return [spread(c * size ** (start + k)) for k, c in enumerate(coefficients)]


@dataclass(frozen=True)
class Row:
    """u^bias times an expansion in t along the flow: t^start times two power series, without log t and with it."""

    start: Rational
    bias: int
    parts: tuple[list[Expr], list[Expr]]

    @classmethod
    def of(cls, expansion, bias, precision: int, valuation: int) -> "Row":
        """The coefficients that u^precision leaves."""
        start = min((m.order for m, _ in expansion.terms), default=Integer(0))
        count = max(1, int((precision - 1 - bias - start * valuation) // valuation) + 1)
        known = {(m.order - start, m.logs): c for m, c in expansion.terms}
        return cls(start, bias, tuple([known.get((k, j), Integer(0)) for k in range(count)] for j in (0, 1)))

    def expressions(self, size: Expr) -> list[Expr]:
        """All coefficients in units of a."""
        return [c for part in self.parts for c in scaled(part, size, self.start)]

    def along(self, ring: Ring, values: list, profile: PrintedProfile, root: int, shape, logarithm):
        """The element, from those of the coefficients."""
        t, count = uniformiser_in(ring, profile, shape, root), len(self.parts[0])
        plain, with_log = (ring.horner(values[k * count : (k + 1) * count], t) for k in (0, 1))
        power = self.bias + self.start * profile.valuation(root)
        if power < 0 or power != int(power):
            raise Contradiction(power, f"u^({power}) occurs where only whole powers of u can")
        lead = ring.times(ring.root(shape, self.start * Rational(profile.power, root)), ring.u ** int(power))
        return ring.times(plain + ring.times(with_log, logarithm), lead)


def along_flow(law, profile: PrintedProfile, precision: int, parts: list, extra: list, second: Expr = S.One) -> tuple:
    """(the ring, the elements of [(expansion in t, bias)] along the flow, those of the extra expressions)."""
    root = root_of(law)
    rows = [Row.of(expansion, bias, precision, profile.valuation(root)) for expansion, bias in parts]
    flat = [row.expressions(profile.size(root)) for row in rows]
    held = [profile.shape(), log_of_uniformiser(law, profile), *chain(*flat), *extra]
    ring = ring_of(law, profile, held, precision, second=second)
    shape, logarithm, *rest = ring.elements
    logarithm = logarithm + ring.log(shape) * Rational(profile.power, root)
    values = []
    for row, known in zip(rows, flat, strict=True):
        values.append(row.along(ring, rest[: len(known)], profile, root, shape, logarithm))
        rest = rest[len(known) :]
    return ring, values, rest


# ---- one recursion ----------------------------------------------------------------------------------


def _recursion_left(law, here: PrintedProfile, after: PrintedProfile, allowed: int) -> Left:
    """Terms of y(l + 1) - G(y), in units of y, larger than u^allowed log^J; `after` is the distance at l + 1."""
    held, image, exact = (_map_image if law.time is None else _drift_image)(law, here, allowed)
    extra = [after.lead / here.lead, after.shape(), here.shape(), *held]
    ring = ring_of(law, here, extra, allowed + 1, -after.order * here.q)
    lead, following, shape, *held = ring.elements
    moved = ring.times(lead, ring.moved(ring.root(following, after.power)))
    kept = ring.times(ring.root(shape, here.power), image(ring, shape, held))
    return ring.left(moved - kept, allowed, here.logs) + Left((), here.exact and exact)


def _map_image(law, here: PrintedProfile, allowed: int) -> tuple[list[Expr], Callable, bool]:
    """G(y)/y of a map: what the ring must hold, the element from that, whether that the map fixes 0 is exact."""
    root = root_of(law)
    known, exact = map_ratio(law, allowed // here.valuation(root) + 1)

    def image(ring: Ring, shape, held: list):
        return ring.horner(held, uniformiser_in(ring, here, shape, root))

    return scaled(known, here.size(root)), image, exact


def _drift_image(law, here: PrintedProfile, allowed: int) -> tuple[list[Expr], Callable, bool]:
    flow, q = FlowTimeShift.of(law), here.q
    valuation = here.valuation(flow.root)
    start = int(q * flow.kappa) + flow.excess * valuation
    known = scaled(flow.ratio(max(1, (allowed - start) // valuation + 2)), here.size(flow.root), flow.excess)

    def image(ring: Ring, shape, held: list):
        weight, shift, *rate = held
        step = ring.times(weight, ring.root(1 + ring.times(shift + 1, ring.u**q), -flow.kappa))
        if flow.saturating:
            step = ring.times(step, ring.root(1 + ring.times(step, ring.u ** int(q * flow.kappa)), -1))
        pull = ring.horner(rate, uniformiser_in(ring, here, shape, flow.root))
        pull = ring.times(pull, ring.root(shape, Rational(flow.excess, flow.root)))
        return 1 - ring.times(ring.times(step, pull), ring.u**start)

    return [flow.weight, flow.shift, *known], image, True


def _sides(law) -> tuple[PrintedProfile, PrintedProfile]:
    """The distances for even and for odd l, the second negative, with the same u."""
    m, seen = law.abel.multiplicity, law.observable
    even, odd = PrintedProfile.of(law.expansion, seen, m), PrintedProfile.of(law.odd, seen, m, side=-1)
    q = int(ilcm(m, even.q, odd.q))
    return PrintedProfile.of(law.expansion, seen, q), PrintedProfile.of(law.odd, seen, q, side=-1)


# ---- its coordinate -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Position:
    """N = t^(-period) (...): the clock at l + shift and C, as (order, logs, coefficient), or with no clock C chi^l.

    `expansion`: N up to a power of t at least; `follows`: N keeps to the clock up to O(l^(-follows)), None: always.
    """

    period: int
    expansion: Callable
    clock: tuple = ()
    shift: Expr = S.Zero
    follows: Rational | None = None

    @classmethod
    def of(cls, law) -> "Position":
        """That of Koenigs' S, of Abel's A, or of the flow time by its own integral."""
        if law.koenigs is not None:
            return cls(-law.dynamics.root, lambda last: _require_known(law.koenigs.expansion, last))
        if law.abel is not None:
            return cls(law.abel.multiplicity, lambda last: law.abel.expansion, ((Integer(-1), 0, Integer(1)),))
        flow = FlowTimeShift.of(law)
        shift, follows = (S.Zero, None) if flow.logarithmic else (flow.shift, flow.kappa)
        return cls(flow.excess, lambda last: flow.time(last + 1), flow.clock(), shift, follows)

    @property
    def lost(self) -> Rational:
        """The power of l with which the clock grows."""
        return -self.clock[0][0] if self.clock else Integer(0)

    def clock_in(self, ring: Ring, shift, coefficients: list, bias: int):
        """u^bias times the clock."""
        grown, total = 1 + ring.times(shift, ring.u**ring.q) if self.clock else None, ring.ring.zero
        for (order, logarithms, _), c in zip(self.clock, coefficients, strict=True):
            factor = ring.w + ring.log(grown) if logarithms else ring.root(grown, -order)
            total = total + ring.times(ring.times(c, factor), ring.u ** int(bias + order * ring.q))
        return total


def _coordinate_left(law, profile: PrintedProfile) -> Left:
    """Terms of N - clock - C, or of S(t)/chi^l - C, above the remainder."""
    position, valuation = Position.of(law), profile.valuation(root_of(law))
    rest, logs = profile.remainder - position.lost, profile.logs
    if position.follows is not None and position.follows < rest:
        rest, logs = position.follows, 0
    allowed, bias = profile.orders(rest), max(profile.orders(position.lost), abs(position.period) * valuation)
    expansion = position.expansion(int(ceiling(Rational(allowed + bias, valuation))))
    extra = [law.constant_symbols["C"], position.shift, *(c for _, _, c in position.clock)]
    ring, (value,), (constant, shift, *clock) = along_flow(
        law, profile, allowed + 1 + bias, [(expansion, bias if position.clock else 0)], extra
    )
    target = ring.times(ring.u**bias, constant) + position.clock_in(ring, shift, clock, bias)
    return ring.left(value - target, allowed, logs, bias) + Left((), profile.exact)


def _require_known(expansion, last: int):
    if last > rest_of(expansion).order:
        raise UnsupportedError(f"{expansion} is not known as far as the law to be checked")
    return expansion


# ---- a linear recursion along the flow --------------------------------------------------------------


@dataclass(frozen=True)
class Printed:
    """a_l as printed: terms (power of u, logs, power of v, coefficient), known up to u^rest w^logs.

    v = second^n has the size u^weight; it is there for a second base, or for (-1)^n in a coefficient.
    """

    terms: tuple
    second: Expr
    weight: float
    rest: float
    logs: int

    @classmethod
    def of(cls, law, q: int) -> "Printed":
        """Read off the law of a_l, or of a_l/l."""
        scale, rest, gained = law.expansion.scale, rest_of(law.expansion), int(law.average)
        sign, second = Integer(-1) ** scale.depth, scale.second
        weight, terms = Integer(0) if second is None else scale.weight, []
        for m, c in law.expansion.terms:
            times = m.order.coeff(weight) if second is not None else 0
            power = int((m.order - gained - (times * weight if times else 0)) * q)
            parts = expand(c, log=False).subs(sign, V).as_poly(V).as_dict() if c.has(sign) else {(0,): c}
            terms += [(power, m.logs, int(times) + k, part) for (k,), part in parts.items()]
        if second is None:
            second = Integer(-1 if any(k for _, _, k, _ in terms) else 1)
        return cls(tuple(terms), second, float(to_mpf(weight)) * q, float(to_mpf(rest.order - gained)) * q, rest.logs)

    @property
    def bias(self) -> int:
        """The largest negative power of u."""
        return max([0, *(-i for i, _, _, _ in self.terms)])

    def precision(self, gained: int = 0) -> int:
        """Powers of u that matter, counted from the most negative."""
        return ceil(max(self.rest, self.rest - self.weight) - CLOSE) + gained + self.bias + 1

    def expression(self, bias: int) -> Expr:
        """u^bias a in u, w and v."""
        return sum((c * U ** (i + bias) * W**j * V**k for i, j, k, c in self.terms), Integer(0))

    def left(self, ring: Ring, element, bias: int, gained: int = 0) -> Left:
        """The terms of u^(-bias) element that exceed u^gained times the remainder, largest first."""
        larger, rest = [], self.rest + gained
        for (i, j, *second), c in ring.coefficients(element):
            k = sum(second)
            order = i - bias + k * self.weight
            if order < rest - CLOSE or (order < rest + CLOSE and j > self.logs):
                larger.append((order, -j, U ** (i - bias) * W**j * V**k, c))
        larger.sort(key=lambda term: term[:2])
        return Left.of([(monomial, c) for _, _, monomial, c in larger], ring.exact)


def _flow_profile(law) -> PrintedProfile:
    """The flow, with a u of which all powers that occur are whole powers."""
    if law.koenigs is not None:
        return profile_of(law, law.flow)
    free, rest = law.linear.homogeneous, rest_of(law.expansion)
    orders = [rest.order, *(m.order for m, _ in law.expansion.terms)]
    divisor = 1 if free is None else free.leading[0].order.q
    return profile_of(law, law.flow, int(ilcm(law.abel.multiplicity * divisor, *[order.q for order in orders])))


def _linear_left(law) -> Left:
    """Terms of a(l + 1) - lambda(t) a - b(t) that exceed the remainder."""
    profile, root = _flow_profile(law), law.dynamics.root
    known, step, most = Printed.of(law, profile.q), profile.valuation(root), 0 if law.koenigs is not None else profile.q
    precision = known.precision(most)
    count = (precision - 1) // step + 1
    slope, source = linear_series(law, count)
    differs = (k * step for k, c in enumerate(slope) if k * step < most and not zero.is_zero(c - (1 if k == 0 else 0)))
    gained = min([most, *differs])
    rows = [c for series in (slope, source) for c in scaled(series, profile.size(root))]
    extra = [profile.shape(), known.expression(known.bias), *rows]
    ring = ring_of(law, profile, extra, precision, known.bias, known.second)
    shape, solution, *rows = ring.elements
    t = uniformiser_in(ring, profile, shape, root)
    slope, source = ring.horner(rows[:count], t), ring.horner(rows[count:], t)
    kept = ring.moved(solution) - ring.times(slope, solution) - ring.times(source, ring.u**known.bias)
    return known.left(ring, kept, known.bias, gained)


def _solution_left(law) -> Left:
    """Terms of P(t) + D H(t) - a above the remainder."""
    profile, root, linear = _flow_profile(law), law.dynamics.root, law.linear
    known, free = Printed.of(law, profile.q), linear.homogeneous
    shift, alternating = _free_growth(law, known, profile.q)
    parts = [(linear.particular, 0), *([(free, shift)] if free is not None else [])]
    lowest = min(m.order * profile.valuation(root) + extra for e, extra in parts for m, _ in e.terms)
    bias = max(known.bias, ceil(-lowest))
    precision = known.precision() + bias - known.bias
    extra = [law.constant_symbols["D"], known.expression(bias)]
    ring, (total, *homogeneous), (second, printed) = along_flow(
        law, profile, precision, [(e, bias + s) for e, s in parts], extra, known.second
    )
    for free in homogeneous:
        total = total + ring.times(ring.times(second, free), ring.v if alternating else ring.ring.one)
    return known.left(ring, total - printed, bias)


def _free_growth(law, known: Printed, q: int) -> tuple[int, bool]:
    """(k, whether v multiplies) in D H = D v u^k h(t), lambda_0 = (+-) mu^k unless v is lambda_0^n itself."""
    linear = law.linear
    if linear.runs_alone:
        return 0, False
    if law.expansion.scale.second is not None:
        if zero_by(known.second - linear.multiplier) is None:
            reason = f"the law is in powers of {known.second}, lambda_0 is {linear.multiplier}"
            raise Contradiction(known.second, reason)
        return 0, True
    mu = law.koenigs.multiplier ** Rational(1, q)
    values = sample(linear.multiplier.free_symbols | mu.free_symbols)
    sizes = [log(abs(e.subs(values))).evalf(30) for e in (linear.multiplier, mu)]
    k = int((sizes[0] / sizes[1]).round())
    if zero_by(linear.multiplier - known.second * mu**k) is None:
        raise Contradiction(linear.multiplier, f"lambda_0 is not {known.second}*({mu})^{k}")
    if k < -known.bias:
        raise Contradiction(linear.multiplier, f"{law.expansion} does not contain D lambda_0^n")
    return k, known.second == -1
