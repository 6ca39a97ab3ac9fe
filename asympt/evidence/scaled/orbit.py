"""A scaled residual network's law along the original layers: C, D and s_0 are what is left, and it settles.

Problem.  The formula is right for some C and D: are the numbers that the law gives the right ones?

Rule.  Iterate the layer in mpmath from c^1 = 1/10 and -1/2.  At the layers 2^10, ..., 2^13

    T(gamma_l) - clock(l) - C           k_l - P(t_l) - D h(t_l)           1 + sum delta_k - clock(l) - s_0

tend to 0 at least as fast as l^(-kappa), the share of one layer.  A wrong C, D or s_0 stays; a wrong step size grows.

Tiny case.  h = 0: k_l - clock(l) tends to a constant like delta_l/2.

Known limits.  The rate is read off 8,192 layers: to a tenth of a power.  D for kappa = 1 only.
"""

from itertools import pairwise

from mpmath import mp, mpf, nstr
from sympy import Rational

from asympt import depth as engine
from asympt.evidence.check import Check
from asympt.evidence.reading import number, terms_of, value
from asympt.evidence.scaled.flow import ScaledFlow
from asympt.numbers import to_mpf
from asympt.precise.layer import ScaledStep

LAYERS = (1024, 2048, 4096, 8192)
STARTS = (("c^1 = 1/10", Rational(1, 10)), ("c^1 = -1/2", Rational(-1, 2)))
DIGITS, FEW, SHORT = 30, 12, 0.1
FLOATS, FLOAT_DIGITS, FEWEST = 2e-12, 18, 100
MOST = 20_000  # layers


def orbit_checks(law, progress=None) -> list[Check]:
    """C, and D and s_0 of an NTK law, along the original layers."""
    flow, checks = ScaledFlow(law.layer), []
    for label, start in STARTS:
        with mp.workdps(DIGITS):
            states = _states(law, start)
            constant = law.connection_constant(correlation=start, digits=FEW)
            left = [flow.time(gap) - flow.clock(mpf(layer)) - constant for layer, gap, _ in states]
            checks.append(_settles(f"T - clock - C from {label}", left, flow))
            if law.linear is not None and has_second(flow):
                checks.append(_settles(f"k - P - D h from {label}", _kernel_left(law, states, start), flow))
    if law.linear is not None:
        with mp.workdps(DIGITS):
            checks.append(_settles("K(x,x)/q - clock - s_0", _diagonal_left(law, flow), flow))
    return checks


def has_second(flow: ScaledFlow) -> bool:
    """Whether the law gives D in numbers."""
    return flow.kappa == 1


def _states(law, start) -> list[tuple]:
    """(layer, gamma, k) at the layers that are read."""
    step, kept = ScaledStep(law.layer), []
    gap = 1 - to_mpf(start)
    state = (1, gap, 1 - gap)
    while state[0] < LAYERS[-1]:
        state = step(state)
        if state[0] in LAYERS:
            kept.append(state)
    return kept


def _kernel_left(law, states: list, start) -> list:
    second = law.second_constant(correlation=start, digits=FEW)
    particular, wave = (terms_of(e) for e in (law.linear.particular, law.linear.homogeneous))
    return [k - value(particular, mp.sqrt(gap)) - second * value(wave, mp.sqrt(gap)) for _, gap, k in states]


def _diagonal_left(law, flow: ScaledFlow) -> list:
    total, found, step = mpf(1), [], ScaledStep(law.layer)
    for layer in range(2, LAYERS[-1] + 1):
        total += step.branch_share(layer)
        if layer in LAYERS:
            found.append(total - flow.clock(mpf(layer)) - number(law.coordinate.diagonal, {}))
    return found


def _settles(name: str, left: list, flow: ScaledFlow) -> Check:
    """By how much the rate at which what is left tends to 0 falls short of kappa."""
    rates = [mp.log(abs(a / b), 2) for a, b in pairwise(left)]
    short = max(mpf(0), min(to_mpf(flow.kappa), 1) - rates[-1])
    shown = f"layers {', '.join(map(str, LAYERS))}; at the last one {nstr(left[-1], 3)} is left"
    name = f"{name}: shortfall of the rate l^(-{flow.kappa})"
    return Check(name, nstr(short, 3), SHORT, bool(short <= SHORT), "checked", shown)


# ---- the law's own numbers ----------------------------------------------------------------------------


def number_checks(law, digits: int) -> list[Check]:
    """What the law evaluates to, against the layers one by one in mpmath."""
    deep = min(3 * (digits + 12) ** 2, MOST)
    with mp.workdps(digits + 20):
        start = STARTS[0][1]
        gap, kernel = ScaledStep(law.layer).iterate(1 - to_mpf(start), deep)
        seen = gap if law.linear is None else kernel / (1 + _total(law, deep))
        figure = abs(law.evaluate(depth=deep, correlation=start, digits=digits) / seen - 1)
        bound = mpf(10) ** -digits
    name = f"the law evaluated at layer {deep} against iteration, {STARTS[0][0]}: relative deviation"
    return [Check(name, nstr(figure, 3), nstr(bound, 3), bool(figure <= bound), "checked",
                  "beyond the layers that the evaluation iterates itself")]


def _total(law, depth: int):
    step = ScaledStep(law.layer)
    return mp.fsum(step.branch_share(layer) for layer in range(2, depth + 1))


def float_checks(law, depth: int, workers: int = 1, progress=None) -> list[Check]:
    """The NumPy engine at layer `depth` against the law's numbers, from both starts."""
    if depth < FEWEST:
        return [Check("float64 iteration", f"depth {depth} is less than {FEWEST}", FLOATS, None)]
    gaps = [float(1 - start) for _, start in STARTS]
    report = progress and (lambda done, total: progress(f"float64 iteration to depth {depth}", done, total))
    found = engine.pairs(law.layer, [*gaps, 0.0], depth, workers=workers, progress=report)
    seen = found[0][:2] if law.linear is None else found[1][:2] / found[1][2]
    stated = [float(law.evaluate(depth=depth, correlation=start, digits=FLOAT_DIGITS)) for _, start in STARTS]
    figure = max(abs(one / two - 1) for one, two in zip(seen, stated, strict=True))
    name = f"float64 iteration at depth {depth}, c^1 = 1/10 and -1/2: largest relative deviation"
    return [Check.compare(name, float(f"{figure:.3g}"), FLOATS, "the NumPy engine against the law's own numbers")]
