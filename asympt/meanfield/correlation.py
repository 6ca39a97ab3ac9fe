"""The correlation map f: from the correlation c of two preactivations to that of the next layer.

f(c) = (sigma_b^2 + sigma_w^2 E[phi(sqrt(q) U) phi(sqrt(q) V)])/q at a fixed point q of the variance, so f(1) = 1, in
the gap gamma = 1 - c, where no digits are lost near c = 1, and expanded in t = sqrt(gamma).  `ReluLikeMap`: every q is
fixed, f is known in closed form; `LayerMap`: any activation at a fixed point q.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Symbol, asin, expand, latex, pi, sqrt, sstr

from asympt.arrays import broadcast
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion
from asympt.expansions.opaque import in_digits
from asympt.gaussian.closed import arccosine
from asympt.gaussian.closed.kernels import Q1, Q2, closed_form, tidy
from asympt.gaussian.closed.moments import exact_square_moment
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import square_moment
from asympt.gaussian.price import SCALE, along_correlation, price_expansion, slope_level, value_level
from asympt.gaussian.quadrature.profile import gap_float
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.layer import Layer
from asympt.numbers import exact, is_whole, refuse_symbols, to_mpf
from asympt.showing import one_line
from asympt.symbols import named, shown

GUARD = 10


class CorrelationMap(ABC):
    """The correlation map f of one layer, c^(l+1) = f(c^l).

    >>> from asympt.meanfield.activations import activation
    >>> f = CorrelationMap.of(activation("relu"))
    >>> f.closed_form
    c + (-c*acos(c) + sqrt(1 - c**2))/pi
    >>> print(f.expansion(order=5))
    1 - t^2 + 2*sqrt(2)*t^3/(3*pi) + sqrt(2)*t^5/(30*pi) + O(t^7)
    >>> print(f("1/10", digits=15))
    0.369902765902636
    """

    @staticmethod
    def of(source) -> "CorrelationMap":
        """The map of a `Layer`, or of a ReLU-like activation on the Edge of Chaos without bias."""
        source = activation(source) if isinstance(source, str | Expr) else source
        if not isinstance(source, Activation | Layer):
            raise InputError(f"source = {source!r} is neither a layer nor an activation; take net.correlation_map")
        if isinstance(source, Activation) or source.is_scale_free:
            phi = source if isinstance(source, Activation) else source.activation
            return ReluLikeMap(phi.kink_weight, phi.linear_weight)
        return LayerMap(source)

    @staticmethod
    def with_asymmetry(rho: Expr) -> "ReluLikeMap":
        """The map of a ReLU-like activation with a given (possibly symbolic) rho."""
        return ReluLikeMap(pi * rho / 2, 1 - pi * rho / 2)

    def __repr__(self) -> str:
        return one_line("CorrelationMap", self._source())

    def _repr_latex_(self) -> str:
        closed = self.closed_form
        if closed is not None:
            return rf"$\displaystyle f({self.variable}) = {latex(closed)}$"
        return rf"$\displaystyle f = {self.expansion(6).latex()}, \quad t = \sqrt{{1 - {self.variable}}}$"

    @abstractmethod
    def _source(self) -> str:
        """What it is the map of, in a line and without a computation."""

    @property
    @abstractmethod
    def multiplier(self) -> Expr:
        """f'(1): 1 on the Edge of Chaos, chi elsewhere."""

    @property
    def variable(self) -> Symbol:
        """c, the variable of the closed forms."""
        return Symbol("c", real=True)

    @property
    @abstractmethod
    def closed_form(self) -> Expr | None:
        """f(c) as a SymPy expression in c, None when there is none."""

    @property
    @abstractmethod
    def closed_slope(self) -> Expr | None:
        """f'(c) as a SymPy expression in c, None when there is none."""

    @abstractmethod
    def expansion(self, order: int = 9) -> Expansion:
        """f as an expansion in t = sqrt(1 - c), up to t^order."""

    def slope_expansion(self, order: int = 9) -> Expansion:
        """f' = -(1/(2t)) df/dt as an expansion in t = sqrt(1 - c), up to t^order."""
        return along_correlation(self.expansion(check_order(order) + 2))

    @abstractmethod
    def gap(self, gamma: Any) -> Any:
        """1 - f(1 - gamma) for an mpmath number, to full relative accuracy at mpmath's precision."""

    @abstractmethod
    def gap_slope(self, gamma: Any) -> Any:
        """f'(1 - gamma) for an mpmath number, at mpmath's precision."""

    @abstractmethod
    def require_numbers(self) -> None:
        """Raise `UnsupportedError` when the map contains symbols, so that it has no numbers."""

    def __call__(self, c, digits: int = 30):
        """f(c) to `digits` significant digits, -1 <= c <= 1; computed at two precisions that must agree.

        An array of c gives an array of mpmath numbers, and digits=None float64.
        """
        return self._certified(c, digits, lambda gamma: 1 - self.gap(gamma))

    def slope(self, c, digits: int = 30):
        """f'(c) to `digits` significant digits, likewise."""
        return self._certified(c, digits, self.gap_slope)

    def _certified(self, correlation, digits: int | None, function):
        return broadcast(partial(self._agreed, function), digits, correlation=correlation)

    def _agreed(self, function, correlation, digits: int):
        """`function` of the gap at two precisions; more when it nearly vanishes, 0 when it does at every one."""
        value = exact(correlation, "correlation")
        check_correlation(value)
        self.require_numbers()
        for guard in (GUARD, 2 * digits + 20, 20 * digits + 20):  # digits that cancel near a zero
            one, two = (self._at(value, function, digits + guard + more) for more in (0, GUARD))
            with mp.workdps(digits + guard):
                if abs(one - two) <= abs(two) * mpmath.mpf(10) ** -digits:
                    return two
                if max(abs(one), abs(two)) < mpmath.mpf(10) ** -(digits + guard - 5):
                    two = mpmath.mpf(0)
        if two == 0:
            return two
        raise PrecisionError(
            f"two evaluations at c = {correlation} do not agree to {digits} digits; ask for fewer digits"
        )

    @staticmethod
    def _at(value: Expr, function, digits: int):
        with mp.workdps(digits):
            return function(to_mpf(1 - value))


