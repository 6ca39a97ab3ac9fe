"""The convolutional residual network on a circle of positions, for a ReLU-like phi without bias.

Problem.  HDR Lemma 4, Appendix Lemma 7 and Theorem 2 for CNNs: y^l = y^(l-1) + F(y^(l-1)) with a convolutional F.

Rule.  With alpha = sigma_w^2 (a+^2 + a-^2)/2 and A the mean over the filter, variances and covariances move by the same
operator, in units of the growth 1 + alpha,

    q -> (q + alpha A q)/(1 + alpha),      c -> (c + alpha A f(c))/(1 + alpha)      (equal variances),

whose modes shrink by (1 + alpha lambda_j)/(1 + alpha), lambda_j those of A.  The mean over the positions obeys the law
of the dense residual network (`resnet`).

Tiny case.  M = 3, k = 1, ReLU, sigma_w = 1: modes 1 and 2/3 (twice).

Known limits.  Two different slopes, no bias; reach >= 1 for the laws.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import sqrt

from asympt.architectures.convnet import require_mixing
from asympt.architectures.convolution.law import ConvLaw, conv_law
from asympt.architectures.convolution.network import ConvNetwork
from asympt.architectures.convolution.spectrum import Spectrum, check_circle
from asympt.architectures.convolution.starts import reader_for
from asympt.architectures.finite_width import deviations
from asympt.architectures.residual.input import require_nonlinear
from asympt.architectures.resnet import ResNet
from asympt.deadline import in_budget
from asympt.depth.finite import ResidualConvolution
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.recursions.law import Law


@dataclass(frozen=True, init=False)
class ConvResNet(ConvNetwork):
    """A 1-D convolutional residual network with periodic boundary, layer 1 plain (HDR Lemma 4).

    Parameters: `phi`, a catalogue name or an `Activation`, ReLU-like for the laws; `positions`, M; `reach`, k >= 0,
    M >= 2k+1; `sigma_w` > 0, `sigma_b` >= 0.  Raises `InputError` for bad values; a law that does not exist raises
    `UnsupportedError`.

    >>> net = ConvResNet("relu", positions=3, reach=1)
    >>> [mode.eigenvalue for mode in net.spectrum.modes]
    [1, 2/3]
    >>> print(net.ntk_law(terms=2))
    1/12 + log(L)/(8*L) + O(1/L)
    """

    def __init__(self, phi: str | Activation, positions: int, reach: int, sigma_w=1, sigma_b=0, **options):
        circle = check_circle(positions, reach)
        self._set(ResNet(phi, sigma_w, sigma_b, **options), circle)

    @classmethod
    def of_statement(cls, statement: Statement | ConvStatement) -> "ConvResNet | None":
        """The network of a residual convolutional layer; None for any other statement."""
        if not isinstance(statement, ConvStatement) or not statement.skip:
            return None
        phi, *given = deviations(statement)
        return cls(phi, statement.positions, statement.reach, *given)

    def finite(self) -> ResidualConvolution:
        """Its random network of finite width."""
        return ResidualConvolution(*deviations(self.statement), reach=self.reach)

    @cached_property
    def statement(self) -> ConvStatement:
        """The layer recursion as data."""
        return ConvStatement(self.dense.statement, self.positions, self.reach)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues (1 + alpha lambda_j)/(1 + alpha) and multiplicities of the layer's linear part."""
        self._require_scale_free()
        return Spectrum(self.positions, self.reach, keep=1 / self.dense.statement.gain)

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> ConvLaw:
        """The law of 1 - c^l at every pair of positions; the start is the vector of c^1 along one offset."""
        self._require_scale_free()
        return self._law(self.dense.correlation_law(terms))

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> ConvLaw:
        """The law of K^L(x, x')/(q_L L) at every pair of positions with c^1 < 1."""
        self._require_scale_free()
        return self._law(self.dense.ntk_law(terms))

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """K^L_(alpha, alpha)(x, x)/q_L, one input at offset 0, where its variances are equal at all positions."""
        self._require_scale_free()
        return self.dense.ntk_diagonal_law()

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the mean over the positions of the variance q^l of one input."""
        self._require_scale_free()
        return self.dense.variance_law(terms)

    def _law(self, dense: Law) -> ConvLaw:
        require_mixing(self.spectrum)
        return conv_law(dense, self.spectrum, self.statement, reader_for(self.positions, True), "q_{L}")

    def _require_scale_free(self) -> None:
        require_nonlinear(self.activation)
        if not self.statement.dense.is_scale_free:
            bias = sqrt(self.statement.dense.layer.bias_variance)
            raise UnsupportedError(
                f"activation {self.activation.name!r} with sigma_b = {bias}: in a residual network the variance grows "
                "and every layer has a correlation map of its own; take a ReLU-like activation "
                "and sigma_b = 0"
            )
