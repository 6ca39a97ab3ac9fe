"""Reading numbers: every value from outside becomes an exact SymPy number here.

Rule.  Integers, fractions, SymPy numbers and decimal or fraction strings are taken as they are.  A float is
read as the shortest decimal that prints it (0.1 is 1/10), because that is what its author wrote; an
mpmath number is read as its exact binary value, because it was computed.  A SymPy Float counts as a float up to
Python's precision and as an mpmath number beyond.
"""

import math
import operator
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import mpmath
from sympy import Expr, Float, Integer, Rational, Symbol, Tuple, nan, oo, zoo
from sympy.core.function import AppliedUndef

from asympt.errors import InputError, NoValueError, UnsupportedError, with_remedy
from asympt.parsing import X, read_formula
from asympt.symbols import require_distinct

_SHOWN = 60  # characters of a text in a message
_HUGE_EXPONENT = re.compile(r"[eE][+-]?0*[1-9]\d{5}")  # a million digits or more: Rational would never return


def exact_point(values, name: str) -> Tuple:
    """Several exact numbers: a list of them, or a text with commas; another thing as it is.

    >>> exact_point("3/10, 0.2", "start")
    (3/10, 1/5)
    """
    values = values.split(",") if isinstance(values, str) else values
    return Tuple(*(exact(value, name) for value in values)) if isinstance(values, Sequence | Tuple) else values


def exact(value, name: str = "value") -> Expr:
    """An exact SymPy expression for `value`; `name` is used in the error message.

    >>> exact(0.1), exact("2/3"), exact("sqrt(2)")
    (1/10, 2/3, sqrt(2))
    """
    number = _read(value, name)
    if number.has(nan, oo, -oo, zoo):
        raise InputError(f"{name} = {value} is not a finite number; give a finite real number")
    if number.is_real is False:
        raise InputError(f"{name} = {value} is not real; give a real number")
    return number


def positive(value, name: str, what: str) -> Expr:
    """The exact value; `InputError` unless it is a positive number or a symbol."""
    found = exact(value, name)
    if found.is_number and not found > 0:
        raise InputError(f"{name} = {found} is not positive; give {what}")
    return found


def not_negative(value, name: str, what: str) -> Expr:
    """The exact value; `InputError` if it is a negative number."""
    found = exact(value, name)
    if found.is_number and not found >= 0:
        raise InputError(f"{name} = {found} is negative; give {what}")
    return found


def deviations_of(sigma_w, sigma_b) -> tuple[Expr, Expr]:
    """sigma_w > 0 and sigma_b >= 0, exact; symbols are left to the laws."""
    weight = positive(sigma_w, "sigma_w", "the standard deviation of the weights")
    return weight, not_negative(sigma_b, "sigma_b", "the standard deviation of the biases")


def exact_coefficients(expression: Expr) -> Expr:
    """The expression with exact numbers: SymPy's Floats of Python's precision are floats, longer ones binary values.

    >>> from sympy import Symbol
    >>> exact_coefficients(0.1 * Symbol("x"))
    x/10
    """
    floats = expression.atoms(Float)
    return expression.xreplace({f: _from_float(f, "coefficient") if f._prec <= 53 else exact(f) for f in floats})


def as_expression(given, name: str, *symbols: Symbol, parameters: bool = False) -> Expr:
    """A formula from outside as a SymPy expression with exact numbers, the only door for formulas in this package.

    A SymPy expression is taken as it is, its other symbols being parameters; a text is read in the declared `symbols`,
    the variable first (`parsing`: `parameters`), never evaluated as Python; numbers get exact; `name` is for messages

    >>> x = Symbol("x", positive=True)
    >>> as_expression("x/(1 + x)", "the map", x), as_expression(0.5, "the map", x)
    (x/(x + 1), 1/2)
    """
    if isinstance(given, str):
        return read_formula(given, *symbols, parameters=parameters)
    if not isinstance(given, Expr):
        if not hasattr(given, "__float__") and not hasattr(given, "__index__"):
            raise InputError(f"{name} = {given!r} is not a formula; give one of SymPy's or a text such as 'sin(x)'")
        return exact(given, name)
    require_distinct(given, *symbols)
    return exact_coefficients(_of_numbers(given, name))


