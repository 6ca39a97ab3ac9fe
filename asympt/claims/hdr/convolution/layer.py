"""Decisions on the layer recursion of HDR's convolutional networks: Proposition 1 and the map of the correlations.

Rule.  Two routes that share nothing with the engines: plain loops over the printed formulas, with the arccosine kernel
of ReLU written out; and the exact mean of the NTK over the weights of a small network.  With phi(x) = x the NTK is of
degree 2 in every weight, so its mean over normal weights is the mean over weights +-1, a finite sum; the gradients are
written down from the forward pass.

Known limits.  That channels of infinite number behave like this for a nonlinear phi is for random networks to say.
"""


import mpmath
import numpy as np
from mpmath import mp
from sympy import Function, Integer, Lambda, Symbol, simplify

from asympt.architectures.convolution.network import ConvNet
from asympt.claims.figures import CHECK_DIGITS
from asympt.claims.forms import at_most, identity, small
from asympt.depth.convolution import conv_gram
from asympt.evidence.check import Check, Verification
from asympt.gaussian.kernel import kernel_of
from asympt.numbers import to_mpf

WEIGHT, BIAS = 1.5, 0.25  # sigma_w^2 and sigma_b^2
ROUNDING = 1e-12


def proposition() -> Verification:
    """HDR.P1: the recursion of Sigma and K at all pairs of positions."""
    return Verification("K^l_(alpha alpha') by HDR Proposition 1", (_loops(),))


def _averaged(matrices: np.ndarray, reach: int) -> np.ndarray:
    """The mean over the pairs (alpha + b, alpha' + b), as printed."""
    shifts = [np.roll(matrices, (-b, -b), axis=(2, 3)) for b in range(-reach, reach + 1)]
    return sum(shifts) / (2 * reach + 1)


# ---- plain loops ---------------------------------------------------------------------------------------------


def _loops() -> Check:
    """ReLU, two inputs, two channels, five positions, four layers, against the NumPy engine."""
    inputs, depth = np.random.default_rng(7).normal(size=(2, 2, 5)), 4
    sigma = BIAS + WEIGHT * _averaged(np.einsum("nja,mjb->nmab", inputs, inputs) / 2, 1)
    kernel = sigma.copy()
    for _ in range(depth - 1):
        variance = np.einsum("nnaa->na", sigma)
        both, turned = _arccosine(sigma, variance)
        kernel = _averaged(WEIGHT * turned * kernel + BIAS + WEIGHT * both, 1)
        sigma = _averaged(BIAS + WEIGHT * both, 1)
    net = ConvNet("relu", positions=5, reach=1, sigma_w="sqrt(3/2)", sigma_b="1/2")
    found = conv_gram(net, inputs, depth)
    figure = max(float(np.abs(a / b - 1).max()) for a, b in zip(found, (sigma, kernel), strict=True))
    name = f"the NumPy engine against plain loops over Proposition 1, ReLU, layer {depth}, all pairs"
    return at_most(name, figure, 1e-10, "M = 5, k = 1, two inputs of two channels")


def _arccosine(sigma: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E[phi phi] and E[phi' phi'] of ReLU (Cho and Saul 2009)."""
    norm = np.sqrt(variance[:, None, :, None] * variance[None, :, None, :])
    c = np.clip(sigma / norm, -1, 1)
    theta = np.arccos(c)
    return norm * (np.sin(theta) + (np.pi - theta) * c) / (2 * np.pi), (np.pi - theta) / (2 * np.pi)


# ---- the map of the correlations ---------------------------------------------------------------------------------


def averaged_map() -> Verification:
    """HDR.CNN.corr: exact where all variances are equal, in symbols; how far it is off where they are not."""
    q, bias, weight, reach = (Symbol(name, positive=True) for name in ("q", "beta", "w", "k"))
    c, mean = Function("c")(Symbol("b", integer=True)), Function("g")  # E[phi phi] at variance q and correlation c
    covariance = (bias + weight * mean(c)) / (2 * reach + 1)  # what one pair of the filter adds
    f = Lambda(Symbol("x"), (bias + weight * mean(Symbol("x"))) / q)
    variance = (covariance * (2 * reach + 1)).subs(c, Integer(1)) - (bias + weight * mean(Integer(1)))
    checks = (
        identity("what one pair of the filter adds to the covariance, over $q$, minus $f(c)/(2k+1)$",
                 simplify(covariance / q - f(c) / (2 * reach + 1)), "any phi, k, N and correlations"),
        identity("the new variance minus $sigma_b^2 + sigma_w^2 E[phi^2]$, which is $q$ again", variance),
        _in_numbers(),
    )  # fmt: skip
    return Verification("equal variances: c^l_(alpha, alpha') is the mean of f(c^(l-1)) over the filter", checks)


def _in_numbers() -> Check:
    """The same for erf with E[phi phi] from its kernel, twelve random vectors of correlations."""
    net = ConvNet("erf", positions=4, reach=1, sigma_w=2, sigma_b="1/5")
    random, worst = np.random.default_rng(0), mpmath.mpf(0)
    with mp.workdps(CHECK_DIGITS + 10):
        layer, q = net.dense.layer, to_mpf(net.variance)
        weight, bias = to_mpf(layer.weight_variance), to_mpf(layer.bias_variance)
        kernel, f = kernel_of(net.activation.piecewise), net.correlation_map
        for _ in range(12):
            correlations = [mpmath.mpf(int(n)) / 100 for n in random.integers(-99, 100, size=4)]
            covariances = _mean([bias + weight * kernel.value(q, q, c) for c in correlations])
            images = _mean([1 - f.gap(1 - c) for c in correlations])
            worst = max(worst, *(abs(s / q - c) for s, c in zip(covariances, images, strict=True)))
        apart = _apart()
    name = "covariances averaged, over $q$, minus the mean of $f(c)$, erf, 12 random vectors, all variances $q$"
    detail = f"with variances 1, 4, 1, 4 of the positions (ReLU) the two differ by {mpmath.nstr(apart, 4)}"
    return small(name, worst, CHECK_DIGITS, detail)


def _apart():
    """The largest error of the printed map in one layer of ReLU where neighbouring variances are 1 and 4."""
    f, q = ConvNet("relu", positions=4, reach=1).correlation_map, [1, 4, 1, 4]
    correlations = [mpmath.mpf(n) / 10 for n in (1, -5, 9, 4)]
    images = [1 - f.gap(1 - c) for c in correlations]
    covariance, wide = _mean([a * v for a, v in zip(images, q, strict=True)]), _mean([mpmath.mpf(v) for v in q])
    return max(abs(s / v - c) for s, v, c in zip(covariance, wide, _mean(images), strict=True))


def _mean(values: list) -> list:
    """Over three neighbours on the circle."""
    size = len(values)
    return [(values[i - 1] + values[i] + values[(i + 1) % size]) / 3 for i in range(size)]
