"""Progress of long work on stderr: a bar for a person, a plain line now and then for a log file."""

import sys
import threading
import time

PATIENCE = 1.0  # seconds of silence at the start
INTERVAL = 5.0  # seconds between two plain lines


class Reporter:
    """A context manager whose instance is called as ``reporter(name, done, total)``.

    >>> with Reporter() as report:
    ...     report("float64 at depth", 10, 100)
    """

    def __enter__(self) -> "Reporter":
        self._bar, self._tasks, self._begun = None, {}, {}
        self._shown = time.monotonic() - INTERVAL + PATIENCE
        self._start = time.monotonic()
        return self

    def __exit__(self, *exception) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Show that `done` of `total` steps of `name` are done."""
        self._begun.setdefault(name, (time.monotonic(), done))
        if sys.stderr.isatty():
            self._draw(name, done, total)
        elif time.monotonic() - self._shown >= INTERVAL and total:
            self._shown = time.monotonic()
            print(f"asympt: {name}: {100 * done // total}%{self._left(name, done, total)}", file=sys.stderr, flush=True)

    def _left(self, name: str, done: int, total: int) -> str:
        """About how long this will take yet, from how long it has taken; nothing at its beginning."""
        begun, first = self._begun.setdefault(name, (time.monotonic(), done))
        if done <= first:
            return ""
        seconds = (time.monotonic() - begun) * (total - done) / (done - first)
        return f", about {seconds:.0f} s left" if seconds >= 1 else ""

    def _draw(self, name: str, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() - self._start < PATIENCE:
                return
            self._bar = _bar()
            self._bar.start()
        if name not in self._tasks:
            for earlier in self._bar.tasks:  # work is done in order
                self._bar.update(earlier.id, completed=earlier.total)
            self._tasks[name] = self._bar.add_task(name, total=total)
        self._bar.update(self._tasks[name], completed=done, total=total)


def _bar():
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    columns += (Elapsed(), TextColumn("about"), Remaining(), TextColumn("left"))
    shared = sys.stdout.isatty()  # results printed meanwhile go above the bar on a terminal, and to their file else
    return Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=shared)


class Waiting:
    """A context manager for work that cannot say how far it is: after a while a spinner, or one line, says it goes on.

    >>> with Waiting("deriving"):
    ...     pass
    """

    def __init__(self, name: str):
        self._name, self._spinner = name, None
        self._timer = threading.Timer(PATIENCE if sys.stderr.isatty() else INTERVAL, self._show)
        self._timer.daemon = True

    def __enter__(self) -> "Waiting":
        self._timer.start()
        return self

    def __exit__(self, *exception) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._spinner is not None:
            self._spinner.stop()

    def _show(self) -> None:
        if not sys.stderr.isatty():
            print(f"asympt: {self._name} ...", file=sys.stderr, flush=True)
            return
        from rich.console import Console

        self._spinner = Console(stderr=True).status(f"{self._name} ...")
        self._spinner.start()
