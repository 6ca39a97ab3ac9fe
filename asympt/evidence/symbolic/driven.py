"""The law of a driven recursion x_l = x_(l-1) - delta_l h(x_(l-1)), delta_l = a (l + beta)^(-kappa), put back.

Problem.  The step size depends on the layer, so there is no Abel function of x alone.  Does the printed law solve the
recursion, and does it carry the C that it names?

Rule.  The flow time T, T' = -1/h, is integrated term by term from SymPy's series of 1/h, without a constant term.  C is
the constant term of T(x_l) - clock(l + beta), clock the integral of the step size: a log v or a v^(1-kappa)/(1-kappa).
In the ring of `ring`, with u = l^(-1/q), along the printed x_l,

    T(x_l) - clock(l + beta) - C = O(l^(-kappa)) and the remainder's image      nothing larger may survive
    x_(l+1) - x_l + delta_(l+1) h(x_l) = O(1/l) times the remainder            nothing larger may survive

and the T that the law carries must be this one.  For kappa = 1 and h = c x^p (1 + ...), p > 1, the law is one in powers
of 1/log l, u = (log l)^(-1/q); 1/l is beyond all of them, so the first line, T(x_l) = a log l + C, is the whole law.

Tiny case.  h = x^2, delta = 1/l: T = 1/x, and x_l = 1/log l - C/log(l)^2 + ... gives T = log l + C.

Known limits.  kappa <= 1.  T and the law are taken as printed; `orbits.flow_time` follows the original recursion.
"""

from collections import namedtuple
from dataclasses import dataclass

from sympy import Expr, Integer, Rational, ceiling, ilcm

from asympt.evidence.check import Check
from asympt.evidence.reading import rest_of
from asympt.evidence.symbolic.defect import DETAIL, EXACT, NAME, along_flow, scaled, uniformiser_in
from asympt.evidence.symbolic.profile import PrintedProfile
from asympt.evidence.symbolic.ring import DepthRing
from asympt.evidence.symbolic.series import T, laurent
from asympt.evidence.symbolic.zero import Contradiction, Left, left_check

TIME = "put into the flow time, the expansion gives the sum of the step sizes + C"
Power = namedtuple("Power", "order logs")
Terms = namedtuple("Terms", "terms")


def driven_checks(law) -> list[Check]:
    """The printed law has the right flow time; on the scale of powers of l it also solves the recursion."""
    flow = Driven.of(law)
    checks = [
        left_check("T' = -1/h, every coefficient that is stated", EXACT, lambda: flow.stated_time_left(law)),
        left_check(TIME, EXACT, lambda: flow.time_left(law)),
    ]
    return checks if flow.logarithmic else [left_check(NAME, DETAIL, lambda: flow.left(law)), *checks]


