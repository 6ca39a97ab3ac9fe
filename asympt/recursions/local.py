"""A map near its fixed point, in the one situation that the solvers know: y > 0 tends to 0, y' = g(y).

A start is exact, its digits are not: where a function that may jump has another value next to y, nearer than what the
orbit is trusted to, the exact orbit decides, in rational arithmetic; else the number is refused.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mpmath
from mpmath import mp, mpc, mpf
from sympy import Dummy, Expr, Heaviside, Mod, Piecewise, Symbol, ceiling, floor, frac, sign, together

from asympt.errors import InputError, NoValueError, PrecisionError, UnsupportedError
from asympt.expansions.formulas.puiseux import Series, Y, check_against, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.fixed_point import FixedPoint, numeric, real_numeric
from asympt.recursions.protocol import T

JUMPING = Piecewise, sign, Heaviside, floor, ceiling, frac, Mod
MOST_STEPS = 1000
LONGEST = 20_000  # bits
SPARE = 20  # bits beyond those that a tiny y costs


class OrbitValue(mpf):
    """y after `steps` steps from the exact distance `origin`; whatever is computed with it is an ordinary number."""

    def __new__(cls, value, origin: Expr, steps: int = 0):
        found = super().__new__(cls, value)
        found.origin, found.steps = origin, steps
        return found


def finely(y):
    """The precision with which a function of x is computed at the distance y from the fixed point."""
    return mp.workprec(mp.prec + max(0, -mp.mag(y)) + SPARE)


def followed(before, after):
    """`after`, one step from `before`, with what that knew of its start."""
    return OrbitValue(after, before.origin, before.steps + 1) if isinstance(before, OrbitValue) else after


def negated(y):
    """-y, with what that knows of its start."""
    value = mp.fneg(y, exact=True)
    return OrbitValue(value, -y.origin, y.steps) if isinstance(y, OrbitValue) else value


@dataclass(frozen=True)
class AlongOrbit:
    """A function of x at a distance y of an orbit: as `function` (of x) gives it, but on the right side of jumps.

    `expression` in `symbol`; `what` names it in messages; `move` is the map that the orbit follows.
    """

    expression: Expr
    symbol: Symbol
    fixed: FixedPoint
    what: str
    move: Expr

    @cached_property
    def function(self) -> Callable:
        """The function of x by itself, which knows no orbit."""
        return real_numeric(self.expression, self.what, self.symbol)

    @cached_property
    def _looked(self) -> Callable | None:
        return numeric(self.expression, self.symbol) if self.expression.has(*JUMPING) else None

    def __call__(self, y):
        """The value, with the digits that a tiny y costs."""
        exact = self.decided(y)
        with finely(y):
            return self.function(self.fixed.numeric(y)) if exact is None else to_mpf(exact)

    def decided(self, y) -> Expr | None:
        """The exact value, where the digits of y do not say on which side of a jump it is; else None."""
        return self._exactly(y) if self._looked is not None and self._jumps(y) else None

    def _jumps(self, y) -> bool:
        """Whether the values next to y differ by more than a slope could explain."""
        apart = mp.ldexp(1, -2 * mp.prec // 3)
        try:
            with finely(y):
                one, two = (self._looked(self.fixed.numeric(y * moved)) for moved in (1 - apart, 1 + apart))
        except NoValueError:
            return True
        if isinstance(one, mpc) or isinstance(two, mpc) or not (mp.isfinite(one) and mp.isfinite(two)):
            return True
        return abs(one - two) > mp.ldexp(max(abs(one), abs(two)), -mp.prec // 2)

    def exact_value(self, y) -> Expr | None:
        """The value at the exact point of the orbit, where that is known."""
        known = isinstance(y, OrbitValue)
        x = exact_orbit(self.move, self.symbol, self.fixed.outer(y.origin), y.steps) if known else None
        return None if x is None else self.expression.subs(self.symbol, x)

    def _exactly(self, y) -> Expr:
        value = self.exact_value(y)
        if value is None or value.has(Piecewise) or not (value.is_finite and value.is_real):
            shown = mp.nstr(self.fixed.numeric(y), 8)
            raise PrecisionError(
                f"{self.what} jumps at x = {shown}, where the orbit comes, and its digits do not say on which side it "
                "falls; ask for more digits, or start elsewhere"
            )
        return value


def exact_orbit(move: Expr, symbol: Symbol, x: Expr, steps: int) -> Expr | None:
    """The exact x so many steps on; None where that takes too long, or where SymPy cannot decide on a side."""
    if steps > MOST_STEPS:
        return None
    known = _orbit_from(move, symbol, x)
    while len(known) <= steps and known[-1] is not None:
        known.append(_short(move.subs(symbol, known[-1])))
    return known[steps] if steps < len(known) else None


@lru_cache(maxsize=16)
def _orbit_from(move: Expr, symbol: Symbol, x: Expr) -> list[Expr | None]:
    """What is known of an exact orbit, which `exact_orbit` continues."""
    return [x]


def _short(x: Expr) -> Expr | None:
    return x if x.is_Rational and x.p.bit_length() + x.q.bit_length() <= LONGEST else None


HEAD = 12  # coefficients that decide what kind of fixed point it is
NEAR = mpmath.mpf(10) ** -10  # an imaginary part below it, relatively, is a rounding error
LANDED = 24  # bits: a distance that shrinks in one step to the rounding error, but for so many bits, is computed again
FINEST = 2**16  # bits at most; what is not told from 0 by then is 0
SENSITIVE = 8  # bits: what the last bit of y moves by more than this part of its size is rounding error


@dataclass(frozen=True)
class LocalMap:
    """y' = g(y) for the map `expression` in `symbol`, seen from `fixed`."""

    expression: Expr
    symbol: Symbol
    fixed: FixedPoint

    @cached_property
    def formula(self) -> Expr:
        """g(y) as a closed form, for y > 0."""
        return self._image(Y)

    def _image(self, y: Expr) -> Expr:
        image = self.expression.subs(self.symbol, self.fixed.outer(y))
        return together(self.fixed.inner(image)) if self.fixed.at_infinity else self.fixed.inner(image)

    @cached_property
    def _head(self) -> Series:
        return self._series(HEAD)

    def _series(self, count: int) -> Series:
        try:
            found = puiseux(self.formula, Y, count, vanishing=self.vanishing)
            check_against(self.formula, Y, found)
        except UnsupportedError as error:
            raise self._without_series(error) from None
        return found

    def _without_series(self, error: UnsupportedError) -> UnsupportedError:
        """Why there is no series, in terms that the user of the map knows."""
        if self._is_complex():
            where = self.fixed.describe()
            return UnsupportedError(f"the map is not real next to {where}, so no orbit comes from there")
        y = f"{self.fixed.sign}/x" if self.fixed.at_infinity else f"the distance from {self.fixed.describe()}"
        legend = f" (y is {y})" if re.search(r"\by\b", str(error)) else ""
        return UnsupportedError(f"{error}{legend}")

    def _is_complex(self) -> bool:
        """Whether the map has complex values at two places close to the fixed point."""
        function = numeric(self.expression, self.symbol)
        try:
            images = [function(self.fixed.numeric(mpmath.mpf(10) ** -k)) for k in (6, 9)]
        except (NoValueError, InputError):  # no values there, or parameters
            return False
        return all(isinstance(image, mpmath.mpc) and abs(image.imag) > abs(image) * NEAR for image in images)

    @property
    def vanishing(self) -> tuple:
        """What makes the fixed point one, when it is known by its digits only."""
        point = self.fixed.point
        if not isinstance(point, RealConstant):
            return ()
        return (self.expression.subs(self.symbol, point) - point,)

    @property
    def root(self) -> int:
        """r: the series is one in t = y^(1/r)."""
        return self._head.root

    @property
    def exponent(self):
        """p in y' = c y^p (1 + ...)."""
        return self._head.exponent

    @property
    def leading(self) -> Expr:
        """c."""
        return self._head_ratio[0]

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of y'/y in t, when y' = c y (1 + ...)."""
        return self._head_ratio[:count] if count <= HEAD else self._read(self._series(count))[:count]

    @cached_property
    def _head_ratio(self) -> list[Expr]:
        return self._read(self._head)

    def _read(self, series: Series) -> list[Expr]:
        """The coefficients; G(xi), where it occurs as such, is the fixed point xi itself: exp(-xi) is written xi."""
        point = self.fixed.point
        if not isinstance(point, RealConstant):
            return list(series.coefficients)
        image = self.expression.subs(self.symbol, point)
        return [c.subs(image, point) for c in series.coefficients]

    def formulas_in_t(self, root: int) -> dict[str, Expr | None]:
        """y' as a closed form in t = y^(1/root), on this side of the fixed point and beyond it (see `Dynamics`)."""
        return both_sides(self._image, root)

    @cached_property
    def step(self) -> "MapStep":
        """One step of the original map in mpmath."""
        return MapStep(self.along(self.expression, "the map"))

    def along(self, expression: Expr, what: str) -> AlongOrbit:
        """A function of x at the distance y along an orbit of the map, in mpmath."""
        return AlongOrbit(expression, self.symbol, self.fixed, what, self.expression)


