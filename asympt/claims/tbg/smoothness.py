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
    """TBG.mu for f in H: any number of training points and of further centres, in letters that do not commute.

    The kernel matrix is [[A, B'], [B, D]], the coefficients are c on the training points and e on the other centres;
    a letter with a prime is a transpose.  A is invertible and the whole matrix positive definite.
    """
    a, inverse, b, bt, d, c, ct, e, et = symbols("A Ai B B' D c c' e e'", commutative=False)
    scale = Symbol("s", positive=True)

    def squares(c, ct, e, et):
        """|f|^2 and |f_Gauss|^2 = t' A^-1 t with t = A c + B' e."""
        norm = ct * a * c + ct * bt * e + et * b * c + et * d * e
        least = (ct * a + et * b) * inverse * (a * c + bt * e)
        return norm.expand(), _reduced(least, a, inverse)

    norm, least = squares(c, ct, e, et)
    schur = d - b * inverse * bt
    up, upt = -inverse * bt * e, -et * b * inverse  # the coefficients that make the whole form the Schur complement's
    whole = _reduced(upt * a * up + upt * bt * e + et * b * up + et * d * e, a, inverse)
    both = squares(scale * c, scale * ct, scale * e, scale * et)
    checks = (
        vanishes("$|f|^2 - |f_Gauss|^2$ minus $e' (D - B A^-1 B') e$", (norm - least - et * schur * e).expand(),
                 "0 when f has no centre outside the training set"),
        vanishes("$e' (D - B A^-1 B') e$ minus the whole form at $(-A^-1 B' e, e)$", (whole - et * schur * e).expand(),
                 "positive for e != 0, so mu <= 1 with equality for f = f_Gauss alone"),
        vanishes("$|s f|^2 - s^2 |f|^2$ and the same of $f_Gauss$",
                 [(new - scale**2 * old).expand() for new, old in zip(both, (norm, least), strict=True)],
                 "f_Gauss depends on the data alone, so mu decreases with |f|; and mu(s f) = mu(f)"),
    )  # fmt: skip
    return Verification("0 < mu <= 1 for f in H, mu decreases with |f|, mu(s f) = mu(f)", checks)


def _reduced(form: Expr, matrix: Expr, inverse: Expr) -> Expr:
    """With A A^-1 = A^-1 A = 1."""
    return form.expand().subs(inverse * matrix, 1).subs(matrix * inverse, 1).expand()


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
