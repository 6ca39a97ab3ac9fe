"""P and H of a_l = lambda_l a_(l-1) + b_l in the scale l^(-p) log(l)^j, order by order, over an exact field.

A series is {k: polynomial in w = log l}, k counting orders in units of 1/grid.  With mu = 1 - lambda, residual = b - mu
a + lambda (a_l - a_(l-1) moved): its largest part gives the next q, the pivot being mu_r for mu = mu_r l^(-r) +
smaller, r < 1, or alpha + s of l^(s-1) ((alpha + s) q + q') for mu = alpha/l + smaller.  At alpha + s = 0 (resonance)
every power of w is integrated: one more log enters.  log(H/lambda_0^l) solves the recursion for lambda = 1, b =
log(lambda_l/lambda_0).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from sympy import EX, QQ, Expr, Integer, Mul, Pow, Rational, S, exp, floor, fraction, sign, together
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Monomial, Remainder
from asympt.expansions.fields import decisions
from asympt.expansions.fields.field import Field
from asympt.expansions.printing import latex_expr
from asympt.expansions.scale import largest, widened
from asympt.parsing import as_sympy

Series = Mapping[int, Sequence]
FACTORED = 60  # polynomials with more terms are printed expanded: factoring them is slow and does not help a reader
ONE_OVER = Monomial(1)


class ExactField(Field):
    """Exact coefficients, with parameters and constants.

    >>> from sympy import Symbol
    >>> field = ExactField.of([Symbol("a") + 1])
    >>> print(field.leave(field.number(Symbol("a")) / field.number(Symbol("a") + 1)))
    a/(a + 1)
    """

    @classmethod
    def of(cls, expressions: Iterable[Expr], divides: bool = True) -> "ExactField":
        """The smallest field that holds every expression; without `divides` a ring may do, which needs no gcd."""
        field = super().of(map(_real, expressions), quick=True, divides=divides)
        if field.domain is EX:
            raise UnsupportedError("the coefficients generate too large a field; write them with fewer constants")
        return field

    def number(self, expression) -> object:
        """A SymPy expression as an element."""
        return self.enter([expression])[0]

    def rational(self, number: Fraction) -> object:
        """A rational number, for sums and products with elements."""
        rational = QQ(number.numerator, number.denominator)
        return rational if self.domain.is_Composite else self.domain.convert(rational, QQ)

    def scale(self, element, rational) -> object:
        """An element times a rational number; in a fraction field without looking for common factors."""
        if isinstance(element, FracElement):
            return element.raw_new(element.numer * rational, element.denom)
        return element * rational

    def leave(self, element) -> Expr:
        """An element as a SymPy expression, in factors when they are short."""
        if isinstance(element, FracElement):
            return _factored(element.numer) / _factored(element.denom)
        return _factored(element) if isinstance(element, PolyElement) else super().leave(element)

    def is_zero(self, element) -> bool:
        """Whether an element is zero; `UnsupportedError` when numbers say yes and no proof is at hand."""
        return decisions.is_zero(self, element)


def _real(expression: Expr) -> Expr:
    expression = as_sympy(expression)
    if expression.is_real is False or (expression.is_number and not expression.is_finite):
        raise InputError(f"the coefficient {expression} is not a finite real number; give real coefficients")
    return expression


def _factored(polynomial: PolyElement) -> Expr:
    if len(polynomial) > FACTORED:
        return polynomial.as_expr()
    content, factors = polynomial.factor_list()
    return Mul(polynomial.ring.domain.to_sympy(content), *(factor.as_expr() ** power for factor, power in factors))


def solve_with_derivative(pivot, right: Sequence) -> list:
    """q with pivot q + q' = right, from the highest power down.

    >>> solve_with_derivative(Fraction(2), [Fraction(1), Fraction(4)])
    [Fraction(-1, 2), Fraction(2, 1)]
    """
    solution, above = list(right), right[0] * 0
    for j in reversed(range(len(right))):
        solution[j] = (right[j] - above) / pivot
        above = solution[j] * j
    return solution


def _derivatives(polynomial: Sequence) -> Iterator[list]:
    while polynomial:
        yield list(polynomial)
        polynomial = [j * c for j, c in enumerate(polynomial)][1:]


def clean(field, polynomial: list) -> list:
    """Without zeros at the end, and with true zeros for coefficients that are zero."""
    kept = [c * 0 if field.is_zero(c) else c for c in polynomial]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def sum_of(*polynomials: Sequence) -> list:
    """The sum of polynomials of any lengths."""
    total: list = []
    for polynomial in polynomials:
        for j, c in enumerate(polynomial[: len(total)]):
            if c:
                total[j] = total[j] + c if total[j] else c
        total += polynomial[len(total) :]
    return total


def times(one: Sequence, two: Sequence) -> list:
    """The product of two polynomials."""
    if not one or not two:
        return []
    total = [one[0] * two[0] * 0] * (len(one) + len(two) - 1)
    for i, c in enumerate(one):
        for j, d in enumerate(two):
            if c and d:
                total[i + j] = total[i + j] + c * d if total[i + j] else c * d
    return total


def logarithm(field, grid: int, series: Series, cut: int) -> dict[int, list]:
    """log of a series that tends to 1, orders below `cut`: l d/dl of the series is it times l d/dl of this."""
    slopes, result = {}, {}
    for k in range(1, cut):
        known = _slope(field, grid, k, series[k]) if k in series else []
        parts = (times(q, slopes[k - n]) for n, q in series.items() if n and k - n in slopes)
        right = sum_of(known, *([-c for c in part] for part in parts))
        if any(right):
            slopes[k], result[k] = right, solve_with_derivative(field.rational(Fraction(-k, grid)), right)
    return result


def exponential(field, grid: int, series: Series, cut: int) -> dict[int, list]:
    """exp of a series that tends to 0, orders below `cut`: l d/dl of it is the series' own times it."""
    result = {0: [field.rational(Fraction(1))]}
    slopes = {k: _slope(field, grid, k, q) for k, q in series.items()}
    for k in range(1, cut):
        right = sum_of(*(times(p, result[k - n]) for n, p in slopes.items() if k - n in result))
        if any(right):
            result[k] = solve_with_derivative(field.rational(Fraction(-k, grid)), right)
    return result


