"""Two inputs whose variances still settle: their own layers, then the scalar map with an error that shrinks.

With u = q_l - q, v = q'_l - q, |u|, |v| <= Y on a region where V' is at most b < 1, gamma' = g(gamma) up to
L_1 gamma Y + L_2 Y^2,

    L_1 = 2 sup sqrt(q q'/(V V')) sigma_w^2 {sqrt(E[phi''^2 Z^2] E[phi'^2])/(2 sqrt q) + E[phi'^2] |1/(2q) - V'/(2V)|},
    L_2 = sigma_w^2 sup E[phi'^2 Z^2]/(2 inf q inf V).

The lemma (docs/bounds.md): where t^-m grows by a' to a'' in a scalar layer and w_0 = t^-m in layer n_0, put

    Delta = L_1 (t/t')^r Y + L_2 Y^2 (w_0 + a'')^(r/m),            eta_0 = (w_0 + a'')((1 - Delta)^(-m/r) - 1),
    theta = b (1 + (a'' + eta)/(w_0 + a''))^(1 + r/m),             eta_0 <= eta < a', Delta < 1, theta < 1:

t_l falls to 0, C = lim A_N(t_l) - l, and A_N(t_l) - l - C has, beside its scalar bound with a' - eta for a', an error
Lambda eta_0 theta^(l - n_0)/(1 - theta), m Lambda a bound of |t^(m+1) A_N'|.  K/q has lambda and b up to L_3 Y besides,

    L_3 = max(2 sigma_w^2 sup sqrt(E[phi''^2 Z^2] E[phi'^2])/(2 sqrt q), 1/inf q),

and what that and eta_0 do to (K/q - P_N)/H_N is summed in the same way (`SettledLinear`).

Norms in intervals: all pairs of narrow pieces are followed until all have settled, and from there their hull.  As
1 - c >= 0 at c = 1, a layer leaves at least (slope of the map) (1 - c), so no hull reaches 0 by its width.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import flint
from flint import arb, arb_poly
from sympy import Expr, Rational, S, Symbol, Tuple

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import Refused, between, decimal_above, largest, magnitude, majorant, whole_power, working
from asympt.balls.expression import number, program_of
from asympt.balls.kernel import CorrelationBallMap, KernelMap
from asympt.balls.linear import LinearTheorem
from asympt.balls.moments import BallMoments, Q, moved
from asympt.balls.orbit import BallInterval, BallOrbit, hull, image
from asympt.deadline import check_time

SHARE = 0.5  # of the bits, to which the variances settle in their own layers
MOST = 20_000  # of these layers
LOSS = 1024  # a'/eta
NARROW = Rational(1, 8)  # the widest interval of variances that is followed as a ball, of its lower end or of 2
NEAR, ORDERS = arb(2) ** -8, 32  # how near to q, relatively, expectations are moved there, and by how many derivatives
CLOSE = NEAR**4  # where the bounds of the lemma are taken


@dataclass(frozen=True)
class SettlingRest:
    """From n_0 = `layer` on |q_l - q| <= y b^(l - n_0), with L_1 to L_3; the variances up to the layer after it."""

    variances: list[tuple[arb, arb]]
    layer: int
    y: arb
    b: arb
    first: arb
    second: arb
    third: arb = field(default_factory=arb)

    def distance(self, layer: int) -> arb:
        """Y in a layer from n_0 on."""
        return (self.y * self.b ** (layer - self.layer)).upper()

    def error(self, layer: int, gap: arb) -> arb:
        """How much gamma' may differ from g(gamma)."""
        y = self.distance(layer)
        return (self.first * gap * y + self.second * y**2).upper()


def ball_of(value: Expr | Tuple) -> arb:
    """A number, or what lies between two."""
    return between(*map(number, value)) if isinstance(value, Tuple) else number(value)


def pieces(value: Expr | Tuple) -> list[Expr | Tuple]:
    """Narrow parts of an interval; a number alone."""
    if not isinstance(value, Tuple) or value[1] - value[0] <= NARROW * min(value[0], 2):
        return [value]
    middle = sum(value) / 2
    return [*pieces(Tuple(value[0], middle)), *pieces(Tuple(middle, value[1]))]


