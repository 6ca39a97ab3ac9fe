r"""How d_j, the j-th Fourier coefficient of 1 - c^l over the positions, fades on the Edge of Chaos.

To first order a layer multiplies d_j by mu_j nu, with delta the share of the branch (1 without skip connections),
mu_j = 1 - delta + delta lambda_j, and f_delta the map of a layer where all positions are alike,

    nu = 1 - (lambda_j/mu_j) (1 - f_delta'(c)), d_j ~ D_j mu_j^l l^(-p),  p = (lambda_j/mu_j) (1 + s),  gamma ~ l^(-s):

l^(-3) for a ReLU-like ConvNet, l^(-2) for a smooth one; with skip connections p depends on the mode.  A mode that
products of slower modes overtake (`Spectrum.rates`) has no amplitude of its own.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, log10

from mpmath import mp
from sympy import Expr, Integer, Rational, radsimp

from asympt.architectures.convolution.law import ConvLaw
from asympt.architectures.convolution.spectrum import Mode, averaging_eigenvalue
from asympt.architectures.convolution.transient import GUARD, MOST, ConvStart, first_state, mean
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.numbers import check_digits, to_mpf
from asympt.precise.convolution import ConvState, ConvStep
from asympt.recursions.agreement import Route, agreed, two_routes
from asympt.recursions.coordinates.abel_linear import Character
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.orbits.matching import MOST_FORGETTING
from asympt.recursions.protocol import Dynamics, LinearPart


@dataclass(frozen=True)
class Wave:
    """d_j ~ D_j eigenvalue^l l^(-power): everything but the amplitude D_j, which depends on the start."""

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

    @cached_property
    def dynamics(self) -> Dynamics:
        """The dense orbit with h along it: a' = nu a."""
        dense, weight = self.law.dynamics, self.weight

        def multiplier(count: int) -> list[Expr]:
            """nu = 1 + weight (f_delta' - 1); gamma' = gamma sum r_k t^k has the slope sum (1 + k/root) r_k t^k."""
            ratio = dense.ratio(count)
            return [Integer(1), *(weight * (1 + Rational(k, dense.root)) * ratio[k] for k in range(1, len(ratio)))]

        exponent = self.power * order_of(dense)
        character = Character(order_of(dense), exponent)
        linear = LinearPart(multiplier, _nothing, start=lambda gap: mp.one, character=character)
        return replace(dense, linear=linear)

    def amplitude(self, digits: int = 30, **start):
        """D_j = lim d_j mu_j^(-l) l^p, a complex number, d_j = (1/M) sum_alpha (1 - c_alpha) exp(-2 pi i j alpha/M).

        The start is that of the law (`correlation` or `gap`).  Raises `UnsupportedError` where products of slower modes
        overtake the mode, `PrecisionError` where the digits cannot be certified.
        """
        given, digits = self.law._start(start), check_digits(digits)
        self._require_own()
        if given.first is not None:
            raise UnsupportedError("with variances of their own positions are driven by these too; leave variance out")

        def pair(extra: int) -> list:
            return [self._at(given, route) for route in two_routes(self._length(digits + extra), digits + 5 + extra)]

        return agreed(pair, digits, "two readings of the amplitude", "ask for fewer digits")

    def _require_own(self) -> None:
        if not self.law.spectrum.is_own(self.mode.index):
            raise UnsupportedError(
                f"mode {self.mode.index} with eigenvalue {self.eigenvalue} is overtaken by products of slower modes "
                "(or vanishes), so it has no amplitude of its own; ask for the slowest mode, waves(law)[0]"
            )

    def _length(self, digits: int) -> int:
        return Abel(self.law.dynamics).series_length(digits)

    def _at(self, start: ConvStart, route: Route):
        """By one route: follow the vector until d_j/(mu_j^l h) stands still, then the mean to the coordinate."""
        layers = ceil(self._patience(route.digits)) + route.later
        with mp.workdps(self._precision(layers, route.digits)):
            state = _followed(self.law, start, layers, mp.dps)
            value = fourier(state.gap, self.mode.index) / to_mpf(self.eigenvalue) ** state.layer
            with mp.workdps(route.digits + GUARD):
                return +value * _power_factor(self, mean(state.gap), route)

    def _patience(self, digits: int) -> float:
        """Layers until what feeds the mode is below 10^-digits of it."""
        spectrum, own = self.law.spectrum, abs(self.mode.size)
        second = max(spectrum.fed(self.mode.index) / own, max(spectrum.rates) ** 2)
        layers = 3 + (digits + 8) / -log10(second) if second else 3
        if layers * spectrum.positions > MOST:
            raise PrecisionError(f"the amplitude would need about {layers:.0f} layers; ask for fewer digits")
        return layers

    def _precision(self, layers: int, digits: int) -> int:
        return ceil(digits + 2 * GUARD - layers * log10(abs(self.mode.size)) + 3 * log10(layers + 10))


def _nothing(count: int) -> list[Expr]:
    return [Integer(0)] * count


def waves(law: ConvLaw) -> tuple[Wave, ...]:
    """One entry for every pair of modes +-j with an amplitude of its own, the slowest first.

    >>> from asympt.architectures.convolution.network import ConvNet
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


def fourier(values, index: int):
    """(1/M) sum_alpha values_alpha exp(-2 pi i j alpha/M)."""
    size = len(values)
    phases = [mp.expjpi(-mp.mpf(2 * index * place) / size) for place in range(size)]
    return mp.fsum(phase * value for phase, value in zip(phases, values, strict=True)) / size


@lru_cache(maxsize=64)
def _followed(law: ConvLaw, start: ConvStart, layers: int, digits: int) -> ConvState:
    with mp.workdps(digits):
        state, step = first_state(start), ConvStep(law.layer)
        while state.layer < layers:
            state = step(state)
    return state


def _power_factor(wave: Wave, gap, route: Route):
    """lim h(t_l) l^p / h(t_n), from the gap of layer n, by way of a layer N within reach of the series."""
    numeric, dense = Abel(wave.dynamics).numeric(route.last, route.digits), wave.law.dynamics
    edge, _ = numeric.edge(gap, route)
    slope, weight, product = slope_of(wave.law), to_mpf(wave.weight), mp.one
    for _ in range(MOST_FORGETTING):
        tau = numeric.enter(gap)
        if tau <= edge:
            front = numeric.homogeneous_series[1][0] * numeric.abel[0] ** to_mpf(wave.power)
            return product * front / numeric.homogeneous(tau)
        product, gap = product * (1 - weight * (1 - slope(gap))), dense.step((gap,))[0]
    raise PrecisionError("the series of the mean's law is not within reach; ask for fewer digits")


def slope_of(law: ConvLaw):
    """gap -> the derivative of one layer where all positions are alike."""
    step = ConvStep(law.layer)
    branch_share = to_mpf(law.layer.dense.branch_share)
    return lambda gap: 1 - branch_share + branch_share * step.map.gap_slope(gap)
