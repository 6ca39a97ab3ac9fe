"""Decisions on HDR Appendix C: SGD as a diffusion.

The equation is linear in f and its noise is additive, so its solution formula holds path by path: a formula is right
exactly when it solves df/dt = -(1/N) K (f - Y) + (eta/2S) Gamma_t + sqrt(eta/S) G w_t for every smooth forcing in the
places of Gamma and dW/dt.  Exponentials e^(p t) and e^(r t) with symbols p and r stand for all of them.

HDR writes the drift as -(1/N) K (f - M) with M = Y - (eta N/2S) K^-1 Gamma; by (33) it is M = Y + (eta N/2S) K^-1
Gamma.  The sign goes into (34), and into (35) (`sgd_mean_at`).
"""

from functools import lru_cache

import numpy as np
from sympy import Expr, Function, Matrix, exp, eye, simplify, sqrt, symbols

from asympt.claims.forms import at_most
from asympt.claims.hdr.training.flow import vanishes
from asympt.evidence.check import Check, Verification
from asympt.training.exact import SCALE, TIME, ExactKernel, vector
from asympt.training.sgd import StochasticFlow

RATE, BATCH, COUNT = symbols("eta S N", positive=True)
GROWTH, SWING = symbols("p r", positive=True)
PATHS, STEPS, SEED, ERRORS, UNTIL = 4000, 400, 5, 4.0, 1.5


# ---- from the update to the diffusion -----------------------------------------------------------------


def euler_step() -> Verification:
    """HDR.S5.sde: the root of Sigma in the step."""
    sigma = _root()
    size_of = sqrt(sigma.det())
    principal = (sigma + size_of * eye(2)) / sqrt(sigma.trace() + 2 * size_of)  # of a 2 x 2 matrix
    return Verification(
        "the Euler step of length eta is theta - eta grad L + (eta/sqrt S) Z, Z ~ N(0, Sigma)",
        (
            vanishes("$Cov(Sigma^(1/2) z) - Sigma$, the principal root of a 2 x 2 matrix",
                     (principal * principal.T - sigma).applyfunc(simplify)),
        ),
    )


def _root() -> Matrix:
    """A symmetric 2 x 2 matrix, Sigma^(1/2)."""
    a, b, c = symbols("s11 s12 s22", real=True)
    return Matrix([[a, b], [b, c]])


def ito() -> Verification:
    """HDR.S5.ito: the mean of f over one step to first order in its length h, for any f of two parameters."""
    theta, root = symbols("theta1 theta2", real=True), _root()
    output = Function("f")(*theta)
    trained = Matrix([Function("f1")(*theta), Function("f2")(*theta)])
    slopes = vector("l", 2)
    velocity = -(trained.jacobian(Matrix(theta)).T * slopes) / COUNT
    gradient = Matrix([output]).jacobian(Matrix(theta))
    hessian = gradient.jacobian(Matrix(theta))
    drift = (gradient * velocity)[0] + _second_order(hessian, root)
    kernel = gradient * trained.jacobian(Matrix(theta)).T
    printed = -(kernel * slopes)[0] / COUNT + RATE / BATCH / 2 * (root * hessian * root).trace()
    return Verification(
        "df = [-(1/N) grad f grad f(X)^T grad l + (eta/2S) Tr(Sigma^(1/2) Hess f Sigma^(1/2))] dt + noise",
        (
            vanishes("drift of $f$ by the moments of one step, minus the printed drift", Matrix([drift - printed])),
            _ito_noise(gradient, root),
        ),
    )


def _second_order(hessian: Matrix, root: Matrix) -> Expr:
    """(1/2) E[d theta^T Hess f d theta]/h, d theta = sqrt(h eta/S) Sigma^(1/2) z: E[z_i z_j] = 1 if i = j, else 0."""
    normal = symbols("z1 z2", real=True)
    jump = sqrt(RATE / BATCH) * root * Matrix(normal)
    square = (jump.T * hessian * jump)[0].expand() / 2
    moments = {normal[0] ** 2: 1, normal[1] ** 2: 1}
    return square.expand().subs(normal[0] * normal[1], 0).subs(moments)


