"""The NNGP kernel and the NTK of random networks of finite width, to a standard error, and at infinite width.

    quantity              shape                          in
    "nngp"                (depth, N, N)                  every network; layer l at index l - 1
    "ntk"                 (N, N)                         every network; last layer, mean over output neurons
    "between"             (N, N)                         `Layered`: NTK between different output neurons
    "below"               (N, N)                         `Layered`: share of all layers but the last in the NTK
    "weights", "biases"   (depth, N, N)                  `Layered`: shares of the layers in the NTK
    "U", "readout"        (1, N, N)                      `Block`: shares of U and of w
    "V", "W"              (depth - 1, N, N)              `Block`: shares of the blocks
    "delta"               (depth, N, N)                  `Block`: delta^(l).delta^(l)', l = 0, ..., depth - 1

Convolutional networks have pixels a M + alpha in the places of inputs a: N M instead of N.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from asympt.arrays import finite_array, real, whole
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.finite.estimate import Estimate, Plan, amplification, averaged, limit
from asympt.depth.parsing import depth_of, progress_of, workers_of
from asympt.errors import InputError

LARGE = 1e70  # the fourth power, and as much again for the growth with depth, is a float64
DEEPEST = 10_000  # layers of a random network: all are held for the backward pass


@dataclass(frozen=True)
class EmpiricalKernels:
    """What random networks say: `quantities` by name (module table), `widths` and the networks drawn at each."""

    quantities: dict[str, Estimate]
    widths: tuple[int, ...]
    networks: tuple[int, ...]

    @property
    def nngp(self) -> np.ndarray:
        """The covariance of the last layer's preactivations."""
        return self.quantities["nngp"].mean[-1]

    @property
    def nngp_error(self) -> np.ndarray:
        """Its standard error."""
        return self.quantities["nngp"].error[-1]

    @property
    def ntk(self) -> np.ndarray:
        """The NTK of the last layer."""
        return self.quantities["ntk"].mean

    @property
    def ntk_error(self) -> np.ndarray:
        """Its standard error."""
        return self.quantities["ntk"].error