def check_correlation(value: Expr) -> None:
    """An error unless -1 <= value <= 1."""
    if not value.is_number:
        raise InputError(f"correlation = {value} is not a number; give a number in [-1, 1]")
    if not bool(abs(value) <= 1):
        raise InputError(f"correlation = {value} is outside [-1, 1]; give the correlation of two inputs")


def check_order(order: int) -> int:
    """A power of t, from 2 to 400."""
    if not is_whole(order, 2, 400):
        raise InputError(f"order = {order} is not a whole number from 2 to 400; ask for a power of t to stop at")
    return int(order)


# ---- the correlation map of a ReLU-like activation, in the three forms the toolkit uses ----------------


@dataclass(frozen=True, repr=False)
class ReluLikeMap(CorrelationMap):
    """f, with `kink_weight` = kappa = pi rho/2 and `linear_weight` = 1 - kappa (both exact).

    >>> f = ReluLikeMap.with_asymmetry(1 / pi)
    >>> f.closed_slope
    -acos(c)/pi + 1
    """

    kink_weight: Expr
    linear_weight: Expr

    def _source(self) -> str:
        return f"f({self.variable}) = {sstr(self.closed_form)}"

    @property
    def multiplier(self) -> Expr:
        """f'(1) = 1."""
        return Integer(1)

    @property
    def asymmetry(self) -> Expr:
        """rho, the coefficient of arccos in f'(c) = 1 - rho arccos(c)."""
        return 2 * self.kink_weight / pi

    @property
    def closed_form(self) -> Expr:
        """f(c) as a SymPy expression in c (HDR, proof of Appendix Lemma 7, for ReLU)."""
        return arccosine.closed_form(self.asymmetry, self.variable)

    @property
    def closed_slope(self) -> Expr:
        return arccosine.closed_slope(self.asymmetry, self.variable)

    @property
    def variable(self) -> Symbol:
        """c, the variable of the closed forms; c_0 where a slope is called c."""
        return named([arccosine.C], self.asymmetry.free_symbols)[arccosine.C]

    def gap_in_uniformiser(self, t: Symbol) -> Expr:
        """1 - f as a closed form in t = sqrt(1 - c): theta = 2 asin(t/sqrt 2), sin theta = t sqrt(2 - t^2)."""
        theta = 2 * asin(t / sqrt(2))
        return t**2 - self.asymmetry * (t * sqrt(2 - t**2) - theta * (1 - t**2))

    def slope_in_uniformiser(self, t: Symbol) -> Expr:
        """f' as a closed form in t."""
        return 1 - 2 * self.asymmetry * asin(t / sqrt(2))

    def expansion(self, order: int = 9) -> Expansion:
        return value_level(self.asymmetry, check_order(order))

    def slope_expansion(self, order: int = 9) -> Expansion:
        return slope_level(self.asymmetry, check_order(order))

    def gap(self, gamma):
        return arccosine.gap_map(gamma, *self._weights())

    def gap_slope(self, gamma):
        return arccosine.gap_slope(gamma, *self._weights())

    def _weights(self):
        return to_mpf(self.kink_weight), to_mpf(self.linear_weight)

    def require_numbers(self) -> None:
        refuse_symbols(self.kink_weight.free_symbols, "the slopes contain")


