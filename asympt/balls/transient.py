"""Two inputs whose variances still settle: their own layers, then the scalar map with an error that shrinks.

With u = q_l - q, v = q'_l - q, |u|, |v| <= Y on a region where V' is at most b < 1, gamma' = g(gamma) up to
L_1 gamma Y + L_2 Y^2,

    L_1 = 2 sup sqrt(q q'/(V V')) sigma_w^2 {sqrt(E[phi''^2 Z^2] E[phi'^2])/(2 sqrt q) + E[phi'^2] |1/(2q) - V'/(2V)|},
    L_2 = sigma_w^2 sup E[phi'^2 Z^2]/(2 inf q inf V).

The lemma (docs/bounds.md): where t^-m grows by a' to a'' in a scalar layer and w_0 = t^-m in layer n_0, put

    Delta = L_1 (t/t')^r Y + L_2 Y^2 (w_0 + a'')^(r/m),            eta_0 = (w_0 + a'')((1 - Delta)^(-m/r) - 1),
    theta = b (1 + (a'' + eta)/(w_0 + a''))^(1 + r/m),             eta_0 <= eta < a', Delta < 1, theta < 1:

t_l falls to 0, C = lim A_N(t_l) - l, and A_N(t_l) - l - C has, beside its scalar bound with a' - eta for a', an error
Lambda eta_0 theta^(l - n_0)/(1 - theta), m Lambda a bound of |t^(m+1) A_N'|.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import flint
from flint import arb, arb_poly
from sympy import Expr, Symbol

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import Refused, largest, whole_power, working
from asympt.balls.expression import number, program_of
from asympt.balls.orbit import BallInterval, BallOrbit, image
from asympt.deadline import check_time

SHARE = 0.75  # of the bits, to which the variances settle in their own layers
MOST = 20_000  # of these layers
LOSS = 1024  # a'/eta


@dataclass(frozen=True)
class Rest:
    """The variances of the layers up to n_0 = `layer`; from there on |q_l - q| <= y b^(l - n_0), and L_1 and L_2."""

    variances: list[tuple[arb, arb]]
    layer: int
    y: arb
    b: arb
    first: arb
    second: arb

    def distance(self, layer: int) -> arb:
        """Y in a layer from n_0 on."""
        return (self.y * self.b ** (layer - self.layer)).upper()

    def error(self, layer: int, gap: arb) -> arb:
        """How much gamma' may differ from g(gamma)."""
        y = self.distance(layer)
        return (self.first * gap * y + self.second * y**2).upper()


