"""The laws of the components of kernel and neural tangent kernel in the class K* = 0 (PDLT 10.71-10.81), as formulas.

`Basis` solves them as series in u = K_00, and the Abel function of u turns these into series in L.  C is the connection
constant of K_00; for ddK_[2] = dK_[1] = 1 in layer 1,

    ddK_[2] = delta^2 L^(-p) (1 + ...),   dK_[1] = epsilon L^(-2) (1 + ...),   D, E, F as in `Basis`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from mpmath import mp, mpf
from sympy import QQ, Dummy, Expr, Integer, Rational, RealField, S, factorial2, simplify
from sympy.polys.rings import PolyElement, PolyRing

from asympt.architectures.relu_like import DEPTH
from asympt.errors import PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.series import logarithm, power, product
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import Statement
from asympt.numbers import to_mpf
from asympt.precise.dense import ComponentStep, VarianceStep
from asympt.recursions import steps
from asympt.recursions.agreement import Route, summed, two_routes
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND, at_depth
from asympt.recursions.coordinates.abel_numeric import Abel, NumericAbel
from asympt.recursions.coordinates.flow_time.small_steps import added
from asympt.recursions.linear_recurrence import solve_with_derivative
from asympt.recursions.protocol import Coordinate, Dynamics, Step
from asympt.symbols import Reserved

# ---- the components of the neural tangent kernel of the class K* = 0, solved in u = K_00 -------------
#
# The five linear recursions of `precise.dense` along u' = V(u), over exact numbers or mpmath ones.  With
# w = lambda_W/C_W, M = C_W <s'' s''>, N = M + C_W <s' s'''>,
#
#     ddK_[2]     = D_2 H,                      H = u^p (1 + ...)          H' = chi_perp H
#     dK_[1]      = D_1 G,                      G = u^2 (1 + ...)          G' = chi_par G
#     Theta_00    = lambda_b T_b + w T_W + D H                             forcing tau_b, V tau_W
#     ddTheta_[2] = D_2 (lambda_b S_b + w S_W + D S_D + E H)               forcing M T H, for W also chi_perp tau_W H
#     dTheta_[1]  = D_1 (lambda_b R_b + w R_W + D R_D + F H)               forcing N T G, for W also chi_par tau_W G
#
# where the learning rates are lambda tau(l): tau = 1, or, with l + 1 = A(u) + 1 - C, A the Abel function of u,
#
#     tau_b = l^(-p) L^(p-1),      tau_W = l^(1-p) L^(p-1)                 (PDLT 10.74)
#
# (constant factors a^(-p), a = 1/(-a_1), and L^(p-1) are kept apart).  With E = log(1 + e), u' = u (1 + e),
#
#     T[u^s q(log u)] = u^s ( ((1+e)^s - lambda) q + sum_(i>=1) (1+e)^s E^i/i! q^(i) ),
#
# starts with e_1 u^(s+1) ((s - h) q + q'), h = lambda_1/e_1.  T w = b is solved power by power (`Flow`); at s = h a log
# enters, and w carries no pure u^h.

SOURCES = ("b", "W", "D")
LOG = Dummy("log u")


# ---- series -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LogSeries:
    """u^start (c_0 + c_1 u + ...), the c_k polynomials in log u, as far as they are known."""

    terms: Sequence[PolyElement]
    start: Fraction = Fraction(0)

    @property
    def first(self) -> int:
        """The smallest k (their number, when nothing is known to differ from 0)."""
        return next((k for k, c in enumerate(self.terms) if c), len(self.terms))

    @property
    def limit(self) -> Fraction:
        """The first power of u that is not known."""
        return self.start + len(self.terms)

    def __add__(self, other: "LogSeries") -> "LogSeries":
        low, high = sorted((self, other), key=lambda series: series.start)
        shift = high.start - low.start
        if shift.denominator != 1:
            raise ValueError(f"powers u^{low.start} and u^{high.start} do not differ by a whole number")
        return LogSeries(added(low.terms, [0 * low.terms[0]] * int(shift) + [*high.terms]), low.start)

    def __mul__(self, other: "LogSeries") -> "LogSeries":
        size = min(len(self.terms) + other.first, len(other.terms) + self.first)
        return LogSeries(product(self.terms, other.terms, size), self.start + other.start)


class Flow:
    """u' = u (1 + e), to as many orders as e is known: `growth`: e_0 = 0, e_1, ..., in the domain of the `ring`."""

    def __init__(self, growth: Sequence, ring: PolyRing):
        self.size, self.ring, self._rows = len(growth), ring, {}
        self.factor = [ring.domain.one, *growth[1:]]

    def number(self, fraction: Fraction):
        """As an element of the coefficients' domain."""
        return self.ring.domain.convert_from(QQ(fraction.numerator, fraction.denominator), QQ)

    def plain(self, coefficients: Sequence, start: Fraction | int = 0) -> LogSeries:
        """u^start (c_0 + c_1 u + ...) without logarithms."""
        return LogSeries([self.ring.ground_new(c) for c in coefficients], Fraction(start))

    def unit(self, start: Fraction | int = 0) -> LogSeries:
        """u^start."""
        return self.plain([1, *[0] * (self.size - 1)], start)

    def row(self, s: Fraction, i: int) -> list:
        """(1 + e)^s log(1 + e)^i/i!."""
        if (s, i) not in self._rows:
            found = product(self.row(s, i - 1), [c / i for c in self._log], self.size) if i else \
                power(self.factor, self.number(s), self.size)  # fmt: skip
            self._rows[s, i] = found
        return self._rows[s, i]

    @cached_property
    def _log(self) -> list:
        return logarithm(self.factor, self.size)

    def image(self, s: Fraction, q: PolyElement, multiplier: Sequence, count: int) -> list[PolyElement]:
        """T[u^s q(log u)]/u^s from u^2 to u^(count - 1), by q(log u + E) = q + E q' + E^2 q''/2 + ..."""
        parts, slopes = [q], multiplier[2:count]
        while following := parts[-1].diff(0):
            parts.append(following)
        columns = zip(slopes, *(self.row(s, i)[2:count] for i in range(len(parts))), strict=True)
        return [sum((part.mul_ground(c) for part, c in zip(parts[1:], more, strict=True)), q.mul_ground(c - slope))
                for slope, c, *more in columns]  # fmt: skip

    def solve(self, multiplier: Sequence, forcing: LogSeries, exponent: Fraction) -> LogSeries:
        """w with w(u') - lambda(u) w(u) = b(u) and no pure u^exponent; `multiplier`: lambda_0 = 1, lambda_1, ..."""
        size, start = min(len(forcing.terms), forcing.first + self.size - 1), forcing.start - 1
        left, solution = list(forcing.terms[:size]), [self.ring.zero] * size
        for k in range(size):
            if left[k]:
                s, right = start + k, left[k].quo_ground(self.factor[1])
                solution[k] = solve_with_derivative(self.number(s - exponent), right)
                for n, c in enumerate(self.image(s, solution[k], multiplier, size + 1 - k), start=k + 1):
                    left[n] -= c
        return LogSeries(solution, start)

    def homogeneous(self, multiplier: Sequence, exponent: Fraction) -> LogSeries:
        """H = u^exponent (1 + ...) with H(u') = lambda(u) H(u)."""
        rest = [-c for c in self.image(exponent, self.ring.one, multiplier, self.size)]
        lower = self.solve(multiplier, LogSeries([self.ring.zero] * 2 + rest, exponent), exponent)
        return lower + self.unit(exponent)


