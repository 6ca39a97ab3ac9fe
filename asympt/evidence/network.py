"""A network's law against the original layer in numbers: which checks a law allows, and from where.

C and D are followed from c^1 = 1/10 and c^1 = -1/2 (a variance from starts of its own).  Where an evaluation of the map
takes seconds, A(t') = A(t) + 1 is checked in one layer at three small gaps instead of along an orbit.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files

import numpy as np
from mpmath import mp, mpf, nstr
from sympy import Rational

from asympt import depth as engine
from asympt.depth.moving import Moving
from asympt.errors import PrecisionError
from asympt.evidence.check import Check, Effort, Work, telling
from asympt.evidence.law_terms import CoordinateTerms, has_homogeneous, is_slow, rest_of, terms_of
from asympt.evidence.orbits.constancy import ONCE, TWICE, accurate_below, constancy_checks
from asympt.evidence.orbits.equations import functional_checks, map_checks, solution_checks
from asympt.evidence.referee import random_checks
from asympt.meanfield.layer import Statement
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep, first_state

CORRELATIONS = (("c^1 = 1/10", Rational(9, 10)), ("c^1 = -1/2", Rational(3, 2)))
MOST = 30_000  # layers of an orbit
DIGITS, LAYER_GAPS = 30, ("1e-6", "0.7", "1.9")  # of the comparison with one layer of a statement
COARSE = 12  # digits of the equation of A, where one evaluation takes seconds


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """Every check of a network's law in numbers; with symbols in the layer there are none."""
    if not law.layer.is_plain and not law.of_variance:
        yield "one layer of the statement", lambda: [layer_check(law)]
    if not law.layer.is_scale_free:
        yield "the map's coefficients", lambda: map_checks(law)
    if law.layer.is_scale_free or (law.koenigs is not None and not is_slow(law)):
        yield "the coordinate, P and H in one layer", lambda: functional_checks(law, nearby=True)
    elif not _reads_second(law):
        yield "P and H in one layer", lambda: solution_checks(law)
    for part in _orbits(law, effort.digits, effort.report):
        yield "constancy of C and D", part
    yield "float64 at depth", lambda: _in_floats(law, effort)
    yield "random networks", lambda: random_checks(law, effort.report)


def _in_floats(law, effort: Effort) -> list[Check]:
    if law.koenigs is not None:
        return transient_checks(law, effort.depth, effort.workers)
    if law.of_variance:
        return variance_checks(law, effort.depth)
    return depth_checks(law, effort.depth, effort.workers, effort.report)


def layer_check(law) -> Check:
    """The law's own step and K^1 against one layer of the architecture's statement, at three gaps and two k."""
    with mp.workdps(DIGITS):
        worst = max(_off_layer(law, mpf(gap)) for gap in LAYER_GAPS)
        bound = mpf(10) ** (5 - DIGITS)
    where = ", ".join(LAYER_GAPS)
    name = "the law's recursion against one layer of the architecture: relative deviation"
    return Check.measured(name, worst, bound, f"mpmath, gaps {where}")


def _off_layer(law, gap):
    step, found = DenseStep(law.layer), []
    if law.linear is None:
        return abs(law.dynamics.step((gap,))[0] / step((1, mpf(1), mpf(1), gap, mpf(0)))[3] - 1)
    for kernel in (mpf(0), mpf(1)):
        true = step((1, mpf(1), mpf(1), gap, kernel))[3:]
        found += list(zip(law.dynamics.step((gap, kernel)), true, strict=True))
    found.append((law.dynamics.linear.start(gap), first_state(law.layer, (mpf(1), 1 - gap, mpf(1)))[-1]))
    return max(abs(a / b - 1) for a, b in found)


def _orbits(law, digits: int, progress) -> list[Callable]:
    if is_slow(law):
        return [lambda: [_equation(law, min(digits, COARSE))]]
    guards = TWICE if law.layer.is_scale_free else ONCE
    most = {} if law.layer.is_scale_free else {"most": MOST}
    followed = law if _reads_second(law) else _flow_alone(law)
    return [
        lambda s=start, n=label: constancy_checks(followed, s, n, digits, progress, guards=guards, **most)
        for label, start in _starts(law)
    ]