class SettlingLayer:
    """What moves beside the gap: `centre`, where it settles and in which unit; `onward`; `bounds`: b, L_1, L_2, L_3.

    shows: what a proof with it says, in one line.
    """

    settling = "the variances"
    shows = "|q_l - q|, |q'_l - q| <= Y b^(l - l_1), gamma' = g(gamma) up to L_1 gamma Y + L_2 Y^2 from n0 on"

    @lru_cache(maxsize=16)  # noqa: B019, one for all gaps, or precisions, of a start
    def rest(self, map_, starts: tuple[Expr, ...], first: int, bits: int) -> SettlingRest:
        """The layers until all have settled to half of the bits, and one more, of which the bounds must be true."""
        with working(bits):
            (centre, unit), goal = self.centre(map_, bits), arb(2) ** -int(SHARE * bits)
            found = [tuple(map(ball_of, starts))]
            while not (y := largest(abs(p - centre) for p in found[-1])) < goal * unit:
                check_time()
                if len(found) > MOST:
                    raise Refused(f"{self.settling} have not settled to {float(goal):.1g} after {MOST} layers")
                found.append(self.onward(map_, found[-1], bits))
            found.append(self.onward(map_, found[-1], bits))
            rest = SettlingRest(found, first + len(found) - 2, y, *self.bounds(map_, y, bits))
            if any(abs(p - centre).lower() > rest.distance(rest.layer + 1) for p in found[-1]):
                raise Refused(f"{self.settling} do not settle at the rate {rest.b.str(6)}: a layer contradicts it")
            return rest


@dataclass(frozen=True, eq=False)
class PairLayer(SettlingLayer):
    """A layer of two inputs: q, sigma_w^2 and sigma_b^2 as expressions in what a map knows.

    squares: (j, q) -> E[phi^(j)^2] without deltas and its derivative in q, as balls;
    kernel: E[phi phi] as a formula in c and the two variances, and the three symbols; None: by Hermite sums of the map.
    """

    variance: Expr
    weight: Expr
    bias: Expr
    squares: Callable[[int, arb], tuple[arb, arb]]
    kernel: tuple[Expr, Symbol, Symbol, Symbol] | None

    @lru_cache(maxsize=4)  # noqa: B019
    def numbers(self, map_, bits: int) -> tuple[arb, arb, arb]:
        """q, sigma_w^2 and sigma_b^2."""
        with working(bits):
            known = map_.known(bits)
            return tuple(number(value, known) for value in (self.variance, self.weight, self.bias))

    @lru_cache(maxsize=1024)  # noqa: B019, one for all correlations
    def expected(self, map_, starts: tuple[Expr, Expr], first: int, layer: int, bits: int) -> tuple:
        """E[phi phi] in a layer as a function of c, and its parameters."""
        variances = self.rest(map_, starts, first, bits).variances[layer - first]
        if self.kernel is None:
            home = self._side(map_, self.numbers(map_, bits)[0], bits)
            sides = [self._side(map_, q, bits, home) for q in variances]
            return HermitePair.of(map_, self.numbers(map_, bits), *sides, home), {}
        formula, c, *names = self.kernel
        return program_of(formula, c, True), dict(zip(names, variances, strict=True))

    def _side(self, map_, q: arb, bits: int, home: "HermiteSide | None" = None) -> "HermiteSide":
        (middle, table, size), settled = self._table(map_, bits), self.numbers(map_, bits)[0]
        near = abs(q - middle) < NEAR * middle
        means = moved(table, middle, q, map_.hermite, size) if near else map_.hermite_means(q, map_.hermite)
        left = _norm(self.squares(0, q)[0] - sum((a * a for a in means), arb(0)))
        bent = _norm(q * self.squares(1, q)[0] - sum((k * a * a for k, a in enumerate(means)), arb(0)))
        if home is None:
            return HermiteSide(means, left, bent, arb(0), arb(0))
        apart, turned = left + home.left, bent + home.bent
        if near:
            (m1, own), (m2, other) = (self.squares(j, near_q := q.union(settled)) for j in (1, 2))
            moves = abs(q - settled).upper() ** 2
            squares = [(a - b) * (a - b) for a, b in zip(means, home.means, strict=True)]
            apart = apart.min(_norm(moves * (m1 + 2 * near_q * own) / (4 * near_q) - sum(squares, arb(0))))
            kept = sum((k * square for k, square in enumerate(squares)), arb(0))
            turned = turned.min(_norm(moves * (m1 / near_q + m2 + 2 * near_q * other) / 2 - kept))
        return HermiteSide(means, left, bent, apart.upper(), turned.upper())

    @lru_cache(maxsize=4)  # noqa: B019
    def _table(self, map_, bits: int) -> tuple[arb, list[arb], arb]:
        """The middle of q, a_k there, and a bound of E[phi^2]^(1/2) near it."""
        middle = self.numbers(map_, bits)[0].mid()
        size = self.squares(0, middle * arb(1, NEAR))[0].sqrt()
        return middle, map_.hermite_means(middle, map_.hermite + 2 * ORDERS), size.upper()

    def centre(self, map_, bits: int) -> tuple[arb, arb]:
        """q, twice."""
        return (self.numbers(map_, bits)[0],) * 2

    def onward(self, map_, variances: tuple[arb, ...], bits: int) -> tuple[arb, ...]:
        """V of each, by the mean value form; of a wide one, in pieces."""
        _, weight, bias = self.numbers(map_, bits)

        def image_of(q: arb) -> arb:
            if q > 0 and q.rad() > NEAR * q.mid():
                halves = between(q.lower(), q.mid()), between(q.mid(), q.upper())
                return image_of(halves[0]).union(image_of(halves[1]))
            return bias + weight * (self.squares(0, q.mid())[0] + self.squares(0, q)[1] * (q - q.mid()))

        return tuple(map(image_of, variances))

    def bounds(self, map_, y: arb, bits: int) -> tuple[arb, arb, arb, arb]:
        """b and L_1 to L_3 for all variances within y of q."""
        q, weight, bias = self.numbers(map_, bits)
        q = q + arb(0, y)
        (m0, rate), (m1, own), (m2, other) = (self.squares(j, q) for j in range(3))
        variance, slope, squared = bias + weight * m0, weight * rate, m1 + 2 * q * own
        if not (abs(slope) < 1 and variance > 0):
            raise Refused(f"V'(q) = {slope.str(6)} is not shown to be below 1, so variances do not settle there")
        bent = ((m2 + 2 * q * other) * m1).sqrt() / (2 * q.sqrt())
        turned = m1 * abs(1 / (2 * q) - slope / (2 * variance))
        second, third = weight * squared / (2 * q.lower() * variance.lower()), (2 * weight * bent).upper()
        first = 2 * q / variance * weight * (bent + turned)
        return abs(slope).upper(), first.upper(), second.upper(), third.max((1 / q).upper())


