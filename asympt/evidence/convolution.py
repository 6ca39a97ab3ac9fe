"""The checks of a law of a convolutional network: the law of its mean, its modes, and numbers at depth.

The start is c^1_alpha = ((7 alpha^2 + 3 alpha + 1) mod 19)/20, different at neighbouring positions (1/20, 11/20, 16/20
for M = 3); every sum over the filter is written out (`precise.dense`).  C and D must be constant for the mean;
a mode obeys d_j(l+1)/d_j(l) = mu_j - delta lambda_j (1 - f') + O(d^2).  Once the positions agree in all digits that are
carried, one of them is followed.  Modes that products of slower ones overtake are not checked.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace
from math import ceil, log10

import numpy as np
from mpmath import mp, mpf
from sympy import Expr, Rational

from asympt.architectures.convolution import AlongPositions, mean, spectrum, spread_of
from asympt.architectures.residual import exponent
from asympt.depth.convolution import conv_pairs
from asympt.errors import PrecisionError
from asympt.evidence import growing
from asympt.evidence.check import Check, Effort, Work, rate_check, telling
from asympt.evidence.law_terms import CoordinateTerms, evaluation_check, is_slow, kept
from asympt.evidence.network import first_accurate
from asympt.evidence.orbits.constancy import Orbit, checks_along
from asympt.evidence.symbolic.checks import coordinate_checks
from asympt.meanfield.layer import ConvStatement
from asympt.numbers import to_mpf
from asympt.precise.dense import ConvState, ConvStep, filtered

EIGENVALUE_DIGITS = 40
FADING_DIGITS = 12
LATER = (1.0, 1.5, 2.25, 3.0)  # layers at which C is read in float64, in units of the first
MOST_LAYERS = 34_000
LATEST = MOST_LAYERS // 5  # the layer at which C is read wherever the orbit is
GUARD = 25  # digits beyond those requested
MOST = 400_000  # positions times layers
DEEPEST = 50_000  # layers iterated in float64
TRANSIENT = (5, 15, 40)  # and off the Edge of Chaos
FLOAT_BOUND, ROUGH_BOUND = 1e-11, 1e-9
COARSE = 8


def symbolic_checks(law) -> list[Check]:
    """The law that the mean obeys, with the expansion that this law prints, and the eigenvalues of the averaging."""
    if isinstance(law.coordinate, AlongPositions):
        return growing.symbolic_checks(law.coordinate.of)
    return [*coordinate_checks(replace(law.dense, expansion=law.expansion)), eigenvalue_check(law)]


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """Every check in numbers; where the variances move the map, that positions become alike, and the dense law's."""
    if isinstance(law.coordinate, AlongPositions):
        yield "convergence of the positions", lambda: [alike_check(law)]
        yield from growing.numeric_checks(law.coordinate.of, effort)
        return
    if is_slow(law.dense):
        yield "C in float64", lambda: [float_constancy(law)]
    else:
        yield "constancy of C and D", lambda: constancy_checks(law, effort.digits)
        yield "decay of the differences", lambda: fading_checks(law)
    yield "float64 at depth", lambda: depth_checks(law, effort.depth, effort.report)


def eigenvalue_check(law) -> Check:
    """keep + the mean over the filter applied to cos(2 pi j alpha/M), against the stated eigenvalue."""
    size, reach = law.layer.positions, law.layer.reach
    with mp.workdps(EIGENVALUE_DIGITS + 5):
        w, worst = to_mpf(law.layer.dense.branch_share), mpf(0)
        for mode in (law.spectrum.modes[0], *law.modes):
            wave = [mp.cospi(mpf(2 * mode.index * place) / size) for place in range(size)]
            image = [(1 - w) * a + w * b for a, b in zip(wave, filtered(wave, reach), strict=True)]
            value = to_mpf(mode.eigenvalue)
            worst = max(worst, *(abs(b - value * a) for a, b in zip(wave, image, strict=True)))
        bound = mpf(10) ** -EIGENVALUE_DIGITS
    name = f"the {len(law.spectrum.modes)} eigenvalues of the averaging, each checked on its mode"
    return Check.measured(name, worst, bound)


def fading_checks(law) -> list[Check]:
    """One check for the slowest mode and for each that keeps a rate of its own."""
    own = [mode for mode in law.modes if law.spectrum.is_own(mode.index)]
    if not own:  # all eigenvalues but the first vanish: positions agree from layer 2 on
        with mp.workdps(30):
            state = ConvStep(law.layer)(begun(generic_start(law.layer.positions)))
            figure = spread_of(state.gap) / mean(state.gap)
        return [Check.measured("relative difference between positions in layer 2", figure, mpf(10) ** -25)]
    return [_fading(law, mode) for mode in sorted(own, key=lambda mode: -abs(mode.size))[:2]]


