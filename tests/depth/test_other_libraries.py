"""Arrays of JAX, PyTorch and the array API's strict model: answers of the same library, equal to NumPy's."""

import importlib

import numpy as np
import pytest

import asympt as asy
from asympt.arrays import finite_array, library_of
from asympt.depth import diagonal, gram, pairs
from asympt.errors import InputError, UnsupportedError
from tests.depth.layers import critical, dense

pytest.importorskip("array_api_compat")

RANDOM = np.random.default_rng(3)
NETS = {
    "relu": asy.FeedForward("relu"), "leaky": asy.FeedForward("leaky_relu", slope="-1/2", sigma_w=1),
    "residual": asy.ResNet("relu", sigma_w=1), "scaled": asy.ScaledResNet("relu", sigma_w=1),
    "bias": asy.FeedForward("relu", sigma_w="3/2", sigma_b="1/2"), "erf": critical("erf"),
    "odd": dense("erf", 2, 0), "gelu": dense("gelu", 1, "1/5"),
}  # fmt: skip
AWKWARD = np.concatenate([
    [0.0, 2.0, 1.0, 1e-280, 5e-30, 1e-8, 2 - 1e-12, 2 - 2.0**-52], np.nextafter(2.0 ** -np.arange(1.0, 40), 0),
    2.0 ** -np.arange(1.0, 40), RANDOM.uniform(0, 2, 1000), 10 ** RANDOM.uniform(-15, 0, 200),
])  # fmt: skip


def strict():
    return pytest.importorskip("array_api_strict")


def jax():
    library = pytest.importorskip("jax")
    library.config.update("jax_enable_x64", True)
    return library.numpy


def torch():
    return pytest.importorskip("torch")


LIBRARIES = {"strict": strict, "jax": jax, "torch": torch}


@pytest.fixture(params=LIBRARIES)
def xp(request):
    return LIBRARIES[request.param]()


def seen(array) -> np.ndarray:
    return finite_array(array, "found")


def same(found, expected, rel: float, absolute: float = 0.0) -> None:
    for one, other in zip(found, expected, strict=True):
        assert not isinstance(one, np.ndarray) and tuple(one.shape) == other.shape
        np.testing.assert_allclose(seen(one), other, rtol=rel, atol=absolute)


@pytest.mark.parametrize("name", NETS)
def test_pairs_at_every_gap(xp, name):
    variance = 1.0 if name == "bias" else None
    for depth in (1, 2, 30):
        expected = pairs(NETS[name], AWKWARD, depth, variance=variance)
        found = pairs(NETS[name], xp.asarray(AWKWARD), depth, variance=variance)
        same(found, expected, 3e-13, 1e-14 * np.abs(expected[1]).max())
        np.testing.assert_allclose(seen(found[0]), expected[0], rtol=3e-13)
        assert "float64" in str(found[0].dtype)


def test_any_shape_and_depth(xp):
    for shape in ((), (0,), (2, 3)):
        gap = np.full(shape, 0.25)
        for depth in (1, 10**12):
            same(pairs(NETS["relu"], xp.asarray(gap), depth), [np.asarray(v) for v in pairs(NETS["relu"], gap, depth)],
                 1e-14)  # fmt: skip