class HermiteSide(NamedTuple):
    """a_k of one variance for k < K; norms of the others, and of the differences from a_k(q): weights 1 and k."""

    means: list[arb]
    left: arb
    bent: arb
    apart: arb
    turned: arb


def _norm(square: arb) -> arb:
    return square.upper().max(arb(0)).sqrt().upper()


@dataclass(frozen=True, eq=False)
class HermitePair:
    """E[phi phi] at q, by the correlation map, sum (a_k a'_k - a_k(q)^2) c^k, and what is left: at most |c|^K `left`.

    bent: the same for the derivative.
    """

    map: CorrelationBallMap
    numbers: tuple[arb, arb, arb]
    known: arb_poly
    left: arb
    bent: arb

    @classmethod
    def of(cls, map_, numbers: tuple, one: HermiteSide, two: HermiteSide, home: HermiteSide) -> "HermitePair":
        means = zip(one.means, two.means, home.means, strict=True)
        left = one.apart * two.left + home.left * two.apart
        bent = one.turned * two.bent + home.bent * two.turned
        return cls(map_, numbers, arb_poly([a * b - own * own for a, b, own in means]), left, bent)

    def value(self, c: arb, parameters: Mapping | None = None) -> arb:
        q, weight, bias = self.numbers
        settled = (q * (1 - self.map.program.value(self._uniformiser(c))) - bias) / weight
        return settled + self.known(c) + self._beyond(self.left, c, 0)

    def slope(self, c: arb, parameters: Mapping | None = None) -> arb:
        settled = self.numbers[0] * self.map.tangents.multiplier.value(self._uniformiser(c)) / self.numbers[1]
        return settled + self.known.derivative()(c) + self._beyond(self.bent, c, 1)

    def _uniformiser(self, c: arb) -> arb:
        ends = (1 - c).lower(), (1 - c).upper()
        return between(*(self.map.rooted(end) if end > 0 else arb(0) for end in ends))

    def _beyond(self, left: arb, c: arb, d: int) -> arb:
        return arb(0, (left * whole_power(abs(c).upper(), len(self.known) - d)).upper())


