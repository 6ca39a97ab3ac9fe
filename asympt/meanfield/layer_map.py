"""The correlation map of any activation at a fixed point q of the variance.

Problem.  f(c) = (sigma_b^2 + sigma_w^2 F(c))/q,  F(c) = E[phi(sqrt(q) U) phi(sqrt(q) V)],  q = V(q).

Rule.  Never subtract f from 1: since q = sigma_b^2 + sigma_w^2 F(1),

    1 - f = (sigma_w^2/q) (F(1) - F(c)),      f' = sigma_w^2 E[phi'(sqrt(q) U) phi'(sqrt(q) V)],

with F(1) - F(c) from `gaussian.kernel`, which has full relative accuracy in the gap, and the expansion of F at c = 1
from the Price expansion.  On the Edge of Chaos f'(1) = 1 by the definition of the point, so the coefficient of t^2
is -1 exactly, not a number that rounds to it.

Tiny case.  phi = erf at any q:  f' = (4 sigma_w^2/pi) ((1 + 2q)^2 - 4 q^2 c^2)^(-1/2).

Known limits.  Both inputs have the variance q; before the variance has converged use `asympt.depth.gram`.
"""

from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Symbol, expand

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.expansions.opaque import in_digits
from asympt.gaussian.closed.kernels import Q1, Q2, closed_form
from asympt.gaussian.closed.moments import exact_square_moment
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import square_moment
from asympt.gaussian.price.expansion import price_expansion
from asympt.gaussian.price.relu_like import SCALE
from asympt.gaussian.quadrature.floating import gap_float
from asympt.meanfield.correlation import ANY, GUARD, CorrelationMap, check_order
from asympt.meanfield.layer import Layer
from asympt.numbers import check_digits, exact, symbol_names, to_mpf
from asympt.symbols import shown

Q, WEIGHT = Symbol("q", positive=True), Symbol("sigma_w", positive=True)  # of formulas for any layer
FETCHED = 8  # powers of t that are found at once
SERIES, FLOAT = 0.06, 20  # gaps from which on Hermite series serve floats, and their digits
LOWEST, NOISE, BESIDE = 2.0**-47, 1e-13, 1e-10  # of gaps: none below, relative error in float64, a second one nearby
SPARE = 1.25  # times the bits of c* asked for


@dataclass(frozen=True, repr=False)
class LayerMap(CorrelationMap, serves=ANY):
    """f of a layer at its variance `layer.variance`."""

    layer: Layer

    @classmethod
    def of_source(cls, layer: Layer) -> "LayerMap":
        """The map of a layer."""
        return cls(layer)

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
        """f(c) in closed form, None when none is known."""
        return self._in_units_of_q("value", self.layer.bias_variance, 1 / self.q)

    @property
    def closed_slope(self) -> Expr | None:
        """f'(c) in closed form, None when none is known."""
        return self._in_units_of_q("slope", Integer(0), Integer(1))

    def _in_units_of_q(self, which: str, bias: Expr, unit: Expr) -> Expr | None:
        form = closed_form(self._phi)
        if form is None:
            return None
        whole = (bias + self.layer.weight_variance * getattr(form, which).subs({Q1: self.q, Q2: self.q})) * unit
        return whole.xreplace(shown(whole))

    def expansion(self, order: int = 9) -> Expansion:
        """f up to t^order; coefficients exact in q and the moments of phi, which are exact where they have formulas."""
        return _expansion(self.layer, check_order(order))

    def gap(self, gamma):
        """1 - f(1 - gamma)."""
        weight, q = to_mpf(self.layer.weight_variance), to_mpf(self.q)
        return weight * kernel_of(self._phi).gap(q, gamma) / q

    def gap_slope(self, gamma):
        """f'(1 - gamma)."""
        return to_mpf(self.layer.weight_variance) * kernel_of(self._phi).slope(to_mpf(self.q), gamma)

    def derivative(self, c, n: int, digits: int = 30):
        """The n-th derivative of f at an interior point c in (-1, 1)."""
        value = exact(c, "correlation")
        with mp.workdps(check_digits(digits) + GUARD):
            weight, q = to_mpf(self.layer.weight_variance), to_mpf(self.q)
            return weight * kernel_of(self._phi).derivative(q, to_mpf(1 - value), n) / q

    def fixed_gap(self):
        """1 - c* in the chaotic phase at mpmath's precision: the gap in (0, 2) that f keeps.

        It is found in float64 and refined by secant steps, to more digits than asked for: whoever differentiates f
        there asks for a few more, and one table serves both.
        """
        known = _fixed_gaps(self)
        if max(known, default=0) < mp.prec:
            with mp.workprec(int(SPARE * mp.prec)):
                near = mpmath.mpf(_near_fixed_gap(self))
                known[mp.prec] = mp.findroot(
                    lambda gamma: self.gap(gamma) / gamma - 1, (near, near * (1 + mpmath.mpf(BESIDE))),
                    solver="secant", tol=mp.eps**2, verify=False,
                )
        return +known[max(known)]

    # ---- what its expansion at c = 1 is made of -------------------------------------------------------

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
        """An error when phi or the standard deviations are symbols and a number is asked for."""
        symbols = self.layer.parameters
        if symbols:
            raise UnsupportedError(f"the layer contains the symbols {symbol_names(symbols)}; give numbers to evaluate")


@lru_cache(maxsize=64)
def _fixed_gaps(f: LayerMap) -> dict:
    """1 - c* by the bits to which it was found so far."""
    return {}


@lru_cache(maxsize=64)
def _near_fixed_gap(f: LayerMap) -> float:
    """1 - c* in float64, by secant steps on f(c) - c from c = 0 and c = f(0).

    f = sum_k a_k c^k with a_k >= 0 is convex on [0, 1] and f(0) >= 0: no secant leads beyond c*. So f is not asked for
    any c closer to 1, where the kernels of steep activations are expensive.
    """
    phi, q, weight = f._phi, to_mpf(f.q), to_mpf(f.layer.weight_variance)

    def rise(gamma: float) -> float:
        if gamma < SERIES:
            return float(gamma - weight * gap_float(phi, float(q), gamma)[0] / q)
        with mp.workdps(FLOAT):
            return float(gamma - weight * kernel_of(phi).gap(q, gamma) / q)

    before, value = 1.0, rise(1.0)
    if value < NOISE:
        return before
    here = 1.0 - value
    while LOWEST < here < before:
        last, value = value, rise(here)
        following = here - value * (here - before) / (value - last) if value > NOISE * here else here
        if following > here * (1 - NOISE):
            return here
        before, here = here, following
    raise UnsupportedError(
        f"f'(1) = {mpmath.nstr(to_mpf(f.multiplier), 10)}: no correlation c* < 1 is found that f keeps and attracts; "
        "c* belongs to the chaotic phase"
    )


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
