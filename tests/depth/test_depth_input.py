"""Bad input: one sentence that names the value, the rule and the remedy; and what a float64 cannot hold.

Hostile arrays have tests of their own (`learn.test_awkward_inputs`, `test_hostile_arrays`).
"""

import re

import numpy as np
import pytest
from sympy import Integer, Rational, Symbol

from asympt import ResNet
from asympt.depth import diagonal, gram, pairs
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from tests.depth.layers import critical
from tests.statements import residual, scaled_residual

RELU = Layer(activation("relu"), Integer(2), Integer(0))
BIASED = Layer(activation("relu"), Integer(2), Rational(1, 10))
GROWING = Layer(activation("relu"), Integer(4), Integer(0))
X = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(("call", "named"), [
    (lambda: pairs(RELU, [0.1, 2.5], 3), "2.5"),
    (lambda: pairs(RELU, [-1e-20], 3), "-1e-20"),
    (lambda: pairs(RELU, [float("nan")], 3), "nan"),
    (lambda: pairs(RELU, [float("inf")], 3), "inf"),
    (lambda: pairs(RELU, ["a"], 3), "gap"),
    (lambda: pairs(RELU, [1j], 3), "gap"),
    (lambda: pairs(RELU, [0.1], 0), "0"),
    (lambda: pairs(RELU, [0.1], -3), "-3"),
    (lambda: pairs(RELU, [0.1], 2.5), "2.5"),
    (lambda: pairs(RELU, [0.1], True), "True"),
    (lambda: pairs(RELU, [0.1], 3, workers=0), "workers = 0"),
    (lambda: pairs(RELU, [0.1], 3, workers=1.5), "workers = 1.5"),
    (lambda: pairs(RELU, [0.1], 3, progress=7), "progress = 7"),
    (lambda: pairs(RELU, [0.1], 3, variance=0.0), "0.0"),
    (lambda: pairs(BIASED, [0.1], 3), "variance = None"),
    (lambda: pairs(BIASED, [0.1], 3, variance=-1), "-1"),
    (lambda: pairs(BIASED, [0.1], 3, variance=float("nan")), "nan"),
    (lambda: pairs(BIASED, [0.1], 3, variance=(1, 2, 3)), "3 entries"),
    (lambda: pairs(BIASED, [0.1, 0.2], 3, variance=[1, 2, 3]), "(3,)"),
    (lambda: pairs("relu", [0.1], 3), "relu"),
    (lambda: pairs(Layer(activation("leaky_relu", slope=Symbol("a")), Integer(2), Integer(0)), [0.1], 3), "symbol"),
    (lambda: pairs(Layer(activation("relu"), Symbol("w"), Integer(0)), [0.1], 3), "w"),
    (lambda: pairs(Layer(activation("relu"), Integer(-1), Integer(0)), [0.1], 3), "-1"),
    (lambda: pairs(RELU, [0.1, 0.2], 3, variance=[1, 2, 3]), "(3,)"),
    (lambda: pairs(RELU, [0.1, 0.2], 3, variance=([1, 2, 3], 1)), "(3,)"),
    (lambda: pairs(RELU, [True, 0.5], 3), "True"),
    (lambda: pairs(RELU, [None], 3), "holds None"),
    (lambda: gram(RELU, X, depth=3, workers=-1), "-1"),
    (lambda: gram(RELU, X, 3, depth=3), "depth=3"),
    (lambda: gram(RELU, X, depth=[]), "depth = []"),
    (lambda: gram(RELU, X, depth=[[1, 2]]), "neither a number nor a list"),
    (lambda: gram(RELU, X, depth=[3, 0]), "depth = 0"),
    (lambda: gram(RELU, X, depth=[3, -2]), "depth = -2"),
    (lambda: gram(RELU, X, depth=[3, 2.5]), "depth = 2.5"),
    (lambda: gram(RELU, X, depth="3"), "depth = '3'"),
    (lambda: gram(RELU, X, depth=10**31), "too deep for float64"),
    (lambda: gram(scaled_residual(RELU, Integer(1)), X, depth=10**12), "too deep to go layer by layer"),
    (lambda: pairs(residual(critical("erf")), 0.5, 10**12, variance=1.0), "too deep to go layer by"),
    (lambda: gram(RELU, X, depth=3, dtype=int), "dtype"),
    (lambda: gram(RELU, X, depth=3, dtype="float99"), "float99"),
    (lambda: gram(RELU, X, depth=3, progress=True), "progress = True"),
    (lambda: pairs(Layer(activation("gelu"), Integer(1), Integer(0)), 0.5, 3), "no stable fixed point"),
    (lambda: pairs(critical("erf"), [2.5], 3), "2.5"),
    (lambda: pairs(critical("erf"), [0.5, 0.6], 3, variance=[1, 2, 3]), "(3,)"),
    (lambda: pairs(critical("erf"), [0.5], 3, variance=-1), "-1"),
])  # fmt: skip
def test_one_clear_sentence(call, named):
    with pytest.raises(InputError, match=re.escape(named)) as caught:
        call()
    message = str(caught.value)
    assert "give" in message and "\n" not in message and not message.endswith(".")


