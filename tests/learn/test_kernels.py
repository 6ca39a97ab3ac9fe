"""The kernels in scikit-learn: values, gradients, hyperparameters, and the estimators that take them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from asympt import BlockResNet, FeedForward, InputError, Network, ResNet, ScaledResNet
from asympt.depth import gram
from asympt.learn import NNGP, NTK
from asympt.learn.regressor import with_deviations

RELU = FeedForward("relu")


@pytest.fixture(scope="module")
def inputs() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(7, 3))


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Threes against eights, 8 x 8 pixels."""
    X, y = load_digits(return_X_y=True)
    kept = np.isin(y, (3, 8))
    return X[kept][:120] / 16, np.where(y[kept][:120] == 3, 1.0, -1.0)


COMPOSED = Network("serial(residual(relu, dense(sqrt(2))), layer_norm)")


@pytest.mark.parametrize(
    "net", [RELU, FeedForward("erf", sigma_w="3/2", sigma_b="1/5"), ResNet("relu", sigma_w=1), COMPOSED]
)
@pytest.mark.parametrize(("kernel", "index"), [(NNGP, 0), (NTK, 1)])
def test_values_are_those_of_gram(net, kernel, index, inputs):
    square = gram(net, inputs, depth=4)[index]
    made = kernel(net, depth=4)
    assert np.array_equal(made(inputs), square)
    assert made(inputs[:3], inputs[3:]) == pytest.approx(square[:3, 3:], rel=1e-12, abs=1e-14)
    assert made.diag(inputs) == pytest.approx(np.diag(square), rel=1e-14)


def test_the_gradient_of_relu_is_twice_the_depth(inputs):
    """Without biases Sigma^L and K^L are sigma_w^(2 L) times what they are at sigma_w = 1."""
    for kernel, depth in ((NTK, 3), (NNGP, 5), (NTK, 40)):
        values, gradient = kernel(RELU, depth=depth, sigma_w=1.3)(inputs, eval_gradient=True)
        assert gradient.shape == (7, 7, 1)
        assert gradient[..., 0] == pytest.approx(2 * depth * values, rel=1e-7)


def test_the_gradient_with_biases_in_closed_form():
    """ReLU, depth 2: Sigma^2 = b + w/(2 pi) sqrt(q q') (sin a + (pi - a) cos a), cos a = Sigma^1/sqrt(q q')
    (Cho and Saul 2009), differentiated by hand in log sigma_b, sigma_w fixed."""
    X, w, b = np.array([[1.0, 0.5], [-0.3, 2.0]]), 1.2**2, 0.4**2
    first = b + w * X @ X.T / 2
    q = np.diag(first)
    root = np.sqrt(q[0] * q[1])
    angle = np.arccos(first[0, 1] / root)
    slope_root, slope_first = b * (q[0] + q[1]) / root, 2 * b  # in log sigma_b
    slope_cosine = slope_first / root - first[0, 1] * slope_root / root**2
    shape = np.sin(angle) + (np.pi - angle) * np.cos(angle)
    expected = 2 * b + w / (2 * np.pi) * (slope_root * shape + root * (np.pi - angle) * slope_cosine)
    _, gradient = NNGP(RELU, depth=2, sigma_w=1.2, sigma_b=0.4)(X, eval_gradient=True)
    assert gradient[0, 1, 0] == pytest.approx(expected, rel=1e-8)  # theta is sorted by name: sigma_b, sigma_w


def test_hyperparameters_are_scikit_learns():
    fixed, free = NTK(RELU, depth=2), NTK(RELU, depth=2, sigma_w=1.5, sigma_b=0.1, sigma_b_bounds="fixed")
    assert fixed.theta.size == 0 and free.theta == pytest.approx([np.log(1.5)])
    moved = free.clone_with_theta(np.log([2.0]))
    assert (moved.sigma_w, moved.sigma_b, moved.depth) == (pytest.approx(2.0), 0.1, 2)
    assert clone(free) == free and free.get_params()["depth"] == 2
    assert free.set_params(depth=5).depth == 5
    assert repr(free) == f"NTK({RELU!r}, depth=5, sigma_w=1.5, sigma_b=0.1)"


@pytest.mark.parametrize(
    ("net", "given"),
    [(ScaledResNet("relu", sigma_w=1, kappa=1), {"sigma_w": 2}), (BlockResNet("relu", alpha="1/2"), {"sigma_w": 2}),
     (FeedForward("tanh", sigma_w=1, sigma_b=1), {"sigma_b": 3})],
)  # fmt: skip
def test_other_parameters_stay(net, given):
    """The network with other deviations is the one built with them outright."""
    own = {"ScaledResNet": {"kappa": 1}, "BlockResNet": {"alpha": "1/2"}, "FeedForward": {"sigma_w": 1}}
    name = type(net).__name__
    activation = "tanh" if name == "FeedForward" else "relu"
    assert with_deviations(net, **given) == type(net)(activation, **own[name], **given)


def test_a_gaussian_process_finds_the_deviation(digits):
    X, y = digits
    kernel = ConstantKernel(1.0, "fixed") * NNGP(RELU, depth=2, sigma_w=0.3) + WhiteKernel(0.1, "fixed")
    model = GaussianProcessRegressor(kernel, random_state=0).fit(X[:40], y[:40])
    start, found = kernel.theta, model.kernel_.theta
    value, gradient = model.log_marginal_likelihood(found, eval_gradient=True)
    assert value > model.log_marginal_likelihood(start) + 1
    assert abs(gradient[0]) < 1e-2
    mean, deviation = model.predict(X[40:], return_std=True)
    assert np.mean(np.sign(mean) == y[40:]) > 0.9 and (deviation > 0).all()


def test_support_vectors_ridge_and_the_choice_of_depth(digits):
    X, y = digits
    assert SVC(kernel=NTK(RELU, depth=3)).fit(X[:60], y[:60]).score(X[60:], y[60:]) > 0.9
    ridge = GridSearchCV(KernelRidge(kernel=NTK(RELU), alpha=0.1), {"kernel__depth": [1, 3, 10]}, cv=3).fit(X, y)
    assert ridge.best_params_["kernel__depth"] in (3, 10)
    expected = np.linalg.solve(NTK(RELU, depth=3)(X) + 0.1 * np.eye(len(X)), y)
    assert KernelRidge(kernel=NTK(RELU, depth=3), alpha=0.1).fit(X, y).dual_coef_ == pytest.approx(expected, rel=1e-6)


def test_refusals(inputs):
    with pytest.raises(InputError, match="leave Y out"):
        NTK(RELU)(inputs, inputs, eval_gradient=True)
    with pytest.raises(InputError, match="BlockResNet has no sigma_b"):
        NTK(BlockResNet("relu"), sigma_b=1.0)(inputs)
    with pytest.raises(InputError, match="is not a network"):
        NTK("relu", sigma_w=1.0)(inputs)
    with pytest.raises(InputError, match="depth"):
        NTK(RELU, depth=0)(inputs)
