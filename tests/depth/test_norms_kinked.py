"""Inputs of any norms in layers of activations with breakpoints, against one integral in mpmath.

Reference: E[phi(sqrt(q) U) phi(sqrt(q') V)] = E[phi(sqrt(q) U) h(U)], h(u) = E[phi(sqrt(q') (c u + sqrt(1-c^2) Z))] in
closed form through the error function, to 30 digits, with panels as narrow as sqrt(1 - c^2) around the breakpoints; it
shares nothing with asympt.depth.
"""

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from sympy import Piecewise, Rational, Symbol, exp

from asympt.depth import pairs
from asympt.depth.moving import Added, Moving, by_quadrature
from asympt.depth.norms import near
from asympt.depth.norms.tiles import Paired, Tile, move
from asympt.depth.norms.together import EDGE, KinkedSides
from asympt.errors import PrecisionError
from asympt.meanfield.activations import Activation, activation
from tests.depth.layers import dense

DIGITS = 32


def clipped(low, high):
    """(phi, E[phi(m + s Z)], its derivative in m) of x -> min(max(x, low), high)."""

    def mean(m, s):
        def above(edge):
            z = (m - edge) / s
            return s * mpmath.npdf(z) + (m - edge) * mpmath.ncdf(z)

        return low + above(low) - above(high)

    def turned(m, s):
        return mpmath.ncdf((m - low) / s) - mpmath.ncdf((m - high) / s)

    return (lambda x: min(max(x, low), high)), mean, turned, (low, high), lambda x: mpf(low < x < high)


def elu():
    """The same of ELU."""

    def mean(m, s):
        z = m / s
        below = mpmath.exp(m + s * s / 2) * mpmath.ncdf(-z - s) - mpmath.ncdf(-z)
        return m * mpmath.ncdf(z) + s * mpmath.npdf(z) + below

    def turned(m, s):
        z = m / s
        return mpmath.ncdf(z) + mpmath.exp(m + s * s / 2) * mpmath.ncdf(-z - s)

    def slope(x):
        return mpf(1) if x > 0 else mpmath.exp(x)

    return (lambda x: x if x > 0 else mpmath.expm1(x)), mean, turned, (0,), slope


KNOWN = {"hard_tanh": clipped(-1, 1), "relu6": clipped(0, 6), "elu": elu()}


def moments(name, q, other, gap):
    """(E[phi phi], E[phi' phi'])."""
    phi, mean, turned, breaks, slope = KNOWN[name]
    c, root = 1 - gap, mpmath.sqrt(other)
    s = mpmath.sqrt(gap * (2 - gap))
    edges = {mpf(-11), mpf(-5), mpf(0), mpf(5), mpf(11)}
    for point in breaks:
        edges.add(point / mpmath.sqrt(q))
        if s > 0:
            edges |= {(point / root + k * s) / c if c else mpf(0) for k in (-12, -6, -3, -1, 0, 1, 3, 6, 12)}
        else:
            edges.add(point / root)
    edges = sorted(edge for edge in edges if abs(edge) <= 11)
    with_s = s * root

    def integrand(u, own, of, value):
        return mpmath.npdf(u) * own(mpmath.sqrt(q) * u) * (of(root * c * u, with_s) if s > 0 else value(root * c * u))

    return (mpmath.quad(lambda u: integrand(u, phi, mean, phi), edges),
            mpmath.quad(lambda u: integrand(u, slope, turned, slope), edges))  # fmt: skip


def true_layer(name, weight, bias, skip, q, other, gap):
    """(1 - c', k') for k = 1 - gap, from the definition."""
    with mpmath.workdps(DIGITS):
        q, other, gap = mpf(q), mpf(other), mpf(gap)
        after = [skip * v + bias + weight * moments(name, v, v, mpf(0))[0] for v in (q, other)]
        norm, r = mpmath.sqrt(after[0] * after[1]), mpmath.sqrt(q * other)
        value, slope = moments(name, q, other, gap)
        s = skip * r * (1 - gap) + bias + weight * value
        kernel = (skip + weight * slope) * r * (1 - gap) + bias + weight * value
        return 1 - s / norm, kernel / norm


