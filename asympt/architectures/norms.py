r"""Two inputs of any norms: the laws hold for them all, only C and D depend on the variances.

Problem.  The law of a fully connected network is that of the gap gamma = 1 - c at the fixed point q of the variance.
Two inputs of variances q^1 and q'^1 bring u = q^l - q and v = q'^l - q with them, and

    gamma' = g(gamma) + O(gamma |u, v|) + kappa (u - v)^2 + ...,        u' = V(q + u) - q = B u + ...,   B = V'(q),
    kappa  = {sigma_w^2 E[phi'(x)^2 Z^2]/(4 q^2) - (B/(2 q))^2}/2,      x = sqrt(q) Z:

inputs of different lengths keep an angle, the floor kappa (u - v)^2, even where c^1 = 1.

Rule.  Let rho be the rate of gamma in its own recursion: 1 on the Edge of Chaos, chi below it, chi* (of gamma - gamma*)
above.  Where rho is larger than what u and v bring in, B^2 (|B| above the Edge of Chaos), the orbit enters the
coordinate of g after some layers (`recursions.unsettled`): the same law, with C and D of its own.  Otherwise u and v
lead, and C rho^l is not the law of this pair: S Koenigs' function of V, l - 1 steps from layer 1,

    ordered, B^2 > chi      1 - c^l ~ kappa (S(u) - S(v))^2/(B^2 - chi) B^(2 (l-1)),   whatever c^1 is
    chaotic, |B| > chi*     c^l - c* ~ a (S(u) + S(v))/(B - chi*) B^(l-1),             a = dc'/du at c*.

Variances that grow without bound, like (sigma_w^2 (a+^2 + a-^2)/2)^l, see phi's slopes a+- at +-oo alone, up to a part
q_l^(-1/2): the orbit enters the coordinate of that ReLU-like map, and its law holds with C and D of the pair.

Tiny case.  phi = relu without bias: V(q) = q and kappa = 0, and every pair of norms runs like one of equal norms.

Known limits.  V is to draw both variances to q; -digits/log10 B layers are iterated, at most `MOST_LAYERS`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil, inf, log10

from mpmath import mp, mpf
from sympy import Expr, Integer, oo

from asympt.architectures.law_parts import read_start, read_variance
from asympt.architectures.tails import limit_statement, tails
from asympt.errors import AsymptError, InputError, PrecisionError, UnsupportedError
from asympt.gaussian.closed.moments import moments_at
from asympt.meanfield.edge import phase_of
from asympt.meanfield.layer import Layer, Statement
from asympt.meanfield.stability import MARGINAL, RETURNS, limit_from
from asympt.meanfield.variance import square_slope
from asympt.numbers import exact, to_mpf
from asympt.precise.dense import DenseStep, VarianceDerivatives
from asympt.recursions.agreement import agreed
from asympt.recursions.unsettled import Arrival, Unsettled

MOST_LAYERS = 100_000
GUARD, FLOAT = 8, 15  # digits carried beyond those requested, and of rates
FIRST, FINE, MOST_SECANTS = (0.5, 0.25), 1e-5, 60  # gaps; relative change from which all digits are taken
SAME = 1e-6  # relative distance within which a limit in float64 is q
PAIR = "give the variances q^1 and q'^1 of the two inputs in layer 1, such as variances='1,1/4'"


@dataclass(frozen=True)
class VarianceRest:
    """What settling variances do to a law: `slope` B, `rate` rho (1 on the Edge of Chaos), `centre` 1 - c*.

    `network`: whose layers are followed; `linear`: whether K is followed too.
    """

    network: Statement
    slope: float
    rate: float
    centre: Expr
    linear: bool

    @classmethod
    def of(cls, law, layer: Layer) -> "VarianceRest":
        """That of the law of a fully connected network of such layers."""
        network, linear = Statement.plain(layer), law.linear is not None
        if layer.variance == oo:
            return GrowingRest.of_lines(network, linear)
        if layer.variance == 0:
            return VanishingRest(network, 1.0, 1.0, Integer(0), law.name == "ntk")
        slope = float(layer.variance_map.slope(layer.fixed_variance, FLOAT))
        rate = 1.0 if law.koenigs is None else abs(float(to_mpf(law.koenigs.multiplier)))
        return cls(network, slope, rate, Integer(0) if law.fixed is None else law.fixed.point, linear)

    @property
    def named(self) -> str:
        """What decides how fast the variances settle."""
        return f"V'(q) = {self.slope:.8g}"

    @property
    def is_chaotic(self) -> bool:
        """Whether gamma* > 0."""
        return self.centre != 0

    @property
    def brought(self) -> float:
        """The rate of what two different variances bring into the gap."""
        return abs(self.slope) if self.is_chaotic else self.slope**2

    def layers(self, digits: int) -> float:
        """About how many layers it takes until a scalar law holds to so many digits."""
        rate = max(abs(self.slope), min(1.0, self.brought / self.rate) if self.brought < self.rate else 0.0)
        if rate >= 1:
            return inf
        return 10 + ceil(digits / -log10(rate)) if rate else 10

    def refusal(self, digits: int, layers: float) -> AsymptError:
        """Why so many layers are not followed."""
        if layers == inf:
            return UnsupportedError(
                f"{self.named}, so C has no formula and layers are followed one by one, {MOST_LAYERS} of them at most; "
                "take evaluate at a smaller depth"
            )
        return PrecisionError(
            f"{self.named}: the variances settle to {digits} digits only after some {layers} layers; ask for fewer "
            f"digits or a depth of at most {MOST_LAYERS}"
        )

    def working(self, digits: int, layers: int) -> int:
        """Digits to carry: the distance from c*, and what is left of K, shrink while gap and K do not."""
        return digits + GUARD + ceil(-log10(self.rate) * layers if self.is_chaotic or self.linear else 0)

    def is_settled(self, digits: int, before: tuple | None, state: tuple) -> bool:
        """Whether what variances do to gap and K from this state on is below the digits; `before`: a layer earlier."""
        layer, first, second, gap, _ = state
        q, centre = to_mpf(self.network.layer.fixed_variance), to_mpf(self.centre)
        apart, y = ((first - second) / q) ** 2, abs(gap - centre)
        far = (abs(first / q - 1) + abs(second / q - 1)) / (1 - abs(self.slope))
        if y and self.brought < self.rate:
            far = far / (y if self.is_chaotic or (self.linear and self.rate < 1) else 1) + apart / y
        return far * layer <= mpf(10) ** -digits

    def arrived(self, state: tuple) -> Arrival:
        """A state as the law's recursion has it: K in units of q."""
        layer, first, second, gap, kernel = state
        q = to_mpf(self.network.layer.fixed_variance)
        kernel = None if kernel is None else kernel * mp.sqrt(first * second) / q
        return Arrival(layer, gap - to_mpf(self.centre), gap, kernel, (first - q, second - q))

    def require_led(self, of_kernel: bool) -> None:
        """`UnsupportedError` where the settling variances and not the law's own recursion decide how c^l approaches."""
        rate = abs(self.slope) if of_kernel else self.brought
        if rate < self.rate:
            return
        power = "B^l" if self.is_chaotic or of_kernel else "B^(2l)"
        raise UnsupportedError(
            f"inputs with variances of their own approach like {power}, B = V'(q) = {self.slope:.8g}, and not at the "
            f"rate {self.rate:.8g} of the law: C and D are not defined for them; evaluate(depth) holds"
        )


