"""What networks have whose fluctuations of order 1/n are known: dense ones, and residual ones."""

from functools import partial

from sympy import Expr

from asympt.architectures.composed.compiling import normal_form
from asympt.architectures.law_parts import read_start
from asympt.architectures.norms import read_variances
from asympt.architectures.relu_like import noise_law
from asympt.architectures.tails import tails
from asympt.blocks.nodes import ActivationNode, DenseNode, ResidualNode, parts_of
from asympt.deadline import in_budget
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.layer import Layer
from asympt.numbers import check_terms, refuse_symbols
from asympt.recursions.law import Law
from asympt.spelling import named
from asympt.width.classes import NetworkClass, flatness
from asympt.width.inputs import AtWidth
from asympt.width.laws import MEAN, VARIANCE, WidthLaw, check_width, width_law
from asympt.width.residual import QUANTITIES, AnyBranch, ReluLikeBranch, ResidualBranch, class_of_branch


class HasFluctuations:
    """`fluctuation`, `width_correction` and their laws, by `inputs`, `_quantity` and `_width_class` of the network."""

    @in_budget("following fluctuations through the layers of a {0}")
    def fluctuation(
        self, of: str | None = None, *, depth: int, correlation=None, gap=None, variances=None, digits: int = 15
    ):
        """n Var of a quantity at a depth, to leading order in the width n: its variance over networks times n.

        Parameters
        ----------
        of : 'gap' (the default) or 'correlation' (of G_12/sqrt(G_11 G_22)), 'kernel' (G_12), 'kernel-diagonal' (G_11),
            'ntk' (Theta_12), 'ntk-diagonal' (Theta_11).  G^l is the covariance of layer l given layer l - 1.  Residual
            networks: 'kernel-diagonal' (the default), of a neuron given all others, or 'norm', |y|^2/n.
        depth : the layer, from 1 on; layer 1 does not fluctuate.
        correlation, gap, variances : c^1 or 1 - c^1, which one input does not need, and (q^1, q'^1), without which q is
            taken (1 for a ReLU-like phi without bias).
        digits : up to 15 float64, right to some 1e-13; more in mpmath, slowly for two inputs unless phi is ReLU-like.

        Raises `InputError` for bad input or where there is no q to start from, `UnsupportedError` for symbols and for
        the NTK of a phi that jumps, `PrecisionError` for inputs of unlike variances that are nearly on one line.

        >>> from asympt import FeedForward
        >>> relu = FeedForward("relu")
        >>> round(relu.fluctuation("ntk-diagonal", depth=6), 9), round(relu.fluctuation("gap", depth=6, gap=0.9), 9)
        (620.0, 0.765603658)
        """
        of = self._quantity(of)
        return self.inputs(of, correlation, gap, variances).variance(of, depth, digits)

    @in_budget("deriving the fluctuations of a {0}")
    def fluctuation_law(self, of: str | None = None, terms: int = 4) -> Law:
        """The law of n Var/limit^2 of a quantity in the depth, to leading order, for variances that have settled.

        It has `per_layer`, the coefficient of L, `kappa`, `drift`, and `valid_for(width=256, within="10%")`.  For
        'correlation' it is the law of n Var[c^L] itself, known where phi is ReLU-like without bias: constants, any
        depth and theorems are those of a law of infinite width.
        Raises `UnsupportedError` where none is derived, with the reason.

        >>> from asympt import FeedForward
        >>> net = FeedForward("relu")
        >>> print(net.fluctuation_law("gap"), "and", net.fluctuation_law("ntk-diagonal"))
        8*L/3 + 4*log(L) + O(1) and 11*L/3 - 5 + 4/(3*L)
        >>> print(net.fluctuation_law("correlation", terms=2))
        54*pi^4/L^3 - 243*pi^4*log(L)/L^4 + O(1/L^4)
        """
        layer = getattr(self, "layer", None)
        if self._quantity(of) == "correlation" and layer.is_scale_free and not layer.activation.is_linear:
            refuse_symbols(layer.parameters, "the network contains")
            return noise_law(layer.activation, check_terms(terms))
        return self._width_law(of, VARIANCE, terms)

    @in_budget("following mean shifts through the layers of a {0}")
    def width_correction(
        self, of: str | None = None, *, depth: int, correlation=None, gap=None, variances=None, digits: int = 15
    ):
        """n (E - limit) of a quantity at a depth, to leading order; arguments and errors as for `fluctuation`.

        >>> from asympt import FeedForward
        >>> round(FeedForward("relu").width_correction("ntk", depth=6, correlation="1/10"), 9)
        1.903432461
        """
        of = self._quantity(of)
        return self.inputs(of, correlation, gap, variances).shift(of, depth, digits)

    @in_budget("deriving the mean shifts of a {0}")
    def width_correction_law(self, of: str | None = None, terms: int = 4) -> WidthLaw:
        """The law of n (E/limit - 1) of a quantity in the depth; see `fluctuation_law`.

        >>> from asympt import FeedForward
        >>> print(FeedForward("relu").width_correction_law("ntk"))
        6*L/5 + O(log(L))
        """
        return self._width_law(of, MEAN, terms)

    def at_width(self, width: int) -> AtWidth:
        """The network with `width` neurons in every layer, 2 or more: `.pairs(gap, depth)` gives mean and deviation.

        >>> from asympt import FeedForward
        >>> mean, deviation = FeedForward("relu").at_width(256).pairs([0.5, 0.9], depth=10)
        >>> (deviation / mean).round(2).tolist()
        [0.34, 0.31]
        """
        return AtWidth(self.inputs, check_width(width), self._width_law)

    def _width_law(self, of: str | None, what: str, terms: int) -> WidthLaw:
        of = self._quantity(of)
        return width_law(self._width_class(), of, what, terms, partial(self.inputs, of), getattr(self, "layer", None))


