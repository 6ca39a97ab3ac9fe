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

from sympy import Dummy, Expr, Integer, Rational, cancel

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import fronted
from asympt.expansions.fields.field import Field, is_algebraic
from asympt.expansions.formulas.algebra import exponential
from asympt.expansions.series import dot, logarithm, power, product
from asympt.parsing import as_sympy
from asympt.recursions.protocol import Dynamics, T
from asympt.showing import one_line

AT_FIXED_POINT = Scale.at_zero(T)
UNIT = Dummy("unit", positive=True)
SEEN = 4  # terms on a line or a page; `expansion` has all


def multiplicity(growth: Sequence) -> int:
    """m, the index of the first coefficient of e that is not zero; an error when e vanishes."""
    for index, coefficient in enumerate(growth):
        if coefficient != 0:
            return index
    raise UnsupportedError("the map is the identity to every order seen, so nothing moves with depth; give another")


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


# ---- linear recursions along a parabolic flow --------------------------------------------------------
#
# a' = lambda(t) a + b(t) while t' = t (1 + e(t)): a_l = P(t_l) + D H(t_l).
#
# For P = sum_(k>=-m) p_k t^k the residual -b + sum_k p_k t^k ((1+e)^k - lambda) is made zero order by order: summand k
# starts at t^(k+m) with p_k (k e_m - lambda_m).  At the power h where H starts that factor is zero (resonance): p_h is
# free (it is D; set to 0), and r H log t meets the equation.  H depends on j, the first power at which lambda is not 1:
#
#   lambda = G'   differentiating A(G(x)) = A(x) + 1 gives H = dx/dA; nothing has to be solved.
#   j >= m        H = t^h (1 + u_1 t + ...), h = lambda_m/e_m, by its logarithm: log H(t') = log H(t) + log lambda
#   j < m         log H starts with t^(j-m), P has the pivots -(lambda - 1)_j.  Where H decays, a = P(t) and there is no
#                 D; where it grows, a = D H(t) but for P, which is smaller than every term of D H.


@dataclass(frozen=True)
class Character:
    """How lambda compares with the flow: `exponent` h, or None when the past is forgotten faster than any power.

    `first`: j, the first power of t at which lambda differs from 1 (m at most);  `grows`: H does, faster than powers.
    """

    first: int
    exponent: Rational | None
    grows: bool = False

    @classmethod
    def of(cls, growth: Sequence[Expr], multiplier: Sequence[Expr]) -> "Character":
        """From the exact series of e and lambda; an error when the past is not forgotten and not a power either."""
        m = multiplicity(growth)
        excess = [as_sympy(c) - (1 if k == 0 else 0) for k, c in enumerate(multiplier)]
        first = next((k for k, c in enumerate(excess[:m]) if c != 0), m)
        if first < m:
            return cls(first, None, _is_growing(multiplier[0], excess[first], first))
        exponent = (excess[m] / growth[m]).cancel()
        if not exponent.is_Rational:
            raise UnsupportedError(
                f"the homogeneous solution behaves like t^h with h = {exponent}; only rational h are expanded"
            )
        return cls(m, exponent)


def _is_growing(limit: Expr, lead: Expr, first: int) -> bool:
    """Whether lambda tends to 1 from above; False if it does from below, or |lambda_0| < 1."""
    if first == 0:
        forgets = (abs(limit) < 1) == True  # noqa: E712 - SymPy's undecided relations are neither
        if not forgets:
            raise UnsupportedError(
                f"lambda tends to {limit}: with |lambda| >= 1 in the limit the start is never forgotten and a_n is not "
                "a power of n; take a multiplier that tends to 1 or below"
            )
        return False
    if not (lead.is_negative or lead.is_positive):
        raise UnsupportedError(
            f"whether a_n grows or forgets its start depends on the sign of {lead}; declare the parameters positive, "
            "as in Symbol('a', positive=True)"
        )
    return bool(lead.is_positive)


def solutions(
    growth: Sequence, multiplier: Sequence, forcing: Sequence, character: Character | None, root: int,
    m: int, last: int, powers: Powers, abel: tuple | None = None,
) -> tuple:
    """((h, [h_0, h_1, ...]) of H, {k: p_k}, r, ()) over any field; H is () when the past is forgotten.

    Where H grows faster than any power, it is exp(sum_(k<0) l_k t^k) times that, and ({k: l_k}, h) the last of them.
    `abel`: (alpha, residue) from who has them.
    """
    homogeneous, first, logs = (), m, ()
    if character is None:
        homogeneous = homogeneous_series(*(abel or solve_abel(growth, m, last, powers)), m, root, last)
    elif character.exponent is None and not character.grows:
        first = character.first
    else:
        source = logarithm(multiplier, last + m + 1)
        solved, exponent = solve_abel(growth, m, last, powers, source)
        values = exponential([growth[m] * 0, *(solved[k] for k in range(1, last + 1))], last + 1)
        if character.grows:
            logs, first = (solved, exponent), character.first
        homogeneous = exponent if logs else character.exponent, values
    known = () if logs else homogeneous
    return homogeneous, *_particular(multiplier, forcing, known, m, last, powers, first), logs


def _particular(
    multiplier: Sequence, forcing: Sequence, homogeneous: tuple, m: int, last: int, powers: Powers, first: int
) -> tuple[dict, object]:
    """({k: p_k for -m <= k <= last}, r); `homogeneous` is () where the past is forgotten and `first` is j < m.

    Needs the coefficients of t^0, ..., t^(last+2m) of e and lambda and up to t^(last+m) of b, and `powers` whose
    stride is one of lambda and b too.
    """
    start, values = homogeneous or (None, ())
    slope = multiplier[:: powers.stride]
    rows = {k: [c - s for c, s in zip(row, slope, strict=False)] for k, row in powers.rows.items() if k >= -first}
    if start in rows:  # the unknown of this k is r
        length = len(rows[start])
        rows[start] = product(product(slope, values[:: powers.stride], length), powers.logarithm, length)
    solution = solve_rows(rows, forcing, first, powers.stride)
    zero = powers.factor[0] * 0
    resonance = solution.pop(start, zero)
    return {k: solution.get(k, zero) for k in range(-m, last + 1) if k != start}, resonance


