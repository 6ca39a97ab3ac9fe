"""What the tests of several kinds of recursions share."""

from collections.abc import Callable

import mpmath
import pytest
from mpmath import mp


@pytest.fixture
def rescaled() -> Callable:
    """rescaled(expansion, truth, depths, known, digits): (truth(depth) - terms)/(remainder's monomial) at each depth.

    `known` gives numbers for the constants in the expansion.  At depths far apart the figures stay of one size when the
    terms are right; a power or a log that is missing makes the last one huge.
    """

    def figures(expansion, truth: Callable, depths, known: dict, digits: int = 80) -> list:
        scale = expansion.scale
        printed, size = expansion.to_sympy(), scale.to_sympy(expansion.remainder.monomial)
        with mp.workdps(digits + 10):
            at = [{**known, scale.depth: depth} for depth in depths]
            return [(truth(v[scale.depth]) - _number(printed, v, digits)) / _number(size, v, digits) for v in at]

    return figures


def _number(expression, values: dict, digits: int):
    return mpmath.mpf(expression.evalf(digits, subs=values)._mpf_)