# ---- the correlation map of any activation at a fixed point q of the variance --------------------------
#
# Never subtract f from 1: since q = sigma_b^2 + sigma_w^2 F(1),
#
#     1 - f = (sigma_w^2/q) (F(1) - F(c)),      f' = sigma_w^2 E[phi'(sqrt(q) U) phi'(sqrt(q) V)],
#
# with F(1) - F(c) from `gaussian.kernel`, which has full relative accuracy in the gap, and the expansion of F at c = 1
# from the Price expansion.  On the Edge of Chaos f'(1) = 1 by the definition of the point, so the coefficient of t^2
# is -1 exactly, not a number that rounds to it.

Q, WEIGHT = Symbol("q", positive=True), Symbol("sigma_w", positive=True)  # of formulas for any layer
FETCHED = 8  # powers of t that are found at once
SERIES, FLOAT = 0.06, 20  # gaps from which on Hermite series serve floats, and their digits
LOWEST, NOISE, BESIDE = 2.0**-47, 1e-13, 1e-10  # of gaps: none below, relative error in float64, a second one nearby
SPARE = 1.25  # times the bits of c* asked for


@dataclass(frozen=True, repr=False)
class LayerMap(CorrelationMap):
    """f of a layer at its variance `layer.variance`."""

    layer: Layer

    def _source(self) -> str:
        phi, weight, bias = self.layer.activation, self.layer.weight_variance, self.layer.bias_variance
        return f"{phi.name!r}, sigma_w^2 = {in_digits(weight)}, sigma_b^2 = {in_digits(bias)}"

    @property
    def q(self) -> Expr:
        """The fixed point of the variance."""
        return self.layer.fixed_variance

    @property
    def multiplier(self) -> Expr:
        """f'(1) = chi."""
        return self.layer.chi

    @property
    def closed_form(self) -> Expr | None:
        return self._in_units_of_q("value", self.layer.bias_variance, 1 / self.q)

    @property
    def closed_slope(self) -> Expr | None:
        return self._in_units_of_q("slope", Integer(0), Integer(1))

    def _in_units_of_q(self, which: str, bias: Expr, unit: Expr) -> Expr | None:
        form = closed_form(self._phi)
        if form is None:
            return None
        mean = tidy(getattr(form, which).subs({Q1: self.q, Q2: self.q}))
        whole = (bias + self.layer.weight_variance * mean) * unit
        return whole.xreplace(shown(whole))

    def expansion(self, order: int = 9) -> Expansion:
        """f up to t^order; coefficients exact in q and the moments of phi, which are exact where they have formulas."""
        return _expansion(self.layer, check_order(order))

    def gap(self, gamma):
        weight, q = to_mpf(self.layer.weight_variance), to_mpf(self.q)
        return weight * kernel_of(self._phi).gap(q, gamma) / q

    def gap_slope(self, gamma):
        return to_mpf(self.layer.weight_variance) * kernel_of(self._phi).slope(to_mpf(self.q), gamma)

    def derivative(self, c, n: int, digits: int = 30):
        """The n-th derivative of f at an interior point c in (-1, 1)."""
        return broadcast(partial(self._derivative, n), digits, c=c)

    def _derivative(self, n: int, c, digits: int):
        value = exact(c, "correlation")
        with mp.workdps(digits + GUARD):
            weight, q = to_mpf(self.layer.weight_variance), to_mpf(self.q)
            return weight * kernel_of(self._phi).derivative(q, to_mpf(1 - value), n) / q

    def fixed_gap(self):
        """1 - c* in the chaotic phase at mpmath's precision: the gap in (0, 1] that f keeps."""
        return attracted_gap(self, self.gap, self._float_gap)

    def _float_gap(self, gamma: float) -> float:
        """1 - f in float64; next to 0, where the kernels of steep activations are dear, by a table of floats."""
        if gamma < SERIES:
            q = to_mpf(self.q)
            return float(to_mpf(self.layer.weight_variance) * gap_float(self._phi, float(q), gamma) / q)
        with mp.workdps(FLOAT):
            return float(self.gap(mpmath.mpf(gamma)))

    def by_moments(self, power: int) -> Expr:
        """The coefficient of t^power in f by q, sigma_w and the moments M_n, as symbols.

        >>> from sympy import Rational
        >>> from asympt.meanfield.activations import activation
        >>> LayerMap(Layer(activation("tanh"), Integer(2), Rational(1, 25))).by_moments(4)
        M_2*q*sigma_w**2/2
        """
        order = -(-power // FETCHED) * FETCHED
        return expand(WEIGHT**2 / Q * _in_moments(self._phi, order).coefficient(power))

    def closed_moment(self, n: int) -> Expr | None:
        """M_n = E[phi^(n)(sqrt(q) Z)^2] (without deltas) as a formula in the symbol q, None when there is none."""
        return exact_square_moment(self._phi, n, Q)

    def moment(self, n: int, digits: int = 30):
        """M_n as a number."""
        with mp.workdps(digits + GUARD):
            return square_moment(self._phi, n, to_mpf(self.q), digits)

    @property
    def _phi(self):
        return self.layer.activation.piecewise

    def require_numbers(self) -> None:
        refuse_symbols(self.layer.parameters, "the layer contains")


def attracted_gap(f: Hashable, gap: Callable, float_gap: Callable[[float], float]):
    """1 - c* of a map f with `gap(gamma)` = 1 - f, at mpmath's precision; an error where there is none in (0, 1].

    It is found in float64 and refined by secant steps, to more digits than requested: whoever differentiates f there
    asks for a few more, and one table serves both.  What was found is kept by f.
    """
    known = _fixed_gaps(f)
    if max(known, default=0) < mp.prec:
        with mp.workprec(int(SPARE * mp.prec)):
            start = mpmath.mpf(_near_fixed_gap(float_gap))
            known[mp.prec] = mp.findroot(
                lambda gamma: gap(gamma) / gamma - 1, (start, start * (1 + mpmath.mpf(BESIDE))), solver="secant",
                tol=mp.eps**2, verify=False,
            )
    return +known[max(known)]


@lru_cache(maxsize=64)
def _fixed_gaps(f: Hashable) -> dict:
    """1 - c* by the bits to which it was found so far."""
    return {}


def _near_fixed_gap(float_gap: Callable[[float], float]) -> float:
    """1 - c* in float64, by secant steps on f(c) - c from c = 0 and c = f(0).

    f = sum_k a_k c^k with a_k >= 0 is convex on [0, 1] and f(0) >= 0: no secant leads beyond c*. So f is not asked for
    any c closer to 1, where the kernels of steep activations are dear.
    """
    before, value = 1.0, 1.0 - float_gap(1.0)
    if value < NOISE:
        return before
    here = 1.0 - value
    while LOWEST < here < before:
        last, value = value, here - float_gap(here)
        following = here - value * (here - before) / (value - last) if value > NOISE * here else here
        if following > here * (1 - NOISE):
            return here
        before, here = here, following
    raise UnsupportedError(f"f(c) > c up to 1 - c = {here:.3g}: no attracting fixed point c* < 1 of f is found")


@lru_cache(maxsize=16)
def _in_moments(phi, order: int) -> Expansion:
    """E[phi phi] for symbols q and M_n."""
    return price_expansion(phi, Q, order, lambda n: Symbol(f"M_{n}", positive=True))


@lru_cache(maxsize=64)
def _expansion(layer: Layer, order: int) -> Expansion:
    """(sigma_b^2 + sigma_w^2 F)/q; two coefficients are known beforehand: 1 and, unless phi jumps, -chi."""
    f = price_expansion(layer.activation.piecewise, layer.fixed_variance, order)
    ratio = layer.weight_variance / layer.fixed_variance
    terms = {(m.order, 0): ratio * c for m, c in f.terms}
    terms[(0, 0)] = Integer(1)
    if not layer.activation.jumps(0):
        terms[(2, 0)] = -layer.chi
    return Expansion.build(SCALE, terms, f.remainder)
