"""Lazy kernels of dask arrays are those of the same inputs as NumPy arrays, block by block and on several processes."""

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from asympt import FeedForward, InputError, UnsupportedError
from asympt.depth import diagonal, gram
from asympt.depth.gram import lazy_gram

NET = FeedForward("relu", sigma_w="3/2", sigma_b="1/2")
pytestmark = pytest.mark.filterwarnings("default")  # dask and distributed warn of ports, versions and sizes


@pytest.fixture(scope="module")
def inputs() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(25, 4))


@pytest.mark.parametrize("depth", [7, [1, 3, 50]])
def test_square_kernels(inputs, depth):
    expected = gram(NET, inputs, depth=depth)
    found = gram(NET, da.from_array(inputs, chunks=(10, 2)), depth=depth)
    for lazy, known in zip(found, expected, strict=True):
        assert isinstance(lazy, da.Array) and lazy.shape == known.shape and lazy.dtype == known.dtype
        values = lazy.compute(scheduler="synchronous")
        assert values == pytest.approx(known, rel=1e-13)
        assert np.array_equal(values, np.swapaxes(values, -1, -2))


def test_test_against_training(inputs):
    expected = gram(NET, inputs[:5], inputs[5:], depth=4)
    for one, two in ((da.from_array(inputs[:5], chunks=(2, 4)), inputs[5:]),
                     (inputs[:5], da.from_array(inputs[5:], chunks=(7, 4)))):  # fmt: skip
        for lazy, known in zip(gram(NET, one, two, depth=4), expected, strict=True):
            assert lazy.compute(scheduler="synchronous") == pytest.approx(known, rel=1e-13)


def test_the_diagonal_and_single_precision(inputs):
    lazy = da.from_array(inputs, chunks=(10, 4))
    for found, known in zip(diagonal(NET, lazy, depth=9), diagonal(NET, inputs, depth=9), strict=True):
        assert found.compute(scheduler="synchronous") == pytest.approx(known, rel=1e-14)
    single, _ = gram(NET, lazy, depth=9, dtype=np.float32)
    assert single.dtype == np.float32 and single.compute(scheduler="synchronous").dtype == np.float32


def test_nothing_is_computed_before_it_is_asked_for_and_symmetric_blocks_once(inputs):
    asked = []

    def block(X, Y=None):
        asked.append((len(X), None if Y is None else len(Y)))
        return gram(NET, X, Y, depth=3)

    sigma, kernel = lazy_gram(block, da.from_array(inputs, chunks=(10, 4)), None, None, float)
    assert not asked
    da.compute(sigma, kernel, scheduler="synchronous")
    assert sorted(asked, key=str) == sorted([(10, None), (10, None), (5, None), (10, 10), (10, 5), (10, 5)], key=str)


def test_two_processes(inputs):
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        sigma, kernel = gram(NET, da.from_array(inputs, chunks=(10, 4)), depth=20)
        found = da.compute(sigma, kernel)
    for values, known in zip(found, gram(NET, inputs, depth=20), strict=True):
        assert values == pytest.approx(known, rel=1e-13)


def test_refusals(inputs):
    lazy = da.from_array(inputs, chunks=(10, 4))
    with pytest.raises(UnsupportedError, match="compute_chunk_sizes"):
        gram(NET, lazy[lazy[:, 0] > 0], depth=3)
    with pytest.raises(InputError, match="depth"):
        gram(NET, lazy, depth=0)