def formula_in(given, symbol, name: str, variable: Symbol = X) -> tuple[Expr, Symbol]:
    """A formula from outside and its variable: `symbol`, or else the only free symbol, whatever is assumed of it.

    `variable` is what `symbol` given as a text, and that of a formula given as one, is assumed to be; other letters of
    such a formula are positive parameters.

    >>> formula_in("a*x*tanh(x)", None, "the map"), formula_in("u^2", None, "the map")
    ((a*x*tanh(x), x), (u**2, u))
    """
    if isinstance(symbol, str) and symbol.isidentifier():
        own = {found for found in getattr(given, "free_symbols", ()) if found.name == symbol}
        symbol = own.pop() if len(own) == 1 else Symbol(symbol, **variable.assumptions0)
    if symbol is None:
        if isinstance(given, str):
            letters = read_formula(given, variable, parameters=True).free_symbols
            return formula_in(given, letters.pop().name if len(letters) == 1 else variable, name, variable)
        free = getattr(given, "free_symbols", set()) or {variable}
        if len(free) > 1 and variable not in free:
            raise InputError(f"{name} = {given} has the symbols {symbol_names(free)}; give the variable as symbol=...")
        symbol = variable if variable in free else next(iter(free))
    return as_expression(given, name, require_symbol(symbol), parameters=True), symbol


def _of_numbers(expression: Expr, name: str) -> Expr:
    """The expression, unless a part of it stands for something that is not a number."""
    if not expression.is_commutative or expression.is_Matrix:
        raise InputError(f"{name} = {expression} is a matrix or does not commute; give a formula in commuting symbols")
    unknown = sorted({str(part.func) for part in expression.atoms(AppliedUndef)})
    if unknown:
        raise InputError(f"{name} = {expression} contains the undefined function {unknown[0]!r}; write out its formula")
    return expression


def require_symbol(symbol, name: str = "symbol") -> Symbol:
    """The symbol, if it is one of SymPy's that stands for a number.

    >>> require_symbol(Symbol("x"))
    x
    """
    if not isinstance(symbol, Symbol) or not symbol.is_commutative:
        raise InputError(f"{name} = {symbol!r} is not a symbol; give one of SymPy's, such as Symbol('x', real=True)")
    return symbol


def symbol_names(symbols) -> str:
    """Symbols by name, in order, for a sentence.

    >>> from sympy import Symbol
    >>> symbol_names({Symbol("b"), Symbol("a")})
    'a, b'
    """
    return ", ".join(sorted(map(str, symbols)))


def refuse_symbols(symbols, where: str) -> None:
    """`UnsupportedError` for symbols, which have no value; `where`, such as "the network contains"."""
    if symbols:
        raise UnsupportedError(f"{where} the symbols {symbol_names(symbols)}; give numbers to evaluate")


def is_truth(value) -> bool:
    """Whether a value is True or False, Python's or NumPy's: no number is meant by it, though Python counts with it."""
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", None) == "b"


def is_whole(value, least: int, most: int | None = None) -> bool:
    """Whether a value is an integer, Python's, NumPy's or SymPy's, from `least` to `most`.

    >>> is_whole(Integer(2), 1), is_whole(2.0, 1), is_whole(True, 1), is_whole(3, 1, 2)
    (True, False, False, False)
    """
    try:
        return not is_truth(value) and least <= operator.index(value) and (most is None or value <= most)
    except TypeError:
        return False


def check_digits(digits) -> int:
    """The number of digits, from 1 to 200."""
    if not is_whole(digits, 1, 200):
        raise InputError(f"digits = {digits} is not a whole number from 1 to 200; ask for that many significant digits")
    return int(digits)


FOLLOWED = 10**5  # layers, one after another in mpmath: minutes