def homogeneous_series(alpha: dict, residue, m: int, root: int, last: int) -> tuple[int, list]:
    """H = dx/dA = root t^root / (t A'(t)) as (first power, coefficients)."""
    slope = [k * alpha[k] if k else residue for k in range(-m, last + 1)]
    inverse = power([c / slope[0] for c in slope], -1, len(slope))
    return root + m, [c * root / slope[0] for c in inverse]


@dataclass(frozen=True)
class LinearSolution:
    """a = P(t) + D H(t) along the flow: `particular` P and `homogeneous` H as exact expansions in t.

    P has no term t^h, h the power where H starts: that is the normalisation of D.  `logarithm`: log H without a
    constant, where H grows faster than every power.  At a hyperbolic point `multiplier` is lambda_0, and it is
    P + D lambda_0^n H with H = 1 + ... unless lambda_0 = mu^k, k >= 0 (`runs_alone`).

    >>> S = LinearSolution.solve([0, -1, 0, 0, 0, 0], [1, -2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], root=1)
    >>> print(S.particular)
    1/(3*t) - 1/6 - t/3 + t^2*log(t)/3 + t^3*log(t)/3 + t^3/2 + O(t^4*log(t))
    """

    particular: Expansion
    homogeneous: Expansion | None
    root: int = 1
    logarithm: Expansion | None = None
    multiplier: Expr | None = None
    runs_alone: bool = True

    @classmethod
    def solve(
        cls, growth: Sequence[Expr], multiplier: Sequence[Expr], forcing: Sequence[Expr], root: int,
        character: Character | None = None,
    ):
        """From exact coefficients in tau; x = t^root; without a character, `multiplier` is the derivative of the map.

        H is None when the past is forgotten.

        >>> e, one, t = [0, -1, 1, -1, 1, -1, 1], [1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0]
        >>> print(LinearSolution.solve(e, one, t, root=1, character=Character.of(e, one)).particular)
        -log(t) - t/2 - t^2/12 + t^4/120 + O(t^5*log(t))
        """
        m, given = multiplicity(growth), (growth, multiplier, forcing)
        if character is None and not is_algebraic(as_sympy(growth[m])):
            natural = (in_natural_unit(series, growth[m], m) for series in given)
            return cls.solve(*natural, root).rescale(UNIT).subs({UNIT: natural_unit(growth[m], m)})
        field = Field.of([*growth, *multiplier, *forcing, *([] if character is None else [1 / as_sympy(growth[m])])])
        e, slope, source = (field.enter(series) for series in given)
        last = min(len(e), len(slope), len(source) + m) - 2 * m - 1
        powers = Powers(e, m, last, stride(e, slope, source))
        found, solution, resonance, logs = solutions(e, slope, source, character, root, m, last, powers)
        start, values = found or (0, ())
        if logs:
            terms = {(k, 0): field.leave(c) for k, c in logs[0].items()} | {(0, 1): field.leave(logs[1])}
            logarithm = Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(last + 1)))
            homogeneous = fronted(logarithm, homogeneous_of(values, Integer(0), field))
            return cls(particular_of(solution, field), homogeneous, root, logarithm)
        particular = particular_of(solution, field, resonance, values, start)
        return cls(particular, homogeneous_of(values, start, field) if found else None, root)

    def rescale(self, scale: Expr) -> "LinearSolution":
        """In t = scale * tau, from the solution in tau; x is measured in t^root, so H gains scale^root."""
        homogeneous = rescale(self.homogeneous, scale) * scale**self.root
        return LinearSolution(rescale(self.particular, scale), homogeneous, self.root)

    def subs(self, values) -> "LinearSolution":
        """Substitute parameters in every coefficient."""
        return LinearSolution(self.particular.subs(values), self.homogeneous.subs(values), self.root)


def homogeneous_of(values: Sequence, start: Expr, field: Field) -> Expansion:
    """H = t^start (values_0 + values_1 t + ...), from elements of the field."""
    terms = {(start + index, 0): field.leave(value) for index, value in enumerate(values)}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(start + len(values))))


def particular_of(solution: dict, field: Field, resonance=0, values: Sequence = (), start: int = 0) -> Expansion:
    """P = sum p_k t^k + resonance H log t, from elements of the field; H as in `homogeneous_of`.

    Where H starts with the first power that is left out, a log may stand there: the terms known do not tell.
    """
    terms = {(k, 0): field.leave(value) for k, value in solution.items()}
    if resonance:
        terms |= {(start + index, 1): field.leave(resonance * value) for index, value in enumerate(values)}
    beyond = max(solution) + 1
    unseen = bool(values) and start == beyond
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(beyond, 1 if resonance or unseen else 0)))


def abel_and_linear(dynamics: Dynamics, size: int) -> tuple[AbelFunction, LinearSolution | None]:
    """A, and P and H of a linear recursion along it, from so many coefficients."""
    growth, linear, solution = dynamics.growth(size), dynamics.linear, None
    if linear is not None:
        series = linear.multiplier(size), linear.forcing(size)
        solution = LinearSolution.solve(growth, *series, dynamics.root, linear.character)
    return AbelFunction.solve(growth, dynamics.root), solution
