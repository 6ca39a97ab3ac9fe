"""What the parts of `recursions` agree on: a recursion as the solvers see it, without any algorithm.

Problem.  The derivation needs Taylor coefficients, the evaluation and the evidence need the original map.
Both must be the same recursion, so one object, `Dynamics`, holds both.

Rule.  x' = G(x), x >= 0, fixed point 0.  Put x = t^root, t = scale * tau, and expand x'/x in powers of tau.
The positive constant `scale` is free; a good choice (t's natural unit) keeps the coefficients polynomial.

Tiny case.  sin x: root 1, scale 1, x'/x = 1 - tau^2/6 + tau^4/120 - ...
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath
from sympy import EX, QQ, Expr, Integer, Rational, S

from asympt.expansions.series import Field, power
from asympt.symbols import Reserved

T = Reserved("t", positive=True)  # the uniformiser


@dataclass(frozen=True, eq=False)
class LinearPart:
    """a' = lambda(x) a + b(x): exact series of lambda and b in tau; the starting value as a function of x.

    `formulas`: (lambda, b) as closed forms in t, for whoever wants to check the series; `character`: how lambda
    compares with the flow (`transport`), None when lambda is the derivative of the map.
    """

    multiplier: Callable[[int], Sequence[Expr]]
    forcing: Callable[[int], Sequence[Expr]]
    start: Callable
    formulas: tuple[Expr, Expr] | None = None
    character: object = None


@dataclass(frozen=True, eq=False)
class Dynamics:
    """One recursion.

    ratio: count -> the first `count` coefficients of x'/x in tau (exact);
    step:  state -> next state in mpmath, a state being (x,) or, with a linear part, (x, a);
    root, scale: x = t^root and t = scale * tau;  first: the index of the starting value;
    calm:    t up to which the map may be composed with itself by interpolation (see `squaring`), None for never;
    formula: x' as a closed form in t (the symbol `T`), for whoever wants to check the series;
    costly:  whether a coefficient takes as long as thousands of steps (a Gaussian moment does), so that few are wanted.
    """

    ratio: Callable[[int], Sequence[Expr]]
    step: Callable
    root: int = 1
    scale: Expr = S.One
    first: int = 0
    linear: LinearPart | None = None
    formula: Expr | None = None
    calm: Expr | None = None
    costly: bool = False

    def uniformiser(self, x):
        """t = x^(1/root) of an mpmath number."""
        return x ** (mpmath.mpf(1) / self.root)

    def growth(self, count: int) -> list[Expr]:
        """The first `count` coefficients of e, t' = t (1 + e), exact."""
        ratio = self.ratio(count)
        field = Field.of(ratio)
        exponent = Rational(1, self.root) if field.domain is EX else QQ(1, self.root)
        return [Integer(0), *(field.leave(c) for c in power(field.enter(ratio), exponent, count)[1:])]

    @property
    def parameters(self) -> set:
        """The symbols in the map: parameters for which numbers must be given before anything can be evaluated."""
        found = set(self.scale.free_symbols)
        return found if self.formula is None else found | (self.formula.free_symbols - {T})
