"""The original recursion in mpmath: C and D must not move, to as many digits as asked.

Read C_l = A(t_l) - l, or C_l = S(t_l)/chi^l, and D_l = (a_l - P)/H at five layers, from the first at which the terms
that the series leave out are too small to matter.  A wrong coefficient of t^k makes C_l move by about t^k, a missing
log by log 1.5 from each of them to the next.  An orbit that changes sides is read on both of them.

Three things move what is read: a wrong law, rounding, and what the series leave out, O(t^N).  So a drift counts against
a law only if another working precision shows the same (otherwise both are raised), and if it falls more slowly than t^N
(otherwise it is read again, ten times closer).

Tiny case.  x' = x - x^2 from 1/2: 1/x + log x + ... - n stays at 1.76799378613615405...
"""

import inspect
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from mpmath import mp, mpf, nstr
from sympy import Expr, Rational

from asympt.errors import AsymptError, InputError, PrecisionError
from asympt.evidence import law_terms
from asympt.evidence.check import TOLERANCE, Check, telling
from asympt.evidence.law_terms import CoordinateTerms, changes_sides, has_homogeneous, is_network, kept, number, rest_of
from asympt.evidence.orbits.panels import followed_by_panels
from asympt.numbers import exact, to_mpf

STAGES = 4
TWICE, ONCE = (25, 40), (15,)  # digits beyond those requested, of two orbits, and of one whose every layer is dear
APART = 15  # digits between them
RAISED = (0, 30, 90, 200)  # digits more, as long as rounding is seen
NEARER = 3  # digits more to which an orbit must be on the manifold of a system
CLOSER, CLOSEST = 10, 10**4  # times, where what drifts is what the series leave out
ROUGH = 15  # digits of an estimate
FURTHEST = 3000  # layers from one reading to the next, where layers are not layers of a network
ESCAPED = 10**6  # an orbit this many times its start away is taken to escape


WATCHED = 50  # steps that do not prove convergence; the checks that follow see whether the orbit arrives
TRIED = (*range(1, 13), 16, 24, 32, 48, 64, 96, 128)  # powers of 1/4; the last ones for a hundred digits and more
DIGITS = 30
SHORT, LONG = 12_000, 400_000  # layers that may be iterated from a start that was chosen, and from one that was given


@dataclass(frozen=True)
class Start:
    """The exact distance y_0, how a reader calls it, and how many layers it may take."""

    value: Expr
    label: str
    most: int


def starts(law, given=None, approaches: Callable | None = None) -> Iterator[Start]:
    """The start that was given, or those that approach the fixed point, one after the other."""
    if given is not None:
        yield Start(read_start(law, given), f"{law._start_name()[0]} = {given}", LONG)
        return
    for k in TRIED:
        value = Rational(1, 4**k)
        if (approaches or _approaches)(law, value):
            yield Start(value, f"{law._start_name()[0]} = {outer(law, value)}", SHORT)


def from_first(law, given, work: Callable[[Start], list[Check]], approaches: Callable | None = None) -> list[Check]:
    """The checks from the first start for which they can be done in time."""
    reason = "the map brings none of the starts y_0 = 1/4, 1/16, ... closer to the fixed point; give start=..."
    for start in starts(law, given, approaches):
        try:
            return work(start)
        except PrecisionError as error:
            reason = str(error)
    raise PrecisionError(reason)


def read_start(law, given) -> Expr:
    """The exact distance of a start from the fixed point, as the law's own reader takes it."""
    if law.reader is None:
        return exact(given, "start")
    if "start" not in inspect.signature(law.reader).parameters:
        raise InputError(f"start = {given}: the start of this law is not given as `start`; leave it out")
    return law.reader(start=given)


def outer(law, value: Expr) -> Expr:
    """The start that lies at this distance from the fixed point."""
    fixed = law.fixed
    if fixed is None:
        return value
    return fixed.sign / value if fixed.at_infinity else fixed.point + fixed.sign * value


def _approaches(law, value: Expr) -> bool:
    """Whether the original map brings the distance down, every second step, without changing sides unless it may."""
    try:
        with mp.workdps(DIGITS):
            state = (to_mpf(value), law.dynamics.linear.start(to_mpf(value))) if law.linear else (to_mpf(value),)
            distances = _distances(law, value, state)
            closer = all(0 < abs(b) < abs(a) for a, b in zip(distances, distances[2:], strict=False))
            return closer and (law.abel is None or changes_sides(law) or min(distances) > 0)
    except AsymptError:
        return False