def _ito_noise(gradient: Matrix, root: Matrix) -> Check:
    """The variance of the noise term against that of grad f d theta."""
    increment = sqrt(RATE / BATCH) * root
    found = gradient * increment * increment.T * gradient.T
    printed = RATE / BATCH * (gradient * root) * (gradient * root).T
    return vanishes("variance of the noise per unit of time, minus the printed one", (found - printed).expand())


# ---- the Ornstein-Uhlenbeck process -------------------------------------------------------------------


def centre() -> Verification:
    """HDR.S5.M: the sign of Gamma in M_t."""
    return Verification(
        "-(1/N) K (f - Y) + (eta/2S) Gamma = -(1/N) K (f - M), M = Y - (eta N/2S) K^-1 Gamma",
        (),
        Verification("M = Y + (eta N/2S) K^-1 Gamma", (_centre_check(),)),
    )


def _centre_check() -> Check:
    kernel = ExactKernel.three()
    outputs, targets, curvature = vector("f", 3), vector("y", 3), vector("Gamma", 3)
    moved = targets + RATE * COUNT / (2 * BATCH) * kernel.inverse * curvature
    left = -kernel.matrix * (outputs - targets) / COUNT + RATE / (2 * BATCH) * curvature
    return vanishes("left side minus right side, 3 x 3", left + kernel.matrix * (outputs - moved) / COUNT)


def solution() -> Verification:
    """HDR.S5.34: with + it solves the differential equation, and simulated paths agree."""
    return Verification(
        "f_t = E_t f_0 + (I - E_t) Y - (eta/2S) int E_(t-s) Gamma ds + sqrt(eta/S) int E_(t-s) G dW",
        (),
        Verification(
            "f_t = E_t f_0 + (I - E_t) Y + (eta/2S) int E_(t-s) Gamma ds + sqrt(eta/S) int E_(t-s) G dW",
            (_solution_check(), *_path_checks()),
        ),
    )


def forced_path(kernel: ExactKernel) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """(f_t, f_0, Y, forcing) by (34) with + before Gamma, in the eigenbasis."""
    size = kernel.size
    start, targets, curvature, noise = (vector(name, size) for name in ("f", "y", "Gamma", "w"))
    decay = kernel.decay()
    steady = decay * start + (eye(size) - decay) * targets
    slow = RATE / (2 * BATCH) * (kernel.function(lambda value: memory(value, GROWTH)) * curvature)
    fast = sqrt(RATE / BATCH) * (kernel.function(lambda value: memory(value, SWING)) * noise)
    forcing = RATE / (2 * BATCH) * exp(GROWTH * TIME) * curvature + sqrt(RATE / BATCH) * exp(SWING * TIME) * noise
    return steady + slow + fast, start, targets, forcing


def memory(value: Expr, rate: Expr) -> Expr:
    """int_0^t e^(-nu value (t - u)) e^(rate u) du."""
    return (exp(rate * TIME) - exp(-SCALE * value * TIME)) / (SCALE * value + rate)


def diagonal_kernel(count: int) -> ExactKernel:
    """A kernel in its own eigenbasis: the equations of the modes, which do not mix."""
    return ExactKernel(eye(count), symbols("a b c", positive=True)[:count])


def _solution_check() -> Check:
    kernel = diagonal_kernel(2)
    path, _, targets, forcing = forced_path(kernel)
    residual = path.diff(TIME) + SCALE * kernel.matrix * (path - targets) - forcing
    name = (
        "$df/dt + nu K (f - Y) - (eta/2S) Gamma - sqrt(eta/S) G w$, $Gamma ~ e^(pt)$, $w ~ e^(rt)$, in the eigenbasis"
    )
    return vanishes(name, residual)


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
