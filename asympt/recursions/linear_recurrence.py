"""Linear recursions whose coefficients are functions of the layer: a_l = lambda_l a_(l-1) + b_l = P(l) + D H(l).

lambda_l and b_l are sums of c l^(-p) log(l)^j, p rational, in b_l also with j < 0 and with log log l once; P carries
no pure multiple of the power with which H starts, which normalises D.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, prod

import numpy as np
import sympy
from mpmath import mp
from sympy import EX, Dummy, Expr, Integer, Mul, Pow, Rational, S, Symbol, exp, gamma, log, nan, oo, together, zoo
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement, PolyRing

from asympt import numbers
from asympt.deadline import limited
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Remainder, Scale, typesetting
from asympt.expansions.expansion import exponential as exponential_of
from asympt.expansions.fields import decisions
from asympt.expansions.fields.field import Field
from asympt.expansions.fields.pivots import factored
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.printing import latex_expr, not_called, plain
from asympt.expansions.scale import largest, widened
from asympt.numbers import as_expression, check_depth, check_digits, check_terms, exact, require_symbol, to_mpf
from asympt.parsing import as_sympy
from asympt.recursions.agreement import agreed
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.coordinates.logarithmic import integral
from asympt.recursions.fixed_point import real_numeric
from asympt.recursions.protocol import Step
from asympt.showing import one_line
from asympt.symbols import named, require_distinct

# ---- P and H of a_l = lambda_l a_(l-1) + b_l, order by order, over an exact field ----------------
#
# A series is {k: polynomial in w = log l}, k counting orders in units of 1/grid; D is d/dw.  With mu = 1 - lambda,
# residual = b - mu a + lambda (a_l - a_(l-1) moved): its largest part gives the next q, the pivot being mu_r for mu =
# mu_r l^(-r) + smaller, r < 1, or alpha + s of l^(s-1) ((alpha + s) q + D q) for mu = alpha/l + smaller.  Where alpha
# + s = 0 (resonance) every power of w is integrated: one more log.  log(H/lambda_0^l) solves it for lambda = 1, b =
# log(lambda_l/lambda_0).  Negative powers of w reduce to 1/w by parts, which has no finite q; where lambda = 1,
# the integral of l^(s-1)/w, li, Ei or log log, takes its place, whose derivatives are in the scale again.


LOG, LOGLOG = Dummy("log l"), Dummy("log log l", real=True)
FACTORED = 60  # polynomials with more terms are printed expanded: factoring them is slow and does not help a reader
ONE_OVER = Monomial(1)
FIRST, WIDER = 3, 6  # orders beyond the terms, at first; how often they are doubled


class ExactField(Field):
    """Exact coefficients, with parameters and constants.

    >>> from sympy import Symbol
    >>> field = ExactField.of([Symbol("a") + 1])
    >>> print(field.leave(field.number(Symbol("a")) / field.number(Symbol("a") + 1)))
    a/(a + 1)
    """

    @classmethod
    def of(cls, expressions: Iterable[Expr]) -> "ExactField":
        """The smallest field that holds every expression."""
        for expression in (known := list(map(as_sympy, expressions))):
            if expression.is_real is False or (expression.is_number and not expression.is_finite):
                raise InputError(f"the coefficient {expression} is not a finite real number; give real coefficients")
        field = super().of(known, quick=True, divides=True)
        if field.domain is EX:
            raise UnsupportedError("the coefficients generate too large a field; write them with fewer constants")
        return field

    def number(self, expression) -> object:
        """A SymPy expression as an element."""
        return self.enter([expression])[0]

    def leave(self, element) -> Expr:
        """An element as a SymPy expression, in factors when they are short."""
        if isinstance(element, FracElement):
            return self.leave(element.numer) / self.leave(element.denom)
        if isinstance(element, PolyElement):
            return element.as_expr() if len(element) > FACTORED else factored(element)
        return super().leave(element)

    def is_zero(self, element) -> bool:
        """Whether an element is zero; `UnsupportedError` when numbers say yes and no proof is at hand."""
        return decisions.is_zero(self, element)


def solve_with_derivative(pivot, right: PolyElement) -> PolyElement:
    """q with pivot q + D q = right, but for multiples of 1/w; for a pivot of 0 (resonance) q has no constant.

    >>> from sympy import QQ, ring
    >>> ring_of_logs, w = ring("w", QQ)
    >>> solve_with_derivative(QQ(2), 4 * w + 1), solve_with_derivative(QQ(0), 4 * w + 1)
    (2*w - 1/2, 2*w**2 + w)
    """
    if not pivot:
        return integrated(right)
    upper = right.ring.from_dict({m: c for m, c in right.items() if m[0] >= 0})
    solution, below = upper.quo_ground(pivot), right - upper
    share = solution
    while share := -share.diff(0).quo_ground(pivot):
        solution += share
    while share := integrated(below):
        solution, below = solution + share, share.mul_ground(-pivot)
    return solution


def integrated(right: PolyElement) -> PolyElement:
    """The integral, but for that of 1/w."""
    return right.ring.from_dict({(j + 1,): c / (j + 1) for (j,), c in right.items() if j + 1})


@dataclass(frozen=True, eq=False)
class Problem:
    """a_l = lambda_l a_(l-1) + b_l over a field, `formulas` where exact; 1 - lambda_l = value l^(-order) + ..."""

    multiplier: Expansion
    forcing: Expansion
    field: ExactField
    order: Rational
    value: object
    formulas: Sequence[Expr | None]

    @classmethod
    def of(cls, multiplier: Expansion, forcing: Expansion, formulas: Sequence[Expr | None]) -> "Problem":
        """Over the smallest field, without the terms whose coefficients are zero though they do not look it."""
        field = ExactField.of([c for e in (multiplier, forcing) for _, c in e.terms])
        multiplier, forcing = (
            Expansion(e.scale, tuple((m, c) for m, c in e.terms if not field.is_zero(field.number(c))), e.remainder)
            for e in (multiplier, forcing)
        )
        order, value = leading_defect(multiplier)
        return cls(multiplier, forcing, field, order, field.number(value), formulas)

    @property
    def critical(self) -> bool:
        """Whether 1 - lambda_l is of the order 1/l or smaller: then s joins the pivot."""
        return self.order == 1

    def pivot(self, order: Rational) -> object:
        """Of l^(-order)."""
        return self.value - self.field.number(order) if self.critical else self.value

    @cached_property
    def factors(self) -> dict[Rational, PolyElement]:
        """lambda_l, as `rows`."""
        return self.rows(self.multiplier)

    @cached_property
    def ring(self) -> PolyRing:
        """The polynomials in log l over the field."""
        return PolyRing([LOG], self.field.domain)

    def rows(self, series: Expansion) -> dict[Rational, PolyElement]:
        """{order: polynomial in log l} over the field."""
        found: dict[Rational, dict] = {}
        for m, c in series.terms:
            found.setdefault(m.order, {})[m.logs,] = self.field.number(c)
        return {order: self.ring.from_dict(known) for order, known in found.items()}

    def written(self, order: Rational, row: PolyElement) -> tuple:
        """The terms of l^(-order) times a polynomial in log l."""
        return tuple((Monomial(order, j), self.field.leave(c)) for (j,), c in row.terms())

    def without_zeros(self, row: PolyElement) -> PolyElement:
        """Without the coefficients that are zero though they do not look it."""
        return self.ring.from_dict({j: c for j, c in row.items() if not self.field.is_zero(c)})

    def inverted(self, order: Rational, residual: PolyElement) -> tuple[PolyElement, PolyElement, list]:
        """(q, slope, divisors): pivot q + D q + slope, or pivot q, is the residual; the slope is a multiple of 1/w."""
        pivot, none = self.pivot(order), self.ring.zero
        divided = [] if self.field.is_zero(pivot) else [pivot]
        pivot = pivot if divided else self.field.domain.zero
        if not self.critical:
            return residual.quo_ground(pivot), none, divided
        solution = solve_with_derivative(pivot, residual)
        if all(j >= 0 for (j,) in residual):
            return solution, none, divided
        slope = self.without_zeros(residual - solution.mul_ground(pivot) - solution.diff(0))
        if slope and (self.value or len(self.multiplier.terms) > 1 or self.multiplier.remainder):
            raise BeyondLogs
        return solution, slope, divided

    def is_solved_by(self, terms: Sequence[tuple[Monomial, Expr]], factor: Expr = S.One, forced: bool = True) -> bool:
        """Whether a finite sum solves a_l = factor lambda_l a_(l-1) + b_l; with logs or other powers it never does."""
        layer = self.multiplier.scale.variable
        slope, source = self.formulas if forced else (self.formulas[0], S.Zero)
        algebraic = all(f is not None and f.is_algebraic_expr(layer) for f in (slope, source))
        if not algebraic or any(m.logs or not m.order.is_Integer for m, _ in terms):
            return False
        now, before = (sum(c * place**-m.order for m, c in terms) for place in (layer, layer - 1))
        rest = now - factor * slope * before - source
        return decisions.vanishes(sympy.fraction(together(rest))[0])


def leading_defect(multiplier: Expansion) -> tuple[Rational, Expr]:
    """(r, c) with 1 - lambda_l = c l^(-r) + smaller; (1, alpha) when it is of order 1/l or smaller."""
    shown = multiplier.scale.to_sympy
    defect = 1 - multiplier
    lead, value = defect.terms[0] if defect.terms else (Monomial(2), Integer(0))
    if lead.order > 1:
        lead, value = ONE_OVER, Integer(0)
    if lead.logs:
        raise UnsupportedError(
            f"1 - lambda_l starts with {value * shown(lead)}, and dividing by a log leaves the scale l^(-p) log(l)^j; "
            "give a multiplier whose 1 - lambda_l starts with a pure power of l"
        )
    if multiplier.remainder is not None and multiplier.remainder.monomial >= lead:
        raise UnsupportedError(
            f"lambda_l = {multiplier} hides its term of the size {shown(lead)}, which decides the law; give lambda_l "
            "with a smaller remainder"
        )
    return lead.order, value


class BeyondLogs(Exception):
    """The solution is no sum of powers and logarithms, and lambda_l is not 1."""


@dataclass(frozen=True)
class Eliminated:
    """P as far as it is found, what is outside the scale as its derivative, the divisors; b - a + lambda (a moved)."""

    left: dict[Rational, PolyElement]
    rest: Remainder | None  # of what is left
    solved: tuple = ()
    integrals: tuple = ()
    pivots: tuple = ()

    def and_next(self, problem: Problem, cut: Monomial) -> "Eliminated":
        """With the next order, that of the largest part of what is left."""
        left, order = dict(self.left), min(self.left)
        residual, power = problem.without_zeros(left.pop(order)), order - problem.order
        if not residual:
            return replace(self, left=left)
        q, slope, pivots = problem.inverted(power, residual)
        solved, integrals = problem.written(power, q), problem.written(power + 1, slope)
        hidden = problem.multiplier.remainder
        rest = largest(self.rest, Formal(cut), hidden and hidden.times((solved or integrals)[0][0]))
        for p, row in _moved(problem, q, slope, power, rest.monomial.order):
            left[p] = left.get(p, problem.ring.zero) + row
        seen = {p: problem.ring.from_dict({j: c for j, c in row.items() if Monomial(p, *j) > rest.monomial})
                for p, row in left.items() if p > order}  # fmt: skip
        known = self.solved + solved, self.integrals + integrals, (*self.pivots, *pivots)
        return Eliminated({p: row for p, row in seen.items() if row}, rest, *known)


def _moved(problem: Problem, q: PolyElement, slope: PolyElement, power: Rational, last: Rational) -> Iterator[tuple]:
    """lambda (q + what q and the integral of `slope` change by from l to l - 1) - q, order by order up to the last."""
    yield power, -q
    for k in range(floor(last - power - min(problem.factors, default=last)) + 1):
        yield from ((p + power + k, factor * q) for p, factor in problem.factors.items())
        q = (q * problem.field.number(power + k) - q.diff(0) - slope).quo_ground(problem.field.number(k + 1))
        slope = problem.ring.zero


def eliminated(problem: Problem, cut: Monomial, terms: int | None = None) -> Eliminated:
    """Down to O(cut) in b, or to more than so many terms."""
    found = Eliminated(problem.rows(problem.forcing), problem.forcing.remainder)
    while found.left and (terms is None or len(found.solved) <= terms):
        found = found.and_next(problem, cut)
    return found


def particular(problem: Problem, terms: int) -> tuple[Expr, Expansion, list]:
    """Integrals outside the scale, `terms` terms (fewer when it ends before, or remainders hide the rest), divisors."""
    scale, known, span = problem.forcing.scale, problem.forcing.terms, terms + FIRST
    for _ in range(WIDER):
        cut = Monomial((known[0][0].order if known else 0) + span)
        found = eliminated(problem, cut, terms)
        exact = not found.left and problem.is_solved_by(found.solved)
        if exact or len(found.solved) > terms or found.rest != Formal(cut):
            break
        span *= 2
    limit = None if exact else _lifted(problem, found.rest)
    kept = tuple(t for t in found.solved if limit is None or t[0] > limit.monomial)
    series = Expansion(scale, kept, limit).truncate(terms)
    seen = [(m, c) for m, c in found.integrals
            if series.remainder is None or Monomial(m.order - 1, m.logs) > series.remainder.monomial]  # fmt: skip
    outside = sum((c * integral(m.order, m.logs, scale.variable) for m, c in seen), S.Zero)
    return outside, series, list(found.pivots)


def _lifted(problem: Problem, rest: Remainder | None) -> Remainder | None:
    """What O(rest) in b_l does to a_l: l^r times it, r the order of the pivot, and one more log at the resonance."""
    if rest is None:
        return None
    order, logs = rest.monomial.order - problem.order, rest.monomial.logs
    resonant = problem.field.is_zero(problem.pivot(order))
    return widened(rest, Monomial(order, logs + resonant * (2 if logs == -1 else 1)))


@dataclass(frozen=True)
class Homogeneous:
    """H = base^l Gamma(l + 1)^factorials exp(growth) relative, with relative -> 1.

    `growth`: exact, every term tends to infinity; `relative`: 1 + smaller terms.
    """

    base: Expr
    growth: Expansion
    relative: Expansion
    factorials: Rational = S.Zero

    @property
    def exponent(self) -> Expr | None:
        """The power of l with which H starts, None when it is not a power."""
        is_power = self.base == 1 and not self.factorials and all(m == Monomial(0, 1) for m in self.growth.coefficients)
        return self.growth.coefficient(0, 1) if is_power else None

    def prefactor(self) -> Expr:
        """base^l Gamma(l + 1)^factorials exp(growth) as a SymPy expression.

        >>> from asympt.recursions.linear_recurrence import LAYER, layered_solution
        >>> print(layered_solution(1 - 2 / LAYER, 0).h.prefactor())
        l**(-2)
        """
        variable = self.growth.scale.variable
        power = self.growth.coefficient(0, 1)
        front = sympy.gammasimp(gamma(variable + 1) ** self.factorials * variable**power)
        return Pow(self.base, variable) * front * exp(self.growth.to_sympy() - power * log(variable))

    def __str__(self) -> str:
        return self.text()

    def text(self, constant: Expr = S.One) -> str:
        """`constant` times the homogeneous solution, as text."""
        return _shown(str(constant * self.prefactor()).replace("**", "^"), str(self.relative), "*")

    def latex(self, constant: Expr = S.One) -> str:
        """`constant` times the homogeneous solution, as LaTeX."""
        return _shown(latex_expr(constant * self.prefactor()), self.relative.latex(), r"\,")


def _shown(front: str, relative: str, by: str) -> str:
    if relative == "1":
        return front
    return f"({relative})" if front == "1" else f"{front}{by}({relative})"


def homogeneous(problem: Problem, terms: int) -> Homogeneous | None:
    """H with `terms` terms in its relative part; None where lambda_l has a leading log or hides the power of l."""
    slope = problem.multiplier
    lead, rest = slope.terms[0] if slope.terms else (ONE_OVER, Integer(0)), slope.remainder
    order, scale = lead[0].order, slope.scale
    if lead[0].logs or lead[1] == 0 or (rest is not None and rest.monomial >= lead[0] * ONE_OVER):
        return None
    ratio, span = slope * Expansion.build(scale, {Monomial(-order): 1 / lead[1]}), terms + FIRST
    for _ in range(WIDER):
        cut, parts, left = Monomial(span), (), None
        if len(ratio.terms) > 1 or ratio.remainder is not None:
            sums = Problem.of(Expansion.constant(scale, 1), ratio.log(cut), (S.One, None))
            found = eliminated(sums, cut)
            parts, left = found.solved, _lifted(sums, found.rest)
        growth = Expansion(scale, tuple(t for t in parts if t[0].order <= 0))
        small = Expansion(scale, parts[len(growth.terms) :], left)
        relative = _exponential(small, terms) if small.terms else Expansion(scale, ((Monomial(0), S.One),), left)
        if left is None or _solves_homogeneous(problem, lead, growth, relative):
            relative = relative.without_remainder()
            break
        if len(relative.terms) > terms or found.rest != Formal(cut):
            break
        span *= 2
    return Homogeneous(lead[1], growth, relative.truncate(terms), -order)


def _exponential(small: Expansion, terms: int) -> Expansion:
    """exp(small) to more than so many terms, or of all that is known where some powers do not occur in it."""
    found = exponential_of(small.truncate(terms))
    return found if len(found.terms) > terms else exponential_of(small)


def _solves_homogeneous(problem: Problem, lead: tuple[Monomial, Expr], growth: Expansion, relative: Expansion) -> bool:
    """Whether l^power times the finite sum solves a_l = lambda_l/lead a_(l-1) exactly; the power must be whole."""
    power = growth.coefficient(0, 1)
    if not power.is_Integer or any(m != Monomial(0, 1) for m, _ in growth.terms):
        return False
    shifted = [(Monomial(m.order - power, m.logs), c) for m, c in relative.terms]
    return problem.is_solved_by(shifted, problem.forcing.scale.variable ** lead[0].order / lead[1], forced=False)


LAYER = Symbol("l", positive=True)
GUARD, APART = 15, 10  # digits carried beyond those of the result, and more of them in the second evaluation
MOST_STEPS, ROUNDED = 100_000, 1000  # layers; units in the last place that may be 0
ORDERS = 6  # of a coefficient that is no finite sum, beyond two for every term


@dataclass(frozen=True)
class LayeredSolution:
    """Every solution a_l = P(l) + D H(l) of a layered recursion.

    `multiplier`, `forcing`: lambda_l and b_l;  `particular`: P, exact when it has no remainder, but for
    `integrals`, its part in li, Ei and log log;
    `h`: H with all its factors; None where a log or a remainder of lambda_l hides H, and where P hides what tends to 0
    like 1/l!;
    `generic`: what must not be zero for P and H to hold;
    `of`: what a_l is, such as log(a_n), where it is not the sequence asked for;
    `formulas`: lambda_l and b_l as they were given;  `start`: (layer, value) from which `evaluate` starts by itself.
    """

    multiplier: Expansion
    forcing: Expansion
    particular: Expansion
    h: Homogeneous | None
    generic: tuple[Expr, ...] = ()
    formulas: tuple[Expr, Expr] | None = None
    start: tuple[int, Expr] | None = None
    integrals: Expr = S.Zero
    of: Expr | None = None

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = not_called(
        "compute with its particular and h", "a number or a formula"
    )

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
        if self.h is not None and self.h.exponent is not None:
            found |= {"homogeneous": self.h.relative, "exponent": self.h.exponent}
        return (Step("linear", found), Step("quantity", {"law": self.particular}))

    def subs(self, values: Mapping) -> "LayeredSolution":
        """Numbers for parameters; `InputError` where the generic solution does not hold (solve anew there)."""
        for condition in self.generic:
            if condition.subs(values).is_zero:
                shown = ", ".join(f"{name} = {value}" for name, value in values.items())
                raise InputError(f"the solution needs {condition} != 0, which fails for {shown}; solve it anew there")
        h = self.h and replace(
            self.h, **{name: getattr(self.h, name).subs(values) for name in ("base", "growth", "relative")}
        )
        parts = (e.subs(values) for e in (self.multiplier, self.forcing, self.particular))
        kept = tuple(c for c in (condition.subs(values) for condition in self.generic) if c.is_zero is not False)
        formulas = self.formulas and tuple(f.subs(values) for f in self.formulas)
        return LayeredSolution(*parts, h, kept, formulas, self.start, self.integrals.subs(values), self.of)

    def __str__(self) -> str:
        conditions = " and ".join(f"{c} != 0".replace("**", "^") for c in self.generic)
        parts = self._parts(plain, str(self.particular), self.h and self.h.text(self.constant_symbol))
        return parts + (f", if {conditions}" if conditions else "")

    def latex(self, split: bool = False) -> str:
        r"""P + D H and its conditions as LaTeX; `split`: P and H in lines that fit on a page, with a sentence below.

        >>> print(layered_solution("1 - 2/l", "1/l", terms=1).latex(split=True))
        \begin{align*}
        P_{l} &= \frac{1}{2} \\
        l^{2}\,H_{l} &= 1 + O\!\left(\frac{1}{l}\right).
        \end{align*}
        The solutions are $P_{l} + D\,H_{l}$, where $D$ depends on the start.
        """
        if split:
            return self._split_latex()
        conditions = r",\ ".join(rf"{latex_expr(c)} \ne 0" for c in self.generic)
        parts = self._parts(latex_expr, self.particular.latex(), self.h and self.h.latex(self.constant_symbol))
        return parts + (rf" \quad ({conditions})" if conditions else "")

    def _split_latex(self) -> str:
        at, constant, h = latex_expr(self.multiplier.scale.depth), latex_expr(self.constant_symbol), self.h
        left = f"P_{{{at}}}" + (f" - \\left({latex_expr(self.integrals)}\\right)" if self.integrals else "")
        rows = [(left, self.particular, "")] if h is None or str(self.particular) != "0" else []
        if h is not None:
            factor = latex_expr(1 / h.prefactor())
            rows.append((("" if factor == "1" else rf"{factor}\,") + f"H_{{{at}}}", h.relative, ""))
        parts = [f"P_{{{at}}}" if left.startswith("P_") else rf"{constant}\,H_{{{at}}}" for left, *_ in rows]
        needs = ", if " * bool(self.generic) + " and ".join(rf"${latex_expr(c)} \ne 0$" for c in self.generic)
        free = f", where ${constant}$ depends on the start" if h is not None else ""
        return f"{typesetting.split(rows)}\nThe solutions are ${' + '.join(parts)}${free}{needs}."

    def _parts(self, show: Callable[[Expr], str], particular: str, free: str | None) -> str:
        """P + D H without a P that is 0 or an H that is not known."""
        parts = [show(self.integrals)] * bool(self.integrals) + [particular, free]
        found = " + ".join(part for part in parts if part and (part != "0" or not free)).replace("+ -", "- ")
        return found if self.of is None else f"{show(self.of)} = {found}"

    def __repr__(self) -> str:
        return one_line("LayeredSolution", str(self))

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def evaluate(self, depth: int, start_layer: int | None = None, start_value=None, digits: int = 30):
        """a_L at L = depth from a_l = start_value at l = start_layer, to `digits` significant digits, layer by layer.

        lambda_l and b_l must be known exactly, with numbers for coefficients.  The number is certified by two
        precisions that agree; more than `MOST_STEPS` layers are refused.

        >>> solution = layered_solution(1 - 1 / LAYER, 1)  # a_l = (l + 1)/2 + D/l
        >>> print(solution.evaluate(depth=1000, start_layer=1, start_value=3, digits=30))
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

        guards, remedy = (GUARD, GUARD + APART), "the number may be 0, otherwise ask for fewer digits"
        return agreed(lambda extra: [self.orbit(start, value, [depth], digits + guard + extra)[depth]
                                     for guard in guards], digits, remedy=remedy)  # fmt: skip

    def orbit(self, start: int, value: Expr, layers: Sequence[int], precision: int) -> dict:
        """{l: a_l} at these layers, the largest last, by the recursion itself, calculated with so many digits."""
        moved, inverse, found = self.moves(), self.of is not None and self.of.is_Pow, {}
        with mp.workdps(precision):
            a = to_mpf(value)
            for layer in range(start, layers[-1] + 1):
                if layer > start:
                    a, before = moved(a, mp.mpf(layer)), a
                    if inverse and abs(a) <= abs(before) * mp.eps * ROUNDED:
                        raise InputError(f"{self.of} is 0 in layer {layer}: there {1 / self.of} has no value, and no "
                                         "later one follows; ask for an earlier layer, or start elsewhere")
                if layer in layers:
                    found[layer] = a
        return found

    def moves(self) -> Callable:
        """a_l from a_(l-1) and l."""
        if self.formulas is None:
            shown = self.multiplier if self.multiplier.remainder else self.forcing
            raise UnsupportedError(f"{shown} is not known exactly; give a finite sum to evaluate a_l")
        variable, steps = self.multiplier.scale.variable, []
        for name, formula in zip(("lambda_l", "b_l"), self.formulas, strict=True):
            numbers.refuse_symbols(formula.free_symbols - {variable}, f"{name} contains")
            steps.append(real_numeric(formula, f"{name} = {formula}", variable))
        slope, source = steps
        return lambda a, layer: slope(layer) * a + source(layer)