Q = np.array([1.0, 1 + 1e-7, 1.3, 1 + 1e-4])


def computed(layer, q, gap):
    """(1 - c', k') of all pairs for k = 1 - gap."""
    gaps = np.full((len(q), len(q)), gap)
    kernels = 1 - gaps
    move(KinkedSides.of(layer, q, q), Tile(np.arange(len(q)), np.arange(len(q))), gaps, kernels)
    return gaps, kernels


# (1 - c', k') of sigma_w^2 = 3/2, sigma_b^2 = 1/4 for the variances 1 and Q[j]: by `true_layer`
LAYERS = [
    ("hard_tanh", 1, 1e-14, 1.0257432690194332e-14, 1.9999476474814257),
    ("hard_tanh", 1, 1e-4, 9.9728156372459737e-5, 1.9957491776033693),
    ("hard_tanh", 1, 0.03, 0.028613077628248494, 1.874146996943993),
    ("hard_tanh", 1, 1.98, 1.4925157713727546, -1.4170388508666439),
    ("hard_tanh", 2, 1e-14, 0.0015819125066086829, 1.9967856827928591),
    ("hard_tanh", 2, 1e-4, 0.001681749266128647, 1.9965860092738191),
    ("hard_tanh", 2, 0.03, 0.030945636711645386, 1.8986692024105236),
    ("hard_tanh", 2, 1.98, 1.5075875397020734, -1.4592634937929901),
    ("elu", 1, 1e-14, 8.4409219520972544e-15, 1.8231789803033284),
    ("elu", 1, 1e-4, 8.2316869773038807e-5, 1.822993818944284),
    ("elu", 1, 0.03, 0.024612517461821807, 1.7686632751875176),
    ("elu", 1, 1.98, 1.4263414502323773, -1.0584668586032433),
    ("elu", 2, 1e-14, 0.0013842093613287053, 1.8412640547527373),
    ("elu", 2, 1e-4, 0.0014684730334549379, 1.8410724861399203),
    ("elu", 2, 0.03, 0.026571152584810949, 1.7849907299359954),
    ("elu", 2, 1.98, 1.4454921220010177, -1.0781994475209371),
]


@pytest.mark.parametrize("name", ["hard_tanh", "elu"])
def test_one_layer(name):
    """Gaps to 1e-11 of themselves, for norms that agree to 1e-7 too; k to 1e-13."""
    layer = Moving(activation(name).piecewise, 1.5, 0.25)
    for _, j, start, gap, kernel in (row for row in LAYERS if row[0] == name):
        gaps, kernels = computed(layer, Q, start)
        assert gaps[0, j] == pytest.approx(gap, rel=2e-12) and gaps[j, 0] == pytest.approx(gap, rel=2e-12)
        assert kernels[0, j] == pytest.approx(kernel, abs=2e-13)


@pytest.mark.parametrize(("name", "scale", "bias", "skip"), [
    ("hard_tanh", 1.0, 0.25, 1), ("relu6", 9.0, 0.25, 0), ("elu", 6.0, 0.25, 1),
])  # fmt: skip
def test_one_layer_of_every_kind(name, scale, bias, skip):
    layer, q = Moving(activation(name).piecewise, 1.5, bias, Added(1.0, 1.5, bias) if skip else None), scale * Q
    for start in (1e-14, 1e-3, 1.98):
        gaps, kernels = computed(layer, q, start)
        for j in (1, 3):
            gap, kernel = true_layer(name, 1.5, bias, skip, q[0], q[j], start)
            assert abs(gaps[0, j] / gap - 1) < 5e-12 and abs(kernels[0, j] - kernel) < 1e-12, (j, start)


X = Symbol("x", real=True)
MINE = Activation(
    Piecewise((-X / 2, X < -1), (exp(X + 1) - Rational(1, 2), X < 0), (exp(1) - Rational(1, 2) + X**2, X < 1),
              (exp(1) + X / 2, True)), X, name="mine"
)  # fmt: skip


