"""The fixed points of a map: checked when given, found when not; of what kind each is, and which orbits it attracts.

0 is taken when it is one and G is differentiable there.  Otherwise the one that attracts: exactly when the equation is
polynomial, else by sign changes of G(x) - x on a grid; a double root is seen there only at whole numbers.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise

import mpmath
import sympy
from mpmath import mp
from sympy import Expr, Float, Integer, Lambda, PoleError, Poly, Rational, Symbol, limit, nan, oo, real_roots, zoo
from sympy.polys.polyerrors import BasePolynomialError

from asympt.compiling import valued
from asympt.deadline import check_time
from asympt.errors import InputError, NoValueError, UnsupportedError
from asympt.expansions.circle import NotAnalytic, circle_values
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.numbers import exact, symbol_names, to_mpf
from asympt.recursions.autonomous import is_attracting, moves, second_iterate
from asympt.recursions.coordinates.koenigs_linear import Koenigs
from asympt.recursions.coordinates.logarithmic import LogarithmicMap
from asympt.recursions.fixed_point import FixedPoint, numeric
from asympt.recursions.local import LocalMap
from asympt.recursions.protocol import Dynamics

NEAR = mpmath.mpf(10) ** -6
SECANTS, STEEP = (mpmath.mpf(10) ** -12, mpmath.mpf(10) ** -15), mpmath.mpf("1.01")
TINY = mpmath.mpf(10) ** -9
VANISHING = mpmath.mpf(10) ** -30
WHOLE = range(-5, 6)
UNITS = {Integer(1): 4, sympy.pi: 1, sympy.E: 1, 1 / sympy.E: 1, sympy.log(2): 1}  # and the degree over each
PROBE = Rational(2, 7)  # where a function that is not 0 hardly ever is
_GRID = [mpmath.mpf(k) / 16 + mpmath.mpf(1) / 97 for k in range(-160, 161)]
_FAR = [mpmath.mpf(s) * 10 * mpmath.mpf(5) ** (mpmath.mpf(k) / 8) for s in (-1, 1) for k in range(24)]


def checked(expression: Expr, symbol: Symbol, point) -> Expr:
    """The given fixed point as an exact number, if the map leaves it where it is; infinity is taken at its word."""
    if _is_infinite(point):
        return oo if not str(point).startswith("-") else -oo
    value = exact(point, "fixed_point")
    image = image_at(expression, symbol, value)
    if image.has(nan, zoo, oo, -oo):
        local = LocalMap(expression, symbol, FixedPoint(value))
        if kind_of(local) is LOGARITHMIC or local.exponent > 0:  # a limit, as that of sin(x)^2/x at 0
            return value
    elif is_zero(image - value):
        return value
    near = _opaque_next_to(expression, symbol, value)
    if near is not None:
        return near
    raise InputError(f"x = {point} is not a fixed point: it is mapped to {image}; give one that is, or leave it out")


def is_zero(value: Expr) -> bool:
    """Exact zero: a clearly non-zero value decides against, SymPy's simplification decides for.

    What is known by its digits only has no other proof: there 50 zero digits decide.  No proof rests on either: the
    expansion there has no constant term by exact algebra, or there is no law.
    """
    if value.has(nan, zoo, oo, -oo):
        return False
    if value.is_number and value.is_finite:
        if abs(value.evalf(30)) > 1e-25:
            return False
        if value.has(RealConstant):
            return bool(abs(value.evalf(60, chop=False)) < Float("1e-50", 60))
    return value.simplify() == 0


def vanishes(function: Expr, symbol: Symbol) -> bool:
    """Whether a function is 0 everywhere, also where it does not look like it; SymPy simplifies it only if it may be.

    >>> x = Symbol("x")
    >>> [vanishes(f, x) for f in ((x + 1) ** 2 - x**2 - 2 * x - 1, x - 1, Integer(0))]
    [True, False, True]
    """
    return function == 0 or (is_zero(image_at(function, symbol, PROBE)) and function.simplify() == 0)


def finite_fixed_points(expression: Expr, symbol: Symbol) -> list[Expr]:
    """The real solutions of G(x) = x that can be found, smallest first."""
    others = expression.free_symbols - {symbol}
    if others:
        raise InputError(
            f"the fixed points of {expression} depend on {symbol_names(others)}; give fixed_point=..., or numbers "
            "(of x + c x^q, q a symbol, rsolve_asymptotic finds the law, as that of x^(1 - q))"
        )
    try:
        numerator = (expression - symbol).together().as_numer_denom()[0]
        points = sorted(set(real_roots(Poly(numerator, symbol, extension=True))), key=lambda root: root.evalf(30))
    except (BasePolynomialError, NotImplementedError):  # SymPy's: no polynomial, or none whose roots it knows
        points = _by_sign_changes(expression, symbol)
    lowest = 0 if symbol.is_nonnegative else -oo
    return [point for point in points if point >= lowest and _stays(expression, symbol, point)]


def image_at(expression: Expr, symbol: Symbol, value: Expr) -> Expr:
    """The image of a number, nan where SymPy finds none (a maximum with an infinity, for example)."""
    try:
        return expression.subs(symbol, value)
    except (TypeError, ValueError):  # SymPy's own refusals to compare
        return nan


def tends_to_zero(expression: Expr, symbol: Symbol, sign: int) -> bool:
    """Whether a map without a value at 0 is real next to it, on the side `sign`, and tends to 0 there.

    >>> x = Symbol("x")
    >>> from sympy import log
    >>> [tends_to_zero(f, x, 1) for f in (x + x**2 * log(x), 1 + x * log(x), x**2)]
    [True, False, False]
    """
    if image_at(expression, symbol, Integer(0)).is_finite or _real(numeric(expression, symbol), sign * TINY) is None:
        return False
    try:
        return limit(expression, symbol, 0, "+" if sign > 0 else "-") == 0
    except (NotImplementedError, PoleError, ValueError):  # SymPy's: it finds none
        return False


def _is_infinite(point) -> bool:
    if isinstance(point, str):
        return point.strip().lstrip("+-") in ("oo", "inf", "infinity")
    return point in (oo, -oo) or (isinstance(point, float | mpmath.mpf) and bool(mpmath.isinf(point)))


def _opaque_next_to(expression: Expr, symbol: Symbol, value: Expr) -> Expr | None:
    """The fixed point without a closed form that the value names by its first digits, if there is one."""
    if not value.is_number or expression.free_symbols - {symbol}:
        return None
    opaque = [p for p in finite_fixed_points(expression, symbol) if isinstance(p, RealConstant)]
    return next((p for p in opaque if abs((p - value).evalf(20)) < NEAR * min(1, abs(p.evalf(20)))), None)


def _stays(expression: Expr, symbol: Symbol, point: Expr) -> bool:
    """Whether the map is finite at a solution of the cleared equation."""
    if isinstance(point, RealConstant):
        return True
    image = image_at(expression, symbol, point)
    if image.is_finite is False or image.has(oo, -oo, zoo, nan):
        return False
    distance = abs((image - point).evalf(20))
    return bool(distance.is_Float or distance.is_zero) and bool(distance < NEAR)


def _by_sign_changes(expression: Expr, symbol: Symbol) -> list[Expr]:
    excess = numeric(expression - symbol, symbol)
    points = sorted([*_GRID, *_FAR])
    if symbol.is_nonnegative:
        points = [p for p in points if p > 0]
    with mp.workdps(15):
        values = [_real(excess, p) for p in points]
    brackets = [
        (points[k], points[k + 1])
        for k, (u, v) in enumerate(pairwise(values))
        if u is not None and v is not None and u * v < 0
    ]
    found = [_refined(expression, symbol, excess, *bracket) for bracket in brackets]
    near = [p for p in (*map(Integer, WHOLE), *UNITS) if abs(_real(excess, to_mpf(p)) or 0) < TINY]
    exact = [p for p in near if is_zero(image_at(expression, symbol, p) - p)]  # these may be double roots
    return sorted({*exact, *(p for p in found if p is not None)}, key=lambda root: root.evalf(30))


def _real(function: Callable, x):
    """The value when it is a finite real number, else None."""
    check_time()
    try:
        value = function(x)
    except NoValueError:
        return None
    return value if isinstance(value, mpmath.mpf) and mpmath.isfinite(value) else None


def _simple(value) -> Expr | None:
    """What a number of 40 digits seems to be: a root of a small polynomial, or a fraction of pi, e or log 2."""
    for unit, degree in UNITS.items():
        scaled = value / to_mpf(unit)
        polynomial = mpmath.findpoly(scaled, degree, maxcoeff=200, tol=mpmath.mpf(10) ** -30)
        if polynomial is not None:
            roots = real_roots(Poly(polynomial, Symbol("x")))
            return unit * min(roots, key=lambda root: abs(root.evalf(40) - Float(scaled, 40)))
    return None


def _refined(expression: Expr, symbol: Symbol, excess: Callable, low, high) -> Expr | None:
    """The root in a bracket: a simple exact number when there is one, else known by its digits; None for a pole."""

    def root():
        return mpmath.findroot(excess, (low, high), solver="anderson", tol=8 * mp.eps, verify=False)

    with mp.workdps(40):
        try:
            value = valued(root)()
        except NoValueError:  # a pole, or a stretch where the map is not real
            return None
        left = _real(excess, value)
        if left is None or abs(left) > mpmath.mpf(10) ** -25:
            return None
        if abs(value) < VANISHING:  # 0, or a place next to 0 where the map is not defined
            return Integer(0) if is_zero(image_at(expression, symbol, Integer(0))) else None
        simple = _simple(value)
    if simple is not None and is_zero(expression.subs(symbol, simple) - simple):
        return simple
    bracket = tuple(tuple(map(int, end._mpf_)) for end in (low, high))
    return RealConstant("xi", root, key=("root of", expression - symbol, symbol, "in", bracket),
                        latex=r"\xi", equation=Lambda(symbol, expression - symbol))


ATTRACTS, REPELS, NEUTRAL, OPEN = "attracts", "repels", "is neutral", "has no law of this kind"
WORDS = {1: "above", -1: "below"}


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
LOGARITHMIC = Kind("parabolic", True, one_sided=True)  # with a leading logarithm
FLIP = Kind("flip", None, period=2)
HYPERBOLIC = Kind("hyperbolic", True)
SUPERATTRACTING = Kind("superattracting", True)
REPELLING = Kind("repelling", False)


def kind_of(local: LocalMap) -> Kind:
    """Of a map seen from its fixed point: y' = c y^p (1 + ...).

    p > 1 or c = 0 superattracting, p < 1 repelling; for p = 1: c = 1 parabolic, c = -1 flip, |c| < 1 hyperbolic,
    |c| > 1 repelling.  A c with symbols in it whose size SymPy cannot tell is taken to lie between 0 and 1 in size.
    """
    if LogarithmicMap.found(local.formula) is not None:
        return LOGARITHMIC
    if local.exponent != 1:
        return SUPERATTRACTING if local.exponent > 1 else REPELLING
    multiplier = local.leading
    if is_zero(multiplier - 1):
        return PARABOLIC
    if is_zero(multiplier + 1):
        return FLIP
    if multiplier.is_number:
        exceeds = abs(multiplier.evalf(40)) > 1
    else:
        exceeds = (multiplier - 1).is_positive or (multiplier + 1).is_negative
    return REPELLING if exceeds else HYPERBOLIC


def behaviour(expression: Expr, symbol: Symbol, point: Expr, sign: int) -> str:
    """What the fixed point does to orbits from the side `sign`: one of the four words above.

    >>> x = Symbol("x")
    >>> [behaviour(x - x**2, x, 0, sign) for sign in (1, -1)], behaviour(1 / x, x, 1, 1)
    (['attracts', 'repels'], 'is neutral')
    """
    local = LocalMap(expression, symbol, FixedPoint(point, sign))
    if _clearly_repels(local):
        return REPELS
    try:
        kind = kind_of(local)
        if kind.attracts is None:
            return _slowly(local, kind.period)
        fast_to_infinity = kind is SUPERATTRACTING and local.fixed.at_infinity
        return ATTRACTS if kind.attracts and not fast_to_infinity else REPELS
    except (UnsupportedError, InputError):
        return OPEN


def _clearly_repels(local: LocalMap) -> bool:
    """Whether secants to two places next to the point agree on a slope beyond 1, which spares the series."""
    if local.expression.free_symbols != {local.symbol}:
        return False
    function = numeric(local.expression, local.symbol)
    with mp.workdps(40):
        images = [(y, _real(function, local.fixed.numeric(y))) for y in SECANTS]
        slopes = [local.fixed.distance(x) / y for y, x in images if x is not None and x != 0]
        return len(slopes) == 2 and abs(slopes[0]) > STEEP and abs(slopes[1] / slopes[0] - 1) < STEEP - 1


def draws_in_fast(expression: Expr, symbol: Symbol, points: Iterable[Expr]) -> bool:
    """Whether infinity attracts faster than exponentially, and none of the finite fixed points from any side.

    >>> x = Symbol("x")
    >>> draws_in_fast(x**2 + 1, x, ()), draws_in_fast(2 * x, x, (0,))
    (True, False)
    """
    if any(behaviour(expression, symbol, point, sign) == ATTRACTS for point in points for sign in WORDS):
        return False
    try:
        return kind_of(LocalMap(expression, symbol, FixedPoint(oo))) is SUPERATTRACTING
    except (UnsupportedError, InputError):
        return False


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


def shown(point: Expr) -> str:
    """A fixed point for a sentence: as it is given, or by its first digits when it has no closed form."""
    return f"{point.evalf(10)}..." if point.has(RealConstant) else str(point)


def choices(points: Iterable[Expr]) -> str:
    """The points as a user gives them: fixed_point=-1 or fixed_point=1."""
    return " or ".join(f"fixed_point={point.evalf(15) if point.has(RealConstant) else str(point).replace(' ', '')}"
                       for point in points)  # fmt: skip


def nowhere(expression: Expr, symbol: Symbol, points: list[Expr], side: str) -> str:
    """Why no fixed point is approached from this side, and what to do."""
    start = f"x -> {expression} has no attracting fixed point from {side}"
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


LOOKED_AT = 12
DIGITS = 5  # to which an orbit is followed to see on which side it comes in
_RADIUS, _BITS = mpmath.ldexp(1, -30), 150  # of a disc around the fixed point, and bits of the values on its circle


def one_series(expression: Expr, symbol: Symbol, fixed: FixedPoint) -> bool:
    """Whether the expression in x is the same power (or Laurent) series above and below the fixed point."""
    if not fixed.at_infinity and _is_analytic(expression, symbol, fixed.point):
        return True
    try:
        return is_one_series(*(expression.subs(symbol, p.outer(Y)) for p in (fixed, fixed.other)), LOOKED_AT)
    except UnsupportedError:
        return False


def is_one_series(here: Expr, there: Expr, count: int, poles: bool = True) -> bool:
    """Whether f(Y) and f(-Y) have one series in whole powers of Y, to `count` terms; without `poles`, a power series.

    >>> is_one_series(1 / Y, -1 / Y, 4), is_one_series(1 / Y, -1 / Y, 4, poles=False), is_one_series(Y, Y, 4)
    (True, False, False)
    """
    here, there = (puiseux(f, Y, count) for f in (here, there))
    if (here.root, there.root, here.valuation) != (1, 1, there.valuation) or (here.valuation < 0 and not poles):
        return False
    signed = (((-1) ** (here.valuation + k) * a, b)
              for k, (a, b) in enumerate(zip(here.coefficients, there.coefficients, strict=True)))  # fmt: skip
    return all(a == b or is_zero(b - a) for a, b in signed)


def _is_analytic(expression: Expr, symbol: Symbol, point: Expr) -> bool:
    """Whether a function without parameters is seen to be analytic around the fixed point, on a small disc."""
    if expression.free_symbols - {symbol}:
        return False
    try:
        with mp.workprec(_BITS):
            # around 1: at 0 a circle is one of t > 0, and forgives zeros and poles there
            circle_values(expression.subs(symbol, symbol + point - 1), symbol, _RADIUS, centre=mpmath.mpf(1))
    except NotAnalytic:
        return False
    return True


def require_one_series(functions: Mapping[str, Expr], symbol: Symbol, fixed: FixedPoint, leads: str) -> None:
    """An error for an orbit that changes sides where a function (by what it is called) has two series.

    `leads`: what makes it change them, for the error.
    """
    for name, function in functions.items():
        if not one_series(function, symbol, fixed):
            raise UnsupportedError(
                f"{name} {function} is not one power series on both sides of x = {fixed.point}, and with the "
                f"{leads} orbits change sides at every step; such a law is not derived"
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
                f"the orbit of this start approaches {fixed.describe()} from the other side, where another "
                "law holds; take the law of the other side"
            )
        return y

    return read
