"""Linear recursions whose coefficients are functions of the layer: a_l = lambda_l a_(l-1) + b_l = P(l) + D H(l).

lambda_l and b_l are sums of c l^(-p) log(l)^j, p rational; P carries no pure multiple of the power with which H starts,
which normalises D.
"""
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from mpmath import mp
from sympy import (
    Expr,
    Integer,
    Mul,
    RisingFactorial,
    Symbol,
    bernoulli,
    binomial,
    exp,
    factorial,
    gamma,
    log,
    nan,
    oo,
    zoo,
)

from asympt.deadline import limited
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import exponential
from asympt.expansions.formulas.puiseux import Y, puiseux
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
from asympt.recursions.agreement import agreed
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.fixed_point import real_numeric
from asympt.recursions.linear_recurrence.solver import Homogeneous, Problem, homogeneous, particular
from asympt.recursions.protocol import Step
from asympt.showing import one_line
from asympt.symbols import named, require_distinct

LAYER = Symbol("l", positive=True)
GUARD, APART = 15, 10  # digits carried beyond those of the result, and more of them in the second evaluation
MOST_STEPS = 100_000
ORDERS = 6  # of a coefficient that is no finite sum, beyond two for every term


@dataclass(frozen=True)
class LayeredSolution:
    """Every solution a_l = P(l) + D H(l) of a layered recursion.

    `multiplier`, `forcing`: lambda_l and b_l;  `particular`: P, exact when it has no remainder;
    `h`: H with all its factors; None where lambda_l tends to 0 or its remainder hides H;
    `generic`: what must not be zero for P and H to hold;
    `formulas`: lambda_l and b_l as they were given;  `start`: (layer, value) from which `evaluate` starts by itself.
    """

    multiplier: Expansion
    forcing: Expansion
    particular: Expansion
    h: Homogeneous | None
    generic: tuple[Expr, ...] = ()
    formulas: tuple[Expr, Expr] | None = None
    start: tuple[int, Expr] | None = None

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

    def subs(self, values: Mapping) -> "LayeredSolution":
        """Numbers for parameters; `InputError` where the generic solution does not hold (solve anew there)."""
        for condition in self.generic:
            if condition.subs(values).is_zero:
                shown = ", ".join(f"{name} = {value}" for name, value in values.items())
                raise InputError(f"the solution needs {condition} != 0, which fails for {shown}; solve it anew there")
        h = self.h and Homogeneous(*(part.subs(values) for part in (self.h.base, self.h.growth, self.h.relative)))
        parts = (e.subs(values) for e in (self.multiplier, self.forcing, self.particular))
        kept = tuple(c for c in (condition.subs(values) for condition in self.generic) if c.is_zero is not False)
        formulas = self.formulas and tuple(f.subs(values) for f in self.formulas)
        return LayeredSolution(*parts, h, kept, formulas, self.start)

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

    def evaluate(self, depth: int, start_layer: int | None = None, start_value=None, digits: int = 30):
        """a_L at L = depth from a_l = start_value at l = start_layer, to `digits` significant digits, layer by layer.

        lambda_l and b_l must be known exactly, with numbers for coefficients.  The number is certified by two
        precisions that agree; more than `MOST_STEPS` layers are refused.

        >>> from mpmath import nstr
        >>> solution = layered_solution(1 - 1 / LAYER, 1)  # a_l = (l + 1)/2 + D/l
        >>> print(nstr(solution.evaluate(depth=1000, start_layer=1, start_value=3, digits=30), 30))
        500.502
        """
        if start_layer is None and start_value is None and self.start is not None:
            start_layer, start_value = self.start
        if start_layer is None or start_value is None:
            raise InputError("no start was given; pass start_layer=..., start_value=..., such as 1 and 1/10")
        depth, digits, value = check_depth(depth), check_digits(digits), exact(start_value, "start_value")
        start = 0 if np.ndim(start_layer) == 0 and start_layer == 0 else check_depth(start_layer)
        if value.free_symbols:
            raise InputError(f"start_value = {value} is not a number; give a number such as 1/10")
        if depth < start:
            raise InputError(f"depth = {depth} lies before start_layer = {start}; ask for a later layer")
        if depth - start > MOST_STEPS:
            raise PrecisionError(
                f"depth = {depth} lies more than {MOST_STEPS} layers beyond start_layer = {start}; ask for a smaller "
                "depth, or take P + D H with the D of a layer that is reached"
            )
        variable, known = self.multiplier.scale.variable, self.formulas or (self.multiplier, self.forcing)
        moves = [_in_numbers(e, name, variable) for e, name in zip(known, ("lambda_l", "b_l"), strict=True)]

        def iterated(precision: int):
            with mp.workdps(precision):
                a = to_mpf(value)
                for layer in map(mp.mpf, range(start + 1, depth + 1)):
                    a = moves[0](layer) * a + moves[1](layer)
                return a

        return agreed(
            lambda extra: [iterated(digits + GUARD + extra), iterated(digits + GUARD + APART + extra)], digits,
            remedy="the number may be 0, otherwise ask for fewer digits",
        )  # fmt: skip