def layered_solution(multiplier, forcing, terms: int = 4, variable: Symbol = LAYER) -> LayeredSolution:
    """Solve a_l = multiplier a_(l-1) + forcing with `terms` terms in P and in H.

    Both are SymPy expressions or texts in `variable` (`LAYER` = Symbol("l", positive=True) by default) such as
    1/(l - 1), log(l - 1), sqrt(l + 1) or (of SymPy) gamma(l)/gamma(l + 1/2), numbers, or expansions; remainders of
    those, and of expressions that are no finite sums of l^p log(l)^j, limit the number of terms.  Fewer terms also come
    out when the solution is a finite sum.  Raises `UnsupportedError` outside the scale l^(-p) log(l)^j.

    >>> from sympy import symbols
    >>> alpha, c, q = symbols("alpha c q", positive=True)
    >>> solution = layered_solution(1 - alpha / LAYER + c / LAYER**2, q, terms=2)
    >>> print(solution.particular.coefficient(0))
    q*(alpha + c)/(alpha*(alpha + 1))
    >>> print(solution.h)
    l^(-alpha)*(1 + (alpha^2/2 - alpha/2 - c)/l + O(1/l^2))
    """
    variable = Symbol(variable, positive=True) if isinstance(variable, str) and variable.isidentifier() else variable
    terms, variable = check_terms(terms), require_symbol(variable, "variable")
    both = {"lambda_l": multiplier, "b_l": forcing}
    given = {k: e if isinstance(e, Expansion) else as_expression(e, k, variable, parameters=True)
             for k, e in both.items()}  # fmt: skip
    multiplier, forcing = (_expanded(e, name, variable, ORDERS + 2 * terms) for name, e in given.items())
    require_distinct(variable, *(c for part in (multiplier, forcing) for _, c in part.terms))
    exactly = [e.to_sympy() if isinstance(e, Expansion) and e.remainder is None else e for e in given.values()]
    formulas = tuple(None if isinstance(e, Expansion) else e for e in exactly)
    with limited("solving the layered recursion"):
        problem = Problem.of(multiplier, forcing, formulas)
        h = homogeneous(problem, terms)
        outside, found, pivots = _particular(problem, h, terms)
        h = None if h and h.factorials < 0 and found.remainder is not None else h
        divided = [problem.field.leave(pivot) for pivot in pivots] + ([] if h is None else [multiplier.terms[0][1]])
        generic = tuple(c for c in dict.fromkeys(divided) if c.is_zero is not False)
        formulas = None if None in formulas else formulas
        return LayeredSolution(multiplier, forcing, found, h, generic, formulas, integrals=outside)