def _distances(law, value: Expr, state: tuple) -> list:
    if not hasattr(law.dynamics, "step"):  # steps that depend on the layer
        return [law.dynamics.iterate(value, law.dynamics.first + k) for k in range(WATCHED)]
    return [entry[0] for entry in kept(law.dynamics.step, state, range(WATCHED + 1), 0).values()]


@dataclass(frozen=True)
class Measurements:
    """C (or D) at some layers, there t, and the same at another precision; `unit` is what a drift is measured in."""

    layers: tuple
    t: tuple
    values: tuple
    again: tuple | None
    unit: int

    @property
    def size(self):
        """The unit of a drift: |C| where C is a factor, otherwise 1 or |C|, the larger."""
        return max(self.unit, abs(self.values[-1])) or mpf(1)

    @property
    def drift(self):
        """The largest distance from the last reading, in units of the constant."""
        return max(abs(value - self.values[-1]) for value in self.values) / self.size

    @property
    def noise(self):
        """What the other precision changes; None where there is none."""
        if self.again is None:
            return None
        return max(abs(a - b) for a, b in zip(self.values, self.again, strict=True)) / self.size

    def falls_like(self, order) -> bool:
        """Whether what drifts becomes smaller like t^order from the first to the second reading, and goes on."""
        moves = [abs(after - before) for before, after in pairwise(self.values)]
        if moves[-1] > moves[0]:
            return False
        first, second = (abs(value - self.values[-1]) for value in self.values[:2])
        if not first or not second:
            return bool(first)
        return mp.log(first / second) / mp.log(abs(self.t[0] / self.t[1])) > order - TOLERANCE


@dataclass(frozen=True)
class Orbit:
    """An orbit of the original recursion as C and D are read off it: which law, how many digits, how far to go.

    `states`: a function that follows the recursion at mpmath's current precision, (layer, (y,) or (y, a)) one after the
    other: a generator that is told which layer is wanted next and may leave out those before it; `most`: layers;
    `ready`: whether C may be read off a state at all (the series must be accurate there as well); `guards`: digits
    beyond those asked, of each orbit; `latest`: the layer at which C is read wherever the orbit is, so that one of
    another law shows it by a C that drifts; without it that is an error.
    """

    law: object
    states: Callable[[], Generator[tuple[int, tuple], int | None, None]]
    digits: int
    most: int
    ready: Callable[[int, tuple], bool] = lambda layer, state: True
    guards: tuple = TWICE
    tell: Callable[[int, int], None] | None = None
    latest: int | None = None
    closer: int = 1
    raised: int = 0

    @property
    def edge(self):
        """The t below which the series are accurate to the requested digits."""
        return accurate_below(self.law, self.digits + 3) / self.closer

    def measurements(self) -> list[Measurements]:
        """C, and D where there is one, with rounding below the requested digits where more digits achieve that."""
        guards, orbit = self.guards, self
        for raised in RAISED:
            orbit = replace(self, raised=raised)
            found = orbit._read(guards)
            if len(guards) == 1 and any(self.drifts(measurements) for measurements in found):
                guards = (*guards, guards[0] + APART)
                found = orbit._read(guards)
            if not any(self.is_rounded(measurements) for measurements in found):
                break
        return found

    def drifts(self, measurements: Measurements) -> bool:
        """Whether a constant moves by more than the requested digits."""
        return not measurements.drift <= mpf(10) ** -self.digits

    def is_rounded(self, measurements: Measurements) -> bool:
        """Whether rounding alone moves it by as much."""
        return measurements.noise is not None and not measurements.noise <= mpf(10) ** -self.digits

    def _read(self, guards: tuple) -> list[Measurements]:
        lost, along = _cancelled(self.law, self.edge), []
        for index, guard in enumerate(guards):
            with mp.workdps(self.digits + guard + lost + self.raised):
                along.append(self._constants())
            if self.tell:
                self.tell(index + 1, len(guards))
        layers, t, _ = along[0]
        with mp.workdps(self.digits + guards[-1] + lost + self.raised):
            factor = self.law.koenigs is not None
            found = []
            for index in range(2 if has_homogeneous(self.law) else 1):
                values, *again = (tuple(pair[index] for pair in pairs) for _, _, pairs in reversed(along))
                unit = 0 if index == 0 and factor else 1
                found.append(Measurements(layers, t, values, again[0] if again else None, unit))
        return found

    def _constants(self) -> tuple[tuple, tuple, tuple]:
        """Layers, t and (C, D) at them, from where the series is accurate."""
        law, edge, coordinate = self.law, self.edge, CoordinateTerms.of(self.law)
        found, wanted = [], None
        states = self.states()
        layer, state = next(states)
        while True:
            if wanted is None and layer != self.latest and layer * 5 > self.most:
                break
            t = law_terms.uniformiser(law, state) if wanted in (None, layer) else None
            if wanted is None and ((abs(t) <= edge and self.ready(layer, state)) or layer == self.latest):
                wanted = layer
            if wanted == layer:
                found.append((layer, t, coordinate.constants(t, layer, state)))
                if len(found) > STAGES:
                    return tuple(zip(*found, strict=True))
                wanted = layer + _further(law, layer, found[-1][2][0])
            layer, state = states.send(wanted)
        raise PrecisionError(
            f"constancy needs more than {self.most} layers of mpmath before the series is accurate; "
            "ask for fewer digits"
        )


