"""Averages over random networks of one width, in batches, until a standard error is met.

Problem.  How many networks it takes is not known before; one process or many must give the same numbers.

Rule.  Batch number `at` of a plan has its own stream, seeded by (seed, width, at), so a network does not depend on who
draws it.  Batches come in rounds of eight; after a round the standard errors are looked at.

Tiny case.  most = 20 and batches of 8: 8, 8 and 4 networks, in this order whoever draws them.

Known limits.  Stopping when the error is small enough, not at a number fixed before, favours low errors by a hair;
many networks make that negligible.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from asympt.depth.finite.estimate import Sums
from asympt.depth.finite.matrices import Drawn, Revealed
from asympt.errors import PrecisionError

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
