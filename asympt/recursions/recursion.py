"""A recursion given by a formula: x_(n+1) = G(x_n), no network needed.

Problem.  Given G and a fixed point, say how x_n reaches it.

Rule.  Expand G(x)/x at the fixed point (moved to 0).  If G'(0) = 1 and the next non-zero coefficient is
negative the recursion is parabolic and the Abel function gives the law.

Tiny case.  sin x: x_n = sqrt(3/n) (1 - 3 log(n)/(10 n) - C/(2n) + ...).

Known limits.  G must have a Taylor series with rational coefficients at the fixed point (SymPy finds it; it is
checked against G at two points before it is used), the orbit comes from above, and only parabolic recursions
have a law so far.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Symbol, lambdify, simplify, sympify

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_terms, exact, exact_coefficients, to_mpf
from asympt.recursions.dynamics import Dynamics
from asympt.recursions.inversion import depth_law, power_of
from asympt.recursions.law import Law
from asympt.recursions.parabolic import AbelFunction, T, multiplicity

STEPS = Symbol("n", positive=True)
DERIVED = 30


@dataclass(frozen=True)
class Recursion:
    """x_(n+1) = G(x_n) near a fixed point, approached from above.

    Parameters: `expression` G, a SymPy expression in `symbol`; `fixed_point`, with G(fixed_point) = fixed_point.
    Raises `InputError` when it is not one.

    >>> from sympy import Symbol, sin
    >>> x = Symbol("x", positive=True)
    >>> r = Recursion(sin(x), x)
    >>> r.kind
    'parabolic'
    >>> r.law(terms=1).rate
    1/sqrt(n)
    """

    expression: Expr
    symbol: Symbol
    fixed_point: Expr = field(default_factory=lambda: Integer(0))

    def __post_init__(self):
        object.__setattr__(self, "expression", exact_coefficients(sympify(self.expression)))
        object.__setattr__(self, "fixed_point", exact(self.fixed_point, "fixed_point"))
        others = self.expression.free_symbols - {self.symbol}
        if others:
            raise InputError(f"the map {self.expression} contains {sorted(map(str, others))}; substitute numbers first")
        image = self.expression.subs(self.symbol, self.fixed_point)
        if simplify(image - self.fixed_point) != 0:
            raise InputError(f"x = {self.fixed_point} is not a fixed point: it is mapped to {image}; give one that is")

    @cached_property
    def shifted(self) -> Expr:
        """G(fixed_point + x) - fixed_point."""
        return self.expression.subs(self.symbol, self.symbol + self.fixed_point) - self.fixed_point

    @property
    def multiplier(self) -> Expr:
        """G'(fixed_point)."""
        return simplify(self.shifted.diff(self.symbol).subs(self.symbol, 0))

    @property
    def kind(self) -> str:
        """'parabolic' (|G'| = 1), 'hyperbolic' (0 < |G'| != 1) or 'superattracting' (G' = 0)."""
        multiplier = self.multiplier
        if not multiplier.is_finite:
            raise UnsupportedError(f"the map {self.expression} has no derivative at {self.fixed_point}, so no kind")
        if multiplier == 0:
            return "superattracting"
        return "parabolic" if abs(multiplier) == 1 else "hyperbolic"

    def law(self, terms: int = 4) -> Law:
        """The law of x_n - fixed_point for large n with C = A(x_0), n counting steps from x_0."""
        terms = check_terms(terms)
        self._require_parabolic()
        growth = self._dynamics.growth(DERIVED + 1)
        self._require_attracting(growth)
        abel = AbelFunction.solve(growth, root=1)
        expansion: Expansion = depth_law(abel, STEPS, terms, power_of(1))
        quantity = "x_{n}" if self.fixed_point == 0 else f"x_{{n}}-{self.fixed_point}"
        return Law(quantity, expansion, abel, self._dynamics, reader=self._start, name="recursion")

    def taylor(self, count: int) -> list[Expr]:
        """The first `count` coefficients of G(x)/x at the fixed point, checked against G."""
        series = (self.shifted / self.symbol).series(self.symbol, 0, count).removeO()
        coefficients = [series.coeff(self.symbol, k) for k in range(count)]
        _check_series(self._function, coefficients)
        return coefficients

    @cached_property
    def _function(self):
        return lambdify(self.symbol, self.shifted, "mpmath")

    @cached_property
    def _dynamics(self) -> Dynamics:
        function = self._function
        formula = self.shifted.subs(self.symbol, T)
        return Dynamics(self.taylor, lambda state: (function(state[0]),), formula=formula)

    def _require_parabolic(self) -> None:
        if self.kind != "parabolic" or self.multiplier != 1:
            raise UnsupportedError(
                f"the recursion x -> {self.expression} is {self.kind} (G' = {self.multiplier}); only parabolic ones "
                "with G' = 1 have a law so far"
            )

    def _require_attracting(self, growth: Sequence[Expr]) -> None:
        lead = growth[multiplicity(growth)]
        if lead > 0:
            raise UnsupportedError(
                f"x = {self.fixed_point} repels orbits from above (e = {lead} x^m + ...); no law there"
            )

    def _start(self, start=None, x0=None) -> Expr:
        given = x0 if start is None else start
        if given is None:
            raise InputError("no starting value was given; pass start=..., for example start=1")
        value = exact(given, "start") - self.fixed_point
        if not value.is_number or not value >= 0:
            raise InputError(f"start = {given} is below the fixed point {self.fixed_point}; start above it")
        return value


def _check_series(function, coefficients: Sequence[Expr]) -> None:
    """SymPy's series must agree with the map numerically at a small x: never accept one without a residual.

    The residual is O(x^count), so from x = 10^-10 to 10^-12 it falls by 10^(-2 count); one order is left for slack.
    """
    with mp.workdps(400):
        far, near = (_residual(function, coefficients, mpmath.mpf(10) ** -k) for k in (10, 12))
        fall = mpmath.mpf(10) ** (-2 * (len(coefficients) - 1))
        if near > far * fall + mpmath.mpf(10) ** -380:  # 10^-380 is above the rounding
            raise UnsupportedError("the Taylor series that SymPy finds does not agree with the map; no law is derived")


def _residual(function, coefficients: Sequence[Expr], x):
    return abs(function(x) / x - mpmath.polyval([to_mpf(c) for c in reversed(coefficients)], x))
