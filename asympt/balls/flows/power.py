"""The theorem for steps like a power: x_l = x_(l-1) - delta_l h(x_(l-1)), delta_l = a/(l^kappa + b), 0 < kappa < 1.

Rule.  T(x_l) = clock(l) + C and k_l = P(x_l) up to what single layers add.  delta is completely monotone in l, since
b >= 0, so Euler and Maclaurin's sums enclose, and

    sum_(j <= l) delta_j = clock(l) + const + r_l,      0 <= r_l <= delta_l/2.

A layer adds delta^2 |h'|/(2 (1 - delta eta)) at most to T beyond delta, |h'| <= N/T, and T >= tau l^(1-kappa)
from a layer n on; so all later layers add

    sum_(j > l) ... <= a^2 N/(2 (1 - delta eta) tau kappa) (1 + 1/n)^(1-kappa) l^-kappa,

and at least the same with lower bounds of h' T, 1/T and delta: T(x_l) = clock(l) + C + e_l, e_l l^kappa in a ball.  For
w = k - P the quotient u = w/h moves in a layer by at most nu |u| + beta (`theorem`), where sum nu = O(1/n) and
beta <= c j^(psi-1), psi = chi - kappa, chi = (1 - kappa) k/m.  Hence |w_l| <= h V (|u_n| + c sum j^(psi-1)), which is
like l^-kappa, or l^-chi where that is larger, with a logarithm between.  D h is not told from its error.

Tiny case.  h = x^2, delta_l = l^(-1/2), T = 1/x: 1/x_l = 2 sqrt(l) + C + e_l, e_l sqrt(l) -> -1/2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flint import acb, arb, arb_series
from sympy import Expr, Rational, bernoulli

from asympt.balls.arithmetic import Refused, between, coefficients, exact_rational, working
from asympt.balls.expression import number
from asympt.balls.flows.theorem import DriftMap, FlowTheorem, t_log_t

PLAIN = 2000  # layers whose steps are added one by one
SUMMED, TERMS = 64, 16  # layers added one by one, and terms of Euler and Maclaurin's sum, where their constant is read


class PowerClock:
    """The steps a/(l^kappa + b) and the integral of them that has no constant term at infinity.

    >>> clock = PowerClock(arb(3), arb(3), Rational(1, 2))
    >>> abs(clock.at(arb(4).log()) - 6 * (2 - 3 * arb(5).log())) < 1e-10  # int 3/(sqrt(v) + 3)
    True
    """

    def __init__(self, weight: arb, shift: arb, exponent: Rational):
        self.a, self.b, self.exponent = weight, shift, exponent
        self.kappa = exact_rational(exponent)
        if not (shift.is_zero() or shift > 0):
            raise Refused("the steps a/(l^kappa + b) have a negative b, for which nothing is proved")

    def step(self, layer: int) -> arb:
        """delta."""
        return self.a / (arb(layer) ** self.kappa + self.b)

    def at(self, depth: arb) -> arb:
        """At log l = depth; the clock grows."""
        if depth.rad().is_zero():
            return self._at(depth)
        return between(self._at(depth.lower()), self._at(depth.upper()))

    def _at(self, depth: arb) -> arb:
        """With u = l^(1/q): int a q u^(q-1)/(u^p + b) du, powers of u and sum c log(u - u_0) over u_0^p = -b."""
        p, q = int(self.exponent.p), int(self.exponent.q)
        u, rest, factor, total = (depth / q).exp(), q - 1, self.a * q, arb(0)
        while rest >= p:
            total += factor * u ** (rest - p + 1) / (rest - p + 1)
            factor, rest = -factor * self.b, rest - p
        if factor.is_zero():
            return total
        roots = [self.b.root(p) * (acb(0, 1) * arb.pi() * (2 * j + 1) / p).exp() for j in range(p)]
        logs = sum((w ** (rest + 1 - p) * (1 - w / u).log() for w in roots), acb(0)).real / p
        return total + factor * (logs + (depth / q if rest + 1 == p else 0))

    def pace(self, depth: arb) -> arb:
        """d clock/d log l."""
        return self.a / ((depth * (self.kappa - 1)).exp() + self.b * (-depth).exp())

    def left(self, layer: int, terms: int = 1) -> arb:
        """r_l = delta/2 + delta'/12 - delta'''/720 + ..., between two sums of so many terms and one more."""
        jet = arb_series([layer, 1], prec=2 * terms + 2)
        power = (jet.log() * self.kappa).exp()
        found = coefficients(self.a / (power + self.b), 2 * terms + 2)
        sizes = [exact_rational(bernoulli(2 * n) / (2 * n)) * found[2 * n - 1] for n in range(1, terms + 1)]
        whole = found[0] / 2 + sum(sizes[:-1], arb(0))
        return between(whole, whole + sizes[-1])

    def constant(self, first: int) -> arb:
        """sum_(first < j <= l) delta_j - clock(l) for l -> oo."""
        last = first + SUMMED
        total = sum((self.step(layer) for layer in range(first + 1, last + 1)), arb(0))
        return total - self.at(arb(last).log()) - self.left(last, TERMS)

    def summed(self, first: int, layer: int) -> arb:
        """sum_(first < j <= layer) delta_j."""
        if layer <= first + PLAIN:
            return sum((self.step(j) for j in range(first + 1, layer + 1)), arb(0))
        return self.constant(first) + self.at(arb(layer).log()) + self.left(layer, TERMS)

    def beyond(self, depth: arb, count: int) -> arb:
        """A bound of what the clock has beyond its first `count` powers of l, times l^kappa, from log l = depth on."""
        small = (self.b * (-self.kappa * depth).exp()).upper()
        if self.b.is_zero():
            return arb(0)
        power = (count + 1) * self.exponent - 1
        if not (small < 1 and power >= self.exponent):
            raise Refused("the powers of l of which the clock consists do not converge at this depth")
        return (self.a * self.b**count / (exact_rational(power) * (1 - small))).upper()


@lru_cache(maxsize=64)
def sum_constant(weight: Expr, shift: Expr, exponent: Rational, first: int, bits: int) -> arb:
    """lim sum_(first < j <= l) delta_j - clock(l), of numbers that need no parameters."""
    with working(bits, 2 * TERMS + 4):
        return PowerClock(number(weight, {}), number(shift, {}), exponent).constant(first)


@dataclass(frozen=True)
class Growth:
    """From layer n on: low l^(1-kappa) <= T <= high l^(1-kappa), bottom <= t^m T <= top, delta >= least l^-kappa.

    damping: 1 - delta eta.
    """

    low: arb
    high: arb
    bottom: arb
    top: arb
    least: arb
    damping: arb


class PowerTheorem(FlowTheorem):
    """T, and with o P and h, in the disc |t| <= radius."""

    def __init__(self, map_: DriftMap, count: int, radius: arb, bits: int):
        self.exponent = map_.exponent
        super().__init__(map_, count, radius, bits)

    @cached_property
    def steps(self) -> PowerClock:
        """Their clock."""
        return PowerClock(self.a, self.shift, self.exponent)

    @property
    def kappa(self) -> arb:
        """The power of the steps."""
        return self.steps.kappa

    @property
    def lead(self) -> arb:
        """a/(1 - kappa)."""
        return self.a / (1 - self.kappa)

    def clock(self, depth: arb) -> arb:
        """At log l = depth."""
        return self.steps.at(depth)

    def pace(self, depth: arb) -> arb:
        """Its derivative."""
        return self.steps.pace(depth)

    def next_step(self, layer: int) -> arb:
        """delta after the layer."""
        return self.steps.step(layer + 1)

    # ---- T ------------------------------------------------------------------------------------------------

    def growth(self, layer: int, t: arb, low: arb) -> Growth:
        """Of orbits between low (in x) and t in that layer."""
        t, n, one = self.inside(t), arb(layer), 1 - self.kappa
        damping = self.damping(layer, t)
        share = self.next_step(layer) * self.steepest(t) / (2 * damping)
        size, small = n**one, n**-self.kappa
        step = (self.a / (1 + self.steps.b * small)).lower()
        least = ((1 - share) * step / one).min((self.time(t) - self.a * small) / size).lower()
        if not least > 0:
            raise Refused(f"the flow time is not seen to have grown like the clock at layer {layer}; begin deeper")
        smallest = low.lower() if self.root == 1 else low.lower().root(self.root)
        most = ((1 + share) * self.a / one).max(self.time(smallest) / size).upper()
        waves = abs(self.time_log) * t ** (self.m - 1) * t_log_t(t)
        top = (self.time_terms.sup(t) + waves).upper()
        return Growth(least, most, 1 / self.inverse_over_time(t), top, step, damping)

    def later(self, layer: int, t: arb, low: arb) -> arb:
        """A ball of what the layers after l add to T beyond their steps, times l^kappa, for every l >= layer."""
        t, more = self.inside(t), 1 + arb(1) / layer
        found = self.growth(layer, t, low)
        most = self.a**2 * self.sloped.sup(t) * found.top / (2 * found.damping * found.low * self.kappa)
        most = (most * more ** (1 - self.kappa)).upper()
        slope = 2 * self.sloped.known[0] - self.sloped.sup(t)
        if not slope > 0:
            return arb(0, most)
        nearest = (1 - self.share(layer, t)) ** exact_rational(Rational(self.m, self.root))  # h' there over h' at x
        least = found.least**2 * slope * nearest * found.bottom / (2 * found.high * self.kappa)
        return between((least * more**-self.kappa).lower(), most)

    def connection(self, layer: int, ends: Sequence[arb], low: arb) -> arb:
        """C of the orbits between two t in that layer, low being their least x."""
        later = self.later(layer, ends[-1], low) * arb(layer) ** -self.kappa
        return between(*(self.time(t) for t in ends)) - self.clock(arb(layer).log()) - self.steps.left(layer) + later

    def error(self, layer: int, t: arb, low: arb) -> arb:
        """A ball of (T(x_l) - clock(l) - C) l^kappa for all l >= layer."""
        least = self.growth(layer, t, low).least / 2 - self.a * self.kappa / (12 * layer)
        return between(least, self.a / 2) - self.later(layer, t, low)

    # ---- k - P --------------------------------------------------------------------------------------------

    @property
    def homogeneous_fall(self) -> Rational:
        """chi: h falls like l^-chi."""
        return (1 - self.exponent) * Rational(self.k, self.m)

    def kernel_fall(self) -> tuple[Rational, int]:
        """(mu, b) with k - P = O(l^-mu log(l)^b)."""
        chi = self.homogeneous_fall
        return min(chi, self.exponent), int(chi == self.exponent)

    def kernel_bound(self, layer: int, t: arb, low: arb, k: arb) -> arb:
        """K of orbits that are at t with k in that layer; low: their least x."""
        found, n = self.growth(layer, t, low), arb(layer)
        u = abs((k - self.particular_at(t)) / self.drift(t)).upper()
        t = self.inside(t)
        bent, waves = self.sources(layer, t)
        nu = self.a**2 * bent / t ** (2 * self.m) * found.top**2 / (2 * found.damping**2 * found.low**2)
        stretch = (nu * (1 + 1 / n) ** (2 * (1 - self.kappa)) / n).exp()
        power = exact_rational(Rational(self.root, self.m))
        inverse = (found.high / found.bottom) ** power  # 1/x over l^((1-kappa) root/m)
        c = self.a**2 * waves * inverse / (2 * found.damping**2 * (1 - self.share(layer, t)))
        top = self.shape.sup(t) * (found.top / found.low) ** exact_rational(Rational(self.k, self.m))
        return (top * stretch * self._summed(n, u, c)).upper()

    def _summed(self, n: arb, u: arb, c: arb) -> arb:
        """(u + c sum_(n < j <= l) j^(psi-1)) l^-chi over l^-mu log(l)^b, for all l >= n."""
        psi = self.homogeneous_fall - self.exponent
        size = exact_rational(psi)
        if psi > 0:
            return u * n**-size + c * (1 + 1 / n) ** size.max(arb(1)) / size
        return u / n.log() + c if psi == 0 else u + c * n**size / -size
