"""What a Gram matrix costs at any depth, and how many digits it keeps: asympt.depth against the textbook loop.

Run as a script: ``python tests/benchmarks/gram.py [--inputs 1000] [--rounds 3] [--large] [--norms]``.

The textbook loop keeps c and K of ReLU on the Edge of Chaos for the upper triangle, row by row, in float64:

    theta = arccos(c);  f = c + (sqrt(1 - c^2) - theta c)/pi;  K = (1 - theta/pi) K + f.

Both run on one core, in turns, on the same random inputs; processor time, minima of rounds.  Beyond 30 layers the loop
is timed for 30 and multiplied.  `first` is a call that builds its tables, `again` one that finds them.

    --large    5,000 inputs at L = 1000: seconds and peak memory against the answer's
    --norms    layers of inputs of different norms: milliseconds a layer of smooth activations and of ones with kinks
"""

import argparse
import resource
import time

import mpmath
import numpy as np
from sympy import Integer, Rational

from asympt.depth import gram, pairs
from asympt.depth.squaring import whole_map
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer

RELU = Layer(activation("relu"), Integer(2), Integer(0))
DEPTHS = (10, 10**3, 10**6, 10**12)
TIMED = 30


def naive_layers(c: np.ndarray, k: np.ndarray, layers: int) -> None:
    """The textbook loop, in place."""
    for _ in range(layers):
        for i in range(len(c)):
            row = c[i, i:]
            theta = np.arccos(np.clip(row, -1.0, 1.0))
            sine = np.sqrt(np.maximum(1.0 - row * row, 0.0))
            c[i, i:] = row + (sine - theta * row) / np.pi
            k[i, i:] = (1.0 - theta / np.pi) * k[i, i:] + c[i, i:]


def naive_gram(inputs: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(c, K) after `depth` layers."""
    c = inputs @ inputs.T
    norms = np.sqrt(np.diag(c))
    c = c / norms / norms[:, None]
    k = c.copy()
    naive_layers(c, k, depth - 1)
    return c, k


def timed(function, *arguments, **options) -> float:
    start = time.process_time()
    function(*arguments, **options)
    return time.process_time() - start


def speed(inputs: np.ndarray, rounds: int) -> None:
    print(f"Sigma and K of {len(inputs)} inputs, d = {inputs.shape[1]}, ReLU on the Edge of Chaos, seconds on one core")
    print(f"{'depth':>14} {'loop':>12} {'first':>8} {'again':>8} {'loop/first':>12}")
    gram(RELU, inputs[:20], depth=3)
    for depth in DEPTHS:
        loop, first, again = [], [], []
        for _ in range(rounds):
            layers = min(depth, TIMED)
            loop.append(timed(naive_gram, inputs, layers) * (depth / layers))
            whole_map.cache_clear()
            first.append(timed(gram, RELU, inputs, depth=depth))
            again.append(timed(gram, RELU, inputs, depth=depth))
        one, two, three = min(loop), min(first), min(again)
        print(f"{depth:14,} {one:12.4g} {two:8.3f} {three:8.3f} {one / two:12.4g}")


def digits(starts: list[float], depth: int) -> None:
    gaps, kernels = pairs(RELU, starts, depth)
    c = 1.0 - np.array([starts])
    k = c.copy()
    naive_layers(c, k, depth - 1)
    print(f"\nrelative errors at depth {depth} (mpmath, 60 digits)")
    print(f"{'1 - c^1':>9} {'loop 1-c':>10} {'asympt 1-c':>11} {'loop K':>9} {'asympt K':>9}")
    for i, start in enumerate(starts):
        gap, kernel = reference(start, depth)
        errors = [abs(mpmath.mpf(float(v)) / t - 1) for v, t in ((1 - c[0, i], gap), (gaps[i], gap),
                                                                 (k[0, i], kernel), (kernels[i], kernel))]  # fmt: skip
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


def large() -> None:
    """5,000 inputs."""
    inputs = np.random.default_rng(0).normal(size=(5000, 100))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = timed(gram, RELU, inputs, depth=1000)
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"\nN = 5000, L = 1000: {seconds:.2f} s, {peak:.0f} MB for an answer of {2 * 5000**2 * 8 / 2**20:.0f} MB")


def norms(count: int, rounds: int) -> None:
    """Layers in which every input has its own variance."""
    random = np.random.default_rng(0)
    inputs = random.normal(size=(count, 100)) * np.exp(random.uniform(-0.25, 0.25, count))[:, None]
    print(f"\n{count} inputs of different norms, milliseconds a layer (9 to 17 layers, tables built before)")
    for name in ("erf", "gelu", "tanh", "elu", "selu", "softsign", "hard_tanh", "relu6"):
        layer = Layer(activation(name), Rational(9, 4), Rational(1, 25))
        gram(layer, inputs, depth=17)
        both = [[timed(gram, layer, inputs, depth=depth) for depth in (9, 17)] for _ in range(rounds)]
        print(f"{name:>9} {1e3 * min((late - early) / 8 for early, late in both):8.1f}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--inputs", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--large", action="store_true")
    options.add_argument("--norms", action="store_true")
    chosen = options.parse_args()
    if chosen.large:
        large()
    speed(np.random.default_rng(0).normal(size=(chosen.inputs, 100)), chosen.rounds)
    digits([1.0, 1e-2, 1e-6, 1e-10], 1000)
    if chosen.norms:
        norms(chosen.inputs, chosen.rounds)


if __name__ == "__main__":
    main()
