"""The original recursion of a network's layers in mpmath, with the states at some depths kept to be shown."""

from functools import lru_cache

from mpmath import mp
from sympy import Expr

from asympt.evidence.orbits.panels import followed_by_panels
from asympt.numbers import to_mpf
from asympt.precise.layer import ScaledStep


def orbit_of(law, start: Expr, depths: tuple[int, ...], digits: int) -> dict[int, tuple]:
    """{depth: (gap, K/q)} from c^1 = start, in so many digits, for a law whose layers are all alike."""
    return _orbit(law.dynamics.step, start, depths, digits)


def scaled_orbit(law, start: Expr, depths: tuple[int, ...], digits: int) -> dict[int, tuple]:
    """{depth: (gap, K/q, K(x,x)/q)} of a network whose branches are scaled down with depth."""
    return _scaled_orbit(law.layer, start, depths, digits)


@lru_cache(maxsize=4)
def _orbit(step, start: Expr, depths: tuple[int, ...], digits: int) -> dict[int, tuple]:
    kept = {}
    with mp.workdps(digits):
        state, onward = (1 - to_mpf(start), to_mpf(start)), followed_by_panels(step)
        layer = 1
        for depth in sorted(depths):
            state, layer = onward.advance(state, depth - layer), depth
            kept[depth] = state
    return kept


@lru_cache(maxsize=4)
def _scaled_orbit(statement, start: Expr, depths: tuple[int, ...], digits: int) -> dict[int, tuple]:
    step, kept = ScaledStep(statement), {}
    with mp.workdps(digits):
        pair, single = (1, 1 - to_mpf(start), to_mpf(start)), (1, mp.mpf(0), mp.mpf(1))
        while pair[0] < depths[-1]:
            pair, single = step(pair), step(single)
            if pair[0] in depths:
                kept[pair[0]] = (pair[1], pair[2], single[2])
    return kept
