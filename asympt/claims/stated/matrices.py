"""Statements about matrices of any size, in letters that do not commute.

As words both sides are polynomials in letters that do not commute: a transpose is a letter of its own (the same one
where it is `symmetric`), an inverse X^-1 one that cancels beside X.  What vanishes as words holds for every size.
In numbers every letter is a matrix of small whole numbers, in several sizes, and the difference is exact; where it is
not 0, NumPy says so as well.  Words know no identity that needs X from both sides, such as
phi (a + phi^T phi)^-1 = (a + phi phi^T)^-1 phi.

>>> from sympy import Identity as One, MatrixSymbol, Symbol
>>> n = Symbol("n", integer=True, positive=True)
>>> a, b = MatrixSymbol("A", n, n), MatrixSymbol("B", n, n)
>>> MatrixEquality((a * b).I * a, b.I).verify().verdict, MatrixEquality(a * b, b * a).verify().verdict
('proved', 'refuted')
"""

from dataclasses import dataclass, replace
from itertools import count
from random import Random

import numpy as np
import sympy
from sympy import Expr, ImmutableMatrix, Integer, MatrixExpr, MatrixSymbol, Rational, Symbol, expand
from sympy import Identity as One
from sympy.matrices.exceptions import NonInvertibleMatrixError

from asympt.claims.stated.equalities import TwoSides
from asympt.claims.stated.statement import ALGEBRA, NUMBERS
from asympt.compiling import as_function
from asympt.evidence.check import Check

SIZES = ((1, 2, 3), (2, 3, 1), (3, 2, 2), (2, 2, 2))  # of the dimensions in the order of their names
ROUNDS = 12  # of cancelling
SINGULAR = "the inverted matrix is singular"
LEAST, FAR = 1e-6, 1e9  # of float64: what counts as 0, and the inverse of what is singular
Sizes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MatrixEquality(TwoSides):
    """left = right for all matrices of the shapes of their letters, in all sizes.

    `symmetric`: letters that are; `where`: definitions of letters, as for an identity; `sizes`: values of the
    dimensions in the order of their names; `true`: the statement put right.
    """

    left: MatrixExpr
    right: MatrixExpr
    symmetric: tuple[MatrixSymbol, ...] = ()
    where: tuple[tuple[MatrixSymbol, MatrixExpr], ...] = ()
    sizes: Sizes = SIZES
    true: "MatrixEquality | None" = None

    def checks(self) -> tuple[Check, ...]:
        rest = self.left - self.right
        for letter, value in self.where:
            rest = rest.xreplace({letter: value})
        numbers = self._numbers(rest)
        if not numbers.passed:
            return (numbers, self._in_floats(rest))
        if Words(self.symmetric).normal(rest) != 0:
            return (numbers,)
        name = "left minus right as words in letters that do not commute, any size"
        return (Check(name, 0, 0, True, "proved"), replace(numbers, strength="proved"))

    def _given(self, rest: MatrixExpr) -> list[dict[Symbol, int]]:
        """The dimensions that are tried."""
        parts = (rest, *rest.atoms(MatrixSymbol))
        names = sorted(set().union(*(size.free_symbols for part in parts for size in part.shape)), key=str)
        return [dict(zip(names, map(Integer, sizes), strict=False)) for sizes in self.sizes] if names else [{}]

    def _numbers(self, rest: MatrixExpr) -> Check:
        """The difference in whole numbers, size by size."""
        title, tried = "largest entry of left minus right in exact matrices", self._given(rest)
        for given in tried:
            try:
                made = rest.xreplace(given | _values(rest, given, self.symmetric, 1)).doit()
                found = max(map(abs, made if isinstance(made, ImmutableMatrix) else made.as_explicit()))
            except NonInvertibleMatrixError:
                found = SINGULAR
            if found != 0:
                return Check(title, str(found), 0, False, "checked", _shown(given) or "all sizes", route=ALGEBRA)
        return Check(title, 0, 0, True, "checked", "; ".join(map(_shown, tried)) or "numbers")

    def _in_floats(self, rest: MatrixExpr) -> Check:
        """The largest entry over all sizes by NumPy, in other matrices; an inverse of rounding errors is none."""
        found = [_largest(rest, given, self.symmetric) for given in self._given(rest)]
        name, largest = "largest entry of left minus right in other matrices, by NumPy", max(found)
        figure = f"{largest:.6g}" if largest < FAR else SINGULAR
        return Check(name, figure, LEAST, bool(largest <= LEAST), route=NUMBERS)


