r"""Regression with an infinitely wide network: what an ensemble of them predicts, during training and after it.

With Theta the kernel of the training dynamics and Sigma that of the initialisation, Theta + r = V diag(lambda + r) V^T
(r the `noise`), gradient flow on (1/2) sum |f - y|^2 for a time t moves the outputs at x by

    f_t(x) - f_0(x) = B (y - f_0(X)),       B = Theta(x, X) V diag((1 - e^(-(lambda + r) t))/(lambda + r)) V^T,
    mean        B y                                                     HDR eq. (9) with f_0 = 0; PDLT eq. (10.40)
    variance    Sigma(x, x) - 2 B Sigma(X, x) + B Sigma(X, X) B^T       PDLT eq. (10.41) at t = infinity

    solver        time   operations for N training inputs                    memory
    "eigen"       any    about 10 N^3                                        4 N^2 numbers
    "cholesky"    end    N^3/3                                               3 N^2 numbers
    "cg"          end    N^2 a step; kernel blocks anew if they do not fit   `MEMORY` of `solvers`, or one block
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, sqrt
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.gaussian_process.kernels import Hyperparameter, Kernel
from sklearn.utils.validation import check_is_fitted, validate_data

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.registry import COMPOSED, record_of
from asympt.arrays import finite_array, plain, real, real_array, whole
from asympt.depth import diagonal, gram
from asympt.depth.gaps import Directions
from asympt.depth.parsing import inputs_of
from asympt.errors import InputError, PrecisionError
from asympt.training.flow import eigenmodes, learnt

# ---- kernels ---------------------------------------------------------------------------------------------------------

BOUNDS = (1e-2, 1e2)
STEP, SHALLOW = 1e-3, 10  # of log sigma in a difference; a map of L layers bends L times as much
DIFFERENCE = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}


class NetworkKernel(Kernel):
    """What `NTK` and `NNGP` have in common: a network, a depth, and the hyperparameters log sigma, with gradient

        dk = (8 (k_1 - k_-1) - (k_2 - k_-2))/(12 h),       k_j = k(log sigma + j h),

    h = 1/1000, less beyond 10 layers: the kernel is good to about 1e-13, the difference to 1e-9.
    """

    def __init__(self, net, depth: int = 3, *, sigma_w=None, sigma_b=None, sigma_w_bounds=BOUNDS,
                 sigma_b_bounds=BOUNDS):  # fmt: skip
        self.net = net
        self.depth = depth
        self.sigma_w = sigma_w
        self.sigma_b = sigma_b
        self.sigma_w_bounds = sigma_w_bounds
        self.sigma_b_bounds = sigma_b_bounds

    place: ClassVar[int]  # of the kernel in (Sigma, K)

    @property
    def hyperparameter_sigma_w(self) -> Hyperparameter:
        """The standard deviation of the weights; fixed where the network's own is taken."""
        return Hyperparameter("sigma_w", "numeric", "fixed" if self.sigma_w is None else self.sigma_w_bounds)

    @property
    def hyperparameter_sigma_b(self) -> Hyperparameter:
        """The standard deviation of the biases; fixed where the network's own is taken."""
        return Hyperparameter("sigma_b", "numeric", "fixed" if self.sigma_b is None else self.sigma_b_bounds)

    @property
    def network(self) -> Any:
        """The network with the deviations of this kernel."""
        return with_deviations(self.net, self.sigma_w, self.sigma_b)

    def __call__(self, X, Y=None, eval_gradient: bool = False):
        """k(X, Y), shape (N, M); k(X, X) without Y.

        With `eval_gradient` (and no Y) also the gradient in `theta`, shape (N, N, number of hyperparameters that are
        not fixed).  Raises `InputError` for what `asympt.depth.gram` does not take.
        """
        if eval_gradient and Y is not None:
            raise InputError("eval_gradient is for Y = None, as in scikit-learn; leave Y out")
        values = gram(self.network, X, Y, depth=self.depth)[self.place]
        return (values, self._gradient(X)) if eval_gradient else values

    def diag(self, X) -> np.ndarray:
        """k(x, x) of every input, without the matrix."""
        return diagonal(self.network, X, depth=self.depth)[self.place]

    def is_stationary(self) -> bool:
        """False: k depends on the norms and on the angle."""
        return False

    def _gradient(self, X) -> np.ndarray:
        width, theta, columns = STEP * min(1.0, SHALLOW / self.depth), self.theta, []
        for index in range(len(theta)):
            total = 0.0
            for shift, weight in DIFFERENCE.items():
                moved = theta.copy()
                moved[index] += shift * width
                total = total + weight / width * self.clone_with_theta(moved)(X)
            columns.append(total)
        return np.stack(columns, axis=-1) if columns else np.empty((len(X), len(X), 0))

    def __repr__(self) -> str:
        given = [f"{name}={value:.3g}" for name in ("sigma_w", "sigma_b") if (value := getattr(self, name)) is not None]
        return f"{type(self).__name__}({', '.join([repr(self.net), f'depth={self.depth}', *given])})"


