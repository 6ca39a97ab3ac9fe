"""A piecewise smooth function of one variable: formulas between breakpoints.

Problem.  An activation comes as one SymPy expression with Piecewise, Abs, Max, Min, sign or Heaviside in it.  The
ladder needs its breakpoints, the jump of every derivative there, and one smooth formula on each side.

Rule.  The conditions inside the expression change only at zeros of their arguments.  Those zeros cut the line; between
two of them every condition is decided at one rational point, which leaves a formula without conditions.  A
cut at which nothing jumps, neither the formula nor a derivative, is dropped again.

Tiny case.  |x| - 1 inside Max(., 0): zeros -1, 0, 1; the pieces are -x - 1, 0, 0, x - 1, and the cut at 0 is dropped.

Known limits.  The zeros must be ones that SymPy solves for exactly, and finitely many.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from mpmath import mp
from sympy import (
    Abs,
    Expr,
    Heaviside,
    Integer,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    lambdify,
    limit,
    nsimplify,
    sign,
    simplify,
    solveset,
)
from sympy import S as SETS
from sympy.core.relational import Relational

from asympt.errors import InputError, UnsupportedError
from asympt.numbers import to_mpf

SIDES = (-1, 1)
EQUAL_TO = 12  # derivatives compared before two neighbouring formulas count as one
_CONDITIONAL = (Piecewise, Abs, Max, Min, sign, Heaviside)


@dataclass(frozen=True)
class PiecewiseSmooth:
    """`pieces[i]` between `breaks[i-1]` and `breaks[i]`; `breaks` are exact, real and increasing.

    >>> x = Symbol("x", real=True)
    >>> phi = PiecewiseSmooth.of(Max(x - 1, 0) + Abs(x), x)
    >>> phi.breaks, phi.pieces
    ((0, 1), (-x, x, 2*x - 1))
    >>> phi.jump(0, 1), phi.jump(1, 1), phi.derivative().pieces
    (2, 1, (-1, 1, 2))
    """

    symbol: Symbol
    breaks: tuple[Expr, ...]
    pieces: tuple[Expr, ...]

    @classmethod
    def of(cls, expression: Expr, symbol: Symbol) -> "PiecewiseSmooth":
        """From one expression; raises `InputError` or `UnsupportedError` when its breakpoints cannot be found."""
        return _read(expression, symbol)

    def derivative(self, n: int = 1) -> "PiecewiseSmooth":
        """The n-th derivative between the breakpoints (without the deltas at them)."""
        return PiecewiseSmooth(self.symbol, self.breaks, tuple(piece.diff(self.symbol, n) for piece in self.pieces))

    def square(self) -> "PiecewiseSmooth":
        """Its square."""
        return PiecewiseSmooth(self.symbol, self.breaks, tuple(piece**2 for piece in self.pieces))

    def scaled(self, factor: Expr) -> "PiecewiseSmooth":
        """x -> phi(factor x), factor > 0."""
        pieces = tuple(piece.subs(self.symbol, factor * self.symbol) for piece in self.pieces)
        return PiecewiseSmooth(self.symbol, tuple(point / factor for point in self.breaks), pieces)

    def side(self, index: int, side: int, order: int = 0) -> Expr:
        """The limit of the `order`-th derivative at breaks[index] from the left (side -1) or the right (+1)."""
        return self.taylor(index, side, order + 1)[order]

    def taylor(self, index: int, side: int, count: int) -> list[Expr]:
        """phi, phi', ..., phi^(count-1) at breaks[index], from one side (derivatives, not divided by factorials)."""
        piece = self.pieces[index + (side > 0)]
        return _derivatives(piece, self.symbol, self.breaks[index], side, count)

    def jump(self, index: int, order: int) -> Expr:
        """Right minus left limit of the `order`-th derivative at breaks[index]."""
        return _plain(self.side(index, 1, order) - self.side(index, -1, order))

    def jumps(self, order: int) -> tuple[Expr, ...]:
        """The jumps of the `order`-th derivative at all breakpoints."""
        return tuple(self.jump(index, order) for index in range(len(self.breaks)))

    @cached_property
    def piece_functions(self) -> tuple[Callable, ...]:
        """Every piece as a function of an mpmath number that follows mpmath's precision."""
        return tuple(lambdify(self.symbol, piece, "mpmath") for piece in self.pieces)

    @cached_property
    def numeric(self) -> Callable:
        """phi as a function of an mpmath number; at a breakpoint the right-hand value."""
        functions, breaks = self.piece_functions, self.breaks

        def value(x):
            return mp.convert(functions[sum(x >= to_mpf(point) for point in breaks)](x))

        return value

    @cached_property
    def vectorised(self) -> Callable:
        """phi as a function of a NumPy array (float64); at a breakpoint the right-hand value."""
        functions = [lambdify(self.symbol, piece, ["scipy", "numpy"]) for piece in self.pieces]
        edges = np.array([float(point) for point in self.breaks])

        def value(x):
            x = np.asarray(x, dtype=float)
            where, result = np.searchsorted(edges, x, side="right"), np.empty_like(x)
            for index, function in enumerate(functions):
                chosen = where == index
                if chosen.any():
                    with np.errstate(over="ignore", under="ignore"):
                        result[chosen] = function(x[chosen])
            return result

        return value

    def __hash__(self):
        return hash((self.symbol, self.breaks, self.pieces))


