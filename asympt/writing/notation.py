r"""Formulas of a law: names for awkward constants, coefficients with parameters in factors, long numbers in groups."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import mpmath
from mpmath import mp
from sympy import Add, Expr, Integer, Mul, Pow, Symbol, cancel, factor, fraction, together

from asympt.expansions import Monomial, Scale
from asympt.expansions.printing import width
from asympt.expansions.typesetting import LINE, SHIFTED_FIRST, Piece, long_term, signed, split_monomial, term_piece, tex
from asympt.recursions import C

B = Symbol(SHIFTED_FIRST, real=True)
CHI = Symbol("chi", real=True)
VALUE = Scale.at_zero(Symbol("t", positive=True))
EULER = Symbol(r"\gamma_{E}", positive=True)  # by its usual letter alone it would be a gap of others
CONSTANTS = {B, C, EULER}
_WIDE = 0.8 * LINE  # a coefficient wider than this is broken inside its longest factor


@dataclass(frozen=True)
class PowersOfT(Scale):
    """The scale of base^(k n), written so, or by 1/base where it grows and the base has no letter."""

    base: Expr = CHI

    def to_sympy(self, monomial: Monomial) -> Expr:
        """base^(k n) n^j."""
        growing = monomial.order < 0 and not self.base.is_Symbol
        base, order = (1 / self.base, -monomial.order) if growing else (self.base, monomial.order)
        return base ** (order * self.variable) * self.variable**monomial.logs


def coefficient_piece(coefficient: Expr, scale: Scale, monomial: Monomial) -> Piece:
    """coefficient * monomial, in factors if it contains parameters."""
    plain = coefficient.free_symbols <= CONSTANTS
    piece = term_piece(coefficient, scale, monomial) if plain else _factored_piece(coefficient, scale, monomial)
    one_root = re.sub(r"\\sqrt\{(\d+)\} \\sqrt\{(\w)\}", r"\\sqrt{\1 \2}", piece.body)  # sqrt(2 n)
    return replace(piece, body=one_root)


def _factored_piece(coefficient: Expr, scale: Scale, monomial: Monomial) -> Piece:
    number, factors = oriented(factor(together(coefficient)))
    inside, logs, outside = split_monomial(scale, monomial)
    top, bottom = fraction(Mul(inside, *factors))
    if top.is_Add and bottom == logs == 1 and number == -1 and any(map(_negative, top.args)):
        number, top = -number, -top
    sign, tail = "-" if number < 0 else "+", "" if outside == 1 else f" {tex(outside)}"
    if top.is_Add and bottom == logs == abs(number) == 1 and (tail or sign == "-"):
        return long_term(sign, "1", _summands(top), tail)
    whole = _fraction(_times(abs(number.p), top, logs), _times(number.q, bottom))
    if width(whole + tail) <= _WIDE:
        return Piece(sign, tail.strip() if whole == "1" and tail else whole + tail)
    return _broken_piece(sign, number, (top, bottom), logs, tail)


def _broken_piece(sign: str, number: Expr, quotient: tuple[Expr, Expr], logs: Expr, tail: str) -> Piece:
    """A long quotient with places to break: between the factors of a long denominator, inside the longest sum above."""
    top, bottom = quotient
    long = max(Mul.make_args(top), key=lambda f: len(Add.make_args(f)))
    inner = _summands(long) if long.is_Add else []
    rest, below = _parted(bottom) if width(tex(bottom)) > _WIDE / 2 else (bottom, [])
    above = top / long if inner else top
    front = _fraction(_times(abs(number.p), above, logs), _times(number.q, rest))
    more = [Piece("", power) for power in below]
    if inner:
        bracket = long_term("", "1", inner, tail)
        more += [bracket, *bracket.more]
        more[len(below)] = Piece("", bracket.body)
    elif more:
        more[-1] = Piece("", more[-1].body + tail)
    else:
        front += tail
    return Piece(sign, front, tuple(more))


def _summands(total: Expr) -> list[Piece]:
    return sorted((signed(s) for s in total.as_ordered_terms()), key=lambda piece: piece.sign == "-")


def _parted(bottom: Expr) -> tuple[Expr, list[str]]:
    """A denominator without its sums, and these with negative exponents."""
    sums = [f for f in Mul.make_args(bottom) if f.as_base_exp()[0].is_Add]
    shown = [rf"\left({tex(f.as_base_exp()[0])}\right)^{{{-f.as_base_exp()[1]}}}" for f in sums]
    return bottom / Mul(*sums), shown


def _times(number: Expr, *factors: Expr) -> Expr:
    """The product, the number not multiplied into a sum."""
    product = Mul(*factors)
    if not product.is_Add:
        return number * product
    return product if number == 1 else Mul(number, product, evaluate=False)


def _fraction(top: Expr, bottom: Expr) -> str:
    return tex(top) if bottom == 1 else rf"\frac{{{tex(top)}}}{{{tex(bottom)}}}"


def oriented(product: Expr) -> tuple[Expr, list[Expr]]:
    """The rational number in front of a product, and its factors, sums starting as a reader expects.

    >>> from sympy import symbols
    >>> a, b = symbols("a b")
    >>> oriented(-3 / (a - 1)), oriented((b - a**2) / a)
    ((3, [1/(1 - a)]), (-1, [1/a, a**2 - b]))
    """
    number, factors = product.as_coeff_mul()
    if not number.is_Rational:
        number, factors = Integer(1), (number, *factors)
    if product.is_Add:
        number, total = product.primitive()
        factors = (total,)
    turned = [_oriented_power(f) for f in factors]
    return Mul(number, *(sign for sign, _ in turned)), [f for _, f in turned]


def _oriented_power(power: Expr) -> tuple[Expr, Expr]:
    """(sign, power) of one factor; even powers cost no sign."""
    base, exponent = power.as_base_exp()
    if not (base.is_Add and exponent.is_Integer and _turned(base)):
        return Integer(1), power
    return Integer(-1) ** exponent, Pow(-base, exponent)


def _turned(total: Expr) -> bool:
    """Whether minus the sum reads better: by its constant of integration, the signs, its number, its leading term."""
    for constant in (B, C):
        if total.has(constant):
            degree = max(_degree(s, constant) for s in total.args)
            return _negative(next(s for s in total.as_ordered_terms() if _degree(s, constant) == degree))
    signs = [_negative(s) for s in total.args]
    if 2 * sum(signs) != len(signs):
        return 2 * sum(signs) > len(signs)
    number, rest = total.as_coeff_Add()
    return bool(number < 0) if number else _negative(rest.as_ordered_terms()[0])


def _degree(summand: Expr, symbol: Symbol) -> Expr:
    return summand.as_powers_dict().get(symbol, Integer(0))


def _negative(summand: Expr) -> bool:
    return bool(summand.as_coeff_Mul()[0] < 0)


def tidy(function: Expr) -> Expr:
    """A rational function with its signs as a reader expects, anything else as it is.

    >>> from sympy import Symbol
    >>> y = Symbol("y")
    >>> tidy(-y / (-(y**3) - 1))
    y/(y**3 + 1)
    """
    if not function.is_rational_function(*function.free_symbols):
        return function
    top, bottom = fraction(cancel(function))
    turned = bottom.is_Add and _turned(bottom)
    return -top / -bottom if turned else top / bottom


def map_pieces(expression: Expr, symbol: Symbol, ascending: bool) -> list[Piece]:
    """The map, its summands in rising (at 0) or falling powers, among equals the positive ones first."""
    summands = sorted(Add.make_args(expression), key=lambda s: (_negative(s), str(s)))
    summands.sort(key=lambda s: _order(s, symbol), reverse=not ascending)
    return [Piece("-", tex(-s)) if _negative(s) else Piece("+", tex(s)) for s in summands]


def _order(summand: Expr, symbol: Symbol) -> float:
    exponent = summand.as_coeff_exponent(symbol)[1]
    return float(exponent) if exponent.is_number else 0.0


def running(latex: str) -> str:
    r"""A formula for running text: a lone simple fraction with a slash, any other in text size.

    >>> running(r"\frac{1}{x}"), running(r"\frac{1}{a x_{n}}"), running(r"2 + \frac{1}{x + 1}")
    ('1/x', '1/(a x_{n})', '2 + \\tfrac{1}{x + 1}')
    """
    found = re.fullmatch(r"(-?) ?\\frac\{([^{}+-]*(?:\{\w+\}[^{}+-]*)*)\}\{([^{}+-]*(?:\{\w+\}[^{}+-]*)*)\}", latex)
    if found is None:
        return latex.replace(r"\frac", r"\tfrac")
    sign, top, bottom = found.groups()
    if bottom.isdigit() and top.isdigit():
        return rf"{sign}\tfrac{{{top}}}{{{bottom}}}"
    return f"{sign}{top}/({bottom})" if " " in bottom or r"\," in bottom else f"{sign}{top}/{bottom}"


def marked(pieces: Sequence[Piece], mark: str) -> list[Piece]:
    """Each piece with a factor in front."""
    return [replace(piece, body=f"{mark}\\,{piece.body}") for piece in pieces]


# ---- numbers as they stand in a document: long constants in groups of five digits, depths ------------------------


GROUP, GROUPS = 5, 10  # digits of a group, groups of a line
_LONGEST = 24  # digits of a depth that is written out


def digit_lines(value, digits: int) -> list[str]:
    r"""`digits` significant digits, cut into lines.

    >>> digit_lines(mpmath.mpf("-12.5"), 8), digit_lines(mpmath.mpf(10) ** -9 / 2, 3)
    (['-12.50000\\,0'], ['5.00\\cdot10^{-10}'])
    """
    with mp.workdps(digits + 5):
        text = mpmath.nstr(value, digits, strip_zeros=False, min_fixed=-2, max_fixed=20)
    mantissa, _, exponent = text.partition("e")
    whole, _, decimals = mantissa.partition(".")
    groups = [decimals[i : i + GROUP] for i in range(0, len(decimals), GROUP)]
    lines = [r"\,".join(groups[i : i + GROUPS]) for i in range(0, len(groups), GROUPS)] or [""]
    lines[0] = f"{whole}.{lines[0]}" if decimals else whole
    lines[-1] += rf"\cdot10^{{{int(exponent)}}}" if exponent else ""
    return lines


def number_rows(rows: list[tuple[str, object]], digits: int) -> str:
    """Names and numbers, aligned at the equality signs."""
    shown = []
    for name, value in rows:
        first, *others = digit_lines(value, digits)
        shown.append(" \\\\\n".join([f"{name} &= {first}", *(rf"&\phantom{{={{}}}}{other}" for other in others)]))
    return "\\begin{align*}\n" + ", \\\\\n".join(shown) + ".\n\\end{align*}"


def depth_tex(depth: int) -> str:
    """A number of steps: 10^k, m 10^k, or its digits in groups of three.

    >>> depth_tex(1000), depth_tex(10**6), depth_tex(25 * 10**8), depth_tex(123456)
    ('1000', '10^{6}', '25\\\\cdot10^{8}', '123\\\\,456')
    """
    text = str(depth)
    if len(text) <= 4:
        return text
    mantissa = text.rstrip("0")
    zeros = len(text) - len(mantissa)
    if zeros > 2:
        return (f"10^{{{zeros}}}" if mantissa == "1" else rf"{_grouped(mantissa)}\cdot10^{{{zeros}}}")
    return _grouped(text)


def _grouped(digits: str) -> str:
    """Groups of three from the right; the middle of an endless number is left out."""
    if len(digits) > _LONGEST:
        return rf"{digits[:6]}\ldots{digits[-6:]}"
    first = len(digits) % 3
    groups = [digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))]
    return r"\,".join(group for group in groups if group)


def digits_of(number) -> str:
    return digit_lines(number.evalf(15), 10)[0]


def shown(value, digits: int) -> str:
    r"""`digits` significant digits in LaTeX: 0.25335 or 4.3194 \cdot 10^{-5}."""
    if value == 0:
        return "0"
    text = mpmath.nstr(value, digits, strip_zeros=False, min_fixed=-3, max_fixed=12)
    mantissa, _, exponent = text.partition("e")
    return mantissa if not exponent else rf"{mantissa}\cdot10^{{{int(exponent)}}}"


def power_of_ten(depth: int) -> str:
    return f"10^{{{len(str(depth)) - 1}}}"