def _fading(law, mode) -> Check:
    """d_j(l+1)/d_j(l) in two layers, from where on what feeds the mode is too small to be seen."""
    own = abs(mode.size)
    fed = max(law.spectrum.fed(mode.index) / own, max(law.spectrum.rates) ** 2)
    first = 4 if fed == 0 else 4 + int((FADING_DIGITS + 4) / -mp.log10(fed))
    layers = (first, first + 7)
    with mp.workdps(FADING_DIGITS + 20 + int(layers[1] * -mp.log10(own))):
        figures = [_ratio_defect(law, mode, layer) for layer in layers]
        figure, bound = max(figures), mpf(10) ** -FADING_DIGITS
    name = f"mode {mode.index} of the differences is multiplied by {mode.eigenvalue} and the slope of $f$ in each layer"
    detail = f"layers {layers[0]} and {layers[1]}, {law.layer.positions} positions"
    return Check.measured(name, figure, bound, detail)


def _ratio_defect(law, mode, layer: int):
    """|d_j(l+1)/(d_j(l) (mu_j - delta lambda_j (1 - f')))| - 1, f' at the mean."""
    step, first = ConvStep(law.layer), begun(generic_start(law.layer.positions))
    state, following = kept(step, first, (layer, layer + 1)).values()
    branch_share = to_mpf(law.layer.dense.branch_share)
    bare = (to_mpf(mode.eigenvalue) - (1 - branch_share)) / branch_share
    expected = 1 - branch_share + branch_share * bare * step.map.gap_slope(mean(state.gap))
    return abs(_coefficient(following.gap, mode.index) / _coefficient(state.gap, mode.index) / expected - 1)


def _coefficient(values, index: int):
    size = len(values)
    return mp.fsum(v * mp.expjpi(-mpf(2 * index * place) / size) for place, v in enumerate(values)) / size


def constancy_checks(law, digits: int) -> list[Check]:
    """C (and D), read off the mean over the positions, from where the series is accurate and the positions agree."""
    even, lost = layers_until_even(law, digits + 5), digits_lost(law, digits)

    def means() -> Generator[tuple[int, tuple], int | None, None]:
        """Layers, and what the dense law's recursion has there: the mean distance from the fixed point, the mean k."""
        centre = _centre(law)
        for state in along(law.layer, generic_start(law.layer.positions)):
            yield state.layer, (mean(state.gap) - centre, mean(state.kernel))

    orbit = Orbit(
        law.dense, means, digits, MOST_LAYERS, lambda layer, state: layer >= even, (GUARD + lost,), latest=LATEST
    )
    return checks_along(orbit, f"of the mean over {law.layer.positions} positions", "{} is constant")


def _later(law, first: int) -> set[int]:
    if law.koenigs is None:
        return {round(first * factor) for factor in LATER}
    decades = max(1, int(mp.ceil(-1 / mp.log10(abs(to_mpf(law.koenigs.multiplier))))))
    return {first + index * min(decades, first) for index in range(len(LATER))}


def _centre(law):
    fixed = law.dense.fixed
    return mpf(0) if fixed is None else to_mpf(fixed.point)


def depth_checks(law, depth: int, progress=None) -> list[Check]:
    """The float64 recursion from the generic vector against the law's own numbers, position by position."""
    positions, layers = law.layer.positions, _depths(law, depth)
    correlations, position = generic_start(positions), positions // 2
    gaps = np.array([1 - float(c) for c in correlations])
    report = telling(progress, f"float64 recursion to depth {layers[-1]}")
    seen = {}
    for layer in layers:
        gap, kernel = (float(part[position]) for part in conv_pairs(law.layer, gaps, layer, progress=report))
        seen[layer] = gap if law.linear is None else kernel / (layer if law.average else 1)
    bound = FLOAT_BOUND if law.dense.layer.is_scale_free else ROUGH_BOUND
    name = f"law against the float64 recursion of {positions} positions at depths {', '.join(map(str, layers))}"
    given = {"correlation": correlations, "position": position}
    return [evaluation_check(name, law, seen, 15, bound, f"position {position}", **given)]


