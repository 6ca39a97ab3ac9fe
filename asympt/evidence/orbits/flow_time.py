"""The flow time along an orbit of x_l = x_(l-1) - delta_l h(x_(l-1)): it grows like the sum of the step sizes.

Problem.  `symbolic.flow_time` puts the printed law together with the flow time.  Does the original recursion obey?

Rule.  T by quadrature of 1/h, not by its series, grows along the original recursion like the clock, the integral of the
step size, and what is left tends to a constant at least as fast as l^(-kappa).  A wrong h or step size keeps it
moving.

Tiny case.  h = x^2, delta = 1/l: 1/x_l - log l tends to C like 1/l.

Known limits.  The rate is read off 16 thousand layers, so it is known to a tenth only.
"""

from itertools import pairwise

from mpmath import mp, mpf, nstr
from sympy import Expr

from asympt.errors import PrecisionError
from asympt.evidence.check import Check
from asympt.evidence.orbits.starts import Start, from_first
from asympt.evidence.reading import function_of
from asympt.evidence.symbolic.flow_time import FlowTime
from asympt.numbers import to_mpf

DOUBLINGS = (10, 11, 12, 13, 14)  # binary logarithms of the layers at which C is read
RATE = mpf(1) / 10


def drift_checks(law, given=None) -> list[Check]:
    """The check of the orbit, from the start that was given or from the first that stays above 0."""
    return from_first(law, given, lambda start: [drift_check(law, start)], any_start)


def any_start(law, value: Expr) -> bool:
    """Every start is tried: the orbit itself shows whether it stays above 0."""
    return True


def drift_check(law, start: Start, digits: int = 30) -> Check:
    """T - clock tends to a constant at the rate l^(-kappa), along the original recursion."""
    flow, drift = FlowTime.of(law), law.dynamics.drift
    h = function_of(drift.formula, drift.symbol)
    with mp.workdps(digits):
        orbit = _orbit(law, flow, h, to_mpf(start.value))
        times = [mp.quad(lambda s: mp.exp(s) / h(mp.exp(s)), [mp.log(b), mp.log(a)]) for a, b in pairwise(orbit)]
        clocks = [_clock(flow, 2**k + to_mpf(flow.shift)) for k in DOUBLINGS]
        moves = [t - (b - a) for t, (a, b) in zip(times, pairwise(clocks), strict=True)]
        rates = [mp.log(abs(a / b), 2) for a, b in pairwise(moves) if a and b]
        figure = max(mpf(0), to_mpf(flow.kappa) - rates[-1]) if rates else mpf(0)
    what = f"T - (sum of the step sizes) tends to a constant from {start.label}"
    name = f"{what}: shortfall of the rate l^(-{flow.kappa})"
    layers = ", ".join(str(2**k) for k in DOUBLINGS)
    detail = f"layers {layers}, T by quadrature; it still moves by {nstr(moves[-1], 3)}"
    return Check(name, nstr(figure, 3), nstr(RATE, 3), bool(figure <= RATE), "checked", detail)


def _clock(flow: FlowTime, v):
    weight, rest = to_mpf(flow.weight), to_mpf(1 - flow.kappa)
    return weight * mp.log(v) if rest == 0 else weight * v**rest / rest


def _orbit(law, flow: FlowTime, h, x) -> list:
    """x at the layers 2^k, by the recursion itself."""
    weight, shift, kappa = to_mpf(flow.weight), to_mpf(flow.shift), to_mpf(flow.kappa)
    kept = []
    for layer in range(law.dynamics.first + 1, 2 ** DOUBLINGS[-1] + 1):
        x = x - weight / (layer + shift) ** kappa * h(x)
        if not x > 0:
            raise PrecisionError(f"the orbit passes the fixed point 0 at layer {layer}; give another start=...")
        if layer & (layer - 1) == 0 and layer.bit_length() - 1 in DOUBLINGS:
            kept.append(x)
    return kept
