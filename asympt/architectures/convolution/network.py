"""What the convolutional networks share: a dense network at every position of a circle, and laws along an offset."""

from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr

from asympt.architectures.composition import Network
from asympt.architectures.convolution.law import (
    ConvLaw,
    Spectrum,
    Wave,
    check_circle,
    conv_law,
    moving_law,
    reader_for,
    spectrum,
    waves,
)
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.laws import require_nonlinear
from asympt.architectures.network import Preset, Stated
from asympt.architectures.resnet import ResNet
from asympt.blocks.nodes import ConvNode, DenseNode, Node, ResidualNode, SerialNode
from asympt.deadline import in_budget
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.recursions.law import Law


@dataclass(frozen=True, init=False, repr=False)
class ConvNetwork(Stated):
    """`dense` at every one of `positions`, averaged over a filter of 2 `reach` + 1 of them."""

    dense: Preset
    positions: int
    reach: int


    def _set(self, dense: Preset, circle: tuple[int, int]) -> None:
        for name, value in zip(("dense", "positions", "reach"), (dense, *circle), strict=True):
            object.__setattr__(self, name, value)

    @cached_property
    def composition(self) -> Network:
        """The composition of the dense network, with a convolution in place of every dense layer."""
        block, first = self.dense.composition.block, self.dense.composition.first
        return Network(self._convolved(block), first=self._convolved(first))

    def _convolved(self, node: Node) -> Node:
        match node:
            case DenseNode(sigma_w=weight, sigma_b=bias):
                return ConvNode((self.reach,), (self.positions,), weight, bias, "circular")
            case SerialNode(parts=parts):
                return replace(node, parts=tuple(map(self._convolved, parts)))
            case ResidualNode(branch=branch):
                return replace(node, branch=self._convolved(branch))
        return node

    @cached_property
    def statement(self) -> ConvStatement:
        """The layer recursion as data; of the layer the dense network may know more, such as its variance."""
        found = self.composition.statement
        return replace(found, dense=found.dense.with_layer(self.dense.statement.layer))

    @property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and multiplicities of the layer's linear part."""
        raise NotImplementedError

    def waves(self) -> tuple[Wave, ...]:
        """How the modes in which positions differ fade on the Edge of Chaos, the slowest first (`convolution.law`).

        >>> from asympt.architectures.convolution.network import ConvNet
        >>> [(wave.eigenvalue, wave.power) for wave in ConvNet("relu", positions=4, reach=1).waves()]
        [(1/3, 3), (-1/3, 3)]
        """
        return waves(self.correlation_law(terms=1))

    @property
    def phase(self) -> str:
        """The phase of the dense network."""
        return self.dense.phase

    @property
    def correlation_map(self) -> CorrelationMap:
        """The map of a layer where all positions are alike."""
        return self.dense.correlation_map

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> ConvLaw:
        """The law of 1 - c^l at every pair of positions; the start is the vector of c^1 along one offset.

        >>> from mpmath import nstr
        >>> from asympt.architectures import ConvNet
        >>> law = ConvNet("relu", positions=3, reach=1).correlation_law()
        >>> print(nstr(law.evaluate(depth=10**12, correlation=("1/10", "1/2", 0), position=2), 20))
        4.4413219800866962763e-23
        """
        return self._along(lambda: self.dense.correlation_law(terms))

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> ConvLaw:
        """The law of K^L(x, x') at every pair of positions with c^1 < 1, in the units of the dense network.

        >>> from asympt.architectures import ConvNet
        >>> print(ConvNet("relu", positions=8, reach=1).ntk_law(terms=2))
        1/4 + 3*log(L)/(8*L) + O(1/L)
        """
        return self._along(lambda: self.dense.ntk_law(terms))

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """K^L_(alpha, alpha)(x, x)/q_L, one input at offset 0, where its variances are equal at all positions."""
        self._require_law()
        return self.dense.ntk_diagonal_law()

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the mean over the positions of the variance q^l of one input."""
        self._require_law()
        return self.dense.variance_law(terms)

    def _along(self, dense) -> ConvLaw:
        self._require_law()
        found = dense()
        if not self.spectrum.mixes:
            raise UnsupportedError(
                "reach = 0: every position is a fully connected network of its own and none forgets its start; take "
                "the law of FeedForward at each position, or a reach of at least 1"
            )
        return self._law_of(found)

    def _law_of(self, dense: Law) -> ConvLaw | Law:
        reader = reader_for(self.positions, self.statement.is_scale_free)
        return conv_law(dense, self.spectrum, self.statement, reader)

    def _require_law(self) -> None:
        """`UnsupportedError` where the dense network's law is not that of the mean."""


