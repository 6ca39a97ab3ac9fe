"""The quantity of a law of falling steps at any depth, and the constants, in balls.

The recursion itself in balls to a layer of `ENTRIES`, and from there on polynomials t(s), k(s) of s = log l, found by
Newton's method, at proved distances from the orbit: a `Window` bounds what they miss of the recursion
over pieces of s by Cauchy's estimate, and the mean value theorem adds this up (docs/bounds.md).  C and D are read off
the curve where single layers add no more than the last digit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

from flint import arb, arb_poly, arb_series

from asympt.balls.arithmetic import (
    Refused,
    best_proved,
    between,
    bits_for,
    coefficients,
    first_proved,
    largest,
    magnitude,
    working,
)
from asympt.balls.flows.theorem import FlowTheorem, Taylor
from asympt.balls.printed import PrintedLaw, one_orbit
from asympt.deadline import check_time
from asympt.errors import PrecisionError

MORE_DIGITS = 6
FEW = 10  # terms of Taylor's series, which are cheaper than a composition
CIRCLES = (2, 3, 4.5, 7, 11)  # rho over q


def magnitudes(polynomial: arb_poly) -> arb_poly:
    """Bounds of the moduli of its coefficients."""
    return arb_poly([abs(c).upper() for c in polynomial.coeffs()])


def middles(series: arb_series | arb_poly) -> arb_poly:
    """The polynomial of the midpoints."""
    return arb_poly([c.mid() for c in series.coeffs()])


def series_of(polynomial: arb_poly, length: int) -> arb_series:
    """The polynomial as a power series of so many coefficients."""
    return arb_series(polynomial.coeffs()[:length], prec=length)


def composed(outer: arb_poly, inner: arb_series, length: int) -> arb_series:
    """outer(inner), exactly as far as the series goes."""
    start, *rest = coefficients(inner, length)
    moved = arb_series([arb(0), *rest], prec=length)
    return series_of(outer(arb_poly([start, arb(1)])), length)(moved)


class Window:
    """The functions of s = centre + z that belong to the steps, as power series in z."""

    def __init__(self, theorem: FlowTheorem, centre: arb, length: int):
        self.theorem, self.centre, self.length = theorem, centre, length
        z = arb_series([arb(0), arb(1)], prec=length)
        self.grown, fallen = (centre + z).exp(), (-(centre + z)).exp()
        self.back = (1 - fallen).log()  # sigma - s
        self.pace = theorem.a / (1 + theorem.shift * fallen)  # e^s delta
        self.rate = -self.back * self.grown  # e^s (s - sigma)
        self.before = z + self.back

    def defect(self, t: arb_poly, inner: arb_series) -> arb_series:
        """e^s F; inner: t(sigma)."""
        root = self.theorem.root
        return self.grown * (series_of(t, self.length) ** root - inner**root) + self.pace * self.drift(inner)

    def kernel_defect(self, k: arb_poly, slope: arb_series, own: arb_series) -> arb_series:
        """e^s K; slope, own: h' and o of t(sigma)."""
        before = self.moved(k)
        return self.grown * (series_of(k, self.length) - before) + self.pace * (slope * before - own)

    def moved(self, polynomial: arb_poly) -> arb_series:
        """It in the layer before: polynomial(sigma)."""
        return composed(polynomial, self.before, self.length)

    def _of(self, function: Taylor, inner: arb_series) -> arb_series:
        return composed(arb_poly(list(function.known)), inner, self.length)

    def own(self, inner: arb_series) -> arb_series:
        """o."""
        return self._of(self.theorem.own, inner)

    def drift(self, inner: arb_series) -> arb_series:
        return inner**self.theorem.k * self._of(self.theorem.shape, inner)

    def slope(self, inner: arb_series) -> arb_series:
        """h'."""
        return inner**self.theorem.m * self._of(self.theorem.sloped, inner)

    def _reached(self, radius: arb) -> tuple[arb, arb, arb]:
        """Bounds of |z + sigma - s|, e^s |s - sigma| and e^s delta for |z| <= radius."""
        least = (self.centre - radius).lower()
        near = (-least).exp()
        room = least.exp() - abs(self.theorem.shift)
        if not (near < 1 and room > 0):
            raise Refused("the circle about a piece reaches layers before the first")
        back, most = -(1 - near).log(), (self.centre + radius).exp()
        return radius + back, most * back, self.theorem.a * most / room

    def sup(self, t: arb_poly, radius: arb) -> arb:
        """A bound of |e^s F| for |z| <= radius."""
        theorem, (reach, rate, pace) = self.theorem, self._reached(radius)
        majorant = magnitudes(t)
        size, slope = majorant(reach), majorant.derivative()(reach)
        drift = size**theorem.k * magnitudes(arb_poly(list(theorem.shape.known)))(size)
        return (rate * theorem.root * size ** (theorem.root - 1) * slope + pace * drift).upper()

    def kernel_sup(self, t: arb_poly, k: arb_poly, radius: arb) -> arb:
        """A bound of |e^s K| for |z| <= radius."""
        theorem, (reach, rate, pace) = self.theorem, self._reached(radius)
        size, kernel = magnitudes(t)(reach), magnitudes(k)
        slope, own = (magnitudes(arb_poly(list(f.known)))(size) for f in (theorem.sloped, theorem.own))
        return (rate * kernel.derivative()(reach) + pace * (size**theorem.m * slope * kernel(reach) + own)).upper()