def constancy_checks(
    law, start: Expr, label: str, digits: int, progress=None, most: int = LONG, guards: tuple = TWICE,
) -> list[Check]:
    """Constancy of C (and D) along the law's own recursion, from one starting value (see `Orbit`)."""
    tell = telling(progress, f"mpmath orbit from {label}")
    orbit = Orbit(law, lambda: followed(law, start), digits, most, guards=guards, tell=tell)
    return checks_along(replace(orbit, ready=lambda layer, state: law.dynamics.settled(state, digits + NEARER)), label)


def checks_along(orbit: Orbit, label: str, said: str = "is constant from ${}$") -> list[Check]:
    """C (and D) along an orbit, read closer while what drifts is what the series leave out; `said` ends their names."""
    said = said.format(label)
    with mp.workdps(orbit.digits + orbit.guards[-1]):
        CoordinateTerms.of(orbit.law)  # costly constants: to the most digits first, which all others are cut from
        found, orders = orbit.measurements(), decay(orbit.law)
        while _shows_the_rest(orbit, found, orders) and orbit.closer < CLOSEST:
            orbit = replace(orbit, closer=orbit.closer * CLOSER)
            before, found = found, orbit.measurements()
            if found[0].layers == before[0].layers:  # the orbit comes no closer in the layers that there are
                break
        return [
            _check(name, orbit, said, index, measurements, orders[index])
            for index, (name, measurements) in enumerate(zip("CD", found, strict=False))
        ]


def _shows_the_rest(orbit: Orbit, found: list[Measurements], orders: tuple) -> bool:
    """Whether all that drifts, more than rounding does, falls like what the series leave out."""
    moving = [(measured, order) for measured, order in zip(found, orders, strict=False) if orbit.drifts(measured)]
    return bool(moving) and all(
        measured.falls_like(order) and not orbit.is_rounded(measured) for measured, order in moving
    )


def _check(name: str, orbit: Orbit, said: str, index: int, measured: Measurements, order) -> Check:
    title = f"${name} = {CoordinateTerms.of(orbit.law).names[index]}$ {said}"
    bound = nstr(mpf(10) ** -orbit.digits, 3)
    where = ", ".join(map(str, measured.layers))
    precisions = "one precision" if measured.again is None else "two precisions"
    detail = f"layers {where}, {precisions}; {name} = {nstr(measured.values[-1], 15)}"
    if orbit.is_rounded(measured) and not measured.drift > 2 * measured.noise:
        reason = f"rounding moves {name} by {nstr(measured.noise, 3)} at every precision that was tried"
        return Check(title, reason, bound, None, "checked", detail)
    if orbit.drifts(measured) and measured.falls_like(order):
        reason = f"{name} still moves by {nstr(measured.drift, 3)} like what the series leave out; ask for fewer digits"
        return Check(title, reason, bound, None, "checked", detail)
    figure = measured.drift if measured.noise is None else max(measured.drift, measured.noise)
    return Check(title, nstr(figure, 3), bound, not orbit.drifts(measured), "checked", detail)


def _cancelled(law, edge) -> int:
    """Digits that a_l - P loses along an exponential law, where D H is far smaller than P, up to the last reading."""
    if law.koenigs is None or not has_homogeneous(law):
        return 0
    decades = -mp.log10(abs(to_mpf(law.koenigs.multiplier))) / law.dynamics.root
    last = -mp.log10(edge) + (1 + STAGES * _steps(law)) * decades
    return int(max(0, homogeneous_order(law) * last)) + 5


def begin(law, start) -> tuple:
    """The first state, from a starting value."""
    if law.dynamics.begin is not None:
        return law.dynamics.begin(start)
    x = to_mpf(start)
    return (x, law.dynamics.linear.start(x)) if law.linear else (x,)


