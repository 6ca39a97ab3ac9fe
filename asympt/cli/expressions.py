"""Reading a formula in x safely: nothing of the text is ever evaluated as Python.

Rule.  The text is parsed into Python's syntax tree and rebuilt, node by node, from SymPy objects.  What is not in
the lists below (numbers, + - * / ^, the variable x, pi, E, and the functions of `FUNCTIONS`) is refused by name.

Example.  "x - x^2/2" gives x - x**2/2; "x.__class__" and "open(1)" are refused.
"""

import ast
from dataclasses import dataclass

from sympy import E, Expr, Max, Min, Rational, Symbol, nan, oo, pi, zoo
from sympy import functions as known

from asympt.errors import InputError

X = Symbol("x", real=True)
FUNCTIONS = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "log", "sqrt", "erf", "abs", "sign", "max", "min"),
)
_OF_TWO = {"max": Max, "min": Min}
_SPELLED = {"abs": "Abs"}
_ALIASES = {"ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctanh": "atanh", "arcsinh": "asinh"}
_NAMES = {"x": X, "pi": pi, "E": E, "e": E}
_LONGEST, _HIGHEST_POWER, _MOST_DIGITS = 300, 100, 60


def read_expression(text: str) -> Expr:
    """The SymPy expression of a formula in x; `InputError` says what cannot be read.

    >>> read_expression("x - x^2/2")
    -x**2/2 + x
    """
    if len(text) > _LONGEST:
        raise InputError(f"the expression has {len(text)} characters; {_LONGEST} at most can be read")
    return _Reader(text, text.strip().replace("^", "**")).read()


@dataclass(frozen=True)
class _Reader:
    """One text: as given, for messages, and as parsed."""

    text: str
    source: str

    def read(self) -> Expr:
        """The whole expression."""
        try:
            value = self._build(ast.parse(self.source, mode="eval").body)
        except (SyntaxError, RecursionError, MemoryError):
            raise self._error("it is not a formula") from None
        if value.has(nan, oo, -oo, zoo) or value.is_real is False:
            raise self._error("it is not finite and real")
        return value

    def _error(self, why: str) -> InputError:
        return InputError(f"cannot read {self.text!r}: {why}; write a formula in x such as 'sin(x)' or 'x - x^2/2'")

    def _build(self, node: ast.AST) -> Expr:
        """SymPy's counterpart of a node."""
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return self._number(node)
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self._build(inner)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._build(inner)
            case ast.BinOp(left=left, op=op, right=right):
                return self._combined(self._build(left), op, self._build(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._called(name, arguments)
        raise self._error(f"{ast.get_source_segment(self.source, node)!r} is not allowed")

    def _number(self, node: ast.Constant) -> Expr:
        """A decimal as the fraction that is written, digit by digit."""
        digits = ast.get_source_segment(self.source, node)
        if len(digits) > _MOST_DIGITS or abs(node.value) > 10**_MOST_DIGITS:
            raise self._error("it contains a number that is too long")
        if not set(digits) <= set("0123456789.eE+-"):
            raise self._error(f"{digits!r} is not a decimal number")
        return Rational(digits)

    def _named(self, name: str) -> Expr:
        if name in _NAMES:
            return _NAMES[name]
        if _ALIASES.get(name, name) in FUNCTIONS:
            raise self._error(f"{name} needs an argument, as in {name}(x)")
        raise self._error(f"{name!r} is unknown (the variable is x)")

    def _called(self, name: str, arguments: list) -> Expr:
        function = _ALIASES.get(name, name)
        if function not in FUNCTIONS:
            raise self._error(f"the function {name!r} is unknown (known are {', '.join(FUNCTIONS)})")
        if function in _OF_TWO:
            if len(arguments) < 2:
                raise self._error(f"{name} takes two arguments or more, as in {name}(x, 0)")
            return _OF_TWO[function](*map(self._build, arguments))
        if len(arguments) != 1:
            raise self._error(f"{name} takes one argument")
        return getattr(known, _SPELLED.get(function, function))(self._build(arguments[0]))

    def _combined(self, left: Expr, op: ast.operator, right: Expr) -> Expr:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case ast.Pow():
                return self._power(left, right)
        raise self._error("only + - * / and ^ are known")

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        """base^exponent, refused when it would be astronomically large."""
        if exponent.is_number and not (exponent.is_Rational and abs(exponent) <= _HIGHEST_POWER):
            raise self._error(f"exponents are fractions of at most {_HIGHEST_POWER} in size")
        if base.is_number and len(str(base)) > _MOST_DIGITS:
            raise self._error("it contains a number that is too long")
        return base**exponent
