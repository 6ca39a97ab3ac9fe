"""The law of x_l = x_(l-1) - delta_l h(x_(l-1)), delta_l = a (l + beta)^(-kappa) or alpha/(l^kappa + alpha), put back.

Problem.  The step size depends on the layer, so there is no Abel function of x alone.  Does the printed law solve the
recursion, and does it carry the C that it names?

Rule.  The flow time T, T' = -1/h, is integrated term by term from SymPy's series of 1/h, without a constant term.  C is
the constant term of T(x_l) - clock, the clock being the integral of the step size: a log v or a v^(1-kappa)/(1-kappa),
v = l + beta, or for alpha/(l^kappa + alpha) the sum of -(-alpha)^n l^(1 - n kappa)/(1 - n kappa), a log l among them.
In the ring of `ring`, with u = l^(-1/q), along the printed x_l,

    T(x_l) - clock - C = O(l^(-kappa)) and the remainder's image               nothing larger may survive
    x_(l+1) - x_l + delta_(l+1) h(x_l) = O(1/l) times the remainder            nothing larger may survive

and the T that the law carries must be this one.  For kappa = 1 and h = c x^p (1 + ...), p > 1, the law is one in powers
of 1/log l, u = (log l)^(-1/q); 1/l is beyond all of them, so the first line, T(x_l) = a log l + C, is the whole law.
The NTK of a scaled residual network is (P(t) + D h(t))/(clock + s_0) with T = clock + C solved for t (`inverse`).

Tiny case.  h = x^2, delta = 1/l: T = 1/x, and x_l = 1/log l - C/log(l)^2 + ... gives T = log l + C.

Known limits.  kappa <= 1.  P and H are taken as printed; `scaled` measures them, and follows the original recursion.
"""

from collections import namedtuple
from dataclasses import dataclass

from sympy import Expr, Integer, Rational, ceiling, ilcm

from asympt.evidence.check import Check
from asympt.evidence.law_terms import rest_of
from asympt.evidence.symbolic.defect import DETAIL, EXACT, NAME, along_flow, scaled, uniformiser_in
from asympt.evidence.symbolic.inverse import NAME as INVERTED
from asympt.evidence.symbolic.inverse import Function, Inverse, along_inverse
from asympt.evidence.symbolic.profile import PrintedProfile
from asympt.evidence.symbolic.ring import DepthRing
from asympt.evidence.symbolic.series import T, laurent
from asympt.evidence.symbolic.zero import Contradiction, Left, left_check
from asympt.meanfield.correlation import CorrelationMap

TIME = "put into the flow time, the expansion gives the sum of the step sizes + C"
Power = namedtuple("Power", "order logs")
Terms = namedtuple("Terms", "terms")


def flow_time_checks(law) -> list[Check]:
    """The law has the right flow time, and on the scale of powers of l it solves the recursion; or a quotient does."""
    flow = FlowTimeShift.of(law)
    checks = [left_check("T' = -1/h, every coefficient that is stated", EXACT, lambda: flow.stated_left(law))]
    if law.linear is not None:
        return [*checks, left_check(INVERTED.format("T"), EXACT, lambda: flow.quotient_left(law))]
    checks.append(left_check(TIME, EXACT, lambda: flow.time_left(law)))
    return checks if flow.logarithmic else [left_check(NAME, DETAIL, lambda: flow.recursion_left(law)), *checks]