def _slope(field, grid: int, order: int, polynomial: Sequence) -> list:
    """l d/dl of l^(-order/grid) q(log l), divided by the power of l."""
    derivative = [j * c for j, c in enumerate(polynomial)][1:]
    factor = field.rational(Fraction(-order, grid))
    return sum_of([field.scale(c, factor) for c in polynomial], derivative)


@dataclass(frozen=True, eq=False)
class Problem:
    """a_l = lambda_l a_(l-1) + b_l over a field, 1 - lambda_l starting with value * l^(-order/grid).

    `critical`: that is l^(-1) or smaller, and s joins the pivot; `resonant`: the order at which alpha + s is exactly 0.
    """

    multiplier: Expansion
    forcing: Expansion
    field: ExactField
    grid: int
    order: int
    value: object
    critical: bool
    resonant: int | None = None

    @classmethod
    def of(cls, multiplier: Expansion, forcing: Expansion) -> "Problem":
        """Over the smallest field."""
        known = [term for e in (multiplier, forcing) for term in e.terms]
        grid, field = lcm(1, *(int(m.order.q) for m, _ in known)), ExactField.of([c for _, c in known])
        order, value = leading_defect(multiplier)
        resonant = _resonant_order(field, value, grid) if order == 1 else None
        return cls(multiplier, forcing, field, grid, int(order * grid), field.number(value), order == 1, resonant)

    def series(self, expansion: Expansion) -> dict[int, list]:
        """{order in units of 1/grid: [coefficients of 1, log l, ...]} over the field."""
        zero, series = self.field.number(Integer(0)), {}
        for monomial, coefficient in expansion.terms:
            polynomial = series.setdefault(int(monomial.order * self.grid), [])
            polynomial += [zero] * (monomial.logs + 1 - len(polynomial))
            polynomial[monomial.logs] = self.field.number(coefficient)
        return series

    def terms(self, series: Series) -> list[tuple[Monomial, Expr]]:
        """The same backwards: (monomial, coefficient), largest first, zeros left out."""
        return [
            (Monomial(Integer(k) / self.grid, j), self.field.leave(polynomial[j]))
            for k, polynomial in sorted(series.items())
            for j in reversed(range(len(polynomial)))
            if polynomial[j]
        ]

    def reaches(self, limit: Remainder | None, order: int) -> bool:
        """Whether the order is not yet hidden by the remainder."""
        return limit is None or Rational(order, self.grid) <= limit.monomial.order