@dataclass(frozen=True, eq=False)
class PairLayer:
    """A layer of two inputs: q, sigma_w^2 and sigma_b^2 as expressions in what a map knows.

    squares: (j, q) -> E[phi^(j)^2] without deltas and its derivative in q, as balls;
    kernel: E[phi phi] as a formula in c and the two variances, and the three symbols; None: by Hermite sums of the map.
    """

    variance: Expr
    weight: Expr
    bias: Expr
    squares: Callable[[int, arb], tuple[arb, arb]]
    kernel: tuple[Expr, Symbol, Symbol, Symbol] | None

    def numbers(self, map_, bits: int) -> tuple[arb, arb, arb]:
        """q, sigma_w^2 and sigma_b^2."""
        known = map_.known(bits)
        return tuple(number(value, known) for value in (self.variance, self.weight, self.bias))

    def expected(self, map_, one: arb, two: arb) -> tuple:
        """E[phi phi] as a function of c, and its parameters."""
        if self.kernel is None:
            return HermitePair.of(*(hermite(map_, q, self.squares, flint.ctx.prec) for q in (one, two))), {}
        formula, c, *variances = self.kernel
        return program_of(formula, c, True), dict(zip(variances, (one, two), strict=True))

    def moved(self, q: arb, weight: arb, bias: arb) -> arb:
        """V(q), by the mean value form."""
        middle = q.mid()
        return bias + weight * (self.squares(0, middle)[0] + self.squares(0, q)[1] * (q - middle))

    @lru_cache(maxsize=16)  # noqa: B019, one for all correlations
    def rest(self, map_, starts: tuple[Expr, Expr], first: int, bits: int) -> Rest:
        """The layers until both variances are q to three quarters of the bits."""
        with working(bits):
            q, weight, bias = self.numbers(map_, bits)
            goal, found = arb(2) ** -int(SHARE * bits), [tuple(map(number, starts))]
            while not (y := largest(abs(p - q) for p in found[-1])) < goal * q:
                check_time()
                if len(found) > MOST:
                    raise Refused(f"the variances have not settled to {float(goal):.1g} after {MOST} layers")
                found.append(tuple(self.moved(p, weight, bias) for p in found[-1]))
            return Rest(found, first + len(found) - 1, y, *self.bounds(q + arb(0, y), weight, bias))

    def bounds(self, q: arb, weight: arb, bias: arb) -> tuple[arb, arb, arb]:
        """b, L_1 and L_2 for all variances in the ball."""
        (m0, rate), (m1, own), (m2, other) = (self.squares(j, q) for j in range(3))
        variance, slope, squared = bias + weight * m0, weight * rate, m1 + 2 * q * own
        if not (abs(slope) < 1 and variance > 0):
            raise Refused(f"V'(q) = {slope.str(6)} is not shown to be below 1, so variances do not settle there")
        bent = ((m2 + 2 * q * other) * m1).sqrt() / (2 * q.sqrt())
        turned = m1 * abs(1 / (2 * q) - slope / (2 * variance))
        first = 2 * q / variance * weight * (bent + turned)
        return abs(slope).upper(), first.upper(), (weight * squared / (2 * q.lower() * variance.lower())).upper()


@dataclass(frozen=True, eq=False)
class HermitePair:
    """sum a_k a'_k c^k of two variances, and what is left of it: |c|^K times a bound, for it and its derivative."""

    known: arb_poly
    left: tuple[arb, arb]

    @classmethod
    def of(cls, one: tuple, two: tuple) -> "HermitePair":
        known = arb_poly([a * b for a, b in zip(one[0], two[0], strict=True)])
        return cls(known, tuple((a * b).sqrt().upper() for a, b in zip(one[1], two[1], strict=True)))

    def value(self, c: arb, parameters: Mapping | None = None) -> arb:
        return self.known(c) + self._beyond(0, c)

    def slope(self, c: arb, parameters: Mapping | None = None) -> arb:
        return self.known.derivative()(c) + self._beyond(1, c)

    def _beyond(self, d: int, c: arb) -> arb:
        return arb(0, (self.left[d] * whole_power(abs(c).upper(), len(self.known) - d)).upper())


@lru_cache(maxsize=1024)
def hermite(map_, q: arb, squares: Callable, bits: int) -> tuple[list[arb], tuple[arb, arb]]:
    """a_k for k < K, and what these leave of E[phi^2] and of q E[phi'^2] = sum k a_k^2; of the precision `bits`."""
    means = map_.hermite_means(q)
    left = (squares(0, q)[0] - sum((a * a for a in means), arb(0)),
            q * squares(1, q)[0] - sum((k * a * a for k, a in enumerate(means)), arb(0)))  # fmt: skip
    return means, tuple(value.upper().max(arb(0)) for value in left)


