"""Leaps against what they stand for: the original step, one layer after the other, and an exact flow."""

import mpmath
import numpy as np
import pytest
from mpmath import mp
from sympy import Integer

import asympt as asy
from asympt.recursions.orbits import Iterates
from asympt.recursions.protocol import Dynamics


def test_an_exact_flow():
    """x/(1+x) after n steps is x/(1+nx)."""
    moebius = Dynamics(lambda count: [], lambda state: (state[0] / (1 + state[0]),), interpolation_radius=Integer(1))
    with mp.workdps(30):
        iterates_of, x = Iterates(moebius, 30), mpmath.mpf(2) / 3
        for layers in (1, 2, 7, 13):
            (end,) = iterates_of.advance((x,), layers)
            assert abs(end * (1 + layers * x) / x - 1) < mpmath.mpf(10) ** -25


def test_nearly_linear_networks_against_float64():
    """Before the matching layer, against plain iteration in NumPy."""
    net, depth = asy.FeedForward("leaky_relu", slope="99/100"), 10**5
    gap, kernel = asy.depth.pairs(net, np.array([0.9]), depth)
    law_gap = net.correlation_law().evaluate(depth, correlation="1/10", digits=25)
    law_kernel = net.ntk_law().evaluate(depth, correlation="1/10", digits=25)
    assert float(law_gap) == pytest.approx(gap[0], rel=1e-12)
    assert float(law_kernel) == pytest.approx(kernel[0] / depth, rel=1e-12)


def test_too_far_from_the_calm_part_is_refused():
    law = asy.FeedForward("leaky_relu", slope="9999/10000").correlation_law()
    with pytest.raises(asy.PrecisionError, match="layers would have to be iterated"):
        law.evaluate(10**12, correlation="-9/10", digits=15)
