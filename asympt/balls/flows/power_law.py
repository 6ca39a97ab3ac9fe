"""From a law in powers of l to a theorem: for all l >= l_0 and all starts, |quantity - law| <= B l^-p log(l)^b.

Steps a/(l^kappa + b), kappa = p/q < 1.  With S = l^(1-kappa), X = S^(-1/m) and the clock's own powers of l,

    T/lead = S + (C + sum_(i>=2) g_i l^(1-i kappa) + e_l)/lead,
    Y      = X^m (C/lead + (rho/m)(log S - log alpha)) + Z + X^m e_l/lead,

and the quantity is analytic in (X, Y) as in `inversion`; what single layers add, e_l l^kappa, is a ball, so terms go
down to 1/l of the leading one (docs/bounds.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flint import acb, arb, arb_poly, arb_series
from sympy import Expr, Rational, bernoulli

from asympt.balls.arithmetic import Disproved, Refused, between, coefficients, exact_rational, magnitude, working
from asympt.balls.expression import number
from asympt.balls.flows.law import NEARLY, WEIGHTS, Deviation, Errors, FlowProver
from asympt.balls.flows.orbit import FlowOrbit
from asympt.balls.flows.theorem import DriftMap, FlowTheorem, t_log_t
from asympt.balls.inversion import Beyond, Bidisc, LogPart, Root, best_tail, total
from asympt.errors import PrecisionError

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
            raise Refused(f"the flow time cannot be shown to have grown like the clock at layer {layer}; begin deeper")
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


DEEPER, ATTEMPTS = 1.1, 60  # from one candidate for log l_1 to the next
Polynomial = dict[int, arb_poly]  # {power of u: coefficient as a polynomial in ell}


# ---- polynomials in u and ell ---------------------------------------------------------------------------


def _plus(*parts: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for part in parts:
        for weight, row in part.items():
            found[weight] = found.get(weight, arb_poly([])) + row
    return found


def _times(one: Polynomial, two: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for weight, row in one.items():
        for more, other in two.items():
            found[weight + more] = found.get(weight + more, arb_poly([])) + row * other
    return found


def _logs(logs: int, value) -> arb_poly:
    """value ell^logs."""
    return arb_poly([0] * logs + [value])


class PowerTail:
    """What is left of the quantity beyond the printed terms, over u^a0 ell^b0, from log l = depth on."""

    def __init__(self, prover: "PowerProver", c: arb, errors: Errors, depth: arb):
        self.prover, self.law, self.theorem, self.errors = prover, prover.law, prover.theorem, errors
        self.root, self.c, self.depth = prover.root, c, depth
        self.m, self.mu_x = self.root.m, self.law.x_weight
        self.printed = Beyond(prover.weight, self.law.remainder.logs)
        self.parts = prover.parts
        self.rows = self._rows()
        self._require_printed()

    # ---- the polynomial -----------------------------------------------------------------------------------

    @cached_property
    def beyond(self) -> arb:
        """A ball of what the clock has beyond the powers of Z, times l^kappa."""
        return arb(0, self.theorem.steps.beyond(self.depth, self.prover.powers))

    def _clocked(self, rest: arb_poly, single: arb) -> Polynomial:
        """Z + X^m rest + X^m l^-kappa single/lead."""
        own = {self.m * self.mu_x: rest}
        return _plus(self.prover.extras, own, {self.law.unit_weight: arb_poly([single / self.theorem.lead])})

    @cached_property
    def y(self) -> Polynomial:
        """Y."""
        speed = self.theorem.series.residue / self.m
        rest = arb_poly([self.c / self.theorem.lead - speed * self.root.lead.log(), speed])
        return self._clocked(rest, self.errors.centre + arb(0, self.errors.time) + self.beyond)

    @property
    def mu_y(self) -> int:
        """|Y| = O(u^mu_y)."""
        return min(self.y)

    @cached_property
    def norm(self) -> Polynomial:
        """X^m s/(b' lead)."""
        rate = self.prover.norm_rate
        rest = arb_poly([self.prover.norm[1] / (rate * self.theorem.lead)])
        return _plus({0: arb_poly([1])}, self._clocked(rest, arb(0, self.errors.norm / rate) + self.beyond))

    @cached_property
    def terms(self) -> Polynomial:
        """The printed law over X^root, or as it stands."""
        law, shrink, found = self.law, 1 - self.theorem.kappa, {}
        for term in law.terms:
            value = self.prover.number(term.coefficient, self.c, None) / shrink**term.logs
            found = _plus(found, {law.weight(term): _logs(term.logs, value)})
        return found

    def _single_layers(self) -> Polynomial:
        """X^m (k - P)."""
        errors, shrink = self.errors, 1 / (1 - self.theorem.kappa)
        weight = self.law.weight_of(errors.fall) + self.m * self.mu_x
        if (weight, -errors.logs) < (self.printed.weight, -self.printed.logs):
            raise Refused("what single layers add to the kernel is larger than the remainder; ask for fewer terms")
        return {weight: _logs(errors.logs, arb(0, (errors.kernel * shrink**errors.logs).upper()))}

    def _rows(self) -> Polynomial:
        """The quantity less the printed terms; of a kernel, X^m (k - s times these)."""
        powers, found = self._powers_of_y(), {}
        for part in self.parts:
            for (j, k), value in self._coefficients(part):
                row = {self.mu_x * j: _logs(part.logs, value)}
                found = _plus(found, _times(row, powers[k]))
        printed = self.terms
        if self.law.norm is not None:
            rate = self.prover.norm_rate * self.theorem.lead
            printed = _times({0: arb_poly([rate])}, _times(self.norm, printed))
            found = _plus(found, self._single_layers())
        else:
            found = _times({0: arb_poly([self.prover.factor])}, found)
        return _plus(found, _times({0: arb_poly([-1])}, printed))

    def _powers_of_y(self) -> list[Polynomial]:
        found = [{0: arb_poly([1])}]
        while len(found) <= self.prover.last // self.mu_y:
            found.append(_times(found[-1], self.y))
        return found

    def _coefficients(self, part: LogPart) -> Iterable[tuple[tuple[int, int], arb]]:
        """((j, k), f_jk) of X^j Y^k up to weight K."""
        for n, row in enumerate(part.series.rows):
            for k, value in enumerate(row.coeffs()):
                j = n - self.m * k
                if self.mu_x * j + self.mu_y * k <= self.prover.last:
                    yield (j, k), value

    def _require_printed(self) -> None:
        """Nothing is left that is larger than the remainder."""
        last, unit = (self.printed.weight, -self.printed.logs), self.law.unit_weight
        for weight, row in sorted(self.rows.items()):
            for logs, value in enumerate(row.coeffs()):
                if (weight, -logs) < last and not value.contains(0):
                    order = Rational(weight + self.law.start_weight, unit)
                    raise Disproved(
                        f"beside l^-({order}) log(l)^{logs} the series and what is printed differ by {value.str(10)}: "
                        "a coefficient is wrong or missing"
                    )

    # ---- bounds -------------------------------------------------------------------------------------------

    def bound(self, _depth: arb, t: arb, bidisc: Bidisc, _own: None = None) -> dict[str, arb]:
        """{B0, ...} for all log l >= depth, t being the largest t there."""
        return _Bounds(self, t, bidisc).all()


class _Bounds:
    """Those of one tail in one bidisc."""

    def __init__(self, tail: PowerTail, t: arb, bidisc: Bidisc):
        self.tail, self.bidisc, self.t = tail, bidisc, t
        theorem = tail.theorem
        self.ell = (1 - theorem.kappa) * tail.depth
        self.u = (-self.ell / (tail.m * tail.mu_x)).exp()
        self.x, self.a0, self.b0 = self.u**tail.mu_x, tail.printed.weight, tail.printed.logs
        shift, self.speed = (abs(c) for c in [*tail.y[tail.m * tail.mu_x].coeffs(), arb(0), arb(0)][:2])
        self.env = self.speed * self.ell + shift  # of the part of Y that has a logarithm
        self._require()

    def _require(self) -> None:
        tail, theorem = self.tail, self.tail.theorem
        if not (self.ell >= 1 and self.x < self.bidisc.x):
            raise Refused("this depth is too small for the inversion: X leaves its disc")
        theorem.require_falling(self.t.max(self.bidisc.reach(tail.root)))
        self.y = self._size(tail.y)
        self.room = (self.bidisc.y - self.y - theorem.truncation(self.t) * self.x**tail.m).lower()
        if not self.room > 0:
            raise Refused("this depth is too small for the inversion: Y leaves its disc")

    def _at(self, weight: int) -> arb:
        return self.u**weight

    def _size(self, polynomial: Polynomial) -> arb:
        """A bound of its modulus: each term falls, or grows like ell beside a power of u."""
        return sum((abs(value) * self.ell**b * self._at(weight) for weight, row in polynomial.items()
                    for b, value in enumerate(row.coeffs())), arb(0)).upper()  # fmt: skip

    def _over(self, weight: int, logs: int) -> arb:
        """u^weight ell^logs over the remainder's, which must fall from here on."""
        tail = self.tail
        excess, more = weight - self.a0, logs - self.b0
        if excess < 0 or not self.ell * excess >= more * tail.m * tail.mu_x:
            raise Refused("a term beyond the remainder cannot be shown to fall against it; begin at a deeper layer")
        return self._at(excess) * self.ell**more

    def all(self) -> dict[str, arb]:
        """In the units of the quantity."""
        tail, kernel = self.tail, self.tail.law.norm is not None
        found = {"B0": self._same_weight(), "B1": self._known(), "B2": self._beyond(), "B3": self._cut()}
        found |= {"B4": self._own()} if kernel else {}
        factor = (1 - tail.theorem.kappa) ** self.b0
        least = self._least_norm() if kernel else arb(1)
        return {name: (value * factor / least).upper() for name, value in found.items()}

    @property
    def _scale(self) -> arb:
        """What the parts are times in the rows."""
        return self.tail.prover.factor if self.tail.law.norm is None else arb(1)

    def _same_weight(self) -> arb:
        row, v = self.tail.rows.get(self.a0, arb_poly([])).coeffs(), (1 / self.ell).union(arb(0))
        return magnitude(sum((c * v ** (self.b0 - b) for b, c in enumerate(row[: self.b0 + 1])), arb(0)))

    def _known(self) -> arb:
        beyond = ((weight, row) for weight, row in self.tail.rows.items() if weight > self.a0)
        return sum((abs(value) * self._over(weight, b) for weight, row in beyond
                    for b, value in enumerate(row.coeffs()) if not value.is_zero()), arb(0)).upper()  # fmt: skip

    def _beyond(self) -> arb:
        tail, last = self.tail, self.tail.prover.last
        mu_x, mu_y, steepness = tail.mu_x, tail.mu_y, tail.m * tail.mu_x
        eta = (self.x / self.bidisc.x).root(mu_x).max((self.y / self.bidisc.y).root(mu_y)).upper()
        if not eta < 1:
            raise Refused("the series of the inversion does not converge at this depth")
        mu = arb(max(mu_x, mu_y))
        share = eta ** (last + 1) * ((arb(last + 1) / mu + 1) / (1 - eta) + eta / (mu * (1 - eta) ** 2))
        slope, total = arb(0) if self.speed.is_zero() else self.speed * (last + 1) / (mu_y * self.env), arb(0)
        for part in tail.parts:
            more = max(0, part.logs - self.b0)
            if not slope + arb(more) / self.ell <= arb(last + 1 - self.a0) / steepness:
                raise Refused("the tail cannot be shown to fall against the remainder; begin at a deeper layer")
            total += part.sup(self.bidisc) * share * self.ell ** (part.logs - self.b0)
        return (total * self._scale / self._at(self.a0)).upper()

    def _cut(self) -> arb:
        """B3: t^(N+1), t <= alpha^(1/m) (1 + r) X, moves Y; a part that X^j divides moves by no more than X^j."""
        tail, theorem, total = self.tail, self.tail.theorem, arb(0)
        p = theorem.first
        size = theorem.error_factor(self.t) * (tail.root.unit * (1 + self.bidisc.r)) ** (p - tail.m)
        for part in tail.parts:
            largest = part.sup(self.bidisc) * self.bidisc.x**-part.order
            total += largest * self._over(tail.mu_x * (p + part.order), part.logs)
        return (total * self._scale * size / self.room).upper()

    def _own(self) -> arb:
        tail = self.tail
        size, power = tail.theorem.solution_error(self.t, arb(0))
        reach = (tail.root.unit * (1 + self.bidisc.r)) ** power
        return (size * reach * self._over(tail.mu_x * (power + tail.m), 0)).upper()

    def _least_norm(self) -> arb:
        """A lower bound of X^m s."""
        tail = self.tail
        rest = {weight: row for weight, row in tail.norm.items() if weight}
        least = (tail.prover.norm_rate * tail.theorem.lead * (1 - self._size(rest))).lower()
        if not least > 0:
            raise Refused("the norm cannot be shown to be positive at this depth")
        return least


class PowerProver(FlowProver):
    """Of a law in powers of l."""

    from_logs, enough = 2, 1.1

    def _root(self) -> Root:
        law = self.law
        if self.weight > law.unit_weight:
            raise Refused(
                "a law of steps like l^-kappa, kappa < 1, has a certificate for terms down to 1/l times the leading "
                "one, where single layers begin to count; ask for fewer terms"
            )
        if law.norm is not None and any(term.coefficient.has(law.constants[1]) for term in law.terms):
            raise Refused("for kappa < 1 the constant D is not enclosed, so a law that prints it has no certificate; "
                          "ask for fewer terms")  # fmt: skip
        smallest = min([law.x_weight * law.map_.excess, *self.extras])  # mu_Y
        self.last = self.weight + WEIGHTS * min(smallest, law.x_weight) + max(smallest, law.x_weight)  # K
        rows = max(self.last // law.x_weight, law.map_.excess * self.last // smallest)
        return Root(self.theorem.series, rows)

    @cached_property
    def powers(self) -> int:
        """How many powers l^(1 - i kappa) of the clock are larger than l^-kappa."""
        if self.theorem.shift.is_zero():
            return 1
        exponent = self.law.map_.exponent
        return next(i for i in range(1, 10**6) if (i + 1) * exponent >= 1 + exponent)

    @cached_property
    def extras(self) -> Polynomial:
        """Z."""
        theorem, law, found = self.theorem, self.law, {}
        for i in range(2, self.powers + 1):
            weight, power = law.weight_of((i - 1) * law.map_.exponent), (-theorem.shift) ** (i - 1)
            left = 1 - i * law.map_.exponent
            row = [arb(0), power] if left == 0 else [power * (1 - theorem.kappa) / exact_rational(left)]
            found[weight] = arb_poly(row)
        return found

    @cached_property
    def factor(self) -> arb:
        """alpha^(root/m)."""
        return self.root.unit**self.law.map_.root

    @cached_property
    def parts(self) -> list[LogPart]:
        """x over X^root alpha^(root/m), or X^m k."""
        if self.law.norm is None:
            e = self.law.map_.root
            return [LogPart(0, self.root.power(e), lambda bidisc: (1 + bidisc.r) ** e)]
        return self.theorem.solution.parts(self.root, arb(0))

    @property
    def depends_on_start(self) -> bool:
        """k - P is bounded from k/h, which a wide interval of starts does not tell."""
        return self.law.has_constants or self.law.norm is not None

    # ---- constants ----------------------------------------------------------------------------------------

    def second(self, orbit: FlowOrbit, layer: int) -> tuple[None, arb]:
        """No D, and K."""
        t = orbit.t(layer)
        return None, self.theorem.kernel_bound(layer, t.ball, orbit.x(layer).low, orbit.a(layer).ball)

    def connection(self, orbit: FlowOrbit, layer: int) -> arb:
        """C."""
        t = orbit.t(layer)
        return self.theorem.connection(layer, (t.low, t.high), orbit.x(layer).low)

    def errors(self, layer: int, kernel: arb) -> Errors:
        theorem, orbit = self.theorem, self.orbit
        time, kappa = theorem.error(layer, orbit.t(layer).upper, orbit.x(layer).low), theorem.exponent
        centre, time = arb(time.mid()), arb(time.rad()).upper()
        if self.law.norm is None:
            return Errors(time, arb(0), arb(0), kappa, centre=centre)
        fall, logs = theorem.kernel_fall()
        norm = (self.norm_rate * theorem.a / 2).upper()
        return Errors(time, kernel, norm, kappa, fall, logs, centre)

    # ---- the tail -----------------------------------------------------------------------------------------

    def tails(self, start: arb, small: arb, c: arb, d: None, errors: Errors) -> list[tuple]:
        """The tail from n on, which leaves nothing between, unless it is large; then a better one too."""
        found = []
        try:
            found.append(self.best_tail([start], small, c, d, errors))
            if total(found[0][0]) <= small.max(found[0][0]["B0"]) * arb(NEARLY):
                return found
        except (Refused, PrecisionError) as refused:
            if isinstance(refused, Disproved):
                raise
        return [*found, self.best_tail(self.depths(start), small, c, d, errors)]

    def depths(self, start: arb) -> list[arb]:
        return [start * arb(DEEPER) ** k for k in range(1, ATTEMPTS)]

    def _tail(self, depth: arb, c: arb, d: None, errors: Errors) -> tuple[dict, Bidisc]:
        y = self.theorem.clock(depth) + c + errors.centre_at(depth) + arb(0, errors.time_at(depth))
        t = Deviation(self, errors).solved(y)
        return best_tail(PowerTail(self, c, errors, depth), depth, t.upper(), arb(1))

    # ---- the norm -----------------------------------------------------------------------------------------

    @cached_property
    def norm(self) -> tuple[arb, arb]:
        """b' and s_0: s_l = b' clock(l) + s_0 + O(l^-kappa)."""
        rate, first = self.given_norm
        return rate, first + rate * self.theorem.steps.constant(self.law.first)

    @property
    def norm_rate(self) -> arb:
        """What s_l is times the clock."""
        return self.norm[0]

    @cached_property
    def _sums(self) -> list[arb]:
        """s_first, s_(first+1), ... as far as they were needed."""
        return [self.given_norm[1]]

    def _normed_kernel(self, orbit: FlowOrbit, layer: int) -> arb:
        first, sums = self.law.first, self._sums
        while len(sums) <= layer - first:
            sums.append(sums[-1] + self.norm_rate * self.theorem.steps.step(first + len(sums)))
        return orbit.a(layer).ball / sums[layer - first]
