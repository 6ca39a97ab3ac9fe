"""The digits of a sum of pairs of terms, cancellation accounted for.

Problem.  E[phi(x) phi(y)] is a sum over pairs of terms; the sum may be much smaller than its summands (large
variances, thresholds far out, c near +-1).

Rule.  Work with GUARD bits more, and with as many more as 1 - |c| is small, because conditional variances are
q (1 - c^2).  Compare the sum with what its summands would be without their gates: the bits lost between them are added
and the sum is done again, twice at most.  A sum still below the rounding errors is 0, as it is at c = 0 for odd phi
and at c = -1 for ReLU, provided that these errors are small: summands like exp(2 q) of ELU take as many bits as they
have, up to MOST_BITS.

Tiny case.  ReLU at c = -1: 1/4 - 1/4 = 0.

Known limits.  A true value below 2^-(3 p) of its summands, and below 2^-p, p the precision in bits, is returned as 0;
summands above 2^MOST_BITS (ELU at q = 1,400) raise `PrecisionError`.
"""

from functools import lru_cache

from mpmath import mp

from asympt.errors import PrecisionError
from asympt.gaussian.closed.arithmetic import NOISE_BITS, Digits
from asympt.gaussian.closed.pairing import pair
from asympt.gaussian.closed.terms import Gate, Term

GUARD = NOISE_BITS + 16
MOST_BITS = 4000


def total(terms: tuple[Term, ...], q1, q2, c):
    """The sum over all pairs at mpmath's current precision; mpmath numbers in, |c| <= 1."""
    room = max(0, -mp.mag(1 - abs(c))) if abs(c) < 1 else 0
    base, lost, zeros = mp.prec + GUARD + room, 0, 0
    for most in (0, base, 3 * base):
        extra = min(lost, most)
        with mp.workprec(base + extra):
            value, size = _summed(terms, q1, q2, c)
        if not mp.isfinite(value):
            return value
        zeros += not value
        lost = mp.mag(size) - mp.mag(value) if value else base
        if zeros == 2 or not size:
            break
        if lost <= extra + GUARD - NOISE_BITS:
            return +value
    return _resolved(terms, (q1, q2), c, base, mp.mag(size) if size else 0)


def _resolved(terms, variances, c, base: int, room: int):
    """The sum to an absolute error of 2^-base, where rounding left nothing of summands of 2^room."""
    if room <= base:
        return mp.zero
    if room > MOST_BITS:
        raise PrecisionError(
            f"at the variances {mp.nstr(variances[0], 6)} and {mp.nstr(variances[1], 6)} the closed form is a "
            f"difference of terms of 10^{int(room * 0.30103)}; evaluate it by quadrature"
        )
    with mp.workprec(2 * base + room):
        value, _ = _summed(terms, *variances, c)
    return +value if mp.mag(value) > -base else mp.zero


def _summed(terms, q1, q2, c):
    """The sum, and the sum of the summands' sizes."""
    numbers = tuple(_numeric(term, mp.prec) for term in terms)
    summands = []
    for i, first in enumerate(numbers):
        for j, second in enumerate(numbers):
            if q1 != q2 or i == j:
                summands += pair(first, second, (q1, q2), c, Digits)
            elif i < j:
                summands += 2 * pair(first, second, (q1, q2), c, Digits)
    return mp.re(mp.fsum(value for value, _ in summands)), mp.fsum((size for _, size in summands), absolute=True)


@lru_cache(maxsize=4096)
def _numeric(term: Term, precision: int) -> Term:
    """The term with mpmath numbers (at the current precision, which is the key)."""
    number, gate = Digits.number, term.gate
    if gate is not None:
        gate = Gate(number(gate.slope), number(gate.noise), number(gate.threshold), gate.pinned)
    polynomial = tuple(number(k) for k in term.polynomial)
    return Term(polynomial, number(term.rate), number(term.curvature), gate)
