"""Decisions on the correlation map of any activation: HDR Appendix B.1, bullets 6 to 9, Definition 1, and XPS' f'(1).

f has a power series with coefficients a_k^2 >= 0 in the Hermite basis, f^(n)(c) = (sigma_w^2/q) sum k!/(k-n)! a_k^2
c^(k-n).  So f^(n) > 0 on (0, 1) for every phi that is no polynomial of a degree below n, but on (-1, 0) the odd and
the even k pull in different directions: for an odd phi, f is odd and concave there.
"""


import mpmath
from mpmath import mp
from sympy import Rational, Symbol, diff, exp, factorial, integrate, log, oo, pi, simplify, sqrt

from asympt.architectures import FeedForward
from asympt.claims.figures import CHECK_DIGITS, number
from asympt.claims.forms import identity, inequality, same, small, vanishes
from asympt.claims.scopes import on_edge
from asympt.evidence.check import Check, Verification
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import square_moments
from asympt.gaussian.quadrature.brute_force import gaussian_expectation
from asympt.meanfield.activations import activation
from asympt.meanfield.variance import VarianceMap
from asympt.numbers import to_mpf

QUADRATURE = 12


def definition() -> Verification:
    """HDR.B1.fgen: f as the toolkit evaluates it against the double integral of the definition, and f(1) = 1."""
    checks = []
    places = {"tanh": Rational(2, 7), "elu": Rational(-7, 9), "erf": Rational(9, 10)}
    for name, c in places.items():
        net = on_edge(name)
        found, integral = net.correlation_map(c, QUADRATURE), _by_quadrature(net, c)
        checks.append(small(f"{name}: |f - its definition| at $c = {c}$", abs(found - integral), QUADRATURE))
        checks.append(_fixed(net))
    return Verification("f(x) = (sigma_b^2 + sigma_w^2 E[phi phi])/q and f(1) = 1", (*_pair(), *checks))


def _pair() -> tuple[Check, ...]:
    """x Z_1 + sqrt(1 - x^2) Z_2 has variance 1 and covariance x with Z_1: true for every phi."""
    x, one, two = Symbol("x", real=True), Symbol("Z_1"), Symbol("Z_2")
    z = x * one + sqrt(1 - x**2) * two
    means = {one**2: 1, two**2: 1, one * two: 0}
    return (
        identity("variance of $x Z_1 + sqrt(1 - x^2) Z_2$ minus 1", (z**2).expand().subs(means).expand() - 1),
        identity("its covariance with $Z_1$ minus $x$", (z * one).expand().subs(means) - x),
    )


def _by_quadrature(net: FeedForward, c: Rational):
    with mp.workdps(QUADRATURE + 10):
        root, phi = mp.sqrt(to_mpf(net.variance)), net.activation.numeric
        integral = gaussian_expectation(lambda z: phi(root * z), to_mpf(c), QUADRATURE)
        weight, bias = to_mpf(net.layer.weight_variance), to_mpf(net.layer.bias_variance)
        return (bias + weight * integral) / to_mpf(net.variance)


def _fixed(net: FeedForward) -> Check:
    """f(1) = V(q)/q."""
    image = VarianceMap(net.activation, number(net.layer.weight_variance, 30), number(net.layer.bias_variance, 30))
    with mp.workdps(30):
        q = to_mpf(net.variance)
        figure = abs(image(q, CHECK_DIGITS) / q - 1)
    return small(f"{net.activation.name}: $|f(1) - 1| = |V(q)/q - 1|$", figure, CHECK_DIGITS - 2)


# ---- the slope at 1 -------------------------------------------------------------------------------


def slope_at_one() -> Verification:
    """HDR.B1.slope: sigma_w^2 E[phi'^2] = 1, and the difference quotient of f at 1 is that number."""
    checks = []
    for name in ("relu", "tanh", "silu", "elu"):
        net = on_edge(name)
        checks += [
            small(f"{name}: $|sigma_w^2 E[phi'(sqrt(q) Z)^2] - 1|$", abs(_chi(net) - 1), CHECK_DIGITS - 2),
            _quotient(net, mpmath.mpf(1)),
        ]
    return Verification("on the Edge of Chaos f'(1) = sigma_w^2 E[phi'(sqrt(q) Z)^2] = 1", tuple(checks))


def _chi(net: FeedForward):
    """sigma_w^2 M_1(q), from the moment, not from the definition of the point."""
    with mp.workdps(CHECK_DIGITS + 10):
        q = mp.one if net.layer.is_scale_free else to_mpf(net.variance)
        moment = square_moments(net.activation.piecewise, 2, q, CHECK_DIGITS + 5)[1]
        return to_mpf(net.layer.weight_variance) * moment


def _quotient(net: FeedForward, expected) -> Check:
    """(1 - f(1 - gamma))/gamma at gamma = 10^-20: f'(1) up to f''(1) gamma/2, or up to sqrt(gamma) with a kink."""
    with mp.workdps(CHECK_DIGITS):
        gap = mpmath.mpf(10) ** -20
        figure = abs(net.correlation_map.gap(gap) / gap - expected)
    return small(f"{net.activation.name}: $|(1 - f(1 - g))/g - f'(1)|$ at $g = 1e-20$", figure, 9)


def slope_identity() -> Verification:
    """XPS.f1: the same in the ordered and in the chaotic phase, and f'(c) itself against a difference quotient."""
    from asympt.claims.hdr.off_edge.mean_field import chaotic, ordered

    checks = []
    for net in (ordered(), chaotic()):
        checks += [_fixed(net), _quotient(net, _chi(net)), _inner_slope(net)]
    return Verification("f(1) = 1, f'(1) = sigma_w^2 E[phi'^2], f'(c) = sigma_w^2 E[phi'(U) phi'(V)]", tuple(checks))


