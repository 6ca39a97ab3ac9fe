"""The evidence for networks composed of primitives: their laws against the rules of the primitives (`precise.blocks`).

These know covariances and NTKs alone, no map of correlations and no weight of a branch.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from mpmath import mp, mpf
from sympy import Rational

from asympt import depth as engine
from asympt.blocks.nodes import every_node
from asympt.evidence.check import Check, Effort, Work, rate_check
from asympt.evidence.flow_time import drift_checks, time_moves
from asympt.evidence.law_terms import number
from asympt.evidence.orbits.printed import orbit_checks
from asympt.evidence.symbolic.checks import flow_time_check, generic, in_digits
from asympt.gaussian.kernel import kernel_of
from asympt.numbers import to_mpf

LAYERS, START = (32, 64, 128, 256), 0.9  # of the clock
DEPTHS, STARTS, DIGITS = (2, 5, 12), (Rational(1, 10), Rational(-1, 2)), 25
TOKEN_STARTS = Rational(1, 10), Rational(1, 2)  # many tokens cannot all have a negative correlation
OF_ONE_INPUT = "ntk diagonal", "variance"


def symbolic_checks(law) -> list[Check]:
    """As for any law of its coordinate; with symbols for its constants first."""
    if law.name in OF_ONE_INPUT or law.coordinate.says_limit_and_power:
        return []
    if is_ordered_kernel(law):
        return [flow_time_check(law)]
    if law.time is not None:
        return in_digits(law)
    found = in_digits(generic(law))
    return found if all(check.verdict == "proved" for check in found) else in_digits(law)


def is_ordered_kernel(law) -> bool:
    """Whether the law gives the limit of K^L/q_L below the Edge of Chaos, along a flow time."""
    return law.name == "ntk" and law.time is not None and law.linear is None


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The law against the primitives, and its coordinate along an orbit."""
    yield "the rules of the primitives", lambda: [primitives_check(law)]
    if law.coordinate.says_limit_and_power:
        yield "the zero of the drift", lambda: leaving_checks(law)
    elif law.time is not None:
        if law.name == "correlation":
            yield "flow time along an orbit", lambda: drift_checks(law, None)
        if is_ordered_kernel(law):
            yield "the limit of K", lambda: [limit_check(law, mpf(10) ** -30, "1 - c = 10^-30")]
        yield "the clock along the layers", lambda: clock_checks(law)
    elif law.name not in OF_ONE_INPUT:
        yield from orbit_checks(law, effort, nearby=True, dear=_is_dear(law))


def clock_checks(law) -> list[Check]:
    """Of a pre-norm block with factors of the layer: T(1 - c^l) - log q_l tends to a constant, the layers being those
    of the float64 engine, the variances those of the primitives and T a quadrature."""
    network, drift = law.network, law.dynamics.drift
    adding = network.normal_form.adding
    if adding is None or adding.kept != 1:
        return []
    gaps = [float(engine.pairs(network, np.array([START]), layer, progress=False)[0][0]) for layer in LAYERS]
    with mp.workdps(20):
        logs = [mp.log(network.pair(layer, gap=0, digits=15)[2]) for layer in LAYERS]
        where = f"layers {', '.join(map(str, LAYERS))}; the change between layers"
        return [rate_check("$T - log q_l$ tends to a constant", time_moves(drift, gaps, logs), mpf(1), 1, where)]


def leaving_checks(law) -> list[Check]:
    """The drift of the layer vanishes at the limit that is stated, with the slope of the power that is stated."""
    coordinate, network = law.coordinate, law.network
    with mp.workdps(30):
        bound, step = mpf(10) ** -12, mpf(10) ** -8
        centre = number(network.correlation_law(2).expansion.terms[0][1])
        drift = lambda gap: coordinate.form.numbers(gap).lost - gap  # noqa: E731
        slope = (drift(centre + step) - drift(centre - step)) / (2 * step)
        power = to_mpf(coordinate.power)
        found = [
            Check.measured("the drift of the layer vanishes at 1 - c*", abs(drift(centre)), bound, "mpmath"),
            Check.measured("its slope there is minus the power over the factor of the clock",
                           abs(slope * to_mpf(coordinate.weights.weight) + power), bound, "mpmath"),
        ]  # fmt: skip
        known = law.name != "ntk" or law.expansion.leading[0].logs
        return found if known else [*found, limit_check(law, centre, "c*")]


def limit_check(law, gap, place: str) -> Check:
    """The layer moves K/q by w (o + (g' - 1) K/q), which is to vanish there for the limit that is stated."""
    with mp.workdps(30):
        flow, stated = law.coordinate.form.numbers(gap), number(law.limit)
        left, bound = abs(flow.own + (flow.slope - 1) * stated), mpf(10) ** -12
    return Check.measured(f"o + (g' - 1) K/q at {place} and the stated limit", left, bound, "mpmath")


def _is_dear(law) -> bool:
    """Whether an activation has no closed form, so that every digit of the map is a series or a quadrature."""
    found = (phi for node in every_node(law.network.blocks) for phi in node.activations)
    return any(not phi.is_relu_like and kernel_of(phi.piecewise).closed is None for phi in found)


def primitives_check(law) -> Check:
    """The law's values at small depths against the primitives, one pair of inputs after the other."""
    with mp.workdps(DIGITS + 10):
        worst = max(abs(found / true - 1) for found, true in _values(law))
        bound = mpf(10) ** (3 - DIGITS)
    name = "the law at small depths against the rules of the primitives: relative deviation"
    where = f"mpmath, layers {', '.join(map(str, DEPTHS))}"
    return Check.measured(name, worst, bound, where)


def _values(law):
    network = law.network
    if law.name in OF_ONE_INPUT:
        start = {"variance": network.variance} if law.of_variance else {}
        for depth in DEPTHS:
            true = network.pair(depth, gap=0, digits=DIGITS)[2 if law.of_variance else 1]
            yield law.evaluate(depth=depth, digits=DIGITS, **start), true
        return
    for start, depth in product(TOKEN_STARTS if network.mixes_tokens else STARTS, DEPTHS):
        given = {"correlation": start, "digits": DIGITS}
        layer = 1 + len(network.blocks) * (depth - 1)  # a law's depth counts whole periods
        if network.mixes_tokens:
            yield law.evaluate(depth, **given), network.similarity(layer, **given)
        else:
            gap, kernel, _ = network.pair(layer, **given)
            unit = depth if law.average else 1 if law.norm is None else network.pair(depth, gap=0, digits=DIGITS)[1]
            yield law.evaluate(depth, **given), gap if law.name == "correlation" else kernel / unit
