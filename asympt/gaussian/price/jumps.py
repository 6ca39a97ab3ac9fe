"""What a piecewise smooth function does at a breakpoint: jumps and sums of its one-sided derivatives, exactly.

Problem.  In the ladder a breakpoint enters by the differences and the sums of the derivatives on its two sides.

Rule.  The derivatives are exact (`onesided`); a difference that is 0 must be seen to be 0.

Tiny case.  exp(x) - 1 on the left of 0 and x on the right: jumps 0, 0, -1, -1, ..., sums 0, 2, 1, 1, ...

Known limits.  Those of `onesided`.
"""

from sympy import Expr

from asympt.expansions.expansion import expanded
from asympt.gaussian.onesided import plain
from asympt.gaussian.piecewise import PiecewiseSmooth


def jumps_and_sums(phi: PiecewiseSmooth, index: int, count: int) -> tuple[list[Expr], list[Expr]]:
    """(J_0, J_1, ...), (S_0, S_1, ...) at breaks[index]: right minus left, and right plus left derivatives.

    Raises `UnsupportedError` when a derivative is infinite on its side.

    >>> from sympy import Abs, Symbol
    >>> jumps_and_sums(PiecewiseSmooth.of(Abs(Symbol("x")), Symbol("x")), 0, 2)
    ([0, 2], [0, 0])
    """
    pairs = list(zip(phi.taylor(index, -1, count), phi.taylor(index, 1, count), strict=True))
    return [plain(right - left) for left, right in pairs], [expanded(right + left) for left, right in pairs]
