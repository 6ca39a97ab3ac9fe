"""The NNGP kernel and the NTK of random networks of finite width, to a standard error, and at infinite width.

    quantity              shape                          in
    "nngp"                (depth, N, N)                  every network; layer l at index l - 1
    "ntk"                 (N, N)                         last layer, mean over output neurons
    "between"             (N, N)                         the same between different output neurons
    "below"               (N, N)                         the share of all layers but the last in the NTK
    "weights"             (dense layers, N, N)           the share of every matrix, in the order of the forward pass
    "gradients"           (depth, N, N)                  products of the derivatives with respect to what layers return

Convolutional networks have pixels a M + alpha in the places of inputs a: N M instead of N.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from sympy import sqrt

from asympt.arrays import finite_array, real, whole
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.composed.layers import value_at
from asympt.depth.parsing import depth_of, progress_of, workers_of
from asympt.depth.stack import precise
from asympt.errors import InputError, PrecisionError
from asympt.meanfield.activations import Activation, activation

# ---- Gaussian weight matrices of many networks: drawn outright, or revealed in the directions that are needed ----
#
# `Revealed` keeps orthonormal bases Q of the columns seen on the right and P of those on the left, W Q and P^T W: a new
# direction q on the right has W q = P (P^T W q) + (I - P P^T) z, z a fresh standard normal vector, on the left
# likewise.  W itself in distribution (Bolthausen 2014, Commun. Math. Phys. 325), in O(n p^2) for p columns.


@dataclass(frozen=True)
class Nonlinear:
    """phi and phi' as functions of float64 arrays; at a breakpoint the right-hand value."""

    value: Callable
    slope: Callable


@lru_cache(maxsize=64)
def nonlinear(phi: Activation | str) -> Nonlinear:
    """phi and phi'; `UnsupportedError` when phi jumps, because phi' is then not a function.

    >>> import numpy as np
    >>> relu = nonlinear("relu")
    >>> relu.value(np.array([-1.0, 0.0, 2.0])).tolist(), relu.slope(np.array([-1.0, 0.0, 2.0])).tolist()
    ([0.0, 0.0, 2.0], [0.0, 1.0, 1.0])
    """
    phi = activation(phi)
    symbols = phi.expression.free_symbols - {phi.symbol}
    if symbols:
        raise InputError(f"activation {phi.name!r} holds {min(map(str, symbols))}; give numbers in its place")
    phi.require_ntk()
    return Nonlinear(phi.piecewise.vectorised, phi.piecewise.derivative().vectorised)


Array = np.ndarray


def pairings(columns: Array) -> Array:
    """The products of all pairs of columns, for every network: (networks, columns, columns)."""
    return np.swapaxes(columns, 1, 2) @ columns


class Drawn:
    """W of shape (networks, rows, columns), held; float32 unless an array is given.

    >>> w = Drawn(np.array([[[1.0, 2.0]]]))
    >>> w.times(np.array([[[3.0], [4.0]]])).tolist(), w.transposed(np.array([[[2.0]]])).tolist()
    ([[[11.0]]], [[[2.0], [4.0]]])
    """

    def __init__(self, entries: Array):
        self.entries = entries

    @classmethod
    def new(cls, random: np.random.Generator, networks: int, rows: int, columns: int) -> "Drawn":
        return cls(random.standard_normal((networks, rows, columns), dtype=np.float32))

    def times(self, right: Array) -> Array:
        """W H for H of shape (networks, columns, p), in float64."""
        return self._product(self.entries, right)

    def transposed(self, left: Array) -> Array:
        """W^T D for D of shape (networks, rows, p), in float64."""
        return self._product(np.swapaxes(self.entries, 1, 2), left)

    def _product(self, matrix: Array, columns: Array) -> Array:
        return (matrix @ columns.astype(self.entries.dtype)).astype(float)


