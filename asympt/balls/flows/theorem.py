"""The theorem for falling steps: x_l = x_(l-1) - delta_l h(x_(l-1)), delta_l = a/(l + beta), h ~ c x^p, p > 1.

How far from T(x_l) = a log l + C, T' = -1/h, and k_l = (1 - delta_l h'(x_(l-1))) k_(l-1) + delta_l o(x_(l-1)) from P +
D h?  T and P are convergent power series in t with known tails (`Taylor`), and with eta = sup |h'| over (0, x]

    |T(x') - T(x) - delta| <= delta^2 eta/(2 (1 - delta eta)),   so that   |T(x_l) - a log l - C| <= E/l;

u = (k - P)/h moves by O(delta^2) likewise, and |k_l - P - D h| <= K/l (docs/bounds.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flint import arb, arb_poly, arb_series
from sympy import Expr, Symbol

from asympt.balls.abel import AbelSeries, FallingCoordinate
from asympt.balls.arithmetic import Refused, coefficients, majorant, require_finite, working
from asympt.balls.disc import ARCS, BallDisc, FormulaMap
from asympt.balls.expression import number, program_of
from asympt.balls.linear import Solution

INNER = 0.9  # the circle of a product, over the smaller of both


@dataclass(frozen=True, eq=False)
class Taylor:
    """sum c_j t^j: `known` are c_0, ..., c_J, and |c_j| <= size radius^-j beyond, as Cauchy bounds them.

    So what is left out over |t| <= s is at most size (s/R)^(J+1)/(1 - s/R).  Multiplied by weights w_j that grow by no
    more than a factor q >= 1 from j = J + 1 on the coefficients obey the same with R/q; weights here are polynomials
    with nonnegative coefficients in j + const > 0, or fall in size, so that their first two values beyond J tell q.
    A product is bounded on a smaller circle by the product of the bounds there.

    >>> one = Taylor([arb(1), arb(1)], arb(1), arb(1))
    >>> bool(one.at(arb(0.5)).contains(2)), bool(one.weighted(lambda j: j + 1).at(arb(0.25)).contains(arb(16) / 9))
    (True, True)
    >>> bool((one * one).at(arb(0.25)).contains(arb(16) / 9))
    True
    """

    known: Sequence[arb]
    size: arb
    radius: arb

    @property
    def count(self) -> int:
        """J + 1."""
        return len(self.known)

    @cached_property
    def _poly(self) -> arb_poly:
        return arb_poly(list(self.known))

    def rest(self, t: arb) -> arb:
        """A bound of what the known coefficients leave out up to |t|."""
        share = abs(t).upper() / self.radius
        if not share < 1:
            raise Refused(f"t = {t.str(6, radius=False)} lies outside the disc of a power series")
        return (self.size * share**self.count / (1 - share)).upper()

    def at(self, t: arb) -> arb:
        """Its value at every t of a ball."""
        return self._poly(t) + arb(0, self.rest(t))

    def sup(self, t: arb) -> arb:
        """A bound of the modulus up to |t|."""
        return (majorant(enumerate(self.known), abs(t).upper()) + self.rest(t)).upper()

    def cut(self, start: int, t: arb) -> arb:
        """A bound of |sum_(j >= start) c_j s^j|/s^start up to t; start <= J + 1."""
        here = majorant(((j - start, c) for j, c in enumerate(self.known) if j >= start), t)
        return (here + self.rest(t) / t**start).upper()

    def weighted(self, weight: Callable[[int], arb]) -> "Taylor":
        """sum w_j c_j t^j (see the module for the weights)."""
        first, second = (abs(arb(weight(self.count + k))) for k in (0, 1))
        growth = (second / first).max(arb(1)) if first > 0 else arb(1)
        size = (self.size * first / growth**self.count).upper()
        return Taylor([c * weight(j) for j, c in enumerate(self.known)], size, (self.radius / growth).lower())

    def scaled(self, factor: arb) -> "Taylor":
        return Taylor([c * factor for c in self.known], (self.size * abs(factor)).upper(), self.radius)

    def plus(self, other: "Taylor") -> "Taylor":
        known = [a + b for a, b in zip(self.known, other.known, strict=True)]
        radius = self.radius.min(other.radius)
        return Taylor(known, self.size + other.size, radius)

    def shifted(self, by: int) -> "Taylor":
        """t^by times it, to as many coefficients."""
        lost = [abs(c) * self.radius**j for j, c in enumerate(self.known) if j + by >= self.count]
        size = sum(lost, arb(self.size)) * self.radius**by
        return Taylor([*[arb(0)] * by, *self.known][: self.count], size.upper(), self.radius)

    def __mul__(self, other: "Taylor") -> "Taylor":
        radius = (self.radius.min(other.radius) * INNER).lower()
        known = (self._poly * other._poly).coeffs()[: self.count]
        known += [arb(0)] * (self.count - len(known))
        return Taylor(known, (self.sup(radius) * other.sup(radius)).upper(), radius)


@dataclass(frozen=True, eq=False)
class DriftMap:
    """The recursion: x = t^root, h = t^order s(t).

    formula, source: h and o (or None) as formulas in `symbol` t;  plain: h, h' and o as formulas in `variable` x;
    weight, shift: delta_l = a/(l + beta), exact;  sizes: {layer: step size} where it is another one;
    parameters, within: as of a `FormulaMap`.
    """

    formula: Expr
    source: Expr | None
    plain: tuple[Expr, Expr, Expr | None]
    variable: Symbol
    symbol: Symbol
    root: int
    order: int
    weight: Expr
    shift: Expr
    sizes: Mapping[int, Expr] = field(default_factory=dict)
    parameters: object = field(default=None, kw_only=True)
    within: bool = field(default=False, kw_only=True)
    arcs: int = field(default=ARCS, kw_only=True)

    @property
    def excess(self) -> int:
        """m."""
        return self.order - self.root

    def known(self, bits: int) -> Mapping[Symbol, arb]:
        return self.parameters(bits) if self.parameters is not None else {}

    @cached_property
    def drift(self) -> FormulaMap:
        """h in t, with its zero of order k."""
        return FormulaMap(self.formula, self.symbol, self.order, parameters=self.parameters, within=self.within)

    def step(self, layer: int, known: Mapping) -> arb:
        """delta_l."""
        if layer in self.sizes:
            return number(self.sizes[layer], known)
        return number(self.weight, known) / (layer + number(self.shift, known))


class FlowTheorem(FallingCoordinate):
    """T, and with o P and h, in the disc |t| <= radius; `count` coefficients are known.

    Raises `Refused` when a hypothesis cannot be proved.
    """

    called = "the flow time"

    def __init__(self, map_: DriftMap, count: int, radius: arb, bits: int):
        self.map, self.count, self.radius, self.bits = map_, count, radius, bits
        self.root, self.k, self.m = map_.root, map_.order, map_.excess
        self.last = count - 1 - self.m  # N of the series that are inverted
        with working(bits, count + self.k + 8):
            known = map_.known(bits)
            self.a, self.shift = number(map_.weight, known), number(map_.shift, known)
            self.region = BallDisc(map_.drift, radius, bits, count + self.k, map_.arcs)
            self._solve()

    def _solve(self) -> None:
        m, root, count = self.m, self.root, self.count
        found = self.map.drift.series(self.map.drift.program, self.bits, count + self.k)
        for j in range(self.k):
            if not found[j].contains(0):
                raise Refused(f"the drift does not begin with t^{self.k}")
        series = arb_series(found[self.k :], prec=count)
        if not series[0] > 0:
            raise Refused("the drift cannot be shown to push towards its zero, so there is no law")
        logs = [w * self.k for _, w in self.region.points]  # of h/t^k, which has no zero in the disc
        ratios = [value.exp() for value in logs]
        self.shape = self._taylor(series, self.region.sup(ratios))
        self.inverse = self._taylor(1 / series, 1 / self.region.least(ratios))
        logarithm = self._taylor((series / series[0]).log(), self.region.sup(logs))
        self.beta = Taylor([arb(0), *logarithm.known[1:]], logarithm.size, self.radius)
        self.bent = self.shape.weighted(lambda j: arb(self.k + j) / root * (arb(self.k + j) / root - 1))
        self.sloped = self.shape.weighted(lambda j: arb(self.k + j) / root)
        self.time_terms = self.inverse.weighted(lambda j: arb(-root) / (j - m) if j != m else arb(0))
        self.time_log = -root * self.inverse.known[m]
        if self.map.source is not None:
            self._solve_linear()

    def _taylor(self, series: arb_series, size: arb) -> Taylor:
        bound = require_finite(size, "a bound on the circle").upper()
        return Taylor(coefficients(series, self.count), bound, self.radius)

    def _solve_linear(self) -> None:
        """o, and P = t^-m q(t) + r h log t."""
        program = program_of(self.map.source, self.map.symbol)
        values = self.region.values(program)
        series = arb_series(self.map.drift.series(program, self.bits, self.count), prec=self.count)
        self.own = self._taylor(series, self.region.sup(values))
        resonant = 2 * self.k - self.root
        squared = (self.inverse * self.inverse) * self.own
        integral = squared.weighted(lambda j: arb(-self.root) / (j - resonant) if j != resonant else arb(0))
        self.resonance = -self.root * squared.known[resonant]
        whole = self.shape * integral
        free = whole.known[self.k + self.m] / self.shape.known[0]
        self.particular = whole.plus(self.shape.shifted(self.k + self.m).scaled(-free))
        self.particular.known[self.k + self.m] = arb(0)  # exactly, by the choice of `free`

    def time(self, t: arb) -> arb:
        """T."""
        return self.time_terms.at(t) / t**self.m + self.time_log * t.log()

    def drift(self, t: arb) -> arb:
        return t**self.k * self.shape.at(t)

    def slope(self, t: arb) -> arb:
        """h'."""
        return t**self.m * self.sloped.at(t)

    def particular_at(self, t: arb) -> arb:
        """P."""
        return self.particular.at(t) / t**self.m + self.resonance * self.drift(t) * t.log()

    def inverse_over_time(self, t: arb) -> arb:
        """A bound of s^-m/T(s) over (0, t]."""
        first = abs(self.time_terms.known[0])
        low = (2 * first - self.time_terms.sup(t) - abs(self.time_log) * t ** (self.m - 1) * t_log_t(t)).lower()
        if not low > 0:
            raise Refused(f"the flow time cannot be shown to be like t^-{self.m} up to t = {t.str(6, radius=False)}")
        return (1 / low).upper()

    def steepest(self, t: arb) -> arb:
        """eta(t)."""
        return (t**self.m * self.sloped.sup(t)).upper()

    def _place(self, layer: int) -> arb:
        found = layer + self.shift
        if not found > 0:
            raise Refused(f"the steps are not positive from layer {layer} on")
        return found

    def next_step(self, layer: int) -> arb:
        """delta after the layer, the largest of all later ones."""
        return self.a / (self._place(layer) + 1)

    def damping(self, layer: int, t: arb) -> arb:
        """1 - delta eta, in every later layer at least."""
        found = (1 - self.next_step(layer) * self.steepest(self.inside(t))).lower()
        if not found > 0:
            raise Refused(f"the step after layer {layer} is too large for the flow; begin at a deeper layer")
        return found

    def drifted(self, layer: int, t: arb) -> arb:
        """A bound of |sum over later layers of T(x') - T(x) - delta|."""
        size = self.a**2 * self.steepest(t) / (2 * self.damping(layer, t))
        return (size / (self._place(layer) + arb(0.5))).upper()

    def constant(self, layer: int, t: arb) -> arb:
        """C of the orbit that is at t in that layer."""
        clock = self.a * (self._place(layer) + 1).digamma()
        return self.time(t) - clock + arb(0, self.drifted(layer, self.inside(t)))

    def clock_error(self, layer: int) -> arb:
        """A bound of |psi(l + 1 + beta) - log l| l for all l >= layer: log x - 1/x < psi(x) < log x."""
        beyond = abs(1 + self.shift)
        if not beyond < layer:
            raise Refused(f"layer {layer} is too early for the clock of the steps")
        return ((beyond + 1) / (1 - beyond / layer)).upper()

    def error(self, layer: int, t: arb) -> arb:
        """E: |T(x_l) - a log l - C| <= E/l for all l >= layer, t being the largest t there."""
        ratio = (layer / (self._place(layer) + arb(0.5))).max(arb(1))  # l/(l + beta + 1/2) is monotone
        place = self._place(layer) + arb(0.5)
        return (self.a * self.clock_error(layer) + self.drifted(layer, self.inside(t)) * place * ratio).upper()

    def sources(self, layer: int, t: arb) -> tuple[arb, arb]:
        """sup h |h''| and sup x |h'' P - o'| over (0, x]."""
        bent = self.bent.sup(t)
        least = 1 - self.share(layer, t)  # h''(xi) with x' <= xi <= x, where h'' may be unbounded at 0
        first = t ** (2 * self.k - 2 * self.root) * bent * self.shape.sup(t) / least**2
        waves = abs(self.resonance) * bent * self.shape.sup(t) * t ** (2 * self.k - self.root - 1) * t_log_t(t)
        return first.upper(), (bent * self.particular.sup(t) + waves + self.own.weighted(
            lambda j: arb(j) / self.root).sup(t)).upper()

    def share(self, layer: int, t: arb) -> arb:
        """delta h/x, in every later layer at most."""
        share = (t**self.m * self.shape.sup(t) * self.next_step(layer)).upper()
        if not share < 1:
            raise Refused(f"the step after layer {layer} is too large for the flow; begin at a deeper layer")
        return share

    def moves(self, layer: int, t: arb, low: arb) -> tuple[arb, arb]:
        """(V, W) with sum over later layers of |u' - u| <= (V sup|u| + W/x)/(l + beta); low: the least x there."""
        damping = self.damping(layer, t)
        share = self.share(layer, t)
        q = share * (self._place(layer) + 1) / (1 - share)
        if not q < 1:
            raise Refused(f"the orbit falls too fast after layer {layer} for the bound of D; begin at a deeper layer")
        first, second = self.sources(layer, t)
        common = self.a**2 / (2 * damping**2 * (1 - q))
        return (common * first).upper(), (common * second / low.lower()).upper()

    def weight(self, layer: int, t: arb, low: arb, k: arb) -> tuple[arb, arb]:
        """(D, a bound of |u| from there on) of orbits that are at t with k; low: their least x."""
        v, w = self.moves(layer, self.inside(t), low)
        u, place = (k - self.particular_at(t)) / self.drift(t), self._place(layer)
        if not v < place:
            raise Refused(f"layer {layer} is too early for the bound of D")
        largest = ((abs(u).upper() + w / place) / (1 - v / place)).upper()
        return u + arb(0, ((v * largest + w) / place).upper()), largest

    def kernel_error(self, layer: int, t: arb, largest: arb) -> arb:
        """K: |k_l - P - D h| <= K/l for all l >= layer; largest: sup |u|."""
        v, w = self.moves(layer, self.inside(t), arb(1))  # W/x h = W h/x
        size = v * largest * t**self.k * self.shape.sup(t) + w * t**self.m * self.shape.sup(t)
        return (size * (layer / self._place(layer)).max(arb(1))).upper()

    @cached_property
    def series(self) -> AbelSeries:
        """T/a to t^N as an Abel function."""
        alpha = {j - self.m: c / self.a for j, c in enumerate(self.time_terms.known) if j != self.m}
        return AbelSeries(self.m, self.last, alpha, self.time_log / self.a, (), ())

    @property
    def first(self) -> int:
        """p = N + m + 1."""
        return self.series.first

    def error_factor(self, t: arb) -> arb:
        """A bound of what T/a has beyond t^N, over t^(N+1)."""
        return (self.time_terms.cut(self.count, self.inside(t)) / self.a).upper()

    def truncation(self, t: arb) -> arb:
        """The same, not divided."""
        return (self.error_factor(t) * self.inside(t) ** (self.last + 1)).upper()

    @cached_property
    def solution(self) -> Solution:
        """P and h/c to t^N."""
        beta = {j: c for j, c in enumerate(self.beta.known) if 0 < j <= self.last}
        terms = {j - self.m: c for j, c in enumerate(self.particular.known) if j != self.k + self.m}
        return Solution(self.k, beta, terms, self.resonance * self.shape.known[0])

    def solution_error(self, t: arb, weight: arb) -> tuple[arb, int]:
        """(B, w): P + D h is within B s^w of its beginning for every s <= t <= 1; weight: D c."""
        t, w = self.inside(t), self.last + 1
        if not t < 1:
            raise Refused("the orbit has not come below t = 1, where t log t is small")
        rest = self.beta.cut(w, t)
        top = self.solution.top(t) * rest * (rest * t**w).exp()
        waves = abs(weight) + abs(self.solution.resonance)  # t^k |log t| <= t^(k-1)
        size = self.particular.cut(w + self.m, t) + waves.upper() * top * t ** (self.k - 1)
        return size.upper(), w


def t_log_t(t: arb) -> arb:
    """sup s |log s| over (0, t]."""
    return (t * abs(t.log())).max(1 / arb(1).exp()).upper()


