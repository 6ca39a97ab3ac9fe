"""Random networks of one width beside first order in 1/n: mean and variance over networks, with standard errors."""

from typing import NamedTuple

import numpy as np

from asympt.arrays import whole
from asympt.deadline import UNLIMITED, check_time, in_budget
from asympt.depth.finite.kernels import Plan
from asympt.errors import InputError
from asympt.numbers import to_mpf
from asympt.width.inputs import StartingPair


class Sampled(NamedTuple):
    """n Var (`what` 'variance') or n (E - limit) ('mean') of a quantity at a layer, and what networks say of it."""

    of: str
    what: str
    layer: int
    first_order: float
    sampled: float
    error: float


@in_budget("drawing random networks", UNLIMITED)
def sampled(network, inputs: StartingPair, depth: int, width: int, networks: int, seed: int = 0) -> list[Sampled]:
    """The gap of layer `depth` and the NTK of one output neuron above it, of so many random networks.

    The gap is that of |y|^2/n: over n neurons given G it has a variance (1 - c^2)^2/n and a bias of its own, which are
    added to first order.  `network`: `net.finite()`.  Raises `InputError` for fewer than 10 networks, and for a
    covariance of layer 1 that no inputs have.
    """
    count = whole(networks, "networks", "more, or no variance is seen", least=10)
    plan = Plan(network, _points(inputs), depth + 1, width, 1, False, seed)
    found = []
    for at, start in enumerate(range(0, count, plan.batch)):
        check_time()
        drawn = plan.run(at, min(plan.batch, count - start))
        G, theta = drawn["nngp"][:, depth - 1], drawn["ntk"]
        found.append([1 - G[:, 0, 1] / np.sqrt(G[:, 0, 0] * G[:, 1, 1]), theta[:, 0, 1], theta[:, 0, 0]])
    columns = zip(("gap", "ntk", "ntk-diagonal"), np.concatenate(found, axis=1), strict=True)
    return [row for of, values in columns for row in _rows(inputs, of, depth + (of != "gap"), width, values)]


def _rows(inputs: StartingPair, of: str, layer: int, width: int, values: np.ndarray) -> list[Sampled]:
    limit = inputs.limit(of, layer)
    c = 1 - limit if of == "gap" else 1.0  # what n neurons add is nothing at c = 1
    apart = values - values.mean()
    variance, fourth, count = np.mean(apart**2), np.mean(apart**4), len(values)
    spread = inputs.variance(of, layer) + (1 - c * c) ** 2
    shift = inputs.shift(of, layer) + c * (1 - c * c) / 2
    errors = width * np.sqrt(np.array([fourth - variance**2, variance]) / count)
    return [
        Sampled(of, "variance", layer, spread, float(width * variance * count / (count - 1)), float(errors[0])),
        Sampled(of, "mean", layer, shift, float(width * (values.mean() - limit)), float(errors[1])),
    ]


def _points(inputs: StartingPair) -> np.ndarray:
    """Two inputs whose first layer has the covariance."""
    layer = inputs.layer
    one, other, gap, bias, weight = (
        float(to_mpf(value)) for value in (*inputs.variances, inputs.gap, layer.bias_variance, layer.weight_variance)
    )
    cross = (1 - gap) * np.sqrt(one * other)
    gram = 2 * (np.array([[one, cross], [cross, other]]) - bias) / weight
    values, vectors = np.linalg.eigh(gram)
    if values[0] < -1e-12 * values[1]:
        raise InputError(
            f"with the bias variance {bias:.6g} no inputs have the correlation {1 - gap:.6g} in layer 1; "
            "give a larger one"
        )
    return vectors * np.sqrt(np.maximum(values, 0))
