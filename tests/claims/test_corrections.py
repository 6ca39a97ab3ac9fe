"""What the ledger says in place of what is printed, in numbers that no code of the toolkit has made.

Plain iteration of the layer recursions in floats or mpmath, quadrature, exact fractions, random matrices: each
correction in a setting other than the one that the claim is decided in."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import asin, cos, mp, mpf, pi
from scipy.integrate import quad
from sympy import Rational, diff, sqrt

from asympt.architectures.convolution.network import ConvNet, ConvResNet
from asympt.claims.scopes import on_edge
from asympt.claims.stated.equalities import put
from asympt.claims.stated.hdr.laws import variance_slope
from asympt.claims.stated.hdr.maps import Z_1, Z_2, X, mean
from asympt.claims.stated.hdr.steps import scaled_orbit
from asympt.claims.stated.hdr.training import DECAY, LOGS, SOURCE, lemma5, lemma6
from asympt.claims.stated.pdlt.depth import expectations
from asympt.depth.convolution import conv_pairs
from asympt.expansions import Monomial
from asympt.gaussian.kernel import Kernel
from asympt.meanfield.activations import activation
from asympt.recursions.linear_recurrence.solution import LAYER, layered_solution


def plain_orbit(depth):
    """(gap, k) of ReLU from c^1 = 1/10 by HDR Lemma 2, in c itself, with 60 digits: no code of the toolkit."""
    with mp.workdps(60):
        c = k = mpmath.mpf(1) / 10
        for _ in range(depth - 1):
            slope = mp.asin(c) / mp.pi + mpmath.mpf(1) / 2
            c = (c * mp.asin(c) + mp.sqrt(1 - c * c)) / mp.pi + c / 2
            k = slope * k + c
        return 1 - c, k


def test_the_growth_that_refutes_the_rate_is_real():
    """L (K/(qL) - 1/4) gains (3/8) log 4 = 0.52 from layer 2000 to 8000, up to terms of size 25/L."""
    values = [float(plain_orbit(depth)[1]) - depth / 4 for depth in (2000, 8000)]
    assert values[1] - values[0] == pytest.approx(0.375 * math.log(4), abs=0.0125)


def by_recursion(x, y, slope, depth):
    """K^L(x, y)/L for phi(z) = max(z, slope z) by HDR Lemma 2 in floats: the arc-cosine map, no code of the toolkit."""
    weight = 2 / (1 + slope**2)
    q, p, s = (weight * (u @ v) / len(x) for u, v in ((x, x), (y, y), (x, y)))
    kernel = s
    for _ in range(depth - 1):
        c = min(1.0, max(-1.0, s / math.sqrt(q * p)))
        share, angle = (1 - slope) ** 2 / (1 + slope**2), math.acos(c)
        s = math.sqrt(q * p) * (c + share / math.pi * (math.sin(angle) - angle * c))
        kernel = (1 - share / math.pi * angle) * kernel + s
    return kernel / depth


@pytest.mark.parametrize("slope", [0.0, -0.5, 0.25])
def test_the_limit_and_its_matrix_for_multiples_and_for_others(slope):
    """x and 2x keep K/L = q; others tend to q/4 (f(c) > c); the matrix of x, 2x is singular, that of x, 3y is not."""
    x, y = np.array([1.0, 2.0, 2.0]), np.array([2.0, -1.0, 1.0])
    q = 2 / (1 + slope**2) / 3

    def matrix(*points):
        return np.array([[by_recursion(u, v, slope, 4000) for u in points] for v in points])

    multiples, others = matrix(x, 2 * x), matrix(x, 3 * y)
    np.testing.assert_allclose(multiples, q * 9 * np.array([[1, 2], [2, 4]]), rtol=1e-7)
    assert others[0, 1] == pytest.approx(q * 9 * math.sqrt(6) / 4, rel=0.03)
    assert abs(np.linalg.det(multiples)) < 1e-5 < np.linalg.det(others) / np.diag(others).prod()


def test_the_absolute_value_does_not_tell_opposite_inputs_apart():
    """f(-1) = 1 for |z|: K^L(x, -x) = q (L - 2), as K^1 = -q is turned, so the limit is q and not q/4."""
    x = np.array([1.0, 1.0])
    assert by_recursion(x, -x, -1.0, 1000) * 1000 == pytest.approx(1000, abs=1e-6)


def moment(derivative, q):
    """E[g(sqrt(q) Z)^2] by SciPy."""
    return quad(lambda z: np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * derivative(np.sqrt(q) * z) ** 2, -12, 12)[0]


def by_quadrature(phi, slope, weight, bias, q, c, depths):
    """{L: K^L/(qL)} of two inputs with q^1 = q and correlation c, by HDR Lemma 2 on a grid of Gauss and Hermite."""
    z, w = np.polynomial.hermite_e.hermegauss(80)
    w = w / w.sum()
    first, second = z[:, None], z[None, :]
    variance, covariance = q, c * q
    kernel, found = covariance, {}
    for layer in range(1, max(depths) + 1):
        if layer in depths:
            found[layer] = kernel / layer
        rho = covariance / variance
        u, v = np.sqrt(variance) * first, np.sqrt(variance) * (rho * first + np.sqrt(max(0, 1 - rho**2)) * second)
        covariance, steep = (weight * float(w @ (g(u) * g(v)) @ w) for g in (phi, slope))
        covariance += bias
        kernel = steep * kernel + covariance
        variance = bias + weight * float(w @ phi(np.sqrt(variance) * z) ** 2)
    return found


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_silu_comes_to_a_third_from_its_fixed_point_alone():
    """sigma_b = 1/5, two inputs at a right angle with q^1 = 9/10 q: K^L/(qL) = .0157, .0078, .0039, not 1/3."""
    net = on_edge("silu")
    q, weight = float(net.variance.evalf(20)), float(net.layer.weight_variance.evalf(20))
    silu = (lambda x: x * sigmoid(x), lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))))
    found = by_quadrature(*silu, weight, 0.04, 0.9 * q, 0.04 / (0.9 * q), (100, 200, 400))
    assert [found[d] / q for d in (100, 200, 400)] == pytest.approx([0.0157, 0.0078, 0.0039], abs=1e-4)


def test_tanh_comes_to_a_third_from_other_norms():
    """sigma_b = 1/5, q^1 = q/2, c^1 = 1/10: V'(q) < 1, so K/(qL) is that of q^1 = q up to a constant over L."""
    net = on_edge("tanh")
    q, weight = float(net.variance.evalf(20)), float(net.layer.weight_variance.evalf(20))
    tanh = (np.tanh, lambda x: 1 - np.tanh(x) ** 2)
    moved, still = (by_quadrature(*tanh, weight, 0.04, s * q, 0.1, (50, 100, 200)) for s in (0.5, 1))
    gaps = [abs(moved[d] - still[d]) / q * d for d in (50, 100, 200)]
    assert max(gaps) < 0.6 and abs(gaps[2] - gaps[1]) < 0.02 and abs(still[200] / q - 1 / 3) < 0.03


