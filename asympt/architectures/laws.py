"""Which laws a layer has: decided by the kind of its normal form, never by what the architecture is called.

    kind of the normal form                   laws
    the same map in every layer               `composed.laws`: chi = 1, < 1, > 1
    the map of a branch that falls            `scaled`: w_l = alpha/(l^kappa + alpha), 0 < kappa <= 1
    no map: the variance grows and moves it   what phi does at +oo and -oo decides (`residual`)

    phi(x)/x -> a+, a-, not equal             'growing': q_l like (1+alpha)^l, l^(-2), r delta/4
    bounded, with limits                      'bounded': q_l like l, 1 - c* and l^(-p), r c*/(p L)

With a skip connection the phase is the Edge of Chaos whatever sigma_w is: one layer moves the correlation by a share
that depth sums to a power law (HDR, after Theorem 2).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from inspect import signature
from typing import Any

from sympy import Expr, Integer, Rational, factorial, gamma, pi, sqrt

from asympt.architectures import residual, scaled
from asympt.architectures.composed import flow
from asympt.architectures.composed.compiling import (
    CONSTANT,
    FALLING,
    NormalFormOfBlock,
    Settled,
    normal_form,
    read_behind,
    without_biases,
)
from asympt.architectures.composed.laws import ComposedLaws, affine_law
from asympt.architectures.law_parts import Coefficient, derivative_latex, key_of, read_variance
from asympt.architectures.norms import read_pair
from asympt.architectures.relu_like import LAYER, map_of
from asympt.architectures.tails import tails
from asympt.deadline import in_budget
from asympt.errors import UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.printing import not_called
from asympt.expansions.series import product
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap, ReluLikeMap
from asympt.meanfield.edge import phase_of
from asympt.meanfield.layer import Layer, Statement
from asympt.numbers import check_terms
from asympt.precise.dense import VarianceDerivatives, VarianceStep
from asympt.recursions.autonomous import hyperbolic_law, parabolic_law
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics

REASONS = {
    "line": "phi acts like one straight line far from 0, where the variance goes, so the correlation stops moving at a "
    "limit that depends on the start and has no power law; take an activation with two slopes",
    "other": "phi has neither straight lines nor limits at infinity that SymPy finds, so it is not known what the "
    "growing variance sees of it; take a ReLU-like activation, or one such as elu, gelu, tanh",
}
DIAGONAL_TERMS = 4


@dataclass(frozen=True)
class Laws:
    """What follows from a layer: `phase`, `correlation_map` and the four laws; `network` has its blocks.

    Every part raises `UnsupportedError` with the reason where there is none.
    """

    statement: Statement
    network: object = field(default=None, compare=False)

    @property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] below, at or above 1."""
        if not self.statement.skip:
            return phase_of(self.statement.layer)
        require_nonlinear(self.statement.activation)
        if not self.statement.is_scale_free:
            self._far()
        return "edge of chaos"

    @property
    def correlation_map(self) -> CorrelationMap:
        """f, normalised to f(1) = 1; of the branch where its weight depends on the layer."""
        if self._is_neutral:
            raise UnsupportedError("the variance tends to 0 like 1/l, and every layer has a map of its own")
        if not self.statement.skip:
            return CorrelationMap.of(self.statement.layer)
        self.require_scale_free()
        if self._normal.kind == CONSTANT:
            return map_of(self.composed.kink)
        phi = self.statement.activation
        return ReluLikeMap(phi.kink_weight, phi.linear_weight)

    # ---- the laws -------------------------------------------------------------------------------

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        return self._of_kind("correlation_law", terms)

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L(x, x'), in the units that `quantity` names."""
        return self._of_kind("ntk_law", terms)

    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L: L, a geometric sum in chi, or 1 + the sum of the shares of falling branches."""
        if self.statement.skip:
            self.require_scale_free()
            if self._normal.kind == FALLING:
                return self._stamped(scaled.diagonal_law(self.branch, DIAGONAL_TERMS))
        elif self._is_neutral:
            raise UnsupportedError(
                "the variance of one input tends to 0 like 1/l, and K^L(x, x)/q_L is not known for every depth; take "
                "ntk_law().evaluate(depth, correlation=1, variances=(q, q)) for K^L(x, x)"
            )
        return self._stamped(self.composed.ntk_diagonal_law())

    def variance_law(self, terms: int) -> Law:
        """The law of q^l; of log(q^l/q^1) where branches fall with kappa other than 1."""
        statement = self.statement
        if not statement.skip:
            return variance_law(statement, terms)
        if statement.activation.is_relu_like:
            if self._normal.kind == CONSTANT:
                return self._stamped(affine_variance_law(statement))
            require_nonlinear(statement.activation)
            return self._stamped(scaled.variance_law(self.branch, terms))
        self._require_flow()
        return residual.LAWS[self._far()]["variance_law"](statement, terms)

    # ---- where they come from ---------------------------------------------------------------------

    def _of_kind(self, name: str, terms: int) -> Law:
        require_nonlinear(self.statement.activation)
        self._require_flow()
        kind = self._kind
        if kind == CONSTANT:
            return self._stamped(getattr(self.composed, name)(terms))
        if kind == FALLING:
            return self._stamped(getattr(flow, name)(self.branch.form, self.branch.steps, terms))
        return self._stamped(residual.LAWS[kind][name](self.statement, terms))

    @cached_property
    def _kind(self) -> str:
        """That of the normal form; what phi does far from 0 where there is none."""
        if self._is_neutral:
            return "vanishing"
        moves = self.statement.skip and not self.statement.is_scale_free
        return self._far() if moves else self._normal.kind

    @cached_property
    def _normal(self) -> NormalFormOfBlock:
        """Of the blocks, at the variance where it settles; else without biases, of which the variance's law knows."""
        block, layer = read_behind(self.network.block, self.network.readout), self._seen.layer
        if self.statement.skip or layer.is_scale_free:
            return normal_form(without_biases(block), None)
        return normal_form(block, None, Settled(layer.fixed_variance, bool(layer.critical)))

    @cached_property
    def composed(self) -> ComposedLaws:
        """The laws of the blocks, for c and K/q that move alike in every layer."""
        return ComposedLaws(self._normal, self.statement.first.weight_rate / self.statement.first.weight)

    @cached_property
    def branch(self) -> scaled.FallingBranch:
        """What falls, for a ReLU-like phi; of its biases the law of the variance alone knows."""
        return replace(scaled.FallingBranch.of(self._normal), bias=self.statement.layer.bias_variance)

    def _stamped(self, law: Law) -> Law:
        seen = self._seen
        pair = seen.is_plain and law.reader is not None and "correlation" in signature(law.reader).parameters
        reader = read_pair(law.reader, seen.layer) if pair else law.reader
        return replace(law, layer=seen, reader=reader)

    @cached_property
    def _seen(self) -> Statement:
        layer = self.statement.layer
        if self.statement.skip:
            return self.statement
        require_nonlinear(layer.activation)
        if layer.is_scale_free:
            return self.statement
        if not self._is_neutral:
            self._require_settled()
        is_critical = self.phase == "edge of chaos"
        return self.statement.with_layer(replace(layer, variance=layer.fixed_variance, critical=is_critical))

    @property
    def _vanishes(self) -> bool:
        """Whether the variance tends to 0 and moves the map."""
        return not self.statement.layer.is_scale_free and self.statement.layer.fixed_variance == 0

    @property
    def _is_neutral(self) -> bool:
        """Whether it does so like 1/l, while the correlation moves as slowly."""
        plain = not self.statement.skip and not self.statement.activation.is_relu_like
        return plain and self._vanishes and self.phase == "edge of chaos"

    # ---- what has no law ------------------------------------------------------------------------

    def _require_settled(self) -> None:
        """`UnsupportedError` unless the variance has a fixed point q > 0."""
        layer, phi = self.statement.layer, self.statement.activation
        if phi.is_relu_like and not layer.chi < 1:
            raise UnsupportedError(
                f"sigma_b = {sqrt(layer.bias_variance)}: with biases the variance of a ReLU-like network has a fixed "
                f"point for chi < 1 only, and chi = {layer.chi}; the laws need sigma_b = 0 or a smaller sigma_w"
            )
        if self._vanishes:
            raise UnsupportedError(
                f"with sigma_b = 0 and sigma_w = {sqrt(layer.weight_variance)} the variance of {phi.name!r} tends to "
                "0, and the correlation keeps moving with it towards a limit that depends on the start; take sigma_b > "
                "0 or a larger sigma_w, or ask for variance_law()"
            )

    def _require_flow(self) -> None:
        if self.statement.skip and self.statement.decay > 1:
            raise UnsupportedError(
                f"kappa = {self.statement.decay}: the branches add up to a finite step, so 1 - c^l tends to a positive "
                "number that depends on c^1 and there is no universal law; take kappa <= 1"
            )

    def require_scale_free(self) -> None:
        """`UnsupportedError` unless one map serves every layer: a nonlinear ReLU-like phi, no bias."""
        require_nonlinear(self.statement.activation)
        if not self.statement.is_scale_free:
            raise UnsupportedError(
                f"with {self._what} every layer has maps of its own, because the variance grows with depth; take a "
                "ReLU-like activation without bias"
            )

    def _far(self) -> str:
        """What phi does far from 0; `UnsupportedError` where no laws follow from it."""
        require_nonlinear(self.statement.activation)
        kind = tails(self.statement.activation).kind
        if kind in residual.LAWS:
            return kind
        raise UnsupportedError(f"with {self._what} {REASONS[kind]}")

    @property
    def _what(self) -> str:
        phi, bias = self.statement.activation, self.statement.layer.bias_variance
        return f"activation {phi.name!r}" + (f" and sigma_b = {sqrt(bias)}" if bias != 0 else "")


def require_nonlinear(phi: Activation) -> None:
    """`UnsupportedError` for a phi with which the correlation does not move."""
    if phi.is_linear:
        what = "constant" if phi.is_constant else f"linear (both slopes are {phi.piecewise.pieces[0].diff(phi.symbol)})"
        raise UnsupportedError(
            f"activation {phi.name!r} is {what}, so the correlation has no depth law; take a nonlinear activation"
        )


class HasLaws:
    """A network with `_laws`: its phase, its map and its four laws."""

    _laws: Any
    __call__ = not_called("asympt.depth computes its kernels, net.ntk_law() is a law, net.finite() a random network")

    @property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = f'(1) below, at or above 1.

        A residual network is on the Edge of Chaos whatever sigma_w is; `UnsupportedError` where there is no law.
        """
        return self._laws.phase

    @property
    def correlation_map(self) -> CorrelationMap:
        """f of one layer, f(1) = 1 (of the branch where its weight depends on the layer).

        Raises `UnsupportedError` where every layer has a map of its own.
        """
        return self._laws.correlation_map

    # ---- the laws -------------------------------------------------------------------------------

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l, with the connection constant C(c^1).

        Parameters
        ----------
        terms : how many terms the law has, from 1 on.

        Raises
        ------
        InputError : `terms` is not a whole number from 1 to 20.
        UnsupportedError : there is no law, with the reason: the variance tends to 0 or grows, or phi has no limits.

        Examples
        --------
        >>> from asympt.architectures import FeedForward, ScaledResNet
        >>> print(FeedForward("relu").correlation_law(terms=2))
        9*pi^2/(2*l^2) - 27*pi^2*log(l)/(2*l^3) + O(1/l^3)
        >>> print(ScaledResNet("relu", kappa="2/3").correlation_law(terms=2))
        2*pi^2/l^(2/3) - 8*pi^2*C/(3*l) + O(1/l^(4/3))
        """
        terms = check_terms(terms)
        self._require_inputs()
        return self._counted(self._laws.correlation_law(terms))

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x') for two inputs of the same variance q_L in layer L; `quantity` says in which units.

        K^L/(q_L L) on the Edge of Chaos, K^L/q elsewhere; K^L/q_L for a bounded phi with a skip connection, and
        K^L(x, x')/K^L(x, x) where the branches fall.  For inputs of different length q_L is the geometric mean of their
        variances (a ReLU-like phi without bias).

        Parameters
        ----------
        terms : how many terms the law has, from 1 on.

        Returns
        -------
        A `Law`: `print` it, `law.summary()`, `law.evaluate(depth=..., correlation=...)`, `asympt.verify(law)`.

        Raises
        ------
        InputError : `terms` is not a whole number from 1 to 20.
        UnsupportedError : there is no law, with the reason: phi jumps (no NTK), or the variance tends to 0 or grows.

        Examples
        --------
        >>> from asympt.architectures import FeedForward
        >>> law = FeedForward("relu").ntk_law(terms=2)
        >>> print(law.quantity, "=", law)
        \\frac{K^{L}(x,x')}{q\\,L} = 1/4 + 3*log(L)/(8*L) + O(1/L)
        """
        terms = check_terms(terms)
        self._require_ntk()
        return self._counted(self._laws.ntk_law(terms))

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L for one input, exact at every depth (a sum over layers where the branches fall).

        Raises
        ------
        UnsupportedError : phi jumps, so there is no NTK.

        Examples
        --------
        >>> from asympt.architectures import FeedForward, ScaledResNet
        >>> print(FeedForward("relu", sigma_w=1, sigma_b=1).ntk_diagonal_law())
        2 - 2/2^L
        >>> print(ScaledResNet("relu", sigma_w=sqrt(2)).ntk_diagonal_law())
        log(L) - 1/2 + EulerGamma + 3/(2*L) - 13/(12*L^2) + O(1/L^3)
        """
        self._require_ntk()
        return self._counted(self._laws.ntk_diagonal_law())

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the variance q^l of one input; the start is variance=q^1.

        Where the branches fall with kappa other than 1 it is the law of log(q^l/q^1).

        Parameters
        ----------
        terms : how many terms the law has, from 1 on.

        Raises
        ------
        InputError : `terms` is not a whole number from 1 to 20.
        UnsupportedError : there is no law; the message gives the reason.

        Examples
        --------
        >>> from asympt.architectures import FeedForward, ScaledResNet
        >>> print(FeedForward("tanh", sigma_w=1).variance_law(terms=1))
        1/(2*l) + O(log(l)/l^2)
        >>> print(ScaledResNet("relu", sigma_w=2).variance_law(terms=2))
        C*l^2 + 3*C*l + O(1)
        """
        terms = check_terms(terms)
        self._require_inputs()
        return self._counted(self._laws.variance_law(terms))

    def _require_inputs(self) -> None:
        """`UnsupportedError` where laws are not those of two inputs."""

    def _require_ntk(self) -> None:
        """`UnsupportedError` where there is no NTK."""

    def _counted(self, law: Law) -> Law:
        return law


# ---- the variance of one input, q^(l+1) = V(q^l), without skip connection ----------------------------
#
#     q* > 0               V'(q*) < 1:    q^l = q* + C V'(q*)^l + ...                     hyperbolic
#     q* = 0, V'(0) < 1    sigma_b = 0, sigma_w |phi'(0)| < 1:  q^l = C V'(0)^l + ...     hyperbolic, exact coefficients
#     q* = 0, V'(0) = 1    PDLT's class K* = 0:  q^l = -1/(a_1 l) + ...                   parabolic, exact coefficients
#     ReLU-like phi        q' = g q + sigma_b^2 with g = chi, or 1 + alpha with a skip connection: solved for every l



class VarianceFixedPoint(FixedPoint):
    """The fixed point of the variance, read as q^l."""

    quantity, shapes = "q^{l}", ("q^{{{}}}", "q^{}")


def variance_law(statement: Statement, terms: int) -> Law:
    """The law of q^l, no skip connection."""
    layer = statement.layer
    if layer.activation.is_relu_like:
        return affine_variance_law(statement)
    q, square = layer.fixed_variance, layer.activation.piecewise.square()
    levels = set(square.pieces)
    if all(level.is_number for level in levels) and (len(levels) == 1 or square.breaks == (0,)):
        raise UnsupportedError(f"the variance is {q.evalf(6)} from layer 2 on, whatever it was in layer 1: no law")
    fixed, dynamics = VarianceFixedPoint(q), _dynamics(layer, q)
    reader = read_variance if q == 0 else lambda variance=None: read_variance(variance) - q
    derive = parabolic_law if dynamics.ratio(1)[0] == 1 else hyperbolic_law
    return replace(derive(dynamics, fixed, terms, reader, LAYER), name="variance", layer=statement)


@lru_cache(maxsize=256)
def _dynamics(layer: Layer, q: Expr) -> Dynamics:
    series = VarianceAtZero(layer) if q == 0 else VarianceAtFixedPoint(layer, q)
    return Dynamics(series.ratio, VarianceStep(layer, q), root=series.root, first=1, costly=q != 0)


def affine_variance_law(statement: Statement) -> Law:
    """Of a ReLU-like phi: q' = g q + sigma_b^2."""
    growth, bias = statement.growth.factor(), statement.layer.bias_variance
    if growth == 1 and bias == 0:
        raise UnsupportedError(
            f"activation {statement.activation.name!r} with sigma_w = {sqrt(statement.layer.weight_variance)} and no "
            "bias keeps the variance of every input, q^l = q^1; there is no law of its approach"
        )
    if growth != 1 and growth.free_symbols and not statement.skip:
        raise UnsupportedError(f"the slope {growth} of the variance map contains symbols; give numbers")
    return affine_law(growth, bias, growth == 1 or bool(statement.skip or growth > 1), statement)


# ---- the variance map at its fixed point as the solvers want it: coefficients of x'/x ------------------
#
# at q = 0     V = sigma_w^2 sum_k (s_k^+ + s_k^-)/2 E|Z|^k q^(k/2), s_k^+- the coefficients of phi^2 on
#                     either side of 0; breakpoints elsewhere contribute exp(-const/q), beyond all orders
#        at q* > 0    V_k = V^(k)(q*)/k!


class VarianceAtZero:
    """V at q = 0."""

    def __init__(self, layer: Layer):
        self.phi, self.weight = layer.activation.piecewise, layer.weight_variance
        self._known: list[Expr] = []

    @cached_property
    def root(self) -> int:
        """1 when V is a power series in q, 2 when it has half-integer powers."""
        return 2 if any(c != 0 for c in self._in_root(12)[1::2]) else 1

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of V(q)/q in q^(1/root)."""
        return self._in_root(2 * count + 1)[2:: 2 // self.root][:count]

    def _in_root(self, count: int) -> list[Expr]:
        if len(self._known) < count:
            right, left = (_squared(piece, count) for piece in self._sides)
            halves = [(a + b) / 2 for a, b in zip(right, left, strict=True)]
            self._known = [self.weight * half * absolute_moment(k) for k, half in enumerate(halves)]
        return self._known[:count]

    @property
    def _sides(self) -> tuple[Expr, Expr]:
        phi: PiecewiseSmooth = self.phi
        index = sum(bool(point < 0) for point in phi.breaks)
        at_zero, x = 0 in phi.breaks, phi.symbol
        return phi.pieces[index + at_zero].subs(x, Y), phi.pieces[index].subs(x, -Y)


def _squared(formula: Expr, count: int) -> list[Expr]:
    if formula == 0:
        return [Integer(0)] * count
    series = puiseux(formula, Y, count)
    plain = [Integer(0)] * series.valuation + list(series.coefficients)
    return [c.expand() for c in product(plain[:count], plain[:count], count)]


def absolute_moment(k: int) -> Expr:
    """E|Z|^k = 2^(k/2) Gamma((k + 1)/2)/sqrt(pi).

    >>> absolute_moment(4), absolute_moment(1)
    (3, sqrt(2)/sqrt(pi))
    """
    return (2 ** Rational(k, 2) * gamma(Rational(k + 1, 2)) / sqrt(pi)).expand()


class VarianceAtFixedPoint:
    """V at q* > 0, in y = q - q*."""

    root = 1

    def __init__(self, layer: Layer, q: Expr):
        self.q, self.key, self.numbers = q, key_of(layer), VarianceDerivatives(layer, q)

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of y'/y in y."""
        self.numbers.reach = max(self.numbers.reach, count)
        return [self._derivative(n) / factorial(n) for n in range(1, count + 1)]

    def _derivative(self, n: int) -> Expr:
        key, latex = ("derivative of V", n, self.q, self.key), derivative_latex(n, "q", "V")
        return Coefficient(f"V{n}", lambda: int(factorial(n)) * self.numbers(n), key, latex)
