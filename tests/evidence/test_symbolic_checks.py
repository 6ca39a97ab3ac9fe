"""The ring arithmetic of the symbolic checks against SymPy's plain series, and its zero test."""

import pytest
from sympy import Rational, Symbol, asin, cos, expand, log, series, sin, sqrt

from asympt.evidence.ring import DepthRing, U, W, is_zero
from asympt.evidence.substitution import T, taylor
from asympt.networks import FeedForward


def test_next_layer_is_the_shift_by_one():
    """u = 1/l, w = log l at l + 1, expanded by SymPy itself."""
    ring = DepthRing([U**2 * W + U], 6)
    moved = ring.next_layer(ring.elements[0], 1).as_expr()
    truth = (U / (1 + U)) ** 2 * (W + log(1 + U)) + U / (1 + U)
    difference = series(truth, U, 0, 6).removeO() - moved
    assert expand(difference) == 0


@pytest.mark.parametrize("expression", [sqrt(2) ** 2 - 2, sin(1) ** 2 + cos(1) ** 2 - 1, log(4) - 2 * log(2)])
def test_zero_is_recognised(expression):
    assert is_zero(expression)


@pytest.mark.parametrize("expression", [Symbol("C") / 10**9, sqrt(2) - Rational(14142135623730951, 10**16)])
def test_small_is_not_zero(expression):
    assert not is_zero(expression)


def test_series_of_the_map_match_the_ladder():
    """SymPy's series of the closed form (this check's own source) against the ladder's integration (the law's)."""
    f = FeedForward("relu").correlation_map
    mine = taylor(f.gap_in_uniformiser(T), 9)
    ladder = 1 - f.expansion(9)
    assert [expand(c - ladder.coefficient(k)) for k, c in enumerate(mine)] == [0] * 9


def test_a_wrong_series_is_not_accepted(monkeypatch):
    """A computer-algebra series is used only after a numeric residual."""
    from asympt.evidence import substitution

    monkeypatch.setattr(substitution, "series", lambda *args: series(asin(T) + T**3, T, 0, 6))
    with pytest.raises(ArithmeticError):
        substitution.taylor(asin(T), 6)
