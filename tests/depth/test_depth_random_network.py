"""Wide random networks against the maps of infinite width.

Confidence: each comparison allows 4 standard errors; with Student's distribution of 15 degrees of freedom (16 networks)
a true map fails one of them with probability 0.0012, and the seeds are fixed.
"""

import numpy as np
import pytest
from sympy import Integer, sqrt

from asympt.depth import gram, pairs
from asympt.depth.random_network import empirical_correlations
from asympt.errors import InputError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import Statement
from tests import statements
from tests.depth.layers import dense

ALLOWED = 4.0  # standard errors
START = 0.4
LAYERS = [
    dense("tanh", "3/2", "1/5"),
    dense("elu", "6/5", "1/5"),
    dense("erf", "3/2", "1/5"),
    Layer(activation("relu"), Integer(2), Integer(0)),
]


def variance_of(layer: Layer) -> float:
    return 1.0 if layer.activation.name == "relu" else float(layer.fixed_variance.evalf())


def predicted(layer: Layer, depth: int, variance: float) -> np.ndarray:
    given = None if layer.activation.name == "relu" else variance
    return np.array([1 - pairs(layer, 1 - START, at, variance=given)[0] for at in range(1, depth + 1)])


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.activation.name)
def test_the_map_lies_within_the_errors(layer):
    depth, q = 4, variance_of(layer)
    found = empirical_correlations(layer, START, depth, variance=q, width=1024, seeds=16)
    assert np.all(np.abs(found.correlation - predicted(layer, depth, q)) < ALLOWED * found.correlation_error)
    assert np.all(np.abs(found.covariance[:, 0, 0] - q) < ALLOWED * found.covariance_error[:, 0, 0])
    assert found.correlation_error.max() < 0.02


RESIDUAL = {
    "resnet": statements.residual(Layer(activation("relu"), Integer(1), Integer(0))),
    "resnet, bias": statements.residual(dense("erf", "3/2", "1/2")),
    "scaled": statements.scaled_residual(Layer(activation("relu"), Integer(2), Integer(0)), Integer(1)),
}


@pytest.mark.parametrize("name", RESIDUAL)
def test_skip_connections_and_branches(name):
    """Correlations and variances; the plain network with the same branch is excluded."""
    statement, depth = RESIDUAL[name], 4
    found = empirical_correlations(statement, START, depth, variance=1.0, width=512, seeds=24)
    sigma = [gram_of(statement, at) for at in range(1, depth + 1)]
    variances, correlations = ([s[k] for s in sigma] for k in (0, 1))
    assert np.all(np.abs(found.covariance[:, 0, 0] - variances) < ALLOWED * found.covariance_error[:, 0, 0])
    assert np.all(np.abs(found.correlation - correlations) < ALLOWED * found.correlation_error)
    plain = gram_of(Statement.plain(statement.layer), depth)
    assert abs(found.covariance[-1, 0, 0] - plain[0]) > 10 * found.covariance_error[-1, 0, 0]


def gram_of(statement: Statement, depth: int) -> tuple[float, float]:
    """(q, c) of layer `depth` from q^1 = 1 and c^1 = START."""
    first = statement.first
    weight, bias = (float(value) for value in (first.weight, first.bias))
    products = np.array([[1 - bias, START - bias], [START - bias, 1 - bias]]) / weight
    inputs = np.linalg.cholesky(products) * np.sqrt(2)
    sigma, _ = gram(statement, inputs, depth=depth)
    return sigma[0, 0], sigma[0, 1] / sigma[0, 0]


def test_the_first_layer_and_the_seed():
    layer = Layer(activation("relu"), Integer(2), Integer(0))
    one, two = (empirical_correlations(layer, 1.0, 3, variance=2.0, width=64, seeds=3, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one.covariance, two.covariance)
    np.testing.assert_allclose(one.correlation, 1.0, rtol=1e-6)
    other = empirical_correlations(layer, 1.0, 3, variance=2.0, width=64, seeds=3, seed=6)
    assert np.any(other.covariance != one.covariance)


def test_progress():
    seen = []
    empirical_correlations(LAYERS[3], 0.0, 2, variance=1.0, width=8, seeds=3, progress=lambda *now: seen.append(now))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    "options",
    [{"correlation": 1.5}, {"variance": 0.0}, {"variance": float("nan")}, {"seeds": 1}, {"width": 0}, {"depth": 0}],
)
def test_bad_input(options):
    asked = {"correlation": 0.1, "depth": 2, "variance": 1.0, "width": 8, "seeds": 2, **options}
    with pytest.raises(InputError, match="give"):
        empirical_correlations(Layer(activation("relu"), sqrt(2) ** 2, Integer(0)), **asked)