def leading_defect(multiplier: Expansion) -> tuple[Rational, Expr]:
    """(r, c) with 1 - lambda_l = c l^(-r) + smaller; (1, alpha) when it is of order 1/l or smaller."""
    shown = multiplier.scale.to_sympy
    for monomial, coefficient in multiplier.terms[:1]:
        if monomial > Monomial(0):
            raise UnsupportedError(
                f"lambda_l grows like {coefficient * shown(monomial)}; only multipliers that tend to a number are "
                "solved"
            )
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


def _resonant_order(field: ExactField, alpha: Expr, grid: int) -> int | None:
    """The order (in units of 1/grid) at which alpha + s = 0; None when there is none, or alpha is a symbol."""
    alpha = field.leave(field.number(alpha))
    if alpha.free_symbols:
        return None
    order = int(floor(alpha * grid + Rational(1, 2)))
    return order if field.is_zero(field.number(alpha - Rational(order, grid))) else None


class Shift:
    """l^s q(log l) at l - 1, without the term itself: the coefficient polynomials of l^(s-1), l^(s-2), ..."""

    def __init__(self, field, power: Fraction, polynomial: Sequence):
        self.field, self.power, self.m = field, power, 0
        self.derivatives = list(_derivatives(polynomial))
        self.column = [field.rational(Fraction(int(i == 0))) for i in range(len(polynomial))]

    def advance(self) -> list:
        """The next m: m e_(i,m) = (m - 1 - s) e_(i,m-1) - e_(i-1,m-1)."""
        self.m += 1
        factor = self.field.rational((self.m - 1 - self.power) / self.m)
        share = self.field.rational(Fraction(1, self.m))
        lower = [self.column[0] * 0, *self.column[:-1]]
        self.column = [factor * e - share * below for e, below in zip(self.column, lower, strict=True)]
        pairs = zip(self.column, self.derivatives, strict=True)
        return sum_of(*([self.field.scale(c, e) for c in derivative] for e, derivative in pairs if e))


class Elimination:
    """The solution so far, and the step to the next order.

    `solved`: {order: polynomial in log l};  `divisors`: {order: pivot divided by};  `resonances`: the orders at which
    a log was added.
    """

    def __init__(self, problem: Problem, multiplier: Series, forcing: Series):
        self.problem, self.field, self.grid = problem, problem.field, problem.grid
        self.multiplier, self.forcing = multiplier, forcing
        self.defect = {k: [-c for c in q] for k, q in multiplier.items() if k > problem.order}
        self.order = min(forcing) - problem.order
        self.solved: dict[int, list] = {}
        self.divisors: dict[int, object] = {}
        self.resonances: list[int] = []
        self._moved: dict[int, list] = {}
        self._shifts: dict[int, list[Shift]] = defaultdict(list)

    def advance(self) -> list:
        """Solve the next order; its polynomial in log l, [] when there is none."""
        here, below = self.order, self.order + self.problem.order
        shifts = self._shifts[below % self.grid]
        self._moved[below] = sum_of(*(shift.advance() for shift in shifts))
        solution = self._invert(here, clean(self.field, self._residual(below)))
        if solution:
            self.solved[here] = solution
            shift = Shift(self.field, Fraction(-here, self.grid), solution)
            self._shifts[here % self.grid].append(shift)
            if self.problem.order == self.grid:  # the first part moved lies at this very order
                self._moved[below] = sum_of(self._moved[below], shift.advance())
        self.order += 1
        return solution

    def _residual(self, order: int) -> list:
        """The coefficient of l^(-order) in b - mu a + lambda moved, from what is solved."""
        parts = [list(self.forcing.get(order, ()))]
        for k, q in self.defect.items():
            if order - k in self.solved:
                parts.append([-c for c in times(q, self.solved[order - k])])
        for k, q in self.multiplier.items():
            if self._moved.get(order - k):
                parts.append(times(q, self._moved[order - k]))
        return sum_of(*parts)

    def _invert(self, order: int, residual: list) -> list:
        if not residual:
            return []
        if order == self.problem.resonant:
            self.resonances.append(order)
            shares = (self.field.rational(Fraction(1, j + 1)) for j in range(len(residual)))
            return [residual[0] * 0, *map(self.field.scale, residual, shares)]
        pivot = self.problem.value
        if self.problem.critical:
            pivot = pivot - self.field.rational(Fraction(order, self.grid))
        self.divisors[order] = pivot
        return solve_with_derivative(pivot, residual) if self.problem.critical else [c / pivot for c in residual]


