"""Start-up and derivation times, each beside a peer measured in the same run.

    python tests/benchmarks/start.py [--rounds 5]

Prints medians in seconds: `asympt --help` (a whole process; target 0.3), `import asympt` beside `import sympy` (target:
0.1 more at most), both laws with 4 terms (in a process that has imported the toolkit; target 2), and the evaluation
of 30 digits at depth 10^3 and 10^100 after the first call (target: well under 0.2, the same at both depths), beside a
plain mpmath iteration to depth 10^3.
"""

import argparse
import statistics
import subprocess
import sys
import time

DERIVE = """
import time, asympt as asy
net = asy.FeedForward("relu")
start = time.perf_counter()
net.correlation_law(4), net.ntk_law(4)
print(time.perf_counter() - start)
"""

EVALUATE = """
import time, asympt as asy, mpmath
from mpmath import mp
law = asy.FeedForward("relu").ntk_law()
law.evaluate(1000, correlation="1/7", digits=30)
def clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
def loop():
    with mp.workdps(45):
        c = k = mpmath.mpf(1) / 10
        for _ in range(999):
            slope = mp.asin(c) / mp.pi + mpmath.mpf(1) / 2
            c = (c * mp.asin(c) + mp.sqrt(1 - c * c)) / mp.pi + c / 2
            k = slope * k + c
near = clock(lambda: law.evaluate(1000, correlation="1/10", digits=30))
far = clock(lambda: law.evaluate(10**100, correlation="1/11", digits=30))
print(near, far, clock(loop))
"""


def process(*command: str) -> float:
    """Wall seconds of a whole process."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def printed(code: str) -> list[float]:
    """The numbers that a Python program prints."""
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return [float(word) for word in result.stdout.split()]


def medians(rounds: int) -> dict[str, float]:
    """Every figure, the commands taken in turn so that drift of the machine falls on all alike."""
    rows: dict[str, list[float]] = {}
    for _ in range(rounds + 1):
        near, far, loop = printed(EVALUATE)
        measured = {
            "asympt --help": process(sys.executable, "-m", "asympt", "--help"),
            "import sympy": process(sys.executable, "-c", "import sympy"),
            "import asympt": process(sys.executable, "-c", "import asympt"),
            "derive both laws": printed(DERIVE)[0],
            "evaluate at 10^3": near,
            "evaluate at 10^100": far,
            "plain mpmath loop to 10^3": loop,
        }
        for name, seconds in measured.items():
            rows.setdefault(name, []).append(seconds)
    return {name: statistics.median(values[1:]) for name, values in rows.items()}


def main() -> None:
    """Print the table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    figures = medians(parser.parse_args().rounds)
    for name, seconds in figures.items():
        print(f"{name:<28}{seconds:9.4f} s")
    print(f"import asympt / import sympy       {figures['import asympt'] / figures['import sympy']:.2f}")
    print(f"evaluate 10^100 / evaluate 10^3    {figures['evaluate at 10^100'] / figures['evaluate at 10^3']:.2f}")
    loop = figures["plain mpmath loop to 10^3"]
    print(f"evaluate 10^3 / plain loop         {figures['evaluate at 10^3'] / loop:.2f}")


if __name__ == "__main__":
    main()
