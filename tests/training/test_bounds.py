"""Bounds on slopes: against random networks, and the comparison against exact powers."""

import numpy as np
import pytest
from sympy import Rational, symbols

from asympt.errors import InputError
from asympt.training.smoothness import largest_alpha, mlp_bound, residual_bound, smallest_depth, width_needed


def slope(alpha, sigma_w, sigma_v, size=48, blocks=3, seed=0):
    """|df/dx| of a random tanh network by finite differences in every direction."""
    random = np.random.default_rng(seed)
    first, readout = random.standard_normal((size, 5)), random.standard_normal(size)
    inner, outer = random.standard_normal((2, blocks, size, size))

    def output(x):
        state = first @ x / np.sqrt(5)
        for w, v in zip(inner, outer, strict=True):
            state = state + alpha * sigma_v / np.sqrt(size) * v @ np.tanh(sigma_w / np.sqrt(size) * w @ state)
        return sigma_w / np.sqrt(size) * readout @ state

    x, step = random.standard_normal(5), 1e-5
    return np.linalg.norm([(output(x + step * e) - output(x - step * e)) / (2 * step) for e in np.eye(5)])


@pytest.mark.parametrize(("alpha", "sigma_w", "sigma_v"), [(1, 1, 1), (0.1, 2, 3), (2, 0.5, 4)])
def test_random_networks_stay_below(alpha, sigma_w, sigma_v):
    bound = residual_bound(3, alpha, 48, 5, sigma_w, sigma_v)
    assert all(slope(alpha, sigma_w, sigma_v, seed=seed) < bound for seed in range(5))


def test_by_hand():
    alpha, depth, width, inputs = symbols("alpha L n d", positive=True)
    assert residual_bound(2, "1/9", 4, 1) == 2 * 5 * 4
    assert mlp_bound(3, 4, 1, slope=2) == 2 * 2 * 5 * 6**2
    ratio = (residual_bound(depth, alpha, width, inputs) / mlp_bound(depth, width, inputs)).simplify()
    assert ratio.subs({depth: 2, alpha: Rational(1, 10)}) == Rational(361, 300)


@pytest.mark.parametrize("slope_bound", [1, Rational(6, 5)])
@pytest.mark.parametrize("depth", [3, 4, 10])
def test_at_the_largest_alpha_the_bounds_are_equal(depth, slope_bound):
    alpha = largest_alpha(depth, slope_bound)
    quotient = residual_bound(depth, alpha, 10, 3, slope=slope_bound) / mlp_bound(depth, 10, 3, slope=slope_bound)
    assert abs(quotient.evalf(30) - 1) < 1e-25


def test_the_smallest_depth_by_trying():
    for alpha in (Rational(1, 10), Rational(1, 5), Rational(21, 100), Rational(1, 100)):
        first = smallest_depth(alpha)
        below = [(1 + 9 * alpha) ** depth <= 3 ** (depth - 1) for depth in range(1, first + 20)]
        assert below == [False] * (first - 1) + [True] * 20
    assert [smallest_depth(largest_alpha(depth)) for depth in (2, 3, 5, 20)] == [2, 3, 5, 20]
    assert (
        smallest_depth(0.1) == smallest_depth("1/10") == 3 and smallest_depth(Rational(2, 9) - Rational(1, 1000)) > 100
    )


def test_width():
    assert width_needed(2, 3) == 25


@pytest.mark.parametrize(("call", "named"), [
    (lambda: residual_bound(2, -1, 10, 10), "alpha = -1"),
    (lambda: mlp_bound(0, 10, 10), "depth = 0"),
    (lambda: mlp_bound(2, float("nan"), 10), "width"),
    (lambda: residual_bound(2, "alhpa(", 10, 10), "alpha"),
    (lambda: largest_alpha(1), "every alpha"),
    (lambda: smallest_depth("2/9"), "every depth"),
    (lambda: smallest_depth(symbols("a", positive=True)), "give numbers"),
    (lambda: width_needed(0, 1), "tail = 0"),
])  # fmt: skip
def test_bad_input(call, named):
    with pytest.raises(InputError, match=named):
        call()
