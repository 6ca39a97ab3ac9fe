"""The expectation of a product of two gated terms.

Problem.  x and y are centred normal with variances q1, q2 and correlation c; find E[first(x) second(y)] for terms
P(x) exp(b x - d x^2) 1{gate}.

Rule.  An exponential of a quadratic changes one normal law into another:

    exp(-d1 x^2 - d2 y^2): factor D^{-1/2}, D = (1 + 2 d1 q1)(1 + 2 d2 q2) - 4 d1 d2 c^2 q1 q2,
        covariance K = ((q1 + 2 d2 E, c s), (c s, q2 + 2 d1 E))/D,  E = q1 q2 (1 - c^2),  s = sqrt(q1 q2);
    exp(b1 x + b2 y):      factor exp(b K b/2), mean K b.

Then every gate e x + W joins as one more normal variable, and the machine takes over.  Pinned gates are conditioned
on first.

Tiny case.  exp(x) exp(y) gives exp((q1 + q2)/2 + c s).
"""

from collections.abc import Sequence
from typing import Any

from asympt.errors import InputError
from asympt.gaussian.closed.machine import Normals, moments
from asympt.gaussian.closed.terms import Term


def pair(first: Term, second: Term, variances: Sequence, correlation, arithmetic: Any) -> list[tuple]:
    """The summands of E[first(x) second(y)], one per pair of powers, each with its size without its gates."""
    factor, normals = _tilted(first, second, variances, correlation, arithmetic)
    for gate in [i for i, t in enumerate(_gated(first, second), 2) if t.gate.pinned][::-1]:
        factor = factor * normals.density(gate, arithmetic)
        if factor == 0 or factor == arithmetic.infinity:
            return [(factor * first.polynomial[0] * second.polynomial[0],) * 2]
        normals = normals.conditioned(gate, arithmetic)
    table = moments(normals, (len(first.polynomial) - 1, len(second.polynomial) - 1), arithmetic)
    wide, high = (arithmetic.spread(normals.mean[i], normals.covariance[i][i]) for i in (0, 1))
    return [
        (factor * k * j * table[a][b], factor * k * j * wide**a * high**b)
        for a, k in enumerate(first.polynomial)
        for b, j in enumerate(second.polynomial)
        if k != 0 and j != 0
    ]


def _gated(first: Term, second: Term) -> list[Term]:
    return [term for term in (first, second) if term.gate is not None]


def _tilted(first: Term, second: Term, variances, correlation, arithmetic):
    """The factor and the normal law that the exponentials leave, gates included."""
    kernel, factor = _curved(first.curvature, second.curvature, variances, correlation, arithmetic)
    b = (first.rate, second.rate)
    mean = [kernel[0][0] * b[0] + kernel[0][1] * b[1], kernel[0][1] * b[0] + kernel[1][1] * b[1]]
    if b[0] != 0 or b[1] != 0:
        factor = factor * arithmetic.exp(arithmetic.plain((b[0] * mean[0] + b[1] * mean[1]) / 2))
    return factor, _with_gates(first, second, mean, kernel)


def _curved(d1, d2, variances, correlation, arithmetic):
    """Covariance and factor after exp(-d1 x^2 - d2 y^2)."""
    q1, q2 = variances
    cross = correlation * arithmetic.sqrt(q1) * arithmetic.sqrt(q2)
    if d1 == 0 and d2 == 0:
        return [[q1, cross], [cross, q2]], arithmetic.one
    rest = q1 * q2 * (1 - correlation) * (1 + correlation)
    a1, a2 = 1 + 2 * d1 * q1, 1 + 2 * d2 * q2
    determinant = arithmetic.plain(1 + 2 * d1 * q1 + 2 * d2 * q2 + 4 * d1 * d2 * rest)
    if any((value > 0) == False for value in (a1, a2, determinant)):  # noqa: E712
        raise InputError(
            f"the expectation diverges: exp(-d x^2) with d = {d1} and {d2} outgrows normal variances {q1} and {q2}; "
            "give smaller variances"
        )
    if d1 != 0 and d2 != 0:
        determinant = arithmetic.abbreviated(determinant)
    entries = [[q1 + 2 * d2 * rest, cross], [cross, q2 + 2 * d1 * rest]]
    return [[arithmetic.plain(e / determinant) for e in row] for row in entries], 1 / arithmetic.sqrt(determinant)


def _with_gates(first: Term, second: Term, mean: list, kernel: list) -> Normals:
    """x, y and the gates' variables e x + W."""
    loadings, noises, thresholds = [(1, 0), (0, 1)], [0, 0], []
    for term, axis in ((first, 0), (second, 1)):
        if term.gate is not None:
            loadings.append((term.gate.slope, 0) if axis == 0 else (0, term.gate.slope))
            noises.append(term.gate.noise)
            thresholds.append(term.gate.threshold)
    axes = [0 if load[0] != 0 else 1 for load in loadings]
    size = [load[axis] for load, axis in zip(loadings, axes, strict=True)]
    means = [e * mean[axis] for e, axis in zip(size, axes, strict=True)]
    covariance = [
        [size[i] * size[j] * kernel[axes[i]][axes[j]] + (noises[i] if i == j else 0) for j in range(len(size))]
        for i in range(len(size))
    ]
    return Normals(means, covariance, tuple(thresholds))