def homogeneous_parts(problem: Problem, multiplier: Series, cut: int) -> tuple[Series, Series]:
    """(E, g) of H from lambda/lambda_0, g up to, not including, the order cut - grid."""
    one, field, grid = multiplier[0][0], problem.field, problem.grid
    forcing = {k: q for k, q in logarithm(field, grid, multiplier, cut).items() if any(q)}
    if not forcing:
        return {}, {0: [one]}
    of_sums = replace(problem, order=grid, value=field.rational(Fraction(0)), critical=True, resonant=0)
    sums = Elimination(of_sums, {0: [one]}, forcing)
    while sums.order < cut - grid:
        sums.advance()
    g = exponential(field, grid, {k: q for k, q in sums.solved.items() if k > 0}, cut - grid)
    return {k: q for k, q in sums.solved.items() if k <= 0}, {k: c for k, q in g.items() if (c := clean(field, q))}


def particular(problem: Problem, terms: int) -> tuple[Expansion, Elimination | None]:
    """`terms` terms (fewer when it ends before, or remainders hide the rest), and the elimination that found them.

    Stops when one more monomial than requested is known, the formal remainder; before when the remainders of lambda_l
    and b_l hide everything further, or when the finite sum found so far solves the recursion exactly.
    """
    forcing = problem.series(problem.forcing)
    if not forcing:
        return Expansion(problem.forcing.scale, (), _lifted(problem, problem.forcing.remainder)), None
    steps = Elimination(problem, problem.series(problem.multiplier), forcing)
    while not steps.solved:
        steps.advance()
    limit, exact, tested = _limit(problem, problem.terms(steps.solved)[0][0]), False, 0
    while not exact and _count(steps.solved) <= terms and problem.reaches(limit, steps.order):
        if not steps.advance() and tested != len(steps.solved):
            tested = len(steps.solved)
            exact = _solves(problem.multiplier, problem.forcing, problem.terms(steps.solved))
    return _expansion(problem, steps.solved, terms, limit), steps


def _count(solved: Series) -> int:
    return sum(1 for polynomial in solved.values() for c in polynomial if c)


def _limit(problem: Problem, lead: Monomial) -> Remainder | None:
    """The remainder of a_l that those of lambda_l and b_l cause: O(m) in lambda_l counts like O(m a_l) in b_l."""
    rest = problem.multiplier.remainder
    both = (problem.forcing.remainder, rest and rest.times(lead))
    return largest(*(_lifted(problem, rest) for rest in both))


def _lifted(problem: Problem, rest: Remainder | None) -> Remainder | None:
    """What O(rest) in b_l does to a_l: l^r times it, r the order of the pivot, and one more log at the resonance."""
    if rest is None:
        return None
    order = rest.monomial.order - Rational(problem.order, problem.grid)
    resonant = problem.resonant is not None and order == Rational(problem.resonant, problem.grid)
    return widened(rest, Monomial(order, rest.monomial.logs + resonant))


def _expansion(problem: Problem, solved: Series, terms: int, limit: Remainder | None) -> Expansion:
    """The first `terms` terms with their remainder."""
    found = [t for t in problem.terms(solved) if limit is None or t[0] > limit.monomial]
    if len(found) > terms:
        limit = widened(limit, found[terms][0])
    return Expansion(problem.forcing.scale, tuple(found[:terms]), limit)


def _solves(multiplier: Expansion, forcing: Expansion, terms: Sequence[tuple[Monomial, Expr]]) -> bool:
    """Whether a finite sum solves the recursion exactly; with logs or other powers it never does."""
    known = multiplier.remainder is None and forcing.remainder is None
    if not known or any(m.logs or not m.order.is_Integer for m, _ in terms):
        return False
    layer = multiplier.scale.variable
    now, before = (sum(c * place**-m.order for m, c in terms) for place in (layer, layer - 1))
    rest = now - multiplier.to_sympy() * before - forcing.to_sympy()
    return decisions.vanishes(fraction(together(rest))[0])


