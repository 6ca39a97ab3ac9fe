"""Stated formulas with one thing of the printed side changed: each must fail a check where the statement holds."""

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import singledispatch
from itertools import pairwise

import sympy
from sympy import Expr, MatrixExpr, MatrixSymbol, Number, Pow, Rational, S, expand, log, oo, sqrt

from asympt.claims.stated.comparisons import Agreement, Inequality, Measured, Size
from asympt.claims.stated.equalities import Equality, Evolution, Truncation
from asympt.claims.stated.kernels import StatedKernel
from asympt.claims.stated.laws import AboutNumber, LeadingTerm, Rate
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.orbits import OrbitLaw
from asympt.claims.stated.statement import Mistaken, StatedFormula

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def changes(formula: Expr) -> Iterator[Expr]:
    """The formula with its sign, a constant factor, one number in it, or one exponent changed.

    >>> from sympy import Symbol
    >>> [str(changed) for changed in changes(3 * Symbol("x") ** 2 / 8)]
    ['-3*x**2/8', '11*x**2/25', '3*x**3/8', '3*x**10/8']
    """
    found = dict.fromkeys(_changes(formula) if formula != 0 else [Rational(1, 7)])
    return (changed for changed in found if changed != formula and not changed.has(oo, -oo))


def _changes(formula: Expr) -> Iterator[Expr]:
    yield -formula
    yield formula * Rational(88, 75)
    powers = sorted((part for part in formula.atoms(Pow) if part.exp.is_Number), key=str)
    for power in powers[:2]:
        yield formula.xreplace({power: Pow(power.base, power.exp + 1)})
    for whole in sorted((n for n in formula.atoms(Number) if n.is_Integer and abs(n) > 1), key=str)[:2]:
        yield formula.xreplace({whole: whole + 8})


def swapped(formula: Expr) -> Iterator[Expr]:
    """The formula with two neighbouring letters exchanged, where that makes another one: a wrong index.

    >>> from sympy import symbols
    >>> [str(changed) for changed in swapped(symbols("a") / symbols("b"))]
    ['b/a']
    """
    for one, two in list(pairwise(sorted(formula.free_symbols, key=str)))[:3]:
        other = formula.xreplace({one: two, two: one})
        if expand(other - formula) != 0:
            yield other


@singledispatch
def changed(stated: StatedFormula) -> Iterator[StatedFormula]:
    """Neighbours with one thing in the printed side changed."""
    for side in changes(getattr(stated, stated.printed_side)):
        yield replace(stated, **{stated.printed_side: side})


@changed.register
def _(stated: Mistaken):
    yield from changed(stated.instead)


@changed.register
def _(stated: Equality):
    if isinstance(stated.right, sympy.MatrixBase):
        yield from _entries(stated)
        return
    for side in (*changes(stated.right), *(swapped(stated.right) if stated.is_open else ())):
        yield replace(stated, right=side)


def _entries(stated: Equality) -> Iterator[Equality]:
    """Every change of the first entry that is not 0, and the first row and the last exchanged."""
    entries, rows = list(stated.right), stated.right.shape[0]
    place = next(k for k, entry in enumerate(entries) if entry != 0)
    for entry in changes(entries[place]):
        right = type(stated.right)(*stated.right.shape, [*entries[:place], entry, *entries[place + 1 :]])
        yield replace(stated, right=right)
    if stated.right.row(0) != stated.right.row(rows - 1):
        yield replace(stated, right=stated.right.permute([[0, rows - 1]]))


@changed.register
def _(stated: Evolution):
    for letter, value in stated.values.items():
        for side in changes(value):
            yield replace(stated, values={**stated.values, letter: side})


@changed.register
def _(stated: Truncation):
    for side in (*changes(stated.right), *swapped(stated.right)):
        yield replace(stated, right=side)


@changed.register
def _(stated: Inequality):
    yield replace(stated, sign=OPPOSITE[stated.sign])


@changed.register
def _(stated: Measured):
    if stated.sign != "=":
        yield replace(stated, sign=OPPOSITE[stated.sign])
        return
    for side in changes(stated.right):
        yield replace(stated, right=side)


@changed.register
def _(stated: Size):
    for factor in (stated.variable, 1 / stated.variable, log(stated.variable)):
        yield replace(stated, size=stated.size * factor)


@changed.register
def _(stated: Agreement):
    printed = stated.printed
    yield replace(stated, printed=printed[:-1] + str((int(printed[-1]) + 3) % 10))
    yield replace(stated, printed=printed[1:] if printed.startswith("-") else f"-{printed}")


@changed.register
def _(stated: OrbitLaw):
    """A factor, and the last digit of the constant."""
    yield replace(stated, law=stated.law * Rational(88, 75))
    if (known := stated.constant) is not None:
        yield replace(stated, constant=replace(known, value=known.value + (3 * known.slack or 1)))


@changed.register
def _(stated: AboutNumber):
    for value in changes(stated.value):
        yield replace(stated, value=value, slack=S.Zero, printed="", elsewhere=True, theorem=False)


@changed.register
def _(stated: Rate):
    variable = stated.found.depth_variable
    for factor in (variable, 1 / variable, 1 + sqrt(abs(variable))):
        yield replace(stated, size=stated.size * factor, elsewhere=True, theorem=False)


@changed.register
def _(stated: LeadingTerm):
    for term in (*changes(stated.term), *swapped(stated.term)):
        yield replace(stated, term=term, true=None)


@changed.register
def _(stated: StatedKernel):
    for name in (item.name for item in fields(stated) if item.name in ("covariance", "kernel")):
        both = getattr(stated, name)
        for k in (0, 1) if both is not None and name not in stated.given else ():
            for side in changes(both[k]):
                yield replace(stated, **{name: tuple(side if i == k else both[i] for i in (0, 1))})
    for name in ("product", "told", "term"):
        if getattr(stated, name) is not None and name not in stated.given:
            for side in changes(getattr(stated, name)):
                yield replace(stated, **{name: side})


@changed.register
def _(stated: MatrixEquality):
    for side in _of_matrices(stated.right):
        yield replace(stated, right=side)


def _of_matrices(formula: MatrixExpr) -> Iterator[MatrixExpr]:
    """The sign, a constant, one inverse undone, and two letters of one shape exchanged."""
    if formula.is_ZeroMatrix:
        return
    yield -formula
    yield formula * Rational(88, 75)
    for inverse in sorted(formula.atoms(sympy.Inverse), key=str)[:1]:
        yield formula.xreplace({inverse: inverse.arg})
    for one, two in pairwise(sorted(formula.atoms(MatrixSymbol), key=str)):
        if one.shape == two.shape:
            yield formula.xreplace({one: two, two: one})