class NTK(NetworkKernel):
    r"""The neural tangent kernel K^L of a network (JGH; HDR Theorem 1), not divided by the depth.

    Parameters
    ----------
    net : a network whose kernels `asympt.depth.gram` computes, with numbers in it.
    depth : L >= 1.
    sigma_w, sigma_b : standard deviations in place of the network's own, hyperparameters then; left out, the network's
        own are taken and kept fixed.
    sigma_w_bounds, sigma_b_bounds : pairs between which they are optimised, or "fixed".

    >>> import numpy as np
    >>> from asympt import FeedForward
    >>> kernel = NTK(FeedForward("relu"), depth=2)
    >>> print(kernel(np.array([[1.0, 0.0], [0.0, 2.0]])).round(6))
    [[2.      0.63662]
     [0.63662 8.     ]]
    >>> print(kernel.diag(np.array([[1.0, 0.0]])), kernel.is_stationary())
    [2.] False
    """

    place = 1


class NNGP(NetworkKernel):
    r"""The covariance Sigma^L of the outputs at initialisation: the kernel of the Gaussian process that an infinitely
    wide network is (JGH Proposition 1).  Parameters as in `NTK`.

    >>> import numpy as np
    >>> from asympt import FeedForward
    >>> print(NNGP(FeedForward("relu"), depth=2)(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]])).round(6))
    [[0.63662]]
    """

    place = 0


def with_deviations(net, sigma_w=None, sigma_b=None):
    """The network with these standard deviations in place of its own, where they are given.

    Raises `InputError` for what is not a network of a known architecture, or has no such deviation.
    """
    if sigma_w is None and sigma_b is None:
        return net
    record = record_of(net)
    if record is None or record is COMPOSED:
        raise InputError(f"net = {net!r} is not a network whose sigma_w can be replaced; give one of asympt's")
    given = {parameter.name: getattr(net, parameter.name) for parameter in record.parameters}
    _, weight, bias = net.statement.layer.deviations
    for name, value, own, where in (("sigma_w", sigma_w, weight, record.sigma_w),
                                    ("sigma_b", sigma_b, bias, record.sigma_b)):  # fmt: skip
        if where is not None:
            given[where.keyword] = (own if value is None else value) ** where.power
        elif value is not None:
            raise InputError(f"{type(net).__name__} has no {name}; leave it out")
    return type(net)(net.activation, **given)


# ---- conjugate gradients ---------------------------------------------------------------------------------------------

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
    return by_gradients(operator, targets, tolerance_of(tolerance), most, progress)[0]


def by_gradients(operator: KernelOperator, targets: np.ndarray, tolerance: float, most: int,
                 progress: Callable[[int], None] | None = None) -> tuple[np.ndarray, int]:  # fmt: skip
    """(K + r)^-1 targets, column by column, and the most steps that one took; `PrecisionError` after `most` for one."""
    count, longest = [0], 0

    def step(_):
        count[0] += 1
        if progress is not None:
            progress(count[0])

    found = np.empty(targets.shape)
    for column, into in zip(np.atleast_2d(targets.T).astype(float), np.atleast_2d(found.T), strict=True):
        before = count[0]
        with np.errstate(divide="ignore", invalid="ignore"):  # of a direction in which the kernel is 0
            solution, left = cg(operator, column, rtol=tolerance, maxiter=most, callback=step)
        if not np.isfinite(solution).all():
            raise PrecisionError(
                f"conjugate gradients met a direction in which the kernel is 0 after {count[0]} steps; give noise > 0"
            )
        if left:
            defect = np.linalg.norm(operator @ solution - column) / np.linalg.norm(column)
            raise PrecisionError(
                f"conjugate gradients left a relative defect of {defect:.1e} after {left} steps; allow more steps or a "
                "larger tolerance, or give noise > 0"
            )
        into[:], longest = solution, max(longest, count[0] - before)
    return found, longest


def tolerance_of(value) -> float:
    tolerance = real(value, "tolerance")
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance = {tolerance} is not between 0 and 1; give one such as 1e-8")
    return tolerance


def noise_of(value) -> float:
    noise = real_array(value, "noise")
    if noise.ndim or not 0 <= noise < np.inf:
        raise InputError(f"noise = {value} is not a finite number >= 0; give the variance of the noise, or 0")
    return float(noise)


