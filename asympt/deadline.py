"""A budget of time for work whose length nobody can foresee: reading a formula, its fixed points, a derivation.

`limited` gives a piece of work so many seconds of this thread's processor time; `time_limit` replaces the budget of all
work inside it; inside one, `attempted` gives one of several ways less time.  Limits do not nest: the outermost counts.
Work whose size the user gives is `UNLIMITED`.  In the main thread a timer (SIGVTALRM) interrupts whatever runs, SymPy
included, but for a single operation in C; elsewhere the package's own loops look at the clock (`check_time`).
"""

import contextlib
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import wraps
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from asympt.errors import InputError, OverrunError

READING, DERIVING, NETWORK = 60.0, 300.0, 1800.0  # seconds, unless the user says otherwise
CHECKING = 60.0  # for one check of a recursion's law
UNLIMITED = float("inf")  # work whose size the user has given: it ends by itself, or with a `time_limit`
AGAIN = 1.0  # seconds after which the timer repeats itself, in case SymPy has swallowed the interruption
BOUNDARY = (__file__, contextlib.__file__)  # interrupted there, a limit would begin or end by half: the timer waits

LOG = logging.getLogger("asympt")
LOG.addHandler(logging.NullHandler())  # a library says nothing until somebody listens
CUT: list[str] = []  # the work in this process that a limit has ended: what comes of the rest is incomplete
Given = ParamSpec("Given")  # one by one: type checkers see no other form
Answer = TypeVar("Answer")

_chosen: ContextVar[float | None] = ContextVar("chosen", default=None)
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


class _Overrun(BaseException):
    """Not an `Exception`: no handler of SymPy's may take it for a failed attempt."""


def time_limit(budget: float) -> AbstractContextManager[None]:
    """Allow each parse and each derivation inside `budget` seconds of processor time instead of the default.

    >>> with time_limit(budget=10):
    ...     pass
    """
    return _choice(_seconds(budget))  # a wrong budget is refused here, not where the block begins


@contextmanager
def _choice(seconds: float) -> Iterator[None]:
    token = _chosen.set(seconds)
    try:
        yield
    finally:
        _chosen.reset(token)


@contextmanager
def limited(what: str, seconds: float = DERIVING) -> Iterator[None]:
    """Do `what` within the budget: `seconds`, or what the user has chosen by `time_limit`.

    Raises `OverrunError` when the time is over.

    >>> with time_limit(0.01), limited("counting"):
    ...     while True:
    ...         check_time()
    Traceback (most recent call last):
        ...
    asympt.errors.OverrunError: counting took longer than 0.01 s of processor time; write it in a simpler form, ...
    """
    allowed = _chosen.get() or seconds
    if _deadline.get() is not None or allowed == UNLIMITED:
        yield
        return
    from mpmath import mp  # here, so that the command line answers --help without it

    begun = time.perf_counter()
    token, precision = _deadline.set(time.thread_time() + allowed), mp.prec
    try:
        with _timer(allowed):
            yield
    except _Overrun:
        _settle(precision)
        CUT.append(what)
        raise OverrunError(
            f"{what} took longer than {allowed:g} s of processor time; "
            f"{'ask for less' if seconds == UNLIMITED else 'write it in a simpler form'}, or allow more time by "
            f"asympt.time_limit(budget={10 * allowed:g})"
        ) from None
    finally:
        _deadline.reset(token)
        LOG.debug("%s: %.3f s", what, time.perf_counter() - begun)


@contextmanager
def attempted(what: str, seconds: float) -> Iterator[None]:
    """Within a budget, a way that may be given up for another: `OverrunError` after so many seconds of it.

    It takes at most half of what is left of the budget, so that the other way has a chance.

    >>> with limited("counting", 60), attempted("counting fast", 0.01):
    ...     while True:
    ...         check_time()
    Traceback (most recent call last):
        ...
    asympt.errors.OverrunError: counting fast took longer than 0.01 s of processor time, and was stopped
    """
    outer, now = _deadline.get(), time.thread_time()
    if outer is None:
        yield
        return
    from mpmath import mp

    seconds = min(seconds, max((outer - now) / 2, 0.001))
    token, precision, timed, ended = _deadline.set(now + seconds), mp.prec, _rings(), False
    if timed:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN)
    try:
        yield
    except _Overrun:
        if time.thread_time() > outer:
            raise
        ended = True
    finally:
        _deadline.reset(token)
        if timed:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(outer - time.thread_time(), 0.001), AGAIN)
    if ended:  # only now, when the timer is that of the budget again
        _settle(precision)
        raise OverrunError(f"{what} took longer than {seconds:g} s of processor time, and was stopped")


def _settle(precision: int) -> None:
    """Undo what an interruption may have left half done: a precision set before the old one was remembered, and what
    SymPy keeps, such as the interval of a root turned over to read its other end, which no loop would separate again.
    """
    from mpmath import mp
    from sympy import ComplexRootOf
    from sympy.core.cache import clear_cache

    mp.prec = precision
    ComplexRootOf.clear_cache()
    clear_cache()


def _rings() -> bool:
    """Whether a timer of `limited` is set in this thread."""
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0


def in_budget(what: str, seconds: float = NETWORK) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """A function or method that does its work within a budget; `what` it does, {0} being its first argument's type.

    >>> @in_budget("counting for {0}", 60)
    ... def count(owner):
    ...     while True:
    ...         check_time()
    >>> with time_limit(0.01):
    ...     count(3)
    Traceback (most recent call last):
        ...
    asympt.errors.OverrunError: counting for int took longer than 0.01 s of processor time; write it in ...
    """

    def decorate(work: Callable[Given, Answer]) -> Callable[Given, Answer]:
        @wraps(work)
        def within(*given: Given.args, **named: Given.kwargs) -> Answer:
            with limited(what.format(type(given[0]).__name__ if given else ""), seconds):
                return work(*given, **named)

        return within

    return decorate


def check_time() -> None:
    """In a loop of this package that may be long: end it when the budget is spent."""
    end = _deadline.get()
    if end is not None and time.thread_time() > end:
        raise _Overrun


def _seconds(budget: Any) -> float:
    try:
        seconds = float(budget)
    except (TypeError, ValueError):
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InputError(f"budget = {budget} is not a positive number of seconds; give one such as 60")
    return seconds


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    """Interrupt the main thread after so many seconds of its processor time, and again until the work has ended."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    armed = True

    def ring(_number: int, frame: FrameType | None) -> None:
        end = _deadline.get() if armed else None
        if end is None:  # nothing is limited any more
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            return
        left = end - time.thread_time()  # the timer counts all threads of the process
        if left > 0 or (frame is not None and frame.f_code.co_filename in BOUNDARY):
            signal.setitimer(signal.ITIMER_VIRTUAL, max(left, 0.001), AGAIN)
        else:
            raise _Overrun

    before, told = signal.signal(signal.SIGVTALRM, ring), sys.unraisablehook

    def tell(unraisable: "sys.UnraisableHookArgs") -> None:
        if unraisable.exc_type is not _Overrun:  # that one comes again
            told(unraisable)

    sys.unraisablehook = tell
    waiting = signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before if before is not None else signal.SIG_DFL)
        sys.unraisablehook = told if sys.unraisablehook is tell else sys.unraisablehook
        if waiting[0]:
            signal.setitimer(signal.ITIMER_VIRTUAL, *waiting)
