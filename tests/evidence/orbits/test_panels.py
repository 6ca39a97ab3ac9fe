"""Layers made from values of the step at points of a panel, against the step itself."""

import pytest
from mpmath import mp, mpf
from sympy import Rational

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet
from asympt.errors import PrecisionError
from asympt.evidence.orbits import panels
from asympt.evidence.orbits.panels import followed_by_panels


class Counted:
    """A step that counts how often it is taken."""

    def __init__(self, step):
        self.step, self.taken = step, 0

    def __call__(self, state: tuple) -> tuple:
        self.taken += 1
        return self.step(state)


def ends(step, state: tuple, layers: int) -> tuple:
    """The state after so many layers, by the step and by panels."""
    layer, other = followed_by_panels(step), state
    for _ in range(layers):
        state, other = step(state), layer(other)
    return state, other


@pytest.mark.parametrize("bias", [None, Rational(1, 5)])
def test_panels_make_the_layers_of_a_network(bias):
    """After 400 layers of a ReLU ResNet, and 250 of ELU, gap and kernel are the same to rounding."""
    net = ResNet("relu", sigma_w=1) if bias is None else FeedForward.on_edge_of_chaos("elu", sigma_b=bias)
    dynamics = net.ntk_law(terms=1).dynamics
    with mp.workdps(30):
        start = (mpf(1) / 100, dynamics.linear.start(mpf(1) / 100))
        right, found = ends(dynamics.step, start, 400 if bias is None else 250)
        assert all(abs(a / b - 1) < mpf(10) ** -27 for a, b in zip(found, right, strict=True))
        assert found != right  # panels were used


def test_many_layers_at_once_are_the_layers_one_by_one():
    """x' = x/(1 + x): 1/x grows by 1 a layer, and the step is still taken once in a hundred layers."""
    step = Counted(lambda state: (state[0] / (1 + state[0]), state[1] / (1 + state[0]) + 1))
    one, state = followed_by_panels(step), (mpf(1) / 500, mpf(0))
    for _ in range(3333):
        state = one(state)
    step.taken = 0
    at_once = followed_by_panels(step).advance((mpf(1) / 500, mpf(0)), 3333)
    assert 30 <= step.taken < 100
    assert all(abs(a / b - 1) < 1e-12 for a, b in zip(at_once, state, strict=True))
    assert abs(1 / at_once[0] - 3833) < 1e-8


def test_a_map_with_a_kink_is_followed_step_by_step():
    """A kink at t = 0.0015 is seen in the coefficients, so nothing but the step is used there."""
    kink = mpf(15) / 10**4
    state, other = ends(lambda s: (s[0] - s[0] ** 2 - abs(s[0] - kink) * s[0] / 10**4,), (mpf(1) / 520,), 60)
    assert state == other


def test_what_happens_between_the_points_is_no_orbit(monkeypatch):
    """A bump between two points of the panel, some thirty layers wide, is met by the layers that are compared."""
    monkeypatch.setattr(panels, "EVERY", 10)

    def step(state):
        x = state[0]
        bump = mpf(10) ** -9 if abs(x - mpf("0.00146")) < mpf("4e-5") else 0
        return (x - x**2 - bump * x,)

    layer, state = followed_by_panels(step), (mpf(1) / 520,)
    with pytest.raises(PrecisionError, match="contradicts the map's values"):
        for _ in range(1000):
            state = layer(state)
    with pytest.raises(PrecisionError, match="contradicts the map's values"):
        followed_by_panels(step).advance((mpf(1) / 520,), 1000)


def test_a_map_that_ends_inside_a_panel_is_followed_step_by_step_there():
    """x/(1 + x/500), which after n layers is x/(1 + n x/500), said to end at x = 2, as maps of c >= -1 do."""

    def layer(state: tuple) -> tuple:
        if state[0] > 2:
            raise PrecisionError("no map beyond 2")
        return (state[0] / (1 + state[0] / 500),)

    with mp.workdps(30):
        start = mpf(19) / 10
        (end,) = followed_by_panels(layer).advance((start,), 3000)
        assert abs(end * (1 + 3000 * start / 500) / start - 1) < mpf(10) ** -25
