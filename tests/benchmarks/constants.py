"""Connection constants: how long 50 and 200 digits take, and what extrapolation makes of the same limits.

    python tests/benchmarks/constants.py

Three constants, each the limit of a sequence that every extrapolation method is offered as well:

    x -> x(1-x) from 1/2       1/x_n - n - log n
    x -> sin x from 1          3/x_n^2 - n - (3/5) log n
    the ReLU gap map, c = 1/10 alpha/sqrt(gap_l) - l - (3/2) log l,   alpha = 3 pi/sqrt(2)

The first table times `law.connection_constant` in a fresh process (import and derivation not counted).  The second
counts the right digits that come from mpmath.limit with its own choice and with each of its methods (up to 500 terms
to 200 digits; where it sees no convergence it returns the last one), and from a plain Richardson table over n = 1, 2,
4, ..., 2^13.  The tails carry log n, for which none of these is made.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import mpmath
from mpmath import mp, mpf

DIGITS = 50
WORKING = 260  # digits of the terms; mpmath.limit works at four times the precision it is asked for
TERMS = 600
DOUBLINGS = 14
MPMATH = {"mpmath.limit": {}} | {f"  method {name!r}": {"method": name} for name in ("richardson", "shanks", "levin")}

TIMED = """
import time, asympt as asy
from mpmath import nstr
from sympy import Symbol, sin
x = Symbol("x", positive=True)
law = {law}
start = time.perf_counter()
value = law.connection_constant({start}, digits={digits})
print(time.perf_counter() - start, nstr(value, {digits}))
"""


@dataclass(frozen=True)
class Case:
    """One constant: for asympt, and for mpmath (step, term, and what to add to C to get the limit)."""

    name: str
    law: str
    start: str
    first: int
    initial: Callable
    step: Callable
    term: Callable
    shift: Callable


def relu_gap(gap):
    """1 - f(1 - gap), as in the arc-cosine kernel; loses digits near 0, of which there are plenty."""
    c = 1 - gap
    return gap - (mp.sqrt(1 - c * c) - c * mp.acos(c)) / mp.pi


def relu_alpha():
    return 3 * mp.pi / mp.sqrt(2)


CASES = [
    Case(
        "x(1-x) from 1/2",
        "asy.Recursion(x*(1-x), x).law()",
        'start="1/2"',
        0,
        lambda: mpf(1) / 2,
        lambda x: x * (1 - x),
        lambda x, n: 1 / x - n - mp.log(n),
        lambda: 0,
    ),
    Case(
        "sin x from 1",
        "asy.Recursion(sin(x), x).law()",
        "start=1",
        0,
        lambda: mpf(1),
        mp.sin,
        lambda x, n: 3 / x**2 - n - mpf(3) / 5 * mp.log(n),
        lambda: -mpf(3) / 5 * mp.log(3),
    ),
    Case(
        "ReLU gap from 9/10",
        'asy.FeedForward("relu").correlation_law()',
        'correlation="1/10"',
        1,
        lambda: mpf(9) / 10,
        relu_gap,
        lambda gap, n: relu_alpha() / mp.sqrt(gap) - n - mpf(3) / 2 * mp.log(n),
        lambda: -mpf(3) / 2 * mp.log(relu_alpha()),
    ),
]


def timed(case: Case, digits: int) -> tuple[float, str]:
    """(seconds of a first call, C) from a process of its own."""
    code = TIMED.format(law=case.law, start=case.start, digits=digits)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    seconds, value = done.stdout.split()
    return float(seconds), value


def sequence(case: Case, count: int, digits: int) -> dict:
    """{n: the n-th term of the sequence whose limit is sought}, n = 1, ..., count."""
    with mp.workdps(digits):
        state, terms = case.initial(), {}
        for n in range(case.first, count + 1):
            if n:
                terms[n] = case.term(state, n)
            state = case.step(state)
        return terms


def richardson(values: Sequence):
    """The corner of the table that removes 1/n, 1/n^2, ... from values at n = 1, 2, 4, ..."""
    for power in range(1, len(values)):
        values = [b + (b - a) / (2**power - 1) for a, b in pairwise(values)]
    return values[0]


def by_mpmath(case: Case) -> Iterator[tuple]:
    """(method, what mpmath.limit returns)."""
    terms = sequence(case, TERMS, WORKING)
    for method, options in MPMATH.items():
        with mp.workdps(DIGITS):
            yield method, mpmath.limit(lambda n: +terms[int(n)], mpmath.inf, **options)


def by_doubling(case: Case):
    """Plain Richardson over n = 1, 2, 4, ..."""
    with mp.workdps(2 * DIGITS):
        terms = sequence(case, 2 ** (DOUBLINGS - 1), 2 * DIGITS)
        return richardson([terms[2**k] for k in range(DOUBLINGS)])


def right_digits(value, limit) -> int:
    error = abs(value / limit - 1)
    return DIGITS if error == 0 else min(DIGITS, max(0, int(-mp.log10(error))))


def show(case: Case, method: str, value, seconds: float, limit) -> None:
    print(f"{case.name:<20}{method:<26}{mpmath.nstr(value, 12):>18}{right_digits(value, limit):8d}{seconds:9.2f}")


def compare(case: Case, constant: str) -> None:
    """The rows of one constant; `constant` is what asympt has found, to more digits than are compared."""
    with mp.workdps(DIGITS + 20):
        limit = mpf(constant) + case.shift()
        show(case, "asympt (the reference)", limit, 0.0, limit)
        clock = time.perf_counter()
        for method, value in by_mpmath(case):
            show(case, method, value, time.perf_counter() - clock, limit)
            clock = time.perf_counter()
        clock = time.perf_counter()
        value = by_doubling(case)
        show(case, "Richardson on n = 2^k", value, time.perf_counter() - clock, limit)


def main() -> None:
    """Print both tables."""
    print(f"{'asympt, first call':<20}{'50 digits':>10}{'200 digits':>12}   (seconds)")
    found = {}
    for case in CASES:
        (short, _), (long, found[case.name]) = timed(case, 50), timed(case, 200)
        print(f"{case.name:<20}{short:10.2f}{long:12.2f}   {found[case.name][:42]}...")
    print(f"\n{'the same limit':<20}{'by':<26}{'value':>18}{'right':>8}{'seconds':>9}")
    for case in CASES:
        compare(case, found[case.name])


if __name__ == "__main__":
    main()