class Sketch(Window):
    """The same to so many digits only, which is cheaper and proves nothing.

    Far out sigma - s is about e^-s and t small: a few terms of Taylor's series for t(s + (sigma - s)) and of h suffice.
    """

    def __init__(self, theorem: FlowTheorem, centre: arb, length: int, digits: int):
        super().__init__(theorem, centre, length)
        self.small = arb(10) ** -(digits + MORE_DIGITS)

    def moved(self, polynomial: arb_poly) -> arb_series:
        """polynomial(s) + polynomial'(s) (sigma - s) + ...."""
        terms = float(self.small.log() / abs(self.back[0]).log())
        if terms > FEW:
            return super().moved(polynomial)
        total, power, term = series_of(polynomial, self.length), arb_series([arb(1)], prec=self.length), polynomial
        for j in range(1, int(terms) + 2):
            term, power = term.derivative() * (arb(1) / j), power * self.back
            total += series_of(term, self.length) * power
        return total

    def _of(self, function: Taylor, inner: arb_series) -> arb_series:
        start, kept = abs(inner[0]).upper(), 1
        while kept < function.count and (start / function.radius) ** kept > self.small:
            kept += 1
        return composed(arb_poly(function.known[:kept]), inner, self.length)


def bounded(series: arb_series, length: int, half: arb, sup: Callable[[arb], arb]) -> arb:
    """A bound for |z| <= half of a function of which `length` coefficients are known, and sup(rho) for |z| <= rho."""

    def rest(times: float) -> arb:
        share = arb(1) / times
        return magnitude(sup(half * times) * share**length / (1 - share))

    known = magnitudes(arb_poly(coefficients(series, length)))(half)
    return (known + best_proved((partial(rest, times) for times in CIRCLES), lambda bound: bound)).upper()


CELLS = 12  # steps in which the decay of the errors over a piece is seen
NARROW, WIDE = 0.05, 8  # half the length of a piece in log l
GROWTH, SLOWER, SHRINK = 1.3, 1.03, 0.8  # from one piece to the next, after a failure, and to the next attempt
SWEEPS = 30


@dataclass(frozen=True)
class Distances:
    """Bounds of |u| and |v|."""

    x: arb
    k: arb


