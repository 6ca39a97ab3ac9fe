"""The figure of a plain recursion: the orbit in its coordinate, and how far the partial sums of the law are off.

Left, for a parabolic map, with s = alpha t^(-m) the leading term of A: s_n - n climbs with the log, if there is one,
and s_n - (growing terms of its law) tends to the dashed line; for a hyperbolic one y_n/chi^n, which tends to C.  Right,
|x_n - sum of k terms|/|x_n - limit| for k = 1, 2, ...: points, and as lines the size of the first term left out.
Filled points are iterated in mpmath, open ones the law's evaluation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mp

from asympt.errors import AsymptError, InputError, PrecisionError
from asympt.evidence.law_terms import kept, monomial_at, number
from asympt.expansions import Expansion, Monomial, Scale
from asympt.numbers import exact, to_mpf
from asympt.plots.style import COLOURS, GREY, LIMIT, MARKERS, STYLE, canvas, colour, entry, in_one_font, marker, styled
from asympt.recursions import Law, Recursion
from asympt.recursions.coordinates.abel_inversion import C
from asympt.recursions.fixed_point import Observable, numeric

ITERATED, EVALUATED = 10**5, 10**8  # steps from a parabolic start
CLOSE = 6  # decimal power of y up to which a hyperbolic map is iterated
LONGEST, DOTS = 20_000, 24  # steps of a hyperbolic orbit, and points on its curves
FEWER = 30  # digits, where those wanted are out of reach
MOST = 20  # terms of a law
ROOM = 15  # digits of a value that are not used to tell an error
_ONE = Monomial(0)


@dataclass(frozen=True)
class OrbitPoint:
    """What was seen after so many steps: the quantity, s_n (or y_n/chi^n), whether the map was iterated."""

    steps: int
    value: object
    inner: object
    iterated: bool


@dataclass(frozen=True, eq=False)
class RecursionData:
    """The orbit of one start beside its law.

    `longer`: the law with one term more, or None; `inside`: for a parabolic map the expansions of s_n, by the remainder
    of n as in `Law.branches`; `constant`: C; `digits`: to which the points are known.
    """

    law: Law
    longer: Law | None
    inside: dict[int, Expansion] | None
    constant: object
    digits: int
    points: tuple[OrbitPoint, ...]

    @property
    def limit(self):
        """The limit of the quantity if it is finite, else 0."""
        return to_mpf(self.law.expansion.coefficients[_ONE]) if self._tends else mpmath.mpf(0)

    @property
    def _tends(self) -> bool:
        """Whether the law starts with a finite limit."""
        return self.law.expansion.terms[0][0] == _ONE

    @property
    def counts(self) -> range:
        """The numbers of terms of the partial sums; a limit alone is none."""
        last = len(self.law.expansion.terms)
        return range(2 if self._tends else 1, last if self.law.expansion.remainder is None else last + 1)

    def sum(self, point: OrbitPoint, count: int | None = None):
        """The first `count` terms of the law (all of them)."""
        return self._read(self.law.branch(point.steps).terms[:count], self.law.expansion.scale, point)

    def error(self, point: OrbitPoint, count: int):
        """|value - sum|/|value - limit|; None below what the digits can tell."""
        error = abs(point.value - self.sum(point, count)) / abs(point.value - self.limit)
        return error if error > mpmath.mpf(10) ** (ROOM - self.digits) else None

    def left_out(self, point: OrbitPoint, count: int):
        """The size of the term after the first `count`, relative to the same; None when it is not known."""
        if self.longer is None or len(self.longer.expansion.terms) <= count:
            return None
        term = self.longer.branch(point.steps).terms[count : count + 1]
        return abs(self._read(term, self.law.expansion.scale, point)) / abs(point.value - self.limit)

    def drift(self, point: OrbitPoint):
        """s_n without the growing terms of its law, or y_n/chi^n."""
        if self.inside is None:
            return point.inner
        known = self.inside[point.steps % len(self.inside)]
        growing = [t for t in known.terms if t[0] > _ONE]
        return point.inner - self._read(growing, known.scale, point)

    @property
    def level(self):
        if self.inside is None:
            return self.constant
        constant = [t for t in self.inside[0].terms if t[0] == _ONE]
        return self._read(constant, self.inside[0].scale, self.points[-1])

    @property
    def rises(self) -> bool:
        """Whether a logarithm, and nothing but it, grows in s_n besides n."""
        if self.inside is None:
            return False
        return [m for m, _ in self.inside[0].terms[1:] if m > _ONE] == [Monomial(0, 1)]

    def _read(self, terms: Sequence, scale: Scale, point: OrbitPoint):
        n, known = point.steps, {C.name: self.constant}
        return sum((number(c, known) * monomial_at(scale, m, n) for m, c in terms), mpmath.mpf(0))


def recursion_data(recursion: Recursion, law: Law, start) -> RecursionData:
    """Iterate from x_0 = `start`, and evaluate further out."""
    if not isinstance(recursion, Recursion) or not isinstance(law, Law):
        raise InputError(f"recursion = {recursion!r}, law = {law!r}: give a Recursion and a law of it")
    start = exact(start, "start")
    law, inside, longer = law.for_start(start), _inside(law.for_start(start)), _longer(recursion, law)
    longer = longer and longer.for_start(start)
    digits = min(200, 40 + (8 if inside else 2 * CLOSE) * len(law.expansion.terms))
    near, far = depths(law)
    try:
        constant = law.connection_constant(digits, start=start)
    except PrecisionError:  # the errors of the last terms will not be told then
        digits = min(digits, FEWER)
        constant = law.connection_constant(digits, start=start)
    with mp.workdps(digits):
        points = _iterated(recursion, law, start, near, digits)
        points += _evaluated(law, start, far, digits)
    return RecursionData(law, longer, inside, constant, digits, tuple(points))


def _inside(law: Law) -> dict[int, Expansion] | None:
    """s_n = alpha t_n^(-m) at even and at odd n, as the derivation of a parabolic law found it."""
    if law.koenigs is not None:
        return None
    found = next(step for step in law.steps if step.form == "t")
    return dict(enumerate([found["s"], *([found["s odd"]] if "s odd" in found else [])]))


def _longer(recursion: Recursion, law: Law) -> Law | None:
    count, seen = min(MOST, len(law.expansion.terms) + 1), law.observable
    try:
        return recursion.law(count, seen.expression if isinstance(seen, Observable) else None)
    except AsymptError:
        return None


def depths(law: Law) -> tuple[list[int], list[int]]:
    """The steps at which the orbit is looked at: where the map is iterated, and where the law is evaluated."""
    if law.koenigs is None:
        every = [step * 10**decade for decade in range(9) for step in (1, 2, 5)]
        every = [n + k for n in every for k in (law.branches if n > 5 else (0,))]
        last = ITERATED + 1
        return [n for n in every if n <= last], [n for n in every if last < n <= EVALUATED + 1]
    decades = float(-mpmath.log10(abs(to_mpf(law.koenigs.multiplier))))
    last = min(LONGEST, max(6, int(CLOSE / decades)))
    gap = max(1, last // (DOTS // 2))
    return list(range(1, last + 1, gap)), list(range(last + gap, 2 * last + 1, gap))


def _iterated(recursion: Recursion, law: Law, start, steps: Sequence[int], digits: int) -> list[OrbitPoint]:
    found = []
    for n, x in kept(numeric(recursion.expression, recursion.symbol), to_mpf(start), set(steps), 0).items():
        y = law.fixed.distance(x)
        value = x if law.observable.reads_x else law.observable.value(lambda more, y=y: y, digits - ROOM)
        found.append(OrbitPoint(n, value, _inner(law, y, n), True))
    return found


def _inner(law: Law, y, n: int):
    if law.koenigs is not None:
        return y / to_mpf(law.koenigs.multiplier) ** n
    m, alpha = law.abel.multiplicity, law.abel.expansion.leading[1]
    return to_mpf(alpha) * abs(y) ** (-mpmath.mpf(m) / law.dynamics.root)


def _evaluated(law: Law, start, steps: Sequence[int], digits: int) -> list[OrbitPoint]:
    found = []
    for n in steps:
        try:
            value = law.evaluate(n, digits=digits - 10, start=start)
            inner = None if law.koenigs is not None else _inner(law, law.deviation(n, digits=30, start=start), n)
        except AsymptError:
            break
        found.append(OrbitPoint(n, value, inner, False))
    return found


@styled
def recursion_figure(data: RecursionData, labels: dict[str, str], width: float = 6.2):
    """The two panels.  `labels`: LaTeX of 'climb', 'drift' and 'error' for the legend and the axes."""
    figure, (left, right) = canvas(width, 0.5 * width, columns=2)
    with mp.workdps(data.digits):
        _draw_coordinate(left, data, labels)
        _draw_errors(right, data)
    right.set_ylabel(labels["error"])
    for axes in (left, right):
        axes.set_xlabel("step $n$")
        if data.law.koenigs is None:
            axes.set_xscale("log")
    figure.legend(handles=_handles(data), loc="outside lower center", ncols=4, handlelength=2, columnspacing=1.4)
    return in_one_font(figure)


def _draw_coordinate(axes, data: RecursionData, labels: dict[str, str]) -> None:
    points = [p for p in data.points if p.inner is not None]
    if data.rises:
        _dots(axes, points, [p.inner - p.steps for p in points], COLOURS[1], MARKERS[1])
        axes.plot([], [], MARKERS[1], color=COLOURS[1], label=labels["climb"])
    _dots(axes, points, [data.drift(p) for p in points], COLOURS[0], MARKERS[0])
    axes.plot([], [], MARKERS[0], color=COLOURS[0], label=labels["drift"])
    axes.axhline(float(data.level), **LIMIT, zorder=1)
    axes.legend(loc="best")


def _draw_errors(axes, data: RecursionData) -> None:
    """Points for the errors, lines for the first term left out."""
    for index, count in enumerate(data.counts):
        own = colour(index)
        told = [(p, e) for p in data.points if p.steps > 1 and (e := data.error(p, count))]
        _dots(axes, [p for p, _ in told], [e for _, e in told], own, marker(index))
        sizes = [(p.steps, s) for p, _ in told if (s := data.left_out(p, count))]
        axes.plot([n for n, _ in sizes], [float(s) for _, s in sizes], color=own, linewidth=0.7, zorder=1)
    axes.set_yscale("log")


def _dots(axes, points: Sequence[OrbitPoint], values: Sequence, own: str, shape: str) -> None:
    """Filled where the map was iterated, open where the law was evaluated."""
    for iterated, face in ((True, own), (False, "white")):
        kept = [(p.steps, float(v)) for p, v in zip(points, values, strict=True) if p.iterated == iterated]
        axes.plot(*zip(*kept, strict=True) if kept else ([], []), shape, color=own, markerfacecolor=face, zorder=3)


def _handles(data: RecursionData) -> list:
    point = {"markersize": STYLE["lines.markersize"], "linestyle": "none"}
    sums = [
        entry(f"{count} term{'' if count == 1 else 's'}", color=colour(k), marker=marker(k), **point)
        for k, count in enumerate(data.counts)
    ]
    kinds = [entry("map iterated", color=GREY, marker="o", **point)]
    if not all(p.iterated for p in data.points):
        kinds.append(entry("law evaluated", color=GREY, marker="o", markerfacecolor="white", **point))
    return [*sums, *kinds, entry("first term left out", color=GREY, linestyle="-")]