@in_budget("drawing random networks", UNLIMITED)
def empirical_kernels(
    network,
    X,
    depth: int,
    *,
    width: int = 1024,
    widths: tuple[int, ...] | None = None,
    standard_error: float | None = None,
    most_seeds: int = 1000,
    seed: int = 0,
    outputs: int = 4,
    explicit: bool | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> EmpiricalKernels:
    """Kernels of random networks: means, standard errors, at one width or extrapolated from several.

    Parameters
    ----------
    network : Dense, Residual, ScaledResidual, Block, Convolution, ResidualConvolution or Composition.
    X : inputs, shape (N, d), or (N, channels, M) for a convolutional network, (N, channels, M, M') for one on a torus.
    depth : L, the layer whose NTK is wanted.
    width : n, neurons (channels) of every layer, to 4096; `widths`, several, for the extrapolation in 1/n.
    standard_error : at most this for every entry of both kernels of layer L, relative to sqrt(K_ii K_jj); None: draw
        `most_seeds` networks at each width and say what error that gives.
    most_seeds : the most networks at a width.
    outputs : how many output neurons the NTK is averaged over.
    explicit : True, hold every weight (4 n^2 bytes a matrix and network); False, reveal the weights only in the
        directions that the passes ask for, which is the same in distribution; None, the cheaper one.
    workers : processes; the result does not depend on it.  progress : called as ``progress(networks done, of about)``.

    Raises
    ------
    InputError : shapes, a width below `outputs`, fewer than 2 networks, a standard error that is not positive.
    PrecisionError : a standard error not reached with `most_seeds` networks; the message says which one was.

    With `explicit` weights a batch holds `depth` (Block: 2 `depth`) matrices of 4 n^2 bytes: 64 MB each at n = 4096.

    Source: HDR = Hayou, Doucet and Rousseau (2020), section 2; NTK at finite width: Jacot et al. (2018).

    >>> from asympt.depth.finite import Dense
    >>> found = empirical_kernels(Dense("relu", sigma_w="sqrt(2)"), [[1.0, 0.0], [0.0, 2.0]], 2, most_seeds=200)
    >>> bool(abs(found.ntk[0, 1] - 2 / np.pi) < 4 * found.ntk_error[0, 1])
    True
    """
    X, depth, workers = _inputs(network, X), depth_of(depth, DEEPEST), workers_of(workers)
    widths, seed = _widths(width, widths), whole(seed, "seed", "a seed, 0 or more", least=0)
    outputs = whole(outputs, "outputs", "a number of output neurons")
    _check(widths, outputs, most_seeds, standard_error)
    found, report = [], progress_of(progress)
    target = None if standard_error is None else standard_error / amplification(list(widths))
    for at, n in enumerate(widths):
        plan = Plan(network, X, depth, n, outputs, _is_explicit(explicit, network, X, n, outputs), seed)
        found.append(averaged(plan, target, most_seeds, workers, _shifted(report, at, len(widths), most_seeds)))
    names = found[0].estimates()
    estimates = [sums.estimates() for sums in found]
    quantities = {name: limit(list(widths), [e[name] for e in estimates]) for name in names}
    return EmpiricalKernels(quantities, widths, tuple(sums.networks for sums in found))


def _shifted(report, at: int, count: int, most: int):
    """The progress of width number `at` of `count`, each counted as its own part of the whole."""
    if report is None:
        return None
    furthest = 0  # the expected total may grow, what was reported as done stays done

    def shifted(done: int, total: int) -> None:
        nonlocal furthest
        furthest = max(furthest, round(done * most / total))
        report(at * most + furthest, count * most)

    return shifted


def _is_explicit(explicit: bool | None, network, X, width: int, outputs: int) -> bool:
    if explicit is not None:
        return explicit
    return width < 4 * network.columns(X, outputs)


def _inputs(network, X) -> np.ndarray:
    if not hasattr(network, "columns"):
        raise InputError(f"network = {network!r} is no random network; give one of finite, such as Dense('relu')")
    array = finite_array(X, "X")
    if array.ndim != 2 + network.spatial or 0 in array.shape:
        wanted = ("(N, d)", "(N, channels, M)", "(N, channels, M, M')")[network.spatial]
        raise InputError(f"X has shape {array.shape}; give inputs of shape {wanted}, none of them 0")
    sizes = np.abs(array).reshape(len(array), -1).max(axis=1)
    beyond = np.flatnonzero((sizes > LARGE) | ((sizes > 0) & (sizes < 1 / LARGE)))
    if beyond.size:
        raise InputError(
            f"input {int(beyond[0])} has the size {sizes[beyond[0]]:.3g}, and the squares of its kernels leave the "
            f"float64 range from layer 1 on; give inputs of sizes from {1 / LARGE:.0e} to {LARGE:.0e}"
        )
    return array


def _widths(width, widths) -> tuple[int, ...]:
    """One width, or several."""
    given = (width,) if widths is None else widths
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"widths = {given!r} is no list of widths; give several, such as (n, 2 n), or width alone")
    found = tuple(whole(n, "width", "a number of neurons") for n in given)
    if not found:
        raise InputError("widths is empty; give several, such as (n, 2 n), or width alone")
    return found


def _check(widths, outputs: int, most: int, target) -> None:
    if min(widths) < outputs:
        raise InputError(f"width = {min(widths)} is below the {outputs} output neurons; give a larger width")
    if len(set(widths)) < len(widths):
        raise InputError(f"widths = {widths} has one twice; give different widths, such as (n, 2 n)")
    if whole(most, "most_seeds", "a number of networks, at least 2") < 2:
        raise InputError(f"most_seeds = {most} gives no standard error; give at least 2 networks")
    if target is not None and not real(target, "standard_error") > 0:
        raise InputError(f"standard_error = {target} is not positive; give a relative error such as 0.01, or None")