def expected_steps(kernel: NetworkKernel, X, *, noise: float = 0.0, tolerance: float = 1e-8) -> int:
    """How many steps conjugate gradients take, were the inputs X at equal angles: a forecast, not a bound.

    After m steps the error in the norm of K + r has fallen by 2 ((sqrt(kappa) - 1)/(sqrt(kappa) + 1))^m, kappa the
    condition number (Hestenes and Stiefel 1952; Saad 2003, eq. 6.128): eigenvalues k + (N - 1) k' and k - k'.

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


# ---- regression ------------------------------------------------------------------------------------------------------

KERNELS = {"ntk": NTK, "nngp": NNGP}
PATIENCE, FEWEST = 10, 100  # conjugate gradients may take that many times the steps forecast, or at least so many
AT_ONCE = 4096  # inputs predicted at once


class DeepKernelRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Least squares with an infinitely wide network of depth L, trained by gradient flow for a time t.

    Parameters
    ----------
    net : a network whose kernels `asympt.depth.gram` computes; None for a ReLU network on the Edge of Chaos.
    depth : L >= 1.
    kernel : "ntk", all layers are trained; "nngp", the last one.
    time : t > 0, where df/dt = -Theta (f - y); None for the end of training.
    noise : r >= 0, added to the diagonal of Theta(X, X).
    solver : "eigen" for any time; for the end of training also "cholesky", far faster, and "cg",
        conjugate gradients on a kernel computed in blocks, for more inputs than a matrix of them fits the memory.
    tolerance : of "cg": the defect that is left, relative to |y|.

    Attributes
    ----------
    X_fit_ : the training inputs;  dual_coef_ : the mean is Theta(x, X) dual_coef_;  eigenvalues_ : those of
    Theta(X, X), increasing (solver "eigen");  expected_steps_, n_iter_ : the steps of conjugate gradients that
    `asympt.learn.expected_steps` forecasts for inputs at equal angles, and the most that one output took ("cg").

    Raises `InputError` (a `ValueError`) in `fit` for bad parameters, `PrecisionError` where Theta + r has no Cholesky
    factor, or conjugate gradients take more than ten times the steps forecast (and more than 100).

    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.0])
    >>> model = DeepKernelRegressor(depth=2).fit(X, y)
    >>> mean, deviation = model.predict([[1.0, 0.0], [1.0, 1.0]], return_std=True)
    >>> print(mean.round(6), deviation.round(6))
    [1.       0.784326] [0.       0.519951]

    Many inputs: no eigenvectors, no factorisation, and of 17,000 or more of them no whole kernel either.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 10))          # 60,000 run alike: a step recomputes the blocks of the kernel
    >>> large = DeepKernelRegressor(depth=5, noise=1.0, solver="cg", tolerance=1e-6).fit(X, np.sin(X[:, 0]))
    >>> print(large.n_iter_ <= 2 * large.expected_steps_, large.score(X, np.sin(X[:, 0])) > 0.9)
    True True
    """

    def __init__(
        self, net=None, depth: int = 3, *, kernel: str = "ntk", time: float | None = None, noise: float = 0.0,
        solver: str = "eigen", tolerance: float = 1e-8,
    ):  # fmt: skip
        self.net = net
        self.depth = depth
        self.kernel = kernel
        self.time = time
        self.noise = noise
        self.solver = solver
        self.tolerance = tolerance

    def fit(self, X, y) -> "DeepKernelRegressor":
        """The kernel of the training inputs X (N, d), ready to be solved with, and the dual coefficients of y."""
        X, y = plain(X, "X"), plain(y, "y")
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64)
        self._require_parameters()
        self.net_ = FeedForward("relu") if self.net is None else self.net
        self.X_fit_ = X
        self._system = SOLVERS[self.solver].of(self)
        self.dual_coef_ = self._system.solve(y)
        if self.solver == "eigen":
            self.eigenvalues_ = self._system.modes
        if self.solver == "cg":
            self.expected_steps_, self.n_iter_ = self._system.expected, self._system.steps
        return self

    def predict(self, X, return_std: bool = False):
        """The mean at the inputs X, shape (M,) or (M, outputs); with `return_std` also the standard deviation over
        initialisations, shape (M,), the same for every output.
        """
        check_is_fitted(self)
        X = validate_data(self, plain(X, "X"), reset=False, dtype=np.float64)
        parts = [self._predict(X[start : start + AT_ONCE], return_std) for start in range(0, len(X), AT_ONCE)]
        mean, deviation = (np.concatenate(values) for values in zip(*parts, strict=True))
        return (mean, deviation) if return_std else mean

    def _predict(self, X: np.ndarray, return_std: bool) -> tuple[np.ndarray, np.ndarray]:
        nngp, ntk = gram(self.net_, X, self.X_fit_, depth=self.depth)
        theta = ntk if self.kernel == "ntk" else nngp
        mean = theta @ self.dual_coef_
        if not return_std:
            return mean, np.empty(0)
        moved = self._system.solve(theta.T).T
        variance = diagonal(self.net_, X, depth=self.depth)[0]
        variance = variance - 2 * np.sum(moved * nngp, axis=1) + np.sum((self._system.nngp @ moved.T).T * moved, axis=1)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def kernels(self) -> tuple[np.ndarray, np.ndarray]:
        """(Theta, Sigma) of the training inputs."""
        nngp, ntk = gram(self.net_, self.X_fit_, depth=self.depth)
        return (ntk if self.kernel == "ntk" else nngp), nngp

    def _require_parameters(self) -> None:
        for name, value, known in (("kernel", self.kernel, KERNELS), ("solver", self.solver, SOLVERS)):
            if not isinstance(value, str) or value not in known:
                raise InputError(f"{name} = {value!r} is unknown; give one of {', '.join(known)}")
        noise_of(self.noise), tolerance_of(self.tolerance)
        if self.time is None:
            return
        if not (isinstance(self.time, Real) and self.time > 0):
            raise InputError(f"time = {self.time} is not positive; give a time t > 0, or None for the end of training")
        if self.solver != "eigen":
            raise InputError(
                f"solver = {self.solver!r} gives the end of training, not time = {self.time}; give solver='eigen'"
            )