def _starts(law) -> tuple:
    if not law.of_variance:
        centre = 0 if law.fixed is None else law.fixed.point
        return tuple((label, gap - centre) for label, gap in CORRELATIONS)
    fixed = law.fixed.point
    if fixed == 0:
        return (("q^1 = 1", Rational(1)), ("q^1 = 1/3", Rational(1, 3)))
    return (("q^1 = 2 q", fixed), ("q^1 = q/2", -fixed / 2))


def _reads_second(law) -> bool:
    """Whether P is known beyond the power with which H starts."""
    if not has_homogeneous(law) or law.koenigs is not None:
        return True
    return rest_of(law.linear.particular).order > law.linear.homogeneous.leading[0].order


def _flow_alone(law):
    """The law with its map only, so that C alone is read."""
    step = law.dynamics.step
    alone = replace(law.dynamics, step=lambda state: step((state[0], mpf(0)))[:1], linear=None)
    return replace(law.changed(dynamics=alone), linear=None)


def _equation(law, digits: int) -> Check:
    """A(t') - A(t) - 1, or S(t')/(chi S(t)) - 1, in one layer at three small distances."""
    alone = _flow_alone(law) if law.linear is not None else law
    with mp.workdps(digits + 15):
        edge = accurate_below(alone, digits + 3)
        if not edge > mpf(10) ** -12:
            raise PrecisionError(f"the series is accurate to {digits} digits only below t = {nstr(edge, 3)}")
        coordinate, root = CoordinateTerms.of(alone), alone.dynamics.root
        points = [edge, edge / 2, edge / 8]
        figure = max(abs(_defect(alone, coordinate, t, root)) for t in points)
        bound = mpf(10) ** -digits
    name = "$A(t') - A(t) = 1$ in one layer" if law.koenigs is None else "$S(t') = chi S(t)$ in one layer, relatively"
    where = ", ".join(nstr(t**root, 3) for t in points)
    detail = f"at the distances {where}; instead of an orbit, because the map is a quadrature that takes seconds"
    return Check.measured(name, figure, bound, detail)


def _defect(law, coordinate, t, root: int):
    after = law.dynamics.step((t**root,))[0] ** (1 / mpf(root))
    before, late = coordinate.constants(t, 0, ())[0], coordinate.constants(after, 1, ())[0]
    return late - before if law.koenigs is None else late / before - 1


BOUND, ROUGH, SHARP = 1e-11, 1e-9, 1e-14  # of all pairs, for any phi (maps are tables), and of the diagonal
SMALL = 1e-17  # what the series leave out where they count as accurate
DEEPEST, VARIANCE_BOUND = 20_000, 1e-9
DECADES, CLOSE = 2.5, 13  # decimal orders that an exponential law is followed, digits of its series at the first layer
FADED = 1e-7  # bound of an exponential law
FAINT = 1e-7  # of the limit; rounding, 1e-14 of it, is FADED of this
KEPT = 1e-8  # the same over 1 - chi, as what is rounded in a layer dies out like chi
LONGEST = 4000  # layers until the series is accurate


def digit_gaps() -> np.ndarray:
    """1 - cos(angle) of all 1,035 pairs of the shipped images, by differences of unit vectors."""
    text = files("asympt.evidence").joinpath("digits.csv").read_text()
    images = np.array([row.split(",") for row in text.splitlines()[1:]], dtype=float)
    unit = images / np.linalg.norm(images, axis=1, keepdims=True)
    first, second = np.triu_indices(len(unit), 1)
    return ((unit[first] - unit[second]) ** 2).sum(axis=1) / 2


