"""From a formula to a Python function, so that no name in it is ever run as code.

`lambdify` executes source text, names included.  So every symbol is renamed first, and a function is compiled only if
SymPy or this package defines it, or if the caller supplies it in `modules`.
"""

from collections.abc import Callable, Sequence
from functools import wraps

from mpmath.libmp import NoConvergence
from sympy import Add, Basic, Dummy, Expr, Function, MatrixSymbol, Symbol, default_sort_key, lambdify
from sympy.printing.pycode import MpmathPrinter

from asympt.errors import AsymptError, InputError, NoValueError

_DEFINED = ("sympy.", "asympt.")
_AS_LAMBDIFY = {"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True}
_WIDE = 100  # terms of a sum that is compiled in one piece


def as_function(symbols: Symbol | Sequence[Symbol], formula, modules="mpmath", cse: bool = False) -> Callable:
    """`formula`, an expression or a list of them, as a function of `symbols`; arguments as in `lambdify`.

    Raises `InputError` for a function that nobody has defined; the result does, when the formula has other symbols.

    >>> x = Symbol("open('f', 'w')")
    >>> as_function(x, x**2 + 1)(3)
    10
    """
    arguments = [symbols] if isinstance(symbols, Basic) else list(symbols)
    parts = formula if isinstance(formula, list | tuple) else [formula]
    _require_defined(parts, modules)
    if others := set().union(*(part.free_symbols for part in parts)) - set(arguments):
        return _without_values(others)
    known = sorted(set(arguments).union(*(part.atoms(Symbol) for part in parts)), key=default_sort_key)
    # in this order, so that sums keep theirs
    names = {s: Dummy("v", **s.assumptions0) if s.is_Symbol else MatrixSymbol(Dummy().name, *s.shape) for s in known}
    renamed = [part.xreplace(names) for part in parts]
    shown = renamed if isinstance(formula, list | tuple) else renamed[0]
    printer = _Grouped(_AS_LAMBDIFY) if "mpmath" in _listed(modules) else None
    function = lambdify([names[symbol] for symbol in arguments], shown, modules, printer=printer, cse=cse)
    function = function if printer is None else valued(function)
    function.made_by = as_function, (symbols, formula, modules, cse)  # for `saving`: pickle knows no compiled function
    return function


def valued(function: Callable) -> Callable:
    """The same function in mpmath's arithmetic, with a `NoValueError` where that has no value.

    mpmath says so by errors of Python's that a fault of this package would raise as well: 1/0, log(0), gamma(-1), a
    number that is too large, a complex number that is compared.  Nobody else has to tell the two apart.

    >>> valued(lambda x: 1 / x)(0)
    Traceback (most recent call last):
        ...
    asympt.errors.NoValueError: division by zero
    """

    @wraps(function)
    def value(*given):
        try:
            return function(*given)
        except AsymptError:
            raise
        except (ArithmeticError, ValueError, NoConvergence) as error:
            reason = "division by zero" if isinstance(error, ZeroDivisionError) else "there is no such number"
            raise NoValueError(str(error) or reason) from None
        except TypeError as error:
            if not any(kind in str(error) for kind in ("mpc", "complex")):  # a complex number that is compared
                raise
            raise NoValueError(str(error)) from None

    return value


class _Grouped(MpmathPrinter):
    """Sums of very many terms in brackets of a few: Python compiles no sum that is nested as deep as it is long."""

    def _print_Add(self, expr, order=None):
        terms = expr.args
        if len(terms) <= _WIDE:
            return super()._print_Add(expr, order)
        parts = (Add(*terms[k : k + _WIDE], evaluate=False) for k in range(0, len(terms), _WIDE))
        return f"({' + '.join(f'({self._print(part)})' for part in parts)})"


def _require_defined(parts: Sequence[Expr], modules) -> None:
    supplied = set().union(*(module for module in _listed(modules) if isinstance(module, dict)))
    for call in set().union(*(part.atoms(Function) for part in parts)):
        kind, name = type(call), type(call).__name__
        defined = (kind.__module__ or "").startswith(_DEFINED) or hasattr(kind, "_imp_") or name in supplied
        if not defined:
            raise InputError(f"the function {name!r} is undefined, so it has no values; write out its formula")


def _listed(modules) -> Sequence:
    return modules if isinstance(modules, list | tuple) else [modules]


def _without_values(symbols: set) -> Callable:
    def refuse(*_arguments):
        shown = ", ".join(sorted(map(str, symbols)))
        raise InputError(f"a formula with the symbols {shown} has no values; give numbers for them")

    return refuse
