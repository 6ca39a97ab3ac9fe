"""Random networks of finite width: what the maps of infinite width are checked against.

z^1 is drawn from N(0, Sigma^1) neuron by neuron (exact: the first layer is linear), and then, with weights
N(0, sigma_w^2/n) and biases N(0, sigma_b^2), z^(l+1) = skip z^l + sqrt(beta_l) (W phi(z^l) + b).  Networks are
independent, so mean and standard error of their Sigma^l = mean over n neurons of z_a z_b are honest; the bias at depth
L is about L/n of Sigma, below the standard error for `seeds` < n.

Source: NNGP limit: Neal (1996), Lee et al. (2018); 1/n corrections: Roberts, Yaida and Hanin (2022), chapter 4.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from asympt.arrays import real, whole
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.parsing import progress_of
from asympt.depth.stack import DenseStack, precise, statement_of
from asympt.errors import InputError


@dataclass(frozen=True)
class Empirical:
    """Means over networks, per layer 1, ..., L, and their standard errors; arrays of shape (L, 2, 2) and (L,).

    `covariance` is Sigma^l of the two inputs; `correlation` Sigma_12/sqrt(Sigma_11 Sigma_22) of the mean covariance,
    with the standard error of the jackknife over networks.
    """

    covariance: np.ndarray
    covariance_error: np.ndarray
    correlation: np.ndarray
    correlation_error: np.ndarray


@in_budget("drawing random networks", UNLIMITED)
def empirical_correlations(
    net,
    correlation: float,
    depth: int,
    *,
    variance: float,
    width: int = 2048,
    seeds: int = 16,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Empirical:
    """Correlations of the preactivations of two inputs in `seeds` random networks.

    Parameters
    ----------
    net : a dense network of any architecture (or its Statement, or a Layer) with numbers in it.
    correlation, variance : c^1 and q^1 of both inputs in layer 1.
    depth : L, the last layer; width : n, neurons of every layer; seeds : how many networks, at least 2.
    seed : of NumPy's generator; the same seed gives the same networks.
    progress : called as ``progress(networks done, networks)``.

    Raises `InputError` for a correlation outside [-1, 1], a variance that is not positive, fewer than 2 networks.

    >>> from asympt import FeedForward
    >>> found = empirical_correlations(FeedForward("relu"), 0.0, 2, variance=1.0, width=512, seeds=8)
    >>> bool(abs(found.correlation[1] - 1 / np.pi) < 4 * found.correlation_error[1])
    True
    """
    depth = whole(depth, "depth", "the last layer")
    statement = statement_of(net, depth)
    width = whole(width, "width", "a number of neurons")
    seeds = _networks(seeds)
    start, report = _start(real(correlation, "correlation"), real(variance, "variance")), progress_of(progress)
    seed = whole(seed, "seed", "a seed, 0 or more", least=0)
    layer, roots = statement.layer, np.sqrt(DenseStack(statement, depth).branch)
    phi = layer.activation.piecewise.vectorised
    weight, bias = (float(precise(value)) ** 0.5 for value in (layer.weight_variance, layer.bias_variance))
    branches = [(float(statement.skip), weight * root, bias * root) for root in roots]
    found = np.empty((seeds, depth, 2, 2))
    for done, stream in enumerate(np.random.SeedSequence(seed).spawn(seeds), 1):
        found[done - 1] = one_network(phi, branches, start, width, np.random.default_rng(stream))
        if report is not None:
            report(done, seeds)
    return _statistics(found)


def one_network(phi: Callable, branches: list, start: np.ndarray, width: int, random) -> np.ndarray:
    """Sigma^1, ..., Sigma^L of one network; `start` is a root of Sigma^1.

    `branches`: (1 with a skip connection, else 0; sqrt(beta_l) sigma_w; sqrt(beta_l) sigma_b) of layers 2, ..., L.
    """
    z = random.standard_normal((width, 2)) @ start.T
    found = [z.T @ z / width]
    for skip, weight, bias in branches:
        matrix = random.standard_normal((width, width), dtype=np.float32)
        branch = (weight / np.sqrt(width)) * (matrix @ phi(z).astype(np.float32)).astype(float)
        branch += bias * random.standard_normal((width, 1))
        z = skip * z + branch
        found.append(z.T @ z / width)
    return np.array(found)


def _start(correlation: float, variance: float) -> np.ndarray:
    """A 2 x 2 matrix A with A A^T = q [[1, c], [c, 1]]."""
    if not -1 <= correlation <= 1:
        raise InputError(f"correlation = {correlation} is outside [-1, 1]; give the correlation of two inputs")
    if not (0 < variance < np.inf):
        raise InputError(f"variance = {variance} is not positive; give q^1, the variance of the first layer")
    return np.sqrt(variance) * np.array([[1.0, 0.0], [correlation, np.sqrt((1 - correlation) * (1 + correlation))]])


def _networks(value) -> int:
    seeds = whole(value, "seeds", "a number of networks, at least 2")
    if seeds < 2:
        raise InputError(f"seeds = {seeds} gives no standard error; give at least 2 networks")
    return seeds


def _statistics(found: np.ndarray) -> Empirical:
    count, total = len(found), found.sum(axis=0)
    error = found.std(axis=0, ddof=1) / np.sqrt(count)
    left_out = _correlation((total - found) / (count - 1))
    spread = np.sqrt((count - 1) * np.mean((left_out - left_out.mean(axis=0)) ** 2, axis=0))
    return Empirical(total / count, error, _correlation(total / count), spread)


def _correlation(covariance: np.ndarray) -> np.ndarray:
    return covariance[..., 0, 1] / np.sqrt(covariance[..., 0, 0] * covariance[..., 1, 1])
