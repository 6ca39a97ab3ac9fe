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

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import ClassVar

from mpmath import mpf
from sympy import Dummy, Expr, Integer, simplify, sqrt

from asympt.compiling import as_function
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.meanfield.activations import Activation
from asympt.meanfield.stability import DIGITS, Stability, neutral, stability_at
from asympt.meanfield.variance import VarianceMap, slope_moment
from asympt.numbers import exact, to_mpf
from asympt.symbols import Reserved, require_distinct


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

        For ReLU-like activations it is the slope of the variance map too; oo where phi jumps.
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


# ---- the layer recursion of every dense architecture, stated once ---------------------------------------
#
# Layer l = 2, 3, ... takes the variances q, q' of two inputs, their covariance s and the NTK K to
#
#     s  ->  skip s + beta_l (sigma_b^2 + sigma_w^2 E[phi phi])                       (q and q' likewise)
#     K  ->  (skip + beta_l sigma_w^2 E[phi' phi']) K + lambda_b + lambda_W E[phi phi]
#
# with E over two normal variables of covariance [[q, s], [s, q']] of layer l - 1; layer 1 holds s = b_1 + w_1 x.x'/d
# and K = r_b + r_w x.x'/d.  All are compiled from compositions of primitives (`architectures.composition`):
#
#     architecture     skip  beta_l      lambda_W                   layer 1
#     FeedForward      0     1           sigma_w^2                  K^1 = Sigma^1
#     ResNet           1     1           sigma_w^2                  K^1 = Sigma^1, no residual
#     ScaledResNet     1     l^(-kappa)  sigma_w^2 l^(-kappa)       K^1 = Sigma^1, no residual
#     BlockResNet      1     1           2 a                        K^1 = 2 Sigma^1,  a = alpha^2 sigma_v^2 sigma_w^2
#     MLP              0     1           its own, of l (and L)      K^1 = lambda_b + lambda_W x.x'/d


LAYER = Reserved("l", positive=True)


@dataclass(frozen=True)
class First:
    """Layer 1: s = bias + weight x.x'/d and K = bias_rate + weight_rate x.x'/d, exact SymPy numbers."""

    weight: Expr
    bias: Expr
    weight_rate: Expr
    bias_rate: Expr


@dataclass(frozen=True)
class Statement:
    """One architecture's layer.

    `layer`: phi with the branch's sigma_w^2 and sigma_b^2; `skip`: whether the input of a layer is added to its output;
    `branch`: beta_l, an expression in `LAYER`; `weight_rate`, `bias_rate`: lambda_W and lambda_b, expressions in
    `LAYER`; `first`: layer 1.

    >>> from asympt import ResNet
    >>> s = ResNet("relu").statement
    >>> s.growth, s.branch_share
    (3/2, 1/3)
    """

    layer: Layer
    skip: bool
    branch: Expr
    weight_rate: Expr
    bias_rate: Expr
    first: First = field(kw_only=True)

    is_dense: ClassVar[bool] = True  # else convolutional

    @classmethod
    def plain(cls, layer: Layer) -> "Statement":
        """A fully connected network in the NTK parametrisation (HDR eq. 10)."""
        weight, bias = layer.weight_variance, layer.bias_variance
        return cls(layer, False, Integer(1), weight, bias, first=First(weight, bias, weight, bias))

    @property
    def is_scale_free(self) -> bool:
        """Whether c and K/q move the same way at every variance: ReLU-like phi, no bias anywhere in the covariance."""
        return self.layer.is_scale_free and self.first.bias == 0

    @cached_property
    def branch_growth(self) -> Expr:
        """beta_l sigma_w^2 E[phi'(sqrt(q) Z)^2]: what a branch adds to the variance of a scale-free network."""
        return self.branch * self.layer.chi

    @property
    def growth(self) -> Expr:
        """q_l/q_(l-1) of a scale-free network."""
        return int(self.skip) + self.branch_growth

    @property
    def branch_share(self) -> Expr:
        """delta_l, the share of the branch: c_l = (1 - delta_l) c_(l-1) + delta_l f(c_(l-1)); 1 without skip."""
        return self.branch_growth / self.growth if self.skip else Integer(1)

    @property
    def has_laws(self) -> bool:
        """Whether the laws of dense networks are its own: trained as drawn, or at one ratio r with a skip."""
        first, drawn = self.first, (self.layer.weight_variance, self.layer.bias_variance)
        if (self.weight_rate, self.bias_rate) == tuple(self.branch * variance for variance in drawn):
            return (first.weight_rate, first.bias_rate) == (first.weight, first.bias)
        even = first.weight_rate == self.learning_ratio * first.weight and (self.bias_rate, first.bias_rate) == (0, 0)
        return self.skip and even and self.branch == 1

    @property
    def learning_ratio(self) -> Expr:
        """r = lambda_W/(beta sigma_w^2): 1 for a network trained as drawn, 2 for a branch of two trained matrices."""
        return self.weight_rate / (self.branch * self.layer.weight_variance)

    @property
    def source(self) -> Expr:
        """lambda_W m_2 q_(l-1)/q_l: what f(c_(l-1)) adds to K/q of a scale-free network; 1 for a plain one."""
        return self.weight_rate * self.activation.second_moment / self.growth

    @property
    def decay(self) -> Expr:
        """kappa of beta_l = l^(-kappa): 0 when every layer has the branch whole; `UnsupportedError` for other beta_l.

        >>> from asympt import ScaledResNet
        >>> ScaledResNet("relu", kappa="1/2").statement.decay
        1/2
        """
        if self.branch == 1:
            return Integer(0)
        base, exponent = self.branch.as_base_exp()
        if base != LAYER or LAYER in exponent.free_symbols:
            raise UnsupportedError(f"the branch weighs {self.branch} in layer l; this needs a power l^(-kappa)")
        return -exponent

    @property
    def activation(self) -> Activation:
        return self.layer.activation

    @property
    def stability(self) -> Stability | None:
        """What V does beside its fixed point; None with a skip connection, where the variance settles nowhere."""
        return None if self.skip else self.layer.stability

    @property
    def is_plain(self) -> bool:
        """Whether this is `Statement.plain` of its layer."""
        return self == Statement.plain(self.layer)

    @property
    def parameters(self) -> set:
        """Symbols for which numbers must be given before anything can be evaluated."""
        first = self.first
        given = (self.branch, self.weight_rate, self.bias_rate, first.weight, first.bias, first.weight_rate)
        return self.layer.parameters.union(*(e.free_symbols for e in (*given, first.bias_rate))) - {LAYER}

    def with_layer(self, layer: Layer) -> "Statement":
        """The same with another branch layer."""
        return replace(self, layer=layer)


