"""The Koenigs function of a hyperbolic recursion: the coordinate in which one step is a multiplication.

y' = chi y (1 + ...), 0 < |chi| < 1: find S = y + ... with S(y') = chi S(y); then S(y_n) = chi^n C, C = S(y_0).  With y
= t^root and t' = mu t (1 + e(t)), mu = chi^(1/root), all that is needed solves f(t') - lambda(t) f(t) = b(t), order by
order with the pivots mu^k - lambda_0.  For U = t + u_2 t^2 + ..., S = U^root, lambda is mu and b is 0.  Where a pivot
vanishes for another lambda (resonance, k = h) f_h is free, and r W log(U)/log(mu) meets the equation, W = t^h + ... a
solution for b = 0.  A multiplier that SymPy cannot compare with 1 is taken to lie in (0, 1) (`Coordinate.condition`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from sympy import And, Dummy, Expr, Integer, Ne, Rational, S, Symbol, simplify

from asympt.deadline import check_time
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Remainder, Scale
from asympt.expansions.fields.field import is_algebraic
from asympt.expansions.fields.pivots import PivotField
from asympt.expansions.scale import Exponential
from asympt.expansions.series import dot, power, product
from asympt.parsing import as_sympy
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, SEEN, solve_rows
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.protocol import Dynamics, T
from asympt.showing import one_line
from asympt.symbols import Reserved


@dataclass(frozen=True, eq=False)
class GeometricFlow:
    """t' = mu t (1 + e(t)) over one field: mu, and the coefficients of (1 + e)^k for k = 0, 1, ..."""

    mu: object
    powers: tuple

    @classmethod
    def of(cls, unit: Sequence, mu) -> "GeometricFlow":
        """From the coefficients 1, e_1, ..., e_(N-1), which determine solutions up to t^N."""
        size = len(unit) + 1
        rows = [[unit[0]] + [unit[0] * 0] * (size - 1)]
        for k in range(1, size):
            rows.append(product(rows[-1], unit, size - k))
        return cls(mu, tuple(map(tuple, rows)))

    @property
    def size(self) -> int:
        """How many coefficients of a solution are determined."""
        return len(self.powers)

    @property
    def one(self):
        return self.powers[0][0]


def solve_along(
    flow: GeometricFlow, slope: Sequence, source: Sequence, free: int | None = None, seed=0, free_part: Sequence = ()
):
    """([f_0, f_1, ...], r) with f(t') - lambda f = b along the flow; lambda = `slope`, b = `source`.

    At the index `free`, where the pivot vanishes, f is `seed`; what is left there is met by r times `free_part`.

    >>> from fractions import Fraction as Q
    >>> flow = GeometricFlow.of([Q(1), Q(1, 2)], Q(1, 2))  # y/(2 - y)
    >>> [str(f) for f in solve_along(flow, [Q(1, 2)], [], free=1, seed=Q(1))[0]]
    ['0', '1', '1']
    """
    zero, rows, power_of_mu = flow.one * 0, {}, flow.one
    slope, source = _padded(slope, zero, flow.size), _padded(source, zero, flow.size)
    for k, row in enumerate(flow.powers):
        rows[k] = [dot((power_of_mu, -flow.one), pair, zero) for pair in zip(row, slope, strict=False)]
        power_of_mu = power_of_mu * flow.mu
    if free_part:
        rows[free] = product(slope, free_part[free:], flow.size - free)
    elif free is not None:
        moved = rows.pop(free)
        source = [b - seed * moved[k - free] if k >= free else b for k, b in enumerate(source)]
    solved = solve_rows(rows, source, 0, 1)
    resonance = solved.pop(free) if free_part else zero
    return [solved.get(k, flow.one * seed) for k in range(flow.size)], resonance


def solve_koenigs(flow: GeometricFlow) -> list:
    """The coefficients 1, u_2, u_3, ... of U/t."""
    return solve_along(flow, [flow.mu], [], free=1, seed=flow.one)[0][1:]


def _padded(series: Sequence, zero, size: int) -> list:
    return [*series[:size], *([zero] * (size - len(series)))]