@dataclass(frozen=True)
class MomentSeries:
    """V/u, chi_perp, chi_par, M and N as coefficients in u, elements of one field."""

    ratio: Sequence
    perpendicular: Sequence
    parallel: Sequence
    curved: Sequence
    mixed: Sequence


class Basis:
    """T, S, R, H and G for one flow; `layer`: l + 1 divided by a/u as a series in u and log u, None for constant rates.

    `ring`: the polynomials in log u over the field of the moments; `exponent`: p_perp; `scale`: a.
    """

    def __init__(self, moments: MomentSeries, exponent: Rational, scale, ring: PolyRing, layer: Sequence | None = None):
        self.flow, self.moments, self.scale = Flow(moments.ratio, ring), moments, scale
        self.exponent, self.layer = Fraction(int(exponent.p), int(exponent.q)), layer

    # ---- homogeneous solutions ------------------------------------------------------------------

    @cached_property
    def perpendicular(self) -> LogSeries:
        """H."""
        return self.flow.homogeneous(self.moments.perpendicular, self.exponent)

    @cached_property
    def parallel(self) -> LogSeries:
        """G."""
        return self.flow.homogeneous(self.moments.parallel, Fraction(2))

    # ---- learning rates -------------------------------------------------------------------------

    @cached_property
    def rates(self) -> dict:
        """tau_b and tau_W as series, without a^(-p) and L^(p-1)."""
        if self.layer is None:
            return dict.fromkeys("bW", self.flow.unit())
        size, ring = min(len(self.layer), self.flow.size), self.flow.ring
        bias, weight = (LogSeries(power(self.layer, ring.ground_new(self.flow.number(s)), size), -s)
                        for s in (-self.exponent, 1 - self.exponent))  # fmt: skip
        return {"b": bias, "W": self.flow.plain([self.scale, *[0] * (size - 1)]) * weight}

    # ---- components -----------------------------------------------------------------------------

    @cached_property
    def ntk(self) -> dict:
        """T_b, T_W and H (under D)."""
        image = self.flow.plain(self.moments.ratio, 1)
        forcing = {"b": self.rates["b"], "W": image * self.rates["W"]}
        solved = {key: self._solved(source) for key, source in forcing.items()}
        return solved | {"D": self.perpendicular}

    @cached_property
    def second(self) -> dict:
        """S_b, S_W, S_D."""
        return self._driven(self.moments.curved, self.moments.perpendicular, self.perpendicular)

    @cached_property
    def first(self) -> dict:
        """R_b, R_W, R_D."""
        return self._driven(self.moments.mixed, self.moments.parallel, self.parallel)

    def _driven(self, coupling: Sequence, slope: Sequence, kernel: LogSeries) -> dict:
        """What Theta_00 (by `coupling`) and the weights (by `slope`) bring through a component of the kernel."""
        carried = self.flow.plain(coupling) * kernel
        forcing = {key: carried * self.ntk[key] for key in SOURCES}
        forcing["W"] = forcing["W"] + self.flow.plain(slope) * kernel * self.rates["W"]
        return {key: self._solved(source) for key, source in forcing.items()}

    def _solved(self, forcing: LogSeries) -> LogSeries:
        return self.flow.solve(self.moments.perpendicular, forcing, self.exponent)


