"""The regressor: scikit-learn's own checks, and its predictions by other routes."""

import numpy as np
import pytest
from scipy.linalg import expm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from asympt import FeedForward, InputError, PrecisionError
from asympt.depth import gram
from asympt.learn import NNGP, NTK, DeepKernelRegressor, expected_steps

NET = FeedForward("relu", sigma_w="3/2", sigma_b="1/2")


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Six training inputs, two outputs, four test inputs."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), rng.normal(size=(4, 3))


@pytest.mark.filterwarnings("default")  # scikit-learn's checks warn on purpose
@parametrize_with_checks(
    [
        DeepKernelRegressor(), DeepKernelRegressor(NET, depth=2, noise=0.1, time=3.0),
        DeepKernelRegressor(noise=0.1, solver="cg"),
    ]
)  # fmt: skip
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_posterior_of_a_gaussian_process(data):
    """kernel="nngp" after training is scikit-learn's own Gaussian process without noise (its jitter is 1e-10)."""
    X, y, test = data
    mean, deviation = DeepKernelRegressor(NET, depth=4, kernel="nngp").fit(X, y).predict(test, return_std=True)
    other = GaussianProcessRegressor(NNGP(NET, depth=4), optimizer=None).fit(X, y)
    expected, spread = other.predict(test, return_std=True)
    assert mean == pytest.approx(expected, rel=1e-6)
    assert deviation == pytest.approx(spread[:, 0], rel=1e-6)


@pytest.mark.parametrize("kernel", ["ntk", "nngp"])
@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("time", [0.02, 1.0, None])
def test_the_flow_of_all_outputs_together(data, kernel, noise, time):
    """The linear flow of (f(X), f(x)) for f_0 = 0, and for a Gaussian start, by the exponential of its matrix."""
    X, y, test = data
    both = np.vstack([X, test])
    nngp, ntk = gram(NET, both, depth=3)
    theta = ntk if kernel == "ntk" else nngp
    rate = np.zeros((10, 10))
    rate[:, :6] = theta[:, :6]
    rate[:6, :6] += noise * np.eye(6)
    moved = expm(-rate * (1e4 if time is None else time))
    # f_0(X) enters through y - f_0(X) alone: with noise the fit is of the change, as in the estimator
    start = np.vstack([y, np.zeros((4, 2))])
    mean, deviation = (
        DeepKernelRegressor(NET, depth=3, kernel=kernel, noise=noise, time=time).fit(X, y).predict(test, True)
    )
    assert mean == pytest.approx(-(moved @ start)[6:], rel=1e-7, abs=1e-9)
    linear = moved[6:]
    assert deviation == pytest.approx(np.sqrt(np.diag(linear @ nngp @ linear.T)), rel=1e-6)


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
@pytest.mark.parametrize("kernel", ["ntk", "nngp"])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_every_solver_predicts_the_same(data, solver, kernel, noise):
    """Against the eigenvectors; one output and two, means and deviations."""
    X, y, test = data
    given = {"depth": 3, "kernel": kernel, "noise": noise}
    for targets in (y, y[:, 0]):
        expected = DeepKernelRegressor(NET, **given).fit(X, targets).predict(test, return_std=True)
        model = DeepKernelRegressor(NET, **given, solver=solver, tolerance=1e-12).fit(X, targets)
        for found, known in zip(model.predict(test, return_std=True), expected, strict=True):
            assert found.shape == known.shape
            assert found == pytest.approx(known, rel=1e-7)


def test_steps_are_told_and_limited(data, monkeypatch):
    """Six inputs have six eigenvalues: six steps, far fewer than the bound of a condition number allows."""
    X, y, _ = data
    model = DeepKernelRegressor(NET, depth=3, solver="cg", noise=0.1).fit(X, y)
    assert model.expected_steps_ == expected_steps(NTK(NET, depth=3), X, noise=0.1)
    assert 1 <= model.n_iter_ <= 7
    monkeypatch.setattr("asympt.learn.regressor.FEWEST", 1)
    monkeypatch.setattr("asympt.learn.regressor.PATIENCE", 0)
    with pytest.raises(PrecisionError, match=f"after 1 steps.*{model.expected_steps_} steps were forecast"):
        DeepKernelRegressor(NET, depth=3, solver="cg", noise=0.1).fit(X, y)


def test_predictions_in_parts(data, monkeypatch):
    X, y, test = data
    model = DeepKernelRegressor(NET, depth=3).fit(X, y)
    whole = model.predict(test, return_std=True)
    monkeypatch.setattr("asympt.learn.regressor.ROWS", 3)
    for found, known in zip(model.predict(test, return_std=True), whole, strict=True):
        assert found == pytest.approx(known, rel=1e-13)


def test_a_singular_kernel_is_refused_by_the_solvers_that_need_its_inverse(data):
    X, y, _ = data
    twice, targets = np.vstack([X, X[:1]]), np.vstack([y, y[:1] + 1])
    with pytest.raises(PrecisionError, match="give noise > 0, or solver='eigen'"):
        DeepKernelRegressor(NET, solver="cholesky").fit(twice, targets)
    with pytest.raises(PrecisionError, match=r"noise .*forecast for inputs at equal angles.*solver='eigen'"):
        DeepKernelRegressor(NET, solver="cg").fit(twice, targets)
    with pytest.raises(InputError, match=r"one direction, .* give noise > 0"):
        DeepKernelRegressor(NET, solver="cg").fit(X[[0, 0, 0]], y[:3])
    for solver in ("cholesky", "cg"):
        assert DeepKernelRegressor(NET, solver=solver, noise=0.1).fit(twice, targets).score(twice, targets) < 1


def test_duplicates_do_no_harm(data):
    X, y, test = data
    model = DeepKernelRegressor(NET, depth=3).fit(np.vstack([X, X[:1]]), np.vstack([y, y[:1]]))
    assert model.predict(test) == pytest.approx(DeepKernelRegressor(NET, depth=3).fit(X, y).predict(test), rel=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"kernel": "rbf"}, "kernel = 'rbf' is unknown"), ({"time": 0}, "time = 0 is not positive"),
     ({"noise": -1}, "noise = -1 is not"), ({"noise": float("nan")}, "noise = nan"), ({"depth": 0}, "depth"),
     ({"noise": None}, "noise is None"), ({"noise": "much"}, "noise is 'much'"), ({"time": "late"}, "time = late"),
     ({"solver": "lu"}, "solver = 'lu' is unknown; give one of eigen, cholesky, cg"), ({"solver": []}, "unknown"),
     ({"solver": "cg", "time": 2.0}, "time = 2.0; give solver='eigen'"), ({"tolerance": 1}, "tolerance = 1.0")],
)  # fmt: skip
def test_bad_parameters(data, parameters, message):
    X, y, _ = data
    with pytest.raises(InputError, match=message):
        DeepKernelRegressor(NET, **parameters).fit(X, y)