@dataclass(frozen=True, eq=False)
class NodeSquares:
    """E[phi^(j)^2] and its derivative of a smooth phi by its nodes: near q by one table, for j > 0 of all of that.

    centre: the map, whose q it is.
    """

    centre: KernelMap

    def __call__(self, j: int, q: arb) -> tuple[arb, arb]:
        middle, means, size = self._table(flint.ctx.prec)
        if not abs(q - middle) < NEAR * middle:
            return self._by_nodes(j, q)
        if j:
            return self._derivatives(flint.ctx.prec, abs(q - middle) < CLOSE * middle)[j - 1]
        square, _, second = moved(means, middle, q, 3, size)
        return square, second / (arb(2).sqrt() * q)

    def _by_nodes(self, j: int, q: arb) -> tuple[arb, arb]:
        found = BallMoments(self.centre.phi, self.centre.variable, q, flint.ctx.prec, j + 2)
        return found.square(j, j), found.rate(j)

    @lru_cache(maxsize=4)  # noqa: B019
    def _table(self, bits: int) -> tuple:
        """The middle of q, E[phi^2 He_k]/sqrt(k!) there, and near it a bound of E[phi^4]^(1/2)."""
        middle, square = self.centre.parameters(bits)[Q].mid(), self.centre.phi**2
        own, near = (BallMoments(square, self.centre.variable, q, bits, 0) for q in (middle, middle * arb(1, NEAR)))
        means = own.hermite(3 + 2 * ORDERS)
        return middle, means, near.square(0, 0).sqrt().upper()

    @lru_cache(maxsize=4)  # noqa: B019
    def _derivatives(self, bits: int, close: bool) -> list[tuple[arb, arb]]:
        """E[phi'^2], E[phi''^2] and their derivatives everywhere near q, where a ball for q is wide, or close to it."""
        return [self._by_nodes(j, self._table(bits)[0] * arb(1, CLOSE if close else NEAR)) for j in (1, 2)]


