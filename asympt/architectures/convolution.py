r"""Convolutional networks on a circle of positions: along one offset a mean that moves like a dense network.

One offset is a vector of M numbers, averaged over the filter in every layer (HDR Proposition 1).  Its mean over the
positions moves as in a fully connected network up to terms of the second order in the differences between positions,
which fade like lambda_2^l.  So at every position (HDR Appendix Lemmas 2 and 3, Theorem 1)

    1 - c^l_(alpha, alpha+d) = the law of the fully connected network, with a C of the offset's own start vector,

to all orders in 1/l, and K^L likewise with C and D.  Numbers: iterate until the positions agree to the requested digits
(`Transient`), then let the dense law take over.  All variances settled and equal, or a phi without a scale; reach >= 1.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, log10

import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Rational, S, cos, nsimplify, pi, radsimp, simplify

from asympt.architectures.composed.flow import MOST_LAYERS
from asympt.architectures.composition import Network, Preset, Stated
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.law_parts import read_start, read_variance
from asympt.architectures.laws import require_nonlinear
from asympt.architectures.residual import OfAnother, exponent
from asympt.architectures.resnet import ResNet
from asympt.deadline import in_budget
from asympt.depth.convolution import conv_of
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Formal, Monomial
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import ConvStatement
from asympt.numbers import is_whole, to_mpf
from asympt.precise.dense import ConvState, ConvStep
from asympt.recursions.agreement import Route
from asympt.recursions.law import Law
from asympt.recursions.protocol import Step
from asympt.recursions.steps import quantity
from asympt.recursions.unsettled import Arrival, Unsettled

# ---- the averaging over a filter on a circle of positions --------------------------------------------
#
# The mean over positions alpha - k, ..., alpha + k on a circle of M has the Fourier modes as eigenvectors,
#
#     lambda_j = (1 + 2 sum_(b=1..k) cos(2 pi j b/M))/(2k+1),      j = 0, ..., M - 1,
#
# on the M^2 pairs M times each, once for every offset.  lambda_j = 0 exactly when M divides (2k+1) j and not j, so the
# averaging is invertible if and only if M and 2k+1 have no common factor.
#
# In nonlinear layers mode j shrinks by lambda_j to first order; products of modes i and n feed mode i + n, so what is
# left of mode j is the larger of lambda_j^l and (rate_i rate_n)^l, i + n = j: the `rates`, closed under products.


CLOSE = 1e-12  # relative difference below which a rate counts as fed by a product
SIMPLE = 12  # denominators M up to which SymPy is asked to simplify the cosines


@dataclass(frozen=True)
class Mode:
    """The Fourier modes +-`index`: their eigenvalue, and how many they are on the circle."""

    index: int
    eigenvalue: Expr
    multiplicity: int

    @property
    def size(self) -> float:
        """The eigenvalue in float64."""
        return float(self.eigenvalue.evalf(20))


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of (keep + the mean over the filter)/(keep + 1); keep = 0 for a plain layer.

    >>> s = spectrum(4, 1)
    >>> [(mode.eigenvalue, mode.multiplicity) for mode in s.modes], s.gap
    ([(1, 1), (1/3, 2), (-1/3, 1)], 2/3)
    """

    positions: int
    reach: int
    keep: Expr = S.Zero

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """One entry for every |j|, from j = 0 on."""
        means = [averaging_eigenvalue(self.positions, self.reach, j) for j in range(self.positions // 2 + 1)]
        copies = [1 if 2 * j in (0, self.positions) else 2 for j in range(len(means))]
        return tuple(Mode(j, (self.keep + mean) / (self.keep + 1), copies[j]) for j, mean in enumerate(means))

    @cached_property
    def numbers(self) -> np.ndarray:
        """lambda_0, ..., lambda_(M-1) in float64."""
        half = [mode.size for mode in self.modes]
        return np.array([half[min(j, self.positions - j)] for j in range(self.positions)])

    @property
    def slowest(self) -> Mode | None:
        """The mode other than the mean with the largest |eigenvalue|; None on a circle of one position."""
        return max(self.modes[1:], key=lambda mode: abs(mode.size), default=None)

    @property
    def second(self) -> Expr:
        """lambda_2, the eigenvalue of the slowest mode; 0 when there is none."""
        return Integer(0) if self.slowest is None else self.slowest.eigenvalue

    @property
    def gap(self) -> Expr:
        """1 - |lambda_2|."""
        return 1 - abs(self.second)

    @property
    def mixes(self) -> bool:
        """Whether positions forget their differences: not with reach 0."""
        return self.positions == 1 or self.reach > 0

    @cached_property
    def rates(self) -> np.ndarray:
        """How fast what is left of mode j really shrinks per layer, products of other modes included; entry 0 is 0."""
        size = self.positions
        rates = np.abs(self.numbers)
        rates[0] = 0.0
        for _ in range(size):
            better = np.maximum(rates, [0.0, *(self._fed(rates, j) for j in range(1, size))])
            if np.array_equal(better, rates):
                break
            rates = better
        return rates

    def is_own(self, index: int) -> bool:
        """Whether mode `index` is left at its own rate lambda_j^l, and not at that of a product of slower modes."""
        j = index % self.positions
        own = abs(self.numbers[j])
        return bool(own > 0 and self.fed(j) < own * (1 - CLOSE))

    def fed(self, index: int) -> float:
        """The rate of the slowest product of two other modes that feeds mode `index`."""
        return self._fed(self.rates, index % self.positions)

    def _fed(self, rates: np.ndarray, j: int) -> float:
        partners = rates * rates[(j - np.arange(self.positions)) % self.positions]
        partners[[0, j]] = 0.0
        return float(partners.max())


def spectrum(positions: int, reach: int) -> Spectrum:
    """The spectrum of the mean over a filter of 2 reach + 1 positions on a circle of `positions`.

    Raises `InputError` unless reach >= 0 and positions >= 2 reach + 1.
    """
    return Spectrum(*check_circle(positions, reach))


def averaging_eigenvalue(positions: int, reach: int, j: int) -> Expr:
    """lambda_j, exact; 0 where it vanishes."""
    width = 2 * reach + 1
    if j % positions and (width * j) % positions == 0:
        return Integer(0)
    total = 1 + 2 * sum(cos(2 * pi * Rational(j * b, positions)) for b in range(1, reach + 1))
    if positions <= SIMPLE:
        total = simplify(total)
    return nsimplify(total) / width if total.is_Rational else total / width


def check_circle(positions: int, reach: int) -> tuple[int, int]:
    """(positions, reach) as whole numbers of which the filter fits on the circle."""
    for name, value, least in (("positions", positions, 1), ("reach", reach, 0)):
        if not is_whole(value, least):
            raise InputError(f"{name} = {value!r} is not a whole number of at least {least}; give one")
    if positions < 2 * reach + 1:
        raise InputError(
            f"positions = {positions} is less than 2 reach + 1 = {2 * reach + 1}, so the filter would cover a position "
            "twice; give more positions or a smaller reach"
        )
    return int(positions), int(reach)


# ---- from layer 1 to the layer from which all positions are alike ------------------------------------
#
# The original recursion (`precise.dense`) is iterated until gaps, NTK and variances differ from their means over
# the positions by less than 10^-(digits + SPARE) of themselves (of the distance from the fixed point): about
# digits/log10(1/|lambda_2|) layers.  There the law of the mean takes over: what the deviations still do to it is of the
# second order in them.  Where phi has no scale, `variance` may give q^1_alpha, or the pair of q^1_alpha(x) and
# q^1_(alpha+d)(x') (`ConvStart`).


SPARE, GUARD = 3, 12
MOST = 400_000  # positions times layers


# ---- starts -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ConvStart:
    """Exact gaps of layer 1, the requested position, and the variances of both inputs (None: equal and settled)."""

    gaps: tuple[Expr, ...]
    position: int = 0
    first: tuple[Expr, ...] | None = None
    second: tuple[Expr, ...] | None = None

    @property
    def is_at_rest(self) -> bool:
        """Whether the inputs are the same at all positions."""
        return all(gap == 0 for gap in self.gaps) and self.first == self.second


class UnevenStart(ConvStart, Unsettled):
    """One whose positions become alike, from where on the law of the mean holds."""

    why = "positions that differ are followed until they are alike"

    def scalar(self, law) -> Law:
        """The law of the mean over the positions."""
        return law.dense

    def follow(self, law, digits: int, last: int | None, least: int = 1) -> Arrival:
        """The first layer at which all positions are alike."""
        transient = law.transient
        if last is None or last > transient.layers(digits):
            transient.require_short(digits)
        state = _followed(transient, replace(self, position=0), digits, last, least)
        with mp.workdps(transient.precision(digits)):
            distance = mean(state.gap) - to_mpf(transient.centre)
            return Arrival(state.layer, distance, state.gap[self.position], state.kernel[self.position])

    def value(self, law, depth: int, digits: int):
        """The quantity at the position, at one depth."""
        if self.is_at_rest:
            return law.dense._value(law.dense.reader(gap=0), depth, digits)
        return super().value(law, depth, digits)

    def constants(self, law, digits: int, second: bool = False) -> tuple:
        """(C, D) of the mean."""
        if self.is_at_rest:
            return law.dense._constants(law.dense.reader(gap=0), digits)
        return super().constants(law, digits, second)


def reader_for(positions: int, has_variances: bool, needs_variances: bool = False) -> Callable[..., ConvStart]:
    """The reader of `evaluate` for a circle of so many positions; `has_variances`: phi has no scale.

    `needs_variances`: they move the map in every layer, and no position is ever like the others.
    """
    kind = ConvStart if needs_variances else UnevenStart

    def read(correlation=None, gap=None, position=0, variance=None) -> ConvStart:
        if needs_variances and variance is None:
            raise InputError(
                "variance is not given, and this law's numbers depend on it; give variance, the q^1 of the first layer"
            )
        if (correlation is None) == (gap is None):
            raise InputError(
                f"give either correlation, {positions} numbers c^1 along one offset, or gap, {positions} numbers 1 - "
                f"c^1"
            )
        name, given = ("gap", gap) if correlation is None else ("correlation", correlation)
        gaps = tuple(read_start(**{name: value}) for value in vector(given, positions, name))
        if not is_whole(position, 0, positions - 1):
            raise InputError(f"position = {position!r} is not one of 0, ..., {positions - 1}; give one of them")
        return kind(gaps, int(position), *_variances(variance, positions, has_variances))

    return read


def vector(values, positions: int, name: str) -> tuple:
    """`positions` entries; one number stands for all of them."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return (values,) * positions
    entries = tuple(values)
    if len(entries) != positions:
        raise InputError(f"{name} has {len(entries)} entries and the network {positions} positions; give one for each")
    return entries


def _variances(given, positions: int, has_variances: bool) -> tuple:
    if given is None:
        return None, None
    if not has_variances:
        raise InputError(
            "variance is given, but this law holds at the fixed point of the variance; leave it out, or iterate with "
            "asympt.depth.convolution.conv_pairs"
        )
    is_pair = isinstance(given, tuple) and len(given) == 2
    both = given if is_pair else (given, given)
    return tuple(tuple(read_variance(q) for q in vector(values, positions, "variance")) for values in both)


@dataclass(frozen=True)
class Transient:
    """The way to evenness of one network: its statement, its spectrum, the gap 1 - c* and the multiplier chi* there.

    `chi` is None on the Edge of Chaos, where the distance from the fixed point does not shrink geometrically.
    """

    statement: ConvStatement
    spectrum: Spectrum
    centre: Expr
    chi: Expr | None = None

    def layers(self, digits: int) -> int:
        """About how many layers it takes."""
        slowest = self.spectrum.slowest
        size = abs(slowest.size) if slowest else 0.0
        return 2 if size == 0 else ceil((digits + SPARE) / -log10(size)) + 2

    def precision(self, digits: int) -> int:
        """Digits to work with: the distance from c* shrinks while the gap does not."""
        lost = 0 if self.chi is None or self.centre == 0 else self.layers(digits) * -log10(abs(float(self.chi)))
        return digits + SPARE + GUARD + ceil(lost)

    def is_even(self, state: ConvState, digits: int) -> bool:
        """Whether the positions of a state are alike."""
        bound, centre = mp.mpf(10) ** -(digits + SPARE), to_mpf(self.centre)
        if state.first is not None and not all(spread_of(q) <= bound * abs(mean(q)) for q in state[3:]):
            return False
        distance = abs(mean(state.gap) - centre)
        return spread_of(state.gap) <= bound * distance and spread_of(state.kernel) <= bound * abs(mean(state.kernel))

    def require_short(self, digits: int) -> None:
        """`PrecisionError` where it takes too many layers."""
        work = self.layers(digits) * self.statement.positions
        if work > MOST:
            raise PrecisionError(
                f"positions forget their differences only after about {self.layers(digits)} layers (gap of the "
                f"averaging {float(self.spectrum.gap.evalf(6)):.3g}), too many in mpmath; ask for fewer digits, or "
                "iterate with asympt.depth.convolution.conv_pairs"
            )


@lru_cache(maxsize=256)
def _followed(transient: Transient, start: ConvStart, digits: int, last: int | None, least: int) -> ConvState:
    """The state of layer `last`, or of the first one from `least` on at which all positions are alike."""
    limit = 4 * transient.layers(digits) + 100
    with mp.workdps(transient.precision(digits)):
        state, step = first_state(start), ConvStep(transient.statement)
        while state.layer != last and (state.layer < least or not transient.is_even(state, digits)):
            if state.layer > limit + least:
                raise PrecisionError(
                    f"after {state.layer} layers positions still differ in the requested digits; ask for fewer digits"
                )
            state = step(state)
        return state


def first_state(start: ConvStart) -> ConvState:
    """Layer 1 in mpmath: K^1 = Sigma^1."""
    gaps = tuple(to_mpf(gap) for gap in start.gaps)
    both = (None if values is None else tuple(to_mpf(q) for q in values) for values in (start.first, start.second))
    return ConvState(1, gaps, tuple(1 - gap for gap in gaps), *both)


def mean(values):
    """The mean over the positions."""
    return mp.fsum(values) / len(values)


def spread_of(values):
    """Largest minus smallest."""
    return max(values) - min(values)


# ---- the law -----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ConvLaw(Law):
    """The law along one offset.

    dense:    the law that the mean over the positions obeys, of a fully connected (or residual) network;
    spectrum: eigenvalues of the averaging, with which the positions become alike;
    layer:    the ConvStatement.
    """

    dense: Law
    spectrum: Spectrum

    evidence = "convolution"
    is_one_orbit = False

    def __post_init__(self):
        if not isinstance(self.layer, ConvStatement):
            raise InputError(f"layer = {self.layer!r} is not a convolutional layer, which a law along an offset needs")
        super().__post_init__()

    @property
    def kind(self) -> str:
        return "convolution"

    def changed(self, **parts) -> "ConvLaw":
        dense = self.dense.changed(**parts)
        return replace(self, dense=dense, coordinate=dense.coordinate)

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
        return (Step("map", {"averaging": self.spectrum.second}), *self.dense.steps[:-1], quantity(self))


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
        text=plain_along(dense),
    )  # fmt: skip


# ---- residual convolutions in which the variance moves the map -----------------------------------------
#
# Along one offset, with A the mean over the filter (eigenvalues lambda_j) and E at the pair of each position,
#
#     q -> q + A(sigma_b^2 + sigma_w^2 E[phi^2]),    s -> s + A(sigma_b^2 + sigma_w^2 E[phi phi]),
#     K -> K + A(sigma_b^2 + sigma_w^2 (E[phi phi] + E[phi' phi'] K)).
#
# phi(x)/x -> a+, a- ('growing'): in the limit this is the ReLU-like network of the slopes, whose positions become alike
# like ((1 + alpha lambda_2)/(1 + alpha))^l; so the law of the dense network holds at every position, every term.
#
# phi bounded: s and q grow like l.  Mode j of the differences in q stays, of relative size 1/l; that of s obeys
# d' = d + lambda_j g'(c*) d/l + ..., so in units of q it falls like l^(-(1 - lambda_j (1 - p))), p the exponent of the
# dense law, later than l^(-p) for every lambda_j < 1.  The dense law holds at every position, with that in its
# remainder.


@dataclass(frozen=True)
class AlongPositions(OfAnother):
    """The coordinate of the dense network, `of`, along the layers of a convolutional one: a start is a `ConvStart`."""

    conv: ConvStatement

    evidence = "convolution"

    @property
    def most_layers(self) -> int:
        return MOST_LAYERS // self.conv.positions

    def to_layer(self, start: ConvStart, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits + SPARE):
            state, step = first_state(start), ConvStep(self.conv)
            for _ in range(depth - 1):
                state = step(state)
            return (state.gap[start.position], state.kernel[start.position])[: 1 + (self.of.name == "ntk")]


def moving_law(dense: Law, spectrum: Spectrum, conv: ConvStatement) -> Law:
    """The law along an offset from that of the dense network, `spectrum` being that of the filter."""
    expansion = dense.expansion
    if dense.coordinate.says_limit_and_power:
        fading = Formal(Monomial(1 - spectrum.second * (1 - exponent(conv.dense))))
        expansion = replace(expansion, remainder=max(expansion.remainder, fading, key=lambda rest: rest.monomial))
    return replace(
        dense, quantity=along(dense), text=plain_along(dense), expansion=expansion,
        coordinate=AlongPositions(conv.dense, dense, conv), reader=reader_for(conv.positions, True, True), layer=conv,
    )  # fmt: skip


# ---- how the differences between positions fade on the Edge of Chaos -----------------------------------
#
# To first order a layer multiplies d_j, the j-th Fourier coefficient of 1 - c^l over the positions, by mu_j nu: with
# delta the share of the branch (1 without skip connections), mu_j = 1 - delta + delta lambda_j, and f_delta the map of
# a layer where all positions are alike,
#
#     nu = 1 - (lambda_j/mu_j) (1 - f_delta'(c)),   so d_j ~ D_j mu_j^l l^(-p),   p = (lambda_j/mu_j) (1 + s)
#
# for gamma ~ l^(-s): l^(-3) for a ReLU-like ConvNet, l^(-2) for a smooth one; with skip connections p depends on the
# mode.  A mode that products of slower modes overtake (`Spectrum.rates`) has no amplitude of its own.


@dataclass(frozen=True)
class Wave:
    """d_j ~ D_j eigenvalue^l l^(-power): all but the amplitude D_j, which depends on the start."""

    law: ConvLaw
    mode: Mode

    @property
    def eigenvalue(self) -> Expr:
        """mu_j."""
        return self.mode.eigenvalue

    @property
    def power(self) -> Expr:
        """p."""
        return self.weight * (1 + self.law.expansion.leading[0].order)

    @property
    def weight(self) -> Expr:
        """lambda_j/mu_j: 1 without skip connections."""
        spectrum = self.law.spectrum
        bare = averaging_eigenvalue(spectrum.positions, spectrum.reach, self.mode.index)
        return radsimp(bare / self.eigenvalue) if spectrum.keep != 0 else Integer(1)


def waves(law: ConvLaw) -> tuple[Wave, ...]:
    """One entry for every pair of modes +-j with an amplitude of its own, the slowest first.

    >>> from asympt.architectures.convolution import ConvNet
    >>> law = ConvNet("relu", positions=4, reach=1).correlation_law(terms=1)
    >>> [(wave.mode.index, wave.eigenvalue, wave.power) for wave in waves(law)]
    [(1, 1/3, 3), (2, -1/3, 3)]
    """
    if law.name != "correlation":
        raise InputError("waves are those of the correlation; give the law of correlation_law()")
    if law.koenigs is not None:
        raise UnsupportedError(
            "off the Edge of Chaos differences fade like (lambda_j chi)^l; no amplitudes are computed"
        )
    own = [mode for mode in law.modes if law.spectrum.is_own(mode.index)]
    return tuple(Wave(law, mode) for mode in sorted(own, key=lambda mode: -abs(mode.size)))


# ---- what the networks share: a dense one at every position, and laws along an offset -------------------


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
        dense, circle = self.dense.composition, (self.positions, self.reach)
        return Network(conv_of(dense.block, circle), first=conv_of(dense.first, circle))

    @cached_property
    def statement(self) -> ConvStatement:
        """The layer recursion as data; of the layer the dense network may know more, such as its variance."""
        found = self.composition.statement
        return replace(found, dense=found.dense.with_layer(self.dense.statement.layer))

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and multiplicities of the layer's linear part: the averaging over the filter."""
        return spectrum(self.positions, self.reach)

    def waves(self) -> tuple[Wave, ...]:
        """How the modes in which positions differ fade on the Edge of Chaos, the slowest first (`waves`).

        >>> from asympt.architectures.convolution import ConvNet
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

        >>> from asympt.architectures import ConvNet
        >>> law = ConvNet("relu", positions=3, reach=1).correlation_law()
        >>> print(law.evaluate(depth=10**12, correlation=("1/10", "1/2", 0), position=2, digits=20))
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

    @property
    def variance(self) -> Expr:
        """q, the fixed point of the variance; raises `UnsupportedError` where there is none."""
        return self.dense.variance

    def _law_of(self, dense: Law) -> ConvLaw:
        if not self.statement.is_scale_free and self.variance == 0:
            raise UnsupportedError(
                "the variance tends to 0 and moves the map, and where correlations go then depends on the variances at "
                "all positions; take sigma_b > 0, or iterate with asympt.depth.convolution.conv_gram"
            )
        return super()._law_of(dense)


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
