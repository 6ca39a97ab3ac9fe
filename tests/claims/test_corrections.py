"""What the ledger says in place of what is printed, in numbers that no code of the toolkit has made.

Plain iteration of the layer recursions in floats or mpmath, and quadrature: each correction in a setting other than
the one that the claim is decided in."""

import mpmath
import numpy as np
import pytest
from mpmath import cos, mp, mpf
from sympy import Rational, diff, sqrt

from asympt import claims
from asympt.architectures.convolution import ConvNet, ConvResNet
from asympt.claims.scopes import on_edge
from asympt.claims.stated.equalities import put
from asympt.claims.stated.hdr.laws import scaled_orbit, variance_slope
from asympt.claims.stated.hdr.maps import Z_1, Z_2, X, mean
from asympt.claims.stated.hdr.training import DECAY, LOGS, SOURCE, lemma5, lemma6
from asympt.claims.stated.pdlt.depth import expectations
from asympt.depth.convolution import conv_pairs
from asympt.expansions import Monomial
from asympt.gaussian.kernel import Kernel
from asympt.meanfield.activations import activation
from asympt.recursions.linear_recurrence import LAYER, layered_solution


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


def test_where_the_logarithm_of_a_smooth_ntk_is_absent():
    """sin: L (K/(qL) - 1/3) gains 1/3 - (2/9) coth(q)^2 a factor e, 0 at tanh(q)^2 = 2/3, which no claim includes."""
    for q, gain in ((np.arctanh(np.sqrt(2 / 3)), 0), (1.5, 0.0620969)):
        gap, kernel, rest = 0.7, 0.3, {}
        for layer in range(1, 16_001):
            rest[layer] = kernel - layer / 3
            kernel *= np.cosh(q * (1 - gap)) / np.cosh(q)
            gap = 2 * np.cosh(q * (1 - gap / 2)) * np.sinh(q * gap / 2) / np.cosh(q) / q
            kernel += 1 - gap
        assert (rest[16_000] - rest[4_000]) / np.log(4) == pytest.approx(gain, abs=1e-4)
    notes = [c.note for c in claims.all_claims() if r"\Theta(\log(L)L^{-1})" in c.note.correction]
    assert all("M_1M_3" in note.hypotheses + note.where for note in notes if "smooth" in note.why)


def plain(alpha, kappa, q, layers):
    """a_l for lambda_l = 1 - alpha/l + kappa log(l)/l^2, b_l = q, a_1 = 1, with 40 digits: no code of the toolkit."""
    with mp.workdps(40):
        a = mpmath.mpf(1)
        for layer in range(2, layers + 1):
            a = (1 - mpmath.mpf(alpha) / layer + kappa * mp.log(layer) / layer**2) * a + q
        return a


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
    assert at_zero.particular.coefficient(0, 1) == 15  # q c log l instead of a constant: T[log l] = 1/l + ...
    half = layered_solution(1 + Rational(1, 2) / LAYER + 3 / LAYER**2, 5, terms=2)
    assert half.h.prefactor() == sqrt(LAYER)


def test_the_gap_of_the_ntk_is_an_instance_of_lemma_6():
    """ReLU: lambda = 1 - 3/l + (9/2) log(l)/l^2 + ..., q = 1: kappa q/(alpha(1+alpha)) = 3/8, as in the NTK's law."""
    values = {DECAY: 3, LOGS: Rational(9, 2), SOURCE: 1}
    assert lemma6().particular.coefficient(0, 1).subs(values) == Rational(3, 8)


# ---- HDR off the Edge of Chaos, convolutions, training ------------------------------------------------


def test_a_translate_keeps_its_correlation():
    """Chaotic: along the offset of the translation all gaps are 0, and stay 0."""
    gap, _ = conv_pairs(ConvNet("relu", 4, 1), np.zeros(4), 500)
    assert not gap.any()


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
