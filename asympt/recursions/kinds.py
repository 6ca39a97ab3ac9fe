"""What kind of fixed point it is, read off the first term of the map there.

    y' = c y^p (1 + ...)      p > 1 or c = 0     superattracting
                              p < 1              repelling (infinite multiplier)
                              p = 1, c = 1       parabolic
                              p = 1, c = -1      flip
                              p = 1, |c| < 1     hyperbolic
                              p = 1, |c| > 1     repelling

A multiplier with symbols in it whose size SymPy cannot tell is taken to lie between 0 and 1 in size (hyperbolic).
"""

from dataclasses import dataclass

from sympy import Expr

from asympt.recursions.fixed_points import is_zero
from asympt.recursions.local import LocalMap


@dataclass(frozen=True)
class Kind:
    """What a fixed point of one kind does.

    attracts:  whether it attracts, None when further terms of the map decide;
    period:    after how many steps an orbit is on its side again: 2 for a flip;
    one_sided: whether its two sides are different laws altogether.
    """

    name: str
    attracts: bool | None
    period: int = 1
    one_sided: bool = False


PARABOLIC = Kind("parabolic", None, one_sided=True)
FLIP = Kind("flip", None, period=2)
HYPERBOLIC = Kind("hyperbolic", True)
SUPERATTRACTING = Kind("superattracting", True)
REPELLING = Kind("repelling", False)


def kind_of(local: LocalMap) -> Kind:
    """Of a map seen from its fixed point."""
    if local.exponent != 1:
        return SUPERATTRACTING if local.exponent > 1 else REPELLING
    multiplier = local.leading
    if is_zero(multiplier - 1):
        return PARABOLIC
    if is_zero(multiplier + 1):
        return FLIP
    return REPELLING if _exceeds_one(multiplier) else HYPERBOLIC


def _exceeds_one(multiplier: Expr) -> bool:
    if multiplier.is_number:
        return bool(abs(multiplier.evalf(40)) > 1)
    return bool((multiplier - 1).is_positive or (multiplier + 1).is_negative)