def layer_series(abel: Mapping, residue, constant, ring: PolyRing) -> list[PolyElement]:
    """(A(u) + 1 - C) u/a = 1 + (u/a) (rho log u + 1 - C + alpha_1 u + ...), from alpha_k by k, rho and C."""
    lead, last = abel[-1], max(abel)
    first = ring.from_dict({(0,): (ring.domain.one - constant) / lead, (1,): residue / lead})
    return [ring.one, first, *(ring.ground_new(abel.get(k, 0 * lead) / lead) for k in range(1, last + 1))]


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
        raise UnsupportedError(f"activation {phi.name!r} is not a power series at 0; take one that is analytic there")
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
        moments, ring, layer = MomentSeries(*map(field.enter, lists)), PolyRing([LOG], field.domain), None
        if self.is_scheduled:
            known = {int(m.order): field.enter([c])[0] for m, c in abel.terms if not m.logs}
            residue, constant = field.enter([abel.coefficient(0, 1), CONNECTION])
            layer = layer_series(known, residue, constant, ring)
        scale = field.enter([-1 / self.universality.a1])[0]
        return Basis(moments, self.exponent, scale, ring, layer), field

    @property
    def letters(self) -> "Constants":
        """The constants as formulas have them."""
        slope = -self.universality.a1
        second, first = SECOND_SIZE**2 * slope**self.exponent, FIRST_SIZE * slope**2
        return Constants(CONNECTION, second, first, SECOND, E, F)

    def forced(self, sources: dict) -> list[tuple]:
        """What b and W bring: (series, factor), with a^(-p) for the equivalence principle."""
        scale = (-self.universality.a1) ** self.exponent if self.is_scheduled else Integer(1)
        weight = self.weight_rate / self.statement.layer.weight_variance  # w = lambda_W/C_W = lambda_W sigma_1^2
        factors = {"b": self.bias_rate * scale, "W": weight * scale}
        return [(sources[key], factor) for key, factor in factors.items() if factor != 0]

    def sum_of(self, name: str, basis: Basis, known: "Constants", number: Callable = lambda e: e) -> list[tuple]:
        """A component as a sum of (series, factor), with these constants; `number`: of the rates."""
        if name == "K00":
            return [(basis.flow.unit(1), 1)]
        if name == "K1":
            return [(basis.parallel, known.first)]
        if name == "K2":
            return [(basis.perpendicular, known.second)]
        sources, unit, free = {
            "Theta00": (basis.ntk, 1, 0),
            "Theta1": (basis.first, known.first, known.F), "Theta2": (basis.second, known.second, known.E),
        }[name]  # fmt: skip
        rates = ((series, number(factor)) for series, factor in self.forced(sources))
        found = [*rates, (sources["D"], known.D), (basis.perpendicular, free)]
        return [(series, factor * unit) for series, factor in found if factor != 0]

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
        power = 1 - self.exponent if self.is_scheduled and name.startswith("Theta") else Integer(0)
        return law * Expansion.build(Scale.at_infinity(DEPTH), {(power, 0): Integer(1)})  # the equivalence principle's

    def in_variance(self, name: str, orders: int = ORDERS) -> Expansion:
        """The component (for the equivalence principle, without its power of L) as a series in u = K_00."""
        basis, field = self.basis(orders)
        total, limit = {}, None
        for series, factor in self.sum_of(name, basis, self.letters):
            limit = series.limit if limit is None else min(limit, series.limit)
            start = Rational(series.start.numerator, series.start.denominator)
            for key, c in (((start + k, j), c) for k, q in enumerate(series.terms) for (j,), c in q.terms()):
                total[key] = total.get(key, Integer(0)) + field.leave(c) * factor
        rest = Formal(Monomial(Rational(limit.numerator, limit.denominator), orders))
        return Expansion.build(AT_FIXED_POINT, total, rest)


