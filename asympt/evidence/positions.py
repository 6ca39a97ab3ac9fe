"""The checks of a law of a convolutional network whose variances move the map: the dense law's, and positions alike."""

from collections.abc import Callable

from mpmath import mp, mpf

from asympt.architectures.convolution.spectrum import spectrum
from asympt.architectures.residual.bounded import exponent
from asympt.evidence import growing
from asympt.evidence.check import Check
from asympt.evidence.convolution import generic_start
from asympt.evidence.order import rate_check
from asympt.numbers import to_mpf
from asympt.precise.convolution import MovingConvState, MovingConvStep

ALIKE = (8, 16, 32)  # layers at which positions are compared


def symbolic_checks(law) -> list[Check]:
    """Those of the dense law."""
    return growing.symbolic_checks(law.coordinate.dense)


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Callable) -> list[Check]:
    """The positions, and the dense law."""
    found = attempt("how positions become alike", lambda: [alike_check(law)])
    return found + growing.numeric_checks(law.coordinate.dense, digits, depth, workers, progress, attempt)


def alike_check(law) -> Check:
    """The spread of s/q over the positions, from the generic start, falls as fast as it must.

    Like the power that the law's remainder counts with where phi is bounded, else geometrically: like l^(-2) at least.
    """
    conv = law.coordinate.conv
    size = conv.positions
    with mp.workdps(15):
        ones, together = (mpf(1),) * size, tuple(map(to_mpf, generic_start(size)))
        state, left = MovingConvState(1, ones, ones, together, together), []
        step = MovingConvStep(conv)
        while state.layer < ALIKE[-1]:
            state = step(state)
            if state.layer in ALIKE:
                ratios = [s / q for s, q in zip(state.together, state.first, strict=True)]
                left.append(max(ratios) - min(ratios))
        rate, shown = mpf(2), 2
        if law.coordinate.says_limit_and_power:
            slowest = spectrum(size, conv.reach).slowest
            rate = 1 - (to_mpf(slowest.eigenvalue) * (1 - to_mpf(exponent(conv.dense))) if slowest else 0)
            shown = mp.nstr(rate, 4)
        where = f"layers {', '.join(map(str, ALIKE))}, {size} positions"
        return rate_check("the correlations at the positions become alike", left, rate, shown, where)
