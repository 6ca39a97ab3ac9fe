"""The convolutional network on a circle of positions: its layer, its phase, and the laws along every offset.

Problem.  HDR Proposition 1, Appendix Lemmas 2 and 3, Theorem 1 for CNNs: correlation and NTK of a deep 1-D CNN with
periodic boundary, for all pairs of positions.

Rule.  The layer is that of a fully connected network at every position, averaged over a filter of 2k+1 positions at the
pair (alpha + b, alpha' + b).  So offsets alpha' - alpha do not mix, and along each of them the mean over the positions
obeys the law of the fully connected network while the differences fade (`convolution.law`).

Tiny case.  One and the same input: at offset 0 c = 1 for ever and K/(qL) = 1; at every other offset c^1 < 1, and K/(qL)
tends to 1/4 (ReLU-like) or 1/3 (smooth), as for two different inputs.

Known limits.  Laws need reach >= 1, and settled variances or a phi without a scale.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from asympt.architectures.convolution.network import ConvNetwork
from asympt.architectures.convolution.spectrum import Spectrum, check_circle, spectrum
from asympt.architectures.feedforward import FeedForward
from asympt.depth.finite import Convolution
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import ConvStatement, Statement


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

    def finite(self) -> Convolution:
        """Its random network of finite width."""
        return Convolution(*self.statement.layer.deviations, reach=self.reach)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and multiplicities of the averaging over the filter."""
        return spectrum(self.positions, self.reach)

    @property
    def variance(self) -> Expr:
        """q, the fixed point of the variance; raises `UnsupportedError` where there is none."""
        return self.dense.variance
