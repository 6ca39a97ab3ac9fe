"""Layers and independent formulas that the tests of asympt.depth share."""

from functools import cache

import mpmath
from sympy import Rational

from asympt.meanfield.activations import activation
from asympt.meanfield.edge import edge_of_chaos
from asympt.meanfield.layer import Layer


@cache
def critical(name: str, sigma_b="1/5") -> Layer:
    """The layer on the Edge of Chaos."""
    phi, point = activation(name), edge_of_chaos(name, sigma_b=sigma_b)
    return Layer(phi, point.exact_sigma_w**2, Rational(sigma_b) ** 2, point.exact_q, True)


def dense(name: str, sigma_w, sigma_b, **options) -> Layer:
    """A layer away from it."""
    return Layer(activation(name, **options), Rational(sigma_w) ** 2, Rational(sigma_b) ** 2)


def relu(weight=2, bias=0, right=1, left=0) -> Layer:
    """A layer of straight lines, by variances."""
    return Layer(activation("relu_like", right=right, left=left), Rational(weight), Rational(bias))


def off(computed, true) -> float:
    """The relative error, or the value itself where 0 is true."""
    return float(abs(mpmath.mpf(float(computed)) / true - 1)) if true else abs(float(computed))


def erf_value(q1, q2, c):
    """E[erf(sqrt(q1) U) erf(sqrt(q2) V)] (Williams 1997): (2/pi) asin(2 sqrt(q1 q2) c/sqrt((1 + 2 q1)(1 + 2 q2)))."""
    root = mpmath.sqrt((1 + 2 * q1) * (1 + 2 * q2))
    return 2 / mpmath.pi * mpmath.asin(2 * mpmath.sqrt(q1 * q2) * c / root)


def erf_slope(q1, q2, c):
    """E[erf'(sqrt(q1) U) erf'(sqrt(q2) V)] = (4/pi)/sqrt((1 + 2 q1)(1 + 2 q2) - 4 q1 q2 c^2)."""
    return 4 / mpmath.pi / mpmath.sqrt((1 + 2 * q1) * (1 + 2 * q2) - 4 * q1 * q2 * c**2)


def sin_value(q1, q2, c):
    """E[sin(sqrt(q1) U) sin(sqrt(q2) V)] = exp(-(q1 + q2)/2) sinh(sqrt(q1 q2) c)."""
    return mpmath.exp(-(q1 + q2) / 2) * mpmath.sinh(mpmath.sqrt(q1 * q2) * c)


def sin_slope(q1, q2, c):
    """E[cos(sqrt(q1) U) cos(sqrt(q2) V)] = exp(-(q1 + q2)/2) cosh(sqrt(q1 q2) c)."""
    return mpmath.exp(-(q1 + q2) / 2) * mpmath.cosh(mpmath.sqrt(q1 * q2) * c)


CLOSED = {"erf": (erf_value, erf_slope), "sin": (sin_value, sin_slope)}