def _in_numbers(known: Expansion | Expr, name: str, variable: Symbol) -> Callable:
    """A formula or a finite sum with numbers as a function of the layer."""
    if isinstance(known, Expansion) and known.remainder is not None:
        raise UnsupportedError(f"{name} = {known} is not known exactly; give a finite sum to evaluate a_l")
    formula = known.to_sympy() if isinstance(known, Expansion) else known
    if formula.free_symbols - {variable}:
        names = symbol_names(formula.free_symbols - {variable})
        raise UnsupportedError(f"{name} contains the symbols {names}; give numbers to evaluate")
    function = real_numeric(formula, variable, name)

    def at(layer):
        try:
            return function(layer)
        except InputError:
            where = f"{variable} = {int(layer)}"
            raise InputError(f"{name} = {formula} has no real value at {where}; start later") from None

    return at


def layered_solution(multiplier, forcing, terms: int = 4, variable: Symbol = LAYER) -> LayeredSolution:
    """Solve a_l = multiplier a_(l-1) + forcing with `terms` terms in P and in H.

    Both are SymPy expressions in `variable` (`LAYER` = Symbol("l", positive=True) by default), such as 1/(l - 1),
    log(l - 1), sqrt(l + 1) or gamma(l)/gamma(l + 1/2), numbers, or expansions; remainders of those, and of expressions
    that are no finite sums of l^p log(l)^j, limit the number of terms.  Fewer terms also come out when the solution
    is a finite sum.  Raises `UnsupportedError` outside the scale l^(-p) log(l)^j.

    >>> from sympy import symbols
    >>> alpha, c, q = symbols("alpha c q", positive=True)
    >>> solution = layered_solution(1 - alpha / LAYER + c / LAYER**2, q, terms=2)
    >>> print(solution.particular.coefficient(0))
    q*(alpha + c)/(alpha*(alpha + 1))
    >>> print(solution.h)
    l^(-alpha)*(1 + (alpha^2/2 - alpha/2 - c)/l + O(1/l^2))
    """
    variable = LAYER if isinstance(variable, str) and variable == LAYER.name else variable
    terms, variable = check_terms(terms), require_symbol(variable, "variable")
    names = {"lambda_l": multiplier, "b_l": forcing}
    given = {name: e if isinstance(e, Expansion) else as_expression(e, name, variable) for name, e in names.items()}
    multiplier, forcing = (_expanded(e, name, variable, ORDERS + 2 * terms) for name, e in given.items())
    require_distinct(variable, *(c for part in (multiplier, forcing) for _, c in part.terms))
    known = None if any(isinstance(e, Expansion) for e in given.values()) else tuple(given.values())
    with limited("solving the layered recursion"):
        problem = Problem.of(multiplier, forcing)
        (found, pivots), h = particular(problem, terms), homogeneous(problem, terms)
        divided = [problem.field.leave(pivot) for pivot in pivots] + ([] if h is None else [multiplier.terms[0][1]])
        generic = tuple(c for c in dict.fromkeys(divided) if c.is_zero is not False)
        return LayeredSolution(multiplier, forcing, found, h, generic, known)


def _expanded(given: Expansion | Expr, name: str, variable: Symbol, orders: int) -> Expansion:
    """An expansion in `variable`, exact if it is a finite sum."""
    if isinstance(given, Expansion):
        if given.scale != Scale.at_infinity(variable):
            raise InputError(f"{name} is an expansion in {given.scale.variable}; give one in {variable} at infinity")
        return given
    if given.is_finite is False or given.has(oo, -oo, zoo, nan):
        raise InputError(f"{name} = {given} is not finite; give a formula like 1 - 2/{variable}")
    try:
        return expansion_in(given, variable, orders)
    except (UnsupportedError, InputError) as reason:
        raise UnsupportedError(
            f"{name} = {given} is not of the form sum of c {variable}^p log({variable})^j, j = 0, 1, 2, ..., p "
            f"rational, at infinity: {reason}"
        ) from None


