"""The evidence for laws of tokens of leading order: the layers, by the rules of the primitives, against what is stated.

The law comes from stages, chi and one eigenvalue; the numbers from covariances of tokens that are mixed by the whole
matrix (`precise.tokens`).
"""

from collections.abc import Iterator

from mpmath import mp, mpf, nstr
from sympy import Rational

from asympt.evidence.check import Check, Effort, Work, rate_check
from asympt.evidence.law_terms import printed_at
from asympt.numbers import to_mpf

START, DIGITS = Rational(1, 10), 12
DEPTHS, EARLY, FEW = (100, 200, 400), (16, 32, 64), (6, 12, 24)  # FEW: where softmax weights are integrated in each
FASTER, SLOPE = 1, 0.1  # rate of what falls exponentially; of a law in 1/log l, of which little is seen


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The leading term along the layers."""
    yield "the leading term along the layers", lambda: [leading_check(law)]


def leading_check(law) -> Check:
    """1 - c over its leading term: it tends to 1, or to a constant D, as fast as the remainder says."""
    monomial, rest = law.expansion.leading[0], law.expansion.remainder.monomial
    exponential = law.expansion.scale.base is not None
    depths = FEW if law.coordinate.tokens.has_logits else EARLY if exponential else DEPTHS
    where = f"mpmath, layers {', '.join(map(str, depths))} from c^1 = {START}"

    def over_leading(depth: int):
        return law.evaluate(depth=depth, correlation=START, digits=DIGITS) / _leading(law, depth)

    def moved(depth: int):
        """By how much it changes from there to the next layer, or to twice as many."""
        return over_leading(depth + 1 if exponential else 2 * depth) / over_leading(depth) - 1

    with mp.workdps(30):
        if law.expansion.scale.variable != law.depth_variable:
            return _slope_check(law, depths, where)
        free = law.expansion.terms[0][1].has(*law.constant_symbols.values())
        left = [moved(n) if free else over_leading(n) - 1 for n in depths]
        left = [found / mp.log(depth) ** rest.logs for found, depth in zip(left, depths, strict=True)]
        rate = mpf(FASTER) if exponential else to_mpf(rest.order - monomial.order)
        return rate_check("1 - c over its leading term tends to a constant", left, rate, nstr(rate, 4), where)


def _slope_check(law, depths: tuple, where: str) -> Check:
    """(1 - c)^(-1/2) grows like log l."""
    found = [1 / mp.sqrt(law.evaluate(depth=n, correlation=START, digits=DIGITS)) for n in depths[-2:]]
    stated = [1 / mp.sqrt(_leading(law, n)) for n in depths[-2:]]
    left = abs((found[1] - found[0]) / (stated[1] - stated[0]) - 1)
    return Check.measured("the slope of $(1 - c)^(-1/2)$ against log l, over the one stated", left, SLOPE, where)


def _leading(law, depth: int):
    ones = dict.fromkeys(map(str, law.constant_symbols.values()), mpf(1))
    return printed_at(law.expansion.truncate(1), depth, ones)[0]
