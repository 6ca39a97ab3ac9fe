"""The symbolic kernels: rotations, functions of matrices, and formulas that are refused."""

import numpy as np
import pytest
from scipy.linalg import expm
from sympy import Integer, Matrix, Symbol, eye, symbols

from asympt.training.two_point import SCALE, TIME, ExactKernel, at_start, flow_residual, is_zero, residual_name, vector

KERNELS = (ExactKernel.general(), ExactKernel.three())


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_basis_is_a_rotation_and_the_inverse_an_inverse(kernel):
    assert is_zero(kernel.basis * kernel.basis.T - eye(kernel.size))
    assert is_zero(kernel.matrix * kernel.inverse - eye(kernel.size))


def test_the_decay_is_the_matrix_exponential():
    kernel = ExactKernel.three(Integer(1), Integer(2), Integer(0))
    found = np.array(kernel.decay().subs({SCALE: 1, TIME: 2}).evalf(20).tolist(), dtype=float)
    np.testing.assert_allclose(found, expm(-2 * np.array(kernel.matrix.tolist(), dtype=float)), atol=1e-14)


def test_a_right_and_a_wrong_formula():
    kernel = KERNELS[1]
    start, targets, decay = vector("f", 3), vector("y", 3), kernel.decay()
    right = decay * start + (eye(3) - decay) * targets
    wrong = decay * start + (eye(3) + decay) * targets
    assert is_zero(flow_residual(right, kernel.matrix, targets)) and is_zero(at_start(right) - start)
    assert not is_zero(at_start(wrong) - start)
    assert residual_name(at_start(wrong) - start) == "2*y1, 2*y2, 2*y3"


def test_a_long_residual_is_shown_as_a_number():
    x = symbols("x1:20", positive=True)
    text = residual_name(Matrix([sum(a * b**2 for a, b in zip(x, reversed(x), strict=True))]))
    assert "at x1 = 1/10, x10 = 1/5" in text


@pytest.mark.parametrize("value", [Symbol("t", positive=True), Symbol("nu", positive=True), Symbol("u", real=True)])
def test_an_eigenvalue_of_any_name_is_no_symbol_of_the_flow(value):
    kernel = ExactKernel.general(value, Integer(2))
    one = kernel.matrix.trace()  # the trace of Q diag(lambda) Q^T is the sum of lambda, whatever Q
    assert (one - value - 2).simplify() == 0 and kernel.decay().free_symbols >= {value, SCALE, TIME}
