"""A network's law against the original layer in numbers: which checks a law allows, and from where.

C and D are followed from c^1 = 1/10 and c^1 = -1/2 (a variance from starts of its own).  Where an evaluation of the map
takes seconds, A(t') = A(t) + 1 is looked at in one layer at three small gaps instead of an orbit.
"""

from collections.abc import Callable
from dataclasses import replace

from mpmath import mp, mpf, nstr
from sympy import Rational

from asympt.errors import PrecisionError
from asympt.evidence.check import Check
from asympt.evidence.floats import depth_checks, transient_checks, variance_checks
from asympt.evidence.law_terms import CoordinateTerms, has_homogeneous, is_slow, rest_of
from asympt.evidence.orbits.constancy import TWICE, accurate_below, constancy_checks
from asympt.evidence.orbits.equations import functional_checks, map_checks, solution_checks
from asympt.evidence.referee import random_checks
from asympt.precise.dense import DenseStep, first_state

CORRELATIONS = (("c^1 = 1/10", Rational(9, 10)), ("c^1 = -1/2", Rational(3, 2)))
ONCE = (15,)  # digits beyond those asked, where one evaluation takes milliseconds
MOST = 30_000  # layers of an orbit
DIGITS, LAYER_GAPS = 30, ("1e-6", "0.7", "1.9")  # of the comparison with one layer of a statement
COARSE = 12  # digits of the equation of A, where one evaluation takes seconds

Attempt = Callable[[str, Callable[[], list[Check]]], list[Check]]


def network_checks(law, digits: int, depth: int, workers: int, progress, attempt: Attempt) -> list[Check]:
    """Every check of a network's law in numbers; `attempt` turns what cannot be done into an undone check."""
    checks = []
    if not law.layer.is_plain and not law.of_variance:
        checks += attempt("one layer of the statement", lambda: [layer_check(law)])
    if not law.layer.is_scale_free:
        checks += attempt("the map's coefficients", lambda: map_checks(law))
    if law.layer.is_scale_free or (law.koenigs is not None and not is_slow(law)):
        checks += attempt("the coordinate, P and H in one layer", lambda: functional_checks(law, nearby=True))
    elif not _reads_second(law):
        checks += attempt("P and H in one layer", lambda: solution_checks(law))
    for part in _orbits(law, digits, progress):
        checks += attempt("constancy of C and D", part)
    checks += attempt("float64 at depth", lambda: _in_floats(law, depth, workers, progress))
    return checks + attempt("random networks", lambda: random_checks(law, progress))


def _in_floats(law, depth: int, workers: int, progress) -> list[Check]:
    if law.koenigs is not None:
        return transient_checks(law, depth, workers)
    if law.of_variance:
        return variance_checks(law, depth)
    return depth_checks(law, depth, workers, progress)


def layer_check(law) -> Check:
    """The law's own step and K^1 against one layer of the architecture's statement, at three gaps and two k."""
    with mp.workdps(DIGITS):
        worst = max(_off_layer(law, mpf(gap)) for gap in LAYER_GAPS)
        bound = mpf(10) ** (5 - DIGITS)
    where = ", ".join(LAYER_GAPS)
    name = "the law's recursion against one layer of the architecture's statement: relative deviation"
    return Check.measured(name, worst, bound, f"mpmath, gaps {where}")


def _off_layer(law, gap):
    """The largest relative deviation at one gap."""
    step, found = DenseStep(law.layer), []
    if law.linear is None:
        return abs(law.dynamics.step((gap,))[0] / step((1, mpf(1), mpf(1), gap, mpf(0)))[3] - 1)
    for kernel in (mpf(0), mpf(1)):
        true = step((1, mpf(1), mpf(1), gap, kernel))[3:]
        found += list(zip(law.dynamics.step((gap, kernel)), true, strict=True))
    found.append((law.dynamics.linear.start(gap), first_state(law.layer, (mpf(1), 1 - gap, mpf(1)))[-1]))
    return max(abs(a / b - 1) for a, b in found)


# ---- C and D ------------------------------------------------------------------------------------


def _orbits(law, digits: int, progress) -> list[Callable]:
    """One piece of work for every start."""
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
    """(label, distance from the fixed point)."""
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
            raise PrecisionError(f"the series is accurate to {digits} digits below t = {nstr(edge, 3)} only")
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
