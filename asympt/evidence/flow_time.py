"""Laws along a flow time against the layers: T, P and H in the flow, C, D and s_0 along an orbit.

h = gamma - (1 - f(1 - gamma)) and h' = 1 - f' come from the layer's correlation map, T by Gauss's quadrature: with
t = sqrt(gamma) and h = c t^3 (1 + O(t^2)), T = 2/(c t) + int_0^t (2/(c s^2) - 2 s/h(s^2)) ds.  For series up to t^N

    -h P' + h' P - f        -h H' + h' H        H - h        -h T' - 1

must be O(t^(N+1)), O(t^(N+1)), O(t^N), O(t^(N+1)), ' = d/dgamma.  Along the original layers 2^10, ..., 2^13,

    T(gamma_l) - clock(l) - C           k_l - P(t_l) - D h(t_l)           1 + sum delta_k - clock(l) - s_0

tend to 0 at least as fast as l^(-kappa).  A wrong C, D or s_0 stays; a wrong step size grows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from mpmath import mp, mpf
from sympy import Rational

from asympt import depth as engine
from asympt.errors import PrecisionError
from asympt.evidence.check import Check, Effort, Work, order_check, rate_check, shortfall, telling
from asympt.evidence.law_terms import (
    evaluation_check,
    function_of,
    kept,
    number,
    require_layer,
    rest_of,
    terms_of,
    value,
)
from asympt.evidence.orbits.constancy import Start, from_first
from asympt.evidence.symbolic.checks import flow_time_checks
from asympt.evidence.symbolic.series import FlowTimeShift
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Statement, at_layer
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep

POINT, APART = mpf(1) / 1000, mpf(1) / 2  # where orders are measured: t and how far apart
LEAD = 3  # h starts with t^3
LOST = 2  # digits of the integrand lost per digit of s, which Gauss's nodes keep above 1/1000
LAYERS = (1024, 2048, 4096, 8192)
STARTS = (("c^1 = 1/10", Rational(1, 10)), ("c^1 = -1/2", Rational(-1, 2)))
DIGITS, FEW = 30, 12
FLOATS, FLOAT_DIGITS, FEWEST = 2e-12, 18, 100
MOST = 20_000  # layers
DOUBLINGS = (10, 11, 12, 13, 14)  # binary logarithms of the layers at which T - clock is read


symbolic_checks = flow_time_checks  # by SymPy's series of 1/h


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    require_layer(law)
    yield "T, P and H in the flow", lambda: solution_checks(law)
    yield "C and D along the original layers", lambda: orbit_checks(law)
    yield "the law's numbers", lambda: number_checks(law, effort.digits)
    yield "float64 at depth", lambda: float_checks(law, effort.depth, effort.workers, effort.report)


@dataclass(frozen=True)
class ScaledFlow:
    """One network's flow in numbers, read off its statement."""

    statement: Statement

    @cached_property
    def _map(self) -> CorrelationMap:
        return CorrelationMap.of(self.statement.layer)

    @property
    def lead(self):
        """c: f = 1 - t^2 + (2 sqrt(2)/3) rho t^3 + ..."""
        return 2 * mp.sqrt(2) * to_mpf(self.statement.layer.activation.asymmetry) / 3

    def drift(self, gap):
        """h, with the digits that the difference costs."""
        with mp.workprec(mp.prec + max(0, -mp.mag(gap)) // 2 + 10):
            found = gap - self._map.gap(gap)
        return +found

    def pull(self, gap):
        """h'."""
        with mp.workprec(mp.prec + max(0, -mp.mag(gap)) // 2 + 10):
            found = 1 - self._map.gap_slope(gap)
        return +found

    def drop(self, gap):
        """1 - f."""
        return self._map.gap(gap)

    def time(self, gap):
        """T."""
        t = mp.sqrt(gap)

        def rest(s):
            with mp.workprec(mp.prec + LOST * max(0, -mp.mag(s)) + 20):
                return 2 / (self.lead * s**2) - 2 * s / self.drift(s**2)

        return 2 / (self.lead * t) + mp.quad(rest, [0, t / 2, t], method="gauss-legendre")


def clock(flow: FlowTimeShift, layer):
    """The sum of the steps without its constant, up to O(l^(-kappa))."""
    v = layer + to_mpf(flow.shift)
    variable = mp.log(v) if flow.logarithmic else v
    return mp.fsum(to_mpf(c) * variable ** to_mpf(-order) * mp.log(v) ** j for order, j, c in flow.clock())


def solution_checks(law) -> list[Check]:
    flow = ScaledFlow(law.layer)
    checks = [_vanishes("$T' = -1/h$", lambda t: _moved(flow, law.time, t) - 1, law.time, 1)]
    if law.linear is None:
        return checks
    particular, homogeneous = law.linear.particular, law.linear.homogeneous
    pure = [c for p, j, c in terms_of(particular) if p == LEAD and not j]
    return [
        *checks,
        _vanishes("$P$ solves the flow's equation", lambda t: _left(flow, particular, t) - 1 + flow.drop(t**2),
                  particular, 1),
        _vanishes("$H$ solves it without forcing", lambda t: _left(flow, homogeneous, t), homogeneous, 1),
        _vanishes("$H = h$", lambda t: value(terms_of(homogeneous), t) - flow.drift(t**2), homogeneous, 0),
        Check("terms $t^3$ in $P$", len(pure), 0, not pure, "proved", "H starts with t^3, so they belong to D"),
    ]


def _moved(flow: ScaledFlow, expansion, t):
    """d/dT of an expansion in t: -h/(2 t) d/dt."""
    terms = [(p - 1, j, p * c) for p, j, c in terms_of(expansion)]
    terms += [(p - 1, j - 1, j * c) for p, j, c in terms_of(expansion) if j]
    return -flow.drift(t**2) / (2 * t) * value(terms, t)


def _left(flow: ScaledFlow, expansion, t):
    return _moved(flow, expansion, t) + flow.pull(t**2) * value(terms_of(expansion), t)


def _vanishes(name: str, defect: Callable, expansion, gain: int) -> Check:
    """The order with which the defect vanishes, against the order of what was left out."""
    rest, growth = rest_of(expansion), max(0, -int(expansion.leading[0].order))
    order = int(rest.order) + gain
    missing = shortfall(defect, order, POINT, growth, APART, rest.logs)
    return order_check(name, missing, f"the layer's own h, h' and f in mpmath; it should vanish like t^{order}")


def orbit_checks(law) -> list[Check]:
    """C, and D and s_0 of an NTK law, along the original layers."""
    flow, steps, checks = ScaledFlow(law.layer), FlowTimeShift.of(law), []
    for label, start in STARTS:
        with mp.workdps(DIGITS):
            states = _states(law, start)
            constant = law.connection_constant(correlation=start, digits=FEW)
            left = [flow.time(gap) - clock(steps, layer) - constant for layer, gap, _ in states]
            checks.append(_settles(f"$T - clock - C$ from ${label}$", left, law))
            if law.linear is not None and law.layer.decay == 1:
                checks.append(_settles(f"$k - P - D h$ from ${label}$", _kernel_left(law, states, start), law))
    if law.linear is not None:
        with mp.workdps(DIGITS):
            checks.append(_settles("$K(x,x)/q - clock - s_0$", _diagonal_left(law), law))
    return checks


def _states(law, start, layers=LAYERS) -> list[tuple]:
    """(l, gap, k) of a network without a scale at these layers, from layer 1, where k^1 = c^1."""
    gap = 1 - to_mpf(start)
    states = kept(DenseStep(law.layer), (1, mpf(1), mpf(1), gap, 1 - gap), layers)
    return [(layer, *state[3:]) for layer, state in states.items()]


def _kernel_left(law, states: list, start) -> list:
    second = law.second_constant(correlation=start, digits=FEW)
    particular, homogeneous = (terms_of(e) for e in (law.linear.particular, law.linear.homogeneous))
    return [k - value(particular, mp.sqrt(gap)) - second * value(homogeneous, mp.sqrt(gap)) for _, gap, k in states]


def _diagonal_left(law) -> list:
    """1 + sum delta_k - clock - s_0, the shares being those of the statement."""
    shares = [at_layer(law.layer.branch_share, layer) for layer in range(2, LAYERS[-1] + 1)]
    ends, steps = number(law.coordinate.diagonal, {}), FlowTimeShift.of(law)
    return [1 + mp.fsum(shares[: layer - 1]) - clock(steps, layer) - ends for layer in LAYERS]


def _settles(name: str, left: list, law) -> Check:
    """By how much the rate at which what is left tends to 0 falls short of kappa."""
    kappa = law.layer.decay
    return rate_check(name, left, min(to_mpf(kappa), 1), kappa, f"layers {', '.join(map(str, LAYERS))}")


def number_checks(law, digits: int) -> list[Check]:
    """What the law evaluates to, against the layers one by one in mpmath."""
    deep = min(3 * (digits + 12) ** 2, MOST)
    with mp.workdps(digits + 20):
        start = STARTS[0][1]
        [(_, gap, kernel)] = _states(law, start, [deep])
        shares = (at_layer(law.layer.branch_share, layer) for layer in range(2, deep + 1))
        seen = gap if law.linear is None else kernel / (1 + mp.fsum(shares))
        name = f"the law evaluated at layer {deep} against iteration, ${STARTS[0][0]}$: relative deviation"
        detail = "beyond the layers that the evaluation iterates itself"
        return [evaluation_check(name, law, {deep: seen}, digits, mpf(10) ** -digits, detail, correlation=start)]


def float_checks(law, depth: int, workers: int = 1, progress=None) -> list[Check]:
    """The NumPy engine at layer `depth`, or FEWEST, against the law's numbers, from both starts."""
    depth = max(depth, FEWEST)
    gaps = [float(1 - start) for _, start in STARTS]
    report = telling(progress, f"float64 iteration to depth {depth}")
    found = engine.pairs(law.layer, [*gaps, 0.0], depth, workers=workers, progress=report)
    seen = found[0][:2] if law.linear is None else found[1][:2] / found[1][2]
    stated = [float(law.evaluate(depth=depth, correlation=start, digits=FLOAT_DIGITS)) for _, start in STARTS]
    figure = max(abs(one / two - 1) for one, two in zip(seen, stated, strict=True))
    name = f"float64 iteration at depth {depth}, $c^1 = 1/10$ and -1/2: largest relative deviation"
    return [Check.measured(name, figure, FLOATS, "the NumPy engine against the law's own numbers")]


def drift_checks(law, given=None) -> list[Check]:
    """The check of the orbit, from the start that was given or from the first that stays above 0, which it shows."""
    return from_first(law, given, lambda start: [drift_check(law, start)], lambda law, value: True)


def drift_check(law, start: Start) -> Check:
    """T - clock tends to a constant at the rate l^(-kappa), along the original recursion."""
    flow, drift = FlowTimeShift.of(law), law.dynamics.drift
    h = function_of(drift.formula, drift.symbol)
    with mp.workdps(DIGITS):
        orbit = _orbit(law, flow, h, to_mpf(start.value))
        moves = time_moves(h, orbit, [clock(flow, 2**k) for k in DOUBLINGS])
        name = f"$T$ - (sum of the step sizes) tends to a constant from ${start.label}$"
        where = f"layers {', '.join(str(2**k) for k in DOUBLINGS)}, T by quadrature; the change between layers"
        return rate_check(name, moves, to_mpf(flow.kappa), flow.kappa, where)


def time_moves(h: Callable, orbit: list, clocks: list) -> list:
    """By how much T - clock changes from each point of an orbit to the next, T by quadrature."""
    times = [mp.quad(lambda s: mp.exp(s) / h(mp.exp(s)), [mp.log(b), mp.log(a)]) for a, b in pairwise(orbit)]
    return [t - (b - a) for t, (a, b) in zip(times, pairwise(clocks), strict=True)]


def _orbit(law, flow: FlowTimeShift, h, x) -> list:
    weight, shift, kappa = to_mpf(flow.weight), to_mpf(flow.shift), to_mpf(flow.kappa)

    def step(here: tuple) -> tuple:
        layer, x = here[0] + 1, here[1]
        x = x - weight / (layer + shift) ** kappa * h(x)
        if not x > 0:
            raise PrecisionError(f"the orbit passes the fixed point 0 at layer {layer}; give another start=...")
        return layer, x

    first = law.dynamics.first
    return [x for _, x in kept(step, (first, x), [2**k for k in DOUBLINGS], first).values()]