@lru_cache(maxsize=64)
def _moments(phi, count: int) -> list[list[Expr]]:
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


# ---- the components in numbers, at any depth ---------------------------------------------------------
#
# The original recursion (`precise.dense`) leads to a layer n where the series of `Basis` are accurate at u = K_00:
# A(u_n) - n = C, and the components give delta^2, epsilon, D, E and F one after the other.  At depth L, A(u_L) = L + C
# is solved, and the series are summed.

MOST_LAYERS = 20_000
SHALLOW = 60  # layers that are simply followed
GUARD = 12


@dataclass(frozen=True)
class Constants:
    """What the start leaves behind: C, the weights of H and G in ddK_[2] and dK_[1], and D, E, F."""

    C: object
    second: object
    first: object
    D: object
    E: object
    F: object


@dataclass(frozen=True)
class ComponentFlow(Coordinate):
    """The components of kernel and NTK along the variance (see `Coordinate`); the start is the variance.

    States are (K_00, dK_1, ddK_2, Theta_00, dTheta_1, ddTheta_2), and the quantity is `combine` of those called `parts`
    (`components.NAMES`); it is arithmetic, so that it takes expansions as well as numbers.  Constants are those of the
    formulas, for ddK_[2] = dK_[1] = 1 in layer 1; D is the weight of the homogeneous solution in Theta_00.
    """

    components: Components
    parts: tuple[str, ...] = NAMES[:1]
    combine: Callable = lambda value: value

    kind, evidence = "rates", "perceptron"
    names = ("C", "D", "delta^2", "epsilon", "E", "F")
    spare = (4, 4)
    remedy = "ask for fewer digits"
    constants_named = "two readings of the constants"

    def parameters(self, linear) -> set:
        rates = self.components.weight_rate.free_symbols | self.components.bias_rate.free_symbols
        return rates | self.components.statement.layer.parameters

    def read(self, state: tuple):
        values = dict(zip(NAMES, state, strict=True))
        return self.combine(*(values[name] for name in self.parts))

    def require_second(self, linear) -> None:
        """There is one."""

    def steps(self, law) -> tuple[Step, ...]:
        """K_00 = u as its own flow, and the components as series in u."""
        found, abel = self.components, self.components.abel(ORDERS)
        layer = steps.map_step(found.moments(ORDERS)[0])
        growth = layer["ratio"] - 1
        components = {name: law.renamed(found.in_variance(name)) for name in self.parts}
        return (
            layer, Step("uniformiser", {"growth": growth, "root": S.One}), steps.abel_step(abel, growth),
            steps.depth_of(law, abel), Step("linear", components),
        )  # fmt: skip

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        return two_routes(int(digits * 9 / 20) + 12, digits)

    def crossing(self, start: Expr, route: Route) -> "Summed":
        """The layer from which the series are accurate."""
        return Summed(self.components, route, *matching_layer(self.components, start, route))

    def crossing_before(self, start: Expr, depth: int, route: Route) -> "Summed | None":
        return None if depth <= SHALLOW else self.crossing(start, route)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: "Summed | None") -> tuple:
        with mp.workdps(route.digits + GUARD):
            step = ComponentStep(self.components.statement)
            state = step.first(to_mpf(start))
            for _ in range(depth - 1):
                state = step(state)
            return _scheduled(self.components, state[1:], depth)