BENT = Activation(Piecewise((-X - 1, X < -1), (X**2 - 1, X < 1), (X - 1, True)), X, name="bent")  # even, two kinks


@pytest.mark.parametrize(
    ("phi", "scale"),
    [("softsign", 4.0), (MINE, 1.0), ("selu", 0.01), ("hard_tanh", 100.0), (BENT, 1.0), ("tanh", 60.0)],
)
def test_any_activation_by_quadrature(phi, scale):
    """Absolute errors against the quadrature of one pair in the plane (another route, right to 1e-14).

    Even phi: near c = -1 as near c = 1; a smooth phi too steep for its series has the same tables.
    """
    phi = activation(phi).piecewise
    layer, q = Moving(phi, 1.5, 0.25), scale * np.array([0.8, 1.0, 1.4])
    for start in (1e-3, 0.03, 1.0, 1.99):
        gaps, kernels = computed(layer, q, start)
        after = layer.variances(q)[0]
        for i, j in ((1, 0), (2, 0), (2, 1)):
            apart, mean, slope = by_quadrature(phi, q[i], q[j], start)
            norm, r = np.sqrt(after[i] * after[j]), np.sqrt(q[i] * q[j])
            spread = 0.75 * apart - (np.sqrt(after[i]) - np.sqrt(after[j])) ** 2 / 2
            gap = (spread + 1.5 * r * mean) / norm
            assert gaps[i, j] == pytest.approx(gap, abs=1e-12)
            assert kernels[i, j] == pytest.approx(1.5 * r / norm * slope * (1 - start) + 1 - gap, abs=2e-12)


@pytest.mark.parametrize("edge", [1 - EDGE, 1 + EDGE])
def test_nothing_jumps_where_the_tables_meet(edge):
    layer, q = Moving(activation("hard_tanh").piecewise, 1.5, 0.25), np.array([0.7, 1.0, 1.5])
    one, two = (computed(layer, q, edge * (1 + sign * 1e-15)) for sign in (-1, 1))
    np.testing.assert_allclose(one[0], two[0], atol=2e-13)
    np.testing.assert_allclose(one[1], two[1], atol=2e-13)


def test_pairs_one_by_one_and_in_tiles():
    """The same pairs as a tile and as a list, near and far ones together."""
    layer, random = Moving(activation("elu").piecewise, 1.5, 0.25), np.random.default_rng(2)
    q = random.uniform(0.5, 1.5, 9)
    gap = 2 * random.uniform(size=(9, 9)) ** 4
    side, kernel = KinkedSides.of(layer, q, q), 1 - gap
    i, j = np.indices((9, 9)).reshape(2, -1)
    flat, flat_kernel = gap.ravel().copy(), kernel.ravel().copy()
    move(side, Tile(np.arange(9), np.arange(9)), gap, kernel)
    move(side, Paired(i, j), flat, flat_kernel)
    np.testing.assert_allclose(gap.ravel(), flat, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(kernel.ravel(), flat_kernel, atol=1e-14)


def test_one_variance_that_moves():
    """Inputs of one norm: every layer on the nodes of a table, by tables of its own, against pair by pair."""
    layer, gap = dense("hard_tanh", "13/10", "1/10"), np.random.default_rng(1).uniform(0, 2, 20000)
    many = pairs(layer, gap, 3, variance=0.9)
    few = pairs(layer, gap[:5], 3, variance=0.9)
    np.testing.assert_allclose(many[0][:5], few[0], rtol=2e-12)
    np.testing.assert_allclose(many[1][:5], few[1], rtol=0, atol=2e-12)


def test_tables_that_are_not_fine_enough_are_refused(monkeypatch):
    monkeypatch.setattr(near, "MOST", 9)
    layer = Moving(activation("hard_tanh").piecewise, 1.5, 0.25)
    with pytest.raises(PrecisionError, match=r"variances from 0\.5 to 2 do not reach 1e-11; give inputs"):
        computed(layer, np.array([0.5, 2.0]), 1e-3)
