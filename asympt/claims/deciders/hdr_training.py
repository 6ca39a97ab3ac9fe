"""Decisions on HDR about training that no formula takes: a sentence on a constant kernel, and simulated paths of SGD.

The paths are those of df = [-(1/N) K (f - Y) + (eta/2S) Gamma] dt + sqrt(eta/S) G dW by the Euler-Maruyama scheme; the
formula with the sign that solves it, f_t = E_t f_0 + (I - E_t) Y + (eta/2S) int E_(t-s) Gamma ds + ..., must have their
mean and covariance.
"""

from functools import lru_cache

import numpy as np
from sympy import Function, Matrix, eye, symbols

from asympt.claims.forms import at_most, identity, same
from asympt.evidence.check import Check, Verification
from asympt.training.sgd import StochasticFlow
from asympt.training.two_point import is_zero, residual_name, vector

PATHS, STEPS, SEED, ERRORS, UNTIL = 4000, 400, 5, 4.0, 1.5


def vanishes(name: str, residual: Matrix, detail: str = "") -> Check:
    """A symbolic residual that must be identically zero."""
    shown = residual_name(residual)
    return identity(name, 0 if shown == "0" else shown, detail)


def constant_kernel() -> Verification:
    """HDR.S3.const: the term learnt at x depends on x through K(x, x_i) alone, and changes with each of them."""
    delta, first, second = symbols("delta p1 p2", positive=True)
    kernel = Matrix([[first, delta], [delta, second]])
    x, other = symbols("x x'", real=True)
    rows = [Matrix([[Function(f"k{i}")(place) for i in (1, 2)]]) for place in (x, other)]
    error, decayed = vector("e", 2), Matrix(2, 2, symbols("m1:5", real=True))
    learnt = [(row * kernel.inv() * (eye(2) - decayed) * error)[0] for row in rows]
    constant = {entry: delta for row in rows for entry in row}
    at_training_point = learnt[0].subs(dict(zip(rows[0], kernel[:1, :], strict=True)))
    apart = Matrix([at_training_point - learnt[0].subs(constant)])
    return Verification(
        "K(x, x_i) = delta for all x != x_i: the term learnt does not depend on the test input x",
        (
            vanishes(
                "difference of the terms learnt at two test points once $K(x, x_i) = K(x', x_i) = delta$, $N = 2$, any "
                "matrix in the place of $e^(-Kt/N)$",
                Matrix([(learnt[0] - learnt[1]).subs(constant)]),
                f"at the training point x_1 itself it differs: {'no' if is_zero(apart) else 'yes'}",
            ),
            same("without the hypothesis the two differ", is_zero(Matrix([learnt[0] - learnt[1]])), False),
        ),
    )


# ---- stochastic gradient descent ------------------------------------------------------------------------------


def solution() -> Verification:
    """HDR.S5.34: simulated paths have the mean and the covariance of the formula with + before Gamma."""
    right = Verification("the solution with + before the integral of Gamma", _path_checks())
    return Verification("the outputs on the training set under SGD", (), right)


def example() -> StochasticFlow:
    """Three training points, a curvature that shifts the mean by far more than the noise of 4000 paths."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(3, 5))
    return StochasticFlow(
        features @ features.T,
        targets=np.array([1.0, -1.0, 0.5]),
        noise=rng.normal(size=(3, 4)),
        rate=0.5,
        batch=4.0,
        curvature=np.array([3.0, -2.0, 4.0]),
        start=np.array([0.0, 2.0, 1.0]),
    )


def _path_checks() -> tuple[Check, ...]:
    """Euler-Maruyama paths of (33) against mean and covariance of (34)."""
    sgd, ends = example(), simulated_ends()
    errors = ends.std(axis=0, ddof=1) / np.sqrt(PATHS)
    figure = np.abs((ends.mean(axis=0) - sgd.mean(UNTIL)) / errors).max()
    name = (
        f"|mean of {PATHS} simulated paths of (33) - mean of the formula|, in standard errors, $N = 3$, $t = {UNTIL}$"
    )
    return at_most(name, figure, ERRORS), _covariance_check(sgd, ends)


@lru_cache(maxsize=1)
def simulated_ends() -> np.ndarray:
    """f_t of the example's paths at t = UNTIL, by the Euler-Maruyama scheme."""
    return example().euler(UNTIL / STEPS, STEPS, PATHS, SEED)[:, -1]


def _covariance_check(sgd: StochasticFlow, ends: np.ndarray) -> Check:
    expected, centred = sgd.covariance(UNTIL), ends - ends.mean(axis=0)
    products = centred[:, :, None] * centred[:, None, :]
    errors = products.std(axis=0) / np.sqrt(PATHS)
    figure = np.abs((products.mean(axis=0) - expected) / errors).max()
    return at_most("their covariance against the formula's, in standard errors", figure, ERRORS)
