"""From A_N(t_l) = l + C + eps to t_l: an analytic function of X = l^(-1/m) and Y, its series, and its tail.

With t_l = alpha^(1/m) X w and Y = X^m (C + (rho/m)(log l - log alpha)), w = W(X, Y + eps X^m) solves

    w = (1 + Y - X^m [sum_(k != 0, -m) alpha_k (alpha^(1/m) X w)^k + rho log w])^(-1/m),

analytic for |X| <= R_X, |Y| <= R_Y where the right side maps |w - 1| <= r strictly into itself (Earle and Hamilton).
Over the remainder's monomial there remain the unprinted part of its weight (B0), the weights up to K (B1), Cauchy's
bound of those beyond (B2), what eps moves (B3) and a linear recursion's own error (B4): docs/bounds.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

from flint import arb, arb_poly

from asympt.balls.abel import AbelSeries, AbelTheorem
from asympt.balls.arithmetic import Refused, best_proved, magnitude, short

RADII = (0.1, 0.2, 0.3, 0.45, 0.6, 0.8)  # r
SHARES = (0.3, 0.5, 0.7)  # how much of delta goes to R_X


class XSeries:
    """A power series in X whose coefficients are polynomials in Y/X^m: `rows` of them, the first being that of X^0."""

    def __init__(self, rows: Sequence[arb_poly]):
        self.rows = list(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: "XSeries") -> "XSeries":
        return XSeries([a + b for a, b in zip(self.rows, other.rows, strict=True)])

    def __mul__(self, other: "XSeries | arb") -> "XSeries":
        if not isinstance(other, XSeries):
            return XSeries([row * other for row in self.rows])
        rows = []
        for n in range(len(self)):
            rows.append(sum((self.rows[k] * other.rows[n - k] for k in range(n + 1)), arb_poly([])))
        return XSeries(rows)

    def raised(self, by: int) -> "XSeries":
        return XSeries([arb_poly([])] * min(by, len(self)) + self.rows[: max(0, len(self) - by)])

    def power(self, exponent: arb) -> "XSeries":
        """(1 + z)^exponent of z, which has no constant term."""
        rows = [arb_poly([1])]
        for n in range(1, len(self)):
            parts = (self.rows[k] * rows[n - k] * (exponent * k - (n - k)) for k in range(1, n + 1))
            rows.append(sum(parts, arb_poly([])) * (arb(1) / n))
        return XSeries(rows)

    def logarithm(self) -> "XSeries":
        """log(1 + z) of z, which has no constant term."""
        rows = [arb_poly([])]
        for n in range(1, len(self)):
            parts = (self.rows[n - k] * rows[k] * (arb(k) / n) for k in range(1, n))
            rows.append(self.rows[n] - sum(parts, arb_poly([])))
        return XSeries(rows)

    def exponential(self) -> "XSeries":
        """exp of a series without constant term."""
        rows = [arb_poly([1])]
        for n in range(1, len(self)):
            parts = (self.rows[k] * rows[n - k] * (arb(k) / n) for k in range(1, n + 1))
            rows.append(sum(parts, arb_poly([])))
        return XSeries(rows)

    @classmethod
    def nothing(cls, length: int) -> "XSeries":
        return cls([arb_poly([])] * length)


class Root:
    """w as a series: z with w = (1 + z)^(-1/m), to X^K."""

    def __init__(self, series: AbelSeries, weights: int):
        self.series, self.m, self.length = series, series.order, weights + 1
        self.lead = series.alpha[-self.m]
        self.unit = self.lead.root(self.m) if self.m > 1 else self.lead  # alpha^(1/m)
        self.z = self._solved()

    def _solved(self) -> XSeries:
        z, series, m = XSeries.nothing(self.length), self.series, self.m
        y = XSeries([arb_poly([0, 1]) if n == m else arb_poly([]) for n in range(self.length)])
        for _ in range(self.length):
            inner = self.logarithm(z) * series.residue
            total = inner.raised(m)
            for k, c in series.alpha.items():
                if k not in (0, -m) and k + m < self.length:
                    total = total + (self.power(k, z) * (c * self.unit**k)).raised(m + k)
            z = y + total * arb(-1)
        return z

    @cached_property
    def bidiscs(self) -> list["Bidisc"]:
        """Candidates for a bidisc."""
        found = []
        for r, share in product(RADII, SHARES):
            try:
                found.append(Bidisc.of(self, arb(short(r)), arb(share)))
            except Refused:
                continue
        return found

    def power(self, k, z: XSeries | None = None) -> XSeries:
        """w^k."""
        return (z or self.z).power(-arb(k) / self.m)

    def logarithm(self, z: XSeries | None = None) -> XSeries:
        """log w."""
        return (z or self.z).logarithm() * (arb(-1) / self.m)


@dataclass(frozen=True)
class Bidisc:
    """|X| <= x, |Y| <= y, where W is analytic with |W - 1| <= r."""

    r: arb
    x: arb
    y: arb

    @classmethod
    def of(cls, root: Root, r: arb, share: arb) -> "Bidisc":
        """The one with this r in which about `share` of delta goes to X; `Refused` when there is none."""
        series, m = root.series, root.m
        whole = 1 - (1 + r) ** -m
        x = arb(1)
        for _ in range(60):
            if (used := _delta(series, root.unit, r, x)) < whole * share:
                break
            x = x * arb(3) / 4
        else:
            raise Refused("no bidisc is found in which the Abel function can be inverted")
        y = arb(short(float((whole - used) * (1 - arb(2) ** -20)), 24))
        found = cls(r, x, y)
        found.require(root)
        return found

    def require(self, root: Root) -> None:
        """The hypotheses of the fixed point theorem."""
        delta = self.y + _delta(root.series, root.unit, self.r, self.x)
        m = root.m
        if not (self.r < 1 and delta < 1 and (1 - delta).root(m) * (1 + self.r) > 1 and self.y > 0):
            raise Refused("the inversion of the Abel function cannot be shown to be analytic in the bidisc")

    def reach(self, root: Root) -> arb:
        """The largest t that W can be at: alpha^(1/m) R_X (1 + r)."""
        return root.unit * self.x * (1 + self.r)


def _delta(series: AbelSeries, unit: arb, r: arb, x: arb) -> arb:
    """delta without R_Y."""
    m = series.order
    inner = abs(series.residue) * -(1 - r).log()
    total = inner * x**m
    for k, c in series.alpha.items():
        if k not in (0, -m):
            total += abs(c) * unit**k * (1 + r if k > 0 else 1 - r) ** k * x ** (m + k)
    return total


@dataclass(frozen=True)
class LogPart:
    """log(l)^logs times a function of (X, Y): its series, and a function that bounds its modulus on a bidisc."""

    logs: int
    series: XSeries
    sup: object


@dataclass(frozen=True)
class Beyond:
    """The remainder's monomial X^weight log(l)^logs, and how many logarithms are printed at its own weight."""

    weight: int
    logs: int


