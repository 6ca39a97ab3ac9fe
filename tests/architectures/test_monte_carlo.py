"""The referee: finite-width networks with explicit backpropagation against the statement of one layer.

The network is HDR eq. 10: y^1 = sigma_w/sqrt(d) w x + sigma_b b,
y^l = sigma_w/sqrt(n) w phi(y^(l-1)) + sigma_b b, every w and b ~ N(0, 1). Its NTK is the sum over all parameters of the
products of the gradients at the two inputs. The sampling knows no correlation map: only draws, forward and backward.
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from asympt import FeedForward
from tests.on_demand import OnDemand

DEPTH, WIDTH, SEEDS = 5, 512, 80
INPUTS = np.array([[1.0, 0.4, -0.3, 0.2], [0.3, -0.9, 0.5, 0.6]])


@dataclass(frozen=True)
class Finite:
    """One draw of a network with one output; `left` is the slope of the activation below 0."""

    weights: list
    biases: list
    sigma_w: float
    sigma_b: float
    left: float

    @classmethod
    def draw(cls, rng, depth, width, sigma_w, sigma_b, left) -> "Finite":
        sizes = [INPUTS.shape[1], *[width] * (depth - 1), 1]
        weights = [rng.standard_normal((out, into)) for into, out in pairwise(sizes)]
        return cls(weights, [rng.standard_normal(len(w)) for w in weights], sigma_w, sigma_b, left)

    def forward(self, x):
        """(inputs of each layer, preactivations of each layer)."""
        ingoing, y = [], []
        for weight, bias in zip(self.weights, self.biases, strict=True):
            ingoing.append(x)
            y.append(self.sigma_w / math.sqrt(len(x)) * weight @ x + self.sigma_b * bias)
            x = np.where(y[-1] > 0, y[-1], self.left * y[-1])
        return ingoing, y

    def gradients(self, x) -> list:
        """[(u, v)], u = df/dy and v the inputs of a layer: df/dw = sigma_w/sqrt(n) u v^T, df/db = sigma_b u."""
        ingoing, y = self.forward(x)
        back, found = np.ones(1), []
        for layer in reversed(range(len(y))):
            found.append((back, ingoing[layer]))
            if layer:
                slope = np.where(y[layer - 1] > 0, 1.0, self.left)
                back = self.sigma_w / math.sqrt(len(ingoing[layer])) * (self.weights[layer].T @ back) * slope
        return found

    def kernel(self, x, z) -> float:
        """Sum over all parameters of the gradient products: <u v^T, u' v'^T> = (u.u')(v.v') layer by layer."""
        total = 0.0
        for (u, v), (u2, v2) in zip(self.gradients(x), self.gradients(z), strict=True):
            total += (u @ u2) * (self.sigma_w**2 / len(v) * (v @ v2) + self.sigma_b**2)
        return total


def statement(net: FeedForward, slope_factor=None) -> float:
    """K^DEPTH from asympt/meanfield/layer.py's statement, iterated in plain Python; `slope_factor` plants an error."""
    layer = net.layer
    chi, kappa = float(layer.chi), float(layer.kink_weight)
    w2, b2 = float(layer.weight_variance), float(layer.bias_variance)
    q, r, s = (b2 + w2 * float(a @ b) / INPUTS.shape[1] for a, b in (INPUTS[[0, 0]], INPUTS[[1, 1]], INPUTS))
    kernel = s
    for _ in range(DEPTH - 1):
        c = s / math.sqrt(q * r)
        f = (1 - kappa) * c + kappa * 2 / math.pi * (math.sqrt(1 - c * c) + c * math.asin(c))
        slope = (1 - kappa) + kappa * 2 / math.pi * math.asin(c)
        s = b2 + chi * math.sqrt(q * r) * f
        factor = chi * slope if slope_factor is None else slope_factor(chi, slope, w2)
        kernel = factor * kernel + s
        q, r = b2 + chi * q, b2 + chi * r
    return kernel


CASES = {
    "relu on the edge of chaos": ("relu", {}, math.sqrt(2), 0.0),
    "leaky 1/10 on the edge of chaos": ("leaky_relu", {"slope": "1/10"}, math.sqrt(200 / 101), 0.0),
    "relu, ordered, with biases": ("relu", {}, 1.2, 0.5),
    "leaky 1/10, ordered, with biases": ("leaky_relu", {"slope": "1/10"}, 1.1, 0.8),
}


def of_case(name: str) -> FeedForward:
    activation, options, sigma_w, sigma_b = CASES[name]
    return FeedForward(activation, sigma_w=sigma_w, sigma_b=sigma_b, **options)


@pytest.fixture(scope="module")
def sampled() -> OnDemand:
    """{case: (mean, standard error) of the finite-width NTK}, each drawn once."""
    return OnDemand({name: partial(_sample, index, *case[1:]) for index, (name, case) in enumerate(CASES.items())})


def _sample(index: int, options: dict, sigma_w: float, sigma_b: float) -> tuple:
    left = 0.1 if options else 0.0
    rngs = (np.random.default_rng([index, seed]) for seed in range(SEEDS))
    kernels = [Finite.draw(rng, DEPTH, WIDTH, sigma_w, sigma_b, left).kernel(*INPUTS) for rng in rngs]
    return np.mean(kernels), np.std(kernels, ddof=1) / math.sqrt(SEEDS)


def accepted(mean: float, error: float, value: float) -> bool:
    """Within four standard errors and the bias of finite width, O(depth/width) of the value."""
    return abs(mean - value) < 4 * error + DEPTH / WIDTH * abs(value)


@pytest.mark.parametrize("name", CASES)
def test_the_statement_of_the_layer_is_what_finite_networks_do(name, sampled):
    mean, error = sampled[name]
    value = statement(of_case(name))
    assert error < 0.03 * abs(value)  # otherwise the comparison says nothing
    assert accepted(mean, error, value)


WRONG = {
    "f' replaced by 1": lambda chi, slope, w2: chi,
    "sigma_w^2 dropped from the slope, as in HDR.P2.sigdot": lambda chi, slope, w2: chi * slope / w2,
    "gain dropped": lambda chi, slope, w2: slope * 1.25,
    "slope of the identity mixed in": lambda chi, slope, w2: chi * (slope + 0.25),
}


@pytest.mark.parametrize("error", WRONG)
@pytest.mark.parametrize("name", CASES)
def test_a_wrong_statement_is_rejected(name, error, sampled):
    assert not accepted(*sampled[name], statement(of_case(name), slope_factor=WRONG[error]))


def test_the_gradients_are_those_of_the_output():
    # central differences in every single parameter of a small network
    draw = Finite.draw(np.random.default_rng(7), 4, 3, 1.3, 0.4, 0.1)
    x, z = INPUTS
    total, h = 0.0, 1e-6
    for parameters in (*draw.weights, *draw.biases):
        for index in np.ndindex(parameters.shape):
            kept, slopes = parameters[index], []
            for point in (x, z):
                ends = []
                for sign in (1, -1):
                    parameters[index] = kept + sign * h
                    ends.append(draw.forward(point)[1][-1][0])
                slopes.append((ends[0] - ends[1]) / (2 * h))
            parameters[index] = kept
            total += slopes[0] * slopes[1]
    assert total == pytest.approx(draw.kernel(x, z), rel=1e-6)
