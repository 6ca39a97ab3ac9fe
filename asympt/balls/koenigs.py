"""The hyperbolic theorem: t' = t u(t), 0 < |u(0)| < 1, and the law as a convergent series in mu^l.

Problem.  U(t_l) = mu^l C with Koenigs' U = t + ..., mu = u(0).  A law prints the first powers of mu^l; bound the rest.

Rule.  On the circle |t| = R: kappa = max |u| < 1, so the disc is mapped into itself, and |u - mu| <= M_2 |t|.  With
k = |mu| + M_2 r, for |t| <= r <= R:

    |U - t| <= delta(r) = M_2 r^2/(|mu| - k^2), k^2 < |mu|
    |U - U_N| <= M |t|^(N+1)/(|mu| - k^(N+1)),   M the bound of (U_N(t u) - mu U_N)/t^(N+1) on the circle.

By Rouche's theorem U takes every |z| < z_0 = r - delta(r) once in |t| < r.  So t_l^e = sum f_k z^k, z = mu^l C,
|f_k| <= r^e z_0^-k, and beyond K powers, over |mu|^(K l),

    sum_(K <= k <= N) |f_k| |C|^k |mu|^((k-K) l) + r^e |C/z_0|^K q^(N+1-K)/(1-q),   q = |z|/z_0 < 1,

which falls with l.  The layer where this begins has |t_l| < r and |z| < z_0: then t_l is this branch of the inverse.

Tiny case.  t/(2 - t): U = t/(1 - t), t_l = z/(1 + z).

Known limits.  One start, or an interval on one side; the multiplier is a ball, and 0 < |mu| < 1 is proved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from flint import arb, arb_series
from sympy import Expr, S, Symbol

from asympt.balls.arithmetic import Refused, coefficients, decimal_above, first_proved, largest, magnitude, working
from asympt.balls.disc import SLACK, FormulaMap, rooted
from asympt.balls.expression import half_circle, number
from asympt.balls.orbit import BallOrbit

ARCS, BITS, TERMS = 192, 256, 24
RADII = tuple(4 * 0.8**k for k in range(60))
SHARES = tuple(k / 16 for k in range(1, 17))  # of R, for r
CANDIDATES = 5  # circles compared
DEEPEST = 20000


@dataclass(frozen=True, eq=False)
class HyperbolicMap(FormulaMap):
    """F = chi t^root + ..., 0 < |chi| < 1; chi > 0 where root > 1."""

    arcs: int = field(default=ARCS, kw_only=True)

    def rooted(self, x: arb) -> arb:
        """t; of any sign where root is 1."""
        return x if self.root == 1 else rooted(x, self.root)

    def require_nearer(self, before: arb, after: arb) -> None:
        """Orbits may come from anywhere in the basin."""

    def u(self, bits: int, length: int) -> arb_series:
        """u to `length` coefficients."""
        found = self.series(self.program, bits, length + self.root)
        for k in range(self.root):
            if not found[k].contains(0):
                raise Refused(f"{self.formula} does not vanish at the fixed point: {found[k].str(8)}")
        with working(bits, length):
            v = arb_series(found[self.root :], prec=length)
            return v if self.root == 1 else (v.log() / self.root).exp()

    def u_on(self, radius: arb, bits: int, length: int) -> list[tuple]:
        """(t, u) on the arcs of a circle."""
        germ = self.germ(self.program, bits, length + self.root)
        with working(bits, length + SLACK):
            circle = half_circle(radius, self.arcs)
            values = [value / t**self.root for t, value in zip(circle, germ.on(circle), strict=True)]
            if self.root > 1 and not all(value.real > 0 for value in values):
                raise Refused(f"{self.formula} over {self.symbol}^{self.root} may have a zero in the disc")
            rooted = values if self.root == 1 else [(value.log() / self.root).exp() for value in values]
            return list(zip(circle, rooted, strict=True))


class KoenigsTheorem:
    """U_N with its bound, and the disc in which U can be inverted."""

    def __init__(self, map_: HyperbolicMap, last: int, radius: arb, bits: int):
        self.map, self.last, self.radius, self.bits = map_, last, radius, bits
        self.series = map_.u(bits, last + 1)
        self.mu = self.series[0]
        with working(bits, last + 2):
            if not (abs(self.mu) < 1 and abs(self.mu) > 0):
                raise Refused(f"the multiplier {self.mu.str(8)} is not seen to lie strictly between 0 and 1 in size")
            self.terms = self._solve()
            self._look_at_circle(map_.u_on(radius, bits, last + 1))
            self.inside, self.outside = self._best_disc()

    def _solve(self) -> list[arb]:
        """0, 1, s_2, ..., s_N."""
        u, terms = self.series, [arb(0), arb(1)]
        powers = [arb_series([1], prec=self.last + 1), u]
        for k in range(2, self.last + 1):
            powers.append(powers[-1] * u)
            source = sum((terms[j] * coefficients(powers[j], k - j + 1)[k - j] for j in range(1, k)), arb(0))
            terms.append(source / (self.mu - self.mu**k))
        return terms

    def _look_at_circle(self, circle: Sequence[tuple]) -> None:
        shrink = largest((magnitude(u) for _, u in circle), "the map on the circle")
        if not shrink < 1:
            raise Refused("the disc is not seen to be mapped into itself")
        self.bend = largest((magnitude(u - self.mu) for _, u in circle), "the map on the circle") / self.radius
        defects = (magnitude(self._sum(t * u) - self.mu * self._sum(t)) for t, u in circle)
        self.defect = largest(defects, "the defect on the circle") / self.radius ** (self.last + 1)

    def _sum(self, t):
        """U_N."""
        return sum((c * t**k for k, c in enumerate(self.terms) if k), t * 0)

    def _best_disc(self) -> tuple[arb, arb]:
        """(r, z_0), of several the one with the largest z_0."""
        found = []
        for share in SHARES:
            r = (self.radius * arb(share)).lower()
            k = abs(self.mu) + self.bend * r
            if k * k < abs(self.mu) and k < 1:
                z = (r - self.bend * r * r / (abs(self.mu) - k * k)).lower()
                if z > 0:
                    found.append((r, z))
        if not found:
            raise Refused("no disc is found in which the Koenigs function can be inverted")
        return max(found, key=lambda pair: float(pair[1]))

    def value(self, t: arb) -> arb:
        """U(t) for every t in the ball, |t| < r."""
        size = magnitude(t)
        if not size < self.inside:
            raise Refused("the orbit has not come into the disc of the Koenigs function")
        k = abs(self.mu) + self.bend * size
        room = abs(self.mu) - k ** (self.last + 1)
        if not room > 0:
            raise Refused("the orbit is not yet near enough for the Koenigs function's bound")
        return self._sum(t) + arb(0, (self.defect * size ** (self.last + 1) / room).upper())

    def inverse(self, exponent: int) -> list[arb]:
        """f_0, ..., f_N of t^exponent as a series in z."""
        with working(self.bits, self.last + 1):
            series = arb_series(self.terms, prec=self.last + 1).reversion()
            return coefficients(series**exponent, self.last + 1)


@dataclass(frozen=True, eq=False)
class GeometricLaw:
    """quantity = offset + sign t_l^root = sum of `terms`: {k: coefficient of mu^(k l)}, expressions in C.

    `beyond`: K, the first power that is not printed; `constant`: what C is called; C is the limit of t_l^root/chi^l;
    `multiplier`: what chi is called, where the terms have it by a name.
    """

    map_: HyperbolicMap
    first: int
    terms: dict[int, Expr]
    beyond: int
    constant: Symbol
    sign: int = 1
    offset: Expr = S.Zero
    multiplier: Expr | None = None


@dataclass(frozen=True)
class GeometricProof:
    """|quantity - law| <= constant |mu|^(K l) for all l >= valid_from."""

    constant: Decimal
    valid_from: int
    layer: int
    connection: arb
    bounds: dict[str, arb]
    small: arb
    theorem: KoenigsTheorem


class GeometricProver:
    """One law over the starts between two exact numbers x_first."""

    def __init__(
        self, law: GeometricLaw, low: Expr, high: Expr, bits: int = BITS, terms: int = TERMS,
        radius: arb | None = None,
    ):
        self.law, self.bits = law, bits
        self.last = max(terms, law.beyond + 6)
        self.orbit = BallOrbit(law.map_, low, high, law.first, bits)
        self.theorem = self._theorem(RADII if radius is None else (radius,))

    def _theorem(self, radii: Sequence) -> KoenigsTheorem:
        """The one with the largest z_0 over a few circles."""
        attempts = (partial(KoenigsTheorem, self.law.map_, self.last, arb(radius), self.bits) for radius in radii)
        return max(first_proved(attempts, CANDIDATES), key=lambda theorem: float(theorem.outside))

    def prove(self, valid_from: int = 2, layers: Sequence[int] = ()) -> GeometricProof:
        """The theorem; `Refused` where a step cannot be proved.  The layer l_1 is the first that will do."""
        layer, z = self._entrance()
        theorem, law = self.theorem, self.law
        with working(self.bits, self.last + 1):
            root = law.map_.root
            scaled = z / theorem.mu**layer  # C of U
            f = theorem.inverse(root)
            connection = scaled**root if root > 1 else scaled
            self._require_printed(f, scaled, connection)
            bounds = self._bounds(f, z, scaled, layer)
            small = self._first_layers(valid_from, layer, connection)
            constant = decimal_above(sum(bounds.values(), arb(0)).max(small), 6)
        return GeometricProof(constant, valid_from, layer, connection, bounds, small, theorem)

    def moved(self, depth: int, digits: int) -> arb:
        """t_l^root at a depth, to about so many digits of the larger of it and 1."""
        layer, z = self._entrance(digits)
        root = self.law.map_.root
        if layer >= depth:
            return self.orbit.t(depth).low ** root
        with working(self.bits, self.last + 1):
            theorem = self.theorem
            z = z * theorem.mu ** (depth - layer)
            q = magnitude(z) / theorem.outside
            rest = theorem.inside**root * q ** (self.last + 1) / (1 - q)
            return sum((c * z**k for k, c in enumerate(theorem.inverse(root))), arb(0)) + arb(0, rest.upper())

    def _entrance(self, digits: int = 0) -> tuple[int, arb]:
        """The first layer in the disc, with room to spare and where U is known to the digits, and z there."""
        theorem = self.theorem
        for layer, state in self.orbit:
            with working(self.bits, self.last + 1):
                t = state.ball
                if magnitude(t) < theorem.inside / 4:
                    z = theorem.value(t)
                    sharp = not state.is_thin or z.rad() < arb(10) ** -digits
                    if magnitude(z) < theorem.outside / 2 and sharp:
                        return layer, z
            if layer - self.law.first > DEEPEST:
                raise Refused("the orbit does not come into the disc: it may have another limit")

    def _bounds(self, f: Sequence[arb], z: arb, scaled: arb, layer: int) -> dict[str, arb]:
        theorem, beyond, size = self.theorem, self.law.beyond, magnitude(z)
        q = size / theorem.outside
        unit = abs(theorem.mu) ** (beyond * layer)
        known = sum((abs(f[k]) * size**k for k in range(beyond, self.last + 1)), arb(0)) / unit
        rest = theorem.inside**self.law.map_.root * q ** (self.last + 1) / (1 - q) / unit
        return {"known": known.upper(), "rest": rest.upper()}

    def _require_printed(self, f: Sequence[arb], scaled: arb, connection: arb) -> None:
        for k in range(1, self.law.beyond):
            true, printed = f[k] * scaled**k * self.law.sign, self._number(self.law.terms.get(k, 0), connection)
            if not true.overlaps(printed):
                raise Refused(f"the coefficient of power {k} is {true.str(10)} and not the printed {printed.str(10)}")
        if any(k >= self.law.beyond for k in self.law.terms):
            raise Refused("a printed term is not larger than the remainder")

    def _number(self, expression, connection: arb) -> arb:
        known = dict(self.law.map_.known(self.bits)) | {self.law.constant: connection}
        if self.law.multiplier is not None:
            known[self.law.multiplier] = self.theorem.mu**self.law.map_.root
        return number(expression, known)

    def _first_layers(self, first: int, last: int, connection: arb) -> arb:
        worst, theorem, law = arb(0), self.theorem, self.law
        values = {k: self._number(c, connection) for k, c in law.terms.items() if k}
        for layer in range(max(first, law.first), last + 1):
            state = self.orbit.t(layer)
            printed = sum((c * theorem.mu ** (k * layer) for k, c in values.items()), arb(0))
            unit = abs(theorem.mu) ** (law.beyond * layer)
            for end in [state.low] if state.is_thin else [state.low, state.high]:
                worst = worst.max((magnitude(law.sign * end**law.map_.root - printed) / unit).upper())
        return worst
