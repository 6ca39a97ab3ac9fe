"""One layer in mpmath against HDR Lemma 2 written out for the plain correlation."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational

from asympt.architectures.feedforward import FeedForward
from asympt.numbers import to_mpf


def lemma_two(gap, kernel, kink_weight):
    """c' = f(c), k' = f'(c) k + f(c) from the closed forms, at the working precision."""
    c, rho = 1 - gap, 2 * kink_weight / mp.pi
    image = c + rho * (mp.sqrt(1 - c * c) - c * mp.acos(c))
    return 1 - image, (1 - rho * mp.acos(c)) * kernel + image


def step_of(right, left):
    """The layer of a network of these slopes."""
    return FeedForward("relu_like", right=right, left=left)._laws.composed.form.step


@pytest.mark.parametrize("slopes", [(1, 0), (1, Rational(1, 10)), (1, -1), (1, Rational(998, 1000))])
@pytest.mark.parametrize("gap", ["1e-20", "0.01", "0.9", "1.5", "1.99"])
def test_a_step_is_lemma_two(slopes, gap):
    right, left = map(Rational, slopes)
    with mp.workdps(120):
        start, kernel = mpmath.mpf(gap), mpmath.mpf("-3.7")
        truth = lemma_two(start, kernel, to_mpf((right - left) ** 2 / (2 * (right**2 + left**2))))
        state, alone = step_of(*slopes)((start, kernel)), step_of(*slopes)((start,))
        for value, reference in zip((*state, *alone), (*truth, truth[0]), strict=True):
            assert abs(value - reference) < mpmath.mpf(10) ** -85 * abs(reference)  # 30 digits cancel in c


def test_the_fixed_point_and_the_mirror_are_exact():
    assert step_of(1, 0)((mpmath.mpf(0),)) == (0,)
    assert step_of(1, 0)((mpmath.mpf(0), mpmath.mpf(5))) == (0, 6)
    assert step_of(1, -1)((mpmath.mpf(2), mpmath.mpf(-1))) == (0, 2)
