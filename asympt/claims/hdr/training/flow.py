"""Decisions on HDR Section 3: gradient flow under the NTK, and which kernels can be trained.

Flow formulas are put into their differential equation for every 2 x 2 kernel, or for a 3 x 3 kernel of general
eigenvalues (`training.exact`).  Lemma 1 needs one kernel to fall: K = diag(1, 0) with f_0 - Y = (1, 0), where
f_t - Y = (e^(-t/2), 0) tends to 0 although K is singular.  What stays is the part of f_0 - Y in the null space of K.
"""

import numpy as np
from sympy import Expr, Function, Integer, Matrix, Symbol, diag, exp, eye, limit, oo, sqrt, symbols

from asympt.claims.forms import at_most, identity, inequality, same
from asympt.evidence.check import Check, Verification
from asympt.training.exact import (
    SCALE,
    TIME,
    ExactKernel,
    at_start,
    flow_residual,
    is_zero,
    residual_name,
    vector,
)
from asympt.training.flow import flow

DIRECTIONS = 200


def vanishes(name: str, residual: Matrix, detail: str = "") -> Check:
    """A symbolic residual that must be identically zero."""
    shown = residual_name(residual)
    return identity(name, 0 if shown == "0" else shown, detail)


# ---- the differential equation of the outputs ---------------------------------------------------------


def chain_rule() -> Verification:
    """HDR.eq3: d/dt f(theta_t) for unspecified smooth f of two parameters, two training points, any loss."""
    return Verification(
        "df_t(x) = -(1/N) grad f(x) grad f(X)^T grad l dt under gradient flow of (1/N) sum l(f(x_i), y_i)",
        (gradient_flow_check(2),),
    )


def gradient_flow_check(points: int, scale: Expr | None = None) -> Check:
    """The chain rule against the formula with the tangent kernel, `scale` = 1/N unless given."""
    scale = 1 / Integer(points) if scale is None else scale
    theta = symbols("theta1 theta2", real=True)
    outputs = Matrix([Function(f"f{i + 1}")(*theta) for i in range(points)])
    test, targets = Matrix([Function("g")(*theta)]), vector("y", points)
    z, loss = Symbol("z", real=True), Function("l")
    slopes = Matrix([loss(z, y).diff(z).subs(z, f) for f, y in zip(outputs, targets, strict=True)])
    total = scale * sum(loss(f, y) for f, y in zip(outputs, targets, strict=True))
    velocity = Matrix([-total.diff(p) for p in theta])
    moved = test.jacobian(Matrix(theta)) * velocity
    kernel = test.jacobian(Matrix(theta)) * outputs.jacobian(Matrix(theta)).T
    rest = (moved + scale * kernel * slopes).applyfunc(lambda entry: entry.doit().expand())
    name = (
        f"$d g(theta_t)/dt + {scale} grad g grad f(X)^T grad l$, $N = {points}$, two parameters, any $f$, $g$ and $l$"
    )
    return identity(name, list(rest))


def training_flow() -> Verification:
    """HDR.eq8: put into df = -(1/N) K (f - Y) dt, for N = 2 and 3, a zero eigenvalue included."""
    a = Symbol("a", positive=True)
    kernels = (ExactKernel.general(), ExactKernel.three(), ExactKernel.three(a, 2 * a, Integer(0)))
    checks = tuple(check for kernel in kernels for check in _training_checks(kernel))
    return Verification("f_t(X) = e^(-Kt/N) f_0 + (I - e^(-Kt/N)) Y solves df = -(1/N) K (f - Y) dt", checks)


def _training_checks(kernel: ExactKernel) -> tuple[Check, Check]:
    path, start, targets = exact_path(kernel)
    about = f"{kernel.size} x {kernel.size}, eigenvalues {', '.join(map(str, kernel.values))}"
    return (
        vanishes(f"$df/dt + nu K (f - Y)$, $nu = 1/N$, K {about}", flow_residual(path, kernel.matrix, targets)),
        vanishes(f"$f_t - f_0$ at $t = 0$, K {about}", at_start(path) - start),
    )


def exact_path(kernel: ExactKernel) -> tuple[Matrix, Matrix, Matrix]:
    """(f_t, f_0, Y) by HDR eq. (8)."""
    start, targets, decay = vector("f", kernel.size), vector("y", kernel.size), kernel.decay()
    return decay * start + (eye(kernel.size) - decay) * targets, start, targets


def flow_at_test_point() -> Verification:
    """HDR.eq9: put into df(x) = -(1/N) K(x, X) (f_t(X) - Y) dt."""
    checks = checks_at_test_point(ExactKernel.three(), Integer(1))
    return Verification("f_t(x) = f_0(x) + K(x, X) K^-1 (I - e^(-Kt/N)) (Y - f_0(X))", checks)


