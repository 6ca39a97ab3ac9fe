"""The NTK along a driven orbit, in numbers, at any depth: K^L/q_L for L = 10^100.

Problem.  k_l = (1 - delta_l h'(x_(l-1))) k_(l-1) + delta_l f(x_(l-1)) cannot be iterated that far, and its law has only
a few digits to offer, because it is one in powers of 1/log L.

Rule.  `driven_track` follows the smooth curve x(v) on which the orbit lies.  The pairs (x_l, k_l) lie on a curve too.
Its derivative at a point follows from the next few layers as that of u = log x does,

    dk/dv = log(1 + Delta) k = Delta k - Delta^2 k/2 + ... = A(v) k + B(v),

linear in k: A from k = 1 without forcing, B from k = 0.  On a panel this is a linear differential equation in
u = log x, solved at its Chebyshev nodes by iterating the integral equation.

Tiny case.  h = 0: k grows by delta_l f a layer, and log(1 + Delta) turns the sum into an integral.

Known limits.  Those of `driven_track`.
"""

from mpmath import mp, mpf

from asympt.architectures.scaled.orbit import Orbit
from asympt.errors import PrecisionError
from asympt.recursions.coordinates.flow_time.chebyshev import grid_of, tail, value
from asympt.recursions.coordinates.flow_time.continuation import Track
from asympt.recursions.coordinates.flow_time.interval import Panel
from asympt.recursions.coordinates.flow_time.orbit import MORE, MOST_DIFFERENCES, TooEarly, terms_needed, weights_of

SWEEPS = 400
FINEST = 4  # how many times the nodes of a panel, at most


class KernelTrack:
    """One orbit (x, k) from layer `layer` on, to `digits` digits; extended as far as it is asked for."""

    def __init__(self, orbit: Orbit, start, digits: int, layer: int):
        self.orbit, self.digits = orbit, digits
        self.track = Track(orbit.dynamics, start, digits, layer)
        self.series: list[list] = []
        self.kernel = orbit.iterate(start, layer)[1]

    def at_layer(self, layer: int) -> tuple:
        """(x, k) at a layer beyond the first."""
        clock = self.orbit.steps.clock(self.orbit.dynamics.place(layer))
        self.extend(clock)
        index = next(i for i, p in enumerate(self.track.panels) if p.end.y - p.end.lead >= clock)
        panel = self.track.panels[index]
        tau = panel.tau_at(clock)
        return panel.way.x_at(tau), value(self.series[index], tau)

    def extend(self, clock) -> tuple:
        """Go on until the clock shows at least `clock`; (the last point, k there)."""
        point = self.track.extend(clock)
        for panel in self.track.panels[len(self.series):]:
            self.series.append(self._solve(panel))
            self.kernel = value(self.series[-1], mpf(1))
        return point, self.kernel

    def _solve(self, panel: Panel) -> list:
        """k on a panel as a Chebyshev series."""
        count = 3 * self.digits // 5 + 12
        for times in range(1, FINEST + 1):
            found = self._with_nodes(panel, count * times)
            if found is not None:
                return found
        raise PrecisionError(f"the NTK is not resolved between two layers near {mp.nstr(panel.end.v, 5)}; ask for "
                             "fewer digits")

    def _with_nodes(self, panel: Panel, count: int) -> list | None:
        """The same with so many nodes, None when they are too few."""
        grid, goal = grid_of(count), mpf(10) ** -self.digits
        slopes, sources = [], []
        for tau in grid.nodes:
            x, v = panel.way.x_at(tau), self.orbit.steps.at(value(panel.clock, tau))
            speed, slope, source = self.rates(x, v, goal / 100)
            slopes.append(slope / speed * panel.way.speed(tau))
            sources.append(source / speed * panel.way.speed(tau))
        values = [self.kernel] * count
        for _ in range(SWEEPS):
            pace = grid.series([a * k + b for a, k, b in zip(slopes, values, sources, strict=True)])
            series = grid.primitive(pace)
            series[0] += self.kernel
            before, values = values, grid.values(series)
            size = max(map(abs, values))
            if max(abs(one - two) for one, two in zip(before, values, strict=True)) <= goal * size / 100:
                return series if tail(pace) <= goal * size else None
        return None

    def rates(self, x, v, tolerance) -> tuple:
        """(du/dv, A, B) at the point (x, v)."""
        count, moves, state = terms_needed(v, tolerance), ([], [], []), (x, mpf(1), mpf(0))
        while count <= MOST_DIFFERENCES:
            while len(moves[0]) < count:
                state = self._next(state, v + len(moves[0]) + 1, moves)
            weights = weights_of(count, mp.prec)
            totals = [mp.fdot(weights[0], move) for move in moves]
            last = [max(abs(mp.fdot(row, move)) for row in weights[1:]) for move in moves]
            sizes = (abs(totals[0]), abs(totals[0]), abs(totals[2]))  # A is of the size of du/dv, or smaller
            if all(rest <= tolerance * size for rest, size in zip(last, sizes, strict=True)):
                return tuple(totals)
            count += MORE
        raise TooEarly

    def _next(self, state: tuple, v, moves: tuple) -> tuple:
        """One layer of (x, k from 1 without forcing, k from 0); what they move by is added to `moves`."""
        x, free, forced = state
        size, drift = self.orbit.steps.size(v), self.orbit.dynamics.drift(x)
        damping = size * self.orbit.slope(x)
        changes = (-damping * free, -damping * forced + size * (1 - x + drift))
        moves[0].append(mp.log1p(-size * drift / x))
        moves[1].append(changes[0])
        moves[2].append(changes[1])
        return x - size * drift, free + changes[0], forced + changes[1]
