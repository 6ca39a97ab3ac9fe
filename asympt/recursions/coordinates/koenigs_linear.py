"""Linear recursions along a hyperbolic flow: a' = lambda(t) a + b(t) while t' = mu t (1 + e(t)).

With lambda_0 = lambda(0), h = 1 + h_1 t + ... that solves h(t') lambda_0 = lambda(t) h(t) (`koenigs`, pivots mu^k - 1)
and a power series P (pivots mu^k - lambda_0),

    a_n = P(t_n) + D lambda_0^n h(t_n).

If lambda_0 = mu^k, k >= 0 (resonance), H(t) = U(t)^k h(t) = t^k + ... and P = p(t) + r H(t) log|U|/log|mu|, where
log|U(t_n)|/log|mu| = n + log|C|/log|chi|: a factor n; p has no term t^k, which normalises D.

Known limits.  lambda_0 = 0 is refused: what remembers a_0 decays faster than any exponential.  A symbolic lambda_0 that
is no power of mu is taken as generic, so P and h are found, but the terms of the law cannot be ordered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import mpmath
from sympy import Abs, Expr, Integer, Rational, Symbol, log, simplify

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.scale import Exponential
from asympt.expansions.series import logarithm, power, product
from asympt.parsing import as_sympy
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.koenigs import (
    ExactFlow,
    GeometricFlow,
    in_t,
    is_negative,
    ratio_in_t,
    solve_along,
    written,
)
from asympt.recursions.coordinates.koenigs_inversion import composed, enough, inverse_powers
from asympt.recursions.protocol import Dynamics

DIGITS = 60
SAME = Rational(1, 10**40)
MOST_POWER = 100


def solve_linear(
    flow: GeometricFlow, koenigs: Sequence, slope: Sequence, source: Sequence, free: int | None = None
) -> tuple:
    """(p, r, h) over any field; `free` is k when lambda_0 = mu^k.

    >>> from fractions import Fraction as Q
    >>> flow = GeometricFlow.of([Q(1), Q(0)], Q(1, 2))
    >>> p, r, h = solve_linear(flow, [Q(1), Q(0)], [Q(1, 2)], [Q(0), Q(1)], free=1)
    >>> [str(value) for value in p], str(r)
    (['0', '0', '0'], '2')
    """
    zero = flow.one * 0
    h = solve_along(flow, [c / slope[0] for c in slope], [], free=0, seed=flow.one)[0]
    if free is None:
        return solve_along(flow, slope, source)[0], zero, h
    free_part = _free_part(koenigs, h, free, flow)
    p, resonance = solve_along(flow, slope, source, free=free, seed=zero, free_part=free_part)
    return p, resonance, h


def _free_part(koenigs: Sequence, h: Sequence, k: int, flow: GeometricFlow) -> list:
    """H = U^k h."""
    size = flow.size - k
    return [flow.one * 0] * k + product(power(koenigs, flow.one * k, size), h, size)


# ---- resonance ------------------------------------------------------------------------------------


def resonance(slope: Expr, chi: Expr, root: int) -> tuple[int, int] | None:
    """(k, s) when lambda_0 = s mu^k with s = 1 or -1 and k whole, None when |lambda_0| is no such power.

    >>> resonance(Rational(1, 8), Rational(1, 4), 2), resonance(Rational(-1), Rational(1, 4), 2)
    ((3, 1), (0, -1))
    >>> resonance(Rational(1, 3), Rational(1, 4), 2)
    """
    slope, chi = as_sympy(slope), as_sympy(chi)
    if slope.is_zero or simplify(slope) == 0:
        raise UnsupportedError(
            "lambda is 0 at the fixed point, so the part of the solution that remembers its start decays faster than "
            "any exponential; such a law is not derived"
        )
    mu, values = chi ** Rational(1, root), _generic(slope.free_symbols | chi.free_symbols)
    there, rate = (e.subs(values).evalf(DIGITS) for e in (slope, mu))
    over, under = (log(Abs(e.subs(values))).evalf(DIGITS) for e in (slope, mu))  # of exact numbers: both may be near 1
    exponent = over / under
    k = int(mpmath.nint(mpmath.mpf(exponent)))
    if abs(exponent - k) > SAME:
        return None
    sign = 1 if there * rate**k > 0 else -1
    if abs(k) > MOST_POWER:
        raise UnsupportedError(
            f"lambda at the fixed point, {slope}, has the size of ({mu})^({k}), and only powers up to {MOST_POWER} are "
            "solved; take a lambda closer to 1 in size"
        )
    difference = simplify(slope - sign * mu**k)
    if difference.is_zero is not None:
        return (k, sign) if difference.is_zero else None
    raise UnsupportedError(
        f"lambda at the fixed point, {slope}, agrees with {'-' if sign < 0 else ''}({mu})^({k}) to 40 digits, but "
        "whether they are equal cannot be decided; write both with the same constants"
    )


def _generic(symbols) -> dict:
    """Values for symbols, without relations."""
    return {s: Rational(1009 + 211 * i, 2003 + 97 * i) for i, s in enumerate(sorted(symbols, key=str))}


# ---- exact ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ExactLinear:
    """p, r and h over an exact field, with the flow; `power` is (k, s) as `resonance` has it."""

    exact: ExactFlow
    slope: Expr
    power: tuple[int, int] | None
    p: list
    r: object
    h: list
    free_part: list = field(default_factory=list)

    @classmethod
    def of(cls, dynamics: Dynamics, orders: int) -> "ExactLinear":
        """From the exact series of a recursion with a linear part."""
        linear, ratio = dynamics.linear, ratio_in_t(dynamics, 1)
        found = resonance(linear.multiplier(1)[0], ratio[0], dynamics.root)
        free = found[0] if found and found[0] >= 0 and found[1] > 0 else None
        orders += free or 0
        slope, source = (in_t(dynamics, part(orders + 1)) for part in (linear.multiplier, linear.forcing))
        exact = ExactFlow.of(ratio_in_t(dynamics, orders), dynamics.root, [*slope, *source])
        lead, slope, source = as_sympy(slope[0]), exact.field.enter(slope), exact.field.enter(source)
        p, r, h = solve_linear(exact.flow, exact.koenigs, slope, source, free)
        free_part = _free_part(exact.koenigs, h, free, exact.flow) if free is not None else []
        return cls(exact, lead, found, p, r, h, free_part)

    @property
    def resonant(self) -> bool:
        """Whether H is a power series in t."""
        return bool(self.free_part)

    def law(self, depth: Symbol) -> Expansion:
        """a_n to all the orders known."""
        return _law_of_free_part(self, depth) if self.resonant else _law_of_h(self, depth)


def linear_expansion(dynamics: Dynamics, terms: int, depth: Symbol) -> tuple[ExactLinear, Expansion]:
    """The solution, and the law of a_n with `terms` terms and the next one as its remainder."""

    def attempt(orders: int):
        solved = ExactLinear.of(dynamics, orders)
        return solved, solved.law(depth)

    return enough(attempt, terms, terms + dynamics.root + 2)


def _series(values: Sequence) -> dict:
    return dict(enumerate(values))


def _law_of_free_part(solved: ExactLinear, depth: Symbol) -> Expansion:
    """p + (D + r n + r log|C|/log|chi|) H."""
    exact, terms, rows = solved.exact, {}, inverse_powers(solved.exact.flow)
    size, resonance_ = exact.flow.size, exact.leave(solved.r)
    second = SECOND + resonance_ * log(_size_of_c(exact.root)) / log_size(exact.chi)
    for n, element in composed(rows, _series(solved.p)).items():
        _put(terms, exact, n, Rational(0), 0, element, Integer(1))
    for n, element in composed(rows, _series(solved.free_part)).items():
        _put(terms, exact, n, Rational(0), 0, element, second)
        _put(terms, exact, n, Rational(0), 1, element, resonance_)
    rest = Formal(Monomial(Rational(size, exact.root), 1 if resonance_ != 0 else 0))
    return written(Exponential(depth, base=exact.chi), terms, rest)


def _law_of_h(solved: ExactLinear, depth: Symbol) -> Expansion:
    """P + D lambda_0^n h: lambda_0^n is a power of chi^n but for its sign, or has an order of its own."""
    exact, terms, size = solved.exact, {}, solved.exact.flow.size
    rows = inverse_powers(exact.flow)
    scale, order, sign = _scale_of(solved, depth)
    for n, element in composed(rows, _series(solved.p)).items():
        _put(terms, exact, n, Rational(0), 0, element, Integer(1))
    for n, element in composed(rows, _series(solved.h)).items():
        _put(terms, exact, n, order, 0, element, SECOND * sign)
    rest = max(Monomial(Rational(size, exact.root)), Monomial(order + Rational(size, exact.root)))
    return written(scale, terms, Formal(rest))


def _scale_of(solved: ExactLinear, depth: Symbol) -> tuple[Exponential, Expr, Expr]:
    chi, root = solved.exact.chi, solved.exact.root
    if solved.power is not None:
        k, sign = solved.power
        return Exponential(depth, base=chi), Rational(k, root), Integer(sign) ** depth
    if solved.slope.free_symbols | chi.free_symbols:
        raise UnsupportedError(
            f"the sizes of ({solved.slope})^n and ({chi})^n cannot be compared for symbols; give numbers"
        )
    scale = Exponential(depth, base=chi, second=solved.slope)
    return scale, scale.weight, Integer(1)


def _put(terms: dict, exact: ExactFlow, n: int, order, logs: int, element, factor: Expr) -> None:
    """Add factor * element * z^n to the terms, at an order shifted by that of lambda_0^depth."""
    value = exact.leave(element) * factor if element else Integer(0)
    if value != 0:
        share = Rational(n, exact.root)
        monomial = Monomial(share + order, logs)
        terms[monomial] = terms.get(monomial, Integer(0)) + value * CONNECTION**share


def log_size(chi: Expr) -> Expr:
    """log|chi|."""
    if chi.is_number:
        return log(-chi if is_negative(chi) else chi)
    return log(chi) if chi.is_positive else log(Abs(chi))


def _size_of_c(root: int) -> Expr:
    """|C|; where half powers occur, C is positive."""
    return CONNECTION if root > 1 else Abs(CONNECTION)


@dataclass(frozen=True)
class HyperbolicSolution:
    """a_n = P(t_n) + D H(t_n), or P(t_n) + D lambda_0^n h(t_n): exact expansions in t at 0.

    particular:  P; it has no pure term t^k where H = t^k + ... starts;
    homogeneous: H when lambda_0 = mu^k, k >= 0 (`runs_alone`), otherwise h = 1 + ...;
    multiplier:  lambda_0;
    resonance:   r, the weight of n H(t_n) in a_n.
    """

    particular: Expansion
    homogeneous: Expansion
    multiplier: Expr
    runs_alone: bool
    resonance: Expr
    root: int = 1

    @classmethod
    def solve(cls, dynamics: Dynamics, orders: int) -> "HyperbolicSolution":
        """To so many orders of t."""
        return cls.of(ExactLinear.of(dynamics, orders))

    @classmethod
    def of(cls, solved: ExactLinear) -> "HyperbolicSolution":
        """From a solution over a field."""
        exact = solved.exact
        homogeneous = _expansion(exact, solved.free_part or solved.h)
        r = exact.leave(solved.r)
        return cls(_particular(solved, r), homogeneous, solved.slope, solved.resonant, r, exact.root)


def _expansion(exact: ExactFlow, values: Sequence) -> Expansion:
    terms = {Monomial(k): exact.leave(value) for k, value in enumerate(values) if value}
    return written(AT_FIXED_POINT, terms, Formal(Monomial(len(values))))


def _particular(solved: ExactLinear, r: Expr) -> Expansion:
    """p + r H (log t + log(U/t))/log|mu|."""
    exact = solved.exact
    if r == 0:
        return _expansion(exact, solved.p)
    size, log_mu = exact.flow.size - 1, log_size(exact.chi) / exact.root
    mixed = product(solved.free_part, logarithm(exact.koenigs, size), size)
    terms = {
        Monomial(k): exact.leave(p) + exact.leave(m) * r / log_mu
        for k, (p, m) in enumerate(zip(solved.p[:size], mixed, strict=True))
    }
    for k, value in enumerate(solved.free_part[:size]):
        terms[Monomial(k, 1)] = exact.leave(value) * r / log_mu
    return written(AT_FIXED_POINT, terms, Formal(Monomial(size, 1)))
