"""The laws of y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), phi ReLU-like (HDR Proposition 3 and Appendix Lemma 8).

T(1 - c^l) = clock(l) + C + small (`flow_time`), k = K/q = P(t) + D h(t) (`composed.flow`); one input is a sum
over the layers, known exactly:

    K^L(x, x)/q_L = 1 + sum_(k=2)^L delta_k          kappa = 1: 1 + alpha (psi(L+1+alpha) - psi(2+alpha))
    q^l/q^1 = prod_(k=2)^l (1 + alpha k^(-kappa))    kappa = 1: Gamma(l+1+alpha)/(Gamma(l+1) Gamma(2+alpha))

    kappa = 1        clock = alpha log l; what is small is O(1/l), beyond all powers of 1/log l
    0 < kappa < 1    clock = alpha l^(1-kappa)/(1-kappa) - ...; what is small in T, k and s is O(l^(-kappa))
    kappa > 1        the branches add up to a finite clock, so 1 - c^l tends to a positive number that depends on c^1
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from math import ceil, prod

from mpmath import mp, mpc, mpf
from sympy import Expr, Integer, Poly, Rational, S, Symbol, gamma, latex, log, loggamma, polygamma, simplify

from asympt.architectures.composed.form import Form
from asympt.architectures.composed.layer_steps import LayerSteps
from asympt.architectures.law_parts import GUARD, Coefficient, is_simple, read_variance
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.blocks.nodes import LAYER as PRODUCED
from asympt.errors import PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import exponential
from asympt.expansions.series import logarithm, power
from asympt.numbers import symbol_names, to_mpf
from asympt.recursions.agreement import DEEPER, Route, agreed
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.coordinates.flow_time.coordinate import AT_DEPTH, antidifference
from asympt.recursions.law import Law, no_start
from asympt.recursions.protocol import Coordinate, Known, Step

# ---- the shares delta_l = alpha/(l^kappa + alpha) of the branches: their clock and sums -----------------
#
# kappa = 1: digamma and Gamma functions,
#
#     sum delta_k = alpha (psi(L+1+alpha) - psi(2+alpha)),   log(q_L/q_1) = log Gamma(L+1+alpha) - log Gamma(L+1) - ...
#
# For kappa = p/q < 1, with v = u^q, clock = int alpha q u^(q-1)/(u^p + alpha) du = sum of powers of u + sum over
# u_0^p = -alpha of c log(u - u_0), without a constant term at infinity; where alpha v^(-kappa) is small the series of
# powers is faster.  For the sums Euler and Maclaurin: with G' = g and no constant term in G at infinity,
#
#     sum_(k=2)^L g(k) = G(L) + s + g(L)/2 + g'(L)/12 - g'''(L)/720 + ...,
#
# s what the sum up to a moderate layer leaves; G is the clock, or v log(1 + alpha v^(-kappa)) + kappa clock(v).


MOST_ROUNDS = 40
MOST_ROOTS = 60
NEAR = 0.25  # the largest alpha v^(-kappa) for the series of powers
FEWEST = 60
SPARE, APART = 5, 7  # digits of the first route beyond those asked, and of the second beyond the first


def mixing_steps(alpha: Expr, kappa: Expr) -> "Shares":
    """delta_l for l >= 2; `kappa` a fraction with 0 < kappa <= 1.

    >>> from sympy import Integer
    >>> mixing_steps(Integer(1), Integer(1))
    Shares(weight=1, exponent=1, shift=1)
    """
    if kappa == 1:
        return Shares(alpha, kappa, alpha)
    if not (kappa.is_Rational and kappa.p <= MOST_ROOTS):
        raise UnsupportedError(
            f"kappa = {kappa} is not a fraction with a numerator up to {MOST_ROOTS}; take a fraction near it"
        )
    return MixingSteps(alpha, kappa)


@dataclass(frozen=True)
class Shares(LayerSteps):
    """delta = weight/(l + weight): R_d = 1 + their sum."""

    def diagonal_at(self, form: Form, depth: int, digits: int):
        total = LayerSum(self.weight, self.exponent, False).certified(depth, digits)
        with mp.workdps(digits + GUARD):
            return 1 + total

    def settled(self, form: Form) -> Expr:
        return diagonal_constant(self.weight, self.exponent)


def diagonal_constant(alpha: Expr, kappa: Expr) -> Expr:
    """s_0 of K^L(x, x)/q_L = clock(L) + s_0 + small: 1 - alpha psi(2 + alpha) for kappa = 1.

    >>> from sympy import Integer
    >>> diagonal_constant(Integer(1), Integer(1))
    -1/2 + EulerGamma
    """
    total = LayerSum(alpha, kappa, False)
    formula = total.constant_formula()
    exact = None if formula is None else (1 + formula).expand(func=True)
    if exact is not None and (exact.free_symbols or is_simple(exact)):
        return exact
    return Coefficient("s_0", lambda: 1 + total.certified_constant(mp.dps), ("s_0", alpha, kappa), "s_0", exact)


@dataclass(frozen=True)
class MixingSteps(Shares):
    """delta = weight/(v^exponent + weight), v = l, 0 < exponent < 1.

    >>> from mpmath import nstr
    >>> from sympy import Integer, Rational
    >>> steps = MixingSteps(Integer(3), Rational(1, 2))
    >>> nstr(steps.clock(mpf(4)), 12), nstr(6 * (2 - 3 * mp.log(5)), 12)
    ('-16.9698824238', '-16.9698824238')
    """

    def powers(self, last) -> list[tuple[Expr, Expr]]:
        """delta = alpha v^(-kappa) - alpha^2 v^(-2 kappa) + ..., up to v^(-last)."""
        count = max(1, int(last // self.exponent))
        return [(self.exponent * n, -((-self.weight) ** n)) for n in range(1, count + 1)]

    def formula(self, layer: Symbol) -> Expr:
        return self.weight / (layer**self.exponent + self.weight)

    def size(self, v):
        weight = to_mpf(self.weight)
        return weight / (v ** to_mpf(self.exponent) + weight)

    def clock(self, v):
        ratio = -to_mpf(self.weight) * v ** -to_mpf(self.exponent)
        return self._by_powers(v, ratio) if -ratio < NEAR else self._by_roots(v)

    def at(self, time):
        """v at which the clock shows `time`, by Newton's method (the clock is concave: from below it is monotone)."""
        v = max(super().at(time), mpf(1)) if time > 0 else mpf(1)
        for _ in range(500):
            change = (time - self.clock(v)) / self.size(v)
            v = max(v + change, v / 4)
            if abs(change) <= abs(v) * mp.eps * 64:
                return v
        raise PrecisionError(f"the layer at which the steps add up to {mp.nstr(time, 8)} was not found; ask for fewer "
                             "digits")

    def _by_powers(self, v, ratio):
        """v sum_n -ratio^n/(1 - n kappa), with log v for n kappa = 1."""
        p, q = int(self.exponent.p), int(self.exponent.q)
        total, power, n = mpf(0), mpf(1), 0
        while True:
            n, power = n + 1, power * ratio
            rest = q - n * p
            term = power * q / rest if rest else power * mp.log(v)
            total -= term
            if abs(power) * q <= mp.eps * abs(total) and n * p > q:
                return total * v

    def _by_roots(self, v):
        """Powers of u = v^(1/q) and the logarithms of u - u_0."""
        p, q, weight = int(self.exponent.p), int(self.exponent.q), to_mpf(self.weight)
        u = v ** (mpf(1) / q)
        total, factor, rest = mpf(0), weight * q, q - 1
        while rest >= p:  # u^rest = u^(rest - p) (u^p + alpha) - alpha u^(rest - p)
            total += factor * u ** (rest - p + 1) / (rest - p + 1)
            factor, rest = -factor * weight, rest - p
        logs = mp.fsum(residue * mp.log(u - root) for root, residue in _roots(weight, p, rest, mp.prec))
        return total + factor * mp.re(logs)


