"""The flow time of one small step, x' = x + h F(x): T = T_0 + h T_1 + h^2 T_2 + ... with T(x') = T(x) + h.

By Taylor's formula, tau_j = T_j' and (T_1 = log(F)/2; 1/T' is the modified vector field of backward error analysis)

    tau_0 = 1/F,      tau_j = -(1/F) sum_(k=2)^(j+1) F^k/k! tau_(j+1-k)^(k-1).

A linear recursion along it, R' = (1 + h F'(x)) R + beta b(x), is R = (Q + D)/T' with Q(x') - Q(x) = beta T'(x') b(x):
for Q = (beta/h) (Q_0 + h Q_1 + ...), q_j = Q_j', q_0 = b/F^2, Q_1 = -b/(2F) + ...,

    q_j = (1/F) (b sum_(k=0)^j F^k/k! tau_(j-k)^(k) - sum_(k=2)^(j+1) F^k/k! q_(j+1-k)^(k-1)).

After N steps from x_0, T(x_N) - T(x_0) = N h; with h = h(L) a power series in u = L^(-1/d) this is solved for x_N =
x* + u (...) in such series, where T_0(x*) - T_0(x_0) is the limit of N h (x* = x_0 where that is 0).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

from asympt.deadline import check_time
from asympt.errors import PrecisionError
from asympt.expansions.series import power, product
from asympt.recursions.agreement import inverted
from asympt.recursions.coordinates.flow_time.series import grid_of, tail, value

Series = list  # coefficients in x - point, or in u: numbers, or expressions
Jets = Callable[[object, int], tuple[Series, list[Series]]]  # (x, count) -> `count` coefficients of F, and of every b
NARROWEST, ROUGH = 2.0**-60, 400  # parts of an interval, of one beyond which nothing is smooth; steps of a first look


def slopes_of_time(drift: Series, count: int) -> list[Series]:
    """tau_0, tau_1, ... near a point, as many coefficients of tau_j as those of F less j.

    >>> from sympy import Integer
    >>> [series[0] for series in slopes_of_time([Integer(2), Integer(6), Integer(0)], 3)]  # F = 2 + 6 y at y = 0
    [1/2, 3/2, -3/2]
    """
    inverse, powers, found = _inverse(drift), _powers(drift, count + 1), []
    for j in range(count):
        size = len(drift) - j
        total = _combined([(-1, powers[k], derived(found[j + 1 - k], k - 1)) for k in range(2, j + 2)], size, drift)
        found.append(product([1, *[0] * (size - 1)] if j == 0 else total, inverse, size))
    return found


def slopes_of_own(drift: Series, own: Series, times: list[Series]) -> list[Series]:
    """q_0, q_1, ... near a point, for tau_0, tau_1, ..."""
    inverse, powers, found = _inverse(drift), _powers(drift, len(times) + 1), []
    for j in range(len(times)):
        size = len(drift) - j
        forced = _combined([(1, powers[k], derived(times[j - k], k)) for k in range(j + 1)], size, drift)
        falling = [(-1, powers[k], derived(found[j + 1 - k], k - 1)) for k in range(2, j + 2)]
        total = _combined([(1, own, forced), (1, [drift[0] * 0 + 1], _combined(falling, size, drift))], size, drift)
        found.append(product(total, inverse, size))
    return found


def derived(series: Series, times: int) -> Series:
    """The derivative of that order."""
    for _ in range(times):
        series = [k * c for k, c in enumerate(series)][1:]
    return series


def _combined(parts: list[tuple], size: int, like: Series) -> Series:
    """The sum of sign a b."""
    total = [like[0] * 0] * size
    for sign, one, other in parts:
        total = [a + sign * b for a, b in zip(total, product(one, other, size), strict=True)]
    return total


def _inverse(series: Series) -> Series:
    return [c / series[0] for c in power([c / series[0] for c in series], -1, len(series))]


def _powers(series: Series, count: int) -> list[Series]:
    """series^k/k! for k = 0, ..., count - 1."""
    found = [[series[0] * 0 + 1, *[series[0] * 0] * (len(series) - 1)]]
    for k in range(1, count):
        found.append([c / k for c in product(found[-1], series, len(series))])
    return found


# ---- along the flow, in numbers ------------------------------------------------------------------------


@dataclass(frozen=True)
class FlowEnds:
    """What is known of T_j and of the Q_j of every b at the two ends of a flow.

    `times`: the tau_j near x*; `own`: for every b the q_j; `passed`: T_j(x*) - T_j(x_0); `gained`: for every b the
    Q_j(x*) - Q_j(x_0); `begun`: tau_j(x_0).
    """

    end: object
    times: list[Series]
    own: list[list[Series]]
    passed: Series
    gained: list[Series]
    begun: Series


def ends_of(jets: Jets, start, time, order: int, terms: int) -> FlowEnds:
    """From `start` for a `time`: T_0, ..., T_(order - 1), and `terms` coefficients of what is near x*."""
    end = start if not time else flow_to(jets, start, time)
    drift, forced = jets(end, terms + order)
    times = slopes_of_time(drift, order)
    own = [slopes_of_own(drift, b, times) for b in forced]
    sums = [mpf(0)] * (order * (1 + len(forced)))
    sums = sums if end == start else integrals(lambda x: _slopes(jets, x, order), start, end)
    gained = [sums[k * order : (k + 1) * order] for k in range(1, 1 + len(forced))]
    begun = [tau[0] for tau in slopes_of_time(jets(start, order)[0], order)]
    return FlowEnds(end, times, own, sums[:order], gained, begun)


def _slopes(jets: Jets, x, order: int) -> list:
    drift, forced = jets(x, order)
    times = slopes_of_time(drift, order)
    found = [times, *(slopes_of_own(drift, b, times) for b in forced)]
    return [series[0] for several in found for series in several]


def flow_to(jets: Jets, start, time):
    """x with T_0(x) - T_0(start) = time."""
    step, guess = time / ROUGH, start
    for _ in range(ROUGH):  # Heun's rule
        slope = jets(guess, 1)[0][0]
        guess += step * (slope + jets(guess + step * slope, 1)[0][0]) / 2
    passed = lambda x: integrals(lambda at: [1 / jets(at, 1)[0][0]], start, x)[0]  # noqa: E731
    return inverted(passed, lambda x: 1 / jets(x, 1)[0][0], time, guess, "T")


def integrals(slopes: Callable[[object], list], low, high) -> list:
    """The integrals of several functions, by Chebyshev series in log x on parts where their last coefficients vanish.

    >>> [mp.nstr(found, 8) for found in integrals(lambda x: [1 / x, x], mpf(1), mpf(2))]
    ['0.69314718', '1.5']
    """
    grid, total = grid_of(3 * mp.dps // 5 + 12), None
    place, end, width = mp.log(low), mp.log(high), mp.log(high) - mp.log(low)
    while place != end:
        check_time()
        width = width if abs(width) < abs(end - place) else end - place
        points = [mp.exp(place + width * (node + 1) / 2) for node in grid.nodes]
        rows = zip(*([slope * x * width / 2 for slope in slopes(x)] for x in points), strict=True)
        found = [grid.series(row) for row in rows]
        if any(tail(series) > mp.eps * 10**4 * (1 + abs(series[0])) for series in found):
            width /= 2
            if abs(width) < NARROWEST:
                where = mp.nstr(mp.exp(place), 8)
                raise PrecisionError(f"the flow is not smooth near 1 - c = {where}; start elsewhere")
            continue
        parts = [value(grid.primitive(series), mpf(1)) for series in found]
        total = parts if total is None else [a + b for a, b in zip(total, parts, strict=True)]
        place, width = (end, width) if width == end - place else (place + width, 2 * width)
    return [mpf(0)] if total is None else total


# ---- power series in u --------------------------------------------------------------------------------


def distance(ends: FlowEnds, step: Series, time: Series) -> Series:
    """x_N - x* in u, from h and N h; as many coefficients as these have."""
    found = [step[0] * 0] * len(time)
    for m in range(1, len(time)):
        reached = along(ends.times, ends.passed, step, found[: m + 1])
        found[m] = (time[m] - reached[m]) / ends.times[0][0]
    return found


def along(slopes: list[Series], passed: Series, step: Series, away: Series) -> Series:
    """sum_j h^j (passed_j + the integral of slopes_j from x* to x* + away)."""
    size = len(away)
    total, factor = [away[0] * 0] * size, [away[0] * 0 + 1, *[away[0] * 0] * (size - 1)]
    for series, before in zip(slopes, passed, strict=True):
        primitive = [before, *(c / (k + 1) for k, c in enumerate(series[: size - 1]))]
        total = [a + b for a, b in zip(total, product(factor, at(primitive, away), size), strict=True)]
        factor = product(factor, step[:size], size)
    return total


def at(series: Series, away: Series) -> Series:
    """The series in x - x* at `away`, which is one in u without a constant."""
    size = len(away)
    total = [away[0] * 0] * size
    for c in reversed(series):
        total = product(total, away, size)
        total[0] = total[0] + c
    return total


def linear(ends: FlowEnds, step: Series, away: Series, first: Series, rates: Sequence[tuple[int, Series]]) -> Series:
    """R_N in u, `first` being R at the start; `rates`: (s, series) of every beta/h = u^s (series)."""
    size = len(away)
    total = product(along([[] for _ in ends.begun], ends.begun, step, away), first, size)
    for (shift, rate), slopes, gained in zip(rates, ends.own, ends.gained, strict=True):
        part = product(rate, along(slopes, gained, step, away), size)
        part = [away[0] * 0] * shift + part if shift >= 0 else part[-shift:]
        total = [a + b for a, b in zip(total, part, strict=False)]
    slope = [away[0] * 0] * size
    factor = [away[0] * 0 + 1, *slope[1:]]
    for series in ends.times:
        slope = [a + b for a, b in zip(slope, product(factor, at(series, away), size), strict=True)]
        factor = product(factor, step[:size], size)
    return product(total, _inverse(slope), len(total))