@dataclass(frozen=True)
class CurvePiece:
    """t and k as polynomials in log l - centre for first <= l <= last; `near`: there, and `end`: in the last layer."""

    first: int
    last: int
    centre: arb
    t: arb_poly
    k: arb_poly | None
    near: Distances
    end: Distances

    def at(self, layer: int, root: int) -> tuple[arb, arb | None]:
        """(x, k) of the orbit in a layer of the piece, with the bits of the block."""
        z = arb(layer).log() - self.centre
        x = self.t(z) ** root + arb(0, self.near.x)
        return x, None if self.k is None else self.k(z) + arb(0, self.near.k)


def _whole(value: arb) -> int:
    """A whole number near its middle; which one does not matter."""
    return int(value.mid().floor().mid().unique_fmpz())


class OrbitCurve:
    """The pieces of one orbit from a layer on, made as far as they are needed.

    state: (t, k) there, k None without a kernel;  digits: how many each piece keeps, relative to x and k.
    """

    def __init__(self, theorem: FlowTheorem, layer: int, state: tuple[arb, arb | None], digits: int):
        self.theorem, self.digits = theorem, digits
        self.layer, self.state, self.pieces = layer, state, []
        self.length, self.half, self.growth = int(2.1 * digits) + 20, 0.5, GROWTH
        with working(self.bits(layer), self.length):
            t, k = state
            x = t**theorem.root
            self.near = Distances((x.rad() * 2).upper(), arb(0) if k is None else k.rad())

    def bits(self, layer: int) -> int:
        """How many are needed as far as a layer, where x moves by about 1/l of itself."""
        return int(3.33 * self.digits + float(arb(layer).log()) * 1.45) + 64

    def piece(self, layer: int) -> CurvePiece:
        """That in which a layer beyond the first lies."""
        while not self.pieces or self.pieces[-1].last < layer:
            check_time()
            self._extend()
        return next(piece for piece in self.pieces if piece.last >= layer)

    def _extend(self) -> None:
        half = min(self.half * self.growth, WIDE)
        while half > NARROW:
            try:
                self.pieces.append(self._attempt(half))
                self.half = half
                return
            except (Refused, PrecisionError) as refused:
                reason, half, self.growth = refused, half * SHRINK, SLOWER
        raise reason

    def _start(self) -> tuple[int, arb, arb | None, Distances]:
        """The first layer of the next piece, the curve there and how near it is."""
        if not self.pieces:
            t, k = self.state
            return self.layer, t.mid(), None if k is None else k.mid(), self.near
        piece = self.pieces[-1]
        z = arb(piece.last).log() - piece.centre
        return piece.last, piece.t(z), None if piece.k is None else piece.k(z), piece.end

    def _attempt(self, half: float) -> CurvePiece:
        first = self._start()[0]
        last = first + max(1, _whole(arb(2 * half).exp() * first) - first)
        with working(self.bits(last), self.length):
            ends = arb(first).log(), arb(last).log()
            centre = ((ends[0] + ends[1]) / 2).mid()
            steps = self.theorem, centre, self.length
            finder = CurveFinder(Sketch(*steps, self.digits), self._start(), ends[0] - centre, self.digits)
            window = Window(*steps)
            return CurveProof(window, self._start(), last, finder.t, finder.k, self.digits).piece()


