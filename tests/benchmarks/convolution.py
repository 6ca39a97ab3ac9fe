"""What a layer of a convolutional network costs: asympt.depth.convolution against the matrix of HDR and a plain loop.

Run as a script: ``python tests/benchmarks/convolution.py [--positions 256] [--depth 1000] [--reach 1]``.

    engine   all M offsets at once, sums over the filter by doubling
    loop     the textbook: c and K on all M^2 pairs, arccos, 2k+1 rolled copies
    matrix   the same with the M^2 x M^2 matrix U as a sparse matrix (dense ones do not fit from M = 100 on)

Times are per layer, on one core; the last column has the largest relative errors of 1 - c of engine and loop against
mpmath along one offset (M up to 16), after 300 layers at most.
"""

import argparse
import time

import numpy as np
from mpmath import mp
from scipy.sparse import csr_matrix

from asympt.architectures.convolution import ConvNet
from asympt.depth.convolution import conv_pairs
from asympt.precise.dense import ConvState, ConvStep


def branch(c, kernel):
    """f and f' K + f of ReLU, textbook."""
    theta = np.arccos(np.clip(c, -1.0, 1.0))
    f = c + (np.sqrt(np.maximum(1.0 - c * c, 0.0)) - theta * c) / np.pi
    return f, (1.0 - theta / np.pi) * kernel + f


def loop(c, layers: int, reach: int):
    """c and K over the offsets, rolled copies."""
    kernel = c.copy()
    for _ in range(layers):
        parts = branch(c, kernel)
        c, kernel = (sum(np.roll(v, b, axis=1) for b in range(-reach, reach + 1)) / (2 * reach + 1) for v in parts)
    return c, kernel


def sparse_matrix(size: int, reach: int):
    """U/(2k+1) on all pairs (alpha, alpha')."""
    alpha, other = (v.ravel() for v in np.meshgrid(np.arange(size), np.arange(size), indexing="ij"))
    rows = np.tile(alpha * size + other, 2 * reach + 1)
    columns = np.concatenate([(alpha + b) % size * size + (other + b) % size for b in range(-reach, reach + 1)])
    return csr_matrix((np.full(rows.size, 1 / (2 * reach + 1)), (rows, columns)))


def by_matrix(c, layers: int, matrix):
    """c and K on all pairs as vectors."""
    c = c.ravel()
    kernel = c.copy()
    for _ in range(layers):
        c, kernel = (matrix @ v for v in branch(c, kernel))
    return c, kernel


def timed(function, *arguments) -> float:
    """Seconds of the processor, the best of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        function(*arguments)
        found.append(time.process_time() - start)
    return min(found)


def errors(net: ConvNet, gaps: np.ndarray, depth: int) -> tuple[float, float]:
    """Of the engine and of the plain loop, against mpmath at 40 digits."""
    with mp.workdps(40):
        start = tuple(mp.mpf(g) for g in gaps)
        state, step = ConvState(1, start, tuple(1 - g for g in start)), ConvStep(net.statement)
        for _ in range(depth - 1):
            state = step(state)
    exact = np.array([float(g) for g in state.gap])
    found = conv_pairs(net, gaps, depth)[0], 1 - loop((1 - gaps)[None], depth - 1, net.reach)[0][0]
    return tuple(float(np.abs(values / exact - 1).max()) for values in found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=256)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--reach", type=int, default=1)
    given = parser.parse_args()
    print(f"{'M':>5} {'engine':>12} {'loop':>12} {'matrix':>12}   milliseconds a layer, all offsets; errors of 1 - c")
    for size in sorted({16, 64, given.positions}):
        net, gaps = ConvNet("relu", size, given.reach), np.random.default_rng(0).uniform(0, 1.5, (size, size))
        layers = max(2, min(given.depth, 50))
        engine = timed(conv_pairs, net, gaps, given.depth) / (given.depth - 1)
        plain = timed(loop, 1 - gaps, layers, given.reach) / layers
        whole = timed(by_matrix, 1 - gaps, layers, sparse_matrix(size, given.reach)) / layers
        shown = " and ".join(f"{e:.0e}" for e in errors(net, gaps[0], min(given.depth, 300))) if size <= 16 else "-"
        print(f"{size:>5} {1e3 * engine:>12.3f} {1e3 * plain:>12.3f} {1e3 * whole:>12.3f}   {shown}")


if __name__ == "__main__":
    main()
