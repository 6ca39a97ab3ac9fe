"""The theorem for a linear recursion a' = lambda(t) a + b(t) along a parabolic orbit: a_l = P_N + D H_N + small.

lambda = 1 - lambda_m t^m + ...; L_N = h log t + sum_(k=1..N) beta_k t^k solves L(t u) - L = log lambda up to a defect,
h = lambda_m/a an exact integer >= 0, and P_N = sum p_k t^k + r H_N log t, H = exp L, its equation.  Summed as in
`abel`, the defects bound |a_l - P_N - D H_N|, and D_l = (a_l - P_N)/H* tends to D (docs/bounds.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from flint import arb, arb_series

from asympt.balls.abel import AbelTheorem, flow_powers
from asympt.balls.arithmetic import Refused, coefficients, eliminated, magnitude, majorant, smallest, working
from asympt.balls.disc import LocalBallMap, cauchy
from asympt.balls.inversion import Bidisc, LogPart, Root, XSeries
from asympt.balls.models import powers_of
from asympt.balls.orbit import LinearAlong

DISCS, STEP = 32, 0.85  # on which H is bounded: how many, and each so much smaller than the one before


@dataclass(frozen=True)
class Solution:
    """beta_k, p_k and r of the formal solutions."""

    power: int
    beta: dict[int, arb]
    particular: dict[int, arb]
    resonance: arb

    def homogeneous(self, t: arb) -> arb:
        """H_N(t)."""
        return t**self.power * sum((c * t**k for k, c in self.beta.items()), arb(0)).exp()

    def at(self, t: arb) -> arb:
        """P_N(t)."""
        logarithm = self.resonance * self.homogeneous(t) * t.log()
        return sum((c * t**k for k, c in self.particular.items()), arb(0)) + logarithm

    def slope(self, t: arb, weight: arb) -> arb:
        """t (P_N + D H_N)'(t)."""
        powers, bent = (sum((k * c * t**k for k, c in row.items()), arb(0)) for row in (self.particular, self.beta))
        logarithm = (self.power + bent) * (weight + self.resonance * t.log())
        return powers + self.homogeneous(t) * (logarithm + self.resonance)

    def top(self, t: arb) -> arb:
        """A bound of |H_N|/|t|^h on |s| <= t."""
        return majorant(self.beta.items(), t).exp()

    def parts(self, root: Root, weight: arb) -> list[LogPart]:
        """X^m a_l without its error, as [F_1, log(l) F_2] (see `inversion`)."""
        log_lead = root.lead.log() / root.m
        homogeneous = self._homogeneous(root)
        one = self._powers(root) + homogeneous * (weight + self.resonance * log_lead)
        one = one + homogeneous * root.logarithm() * self.resonance
        found = [LogPart(0, one, lambda bidisc: self._sup(root, bidisc, weight))]
        if not self.resonance.is_zero():
            two = homogeneous * (-self.resonance / root.m)
            sup = abs(self.resonance) / root.m
            found.append(LogPart(1, two, lambda bidisc: sup * self._sup_homogeneous(root, bidisc)))
        return found

    def _powers(self, root: Root) -> XSeries:
        """X^m sum p_k t^k."""
        total = XSeries.nothing(root.length)
        for k, c in self.particular.items():
            if k + root.m < root.length:
                total = total + (root.power(k) * (c * root.unit**k)).raised(k + root.m)
        return total

    def _homogeneous(self, root: Root) -> XSeries:
        """X^m H_N."""
        inner = XSeries.nothing(root.length)
        for k, c in self.beta.items():
            if k < root.length:
                inner = inner + (root.power(k) * (c * root.unit**k)).raised(k)
        h = self.power
        return (inner.exponential() * root.power(h) * root.unit**h).raised(root.m + h)

    def _sup(self, root: Root, bidisc: Bidisc, weight: arb) -> arb:
        """A bound of |F_1| on the bidisc."""
        m, r, x = root.m, bidisc.r, bidisc.x
        total = arb(0)
        for k, c in self.particular.items():
            total += abs(c) * root.unit**k * (1 + r if k > 0 else 1 - r) ** k * x ** (k + m)
        other = magnitude(weight) + abs(self.resonance) * (abs(root.lead.log()) / m - (1 - r).log())
        return total + other * self._sup_homogeneous(root, bidisc)

    def _sup_homogeneous(self, root: Root, bidisc: Bidisc) -> arb:
        """A bound of |X^m H_N|."""
        t = bidisc.reach(root)
        return bidisc.x**root.m * t**self.power * self.top(t)


