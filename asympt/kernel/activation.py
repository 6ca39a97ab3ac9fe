"""The correlation map of a layer on the Edge of Chaos whose activation phi is known by its formula alone.

The layer has q = sigma_b^2 + sigma_w^2 E[phi(U)^2] and 1 = sigma_w^2 E[phi'(U)^2], U normal of variance q.  A solution
exists with q between the two given numbers, where the difference of both sides changes its sign; all that follows
holds for every such q.  For V like U, of correlation c = 1 - x with it, the map is

    x -> 1 - f(1 - x),  f(c) = (sigma_b^2 + sigma_w^2 E[phi(U) phi(V)])/q,  f(1) = f'(1) = 1,  x = t^2.

growth   |phi(w)| <= size exp(rate |y|) for real y and |w - y| <= strip, each formula on its side, by a walk over it;
         with Cauchy's estimate for derivatives
moments  on |z| <= CUTOFF by Arb's `acb.integral`, which asks that what is finite on a box is holomorphic there: no node
         of phi has a branch cut; beyond, by the growth
near     phi may be another formula above 0 than below; J_j: the jump of phi_j, its j-th derivative, at 0.  By Price's
         theorem G_j(c) = E[phi_j(U) phi_j(V)] has, with s^2 = q (1 - c^2), 0 <= G_n <= G_n(1) for 0 <= x <= 1, and
           G_j(1 - x) = G_j(1) - q int_0^x (G_(j+1) + 2 J_j E[phi_(j+1)(s Z)]/sqrt(2 pi q) + J_j^2/(2 pi s sqrt(q)))
far      f(c) = sum p_k c^k, p_k >= 0 (Hermite), sum p_k = sum k p_k = 1; hence |f'| <= 1, and f' >= 0 for c >= 0
"""

from functools import lru_cache
from json import loads
from math import factorial

from flint import acb, arb, arb_poly, ctx, fmpq

from asympt.kernel.formulas import BINARY, FormulaSource, StartSegment, evaluate, series, show
from asympt.kernel.numbers import BadFile, Names, ball, hull, is_zero, need, or_nan, rational
from asympt.kernel.series import PowerSeries, composed

FIELDS = {"phi", "sigma_b", "q"}
STRIPS = fmpq(6), fmpq(3, 4), fmpq(3, 8), fmpq(1, 8)  # the widest that fits
NEAR = (  # smooth phi, others: ranges, degree, most p_k, and fewer where all others together are less than this
    ((fmpq(1, 4),), 18, 100, arb(2) ** -30), ((fmpq(1, 2), fmpq(1, 4)), 24, 120, arb(2) ** -20),
)  # fmt: skip
SIGNS = -1, 1
CUTOFF, GOAL, MOST_VALUES, MOST_WORK = 24, arb(2) ** -64, 20_000, 64_000  # of an integral; moments times bits
ROOT_OF_Y = ["sqrt", ["sub", ["q", "1"], ["div", ["pow", "t", 2], ["q", "2"]]]]  # s = sqrt(2 q) t times it


def formulas_of(given) -> list:
    """The formulas in the map of a proof object, which is one itself or a layer; `BadFile` where it is neither."""
    if not isinstance(given, dict):
        return [given]
    pairs = [given.get(name) for name in ("phi", "q")]
    if set(given) != FIELDS or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise BadFile(f"a layer has the fields {sorted(FIELDS)}: phi and q are pairs")
    for text in (given["sigma_b"], *given["q"]):
        rational(text)
    return given["phi"]


@lru_cache(maxsize=4)
def layer(text: str, bits: int) -> "NetworkLayer":
    """Of a JSON text, at the precision of the moment, `bits`; its moments are computed once."""
    return NetworkLayer(loads(text))


