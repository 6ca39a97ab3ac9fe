"""The convolutional residual network on a circle of positions.

Problem.  HDR Lemma 4, Appendix Lemma 7 and Theorem 2 for CNNs: y^l = y^(l-1) + F(y^(l-1)) with a convolutional F.

Rule.  With alpha = sigma_w^2 (a+^2 + a-^2)/2 and A the mean over the filter, variances and covariances move by the same
operator, in units of the growth 1 + alpha,

    q -> (q + alpha A q)/(1 + alpha),      c -> (c + alpha A f(c))/(1 + alpha)      (equal variances),

whose modes shrink by (1 + alpha lambda_j)/(1 + alpha), lambda_j those of A.  The mean over the positions obeys the law
of the dense residual network (`resnet`).

Tiny case.  M = 3, k = 1, ReLU, sigma_w = 1: modes 1 and 2/3 (twice).

Any other phi, and biases: `convolution.moving`.

Known limits.  Those of `ResNet` for the dense law; reach >= 1 for the laws.
"""

from dataclasses import dataclass
from functools import cached_property

from asympt.architectures.convolution.law import ConvLaw
from asympt.architectures.convolution.moving import moving_law
from asympt.architectures.convolution.network import ConvNetwork
from asympt.architectures.convolution.spectrum import Spectrum, check_circle, spectrum
from asympt.architectures.laws import require_nonlinear
from asympt.architectures.resnet import ResNet
from asympt.depth.finite import ResidualConvolution
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.recursions.law import Law


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

    def finite(self) -> ResidualConvolution:
        """Its random network of finite width."""
        return ResidualConvolution(*self.statement.layer.deviations, reach=self.reach)

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
