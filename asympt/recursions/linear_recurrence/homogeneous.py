"""The homogeneous solution of a layered recursion: H_l = lambda_l H_(l-1).

Problem.  Expand H = prod lambda_k, for lambda -> lambda_0 of any kind, up to a constant factor.

Rule.  Divide by lambda_0^l.  Then log H is a sum of log(lambda_k/lambda_0): the elimination for multiplier 1 gives
its parts that do not tend to 0 (the `growth` E, without its constant).  What is left,

    H = lambda_0^l exp(E(l)) g_l,      g_l = lambda_l/lambda_0 exp(E(l-1) - E(l)) g_(l-1),      g -> 1,

has a multiplier 1 + o(1/l), and the elimination gives g - 1.

Tiny case.  lambda = 1 - alpha/l: E = -alpha log l, g = 1 + alpha (alpha - 1)/(2 l) + ...;  lambda = 1 - c/sqrt(l):
E = -2 c sqrt(l) - c^2/2 log l.

Known limits.  None for lambda_l -> 0, where H falls faster than every exponential.
"""

from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Integer, Pow, S, exp, sign

from asympt.expansions import Expansion, Monomial
from asympt.expansions.printing import latex_expr
from asympt.recursions.linear_recurrence.elimination import (
    Elimination,
    Pivot,
    Series,
    Shift,
    exponential,
    product,
    sum_of,
)

ONE = S.One


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


def normalised(field, multiplier: Series) -> dict[int, list]:
    """lambda_l / lambda_0."""
    lead = multiplier[0][0]
    return dict(multiplier) if lead == 1 else {k: [c / lead for c in q] for k, q in multiplier.items()}


def growth(field, grid: int, multiplier: Series) -> dict[int, list]:
    """E from lambda/lambda_0: sum log(lambda_k/lambda_0) up to terms that tend to a constant."""
    one = multiplier[0][0]
    forcing = {k: q for k, q in _logarithm(field, multiplier, grid + 1).items() if any(q)}
    if not forcing:
        return {}
    sums = Elimination(field, grid, {0: [one]}, forcing, Pivot(grid, field.rational(Fraction(0)), True, resonant=0))
    while sums.order <= 0:
        sums.advance()
    return sums.solved


def _logarithm(field, multiplier: Series, cut: int) -> dict[int, list]:
    """log lambda = -sum (1 - lambda)^n / n, orders below `cut`."""
    small = {k: [-c for c in q] for k, q in multiplier.items() if 0 < k < cut}
    total: dict[int, list] = {}
    power, n = small, 1
    while power:
        for k, q in power.items():
            share = field.rational(Fraction(-1, n))
            total[k] = sum_of(total.get(k, ()), [field.scale(c, share) for c in q])
        power, n = product(power, small, cut), n + 1
    return total


def smoothed(field, grid: int, multiplier: Series, parts: Series, cut: int) -> dict[int, list]:
    """lambda exp(E(l-1) - E(l)), orders below `cut`."""
    moved: dict[int, list] = {}
    for k, q in parts.items():
        shift = Shift(field, Fraction(-k, grid), q)
        for order in range(k + grid, cut, grid):
            moved[order] = sum_of(moved.get(order, ()), shift.advance())
    factor = exponential(multiplier[0][0], moved, grid, field, cut)
    return product(multiplier, factor, cut)


def relative_steps(field, grid: int, multiplier: Series, cut: int) -> Elimination | None:
    """The elimination for g - 1, good for orders below cut - grid; None when g = 1 as far as `cut` shows."""
    one = multiplier[0][0]
    smooth = smoothed(field, grid, multiplier, growth(field, grid, multiplier), cut)
    forcing = {k: q for k, q in smooth.items() if k > grid and any(not field.is_zero(c) for c in q)}
    if not forcing:
        return None
    smooth = {0: [one], **forcing}
    return Elimination(field, grid, smooth, forcing, Pivot(grid, field.rational(Fraction(0)), True, resonant=0))
