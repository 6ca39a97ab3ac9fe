"""Reading the input of the NumPy engine: every message names the value, the rule and what to do."""

import operator

import numpy as np

from asympt.errors import InputError


def whole(value, name: str, remedy: str) -> int:
    """`value` as an integer of at least 1."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} = {value!r} is not an integer; give {remedy}") from None
    if number < 1 or isinstance(value, bool | np.bool_):
        raise InputError(f"{name} = {value!r} is not an integer of at least 1; give {remedy}")
    return number


def depth_of(value) -> int:
    """A depth: the number L of the layer asked for."""
    return whole(value, "depth", "the number of the layer, 1 for the input itself")


def workers_of(value) -> int:
    """A number of worker processes."""
    return whole(value, "workers", "the number of processes, 1 for none besides this one")


def finite(values, name: str) -> np.ndarray:
    """`values` as a float64 array without NaN or infinity."""
    try:
        array = np.asarray(values)
        array = array if np.iscomplexobj(array) else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is not an array of numbers; give real numbers that NumPy can read") from None
    if np.iscomplexobj(array):
        raise InputError(f"{name} is complex; give real numbers")
    bad = ~np.isfinite(array)
    if bad.any():
        raise InputError(f"{name} holds {array[bad].flat[0]}; give finite numbers only")
    return array


def gaps_of(values) -> np.ndarray:
    """Gaps 1 - c in [0, 2]."""
    array = finite(values, "gap")
    outside = (array < 0) | (array > 2)
    if outside.any():
        raise InputError(
            f"gap holds {array[outside].flat[0]}; a gap is 1 - c with a correlation c in [-1, 1], give values in [0, 2]"
        )
    return array


def variances_of(values, name: str = "variance") -> np.ndarray:
    """Positive variances."""
    array = finite(values, name)
    if (array <= 0).any():
        raise InputError(f"{name} holds {array[array <= 0].flat[0]}; give variances greater than 0")
    return array


def inputs_of(values) -> np.ndarray:
    """Inputs X of shape (N, d), N and d at least 1."""
    array = finite(values, "X")
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"X has shape {array.shape}; give one row per input, shape (N, d) with N and d at least 1")
    return array


def progress_of(value):
    """A function of (done, total), or None."""
    if value is not None and not callable(value):
        raise InputError(f"progress = {value!r} is not a function; give a function of (done, total), or None")
    return value