@dataclass(frozen=True, eq=False)
class ExactFlow:
    """The flow of a recursion over an exact field, and the way back to SymPy.

    `chi`: the multiplier of y, `mu` that of t, `values`: what the symbols put in for the time of the computation mean.
    """

    flow: GeometricFlow
    field: PivotField
    chi: Expr
    mu: Expr
    root: int
    values: Mapping

    @classmethod
    def of(cls, ratio: Sequence[Expr], root: int, others: Sequence[Expr] = ()) -> "ExactFlow":
        """From the coefficients of y'/y in t; `others` are further numbers that the field must hold."""
        chi = as_sympy(ratio[0])
        mu, values = chi ** Rational(1, root), {}
        if chi.free_symbols and not mu.is_rational_function(*chi.free_symbols):
            values = {Dummy("mu"): mu}
        written = next(iter(values), mu)
        field = PivotField(ratio, [*others, written])
        entered = field.enter(ratio)
        exponent, mu_entered = field.enter([Rational(1, root), written])
        unit = power([c / entered[0] for c in entered], exponent, len(entered))
        return cls(GeometricFlow.of(unit, mu_entered), field, chi, mu, root, values)

    @cached_property
    def koenigs(self) -> list:
        """U/t."""
        return solve_koenigs(self.flow)

    def leave(self, element) -> Expr:
        """A number of the field as a SymPy expression, rational functions of symbols factored."""
        return self.field.leave(element).subs(self.values)


def ratio_in_t(dynamics: Dynamics, count: int) -> list[Expr]:
    """The first `count` coefficients of y'/y in t itself."""
    return in_t(dynamics, dynamics.ratio(count))


def in_t(dynamics: Dynamics, series: Sequence[Expr]) -> list[Expr]:
    """A series in tau as one in t = scale tau."""
    return [as_sympy(c) * dynamics.scale**-k for k, c in enumerate(series)]


def written(scale: Scale, coefficients: Mapping[Monomial, Expr], remainder: Remainder | None) -> Expansion:
    """`Expansion.build`, but coefficients that are not algebraic numbers stay as they are, in factors."""
    if all(map(is_algebraic, coefficients.values())):
        return Expansion.build(scale, coefficients, remainder)
    kept = [(m, c) for m, c in coefficients.items() if c != 0 and (remainder is None or m > remainder.monomial)]
    return Expansion(scale, tuple(sorted(kept, key=lambda term: term[0], reverse=True)), remainder)


@dataclass(frozen=True)
class KoenigsFunction:
    """S = y + ..., S(G) = chi S, as an exact expansion in t at 0, y = t^root.

    >>> from sympy import Rational
    >>> S = KoenigsFunction.from_flow(ExactFlow.of([Rational(1, 2**k) for k in (1, 2, 3, 4)], root=1))
    >>> print(S.expansion)
    t + t^2 + t^3 + t^4 + O(t^5)
    >>> S.multiplier, S[2]
    (1/2, 1)
    """

    expansion: Expansion
    multiplier: Expr
    root: int = 1

    @classmethod
    def later(cls, source: Callable[[], Expansion], multiplier: Expr, root: int) -> "KoenigsFunction":
        """With an expansion that is written down when it is first needed, because its late coefficients are long."""
        found = object.__new__(cls)
        found.__dict__.update(_source=source, multiplier=multiplier, root=root)
        return found

    def __getattr__(self, name: str):
        """The expansion, while it is not written down."""
        if name != "expansion" or "_source" not in self.__dict__:
            raise AttributeError(name)
        self.__dict__["expansion"] = found = self._source()
        return found

    def __repr__(self) -> str:
        seen = self.expansion.truncate(SEEN).readable()
        return one_line("KoenigsFunction", f"S({seen.scale.variable}) = {seen}")

    def _repr_latex_(self) -> str:
        seen = self.expansion.truncate(SEEN).readable()
        return rf"$\displaystyle S({seen.scale.variable}) = {seen.latex()}$"

    @classmethod
    def from_flow(cls, exact: ExactFlow) -> "KoenigsFunction":
        """From a flow that is already over its field."""
        return cls.later(partial(_expanded, exact), exact.chi, exact.root)

    def __hash__(self) -> int:
        return hash((self.multiplier, self.root))

    def __getitem__(self, k: int) -> Expr:
        return self.expansion.coefficient(k)

    def subs(self, values) -> "KoenigsFunction":
        """Substitute parameters in every coefficient."""
        return KoenigsFunction.later(lambda: self.expansion.subs(values), self.multiplier.subs(values), self.root)


