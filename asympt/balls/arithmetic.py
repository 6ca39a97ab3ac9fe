"""Balls: the precision they are computed at, set for a block of code (`working`), and numbers rounded outward.

A comparison of balls that overlap is False, and a NaN that reaches `max` disappears: bounds are taken by `largest` and
`smallest`, which refuse what is not finite.
"""

import copyreg
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact, localcontext
from fractions import Fraction
from math import frexp, ldexp

import flint
import mpmath
from flint import acb, arb, arb_poly, arb_series, fmpq
from mpmath import mp

from asympt.deadline import check_time
from asympt.errors import PrecisionError, UnsupportedError

EXTRA_BITS = 16  # of an end before it is rounded to its digits


class Refused(UnsupportedError):
    """A hypothesis of a theorem that cannot be proved, with the reason: there is no certificate."""


class Disproved(Refused):
    """A law that prints something else than what is proved."""


PASSING = (Refused, PrecisionError)  # after which something else may be tried


@contextmanager
def working(bits: int, length: int = 10) -> Iterator[None]:
    """Balls of so many bits, and power series of up to so many coefficients, within the block."""
    before = flint.ctx.prec, flint.ctx.cap
    try:
        flint.ctx.prec, flint.ctx.cap = bits, length
        yield
    finally:
        flint.ctx.prec, flint.ctx.cap = before


def require_finite(value, what: str):
    """The ball itself; an error where precision has run out or a value is infinite."""
    if not value.is_finite():
        raise PrecisionError(f"{what} is not finite in ball arithmetic; more bits or a smaller disc are needed")
    return value


def largest(values: Iterable[arb], what: str = "a bound") -> arb:
    """An exact number that none of the balls exceeds."""
    return _best(values, arb.max, arb.upper, what)


def smallest(values: Iterable[arb], what: str = "a bound") -> arb:
    """An exact number below all of the balls."""
    return _best(values, arb.min, arb.lower, what)


def _best(values: Iterable[arb], better, end, what: str) -> arb:
    found = None
    for value in values:
        bound = end(require_finite(value, what))
        found = bound if found is None else better(found, bound)
    if found is None:
        raise ValueError(f"{what} of nothing")
    return found


def magnitude(value: arb | acb) -> arb:
    return require_finite(value, "a value").abs_upper()


def majorant(terms: Iterable[tuple[int, arb]], t: arb) -> arb:
    """sum |c_k| t^k, which bounds sum c_k s^k over |s| <= t, of pairs (k, c_k)."""
    return sum((abs(c) * t**k for k, c in terms), arb(0))


def first_proved(attempts: Iterable[Callable], most: int) -> list:
    """What the first `most` attempts give that are not refused, up to the first refusal after a success.

    The attempts go from the largest region to smaller ones.  When all are refused, the last one's reason.
    """
    found, reason = [], Refused("there is nothing to try")
    for attempt in attempts:
        check_time()
        try:
            found.append(attempt())
        except (Refused, PrecisionError) as refused:
            reason = refused
            if found:
                break
        if len(found) == most:
            break
    if not found:
        raise reason
    return found


def best_proved(
    attempts: Iterable[Callable], size: Callable, enough: Callable = lambda found: False, passing: tuple = PASSING,
    fatal: tuple = (), nothing: str = "there is nothing to try",
):
    """The smallest of what the attempts give, up to the first that is `enough`; where all fail, the last one's reason.

    passing: the errors after which the next one is tried; fatal: those among them after which none is.
    """
    best, reason = None, Refused(nothing)
    for attempt in attempts:
        check_time()
        try:
            found = attempt()
        except fatal:
            raise
        except passing as refused:
            reason = refused
            continue
        if best is None or size(found) < size(best):
            best = found
        if enough(found):
            break
    if best is None:
        raise reason
    return best


def whole_power(base: arb, exponent: int) -> arb:
    """base^exponent, also of a ball with the midpoint 0, of which Arb's own power is NaN.

    >>> bool(whole_power(arb(0, 2), 3).contains(8)), bool((arb(0, 2) ** 3).is_finite())
    (True, False)
    """
    if exponent > 0 and base.mid().is_zero():
        return arb(0, (base.abs_upper() ** exponent).upper())
    return base**exponent


def between(low, high) -> arb:
    """The smallest ball with both numbers (or balls) in it."""
    return arb(low).union(arb(high))


def exact_rational(value) -> arb:
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def fraction(value: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in value.mid().man_exp())
    return Fraction(mantissa) * (Fraction(2) ** exponent)


def ends(value: arb, digits: int) -> tuple:
    """(lower, upper) as mpmath numbers of so many digits, rounded outward, however small or large the ball is."""
    precision = mpmath.libmp.dps_to_prec(digits)
    with working(precision + EXTRA_BITS):
        low, high = require_finite(value, "a ball").lower(), value.upper()
    return _rounded(low, precision, "f"), _rounded(high, precision, "c")


def nearest(value: arb, digits: int):
    """The midpoint as an mpmath number of so many digits."""
    return _rounded(require_finite(value, "a ball").mid(), mpmath.libmp.dps_to_prec(digits), "n")


