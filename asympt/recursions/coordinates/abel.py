"""The Abel function of a parabolic recursion: the coordinate in which one layer is one step.

t' = t (1 + e(t)) with e = e_m t^m + ..., e_m < 0: find A = sum_(k>=-m) alpha_k t^k + rho log t, alpha_0 = 0 (another
choice shifts C), with A(t') = A(t) + 1; then A(t_l) = l + C for ever.  The residual

    -1 + sum_k alpha_k t^k ((1+e)^k - 1) + rho log(1+e),

is made zero order by order: summand k starts at t^(k+m) with alpha_k k e_m, and for k = 0 the unknown is rho, the
iterative residue.  Price: the series (1+e)^k (`Powers`), (n/g)^3/6 multiplications for n coefficients of an e in t^g.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Dummy, Expr, Rational, cancel

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field, is_algebraic
from asympt.expansions.series import dot, logarithm, power, product
from asympt.parsing import as_sympy
from asympt.recursions.protocol import T
from asympt.showing import one_line

AT_FIXED_POINT = Scale.at_zero(T)
UNIT = Dummy("unit", positive=True)
SEEN = 4  # terms on a line or a page; `expansion` has all


def multiplicity(growth: Sequence) -> int:
    """m, the index of the first coefficient of e that is not zero; an error when e vanishes."""
    for index, coefficient in enumerate(growth):
        if coefficient != 0:
            return index
    raise UnsupportedError("the map is the identity to every order examined, so nothing moves with depth")


def stride(*serieses: Sequence) -> int:
    """g, the largest number such that all these series are series in t^g (1 when all are constants).

    >>> stride([0, 0, -1, 0, 3, 0, 0, 0, 1]), stride([0, 0, -1], [1, 2, 0])
    (2, 1)
    """
    return math.gcd(*(k for series in serieses for k, c in enumerate(series) if c)) or 1


class Powers:
    """(1+e)^k for k = -m, -m + g, ..., last and log(1+e), as series in s = t^g: computed once, for A and for P.

    `rows`: {k: the coefficients of (1+e)^k up to t^(last+m-k)}, as far as the equations reach.
    """

    def __init__(self, growth: Sequence, m: int, last: int, step: int):
        self.stride, self.length = step, (last + 2 * m) // step + 1
        one = growth[m] * 0 + 1
        self.factor = [one, *growth[step::step]][: self.length]
        forward, row, self.rows = power(self.factor, step, self.length), power(self.factor, -m, self.length), {}
        for k in range(-m, last + 1, step):
            self.rows[k] = row if k else [one] + [one * 0] * (len(row) - 1)
            row = product(forward, self.rows[k], len(row) - 1)

    @cached_property
    def logarithm(self) -> list:
        """The coefficients of log(1+e)."""
        return logarithm(self.factor, self.length)


def solve_rows(rows: dict[int, Sequence], source: Sequence, m: int, step: int) -> dict:
    """The numbers w_k with sum_k w_k t^k rows[k] = source, the series rows[k] in t^step starting at t^m.

    >>> from fractions import Fraction as Q
    >>> solve_rows({0: [Q(0), Q(2), Q(1)], 1: [Q(0), Q(3)]}, [0, Q(2), Q(7)], m=1, step=1)
    {0: Fraction(1, 1), 1: Fraction(2, 1)}
    """
    solved = {}
    for k, row in rows.items():
        column = [rows[i][(k + m - i) // step] for i in solved]
        lead = row[m // step]
        solved[k] = (source[k + m] - dot(column, list(solved.values()), lead * 0)) / lead
    return solved


def solve_abel(
    growth: Sequence, m: int, last: int, powers: Powers | None = None, source: Sequence | None = None
) -> tuple[dict, object]:
    """({k: alpha_k for -m <= k <= last, k != 0}, rho) from the coefficients e_0, ..., e_(last+2m) of e.

    Works over any field: exact field elements or mpmath numbers.  With a `source` b, that of A(t') = A(t) + b(t).

    >>> from fractions import Fraction as Q
    >>> solve_abel([Q(0), Q(-1), Q(0), Q(0), Q(0)], m=1, last=2)
    ({-1: Fraction(1, 1), 1: Fraction(1, 2), 2: Fraction(1, 3)}, Fraction(1, 1))
    """
    powers = powers or Powers(growth, m, last, stride(growth))
    zero = growth[m] * 0
    rows = powers.rows | {0: powers.logarithm}  # the unknown of k = 0 is rho, and the row that it multiplies log(1+e)
    solved = solve_rows(rows, source or [zero + 1] + [zero] * (last + m), m, powers.stride)
    residue = solved.pop(0)
    return {k: solved.get(k, zero) for k in range(-m, last + 1) if k}, residue


@dataclass(frozen=True)
class AbelFunction:
    """A(t) = sum alpha_k t^k + rho log t, exact, with alpha_0 = 0.

    `expansion`: A as an expansion in t at 0; `root`: the recursion's variable is x = t^root.

    >>> from sympy import Rational
    >>> A = AbelFunction.solve([0, -1, 0, 0, 0, 0], root=1)
    >>> print(A.expansion)
    1/t + log(t) + t/2 + t^2/3 + 13*t^3/36 + O(t^4)
    >>> A.residue, A[1]
    (1, 1/2)
    """

    expansion: Expansion
    root: int = 1

    @classmethod
    def solve(cls, growth: Sequence[Expr], root: int) -> "AbelFunction":
        """From the exact coefficients e_0, e_1, ... of e; as many alpha_k as they determine."""
        m = multiplicity(growth)
        if not is_algebraic(as_sympy(growth[m])):
            natural, scale = in_natural_unit(growth, growth[m], m), natural_unit(growth[m], m)
            return cls.solve(natural, root).rescale(UNIT).subs({UNIT: scale})
        field = Field.of(growth)
        last = len(growth) - 2 * m - 1
        alpha, residue = solve_abel(field.enter(growth), m, last)
        terms = {(k, 0): field.leave(value) for k, value in alpha.items()}
        terms[(0, 1)] = field.leave(residue)
        return cls(Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(last + 1))), root)

    def __repr__(self) -> str:
        seen = self.expansion.truncate(SEEN).readable()
        return one_line("AbelFunction", f"A({seen.scale.variable}) = {seen}")

    def _repr_latex_(self) -> str:
        seen = self.expansion.truncate(SEEN).readable()
        return rf"$\displaystyle A({seen.scale.variable}) = {seen.latex()}$"

    def __getitem__(self, k: int) -> Expr:
        return self.expansion.coefficient(k)

    @property
    def multiplicity(self) -> int:
        """m: the Abel function starts with t^(-m)."""
        return -int(self.expansion.leading[0].order)

    @property
    def residue(self) -> Expr:
        """rho, the iterative residue: the coefficient of log t."""
        return self.expansion.coefficient(0, 1)

    def rescale(self, scale: Expr) -> "AbelFunction":
        """The Abel function in t = scale * tau, from the one in tau."""
        return AbelFunction(rescale(self.expansion, scale), self.root)

    def subs(self, values) -> "AbelFunction":
        """Substitute parameters in every coefficient."""
        return AbelFunction(self.expansion.subs(values), self.root)


def rescale(expansion: Expansion, scale: Expr) -> Expansion:
    """A solution in tau as a solution in t = scale * tau.

    log tau = log t - log(scale) is written log t: that changes A by a constant and P by a multiple of H,
    which keeps them solutions and keeps alpha_0 = 0 and p_h = 0 in t.
    """
    terms = {m: c * scale**-m.order for m, c in expansion.terms}
    return Expansion.build(expansion.scale, terms, expansion.remainder)


# The solvers divide by e_m.  When it contains parameters they would have to work with rational functions, whose gcds
# take far longer than everything else.  In the natural unit tau, t = u tau with u = (-e_m)^(-1/m), e_m is -1, and with
# u as a symbol every coefficient remains a polynomial.


def in_natural_unit(series: Sequence[Expr], lead: Expr, m: int) -> list[Expr]:
    """The coefficients of a series in t as those in tau, u being the symbol UNIT, with u^m e_m = -1 made use of.

    >>> from sympy import symbols
    >>> a, b = symbols("a b")
    >>> in_natural_unit([0, -a, b], -a, 1)
    [0, -1, _unit**2*b]
    """
    return [cancel(-c / lead) if k == m else c * UNIT**k for k, c in enumerate(series)]


def natural_unit(lead: Expr, m: int) -> Expr:
    """u = (-e_m)^(-1/m)."""
    return (-lead) ** Rational(-1, m)
