"""What kind of fixed point it is, whether it attracts, from which side; and the sentences that say why there is no law.

    y' = c y^p (1 + ...):   p > 1 or c = 0 superattracting,  p < 1 repelling;  for p = 1
                            c = 1 parabolic,  c = -1 flip,  |c| < 1 hyperbolic,  |c| > 1 repelling

Known limits.  A multiplier with symbols in it whose size SymPy cannot tell is taken to lie between 0 and 1 in size.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import combinations

from sympy import (
    Abs,
    Add,
    Ci,
    Expr,
    Heaviside,
    LambertW,
    Max,
    Min,
    Mul,
    Pow,
    Si,
    Symbol,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    gamma,
    log,
    loggamma,
    sign,
    sin,
    sinh,
    tanh,
)

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.recursions.autonomous import is_attracting
from asympt.recursions.coordinates.koenigs_numeric import Koenigs
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.fixed_points import is_zero
from asympt.recursions.flip import moves, second_iterate
from asympt.recursions.local import LocalMap
from asympt.recursions.protocol import Dynamics

ATTRACTS, REPELS, NEUTRAL, OPEN = "attracts", "repels", "is neutral", "has no law of this kind"
WORDS = {1: "above", -1: "below"}


# ---- what kind of fixed point it is -----------------------------------------------------------------


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


def behaviour(expression: Expr, symbol: Symbol, point: Expr, sign: int) -> str:
    """What the fixed point does to orbits from the side `sign`: one of the four words above.

    >>> x = Symbol("x")
    >>> [behaviour(x - x**2, x, 0, sign) for sign in (1, -1)], behaviour(1 / x, x, 1, 1)
    (['attracts', 'repels'], 'is neutral')
    """
    local = LocalMap(expression, symbol, FixedPoint(point, sign))
    try:
        kind = kind_of(local)
        if kind.attracts is None:
            return _slowly(local, kind.period)
        fast_to_infinity = kind is SUPERATTRACTING and local.fixed.at_infinity
        return ATTRACTS if kind.attracts and not fast_to_infinity else REPELS
    except (UnsupportedError, InputError):
        return OPEN


def _slowly(local: LocalMap, period: int) -> str:
    """At a multiplier of 1 or -1 the first further term decides; where there is none nothing moves."""
    dynamics = Dynamics(local.ratio, local.step, root=local.root, **local.formulas_in_t(local.root))
    seen = dynamics if period == 1 else second_iterate(dynamics)
    if not moves(seen):
        return NEUTRAL
    attracting = is_attracting(seen)
    return OPEN if attracting is None else ATTRACTS if attracting else REPELS


def require_attraction(expression: Expr, symbol: Symbol, fixed: FixedPoint) -> None:
    """`UnsupportedError`, with a remedy that works if there is one, when the point repels from this side."""
    if behaviour(expression, symbol, fixed.point, fixed.sign) != REPELS:
        return  # what cannot be judged is judged, with the reason, where the law is derived
    if fixed.at_infinity or behaviour(expression, symbol, fixed.point, -fixed.sign) != ATTRACTS:
        both = "" if fixed.at_infinity else ", from below as from above"
        raise UnsupportedError(
            f"{_at(fixed.point)} repels orbits{both}, so there is no law there; take another fixed point"
        )
    raise UnsupportedError(
        f"{fixed.describe()} repels orbits, so there is no law there; try side='{WORDS[-fixed.sign]}'"
    )


# ---- sentences ----------------------------------------------------------------------------------


def shown(point: Expr) -> str:
    """A fixed point for a sentence: as it is given, or by its first digits when it has no closed form."""
    return f"{point.evalf(10)}..." if point.has(RealConstant) else str(point)


def choices(points: Iterable[Expr]) -> str:
    """The points as a user gives them: fixed_point=-1 or fixed_point=1."""
    return " or ".join(f"fixed_point={point.evalf(15) if point.has(RealConstant) else _compact(point)}"
                       for point in points)  # fmt: skip


def nowhere(expression: Expr, symbol: Symbol, points: list[Expr], side: str) -> str:
    """Why no fixed point is approached from this side, and what to do."""
    start = f"x -> {expression} approaches nothing from {side}"
    if not points:
        return f"{start}: no fixed point was found; give fixed_point=... if there is one"
    found = {point: {sign: behaviour(expression, symbol, point, sign) for sign in WORDS} for point in points}
    phrases = ", ".join(_phrase(point, words) for point, words in found.items())
    sign = 1 if side == "above" else -1
    if any(words[-sign] == ATTRACTS for words in found.values()):
        return f"{start}: {phrases}; try side='{WORDS[-sign]}'"
    return f"{start}: {phrases}; give another fixed_point=... if there is one"


def _phrase(point: Expr, words: dict[int, str]) -> str:
    above, below = words[1], words[-1]
    if above == below:
        return f"{_at(point)} {above}"
    return f"{_at(point)} {above} from above and {below} from below"


def _at(point: Expr) -> str:
    return f"x = {shown(point)}"


def _compact(point: Expr) -> str:
    return str(point).replace(" ", "")


# ---- one series on both sides ---------------------------------------------------------------------


LOOKED_AT = 12
DIGITS = 5  # to which an orbit is followed to see on which side it comes in
_ENTIRE = (sin, cos, exp, sinh, cosh, tanh, atan, asinh, erf, erfc, Si)
_POSITIVE = {  # of a real argument: where the function is analytic
    log: lambda u: u, gamma: lambda u: u, loggamma: lambda u: u, Ci: lambda u: u, acosh: lambda u: u - 1,
    asin: lambda u: 1 - u**2, acos: lambda u: 1 - u**2, atanh: lambda u: 1 - u**2, LambertW: lambda u: 3 * u + 1,
}  # fmt: skip
_BY_SIGN = (Abs, sign, Heaviside)  # of a real argument: analytic where that is not 0
_NOTICED = 1e-15  # a value below it may be zero


def one_series(expression: Expr, symbol: Symbol, fixed: FixedPoint) -> bool:
    """Whether the expression in x is the same power (or Laurent) series above and below the fixed point.

    >>> from sympy import Abs
    >>> x = Symbol("x")
    >>> [one_series(e, x, FixedPoint(x * 0)) for e in (sin(x) / x, x * Abs(x), x**2 * Abs(x) ** 2)]
    [True, False, True]
    """
    if not fixed.at_infinity and _is_analytic(expression, symbol, fixed.point):
        return True
    try:
        here, there = (puiseux(expression.subs(symbol, p.outer(Y)), Y, LOOKED_AT) for p in (fixed, fixed.other))
    except UnsupportedError:
        return False
    if (here.root, there.root, here.valuation) != (1, 1, there.valuation):
        return False
    pairs = zip(here.coefficients, there.coefficients, strict=False)
    return all(_equal(b, (-1) ** (here.valuation + k) * a) for k, (a, b) in enumerate(pairs))


def _equal(a: Expr, b: Expr) -> bool:
    return a == b or is_zero(a - b)


def _is_analytic(expression: Expr, symbol: Symbol, point: Expr) -> bool:
    """Whether every function in the expression is analytic at the value that its argument has at the fixed point."""
    if expression == symbol or not expression.has(symbol):
        return True
    if not all(_is_analytic(part, symbol, point) for part in expression.args):
        return False
    if isinstance(expression, Pow):
        base, exponent = expression.args
        if exponent.is_Integer:
            return bool(exponent > 0) or _is_positive(base**2, symbol, point)
        return _is_positive(base, symbol, point)
    if isinstance(expression, _BY_SIGN):
        return _is_positive(expression.args[0] ** 2, symbol, point)
    if isinstance(expression, Max | Min):
        return all(_is_positive((a - b) ** 2, symbol, point) for a, b in combinations(expression.args, 2))
    if expression.func in _POSITIVE and len(expression.args) == 1:
        return _is_positive(_POSITIVE[expression.func](expression.args[0]), symbol, point)
    return isinstance(expression, (Add, Mul, *_ENTIRE))


def _is_positive(function: Expr, symbol: Symbol, point: Expr) -> bool:
    """Whether a number is seen to be positive; symbols are left to the expansions."""
    value = function.subs(symbol, point)
    if not value.is_number:
        return False
    value = value.evalf(20)
    return bool(value.is_Float and value > _NOTICED)


def require_one_series(functions: Mapping[str, Expr], symbol: Symbol, fixed: FixedPoint, multiplier: Expr) -> None:
    """An error for an orbit that changes sides where a function (by what it is called) has two series."""
    for name, function in functions.items():
        if not one_series(function, symbol, fixed):
            raise UnsupportedError(
                f"{name} {function} is not one power series on both sides of x = {fixed.point}, and with the "
                f"multiplier {multiplier} orbits change sides at every step; such a law is not derived"
            )


def one_sided(reader: Callable, dynamics: Dynamics, fixed: FixedPoint) -> Callable:
    """The reader of a start, for a law that holds on the side of `fixed` only: an error for an orbit of the other one.

    The orbit of a hyperbolic map with positive multiplier ends on one side, which is the sign of its Koenigs function.
    """

    @wraps(reader)
    def read(*given, **named):
        y = reader(*given, **named)
        coordinate = Koenigs(dynamics)
        if coordinate.crossing(y, coordinate.routes(DIGITS)[0]).position < 0:
            raise InputError(
                f"the orbit of this start does not come to {fixed.describe()} but from the other side, where another "
                "law holds; take the law of the other side"
            )
        return y

    return read
