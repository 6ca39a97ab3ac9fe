r"""Regression with an infinitely wide network: what an ensemble of them predicts, during training and after it.

Problem.  Networks of infinite width are drawn at random and trained by gradient flow on (1/2) sum |f - y|^2, all alike.
What do they predict at a new input on average, and how much do they differ?

Rule.  With Theta the kernel of the training dynamics and Sigma that of the initialisation, both of the training inputs
X, and Theta + r = V diag(lambda + r) V^T (r the `noise`), training for a time t moves the outputs at x by

    f_t(x) - f_0(x) = B (y - f_0(X)),       B = Theta(x, X) V diag((1 - e^(-(lambda + r) t))/(lambda + r)) V^T

which is linear in the start, a Gaussian of covariance Sigma, so that

    mean        B y                                                     HDR eq. (9) with f_0 = 0; PDLT eq. (10.40)
    variance    Sigma(x, x) - 2 B Sigma(X, x) + B Sigma(X, X) B^T       PDLT eq. (10.41) at t = infinity

`kernel="ntk"` trains every layer (Theta = K); `kernel="nngp"` the last alone (Theta = Sigma), whose end is the
posterior of a Gaussian process.  At t = infinity directions that rounding alone fills (duplicates, parallel inputs)
stay as they are.

Tiny case.  One training point at X = 1 with Theta = Sigma = 1: f_t = (1 - e^(-t)) y, variance e^(-2 t) there.

Known limits.  Cubic in the number of training points (one eigendecomposition).  With noise and t = infinity the mean is
that of ridge regression; the variance is that of the network's function, without the noise.
"""

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from asympt.architectures import FeedForward
from asympt.depth import diagonal, gram
from asympt.errors import InputError
from asympt.training.flow import eigenmodes, learnt

KERNELS = ("ntk", "nngp")


class DeepKernelRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Least squares with an infinitely wide network of depth L, trained by gradient flow for a time t.

    Parameters
    ----------
    net : a network whose kernels `asympt.depth.gram` computes; None for a ReLU network on the Edge of Chaos.
    depth : L >= 1.
    kernel : "ntk", all layers are trained; "nngp", the last one.
    time : t > 0, where df/dt = -Theta (f - y); None for the end of training.
    noise : r >= 0, added to the diagonal of Theta(X, X).

    Attributes
    ----------
    X_fit_ : the training inputs;  eigenvalues_ : those of Theta(X, X), increasing;  dual_coef_ : the mean is
    Theta(x, X) dual_coef_.

    Raises `InputError` (a `ValueError`) in `fit` for bad parameters.

    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.0])
    >>> model = DeepKernelRegressor(depth=2).fit(X, y)
    >>> mean, deviation = model.predict([[1.0, 0.0], [1.0, 1.0]], return_std=True)
    >>> print(mean.round(6), deviation.round(6))
    [1.       0.784326] [0.       0.519951]
    """

    def __init__(self, net=None, depth: int = 3, *, kernel: str = "ntk", time: float | None = None, noise: float = 0.0):
        self.net = net
        self.depth = depth
        self.kernel = kernel
        self.time = time
        self.noise = noise

    def fit(self, X, y) -> "DeepKernelRegressor":
        """The eigendecomposition of the kernel of the training inputs X (N, d), and the dual coefficients of y."""
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64)
        time = self._require_parameters()
        self.net_ = FeedForward("relu") if self.net is None else self.net
        nngp, ntk = gram(self.net_, X, depth=self.depth)
        theta = ntk if self.kernel == "ntk" else nngp
        self.eigenvalues_, self._basis = eigenmodes(theta)
        shifted = self.eigenvalues_ + self.noise
        weights = learnt(shifted, np.asarray(time), 1.0)
        self._weights = np.where(np.isfinite(weights), weights, 0.0)
        self.X_fit_, self._nngp = X, nngp
        self.dual_coef_ = self._solve(y)
        return self

    def predict(self, X, return_std: bool = False):
        """The mean at the inputs X, shape (M,) or (M, outputs); with `return_std` also the standard deviation over
        initialisations, shape (M,), the same for every output.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        nngp, ntk = gram(self.net_, X, self.X_fit_, depth=self.depth)
        theta = ntk if self.kernel == "ntk" else nngp
        mean = theta @ self.dual_coef_
        if not return_std:
            return mean
        moved = self._solve(theta.T).T
        variance = diagonal(self.net_, X, depth=self.depth)[0]
        variance = variance - 2 * np.sum(moved * nngp, axis=1) + np.sum((moved @ self._nngp) * moved, axis=1)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def _solve(self, values: np.ndarray) -> np.ndarray:
        """V diag((1 - e^(-(lambda + r) t))/(lambda + r)) V^T values."""
        spread = self._basis.T @ values
        return self._basis @ (self._weights.reshape(-1, *[1] * (spread.ndim - 1)) * spread)

    def _require_parameters(self) -> float:
        """The time, infinity for None."""
        if self.kernel not in KERNELS:
            raise InputError(f"kernel = {self.kernel!r} is unknown; give one of {', '.join(KERNELS)}")
        if self.time is not None and not self.time > 0:
            raise InputError(f"time = {self.time} is not positive; give a time t > 0, or None for the end of training")
        if not 0 <= self.noise < np.inf:
            raise InputError(f"noise = {self.noise} is not a finite number >= 0; give the variance of the noise, or 0")
        return np.inf if self.time is None else float(self.time)
