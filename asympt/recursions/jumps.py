"""On which side of a jump an orbit falls: a start is exact, its digits are not.

Where a function that may jump has another value next to y, nearer than what the orbit is trusted to, the exact orbit
decides, in rational arithmetic (1/3 in binary is below 1/3 at one precision and above at another); else the number is
refused.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from mpmath import mp, mpc, mpf
from sympy import Expr, Heaviside, Mod, Piecewise, Symbol, ceiling, floor, frac, sign

from asympt.errors import NoValueError, PrecisionError
from asympt.numbers import to_mpf
from asympt.recursions.fixed_point import FixedPoint, numeric, real_numeric

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
        return real_numeric(self.expression, self.symbol, self.what)

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

    def _exactly(self, y) -> Expr:
        known = isinstance(y, OrbitValue)
        x = exact_orbit(self.move, self.symbol, self.fixed.outer(y.origin), y.steps) if known else None
        value = None if x is None else self.expression.subs(self.symbol, x)
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
