"""The flow behind a scaled residual network with a ReLU-like phi: its drift h, and the NTK along it.

gamma' = gamma - delta h(gamma), h = gamma - (1 - f(1 - gamma)), and k' = (1 - delta h') k + delta f in units of the
variance.  In the flow time T, dT = -dgamma/h, dk/dT = -h' k + f; with t = sqrt(gamma)

    k = P + D h,      P = h T - h int (1 - t^2) 2t dt/h^2,      h = c t^3 (1 + t^2/20 + ...),  c = 2 sqrt(2) rho/3.

h is odd in t, so T = 2/(c t) + ... is odd and has no logarithm; (1 - t^2) t/h^2 has a residue: P = 1/(2 c t) + ...
contains h log t.  P carries no pure t^3, the power with which h starts: that normalises D.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, S, asin, simplify, sqrt

from asympt.architectures.scaled.sums import LayerSum, mixing_steps
from asympt.blocks.nodes import LAYER
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.gaussian.closed.arccosine import half_angle, lune
from asympt.gaussian.price.relu_like import value_level
from asympt.meanfield.correlation import ReluLikeMap
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.coordinates.flow_time.continuation import Continuation, Interval, Point
from asympt.recursions.coordinates.flow_time.coordinate import FlowFormulas, FlowTime, Followed
from asympt.recursions.coordinates.flow_time.drift import Drift
from asympt.recursions.coordinates.flow_time.orbit import (
    MORE,
    MOST_DIFFERENCES,
    DrivenDynamics,
    TooEarly,
    terms_needed,
    weights_of,
)
from asympt.recursions.coordinates.flow_time.series import grid_of, solve_in_time, tail, value
from asympt.recursions.protocol import T
from asympt.symbols import Reserved

GAP = Reserved("gamma", positive=True)
ROOT, ORDER = 2, 3  # t = gamma^(1/2), h = c t^3 (1 + ...)
AHEAD = 16


@lru_cache(maxsize=64)
def drift_of(kink_weight: Expr, linear_weight: Expr) -> Drift:
    """h for an activation with the given kappa and 1 - kappa.

    >>> h = drift_of(Rational(1, 2), Rational(1, 2))
    >>> h.power, h.ratio(5)
    (3/2, [1, 0, 1/20, 0, 9/1120])
    """
    f = ReluLikeMap(kink_weight, linear_weight)
    formula = GAP - f.gap_in_uniformiser(sqrt(GAP))
    lead = lead_of(f.asymmetry)
    
    def drift(gap):
        """rho (sin theta - theta cos theta), to full relative accuracy."""
        return to_mpf(f.asymmetry) * lune(half_angle(gap))

    return Drift(ROOT, ORDER, lead, ratio, drift, formula, GAP, known=True)


def lead_of(asymmetry: Expr) -> Expr:
    """c."""
    return 2 * sqrt(2) * asymmetry / 3


def asymmetry_of(drift: Drift) -> Expr:
    """rho, from c."""
    return 3 * drift.lead / (2 * sqrt(2))


def ratio(count: int) -> list[Rational]:
    """The first `count` coefficients of h/(c t^3) in t: the same for every ReLU-like phi."""
    return list(_ratio(-(-count // AHEAD) * AHEAD)[:count])


@lru_cache(maxsize=16)
def _ratio(count: int) -> tuple[Rational, ...]:
    known = {int(m.order): c for m, c in value_level(1 / lead_of(Integer(1)), count + ORDER).terms}
    return tuple(known.get(k + ORDER, Integer(0)) for k in range(count))


def ntk_solution(lead: Expr, order: int) -> LinearSolution:
    """P and H = h up to, not including, t^order, for h = lead t^3 (1 + ...).

    >>> print(ntk_solution(Integer(1), 4).particular)
    1/(2*t) - 43*t/40 + 2*t^2 - 32*t^3*log(t)/175 + O(t^4*log(t))
    """
    time, rest, resonance = _particular(order)
    pure = {k: time.get(k, 0) + rest.get(k, 0) / lead for k in range(ROOT - ORDER, order)}
    return solution_along(lead, ratio(max(1, order - ORDER)), ROOT, ORDER, pure, resonance / lead, order)


def solution_along(lead: Expr, shape: list, root: int, first: int, pure: dict, resonance: Expr, order: int):
    """P = pure + resonance t^first shape log t, and H = h = lead t^first shape, up to, not including, t^order."""
    kept = [(first + k, c) for k, c in enumerate(shape) if first + k < order]
    particular = {(k, 0): c for k, c in pure.items() if k < order} | {(k, 1): resonance * c for k, c in kept}
    homogeneous = {(k, 0): lead * c for k, c in kept} or {(first, 0): lead}
    rests = Formal(Monomial(order, 1 if order >= first else 0)), Formal(Monomial(max(order, first + 1)))
    found = (Expansion.build(AT_FIXED_POINT, *both) for both in zip((particular, homogeneous), rests, strict=True))
    return LinearSolution(*found, root)


@lru_cache(maxsize=32)
def _particular(order: int) -> tuple:
    """h T, the rest of P, and the factor of t^3 (1 + ...) log t in it, for c = 1: f = (1 - t^2) + h."""
    shape = [Fraction(int(c.p), int(c.q)) for c in ratio(order + ORDER + 3)]
    zero, one = Fraction(0), Fraction(1)
    time, _ = solve_in_time(shape, [zero] * ORDER + shape, one, ROOT, ORDER)
    rest, resonance = solve_in_time(shape, [one, zero, -one] + [zero] * len(shape), one, ROOT, ORDER)
    exact = ({k: Rational(c.numerator, c.denominator) for k, c in part.items()} for part in (time, rest))
    return *exact, Rational(resonance.numerator, resonance.denominator)


# c <- c + w_l (g(c) - c) with g the map of a ReLU-like phi without bias and w_l = alpha/(l^kappa + alpha).


@dataclass(frozen=True)
class FallingBranch:
    """alpha, kappa, the weights of |x| and x in phi; `bias`: what a bias adds to the variance, for its law only."""

    alpha: Expr
    kappa: Expr
    kink_weight: Expr
    linear_weight: Expr
    bias: Expr = S.Zero

    @classmethod
    def of(cls, normal) -> "FallingBranch | None":
        """From a composition's normal form; None for another one."""
        linked = normal.branch.linked
        if linked is None or linked.weight != 1 or not linked.phi.is_scale_free or normal.total is not None:
            return None
        alpha, falls = simplify(1 / (1 / normal.weight - 1)).as_independent(LAYER)
        base, exponent = falls.as_base_exp()
        if base != LAYER or linked.own != (1, -1, 0):
            return None
        return cls(alpha, -exponent, linked.phi.phi.kink_weight, linked.phi.phi.linear_weight)

    @property
    def total(self) -> LayerSum:
        """sum_(k=2)^L delta_k."""
        return LayerSum(self.alpha, self.kappa, False)