class NetworkLayer:
    """See the module; `at` and `slope` serve orbits, `model` what is shown near the fixed point."""

    root = 2

    def __init__(self, given: dict):
        self.given, self.phi, bias = given, given["phi"], rational(given["sigma_b"])
        self.bias, ends = arb(bias) ** 2, [rational(end) for end in given["q"]]
        (ranges, degree, count, small), names = NEAR[self.phi[0] != self.phi[1]], Names()
        need(count * ctx.prec <= MOST_WORK, "sizes of the layer")
        need(0 < ends[0] < ends[1] and bias >= 0, "the ends of q, sigma_b >= 0")
        self.sides = [series(side, fmpq(0), degree + 4, names).c for side in self.phi]
        need(is_zero(self.sides[1][0] - self.sides[0][0]), "phi is continuous")
        self.strip = next((s for s in STRIPS if isinstance(or_nan(self._bounds, s), list)), STRIPS[-1])
        (size, rate) = (a.max(b) for a, b in zip(*self._bounds(self.strip), strict=True))
        self.size, self.rate = size * (rate * self.strip).exp(), rate  # |w| <= |y| + strip
        self.known: dict = {}
        low, high = (self.bias + self.moment(0, q, 2) / self.moment(1, q, 2) - q for q in map(arb, ends))
        need(bool(low * high < 0), "a q on the Edge of Chaos between the given ends")
        self.q = hull(*ends)
        orders = degree // 2 + 2
        self.weight = 1 / self.moment(1, self.q, orders)
        need(bool(self.weight > 0), "sigma_w")
        self.levels = [self.weight * self.moment(j, self.q, orders) for j in range(orders)]  # sigma_w^2 G_j(1)
        p = [self._share(0) + self.bias / self.q]
        while len(p) < count and not bool(1 - sum(p) < small):
            p.append(self._share(len(p)))
        self.far = [(p, (1 - p(arb(1))).upper()) for p in (arb_poly(p), arb_poly(p).derivative())]
        models = [self.model(0, degree, r, Names()) for r in ranges]
        slopes = (PowerSeries((c * fmpq(k, 2) for k, c in enumerate(near.c[2:], 2)), near.r) for near in models)
        self.near = [[1 - near for near in models], [*slopes]]

    def _bounds(self, strip: fmpq) -> list:
        return [bound(side, arb(strip), sign) for side, sign in zip(self.phi, SIGNS, strict=True)]

    def moment(self, j: int, q: arb, orders: int) -> arb:
        """E[phi_j(U)^2], j < orders."""
        root, times = q.sqrt(), factorial(j) ** 2
        rest = self._beyond(j, q)
        return self._mean(lambda side, z: self._taylor(side, root * z, orders)[j] ** 2 * times * _density(z), rest)

    def _taylor(self, side, at: acb, count: int) -> list:
        """So many Taylor coefficients, which are kept: many integrals have them at exactly the same places."""
        box = (part.man_exp() for x in (at.real, at.imag) for part in (x.mid(), x.rad()))
        place = (self.phi.index(side), count, *box)
        if place not in self.known:
            self.known[place] = series(side, at, count, None).c
        return self.known[place]

    def _share(self, k: int) -> arb:
        """p_k without the bias: sigma_w^2/q times the square of E[phi(U) He_k(U/sqrt(q))]/sqrt(k!)."""
        root, size = self.q.sqrt(), (arb(2) ** k * factorial(k)).sqrt()

        def weighted(side, z: acb) -> acb:
            return self._taylor(side, root * z, 1)[0] * (z / arb(2).sqrt()).hermite_h(k) / size * _density(z)

        mean = self._mean(weighted, self._beyond(0, self.q).sqrt())  # Cauchy and Schwarz
        return mean * mean * self.weight / self.q

    def _mean(self, function, beyond: arb) -> arb:
        need(bool(beyond < 1), "phi is too large beyond the cutoff")
        total, goal = arb(0, beyond.upper()), {"rel_tol": GOAL, "abs_tol": GOAL, "eval_limit": MOST_VALUES}
        for side, ends in zip(self.phi, ((-CUTOFF, 0), (0, CUTOFF)), strict=True):
            total += acb.integral(lambda z, _, side=side: acb(or_nan(function, side, z)), *map(acb, ends), **goal).real
        need(bool(total.is_finite()), "a moment is not finite")
        return total

    def _beyond(self, j: int, q: arb) -> arb:
        """E[phi_j(U)^2; |U| > CUTOFF sqrt(q)], at most."""
        size, rate = self._derivatives(j) * self.size, 2 * self.rate * q.sqrt()
        return size**2 * (rate**2 / 2).exp() * ((CUTOFF - rate) / arb(2).sqrt()).erfc()

    def _derivatives(self, j: int) -> arb:
        """|phi_j(y)| <= size exp(rate |y|) times this."""
        return arb(factorial(j)) / arb(self.strip) ** j

    def model(self, exact: int, degree: int, r: fmpq, names: Names) -> PowerSeries:
        """1 - f(1 - t^2) on [0, r] to at least this degree, coefficients below t^exact by letters e_k; its derivative
        term by term is a model, too, since it is the integral of one.
        """
        last, sides = (degree + 1) // 2, self.sides
        need(0 < r <= 1 and last < len(self.levels), "the range, or the degree of a layer")
        slope = PowerSeries([hull(0, self.levels[last])], r)
        for j in range(last - 1, 0, -1):
            inner = [fmpq(0), *slope.c]  # times t
            if not is_zero(jump := (sides[1][j] - sides[0][j]) * fmpq(factorial(j))):
                more = self._jumps(j, ball(jump), sides, len(slope.c), r)
                inner = [a + b for a, b in zip(inner, more.c, strict=True)]
            fallen = PowerSeries(_integrated(inner), r) * -self.q
            slope = PowerSeries([fmpq(1) if j == 1 else self.levels[j], *fallen.c[1:]], r)
        image = enumerate(_integrated([fmpq(0), *slope.c]))
        return PowerSeries([self._named(k, c, names) if k < exact else c for k, c in image], r)

    def _named(self, k: int, c, names: Names):
        if not isinstance(c, arb):
            return c
        names.known["e", k] = names.get("e", fmpq(k), -c)
        return -names.known["e", k]

    def _jumps(self, j: int, jump: arb, sides: list, degree: int, r: fmpq) -> PowerSeries:
        """sigma_w^2 t times what the jump of phi_j adds to G_(j+1)."""
        count = degree + 1
        below, above = ([ball(c) * factorial(k) for k, c in enumerate(side)] for side in sides)
        root = FormulaSource(ROOT_OF_Y).model(1, degree, r, Names())
        s = (root * (2 * self.q).sqrt()).raised(1)
        means = [(above[j + 1 + i] + (-1) ** i * below[j + 1 + i]) * _half(i) / factorial(i) for i in range(count)]
        widest = 2 * self.rate * s.largest()  # E|Z|^k exp(rate s |Z|) by Cauchy and Schwarz
        rest = self._derivatives(j + 1 + count) * self.size / factorial(count)
        rest = rest * (4 * _half(2 * count) * (widest**2 / 2).exp()).sqrt()
        mixed = composed(s, means, hull(-rest, rest)).raised(1) * (2 * jump / (2 * arb.pi() * self.q).sqrt())
        both = FormulaSource(["div", ["q", "1"], ROOT_OF_Y]).model(1, degree, r, Names())
        return (mixed + both * (jump**2 / (2 * arb.pi() * self.q * arb(2).sqrt()))) * self.weight

    def at(self, t: arb | StartSegment) -> arb:
        """1 - f(1 - t^2)."""
        return 1 - self.derivative(0, t)

    def derivative(self, d: int, t: arb | StartSegment) -> arb:
        """f (d = 0) or f' (d = 1) at 1 - t^2, the smallest of its balls."""
        t = t.span if isinstance(t, StartSegment) else t
        c, (p, left) = 1 - t * t, self.far[d]
        need(bool(c.overlaps(hull(-1, 1))), "a correlation")
        c = c.intersection(hull(-1, 1))
        theta = arb(0.5, 0.5) if bool(c >= 0) else arb(0, 1)
        far = p(c) + theta * left * abs(c) ** len(p)
        return min([far, *(near.over(t) for near in self.near[d] if bool(t <= arb(near.r)))], key=arb.rad)

    def slope(self, t: arb) -> arb:
        """Its derivative."""
        return 2 * t * self.derivative(1, t)

    def show(self, starts: list, first: int) -> str:
        """The map in words."""
        low, high = (str(1 - rational(x)) if isinstance(x, str) else f"1 - {show(x)}" for x in reversed(starts))
        start = f"c^{first} = {low}" if low == high else f"c^{first} in [{low}, {high}]"
        below, above = map(show, self.phi)
        phi = below if below == above else f"{below} for t < 0, {above} for t >= 0"
        return (
            f"G(t) = 1 - f(1 - t^2), where c^n = 1 - x_n, {start}, is the correlation in layer n of an infinitely wide "
            f"network on the Edge of Chaos, phi(t) = {phi}, sigma_b = {self.given['sigma_b']}, the variance q in every "
            "layer: f(c) = (sigma_b^2 + sigma_w^2 E[phi(U) phi(V)])/q, U and V normal of variance q and correlation c, "
            "q = sigma_b^2 + sigma_w^2 E[phi(U)^2], 1 = sigma_w^2 E[phi'(U)^2], which has a solution (and this holds "
            f"for each) with q = {self.q}, sigma_w = {self.weight.sqrt()}; e_k: coefficient of t^k in f(1 - t^2)"
        )