@dataclass
class SettlingOrbit(BallOrbit):
    """t_l of two inputs of variances `variances` in the first layer, c^1 in an interval.

    A gap 0 is one like any other where the variances differ.
    """

    layer: PairLayer = field(kw_only=True)
    variances: tuple[Expr, Expr] = field(kw_only=True)
    scale: Expr = field(default=S.One, kw_only=True)

    def __post_init__(self):
        self.is_wide = any(isinstance(value, Tuple) for value in self.variances)

    @property
    def rest(self) -> SettlingRest:
        """How the variances settle."""
        return self.layer.rest(self.map, self.variances, self.first, self.bits)

    @property
    def settled(self) -> int:
        """n_0 + 1: the layer after n_0 is iterated in both ways."""
        return self.rest.layer + 1

    def theorem(self, theorem: AbelTheorem | LinearTheorem, layer: int) -> "SettledTheorem | SettledLinear":
        """That of the scalar map, for this orbit from a layer on."""
        if isinstance(theorem, LinearTheorem):
            return SettledLinear(theorem, self.theorem(theorem.abel, layer))
        if layer < self.settled:
            raise Refused(f"{self.layer.settling} settle in layer {self.settled} only")
        with working(self.bits):
            return SettledTheorem(theorem, self, layer)

    def _entered(self, x: BallInterval) -> BallInterval:
        return BallInterval.of([end if end.is_zero() else self.map.rooted(end) for end in x.ends])

    def _following(self, t: BallInterval, a: BallInterval | None, known: Mapping[Symbol, arb]) -> tuple:
        layer = self.first + len(self._layers) - 1
        if layer < self.rest.layer:
            if len(self._parts) > 1:
                states = zip(*(part._at(layer + 1) for part in self._parts), strict=True)
                return tuple(kept[0] and hull([end for each in kept for end in each.ends]) for kept in states)
            gap, a = self._own(t, a, layer)
            return self._entered(gap), hull(a.ends) if a and self.is_wide else a
        following, after = super()._following(t, a, known)
        error = arb(0, self.rest.error(layer, t.upper**self.map.root))
        gaps = BallInterval.of([end**self.map.root + error for end in following.ends])
        if a is not None:
            after += BallInterval.thin(error + arb(0, self.rest.third * self.rest.distance(layer) * (1 + abs(a.ball))))
        if layer < self.settled:
            own, other = self._own(t, a, layer)
            if not (own.low.overlaps(gaps.low) and own.high.overlaps(gaps.high)):
                raise Refused(f"the bounds of what variances do to the gap contradict layer {layer + 1}")
            if a is not None and not after.ball.overlaps(other.ball):
                raise Refused(f"the bounds of what variances do to the kernel contradict layer {layer + 1}")
        return self._entered(gaps), after

    @cached_property
    def _parts(self) -> "list[SettlingOrbit]":
        """The orbits of narrow norms, followed until the variances of all have settled."""
        cut = [pieces(value) for value in self.variances]
        pairs = list(combinations_with_replacement(cut[0], 2) if len(cut) == 2 and cut[0] == cut[1] else product(*cut))
        if len(pairs) == 1:
            return [self]
        found = [replace(self, variances=pair, _layers=[]) for pair in pairs]
        for part in found:
            part._at(self.rest.layer)
        return found

    def _start(self, known: Mapping[Symbol, arb]) -> tuple:
        begun = zip(self.layer.kernel[2:], map(ball_of, self.variances), strict=True) if self.is_wide else ()
        return super()._start({**known, **dict(begun)})

    def _begun(self, x: Symbol) -> Expr:
        return self.scale * super()._begun(x)

    def _own(self, t: BallInterval, a: BallInterval | None, layer: int) -> tuple[BallInterval, BallInterval | None]:
        """The gap, and K/q, after the layer of the two inputs."""
        q, weight, bias = self.layer.numbers(self.map, self.bits)
        (before, other), (one, two) = self.rest.variances[layer - self.first :][:2]
        program, parameters = self.layer.expected(self.map, self.variances, self.first, layer, self.bits)
        c = BallInterval.of([1 - end**self.map.root for end in reversed(t.ends)])
        found = [bias + weight * end for end in image(program, c, parameters).ends]
        if a is not None:
            slope = weight * program.slope(c.ball, parameters) / (before * other).sqrt()
            a = (BallInterval.thin(slope) if t.is_thin else hull([slope])) * a
            a += BallInterval.of([end / q for end in found])
        size = (one * two).sqrt()
        gaps = [1 - end / size for end in reversed(found)]
        if self.is_wide and layer < self.rest.layer:
            gaps = [gaps[0].lower(), gaps[-1].upper()]
            if program.slope(c.ball, parameters) >= 0:  # 1 - c is not negative at c = 1, and grows with 1 - c before
                near = t.low.lower() ** self.map.root
                fallen = weight * program.slope(between(1 - near, arb(1)), parameters) / size * near
                gaps[0] = gaps[0].max(fallen.lower())
        return BallInterval.of(gaps), a


class SettledTheorem(AbelTheorem):
    """The theorem along an orbit whose variances are within Y of q in layer n_0 (see the module).

    y, eta_0, theta: of the lemma, whose n_0 is `layer`;  left: Lambda eta_0/(1 - theta);
    high, growth: V_0 = w_0 + a'' and a bound of V_(k+1)/V_k, where t_(n_0+k)^-m <= V_k.
    """

    def __init__(self, theorem: AbelTheorem, orbit: SettlingOrbit, layer: int):
        vars(self).update(vars(theorem))
        t, rest, self.shows = orbit.t(layer), orbit.rest, orbit.layer.shows
        self.layer, self.rest, self.y = layer, rest, rest.distance(layer)
        m, share = self.order, arb(self.map.root) / self.order
        top, low = self.inside(t.upper), t.low.lower()
        slow, fast = theorem.rate(top), theorem.fastest(top)
        if not low > 0:
            raise Refused("the orbit cannot be shown to stay on its side of the fixed point")
        self.top, self.high, self.eta = top, (low**-m + fast).upper(), (slow / LOSS).lower()
        self.growth = 1 + (fast + self.eta) / (top**-m + fast)
        delta = rest.first * (1 + top**m * fast) ** share * self.y + rest.second * self.y**2 * self.high**share
        far = f"{orbit.layer.settling} have not settled enough in layer {layer}; begin at a deeper one"
        if not delta < 1:
            raise Refused(far)
        self.eta_0 = (self.high * (-(-delta).log1p() / share).expm1()).upper()
        self.theta = (rest.b * self.growth ** (1 + share)).upper()
        if not (self.eta_0 <= self.eta and self.theta < 1):
            raise Refused(far)
        self.left = (self.series.steepness(top) / m * self.eta_0 / (1 - self.theta)).upper()

    def rate(self, t: arb) -> arb:
        """a' - eta."""
        found = (super().rate(t) - self.eta).lower()
        if not found > 0:
            raise Refused(f"the orbit cannot be shown to fall from t = {t.str(6, radius=False)} on")
        return found

    def fastest(self, t: arb) -> arb:
        """a'' + eta."""
        return super().fastest(t) + self.eta

    def error_factor(self, t: arb) -> arb:
        """With what is left of the variances."""
        return (super().error_factor(t) + self.late(self.left, self.theta, self.first - self.order)).upper()

    def late(self, size: arb, theta: arb, power: int) -> arb:
        """B with size theta^k <= B t_l^power in every layer l = n_0 + k."""
        share = arb(power) / self.order
        if not theta * self.growth**share <= 1:
            raise Refused("the variances settle too slowly against the remainder; begin at a deeper layer")
        return size * self.high**share

    @property
    def figures(self) -> dict[str, dict[str, str]]:
        """The lemma's, rounded up; Y and eta_0 in layer l_1."""
        rest = self.rest
        found = {"Y": self.y, "b": rest.b, "L_1": rest.first, "L_2": rest.second, "eta_0": self.eta_0,
                 "theta": self.theta}  # fmt: skip
        rounded = {name: str(decimal_above(value, 6)) for name, value in found.items()}
        return {"transient": {"n0": str(rest.layer), **rounded}}


