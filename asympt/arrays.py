"""Reading arrays: every array from outside becomes real float64 numbers here, or one sentence says why it cannot.

Truth values, None, dates, complex numbers, masked entries, sparse matrices and rows of different lengths are refused by
name, as `np.asarray` takes nearly everything.  Arrays of JAX, PyTorch and CuPy (`is_foreign`) are read likewise, and
`library_of` says where an answer belongs; an array that asks for gradients, or is traced, is refused.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np

from asympt.errors import InputError
from asympt.numbers import check_digits, is_whole
from asympt.spelling import printing

LIBRARIES = ("jax", "jaxlib", "torch", "cupy", "array_api_strict")
FLOAT_DIGITS = 17  # that tell every float64 from the next
TRUTHS = (bool, np.bool_)
NUMBERS, WALKED = "iuf", "OUS"  # NumPy's kinds: taken as they are; looked at entry by entry


def real_array(values, name: str) -> np.ndarray:
    """`values` as a new float64 array of numbers, infinite ones among them if they are there.

    >>> real_array([1, 2.5], "gap")
    array([1. , 2.5])
    >>> real_array([1, None], "gap")
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: gap holds None, which is not a number; give real numbers that NumPy can read
    """
    _refuse_masked(values, name)
    array = _read(values, name)
    if array.dtype.kind == "c":
        raise InputError(f"{name} is complex; give real numbers")
    if array.dtype.kind == "b":
        raise InputError(f"{name} holds truth values (True, False); give numbers")
    if array.dtype.kind in NUMBERS and isinstance(values, list | tuple):
        _refuse_truths(values, name)  # NumPy reads [True, 0.5] as [1, 0.5]
    if array.dtype.kind in WALKED:
        return _walked(array, name)
    if array.dtype.kind not in NUMBERS:
        raise InputError(f"{name} holds {array.dtype}, which are not numbers; give real numbers")
    with np.errstate(over="ignore"):  # of a wider float: infinite, and refused as such
        return array.astype(np.float64)


def finite_array(values, name: str) -> np.ndarray:
    """As `real_array`, without NaN or infinity."""
    array = real_array(values, name)
    bad = ~np.isfinite(array)
    if bad.any():
        raise InputError(f"{name} holds {array[bad].flat[0]}; give finite numbers only")
    return array


def entries(values, name: str) -> np.ndarray:
    """The entries of an array as Python's numbers, texts and other objects, each to be read like one number.

    >>> entries(["1/10", 0.2], "gap")
    array(['1/10', 0.2], dtype=object)
    """
    _refuse_masked(values, name)
    if is_foreign(values):
        return _on_host(values, name).astype(object)
    return (np.asarray(values) if hasattr(values, "dtype") else np.asarray(values, dtype=object)).astype(object)


def broadcast(function: Callable, digits: int | None, **given):
    """function(digits=..., **numbers) for every entry of the lists and arrays among `given`, by NumPy's broadcasting.

    Without any of them: one answer.  `digits` None: float64 instead of mpmath numbers (in an array of objects).

    >>> broadcast(lambda digits, x, y: x + y, None, x=[0.25, 0.5], y=[[1], [2]]).tolist()
    [[1.25, 1.5], [2.25, 2.5]]
    """
    asked = FLOAT_DIGITS if digits is None else check_digits(digits)
    several = (pair for pair in given.items() if isinstance(pair[1], list | range) or getattr(pair[1], "ndim", 0) > 0)
    arrays = {name: entries(value, name) for name, value in several}  # a tuple is one value: a pair, an interval
    if not arrays:
        found = function(digits=asked, **given)
        return float(found) if digits is None else found
    try:
        rows = np.broadcast(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(f"arrays of the shapes {shapes} do not broadcast; give shapes that NumPy broadcasts") from None
    answers = np.empty(rows.shape, dtype=float if digits is None else object)
    for place, row in enumerate(rows):
        answers.flat[place] = printing(function(digits=asked, **given | dict(zip(arrays, row, strict=True))), digits)
    return answers


def plain(values, name: str):
    """Values for another reader, scikit-learn's: an error for masked entries, dates and periods, which it takes for
    numbers; an array of JAX, PyTorch or CuPy as NumPy has it.
    """
    _refuse_masked(values, name)
    if getattr(getattr(values, "dtype", None), "kind", "f") in "mM":
        raise InputError(f"{name} holds {values.dtype}, which are not numbers; give real numbers")
    return _on_host(values, name) if is_foreign(values) else values


def real(value, name: str) -> float:
    """One finite number.

    >>> real("0.25", "penalty")
    0.25
    """
    array = finite_array(value, name)
    if array.ndim != 0:
        raise InputError(f"{name} has shape {array.shape}; give one number")
    return float(array)


def whole(value, name: str, remedy: str, least: int = 1) -> int:
    """`value` as an integer of at least `least`: no truth value, and no float either.

    >>> whole(True, "width", "a number of neurons")
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: width = True is not an integer of at least 1; give a number of neurons
    """
    if not is_whole(value, least):
        raise InputError(f"{name} = {value!r} is not an integer of at least {least}; give {remedy}")
    return int(value)


@dataclass(frozen=True)
class Library:
    """Where an answer belongs: `xp`, the array API of JAX, PyTorch or CuPy, and a device of it."""

    xp: ModuleType
    device: object

    @cached_property
    def holds_float64(self) -> bool:
        """Whether the device has float64: JAX has it only on demand, Apple's GPU not at all."""
        with warnings.catch_warnings(action="ignore"):
            try:
                return self.xp.zeros(1, dtype=self.xp.float64, device=self.device).dtype == self.xp.float64
            except Exception:  # every library has its own
                return False

    def send(self, array: np.ndarray):
        """A copy of an array there, of the same type."""
        return self.xp.asarray(np.array(array), device=self.device)