# ---- the flow time, with the NTK carried along -------------------------------------------------------
#
# `FlowTime` follows the smooth curve x(v) on which the orbit lies.  The pairs (x_l, k_l) of
# k_l = (1 - delta_l h'(x_(l-1))) k_(l-1) + delta_l f(x_(l-1)) lie on a curve too, whose derivative at a point follows
# from the next few layers,
#
#     dk/dv = log(1 + Delta) k = Delta k - Delta^2 k/2 + ... = A(v) k + B(v),
#
# A from k = 1 without forcing, B from k = 0: a linear differential equation in u = log x, solved at Chebyshev nodes by
# iterating the integral equation.  For kappa = 1 single layers change k by O(1/l) beside P and D h, so D is read at
# l = 10^(digits + 6), where the series of P and h at t = 0 converge fast.  Otherwise they hide it.


SERIES = 240  # powers of t in P and h
LOST = 6  # digits that D has less than k
SPARE = 15  # digits
SWEEPS = 400
FINEST = 4  # how many times the nodes of an interval, at most


@lru_cache(maxsize=64)
def dynamics_of(branch: FallingBranch) -> DrivenDynamics:
    """gamma_l = gamma_(l-1) - delta_l h(gamma_(l-1)) from layer 1 on.

    >>> from sympy import Integer, Rational
    >>> dynamics_of(FallingBranch(Integer(1), Integer(1), Rational(1, 2), Rational(1, 2))).steps
    Steps(weight=1, exponent=1, shift=1)
    """
    drift = drift_of(branch.kink_weight, branch.linear_weight)
    return DrivenDynamics(drift, mixing_steps(branch.alpha, branch.kappa), 1)


