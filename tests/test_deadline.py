"""Budgets: work that does not end is ended, in the main thread and elsewhere, and leaves nothing behind."""

import contextlib
import signal
import sys
import threading
import time
import weakref

import pytest
from mpmath import mp
from sympy import Rational, Symbol, cos, real_roots, sin, sqrt
from sympy.polys.rootisolation import RealInterval

import asympt as asy
from asympt import deadline
from asympt.deadline import attempted, check_time, limited, time_limit
from asympt.depth.finite import empirical_kernels
from asympt.depth.gram import gram
from asympt.errors import InputError, UnsupportedError

x = Symbol("x", positive=True)
TERMS = 20
LENGTHY = {  # so many of their coefficients, sums of hundreds of products of roots, take minutes
    "roots in roots": sqrt(x + sqrt(x + sqrt(x))),
    "three roots": sqrt(x) + x ** Rational(1, 3) + x ** Rational(1, 5),
}


def busy(seconds: float) -> None:
    """Work that never looks at the clock of the package."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


@pytest.mark.parametrize("name", LENGTHY)
def test_a_derivation_ends_with_its_budget(name):
    begun = time.thread_time()
    with time_limit(budget=0.3), pytest.raises(UnsupportedError, match=r"took longer than 0\.3 s") as refusal:
        asy.Recursion(LENGTHY[name], x).law(TERMS)
    assert time.thread_time() - begun < 5 and "\n" not in str(refusal.value)


def test_an_interruption_that_was_swallowed_comes_again():
    def stubborn():
        try:
            busy(20)
        except BaseException:  # as SymPy does in places
            busy(20)

    with time_limit(0.05), pytest.raises(UnsupportedError), limited("waiting"):
        stubborn()


def test_what_never_looks_at_the_clock_is_interrupted_and_nothing_is_left_behind():
    precision, handler = mp.prec, signal.getsignal(signal.SIGVTALRM)
    with time_limit(0.05), pytest.raises(UnsupportedError, match="waiting took"), limited("waiting"), mp.workprec(999):
        busy(20)
    assert mp.prec == precision and signal.getsignal(signal.SIGVTALRM) is handler
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    busy(0.1)
    assert str(asy.Recursion(sin(x), x).law(1)) == "sqrt(3)/sqrt(n) + O(log(n)/n^(3/2))"


def test_a_limit_that_ends_as_its_timer_rings_ends_whole(monkeypatch):
    """Signals are handled where a function begins: at the entry of __exit__, nothing would stop the timer any more."""
    rung = []

    def trace(frame, event, _argument):
        if frame.f_code is contextlib._GeneratorContextManager.__exit__.__code__:
            rung.append(signal.getsignal(signal.SIGVTALRM)(signal.SIGVTALRM, frame))

    try:
        with limited("waiting", 60):
            monkeypatch.setattr(time, "thread_time", lambda: 1e9)
            sys.settrace(trace)
    finally:
        sys.settrace(None)
    assert len(rung) > 1 and signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


@pytest.mark.parametrize(("budget", "within"), [(30, contextlib.nullcontext()), (90, attempted("waiting", 30))])
def test_an_interruption_leaves_no_half_made_root(monkeypatch, budget, within):
    """SymPy turns an interval over while it reads its other end, and keeps it: then no loop separates 1 from -1."""

    def trace(frame, event, _argument):
        if frame.f_back.f_code is RealInterval.b.fget.__code__:
            monkeypatch.setattr(time, "thread_time", lambda: now + 40)
            signal.getsignal(signal.SIGVTALRM)(signal.SIGVTALRM, frame)

    now = time.thread_time()
    try:
        with pytest.raises(UnsupportedError, match="took longer"), limited("waiting", budget), within:
            sys.settrace(trace)
            real_roots(x**2 - 1)
    finally:
        sys.settrace(None)
        monkeypatch.undo()
    with limited("waiting", 3):
        assert real_roots(x**2 - 1) == [-1, 1]


def test_what_follows_an_attempt_is_not_interrupted_by_its_timer(monkeypatch):
    monkeypatch.setattr(deadline, "_settle", lambda _: busy(0.1))
    with pytest.raises(UnsupportedError, match="fast took"), limited("slow", 60), attempted("fast", 0.01):
        while True:
            check_time()


def test_the_outermost_limit_counts():
    with time_limit(30), limited("outside", 30), limited("inside", 0.01):
        busy(0.05)
        check_time()


def test_other_threads_end_at_the_next_look():
    found = {}

    def work():
        found["law"] = str(asy.Recursion(cos(x), x).law(1))
        try:
            with time_limit(0.3):
                asy.Recursion(LENGTHY["three roots"], x).law(TERMS)
        except UnsupportedError as error:
            found["error"] = str(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert found["law"].startswith("xi + ") and "took longer" in found["error"]


def test_an_interruption_in_the_callback_of_a_weak_reference_is_silent_and_comes_again(capsys):
    class Held:
        pass

    held = Held()
    watched = weakref.ref(held, lambda _: busy(0.3))  # Python shows what a callback raises, and goes on
    hook = sys.unraisablehook
    with time_limit(0.1), pytest.raises(UnsupportedError, match="waiting took longer"), limited("waiting"):
        del held
        busy(20)
    assert watched() is None and capsys.readouterr().err == "" and sys.unraisablehook is hook


def entries() -> dict:
    """Work that a user waits for, by what the sentence calls it."""
    net, edge = asy.FeedForward("tanh", sigma_w=2, sigma_b=1), asy.FeedForward.on_edge_of_chaos("tanh", sigma_b="1/5")
    law, dense, points = asy.Recursion(sin(x), x).law(4), asy.FeedForward("relu").finite(), [[1.0, 0.0], [0.5, 2.0]]
    return {
        "deriving the law of the NTK of a FeedForward": lambda: net.ntk_law(terms=13),
        "deriving the law of the correlation of a FeedForward": lambda: edge.correlation_law(terms=13),
        "evaluating the law": lambda: law.evaluate(depth=10**30, start=1, digits=200),
        "computing the connection constant": lambda: law.connection_constant(start="1/2", digits=200),
        "drawing random networks": lambda: empirical_kernels(dense, points, 30, most_seeds=500),
        "computing kernels": lambda: gram(net, points, depth=10**6),
    }


@pytest.mark.parametrize("what", [
    "deriving the law of the NTK of a FeedForward", "deriving the law of the correlation of a FeedForward",
    "evaluating the law", "computing the connection constant", "drawing random networks", "computing kernels",
])  # fmt: skip
def test_every_entry_that_a_user_waits_for_has_a_budget(what):
    work = entries()[what]
    with time_limit(0.001), pytest.raises(UnsupportedError, match=f"{what} took longer .* asympt.time_limit"):
        work()


def test_a_check_that_takes_too_long_is_unknown():
    law = asy.Recursion(sin(x), x).law(4)
    with time_limit(0.001):
        found = asy.verify(law)
    assert found.verdict == "unknown" and any("this check took longer than" in c.figure for c in found.checks)


def test_laws_in_another_thread_are_those_of_the_main_one():
    found = []

    def work():
        law = asy.FeedForward("relu").ntk_law(terms=2)
        found.extend([str(law), law.evaluate(10**6, correlation="1/10", digits=15)])
        found.append(asy.verify(asy.Recursion(sin(x), x).law(2)).verdict)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(120)
    law = asy.FeedForward("relu").ntk_law(terms=2)
    assert found == [str(law), law.evaluate(10**6, correlation="1/10", digits=15), "proved"]


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf"), "soon", None, [1]])
def test_a_budget_is_a_positive_number(budget):
    with pytest.raises(InputError, match="positive number of seconds"):
        time_limit(budget)


def test_a_removable_singularity_is_no_fixed_point():
    # (x^2 - 1)/(x - 1) is x + 1 wherever it has a value: x_n = x_0 + n
    law = asy.Recursion((x**2 - 1) / (x - 1), x).law(2)
    assert abs(law.evaluate(depth=10, start=3, digits=10) - 13) < 1e-9
