"""Piecewise smooth functions: jumps, scaling, derivatives, and values in mpmath and NumPy."""

import numpy as np
import pytest
from mpmath import mp
from sympy import Abs, Max, Min, Piecewise, Rational, Symbol, exp, log, pi, sin, sqrt, tanh

from asympt.expansions.opaque import RealConstant
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import to_mpf

X = Symbol("x", real=True)
ELU = PiecewiseSmooth.of(Piecewise((X, X > 0), (exp(X) - 1, True)), X)
CLIP = PiecewiseSmooth.of(Min(Max(X, 0), 6), X)


def test_jumps_by_hand():
    assert [ELU.jump(0, n) for n in range(5)] == [0, 0, -1, -1, -1]
    assert [CLIP.jumps(n) for n in range(3)] == [(0, 0), (1, -1), (0, 0)]
    kinked = PiecewiseSmooth.of(Abs(X**2 - 2), X)  # slopes +-2x at +-sqrt(2)
    assert kinked.breaks == (-sqrt(2), sqrt(2))
    assert kinked.jumps(1) == (4 * sqrt(2), 4 * sqrt(2)) and kinked.jumps(2) == (-4, 4)


def test_taylor_from_both_sides():
    assert ELU.taylor(0, -1, 4) == [0, 1, 1, 1] and ELU.taylor(0, 1, 4) == [0, 1, 0, 0]
    assert ELU.side(0, -1, 24) == 1


def test_derivative_square_and_scale():
    assert ELU.derivative(2).pieces == (exp(X), 0)
    assert CLIP.square().pieces == (0, X**2, 36)
    scaled = CLIP.scaled(sqrt(3))
    assert scaled.breaks == (0, 2 * sqrt(3)) and scaled.pieces[1] == sqrt(3) * X
    assert scaled.jump(0, 1) == sqrt(3)


def test_scaling_by_a_number_known_by_its_digits():
    root = RealConstant("root of q", lambda: mp.sqrt(mp.mpf(7) / 11), key="test_piecewise: sqrt(7/11)")
    scaled = ELU.scaled(root)
    assert (scaled.jump(0, 2) + root**2).expand() == 0 and len(scaled.taylor(0, -1, 25)) == 25
    shifted = PiecewiseSmooth.of(Max(tanh(X) - tanh(1), 0), X).scaled(root)
    want = -2 * mp.tanh(1) * (1 - mp.tanh(1) ** 2) * to_mpf(root) ** 2
    assert abs(to_mpf(shifted.side(0, 1, 2)) - want) < 1e-14


def test_functions_with_flat_or_removable_points_have_values_there():
    sinc = PiecewiseSmooth.of(sin(pi * X) / X, X)
    quotient = PiecewiseSmooth.of((exp(X - 1) - 1) / (X - 1), X)
    with mp.workdps(30):
        assert abs(sinc.numeric(mp.zero) - mp.pi) < mp.mpf(10) ** -28 and quotient.numeric(mp.one) == 1
    assert sinc.vectorised(np.array([0.0, 1.0])) == pytest.approx([np.pi, 0.0], abs=1e-15)
    assert quotient.vectorised(np.array([1.0])).tolist() == [1.0]


def test_numpy_and_mpmath_agree_and_take_the_right_hand_value_at_breakpoints():
    step = PiecewiseSmooth.of(Piecewise((1, Rational(1, 2) <= X), (X, True)), X)
    assert step.numeric(mp.mpf(1) / 2) == 1 and step.vectorised(np.array([0.5]))[0] == 1
    points = np.linspace(-9, 9, 61)
    for phi in (ELU, CLIP, step, ELU.derivative(), CLIP.scaled(sqrt(2))):
        with mp.workdps(30):
            want = [float(phi.numeric(mp.mpf(float(p)))) for p in points]
        assert phi.vectorised(points) == pytest.approx(want, rel=1e-14, abs=1e-300)


def test_shapes_are_kept():
    points = np.zeros((2, 3, 4))
    assert ELU.vectorised(points).shape == (2, 3, 4)
    assert ELU.vectorised(0.5).shape == () and float(ELU.vectorised(0.5)) == 0.5
    smooth = PiecewiseSmooth.of(log(1 + exp(X)), X)
    assert smooth.vectorised(1000.0) == 1000 and smooth.vectorised(np.zeros((0,))).shape == (0,)