@dataclass(frozen=True)
class FloatLaw(CoordinateTerms):
    """The same in float64 for arrays, and how it goes from layer to layer; t is the root of that order."""

    root: int = 1

    @classmethod
    def of(cls, law) -> "FloatLaw":
        known = CoordinateTerms.of(law)
        chi, (position, *linear) = known.chi, map(floats, (known.position, known.particular, known.homogeneous))
        return cls(position, None if chi is None else float(chi), *linear, float(known.growth), law.dynamics.root)

    def later(self, t: np.ndarray, layers: int) -> np.ndarray:
        position = evaluated(self.position, t)
        return self._solve(position + layers if self.chi is None else position * self.chi**layers)

    def _solve(self, target: np.ndarray) -> np.ndarray:
        """Newton's method for N(t) = target from the leading term."""
        power, _, lead = self.position[0]
        t = target / lead if power == 1 else (target / lead) ** (1 / power)
        slope = [(p - 1, j, p * c) for p, j, c in self.position if p]
        slope += [(p - 1, j - 1, j * c) for p, j, c in self.position if j]
        for _ in range(60):
            change = (evaluated(self.position, t) - target) / evaluated(slope, t)
            t = t - change
            if np.all(np.abs(change) <= 1e-15 * np.abs(t)):
                break
        return t

    def predicted(self, distance: np.ndarray, kernel: np.ndarray | None, layers: int) -> np.ndarray:
        """What the law is about so many layers later: k, or the distance for a law without an NTK."""
        t = distance ** (1 / self.root) if self.root > 1 else distance
        after = self.later(t, layers)
        if not self.particular:
            return after**self.root
        second = (kernel - evaluated(self.particular, t)) / evaluated(self.homogeneous, t)
        return evaluated(self.particular, after) + self.growth**layers * second * evaluated(self.homogeneous, after)


def floats(terms: list) -> list[tuple[float, int, float]]:
    """Terms (power, logs, coefficient) in float64."""
    return [(float(p), j, float(c)) for p, j, c in terms]


def evaluated(terms: list, t: np.ndarray) -> np.ndarray:
    """sum c t^p log|t|^j in float64, negative t with whole powers only."""
    return sum(c * t**p * (np.log(np.abs(t)) ** j if j else 1.0) for p, j, c in reversed(terms))


def first_accurate(law) -> int:
    """The layer at which the first term that A or P leaves out is below float64 noise."""
    terms = [(float(p), abs(float(c))) for p, j, c in terms_of(law.abel.expansion) if not j and p > 0][-3:]
    order = int(law.abel.expansion.remainder.monomial.order)
    growth = max(c ** (1 / p) for p, c in terms)
    edge = (SMALL / growth**order) ** (1 / order) / 3
    lead, power = float(terms_of(law.abel.expansion)[0][2]), law.abel.multiplicity
    return int(2 * lead / edge**power) + 50


def beyond(depth: int, first: int) -> int:
    """The requested depth, or one at which the law can be compared from layer `first` on."""
    return depth if depth > first else 2 * first


def depth_checks(law, depth: int, workers: int = 1, progress=None) -> list[Check]:
    """Law against iteration at layer `depth`; for an NTK law of a ReLU-like phi the diagonal too."""
    first, gaps, scale_free = first_accurate(law), digit_gaps(), law.layer.is_scale_free
    depth = beyond(depth, first)
    layer = gaps_alone(law.layer) if scale_free and law.linear is None else law.layer
    report = telling(progress, f"float64 iteration to depth {depth}")
    early = engine.pairs(layer, gaps, first, workers=workers)
    late = engine.pairs(layer, np.append(gaps, 0.0), depth, workers=workers, progress=report)
    predicted = FloatLaw.of(law).predicted(*early, depth - first)
    figure = np.max(np.abs(predicted / late[law.linear is not None][:-1] - 1))
    detail = f"{gaps.size} pairs of images, C and D read at layer {first}, compared at layer {depth}"
    name = f"law against float64 iteration of {gaps.size} pairs of images at depth {depth}: largest relative deviation"
    checks = [Check.measured(name, figure, BOUND if scale_free else ROUGH, detail)]
    with_diagonal = law.linear is not None and scale_free
    return [*checks, _diagonal(law.layer, late[0][-1], late[1][-1], depth)] if with_diagonal else checks


def _diagonal(layer: Statement, gap: float, kernel: float, depth: int) -> Check:
    """K^L(x, x) exactly: gap 0 stays 0, and k grows by the same amount in every layer, by 1 in a plain network."""
    if layer.is_plain:
        name = f"the diagonal $K^L(x,x) - qL$ at depth {depth}"
        return Check.compare(name, float(abs(gap) + abs(kernel - depth)), 0.0, "float64 iteration from gap 0")
    first, more = layer.first.weight_rate / layer.first.weight, layer.source
    figure = abs(gap) + abs(kernel / float(first + (depth - 1) * more) - 1)
    name = f"the diagonal $K^L(x,x)/q_L$ at depth {depth} against ${first} + ({more}) (L - 1)$: relative deviation"
    return Check.measured(name, figure, SHARP, "float64 iteration from gap 0")


