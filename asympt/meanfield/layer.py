"""One layer of an infinitely wide network, stated once, as data.

One layer takes the variances q, q' of two inputs, their covariance s = c sqrt(q q') and the NTK K to

    q   ->  V(q) = sigma_b^2 + sigma_w^2 E[phi(sqrt(q) Z)^2]
    s   ->  sigma_b^2 + sigma_w^2 E[phi(sqrt(q) U) phi(sqrt(q') V)],      U, V standard normal with correlation c
    K   ->  sigma_w^2 E[phi'(sqrt(q) U) phi'(sqrt(q') V)] K + (the new s)            (HDR Lemma 2, after Jacot et al.)

ReLU-like phi (slopes a+ for x > 0, a- for x < 0) have no scale: with chi = sigma_w^2 (a+^2 + a-^2)/2,
kappa = (a+ - a-)^2/(2 (a+^2 + a-^2)) and f(c) = (1 - kappa) c + kappa f_abs(c), f_abs that of |x|, a layer is
q -> sigma_b^2 + chi q,  s -> sigma_b^2 + chi sqrt(q q') f(c),  K -> chi f'(c) K + (the new s),  for every q.  Any other
phi is evaluated where the variance has converged, at q = V(q), and chi = sigma_w^2 E[phi'(sqrt(q) Z)^2].
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, simplify, sqrt

from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.stability import DIGITS, Stability, neutral, stability_at
from asympt.meanfield.variance import VarianceMap, slope_moment
from asympt.numbers import exact
from asympt.symbols import require_distinct


@dataclass(frozen=True)
class Layer:
    """A dense layer with independent weights N(0, sigma_w^2/n) and biases N(0, sigma_b^2).

    Parameters: `activation`; `weight_variance` sigma_w^2 and `bias_variance` sigma_b^2, exact SymPy numbers;
    `variance`, the fixed point q of the variance to look at (left out: the stable one is computed, and none is needed
    for ReLU-like activations without bias); `critical`, True when the three were solved from chi = 1, which is then
    taken as exact (left out: chi decides).
    """

    activation: Activation
    weight_variance: Expr
    bias_variance: Expr
    variance: Expr | None = None
    critical: bool | None = None

    def __post_init__(self):
        for name in ("weight_variance", "bias_variance"):
            object.__setattr__(self, name, exact(getattr(self, name), name))
        require_distinct(*self.parameters)

    @cached_property
    def is_scale_free(self) -> bool:
        """Whether the correlation map is the same at every variance: ReLU-like without bias."""
        return self.bias_variance == 0 and self.activation.is_relu_like

    @cached_property
    def fixed_variance(self) -> Expr:
        """q = V(q): the one given, else the stable one; raises `UnsupportedError` when there is none."""
        if self.variance is not None:
            return self.variance
        if self.is_scale_free:
            raise UnsupportedError(
                f"activation {self.activation.name!r} without bias has no variance of its own: its maps are the same "
                "at every q"
            )
        return self.variance_map.stable(DIGITS).exact

    @property
    def variance_map(self) -> VarianceMap:
        """V; raises `UnsupportedError` where it contains symbols."""
        return VarianceMap(self.activation, self.weight_variance, self.bias_variance)

    @property
    def stability(self) -> Stability:
        """What V does beside the fixed point looked at; raises `UnsupportedError` when there is none."""
        return neutral(self.chi) if self.is_scale_free else stability_at(self.variance_map, self.fixed_variance)

    @cached_property
    def chi(self) -> Expr:
        """chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] = f'(1): 1 on the Edge of Chaos.

        For ReLU-like activations it is the slope of the variance map too.
        """
        if self.critical:
            return Integer(1)
        if self.activation.is_relu_like:
            return self.weight_variance * self.activation.second_moment
        return self.weight_variance * slope_moment(self.activation, self.fixed_variance)

    @property
    def is_critical(self) -> bool:
        """Whether chi is exactly 1."""
        if self.critical is not None:
            return self.critical
        has_formula = self.activation.is_relu_like or not self.chi.is_comparable  # else only its digits are known
        return self.chi == 1 or (has_formula and simplify(self.chi - 1) == 0)

    @property
    def parameters(self) -> set:
        """Symbols for which numbers must be given before anything can be evaluated."""
        found = self.activation.expression.free_symbols - {self.activation.symbol}
        return found | self.weight_variance.free_symbols | self.bias_variance.free_symbols

    @property
    def deviations(self) -> tuple[Activation, Expr, Expr]:
        """phi, sigma_w and sigma_b, as networks take them."""
        return self.activation, sqrt(self.weight_variance), sqrt(self.bias_variance)