def _particular(problem: Problem, h: Homogeneous | None, terms: int) -> tuple[Expr, Expansion, list]:
    """`particular`; with u = log log l in b_l = A u + B by a_l = Q u + rest, Q of A; if need be by a_l = H rest."""
    scale, slope = problem.forcing.scale, problem.multiplier
    rest, share = (problem.forcing.map_coefficients(lambda c, k=k: c.coeff(LOGLOG, k)) for k in (0, 1))
    if share.terms:
        layer = scale.variable
        alone = share.without_remainder()
        formulas = (problem.formulas[0], alone.to_sympy())
        front, q, pivots = particular(replace(problem, forcing=alone, formulas=formulas), terms)
        if front:
            raise UnsupportedError(f"log(log({layer})) times {share.truncate(1)} in b_l leads beyond li and log log")
        moved = q.to_sympy().subs(layer, layer - 1) * (log(log(layer)) - log(log(layer - 1)))
        size = Monomial(problem.order, 1)  # what truncating Q leaves, with u
        rest = rest - slope * expansion_in(moved, layer, ORDERS + 2 * terms)
        rest += Expansion.build(scale, {}, q.remainder and q.remainder.times(size))
        outside, found, more = _particular(Problem.of(slope, rest, problem.formulas), h, terms)
        return q.to_sympy() * log(log(layer)) + outside, found, pivots + more
    try:
        return particular(problem, terms)
    except BeyondLogs:
        if h is None or h.exponent is None or not h.exponent.is_Rational:
            raise UnsupportedError(
                f"b_l = {problem.forcing.truncate(1)} has a negative power of the logarithm; then the solution is "
                "known where H starts with a rational power of l; give numbers in lambda_l"
            ) from None
        whole = h.relative * Expansion.build(scale, {Monomial(-h.exponent): 1})
        inverse = whole.power(-1, Monomial(h.exponent + ORDERS + 2 * terms))
        one = Problem.of(Expansion.constant(scale, 1), rest * inverse, (S.One, None))
        outside, found, pivots = particular(one, terms)
        lead = one.forcing.leading[0]
        size = Monomial(lead.order - 1, lead.logs + 2 * (lead.order == 1))  # of `outside`, at the most
        found = whole * found + Expansion.build(scale, {}, whole.remainder and whole.remainder.times(size))
        return (whole.to_sympy() * outside).expand(), found, pivots


