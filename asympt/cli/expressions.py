"""Formulas in x from the command line: `asympt.parsing` with the one variable that the command line knows."""

from sympy import Expr

from asympt.parsing import FUNCTIONS, X, read_formula

__all__ = ["FUNCTIONS", "X", "read_expression"]


def read_expression(text: str) -> Expr:
    """The SymPy expression of a formula in x; `InputError` says what cannot be read.

    >>> read_expression("x - x^2/2")
    -x**2/2 + x
    """
    return read_formula(text, X)