def test_a_cubic_leaves_its_variance_at_every_point_of_its_edge():
    """z + z^3 at q = 1: chi = 34 sigma_w^2 = 1 and V' = 58/34, by moments of the normal law."""
    assert moment(lambda x: 1 + 3 * x**2, 1.0) == pytest.approx(34)
    step = 1e-5
    slope = (moment(lambda x: x + x**3, 1 + step) - moment(lambda x: x + x**3, 1 - step)) / (2 * step) / 34
    assert slope == pytest.approx(58 / 34, rel=1e-6)


@pytest.mark.parametrize("name", ["silu", "gelu"])
def test_the_variance_of_silu_and_gelu_leaves_its_fixed_point(name):
    assert variance_slope(on_edge(name)) > 1.09


@pytest.mark.parametrize(("name", "monomial", "value"), [
    ("tanh", (1, 1), -1.3300835), ("silu", (1, 1), 0.1865849), ("gelu", (1, 1), 0.0866617),
    ("elu", (Rational(1, 2), 0), -0.4034217),
])  # fmt: skip
def test_the_terms_that_move_by_quadrature(name, monomial, value):
    """1/3 - (2/9) M_1 M_3/M_2^2 at log(L)/L, M_j = E[phi^(j)(sqrt(q) Z)^2]; ELU: e_5/(5 e_4^(3/2)) by its jump.

    By SciPy's quadrature at the points of the Edge of Chaos with sigma_b = 1/5, apart from the toolkit.
    """
    law = on_edge(name).ntk_law(3)
    assert float(law.expansion.coefficients[Monomial(*monomial)].evalf(15)) == pytest.approx(value, abs=1e-6)


def plain(alpha, kappa, q, layers):
    """a_l for lambda_l = 1 - alpha/l + kappa log(l)/l^2, b_l = q, a_1 = 1, with 40 digits: no code of the toolkit."""
    with mp.workdps(40):
        a = mpmath.mpf(1)
        for layer in range(2, layers + 1):
            a = (1 - mpmath.mpf(alpha) / layer + kappa * mp.log(layer) / layer**2) * a + q
        return a