def _expanded(given: Expansion | Expr, name: str, variable: Symbol, orders: int) -> Expansion:
    """An expansion in `variable`, exact if it is a finite sum."""
    if isinstance(given, Expansion):
        if given.scale != Scale.at_infinity(variable):
            raise InputError(f"{name} is an expansion in {given.scale.variable}; give one in {variable} at infinity")
        return given
    if given.is_finite is False or given.has(oo, -oo, zoo, nan):
        raise InputError(f"{name} = {given} is not finite; give a formula like 1 - 2/{variable}")
    try:
        found = expansion_in(given, variable, orders)
        if name == "lambda_l" and any(m.logs < 0 or c.has(LOGLOG) for m, c in found.terms):
            raise UnsupportedError("it has a negative power of the logarithm, or log log")
        return found
    except (UnsupportedError, InputError) as reason:
        raise UnsupportedError(
            f"{name} = {given} is not of the form sum of c {variable}^p log({variable})^j, j "
            f"{'whole' if name == 'b_l' else '= 0, 1, 2, ...'}, p rational, at infinity: {reason}"
        ) from None


# ---- functions of the layer in the scale l^(-p) log(l)^j -----------------------------------------
#
# Gamma functions: log Gamma(l + a) = (l + a - 1/2) log l - l + log(2 pi)/2 + sum_k (-1)^(k+1) B_(k+1)(a)/(k (k+1) l^k).

