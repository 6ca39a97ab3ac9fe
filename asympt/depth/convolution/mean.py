"""The mean over a filter on a circle of positions, in float64, without losing digits.

Problem.  A layer averages over 2k+1 neighbours; a million layers must not let that drift, and gaps of very different
sizes must each keep their digits.

Rule.  Sums of 1, 2, 4, ... neighbours, each two of the one before, added up by the binary digits of 2k+1: about log2(k)
passes, every one a sum of positive numbers.  Where all entries of a row are within a factor of 2, they are first taken
relative to one of them (an exact difference), so that a uniform row stays exactly as it is.

Tiny case.  k = 1: x_(-1) + (x_0 + x_1).

Known limits.  A row whose entries change sign is averaged as it stands.
"""

import numpy as np


def window_mean(values: np.ndarray, reach: int) -> np.ndarray:
    """The mean over alpha - reach, ..., alpha + reach along the last axis, which is a circle.

    >>> window_mean(np.array([0.0, 3.0, 0.0, 0.0]), 1)
    array([1., 1., 1., 0.])
    """
    if reach == 0:
        return values
    reference = reference_of(values)
    return reference + bare_mean(values - reference, reach)


def bare_mean(values: np.ndarray, reach: int) -> np.ndarray:
    """The same, sums as they come."""
    if reach == 0:
        return values
    total = window_sum(values, reach)
    return np.divide(total, 2 * reach + 1, out=total)


def window_sum(values: np.ndarray, reach: int) -> np.ndarray:
    """The sum over the filter."""
    size, width = values.shape[-1], 2 * reach + 1
    power = np.concatenate([values[..., size - reach :], values, values[..., :reach]], axis=-1)
    total, start, span = None, 0, 1
    while width:
        if width & 1:
            part = power[..., start : start + size]
            total = part.copy() if total is None else np.add(total, part, out=total)
            start += span
        width >>= 1
        if width:
            power = power[..., :-span] + power[..., span:]
            span *= 2
    return total


def reference_of(*values: np.ndarray) -> np.ndarray:
    """For every row the first entry of the first array, or 0 where not all entries are within a factor 2."""
    low = np.min([v.min(axis=-1) for v in values], axis=0)
    high = np.max([v.max(axis=-1) for v in values], axis=0)
    return np.where((low > 0) & (high <= 2 * low) & np.isfinite(high), values[0][..., 0], 0.0)[..., None]


def spread(one: np.ndarray, two: np.ndarray, wide_one: np.ndarray, wide_two: np.ndarray, reach: int, share: float):
    """(sqrt(Q Q') - B(u v), sqrt(Q Q')), u = sqrt(q), v = sqrt(q'), Q = B q, Q' = B q', B = (1-share) + share * mean.

    Cauchy and Schwarz: Q Q' - (B u v)^2 = Q' B[(u - r v)^2] with r = B(u v)/Q', free of cancellation.
    """
    norm = np.sqrt(wide_one) * np.sqrt(wide_two)
    product = (1 - share) * (one * two) + share * bare_mean(one * two, reach)
    ratio = product / np.where(wide_two > 0, wide_two, 1.0)
    rest = (1 - share) * (one - ratio * two) ** 2
    for step in range(-reach, reach + 1):
        difference = np.roll(one, -step, axis=-1) - ratio * np.roll(two, -step, axis=-1)
        rest += share / (2 * reach + 1) * difference**2
    return rest * (wide_two / np.where(norm > 0, norm + product, 1.0)), norm
