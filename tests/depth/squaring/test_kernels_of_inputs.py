"""Rectangular kernels, several depths, diagonals, types, and inputs of every awkward kind."""

import numpy as np
import pytest
from sympy import Integer, Rational

import asympt as asy
from asympt.depth import diagonal, gram, pairs
from asympt.depth.stack import DEPTH
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from tests import statements
from tests.depth.layers import critical, dense

RANDOM = np.random.default_rng(12)
RELU = Layer(activation("relu"), Integer(2), Integer(0))
BIASED = Layer(activation("relu"), Rational(3, 2), Rational(1, 10))
NETS = {
    "relu": RELU, "bias": BIASED, "growing": Layer(activation("relu"), Integer(2), Rational(1, 10)),
    "scaled": statements.scaled_residual(RELU, Integer(1)), "erf": critical("erf"), "gelu": dense("gelu", 1, "1/5"),
}  # fmt: skip
X, Y = RANDOM.normal(size=(7, 4)), RANDOM.normal(size=(5, 4)) * 2


@pytest.mark.parametrize("name", NETS)
def test_a_rectangle_is_a_part_of_the_square(name):
    whole = gram(NETS[name], np.concatenate([X, Y]), depth=[1, 6])
    for square, part in zip(whole, gram(NETS[name], X, Y, depth=[1, 6]), strict=True):
        assert part.shape == (2, 7, 5)
        np.testing.assert_allclose(part, square[:, :7, 7:], rtol=1e-12)


@pytest.mark.parametrize("name", NETS)
def test_several_depths_are_what_each_is_alone(name):
    together, on_diagonal = gram(NETS[name], X, depth=[40, 1, 3]), diagonal(NETS[name], X, depth=[40, 1, 3])
    several = pairs(NETS[name], [0.5, 1e-9], depth=[40, 1, 3], variance=2)
    for at, depth in enumerate([40, 1, 3]):
        np.testing.assert_array_equal([v[at] for v in several], pairs(NETS[name], [0.5, 1e-9], depth, variance=2))
        for many, one, few in zip(together, gram(NETS[name], X, depth=depth), on_diagonal, strict=True):
            np.testing.assert_allclose(many[at], one, rtol=1e-13)
            np.testing.assert_array_equal(few[at], np.diag(many[at]))
            np.testing.assert_array_equal(many[at], many[at].T)
    assert diagonal(NETS[name], X, depth=2)[0].shape == (7,)


SCHEDULED = statements.with_rates(NETS["gelu"], 1 / DEPTH, Integer(1))  # every depth has layers of its own


@pytest.mark.parametrize("net", [NETS["erf"], dense("elu", 1, "1/5"), SCHEDULED], ids=["erf", "elu", "scheduled"])
@pytest.mark.parametrize("depths", [[6, 1, 6, 2], [6, 2]])
@pytest.mark.parametrize("other", [None, Y])
def test_depths_that_repeat_or_fall(net, depths, other):
    """The arrays of one depth serve as memory for all: no other may read them once they are written."""
    together = gram(net, X, other, depth=depths)
    for at, depth in enumerate(depths):
        for many, one in zip(together, gram(net, X, other, depth=depth), strict=True):
            np.testing.assert_allclose(many[at], one, rtol=1e-13)


def test_tiles_do_not_show():
    """More pairs than a tile has: entries are those of a few inputs alone, and of `pairs`."""
    inputs = RANDOM.normal(size=(400, 6))
    sigma, kernel = gram(RELU, inputs, depth=50)
    few = gram(RELU, inputs[[0, 1, 250, 399]], depth=50)
    for large, small in zip((sigma, kernel), few, strict=True):
        np.testing.assert_allclose(large[np.ix_([0, 1, 250, 399], [0, 1, 250, 399])], small, rtol=2e-15)
    gap, k = pairs(RELU, 1 - sigma[3, 4] / np.sqrt(sigma[3, 3] * sigma[4, 4]), 1)
    assert gap < 0.5 and k > 0.5
    np.testing.assert_array_equal(sigma, sigma.T)


def test_float32():
    for wide, narrow in zip(gram(RELU, X, depth=9), gram(RELU, X, depth=9, dtype="float32"), strict=True):
        assert narrow.dtype == np.float32
        np.testing.assert_array_equal(wide.astype(np.float32), narrow)
    with pytest.raises(UnsupportedError, match="float32 range; take dtype=float64"):
        gram(RELU, 1e20 * X, depth=9, dtype=np.float32)


def test_awkward_rows():
    """Zeros, duplicates, opposite rows: sigma_w^2 x.y/d = 2 (9 + 16)/2; f(-1) = 0 and f'(-1) = 0 for ReLU."""
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [-3.0, -4.0]])
    sigma, kernel = gram(RELU, rows, depth=2)
    np.testing.assert_array_equal(sigma[0], 0.0)
    np.testing.assert_allclose(sigma[1], [0, 25, 25, 0], atol=1e-15)
    np.testing.assert_allclose(kernel[1], [0, 50, 50, 0], atol=1e-14)
    _, later = gram(RELU, rows, rows, depth=10**6)
    np.testing.assert_allclose(later[1, :3], [0, 25e6, 25e6], rtol=1e-14)
    assert later[1, 3] == pytest.approx(later[3, 2], rel=1e-13)


def test_a_variance_beyond_float64_names_its_layer():
    """K^l = l 4^(l-1) 8: 2 (l - 1) + 3 + log2(l) exceeds 1024 first at l = 508."""
    growing = Layer(activation("relu"), Integer(8), Integer(0))
    with pytest.raises(UnsupportedError, match="from layer 508 on"):
        gram(growing, [[1.0]], depth=2000)
    chaotic = dense("erf", 3, "1/5")
    with pytest.raises(UnsupportedError, match="exceeds the float64 range, from layer") as caught:
        diagonal(chaotic, [[1.0]], depth=10**6)
    first = int(str(caught.value).split("from layer ")[1].split()[0])
    assert np.isfinite(diagonal(chaotic, [[1.0]], depth=first - 1)[1]).all()
    with pytest.raises(UnsupportedError):
        diagonal(chaotic, [[1.0]], depth=first)


def test_a_bar_is_drawn_only_on_a_terminal(capfd):
    gram(RELU, X, depth=5)
    assert capfd.readouterr() == ("", "")


def test_progress_ends_with_everything_done():
    seen = []
    gram(asy.FeedForward("relu"), RANDOM.normal(size=(60, 3)), depth=[2, 5], progress=lambda *pair: seen.append(pair))
    assert seen[-1] == (60 * 59 // 2 * 5, 60 * 59 // 2 * 5)