class SettledLinear(LinearTheorem):
    """D_l = (a_l - P_N)/H_N along an orbit whose variances settle: D_(l+1) = (1 + e_l) D_l + rho_l.

    Beside what the scalar recursion has, from n_0 on, k layers further,

        |log(1 + e_l)| <= (Lambda_H eta_0 - log(1 - z)) theta^k,         z = L_3 Y sup 1/lambda,
        |rho_l H_N| <= (Lambda_P eta_0 + L_3 Y |P_N| + L_1 gamma Y + L_2 Y^2 + L_3 Y) theta^k,

    Lambda_H, Lambda_P: bounds of |d log H_N/dw| and |dP_N/dw|, w = t^-m.
    turned: sum of the first;  pushed: of rho_l, which shrinks by `rate` a layer.
    """

    def __init__(self, theorem: LinearTheorem, abel: SettledTheorem):
        vars(self).update(vars(theorem))
        self.abel = abel
        m, h, rest, y, s = self.order, self.power, abel.rest, abel.y, theorem.solution
        t, size = abel.top, abs(s.resonance)
        if not (s.resonance.is_zero() or t < 1 / arb(1).exp()):
            raise Refused("the orbit has not come below 1/e, where t log t falls")
        top, beta, p = s.top(t), [(k, k * c) for k, c in s.beta.items()], s.particular.items()
        bent, logs, wave = h + majorant(beta, t), abs(t.log()), size * top * t ** (h + m)
        inverse = top**2 * super().log_error(t).exp() / self._fall(t)  # of lambda = H_N(g)/H_N exp(-e)
        moved = (majorant(((k + m, k * c) for k, c in p), t) + wave * (bent * logs + 1)) / m
        reached = majorant(((k + m, c) for k, c in p), t) + wave * logs  # |P_N| <= reached/t^m
        third = (rest.third * y).upper()
        if not third * inverse < 1:
            raise Refused(f"the variances are still too far from q in layer {abel.layer}")
        self.turned = (t**m * bent / m * abel.eta_0 - (-third * inverse).log1p()) / (1 - abel.theta)
        self.rate = (abel.theta * abel.growth ** (1 + arb(h) / m)).upper()
        if not self.rate < 1:
            raise Refused(f"the variances settle too slowly for the kernel from layer {abel.layer} on")
        pushed = moved * abel.eta_0 + third * (abel.high * reached + 1) + rest.error(abel.layer, t**abel.map.root)
        self.pushed = pushed * top * (abel.high * abel.growth) ** (arb(h) / m) / (1 - self.rate)

    def log_error(self, t: arb) -> arb:
        """A bound of sum |log(1 + e_l)|."""
        return (super().log_error(t) + self.turned).upper()

    def weight_error(self, t: arb) -> arb:
        """G(t), with what is left of the variances."""
        return (super().weight_error(t) + self.log_error(t).exp() * self.pushed).upper()

    def error_factor(self, t: arb, weight: arb) -> tuple[arb, int]:
        """In the layers of the orbit."""
        size, power = super().error_factor(t, weight)
        top, more = self.solution.top(t) * t**self.power, self.log_error(t).exp()
        late = top * more * (magnitude(weight) * self.turned + more * self.pushed)
        return (size + self.abel.late(late, self.rate, power)).upper(), power

    @property
    def figures(self) -> dict[str, dict[str, str]]:
        """L_3, and the rate at which what reaches the kernel shrinks, rounded up."""
        found = {"L_3": self.abel.rest.third, "theta_H": self.rate}
        return {"settling kernel": {name: str(decimal_above(value, 6)) for name, value in found.items()}}


