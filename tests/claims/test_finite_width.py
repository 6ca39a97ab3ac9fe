"""What decides by code of its own: random networks, training, fits; each sees what is planted."""

import numpy as np
import pytest
from sympy import Integer, Rational

from asympt import claims
from asympt.architectures import BlockResNet, FeedForward
from asympt.claims.deciders import networks as comparison
from asympt.claims.deciders.networks import SIGMA_B, SIGMA_W, X
from asympt.claims.deciders.tbg import _jacobian, mu, steepest
from asympt.claims.stated import kernels
from asympt.claims.stated.hdr import networks
from asympt.depth import gram
from asympt.depth.finite import Estimate
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.numbers import exact
from tests import statements
from tests.depth.recursions import MAPS

# ---- the recursions as corrected are those that the rest of the package uses -----------------------------


@pytest.mark.parametrize("phi", ["relu", "erf"])
def test_expectations(phi):
    covariance = np.array([[1.0, 0.3], [0.3, 2.5]])
    value, slope = (float(f(1.0, 2.5, 0.3 / 2.5**0.5)) for f in MAPS[phi])
    assert comparison.values(phi, covariance)[0, 1] == pytest.approx(value, rel=1e-14)
    assert comparison.slopes(phi, covariance)[0, 1] == pytest.approx(slope, rel=1e-14)


def test_the_plain_recursion_is_that_of_the_numpy_engine():
    layer = Layer(activation("erf"), exact(SIGMA_W) ** 2, exact(SIGMA_B) ** 2)
    covariance, kernel = gram(layer, X, depth=4)
    sigmas, tangents = (kernels.RECURSIONS[name]()[0].corrected() for name in ("XPS.nngp", "XPS.ntk"))
    np.testing.assert_allclose(sigmas.expected("erf")[-1], covariance, rtol=1e-8)
    np.testing.assert_allclose(tangents.expected("erf"), kernel, rtol=1e-8)


def test_the_corrected_scaled_recursion_is_the_statement():
    layer = Layer(activation("relu"), exact(SIGMA_W) ** 2, Integer(0))
    _, kernel = gram(statements.scaled_residual(layer, Integer(1)), X, depth=4)
    np.testing.assert_allclose(networks.scaled().true.expected("relu"), np.diag(kernel), rtol=1e-12)


@pytest.mark.parametrize("phi", ["relu", "erf"])
def test_the_residual_recursion_is_the_statement(phi):
    layer = Layer(activation(phi), exact(SIGMA_W) ** 2, exact(SIGMA_B) ** 2)
    sigmas, (*_, kernel) = gram(statements.residual(layer), X, depth=[1, 2, 3, 4])
    covariances, kernels = networks.NETWORKS["HDR.L3"]()[1:]
    np.testing.assert_allclose(covariances.expected(phi), sigmas, rtol=1e-12)
    np.testing.assert_allclose(kernels.expected(phi), kernel, rtol=1e-12)


@pytest.mark.parametrize("phi", ["relu", "erf"])
def test_the_corrected_theorem_of_tbg_is_the_recursion_of_a_block(phi):
    """Sigma^(L+1) + Pi^(0) Sigma^(1) + a sum Pi^(m) (T + Sigma D) against K -> (1 + a D) K + 2 a T from 2 Sigma^1."""
    alpha, sigma_v, sigma_w = (exact(v) for v in (0.7, 0.8, 1.5))
    statement = BlockResNet(phi, alpha, sigma_w, sigma_v).statement
    sigmas, (*_, kernel) = gram(statement, X, depth=[1, 2, 3, 4])
    covariances, corrected = kernels.RECURSIONS["TBG.nngp.res"]()[0], kernels.RECURSIONS["TBG.ntk.res"]()[0].corrected()
    np.testing.assert_allclose(covariances.expected(phi), sigmas, rtol=1e-12)
    np.testing.assert_allclose(corrected.expected(phi), kernel, rtol=1e-12)


def test_the_update_as_it_is_defined_has_the_printed_variance_for_tanh():
    """PDLT 10.12 for (10.8) with tanh, which the claim does not use: the printed coefficient by quadrature."""
    z, w = np.polynomial.hermite_e.hermegauss(120)
    w = w / w.sum()

    def mean(g, variance):
        return float(w @ g(np.sqrt(variance) * z))

    def slope(x):
        return (1 - np.tanh(x) ** 2) ** 2

    weight, bias = SIGMA_W**2, SIGMA_B**2
    first = bias + weight * float(X[0] @ X[0]) / X.shape[1]
    second = bias + weight * mean(lambda x: np.tanh(x) ** 2, first)
    third = bias + weight * mean(lambda x: np.tanh(x) ** 2, second)
    ntk = weight * mean(slope, first) * first + second
    expected = weight * np.sum(third + comparison.ONE[1] ** 2) * mean(slope, second) * ntk**2
    found = [e["same"] for e in comparison._updates("tanh", 1, True)]
    limit = comparison.limit(list(comparison.ONE[2]), found)
    assert abs(limit.mean[0, 0] - expected) < 4 * limit.error[0, 0] < 0.1 * expected


def test_a_deviation_is_seen():
    found = Estimate(np.full((2, 2), 1.0), np.full((2, 2), 0.01), 400)
    assert comparison.agreement("right", found, np.full((2, 2), 1.03)).passed
    assert comparison.agreement("wrong", found, np.full((2, 2), 1.05)).passed is False


def test_fits_of_another_target_do_not_become_smoother():
    """What the reading of the figure leaves out is said beside the numbers that pass, and is so."""
    assert "instead 1, 0.928, 0.657, 0.306" in claims.find("TBG.fig2").check().checks[0].detail
    assert mu("cos of 3 times the angle", 3, None) > mu("cos of 3 times the angle", 3, Rational(1, 5))


def test_the_jacobian_by_differences():
    """d/d theta of v tanh(W x/sqrt(d))/sqrt(n)."""
    random = np.random.default_rng(0)
    theta, points, move = (random.standard_normal(shape) for shape in ((6, 4), (3, 3), (6, 4)))

    def output(at):
        return np.tanh(points @ at[:, :-1].T / np.sqrt(3)) @ at[:, -1] / np.sqrt(6)

    found = (output(theta + 1e-6 * move) - output(theta - 1e-6 * move)) / 2e-6
    np.testing.assert_allclose(_jacobian(theta, points) @ move.ravel(), found, atol=1e-8)


def test_slopes_of_random_networks_by_hand():
    """A linear check of scale: doubling sigma_w doubles each of the L + 1 factors of an MLP without bias."""
    narrow, wide = (steepest(FeedForward("relu", sigma_w=scale)) for scale in (1, 2))
    assert wide == pytest.approx(2**5 * narrow, rel=1e-9)
