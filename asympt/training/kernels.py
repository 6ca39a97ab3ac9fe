"""Reading the kernel of a training set, and saying which points make it singular.

Problem.  Everything that a frozen kernel says about training needs a symmetric positive semi-definite matrix, and every
prediction an invertible one.  A kernel that is not invertible is so because of certain training points: which?

Rule.  With the kernel scaled to a unit diagonal, R_ij = K_ij/sqrt(K_ii K_jj) (an inverse does not care about scales):

    smallest eigenvalue < -N eps    not positive semi-definite
    R_ij = 1, K_ii = K_jj           the points i and j coincide
    |R_ij| = 1                      they are parallel: the rows of K are multiples of one another
    Cholesky with pivoting stops    the next pivot depends linearly on the points before it

each to rounding.  A message names the points of the first case that applies, duplicates first.

Tiny case.  [[1, 1], [1, 1]]: points 0 and 1 coincide.  [[1, 2], [2, 1]]: eigenvalue -1, no kernel.

Known limits.  Points are told apart as far as float64 can: a kernel whose condition number exceeds 1/(N eps) in the
scaling above counts as singular.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, lapack

from asympt.errors import InputError

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
            return f"training point {first} depends linearly on the points {_listed(rest)}"
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

    Raises
    ------
    InputError : not square, NaN or infinity, not symmetric, or not positive semi-definite (with the smallest
        eigenvalue).

    >>> training_kernel([[2, 1], [1, 2]])
    array([[2., 1.],
           [1., 2.]])
    """
    square = _symmetric(finite_array(kernel, name), name)
    scaled, roots = _unit_diagonal(square, name)
    lowest = np.linalg.eigvalsh(scaled)[0] if roots.any() else 0.0
    if lowest < -ROUNDING * len(square) * EPS:
        raise InputError(
            f"{name} has the eigenvalue {_lowest(square, lowest)} and is not positive semi-definite; give the kernel "
            "matrix of the training points, computed in float64"
        )
    return square


def invertible_kernel(kernel, name: str = "kernel") -> np.ndarray:
    """As `training_kernel`, and invertible to rounding; `InputError` names the training points that prevent it.

    >>> invertible_kernel([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: kernel is singular: training points 0 and 2 coincide to rounding; keep one of them
    """
    square = training_kernel(kernel, name)
    found = dependence(square)
    if found is None:
        return square
    remedies = {
        "zero": "leave it out or give the network biases",
        "duplicate": "keep one of them",
        "parallel": "keep one of them or give the network biases",
        "dependent": "leave it out, or take a deeper network or biases",
    }
    raise InputError(f"{name} is singular: {found}; {remedies[found.kind]}")


def dependence(kernel) -> Dependence | None:
    """Which training points make a kernel singular to rounding; None when it is invertible.

    Points that coincide come first, all that coincide with the first of them; then parallel ones; then one point and
    the points of which its row is a combination.

    >>> dependence([[1, 1, 2], [1, 2, 3], [2, 3, 5]])
    Dependence(kind='dependent', points=(0, 1, 2))
    """
    square = training_kernel(kernel)
    scaled, roots = _unit_diagonal(square, "kernel")
    zeros = np.flatnonzero(roots == 0)
    if zeros.size:
        return Dependence("zero", (int(zeros[0]),))
    size, tolerance = len(square), ROUNDING * len(square) * EPS
    if np.linalg.eigvalsh(scaled)[0] > tolerance:
        return None
    return _alike(square, scaled, tolerance) or _combination(scaled, np.sqrt(tolerance), size)


def solve(kernel: np.ndarray, right: np.ndarray) -> np.ndarray:
    """kernel^-1 right by Cholesky, scaled to a unit diagonal; `invertible_kernel` has read the kernel."""
    scaled, roots = _unit_diagonal(kernel, "kernel")
    factor, _ = cho_factor(scaled, lower=True)
    columns = right.reshape(len(kernel), -1) / roots[:, None]
    found, _ = lapack.dpotrs(factor, columns, lower=1)
    return (found / roots[:, None]).reshape(right.shape)


def finite_array(values, name: str) -> np.ndarray:
    """A real float64 array without NaN or infinity."""
    try:
        array = np.asarray(values)
        array = array if np.iscomplexobj(array) else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is not an array of numbers; give real numbers that NumPy can read") from None
    if np.iscomplexobj(array):
        raise InputError(f"{name} is complex; give real numbers")
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds {array[~np.isfinite(array)].flat[0]}; give finite numbers only")
    return array


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


def _lowest(square: np.ndarray, scaled: float) -> str:
    """The smallest eigenvalue, or that of the scaled kernel when only scaling shows it."""
    value = np.linalg.eigvalsh(square)[0]
    return f"{value:.6g}" if value < 0 else f"{scaled:.6g} (scaled to a unit diagonal)"


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


def _combination(scaled: np.ndarray, visible: float, size: int) -> Dependence:
    """The point at which Cholesky with pivoting stops, and the points that its row is a combination of."""
    _, order, rank, _ = lapack.dpstrf(scaled, tol=ROUNDING * size * EPS, lower=1)
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
