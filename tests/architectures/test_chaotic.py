"""The chaotic phase: an odd map, and a jump."""

import pytest

from asympt import FeedForward
from asympt.errors import InputError, UnsupportedError


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
