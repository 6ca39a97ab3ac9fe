"""Far along a driven orbit: the layer number as a smooth function of x, interval by interval.

Problem.  x_L for L = 10^100: the recursion cannot be iterated that far, and x may decay so slowly (like a power of
1/log L) that its law has only a few digits to offer.

Rule.  Let y be the flow time, dy/dx = -1/h(x).  If the layers were not discrete, y would advance like the clock of the
step sizes (`step_sizes`).  Let c = y - clock(v) be what it is ahead.  Along the curve on which the orbit lies

    dc/dy = 1 - delta(v) dv/dy = defect(x, v),

and the defect, of the size of 1/v, is known at every point from the recursion itself (`orbit`).  So start from an
iterated layer and go down in log x, interval by interval (`interval`), until the clock shows what it shows at layer L.
Intervals grow while they succeed: 10^100 is about a dozen of them away where x depends on log L, a hundred otherwise.

Tiny case.  h = x^2, delta = 1/v: y = 1/x, defect = (2x - 1)/(2v) + ..., and 1/x_l = log v + c, c tending to a constant.

Known limits.  h must be analytic in a neighbourhood of the way down (`smooth`), or there is no interval.
With kappa < 1 the number of intervals is proportional to log L; more than `MOST_INTERVALS` are refused.
"""

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import PrecisionError, UnsupportedError
from asympt.recursions.coordinates.flow_time.interval import Interval, Parametrisation, Point, solve_interval
from asympt.recursions.coordinates.flow_time.orbit import DrivenDynamics, TooEarly
from asympt.recursions.coordinates.flow_time.smooth import smooth_up_to

STRETCH = 3.0  # the first interval goes from v to v exp(STRETCH)
GROWTH = 1.3
SHORTEST = 0.02
MOST_INTERVALS = 1000
STRIDES = 16
ROUNDING = mpmath.mpf(10) ** -9


class Continuation:
    """One orbit from layer `layer` on, to `digits` digits; extended as far as it is asked for.

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
        x, v = dynamics.iterate(start, layer), dynamics.place(layer)
        if x * (1 - ROUNDING) > smooth_up_to(dynamics.drift, start):
            raise TooEarly(f"{dynamics.drift.symbol} = {mpmath.nstr(x, 5)}, below which h is not seen to be smooth")
        self.end = Point(x, v, dynamics.steps.clock(v), mpmath.mpf(0))
        self.intervals: list[Interval] = []

    def state_at(self, layer: int) -> tuple:
        """(x,) at a layer beyond the first."""
        index, clock = self.interval_of(layer)
        return (self.intervals[index].x_at(clock),)

    def interval_of(self, layer: int) -> tuple:
        """The index of the interval on which a layer lies, and what the clock shows there."""
        clock = self.dynamics.steps.clock(self.dynamics.place(layer))
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
        while self.stretch > SHORTEST:
            interval = solve_interval(self.dynamics, self.end, self._parametrisation(), self.digits)
            if interval is not None:
                self.stretch *= GROWTH
                return interval
            self.stretch /= 2
        raise UnsupportedError(
            f"h = {self.dynamics.drift.formula} is not smooth near {self.dynamics.drift.symbol} = "
            f"{mpmath.nstr(self.end.x, 8)}, where the orbit comes; only smooth h can be followed to great depth"
        )

    def _parametrisation(self) -> Parametrisation:
        rest = 0 if self.dynamics.drift.excess else float(1 - self.dynamics.steps.exponent)
        return Parametrisation(self.end.x, self._forecast(), rest * self.stretch)

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