@dataclass(frozen=True)
class GrowingRest(VarianceRest):
    """What variances that grow without bound do to the law of phi's lines, `slope` = g^(-1/2) as much a layer later."""

    @classmethod
    def of_lines(cls, network: Statement, linear: bool) -> "GrowingRest":
        """That of a network, whose lines have the growth g."""
        return cls(network, float(lines_of(network).growth) ** -0.5, 1.0, Integer(0), linear)

    @property
    def named(self) -> str:
        return f"q grows by the factor {self.slope**-2:.8g} a layer"

    def is_settled(self, digits: int, before: tuple | None, state: tuple) -> bool:
        """Whether a layer of the lines leads from the state before to this one."""
        if before is None:
            return False
        lines = DenseStep(lines_of(self.network))((before[0], mpf(1), mpf(1), *before[3:]))
        pairs = zip(lines[3 : 4 + self.linear], state[3:], strict=False)
        apart = max(abs(a / b - 1) if b else abs(a) for a, b in pairs)
        return apart * state[0] <= mpf(10) ** -digits * (1 - self.slope)

    def arrived(self, state: tuple) -> Arrival:
        layer, _, _, gap, kernel = state
        return Arrival(layer, gap, gap, kernel)


@dataclass(frozen=True)
class VanishingRest(VarianceRest):
    """Variances that fall like 1/l with the correlation: no layer is the last that they move; `linear`: K is asked."""

    brought, named = 0.0, "variance and correlation are both neutral here"

    def is_settled(self, digits: int, before: tuple | None, state: tuple) -> bool:
        return False

    def arrived(self, state: tuple) -> Arrival:
        layer, first, second, gap, kernel = state
        seen = kernel * mp.sqrt(first * second) if self.linear else gap
        return Arrival(layer, seen, seen, kernel)


