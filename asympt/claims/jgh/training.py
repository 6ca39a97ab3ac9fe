"""Decisions on the slides about Jacot, Gabriel and Hongler, "Neural Tangent Kernel": training under a frozen kernel.

Their loss is a sum over the training set, so kernels come without HDR's 1/N (nu = 1 in `training.exact`).
"""


import numpy as np
from sympy import Integer, Matrix, Symbol, exp, eye, limit, oo, symbols

from asympt.claims.forms import inequality
from asympt.claims.hdr.training.flow import gradient_flow_check, vanishes
from asympt.evidence.check import Check, Verification
from asympt.training.exact import SCALE, TIME, ExactKernel, at_start, flow_residual, vector
from asympt.training.flow import flow, flow_at
from asympt.training.prediction import mean_prediction

ONE = {SCALE: Integer(1)}


def function_space() -> Verification:
    """JGH.flow: the chain rule for unspecified smooth outputs and loss, summed over two training points."""
    return Verification(
        "d f(x)/dt = -Theta_t(x, X)^T dL/df(X) under gradient flow of a sum of losses",
        (gradient_flow_check(2, Integer(1)),),
    )


def linear_system() -> Verification:
    """JGH.ode-sol: both formulas for a symmetric A with three eigenvalues and for a Jordan block."""
    kernel = ExactKernel.three(*symbols("a b c", real=True, nonzero=True))
    a = Symbol("a", real=True, nonzero=True)
    block = Matrix([[a, 1], [0, a]])
    cases = (
        ("A symmetric 3 x 3", kernel.matrix, kernel.inverse, kernel.decay().subs(SCALE, -1)),
        ("A a Jordan block", block, block.inv(), exp(a * TIME) * Matrix([[1, TIME], [0, 1]])),
    )
    return Verification(
        "x' = A (x - x*) has x(t) = x* + e^(At)(x(0) - x*); int e^(At) dt = A^-1 (e^(At) - 1) + C",
        tuple(check for case in cases for check in _linear_checks(*case)),
    )


def _linear_checks(name: str, matrix: Matrix, inverse: Matrix, growth: Matrix) -> tuple[Check, ...]:
    """`growth` is e^(At): it solves G' = A G, G(0) = 1, and then both formulas follow."""
    size = matrix.rows
    fixed, start = vector("x", size), vector("x0", size)
    path = fixed + growth * (start - fixed)
    integral = inverse * (growth - eye(size))
    return (
        vanishes(f"$x' - A (x - x*)$, {name}", path.diff(TIME) - matrix * (path - fixed)),
        vanishes(f"$x(t) - x(0)$ at $t = 0$, {name}", at_start(path) - start),
        vanishes(f"$d/dt A^-1 (e^(At) - 1) - e^(At)$, {name}, A invertible", integral.diff(TIME) - growth),
    )


def training_points() -> Verification:
    """JGH.train: in the differential equation, and by the NumPy flow for ten points."""
    path, start, targets, kernel = _trained()
    return Verification(
        "f_t(X) = y + e^(-t Theta)(f_0(X) - y)",
        (
            vanishes("$df/dt + Theta (f - y)$, 3 x 3", flow_residual(path, kernel.matrix, targets, Integer(1))),
            vanishes("$f_t - f_0$ at $t = 0$", at_start(path) - start),
        ),
    )


def _trained(kernel: ExactKernel | None = None) -> tuple[Matrix, Matrix, Matrix, ExactKernel]:
    """(f_t, f_0, y, kernel) on the training set."""
    kernel = ExactKernel.three() if kernel is None else kernel
    start, targets = vector("f", kernel.size), vector("y", kernel.size)
    return targets + kernel.decay().subs(ONE) * (start - targets), start, targets, kernel


def at_test_point() -> Verification:
    """JGH.test: slide (I) in the differential equation of the test point."""
    path, start, targets, kernel = _trained()
    row, begin = vector("k", 3).T, Matrix([Symbol("g0", real=True)])
    inner = kernel.inverse * (kernel.decay().subs(ONE) - eye(3))
    at_test = row * inner * (start - targets) + begin
    return Verification(
        "f_t(x) = Theta(x, X)^T Theta^-1 (e^(-Theta t) - 1)(f_0(X) - y) + f_0(x)",
        (
            vanishes("$df(x)/dt + Theta(x, X)(f_t(X) - y)$, $N = 3$", at_test.diff(TIME) + row * (path - targets)),
            vanishes("$f_t(x) - f_0(x)$ at $t = 0$", at_start(at_test) - begin),
        ),
    )


def final_state() -> Verification:
    """JGH.final: t -> infinity of the two formulas, and kernel regression; in symbols and for ten random points."""
    _, start, targets, kernel = _trained()
    row, begin = vector("k", 3).T, Matrix([Symbol("g0", real=True)])
    ends = kernel.function(lambda value: limit(ExactKernel(eye(1), (value,)).decay().subs(ONE)[0], TIME, oo))
    on_training = targets + ends * (start - targets)
    at_test = row * kernel.inverse * (ends - eye(3)) * (start - targets) + begin
    printed = row * kernel.inverse * (targets - start) + begin
    quiet = {symbol: 0 for symbol in (*start, *begin)}
    regression = (targets.T * kernel.inverse * row.T).T
    return Verification(
        "f_inf(x) = Theta(x, X)^T Theta^-1 (y - f_0(X)) + f_0(x); f_inf(X) = y; kernel regression for f_0 = 0",
        (
            vanishes("$lim f_t(x)$ minus the formula, $Theta$ positive definite, 3 x 3", at_test - printed),
            vanishes("$lim f_t(X) - y$", on_training - targets),
            vanishes("the formula at $f_0 = 0$ minus $y^T Theta^-1 Theta(X, x)$", printed.subs(quiet) - regression),
            _numbers_check(),
        ),
    )


def _numbers_check() -> Check:
    """Ten training and five test points of a random kernel: t = infinity, t = 10^6 and kernel regression agree."""
    rng = np.random.default_rng(4)
    features, targets = rng.normal(size=(15, 30)), rng.normal(size=10)
    kernel = features @ features.T
    block, cross = kernel[:10, :10], kernel[10:, :10]
    expected = mean_prediction(cross, block, targets)
    ends = flow_at(cross, block, targets, [1e6, np.inf], normalisation="sum")
    fit = flow(block, targets, np.inf, normalisation="sum") - targets
    figure = max(np.abs(ends - expected).max(), np.abs(fit).max())
    return inequality(
        "ten random points: largest deviation of $f_inf$, $f$ at $t = 10^6$ and regression", figure, "<= 1e-10"
    )
