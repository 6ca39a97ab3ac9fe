"""The component step of PDLT's MLP against closed means, a finite difference in the variance, and its own precision."""

import pytest
from mpmath import mp, mpf
from sympy import Integer, pi

from asympt.errors import PrecisionError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import LAYER, Layer
from asympt.precise.dense import ComponentStep, DenseStep, first_state
from tests import statements


def test_a_linear_network_keeps_the_kernel():
    statement = statements.with_rates(Layer(activation("linear"), Integer(1), Integer(0)), Integer(3), Integer(2))
    step = ComponentStep(statement)
    state = step.first(mpf(2))
    assert state == (1, 2, 1, 1, 8, 3, 3)
    state = step(step(state))
    assert [float(v) for v in state] == pytest.approx([3, 2, 1, 1, 24, 9, 9])


def test_means_that_cannot_be_certified_are_refused():
    layer = Layer(activation("sin"), Integer(1), Integer(0))
    step = ComponentStep(statements.with_rates(layer, Integer(1), Integer(1)))
    with mp.workdps(20), pytest.raises(PrecisionError, match="certified"):
        step(step.first(mpf(10) ** 8))


@pytest.mark.parametrize("unequal", [False, True])
def test_components_of_erf_are_those_of_two_inputs(unequal):
    """C_W = pi/4, so that every factor of C_W counts; two inputs 1e-6 apart by the dense step."""
    statement = statements.with_rates(Layer(activation("erf"), pi / 4, Integer(0)), Integer(3), 2 / LAYER)
    with mp.workdps(40):
        delta, unit = mpf(10) ** -6, 4 / mp.pi  # norms of the inputs for K_00^1 = 1
        plus, cross, minus = 1 + delta**2, 1 - delta**2, 1 + delta**2
        if unequal:
            plus, cross, minus = (1 + delta) ** 2 + delta**2, 1 - 2 * delta**2, (1 - delta) ** 2 + delta**2
        pairs = [(plus, plus, plus), (plus, cross, minus), (minus, minus, minus)]
        states = [first_state(statement, tuple(unit * n for n in pair)) for pair in pairs]
        step, components = DenseStep(statement), ComponentStep(statement)
        state = components.first(mpf(1))
        for _ in range(4):
            states, state = [step(s) for s in states], components(state)
        upper, both, lower = (mp.sqrt(q * other) * k for _, q, other, _, k in states)
        found = (upper - lower) / (4 * delta) if unequal else (upper + lower - 2 * both) / (4 * delta**2)
        assert abs(found / state[5 if unequal else 6] - 1) < mpf(10) ** -10
