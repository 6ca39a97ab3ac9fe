r"""Kernel systems too large for a factorisation: conjugate gradients on a kernel that is computed in blocks.

After m steps the error in the norm of K + r has fallen by

    2 ((sqrt(kappa) - 1)/(sqrt(kappa) + 1))^m,      so  m = log(2/tolerance) / log((sqrt(kappa) + 1)/(sqrt(kappa) - 1))

steps are enough, kappa the condition number (Hestenes and Stiefel 1952; Saad 2003, eq. 6.128); `expected_steps` takes
that of N inputs of equal norms at equal angles, eigenvalues k + (N - 1) k' and k - k': a forecast, not a bound.
"""

from collections.abc import Callable
from math import ceil, log, sqrt

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.gaussian_process.kernels import Kernel

from asympt.arrays import finite_array, real, real_array, whole
from asympt.depth.gaps import Directions
from asympt.depth.parsing import inputs_of
from asympt.errors import InputError, PrecisionError
from asympt.learn.kernels import NetworkKernel

ROWS = 1024  # of a block
SAMPLE = 1000  # inputs from which the mean gap is taken
MEMORY = 2**31  # bytes
EPS = float(np.finfo(float).eps)


class KernelOperator(LinearOperator):
    """K(X, X) + noise as a linear operator.

    Parameters: `kernel`, one of `asympt.learn` or any scikit-learn kernel; `X`, inputs (N, d); `noise` >= 0; `memory`,
    how many bytes of the matrix may be kept.

    >>> import numpy as np
    >>> from asympt import FeedForward
    >>> from asympt.learn import NTK
    >>> operator = KernelOperator(NTK(FeedForward("relu"), depth=2), np.eye(2), noise=1.0)
    >>> print(operator.shape, (operator @ np.array([1.0, 0.0])).round(6))
    (2, 2) [3.      0.31831]
    """

    def __init__(self, kernel: Kernel, X, *, noise: float = 0.0, memory: int = MEMORY):
        self.kernel, self.inputs, self.noise = kernel, inputs_of(X), noise_of(noise)
        size = len(self.inputs)
        self._starts = range(0, size, ROWS)
        self._kept = {} if 8 * size**2 <= memory else None
        super().__init__(np.dtype(float), (size, size))

    def _block(self, start: int) -> np.ndarray:
        if self._kept is None:
            return self.kernel(self.inputs[start : start + ROWS], self.inputs)
        if start not in self._kept:
            self._kept[start] = self.kernel(self.inputs[start : start + ROWS], self.inputs)
        return self._kept[start]

    def _matmat(self, columns: np.ndarray) -> np.ndarray:
        product = np.concatenate([self._block(start) @ columns for start in self._starts])
        return product + self.noise * columns

    def _matvec(self, vector: np.ndarray) -> np.ndarray:
        return self._matmat(vector.reshape(-1, 1))[:, 0]

    def _adjoint(self) -> "KernelOperator":
        return self


def solve(kernel: Kernel, X, y, *, noise: float = 0.0, tolerance: float = 1e-8, most: int | None = None,
          memory: int = MEMORY, progress: Callable[[int], None] | None = None) -> np.ndarray:  # fmt: skip
    """(K(X, X) + noise)^-1 y by conjugate gradients.

    Parameters
    ----------
    kernel, X, noise, memory : as in `KernelOperator`.
    y : right-hand sides, shape (N,) or (N, outputs).
    tolerance : of the defect |y - (K + r) a| relative to |y|.
    most : steps for one right-hand side, 2 N by default: N would do without rounding.
    progress : called with the number of steps done.

    Returns
    -------
    float64 array of the shape of y.

    Raises
    ------
    InputError : y of another length, a tolerance that is not in (0, 1).
    PrecisionError : no convergence within `most` steps, with the defect that is left.

    >>> import numpy as np
    >>> from asympt import FeedForward
    >>> from asympt.learn import NTK
    >>> print(solve(NTK(FeedForward("relu"), depth=2), np.eye(2), [1.0, 1.0]).round(6))
    [0.431349 0.431349]
    """
    operator, targets = KernelOperator(kernel, X, noise=noise, memory=memory), finite_array(y, "y")
    if targets.ndim not in (1, 2) or len(targets) != operator.shape[0]:
        raise InputError(f"y has shape {targets.shape} for {operator.shape[0]} inputs; give one row for each input")
    most = 2 * len(targets) if most is None else whole(most, "most", "a number of steps")
    return by_gradients(operator, targets, tolerance_of(tolerance), most, progress)


