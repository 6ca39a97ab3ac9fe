"""Layer recursions at infinite width, iterated from their statements; expectations in formulas of their own.

E[phi phi] and E[phi' phi'] of two normal variables with covariance [[q, s], [s, r]]: ReLU (Cho and Saul 2009), erf
(Williams 1997), tanh by a product of two Gauss-Hermite rules of 80 points.
"""

import numpy as np

from asympt.meanfield.statement import LAYER, ConvStatement, Statement

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def relu_moments(q, r, s):
    root = np.sqrt(q * r)
    angle = np.arccos(np.clip(s / root, -1, 1))
    value = root * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
    return value, (np.pi - angle) / (2 * np.pi)


def erf_moments(q, r, s):
    root = (1 + 2 * q) * (1 + 2 * r)
    return 2 / np.pi * np.arcsin(2 * s / np.sqrt(root)), 4 / np.pi / np.sqrt(root - 4 * s * s)


def tanh_moments(q, r, s):
    u = np.sqrt(q) * NODES[:, None]
    v = s / np.sqrt(q) * NODES[:, None] + np.sqrt(max(r - s * s / q, 0.0)) * NODES
    tanh_u, tanh_v = np.tanh(u), np.tanh(v)
    weights = WEIGHTS[:, None] * WEIGHTS
    return (weights * tanh_u * tanh_v).sum(), (weights * (1 - tanh_u**2) * (1 - tanh_v**2)).sum()


MOMENTS = {"relu": relu_moments, "erf": erf_moments, "tanh": tanh_moments}


def expectations(name: str, covariance):
    """The matrices E[phi phi] and E[phi' phi'] of every pair."""
    q = np.diag(covariance)
    found = [[MOMENTS[name](q[i], q[j], covariance[i, j]) for j in range(len(q))] for i in range(len(q))]
    return tuple(np.moveaxis(np.array(found), -1, 0))


def dense_limit(statement: Statement, X, depth: int):
    """(Sigma^1, ..., Sigma^L) and K^L of `statement` (module text of `meanfield.statement`)."""
    product, first = X @ X.T / X.shape[1], statement.first
    s = float(first.bias) + float(first.weight) * product
    kernel = float(first.bias_rate) + float(first.weight_rate) * product
    return _iterated(statement, s, kernel, depth, lambda matrix: matrix)


def convolution_limit(statement: ConvStatement, X, depth: int):
    """The same with means over the filter, pixels a M + alpha."""
    inputs, channels, positions = X.shape
    pixels = np.swapaxes(X, 1, 2).reshape(inputs * positions, channels)
    shape = (inputs, positions, inputs, positions)

    def averaged(matrix):
        offsets = range(-statement.reach, statement.reach + 1)
        rolled = [np.roll(matrix.reshape(shape), (-b, -b), axis=(1, 3)) for b in offsets]
        return np.mean(rolled, axis=0).reshape(matrix.shape)

    dense = statement.dense
    weight, bias = float(dense.first.weight), float(dense.first.bias)
    s = bias + weight * averaged(pixels @ pixels.T / channels)
    return _iterated(dense, s, s, depth, averaged)


def _iterated(statement: Statement, s, kernel, depth: int, averaged):
    name, layer, skip = statement.layer.activation.name, statement.layer, int(statement.skip)
    weight, bias = float(layer.weight_variance), float(layer.bias_variance)
    found = [s]
    for at in range(2, depth + 1):
        value, slope = expectations(name, s)
        branch, by_weight, by_bias = (
            float(e.subs(LAYER, at)) for e in (statement.branch, statement.weight_rate, statement.bias_rate)
        )
        kernel = skip * kernel + averaged(branch * weight * slope * kernel + by_weight * value) + by_bias
        s = skip * s + branch * (bias + weight * averaged(value))
        found.append(s)
    return np.array(found), kernel
