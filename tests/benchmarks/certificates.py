"""How long a certificate takes: every activation of the catalogue, correlation and NTK, in seconds of processor time.

    python tests/benchmarks/certificates.py [NAME ...]

Deriving the law is not counted.  A closed form should take less than 10 s, another activation less than 30 s.
"""

import sys
import time

from sympy import Rational

import asympt as asy
from asympt.errors import AsymptError
from asympt.meanfield.catalogue import catalogue

BIAS, START, BUDGET = Rational(1, 5), Rational(1, 10), 120


def measured(name: str, kind: str) -> tuple[float, str]:
    """(seconds, the theorem or why there is none) on the Edge of Chaos."""
    begun = time.process_time()
    try:
        with asy.time_limit(budget=BUDGET):
            law = getattr(_network(name), f"{kind}_law")(terms=2)
            begun = time.process_time()
            found = law.certificate(correlation=START).statement
    except AsymptError as reason:
        found = f"refused: {reason}"
    return time.process_time() - begun, found


def _network(name: str):
    if asy.activation(name).is_relu_like:
        return asy.FeedForward.on_edge_of_chaos(name, sigma_b=0)
    return asy.FeedForward.on_edge_of_chaos(name, sigma_b=BIAS)


def main(names: list[str]) -> None:
    """The table."""
    print("| activation | law | s | theorem |\n|---|---|---|---|")
    for name in names or catalogue():
        for kind in ("correlation", "ntk"):
            seconds, found = measured(name, kind)
            print(f"| {name} | {kind} | {seconds:.1f} | {found[:160]} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