@dataclass(frozen=True)
class Summed:
    """One orbit from the layer on where the series are accurate, with its constants."""

    components: Components
    route: Route
    known: Constants
    layer: int

    lost = 0

    def state(self, depth: int) -> tuple:
        """The components at a later layer, by their series."""
        found, known = self.components, self.known
        with mp.workdps(self.route.digits + GUARD):
            u = _abel(found, self.route).solve(mpf(depth) + known.C)
            basis = numeric_basis(found, self.route, known.C if found.is_scheduled else 0)
            sums = (found.sum_of(name, basis, known, to_mpf) for name in NAMES[1:])
            values = [sum(factor * value_of(series, u) for series, factor in one) for one in sums]
            return _scheduled(found, (u, *values), depth)

    def constants(self, second: bool) -> tuple:
        """(C, D, delta^2, epsilon, E, F)."""
        known, components = self.known, self.components
        with mp.workdps(self.route.digits + GUARD):
            slope = to_mpf(-components.universality.a1)
            weight = known.second / slope ** to_mpf(components.exponent)
            return known.C, known.D, weight, known.first / slope**2, known.E, known.F


def _scheduled(components: Components, values: tuple, depth: int) -> tuple:
    power = to_mpf(components.exponent) - 1 if components.is_scheduled else 0
    return (*values[:3], *(value * mpf(depth) ** power for value in values[3:]))


# ---- series in numbers --------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def flow_of(components: Components) -> Dynamics:
    """u -> V(u)."""
    layer = components.statement.layer
    return Dynamics(lambda count: components.moments(count)[0][:count], VarianceStep(layer, Integer(0)), first=1)


def _abel(components: Components, route: Route) -> NumericAbel:
    return Abel(flow_of(components)).numeric(route.last, route.digits)