def _shown(given: dict[Symbol, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in given.items())


def _values(formula: MatrixExpr, sizes: dict, symmetric: tuple, seed: int) -> dict:
    """Matrices of small whole numbers for the letters; a scalar letter is a fraction."""
    draw, rank, values = Random(seed), count(seed), {}
    for letter in sorted(formula.atoms(MatrixSymbol), key=str):
        shape = [int(size.subs(sizes)) for size in letter.shape]
        entries = ImmutableMatrix(*shape, lambda i, j: draw.randint(-9, 9))
        values[letter] = entries + entries.T if letter in symmetric else entries
    scalars = formula.free_symbols - set(sizes) - set(formula.atoms(MatrixSymbol))
    for letter in sorted(scalars, key=str):
        values[letter] = Rational(next(rank) + 3, 3)  # not 1
    return values


def _largest(formula: MatrixExpr, sizes: dict, symmetric: tuple) -> float:
    values = _values(formula, sizes, symmetric, 2)
    matrices = {letter.xreplace(sizes): np.array(value, float) for letter, value in values.items() if letter.is_Matrix}
    scalars = {letter: value for letter, value in values.items() if not letter.is_Matrix}
    function = as_function(list(matrices), formula.xreplace(sizes | scalars), "numpy")
    try:
        return float(np.abs(function(*matrices.values())).max())
    except np.linalg.LinAlgError:
        return np.inf


class Words:
    """Matrix expressions as polynomials in letters that do not commute."""

    def __init__(self, symmetric: tuple[MatrixSymbol, ...]):
        self.symmetric = symmetric
        self.inverses: dict[Symbol, Expr] = {}

    def normal(self, formula: MatrixExpr) -> Expr:
        """The polynomial with what is inverse to each other cancelled."""
        found = expand(self.of(formula.doit()))
        for _ in range(ROUNDS):
            before = found
            for inverse, inside in self.inverses.items():
                found = expand(_cancelled(found, inverse, inside))
            if found == before:
                return found
        return found

    def of(self, formula: MatrixExpr) -> Expr:
        """As a word or a sum of words."""
        if isinstance(formula, MatrixSymbol):
            return Symbol(formula.name, commutative=False)
        if isinstance(formula, sympy.Inverse):
            return self._inverse(formula.arg)
        if isinstance(formula, sympy.Transpose):
            return self._transposed(formula)
        if isinstance(formula, One | sympy.ZeroMatrix):
            return Integer(int(isinstance(formula, One)))
        parts = [part if not isinstance(part, MatrixExpr) else self.of(part) for part in formula.args]
        if isinstance(formula, sympy.MatAdd | sympy.MatMul):
            return sum(parts, Integer(0)) if isinstance(formula, sympy.MatAdd) else sympy.prod(parts)
        raise NotImplementedError(f"{formula} is not a sum or product")

    def _transposed(self, formula: sympy.Transpose) -> Expr:
        inside = formula.arg
        if isinstance(inside, MatrixSymbol):
            return self.of(inside) if inside in self.symmetric else Symbol(f"{inside.name}^T", commutative=False)
        return self._inverse(inside.arg.T.doit())  # of an inverse; products are taken apart by `doit`

    def _inverse(self, inside: MatrixExpr) -> Expr:
        word = expand(self.of(inside.doit()))
        letter = Symbol(f"({word})^-1", commutative=False)
        self.inverses[letter] = word
        return letter


def _cancelled(formula: Expr, inverse: Symbol, inside: Expr) -> Expr:
    """With w X^-1 = (1 - r X^-1)/c for the longest word of X = c w + r, and the same from the left."""
    terms = inside.as_ordered_terms()
    longest = max(terms, key=lambda term: len(term.args_cnc()[1]))
    numbers, letters = longest.args_cnc()
    factor, word = sympy.prod(numbers), sympy.prod(letters)
    rest = inside - longest
    formula = expand(formula.subs(word * inverse, (1 - rest * inverse) / factor))
    return formula.subs(inverse * word, (1 - inverse * rest) / factor)