class GapFlow(FlowTime):
    """The flow time of gamma; a start of 0 stays there."""

    kind, evidence = "scaled", "flow_time"

    def crossing(self, start: Expr, route: Route) -> Followed:
        if start == 0:
            raise InputError("correlation = 1 stays at 1 in every layer, so it has no connection constant")
        return super().crossing(start, route)

    def crossing_before(self, start: Expr, depth: int, route: Route) -> Followed | None:
        """The orbit from the matching layer on; None where nothing moves."""
        return None if start == 0 else super().crossing_before(start, depth, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: Followed | None) -> tuple:
        return self.at_rest(depth, route) if start == 0 else super().to_layer(start, depth, route, crossing)

    def at_rest(self, depth: int, route: Route) -> tuple:
        """The state from the start 0."""
        return (mpf(0),)

    @property
    def formulas(self) -> FlowFormulas | None:
        """The recursion in formulas, h' = rho theta."""
        drift = self.dynamics.drift
        x, slope = drift.symbol, 2 * asymmetry_of(drift) * asin(sqrt(drift.symbol / 2))
        return FlowFormulas(x, (drift.formula, slope, None), drift.formula.subs(x, T**drift.root))


def diagonal_at(branch: FallingBranch, depth: int, digits: int):
    """K^L(x, x)/q_L = 1 + sum_(k=2)^L delta_k."""
    total = branch.total.certified(depth, digits)
    with mp.workdps(digits + SPARE):
        return 1 + total


@dataclass(frozen=True)
class KernelFlow(GapFlow):
    """The flow time of gamma, with k: states are (gamma, k).

    diagonal: s_0 of K^L(x, x)/q_L = clock(L) + s_0 + small.
    """

    branch: FallingBranch | None  # a composition has its form instead
    diagonal: Expr | None = field(default=None, compare=False, kw_only=True)

    latest = 100_000
    constants_named = "two readings of the constants"

    @property
    def formulas(self) -> FlowFormulas | None:
        """The same with o = f and k = c of the start, for kappa = 1."""
        found, (h, slope, _) = super().formulas, super().formulas.plain
        norm = self.branch.alpha, 1 + self.branch.total.constant_formula()
        source = 1 - T**self.dynamics.drift.root + found.drift
        return replace(found, plain=(h, slope, 1 - found.variable + h), source=source, start=lambda x: 1 - x, norm=norm)

    def at_rest(self, depth: int, route: Route) -> tuple:
        return mpf(0), diagonal_at(self.branch, depth, route.digits)

    def iterate(self, start: Expr, layer: int) -> tuple:
        gap = to_mpf(start)
        kernel, steps = 1 - gap, self.dynamics.steps
        for index in range(2, layer + 1):
            weight, drift = steps.at_layer(index), self.dynamics.drift(gap)
            gap, kernel = gap - weight * drift, kernel + weight * (self.source(gap, drift) - self.damping(gap) * kernel)
        return gap, kernel

    # ---- the NTK's recursion in numbers: k moves by delta (f + (f' - 1) k), f' - 1 = -h'

    def damping(self, x):
        """h'(x) = rho theta."""
        return to_mpf(asymmetry_of(self.dynamics.drift)) * half_angle(x)

    def source(self, x, drift):
        """What the branch's own weights add, h(x) being `drift`."""
        return 1 - x + drift

    def layer(self, state: tuple, v) -> tuple:
        """One layer of (x, k from 1 without forcing, k from 0), and what log x and the two k move by."""
        x, free, forced = state
        size, drift = self.dynamics.steps.size(v), self.dynamics.drift(x)
        damping = size * self.damping(x)
        changes = -damping * free, -damping * forced + size * self.source(x, drift)
        return (x - size * drift, free + changes[0], forced + changes[1]), (mp.log1p(-size * drift / x), *changes)

    def solution(self, order: int) -> LinearSolution:
        """P and h up to t^order."""
        return ntk_solution(self.dynamics.drift.lead, order)

    def continuation(self, start: Expr, digits: int, layer: int) -> "KernelContinuation":
        return KernelContinuation(self, start, digits, layer)

    def constants_of(self, crossing: Followed, second: bool) -> tuple:
        """(C, D), or C alone by the flow of gamma."""
        if not second:
            return GapFlow(self.dynamics).crossing(crossing.start, crossing.route).constants(False)
        self._require_second()
        far = self.dynamics.steps.clock(mpf(10) ** (crossing.route.digits + LOST))
        point, kernel = crossing.asked(lambda continuation: (continuation.extend(far), continuation.kernel), more=LOST)
        particular, homogeneous = self._at(self.dynamics.drift.uniformiser(point.x))
        return self.lead(point), (kernel - particular) / homogeneous

    def _at(self, t) -> tuple:
        solution = self.solution(SERIES)
        if (t / mp.sqrt(2)) ** SERIES > mp.eps * t**4:
            raise PrecisionError(
                f"where D is read, t = {mp.nstr(t, 3)} is too large for the series of P; ask for other digits or take "
                "a larger sigma_w"
            )
        return tuple(
            mp.fsum(to_mpf(c) * t ** int(m.order) * mp.log(t) ** m.logs for m, c in e.terms)
            for e in (solution.particular, solution.homogeneous)
        )

    def _require_second(self) -> None:
        """An error where D is not read off: only for kappa = 1 are the layers' corrections soon negligible."""
        if self.branch.kappa != 1:
            raise UnsupportedError(
                f"kappa = {self.branch.kappa}: the corrections to the flow by single layers, O(l^(-kappa)), hide "
                "the part D h of the NTK for kappa <= 3/4 and uncover it too slowly above that to read D off; its "
                "number is given for kappa = 1 only"
            )


