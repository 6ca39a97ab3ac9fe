"""The Abel function of a parabolic recursion: the coordinate in which one layer is one step.

Problem.  t' = t (1 + e(t)) with e = e_m t^m + ..., e_m < 0, creeps to 0 slower than any geometric
sequence.  Find A with A(t') = A(t) + 1; then A(t_l) = l + C for ever, and everything about depth is
the inverse of A.

Rule.  Put A = sum_(k>=-m) alpha_k t^k + rho log t, alpha_0 = 0.  The residual A(t(1+e)) - A(t) - 1 is

    -1 + sum_k alpha_k t^k ((1+e)^k - 1) + rho log(1+e),

whose summand k starts at t^(k+m) with coefficient alpha_k k e_m.  So the coefficients of
t^0, t^1, t^2, ... are made zero one after the other, each by one unknown: alpha_k for k != 0, and for
k = 0, where k e_m vanishes, rho, the iterative residue, whose summand starts with rho e_m.

Tiny case.  t' = t - t^2 (m = 1, e = -t):  alpha_(-1) = 1, rho = 1, alpha_1 = 1/2, alpha_2 = 1/3, and indeed
1/t + log t + t/2 + t^2/3 + ... grows by 1 at every step.

Known limits.  alpha_0 = 0 is a normalisation: another choice shifts C.  The series is asymptotic, as a rule
divergent like k!/(2 pi)^k, so its use at a given t has a best order (`evaluation` finds it).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.series import Field, logarithm, power

T = Symbol("t", positive=True)
AT_FIXED_POINT = Scale.at_zero(T)


def multiplicity(growth: Sequence) -> int:
    """m, the index of the first coefficient of e that is not zero; an error when e vanishes."""
    for index, coefficient in enumerate(growth):
        if coefficient != 0:
            return index
    raise UnsupportedError("the map is the identity to every order looked at, so nothing moves with depth")


def solve_abel(growth: Sequence, m: int, last: int) -> tuple[dict, object]:
    """({k: alpha_k for -m <= k <= last, k != 0}, rho) from the coefficients e_0, ..., e_(last+2m) of e.

    Works over any field: exact field elements or mpmath numbers.

    >>> from fractions import Fraction as Q
    >>> solve_abel([Q(0), Q(-1), Q(0), Q(0), Q(0)], m=1, last=2)
    ({-1: Fraction(1, 1), 1: Fraction(1, 2), 2: Fraction(1, 3)}, Fraction(1, 1))
    """
    size = last + m + 1
    factor = [growth[m] * 0 + 1, *growth[1 : size + m]]
    residual = [factor[0] * 0 - 1] + [factor[0] * 0] * (size - 1)
    alpha, residue = {}, None
    for k in range(-m, last + 1):
        lead = residual[k + m]
        if k == 0:
            residue = -lead / growth[m]
            add_shifted(residual, residue, logarithm(factor, size), 0, m)
        else:
            alpha[k] = -lead / (k * growth[m])
            add_shifted(residual, alpha[k], power(factor, k, size - k), k, m)
    return alpha, residue


def add_shifted(residual: list, weight, series: Sequence, shift: int, start: int) -> None:
    """residual += weight * t^shift * (series from its coefficient `start` on)."""
    for index in range(shift + start, len(residual)):
        residual[index] = residual[index] + weight * series[index - shift]


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
        field = Field.of(growth)
        last = len(growth) - 2 * m - 1
        alpha, residue = solve_abel(field.enter(growth), m, last)
        terms = {(k, 0): field.leave(value) for k, value in alpha.items()}
        terms[(0, 1)] = field.leave(residue)
        return cls(Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(last + 1))), root)

    def __getitem__(self, k: int) -> Expr:
        """alpha_k."""
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