class CurveFinder:
    """Polynomials t and k that the recursion leaves nearly alone; nothing is proved of them here."""

    def __init__(self, window: Window, start: tuple, z: arb, digits: int):
        self.window, self.z, self.length, self.digits = window, z.mid(), window.length, digits
        _, t, k, _ = start
        self.t = self._orbit(t.mid())
        self.k = None if k is None else self._kernel(k.mid())

    def _orbit(self, start: arb) -> arb_poly:
        """Newton's method for e^s F = 0: with w = e^s (s - sigma), w e' + e^s delta h' e = -e^s F."""
        window, theorem, x = self.window, self.window.theorem, start**self.window.theorem.root
        t, growth = self._first_guess(start), None
        for _ in range(SWEEPS):
            inner = window.moved(t)
            growth = growth or self._growth(window.slope(inner))
            move = self._solved(window.defect(t, inner), growth)
            whole = series_of(t, self.length) ** theorem.root + move
            whole = whole - arb_poly(whole.coeffs())(self.z) + x
            t = middles(whole if theorem.root == 1 else _rooted(whole, theorem.root))
            if self._small(move, x):
                return t
        raise PrecisionError("a curve near the orbit is not found")

    def _first_guess(self, start: arb) -> arb_poly:
        """That of the first term of the flow time."""
        window, theorem = self.window, self.window.theorem
        passed = self._integral(window.pace)
        guess = 1 + passed * (start**theorem.m / theorem.time_terms.known[0])
        return middles(start / (guess if theorem.m == 1 else _rooted(guess, theorem.m)))

    def _kernel(self, start: arb) -> arb_poly:
        """The same for e^s K."""
        k, inner = arb_poly([start]), self.window.moved(self.t)
        slope, own = self.window.slope(inner), self.window.own(inner)
        growth = self._growth(slope)
        for _ in range(SWEEPS):
            move = self._solved(self.window.kernel_defect(k, slope, own), growth)
            k = middles(series_of(k, self.length) + move)
            k = k - k(self.z).mid() + start
            k = middles(k)
            if self._small(move, k(arb(0))):
                return k
        raise PrecisionError("a curve near the kernel is not found")

    def _growth(self, slope: arb_series) -> arb_series:
        """exp(int e^s delta h'/w); slope: h'."""
        return series_of(middles((self.window.pace * slope / self.window.rate).integral().exp()), self.length)

    def _solved(self, defect: arb_series, growth: arb_series) -> arb_series:
        """e, which is 0 in the first layer."""
        moved = -self._integral(growth * defect / self.window.rate) / growth
        return series_of(middles(moved), self.length)

    def _integral(self, series: arb_series) -> arb_series:
        """From the first layer on."""
        whole = series_of(middles(series.integral()), self.length)
        return whole - arb_poly(whole.coeffs())(self.z)

    def _small(self, move: arb_series, size: arb) -> bool:
        largest = magnitudes(arb_poly(move.coeffs()))(abs(self.z))
        return bool(largest < abs(size) * arb(10) ** (-self.digits - 2))


def _rooted(series: arb_series, root: int) -> arb_series:
    return series.sqrt() if root == 2 else (series.log() / root).exp()


