"""Backward passes of composed networks against Jacobians by central differences over every parameter, one by one."""

import numpy as np
import pytest

from asympt.blocks import average_pool, conv, dense, flatten, read_block
from asympt.depth.finite import Composition, composition, empirical_kernels
from asympt.depth.finite.descent import held
from asympt.errors import InputError, UnsupportedError

WIDTH, DEPTH, OUTPUTS, STEP = 6, 3, 2, 1e-5
X = np.random.default_rng(0).normal(size=(2, 3))
BLOCKS = [
    "serial(tanh, dense(1.3, 0.4))",
    "residual(layer_norm, gelu, dense(1.2), skip=1/2, scale=1/sqrt(LAYER))",
    "serial(residual(tanh, dense(0.8, 0.3)), rms_norm(affine=True))",
    "serial(residual(erf, dense(1.1), scale=1/sqrt(DEPTH)), layer_norm(affine=True))",
    "residual(rms_norm, dense(1, 0.5), tanh, dense(0.9))",
    "residual(layer_norm(affine=True), tanh, dropout(0.7), dense(1.2))",
    "serial(tanh, layer_norm(affine=True), dense(1, 0.2))",
    "serial(gated(dense(1.2, 0.3), serial(dense(0.8), tanh)), scale(3/2), dense(1))",
    "residual(layer_norm, gated(serial(dense(1), sigmoid), dense(1, 1)), rms_norm, dense(0.7))",
    "dense_connection(1/2, tanh, dense(1.1, 0.2))",
    "dense_connection(1/3, layer_norm(affine=True), dense(1), erf, dense(1))",
]


def jacobian(output, parameters: np.ndarray) -> np.ndarray:
    """d output/d parameters, one row per output: `parameters` is changed in place."""
    rows = []
    for index in np.ndindex(parameters.shape):
        kept = parameters[index]
        values = []
        for sign in (1, -1):
            parameters[index] = kept + sign * STEP
            values.append(output())
        parameters[index] = kept
        rows.append((values[0] - values[1]) / (2 * STEP))
    return np.array(rows).reshape(parameters.size, -1).T


def parameters_of(part) -> list:
    """The arrays of parameters that the forward pass reads, with their learning rates; weights have entries N(0, 1)."""
    match part:
        case composition.DrawnDense(rates=(weight, bias)):
            return [(part.matrix.entries, weight / part.sigma_w**2), (part.bias, bias)]
        case composition.Affine():
            return [(part.gain, 1), (part.bias, 1)]
    inner = [getattr(part, name) for name in ("branch", "one", "two") if hasattr(part, name)]
    return [found for one in [*inner, *getattr(part, "parts", [])] for found in parameters_of(one)]


def shares_by_differences(net: Composition, layers: list, X, outputs: int, readings) -> list[list[np.ndarray]]:
    """rate J J^T of every parameter of every layer, (outputs, outputs, N Q, N Q), from a change by itself."""

    def output():
        return (net.forward(layers, X)[-1][0, :outputs] @ readings.T).ravel()

    found = []
    for part, _, _ in layers:
        found.append([])
        for array, rate in parameters_of(part):
            slopes = jacobian(output, array).reshape(outputs, -1, array.size)
            found[-1].append(rate * np.einsum("oas,pbs->opab", slopes, slopes))
    return found


def require_gradients(net: Composition, X, readings, width: int, depth: int = DEPTH) -> None:
    """The NTK and all its shares are those of differences."""
    layers = net.draw(np.random.default_rng(1), X, depth, width, 1, held)
    net.forward(layers, X)
    found = net.tangents(layers, len(X), OUTPUTS)
    shares = shares_by_differences(net, layers, X, OUTPUTS, readings)
    below, last = sum(map(sum, shares[:-1])), sum(shares[-1])
    expected = {
        "ntk": composition.same(below + last), "below": composition.same(below), 
        "between": composition.different((below + last)[None])[0],
        "weights": [composition.same(share) for layer, (part, *_) in zip(shares, layers, strict=True)
                    for share, (array, _) in zip(layer, parameters_of(part), strict=True) if array.ndim == 3],
    }  # fmt: skip
    for name, wanted in expected.items():
        np.testing.assert_allclose(found[name][0], wanted, rtol=1e-7, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("block", BLOCKS)
def test_the_backward_pass_is_that_of_the_forward_pass(block):
    net = Composition((read_block(block), read_block("residual(erf, dense(1))")), dense(1, "1/2"))
    require_gradients(net, X, np.eye(1), WIDTH)


@pytest.mark.parametrize("padding", ["circular", "zero"])
@pytest.mark.parametrize("readout", [None, average_pool(), flatten()], ids=str)
@pytest.mark.parametrize("grid", [(4,), (3, 4)], ids=str)
def test_convolutions_on_a_circle_and_on_a_torus(grid, readout, padding):
    block = read_block(f"residual(layer_norm(affine=True), tanh, conv(1, {grid}, 1.2, 0.3, padding='{padding}'))")
    net = Composition((block,), conv(1, grid, 1, "1/2", padding), readout)
    signals = np.random.default_rng(2).normal(size=(2, 2, *grid))
    readings = np.full((1, np.prod(grid)), 1 / np.prod(grid)) if readout == average_pool() else np.eye(np.prod(grid))
    require_gradients(net, signals, readings, 4, depth=2)


@pytest.mark.parametrize(("blocks", "first", "readout", "says"), [
    (["serial(relu, dense(1))"], dense(1), flatten(), "readout flatten reads positions"),
    (["serial(relu, conv(1, 4))", "serial(relu, conv(1, 5))"], conv(1, 4), None, "positions; give all of them"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(blocks, first, readout, says):
    with pytest.raises(InputError, match=says):
        empirical_kernels(Composition(tuple(map(read_block, blocks)), first, readout), X, 2)


def test_symbols_jumps_and_sums_of_unequal_widths_are_refused():
    from sympy import Symbol

    with pytest.raises(InputError, match="holds s; give numbers"):
        Composition((read_block("serial(relu, dense(1))"),), dense(Symbol("s", positive=True)))
    with pytest.raises(UnsupportedError, match="jumps at x = 0"):
        Composition((read_block("serial(step, dense(1))"),), dense(1))
    wide = Composition((read_block("residual(dense(1), dense_connection(1, relu, dense(1)))"),), dense(1))
    with pytest.raises(InputError, match="adds 128 neurons to 64; end the branch with a dense"):
        empirical_kernels(wide, X, 2, width=64, most_seeds=2)
    with pytest.raises(InputError, match="fewer than outputs = 4"):
        empirical_kernels(
            Composition((read_block("dense_connection(1/64, relu, dense(1))"),), dense(1)), X, 2, width=64
        )
