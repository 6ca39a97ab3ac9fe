"""The evidence for residual networks in which no map serves every layer, as their variance grows.

Where phi grows like two straight lines, phi acts more and more like them: the law is that of the ReLU-like limit, with
C and D of an orbit of its own.  For a bounded phi, 1 - c^l = 1 - c* - D l^(-p) + ... and K^L/q_L = r c*/p + ... (or (b
D) log(L)/L^p for c* = 0).  With v = V(q) - q, one layer at a huge variance moves c and k = K/q by v/q times a field: in
s = log l, dc/ds = G(c), dk/ds = J(c, k), which the layer at q = 10^40 gives to 10^-20, and the law gives

    G(c*) = 0,     G'(c*) = -p,     J(c*, r c*/p) = 0,     or for c* = 0:  J = -p k + b c + ...

Of three readings of D = (c^l - c*) l^p at l = n, 2n, 4n in float64 the last two must be closer than the first two.

Tiny case.  tanh without bias: G(c) = (2/pi) arcsin(c) - c, G'(0) = -(1 - 2/pi).
"""

from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from mpmath import mp, mpf
from sympy import Integer, Rational

from asympt import depth as engine
from asympt.architectures.residual import limit_statement, step_of
from asympt.evidence.check import Check, Effort, Work, telling
from asympt.evidence.flow_time import ScaledFlow, clock, solution_checks
from asympt.evidence.law_terms import kept, number, rest_check, terms_of, value
from asympt.evidence.orbits.constancy import LONG, ONCE, Orbit, checks_along
from asympt.evidence.referee import random_checks
from asympt.evidence.symbolic.checks import flow_time_checks, in_digits
from asympt.evidence.symbolic.series import FlowTimeShift
from asympt.numbers import to_mpf
from asympt.precise.dense import MovingState

STARTS = (("c^1 = 1/10, q^1 = 1", Rational(9, 10), Integer(1)), ("c^1 = -1/2, q^1 = 3", Rational(3, 2), Integer(3)))
MOST_DIGITS, SPARE = 20, 4
GAPS, VARIANCES, FLOATS = (0.01, 0.7, 1.9), (1.0, 1e2, 1e4, 1e8), 1e-10
FAR = 60  # decimal power of the variance at which phi is as good as its lines
HUGE, STEP, BOUND = 40, mpf(10) ** -6, mpf(10) ** -10  # decimal power of the variance; of a difference quotient
READ, START = (50, 100, 200), 0.6  # of an orbit with a bounded phi
READ_LATE = (40, 120, 360)  # of one whose branches fall
GROWTH = 2  # by which the rest of a variance, in units of the stated remainder, may grow between two layers


def symbolic_checks(law) -> list[Check]:
    """As for the limit's law; the law of a variance, or of a bounded phi, is held against its layers alone."""
    if law.of_variance or law.coordinate.says_limit_and_power:
        return []
    return flow_time_checks(_of_limit(law)) if law.time is not None else in_digits(law)


def _of_limit(law):
    return replace(law, layer=limit_statement(law.layer))


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The orbit, and the law along it; float64 reaches no great depth."""
    yield "one layer of the statement", lambda: [step_check(law)]
    if law.coordinate.says_limit_and_power:
        yield "the limit's field", lambda: (_kernel_field if law.name == "ntk" else _correlation_field)(law)
        if law.name != "ntk":
            yield "an orbit in float64", lambda: [bounded_orbit_check(law)]
    elif law.of_variance:
        route = variance_checks if law.coordinate.has_constants else variance_field_checks
        yield "the printed law along an orbit", lambda: route(law)
    elif law.time is not None:
        yield "the limit's recursion", lambda: [limit_check(law)]
        yield "T, P and H in the flow", lambda: solution_checks(_of_limit(law))
        yield "an orbit in float64", lambda: readings_checks(law)
    else:
        yield "the limit's recursion", lambda: [limit_check(law)]
        for label, gap, variance in STARTS:
            digits = min(effort.digits, MOST_DIGITS)
            yield "constancy of C and D", partial(orbit_checks, law, gap, variance, label, digits, effort.report)
    yield "random networks", lambda: random_checks(law, effort.report)


def step_check(law) -> Check:
    """The orbit's second layer against the float64 engine."""
    step, worst = step_of(law.layer), 0.0
    for variance in VARIANCES:
        found = engine.pairs(law.layer, np.array(GAPS), 2, variance=variance)
        with mp.workdps(25):
            states = [step(step.first(mpf(gap), mpf(variance))) for gap in GAPS]
            worst = max(worst, *(float(abs(s.gap / float(g) - 1)) for s, g in zip(states, found[0], strict=True)),
                        *(float(abs(s.kernel - float(k))) for s, k in zip(states, found[1], strict=True)))  # fmt: skip
    name = "the orbit's step against the float64 engine , one layer: largest deviation"
    where = ", ".join(f"{q:g}" for q in VARIANCES)
    return Check.measured(name, worst, FLOATS, f"variances {where}, gaps {', '.join(map(str, GAPS))}")