@dataclass(frozen=True)
class Driven:
    """h in t, x = t^root; h = O(x^p), excess = root (p - 1); delta = weight (l + shift)^(-kappa)."""

    drift: Expr
    root: int
    excess: int
    weight: Expr
    kappa: Rational
    shift: Expr

    @classmethod
    def of(cls, law) -> "Driven":
        """Read the original recursion."""
        drift, steps = law.dynamics.drift, law.dynamics.steps
        formula = drift.formula.subs(drift.symbol, T**drift.root)
        return cls(formula, drift.root, drift.order - drift.root, steps.weight, steps.exponent, steps.shift)

    @property
    def logarithmic(self) -> bool:
        """Whether the law is one in powers of log l."""
        return self.kappa == 1 and self.excess > 0

    def profile(self, law) -> PrintedProfile:
        """The printed x, with a u of which the powers of the clock are whole powers."""
        share = 1 if self.logarithmic else (1 - self.kappa).q
        return PrintedProfile.of(law.expansion, None, int(ilcm(max(1, self.excess), share, self.kappa.q)))

    # ---- the flow time --------------------------------------------------------------------------

    def time(self, last: int) -> Terms:
        """T up to t^last, from SymPy's series of dx/h."""
        share, first, known = laurent(self.root * T ** (self.root - 1) / self.drift, last)
        if share != 1 or first != -self.excess - 1:
            raise Contradiction(self.drift, f"1/h does not start with t^({-self.excess - 1})")
        powers = [(k + 1, c) for k, c in enumerate(known, start=first) if c != 0]
        return Terms([(Power(k, 0), -c / k) if k else (Power(0, 1), -c) for k, c in powers])

    def stated_time_left(self, law) -> Left:
        """Coefficients of the T that the law carries which are not those of the integral."""
        rest = rest_of(law.time)
        stated = {(m.order, m.logs): c for m, c in law.time.terms}
        known = {(m.order, m.logs): c for m, c in self.time(int(rest.order) - 1).terms if m.order < rest.order}
        keys = sorted({*stated, *known})
        return Left.of([(T ** key[0], stated.get(key, 0) - known.get(key, Integer(0))) for key in keys])

    def time_left(self, law) -> Left:
        """Terms of T(x_l) - clock - C that must not be there."""
        profile = self.profile(law)
        lost = 1 if self.logarithmic else 1 - self.kappa
        reach, logs = profile.reach - lost, profile.logs
        if not self.logarithmic and self.kappa < reach:
            reach, logs = self.kappa, 0
        allowed, speed = profile.orders(reach), profile.speed(self.root)
        bias = max(profile.orders(lost), self.excess * speed)
        time = self.time(int(ceiling(Rational(allowed + bias + 1, speed))))
        extra = [law.constant_symbols["C"], self.weight, self.shift]
        precision = allowed + 1 + bias
        ring, (position,), constants = along_flow(
            lambda expressions: DepthRing(expressions, precision, profile.q), self.root, profile, precision,
            profile.log_of_uniformiser(self.root), [(time, bias)], extra,
        )
        target = self._clock(ring, profile.q, bias, *constants[1:]) + ring.times(ring.u**bias, constants[0])
        return ring.left(position - target, allowed, logs, bias)

    def _clock(self, ring: DepthRing, q: int, bias: int, weight, shift):
        """u^bias times the integral of the step size at l + shift."""
        if self.logarithmic:
            return ring.times(weight, ring.u ** (bias - q))
        if self.kappa == 1:
            logarithm = ring.w + ring.log(1 + ring.times(shift, ring.u**q))
            return ring.times(ring.times(weight, logarithm), ring.u**bias)
        rest = 1 - self.kappa
        grown = ring.root(1 + ring.times(shift, ring.u**q), rest)
        return ring.times(ring.times(weight, grown), ring.u ** int(bias - rest * q)) * (1 / rest)

    # ---- the recursion --------------------------------------------------------------------------

    def left(self, law) -> Left:
        """Terms of x_(l+1) - x_l + delta_(l+1) h(x_l), in units of x_l, that exceed the remainder."""
        profile = self.profile(law)
        allowed, speed, q = profile.orders(profile.reach + 1), profile.speed(self.root), profile.q
        start = int(q * self.kappa) + self.excess * speed
        count = max(1, (allowed - start) // speed + 2)
        share, first, known = laurent(self.drift / T**self.root, self.excess + count)
        if share != 1 or first != self.excess:
            raise Contradiction(self.drift, f"h/x does not start with t^{self.excess}")
        known = scaled(known[:count], profile.size(self.root), first)
        extra = [profile.shape(), self.weight, self.shift, *known]
        ring = DepthRing(extra, allowed + 1, q, -profile.order * q)
        shape, weight, shift, *rate = ring.elements
        wave = uniformiser_in(ring, profile, shape, self.root)
        step = ring.times(weight, ring.root(1 + ring.times(shift + 1, ring.u**q), -self.kappa))
        pull = ring.times(ring.horner(rate, wave), ring.root(shape, 1 + Rational(self.excess, self.root)))
        change = ring.moved(shape) - shape + ring.times(ring.times(step, pull), ring.u**start)
        return ring.left(change, allowed, profile.logs)