class CurveProof:
    """The bounds of |u| and |v| on one piece."""

    def __init__(self, window: Window, start: tuple, last: int, t: arb_poly, k: arb_poly | None, digits: int):
        self.window, self.theorem, self.t, self.k = window, window.theorem, t, k
        self.first, self.before, self.last, self.digits = start[0], start[1:], last, digits
        self.ends = arb(self.first).log() - window.centre, arb(last).log() - window.centre
        self.half = largest(abs(end) for end in self.ends)
        self.spread = (arb(last) / self.first).log()  # above the sum of 1/l
        self.top = magnitudes(t)(self.half)
        self.bottom = 2 * t(arb(0)) - self.top
        if not (self.bottom > 0 and self.top < self.theorem.radius):
            raise Refused("a piece of the curve is too long")
        self.inner = window.moved(t)

    @property
    def pace(self) -> arb:
        """A bound of e^s delta on the piece, which is monotone."""
        return largest(self._pace(layer) for layer in (self.first, self.last))

    def _pace(self, layer: int) -> arb:
        return self.theorem.a * layer / (layer + self.theorem.shift)

    def piece(self) -> CurvePiece:
        """With its bounds."""
        t, k, near = self.before
        root, z = self.theorem.root, self.ends[0]
        x = (near.x + magnitude(self.t(z) ** root - t**root)).upper()
        added = self._added()
        most = (x + added).upper()
        low, high = self._rooted(self.t(self.ends[1]) ** root - 3 * most), self._rooted(self.t(z) ** root + 3 * most)
        decay = self._decay(most, low, high)
        end = (x * decay + added).upper()
        if not added < low**root * arb(10) ** -self.digits:
            raise PrecisionError("the curve is not near enough to the orbit")
        if k is None:
            return self._found(Distances(most, arb(0)), Distances(end, arb(0)))
        v = (near.k + magnitude(self.k(z) - k)).upper()
        gained = self._kernel_added(most, low, high)
        if not gained < abs(self.k(arb(0))) * arb(10) ** -self.digits:
            raise PrecisionError("the curve is not near enough to the kernel")
        return self._found(Distances(most, (v + gained).upper()), Distances(end, (v * decay + gained).upper()))

    def _found(self, near: Distances, end: Distances) -> CurvePiece:
        return CurvePiece(self.first, self.last, self.window.centre, self.t, self.k, near, end)

    def _rooted(self, x: arb) -> arb:
        if not x > 0:
            raise PrecisionError("the curve is not near enough to the orbit")
        return x if self.theorem.root == 1 else x.root(self.theorem.root)

    def _added(self) -> arb:
        """A bound of the sum of |F|."""
        window, theorem = self.window, self.theorem
        defect = window.defect(self.t, self.inner)
        known = bounded(defect, window.length, self.half, lambda rho: window.sup(self.t, rho))
        left = self.pace * self.top**theorem.k * theorem.shape.rest(self.top)
        return ((known + left) * self.spread).upper()

    def _decay(self, most: arb, low: arb, high: arb) -> arb:
        """A bound of the product of 1 - delta h', all of whose factors are in [0, 1]."""
        theorem, root = self.theorem, self.theorem.root
        theorem.damping(self.first, high)
        layers = self._cells()
        total = arb(0)
        for before, after in pairwise(layers):
            x = [self.t(arb(layer).log() - self.window.centre) ** root for layer in (before, after)]
            ends = self._rooted(x[1] - 3 * most), self._rooted(x[0] + 3 * most)
            slope = (ends[0] ** theorem.m * theorem.sloped.at(between(*ends))).lower()
            if not slope > 0:
                raise Refused("h cannot be shown to grow as far as the orbit has come; begin at a deeper layer")
            pace = self._pace(before).min(self._pace(after + 1)).lower()
            total += slope * pace * ((arb(after) + 1) / (arb(before) + 1)).log()
        return (-total.lower()).exp().upper()

    def _cells(self) -> list[int]:
        """Some layers from the first to the last."""
        ratio = arb(self.last) / self.first
        inner = {_whole(self.first * (ratio.log() * j / CELLS).exp()) for j in range(1, CELLS)}
        return [self.first, *sorted(layer for layer in inner if self.first < layer < self.last), self.last]

    def _kernel_added(self, most: arb, low: arb, high: arb) -> arb:
        """A bound of the sum of |K| + delta |u| (sup |h''| |k| + sup |o'|)."""
        window, theorem = self.window, self.theorem
        defect = window.kernel_defect(self.k, window.slope(self.inner), window.own(self.inner))
        known = bounded(defect, window.length, self.half, lambda rho: window.kernel_sup(self.t, self.k, rho))
        size = magnitudes(self.k)(self.half)
        left = self.pace * (self.top**theorem.m * theorem.sloped.rest(self.top) * size + theorem.own.rest(self.top))
        root, high = theorem.root, high.max(self.top).upper()
        bent = theorem.bent.sup(high) * high**theorem.k / low ** (2 * root)
        own = theorem.own.weighted(lambda j: arb(j) / root).sup(high) / low**root
        return ((known + left + self.pace * most * (bent * size + own)) * self.spread).upper()