# ---- the convolutional network on a circle of positions ------------------------------------------------


@dataclass(frozen=True, init=False, repr=False)
class ConvNet(ConvNetwork):
    """A 1-D convolutional network with periodic boundary in the NTK parametrisation, at infinitely many channels.

    y^l_(i, alpha) = sigma_w/sqrt(n (2k+1)) sum_j sum_(b=-k..k) w_(i, j, b) phi(y^(l-1)_(j, alpha+b)) + sigma_b b_i,
    layer 1 the same of x (HDR eqs. 6 and 7).

    Parameters: `phi`, a catalogue name or an `Activation`; `positions`, M; `reach`, k >= 0, M >= 2k+1; `sigma_w`,
    `sigma_b` as for FeedForward (sigma_w left out: the Edge of Chaos).  Raises `InputError` for bad values.

    >>> net = ConvNet("relu", positions=8, reach=1)
    >>> net.phase, net.spectrum.gap
    ('edge of chaos', 2/3 - sqrt(2)/3)
    >>> print(net.correlation_law(terms=2))
    9*pi^2/(2*l^2) - 27*pi^2*log(l)/(2*l^3) + O(1/l^3)
    """

    def __init__(self, phi: str | Activation, positions: int, reach: int, sigma_w=None, sigma_b=0, **options):
        circle = check_circle(positions, reach)
        self._set(FeedForward(phi, sigma_w, sigma_b, **options), circle)

    @classmethod
    def of_statement(cls, statement: Statement | ConvStatement) -> "ConvNet | None":
        """The network of a plain convolutional layer; None for any other statement."""
        if statement.is_dense or statement.skip:
            return None
        phi, *given = statement.layer.deviations
        return cls(phi, statement.positions, statement.reach, *given)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and multiplicities of the averaging over the filter."""
        return spectrum(self.positions, self.reach)

    @property
    def variance(self) -> Expr:
        """q, the fixed point of the variance; raises `UnsupportedError` where there is none."""
        return self.dense.variance


# ---- the convolutional residual network on a circle of positions ---------------------------------------


@dataclass(frozen=True, init=False, repr=False)
class ConvResNet(ConvNetwork):
    """A 1-D convolutional residual network with periodic boundary, layer 1 plain (HDR Lemma 4).

    Parameters: `phi`, a catalogue name or an `Activation`; `positions`, M; `reach`, k >= 0, M >= 2k+1; `sigma_w` > 0,
    `sigma_b` >= 0.  Raises `InputError` for bad values; a law that does not exist raises `UnsupportedError`.

    >>> net = ConvResNet("relu", positions=3, reach=1)
    >>> [mode.eigenvalue for mode in net.spectrum.modes]
    [1, 2/3]
    >>> print(net.ntk_law(terms=2))
    1/12 + log(L)/(8*L) + O(1/L)
    >>> print(ConvResNet("tanh", positions=3, reach=1).correlation_law(terms=2))
    1 - D*l^(-1 + 2/pi) + O(1/l^(3/2 - 2/pi))
    """

    def __init__(self, phi: str | Activation, positions: int, reach: int, sigma_w=1, sigma_b=0, **options):
        circle = check_circle(positions, reach)
        self._set(ResNet(phi, sigma_w, sigma_b, **options), circle)

    @classmethod
    def of_statement(cls, statement: Statement | ConvStatement) -> "ConvResNet | None":
        """The network of a residual convolutional layer; None for any other statement."""
        if statement.is_dense or not statement.skip or statement.dense.decay != 0:
            return None
        phi, *given = statement.layer.deviations
        return cls(phi, statement.positions, statement.reach, *given)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues (1 + alpha lambda_j)/(1 + alpha) and multiplicities of the layer's linear part.

        Those of the filter alone, lambda_j, where no map serves every layer.
        """
        self._require_law()
        if not self.statement.dense.is_scale_free:
            return spectrum(self.positions, self.reach)
        return Spectrum(self.positions, self.reach, keep=1 / self.dense.statement.branch_growth)

    def _law_of(self, dense: Law) -> ConvLaw | Law:
        if self.statement.dense.is_scale_free:
            return super()._law_of(dense)
        return moving_law(dense, self.spectrum, self.statement)

    def _require_law(self) -> None:
        require_nonlinear(self.activation)