@dataclass(frozen=True)
class PairStart(Unsettled):
    """Exact gap and variances of layer 1, not both of them the q of `layer` (oo where they are to grow)."""

    gap: Expr
    first: Expr
    second: Expr
    layer: Layer

    why = "inputs with variances of their own are followed until these have settled"

    @property
    def rest(self) -> tuple[Expr, Expr]:
        """What else there is to layer 1."""
        return self.first, self.second

    @property
    def distance(self) -> Expr:
        """1 - c^1; `InputError` for one input twice."""
        if self.gap == 0 and self.first == self.second:
            raise InputError("c^1 = 1 and q^1 = q'^1 are one input twice, which stays at c = 1; give two inputs")
        return self.gap

    def entering(self, law, asked, variances: tuple = ()):
        """By the lemma of `balls.transient`, on the Edge of Chaos; `variances`: intervals in place of its own."""
        from asympt.meanfield.enclosed import settling  # ball arithmetic: only for certificates

        self._rest(law)
        if law.abel is None:
            raise UnsupportedError(
                "the theorems about inputs with variances of their own are on the Edge of Chaos; evaluate this law"
            )
        return settling(law.layer.layer, asked, variances or self.rest)

    def follow(self, law, digits: int, last: int | None, least: int = 1) -> Arrival:
        """The original layers, until the variances are q to the digits."""
        rest = self._rest(law)
        layers = rest.layers(digits)
        if min(layers, last or layers) > MOST_LAYERS:
            raise rest.refusal(digits, layers)
        most = 2 * layers + 100
        return _followed(self, rest, digits, last if last and last <= most else None, least, most)

    def value(self, law, depth: int, digits: int):
        """The quantity at one depth; where the angle that different norms keep leads, by the floor it has."""
        rest = self._rest(law)
        if rest.linear or rest.is_chaotic or self.first == self.second or rest.brought < rest.rate:
            return super().value(law, depth, digits)
        routes = (GUARD, 2 * GUARD)
        return agreed(lambda extra: [self._floor(law, depth, digits + extra + more) for more in routes], digits)

    def constants(self, law, digits: int, second: bool = False) -> tuple:
        """(C, D) of the pair; `UnsupportedError` where its variances lead."""
        rest, _ = self._rest(law), self.distance
        if self.first != self.second or rest.is_chaotic:
            rest.require_led(False)
        if second and rest.rate < 1:
            rest.require_led(True)
        return super().constants(law, digits, second)

    def effective(self, law, digits: int):
        """The gap 1 - c of the settled start with the same C: by secants in a power of it in which C is nearly affine.

        `UnsupportedError` where no correlation in [-1, 1) has this C.
        """
        power = mpf(1) if law.abel is None else mpf(-law.abel.multiplicity) / law.dynamics.root
        centre, goal = self._rest(law).centre, self.constants(law, digits + GUARD)[0]

        def missed(w, figures: int):
            return law.constants_from(exact(min(w ** (1 / power), mpf(2))) - centre, figures).value[0] - goal

        with mp.workdps(digits + 2 * GUARD):
            end, w, first = (mpf(gap) ** power for gap in (2, *FIRST))
            before = first
            value = missed(before, FLOAT)
            for _ in range(MOST_SECANTS):
                now = missed(w, FLOAT if abs(w / before - 1) > FINE else digits + GUARD)
                following = w - now * (w - before) / (now - value) if now != value else w
                if (following - end) * (first - end) < 0 or following <= 0:
                    if w == end:
                        raise UnsupportedError(
                            f"C = {mp.nstr(goal, FLOAT)}: inputs with q^1 = q have it for no correlation in [-1, 1)"
                        )
                    following = end
                w, before, value = following, w, now
                if abs(w / before - 1) <= mpf(10) ** -(digits + 1):
                    return w ** (1 / power)
        raise PrecisionError("the secants for the effective correlation do not settle; ask for fewer digits")

    def _floor(self, law, depth: int, digits: int):
        """gamma' = chi gamma + kappa (u - v)^2 from where u, v and gamma are below the digits."""
        entry, layer = self.follow(law, digits, depth), law.layer.layer
        with mp.workdps(digits + GUARD):
            more, u, v = depth - entry.layer, *entry.rest
            own, other = to_mpf(law.koenigs.multiplier), layer.variance_map.slope(layer.fixed_variance, digits) ** 2
            summed = (other**more - own**more) / (other - own) if other != own else more * own ** (more - 1)
            return own**more * entry.seen + floor_of(layer, digits) * (u - v) ** 2 * summed

    def _rest(self, law) -> VarianceRest:
        """What its variances do to a law; `InputError` for variances that do not settle at its q."""
        layer = self.layer
        q = float(to_mpf(layer.fixed_variance))
        for start in (self.first, self.second):
            if (touched := _half_stable(layer, start)) is not None:
                raise UnsupportedError(f"q^1 = {start} {touched}; the law holds for q^1 = q alone")
            reached = limit_from(layer.variance_map, float(start), q)
            if reached is None or not (reached == q or abs(reached - q) <= SAME * q < inf):
                raise InputError(
                    f"q^1 = {start} does not settle at the q = {q:.8g} of this law: it {settled(layer, (start,))}; "
                    "give variances that do, or take the laws of net.settles(variances).network"
                )
        return VarianceRest.of(law, layer)


