"""How close to the fixed point a truncated series is accurate.

Problem.  C can be read off A (or S) only where what the truncated series leaves out is below the digits asked.

Rule.  The first term left out is about g^N t^N, g the largest |c_k|^(1/k) of the last coefficients known; where a
constant is divided by H (or S by y), the power of t lost in the division counts against it.

Known limits.  An estimate: the checks that use it measure the truth.
"""

from mpmath import mp, mpf

from asympt.errors import PrecisionError
from asympt.evidence.reading import has_wave, number, rest_of
from asympt.numbers import to_mpf


def accurate_below(law, digits: int):
    """A t below which the first term that A (or S), P and H leave out is smaller than 10^-digits (as C and D see it).

    Estimated from the size of the last coefficients; the check that uses it measures the truth.
    """
    bound = mpf(10) ** -digits
    main, lost = (law.abel.expansion, 0) if law.koenigs is None else (law.koenigs.expansion, law.dynamics.root)
    expansions = [(main, lost)]
    if law.linear is not None and not has_wave(law):
        expansions += [(law.linear.particular, 0)]
    elif law.linear is not None:
        lead = abs(number(law.linear.homogeneous.leading[1]))
        bound = bound * min(1, lead)
        expansions += [(law.linear.particular, wave_order(law))]
        if law.koenigs is not None:
            expansions += [(law.linear.homogeneous, int(law.linear.homogeneous.leading[0].order))]
    return min(_edge(expansion, loss, bound) for expansion, loss in expansions)


def wave_order(law):
    """The power of t like which the homogeneous solution decays along the flow."""
    if law.koenigs is None or law.linear.runs_alone:
        return to_mpf(law.linear.homogeneous.leading[0].order)
    pace = mp.log(abs(to_mpf(law.koenigs.multiplier))) / law.dynamics.root
    return mp.log(abs(to_mpf(law.linear.multiplier))) / pace


def _edge(expansion, loss, bound):
    order = int(rest_of(expansion).order)
    if order <= loss:
        raise PrecisionError(f"{expansion} is not known far enough to read a constant off; derive more terms")
    last = [(int(m.order), abs(number(c))) for m, c in expansion.terms if not m.logs and m.order > 0][-3:]
    growth = max((c ** (mpf(1) / k) for k, c in last if c), default=mpf(1))
    return (bound / (10 * growth**order)) ** (mpf(1) / (order - loss))