def _expanded(exact: ExactFlow) -> Expansion:
    size = exact.flow.size
    values = exact.koenigs if exact.root == 1 else power(exact.koenigs, exact.flow.one * exact.root, size - 1)
    terms = {Monomial(exact.root + k): exact.leave(value) for k, value in enumerate(values)}
    return written(AT_FIXED_POINT, terms, Formal(Monomial(exact.root + size - 1)))


def condition_of(chi: Expr, root: int = 1) -> Expr:
    """The condition on the parameters under which chi is a hyperbolic multiplier; true when there is none.

    >>> from sympy import Rational, Symbol
    >>> condition_of(Rational(-1, 2)), condition_of(Symbol("a", positive=True))
    (True, a < 1)
    """
    chi = as_sympy(chi)
    if _decided(chi, root):
        return S.true
    return (And(chi > 0, chi < 1) if root > 1 else And(Ne(chi, 0), chi > -1, chi < 1)).simplify()


def _decided(chi: Expr, root: int) -> bool:
    """Whether chi is known to be hyperbolic; an error when it is known not to be."""
    size = _size(chi)
    if chi.is_zero or size == 0:
        raise UnsupportedError("the multiplier is 0: orbits come in faster than any exponential, so there is no law")
    if size is not None and size >= 1:
        raise UnsupportedError(f"the multiplier {chi} is not below 1 in size, so no orbit is drawn in exponentially")
    if root > 1 and is_negative(chi):
        raise UnsupportedError(
            f"the multiplier {chi} is negative, so orbits change sides, where the powers y^(1/{root}) are not real"
        )
    return size is not None


def is_negative(chi: Expr) -> bool:
    return bool(chi.evalf(60) < 0) if chi.is_number else bool(chi.is_negative)


def _size(chi: Expr) -> Expr | None:
    """|chi| compared with 1: an exact or numeric size, None when SymPy cannot tell."""
    if chi.is_number:
        return abs(chi) if chi.is_Rational else abs(chi).evalf(60)
    if (chi - 1).is_nonnegative or (chi + 1).is_nonpositive:
        return Integer(1)
    known = (1 - chi).is_positive and (1 + chi).is_positive and chi.is_nonzero
    return Rational(1, 2) if known else None


MOST_ORDERS = 64
MOST_EXACT = 3  # terms of a law that is tried as an exact solution
_Z = Reserved("z", positive=True)


def inverse_powers(flow: GeometricFlow) -> list[list]:
    """rows[j][k] = [z^k] F(z)^j for j, k = 0, ..., N, F the inverse of U: F(mu z) = mu F(z) (1 + e(F(z))).

    Order by order: f_k (mu^k - mu) is mu times the coefficient of z^k in sum_(j>1) e_(j-1) F^j, for which f_1, ...,
    f_(k-1) suffice.

    >>> from fractions import Fraction as Q
    >>> flow = GeometricFlow.of([Q(1), Q(1, 2), Q(1, 4)], Q(1, 2))  # y/(2 - y): F = z/(1 + z)
    >>> [str(f) for f in inverse_powers(flow)[1]]
    ['0', '1', '-1', '1']
    """
    zero, size, unit = flow.one * 0, flow.size, flow.powers[1]
    rows = [[zero] * size for _ in range(size)]
    rows[0][0] = rows[1][1] = flow.one
    power_of_mu = flow.mu
    for k in range(2, size):
        check_time()
        power_of_mu = power_of_mu * flow.mu
        for j in range(2, k + 1):
            rows[j][k] = dot(rows[1][1 : k - j + 2], rows[j - 1][k - 1 : j - 2 : -1], zero)
        known = dot(unit[1:k], [row[k] for row in rows[2 : k + 1]], zero)
        rows[1][k] = flow.mu * known / (power_of_mu - flow.mu)
    return rows


