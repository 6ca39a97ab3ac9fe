"""Activations written out, and E[phi(U) phi(V)] in float64 by a quadrature that shares nothing with the code."""

from collections.abc import Callable

import mpmath
import numpy as np
from mpmath import mp
from numpy.polynomial.legendre import leggauss
from sympy import Abs, Heaviside, Max, Min, Piecewise, Rational, Symbol, atan, cos, erf, exp, log, sin, sqrt, tanh

from asympt.gaussian.piecewise import PiecewiseSmooth

X = Symbol("x", real=True)
SELU = (Rational("1.0507009873554805"), Rational("1.6732632423543772"))

EXPRESSIONS = {
    "linear": X, "relu": Max(X, 0), "leaky_relu": Max(X, X / 10), "abs": Abs(X), "step": Heaviside(X, Rational(1, 2)),
    "erf": erf(X), "gelu": X * (1 + erf(X / sqrt(2))) / 2, "tanh": tanh(X), "sigmoid": 1 / (1 + exp(-X)),
    "softplus": log(1 + exp(X)), "silu": X / (1 + exp(-X)), "elu": Piecewise((exp(X) - 1, X < 0), (X, True)),
    "elu_2": Piecewise((2 * (exp(X) - 1), X < 0), (X, True)),
    "selu": Piecewise((SELU[0] * SELU[1] * (exp(X) - 1), X < 0), (SELU[0] * X, True)),
    "mish": X * tanh(log(1 + exp(X))), "arctan": atan(X), "softsign": X / (1 + Abs(X)), "sin": sin(X), "cos": cos(X),
    "exp": exp(X), "gaussian": exp(-(X**2)), "cube": X**3, "hermite_4": X**4 - 6 * X**2 + 3,
    "hard_tanh": Max(-1, Min(1, X)), "relu6": Max(0, Min(6, X)), "shifted": Max(X - Rational(1, 2), 0),
    "two_jumps": Piecewise((sin(X), X < -1), (exp(X / 2), X < 1), (X**2, True)), "cap": Max(0, 1 - X**2),
}  # fmt: skip


def activation(name: str) -> PiecewiseSmooth:
    """phi by its name."""
    return PiecewiseSmooth.of(EXPRESSIONS[name], X)


def _panels(ends: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on consecutive panels; the last axis of `ends` runs over their ends."""
    points, weights = leggauss(nodes)
    middle, half = (ends[..., 1:] + ends[..., :-1]) / 2, (ends[..., 1:] - ends[..., :-1]) / 2
    shape = (*ends.shape[:-1], -1)
    z = middle[..., None] + half[..., None] * points
    return z.reshape(shape), (half[..., None] * weights).reshape(shape)


def product_mean(phi: Callable, breaks: list[float], c: float) -> float:
    """E[phi(U) phi(V)] for standard normal U, V of correlation c; `breaks` are phi's breakpoints.

    V = c U + s Y given U: in y the panels end at the breakpoint's images, in u they are narrow (of order s) around
    the breakpoints, where the inner mean varies fast.
    """
    s = np.sqrt((1 - c) * (1 + c))
    near = [b + s * k for b in breaks for k in (-12, -8, -5, -3, -1.5, 0, 1.5, 3, 5, 8, 12)]
    u, weight = _panels(np.unique(np.clip([*np.linspace(-12, 12, 25), *near], -12, 12)), 24)
    images = [(b - c * u) / s for b in breaks]
    ends = [np.full_like(u, e) for e in np.linspace(-12, 12, 17)] + [np.clip(image, -12, 12) for image in images]
    y, inner = _panels(np.sort(np.stack(ends, axis=-1), axis=-1), 20)
    means = np.sum(inner * np.exp(-(y**2) / 2) * phi(c * u[:, None] + s * y), axis=-1)
    return float(np.sum(weight * np.exp(-(u**2) / 2) * phi(u) * means) / (2 * np.pi))


def gaussian_expectation(phi: Callable, c, digits: int = 30):
    """E[phi(U) phi(V)] at correlation c by a quadrature in polar coordinates; phi is smooth but at 0."""
    with mp.workdps(digits + 10):
        reach = mp.sqrt(2 * mp.log(10) * (digits + 10)) + 2
        return _by_angle(phi, mpmath.mpf(c), reach)


def _by_angle(phi: Callable, c, reach):
    theta = mp.acos(c)
    kinks = {-mp.pi / 2, mp.pi / 2, _wrapped(theta - mp.pi / 2), _wrapped(theta + mp.pi / 2)}
    angles = sorted({-mp.pi, mp.pi, *kinks})
    radii = mp.linspace(0, reach, 4)

    def density(radius, angle):
        weight = radius * mp.exp(-(radius**2) / 2) / (2 * mp.pi)
        return weight * phi(radius * mp.cos(angle)) * phi(radius * mp.cos(angle - theta))

    return mp.quad(density, radii, angles, method="gauss-legendre")


def _wrapped(angle):
    """The angle brought into [-pi, pi]."""
    return angle - 2 * mp.pi if angle > mp.pi else angle