@dataclass
class SettlingOrbit(BallOrbit):
    """t_l of two inputs of variances `variances` in the first layer, c^1 in an interval.

    A gap 0 is one like any other where the variances differ.
    """

    layer: PairLayer = field(kw_only=True)
    variances: tuple[Expr, Expr] = field(kw_only=True)

    @property
    def rest(self) -> Rest:
        """How the variances settle."""
        return self.layer.rest(self.map, self.variances, self.first, self.bits)

    @property
    def settled(self) -> int:
        """n_0."""
        return self.rest.layer

    def theorem(self, theorem: AbelTheorem, layer: int) -> "SettledTheorem":
        """That of the scalar map, for this orbit from a layer on."""
        if layer < self.settled:
            raise Refused(f"the variances settle in layer {self.settled} only")
        with working(self.bits):
            return SettledTheorem(theorem, self.t(layer), self.rest, layer)

    def _entered(self, x: BallInterval) -> BallInterval:
        ends = [end if end.is_zero() else self.map.rooted(end) for end in (x.low, x.high)]
        return BallInterval.thin(ends[0]) if x.is_thin else BallInterval(*ends)

    def _following(self, t: BallInterval, a: BallInterval | None, known: Mapping[Symbol, arb]) -> tuple:
        layer = self.first + len(self._layers) - 1
        if layer < self.settled:
            return self._entered(self._own(t, layer)), a
        following, a = super()._following(t, a, known)
        error = arb(0, self.rest.error(layer, t.upper**self.map.root))
        gaps = [end**self.map.root + error for end in (following.low, following.high)]
        return self._entered(BallInterval.thin(gaps[0]) if t.is_thin else BallInterval(*gaps)), a

    def _own(self, t: BallInterval, layer: int) -> BallInterval:
        """The gap after the layer of the two inputs."""
        _, weight, bias = self.layer.numbers(self.map, self.bits)
        place = layer - self.first
        one, two = self.rest.variances[place + 1]
        program, parameters = self.layer.expected(self.map, *self.rest.variances[place])
        gaps = [end**self.map.root for end in (t.low, t.high)]
        c = BallInterval.thin(1 - gaps[0]) if t.is_thin else BallInterval(1 - gaps[1], 1 - gaps[0])
        found = image(program, c, parameters)
        ends = [1 - (bias + weight * end) / (one * two).sqrt() for end in (found.high, found.low)]
        return BallInterval.thin(ends[0]) if t.is_thin else BallInterval(*ends)


class SettledTheorem(AbelTheorem):
    """The theorem along an orbit whose variances are within Y of q in layer n_0 (see the module).

    n0, y, b, first, second, eta_0, theta: the figures of the lemma;  left: Lambda eta_0/(1 - theta).
    """

    def __init__(self, theorem: AbelTheorem, t: BallInterval, rest: Rest, layer: int):
        vars(self).update(vars(theorem))
        self.layer, self.rest, self.y = layer, rest, rest.distance(layer)
        m, share = self.order, arb(self.map.root) / self.order
        top, low = self.inside(t.upper), t.low.lower()
        slow, fast = theorem.rate(top), self.region.over(self.series.rate, self.rate_bound, top)
        if not low > 0:
            raise Refused("the orbit cannot be shown to stay on its side of the fixed point")
        high, self.eta = low**-m + fast, (slow / LOSS).lower()
        delta = rest.first * (1 + top**m * fast) ** share * self.y + rest.second * self.y**2 * high**share
        if not delta < 1:
            raise Refused(f"the variances are still too far from q in layer {layer}")
        self.eta_0 = (high * (-(-delta).log1p() / share).expm1()).upper()
        self.theta = (rest.b * (1 + (fast + self.eta) / (top**-m + fast)) ** (1 + share)).upper()
        if not (self.eta_0 <= self.eta and self.theta < 1):
            raise Refused(f"the variances are still too far from q in layer {layer}")
        self.left = (self.series.steepness(top) / m * self.eta_0 / (1 - self.theta)).upper()

    def rate(self, t: arb) -> arb:
        """a' - eta."""
        found = (super().rate(t) - self.eta).lower()
        if not found > 0:
            raise Refused(f"the orbit cannot be shown to fall from t = {t.str(6, radius=False)} on")
        return found

    def error(self, t: arb) -> arb:
        """E(t) with what is left of the variances."""
        return (super().error(t) + self.left).upper()

    @property
    def figures(self) -> dict[str, arb]:
        """Of the lemma, upper ends."""
        rest = self.rest
        return {"Y": self.y, "b": rest.b, "L_1": rest.first, "L_2": rest.second, "eta_0": self.eta_0,
                "theta": self.theta}  # fmt: skip
