"""Blocks in several processes.

Problem.  One layer of a block is a dozen NumPy calls of a few microseconds each.  Threads spend that time handing
Python's lock to each other: two are slower than one.  Processes scale with the cores, but `multiprocessing` either
forks a process that may hold threads, or runs the user's script again unless it is guarded.
Rule.  Each worker is a fresh interpreter that reads blocks from its standard input and writes results to its
standard output, one at a time; a thread per worker feeds it from a common queue, so memory stays small and
fast workers take more blocks.  Starting one takes about half a second.
Limits.  `workers` beyond the number of blocks (see `blocks.cut`) are not started.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress

from asympt.depth.blocks import Block, iterate

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


def run(blocks: Iterable[tuple[slice, Block]], workers: int, progress: Progress, keep: Callable) -> None:
    """`keep(part, gap, k)` for every block, in no particular order; `workers` = 1 stays in this process."""
    if workers == 1:
        for part, block in blocks:
            keep(part, *iterate(block, _ticker(progress.add, block)))
    else:
        _run_in_processes(iter(blocks), workers, progress, keep)
    progress.finish()


def _ticker(add: Callable[[int], None], block: Block) -> Callable[[int], None]:
    """Counts layers of a block as pairs times layers."""
    return lambda layers: add(layers * block.gap.size)


def _run_in_processes(blocks, workers: int, progress: Progress, keep) -> None:
    lock, children = threading.Lock(), [_start() for _ in range(workers)]

    def feed(child):
        while True:
            with lock:
                task = next(blocks, None)
            if task is None:
                return
            keep(task[0], *_ask(child, task[1], progress))

    try:
        with ThreadPoolExecutor(workers) as pool:
            _await([pool.submit(feed, child) for child in children], children)
    finally:
        for child in children:
            _end(child)


def _await(feeders, children) -> None:
    """Wait for all feeders; if one fails, or the user interrupts, kill every worker so that the others end too."""
    try:
        finished, _ = wait(feeders, return_when=FIRST_EXCEPTION)
        for feeder in finished:
            feeder.result()
    except BaseException:
        for child in children:
            child.kill()
        raise


def _start() -> subprocess.Popen:
    places = [path or os.getcwd() for path in sys.path]
    command = [sys.executable, "-c", "from asympt.depth.workers import serve; serve()"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _end(child: subprocess.Popen) -> None:
    child.kill()
    child.wait()
    with suppress(OSError):  # a killed worker did not read what was sent
        child.stdin.close()
    child.stdout.close()


def _ask(child: subprocess.Popen, block: Block, progress: Progress):
    """Send a block to a worker and return its result."""
    try:
        pickle.dump(block, child.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        child.stdin.flush()
        while True:
            kind, value = pickle.load(child.stdout)
            if kind == "result":
                return value
            if kind == "error":
                raise RuntimeError(f"a worker process failed:\n{value}")
            progress.add(value)
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        raise RuntimeError("a worker process ended before its work was done; use workers=1") from error


def serve() -> None:
    """The loop of a worker process: blocks in, ("done", amount), ("result", arrays) or ("error", text) out."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted as well, and ends its workers

    def say(kind, value):
        pickle.dump((kind, value), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()

    while True:
        try:
            block = pickle.load(requests)
        except EOFError:
            return
        try:
            say("result", iterate(block, _ticker(_batched(say), block)))
        except Exception:
            say("error", traceback.format_exc())


def _batched(say) -> Callable[[int], None]:
    """Adds up amounts and says them every `INTERVAL` seconds."""
    waiting, last = 0, time.monotonic()

    def add(amount):
        nonlocal waiting, last
        waiting += amount
        if time.monotonic() - last >= INTERVAL:
            say("done", waiting)
            waiting, last = 0, time.monotonic()

    return add
