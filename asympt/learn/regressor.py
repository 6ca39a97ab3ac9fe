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

from dataclasses import dataclass
from numbers import Real
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from asympt.architectures import FeedForward
from asympt.arrays import plain
from asympt.depth import diagonal, gram
from asympt.errors import InputError, PrecisionError
from asympt.learn.kernels import NNGP, NTK
from asympt.learn.solvers import KernelOperator, by_gradients, expected_steps, noise_of, tolerance_of
from asympt.training.flow import eigenmodes, learnt

KERNELS = {"ntk": NTK, "nngp": NNGP}
PATIENCE, FEWEST = 10, 100  # conjugate gradients may take that many times the steps forecast, or at least so many
ROWS = 4096  # inputs predicted at once


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
        parts = [self._predict(X[start : start + ROWS], return_std) for start in range(0, len(X), ROWS)]
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
                f"solver = {self.solver!r} knows the end of training only, not time = {self.time}; give solver='eigen'"
            )


# ---- Theta + r, to be solved with ---------------------------------------------------------------------------


class System(Protocol):
    """What the solvers have in common: (Theta + r)^-1, or at a finite time what stands in its place, and Sigma."""

    nngp: np.ndarray | KernelOperator

    @classmethod
    def of(cls, model: DeepKernelRegressor) -> "System":
        """Of the model's training inputs."""

    def solve(self, values: np.ndarray) -> np.ndarray:
        """(Theta + r)^-1 values, shape (N,) or (N, columns)."""


@dataclass
class Modes:
    """V diag((1 - e^(-(lambda + r) t))/(lambda + r)) V^T, 0 for t = infinity and lambda + r = 0."""

    modes: np.ndarray
    basis: np.ndarray
    weights: np.ndarray
    nngp: np.ndarray

    @classmethod
    def of(cls, model: DeepKernelRegressor) -> "Modes":
        """One eigendecomposition."""
        theta, nngp = model.kernels()
        modes, basis = eigenmodes(theta)
        time = np.inf if model.time is None else float(model.time)
        weights = learnt(modes + model.noise, np.asarray(time), 1.0)
        return cls(modes, basis, np.where(np.isfinite(weights), weights, 0.0), nngp)

    def solve(self, values: np.ndarray) -> np.ndarray:
        """In the basis of eigenvectors."""
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
        """By substitution."""
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
        """Kernels in blocks, and the forecast of steps."""
        made, first = (kind(model.net_, model.depth) for kind in (KERNELS[model.kernel], NNGP))
        theta = KernelOperator(made, model.X_fit_, noise=model.noise)
        expected = expected_steps(made, model.X_fit_, noise=model.noise, tolerance=model.tolerance)
        return cls(theta, KernelOperator(first, model.X_fit_), model.tolerance, expected)

    def solve(self, values: np.ndarray) -> np.ndarray:
        """One column after the other."""
        columns = [self._solve(column) for column in np.atleast_2d(values.T)]
        return columns[0] if values.ndim == 1 else np.stack(columns, axis=1)

    def _solve(self, column: np.ndarray) -> np.ndarray:
        taken = []
        try:
            return by_gradients(
                self.theta, column, self.tolerance, max(FEWEST, PATIENCE * self.expected), taken.append
            )
        except PrecisionError as left:
            raise PrecisionError(
                f"{left} ({self.expected} were forecast for inputs at equal angles), or solver='eigen'"
            ) from None
        finally:
            self.steps = max(self.steps, len(taken))


SOLVERS = {"eigen": Modes, "cholesky": Cholesky, "cg": Gradients}