def _inner_slope(net: FeedForward) -> Check:
    """f'(c) against the symmetric difference quotient of f at c = 1/3."""
    with mp.workdps(CHECK_DIGITS + 10):
        gap, step = mpmath.mpf(2) / 3, mpmath.mpf(10) ** -8
        f = net.correlation_map
        quotient = (f.gap(gap + step) - f.gap(gap - step)) / (2 * step)
        figure = abs(quotient - f.gap_slope(gap))
    return small(f"{net.activation.name}, {net.phase}: |difference quotient - f'| at $c = 1/3$", figure, 14)


# ---- convexity and derivatives ----------------------------------------------------------------------


def convex() -> Verification:
    """HDR.B1.convex: on [0, 1] by the Hermite expansion."""
    corrected = Verification("f is strictly convex on [0, 1] for every phi that is not affine", _by_hermite())
    return Verification("f is strictly convex on [-1, 1] for every non-linear phi", (), corrected)


def _by_hermite() -> tuple[Check, ...]:
    """E[h_j(U) h_k(V)] = delta_jk k! c^k by generating functions, so f = sum a_k c^k with a_k >= 0.

    phi in L^2 is not affine exactly when a coefficient of degree 2 or more is not 0.
    """
    s, t, c, power = Symbol("s"), Symbol("t"), Symbol("c", positive=True), Symbol("k", integer=True, positive=True)
    u = Symbol("u", real=True)
    mean = exp((s**2 + 2 * s * t * c + t**2) / 2 - s**2 / 2 - t**2 / 2)  # E e^(sU + tV) e^(-s^2/2 - t^2/2)
    moment = integrate(exp(s * u - u**2 / 2) / sqrt(2 * pi), (u, -oo, oo))
    term = Symbol("a_k", positive=True) * c**power
    curvature = simplify(diff(term, c, 2) * c ** (2 - power) / Symbol("a_k", positive=True))
    series = exp(s * t * c).series(t, 0, 6).removeO()
    mixed = [series.coeff(t, k) - (s * c) ** k / factorial(k) for k in range(6)]
    return (
        vanishes("$E e^(s U)$ minus $e^(s^2/2)$", moment - exp(s**2 / 2)),
        vanishes("mean of the product of the generating functions minus $e^(s t c)$",
                 log(mean).expand(force=True) - s * t * c, "only s^k t^k appear: E[h_j(U) h_k(V)] = 0 for j != k"),
        vanishes("coefficients of $t^k$ minus $(s c)^k/k!$, $k < 6$", mixed, "E[h_k(U) h_k(V)] = k! c^k"),
        vanishes("$(a_k c^k)'' c^(2-k)/a_k$ minus $k (k - 1)$", curvature - power * (power - 1),
                 "positive for k >= 2 and 0 < c < 1, and every a_k >= 0 as a square"),
    )  # fmt: skip


def derivatives() -> Verification:
    """HDR.B1.deriv: with phi^(j) at sqrt(q) Z, tanh."""
    net, place = on_edge("tanh"), Rational(1, 3)
    f, right = net.correlation_map, []
    for order in (1, 2):
        found = f.slope(place, CHECK_DIGITS) if order == 1 else f.derivative(place, order, CHECK_DIGITS)
        name = f"tanh, $q = 0.5120...$: |f^({order})(1/3) - formula|, $j = {order}$, arguments $sqrt(q) Z$"
        right.append(small(name, abs(found - _derivative_formula(net, order, place)), QUADRATURE))
    right += _positive_at_one(net)
    return Verification(
        "f^(j)(x) = sigma_w^2 q^(j-1) E[phi^(j)(Z_1) phi^(j)(Z(x))]",
        (),
        Verification("f^(j)(x) = sigma_w^2 q^(j-1) E[phi^(j)(sqrt(q) Z_1) phi^(j)(sqrt(q) Z(x))]", tuple(right)),
    )


def _derivative_formula(net: FeedForward, order: int, place: Rational):
    """sigma_w^2 q^(j-1) E[phi^(j) phi^(j)] at c = `place`, from the Hermite coefficients of phi^(j) itself."""
    with mp.workdps(CHECK_DIGITS):
        q = to_mpf(net.variance)
        moment = kernel_of(net.activation.piecewise.derivative(order)).value(q, q, to_mpf(place))
        return to_mpf(net.layer.weight_variance) * q ** (order - 1) * moment


def _positive_at_one(net: FeedForward) -> list[Check]:
    """f^(j)(1) = sigma_w^2 q^(j-1) M_j > 0."""
    with mp.workdps(CHECK_DIGITS):
        q = to_mpf(net.variance)
        moments = square_moments(net.activation.piecewise, 5, q, 15)
    least = min(moments[1:])
    return [inequality("smallest $E[phi^(j)(sqrt(q) Z)^2]$, $j = 1..4$", least, "> 0")]


# ---- class S ----------------------------------------------------------------------------------------


def class_s() -> Verification:
    """HDR.D1.classS: the class that all three are in."""
    corrected = tuple(
        same(f"{name}: $phi(0) = 0$, $phi$ in $C^1$, $phi''$ piecewise smooth", activation(name).in_class_s, True)
        for name in ("tanh", "silu", "elu")
    )
    return Verification(
        "tanh, ELU and SiLU are twice differentiable with phi(0) = 0, so in class S",
        (),
        Verification("with 'phi in C^1 and phi'' piecewise smooth' all three are in class S", corrected),
    )