def by_gradients(operator: KernelOperator, targets: np.ndarray, tolerance: float, most: int,
                 progress: Callable[[int], None] | None = None) -> np.ndarray:  # fmt: skip
    """(K + r)^-1 targets, column by column; `PrecisionError` after `most` steps for one of them."""
    count = [0]

    def step(_):
        count[0] += 1
        if progress is not None:
            progress(count[0])

    found = np.empty(targets.shape)
    for column, into in zip(np.atleast_2d(targets.T).astype(float), np.atleast_2d(found.T), strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):  # of a direction in which the kernel is 0
            solution, left = cg(operator, column, rtol=tolerance, maxiter=most, callback=step)
        if not np.isfinite(solution).all():
            raise PrecisionError(
                f"conjugate gradients met a direction in which the kernel is 0 after {count[0]} steps; give noise > 0"
            )
        if left:
            defect = np.linalg.norm(operator @ solution - column) / np.linalg.norm(column)
            raise PrecisionError(
                f"conjugate gradients have left a defect of {defect:.1e} after {left} steps; allow more steps, a "
                "larger tolerance, or noise"
            )
        into[:] = solution
    return found


def tolerance_of(value) -> float:
    """A tolerance between 0 and 1."""
    tolerance = real(value, "tolerance")
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance = {tolerance} is not between 0 and 1; give one such as 1e-8")
    return tolerance


def noise_of(value) -> float:
    """A variance r >= 0."""
    noise = real_array(value, "noise")
    if noise.ndim or not 0 <= noise < np.inf:
        raise InputError(f"noise = {value} is not a finite number >= 0; give the variance of the noise, or 0")
    return float(noise)


def expected_steps(kernel: NetworkKernel, X, *, noise: float = 0.0, tolerance: float = 1e-8) -> int:
    """How many steps conjugate gradients take, were the inputs X at equal angles.

    `InputError` where all inputs point in one direction and `noise` is 0: such a kernel has no inverse.

    >>> import numpy as np
    >>> from asympt import FeedForward
    >>> from asympt.learn import NTK
    >>> expected_steps(NTK(FeedForward("relu"), depth=1), np.array([[1.0, 0.0], [0.5, 0.75**0.5]]), tolerance=1e-10)
    19
    """
    points, noise, tolerance = inputs_of(X), noise_of(noise), tolerance_of(tolerance)
    if len(points) < 2:
        return len(points)
    largest, smallest = _extremes(kernel, points)
    if smallest + noise <= 64 * EPS * largest:
        raise InputError("the inputs point in one direction, so that the kernel is singular; give noise > 0")
    root = sqrt((largest + noise) / (smallest + noise))
    return 1 if root == 1 else ceil(log(2 / tolerance) / log((root + 1) / (root - 1)))


def _extremes(kernel: NetworkKernel, points: np.ndarray) -> tuple[float, float]:
    """The largest and the smallest eigenvalue, were all inputs as long and as far apart as these are on average.

    A kernel that is negative on average counts as 0: N inputs cannot all be opposite to one another.
    """
    size = len(points)
    chosen = points[np.linspace(0, size - 1, min(size, SAMPLE)).astype(int)]
    kernel.diag(chosen)  # says what is wrong with inputs beyond the float64 range
    unit = Directions.of(chosen).units
    cosine = ((unit @ unit.T).sum() - (unit**2).sum()) / (len(chosen) * (len(chosen) - 1))
    cosine = max(cosine, -1.0) if cosine < 1 - 64 * EPS else 1.0  # what rounding leaves of equal directions
    pair = np.zeros((2, max(2, points.shape[1])))
    pair[0, 0], pair[1, :2] = 1.0, (cosine, sqrt(1 - cosine**2))
    # Sigma^1 divides by the dimension, which a second coordinate must not change
    pair *= np.linalg.norm(chosen) / sqrt(len(chosen)) * sqrt(pair.shape[1] / points.shape[1])
    (own, shared), _ = kernel(pair)
    shared = max(shared, 0.0)
    return own + (size - 1) * shared, own - shared