def test_variances_of_their_own_go_through_numpy(xp):
    gap, q = np.array([0.1, 0.5, 1.0]), np.array([1.0, 2.0, 3.0])
    for name in ("bias", "gelu"):
        expected = pairs(NETS[name], gap, 7, variance=(q, 1.0))
        same(pairs(NETS[name], xp.asarray(gap), 7, variance=(xp.asarray(q), 1.0)), expected, 1e-14)
        same(pairs(NETS[name], gap, 7, variance=(xp.asarray(q), 1.0)), expected, 1e-14)


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("norms", ["equal", "any"])
def test_kernels(xp, name, norms):
    """Duplicates, zeros, opposite and nearly equal rows among them."""
    X = RANDOM.normal(size=(9, 4))
    X[3], X[4], X[5] = X[2], -X[2], X[2] * (1 + 1e-13) + 1e-9 * X[6]
    if norms == "equal":
        X /= np.linalg.norm(X, axis=1)[:, None]
    elif name != "scaled":
        X[8] = 0
    Y = X[[1, 5, 0]] + 0.5
    for other in (None, Y):
        theirs = None if other is None else xp.asarray(other)
        expected = gram(NETS[name], X, other, depth=[1, 6])
        found = gram(NETS[name], xp.asarray(X), theirs, depth=[1, 6])
        same(found, expected, 1e-11, 1e-14 * np.abs(expected[1]).max())
    single = gram(NETS[name], xp.asarray(X), depth=6, dtype="float32")
    assert all("float32" in str(array.dtype) and tuple(array.shape) == (9, 9) for array in single)
    same(single, [array[1] for array in gram(NETS[name], X, depth=[1, 6])], 1e-6, 1e-6)
    square = seen(gram(NETS[name], xp.asarray(X), depth=6)[1])
    np.testing.assert_array_equal(square, square.T)
    same(diagonal(NETS[name], xp.asarray(X), depth=[1, 6]), diagonal(NETS[name], X, depth=[1, 6]), 1e-15)


def test_gaps_of_neighbours_keep_their_digits(xp):
    """A cluster that is 1e-7 wide, far from others: gaps of 1e-14, whose NTK in a chaotic phase is all that matters."""
    X = np.concatenate([RANDOM.normal(size=(1, 5)) + 1e-7 * RANDOM.normal(size=(5, 5)), RANDOM.normal(size=(3, 5))])
    X /= np.linalg.norm(X, axis=1)[:, None]
    net = dense("erf", 3, 0)
    same(gram(net, xp.asarray(X), depth=30), gram(net, X, depth=30), 1e-6, 1e-9)
    alone = X[:5]
    same(gram(net, xp.asarray(alone), depth=12), gram(net, alone, depth=12), 1e-9)


def test_numbers_of_other_types(xp):
    X = np.array([[1.0, 2.0], [3.0, -1.0]])
    expected = gram(NETS["relu"], X, depth=5)
    for kind in (xp.float32, xp.int64, xp.int8):
        same(gram(NETS["relu"], xp.asarray(X, dtype=kind), depth=5), expected, 1e-15)
    same(gram(NETS["relu"], xp.asarray(X), X, depth=5), [v + 0.0 for v in gram(NETS["relu"], X, X, depth=5)], 1e-14)
    if hasattr(xp, "bfloat16"):
        same(gram(NETS["relu"], xp.asarray(X, dtype=xp.bfloat16), depth=5), expected, 1e-15)
    with pytest.raises(InputError, match="truth values"):
        gram(NETS["relu"], xp.asarray(X > 0), depth=5)
    with pytest.raises(InputError, match="complex"):
        pairs(NETS["relu"], xp.asarray([0.1 + 0.0j]), 5)


@pytest.mark.parametrize(("call", "named"), [
    (lambda xp: gram(NETS["relu"], xp.asarray([1.0, 2.0]), depth=3), r"X has shape \(2,\)"),
    (lambda xp: gram(NETS["relu"], xp.asarray([[np.nan, 2.0]]), depth=3), "X holds nan"),
    (lambda xp: gram(NETS["relu"], xp.zeros((0, 2)), depth=3), "N and d at least 1"),
    (lambda xp: gram(NETS["relu"], xp.ones((2, 2)), xp.ones((2, 3)), depth=3), "Y has 3 columns and X 2"),
    (lambda xp: pairs(NETS["relu"], xp.asarray([0.5, 2.5]), 3), "gap holds 2.5"),
    (lambda xp: pairs(NETS["relu"], xp.asarray([np.inf]), 3), "gap holds inf"),
    (lambda xp: pairs(NETS["bias"], xp.asarray([0.5]), 3, variance=xp.asarray([0.0])), "variance holds 0.0"),
    (lambda xp: pairs(NETS["relu"], xp.asarray([0.5]), 3, dtype=int), "dtype"),
    (lambda xp: diagonal(NETS["relu"], xp.ones((2, 2)), depth=0), "depth = 0"),
])  # fmt: skip
def test_one_clear_sentence(xp, call, named):
    with pytest.raises(InputError, match=named):
        call(xp)


