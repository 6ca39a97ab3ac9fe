"""Reading formulas safely: nothing of a text is ever evaluated as Python, as SymPy's own readers do.

The text is parsed into Python's syntax tree and rebuilt from SymPy objects; what is not listed below is refused by
name. Constants are measured before they are built: exp(exp(exp(100))) has no digits that a computer could hold.
"""

import ast
import re
import warnings
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from sympy import E, Expr, Max, Min, Mul, Rational, Symbol, SympifyError, nan, oo, pi, preorder_traversal, sympify, zoo
from sympy import functions as known

from asympt.deadline import READING, limited
from asympt.errors import InputError
from asympt.spelling import near

X = Symbol("x", real=True)
FUNCTIONS = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "log", "sqrt", "erf", "abs", "sign", "max", "min"),
)
_OF_TWO = {"max": Max, "min": Min}
_SPELLED = {"abs": "Abs"}
_ALIASES = {"ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctanh": "atanh", "arcsinh": "asinh"}
_TYPESET = str.maketrans("\u2212\u00b7\u22c5\u00d7{}", "-***()", "\\")  # as they are pasted
_RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+")  # a power such as x\u00b2
_DEFINED = {"relu": "max(@, 0)", "sigmoid": "1/(1 + exp(-@))", "softplus": "log(1 + exp(@))"}
_CONSTANTS = {"pi": pi, "\u03c0": pi, "E": E, "e": E}
_PARAMETER = re.compile(  # not a step n, k, l, L, an x beside another variable, nor the i, j, I of complex numbers
    r"[^\W\d_ijklnxILX](_?\d+)?|(alpha|beta|gamma|delta|epsilon|eta|theta|kappa|mu|nu|rho|sigma|tau|omega)(_?\w)?"
)
_GROWING = ("exp", "sinh", "cosh")
_PARTIAL = tuple(getattr(known, name) for name in ("log", "asin", "acos", "acosh", "atanh"))  # not real everywhere
_LONGEST, _HIGHEST_POWER, _MOST_DIGITS, _MOST_BITS = 300, 100, 60, 10_000


def read_formula(text: str, *symbols: Symbol, parameters: bool = False, sequence: type | None = None) -> Expr:
    """The SymPy expression of a formula in the declared symbols, the variable first; none of them: a constant.

    `parameters`: other letters, such as a, b_1 and alpha, are positive symbols; `sequence`: a function a, for a(n + 1).
    `InputError` says what cannot be read.

    >>> x = Symbol("x")
    >>> read_formula("x - a*x^2/2", x, parameters=True), read_formula("sqrt(2)/pi")
    (-a*x**2/2 + x, sqrt(2)/pi)
    """
    if len(text) > _LONGEST:
        raise InputError(f"the expression has {len(text)} characters, too many to read; give one of at most {_LONGEST}")
    source = _RAISED.sub(lambda power: f"^({normalize('NFKC', power[0])})", text.strip().translate(_TYPESET))
    with limited(f"reading {text!r}", READING):
        return _Text(text, source.replace("^", "**"), symbols, parameters, sequence).read()