GAMMAS = (sympy.factorial, sympy.binomial, sympy.RisingFactorial)


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
            return exponential_of(self.read(part.exp * log(part.base)), self._cut(0))
        if part.is_Pow:
            return self._power(part)
        if isinstance(part, log):
            logs, inner = self._without_logs(part.args[0])
            return inner.log(self._cut(0)) + LOGLOG * logs
        return self._analytic(part)

    def _cut(self, order) -> Monomial:
        return Monomial(order + self.orders)

    def _without_logs(self, part: Expr) -> tuple[int, Expansion]:
        """(j, rest) of log(l)^j rest, where rest starts without a log."""
        inner = self.read(part)
        logs = inner.leading[0].logs if inner.terms else 0
        return logs, inner * Expansion.build(self.scale, {Monomial(0, -logs): 1}) if logs else inner

    def _power(self, part: Expr) -> Expansion:
        if part.exp.is_Integer and part.exp > 0:
            return self.read(part.base).power(part.exp)
        (logs, base), exponent = self._without_logs(part.base), part.exp
        if not exponent.is_Rational or not base.terms or not (logs * exponent).is_Integer:
            raise UnsupportedError(f"{part} is not a power of {self.variable} with a rational exponent")
        logs = Expansion.build(self.scale, {Monomial(0, int(logs * exponent)): 1})
        return base.power(exponent, self._cut(base.leading[0].order * exponent)) * logs

    def _with_gammas(self, product: Expr) -> Expansion:
        """exp of the sum of e log Gamma(l + a), in which l log l and l cancel."""
        powers = {factor: factor.as_base_exp() for factor in Mul.make_args(product)}
        gammas = {factor: (base.args[0] - self.variable, e) for factor, (base, e) in powers.items()
                  if isinstance(base, gamma) and base.has(self.variable)}  # fmt: skip
        if sum(e for _, e in gammas.values()) != 0 or any(a.has(self.variable) for a, _ in gammas.values()):
            raise UnsupportedError(f"{product} is not a quotient of equally many factors Gamma({self.variable} + a)")
        terms = {(0, 1): sum(e * a for a, e in gammas.values())}
        for k in range(1, self.orders):
            share = Integer(-1) ** (k + 1) / Integer(k * (k + 1))
            terms[k, 0] = share * sum(e * sympy.bernoulli(k + 1, a) for a, e in gammas.values())
        logarithm = Expansion.build(self.scale, terms, Formal(self._cut(0)))
        return prod((self.read(f) for f in powers if f not in gammas), start=exponential_of(logarithm))

    def _analytic(self, part: Expr) -> Expansion:
        found = puiseux(part, self.variable, self.orders, inner=1 / Y)
        orders = [Monomial((found.valuation + k) / Integer(found.root)) for k in range(len(found.coefficients) + 1)]
        return Expansion.build(self.scale, dict(zip(orders, found.coefficients, strict=False)), Formal(orders[-1]))