def checks_at_test_point(kernel: ExactKernel, sign: Expr) -> tuple[Check, ...]:
    """The test-point formula in its differential equation and at t = 0."""
    path, start, targets = exact_path(kernel)
    row, begin = vector("k", kernel.size).T, Matrix([Symbol("g0", real=True)])
    at_test = begin + sign * row * kernel.inverse * (eye(kernel.size) - kernel.decay()) * (targets - start)
    residual = at_test.diff(TIME) + SCALE * row * (path - targets)
    return (
        vanishes(f"$df(x)/dt + nu K(x, X)(f_t(X) - Y)$, $N = {kernel.size}$", residual),
        vanishes("$f_t(x) - f_0(x)$ at $t = 0$", at_start(at_test) - begin),
    )


# ---- Lemma 1: which kernels can be trained ------------------------------------------------------------


def trainable_iff() -> Verification:
    """HDR.L1.iff: a singular kernel trains what has no part in its null space."""
    return Verification(
        "|f_t(X) - Y| -> 0 if and only if K is non-singular, for f_0(X) != Y",
        (),
        Verification(
            "f_t(X) -> Y for given f_0 if and only if f_0 - Y has no part in the null space of K; for every f_0 (and "
            "for almost every f_0) if and only if K is non-singular",
            (_limit_identity(), *_random_limits()),
        ),
    )


def error_norm(second: Expr, along: Expr) -> Expr:
    """|f_t - Y| for K = diag(1, second), N = 2, f_0 - Y = (1, along)."""
    decay = diag(exp(-TIME / 2), exp(-second * TIME / 2))
    error = decay * Matrix([1, along])
    return sqrt(error.dot(error))


def _limit_identity() -> Check:
    """lim (f_t - Y) is the projection of f_0 - Y on the null space, for a 3 x 3 kernel with one zero eigenvalue."""
    a, b = symbols("a b", positive=True)
    kernel = ExactKernel.three(a, b, Integer(0))
    _, start, targets = exact_path(kernel)
    left = kernel.function(lambda value: limit(exp(-SCALE * value * TIME), TIME, oo)) * (start - targets)
    null = kernel.basis[:, 2]
    return vanishes("$lim (f_t - Y) - v v^T (f_0 - Y)$, $K v = 0$, 3 x 3", left - null * null.T * (start - targets))


def _random_limits() -> tuple[Check, ...]:
    """t = infinity for a singular and a regular 4 x 4 kernel, from random starts."""
    rng = np.random.default_rng(1)
    features = rng.normal(size=(4, 3))
    singular, regular = features @ features.T, features @ features.T + np.eye(4)
    null = np.linalg.eigh(singular)[1][:, :1]
    start = rng.normal(size=(4, DIRECTIONS))
    ends = flow(singular, np.zeros_like(start), np.inf, start=start)
    left = np.abs(ends - null @ (null.T @ start)).max()
    right = np.abs(flow(regular, np.zeros_like(start), np.inf, start=start)).max()
    least = np.abs(null.T @ ends).min()
    name = f"largest |lim (f_t - Y) - its part in the null space|, {DIRECTIONS} random starts"
    return (
        at_most(f"{name}, singular 4 x 4 kernel", left, 1e-12),
        at_most(f"{name}, regular 4 x 4 kernel", right, 1e-12),
        inequality("smallest $|lim (f_t - Y)|$ of these starts, singular kernel", least, "> 1e-9"),
    )


def lower_bound() -> Verification:
    """HDR.L1.lower: the constant of the proof, |(Z_0)_j|, is 0 for some starts."""
    return Verification(
        "K singular: |f_t(X) - Y| >= C > 0 for all t, for every f_0(X) != Y",
        (),
        Verification(
            "|f_t(X) - Y| >= |P (f_0 - Y)| for all t, with equality in the limit; P projects on the null space of K",
            (_projection_bound(), _limit_identity()),
        ),
    )


def _projection_bound() -> Check:
    """|f_t - Y|^2 - |P (f_0 - Y)|^2 is a sum of squares e^(-2 nu lambda t) z^2 in the eigenbasis."""
    a, b = symbols("a b", positive=True)
    kernel = ExactKernel.three(a, b, Integer(0))
    path, start, targets = exact_path(kernel)
    modes = kernel.basis.T * (start - targets)
    squares = sum(exp(-2 * SCALE * value * TIME) * modes[i] ** 2 for i, value in enumerate((a, b)))
    rest = (path - targets).dot(path - targets) - modes[2] ** 2 - squares
    return vanishes("$|f_t - Y|^2 - |P(f_0 - Y)|^2$ minus a sum of two squares, 3 x 3", Matrix([rest]))


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