@dataclass(frozen=True)
class Homogeneous:
    """H = base^l exp(growth) relative, with relative -> 1.

    `growth`: exact, every term tends to infinity; `relative`: 1 + smaller terms.
    """

    base: Expr
    growth: Expansion
    relative: Expansion

    @property
    def exponent(self) -> Expr | None:
        """The power of l with which H starts, None when it is not a power."""
        terms = self.growth.coefficients
        power = terms.pop(Monomial(0, 1), Integer(0))
        return None if self.base != 1 or terms else power

    @property
    def character(self) -> str:
        """'power', 'smaller than every power', 'larger than every power', 'oscillating' or 'undecided' (symbols)."""
        size = abs(self.base) - 1
        if size == 0 and self.growth.terms and self.growth.terms[0][0] > Monomial(0, 1):
            size = self.growth.terms[0][1]
        elif size == 0:
            return "power" if self.base == 1 else "oscillating"
        return {1: "larger than every power", -1: "smaller than every power"}.get(sign(size), "undecided")

    def prefactor(self) -> Expr:
        """base^l exp(growth) as a SymPy expression.

        >>> from asympt.recursions.linear_recurrence.solution import LAYER, layered_solution
        >>> print(layered_solution(1 - 2 / LAYER, 0).h.prefactor())
        l**(-2)
        """
        variable = self.growth.scale.variable
        terms = self.growth.coefficients
        power = terms.pop(Monomial(0, 1), Integer(0))
        rest = sum((c * self.growth.scale.to_sympy(m) for m, c in terms.items()), Integer(0))
        return Pow(self.base, variable) * variable**power * exp(rest)

    def to_sympy(self) -> Expr:
        """The terms as a SymPy expression, without the remainder."""
        return self.prefactor() * self.relative.to_sympy()

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
    """H with `terms` terms in its relative part; None when lambda_l -> 0 or its remainder hides the power of l."""
    slope = problem.multiplier
    lead, rest = slope.terms[0] if slope.terms else (ONE_OVER, Integer(0)), slope.remainder
    if lead[0].order > 0 or (rest is not None and rest.monomial >= ONE_OVER):
        return None
    if lead[1] == 1:  # then all divisions are by rational numbers
        problem = replace(problem, field=ExactField.of([c for _, c in slope.terms], divides=False))
    parts, relative = _relative(problem, normalised(problem.series(slope)), lead[1], terms)
    return Homogeneous(lead[1], Expansion(slope.scale, tuple(problem.terms(parts))), relative)


def normalised(multiplier: Series) -> Series:
    """lambda_l / lambda_0."""
    lead = multiplier[0][0]
    return multiplier if lead == 1 else {k: [c / lead for c in q] for k, q in multiplier.items()}


def _relative(problem: Problem, multiplier: Series, base: Expr, terms: int) -> tuple[Series, Expansion]:
    """E, and g = 1 + ... from longer and longer multipliers until there are enough terms."""
    slope, grid = problem.multiplier, problem.grid
    limit = slope.remainder and slope.remainder.times(Monomial(-1))
    units = 4 if any(m.logs for m, _ in slope.terms) else 2 + -(-terms // grid)  # a guess
    while True:
        parts, found = homogeneous_parts(problem, multiplier, units * grid)
        if _count(found) > terms or not problem.reaches(limit, (units - 1) * grid):
            break
        if limit is None and _solves_homogeneous(problem, base, parts, found):
            break
        units += units // 2
    return parts, _expansion(problem, found, terms, limit)


def _solves_homogeneous(problem: Problem, base: Expr, parts: Series, solved: Series) -> bool:
    """Whether l^power times the finite sum solves a_l = lambda_l/lambda_0 a_(l-1) exactly; the power must be whole."""
    if any(k or len(q) > 2 for k, q in parts.items()):
        return False
    power = problem.field.leave(parts[0][1]) if parts else Integer(0)
    if not power.is_Integer:
        return False
    shifted = [(Monomial(m.order - power, m.logs), c) for m, c in problem.terms(solved)]
    multiplier = problem.multiplier.map_coefficients(lambda c: c / base)
    return _solves(multiplier, Expansion(multiplier.scale, ()), shifted)
