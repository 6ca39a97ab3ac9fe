"""Truncated series in rational powers of y -> 0+, with exact coefficients and exact knowledge of where they end.

Sums are known below the smaller end, products relatively as far as the shorter factor; no coefficient is claimed that
cancellation has made unknown.  log(y) may occur in coefficients, as the symbol `LOG`.
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