# ---- triangular systems: coordinates w that settle by themselves, then the scalar map with an error that shrinks -----
#
# s' = G(s, w), w' = V(w) with G_w(0, 0) = 0 and V(0) = 0.  In the box 0 <= s <= S, |w_j| <= Y of layer n_0,
#
#     |w'| <= b |w|,  b = sup max_i sum_j |V_ij|,          |G(s, w) - G(s, 0)| <= L_1 s |w| + L_2 |w|^2,
#     L_1 = sup sum_j |G_(s w_j)|,   L_2 = sup sum_ij |G_(w_i w_j)|/2,
#
# so that the lemma holds for w in place of what is left of two variances.
#
# Tiny case.  x' = x - x^2 + x y, y' = y/2: L_1 = 1, L_2 = 0, b = 1/2.


@dataclass(frozen=True, eq=False)
class TriangularMap(SettlingLayer):
    """G and V as expressions in the symbols of (s, w); `reach`: S."""

    state: tuple[Symbol, ...]
    images: tuple[Expr, ...]
    reach: Expr

    settling = "the faster coordinates"
    shows = "|w_l| <= Y b^(l - l_1), s' = g(s) up to L_1 s Y + L_2 Y^2 from n0 on"

    def centre(self, map_, bits: int) -> tuple[arb, arb]:
        """0, in the unit 1."""
        return arb(0), arb(1)

    def onward(self, map_, w: tuple[arb, ...], bits: int) -> tuple[arb, ...]:
        """V(w)."""
        known = dict(zip(self.state[1:], w, strict=True))
        return tuple(number(one, known) for one in self.images[1:])

    def bounds(self, map_, y: arb, bits: int) -> tuple[arb, arb, arb]:
        """b, L_1 and L_2 where no |w_j| is above y."""
        (s, *others), (image_, *rest) = self.state, self.images
        box = {s: between(arb(0), number(self.reach)), **dict.fromkeys(others, arb(0, y))}

        def size(formulas: Iterable[Expr]) -> arb:
            return sum((abs(number(f, box)) for f in formulas), arb(0)).upper()

        b = largest(size(f.diff(w) for w in others) for f in rest)
        if not b < 1:
            raise Refused(f"the faster coordinates are not shown to contract: b = {b.str(6, radius=False)}")
        return b, size(image_.diff(s, w) for w in others), size(image_.diff(v, w) for v in others for w in others) / 2


@dataclass
class SystemOrbit(SettlingOrbit):
    """s_n of one start of a triangular system: `layer` is the map, `variances` what w is at first."""

    layer: TriangularMap = field(kw_only=True)

    def theorem(self, theorem: AbelTheorem, layer: int) -> SettledTheorem:
        """That of the scalar map, for this orbit from a layer on, from which s never grows."""
        self._require_near(self.t(layer))
        return super().theorem(theorem, layer)

    def _following(self, t: BallInterval, a: BallInterval | None, known: Mapping[Symbol, arb]) -> tuple:
        self._require_near(t)
        return super()._following(t, a, known)

    def _require_near(self, t: BallInterval) -> None:
        if not t.upper <= number(self.layer.reach):
            raise Refused(f"s comes to {t.ball.str(6)}, beyond {self.layer.reach}, to which L_1 and L_2 are known")

    def _own(self, t: BallInterval, a: None, layer: int) -> tuple[BallInterval, None]:
        """s after the layer of the system."""
        s, *others = self.layer.state
        w = self.rest.variances[layer - self.first]
        return image(program_of(self.layer.images[0], s), t, dict(zip(others, w, strict=True))), None
