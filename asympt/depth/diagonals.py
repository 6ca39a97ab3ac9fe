"""The diagonals of Sigma and K after L layers of a ReLU-like network: affine functions of the variance of layer 1.

Rule.  q' = growth_l q + beta_l sigma_b^2,  K' = growth_l K + lambda_b + lambda_W m_2 q,  K^1 = u q^1 + v (`stack`), so

    q_L = A q_1 + B,      K^L(x, x) = F A q_1 + D.

For plain networks A, B and D have closed forms (`variance`, F = L).  Where all layers are the same, the layer is a
matrix and its power L - 1 comes from some log2(L) products, to 40 digits; else one layer follows the other in float64,
in units of the growth so far.

Tiny case.  ResNet, ReLU, sigma_w^2 = 1, two layers: A = 3/2, F = 1 + 1/3.

Known limits.  Rates that depend on the layer: errors of about 1e-16 times the square root of L.
"""

from dataclasses import replace
from math import inf

import mpmath
import numpy as np

from asympt.depth.constants import DIGITS, precise
from asympt.depth.gaps import require_visible
from asympt.depth.inputs import Inputs
from asympt.depth.stack import DenseStack
from asympt.depth.variance import diagonal
from asympt.errors import UnsupportedError


def relu_like_diagonal(stack: DenseStack, inputs: Inputs, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """(q_L, K^L(x, x)) of inputs given in units of 2^shift."""
    variance, ntk = _at(stack, inputs.variance, shift)
    if not (np.isfinite(variance).all() and np.isfinite(ntk).all()):
        first = _first_overflow(stack, inputs.variance.max(), shift)
        raise UnsupportedError(
            f"the NTK of layer {stack.depth} exceeds the float64 range, from layer {first} on; "
            "use asympt.depth.pairs, which returns values normalised by the variance, or divide "
            f"{inputs.name} by a common factor"
        )
    require_visible(inputs.variance, variance, stack.depth, inputs.what)
    return variance, ntk


def _at(stack: DenseStack, first: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """(q_L, K^L(x, x)), infinite where they leave the float64 range."""
    try:
        slope, intercept, factor, kernel = diagonal_map(stack)
    except OverflowError:
        slope = intercept = factor = kernel = inf
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.ldexp(slope * first + intercept, 2 * shift)
        return variance, np.ldexp(factor * (slope * first) + kernel, 2 * shift)


def _first_overflow(stack: DenseStack, largest: float, shift: int) -> int:
    """The first layer whose NTK is beyond the float64 range, by bisection."""
    low, high = 0, stack.depth
    while high - low > 1:
        middle = (low + high) // 2
        values = _at(replace(stack, depth=middle), np.array([largest]), shift)
        low, high = (middle, high) if np.isfinite(values).all() else (low, middle)
    return high


def diagonal_map(stack: DenseStack) -> tuple[float, float, float, float]:
    """(A, B, F, D), infinite where they exceed the float64 range."""
    if stack.statement.is_plain:
        slope, intercept, kernel = diagonal(stack.statement.layer, stack.depth)
        return slope, intercept, stack.depth, kernel
    return _by_power(stack) if stack.is_uniform else _by_layers(stack)


def _by_power(stack: DenseStack) -> tuple:
    """The layer as a matrix on (1, q, K), to the power L - 1."""
    s = stack.statement
    with mpmath.workdps(DIGITS):
        exact = (s.growth, s.branch * s.layer.bias_variance, s.weight_rate * s.activation.second_moment)
        growth, bias, weight = map(precise, exact)
        layer = mpmath.matrix([[1, 0, 0], [bias, growth, 0], [precise(s.bias_rate), weight, growth]])
        total = _power(layer, stack.depth - 1)
        ratio = precise(s.first.weight_rate / s.first.weight)
        rest = precise(s.first.bias_rate) - ratio * precise(s.first.bias)
        slope, intercept = total[1, 1], total[1, 0]
        return tuple(
            float(value) for value in (slope, intercept, ratio + total[2, 1] / slope, total[2, 0] + total[2, 2] * rest)
        )


def _power(matrix: mpmath.matrix, count: int) -> mpmath.matrix:
    """By squaring; only products, so that nothing is inverted."""
    total = mpmath.eye(3)
    while count:
        if count % 2:
            total = total * matrix
        matrix, count = matrix * matrix, count // 2
    return total


def _by_layers(stack: DenseStack) -> tuple:
    ratio, rest = stack.first_rates
    factor = ratio + float(np.sum(stack.source.astype(np.longdouble)))  # K/q of an input whose variance only grows
    growth, bias, bias_rate, weight = (
        values.tolist() for values in (stack.growth, stack.bias, stack.bias_rate, stack.source * stack.growth)
    )
    slope, intercept, kernel = 1.0, 0.0, rest
    for g, b, r, w in zip(growth, bias, bias_rate, weight, strict=True):
        kernel = g * kernel + r + w * intercept
        slope, intercept = g * slope, g * intercept + b
    return slope, intercept, factor, kernel
