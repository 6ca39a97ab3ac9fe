"""Decisions on TBG's theorem that the NTK of a residual network stays what it is during gradient descent.

Rule.  A step takes the error f - y of a model that is linear in its parameters to (1 - eta s Theta)(f - y), s = 1 for
the loss (1/2)|f - y|^2 and s = 2 for |f - y|^2, the loss that the slides write.  For eta <= 2/(lambda_min + lambda_max)
every mode has |1 - eta lambda| <= 1 - eta lambda_min, and (1 - x)^2 <= 1 - x/3 for 0 <= x <= 1.  Networks: one hidden
layer f = v.tanh(W x/sqrt(d))/sqrt(n), v and W trained, with the backward pass written out.
"""

from functools import lru_cache

import numpy as np
from sympy import Symbol, simplify, symbols

from asympt.claims.forms import at_most, inequality, same, vanishes
from asympt.evidence.check import Check, Verification

LOW, HIGH = symbols("lambda_min lambda_max", positive=True)
X = Symbol("x", nonnegative=True)
WIDTHS, STEPS, SEEDS = (64, 256, 1024), 200, 4


def loss_decay() -> Verification:
    """TBG.inv.loss: the loss |f - y|^2 under its own gradient does not decay at the largest rate allowed."""
    rate = 2 / (LOW + HIGH)
    top, bottom = simplify(1 - rate * HIGH), simplify(1 - rate * LOW)
    doubled = (1 - 2 * rate * HIGH).subs({LOW: 1, HIGH: 2})
    single = (1 - 2 * rate * HIGH).subs(HIGH, LOW)
    margin = (1 - X / 3 - (1 - X) ** 2).factor()
    return Verification(
        "|f_t - y|^2 <= (1 - eta_0 lambda_min/3)^t R_0 by gradient descent on |f - y|^2, eta_0 at most "
        "2/(lambda_min + lambda_max)",
        (
            inequality(
                "factor of the only mode a step, $lambda_min = lambda_max$, $eta_0 = 1/lambda$", abs(single), "< 1",
                "f - y changes its sign for ever"
            ),
            inequality(
                "factor of the fastest mode a step, $lambda = 1$ and 2, $eta_0 = 2/3$", abs(doubled), "< 1",
                "the loss grows without bound"
            ),
        ),
        Verification(
            "the same by gradient descent on (1/2)|f - y|^2, a model linear in its parameters",
            (
                vanishes(
                    "$1 - eta lambda_max + (1 - eta lambda_min)$ at $eta = 2/(lambda_min + lambda_max)$", top + bottom,
                    "the two ends are the worst, and equally large"
                ),
                same(f"$1 - x/3 - (1 - x)^2 = {margin} >= 0$ for $x = eta lambda_min$ in [0, 1]",
                     _nonnegative_on_unit(margin), True, "so |f - y|^2 shrinks by at least 1 - eta lambda_min/3"),
                _linear_model(),
            ),
        ),
    )  # fmt: skip


def _nonnegative_on_unit(margin) -> bool:
    """A quadratic with a negative leading coefficient is >= 0 on [0, 1] when it is at both ends."""
    return bool(margin.expand().coeff(X, 2) < 0 and margin.subs(X, 0) >= 0 and margin.subs(X, 1) >= 0)


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
    """TBG.inv.weights: an inequality each; the printed equality fails where the NTK does not move at all."""
    moved = {width: _training(width) for width in WIDTHS}
    slope = np.polyfit(np.log(WIDTHS), [np.log(moved[n]["kernel"]) for n in WIDTHS], 1)[0]
    jacobian, start = np.array([[2.0]]), 1.0  # one parameter, f = 2 theta: lambda = 4, K = 2, R_0 = 1
    change = 6 * np.linalg.norm(jacobian) ** 3 * start / float((jacobian @ jacobian.T)[0, 0])
    return Verification(
        "sum |theta_j - theta_(j-1)| <= 3 K R_0/lambda_min, sup |Theta_t - Theta_0| = 6 K^3 R_0/(lambda_min sqrt(n))",
        (
            same("$f = 2 theta$: $6 K^3 R_0/lambda_min$, which $|Theta_t - Theta_0| sqrt(n) = 0$ is to equal",
                 change, 0,
                 "a constant Jacobian, R_0 = K/2 = 1"),
        ),
        Verification(
            "sum |theta_j - theta_(j-1)| <= 3 K R_0/lambda_min and sup |Theta_t - Theta_0| <= 6 K^3 R_0/(lambda_min "
            "sqrt(n)), R_0 >= |f_0 - y|",
            (*_bounds(moved), _power(slope)),
        ),
    )  # fmt: skip


def _bounds(moved: dict) -> list[Check]:
    """Both inequalities for networks of each width."""
    checks = []
    for width, run in moved.items():
        end = f"n = {width}, worst of {SEEDS} networks"
        checks.append(at_most(f"distance travelled over $3 K R_0/lambda_min$, {end}", run["travel"], 1, digits=4))
        checks.append(at_most(f"change of the NTK over its bound, {end}", run["change"], 1, digits=4))
    return checks


def _power(slope: float) -> Check:
    detail = "tanh, four points, 200 steps on (1/2)|f - y|^2; near -1, so the bound's -1/2 holds and is not sharp"
    name = "power of $n$ in the largest $|Theta_t - Theta_0|$, $n = 64$ to 1024"
    return at_most(name, slope, -0.5, detail)


@lru_cache(maxsize=8)
def _training(width: int) -> dict[str, float]:
    """Over a few networks: the worst ratios to the two bounds, and the mean change of the NTK."""
    found = [_one_training(width, seed) for seed in range(SEEDS)]
    worst = {name: max(run[name] for run in found) for name in ("travel", "change")}
    return {**worst, "kernel": float(np.mean([run["kernel"] for run in found]))}


def _one_training(width: int, seed: int) -> dict[str, float]:
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
    bound = 3 * largest * scale / modes[0]
    change = furthest / (2 * largest**2 * bound / np.sqrt(width))
    return {"travel": float(travel / bound), "change": float(change), "kernel": float(furthest)}


def _output(theta: np.ndarray, points: np.ndarray) -> np.ndarray:
    hidden = np.tanh(points @ theta[:, :-1].T / np.sqrt(points.shape[1]))
    return hidden @ theta[:, -1] / np.sqrt(len(theta))


def _jacobian(theta: np.ndarray, points: np.ndarray) -> np.ndarray:
    """df/d theta, one row per point."""
    inputs = points / np.sqrt(points.shape[1])
    hidden = np.tanh(inputs @ theta[:, :-1].T)
    inner = ((1 - hidden**2) * theta[:, -1])[:, :, None] * inputs[:, None, :]
    return np.concatenate([inner, hidden[:, :, None]], axis=2).reshape(len(points), -1) / np.sqrt(len(theta))
