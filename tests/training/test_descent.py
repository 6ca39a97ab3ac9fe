"""Steps under a frozen kernel: closed form, algorithm independence, stability."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asympt import FeedForward
from asympt.depth import gram
from asympt.errors import InputError
from asympt.training.flow import Update, descend, descent, fastest_rate, flow, flow_at, largest_rate, newton


def problem(seed: int) -> tuple:
    """Four training and three test points of a ReLU network, two outputs, random starts."""
    rng = np.random.default_rng(seed)
    _, ntk = gram(FeedForward("relu"), rng.normal(size=(7, 6)), depth=5)
    return ntk[:4, :4], ntk[4:, :4], rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), rng.normal(size=(3, 2)), rng


@given(st.integers(0, 300))
def test_algorithm_independence(seed):
    """PDLT (10.35): any steps with any rates, Newton tensors and losses, then one Newton's step."""
    kernel, cross, targets, start, first, rng = problem(seed)
    steps = [
        Update(rng.uniform(0.001, 0.1), rng.normal(size=(4, 4))),
        Update(0.01, None, lambda z: np.sinh(z - targets)),
        Update(0.02, rng.normal(size=(4, 4)), lambda z: np.tanh(z) - targets**2),
        Update(0.05),
    ]
    here = descend(kernel, targets, steps, start=start)[-1]
    there = descend(kernel, targets, steps, start=start, cross=cross, test_start=first)[-1]
    ends = newton(kernel, targets, start=here, cross=cross, test_start=there)
    direct = newton(kernel, targets, start=start, cross=cross, test_start=first)
    scale = np.abs(np.concatenate([here, there])).max()
    np.testing.assert_allclose(ends, direct, atol=1e-9 * scale)


def test_newton_is_the_end_of_gradient_flow():
    """PDLT (10.28) against HDR (9) at t = infinity."""
    kernel, cross, targets, start, first, _ = problem(1)
    expected = flow_at(cross, kernel, targets, np.inf, start=start, test_start=first)
    np.testing.assert_allclose(newton(kernel, targets, start=start, cross=cross, test_start=first), expected, rtol=1e-9)
    np.testing.assert_allclose(newton(kernel, targets, start=start), targets, rtol=1e-12)


def test_a_newton_step_is_a_step_with_the_inverse_as_its_tensor():
    kernel, cross, targets, start, first, _ = problem(2)
    step = Update(1.0, np.linalg.inv(kernel))
    found = descend(kernel, targets, [step], start=start, cross=cross, test_start=first)[-1]
    np.testing.assert_allclose(found, newton(kernel, targets, start=start, cross=cross, test_start=first), rtol=1e-8)


@pytest.mark.parametrize("normalisation", ["mean", "sum"])
def test_the_closed_form_is_the_steps(normalisation):
    kernel, _, targets, start, _, _ = problem(3)
    rate = 0.7 * largest_rate(kernel, normalisation=normalisation)
    scale = 1 / 4 if normalisation == "mean" else 1
    path = descend(kernel, targets, [Update(rate * scale)] * 30, start=start)
    found = descent(kernel, targets, np.arange(31), rate, start=start, normalisation=normalisation)
    np.testing.assert_allclose(found, path, rtol=1e-10, atol=1e-11)


def test_small_steps_tend_to_the_flow_like_the_rate(order_of):
    kernel, _, targets, start, _, _ = problem(4)
    expected = flow(kernel, targets, 1.0, start=start)

    def error(rate):
        return np.abs(descent(kernel, targets, round(1 / rate), rate, start=start) - expected).max()

    assert order_of(error, [1 / 200, 1 / 400, 1 / 800, 1 / 1600]) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("call", [
    lambda kernel, rate: descent(kernel, [1.0, 0.0], [60], rate, normalisation="sum"),
    lambda kernel, rate: descent(kernel, [1.0, 0.0], [60], 2 * rate),
    lambda kernel, rate: descend(kernel, [1.0, 0.0], [Update(rate)] * 60),
])  # fmt: skip
def test_an_unstable_rate_is_refused_with_the_largest_stable_one(call):
    """[[2, 1], [1, 2]] has the eigenvalues 1 and 3: rates up to 2/3 are stable (4/3 for a mean over two points)."""
    kernel = [[2.0, 1.0], [1.0, 2.0]]
    assert np.abs(call(kernel, 0.66)).max() < 2
    with pytest.raises(InputError, match=r"eigenvalue 3 grow; .* = (0\.6666666666|1\.333333333)") as caught:
        call(kernel, 0.7)
    named = float(re.search(r"lambda_1 = (\S+),", str(caught.value)).group(1))
    call(kernel, named / (2 if named > 1 else 1))


