"""A recursion given by a formula, x_(n+1) = G(x_n), and a_(n+1) = lambda(x_n) a_n + b(x_n), a_0 = v(x_0) along it.

    parabolic     c = 1      the Abel function:    A(y_n) = n + C            (`abel`, `abel_inversion`)
    hyperbolic    |c| < 1    the Koenigs function: S(y_n) = c^n C            (`koenigs`)
    flip          c = -1     the Abel function of the second iterate         (`flip`)
    superattracting c = 0    the Boettcher function: phi(y_n) = C^(k^n)      (`Boettcher`)

c being G' at the fixed point; everything else has no law of this form and is refused with the reason.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm

from mpmath import mp
from sympy import Expr, Integer, Symbol, latex, oo

from asympt.deadline import READING, limited
from asympt.errors import InputError, UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.printing import not_called
from asympt.numbers import as_expression, check_terms, exact, formula_in, symbol_names
from asympt.parsing import as_sympy
from asympt.recursions import fixed_points
from asympt.recursions.autonomous import (
    LogarithmicLaw,
    flip_law,
    hyperbolic_law,
    hyperbolic_linear_law,
    parabolic_law,
    parabolic_linear_law,
    require_attracting,
    superattracting_law,
)
from asympt.recursions.coordinates.koenigs import is_negative
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law import STEPS, Law
from asympt.recursions.local import SPARE, LocalMap, both_sides
from asympt.recursions.protocol import Dynamics, LinearPart
from asympt.saving import Saved


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

    def dynamics(self) -> Dynamics:
        """The flow with the linear recursion along it."""
        root, local, both = self.root(), self.local, (self.multiplier, self.forcing)
        sides = [both_sides(lambda y, e=e: self.in_distance(e, y), root) for e in both]
        initial = local.along(self.initial, "the initial value")
        linear = LinearPart(
            *((lambda count, e=e: regridded(self.in_distance(e), root, count, local.vanishing)) for e in both),
            lambda y: mp.mpf(initial(y)),
            formulas=tuple(side["formula"] for side in sides), beyond=tuple(side["beyond"] for side in sides),
            exact_start=lambda y: self.in_distance(self.initial, y),
        )  # fmt: skip
        finer = root // local.root
        return Dynamics(
            lambda count: spread(local.ratio(-(-count // finer)), finer, count), self._step(), root=root,
            linear=linear, **local.formulas_in_t(root),
        )  # fmt: skip

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


SIDES = {"above": 1, "below": -1}
SIDE_NAMES = {sign: name for name, sign in SIDES.items()}
LAWS = {
    fixed_points.PARABOLIC: parabolic_law, fixed_points.HYPERBOLIC: hyperbolic_law, fixed_points.FLIP: flip_law,
    fixed_points.LOGARITHMIC: LogarithmicLaw.of,
}  # fmt: skip


@dataclass(frozen=True)
class Recursion(Saved):
    """x_(n+1) = G(x_n) near a fixed point.

    Parameters: `expression` G, a SymPy expression in `symbol` (other symbols are parameters; declare them positive
    where the sign matters), or a text such as "x - a*x^2", whose other letters are positive parameters; `symbol`, one
    of SymPy's or its name, which may be left out where it is x or the only one; `fixed_point`, a number with
    G(fixed_point) = fixed_point, or oo; left out, it is 0 if G fixes 0 and is differentiable there, otherwise the
    attracting one is searched for (`fixed_points`); `side`, 'above' or 'below': from where the orbit approaches (at
    even steps, where it changes sides; `Law.for_start` decides it by a start).  Raises `InputError` when there is no
    such fixed point.

    >>> from sympy import Symbol, cos
    >>> x = Symbol("x")
    >>> r = Recursion("sin(x)")
    >>> r.kind, r.law(terms=1).rate
    ('parabolic', 1/sqrt(n))
    >>> print(Recursion(x + 1 / x, x).law(terms=2))
    sqrt(2)*sqrt(n) + sqrt(2)*log(n)/(8*sqrt(n)) + O(1/sqrt(n))
    >>> Recursion(cos(x), x).kind
    'hyperbolic'
    """

    expression: Expr
    symbol: Symbol = None  # type: ignore[assignment]  # the only one
    fixed_point: Expr | None = None
    side: str = "above"

    def __post_init__(self):
        expression, symbol = formula_in(self.expression, self.symbol, "the map", Symbol("x"))
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "symbol", symbol)
        if not isinstance(self.side, str) or self.side not in SIDES:
            raise InputError(f"side = {self.side!r} is unknown; the orbit comes from 'above' or from 'below'")
        if self.symbol not in self.expression.free_symbols:
            raise InputError(
                f"the map x -> {self.expression} is constant: every orbit is at {self.expression} after one step, so "
                f"there is no law; give a map that depends on {self.symbol}"
            )
        with limited(f"finding the fixed point of x -> {self.expression}", READING):
            given = self.fixed_point
            point = self._found_point() if given is None else fixed_points.checked(self.expression, self.symbol, given)
        object.__setattr__(self, "fixed_point", point)

    __call__ = not_called("r.law().evaluate(depth=n, start=x_0) is x_n, and r.expression the formula of one step")

    def _repr_latex_(self) -> str:
        image = latex(self.expression.xreplace({self.symbol: Symbol(f"{latex(self.symbol)}_{{n}}")}))
        return rf"$\displaystyle {latex(self.symbol)}_{{n+1}} = {image}$"

    @property
    def fixed(self) -> FixedPoint:
        """The fixed point and the side."""
        if self.fixed_point == -oo:
            return FixedPoint(-oo, -1)
        return FixedPoint(self.fixed_point, 1 if self.fixed_point == oo else SIDES[self.side])

    @cached_property
    def local(self) -> LocalMap:
        """The map in the distance from the fixed point."""
        return LocalMap(self.expression, self.symbol, self.fixed)

    @property
    def multiplier(self) -> Expr:
        """G'(fixed_point): the coefficient of y in the map y -> y' (0 or oo when y' is not a multiple of y)."""
        if self._kind is fixed_points.LOGARITHMIC:
            return as_sympy(1)
        if self.local.exponent == 1:
            return self.local.leading
        return as_sympy(0) if self.local.exponent > 1 else oo

    @property
    def kind(self) -> str:
        """'parabolic' (G' = 1), 'hyperbolic' (0 < |G'| < 1), 'flip' (G' = -1), 'repelling' or 'superattracting'.

        A parabolic point may attract from one side and repel from the other; `law` tells which.
        """
        return self._kind.name

    @cached_property
    def _kind(self) -> fixed_points.Kind:
        with limited(f"the first terms of x -> {self.expression} at its fixed point", READING):
            return fixed_points.kind_of(self.local)

    def _found_point(self) -> Expr:
        """0 if G fixes it and has a derivative there, else the one fixed point that attracts."""
        if self._fixes_zero():
            return as_sympy(0)
        points = fixed_points.finite_fixed_points(self.expression, self.symbol)
        candidates = [point for point in (*points, oo) if self._attracts(point)]
        if not candidates and fixed_points.draws_in_fast(self.expression, self.symbol, points):
            return oo
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            names = ", ".join(f"x = {fixed_points.shown(point)}" for point in candidates)
            raise InputError(
                f"x -> {self.expression} has several attracting fixed points: {names}; choose one by "
                f"{fixed_points.choices(candidates)}"
            )
        if self._creeps_to_zero():
            return as_sympy(0)
        raise InputError(fixed_points.nowhere(self.expression, self.symbol, points, self.side))

    def _creeps_to_zero(self) -> bool:
        """Whether orbits approach a limit G(0) = 0 with logarithms; an error where there is no law at such a limit."""
        zero = FixedPoint(as_sympy(0), SIDES[self.side])
        if not fixed_points.tends_to_zero(self.expression, self.symbol, zero.sign):
            return False
        try:
            return fixed_points.kind_of(LocalMap(self.expression, self.symbol, zero)) is fixed_points.LOGARITHMIC
        except UnsupportedError as error:
            raise UnsupportedError(
                f"x -> {self.expression} fixes 0 as a limit, but there is no law of this kind there: {error}"
            ) from None

    def _fixes_zero(self) -> bool:
        image = fixed_points.image_at(self.expression, self.symbol, as_sympy(0))
        if image.is_finite and not fixed_points.is_zero(image):
            return False
        try:
            return LocalMap(self.expression, self.symbol, FixedPoint(as_sympy(0), SIDES[self.side])).exponent >= 1
        except UnsupportedError:
            return bool(image.is_finite)

    def _attracts(self, point: Expr) -> bool:
        return fixed_points.behaviour(self.expression, self.symbol, point, SIDES[self.side]) == fixed_points.ATTRACTS

    def law(self, terms: int = 4, observable: Expr | None = None) -> Law:
        """The law of x_n for large n, n counting steps from x_0, with `terms` terms.

        Parameters
        ----------
        terms : how many terms the law has, from 1 on.
        observable : a SymPy expression in the map's symbol: the law of that function of x_n.

        Raises
        ------
        InputError : `terms` is not from 1 to 20, or the observable contains another symbol.
        UnsupportedError : the fixed point does not attract from this side, or the map has no power series there.

        Examples
        --------
        >>> print(Recursion("sin(x)").law(terms=2, observable="3/x^2"))
        n + 3*log(n)/5 + O(1)
        """
        terms = check_terms(terms)
        if self._kind is fixed_points.SUPERATTRACTING:
            return self._superattracting_law(terms, observable)
        derive, seen = LAWS.get(self._kind), self._observable(observable)
        reader = self._reader({} if seen is None or self._kind.period > 1 else {"the observable": seen.expression})
        if derive is None:
            raise UnsupportedError(f"{self._place()}: orbits leave it; {self._elsewhere()}")
        if self._kind.one_sided:
            fixed_points.require_attraction(self.expression, self.symbol, self.fixed)
        with limited(f"deriving {terms} term{'s' if terms > 1 else ''} of the law of x -> {self.expression}"):
            return derive(self.dynamics, self.fixed, terms, reader, STEPS, seen)

    def _superattracting_law(self, terms: int, observable: Expr | None) -> Law:
        """The law where y' = c y^k (1 + ...); for even k from the side to which c leads."""
        k, lead = self.local.exponent, self.local.leading
        if not k.is_Integer:
            raise UnsupportedError(f"{self._place()}: orbits reach it like C^(({k})^n), whose expansion is not derived")
        if lead.is_positive is not True and not lead.is_number:
            raise UnsupportedError(
                f"{self._place()}: the sign of {lead} is open; declare the parameters positive, as in "
                "Symbol('a', positive=True)"
            )
        if is_negative(lead):
            other = replace(self, fixed_point=self.fixed.other.point, side=SIDE_NAMES[-self.fixed.sign])
            if k % 2 == 0 and other.local.exponent == k and not is_negative(other.local.leading):
                return other.law(terms, observable)
            functions = {"the map x ->": self.expression}
            fixed_points.require_one_series(functions, self.symbol, self.fixed, f"leading term {lead}*y^{k}")
        seen = self._observable(observable)
        with limited(f"deriving {terms} term{'s' if terms > 1 else ''} of the law of x -> {self.expression}"):
            return superattracting_law(self.dynamics, self.fixed, terms, self.read_start, STEPS, seen, power=int(k))

    def linear_law(self, multiplier: Expr, forcing: Expr = 0, initial: Expr = 0, terms: int = 4) -> Law:
        """The law of a_n, where a_(n+1) = multiplier(x_n) a_n + forcing(x_n) and a_0 = initial(x_0).

        The three are SymPy expressions in the map's symbol; a multiplier of 1 adds the forcing up along the orbit.
        D is the second connection constant (`Law.second_constant`), C that of the map.  Without a forcing there is
        no law of a_0 = 0: give `initial`.

        >>> print(Recursion("x/(1 + x)").linear_law(multiplier=1, forcing="x", terms=3))
        log(n) + D + (C - 1/2)/n + O(1/n^2)
        """
        terms = check_terms(terms)
        given = {"multiplier": multiplier, "forcing": forcing, "initial": initial}
        functions = [self._function_of_x(value, name) for name, value in given.items()]
        if self._kind not in LAWS or self._kind.period > 1:
            raise UnsupportedError(f"a linear recursion along a map whose fixed point is {self.kind} is not derived")
        reader = self._reader({name: f for name, f in zip(given, functions, strict=True) if name != "initial"})
        if all(fixed_points.vanishes(function, self.symbol) for function in functions[:0:-1]):
            raise InputError(
                f"a_(n+1) = ({functions[0]}) a_n from a_0 = 0 is 0 for ever, so there is no law; give initial=..., for "
                "example initial=1, or a forcing"
            )
        with limited(f"deriving the linear law along x -> {self.expression}"):
            return self._linear_law(Along(self.local, *functions), terms, reader)

    def _linear_law(self, along: Along, terms: int, reader: Callable) -> Law:
        if self._kind.attracts:
            return hyperbolic_linear_law(along.dynamics(), terms, reader, STEPS, fixed=self.fixed)
        fixed_points.require_attraction(self.expression, self.symbol, self.fixed)
        require_attracting(self.dynamics, self.fixed)
        return parabolic_linear_law(along.dynamics(), self.fixed, terms, self.read_start, STEPS)

    def _reader(self, others: dict[str, Expr]) -> Callable:
        """What reads a start, once it is clear on which sides the series of the map and of `others` hold.

        Orbits with a negative multiplier need both sides; those of a hyperbolic map with a positive one may come in
        on either, and where the series differ there only the starts of this side are read.
        """
        if self._kind.one_sided or self.local.exponent != 1 or self.local.root != 1:
            return self.read_start
        functions = {"the map x ->": self.expression, **others}
        if is_negative(self.multiplier):
            fixed_points.require_one_series(functions, self.symbol, self.fixed, f"multiplier {self.multiplier}")
        elif self._kind.attracts and not all(
            fixed_points.one_series(f, self.symbol, self.fixed) for f in functions.values()
        ):
            return fixed_points.one_sided(self.read_start, self.dynamics, self.fixed)
        return self.read_start

    def _function_of_x(self, given, name: str) -> Expr:
        expression = self._read(given, name)
        others = expression.free_symbols - self.expression.free_symbols - {self.symbol}
        if others:
            raise InputError(f"{name} = {expression} contains {symbol_names(others)}; give a function of {self.symbol}")
        return expression

    def _read(self, given, name: str) -> Expr:
        """A formula in x and in the parameters of the map."""
        parameters = sorted(self.expression.free_symbols - {self.symbol}, key=str)
        return as_expression(given, name, self.symbol, *parameters)

    def _observable(self, observable) -> Observable | None:
        if observable is None:
            return None
        expression = self._read(observable, "the observable")
        others = expression.free_symbols - self.expression.free_symbols - {self.symbol}
        if others or not expression.has(self.symbol):
            raise InputError(f"the observable {expression} is not a function of {self.symbol}; give one such as 1/x")
        return Observable(expression, self.symbol, self.fixed)

    @cached_property
    def dynamics(self) -> Dynamics:
        """The recursion as the solvers see it."""
        local, root = self.local, 1 if self._kind is fixed_points.LOGARITHMIC else self.local.root
        return Dynamics(local.ratio, local.step, root=root, **local.formulas_in_t(root))

    def _place(self) -> str:
        return f"x = {self.fixed_point} is {self.kind} for x -> {self.expression} (G' = {self.multiplier})"

    def _elsewhere(self) -> str:
        """Other fixed points that attract, for a message."""
        try:
            points = fixed_points.finite_fixed_points(self.expression, self.symbol)
            points = [p for p in (*points, oo) if self._attracts(p)]
        except InputError:
            points = []
        if points:
            return f"attracting: {fixed_points.choices(points)}"
        return "no law there, and no attracting fixed point was found"

    def read_start(self, start=None, x0=None) -> Expr:
        """The exact distance y_0 of a starting value, given as `start` or as `x0`."""
        given = x0 if start is None else start
        if given is None:
            raise InputError("no starting value was given; pass start=..., for example start=1")
        value = exact(given, "start")
        if not value.is_number:
            raise InputError(f"start = {given} contains {symbol_names(value.free_symbols)}; give a number")
        if self.fixed.at_infinity:
            excluded, reason = as_sympy(0), "is infinitely far from infinity in 1/x, the distance that is followed"
        else:
            excluded, reason = self.fixed_point, "is the fixed point itself, where nothing moves"
        if fixed_points.is_zero(value - excluded):
            raise InputError(f"start = {given} {reason}; start elsewhere")
        return self.fixed.inner(value)