class _Solver:
    """The formal solution to t^last, and what is left of its equations, to `count` coefficients."""

    def __init__(self, map_: LocalBallMap, along: LinearAlong, power: int, last: int, bits: int, count: int):
        self.power, self.last, self.order, self.count = power, last, map_.order, count
        self.log_u, self.powers = flow_powers(map_, last, bits, count)
        self.a = -self.log_u[map_.order]
        self.multiplier, self.forcing = (list(map_.series(program, bits, count)) for program in along.programs)

    def solve(self) -> tuple[Solution, dict[str, list[arb]]]:
        """The solution, and the coefficients of e and eta_1 from t^p on."""
        self._require_multiplier()
        beta, left = self._logarithmic()
        particular, resonance, eta = self._particular(beta)
        return Solution(self.power, beta, particular, resonance), {"e": left, "eta": eta}

    def _require_multiplier(self) -> None:
        """Puts in what is exact of lambda: 1, no powers below m, and lambda_m = h a."""
        found, m = self.multiplier, self.order
        exact = {0: arb(1)} | {k: arb(0) for k in range(1, m)}
        for k, value in exact.items():
            if not found[k].contains(value):
                raise Refused(f"the coefficient of t^{k} in the multiplier is {found[k].str(8)} and not {value.str()}")
            found[k] = value
        if not (found[m] + self.power * self.a).contains(0):
            raise Refused(f"the homogeneous solution does not go like t^{self.power}")
        found[m] = -self.power * self.a

    def _logarithmic(self) -> tuple[dict, list[arb]]:
        """beta and the coefficients of e from t^p on."""
        m, count = self.order, self.count
        start = self.log_u * self.power - arb_series(self.multiplier, prec=count).log()
        defect, beta = coefficients(start, count), {}
        defect[m] = arb(0)  # h log u - log lambda: the leading terms cancel exactly
        for k in range(1, self.last + 1):
            row = coefficients(self.powers[k], count)
            row[0] = arb(0)
            beta[k] = eliminated(defect, k, row, m, -k * self.a)
        return beta, defect[self.last + m + 1 : count - 1]

    def _particular(self, beta: dict[int, arb]) -> tuple[dict, arb, list[arb]]:
        """p_k, r, and the coefficients of eta_1 from t^p on."""
        m, h, a, count = self.order, self.power, self.a, self.count
        logarithm = coefficients(self._moved_homogeneous(beta) * self.log_u, count)  # H_N(t u) log(u) / t^h
        defect, found, resonance = [-c for c in self.forcing], {}, arb(0)
        for k in range(-m, self.last + 1):
            if k == h:
                row, lead = logarithm, -a
            else:
                row = [c - s for c, s in zip(coefficients(self.powers[k], count), self.multiplier, strict=True)]
                row[:m], lead = [arb(0)] * m, (h - k) * a
            value = eliminated(defect, k, row, m, lead)
            if k == h:
                resonance = value
            else:
                found[k] = value
        return found, resonance, defect[self.last + m + 1 : count - 2 * m]

    def _moved_homogeneous(self, beta: dict[int, arb]) -> arb_series:
        """H_N(t u)/t^h as a series."""
        inner = self.log_u * self.power
        for k, c in beta.items():
            shift = arb_series([0] * k + coefficients(self.powers[k], self.count - k), prec=self.count)
            inner = inner + shift * c
        return inner.exp()


