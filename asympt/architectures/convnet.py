"""The convolutional network on a circle of positions: its layer, its phase, and the laws along every offset.

Problem.  HDR Proposition 1, Appendix Lemmas 2 and 3, Theorem 1 for CNNs: correlation and NTK of a deep 1-D CNN with
periodic boundary, for all pairs of positions.

Rule.  The layer is that of a fully connected network at every position, averaged over a filter of 2k+1 positions at the
pair (alpha + b, alpha' + b).  So offsets alpha' - alpha do not mix, and along each of them the mean over the positions
obeys the law of the fully connected network while the differences fade (`conv_law`).

Tiny case.  One and the same input: at offset 0 c = 1 for ever and K/(qL) = 1; at every other offset c^1 < 1, and K/(qL)
tends to 1/4 (ReLU-like) or 1/3 (smooth), as for two different inputs.

Known limits.  Laws need reach >= 1, and settled variances or a phi without a scale.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from asympt.architectures.convolution.law import ConvLaw, conv_law
from asympt.architectures.convolution.network import ConvNetwork
from asympt.architectures.convolution.spectrum import Spectrum, check_circle, spectrum
from asympt.architectures.convolution.starts import reader_for
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.finite_width import deviations
from asympt.deadline import in_budget
from asympt.depth.finite import Convolution
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.statement import ConvStatement, Statement
from asympt.recursions.law import Law


@dataclass(frozen=True, init=False)
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
        if not isinstance(statement, ConvStatement) or statement.skip:
            return None
        phi, *given = deviations(statement)
        return cls(phi, statement.positions, statement.reach, *given)

    def finite(self) -> Convolution:
        """Its random network of finite width."""
        return Convolution(*deviations(self.statement), reach=self.reach)

    @cached_property
    def statement(self) -> ConvStatement:
        """The layer recursion as data."""
        return ConvStatement(Statement.plain(self.dense.layer), self.positions, self.reach)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and multiplicities of the averaging over the filter."""
        return spectrum(self.positions, self.reach)

    @property
    def variance(self) -> Expr:
        """q, the fixed point of the variance; raises `UnsupportedError` where there is none."""
        return self.dense.variance

    # ---- the laws -------------------------------------------------------------------------------

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> ConvLaw:
        """The law of 1 - c^l at every pair of positions; the start is the vector of c^1 along one offset.

        >>> from mpmath import nstr
        >>> law = ConvNet("relu", positions=3, reach=1).correlation_law()
        >>> print(nstr(law.evaluate(depth=10**12, correlation=("1/10", "1/2", 0), position=2), 20))
        4.4413219800866962763e-23
        """
        return self._law(self.dense.correlation_law(terms))

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> ConvLaw:
        """The law of K^L(x, x') at every pair of positions with c^1 < 1: of K^L/(q L) on the Edge of Chaos, else K^L/q.

        >>> print(ConvNet("relu", positions=8, reach=1).ntk_law(terms=2))
        1/4 + 3*log(L)/(8*L) + O(1/L)
        """
        return self._law(self.dense.ntk_law(terms))

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """K^L_(alpha, alpha)(x, x)/q, one input at offset 0, exact at every depth, the variances equal and settled."""
        return self.dense.ntk_diagonal_law()

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the variance q^l of one input with the same variance at all positions."""
        return self.dense.variance_law(terms)

    def _law(self, dense: Law) -> ConvLaw:
        require_mixing(self.spectrum)
        reader = reader_for(self.positions, self.dense.layer.is_scale_free)
        return conv_law(dense, self.spectrum, self.statement, reader)


def require_mixing(found: Spectrum) -> None:
    """An error where positions keep their differences for ever."""
    if not found.mixes:
        raise UnsupportedError(
            "reach = 0: every position is a fully connected network of its own and none forgets its start; take the "
            "law of FeedForward at each position, or a reach of at least 1"
        )