@dataclass(frozen=True)
class _Text:
    """One text: as given, for messages, and as parsed, with the symbols that may occur in it."""

    text: str
    source: str
    symbols: tuple[Symbol, ...]
    parameters: bool
    sequence: type | None
    partial: dict[Expr, Expr] = field(default_factory=dict)

    def read(self) -> Expr:
        """The whole expression; whether a constant is finite and real is for the caller to say."""
        value = self._built(self._parsed())
        if not self.symbols:
            return value
        if value.has(nan, oo, -oo, zoo) or value.is_real is False:
            raise self._error("it is not finite and real")
        self._require_domain(value)
        return value

    def _require_domain(self, value: Expr) -> None:
        """An error where SymPy cancelled a part that is not real everywhere: the domain is that of what was written."""
        kept = [(part, restricts(part)) for part in preorder_traversal(value) if restricts(part) is not None]

        def gone(part: Expr, e: Expr, is_root: bool) -> bool:
            everywhere = not e.free_symbols or e.is_positive or (is_root and e.is_nonnegative)
            return not everywhere and not any(_constant(e / b) and _is_stricter(other, part) for other, b in kept)

        for part, argument in self.partial.items():
            is_root = part.is_Pow and part.exp.is_positive
            if gone(part, argument, is_root) and any(gone(part, one, is_root) for one in Mul.make_args(argument)):
                raise self._error(f"{part} cancels, but not where it has no real value; write it simplified")

    def _parsed(self) -> ast.AST:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the parser's remarks about strange literals
                return ast.parse(self.source, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            matched = self.text.count("(") == self.text.count(")")
            why = "it is not a formula (products need *, as in 2*x, and functions brackets, as in tanh(x))"
            why = "it is an equation; give its right side alone" if "=" in self.source else why
            why = why if self.source else "the text is empty"
            raise self._error(why if matched else "its brackets do not match") from None

    def _built(self, tree: ast.AST) -> Expr:
        try:
            return self._build(tree)
        except InputError:
            raise
        except RecursionError:
            raise self._error("it is nested too deeply") from None
        except (ArithmeticError, TypeError, ValueError):  # SymPy's own refusals, such as max(x, sqrt(-1))
            raise self._error("it is not finite and real") from None

    def _error(self, why: str) -> InputError:
        if not self.symbols:
            return InputError(f"cannot read {self.text!r}: {why}; write a number such as 1/10, 0.1 or sqrt(2)")
        x = self.symbols[0] if self.sequence is None else self.sequence(self.symbols[0])
        return InputError(
            f"cannot read {self.text!r}: {why}; write a formula in {x} such as 'sin({x})' or '{x} - {x}^2/2'"
        )

    def _build(self, node: ast.AST) -> Expr:
        """SymPy's counterpart of a node, of a size that can be computed with."""
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return self._number(node)
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self._part(inner)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._part(inner)
            case ast.BinOp(left=left, op=op, right=right):
                return self._measured(self._combined(self._part(left), op, self._part(right)))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._measured(self._called(name, arguments))
            case ast.Tuple():
                raise self._error("decimals have a point, as in 0.5, not a comma")
        raise self._error(f"{ast.get_source_segment(self.source, node)!r} is not allowed")

    def _part(self, node: ast.AST) -> Expr:
        """A part of a formula, which is real: sqrt(-4)^2 is not -4."""
        if (value := self._build(node)).is_extended_real is False:
            raise self._error("it is not finite and real")
        return value

    def _number(self, node: ast.Constant) -> Expr:
        """A decimal as the fraction that is written, digit by digit."""
        digits = ast.get_source_segment(self.source, node)
        exponent = digits.lower().partition("e")[2].lstrip("+-0")
        if len(digits) > _MOST_DIGITS or len(exponent) > 3 or abs(node.value) > 10**_MOST_DIGITS:
            raise self._error("it contains a number that is too long")
        if not set(digits) <= set("0123456789.eE+-"):
            raise self._error(f"{digits!r} is not a decimal number")
        return Rational(digits)

    def _named(self, name: str) -> Expr:
        for symbol in self.symbols:
            if name == symbol.name:
                return symbol
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if _ALIASES.get(name, name) in FUNCTIONS:
            raise self._error(f"{name} needs an argument, as in {name}({self.symbols[0] if self.symbols else 2})")
        if self.parameters and _PARAMETER.fullmatch(name):
            return Symbol(name, positive=True)
        known = [symbol.name for symbol in self.symbols]
        listed = f"; known: {', '.join(known)}" if known else ""
        raise self._error(f"{name!r} is unknown{near(name, known)}{listed}")

    def _called(self, name: str, arguments: list) -> Expr:
        function = _ALIASES.get(name, name)
        if name in _DEFINED and len(arguments) == 1:
            written = _DEFINED[name].replace("@", f"({ast.get_source_segment(self.source, arguments[0])})")
            inner = replace(self, source=written)
            return inner._build(inner._parsed())
        if self.sequence is not None and name == self.sequence.__name__ and len(arguments) == 1:
            return self.sequence(self._build(arguments[0]))
        if function not in FUNCTIONS:
            raise self._error(f"the function {name!r} is unknown (known are {', '.join(FUNCTIONS)})")
        if function in _OF_TWO:
            if len(arguments) < 2:
                raise self._error(f"{name} takes two arguments or more, as in {name}(x, 0)")
            return _OF_TWO[function](*map(self._part, arguments))
        if len(arguments) != 1:
            raise self._error(f"{name} takes one argument")
        argument = self._part(arguments[0])
        if function in _GROWING and argument.is_number and _bits(argument) > _MOST_BITS.bit_length():
            raise self._error(f"{name} of a number of this size is too large")
        function = getattr(known, _SPELLED.get(function, function))
        self._noted(function(argument, evaluate=False))  # as it is written: sqrt(x^2) comes out as |x|
        return function(argument)

    def _noted(self, part: Expr) -> Expr:
        """The part, its argument kept in mind where it is not real everywhere."""
        argument = restricts(part)
        if argument is not None and argument.free_symbols:
            self.partial[part] = argument
        return part

    def _combined(self, left: Expr, op: ast.operator, right: Expr) -> Expr:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left * self._noted(1 / right)
            case ast.Pow():
                return self._power(left, right)
        raise self._error("only + - * / and ^ are known")

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        """base^exponent, refused when it would be astronomically large."""
        if exponent.is_number and not (exponent.is_Rational and abs(exponent) <= _HIGHEST_POWER):
            raise self._error(f"exponents are fractions of at most {_HIGHEST_POWER} in size")
        if base.is_number and len(str(base)) > _MOST_DIGITS:
            raise self._error("it contains a number that is too long")
        return self._noted(base**exponent)

    def _measured(self, value: Expr) -> Expr:
        """The value, unless it is a constant beyond 2^(+-10000)."""
        if value.is_number and abs(_bits(value)) > _MOST_BITS:
            raise self._error("it contains a number that is too large or too small")
        return value


def _bits(value: Expr) -> int:
    """The binary logarithm of a constant's size, roughly; 0 for zero and for what is not a number."""
    digits = value.evalf(5)
    parts = [part for part in digits.as_real_imag() if part.is_Float and part != 0]
    return max((part._mpf_[2] + part._mpf_[3] for part in parts), default=0)


def restricts(part: Expr) -> Expr | None:
    """What must not be 0, or not be negative, for a part to be real, if there is such a thing."""
    if part.is_Pow:
        return None if part.exp.is_Integer and part.exp > 0 else part.base
    return part.args[0] if isinstance(part, _PARTIAL) else None


def _is_stricter(kept: Expr, part: Expr) -> bool:
    """Whether a power that is kept has no value at base 0 where another has none: x^(n + 1) is 1 at 0 for n = -1."""
    if not (kept.is_Pow and kept.exp.free_symbols):
        return True
    signs = (part.exp - kept.exp).is_nonnegative, part.exp.is_nonnegative, (part.exp / kept.exp).is_positive
    return part.is_Pow and any(signs)


def _constant(ratio: Expr) -> bool:
    return not ratio.free_symbols or not ratio.cancel().free_symbols


def as_sympy(value) -> Expr:
    """What is a number or an expression already, in SymPy's own type; a text is no such thing and is refused.

    >>> as_sympy(2) / 3
    2/3
    """
    try:
        return sympify(value, strict=True)
    except SympifyError:
        raise InputError(f"{value!r} is neither a number nor a SymPy expression; give one of them") from None