ENTRIES = (1000, 4000, 16000)
INSIDE = 0.6  # of the disc, where the curve may begin
TERMS = 4.6  # of h at t = 0, for each digit: 0.6^4.6 < 1/10
LONGEST = 40  # coefficients of a power series, where the steps are summed
SPARE, ATTEMPTS = 64, 5  # bits of the orbit, and how often they are doubled
MOST = 160  # digits that the curve keeps for the sake of C
BEYOND = 3  # digits, of the layer where C is read, beyond those requested


class FlowNumbers:
    """Values and constants of a law of falling steps."""

    def __init__(self, asked: PrintedLaw):
        self.asked = asked

    def edge(self, digits: int) -> arb:
        """The radius of the disc in which h, and the flow time, are known."""
        return _theorem(self.asked, digits).radius

    def at(self, start, depth: int, bits: int) -> arb:
        """The quantity in a layer that is iterated to."""
        orbit = one_orbit(self.asked, start, bits)
        with working(bits, LONGEST):
            x = orbit.x(depth).low
            return self._quantity(x, None if self.asked.norm is None else orbit.a(depth).low, depth, bits)

    def value(self, start, depth: int, digits: int) -> arb:
        """The quantity at any depth."""
        if depth <= ENTRIES[0]:
            return self.at(start, depth, bits_for(digits))
        curve = _curve(self.asked, start, digits + 1)  # that of the constants
        if depth <= curve.layer:
            return self.at(start, depth, bits_for(digits))
        piece, bits = curve.piece(depth), curve.bits(depth)
        with working(bits, LONGEST):
            return self._quantity(*piece.at(depth, self.asked.map_.root), depth, bits)

    def constants(self, start, digits: int) -> tuple:
        """C, and D of a kernel."""
        if digits >= MOST:
            raise Refused(f"{digits} digits of C are more than the curve keeps")
        curve, layer = _curve(self.asked, start, digits + 1), 10 ** (digits + BEYOND + 1)
        theorem = curve.theorem
        with working(curve.bits(layer)):
            x, k = curve.piece(layer).at(layer, theorem.root)
            t = x if theorem.root == 1 else x.root(theorem.root)
            c = theorem.constant(layer, t)
            return c, None if k is None else theorem.weight(layer, t, x, k)[0]

    def _quantity(self, x: arb, k: arb | None, depth: int, bits: int) -> arb:
        law = self.asked
        return x if law.norm is None else k / law.norm_in_layer(depth, law.map_.known(bits))


@lru_cache(maxsize=64)
def _theorem(asked: PrintedLaw, digits: int) -> FlowTheorem:
    return asked.theorem(int(TERMS * digits) + 20, 2 * bits_for(digits))


@lru_cache(maxsize=64)
def _curve(asked: PrintedLaw, start, digits: int) -> OrbitCurve:
    """From the first layer on that is well inside."""
    theorem, reason = _theorem(asked, digits), Refused("the layers do not come near enough to the limit")
    for layer in ENTRIES:
        if layer < max(asked.map_.sizes, default=0):
            continue
        t, k = _state(asked, start, layer, digits)
        if not t < theorem.radius * INSIDE:
            continue
        try:
            curve = OrbitCurve(theorem, layer, (t, k), digits)
            curve.piece(layer + 1)
            return curve
        except (Refused, PrecisionError) as refused:
            reason = refused
    raise reason


def _state(asked: PrintedLaw, start, layer: int, digits: int) -> tuple[arb, arb | None]:
    """(t, k) in a layer that is iterated to, to more digits than those asked."""

    def attempt(bits: int) -> tuple[arb, arb | None]:  # a wide ball may be refused too: it cannot be shown to fall
        orbit = one_orbit(asked, start, bits)
        with working(bits):
            found = orbit.t(layer).low, None if asked.norm is None else orbit.a(layer).low
        if all(ball is None or ball.rel_accuracy_bits() > bits_for(digits) for ball in found):
            return found
        raise PrecisionError("too many digits are lost on the way")

    bits = bits_for(digits) + SPARE
    return first_proved((partial(attempt, bits * 2**k) for k in range(ATTEMPTS)), 1)[0]
