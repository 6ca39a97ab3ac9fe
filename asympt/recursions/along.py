"""A linear recursion along a plain one: a_(n+1) = lambda(x_n) a_n + b(x_n), a_0 = v(x_0).

lambda = 1 adds b(x_n) up, lambda = G' is the derivative dx_n/dx_0 (with a forcing, the neural tangent kernel).  lambda
and b, bounded at the fixed point, are expanded there in the t of the map; `autonomous` solves a = P(t) + D H(t).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import lcm

from mpmath import mp
from sympy import Expr, Integer

from asympt.errors import UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.recursions.jumps import SPARE
from asympt.recursions.local import LocalMap, both_sides
from asympt.recursions.protocol import Dynamics, LinearPart


@dataclass(frozen=True)
class Along:
    """lambda, b and v as expressions in the symbol of the map, and the map near its fixed point."""

    local: LocalMap
    multiplier: Expr
    forcing: Expr
    initial: Expr

    def in_distance(self, expression: Expr, y: Expr = Y) -> Expr:
        """An expression in x as one in the distance y."""
        return expression.subs(self.local.symbol, self.local.fixed.outer(y))

    def root(self) -> int:
        """r for the map, lambda and b together."""
        roots = [self.local.root]
        for function in (self.multiplier, self.forcing):
            if function != 0:
                roots.append(puiseux(self.in_distance(function), Y, 3, vanishing=self.local.vanishing).root)
        return lcm(*roots)

    def coefficients(self, expression: Expr, root: int) -> Callable[[int], list[Expr]]:
        """count -> the coefficients of 1, t, t^2, ..., t = y^(1/root)."""
        return lambda count: regridded(self.in_distance(expression), root, count, self.local.vanishing)

    def dynamics(self) -> Dynamics:
        """The flow with the linear recursion along it."""
        root, local, both = self.root(), self.local, (self.multiplier, self.forcing)
        sides = [both_sides(lambda y, e=e: self.in_distance(e, y), root) for e in both]
        linear = LinearPart(
            *(self.coefficients(e, root) for e in both), self._start(),
            formulas=tuple(side["formula"] for side in sides), beyond=tuple(side["beyond"] for side in sides),
            exact_start=lambda y: self.initial.subs(local.symbol, local.fixed.outer(y)),
        )  # fmt: skip
        finer = root // local.root
        return Dynamics(
            lambda count: spread(local.ratio(-(-count // finer)), finer, count), self._step(), root=root,
            linear=linear, **local.formulas_in_t(root),
        )  # fmt: skip

    def _start(self) -> Callable:
        function = self.local.along(self.initial, "the initial value")
        return lambda y: mp.mpf(function(y))

    def _step(self) -> Callable:
        """(y, a) -> (y', lambda a + b) by the original functions."""
        factor, source = (self.local.along(e, f"the {name}") for e, name in
                          ((self.multiplier, "multiplier"), (self.forcing, "forcing")))

        def step(state: tuple) -> tuple:
            y, value = state
            by, more = factor(y), source(y)
            with mp.workprec(mp.prec + SPARE):
                value = by * value + more
            return self.local.step((y,))[0], +value

        return step


def regridded(expression: Expr, root: int, count: int, vanishing: Sequence[Expr] = ()) -> list[Expr]:
    """Coefficients of t^0, ..., t^(count-1), t = y^(1/root), of an expression in y that is bounded at 0."""
    if expression == 0:
        return [Integer(0)] * count
    series = puiseux(expression, Y, count, vanishing=vanishing)
    finer = root // series.root
    start = series.valuation * finer
    if start < 0:
        raise UnsupportedError(f"{expression} is unbounded as y -> 0; lambda and b must be bounded at the fixed point")
    return ([Integer(0)] * start + spread(series.coefficients, finer, count))[:count]


def spread(coefficients: Sequence[Expr], finer: int, count: int) -> list[Expr]:
    """The same series in a root of its variable.

    >>> spread([1, 2], 2, 4)
    [1, 0, 2, 0]
    """
    result = [Integer(0)] * count
    for index, coefficient in enumerate(coefficients):
        if index * finer < count:
            result[index * finer] = coefficient
    return result
