"""phi seen from far away: the straight lines and the rest, against the general kernel, quadrature and derivatives."""

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.integrate import quad_vec
from sympy import Max, Piecewise, Rational, Symbol, exp

from asympt.architectures.residual import rest_of
from asympt.errors import PrecisionError
from asympt.gaussian.kernel import Kernel, kernel_of
from asympt.meanfield.activations import Activation, activation
from asympt.precise import far as far_split
from asympt.precise.far import Integrals, Lines, Split

X = Symbol("x", real=True)
KINKED = Activation(Max(X - Rational(1, 2), 0) + Max(-X / 3, -2), X, name="kinked")


def split_of(phi: Activation) -> Split:
    return Split(rest_of(phi))


@pytest.mark.parametrize("phi", [activation("gelu"), activation("elu"), KINKED], ids=lambda phi: phi.name)
@pytest.mark.parametrize(("q", "gap"), [("1", "0.9"), ("3", "1.5"), ("20", "0.3")])
def test_the_moments_against_the_general_kernel(phi, q, gap, monkeypatch):
    monkeypatch.setattr(far_split, "LARGEST", 0)  # never the closed form
    with mp.workdps(20):
        q, gap, kernel = mpf(q), mpf(gap), kernel_of(phi.piecewise)
        found = split_of(phi).at(q, gap)
        assert abs(found.square / kernel.value(q, q, 1) - 1) < mpf(10) ** -17
        assert abs(found.lost / kernel.gap(q, gap) - 1) < mpf(10) ** -16
        assert abs(found.slope / kernel.slope(q, gap) - 1) < mpf(10) ** -16


def test_a_smooth_activation_against_its_hermite_series(monkeypatch):
    monkeypatch.setattr(far_split, "LARGEST", 0)
    phi = activation("silu")
    with mp.workdps(15):
        found, kernel = split_of(phi).at(mpf(2), mpf(1) / 2), Kernel(phi.piecewise)
        assert abs(found.lost / kernel.gap(mpf(2), mpf(1) / 2) - 1) < mpf(10) ** -13


def test_near_and_far_agree_where_both_hold():
    with mp.workdps(40):
        nodes = split_of(activation("elu"))._nodes()
        near, far = (Integrals(nodes, mpf(10) ** 5, mpf(1) / 5) for _ in range(2))
        near.rows = nodes.near
        assert far.rows is nodes.far
        pairs = zip((*near.mixed(), *near.product()), (*far.mixed(), *far.product()), strict=True)
        assert all(abs(a / b - 1) < mpf(10) ** -36 for a, b in pairs)


def test_far_away_against_the_first_terms_in_the_moments_of_the_rest():
    """elu: r = e^x for x < 0, so int r h n_q = -int e^x/sqrt(2 pi q) + O(q^(-3/2)), int r^2 n_q half as much."""
    with mp.workdps(30):
        q = mpf(10) ** 12
        found = split_of(activation("elu")).square(q)
        plain = q / 2 + mpf(1) / 2 - 1.5 / mp.sqrt(2 * mp.pi * q)  # E[h^2], h = max(x, 0) - [x < 0], and both integrals
        assert abs(found - plain) < 10 * q ** mpf("-1.5")


def test_a_rest_that_falls_slowly_is_left_to_the_general_kernel():
    """softplus - max(x, 0) is like exp(-|x|): at q = 100, gap 1/100, 600 terms do not suffice; against SciPy."""
    q, gap = 100.0, 0.01
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    with mp.workdps(15):
        found = split_of(activation("softplus")).at(mpf(q), mpf(gap))
    side = np.sqrt(gap * (2 - gap))

    def inner(x):
        return weights @ np.logaddexp(0, np.sqrt(q) * ((1 - gap) * x + side * nodes))

    def weighted(x):
        own = np.logaddexp(0, np.sqrt(q) * x)
        return np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * own * np.array([own, inner(x)])

    square, product = quad_vec(weighted, -12, 12, points=[0], epsrel=1e-11)[0]
    assert abs(float(found.square) / square - 1) < 1e-9
    assert abs(float(found.lost) - (square - product)) < 1e-6 * square


def test_the_slope_is_the_derivative_of_the_loss():
    with mp.workdps(30):
        split, q, gap, h = split_of(activation("elu")), mpf(10) ** 6, mpf(1) / 3, mpf(10) ** -10
        slope = (split.at(q, gap + h).lost - split.at(q, gap - h).lost) / (2 * h * q)
        assert abs(slope / split.at(q, gap).slope - 1) < mpf(10) ** -17


def test_the_lines_of_a_step():
    """b+ = 1, b- = -1 and no slopes: the arcsine kernel."""
    lines = Lines.of((Rational(0), Rational(0)), (Rational(1), Rational(-1)))
    with mp.workdps(20):
        assert lines.square(mpf(5)) == 1
        assert abs(1 - lines.lost(mpf(5), mpf(1) / 2) - mpf(1) / 3) < mpf(10) ** -19


def test_a_far_variance_with_a_tiny_gap_is_refused():
    with mp.workdps(15), pytest.raises(PrecisionError, match="so nearly parallel"):
        split_of(activation("silu")).at(mpf(1000), mpf(10) ** -9)


def test_a_closed_form_that_has_lost_its_digits_is_not_used():
    """exp(4 x) for x < 0: exp(32 q) in the closed form; the moments must still be those of the integrals over r."""
    phi = Activation(Piecewise((X, X > 0), ((exp(4 * X) - 1) / 4, True)), X, name="steep")
    with mp.workdps(20):
        q, gap = mpf(60), mpf(1) / 2
        square = mp.quad(lambda z: phi.numeric(mp.sqrt(q) * z) ** 2 * mp.npdf(z), [-8, -1, -mpf(1) / 4, 0, 4, 10])
        found = split_of(phi).at(q, gap)
        assert abs(found.square / square - 1) < mpf(10) ** -12
        assert 0 < found.lost < found.square
