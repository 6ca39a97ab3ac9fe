"""Blocks in several processes.

Problem.  One layer of a block is a dozen NumPy calls of a few microseconds each.  Threads spend that time handing
Python's lock to each other: two are slower than one.  Processes scale with the cores.

Rule.  joblib's loky processes take one block at a time; only a few are waiting, so memory stays small, and a
script that calls this needs no ``__main__`` guard.  Starting the processes takes about half a second, once.

Limits.  `workers` beyond the number of blocks (see `blocks.cut`) are not started; with several workers progress
comes a block at a time.
"""

import threading
import time
import warnings
from collections.abc import Callable, Iterable

from asympt.depth.blocks import PairBlock
from asympt.depth.general import GeneralBlock

INTERVAL = 0.2  # seconds between two reports of progress


class Progress:
    """Calls `report(done, total)` at most every `INTERVAL` seconds, never from two threads at once."""

    def __init__(self, report: Callable[[int, int], None] | None, total: int):
        self.report, self.total, self.done = report, total, 0
        self._lock, self._last = threading.Lock(), time.monotonic()

    def add(self, amount: int) -> None:
        """Count `amount` as done, and report it if it is time to."""
        if self.report is None:
            return
        with self._lock:
            self.done += amount
            if time.monotonic() - self._last >= INTERVAL and self.done < self.total:
                self._last = time.monotonic()
                self.report(self.done, self.total)

    def finish(self) -> None:
        """The last report: everything is done."""
        if self.report is not None:
            self.report(self.total, self.total)


def run(
    blocks: Iterable[tuple[slice, PairBlock | GeneralBlock]], workers: int, progress: Progress, keep: Callable
) -> None:
    """`keep(part, gap, k)` for every block, in no particular order; `workers` = 1 stays in this process."""
    if workers == 1:
        for part, block in blocks:
            keep(part, *block.run(lambda layers, size=block.gap.size: progress.add(layers * size)))
    else:
        from joblib import Parallel, delayed  # slow to import, and one process does without

        pool = Parallel(n_jobs=workers, return_as="generator_unordered")
        results = pool(delayed(_solve)(part, block) for part, block in blocks)
        try:
            for part, gap, kernel, work in results:
                keep(part, gap, kernel)
                progress.add(work)
        except BaseException:
            with warnings.catch_warnings(action="ignore"):  # joblib warns that it cancels what is left: so it should
                results.close()
            raise
    progress.finish()


def _solve(part: slice, block: PairBlock | GeneralBlock) -> tuple:
    """One block in a worker process: its place, its result, and how many pairs times layers that was."""
    gap, kernel = block.run(lambda layers: None)
    return part, gap, kernel, gap.size * (block.depth - 1)