def test_an_activation_that_jumps_is_refused():
    """Its kernel at any variances was given with the NTK of the phi' between the jumps."""
    layer, net = Layer(activation("step"), Integer(1), Rational(1, 10)), ResNet("step", sigma_w=1, sigma_b=1)
    for call in (lambda: pairs(layer, 0.5, 3), lambda: pairs(layer, 0.5, 3, variance=2),
                 lambda: gram(layer, X, depth=3), lambda: diagonal(net, X, depth=3)):  # fmt: skip
        with pytest.raises(UnsupportedError, match=r"jumps at .* no NTK; take a continuous"):
            call()


def test_a_kernel_beyond_float64_is_refused():
    with pytest.raises(UnsupportedError, match=r"use asympt\.depth\.pairs"):
        gram(GROWING, X, depth=2000)
    with pytest.raises(UnsupportedError, match=r"use asympt\.depth\.pairs"):
        gram(GROWING, [[1e10, 0.0]], depth=1000)
    gap, kernel = pairs(GROWING, 0.5, 2000)
    assert np.isfinite(gap) and np.isfinite(kernel)


def test_inputs_whose_kernels_leave_float64_are_refused_with_the_layer():
    fading, tanh = Layer(activation("relu"), Integer(1), Integer(0)), Layer(activation("tanh"), Integer(1), Integer(0))
    for net, inputs, depth, named in (
        (RELU, [[1e200, 1.0]], 3, "layer 3 exceeds .* divide X"),
        (RELU, 1e-200 * X, 3, "input 0 at layer 3 is below"),
        (RELU, [[1.0, 1.0], [1e-200, 0.0]], 3, "input 1 at layer 1 is below"),
        (fading, X, 3000, "input 0 at layer 3000 is below"),
        (tanh, 1e-200 * X, 3, "input 0 at layer 1 is below"),
    ):
        with pytest.raises(UnsupportedError, match=named):
            gram(net, inputs, depth=depth)


@pytest.mark.parametrize("exponent", [-505, -450, 450, 505])
def test_a_homogeneous_network_scales_with_its_inputs_as_far_as_float64_goes(exponent):
    """K(c x, c x') = c^2 K(x, x'), exactly for powers of 2; the squares of the entries pass through no kernel."""
    plain, moved = gram(RELU, X, depth=5), gram(RELU, np.ldexp(X, exponent), depth=5)
    for one, other in zip(plain, moved, strict=True):
        np.testing.assert_array_equal(np.ldexp(one, 2 * exponent), other)


def test_numpy_integers_are_depths():
    np.testing.assert_array_equal(pairs(RELU, 0.5, np.int64(5)), pairs(RELU, 0.5, 5))
