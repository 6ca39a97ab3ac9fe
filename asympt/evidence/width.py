"""Laws of order 1/n: printed terms against the layers themselves, and the layers against random networks.

The layers are the recursions of `asympt.width` to first order in 1/n, followed to L, 2L and 4L.  If what is left there
beside the printed terms is l^(-m) (b log l + c), then r(l) = rest l^m has r(4L) - 2 r(2L) + r(L) = 0; an error d in the
leading coefficient, of l^p, leaves d L^(m+p) (4^(m+p) - 2^(1+m+p) + 1).  Constants and recursions share the moments of
one layer, which means over drawn neurons show to a percent.  Random networks of two widths know nothing of either:
floats that are passed forward and back.  No route sees what is of order 1/n^2.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from mpmath import mp, mpf
from scipy.special import stdtrit
from sympy import Integer, Rational

from asympt.blocks.primitives import activation, dense, serial
from asympt.depth.finite.composition import Composition
from asympt.depth.finite.kernels import SHOWS, Estimate, limit
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.evidence import theorem
from asympt.evidence.check import Check, Effort, Work
from asympt.evidence.law_terms import terms_of, value
from asympt.evidence.symbolic.checks import coordinate_checks
from asympt.numbers import to_mpf
from asympt.width.inputs import StartingPair, coordinates
from asympt.width.moments import two_inputs
from asympt.width.residual import ResidualBranch
from asympt.width.rules import LEAST, FloatNumbers, Rules
from asympt.width.sampling import Sampled, sampled

DEPTH, TIMES, DEEPER, DIGITS = 64, (1, 2, 4), 4, 15
OFF, GROWN, EXACT, LEFT = 0.02, 0.06, 1e-7, 1e-3  # of a coefficient, of what is bounded, exact, not settled yet
NOTHING = 1e-3  # the size of a quantity that is 0
LAYER, WIDTHS, NETWORKS, NEURONS, SEED, DOUBT = 6, (128, 256), 2000, 2**18, 2020, 1e-4
PAIR, SMALL = {"correlation": "1/5"}, {"variances": ("1/2", "1/2")}


def symbolic_checks(law) -> list[Check]:
    """Those of the coordinate of n Var[c^L]; other laws have none."""
    return [] if law.abel is None else coordinate_checks(law)


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The layers at three depths, the neurons of one, then random networks."""
    if law.abel is not None:
        yield "the layers, by means over neurons", lambda: [moments_check(law, effort.inputs or PAIR)]
        return
    start = effort.inputs or usual_start(law)
    yield "the layers, to first order in 1/n", lambda: [layers_check(law, start, effort.depth)]
    if not isinstance(law.reader(**start), ResidualBranch):
        yield "neurons of one layer", lambda: [neurons_check(law, start)]
    yield "random networks", lambda: [networks_check(law, start)]


def witness_check(law, start=None) -> Check:
    """There is one for n Var[c^L] alone: `UnsupportedError`."""
    if law.abel is not None:
        return theorem.witness_check(law, start)
    raise UnsupportedError(
        "random networks do not tell a coefficient of L from log(L) at depths where first order in 1/n holds for them"
    )


def usual_start(law) -> dict:
    """c^1 = 1/5 for two inputs, at the variance that has settled, or at 1/2."""
    pair = {} if law.layer is None or law.of.endswith("diagonal") else PAIR
    try:
        law.reader(**pair)
        return pair
    except InputError:
        return pair | SMALL