def is_foreign(value) -> bool:
    """Whether it is an array of JAX, PyTorch, CuPy or their like; none of them is imported for the answer."""
    if isinstance(value, np.ndarray | np.generic | int | float | str | list | tuple | None):
        return False
    return type(value).__module__.partition(".")[0] in LIBRARIES and hasattr(value, "dtype")


def library_of(**arrays) -> Library | None:
    """The library and the device of these arrays by name; None when NumPy is all there is.

    Raises `InputError` for arrays of two libraries or devices, and where array-api-compat is not installed.
    """
    given = {name: value for name, value in arrays.items() if is_foreign(value)}
    if not given:
        return None
    (name, first), *others = given.items()
    try:
        from array_api_compat import array_namespace, device
    except ImportError:
        library = type(first).__module__.partition(".")[0]
        raise InputError(
            f'{name} is an array of {library}, for which array-api-compat is needed; install it with: '
            f'pip install "asympt[array]", or give NumPy arrays'
        ) from None
    for each, value in given.items():
        _require_values(value, each)
    home = Library(array_namespace(first), device(first))
    for each, value in others:
        if array_namespace(value) != home.xp or device(value) != home.device:
            raise InputError(
                f"{name} and {each} are arrays of different libraries or devices ({home.device} and {device(value)}); "
                "give both on one"
            )
    return home


def sender_of(kind: np.dtype, **arrays) -> Callable:
    """What brings an answer of this type to where these arrays are; an error where such numbers cannot be held."""
    home = library_of(**arrays)
    if kind == np.float64 and home is not None and not home.holds_float64:
        raise InputError(
            f"the device {home.device} of these arrays has no float64; take dtype='float32' (computed in float64, "
            "rounded once), give NumPy arrays, or with JAX call jax.config.update('jax_enable_x64', True)"
        )
    return (lambda array: array) if home is None else home.send


def _require_values(array, name: str) -> None:
    """An error for an array that has no values of its own, or whose gradients would be lost."""
    if any(base.__name__ == "Tracer" for base in type(array).__mro__):
        raise InputError(
            f"{name} is traced by JAX (jit, grad, vmap) and has no values yet; call this outside of such a function"
        )
    if getattr(array, "requires_grad", False):
        raise InputError(f"{name} requires gradients, which are not computed here; give {name}.detach()")
    if getattr(array, "is_meta", False):
        raise InputError(f"{name} lies on the device meta and has no values; give one that has")
    if getattr(array, "is_sparse", False) or getattr(array, "is_sparse_csr", False):
        raise InputError(f"{name} is a sparse matrix; give the dense array, {name}.to_dense()")
    if len(getattr(getattr(array, "sharding", None), "device_set", ())) > 1:
        raise InputError(f"{name} is spread over several devices; give it on one")


def _on_host(array, name: str) -> np.ndarray:
    """An array of another library as NumPy has it, from whatever device."""
    _require_values(array, name)
    if "bfloat16" in str(array.dtype) or "float8" in str(array.dtype):  # NumPy does not know these
        array = array.float() if hasattr(array, "float") else array.astype("float32")
    if hasattr(array, "cpu"):  # PyTorch
        array = array.cpu()
    elif hasattr(array, "get"):  # CuPy
        array = array.get()
    elif type(array).__module__.startswith("array_api_strict"):
        array = array.to_device(array.__array_namespace__().Device("CPU_DEVICE"))
    return np.asarray(array)


def _read(values, name: str) -> np.ndarray:
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InputError(f"{name} is a sparse matrix; give the dense array, {name}.toarray()")
    if is_foreign(values):
        return _on_host(values, name)
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{name} is not an array of numbers (rows of different lengths?); give real numbers that NumPy can read"
        ) from None


def _refuse_masked(values, name: str) -> None:
    """Masked entries are missing ones; an array that masks nothing is as good as any other."""
    parts = values if isinstance(values, list | tuple) else (values,)
    hidden = sum(int(np.ma.count_masked(part)) for part in parts if isinstance(part, np.ma.MaskedArray))
    if hidden:
        raise InputError(f"{name} has {hidden} masked entries; leave them out or give their values")


def _refuse_truths(values, name: str) -> None:
    pending = [values]
    while pending:
        entry = pending.pop()
        if isinstance(entry, TRUTHS) or (isinstance(entry, np.ndarray) and entry.dtype.kind == "b"):
            raise InputError(f"{name} holds the truth value {entry}; give numbers")
        if isinstance(entry, list | tuple):
            pending.extend(entry)


def _walked(array: np.ndarray, name: str) -> np.ndarray:
    """Entry by entry, for objects and texts."""
    found = np.empty(array.shape)
    says = "is {}, not an array of numbers" if array.ndim == 0 else "holds {}, which is not a number"
    for place, entry in np.ndenumerate(array):
        found[place] = _number(entry, name, says)
    return found


def _number(entry, name: str, says: str) -> float:
    refused = (*TRUTHS, complex, np.complexfloating, type(None), np.ndarray, list, tuple)
    try:
        if not isinstance(entry, refused):
            return float(entry)
    except (TypeError, ValueError):
        pass
    except OverflowError:
        raise InputError(f"{name} holds a number beyond the float64 range; give smaller ones") from None
    shown = repr(entry.item() if isinstance(entry, np.generic) else entry)
    shown = shown if len(shown) <= 40 else type(entry).__name__
    raise InputError(f"{name} {says.format(shown)}; give real numbers that NumPy can read")