@lru_cache(maxsize=64)
def solved_along(map_: LocalBallMap, along: LinearAlong, power: int, last: int, bits: int, count: int) -> tuple:
    """The formal solution and its defects, once for all circles."""
    with working(bits, count):
        return _Solver(map_, along, power, last, bits, count).solve()


class LinearTheorem:
    """P_N + D H_N with its bound along the orbits of an `AbelTheorem`.

    power: h, exact.  Raises `Refused` when a hypothesis cannot be proved.
    """

    figures: ClassVar[dict] = {}

    def __init__(self, theorem: AbelTheorem, along: LinearAlong, power: int):
        self.abel, self.along, self.power = theorem, along, power
        self.order, self.last, self.bits = theorem.order, theorem.last, theorem.bits
        if power < 0 or self.last < power:
            raise Refused(f"the homogeneous solution behaves like t^{power}, not like a whole power up to {self.last}")
        self.first = self.last + self.order + 1  # p of e and of eta_1
        self.length = theorem.length
        self.solution, self.defects = solved_along(theorem.map, along, power, self.last, self.bits, self.length)
        self._bound()

    def _bound(self) -> None:
        """Bounds of e and of eta_1 in the region; eta_2 = r lambda H_N (exp(e) - 1) follows.

        In a disc H_N cannot be bounded on the circle: its exponent is a divergent series cut off at t^N, and the
        exponential of that is too large to be of use.  There eta_1 is bounded in two parts: without H on the circle,
        and H_N(t u) log u on smaller discs by absolute values (`_waves`); each has its own tail.
        """
        region = self.abel.region
        with working(self.bits, self.length):
            multiplier, forcing = (region.values(program) for program in self.along.programs)
            if not all(value.real > 0 for value in multiplier):
                raise Refused(f"{self.along.multiplier} may have a zero in {region}")
            rows = [self._at(t, w, a, b) for (t, w), a, b in zip(region.points, multiplier, forcing, strict=True)]
            e, source, log_u = zip(*rows, strict=True)
            self.log_bound = region.bound(e, self.first, len(self.defects["e"]))
            self.multiplier_bound = region.sup(multiplier)
            self.waves = list(self._waves(region.sup(log_u))) if region.analytic else []
            known = len(self.defects["eta"])
            self.source_bound = region.sup(source) if region.analytic else region.bound(source, self.first, known)

    def _at(self, t, w, multiplier, forcing) -> tuple:
        """e, eta_1 (on an arc without its last term, r H_N(t u) log u), log u, on one arc or as Taylor models."""
        s, h = self.solution, self.power
        u = powers_of(w, {*s.beta, *s.particular})
        e = h * w + sum((c * t**k * u[k] for k, c in s.beta.items()), arb(0)) - multiplier.log()
        eta = sum((c * t**k * (u[k] + 1 - multiplier) for k, c in s.particular.items()), arb(0)) - forcing
        if not self.abel.region.analytic:
            moved = sum((c * t**k * (u[k] + 1) for k, c in s.beta.items()), arb(0))
            eta = eta + s.resonance * (t**h * (h * w + moved).exp()) * w
        return e, eta, w

    def _waves(self, log_u: arb) -> Iterator[tuple[arb, arb]]:
        """(R', a bound of |r H_N(t u) log(u)/t^h| on |t| <= R') for smaller and smaller R'; |log u| = O(|t|^m)."""
        if self.solution.resonance.is_zero():
            return
        for k in range(DISCS):
            share = arb(STEP) ** k
            radius, small = (self.abel.radius * share).lower(), log_u * share**self.order
            u = small.exp()
            yield radius, (abs(self.solution.resonance) * u**self.power * self.solution.top(radius * u) * small).upper()

    def _logs_over(self, t: arb) -> arb:
        """The sup of |e|/s^p over (0, t], p = N + m + 1."""
        return self.abel.region.over(self.defects["e"], self.log_bound, t)

    def _source_over(self, t: arb) -> arb:
        """The sup of |eta_1|/s^p over (0, t]."""
        region, known, p = self.abel.region, self.defects["eta"], self.first
        if not region.analytic:
            return region.over(known, self.source_bound, t)
        summed = majorant(enumerate(known), t) + region.tail(known, self.source_bound / region.radius**p, t)
        if self.waves:
            rests = [cauchy(known, size / r ** (p - self.power), t, r).upper() for r, size in self.waves if t < r]
            summed += smallest(rests, "the resonance's part of the defect")
        return summed.upper()

    def _wave_over(self, t: arb) -> arb:
        """The sup of |eta_2|/s^(h+p): eta_2 = r lambda H_N (exp(e) - 1)."""
        logs = self._logs_over(t)
        size = abs(self.solution.resonance) * self.multiplier_bound * self.solution.top(t)
        return (size * logs * (logs * t**self.first).exp()).upper()

    def _sum(self, power: int, t: arb) -> arb:
        """A bound of sum_j t_j^power along the orbit from t on; needs power > m."""
        return t ** (power - self.order) * self.abel.share(power, t)

    def log_error(self, t: arb) -> arb:
        """E_L(t): |log(H*/H_N)| <= E_L."""
        t = self.abel.inside(t)
        return (self._logs_over(t) * self._sum(self.first, t)).upper()

    def weight_error(self, t: arb) -> arb:
        """G(t): |D - D_l| <= G(t_l)."""
        t, h = self.abel.inside(t), self.power
        if not self.solution.resonance.is_zero() and not t < 1 / arb(1).exp():
            raise Refused("the orbit has not come below 1/e, where t log t falls")
        low = self._lowest(t)
        fall = self._fall(t)
        eta1 = self._source_over(t) * self._sum(self.first - h, t)
        eta2 = self._wave_over(t) * t * abs(t.log()) * self._sum(self.first - 1, t)
        return ((eta1 + eta2) / (low * fall)).upper()

    def _lowest(self, t: arb) -> arb:
        """A lower bound of H*/t^h over (0, t]."""
        return 1 / (self.solution.top(t) * self.log_error(t).exp())

    def _fall(self, t: arb) -> arb:
        """A lower bound of u^h over (0, t]: u >= (1 + t^m h(t))^(-1/m), h at most its sup there."""
        return (1 + t**self.order * self.abel.fastest(t)) ** (-arb(self.power) / self.order)

    def weight(self, t: arb, a: arb) -> arb:
        """D of an orbit that is at t with this a."""
        s, low = self.solution, self.log_error(t.upper())
        d = (a - s.at(t)) / s.homogeneous(t) * arb(0, low).exp()
        return d + arb(0, self.weight_error(t.upper()))

    def error_factor(self, t: arb, weight: arb) -> tuple[arb, int]:
        """(B, w) with |a_l - P_N - D H_N| <= B s^w for every s = t_l <= t."""
        t, h, m = self.abel.inside(t), self.power, self.order
        low, fall, small = self._lowest(t), self._fall(t), self.log_error(t)
        top = self.solution.top(t) * small.exp()
        moved = self._source_over(t) * self.abel.share(self.first - h, t)  # s^(p-h-m) H, H ~ s^h
        shrunk = magnitude(weight) * t**h * self._logs_over(t) * self.abel.share(self.first, t)
        size, power = moved / (low * fall) * top + shrunk * top, self.first - m
        if not self.solution.resonance.is_zero():  # s |log s| s^(p-1-m+h), and s |log s| grows up to 1/e
            wave = self._wave_over(t) * t * abs(t.log()) * self.abel.share(self.first - 1, t) / (low * fall) * top
            size, power = (size + wave * t ** (h - 1), power) if h else (size * t + wave, power - 1)
        return size.upper(), power