def test_lemma_6_is_refuted_by_an_admissible_sequence():
    """alpha = q = beta = 1, kappa = -1: lambda_l and b_l are not negative, and a_l/l - 1/2 is not positive."""
    assert all(1 - 1 / layer - float(mpmath.log(layer)) / layer**2 >= 0 for layer in range(1, 1000))
    figures = [(plain(1, -1, 1, layers) / layers - 0.5) * layers / mp.log(layers) for layers in (500, 2000)]
    assert figures[1] < figures[0] < -0.2  # on the way to -1/2


def test_lemma_6_without_a_log_by_exact_fractions():
    """kappa = 0: a_l = (l + 1)/2 exactly, so l (a_l/l - 1/2) = 1/2 has no log."""
    a = Fraction(1)
    for layer in range(2, 60):
        a = (1 - Fraction(1, layer)) * a + 1
        assert a == Fraction(layer + 1, 2)


@pytest.mark.parametrize(("alpha", "kappa", "q"), [(1, -1, 1), (2, 3, 2)])
def test_the_coefficient_of_the_log_in_lemma_6(alpha, kappa, q):
    """a_l - q l/(1+alpha) grows by kappa q/(alpha(1+alpha)) log 4 from layer 4000 to 16000, up to log(l)^3/l."""
    ends = [plain(alpha, kappa, q, layers) - mpmath.mpf(q) * layers / (1 + alpha) for layers in (4000, 16000)]
    exact = lemma6().particular.coefficient(0, 1)
    values = {DECAY: alpha, LOGS: kappa, SOURCE: q}
    assert float((ends[1] - ends[0]) / mp.log(4)) == pytest.approx(float(exact.subs(values)), abs=0.06)


def test_for_which_alpha_the_lemmas_hold():
    """alpha > 0, whole or not; at 0 one log more, between -1 and 0 the free part is larger than the next term."""
    assert lemma5().generic == lemma6().generic == ()
    at_zero = layered_solution(1 + 3 / LAYER**2, 5, terms=2)
    assert at_zero.resonances == (0,)
    assert at_zero.particular.coefficient(0, 1) == 15  # q c log l instead of a constant: T[log l] = 1/l + ...
    half = layered_solution(1 + Rational(1, 2) / LAYER + 3 / LAYER**2, 5, terms=2)
    assert half.exponent == Rational(1, 2) > 0


def test_the_gap_of_the_ntk_is_an_instance_of_lemma_6():
    """ReLU: lambda = 1 - 3/l + (9/2) log(l)/l^2 + ..., q = 1: kappa q/(alpha(1+alpha)) = 3/8, as in the NTK's law."""
    values = {DECAY: 3, LOGS: Rational(9, 2), SOURCE: 1}
    assert lemma6().particular.coefficient(0, 1).subs(values) == Rational(3, 8)


def test_the_bound_of_lemma_4_by_iteration():
    """alpha = 9/10, beta = 1/3, k = 2, a_0 = 1: the largest sequence meets the right bound, passes the printed one."""
    alpha, beta, k, a = 0.9, 1 / 3, 2.0, [1.0]
    for layer in range(6):
        a.append(alpha * a[-1] + k * np.exp(-beta * layer))

    def bound(layer, shift):
        return alpha**layer + k * sum(alpha**j * np.exp(-beta * (layer - shift - j)) for j in range(layer))

    assert all(a[n] == pytest.approx(bound(n, 1), rel=1e-13) and a[n] > bound(n, 0) for n in range(1, 7))


def test_the_limit_of_lemma_6_for_another_remainder():
    """lambda_l = 1 - 2/l + 1/l^(3/2), b_l = 3 + 1/l: a_l/l -> 1, though no remainder of Lemma 5 or 6 is met."""
    a, ends = 1.0, []
    for layer in range(2, 200_001):
        a = max(0.0, 1 - 2 / layer + layer**-1.5) * a + 3 + 1 / layer
        if layer in (2000, 200_000):
            ends.append(abs(a / layer - 1))
    assert ends[1] < 0.01 and ends[1] < ends[0] / 5