def composed(rows: Sequence[Sequence], series: Mapping[int, object]) -> dict[int, object]:
    """{k: [z^k] f(F(z))} from f = {j: coefficient of t^j}, as far as F is known; j < 0 only alone."""
    first, size = min(series), len(rows)
    if len(series) == 1 and first == 1:
        return {k: series[first] * c for k, c in enumerate(rows[1]) if k}
    if len(series) == 1:
        unit = power(rows[1][1:], rows[0][0] * first, size - 1)
        return {k: series[first] * c for k, c in enumerate(unit, start=first)}
    weights = list(series.values())
    return {k: dot(weights, [rows[j][k] for j in series], rows[0][0] * 0) for k in range(size)}


def distance(exact: ExactFlow, depth: Symbol) -> Expansion:
    """y_n to all the orders that the flow knows."""
    return _expansion(exact, depth, {exact.root: exact.flow.one})


def observed(exact: ExactFlow, depth: Symbol, observable: FixedPoint | Observable | None) -> Expansion:
    """What `observable` sees of y_n (y_n itself without one) to all the orders that the flow knows."""
    if observable is None:
        return distance(exact, depth)
    if not observable.reads_x:
        return observable.expansion(distance(exact, depth))
    power_of_t, constant = (-exact.root, 0) if observable.at_infinity else (exact.root, observable.point)
    return _expansion(exact, depth, {power_of_t: exact.flow.one * observable.sign}, constant)


def _expansion(exact: ExactFlow, depth: Symbol, series: Mapping, constant: Expr = S.Zero) -> Expansion:
    values, terms = composed(inverse_powers(exact.flow), series), {}
    for k, element in values.items():
        check_time()
        if element:
            share = Rational(k, exact.root)
            terms[Monomial(share)] = exact.leave(element) * CONNECTION**share
    if constant != 0:
        terms[Monomial(0)] = constant
    rest = Formal(Monomial(Rational(max(values) + 1, exact.root)))
    return written(Exponential(depth, base=exact.chi), terms, rest)


def depth_expansion(
    dynamics: Dynamics, observable: FixedPoint | Observable | None, terms: int, depth: Symbol
) -> tuple[ExactFlow, Expansion]:
    """The flow, and the law with `terms` terms and the next one as its remainder."""

    def attempt(orders: int):
        exact = ExactFlow.of(ratio_in_t(dynamics, orders), dynamics.root)
        return exact, observed(exact, depth, observable)

    exact, law = enough(attempt, terms, terms + dynamics.root)
    if observable is None or observable.reads_x:
        law = without_remainder_if_exact(dynamics, exact.root, lambda z: exact.chi * z, observable, law)
    return exact, law


def enough(attempt: Callable, terms: int, orders: int) -> tuple:
    """Take more orders until there are more than `terms` terms; fewer when there are no more within `MOST_ORDERS`.

    The work grows like a high power of the orders, so one or two missing terms cost few orders more; where every other
    term is missing, twice as many as are missing are right.
    """
    while True:
        solved, law = attempt(orders)
        missing = terms + 1 - len(law.terms)
        if missing <= 0 or orders >= max(MOST_ORDERS, 2 * terms):
            return solved, law.truncate(terms)
        orders = min(orders + 2 * missing, max(MOST_ORDERS, 2 * terms))


def without_remainder_if_exact(
    dynamics: Dynamics, root: int, moved: Callable, observable: FixedPoint | None, law: Expansion
) -> Expansion:
    """A finite sum x(z) with x(z') = G(x(z)) is the orbit itself; z' = moved(z)."""
    if len(law.terms) > MOST_EXACT or law.remainder.monomial.order < MOST_ORDERS / 2:
        return law
    if dynamics.formula is None or dynamics.beyond is not None:
        return law

    def away(z):
        x = sum(c.subs(CONNECTION, 1) * z**m.order for m, c in law.terms)
        return x if observable is None else observable.inner(x)

    image = dynamics.formula.subs(T, away(_Z) ** Rational(1, root))
    return law.without_remainder() if simplify(image - away(moved(_Z))) == 0 else law
