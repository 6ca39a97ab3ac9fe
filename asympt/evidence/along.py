"""A linear recursion along a parabolic flow: its law put back, and held against P + D H, symbolically.

Problem.  a' = lambda(y) a + b(y) while y' = G(y).  Is the printed E(l), a_l = E(l) or a_l/l = E(l), a solution, and is
it the one that P, H and the constants C and D name?

Rule.  Put the flow y_l into lambda, b, P and H as `substitution` and `inverse` put it into G and A:

    a(l + 1) - lambda a - b = O(l^(-P) log^J l^(-g))     a known up to O(l^(-P) log^J)
    P(t) + D H(t) - a       = O(l^(-P) log^J)

Every larger coefficient must vanish.  What a leaves out is multiplied by 1 - lambda + O(1/l) in the first line, so
l^(-g) is 1/l, or the first power of t in 1 - lambda if that is larger.

Known limits.  P and H are taken as printed; `functional` and `constancy` measure them on the original recursion.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Rational, ilcm

from asympt.evidence.check import Check
from asympt.evidence.inverse import DETAIL as EXACT
from asympt.evidence.inverse import chart, inverse_check
from asympt.evidence.profile import Profile
from asympt.evidence.reading import rest_of
from asympt.evidence.ring import U, W
from asympt.evidence.stated import linear_series
from asympt.evidence.substitution import DETAIL, NAME, along_flow, scaled
from asympt.evidence.zero import Left, is_zero, left_check


def along_checks(law) -> list[Check]:
    """The printed law solves the linear recursion, its flow inverts A, and it is P + D H."""
    solution = "P + D H" if law.linear.homogeneous is not None else "P"
    return [
        left_check(NAME, DETAIL, lambda: _left(law)),
        inverse_check(law, law.flow),
        left_check(f"{solution} along the flow is the printed expansion", EXACT, lambda: _value_left(law)),
    ]


@dataclass(frozen=True)
class Sum:
    """a_l as printed: terms (power of u, logs, coefficient), `bias` the largest negative power, O(u^rest log^logs)."""

    terms: tuple
    bias: int
    rest: int
    logs: int

    @classmethod
    def of(cls, law, q: int) -> "Sum":
        """Read off the law of a_l, or of a_l/l."""
        gained = 1 if law.average else 0
        terms = tuple(((m.order - gained) * q, m.logs, c) for m, c in law.expansion.terms)
        rest = rest_of(law.expansion)
        return cls(terms, max([0, *(-int(i) for i, _, _ in terms)]), int((rest.order - gained) * q), rest.logs)

    def expression(self, bias: int) -> Expr:
        """u^bias a_l in u and w."""
        return sum((c * U ** (i + bias) * W**j for i, j, c in self.terms), Integer(0))


def _profile(law) -> Profile:
    """The flow, with a u of which all powers that occur are whole powers."""
    m, wave = law.abel.multiplicity, law.linear.homogeneous
    orders = [monomial.order for monomial, _ in law.expansion.terms] + [rest_of(law.expansion).order]
    share = 1 if wave is None else wave.leading[0].order.q
    return Profile.of(law.flow, None, int(ilcm(m * share, *[order.q for order in orders])))


def _left(law) -> Left:
    """Terms of a(l + 1) - lambda(y) a - b(y) that exceed the remainder."""
    profile, root = _profile(law), law.dynamics.root
    known, speed = Sum.of(law, profile.q), profile.speed(root)
    precision = known.rest + profile.q + known.bias + 1
    count = precision // speed + 1
    slope, source = linear_series(law, count)
    gained = min([profile.q, *(k * speed for k, c in enumerate(slope) if not is_zero(c - (1 if k == 0 else 0)))])
    slope, source = (scaled(series, profile.size(root)) for series in (slope, source))
    extra = [*slope, *source, known.expression(known.bias)]
    ring, wave, exact, (_, _, *extra) = along_flow(law, profile, precision, extra)
    slope, source, solution = ring.horner(extra[:count], wave), ring.horner(extra[count:-1], wave), extra[-1]
    moved = ring.next_layer(solution, profile.q)
    moved = ring.times(moved, ring.shift_factor(profile.q, Rational(known.bias, profile.q)))
    kept = moved - ring.times(slope, solution) - ring.times(source, ring.u**known.bias)
    return ring.left(kept, known.rest + gained, known.logs, known.bias) + Left((), exact)


def _value_left(law) -> Left:
    """Terms of P(t) + D H(t) - a_l above the remainder."""
    profile, linear = _profile(law), law.linear
    known, speed = Sum.of(law, profile.q), profile.speed(law.dynamics.root)
    waves = [linear.homogeneous] if linear.homogeneous is not None else []
    lowest = min([0, *(m.order for e in [linear.particular, *waves] for m, _ in e.terms)])
    bias = max(known.bias, int(-lowest * speed))
    extra = [law.constant_symbols["D"], known.expression(bias)]
    solutions = [linear.particular, *waves]
    ring, (total, *free), (second, printed) = chart(
        law.dynamics.root, profile, known.rest + 1, bias, solutions, extra
    )
    for wave in free:
        total = total + ring.times(second, wave)
    return ring.left(total - printed, known.rest, known.logs, bias)
