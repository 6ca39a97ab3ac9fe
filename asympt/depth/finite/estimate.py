"""Means over random networks, their standard errors, and what they say about infinite width.

Networks of width n have kernels K_n = K + a/n + O(1/n^2) in the mean.  The line through the means of several widths,
weighted with 1/error^2, gives K and, errors propagated,

    K = (S_xx S_y - S_x S_xy)/(S S_xx - S_x^2),     error^2 = S_xx/(S S_xx - S_x^2),     x = 1/n,

where some entry differs between two widths by more than 2 standard errors; else the weighted mean is taken.  The
O(1/n^2) stays, (depth/n)^2 of the value, roughly; so does a bias too small to show.  Errors have a floor of 1e-6 of the
value, for the rounding of float32 weights.  Batch number `at` of a plan is drawn from (seed, width, at), whoever draws.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from asympt.depth.finite.matrices import Drawn, Revealed
from asympt.errors import PrecisionError

Array = np.ndarray
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
            found[name] = Estimate(mean, np.sqrt(variance / count + _floor(mean) ** 2), count)
        return found


def limit(widths: list[int], estimates: list[Estimate]) -> Estimate:
    """The estimate at infinite width from one at each width.

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
    smallest, shows = errors.min(axis=0), _bias_shows(means, errors)
    w = (smallest / errors) ** 2
    s, sx, sy, sxx, sxy = (np.sum(w * factor, axis=0) for factor in (1.0, x, means, x * x, x * means))
    scale = s * sxx - sx**2
    line, flat = (sxx * sy - sx * sxy) / scale, sy / s
    mean, error = (line, smallest * np.sqrt(sxx / scale)) if shows else (flat, smallest * np.sqrt(1 / s))
    return Estimate(mean, error, min(e.networks for e in estimates), shows)


def _bias_shows(means: Array, errors: Array) -> bool:
    """Whether some entry differs between two widths by more than 2 standard errors."""
    for first in range(len(means)):
        for second in range(first):
            apart = np.hypot(errors[first], errors[second])
            if np.any(np.abs(means[first] - means[second]) > SHOWS * apart):
                return True
    return False


def amplification(widths: list[int]) -> float:
    """error(K)/error(one width) of the line when all widths have the same error: sqrt(5) for (n, 2 n)."""
    x = 1 / np.array(widths)
    if len(widths) == 1:
        return 1.0
    return float(np.sqrt((x**2).sum() / (len(x) * (x**2).sum() - x.sum() ** 2)))


def _floor(mean: Array) -> Array:
    return ROUNDING * np.abs(mean) + SMALLEST


# ---- batches of networks ---------------------------------------------------------------------------------------------

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
        """Networks in a batch."""
        columns = self.width if self.explicit else self.network.columns(self.X, self.outputs)
        return max(1, min(64, NUMBERS // (self.width * columns)))

    def run(self, at: int, networks: int) -> dict:
        """The quantities of batch number `at`."""
        random = np.random.Generator(np.random.SFC64(np.random.SeedSequence([self.seed, self.width, at])))
        matrix = Drawn if self.explicit else Revealed
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
            "needed; give more seeds (the error falls like 1/sqrt(seeds)) or ask for less"
        )
    return sums


def _rounds(plan: Plan, most: int, workers: int) -> Iterator[list[dict]]:
    """Rounds of batches, `most` networks in all."""
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
    """The largest standard error of the two kernels of the last layer, relative to the diagonal."""
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
    """About how many networks it will take."""
    if target is None or sums.networks < 2:
        return most
    wanted = np.ceil(sums.networks * (_reached(sums) / target) ** 2)
    return int(min(most, max(sums.networks, wanted)))