def layers_check(law, start: dict, deepest: int) -> Check:
    """The layers down to 4L = 256, and where what is left is still large there, to 1024; within a depth."""
    depth = max(2, min(DEPTH, deepest // TIMES[-1]))
    found = _layers_to(law, start, depth)
    if found.passed or _powers(law.expansion)[1] is None or DEEPER * TIMES[-1] * depth > deepest:
        return found
    try:
        deeper = _layers_to(law, start, DEEPER * depth)
    except PrecisionError:  # beyond float64
        return found
    if not deeper.passed and deeper.figure < found.figure / 2:  # an error of the coefficient would stay
        at = DEEPER * TIMES[-1] * depth
        raise UnsupportedError(f"the layers have not settled by L = {at}: {float(deeper.figure):.2g} is left")
    return deeper


def moments_check(law, start: dict) -> Check:
    """n Var[c^L] by its own recursion against the one of the covariances, whose moments are quadratures."""
    layer, gap = law.coordinate.layer, law.reader(**start)
    pair = StartingPair(layer, gap, (Integer(1), Integer(1)))
    depths = [DEPTH * times for times in TIMES]
    seen = [(float(law.evaluate(at, **start)), pair.variance("correlation", at)) for at in (2, *depths)]
    return Check.measured(
        "n Var[c^L] against the layers to first order in 1/n: largest relative difference",
        max(abs(one / two - 1) for one, two in seen), EXACT,
        f"{seen[-1][0]:.10g} against {seen[-1][1]:.10g} at L = {depths[-1]}, from {_told(start)}"
    )  # fmt: skip


def _layers_to(law, start: dict, depth: int) -> Check:
    """The error in the leading coefficient that the layers show, over the size of the quantity at these depths."""
    depths = [depth * times for times in TIMES]
    values = np.array([law.evaluate(at, **start) for at in depths])
    printed, (power, rest) = _printed(law, start, depths), _powers(law.expansion)
    off, bound = (values - printed)[-1], EXACT
    if rest is not None:
        scaled = (values - printed) * np.array(depths, float) ** rest
        total, bound = rest + power, OFF if law.expansion.terms else GROWN
        if not total:
            raise UnsupportedError("a few depths do not tell the coefficient of log(L) from what is left beside it")
        off = scaled @ (1, -2, 1) / (4**total - 2 ** (1 + total) + 1) / depth**total
    elif law.expansion.remainder is not None:
        bound = _settled(law.expansion, depths[-1])
    size = abs(values[-1]) / (depths[-1] if law.expansion.terms else depth) ** power
    figure = abs(off) / max(size, NOTHING)
    seen = ", ".join(f"{one:.6g} ({two:.6g} printed)" for one, two in zip(values, printed, strict=True))
    return Check.measured(
        "the layers to first order in 1/n: error of the leading coefficient, relative", figure, bound,
        f"{seen} at L = {', '.join(map(str, depths))}, from {_told(start)}"
    )  # fmt: skip


def _told(start: dict) -> str:
    return ", ".join(f"{name} = {given}" for name, given in start.items()) or "q"


def _printed(law, start: dict, depths: list[int]) -> np.ndarray:
    """The printed terms; where they know the limit of the correlation, it is that of this start."""
    known = {}
    if any(coefficient.free_symbols for _, coefficient in law.expansion.terms):
        near, far = (law.reader(**PAIR | start).limit("gap", at) for at in depths[1:])
        known = {"c_infty": mpf(1 - (2 * far - near))}  # what is left falls like 1/L
    with mp.workdps(DIGITS):
        terms = terms_of(law.expansion, known)
        if law.expansion.scale.base is not None:  # a constant, and powers of a rate
            terms = [(0, 0, c) for _, _, c in terms[:1]]
        return np.array([float(value(terms, at)) for at in depths])


def _powers(expansion) -> tuple[int, int | None]:
    """p of the leading term L^p (1 without terms: what does not grow), and m of a remainder L^-m, else None."""
    falls = expansion.scale.base is None and expansion.remainder is not None
    leading = -expansion.terms[0][0].order if expansion.terms else int(falls)
    return int(leading), int(expansion.remainder.monomial.order) if falls else None


def _settled(expansion, depth: int) -> float:
    """What the remainder rate^L L^power may leave at a depth; `UnsupportedError` where that is too much."""
    left = abs(float(to_mpf(expansion.scale.base))) ** depth * float(depth) ** expansion.remainder.monomial.logs
    if left > LEFT:
        raise UnsupportedError(f"the quantity settles too slowly: its remainder is {left:.1g} at L = {depth}")
    return LEFT


def _drawn_from(law, start: dict) -> StartingPair | ResidualBranch:
    """What networks are drawn from: two inputs, or the one of a residual network."""
    alone = "gap" in start or isinstance(law.reader(**start), ResidualBranch)
    return law.reader(**start if alone else PAIR | start)


def neurons_check(law, start: dict) -> Check:
    """Means and covariances of phi_a phi_b and phi'_a phi'_b behind layer 1, by drawn neurons, in standard errors."""
    pair = _drawn_from(law, start)
    rules, weight = Rules(pair.layer.activation.piecewise, FloatNumbers()), float(to_mpf(pair.layer.weight_variance))
    p, d, gap = rules.array(coordinates(Rational(4, 5), pair.variances))
    layer = two_inputs(rules, weight, p, d, gap)
    normals = np.random.default_rng(SEED).normal(size=(2, NEURONS))
    y = np.linalg.cholesky([[p + d, p - gap], [p - gap, p - d]]) @ normals
    (u, v), (a, b) = (f(y) for f in rules.functions[:2])
    seen = weight * np.stack([(u * u + v * v) / 2, (u * u - v * v) / 2, (u - v) ** 2 / 2, a * a, b * b, a * b])
    apart, size = seen - np.append(layer.image, layer.slopes)[:, None], abs(seen).mean(axis=1)
    rows = [(apart, 0, size), (apart[3:] ** 2, layer.fourth - layer.slopes**2, size[3:] ** 2)]
    rows += [(apart * apart[j], np.append(layer.noise[j], layer.mixed[j]), size * size[j]) for j in range(3)]
    z = [abs(x.mean(axis=1) - value) / (x.std(axis=1) / NEURONS**0.5 + EXACT * unit + LEAST) for x, value, unit in rows]
    return Check.measured(
        f"{NEURONS} neurons of layer 1: largest deviation of a mean or covariance from the moments, in standard errors",
        max(map(np.max, z)), SHOWS + stdtrit(NEURONS - 1, 1 - DOUBT / 2),
        f"c^1 = 1/5, variances {p + d:.4g} and {p - d:.4g}"
    )  # fmt: skip


def networks_check(law, start: dict) -> Check:
    """n Var or n (E - limit) in random networks of two widths, against the layers, in standard errors."""
    pair = _drawn_from(law, start)
    rows = [next(row for row in found if (row.of, row.what) == (law.of, law.what)) for found in _drawn(pair)]
    seen = [Estimate(np.array(row.sampled), np.array(row.error), NETWORKS) for row in rows]
    found = limit(list(WIDTHS), seen)
    shown = f"{float(found.mean):.5g} +- {float(found.error):.2g} against {rows[0].first_order:.5g} to first order"
    how = "extrapolated in 1/n" if found.extrapolated else "no bias seen"
    return Check.measured(
        f"{NETWORKS} random networks at each of the widths {' and '.join(map(str, WIDTHS))}: deviation of "
        f"{'n Var' if law.what == 'variance' else 'n (E - limit)'} from the layers in standard errors",
        found.deviation(rows[0].first_order), SHOWS + stdtrit(NETWORKS - 1, 1 - DOUBT / 2),
        f"{shown}, layer {LAYER}, from {_told(start)}; {how}"
    )  # fmt: skip


@lru_cache(maxsize=4)
def _drawn(inputs: StartingPair | ResidualBranch) -> list[list[Sampled]]:
    if isinstance(inputs, ResidualBranch):
        network = Composition((inputs.block,), dense(1))
    else:
        phi, *deviations = inputs.layer.deviations
        drawn = dense(*deviations)
        network = Composition((serial(activation(phi), drawn),), drawn)
    return [sampled(network, inputs, LAYER, width, NETWORKS, SEED) for width in WIDTHS]
