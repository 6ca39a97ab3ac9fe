"""What a law costs by its number of terms, beside the same inversion by the arithmetic of expansions.

    python tests/benchmarks/laws.py [--rounds 3] [--expansions]

Prints medians in seconds, every figure from processes of its own (without start-up): the whole derivation of a law
with 4, 8, 12 and 20 terms; `parameters` has two symbols, and `sine, linear` is the derivative of x_n by x_0.  With
--expansions also t_l alone, to as many terms, by `Expansion.revert` and `compose` (a minute at most).
"""

import argparse
import statistics
import subprocess
import sys

TERMS = (4, 8, 12, 20)
LIMIT = 60

START = """
import time
import asympt as asy
from asympt.expansions import Expansion, Monomial, Scale
from asympt.recursions import Recursion
from asympt.recursions.coordinates.abel_inversion import C
from sympy import Rational, Symbol, cos, sin, symbols
x, (a, b) = Symbol("x"), symbols("a b", positive=True)
Y, l = symbols("Y l", positive=True)
def slow(abel, terms):
    known = int(abel.expansion.remainder.monomial.order)
    for order in range(1, known + 1):
        reverted = abel.expansion.up_to(Monomial(order)).revert(Scale.at_infinity(Y))
        if len(reverted.compose(Expansion.variable(Scale.at_infinity(l)) + C).terms) > terms:
            return
"""

CASES = {
    "sine": "Recursion(sin(x), x).law({})",
    "logistic": "Recursion(x - x**2, x).law({})",
    "half powers": "Recursion(x - x**Rational(3, 2)/2, x).law({})",
    "parameters": "Recursion(x - a*x**2 + b*x**3, x).law({})",
    "ReLU NTK": "asy.FeedForward('relu').ntk_law({})",
    "sine, linear": "Recursion(sin(x), x).linear_law(cos(x), 0, 1, {})",
}


def seconds(code: str) -> float | None:
    """What the timed part of a program takes in a new process; None beyond the limit."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", START + code], check=True, capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return None
    return float(done.stdout)


def derivation(law: str) -> str:
    """The program that derives a law."""
    return f"start = time.perf_counter()\n{law}\nprint(time.perf_counter() - start)"


def by_expansions(law: str, terms: int) -> str:
    """The program that inverts the Abel function of a law term by term."""
    return f"abel = {law}.abel\nstart = time.perf_counter()\nslow(abel, {terms})\nprint(time.perf_counter() - start)"


def show(name: str, programs: list[str], rounds: int) -> None:
    """One row."""
    cells = []
    for program in programs:
        taken = [seconds(program) for _ in range(rounds)]
        cells.append(f"{'> ' + str(LIMIT) if None in taken else f'{statistics.median(taken):.2f}':>9}")
    print(f"{name:<28}" + "".join(cells), flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--expansions", action="store_true", help="also by the arithmetic of expansions")
    chosen = parser.parse_args()
    print(f"{'terms':<28}" + "".join(f"{terms:>9}" for terms in TERMS))
    for name, law in CASES.items():
        show(name, [derivation(law.format(terms)) for terms in TERMS], chosen.rounds)
        if chosen.expansions and not name.endswith("linear"):
            show("  t_l by expansions", [by_expansions(law.format(terms), terms) for terms in TERMS], 1)


if __name__ == "__main__":
    main()
