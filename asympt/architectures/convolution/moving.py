r"""Residual convolutions in which the variance moves the map: the dense laws, and the layers at every position.

Problem.  y^l = y^(l-1) + F(y^(l-1)), F a convolution, phi = tanh, ELU, GELU, or with biases: no map serves every layer.

Rule.  Along one offset, with A the mean over the filter (eigenvalues lambda_j) and E at the pair of each position,

    q -> q + A(sigma_b^2 + sigma_w^2 E[phi^2]),    s -> s + A(sigma_b^2 + sigma_w^2 E[phi phi]),
    K -> K + A(sigma_b^2 + sigma_w^2 (E[phi phi] + E[phi' phi'] K)).

phi(x)/x -> a+, a- ('growing'): in the limit this is the ReLU-like network of the slopes, whose positions become alike
like ((1 + alpha lambda_2)/(1 + alpha))^l; so the law of the dense network holds at every position, every term.

phi bounded: s and q grow like l.  Mode j of the differences in q stays, of relative size 1/l; that of s obeys
d' = d + lambda_j g'(c*) d/l + ..., so in units of q it falls like l^(-(1 - lambda_j (1 - p))), p the exponent of the
dense law, later than l^(-p) for every lambda_j < 1.  The dense law holds at every position, with that in its remainder.

Tiny case.  tanh without bias, M = 3, k = 1: lambda_2 = 0, 1 - c^l = 1 - D l^(-1 + 2/pi) + O(l^(-3/2 + 2/pi)).

Known limits.  Leading orders, as for the dense networks; numbers come from the layers, M times l of which there are
20,000 at most, and the constants have no digits.
"""

from dataclasses import dataclass, field, replace

from mpmath import mp
from sympy import Expr

from asympt.architectures.convolution.law import along, plain_along
from asympt.architectures.convolution.spectrum import Spectrum
from asympt.architectures.convolution.transient import ConvStart, reader_for
from asympt.architectures.residual.bounded import LayerByLayer, exponent
from asympt.architectures.residual.by_layers import ORBIT, ByLayers
from asympt.architectures.residual.growing import Growing
from asympt.errors import InputError, PrecisionError
from asympt.expansions import Formal, Monomial
from asympt.meanfield.statement import ConvStatement
from asympt.numbers import to_mpf
from asympt.precise.convolution import MovingConvState, MovingConvStep
from asympt.precise.moving import MOST_LAYERS
from asympt.recursions.agreement import Route
from asympt.recursions.law import Law


class AlongPositions(ByLayers):
    """The layers of a convolutional network: a start is a `ConvStart`; `dense`: the law of the dense network."""

    conv: ConvStatement
    dense: Law

    def to_layer(self, start: ConvStart, depth: int, route: Route, crossing: None) -> tuple:
        """(gap, kernel), or (gap,), at a layer and the position asked for."""
        if depth * self.conv.positions > MOST_LAYERS:
            raise PrecisionError(
                f"depth = {depth}: no map serves every layer here, so they are followed one by one at every position, "
                f"{MOST_LAYERS // self.conv.positions} of them at most; ask for a smaller depth"
            )
        with mp.workdps(route.digits + ORBIT):
            state = first_state(self.conv, start)
            step = MovingConvStep(self.conv)
            for _ in range(depth - 1):
                state = step(state)
            root = mp.sqrt(state.first[start.position] * state.second[start.position])
            found = 1 - state.together[start.position] / root, state.kernel[start.position] / root
            return found[: 1 + self.with_ntk]


@dataclass(frozen=True)
class GrowingPositions(AlongPositions, Growing):
    """Abel's function of the limit, along the layers of a convolutional network."""

    conv: ConvStatement = field(kw_only=True)
    dense: Law = field(kw_only=True, compare=False)
    with_ntk: bool = field(kw_only=True)

    kind = "leading"


@dataclass(frozen=True)
class BoundedPositions(AlongPositions, LayerByLayer):
    """No coordinate, along the layers of a convolutional network."""

    conv: ConvStatement = field(kw_only=True)
    dense: Law = field(kw_only=True, compare=False)


def moving_law(dense: Law, spectrum: Spectrum, conv: ConvStatement) -> Law:
    """The law along an offset from that of the dense network, `spectrum` being that of the filter."""
    with_ntk, expansion = dense.name == "ntk", dense.expansion
    if dense.coordinate.says_limit_and_power:
        coordinate = BoundedPositions(conv.dense, with_ntk, conv=conv, dense=dense)
        fading = Formal(_fading(exponent(conv.dense), spectrum))
        expansion = replace(expansion, remainder=max(expansion.remainder, fading, key=lambda rest: rest.monomial))
    else:
        coordinate = GrowingPositions(
            dense.dynamics, dense.abel, statement=conv.dense, conv=conv, dense=dense, with_ntk=with_ntk
        )
    return replace(
        dense, quantity=along(dense), text=plain_along(dense), expansion=expansion, coordinate=coordinate,
        reader=_reader(conv.positions), layer=conv,
    )  # fmt: skip


def _fading(p: Expr, spectrum: Spectrum) -> Monomial:
    """How the slowest mode of the differences in s/q falls."""
    slowest = 0 if spectrum.slowest is None else spectrum.slowest.eigenvalue
    return Monomial(1 - slowest * (1 - p))


def _reader(positions: int):
    """The reader of starts, which are to have variances."""
    read = reader_for(positions, True)

    def required(correlation=None, gap=None, position=0, variance=None) -> ConvStart:
        if variance is None:
            raise InputError(
                "variance is not given, and this law's numbers depend on it; give variance, the q^1 of the first layer"
            )
        return read(correlation, gap, position, variance)

    return required


def first_state(conv: ConvStatement, start: ConvStart) -> MovingConvState:
    """Layer 1 in mpmath: K^1 = Sigma^1."""
    first, second = (tuple(map(to_mpf, values)) for values in (start.first, start.second))
    roots = [mp.sqrt(a * b) for a, b in zip(first, second, strict=True)]
    together = tuple((1 - to_mpf(gap)) * root for gap, root in zip(start.gaps, roots, strict=True))
    return MovingConvState(1, first, second, together, together)