@lru_cache(maxsize=64)
def _followed(start: PairStart, rest: VarianceRest, digits: int, last: int | None, least: int, most: int) -> Arrival:
    """The first layer from `least` on at which nothing is left of the rest, or `last`."""
    with mp.workdps(rest.working(digits, last or most)):
        step = DenseStep(rest.network)
        before, state = None, step.first(*map(to_mpf, (start.gap, start.first, start.second)))
        state = state if rest.linear else (*state[:-1], None)
        while state[0] != last and (state[0] < least or not rest.is_settled(digits, before, state)):
            if state[0] > most:
                raise PrecisionError(f"after {most} layers the variances have not settled; ask for fewer digits")
            before, state = state, step(state)
        return rest.arrived(state)


def lines_of(network: Statement) -> Statement:
    """The ReLU-like network without bias of phi's slopes at +-oo; its `growth` is that of large variances."""
    return limit_statement(network.with_layer(replace(network.layer, variance=None, critical=None)))


def floor_of(layer: Layer, digits: int):
    """kappa: inputs of one direction, variances q + u and q + v, have 1 - c = kappa (u - v)^2 + ... a layer later."""
    phi, more = layer.activation.piecewise.derivative(), digits + GUARD
    with mp.workdps(more):
        q, slope = to_mpf(layer.fixed_variance), layer.variance_map.slope(layer.fixed_variance, more)
        turned = moments_at(phi, 1, q, more)[0] + 2 * q * square_slope(phi, q, more)
        return (to_mpf(layer.weight_variance) * turned - slope**2) / (8 * q**2)


def read_pair(read: Callable[..., Expr], layer: Layer) -> Callable:
    """The reader of a start that may have variances of its own, from that of one that has settled."""

    def reader(correlation=None, gap=None, variances=None):
        if variances is None and layer.variance == 0:
            raise InputError(f"the variances of this network fall to 0 and decide where correlations go; {PAIR}")
        if variances is None:
            return read(correlation, gap)
        first, second = read_variances(variances)
        if layer.is_scale_free or (first == second == layer.fixed_variance):
            return read(correlation, gap)
        if first == second:
            read(correlation, gap)  # c^1 = 1 stays where it is then
        return PairStart(read_start(correlation, gap), first, second, layer)

    return reader


def read_variances(variances) -> tuple[Expr, Expr]:
    """Two exact variances of layer 1 from what a user gives."""
    given = _listed(variances)
    if len(given) != 2:
        raise InputError(f"variances = {variances!r} are not two numbers; {PAIR}")
    first, second = (read_variance(value) for value in given)
    return first, second


def _listed(given) -> tuple:
    """Several values, or one of them; a text has commas between them."""
    found = given.split(",") if isinstance(given, str) else given
    return tuple(found) if isinstance(found, Iterable) and not isinstance(found, bytes) else (found,)


