"""Decisions on HDR Appendix A, Appendix Lemma 1: how far gradient descent is from gradient flow.

The printed bound eta C' with C' a function of C and T alone scales the wrong way: for L = C theta^2/2 the distance is
proportional to theta_0, which C and T do not know.  What one step leaves out is eta^2/2 |theta''| <=
(eta^2/2) C e^(C t) |grad L(theta_0)|, and a step multiplies what was there by at most 1 + eta C, so

    |theta_(k eta) - theta^_k| <= eta (C T/2) e^(C T) |grad L(theta_0)|,

which L = -C theta^2/2 attains as eta -> 0.  The step of the proof forgets grad L(theta_0) in the same place:
|theta^_k - theta_0| <= (1 + eta C) |theta^_(k-1) - theta_0| + eta |grad L(theta_0)|.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from sympy import Symbol, binomial, expand, summation

from asympt.claims.forms import at_most, identity
from asympt.evidence.check import Check, Verification

TIME = 2.0
RATES = (0.1, 0.03, 0.01, 0.003, 0.001)
TIGHT = 1e-12


@dataclass(frozen=True)
class DescentProblem:
    """A loss by its gradient, `constant` = C its Lipschitz constant, and a start."""

    name: str
    gradient: Callable[[np.ndarray], np.ndarray]
    constant: float
    start: np.ndarray

    def distance(self, rate: float) -> float:
        """sup over k <= T/eta of |theta_(k eta) - theta^_k|."""
        steps = round(TIME / rate)
        times = rate * np.arange(steps + 1)
        flow = solve_ivp(
            lambda _, p: -self.gradient(p), (0, times[-1]), self.start, "DOP853", times, rtol=TIGHT, atol=TIGHT
        )
        gaps = np.linalg.norm(flow.y.T - np.array(self.descent(rate, steps)), axis=1)
        return float(gaps.max())

    def descent(self, rate: float, steps: int) -> list[np.ndarray]:
        """theta^_0, theta^_1, ..."""
        path = [self.start]
        for _ in range(steps):
            path.append(path[-1] - rate * self.gradient(path[-1]))
        return path

    @property
    def force(self) -> float:
        """|grad L(theta_0)|."""
        return float(np.linalg.norm(self.gradient(self.start)))

    def bound(self, rate: float) -> float:
        """eta (C T/2) e^(C T) |grad L(theta_0)|."""
        return rate * self.constant * TIME / 2 * np.exp(self.constant * TIME) * self.force


def quadratic(size: float, sign: int = 1) -> DescentProblem:
    """L = sign theta^2/2, C = 1, from theta_0 = size."""
    name = f"$L = {'' if sign > 0 else '-'}theta^2/2$, $theta_0 = {size:g}$"
    return DescentProblem(name, lambda p: sign * p, 1.0, np.array([size]))


def problems() -> tuple[DescentProblem, ...]:
    """Convex, concave and neither, in one and in three dimensions."""
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    matrix = turn @ np.diag([2.0, -1.0, 0.5]) @ turn.T
    return (
        quadratic(1.0),
        quadratic(1.0, -1),
        DescentProblem("L = cos(theta_1) + ... + cos(theta_3)", lambda p: -np.sin(p), 1.0, np.array([0.5, 2.0, -1.0])),
        DescentProblem("L = theta^T M theta/2, M with eigenvalues 2, -1, 1/2", lambda p: matrix @ p, 2.0, np.ones(3)),
    )


def discretisation() -> Verification:
    """HDR.AL1: the printed bound knows no start; with |grad L(theta_0)| it holds."""
    return Verification(
        "sup_k |theta_(k eta) - theta^_k| <= eta C' with C' a function of C and T only",
        (),
        Verification(
            "sup_k |theta_(k eta) - theta^_k| <= eta (C T/2) e^(C T) |grad L(theta_0)|",
            (*(_bounded(problem) for problem in problems()), _order(), _sharp()),
        ),
    )


def _bounded(problem: DescentProblem) -> Check:
    worst = max(problem.distance(rate) / problem.bound(rate) for rate in RATES)
    return at_most(
        f"largest distance/bound, {problem.name}, $eta$ from {RATES[0]} to {RATES[-1]}", worst, 1.0, digits=4
    )


def _order() -> Check:
    """The order in eta, by the slope between the two smallest rates."""
    problem = problems()[2]
    one, two = (problem.distance(rate) for rate in RATES[-2:])
    slope = np.log(one / two) / np.log(RATES[-2] / RATES[-1])
    return at_most("|order of the distance in eta - 1|", abs(slope - 1), 0.01)


def _sharp() -> Check:
    """L = -theta^2/2 attains the bound as eta -> 0."""
    problem = quadratic(1.0, -1)
    share = problem.distance(RATES[-1]) / problem.bound(RATES[-1])
    name = "1 - distance/bound for $L = -theta^2/2$ at the smallest $eta$"
    return at_most(name, 1 - share, 0.01, "so no smaller factor will do")


def proof_step() -> Verification:
    """HDR.AL1.step: at k = 1 it says |theta^_1 - theta_0| <= 0, and for a linear loss it fails at every k."""
    return Verification(
        "|theta^_k - theta_0| <= (1 + eta C) |theta^_(k-1) - theta_0| <= e^(CT) |theta^_1 - theta_0|",
        (),
        Verification(
            "|theta^_k - theta_0| <= ((1 + eta C)^k - 1)/(eta C) |theta^_1 - theta_0|, "
            "and this is at most (e^(CT) - 1)/C |grad L(theta_0)|",
            (_summed(), *(_step_bounded(problem) for problem in problems())),
        ),
    )


def _summed() -> Check:
    """a_k = (1 + eta C) a_(k-1) + a_1 has the solution ((1 + eta C)^k - 1)/(eta C) a_1; with x = eta C, k = 6."""
    x, index = Symbol("x", positive=True), Symbol("i", integer=True)
    value = 0
    for _ in range(6):
        value = expand((1 + x) * value + 1)
    closed = summation(binomial(6, index) * x ** (index - 1), (index, 1, 6))
    rest = expand(value - closed)
    return identity("$a_k = (1 + x) a_(k-1) + 1$ minus $((1 + x)^k - 1)/x$ at $k = 6$", rest)


def _step_bounded(problem: DescentProblem) -> Check:
    rate = RATES[1]
    steps = round(TIME / rate)
    path = np.array(problem.descent(rate, steps))
    moved = np.linalg.norm(path - problem.start, axis=1)[1:]
    counts, growth = np.arange(1, steps + 1), rate * problem.constant
    bounds = ((1 + growth) ** counts - 1) / growth * moved[0]
    last = (np.exp(problem.constant * TIME) - 1) / problem.constant * problem.force
    worst = max((moved / bounds).max(), bounds[-1] / last)
    return at_most(f"largest left/right of both inequalities, {problem.name}", worst, 1 + 1e-12, digits=6)
