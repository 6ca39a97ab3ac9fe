"""Random networks of finite width against the layer recursion: is the recursion that of the network?

NNGP kernel and NTK of layer L are extrapolated from two or more widths to infinite width, and every entry is compared
with the recursion in float64; the figure is the largest difference in standard errors.  A bias below 2 standard errors
is not seen, so the bound is 2 more than the quantile of Student's t that any entry exceeds with a probability of 1e-4.
Differences below the standard error, and great depths, are out of reach.
"""

from collections.abc import Callable

import numpy as np
from mpmath import mp, mpf
from scipy.special import stdtrit

from asympt.architectures.registry import random_network
from asympt.arrays import real_array, whole
from asympt.blocks.nodes import every_node
from asympt.depth import gram
from asympt.depth.convolution import conv_gram
from asympt.depth.finite import empirical_kernels
from asympt.depth.finite.kernels import SHOWS, covariances
from asympt.errors import InputError
from asympt.evidence.check import Check, Verification, telling
from asympt.evidence.law_terms import kept
from asympt.meanfield.layer import Statement
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep

DEPTH, WIDTHS, MOST = 4, (128, 256), 20_000
ERROR, OF_PIXELS = 0.01, 0.05  # of the diagonal; convolutional networks cost more
DOUBT = 1e-4
CHANNELS = 3
WIDTH, NETWORKS, SEED, LAYERS, CORRELATION = 512, 16, 2020, 3, 0.5  # of the networks for one law


def referee(
    net, X=None, depth: int = DEPTH, *, widths: tuple[int, ...] = WIDTHS, standard_error: float | None = None,
    most_seeds: int = MOST, seed: int = 0, workers: int = 1, progress: Callable[[str, int, int], None] | None = None,
) -> Verification:
    """Compare the layer recursion of any network with random networks of finite width.

    Parameters
    ----------
    net : FeedForward, ResNet, ScaledResNet, BlockResNet, ConvNet, ConvResNet, MLP, or a network of blocks, with numbers
        in it.
    X : inputs, shape (N, d), or (N, channels, M) for a convolutional network; two inputs of different norms when left
        out.
    depth : L, the layer that is compared.
    widths, standard_error, most_seeds, seed, workers : as in `asympt.depth.finite.empirical_kernels`; standard_error
        is relative to the diagonal (left out: 0.01, or 0.05 for a convolutional network).
    progress : called as progress(what, done, total).

    The verdict is 'checked' or 'refuted'.  Raises `InputError` for bad input, `PrecisionError` when `most_seeds`
    networks do not reach the standard error.

    >>> from asympt.architectures import ResNet
    >>> referee(ResNet("relu"), depth=3, widths=(64, 128), standard_error=0.02).verdict
    'checked'
    """
    random = random_network(net)
    depth = whole(depth, "depth", "the layer that is compared")
    X = inputs_for(net, seed) if X is None else real_array(X, "X")
    if standard_error is None:
        standard_error = OF_PIXELS if random.spatial else ERROR
    seen = empirical_kernels(
        random, X, depth, widths=_widths(widths), standard_error=standard_error, most_seeds=most_seeds,
        seed=seed, workers=workers, progress=telling(progress, "random networks"),
    )  # fmt: skip
    found = ("NNGP kernel", seen.nngp, seen.nngp_error), ("NTK", seen.ntk, seen.ntk_error)
    kernels = zip(found, recursion_kernels(net, X, depth), strict=True)
    checks = tuple(_check(*one, wanted, seen) for one, wanted in kernels)
    return Verification(f"the layer recursion of {type(net).__name__} is that of random networks", checks)


def inputs_for(net, seed: int) -> np.ndarray:
    """Two inputs of different norms that are not parallel; with channels and positions for a convolutional network."""
    positions = positions_of(net)
    shape = (2, CHANNELS, *positions) if positions else (2, 4)
    found = np.random.default_rng(seed).standard_normal(shape)
    found[1] *= 0.7
    return found


def positions_of(net) -> tuple[int, ...]:
    """The positions of inputs in every direction; () without convolutions."""
    found = [node.positions for node in every_node(getattr(net, "blocks", ())) if node.is_convolution]
    if found or net.statement is None or net.statement.is_dense:
        return found[0] if found else ()
    return (net.statement.positions,)