def midpoint(value: arb):
    """The midpoint as an mpmath number, at mpmath's current precision; of an infinite ball, the infinite number.

    >>> midpoint(arb(3) / 2), midpoint(arb.neg_inf())
    (mpf('1.5'), mpf('-inf'))
    """
    middle = value.mid()
    if middle.is_nan() or (middle.is_finite() and not value.is_finite()):
        raise PrecisionError("no correct digit is left; ask for more digits")
    if not middle.is_finite():
        return mpmath.mpf("inf" if middle > 0 else "-inf")
    mantissa, exponent = (int(part) for part in middle.man_exp())
    return mp.make_mpf(mpmath.libmp.from_man_exp(mantissa, exponent, mp.prec, "n"))


def exact_ends(value: arb) -> tuple[Fraction, Fraction]:
    """Both ends, exactly, whatever the precision is."""
    require_finite(value, "a ball")
    middle, radius = fraction(value.mid()), fraction(value.rad())
    return middle - radius, middle + radius


def _rounded(value: arb, precision: int, direction: str):
    """An exact ball as an mpmath number, towards -oo ('f') or oo ('c')."""
    mantissa, exponent = (int(part) for part in value.man_exp())
    return mp.make_mpf(mpmath.libmp.from_man_exp(mantissa, exponent, precision, direction))


def decimal_above(value: arb, digits: int = 6) -> Decimal:
    """A decimal number of so many digits that is not below the ball."""
    return _decimal(exact_ends(value)[1], digits, ROUND_CEILING)


def decimal_below(value: arb, digits: int = 6) -> Decimal:
    """A decimal number of so many digits that is not above the ball."""
    return _decimal(exact_ends(value)[0], digits, ROUND_FLOOR)


def _decimal(exact: Fraction, digits: int, rounding: str) -> Decimal:
    context = Context(prec=digits, rounding=rounding)
    return context.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def short(value: float, bits: int = 10) -> float:
    """A number near by, not larger, whose digits are few: a radius, say, which a proof is free to choose.

    >>> short(1.2823), short(0.1)
    (1.28125, 0.0999755859375)
    """
    mantissa, exponent = frexp(value)
    return ldexp(int(mantissa * 2**bits), exponent - bits)


def exactly(value: arb) -> Decimal:
    """All the digits of an exact number that has finitely many of them."""
    low, high = exact_ends(value)
    if low != high:
        raise PrecisionError(f"{value.str(10)} is a ball, not a single number")
    with localcontext(prec=1000, traps=[Inexact]):
        return Decimal(low.numerator) / Decimal(low.denominator)


def of_mpf(value) -> arb:
    """An mpmath number, exactly, whatever the precision is."""
    sign, mantissa, exponent, _ = value._mpf_
    return arb((-int(mantissa) if sign else int(mantissa), exponent))


def coefficients(series: arb_series, count: int, what: str = "a power series") -> list[arb]:
    """The first `count` coefficients; an error when it is known to fewer: a series is never padded."""
    if series.prec < count:
        raise PrecisionError(f"{what} is known to {series.prec} coefficients of the {count} that are needed")
    known = series.coeffs()[:count]
    return known + [arb(0)] * (count - len(known))


def eliminated(defect: list[arb], k: int, row: Sequence[arb], order: int, lead: arb) -> arb:
    """The unknown of t^k row(t), row = lead t^order + ..., that takes t^(k + order) off the defect, which goes on."""
    value = -defect[k + order] / lead
    for j in range(max(0, k + order), min(len(defect), k + len(row))):
        defect[j] += value * row[j - k]
    return value


RADIUS_BITS = 30  # of a radius, which Arb rounds up by one unit when it reads it


def _ball(middle: tuple, radius: tuple) -> arb:
    """The ball with this middle and radius, exactly, or with a larger radius where Arb does not read it so."""
    mantissa, exponent = (int(part) for part in radius)
    shift = RADIUS_BITS - mantissa.bit_length()
    unit_less = arb((2 * (mantissa << max(shift, 0)) - 1, exponent - max(shift, 0) - 1))
    found, whole = arb(arb(middle), unit_less), arb(radius)
    return found if found.rad() >= whole else arb(arb(middle), whole)


def _parts(value: arb) -> tuple:
    """What makes the ball again."""
    if not value.is_finite():
        return arb, (str(value),)
    if value.is_exact():
        return arb, (value.man_exp(),)
    return _ball, (value.mid().man_exp(), value.rad().man_exp())


def _with_length(coefficients: list[arb], length: int) -> arb_series:
    with working(flint.ctx.prec, max(flint.ctx.cap, length)):
        return arb_series(coefficients, prec=length)


copyreg.pickle(arb, _parts)
copyreg.pickle(acb, lambda value: (acb, (value.real, value.imag)))
copyreg.pickle(arb_poly, lambda value: (arb_poly, (value.coeffs(),)))
copyreg.pickle(arb_series, lambda value: (_with_length, (value.coeffs(), value.prec)))


def bits_for(digits: int, spare: int = 64) -> int:
    """So many bits hold the digits, with some to spare."""
    return int(3.33 * digits) + spare
