"""The Ornstein-Uhlenbeck solution against simulated paths, the Lyapunov equation, a quadrature and plain flow."""

import numpy as np
import pytest
from scipy.integrate import quad_vec
from scipy.linalg import expm, solve_continuous_lyapunov

from asympt.errors import InputError
from asympt.training.flow import flow
from asympt.training.sgd import StochasticFlow

PATHS = 20000


def example(**changes) -> StochasticFlow:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(3, 5))
    given = {
        "kernel": features @ features.T,
        "targets": np.array([1.0, -1.0, 0.5]),
        "noise": rng.normal(size=(3, 4)),
        "rate": 0.5,
        "batch": 4.0,
        "curvature": np.array([3.0, -2.0, 4.0]),
        "start": np.array([0.0, 2.0, 1.0]),
    }
    return StochasticFlow(**(given | changes))


def test_mean_and_covariance_against_quadrature():
    """HDR (34) with the right sign, its integrals done numerically with matrix exponentials."""
    sgd, time = example(), 1.7
    pull = sgd.kernel / 3
    gamma, factor = sgd.rate / (2 * sgd.batch) * sgd.curvature, np.sqrt(sgd.rate / sgd.batch) * sgd.noise
    drift, _ = quad_vec(lambda u: expm(-pull * u) @ gamma, 0, time, epsabs=1e-12)
    decay = expm(-pull * time)
    np.testing.assert_allclose(
        sgd.mean(time), decay @ sgd.start + (np.eye(3) - decay) @ sgd.targets + drift, rtol=1e-10
    )
    spread, _ = quad_vec(lambda u: expm(-pull * u) @ factor @ factor.T @ expm(-pull * u), 0, time, epsabs=1e-12)
    np.testing.assert_allclose(sgd.covariance(time), spread, rtol=1e-9)


@pytest.mark.parametrize("normalisation", ["mean", "sum"])
def test_the_stationary_covariance_solves_the_lyapunov_equation(normalisation):
    sgd = example(normalisation=normalisation)
    pull = sgd.kernel / (3 if normalisation == "mean" else 1)
    source = sgd.rate / sgd.batch * sgd.noise @ sgd.noise.T
    expected = solve_continuous_lyapunov(pull, source)
    np.testing.assert_allclose(sgd.covariance(np.inf), expected, rtol=1e-9)
    level = sgd.targets + np.linalg.solve(pull, sgd.rate / (2 * sgd.batch) * sgd.curvature)
    np.testing.assert_allclose(sgd.mean(np.inf), level, rtol=1e-9)


def test_without_noise_it_is_the_flow():
    sgd = example(noise=np.zeros((3, 1)), curvature=None)
    times = np.array([0.0, 0.5, 3.0])
    np.testing.assert_allclose(sgd.mean(times), flow(sgd.kernel, sgd.targets, times, start=sgd.start), rtol=1e-12)
    np.testing.assert_allclose(sgd.simulate(times, 2)[0], sgd.mean(times), rtol=1e-10, atol=1e-12)


def agrees(sgd: StochasticFlow, ends: np.ndarray, time: float) -> bool:
    """The sample's mean and covariance within 4 standard errors."""
    errors = ends.std(axis=0, ddof=1) / np.sqrt(len(ends))
    centred = ends - ends.mean(axis=0)
    products = centred[:, :, None] * centred[:, None, :]
    spread = products.std(axis=0) / np.sqrt(len(ends))
    mean_fits = (np.abs(ends.mean(axis=0) - sgd.mean(time)) < 4 * errors).all()
    return bool(mean_fits and (np.abs(products.mean(axis=0) - sgd.covariance(time)) < 4 * spread).all())


def test_euler_paths_agree_with_the_solution():
    sgd, time = example(), 1.5
    ends = sgd.euler(time / 300, 300, PATHS, seed=1)[:, -1]
    assert agrees(sgd, ends, time)
    printed = 2 * flow(sgd.kernel, sgd.targets, time, start=sgd.start) - sgd.mean(time)  # HDR (34): -Gamma
    errors = ends.std(axis=0, ddof=1) / np.sqrt(PATHS)
    assert np.abs((ends.mean(axis=0) - printed) / errors).max() > 50


def test_exact_paths_agree_with_the_solution_after_several_spans():
    sgd = example()
    paths = sgd.simulate([0.2, 0.9, 1.5], PATHS, seed=3)
    assert paths.shape == (PATHS, 3, 3)
    assert agrees(sgd, paths[:, 1], 0.9) and agrees(sgd, paths[:, 2], 1.5)


def test_exact_paths_have_the_right_correlation_in_time():
    """Cov(f_s, f_t) = Cov(f_s) e^(-(t-s) K/N)."""
    sgd = example()
    paths = sgd.simulate([0.5, 1.0], PATHS, seed=4)
    early, late = paths[:, 0] - sgd.mean(0.5), paths[:, 1] - sgd.mean(1.0)
    products = early[:, :, None] * late[:, None, :]
    expected = sgd.covariance(0.5) @ expm(-sgd.kernel / 3 * 0.5)
    errors = products.std(axis=0) / np.sqrt(PATHS)
    assert (np.abs(products.mean(axis=0) - expected) < 4 * errors).all()


def test_paths_are_seeded():
    sgd = example()
    np.testing.assert_array_equal(sgd.simulate([1.0], 5, seed=9), sgd.simulate([1.0], 5, seed=9))
    assert (sgd.euler(0.1, 3, 5, seed=9) != sgd.euler(0.1, 3, 5, seed=10))[:, 1:].all()


def test_a_null_mode_diffuses_without_bound_where_it_is_driven():
    still = StochasticFlow([[1, 1], [1, 1]], [0.0, 0.0], noise=[[1.0], [1.0]], rate=1.0, batch=1.0)
    assert np.isfinite(still.covariance(np.inf)).all()
    driven = StochasticFlow([[1, 1], [1, 1]], [0.0, 0.0], noise=[[1.0], [0.0]], rate=1.0, batch=1.0)
    np.testing.assert_allclose(driven.covariance(1e6)[0, 0], 0.25 * 1e6, rtol=1e-4)  # (1/2)^2 t and a constant


@pytest.mark.parametrize(("changes", "words"), [
    ({"noise": np.ones(3)}, r"noise has shape \(3,\)"), ({"targets": np.ones((3, 2))}, r"targets has shape \(3, 2\)"),
    ({"curvature": np.ones(2)}, r"curvature has shape \(2,\)"), ({"rate": 0.0}, "rate = 0.0"),
    ({"batch": -1}, "batch = -1"), ({"kernel": -np.eye(3)}, "not positive semi-definite"),
    ({"normalisation": None}, "None is unknown"),
])  # fmt: skip
def test_bad_input(changes, words):
    with pytest.raises(InputError, match=words):
        example(**changes)


def test_bad_paths():
    with pytest.raises(InputError, match="paths = 0"):
        example().simulate([1.0], 0)
    with pytest.raises(InputError, match="not finite and increasing"):
        example().simulate([np.inf], 1)
