"""Far along a driven orbit: the layer number as a smooth function of x, interval by interval.

Let y be the flow time, dy/dx = -1/h(x), and c = y - clock(v) what it is ahead of the clock of the step sizes.  Along
the curve on which the orbit lies dc/dy = 1 - delta(v) dv/dy = defect(x, v), of the size of 1/v, is known at every point
from the recursion itself (`orbit`).  So go down in log x until the clock shows what it shows at layer L.  On an
interval: y at Chebyshev nodes by integration, then sweeps that compute the defects at the present c and integrate; one
whose last coefficients do not vanish is refused, and so are more than `MOST_INTERVALS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError, UnsupportedError
from asympt.recursions.coordinates.flow_time.drift import Drift, Grid, grid_of, smooth_up_to, tail, value
from asympt.recursions.coordinates.flow_time.step_sizes import DrivenDynamics, TooEarly

SWEEPS = 60
GUARD = 12
STRETCH = 3.0  # the first interval goes from v to v exp(STRETCH)
GROWTH = 1.3
SHORTEST = 0.02
MOST_INTERVALS = 1000
STRIDES = 16
ROUNDING = mpmath.mpf(10) ** -9


def working_digits(digits: int) -> int:
    """Digits to calculate with for results to `digits` digits: differences of many steps lose some."""
    return digits + GUARD + digits // 6


@dataclass(frozen=True)
class Point:
    """A point of the curve: x, v, the flow time y (its origin is arbitrary) and the lead c = y - clock(v)."""

    x: object
    v: object
    y: object
    lead: object


@dataclass(frozen=True)
class Parametrisation:
    """x for tau in [-1, 1]: u = log x moves by `width` < 0, evenly (bend 0) or like exp(bend (tau + 1)/2).

    Evenly where y is a power of x; where y is a logarithm of x (p = 1), a power of the layer is one of -u.
    """

    x: object
    width: object
    bend: float = 0

    def x_at(self, tau):
        part = (tau + 1) / 2
        if self.bend:
            part = mp.expm1(self.bend * part) / mp.expm1(self.bend)
        return self.x * mp.exp(self.width * part)

    def derivative(self, tau):
        """du/dtau."""
        if self.bend:
            return self.width * self.bend / 2 * mp.exp(self.bend * (tau + 1) / 2) / mp.expm1(self.bend)
        return self.width / 2


@dataclass(frozen=True, eq=False)
class Interval:
    """A way down from one point to another; y - c, what the clock shows on it, as a Chebyshev series."""

    parametrisation: Parametrisation
    clock: Sequence
    end: Point

    def x_at(self, clock):
        return self.parametrisation.x_at(self.tau_at(clock))

    def tau_at(self, clock):
        """tau where the clock shows `clock`, by Newton's method with the slope of a short chord."""
        low, high = value(self.clock, mpmath.mpf(-1)), value(self.clock, mpmath.mpf(1))
        tau, chord = 2 * (clock - low) / (high - low) - 1, mp.sqrt(mp.eps)
        for _ in range(100):
            here = value(self.clock, tau)
            change = (clock - here) * chord / (value(self.clock, tau + chord) - here)
            tau += change
            if abs(change) < mp.eps * 1000:
                return tau
        raise PrecisionError("Newton's method did not settle on a layer; ask for fewer digits")


