"""What kind of fixed point it is, read off the first term of the map there.

    y' = c y^p (1 + ...)      p > 1 or c = 0     superattracting
                              p < 1              repelling (infinite multiplier)
                              p = 1, c = 1       parabolic
                              p = 1, c = -1      flip
                              p = 1, |c| < 1     hyperbolic
                              p = 1, |c| > 1     repelling

A multiplier with symbols in it whose size SymPy cannot tell is taken to lie between 0 and 1 in size (hyperbolic).
"""

from sympy import Expr

from asympt.recursions.fixed_points import is_zero
from asympt.recursions.local import LocalMap


def kind_of(local: LocalMap) -> str:
    """'parabolic', 'hyperbolic', 'flip', 'repelling' or 'superattracting'."""
    if local.exponent != 1:
        return "superattracting" if local.exponent > 1 else "repelling"
    multiplier = local.leading
    if is_zero(multiplier - 1):
        return "parabolic"
    if is_zero(multiplier + 1):
        return "flip"
    return "repelling" if _exceeds_one(multiplier) else "hyperbolic"


def _exceeds_one(multiplier: Expr) -> bool:
    if multiplier.is_number:
        return bool(abs(multiplier.evalf(40)) > 1)
    return bool((multiplier - 1).is_positive or (multiplier + 1).is_negative)
