"""The original convolutional recursion in mpmath from a generic vector of correlations: what the checks look at.

Problem.  A law along one offset speaks of the mean over the positions and of how the differences fade; both have to be
seen on the recursion itself, every sum over the filter written out (`precise.convolution`).

Rule.  The start is c^1_alpha = ((7 alpha^2 + 3 alpha + 1) mod 19)/20, different at neighbouring positions.  Once the
positions agree in all digits that are carried, one of them is followed.

Tiny case.  M = 3: 1/20, 11/20, 16/20.

Known limits.  Only differences that fade to nothing are dropped; a network with reach 0 has none that do.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, log10

from mpmath import mp
from sympy import Expr, Rational

from asympt.errors import PrecisionError
from asympt.meanfield.statement import ConvStatement
from asympt.numbers import to_mpf
from asympt.precise.convolution import ConvState, ConvStep

MOST = 400_000  # positions times layers


def generic_start(positions: int) -> tuple[Expr, ...]:
    """Correlations in [0, 1) that differ from position to position."""
    return tuple(Rational((7 * place * place + 3 * place + 1) % 19, 20) for place in range(positions))


def begun(correlations) -> ConvState:
    """Layer 1 with equal variances."""
    values = tuple(to_mpf(c) for c in correlations)
    return ConvState(1, tuple(1 - c for c in values), values)


def along(statement: ConvStatement, correlations) -> Iterator[ConvState]:
    """Layers 1, 2, 3, ... at the precision that is current when a layer is asked for; one position once all agree."""
    step, state, reach = ConvStep(statement), begun(correlations), statement.reach
    while True:
        yield state
        if reach and agrees(state.gap) and agrees(state.kernel):
            state, reach = ConvState(state.layer, state.gap[:1], state.kernel[:1]), 0
            step = ConvStep(replace(statement, positions=1, reach=0))
        state = step(state)


def agrees(values) -> bool:
    """Whether all entries are the same to the digits carried, but for the last few."""
    return max(values) - min(values) <= abs(values[0]) * mp.mpf(10) ** (4 - mp.dps)


def layers_until_even(law, digits: int) -> int:
    """About how many layers it takes until the positions agree to so many digits."""
    size = max((abs(mode.size) for mode in law.modes), default=0.0)
    layers = 2 if size == 0 else 2 + ceil(digits / -log10(size))
    if layers * law.layer.positions > MOST:
        raise PrecisionError(
            f"positions agree to {digits} digits after about {layers} layers only, too many in mpmath; ask for fewer "
            "digits or fewer positions"
        )
    return layers


def digits_lost(law, digits: int) -> int:
    """Digits to carry beyond those asked: off the Edge of Chaos the distance from c* shrinks while the gap does not."""
    if law.koenigs is None:
        return 0
    pace = -log10(abs(float(to_mpf(law.koenigs.multiplier))))
    return ceil(pace * (2 * layers_until_even(law, digits + 5) + 2 * digits / pace + 20))


def mean(values):
    """The mean over the positions."""
    return mp.fsum(values) / len(values)
