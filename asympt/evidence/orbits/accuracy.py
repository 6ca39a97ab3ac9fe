"""How close to the fixed point a truncated series is accurate.

Problem.  C can be read off A (or S) only where what the truncated series leaves out is below the digits asked.

Rule.  The first term left out is about g^N t^N log^J t, g the largest |c_k|^(1/k) of the last coefficients known;
where a constant is divided by H (or S by y), the power of t lost in the division counts against it.  So a true C, read
at t, is off by O(t^p), and D by O(t^r): (p, r) are `decay`, they follow from the stated remainders alone.

Known limits.  The size is an estimate: the checks that use it measure the truth.
"""

from mpmath import mp, mpf

from asympt.errors import PrecisionError
from asympt.evidence.reading import has_wave, number, rest_of
from asympt.numbers import to_mpf


def accurate_below(law, digits: int):
    """A t below which the first term that A (or S), P and H leave out is smaller than 10^-digits (as C and D see it).

    Estimated from the size of the last coefficients; the check that uses it measures the truth.
    """
    bound, (first, second) = mpf(10) ** -digits, _divided(law)
    if has_wave(law):
        bound = bound * min(1, abs(number(law.linear.homogeneous.leading[1])))
    return min(_edge(expansion, loss, bound) for expansion, loss in [*first, *second])


def decay(law) -> tuple:
    """(p, r): what is left out moves C by O(t^p) and D by O(t^r), logs apart; r is None without a D.

    >>> from asympt.architectures import FeedForward
    >>> [int(power) for power in decay(FeedForward("relu", sigma_w=1, sigma_b=1).ntk_law(terms=1))]
    [7, 5]
    """
    first, second = ([rest_of(e).order - loss for e, loss in pairs] for pairs in _divided(law))
    return min(first), min(second) if second and has_wave(law) else None


def _divided(law) -> tuple[list, list]:
    """What C is read off, and what D is: (expansion, the power of t by which it is divided)."""
    first = [(law.abel.expansion, 0) if law.koenigs is None else (law.koenigs.expansion, law.dynamics.root)]
    if law.linear is None:
        return first, []
    if not has_wave(law):
        return first, [(law.linear.particular, 0)]
    second = [(law.linear.particular, wave_order(law))]
    if law.koenigs is not None:
        second.append((law.linear.homogeneous, int(law.linear.homogeneous.leading[0].order)))
    return first, second


def wave_order(law):
    """The power of t like which the homogeneous solution decays along the flow."""
    if law.koenigs is None or law.linear.runs_alone:
        return to_mpf(law.linear.homogeneous.leading[0].order)
    pace = mp.log(abs(to_mpf(law.koenigs.multiplier))) / law.dynamics.root
    return mp.log(abs(to_mpf(law.linear.multiplier))) / pace


def _edge(expansion, loss, bound):
    rest = rest_of(expansion)
    order = int(rest.order)
    if order <= loss:
        raise PrecisionError(f"{expansion} is not known far enough to read a constant off; derive more terms")
    edge = (bound * radius(expansion) ** order / 10) ** (mpf(1) / (order - loss))
    logarithms = max(1, abs(mp.log(edge))) ** rest.logs
    return edge / logarithms ** (mpf(1) / (order - loss))


def radius(expansion):
    """About the radius in which the series converges: 1/g."""
    last = [(int(m.order), abs(number(c))) for m, c in expansion.terms if not m.logs and m.order > 0][-3:]
    return 1 / max((c ** (mpf(1) / k) for k, c in last if c), default=mpf(1))
