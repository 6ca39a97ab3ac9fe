"""What a layer costs for activations without a closed form: tables, all layers in one look-up, and a plain loop.

    python tests/benchmarks/maps.py [--pairs 8192] [--rounds 7] [--activations tanh,elu,...]

One core, one block of pairs that stays in the cache, gaps uniform in (0, 2); medians of rounds taken in turns, in
nanoseconds of processor time per pair and layer for the gap and the NTK together.

    tables     asympt.depth on the Edge of Chaos: the first layers, in which some gaps are above 3/2 and go another way,
               and later ones
    look-up    all 64 layers at once (`pairs`, its table built before)
    plain      Gauss-Hermite quadrature with 20 x 20 nodes for each pair: f' and f from phi and phi' at all nodes

The last columns: how long the tables took to build, the largest error measured meanwhile, and that of the plain loop's
1 - f at gamma = 1e-3 (relative, against the tables).
"""

import argparse
import time
from statistics import median

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from sympy import Rational

from asympt.depth import pairs
from asympt.depth.stack import precise
from asympt.depth.tables import iterated, tables
from asympt.meanfield.activations import activation
from asympt.meanfield.edge import edge_of_chaos
from asympt.meanfield.layer import Layer

ACTIVATIONS = "tanh,erf,elu,gelu,silu,softsign,hard_tanh,sin"
NODES = 20
SIGMA_B = Rational(1, 5)
FIRST, LATER = 4, 60


def critical(name: str) -> Layer:
    """The layer on the Edge of Chaos with sigma_b = 1/5."""
    point = edge_of_chaos(name, sigma_b=SIGMA_B)
    return Layer(activation(name), point.exact_sigma_w**2, SIGMA_B**2, point.exact_q, True)


def by_tables(layer: Layer, gaps: np.ndarray) -> tuple[float, float]:
    """ns per pair and layer: (the first layers, later ones)."""
    at, after = np.zeros(FIRST), iterated(tables(layer), gaps, 1 - gaps, np.zeros(FIRST), np.ones(FIRST))
    first = timed(iterated, tables(layer), gaps, 1 - gaps, at, 1 + at) / FIRST
    later = timed(iterated, tables(layer), *after, np.zeros(LATER), np.ones(LATER)) / LATER
    return 1e9 * first / gaps.size, 1e9 * later / gaps.size


def by_look_up(layer: Layer, gaps: np.ndarray) -> float:
    """ns per pair for all layers at once, the table built before."""
    pairs(layer, gaps, FIRST + LATER + 1)
    return 1e9 * timed(pairs, layer, gaps, FIRST + LATER + 1) / gaps.size


def plain(layer: Layer, gap: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One layer by Gauss-Hermite quadrature in U and the independent part of V."""
    phi = layer.activation.piecewise
    value, slope = phi.vectorised, phi.derivative(1).vectorised
    q, weight, bias = (float(precise(v)) for v in (layer.fixed_variance, layer.weight_variance, layer.bias_variance))
    x, w = hermegauss(NODES)
    x, w, root, c = np.sqrt(q) * x, w / np.sqrt(2 * np.pi), np.sqrt(q), (1 - gap)[:, None]
    f, turned = np.zeros_like(gap), np.zeros_like(gap)
    for u, share in zip(x, w, strict=True):
        v = c * u + np.sqrt(1 - c * c) * x
        f += share * value(np.array([u]))[0] * (value(v) @ w)
        turned += share * slope(np.array([u]))[0] * (slope(v) @ w)
    after = 1 - (bias + weight * f) / (root * root)
    return after, weight * turned * k + 1 - after


def timed(function, *arguments) -> float:
    start = time.process_time()  # other work on the machine does not count
    function(*arguments)
    return time.process_time() - start


def row(name: str, count: int, rounds: int) -> None:
    """One activation."""
    layer = critical(name)
    gaps = np.random.default_rng(0).uniform(0, 2, count)
    tables.cache_clear()
    built = timed(tables, layer)
    measured: list[list[float]] = []
    for _ in range(rounds):
        slow = 1e9 * timed(plain, layer, gaps[:256], 1 - gaps[:256]) / 256
        measured.append([*by_tables(layer, gaps), by_look_up(layer, gaps), slow])
    first, later, looked_up, slow = (median(column) for column in zip(*measured, strict=True))
    small = np.array([1e-3])
    image, _ = iterated(tables(layer), small, 1 - small, np.zeros(1), np.ones(1))
    error = abs(plain(layer, small, small)[0][0] / image[0] - 1)
    print(
        f"{name:<10}{first:8.1f}{later:8.1f}{looked_up:9.1f}{slow:9.0f}{slow / later:7.0f}{built:8.2f}"
        f"{tables(layer).error:9.0e}{error:9.0e}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--activations", default=ACTIVATIONS)
    chosen = parser.parse_args()
    print(f"{'ns':<10}{'tables':>8}{'later':>8}{'look-up':>9}{'plain':>9}{'ratio':>7}"
          f"{'built s':>8}{'error':>9}{'plain':>9}")  # fmt: skip
    for name in chosen.activations.split(","):
        row(name, chosen.pairs, chosen.rounds)


if __name__ == "__main__":
    main()