def test_the_remainder_of_the_gap_map_at_another_width():
    """sigma_w^2 = 6, share 3/4: the remainder falls by 2^(7/2), not 2^(7/5), when gamma is halved."""

    def rest(gap):
        c, s, kappa = 1 - gap, 2 * mp.sqrt(2) / (3 * pi), mp.sqrt(2) / (30 * pi)
        lost = (c * asin(c) + mp.sqrt(1 - c * c)) / pi + c / 2 - c
        return lost - s * gap ** mpf("1.5") - kappa * gap ** mpf("2.5")

    with mp.workdps(40):
        ratio = mpf(3) / 4 * rest(mpf(10) ** -6) / (mpf(3) / 4 * rest(mpf(10) ** -6 / 2))
        assert abs(ratio - 2 ** mpf("3.5")) < 1e-4


def test_a_random_matrix_of_five():
    """The margin of XPS is off by whole units, the right formula by rounding: no code of the toolkit."""
    random = np.random.default_rng(0)
    a, u, v = random.standard_normal((5, 5)), *random.standard_normal((2, 5, 1))
    whole, inverse = np.linalg.inv(a + u @ v.T), np.linalg.inv(a)
    change = inverse @ u @ v.T @ inverse / (1 + (v.T @ inverse @ u))
    assert np.abs(whole - (inverse - change)).max() < 1e-10 < 1 < np.abs(whole - (inverse + change)).max()


# ---- HDR off the Edge of Chaos, convolutions, training ------------------------------------------------


def test_what_a_chaotic_pair_must_not_be():
    """sin, no bias, q = 2: f(c) = sinh(2c)/sinh(2) keeps c = -1, and draws |c| < 1 to 0 with the factor f'(0).

    phi = z^2 - 1, no bias, has f(c) = c^2: c* = 0 and f'(0) = 0, so that c^l = c^(2^(l-1)) is not a power of a rate.
    """
    c = -1.0
    for _ in range(50):
        c = np.sinh(2 * c) / np.sinh(2)
    assert c == -1
    c, k = -0.5, -0.5
    for _ in range(60):
        c, k, last = np.sinh(2 * c) / np.sinh(2), 2 * np.cosh(2 * c) / np.sinh(2) * k + np.sinh(2 * c) / np.sinh(2), c
    assert c / last == pytest.approx(2 / np.sinh(2), rel=1e-6) and abs(k) < 1e-9
    assert 0.5 ** 2**6 < 1e-9 * 0.5 ** 2**5  # no rate keeps up with the sixth step of c^2


def test_relu_without_bias_has_no_positive_limit():
    """sigma_w^2 = 1: K^L(x, x) = L 2^(1-L) q, so lambda = 0 in the ordered phase."""
    variance = kernel = 1.0
    for layer in range(2, 60):
        variance, kernel = variance / 2, kernel / 2 + variance / 2
        assert kernel == pytest.approx(layer * 2.0 ** (1 - layer), rel=1e-12)


def test_the_derivative_kernel_of_a_finite_network():
    """K^2(x, x) of ReLU, sigma_w^2 = 2, q^1 = 1: 2, by the squared gradients of 32 networks of width 2048."""
    random, found = np.random.default_rng(0), []
    for _ in range(32):
        y, w = random.standard_normal((2, 2048))
        found.append(2 * np.mean(np.maximum(y, 0) ** 2 + (w * (y > 0)) ** 2))
    error = np.std(found, ddof=1) / np.sqrt(32)
    assert abs(np.mean(found) - 2) < 4 * error < 0.1


def test_the_eigenspace_of_the_largest_eigenvalue():
    """N = 5, k = 1: all pairs of positions have one vector for every offset, a single circle one."""
    circle = sum(np.roll(np.eye(5), b, axis=0) for b in (-1, 0, 1))
    pairs = sum(np.kron(np.roll(np.eye(5), b, axis=0), np.roll(np.eye(5), b, axis=0)) for b in (-1, 0, 1))
    assert [np.sum(np.abs(np.linalg.eigvalsh(m) - 3) < 1e-12) for m in (pairs, circle)] == [5, 1]
    circles = [sum(np.roll(np.eye(n), b, axis=0) for b in (-1, 0, 1)) for n in (3, 6, 5)]
    assert [round(abs(np.linalg.det(circle))) for circle in circles] == [0, 0, 3]


def test_a_translate_keeps_its_correlation():
    """Chaotic: along the offset of the translation all gaps are 0, and stay 0."""
    gap, _ = conv_pairs(ConvNet("relu", 4, 1), np.zeros(4), 500)
    assert not gap.any()