@dataclass(frozen=True, eq=False)
class Frame:
    """What is known before c: at the nodes x, dy/dtau and y; y as a series; the size of dy/dtau."""

    grid: Grid
    start: Point
    xs: list
    slopes: list
    time: list
    times: list
    scale: object

    @classmethod
    def build(cls, drift: Drift, start: Point, parametrisation: Parametrisation, digits: int) -> "Frame | None":
        """None when x/h is not resolved by the nodes."""
        grid = grid_of(3 * digits // 5 + 12)
        xs = [parametrisation.x_at(tau) for tau in grid.nodes]
        slopes = [-x / drift(x) * parametrisation.derivative(tau) for x, tau in zip(xs, grid.nodes, strict=True)]
        derivative = grid.series(slopes)
        scale = max(abs(c) for c in derivative)
        if tail(derivative) > mpmath.mpf(10) ** -digits * scale:
            return None
        time = grid.primitive(derivative)
        time[0] += start.y
        return cls(grid, start, xs, slopes, time, grid.values(time), scale)


def solve_interval(
    dynamics: DrivenDynamics, start: Point, parametrisation: Parametrisation, digits: int
) -> Interval | None:
    """The interval from `start` along `way`, or None when it is too long for `digits` digits."""
    frame = Frame.build(dynamics.drift, start, parametrisation, digits)
    lead = frame and Lead(dynamics, frame, digits).solve()
    if lead is None:
        return None
    clock, one = [y - c for y, c in zip(frame.time, lead, strict=True)], mpmath.mpf(1)
    end = Point(
        parametrisation.x_at(one), dynamics.steps.at(value(clock, one)), value(frame.time, one), value(lead, one)
    )
    return Interval(parametrisation, clock, end)


class Lead:
    """c on an interval while it is being found: at the nodes, with the last defects and their slopes in c."""

    def __init__(self, dynamics: DrivenDynamics, frame: Frame, digits: int):
        self.dynamics, self.frame, self.digits = dynamics, frame, digits
        self.goal = mpmath.mpf(10) ** -digits
        self.leads = [frame.start.lead] * frame.grid.count
        self.rates = [mpmath.mpf(0)] * frame.grid.count
        self.earlier, self.defects = self.leads, None

    def solve(self) -> list | None:
        """The series of c; None when the nodes do not resolve it."""
        v = self.frame.start.v
        doubt, tolerance = mpmath.mpf(1), max(self.goal, v**-4)
        for _ in range(SWEEPS):
            series, rest, change = self._sweep(tolerance)
            if change * doubt <= self.goal and tolerance == self.goal:
                return series if rest <= 10 * self.goal else None
            # the next change is about change * doubt/v, and its secant needs defects precise to that times change
            following = max(self.goal, change**2 * doubt / v**3)
            doubt, tolerance = max(change, tolerance / change), following
        return None

    def _sweep(self, tolerance) -> tuple:
        """New leads from new defects: (series of c, its last coefficients, the change), relative to the scale."""
        defects = self._new_defects(tolerance)
        if self.defects is not None:
            both = zip(defects, self.defects, self.leads, self.earlier, self.rates, strict=True)
            self.rates = [_secant(*numbers) for numbers in both]
        self.defects, self.earlier = defects, self.leads
        series, rest = self._integrate(tolerance * self.frame.scale)
        change = max(abs(a - b) for a, b in zip(self.leads, self.earlier, strict=True))
        return series, rest / self.frame.scale, change / self.frame.scale

    def _new_defects(self, tolerance) -> list:
        steps, frame = self.dynamics.steps, self.frame
        with mp.workdps(working_digits(int(-mp.log10(tolerance)))):
            clocks = [y - c for y, c in zip(frame.times, self.leads, strict=True)]
            points = zip(frame.xs, clocks, strict=True)
            return [self.dynamics.defect(x, steps.at(clock), tolerance / 100) for x, clock in points]

    def _integrate(self, accuracy) -> tuple:
        """Solve c' = (defect + rate (c - c_before)) y', by iteration; sets the leads."""
        frame, before = self.frame, self.leads
        for _ in range(SWEEPS):
            shifts = [new - old for new, old in zip(self.leads, before, strict=True)]
            defects = [d + rate * shift for d, rate, shift in zip(self.defects, self.rates, shifts, strict=True)]
            derivative = frame.grid.series([d * slope for d, slope in zip(defects, frame.slopes, strict=True)])
            series = frame.grid.primitive(derivative)
            series[0] += frame.start.lead
            previous, self.leads = self.leads, frame.grid.values(series)
            if max(abs(a - b) for a, b in zip(previous, self.leads, strict=True)) <= accuracy:
                break
        return series, tail(derivative)


def _secant(defect, previous, lead, earlier, rate):
    return (defect - previous) / (lead - earlier) if lead != earlier else rate


class Continuation:
    """One orbit from layer `layer` on, to `digits` digits; extended as far as it is needed.

    >>> from sympy import Integer, Symbol
    >>> from asympt.recursions.coordinates.flow_time.drift import Drift
    >>> from asympt.recursions.coordinates.flow_time.step_sizes import Steps
    >>> x, l = Symbol("x", positive=True), Symbol("l", positive=True)
    >>> dynamics = DrivenDynamics(Drift.read(x, x), Steps.read(1 / (2 * l), l))
    >>> continuation = Continuation(dynamics, Integer(1), 15, 100)
    >>> mpmath.nstr(continuation.state_at(10**6)[0], 10), mpmath.nstr(1 / mp.sqrt(mp.pi * 10**6), 10)  # Gammas
    ('0.000564189513', '0.0005641895835')
    """

    def __init__(self, dynamics: DrivenDynamics, start: Expr, digits: int, layer: int):
        self.dynamics, self.digits, self.layer = dynamics, digits, layer
        self.stretch = STRETCH
        x, v = dynamics.iterate(start, layer), dynamics.shifted(layer)
        if x * (1 - ROUNDING) > smooth_up_to(dynamics.drift, start):
            raise TooEarly(f"{dynamics.drift.symbol} = {mpmath.nstr(x, 5)}, below which h cannot be shown to be smooth")
        self.end = Point(x, v, dynamics.steps.clock(v), mpmath.mpf(0))
        self.intervals: list[Interval] = []

    def state_at(self, layer: int) -> tuple:
        """(x,) at a layer beyond the first."""
        index, clock = self.interval_of(layer)
        return (self.intervals[index].x_at(clock),)

    def interval_of(self, layer: int) -> tuple:
        """The index of the interval on which a layer lies, and what the clock shows there."""
        clock = self.dynamics.steps.clock(self.dynamics.shifted(layer))
        self.extend(clock)
        ends = (interval.end for interval in self.intervals)
        return next(i for i, end in enumerate(ends) if end.y - end.lead >= clock), clock

    def extend(self, clock) -> Point:
        """Go on until the clock shows at least `clock`; the last point."""
        while self.end.y - self.end.lead < clock:
            if len(self.intervals) == MOST_INTERVALS:
                raise PrecisionError(
                    f"the depth is more than {MOST_INTERVALS} intervals away "
                    f"(x = {mpmath.nstr(self.end.x, 5)} so far); give a smaller depth"
                )
            self.intervals.append(self._next_interval())
            self.end = self.intervals[-1].end
        return self.end

    def _next_interval(self) -> Interval:
        rest = 0 if self.dynamics.drift.excess else float(1 - self.dynamics.steps.exponent)
        while self.stretch > SHORTEST:
            place = Parametrisation(self.end.x, self._forecast(), rest * self.stretch)
            interval = solve_interval(self.dynamics, self.end, place, self.digits)
            if interval is not None:
                self.stretch *= GROWTH
                return interval
            self.stretch /= 2
        raise UnsupportedError(
            f"h = {self.dynamics.drift.formula} is not smooth near {self.dynamics.drift.symbol} = "
            f"{mpmath.nstr(self.end.x, 8)}, where the orbit comes; only smooth h can be followed to great depth"
        )

    def _forecast(self):
        """About how far log x moves while v grows by a factor exp(stretch): the flow by the midpoint rule."""
        steps, drift, v = self.dynamics.steps, self.dynamics.drift, self.end.v
        with mp.workdps(15):
            u = mpmath.mpf(0)
            for _ in range(STRIDES):
                following = v * mp.exp(self.stretch / STRIDES)
                time = steps.clock(following) - steps.clock(v)
                x = self.end.x * mp.exp(u)
                x = x * mp.exp(-drift(x) / x * time / 2)
                u -= drift(x) / x * time
                v = following
            return +u
