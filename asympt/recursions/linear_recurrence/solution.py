"""Linear recursions whose coefficients are functions of the layer: a_l = lambda_l a_(l-1) + b_l = P(l) + D H(l).

lambda_l and b_l are sums of c l^(-p) log(l)^j, p rational; P carries no pure multiple of the power with which H starts,
which normalises D.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

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
from asympt.recursions.agreement import agreed
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.fixed_point import numeric
from asympt.recursions.linear_recurrence.solver import Elimination, Homogeneous, Problem, homogeneous, particular
from asympt.recursions.protocol import Step
from asympt.showing import one_line
from asympt.symbols import named, require_distinct

LAYER = Symbol("l", positive=True)
GUARD, APART = 15, 10  # digits carried beyond those of the result, and more of them in the second evaluation
MOST_STEPS = 100_000


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

    def evaluate(self, depth: int, start_layer: int, start_value, digits: int = 30):
        """a_L at L = depth from a_l = start_value at l = start_layer, to `digits` significant digits, layer by layer.

        lambda_l and b_l must be finite sums with numbers for coefficients.  The number is certified by two precisions
        that agree; more than `MOST_STEPS` layers are refused.

        >>> from mpmath import nstr
        >>> solution = layered_solution(1 - 1 / LAYER, 1)  # a_l = (l + 1)/2 + D/l
        >>> print(nstr(solution.evaluate(depth=1000, start_layer=1, start_value=3, digits=30), 30))
        500.502
        """
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
        moves = [_in_numbers(e, name) for e, name in ((self.multiplier, "lambda_l"), (self.forcing, "b_l"))]

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


def _in_numbers(expansion: Expansion, name: str) -> Callable:
    """A finite sum with numbers as a function of the layer."""
    if expansion.remainder is not None:
        raise UnsupportedError(f"{name} = {expansion} is not known exactly; give a finite sum to evaluate a_l")
    symbols = set().union(*(c.free_symbols for _, c in expansion.terms))
    if symbols:
        raise UnsupportedError(f"{name} contains the symbols {symbol_names(symbols)}; give numbers to evaluate")
    return numeric(expansion.to_sympy(), expansion.scale.variable)


def layered_solution(multiplier, forcing, terms: int = 4, variable: Symbol = LAYER) -> LayeredSolution:
    """Solve a_l = multiplier a_(l-1) + forcing with `terms` terms in P and in H.

    Both are SymPy expressions in `variable` (`LAYER` = Symbol("l", positive=True) by default), numbers,
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
    variable = LAYER if isinstance(variable, str) and variable == LAYER.name else variable
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
