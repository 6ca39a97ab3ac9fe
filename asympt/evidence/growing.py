"""The evidence for residual networks in which no map serves every layer, as their variance grows.

Where phi grows like two straight lines, phi acts more and more like them: the law is that of the ReLU-like limit, with
C and D of an orbit of its own.  For a bounded phi, 1 - c^l = 1 - c* - D l^(-p) + ... and K^L/q_L = r c*/p + ... (or (b
D) log(L)/L^p for c* = 0).  With v = V(q) - q, one layer at a huge variance moves c and k = K/q by v/q times a field: in
s = log l, dc/ds = G(c), dk/ds = J(c, k), which the layer at q = 10^24 gives to 10^-12, and the law gives

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
from asympt.architectures.tails import has_formula_far_out, limit_statement
from asympt.evidence.check import Check, Effort, Work, telling
from asympt.evidence.flow_time import ScaledFlow, clock, solution_checks
from asympt.evidence.law_terms import number, terms_of, value
from asympt.evidence.orbits.constancy import LONG, ONCE, Orbit, checks_along
from asympt.evidence.referee import random_checks
from asympt.evidence.symbolic.checks import flow_time_checks, in_digits
from asympt.evidence.symbolic.series import FlowTimeShift
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep

STARTS = (("c^1 = 1/10, q^1 = 1", Rational(9, 10), Integer(1)), ("c^1 = -1/2, q^1 = 3", Rational(3, 2), Integer(3)))
MOST_DIGITS, SPARE = 20, 4
GAPS, FLOATS = (0.2, 0.7, 1.6), 1e-9
VARIANCES, LARGE, FAR = (1.0, 1e2), 1e16, 1e-7
HUGE, BOUND = 24, mpf(10) ** -9  # decimal power of the variance at which phi is as good as its lines
STEP = mpf(10) ** -6  # of a difference quotient
READ, START = (25, 50, 100), 0.6  # of an orbit with a bounded phi
READ_LATE = (40, 120, 360)  # of one whose branches fall


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
        yield "the growth of the variance", lambda: [variance_check(law)]
    else:
        yield "the limit's recursion", lambda: [limit_check(law)]
        if law.time is not None:
            yield "T, P and H in the flow", lambda: solution_checks(_of_limit(law))
            yield "an orbit in float64", lambda: readings_checks(law)
        for label, gap, variance in STARTS if has_formula_far_out(law.layer.activation) and law.abel else ():
            digits = min(effort.digits, MOST_DIGITS)
            yield "constancy of C and D", partial(orbit_checks, law, gap, variance, label, digits, effort.report)
    yield "random networks", lambda: random_checks(law, effort.report)


def step_check(law) -> Check:
    """The orbit's second layer against the float64 engine."""
    step, worst = DenseStep(law.layer), 0.0
    for variance in VARIANCES:
        found = engine.pairs(law.layer, np.array(GAPS), 2, variance=variance)
        with mp.workdps(25):
            states = [step(step.first(mpf(gap), *[mpf(variance)] * 2))[3:] for gap in GAPS]
            worst = max(worst, _apart(states, found))
    name = "the orbit's step against the float64 engine , one layer: largest deviation"
    where = ", ".join(f"{q:g}" for q in VARIANCES)
    return Check.measured(name, worst, FLOATS, f"variances {where}, gaps {', '.join(map(str, GAPS))}")


def _apart(states: list, found: tuple) -> float:
    """How far gaps, relatively, and kernels are apart."""
    gaps, *kernels = zip(*states, strict=True)
    apart = [a / b - 1 for a, b in zip(gaps, found[0], strict=True)]
    apart += [a - b for column in kernels for a, b in zip(column, found[1], strict=True)]
    return max(float(abs(value)) for value in apart)


