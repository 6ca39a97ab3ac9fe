"""From layer 1 to the layer from which all positions are alike: the part of a convolutional network that is not a law.

The original recursion (`precise.convolution`) is iterated until gaps, NTK and variances differ from their means over
the positions by less than 10^-(digits + SPARE) of themselves (of the distance from the fixed point): about
digits/log10(1/|lambda_2|) layers.  There the law of the mean takes over: what the deviations still do to it is of the
second order in them.  Where phi has no scale, `variance` may give q^1_alpha, or the pair of q^1_alpha(x) and
q^1_(alpha+d)(x') (`ConvStart`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log10

from mpmath import mp
from sympy import Expr

from asympt.architectures.convolution.spectrum import Spectrum
from asympt.architectures.parsing import read_start, read_variance
from asympt.errors import InputError, PrecisionError
from asympt.meanfield.statement import ConvStatement
from asympt.numbers import to_mpf
from asympt.precise.convolution import ConvState, ConvStep

SPARE, GUARD = 3, 12
MOST = 400_000  # positions times layers


# ---- starts -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ConvStart:
    """Exact gaps of layer 1, the position asked for, and the variances of both inputs (None: equal and settled)."""

    gaps: tuple[Expr, ...]
    position: int = 0
    first: tuple[Expr, ...] | None = None
    second: tuple[Expr, ...] | None = None

    @property
    def is_at_rest(self) -> bool:
        """Whether the inputs are the same at all positions."""
        return all(gap == 0 for gap in self.gaps) and self.first == self.second


def reader_for(positions: int, has_variances: bool) -> Callable[..., ConvStart]:
    """The reader of `evaluate` for a circle of so many positions; `has_variances`: phi has no scale."""

    def read(correlation=None, gap=None, position=0, variance=None) -> ConvStart:
        if (correlation is None) == (gap is None):
            raise InputError(
                f"give either correlation, {positions} numbers c^1 along one offset, or gap, {positions} numbers 1 - "
                f"c^1"
            )
        if gap is None:
            gaps = tuple(read_start(correlation=c) for c in vector(correlation, positions, "correlation"))
        else:
            gaps = tuple(read_start(gap=g) for g in vector(gap, positions, "gap"))
        return ConvStart(gaps, _position(position, positions), *_variances(variance, positions, has_variances))

    return read


def vector(values, positions: int, name: str) -> tuple:
    """`positions` entries; one number stands for all of them."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return (values,) * positions
    entries = tuple(values)
    if len(entries) != positions:
        raise InputError(f"{name} has {len(entries)} entries and the network {positions} positions; give one for each")
    return entries


def _position(value, positions: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < positions:
        raise InputError(f"position = {value!r} is none of 0, ..., {positions - 1}; give one of them")
    return value


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
class Even:
    """Layer n and the means over the positions: of the gaps and of K/sqrt(q q')."""

    layer: int
    gap: object
    kernel: object


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

    def even(self, start: ConvStart, digits: int, later: int = 0) -> Even:
        """The first layer at which all positions are alike to `digits` digits, or `later` layers after it."""
        self._require_short(digits)
        return _even(self, _whole(start), digits, later)

    def state_at(self, start: ConvStart, depth: int, digits: int, extra: int = 0) -> ConvState:
        """The state of layer `depth`, by iteration."""
        with mp.workdps(self.precision(digits) + extra):
            state, step = first_state(start), ConvStep(self.statement)
            while state.layer < depth:
                state = step(state)
        return state

    def is_even(self, state: ConvState, digits: int) -> bool:
        """Whether the positions of a state are alike."""
        bound, centre = mp.mpf(10) ** -(digits + SPARE), to_mpf(self.centre)
        if state.first is not None and not all(spread_of(q) <= bound * abs(mean(q)) for q in state[3:]):
            return False
        distance = abs(mean(state.gap) - centre)
        return spread_of(state.gap) <= bound * distance and spread_of(state.kernel) <= bound * abs(mean(state.kernel))

    def _require_short(self, digits: int) -> None:
        work = self.layers(digits) * self.statement.positions
        if work > MOST:
            raise PrecisionError(
                f"positions forget their differences after about {self.layers(digits)} layers only (gap of the "
                f"averaging {float(self.spectrum.gap.evalf(6)):.3g}), too many in mpmath; ask for fewer digits, or "
                "iterate with asympt.depth.convolution.conv_pairs"
            )


@lru_cache(maxsize=256)
def _even(transient: Transient, start: ConvStart, digits: int, later: int) -> Even:
    limit = 4 * transient.layers(digits) + 100
    with mp.workdps(transient.precision(digits) + later):
        state, step = first_state(start), ConvStep(transient.statement)
        while not transient.is_even(state, digits):
            if state.layer > limit:
                raise PrecisionError(
                    f"after {state.layer} layers positions still differ in the digits asked; ask for fewer digits"
                )
            state = step(state)
        for _ in range(later):
            state = step(state)
        return Even(state.layer, mean(state.gap), mean(state.kernel))


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


def _whole(start: ConvStart) -> ConvStart:
    """The same for every position, so that one computation serves all."""
    return ConvStart(start.gaps, 0, start.first, start.second)
