"""Random networks of one width beside first order in 1/n: mean and variance over networks, with standard errors."""

from typing import NamedTuple

import numpy as np

from asympt.arrays import whole
from asympt.blocks.nodes import parts_of
from asympt.deadline import UNLIMITED, check_time, in_budget
from asympt.depth.finite.composition import Drawing
from asympt.depth.finite.kernels import Plan, Revealed, require_drawable
from asympt.depth.stack import precise
from asympt.errors import InputError
from asympt.numbers import to_mpf
from asympt.width.inputs import StartingPair
from asympt.width.residual import ResidualBranch

QUANTITIES = "gap", "ntk", "ntk-diagonal", "kernel", "kernel-diagonal"


class Sampled(NamedTuple):
    """n Var (`what` 'variance') or n (E - limit) ('mean') of a quantity at a layer, and what networks say of it."""

    of: str
    what: str
    layer: int
    first_order: float
    sampled: float
    error: float


@in_budget("drawing random networks", UNLIMITED)
def sampled(network, inputs, depth: int, width: int, networks: int, seed: int = 0) -> list[Sampled]:
    """Gap, kernel and NTK of layer `depth`, from 2 on, of so many random networks; NTK of one output neuron.

    G^l given layer l - 1 is what the last weights contribute to the NTK, and sigma_b^2: no mean over the neurons of
    layer l blurs it.  Of a `ResidualBranch` its quantities, of one input.  `network`: `net.finite()`.  Raises
    `InputError` for fewer than 10 networks, too wide ones, and a covariance of layer 1 that no inputs have.
    """
    require_drawable(width)
    count, draw = enough(networks), _residual if isinstance(inputs, ResidualBranch) else _pairs
    found = draw(network, inputs, depth, width, count, seed)
    return [row for of, values in found.items() for row in _rows(inputs, of, depth, width, values)]


def _pairs(network, inputs: StartingPair, depth: int, width: int, networks: int, seed: int) -> dict:
    plan, found, bias = Plan(network, _points(inputs), depth, width, 1, False, seed), [], inputs.layer.bias_variance
    for at, start in enumerate(range(0, networks, plan.batch)):
        check_time()
        drawn = plan.run(at, min(plan.batch, networks - start))
        G, theta = drawn["weights"][:, -1] + float(to_mpf(bias)), drawn["ntk"]
        gap = 1 - G[:, 0, 1] / np.sqrt(G[:, 0, 0] * G[:, 1, 1])
        found.append([gap, theta[:, 0, 1], theta[:, 0, 0], G[:, 0, 1], G[:, 0, 0]])
    return dict(zip(QUANTITIES, np.concatenate(found, axis=1), strict=True))


def _residual(network, branch: ResidualBranch, depth: int, width: int, networks: int, seed: int) -> dict:
    """Q^l, which grows by what a dense layer adds given all that it reads, and |y^l|^2/n."""
    random, (block,), q = np.random.default_rng([seed, width]), network.blocks, float(to_mpf(branch.start))
    drawing = Drawing(random, networks, 1, 1, width, depth, Revealed)
    y, bias = q**0.5 * random.standard_normal((networks, width, 1, 1)), parts_of(block.branch)[-1].sigma_b**2
    for layer in range(2, depth + 1):
        part, _ = drawing.part(block, (width,), layer)
        y, last = part.forward(y), part.branch.parts[-1]
        q = q + part.scale**2 * (last.sigma_w**2 * np.mean(last.read**2, axis=(1, 2, 3)) + float(precise(bias)))
    return {"kernel-diagonal": q, "norm": np.mean(y * y, axis=(1, 2, 3))}


def enough(networks, name: str = "networks") -> int:
    """A number of networks of which a variance is seen, as `name` in a message."""
    return whole(networks, name, "more, or no variance is seen", least=10)


def _rows(inputs, of: str, layer: int, width: int, values: np.ndarray) -> list[Sampled]:
    apart = values - values.mean()
    variance, fourth, count = np.mean(apart**2), np.mean(apart**4), len(values)
    errors = width * np.sqrt(np.array([fourth - variance**2, variance]) / count)
    shift = float(width * (values.mean() - inputs.limit(of, layer)))
    return [
        Sampled(of, "variance", layer, inputs.variance(of, layer), float(width * variance * count / (count - 1)),
                float(errors[0])),
        Sampled(of, "mean", layer, inputs.shift(of, layer), shift, float(errors[1])),
    ]  # fmt: skip


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
            "give a larger correlation"
        )
    return vectors * np.sqrt(np.maximum(values, 0))
