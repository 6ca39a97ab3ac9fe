"""P, H and T of a scaled residual network against their equations, in numbers.

Problem.  k = P(t) + D h(t) along dgamma/dT = -h.  Are the stated series right, every coefficient?

Rule.  With ' the derivative with respect to gamma, t = sqrt(gamma), and h, h', f from the original layer,

    -h P' + h' P - f        -h H' + h' H        H - h        -h T' - 1

must be O(t^(N+1)), O(t^(N+1)), O(t^N) and O(t^(N+1)) for series up to, not including, t^N.  Each is looked at in two
places: their quotient shows the order, which a wrong coefficient lowers.  P must have no pure t^3: that makes D what
it is said to be.

Tiny case.  P = 1/(2 c t): -c t^3 P' = 1/4 and h' P = 3/4, together f(1) = 1.
"""

from mpmath import mp, mpf, nstr
from sympy import Rational

from asympt.evidence.check import Check
from asympt.evidence.reading import rest_of, terms_of, value
from asympt.evidence.scaled.flow import ScaledFlow

PLACES = (Rational(1, 1000), Rational(1, 2000))
SHORT = 0.5  # orders that may be missing
WAVE = 3  # h starts with t^3


def solution_checks(law) -> list[Check]:
    """T; and P and H of an NTK law."""
    flow = ScaledFlow(law.layer)
    checks = [_check("T' = -1/h", lambda t: _moved(flow, law.time, t) - 1, rest_of(law.time), 1)]
    if law.linear is None:
        return checks
    particular, wave = law.linear.particular, law.linear.homogeneous
    return [
        *checks,
        _check("P solves the flow's equation", lambda t: _left(flow, particular, t) - 1 + flow.drop(t**2),
               rest_of(particular), 1),
        _check("H solves it without forcing", lambda t: _left(flow, wave, t), rest_of(wave), 1),
        _check("H = h", lambda t: value(terms_of(wave), t) - flow.drift(t**2), rest_of(wave), 0),
        _no_pure_wave(particular),
    ]


def _moved(flow: ScaledFlow, expansion, t):
    """d/dT of an expansion in t: -h/(2 t) d/dt."""
    terms = [(p - 1, j, p * c) for p, j, c in terms_of(expansion)]
    terms += [(p - 1, j - 1, j * c) for p, j, c in terms_of(expansion) if j]
    return -flow.drift(t**2) / (2 * t) * value(terms, t)


def _left(flow: ScaledFlow, expansion, t):
    return _moved(flow, expansion, t) + flow.pull(t**2) * value(terms_of(expansion), t)


def _check(name: str, defect, rest, gain: int) -> Check:
    """The order with which the defect vanishes, against the order of what was left out."""
    expected = float(rest.order) + gain
    with mp.workdps(int(4 * expected) + 60):
        one, two = (abs(defect(mpf(int(p.p)) / int(p.q))) for p in PLACES)
        order = mp.log(one / two, 2) if one and two else mp.inf
        short = max(mpf(0), expected - order)
    detail = f"the defect falls like t^{nstr(order, 4)}, t^{expected:g} or faster is needed"
    return Check(f"{name}: orders that are missing", nstr(short, 3), SHORT, bool(short <= SHORT), "checked", detail)


def _no_pure_wave(particular) -> Check:
    found = [c for p, j, c in terms_of(particular) if p == WAVE and not j]
    return Check("pure terms t^3 in P", len(found), 0, not found, "proved", "where H starts: it would be part of D")
