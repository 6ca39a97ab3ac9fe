"""Reading the input of the NumPy engine: every message names the value, the rule and what to do."""

import os

import numpy as np

from asympt.arrays import finite_array, whole
from asympt.errors import InputError, UnsupportedError

DEEPEST = 10**30  # layers: composed tables keep their digits that far
LONGEST = 10**9  # layers one after another: an hour or so for a few pairs
MOST_WORKERS = max(8, 2 * (os.cpu_count() or 1))


def depth_of(value, most: int = DEEPEST) -> int:
    """A depth: the number L of the requested layer, at most `most`."""
    depth = whole(value, "depth", "the number of the layer, 1 for the input itself")
    if depth > most:
        raise InputError(
            f"a depth of {len(str(depth))} digits is too deep for float64; give at most {most:.0e}, or evaluate a law, "
            "which has no such limit"
        )
    return depth


def depths_of(value) -> tuple[int, ...]:
    if isinstance(value, str) or not np.ndim(value):
        return (depth_of(value),)
    if np.ndim(value) != 1 or len(value) == 0:
        raise InputError(f"depth = {value!r} is neither a number nor a list of numbers; give the requested layers")
    return tuple(depth_of(entry) for entry in value)


def require_walkable(depth: int, reason: str) -> None:
    """An error where every layer has to be computed and there are too many."""
    if depth > LONGEST:
        raise InputError(
            f"depth = {depth} is too deep to go layer by layer, as one must where {reason}; give at most {LONGEST}, or "
            "evaluate a law, whose cost does not depend on the depth"
        )


def dtype_of(value) -> np.dtype:
    try:
        name = "" if value is None else np.dtype(value).name
    except TypeError:
        name = ""
    if name not in ("float64", "float32"):
        raise InputError(f"dtype = {value!r} is not a type of the results; give float64 or float32")
    return np.dtype(name)


def rounded(values: np.ndarray, kind: np.dtype, depth: int) -> np.ndarray:
    """The values as `kind`; an error where they leave its range."""
    if kind == np.float64:
        return values
    with np.errstate(over="ignore"):
        found = values.astype(kind)
    if not np.isfinite(found).all():
        raise UnsupportedError(
            f"the kernels of layer {depth} exceed the float32 range; take dtype=float64, or divide X by a common factor"
        )
    return found


def workers_of(value) -> int:
    """A number of worker processes: never many more than there are processors, whatever is requested."""
    return min(whole(value, "workers", "the number of processes, 1 for none besides this one"), MOST_WORKERS)


def gaps_of(values) -> np.ndarray:
    array = finite_array(values, "gap")
    outside = (array < 0) | (array > 2)
    if outside.any():
        raise InputError(
            f"gap holds {array[outside].flat[0]}; a gap is 1 - c with a correlation c in [-1, 1], give values in [0, 2]"
        )
    return array


def variances_of(values) -> np.ndarray:
    array = finite_array(values, "variance")
    if (array <= 0).any():
        raise InputError(f"variance holds {array[array <= 0].flat[0]}; give variances greater than 0")
    return array


def two_of(variance) -> tuple:
    """A `variance` argument as a tuple of none, one or two values."""
    found = variance if isinstance(variance, tuple) else () if variance is None else (variance,)
    if isinstance(variance, tuple) and len(found) != 2:
        raise InputError(f"variance has {len(found)} entries; give one variance or the pair (q, q') of two inputs")
    return found


def spread_of(values, shape: tuple, like: str = "gap") -> np.ndarray:
    """Variances as a flat array, as many as an array of this shape has entries."""
    read = variances_of(values)
    try:
        return np.broadcast_to(read, shape).ravel()
    except ValueError:
        raise InputError(
            f"variance has shape {read.shape} and {like} {shape}; give variances that broadcast to the shape of {like}"
        ) from None


def inputs_of(values, name: str = "X") -> np.ndarray:
    array = finite_array(values, name)
    require_rows(array.shape, name)
    return array


def require_rows(shape: tuple, name: str) -> None:
    """An error for a shape that is not (N, d), N and d at least 1."""
    if len(shape) != 2 or 0 in shape:
        raise InputError(f"{name} has shape {shape}; give one row per input, shape (N, d) with N and d at least 1")


def matching_inputs_of(values, inputs: np.ndarray) -> np.ndarray:
    if isinstance(values, int | np.integer):
        raise InputError(f"Y = {values!r} is a number, not inputs; give the depth by name, depth={values!r}")
    array = inputs_of(values, "Y")
    if array.shape[1] != inputs.shape[1]:
        raise InputError(
            f"Y has {array.shape[1]} columns and X {inputs.shape[1]}; give inputs with the same number of entries"
        )
    return array


def progress_of(value):
    """A function of (done, total), None, or False for silence."""
    if value is not None and value is not False and not callable(value):
        raise InputError(
            f"progress = {value!r} is not a function; give a function of (done, total), None, or False for no bar"
        )
    return value