def test_constants_by_a_plain_loop():
    """l^2 (1 - c) -> 9 pi^2/2 and K/(qL) -> 1/4 for ReLU: ten thousand layers of the averaged arccosine map."""
    c = np.array([0.1, 0.5, 0.0, -0.5])
    kernel = c.copy()
    for _ in range(9_999):
        theta = np.arccos(np.clip(c, -1, 1))
        f = c + (np.sqrt(1 - c * c) - c * theta) / np.pi
        learned = (1 - theta / np.pi) * kernel + f
        c, kernel = ((v + np.roll(v, 1) + np.roll(v, -1)) / 3 for v in (f, learned))
    assert abs(1e8 * (1 - c[0]) / (4.5 * np.pi**2) - 1) < 0.01
    assert abs(kernel[0] / 1e4 - 0.25) < 0.001


def test_the_bound_of_the_discretisation():
    """L = -theta^2/2, T = 2: |e^t - (1 + eta)^(t/eta)| <= (eta T/2) e^T, and 10^6 times as far from 10^6."""
    for rate in (0.1, 0.01):
        steps = np.arange(round(2 / rate) + 1)
        distance = np.abs(np.exp(rate * steps) - (1 + rate) ** steps).max()
        assert distance <= rate * np.exp(2) < 1e6 * distance


def test_derivatives_at_one_of_a_square():
    """phi = z^2 at q = 1, by the moments of two correlated normals: f = const + 2 c^2, so f''' = 0 and f'' = 4."""
    along = X * Z_1 + sqrt(1 - X**2) * Z_2
    f = mean(Z_1**2 * along**2, Z_1, Z_2)
    assert [diff(f, X, j).simplify().subs(X, 1) for j in (1, 2, 3)] == [4, 4, 0]
    assert [mean(value**2, Z_1) for value in (2 * Z_1, 2, 0)] == [4, 4, 0]


@pytest.mark.parametrize("weight", [1, 3])
def test_logarithm_of_residual_convolutions(weight):
    """Six positions, a filter of five: what c^l has beside -delta/l^2 grows by 3 delta a factor e, layer by layer."""
    alpha, layers = weight**2 / 2, (20_000, 80_000)
    delta = 4.5 * np.pi**2 * (1 + alpha) ** 2 / alpha**2
    start = np.array([1.2, 0.3, 0.7, 1.0, 0.4, 0.9])
    gaps = [conv_pairs(ConvResNet("relu", 6, 2, weight), start, layer)[0].mean() for layer in layers]
    rest = [layer * (layer**2 * gap / delta - 1) for layer, gap in zip(layers, gaps, strict=True)]
    assert abs((rest[1] - rest[0]) / np.log(4) / -3 - 1) < 0.05


@pytest.mark.parametrize("square", [1, 5])
def test_kernel_of_scaled_residual_convolutions(square):
    """By the exact sum 1 + sum_k alpha/(k + alpha), k = 2 to L, which no digamma function has seen."""
    alpha = Rational(square, 2)
    total = 1 + sum(alpha / (k + alpha) for k in range(2, 41))
    assert np.allclose(scaled_orbit(square, (0.0,) * 4, 40)[1], float(total), rtol=1e-13)


def test_first_layer_of_signals():
    """Random signals, seven positions, three channels, by the weights of a filter and their gradients as an array."""
    random = np.random.default_rng(5)
    one, two = random.normal(size=(2, 3, 7))
    rows = [np.stack([np.roll(x, s - at, axis=1)[:, 0] for s in (1, 0, -1)]) for x, at in ((one, 2), (two, 5))]
    printed = sum(one[j, (2 + s) % 7] * two[j, (5 + s) % 7] for j in range(3) for s in (-1, 0, 1))
    assert np.isclose((rows[0] * rows[1]).sum(), printed)


def test_fluctuations_of_one_network():
    """tanh networks of two layers with biases, widths 64 and 576: the NTK spreads 3 times less, not 9."""
    random, spread = np.random.default_rng(3), []
    for width in (64, 576):
        z, w = random.standard_normal((2, 2000, width))
        active = np.tanh(z + random.standard_normal((2000, width)) / 2)
        spread.append(np.mean(active**2 + 2 * w**2 * (1 - active**2) ** 2, axis=1).std())
    assert abs(spread[0] / spread[1] - 3) < 0.3


def test_kernel_of_a_linear_model():
    """Least squares with a bias, four points in the plane, least norm: the kernel machine with 1 + x.x'."""
    random = np.random.default_rng(1)
    x, y, place = random.normal(size=(3, 2)), random.normal(size=3), random.normal(size=(1, 2))
    features = np.hstack([np.ones((3, 1)), x])
    line = np.hstack([np.ones((1, 1)), place]) @ np.linalg.pinv(features) @ y
    assert np.allclose((1 + place @ x.T) @ np.linalg.inv(1 + x @ x.T) @ y, line)


