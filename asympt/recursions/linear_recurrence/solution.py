"""Linear recursions whose coefficients are given as functions of the layer: a_l = lambda_l a_(l-1) + b_l.

lambda_l and b_l are sums of c l^(-p) log(l)^j, p rational, c with parameters, which are taken as generic.  Every
solution is a_l = P(l) + D H(l), D a free constant that depends on the start; P carries no pure multiple of the power
with which H starts, which normalises D.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mpmath
import numpy as np
from mpmath import mp
from sympy import Add, Expr, Integer, Mul, Rational, Symbol, expand, log, nan, oo, zoo

from asympt.deadline import limited
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.printing import latex_expr
from asympt.numbers import (
    as_expression,
    check_depth,
    check_digits,
    check_terms,
    exact,
    require_symbol,
    symbol_names,
    to_mpf,
)
from asympt.recursions import evaluation
from asympt.recursions.agreement import DEEPER, FINER, LONGER, Route
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.linear_recurrence.solver import (
    Elimination,
    Homogeneous,
    NumberField,
    Problem,
    Series,
    homogeneous,
    homogeneous_parts,
    normalised,
    particular,
)
from asympt.recursions.protocol import MOVES, Coordinate, Step
from asympt.showing import one_line
from asympt.symbols import named, require_distinct

GUARD = 15  # digits carried beyond those that a result must have
SMALLER = "smaller than every power"
MOST_STEPS = 200_000
FIRST_LAYER = 64


# ---- P and H in numbers -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NumericSeries:
    """sum_k l^(-k/grid) q_k(log l), cut off at the order `last`."""

    grid: int
    series: Series
    last: int = 0

    @cached_property
    def _falling(self) -> list:
        return sorted(self.series.items(), reverse=True)

    @cached_property
    def has_logs(self) -> bool:
        """Whether log l occurs."""
        return any(len(q) > 1 for q in self.series.values())

    def at(self, layer: int):
        """The value by Horner's rule, the highest order first."""
        return self.summed(*place(self.grid, layer, self.has_logs))

    def summed(self, inverse, logarithm):
        """The value from l^(-1/grid) and log l."""
        total, last = mpmath.mpf(0), None
        for k, polynomial in self._falling:
            value = mpmath.polyval(polynomial[::-1], logarithm) if len(polynomial) > 1 else polynomial[0]
            if last is not None:
                value = value + total * (inverse if last - k == 1 else inverse ** (last - k))
            total, last = value, k
        return total * inverse**last if last else total

    def tail(self, layer: int):
        """The last two powers of l before the cut at this layer, relative to the largest order there."""
        sizes = {k: abs(NumericSeries(self.grid, {k: q}).at(layer)) for k, q in self.series.items()}
        late = max((size for k, size in sizes.items() if k >= self.last - 2 * self.grid), default=0)
        return late / max(sizes.values(), default=1)


def place(grid: int, layer: int, logs: bool) -> tuple:
    """l^(-1/grid), and log l if it is needed."""
    inverse = 1 / mpmath.mpf(layer)
    if grid > 1:
        inverse = mp.sqrt(inverse) if grid == 2 else mp.root(inverse, grid)
    return inverse, mp.log(layer) if logs else None


@dataclass(frozen=True, eq=False)
class NumericSolution:
    """P and H = base^l exp(growth) relative in numbers, good from layer `accurate_from` on; no `base`: no H."""

    particular: NumericSeries
    base: object
    growth: NumericSeries
    relative: NumericSeries
    accurate_from: int | None

    def homogeneous(self, layer: int):
        return self.base**layer * mp.exp(self.growth.at(layer)) * self.relative.at(layer)


@lru_cache(maxsize=64)
def numeric_solution(
    multiplier: Expansion, forcing: Expansion, orders: int, digits: int, precision: int
) -> NumericSolution:
    """P and H to `orders` powers of l with `precision` decimal digits, and where they are good to `digits`."""
    with mp.workdps(precision):
        problem = Problem.of(multiplier, forcing, NumberField())
        grid, slope = problem.grid, problem.series(multiplier)
        base, parts, relative = slope[0][0] if 0 in slope else None, {}, {0: [mpmath.mpf(1)]}
        if base is not None:
            parts, relative = homogeneous_parts(problem, normalised(slope), (orders + 1) * grid)
        found, relative = _particular_of(problem, slope, orders), NumericSeries(grid, relative, orders * grid)
        layer = _accurate_from((found, relative), digits)
        return NumericSolution(found, base, NumericSeries(grid, parts), relative, layer)


