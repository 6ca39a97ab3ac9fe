"""Decisions on TBG's closed forms and on their measure of smoothness mu(f) = |f_Gauss|/|f|.

mu is defined for f in the Hilbert space H of the Gaussian kernel.  What it says of network fits: `fits`.
"""

from sympy import (
    Expr,
    I,
    Matrix,
    Rational,
    Symbol,
    acos,
    asin,
    conjugate,
    cos,
    det,
    diff,
    exp,
    eye,
    integrate,
    oo,
    pi,
    simplify,
    sin,
    sqrt,
    symbols,
)

from asympt.claims.forms import vanishes
from asympt.claims.pdlt.training.prediction import symmetric, vector
from asympt.evidence.check import Verification

A, B, C = symbols("a b c", positive=True)  # the entries a, b of the diagonal and c off it


# ---- closed forms ---------------------------------------------------------------------------------------


def closed_forms() -> Verification:
    """TBG.T.relu, by Price's theorem: dT/dc is E[phi' phi'], and the second derivative for ReLU the density at 0."""
    theta = acos(C / sqrt(A * B))
    relu = sqrt(A * B) / (2 * pi) * (sin(theta) + (pi - theta) * cos(theta))
    slope, density = (pi - theta) / (2 * pi), 1 / (2 * pi * sqrt(A * B - C**2))
    first, second = (z / (2 * pi) ** Rational(1, 2) for z in (sqrt(A), sqrt(B)))  # E relu(z) = sqrt(a/(2 pi))
    erf = 2 / pi * asin(2 * C / sqrt((1 + 2 * A) * (1 + 2 * B)))
    sigma = Matrix([[A, C], [C, B]])
    erf_slope = 4 / pi / sqrt(det(eye(2) + 2 * sigma))
    x = Symbol("x", real=True)
    gauss = integrate(exp(-(x**2)) * exp(-(x**2) / (2 * A)) / sqrt(2 * pi * A), (x, -oo, oo))
    apart = (4 / pi * gauss * gauss.subs(A, B)) ** 2
    checks = (
        vanishes("ReLU: $dT/dc$ minus $T-dot = (pi - theta)/(2 pi)$", diff(relu, C) - slope),
        vanishes("ReLU: $dT-dot/dc$ minus the density of $(z_1, z_2)$ at 0", diff(slope, C) - density),
        vanishes("ReLU: $T$ at $c = 0$ minus $E relu(z_1) E relu(z_2)$", relu.subs(C, 0) - first * second),
        vanishes("ReLU: $T-dot$ at $c = 0$ minus $P(z_1 > 0) P(z_2 > 0)$", slope.subs(C, 0) - Rational(1, 4)),
        vanishes("erf: $dT/dc$ minus $T-dot = (4/pi)/sqrt(det(1 + 2 Sigma))$", diff(erf, C) - erf_slope),
        vanishes("erf: $T$ at $c = 0$, where the odd function has mean 0", erf.subs(C, 0)),
        vanishes(
            "erf: $T-dot^2$ at $c = 0$ minus $((4/pi) E e^(-z_1^2) E e^(-z_2^2))^2$", erf_slope.subs(C, 0) ** 2 - apart
        ),
    )  # fmt: skip
    return Verification("T and T-dot in closed form for ReLU and erf", checks)


# ---- the measure --------------------------------------------------------------------------------------------


def measure() -> Verification:
    """TBG.mu for f in H: two training points, two more centres, a kernel of symbols."""
    whole, weights, scale = symmetric("K", 4), vector("c", 4), Symbol("s", positive=True)
    inner, outer, rest = whole[:2, :2], whole[2:, :2], whole[2:, 2:]
    targets = whole[:2, :] * weights
    norm = (weights.T * whole * weights)[0]
    least = (targets.T * inner.inv() * targets)[0]
    schur = (weights[2:, :].T * (rest - outer * inner.inv() * outer.T) * weights[2:, :])[0]
    factor = Matrix(4, 4, lambda i, j: Symbol(f"L_{i}{j}", positive=(i == j) or None, real=True) if j <= i else 0)
    gram = factor * factor.T  # Cholesky: every positive definite kernel matrix
    complement = gram[2:, 2:] - gram[2:, :2] * gram[:2, :2].inv() * gram[:2, 2:]
    scaled = {c: scale * c for c in weights}
    checks = (
        vanishes("$|f|^2 - |f_Gauss|^2$ minus c.(Schur complement).c", norm - least - schur,
                 "0 when f has no centre outside the training set"),
        vanishes(
            "Schur complement of $K = L L^T$ minus $L_22 L_22^T$", complement - factor[2:, 2:] * factor[2:, 2:].T,
            "so it is positive definite, and mu <= 1 with equality for f = f_Gauss alone"
        ),
        vanishes("$mu^2$ of $s f$ minus $mu^2$ of $f$", (least / norm).subs(scaled, simultaneous=True) - least / norm),
    )  # fmt: skip
    return Verification("0 < mu <= 1 for f in H, mu decreases with |f|, mu(s f) = mu(f)", checks)


def fourier_norm() -> Verification:
    """TBG.rkhs: the square of the norm and (2 pi)^-d, F f(w) = int f(x) e^(-i w x) dx.

    f = sum a_i K(., x_i).  The slides' 2 phi is read as 2 pi.
    """
    w, width, centre = Symbol("w", real=True), Symbol("h", positive=True), Symbol("u", real=True)
    spectrum = sqrt(2 * pi) * width * exp(-(width**2) * w**2 / 2)
    x = Symbol("x", real=True)
    found = integrate(exp(-(x**2) / (2 * width**2) - I * w * x), (x, -oo, oo))
    one, two = symbols("a_1 a_2", real=True)
    transform = one + two * exp(-I * w * centre)  # F f/F K, centres 0 and u
    density = (transform * conjugate(transform) * spectrum).expand()  # |F f|^2/F K, F K being real
    integral = sum(integrate(term, (w, -oo, oo)) for term in density.args)
    exact = one**2 + two**2 + 2 * one * two * exp(-(centre**2) / (2 * width**2))
    plane = integrate(spectrum, (w, -oo, oo)) ** 2  # d = 2, f = K(., x_0): int F K dw, a product
    return Verification(
        "|f| = (2 pi)^(-1/d) int |F f|^2/F K dw",
        (
            vanishes("printed minus $|f|$ for $f = 2 K(., x_0)$, $d = 1$", _single(integral, one, two) / (2 * pi) - 2),
            vanishes("printed minus $|f|$ for $f = K(., x_0)$, $d = 2$", plane / sqrt(2 * pi) - 1),
        ),
        Verification(
            "|f|^2 = (2 pi)^-d int |F f|^2/F K dw",
            (
                vanishes("$F K$ minus $sqrt(2 pi) h e^(-h^2 w^2/2)$", found - spectrum),
                vanishes("$(2 pi)^-1 int |F f|^2/F K$ dw minus $a.K a$, two centres, $d = 1$",
                         simplify(integral / (2 * pi) - exact)),
                vanishes("$(2 pi)^-2 int F K$ dw minus 1, $d = 2$", plane / (2 * pi) ** 2 - 1),
            ),
        ),
    )  # fmt: skip


def _single(integral: Expr, one: Symbol, two: Symbol) -> Expr:
    return simplify(integral.subs({one: 2, two: 0}))
