"""Progress, and blocks of pairs in several processes (threads would hand Python's lock to each other).

The blocks of the first `AHEAD` seconds of a call run in this process: what takes no longer starts no other.
"""

import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from asympt.showing import Reporter

AHEAD = 2.0  # seconds before other processes are started
INTERVAL = 0.2  # seconds between two reports of progress


class Progress:
    """Calls `report(done, total)` at most every `INTERVAL` seconds, never from two threads at once.

    Without a `report` (None) a bar appears on a terminal after a while (`Reporter`); False asks for silence.
    """

    def __init__(self, report: Callable[[int, int], None] | bool | None, total: int):
        self.report, self.total, self.done = _shown(report), total, 0
        self._lock, self.start = threading.Lock(), time.monotonic()
        self._last = self.start

    def add(self, amount: float) -> None:
        """Count `amount` as done, and report it if it is time to."""
        if self.report is None:
            return
        with self._lock:
            self.done += amount
            if time.monotonic() - self._last >= INTERVAL and self.done < self.total:
                self._last = time.monotonic()
                self.report(int(self.done), self.total)

    def finish(self) -> None:
        """The last report: everything is done."""
        if self.report is not None:
            self.report(self.total, self.total)


def ticking(progress: Progress, pairs: int) -> Callable[[float], None]:
    """The function of a number of layers that counts them for so many pairs."""
    return lambda layers: progress.add(layers * pairs)


def _shown(report):
    if callable(report):
        return report
    if report is not None or not sys.stderr.isatty():
        return None
    bar = Reporter()

    def show(done: int, total: int) -> None:
        if done >= total or threading.current_thread() is not threading.main_thread():
            bar.close()
        else:
            bar("layers", done, total)

    return show


def run(blocks: Iterator[tuple[slice, Any]], workers: int, progress: Progress, keep: Callable) -> None:
    """`keep(part, gap, k)` for every block, in no particular order; `workers` = 1 stays in this process.

    A block has `gap`, `depth` and `run(tick)`, which gives (gap_L, k_L); `tick(layers)` is called as layers are done.
    """
    for part, block in blocks:
        if workers > 1 and time.monotonic() - progress.start >= AHEAD:
            return _in_processes(chain([(part, block)], blocks), workers, progress, keep)
        keep(part, *block.run(ticking(progress, block.gap.size)))
    return None


def _in_processes(blocks: Iterable[tuple[slice, Any]], workers: int, progress: Progress, keep: Callable) -> None:
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


def _solve(part: slice, block: Any) -> tuple:
    """One block in a worker process: its place, its result, and how many pairs times layers that was."""
    gap, kernel = block.run(lambda layers: None)
    return part, gap, kernel, gap.size * (block.depth - 1)