def _depths(law, depth: int) -> list[int]:
    """Three depths: up to the greatest on the Edge of Chaos, elsewhere while there is still something to be seen."""
    if law.koenigs is not None:
        return sorted({min(depth, layer) for layer in TRANSIENT})
    deepest = min(depth, DEEPEST)
    return sorted({max(1, deepest // 100), max(1, deepest // 10), deepest})


def float_constancy(law) -> Check:
    """C = A(t_l) - l (or S(t_l)/chi^l) of the mean, read in float64 at four layers."""
    gaps = np.array([1 - float(c) for c in generic_start(law.layer.positions)])
    first = first_accurate(law.dense) if law.koenigs is None else layers_until_even(law, COARSE)
    layers = sorted(_later(law, max(first, layers_until_even(law, COARSE + 4))))
    with mp.workdps(30):
        coordinate, values = CoordinateTerms.of(law.dense), []
        for layer in layers:
            gap, kernel = conv_pairs(law.layer, gaps, layer)
            y = mpf(float(gap.mean())) - _centre(law)
            t = y ** (mpf(1) / law.dynamics.root)
            values.append(coordinate.constants(t, layer, (y, mpf(float(kernel.mean()))))[0])
        drift = max(abs(v - values[-1]) for v in values) / max(1, abs(values[-1]))
    bound = mpf(10) ** -COARSE * max(layers)
    name = f"$C = {coordinate.names[0]}$ of the mean over {law.layer.positions} positions is constant in float64"
    detail = f"layers {', '.join(map(str, layers))}; the map is a quadrature that takes seconds in mpmath"
    return Check.measured(name, drift, bound, detail)


def generic_start(positions: int) -> tuple[Expr, ...]:
    """Correlations in [0, 1) that differ from position to position."""
    return tuple(Rational((7 * place * place + 3 * place + 1) % 19, 20) for place in range(positions))


def begun(correlations) -> ConvState:
    """Layer 1 with equal variances."""
    values = tuple(to_mpf(c) for c in correlations)
    return ConvState(1, tuple(1 - c for c in values), values)


def along(statement: ConvStatement, correlations) -> Iterator[ConvState]:
    """Layers 1, 2, 3, ... at the precision that is current when a layer is requested; one position once all agree."""
    step, state, reach = ConvStep(statement), begun(correlations), statement.reach
    while True:
        yield state
        if reach and agrees(state.gap) and agrees(state.kernel):
            state, reach = ConvState(state.layer, state.gap[:1], state.kernel[:1]), 0
            step = ConvStep(replace(statement, positions=1, reach=0))
        state = step(state)


def agrees(values) -> bool:
    """Whether all entries are the same to the digits carried, but for the last few."""
    return spread_of(values) <= abs(values[0]) * mp.mpf(10) ** (4 - mp.dps)


def layers_until_even(law, digits: int) -> int:
    """About how many layers it takes until the positions agree to so many digits."""
    size = max((abs(mode.size) for mode in law.modes), default=0.0)
    layers = 2 if size == 0 else 2 + ceil(digits / -log10(size))
    if layers * law.layer.positions > MOST:
        raise PrecisionError(
            f"positions agree to {digits} digits only after about {layers} layers, too many in mpmath; ask for fewer "
            "digits or fewer positions"
        )
    return layers


def digits_lost(law, digits: int) -> int:
    """Digits to carry beyond those asked: off the Edge of Chaos the distance from c* shrinks while the gap does not."""
    if law.koenigs is None:
        return 0
    decades = -log10(abs(float(to_mpf(law.koenigs.multiplier))))
    return ceil(decades * (2 * layers_until_even(law, digits + 5) + 2 * digits / decades + 20))


ALIKE = (8, 16, 32)  # layers at which positions are compared


def alike_check(law) -> Check:
    """The spread of s/q over the positions, from the generic start, falls as fast as it must.

    Like the power that the law's remainder counts with where phi is bounded, else geometrically: like l^(-2) at least.
    """
    conv = law.coordinate.conv
    size = conv.positions
    with mp.workdps(15):
        ones = (mpf(1),) * size
        start = begun(generic_start(size))._replace(first=ones, second=ones)
        left = [spread_of(state.gap) for state in kept(ConvStep(conv), start, ALIKE).values()]
        rate, shown = mpf(2), 2
        if law.coordinate.says_limit_and_power:
            slowest = spectrum(size, conv.reach).slowest
            rate = 1 - (to_mpf(slowest.eigenvalue) * (1 - to_mpf(exponent(conv.dense))) if slowest else 0)
            shown = mp.nstr(rate, 4)
        where = f"layers {', '.join(map(str, ALIKE))}, {size} positions"
        return rate_check("the correlations at all positions converge to each other", left, rate, shown, where)