def limit_check(law) -> Check:
    """The law's own recursion against the float64 engine at a variance at which phi is as good as its lines."""
    found = engine.pairs(law.layer, np.array(GAPS), 2, variance=LARGE)
    with mp.workdps(25):
        starts = [DenseStep(law.layer).first(mpf(gap), *[mpf(LARGE)] * 2)[3:] for gap in GAPS]
        moved = [_limit_step(law, start[: 1 + bool(law.linear)]) for start in starts]
    name = f"the law's recursion against one layer at $q = {LARGE:g}$: largest deviation"
    return Check.measured(name, _apart(moved, found), FAR, "float64; the lines are off by q^(-1/2)")


def _limit_step(law, state: tuple) -> tuple:
    """From layer 1 to layer 2 by the law's own recursion."""
    if law.time is None:
        return law.dynamics.step(state)
    v, steps = law.dynamics.shifted(2), law.dynamics.steps
    if law.linear is None:
        return (state[0] - steps.size(v) * law.dynamics.drift(state[0]),)
    gap, _, kernel = law.coordinate.of.coordinate.layer((state[0], mpf(0), state[1]), v)[0]
    return gap, kernel


def orbit_checks(law, gap, variance, label: str, digits: int, progress=None) -> list[Check]:
    """C and D along the orbit of the statement, once phi acts like its lines to the requested digits."""
    def ready(layer: int, state: tuple) -> bool:
        return state[-1] > (layer * mpf(10) ** (digits + SPARE)) ** 2

    def layers() -> Generator[tuple[int, tuple], int | None, None]:
        """The layers of the statement: gap, k, and the variance."""
        step = DenseStep(law.layer)
        here = step.first(to_mpf(gap), to_mpf(variance), to_mpf(variance))
        while True:
            layer, q, _, *seen = here
            yield layer, (*seen, q)
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


def variance_check(law) -> Check:
    """What one layer at q = 10^HUGE makes of q, or adds per unit of the clock, against the leading term."""
    kappa, q, base = law.layer.decay, mpf(10) ** HUGE, law.expansion.scale.base
    with mp.workdps(HUGE + 30):
        found = (DenseStep(law.layer).variance(2, q) - q) * 2 ** to_mpf(kappa)
        if base is not None:
            return _small("q grows by the stated factor a layer", abs(found / q + 1 - 1 / to_mpf(base)))
        rate = number(law.expansion.terms[0][1]) * (mp.one if kappa == 1 else to_mpf(1 - kappa))
        if law.coordinate.is_logarithm:
            return _small("log q grows with the clock at the stated rate", abs(found / q - rate))
        return _small("q grows with the clock at the stated rate", abs(found - rate))


class LeadingField:
    """G (of the gap) and J at q = 10^HUGE, from one layer of the statement."""

    def __init__(self, law):
        self._step, self._q = DenseStep(law.layer), mpf(10) ** HUGE

    def __call__(self, gap, kernel) -> tuple:
        """(d gap/ds, d k/ds)."""
        _, q, _, *after = self._step((2, self._q, self._q, gap, kernel))
        unit = self._q / (q - self._q)
        return (after[0] - gap) * unit, (after[1] - kernel) * unit

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


def _small(name: str, figure) -> Check:
    return Check.measured(name, figure, BOUND, f"the statement's layer in mpmath at q = 10^{HUGE}")


def bounded_orbit_check(law) -> Check:
    """Readings of D along an orbit of the float64 engine from 1 - c^1 = START, q^1 = 1."""
    scale, layers = law.expansion.scale, READ if law.layer.decay == 0 else READ_LATE
    with mp.workdps(20):
        limit, power = map(float, _limit_and_power(law))
        clocks = [float(scale.variable.subs(scale.depth, layer)) for layer in layers]
    found = [float(engine.pairs(law.layer, np.array([START]), layer, variance=1.0)[0][0]) for layer in layers]
    return _together("D", [(limit - gap) * c**power for gap, c in zip(found, clocks, strict=True)], layers)
