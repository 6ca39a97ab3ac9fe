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

from asympt.errors import PrecisionError
from asympt.expansions.series import power, product
from asympt.recursions.agreement import inverted
from asympt.recursions.coordinates.flow_time.drift import between

Series = list  # coefficients in x - point, or in u: numbers, or expressions
Jets = Callable[[object, int], tuple[Series, list[Series]]]  # (x, count) -> `count` coefficients of F, and of every b
NARROWEST, ROUGH = 2.0**-60, 400  # parts of an interval, of one beyond which nothing is smooth; steps of a first look


def slopes_of_time(drift: Series, count: int) -> list[Series]:
    """tau_0, tau_1, ... near a point, as many coefficients of tau_j as those of F less j.

    >>> from sympy import Integer
    >>> [series[0] for series in slopes_of_time([Integer(2), Integer(6), Integer(0)], 3)]  # F = 2 + 6 y at y = 0
    [1/2, 3/2, -3/2]
    """
    (unit,) = _powers(drift, 1)
    return _solved(drift, [unit, *[[0 * c for c in unit]] * (count - 1)])


def slopes_of_own(drift: Series, own: Series, times: list[Series]) -> list[Series]:
    """q_0, q_1, ... near a point, for tau_0, tau_1, ..."""
    powers, forced = _powers(drift, len(times)), []
    for j, tau in enumerate(times):
        parts = (product(powers[k], derived(times[j - k], k), len(tau)) for k in range(j + 1))
        forced.append(product(own, added(*parts), len(tau)))
    return _solved(drift, forced)


def slopes_of(drift: Series, forced: list[Series], count: int) -> list[list[Series]]:
    """The tau_j, then the q_j of every b."""
    times = slopes_of_time(drift, count)
    return [times, *(slopes_of_own(drift, b, times) for b in forced)]


def _solved(drift: Series, sources: list[Series]) -> list[Series]:
    """s_j = (source_j - sum_(k=2)^(j+1) F^k/k! s_(j+1-k)^(k-1))/F."""
    inverse, powers, found = _inverse(drift), _powers(drift, len(sources) + 1), []
    for j, source in enumerate(sources):
        size = len(drift) - j
        known = (product(powers[k], derived(found[j + 1 - k], k - 1), size) for k in range(2, j + 2))
        found.append(product(added(source, *([-c for c in series] for series in known)), inverse, size))
    return found


def derived(series: Series, times: int) -> Series:
    """The derivative of that order."""
    for _ in range(times):
        series = [k * c for k, c in enumerate(series)][1:]
    return series


def added(*several: Series) -> Series:
    """Their sum, as far as all of them are known."""
    return [sum(c) for c in zip(*several, strict=False)]


def _inverse(series: Series) -> Series:
    one = series[0] * 0 + 1  # exactly, of a ball as well
    return [c / series[0] for c in power([one, *(c / series[0] for c in series[1:])], -1, len(series))]


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


def ends_between(jets: Jets, start, end, order: int, terms: int) -> FlowEnds:
    """From `start` to x* = `end`: T_0, ..., T_(order - 1), and `terms` coefficients of what is near x*."""
    times, *own = slopes_of(*jets(end, terms + order), order)
    begun = _slopes(jets, start, order)
    sums = [mpf(0)] * len(begun) if end == start else integrals(lambda x: _slopes(jets, x, order), start, end)
    gained = [sums[k : k + order] for k in range(order, len(sums), order)]
    return FlowEnds(end, times, own, sums[:order], gained, begun[:order])


def _slopes(jets: Jets, x, order: int) -> list:
    return [series[0] for several in slopes_of(*jets(x, order), order) for series in several]


def flow_to(jets: Jets, start, time):
    """x with T_0(x) - T_0(start) = time."""
    passed = lambda x: integrals(lambda at: [1 / jets(at, 1)[0][0]], start, x)[0]  # noqa: E731
    return inverted(passed, lambda x: 1 / jets(x, 1)[0][0], time, near(jets, start, time), "T")


def near(jets: Jets, start, time):
    """The same roughly, by Heun's rule with steps that grow as the flow slows down."""
    longer, x = mp.root(1 + time, ROUGH), start
    step = longer - 1
    for _ in range(ROUGH):
        slope = jets(x, 1)[0][0]
        x += step * (slope + jets(x + step * slope, 1)[0][0]) / 2
        step *= longer
    return x


def integrals(slopes: Callable[[object], list], low, high) -> list:
    """The integrals of several functions, by Chebyshev series in log x on parts where their last coefficients vanish.

    >>> [mp.nstr(found, 8) for found in integrals(lambda x: [1 / x, x], mpf(1), mpf(2))]
    ['0.69314718', '1.5']
    """

    def refused(x):
        return PrecisionError(f"the flow is not smooth near 1 - c = {mp.nstr(x, 8)}; start elsewhere")

    return between(slopes, low, high, NARROWEST, refused)


# ---- power series in u --------------------------------------------------------------------------------


def distance(ends: FlowEnds, step: Series, time: Series) -> Series:
    """x_N - x* in u, from h and N h; as many coefficients as these have."""
    found, times = [step[0] * 0] * len(time), primitives(ends.times, ends.passed)
    for m in range(1, len(time)):
        found[m] = (time[m] - along(times, step, found[: m + 1])[m]) / ends.times[0][0]
    return found


def primitives(slopes: list[Series], starts: Series) -> list[Series]:
    """The integrals from x* on, and what each of them starts from."""
    return [[start, *(c / k for k, c in enumerate(series, start=1))]
            for series, start in zip(slopes, starts, strict=True)]  # fmt: skip


def along(several: list[Series], step: Series, away: Series) -> Series:
    """sum_j h^j series_j at x* + away."""
    total = [c * 0 for c in away]
    for series in reversed(several):
        total = added(product(total, step, len(away)), at(series, away))
    return total


def at(series: Series, away: Series) -> Series:
    """The series in x - x* at `away`, which is one in u without a constant."""
    size = len(away)
    total = [away[0] * 0] * size
    for c in reversed(series[:size]):
        total = product(total, away, size)
        total[0] = total[0] + c
    return total


def linear(ends: FlowEnds, step: Series, away: Series, first: Series, rates: Sequence[tuple[int, Series]]) -> Series:
    """R_N in u, `first` being R at the start; `rates`: (s, series) of every beta/h = u^s (series)."""
    size = len(away)
    total = product(along([[c] for c in ends.begun], step, away), first, size)
    for (shift, rate), slopes, gained in zip(rates, ends.own, ends.gained, strict=True):
        part = product(rate, along(primitives(slopes, gained), step, away), size)
        total = added(total, [away[0] * 0] * shift + part if shift >= 0 else part[-shift:])
    return product(total, _inverse(along(ends.times, step, away)), len(total))