def test_one_large_step_among_small_ones_is_stable_when_they_shrink_every_mode_together():
    """(1 - eta lambda) products, eigenvalues 1 and 3: rates 1 and 1/3 leave nothing of either mode."""
    kernel = np.array([[2.0, 1.0], [1.0, 2.0]])
    path = descend(kernel, [1.0, 0.0], [Update(1.0), Update(1 / 3)])
    np.testing.assert_allclose(path[-1], [1.0, 0.0], atol=1e-14)


@pytest.mark.parametrize("normalisation", ["mean", "sum"])
def test_the_largest_stable_rate(normalisation):
    """XPS: stable below 2/lambda_1, at it the largest mode oscillates for ever, above it grows."""
    kernel, _, targets, start, _, _ = problem(5)
    limit = largest_rate(kernel, normalisation=normalisation)
    errors = {
        share: np.abs(
            descent(
                kernel, targets, [0, 40000], share * limit, start=start, normalisation=normalisation,
                unstable=share > 1,
            )
            - targets
        ).max(axis=(1, 2))
        for share in (0.999, 1.0, 1.001)
    }
    assert errors[0.999][1] < 1e-12 * errors[0.999][0]
    assert 0.01 < errors[1.0][1] / errors[1.0][0] < 1.01
    assert errors[1.001][1] > 1e10 * errors[1.001][0]


def test_the_fastest_rate_beats_its_neighbours():
    kernel, _, _, _, _, _ = problem(6)
    modes = np.linalg.eigvalsh(kernel)
    best = fastest_rate(kernel, normalisation="sum")
    slowest = [np.abs(1 - share * best * modes).max() for share in (0.99, 1.0, 1.01)]
    assert slowest[1] < min(slowest[0], slowest[2])
    kappa = modes[-1] / modes[0]
    assert slowest[1] == pytest.approx((kappa - 1) / (kappa + 1), rel=1e-12)


def test_an_unstable_rate_ends_at_infinity_without_a_warning():
    found = descent([[2.0]], [1.0], 10**6, rate=5.0, normalisation="sum", unstable=True)
    assert np.isinf(found).all()


@pytest.mark.parametrize(("call", "words"), [
    (lambda: descend(np.eye(2), [1, 2], [Update(-1.0)]), "rate = -1.0"),
    (lambda: descend(np.eye(2), [1, 2], [Update(1.0, np.eye(3))]), r"newton has shape \(3, 3\)"),
    (lambda: descend(np.eye(2), [1, 2], [Update(1.0, None, lambda z: z[:1])]), r"error\(z\) has shape"),
    (lambda: newton([[1, 1], [1, 1]], [1, 2]), "training points 0 and 1 coincide"),
    (lambda: descent(np.eye(2), [1, 2], [0.5], 0.1), "steps holds 0.5"),
    (lambda: descent(np.eye(2), [1, 2], [-1], 0.1), "steps holds -1"),
    (lambda: descent(np.eye(2), [1, 2], [1], 0.0), "rate = 0.0"),
    (lambda: largest_rate(np.zeros((2, 2))), "kernel is zero"),
    (lambda: fastest_rate([[1, 1], [1, 1]]), "coincide"),
])  # fmt: skip
def test_bad_input(call, words):
    with pytest.raises(InputError, match=words):
        call()