def bound(node, strip: arb, sign: int) -> tuple[arb, arb]:
    """(C, g): |node(w)| <= C exp(g |w|) where |w - y| <= strip for a real y of this sign."""
    if node == "t":
        return arb(1), arb(1)
    if (number := or_nan(evaluate, node, None, None)).is_finite():
        return abs(number), arb(0)
    name, *rest = node
    need(name in (*BINARY, "pow", "neg", "exp", "tanh", "erf", "sin", "cos"), f"{name} in an activation")
    c, g = bound(rest[0], strip, sign)
    if name == "pow":
        return c ** rest[1], g * rest[1]
    if name == "div":  # by a number, or by what has its zero on the other side
        a, b = _linear(rest[1], "a quotient")
        far = abs(b) - abs(a) * strip
        need(is_zero(a) or bool(a * b * sign > 0 and far > 0), "a denominator may vanish")
        return c / far, g
    if name in BINARY:
        d, h = bound(rest[1], strip, sign)
        return (c * d, g + h) if name == "mul" else (c + d, g.max(h))
    return (c, g) if name == "neg" else _of_linear(name, rest[0], strip)


def _linear(node, name: str) -> tuple:
    """(a, b) of a w + b: an entire function with the second derivative 0 on an interval."""
    _, a, second = series(node, arb(0, 1), 3, None).c
    need(is_zero(second), f"{name} of what is not linear")
    return a, ball(evaluate(node, arb(0), None))


def _of_linear(name: str, node, strip: arb) -> tuple[arb, arb]:
    """The same of a function at a w + b."""
    a, b = (abs(ball(x)) for x in _linear(node, name))
    if name == "tanh":  # at most 1 where the imaginary part is at most pi/4
        need(bool(4 * a * strip <= arb.pi()), "tanh in the strip")
    if name == "exp":
        return b.exp(), a
    return {"tanh": arb(1), "erf": 1 + ((a * strip) ** 2).exp()}.get(name, (a * strip).exp()), arb(0)


def _density(z: acb) -> acb:
    return (-z * z / 2).exp() / (2 * arb.pi()).sqrt()


def _half(k: int) -> arb:
    """E[Z^k; Z > 0]."""
    return arb(2) ** (arb(k) / 2) * (arb(k + 1) / 2).gamma() / (2 * arb.pi().sqrt())


def _integrated(terms: list) -> list:
    """2 int_0^t of a polynomial."""
    return [fmpq(0), *(c * fmpq(2, k + 1) for k, c in enumerate(terms))]
