"""Decisions on TBG's theorem that the NTK of a residual network stays what it is during gradient descent.

Rule.  A step takes the error f - y of a model that is linear in its parameters to (1 - eta s Theta)(f - y), s = 1 for
the loss (1/2)|f - y|^2 and s = 2 for |f - y|^2, the loss that the slides write.  For eta <= 2/(lambda_min + lambda_max)
every mode has |1 - eta lambda| <= 1 - eta lambda_min, and (1 - x)^2 <= 1 - x/3 for 0 <= x <= 1.  Networks: one hidden
layer f = v.tanh(W x/sqrt(d))/sqrt(n), v and W trained, with the backward pass written out.
"""

from functools import lru_cache

import numpy as np

from asympt.claims.forms import at_most
from asympt.evidence.check import Check, Verification

WIDTHS, STEPS, RUNS = (64, 256, 1024), 200, 4


def loss_decay() -> Verification:
    """TBG.inv.loss: a model linear in its parameters, by gradient descent on (1/2)|f - y|^2."""
    return Verification(
        "|f_t - y|^2 <= (1 - eta_0 lambda_min/3)^t R_0 by gradient descent on |f - y|^2, eta_0 at most "
        "2/(lambda_min + lambda_max)",
        (),
        Verification("the same by gradient descent on (1/2)|f - y|^2, a model linear in its parameters",
                     (_linear_model(),)),
    )  # fmt: skip


def _linear_model() -> Check:
    """Steps of a random linear model with five outputs, the loss against the bound."""
    random = np.random.default_rng(0)
    jacobian = random.standard_normal((5, 40)) / np.sqrt(40)
    modes = np.linalg.eigvalsh(jacobian @ jacobian.T)
    rate, rest = 2 / (modes[0] + modes[-1]), random.standard_normal(5)
    worst, bound = 0.0, float(rest @ rest)
    for _ in range(STEPS):
        rest = rest - rate * jacobian @ (jacobian.T @ rest)
        bound *= 1 - rate * modes[0] / 3
        worst = max(worst, float(rest @ rest) / bound)
    return at_most(f"largest $|f_t - y|^2$ over the bound, 5 outputs, {STEPS} steps", worst, 1, digits=6)


# ---- networks -------------------------------------------------------------------------------------------------


def weights_and_kernel() -> Verification:
    """TBG.inv.weights: the power of the width with which the NTK moves, beside the inequalities."""
    means = [np.mean([trained(width, seed)["kernel"] for seed in range(RUNS)]) for width in WIDTHS]
    slope = np.polyfit(np.log(WIDTHS), np.log(means), 1)[0]
    return Verification(
        "sum |theta_j - theta_(j-1)| <= 3 K R_0/lambda_min, sup |Theta_t - Theta_0| = 6 K^3 R_0/(lambda_min sqrt(n))",
        (),
        Verification("both with <=, R_0 >= |f_0 - y|", (_power(slope),)),
    )


def _power(slope: float) -> Check:
    detail = "tanh, four points, 200 steps on (1/2)|f - y|^2; near -1, so the bound's -1/2 holds and is not sharp"
    name = "power of $n$ in the largest $|Theta_t - Theta_0|$, $n = 64$ to 1024"
    return at_most(name, slope, -0.5, detail)


@lru_cache(maxsize=16)
def trained(width: int, seed: int) -> dict[str, float]:
    """Of one network: the distance travelled, the largest change of the NTK, K, R_0 and lambda_min."""
    random, inputs = np.random.default_rng(seed), 3
    points = np.random.default_rng(99).standard_normal((4, inputs))
    targets = np.array([1.0, -1.0, 0.5, 0.0])
    theta = random.standard_normal((width, inputs + 1))  # W beside v
    first = _jacobian(theta, points)
    kernel = first @ first.T
    modes = np.linalg.eigvalsh(kernel)
    rate, travel, furthest, largest = 1 / (modes[0] + modes[-1]), 0.0, 0.0, np.linalg.norm(first)
    error = _output(theta, points) - targets
    scale = np.linalg.norm(error)
    for _ in range(STEPS):
        jacobian = _jacobian(theta, points)
        step = -rate * jacobian.T @ error
        theta = theta + step.reshape(theta.shape)
        error = _output(theta, points) - targets
        travel += np.linalg.norm(step)
        furthest = max(furthest, np.linalg.norm(jacobian @ jacobian.T - kernel))
        largest = max(largest, np.linalg.norm(jacobian))
    found = {"travel": travel, "kernel": furthest, "K": largest, "R_0": scale, "lambda_min": modes[0]}
    return {name: float(value) for name, value in found.items()}


def _output(theta: np.ndarray, points: np.ndarray) -> np.ndarray:
    hidden = np.tanh(points @ theta[:, :-1].T / np.sqrt(points.shape[1]))
    return hidden @ theta[:, -1] / np.sqrt(len(theta))


def _jacobian(theta: np.ndarray, points: np.ndarray) -> np.ndarray:
    """df/d theta, one row per point."""
    inputs = points / np.sqrt(points.shape[1])
    hidden = np.tanh(inputs @ theta[:, :-1].T)
    inner = ((1 - hidden**2) * theta[:, -1])[:, :, None] * inputs[:, None, :]
    return np.concatenate([inner, hidden[:, :, None]], axis=2).reshape(len(points), -1) / np.sqrt(len(theta))


@lru_cache(maxsize=4)
def jacobian_around(width: int) -> dict[str, float]:
    """J at weights within 1 of random ones: columns, largest |J| and difference quotient; |J| with v times 100."""
    random, points = np.random.default_rng(width), np.random.default_rng(99).standard_normal((4, 3))
    start, near = random.standard_normal((width, 4)), []
    for _ in range(20):
        step = random.standard_normal(start.shape)
        near.append(start + random.uniform() * step / np.linalg.norm(step))
    jacobians = [_jacobian(theta, points) for theta in near]
    quotients = [np.linalg.norm(jacobians[k] - jacobians[0]) / np.linalg.norm(near[k] - near[0]) for k in range(1, 20)]
    far = np.linalg.norm(_jacobian(start * np.array([1, 1, 1, 100]), points))
    found = {"columns": jacobians[0].shape[1], "near": max(map(np.linalg.norm, jacobians)), "far": far}
    return {name: float(value) for name, value in {**found, "quotient": max(quotients)}.items()}
