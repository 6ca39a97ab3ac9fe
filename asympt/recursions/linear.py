"""Linear recursions along a parabolic flow: a' = lambda(t) a + b(t) while t' = t (1 + e(t)).

Problem.  The NTK obeys such a recursion with lambda = f'(c).  Find every solution for large l.

Rule.  The general solution is a_l = P(t_l) + D H(t_l): P one formal solution, H the homogeneous one, D a
second connection constant.  When lambda is the derivative of the map itself, differentiating
A(G(x)) = A(x) + 1 gives H = dx/dA.  For P put sum_(k>=-m) p_k t^k; the residual

    -b + sum_k p_k t^k ((1+e)^k - lambda)

is made zero order by order: summand k starts at t^(k+m) with p_k (k e_m - lambda_m).  At the power h where H
starts that factor is zero (resonance), so p_h is free (it is D; set to 0) and the equation is met by

    r H log t,   which adds   r lambda H log(1+e) = r h_0 e_m t^(h+m) + ...

The powers of 1+e are those that A has needed already.

Tiny case.  t' = t - t^2, lambda = 1 - 2t, b = 1:  p_(-1) (1 + 2) = 1, so a_l = l/3 + ...

Known limits.  H must be a power series that starts at an integer power h > -m.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr

from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.constants import is_algebraic
from asympt.expansions.series import Field, power, product
from asympt.reading import as_sympy
from asympt.recursions.coordinates.abel import (
    AT_FIXED_POINT,
    UNIT,
    Powers,
    in_natural_unit,
    multiplicity,
    natural_unit,
    rescale,
    solve_abel,
    solve_rows,
    stride,
)


def solve_linear(
    growth: Sequence,
    multiplier: Sequence,
    forcing: Sequence,
    homogeneous: tuple,
    m: int,
    last: int,
    powers: Powers | None = None,
):
    """({k: p_k for -m <= k <= last}, r) over any field; `homogeneous` is (h, [h_0, h_1, ...]).

    Needs the coefficients of t^0, ..., t^(last+2m) of e and lambda and up to t^(last+m) of b.  `powers` may be
    passed by who has them; their stride must be one of lambda and b too.
    """
    powers = powers or Powers(growth, m, last, stride(growth, multiplier, forcing))
    start, values = homogeneous
    slope = multiplier[:: powers.stride]
    rows = {k: [c - s for c, s in zip(row, slope, strict=False)] for k, row in powers.rows.items()}
    if start in rows:  # the unknown of this k is r
        rows[start] = _resonant(powers, slope, values[:: powers.stride], len(rows[start]))
    solution = solve_rows(rows, forcing, m, powers.stride)
    zero = growth[m] * 0
    resonance = solution.pop(start, zero)
    return {k: solution.get(k, zero) for k in range(-m, last + 1) if k != start}, resonance


def _resonant(powers: Powers, slope: Sequence, values: Sequence, length: int) -> list:
    """lambda * (h_0 + h_1 t + ...) * log(1+e)."""
    return product(product(slope, values, length), powers.logarithm, length)


@dataclass(frozen=True)
class LinearSolution:
    """a = P(t) + D H(t) along the flow: `particular` P and `homogeneous` H as exact expansions in t.

    P has no term t^h, h the power where H starts: that is the normalisation of D.

    >>> S = LinearSolution.solve([0, -1, 0, 0, 0, 0], [1, -2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], root=1)
    >>> print(S.particular)
    1/(3*t) - 1/6 - t/3 + t^2*log(t)/3 + t^3*log(t)/3 + t^3/2 + O(t^4*log(t))
    """

    particular: Expansion
    homogeneous: Expansion
    root: int = 1

    @classmethod
    def solve(cls, growth: Sequence[Expr], multiplier: Sequence[Expr], forcing: Sequence[Expr], root: int):
        """From exact coefficients in tau; x = t^root; `multiplier` must be the derivative of the map in x."""
        m, given = multiplicity(growth), (growth, multiplier, forcing)
        if not is_algebraic(as_sympy(growth[m])):
            natural = (in_natural_unit(series, growth[m], m) for series in given)
            return cls.solve(*natural, root).rescale(UNIT).subs({UNIT: natural_unit(growth[m], m)})
        field = Field.of([*growth, *multiplier, *forcing])
        e, slope, source = (field.enter(series) for series in given)
        last = min(len(e), len(slope), len(source) + m) - 2 * m - 1
        powers = Powers(e, m, last, stride(e, slope, source))
        start, values = homogeneous_series(*solve_abel(e, m, last, powers), m, root, last)
        solution, resonance = solve_linear(e, slope, source, (start, values), m, last, powers)
        particular = particular_of(solution, field, resonance, values, start)
        return cls(particular, homogeneous_of(values, start, field), root)

    def rescale(self, scale: Expr) -> "LinearSolution":
        """In t = scale * tau, from the solution in tau; x is measured in t^root, so H gains scale^root."""
        homogeneous = rescale(self.homogeneous, scale) * scale**self.root
        return LinearSolution(rescale(self.particular, scale), homogeneous, self.root)

    def subs(self, values) -> "LinearSolution":
        """Substitute parameters in every coefficient."""
        return LinearSolution(self.particular.subs(values), self.homogeneous.subs(values), self.root)


def homogeneous_series(alpha: dict, residue, m: int, root: int, last: int) -> tuple[int, list]:
    """H = dx/dA = root t^root / (t A'(t)) as (first power, coefficients)."""
    slope = [k * alpha[k] if k else residue for k in range(-m, last + 1)]
    inverse = power([c / slope[0] for c in slope], -1, len(slope))
    return root + m, [c * root / slope[0] for c in inverse]


def homogeneous_of(values: Sequence, start: Expr, field: Field) -> Expansion:
    """H = t^start (values_0 + values_1 t + ...), from elements of the field."""
    terms = {(start + index, 0): field.leave(value) for index, value in enumerate(values)}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(start + len(values))))


def particular_of(solution: dict, field: Field, resonance=0, values: Sequence = (), start: int = 0) -> Expansion:
    """P = sum p_k t^k + resonance H log t, from elements of the field; H as in `homogeneous_of`."""
    terms = {(k, 0): field.leave(value) for k, value in solution.items()}
    if resonance:
        terms |= {(start + index, 1): field.leave(resonance * value) for index, value in enumerate(values)}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(max(solution) + 1, 1 if resonance else 0)))
