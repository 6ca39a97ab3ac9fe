r"""The law of a convolutional network along one offset: a mean that moves like a dense network, and fading differences.

Problem.  HDR Appendix Lemmas 2 and 3 and Theorem 1 for CNNs: how do c^l_(alpha, alpha') and K^L_(alpha, alpha') behave
at large depth, with which constants, and how fast do the positions become alike?

Rule.  One offset is a vector of M numbers, averaged over the filter in every layer (HDR Proposition 1).  Its mean over
the positions moves as in a fully connected network up to terms of the second order in the differences between
positions; these fade like lambda_2^l, faster than any power.  So at every position

    1 - c^l_(alpha, alpha+d) = the law of the fully connected network, with a C of the offset's own start vector,

to all orders in 1/l, and K^L likewise with C and D.  Numbers: iterate until the positions are alike to the digits asked
(`transient`), then let the dense law take over from that layer, in O(1) steps.

Tiny case.  M = 2k+1: after layer 2 every offset is the dense network that starts at layer 2 from the mean of f(c^1).

Waves.  d_j, the j-th Fourier coefficient over the positions of 1 - c^l, is to first order multiplied by lambda_j f'(c)
in each layer, so on the Edge of Chaos d_j ~ D_j lambda_j^l l^(-p), p = 1 + (the order of 1 - c^l): `waves`.

Known limits.  All variances settled and equal (what HDR calls the constant variance approximation), or a phi without a
scale with any variances.  reach >= 1.
"""

from dataclasses import dataclass, replace

from mpmath import mp
from sympy import Expr, Integer

from asympt.architectures.convolution.spectrum import Spectrum
from asympt.architectures.convolution.transient import ConvStart, Transient
from asympt.numbers import exact
from asympt.recursions.agreement import agreed
from asympt.recursions.law import Law
from asympt.recursions.protocol import Step
from asympt.recursions.steps import quantity

GUARD = 10
LATER = (0, 7)  # layers after the positions have become alike at which the two evaluations are matched


@dataclass(frozen=True, kw_only=True, repr=False)
class ConvLaw(Law):
    """The law along one offset.

    dense:    the law that the mean over the positions obeys, of a fully connected (or residual) network;
    spectrum: eigenvalues of the averaging, with which the positions become alike;
    layer:    the ConvStatement.
    """

    dense: Law
    spectrum: Spectrum

    @property
    def kind(self) -> str:
        """That of laws at every position."""
        return "convolution"

    def changed(self, **parts) -> "ConvLaw":
        """The law with another coordinate of its mean."""
        dense = self.dense.changed(**parts)
        return replace(self, dense=dense, coordinate=dense.coordinate)

    @property
    def plain(self) -> str:
        """The quantity as text, for a terminal."""
        return plain_along(self.dense)

    @property
    def modes(self) -> tuple:
        """The modes in which positions differ, with their eigenvalues and multiplicities on the circle."""
        return self.spectrum.modes[1:]

    @property
    def transient(self) -> Transient:
        """The part before all positions are alike."""
        centre = Integer(0) if self.dense.fixed is None else self.dense.fixed.point
        chi = None if self.koenigs is None else self.koenigs.multiplier
        return Transient(self.layer, self.spectrum, centre, chi)

    def _steps(self) -> tuple[Step, ...]:
        """Those of the mean, and the average that makes the positions alike."""
        slowest = self.spectrum.slowest
        second = Integer(0) if slowest is None else slowest.eigenvalue
        return (Step("map", {"averaging": second}), *self.dense.steps[:-1], quantity(self))

    # ---- numbers --------------------------------------------------------------------------------------

    def _value(self, start: ConvStart, depth: int, digits: int):
        if start.is_at_rest:
            return self.dense._value(self.dense.reader(gap=0), depth, digits)

        def pair(extra: int) -> list:
            return [self._route(start, depth, digits + GUARD + extra, later) for later in LATER]

        return agreed(pair, digits)

    def _route(self, start: ConvStart, depth: int, digits: int, later: int):
        """By iteration before the matching layer, by the dense law after it."""
        if depth > self.transient.layers(digits):
            even = self.transient.even(start, digits, later)
            if depth > even.layer:
                return self._from(even)._value(self._distance(even, digits), depth, digits - GUARD // 2)
        state = self.transient.state_at(start, depth, digits, later)
        with mp.workdps(digits + GUARD):
            if self.linear is None:
                return +state.gap[start.position]
            return state.kernel[start.position] / (depth if self.average else 1)

    def _crossings(self, start: ConvStart, digits: int) -> list[tuple]:
        """None: an even orbit is found first, which has the same mean in the end."""
        return []

    def _constants(self, start: ConvStart, digits: int, second: bool = False) -> tuple:
        if start.is_at_rest:
            return self.dense._constants(self.dense.reader(gap=0), digits)

        def pair(extra: int) -> list:
            found = [self.transient.even(start, digits + GUARD + extra, later) for later in LATER]
            return [self._from(even)._constants(self._distance(even, digits + extra), digits) for even in found]

        return agreed(pair, digits, "two readings of the connection constants", "ask for fewer digits")

    def _from(self, even) -> Law:
        """The dense law of an orbit that is at layer n where all positions are alike, with the K found there."""
        dynamics = self.dense.dynamics
        linear = dynamics.linear and replace(dynamics.linear, start=lambda distance: even.kernel)
        return self.dense.changed(dynamics=replace(dynamics, first=even.layer, linear=linear))

    def _distance(self, even, digits: int) -> Expr:
        """The distance of the mean from the fixed point at layer n, as an exact number."""
        with mp.workdps(self.transient.precision(digits) + LATER[1] + GUARD):
            gap = exact(even.gap)
        return gap - self.transient.centre


PLAIN = {"correlation": "1-c^l(alpha, alpha')", "ntk": "K^L(alpha, alpha')"}
QUANTITY = {"correlation": r"1-c^{l}_{\alpha,\alpha'}(x,x')", "ntk": r"K^{L}_{\alpha,\alpha'}(x,x')"}


def along(dense: Law) -> str:
    """The quantity of a dense law at a pair of positions, in LaTeX: divided by what that one is divided by."""
    return dense.quantity.replace("1-c^{l}", QUANTITY["correlation"]).replace("K^{L}(x,x')", QUANTITY["ntk"])


def plain_along(dense: Law) -> str:
    """The same for a terminal."""
    return PLAIN["correlation"] if dense.name == "correlation" else dense.plain.replace("K^L(x,x')", PLAIN["ntk"])


def conv_law(dense: Law, spectrum: Spectrum, statement, reader) -> ConvLaw:
    """The law of a convolutional network from that of its mean."""
    return ConvLaw(
        along(dense), dense.expansion, reader, dense.name, coordinate=dense.coordinate, linear=dense.linear,
        average=dense.average, dense=dense, spectrum=spectrum, layer=statement, symbols=dense.symbols,
    )  # fmt: skip
