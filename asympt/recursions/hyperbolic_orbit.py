"""The original orbit near a hyperbolic fixed point: step by step, as precisely as the distance deserves.

Problem.  Reach a given step, or the first step at which |t| is small enough, with all digits of the distance y
correct relative to y, though the map may be evaluated as G(x* + y) - x*, which loses log10(1/y) digits.

Rule.  Iterate, note the smallest |y| met, and if it needs more digits than were carried, iterate again with those.  An
orbit that lands on the fixed point shows the rounding error however many digits are carried.  One that settles
elsewhere comes back to where it was (Brent: compare with the state at the last power of two).

Known limits.  More than `MOST_STEPS` steps are refused; an orbit that wanders about for longer is not told from a
slow one.
"""

from collections.abc import Callable

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError, PrecisionError
from asympt.recursions.coordinates.abel_numeric import GUARD
from asympt.recursions.orbit import LARGEST, MOST_STEPS, initial
from asympt.recursions.protocol import Dynamics

ATTEMPTS = 4
CLOSEST = 20_000  # digits carried at most
SAME = mpmath.mpf(10) ** -15


def travel(dynamics: Dynamics, start: Expr, digits: int, arrived: Callable, carry: int = 5) -> tuple[tuple, int]:
    """The first state with arrived(state, index), good to `digits` digits and `GUARD`, and its index.

    `carry`: how many digits more to begin with.
    """
    precision = digits + GUARD + carry
    for _ in range(ATTEMPTS):
        with mp.workdps(precision):
            state, index, smallest = _walk(dynamics, start, arrived)
        needed = digits + GUARD + 2 + max(0, -_magnitude(smallest))
        if needed <= precision and arrived(state, index):
            return state, index
        if needed > CLOSEST:
            raise PrecisionError(
                f"the orbit comes within 10^(-{needed - digits}) of the fixed point before the expansion is used, too "
                "close to be iterated; start further away"
            )
        precision = max(needed + 5, 3 * precision // 2)
    raise _landed(index, precision)


def to_index(depth: int) -> Callable:
    """Arrived at the index `depth`."""
    return lambda state, index: index == depth


def _walk(dynamics: Dynamics, start: Expr, arrived: Callable) -> tuple[tuple, int, object]:
    """The state where the orbit arrives or is lost among rounding errors, its index, and the smallest |y| met."""
    state, index = initial(dynamics, start), dynamics.first
    smallest, ceiling = abs(state[0]), LARGEST * (1 + abs(state[0]))
    mark, until = state[0], 2
    _require_side(dynamics, state[0], index)
    while not arrived(state, index):
        state, index = _next(dynamics, state, index), index + 1
        y = state[0]
        _require_orbit(dynamics, y, ceiling, index)
        if abs(y - mark) <= SAME * abs(y):
            if mp.mag(y) > -mp.prec // 2:
                raise _elsewhere(y, index)
            break
        if index - dynamics.first == until:
            mark, until = y, 2 * until
        smallest = min(smallest, abs(y))
    return state, index, smallest


def _next(dynamics: Dynamics, state: tuple, index: int) -> tuple:
    if index - dynamics.first >= MOST_STEPS:
        raise PrecisionError(
            f"after {MOST_STEPS} steps the orbit is still too far from the fixed point (distance "
            f"{mpmath.nstr(abs(state[0]), 5)}) for the expansion to be accurate; start closer to it"
        )
    try:
        return dynamics.step(state)
    except InputError:
        raise
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise InputError(
            f"the map has no value at distance {mpmath.nstr(state[0], 5)} from the fixed point, where the orbit is at "
            f"step {index} ({error}); start closer to the fixed point"
        ) from None


def _require_orbit(dynamics: Dynamics, y, ceiling, index: int) -> None:
    if isinstance(y, mpmath.mpc) or not mpmath.isfinite(y):
        raise InputError(f"the orbit leaves the real numbers at step {index}; start closer to the fixed point")
    if abs(y) > ceiling:
        raise InputError(
            f"the orbit goes away from the fixed point (distance {mpmath.nstr(abs(y), 5)} at step {index}); start "
            "closer to it"
        )
    if y == 0:
        raise _landed(index, mp.dps)
    _require_side(dynamics, y, index)


def _require_side(dynamics: Dynamics, y, index: int) -> None:
    if dynamics.root > 1 and y < 0:
        raise InputError(
            f"the orbit is on the other side of the fixed point at step {index} (distance {mpmath.nstr(y, 5)}), where "
            f"the powers y^(1/{dynamics.root}) of the map are not real; start on the side that the law is for"
        )


def _landed(index: int, digits: int) -> InputError:
    return InputError(
        f"the orbit lands on the fixed point at step {index} (to {digits} digits), so C = 0 and there is no law of how "
        "it is approached; start elsewhere"
    )


def _elsewhere(y, index: int) -> InputError:
    return InputError(
        f"the orbit settles elsewhere (at distance {mpmath.nstr(abs(y), 8)} from the fixed point after {index} steps); "
        "start in the basin of the fixed point"
    )


def _magnitude(y) -> int:
    """The decimal exponent of y; that of nothing is the precision twice over."""
    return int(mpmath.mag(y) * 0.30103) if y else -2 * mp.dps
