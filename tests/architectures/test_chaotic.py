"""The chaotic phase: c*, chi* and the NTK, against erf written out by hand."""

import mpmath
import pytest
from mpmath import mp

from asympt import FeedForward
from asympt.errors import InputError, UnsupportedError
from tests.architectures.plain import Erf, orbit


def test_erf_at_25_digits():
    net = FeedForward("erf", sigma_w=2, sigma_b="1/2")
    assert net.phase == "chaotic"
    correlation, ntk = net.correlation_law(), net.ntk_law()
    with mp.workdps(80):
        plain = Erf(4, mpmath.mpf(1) / 4, guess=3)
        truth = orbit(plain.layer, mpmath.mpf(9) / 10, (100,))[100]
        for law, value in zip((correlation, ntk), truth, strict=True):
            assert abs(law.evaluate(100, correlation="1/10", digits=25) / value - 1) < mpmath.mpf(10) ** -25
        gap = mp.findroot(lambda g: plain.layer(g)[0] - g, 0.6)
        slope = plain.layer(gap)[1]
        assert abs(mpmath.mpf(correlation.limit.evalf(30)._mpf_) - gap) < 1e-25
        assert abs(mpmath.mpf(correlation.koenigs.multiplier.evalf(30)._mpf_) - slope) < 1e-25
        assert abs(mpmath.mpf(ntk.limit.evalf(30)._mpf_) - (1 - gap) / (1 - slope)) < 1e-25


def test_an_odd_map_has_only_odd_exponentials():
    law = FeedForward("erf", sigma_w=2, sigma_b=0).correlation_law(terms=3)
    assert [monomial.order for monomial, _ in law.expansion.terms] == [0, 1, 3]
    assert law.limit == 1
    with pytest.raises(InputError, match="stays at 1 in the chaotic phase"):
        law.evaluate(10, correlation=1)


def test_a_jump_has_no_ntk():
    net = FeedForward("step", sigma_w=1, sigma_b=1)
    assert net.phase == "chaotic"
    with pytest.raises(UnsupportedError, match="there is no NTK; take a continuous activation"):
        net.ntk_law()