def _particular_of(problem: Problem, slope: Series, orders: int) -> NumericSeries:
    source = problem.series(problem.forcing)
    if not source:
        return NumericSeries(problem.grid, {})
    steps = Elimination(problem, slope, source)
    for _ in range(orders * problem.grid):
        steps.advance()
    return NumericSeries(problem.grid, steps.solved, steps.order)


def _accurate_from(cut: Sequence[NumericSeries], digits: int) -> int | None:
    """The first layer 64, 96, 144, ... where the last orders of all are negligible; None beyond `MOST_STEPS`."""
    layer, small = FIRST_LAYER, mpmath.mpf(10) ** -digits
    while layer <= MOST_STEPS:
        if all(series.tail(layer) <= small for series in cut):
            return layer
        layer = layer * 3 // 2
    return None


# ---- the coordinate ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class FirstLayer:
    """a_layer = value."""

    layer: int
    value: Expr

    @classmethod
    def read(cls, layer, value) -> "FirstLayer":
        """Checked input: a number, and a whole start layer."""
        value = exact(value, "start_value")
        if value.free_symbols:
            raise InputError(f"start_value = {value} is not a number; give a number such as 1/10")
        return cls(0 if np.ndim(layer) == 0 and layer == 0 else check_depth(layer), value)


@dataclass(frozen=True)
class LinearRecurrence(Coordinate):
    """P and H of a_l = lambda_l a_(l-1) + b_l in numbers (see `Coordinate`); a start is a `FirstLayer`."""

    multiplier: Expansion
    forcing: Expansion

    spare = (8, 8)
    extras = (0, 25, 75, 200, 400)
    value_remedy = "the number may be 0, otherwise ask for fewer digits"
    remedy = "D may be 0, otherwise ask for fewer digits"
    constants_named = "two readings of D"
    unproved = MOVES

    @classmethod
    def checked(cls, multiplier: Expansion, forcing: Expansion) -> "LinearRecurrence":
        """lambda_l and b_l as finite sums with numbers; an error when they are anything else."""
        for name, expansion in (("lambda_l", multiplier), ("b_l", forcing)):
            if expansion.remainder is not None:
                raise UnsupportedError(f"{name} = {expansion} is not known exactly; give a finite sum to evaluate a_l")
            symbols = set().union(*(c.free_symbols for _, c in expansion.terms))
            if symbols:
                raise UnsupportedError(f"{name} contains the symbols {symbol_names(symbols)}; give numbers to evaluate")
        return cls(multiplier, forcing)

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways to `digits` digits.

        lambda_0^L and exp(c L^r) multiply relative errors by L, so they are calculated with as many more digits.  Logs
        make long expansions dear (the fourth power of their length), so with them the matching layer lies deeper.
        """
        logs = any(m.logs for e in (self.multiplier, self.forcing) for m, _ in e.terms)
        orders = 10 + (3 * digits // 14 if logs else digits // 2)
        found = _homogeneous(self)
        spare = 0 if depth is None or found is None or found.character == "power" else len(str(depth))
        return [
            Route(orders, digits, spare=spare), Route(orders + LONGER, digits + FINER, DEEPER, spare=spare)
        ]  # fmt: skip

    def crossing(self, start: FirstLayer, route: Route) -> "Matched":
        """The matching layer, where D can be read off; an error where it cannot."""
        found = _homogeneous(self)
        if found is None or found.character == SMALLER:
            raise UnsupportedError(
                "the homogeneous solution is smaller than every power of l, so the remainder of P hides it and D "
                "cannot be read off; use evaluate"
            )
        matched = matched_layer(self, start, route)
        if matched is None:
            raise _too_far(start)
        return matched

    def crossing_before(self, start: FirstLayer, depth: int, route: Route) -> "Matched | None":
        """The matching layer; None when it lies too far."""
        if depth < start.layer:
            raise InputError(f"depth = {depth} lies before start_layer = {start.layer}; ask for a later layer")
        return matched_layer(self, start, route)

    def to_layer(self, start: FirstLayer, depth: int, route: Route, crossing: "Matched | None") -> tuple:
        """(a,) at a layer, by the recursion itself."""
        if depth - start.layer > MOST_STEPS:
            raise _too_far(start)
        with mp.workdps(precision(route)):
            return (self.iterate(start, depth),)

    def iterate(self, start: FirstLayer, layer: int):
        """a at this layer, layer by layer."""
        problem = Problem.of(self.multiplier, self.forcing, NumberField())
        multiplier, forcing = (NumericSeries(problem.grid, problem.series(e)) for e in (self.multiplier, self.forcing))
        a, logs = to_mpf(start.value), multiplier.has_logs or forcing.has_logs
        for current in range(start.layer + 1, layer + 1):
            here = place(problem.grid, current, logs)
            a = multiplier.summed(*here) * a + forcing.summed(*here)
        return a


@dataclass(frozen=True)
class Matched:
    """An orbit from the matching layer on; `left`: a_n - P(n) there."""

    known: NumericSolution
    route: Route
    layer: int
    left: object

    lost = 0

    def state(self, depth: int) -> tuple:
        """(a,) at a later layer: P(L) + D H(L)."""
        known = self.known
        with mp.workdps(precision(self.route)):
            value = known.particular.at(depth)
            if self.left and known.base is None:
                value *= self._without_homogeneous()
            elif self.left:
                value += self.left / known.homogeneous(self.layer) * known.homogeneous(depth)
            return (value,)

    def constants(self, second: bool) -> tuple:
        """(None, D)."""
        with mp.workdps(precision(self.route)):
            return None, self.left / self.known.homogeneous(self.layer)

    def _without_homogeneous(self):
        """1 where P is all there is: H has died out, so what is left shows the error of P."""
        if not self.known.particular.series:
            raise UnsupportedError(
                "lambda_l tends to 0 and b_l = 0, so a_l falls faster than every exponential; ask for a depth below "
                f"{self.layer} or give a forcing"
            )
        return 1 + self.left / self.known.particular.at(self.layer)


def precision(route: Route) -> int:
    """Digits to calculate with."""
    return route.digits + route.spare + GUARD


@lru_cache(maxsize=1024)
def matched_layer(recurrence: LinearRecurrence, start: FirstLayer, route: Route) -> Matched | None:
    """The matching layer; None when it lies too far.

    What is left there is exactly 0 when the start lies on a P that is a finite sum.
    """
    known = numeric_solution(recurrence.multiplier, recurrence.forcing, route.last, route.digits, precision(route))
    near = known.accurate_from
    if near is None or near - start.layer > MOST_STEPS:
        return None
    near = max(near, start.layer)
    near += min(near // 4, FIRST_LAYER**2) if route.deeper > 1 else 0
    with mp.workdps(precision(route)):
        left = mpmath.mpf(0)
        if not _lies_on_particular(recurrence, start):
            left = recurrence.iterate(start, near) - known.particular.at(near)
        return Matched(known, route, near, left)


@lru_cache(maxsize=64)
def _lies_on_particular(recurrence: LinearRecurrence, start: FirstLayer) -> bool:
    found, _ = particular(Problem.of(recurrence.multiplier, recurrence.forcing), terms=20)
    if found.remainder is not None or start.layer == 0:
        return False
    return (found.to_sympy().subs(found.scale.variable, start.layer) - start.value).expand() == 0


@lru_cache(maxsize=64)
def _homogeneous(recurrence: LinearRecurrence) -> Homogeneous | None:
    return homogeneous(Problem.of(recurrence.multiplier, recurrence.forcing), terms=1)


def _too_far(start: FirstLayer) -> PrecisionError:
    return PrecisionError(
        f"more than {MOST_STEPS} layers would have to be iterated from layer {start.layer} before the expansion is "
        "accurate; ask for fewer digits or a smaller depth"
    )


LAYER = Symbol("l", positive=True)


@dataclass(frozen=True)
class LayeredSolution:
    """Every solution a_l = P(l) + D H(l) of a layered recursion.

    `multiplier`, `forcing`: lambda_l and b_l;  `particular`: P, exact when it has no remainder;
    `h`: H with all its factors; None when it falls faster than every exponential or is not known;
    `resonances`: the powers s of l at which a log entered;  `generic`: what must not be zero for P and H to hold.
    """

    multiplier: Expansion
    forcing: Expansion
    particular: Expansion
    h: Homogeneous | None
    resonances: tuple[Expr, ...] = ()
    generic: tuple[Expr, ...] = ()

    # ---- reading --------------------------------------------------------------------------------

    @property
    def constant_symbol(self) -> Symbol:
        """The symbol of D in this solution: D_0, say, where a parameter is called D."""
        scale = self.multiplier.scale
        parts = (self.multiplier, self.forcing)
        users = scale.variable.free_symbols.union(*(c.free_symbols for part in parts for _, c in part.terms))
        return named([SECOND], users)[SECOND]

    @property
    def steps(self) -> tuple[Step, ...]:
        """What the derivation found: P, and H over its leading factors, of a_l = lambda_l a_(l-1) + b_l."""
        found = {"particular": self.particular, "multiplier": self.multiplier, "forcing": self.forcing}
        if self.homogeneous is not None:
            found |= {"homogeneous": self.homogeneous, "exponent": self.exponent}
        return (Step("linear", found), Step("quantity", {"law": self.particular}))

    @property
    def exponent(self) -> Expr | None:
        """The power -alpha of l with which H starts; None when H is not a power of l to leading order."""
        return None if self.h is None else self.h.exponent

    @property
    def homogeneous(self) -> Expansion | None:
        """H l^alpha = 1 + ...; None when H is not a power of l to leading order (`h` has all its factors)."""
        return None if self.exponent is None else self.h.relative

    @property
    def note(self) -> str:
        """One sentence on the homogeneous solution."""
        if self.h is None and self.multiplier.remainder is not None and self.multiplier.coefficients:
            return f"the homogeneous solution is hidden in the remainder of lambda_l = {self.multiplier}"
        if self.h is None:
            return "the homogeneous solution falls faster than every exponential, because lambda_l tends to 0"
        return {
            "power": f"the homogeneous solution is of the order l^({self.exponent})",
            "oscillating": "the homogeneous solution changes its sign at every layer and is a power of l in size",
            "smaller than every power": "the homogeneous solution is smaller than every power of l: P alone is the law",
            "larger than every power": "the homogeneous solution is larger than every power of l: it is the law unless "
            "D = 0, and P is one solution among many",
            "undecided": "whether the homogeneous solution grows or falls depends on the parameters",
        }[self.h.character]

    def subs(self, values: Mapping) -> "LayeredSolution":
        """Numbers for parameters; `InputError` where the generic solution does not hold (solve anew there)."""
        for condition in self.generic:
            if condition.subs(values).is_zero:
                shown = ", ".join(f"{name} = {value}" for name, value in values.items())
                raise InputError(f"the solution needs {condition} != 0, which fails for {shown}; solve it anew there")
        relative = self.h and Homogeneous(
            self.h.base.subs(values), self.h.growth.subs(values), self.h.relative.subs(values)
        )
        parts = (e.subs(values) for e in (self.multiplier, self.forcing, self.particular))
        kept = tuple(c for c in (condition.subs(values) for condition in self.generic) if c.is_zero is not False)
        return LayeredSolution(*parts, relative, self.resonances, kept)

    def __str__(self) -> str:
        conditions = " and ".join(f"{c} != 0".replace("**", "^") for c in self.generic)
        parts = self._parts(str(self.particular), self.h and self.h.text(self.constant_symbol))
        return parts + (f", if {conditions}" if conditions else "")

    def latex(self) -> str:
        """P + D H and its conditions as LaTeX."""
        conditions = r",\ ".join(rf"{latex_expr(c)} \ne 0" for c in self.generic)
        parts = self._parts(self.particular.latex(), self.h and self.h.latex(self.constant_symbol))
        return parts + (rf" \quad ({conditions})" if conditions else "")

    def _parts(self, particular: str, free: str | None) -> str:
        """P + D H without a P that is 0 or an H that is not known."""
        return " + ".join(part for part in (particular, free) if part and (part != "0" or not free))

    def __repr__(self) -> str:
        return one_line("LayeredSolution", str(self))

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    # ---- numbers --------------------------------------------------------------------------------

    def evaluate(self, depth: int, start_layer: int, start_value, digits: int = 30):
        """a_L at L = depth from a_l = start_value at l = start_layer, to `digits` significant digits.

        lambda_l and b_l must be finite sums with numbers for coefficients.  The cost hardly depends on the depth.  The
        number is certified by two evaluations at two precisions, two lengths of the expansion and two matching layers.

        >>> from mpmath import nstr
        >>> solution = layered_solution(1 - 1 / LAYER, 1)  # a_l = (l + 1)/2 + D/l
        >>> print(nstr(solution.evaluate(depth=10**20, start_layer=1, start_value=3, digits=30), 30))
        50000000000000000000.5
        """
        coordinate, start = self.coordinate, FirstLayer.read(start_layer, start_value)
        return evaluation.certified(coordinate, start, check_depth(depth), check_digits(digits))

    def second_constant(self, start_layer: int, start_value, digits: int = 30):
        """D for a given start, to `digits` significant digits.

        >>> from mpmath import nstr
        >>> print(nstr(layered_solution(1 - 1 / LAYER, 1).second_constant(start_layer=1, start_value=3, digits=20), 20))
        2.0
        """
        coordinate, start = self.coordinate, FirstLayer.read(start_layer, start_value)
        return evaluation.constants(coordinate, start, check_digits(digits), second=True)[1]

    @property
    def coordinate(self) -> LinearRecurrence:
        """P and H in numbers."""
        return LinearRecurrence.checked(self.multiplier, self.forcing)


def layered_solution(multiplier, forcing, terms: int = 4, variable: Symbol = LAYER) -> LayeredSolution:
    """Solve a_l = multiplier a_(l-1) + forcing with `terms` terms in P and in H.

    Both are SymPy expressions in `variable` (`LAYER` = Symbol("l", positive=True) unless you say otherwise), numbers,
    or expansions with remainders, which then limit the number of terms.  Fewer terms also come out when the solution
    is a finite sum.  Raises `UnsupportedError` outside the scale l^(-p) log(l)^j.

    >>> from sympy import symbols
    >>> alpha, c, q = symbols("alpha c q", positive=True)
    >>> solution = layered_solution(1 - alpha / LAYER + c / LAYER**2, q, terms=2)
    >>> print(solution.particular.coefficient(0))
    q*(alpha + c)/(alpha*(alpha + 1))
    >>> print(solution.h)
    l^(-alpha)*(1 + (alpha^2/2 - alpha/2 - c)/l + O(1/l^2))
    """
    terms, variable = check_terms(terms), require_symbol(variable, "variable")
    multiplier, forcing = read(multiplier, "lambda_l", variable), read(forcing, "b_l", variable)
    require_distinct(variable, *(c for part in (multiplier, forcing) for _, c in part.terms))
    with limited("solving the layered recursion"):
        return _solved(Problem.of(multiplier, forcing), terms)


def _solved(problem: Problem, terms: int) -> LayeredSolution:
    found, steps = particular(problem, terms)
    h = homogeneous(problem, terms)
    powers = tuple(Rational(-k, steps.grid) for k in steps.resonances) if steps else ()
    return LayeredSolution(
        problem.multiplier, problem.forcing, found, h, powers, _conditions(problem, steps, h is not None)
    )


def _conditions(problem: Problem, steps: Elimination | None, with_base: bool) -> tuple[Expr, ...]:
    """The symbolic expressions divided by, without those that the symbols' assumptions keep from zero."""
    divided = [problem.field.leave(pivot) for pivot in steps.divisors.values()] if steps else []
    if with_base:
        divided.append(problem.multiplier.terms[0][1])
    return tuple(c for c in dict.fromkeys(divided) if c.is_zero is not False)


