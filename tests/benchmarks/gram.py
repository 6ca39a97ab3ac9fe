"""What a layer of a Gram matrix costs, and how many digits it keeps: asympt.depth against the textbook loop.

Run as a script: ``python tests/benchmarks/gram.py [--inputs 1000] [--rounds 5] [--long]``.

The textbook loop keeps c and K of the upper triangle, row by row, in float64:

    theta = arccos(c);  f = c + rho (sqrt(1 - c^2) - theta c);  K = (1 - rho theta) K + f.

Both run on one core, in turns, on the same 1,000 random inputs; the table gives medians of the cost of a layer at
several depths, and the largest relative errors of 1 - c and K against mpmath on a few pairs.
"""

import argparse
import time
from statistics import median

import mpmath
import numpy as np
from sympy import Integer

from asympt.depth.blocks import PairBlock, cut, iterate
from asympt.depth.constants import constants, layer_of
from asympt.depth.gaps import angular_gaps
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer

RELU = Layer(activation("relu"), Integer(2), Integer(0))


def naive_layers(c: np.ndarray, k: np.ndarray, layers: int) -> None:
    """The textbook loop, in place."""
    rho = 1 / np.pi
    for _ in range(layers):
        for i in range(len(c)):
            row = c[i, i:]
            theta = np.arccos(np.clip(row, -1.0, 1.0))
            sine = np.sqrt(np.maximum(1.0 - row * row, 0.0))
            c[i, i:] = row + rho * (sine - theta * row)
            k[i, i:] = (1.0 - rho * theta) * k[i, i:] + c[i, i:]


def our_layers(gaps: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """The blocks of `gram`, without the start and the end that do not depend on the depth."""
    numbers, ends, kernels = constants(layer_of(RELU)), np.empty_like(gaps), np.empty_like(gaps)
    for part in cut(gaps.size):
        ends[part], kernels[part] = iterate(PairBlock(numbers, depth, gaps[part]), lambda layers: None)
    return ends, kernels


def timed(function, *arguments) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def speed(gaps: np.ndarray, size: int, rounds: int) -> None:
    print(f"cost of a layer, c and K, N = {size}, one core, median of {rounds} rounds in turns")
    print(f"{'depth':>6} {'naive ms':>9} {'asympt ms':>10} {'ratio':>6}")
    our_layers(gaps[:100], 100)  # builds the polynomials
    for depth in (10, 50, 200):
        ours, naive = [], []
        for _ in range(rounds):
            c = np.eye(size)
            c[np.triu_indices(size, 1)] = 1 - gaps
            naive.append(timed(naive_layers, c, c.copy(), 3) / 3)
            ours.append(timed(our_layers, gaps, depth) / (depth - 1))
        print(f"{depth:6d} {1e3 * median(naive):9.2f} {1e3 * median(ours):10.2f} {median(ours) / median(naive):6.2f}")


def digits(starts: list[float], depth: int) -> None:
    c = 1.0 - np.array([starts])
    k = c.copy()
    naive_layers(c, k, depth - 1)
    ours = our_layers(np.array(starts), depth)
    print(f"\nrelative errors at depth {depth} (mpmath, 60 digits)")
    print(f"{'1 - c^1':>9} {'naive 1-c':>10} {'asympt 1-c':>11} {'naive K':>9} {'asympt K':>9}")
    for i, start in enumerate(starts):
        gap, kernel = reference(start, depth)
        errors = [abs(mpmath.mpf(float(v)) / t - 1) for v, t in ((1 - c[0, i], gap), (ours[0][i], gap),
                                                                 (k[0, i], kernel), (ours[1][i], kernel))]  # fmt: skip
        print(f"{start:9.0e} {float(errors[0]):10.1e} {float(errors[1]):11.1e}", end=" ")
        print(f"{float(errors[2]):9.1e} {float(errors[3]):9.1e}")


def reference(start: float, depth: int) -> tuple:
    """(1 - c^L, K^L/q) of ReLU on the Edge of Chaos, in mpmath."""
    with mpmath.workdps(60):
        c = k = 1 - mpmath.mpf(start)
        for _ in range(depth - 1):
            t = mpmath.acos(c)
            c, slope = c + (mpmath.sin(t) - t * c) / mpmath.pi, 1 - t / mpmath.pi
            k = slope * k + c
        return 1 - c, k


def million() -> None:
    """The pairs of 50 inputs through a million layers."""
    gaps = np.random.default_rng(0).uniform(0.01, 1.99, 1225)
    print(f"\n1225 pairs x 10^6 layers, gap and K: {timed(our_layers, gaps, 10**6):.1f} s")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--inputs", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--long", action="store_true", help="also 1225 pairs through 10^6 layers")
    chosen = options.parse_args()
    gaps = angular_gaps(np.random.default_rng(0).normal(size=(chosen.inputs, 64)))
    speed(gaps, chosen.inputs, chosen.rounds)
    digits([1.0, 1e-2, 1e-6, 1e-10], 1000)
    if chosen.long:
        million()


if __name__ == "__main__":
    main()