def beyond(image: Callable[[Expr], Expr]) -> Expr | None:
    """image(-y) for y > 0, where image(y), made for y > 0, does not say what happens there; else None.

    |y + 1/500| is y + 1/500 for y > 0, and no longer beyond y = -1/500: what SymPy makes of a positive y is compared
    with what it makes of any real one.

    >>> from sympy import Abs, sin
    >>> beyond(lambda y: sin(y) / 2), beyond(lambda y: y * Abs(y + 1) / 2)
    (None, -y*Abs(y - 1)/2)
    """
    anywhere = Dummy(real=True)
    return None if image(anywhere) == image(Y).xreplace({Y: anywhere}) else image(-Y)


def both_sides(image: Callable[[Expr], Expr], root: int = 1) -> dict[str, Expr | None]:
    """A function of y = t^root, known for y of any sign, as `Dynamics` has it: the formulas for t > 0 and at -t."""
    there = beyond(image) if root == 1 else None
    return {"formula": image(Y).subs(Y, T**root), "beyond": None if there is None else there.subs(Y, T)}


@dataclass(frozen=True)
class MapStep:
    """(y,) -> (y',) by the original map G, at mpmath's precision whatever the size of y.

    A y' that is tiny beside y is what G makes of y (atan brings 10^100 to pi/2), or a landing on the fixed point, where
    y' is the rounding error.  More digits of G, and another last bit of y, tell them apart.
    """

    map: AlongOrbit

    @property
    def fixed(self) -> FixedPoint:
        """The fixed point from which y is the distance."""
        return self.map.fixed

    @property
    def function(self) -> Callable:
        """The map of x itself."""
        return self.map.function

    def __call__(self, state: tuple) -> tuple:
        y = state[0]
        if y == 0:
            return (y,)
        exact = self.map.decided(y)
        with finely(y):
            following = self._image(y) if exact is None else self.fixed.distance(to_mpf(exact))
        if exact is not None and not following:
            raise self._landed(y, "")
        if exact is None and abs(following) <= abs(y) * mpmath.ldexp(1, LANDED - mp.prec):
            following = self._looked_at_again(y)
        return (followed(y, +following),)

    def _looked_at_again(self, y):
        """y' with all its digits; an error when nothing but the rounding of y keeps it from 0."""
        image = self.map.exact_value(y)
        exact = None if image is None else self.fixed.inner(image)
        if exact is not None and exact.is_Rational and exact != 0:
            return to_mpf(exact)
        with mp.workprec(2 * mp.prec):
            moved = y * (1 + mpmath.ldexp(1, -mp.prec // 2))
        bits, same = mp.prec + max(0, -mp.mag(y)) + SPARE, mpmath.ldexp(1, -mp.prec)
        known = None
        while bits < FINEST:
            bits *= 2
            with mp.workprec(bits):
                before, known = known, (self._image(y), self._image(moved))
                settled = [bool(before and new and abs(new - old) <= abs(new) * same) for old, new in
                           zip(before or known, known, strict=True)]
                here, there = known
                if settled[0] and abs(there - here) <= abs(here) * mpmath.ldexp(1, -SENSITIVE):
                    return here
                if any(settled):
                    break
        raise self._landed(y, "" if exact == 0 else f" as far as {bits} bits tell")

    def _landed(self, y, known: str) -> InputError:
        return InputError(
            f"the orbit lands on the fixed point x = {self.fixed.point} (from {_shown(self.fixed.numeric(y))} in "
            f"one step){known}, so it has no law; start elsewhere"
        )

    def _image(self, y):
        x = self.fixed.numeric(y)
        try:
            return self.fixed.distance(self.function(x))
        except NoValueError as error:
            raise InputError(
                f"the map has no value at x = {_shown(x)}, where the orbit comes ({error}); start elsewhere"
            ) from None


def _shown(x) -> str:
    return mpmath.nstr(x, 8)
