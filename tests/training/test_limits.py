"""Predictions of infinitely deep kernels against kernels of finite depth, and the symbolic inverse."""

import numpy as np
import pytest
from sympy import Matrix, Rational, eye, ones, symbols

from asympt import FeedForward
from asympt.depth import gram, pairs
from asympt.errors import InputError, UnsupportedError
from asympt.training.prediction import (
    collapsed_prediction,
    equal_prediction,
    mean_prediction,
    ordered_prediction,
    rank_one_inverse,
)

ORDERED = FeedForward("erf", sigma_w=1, sigma_b=Rational(1, 5))


def gaps(seed: int = 0, count: int = 5, size: int = 4) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, size))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    found = 1 - vectors @ vectors.T
    np.fill_diagonal(found, 0.0)
    return (found + found.T) / 2


@pytest.mark.parametrize("size", [2, 3, 6])
def test_equal_correlations_against_the_inverse(size):
    kernel = 0.4 * ones(size, size) + Rational(3, 5) * eye(size)
    weights = (Rational(2, 5) * ones(1, size) * kernel.inv()).tolist()[0]
    assert all(abs(weight - equal_prediction(1, Rational(2, 5), size)) < 1e-15 for weight in weights)


def test_the_three_limits():
    """Chaotic 0, ordered the mean 1/n, edge of chaos 1/(n + 3) for ReLU (lambda = 1/4)."""
    n = symbols("n")
    assert equal_prediction(1, 0, n) == 0
    assert equal_prediction(1, 1, n) == 1 / n
    assert (equal_prediction(1, Rational(1, 4), n) - 1 / (n + 3)).simplify() == 0


def test_the_edge_of_chaos_at_depth():
    """Inputs of any norms: P(Theta^L) y tends to |x| (sum of y_i/|x_i|)/(n + 3): only the norms still count."""
    inputs = np.random.default_rng(1).normal(size=(8, 6))
    targets, norms = np.arange(1.0, 6.0), np.linalg.norm(inputs, axis=1)
    expected = norms[5:] * (targets / norms[:5]).sum() / 8
    errors = []
    for depth in (10**3, 10**5):
        _, kernel = gram(FeedForward("relu"), inputs, depth=depth)
        errors.append(np.abs(mean_prediction(kernel[5:, :5], kernel[:5, :5], targets) - expected).max())
    assert errors[1] < 1e-3 and errors[1] < errors[0] / 30


@pytest.mark.parametrize("size", [2, 3])
def test_the_rank_one_inverse_in_symbols(size):
    p, scale, a, b, c = symbols("p lambda a b c", positive=True)
    matrix = Matrix([[0, a, b], [a, 0, c], [b, c, 0]])[:size, :size]
    total = p * ones(size, size) + scale * matrix
    rest = (total * rank_one_inverse(p, scale, matrix) - eye(size)).applyfunc(lambda entry: entry.cancel())
    assert rest.is_zero_matrix


def test_the_collapsed_prediction_is_the_limit_of_small_shares():
    rng = np.random.default_rng(3)
    kernel = rng.normal(size=(6, 6))
    kernel = kernel + kernel.T
    targets = rng.normal(size=(4, 2))
    found = collapsed_prediction(kernel[:4, :4], kernel[4:, :4], targets)
    errors = []
    for share in (1e-3, 1e-5):
        inverse = np.linalg.inv(1 + share * kernel[:4, :4])
        errors.append(np.abs((1 + share * kernel[4:, :4]) @ inverse @ targets - found).max())
    assert errors[1] < 0.02 * errors[0] < 1e-2


def test_a_test_point_that_is_a_training_point_gets_its_target():
    square = gaps()
    np.testing.assert_allclose(collapsed_prediction(square, square[2:3], np.arange(5.0)), [2.0], rtol=1e-10)


def test_the_ordered_phase_against_the_nngp_kernel_of_finite_depth():
    """At layer 40 the gaps are small and float64 still solves; the error is of the size of the gaps, chi^l."""
    square, targets = gaps(), np.array([1.0, -2.0, 0.5, 3.0])
    limit = ordered_prediction(ORDERED, square[:4, :4], square[4:, :4], targets)
    errors = []
    for depth in (20, 40):
        ends, _ = pairs(ORDERED, square, depth)
        found = mean_prediction(1 - ends[4:, :4], 1 - ends[:4, :4], targets)
        errors.append(abs(found[0] - limit[0]))
    chi = float(ORDERED.layer.chi.evalf(20))
    assert errors[1] / errors[0] == pytest.approx(chi**20, rel=0.2)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: rank_one_inverse(1, 1, [[1]]), InputError, "not a SymPy matrix"),
    (lambda: collapsed_prediction(np.ones((2, 3)), np.ones((1, 2)), [1, 2]), InputError, r"shape \(2, 3\)"),
    (lambda: collapsed_prediction([[0, 0], [0, 0]], [[0, 0]], [1, 2]), InputError, "points 0 and 1 coincide"),
    (lambda: ordered_prediction(FeedForward("relu"), gaps(), gaps(), np.ones(5)), UnsupportedError, "edge of"),
    (
        lambda: ordered_prediction(FeedForward("relu", sigma_w=1, sigma_b=1), gaps(), gaps(), np.ones(5)),
        UnsupportedError,
        "has a kink",
    ),
    (lambda: ordered_prediction("relu", gaps(), gaps(), np.ones(5)), UnsupportedError, "not a FeedForward network"),
    (lambda: ordered_prediction(ORDERED, 3 * gaps(), gaps(), np.ones(5)), InputError, "1 - gaps has the eigen"),
])  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