# ---- reading ----------------------------------------------------------------------------------------


def read(given, name: str, variable: Symbol = LAYER) -> Expansion:
    """An expansion in `variable` from an expansion, a number or a SymPy expression.

    >>> print(read(1 - 2 / LAYER + log(LAYER) / LAYER**2, "lambda_l"))
    1 - 2/l + log(l)/l^2
    """
    if isinstance(given, Expansion):
        if given.scale != Scale.at_infinity(variable):
            raise InputError(f"{name} is an expansion in {given.scale.variable}; give one in {variable} at infinity")
        return given
    expression = as_expression(given, name, variable)
    if expression.is_finite is False or expression.has(oo, -oo, zoo, nan):
        raise InputError(f"{name} = {given} is not finite; give a formula like 1 - 2/{variable}")
    return _from_expression(expression, name, variable)


def _from_expression(expression: Expr, name: str, variable: Symbol) -> Expansion:
    coefficients: dict[Monomial, Expr] = defaultdict(lambda: Integer(0))
    expanded = expand(expression)
    for term in Add.make_args(expanded) if expanded != 0 else ():
        coefficient, rest = term.as_independent(variable, as_Add=False)
        coefficients[_monomial(rest, name, variable)] += coefficient
    return Expansion.build(Scale.at_infinity(variable), coefficients)


def _monomial(product: Expr, name: str, variable: Symbol) -> Monomial:
    """l^p log(l)^j as a monomial."""
    order, logs = Integer(0), 0
    for factor in Mul.make_args(product):
        base, exponent = factor.as_base_exp()
        if base == variable and exponent.is_Rational:
            order -= exponent
        elif base == log(variable) and exponent.is_Integer and exponent > 0:
            logs += int(exponent)
        elif factor != 1:
            raise UnsupportedError(
                f"{name} contains {factor}, which is not of the form {variable}^p log({variable})^j with rational p "
                "and j = 0, 1, 2, ...; expand it in such terms first"
            )
    return Monomial(order, logs)