def test_update_of_the_last_hidden_layer():
    """Three linear layers of width 256, one input of K = Theta^(1) = 1, all constants 1: 5/n, where Theta^2 is 4."""
    random, width, networks = np.random.default_rng(8), 256, 300
    a = random.standard_normal((networks, width))
    b = random.standard_normal((networks, width, width)) / np.sqrt(width)
    c = random.standard_normal((networks, width)) / np.sqrt(width)
    back = np.einsum("mjk,mj->mk", b, c)
    moved = (a**2).mean(axis=1)[:, None] * c + np.einsum("mjk,mk->mj", b, back)
    assert abs(width * (moved**2).mean() - 5) < 0.1


def test_the_covariance_by_drawing_outputs():
    """PDLT 10.41 against a Monte Carlo of Gaussian outputs, 5 standard errors."""
    random = np.random.default_rng(0)
    kernel, start = (m @ m.T for m in random.standard_normal((2, 3, 5)))
    weights = np.linalg.solve(kernel[:2, :2], kernel[:2, 2])
    z = np.linalg.cholesky(start) @ random.standard_normal((3, 200_000))
    ends = z[2] - weights @ z[:2]
    expected = start[2, 2] - 2 * weights @ start[:2, 2] + weights @ start[:2, :2] @ weights
    assert abs(ends.var() / expected - 1) < 5 * np.sqrt(2 / 200_000)


def test_the_dual_form_where_the_penalty_goes_to_zero():
    """PDLT 10.130, 3 points: phi (2a + M)^-1 phi^T tends to k k~^-1, though M of 5 features has no inverse."""
    random = np.random.default_rng(3)
    for features in (5, 3):
        train, test = random.standard_normal((3, features)), random.standard_normal((2, features))
        dual = test @ train.T @ np.linalg.inv(train @ train.T)
        primal = [test @ np.linalg.inv(2 * a * np.eye(features) + train.T @ train) @ train.T for a in (1e-3, 1e-6)]
        assert np.abs(primal[1] - dual).max() < 1e-2 * np.abs(primal[0] - dual).max() + 1e-12
        assert np.linalg.matrix_rank(train.T @ train) == 3
    train, test = random.standard_normal((3, 2)), random.standard_normal((1, 2))
    assert np.linalg.matrix_rank(train @ train.T) == 2  # fewer features than points: 10.128 has no inverse


@pytest.mark.parametrize(("schedule", "second"), [("equivalence", 3), ("constant", 4)])
def test_components_of_the_sine(schedule, second):
    """Rates 2 and 3: ddTheta_[2]/(l ddK_[2]) -> 3, or 4 for constant rates, where 10.80 has 3.

    (10.44) and (10.70) iterated from K_00 = 1 with <sin^2> = (1 - exp(-2K))/2, as PDLT has them.
    """
    kernel, ntk, ratio = 1.0, 5.0, 3.0
    for layer in range(2, 4001):
        image, slope = (1 - math.exp(-2 * kernel)) / 2, (1 + math.exp(-2 * kernel)) / 2
        ratio += 3 + image * ntk / slope
        ntk = (2 / layer if schedule == "equivalence" else 2) + 3 * image + slope * ntk
        kernel = image
    assert abs(ratio / 4000 - second) < 0.02 and abs(ntk / (5 if schedule == "equivalence" else 4000) - 1) < 0.01


def test_polar_coordinates_are_the_mean_over_the_plane():
    """The left sides that decide 10.85 against quadrature over the plane: slopes 1 and -1/2, K = 17/10, psi = 13/10."""
    phi, psi = activation("relu_like", right=1, left=Rational(-1, 2)), mpf("1.3")
    plane = Kernel(phi.piecewise, use_closed_form=False)
    numbers = {"a_+": 1, "a_-": Rational(-1, 2), "K_d": 1.7, "psi": 1.3}
    value, slope = (
        put(form.left, form.where).subs({s: numbers[s.name] for s in put(form.left, form.where).free_symbols})
        for form in expectations()[:2]
    )
    assert abs(value - plane.value(mpf("1.7"), mpf("1.7"), cos(psi))) < 1e-12
    assert abs(slope - plane.slope(mpf("1.7"), 1 - cos(psi))) < 1e-12
