"""Kernels larger than the memory: N inputs in chunks, Sigma and K written to Zarr, with the memory that it took.

    python tests/benchmarks/out_of_core.py [N] [CHUNK] [DEPTH]        30,000 inputs by default: two arrays of 7.2 GB

The peer is the memory of the answer: both kernels in float64.  Times are of this machine, with its disk.
"""

import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np

import asympt as asy

N, CHUNK, DEPTH = 30_000, 3_000, 1000
DIMENSION = 50


def main(size: int = N, chunk: int = CHUNK, depth: int = DEPTH) -> None:
    """One line: seconds, peak of the resident memory, size of the answer, a check against the kernels of three rows."""
    points = np.random.default_rng(0).normal(size=(size, DIMENSION))
    net, folder = asy.FeedForward("relu"), Path(tempfile.mkdtemp())
    before, begun = _peak(), time.perf_counter()
    lazy = asy.depth.gram(net, da.from_array(points, chunks=(chunk, DIMENSION)), depth=depth)
    with dask.config.set(scheduler="threads", num_workers=2):
        names = zip(("sigma", "ntk"), lazy, strict=True)
        da.store(lazy, [_target(folder / name, array) for name, array in names])
    seconds, answer = time.perf_counter() - begun, 16 * size**2 / 2**30
    import zarr

    some = [0, size // 2, size - 1]
    stored = zarr.open_array(folder / "ntk", mode="r")
    expected = asy.depth.gram(net, points[some], depth=depth)[1]
    worst = max(abs(stored[i, j] / expected[a, b] - 1)
                for a, i in enumerate(some) for b, j in enumerate(some))  # fmt: skip
    shutil.rmtree(folder)
    print("      N  chunk  depth  seconds  peak GB  more GB answer GB    error")
    print(f"{size:>7} {chunk:>6} {depth:>6} {seconds:>8.1f} {_peak():>8.2f} {_peak() - before:>8.2f} {answer:>9.2f} "
          f"{worst:>8.1e}")  # fmt: skip


def _target(path: Path, array: da.Array):
    import zarr

    return zarr.open_array(path, mode="w", shape=array.shape, chunks=array.chunksize, dtype=array.dtype)


def _peak() -> float:
    """The largest resident memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