def test_a_range_that_float32_has_not(xp):
    with pytest.raises(UnsupportedError, match="layer 9 exceed the float32 range"):
        gram(NETS["relu"], xp.asarray([[1e20, 1.0], [1.0, 1e20]], dtype=xp.float64), depth=9, dtype="float32")


def test_answers_lie_where_the_inputs_do():
    xp = strict()
    there, X = xp.Device("device1"), RANDOM.normal(size=(4, 3))
    for array in (*gram(NETS["relu"], xp.asarray(X, device=there), X, depth=9),
                  *gram(NETS["bias"], xp.asarray(X, device=there), depth=9),
                  *diagonal(NETS["relu"], xp.asarray(X, device=there), depth=9),
                  *pairs(NETS["erf"], xp.asarray(np.abs(X[0]) % 2, device=there), 9)):  # fmt: skip
        assert array.device == there
    with pytest.raises(InputError, match=r"X and Y are arrays of different libraries or devices .*device1.*give both"):
        gram(NETS["relu"], xp.asarray(X, device=there), xp.asarray(X), depth=9)


def test_a_device_without_float64():
    xp = strict()
    X = xp.asarray([[1.0, 2.0], [3.0, -1.0]], dtype=xp.float32, device=xp.Device("no_float64"))
    with pytest.raises(InputError, match=r"has no float64; take dtype='float32'"):
        gram(NETS["relu"], X, depth=5)
    with pytest.raises(InputError, match=r"has no float64"):
        pairs(NETS["relu"], X[0, :] / 4, 5)
    expected = gram(NETS["relu"], [[1.0, 2.0], [3.0, -1.0]], depth=5, dtype="float32")
    for found, known in zip(gram(NETS["relu"], X, depth=5, dtype="float32"), expected, strict=True):
        assert found.device == X.device
        np.testing.assert_array_equal(seen(found), known)
    assert "float32" in str(pairs(NETS["relu"], X[0, :] / 4, 5, dtype="float32")[0].dtype)


def test_jax_without_float64():
    numpy = jax()
    config = importlib.import_module("jax").config
    config.update("jax_enable_x64", False)
    try:
        with pytest.raises(InputError, match=r"jax\.config\.update\('jax_enable_x64', True\)"):
            gram(NETS["relu"], numpy.ones((2, 2)), depth=3)
        found, _ = gram(NETS["relu"], numpy.ones((2, 2)), depth=3, dtype="float32")
        assert found.dtype == np.float32 and found[0, 1] == pytest.approx(2)
    finally:
        config.update("jax_enable_x64", True)


def test_jax_cannot_trace_through():
    jax()
    library = importlib.import_module("jax")
    for wrapped, gap in ((library.jit, 0.5), (library.grad, 0.5), (library.vmap, library.numpy.asarray([0.5]))):
        with pytest.raises(InputError, match=r"gap is traced by JAX"):
            wrapped(lambda gap: pairs(NETS["relu"], gap, 5)[0])(gap)


def test_torch_tensors_without_values():
    library = torch()
    for X, named in (
        (library.ones((2, 2), requires_grad=True), r"give X\.detach\(\)"),
        (library.nn.Parameter(library.ones((2, 2))), "requires gradients"),
        (library.ones((2, 2), device="meta"), "device meta"),
        (library.eye(2).to_sparse(), "sparse matrix"),
    ):
        with pytest.raises(InputError, match=named):
            gram(NETS["relu"], X, depth=3)
    assert gram(NETS["relu"], library.ones((2, 2), requires_grad=True).detach(), depth=3)[0][0, 1] == pytest.approx(2)


def test_two_libraries_at_once():
    one, other = strict(), jax()
    with pytest.raises(InputError, match="X and Y are arrays of different libraries"):
        gram(NETS["relu"], one.asarray([[1.0]]), other.asarray([[1.0]]), depth=3)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "array_api_compat", None)
    with pytest.raises(InputError, match=r"X is an array of array_api_strict.*asympt\[array\]"):
        gram(NETS["relu"], strict().asarray([[1.0]]), depth=3)
    assert library_of(X=np.ones(2), Y=[1.0], Z=None) is None