def gaps_alone(layer: Statement) -> Statement:
    """A network without a scale whose gaps are the same: weights and biases learn as they are drawn."""
    weight, first = layer.branch * layer.layer.weight_variance, layer.first
    drawn = replace(first, weight_rate=first.weight, bias_rate=first.bias)
    return replace(layer, weight_rate=weight, bias_rate=layer.branch * layer.layer.bias_variance, first=drawn)


def variance_checks(law, depth: int) -> list[Check]:
    """The same for the parabolic law of a variance (PDLT's class K* = 0), from 40 starts and layer by layer.

    q' - q is far smaller than q, so an error of 1e-16 in V counts l times, and the bound is wider.
    """
    first = first_accurate(law)
    depth = beyond(min(depth, DEEPEST), first)
    inputs = np.sqrt(np.linspace(0.05, 1.0, 40))[:, None]
    early, late = (engine.diagonal(law.layer, inputs, depth=layer)[0] for layer in (first, depth))
    figure = np.max(np.abs(FloatLaw.of(law).predicted(early, None, depth - first) / late - 1))
    name = f"law against float64 iteration of 40 variances at depth {depth}: largest relative deviation"
    return [Check.measured(name, figure, VARIANCE_BOUND, f"C read at layer {first}")]


# ---- an exponential law, while what decays can still be seen ----------------------------------------


def transient_checks(law, depth: int, workers: int = 1) -> list[Check]:
    """Law against iteration from layer n to layer m, or to `depth` if that comes earlier and is beyond n."""
    known = FloatLaw.of(law)
    with mp.workdps(30):
        edge = float(accurate_below(law, CLOSE))
    first = _first_close(law, edge**known.root, workers)
    early, own = _run(law, first, workers), int(law.linear is not None)
    limit = next((c for p, j, c in known.particular if p == 0 and not j), 0.0)  # of k; the distance goes to 0
    size = abs(limit if own else _centre(law))  # of the numbers whose rounding is seen
    faint = size * max(FAINT, KEPT / (1 - abs(known.chi)))
    last = first + _further(np.median(np.abs(early[own] - limit)), faint, known.chi)
    last = min(depth, last) if depth > first else last
    predicted, observed = known.predicted(*early, last - first), _run(law, last, workers)[own]
    distance = float(np.median(np.abs(observed - limit)))
    figure = float(np.max(np.abs(predicted - observed))) / max(distance, faint)
    name = f"law against float64 iteration at layer {last}: largest deviation in units of the distance from the limit"
    detail = f"{observed.size} starts, C and D read at layer {first}; at layer {last} the distance is {distance:.1e}"
    return [Check.measured(name, figure, FADED, detail)]


def _further(away: float, faint: float, chi: float) -> int:
    """Layers that make the distance DECADES decimal orders smaller, or as many as keep it above `faint`; at least 1."""
    left = np.log10(away / faint) if faint else np.inf
    decades = -np.log10(abs(chi))
    return int(max(1, min(np.ceil(DECADES / decades), np.floor(left / decades))))


def _first_close(law, edge: float, workers: int) -> int:
    """The first of the layers 2, 3, 4, 5, 6, 8, ... at which every start is within the edge."""
    layer = 2
    while np.max(np.abs(_run(law, layer, workers)[0])) > edge and layer < LONGEST:
        layer += max(1, layer // 3)
    return layer


def _run(law, layers: int, workers: int) -> tuple:
    """Distances y and, for an NTK law, k of all pairs at one layer."""
    if law.of_variance:  # q^l - q* from starts around q* (from 1/2 to 2 times; q* = 0: up to 1)
        layer, fixed = law.layer.layer, _centre(law)
        weight, bias = (float(to_mpf(v)) for v in (layer.weight_variance, layer.bias_variance))
        moving = Moving(layer.activation.piecewise, weight, bias)
        q = np.linspace(0.5, 2.0, 41) * fixed if fixed else np.linspace(0.05, 1.0, 41)
        for _ in range(layers - 1):
            q = moving.variances(q)[0]
        return q - fixed, None
    gap, kernel = engine.pairs(law.layer, digit_gaps(), layers, workers=workers)
    return gap - _centre(law), None if law.linear is None else kernel


def _centre(law) -> float:
    return 0.0 if law.fixed is None else float(to_mpf(law.fixed.point))
