"""The original recursion in balls, from one start or from all starts of an interval.

One start: the mean value form f(mid) + f'(ball) (ball - mid), whose radius grows by f' <= 1.  An interval: where f' has
one sign the image is that of the ends; elsewhere it is cut in halves until they hardly reach beyond values that are
taken.  Of a linear recursion along it, a' = lambda a + b, the ranges of lambda and b are found in the same way.  Where
steps fall, x' = x - delta h(x), the image is that of the ends as long as 1 - delta h' > 0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from flint import arb
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, between, working
from asympt.balls.disc import LocalBallMap, enclosed, rooted
from asympt.balls.expression import Outside, Program, number, program_of, shown
from asympt.deadline import check_time

HALVINGS, MOST = 44, 4000  # of an interval in a layer: how often it is cut, and into how many pieces
ROOM = arb(2) ** -10  # by how much, relatively, a part may reach beyond the values that are taken for certain
TINY, SHORT = arb(2) ** -20, 32  # of an end, in widths; halvings that are left to a part that may reach beyond at all
HUGE = arb("1e100000")  # an orbit that has grown so far doubles its digits at every step, as a polynomial's does
LANDS = "the orbit may land on the fixed point, where there is no law of how it is approached"
OUTSIDE = "the starts may lie outside the basin; take starts well inside it, or a shorter interval"


@dataclass(frozen=True)
class BallInterval:
    """All numbers between two ends, each a ball; one number where the ends are the same object."""

    low: arb
    high: arb

    @classmethod
    def thin(cls, value: arb) -> "BallInterval":
        return cls(value, value)

    @classmethod
    def of(cls, ends: Sequence[arb]) -> "BallInterval":
        """From the `ends` of one."""
        return cls(ends[0], ends[-1])

    @property
    def ends(self) -> list[arb]:
        """Both, or the one number."""
        return [self.low] if self.is_thin else [self.low, self.high]

    @property
    def is_thin(self) -> bool:
        """Whether it is one number."""
        return self.low is self.high

    @property
    def ball(self) -> arb:
        return self.low if self.is_thin else between(self.low, self.high)

    @property
    def upper(self) -> arb:
        return self.high.upper()

    def __add__(self, other: "BallInterval") -> "BallInterval":
        if self.is_thin and other.is_thin:
            return BallInterval.thin(self.low + other.low)
        return BallInterval(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "BallInterval") -> "BallInterval":
        if self.is_thin and other.is_thin:
            return BallInterval.thin(self.low * other.low)
        return hull([a * b for a in (self.low, self.high) for b in (other.low, other.high)])


def hull(values: list[arb]) -> BallInterval:
    """The smallest interval that holds all the balls."""
    low, high = values[0].lower(), values[0].upper()
    for value in values[1:]:
        low, high = low.min(value.lower()), high.max(value.upper())
    return BallInterval(low, high)


def image(program: Program, given: BallInterval, parameters: Mapping[Symbol, arb]) -> BallInterval:
    """The values of a function over an interval; `Refused` where they are not found in so many pieces (`MOST`)."""
    if given.is_thin:
        return BallInterval.thin(enclosed(program, given.low, parameters))
    slope = _seen(program.slope, given.ball, parameters)
    known = slope if slope >= 0 or slope <= 0 else None
    ends = [enclosed(program, end, parameters, known) for end in (given.low, given.high)]
    if known is None:
        return _in_parts(program, given, ends, parameters)
    return BallInterval(*ends) if slope >= 0 else BallInterval(*reversed(ends))


def _in_parts(
    program: Program, given: BallInterval, taken: list[arb], parameters: Mapping[Symbol, arb]
) -> BallInterval:
    """A hull of all values: the longest parts first, cut as long as they may reach far beyond values `taken`."""
    certain, found, left = hull(taken), list(taken), [(given, HALVINGS)]
    for part, halvings in left:
        slope = _seen(program.slope, part.ball, parameters)
        if slope >= 0 or slope <= 0:
            taken = [enclosed(program, end, parameters) for end in (part.low, part.high)]
            certain, found = hull([certain.low, certain.high, *taken]), [*found, *taken]
            continue
        whole = _seen(partial(enclosed, program), part.ball, parameters)
        rooms = [_room(end, certain) * (halvings < SHORT) for end in (certain.low, certain.high)]
        if whole >= certain.low - rooms[0] and whole <= certain.high + rooms[1]:
            found.append(whole)
            continue
        if not halvings:
            found.append(enclosed(program, part.ball, parameters))
            continue
        middle = part.ball.mid()
        halves = BallInterval(middle, part.high), BallInterval(part.low, middle)
        left += [(half, halvings - 1) for half in halves]
        check_time()
        if len(left) > MOST:
            raise Refused(f"the image of an interval of starts is not found: {OUTSIDE}")
    return hull(found)


def _room(end: arb, values: BallInterval) -> arb:
    """How far beyond an end of the values a part may reach: never to the other side of 0, unless the end is there."""
    width = values.high - values.low
    return ROOM * (abs(end) if abs(end) > TINY * width else width)


def _seen(read: Callable, part: arb, parameters: Mapping[Symbol, arb]) -> arb:
    """The slope, or the values, over a part; NaN where the function is not shown to be real, but may be in parts of it.

    A slope is finite only where the function is real on the whole part, so where its sign is seen nothing else is
    asked.
    """
    try:
        return read(part, parameters)
    except Outside as outside:
        if outside.certain:
            raise
        return arb.nan()


@dataclass(frozen=True)
class LinearAlong:
    """a' = lambda(t) a + b(t) along an orbit; `start`: a in the first layer as a function of x, an expression.

    lambda and b are formulas in t, or what the map has for programs (`kernel.KernelFunction`); within: as of the map.
    """

    multiplier: Expr
    forcing: Expr
    start: object
    symbol: Symbol
    within: bool = False

    @property
    def programs(self) -> tuple[Program, Program]:
        """lambda and b."""
        both = self.multiplier, self.forcing
        return tuple(program_of(f, self.symbol, self.within) if isinstance(f, Expr) else f for f in both)


@dataclass
class OrbitInBalls:
    """(x_l or t_l, a_l) for l = first, first + 1, ...; computed once and kept.

    map: the recursion;  low, high: exact numbers, the ends of the interval of x_first (equal for one start);
    along: what runs along it, None for nothing.
    """

    map: object
    low: Expr
    high: Expr
    first: int
    bits: int
    along: object = None
    _layers: list[tuple] = field(default_factory=list)  # both or none, for a layer that is needed again

    def a(self, layer: int) -> BallInterval:
        """The solution of the linear recursion in a layer."""
        return self._at(layer)[1]

    def _at(self, layer: int) -> tuple[BallInterval, BallInterval | None]:
        if layer < self.first:
            raise Refused(f"layer {layer} lies before the first one, {self.first}")
        with working(self.bits):
            if not self._layers:
                self._layers.append(self._start(self._known))
            while len(self._layers) <= layer - self.first:
                check_time()
                self._layers.append(self._onward(self._known))
        return self._layers[layer - self.first]

    @cached_property
    def _known(self) -> Mapping[Symbol, arb]:
        return self.map.known(self.bits)

    def _onward(self, known: Mapping[Symbol, arb]) -> tuple[BallInterval, BallInterval | None]:
        """The next layer; `Outside`, with this one, where the recursion has no real value."""
        state = self._layers[-1]
        try:
            return self._following(*state, known)
        except Outside as outside:
            layer, t = self.first + len(self._layers) - 1, shown(state[0].ball)
            raise Outside(f"the recursion leaves the reals in layer {layer}, at t = {t}: {outside}") from None

    def _start(self, known: Mapping[Symbol, arb]) -> tuple[BallInterval, BallInterval | None]:
        low, high = (number(end, known) for end in (self.low, self.high))
        state = BallInterval.thin(low) if self.low == self.high else BallInterval(low, high)
        if self.along is None:
            return self._entered(state), None
        x = Symbol("x")
        return self._entered(state), image(program_of(self._begun(x), x), state, known)

    def _entered(self, x: BallInterval) -> BallInterval:
        """What is iterated, for the x of the first layer."""
        return x

    def _begun(self, x: Symbol) -> Expr:
        """a of the first layer."""
        raise NotImplementedError

    def _following(self, state: BallInterval, a: BallInterval | None, known: Mapping[Symbol, arb]) -> tuple:
        """One layer on; `Refused` where the orbit does not fall."""
        raise NotImplementedError


class BallOrbit(OrbitInBalls):
    """t_l, and a_l: the map is the same in every layer; `along` is a `LinearAlong`."""

    map: LocalBallMap
    along: LinearAlong | None

    is_wide = False  # for other reasons than the length of the interval of starts

    def t(self, layer: int) -> BallInterval:
        """The uniformiser in a layer."""
        return self._at(layer)[0]

    @property
    def settled(self) -> int:
        """The layer from which on the map holds."""
        return self.first

    def theorem(self, theorem, layer: int):
        """That of the map, or of what runs along it, for this orbit from a layer on."""
        return theorem

    def __iter__(self) -> Iterator[tuple[int, BallInterval]]:
        layer = self.first
        while True:
            yield layer, self.t(layer)
            layer += 1

    def _begun(self, x: Symbol) -> Expr:
        return self.along.start(x)

    def _entered(self, x: BallInterval) -> BallInterval:
        return BallInterval.of([self.map.rooted(end) for end in x.ends])

    def _following(
        self, t: BallInterval, a: BallInterval | None, known: Mapping[Symbol, arb]
    ) -> tuple[BallInterval, BallInterval | None]:
        if a is not None:
            multiplier, forcing = (image(program, t, known) for program in self.along.programs)
            a = multiplier * a + forcing
        if len(self._layers) == 1 and t.is_thin:
            following = self._entered(BallInterval.thin(self.map.exact_image(self.low, known)))
        else:
            following = self._entered(image(self.map.program, t, known))
        self.map.require_nearer(t.upper, following.upper)
        if following.ball.abs_upper() > HUGE:
            raise Refused(f"the orbit leaves the neighbourhood of the fixed point for good: {OUTSIDE}")
        return following, a


class FlowOrbit(OrbitInBalls):
    """x_l of falling steps, and the a_l = k_l of a kernel; `along` gives that of the start as a function of x."""

    def x(self, layer: int) -> BallInterval:
        return self._at(layer)[0]

    def t(self, layer: int) -> BallInterval:
        return BallInterval.of([rooted(end, self.map.root) for end in self.x(layer).ends])

    @cached_property
    def _programs(self) -> tuple[Program, Program, Program | None]:
        return tuple(None if f is None else program_of(f, self.map.variable, self.map.within) for f in self.map.plain)

    def _begun(self, x: Symbol) -> Expr:
        return self.along(x)

    def _following(
        self, x: BallInterval, k: BallInterval | None, known: Mapping[Symbol, arb]
    ) -> tuple[BallInterval, BallInterval | None]:
        drift, slope, own = self._programs
        delta = self.map.step(self.first + len(self._layers), known)
        if k is not None:
            fall, source = _range(slope, x, known), _range(own, x, known)
            k = _affine(fall, -delta, 1) * k + _affine(source, delta, 0)
        return self._moved(x, delta, drift, slope.value(x.ball, known), known), k

    def _moved(self, x: BallInterval, delta: arb, drift: Program, fall: arb, known) -> BallInterval:
        if not x.is_thin and not (1 - delta * fall) > 0:
            raise Refused("the steps are so large that two orbits may change places; take a shorter interval of starts")
        after = [_after(end, delta, drift, fall, known) for end in x.ends]
        for before, value in zip(x.ends, after, strict=True):
            if not (value > 0 and value.upper() < before.upper()):
                raise Refused("the orbit cannot be shown to fall towards 0 at every layer; start nearer to 0")
        return BallInterval.of(after)


def _after(x: arb, delta: arb, drift: Program, fall: arb, known) -> arb:
    """x - delta h(x), about the middle of the ball."""
    if x.rad().is_zero() or not fall.is_finite():
        return x - delta * enclosed(drift, x, known)
    middle = x.mid()
    return middle - delta * drift.value(middle, known) + (1 - delta * fall) * (x - middle)


def _range(program: Program, x: BallInterval, known) -> BallInterval:
    return BallInterval.thin(program.value(x.low, known)) if x.is_thin else image(program, x, known)


def _affine(values: BallInterval, factor: arb, constant: int) -> BallInterval:
    ends = [constant + factor * end for end in values.ends]
    return BallInterval.of(ends if factor > 0 else ends[::-1])
