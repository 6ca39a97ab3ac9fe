"""Thousands of layers for the price of some hundred: a layer read off values of the original step itself.

In t = sqrt(x) a layer is x -> x r(t), a -> lambda(t) a + b(t).  On a panel 1/2 <= t 2^k <= 1 r, lambda and b are
measured by the step at n Chebyshev points, and the polynomials through these values make every layer there.  A map that
is analytic but at t = 0 and far away loses a factor 3 + sqrt 8 with every point (the Bernstein ellipse through 0),
which gives n; a third of these points, tried first, are enough without a singularity at 0.  A panel is used
only where the last Chebyshev coefficients are rounding errors and the first layer in it is what the step makes; every
hundredth layer after it must be, or there is no orbit: `PrecisionError`.  Other states than x > 0 (and one a that moves
linearly) go step by step.

Tiny case.  x' = x/(1 + x): r = 1/(1 + t^2), and the harmonic numbers' orbit 1, 1/2, 1/3, ... comes out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log, log2, sqrt

from flint import arb, arb_poly
from mpmath import mp, mpf
from sympy import Expr

from asympt.balls.arithmetic import exact_rational, midpoint, of_mpf, working
from asympt.errors import PrecisionError
from asympt.evidence.law_terms import kept
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep

SPARE = 24  # bits more than the orbit has
ROUNDED, LOST = 16, 6  # bits that a step may lose beside another route, and beside the largest coefficient
EVERY = 100  # layers from one that is made by the step as well to the next
PER_POINT = log2(3 + sqrt(8))  # bits
TIMES = 3  # as many points where a few are not enough: the few are among them
FEW, LAST = 6, 3  # points more than these bits take; coefficients that must be rounding errors
WORTH = 2  # times as many layers as points


def followed_by_panels(step: Callable) -> "Follower":
    """What follows one orbit of the step at mpmath's current precision.

    >>> from mpmath import nstr
    >>> onward = followed_by_panels(lambda state: (state[0] / (1 + state[0]),))
    >>> print(nstr(1 / onward.advance((mpf(1) / 500,), 500)[0], 12))
    1000.0
    """
    return Follower(_panels(step, mp.prec))


@dataclass(frozen=True)
class Panel:
    """r, and with an a lambda and b, as polynomials in s = (t - `centre`)/`half` from -1 to 1."""

    centre: arb
    half: arb
    columns: tuple

    def moved(self, state: tuple, t: arb) -> tuple:
        """The state one layer later, of exact balls."""
        s = ((t - self.centre) / self.half).mid()
        ratio, *linear = (column(s) for column in self.columns)
        following = (state[0] * ratio).mid()
        return (following, (linear[0] * state[1] + linear[1]).mid()) if linear else (following,)

    def holds(self, t: arb) -> bool:
        return abs(t - self.centre) <= self.half


class Panels:
    """The panels of one step at one precision; where there is none the step must be taken itself."""

    def __init__(self, step: Callable, bits: int):
        self.step, self.bits = step, bits
        self.few = ceil(bits / PER_POINT / TIMES) + FEW
        self._found: dict = {}

    def panel(self, place: int, linear: bool, layers: float = 0) -> Panel | None:
        """That of 2^(place - 1) <= t < 2^place, measured when so many `layers` make it worth while."""
        most = TIMES * self.few if layers > WORTH * TIMES * self.few else self.few if layers > WORTH * self.few else 0
        tried, panel = self._found.get((place, linear), (0, None))
        if panel is None and tried < most:
            panel = self._measured(place, linear, most)
            self._found[place, linear] = most, panel
        return panel

    def give_up(self, place: int, linear: bool) -> None:
        self._found[place, linear] = TIMES * self.few, None

    def _measured(self, place: int, linear: bool, most: int) -> Panel | None:
        """By few points, and by `TIMES` as many, the first among them, if these do not show all there is."""
        half = arb((1, place - 2))
        rows: dict[Fraction, tuple] = {}
        for n in range(self.few, most + 1, (TIMES - 1) * self.few):
            with mp.workprec(self.bits), working(self.bits + 2 * n):
                angles = [Fraction(2 * j + 1, 2 * n) for j in range(n)]
                try:
                    for angle in angles:
                        if angle not in rows:
                            rows[angle] = self._one_layer(midpoint(half * (3 + _cosine(angle))), linear)
                except PrecisionError:  # beyond c = -1 there is no map
                    return None
                columns = tuple(self._through(column) for column in zip(*map(rows.get, angles), strict=True))
            if None not in columns:
                return Panel(3 * half, half, columns)
        return None

    def _one_layer(self, t, linear: bool) -> tuple:
        """(r,) or (r, lambda, b) at t, by the step alone."""
        x = t * t
        if not linear:
            return (self.step((x,))[0] / x,)
        following, source = self.step((x, mpf(0)))
        return following / x, self.step((x, mpf(1)))[1] - source, source

    def _through(self, values: tuple) -> arb_poly | None:
        """The polynomial in s through the values; None where its last coefficients are more than rounding errors."""
        n, measured = len(values), [of_mpf(value) for value in values]
        table = [_cosine(Fraction(i, 2 * n)) for i in range(4 * n)]
        sums = [sum((y * table[k * (2 * j + 1) % (4 * n)] for j, y in enumerate(measured)), arb(0)) for k in range(n)]
        found = [sums[0] / n, *(2 * value / n for value in sums[1:])]
        size, last = max(map(abs, found)), max(map(abs, found[-LAST:]))
        return _in_powers([c.mid() for c in found]) if last <= size * arb((1, LOST - self.bits)) else None


def _cosine(angle: Fraction) -> arb:
    return arb.cos_pi(exact_rational(angle)).mid()


def _in_powers(coefficients: list) -> arb_poly:
    """sum c_k T_k(s) in powers of s, by Clenshaw's recurrence, with exact coefficients."""
    twice, later, latest = arb_poly([0, 2]), arb_poly([]), arb_poly([])
    for c in reversed(coefficients[1:]):
        later, latest = twice * later - latest + arb_poly([c]), later
    whole = arb_poly([0, 1]) * later - latest + arb_poly([coefficients[0]])
    return arb_poly([c.mid() for c in whole.coeffs()])


