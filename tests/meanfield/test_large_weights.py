"""c* of steep layers: large weights, or activations that bend within 1/100 of their argument.

The reference is `tests.fuzz.sharp`, the layer by Gauss's rule in float64, and the limit of a step: phi(sqrt(q) Z) is
then a + b sign(Z), with E[sign(U) sign(V)] = (2/pi) asin(c).
"""

import pytest
from mpmath import mp
from sympy import Max, Rational, S, Symbol, tanh

from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.correlation import LayerMap
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from tests.fuzz.sharp import SharpOracle

X = Symbol("x", real=True)


def map_of(phi, weight, bias) -> LayerMap:
    """The correlation map, by standard deviations."""
    return LayerMap(Layer(phi, S(weight) ** 2, S(bias) ** 2))


@pytest.mark.parametrize(("phi", "weight", "bias", "scale"), [
    ("tanh", 40, 30, 1), ((1 + tanh(X / 2)) / 2, 60, 0, 1), (Max(0, tanh(20 * X)), 2, Rational(1, 2), 20),
])  # fmt: skip
def test_the_correlation_that_a_steep_layer_keeps(phi, weight, bias, scale):
    """1 - f = gamma there by quadrature, which needs no more than phi."""
    known = activation(phi) if isinstance(phi, str) else Activation(phi, X, name="sharp")
    f = map_of(known, weight, bias)
    with mp.workdps(15):
        gap = f.fixed_gap()
        oracle = SharpOracle(known.expression.subs(known.symbol, X), float(to_mpf(f.q)), float(weight), [(0, scale)])
    assert abs(oracle.layer(float(gap))[0] / float(gap) - 1) < 1e-11


@pytest.mark.parametrize(("name", "weight", "bias", "low", "high"), [
    ("tanh", 10**8, Rational(1, 5), -1, 1), ("softsign", 10**6, 10**6, -1, 1), ("sigmoid", 10**6, 10**5, 0, 1),
])  # fmt: skip
def test_weights_so_large_that_phi_is_a_step(name, weight, bias, low, high):
    """q and c* of phi = low for x < 0 and high for x > 0, up to E|phi - step|, which is of the order log(w)/w."""
    f = map_of(activation(name), weight, bias)
    with mp.workdps(15):
        q = bias**2 + mp.mpf(weight) ** 2 * (low**2 + high**2) / 2
        assert abs(to_mpf(f.q) / q - 1) < 100 / mp.mpf(weight)
        middle, half, unit = mp.mpf(low + high) / 2, mp.mpf(high - low) / 2, mp.mpf(weight) ** 2 / q
        start = mp.mpf(bias) ** 2 / q + unit * middle**2

        def kept(c):
            return start + unit * half**2 * 2 / mp.pi * mp.asin(c) - c

        c = mp.findroot(kept, (start, min(start * 2, 0.9)), solver="secant")
        assert abs((1 - f.fixed_gap()) - c) < 100 / mp.mpf(weight)
