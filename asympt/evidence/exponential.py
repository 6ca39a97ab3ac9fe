"""Checks of a linear law that grows faster than every power: the equations of A, P and log H, the law, an evaluation.

The printed law is compared with exp(log H) at some t, n = A(t) - C for a small C: what it leaves out must not outgrow
its remainder.
"""

from collections.abc import Iterator

from mpmath import mp, mpf

from asympt.evidence.check import Check, Effort, Work
from asympt.evidence.law_terms import terms_of, value
from asympt.evidence.orbits.constancy import Start, begin, from_first
from asympt.evidence.orbits.equations import functional_checks
from asympt.evidence.orbits.plain import kept, printed_at
from asympt.evidence.order import growth_check
from asympt.numbers import to_mpf

FAR = (20, 30, 40)  # decimal powers of the depths at which the printed law is read
DIGITS, SPARE, LAYER = 200, 20, 300


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The equations, the printed law far out, and the recursion from one start."""
    yield "functional equation", lambda: functional_checks(law)
    yield "printed law", lambda: [_printed(law)]
    yield "the original recursion", lambda: from_first(law, effort.start, lambda s: [iterated(law, s, effort.digits)])


def _printed(law) -> Check:
    left, sizes = [], []
    with mp.workdps(DIGITS):
        abel, logarithm = terms_of(law.abel.expansion), terms_of(law.linear.logarithm)
        for power in FAR:
            layer = mpf(10) ** power
            t = (to_mpf(law.abel.expansion.leading[1]) / layer) ** (mpf(1) / law.abel.multiplicity)
            total, unit = printed_at(law.expansion, layer, {"C": value(abel, t) - layer, "D": mpf(1)})
            left.append(mp.exp(value(logarithm, t)) - total)
            sizes.append(unit)
    where = f"n = {', '.join(f'10^{power}' for power in FAR)}, D = 1"
    return growth_check("$D H(t_n)$ minus the printed law", left, sizes, where)


def iterated(law, start: Start, digits: int) -> Check:
    """An evaluation against the original recursion."""
    with mp.workdps(digits + SPARE):
        state = kept(law.dynamics.step, begin(law, start.value), (LAYER,), 0)[LAYER]
        found = law.evaluated_from(start.value, law.dynamics.first + LAYER, digits).value
        seen = law.coordinate.read(state) if law.observable is None else law.observable.numeric(state[0])
        apart = abs(found / seen - 1)
    name = f"evaluate agrees with {LAYER} steps of the original recursion from ${start.label}$"
    return Check.measured(name, apart, mpf(10) ** -digits)
