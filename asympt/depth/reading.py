"""Reading the input of the NumPy engine: every message names the value, the rule and what to do."""

import os

import numpy as np

from asympt.arrays import finite_array, whole
from asympt.errors import InputError

DEEPEST = 10**9  # layers: an hour or so for a few pairs
MOST_WORKERS = max(8, 2 * (os.cpu_count() or 1))


def depth_of(value, most: int = DEEPEST) -> int:
    """A depth: the number L of the layer asked for, at most `most`, because every layer is computed."""
    depth = whole(value, "depth", "the number of the layer, 1 for the input itself")
    if depth > most:
        raise InputError(
            f"depth = {value} is too deep to go layer by layer; give at most {most}, or evaluate a law, whose cost "
            "does not depend on the depth"
        )
    return depth


def workers_of(value) -> int:
    """A number of worker processes: never many more than there are processors, whatever is asked for."""
    return min(whole(value, "workers", "the number of processes, 1 for none besides this one"), MOST_WORKERS)


def gaps_of(values) -> np.ndarray:
    """Gaps 1 - c in [0, 2]."""
    array = finite_array(values, "gap")
    outside = (array < 0) | (array > 2)
    if outside.any():
        raise InputError(
            f"gap holds {array[outside].flat[0]}; a gap is 1 - c with a correlation c in [-1, 1], give values in [0, 2]"
        )
    return array


def variances_of(values, name: str = "variance") -> np.ndarray:
    """Positive variances."""
    array = finite_array(values, name)
    if (array <= 0).any():
        raise InputError(f"{name} holds {array[array <= 0].flat[0]}; give variances greater than 0")
    return array


def inputs_of(values) -> np.ndarray:
    """Inputs X of shape (N, d), N and d at least 1."""
    array = finite_array(values, "X")
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"X has shape {array.shape}; give one row per input, shape (N, d) with N and d at least 1")
    return array


def progress_of(value):
    """A function of (done, total), or None."""
    if value is not None and not callable(value):
        raise InputError(f"progress = {value!r} is not a function; give a function of (done, total), or None")
    return value