# ---- functions of the layer in the scale l^(-p) log(l)^j -----------------------------------------
#
# Gamma functions: log Gamma(l + a) = (l + a - 1/2) log l - l + log(2 pi)/2 + sum_k (-1)^(k+1) B_(k+1)(a)/(k (k+1) l^k).

GAMMAS = (factorial, binomial, RisingFactorial)


def expansion_in(expression: Expr, variable: Symbol, orders: int) -> Expansion:
    """A function of the layer at infinity: exact if it is a finite sum, else to so many orders below its leading one.

    >>> l = Symbol("l", positive=True)
    >>> print(expansion_in(1 - 1 / (l - 1), l, 3), expansion_in(gamma(l) / gamma(l + 1), l, 2), sep="; ")
    1 - 1/l - 1/l^2 - 1/l^3 + O(1/l^4); 1/l + O(1/l^3)
    """
    expression = expression.rewrite(gamma) if expression.has(*GAMMAS) else expression
    return _CoefficientReader(variable, orders).read(expression)


class _CoefficientReader:
    def __init__(self, variable: Symbol, orders: int):
        self.variable, self.orders, self.scale = variable, orders, Scale.at_infinity(variable)

    def read(self, part: Expr) -> Expansion:
        if not part.has(self.variable):
            return Expansion.constant(self.scale, part)
        if part == self.variable:
            return Expansion.variable(self.scale)
        if part.is_Add:
            return sum(map(self.read, part.args), self.read(Integer(0)))
        if part.has(gamma) and (part.is_Mul or part.is_Pow or isinstance(part, gamma)):
            return self._with_gammas(part)
        if part.is_Mul:
            return prod(map(self.read, part.args))
        if isinstance(part, exp) or (part.is_Pow and part.exp.has(self.variable)):
            return exponential(self.read(part.exp * log(part.base)), self._cut(0))
        if part.is_Pow:
            return self._power(part)
        if isinstance(part, log):
            return self.read(part.args[0]).log(self._cut(0))
        return self._analytic(part)

    def _cut(self, order) -> Monomial:
        return Monomial(order + self.orders)

    def _power(self, part: Expr) -> Expansion:
        base, exponent = self.read(part.base), part.exp
        if not exponent.is_Rational or not base.terms:
            raise UnsupportedError(f"{part} is no power of {self.variable} with a rational exponent")
        if exponent.is_Integer and exponent > 0:
            return base.power(exponent)
        return base.power(exponent, self._cut(base.leading[0].order * exponent))

    def _with_gammas(self, product: Expr) -> Expansion:
        """exp of the sum of e log Gamma(l + a), in which l log l and l cancel."""
        powers = {factor: factor.as_base_exp() for factor in Mul.make_args(product)}
        gammas = {factor: (base.args[0] - self.variable, e) for factor, (base, e) in powers.items()
                  if isinstance(base, gamma) and base.has(self.variable)}  # fmt: skip
        if sum(e for _, e in gammas.values()) != 0 or any(a.has(self.variable) for a, _ in gammas.values()):
            raise UnsupportedError(f"{product} is no quotient of as many Gamma({self.variable} + a) above as below")
        terms = {(0, 1): sum(e * a for a, e in gammas.values())}
        for k in range(1, self.orders):
            share = Integer(-1) ** (k + 1) / Integer(k * (k + 1))
            terms[k, 0] = share * sum(e * bernoulli(k + 1, a) for a, e in gammas.values())
        logarithm = Expansion.build(self.scale, terms, Formal(self._cut(0)))
        return prod((self.read(f) for f in powers if f not in gammas), start=exponential(logarithm))

    def _analytic(self, part: Expr) -> Expansion:
        found = puiseux(part, self.variable, self.orders, inner=1 / Y)
        orders = [Monomial((found.valuation + k) / Integer(found.root)) for k in range(len(found.coefficients) + 1)]
        return Expansion.build(self.scale, dict(zip(orders, found.coefficients, strict=False)), Formal(orders[-1]))