@dataclass(frozen=True)
class FlowTimeShift:
    """h in t, x = t^root; h = O(x^p), excess = root (p - 1); delta = b or, saturating, b/(1 + b).

    b = weight (l + shift)^(-kappa).
    """

    drift: Expr
    root: int
    excess: int
    weight: Expr
    kappa: Rational
    shift: Expr
    saturating: bool = False

    @classmethod
    def of(cls, law) -> "FlowTimeShift":
        """Read the original recursion; that of a network off its statement, for which h = gamma - (1 - f)."""
        if law.layer is not None:
            image = CorrelationMap.of(law.layer.layer).gap_in_uniformiser(T)
            return cls(T**2 - image, 2, 1, law.layer.layer.chi, law.layer.decay, Integer(0), True)
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

    def clock(self) -> tuple:
        """The integral of the step size at large v, up to O(l^(-kappa)): (order, logs, coefficient), largest first.

        v = l + shift, or log l where that is the law's variable.
        """
        if self.logarithmic:
            return ((Integer(-1), 0, self.weight),)
        count = int(ceiling(1 / self.kappa)) if self.saturating else 1
        rests = [(1 - n * self.kappa, -((-self.weight) ** n)) for n in range(1, count + 1)]
        return tuple((-rest, 0, c / rest) if rest else (Integer(0), 1, c) for rest, c in rests)

    # ---- the flow time --------------------------------------------------------------------------

    def time(self, last: int) -> Terms:
        """T up to t^last, from SymPy's series of dx/h."""
        share, first, known = laurent(self.root * T ** (self.root - 1) / self.drift, last)
        if share != 1 or first != -self.excess - 1:
            raise Contradiction(self.drift, f"1/h does not start with t^({-self.excess - 1})")
        powers = [(k + 1, c) for k, c in enumerate(known, start=first) if c != 0]
        return Terms([(Power(k, 0), -c / k) if k else (Power(0, 1), -c) for k, c in powers])

    def stated_left(self, law) -> Left:
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
        rest, logs = profile.remainder - lost, profile.logs
        if not self.logarithmic and self.kappa < rest:
            rest, logs = self.kappa, 0
        allowed, valuation = profile.orders(rest), profile.valuation(self.root)
        bias = max(profile.orders(lost), self.excess * valuation)
        time = self.time(int(ceiling(Rational(allowed + bias + 1, valuation))))
        extra, precision = [law.constant_symbols["C"], self.shift, *(c for _, _, c in self.clock())], allowed + 1 + bias
        ring, (position,), (constant, shift, *clock) = along_flow(
            lambda expressions: DepthRing(expressions, precision, profile.q), self.root, profile, precision,
            profile.log_of_uniformiser(self.root), [(time, bias)], extra,
        )
        target = ring.times(ring.u**bias, constant)
        grown = ring.ring.one if self.logarithmic else 1 + ring.times(shift, ring.u**profile.q)
        for (order, logarithms, _), c in zip(self.clock(), clock, strict=True):
            factor = ring.w + ring.log(grown) if logarithms else ring.root(grown, -order)
            target = target + ring.times(ring.times(c, factor), ring.u ** int(bias + order * profile.q))
        return ring.left(position - target, allowed, logs, bias)

    # ---- the recursion --------------------------------------------------------------------------

    def recursion_left(self, law) -> Left:
        """Terms of x_(l+1) - x_l + delta_(l+1) h(x_l), in units of x_l, that exceed the remainder."""
        profile = self.profile(law)
        allowed, valuation, q = profile.orders(profile.remainder + 1), profile.valuation(self.root), profile.q
        start = int(q * self.kappa) + self.excess * valuation
        count = max(1, (allowed - start) // valuation + 2)
        share, first, known = laurent(self.drift / T**self.root, self.excess + count)
        if share != 1 or first != self.excess:
            raise Contradiction(self.drift, f"h/x does not start with t^{self.excess}")
        known = scaled(known[:count], profile.size(self.root), first)
        ring = DepthRing([profile.shape(), self.weight, self.shift, *known], allowed + 1, q, -profile.order * q)
        shape, weight, shift, *rate = ring.elements
        t = uniformiser_in(ring, profile, shape, self.root)
        step = ring.times(weight, ring.root(1 + ring.times(shift + 1, ring.u**q), -self.kappa))
        if self.saturating:
            step = ring.times(step, ring.root(1 + ring.times(step, ring.u ** int(q * self.kappa)), -1))
        pull = ring.times(ring.horner(rate, t), ring.root(shape, 1 + Rational(self.excess, self.root)))
        change = ring.moved(shape) - shape + ring.times(ring.times(step, pull), ring.u**start)
        return ring.left(change, allowed, profile.logs)

    # ---- a quotient along the flow --------------------------------------------------------------

    def quotient_left(self, law) -> Left:
        """Terms of (P + D h)/(clock + s_0) - E above the remainder, along the inverse of T."""
        (order, _, lead), *later = self.clock()
        last = int(ceiling((rest_of(law.expansion).order - 2 * order) * self.excess / -order)) + 1
        (power, _), nu = (time := self.time(last)).terms[0]
        after = [(k - order, j, c / lead) for k, j, c in later]
        ends = (law.constant_symbols["C"], law.coordinate.diagonal)
        surplus, divisor = ((*after, (-order, 0, end / lead)) for end in ends)
        known = tuple((m.order, m.logs, c) for m, c in time.terms[1:])
        inverse = Inverse(-power, nu, known, lead, -order, surplus)
        found: dict = {}
        for expansion, weight in ((law.linear.particular, 1), (law.linear.homogeneous, law.constant_symbols["D"])):
            for m, c in expansion.terms:
                key = int(m.order), m.logs
                found[key] = found.get(key, Integer(0)) + weight * c
        return along_inverse(law.expansion, Function.of(found, last), inverse, divisor)