def followed(law, start: Expr) -> Generator[tuple[int, tuple], int | None, None]:
    """The layers from 1 on, and the states of the law's own recursion there; sent a layer, that one is next."""
    state, layer = begin(law, start), law.dynamics.first
    farthest, step = ESCAPED * (1 + abs(state[0])), law.dynamics.step
    panels = followed_by_panels(step) if is_network(law) and law.abel is not None else None
    while True:
        wanted = None
        if layer >= 1:
            require_on_its_way(law, state, farthest, layer)
            wanted = yield layer, state
        ahead = layer + 1 if panels is None or wanted is None else max(layer + 1, wanted)
        state, layer = step(state) if panels is None else panels.advance(state, ahead - layer), ahead


def require_on_its_way(law, state: tuple, farthest, layer: int) -> None:
    """An error for an orbit that escapes, or lands on the other side of a parabolic point."""
    if not abs(state[0]) < farthest or (state[0] < 0 and law.abel is not None and not changes_sides(law)):
        raise InputError(f"the orbit leaves its side of the fixed point at layer {layer}; give another start=...")


def _further(law, layer: int, constant) -> int:
    """How many layers to the next reading: an odd number where sides change, so that both are read."""
    if law.koenigs is not None:
        steps = _steps(law)
    elif is_network(law):
        return (layer + 1) // 2
    else:
        steps = int(layer + constant) // 2
    steps = max(1, min(FURTHEST, steps))
    return steps + 1 - steps % 2 if changes_sides(law) else steps


def _steps(law) -> int:
    """Steps that make S ten times smaller, one at least."""
    return max(1, int(mp.ceil(-1 / mp.log10(abs(to_mpf(law.koenigs.multiplier))))))


# ---- how close to the fixed point a truncated series is accurate ------------------------------------
# The first term left out is about g^N t^N log^J t, g the largest |c_k|^(1/k) of the last coefficients known; where a
# constant is divided by H (or S by y), the power of t lost in the division counts against it.


def accurate_below(law, digits: int):
    """A t below which the first term that A (or S), P and H leave out is smaller than 10^-digits (as C and D see it).

    Estimated from the size of the last coefficients; the check that uses it measures the truth.
    """
    bound, (first, second) = mpf(10) ** -digits, _divided(law)
    if has_homogeneous(law):
        bound = bound * min(1, abs(number(law.linear.homogeneous.leading[1])))
    return min(_edge(expansion, loss, bound) for expansion, loss in [*first, *second])


def decay(law) -> tuple:
    """(p, r): what is left out moves C by O(t^p) and D by O(t^r), logs apart; r is None without a D.

    >>> from asympt.architectures import FeedForward
    >>> [int(power) for power in decay(FeedForward("relu", sigma_w=1, sigma_b=1).ntk_law(terms=1))]
    [7, 5]
    """
    first, second = ([rest_of(e).order - loss for e, loss in pairs] for pairs in _divided(law))
    return min(first), min(second) if second and has_homogeneous(law) else None


def _divided(law) -> tuple[list, list]:
    """What C is read off, and what D is: (expansion, the power of t by which it is divided)."""
    first = [(law.abel.expansion, 0) if law.koenigs is None else (law.koenigs.expansion, law.dynamics.root)]
    if law.linear is None:
        return first, []
    if not has_homogeneous(law):
        return first, [(law.linear.particular, 0)]
    second = [(law.linear.particular, homogeneous_order(law))]
    if law.koenigs is not None:
        second.append((law.linear.homogeneous, int(law.linear.homogeneous.leading[0].order)))
    return first, second


def homogeneous_order(law):
    """The power of t like which the homogeneous solution decays along the flow."""
    if law.linear.runs_alone:
        return to_mpf(law.linear.homogeneous.leading[0].order)
    decades = mp.log(abs(to_mpf(law.koenigs.multiplier))) / law.dynamics.root
    return mp.log(abs(to_mpf(law.linear.multiplier))) / decades


def _edge(expansion, loss, bound):
    rest = rest_of(expansion)
    order = int(rest.order)
    if order <= loss:
        raise PrecisionError(f"{expansion} is not known far enough to read a constant off; derive more terms")
    edge = (bound * radius(expansion) ** order / 10) ** (mpf(1) / (order - loss))
    logarithms = max(1, abs(mp.log(edge))) ** rest.logs
    return edge / logarithms ** (mpf(1) / (order - loss))


def radius(expansion):
    """About the radius in which the series converges: 1/g."""
    with mp.workdps(ROUGH):
        last = [(int(m.order), abs(number(c))) for m, c in expansion.terms if not m.logs and m.order > 0][-3:]
        return 1 / max((c ** (mpf(1) / k) for k, c in last if c), default=mpf(1))
