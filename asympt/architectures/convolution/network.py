"""What the convolutional networks share: a dense network at every position of a circle, and the laws along an offset.

Rule.  The dense network has phi, sigma_w, the phase and the map of a layer where all positions are alike; the positions
and the reach of the filter say how layers are averaged.  Offsets alpha' - alpha do not mix, and along each of them the
mean over the positions obeys the dense network's law while the differences fade (`convolution.law`).

Tiny case.  reach = 0: every position is a dense network of its own.

Known limits.  One dimension, periodic; laws need reach >= 1.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from asympt.architectures.composition import Network
from asympt.architectures.convolution.law import ConvLaw, conv_law
from asympt.architectures.convolution.spectrum import Spectrum
from asympt.architectures.convolution.transient import reader_for
from asympt.architectures.convolution.waves import Wave, waves
from asympt.architectures.network import Preset, Stated
from asympt.blocks.nodes import ConvNode, DenseNode, Node, ResidualNode, SerialNode
from asympt.deadline import in_budget
from asympt.errors import UnsupportedError
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.statement import ConvStatement
from asympt.recursions.law import Law


@dataclass(frozen=True, init=False, repr=False)
class ConvNetwork(Stated):
    """`dense` at every one of `positions`, averaged over a filter of 2 `reach` + 1 of them."""

    dense: Preset
    positions: int
    reach: int


    def _set(self, dense: Preset, circle: tuple[int, int]) -> None:
        """The fields; `circle` is what `check_circle` returns."""
        for name, value in zip(("dense", "positions", "reach"), (dense, *circle), strict=True):
            object.__setattr__(self, name, value)

    @cached_property
    def composition(self) -> Network:
        """That of the dense network with a convolution in the place of every dense."""
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
        """How the modes in which positions differ fade on the Edge of Chaos, the slowest first (`convolution.waves`).

        >>> from asympt.architectures.convnet import ConvNet
        >>> [(wave.eigenvalue, wave.power) for wave in ConvNet("relu", positions=4, reach=1).waves()]
        [(1/3, 3), (-1/3, 3)]
        """
        return waves(self.correlation_law(terms=1))

    @property
    def phase(self) -> str:
        """That of the dense network."""
        return self.dense.phase

    @property
    def correlation_map(self) -> CorrelationMap:
        """The map of a layer where all positions are alike."""
        return self.dense.correlation_map

    # ---- the laws -------------------------------------------------------------------------------

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
        """The law along an offset from that of the dense network."""
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