def recursion_kernels(net, X: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(NNGP kernel, NTK) of layer L by the recursion; pixels in the places of inputs for a convolutional network."""
    if not positions_of(net):
        return gram(net, X, depth=depth)
    return tuple(_by_pixels(kernel) for kernel in conv_gram(net, X, depth))


def _by_pixels(kernel: np.ndarray) -> np.ndarray:
    """(N P, N P) of (N, N, P, P); behind a readout there are inputs alone."""
    if kernel.ndim == 2:
        return kernel
    inputs, _, positions, _ = kernel.shape
    return kernel.transpose(0, 2, 1, 3).reshape(inputs * positions, inputs * positions)


def _widths(widths) -> tuple:
    try:
        return tuple(widths)
    except TypeError:
        raise InputError(f"widths = {widths!r} is not a list of widths; give several, such as (64, 128)") from None


def _check(name: str, found, error, wanted, seen) -> Check:
    """The largest difference of an entry in standard errors."""
    if found.shape != wanted.shape:
        raise InputError(f"the {name} of random networks has shape {found.shape}, the recursion's {wanted.shape}")
    figure = np.max(np.abs(found - wanted) / error)
    entries = found.shape[0] * (found.shape[0] + 1) // 2
    bound = SHOWS + stdtrit(min(seen.networks) - 1, 1 - DOUBT / (2 * entries))
    size = float(np.max(error / np.sqrt(np.outer(wanted.diagonal(), wanted.diagonal()))))
    detail = (
        f"{' and '.join(map(str, seen.networks))} networks of width {' and '.join(map(str, seen.widths))}, "
        f"extrapolated where the bias shows; standard error at most {size:.2%} of the diagonal, {entries} entries"
    )
    title = f"the {name} in random networks: largest difference in standard errors"
    return Check.measured(title, figure, bound, detail)


def random_checks(law, progress=None) -> list[Check]:
    """The correlations (for a variance law: the variances) of the first layers of random networks."""
    with mp.workdps(20):  # at the fixed point of the variance; away from it for the variance's own law
        start, layer = mpf(1), law.layer
        if law.of_variance and layer.is_plain and law.fixed is not None and law.fixed.point != 0:
            start = 2 * to_mpf(law.fixed.point)
        elif not law.of_variance and layer.is_plain and not layer.is_scale_free:
            start = to_mpf(layer.layer.fixed_variance)
    name, at = ("the variance", 0) if law.of_variance else ("the correlation", 1)
    expected = _states(law.layer, start)[:, at]
    report = telling(progress, "random networks")
    drawn = covariances(law.layer, float(start), CORRELATION, LAYERS, WIDTH, NETWORKS, SEED, report)
    seen, error = _seen(drawn, law.of_variance)
    figure = np.max(np.abs(seen - expected) / error)
    bound = stdtrit(NETWORKS - 1, 1 - DOUBT / (2 * LAYERS))
    title = f"{name} in {NETWORKS} random networks of width {WIDTH}: largest deviation in standard errors"
    detail = (
        f"layers 2 to {LAYERS + 1}, standard error at most {np.max(error / np.abs(expected)):.1%}; a right map exceeds "
        f"the bound with probability {DOUBT:g}; shows the map of one layer, nothing near c = 1 or at great depth"
    )
    return [Check.measured(title, figure, bound, detail)]


def _seen(found: np.ndarray, of_variance: bool) -> tuple[np.ndarray, np.ndarray]:
    """q of the first input, or c of the mean covariance, in every layer; standard errors by the jackknife."""

    def number(k: np.ndarray) -> np.ndarray:
        return k[..., 0, 0] if of_variance else k[..., 0, 1] / np.sqrt(k[..., 0, 0] * k[..., 1, 1])

    count, total = len(found), found.sum(axis=0)
    left_out = number((total - found) / (count - 1))
    return number(total / count), np.sqrt((count - 1) * left_out.var(axis=0))


def _states(statement: Statement, variance) -> np.ndarray:
    """(variance, correlation) in the first layers after the first, by the statement in mpmath."""
    with mp.workdps(8):  # of which random networks show three or four
        start = (1, variance, variance, 1 - mpf(CORRELATION), mpf(0))
        states = kept(DenseStep(statement), start, range(2, LAYERS + 2)).values()
        return np.array([(float(state[1]), float(1 - state[3])) for state in states])