class Tail:
    """How much is left of sum_s log(l)^s F_s(X, Y) beyond what is printed, for all l >= l_1, over X^a0 log(l)^b0."""

    def __init__(self, theorem: AbelTheorem, root: Root, parts: Sequence[LogPart], printed: Beyond, constant: arb):
        self.theorem, self.root, self.parts, self.printed = theorem, root, parts, printed
        self.m = root.m
        self.speed = theorem.series.residue / self.m  # rho/m
        self.shift = constant - self.speed * root.lead.log()  # C - (rho/m) log alpha
        self.sums = self._in_logs()

    def _in_logs(self) -> list[arb_poly]:
        """The coefficients of X^0, X^1, ... as polynomials in log l."""
        inner = arb_poly([self.shift, self.speed])
        rows = []
        for n in range(self.root.length):
            total = arb_poly([])
            for part in self.parts:
                total = total + part.series.rows[n](inner) * arb_poly([0] * part.logs + [1])
            rows.append(total)
        return rows

    def coefficient(self, weight: int, logs: int) -> arb:
        """That of X^weight log(l)^logs."""
        row = self.sums[weight].coeffs()
        return row[logs] if logs < len(row) else arb(0)

    def env(self, log_l: arb) -> arb:
        """sup |C + (rho/m)(L - log alpha)| <= env(L)."""
        return abs(self.speed) * log_l + abs(self.shift)

    def error(self, t: arb) -> arb:
        """That of A_N(t) = l + C."""
        return self.theorem.error(t)

    def bound(self, layer: int, t: arb, bidisc: Bidisc, own: tuple[arb, int] | None = None) -> dict[str, arb]:
        """{B0, B1, B2, B3} for all l >= layer, t being the largest t of that layer.

        `own`: (B, w), where what is expanded has an error B t^w of its own (`linear`): then there is a B4.
        """
        log_l, x = arb(layer).log(), (1 / arb(layer)).root(self.m)
        self._require(layer, t, bidisc, log_l, x)
        found = {
            "B0": self._same_weight(log_l), "B1": self._known(log_l, x),
            "B2": self._beyond(log_l, x, bidisc), "B3": self._moved(log_l, x, t, bidisc),
        }  # fmt: skip
        return found if own is None else found | {"B4": self._own(log_l, x, bidisc, *own)}

    def _require(self, layer: int, t: arb, bidisc: Bidisc, log_l: arb, x: arb) -> None:
        theorem, env = self.theorem, self.env(log_l)
        if layer < 2 or not x < bidisc.x:
            raise Refused(f"layer {layer} is too early for the inversion: X leaves its disc")
        theorem.require_falling(t.max(bidisc.reach(self.root)))
        if not env > abs(self.speed):
            raise Refused("log l is too small for the bounds of the tail to fall")
        if not (env + self.error(t)) * x**self.m < bidisc.y:
            raise Refused(f"layer {layer} is too early for the inversion: Y leaves its disc")

    def _same_weight(self, log_l: arb) -> arb:
        weight, b0 = self.printed.weight, self.printed.logs
        row = self.sums[weight].coeffs()
        v = (1 / log_l).union(arb(0))
        total = sum((row[b] * v ** (b0 - b) for b in range(min(b0 + 1, len(row)))), arb(0))
        return magnitude(total)

    def _known(self, log_l: arb, x: arb) -> arb:
        total, a0 = arb(0), self.printed.weight
        for part in self.parts:
            for weight in range(a0 + 1, self.root.length):
                for k, c in enumerate(part.series.rows[weight].coeffs()):
                    self._require_decreasing(k, part.logs, weight, log_l)
                    total += abs(c) * self.env(log_l) ** k * x ** (weight - a0) * self._over(log_l, part.logs)
        return total.upper()

    def _require_decreasing(self, k: int | arb, logs: int, weight: int, log_l: arb) -> None:
        more = max(0, logs - self.printed.logs)
        slope = self.m * (k * abs(self.speed) / self.env(log_l) + arb(more) / log_l)
        if not slope <= weight - self.printed.weight:
            raise Refused("a term beyond the remainder cannot be shown to fall against it; begin at a deeper layer")

    def _over(self, log_l: arb, logs: int) -> arb:
        """log(l)^(s - b0)."""
        return log_l ** (logs - self.printed.logs)

    def _beyond(self, log_l: arb, x: arb, bidisc: Bidisc) -> arb:
        m, last, a0 = self.m, self.root.length - 1, self.printed.weight
        env = self.env(log_l)
        eta = (x / bidisc.x).max(x * (env / bidisc.y).root(m)).upper()
        if not eta < 1:
            raise Refused("the series of the inversion does not converge at this layer")
        share = eta ** (last + 1) * ((arb(last + 1) / m + 1) / (1 - eta) + eta / (m * (1 - eta) ** 2))
        total = arb(0)
        for part in self.parts:
            self._require_decreasing(arb(last + 1) / m, part.logs, last + 1, log_l)
            total += part.sup(bidisc) * share * self._over(log_l, part.logs)
        return (total / x**a0).upper()

    def _moved(self, log_l: arb, x: arb, t: arb, bidisc: Bidisc) -> arb:
        theorem, m, a0 = self.theorem, self.m, self.printed.weight
        p = theorem.first
        room = bidisc.y - (self.env(log_l) + self.error(t)) * x**m
        size = theorem.error_factor(t) * (self.root.unit * (1 + bidisc.r)) ** (p - m) * x ** (p - a0)
        total = arb(0)
        for part in self.parts:
            self._require_decreasing(0, part.logs, p, log_l)
            total += part.sup(bidisc) / room * size * self._over(log_l, part.logs)
        return total.upper()

    def _own(self, log_l: arb, x: arb, bidisc: Bidisc, size: arb, power: int) -> arb:
        """B4: X^m B t^w over the remainder, t <= alpha^(1/m) (1 + r) X."""
        beyond = power + self.m - self.printed.weight
        if beyond < 0:
            raise Refused("the error of the linear recursion is larger than the remainder; take more terms of P and H")
        reach = (self.root.unit * (1 + bidisc.r)) ** power
        return (size * reach * x**beyond * self._over(log_l, 0)).upper()


def total(bounds: dict[str, arb]) -> arb:
    """B0 + B1 + B2 + B3."""
    return sum(bounds.values(), arb(0)).upper()


def best_tail(
    tail: Tail, layer: int, t: arb, factor: arb, own: tuple[arb, int] | None = None
) -> tuple[dict[str, arb], Bidisc]:
    """The smallest bound over the candidate bidiscs, times `factor` (alpha^(e/m), say)."""

    def bounds(bidisc: Bidisc) -> tuple[dict[str, arb], Bidisc]:
        found = tail.bound(layer, t, bidisc, own).items()
        return {name: (value * factor).upper() for name, value in found}, bidisc

    return best_proved(
        (partial(bounds, bidisc) for bidisc in tail.root.bidiscs), lambda found: total(found[0]), passing=(Refused,),
        nothing="no bidisc is found in which the Abel function can be inverted",
    )  # fmt: skip
