r"""The kernels of an infinitely wide network as scikit-learn kernels: at any depth, in any of its estimators.

`sigma_w` and `sigma_b`, where they are given, are hyperparameters (log sigma, as scikit-learn has them), with gradient

    dk = (8 (k_1 - k_-1) - (k_2 - k_-2))/(12 h),       k_j = k(log sigma + j h),    h = 1/1000, less beyond 10 layers:

the kernel is good to about 1e-13, the difference to 1e-9.  K grows with the depth: put a `ConstantKernel` in front.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Hyperparameter, Kernel

from asympt.architectures.registry import COMPOSED, record_of
from asympt.depth import diagonal, gram
from asympt.errors import InputError

BOUNDS = (1e-2, 1e2)
STEP, SHALLOW = 1e-3, 10  # of log sigma in a difference; a map of L layers bends L times as much
DIFFERENCE = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}


class NetworkKernel(Kernel):
    """What `NTK` and `NNGP` have in common: a network, a depth, and the hyperparameters."""

    def __init__(self, net, depth: int = 3, *, sigma_w=None, sigma_b=None, sigma_w_bounds=BOUNDS,
                 sigma_b_bounds=BOUNDS):  # fmt: skip
        self.net = net
        self.depth = depth
        self.sigma_w = sigma_w
        self.sigma_b = sigma_b
        self.sigma_w_bounds = sigma_w_bounds
        self.sigma_b_bounds = sigma_b_bounds

    @staticmethod
    @abstractmethod
    def _pick(nngp, ntk):
        """The kernel out of both."""

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
        values = self._pick(*gram(self.network, X, Y, depth=self.depth))
        return (values, self._gradient(X)) if eval_gradient else values

    def diag(self, X) -> np.ndarray:
        """k(x, x) of every input, without the matrix."""
        return self._pick(*diagonal(self.network, X, depth=self.depth))

    def is_stationary(self) -> bool:
        """False: k depends on the norms and on the angle."""
        return False

    def _gradient(self, X) -> np.ndarray:
        """dk/dtheta by central differences."""
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
        own are taken and stay.
    sigma_w_bounds, sigma_b_bounds : pairs between which they are looked for, or "fixed".

    >>> import numpy as np
    >>> from asympt import FeedForward
    >>> kernel = NTK(FeedForward("relu"), depth=2)
    >>> print(kernel(np.array([[1.0, 0.0], [0.0, 2.0]])).round(6))
    [[2.      0.63662]
     [0.63662 8.     ]]
    >>> print(kernel.diag(np.array([[1.0, 0.0]])), kernel.is_stationary())
    [2.] False
    """

    @staticmethod
    def _pick(nngp, ntk):
        return ntk


class NNGP(NetworkKernel):
    r"""The covariance Sigma^L of the outputs at initialisation: the kernel of the Gaussian process that an infinitely
    wide network is (JGH Proposition 1).  Parameters as in `NTK`.

    >>> import numpy as np
    >>> from asympt import FeedForward
    >>> print(NNGP(FeedForward("relu"), depth=2)(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]])).round(6))
    [[0.63662]]
    """

    @staticmethod
    def _pick(nngp, ntk):
        return nngp


def with_deviations(net, sigma_w=None, sigma_b=None):
    """The network with these standard deviations in place of its own, where they are given.

    Raises `InputError` for what is no network of a known architecture, or has no such deviation.
    """
    if sigma_w is None and sigma_b is None:
        return net
    record = record_of(net)
    if record is None or record is COMPOSED:
        raise InputError(f"net = {net!r} is no network whose deviations can be replaced; give one of asympt's networks")
    given = {parameter.name: getattr(net, parameter.name) for parameter in record.parameters}
    _, weight, bias = net.statement.layer.deviations
    for name, value, own, where in (("sigma_w", sigma_w, weight, record.sigma_w),
                                    ("sigma_b", sigma_b, bias, record.sigma_b)):  # fmt: skip
        if where is not None:
            given[where.keyword] = (own if value is None else value) ** where.power
        elif value is not None:
            raise InputError(f"{type(net).__name__} has no {name}; leave it out")
    return type(net)(net.activation, **given)