class KernelContinuation(Continuation):
    """One orbit (x, k) from layer `layer` on, to `digits` digits; extended as far as it is needed."""

    def __init__(self, flow: KernelFlow, start, digits: int, layer: int):
        super().__init__(flow.dynamics, start, digits, layer)
        self.flow, self.series = flow, []
        self.kernel = flow.iterate(start, layer)[1]

    def state_at(self, layer: int) -> tuple:
        index, clock = self.interval_of(layer)
        interval = self.intervals[index]
        tau = interval.tau_at(clock)
        return interval.parametrisation.x_at(tau), value(self.series[index], tau)

    def extend(self, clock) -> Point:
        """Go on until the clock shows at least `clock`; the last point, where `kernel` is k."""
        point = super().extend(clock)
        for interval in self.intervals[len(self.series):]:
            self.series.append(self._solve(interval))
            self.kernel = value(self.series[-1], mpf(1))
        return point

    def _solve(self, interval: Interval) -> list:
        count = 3 * self.digits // 5 + 12
        for times in range(1, FINEST + 1):
            found = self._with_nodes(interval, count * times)
            if found is not None:
                return found
        raise PrecisionError(f"the NTK is not resolved between two layers near {mp.nstr(interval.end.v, 5)}; ask for "
                             "fewer digits")

    def _with_nodes(self, interval: Interval, count: int) -> list | None:
        """The same with so many nodes, None when they are too few."""
        grid, goal = grid_of(count), mpf(10) ** -self.digits
        slopes, sources = [], []
        for tau in grid.nodes:
            x, v = interval.parametrisation.x_at(tau), self.dynamics.steps.at(value(interval.clock, tau))
            rate, slope, source = self.rates(x, v, goal / 100)
            slopes.append(slope / rate * interval.parametrisation.derivative(tau))
            sources.append(source / rate * interval.parametrisation.derivative(tau))
        values = [self.kernel] * count
        for _ in range(SWEEPS):
            derivative = grid.series([a * k + b for a, k, b in zip(slopes, values, sources, strict=True)])
            series = grid.primitive(derivative)
            series[0] += self.kernel
            before, values = values, grid.values(series)
            size = max(map(abs, values))
            if max(abs(one - two) for one, two in zip(before, values, strict=True)) <= goal * size / 100:
                return series if tail(derivative) <= goal * size else None
        return None

    def rates(self, x, v, tolerance) -> tuple:
        """(du/dv, A, B) at the point (x, v)."""
        count, moves, state = terms_needed(v, tolerance), ([], [], []), (x, mpf(1), mpf(0))
        while count <= MOST_DIFFERENCES:
            while len(moves[0]) < count:
                state = self._next(state, v + len(moves[0]) + 1, moves)
            weights = weights_of(count, mp.prec)
            totals = [mp.fdot(weights[0], move) for move in moves]
            last = [max(abs(mp.fdot(row, move)) for row in weights[1:]) for move in moves]
            sizes = (abs(totals[0]), abs(totals[0]), abs(totals[2]))  # A is of the size of du/dv, or smaller
            if all(rest <= tolerance * size for rest, size in zip(last, sizes, strict=True)):
                return tuple(totals)
            count += MORE
        raise TooEarly

    def _next(self, state: tuple, v, moves: tuple) -> tuple:
        state, found = self.flow.layer(state, v)
        for total, move in zip(moves, found, strict=True):
            total.append(move)
        return state
