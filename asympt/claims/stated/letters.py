"""What the formula of a claim about a network may name, and what the decimals in it mean.

Beside chi, q, sigma_w, sigma_b a plain network has, x being N(0, q), or N(0, 1) without a q,

    E[...]         a mean of a formula in x, phi, phi', phi'', ...          E[phi''^2], E[x*phi*phi']
    f2, f3, ...    f^(k)(1) of its correlation map:                         sigma_w^2 q^(k-1) E[phi^(k)^2]

and a law has C, D and whatever its coefficients are called (e_5), taken as the law's own, so that algebra sees them.
A decimal is rounded: 7.0837 is every number within 0.00005 of it.  The slack of a formula with decimals is by how much
its value changes when they do so; a single decimal states its interval, a formula a value that may be meant exactly.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from flint import arb
from mpmath import mp, mpf, nstr
from sympy import Add, Expr, Integer, Rational, S, Symbol, symbols

from asympt.architectures.law_parts import key_of
from asympt.claims.stated.statement import NUMBERS, in_balls, value_at, vanish
from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.evidence.check import Check
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.moments import moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import to_mpf
from asympt.parsing import read_formula

MOST = 8  # derivatives that a formula may name
MEAN, DERIVATIVE = re.compile(r"\bE\[([^\[\]]*)\]"), re.compile(r"\bphi('*)")
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?:[eE][+-]?\d+)?")
ARGUMENTS = Symbol("x", real=True), Symbol("z", real=True)
PHI = symbols(f"phi_0:{MOST + 1}", real=True)


@dataclass(frozen=True)
class StatedValue:
    """A value, by how much the rounding of its decimals changes it, and the decimal itself where it is only one."""

    value: Expr
    slack: Expr = S.Zero
    printed: str = ""


def read_value(text: str, known: dict[Symbol, Expr], layer=None, own: tuple[Symbol, ...] = ()) -> StatedValue:
    """A formula in these numbers, in means over the activation of a layer, and in the constants `own` of a law."""
    text, known = text.strip(), dict(known)
    for number, inside in enumerate(dict.fromkeys(MEAN.findall(text))):
        letter = Symbol(f"mean_{number}")
        known[letter] = mean(inside, layer)
        text = text.replace(f"E[{inside}]", f"({letter})")
    decimals = [Symbol(f"decimal_{k}") for k, _ in enumerate(DECIMAL.findall(text))]
    written = iter(decimals)
    formula = read_formula(DECIMAL.sub(lambda _: f"({next(written)})", text), *known, *own, *decimals)
    alone = formula in decimals or -formula in decimals
    numbers = DECIMAL.findall(text)
    given = {letter: Rational(number) for letter, number in zip(decimals, numbers, strict=True)}
    formula, value = formula.subs(known), formula.subs(known).subs(given)
    units = zip(decimals, map(unit_of, numbers), strict=True)
    slack = sum((_moved(formula, value, given, letter, unit) for letter, unit in units), S.Zero)
    return StatedValue(value, slack, text if alone else "")


def read_digits(text: str) -> StatedValue:
    """A printed number: a formula, a rounded decimal, or digits that go on where they end in dots."""
    if not text.endswith("..."):
        return read_value(text, {})
    digits = text.removesuffix("...")
    value, half = Rational(digits), unit_of(digits) / 2
    return StatedValue(value - half if digits.startswith("-") else value + half, half, text)


def unit_of(decimal: str) -> Rational:
    """The unit of its last digit."""
    digits, _, exponent = decimal.lower().partition("e")
    return Rational(10) ** (int(exponent or 0) - len(digits.partition(".")[2]))


def _moved(formula: Expr, value: Expr, given: dict, letter: Symbol, unit: Rational) -> Expr:
    """By how much at most the value changes when one decimal moves by half a unit of its last digit."""
    others = formula.subs({other: number for other, number in given.items() if other != letter})
    ends = [others.subs(letter, given[letter] + sign * unit / 2) - value for sign in (1, -1)]
    return max((abs(end) for end in ends), key=lambda size: size.subs(dict.fromkeys(size.free_symbols, 1)).evalf(15))


def mean(inside: str, layer) -> Expr:
    """E[formula in x, phi, phi', ...] at the variance of the layer, by a quadrature between the breakpoints."""
    if layer is None:
        raise InputError(f"E[{inside}] is a mean over the activation of a plain network, and this is not one")
    orders = [len(primes) for primes in DERIVATIVE.findall(inside)]
    singular = layer.activation.singular_order
    if orders and max(orders) > (MOST if singular is None else singular):
        raise InputError(f"E[{inside}] names a derivative that is not a function: phi{chr(39) * max(orders)}")
    formula = read_formula(DERIVATIVE.sub(lambda found: f"phi_{len(found[1])}", inside), *ARGUMENTS, *PHI)
    phi, q = layer.activation.piecewise, Integer(1) if layer.is_scale_free else layer.fixed_variance
    pieces = tuple(formula.subs({letter: piece.diff(phi.symbol, k) for k, letter in enumerate(PHI)})
                   .subs(dict.fromkeys(ARGUMENTS, phi.symbol)) for piece in phi.pieces)  # fmt: skip
    g = PiecewiseSmooth(phi.symbol, phi.breaks, pieces)
    return RealConstant(f"E[{inside}]", lambda: moment(g, to_mpf(q), mp.dps), ("mean", formula, phi, q))


def derivatives_at_one(layer) -> dict[Symbol, Expr]:
    """f2, f3, ...: f^(k)(1), as far as they are finite."""
    singular, q = layer.activation.singular_order, layer.fixed_variance

    def size(k: int, square: PiecewiseSmooth):
        return to_mpf(layer.weight_variance * q ** (k - 1)) * moment(square, to_mpf(q), mp.dps)

    found = {}
    for k in range(2, 1 + (MOST if singular is None else singular)):
        square = layer.activation.piecewise.derivative(k).square()
        name, key = f"f{k}", ("stated derivative of f", k, key_of(layer))
        found[Symbol(name, positive=True)] = RealConstant(name, partial(size, k, square), key)
    return found


def numbers_of_layer(layer) -> dict[Symbol, Expr]:
    """chi, q and the derivatives of the correlation map at 1 of a plain layer."""
    found = {Symbol("chi", positive=True): layer.chi}
    with suppress(UnsupportedError):  # a scale-invariant activation has no variance of its own
        if not layer.is_scale_free:
            found |= {Symbol("q", positive=True): layer.fixed_variance, **derivatives_at_one(layer)}
    return found


def numbers_of_law(law) -> dict[Symbol, Expr]:
    """What a law's own coefficients are called."""
    named = set().union(*(c.atoms(RealConstant) for c in law.expansion.coefficients.values()))
    return {Symbol(constant.name, real=True): constant for constant in named if constant.name.isidentifier()}


PRECISIONS, LOST, SHOWN = (30, 50), 8, 15  # digits: asked for, of them not relied on, shown


def compared(name: str, found: Expr, stated: StatedValue) -> Check:
    """The row of the comparison, with both numbers to the digits that tell them apart.

    Equal as algebra holds.  Otherwise both sides are computed to `PRECISIONS` digits, part by part of what stands
    beside products of the start's C and D.  That they differ at both, by the same amount, contradicts the statement
    (and needs balls, `enclosed_apart`, or iteration); that they agree at both, to so many digits or to those that are
    printed, for it, unless they differ by a fraction.  They differ by less than the rounding of its decimals: a decimal
    alone holds; of a formula nobody can say.

    >>> print(compared("c", S(2) ** Rational(1, 2), StatedValue(Rational("1.41"), Rational(1, 200), "1.41")).verdict)
    checked
    """
    digits = SHOWN
    if vanish([found - stated.value]):
        passed, detail = True, "the same by exact algebra"
    else:
        try:
            passed, detail, digits = _in_numbers(found, stated)
        except AsymptError as error:
            passed, detail = None, str(error)
    rounded = stated.printed if stated.printed.endswith("...") else f"{stated.printed}, rounded"
    bound = rounded if stated.printed else _shown(stated.value, digits)
    figure = _shown(found, digits) + ("" if passed is None or "digits" not in detail else f", which {detail}")
    return Check(name, figure, bound, passed, "checked", detail, route=NUMBERS)


def enclosed_apart(found: Expr, stated: StatedValue, given=None) -> tuple[Check, ...]:
    """The second witness that they differ: a ball of a part of the difference that leaves out the stated rounding.

    >>> wrong = StatedValue(Rational("1.43"), Rational(1, 200), "1.43")
    >>> print(*(check.figure for check in enclosed_apart(S(2) ** Rational(1, 2), wrong)))
    0.010786
    """
    parts, slack = _parts(found - stated.value), _parts(stated.slack)
    gaps = (abs(part) - abs(slack.get(letters, Integer(0))) for letters, part in parts.items())

    def against(ball: arb) -> bool:  # or just between two decimals, of which the numbers have seen that it is the other
        return ball > 0 or (stated.slack != 0 and ball == 0)

    return in_balls("the excess over the rounding", gaps, "<= 0", against, given)


def _in_numbers(found: Expr, stated: StatedValue) -> tuple[bool | None, str, int]:
    """(whether they agree, None where that is open; why; the digits to show)."""
    more = max(0, len(stated.printed) - SHOWN)  # digits, for a print that has very many
    (rough, vague), (fine, close) = ((_distance(found, stated.value, digits + more)) for digits in PRECISIONS)
    if vague and close and not any(part.is_Rational and part != 0 for part in _parts(found - stated.value).values()):
        return True, f"agrees to {PRECISIONS[-1] - LOST} digits", SHOWN
    off, largest = f"they differ by {nstr(fine, 3)}", max(_size(found), _size(stated.value))
    digits = max(SHOWN, 4 + int(mp.log10(largest / fine)) if fine else 0)
    over = fine - _size(stated.slack)
    excess = abs(found - stated.value) - stated.slack
    if abs(over) <= fine * mpf(10) ** (LOST - PRECISIONS[0]) and excess.is_number:
        over = value_at(excess, {})  # of 1/2 - 10^-60, which is nearly between two whole numbers
    between = over == 0
    if over <= 0 and found.free_symbols == stated.value.free_symbols:
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
    even = int(stated.printed.rstrip(".").lower().partition("e")[0][-1]) % 2 == 0
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
    """A side, with its digits where it is not a fraction."""
    return str(value) if value.is_Rational else f"{value} = {value.evalf(digits)}"
