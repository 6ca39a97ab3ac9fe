"""Every way in (arrays, dask, other libraries, scikit-learn) and every awkward input: one sentence or the right value.

Right values are those of the same rows given plainly, in float64.
"""

import re

import dask.array as da
import numpy as np
import pytest
import scipy.sparse

import asympt as asy
from asympt.depth import diagonal, gram, pairs
from asympt.errors import InputError, UnsupportedError
from asympt.learn import NNGP, NTK, DeepKernelRegressor, expected_steps, solve

pytestmark = pytest.mark.filterwarnings("error", "default::DeprecationWarning:dask")

RELU = asy.FeedForward("relu")
BIASED = asy.FeedForward("relu", sigma_w="3/2", sigma_b="1/2")
TANH = asy.FeedForward("tanh", sigma_w="3/2", sigma_b="1/5")
X = np.random.default_rng(5).normal(size=(6, 3))
TARGETS = np.arange(6.0)


def targets_of(points) -> np.ndarray:
    """One for each row."""
    return TARGETS[: getattr(points, "shape", (6,))[0]]


def lazily(function):
    """Through a dask array in chunks of two rows."""

    def call(net, points):
        return [part.compute(scheduler="synchronous") for part in function(net, da.from_array(points, chunks=2))]

    return call


def strictly(function):
    """Through the strict model of the array API, on a device of its own."""

    def call(net, points):
        pytest.importorskip("array_api_compat")
        xp = pytest.importorskip("array_api_strict")
        return [np.from_dlpack(part.to_device(xp.Device("CPU_DEVICE")))
                for part in function(net, xp.asarray(points, device=xp.Device("device1")))]  # fmt: skip

    return call


def kernels(net, points):
    return gram(net, points, depth=3)


def of_one(net, points):
    return diagonal(net, points, depth=3)


def regressor(net, points, **options):
    return DeepKernelRegressor(net, noise=0.1, **options).fit(points, targets_of(points))


WAYS = {
    "gram": kernels, "gram Y": lambda net, Y: gram(net, X, Y, depth=3), "diagonal": of_one,
    "dask gram": lazily(kernels), "dask diagonal": lazily(of_one),
    "other gram": strictly(kernels), "other diagonal": strictly(of_one),
    "NTK": lambda net, points: [NTK(net)(points)], "NNGP": lambda net, points: [NNGP(net).diag(points)],
    "gradient": lambda net, points: NTK(net, sigma_w=1.2)(points, eval_gradient=True),
    "fit": lambda net, points: regressor(net, points).predict(X, return_std=True),
    "predict": lambda net, points: regressor(net, X).predict(points, return_std=True),
    "cholesky": lambda net, points: [regressor(net, points, solver="cholesky").predict(X)],
    "cg": lambda net, points: [regressor(net, points, solver="cg", tolerance=1e-12).predict(X)],
    "solve": lambda net, points: [solve(NTK(net), points, targets_of(points), noise=0.1, tolerance=1e-12)],
    "steps": lambda net, points: [np.float64(expected_steps(NTK(net), points, noise=0.1))],
}  # fmt: skip
SCIKIT = ("fit", "predict", "cholesky", "cg")  # scikit-learn reads these, in its own words
EDGES = {
    "zeros": np.where(np.arange(6)[:, None] == 2, 0.0, X), "nothing but zeros": 0 * X,
    "duplicates": X[[0, 0, 1, 1, 2, 2]], "opposite": np.concatenate([X[:3], -X[:3]]), "one direction": X[[0, 0, 0]],
    "nearly equal": X[0] + 1e-9 * X, "one input": X[:1],
}  # fmt: skip