class Revealed:
    """W of shape (networks, rows, columns), known in the directions requested so far.

    >>> w = Revealed(np.random.default_rng(0), 1, 5, 4)
    >>> h, d = np.ones((1, 4, 2)), np.ones((1, 5, 3))
    >>> seen, back = w.times(h), w.transposed(d)
    >>> bool(np.allclose(np.swapaxes(d, 1, 2) @ seen, np.swapaxes(back, 1, 2) @ h))
    True
    """

    def __init__(self, random: np.random.Generator, networks: int, rows: int, columns: int):
        self._random = random
        self._sides = (_SeenSide(networks, columns, rows), _SeenSide(networks, rows, columns))

    def times(self, right: Array) -> Array:
        return self._product(*self._sides, right)

    def transposed(self, left: Array) -> Array:
        return self._product(*reversed(self._sides), left)

    def _product(self, near: "_SeenSide", far: "_SeenSide", columns: Array) -> Array:
        known = near.basis.shape[2]
        basis = np.linalg.qr(np.concatenate([near.basis, columns], axis=2))[0]
        new = basis[:, :, known:]  # orthogonal to the old ones, even where columns depend on one another
        if new.shape[2]:
            fresh = self._random.standard_normal((new.shape[0], far.basis.shape[1], new.shape[2]))
            fresh += far.basis @ (np.swapaxes(far.image, 1, 2) @ new - np.swapaxes(far.basis, 1, 2) @ fresh)
            near.basis = np.concatenate([near.basis, new], axis=2)
            near.image = np.concatenate([near.image, fresh], axis=2)
        return near.image @ (np.swapaxes(near.basis, 1, 2) @ columns)


class _SeenSide:
    """An orthonormal `basis` of the directions seen on one side, and the `image` of each on the other side."""

    def __init__(self, networks: int, near: int, far: int):
        self.basis, self.image = np.zeros((networks, near, 0)), np.zeros((networks, far, 0))


ROUNDING = 1e-6
SHOWS = 2.0  # standard errors
SMALLEST = 1e-150  # the error of a quantity that is 0 in every network


@dataclass(frozen=True)
class Estimate:
    """A mean over `networks` and its standard error, entry by entry.

    >>> e = Estimate(np.array([1.0]), np.array([0.1]), 10)
    >>> e.deviation(np.array([1.3])).round(3).tolist()
    [3.0]
    """

    mean: Array
    error: Array
    networks: int
    extrapolated: bool = False

    def deviation(self, expected) -> Array:
        """|mean - expected| in standard errors."""
        return np.abs(self.mean - np.asarray(expected, dtype=float)) / self.error

    def part(self, key) -> "Estimate":
        """The same for some of the entries."""
        return Estimate(self.mean[key], self.error[key], self.networks, self.extrapolated)


class Sums:
    """Running sums of every quantity over networks."""

    def __init__(self):
        self.networks = 0
        self._sums: dict[str, tuple[Array, Array]] = {}

    def add(self, found: dict[str, Array]) -> None:
        """Another batch: arrays with networks on the first axis."""
        self.networks += len(next(iter(found.values())))
        for name, values in found.items():
            total, squares = self._sums.get(name, (0.0, 0.0))
            self._sums[name] = (total + values.sum(axis=0), squares + (values**2).sum(axis=0))

    def estimates(self) -> dict[str, Estimate]:
        """Mean and standard error of every quantity."""
        found, count = {}, self.networks
        for name, (total, squares) in self._sums.items():
            mean = total / count
            variance = np.maximum(squares - count * mean**2, 0.0) / (count - 1)
            found[name] = Estimate(mean, np.sqrt(variance / count + (ROUNDING * np.abs(mean) + SMALLEST) ** 2), count)
        return found


def limit(widths: list[int], estimates: list[Estimate]) -> Estimate:
    """The estimate at infinite width from one at each width.

    The line K + a/n through the means, weighted with 1/error^2, where some entry differs by more than
    2 standard errors (else the weighted mean); (depth/n)^2 of the value stays, roughly, and a bias too small to show:

        K = (S_xx S_y - S_x S_xy)/(S S_xx - S_x^2),     error^2 = S_xx/(S S_xx - S_x^2),     x = 1/n.

    >>> e = np.array([0.01])
    >>> found = limit([10, 20], [Estimate(np.array([1.2]), e, 9), Estimate(np.array([1.1]), e, 9)])
    >>> found.mean.round(12).tolist(), (found.error / e).round(3).tolist(), found.extrapolated
    ([1.0], [2.236], True)
    """
    if len(widths) == 1:
        return estimates[0]
    means = np.array([e.mean for e in estimates])
    errors = np.array([e.error for e in estimates])
    x = (1 / np.array(widths)).reshape(-1, *[1] * (means.ndim - 1))
    pairs = combinations(zip(means, errors, strict=True), 2)
    shows = any(np.any(np.abs(a - b) > SHOWS * np.hypot(e, f)) for (a, e), (b, f) in pairs)
    smallest = errors.min(axis=0)
    w = (smallest / errors) ** 2
    s, sx, sy, sxx, sxy = (np.sum(w * factor, axis=0) for factor in (1.0, x, means, x * x, x * means))
    scale = s * sxx - sx**2
    line, flat = (sxx * sy - sx * sxy) / scale, sy / s
    mean, error = (line, smallest * np.sqrt(sxx / scale)) if shows else (flat, smallest * np.sqrt(1 / s))
    return Estimate(mean, error, min(e.networks for e in estimates), shows)


