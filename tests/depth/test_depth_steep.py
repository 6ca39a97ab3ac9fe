"""Moments and integrals of the plane at variances at which phi is nearly a step or a kink."""

import numpy as np
import pytest
from mpmath import mp, mpf
from sympy import Integer

from asympt.depth import gram
from asympt.depth.moving import by_quadrature
from asympt.errors import UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from tests.depth.layers import erf_slope, erf_value


@pytest.mark.parametrize("q", [1e2, 1e6, 1e22])
@pytest.mark.parametrize(("gap", "ratio"), [(0.8, 1), (0.01, 1), (1e-8, 1), (1.7, 1), (0.8, 2), (0.01, 1.01)])
def test_pairs_of_erf(q, gap, ratio):
    """Relatively for small gaps, to rounding of E[phi^2] otherwise."""
    apart, mean, slope = by_quadrature(activation("erf").piecewise, q, q * ratio, gap)
    with mp.workdps(40):
        one, two, c = mpf(q), mpf(q * ratio), 1 - mpf(gap)
        total = (erf_value(one, one, 1) + erf_value(two, two, 1)) / 2 - erf_value(one, two, c)
        size = total if ratio == 1 or gap < 0.5 else 1
        assert abs((apart / 2 + mean * mp.sqrt(one * two) - total) / size) < 3e-15
        assert abs(slope / erf_slope(one, two, c) - 1) < 3e-15


SATURATED = Layer(activation("tanh"), Integer(1), Integer(0))


def test_a_saturated_phi_has_the_kernels_of_its_limit():
    """tanh at variances of 1e22 is the sign: Sigma^2 = 2 asin(c)/pi, and K^2 = Sigma^2 + 2 c/(pi sqrt(1 - c^2)).

    The last term is r c E[phi' phi'], with int phi' = 2 at u = 0 and at v = 0 times the normal density there,
    1/(2 pi r sqrt(1 - c^2)).
    """
    inputs = np.array([[3.0, 1.0], [1.0, 2.0]]) * 1e11
    sigma, kernel = gram(SATURATED, inputs, depth=2)
    c = 1 / np.sqrt(2)
    assert sigma[0, 1] == pytest.approx(0.5, rel=1e-10)
    assert kernel[0, 1] == pytest.approx(0.5 + 2 * c / (np.pi * np.sqrt(1 - c * c)), rel=1e-10)


@pytest.mark.parametrize("sizes", [[1e150, 1e150], [1e13, 1e13], [1e11, 1.0]])
def test_variances_that_the_quadrature_cannot_resolve_are_refused_at_once(sizes):
    inputs = np.array([[3.0, 1.0], [1.0, 2.0]]) * np.array(sizes)[:, None]
    with pytest.raises(UnsupportedError, match=r"two inputs are too large, or too far apart, .* tanh\(x\) .*divide X"):
        gram(SATURATED, inputs, depth=3)
    assert np.isfinite(gram(SATURATED, inputs, depth=1)).all()


@pytest.mark.parametrize("net", [SATURATED, Layer(activation("relu"), Integer(2), Integer(1))])
def test_inputs_without_squares_are_not_told_to_rescale_kernels_that_do_not_scale(net):
    with pytest.raises(UnsupportedError, match="give smaller inputs"):
        gram(net, [[1e200, 1.0], [1.0, 2.0]], depth=3)