# ---- where variances go --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settling:
    """Where the variances of inputs go: `attractor`, q > 0, 0 or oo, None where the inputs part or find no limit.

    `slope`: V'(q) there; `phase`: 'ordered', 'edge of chaos' or 'chaotic' there, None without one; `text`: in words,
    also what `print` shows; `network`: the network at this attractor, whose laws take such variances, or None.
    """

    attractor: Expr | None
    slope: object
    phase: str | None
    text: str
    network: object = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.text


def settled(layer: Layer, variances) -> Settling:
    """Where the variances q^1 go under V; see `FeedForward.settles`."""
    starts = tuple(read_variance(value) for value in _listed(variances))
    if not starts:
        raise InputError("no variances were given; give one q^1, or several such as ('1', '2')")
    if layer.is_scale_free:
        return Settling(None, layer.chi, phase_of(layer), "every variance has the same law")
    found = [_limit(layer, start) for start in starts]
    if len({limit.attractor for limit in found}) == 1:
        return found[0]
    parts = "; ".join(f"q^1 = {start} {limit}" for start, limit in zip(starts, found, strict=True))
    return Settling(None, None, None, f"the inputs part: {parts}")


def _limit(layer: Layer, start: Expr) -> Settling:
    if (touched := _half_stable(layer, start)) is not None:
        return touched
    variance = layer.variance_map
    reached = limit_from(variance, float(start), float(to_mpf(layer.variance or Integer(0))))
    if reached is None:
        return Settling(None, None, None, "finds no limit")
    if reached == float("inf"):
        return _escape(layer)
    points = variance.fixed_points(FLOAT)
    point = min(points, key=lambda point: abs(float(point.q) - reached))
    at = f"q = {mp.nstr(point.q, FLOAT)}, V'(q) = {mp.nstr(point.slope, 8)}"
    if not point.attracts:
        return Settling(point.exact, point.slope, None, f"separatrix: stays at the unstable {at}")
    there = replace(layer, variance=point.exact, critical=None)
    try:
        phase = phase_of(there) if point.q else None
    except AsymptError:
        phase = None
    return Settling(point.exact, point.slope, phase, f"tends to {at}" + (f", {phase}" if phase else ""))


def _half_stable(layer: Layer, start: Expr) -> Settling | None:
    """Variances drawn to the layer's own q with V'(q) = 1, u ~ -2/(V'' l): then chi = 1 + theta/l along the way.

    A smooth phi has gamma' = gamma (1 + theta/l - beta gamma) and k' = k (1 + theta/l - 2 beta gamma) + 1.
    """
    if layer.variance in (None, oo) or layer.variance == 0 or layer.stability.kind != MARGINAL:
        return None
    q, stability = layer.variance, layer.stability
    side = stability.above if start > q else stability.below
    if start == q or side.fate != RETURNS:
        return None
    phi, at = layer.activation.piecewise, f"q = {mp.nstr(to_mpf(q), FLOAT)}, V'(q) = 1"
    text = f"tends to the half-stable {at}, like 1/l"
    if not phi.breaks:
        with mp.workdps(2 * FLOAT):
            weight, place = to_mpf(layer.weight_variance), to_mpf(q)
            theta = -weight * square_slope(phi.derivative(), place, FLOAT) / VarianceDerivatives(layer, q)(2)
            beta = weight * place * moments_at(phi, 3, place, FLOAT)[2] / 2
            limits = [mp.nstr(value, 8) for value in (theta, (1 + theta) / beta, 1 / (3 + theta))]
        text += (
            f", theta = -2 chi'(q)/V''(q) = {limits[0]}: l (1 - c^l) tends to (1 + theta)/beta = {limits[1]} and "
            f"K^L/(q L) to 1/(3 + theta) = {limits[2]}, not those of the law at q"
        )
    return Settling(q, stability.slope, "edge of chaos", text)


def _escape(layer: Layer) -> Settling:
    """Variances that grow: what phi is at +-oo decides."""
    found, text = tails(layer.activation), "escapes to infinity"
    if found.kind != "growing" or not lines_of(Statement.plain(layer)).growth > 1:
        return Settling(oo, None, None, text)
    slopes = " and ".join(map(str, found.slopes))
    text += f", where the laws are those of a ReLU-like phi with the slopes {slopes}, C and D those of the pair"
    return Settling(oo, None, "edge of chaos", text)
