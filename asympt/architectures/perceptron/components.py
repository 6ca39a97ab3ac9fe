"""The laws of the components of kernel and neural tangent kernel in the class K* = 0 (PDLT 10.71-10.81), as formulas.

`basis` solves them as series in u = K_00, and the Abel function of u turns these into series in L.  C is the connection
constant of K_00; for ddK_[2] = dK_[1] = 1 in layer 1,

    ddK_[2] = delta^2 L^(-p) (1 + ...),   dK_[1] = epsilon L^(-2) (1 + ...),   D, E, F as in `basis`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from sympy import Expr, Integer, Rational, factorial2, simplify

from asympt.architectures.perceptron.basis import Basis, LogSeries, MomentSeries, expressions, layer_series
from asympt.architectures.relu_like import DEPTH
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import Statement
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND, at_depth
from asympt.symbols import Reserved

# ---- the universality class of an activation, computed from the activation (PDLT chapters 5 and 10) ----
#
# With sigma_k = phi^(k)(0), and at C_W = 1/sigma_1^2, C_b = 0, the Gaussian expansion of phi at 0 gives
#
#     C_W <phi phi>_K = K + a_1 K^2 + ...          a_1 = sigma_3/sigma_1 + (3/4) (sigma_2/sigma_1)^2
#     C_W <phi' phi'>_K = 1 + b_1 K + ...          b_1 = sigma_3/sigma_1 + (sigma_2/sigma_1)^2,    p_perp = b_1/a_1
#
#     scale-invariant   phi has one slope on each side of 0: C_W = 1/A_2, K constant
#     K* = 0            phi(0) = 0, sigma_1 != 0, a_1 < 0: C_W = 1/sigma_1^2, K -> 0 like 1/((-a_1) l)


SCALE_INVARIANT, VANISHING = "scale-invariant", "K* = 0"


@dataclass(frozen=True)
class Universality:
    """One class: `name`, the critical `weight_variance` C_W (C_b is 0), and for K* = 0 the constants a_1 and b_1.

    >>> from asympt.meanfield.activations import activation
    >>> universality_of(activation("tanh"))
    Universality(name='K* = 0', weight_variance=1, a1=-2, b1=-2)
    >>> universality_of(activation("relu")).weight_variance
    2
    """

    name: str
    weight_variance: Expr
    a1: Expr | None = None
    b1: Expr | None = None

    @property
    def exponent(self) -> Expr | None:
        """p_perp = b_1/a_1 (PDLT 5.99), None for a scale-invariant activation."""
        return None if self.a1 is None else simplify(self.b1 / self.a1)


@lru_cache(maxsize=64)
def universality_of(phi: Activation) -> Universality:
    """The class of phi; `UnsupportedError` with the reason where there is no critical point of either class."""
    if phi.is_relu_like:
        return Universality(SCALE_INVARIANT, 1 / phi.second_moment)
    if phi.piecewise.breaks:
        raise UnsupportedError(
            f"activation {phi.name!r} has breakpoints and is not ReLU-like, so it is in neither class of PDLT; take a "
            "smooth one with phi(0) = 0, or a ReLU-like one"
        )
    value, slope = (simplify(c) for c in taylor_at_zero(phi, 2))
    if value != 0 or slope == 0:
        raise UnsupportedError(
            f"activation {phi.name!r} has phi(0) = {value} and phi'(0) = {slope}; the class K* = 0 needs phi(0) = 0 "
            "and phi'(0) != 0, so take another activation (or subtract phi(0))"
        )
    a1, b1 = map(simplify, phi.small_variance)
    if not a1 < 0:
        how = "K* = 0 repels" if a1 > 0 else "the next order decides whether K* = 0 attracts"
        raise UnsupportedError(
            f"activation {phi.name!r} has a_1 = {a1}, so {how}; the class K* = 0 needs a_1 < 0 as for tanh or sin "
            "(FeedForward.on_edge_of_chaos finds other critical points)"
        )
    return Universality(VANISHING, 1 / slope**2, a1, b1)


def moment_series(one: list, two: list, count: int) -> list[Expr]:
    """E[f(sqrt(K) Z) g(sqrt(K) Z)] = sum_k (2k-1)!! K^k sum_(i+j=2k) f_i g_j: the first `count` coefficients in K.

    >>> moment_series([0, 1], [0, 1], 2)
    [0, 1]
    """
    result = []
    for k in range(count):
        pairs = ((i, 2 * k - i) for i in range(2 * k + 1))
        total = sum((one[i] * two[j] for i, j in pairs if i < len(one) and j < len(two)), Integer(0))
        result.append(total * (factorial2(2 * k - 1) if k else 1))
    return result


@lru_cache(maxsize=64)
def taylor_at_zero(phi: Activation, count: int) -> tuple[Expr, ...]:
    """The first `count` Taylor coefficients of phi at 0, exact."""
    series = puiseux(phi.piecewise.pieces[0].subs(phi.piecewise.symbol, Y), Y, count)
    if series.root != 1 or series.valuation < 0:
        raise UnsupportedError(f"activation {phi.name!r} is no power series at 0; take one that is analytic there")
    plain = [Integer(0)] * series.valuation + list(series.coefficients)
    return tuple((plain + [Integer(0)] * count)[:count])


SECOND_SIZE, FIRST_SIZE = Reserved("delta", positive=True), Reserved("epsilon", real=True)
DELTA = SECOND_SIZE.public()  # as laws have it, unless a learning rate is called so
E, F = Reserved("E", real=True), Reserved("F", real=True)
NAMES = ("K00", "K1", "K2", "Theta00", "Theta1", "Theta2")
ORDERS, MORE, MOST = 6, 4, 40
FRUITLESS = 2  # times that more orders bring no more terms


@dataclass(frozen=True)
class Components:
    """One MLP of the class K* = 0: `weight_rate` and `bias_rate` are numbers or symbols (with a tilde for PDLT's
    `schedule` "equivalence").
    """

    statement: Statement
    universality: Universality
    weight_rate: Expr
    bias_rate: Expr
    schedule: str

    def __post_init__(self):
        if not self.universality.exponent.is_Rational:
            raise UnsupportedError(
                f"p_perp = {self.universality.exponent} is not rational, and only rational powers of depth are "
                "expanded; take an activation with rational sigma_2/sigma_1 and sigma_3/sigma_1"
            )

    @property
    def exponent(self) -> Rational:
        """p_perp."""
        return self.universality.exponent

    @property
    def is_scheduled(self) -> bool:
        """Whether the learning rates follow the equivalence principle."""
        return self.schedule == "equivalence"

    # ---- exact series ---------------------------------------------------------------------------

    def moments(self, count: int) -> list[list[Expr]]:
        """V/u, chi_perp, chi_par, M, N: `count` exact coefficients each."""
        return _moments(self.statement.layer.activation, count)

    def abel(self, orders: int) -> AbelFunction:
        """A."""
        ratio = self.moments(orders + 3)[0]
        return AbelFunction.solve([Integer(0), *ratio[1:]], root=1)

    @lru_cache(maxsize=8)  # noqa: B019 - components are few and live as long as the process
    def basis(self, orders: int) -> tuple[Basis, Field]:
        """The series over exact numbers (and C, for the equivalence principle)."""
        lists = self.moments(orders + 3)
        abel = self.abel(orders).expansion
        field = Field.of([*(c for e in lists for c in e), *([CONNECTION] if self.is_scheduled else [])])
        number = lambda q: field.enter([Rational(q.numerator, q.denominator)])[0]  # noqa: E731
        moments, one = MomentSeries(*map(field.enter, lists)), number(Fraction(1))
        layer = None
        if self.is_scheduled:
            known = {int(m.order): field.enter([c])[0] for m, c in abel.terms if not m.logs}
            residue, constant = field.enter([abel.coefficient(0, 1), CONNECTION])
            layer = layer_series(known, residue, constant, one)
        scale = field.enter([-1 / self.universality.a1])[0]
        return Basis(moments, self.exponent, scale, number, layer), field

    @property
    def share(self) -> Expr:
        """w = lambda_W/C_W = lambda_W sigma_1^2."""
        return self.weight_rate / self.statement.layer.weight_variance

    @cached_property
    def prefactor(self) -> Expr:
        """a^(-p) for the equivalence principle, else 1."""
        return (-self.universality.a1) ** self.exponent if self.is_scheduled else Integer(1)

    @property
    def factors(self) -> dict[str, Expr]:
        """What the sources b, W and D are multiplied by in Theta_00."""
        return {"b": self.bias_rate * self.prefactor, "W": self.share * self.prefactor, "D": SECOND}

    def sum_of(self, name: str, basis: Basis) -> list[tuple]:
        """A component as a sum of (series, factor)."""
        slope = -self.universality.a1
        second, first, factors = SECOND_SIZE**2 * slope**self.exponent, FIRST_SIZE * slope**2, self.factors
        homogeneous = basis.perpendicular
        if name == "K00":
            return [(LogSeries({(0, 0): basis.one}, Fraction(1), homogeneous.size), Integer(1))]
        if name == "K1":
            return [(basis.parallel, first)]
        if name == "K2":
            return [(homogeneous, second)]
        if name == "Theta00":
            return [(basis.ntk[key], f) for key, f in factors.items()]
        sources, unit, free = (basis.first, first, F) if name == "Theta1" else (basis.second, second, E)
        return [(sources[key], f * unit) for key, f in factors.items()] + [(homogeneous, free * unit)]

    # ---- formulas -------------------------------------------------------------------------------

    def expansion(self, name: str, terms: int) -> Expansion:
        """The component in the last layer of a network of depth L."""
        orders, counts = ORDERS, []
        while True:
            found = self._expansion(name, terms + 1, orders)
            counts.append(len(found.terms))
            ended = counts[-FRUITLESS - 1 :].count(counts[-1]) > FRUITLESS  # a finite sum, as delta^2 for chi_perp = 1
            if counts[-1] > terms or ended or orders >= MOST:
                return found.truncate(terms)
            orders += MORE

    def _expansion(self, name: str, terms: int, orders: int) -> Expansion:
        law = at_depth(self.abel(orders), self.in_variance(name, orders), DEPTH, terms)
        return law * self._depth_power() if name.startswith("Theta") else law

    def in_variance(self, name: str, orders: int = ORDERS) -> Expansion:
        """The component (for the equivalence principle, without its power of L) as a series in u = K_00."""
        basis, field = self.basis(orders)
        total, limit = {}, None
        for series, factor in self.sum_of(name, basis):
            if factor == 0:
                continue
            limit = series.limit if limit is None else min(limit, series.limit)
            for key, c in expressions(series, field.leave).items():
                total[key] = total.get(key, Integer(0)) + c * factor
        rest = Formal(Monomial(Rational(limit.numerator, limit.denominator), orders))
        return Expansion.build(AT_FIXED_POINT, total, rest)

    def _depth_power(self) -> Expansion:
        """L^(p-1), the factor of the equivalence principle."""
        power = 1 - self.exponent if self.is_scheduled else Integer(0)
        return Expansion.build(Scale.at_infinity(DEPTH), {(power, 0): Integer(1)})


@lru_cache(maxsize=64)
def _moments(phi, count: int) -> list[list[Expr]]:
    """V/u, chi_perp, chi_par, M and N at C_W = 1/sigma_1^2."""
    taylor = taylor_at_zero(phi, 2 * count + 4)
    plain = [c / taylor[1] for c in taylor]
    first, second, third = (_derivative(plain, n) for n in (1, 2, 3))
    variance = moment_series(plain, plain, count + 1)
    slope = moment_series(first, first, count)
    curved = moment_series(second, second, count)
    bent = moment_series(first, third, count)
    parallel = [(k + 1) * c for k, c in enumerate(variance[1:])]
    return [variance[1:], slope, parallel, curved, [a + b for a, b in zip(curved, bent, strict=True)]]


def _derivative(taylor: list, times: int) -> list:
    for _ in range(times):
        taylor = [(k + 1) * c for k, c in enumerate(taylor[1:])]
    return taylor
