"""Reading targets, times and normalisations: every message names the value, the rule and what to do.

Rule.  N training points with scalar outputs have targets of shape (N,), with several outputs (N, outputs); a start has
the shape of what it starts.  The kernel acts on every output alike (K tensor identity, as at infinite width).

Tiny case.  normalisation 'mean' divides the kernel by N (the loss is a mean: HDR), 'sum' does not (JGH, XPS); a number
divides by it, as the (o N, o N) kernel of o outputs that share parameters needs: N, with targets of shape (o N,).
"""

from fractions import Fraction

import numpy as np
from sympy import Expr

from asympt.arrays import finite_array, real, real_array
from asympt.errors import InputError
from asympt.numbers import is_truth

NORMALISATIONS = ("mean", "sum")


def exact_or_array(**values) -> tuple:
    """Each as it is when it is exact (an int, a fraction, a SymPy expression), else as an array; they go together."""
    found = [
        value if isinstance(value, int | Fraction | Expr) and not is_truth(value) else finite_array(value, name)
        for name, value in values.items()
    ]
    try:
        np.broadcast_shapes(*(np.shape(value) for value in found))
    except ValueError:
        shapes = ", ".join(f"{name}: {np.shape(value)}" for name, value in zip(values, found, strict=True))
        raise InputError(f"the shapes do not go together ({shapes}); give numbers, or arrays of one shape") from None
    return tuple(found)


def targets_of(values, size: int, name: str = "targets") -> np.ndarray:
    """Values at `size` points, shape (size,) or (size, outputs)."""
    array = finite_array(values, name)
    if array.ndim not in (1, 2) or array.shape[0] != size or array.size == 0:
        raise InputError(
            f"{name} has shape {array.shape}; give one row per point, shape ({size},) or ({size}, outputs)"
        )
    return array


def start_of(values, like: np.ndarray, name: str = "start") -> np.ndarray:
    """Outputs before training, of the shape of `like`; None means zero."""
    if values is None:
        return np.zeros(like.shape)
    array = finite_array(values, name)
    if array.shape != like.shape:
        raise InputError(f"{name} has shape {array.shape}; give the outputs before training, shape {like.shape}")
    return array


def cross_of(values, size: int, name: str = "cross") -> np.ndarray:
    """K(x, X) of M test points with the `size` training points, shape (M, size)."""
    array = finite_array(values, name)
    if array.ndim != 2 or array.shape[1] != size:
        raise InputError(f"{name} has shape {array.shape}; give K(x, X), one row per test point, shape (M, {size})")
    return array


def times_of(values, name: str = "times") -> np.ndarray:
    """Times from 0 to infinity, any shape."""
    array = real_array(values, name)
    wrong = ~(array >= 0)
    if wrong.any():
        raise InputError(f"{name} holds {array[wrong].flat[0]}; give times t >= 0, np.inf for the end of training")
    return array


def increasing_of(values, name: str = "times") -> np.ndarray:
    """Finite times in increasing order, shape (T,)."""
    array = times_of(values, name)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (np.diff(array) < 0).any():
        raise InputError(f"{name} are not finite and increasing; give an array of shape (T,), for example [0, 1, 10]")
    return array


def positive(value, name: str, meaning: str) -> float:
    """A positive finite number."""
    number = real(value, name)
    if not number > 0:
        raise InputError(f"{name} = {value!r} is not a positive number; give {meaning}")
    return number


def scale_of(normalisation, size: int) -> float:
    """1/N for 'mean', 1 for 'sum', 1/number for a number."""
    if isinstance(normalisation, str) and normalisation in NORMALISATIONS:
        return 1.0 / size if normalisation == "mean" else 1.0
    if isinstance(normalisation, bool | str) or normalisation is None:
        raise InputError(
            f"normalisation = {normalisation!r} is unknown; give 'mean' (K/N, HDR), 'sum' (K, JGH) or a number that "
            "divides the kernel"
        )
    return 1.0 / positive(normalisation, "normalisation", "'mean', 'sum' or the number to divide the kernel by")