def amplification(widths: list[int]) -> float:
    """error(K)/error(one width) of the line when all widths have the same error: sqrt(5) for (n, 2 n)."""
    x = 1 / np.array(widths)
    if len(widths) == 1:
        return 1.0
    return float(np.sqrt((x**2).sum() / (len(x) * (x**2).sum() - x.sum() ** 2)))


NUMBERS = 2**17  # float64 numbers in the columns of one batch: about what a cache holds
ROUND = 8  # batches between two looks at the standard error
FEWEST = 32  # networks before the standard error is believed


@dataclass(frozen=True)
class Plan:
    """One width: what a batch needs to know."""

    network: object
    X: np.ndarray
    depth: int
    width: int
    outputs: int
    explicit: bool
    seed: int

    @property
    def batch(self) -> int:
        columns = self.width if self.explicit else self.network.columns(self.X, self.outputs)
        return max(1, min(64, NUMBERS // (self.width * columns)))

    def run(self, at: int, networks: int) -> dict:
        """The quantities of batch number `at`."""
        random = np.random.Generator(np.random.SFC64(np.random.SeedSequence([self.seed, self.width, at])))
        matrix = Drawn.new if self.explicit else Revealed
        return self.network.sample(random, self.X, self.depth, self.width, networks, self.outputs, matrix)


def averaged(plan: Plan, target: float | None, most: int, workers: int, report) -> Sums:
    """Batches until the target is met; `PrecisionError` when `most` networks do not meet it."""
    sums = Sums()
    for results in _rounds(plan, most, workers):
        for found in results:
            sums.add(found)
            if report is not None:
                report(sums.networks, _expected(sums, target, most))
        if target is not None and sums.networks >= min(FEWEST, most) and _reached(sums) <= target:
            return sums
    if target is not None and _reached(sums) > target:
        raise PrecisionError(
            f"standard_error: {most} networks of width {plan.width} reach {_reached(sums):.2g} where {target:.2g} is "
            "needed; give more seeds (the error falls like 1/sqrt(seeds)) or request less"
        )
    return sums


def _rounds(plan: Plan, most: int, workers: int) -> Iterator[list[dict]]:
    starts = range(0, most, plan.batch)
    tasks = [(at, min(plan.batch, most - start)) for at, start in enumerate(starts)]
    for start in range(0, len(tasks), ROUND):
        part = tasks[start : start + ROUND]
        if workers == 1:
            yield (plan.run(*task) for task in part)
        else:
            from joblib import Parallel, delayed  # slow to import, and one process does without

            yield Parallel(n_jobs=workers, return_as="generator")(delayed(plan.run)(*task) for task in part)


def _reached(sums: Sums) -> float:
    if sums.networks < 2:
        return np.inf
    found = sums.estimates()
    relative = []
    for estimate in (found["nngp"].part(-1), found["ntk"]):
        root = np.sqrt(np.diag(estimate.mean))
        scale = np.outer(root, root)  # 0 for an input of zeros without bias, which is known exactly
        relative.append(np.max(np.divide(estimate.error, scale, out=np.zeros_like(scale), where=scale > 0)))
    return float(max(relative))


def _expected(sums: Sums, target: float | None, most: int) -> int:
    if target is None or sums.networks < 2:
        return most
    wanted = np.ceil(sums.networks * (_reached(sums) / target) ** 2)
    return int(min(most, max(sums.networks, wanted)))


WIDEST, LARGE = 2**20, 1e70  # neurons; a size whose fourth power, times growth with the depth, is a float64
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
    network, X, depth: int, *, width: int = 1024, widths: tuple[int, ...] | None = None,
    standard_error: float | None = None, most_seeds: int = 1000, seed: int = 0, outputs: int = 4,
    explicit: bool | None = None, workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> EmpiricalKernels:
    """Kernels of random networks: means, standard errors, at one width or extrapolated from several.

    Parameters
    ----------
    network : `finite()` of any network, such as ``FeedForward("relu").finite()``.
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

    Raises `InputError` for shapes, a width below `outputs`, fewer than 2 networks, a standard error that is not
    positive; `PrecisionError` for a standard error not reached with `most_seeds` networks; the message says which one
    was.

    Source: HDR = Hayou, Doucet and Rousseau (2020), section 2; NTK at finite width: Jacot et al. (2018).

    >>> from asympt.architectures import FeedForward
    >>> found = empirical_kernels(FeedForward("relu").finite(), [[1.0, 0.0], [0.0, 2.0]], 2, most_seeds=200)
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
        held = n < 4 * network.columns(X, outputs) if explicit is None else explicit
        plan = Plan(network, X, depth, n, outputs, held, seed)
        found.append(averaged(plan, target, most_seeds, workers, _shifted(report, at, len(widths), most_seeds)))
    estimates = [sums.estimates() for sums in found]
    quantities = {name: limit(list(widths), [e[name] for e in estimates]) for name in estimates[0]}
    return EmpiricalKernels(quantities, widths, tuple(sums.networks for sums in found))


def covariances(statement, variance: float, correlation: float, layers: int, width: int, networks: int, seed: int,
                progress: Callable[[int, int], None] | None = None) -> Array:  # fmt: skip
    """Sigma^2, Sigma^3, ... of two inputs in every network, their mean over the neurons: (networks, layers, 2, 2).

    z^1 is drawn from N(0, Sigma^1), which is exact, and phi may jump: there is no backward pass.
    """
    layer, roots = statement.layer, value_at(sqrt(statement.branch), np.arange(2, layers + 2), layers + 1)
    phi, found = layer.activation.piecewise.vectorised, np.empty((networks, layers, 2, 2))
    weight, bias = (float(precise(value)) ** 0.5 for value in (layer.weight_variance, layer.bias_variance))
    first = np.sqrt(variance) * np.array([[1.0, 0.0], [correlation, np.sqrt(1 - correlation**2)]])
    for done, stream in enumerate(np.random.SeedSequence(seed).spawn(networks)):
        random = np.random.default_rng(stream)
        z = random.standard_normal((width, 2)) @ first.T
        for at, root in enumerate(np.broadcast_to(roots, layers)):
            matrix = random.standard_normal((width, width), dtype=np.float32)
            branch = weight * root / np.sqrt(width) * (matrix @ phi(z).astype(np.float32)).astype(float)
            z = float(statement.skip) * z + branch + bias * root * random.standard_normal((width, 1))
            found[done, at] = z.T @ z / width
        if progress is not None:
            progress(done + 1, networks)
    return found


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


def _inputs(network, X) -> np.ndarray:
    if not hasattr(network, "columns"):
        raise InputError(f"network = {network!r} is not a random network; give finite() of one of this package")
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
    given = (width,) if widths is None else widths
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"widths = {given!r} is not a list of widths; give several, such as (n, 2 n), or width alone")
    found = tuple(whole(n, "width", "a number of neurons") for n in given)
    if not found:
        raise InputError("widths is empty; give several, such as (n, 2 n), or width alone")
    return found


def require_drawable(width: int) -> None:
    """`InputError` for networks that are too wide to draw."""
    if width > WIDEST:
        raise InputError(f"width = {width} is too wide to draw; give at most {WIDEST} neurons")


def _check(widths, outputs: int, most: int, target) -> None:
    if min(widths) < outputs:
        raise InputError(f"width = {min(widths)} is below the {outputs} output neurons; give a larger width")
    require_drawable(max(widths))
    if len(set(widths)) < len(widths):
        raise InputError(f"widths = {widths} contains the same width twice; give different widths, such as (n, 2 n)")
    if whole(most, "most_seeds", "a number of networks, at least 2") < 2:
        raise InputError(f"most_seeds = {most} gives no standard error; give at least 2 networks")
    if target is not None and not real(target, "standard_error") > 0:
        raise InputError(f"standard_error = {target} is not positive; give a relative error such as 0.01, or None")
