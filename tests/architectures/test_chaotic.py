"""The chaotic phase: an odd map, and a jump."""

import pytest
from mpmath import mp, mpf

from asympt import FeedForward
from asympt.errors import InputError, UnsupportedError
from asympt.numbers import to_mpf


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
    for phi in ("step", "sign(x - 1/2)"):  # V(q) = 3/2 and 2, whatever q is; the law had V' = -4e-123 as its multiplier
        with pytest.raises(UnsupportedError, match="from layer 2 on, whatever it was in layer 1"):
            FeedForward(phi, sigma_w=1, sigma_b=1).variance_law()


def test_a_tiny_multiplier_is_not_0():
    """phi = sin(40 x), sigma_w = 1: q f = sigma_b^2 + exp(-1600 q) sinh(1600 q c), q = 0.54, so f'(c*) ~ 3e-345."""
    law = FeedForward("sin(40*x)", sigma_w=1, sigma_b="1/5").correlation_law(terms=2)
    with mp.workdps(30):
        q, c = mpf("0.54"), mpf("0.04") / mpf("0.54")  # c* up to exp(-800)
        assert abs(to_mpf(law.koenigs.multiplier) / (1600 * mp.exp(-1600 * q) * mp.cosh(1600 * q * c)) - 1) < 1e-25
    with pytest.raises(InputError, match=r"lands on the fixed point .* as far as .* bits tell"):
        law.evaluate(3, correlation="1/10", digits=10)