def limit_check(law) -> Check:
    """The law's own recursion against the layer at a variance at which phi is as good as its lines."""
    step, worst = step_of(law.layer), mpf(0)
    with mp.workdps(FAR):
        for gap in map(mpf, GAPS):
            state = MovingState(2, mpf(10) ** FAR, gap, mpf(1))
            after, moved = step(state), _limit_step(law, (gap, mpf(1)) if law.linear else (gap,))
            worst = max(worst, *(abs(a / b - 1) for a, b in zip(moved, (after.gap, after.kernel), strict=False)))
        bound = mpf(10) ** (3 - FAR // 2)
    name = f"the law's recursion against the layer at $q = 10^{FAR}$: relative deviation"
    detail = "mpmath; what differs from the straight lines is of relative size q^(-1/2)"
    return Check.measured(name, worst, bound, detail)


def _limit_step(law, state: tuple) -> tuple:
    """From layer 2 to layer 3 by the law's own recursion."""
    if law.time is None:
        return law.dynamics.step(state)
    v, steps = law.dynamics.shifted(3), law.dynamics.steps
    if law.linear is None:
        return (state[0] - steps.size(v) * law.dynamics.drift(state[0]),)
    gap, _, kernel = law.coordinate.layer((state[0], mpf(0), state[1]), v)[0]
    return gap, kernel


def orbit_checks(law, gap, variance, label: str, digits: int, progress=None) -> list[Check]:
    """C and D along the orbit of the statement, once phi acts like its lines to the requested digits."""
    def ready(layer: int, state: tuple) -> bool:
        return state[-1].variance > (layer * mpf(10) ** (digits + SPARE)) ** 2

    def layers() -> Generator[tuple[int, tuple], int | None, None]:
        """The layers of the statement: gap, k, and the state with the variance."""
        step = step_of(law.layer)
        here = step.first(to_mpf(gap), to_mpf(variance))
        while True:
            yield here.layer, (here.gap, here.kernel, here)
            here = step(here)

    tell = telling(progress, f"mpmath orbit from {label}")
    return checks_along(Orbit(law, layers, digits, LONG, ready, ONCE, tell), label)


def readings_checks(law) -> list[Check]:
    """C = T - clock, and D = (k - P)/h, at three layers of an orbit of the float64 engine."""
    found, flow, steps = [], ScaledFlow(limit_statement(law.layer)), FlowTimeShift.of(_of_limit(law))
    for layer in READ_LATE:
        gap, kernel = (float(part[0]) for part in engine.pairs(law.layer, np.array([START]), layer, variance=1.0))
        with mp.workdps(30):
            t, row = mp.sqrt(gap), [flow.time(mpf(gap)) - clock(steps, layer)]
            if law.linear is not None:
                particular, homogeneous = law.linear.particular, law.linear.homogeneous
                row.append((kernel - value(terms_of(particular), t)) / value(terms_of(homogeneous), t))
        found.append(row)
    columns = zip("CD", zip(*found, strict=True), strict=False)
    return [_together(name, readings, READ_LATE) for name, readings in columns]


def _together(name: str, readings, layers) -> Check:
    """Of three readings of a constant the last two are closer than the first two; else nothing is decided."""
    one, two, three = map(float, readings)
    text = f"values of ${name}$ along an orbit converge: second difference over the first"
    figure = abs(three - two) / abs(two - one)
    detail = f"{name} = {one:.5g}, {two:.5g}, {three:.5g} at layers {', '.join(map(str, layers))}"
    return Check(text, float(f"{figure:.3g}"), 1.0, True if figure < 1 else None, "checked", detail)


def variance_checks(law) -> list[Check]:
    """q_l minus the printed law, in units of its remainder, at two layers; C is read where the remainder is nothing."""
    step, digits = step_of(law.layer), 50
    with mp.workdps(digits):
        growth = 1 / to_mpf(law.expansion.scale.base)
        layers = [int(mp.ceil(d / mp.log10(growth))) for d in (6, 9)]
        last = int(mp.ceil(2 * digits / mp.log10(growth)))
        onward = lambda here: (here[0] + 1, step.variance(here[1], here[0] + 1))  # noqa: E731
        seen = {layer: q for layer, q in kept(onward, (1, mpf(1)), (*layers, last)).values()}
        constants = {"C": seen.pop(last) / growth**last}
        where = f"layers {layers[0]} and {layers[1]}, C read at layer {last}"
        return [rest_check("the variance minus the printed law", law.expansion, seen, constants, where, GROWTH)]


def variance_field_checks(law) -> list[Check]:
    """What one layer adds to q, or to log q, per unit of the clock at q = 10^HUGE, against the printed terms."""
    step, kappa, q = step_of(law.layer), law.layer.decay, mpf(10) ** HUGE
    with mp.workdps(HUGE + 30):
        whole = mp.one if kappa == 1 else 1 / to_mpf(1 - kappa)
        found = (step.variance(q, 2) - q) * 2 ** to_mpf(kappa)
        (_, lead), *later = law.expansion.terms
        rate = number(lead) / whole
        if law.coordinate.is_logarithm:
            return [_small("log q grows with the clock at the stated rate", abs(found / q - rate), q**-0.5)]
        checks = [_small("q grows with the clock at the stated rate", abs(found - rate), q**-0.5)]
        if later:
            second = number(later[0][1]) / mp.sqrt(whole) * mp.sqrt(rate) / 2
            rest = abs((found - rate) * mp.sqrt(q) - second)
            checks.append(_small("the part of that rate that falls like q^(-1/2) is that of the second term", rest))
        return checks


class LeadingField:
    """G (of the gap) and J at q = 10^HUGE, from one layer of the statement."""

    def __init__(self, law):
        self._step, self._q = step_of(law.layer), mpf(10) ** HUGE

    def __call__(self, gap, kernel) -> tuple:
        """(d gap/ds, d k/ds)."""
        after = self._step(MovingState(2, self._q, gap, kernel))
        unit = self._q / (after.variance - self._q)
        return (after.gap - gap) * unit, (after.kernel - kernel) * unit

    def slope(self, gap):
        """d(d gap/ds)/d gap."""
        high, low = (self(gap + sign * STEP, mpf(0))[0] for sign in (1, -1))
        return (high - low) / (2 * STEP)


def _correlation_field(law) -> list[Check]:
    with mp.workdps(HUGE + 30):
        limit, power = _limit_and_power(law)
        field = LeadingField(law)
        rest, slope = abs(field(limit, mpf(0))[0]), abs(_clock_power(law) * field.slope(limit) + power)
    return [_small("the field of the layer vanishes at the limit of 1 - c^l", rest),
            _small("the slope of the field there is minus the stated power", slope)]  # fmt: skip


def _kernel_field(law) -> list[Check]:
    with mp.workdps(HUGE + 30):
        (monomial, coefficient), field = law.expansion.leading, LeadingField(law)
        stated = number(coefficient, {"D": mpf(1)})
        if not monomial.logs:
            between = (mpf("0.05"), mpf("0.9"))
            fixed = mp.findroot(lambda gap: field(gap, mpf(0))[0], between, solver="anderson", tol=mpf(10) ** -25)
            return [_small("the field of the layer vanishes at the limit of K^L/q_L", abs(field(fixed, stated)[1]))]
        unit = _clock_power(law)
        decay = unit * (field(mpf(1), mpf(1))[1] - field(mpf(1), mpf(0))[1]) + to_mpf(monomial.order)
        source = unit * (field(1 - STEP, mpf(0))[1] - field(1 + STEP, mpf(0))[1]) / (2 * STEP) - stated
    return [_small("K^L/q_L decays with the stated power of L", abs(decay)),
            _small("c drives K^L/q_L with the stated coefficient", abs(source))]  # fmt: skip


def _clock_power(law):
    """The power of the law's variable (l, or log l) that q grows like: 1 - kappa where the sum of l^(-kappa) is one."""
    kappa = law.layer.decay
    return mp.one if kappa == 1 else to_mpf(1 - kappa)


def _limit_and_power(law) -> tuple:
    constant, decaying = law.expansion.terms[:2]
    return number(constant[1]), to_mpf(decaying[0].order)


def _small(name: str, figure, unit=1) -> Check:
    """`unit`: the size of what may be left."""
    bound = BOUND if unit == 1 else 100 * unit
    return Check.measured(name, figure, bound, f"the statement's layer in mpmath at q = 10^{HUGE}")


def bounded_orbit_check(law) -> Check:
    """Readings of D along an orbit of the float64 engine from 1 - c^1 = START, q^1 = 1."""
    scale, layers = law.expansion.scale, READ if law.layer.decay == 0 else READ_LATE
    with mp.workdps(20):
        limit, power = map(float, _limit_and_power(law))
        clocks = [float(scale.variable.subs(scale.depth, layer)) for layer in layers]
    found = [float(engine.pairs(law.layer, np.array([START]), layer, variance=1.0)[0][0]) for layer in layers]
    return _together("D", [(limit - gap) * c**power for gap, c in zip(found, clocks, strict=True)], layers)