@lru_cache(maxsize=64)
def _reals(precision: int) -> PolyRing:
    """The polynomials in log u over the real numbers of so many bits."""
    return PolyRing([LOG], RealField(prec=precision))


@lru_cache(maxsize=64)
def _lists(components: Components, count: int, digits: int) -> MomentSeries:
    with mp.workdps(digits + GUARD):
        real = _reals(mp.prec).domain.dtype
        return MomentSeries(*([real(to_mpf(c)) for c in series[:count]] for series in components.moments(count)))


@lru_cache(maxsize=64)
def numeric_basis(components: Components, route: Route, constant=0) -> Basis:
    """The series over numbers; `constant`: C, which the equivalence principle brings into them."""
    with mp.workdps(route.digits + GUARD):
        lists, ring = _lists(components, route.last + 3, route.digits), _reals(mp.prec)
        real, layer = ring.domain.dtype, None
        if components.is_scheduled:
            numeric = _abel(components, route)
            known = {k - 1: real(c) for k, c in enumerate(numeric.abel) if k != 1}
            layer = layer_series(known, real(numeric.residue), real(constant), ring)
        return Basis(lists, components.exponent, real(to_mpf(-1 / components.universality.a1)), ring, layer)


def value_of(series: LogSeries, u):
    """A series at u > 0."""
    size = mp.log(u)
    values = [mp.fsum(mp.convert(c) * size**j for (j,), c in q.terms()) for q in series.terms]
    return summed(values, u) * u ** (mpf(series.start.numerator) / series.start.denominator)


def reach_of(series: LogSeries, digits: int):
    """The u below which the last terms of a series are smaller than 10^-digits of the first."""
    sizes = {k: max(map(abs, q.itercoeffs())) for k, q in enumerate(series.terms) if q}
    first, *later = sizes
    edges = [(mpf(10) ** -digits * sizes[first] / sizes[k]) ** (mpf(1) / (k - first)) for k in later[-4:]]
    return min(edges, default=mpf(1)) * 2 / 3


# ---- constants ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def matching_layer(components: Components, start: Expr, route: Route) -> tuple[Constants, int]:
    """The constants of a start, and the layer where they are read."""
    with mp.workdps(route.digits + GUARD):
        step, numeric = ComponentStep(components.statement), _abel(components, route)
        reach = reach_of(numeric_basis(components, route).perpendicular, route.digits)
        edge = min(numeric.accuracy_radius, reach) / route.deeper
        state = step.first(to_mpf(start))
        while not state[1] <= edge or state[0] < SHALLOW:
            state = step(state)
            if state[0] > MOST_LAYERS:
                raise PrecisionError(
                    f"the series are not accurate to {route.digits} digits within {MOST_LAYERS} layers; ask for fewer"
                )
        for _ in range(route.later):
            state = step(state)
        return constants_at(components, state, route), state[0]


def constants_at(components: Components, state: tuple, route: Route) -> Constants:
    """The constants as one layer shows them."""
    layer, u, parallel, second, ntk, first_ntk, second_ntk = state
    with mp.workdps(route.digits + GUARD):
        numeric = _abel(components, route)
        constant = numeric.position(u) - layer
        basis = numeric_basis(components, route, constant if components.is_scheduled else 0)
        homogeneous, along = value_of(basis.perpendicular, u), value_of(basis.parallel, u)
        weight = second / homogeneous, parallel / along
        d = (ntk - _forced(components, basis.ntk, u)) / homogeneous
        e, f = (
            (value / factor - _forced(components, sources, u) - d * value_of(sources["D"], u)) / homogeneous
            for value, factor, sources in (
                (second_ntk, weight[0], basis.second), (first_ntk, weight[1], basis.first)
            )
        )
        return Constants(constant, *weight, d, e, f)


def _forced(components: Components, sources: dict, u):
    return sum(to_mpf(factor) * value_of(series, u) for series, factor in components.forced(sources))
