"""The NTK of a scaled residual network in numbers: k_L at any depth, and the constant D, certified by two routes.

Problem.  k_L for L = 10^100 to 30 digits; D of k = P(t) + D h to as many.

Rule.  As for the correlation (`recursions.driven_evaluation`): iterate to a hand-over layer, follow the curve of the
orbit from there (`along`).  For kappa = 1 single layers change k by O(1/l) beside P and D h, so D is read at
l = 10^(digits + 6), where the series of P and h at t = 0 converge fast.  Two routes, at two precisions and two
hand-overs, must agree.

Tiny case.  sigma_w^2 = 2: to 30 digits D is read at l = 10^41 or so, t = 0.07.

Known limits.  D for kappa = 1 only: otherwise the corrections are of the size l^(-kappa), h of l^(-3 (1 - kappa)).
"""

from functools import lru_cache

from mpmath import mp, mpf
from sympy import Expr

from asympt.architectures.scaled.along import KernelTrack
from asympt.architectures.scaled.flow import ntk_solution
from asympt.architectures.scaled.orbit import Orbit
from asympt.errors import PrecisionError, UnsupportedError
from asympt.numbers import to_mpf
from asympt.recursions.agreement import agreed
from asympt.recursions.coordinates.flow_time.coordinate import EXTRA, handed_over, ways
from asympt.recursions.coordinates.flow_time.interval import working_digits

FEWEST, LATEST = 300, 100_000  # layers before the hand-over
SERIES = 240  # powers of t in P and h
LOST = 6  # digits that D has less than k


def kernel_at(orbit: Orbit, start: Expr, depth: int, digits: int):
    """k at layer `depth`."""
    orbit.drift.require_way_down(start)

    def pair(extra: int) -> list:
        return [_kernel(orbit, start, depth, digits + more, deeper) for more, deeper in ways(extra)]

    return agreed(pair, digits, extras=EXTRA)


def second_constant(orbit: Orbit, start: Expr, digits: int):
    """D."""
    require_second(orbit)
    orbit.drift.require_way_down(start)

    def pair(extra: int) -> list:
        return [_second(orbit, start, digits + more, deeper) for more, deeper in ways(extra)]

    return agreed(pair, digits, "two readings of D", extras=EXTRA)


def require_second(orbit: Orbit) -> None:
    """An error where D is not read off: only for kappa = 1 are the layers' corrections soon negligible."""
    if orbit.kappa != 1:
        raise UnsupportedError(
            f"kappa = {orbit.kappa}: the corrections to the flow by single layers, O(l^(-kappa)), hide the part D h of "
            "the NTK for kappa <= 3/4 and uncover it too slowly above that to read D off; its number is given for "
            "kappa = 1 only"
        )


def _kernel(orbit: Orbit, start: Expr, depth: int, digits: int, deeper):
    with mp.workdps(working_digits(digits)):
        if depth <= _hand_over(digits, deeper):
            return orbit.iterate(start, depth)[1]
        return _followed(orbit, start, digits, deeper, lambda track: track.at_layer(depth)[1], depth)


def _second(orbit: Orbit, start: Expr, digits: int, deeper):
    with mp.workdps(working_digits(digits + LOST)):
        clock = orbit.steps.clock(mpf(10) ** (digits + LOST))
        point, kernel = _followed(orbit, start, digits + LOST, deeper, lambda track: track.extend(clock))
        particular, wave = _at(orbit.drift.lead, mp.sqrt(point.x))
        return (kernel - particular) / wave


def _followed(orbit: Orbit, start: Expr, digits: int, deeper, ask, depth: int | None = None):
    """What `ask` finds on the track; the hand-over moves out while the differences there are not small enough."""
    return handed_over(
        _hand_over(digits, deeper), LATEST, digits,
        lambda: orbit.iterate(start, depth)[1], lambda layer: ask(_track(orbit, start, digits, layer)), depth,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _track(orbit: Orbit, start: Expr, digits: int, layer: int) -> KernelTrack:
    return KernelTrack(orbit, start, digits, layer)


def _hand_over(digits: int, deeper) -> int:
    return 1 + int(max(FEWEST, min(digits**2, LATEST / 4)) * deeper)


def _at(lead: Expr, t) -> tuple:
    """P and h at t, by their series; an error where these are too short."""
    solution = ntk_solution(lead, SERIES)
    if (t / mp.sqrt(2)) ** SERIES > mp.eps * t**4:
        raise PrecisionError(
            f"where D is read, t = {mp.nstr(t, 3)} is too large for the series of P; ask for other digits or take "
            "a larger sigma_w"
        )
    return tuple(
        mp.fsum(to_mpf(c) * t ** int(m.order) * mp.log(t) ** m.logs for m, c in e.terms)
        for e in (solution.particular, solution.homogeneous)
    )