@pytest.mark.parametrize("net", [RELU, BIASED, TANH])
@pytest.mark.parametrize("edge", EDGES)
def test_values_at_the_edges(net, edge):
    """Finite everywhere, and the same by every way to the same kernel."""
    points = EDGES[edge]
    (sigma, ntk), (variance, own) = kernels(net, points), of_one(net, points)
    for square, edge_of in ((sigma, variance), (ntk, own)):
        np.testing.assert_array_equal(np.diag(square), edge_of)
        np.testing.assert_array_equal(square, square.T)
        assert np.linalg.eigvalsh(square)[0] >= -1e-12 * np.abs(square).max()
    for way in ("dask gram", "other gram"):
        for found, known in zip(WAYS[way](net, points), (sigma, ntk), strict=True):
            np.testing.assert_allclose(found, known, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(NTK(net, depth=3)(points), ntk, rtol=1e-15)
    eigen, cholesky, steps = (WAYS[way](net, points)[0] for way in ("fit", "cholesky", "cg"))
    np.testing.assert_allclose(cholesky, eigen, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(steps, eigen, rtol=1e-6, atol=1e-8)
    assert WAYS["steps"](net, points)[0] >= 1


@pytest.mark.parametrize("way", WAYS)
def test_numbers_of_other_types_are_numbers(way):
    whole = np.rint(3 * X)
    known = WAYS[way](RELU, whole)
    others = [whole.astype(kind) for kind in (np.float32, np.int8)]
    if not way.startswith("other"):
        others.append(whole.astype(np.float16))
    if not way.startswith(("dask", "other")):
        others += [whole.tolist(), np.asfortranarray(whole), np.ma.asarray(whole), whole.astype(object)]
    for other in others:
        for found, expected in zip(WAYS[way](RELU, other), known, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


REFUSED = {
    "NaN": (np.where(X > 1, np.nan, X), "holds nan|NaN"),
    "infinite": (np.where(X > 1, np.inf, X), "holds inf|infinity"),
    "masked": (np.ma.masked_greater(X, 1), "masked entr"), "sparse": (scipy.sparse.csr_matrix(X), "sparse|Sparse"),
    "truth values": (X > 0, "truth values"), "complex": (X + 1j, "omplex"), "one row": (X[0], r"shape \(3,\)|1D array"),
    "empty": (X[:0], r"shape \(0, 3\)|shape=\(0, 3\)"), "no columns": (X[:, :0], r"shape \(6, 0\)|shape=\(6, 0\)"),
    "three indices": (X[None], r"shape \(1, 6, 3\)|dim 3"), "dates": (X.astype(int).astype("M8[D]"), "datetime64"),
    "beyond": (1e200 * X, "exceeds? the float64 range"),
    "ragged": ([[1.0, 2.0], [3.0]], "different lengths|inhomogeneous"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("way", WAYS)
def test_refusals(way, name):
    points, named = REFUSED[name]
    if way.startswith(("dask", "other")) and name in ("masked", "sparse", "ragged", "dates"):
        pytest.skip("such an array cannot be made there, or is tested below")
    if way in SCIKIT and name == "truth values":
        assert np.isfinite(WAYS[way](RELU, points)[0]).all()  # 0 and 1, as everywhere in scikit-learn
        return
    with pytest.raises((ValueError, TypeError), match=named) as caught:
        WAYS[way](RELU, points)
    if way not in SCIKIT:
        assert isinstance(caught.value, InputError | UnsupportedError) and "\n" not in str(caught.value)


def test_other_columns():
    for way in (lambda: gram(RELU, X, X[:, :2], depth=3), lambda: NTK(RELU)(X, X[:, :2]),
                lambda: gram(RELU, da.from_array(X, chunks=2), X[:, :2], depth=3)):  # fmt: skip
        with pytest.raises(InputError, match="Y has 2 columns and X 3; give inputs"):
            way()
    with pytest.raises(ValueError, match=r"2 features.*expecting 3"):
        regressor(RELU, X).predict(X[:, :2])


def test_masked_entries_and_other_inputs_of_a_dask_array():
    hidden, lazy = np.ma.masked_greater(X, 1), da.from_array(X, chunks=2)
    with pytest.raises(InputError, match="masked entr"):
        lazily(kernels)(RELU, hidden)
    for other, named in ((hidden, "Y has [0-9]+ masked"), (X * np.nan, "Y holds nan"), (X[0], "Y has shape"),
                         (scipy.sparse.csr_matrix(X), "Y is a sparse")):  # fmt: skip
        with pytest.raises(InputError, match=named):
            gram(RELU, lazy, other, depth=3)
    for other, named in ((X > 0, "truth"), (X + 1j, "complex"), (X.astype(int).astype("M8[D]"), "datetime"),
                         (X[:, :0], re.escape("(6, 0)"))):  # fmt: skip
        with pytest.raises(InputError, match=named):  # before anything is computed
            gram(RELU, da.from_array(other, chunks=2), depth=3)
    with pytest.raises(InputError, match="y has 1 masked"):
        DeepKernelRegressor().fit(X, np.ma.masked_greater(TARGETS, 4))


GROWING = {  # the last layer whose NTK float64 holds is the one before, by one layer's factor sigma_w^2 m_2 at most
    "relu": asy.FeedForward("relu", sigma_w=4), "bias": asy.FeedForward("relu", sigma_w=4, sigma_b=1),
    "residual": asy.ResNet("relu", sigma_w=4),
}  # fmt: skip


@pytest.mark.parametrize("name", GROWING)
@pytest.mark.parametrize("way", ["gram", "diagonal", "NTK", "fit", "dask gram", "other gram"])
def test_the_layer_at_which_a_variance_leaves_float64(name, way):
    """It is said, it is the first one, and the layer before is computed."""
    ways = {
        "gram": lambda depth: gram(GROWING[name], X, depth=depth),
        "diagonal": lambda depth: diagonal(GROWING[name], X, depth=depth),
        "NTK": lambda depth: NTK(GROWING[name], depth)(X),
        "fit": lambda depth: DeepKernelRegressor(GROWING[name], depth).fit(X, TARGETS),
        "dask gram": lambda depth: lazily(lambda net, points: gram(net, points, depth=depth))(GROWING[name], X),
        "other gram": lambda depth: strictly(lambda net, points: gram(net, points, depth=depth))(GROWING[name], X),
    }
    with pytest.raises(UnsupportedError, match="float64 range") as caught:
        ways[way](1000)
    first = int(re.findall(r"layer (\d+)", str(caught.value))[-1])
    if way in ("gram", "diagonal"):
        assert np.isfinite(ways[way](first - 1)[1]).all()
        with pytest.raises(UnsupportedError):
            ways[way](first)


def test_a_network_without_a_settled_variance():
    """Kernels of inputs need none; pairs are told to give one."""
    for net in (GROWING["bias"], asy.ResNet("tanh", sigma_w=1)):
        assert all(np.isfinite(array).all() for array in gram(net, X, depth=4))
        with pytest.raises(InputError, match="give variance, the q"):
            pairs(net, 0.5, 4)
        assert np.isfinite(pairs(net, 0.5, 4, variance=1.0)).all()
