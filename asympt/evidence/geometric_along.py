"""A linear recursion along a hyperbolic flow: its law put back, and held against P + D H, symbolically.

Problem.  a' = lambda(y) a + b(y) while y' = chi y (1 + ...).  Is the printed E(n) a solution, and is it the one that P,
H and the constants C and D name?

Rule.  With z = mu^n as in `geometric`, and v = lambda_0^n (or (-1)^n) a second exponential that a step multiplies by
lambda_0,

    E(n + 1) - lambda(t) E(n) - b(t) = O(rest)       P(t) + D H(t) - E(n) = O(rest),

where log|t| = n log|mu| + log|c_r|/root + ...; H starts with v z^k when lambda_0 is no power of mu, or a negative one.
Terms are ordered by their size: z^i v^k n^j is chi^(n (i/root + k w)) n^j, w = log|lambda_0|/log|chi|.

Tiny case.  y' = y/2, a' = a/3 + 1: E = 3/2 + D v, v = 3^(-n).

Known limits.  P and H are taken as printed; `functional` and `constancy` measure them on the original recursion.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Rational, expand, log

from asympt.evidence.check import Check
from asympt.evidence.geometric import EXACT, flow_check, geometric_chart, geometric_profile, inverse_check
from asympt.evidence.profile import Profile
from asympt.evidence.reading import rest_of
from asympt.evidence.ring import GeometricRing, U, V, W
from asympt.evidence.stated import linear_series
from asympt.evidence.substitution import DETAIL, NAME, scaled
from asympt.evidence.zero import Contradiction, Left, left_check, sample, zero_by
from asympt.numbers import to_mpf

CLOSE = 1e-9  # orders closer than this are equal


def geometric_along_checks(law) -> list[Check]:
    """The flow solves the map and inverts S, the printed law solves the linear recursion, and it is P + D H."""
    return [
        flow_check(law),
        left_check(NAME, DETAIL, lambda: _linear_left(law)),
        inverse_check(law, law.flow),
        left_check("P + D H along the flow is the printed expansion", EXACT, lambda: _value_left(law)),
    ]


@dataclass(frozen=True)
class Exponentials:
    """a_n as printed: terms (power of z, logs, power of v, coefficient); v = second^n has the order `weight`."""

    terms: tuple
    second: Expr
    weight: float
    rest: float
    logs: int
    root: int

    @classmethod
    def of(cls, law) -> "Exponentials":
        """Read the printed terms; (-1)^n in a coefficient is a second exponential of weight 0."""
        scale, root, rest = law.expansion.scale, law.dynamics.root, rest_of(law.expansion)
        sign = Integer(-1) ** scale.depth
        weight = None if scale.second is None else scale.weight
        terms = []
        for m, c in law.expansion.terms:
            times = 0 if weight is None else m.order.coeff(weight)
            power = int((m.order - times * weight if times else m.order) * root)
            parts = expand(c, log=False).subs(sign, V).as_poly(V).as_dict() if c.has(sign) else {(0,): c}
            terms += [(power, m.logs, int(times) + k, part) for (k,), part in parts.items()]
        second = scale.second if weight is not None else Integer(-1 if any(k for _, _, k, _ in terms) else 1)
        return cls(tuple(terms), second, float(to_mpf(weight)) if weight is not None else 0.0,
                   float(to_mpf(rest.order)), rest.logs, root)

    @property
    def bias(self) -> int:
        """The largest negative power of z."""
        return max([0, *(-i for i, _, _, _ in self.terms)])

    @property
    def precision(self) -> int:
        """Powers of z that matter, counted from the most negative."""
        return int(max(self.rest, self.rest - self.weight) * self.root + 1) + self.bias + 1

    def expression(self) -> Expr:
        """z^bias a_n in z, n and v."""
        return sum((c * U ** (i + self.bias) * W**j * V**k for i, j, k, c in self.terms), Integer(0))

    def left(self, ring: GeometricRing, element) -> Left:
        """The terms of z^(-bias) element that exceed the remainder, largest first."""
        larger = []
        for (i, j, k), c in ring.coefficients(element):
            order = (i - self.bias) / self.root + k * self.weight
            if order < self.rest - CLOSE or (order < self.rest + CLOSE and j > self.logs):
                larger.append((order, -j, U ** (i - self.bias) * W**j * V**k, c))
        larger.sort(key=lambda term: term[:2])
        return Left.of([(monomial, c) for _, _, monomial, c in larger], ring.exact)


def _linear_left(law) -> Left:
    """Terms of a(n + 1) - lambda(t) a - b(t) that exceed the remainder."""
    profile, root, known = geometric_profile(law, law.flow, None), law.dynamics.root, Exponentials.of(law)
    count = known.precision
    slope, source = (scaled(series, profile.size(root)) for series in linear_series(law, count))
    back = law.koenigs.multiplier ** Rational(-known.bias, root)
    extra = [back, known.expression(), *slope, *source]
    ring, wave, _, (back, solution, *series) = geometric_chart(law, profile, count, extra, known.second)
    slope, source = ring.horner(series[:count], wave), ring.horner(series[count:], wave)
    moved = ring.times(back, ring.next_layer(solution))
    kept = moved - ring.times(slope, solution) - ring.times(source, ring.u**known.bias)
    return known.left(ring, kept)


def _value_left(law) -> Left:
    """Terms of P(t) + D H(t) - a_n that exceed the remainder."""
    profile, known, linear = geometric_profile(law, law.flow, None), Exponentials.of(law), law.linear
    size, count = profile.size(law.dynamics.root), known.precision
    shift, alternating = _free_growth(law, known)
    if shift < -known.bias:
        raise Contradiction(linear.multiplier, f"{law.expansion} does not contain D lambda_0^n")
    parts = ((linear.particular, 0), (linear.particular, 1), (linear.homogeneous, 0))
    rows = [c for expansion, logs in parts for c in scaled(_known(expansion, logs, count), size)]
    extra = [known.expression(), law.constant_symbols["D"], _log_of_t(law, profile), *rows]
    ring, wave, shape, (printed, second, logarithm, *values) = geometric_chart(law, profile, count, extra, known.second)
    plain, with_log, free = (ring.horner(values[k * count : (k + 1) * count], wave) for k in range(3))
    logarithm = logarithm + ring.log(shape) * Rational(profile.power, law.dynamics.root)
    free = ring.times(ring.times(second, free), ring.u ** (known.bias + shift) * (ring.v if alternating else 1))
    total = ring.times(plain + ring.times(with_log, logarithm), ring.u**known.bias) + free
    return known.left(ring, total - printed)


def _known(expansion, logs: int, count: int) -> list[Expr]:
    known = {int(m.order): c for m, c in expansion.terms if m.logs == logs}
    return [known.get(k, Integer(0)) for k in range(count)]


def _log_of_t(law, profile: Profile) -> Expr:
    """log|t| without the log of the shape, n being w; with roots y is positive."""
    root, chi = law.dynamics.root, law.koenigs.multiplier
    lead = profile.lead if root > 1 else abs(profile.lead)
    return (log(lead) + log(abs(chi)) * W) / root


def _free_growth(law, known: Exponentials) -> tuple[int, bool]:
    """(k, whether v multiplies) in D H = D t^(...) or D v z^k h, lambda_0 = (+-) mu^k unless v is lambda_0^n itself."""
    linear = law.linear
    if linear.runs_alone:
        return 0, False
    if law.expansion.scale.second is not None:
        if zero_by(known.second - linear.multiplier) is None:
            reason = f"the law is in powers of {known.second}, lambda_0 is {linear.multiplier}"
            raise Contradiction(known.second, reason)
        return 0, True
    mu = law.koenigs.multiplier ** Rational(1, law.dynamics.root)
    values = sample(linear.multiplier.free_symbols | mu.free_symbols)
    sizes = [log(abs(e.subs(values))).evalf(30) for e in (linear.multiplier, mu)]
    k = int((sizes[0] / sizes[1]).round())
    if zero_by(linear.multiplier - known.second * mu**k) is None:
        raise Contradiction(linear.multiplier, f"lambda_0 is not {known.second}*({mu})^{k}")
    return k, known.second == -1