class ResidualFluctuations(HasFluctuations):
    """Those of x + F(x) or x + F(norm(x)), F a phi and one dense.

    >>> from asympt import ResNet, ScaledResNet
    >>> print(ResNet("abs").fluctuation_law(), "and", ScaledResNet("relu").width_correction_law())
    3*L/2 - 7/2 + O(1/L) and (1/2 + log(2))*log(L) + O(1)
    """

    def inputs(self, of: str | None = None, correlation=None, gap=None, variances=None) -> ResidualBranch:
        """What fluctuations of a quantity start from: one input, of which the gap is 0."""
        if not (correlation is None and gap is None) and read_start(correlation, gap) != 0:
            raise InputError(
                "fluctuations of residual networks are known of one input; leave out correlation and gap, or give gap 0"
            )
        self._quantity(of)
        return _branch(self, None if variances is None else read_variances(variances)[0])

    def _quantity(self, of: str | None) -> str:
        return named(of or QUANTITIES[0], QUANTITIES, "of")

    def _width_class(self) -> NetworkClass:
        branch = _branch(self)
        grows = isinstance(branch, AnyBranch) and not branch.normed
        return class_of_branch(branch, (tails(branch.layer.activation).slopes or (0, 0)) if grows else None)


def _branch(network, variance: Expr | None = None) -> ResidualBranch:
    """The branch of a network of equal residual blocks; `UnsupportedError` for another."""
    network = getattr(network, "composition", network)
    start = network.variance if variance is None else variance
    match [] if network.readout else [(node, *parts_of(getattr(node, "branch", node))) for node in network.blocks]:
        case [(ResidualNode(skip=1) as block, *norm, ActivationNode(phi=phi), DenseNode() as last)] if (
            len(norm) < 2 and all(node.is_norm and not node.affine for node in norm)
        ):  # fmt: skip
            given = start, bool(norm), any(node.takes_mean for node in norm)
            if phi.is_relu_like and last.sigma_b == 0:
                weight = normal_form(network.block, start).weight
                return ReluLikeBranch(weight, *given, mu=flatness(phi.slopes), block=block)
            return AnyBranch(block.scale**2, *given, layer=Layer(phi, last.sigma_w**2, last.sigma_b**2), block=block)
    raise UnsupportedError(
        f"fluctuations of {network!r} are not derived; take a fully connected network, or one of blocks such as "
        "residual(tanh, dense(1)) or residual(rms_norm, relu, dense(1)), without a readout"
    )