# ---- Theta + r, to be solved with ---------------------------------------------------------------------------
#
# Each kind has `of(model)`, `solve(values)`, (Theta + r)^-1 or at a finite time what stands in its place, and `nngp`.


@dataclass
class Modes:
    """V diag((1 - e^(-(lambda + r) t))/(lambda + r)) V^T, 0 for t = infinity and lambda + r = 0."""

    modes: np.ndarray
    basis: np.ndarray
    weights: np.ndarray
    nngp: np.ndarray

    @classmethod
    def of(cls, model: DeepKernelRegressor) -> "Modes":
        theta, nngp = model.kernels()
        modes, basis = eigenmodes(theta)
        time = np.inf if model.time is None else float(model.time)
        weights = learnt(modes + model.noise, np.asarray(time), 1.0)
        return cls(modes, basis, np.where(np.isfinite(weights), weights, 0.0), nngp)

    def solve(self, values: np.ndarray) -> np.ndarray:
        spread = self.basis.T @ values
        return self.basis @ (self.weights.reshape(-1, *[1] * (spread.ndim - 1)) * spread)


@dataclass
class Cholesky:
    """The Cholesky factor of Theta + r."""

    factor: tuple
    nngp: np.ndarray

    @classmethod
    def of(cls, model: DeepKernelRegressor) -> "Cholesky":
        """One factorisation; an error where Theta + r is singular to rounding."""
        theta, nngp = model.kernels()
        shifted = theta + model.noise * np.eye(len(theta))
        try:
            factor = cho_factor(shifted, lower=True)
        except LinAlgError:
            factor = None
        pivots = None if factor is None else np.diag(factor[0]) ** 2
        if factor is None or pivots.min() <= len(theta) * np.finfo(float).eps * pivots.max():
            raise PrecisionError(
                "the kernel of the training inputs is singular to rounding (equal or parallel inputs?), so that it has "
                "no Cholesky factor; give noise > 0, or solver='eigen'"
            )
        return cls(factor, nngp)

    def solve(self, values: np.ndarray) -> np.ndarray:
        return cho_solve(self.factor, values)


@dataclass
class Gradients:
    """Conjugate gradients; `steps` is the most that one right-hand side took."""

    theta: KernelOperator
    nngp: KernelOperator
    tolerance: float
    expected: int
    steps: int = 0

    @classmethod
    def of(cls, model: DeepKernelRegressor) -> "Gradients":
        made, first = (kind(model.net_, model.depth) for kind in (KERNELS[model.kernel], NNGP))
        theta = KernelOperator(made, model.X_fit_, noise=model.noise)
        expected = expected_steps(made, model.X_fit_, noise=model.noise, tolerance=model.tolerance)
        return cls(theta, KernelOperator(first, model.X_fit_), model.tolerance, expected)

    def solve(self, values: np.ndarray) -> np.ndarray:
        try:
            found, steps = by_gradients(self.theta, values, self.tolerance, max(FEWEST, PATIENCE * self.expected))
        except PrecisionError as left:
            raise PrecisionError(
                f"{left} ({self.expected} steps were forecast for inputs at equal angles), or solver='eigen'"
            ) from None
        self.steps = max(self.steps, steps)
        return found


SOLVERS = {"eigen": Modes, "cholesky": Cholesky, "cg": Gradients}
