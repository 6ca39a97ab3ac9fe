"""A piecewise smooth function of one variable: formulas between breakpoints, exact jumps of every derivative there.

Bends.  tanh(10^6 x) is a step to every rule whose nodes are further apart than 10^-6: two of them agree, and both are
wrong.  A function of a x + b happens around -b/a on the scale 1/|a|; there intervals and panels begin.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from sympy import Expr, Function, Integer, Poly, Rational, Symbol

from asympt.gaussian.breakpoints import holes, read
from asympt.gaussian.onesided import derivatives, plain
from asympt.gaussian.stable import in_arb, in_mpmath, in_numpy
from asympt.numbers import to_mpf

# ---- where a formula bends ---------------------------------------------------------------------------------------


STEEP = 4  # sqrt(q) times the slope inside a function of phi from which on its centre is an end of intervals


@lru_cache(maxsize=512)
def bends(piece: Expr, x: Symbol) -> tuple[tuple[Expr, float], ...]:
    """(place, scale) where a function in the formula has its centre: -b/a and |a| for tanh(a x + b).

    >>> from sympy import tanh
    >>> bends(tanh(100 * Symbol("x") - 50), Symbol("x"))
    ((1/2, 100.0),)
    """
    found = {}
    for inner in {argument for function in piece.atoms(Function) for argument in function.args}:
        inside = Poly(inner, x) if inner.is_polynomial(x) and inner.has(x) else None
        if inside is not None and inside.degree() <= 2:
            lead, middle = inside.coeff_monomial(x**2), inside.coeff_monomial(x)
            place = -middle / (2 * lead) if lead else -inside.coeff_monomial(1) / middle
            found[place] = max(found.get(place, 0.0), float(abs(lead) ** Rational(1, 2) if lead else abs(middle)))
    return tuple(found.items()) or ((Integer(0), 1.0),)


@dataclass(frozen=True)
class PiecewiseSmooth:
    """`pieces[i]` between `breaks[i-1]` and `breaks[i]`; `breaks` are exact, real and increasing.

    >>> from sympy import Abs, Max
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
        return cls(*read(expression, symbol))

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
        return list(derivatives(piece, self.symbol, self.breaks[index], side, count))

    def jump(self, index: int, order: int) -> Expr:
        """Right minus left limit of the `order`-th derivative at breaks[index]."""
        return plain(self.side(index, 1, order) - self.side(index, -1, order))

    def jumps(self, order: int) -> tuple[Expr, ...]:
        """The jumps of the `order`-th derivative at all breakpoints."""
        return tuple(self.jump(index, order) for index in range(len(self.breaks)))

    @cached_property
    def piece_functions(self) -> tuple[Callable, ...]:
        """Every piece as a function of an mpmath number that follows mpmath's precision."""
        return tuple(in_mpmath(piece, self.symbol, self._holes(i)) for i, piece in enumerate(self.pieces))

    @cached_property
    def ball_functions(self) -> tuple[Callable, ...]:
        """Every piece as a function of one of Arb's numbers: ten times as fast."""
        both = zip(self.pieces, self.piece_functions, strict=True)
        return tuple(in_arb(piece, self.symbol, exactly) for piece, exactly in both)

    @cached_property
    def numeric(self) -> Callable:
        """phi as a function of an mpmath number; at a breakpoint the right-hand value."""
        functions, breaks = self.piece_functions, self.breaks

        def value(x):
            return functions[sum(x >= to_mpf(point) for point in breaks)](x)

        return value

    @cached_property
    def vectorised(self) -> Callable:
        """phi as a function of a NumPy array (float64), right to 1e-14; at a breakpoint the right-hand value."""
        edges = np.array([float(point) for point in self.breaks])
        limits = [-np.inf, *edges, np.inf]
        functions = [
            in_numpy(piece, self.symbol, self._holes(i), limits[i], limits[i + 1])
            for i, piece in enumerate(self.pieces)
        ]

        def value(x):
            x = np.asarray(x, dtype=float)
            if len(functions) == 1:
                return functions[0](x)
            where, result = np.searchsorted(edges, x, side="right"), np.empty_like(x)
            for index, function in enumerate(functions):
                chosen = where == index
                if chosen.any():
                    result[chosen] = function(x[chosen])
            return result

        return value

    def _holes(self, index: int) -> dict[Expr, Expr]:
        """Points of a piece at which its formula reads 0/0, with the limits there."""
        left = self.breaks[index - 1] if index > 0 else None
        right = self.breaks[index] if index < len(self.breaks) else None
        found = {}
        for point in holes(self.pieces[index], self.symbol):
            if (left is None or point >= left) and (right is None or point <= right):
                side = -1 if point == right else 1
                found[point] = derivatives(self.pieces[index], self.symbol, point, side, 1)[0]
        return found

    def __hash__(self):
        return hash((self.symbol, self.breaks, self.pieces))
