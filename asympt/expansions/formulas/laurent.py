"""Truncated series in rational powers of y -> 0+, with exact coefficients and exact knowledge of where they end.

Problem.  Add, multiply and raise to powers what behaves like y^order (c_0 + c_1 y^step + c_2 y^(2 step) + ...),
order and step being any fractions, without ever claiming a coefficient that cancellation has made unknown.

Rule.  A `Laurent` knows its terms below y^end.  Sums are known below the smaller end, products relatively as far as
the shorter factor; leading zeros of a sum are stripped, and what is left may be shorter.  Each series has a step of
its own, so that sin(y) has every second term only and cos(sqrt(y)) is a series in y.  No result is longer than
`Algebra.width`, measured in powers of y from its first term on.  A single term (step 0) is exact.

Two things stop a computation, and the caller starts it again with more:

    Missing   a constant is needed that the field does not hold (sqrt(2) from sqrt(2 + y))
    Short     all known terms of something cancelled whose leading term is needed

Tiny case.  width 3:  1 - cos(y) = y^2/2 + O(y^3),  known relatively to y^1 only.

Known limits.  log(y) may occur in coefficients, as the symbol `LOG`, but not in a leading coefficient that is
divided by or raised to a power.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf

from sympy import Dummy, Expr

LOG = Dummy("log_y", real=True)


class Missing(Exception):
    """These constants do not live in the field yet."""

    def __init__(self, *constants: Expr):
        self.constants = constants


class Short(Exception):
    """A leading term is not known: every term that is known cancelled."""


class Refusal(Exception):
    """Why there is no power series, as the end of a sentence."""


@dataclass(frozen=True)
class Laurent:
    """sum_k values[k] y^(order + k step), known below y^end; step 0 means exactly this one term, or exactly zero."""

    order: Fraction
    step: Fraction
    values: Sequence

    @property
    def end(self):
        """The first power that is not known; infinity for an exact term."""
        return self.order + len(self.values) * self.step if self.step else inf

    @property
    def width(self):
        """How much is known, relative to the first term."""
        return self.end - self.order if self.step else inf

    @property
    def is_exact_zero(self) -> bool:
        """Whether it is 0 and not merely O(y^end)."""
        return not self.step and not self.values

    def spread(self, step: Fraction, count: int, zero, start: Fraction | None = None) -> list:
        """`count` coefficients of y^start, y^(start + step), ...; its own powers must be among these."""
        result = [zero] * count
        begin = 0 if start is None else int((self.order - start) / step)
        stride = int(self.step / step) or 1
        for index, value in zip(range(begin, count, stride), self.values, strict=False):
            result[index] = value
        return result


ZERO = Laurent(Fraction(0), Fraction(0), ())


def common(*fractions: Fraction) -> Fraction:
    """The largest fraction of which all of these are multiples (0 is a multiple of everything).

    >>> common(Fraction(1, 2), Fraction(0), Fraction(2, 3))
    Fraction(1, 6)
    """
    result = Fraction(0)
    for f in fractions:
        top = gcd(result.numerator * f.denominator, f.numerator * result.denominator)
        result = Fraction(top, result.denominator * f.denominator)
    return result
