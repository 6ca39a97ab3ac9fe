"""P and H of a layered recursion as expansions: how many orders to eliminate, and what remainder to state.

Problem.  The elimination goes on for ever; a result has `terms` terms and says what it leaves out.

Rule.  Stop when one monomial more than asked is known: it is the formal remainder.  Stop before when the remainders
of lambda_l and b_l hide everything further: O(m) in b_l is O(m l^r) in a_l, r the order of the pivot, with one more
log at the resonance, and O(m) in lambda_l counts like O(m a_l) in b_l.  Stop also when the finite sum found so far
solves the recursion exactly: without logs and with whole powers both sides, times a power of l - 1, are finite sums
and can be compared; with logs or other powers in a_l they never agree, because log(l - 1) is no function of log l.

Tiny case.  lambda = 1 - alpha/l, b = q: a = q (l + 1)/(1 + alpha) exactly.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import comb, lcm

from sympy import Expr, Integer, Pow, Rational, S, exp, floor, sign

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Monomial, Remainder
from asympt.expansions.printing import latex_expr
from asympt.expansions.remainder import largest, widened
from asympt.recursions.linear_recurrence.elimination import (
    Elimination,
    ExactField,
    Pivot,
    Series,
    homogeneous_parts,
    sum_of,
    times,
)

ONE, ONE_OVER = S.One, Monomial(1)


@dataclass(frozen=True, eq=False)
class Problem:
    """a_l = lambda_l a_(l-1) + b_l over a field: the two series, the pivot, and the expansions they come from."""

    multiplier: Expansion
    forcing: Expansion
    field: object
    grid: int
    pivot: Pivot

    @property
    def series(self) -> tuple[dict[int, list], dict[int, list]]:
        """lambda and b as series over the field."""
        return tuple(series_of(e, self.grid, self.field) for e in (self.multiplier, self.forcing))

    @classmethod
    def exact(cls, multiplier: Expansion, forcing: Expansion) -> "Problem":
        """Over the smallest exact field."""
        field = ExactField.of([c for e in (multiplier, forcing) for _, c in e.terms])
        return cls.over(field, multiplier, forcing, field)

    @classmethod
    def over(cls, field, multiplier: Expansion, forcing: Expansion, exact: ExactField) -> "Problem":
        """Over any field; `exact` decides whether there is a resonance."""
        order, value = leading_defect(multiplier)
        grid = grid_of([multiplier, forcing])
        critical = order == 1
        resonant = resonant_order(exact, value, grid) if critical else None
        return cls(multiplier, forcing, field, grid, Pivot(int(order * grid), field.number(value), critical, resonant))


# ---- expansions as series over a field ---------------------------------------------------------------


def grid_of(expansions: Iterable[Expansion]) -> int:
    """The common denominator of all orders."""
    return lcm(1, *(int(m.order.q) for e in expansions for m, _ in e.terms))


def series_of(expansion: Expansion, grid: int, field) -> dict[int, list]:
    """{order in units of 1/grid: [coefficients of 1, log l, ...]} over the field."""
    zero = field.number(Integer(0))
    series: dict[int, list] = {}
    for monomial, coefficient in expansion.terms:
        polynomial = series.setdefault(int(monomial.order * grid), [])
        polynomial += [zero] * (monomial.logs + 1 - len(polynomial))
        polynomial[monomial.logs] = field.number(coefficient)
    return series


def terms_of(series: dict[int, list], grid: int) -> list[tuple[Monomial, object]]:
    """(monomial, element), largest first, zeros left out."""
    return [
        (Monomial(Integer(k) / grid, j), polynomial[j])
        for k, polynomial in sorted(series.items())
        for j in reversed(range(len(polynomial)))
        if polynomial[j]
    ]


# ---- what lambda_l tends to -------------------------------------------------------------------------


def leading_defect(multiplier: Expansion) -> tuple[Rational, Expr]:
    """(r, c) with 1 - lambda_l = c l^(-r) + smaller; (1, alpha) when it is of order 1/l or smaller."""
    for monomial, coefficient in multiplier.terms[:1]:
        if monomial > Monomial(0):
            raise UnsupportedError(
                f"lambda_l grows like {coefficient * multiplier.scale.to_sympy(monomial)}; only multipliers that tend "
                "to a number are solved"
            )
    defect = 1 - multiplier
    lead, value = defect.terms[0] if defect.terms else (Monomial(2), Integer(0))
    if lead.order > 1:
        lead, value = ONE_OVER, Integer(0)
    if lead.logs:
        raise UnsupportedError(
            f"1 - lambda_l starts with {value * multiplier.scale.to_sympy(lead)}, and dividing by a log leaves the "
            "scale l^(-p) log(l)^j; give a multiplier whose 1 - lambda_l starts with a pure power of l"
        )
    _require_known(multiplier, lead)
    return lead.order, value


def _require_known(multiplier: Expansion, lead: Monomial) -> None:
    rest = multiplier.remainder
    if rest is not None and rest.monomial >= lead:
        raise UnsupportedError(
            f"lambda_l = {multiplier} hides its term of the size {multiplier.scale.to_sympy(lead)}, which decides the "
            "law; give lambda_l with a smaller remainder"
        )


def resonant_order(field: ExactField, alpha: Expr, grid: int) -> int | None:
    """The order (in units of 1/grid) at which alpha + s = 0; None when there is none, or alpha is a symbol."""
    alpha = field.leave(field.number(alpha))
    if alpha.free_symbols:
        return None
    order = int(floor(alpha * grid + Rational(1, 2)))
    return order if field.is_zero(field.number(alpha - Rational(order, grid))) else None


# ---- the particular solution ------------------------------------------------------------------------


def particular(problem: Problem, terms: int) -> tuple[Expansion, Elimination | None]:
    """`terms` terms (fewer when it ends before, or remainders hide the rest), and the elimination that found them."""
    multiplier, forcing = problem.series
    if not forcing:
        rest = _lifted(problem, problem.forcing.remainder)
        return Expansion(problem.forcing.scale, (), rest), None
    steps = Elimination(problem.field, problem.grid, multiplier, forcing, problem.pivot)
    while not steps.solved:
        steps.advance()
    limit = _limit(problem, terms_of(steps.solved, problem.grid)[0][0])
    exact, tested = False, 0
    while not exact and _count(steps.solved) <= terms and _within(limit, steps.order, problem.grid):
        found = steps.advance()
        if not found and _finite(problem) and tested != len(steps.solved):
            tested = len(steps.solved)
            exact = solves(problem.field, problem.grid, multiplier, forcing, steps.solved)
    return _expansion(problem, steps.solved, terms, limit), steps


def _count(solved: Series) -> int:
    return sum(1 for polynomial in solved.values() for c in polynomial if c)


def _within(limit: Remainder | None, order: int, grid: int) -> bool:
    return limit is None or Rational(order, grid) <= limit.monomial.order


def _finite(problem: Problem) -> bool:
    return problem.multiplier.remainder is None and problem.forcing.remainder is None


def _limit(problem: Problem, lead: Monomial) -> Remainder | None:
    """The remainder of a_l that those of lambda_l and b_l cause."""
    both = [problem.forcing.remainder]
    if problem.multiplier.remainder is not None:
        both.append(problem.multiplier.remainder.times(lead))
    return largest(*(_lifted(problem, rest) for rest in both))


def _lifted(problem: Problem, rest: Remainder | None) -> Remainder | None:
    """What O(rest) in b_l does to a_l."""
    if rest is None:
        return None
    order = rest.monomial.order - Rational(problem.pivot.order, problem.grid)
    resonant = problem.pivot.resonant is not None and order == Rational(problem.pivot.resonant, problem.grid)
    return widened(rest, Monomial(order, rest.monomial.logs + resonant))


def _expansion(problem: Problem, solved: Series, terms: int, limit: Remainder | None) -> Expansion:
    """The first `terms` terms with their remainder; exact coefficients leave the field."""
    found = [t for t in terms_of(solved, problem.grid) if limit is None or t[0] > limit.monomial]
    kept = tuple((monomial, problem.field.leave(element)) for monomial, element in found[:terms])
    if len(found) > terms:
        limit = widened(limit, found[terms][0])
    return Expansion(problem.forcing.scale, kept, limit)


# ---- the homogeneous solution -----------------------------------------------------------------------


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

    def text(self, constant: Expr = ONE) -> str:
        """`constant` times the homogeneous solution, as text."""
        return _shown(str(constant * self.prefactor()).replace("**", "^"), str(self.relative), "*")

    def latex(self, constant: Expr = ONE) -> str:
        """`constant` times the homogeneous solution, as LaTeX."""
        return _shown(latex_expr(constant * self.prefactor()), self.relative.latex(), r"\,")


def _shown(front: str, relative: str, by: str) -> str:
    if relative == "1":
        return front
    return f"({relative})" if front == "1" else f"{front}{by}({relative})"


def homogeneous(problem: Problem, terms: int) -> Homogeneous | None:
    """H with `terms` terms in its relative part; None when lambda_l -> 0 or its remainder hides the power of l."""
    lead = problem.multiplier.terms[0] if problem.multiplier.terms else (ONE_OVER, Integer(0))
    rest = problem.multiplier.remainder
    if lead[0].order > 0 or (rest is not None and rest.monomial >= ONE_OVER):
        return None
    if lead[1] == 1:  # then all divisions are by rational numbers
        ring = ExactField.of([c for _, c in problem.multiplier.terms], divides=False)
        problem = replace(problem, field=ring)
    multiplier = normalised(series_of(problem.multiplier, problem.grid, problem.field))
    parts, relative = _relative(problem, multiplier, terms)
    shown = tuple((m, problem.field.leave(c)) for m, c in terms_of(parts, problem.grid))
    return Homogeneous(lead[1], Expansion(problem.multiplier.scale, shown), relative)


def normalised(multiplier: Series) -> Series:
    """lambda_l / lambda_0."""
    lead = multiplier[0][0]
    return multiplier if lead == 1 else {k: [c / lead for c in q] for k, q in multiplier.items()}


def _relative(problem: Problem, multiplier: Series, terms: int) -> tuple[Series, Expansion]:
    """E, and g = 1 + ... from longer and longer multipliers until there are enough terms."""
    rest, grid = problem.multiplier.remainder, problem.grid
    limit = rest and rest.times(Monomial(-1))
    units = 4 if any(m.logs for m, _ in problem.multiplier.terms) else 2 + -(-terms // grid)  # a guess
    while True:
        parts, found = homogeneous_parts(problem.field, grid, multiplier, units * grid)
        if _count(found) > terms or not _within(limit, (units - 1) * grid, grid):
            break
        if limit is None and _solves_homogeneous(problem, multiplier, parts, found):
            break
        units += units // 2
    return parts, _expansion(problem, found, terms, limit)


def _solves_homogeneous(problem: Problem, multiplier: Series, parts: Series, solved: Series) -> bool:
    """Whether l^power times the finite sum solves a_l = lambda_l/lambda_0 a_(l-1) exactly; the power must be whole."""
    if any(k or len(q) > 2 for k, q in parts.items()):
        return False
    power = problem.field.leave(parts[0][1]) if parts else Integer(0)
    if not power.is_Integer:
        return False
    shifted = {k - int(power) * problem.grid: q for k, q in solved.items()}
    return solves(problem.field, problem.grid, multiplier, {}, shifted)


# ---- exact finite solutions -------------------------------------------------------------------------


def solves(field, grid: int, multiplier: Series, forcing: Series, solved: Series) -> bool:
    """Whether the finite sum solves the recursion exactly: (l-1)^n (a_l - lambda_l a_(l-1) - b_l) = 0."""
    if any(k % grid or len(q) > 1 for k, q in solved.items()):
        return False
    top = max(0, *(k // grid for k in solved))
    total: dict[int, list] = {}

    def add(series: Series, shift: int, power: int, factor) -> None:
        """total += factor * series * l^(-shift) * (l - 1)^power."""
        for m in range(power + 1):
            weight = factor * (-1) ** m * comb(power, m)
            for k, q in series.items():
                key = k + shift + (m - power) * grid
                total[key] = sum_of(total.get(key, ()), times([weight], q))

    one = next(iter(solved.values()))[0] * 0 + 1
    for k, q in solved.items():
        add({0: [one]}, k, top, q[0])
        add(multiplier, 0, top - k // grid, -q[0])
    add(forcing, 0, top, -one)
    return all(field.is_zero(c) for q in total.values() for c in q)