def is_plain_network(net) -> bool:
    """Whether the layers of a network are those of a fully connected one, trained as drawn, whatever it is called."""
    statement = getattr(net, "statement", None)
    return statement is not None and statement.is_dense and statement.is_plain


def at_layer(coefficient: Expr, layer):
    """A coefficient of a statement, an expression in `LAYER`, as an mpmath number in one layer, to all its digits.

    >>> at_layer(1 / (1 + LAYER), 3)
    mpf('0.25')
    """
    return to_mpf(coefficient) if LAYER not in coefficient.free_symbols else _compiled(coefficient)(mpf(layer))


@lru_cache(maxsize=64)
def _compiled(coefficient: Expr):
    """l -> the number.  Constants known by digits alone are asked for them at the precision of the call."""
    names = {constant: Dummy() for constant in coefficient.atoms(RealConstant)}
    function = as_function([LAYER, *names.values()], coefficient.xreplace(names), "mpmath", cse=True)
    return lambda layer: function(layer, *map(to_mpf, names))


def _of_dense(name: str) -> property:
    """What a convolutional layer has of its dense one."""
    return property(lambda self: getattr(self.dense, name))


@dataclass(frozen=True)
class ConvStatement:
    """A convolutional architecture on a circle of positions: `dense` at every position, averaged over a filter.

    y_alpha reads positions alpha - reach, ..., alpha + reach, so the two expectations in the statement of the dense
    layer become their means over beta = -reach..reach at the pair (alpha + beta, alpha' + beta), also in layer 1
    (HDR Proposition 1 and Lemma 4).  `positions`: M >= 2 reach + 1.
    """

    dense: Statement
    positions: int
    reach: int

    is_dense: ClassVar[bool] = False

    # the same at every position as in the dense layer
    layer, first, skip, activation = map(_of_dense, ("layer", "first", "skip", "activation"))
    is_scale_free, stability, parameters = map(_of_dense, ("is_scale_free", "stability", "parameters"))

    def require_equal_layers(self) -> None:
        """An error where the branch depends on the depth, has its own rates, or moves the variance of a smooth phi."""
        dense = self.dense
        if LAYER in dense.branch.free_symbols or dense.weight_rate != dense.branch * dense.layer.weight_variance:
            raise UnsupportedError(
                f"the branch's weight {dense.branch} and its learning rate {dense.weight_rate} are not those of a "
                "convolutional network with equal layers; give a ConvNet or a ConvResNet"
            )
        if dense.skip and not dense.is_scale_free:
            raise UnsupportedError(
                f"with skip connections the variance of {dense.layer.activation.name!r} grows and its correlation map "
                "with it; take a ReLU-like activation and sigma_b = 0"
            )