@lru_cache(maxsize=4096)
def _derivatives(piece: Expr, symbol: Symbol, point: Expr, side: int, count: int) -> list[Expr]:
    """Values of the derivatives of a piece at the end of its interval; limits where the formula is undefined there."""
    found = []
    for _ in range(count):
        value = piece.subs(symbol, point)
        if not value.is_finite:
            value = limit(piece, symbol, point, "+" if side > 0 else "-")
        found.append(_plain(value))
        piece = piece.diff(symbol)
    return found


def _plain(value: Expr) -> Expr:
    return value if value.is_Rational else simplify(value)


# ---- reading ------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _read(expression: Expr, symbol: Symbol) -> PiecewiseSmooth:
    x = Symbol(symbol.name, real=True)
    formula = expression.subs(symbol, x)
    cuts = _cuts(formula, x)
    pieces = [_resolved(formula, x, point) for point in _between(cuts)]
    return _merged(x, cuts, pieces)


def _cuts(formula: Expr, x: Symbol) -> list[Expr]:
    """The zeros of every argument on which a condition depends, in order."""
    points: set[Expr] = set()
    for argument in _arguments(formula, x):
        points |= _zeros(argument, x)
    return sorted(points, key=lambda point: point.evalf(40))


def _arguments(formula: Expr, x: Symbol) -> set[Expr]:
    """Expressions in x whose sign decides a condition ."""
    found: set[Expr] = set()
    for node in formula.atoms(*_CONDITIONAL):
        if isinstance(node, Piecewise):
            relations = set().union(*(condition.atoms(Relational) for _, condition in node.args))
            found |= {r.lhs - r.rhs for r in relations}
        elif isinstance(node, Max | Min):
            found |= {a - b for i, a in enumerate(node.args) for b in node.args[i + 1 :]}
        else:
            found.add(node.args[0])
    return {a for a in found if a.has(x)}


def _zeros(argument: Expr, x: Symbol) -> set[Expr]:
    """Real zeros of an argument; one with conditions inside is solved piece by piece."""
    if argument.has(*_CONDITIONAL):
        cuts = _cuts(argument, x)
        edges, found = [None, *cuts, None], set(cuts)
        for point, low, high in zip(_between(cuts), edges, edges[1:], strict=False):
            inside = _solved(_resolved(argument, x, point), x)
            found |= {z for z in inside if (low is None or z > low) and (high is None or z < high)}
        return found
    return _solved(argument, x)


def _solved(argument: Expr, x: Symbol) -> set[Expr]:
    if not argument.has(x):
        return set()
    zeros = solveset(argument, x, domain=SETS.Reals)
    if not zeros.is_FiniteSet and zeros is not SETS.EmptySet:
        raise UnsupportedError(
            f"the breakpoints, zeros of {argument}, could not be found exactly; write the activation as a Piecewise "
            "with numbers as breakpoints"
        )
    return {simplify(z) for z in zeros}


def _between(cuts: Sequence[Expr]) -> list[Expr]:
    """One rational point in each interval that the cuts leave."""
    if not cuts:
        return [Rational(1, 7)]
    inner = [_rational_between(a, b) for a, b in pairwise(cuts)]
    return [Integer(int(cuts[0].evalf(20)) - 2), *inner, Integer(int(cuts[-1].evalf(20)) + 2)]


def _rational_between(a: Expr, b: Expr) -> Expr:
    return nsimplify(((a + b) / 2).evalf(30), rational=True) if not (a + b).is_Rational else (a + b) / 2


def _resolved(formula: Expr, x: Symbol, point: Expr) -> Expr:
    """The formula with every condition decided as it is at `point`."""
    if not formula.has(*_CONDITIONAL):
        return formula
    if isinstance(formula, Piecewise):
        for value, condition in formula.args:
            if condition == True or condition.subs(x, point) == True:  # noqa: E712
                return _resolved(value, x, point)
        raise InputError(f"{formula} has no value at {x} = {point}; give the Piecewise a last branch (value, True)")
    parts = [_resolved(part, x, point) for part in formula.args]
    if isinstance(formula, Abs):
        return parts[0] if parts[0].subs(x, point) >= 0 else -parts[0]
    if isinstance(formula, Max | Min):
        chosen = max if isinstance(formula, Max) else min
        return chosen(parts, key=lambda part: part.subs(x, point).evalf(30))
    if isinstance(formula, sign):
        return Integer(1) if parts[0].subs(x, point) > 0 else Integer(-1 if parts[0].subs(x, point) < 0 else 0)
    if isinstance(formula, Heaviside):
        return Integer(1) if parts[0].subs(x, point) > 0 else Integer(0)
    return formula.func(*parts)


def _merged(x: Symbol, cuts: list[Expr], pieces: list[Expr]) -> PiecewiseSmooth:
    """Without the cuts at which nothing happens."""
    breaks, kept = [], [pieces[0]]
    for cut, piece in zip(cuts, pieces[1:], strict=True):
        if not _continue(kept[-1], piece, x, cut):
            breaks.append(cut)
            kept.append(piece)
    return PiecewiseSmooth(x, tuple(breaks), tuple(kept))


def _continue(left: Expr, right: Expr, x: Symbol, cut: Expr) -> bool:
    """Whether the formula on the right continues the one on the left."""
    if left == right or simplify(left - right) == 0:
        return True
    if not (left.has(x) or right.has(x)):
        return False
    below, above = (_derivatives(p, x, cut, s, EQUAL_TO) for p, s in ((left, -1), (right, 1)))
    return all(simplify(a - b) == 0 for a, b in zip(below, above, strict=True))
