"""What every fuzzer shares: a case with a name, a limit on its time, and what counts as an honest refusal.

A case is named by its fuzzer, its family and a seed, and by nothing else; a failure says how to run it alone:

    python -m tests.fuzz expressions parabolic 137

A run of a family is seeds 0, 1, 2, ...; the first `default` of them are in the default suite, thousands in `-m long`.
"""

import faulthandler
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mpmath import mp

import asympt
from asympt.errors import AsymptError, OverrunError

BUDGET, SHORT = 20, 3  # processor seconds that a derivation may take before it is refused; in the default suite
SECONDS = 60  # processor seconds for one case; a loaded machine does not shorten them
WALL = 900  # seconds after which a case that does not even answer the timer stops the process, with its stack
MEMORY = 6 * 2**30  # bytes of address space; beyond it a case fails with a MemoryError
LONGEST_SENTENCE = 1300


class HangError(BaseException):
    """A case took too long; not an `Exception`, so that no code under test can swallow it."""


@contextmanager
def time_limit(seconds: float = SECONDS) -> Iterator[None]:
    """`HangError` after so many processor seconds, by a timer; and a limit on memory."""

    def ring(signum, frame):
        place = f"{frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno}" if frame else "?"
        raise HangError(f"more than {seconds} s of processor time (in {place})")

    before = signal.signal(signal.SIGPROF, ring)
    space = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, space[1]))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    faulthandler.dump_traceback_later(WALL, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, space)
        faulthandler.cancel_dump_traceback_later()


@dataclass(frozen=True)
class Family:
    """Cases of one kind: `run(rng)` returns 'value' or 'refused', or raises.

    `default`: how many seeds the default suite runs;  `floor`: the least share that must yield values of those which
    end in time (how many do is a matter of the machine).
    """

    fuzzer: str
    name: str
    run: Callable[[random.Random], str]
    default: int
    floor: float = 0.0

    def once(self, seed: int, budget: float = BUDGET) -> str:
        """One case: 'value', 'refused' or 'late'; anything wrong is an exception."""
        rng = random.Random(f"{self.fuzzer}/{self.name}/{seed}")
        mp.dps = 15
        with time_limit(), asympt.time_limit(budget):
            try:
                return self.run(rng)
            except AsymptError as error:
                return honest(error)
            finally:
                left, mp.dps = mp.dps, 15
                assert left == 15 or sys.exc_info()[0], f"the global precision was left at {left} digits"


def honest(error: AsymptError) -> str:
    """'refused', or 'late' beyond the limit of time, when the refusal is one sentence of reasonable length."""
    text = str(error)
    assert "\n" not in text, f"the message has several lines: {text!r}"
    assert 15 <= len(text) <= LONGEST_SENTENCE, f"the message has {len(text)} characters: {text[:200]!r}"
    for internal in ("Traceback", "_Dummy", "NoneType"):
        assert internal not in text, f"the message shows {internal}: {text!r}"
    return "late" if isinstance(error, OverrunError) else "refused"


@dataclass
class Report:
    """What came of a run of cases."""

    outcomes: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: tuple = (0.0, "")

    @property
    def share(self) -> float:
        """The share that yielded values of the cases that ended in time."""
        return self.outcomes["value"] / max(1, sum(self.outcomes.values()) - self.outcomes["late"])


def sweep(family: Family, seeds, tell: Callable[[str], None] = lambda line: None, budget: float = BUDGET) -> Report:
    """Every seed once; a failure is kept as one line and does not stop the run."""
    report = Report()
    for seed in seeds:
        name, begun = f"{family.fuzzer} {family.name} {seed}", time.process_time()
        try:
            report.outcomes[family.once(seed, budget)] += 1
        except (Exception, HangError) as error:
            report.outcomes["failed"] += 1
            words = " ".join(f"{type(error).__name__}: {error}".split())
            report.failures.append(f"python -m tests.fuzz {name}   {words[:500]}")
            tell(report.failures[-1])
        report.slowest = max(report.slowest, (time.process_time() - begun, name))
    return report