@lru_cache(maxsize=128)
def _roots(weight, p: int, rest: int, precision: int) -> list:
    """u_0 and the residue u_0^(rest + 1 - p)/p of u^rest/(u^p + weight)."""
    radius = weight ** (mpf(1) / p)
    if p == 1:
        return [(-radius, mpf(1))]
    roots = [radius * mp.expjpi(mpf(2 * j + 1) / p) for j in range(p)]
    return [(root, mpc(root) ** (rest + 1 - p) / p) for root in roots]


@dataclass(frozen=True)
class LayerSum:
    """sum_(k=2)^L g(k), g = delta_k (`logarithmic` False) or log(1 + alpha k^(-kappa)).

    >>> from mpmath import nstr
    >>> nstr(LayerSum(Rational(1), Rational(1), False).at(4, 12), 12), nstr(mpf(1) / 3 + mpf(1) / 4 + mpf(1) / 5, 12)
    ('0.783333333333', '0.783333333333')
    """

    alpha: Expr
    kappa: Expr
    logarithmic: bool

    def formula(self, depth: Expr) -> Expr | None:
        """The sum as a function of the depth, for kappa = 1."""
        if self.kappa != 1:
            return None
        alpha = self.alpha
        if self.logarithmic:
            return loggamma(depth + 1 + alpha) - loggamma(depth + 1) - loggamma(2 + alpha)
        return alpha * (polygamma(0, depth + 1 + alpha) - polygamma(0, 2 + alpha))

    def constant_formula(self) -> Expr | None:
        """s, for kappa = 1."""
        if self.kappa != 1:
            return None
        return -loggamma(2 + self.alpha) if self.logarithmic else -self.alpha * polygamma(0, 2 + self.alpha)

    def expansion(self, order: Rational) -> Expansion:
        """The sum for large v = L without its constant s, up to O(v^(-order))."""
        last = order + 1
        count = max(1, int(last // self.kappa) + 1)
        weights = {n * self.kappa: self._weight(n) for n in range(1, count + 1)}
        rest = Formal(Monomial((count + 1) * self.kappa))
        shifted = Expansion.build(AT_DEPTH, {(p, 0): c for p, c in weights.items()}, rest)
        growth = shifted.compose(Expansion.variable(AT_DEPTH) + 1)
        return antidifference(growth).up_to(Monomial(order))

    def _weight(self, n: int) -> Expr:
        return -((-self.alpha) ** n) / (n if self.logarithmic else 1)

    def at(self, depth: int, digits: int, deeper=1):
        """The sum up to layer `depth`."""
        with mp.workdps(digits + 15):
            turn = self._turn(digits, deeper)
            if depth <= turn:
                return mp.fsum(self._size(mpf(k)) for k in range(2, depth + 1))
            return self._smooth(mpf(depth)) + self.constant(digits, deeper)

    def constant(self, digits: int, deeper=1):
        """s."""
        with mp.workdps(digits + 15):
            turn = self._turn(digits, deeper)
            return mp.fsum(self._size(mpf(k)) for k in range(2, turn + 1)) - self._smooth(mpf(turn))

    def certified(self, depth: int, digits: int):
        """The sum up to layer `depth`, agreed upon by two routes."""
        if depth == 1:
            return mpf(0)
        return agreed(lambda extra: [self.at(depth, *route) for route in _routes(digits + extra)], digits)

    def certified_constant(self, digits: int):
        """s, agreed upon by two routes."""
        return agreed(lambda extra: [self.constant(*route) for route in _routes(digits + extra)], digits)

    def _turn(self, digits: int, deeper) -> int:
        return int(max(FEWEST, 2 * digits) * deeper)

    def _size(self, v):
        ratio = to_mpf(self.alpha) * v ** -to_mpf(self.kappa)
        return mp.log1p(ratio) if self.logarithmic else ratio / (1 + ratio)

    def _smooth(self, v):
        """G + g/2 + g'/12 - ... at v."""
        jet = self._jet(v)
        total = self._integral(v) + jet[0] / 2
        for n in range(1, len(jet) // 2):
            term = mp.bernoulli(2 * n) / (2 * n) * jet[2 * n - 1] / v ** (2 * n - 1)
            total += term
            if abs(term) <= mp.eps:
                return total
        raise PrecisionError("the sum over the layers was not reached to the requested digits; ask for fewer")

    def _integral(self, v):
        steps, alpha = mixing_steps(self.alpha, self.kappa), to_mpf(self.alpha)
        clock = steps.clock(v + to_mpf(steps.shift))
        if not self.logarithmic:
            return clock
        whole = v * mp.log1p(alpha * v ** -to_mpf(self.kappa)) + to_mpf(self.kappa) * clock
        times = 1 / self.kappa  # a whole number where v log(1 + alpha v^(-kappa)) has a constant at infinity
        return whole - to_mpf(self._weight(int(times))) if times.is_Integer else whole

    def _jet(self, v) -> list:
        count = 2 * ceil(mp.dps / 3) + 12  # the terms fall like (m/(4 pi e digits))^m
        ratio, kappa = to_mpf(self.alpha) * v ** -to_mpf(self.kappa), to_mpf(self.kappa)
        fall = [mpf(1)]
        for k in range(1, count):
            fall.append(fall[-1] * (-kappa - k + 1) / k)
        base = 1 + ratio
        shape = [mpf(1)] + [ratio * c / base for c in fall[1:]]
        if self.logarithmic:
            return [mp.log(base), *logarithm(shape, len(shape))[1:]]
        inverse = power(shape, mpf(-1), len(shape))
        return [ratio / base] + [-c / base for c in inverse[1:]]


def _routes(digits: int) -> tuple:
    """(digits, how much further single layers are added up) of two routes."""
    return (digits + SPARE, 1), (digits + SPARE + APART, DEEPER)


# ---- the laws --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FallingBranch:
    """The branch's map, alpha and kappa; `bias`: what a bias adds to the variance, for its law only."""

    form: Form
    alpha: Expr
    kappa: Expr
    bias: Expr = S.Zero

    @classmethod
    def of(cls, normal) -> "FallingBranch | None":
        """From a composition's normal form with one ReLU-like phi; None for another one."""
        linked = normal.branch.linked
        if linked is None or linked.weight != 1 or not linked.phi.is_scale_free or normal.total is not None:
            return None
        alpha, falls = simplify(1 / (1 / normal.weight - 1)).as_independent(PRODUCED)
        base, exponent = falls.as_base_exp()
        return cls(normal.branch, alpha, -exponent) if base == PRODUCED and linked.own == (1, -1, 0) else None

    @property
    def steps(self) -> Shares:
        """The shares w_l."""
        return mixing_steps(self.alpha, self.kappa)


@dataclass(frozen=True)
class SumOverLayers(Coordinate):
    """What one input shows at every depth: `total`, a sum over the layers (or its exponential with `grows`).

    `formula`: the quantity for every depth as a SymPy expression (with C = q^1/Gamma(2 + alpha) where it grows), or
    None when kappa is not 1.  `shift`: sigma_b^2/alpha, with which it is q + shift that grows.
    """

    total: LayerSum
    formula: Expr | None = None
    shift: Expr = S.Zero

    kind, evidence = "scaled", "exact"

    @property
    def grows(self) -> bool:
        """Whether this is q^l itself."""
        return self.total.logarithmic and self.total.kappa == 1

    def parameters(self, linear) -> set:
        return self.total.alpha.free_symbols

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two ways; exp loses what its argument has before the point."""
        digits += len(str(depth)) if self.grows else 0
        return [Route(0, digits), Route(0, digits + APART, DEEPER)]

    def steps(self, law) -> tuple[Step, ...]:
        """From layer l - 1 to l: q' = (1 + alpha l^(-kappa)) q, its logarithm, or a sum of delta_l."""
        layer, decay = law.depth_variable, self.total.alpha * law.depth_variable**-self.total.kappa
        forcing, factor = log(1 + decay), Integer(1)
        if self.grows:
            forcing, factor = decay * self.shift, 1 + decay
        elif not self.total.logarithmic:
            forcing = mixing_steps(self.total.alpha, self.total.kappa).formula(layer)
        return (Step("map", {"affine": forcing, "multiplier": factor}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits + GUARD):
            total = self.total.at(depth, route.digits, route.deeper) if depth > 1 else mpf(0)
            if self.grows:
                shift = to_mpf(self.shift)
                return ((to_mpf(start) + shift) * mp.exp(total) - shift,)
            return (total if self.total.logarithmic else 1 + total,)

    def crossing(self, start: Expr, route: Route) -> Known:
        """C = (q^1 + shift)/Gamma(2 + alpha)."""
        if not self.grows:
            raise UnsupportedError("this law holds for every start and has no connection constant")
        with mp.workdps(route.digits + GUARD):
            return Known((to_mpf(start) + to_mpf(self.shift)) / mp.gamma(2 + to_mpf(self.total.alpha)))


def diagonal_law(branch: FallingBranch, terms: int) -> Law:
    """The law of K^L(x, x)/q_L."""
    total = LayerSum(branch.alpha, branch.kappa, False)
    expansion = sum_with_terms(total, DEPTH, terms, lambda e: e + diagonal_constant(total.alpha, total.kappa))
    formula = None if total.formula(DEPTH) is None else 1 + total.formula(DEPTH)
    coordinate = SumOverLayers(total, formula)
    return Law(r"\frac{K^{L}(x,x)}{q_{L}}", expansion, no_start, "ntk diagonal", coordinate=coordinate)


def variance_law(branch: FallingBranch, terms: int) -> Law:
    """The law of q^l for kappa = 1, of log(q^l/q^1) otherwise; with biases it is q + sigma_b^2/alpha that grows."""
    alpha, kappa, bias = branch.alpha, branch.kappa, branch.bias / branch.alpha
    total = LayerSum(alpha, kappa, True)
    if kappa != 1:
        shift = Coefficient("s_1", lambda: total.certified_constant(mp.dps), ("s_1", alpha, kappa), "s_1")
        expansion = sum_with_terms(total, LAYER, terms, lambda e: e + shift)
        coordinate, plus = SumOverLayers(total, shift=bias), f"+{latex(bias)}" if bias else ""
        quantity = rf"\log((q^{{l}}{plus})/(q^{{1}}{plus}))" if bias else r"\log(q^{l}/q^{1})"
        return Law(quantity, expansion, no_start, "variance", coordinate=coordinate)
    if alpha.free_symbols:
        names = symbol_names(alpha.free_symbols)
        raise UnsupportedError(
            f"the variance grows like l^({alpha}), and its terms can be ordered only for numbers; give {names} a value"
        )
    if alpha.is_Integer:
        whole = Poly(CONNECTION * prod(LAYER + j for j in range(1, int(alpha) + 1)), LAYER)
        exact = {(-power, 0): c - (bias if power == 0 else 0) for (power,), c in whole.terms()}
        expansion = Expansion.build(Scale.at_infinity(LAYER), exact).truncate(terms)
    else:
        expansion = sum_with_terms(total, LAYER, terms, lambda e: _exponential(e, alpha) - bias)
    formula = CONNECTION * gamma(LAYER + 1 + alpha) / gamma(LAYER + 1) - bias
    coordinate = SumOverLayers(total, formula, bias)
    return Law(r"q^{l}", expansion, read_variance, "variance", coordinate=coordinate)


def sum_with_terms(total: LayerSum, depth: Symbol, terms: int, change) -> Expansion:
    """change(the sum) with as many terms; fewer when it ends."""
    variable = Expansion.variable(Scale.at_infinity(depth))
    unit = min(total.kappa, Rational(1))
    for k in count(1):
        found = change(total.expansion(k * unit))
        if len(found.terms) > terms or k == MOST_ROUNDS:
            return found.compose(variable).truncate(terms)


def _exponential(small: Expansion, alpha: Expr) -> Expansion:
    """C l^alpha exp(the rest), for a sum alpha log l + the rest."""
    rest = small - Expansion.build(small.scale, {(0, 1): alpha})
    return exponential(rest) * Expansion.build(small.scale, {Monomial(-alpha): CONNECTION})
