"""Reading the kernel of a training set, and saying which points make it singular.

With R_ij = K_ij/sqrt(K_ii K_jj): an eigenvalue < -N eps is not positive semi-definite; |R_ij| = 1 are parallel, or with
K_ii = K_jj coinciding, points; where Cholesky with pivoting stops, the next point depends linearly on those before it.
A message names the points of the first case that applies.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.linalg import cho_factor, lapack
from sympy import Expr

from asympt.arrays import finite_array, real, real_array
from asympt.errors import InputError
from asympt.numbers import is_truth

# ---- reading targets, times and normalisations: every message names the value, the rule and what to do -----------


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
        raise InputError(f"the shapes do not match ({shapes}); give numbers, or arrays of one shape") from None
    return tuple(found)


def shaped(values, name: str, fits: Callable[[np.ndarray], bool], wanted: str) -> np.ndarray:
    """A finite array that fits; an error that says what is wanted otherwise."""
    array = finite_array(values, name)
    if not fits(array):
        raise InputError(f"{name} has shape {array.shape}; {wanted}")
    return array


def targets_of(values, size: int) -> np.ndarray:
    """Values at `size` points, shape (size,) or (size, outputs)."""
    wanted = f"give one row per point, shape ({size},) or ({size}, outputs)"
    return shaped(values, "targets", lambda a: a.ndim in (1, 2) and len(a) == size and a.size > 0, wanted)


def start_of(values, like: np.ndarray, name: str = "start") -> np.ndarray:
    """Outputs before training, of the shape of `like`; None means zero."""
    wanted = f"give the outputs before training, shape {like.shape}"
    return np.zeros(like.shape) if values is None else shaped(values, name, lambda a: a.shape == like.shape, wanted)


def cross_of(values, size: int, name: str = "cross") -> np.ndarray:
    """K(x, X) of M test points with the `size` training points, shape (M, size)."""
    wanted = f"give K(x, X), one row per test point, shape (M, {size})"
    return shaped(values, name, lambda a: a.ndim == 2 and a.shape[1] == size, wanted)


def elsewhere(cross, start, like: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """K(x, X) and f_0(x) of test points; `like` has the shape of the outputs on the training set."""
    rows = cross_of(cross, len(like))
    return rows, start_of(start, np.empty((len(rows), *like.shape[1:])), "test_start")


def times_of(values) -> np.ndarray:
    array = real_array(values, "times")
    wrong = ~(array >= 0)
    if wrong.any():
        raise InputError(f"times holds {array[wrong].flat[0]}; give times t >= 0, np.inf for the end of training")
    return array


def increasing_of(values) -> np.ndarray:
    """Finite times in increasing order, shape (T,)."""
    array = times_of(values)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (np.diff(array) < 0).any():
        raise InputError("times are not finite and increasing; give an array of shape (T,), for example [0, 1, 10]")
    return array


def positive(value, name: str, meaning: str) -> float:
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


EPS = float(np.finfo(float).eps)
ASYMMETRY = 1e-10
ROUNDING = 4.0  # times N eps: what the kernel's own computation may have rounded
SHOWN = 5  # points that a message names


@dataclass(frozen=True)
class Dependence:
    """Why a kernel is singular: `kind` is 'zero', 'duplicate', 'parallel' or 'dependent'; `points`, the indices."""

    kind: str
    points: tuple[int, ...]

    def __str__(self) -> str:
        first, *rest = self.points
        if self.kind == "zero":
            return f"training point {first} has a kernel of 0 with itself"
        if self.kind == "dependent":
            return f"training point {first} is to rounding a linear combination of the points {_listed(rest)}"
        verb = "coincide to rounding" if self.kind == "duplicate" else "are parallel (their rows are multiples)"
        return f"training points {_listed(self.points)} {verb}"


def training_kernel(kernel, name: str = "kernel") -> np.ndarray:
    """A kernel matrix, symmetric and positive semi-definite to rounding, as float64.

    Parameters
    ----------
    kernel : array (N, N), the kernel of the N training points with one another.
    name : what to call it in messages.

    Returns
    -------
    The same as a float64 array, its asymmetry of rounding averaged away.
    Raises `InputError` for an array not square, finite, symmetric or, with the smallest eigenvalue, not positive
    semi-definite.

    >>> training_kernel([[2, 1], [1, 2]])
    array([[2., 1.],
           [1., 2.]])
    """
    return _measured(kernel, name)[0]


def asymmetry(kernel) -> float:
    """The largest |K_ij - K_ji|, an error of the entries, of an array that `training_kernel` takes.

    >>> asymmetry([[1.0, 0.5], [0.25, 1.0]])
    0.25
    """
    given = finite_array(kernel, "kernel")
    return float(np.abs(given - given.T).max())


def _measured(kernel, name: str) -> tuple[np.ndarray, float]:
    """The kernel and, scaled to a unit diagonal, how large an eigenvalue may be that rounding alone explains.

    An asymmetry is an error of the entries, and N of them make an eigenvalue of up to N times its size.
    """
    given = finite_array(kernel, name)
    square = _symmetric(given, name)
    scaled, roots = _unit_diagonal(square, name)
    safe = np.where(roots > 0, roots, np.inf)
    wrong = np.abs((given - given.T) / safe[:, None] / safe[None, :]).max()
    rounding = len(square) * max(ROUNDING * EPS, float(wrong))
    lowest = np.linalg.eigvalsh(scaled)[0] if roots.any() else 0.0
    if lowest < -rounding:
        own = np.linalg.eigvalsh(square)[0]
        shown = f"{own:.6g}" if own < 0 else f"{lowest:.6g} (scaled to a unit diagonal)"  # which alone shows it
        raise InputError(
            f"{name} has the eigenvalue {shown} and is not positive semi-definite; give the kernel "
            "matrix of the training points, computed in float64"
        )
    return square, rounding


def invertible_kernel(kernel, name: str = "kernel") -> np.ndarray:
    """As `training_kernel`, and invertible to rounding; `InputError` names the training points that prevent it.

    >>> invertible_kernel([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: kernel is singular: training points 0 and 2 coincide to rounding; keep one of them
    """
    square, rounding = _measured(kernel, name)
    found = _dependence(square, rounding)
    if found is None:
        return square
    if found.kind == "dependent":
        scaled, _ = _unit_diagonal(square, name)
        raise InputError(
            f"{name} is numerically singular: scaled to a unit diagonal it has the eigenvalue "
            f"{np.linalg.eigvalsh(scaled)[0]:.2g}, which is 0 up to rounding ({rounding:.2g}), and {found}; "
            "leave it out, take a deeper network or biases, or invert the kernel in higher precision"
        )
    remedies = {
        "zero": "leave it out or give the network biases",
        "duplicate": "keep one of them",
        "parallel": "keep one of them or give the network biases",
    }
    raise InputError(f"{name} is singular: {found}; {remedies[found.kind]}")


def dependence(kernel) -> Dependence | None:
    """Which training points make a kernel singular to rounding; None when it is invertible.

    Points that coincide come first, all that coincide with the first of them; then parallel ones; then one point and
    the points of which its row is a combination.

    >>> dependence([[1, 1, 2], [1, 2, 3], [2, 3, 5]])
    Dependence(kind='dependent', points=(0, 1, 2))
    """
    return _dependence(*_measured(kernel, "kernel"))


def _dependence(square: np.ndarray, rounding: float) -> Dependence | None:
    scaled, roots = _unit_diagonal(square, "kernel")
    zeros = np.flatnonzero(roots == 0)
    if zeros.size:
        return Dependence("zero", (int(zeros[0]),))
    if np.linalg.eigvalsh(scaled)[0] > rounding:
        return None
    return _alike(square, scaled, rounding) or _combination(scaled, rounding)


def solve(kernel: np.ndarray, right: np.ndarray) -> np.ndarray:
    """kernel^-1 right by Cholesky, scaled to a unit diagonal; `invertible_kernel` has read the kernel."""
    scaled, roots = _unit_diagonal(kernel, "kernel")
    factor, _ = cho_factor(scaled, lower=True)
    columns = right.reshape(len(kernel), -1) / roots[:, None]
    found, _ = lapack.dpotrs(factor, columns, lower=1)
    return (found / roots[:, None]).reshape(right.shape)


def _symmetric(array: np.ndarray, name: str) -> np.ndarray:
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InputError(f"{name} has shape {array.shape}; give a square matrix, one row per training point")
    off = np.abs(array - array.T)
    worst = np.unravel_index(np.argmax(off), off.shape)
    if off[worst] > ASYMMETRY * np.abs(array).max():
        i, j = (int(index) for index in worst)
        raise InputError(
            f"{name} is not symmetric: its entries ({i}, {j}) and ({j}, {i}) are {array[i, j]:.6g} and "
            f"{array[j, i]:.6g}; give K(x, x') for all pairs of training points"
        )
    return (array + array.T) / 2


def _unit_diagonal(square: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(R, sqrt(K_ii)); a row of zeros stays one."""
    diagonal = np.diag(square)
    if (diagonal < 0).any():
        index = int(np.argmin(diagonal))
        raise InputError(
            f"{name} has the diagonal entry {diagonal[index]:.6g} at training point {index} and is not positive "
            f"semi-definite (smallest eigenvalue {np.linalg.eigvalsh(square)[0]:.6g}); give K(x, x) >= 0"
        )
    roots = np.sqrt(diagonal)
    safe = np.where(roots > 0, roots, 1.0)
    return square / safe[:, None] / safe[None, :], roots


def _alike(square: np.ndarray, scaled: np.ndarray, tolerance: float) -> Dependence | None:
    """The first points that coincide or, without any, that are parallel."""
    parallel = np.triu(np.abs(scaled) >= 1 - tolerance, 1)
    diagonal = np.diag(square)
    larger = np.maximum(diagonal[:, None], diagonal[None, :])
    level = np.abs(diagonal[:, None] - diagonal[None, :]) <= tolerance * larger
    same = parallel & level & (scaled > 0)
    for kind, pairs in (("duplicate", same), ("parallel", parallel)):
        rows = np.flatnonzero(pairs.any(axis=1))
        if rows.size:
            first = int(rows[0])
            return Dependence(kind, (first, *(int(j) for j in np.flatnonzero(pairs[first]))))
    return None


def _combination(scaled: np.ndarray, rounding: float) -> Dependence:
    """The point at which Cholesky with pivoting stops, and the points that its row is a combination of."""
    size, visible = len(scaled), np.sqrt(rounding)
    _, order, rank, _ = lapack.dpstrf(scaled, tol=rounding, lower=1)
    order, rank = order - 1, min(int(rank), size - 1)
    kept, point = order[:rank], order[rank]
    weights = np.linalg.lstsq(scaled[np.ix_(kept, kept)], scaled[kept, point], rcond=None)[0]
    used = kept[np.abs(weights) > visible]
    involved = sorted(int(index) for index in (*used, point))
    return Dependence("dependent", tuple(involved))


def _listed(points) -> str:
    """0, 3 and 7; long lists are cut."""
    names = [str(point) for point in points]
    if len(names) > SHOWN:
        names = [*names[:SHOWN], f"{len(names) - SHOWN} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
