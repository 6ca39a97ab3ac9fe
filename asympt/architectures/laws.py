"""Which laws follow from a statement: decided by what it says, never by what the architecture is called.

Problem.  HDR Theorems 1 and 2, Propositions 1 and 3: how fast do the correlation c^L and the NTK K^L(x, x') of a deep
network reach their limits, in every phase, with and without skip connections?

Rule.  No skip connection: at the fixed point q of the variance, in units of q, c -> f(c), k -> f'(c) k + f(c), k = K/q.

    chi = f'(1)                                  1 - c^l              K/q
    1, ReLU-like phi without bias                l^(-2)               L/4             `relu_like`
    1, any other phi                             l^(-1) or l^(-2)     L/3 or L/4      `fixed_point_laws`
    < 1                                          chi^l                constant        `fixed_point_laws`
    > 1                                          1 - c*               constant        `fixed_point_laws`

A skip connection and the same branch in every layer: the variance never settles, so every layer sees phi at another
scale, and what phi does at +oo and -oo decides (`residual.tails`).

    phi                              q_l                  1 - c^l         K^L/(q_L L)
    ReLU-like, no bias               q_1 (1+alpha)^(l-1)  l^(-2)          r delta/4   `relu_like`
    phi(x)/x -> a+, a-, not equal    (1+alpha)^l          l^(-2)          r delta/4   `residual.growing`
    bounded, with limits             l                    1 - c*, l^(-p)  r c*/(p L)  `residual.bounded`

The phase is the Edge of Chaos whatever sigma_w is: one layer moves the correlation by a share that depth sums to a
power law (HDR, after Theorem 2).  A branch whose variance falls like l^(-kappa): with alpha = sigma_w^2 (a+^2 + a-^2)/2
and delta_l = alpha/(l^kappa + alpha), for a ReLU-like phi without bias,

    q_l = (1 + alpha l^(-kappa)) q_(l-1),
    c_l = (1 - delta_l) c_(l-1) + delta_l f(c_(l-1)),
    k_l = (1 - delta_l + delta_l f'(c_(l-1))) k_(l-1) + delta_l f(c_(l-1)),      k = K/q,  k_1 = c_1.

    kappa            1 - c^l               q_l                 K^L(x, x)/q_L      K^L(x, x')/K^L(x, x)    `scaled.law`
    1 (HDR)          log(l)^(-2)           l^alpha             alpha log L        1/4 + O(1/log L)
    0 < kappa < 1    l^(-2 (1 - kappa))    exp(l^(1 - kappa))  L^(1 - kappa)      1/4 + O(L^(-(1-kappa)))
    kappa > 1        does not tend to 0    bounded             bounded            depends on the start

Any other phi, and biases: as without falling branches, with the clock sum l^(-kappa) (l^(1 - kappa) or log l) for l
where phi is bounded, and the laws of this table for phi(x)/x -> a+, a-, whose NTK's law is one of K^L/q_L.

Tiny case.  ReLU on the Edge of Chaos: K^L(x, x) = q L; with a skip connection and sigma_w = 1, K^L(x, x)/q_L =
(L + 2)/3; with branches that fall like 1/l and sigma_w^2 = 2, K^L(x, x)/q_L = 1 + 1/3 + ... + 1/(L+1).

Known limits.  Without skip connection the laws of c and K need a variance that has settled at q > 0, or one of which f
does not depend on.  With one, other growth of phi (x^2, exp, sin, x/log x) is refused.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

from sympy import Expr, Integer, sqrt

from asympt.architectures.composed.compiling import Settled, normal_form, read_behind, without_biases
from asympt.architectures.composed.correlation import ComposedMap
from asympt.architectures.composed.laws import ComposedLaws
from asympt.architectures.exact_law import exact_law, no_start
from asympt.architectures.fixed_point_laws import ONE_INPUT
from asympt.architectures.relu_like import DEPTH
from asympt.architectures.residual import bounded as residual_bounded
from asympt.architectures.residual import growing as residual_growing
from asympt.architectures.residual.tails import tails
from asympt.architectures.residual.variance import variance_law as residual_variance_law
from asympt.architectures.scaled import law as scaled_law
from asympt.architectures.scaled.branch import FallingBranch
from asympt.architectures.scaled.sums import is_summable
from asympt.architectures.variance_law import affine_variance_law, variance_law
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Scale
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.phases import phase_of
from asympt.meanfield.statement import Statement
from asympt.recursions.law import Law

REASONS = {
    "line": "phi acts like one straight line far from 0, where the variance goes, so the correlation stops moving at a "
    "limit that depends on the start and has no power law; take an activation with two slopes",
    "other": "phi has neither straight lines nor limits at infinity that SymPy finds, so it is not known what the "
    "growing variance sees of it; take a ReLU-like activation, or one such as elu, gelu, tanh",
}
BY_TAILS = {"growing": residual_growing, "bounded": residual_bounded}
DIAGONAL_TERMS = 4


@dataclass(frozen=True)
class Laws:
    """What follows from a statement: `phase`, `correlation_map` and the four laws.

    Every part raises `UnsupportedError` with the reason where there is none.
    """

    statement: Statement
    network: object = field(default=None, compare=False)

    @cached_property
    def composed(self) -> ComposedLaws:
        """The laws of the blocks, for c and K/q that move alike in every layer."""
        first, network = self.statement.first, self.network
        normal = normal_form(read_behind(network.block, network.readout), None, self._known())
        return ComposedLaws(normal, None, first.weight_rate / first.weight)

    def _known(self) -> Settled | None:
        """The variance that settles."""
        return None


def laws_of(statement: Statement, network) -> Laws:
    """The laws of a composition with this statement."""
    kind = SettledLaws if not statement.skip else ResidualLaws if statement.decay == 0 else ScaledLaws
    return kind(statement, network)


# ---- no skip connection -----------------------------------------------------------------------------


class SettledLaws(Laws):
    """The laws of a layer without skip connection."""

    @property
    def layer(self) -> Layer:
        """The layer as it was given."""
        return self.statement.layer

    @cached_property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] below, at or above 1."""
        return phase_of(self.layer)

    @property
    def correlation_map(self) -> CorrelationMap:
        """f, normalised to f(1) = 1."""
        return CorrelationMap.of(self.layer)

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        return replace(self.composed.correlation_law(terms), layer=self._seen)

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L/(q_L L) on the Edge of Chaos, of K^L/q elsewhere."""
        return replace(self.composed.ntk_law(terms), layer=self._seen)

    def ntk_diagonal_law(self) -> Law:
        """K^L(x, x)/q for one input: L, or a geometric sum in chi."""
        if self.phase == "edge of chaos" and not self.layer.is_scale_free and self.layer.fixed_variance == 0:
            expansion = Expansion.build(Scale.at_infinity(DEPTH), {(-1, 0): Integer(1)})
            return exact_law(ONE_INPUT, expansion, no_start, "ntk diagonal", layer=self.statement)
        return replace(self.composed.ntk_diagonal_law(), layer=self._seen)

    def variance_law(self, terms: int) -> Law:
        """The law of q^l."""
        return variance_law(self.statement, terms)

    @cached_property
    def _seen(self) -> Statement:
        """The statement, at its fixed variance where there is one."""
        return self.statement if self._is_scale_free() else self._settled()

    def _known(self) -> Settled | None:
        if self._is_scale_free():
            return None
        layer = self._seen.layer
        return Settled(layer.fixed_variance, bool(layer.critical))

    # ---- what has no law ------------------------------------------------------------------------

    def _is_scale_free(self) -> bool:
        """Whether the law is that of all ReLU-like networks without bias; an error where nothing moves."""
        require_nonlinear(self.layer.activation)
        return self.layer.is_scale_free

    def _settled(self) -> Statement:
        """The same with the layer at its fixed point q > 0, an error where there is none."""
        layer, phi = self.layer, self.layer.activation
        if phi.is_relu_like and not layer.chi < 1:
            raise UnsupportedError(
                f"sigma_b = {sqrt(layer.bias_variance)}: with biases the variance of a ReLU-like network has a fixed "
                f"point for chi < 1 only, and chi = {layer.chi}; the laws need sigma_b = 0 or a smaller sigma_w"
            )
        if layer.fixed_variance == 0:
            raise UnsupportedError(
                f"with sigma_b = 0 and sigma_w = {sqrt(layer.weight_variance)} the variance of {phi.name!r} tends to "
                "0, and the correlation keeps moving with it towards a limit that depends on the start; take sigma_b > "
                "0 or a larger sigma_w, or ask for variance_law()"
            )
        is_critical = self.phase == "edge of chaos"
        return self.statement.with_layer(replace(layer, variance=layer.fixed_variance, critical=is_critical))


def require_nonlinear(phi: Activation) -> None:
    """`UnsupportedError` for a phi with which the correlation does not move."""
    if phi.is_linear:
        what = "constant" if phi.is_constant else f"linear (both slopes are {_slope(phi)})"
        raise UnsupportedError(
            f"activation {phi.name!r} is {what}, so the correlation has no depth law; take a nonlinear activation"
        )


def _slope(phi: Activation) -> Expr:
    return phi.piecewise.pieces[0].diff(phi.symbol)


# ---- a skip connection, the same branch in every layer ----------------------------------------------


class ResidualLaws(Laws):
    """The laws of a layer with a skip connection and the same branch at every depth."""

    @property
    def phase(self) -> str:
        """'edge of chaos' for every sigma_w."""
        require_nonlinear(self.statement.activation)
        if not self.statement.is_scale_free:
            self._require_far()
        return "edge of chaos"

    @property
    def correlation_map(self) -> CorrelationMap:
        """f_delta of one layer, for a ReLU-like phi without bias."""
        self.require_scale_free()
        return self.composed.correlation_map

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        require_nonlinear(self.statement.activation)
        if self.statement.is_scale_free:
            return replace(self.composed.correlation_law(terms), layer=self.statement)
        return self._far_laws.correlation_law(self.statement, terms)

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L(x, x')/(q_L L); of K^L/q_L for a bounded phi, where it stays finite."""
        require_nonlinear(self.statement.activation)
        if self.statement.is_scale_free:
            return replace(self.composed.ntk_law(terms), layer=self.statement)
        return self._far_laws.ntk_law(self.statement, terms)

    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L."""
        self.require_scale_free()
        return replace(self.composed.ntk_diagonal_law(), layer=self.statement)

    def variance_law(self, terms: int) -> Law:
        """The law of q^l."""
        if self.statement.activation.is_relu_like:
            return affine_variance_law(self.statement)
        self._require_far()
        return residual_variance_law(self.statement, terms)

    # ---- which of them ----------------------------------------------------------------------------

    @property
    def _far_laws(self):
        """The module with the laws of a phi that is seen from ever further away."""
        return BY_TAILS[self._require_far()]

    def _require_far(self) -> str:
        """What phi does far from 0; `UnsupportedError` where no laws follow from it."""
        require_nonlinear(self.statement.activation)
        kind = tails(self.statement.activation).kind
        if kind in BY_TAILS:
            return kind
        raise UnsupportedError(f"with {self._what} {REASONS[kind]}")

    @property
    def _what(self) -> str:
        phi, bias = self.statement.activation, self.statement.layer.bias_variance
        return f"activation {phi.name!r}" + (f" and sigma_b = {sqrt(bias)}" if bias != 0 else "")

    def require_scale_free(self) -> None:
        """`UnsupportedError` unless one map serves every layer: a nonlinear ReLU-like phi, no bias."""
        require_nonlinear(self.statement.activation)
        if not self.statement.is_scale_free:
            raise UnsupportedError(
                f"with {self._what} every layer has maps of its own, because the variance grows with depth; take a "
                "ReLU-like activation without bias"
            )


# ---- a skip connection, branches that fall with depth -----------------------------------------------


class ScaledLaws(ResidualLaws):
    """The laws of a layer with a skip connection and a branch whose variance falls like l^(-kappa)."""

    @property
    def correlation_map(self) -> CorrelationMap:
        """f of the branch: layer l moves c by delta_l (f(c) - c)."""
        self.require_scale_free()
        return ComposedMap(normal_form(self.network.block, None).branch)

    def correlation_law(self, terms: int) -> Law:
        """The law of 1 - c^l."""
        self._require_flow()
        if self.statement.is_scale_free:
            return replace(scaled_law.correlation_law(self.branch, terms), layer=self.statement)
        return self._far_laws.correlation_law(self.statement, terms)

    def ntk_law(self, terms: int) -> Law:
        """The law of K^L(x, x')/K^L(x, x) for two inputs of the same norm, with C and, from log(L)^(-4) on, D.

        K^L(x, x) = q_L s_L is known exactly: for kappa = 1 it grows like L^alpha log L, alpha = sigma_w^2/2 for ReLU.
        Of K^L(x, x')/q_L where the variance moves the correlation map.
        """
        self._require_flow()
        if self.statement.is_scale_free:
            return replace(scaled_law.ntk_law(self.branch, terms), layer=self.statement)
        return self._far_laws.ntk_law(self.statement, terms)

    def ntk_diagonal_law(self) -> Law:
        """K^L(x, x)/q_L = 1 + sum of delta_k, exact at every depth."""
        self.require_scale_free()
        return replace(scaled_law.diagonal_law(self.branch, DIAGONAL_TERMS), layer=self.statement)

    @cached_property
    def branch(self) -> FallingBranch:
        """What falls, for a ReLU-like phi; of its biases the law of the variance alone knows."""
        found = FallingBranch.of(normal_form(without_biases(self.network.block), None))
        return replace(found, bias=self.statement.layer.bias_variance)

    def variance_law(self, terms: int) -> Law:
        """The law of q^l for kappa = 1, otherwise of log(q^l/q^1)."""
        require_nonlinear(self.statement.activation)
        if self.statement.activation.is_relu_like:
            return replace(scaled_law.variance_law(self.branch, terms), layer=self.statement)
        self._require_flow()
        self._require_far()
        return residual_variance_law(self.statement, terms)

    # ---- what has no law ------------------------------------------------------------------------

    def _require_flow(self) -> None:
        require_nonlinear(self.statement.activation)
        if is_summable(self.statement.decay):
            raise UnsupportedError(
                f"kappa = {self.statement.decay}: the branches add up to a finite step, so 1 - c^l tends to a positive "
                "number that depends on c^1 and there is no universal law; take kappa <= 1"
            )
