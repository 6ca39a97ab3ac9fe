"""A number that a law has beside one that is stated: algebra, then digits at rising precision.

Equal as algebra holds.  Otherwise both sides are computed to `PRECISIONS` digits, part by part of what stands beside
products of the start's C and D:

    they differ at both, by the same amount                    refuted, if balls (`enclosed_apart`) or iteration agree
    they agree at both                                         checked, to so many digits, or to those that are printed
    they differ by less than the rounding of its decimals      a decimal alone holds; of a formula nobody can say
    anything else                                              unknown

>>> from sympy import Rational, sqrt
>>> print(compared("c", sqrt(2), StatedValue(Rational("1.41"), Rational(1, 200), "1.41")).verdict)
checked
>>> wrong = StatedValue(Rational("1.43"), Rational(1, 200), "1.43")
>>> print(compared("c", sqrt(2), wrong).verdict, *(check.figure for check in enclosed_apart(sqrt(2), wrong)))
refuted 0.010786
"""

from flint import arb
from mpmath import mp, mpf, nstr
from sympy import Add, Expr, Integer, Symbol, simplify

from asympt.claims.stated.letters import StatedValue
from asympt.claims.stated.statement import NUMBERS, SIMPLIFYING, in_balls
from asympt.deadline import limited
from asympt.errors import AsymptError
from asympt.evidence.check import Check
from asympt.numbers import to_mpf

PRECISIONS, LOST, SHOWN = (30, 50), 8, 15  # digits: asked for, of them not relied on, shown


def compared(name: str, found: Expr, stated: StatedValue) -> Check:
    """The row of the comparison, with both numbers to the digits that tell them apart."""
    digits = SHOWN
    if _vanishes(found - stated.value):
        passed, detail = True, "the same by exact algebra"
    else:
        try:
            passed, detail, digits = _in_numbers(found, stated)
        except AsymptError as error:
            passed, detail = None, str(error)
    bound = f"{stated.printed}, rounded" if stated.printed else _shown(stated.value, digits)
    figure = _shown(found, digits) + ("" if passed is None or "digits" not in detail else f", which {detail}")
    return Check(name, figure, bound, passed, "checked", detail, route=NUMBERS)


def enclosed_apart(found: Expr, stated: StatedValue, given=None) -> tuple[Check, ...]:
    """The second witness that they differ: a ball of a part of the difference that leaves out the stated rounding.

    `given`, as for `in_balls`.
    """
    parts, slack = _parts(found - stated.value), _parts(stated.slack)
    gaps = (abs(part) - abs(slack.get(letters, Integer(0))) for letters, part in parts.items())

    def against(ball: arb) -> bool:  # or just between two decimals, of which the numbers have seen that it is the other
        return ball > 0 or (stated.slack != 0 and ball == 0)

    rows = (in_balls("what is beyond the rounding", gap, "<= 0", against, given) for gap in gaps)
    return next(filter(None, rows), ())


def _vanishes(difference: Expr) -> bool:
    try:
        with limited("simplifying the difference of the two sides", SIMPLIFYING):
            return difference == 0 or simplify(difference) == 0
    except AsymptError:
        return False


def _in_numbers(found: Expr, stated: StatedValue) -> tuple[bool | None, str, int]:
    """(whether they agree, None where that is open; why; the digits to show)."""
    (rough, vague), (fine, close) = ((_distance(found, stated.value, digits)) for digits in PRECISIONS)
    if vague and close:
        return True, f"agrees to {PRECISIONS[-1] - LOST} digits", SHOWN
    off, largest = f"they differ by {nstr(fine, 3)}", max(_size(found), _size(stated.value))
    digits = max(SHOWN, 4 + int(mp.log10(largest / fine)) if fine else 0)
    over = fine - _size(stated.slack)
    between = abs(over) <= fine * mpf(10) ** (LOST - PRECISIONS[0])
    if (over <= 0 or between) and found.free_symbols == stated.value.free_symbols:
        if stated.printed and between and not _rounds(found, stated):
            return False, f"{off}, and half a unit is rounded up or to the even digit", digits
        if stated.printed:
            written = stated.printed.lower().partition("e")[0].lstrip("-+0.").replace(".", "")
            return True, f"agrees to the {len(written)} digits that are printed", digits
        return None, f"{off}, within the rounding of the decimals; write fractions where they are exact", digits
    steady = not vague and not close and abs(rough - fine) <= fine * mpf(10) ** -LOST
    return (False, off, digits) if steady else (None, f"{off}, which moves with the precision", digits)


def _rounds(found: Expr, stated: StatedValue) -> bool:
    """Whether a number just between two decimals is rounded to this one: the larger in size, or the even one."""
    even = int(stated.printed.lower().partition("e")[0][-1]) % 2 == 0
    return even or bool(abs(stated.value) > abs(found))


def _size(value: Expr):
    """The largest number in it, beside whatever letters."""
    with mp.workdps(PRECISIONS[-1]):
        return max(abs(to_mpf(part)) for part in _parts(value).values())


def _distance(found: Expr, stated: Expr, digits: int) -> tuple:
    """(the largest difference of a part, whether all vanish to the digits)."""
    one, two = _parts(found), _parts(stated)
    largest, same = mpf(0), True
    with mp.workdps(digits + LOST):
        for letters in {*one, *two}:
            sides = [to_mpf(parts.get(letters, Integer(0))) for parts in (one, two)]
            off = abs(sides[0] - sides[1])
            largest, same = max(largest, off), same and off <= max(map(abs, sides)) * mpf(10) ** (LOST - digits)
    return largest, same


def _parts(side: Expr) -> dict:
    """{product of letters: the number beside it}."""
    found: dict = {}
    for term in Add.make_args(side.expand()):
        factor, letters = term.as_independent(*side.atoms(Symbol), as_Add=False)
        found[letters] = found.get(letters, Integer(0)) + factor
    return found


def _shown(value: Expr, digits: int) -> str:
    """A side, with its digits where it is no fraction."""
    return str(value) if value.is_Rational else f"{value} = {value.evalf(digits)}"
