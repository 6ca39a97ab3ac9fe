"""The random networks that decide claims about layer recursions, and a printed matrix of a layer beside them.

Three inputs of different norms, no two parallel, one pair at an obtuse angle; sigma_w is not 1 where a source has one;
fixed seed.  T = E[phi phi] and D = E[phi' phi'] over N(0, Sigma); the figure is the largest deviation of the means over
networks in standard errors over all entries, the bound the quantile of Student's t that any of them exceeds with a
probability of 1e-4 at most: a few per mille at depth 4.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from mpmath import mp
from scipy.special import stdtrit

from asympt.architectures import BlockResNet, FeedForward, ResNet, ScaledResNet
from asympt.depth.finite import Composition, EmpiricalKernels, Estimate, empirical_kernels
from asympt.evidence.check import Check
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.activations import activation

Array = np.ndarray
X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6]])
DEPTH, WIDTHS, NETWORKS, SEED = 4, (128, 512), 400, 2020
SIGMA_W, SIGMA_B, ALPHA, SIGMA_V = 1.5, 0.4, 0.7, 0.8
WIDE = np.array([[2.0, 0.4, -1.0], [0.6, 3.2, 1.6], [-1.8, 0.8, 1.2]])  # 2 X: variances that fall from layer to layer


def _network(kind: str, phi: str) -> Composition:
    scales = {"sigma_w": SIGMA_W, "sigma_b": SIGMA_B}
    return {
        "plain": lambda: FeedForward(phi, **scales),
        "no bias": lambda: FeedForward(phi, sigma_w=SIGMA_W),
        "unit weights": lambda: FeedForward(phi, sigma_w=1, sigma_b=SIGMA_B),
        "unit weights, no bias": lambda: FeedForward(phi, sigma_w=1),
        "residual": lambda: ResNet(phi, **scales),
        "scaled": lambda: ScaledResNet(phi, sigma_w=SIGMA_W),
        "block": lambda: BlockResNet(phi, alpha=ALPHA, sigma_v=SIGMA_V, sigma_w=SIGMA_W),
    }[kind]().finite()


@lru_cache(maxsize=32)
def run(kind: str, phi: str, wide: bool = False) -> EmpiricalKernels:
    """Means over the networks of a kind; with `wide` the inputs are twice as long.

    Of one with blocks the shares of U, V, W and the readout have names, and the gradients after each block.
    """
    asked = {"widths": WIDTHS, "most_seeds": NETWORKS, "outputs": 2, "seed": SEED}
    found = empirical_kernels(_network(kind, phi), X=WIDE if wide else X, depth=DEPTH, **asked)
    if kind != "block":
        return found
    places = {"U": [0], "W": slice(1, -1, 2), "V": slice(2, -1, 2), "readout": [-1]}
    shares = {name: found.quantities["weights"].part(place) for name, place in places.items()}
    return replace(found, quantities={**found.quantities, **shares, "delta": found.quantities["gradients"]})


DOUBT, DIGITS = 1e-4, 18


@lru_cache(maxsize=8)
def _kernels(name: str) -> tuple:
    phi = activation(name).piecewise
    return kernel_of(phi), kernel_of(phi.derivative())


def values(name: str, covariance: Array) -> Array:
    """T: E[phi(z) phi(z')] over N(0, covariance) of every pair.

    >>> values("relu", np.eye(2)).round(6).tolist()
    [[0.5, 0.159155], [0.159155, 0.5]]
    """
    return _expected(_kernels(name)[0], covariance)


def slopes(name: str, covariance: Array) -> Array:
    """D: E[phi'(z) phi'(z')] over N(0, covariance) of every pair.

    >>> slopes("relu", np.eye(2)).round(6).tolist()
    [[0.5, 0.25], [0.25, 0.5]]
    """
    return _expected(_kernels(name)[1], covariance)


def _expected(kernel, covariance: Array) -> Array:
    found, q = np.empty_like(covariance), np.diag(covariance)
    with mp.workdps(DIGITS):
        for i in range(len(q)):
            for j in range(i + 1):
                c = min(1.0, max(-1.0, covariance[i, j] / np.sqrt(q[i] * q[j]))) if i != j else 1
                found[i, j] = found[j, i] = float(kernel.value(q[i], q[j], c))
    return found


def agreement(name: str, found: Estimate, expected: Array, detail: str = "", scale: Array | None = None) -> Check:
    """The largest deviation of the networks from `expected` in standard errors, against Student's t.

    `scale`, the kernel to whose diagonal the errors named in the detail are relative: the mean itself when left out.
    """
    expected = np.asarray(expected, dtype=float)
    figure = float(found.deviation(expected).max())
    bound = float(stdtrit(found.networks - 1, 1 - DOUBT / (2 * expected.size)))
    how = "extrapolated from two widths" if found.extrapolated else "no bias seen in two widths"
    said = f"standard errors up to {_relative(found.error, found.mean if scale is None else scale):.2%}, {how}"
    return Check.measured(
        f"{name}: largest deviation in standard errors", figure, float(f"{bound:.3g}"),
        f"{detail}; {said}" if detail else said
    )


def _relative(error: Array, scale: Array) -> float:
    """The largest error relative to the root of the product of the two diagonal entries (to the entry, of a vector)."""
    if scale.ndim == 1:
        return float(np.max(error / np.abs(scale)))
    root = np.sqrt(np.abs(np.einsum("...ii->...i", scale)))
    return float(np.max(error / (root[..., :, None] * root[..., None, :])))


def diagonal(found: Estimate) -> Estimate:
    """The diagonal of an estimated matrix."""
    return Estimate(np.diag(found.mean), np.diag(found.error), found.networks, found.extrapolated)