def check_depth(depth, followed: bool = False) -> int:
    """The depth as a whole number of at least 1, and at most `FOLLOWED` where layer is followed after layer."""
    try:
        value = Integer(int(depth)) if is_whole(depth, 1) else exact(depth, "depth")
    except InputError as error:
        raise with_remedy(error, "depth L means layer L = 1, 2, ...") from None
    if not value.is_Integer:
        raise InputError(f"depth = {depth} is not a whole number; depth L means layer L = 1, 2, ...")
    if value < 1:
        raise InputError(f"depth = {depth} is less than 1; depth L means layer L, counted from 1")
    if followed and value > FOLLOWED:
        raise InputError(f"depth = {depth} is too deep to go layer by layer; give at most {FOLLOWED}, or take the law")
    return int(value)


def check_terms(terms) -> int:
    """The number of terms, from 1 to 20."""
    if not is_whole(terms, 1, 20):
        raise InputError(f"terms = {terms!r} is not a whole number from 1 to 20; ask for that many terms of the law")
    return int(terms)


@lru_cache(maxsize=4096)
def _to_mpf(value: Expr, precision: int):
    if value.is_Rational:
        return mpmath.mpf(int(value.p)) / int(value.q)
    if value.is_Atom and value is not nan and hasattr(value, "_as_mpf_val"):  # a constant, to any number of digits
        return mpmath.mpf(value._as_mpf_val(precision))
    found = value.evalf(precision * 3 // 10 + 10)
    if not (found.is_Float or found == 0):  # a Float that vanishes is SymPy's integer 0
        raise NoValueError(f"{value} is not a real number; give one")
    return mpmath.mpf(found._mpf_) if found != 0 else mpmath.mpf(0)


def to_mpf(value: Expr):
    """An exact SymPy number as an mpmath number at mpmath's current precision.

    >>> to_mpf(Rational(1, 4))
    mpf('0.25')
    """
    return _to_mpf(value, mpmath.mp.prec)


def _read(value, name: str) -> Expr:
    if isinstance(value, mpmath.mpf):
        return _from_mpf(value)
    if isinstance(value, Float):
        return _from_float(value, name) if value._prec <= 53 else _from_mpf(mpmath.mpf(value._mpf_))
    if isinstance(value, Expr):
        return value
    if isinstance(value, str | Decimal):
        return _from_text(str(value), name)
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    if is_truth(value) or isinstance(value, bytes | bytearray) or getattr(value, "ndim", 0) > 0:
        raise InputError(f"{name} = {value!r} is not a number; give a number such as 1/10 or 0.1")
    try:
        return Integer(operator.index(value))  # int, and NumPy's integers, which a float would round
    except TypeError:
        return _from_float(value, name)


def _from_float(value, name: str) -> Expr:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} = {value!r} is not a number; give a number such as 1/10 or 0.1") from None
    return Rational(repr(number)) if math.isfinite(number) else nan


def _from_mpf(value) -> Expr:
    if not mpmath.isfinite(value):
        return nan
    sign, mantissa, exponent, _ = value._mpf_
    return Rational((-1) ** sign * int(mantissa)) * Rational(2) ** exponent


def _from_text(text: str, name: str) -> Expr:
    """Decimals, fractions, and constants such as sqrt(2)/pi; nothing is evaluated as Python (`parsing`)."""
    stripped = text.strip()
    if stripped.lower() in {"nan", "inf", "-inf", "+inf", "oo", "-oo", "infinity", "-infinity"}:
        return nan
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    complaint = f"{name} = {shown!r} is not a number; give a number such as 1/10, 0.1 or sqrt(2)"
    if _HUGE_EXPONENT.search(stripped):
        raise InputError(complaint)
    try:
        return Rational(stripped)
    except (TypeError, ValueError, ZeroDivisionError):
        pass
    try:
        return read_formula(stripped)
    except InputError as error:
        if "^" not in text:
            raise InputError(complaint) from None
        raise with_remedy(error, f"give {name} as a number such as 1/10, 0.1 or sqrt(2)") from None