_panels = lru_cache(maxsize=8)(Panels)


@dataclass
class Follower:
    """Along one orbit: by a panel where there is one, and how long ago the step itself was taken."""

    panels: Panels
    place: int | None = None
    since: int = 0

    def advance(self, state: tuple, layers: int) -> tuple:
        while layers > 0:
            state, taken = self._stretch(state, layers)
            layers -= taken
        return state

    def _stretch(self, state: tuple, layers: int) -> tuple[tuple, int]:
        """As many of these layers as one panel makes before one that is made by the step as well; or one layer."""
        if len(state) > 2 or not state[0] > 0:
            return self.panels.step(state), 1
        with working(self.panels.bits + SPARE):
            balls = tuple(map(of_mpf, state))
            t = balls[0].sqrt()
            place, linear = mp.mag(midpoint(t)), len(state) == 2
        if place != self.place:
            return self._entered(state, place, linear), 1
        panel = self.panels.panel(place, linear)
        if panel is None:
            return self.panels.step(state), 1
        taken, most = 0, min(layers, EVERY - 1 - self.since % EVERY)
        with working(self.panels.bits + SPARE):
            while not taken or (taken < most and panel.holds(t)):
                balls, taken = panel.moved(balls, t), taken + 1
                t = balls[0].sqrt()
            following = tuple(map(midpoint, balls))
        self.since += taken
        if not most and not self._agree(following, self.panels.step(state)):
            raise PrecisionError(
                f"a layer near t = {mp.nstr(mp.sqrt(state[0]), 5)} contradicts the map's values at nearby points; ask "
                "for fewer digits"
            )
        return following, taken

    def _entered(self, state: tuple, place: int, linear: bool) -> tuple:
        """The first layer in a panel, by the step; the panel is measured if it saves layers, and compared."""
        following, self.place = self.panels.step(state), place
        shrunk = float(1 - following[0] / state[0])
        ahead = 2 * log(2) / shrunk if 0 < shrunk < 1 else 0  # about how many layers make t half as large
        panel = self.panels.panel(place, linear, ahead)
        if panel is not None:
            with working(self.panels.bits + SPARE):
                balls = tuple(map(of_mpf, state))
                seen = tuple(map(midpoint, panel.moved(balls, balls[0].sqrt())))
            if not self._agree(seen, following):
                self.panels.give_up(place, linear)
        return following

    def _agree(self, one: tuple, two: tuple) -> bool:
        """Whether two routes to a layer are the same but for rounding; a number a beside the larger of it and 1."""
        (x, *a), (y, *b) = one, two
        allowed = mp.ldexp(1, ROUNDED - self.panels.bits)
        kernel = all(abs(p - q) <= allowed * max(1, abs(q)) for p, q in zip(a, b, strict=True))
        return kernel and abs(x - y) <= allowed * abs(y)


@lru_cache(maxsize=4)
def orbit_of(step: Callable, start: Expr, depths: tuple[int, ...], digits: int) -> dict[int, tuple]:
    """{depth: (gap, K/q)} from c^1 = start, in so many digits, by a step that is the same in all layers."""
    found = {}
    with mp.workdps(digits):
        state, onward = (1 - to_mpf(start), to_mpf(start)), followed_by_panels(step)
        layer = 1
        for depth in sorted(depths):
            state, layer = onward.advance(state, depth - layer), depth
            found[depth] = state
    return found


@lru_cache(maxsize=4)
def scaled_orbit(statement, start: Expr, depths: tuple[int, ...], digits: int) -> dict[int, tuple]:
    """{depth: (gap, K/q, K(x,x)/q)} of a network whose branches are scaled down with depth."""
    with mp.workdps(digits):
        alone, c = (1, mpf(1), mpf(1)), to_mpf(start)  # without a scale any variance will do
        starts = (*alone, 1 - c, c), (*alone, mpf(0), mpf(1))
        pair, single = (kept(DenseStep(statement), state, depths) for state in starts)
        return {depth: (*pair[depth][3:], single[depth][4]) for depth in depths}
